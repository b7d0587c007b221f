/**
 * @file peer_fcl.cpp
 * @brief FCL: distance and collision of meshes (bounding volumes of kind OBBRSS, as in
 * [Benchmark, 5.1]), GJK on convex hulls, ellipsoid primitives, and FCL's own edition of libccd's
 * algorithms with the exact support function.
 *
 * FCL's signed distance of two convex bodies is its copy of libccd (`GJK_LIBCCD`), improved since;
 * libccd itself has no distance. Its support functions can be given from outside only below the
 * public interface, in fcl::detail.
 */
#include "fcl_bodies.h"

#include <ccd/ccd.h>
#include <cmath>
#include <fcl/geometry/shape/ellipsoid.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/detail/convexity_based_algorithm/gjk_libccd.h>
#include <fcl/narrowphase/distance.h>
#include <limits>

namespace {

using namespace fcl_bodies;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr unsigned kMaxIterations = 1000; // FCL's own limit of its distance queries

peer_answer failed() { return {PEER_FAILED, kNone}; }

/** A signed number as an answer: its sign is the verdict. */
peer_answer signed_answer(double gap) {
    if (std::isnan(gap)) {
        return failed();
    }
    return {gap > 0.0 ? PEER_SEPARATED : PEER_OVERLAPPING, gap};
}

void move_placed(void *object, const peer_body *body) {
    static_cast<Placed *>(object)->pose = pose_of(body);
}

/* ---- meshes */

void *make_mesh(const peer_body *body) {
    return guarded_make([body]() -> void * {
        return new Placed{model_of_mesh<fcl::OBBRSSd>(body), pose_of(body)};
    });
}

peer_answer mesh_distance(const void *a, const void *b, double) {
    const Placed *pa = static_cast<const Placed *>(a), *pb = static_cast<const Placed *>(b);
    try {
        fcl::DistanceRequestd request;
        fcl::DistanceResultd result;
        fcl::distance(pa->geometry.get(), pa->pose, pb->geometry.get(), pb->pose, request, result);
        peer_answer answer = signed_answer(result.min_distance);
        if (answer.verdict == PEER_OVERLAPPING) {
            answer.gap = kNone; // it says that they meet, not how deeply
        }
        return answer;
    } catch (...) {
        return failed();
    }
}

peer_answer mesh_collide(const void *a, const void *b, double) {
    const Placed *pa = static_cast<const Placed *>(a), *pb = static_cast<const Placed *>(b);
    try {
        fcl::CollisionRequestd request;
        fcl::CollisionResultd result;
        fcl::collide(pa->geometry.get(), pa->pose, pb->geometry.get(), pb->pose, request, result);
        return {result.isCollision() ? PEER_OVERLAPPING : PEER_SEPARATED, kNone};
    } catch (...) {
        return failed();
    }
}

/* ---- convex hulls and ellipsoids */

void *make_hull(const peer_body *body) {
    return guarded_make([body]() -> void * {
        auto hull = hull_of_mesh(body);
        hull->computeLocalAABB();
        return new Placed{hull, pose_of(body)};
    });
}

void *make_ellipsoid(const peer_body *body) {
    return guarded_make([body]() -> void * {
        const ov_vec3 a = body->shape->a;
        auto ellipsoid = std::make_shared<fcl::Ellipsoidd>(a.x, a.y, a.z);
        ellipsoid->computeLocalAABB();
        return new Placed{ellipsoid, pose_of(body)};
    });
}

peer_answer primitive_distance(const void *a, const void *b, double tolerance,
                               fcl::GJKSolverType solver) {
    const Placed *pa = static_cast<const Placed *>(a), *pb = static_cast<const Placed *>(b);
    try {
        fcl::DistanceRequestd request;
        fcl::DistanceResultd result;
        request.enable_signed_distance = solver == fcl::GST_LIBCCD;
        request.enable_nearest_points = true;
        request.distance_tolerance = tolerance;
        request.gjk_solver_type = solver;
        fcl::distance(pa->geometry.get(), pa->pose, pb->geometry.get(), pb->pose, request, result);
        return signed_answer(result.min_distance);
    } catch (...) {
        return failed();
    }
}

peer_answer distance_libccd(const void *a, const void *b, double tolerance) {
    return primitive_distance(a, b, tolerance, fcl::GST_LIBCCD);
}

/** Without depth: asked for it, FCL's own solver ends the process for every overlapping pair. */
peer_answer distance_indep(const void *a, const void *b, double tolerance) {
    peer_answer answer = primitive_distance(a, b, tolerance, fcl::GST_INDEP);
    if (answer.verdict == PEER_OVERLAPPING) {
        answer.gap = kNone;
    }
    return answer;
}

/* ---- exact support, FCL's edition of libccd */

void *make_exact(const peer_body *body) {
    return guarded_make([body]() -> void * { return new peer_body(*body); });
}

void destroy_exact(void *object) { delete static_cast<peer_body *>(object); }

void exact_support(const void *object, const ccd_vec3_t *dir, ccd_vec3_t *out) {
    const peer_body *body = static_cast<const peer_body *>(object);
    ov_support s = {0.0, {0.0, 0.0, 0.0}};
    const ov_vec3 world = {dir->v[0], dir->v[1], dir->v[2]};
    body->support(body->shape, ov_mat3_tmul_vec3(&body->rotation, world), &s);
    const ov_vec3 p = ov_vec3_add(ov_mat3_mul_vec3(&body->rotation, s.point), body->position);
    ccdVec3Set(out, p.x, p.y, p.z);
}

peer_answer exact_signed(const void *a, const void *b, double tolerance) {
    try {
        double gap = kNone;
        fcl::Vector3d p1, p2;
        fcl::detail::GJKSignedDistance<double>(const_cast<void *>(a), exact_support,
                                               const_cast<void *>(b), exact_support, kMaxIterations,
                                               tolerance, &gap, &p1, &p2);
        return signed_answer(gap);
    } catch (...) {
        return failed();
    }
}

const peer_method methods[] = {
    {"FCL mesh distance",
     "fcl_mesh_distance",
     PEER_MESH,
     true,
     false,
     false,
     {0.0},
     make_mesh,
     destroy_placed,
     mesh_distance,
     move_placed},
    {"FCL mesh collide",
     "fcl_mesh_collide",
     PEER_MESH,
     false,
     false,
     false,
     {0.0},
     make_mesh,
     destroy_placed,
     mesh_collide,
     move_placed},
    {"FCL GJK on hull",
     "fcl_hull",
     PEER_HULL,
     true,
     true,
     true,
     {1e-6, 0.0},
     make_hull,
     destroy_placed,
     distance_libccd,
     move_placed},
    {"FCL ellipsoid, libccd",
     "fcl_ellipsoid_libccd",
     PEER_ELLIPSOID,
     true,
     true,
     true,
     {1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 0.0},
     make_ellipsoid,
     destroy_placed,
     distance_libccd,
     move_placed},
    {"FCL ellipsoid, indep",
     "fcl_ellipsoid_indep",
     PEER_ELLIPSOID,
     true,
     false,
     true,
     {1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 0.0},
     make_ellipsoid,
     destroy_placed,
     distance_indep,
     move_placed},
    {"FCL's libccd, exact support",
     "fcl_ccd_exact",
     PEER_EXACT,
     true,
     true,
     true,
     {1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 0.0},
     make_exact,
     destroy_exact,
     exact_signed,
     nullptr},
};

} // namespace

extern "C" const peer_method *peer_fcl_methods(size_t *count) {
    *count = sizeof methods / sizeof methods[0];
    return methods;
}
