/**
 * @file pair_closed.c
 * @brief Pairs of kinds whose gap has a closed form: nothing is iterated, the goal is always met.
 *
 *     1. A half-space against any bounded body takes one call of that body's support function
 *        [Thesis, 3.2]; here the same holds for overlapping bodies, whose least way out of a
 *        half-space is along its normal.
 *     2. A sphere or point against a box, cylinder, cone, or a body of 3: the nearest point of that
 *        body, from inside and outside.
 *     3. Capsules and spheres: the nearest points of their axes, proven by evaluation.
 *     4. Points, segments and triangles with round skins (sphere, capsule, and the flat kinds)
 *        among themselves, and capsules that 3 leaves: all directions that can be the best are
 *        tried, and the best of them is proven by evaluation.
 *     5. A box against a box or a capsule: pair_box.c.
 *
 * All of it happens in the frame of one of the bodies, and is right to some ulp of the coordinates
 * there, for which `rounding` has room. Whatever order the two come in, one body is looked at from
 * the other: the order of the answer is restored at the end.
 */
#include "query_internal.h"

/** What a point sees of a convex body, in the body's frame. */
typedef struct nearest_point {
    double distance; /**< signed, negative inside: the least way out */
    ov_vec3 point;   /**< of the surface */
    ov_vec3 normal;  /**< unit, outward there, from the body to the point where that is outside */
} nearest_point;

/** Writes what a closed form has found: the bounds are the gap, give or take the slack. */
static void write_result(double gap, double slack, ov_vec3 point_a, ov_vec3 point_b, ov_vec3 normal,
                         ovi_result *result) {
    *result = (ovi_result){.lower = gap - slack,
                           .upper = gap + slack,
                           .gap = gap,
                           .point_a = point_a,
                           .point_b = point_b,
                           .normal = normal,
                           .overlap = gap + slack < 0.0,
                           .solved = true};
}

/* ---- cores: points, segments and triangles with round skins

   The distance of two convex cores is the largest separation over unit directions n,

       g(n) = min over b of n.b - max over a of n.a                      (corners a of A, b of B)

   Any n bounds it from below, any two points from above. For cores with corners the best n is among
   a few: from a corner of one to the nearest point of the other, or across two edges. So all of
   them are tried, each with its two points, and the best separation is compared with the distance
   of its own points: the answer is proven by evaluation, whatever rounding did to the direction.

   What makes the directions good enough for that:
   1. A direction across an edge u is made orthogonal to u after it is normalised. Where the point
      is an ulp from the edge, the direction itself is noise, but still across the edge, and its
      separation loses no more than an ulp of the edge's length.
   2. The direction across two edges u, v is u x w, with w the part of v across u, made as in 1. Its
      error about u is eps over the sine of the angle; over the length of v that is an ulp again.
      So parallel and nearly parallel edges need no threshold.
   3. Near the border between two cases (corner or edge nearest) noise may spoil the one direction,
      but there the other is as good: at a distance d, an error e of the points costs it e^2/d.

   Where the cores meet, the separation is zero up to rounding in a direction across both, the depth
   is the sum of the radii, and the same comparison proves it. Only a triangle can be pierced. */

/** A point, segment or triangle, and all points within `radius` of it. */
typedef struct core_shape {
    ov_vec3 corners[3];
    int count;
    double radius;
} core_shape;

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

/** Sphere, capsule, triangle, segment and point as cores, in their frames; false for others. */
static bool core_of(const ov_shape *shape, core_shape *core) {
    const ov_vec3 zero = {0.0, 0.0, 0.0};
    *core = (core_shape){.corners = {zero, zero, zero}, .count = 1, .radius = 0.0};
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

static nearest_point nearest_corner(ov_vec3 corner, ov_vec3 p, ov_vec3 otherwise) {
    ov_vec3 away = ov_vec3_sub(p, corner), n = ov_vec3_normalize(away);
    return (nearest_point){ov_vec3_length(away), corner, ovi_square(n) > 0.5 ? n : otherwise};
}

static nearest_point nearest_segment(ov_vec3 a, ov_vec3 b, ov_vec3 p) {
    ov_vec3 u = ov_vec3_normalize(ov_vec3_sub(b, a));
    ov_vec3 from_a = ov_vec3_sub(p, a), from_b = ov_vec3_sub(p, b), n;
    if (ov_vec3_dot(from_a, u) <= 0.0) {
        return nearest_corner(a, p, any_across(u));
    }
    if (ov_vec3_dot(from_b, u) >= 0.0) {
        return nearest_corner(b, p, any_across(u));
    }
    ov_vec3 away = part_across(from_a, u, &n);
    return (nearest_point){ov_vec3_length(away), ov_vec3_sub(p, away), n};
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
    nearest_point near;
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

/** Corner k: its separation lacks what the other corners stick out in that direction. */
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
static nearest_point nearest_triangle(const ov_vec3 corners[3], ov_vec3 p) {
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
    nearest_point near = best.near;
    near.point = ov_vec3_add(f.ends[0], ov_mat3_mul_vec3(&axes, near.point));
    near.normal = ov_mat3_mul_vec3(&axes, near.normal);
    return near;
}

static nearest_point nearest_bare(const core_shape *core, ov_vec3 p) {
    if (core->count == 1) {
        return nearest_corner(core->corners[0], p, ov_vec3_make(1.0, 0.0, 0.0));
    }
    return core->count == 2 ? nearest_segment(core->corners[0], core->corners[1], p)
                            : nearest_triangle(core->corners, p);
}

/** The skin's nearest point; where the point lies in the core, the normal is one across it. */
static nearest_point nearest_to_core(const core_shape *core, ov_vec3 point) {
    nearest_point out = nearest_bare(core, point);
    out.distance -= core->radius;
    out.point = ov_vec3_add_scaled(out.point, out.normal, core->radius);
    return out;
}

/* ---- two cores */

/** The best direction so far, its separation, and the two points that go with it. */
typedef struct search {
    const core_shape *a, *b;
    double separation, distance;
    ov_vec3 normal, point_a, point_b;
} search;

static void extent(const core_shape *core, ov_vec3 n, ov_vec3 origin, double *lo, double *hi) {
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
 * separation never exceeds the distance, nor the distance of the cores, so the best pair of both is
 * that with the largest 2 separation - distance; the separation alone would tie with points farther
 * away along n.
 */
static void try_direction(search *s, ov_vec3 n, ov_vec3 point_a, ov_vec3 point_b) {
    double lo_a, hi_a, lo_b, hi_b;
    extent(s->a, n, point_a, &lo_a, &hi_a);
    extent(s->b, n, point_a, &lo_b, &hi_b);
    double forth = lo_b - hi_a, back = lo_a - hi_b, separation = fmax(forth, back);
    double distance = ov_vec3_length(ov_vec3_sub(point_b, point_a));
    if (2.0 * separation - distance > 2.0 * s->separation - s->distance) {
        s->separation = separation;
        s->distance = distance;
        s->normal = back > forth ? ov_vec3_neg(n) : n;
        s->point_a = point_a;
        s->point_b = point_b;
    }
}

/** Corners of the one against the whole other. */
static void try_corners(search *s) {
    for (int i = 0; i < s->b->count; i++) {
        nearest_point near = nearest_bare(s->a, s->b->corners[i]);
        try_direction(s, near.normal, near.point, s->b->corners[i]);
    }
    for (int i = 0; i < s->a->count; i++) {
        nearest_point near = nearest_bare(s->b, s->a->corners[i]);
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
static int edge_count(const core_shape *core) { return core->count == 3 ? 3 : core->count - 1; }

/**
 * Two cores in one frame. False where the directions tried do not settle it to `slack`: cores that
 * pierce each other, a triangle being one of them. Else the distance of the *skins* in `result`,
 * its bounds widened by `slack`.
 */
static bool core_pair_form(const core_shape *a, const core_shape *b, double slack,
                           ovi_result *result) {
    search s = {.a = a, .b = b, .separation = -INFINITY, .distance = INFINITY};
    try_corners(&s);
    for (int i = 0; i < edge_count(a); i++) {
        for (int k = 0; k < edge_count(b); k++) {
            try_edges(&s, a->corners[i], a->corners[(i + 1) % a->count], b->corners[k],
                      b->corners[(k + 1) % b->count]);
        }
    }
    if (!(s.distance - s.separation <= 2.0 * slack)) {
        return false;
    }
    double radii = a->radius + b->radius;
    write_result(s.distance - radii, slack, ov_vec3_add_scaled(s.point_a, s.normal, a->radius),
                 ov_vec3_add_scaled(s.point_b, s.normal, -b->radius), s.normal, result);
    result->lower = s.separation - radii - slack;
    return true;
}

/* ---- capsules and spheres

   A's axis is s z, |s| <= h_A, B's is d + t v, |t| <= h_B; z and v are unit vectors. A sphere is a
   capsule of length zero.

   1. The squared distance is a convex function of (s, t), and its least value over t is where
      t = s v.z - v.d, over s where s = d.z + t v.z. Seen along z, B's axis passes the origin at
      t = -(v_x d_x + v_y d_y)/(v_x^2 + v_y^2): the least over both. The denominator is the square
      of the sine between the axes, and free of cancellation.
   2. With bounds: t is clamped, then s; where s was clamped, t is computed again. Of nearly
      parallel axes t may be any number, but one off by e moves the points apart across z by no more
      than e times the sine, and that is rounding.
   3. With the points' difference w, n = w/|w| is the best direction; its separation bounds the
      distance from below, |w| from above. Where the axes almost cross, w is noise beside the
      coordinates, but the direction across both is known: it is across z and v.

   What that does not prove (parallel axes that lie in each other, an end on the other axis) goes to
   core_pair_form. */

static inline bool is_capsule(const ov_shape *s) {
    return s->kind == OV_SHAPE_KIND_CAPSULE || s->kind == OV_SHAPE_KIND_SPHERE;
}

/** Half the length of the axis. */
static inline double half_axis(const ov_shape *s) {
    return s->kind == OV_SHAPE_KIND_CAPSULE ? s->a.z : 0.0;
}

/** n.d less what both axes reach towards each other along n. */
static inline double axis_separation(const ovi_pair *p, double half_a, double half_b, ov_vec3 n) {
    double along_a = fabs(n.z), along_b = fabs(ov_vec3_dot(n, p->turn.cz));
    return ov_vec3_dot(n, p->offset) - half_b * along_b - half_a * along_a;
}

/** False where the directions tried do not settle it. */
static bool capsules_form(const ovi_pair *p, ovi_result *result) {
    double half_a = half_axis(p->a), half_b = half_axis(p->b);
    ov_vec3 v = p->turn.cz, d = p->offset;
    double sine2 = v.x * v.x + v.y * v.y;
    double t = sine2 > 0.0 ? ovi_clamp(-(v.x * d.x + v.y * d.y) / sine2, half_b) : 0.0;
    double at_a = d.z + t * v.z, s = ovi_clamp(at_a, half_a);
    if (s != at_a) {
        t = ovi_clamp(s * v.z - ov_vec3_dot(v, d), half_b);
    }
    ov_vec3 on_b = ov_vec3_add_scaled(d, v, t);
    ov_vec3 w = ov_vec3_make(on_b.x, on_b.y, on_b.z - s);
    double distance = sqrt(ov_vec3_dot(w, w));
    ov_vec3 n = ov_vec3_scale(w, 1.0 / distance);
    // below, squares lose digits
    const double least = 1e-140;
    double separation = distance > least ? axis_separation(p, half_a, half_b, n) : -INFINITY;
    bool between_ends = fabs(s) < half_a && fabs(t) < half_b && sine2 > least;
    if (!(distance - separation <= 2.0 * p->rounding) && between_ends) {
        double inverse = copysign(1.0 / sqrt(sine2), v.x * d.y - v.y * d.x);
        n = ov_vec3_make(-v.y * inverse, v.x * inverse, 0.0);
        separation = axis_separation(p, half_a, half_b, n);
    }
    if (!(distance - separation <= 2.0 * p->rounding)) {
        return false;
    }
    double radius_a = p->a->a.x, radius_b = p->b->a.x, radii = radius_a + radius_b;
    write_result(distance - radii, p->rounding,
                 ov_vec3_make(n.x * radius_a, n.y * radius_a, s + n.z * radius_a),
                 ov_vec3_add_scaled(on_b, n, -radius_b), n, result);
    result->lower = separation - radii - p->rounding;
    return true;
}

/* ---- the nearest surface point of a box, cylinder or cone, from inside and outside

   The signed distance of a point c from a convex body is the largest value of n.c - h(n) over the
   unit directions n, h being the support function: the distance outside, minus the least way out
   inside. For these bodies it is reached in one of a few directions: a face's normal, or the
   direction from the nearest edge or corner. What a formula here makes of the point as it is given,
   rounded into the body's frame, is right to some ulp of that point's coordinates: coordinates are
   compared with the sizes before anything is multiplied, so that the direction stays in the normal
   cone of the surface point also where the two are an ulp apart. */

/** Outward step and coordinate of a slab |x| <= half, seen from x. */
static double beyond(double x, double half) { return fabs(x) - half; }

static nearest_point nearest_box(const ov_shape *s, ov_vec3 c) {
    const double x[3] = {c.x, c.y, c.z}, half[3] = {s->a.x, s->a.y, s->a.z};
    double out[3], foot[3], n[3] = {0.0, 0.0, 0.0};
    int face = 0;
    bool inside = true;
    for (int i = 0; i < 3; i++) {
        out[i] = beyond(x[i], half[i]);
        inside = inside && !(out[i] > 0.0);
        face = out[i] > out[face] ? i : face;
        foot[i] = fmin(fmax(x[i], -half[i]), half[i]);
    }
    if (inside) {
        n[face] = copysign(1.0, x[face]);
        foot[face] = copysign(half[face], x[face]);
        return (nearest_point){out[face], ov_vec3_make(foot[0], foot[1], foot[2]),
                               ov_vec3_make(n[0], n[1], n[2])};
    }
    for (int i = 0; i < 3; i++) {
        n[i] = copysign(fmax(out[i], 0.0), x[i]);
    }
    ov_vec3 away = ov_vec3_make(n[0], n[1], n[2]);
    return (nearest_point){ov_vec3_length(away), ov_vec3_make(foot[0], foot[1], foot[2]),
                           ov_vec3_normalize(away)};
}

/* ---- bodies of revolution: the half-plane of the point, radius rho >= 0 and height z */

typedef struct meridian {
    double rho, z;
    double cos, sin; /**< of the azimuth; any where the point is on the axis */
} meridian;

static meridian meridian_of(ov_vec3 c) {
    double rho = ov_vec3_length(ov_vec3_make(c.x, c.y, 0.0));
    ov_vec3 unit = ov_vec3_normalize(ov_vec3_make(c.x, c.y, 0.0));
    return (meridian){rho, c.z, rho > 0.0 ? unit.x : 1.0, rho > 0.0 ? unit.y : 0.0};
}

static ov_vec3 from_meridian(const meridian *m, double rho, double z) {
    return ov_vec3_make(m->cos * rho, m->sin * rho, z);
}

static nearest_point nearest_cylinder(const ov_shape *s, ov_vec3 c) {
    meridian m = meridian_of(c);
    double radius = s->a.x, half = s->a.z, end = copysign(1.0, m.z);
    double side = m.rho - radius, cap = beyond(m.z, half);
    if (side > 0.0 && cap > 0.0) {
        ov_vec3 away = from_meridian(&m, side, end * cap);
        return (nearest_point){ov_vec3_length(away), from_meridian(&m, radius, end * half),
                               ov_vec3_normalize(away)};
    }
    if (side > cap) {
        return (nearest_point){side, from_meridian(&m, radius, m.z), from_meridian(&m, 1.0, 0.0)};
    }
    return (nearest_point){cap, from_meridian(&m, m.rho, end * half), ov_vec3_make(0.0, 0.0, end)};
}

/** From a corner of the section, a tip or a rim; the point itself is not there. */
static nearest_point nearest_ring(const meridian *m, ov_vec2 from_corner, ov_vec2 corner) {
    ov_vec3 away = from_meridian(m, from_corner.x, from_corner.y);
    return (nearest_point){ov_vec3_length(away), from_meridian(m, corner.x, corner.y),
                           ov_vec3_normalize(away)};
}

/**
 * Base, slant, tip or rim. Which of them is nearest from outside, is told by the signs of the
 * point's coordinates along the slant as measured from the tip and from the rim: the same numbers
 * that say whether the direction from there is in the normal cone.
 */
static nearest_point nearest_cone(const ov_shape *s, ov_vec3 c) {
    meridian m = meridian_of(c);
    double radius = s->a.x, half = s->a.z;
    double slant = ov_vec3_length(ov_vec3_make(radius, 2.0 * half, 0.0));
    double across = radius / slant, along = 2.0 * half / slant; // the slant runs (across, -along)
    ov_vec2 from_tip = {m.rho, m.z - half}, from_rim = {m.rho - radius, m.z + half};
    double side = from_tip.x * along + from_tip.y * across, base = -from_rim.y;
    bool inside = side <= 0.0 && base <= 0.0;
    if (inside ? base >= side : base > 0.0 && from_rim.x <= 0.0) {
        return (nearest_point){base, from_meridian(&m, m.rho, -half), ov_vec3_make(0.0, 0.0, -1.0)};
    }
    if (!inside && from_tip.x * across - from_tip.y * along < 0.0) {
        return nearest_ring(&m, from_tip, (ov_vec2){0.0, half});
    }
    if (!inside && from_rim.x * across - from_rim.y * along > 0.0) {
        return nearest_ring(&m, from_rim, (ov_vec2){radius, -half});
    }
    return (nearest_point){side, from_meridian(&m, m.rho - side * along, m.z - side * across),
                           from_meridian(&m, along, across)};
}

/** Box, cylinder, cone, and all cores; false for others. */
static bool nearest_to_body(const ov_shape *shape, ov_vec3 point, nearest_point *out) {
    core_shape core;
    switch (shape->kind) {
    case OV_SHAPE_KIND_BOX:
        *out = nearest_box(shape, point);
        return true;
    case OV_SHAPE_KIND_CYLINDER:
        *out = nearest_cylinder(shape, point);
        return true;
    case OV_SHAPE_KIND_CONE:
        *out = nearest_cone(shape, point);
        return true;
    default:
        if (!core_of(shape, &core)) {
            return false;
        }
        *out = nearest_to_core(&core, point);
        return true;
    }
}

/* ---- the closed forms */

/**
 * The gap in the direction of the plane's normal m, seen from the half-space (A or B): the lowest
 * point of the other body, less the height of the plane.
 */
static ov_status halfspace_form(const ovi_pair *p, ovi_result *result) {
    bool first = p->a->kind == OV_SHAPE_KIND_HALFSPACE;
    const ov_shape *plane = first ? p->a : p->b, *body = first ? p->b : p->a;
    if (body->kind == OV_SHAPE_KIND_HALFSPACE) {
        return OV_ERROR_UNBOUNDED;
    }
    ov_vec3 m = first ? plane->u.halfspace.normal : ovi_turn_from_b(p, plane->u.halfspace.normal);
    ov_vec3 down = ov_vec3_neg(m);
    ov_support lowest;
    ov_status status = ovi_support_point(body, first ? ovi_to_b(p, down) : down, &lowest);
    if (status != OV_OK) {
        return status;
    }
    double along = ov_vec3_dot(m, p->offset), above = plane->u.halfspace.offset;
    double gap = (first ? along - above : -along - above) - lowest.value;
    ov_vec3 on_body = first ? ovi_from_b(p, lowest.point) : lowest.point;
    ov_vec3 on_plane = ov_vec3_add_scaled(on_body, m, -gap);
    write_result(gap, p->rounding, first ? on_plane : on_body, first ? on_body : on_plane,
                 first ? m : down, result);
    return OV_OK;
}

/** A sphere or point (`small`) against any body that knows its nearest point. */
static bool point_form(const ovi_pair *p, const core_shape *small, bool small_is_a,
                       ovi_result *result) {
    nearest_point near;
    ov_vec3 centre = small->corners[0];
    if (!small_is_a) {
        centre = ovi_from_b(p, centre);
        if (!nearest_to_body(p->a, centre, &near)) {
            return false;
        }
        write_result(near.distance - small->radius, p->rounding, near.point,
                     ov_vec3_add_scaled(centre, near.normal, -small->radius), near.normal, result);
        return true;
    }
    if (!nearest_to_body(p->b, ovi_to_b(p, ov_vec3_sub(centre, p->offset)), &near)) {
        return false;
    }
    ov_vec3 n = ov_vec3_neg(ovi_turn_from_b(p, near.normal));
    write_result(near.distance - small->radius, p->rounding,
                 ov_vec3_add_scaled(centre, n, small->radius), ovi_from_b(p, near.point), n,
                 result);
    return true;
}

bool ovi_closed_form(const ovi_pair *pair, ov_status *status, ovi_result *result) {
    *status = OV_OK;
    if (pair->a->kind == OV_SHAPE_KIND_HALFSPACE || pair->b->kind == OV_SHAPE_KIND_HALFSPACE) {
        *status = halfspace_form(pair, result);
        return true;
    }
    if (is_capsule(pair->a) && is_capsule(pair->b) && capsules_form(pair, result)) {
        return true;
    }
    bool box_a = pair->a->kind == OV_SHAPE_KIND_BOX, box_b = pair->b->kind == OV_SHAPE_KIND_BOX;
    if ((box_a && (box_b || pair->b->kind == OV_SHAPE_KIND_CAPSULE)) ||
        (box_b && pair->a->kind == OV_SHAPE_KIND_CAPSULE)) {
        return ovi_box_form(pair, result);
    }
    core_shape a, b;
    bool core_a = core_of(pair->a, &a), core_b = core_of(pair->b, &b);
    if (core_b && b.count == 1) {
        return point_form(pair, &b, false, result);
    }
    if (core_a && a.count == 1) {
        return point_form(pair, &a, true, result);
    }
    if (!core_a || !core_b) {
        return false;
    }
    for (int i = 0; i < b.count; i++) {
        b.corners[i] = ovi_from_b(pair, b.corners[i]);
    }
    return core_pair_form(&a, &b, pair->rounding, result);
}
