/**
 * @file shape_form.c
 * @brief Shapes in files: the keys that their numbers (shape/shape_numbers.h) stand under in a
 * scene, and how a shape comes back from its numbers to the bit.
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

/**
 * What has been normalised is a unit to this error: a sum of four squares (two units in the last
 * place of a root), the root, the inverse and the product give five half units in the length, twice
 * that in the square, which is measured with an error of four more.
 */
#define UNIT_ERROR (8.0 * DBL_EPSILON)

static const ovi_form forms[] = {
    {OV_SHAPE_KIND_SPHERE, 1, {{"radius", 0, 1, false}}},
    {OV_SHAPE_KIND_ELLIPSOID, 1, {{"semi_axes", 0, 3, false}}},
    {OV_SHAPE_KIND_SUPERELLIPSOID, 2, {{"semi_axes", 0, 3, false}, {"exponents", 3, 2, false}}},
    {OV_SHAPE_KIND_SUPEROVOID,
     3,
     {{"semi_axes", 0, 3, false}, {"exponents", 3, 2, false}, {"taper", 5, 2, false}}},
    {OV_SHAPE_KIND_HALFSPACE, 2, {{"normal", 0, 3, false}, {"offset", 3, 1, false}}},
    {OV_SHAPE_KIND_BOX, 1, {{"half_extents", 0, 3, false}}},
    {OV_SHAPE_KIND_CAPSULE, 2, {{"radius", 0, 1, false}, {"half_length", 1, 1, false}}},
    {OV_SHAPE_KIND_CYLINDER, 2, {{"radius", 0, 1, false}, {"half_length", 1, 1, false}}},
    {OV_SHAPE_KIND_CONE, 2, {{"radius", 0, 1, false}, {"half_length", 1, 1, false}}},
    {OV_SHAPE_KIND_POLYHEDRON, 0, {{NULL, 0, 0, false}}},
    {OV_SHAPE_KIND_TRIANGLE, 1, {{"vertices", 0, 9, true}}},
    {OV_SHAPE_KIND_SEGMENT, 1, {{"vertices", 0, 6, true}}},
    {OV_SHAPE_KIND_POINT, 1, {{"vertices", 0, 3, true}}},
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

ov_status ovi_form_make(ov_shape_kind kind, const double *numbers, double dent_tolerance,
                        ov_shape *shape) {
    ov_shape_options options = ov_default_shape_options();
    options.dent_tolerance = dent_tolerance;
    ov_status status = ovi_shape_from_numbers(kind, numbers, &options, shape);
    if (status == OV_OK && kind == OV_SHAPE_KIND_HALFSPACE) {
        ov_vec3 normal = ovi_numbers_point(numbers);
        ov_vec3 change = ov_vec3_sub(normal, shape->u.halfspace.normal);
        if (ov_vec3_length(change) <= UNIT_ERROR) {
            shape->u.halfspace.normal = normal;
        }
    }
    return status;
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
