/**
 * @file fit_lanes.c
 * @brief Sums of squared distances from bodies of the smooth family, several points at a time.
 *
 * The formulas are those of gauge_distance in fit_field.c, where they are derived; each number is
 * here a vector with a lane for each point. Logarithms of shares come from those of the powers
 * themselves, so that a norm takes two logarithms and two powers in all. What is infinite or not
 * defined at edges and poles is replaced lane by lane, as there.
 */
#include <math.h>
#include <string.h>

#include "../math/lanes.h"
#include "../math/p_norm.h"
#include "fit_shape_internal.h"

// WebAssembly has vectors of two doubles only, and pays for every instruction with size
#if defined(__wasm__)
enum { LANES = 2 };
typedef ovi_v2 num;
typedef ovi_i2 mask;
#define LANEWISE(x) ovi_v2_##x
#else
enum { LANES = 8 };
typedef ovi_v8 num;
typedef ovi_i8 mask;
#define LANEWISE(x) ovi_v8_##x
#endif

enum { NUMBERS = 7, ROWS = 6 + NUMBERS };

OVI_INLINE num of(double x) { return LANEWISE(of)(x); }
OVI_INLINE num where(mask m, num a, num b) { return LANEWISE(select)(m, a, b); }
OVI_INLINE num larger(num a, num b) { return where(a > b, a, b); }
OVI_INLINE num smaller(num a, num b) { return where(a < b, a, b); }

typedef struct vec {
    num x, y, z;
} vec;

OVI_INLINE num dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/** As norm_jet of fit_field.c. */
typedef struct norm_lanes {
    num n, u, v, e;
    num uu, uv, vv, ue, ve;
} norm_lanes;

OVI_INLINE norm_lanes norm_at(num u, num v, double e) {
    const num zero = of(0.0), one = of(1.0), ln2 = of(0.6931471805599453);
    const ovi_exponent p = ovi_primal(e);
    const double inverse_e = 1.0 / e;
    num au = LANEWISE(abs)(u), av = LANEWISE(abs)(v);
    mask swapped = av > au;
    num big = where(swapped, av, au), small = where(swapped, au, av);
    mask none = big == zero, flat = small == zero;
    num divisor = where(none, one, big), r = small / divisor;
    num log_r = LANEWISE(log2)(larger(r, of(1e-300)));
    // beyond this the power is nothing, and the function below has no exponent for it
    num s = LANEWISE(exp2)(larger(p.minus_1 * log_r, of(-1000.0)));
    s = where(flat, of(p.minus_1 == 0.0 ? 1.0 : 0.0), s);
    num t = r * s, whole = one + t, log_whole = LANEWISE(log2)(whole);
    num w = LANEWISE(exp2)((p.inverse - 1.0) * log_whole);
    norm_lanes n;
    n.n = big * whole * w;
    num by_big = where(none, zero, w), by_small = where(flat, zero, s * w);
    n.u = LANEWISE(copysign)(where(swapped, by_small, by_big), u);
    n.v = LANEWISE(copysign)(where(swapped, by_big, by_small), v);

    num c = where(none, zero, p.minus_1 * w / (divisor * whole));
    num big_big = c * t, mixed = where(flat, zero, -c * s);
    num small_small = c * (s / where(flat, one, r));
    small_small = where(flat, p.inverse == 0.5 ? c : zero, small_small);
    small_small = where(small_small <= of(1e300), small_small, zero);
    n.uu = where(swapped, small_small, big_big);
    n.vv = where(swapped, big_big, small_small);
    n.uv = mixed * LANEWISE(copysign)(one, u) * LANEWISE(copysign)(one, v);

    // shares t/(1 + t) and 1/(1 + t): logarithms and entropy
    mask faded = t == zero;
    num both = ln2 * log_whole;
    num log_small = ln2 * larger((p.minus_1 + 1.0) * log_r, of(-1e5)) - both;
    num entropy = (both - t * log_small) / whole, common = (0.5 * (2.0 - e)) * entropy;
    num of_big = where(faded, zero, (both - common) * inverse_e);
    num of_small = where(faded, zero, -(log_small + common) * inverse_e);
    n.e = where(faded, zero, 0.5 * n.n * entropy);
    n.ue = n.u * where(swapped, of_small, of_big);
    n.ve = n.v * where(swapped, of_big, of_small);
    return n;
}

/** A distance and its derivatives by the unknowns. */
typedef struct distance_lanes {
    num value, row[ROWS];
} distance_lanes;

/** As gauge_distance of fit_field.c, at points of the body's frame: by point and numbers. */
OVI_INLINE num distance_at(const ovi_fit_ready *b, vec p, vec *at, num by[NUMBERS]) {
    const num zero = of(0.0), one = of(1.0);
    double iz = 1.0 / b->a.z;
    num z = p.z * iz, held = larger(-one, smaller(one, z));
    mask inside = held == z;
    num i1 = one / (one + b->tx * held), i2 = one / (one + b->ty * held);
    num alpha = where(inside, b->tx * i1, zero), beta = where(inside, b->ty * i2, zero);
    num ix = i1 * (1.0 / b->a.x), iy = i2 * (1.0 / b->a.y), x = p.x * ix, y = p.y * iy;
    norm_lanes m = norm_at(x, y, b->e1), n = norm_at(m.n, z, b->e2);
    num gx = n.u * m.u, gy = n.u * m.v, gz = n.v;
    num xx = n.uu * m.u * m.u + n.u * m.uu, xy = n.uu * m.u * m.v + n.u * m.uv;
    num yy = n.uu * m.v * m.v + n.u * m.vv, xz = n.uv * m.u, yz = n.uv * m.v, zz = n.vv;
    num e1 = n.u * m.e, xe1 = n.uu * m.e * m.u + n.u * m.ue;
    num ye1 = n.uu * m.e * m.v + n.u * m.ve, ze1 = n.uv * m.e;
    num xe2 = n.ue * m.u, ye2 = n.ue * m.v, ze2 = n.ve;

    num xa = x * alpha, yb = y * beta;
    vec g = {gx * ix, gy * iy, (gz - gx * xa - gy * yb) * iz};
    num square = dot(g, g);
    mask good = (square > zero) & (square <= of(1e300));
    num inverse = one / LANEWISE(sqrt)(where(good, square, one)), r = (n.n - one) * inverse;
    num bend = r * inverse * inverse;

    // contract(), turned_by()
    vec c = {g.x * ix, g.y * iy, g.z * iz}, a = {c.x - c.z * xa, c.y - c.z * yb, c.z};
    vec w = {a.x * xx + a.y * xy + a.z * xz, a.x * xy + a.y * yy + a.z * yz,
             a.x * xz + a.y * yz + a.z * zz};
    num tx = gx * alpha, ty = gy * beta;
    vec turned = {
        ix * (w.x - c.z * tx), iy * (w.y - c.z * ty),
        iz * (w.z - xa * w.x - yb * w.y - c.x * tx - c.y * ty + 2.0 * c.z * (tx * xa + ty * yb))};
    vec first = {g.x * inverse, g.y * inverse, g.z * inverse};
    *at = (vec){first.x - bend * turned.x, first.y - bend * turned.y, first.z - bend * turned.z};
    // beside an edge the second term is left out
    mask calm = dot(*at, *at) <= of(16.0);
    at->x = where(calm, at->x, first.x);
    at->y = where(calm, at->y, first.y);
    at->z = where(calm, at->z, first.z);

    // changes_of(), value_by(), square_by()
    num wx = w.x * x, wy = w.y * y, wz = w.z * z;
    num of_x = gx * x, of_y = gy * y, of_z = gz * z;
    num turn_x = wx + gx * (c.x - c.z * xa), turn_y = wy + gy * (c.y - c.z * yb);
    num z_of_f1 = -held * i1, z_of_f2 = -held * i2;
    num alpha_of_tx = where(inside, i1 * i1, zero), beta_of_ty = where(inside, i2 * i2, zero);
    num value[NUMBERS], turn[NUMBERS];
    value[0] = -of_x;
    turn[0] = -turn_x;
    value[1] = -of_y;
    turn[1] = -turn_y;
    value[2] = of_x * alpha * z + of_y * beta * z - of_z;
    turn[2] = turn_x * alpha * z + turn_y * beta * z - wz - g.z * g.z -
              c.z * (gx * x * alpha * alpha * z + gy * y * beta * beta * z);
    value[3] = e1;
    turn[3] = a.x * xe1 + a.y * ye1 + a.z * ze1;
    value[4] = n.e;
    turn[4] = a.x * xe2 + a.y * ye2 + a.z * ze2;
    value[5] = of_x * z_of_f1;
    turn[5] = turn_x * z_of_f1 - c.z * gx * x * alpha_of_tx;
    value[6] = of_y * z_of_f2;
    turn[6] = turn_y * z_of_f2 - c.z * gy * y * beta_of_ty;
    for (int i = 0; i < NUMBERS; i++) {
        num simple = value[i] * inverse;
        by[i] = where(good, where(calm, simple - bend * turn[i], simple), zero);
    }
    // tapers as shares of the largest one
    by[4] += b->taper_slope * (b->share[0] * by[5] + b->share[1] * by[6]);
    by[5] *= b->taper_most;
    by[6] *= b->taper_most;
    at->x = where(good, at->x, zero);
    at->y = where(good, at->y, zero);
    at->z = where(good, at->z, zero);
    return where(good, r, of(-fmin(b->a.x, fmin(b->a.y, b->a.z))));
}

/** Some of the points, the last one again in lanes that are left, in the body's frame. */
OVI_INLINE vec local_points(const ovi_fit_ready *b, const ov_vec3 *points, size_t count) {
    double x[LANES], y[LANES], z[LANES];
    for (size_t i = 0; i < LANES; i++) {
        const ov_vec3 *p = &points[i < count ? i : count - 1];
        x[i] = p->x;
        y[i] = p->y;
        z[i] = p->z;
    }
    vec d;
    memcpy(&d.x, x, sizeof x);
    memcpy(&d.y, y, sizeof y);
    memcpy(&d.z, z, sizeof z);
    d.x -= b->centre.x;
    d.y -= b->centre.y;
    d.z -= b->centre.z;
    const ov_mat3 *t = &b->turn;
    return (vec){t->cx.x * d.x + t->cx.y * d.y + t->cx.z * d.z,
                 t->cy.x * d.x + t->cy.y * d.y + t->cy.z * d.z,
                 t->cz.x * d.x + t->cz.y * d.y + t->cz.z * d.z};
}

OVI_INLINE double total(num v) {
    double sum = 0.0;
    for (int i = 0; i < LANES; i++) {
        sum += v[i];
    }
    return sum;
}

/** A block of points into the sums, as vectors: f, g and the rows of H. */
typedef struct sums {
    num f, g[ROWS], h[ROWS][ROWS];
} sums;

OVI_INLINE void add_block(const ovi_fit_ready *b, const ovi_fit_loss *loss, const ov_vec3 *points,
                          size_t count, sums *s) {
    vec p = local_points(b, points, count), at;
    num row[ROWS], weight, cost;
    num r = distance_at(b, p, &at, row + 6);
    const ov_mat3 *t = &b->turn;
    row[0] = -(t->cx.x * at.x + t->cy.x * at.y + t->cz.x * at.z);
    row[1] = -(t->cx.y * at.x + t->cy.y * at.y + t->cz.y * at.z);
    row[2] = -(t->cx.z * at.x + t->cy.z * at.y + t->cz.z * at.z);
    row[3] = at.y * p.z - at.z * p.y;
    row[4] = at.z * p.x - at.x * p.z;
    row[5] = at.x * p.y - at.y * p.x;
    double s2 = loss->scale * loss->scale;
    num one = of(1.0), r2 = r * r;
    if (loss->mean) {
        num root = LANEWISE(sqrt)(one + r2 * (1.0 / s2));
        weight = one / root;
        cost = s2 * (root - one);
    } else if (s2 > 0.0) {
        num share = s2 / (s2 + r2);
        weight = share * share;
        cost = 0.5 * r2 * share;
    } else {
        weight = one;
        cost = 0.5 * r2;
    }
    num used = of(0.0);
    for (size_t i = 0; i < LANES; i++) {
        used[i] = i < count ? 1.0 : 0.0;
    }
    s->f += used * cost;
    weight *= used;
    for (int i = 0; i < b->unknowns; i++) {
        num w = weight * row[i];
        s->g[i] += w * r;
        for (int k = 0; k <= i; k++) {
            s->h[i][k] += w * row[k];
        }
    }
}

OVI_INLINE void add_all(const ovi_fit_ready *b, const ovi_fit_loss *loss, const ov_vec3 *points,
                        size_t count, ovi_fit_sum *out) {
    sums s;
    memset(&s, 0, sizeof s);
    for (size_t i = 0; i < count; i += LANES) {
        add_block(b, loss, points + i, count - i < LANES ? count - i : LANES, &s);
    }
    double share = 1.0 / (double)count;
    out->f = share * total(s.f);
    for (int i = 0; i < b->unknowns; i++) {
        out->g[i] = share * total(s.g[i]);
        for (int k = 0; k <= i; k++) {
            out->h[i][k] = share * total(s.h[i][k]);
        }
    }
}

OVI_INLINE void measure_all(const ovi_fit_ready *b, const ov_vec3 *points, size_t count,
                            double *out) {
    for (size_t i = 0; i < count; i += LANES) {
        size_t n = count - i < LANES ? count - i : LANES;
        num by[NUMBERS];
        vec at;
        num r = distance_at(b, local_points(b, points + i, n), &at, by);
        for (size_t k = 0; k < n; k++) {
            out[i + k] = r[k];
        }
    }
}

OVI_DISPATCH_WIDE(static, void, add_points, add_all,
                  (const ovi_fit_ready *b, const ovi_fit_loss *loss, const ov_vec3 *points,
                   size_t count, ovi_fit_sum *out),
                  (b, loss, points, count, out))

OVI_DISPATCH_WIDE(static, void, measure_points, measure_all,
                  (const ovi_fit_ready *b, const ov_vec3 *points, size_t count, double *out),
                  (b, points, count, out))

bool ovi_fit_lanes(const ovi_fit_ready *b, const ovi_fit_loss *loss, const ov_vec3 *points,
                   size_t count, ovi_fit_sum *sum, double *distances) {
    bool smooth = b->kind == OV_SHAPE_KIND_ELLIPSOID || b->kind == OV_SHAPE_KIND_SUPERELLIPSOID ||
                  b->kind == OV_SHAPE_KIND_SUPEROVOID;
    const double least = 1e-3; // squarer ones divide by too little
    if (!smooth || b->e1 < least || b->e2 < least) {
        return false;
    }
    if (sum != NULL) {
        add_points(b, loss, points, count, sum);
    }
    if (distances != NULL) {
        measure_points(b, points, count, distances);
    }
    return true;
}
