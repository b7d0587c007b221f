/**
 * @file peer_fcl.cpp
 * @brief FCL: distance and collision, its dynamic tree, and its continuous collision.
 *
 * Distance and collision of meshes (bounding volumes of kind OBBRSS, as in [Benchmark, 5.1]), GJK
 * on convex hulls, the shapes of FCL, and FCL's own edition of libccd's algorithms with the exact
 * support function. FCL's signed distance of two convex bodies is its copy of libccd
 * (`GJK_LIBCCD`), improved since; libccd itself has no distance. Its support functions can be given
 * from outside only below the public interface, in fcl::detail.
 *
 * The objects of the dynamic tree are ellipsoids whose local boxes are set to the boxes that are
 * handed in: an object without a turn and a shift takes over the box of its geometry as it is.
 *
 * Of continuous collision four solvers are named in FCL's request. The naive one collides at evenly
 * spread times. The conservative advancement works on boxes, hulls and meshes, and knows no
 * ellipsoids; it looks at neither the tolerance nor the limit of the request, and stops where a
 * step is below 1e-4 of the time (shapes) or 1e-5 (meshes). The polynomial solver takes meshes that
 * do not turn. The ray shooting does nothing, and is left out. FCL's interpolated motion leaves its
 * reference point unset unless it is made from matrices and a point, so it is made in that way; and
 * it takes the turn from two rotations, so that it is half a turn at most. Here its fields are set
 * from the axis and the angle themselves, which makes any number of turns one motion for all that
 * FCL does with it.
 */
#include "peers.h"

#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include <ccd/ccd.h>

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/cone.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/cylinder.h>
#include <fcl/geometry/shape/ellipsoid.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/math/motion/interp_motion.h>
#include <fcl/math/motion/translation_motion.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/collision_object.h>
#include <fcl/narrowphase/continuous_collision.h>
#include <fcl/narrowphase/detail/convexity_based_algorithm/gjk_libccd.h>
#include <fcl/narrowphase/distance.h>

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/* ---- bodies as FCL has them */

struct Placed {
    std::shared_ptr<fcl::CollisionGeometryd> geometry;
    fcl::Transform3d pose;

    EIGEN_MAKE_ALIGNED_OPERATOR_NEW
};

fcl::Vector3d vec(ov_vec3 v) { return fcl::Vector3d(v.x, v.y, v.z); }

fcl::Transform3d pose_of(const peer_body *body) {
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

void destroy_placed(void *object) { delete static_cast<Placed *>(object); }

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
std::shared_ptr<fcl::Convexd> hull_of_mesh(const peer_body *body) {
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

/** One geometry for all bodies of one polyhedron, as long as one of them is there. */
std::shared_ptr<fcl::CollisionGeometryd> shared_hull(const peer_body *body) {
    static std::map<const void *, std::weak_ptr<fcl::CollisionGeometryd>> made;
    std::weak_ptr<fcl::CollisionGeometryd> &known = made[body->shape->u.polyhedron.vertices];
    std::shared_ptr<fcl::CollisionGeometryd> hull = known.lock();
    if (hull == nullptr) {
        hull = hull_of_mesh(body);
        known = hull;
    }
    return hull;
}

/** FCL's own shape; null where it has none of the kind. */
std::shared_ptr<fcl::CollisionGeometryd> native_of(const peer_body *body) {
    const ov_vec3 a = body->shape->a;
    switch (body->shape->kind) {
    case OV_SHAPE_KIND_SPHERE:
        return std::make_shared<fcl::Sphered>(a.x);
    case OV_SHAPE_KIND_ELLIPSOID:
        return std::make_shared<fcl::Ellipsoidd>(a.x, a.y, a.z);
    case OV_SHAPE_KIND_BOX:
        return std::make_shared<fcl::Boxd>(2.0 * a.x, 2.0 * a.y, 2.0 * a.z);
    case OV_SHAPE_KIND_CAPSULE:
        return std::make_shared<fcl::Capsuled>(a.x, 2.0 * a.z);
    case OV_SHAPE_KIND_CYLINDER:
        return std::make_shared<fcl::Cylinderd>(a.x, 2.0 * a.z);
    case OV_SHAPE_KIND_CONE:
        return std::make_shared<fcl::Coned>(a.x, 2.0 * a.z);
    case OV_SHAPE_KIND_POLYHEDRON:
        return body->mesh.triangle_count > 0 ? shared_hull(body) : nullptr;
    default:
        return nullptr;
    }
}

void *make_native(const peer_body *body) {
    return guarded_make([body]() -> void * {
        std::shared_ptr<fcl::CollisionGeometryd> geometry = native_of(body);
        if (geometry == nullptr) {
            return nullptr;
        }
        geometry->computeLocalAABB();
        return new Placed{geometry, pose_of(body)};
    });
}

/* ==== distance and collision */

namespace static_pairs {

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

peer_answer collide(const void *a, const void *b, double) {
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

size_t all_contacts(const void *a, const void *b) {
    const Placed *pa = static_cast<const Placed *>(a), *pb = static_cast<const Placed *>(b);
    try {
        fcl::CollisionRequestd request(1000000, true);
        fcl::CollisionResultd result;
        return fcl::collide(pa->geometry.get(), pa->pose, pb->geometry.get(), pb->pose, request,
                            result);
    } catch (...) {
        return 0;
    }
}

/* ---- convex hulls and the shapes of FCL */

void *make_hull(const peer_body *body) {
    return guarded_make([body]() -> void * {
        auto hull = hull_of_mesh(body);
        hull->computeLocalAABB();
        return new Placed{hull, pose_of(body)};
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
     collide,
     move_placed,
     all_contacts},
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
    {"FCL shapes, libccd",
     "fcl_shape_libccd",
     PEER_NATIVE,
     true,
     true,
     true,
     {1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 0.0},
     make_native,
     destroy_placed,
     distance_libccd,
     move_placed},
    {"FCL shapes, indep",
     "fcl_shape_indep",
     PEER_NATIVE,
     true,
     false,
     true,
     {1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 0.0},
     make_native,
     destroy_placed,
     distance_indep,
     move_placed},
    {"FCL shapes, yes or no",
     "fcl_shape_collide",
     PEER_NATIVE,
     false,
     false,
     false,
     {0.0},
     make_native,
     destroy_placed,
     collide,
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

} // namespace static_pairs

/* ==== the dynamic tree */

namespace broad_phase {

struct Tree {
    fcl::DynamicAABBTreeCollisionManagerd manager;
    std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects;
    std::vector<std::shared_ptr<fcl::Ellipsoidd>> shapes;
};

void set_box(Tree &tree, size_t i, const ov_aabb &box) {
    fcl::AABBd &local = tree.shapes[i]->aabb_local;
    local.min_ = fcl::Vector3d(box.min.x, box.min.y, box.min.z);
    local.max_ = fcl::Vector3d(box.max.x, box.max.y, box.max.z);
    tree.objects[i]->computeAABB();
}

void *make(const ov_aabb *boxes, size_t count) {
    try {
        auto tree = std::make_unique<Tree>();
        std::vector<fcl::CollisionObjectd *> list;
        for (size_t i = 0; i < count; i++) {
            tree->shapes.push_back(std::make_shared<fcl::Ellipsoidd>(1.0, 1.0, 1.0));
            tree->objects.push_back(std::make_unique<fcl::CollisionObjectd>(
                tree->shapes[i], fcl::Transform3d::Identity()));
            set_box(*tree, i, boxes[i]);
            list.push_back(tree->objects[i].get());
        }
        tree->manager.registerObjects(list);
        tree->manager.setup();
        return tree.release();
    } catch (const std::exception &) {
        return nullptr;
    }
}

void destroy(void *tree) { delete static_cast<Tree *>(tree); }

bool count_pair(fcl::CollisionObjectd *, fcl::CollisionObjectd *, void *data) {
    ++*static_cast<size_t *>(data);
    return false;
}

size_t step(void *made, const ov_aabb *boxes) {
    Tree &tree = *static_cast<Tree *>(made);
    for (size_t i = 0; i < tree.objects.size(); i++) {
        set_box(tree, i, boxes[i]);
    }
    size_t pairs = 0;
    tree.manager.update();
    tree.manager.collide(&pairs, count_pair);
    return pairs;
}

} // namespace broad_phase

/* ==== checks of a robot */

namespace checks {

/** Its bodies in two trees, as planners have them: those that move, and those at rest. */
struct Scene {
    fcl::DynamicAABBTreeCollisionManagerd moving, resting;
    std::vector<std::unique_ptr<fcl::CollisionObjectd>> objects;
    std::vector<bool> excluded;
    size_t moving_count = 0;
};

struct Query {
    const Scene *scene;
    bool among_moving, hit;
};

size_t index_of(const fcl::CollisionObjectd *object) {
    return reinterpret_cast<size_t>(object->getUserData());
}

bool look(fcl::CollisionObjectd *a, fcl::CollisionObjectd *b, void *data) {
    Query *query = static_cast<Query *>(data);
    const Scene &scene = *query->scene;
    if (query->among_moving && scene.excluded[index_of(a) * scene.moving_count + index_of(b)]) {
        return false;
    }
    fcl::CollisionRequestd request;
    fcl::CollisionResultd result;
    query->hit = fcl::collide(a, b, request, result) > 0;
    return query->hit; // to stop
}

/** FCL's own shape, or the mesh of a body without a shape. */
std::shared_ptr<fcl::CollisionGeometryd> geometry_of(const peer_body *body) {
    if (body->shape == nullptr) {
        return model_of_mesh<fcl::OBBRSSd>(body);
    }
    return native_of(body);
}

void *make(const peer_body *bodies, size_t count, size_t moving, const bool *excluded) {
    try {
        auto scene = std::make_unique<Scene>();
        scene->moving_count = moving;
        scene->excluded.assign(excluded, excluded + moving * moving);
        for (size_t i = 0; i < count; i++) {
            auto geometry = geometry_of(&bodies[i]);
            if (geometry == nullptr) {
                return nullptr;
            }
            geometry->computeLocalAABB();
            scene->objects.push_back(
                std::make_unique<fcl::CollisionObjectd>(geometry, pose_of(&bodies[i])));
            scene->objects[i]->setUserData(reinterpret_cast<void *>(i));
            (i < moving ? scene->moving : scene->resting).registerObject(scene->objects[i].get());
        }
        scene->moving.setup();
        scene->resting.setup();
        return scene.release();
    } catch (...) {
        return nullptr;
    }
}

void destroy(void *check) { delete static_cast<Scene *>(check); }

void place(Scene &scene, const ov_pose *poses) {
    for (size_t i = 0; i < scene.moving_count; i++) {
        const ov_quat q = poses[i].rotation;
        scene.objects[i]->setTransform(fcl::Quaterniond(q.w, q.x, q.y, q.z),
                                       vec(poses[i].position));
        scene.objects[i]->computeAABB();
    }
}

peer_verdict collides(void *check, const ov_pose *poses, bool at_rest) {
    Scene &scene = *static_cast<Scene *>(check);
    try {
        place(scene, poses);
        scene.moving.update();
        Query query = {&scene, true, false};
        scene.moving.collide(&query, look);
        if (!query.hit && at_rest) {
            query.among_moving = false;
            scene.moving.collide(&scene.resting, &query, look);
        }
        return query.hit ? PEER_OVERLAPPING : PEER_SEPARATED;
    } catch (...) {
        return PEER_FAILED;
    }
}

/** FCL's trees have no question with a limit: pairs whose boxes are further apart are left out. */
long within(void *check, const ov_pose *poses, double limit) {
    Scene &scene = *static_cast<Scene *>(check);
    long found = 0;
    try {
        place(scene, poses);
        for (size_t i = 0; i < scene.moving_count; i++) {
            for (size_t k = i + 1; k < scene.moving_count; k++) {
                const fcl::CollisionObjectd *a = scene.objects[i].get(),
                                            *b = scene.objects[k].get();
                if (scene.excluded[i * scene.moving_count + k] ||
                    a->getAABB().distance(b->getAABB()) > limit) {
                    continue;
                }
                fcl::DistanceRequestd request;
                fcl::DistanceResultd result;
                fcl::distance(a, b, request, result);
                found += result.min_distance <= limit;
            }
        }
        return found;
    } catch (...) {
        return -1;
    }
}

} // namespace checks

/* ==== continuous collision */

namespace continuous {

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
     make_native, destroy_placed, ask_naive_10},
    {"FCL shapes, 1000 samples", "fcl_shape_naive_1000", PEER_PRIMITIVE, false, false, false,
     make_native, destroy_placed, ask_naive_1000},
    {"FCL shapes, advancement", "fcl_shape_advancement", PEER_PRIMITIVE, true, false, false,
     make_native, destroy_placed, ask_advancement},
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

} // namespace continuous

} // namespace

extern "C" const peer_method *peer_fcl_methods(size_t *count) {
    *count = sizeof static_pairs::methods / sizeof static_pairs::methods[0];
    return static_pairs::methods;
}

extern "C" const peer_broad *peer_fcl_broad(void) {
    static const peer_broad broad = {"FCL dynamic AABB tree", "fcl-tree", broad_phase::make,
                                     broad_phase::destroy, broad_phase::step};
    return &broad;
}

extern "C" const peer_check *peer_fcl_check(void) {
    static const peer_check check = {
        "FCL", "fcl", checks::make, checks::destroy, checks::collides, checks::within};
    return &check;
}

extern "C" const peer_continuous *peer_fcl_continuous(size_t *count) {
    *count = sizeof continuous::methods / sizeof continuous::methods[0];
    return continuous::methods;
}
