/**
 * @file fit_field.c
 * @brief What fits minimize: distances to first order, [SQMap, eq. 3], scales and volumes, each
 * with exact derivatives by the point and by the numbers of the body.
 *
 * The gauge of the smooth family is G = N_p2(N_p1(X, Y), Z) with X = x/(a1 f1), Y = y/(a2 f2),
 * Z = z/a3, f1 = 1 + tx Z, f2 = 1 + ty Z (src/shape/superquadric_gauge.c). The distance to first
 * order, r = (G - 1)/|g| with g = grad G, is exact for spheres and for the flats of a box. Its
 * derivatives need those of g, which are made in three steps:
 *
 *     1. A norm N of u, v with shares s_u = (u/N)^p, s_v of N^p, and p = 2/e. With the entropy
 *        E = -(s_u log s_u + s_v log s_v), which is smooth down to shares of zero,
 *          N_e/N = E/2,   N_ue/N_u = -(log s_u + (2 - e) E/2)/e,   likewise for v
 *     2. By X, Y, Z, e1, e2: the chain rule through the two norms.
 *     3. A number k of the body changes X, Y, Z by factors: X_k = X lX, Y_k = Y lY, Z_k = Z lZ,
 * with log a1: lX = -1      log a3: lZ = -1, lX = alpha Z, lY = beta Z    alpha = tx/f1 log a2: lY
 * = -1      tx: lX = -Z/f1,  ty: lY = -Z/f2               beta = ty/f2 and g = (G_X X/x, G_Y Y/y,
 * (G_Z - G_X X alpha - G_Y Y beta) Z/z) by the product rule.
 *
 * Above and below the body the taper factors are held, as in the library's own gauge.
 */
#include <float.h>
#include <math.h>

#include "../math/p_norm.h"
#include "../math/rotation.h"
#include "fit_shape_internal.h"

/* ---- bodies */

/** Largest taper of a convex profile, limited, and its derivative by e2. */
static double largest_taper(const ovi_fit_body *b, double *slope) {
    double e = b->v[4], power = exp2(0.5 * e), most = b->taper_share * (1.0 - 0.5 * e) * power;
    if (most >= b->taper_max) {
        *slope = 0.0;
        return b->taper_max;
    }
    *slope = b->taper_share * 0.5 * power * ((1.0 - 0.5 * e) * 0.6931471805599453 - 1.0);
    return most;
}

ovi_fit_ready ovi_fit_make_ready(const ovi_fit_body *b) {
    ovi_fit_ready r = {.kind = b->kind, .centre = b->centre};
    r.turn = ovi_mat3_of_quat(b->rotation, 2.0 / ovi_quat_square(b->rotation));
    r.a = ov_vec3_make(exp(b->v[0]), exp(b->v[1]), exp(b->v[2]));
    r.unknowns = b->kind == OV_SHAPE_KIND_BENT             ? OVI_FIT_UNKNOWNS
                 : b->kind == OV_SHAPE_KIND_SUPEROVOID     ? OVI_FIT_UNKNOWNS - 2
                 : b->kind == OV_SHAPE_KIND_SUPERELLIPSOID ? OVI_FIT_UNKNOWNS - 4
                                                           : OVI_FIT_UNKNOWNS - 6;
    r.e1 = b->v[3];
    r.e2 = b->v[4];
    r.taper_most = largest_taper(b, &r.taper_slope);
    for (int i = 0; i < 2; i++) {
        r.share[i] = b->v[5 + i];
        r.bend[i] = b->v[7 + i];
    }
    r.tx = r.share[0] * r.taper_most;
    r.ty = r.share[1] * r.taper_most;
    return r;
}

/** Derivatives by the tapers themselves become those by their shares of the largest one. */
static void by_shares(const ovi_fit_ready *b, double by[OVI_FIT_NUMBERS]) {
    by[4] += b->taper_slope * (b->share[0] * by[5] + b->share[1] * by[6]);
    by[5] *= b->taper_most;
    by[6] *= b->taper_most;
}

/* ---- norms */

/** A norm of u and v with derivatives, also by its squareness e. */
typedef struct norm_jet {
    double n, u, v, e;
    double uu, uv, vv, ue, ve;
} norm_jet;

static norm_jet norm_at(double u, double v, double e) {
    ovi_exponent p = ovi_primal(e);
    ovi_p_norm_parts parts = ovi_p_norm_split(u, v, p);
    ovi_p_norm g = ovi_p_norm_gradient(u, v, &parts);
    ovi_p_norm_hessian h = ovi_p_norm_second(u, v, p, &parts);
    norm_jet n = {.n = g.value, .u = g.du, .v = g.dv, .uu = h.uu, .uv = h.uv, .vv = h.vv};
    if (parts.t == 0.0) {
        return n;
    }
    double both = log1p(parts.t), log_small = log(parts.t) - both;
    double entropy = (both - parts.t * log_small) / (1.0 + parts.t);
    double common = 0.5 * (2.0 - e) * entropy;
    double big = (both - common) / e, small = -(log_small + common) / e;
    n.e = 0.5 * g.value * entropy;
    n.ue = g.du * (parts.swapped ? small : big);
    n.ve = g.dv * (parts.swapped ? big : small);
    return n;
}

/* ---- gauge of the smooth family */

/** How a number of the body changes X, Y, Z (by factors), alpha and beta. */
typedef struct change {
    double x, y, z, alpha, beta;
} change;

/** Values and derivatives by X, Y, Z and the two exponents. */
typedef struct core_jet {
    double x, y, z, alpha, beta, f1, f2, held; // held: the height at which the taper is taken
    double ix, iy, iz;
    double value, gx, gy, gz;
    double xx, xy, yy, xz, yz, zz;
    double e[2], xe[2], ye[2], ze[2];
} core_jet;

static core_jet core_at(const ovi_fit_ready *b, ov_vec3 p) {
    core_jet c;
    c.iz = 1.0 / b->a.z;
    c.z = p.z * c.iz;
    c.held = fmax(-1.0, fmin(1.0, c.z));
    c.f1 = 1.0 + b->tx * c.held;
    c.f2 = 1.0 + b->ty * c.held;
    bool inside = c.held == c.z;
    c.alpha = inside ? b->tx / c.f1 : 0.0;
    c.beta = inside ? b->ty / c.f2 : 0.0;
    c.ix = 1.0 / (b->a.x * c.f1);
    c.iy = 1.0 / (b->a.y * c.f2);
    c.x = p.x * c.ix;
    c.y = p.y * c.iy;
    norm_jet m = norm_at(c.x, c.y, b->e1), n = norm_at(m.n, c.z, b->e2);
    c.value = n.n;
    c.gx = n.u * m.u;
    c.gy = n.u * m.v;
    c.gz = n.v;
    c.xx = n.uu * m.u * m.u + n.u * m.uu;
    c.xy = n.uu * m.u * m.v + n.u * m.uv;
    c.yy = n.uu * m.v * m.v + n.u * m.vv;
    c.xz = n.uv * m.u;
    c.yz = n.uv * m.v;
    c.zz = n.vv;
    c.e[0] = n.u * m.e;
    c.xe[0] = n.uu * m.e * m.u + n.u * m.ue;
    c.ye[0] = n.uu * m.e * m.v + n.u * m.ve;
    c.ze[0] = n.uv * m.e;
    c.e[1] = n.e;
    c.xe[1] = n.ue * m.u;
    c.ye[1] = n.ue * m.v;
    c.ze[1] = n.ve;
    return c;
}

/** The changes by log a1, log a2, log a3, tx and ty. */
static void changes_of(const core_jet *c, change k[5]) {
    bool inside = c->held == c->z;
    k[0] = (change){.x = -1.0};
    k[1] = (change){.y = -1.0};
    k[2] = (change){.x = c->alpha * c->z,
                    .y = c->beta * c->z,
                    .z = -1.0,
                    .alpha = c->alpha * c->alpha * c->z,
                    .beta = c->beta * c->beta * c->z};
    k[3] = (change){.x = -c->held / c->f1, .alpha = inside ? 1.0 / (c->f1 * c->f1) : 0.0};
    k[4] = (change){.y = -c->held / c->f2, .beta = inside ? 1.0 / (c->f2 * c->f2) : 0.0};
}

static double value_by(const core_jet *c, const change *k) {
    return c->gx * c->x * k->x + c->gy * c->y * k->y + c->gz * c->z * k->z;
}

static ov_vec3 gradient_of(const core_jet *c) {
    return ov_vec3_make(c->gx * c->ix, c->gy * c->iy,
                        (c->gz - c->gx * c->x * c->alpha - c->gy * c->y * c->beta) * c->iz);
}

/**
 * What g.g_k is made of, for any change k: with c = (g1 ix, g2 iy, g3 iz),
 *
 *     g.g_k = A.(G_X,k  G_Y,k  G_Z,k) + what the factors of g change
 *     A = (c1 - c3 X alpha, c2 - c3 Y beta, c3)
 *
 * and w = A times the second derivatives by X, Y, Z, so that a change of these alone needs w only.
 */
typedef struct contracted {
    ov_vec3 c, a, w;
} contracted;

static contracted contract(const core_jet *c, ov_vec3 g) {
    contracted k;
    k.c = ov_vec3_make(g.x * c->ix, g.y * c->iy, g.z * c->iz);
    k.a = ov_vec3_make(k.c.x - k.c.z * c->x * c->alpha, k.c.y - k.c.z * c->y * c->beta, k.c.z);
    k.w = ov_vec3_make(k.a.x * c->xx + k.a.y * c->xy + k.a.z * c->xz,
                       k.a.x * c->xy + k.a.y * c->yy + k.a.z * c->yz,
                       k.a.x * c->xz + k.a.y * c->yz + k.a.z * c->zz);
    return k;
}

/** The Hessian of the gauge times its gradient. */
static ov_vec3 turned_by(const core_jet *c, const contracted *k) {
    double xa = c->x * c->alpha, yb = c->y * c->beta;
    double x = c->gx * c->alpha, y = c->gy * c->beta;
    double z = k->w.z - xa * k->w.x - yb * k->w.y - k->c.x * x - k->c.y * y +
               2.0 * k->c.z * (x * xa + y * yb);
    return ov_vec3_make(c->ix * (k->w.x - k->c.z * x), c->iy * (k->w.y - k->c.z * y), c->iz * z);
}

/** g.g_k of a change of X, Y, Z, alpha and beta. */
static double square_by(const core_jet *c, const contracted *k, const change *d, double g3) {
    double sum = k->w.x * c->x * d->x + k->w.y * c->y * d->y + k->w.z * c->z * d->z;
    sum += c->gx * (k->c.x * d->x - k->c.z * c->x * (d->x * c->alpha + d->alpha));
    sum += c->gy * (k->c.y * d->y - k->c.z * c->y * (d->y * c->beta + d->beta));
    return sum + g3 * g3 * d->z;
}

/**
 * r = (G - 1)/|g|, and by anything k: r_k = G_k/|g| - r g.g_k/|g|^2. A distance changes no faster
 * than the point moves; beside an edge (e > 1), where second derivatives are unbounded, the second
 * term is left out if it makes this one do so.
 */
static ovi_fit_value gauge_distance(const ovi_fit_ready *b, ov_vec3 p) {
    core_jet c = core_at(b, p);
    ov_vec3 g = gradient_of(&c);
    ovi_fit_value out = {.value = -fmin(b->a.x, fmin(b->a.y, b->a.z))};
    double square = ov_vec3_dot(g, g);
    if (!(square > 0.0) || !isfinite(square)) {
        return out;
    }
    double inverse = 1.0 / sqrt(square), r = (c.value - 1.0) * inverse;
    double bend = r / square;
    contracted k = contract(&c, g);
    out.value = r;
    out.at = ov_vec3_add_scaled(ov_vec3_scale(g, inverse), turned_by(&c, &k), -bend);
    const double fastest = 16.0;
    if (!(ov_vec3_dot(out.at, out.at) <= fastest)) {
        out.at = ov_vec3_scale(g, inverse);
        k = (contracted){0};
        bend = 0.0;
    }
    change d[5];
    changes_of(&c, d);
    for (int i = 0; i < 5; i++) {
        double turn = bend == 0.0 ? 0.0 : square_by(&c, &k, &d[i], g.z);
        out.by[i < 3 ? i : i + 2] = value_by(&c, &d[i]) * inverse - bend * turn;
    }
    for (int i = 0; i < 2; i++) {
        double turn = bend == 0.0 ? 0.0 : k.a.x * c.xe[i] + k.a.y * c.ye[i] + k.a.z * c.ze[i];
        out.by[3 + i] = c.e[i] * inverse - bend * turn;
    }
    return out;
}

/** The gauge with first derivatives. */
static ovi_fit_value gauge_first(const ovi_fit_ready *b, ov_vec3 p) {
    core_jet c = core_at(b, p);
    ovi_fit_value out = {.value = c.value};
    out.at = gradient_of(&c);
    change k[5];
    changes_of(&c, k);
    for (int i = 0; i < 5; i++) {
        out.by[i < 3 ? i : i + 2] = value_by(&c, &k[i]);
    }
    out.by[3] = c.e[0];
    out.by[4] = c.e[1];
    return out;
}

static ovi_fit_value published(const ovi_fit_ready *b, ov_vec3 p) {
    ovi_fit_value out = gauge_first(b, p);
    double weight = sqrt(sqrt(b->a.x * b->a.y * b->a.z)), g = out.value;
    out.value = weight * (g * g - 1.0);
    out.at = ov_vec3_scale(out.at, 2.0 * weight * g);
    for (int i = 0; i < OVI_FIT_NUMBERS; i++) {
        out.by[i] = 2.0 * weight * g * out.by[i] + (i < 3 ? 0.25 * out.value : 0.0);
    }
    return out;
}

/* ---- bend
 *
 * With the curvature k, R the coordinate in the bending plane across z, w^2 = (1 - kR)^2 + (kz)^2
 * and gamma = atan2(kz, 1 - kR), the straight point has r = (1 - w)/k and height gamma/k:
 *
 *     r_R = cos gamma,  r_z = -sin gamma,  z_R = sin gamma/w,  z_z = cos gamma/w
 *     r_k = (w - 1)/k^2 - (kz^2 - (1 - kR) R)/(w k),  z_k = (z/w^2 - gamma/k)/k
 *
 * Turning the plane moves the point by ((r_R - 1) T, r - R, z_R T) along R, across it and along z,
 * T being the coordinate across the plane. The unknowns are (b1, b2) = k (cos, sin).
 */

/** A straightened point, and its derivatives by the bent one (rows) and by b1, b2. */
typedef struct straight_point {
    ov_vec3 p;
    ov_vec3 row[3]; // of x, y, z
    ov_vec3 by[2];
} straight_point;

/** To first order in the curvature: (x, y) moves by -b z^2/2, and z by z (b . (x, y)). */
static straight_point straighten_little(const double b[2], ov_vec3 p) {
    double q = b[0] * p.x + b[1] * p.y, h = 0.5 * p.z * p.z;
    straight_point s = {.p = {p.x - b[0] * h, p.y - b[1] * h, p.z * (1.0 + q)}};
    s.row[0] = ov_vec3_make(1.0, 0.0, -b[0] * p.z);
    s.row[1] = ov_vec3_make(0.0, 1.0, -b[1] * p.z);
    s.row[2] = ov_vec3_make(p.z * b[0], p.z * b[1], 1.0 + q);
    s.by[0] = ov_vec3_make(-h, 0.0, p.z * p.x);
    s.by[1] = ov_vec3_make(0.0, -h, p.z * p.y);
    return s;
}

static straight_point straighten(const double b[2], ov_vec3 p) {
    double k = hypot(b[0], b[1]);
    if (k < 1e-5) {
        return straighten_little(b, p);
    }
    double c = b[0] / k, s = b[1] / k;
    double across = c * p.x + s * p.y, side = c * p.y - s * p.x;
    double x = 1.0 - k * across, y = k * p.z, w = fmax(hypot(x, y), 1e-9);
    double cg = x / w, sg = y / w, gamma = atan2(y, x);
    double r =
        w > 2.0 ? (1.0 - w) / k : (2.0 * across - k * (across * across + p.z * p.z)) / (1.0 + w);
    double height = gamma / k;
    straight_point o;
    o.p = ov_vec3_make(c * r - s * side, s * r + c * side, height);
    // in the plane's axes (R, T, z), then turned
    double zr = sg / w, zz = cg / w;
    o.row[0] = ov_vec3_make(c * c * cg + s * s, c * s * (cg - 1.0), -c * sg);
    o.row[1] = ov_vec3_make(c * s * (cg - 1.0), s * s * cg + c * c, -s * sg);
    o.row[2] = ov_vec3_make(c * zr, s * zr, zz);
    double rk = (w - 1.0) / (k * k) - (k * p.z * p.z - x * across) / (w * k);
    double zk = (p.z / (w * w) - height) / k;
    double turn_r = (cg - 1.0) * side / k, turn_t = (r - across) / k, turn_z = zr * side / k;
    ov_vec3 by_k = ov_vec3_make(c * rk, s * rk, zk);
    ov_vec3 by_turn = ov_vec3_make(c * turn_r - s * turn_t, s * turn_r + c * turn_t, turn_z);
    o.by[0] = ov_vec3_add_scaled(ov_vec3_scale(by_k, c), by_turn, -s);
    o.by[1] = ov_vec3_add_scaled(ov_vec3_scale(by_k, s), by_turn, c);
    return o;
}

/** A measure of the straight body, at the straightened point. Lengths along z are changed by the
 *  bend, by up to the curvature times the width: so is the distance. */
static ovi_fit_value measure_bent(const ovi_fit_ready *b, ovi_fit_measure what, ov_vec3 p) {
    straight_point s = straighten(b->bend, p);
    ovi_fit_value v =
        what == OVI_FIT_MEASURE_PUBLISHED ? published(b, s.p) : gauge_distance(b, s.p);
    ov_vec3 g = v.at;
    v.at = ov_vec3_scale(s.row[0], g.x);
    v.at = ov_vec3_add_scaled(v.at, s.row[1], g.y);
    v.at = ov_vec3_add_scaled(v.at, s.row[2], g.z);
    v.by[7] = ov_vec3_dot(g, s.by[0]);
    v.by[8] = ov_vec3_dot(g, s.by[1]);
    return v;
}

/* ---- distances from the simple kinds: exact */

static double sign_of(double x) { return x < 0.0 ? -1.0 : 1.0; }

static ovi_fit_value sphere_distance(const ovi_fit_ready *b, ov_vec3 p) {
    double length = ov_vec3_length(p);
    ovi_fit_value v = {.value = length - b->a.x, .at = ov_vec3_normalize(p)};
    v.by[0] = -b->a.x;
    return v;
}

static ovi_fit_value box_distance(const ovi_fit_ready *b, ov_vec3 p) {
    const double a[3] = {b->a.x, b->a.y, b->a.z}, x[3] = {p.x, p.y, p.z};
    double beyond[3], share[3] = {0.0, 0.0, 0.0}, square = 0.0;
    int last = 0;
    for (int i = 0; i < 3; i++) {
        beyond[i] = fabs(x[i]) - a[i];
        square += beyond[i] > 0.0 ? beyond[i] * beyond[i] : 0.0;
        last = beyond[i] > beyond[last] ? i : last;
    }
    ovi_fit_value v = {.value = square > 0.0 ? sqrt(square) : beyond[last]};
    share[last] = 1.0;
    for (int i = 0; i < 3 && square > 0.0; i++) {
        share[i] = beyond[i] > 0.0 ? beyond[i] / v.value : 0.0;
    }
    v.at =
        ov_vec3_make(share[0] * sign_of(x[0]), share[1] * sign_of(x[1]), share[2] * sign_of(x[2]));
    for (int i = 0; i < 3; i++) {
        v.by[i] = -share[i] * a[i];
    }
    return v;
}

static ovi_fit_value cylinder_distance(const ovi_fit_ready *b, ov_vec3 p) {
    double rho = hypot(p.x, p.y), out = rho - b->a.x, up = fabs(p.z) - b->a.z;
    double c = rho > 0.0 ? p.x / rho : 1.0, s = rho > 0.0 ? p.y / rho : 0.0;
    double share_out = out > up ? 1.0 : 0.0, share_up = 1.0 - share_out;
    ovi_fit_value v = {.value = fmax(out, up)};
    if (out > 0.0 && up > 0.0) {
        v.value = hypot(out, up);
        share_out = out / v.value;
        share_up = up / v.value;
    }
    v.at = ov_vec3_make(share_out * c, share_out * s, share_up * sign_of(p.z));
    v.by[0] = -share_out * b->a.x;
    v.by[2] = -share_up * b->a.z;
    return v;
}

static ovi_fit_value capsule_distance(const ovi_fit_ready *b, ov_vec3 p) {
    double half = b->a.z, z = p.z - fmax(-half, fmin(half, p.z));
    ov_vec3 d = ov_vec3_make(p.x, p.y, z);
    ovi_fit_value v = {.value = ov_vec3_length(d) - b->a.x, .at = ov_vec3_normalize(d)};
    v.by[0] = -b->a.x;
    v.by[2] = z == 0.0 ? 0.0 : -fabs(v.at.z) * half;
    return v;
}

/* ---- scales
 *
 * All gauges but those of capsules and tapered bodies are homogeneous, so that the scale is the
 * gauge itself. Of a tapered body scaled by s the gauge at a point is
 *
 *     g(s) = N_p2(N_p1(x/(a1 (s + tx zeta)), y/(a2 (s + ty zeta))), zeta/s),   zeta = z/a3
 *
 * which falls with s from s = |zeta|, where it is at least 1. log g is nearly a straight line in
 * log s, with slope -1 where there is no taper: the secant method converges in a few steps, kept in
 * a bracket.
 */

static double norm(double x, double y, double e) {
    ovi_p_norm_parts parts = ovi_p_norm_split(x, y, ovi_primal(e));
    return ovi_p_norm_gradient(x, y, &parts).value;
}

/** g(s), the point in units of the semi-axes; s > |zeta| */
static double gauge_at_scale(const ovi_fit_ready *b, ov_vec3 unit, double s) {
    double x = unit.x / (s + b->tx * unit.z), y = unit.y / (s + b->ty * unit.z);
    return norm(norm(x, y, b->e1), unit.z / s, b->e2);
}

/** To eight digits; the point in units of the semi-axes. */
static double scale_at(const ovi_fit_ready *b, ov_vec3 unit) {
    double most = fmax(fabs(unit.x), fmax(fabs(unit.y), fabs(unit.z)));
    if (!(most > 0.0)) {
        return most;
    }
    unit = ov_vec3_scale(unit, 1.0 / most);
    if (b->tx == 0.0 && b->ty == 0.0) {
        return most * norm(norm(unit.x, unit.y, b->e1), unit.z, b->e2);
    }
    // two norms of three entries up to 1 are at most 3; with f = s + t zeta >= s - 1 so is the root
    double lo = fabs(unit.z), hi = 4.0, s = 1.0, last = NAN, last_s = NAN;
    for (int i = 0; i < 160 && hi - lo > DBL_EPSILON * hi; i++) {
        double g = log(gauge_at_scale(b, unit, s));
        // a step of Newton's method follows, by derivatives that are needed anyway
        if (fabs(g) <= 1e-8) {
            return s * most;
        }
        *(g > 0.0 ? &lo : &hi) = s;
        double slope = (g - last) / (log(s) - log(last_s));
        double next = s * exp(-g / (slope < -0.01 ? slope : -1.0));
        last = g;
        last_s = s;
        // every third step halves the bracket, so that the secants cannot creep
        s = next > lo && next < hi && i % 3 != 2 ? next : 0.5 * (lo + hi);
    }
    return hi * most;
}

/** Of a body with gauge G(p; scale): d log s = -G_k/G_s, with G_s by a common factor of the axes.
 */
static ovi_fit_value family_scale(const ovi_fit_ready *b, ov_vec3 p) {
    ov_vec3 unit = ov_vec3_make(p.x / b->a.x, p.y / b->a.y, p.z / b->a.z);
    double s = scale_at(b, unit);
    ovi_fit_value v = {.value = log(s)};
    if (!(s > 0.0)) {
        return v;
    }
    ovi_fit_ready scaled = *b;
    scaled.a = ov_vec3_scale(b->a, s);
    ovi_fit_value g = gauge_first(&scaled, p);
    double slope = -(g.by[0] + g.by[1] + g.by[2]);
    if (!(slope > 1e-9)) {
        return v;
    }
    v.value += log(g.value) * g.value / slope;
    v.at = ov_vec3_scale(g.at, 1.0 / slope);
    for (int i = 0; i < OVI_FIT_NUMBERS; i++) {
        v.by[i] = g.by[i] / slope;
    }
    return v;
}

/** log(length/size), the length growing along a unit vector; by the number of that size. */
static ovi_fit_value ratio_scale(double length, double size, ov_vec3 direction, int number) {
    ovi_fit_value v = {.value = log(length / size)};
    if (length > 0.0) {
        v.at = ov_vec3_scale(direction, 1.0 / length);
        v.by[number] = -1.0;
    }
    return v;
}

/** rho^2 + (|z| - s h)^2 = s^2 r^2 in the caps, rho = s r between them. */
static ovi_fit_value capsule_scale(const ovi_fit_ready *b, ov_vec3 p) {
    double rho = hypot(p.x, p.y), r = b->a.x, h = b->a.z, z = fabs(p.z);
    ov_vec3 out = rho > 0.0 ? ov_vec3_make(p.x / rho, p.y / rho, 0.0) : ov_vec3_make(1, 0, 0);
    if (z * r <= rho * h) {
        return ratio_scale(rho, r, out, 0);
    }
    double half = z * h, c = rho * rho + z * z, a = (r - h) * (r + h);
    double s = c / (half + sqrt(fmax(half * half + a * c, 0.0)));
    double beyond = z - s * h, slope = s * (h * beyond + s * r * r);
    ovi_fit_value v = {.value = log(s)};
    if (slope > 0.0) {
        v.at = ov_vec3_make(p.x / slope, p.y / slope, sign_of(p.z) * beyond / slope);
        v.by[0] = -s * s * r * r / slope;
        v.by[2] = -s * h * beyond / slope;
    }
    return v;
}

static int scales_at(const ovi_fit_ready *b, ov_vec3 p, ovi_fit_value out[3]) {
    double rho = hypot(p.x, p.y);
    ov_vec3 up = {0.0, 0.0, sign_of(p.z)};
    switch (b->kind) {
    case OV_SHAPE_KIND_BOX:
        out[0] = ratio_scale(fabs(p.x), b->a.x, ov_vec3_make(sign_of(p.x), 0.0, 0.0), 0);
        out[1] = ratio_scale(fabs(p.y), b->a.y, ov_vec3_make(0.0, sign_of(p.y), 0.0), 1);
        out[2] = ratio_scale(fabs(p.z), b->a.z, up, 2);
        return 3;
    case OV_SHAPE_KIND_CYLINDER:
        out[0] =
            ratio_scale(rho, b->a.x, rho > 0.0 ? ov_vec3_make(p.x / rho, p.y / rho, 0.0) : up, 0);
        out[1] = ratio_scale(fabs(p.z), b->a.z, up, 2);
        return 2;
    case OV_SHAPE_KIND_CAPSULE:
        out[0] = capsule_scale(b, p);
        return 1;
    default:
        out[0] = family_scale(b, p);
        return 1;
    }
}

/* ---- choice */

static ovi_fit_value distance_at(const ovi_fit_ready *b, ov_vec3 p) {
    switch (b->kind) {
    case OV_SHAPE_KIND_SPHERE:
        return sphere_distance(b, p);
    case OV_SHAPE_KIND_BOX:
        return box_distance(b, p);
    case OV_SHAPE_KIND_CYLINDER:
        return cylinder_distance(b, p);
    case OV_SHAPE_KIND_CAPSULE:
        return capsule_distance(b, p);
    default:
        return gauge_distance(b, p);
    }
}

int ovi_fit_measure_at(const ovi_fit_ready *b, ovi_fit_measure what, ov_vec3 local,
                       ovi_fit_value out[3]) {
    int count = 1;
    if (what == OVI_FIT_MEASURE_SCALE) {
        count = scales_at(b, local, out);
    } else if (b->kind == OV_SHAPE_KIND_BENT) {
        out[0] = measure_bent(b, what, local);
    } else {
        out[0] = what == OVI_FIT_MEASURE_PUBLISHED ? published(b, local) : distance_at(b, local);
    }
    for (int i = 0; i < count; i++) {
        by_shares(b, out[i].by);
    }
    return count;
}

void ovi_fit_row(const ovi_fit_ready *b, ov_vec3 local, const ovi_fit_value *value,
                 double row[OVI_FIT_UNKNOWNS]) {
    // p = R^T (P - c), and R exp(omega) turns p by -omega
    ov_vec3 centre = ov_vec3_neg(ov_mat3_mul_vec3(&b->turn, value->at));
    ov_vec3 turn = ov_vec3_cross(value->at, local);
    row[0] = centre.x;
    row[1] = centre.y;
    row[2] = centre.z;
    row[3] = turn.x;
    row[4] = turn.y;
    row[5] = turn.z;
    for (int i = 0; i < OVI_FIT_NUMBERS; i++) {
        row[6 + i] = value->by[i];
    }
}

/* ---- volume
 *
 * V = a1 a2 a3 A(e1) (I0 + tx ty I2) by the gamma functions of src/shape/superquadric.c, with
 * g = e/2: A = 4 Gamma(1+g)^2/Gamma(1+2g), I0 = 2 Gamma(1+g) Gamma(1+2g)/Gamma(1+3g),
 * I2 = 2/3 Gamma(1+3g) Gamma(1+2g)/Gamma(1+5g). Their logarithms' derivatives are digammas.
 */

/** Digamma of x >= 1: upwards by its recurrence, then by the asymptotic series. */
static double digamma(double x) {
    double sum = 0.0;
    while (x < 8.0) {
        sum -= 1.0 / x;
        x += 1.0;
    }
    double i = 1.0 / (x * x);
    return sum + log(x) - 0.5 / x -
           i * (1.0 / 12.0 - i * (1.0 / 120.0 - i * (1.0 / 252.0 - i * (1.0 / 240.0))));
}

static double log_gamma_1(double g, int k) { return lgamma(1.0 + k * g); }

static double digamma_1(double g, int k) { return k * digamma(1.0 + k * g); }

ovi_fit_value ovi_fit_log_volume(const ovi_fit_ready *b) {
    ovi_fit_value v = {.value = log(b->a.x * b->a.y * b->a.z)};
    v.by[0] = v.by[1] = v.by[2] = 1.0;
    if (b->kind == OV_SHAPE_KIND_BOX) {
        v.value += log(8.0);
        return v;
    }
    if (b->kind == OV_SHAPE_KIND_CYLINDER) {
        v.value += log(2.0 * 3.141592653589793);
        return v;
    }
    if (b->kind == OV_SHAPE_KIND_CAPSULE) {
        // 2 pi r^2 (h + 2/3 r)
        double r = b->a.x, whole = b->a.z + 2.0 / 3.0 * r;
        v.value = log(2.0 * 3.141592653589793 * r * r * whole);
        v.by[0] = 2.0 + 2.0 / 3.0 * r / whole;
        v.by[1] = 0.0;
        v.by[2] = b->a.z / whole;
        return v;
    }
    double g1 = 0.5 * b->e1, g2 = 0.5 * b->e2;
    double i0 = 2.0 * exp(log_gamma_1(g2, 1) + log_gamma_1(g2, 2) - log_gamma_1(g2, 3));
    double i2 = 2.0 / 3.0 * exp(log_gamma_1(g2, 3) + log_gamma_1(g2, 2) - log_gamma_1(g2, 5));
    double whole = i0 + b->tx * b->ty * i2;
    v.value += log(4.0) + 2.0 * log_gamma_1(g1, 1) - log_gamma_1(g1, 2) + log(whole);
    v.by[3] = digamma_1(g1, 1) - 0.5 * digamma_1(g1, 2);
    double d0 = digamma_1(g2, 1) + digamma_1(g2, 2) - digamma_1(g2, 3);
    double d2 = digamma_1(g2, 3) + digamma_1(g2, 2) - digamma_1(g2, 5);
    v.by[4] = 0.5 * (i0 * d0 + b->tx * b->ty * i2 * d2) / whole;
    v.by[5] = b->ty * i2 / whole;
    v.by[6] = b->tx * i2 / whole;
    by_shares(b, v.by);
    return v;
}
