/**
 * @file battery_support.c
 * @brief Support functions in long double, from the formulas of the shapes.
 *
 * Superellipsoid: u_i = |a_i n_i|, M = (u1^q1 + u2^q1)^(1/q1), h = (M^q2 + u3^q2)^(1/q2), and the
 * support point is the gradient of h. Superovoid: the greatest over all heights zeta of
 *
 *     n3 a3 zeta + w(zeta) M(zeta),   w = (1 - |zeta|^p2)^(1/p2),
 *     M(zeta) = (|a1 f1 n1|^q1 + |a2 f2 n2|^q1)^(1/q1),   f1 = 1 + Tx zeta, f2 = 1 + Ty zeta.
 *
 * Along the profile, whose tangent (dw, dzeta) is (-sgn(zeta)|zeta|^(p2-1), w^(p2-1)), the slope is
 *
 *     D = w^(p2-1) (n3 a3 + w M') - sgn(zeta) |zeta|^(p2-1) M.
 *
 * Every change of its sign from plus to minus is a top; a dent makes several. They are found among
 * fixed heights in double, refined in long double, and the highest is taken: the support function
 * of the convex hull.
 */
#include "battery_oracle.h"

#include <math.h>

static oracle_vec vec_of(ov_vec3 v) { return (oracle_vec){v.x, v.y, v.z}; }

static long double power(long double x, long double p) { return x > 0.0L ? powl(x, p) : 0.0L; }

/** (u^q + v^q)^(1/q) for u, v >= 0. */
static long double norm(long double u, long double v, long double q) {
    long double big = fmaxl(u, v), small = fminl(u, v);
    if (!(big > 0.0L)) {
        return 0.0L;
    }
    long double ratio = small / big;
    return big * (q == 2.0L ? sqrtl(1.0L + ratio * ratio) : powl(1.0L + power(ratio, q), 1.0L / q));
}

/* ---- placing */

static void place_rotation(ov_quat rotation, oracle_body *body) {
    long double w = rotation.w, x = rotation.x, y = rotation.y, z = rotation.z;
    long double s = 2.0L / (w * w + x * x + y * y + z * z);
    body->cx = (oracle_vec){1.0L - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)};
    body->cy = (oracle_vec){s * (x * y - w * z), 1.0L - s * (x * x + z * z), s * (y * z + w * x)};
    body->cz = (oracle_vec){s * (x * z + w * y), s * (y * z - w * x), 1.0L - s * (x * x + y * y)};
}

typedef struct profile_point {
    long double w, zeta;
} profile_point;

static profile_point on_ray(const oracle_body *body, long double u) {
    long double w = 1.0L - fabsl(u), length = norm(w, fabsl(u), body->p2);
    return (profile_point){w / length, u / length};
}

void oracle_place(const ov_shape *shape, ov_pose pose, oracle_body *body) {
    body->a1 = shape->a.x;
    body->a2 = shape->a.y;
    body->a3 = shape->a.z;
    body->p2 = 2.0L / shape->e2;
    body->q1 = 2.0L / (2.0L - shape->e1);
    body->q2 = 2.0L / (2.0L - shape->e2);
    body->tx = shape->tx;
    body->ty = shape->ty;
    body->tapered = shape->tx != 0.0 || shape->ty != 0.0;
    body->position = vec_of(pose.position);
    place_rotation(pose.rotation, body);
    if (!body->tapered) {
        return;
    }
    for (int k = 0; k < ORACLE_SAMPLES; k++) {
        // closer together at the equator, where the dents of tapered bodies are
        long double t = 2.0L * k / (ORACLE_SAMPLES - 1) - 1.0L, u = t * fabsl(t);
        profile_point p = on_ray(body, u);
        long double f1 = 1.0L + body->tx * p.zeta, f2 = 1.0L + body->ty * p.zeta;
        body->samples[k].u = u;
        body->samples[k].w = (double)p.w;
        body->samples[k].w_power = (double)power(p.w, body->p2 - 1.0L);
        body->samples[k].zeta_power =
            (double)copysignl(power(fabsl(p.zeta), body->p2 - 1.0L), p.zeta);
        body->samples[k].f1 = (double)f1;
        body->samples[k].f2 = (double)f2;
        body->samples[k].f1_power = (double)powl(f1, body->q1);
        body->samples[k].f2_power = (double)powl(f2, body->q1);
    }
}

/* ---- superellipsoids */

static oracle_vec untapered_support(const oracle_body *b, oracle_vec n) {
    long double u1 = b->a1 * fabsl(n.x), u2 = b->a2 * fabsl(n.y), u3 = b->a3 * fabsl(n.z);
    long double m = norm(u1, u2, b->q1), h = norm(m, u3, b->q2);
    long double section = power(m / h, b->q2 - 1.0L);
    oracle_vec p = {0.0L, 0.0L, b->a3 * power(u3 / h, b->q2 - 1.0L)};
    if (m > 0.0L) {
        p.x = b->a1 * section * power(u1 / m, b->q1 - 1.0L);
        p.y = b->a2 * section * power(u2 / m, b->q1 - 1.0L);
    }
    return (oracle_vec){copysignl(p.x, n.x), copysignl(p.y, n.y), copysignl(p.z, n.z)};
}

/* ---- superovoids */

/** The section at one height: where it reaches farthest, and the slope D of the profile there. */
typedef struct section {
    oracle_vec point;
    long double reach, slope;
} section;

static section section_at(const oracle_body *b, oracle_vec n, long double u) {
    profile_point at = on_ray(b, u);
    long double f1 = 1.0L + b->tx * at.zeta, f2 = 1.0L + b->ty * at.zeta;
    long double u1 = b->a1 * f1 * fabsl(n.x), u2 = b->a2 * f2 * fabsl(n.y);
    long double m = norm(u1, u2, b->q1);
    section s = {{0.0L, 0.0L, b->a3 * at.zeta}, 0.0L, 0.0L};
    long double growth = 0.0L; // M'
    if (m > 0.0L) {
        long double x = power(u1 / m, b->q1 - 1.0L), y = power(u2 / m, b->q1 - 1.0L);
        growth = x * u1 * b->tx / f1 + y * u2 * b->ty / f2;
        s.point.x = copysignl(at.w * b->a1 * f1 * x, n.x);
        s.point.y = copysignl(at.w * b->a2 * f2 * y, n.y);
    }
    s.reach = b->a3 * n.z * at.zeta + at.w * m;
    s.slope = power(at.w, b->p2 - 1.0L) * (b->a3 * n.z + at.w * growth) -
              copysignl(power(fabsl(at.zeta), b->p2 - 1.0L), at.zeta) * m;
    return s;
}

/** The zero of the slope between two rays where it goes from plus to minus: Illinois' method. */
static section top_between(const oracle_body *b, oracle_vec n, long double lo, long double hi) {
    enum { STEPS = 80 };
    section at_lo = section_at(b, n, lo), at_hi = section_at(b, n, hi);
    section best = at_lo.reach > at_hi.reach ? at_lo : at_hi;
    long double slope_lo = at_lo.slope, slope_hi = at_hi.slope;
    int side = 0;
    for (int i = 0; i < STEPS && slope_lo > 0.0L && slope_hi < 0.0L; i++) {
        long double u = (lo * slope_hi - hi * slope_lo) / (slope_hi - slope_lo);
        // near a corner of the profile the secant creeps: halve now and then
        u = i % 8 == 7 || !(u > lo && u < hi) ? 0.5L * (lo + hi) : u;
        if (!(u > lo && u < hi)) {
            break;
        }
        section s = section_at(b, n, u);
        best = s.reach >= best.reach ? s : best;
        if (s.slope > 0.0L) {
            lo = u;
            slope_lo = s.slope;
            slope_hi *= side == 1 ? 0.5L : 1.0L;
            side = 1;
        } else {
            hi = u;
            slope_hi = s.slope;
            slope_lo *= side == -1 ? 0.5L : 1.0L;
            side = -1;
        }
        if (hi - lo < 1e-19L || s.slope == 0.0L) {
            break;
        }
    }
    return best;
}

static oracle_vec tapered_support(const oracle_body *b, oracle_vec n) {
    double q1 = (double)b->q1, n3 = (double)(b->a3 * n.z);
    double x = pow((double)(b->a1 * fabsl(n.x)), q1), y = pow((double)(b->a2 * fabsl(n.y)), q1);
    section best = section_at(b, n, n.z < 0.0L ? -1.0L : 1.0L);
    bool rising = true;
    for (int k = 0; k < ORACLE_SAMPLES; k++) {
        double share_x = x * b->samples[k].f1_power, share_y = y * b->samples[k].f2_power;
        double sum = share_x + share_y, m = pow(sum, 1.0 / q1), growth = 0.0;
        if (sum > 0.0) {
            growth = m / sum *
                     (share_x * (double)b->tx / b->samples[k].f1 +
                      share_y * (double)b->ty / b->samples[k].f2);
        }
        double slope =
            b->samples[k].w_power * (n3 + b->samples[k].w * growth) - b->samples[k].zeta_power * m;
        bool still = k == 0 || slope > 0.0;
        if (rising && !still) {
            // one height more on either side: the sign may be rounding
            int below = k >= 2 ? k - 2 : 0, above = k + 1 < ORACLE_SAMPLES ? k + 1 : k;
            long double lo = b->samples[k - 1].u, hi = b->samples[k].u;
            lo = section_at(b, n, lo).slope > 0.0L ? lo : b->samples[below].u;
            hi = section_at(b, n, hi).slope < 0.0L ? hi : b->samples[above].u;
            section top = top_between(b, n, lo, hi);
            best = top.reach > best.reach ? top : best;
        }
        rising = still;
    }
    return best.point;
}

long double oracle_support(const oracle_body *b, oracle_vec n, oracle_vec *point) {
    oracle_vec local = {n.x * b->cx.x + n.y * b->cx.y + n.z * b->cx.z,
                        n.x * b->cy.x + n.y * b->cy.y + n.z * b->cy.z,
                        n.x * b->cz.x + n.y * b->cz.y + n.z * b->cz.z};
    oracle_vec p = b->tapered ? tapered_support(b, local) : untapered_support(b, local);
    point->x = b->position.x + b->cx.x * p.x + b->cy.x * p.y + b->cz.x * p.z;
    point->y = b->position.y + b->cx.y * p.x + b->cy.y * p.y + b->cz.y * p.z;
    point->z = b->position.z + b->cx.z * p.x + b->cy.z * p.y + b->cz.z * p.z;
    return n.x * point->x + n.y * point->y + n.z * point->z;
}
