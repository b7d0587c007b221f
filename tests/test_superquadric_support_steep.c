/**
 * @file test_superquadric_support_steep.c
 * @brief Support of strongly tapered superovoids, where almost all of a profile's width may vanish
 * within the last 1e-9 of its height.
 *
 * The oracle is a scan over the height in long double, by the distance c = 1 - |zeta| from the pole
 * (down to 1e-30) or by the height itself, in logarithmic steps, with a golden section at the best.
 * It knows nothing of slopes, chords or dents. Every value of it is reached by a point of the
 * surface, so a support below it is wrong for certain; and the support's own point must reach the
 * support's value, so none is above the truth either.
 */
#include "check.h"
#include "support_oracle.h"

/** What the certificate of a pair allows for the support of a superovoid, in radii of its ball. */
static const double claimed = 2e-13;

typedef struct direction_scan {
    const ov_shape *s;
    so_vec n;
    so_real side; // of the equator
} direction_scan;

/** n . p of the section at distance c from the pole, at its best. */
static so_real reach(so_real c, const void *context) {
    const direction_scan *d = context;
    const ov_shape *s = d->s;
    so_real p = 2.0L / s->e2, q = 2.0L / (2.0L - s->e1), zeta = d->side * (1.0L - c);
    so_real rest = c < 1.0L ? -expm1l(p * log1pl(-c)) : 1.0L;
    so_real w = rest > 0.0L ? expl(logl(rest) / p) : 0.0L;
    so_real u = fabsl(s->a.x * d->n.x) * (1.0L + s->tx * zeta);
    so_real v = fabsl(s->a.y * d->n.y) * (1.0L + s->ty * zeta);
    so_real big = fmaxl(u, v), small = fminl(u, v);
    so_real m =
        small > 0.0L && s->e1 < 2.0 ? big * expl(log1pl(expl(q * logl(small / big))) / q) : big;
    return s->a.z * d->n.z * zeta + w * m;
}

enum { DECADES = 30, PER_DECADE = 12, FROM_EQUATOR = 12 * PER_DECADE, STEPS = 90 };
enum { HEIGHTS = DECADES * PER_DECADE + FROM_EQUATOR + 1 };

/** Distances from the pole in growing order: zero, 1e-30 … 1/2 … 1 - 1e-12, one. */
static so_real distance_at(int i) {
    const int half = DECADES * PER_DECADE;
    if (i <= 0 || i >= HEIGHTS - 1) {
        return i <= 0 ? 0.0L : 1.0L;
    }
    so_real c = 0.5L * powl(10.0L, -(so_real)abs(i - half) / PER_DECADE);
    return i <= half ? c : 1.0L - c;
}

static so_real scanned_support(const ov_shape *s, ov_vec3 n) {
    so_real most = -INFINITY, value[HEIGHTS];
    for (int side = -1; side <= 1; side += 2) {
        direction_scan d = {s, so_from(n), side};
        for (int i = 0; i < HEIGHTS; i++) {
            value[i] = reach(distance_at(i), &d);
            most = fmaxl(most, value[i]);
        }
        for (int i = 1; i + 1 < HEIGHTS; i++) {
            if (value[i] >= value[i - 1] && value[i] >= value[i + 1]) {
                so_real lo = distance_at(i - 1), hi = distance_at(i + 1);
                most = fmaxl(most, so_golden_max(reach, &d, lo, hi, STEPS).value);
            }
        }
    }
    return most;
}

static double off_by(const ov_shape *s, ov_vec3 n, double *point) {
    ov_support h;
    CHECK_OK(ov_shape_support(s, n, &h));
    *point = (double)(h.value - so_dot(so_from(n), so_from(h.point))) / s->ball.radius;
    return (double)(scanned_support(s, n) - h.value) / s->ball.radius;
}

static void test_known(void) {
    ov_shape s;
    CHECK_OK(ov_shape_make_superovoid(ov_vec3_make(1.0, 1.0, 1.0), 0.9, 0.001, 0.99218998990394636,
                                      0.99999996412030034, NULL, &s));
    const ov_vec3 n = {9.789545854933488e-05, -0.70710679048365077, -0.70710676511287152};
    ov_support h;
    CHECK_OK(ov_shape_support(&s, n, &h));
    CHECK_NEAR(h.value, 0.70710752493955731, claimed * s.ball.radius);
    double point;
    CHECK(fabs(off_by(&s, n, &point)) <= claimed && fabs(point) <= claimed);
}

/** A taper next to 1 or -1, or not so next. */
static double steep_taper(check_random *r) {
    double t = 1.0 - check_log_uniform(r, 1e-15, 0.5);
    return check_random_bits(r) & 1u ? t : -t;
}

static double end_exponent(check_random *r) {
    double e = check_log_uniform(r, 1e-3, 1.999);
    return check_random_bits(r) % 3 == 0 ? 2.0 - e : e;
}

/** A direction that is normal to a chord of the profile next to a pole: there two heights tie. */
static ov_vec3 tied_direction(check_random *r, const ov_shape *s) {
    double around = check_uniform(r, 0.0, 2.0 * M_PI);
    if (check_random_bits(r) % 3 == 0) {
        around = check_log_uniform(r, 1e-8, 1.0); // one axis counts for little
    }
    direction_scan d = {s,
                        {cosl(around) / s->a.x, sinl(around) / s->a.y, 0.0L},
                        check_random_bits(r) & 1u ? 1.0L : -1.0L};
    so_real c1 = check_log_uniform(r, 1e-18, 1.0), c2 = c1 * check_uniform(r, 1e-3, 0.999);
    so_real slope = (reach(c1, &d) - reach(c2, &d)) / (c1 - c2);
    ov_vec3 n = {(double)d.n.x, (double)d.n.y, (double)(d.side * slope) / s->a.z};
    return isfinite(n.z) ? ov_vec3_normalize(n) : check_unit_vector(r);
}

static void test_random(void) {
    check_random r = check_random_make(331);
    double low = 0.0, high = 0.0;
    long made = 0;
    for (int i = 0; i < 1200; i += check_every()) {
        ov_shape s;
        double tx = steep_taper(&r), ty = check_random_bits(&r) % 3 == 0 ? tx : steep_taper(&r);
        ov_vec3 a = {1.0, check_uniform(&r, 0.3, 1.0), check_uniform(&r, 0.3, 1.5)};
        if (ov_shape_make_superovoid(a, end_exponent(&r), end_exponent(&r), tx, ty, NULL, &s) !=
            OV_OK) {
            continue; // too deep a dent
        }
        made++;
        for (int k = 0; k < 4; k++) {
            ov_vec3 n = k == 0 ? check_unit_vector(&r) : tied_direction(&r, &s);
            double point, off = off_by(&s, n, &point);
            low = fmax(low, fabs(off));
            high = fmax(high, fabs(point));
            if (!CHECK(fabs(off) <= claimed && fabs(point) <= claimed)) {
                fprintf(stderr,
                        "  off by %.3g, point %.3g: a %.17g %.17g %.17g, e %.17g %.17g, "
                        "t %.17g %.17g, n %.17g %.17g %.17g\n",
                        off, point, s.a.x, s.a.y, s.a.z, s.e1, s.e2, s.tx, s.ty, n.x, n.y, n.z);
            }
        }
    }
    CHECK(made > check_share(200));
    check_worst("support of steep tapers against a scan, in radii", low, claimed);
    check_worst("support point of steep tapers: n . p = h, in radii", high, claimed);
}

int main(void) {
    check_suite = "superquadric_support_steep";
    RUN(test_known);
    RUN(test_random);
    return check_finish();
}
