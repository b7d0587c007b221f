/**
 * @file kinds_pairs.c
 * @brief The kinds of pairs: random shapes, their places, and proven bounds of their gaps.
 *
 * Half extents, radii and semi-axes are in [0.3, 1.5] (capsules: radius in [0.2, 0.8]); superovoids
 * are those of the battery. Polyhedra have all their vertices on a random ellipsoid; there are
 * SHAPES of them, as in a scene, since a thousand pairs of a thousand vertices would measure the
 * memory. A is at the origin, B along a random direction u (the normal, of a half-space), and both
 * are turned at random. With t the distance of the centres at which they touch:
 *
 *  - separated: centres as far apart as both reach along u, and up to 0.5 more;
 *  - overlapping: 0.2 t to t;
 *  - near: separated by up to 1e-3.
 *
 * Superovoids as the paper has them are 2.21 apart along y, and sorted by what they are.
 */
#include "kinds.h"

#include <math.h>
#include <stdlib.h>

#include "battery.h"

enum { SHAPES = 32 };

const char *const kinds_part_names[KINDS_PARTS] = {"separated", "overlapping", "near"};

/* ---- shapes */

static double draw_size(bench_random *r) { return bench_uniform(r, 0.3, 1.5); }

static ov_status make_sphere(bench_random *r, ov_shape *shape, ov_hull **hull) {
    (void)hull;
    return ov_shape_make_sphere(draw_size(r), shape);
}

static ov_status make_ellipsoid(bench_random *r, ov_shape *shape, ov_hull **hull) {
    (void)hull;
    return ov_shape_make_ellipsoid(battery_draw_axes(r), shape);
}

static ov_status make_superellipsoid(bench_random *r, ov_shape *shape, ov_hull **hull) {
    (void)hull;
    double e1 = bench_uniform(r, 0.3, 1.1), e2 = bench_uniform(r, 0.3, 1.1);
    return ov_shape_make_superellipsoid(battery_draw_axes(r), e1, e2, shape);
}

static ov_status make_superovoid(bench_random *r, ov_shape *shape, ov_hull **hull) {
    (void)hull;
    *shape = (ov_shape){.kind = OV_SHAPE_KIND_NONE};
    battery_draw_superovoid(r, shape);
    return shape->kind == OV_SHAPE_KIND_NONE ? OV_ERROR_DENT : OV_OK;
}

static ov_status make_halfspace(bench_random *r, ov_shape *shape, ov_hull **hull) {
    (void)hull;
    return ov_shape_make_halfspace(bench_direction(r), 0.0, shape);
}

static ov_status make_box(bench_random *r, ov_shape *shape, ov_hull **hull) {
    (void)hull;
    return ov_shape_make_box(battery_draw_axes(r), shape);
}

static ov_status make_capsule(bench_random *r, ov_shape *shape, ov_hull **hull) {
    (void)hull;
    double radius = bench_uniform(r, 0.2, 0.8);
    return ov_shape_make_capsule(radius, draw_size(r), shape);
}

static ov_status make_cylinder(bench_random *r, ov_shape *shape, ov_hull **hull) {
    (void)hull;
    double radius = draw_size(r);
    return ov_shape_make_cylinder(radius, draw_size(r), shape);
}

static ov_status make_cone(bench_random *r, ov_shape *shape, ov_hull **hull) {
    (void)hull;
    double radius = draw_size(r);
    return ov_shape_make_cone(radius, draw_size(r), shape);
}

static ov_status make_triangle(bench_random *r, ov_shape *shape, ov_hull **hull) {
    (void)hull;
    // about the origin
    ov_vec3 a = ov_vec3_scale(bench_direction(r), draw_size(r));
    ov_vec3 b = ov_vec3_scale(bench_direction(r), draw_size(r));
    ov_vec3 c = ov_vec3_scale(ov_vec3_add(a, b), -bench_uniform(r, 0.6, 1.4));
    return ov_shape_make_triangle(a, b, c, shape);
}

enum { VERTICES_MAX = 1000 };

static ov_status make_polyhedron(bench_random *r, size_t vertices, ov_shape *shape,
                                 ov_hull **hull) {
    ov_vec3 points[VERTICES_MAX], axes = battery_draw_axes(r);
    for (size_t i = 0; i < vertices; i++) {
        points[i] = ov_vec3_mul(axes, bench_direction(r));
    }
    ov_status status = ov_hull_create(points, vertices, hull);
    return status >= 0 ? ov_hull_shape(*hull, shape) : status;
}

static ov_status make_polyhedron_100(bench_random *r, ov_shape *shape, ov_hull **hull) {
    return make_polyhedron(r, 100, shape, hull);
}

static ov_status make_polyhedron_1000(bench_random *r, ov_shape *shape, ov_hull **hull) {
    return make_polyhedron(r, VERTICES_MAX, shape, hull);
}

/* ---- the kinds */

#define PAIR(text, make_a, make_b) .name = text, .a = make_a, .b = make_b

const kinds_kind kinds_list[] = {
    {PAIR("spheres", make_sphere, make_sphere)},
    {PAIR("ellipsoids", make_ellipsoid, make_ellipsoid), .cast = true},
    {PAIR("superellipsoids", make_superellipsoid, make_superellipsoid)},
    {PAIR("superovoids", make_superovoid, make_superovoid), .paper = true, .cast = true},
    {PAIR("deep superovoids", make_superovoid, make_superovoid)},
    {PAIR("capsules", make_capsule, make_capsule)},
    {PAIR("boxes", make_box, make_box), .cast = true},
    {PAIR("cones", make_cone, make_cone)},
    {PAIR("cylinders", make_cylinder, make_cylinder)},
    {PAIR("polyhedra of 100", make_polyhedron_100, make_polyhedron_100), .shapes = SHAPES},
    {PAIR("polyhedra of 1000", make_polyhedron_1000, make_polyhedron_1000), .shapes = SHAPES},
    {PAIR("ellipsoid and box", make_ellipsoid, make_box), .cast = true},
    {PAIR("ellipsoid and capsule", make_ellipsoid, make_capsule)},
    {PAIR("ellipsoid and cylinder", make_ellipsoid, make_cylinder)},
    {PAIR("superovoid and half-space", make_halfspace, make_superovoid)},
    {PAIR("superovoid and box", make_superovoid, make_box)},
    {PAIR("superovoid and capsule", make_superovoid, make_capsule)},
    {PAIR("superovoid and triangle", make_superovoid, make_triangle)},
    {PAIR("superovoid and polyhedron", make_superovoid, make_polyhedron_100), .shapes = SHAPES},
    {PAIR("sphere and box", make_sphere, make_box)},
    {PAIR("capsule and box", make_capsule, make_box)},
    {PAIR("cylinder and box", make_cylinder, make_box)},
    {PAIR("cone and box", make_cone, make_box)},
    {PAIR("capsule and cylinder", make_capsule, make_cylinder)},
    {PAIR("cone and cylinder", make_cone, make_cylinder)},
    {PAIR("polyhedron and box", make_polyhedron_100, make_box), .shapes = SHAPES},
    {PAIR("polyhedron and half-space", make_halfspace, make_polyhedron_100), .shapes = SHAPES},
};
const size_t kinds_count = sizeof kinds_list / sizeof kinds_list[0];

/* ---- places */

static double reach(const ov_shape *shape, ov_quat rotation, ov_vec3 u) {
    ov_support s;
    ov_status status = ov_shape_support(shape, ov_quat_rotate(ov_quat_conjugate(rotation), u), &s);
    return status >= 0 ? s.value : NAN;
}

/** Places B along u, from where both touch; false where they cannot be made to. */
static bool place_along(bench_random *r, kinds_part part, ov_vec3 u, ov_pair *p) {
    double share = bench_uniform(r, 0.0, 1.0), touching, apart;
    if (part == KINDS_SEPARATED) {
        // the half-space ends at the origin, where its normal is u
        touching = p->a->kind == OV_SHAPE_KIND_HALFSPACE ? 0.0 : reach(p->a, p->pose_a.rotation, u);
        touching += reach(p->b, p->pose_b.rotation, ov_vec3_neg(u));
        p->pose_b.position = ov_vec3_scale(u, touching + 0.5 * share);
        return isfinite(touching);
    }
    if (!battery_place_at_gap(p->a, p->pose_a, p->b, &p->pose_b, u, 0.0)) {
        return false;
    }
    touching = ov_vec3_dot(p->pose_b.position, u);
    apart = part == KINDS_NEAR ? touching + KINDS_NEAR_GAP * share : touching * (0.2 + 0.8 * share);
    p->pose_b.position = ov_vec3_scale(u, apart);
    return true;
}

static bool place(bench_random *r, const kinds_kind *kind, kinds_part part, ov_pair *p) {
    ov_vec3 u = bench_direction(r);
    p->pose_a = (ov_pose){{0.0, 0.0, 0.0}, bench_rotation(r)};
    p->pose_b = (ov_pose){{0.0, 0.0, 0.0}, bench_rotation(r)};
    if (p->a->kind == OV_SHAPE_KIND_HALFSPACE) {
        u = ov_quat_rotate(p->pose_a.rotation, p->a->u.halfspace.normal);
    }
    if (!kind->paper || part == KINDS_NEAR) {
        return place_along(r, part, u, p);
    }
    p->pose_b.position = ov_vec3_make(0.0, BATTERY_APART, 0.0);
    ov_contact c;
    ov_pair_contact(p->a, p->pose_a, p->b, p->pose_b, NULL, NULL, &c);
    return c.relation ==
           (part == KINDS_SEPARATED ? OV_RELATION_SEPARATED : OV_RELATION_OVERLAPPING);
}

/* ---- pairs */

/** Both bounds proven, of the depth too; the wider ones of the quick query where that failed. */
static void prove(kinds_pairs *pairs, size_t i) {
    const ov_pair *p = &pairs->pairs[i];
    ov_pair_options options = {.depth = OV_DEPTH_PROVEN};
    ov_contact c;
    ov_pair_contact(p->a, p->pose_a, p->b, p->pose_b, &options, NULL, &c);
    pairs->lower[i] = c.gap_lower;
    pairs->upper[i] = c.gap_upper;
    pairs->unproven += !(c.gap_upper - c.gap_lower <= 1e-6);
}

static void draw_pair(bench_random *r, kinds_pairs *pairs, size_t i) {
    enum { TRIES = 100 };
    ov_pair *p = &pairs->pairs[i];
    // each of n shapes meets each of n others before a pair comes again
    size_t n = pairs->shape_count / 2;
    for (int tries = 0; tries < TRIES; tries++) {
        p->a = &pairs->shapes[i % n];
        p->b = &pairs->shapes[n + (i + i / n) % n];
        if (place(r, pairs->kind, pairs->part, p)) {
            break;
        }
    }
    double size = fmin(p->a->ball.radius, 1e3); // a half-space has no end
    size = fmax(size < 1e3 ? size : 0.0, p->b->ball.radius);
    ov_contact before;
    ov_pose before_a = battery_move(r, p->pose_a, size),
            before_b = battery_move(r, p->pose_b, size);
    ov_pair_contact(p->a, before_a, p->b, before_b, NULL, &pairs->warm[i], &before);
    ov_vec3 aim = ov_vec3_scale(bench_direction(r), 0.3 * p->b->ball.radius);
    pairs->translations[i] = ov_vec3_add(p->pose_b.position, aim);
}

static bool make_shapes(bench_random *r, kinds_pairs *pairs) {
    size_t n = pairs->shape_count / 2;
    ov_status status = OV_OK;
    for (size_t i = 0; i < 2 * n && status >= 0; i++) {
        kinds_maker make = i < n ? pairs->kind->a : pairs->kind->b;
        status = make(r, &pairs->shapes[i], &pairs->hulls[i]);
    }
    return status >= 0;
}

bool kinds_draw(const kinds_kind *kind, kinds_part part, size_t count, uint64_t seed,
                kinds_pairs *pairs) {
    bench_random r = {seed * 1000003u + (uint64_t)(kind - kinds_list) * KINDS_PARTS +
                      (uint64_t)part};
    size_t each = kind->shapes > 0 && kind->shapes < count ? kind->shapes : count;
    *pairs = (kinds_pairs){.kind = kind, .part = part, .count = count, .shape_count = 2 * each};
    pairs->pairs = calloc(count, sizeof *pairs->pairs);
    pairs->warm = calloc(count, sizeof *pairs->warm);
    pairs->translations = calloc(count, sizeof *pairs->translations);
    pairs->lower = calloc(count, sizeof *pairs->lower);
    pairs->upper = calloc(count, sizeof *pairs->upper);
    pairs->shapes = calloc(2 * each, sizeof *pairs->shapes);
    pairs->hulls = calloc(2 * each, sizeof(ov_hull *));
    if (pairs->pairs == NULL || pairs->warm == NULL || pairs->translations == NULL ||
        pairs->lower == NULL || pairs->upper == NULL || pairs->shapes == NULL ||
        pairs->hulls == NULL || !make_shapes(&r, pairs)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        draw_pair(&r, pairs, i);
        prove(pairs, i);
    }
    return true;
}

void kinds_free(kinds_pairs *pairs) {
    for (size_t i = 0; pairs->hulls != NULL && i < pairs->shape_count; i++) {
        ov_hull_destroy(pairs->hulls[i]);
    }
    free(pairs->pairs);
    free(pairs->warm);
    free(pairs->translations);
    free(pairs->lower);
    free(pairs->upper);
    free(pairs->shapes);
    free(pairs->hulls);
    *pairs = (kinds_pairs){0};
}
