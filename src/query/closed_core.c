/**
 * @file closed_core.c
 * @brief Points, segments and triangles with round skins: sphere, capsule, and the flat kinds.
 *
 * The distance of two convex cores is the largest value, over unit directions n, of the span
 *
 *     g(n) = min over b of n.b - max over a of n.a                      (corners a of A, b of B)
 *
 * Any n bounds it from below, any two points from above. For cores with corners the best n is among
 * a few: from a corner of one to the nearest point of the other, or across two edges. So all of
 * them are tried, each with its two points, and the best span is compared with the distance of its
 * own points: the answer is proven by evaluation, whatever rounding did to the direction.
 *
 * What makes the directions good enough for that:
 * 1. A direction across an edge u is made orthogonal to u after it is normalised. Where the point
 *    is an ulp from the edge, the direction itself is noise, but still across the edge, and its
 *    span loses no more than an ulp of the edge's length.
 * 2. The direction across two edges u, v is u x w, with w the part of v across u, made as in 1. Its
 *    error about u is eps over the sine of the angle; over the length of v that is an ulp again.
 *    So parallel and nearly parallel edges need no threshold.
 * 3. Near the border between two cases (corner or edge nearest) noise may spoil the one direction,
 *    but there the other is as good: at a distance d, an error e of the points costs it e^2/d.
 *
 * Where the cores meet, the span is zero up to rounding in a direction across both, the depth is
 * the sum of the radii, and the same comparison proves it. Only a triangle can be pierced.
 */
#include "../shape/shape_internal.h"
#include "closed_internal.h"

static ov_vec3 any_across(ov_vec3 unit) { return ov_mat3_householder(unit).cy; }

/** The part of a vector across a unit vector, and its unit vector, safe however small that is. */
static ov_vec3 part_across(ov_vec3 v, ov_vec3 unit, ov_vec3 *direction) {
    ov_vec3 w = ov_vec3_add_scaled(v, unit, -ov_vec3_dot(v, unit));
    ov_vec3 d = ov_vec3_normalize(w);
    d = ov_vec3_add_scaled(d, unit, -ov_vec3_dot(d, unit));
    // what is mostly along the unit vector even now is noise: no direction is better than another
    *direction = ovi_square(d) > 0.5 ? ov_vec3_normalize(d) : any_across(unit);
    return w;
}

bool ovi_core_of(const ov_shape *shape, ovi_core *core) {
    const ov_vec3 zero = {0.0, 0.0, 0.0};
    *core = (ovi_core){.corners = {zero, zero, zero}, .count = 1, .radius = 0.0};
    switch (shape->kind) {
    case OV_SHAPE_KIND_SPHERE:
        core->radius = shape->a.x;
        return true;
    case OV_SHAPE_KIND_CAPSULE:
        core->radius = shape->a.x;
        core->corners[0].z = -shape->a.z;
        core->corners[1].z = shape->a.z;
        core->count = shape->a.z > 0.0 ? 2 : 1;
        return true;
    case OV_SHAPE_KIND_TRIANGLE:
    case OV_SHAPE_KIND_SEGMENT:
    case OV_SHAPE_KIND_POINT:
        core->count = shape->kind == OV_SHAPE_KIND_TRIANGLE  ? 3
                      : shape->kind == OV_SHAPE_KIND_SEGMENT ? 2
                                                             : 1;
        for (int i = 0; i < core->count; i++) {
            core->corners[i] = shape->u.vertices[i];
        }
        return true;
    default:
        return false;
    }
}

/* ---- one point against a core, without its skin */

static ovi_nearest nearest_corner(ov_vec3 corner, ov_vec3 p, ov_vec3 otherwise) {
    ov_vec3 away = ov_vec3_sub(p, corner), n = ov_vec3_normalize(away);
    return (ovi_nearest){ov_vec3_length(away), corner, ovi_square(n) > 0.5 ? n : otherwise};
}

static ovi_nearest nearest_segment(ov_vec3 a, ov_vec3 b, ov_vec3 p) {
    ov_vec3 u = ov_vec3_normalize(ov_vec3_sub(b, a));
    ov_vec3 from_a = ov_vec3_sub(p, a), from_b = ov_vec3_sub(p, b), n;
    if (ov_vec3_dot(from_a, u) <= 0.0) {
        return nearest_corner(a, p, any_across(u));
    }
    if (ov_vec3_dot(from_b, u) >= 0.0) {
        return nearest_corner(b, p, any_across(u));
    }
    ov_vec3 away = part_across(from_a, u, &n);
    return (ovi_nearest){ov_vec3_length(away), ov_vec3_sub(p, away), n};
}

/** A triangle in its own plane: its corners, counter-clockwise, and where the point is. */
typedef struct plane_view {
    ov_vec2 corners[3];
    ov_vec3 p; /**< along u, along w, and above the plane */
} plane_view;

static plane_view view_of(const ovi_face *f, ov_vec3 p) {
    ov_vec3 r = ov_vec3_sub(p, f->ends[0]);
    plane_view v = {.corners = {{0.0, 0.0}, {f->length, 0.0}, {f->foot, f->height}}};
    v.p.x = ov_vec3_dot(r, f->u);
    r = ov_vec3_add_scaled(r, f->u, -v.p.x);
    v.p.y = ov_vec3_dot(r, f->w);
    r = ov_vec3_add_scaled(r, f->w, -v.p.y);
    v.p.z = ov_vec3_dot(r, f->normal);
    return v;
}

/** The best of the cases so far, and its score: the distance, less what it is not sure of. */
typedef struct best_case {
    double score;
    ovi_nearest near;
} best_case;

static void keep_better(best_case *best, double score, double distance, ov_vec3 foot, ov_vec3 n) {
    if (score > best->score) {
        *best = (best_case){score, {distance, foot, n}};
    }
}

/** Edge k, where the point is beyond it and between its ends. */
static void try_edge(const plane_view *v, int k, best_case *best) {
    ov_vec2 a = v->corners[k], b = v->corners[(k + 1) % 3];
    ov_vec3 e = ov_vec3_normalize(ov_vec3_make(b.x - a.x, b.y - a.y, 0.0));
    ov_vec2 from_a = {v->p.x - a.x, v->p.y - a.y}, from_b = {v->p.x - b.x, v->p.y - b.y};
    double beyond = e.y * from_a.x - e.x * from_a.y;
    bool beside = e.x * from_a.x + e.y * from_a.y >= 0.0 && e.x * from_b.x + e.y * from_b.y <= 0.0;
    if (beyond > 0.0 && beside) {
        ov_vec3 away = ov_vec3_make(beyond * e.y, -beyond * e.x, v->p.z);
        ov_vec3 foot = ov_vec3_make(v->p.x - away.x, v->p.y - away.y, 0.0);
        double distance = ov_vec3_length(away);
        keep_better(best, distance, distance, foot, ov_vec3_normalize(away));
    }
}

/** Corner k: its span lacks what the other corners stick out in that direction. */
static void try_corner(const plane_view *v, int k, best_case *best) {
    ov_vec2 a = v->corners[k];
    ov_vec3 away = ov_vec3_make(v->p.x - a.x, v->p.y - a.y, v->p.z), n = ov_vec3_normalize(away);
    double out = 0.0, distance = ov_vec3_length(away);
    if (distance == 0.0) {
        return; // the face has it
    }
    for (int i = 1; i < 3; i++) {
        ov_vec2 b = v->corners[(k + i) % 3];
        out = fmax(out, n.x * (b.x - a.x) + n.y * (b.y - a.y));
    }
    keep_better(best, distance - 2.0 * out, distance, ov_vec3_make(a.x, a.y, 0.0), n);
}

/** Over the face, beyond an edge or beyond a corner, as in `try_direction`. */
static ovi_nearest nearest_triangle(const ov_vec3 corners[3], ov_vec3 p) {
    ovi_face f = ovi_face_make(corners[0], corners[1], corners[2]);
    if (f.height == 0.0) {
        return nearest_segment(f.ends[0], f.ends[1], p); // rounding far out has made it flat
    }
    plane_view v = view_of(&f, p);
    best_case best = {.score = -INFINITY};
    for (int k = 0; k < 3; k++) {
        try_edge(&v, k, &best);
        try_corner(&v, k, &best);
    }
    // the face last: beyond its border, by however little, edge and corner are no nearer than it
    keep_better(&best, fabs(v.p.z), fabs(v.p.z), ov_vec3_make(v.p.x, v.p.y, 0.0),
                ov_vec3_make(0.0, 0.0, copysign(1.0, v.p.z)));
    const ov_mat3 axes = {f.u, f.w, f.normal};
    ovi_nearest near = best.near;
    near.point = ov_vec3_add(f.ends[0], ov_mat3_mul_vec3(&axes, near.point));
    near.normal = ov_mat3_mul_vec3(&axes, near.normal);
    return near;
}

static ovi_nearest nearest_bare(const ovi_core *core, ov_vec3 p) {
    if (core->count == 1) {
        return nearest_corner(core->corners[0], p, ov_vec3_make(1.0, 0.0, 0.0));
    }
    return core->count == 2 ? nearest_segment(core->corners[0], core->corners[1], p)
                            : nearest_triangle(core->corners, p);
}

ovi_nearest ovi_core_nearest(const ovi_core *core, ov_vec3 point) {
    ovi_nearest out = nearest_bare(core, point);
    out.distance -= core->radius;
    out.point = ov_vec3_add_scaled(out.point, out.normal, core->radius);
    return out;
}

/* ---- two cores */

/** The best direction so far, its span, and the two points that go with it. */
typedef struct search {
    const ovi_core *a, *b;
    double span, distance;
    ov_vec3 normal, point_a, point_b;
} search;

static void extent(const ovi_core *core, ov_vec3 n, ov_vec3 origin, double *lo, double *hi) {
    *lo = INFINITY;
    *hi = -INFINITY;
    for (int i = 0; i < core->count; i++) {
        double value = ov_vec3_dot(n, ov_vec3_sub(core->corners[i], origin));
        *lo = fmin(*lo, value);
        *hi = fmax(*hi, value);
    }
}

/**
 * Tries a direction and its opposite: where the points coincide, its sign is anyone's guess. The
 * span never exceeds the distance, nor the distance of the cores, so the best pair of both is that
 * with the largest 2 span - distance; the span alone would tie with points farther away along n.
 */
static void try_direction(search *s, ov_vec3 n, ov_vec3 point_a, ov_vec3 point_b) {
    double lo_a, hi_a, lo_b, hi_b;
    extent(s->a, n, point_a, &lo_a, &hi_a);
    extent(s->b, n, point_a, &lo_b, &hi_b);
    double forth = lo_b - hi_a, back = lo_a - hi_b, span = fmax(forth, back);
    double distance = ov_vec3_length(ov_vec3_sub(point_b, point_a));
    if (2.0 * span - distance > 2.0 * s->span - s->distance) {
        s->span = span;
        s->distance = distance;
        s->normal = back > forth ? ov_vec3_neg(n) : n;
        s->point_a = point_a;
        s->point_b = point_b;
    }
}

/** Corners of the one against the whole other. */
static void try_corners(search *s) {
    for (int i = 0; i < s->b->count; i++) {
        ovi_nearest near = nearest_bare(s->a, s->b->corners[i]);
        try_direction(s, near.normal, near.point, s->b->corners[i]);
    }
    for (int i = 0; i < s->a->count; i++) {
        ovi_nearest near = nearest_bare(s->b, s->a->corners[i]);
        try_direction(s, ov_vec3_neg(near.normal), s->a->corners[i], near.point);
    }
}

static double clamp(double x, double hi) { return fmin(fmax(x, 0.0), hi); }

/** Across two edges, with the points where the edges are nearest. */
static void try_edges(search *s, ov_vec3 a, ov_vec3 a_end, ov_vec3 b, ov_vec3 b_end) {
    ov_vec3 edge_a = ov_vec3_sub(a_end, a), edge_b = ov_vec3_sub(b_end, b), w;
    ov_vec3 u = ov_vec3_normalize(edge_a), v = ov_vec3_normalize(edge_b);
    if (ovi_max_abs(part_across(v, u, &w)) == 0.0) {
        return; // parallel: the corners have it all
    }
    ov_vec3 n = ov_vec3_cross(u, w), to_b = ov_vec3_sub(b, a);
    // from a + r u to b + t v: no part along w; then none along u, as far as the ends allow
    double t = clamp(-ov_vec3_dot(to_b, w) / ov_vec3_dot(v, w), ov_vec3_length(edge_b));
    double r = clamp(ov_vec3_dot(ov_vec3_add_scaled(to_b, v, t), u), ov_vec3_length(edge_a));
    try_direction(s, n, ov_vec3_add_scaled(a, u, r), ov_vec3_add_scaled(b, v, t));
}

/** Edges of a core: none, one or three. */
static int edge_count(const ovi_core *core) { return core->count == 3 ? 3 : core->count - 1; }

bool ovi_core_pair(const ovi_core *a, const ovi_core *b, double slack, ovi_result *result) {
    search s = {.a = a, .b = b, .span = -INFINITY, .distance = INFINITY};
    try_corners(&s);
    for (int i = 0; i < edge_count(a); i++) {
        for (int k = 0; k < edge_count(b); k++) {
            try_edges(&s, a->corners[i], a->corners[(i + 1) % a->count], b->corners[k],
                      b->corners[(k + 1) % b->count]);
        }
    }
    if (!(s.distance - s.span <= 2.0 * slack)) {
        return false;
    }
    double radii = a->radius + b->radius;
    ovi_closed_result(s.distance - radii, slack, ov_vec3_add_scaled(s.point_a, s.normal, a->radius),
                      ov_vec3_add_scaled(s.point_b, s.normal, -b->radius), s.normal, result);
    result->lower = s.span - radii - slack;
    return true;
}
