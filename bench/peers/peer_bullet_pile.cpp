/**
 * @file peer_bullet_pile.cpp
 * @brief A pile of hulls in Bullet: btDiscreteDynamicsWorld with its default solver (10
 * iterations), convex hulls, planes for the box; no body falls asleep.
 *
 * The margin of a hull, which Bullet adds around it, is a millimetre.
 */
#include "peers.h"

#include <map>
#include <memory>
#include <vector>

#include <btBulletDynamicsCommon.h>

namespace {

btVector3 vector_of(ov_vec3 v) { return btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z)); }
ov_vec3 from(const btVector3 &v) { return {double(v.x()), double(v.y()), double(v.z())}; }

struct Pile {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::map<const void *, std::unique_ptr<btConvexHullShape>> hulls;
    std::vector<std::unique_ptr<btStaticPlaneShape>> planes;
    std::vector<std::unique_ptr<btRigidBody>> walls, bodies;
    std::vector<ov_vec3> centroids;
    ~Pile() {
        for (auto &body : bodies) {
            world.removeRigidBody(body.get());
        }
        for (auto &wall : walls) {
            world.removeRigidBody(wall.get());
        }
    }
    BT_DECLARE_ALIGNED_ALLOCATOR();
};

/** One hull for all stones with these vertices, about the centroid: bodies turn about the origin.
 */
btConvexHullShape *hull_of(Pile &pile, const peer_stone &stone) {
    auto &hull = pile.hulls[stone.hull.vertices];
    if (hull == nullptr) {
        hull = std::make_unique<btConvexHullShape>();
        for (size_t i = 0; i < stone.hull.vertex_count; i++) {
            hull->addPoint(vector_of(ov_vec3_sub(stone.hull.vertices[i], stone.mass.centroid)),
                           false);
        }
        hull->setMargin(btScalar(0.001));
        hull->recalcLocalAabb();
    }
    return hull.get();
}

void add_wall(Pile &pile, ov_vec3 normal, double offset, double friction) {
    pile.planes.push_back(
        std::make_unique<btStaticPlaneShape>(vector_of(normal), btScalar(offset)));
    btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, pile.planes.back().get());
    info.m_friction = btScalar(friction);
    pile.walls.push_back(std::make_unique<btRigidBody>(info));
    pile.world.addRigidBody(pile.walls.back().get());
}

void add_stone(Pile &pile, const peer_stone &stone, double friction) {
    const ov_mat3 &i = stone.mass.inertia;
    btRigidBody::btRigidBodyConstructionInfo info(
        btScalar(stone.mass.mass), nullptr, hull_of(pile, stone),
        btVector3(btScalar(i.cx.x), btScalar(i.cy.y), btScalar(i.cz.z)));
    info.m_friction = btScalar(friction);
    const ov_quat q = stone.pose.rotation;
    info.m_startWorldTransform.setRotation(
        btQuaternion(btScalar(q.x), btScalar(q.y), btScalar(q.z), btScalar(q.w)));
    info.m_startWorldTransform.setOrigin(vector_of(stone.pose.position) +
                                         info.m_startWorldTransform.getBasis() *
                                             vector_of(stone.mass.centroid));
    pile.bodies.push_back(std::make_unique<btRigidBody>(info));
    pile.bodies.back()->setActivationState(DISABLE_DEACTIVATION);
    pile.world.addRigidBody(pile.bodies.back().get());
    pile.centroids.push_back(stone.mass.centroid);
}

void *make(const peer_stone *stones, size_t count, double half, double friction) {
    auto pile = std::make_unique<Pile>();
    pile->world.setGravity(btVector3(0, 0, btScalar(-9.81)));
    add_wall(*pile, {0.0, 0.0, 1.0}, 0.0, friction);
    add_wall(*pile, {1.0, 0.0, 0.0}, -half, friction);
    add_wall(*pile, {-1.0, 0.0, 0.0}, -half, friction);
    add_wall(*pile, {0.0, 1.0, 0.0}, -half, friction);
    add_wall(*pile, {0.0, -1.0, 0.0}, -half, friction);
    for (size_t i = 0; i < count; i++) {
        add_stone(*pile, stones[i], friction);
    }
    return pile.release();
}

void destroy(void *pile) { delete static_cast<Pile *>(pile); }

void step(void *pile, double dt) {
    static_cast<Pile *>(pile)->world.stepSimulation(btScalar(dt), 0, btScalar(dt));
}

peer_motion get(const void *made, size_t index) {
    const Pile &pile = *static_cast<const Pile *>(made);
    const btRigidBody &body = *pile.bodies[index];
    const btTransform &t = body.getCenterOfMassTransform();
    const btQuaternion q = t.getRotation();
    return {{from(t * -vector_of(pile.centroids[index])),
             {double(q.w()), double(q.x()), double(q.y()), double(q.z())}},
            from(body.getLinearVelocity()),
            from(body.getAngularVelocity())};
}

} // namespace

extern "C" const peer_pile *peer_bullet_pile(void) {
    static const peer_pile pile = {"Bullet, hulls", "bullet", make, destroy, step, get};
    return &pile;
}
