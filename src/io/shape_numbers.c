/**
 * @file shape_numbers.c
 * @brief Shapes as plain numbers: one table for all files that hold shapes.
 *
 * A shape that is made from its own numbers must be the same to the bit, else a query could not be
 * run again. Constructors keep their numbers as they are, with two exceptions: the normal of a
 * half-space is normalised, and so is a quaternion; a unit one may come out different in its last
 * bit. Here such a one is kept.
 */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "io_internal.h"

#define NAMES(...) ((const char *const[]){__VA_ARGS__})
#define AXES "a1", "a2", "a3"

/**
 * What has been normalised is a unit to this error: a sum of four squares (two units in the last
 * place of a root), the root, the inverse and the product give five half units in the length, twice
 * that in the square, which is measured with an error of four more.
 */
#define UNIT_ERROR (8.0 * DBL_EPSILON)

static const ovi_form forms[] = {
    {OV_SHAPE_KIND_SPHERE, 1, NAMES("r"), 1, {{"radius", 0, 1, false}}},
    {OV_SHAPE_KIND_ELLIPSOID, 3, NAMES(AXES), 1, {{"semi_axes", 0, 3, false}}},
    {OV_SHAPE_KIND_SUPERELLIPSOID,
     5,
     NAMES(AXES, "e1", "e2"),
     2,
     {{"semi_axes", 0, 3, false}, {"exponents", 3, 2, false}}},
    {OV_SHAPE_KIND_SUPEROVOID,
     7,
     NAMES(AXES, "e1", "e2", "tx", "ty"),
     3,
     {{"semi_axes", 0, 3, false}, {"exponents", 3, 2, false}, {"taper", 5, 2, false}}},
    {OV_SHAPE_KIND_HALFSPACE,
     4,
     NAMES("nx", "ny", "nz", "offset"),
     2,
     {{"normal", 0, 3, false}, {"offset", 3, 1, false}}},
    {OV_SHAPE_KIND_BOX, 3, NAMES("hx", "hy", "hz"), 1, {{"half_extents", 0, 3, false}}},
    {OV_SHAPE_KIND_CAPSULE,
     2,
     NAMES("r", "half_length"),
     2,
     {{"radius", 0, 1, false}, {"half_length", 1, 1, false}}},
    {OV_SHAPE_KIND_CYLINDER,
     2,
     NAMES("r", "half_length"),
     2,
     {{"radius", 0, 1, false}, {"half_length", 1, 1, false}}},
    {OV_SHAPE_KIND_CONE,
     2,
     NAMES("r", "half_length"),
     2,
     {{"radius", 0, 1, false}, {"half_length", 1, 1, false}}},
    {OV_SHAPE_KIND_POLYHEDRON, 0, NULL, 0, {{NULL, 0, 0, false}}},
    {OV_SHAPE_KIND_TRIANGLE,
     9,
     NAMES("ax", "ay", "az", "bx", "by", "bz", "cx", "cy", "cz"),
     1,
     {{"vertices", 0, 9, true}}},
    {OV_SHAPE_KIND_SEGMENT,
     6,
     NAMES("ax", "ay", "az", "bx", "by", "bz"),
     1,
     {{"vertices", 0, 6, true}}},
    {OV_SHAPE_KIND_POINT, 3, NAMES("x", "y", "z"), 1, {{"vertices", 0, 3, true}}},
};
enum { FORM_COUNT = sizeof forms / sizeof forms[0] };

const ovi_form *ovi_form_of(ov_shape_kind kind) {
    for (size_t i = 0; i < FORM_COUNT; i++) {
        if (forms[i].kind == kind) {
            return &forms[i];
        }
    }
    return NULL;
}

const ovi_form *ovi_form_named(const char *name) {
    return ovi_form_of(ov_shape_kind_from_name(name));
}

size_t ovi_form_names(const char **names) {
    for (size_t i = 0; i < FORM_COUNT; i++) {
        names[i] = ov_shape_kind_name(forms[i].kind);
    }
    return FORM_COUNT;
}

/* ---- numbers to shape ------------------------------------------------------------------------ */

static ov_vec3 point_of(const double *v) { return ov_vec3_make(v[0], v[1], v[2]); }

static ov_status make_halfspace(const double *v, ov_shape *shape) {
    ov_vec3 normal = point_of(v);
    ov_status status = ov_shape_make_halfspace(normal, v[3], shape);
    if (status == OV_OK) {
        ov_vec3 change = ov_vec3_sub(normal, shape->u.halfspace.normal);
        if (ov_vec3_length(change) <= UNIT_ERROR) {
            shape->u.halfspace.normal = normal;
        }
    }
    return status;
}

ov_status ovi_form_make(ov_shape_kind kind, const double *v, double dent_tolerance,
                        ov_shape *shape) {
    ov_shape_options options = ov_default_shape_options();
    options.dent_tolerance = dent_tolerance;
    switch (kind) {
    case OV_SHAPE_KIND_SPHERE:
        return ov_shape_make_sphere(v[0], shape);
    case OV_SHAPE_KIND_ELLIPSOID:
        return ov_shape_make_ellipsoid(point_of(v), shape);
    case OV_SHAPE_KIND_SUPERELLIPSOID:
        return ov_shape_make_superellipsoid(point_of(v), v[3], v[4], shape);
    case OV_SHAPE_KIND_SUPEROVOID:
        return ov_shape_make_superovoid(point_of(v), v[3], v[4], v[5], v[6], &options, shape);
    case OV_SHAPE_KIND_HALFSPACE:
        return make_halfspace(v, shape);
    case OV_SHAPE_KIND_BOX:
        return ov_shape_make_box(point_of(v), shape);
    case OV_SHAPE_KIND_CAPSULE:
        return ov_shape_make_capsule(v[0], v[1], shape);
    case OV_SHAPE_KIND_CYLINDER:
        return ov_shape_make_cylinder(v[0], v[1], shape);
    case OV_SHAPE_KIND_CONE:
        return ov_shape_make_cone(v[0], v[1], shape);
    case OV_SHAPE_KIND_TRIANGLE:
        return ov_shape_make_triangle(point_of(v), point_of(v + 3), point_of(v + 6), shape);
    case OV_SHAPE_KIND_SEGMENT:
        return ov_shape_make_segment(point_of(v), point_of(v + 3), shape);
    case OV_SHAPE_KIND_POINT:
        return ov_shape_make_point(point_of(v), shape);
    default:
        return OV_ERROR_UNSUPPORTED;
    }
}

ov_status ovi_rotation(ov_quat q, ov_quat *unit) {
    ov_status status = ov_quat_normalize(q, unit);
    if (status == OV_OK) {
        double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
        if (fabs(square - 1.0) <= UNIT_ERROR) {
            *unit = q;
        }
    }
    return status;
}

/* ---- shape to numbers ------------------------------------------------------------------------ */

static void put_point(ov_vec3 p, double *v) {
    v[0] = p.x;
    v[1] = p.y;
    v[2] = p.z;
}

void ovi_form_numbers(const ov_shape *s, double *v) {
    const ovi_form *form = ovi_form_of(s->kind);
    double all[OVI_NUMBERS_MAX] = {s->a.x, s->a.y, s->a.z, s->e1, s->e2, s->tx, s->ty};
    int corners = form == NULL || form->group_count == 0 || !form->groups[0].points
                      ? 0
                      : form->groups[0].count / 3;
    if (form == NULL) {
        return;
    }
    for (int i = 0; i < corners; i++) {
        put_point(s->u.vertices[i], all + 3 * i);
    }
    if (s->kind == OV_SHAPE_KIND_HALFSPACE) {
        put_point(s->u.halfspace.normal, all);
        all[3] = s->u.halfspace.offset;
    } else if (s->kind == OV_SHAPE_KIND_CAPSULE || s->kind == OV_SHAPE_KIND_CYLINDER ||
               s->kind == OV_SHAPE_KIND_CONE) {
        all[1] = s->a.z;
    }
    memcpy(v, all, (size_t)form->count * sizeof *v);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

void ovi_arrays_free(ovi_arrays *arrays) {
    free(arrays->vertices);
    free(arrays->triangles);
    ov_support_table_destroy(arrays->table);
    *arrays = (ovi_arrays){NULL, NULL, NULL};
}

bool ovi_shape_copy(const ov_shape *shape, ov_shape *copy, ovi_arrays *arrays) {
    *copy = *shape;
    *arrays = (ovi_arrays){NULL, NULL, NULL};
    if (shape->kind != OV_SHAPE_KIND_POLYHEDRON) {
        return true;
    }
    size_t vertices = shape->u.polyhedron.vertex_count;
    size_t triangles = shape->u.polyhedron.triangle_count;
    arrays->vertices = malloc(vertices * sizeof *arrays->vertices);
    arrays->triangles = triangles > 0 ? malloc(triangles * sizeof *arrays->triangles) : NULL;
    if (arrays->vertices == NULL || (triangles > 0 && arrays->triangles == NULL)) {
        ovi_arrays_free(arrays);
        return false;
    }
    memcpy(arrays->vertices, shape->u.polyhedron.vertices, vertices * sizeof *arrays->vertices);
    copy->u.polyhedron.vertices = arrays->vertices;
    if (triangles > 0) {
        memcpy(arrays->triangles, shape->u.polyhedron.triangles,
               triangles * sizeof *arrays->triangles);
    }
    copy->u.polyhedron.triangles = (const uint32_t(*)[3])arrays->triangles;
    if (ov_support_table_create(copy, NULL, &arrays->table) != OV_OK) {
        ovi_arrays_free(arrays);
        return false;
    }
    return true;
}
