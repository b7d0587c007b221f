/**
 * @file peer_ode_pile.cpp
 * @brief A pile of hulls in ODE: dWorldQuickStep (20 iterations), dConvex, planes for the box, a
 * space that sweeps and prunes; no body is disabled.
 *
 * Error reduction and softness are those of ODE's own examples of many bodies: 0.2 and 1e-5.
 */
#include "peers.h"

#include <map>
#include <memory>
#include <vector>

#include <ode/ode.h>

namespace {

constexpr int kContacts = 8;

/** Faces, points and polygons of a hull about the centroid, which ODE refers to. */
struct Hull {
    std::vector<dReal> planes, points;
    std::vector<unsigned> polygons;
};

struct Pile {
    dWorldID world;
    dSpaceID space;
    dJointGroupID group;
    double friction;
    std::map<const void *, std::unique_ptr<Hull>> hulls;
    std::vector<dBodyID> bodies;
    std::vector<ov_vec3> centroids;
};

const Hull &hull_of(Pile &pile, const peer_stone &stone) {
    auto &hull = pile.hulls[stone.hull.vertices];
    if (hull != nullptr) {
        return *hull;
    }
    hull = std::make_unique<Hull>();
    std::vector<ov_vec3> points;
    for (size_t i = 0; i < stone.hull.vertex_count; i++) {
        points.push_back(ov_vec3_sub(stone.hull.vertices[i], stone.mass.centroid));
        hull->points.insert(hull->points.end(),
                            {dReal(points[i].x), dReal(points[i].y), dReal(points[i].z)});
    }
    for (size_t i = 0; i < stone.hull.triangle_count; i++) {
        const uint32_t *t = stone.hull.triangles[i];
        const ov_vec3 p = points[t[0]];
        const ov_vec3 n = ov_vec3_normalize(
            ov_vec3_cross(ov_vec3_sub(points[t[1]], p), ov_vec3_sub(points[t[2]], p)));
        hull->planes.insert(hull->planes.end(),
                            {dReal(n.x), dReal(n.y), dReal(n.z), dReal(ov_vec3_dot(n, p))});
        hull->polygons.insert(hull->polygons.end(), {3u, t[0], t[1], t[2]});
    }
    return *hull;
}

void add_stone(Pile &pile, const peer_stone &stone) {
    const Hull &hull = hull_of(pile, stone);
    const dBodyID body = dBodyCreate(pile.world);
    const ov_mat3 &i = stone.mass.inertia;
    dMass mass;
    dMassSetParameters(&mass, dReal(stone.mass.mass), 0, 0, 0, dReal(i.cx.x), dReal(i.cy.y),
                       dReal(i.cz.z), 0, 0, 0);
    dBodySetMass(body, &mass);
    const ov_quat q = stone.pose.rotation;
    const dQuaternion rotation = {dReal(q.w), dReal(q.x), dReal(q.y), dReal(q.z)};
    dBodySetQuaternion(body, rotation);
    dVector3 centre;
    dBodyVectorToWorld(body, dReal(stone.mass.centroid.x), dReal(stone.mass.centroid.y),
                       dReal(stone.mass.centroid.z), centre);
    dBodySetPosition(body, dReal(stone.pose.position.x) + centre[0],
                     dReal(stone.pose.position.y) + centre[1],
                     dReal(stone.pose.position.z) + centre[2]);
    const dGeomID geom =
        dCreateConvex(pile.space, hull.planes.data(), unsigned(hull.planes.size() / 4),
                      hull.points.data(), unsigned(hull.points.size() / 3), hull.polygons.data());
    dGeomSetBody(geom, body);
    pile.bodies.push_back(body);
    pile.centroids.push_back(stone.mass.centroid);
}

void *make(const peer_stone *stones, size_t count, double half, double friction) {
    static const int ready = dInitODE2(0) && dAllocateODEDataForThread(dAllocateMaskAll);
    if (!ready) {
        return nullptr;
    }
    auto pile = std::make_unique<Pile>();
    pile->world = dWorldCreate();
    pile->space = dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XYZ);
    pile->group = dJointGroupCreate(0);
    pile->friction = friction;
    dWorldSetGravity(pile->world, 0, 0, dReal(-9.81));
    dWorldSetERP(pile->world, dReal(0.2));
    dWorldSetCFM(pile->world, dReal(1e-5));
    const dReal walls[5][4] = {{0, 0, 1, 0},
                               {1, 0, 0, dReal(-half)},
                               {-1, 0, 0, dReal(-half)},
                               {0, 1, 0, dReal(-half)},
                               {0, -1, 0, dReal(-half)}};
    for (const dReal *wall : walls) {
        dCreatePlane(pile->space, wall[0], wall[1], wall[2], wall[3]);
    }
    for (size_t i = 0; i < count; i++) {
        add_stone(*pile, stones[i]);
    }
    return pile.release();
}

void destroy(void *made) {
    Pile *pile = static_cast<Pile *>(made);
    dJointGroupDestroy(pile->group);
    dSpaceDestroy(pile->space);
    dWorldDestroy(pile->world);
    delete pile;
}

void collide(void *made, dGeomID a, dGeomID b) {
    Pile &pile = *static_cast<Pile *>(made);
    dContact contacts[kContacts];
    const dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (body_a == nullptr && body_b == nullptr) {
        return;
    }
    const int count = dCollide(a, b, kContacts, &contacts[0].geom, sizeof contacts[0]);
    for (int i = 0; i < count; i++) {
        contacts[i].surface = {};
        contacts[i].surface.mode = dContactApprox1;
        contacts[i].surface.mu = dReal(pile.friction);
        dJointAttach(dJointCreateContact(pile.world, pile.group, &contacts[i]), body_a, body_b);
    }
}

void step(void *made, double dt) {
    Pile &pile = *static_cast<Pile *>(made);
    dSpaceCollide(pile.space, &pile, collide);
    dWorldQuickStep(pile.world, dReal(dt));
    dJointGroupEmpty(pile.group);
}

ov_vec3 from(const dReal *v) { return {double(v[0]), double(v[1]), double(v[2])}; }

peer_motion get(const void *made, size_t index) {
    const Pile &pile = *static_cast<const Pile *>(made);
    const dBodyID body = pile.bodies[index];
    const ov_vec3 c = pile.centroids[index];
    const dReal *q = dBodyGetQuaternion(body);
    dVector3 origin;
    dBodyGetRelPointPos(body, dReal(-c.x), dReal(-c.y), dReal(-c.z), origin);
    return {{from(origin), {double(q[0]), double(q[1]), double(q[2]), double(q[3])}},
            from(dBodyGetLinearVel(body)),
            from(dBodyGetAngularVel(body))};
}

} // namespace

extern "C" const peer_pile *peer_ode_pile(void) {
    static const peer_pile pile = {"ODE, hulls", "ode", make, destroy, step, get};
    return &pile;
}
