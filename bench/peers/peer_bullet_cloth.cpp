/**
 * @file peer_bullet_cloth.cpp
 * @brief Bullet's soft body as a cloth over bodies at rest, which have the exact support function
 * and a margin.
 *
 * btSoftRigidDynamicsWorld with its default collision of soft bodies and rigid ones (a sparse
 * signed distance field, asked at the vertices).
 */
#include "bullet_shape.h"
#include "peers.h"

#include <memory>
#include <new>
#include <vector>

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/CollisionShapes/btStaticPlaneShape.h>
#include <BulletDynamics/ConstraintSolver/btSequentialImpulseConstraintSolver.h>
#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>

namespace {

struct Scene {
    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btSoftRigidDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::unique_ptr<btSoftBody> cloth;
    int steps = 1;

    void add(std::unique_ptr<btCollisionShape> shape, const btTransform &pose, double friction) {
        btRigidBody::btRigidBodyConstructionInfo info(0, nullptr, shape.get());
        info.m_startWorldTransform = pose;
        info.m_friction = btScalar(friction);
        bodies.push_back(std::make_unique<btRigidBody>(info));
        shapes.push_back(std::move(shape));
        world.addRigidBody(bodies.back().get());
    }
    ~Scene() {
        if (cloth) {
            world.removeSoftBody(cloth.get());
        }
        for (auto &body : bodies) {
            world.removeRigidBody(body.get());
        }
    }
};

void *make(const peer_cloth_scene *s) {
    auto scene = std::make_unique<Scene>();
    const btScalar margin = btScalar(s->margin);
    const btVector3 gravity(0, 0, btScalar(-9.81));
    scene->steps = s->steps;
    scene->world.setGravity(gravity);
    btSoftBodyWorldInfo &info = scene->world.getWorldInfo();
    info.m_gravity = gravity;
    info.air_density = 0;
    info.m_sparsesdf.Initialize();
    for (size_t i = 0; i < s->body_count; i++) {
        scene->add(std::make_unique<bullet_peer::ExactShape>(s->bodies[i], margin),
                   bullet_peer::pose_of(s->bodies[i]), s->friction);
    }
    auto ground = std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), btScalar(0));
    ground->setMargin(margin);
    scene->add(std::move(ground), btTransform::getIdentity(), s->friction);
    std::vector<btScalar> x;
    for (size_t i = 0; i < s->vertex_count; i++) {
        x.insert(x.end(), {btScalar(s->vertices[i].x), btScalar(s->vertices[i].y),
                           btScalar(s->vertices[i].z)});
    }
    std::vector<int> triangles;
    for (size_t i = 0; i < s->triangle_count; i++) {
        for (int k = 0; k < 3; k++) {
            triangles.push_back(int(s->triangles[i][k]));
        }
    }
    scene->cloth.reset(btSoftBodyHelpers::CreateFromTriMesh(info, x.data(), triangles.data(),
                                                            int(s->triangle_count), false));
    btSoftBody &cloth = *scene->cloth;
    cloth.m_cfg.piterations = s->iterations;
    cloth.m_cfg.kDF = btScalar(s->friction);
    cloth.m_materials[0]->m_kLST = 1;
    cloth.getCollisionShape()->setMargin(margin);
    cloth.setTotalMass(btScalar(s->mass));
    scene->world.addSoftBody(&cloth);
    return scene.release();
}

void destroy(void *object) { delete static_cast<Scene *>(object); }

void step(void *object, double dt) {
    auto *scene = static_cast<Scene *>(object);
    scene->world.stepSimulation(btScalar(dt), scene->steps, btScalar(dt / scene->steps));
}

void positions(const void *object, ov_vec3 *out) {
    const auto &nodes = static_cast<const Scene *>(object)->cloth->m_nodes;
    for (int i = 0; i < nodes.size(); i++) {
        out[i] = ov_vec3{nodes[i].m_x.x(), nodes[i].m_x.y(), nodes[i].m_x.z()};
    }
}

} // namespace

extern "C" const peer_cloth *peer_bullet_cloth(void) {
    static const peer_cloth cloth = {"Bullet", "bullet", make, destroy, step, positions};
    return &cloth;
}
