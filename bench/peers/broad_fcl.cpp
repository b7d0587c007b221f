// FCL's dynamic tree. Its objects are ellipsoids whose local boxes are set to the boxes that are
// handed in: an object without a turn and a shift takes over the box of its geometry as it is.
#include "broad.h"

#include <memory>
#include <vector>

#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/geometry/shape/ellipsoid.h>
#include <fcl/narrowphase/collision_object.h>

namespace {

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

} // namespace

extern "C" const peer_broad *peer_fcl_broad(void) {
    static const peer_broad broad = {"FCL dynamic AABB tree", "fcl-tree", make, destroy, step};
    return &broad;
}
