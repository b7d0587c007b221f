/**
 * @file facet.c
 * @brief Pairs of facets: a fat polygon against a polygon, after [Toleranced, 4 and Listing 2],
 * made complete; facets that go through each other for certain; and nearest points.
 *
 * Polygon P, at the displacement g, is made fat (the paper's word) by a ball of displacements of
 * radius R: its point x can be anywhere within R rho(x) of g(x), its offset. F is the other
 * polygon, and c a length: what else may be between. The two can meet only if |g(x) - y| <= R
 * rho(x) + c for some x of P, y of F; then
 *
 *     f(x, y) = |g(x) - y|^2 - R^2 rho^2(x) - K <= 0,    K = 2 R rho_max c + c^2,
 *
 * with rho_max the largest rho on P. (Of all quadratic bounds with this c, this one is never wider
 * than R rho_max + c.) f is a quadratic function, so it is least within some product of a face of P
 * and a face of F (vertex, side or inside) on which its second derivative is positive definite:
 * were it not, one could go on along a straight line, f not growing, to a smaller product. So there
 * are
 *
 *  1. a vertex of P and F: a ball against a convex polygon.
 *  2. a side of P and a side of F, or a vertex of it: a quadratic in two variables, or one. Where R
 *     >= nu [Toleranced, (5)] it is concave along P's side and nothing is to be done: Remark 1.
 *  3. the inside of P and a vertex of F: a quadratic in two variables. Where it is not positive
 *     definite nothing is to be done; no polygon need be cut, as Remark 1 wants it.
 *  4. a side of P and the inside of F. y is the foot of g(x); let I be the part of the side with
 *     feet in F. At its ends x is a vertex, or y on a side of F: cases 1 and 2. If the side goes
 *     through the plane of F within I, then it goes through F itself, at g. If it does not, the
 *     distance from the plane is linear along I, and (R^2 rho^2 + K)^1/2, a norm of an affine
 *     function, is convex; so their difference is least at an end of I.
 *  5. the inside of P and a side of F. Let x(y) be the point where f(., y) is least in the plane of
 *     P; where that exists, f(x(y), y) = z^2 - |affine in y|^2, z the distance of y from the plane
 *     of g(P), so as before the least is at a vertex of F, or where x(y) is on a side of P (3 and
 *     2), unless z = 0 at some y0 with x(y0) in P. Then y0 is in g(P), and F's side goes through
 *     it; or the segment from x(y0) to y0 leaves P at a point b on a side. In this plane f(., y0)
 *     is convex and not positive at both ends of the segment, so f(b, y0) <= 0: case 2.
 *  6. both insides: never. Along a line of P that is parallel to the plane of F, with y the foot of
 *     g(x), f is a constant less R^2 rho^2: not convex, for rho^2 is strictly so (and for R = 0 one
 *     can go on along that line).
 *
 * Listing 2 has 1, 2 and 3. What it lacks is sides that go through insides, at g.
 *
 * Before all that come tests that end most cases: balls about both; and the planes of F and P, for
 * with r(x) = R rho(x) + c convex, n.g(x) - r(x) is least at a vertex, whatever n is.
 *
 * Rounding. Corners are taken as exact here (the caller has room for their error in `extra`). All
 * that is computed from their differences has an error of a few u L, with u = 2^-53 and L the size
 * of all that is looked at, including the distance of the centres; lengths are compared with 256 u
 * L more, which is part of c. For f that means 512 u L (R rho_max + c) more, and an f that is
 * evaluated as the square of a vector with an error of e, where it is about r^2, is off by 2 e r.
 * The rounding of R^2 rho^2 is less than 64 u R^2 rho_max^2, for which c has 64 u R rho_max, and R
 * times what rounded axes of the metric make of rho. There remains that a minimum is sought at a
 * wrong place. For one variable, f = a s^2 + 2 b s + ..., it is wrong by no more than ds = (error
 * of b + |s| error of a) / a, and f there by no more than a ds^2, which is allowed for. Where a is
 * too small to be told from zero, or less than half of what 256 u L makes of f, the minimum is not
 * looked for: f rises by no more than a on the way to the next end. (a is the difference of |u x
 * v|^2 and R^2 kappa, with errors of u |u| |u x v| and u R^2 kappa; where both are alike, R
 * kappa^1/2 <= 2 R rho_max makes the error no more than what c allows for.) Numbers that overflow
 * end in "could meet".
 *
 * Nearest points. The test above allows for all directions in which a polygon moves. Where it moves
 * past another one rather than towards it, a plane across the line between the nearest points shows
 * more: only what goes along its normal counts (sweep_polygons.c). Any direction will do for that,
 * and any two points of the polygons bound the distance from above; so nothing there need be exact.
 */
#include <math.h>

#include "../metric.h"
#include "facet.h"

/** u of the head. */
#define U (0.5 * DBL_EPSILON)

/** A test: two polygons, and the numbers of the head. */
typedef struct facet_test {
    const ovi_facet *a, *b;
    const ovi_distortion_form *form;
    double r, r2; /**< R, R^2 */
    double c, k;
    double most;          /**< R rho_max + c */
    double size, noise;   /**< L, 256 u L */
    const double *over_b; /**< heights of A's corners over the plane of B */
    const double *over_a; /**< heights of B's corners over the plane of A */
    ovi_feature_pair *features;
} facet_test;

static bool report(const facet_test *t, ov_sweep_element element, size_t a, size_t b) {
    *t->features = (ovi_feature_pair){element, (uint32_t)a, (uint32_t)b};
    return true;
}

static size_t next_of(const ovi_facet *f, size_t i) { return i + 1 < f->count ? i + 1 : 0; }

static double square(ov_vec3 v) { return ov_vec3_dot(v, v); }

/* ---- polygons and their metric */

void ovi_distortion_form_make(const ov_metric *metric, const ov_vec3 *corners, uint32_t count,
                              ov_vec3 centre, ov_vec3 p, ov_vec3 q, double *rho, double *kappa,
                              ov_vec2 *plane, ovi_distortion_form *form) {
    // lengths of these are lengths by J^-1
    ov_vec3 c = ovi_metric_whiten(metric, ov_vec3_sub(centre, metric->centre));
    ov_vec3 wp = ovi_metric_whiten(metric, p), wq = ovi_metric_whiten(metric, q);
    *form = (ovi_distortion_form){.rho = rho, .kappa = kappa, .plane = plane};
    form->middle = 1.0 / metric->mass + square(c);
    form->b1 = ov_vec3_dot(c, wp);
    form->b2 = ov_vec3_dot(c, wq);
    form->k11 = square(wp);
    form->k12 = ov_vec3_dot(wp, wq);
    form->k22 = square(wq);
    double reach = 0.0;
    for (size_t i = 0; i < count; i++) {
        ov_vec3 x = ov_vec3_sub(corners[i], metric->centre), d = ov_vec3_sub(corners[i], centre);
        ov_vec3 e = ov_vec3_sub(corners[i + 1 < count ? i + 1 : 0], corners[i]);
        rho[i] = sqrt(1.0 / metric->mass + square(ovi_metric_whiten(metric, x)));
        kappa[i] = square(ovi_metric_whiten(metric, e));
        plane[i] = (ov_vec2){ov_vec3_dot(d, p), ov_vec3_dot(d, q)};
        form->most = fmax(form->most, rho[i]);
        reach = fmax(reach, ov_vec3_length(x));
    }
    // metric.h says what each of three coordinates is off by; of the polygon's points all are
    // sums of three or less that are no longer than this
    ov_vec3 m = metric->moments;
    form->blur = 8.0 * OVI_METRIC_ROUNDING * reach / sqrt(fmin(m.x, fmin(m.y, m.z)));
    form->most += form->blur;
}

void ovi_facet_place(const ovi_facet *local, const ov_affine *map, ov_vec3 *room,
                     ovi_facet *placed) {
    *placed = *local;
    placed->corners = room;
    placed->centre = ov_affine_apply(map, local->centre);
    placed->p = ov_mat3_mul_vec3(&map->linear, local->p);
    placed->q = ov_mat3_mul_vec3(&map->linear, local->q);
    double far = 0.0;
    for (size_t i = 0; i < local->count; i++) {
        room[i] = ov_affine_apply(map, local->corners[i]);
        far = fmax(far, square(ov_vec3_sub(room[i], placed->centre)));
    }
    placed->radius = sqrt(far) * (1.0 + 8.0 * U);
    // what is off before is off by this many times as much after
    double stretch = sqrt(square(map->linear.cx) + square(map->linear.cy) + square(map->linear.cz));
    placed->deviation = local->deviation * stretch;
    ov_vec3 across = ov_vec3_cross(placed->p, placed->q);
    double area = ov_vec3_length(across);
    double lengths = sqrt(square(placed->p) * square(placed->q));
    placed->thin = !(area > 1e-6 * lengths);
    if (placed->thin) {
        // no point of it is further from the sides than it is wide
        double longer = fmax(square(placed->p), square(placed->q));
        placed->normal = ov_vec3_make(0.0, 0.0, 1.0);
        placed->deviation += longer > 0.0 ? 2.0 * local->radius * area / sqrt(longer) : 0.0;
        placed->deviation += 64.0 * U * placed->radius;
        return;
    }
    placed->normal = ov_vec3_scale(across, 1.0 / area);
    placed->deviation += 8.0 * U * placed->radius * (lengths / area);
}

/* ---- 4 and 5: sides that go through insides */

/** Is a point of the plane inside, by more than `margin` (with its sign) from all sides? */
static bool is_inside(const ovi_facet *f, ov_vec3 point, double margin) {
    for (size_t i = 0; i < f->count; i++) {
        ov_vec3 e = ov_vec3_sub(f->corners[next_of(f, i)], f->corners[i]);
        ov_vec3 inward = ov_vec3_cross(f->normal, e);
        double depth = ov_vec3_dot(inward, ov_vec3_sub(point, f->corners[i]));
        if (!(depth >= (margin != 0.0 ? margin * ov_vec3_length(e) : 0.0))) {
            return false;
        }
    }
    return true;
}

/** A side of `by` that goes through the inside of f; by->count where there is none. */
static size_t crossing_side(const ovi_facet *by, const double *over, const ovi_facet *f) {
    for (size_t i = 0; i < by->count && !f->thin; i++) {
        size_t next = next_of(by, i);
        double lo = over[i], hi = over[next];
        if (!((lo < 0.0) ^ (hi < 0.0))) {
            continue;
        }
        ov_vec3 e = ov_vec3_sub(by->corners[next], by->corners[i]);
        if (is_inside(f, ov_vec3_add_scaled(by->corners[i], e, lo / (lo - hi)), 0.0)) {
            return i;
        }
    }
    return by->count;
}

static bool sides_cross(const facet_test *t) {
    size_t side = crossing_side(t->a, t->over_b, t->b);
    if (side < t->a->count) {
        return report(t, OV_SWEEP_ELEMENT_EDGE_FACE, side, 0);
    }
    side = crossing_side(t->b, t->over_a, t->a);
    return side < t->b->count && report(t, OV_SWEEP_ELEMENT_EDGE_FACE, 0, side);
}

/* ---- 1: vertices of A */

/** Square of the distance of x from the side of f that begins with corner i. */
static double side_distance2(const ovi_facet *f, size_t i, ov_vec3 x) {
    ov_vec3 e = ov_vec3_sub(f->corners[next_of(f, i)], f->corners[i]);
    ov_vec3 w = ov_vec3_sub(x, f->corners[i]);
    double along = ov_vec3_dot(w, e), length2 = square(e);
    double s = along <= 0.0 ? 0.0 : along < length2 ? along / length2 : 1.0;
    return square(ov_vec3_add_scaled(w, e, -s));
}

/** Is x, which is not further than that from the plane of f, as near to f as the root of `reach2`?
 */
static bool is_near(const ovi_facet *f, ov_vec3 x, double reach2) {
    bool inside = !f->thin;
    for (size_t i = 0; i < f->count; i++) {
        ov_vec3 w = ov_vec3_sub(x, f->corners[i]);
        ov_vec3 e = ov_vec3_sub(f->corners[next_of(f, i)], f->corners[i]);
        if (!f->thin && ov_vec3_dot(ov_vec3_cross(f->normal, e), w) >= 0.0) {
            continue;
        }
        inside = false;
        if (!(side_distance2(f, i, x) > reach2)) {
            return true;
        }
    }
    return inside;
}

static bool vertices_meet(const facet_test *t) {
    for (size_t i = 0; i < t->a->count; i++) {
        double r = t->r * t->form->rho[i];
        if (!t->b->thin && fabs(t->over_b[i]) > r + t->c) {
            continue;
        }
        if (is_near(t->b, t->a->corners[i], r * r + t->k)) {
            return report(t, OV_SWEEP_ELEMENT_VERTEX_FACE, i, 0);
        }
    }
    return false;
}

/* ---- 2: sides of A */

/** A side of A: s goes from 0 to 1 along u; its offset squared, (R rho)^2, is start + 2 beta s +
 *  kappa s^2. */
typedef struct offset_side {
    ov_vec3 from, u;
    double length2; /**< |u|^2 */
    double start, beta, kappa;
    double most; /**< R rho + c at its ends */
} offset_side;

static offset_side side_of(const facet_test *t, size_t i) {
    size_t next = next_of(t->a, i);
    double rho0 = t->form->rho[i], rho1 = t->form->rho[next];
    offset_side s = {.from = t->a->corners[i],
                     .u = ov_vec3_sub(t->a->corners[next], t->a->corners[i]),
                     .most = t->r * fmax(rho0, rho1) + t->c};
    s.length2 = square(s.u);
    s.start = t->r2 * rho0 * rho0;
    s.kappa = t->r2 * t->form->kappa[i];
    s.beta = 0.5 * (t->r2 * rho1 * rho1 - s.start - s.kappa);
    return s;
}

static double offset_square(const offset_side *s, double at) {
    return s->start + at * (2.0 * s->beta + at * s->kappa);
}

/** The side against a corner; w goes from that to the side's first end. */
static bool side_meets_corner(const facet_test *t, const offset_side *s, ov_vec3 w) {
    double a = s->length2 - s->kappa, b = ov_vec3_dot(w, s->u) - s->beta;
    if (!(a > 0.0) || b >= 0.0 || -b >= a) {
        return false;
    }
    double at = -b / a;
    return !(square(ov_vec3_add_scaled(w, s->u, at)) > offset_square(s, at) + t->k);
}

/**
 * The side against the side that goes along v from where w begins. With v a unit, the square of the
 * distance of a point of A's side from the line of the other is |(w + s u) x v|^2: a quadratic in s
 * alone. Outside both sides' ends the minimum is that of another case.
 */
static bool side_meets_side(const facet_test *t, const offset_side *s, ov_vec3 w, ov_vec3 v) {
    double length = sqrt(square(v)), u_length = sqrt(s->length2);
    v = ov_vec3_scale(v, 1.0 / length);
    ov_vec3 uv = ov_vec3_cross(s->u, v), wv = ov_vec3_cross(w, v);
    double q2 = square(uv), q = sqrt(q2);
    double a = q2 - s->kappa, b = ov_vec3_dot(wv, uv) - s->beta;
    double error_a = 16.0 * U * (q * u_length + s->kappa);
    if (!(a > error_a + 0.5 * t->noise * t->most)) {
        return false; // so flat that an end is as good
    }
    double error_b =
        16.0 * U * (t->size * q + sqrt(square(wv)) * u_length + fabs(s->beta) + fabs(b));
    double at = -b / a, off = 2.0 * (error_b + error_a * fabs(at)) / (a - error_a);
    if (at + off < 0.0 || at - off > 1.0) {
        return false;
    }
    double foot = ov_vec3_dot(ov_vec3_add_scaled(w, s->u, at), v);
    double foot_off = off * u_length + 16.0 * U * t->size;
    if (foot + foot_off < 0.0 || foot - foot_off > length) {
        return false;
    }
    at = at < 0.0 ? 0.0 : at < 1.0 ? at : 1.0;
    off = off < 1.0 ? off : 1.0;
    double least = square(ov_vec3_cross(ov_vec3_add_scaled(w, s->u, at), v));
    return !(least - (a + error_a) * off * off > offset_square(s, at) + t->k);
}

static bool sides_meet(const facet_test *t) {
    const ovi_facet *b = t->b;
    double blur = 4.0 * U * t->size * 4.0 * t->a->radius * b->radius;
    for (size_t i = 0; i < t->a->count; i++) {
        offset_side s = side_of(t, i);
        if (!b->thin) {
            double h0 = t->over_b[i], h1 = t->over_b[next_of(t->a, i)];
            if ((h0 > s.most && h1 > s.most) || (h0 < -s.most && h1 < -s.most)) {
                continue;
            }
        }
        double most2 = s.most * s.most;
        for (size_t j = 0; j < b->count; j++) {
            ov_vec3 w = ov_vec3_sub(s.from, b->corners[j]);
            if (side_meets_corner(t, &s, w)) {
                return report(t, OV_SWEEP_ELEMENT_EDGE_EDGE, i, j);
            }
            ov_vec3 v = ov_vec3_sub(b->corners[next_of(b, j)], b->corners[j]);
            ov_vec3 n = ov_vec3_cross(s.u, v);
            // the lines are further apart than the side's offset
            double apart = fabs(ov_vec3_dot(w, n)) - blur;
            if (apart > 0.0 && apart * apart > most2 * square(n)) {
                continue;
            }
            if (side_meets_side(t, &s, w, v)) {
                return report(t, OV_SWEEP_ELEMENT_EDGE_EDGE, i, j);
            }
        }
    }
    return false;
}

/* ---- 3: the inside of A */

/** Hessian of f in the plane of A: (h11, h12; h12, h22), by halves. */
typedef struct hessian {
    double h11, h12, h22, determinant;
    double lowest; /**< the smaller eigenvalue is not below this */
    double size;   /**< of the terms */
} hessian;

static hessian hessian_of(const facet_test *t) {
    const ovi_distortion_form *f = t->form;
    double pp = square(t->a->p), qq = square(t->a->q);
    hessian h = {.h11 = pp - t->r2 * f->k11,
                 .h12 = ov_vec3_dot(t->a->p, t->a->q) - t->r2 * f->k12,
                 .h22 = qq - t->r2 * f->k22,
                 .size = pp + qq + t->r2 * (f->k11 + f->k22)};
    h.determinant = h.h11 * h.h22 - h.h12 * h.h12;
    double trace = h.h11 + h.h22;
    h.lowest = h.h11 > 0.0 && trace > 0.0 ? h.determinant / trace : -1.0;
    return h;
}

/** Is the point (x, y) of A's plane outside it by more than `off`? */
static bool is_outside(const facet_test *t, double x, double y, double off) {
    for (size_t i = 0; i < t->a->count; i++) {
        ov_vec2 c = t->form->plane[i], d = t->form->plane[next_of(t->a, i)];
        double ex = d.x - c.x, ey = d.y - c.y;
        double depth = ex * (y - c.y) - ey * (x - c.x);
        if (depth < 0.0 && depth * depth > off * off * (ex * ex + ey * ey)) {
            return true;
        }
    }
    return false;
}

static bool inside_meets_corner(const facet_test *t, const hessian *h, ov_vec3 corner) {
    const ovi_distortion_form *f = t->form;
    ov_vec3 w = ov_vec3_sub(t->a->centre, corner);
    double h1 = ov_vec3_dot(w, t->a->p) - t->r2 * f->b1;
    double h2 = ov_vec3_dot(w, t->a->q) - t->r2 * f->b2;
    double x = (h2 * h->h12 - h1 * h->h22) / h->determinant;
    double y = (h1 * h->h12 - h2 * h->h11) / h->determinant;
    // how far H (x, y) + (h1, h2) is from zero, at most, and what follows from that
    double error = 32.0 * U *
                   (t->size * sqrt(h->size) + t->r2 * (fabs(f->b1) + fabs(f->b2)) +
                    h->size * (fabs(x) + fabs(y)));
    double off = 2.0 * error / h->lowest;
    if (is_outside(t, x, y, off)) {
        return false;
    }
    if (!(off <= t->a->radius)) {
        // the minimum cannot be found well enough: P's offset is no larger than at its corners
        return is_near(t->a, corner, t->most * t->most);
    }
    ov_vec3 gap = ov_vec3_add_scaled(ov_vec3_add_scaled(w, t->a->p, x), t->a->q, y);
    double rate = f->middle + 2.0 * (f->b1 * x + f->b2 * y) + f->k11 * x * x +
                  2.0 * f->k12 * x * y + f->k22 * y * y;
    return !(square(gap) - error * off > t->r2 * rate + t->k);
}

static bool inside_meets(const facet_test *t) {
    if (t->a->thin) {
        return false;
    }
    hessian h = hessian_of(t);
    if (!(h.lowest > 64.0 * U * h.size)) {
        return false;
    }
    for (size_t j = 0; j < t->b->count; j++) {
        if (fabs(t->over_a[j]) > t->most) {
            continue;
        }
        if (inside_meets_corner(t, &h, t->b->corners[j])) {
            return report(t, OV_SWEEP_ELEMENT_FACE_VERTEX, 0, j);
        }
    }
    return false;
}

/* ---- all of it */

/** Heights of corners over a plane. */
static void heights(const ovi_facet *of, const ovi_facet *over, double *out) {
    for (size_t i = 0; i < of->count; i++) {
        out[i] = ov_vec3_dot(over->normal, ov_vec3_sub(of->corners[i], over->centre));
    }
}

/** Is A on one side of B's plane, by more than its offset? */
static bool apart_by_b(const facet_test *t) {
    double lo = INFINITY, hi = -INFINITY;
    for (size_t i = 0; i < t->a->count; i++) {
        double r = t->r * t->form->rho[i], h = t->over_b[i];
        lo = h - r < lo ? h - r : lo;
        hi = h + r > hi ? h + r : hi;
    }
    return lo > t->c || hi < -t->c;
}

/** Is B on one side of A's plane, by more than A's offset? */
static bool apart_by_a(const facet_test *t) {
    double lo = INFINITY, hi = -INFINITY;
    for (size_t j = 0; j < t->b->count; j++) {
        double h = t->over_a[j];
        lo = h < lo ? h : lo;
        hi = h > hi ? h : hi;
    }
    return lo > t->most || hi < -t->most;
}

bool ovi_offset_facet_meets(const ovi_facet *a, const ovi_distortion_form *form, double radius,
                            const ovi_facet *b, double extra, ovi_feature_pair *out) {
    double distance2 = square(ov_vec3_sub(a->centre, b->centre));
    double sizes = a->radius + b->radius;
    double offset = radius * form->most;
    facet_test t = {
        .a = a, .b = b, .form = form, .r = radius, .r2 = radius * radius, .features = out};
    t.size = sqrt(distance2) + sizes;
    t.noise = 256.0 * U * t.size;
    t.c = extra + a->deviation + b->deviation + t.noise + 64.0 * U * offset + radius * form->blur;
    t.most = offset + t.c;
    if (distance2 > (sizes + t.most) * (sizes + t.most)) {
        return false;
    }
    t.k = t.c * (2.0 * offset + t.c);
    double over_b[OV_POLYGON_CORNERS_MAX], over_a[OV_POLYGON_CORNERS_MAX];
    over_b[0] = over_a[0] = 0.0; // a polygon has corners, which compilers cannot know
    t.over_b = over_b;
    t.over_a = over_a;
    heights(a, b, over_b);
    if (!b->thin && apart_by_b(&t)) {
        return false;
    }
    heights(b, a, over_a);
    if (!a->thin && apart_by_a(&t)) {
        return false;
    }
    return sides_cross(&t) || vertices_meet(&t) || sides_meet(&t) || inside_meets(&t);
}

/* ---- contact */

/**
 * A side of `by` through f, for certain. Points may be off by `error` and f, too, is a surface that
 * is no further from what it is here. Let z be where the side meets the plane. If its ends are
 * further than twice that from the plane, and z by more than twice that over the sine of the angle
 * of side and plane from the boundary of f, then the side and the boundary stay clear of each
 * other, and the ends clear of f, while all is moved there; so the side still goes through.
 */
static size_t certain_side(const ovi_facet *by, const ovi_facet *f, double error) {
    for (size_t i = 0; i < by->count && !f->thin; i++) {
        ov_vec3 from = by->corners[i], e = ov_vec3_sub(by->corners[next_of(by, i)], from);
        double lo = ov_vec3_dot(f->normal, ov_vec3_sub(from, f->centre));
        double hi = lo + ov_vec3_dot(f->normal, e);
        bool through =
            (lo > 2.0 * error && hi < -2.0 * error) || (lo < -2.0 * error && hi > 2.0 * error);
        if (!through) {
            continue;
        }
        double margin = 4.0 * error * ov_vec3_length(e) / fabs(lo - hi);
        if (is_inside(f, ov_vec3_add_scaled(from, e, lo / (lo - hi)), margin)) {
            return i;
        }
    }
    return by->count;
}

bool ovi_facets_cross(const ovi_facet *a, const ovi_facet *b, double error, ovi_feature_pair *out) {
    ov_vec3 between = ov_vec3_sub(a->centre, b->centre);
    double size = sqrt(square(between)) + a->radius + b->radius;
    if (!(square(between) <= size * size)) {
        return false; // not finite
    }
    error += a->deviation + b->deviation + 64.0 * U * size;
    size_t side = certain_side(a, b, error);
    if (side < a->count) {
        *out = (ovi_feature_pair){OV_SWEEP_ELEMENT_EDGE_FACE, (uint32_t)side, 0};
        return true;
    }
    side = certain_side(b, a, error);
    if (side < b->count) {
        *out = (ovi_feature_pair){OV_SWEEP_ELEMENT_EDGE_FACE, 0, (uint32_t)side};
        return true;
    }
    return false;
}

/* ---- nearest points */

static double clamped(double s) { return s > 0.0 ? (s < 1.0 ? s : 1.0) : 0.0; }

static void take_nearer(ovi_nearest_points *best, ov_vec3 on_a, ov_vec3 on_b,
                        ovi_feature_pair features) {
    ov_vec3 d = ov_vec3_sub(on_a, on_b);
    double distance2 = square(d);
    if (distance2 < best->square) {
        *best = (ovi_nearest_points){distance2, on_a, on_b, features};
    }
}

/** Nearest points of the sides that begin with corner i of A and j of B. */
static void look_at_sides(const ovi_facet *a, size_t i, const ovi_facet *b, size_t j,
                          ovi_nearest_points *best) {
    ov_vec3 p = a->corners[i], q = b->corners[j];
    ov_vec3 u = ov_vec3_sub(a->corners[next_of(a, i)], p);
    ov_vec3 v = ov_vec3_sub(b->corners[next_of(b, j)], q);
    ov_vec3 w = ov_vec3_sub(p, q);
    double uu = ov_vec3_dot(u, u), vv = ov_vec3_dot(v, v), uv = ov_vec3_dot(u, v);
    double uw = ov_vec3_dot(u, w), vw = ov_vec3_dot(v, w);
    double under = uu * vv - uv * uv;
    double s = under > 0.0 ? clamped((uv * vw - uw * vv) / under) : 0.0;
    double t = (uv * s + vw) / vv;
    if (!(t >= 0.0 && t <= 1.0)) {
        t = clamped(t);
        s = clamped((uv * t - uw) / uu);
    }
    take_nearer(best, ov_vec3_add_scaled(p, u, s), ov_vec3_add_scaled(q, v, t),
                (ovi_feature_pair){OV_SWEEP_ELEMENT_EDGE_EDGE, (uint32_t)i, (uint32_t)j});
}

/** Foot of a point on a polygon; false where that is not inside. */
static bool foot_of(const ovi_facet *f, ov_vec3 point, ov_vec3 *foot) {
    if (!is_inside(f, point, 0.0)) {
        return false;
    }
    double height = ov_vec3_dot(f->normal, ov_vec3_sub(point, f->centre));
    *foot = ov_vec3_add_scaled(point, f->normal, -height);
    return true;
}

ovi_nearest_points ovi_facets_nearest(const ovi_facet *a, const ovi_facet *b) {
    ovi_nearest_points best = {.square = INFINITY};
    ov_vec3 foot;
    for (size_t i = 0; i < a->count && !b->thin; i++) {
        if (foot_of(b, a->corners[i], &foot)) {
            take_nearer(&best, a->corners[i], foot,
                        (ovi_feature_pair){OV_SWEEP_ELEMENT_VERTEX_FACE, (uint32_t)i, 0});
        }
    }
    for (size_t j = 0; j < b->count && !a->thin; j++) {
        if (foot_of(a, b->corners[j], &foot)) {
            take_nearer(&best, foot, b->corners[j],
                        (ovi_feature_pair){OV_SWEEP_ELEMENT_FACE_VERTEX, 0, (uint32_t)j});
        }
    }
    for (size_t i = 0; i < a->count; i++) {
        for (size_t j = 0; j < b->count; j++) {
            look_at_sides(a, i, b, j, &best);
        }
    }
    return best;
}

bool ovi_facets_within(const ovi_facet *a, const ovi_facet *b, double limit, double error,
                       ovi_feature_pair *features) {
    if (!(limit > 0.0)) {
        return false;
    }
    ovi_nearest_points near = ovi_facets_nearest(a, b);
    double most = sqrt(near.square) + error + a->deviation + b->deviation;
    if (!(most * (1.0 + 64.0 * DBL_EPSILON) <= limit)) {
        return false;
    }
    *features = near.features;
    return true;
}
