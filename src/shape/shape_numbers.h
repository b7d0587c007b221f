/**
 * @file shape_numbers.h
 * @brief The numbers that a shape is made from: their names, the shape from its numbers, and the
 * numbers of a shape.
 *
 * The home of what scenes and replays (src/io/) and the words of the command (cli/) have in common:
 * numbers are in the order of the constructor's arguments, exponents in Ovoid's own convention. All
 * of it is inline, so that the libraries beside the core need none of its internal symbols.
 */
#ifndef OVI_SHAPE_NUMBERS_H
#define OVI_SHAPE_NUMBERS_H

#include <stddef.h>

#include <ovoid/shape.h>

enum { OVI_NUMBERS_MAX = 9 };

/** Names of a kind's numbers; `*count` is 0 for a polyhedron and for a custom shape, which no
 *  fixed list of numbers describes. */
static inline const char *const *ovi_number_names(ov_shape_kind kind, size_t *count) {
    static const struct numbers {
        ov_shape_kind kind;
        const char *names[OVI_NUMBERS_MAX + 1];
    } all[] = {
        {OV_SHAPE_KIND_SPHERE, {"r"}},
        {OV_SHAPE_KIND_ELLIPSOID, {"a1", "a2", "a3"}},
        {OV_SHAPE_KIND_SUPERELLIPSOID, {"a1", "a2", "a3", "e1", "e2"}},
        {OV_SHAPE_KIND_SUPEROVOID, {"a1", "a2", "a3", "e1", "e2", "tx", "ty"}},
        {OV_SHAPE_KIND_HALFSPACE, {"nx", "ny", "nz", "offset"}},
        {OV_SHAPE_KIND_BOX, {"hx", "hy", "hz"}},
        {OV_SHAPE_KIND_CAPSULE, {"r", "half_length"}},
        {OV_SHAPE_KIND_CYLINDER, {"r", "half_length"}},
        {OV_SHAPE_KIND_CONE, {"r", "half_length"}},
        {OV_SHAPE_KIND_TRIANGLE, {"ax", "ay", "az", "bx", "by", "bz", "cx", "cy", "cz"}},
        {OV_SHAPE_KIND_SEGMENT, {"ax", "ay", "az", "bx", "by", "bz"}},
        {OV_SHAPE_KIND_POINT, {"x", "y", "z"}},
        {OV_SHAPE_KIND_SUPERHYPERBOLOID_1, {"a1", "a2", "a3", "e1", "e2", "height"}},
        {OV_SHAPE_KIND_SUPERHYPERBOLOID_2, {"a1", "a2", "a3", "e1", "e2", "height"}},
        {OV_SHAPE_KIND_SUPERTOROID, {"a1", "a2", "a3", "e1", "e2", "hole"}},
        {OV_SHAPE_KIND_BENT, {"a1", "a2", "a3", "e1", "e2", "tx", "ty", "curvature", "angle_rad"}},
    };
    static const char *const none[] = {NULL};
    const char *const *names = none;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        names = all[i].kind == kind ? all[i].names : names;
    }
    *count = 0;
    while (names[*count] != NULL) {
        (*count)++;
    }
    return names;
}

static inline ov_vec3 ovi_numbers_point(const double *v) { return ov_vec3_make(v[0], v[1], v[2]); }

/** Makes a shape of a kind that has names above; OV_ERROR_UNSUPPORTED for others. Of the options
 *  only a superovoid takes note. */
static inline ov_status ovi_shape_from_numbers(ov_shape_kind kind, const double *v,
                                               const ov_shape_options *options, ov_shape *shape) {
    switch (kind) {
    case OV_SHAPE_KIND_SPHERE:
        return ov_shape_make_sphere(v[0], shape);
    case OV_SHAPE_KIND_ELLIPSOID:
        return ov_shape_make_ellipsoid(ovi_numbers_point(v), shape);
    case OV_SHAPE_KIND_SUPERELLIPSOID:
        return ov_shape_make_superellipsoid(ovi_numbers_point(v), v[3], v[4], shape);
    case OV_SHAPE_KIND_SUPEROVOID:
        return ov_shape_make_superovoid(ovi_numbers_point(v), v[3], v[4], v[5], v[6], options,
                                        shape);
    case OV_SHAPE_KIND_HALFSPACE:
        return ov_shape_make_halfspace(ovi_numbers_point(v), v[3], shape);
    case OV_SHAPE_KIND_BOX:
        return ov_shape_make_box(ovi_numbers_point(v), shape);
    case OV_SHAPE_KIND_CAPSULE:
        return ov_shape_make_capsule(v[0], v[1], shape);
    case OV_SHAPE_KIND_CYLINDER:
        return ov_shape_make_cylinder(v[0], v[1], shape);
    case OV_SHAPE_KIND_CONE:
        return ov_shape_make_cone(v[0], v[1], shape);
    case OV_SHAPE_KIND_TRIANGLE:
        return ov_shape_make_triangle(ovi_numbers_point(v), ovi_numbers_point(v + 3),
                                      ovi_numbers_point(v + 6), shape);
    case OV_SHAPE_KIND_SEGMENT:
        return ov_shape_make_segment(ovi_numbers_point(v), ovi_numbers_point(v + 3), shape);
    case OV_SHAPE_KIND_POINT:
        return ov_shape_make_point(ovi_numbers_point(v), shape);
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_1:
        return ov_shape_make_superhyperboloid_1(ovi_numbers_point(v), v[3], v[4], v[5], shape);
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_2:
        return ov_shape_make_superhyperboloid_2(ovi_numbers_point(v), v[3], v[4], v[5], shape);
    case OV_SHAPE_KIND_SUPERTOROID:
        return ov_shape_make_supertoroid(ovi_numbers_point(v), v[3], v[4], v[5], shape);
    case OV_SHAPE_KIND_BENT:
        return ov_shape_make_bent(ovi_numbers_point(v), v[3], v[4], v[5], v[6], v[7], v[8], shape);
    default:
        return OV_ERROR_UNSUPPORTED;
    }
}

static inline void ovi_numbers_put(const ov_vec3 *points, int count, double *v) {
    for (int i = 0; i < count; i++) {
        v[3 * i] = points[i].x;
        v[3 * i + 1] = points[i].y;
        v[3 * i + 2] = points[i].z;
    }
}

/** The numbers that make a shape again; what is behind the last of them means nothing. */
static inline void ovi_shape_numbers(const ov_shape *s, double v[OVI_NUMBERS_MAX]) {
    ovi_numbers_put(&s->a, 1, v);
    v[3] = s->e1;
    v[4] = s->e2;
    v[5] = s->tx;
    v[6] = s->ty;
    v[7] = v[8] = 0.0;
    switch (s->kind) {
    case OV_SHAPE_KIND_CAPSULE:
    case OV_SHAPE_KIND_CYLINDER:
    case OV_SHAPE_KIND_CONE:
        v[1] = s->a.z;
        break;
    case OV_SHAPE_KIND_HALFSPACE:
        ovi_numbers_put(&s->u.halfspace.normal, 1, v);
        v[3] = s->u.halfspace.offset;
        break;
    case OV_SHAPE_KIND_TRIANGLE:
        ovi_numbers_put(s->u.vertices, 3, v);
        break;
    case OV_SHAPE_KIND_SEGMENT:
        ovi_numbers_put(s->u.vertices, 2, v);
        break;
    case OV_SHAPE_KIND_POINT:
        ovi_numbers_put(s->u.vertices, 1, v);
        break;
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_1:
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_2:
        v[5] = s->u.hyperboloid.height;
        break;
    case OV_SHAPE_KIND_SUPERTOROID:
        v[5] = s->u.toroid.hole;
        break;
    case OV_SHAPE_KIND_BENT:
        v[7] = s->u.bent.curvature;
        v[8] = s->u.bent.angle_rad;
        break;
    default:
        break;
    }
}

#endif
