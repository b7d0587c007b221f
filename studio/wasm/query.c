/**
 * @file query.c
 * @brief Placed bodies for the query lab: made, meshed, and asked for contacts and derivatives.
 *
 * Bodies live in a table of the module and are named by their place in it. All numbers cross the
 * border in one array of doubles, studio_query_numbers(); statuses are returned. A body is made of
 * parts: studio_query_part and studio_query_surface add one to a draft, and studio_query_body makes
 * a body of it.
 *
 *     part    kind, a1 a2 a3, e1 e2, tx ty, pose in the body, 1 for a mesh without an inside
 *     pose    position x y z, rotation w x y z
 *     contact gap, lower, upper, point A, point B, normal, relation, status, iterations
 *     path    point A, point B, a row per step
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/ovoid.h>

#include "export.h"
#include "query/superquadric_newton.h"

enum { BODIES_MAX = 64, NUMBERS = 16384, CONTACT_ROW = 15, MESH_VERTICES = 60000 };
/** What a part refers to, if anything; of the body's own. */
typedef struct part_memory {
    void *vertices, *triangles;
    ov_support_table *table;
    ov_trimesh *mesh;
} part_memory;

/** Parts that belong together, with a geometry of them once there is a body. */
typedef struct lab_body {
    ov_geometry *geometry;
    const ov_shape *shape; /**< of a body that is one shape at its origin; null of others */
    ov_part *parts;
    part_memory *memory; /**< one per part */
    size_t count;
} lab_body;

static struct {
    lab_body bodies[BODIES_MAX], draft;
    ov_pose poses[BODIES_MAX];
    double numbers[NUMBERS];
} lab;

/** A mesh that was asked for; grown as needed and never given back. */
static struct {
    ov_vec3 *vertices, *normals;
    uint32_t (*triangles)[3];
    size_t vertex_room, triangle_room;
    ov_mesh_plan plan;
} mesh;

STUDIO_EXPORT(studio_query_numbers) double *studio_query_numbers(void) { return lab.numbers; }

STUDIO_EXPORT(studio_status_message) const char *studio_status_message(int status) {
    return ov_status_message((ov_status)status);
}

static ov_pose read_pose(const double *n) {
    ov_pose pose;
    pose.position = ov_vec3_make(n[0], n[1], n[2]);
    pose.rotation.w = n[3];
    pose.rotation.x = n[4];
    pose.rotation.y = n[5];
    pose.rotation.z = n[6];
    return pose;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static bool is_body(int index) {
    return index >= 0 && index < BODIES_MAX && lab.bodies[index].geometry != NULL;
}

static void free_memory(part_memory *m) {
    ov_support_table_destroy(m->table);
    ov_trimesh_destroy(m->mesh);
    free(m->vertices);
    free(m->triangles);
}

static void free_body(lab_body *body) {
    ov_geometry_destroy(body->geometry);
    for (size_t i = 0; i < body->count; i++) {
        free_memory(&body->memory[i]);
    }
    free(body->parts);
    free(body->memory);
    *body = (lab_body){0};
}

static ov_status make_shape(const double *n, ov_shape *shape) {
    // what a person drags on a slider may be hollow: the hull is what counts, and the dent is shown
    const ov_shape_options hollow = {.dent_tolerance = 1.0};
    ov_vec3 a = ov_vec3_make(n[1], n[2], n[3]);
    switch ((int)n[0]) {
    case OV_SHAPE_KIND_SPHERE:
        return ov_shape_make_sphere(n[1], shape);
    case OV_SHAPE_KIND_ELLIPSOID:
        return ov_shape_make_ellipsoid(a, shape);
    case OV_SHAPE_KIND_SUPERELLIPSOID:
        return ov_shape_make_superellipsoid(a, n[4], n[5], shape);
    case OV_SHAPE_KIND_SUPEROVOID:
        return ov_shape_make_superovoid(a, n[4], n[5], n[6], n[7], &hollow, shape);
    case OV_SHAPE_KIND_HALFSPACE:
        return ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), 0.0, shape);
    case OV_SHAPE_KIND_BOX:
        return ov_shape_make_box(a, shape);
    case OV_SHAPE_KIND_CAPSULE:
        return ov_shape_make_capsule(n[1], n[3], shape);
    case OV_SHAPE_KIND_CYLINDER:
        return ov_shape_make_cylinder(n[1], n[3], shape);
    case OV_SHAPE_KIND_CONE:
        return ov_shape_make_cone(n[1], n[3], shape);
    default:
        return OV_ERROR_UNSUPPORTED;
    }
}

/** Adds a part to the draft, which then has what it refers to. Where the status is negative the
 * draft is empty again, and nothing is left. */
static ov_status add_part(ov_status status, ov_part *part, part_memory memory) {
    lab_body *d = &lab.draft;
    ov_part *parts = realloc(d->parts, (d->count + 1) * sizeof *parts);
    part_memory *memories = realloc(d->memory, (d->count + 1) * sizeof *memories);
    d->parts = parts != NULL ? parts : d->parts;
    d->memory = memories != NULL ? memories : d->memory;
    if (parts == NULL || memories == NULL) {
        status = OV_ERROR_MEMORY;
    }
    if (status < 0) {
        free_memory(&memory);
        free_body(d);
        return status;
    }
    part->pose = read_pose(lab.numbers + 8);
    part->mesh = memory.mesh;
    d->parts[d->count] = *part;
    d->memory[d->count++] = memory;
    return status;
}

/** Adds a shape of the numbers to the draft. */
STUDIO_EXPORT(studio_query_part) int studio_query_part(void) {
    ov_part part = {0};
    bool known = lab.numbers[0] >= 0.0 && lab.numbers[0] < (double)OV_SHAPE_KIND_COUNT;
    return add_part(known ? make_shape(lab.numbers, &part.shape) : OV_ERROR_UNSUPPORTED, &part,
                    (part_memory){0});
}

/** Adds a polyhedron to the draft, or a mesh (kind 0). Corners and triangles are from malloc, and
 * the module's from now on, whatever the status. */
STUDIO_EXPORT(studio_query_surface)
int studio_query_surface(void *vertices, size_t vertex_count, void *triangles,
                         size_t triangle_count) {
    part_memory m = {vertices, triangles, NULL, NULL};
    ov_part part = {0};
    ov_status status;
    if (lab.numbers[0] == 0.0) {
        status = (lab.numbers[15] != 0.0 ? ov_trimesh_create_surface : ov_trimesh_create)(
            vertices, vertex_count, triangles, triangle_count, NULL, &m.mesh);
    } else {
        status = ov_shape_make_polyhedron(vertices, vertex_count, triangles, triangle_count,
                                          &part.shape);
        status = status < 0 ? status : ov_support_table_create(&part.shape, NULL, &m.table);
    }
    return add_part(status, &part, m);
}

/** Makes body `index` of the draft; as it was where that fails. Writes the deepest dent to the
 *  first number. */
STUDIO_EXPORT(studio_query_body) int studio_query_body(int index) {
    lab_body *d = &lab.draft;
    ov_status status = OV_ERROR_INDEX;
    if (index >= 0 && index < BODIES_MAX) {
        status = ov_geometry_create(d->parts, d->count, NULL, &d->geometry);
    }
    if (status < 0) {
        free_body(d);
        return status;
    }
    ov_vec3 p = d->parts[0].pose.position;
    ov_quat q = d->parts[0].pose.rotation;
    bool plain = p.x == 0.0 && p.y == 0.0 && p.z == 0.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0;
    d->shape = d->count == 1 && plain && d->parts[0].mesh == NULL ? &d->parts[0].shape : NULL;
    lab.numbers[0] = 0.0;
    for (size_t i = 0; i < d->count; i++) {
        lab.numbers[0] = fmax(lab.numbers[0], d->parts[i].shape.dent);
    }
    free_body(&lab.bodies[index]);
    lab.bodies[index] = *d;
    *d = (lab_body){0};
    lab.poses[index] = ov_pose_identity();
    return status;
}

STUDIO_EXPORT(studio_query_pose) int studio_query_pose(int index) {
    if (!is_body(index)) {
        return OV_ERROR_INDEX;
    }
    lab.poses[index] = read_pose(lab.numbers);
    return OV_OK;
}

static double *put(double *to, ov_vec3 v) {
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
    return to + 3;
}

static void put_contact(double *to, const ov_contact *c) {
    *to++ = c->gap;
    *to++ = c->gap_lower;
    *to++ = c->gap_upper;
    to = put(to, c->point_a);
    to = put(to, c->point_b);
    to = put(to, c->normal);
    *to++ = (double)c->relation;
    *to++ = (double)c->status;
    *to = (double)c->iterations;
}

static ov_status contact_of(int a, int b, ov_contact *contact) {
    // bounds as near to each other as can be: the lab shows them, and there is time
    const ov_pair_options options = {.tolerance = OV_TOLERANCE_MIN};
    ov_part_contact parts;
    ov_status status;
    if (!is_body(a) || !is_body(b)) {
        return OV_ERROR_INDEX;
    }
    const lab_body *p = &lab.bodies[a], *q = &lab.bodies[b];
    if (p->shape != NULL && q->shape != NULL) {
        return ov_pair_contact(p->shape, lab.poses[a], q->shape, lab.poses[b], &options, NULL,
                               contact);
    }
    status = ov_geometry_contact(p->geometry, lab.poses[a], q->geometry, lab.poses[b], INFINITY,
                                 &options, &parts);
    *contact = parts.contact;
    return status;
}

/** Writes a contact to the numbers. */
STUDIO_EXPORT(studio_query_contact) int studio_query_contact(int a, int b) {
    ov_contact contact;
    ov_status status = contact_of(a, b, &contact);
    if (status >= 0) {
        put_contact(lab.numbers, &contact);
    }
    return status;
}

/** All pairs of the first `count` bodies, in the order 01 02 12 03 ...; returns how many rows. */
STUDIO_EXPORT(studio_query_contacts) int studio_query_contacts(int count) {
    int rows = 0;
    for (int b = 1; b < count && b < BODIES_MAX; b++) {
        for (int a = 0; a < b; a++, rows++) {
            ov_contact contact;
            ov_status status;
            if ((rows + 1) * CONTACT_ROW > NUMBERS) {
                return rows;
            }
            status = contact_of(a, b, &contact);
            memset(lab.numbers + rows * CONTACT_ROW, 0, CONTACT_ROW * sizeof(double));
            if (status >= 0) {
                put_contact(lab.numbers + rows * CONTACT_ROW, &contact);
            }
            lab.numbers[rows * CONTACT_ROW + 13] = (double)status;
        }
    }
    return rows;
}

/** Gap by 2 x 6 degrees of freedom, then by 2 x 7 parameters, then whether the gap and the contact
 *  are smooth. */
STUDIO_EXPORT(studio_query_derivatives) int studio_query_derivatives(int a, int b) {
    ov_contact contact;
    ov_contact_derivatives d;
    double *to = lab.numbers;
    ov_status status = contact_of(a, b, &contact);
    if (status < 0) {
        return status;
    }
    const ov_shape *p = lab.bodies[a].shape, *q = lab.bodies[b].shape;
    status = p != NULL && q != NULL
                 ? ov_pair_derivatives(p, lab.poses[a], q, lab.poses[b], &contact, &d)
                 : OV_ERROR_UNSUPPORTED;
    if (status < 0) {
        return status;
    }
    memcpy(to, d.gap, sizeof d.gap);
    memcpy(to + 2 * OV_DOF_COUNT, d.gap_shape, sizeof d.gap_shape);
    to += 2 * (OV_DOF_COUNT + OV_PARAMETER_COUNT);
    to[0] = d.gap_smooth ? 1.0 : 0.0;
    to[1] = d.contact_smooth ? 1.0 : 0.0;
    return status;
}

/** Gaps of a pair while body b is moved along the line from its place by the vector in the first
 *  three numbers, in `count` equal steps; they are written from the first number on. */
STUDIO_EXPORT(studio_query_drag) int studio_query_drag(int a, int b, int count) {
    ov_vec3 way = ov_vec3_make(lab.numbers[0], lab.numbers[1], lab.numbers[2]);
    ov_pose home;
    if (!is_body(a) || !is_body(b) || count < 2 || count > NUMBERS) {
        return OV_ERROR_INDEX;
    }
    home = lab.poses[b];
    for (int i = 0; i < count; i++) {
        ov_contact contact;
        lab.poses[b].position = ov_vec3_add_scaled(home.position, way, i / (double)(count - 1));
        lab.numbers[i] = contact_of(a, b, &contact) >= 0 ? contact.gap : NAN;
    }
    lab.poses[b] = home;
    return OV_OK;
}

static int mesh_room(void) {
    if (mesh.plan.vertex_count > mesh.vertex_room) {
        void *v = realloc(mesh.vertices, mesh.plan.vertex_count * sizeof *mesh.vertices);
        void *n;
        mesh.vertices = v != NULL ? v : mesh.vertices;
        n = realloc(mesh.normals, mesh.plan.vertex_count * sizeof *mesh.normals);
        mesh.normals = n != NULL ? n : mesh.normals;
        if (v == NULL || n == NULL) {
            return 0;
        }
        mesh.vertex_room = mesh.plan.vertex_count;
    }
    if (mesh.plan.triangle_count > mesh.triangle_room) {
        void *t = realloc(mesh.triangles, mesh.plan.triangle_count * sizeof *mesh.triangles);
        if (t == NULL) {
            return 0;
        }
        mesh.triangles = t;
        mesh.triangle_room = mesh.plan.triangle_count;
    }
    return 1;
}

/** A part that is a shape; null where there is none. */
static const ov_shape *shape_of(int index, int part) {
    bool there = is_body(index) && part >= 0 && (size_t)part < lab.bodies[index].count;
    return there ? &lab.bodies[index].parts[part].shape : NULL;
}

/** Meshes a part of a body; the first numbers are the counts of vertices and triangles, then the
 *  addresses of vertices, normals and triangles. */
STUDIO_EXPORT(studio_query_mesh) int studio_query_mesh(int index, int part, int vertices) {
    ov_mesh_options options = ov_default_mesh_options();
    const ov_shape *shape = shape_of(index, part);
    ov_status status;
    if (shape == NULL || vertices < 8 || vertices > MESH_VERTICES) {
        return OV_ERROR_INDEX;
    }
    options.vertices = (size_t)vertices;
    status = ov_shape_mesh_plan(shape, &options, &mesh.plan);
    if (status < 0) {
        return status;
    }
    if (!mesh_room()) {
        return OV_ERROR_MEMORY;
    }
    status = ov_shape_mesh_fill(shape, &mesh.plan, mesh.vertices, mesh.normals, mesh.triangles);
    lab.numbers[0] = (double)mesh.plan.vertex_count;
    lab.numbers[1] = (double)mesh.plan.triangle_count;
    lab.numbers[2] = (double)(uintptr_t)mesh.vertices;
    lab.numbers[3] = (double)(uintptr_t)mesh.normals;
    lab.numbers[4] = (double)(uintptr_t)mesh.triangles;
    return status;
}

/** Where the surface is off its convex hull: in place of the normals of the part that was meshed
 *  last, the way from each vertex to the nearest point of the hull, none where there is no dent. */
STUDIO_EXPORT(studio_query_dent) int studio_query_dent(int index, int part) {
    const ov_shape *shape = shape_of(index, part);
    if (shape == NULL) {
        return OV_ERROR_INDEX;
    }
    for (size_t i = 0; i < mesh.plan.vertex_count; i++) {
        ov_contact c;
        ov_status status = ov_point_contact(shape, ov_pose_identity(), mesh.vertices[i], NULL, &c);
        if (status < 0) {
            return status;
        }
        mesh.normals[i] = ov_vec3_scale(c.normal, fmax(0.0, -c.gap));
    }
    return OV_OK;
}

/** Is this a pair that Newton's method on the surfaces is for? */
static bool is_smooth_pair(const ov_shape *a, const ov_shape *b) {
    return a != NULL && b != NULL && a->kind <= OV_SHAPE_KIND_SUPEROVOID &&
           b->kind <= OV_SHAPE_KIND_SUPEROVOID && ovi_newton_applies(a, b);
}

/**
 * The path of the query's own iteration: where it begins, and where it is after each step, up to
 * its end. It has no memory but its place, so it is run again for each row with one step more; the
 * points of a place are those of a run that ends at once, as its limit says that all is decided.
 * Returns the number of rows; 0 where the pair is not solved in this way.
 */
STUDIO_EXPORT(studio_query_path) int studio_query_path(int a, int b) {
    ovi_pair pair, seen;
    ovi_frame frame;
    ovi_newton newton, look;
    int rows = 0;
    if (!is_body(a) || !is_body(b)) {
        return 0;
    }
    const ov_shape *p = lab.bodies[a].shape, *q = lab.bodies[b].shape;
    if (!is_smooth_pair(p, q) ||
        ovi_pair_place(p, lab.poses[a], q, lab.poses[b], NULL, &pair, &frame) < 0) {
        return 0;
    }
    pair.limit = INFINITY;
    seen = pair;
    pair.limit = NAN;
    newton = ovi_newton_make(&pair);
    look = newton;
    look.pair = &seen;
    ovi_triple_2 start = ovi_newton_start(&newton, NULL);
    for (ovi_triple_2 place = start; rows <= OVI_NEWTON_STEPS; rows++) {
        ovi_newton_end here = ovi_newton_run(&look, &place);
        double *to = lab.numbers + (size_t)rows * 6;
        to = put(to, ov_vec3_add(ov_mat3_mul_vec3(&frame.turn, here.point_a), frame.position));
        (void)put(to, ov_vec3_add(ov_mat3_mul_vec3(&frame.turn, here.point_b), frame.position));
        newton.steps = rows + 1;
        ovi_newton_end next = ovi_newton_run(&newton, &start);
        if (next.iterations <= rows || next.verdict != OVI_NEWTON_FAILED) {
            return rows + 1;
        }
        place = next.place;
    }
    return rows;
}
