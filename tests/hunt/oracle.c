/* The oracle of the hunt: see oracle.h. */
#include "oracle.h"

#include <math.h>

/* ---- vectors --------------------------------------------------------------------------------- */

rvec rv(real x, real y, real z) { return (rvec){x, y, z}; }
rvec rv_add(rvec a, rvec b) { return rv(a.x + b.x, a.y + b.y, a.z + b.z); }
rvec rv_sub(rvec a, rvec b) { return rv(a.x - b.x, a.y - b.y, a.z - b.z); }
rvec rv_scale(rvec a, real s) { return rv(a.x * s, a.y * s, a.z * s); }
real rv_dot(rvec a, rvec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
rvec rv_cross(rvec a, rvec b) {
    return rv(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
real rv_length(rvec a) { return sqrtl(rv_dot(a, a)); }
rvec rv_unit(rvec a) {
    real l = rv_length(a);
    return l > 0.0L ? rv_scale(a, 1.0L / l) : a;
}

rvec rm_apply(const rmat *m, rvec v) {
    return rv(rv_dot(m->x, v), rv_dot(m->y, v), rv_dot(m->z, v));
}

rvec rm_apply_transposed(const rmat *m, rvec v) {
    return rv_add(rv_add(rv_scale(m->x, v.x), rv_scale(m->y, v.y)), rv_scale(m->z, v.z));
}

rmat rm_mul(const rmat *a, const rmat *b) {
    return (rmat){rm_apply_transposed(b, a->x), rm_apply_transposed(b, a->y),
                  rm_apply_transposed(b, a->z)};
}

rmat rm_quaternion(real w, real x, real y, real z) {
    real l = sqrtl(w * w + x * x + y * y + z * z);
    w /= l, x /= l, y /= l, z /= l;
    return (rmat){{w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
                  {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
                  {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}};
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/**
 * (u^q + v^q)^(1/q) for q = 2/(2-e): the support of the curve |x|^(2/e) + |y|^(2/e) = 1 along (u,
 * v), both not negative, and the point (x, y) that has it (x null: not asked for).
 */
static real curve_support(real u, real v, real e, real *x, real *y) {
    real high = fmaxl(u, v), low = fminl(u, v);
    real part = 0.0L, sum = high;
    if (low > 0.0L && e < 2.0L) {
        real iq = 0.5L * (2.0L - e);
        part = expl(logl(low / high) / iq);
        sum = high * expl(iq * log1pl(part));
    }
    if (x == NULL) {
        return sum;
    }
    real big = powl(1.0L / (1.0L + part), 0.5L * e);
    real small = part > 0.0L ? powl(part / (1.0L + part), 0.5L * e) : 0.0L;
    *x = u >= v ? big : small;
    *y = u >= v ? small : big;
    return sum;
}

static real smooth_support(const body *b, rvec n, rvec *point) {
    real x, y, m, z;
    real u = fabsl(b->a.x * n.x), v = fabsl(b->a.y * n.y), w = fabsl(b->a.z * n.z);
    real section = curve_support(u, v, b->e1, &x, &y);
    real value = curve_support(section, w, b->e2, &m, &z);
    *point = rv(copysignl(b->a.x * x * m, n.x), copysignl(b->a.y * y * m, n.y),
                copysignl(b->a.z * z, n.z));
    return value;
}

/* Tapered bodies. (1 - |zeta|^p)^(1/p) with p = 2/e2 and |zeta| = 1 - t, for all t to rounding. */
static real tapered_width(const body *b, real t) {
    if (t <= 0.0L) {
        return 0.0L;
    }
    if (t >= 1.0L) {
        return 1.0L;
    }
    real p = 2.0L / b->e2;
    return expl(logl(-expm1l(p * log1pl(-t))) / p);
}

/** 1 + taper zeta: near a pole where it vanishes, the sum of two small terms of one sign. */
static real tapered_factor(real taper, int side, real t) {
    real part = fabsl(taper);
    return taper * (real)side < 0.0L ? (1.0L - part) + part * t : 1.0L + part * (1.0L - t);
}

real body_tapered_height(const body *b, rvec n, int side, real t) {
    real section =
        curve_support(fabsl(b->a.x * n.x) * tapered_factor(b->tx, side, t),
                      fabsl(b->a.y * n.y) * tapered_factor(b->ty, side, t), b->e1, NULL, NULL);
    return n.z * b->a.z * (real)side * (1.0L - t) + tapered_width(b, t) * section;
}

rvec body_tapered_point(const body *b, int side, real t, real n1, real n2) {
    real x, y;
    real f1 = tapered_factor(b->tx, side, t), f2 = tapered_factor(b->ty, side, t);
    curve_support(fabsl(b->a.x * n1) * f1, fabsl(b->a.y * n2) * f2, b->e1, &x, &y);
    real w = tapered_width(b, t);
    return rv(copysignl(b->a.x * f1 * w * x, n1), copysignl(b->a.y * f2 * w * y, n2),
              b->a.z * (real)side * (1.0L - t));
}

static void add_node(body *b, body_node *nodes, int side, real t, bool at_pole) {
    body_node *k = &nodes[b->node_count++];
    real f1 = tapered_factor(b->tx, side, t), f2 = tapered_factor(b->ty, side, t);
    *k = (body_node){.t = t,
                     .zeta = (double)((real)side * (1.0L - t)),
                     .width = (double)tapered_width(b, t),
                     .f1 = (double)f1,
                     .f2 = (double)f2,
                     .log_ratio = (double)logl(f2 / f1),
                     .side = side,
                     .at_pole = at_pole};
}

/** The k-th of one side's heights from its pole to the equator, as t. */
enum { NODES_POLE = 180, NODES_MIDDLE = 64, NODES_EQUATOR = 40 };
static real side_height(int k) {
    const real edge = 0.02L;
    if (k < NODES_POLE) { // eight a decade
        return edge * powl(1e-24L / edge, (real)(NODES_POLE - 1 - k) / (NODES_POLE - 1));
    }
    k -= NODES_POLE - 1;
    if (k <= NODES_MIDDLE) {
        return edge + (1.0L - 2.0L * edge) * (real)k / NODES_MIDDLE;
    }
    k -= NODES_MIDDLE;
    return 1.0L - edge * powl(1e-18L / edge, (real)k / NODES_EQUATOR);
}

/** Heights from the lower pole up, closer together towards poles and equator. */
static void make_nodes(body *b, body_node *nodes) {
    const int count = NODES_POLE + NODES_MIDDLE + NODES_EQUATOR;
    b->node_count = 0;
    b->nodes = nodes;
    for (int side = -1; side <= 1; side += 2) {
        add_node(b, nodes, side, side < 0 ? 0.0L : 1.0L, side < 0);
        for (int i = 0; i < count; i++) {
            real t = side_height(side < 0 ? i : count - 1 - i);
            add_node(b, nodes, side, t, t < 0.5L);
        }
    }
    add_node(b, nodes, 1, 0.0L, true);
}

/** (section support) / (u1 f1) or the like, in double: the search for brackets needs no more. */
static double node_height(const body *b, const body_node *k, double u, double v, double w,
                          double log_uv) {
    double first = u * k->f1, second = v * k->f2, high = fmax(first, second), section = high;
    double iq = 0.5 * (2.0 - (double)b->e1), r = log_uv + k->log_ratio;
    if (iq >= 1.0) {
        section = first + second;
    } else if (iq == 0.5) {
        section = sqrt(first * first + second * second);
    } else if (iq > 0.0 && fabs(r) < 40.0 * iq) {
        section = high * exp(iq * log1p(exp(-fabs(r) / iq)));
    }
    return w * k->zeta + k->width * section;
}

/** Height at a coordinate, log t or log |zeta|, and the t of it. */
static real at_coordinate(const body *b, rvec n, int side, bool at_pole, real s, real *t) {
    *t = at_pole ? expl(s) : 1.0L - expl(s);
    return body_tapered_height(b, n, side, *t);
}

/** Brent's maximisation between two coordinates, to 1e-9; where bevels (e1 next to 2) of two tapers
 *  make a kink, and the error is not that squared, as far as it goes. */
static real refine(const body *b, rvec n, const body_node *k, real lo, real hi, real *best_t) {
    const real golden = 0.3819660112501051518L;
    real x = lo + golden * (hi - lo), w = x, v = x, t, d = 0.0L, e = 0.0L;
    real fx = at_coordinate(b, n, k->side, k->at_pole, x, best_t), fw = fx, fv = fx;
    real tol = b->e1 > 1.2L && b->tx != b->ty ? 2e-17L : 1e-9L;
    for (int i = 0; i < 150; i++) {
        real mid = 0.5L * (lo + hi);
        if (fabsl(x - mid) <= 2.0L * tol - 0.5L * (hi - lo)) {
            break;
        }
        real r = (x - w) * (fx - fv), q = (x - v) * (fx - fw), p = (x - v) * q - (x - w) * r;
        q = 2.0L * (q - r);
        p = q > 0.0L ? -p : p;
        q = fabsl(q);
        real before = e;
        e = d;
        if (fabsl(p) < fabsl(0.5L * q * before) && p > q * (lo - x) && p < q * (hi - x)) {
            d = p / q;
        } else {
            e = x < mid ? hi - x : lo - x;
            d = golden * e;
        }
        real u = x + (fabsl(d) >= tol ? d : copysignl(tol, d));
        real fu = at_coordinate(b, n, k->side, k->at_pole, u, &t);
        if (fu >= fx) {
            *(u >= x ? &lo : &hi) = x;
            v = w, fv = fw, w = x, fw = fx, x = u, fx = fu, *best_t = t;
        } else {
            *(u < x ? &lo : &hi) = u;
            if (fu >= fw || w == x) {
                v = w, fv = fw, w = u, fw = fu;
            } else if (fu >= fv || v == x || v == w) {
                v = u, fv = fu;
            }
        }
    }
    return fx;
}

static real node_coordinate(const body_node *of, const body_node *k) {
    real zeta = 1.0L - k->t;
    if (of->side != k->side || (of->at_pole ? k->t : zeta) <= 0.0L) {
        return of->at_pole ? logl(1e-26L) : logl(1e-19L); // beyond the last of its side
    }
    return of->at_pole ? logl(k->t) : logl(zeta);
}

enum { TOPS = 3 };

/** The best local maxima of the nodes' heights, no two of them neighbours. */
static size_t find_tops(const body *b, rvec n, size_t tops[TOPS]) {
    double value[BODY_NODES_MAX];
    real scale = fmaxl(fabsl(n.x * b->a.x) + fabsl(n.y * b->a.y), fabsl(n.z * b->a.z));
    double u = (double)fabsl(n.x * b->a.x / scale), v = (double)fabsl(n.y * b->a.y / scale);
    double w = (double)(n.z * b->a.z / scale);
    double log_uv = u > 0.0 && v > 0.0 ? log(v / u) : u > 0.0 ? -1e30 : 1e30;
    size_t count = 0, last = b->node_count - 1;
    for (size_t i = 0; i <= last; i++) {
        value[i] = node_height(b, &b->nodes[i], u, v, w, log_uv);
    }
    for (size_t i = 0; i <= last; i++) {
        if ((i > 0 && value[i - 1] > value[i]) || (i < last && value[i + 1] >= value[i])) {
            continue;
        }
        size_t at = count < TOPS ? count++ : TOPS;
        for (; at > 0 && value[tops[at - 1]] < value[i]; at--) {
            if (at < TOPS) {
                tops[at] = tops[at - 1];
            }
        }
        if (at < TOPS) {
            tops[at] = i;
        }
    }
    return count;
}

typedef struct top {
    real value, t;
    int side;
} top;

/** Between two nodes about a third, by the coordinate of that one. */
static void refine_between(const body *b, rvec n, size_t before, size_t at, size_t after,
                           top *best) {
    const body_node *k = &b->nodes[at];
    real t = k->t, value = body_tapered_height(b, n, k->side, t);
    if (value > best->value) {
        *best = (top){value, t, k->side};
    }
    if (t <= 0.0L || t >= 1.0L) {
        k += at == 0 ? 1 : -1; // a pole, or the equator: its neighbour names the coordinate
    }
    real lo = node_coordinate(k, &b->nodes[before]), hi = node_coordinate(k, &b->nodes[after]);
    value = refine(b, n, k, fminl(lo, hi), fmaxl(lo, hi), &t);
    if (value > best->value) {
        *best = (top){value, t, k->side};
    }
}

/**
 * Bevels with two tapers: the section's support is nearly the larger one of two, each with a top of
 * its own, which may lie closer together than the nodes. Each is found for itself, and then the top
 * of both about there.
 */
static void refine_bevels(const body *b, rvec n, top *best) {
    size_t tops[TOPS], last = b->node_count - 1;
    for (int first = 0; first < 2; first++) {
        rvec one = rv(first ? n.x : 0.0L, first ? 0.0L : n.y, n.z);
        if (rv_length(one) == 0.0L) {
            continue;
        }
        size_t count = find_tops(b, one, tops);
        for (size_t i = 0; i < count; i++) {
            size_t k = tops[i];
            top alone = {-INFINITY, 0.0L, 1};
            refine_between(b, one, k > 0 ? k - 1 : 0, k, k < last ? k + 1 : last, &alone);
            if (alone.t <= 0.0L || alone.t >= 1.0L) {
                continue; // a node
            }
            // the whole is no lower there; it may be a little higher close by
            real t = alone.t, value = body_tapered_height(b, n, alone.side, t);
            body_node at = {.t = t, .side = alone.side, .at_pole = t < 0.5L};
            real s = node_coordinate(&at, &at);
            for (real wide = 0.05L;; wide *= 0.01L) {
                if (value > best->value) {
                    *best = (top){value, t, alone.side};
                }
                if (wide < 1e-7L) {
                    break;
                }
                value = refine(b, n, &at, s - wide, fminl(s + wide, logl(0.999L)), &t);
            }
        }
    }
}

static real tapered_support(const body *b, rvec n, rvec *point) {
    size_t tops[TOPS], last = b->node_count - 1, count = find_tops(b, n, tops);
    top best = {-INFINITY, 0.0L, 1};
    for (size_t i = 0; i < count; i++) {
        size_t k = tops[i];
        refine_between(b, n, k > 0 ? k - 1 : 0, k, k < last ? k + 1 : last, &best);
    }
    if (b->e1 > 1.2L && b->tx != b->ty) {
        refine_bevels(b, n, &best);
    }
    *point = body_tapered_point(b, best.side, best.t, n.x, n.y);
    return best.value;
}

/** Every interval for itself that comes near the top. */
static real tapered_support_careful(const body *b, rvec n) {
    rvec p;
    top best = {tapered_support(b, n, &p), 0.0L, 1};
    real near = best.value - 0.01L * b->reach * rv_length(n);
    for (size_t i = 0; i + 1 < b->node_count; i++) {
        const body_node *k = &b->nodes[i];
        if (body_tapered_height(b, n, k->side, k->t) > near) {
            refine_between(b, n, i, i, i + 1, &best);
            refine_between(b, n, i > 0 ? i - 1 : 0, i, i, &best);
        }
    }
    return best.value;
}

static real round_support(const body *b, rvec n, rvec *point) {
    real across = sqrtl(n.x * n.x + n.y * n.y), length = rv_length(n);
    rvec rim = across > 0.0L ? rv(b->radius * n.x / across, b->radius * n.y / across, 0.0L)
                             : rv(b->radius, 0.0L, 0.0L);
    if (b->kind == BODY_CAPSULE) {
        *point = rv_add(rv(0.0L, 0.0L, copysignl(b->half, n.z)), rv_scale(n, b->radius / length));
        return b->half * fabsl(n.z) + b->radius * length;
    }
    if (b->kind == BODY_CYLINDER) {
        *point = rv(rim.x, rim.y, copysignl(b->half, n.z));
        return b->half * fabsl(n.z) + b->radius * across;
    }
    if (b->kind == BODY_CONE) {
        real base = b->radius * across - b->half * n.z, tip = b->half * n.z;
        *point = tip > base ? rv(0.0L, 0.0L, b->half) : rv(rim.x, rim.y, -b->half);
        return fmaxl(base, tip);
    }
    if (b->half * n.z > b->radius * length) { // a drop's tip
        *point = rv(0.0L, 0.0L, b->half);
        return b->half * n.z;
    }
    *point = rv_scale(n, b->radius / length);
    return b->radius * length;
}

static real points_support(const body *b, rvec n, rvec *point) {
    real best = -INFINITY;
    for (size_t i = 0; i < b->count; i++) {
        real h = rv_dot(n, b->points[i]);
        if (h > best) {
            best = h;
            *point = b->points[i];
        }
    }
    return best;
}

real body_support(const body *b, rvec n, rvec *point) {
    switch (b->kind) {
    case BODY_SMOOTH:
        return smooth_support(b, n, point);
    case BODY_TAPERED:
        return tapered_support(b, n, point);
    case BODY_POINTS:
        return points_support(b, n, point);
    case BODY_BOX: {
        real length = rv_length(n);
        *point = rv_add(rv(copysignl(b->a.x, n.x), copysignl(b->a.y, n.y), copysignl(b->a.z, n.z)),
                        rv_scale(n, b->radius / length));
        return b->a.x * fabsl(n.x) + b->a.y * fabsl(n.y) + b->a.z * fabsl(n.z) + b->radius * length;
    }
    case BODY_HALFSPACE: // along its normal only
        *point = rv_scale(b->normal, b->offset);
        return b->offset;
    default:
        return round_support(b, n, point);
    }
}

void body_finish(body *b, body_node *nodes) {
    real across = fmaxl(b->a.x * (1.0L + fabsl(b->tx)), b->a.y * (1.0L + fabsl(b->ty)));
    switch (b->kind) {
    case BODY_SMOOTH:
    case BODY_TAPERED: {
        // the corner of the box around it, or the longest semi-axis where it bulges no further
        rvec corner = rv(b->a.x * (1.0L + fabsl(b->tx)), b->a.y * (1.0L + fabsl(b->ty)), b->a.z);
        bool round = b->e1 == 1.0L && b->e2 == 1.0L && b->kind == BODY_SMOOTH;
        b->reach = round ? fmaxl(across, b->a.z) : rv_length(corner);
        break;
    }
    case BODY_HALFSPACE:
        b->reach = fabsl(b->offset);
        break;
    case BODY_BOX:
        b->reach = rv_length(b->a) + b->radius;
        break;
    case BODY_CAPSULE:
        b->reach = b->half + b->radius;
        break;
    case BODY_DROP:
        b->reach = fmaxl(b->half, b->radius);
        break;
    case BODY_POINTS:
        b->reach = 0.0L;
        for (size_t i = 0; i < b->count; i++) {
            b->reach = fmaxl(b->reach, rv_length(b->points[i]));
        }
        break;
    default:
        b->reach = hypotl(b->half, b->radius);
    }
    if (b->kind == BODY_TAPERED) {
        make_nodes(b, nodes);
    }
}

/* ---- is a point inside ----------------------------------------------------------------------- */

/** (x^p + y^p)^(1/p) for p = 2/e, both not negative. */
static real mean_power(real x, real y, real e) {
    real high = fmaxl(x, y), low = fminl(x, y);
    return low > 0.0L ? high * expl(0.5L * e * log1pl(expl(logl(low / high) * (2.0L / e)))) : high;
}

bool body_holds(const body *b, rvec p) {
    real across = hypotl(p.x, p.y);
    switch (b->kind) {
    case BODY_SMOOTH:
    case BODY_TAPERED: {
        real t = (b->a.z - fabsl(p.z)) / b->a.z;
        if (t < 0.0L) {
            return false;
        }
        int side = p.z < 0.0L ? -1 : 1;
        real x = fabsl(p.x) / (b->a.x * tapered_factor(b->tx, side, t));
        real y = fabsl(p.y) / (b->a.y * tapered_factor(b->ty, side, t));
        return mean_power(x, y, b->e1) <= tapered_width(b, t);
    }
    case BODY_BOX: {
        rvec q = rv(fmaxl(fabsl(p.x) - b->a.x, 0.0L), fmaxl(fabsl(p.y) - b->a.y, 0.0L),
                    fmaxl(fabsl(p.z) - b->a.z, 0.0L));
        return rv_length(q) <= b->radius;
    }
    case BODY_CAPSULE:
        return hypotl(across, fmaxl(fabsl(p.z) - b->half, 0.0L)) <= b->radius;
    case BODY_CYLINDER:
        return across <= b->radius && fabsl(p.z) <= b->half;
    case BODY_CONE:
        return fabsl(p.z) <= b->half && across * 2.0L * b->half <= b->radius * (b->half - p.z);
    case BODY_HALFSPACE:
        return rv_dot(p, b->normal) <= b->offset;
    default:
        return false;
    }
}

/* ---- pairs ----------------------------------------------------------------------------------- */

real pair_height(const placed *a, const placed *b, rvec n, rvec *difference) {
    rvec pa, pb, d = rv_sub(b->position, a->position);
    real ha = body_support(a->body, rm_apply_transposed(&a->turn, n), &pa);
    real hb = body_support(b->body, rv_scale(rm_apply_transposed(&b->turn, n), -1.0L), &pb);
    if (difference != NULL) {
        *difference = rv_add(d, rv_sub(rm_apply(&b->turn, pb), rm_apply(&a->turn, pa)));
    }
    return rv_dot(n, d) - ha - hb;
}

static real support_careful(const body *b, rvec n) {
    rvec p;
    return b->kind == BODY_TAPERED ? tapered_support_careful(b, n) : body_support(b, n, &p);
}

real pair_height_careful(const placed *a, const placed *b, rvec n) {
    real ha = support_careful(a->body, rm_apply_transposed(&a->turn, n));
    real hb = support_careful(b->body, rv_scale(rm_apply_transposed(&b->turn, n), -1.0L));
    return rv_dot(n, rv_sub(b->position, a->position)) - ha - hb;
}

typedef struct simplex {
    size_t count;
    rvec p[4];
    real weight[4];
} simplex;

/** The point of it, as a convex combination whatever the weights were. */
static rvec simplex_point(simplex *s) {
    real sum = 0.0L;
    rvec v = {0.0L, 0.0L, 0.0L};
    for (size_t i = 0; i < s->count; i++) {
        s->weight[i] = fmaxl(s->weight[i], 0.0L);
        sum += s->weight[i];
    }
    for (size_t i = 0; i < s->count; i++) {
        v = rv_add(v, rv_scale(s->p[i], s->weight[i] / sum));
    }
    return v;
}

static void keep_nearest(const simplex *candidate, simplex *best, real *best_length) {
    simplex c = *candidate;
    rvec v = simplex_point(&c);
    real length = rv_length(v);
    if (length < *best_length) {
        *best_length = length;
        *best = c;
    }
}

static void nearest_on_segment(rvec p, rvec q, simplex *best, real *length) {
    rvec e = rv_sub(q, p);
    real ee = rv_dot(e, e), t = ee > 0.0L ? -rv_dot(p, e) / ee : 0.0L;
    t = fminl(fmaxl(t, 0.0L), 1.0L);
    simplex c = {2, {p, q}, {1.0L - t, t}};
    if (t == 0.0L || t == 1.0L) {
        c = (simplex){1, {t == 0.0L ? p : q}, {1.0L}};
    }
    keep_nearest(&c, best, length);
}

static void nearest_on_triangle(rvec p, rvec q, rvec r, simplex *best, real *length) {
    rvec n = rv_cross(rv_sub(q, p), rv_sub(r, p));
    real nn = rv_dot(n, n);
    if (nn > 0.0L) {
        real u = rv_dot(n, rv_cross(q, r)), v = rv_dot(n, rv_cross(r, p));
        real w = rv_dot(n, rv_cross(p, q));
        if (u >= 0.0L && v >= 0.0L && w >= 0.0L && u + v + w > 0.0L) {
            simplex c = {3, {p, q, r}, {u, v, w}};
            keep_nearest(&c, best, length);
        }
    }
    nearest_on_segment(p, q, best, length);
    nearest_on_segment(q, r, best, length);
    nearest_on_segment(r, p, best, length);
}

/** Is the origin strictly in the tetrahedron? Four volumes of one sign, above rounding. */
static bool holds_origin(const rvec *p) {
    real sign = 0.0L;
    for (size_t i = 0; i < 4; i++) {
        rvec a = p[(i + 1) % 4], b = p[(i + 2) % 4], c = p[(i + 3) % 4];
        rvec e = rv_sub(b, a), f = rv_sub(c, a), n = rv_cross(e, f);
        real side = -rv_dot(n, a), opposite = rv_dot(n, rv_sub(p[i], a));
        real rounding = 4e-18L * rv_length(e) * rv_length(f) * (rv_length(a) + rv_length(p[i]));
        if (side * opposite <= 0.0L || fabsl(side) <= rounding || fabsl(opposite) <= rounding) {
            return false;
        }
        sign = side;
    }
    return sign != 0.0L;
}

/** Reduces a simplex to the part nearest to the origin; true where the origin is inside. */
static bool reduce(simplex *s, real *length) {
    simplex best = {0};
    *length = INFINITY;
    rvec *p = s->p;
    if (s->count == 4 && holds_origin(p)) {
        *length = 0.0L;
        return true;
    }
    if (s->count == 4) {
        nearest_on_triangle(p[0], p[1], p[2], &best, length);
        nearest_on_triangle(p[0], p[1], p[3], &best, length);
        nearest_on_triangle(p[0], p[2], p[3], &best, length);
        nearest_on_triangle(p[1], p[2], p[3], &best, length);
    } else if (s->count == 3) {
        nearest_on_triangle(p[0], p[1], p[2], &best, length);
    } else if (s->count == 2) {
        nearest_on_segment(p[0], p[1], &best, length);
    } else {
        s->weight[0] = 1.0L;
        *length = rv_length(p[0]);
        return false;
    }
    *s = best;
    return false;
}

static real pair_scale(const placed *a, const placed *b) { return a->body->reach + b->body->reach; }

gap_bounds pair_gap(const placed *a, const placed *b, rvec start, real enough) {
    gap_bounds out = {-INFINITY, INFINITY, {0.0L, 0.0L, 1.0L}, false};
    rvec n = rv_unit(start);
    if (rv_length(n) == 0.0L) {
        n = rv_unit(rv_sub(b->position, a->position));
    }
    if (rv_length(n) == 0.0L) {
        n = rv(0.0L, 0.6L, 0.8L);
    }
    simplex s = {0};
    real tiny = 1e-19L * pair_scale(a, b);
    for (int i = 0; i < 300; i++) {
        rvec w;
        real g = pair_height(a, b, n, &w), length;
        if (g > out.lower) {
            out.lower = g;
            out.normal = n;
        }
        if (out.lower > enough || out.upper - out.lower <= tiny) {
            break;
        }
        s.p[s.count++] = w;
        out.common = reduce(&s, &length);
        if (out.common || length <= tiny) {
            out.common = out.common && out.lower <= 0.0L;
            out.upper = out.lower <= tiny ? 0.0L : out.upper;
            break;
        }
        if (length >= out.upper) {
            break; // rounding: no nearer any more
        }
        out.upper = length;
        if (isfinite(enough) && length <= enough) {
            break;
        }
        n = rv_unit(simplex_point(&s));
    }
    return out;
}

gap_bounds pair_halfspace(const placed *a, const placed *b) {
    const placed *plane = a->body->kind == BODY_HALFSPACE ? a : b;
    rvec n = rm_apply(&plane->turn, plane->body->normal), m = n;
    if (plane == b) {
        m = rv_scale(n, -1.0L);
    }
    const placed *other = plane == a ? b : a;
    rvec p;
    real h = body_support(other->body, rv_scale(rm_apply_transposed(&other->turn, n), -1.0L), &p);
    real gap = rv_dot(n, rv_sub(other->position, plane->position)) - h - plane->body->offset;
    return (gap_bounds){gap, gap, m, gap <= 0.0L};
}

/* ---- the least depth ------------------------------------------------------------------------- */

static void try_normal(const placed *a, const placed *b, rvec n, gap_bounds *bounds) {
    n = rv_unit(n);
    if (rv_length(n) == 0.0L) {
        return;
    }
    real g = pair_height(a, b, n, NULL);
    if (g > bounds->lower) {
        bounds->lower = g;
        bounds->normal = n;
    }
}

/** From a normal: steps in eight directions across it, each half as long when none helps. */
static void climb_from(const placed *a, const placed *b, rvec n, real step, gap_bounds *bounds) {
    real g = pair_height(a, b, n, NULL);
    for (int i = 0; i < 400 && step > 1e-9L; i++) {
        rvec u = rv_unit(fabsl(n.x) < 0.6L ? rv_cross(n, rv(1.0L, 0.0L, 0.0L))
                                           : rv_cross(n, rv(0.0L, 1.0L, 0.0L)));
        rvec v = rv_cross(n, u), best = n;
        real best_g = g;
        for (int k = 0; k < 8; k++) {
            // turned a little from step to step, so that no ridge is missed for good
            real angle = 0.78539816339744831L * (real)k + 0.7L * (real)i;
            rvec m = rv_unit(rv_add(
                n, rv_add(rv_scale(u, step * cosl(angle)), rv_scale(v, step * sinl(angle)))));
            real h = pair_height(a, b, m, NULL);
            if (h > best_g) {
                best_g = h;
                best = m;
            }
        }
        step *= best_g > g ? 1.3L : 0.5L;
        g = best_g;
        n = best;
    }
    try_normal(a, b, n, bounds);
}

/** Directions that a body's faces and edges have: its axes, or what joins its points. */
static size_t body_directions(const placed *p, rvec *out, size_t room) {
    size_t count = 0;
    const body *b = p->body;
    if (b->kind != BODY_POINTS) {
        out[count++] = rm_apply(&p->turn, rv(1.0L, 0.0L, 0.0L));
        out[count++] = rm_apply(&p->turn, rv(0.0L, 1.0L, 0.0L));
        out[count++] = rm_apply(&p->turn, rv(0.0L, 0.0L, 1.0L));
        return count;
    }
    for (size_t i = 0; i < b->count; i++) {
        for (size_t k = 0; k < i && count < room; k++) {
            out[count++] = rm_apply(&p->turn, rv_sub(b->points[i], b->points[k]));
        }
    }
    return count;
}

void pair_climb(const placed *a, const placed *b, bool hard, gap_bounds *bounds) {
    enum { ROOM = 28 };
    rvec dirs[2 * ROOM];
    size_t na = body_directions(a, dirs, ROOM), nb = body_directions(b, dirs + na, ROOM);
    size_t count = na + nb, limit = hard ? count : 6;
    for (size_t i = 0; i < count && i < limit; i++) {
        try_normal(a, b, dirs[i], bounds);
        try_normal(a, b, rv_scale(dirs[i], -1.0L), bounds);
        for (size_t k = 0; k < i; k++) {
            rvec c = rv_cross(dirs[i], dirs[k]);
            try_normal(a, b, c, bounds);
            try_normal(a, b, rv_scale(c, -1.0L), bounds);
        }
    }
    try_normal(a, b, rv_sub(b->position, a->position), bounds);
    if (!hard) {
        return;
    }
    climb_from(a, b, bounds->normal, 1e-2L, bounds);
    // a spiral over the sphere, and climbs from its best and from each octant's
    enum { SPIRAL = 160 };
    gap_bounds octant[8];
    for (int i = 0; i < 8; i++) {
        octant[i].lower = -INFINITY;
    }
    for (int i = 0; i < SPIRAL; i++) {
        real z = 1.0L - (2.0L * (real)i + 1.0L) / SPIRAL, phi = 2.39996322972865332L * (real)i;
        real r = sqrtl(1.0L - z * z);
        rvec n = rv(r * cosl(phi), r * sinl(phi), z);
        try_normal(a, b, n, &octant[(n.x > 0.0L) + 2 * (n.y > 0.0L) + 4 * (n.z > 0.0L)]);
    }
    for (int i = 0; i < 8; i++) {
        climb_from(a, b, octant[i].normal, 0.1L, bounds);
    }
}

real point_outside(const placed *b, rvec point, real enough) {
    rvec p = rm_apply_transposed(&b->turn, rv_sub(point, b->position));
    if (b->body->kind == BODY_HALFSPACE) {
        return fmaxl(rv_dot(p, b->body->normal) - b->body->offset, 0.0L);
    }
    if (body_holds(b->body, p)) {
        return 0.0L;
    }
    // most surface points are a rounding outside: a little nearer to the centre they are not
    rvec nearer = rv_scale(p, 1.0L - 1e-13L);
    if (rv_length(p) * 1e-13L <= enough && body_holds(b->body, nearer)) {
        return rv_length(rv_sub(p, nearer));
    }
    body single = {.kind = BODY_POINTS, .count = 1};
    placed at = {&single, b->turn, point};
    gap_bounds g = pair_gap(b, &at, rv(0.0L, 0.0L, 0.0L), enough);
    if (g.upper > enough && b->body->kind == BODY_TAPERED) {
        g.lower = pair_height_careful(b, &at, g.normal);
    }
    return g.upper <= enough ? g.upper : g.lower;
}
