/**
 * @file query.c
 * @brief Placed shapes for the query lab: made, meshed, and asked for contacts and derivatives.
 *
 * Shapes live in a table of the module and are named by their place in it. All numbers cross the
 * border in one array of doubles, studio_query_numbers(); statuses are returned.
 *
 *     shape   kind, a1 a2 a3, e1 e2, tx ty, normal x y z, offset
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

static struct {
    ov_shape shapes[BODIES_MAX];
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

static int is_body(int index) {
    return index >= 0 && index < BODIES_MAX && lab.shapes[index].kind != OV_SHAPE_KIND_NONE;
}

static ov_status make_shape(const double *n, ov_shape *shape) {
    ov_vec3 a = ov_vec3_make(n[1], n[2], n[3]);
    switch ((int)n[0]) {
    case OV_SHAPE_KIND_SPHERE:
        return ov_shape_make_sphere(n[1], shape);
    case OV_SHAPE_KIND_ELLIPSOID:
        return ov_shape_make_ellipsoid(a, shape);
    case OV_SHAPE_KIND_SUPERELLIPSOID:
        return ov_shape_make_superellipsoid(a, n[4], n[5], shape);
    case OV_SHAPE_KIND_SUPEROVOID:
        return ov_shape_make_superovoid(a, n[4], n[5], n[6], n[7], NULL, shape);
    case OV_SHAPE_KIND_HALFSPACE:
        return ov_shape_make_halfspace(ov_vec3_make(n[8], n[9], n[10]), n[11], shape);
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

/** Makes body `index` of the twelve numbers of a shape; as it was where that fails. Writes the dent
 *  to the first number. */
STUDIO_EXPORT(studio_query_shape) int studio_query_shape(int index) {
    ov_shape shape;
    ov_status status;
    if (index < 0 || index >= BODIES_MAX || !(lab.numbers[0] >= 0.0 && lab.numbers[0] < 100.0)) {
        return OV_ERROR_INDEX;
    }
    memset(&shape, 0, sizeof shape);
    status = make_shape(lab.numbers, &shape);
    if (status >= 0) {
        lab.shapes[index] = shape;
        lab.poses[index] = ov_pose_identity();
        lab.numbers[0] = shape.dent;
    }
    return status;
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
    if (!is_body(a) || !is_body(b)) {
        return OV_ERROR_INDEX;
    }
    return ov_pair_contact(&lab.shapes[a], lab.poses[a], &lab.shapes[b], lab.poses[b], NULL, NULL,
                           contact);
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
    status = ov_pair_derivatives(&lab.shapes[a], lab.poses[a], &lab.shapes[b], lab.poses[b],
                                 &contact, &d);
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

/** Meshes a body; the first numbers are the counts of vertices and triangles, then the addresses of
 *  vertices, normals and triangles. */
STUDIO_EXPORT(studio_query_mesh) int studio_query_mesh(int index, int vertices) {
    ov_mesh_options options = ov_default_mesh_options();
    ov_status status;
    if (!is_body(index) || vertices < 8 || vertices > MESH_VERTICES) {
        return OV_ERROR_INDEX;
    }
    options.vertices = (size_t)vertices;
    status = ov_shape_mesh_plan(&lab.shapes[index], &options, &mesh.plan);
    if (status < 0) {
        return status;
    }
    if (!mesh_room()) {
        return OV_ERROR_MEMORY;
    }
    status = ov_shape_mesh_fill(&lab.shapes[index], &mesh.plan, mesh.vertices, mesh.normals,
                                mesh.triangles);
    lab.numbers[0] = (double)mesh.plan.vertex_count;
    lab.numbers[1] = (double)mesh.plan.triangle_count;
    lab.numbers[2] = (double)(uintptr_t)mesh.vertices;
    lab.numbers[3] = (double)(uintptr_t)mesh.normals;
    lab.numbers[4] = (double)(uintptr_t)mesh.triangles;
    return status;
}

/** Is this a pair that Newton's method on the surfaces is for? */
static int is_smooth_pair(const ov_shape *a, const ov_shape *b) {
    return a->kind <= OV_SHAPE_KIND_SUPEROVOID && b->kind <= OV_SHAPE_KIND_SUPEROVOID &&
           ovi_newton_applies(a, b);
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
    if (!is_body(a) || !is_body(b) || !is_smooth_pair(&lab.shapes[a], &lab.shapes[b]) ||
        ovi_pair_place(&lab.shapes[a], lab.poses[a], &lab.shapes[b], lab.poses[b], NULL, &pair,
                       &frame) < 0) {
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
