/**
 * @file mesh_fcl.cpp
 * @brief The mesh scheme that the papers compare with [Benchmark, 3.4, 4.5, 5.1]: FCL on
 * tessellations of the two bodies, at most options->mesh_vertices each.
 *
 * Distance of triangle meshes under hierarchies of OBBRSS boxes. Where the meshes meet, FCL's
 * distance has no number, and its collision query is asked for contacts; the deepest is taken. FCL
 * measures the depth of one pair of triangles, not of the bodies: the sign can be relied on, the
 * depth is of the right order at best.
 *
 * Departures: lengths are divided by the size of the larger body and positions are taken from A,
 * since FCL compares with absolute tolerances; the papers' bodies are of size one. One mesh wholly
 * inside the other has no triangles that meet, and FCL's answer is the distance of the surfaces; it
 * is left so, as a defect of the method. Mended: such a pair is given the distance with a minus
 * sign.
 *
 * As in the papers the time is that of the queries, without making vertices, triangles and
 * hierarchies. No exception leaves this file.
 */
#include <cmath>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <ovoid/schemes.h>

extern "C" {
#include "schemes_internal.h"
}

namespace {

using Model = fcl::BVHModel<fcl::OBBRSSd>;

/** Contacts that FCL may report: those of all pairs of triangles along a common curve. */
constexpr std::size_t kContactsMax = 100000;

fcl::Vector3d to_fcl(ov_vec3 v) { return fcl::Vector3d(v.x, v.y, v.z); }

ov_vec3 from_fcl(const fcl::Vector3d &v) { return ov_vec3_make(v.x(), v.y(), v.z()); }

/** Tessellation with its hierarchy, lengths times `scale`. */
ov_status make_model(const ov_shape *shape, std::size_t most, double scale,
                     std::shared_ptr<Model> &model) {
    const ov_mesh_options options = {most, 0.0};
    ov_mesh_plan plan;
    ov_status status = ov_shape_mesh_plan(shape, &options, &plan);
    if (status < 0) {
        return status;
    }
    std::vector<ov_vec3> vertices(plan.vertex_count);
    std::unique_ptr<std::uint32_t[][3]> faces(new std::uint32_t[plan.triangle_count][3]);
    status = ov_shape_mesh_fill(shape, &plan, vertices.data(), nullptr, faces.get());
    if (status < 0) {
        return status;
    }
    std::vector<fcl::Vector3d> points;
    std::vector<fcl::Triangle> triangles;
    points.reserve(plan.vertex_count);
    triangles.reserve(plan.triangle_count);
    for (const ov_vec3 &v : vertices) {
        points.push_back(to_fcl(v) * scale);
    }
    for (std::size_t i = 0; i < plan.triangle_count; i++) {
        triangles.emplace_back(faces[i][0], faces[i][1], faces[i][2]);
    }
    model = std::make_shared<Model>();
    if (model->beginModel(static_cast<int>(triangles.size()), static_cast<int>(points.size())) !=
            fcl::BVH_OK ||
        model->addSubModel(points, triangles) != fcl::BVH_OK || model->endModel() != fcl::BVH_OK) {
        return OV_ERROR_MEMORY;
    }
    return OV_OK;
}

/** Two meshes in A's frame, in units of the larger body. */
struct Scene {
    std::shared_ptr<Model> a, b;
    fcl::Transform3d pose_a = fcl::Transform3d::Identity();
    fcl::Transform3d pose_b = fcl::Transform3d::Identity();
    double unit = 1.0;
};

ov_status make_scene(const ovi_scheme_pair *pair, Scene &scene) {
    scene.unit = std::fmax(pair->a->ball.radius, pair->b->ball.radius);
    const ov_quat back = ov_quat_conjugate(pair->pose_a.rotation);
    const ov_quat turn = ov_quat_mul(back, pair->pose_b.rotation);
    const ov_vec3 apart = ov_vec3_sub(pair->pose_b.position, pair->pose_a.position);
    const ov_vec3 offset = ov_vec3_scale(ov_quat_rotate(back, apart), 1.0 / scene.unit);
    scene.pose_b.linear() = fcl::Quaterniond(turn.w, turn.x, turn.y, turn.z).toRotationMatrix();
    scene.pose_b.translation() = to_fcl(offset);
    const std::size_t most = pair->options->mesh_vertices;
    ov_status status = make_model(pair->a, most, 1.0 / scene.unit, scene.a);
    return status < 0 ? status : make_model(pair->b, most, 1.0 / scene.unit, scene.b);
}

/** In A's frame and the scene's unit. */
struct Answer {
    double gap = 0.0;
    ov_vec3 point_a = {0.0, 0.0, 0.0}, point_b = {0.0, 0.0, 0.0}, normal = {1.0, 0.0, 0.0};
};

/** The deepest contact; false where there is none after all. */
bool ask_depth(const Scene &scene, Answer &answer) {
    const fcl::CollisionRequestd request(kContactsMax, true);
    fcl::CollisionResultd result;
    fcl::collide(scene.a.get(), scene.pose_a, scene.b.get(), scene.pose_b, request, result);
    const fcl::Contactd *deepest = nullptr;
    for (std::size_t i = 0; i < result.numContacts(); i++) {
        const fcl::Contactd &c = result.getContact(i);
        if (deepest == nullptr || c.penetration_depth > deepest->penetration_depth) {
            deepest = &c;
        }
    }
    if (deepest == nullptr) {
        return false;
    }
    // the two points lie half the depth to either side of FCL's one
    const double depth = std::fmax(0.0, deepest->penetration_depth);
    answer.gap = -depth;
    answer.normal = ov_vec3_normalize(from_fcl(deepest->normal));
    answer.point_a = ov_vec3_add_scaled(from_fcl(deepest->pos), answer.normal, 0.5 * depth);
    answer.point_b = ov_vec3_add_scaled(from_fcl(deepest->pos), answer.normal, -0.5 * depth);
    return true;
}

/** FCL's two queries disagree, within its tolerances: the meshes touch. The normal is then along
 * the line of the centres. */
void touch(const Scene &scene, Answer &answer) {
    const ov_vec3 middle = ov_vec3_scale(ov_vec3_add(answer.point_a, answer.point_b), 0.5);
    const ov_vec3 along = ov_vec3_normalize(from_fcl(scene.pose_b.translation()));
    answer.gap = 0.0;
    answer.point_a = answer.point_b = middle;
    answer.normal = ov_vec3_dot(along, along) > 0.0 ? along : ov_vec3_make(1.0, 0.0, 0.0);
}

/** True where the nearest point of one body lies inside the other. */
bool is_nested(const ovi_scheme_pair *pair, const Scene &scene, const Answer &answer) {
    const fcl::Vector3d b = scene.pose_b.inverse() * to_fcl(answer.point_a);
    return ovi_scheme_inside(pair->b, ov_vec3_scale(from_fcl(b), scene.unit)) < 0.0 ||
           ovi_scheme_inside(pair->a, ov_vec3_scale(answer.point_b, scene.unit)) < 0.0;
}

void ask(const ovi_scheme_pair *pair, const Scene &scene, Answer &answer) {
    const fcl::DistanceRequestd request(true);
    fcl::DistanceResultd result;
    result.nearest_points[0] = result.nearest_points[1] = fcl::Vector3d::Zero();
    fcl::distance(scene.a.get(), scene.pose_a, scene.b.get(), scene.pose_b, request, result);
    answer.gap = result.min_distance;
    answer.point_a = from_fcl(result.nearest_points[0]);
    answer.point_b = from_fcl(result.nearest_points[1]);
    if (!(result.min_distance > 0.0)) {
        if (!ask_depth(scene, answer)) {
            touch(scene, answer);
        }
        return;
    }
    const bool nested = pair->options->mended && is_nested(pair, scene, answer);
    const ov_vec3 apart = ov_vec3_normalize(ov_vec3_sub(answer.point_b, answer.point_a));
    answer.normal = nested ? ov_vec3_neg(apart) : apart;
    answer.gap = nested ? -answer.gap : answer.gap;
}

void write(const ovi_scheme_pair *pair, const Scene &scene, const Answer &answer,
           ov_scheme_result *result) {
    result->status = OV_OK;
    result->gap = answer.gap * scene.unit;
    result->point_a = ov_pose_apply(pair->pose_a, ov_vec3_scale(answer.point_a, scene.unit));
    result->point_b = ov_pose_apply(pair->pose_a, ov_vec3_scale(answer.point_b, scene.unit));
    result->normal = ov_quat_rotate(pair->pose_a.rotation, answer.normal);
}

} // namespace

extern "C" void ovi_scheme_mesh(const ovi_scheme_pair *pair, ov_scheme_result *result) {
    try {
        Scene scene;
        result->status = make_scene(pair, scene);
        if (result->status < 0) {
            return;
        }
        Answer answer;
        const double begin = ovi_scheme_clock();
        ask(pair, scene, answer);
        result->total_seconds = ovi_scheme_clock() - begin;
        write(pair, scene, answer, result);
    } catch (const std::bad_alloc &) {
        result->status = OV_ERROR_MEMORY;
    } catch (...) {
        result->status = OV_ERROR_UNSUPPORTED;
    }
}
