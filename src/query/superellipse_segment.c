/**
 * @file superellipse_segment.c
 * @brief The superellipse against a finite segment, in the plane [Thesis, Appendix B].
 *
 * The thesis takes the infinite line first, in closed form, and where its nearest point is beyond
 * the segment it asks whether an end of the segment is inside the curve. Here the ends get their
 * true distance, an overlap its least translation, and both are proven. In the curve's frame, with
 * h the support function of the curve, X(n) its support point, p and q the ends of the segment:
 *
 *     1. every unit n gives a lower bound of the gap, g(n) = min(n.p, n.q) - h(n), and every point
 *        of the curve with one of the segment an upper bound, their distance
 *     2. apart, the best n is either across the segment (closed) or that of an end: the nearest
 *        point of the curve is the one root of (p - X).t, t the tangent, over a quarter of the
 *        curve, parametrised by the ray (1 - u, u); it is bracketed, so every exponent converges
 *     3. overlapping, the depth is the least -g over the circle. -g is convex and homogeneous, and
 *        s = X(n) - (p or q) is a subgradient at n: over an arc between n1 and n2,
 *        -g >= max(s1.n, s2.n), whose least value is closed. Arcs are split where it is, until none
 *        is left that could hold a smaller depth: both bounds are global
 *
 * The size of the pair is the larger of hypot(a1, a2) and half the segment.
 */
#include "../math/rounding_mode.h"
#include "query_internal.h"

typedef struct planar {
    const ov_superellipse *curve;
    ov_vec2 p, q; // in the curve's frame
    double size, goal, rounding;
} planar;

/** What is known, in the curve's frame. */
typedef struct planar_result {
    double lower, upper, gap;
    ov_vec2 a, b, normal;
    int iterations;
} planar_result;

static double dot(ov_vec2 a, ov_vec2 b) { return a.x * b.x + a.y * b.y; }
static double cross(ov_vec2 a, ov_vec2 b) { return a.x * b.y - a.y * b.x; }
static ov_vec2 sub(ov_vec2 a, ov_vec2 b) { return (ov_vec2){a.x - b.x, a.y - b.y}; }
static ov_vec2 add_scaled(ov_vec2 a, ov_vec2 b, double s) {
    return (ov_vec2){a.x + s * b.x, a.y + s * b.y};
}
static ov_vec2 left_of(ov_vec2 a) { return (ov_vec2){-a.y, a.x}; }
static ov_vec2 unit(ov_vec2 a) {
    double length = hypot(a.x, a.y);
    return (ov_vec2){a.x / length, a.y / length};
}

/** A direction with the support of the curve, and of the segment the other way. */
typedef struct spread {
    ov_vec2 n, x, end; // support points of both
    ov_vec2 s;         // x - end: subgradient of the depth
    double depth;      // -g(n)
} spread;

static spread spread_at(const planar *w, ov_vec2 n) {
    const ov_superellipse *c = w->curve;
    double u = c->a1 * n.x, v = c->a2 * n.y;
    ovi_p_norm_parts parts = ovi_p_norm_split(u, v, ovi_dual(c->e));
    ovi_p_norm h = ovi_p_norm_gradient(u, v, &parts);
    spread out = {.n = n, .x = {c->a1 * h.du, c->a2 * h.dv}};
    out.end = dot(n, w->p) < dot(n, w->q) ? w->p : w->q;
    out.s = sub(out.x, out.end);
    out.depth = h.value - dot(n, out.end);
    return out;
}

/** The point of the segment that is nearest to another one. */
static ov_vec2 nearest_on_segment(const planar *w, ov_vec2 to) {
    ov_vec2 along = sub(w->q, w->p);
    double square = dot(along, along);
    double share = square > 0.0 ? dot(sub(to, w->p), along) / square : 0.0;
    return share <= 0.0 ? w->p : share >= 1.0 ? w->q : add_scaled(w->p, along, share);
}

/** Takes a direction as the new lower bound, where it is one. */
static void offer_direction(const planar *w, ov_vec2 n, planar_result *r) {
    spread s = spread_at(w, n);
    r->iterations++;
    if (-s.depth - w->rounding > r->lower) {
        r->lower = -s.depth - w->rounding;
        r->normal = n;
    }
}

/** Takes a pair of points as the new upper bound, where it is one. */
static void offer_points(const planar *w, ov_vec2 a, ov_vec2 b, planar_result *r) {
    double distance = hypot(b.x - a.x, b.y - a.y);
    if (distance + w->rounding < r->upper) {
        r->upper = distance + w->rounding;
        r->gap = distance;
        r->a = a;
        r->b = b;
    }
}

/* ---- apart */

/** Across the segment, on the side where the curve is. */
static void try_line(const planar *w, planar_result *r) {
    ov_vec2 along = sub(w->q, w->p);
    if (along.x == 0.0 && along.y == 0.0) {
        return;
    }
    ov_vec2 n = unit(left_of(along));
    if (dot(n, w->p) < 0.0) {
        n = (ov_vec2){-n.x, -n.y};
    }
    ov_vec2 x = spread_at(w, n).x;
    offer_points(w, x, nearest_on_segment(w, x), r);
    offer_direction(w, n, r);
}

/** Point of the first quarter of the curve, with its normal. */
typedef struct place {
    ov_vec2 x, n;
    double residual; // (p - x).t: positive where the nearest point is further on
} place;

static place place_at(const ov_superellipse *c, double u, ov_vec2 p) {
    double a = 1.0 - u;
    ovi_p_norm_parts parts = ovi_p_norm_split(a, u, ovi_primal(c->e));
    ovi_p_norm m = ovi_p_norm_gradient(a, u, &parts);
    place out;
    out.x = (ov_vec2){c->a1 * (a / m.value), c->a2 * (u / m.value)};
    out.n = unit((ov_vec2){m.du * c->a2, m.dv * c->a1});
    out.residual = dot(sub(p, out.x), left_of(out.n));
    return out;
}

enum { MAX_ROOT = 160 };

/** Root of the residual by false position, halving the bracket whenever that is slow. */
static place nearest_place(const planar *w, ov_vec2 p, int *iterations) {
    const ov_superellipse *c = w->curve;
    double lo = 0.0, hi = 1.0;
    double at_lo = place_at(c, lo, p).residual, at_hi = place_at(c, hi, p).residual;
    if (!(at_lo > 0.0)) {
        return place_at(c, lo, p);
    }
    if (!(at_hi < 0.0)) {
        return place_at(c, hi, p);
    }
    place best = place_at(c, 0.5, p);
    double mid = 0.5;
    for (int i = 0; i < MAX_ROOT; i++) {
        (*iterations)++;
        double width = hi - lo;
        if (best.residual > 0.0) {
            lo = mid;
            at_lo = best.residual;
            at_hi *= 0.5; // Illinois: the end that stays counts for less
        } else {
            hi = mid;
            at_hi = best.residual;
            at_lo *= 0.5;
        }
        if (fabs(best.residual) <= 1e-3 * w->rounding || hi - lo <= 0x1p-54 * hi) {
            break;
        }
        double next = (lo * at_hi - hi * at_lo) / (at_hi - at_lo);
        bool slow = i % 3 == 2 && hi - lo > 0.25 * width;
        mid = slow || !(next > lo && next < hi) ? 0.5 * (lo + hi) : next;
        if (!(mid > lo && mid < hi)) {
            break;
        }
        best = place_at(c, mid, p);
    }
    return best;
}

/** An end of the segment: by symmetry in the first quarter. */
static void try_end(const planar *w, ov_vec2 end, planar_result *r) {
    ov_vec2 p = {fabs(end.x), fabs(end.y)};
    place at = nearest_place(w, p, &r->iterations);
    ov_vec2 x = {copysign(at.x.x, end.x), copysign(at.x.y, end.y)};
    ov_vec2 n = {copysign(at.n.x, end.x), copysign(at.n.y, end.y)};
    ov_vec2 towards = sub(end, x);
    offer_points(w, x, nearest_on_segment(w, x), r);
    // on a flat the normal of the point is the better one, in a corner the way to the end
    offer_direction(w, n, r);
    if (dot(towards, n) > 0.0) {
        offer_direction(w, unit(towards), r);
    }
}

/* ---- overlapping */

/** Least gauge on the segment: it is convex along it. */
static double least_gauge(const planar *w, int *iterations) {
    const ov_superellipse *c = w->curve;
    ov_vec2 along = sub(w->q, w->p);
    double lo = 0.0, hi = 1.0, least = INFINITY;
    for (int i = 0; i < 64; i++) {
        double share = i == 0 ? 0.0 : i == 1 ? 1.0 : 0.5 * (lo + hi);
        ov_vec2 at = add_scaled(w->p, along, share);
        double u = at.x / c->a1, v = at.y / c->a2;
        ovi_p_norm_parts parts = ovi_p_norm_split(u, v, ovi_primal(c->e));
        ovi_p_norm m = ovi_p_norm_gradient(u, v, &parts);
        least = fmin(least, m.value);
        (*iterations)++;
        if (i > 1) {
            double slope = m.du * along.x / c->a1 + m.dv * along.y / c->a2;
            lo = slope < 0.0 ? share : lo;
            hi = slope < 0.0 ? hi : share;
        }
    }
    return least;
}

typedef struct arc {
    spread lo, hi;
    double bound;
    ov_vec2 split;
} arc;

/** Least of max(s1.n, s2.n) over the arc, and where to split it. */
static arc make_arc(spread lo, spread hi) {
    arc a = {lo, hi, fmin(lo.depth, hi.depth), {lo.n.x + hi.n.x, lo.n.y + hi.n.y}};
    ov_vec2 middle = a.split;
    ov_vec2 difference = sub(lo.s, hi.s);
    if (difference.x != 0.0 || difference.y != 0.0) {
        ov_vec2 n = unit(left_of(difference));
        if (dot(n, middle) < 0.0) {
            n = (ov_vec2){-n.x, -n.y};
        }
        if (cross(lo.n, n) >= 0.0 && cross(n, hi.n) >= 0.0) {
            a.bound = fmin(a.bound, fmin(dot(lo.s, n), dot(hi.s, n)));
            double turn = cross(lo.n, hi.n);
            // close to an end the middle is the better place
            a.split = cross(lo.n, n) > 0.02 * turn && cross(n, hi.n) > 0.02 * turn ? n : middle;
        }
    }
    a.split = unit(a.split);
    return a;
}

enum { FIRST_ARCS = 8, MAX_ARCS = 256, MAX_SPLITS = 600, MAX_POLISH = 60 };

static spread shallower(spread a, spread b) { return b.depth < a.depth ? b : a; }

/** A direction of least depth, between two others on either side of the zero of its slope. */
typedef struct dip {
    spread lo, best, hi;
} dip;

/** Brings a direction to the zero of the depth's slope, if one is near. */
static dip polish(const planar *w, spread best, int *iterations) {
    dip d = {best, best, best};
    ov_vec2 n = best.n, t = left_of(n);
    double reach = 1e-4;
    for (int i = 0; i < 3; i++, reach *= 20.0) {
        d.lo = spread_at(w, unit(add_scaled(n, t, -reach)));
        d.hi = spread_at(w, unit(add_scaled(n, t, reach)));
        if (dot(d.lo.s, left_of(d.lo.n)) <= 0.0 && dot(d.hi.s, left_of(d.hi.n)) >= 0.0) {
            break;
        }
        if (i == 2) {
            return (dip){best, best, best};
        }
    }
    double lo = -reach, hi = reach;
    for (int i = 0; i < MAX_POLISH; i++) {
        double mid = 0.5 * (lo + hi);
        spread s = spread_at(w, unit(add_scaled(n, t, mid)));
        d.best = s.depth <= d.best.depth ? s : d.best;
        (*iterations)++;
        if (dot(s.s, left_of(s.n)) > 0.0) {
            hi = mid;
            d.hi = s;
        } else {
            lo = mid;
            d.lo = s;
        }
    }
    // depths tell their least only to the root of rounding, the slope's zero is sharper
    spread zero = shallower(d.lo, d.hi);
    d.best = zero.depth <= d.best.depth + 0.1 * w->rounding ? zero : d.best;
    return d;
}

/**
 * Witness points of a dip. On a flat of the curve, or across the segment, the support points jump
 * from one end of a face to the other: the points are taken where the two faces face each other.
 */
static void place_witnesses(const dip *d, planar_result *r) {
    ov_vec2 n = d->best.n, t = left_of(n);
    double a1 = dot(d->lo.x, t), a2 = dot(d->hi.x, t);
    double b1 = dot(d->lo.end, t), b2 = dot(d->hi.end, t);
    double from = fmax(fmin(a1, a2), fmin(b1, b2)), to = fmin(fmax(a1, a2), fmax(b1, b2));
    double at = 0.5 * (from + to), level = dot(d->best.x, n);
    r->a = (ov_vec2){level * n.x + at * t.x, level * n.y + at * t.y};
    r->b = add_scaled(r->a, n, r->gap);
}

/** Arcs that are still worth a split; the others have told their bound to `proven`. */
typedef struct arcs {
    arc each[MAX_ARCS];
    int count;
    double proven;
} arcs;

static void add_arc(arcs *all, arc a, double enough) {
    if (a.bound >= enough || all->count == MAX_ARCS) {
        all->proven = fmin(all->proven, a.bound);
    } else {
        all->each[all->count++] = a;
    }
}

/** Takes out the arc with the least bound. */
static arc take_arc(arcs *all) {
    int least = 0;
    for (int i = 1; i < all->count; i++) {
        least = all->each[i].bound < all->each[least].bound ? i : least;
    }
    arc a = all->each[least];
    all->each[least] = all->each[--all->count];
    return a;
}

/** Least depth over the circle, with a proven bound of it: see the head of this file. */
static void find_depth(const planar *w, planar_result *r) {
    spread first[FIRST_ARCS];
    for (int i = 0; i < FIRST_ARCS; i++) {
        ovi_cos_sin t = ovi_cos_sin_of_step((size_t)i, FIRST_ARCS);
        // off the axes, which are the directions of corners
        first[i] = spread_at(w, unit((ov_vec2){t.c - 0.1 * t.s, t.s + 0.1 * t.c}));
    }
    spread best = first[0];
    for (int i = 1; i < FIRST_ARCS; i++) {
        best = shallower(best, first[i]);
    }
    // across the segment is a frequent answer, and makes most arcs superfluous
    ov_vec2 along = sub(w->q, w->p);
    if (along.x != 0.0 || along.y != 0.0) {
        ov_vec2 n = unit(left_of(along));
        best = shallower(best, spread_at(w, n));
        best = shallower(best, spread_at(w, (ov_vec2){-n.x, -n.y}));
    }
    best = polish(w, best, &r->iterations).best;
    double margin = 0.25 * w->goal;
    arcs all = {.count = 0, .proven = INFINITY};
    for (int i = 0; i < FIRST_ARCS; i++) {
        add_arc(&all, make_arc(first[i], first[(i + 1) % FIRST_ARCS]), best.depth - margin);
    }
    for (int i = 0; i < MAX_SPLITS && all.count > 0; i++) {
        arc a = take_arc(&all);
        spread s = spread_at(w, a.split);
        r->iterations++;
        best = shallower(best, s);
        add_arc(&all, make_arc(a.lo, s), best.depth - margin);
        add_arc(&all, make_arc(s, a.hi), best.depth - margin);
    }
    for (int i = 0; i < all.count; i++) {
        all.proven = fmin(all.proven, all.each[i].bound);
    }
    dip d = polish(w, best, &r->iterations);
    r->gap = -d.best.depth;
    r->lower = r->gap - w->rounding;
    r->upper = fmin(r->upper, w->rounding - fmin(all.proven, d.best.depth));
    r->normal = d.best.n;
    place_witnesses(&d, r);
}

/* ---- the query */

static ov_status solve(const planar *w, planar_result *r, ov_relation *relation) {
    *relation = OV_RELATION_UNDECIDED;
    try_line(w, r);
    if (!(r->upper - r->lower <= w->goal && r->lower > 0.0)) {
        try_end(w, w->p, r);
        try_end(w, w->q, r);
    }
    if (r->lower > 0.0) {
        *relation = OV_RELATION_SEPARATED;
        r->gap = fmax(r->lower, fmin(r->gap, r->upper));
        return r->upper - r->lower <= w->goal ? OV_OK : OV_NOT_CONVERGED;
    }
    // a point of both, deeper inside than rounding
    double least = least_gauge(w, &r->iterations);
    double inner = fmin(w->curve->a1, w->curve->a2) * sqrt(0.5);
    bool overlap = (1.0 - least) * inner > w->rounding;
    if (overlap) {
        // the curve holds a copy of itself, shrunk by 1 - least, around that point
        r->upper = -((1.0 - least) * inner - w->rounding);
        find_depth(w, r);
        *relation = OV_RELATION_OVERLAPPING;
    } else if (!(r->upper - r->lower <= w->goal)) {
        // neither apart nor proven to overlap: the search may still find a better direction
        planar_result deep = *r;
        find_depth(w, &deep);
        r->normal = deep.lower > r->lower ? deep.normal : r->normal;
        r->lower = fmax(r->lower, deep.lower);
        r->iterations = deep.iterations;
    }
    if (!overlap && r->lower <= 0.0 && r->upper >= 0.0 && r->upper - r->lower <= w->goal) {
        *relation = OV_RELATION_TOUCHING;
    }
    r->gap = fmax(r->lower, fmin(r->gap, r->upper));
    return r->upper - r->lower <= w->goal ? OV_OK : OV_NOT_CONVERGED;
}

static ov_status check_input(const ov_superellipse *curve, const double *numbers, int count,
                             const ov_pair_options *options) {
    ov_superellipse same;
    if (ov_superellipse_make(curve->a1, curve->a2, curve->e, &same) != OV_OK) {
        return OV_ERROR_SHAPE;
    }
    for (int i = 0; i < count; i++) {
        if (!isfinite(numbers[i])) {
            return OV_ERROR_NOT_FINITE;
        }
    }
    for (int i = 0; i < count; i++) {
        if (fabs(numbers[i]) > OV_POSITION_MAX) {
            return OV_ERROR_SIZE_RANGE;
        }
    }
    bool fits = options->tolerance >= OV_TOLERANCE_MIN && options->tolerance <= OV_TOLERANCE_MAX &&
                (options->depth == OV_DEPTH_GLOBAL || options->depth == OV_DEPTH_LOCAL);
    return fits ? OV_OK : OV_ERROR_OPTION;
}

ov_status ov_superellipse_segment(const ov_superellipse *curve, ov_vec2 position, double angle_rad,
                                  ov_vec2 p, ov_vec2 q, const ov_pair_options *options,
                                  ov_contact2 *contact) {
    OVI_ROUND_TO_NEAREST(
        ov_status, ov_superellipse_segment(curve, position, angle_rad, p, q, options, contact));
    if (curve == NULL || contact == NULL) {
        return OV_ERROR_NULL;
    }
    const ov_vec2 none = {NAN, NAN};
    *contact = (ov_contact2){NAN, NAN, NAN, none, none, none, OV_RELATION_UNDECIDED, OV_OK, 0};
    ov_pair_options chosen = ovi_pair_options_of(options);
    const double numbers[] = {position.x, position.y, angle_rad, p.x, p.y, q.x, q.y};
    contact->status = check_input(curve, numbers, 7, &chosen);
    if (contact->status != OV_OK) {
        return contact->status;
    }
    ovi_cos_sin turn = ovi_cos_sin_of_angle(angle_rad);
    ov_vec2 axis = {turn.c, turn.s}, to_p = sub(p, position), to_q = sub(q, position);
    planar w = {.curve = curve};
    w.p = (ov_vec2){dot(axis, to_p), cross(axis, to_p)};
    w.q = (ov_vec2){dot(axis, to_q), cross(axis, to_q)};
    double reach = fmax(hypot(w.p.x, w.p.y), hypot(w.q.x, w.q.y));
    w.size = fmax(hypot(curve->a1, curve->a2), 0.5 * hypot(q.x - p.x, q.y - p.y));
    w.rounding = 32.0 * DBL_EPSILON * (reach + w.size);
    w.goal = fmax(chosen.tolerance * w.size, 4.0 * w.rounding);
    planar_result r = {.lower = -INFINITY, .upper = INFINITY, .gap = NAN, .normal = {1.0, 0.0}};
    contact->status = solve(&w, &r, &contact->relation);

    contact->gap = r.gap;
    contact->gap_lower = r.lower;
    contact->gap_upper = r.upper;
    ov_vec2 across = left_of(axis);
    contact->point_a = add_scaled(add_scaled(position, axis, r.a.x), across, r.a.y);
    contact->point_b = add_scaled(add_scaled(position, axis, r.b.x), across, r.b.y);
    contact->normal = (ov_vec2){r.normal.x * axis.x + r.normal.y * across.x,
                                r.normal.x * axis.y + r.normal.y * across.y};
    contact->iterations = r.iterations;
    return contact->status;
}
