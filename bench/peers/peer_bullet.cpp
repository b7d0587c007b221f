/**
 * @file peer_bullet.cpp
 * @brief Bullet with the exact support function, two ways: its GJK-EPA solver
 * (btGjkEpaSolver2), and the detector its simulations use (btGjkPairDetector).
 *
 * Bullet's tolerances are constants of its build, the double one being the tightest: 1e-12 for GJK
 * and EPA. The bodies have no margin.
 *
 * Its detector for boxes, which says how deep they are in each other, and else that they are apart.
 *
 * And its dynamic trees: btDbvtBroadphase with its own margins, and its table of pairs.
 */
#include "bullet_shape.h"
#include "peers.h"

#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <vector>

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/CollisionDispatch/btBoxBoxDetector.h>
#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpa2.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpaPenetrationDepthSolver.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkPairDetector.h>
#include <BulletCollision/NarrowPhaseCollision/btPointCollector.h>
#include <BulletCollision/NarrowPhaseCollision/btVoronoiSimplexSolver.h>

namespace {

using bullet_peer::ExactShape;
using bullet_peer::pose_of;
using bullet_peer::vector_of;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct Placed {
    ExactShape shape;
    btTransform pose;
    BT_DECLARE_ALIGNED_ALLOCATOR();
    explicit Placed(const peer_body &body) : shape(body), pose(pose_of(body)) {}
};

void *make(const peer_body *body) { return new Placed(*body); }

void destroy(void *object) { delete static_cast<Placed *>(object); }

peer_answer gjk_epa(const void *a, const void *b, double) {
    const Placed *pa = static_cast<const Placed *>(a), *pb = static_cast<const Placed *>(b);
    const btVector3 guess = pb->pose.getOrigin() - pa->pose.getOrigin();
    btGjkEpaSolver2::sResults r;
    if (btGjkEpaSolver2::Distance(&pa->shape, pa->pose, &pb->shape, pb->pose, guess, r)) {
        if (std::isnan(r.distance)) {
            return {PEER_FAILED, kNone};
        }
        return {PEER_SEPARATED, static_cast<double>(r.distance)};
    }
    if (btGjkEpaSolver2::Penetration(&pa->shape, pa->pose, &pb->shape, pb->pose, guess, r) &&
        !std::isnan(r.distance)) {
        return {PEER_OVERLAPPING, static_cast<double>(r.distance)};
    }
    return {PEER_FAILED, kNone};
}

peer_answer pair_detector(const void *a, const void *b, double) {
    const Placed *pa = static_cast<const Placed *>(a), *pb = static_cast<const Placed *>(b);
    btVoronoiSimplexSolver simplex;
    btGjkEpaPenetrationDepthSolver depth;
    btGjkPairDetector detector(&pa->shape, &pb->shape, &simplex, &depth);
    btGjkPairDetector::ClosestPointInput input;
    input.m_transformA = pa->pose;
    input.m_transformB = pb->pose;
    btPointCollector result;
    detector.getClosestPoints(input, result, nullptr);
    if (!result.m_hasResult || std::isnan(result.m_distance)) {
        return {PEER_FAILED, kNone};
    }
    const double gap = static_cast<double>(result.m_distance);
    return {gap > 0.0 ? PEER_SEPARATED : PEER_OVERLAPPING, gap};
}

/* ---- boxes */

struct PlacedBox {
    btBoxShape shape;
    btTransform pose;
    BT_DECLARE_ALIGNED_ALLOCATOR();
    explicit PlacedBox(const peer_body &body)
        : shape(vector_of(body.shape->a)), pose(pose_of(body)) {}
};

void *make_box(const peer_body *body) {
    return body->shape->kind == OV_SHAPE_KIND_BOX ? new PlacedBox(*body) : nullptr;
}

void destroy_box(void *object) { delete static_cast<PlacedBox *>(object); }

peer_answer box_detector(const void *a, const void *b, double) {
    const PlacedBox *pa = static_cast<const PlacedBox *>(a),
                    *pb = static_cast<const PlacedBox *>(b);
    btBoxBoxDetector detector(&pa->shape, &pb->shape);
    btBoxBoxDetector::ClosestPointInput input;
    input.m_transformA = pa->pose;
    input.m_transformB = pb->pose;
    btPointCollector deepest;
    detector.getClosestPoints(input, deepest, nullptr);
    if (!deepest.m_hasResult) {
        return {PEER_SEPARATED, kNone};
    }
    return {PEER_OVERLAPPING, static_cast<double>(deepest.m_distance)};
}

#ifdef BT_USE_DOUBLE_PRECISION
#define PRECISION "double"
#else
#define PRECISION "single"
#endif

const peer_method methods[] = {
    {"Bullet " PRECISION " GJK-EPA, exact support",
     "bullet_gjk_epa_exact",
     PEER_EXACT,
     true,
     true,
     false,
     {0.0},
     make,
     destroy,
     gjk_epa,
     nullptr},
    {"Bullet " PRECISION " detector, exact support",
     "bullet_detector_exact",
     PEER_EXACT,
     true,
     true,
     false,
     {0.0},
     make,
     destroy,
     pair_detector,
     nullptr},
    {"Bullet " PRECISION " box detector",
     "bullet_box",
     PEER_NATIVE,
     false,
     true,
     false,
     {0.0},
     make_box,
     destroy_box,
     box_detector,
     nullptr},
};

/* ---- the dynamic trees */

namespace broad_phase {

struct Tree {
    btDbvtBroadphase broadphase;
    std::vector<btBroadphaseProxy *> proxies;
};

void *make(const ov_aabb *boxes, size_t count) {
    auto tree = std::make_unique<Tree>();
    for (size_t i = 0; i < count; i++) {
        tree->proxies.push_back(
            tree->broadphase.createProxy(vector_of(boxes[i].min), vector_of(boxes[i].max),
                                         MULTI_SPHERE_SHAPE_PROXYTYPE, tree.get(), 1, -1, nullptr));
    }
    tree->broadphase.optimize();
    return tree.release();
}

void destroy(void *made) {
    Tree *tree = static_cast<Tree *>(made);
    // destroyProxy looks through all pairs each time, which takes hours for a million of them
    for (btBroadphaseProxy *proxy : tree->proxies) {
        btAlignedFree(proxy);
    }
    delete tree;
}

size_t step(void *made, const ov_aabb *boxes) {
    Tree &tree = *static_cast<Tree *>(made);
    for (size_t i = 0; i < tree.proxies.size(); i++) {
        tree.broadphase.setAabb(tree.proxies[i], vector_of(boxes[i].min), vector_of(boxes[i].max),
                                nullptr);
    }
    tree.broadphase.calculateOverlappingPairs(nullptr);
    return size_t(tree.broadphase.getOverlappingPairCache()->getNumOverlappingPairs());
}

} // namespace broad_phase

} // namespace

extern "C" const peer_method *peer_bullet_methods(size_t *count) {
    *count = sizeof methods / sizeof methods[0];
    return methods;
}

extern "C" const peer_broad *peer_bullet_broad(void) {
    static const peer_broad broad = {"Bullet btDbvtBroadphase", "bullet-tree", broad_phase::make,
                                     broad_phase::destroy, broad_phase::step};
    return &broad;
}
