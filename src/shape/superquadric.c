/**
 * @file superquadric.c
 * @brief The smooth family (sphere, ellipsoid, superellipsoid, superovoid): constructors, exponents
 * as others write them, and mass.
 *
 * All four constructors go through one function, which files the shape under its simplest kind: the
 * meaning is always that of the superovoid, the kind only selects the cheapest formulas. What is
 * larger than a closed form has a file of its own: superquadric_gauge.c (with curvature), _surface,
 * _support, _bounds and _dent.
 */
#include "../math/rounding_mode.h"
#include "shape_internal.h"

/* ---- constructors */

ov_shape_options ov_default_shape_options(void) {
    return (ov_shape_options){.dent_tolerance = 0.05};
}

static ov_shape_kind simplest_kind(const ov_shape *s) {
    if (s->tx != 0.0 || s->ty != 0.0) {
        return OV_SHAPE_KIND_SUPEROVOID;
    }
    if (s->e1 != 1.0 || s->e2 != 1.0) {
        return OV_SHAPE_KIND_SUPERELLIPSOID;
    }
    return s->a.x == s->a.y && s->a.y == s->a.z ? OV_SHAPE_KIND_SPHERE : OV_SHAPE_KIND_ELLIPSOID;
}

/** Everything but the dent. */
static ov_status make_smooth(ov_vec3 semi_axes, double e1, double e2, double tx, double ty,
                             ov_shape *shape) {
    ov_shape s = {.a = semi_axes, .tx = tx, .ty = ty};
    ov_status status = ovi_check_sizes(semi_axes);
    if (status == OV_OK) {
        status = ovi_set_exponents(e1, e2, &s);
    }
    if (status == OV_OK) {
        status = ovi_check_taper(tx);
    }
    if (status == OV_OK) {
        status = ovi_check_taper(ty);
    }
    if (status == OV_OK) {
        s.kind = simplest_kind(&s);
        *shape = s;
    }
    return status;
}

ov_status ov_shape_make_sphere(double radius, ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_make_sphere(radius, shape));
    return ov_shape_make_ellipsoid(ov_vec3_make(radius, radius, radius), shape);
}

ov_status ov_shape_make_ellipsoid(ov_vec3 semi_axes, ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_make_ellipsoid(semi_axes, shape));
    return ov_shape_make_superellipsoid(semi_axes, 1.0, 1.0, shape);
}

ov_status ov_shape_make_superellipsoid(ov_vec3 semi_axes, double e1, double e2, ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_make_superellipsoid(semi_axes, e1, e2, shape));
    return ov_shape_make_superovoid(semi_axes, e1, e2, 0.0, 0.0, NULL, shape);
}

ov_status ov_shape_make_superovoid(ov_vec3 semi_axes, double e1, double e2, double tx, double ty,
                                   const ov_shape_options *options, ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_shape_make_superovoid(semi_axes, e1, e2, tx, ty, options, shape));
    if (shape == NULL) {
        return OV_ERROR_NULL;
    }
    double tolerance = options != NULL ? options->dent_tolerance : 0.0;
    tolerance = tolerance != 0.0 ? tolerance : ov_default_shape_options().dent_tolerance;
    if (!(tolerance >= 0.0 && tolerance <= 1.0)) {
        return OV_ERROR_OPTION;
    }
    ov_shape s;
    ov_status status = make_smooth(semi_axes, e1, e2, tx, ty, &s);
    if (status != OV_OK) {
        return status;
    }
    if (s.kind == OV_SHAPE_KIND_SUPEROVOID) {
        ovi_dent_measure(&s);
        if (s.dent > tolerance * fmin(semi_axes.x, fmin(semi_axes.y, semi_axes.z))) {
            return OV_ERROR_DENT;
        }
    }
    s.ball = ovi_family_ball(&s);
    *shape = s;
    return OV_OK;
}

/* ---- exponents as others write them
 *
 * They are converted at the border, so that the rest of the library knows only one convention.
 * [Thesis] and [Benchmark] number the exponents as Ovoid does, section first. Barr, Solina,
 * [Portal] and [SQMap] begin with the one along z. LAMMPS and LIGGGHTS give blockiness 2/e instead,
 * along z first: (|x/a|^n2 + |y/b|^n2)^(n1/n2) + |z/c|^n1 = 1.
 */

static bool is_convention(ov_convention c) {
    return c == OV_CONVENTION_OVOID || c == OV_CONVENTION_BARR || c == OV_CONVENTION_BLOCKY;
}

static ov_status check_exponents(double e1, double e2) {
    ov_status status = ovi_check_exponent(e1);
    return status != OV_OK ? status : ovi_check_exponent(e2);
}

ov_status ov_exponents_import(ov_convention from, double first, double second, ov_exponents *out) {
    if (out == NULL) {
        return OV_ERROR_NULL;
    }
    if (!is_convention(from)) {
        return OV_ERROR_OPTION;
    }
    if (!isfinite(first) || !isfinite(second)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (from == OV_CONVENTION_BLOCKY) {
        // 2/n would map what is negative or zero to what is not finite: refuse it by its own name
        if (first <= 0.0 || second <= 0.0) {
            return OV_ERROR_EXPONENT;
        }
        first = fmin(2.0 / first, 3.0);
        second = fmin(2.0 / second, 3.0);
    }
    bool swapped = from != OV_CONVENTION_OVOID;
    ov_exponents e = {swapped ? second : first, swapped ? first : second};
    ov_status status = check_exponents(e.e1, e.e2);
    if (status == OV_OK) {
        *out = e;
    }
    return status;
}

ov_status ov_exponents_export(ov_exponents exponents, ov_convention to, double *first,
                              double *second) {
    if (first == NULL || second == NULL) {
        return OV_ERROR_NULL;
    }
    if (!is_convention(to)) {
        return OV_ERROR_OPTION;
    }
    ov_status status = check_exponents(exponents.e1, exponents.e2);
    if (status != OV_OK) {
        return status;
    }
    double section = exponents.e1, profile = exponents.e2;
    if (to == OV_CONVENTION_BLOCKY) {
        section = 2.0 / section;
        profile = 2.0 / profile;
        // the blockiness of an exponent below 1.1e-308 is not a double any more
        if (!isfinite(section) || !isfinite(profile)) {
            return OV_ERROR_EXPONENT;
        }
    }
    *first = to == OV_CONVENTION_OVOID ? section : profile;
    *second = to == OV_CONVENTION_OVOID ? profile : section;
    return OV_OK;
}

/* ---- mass
 *
 * Volume, centroid and inertia in closed form, taper included. A section at height zeta is the
 * superellipse with semi-axes w f1 a1, w f2 a2, so every moment is an integral over zeta of a power
 * of w times a polynomial, and those are beta functions:
 *
 *     1. over the section:   area = A w^2 f1 f2,   A = 4 a1 a2 Gamma(1+1/p)^2 / Gamma(1+2/p)
 *                            int x^2 = X w^4 f1^3 f2,  int y^2 = Y w^4 f1 f2^3
 *                            X = a1^3 a2 (4/3) Gamma(1+3/p) Gamma(1+1/p) / Gamma(1+4/p), p = p1
 *     2. over the height:    I(k, j) = int w^k zeta^j = 2/(j+1) Gamma(1+(j+1)/p) Gamma(1+k/p)
 *                                      / Gamma(1+(j+1+k)/p), j even, p = p2;  0 for odd j
 *     3. f1 f2 and f1^3 f2 are polynomials in zeta: sums of I
 *
 * Published closed forms stop at the untapered body; this one does not need to.
 */

/** int over [-1, 1] of w^k zeta^j; half_e2 is 1/p2. */
static double height_moment(int k, int j, double half_e2) {
    if (j % 2 != 0) {
        return 0.0;
    }
    double i = j + 1;
    return 2.0 / i * tgamma(1.0 + i * half_e2) * tgamma(1.0 + k * half_e2) /
           tgamma(1.0 + (i + k) * half_e2);
}

/** int of w^k zeta^j (c0 + c1 zeta + … + c4 zeta^4). */
static double polynomial_moment(int k, int j, const double c[5], double half_e2) {
    double sum = 0.0;
    for (int i = 0; i < 5; i++) {
        sum += c[i] == 0.0 ? 0.0 : c[i] * height_moment(k, i + j, half_e2);
    }
    return sum;
}

/** Coefficients of (1 + s zeta)^3 (1 + t zeta). */
static void cube_times_line(double s, double t, double c[5]) {
    c[0] = 1.0;
    c[1] = 3.0 * s + t;
    c[2] = 3.0 * s * (s + t);
    c[3] = s * s * (s + 3.0 * t);
    c[4] = s * s * s * t;
}

void ovi_family_mass(const ov_shape *s, ov_mass *out) {
    double g1 = 0.5 * s->e1, g2 = 0.5 * s->e2; // 1/p1, 1/p2
    double a1 = s->a.x, a2 = s->a.y, a3 = s->a.z;
    double unit = tgamma(1.0 + g1);
    double area = 4.0 * a1 * a2 * unit * unit / tgamma(1.0 + 2.0 * g1);
    double square = 4.0 / 3.0 * a1 * a2 * tgamma(1.0 + 3.0 * g1) * unit / tgamma(1.0 + 4.0 * g1);

    const double plain[5] = {1.0, s->tx + s->ty, s->tx * s->ty, 0.0, 0.0};
    double x_poly[5], y_poly[5];
    cube_times_line(s->tx, s->ty, x_poly);
    cube_times_line(s->ty, s->tx, y_poly);
    double volume = area * a3 * polynomial_moment(2, 0, plain, g2);
    double z_mean = a3 * polynomial_moment(2, 1, plain, g2) / polynomial_moment(2, 0, plain, g2);
    double xx = square * a1 * a1 * a3 * polynomial_moment(4, 0, x_poly, g2);
    double yy = square * a2 * a2 * a3 * polynomial_moment(4, 0, y_poly, g2);
    double zz = area * a3 * a3 * a3 * polynomial_moment(2, 2, plain, g2);
    zz -= volume * z_mean * z_mean;

    *out = (ov_mass){.volume = volume, .mass = volume, .centroid = {0.0, 0.0, z_mean}};
    out->inertia.cx.x = yy + zz;
    out->inertia.cy.y = xx + zz;
    out->inertia.cz.z = xx + yy;
}
