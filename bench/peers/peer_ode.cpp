/**
 * @file peer_ode.cpp
 * @brief ODE: dCollide on its own shapes. It has no distance; the depth is that of the deepest of
 * up to eight contact points.
 *
 * Debian's build has double precision, and no libccd inside: kinds that ODE leaves to libccd get no
 * answer. dCollide says the same, no contact, of those and of separated bodies, so the pairs that
 * it has a function for are listed here.
 */
#include "peers.h"

#include <limits>
#include <map>
#include <memory>
#include <vector>

#include <ode/ode.h>

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr int kContacts = 8;

/* ---- bodies */

/** Faces, points and polygons of a hull, which ODE refers to. */
struct Hull {
    std::vector<dReal> planes, points;
    std::vector<unsigned> polygons;
};

struct Placed {
    dGeomID geom;
    std::shared_ptr<Hull> hull;
};

std::shared_ptr<Hull> hull_of_mesh(const peer_mesh &mesh) {
    auto hull = std::make_shared<Hull>();
    for (size_t i = 0; i < mesh.vertex_count; i++) {
        const ov_vec3 v = mesh.vertices[i];
        hull->points.insert(hull->points.end(), {dReal(v.x), dReal(v.y), dReal(v.z)});
    }
    for (size_t i = 0; i < mesh.triangle_count; i++) {
        const uint32_t *t = mesh.triangles[i];
        const ov_vec3 p = mesh.vertices[t[0]];
        const ov_vec3 across =
            ov_vec3_cross(ov_vec3_sub(mesh.vertices[t[1]], p), ov_vec3_sub(mesh.vertices[t[2]], p));
        const ov_vec3 n = ov_vec3_scale(across, 1.0 / ov_vec3_length(across));
        hull->planes.insert(hull->planes.end(),
                            {dReal(n.x), dReal(n.y), dReal(n.z), dReal(ov_vec3_dot(n, p))});
        hull->polygons.insert(hull->polygons.end(), {3u, t[0], t[1], t[2]});
    }
    return hull;
}

/** One hull for all bodies of one polyhedron, as long as one of them is there. */
std::shared_ptr<Hull> shared_hull(const peer_body *body) {
    static std::map<const void *, std::weak_ptr<Hull>> made;
    std::weak_ptr<Hull> &known = made[body->mesh.vertices];
    std::shared_ptr<Hull> hull = known.lock();
    if (hull == nullptr) {
        hull = hull_of_mesh(body->mesh);
        known = hull;
    }
    return hull;
}

dGeomID geom_of(const ov_shape *shape, const std::shared_ptr<Hull> &hull) {
    const ov_vec3 a = shape->a;
    switch (shape->kind) {
    case OV_SHAPE_KIND_SPHERE:
        return dCreateSphere(nullptr, dReal(a.x));
    case OV_SHAPE_KIND_BOX:
        return dCreateBox(nullptr, dReal(2.0 * a.x), dReal(2.0 * a.y), dReal(2.0 * a.z));
    case OV_SHAPE_KIND_CAPSULE:
        return dCreateCapsule(nullptr, dReal(a.x), dReal(2.0 * a.z));
    case OV_SHAPE_KIND_CYLINDER:
        return dCreateCylinder(nullptr, dReal(a.x), dReal(2.0 * a.z));
    case OV_SHAPE_KIND_POLYHEDRON:
        return hull == nullptr
                   ? nullptr
                   : dCreateConvex(nullptr, hull->planes.data(), unsigned(hull->planes.size() / 4),
                                   hull->points.data(), unsigned(hull->points.size() / 3),
                                   hull->polygons.data());
    default:
        return nullptr;
    }
}

void place(dGeomID geom, const peer_body *body) {
    const ov_mat3 &r = body->rotation;
    // rows of four
    const dMatrix3 rotation = {dReal(r.cx.x), dReal(r.cy.x), dReal(r.cz.x), 0,
                               dReal(r.cx.y), dReal(r.cy.y), dReal(r.cz.y), 0,
                               dReal(r.cx.z), dReal(r.cy.z), dReal(r.cz.z), 0};
    dGeomSetPosition(geom, dReal(body->position.x), dReal(body->position.y),
                     dReal(body->position.z));
    dGeomSetRotation(geom, rotation);
    // what ODE would compute in the first query
    dReal box[6];
    dGeomGetAABB(geom, box);
}

void *make(const peer_body *body) {
    static const int ready = dInitODE2(0) && dAllocateODEDataForThread(dAllocateMaskAll);
    std::shared_ptr<Hull> hull;
    if (body->shape->kind == OV_SHAPE_KIND_POLYHEDRON && body->mesh.triangle_count > 0) {
        hull = shared_hull(body);
    }
    const dGeomID geom = ready ? geom_of(body->shape, hull) : nullptr;
    if (geom == nullptr) {
        return nullptr;
    }
    place(geom, body);
    return new Placed{geom, hull};
}

void destroy(void *object) {
    Placed *placed = static_cast<Placed *>(object);
    dGeomDestroy(placed->geom);
    delete placed;
}

void move(void *object, const peer_body *body) { place(static_cast<Placed *>(object)->geom, body); }

/* ---- queries */

bool has_function(int a, int b) {
    const bool sphere = a == dSphereClass || b == dSphereClass;
    const bool box = a == dBoxClass || b == dBoxClass;
    const bool convex = a == dConvexClass || b == dConvexClass;
    return sphere || (box && !convex) || (a == dCapsuleClass && b == dCapsuleClass) ||
           (a == dConvexClass && b == dConvexClass);
}

peer_answer answer(const void *a, const void *b, int most) {
    const dGeomID first = static_cast<const Placed *>(a)->geom;
    const dGeomID second = static_cast<const Placed *>(b)->geom;
    if (!has_function(dGeomGetClass(first), dGeomGetClass(second))) {
        return {PEER_FAILED, kNone};
    }
    dContactGeom contacts[kContacts];
    const int count = dCollide(first, second, most, contacts, sizeof contacts[0]);
    if (count == 0) {
        return {PEER_SEPARATED, kNone};
    }
    double depth = 0.0;
    for (int i = 0; i < count; i++) {
        depth = contacts[i].depth > depth ? double(contacts[i].depth) : depth;
    }
    return {PEER_OVERLAPPING, -depth};
}

peer_answer contacts(const void *a, const void *b, double) { return answer(a, b, kContacts); }

peer_answer yes_or_no(const void *a, const void *b, double) {
    return {answer(a, b, 1 | CONTACTS_UNIMPORTANT).verdict, kNone};
}

const peer_method methods[] = {
    {"ODE shapes, contacts",
     "ode_contacts",
     PEER_NATIVE,
     false,
     true,
     false,
     {0.0},
     make,
     destroy,
     contacts,
     move},
    {"ODE shapes, yes or no",
     "ode_yes_no",
     PEER_NATIVE,
     false,
     false,
     false,
     {0.0},
     make,
     destroy,
     yes_or_no,
     move},
};

} // namespace

extern "C" const peer_method *peer_ode_methods(size_t *count) {
    *count = sizeof methods / sizeof methods[0];
    return methods;
}
