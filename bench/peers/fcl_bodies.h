/**
 * @file fcl_bodies.h
 * @brief Bodies as FCL has them: what its peers share.
 */
#ifndef OVOID_BENCH_FCL_BODIES_H
#define OVOID_BENCH_FCL_BODIES_H

#include "peers.h"

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/convex.h>
#include <memory>
#include <vector>

namespace fcl_bodies {

struct Placed {
    std::shared_ptr<fcl::CollisionGeometryd> geometry;
    fcl::Transform3d pose;

    EIGEN_MAKE_ALIGNED_OPERATOR_NEW
};

inline fcl::Vector3d vec(ov_vec3 v) { return fcl::Vector3d(v.x, v.y, v.z); }

inline fcl::Transform3d pose_of(const peer_body *body) {
    fcl::Transform3d pose = fcl::Transform3d::Identity();
    pose.linear().col(0) = vec(body->rotation.cx);
    pose.linear().col(1) = vec(body->rotation.cy);
    pose.linear().col(2) = vec(body->rotation.cz);
    pose.translation() = vec(body->position);
    return pose;
}

/** What `make` returns; null where it throws. */
template <typename Make> void *guarded_make(Make make) {
    try {
        return make();
    } catch (...) {
        return nullptr;
    }
}

inline void destroy_placed(void *object) { delete static_cast<Placed *>(object); }

/** The mesh of a body, with bounding volumes of some kind. */
template <typename Volume>
std::shared_ptr<fcl::BVHModel<Volume>> model_of_mesh(const peer_body *body) {
    auto model = std::make_shared<fcl::BVHModel<Volume>>();
    std::vector<fcl::Vector3d> points;
    std::vector<fcl::Triangle> triangles;
    points.reserve(body->mesh.vertex_count);
    triangles.reserve(body->mesh.triangle_count);
    for (size_t i = 0; i < body->mesh.vertex_count; i++) {
        points.push_back(vec(body->mesh.vertices[i]));
    }
    for (size_t i = 0; i < body->mesh.triangle_count; i++) {
        const uint32_t *t = body->mesh.triangles[i];
        triangles.emplace_back(t[0], t[1], t[2]);
    }
    model->beginModel(static_cast<int>(triangles.size()), static_cast<int>(points.size()));
    model->addSubModel(points, triangles);
    model->endModel();
    return model;
}

/** The convex hull of a body whose mesh is one. */
inline std::shared_ptr<fcl::Convexd> hull_of_mesh(const peer_body *body) {
    auto points = std::make_shared<std::vector<fcl::Vector3d>>();
    auto faces = std::make_shared<std::vector<int>>();
    points->reserve(body->mesh.vertex_count);
    faces->reserve(4 * body->mesh.triangle_count);
    for (size_t i = 0; i < body->mesh.vertex_count; i++) {
        points->push_back(vec(body->mesh.vertices[i]));
    }
    for (size_t i = 0; i < body->mesh.triangle_count; i++) {
        const uint32_t *t = body->mesh.triangles[i];
        const int face[4] = {3, static_cast<int>(t[0]), static_cast<int>(t[1]),
                             static_cast<int>(t[2])};
        faces->insert(faces->end(), face, face + 4);
    }
    return std::make_shared<fcl::Convexd>(points, static_cast<int>(body->mesh.triangle_count),
                                          faces);
}

} // namespace fcl_bodies

#endif
