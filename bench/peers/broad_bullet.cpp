// Bullet's dynamic trees: btDbvtBroadphase with its own margins, and its table of pairs.
#include "broad.h"

#include <memory>
#include <vector>

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

namespace {

struct Tree {
    btDbvtBroadphase broadphase;
    std::vector<btBroadphaseProxy *> proxies;
};

btVector3 vector_of(ov_vec3 v) { return btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z)); }

void *make(const ov_aabb *boxes, size_t count) {
    auto tree = std::make_unique<Tree>();
    for (size_t i = 0; i < count; i++) {
        tree->proxies.push_back(tree->broadphase.createProxy(
            vector_of(boxes[i].min), vector_of(boxes[i].max), MULTI_SPHERE_SHAPE_PROXYTYPE,
            tree.get(), 1, -1, nullptr));
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

} // namespace

extern "C" const peer_broad *peer_bullet_broad(void) {
    static const peer_broad broad = {"Bullet btDbvtBroadphase", "bullet-tree", make, destroy, step};
    return &broad;
}
