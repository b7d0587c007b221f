/**
 * @file ray.c
 * @brief Rays against every convex kind, with proven bounds of the distance.
 *
 * Along a ray x(t) = o + t u, seen from the body, two kinds of proof are used. A *cut* is a plane
 * that has the body on one side, n.x <= h(n): where o is beyond it, the ray cannot enter before it
 * passes the plane, at t = (n.o - h(n))/(-n.u), and never if n.u >= 0. An *inner point* x(t),
 * deeper in the body than rounding, proves a hit at or before t. What lies between is the bracket.
 *
 *     1. Kinds with a convex function F of closed form, F <= 0 in the body (gauge less one of the
 *        smooth family without taper; largest excess over the sides of half-space, box, cylinder
 *        and cone; distance from a capsule's axis less its radius): Newton on F along the ray. Its
 *        tangents are cuts, so it comes from the left, never passes the entry, and needs no
 *        safeguard; if it finds F > 0 rising, the ray misses
 *     2. Tapered bodies: Newton on the gauge first, for a place to cut, then cuts with the support
 *        function along the gauge's gradient
 *     3. Everything else, and hulls over a dent: cuts from the nearest point of the body, by the
 *        point query: Newton again, on the distance
 *     4. Triangles: the plane is crossed at one t, and the crossing is inside all three edges, or
 *        outside one. Segment and point have no inside at all: a ray that passes further off than
 *        rounding misses, any other one is not decided
 *
 * A hit that grazes is proven where its deepest point is below rounding; the bracket is then as
 * wide as rounding lets it be, and the status OV_NOT_CONVERGED if that is more than 1e-9 of the
 * body's size. A ray whose closest approach is within rounding of the surface is not decided.
 */
#include <stddef.h>

#include "../math/rounding_mode.h"
#include "query_internal.h"

enum { MAX_NEWTON = 120, MAX_RAW = 24, MAX_CUTS = 60, MAX_WIDEN = 60, MAX_NARROW = 60 };

typedef struct ray {
    const ov_shape *s;
    ov_vec3 o, u; // in the body's frame; u is a unit vector
    double end;   // no hit beyond: the reach, or where the ray leaves the ball
    double rounding, goal;
} ray;

/** What is known: free before lower, inside at upper (infinite: not proven). */
typedef struct bracket {
    double lower, upper, best;
    bool miss;
    ov_vec3 normal;
} bracket;

static ov_vec3 at(const ray *r, double t) { return ov_vec3_add_scaled(r->o, r->u, t); }

/* ---- convex functions of the kinds */

typedef ovi_level level;

static level gauge_level(const ov_shape *s, ov_vec3 x, double rounding) {
    double u = x.x / s->a.x, v = x.y / s->a.y, w = x.z / s->a.z;
    level f;
    if (s->e1 == 1.0 && s->e2 == 1.0) {
        double g = sqrt(u * u + v * v + w * w), i = g > 0.0 ? 1.0 / g : 0.0;
        f.value = g - 1.0;
        f.slope = ov_vec3_make(u * i / s->a.x, v * i / s->a.y, w * i / s->a.z);
    } else {
        ovi_p_norm_parts in = ovi_p_norm_split(u, v, ovi_primal1(s));
        ovi_p_norm m = ovi_p_norm_gradient(u, v, &in);
        ovi_p_norm_parts out = ovi_p_norm_split(m.value, w, ovi_primal2(s));
        ovi_p_norm g = ovi_p_norm_gradient(m.value, w, &out);
        f.value = g.value - 1.0;
        f.slope = ov_vec3_make(g.du * m.du / s->a.x, g.du * m.dv / s->a.y, g.dv / s->a.z);
    }
    f.noise = rounding * ov_vec3_length(f.slope) + 16.0 * DBL_EPSILON * (f.value + 1.0);
    return f;
}

/** The larger of two excesses, each with its unit slope. */
static void take_larger(level *f, double value, ov_vec3 slope) {
    if (value > f->value) {
        f->value = value;
        f->slope = slope;
    }
}

static level solid_level(const ov_shape *s, ov_vec3 x, double rounding) {
    ov_vec3 a = s->a;
    level f = {.value = -INFINITY, .noise = rounding};
    double rho = hypot(x.x, x.y);
    ov_vec3 out = rho > 0.0 ? ov_vec3_make(x.x / rho, x.y / rho, 0.0) : ov_vec3_make(1.0, 0.0, 0.0);
    ov_vec3 up = ov_vec3_make(0.0, 0.0, copysign(1.0, x.z));
    switch (s->kind) {
    case OV_SHAPE_KIND_HALFSPACE:
        take_larger(&f, ov_vec3_dot(s->u.halfspace.normal, x) - s->u.halfspace.offset,
                    s->u.halfspace.normal);
        break;
    case OV_SHAPE_KIND_BOX:
        take_larger(&f, fabs(x.x) - a.x, ov_vec3_make(copysign(1.0, x.x), 0.0, 0.0));
        take_larger(&f, fabs(x.y) - a.y, ov_vec3_make(0.0, copysign(1.0, x.y), 0.0));
        take_larger(&f, fabs(x.z) - a.z, up);
        break;
    case OV_SHAPE_KIND_CAPSULE: {
        ov_vec3 off = ov_vec3_make(x.x, x.y, x.z - fmax(-a.z, fmin(a.z, x.z)));
        double length = ov_vec3_length(off);
        take_larger(&f, length - a.x, length > 0.0 ? ov_vec3_scale(off, 1.0 / length) : out);
        break;
    }
    case OV_SHAPE_KIND_CYLINDER:
        take_larger(&f, rho - a.x, out);
        take_larger(&f, fabs(x.z) - a.z, up);
        break;
    default: {
        // cone: height above the slant, and below the base
        double slant = hypot(a.x, 2.0 * a.z), c = 2.0 * a.z / slant, d = a.x / slant;
        take_larger(&f, c * rho - d * (a.z - x.z), ov_vec3_make(c * out.x, c * out.y, d));
        take_larger(&f, -a.z - x.z, ov_vec3_make(0.0, 0.0, -1.0));
        break;
    }
    }
    return f;
}

/** Is F convex? That of tapered bodies need not be. */
static bool has_level(const ov_shape *s) {
    return (s->kind >= OV_SHAPE_KIND_SPHERE && s->kind <= OV_SHAPE_KIND_SUPERELLIPSOID) ||
           (s->kind >= OV_SHAPE_KIND_HALFSPACE && s->kind <= OV_SHAPE_KIND_CONE);
}

ovi_level ovi_level_at(const ov_shape *s, ov_vec3 x, double rounding) {
    if (s->kind == OV_SHAPE_KIND_SUPEROVOID) {
        ov_field g;
        (void)ovi_family_gauge(s, x, &g);
        double noise = rounding * ov_vec3_length(g.gradient) + 16.0 * DBL_EPSILON * g.value;
        return (level){g.value - 1.0, noise, g.gradient};
    }
    return ovi_is_family(s->kind) ? gauge_level(s, x, rounding) : solid_level(s, x, rounding);
}

static level level_at(const ray *r, ov_vec3 x) { return ovi_level_at(r->s, x, r->rounding); }

/* ---- from a lower bound to a bracket */

/** Rounding of a slope along the ray. */
static double slope_noise(ov_vec3 slope) { return 8.0 * DBL_EPSILON * ov_vec3_length(slope); }

/**
 * The entry is at or behind b->lower; looks for an inner point behind it, in growing steps, and
 * narrows the bracket. Sound for every body that is convex, or hull of {F <= 0}.
 */
static void find_inner_point(const ray *r, bracket *b) {
    level f = level_at(r, at(r, b->lower));
    double along = ov_vec3_dot(f.slope, r->u), lower = b->lower;
    double step = along < 0.0 ? 4.0 * (fmax(f.value, 0.0) + f.noise) / -along : r->rounding;
    step = fmax(step, 4.0 * DBL_EPSILON * fabs(b->lower));
    for (int i = 0; i < MAX_WIDEN; i++, step *= 2.0) {
        double t = fmin(b->lower + step, r->end);
        f = level_at(r, at(r, t));
        if (f.value < -f.noise) {
            b->upper = t;
            break;
        }
        // past the deepest point, or past the end of the ray
        if (ov_vec3_dot(f.slope, r->u) >= 0.0 || t >= r->end) {
            return;
        }
    }
    // an outer point before an inner one is before the entry
    for (int i = 0; i < MAX_NARROW && isfinite(b->upper) && b->upper - lower > 0.25 * r->goal;
         i++) {
        double t = 0.5 * (lower + b->upper);
        f = level_at(r, at(r, t));
        if (f.value < -f.noise) {
            b->upper = t;
        } else {
            lower = t;
            if (f.value > f.noise && r->s->kind != OV_SHAPE_KIND_SUPEROVOID) {
                b->lower = t;
            }
        }
    }
}

/** The best value in the bracket: one more step of Newton from the left. */
static void choose_best(const ray *r, bracket *b) {
    level f = level_at(r, at(r, b->lower));
    double along = ov_vec3_dot(f.slope, r->u);
    double t = along < 0.0 ? b->lower - f.value / along : b->lower;
    b->best = fmax(b->lower, fmin(b->upper, t));
    b->normal = ov_vec3_normalize(level_at(r, at(r, b->best)).slope);
}

static void newton_from_left(const ray *r, bracket *b) {
    for (int i = 0; i < MAX_NEWTON; i++) {
        level f = level_at(r, at(r, b->lower));
        double along = ov_vec3_dot(f.slope, r->u), above = f.value - f.noise;
        if (above <= 0.0) {
            break;
        }
        double down = -(along - slope_noise(f.slope));
        if (along >= slope_noise(f.slope) || down <= 0.0) {
            b->miss = true;
            return;
        }
        double next = b->lower + above / down;
        if (next > r->end) {
            b->miss = true;
            return;
        }
        if (!(next > b->lower)) {
            break;
        }
        b->lower = next;
    }
    find_inner_point(r, b);
}

/* ---- cuts by the support function */

/**
 * Takes the plane across n into account (any length but zero). What is before b->lower is known to
 * be free, so it is enough that the plane keeps the ray out from there on.
 */
static bool cut(const ray *r, ov_vec3 n, bracket *b) {
    n = ov_vec3_normalize(n);
    ov_support h;
    if (ovi_support_point(r->s, n, &h) != OV_OK) {
        return false;
    }
    double beyond = ov_vec3_dot(n, at(r, b->lower)) - h.value - r->rounding;
    double down = slope_noise(n) - ov_vec3_dot(n, r->u);
    if (!(beyond > 0.0)) {
        return false;
    }
    if (down <= 0.0 || b->lower + beyond / down > r->end) {
        b->miss = true;
        return true;
    }
    b->lower += beyond / down;
    return true;
}

/** Across the ray: the plane that a ray which misses nearly runs along. */
static void cut_beside(const ray *r, ov_vec3 n, bracket *b) {
    n = ov_vec3_add_scaled(n, r->u, -ov_vec3_dot(n, r->u));
    if (ov_vec3_dot(n, n) > 0.0) {
        (void)cut(r, n, b);
    }
}

/** Newton on the gauge of a tapered body, which need not be convex off the surface. */
static double raw_entry(const ray *r, ov_vec3 *slope) {
    double t = 0.0;
    level f = level_at(r, at(r, t));
    for (int i = 0; i < MAX_RAW; i++) {
        double along = ov_vec3_dot(f.slope, r->u);
        if (fabs(f.value) <= f.noise || !(along < 0.0) || t > r->end) {
            break;
        }
        double next = fmax(0.0, t - f.value / along);
        if (next == t) {
            break;
        }
        t = next;
        f = level_at(r, at(r, t));
    }
    *slope = f.slope;
    return t;
}

static void cast_tapered(const ray *r, bracket *b) {
    ov_vec3 slope;
    (void)raw_entry(r, &slope);
    (void)cut(r, slope, b);
    if (!b->miss) {
        cut_beside(r, slope, b);
    }
    for (int i = 0; i < MAX_CUTS && !b->miss; i++) {
        level f = level_at(r, at(r, b->lower));
        if (f.value <= f.noise) {
            break;
        }
        double before = b->lower;
        if (!cut(r, f.slope, b) || b->lower - before <= 0.01 * r->rounding) {
            break;
        }
    }
    if (!b->miss) {
        find_inner_point(r, b);
    }
}

/* ---- general: cuts at the nearest point */

static ov_status nearest(const ray *r, double t, ov_contact *c) {
    ov_pair_options options = ov_default_pair_options();
    options.tolerance = OV_TOLERANCE_MIN;
    return ov_point_contact(r->s, ov_pose_identity(), at(r, t), &options, c);
}

static ov_status cast_general(const ray *r, bracket *b) {
    ov_contact c;
    ov_status status = OV_OK;
    for (int i = 0; i < MAX_CUTS; i++) {
        status = nearest(r, b->lower, &c);
        if (status < 0) {
            return status;
        }
        b->normal = c.normal;
        if (c.relation == OV_RELATION_OVERLAPPING) {
            b->upper = b->lower;
            break;
        }
        double before = b->lower;
        bool further = cut(r, c.normal, b);
        if (b->miss) {
            return OV_OK;
        }
        if (!further || b->lower - before <= 0.01 * r->goal) {
            break;
        }
    }
    cut_beside(r, b->normal, b);
    double step = fmax(0.1 * r->goal, 4.0 * r->rounding);
    for (int i = 0; i < MAX_WIDEN && !b->miss && isinf(b->upper); i++, step *= 2.0) {
        double t = fmin(b->lower + step, r->end);
        status = nearest(r, t, &c);
        if (status < 0) {
            return status;
        }
        if (c.relation == OV_RELATION_OVERLAPPING) {
            b->upper = t;
        }
        if (t >= r->end ||
            (c.relation == OV_RELATION_SEPARATED && ov_vec3_dot(c.normal, r->u) >= 0.0)) {
            break;
        }
    }
    b->best = isinf(b->upper) ? b->lower : 0.5 * (b->lower + b->upper);
    return OV_OK;
}

/* ---- flat kinds */

/** Side of an edge of the triangle, as a length in its plane, positive inside. */
static double inside_edge(ov_vec3 from, ov_vec3 to, ov_vec3 third, ov_vec3 n, ov_vec3 x) {
    ov_vec3 in = ov_vec3_normalize(ov_vec3_cross(n, ov_vec3_sub(to, from)));
    double side = ov_vec3_dot(in, ov_vec3_sub(third, from)) < 0.0 ? -1.0 : 1.0;
    return side * ov_vec3_dot(in, ov_vec3_sub(x, from));
}

static void cast_triangle(const ray *r, bracket *b) {
    const ov_vec3 *v = r->s->u.vertices;
    ov_vec3 e1 = ov_vec3_sub(v[1], v[0]), e2 = ov_vec3_sub(v[2], v[0]);
    ov_vec3 n = ov_vec3_normalize(ov_vec3_cross(e1, e2));
    double height = ov_vec3_dot(n, ov_vec3_sub(r->o, v[0]));
    n = height < 0.0 ? ov_vec3_neg(n) : n;
    height = fabs(height);
    double down = -ov_vec3_dot(n, r->u), noise = r->rounding;
    if (height > noise && down <= -slope_noise(n)) {
        b->miss = true;
        return;
    }
    if (down <= slope_noise(n) || height <= noise) {
        // along the plane, or from a point of it: only cuts can decide
        for (int i = 0; i < 3; i++) {
            ov_vec3 in = ov_vec3_cross(n, ov_vec3_sub(v[(i + 1) % 3], v[i]));
            (void)cut(r, in, b);
            if (!b->miss) {
                (void)cut(r, ov_vec3_neg(in), b);
            }
        }
        return;
    }
    double t = height / down, width = (noise + slope_noise(n) * t) / down;
    ov_vec3 x = at(r, t);
    double least = INFINITY, margin = noise + width;
    for (int i = 0; i < 3; i++) {
        least = fmin(least, inside_edge(v[i], v[(i + 1) % 3], v[(i + 2) % 3], n, x));
    }
    b->lower = fmax(0.0, t - width);
    b->miss = least < -margin || b->lower > r->end;
    if (least > margin && t + width <= r->end) {
        b->upper = t + width;
        b->best = t;
        b->normal = n;
    }
}

/** Segment and point: the cut across the ray at its closest approach. */
static void cast_thin(const ray *r, bracket *b) {
    const ov_vec3 *v = r->s->u.vertices;
    if (r->s->kind == OV_SHAPE_KIND_SEGMENT) {
        (void)cut(r, ov_vec3_cross(r->u, ov_vec3_sub(v[1], v[0])), b);
        if (!b->miss) {
            (void)cut(r, ov_vec3_cross(ov_vec3_sub(v[1], v[0]), r->u), b);
        }
    }
    for (int i = 0; i < 2 && !b->miss; i++) {
        ov_contact c;
        if (nearest(r, b->lower, &c) >= 0) {
            (void)cut(r, c.normal, b);
            cut_beside(r, c.normal, b);
        }
    }
}

/* ---- the query */

static bool begins_inside(const ray *r) {
    if (ovi_is_family(r->s->kind) || has_level(r->s)) {
        level f = level_at(r, r->o);
        if (f.value < -f.noise) {
            return true;
        }
        if (r->s->dent == 0.0) {
            return false;
        }
    }
    if (r->s->kind >= OV_SHAPE_KIND_TRIANGLE && r->s->kind <= OV_SHAPE_KIND_POINT) {
        return false;
    }
    ov_contact c;
    return nearest(r, 0.0, &c) >= 0 && c.relation == OV_RELATION_OVERLAPPING;
}

static ov_status cast_kind(const ray *r, bracket *b) {
    switch (r->s->kind) {
    case OV_SHAPE_KIND_TRIANGLE:
        cast_triangle(r, b);
        return OV_OK;
    case OV_SHAPE_KIND_SEGMENT:
    case OV_SHAPE_KIND_POINT:
        cast_thin(r, b);
        return OV_OK;
    case OV_SHAPE_KIND_SUPEROVOID:
        cast_tapered(r, b);
        break;
    default:
        if (!has_level(r->s)) {
            return cast_general(r, b);
        }
        newton_from_left(r, b);
        break;
    }
    bool wide = !b->miss && !(b->upper - b->lower <= r->goal);
    if (wide && r->s->kind == OV_SHAPE_KIND_SUPEROVOID) {
        double inner = b->upper;
        b->upper = INFINITY;
        ov_status status = cast_general(r, b);
        if (inner <= b->upper) {
            b->upper = inner;
            b->best = fmin(fmax(b->best, b->lower), inner);
        }
        return status;
    }
    choose_best(r, b);
    return OV_OK;
}

/** Moves the beginning to where the ray enters the ball that holds the body; false: it misses. */
static bool clip_to_ball(ray *r, double *skipped) {
    *skipped = 0.0;
    double radius = r->s->ball.radius;
    if (isinf(radius)) {
        return true;
    }
    ov_vec3 to_centre = ov_vec3_sub(r->s->ball.centre, r->o);
    double middle = ov_vec3_dot(to_centre, r->u), wide = radius + 2.0 * r->rounding;
    double off = ov_vec3_length(ov_vec3_add_scaled(to_centre, r->u, -middle));
    if (off > wide) {
        return false;
    }
    double half = sqrt((wide - off) * (wide + off)) + 2.0 * r->rounding;
    if (middle + half < 0.0 || middle - half > r->end) {
        return false;
    }
    r->end = fmin(r->end, middle + half);
    *skipped = fmax(0.0, middle - half);
    r->o = at(r, *skipped);
    r->end -= *skipped;
    return true;
}

ov_status ovi_check_ray(ov_vec3 direction, double reach, ov_vec3 *unit) {
    if (!ov_vec3_is_finite(direction) || isnan(reach)) {
        return OV_ERROR_NOT_FINITE;
    }
    *unit = ov_vec3_normalize(direction);
    if (!(ov_vec3_dot(*unit, *unit) > 0.5)) {
        return OV_ERROR_ZERO_DIRECTION;
    }
    return reach < 0.0 ? OV_ERROR_OPTION : OV_OK;
}

ov_status ovi_ray_place(const ov_shape *shape, ov_pose pose, ov_vec3 origin, ov_vec3 direction,
                        double reach, ovi_ray *ray) {
    ov_shape dot;
    ovi_pair pair;
    ov_vec3 unit;
    (void)ov_shape_make_point(ov_vec3_make(0.0, 0.0, 0.0), &dot);
    ov_status status = ovi_pair_place(shape, pose, &dot, (ov_pose){origin, ov_quat_identity()},
                                      NULL, &pair, &ray->frame);
    status = status == OV_OK ? ovi_check_ray(direction, reach, &unit) : status;
    if (status == OV_OK) {
        ray->o = pair.offset;
        ray->u = ov_vec3_normalize(ov_mat3_tmul_vec3(&ray->frame.turn, unit));
        ray->goal = pair.goal;
        ray->rounding = pair.rounding;
    }
    return status;
}

static ov_status make_ray(const ov_shape *shape, ov_pose pose, ov_vec3 origin, ov_vec3 direction,
                          double reach, ray *r, ov_mat3 *turn) {
    ovi_ray placed;
    ov_status status = ovi_ray_place(shape, pose, origin, direction, reach, &placed);
    if (status != OV_OK) {
        return status;
    }
    *turn = placed.frame.turn;
    *r = (ray){.s = shape,
               .o = placed.o,
               .u = placed.u,
               .end = reach,
               .goal = placed.goal,
               .rounding = placed.rounding};
    if (shape->kind == OV_SHAPE_KIND_HALFSPACE) {
        // it has no size of its own; the height above it takes its place
        r->goal += 1e-9 * (ov_vec3_length(r->o) + fabs(shape->u.halfspace.offset));
    }
    return OV_OK;
}

ov_status ov_ray_cast(const ov_shape *shape, ov_pose pose, ov_vec3 origin, ov_vec3 direction,
                      double reach, ov_ray_hit *hit) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_ray_cast(shape, pose, origin, direction, reach, hit));
    if (hit == NULL) {
        return OV_ERROR_NULL;
    }
    *hit = ovi_ray_hit_none(NAN);
    ray r;
    ov_mat3 turn;
    ov_status status = make_ray(shape, pose, origin, direction, reach, &r, &turn);
    if (status != OV_OK) {
        return status;
    }
    *hit = ovi_ray_hit_none(INFINITY);
    double skipped;
    if (!clip_to_ball(&r, &skipped)) {
        return OV_OK;
    }
    bracket b = {.lower = 0.0, .upper = INFINITY};
    if (skipped == 0.0 && begins_inside(&r)) {
        b = (bracket){.upper = 0.0, .normal = ov_vec3_neg(r.u)};
    } else {
        status = cast_kind(&r, &b);
    }
    if (status < 0 || b.miss) {
        return status;
    }
    hit->hit = isfinite(b.upper);
    // where it enters the ball is known to no more than rounding
    double slack = skipped > 0.0 ? r.rounding : 0.0;
    hit->distance_lower = fmax(0.0, skipped + b.lower - slack);
    hit->distance_upper = skipped + fmin(b.upper, r.end) + slack;
    if (!hit->hit) {
        return OV_NOT_CONVERGED;
    }
    hit->distance = skipped + b.best;
    hit->point = ov_vec3_add_scaled(origin, ov_vec3_normalize(direction), hit->distance);
    hit->normal = ov_mat3_mul_vec3(&turn, b.normal);
    return b.upper - b.lower <= r.goal ? OV_OK : OV_NOT_CONVERGED;
}
