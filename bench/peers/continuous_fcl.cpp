/**
 * @file continuous_fcl.cpp
 * @brief FCL's continuous collision on boxes, ellipsoids, convex hulls and meshes.
 *
 * Four solvers are named in FCL's request. The naive one collides at evenly spread times. The
 * conservative advancement works on boxes, hulls and meshes, and knows no ellipsoids; it looks at
 * neither the tolerance nor the limit of the request, and stops where a step is below 1e-4 of the
 * time (shapes) or 1e-5 (meshes). The polynomial solver takes meshes that do not turn. The ray
 * shooting does nothing, and is left out.
 *
 * FCL's interpolated motion leaves its reference point unset unless it is made from matrices and
 * a point, so it is made in that way; and it takes the turn from two rotations, so that it is half
 * a turn at most. Here its fields are set from the axis and the angle themselves, which makes any
 * number of turns one motion for all that FCL does with it.
 */
#include "continuous.h"
#include "fcl_bodies.h"

#include <cmath>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/ellipsoid.h>
#include <fcl/math/motion/interp_motion.h>
#include <fcl/math/motion/translation_motion.h>
#include <fcl/narrowphase/continuous_collision.h>
#include <limits>

namespace {

using namespace fcl_bodies;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/** Translation and turn at constant speed, the turn of any size. */
class Travel : public fcl::InterpMotion<double> {
  public:
    Travel(const fcl::Transform3d &start, const peer_travel &travel)
        : fcl::InterpMotion<double>(start.linear(), start.translation(), start.linear(),
                                    start.translation() + vec(travel.way), fcl::Vector3d::Zero()) {
        angular_axis = vec(travel.axis);
        angular_vel = travel.angle_rad;
        if (angular_vel < 0.0) {
            angular_axis = -angular_axis;
            angular_vel = -angular_vel;
        }
        tf2.linear() = absoluteRotation(1.0).toRotationMatrix();
    }
};

/* ---- objects */

void *placed(const peer_body *body, const std::shared_ptr<fcl::CollisionGeometryd> &geometry) {
    geometry->computeLocalAABB();
    return new Placed{geometry, pose_of(body)};
}

void *make_primitive(const peer_body *body) {
    return guarded_make([body]() -> void * {
        const ov_vec3 a = body->shape->a;
        if (body->shape->kind == OV_SHAPE_KIND_BOX) {
            return placed(body, std::make_shared<fcl::Boxd>(2.0 * a.x, 2.0 * a.y, 2.0 * a.z));
        }
        return placed(body, std::make_shared<fcl::Ellipsoidd>(a.x, a.y, a.z));
    });
}

void *make_convex(const peer_body *body) {
    return guarded_make([body] { return placed(body, hull_of_mesh(body)); });
}

template <typename Volume> void *make_mesh(const peer_body *body) {
    return guarded_make([body] { return placed(body, model_of_mesh<Volume>(body)); });
}

/* ---- questions */

peer_first answer_of(double returned, const fcl::ContinuousCollisionResultd &result) {
    if (returned < 0.0 || std::isnan(result.time_of_contact)) {
        return {PEER_FAILED, kNone}; // how FCL says that it cannot
    }
    return result.is_collide ? peer_first{PEER_OVERLAPPING, result.time_of_contact}
                             : peer_first{PEER_SEPARATED, kNone};
}

peer_first collide(const void *moving, const peer_travel *travel, const void *resting,
                   fcl::CCDSolverType solver, size_t samples) {
    const Placed *a = static_cast<const Placed *>(moving);
    const Placed *b = static_cast<const Placed *>(resting);
    try {
        fcl::ContinuousCollisionRequestd request;
        fcl::ContinuousCollisionResultd result;
        request.ccd_solver_type = solver;
        request.ccd_motion_type = fcl::CCDM_LINEAR;
        request.num_max_iterations = samples;
        request.toc_err = 1e-6;
        const Travel first(a->pose, *travel);
        const Travel second(b->pose, peer_travel{{0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0});
        double returned = fcl::continuousCollide<double>(
            a->geometry.get(), &first, b->geometry.get(), &second, request, result);
        return answer_of(returned, result);
    } catch (...) {
        return {PEER_FAILED, kNone};
    }
}

peer_first ask_naive_10(const void *a, const peer_travel *travel, const void *b) {
    return collide(a, travel, b, fcl::CCDC_NAIVE, 10);
}

peer_first ask_naive_1000(const void *a, const peer_travel *travel, const void *b) {
    return collide(a, travel, b, fcl::CCDC_NAIVE, 1000);
}

peer_first ask_advancement(const void *a, const peer_travel *travel, const void *b) {
    return collide(a, travel, b, fcl::CCDC_CONSERVATIVE_ADVANCEMENT, 1000);
}

/** It moves the vertices of the meshes that it is given, so it gets copies. */
peer_first ask_polynomial(const void *moving, const peer_travel *travel, const void *resting) {
    using Model = fcl::BVHModel<fcl::OBBRSSd>;
    const Placed *a = static_cast<const Placed *>(moving);
    const Placed *b = static_cast<const Placed *>(resting);
    try {
        Model model_a(*static_cast<const Model *>(a->geometry.get()));
        Model model_b(*static_cast<const Model *>(b->geometry.get()));
        fcl::ContinuousCollisionRequestd request;
        fcl::ContinuousCollisionResultd result;
        request.ccd_solver_type = fcl::CCDC_POLYNOMIAL_SOLVER;
        request.ccd_motion_type = fcl::CCDM_TRANS;
        fcl::Transform3d end = a->pose;
        end.translation() += vec(travel->way);
        const fcl::TranslationMotion<double> first(a->pose, end), second(b->pose, b->pose);
        double returned =
            fcl::continuousCollide<double>(&model_a, &first, &model_b, &second, request, result);
        return answer_of(returned, result);
    } catch (...) {
        return {PEER_FAILED, kNone};
    }
}

const peer_continuous methods[] = {
    {"FCL shapes, 10 samples", "fcl_shape_naive_10", PEER_PRIMITIVE, false, false, false,
     make_primitive, destroy_placed, ask_naive_10},
    {"FCL shapes, 1000 samples", "fcl_shape_naive_1000", PEER_PRIMITIVE, false, false, false,
     make_primitive, destroy_placed, ask_naive_1000},
    {"FCL shapes, advancement", "fcl_shape_advancement", PEER_PRIMITIVE, true, false, false,
     make_primitive, destroy_placed, ask_advancement},
    {"FCL hulls, advancement", "fcl_hull_advancement", PEER_CONVEX, false, false, false,
     make_convex, destroy_placed, ask_advancement},
    {"FCL meshes, 1000 samples", "fcl_mesh_naive_1000", PEER_TRIANGLES, false, false, false,
     make_mesh<fcl::OBBRSSd>, destroy_placed, ask_naive_1000},
    {"FCL meshes, advancement", "fcl_mesh_advancement", PEER_TRIANGLES, false, false, true,
     make_mesh<fcl::OBBRSSd>, destroy_placed, ask_advancement},
    {"FCL meshes RSS, advancement", "fcl_mesh_rss_advancement", PEER_TRIANGLES, false, false, true,
     make_mesh<fcl::RSSd>, destroy_placed, ask_advancement},
    {"FCL meshes, polynomial", "fcl_mesh_polynomial", PEER_TRIANGLES, false, true, false,
     make_mesh<fcl::OBBRSSd>, destroy_placed, ask_polynomial},
};

} // namespace

extern "C" size_t ovoid_peers_continuous(const peer_continuous **list, size_t most) {
    size_t count = 0;
    for (const peer_continuous &method : methods) {
        if (count < most) {
            list[count++] = &method;
        }
    }
    return count;
}
