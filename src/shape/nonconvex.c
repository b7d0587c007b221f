/**
 * @file nonconvex.c
 * @brief The nonconvex kinds, for modelling: superhyperboloids, supertoroid, bent superellipsoid.
 * Constructors, inside-outside functions with derivatives, containment, boxes.
 *
 * They are the other members of the superquadrics of [Portal, section 3 and Fig. 4], and the
 * deformed superellipsoid of [SQMap, eq. 2]. None takes part in pair queries; what a constructor
 * has to rule out is a surface that crosses itself or leaves the range of sizes. Their parametric
 * surfaces are in superquadric_surface.c.
 *
 * With u = x/a1, v = y/a2, zeta = z/a3 and m = N_p1(u, v) [Portal, section 3]:
 *
 *     one sheet     F = m^p2 - |zeta|^p2
 *     two sheets    F = 2 + m^p2 - |zeta|^p2
 *     supertoroid   F = |m - hole|^p2 + |zeta|^p2
 *     bent          F = that of the tapered superellipsoid at the point before the bend
 *
 * The usual function of two sheets, |zeta|^p2 - m^p2, is large inside. Mirrored about its level 1
 * it has the same surface and is below 1 inside, as for all other kinds.
 *
 * F is the right thing to differentiate but not to compare with 1: far out it is the difference of
 * two huge powers. Containment therefore compares lengths on both sides of the surface instead.
 */
#include "../math/rounding_mode.h"
#include "shape_internal.h"

/* ---- constructors */

/** Sizes and exponents; all else is zero. */
static ov_status make_nonconvex(ov_shape_kind kind, ov_vec3 semi_axes, double e1, double e2,
                                ov_shape *s) {
    *s = (ov_shape){.kind = kind, .a = semi_axes};
    ov_status status = ovi_check_sizes(semi_axes);
    return status != OV_OK ? status : ovi_set_exponents(e1, e2, s);
}

/** The widest section is m times the semi-axes: it has to be in range, too. */
static ov_status check_width(const ov_shape *s, double m) {
    return fmax(s->a.x, s->a.y) * m <= OV_SIZE_MAX ? OV_OK : OV_ERROR_SIZE_RANGE;
}

static ov_status make_hyperboloid(ov_shape_kind kind, ov_vec3 semi_axes, double e1, double e2,
                                  double height, ov_shape *shape) {
    if (shape == NULL) {
        return OV_ERROR_NULL;
    }
    ov_shape s;
    ov_status status = make_nonconvex(kind, semi_axes, e1, e2, &s);
    if (status == OV_OK) {
        status = ovi_check_size(height);
    }
    if (status == OV_OK && kind == OV_SHAPE_KIND_SUPERHYPERBOLOID_2 && height <= semi_axes.z) {
        status = OV_ERROR_HEIGHT;
    }
    if (status == OV_OK) {
        s.u.hyperboloid.height = height;
        status = check_width(&s, ovi_hyperboloid_rim(&s));
    }
    if (status == OV_OK) {
        *shape = s;
    }
    return status;
}

ov_status ov_shape_make_superhyperboloid_1(ov_vec3 semi_axes, double e1, double e2, double height,
                                           ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_shape_make_superhyperboloid_1(semi_axes, e1, e2, height, shape));
    return make_hyperboloid(OV_SHAPE_KIND_SUPERHYPERBOLOID_1, semi_axes, e1, e2, height, shape);
}

ov_status ov_shape_make_superhyperboloid_2(ov_vec3 semi_axes, double e1, double e2, double height,
                                           ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_shape_make_superhyperboloid_2(semi_axes, e1, e2, height, shape));
    return make_hyperboloid(OV_SHAPE_KIND_SUPERHYPERBOLOID_2, semi_axes, e1, e2, height, shape);
}

ov_status ov_shape_make_supertoroid(ov_vec3 semi_axes, double e1, double e2, double hole,
                                    ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_make_supertoroid(semi_axes, e1, e2, hole, shape));
    if (shape == NULL) {
        return OV_ERROR_NULL;
    }
    ov_shape s;
    ov_status status = make_nonconvex(OV_SHAPE_KIND_SUPERTOROID, semi_axes, e1, e2, &s);
    if (status == OV_OK && !isfinite(hole)) {
        status = OV_ERROR_NOT_FINITE;
    }
    if (status == OV_OK && hole <= 1.0) {
        status = OV_ERROR_HOLE;
    }
    if (status == OV_OK) {
        s.u.toroid.hole = hole;
        status = check_width(&s, hole + 1.0);
    }
    if (status == OV_OK) {
        *shape = s;
    }
    return status;
}

/**
 * Sections turn about the line r = 1/k. They stay apart if the body does not reach that line, and
 * if its two ends, at the angles +-k a3, do not meet behind it.
 */
static ov_status check_bend(const ov_shape *s) {
    double k = fabs(s->u.bent.curvature), angle_rad = s->u.bent.angle_rad;
    if (k * s->a.z >= OVI_PI || k * ovi_section_reach(s, cos(angle_rad), sin(angle_rad)) >= 1.0) {
        return OV_ERROR_BEND;
    }
    return OV_OK;
}

ov_status ov_shape_make_bent(ov_vec3 semi_axes, double e1, double e2, double tx, double ty,
                             double curvature, double angle_rad, ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(
        ov_status, ov_shape_make_bent(semi_axes, e1, e2, tx, ty, curvature, angle_rad, shape));
    if (shape == NULL) {
        return OV_ERROR_NULL;
    }
    ov_shape s;
    ov_status status = make_nonconvex(OV_SHAPE_KIND_BENT, semi_axes, e1, e2, &s);
    if (status == OV_OK) {
        status = ovi_check_taper(tx);
    }
    if (status == OV_OK) {
        status = ovi_check_taper(ty);
    }
    if (status == OV_OK && !(isfinite(curvature) && isfinite(angle_rad))) {
        status = OV_ERROR_NOT_FINITE;
    }
    if (status == OV_OK) {
        s.tx = tx;
        s.ty = ty;
        s.u.bent.curvature = curvature;
        s.u.bent.angle_rad = angle_rad;
        status = check_bend(&s);
    }
    if (status == OV_OK) {
        *shape = s;
    }
    return status;
}

/* ---- F by the section's norm and the height */

/** x^q of x >= 0, with two derivatives. */
typedef struct power_field {
    double value, slope, bend;
    bool smooth;
} power_field;

/** `q` as its primal exponent: q = 1 is a kink at zero, below 2 the bend there is infinite. */
static power_field power_at(double x, double e) {
    double q = 2.0 / e;
    if (x == 0.0) {
        return (power_field){0.0, 0.0, e == 1.0 ? 2.0 : 0.0, e <= 1.0};
    }
    double value = pow(x, q), slope = q * (value / x);
    return (power_field){value, slope, e == 2.0 ? 0.0 : (2.0 - e) / e * (slope / x), true};
}

/** F = A(m) + B(zeta) of the kinds that are not bent. */
typedef struct split_field {
    double value;
    power_field a, b;
} split_field;

/** m^q - zeta^q without the difference of two infinities. */
static double power_difference(double m, double zeta, double e) {
    double big = fmax(m, zeta), small = fmin(m, zeta);
    if (big == small) {
        return 0.0;
    }
    double q = 2.0 / e;
    double part = small == 0.0 ? 1.0 : -expm1(q * log(small / big));
    return copysign(pow(big, q) * part, m - zeta);
}

static split_field split_at(const ov_shape *s, double m, double zeta) {
    split_field f;
    f.b = power_at(zeta, s->e2);
    if (s->kind == OV_SHAPE_KIND_SUPERTOROID) {
        double d = m - s->u.toroid.hole;
        f.a = power_at(fabs(d), s->e2);
        f.value = f.a.value + f.b.value;
        f.a.slope = d < 0.0 ? -f.a.slope : f.a.slope;
        return f;
    }
    f.a = power_at(m, s->e2);
    f.value = power_difference(m, zeta, s->e2);
    f.value += s->kind == OV_SHAPE_KIND_SUPERHYPERBOLOID_2 ? 2.0 : 0.0;
    f.b.slope = -f.b.slope;
    f.b.bend = -f.b.bend;
    return f;
}

static double clamp_finite(double x) { return fmax(-DBL_MAX, fmin(DBL_MAX, x)); }

/** a b, where zero wins over infinite. */
static double damped(double a, double b) { return a == 0.0 || b == 0.0 ? 0.0 : a * b; }

/** Where powers overflow, differences of infinities are left without a value; they count as zero.
 */
static double number(double x) { return isnan(x) ? 0.0 : x; }

static void keep_numbers(ov_field *f) {
    ov_vec3 *each[4] = {&f->gradient, &f->hessian.cx, &f->hessian.cy, &f->hessian.cz};
    for (int i = 0; i < 4; i++) {
        *each[i] = ov_vec3_make(number(each[i]->x), number(each[i]->y), number(each[i]->z));
    }
}

static ov_status straight_implicit(const ov_shape *s, ov_vec3 point, ov_field *field) {
    double u = clamp_finite(point.x / s->a.x), v = clamp_finite(point.y / s->a.y);
    double zeta = clamp_finite(point.z / s->a.z);
    ovi_exponent p1 = ovi_primal1(s);
    ovi_p_norm_parts parts = ovi_p_norm_split(u, v, p1);
    ovi_p_norm m = ovi_p_norm_gradient(u, v, &parts);
    ovi_p_norm_hessian mh = ovi_p_norm_second(u, v, p1, &parts);
    m.value = clamp_finite(m.value);
    split_field f = split_at(s, m.value, fabs(zeta));

    double uu = damped(f.a.bend, m.du * m.du) + damped(f.a.slope, mh.uu);
    double uv = damped(f.a.bend, m.du * m.dv) + damped(f.a.slope, mh.uv);
    double vv = damped(f.a.bend, m.dv * m.dv) + damped(f.a.slope, mh.vv);
    bool smooth = f.a.smooth && f.b.smooth && !mh.edge;
    if (m.value == 0.0 && s->kind != OV_SHAPE_KIND_SUPERTOROID) {
        // m^p2 on the axis: a quadratic where both exponents are 2, flat above, else not smooth
        uu = vv = s->e1 == 1.0 && s->e2 == 1.0 ? 2.0 : 0.0;
        smooth = f.b.smooth && (s->e2 < 1.0 || uu > 0.0);
    }
    double ix = 1.0 / s->a.x, iy = 1.0 / s->a.y, iz = 1.0 / s->a.z;
    field->value = f.value;
    field->gradient = ov_vec3_make(damped(f.a.slope, m.du) * ix, damped(f.a.slope, m.dv) * iy,
                                   zeta < 0.0 ? -f.b.slope * iz : f.b.slope * iz);
    field->hessian.cx = ov_vec3_make(uu * ix * ix, uv * ix * iy, 0.0);
    field->hessian.cy = ov_vec3_make(uv * ix * iy, vv * iy * iy, 0.0);
    field->hessian.cz = ov_vec3_make(0.0, 0.0, f.b.bend * iz * iz);
    keep_numbers(field);
    return smooth ? OV_OK : OV_NOT_SMOOTH;
}

/* ---- F through the bend */

/** Components in the frame of the bending plane: r in it, t across, z. */
static ov_vec3 to_plane(const ovi_unbent *b, ov_vec3 v) {
    return ov_vec3_make(b->c * v.x + b->s * v.y, b->c * v.y - b->s * v.x, v.z);
}

static ov_vec3 from_plane(const ovi_unbent *b, ov_vec3 v) {
    return ov_vec3_make(b->c * v.x - b->s * v.y, b->s * v.x + b->c * v.y, v.z);
}

/** M H M^T with M the turn of to_plane (or from_plane), H symmetric. */
static ov_mat3 turn_matrix(const ovi_unbent *b, const ov_mat3 *h,
                           ov_vec3 (*turn)(const ovi_unbent *, ov_vec3)) {
    // by columns, then by rows
    ov_vec3 x = turn(b, h->cx), y = turn(b, h->cy), z = turn(b, h->cz);
    ov_vec3 rows[3] = {turn(b, ov_vec3_make(x.x, y.x, z.x)), turn(b, ov_vec3_make(x.y, y.y, z.y)),
                       turn(b, ov_vec3_make(x.z, y.z, z.z))};
    return (ov_mat3){rows[0], rows[1], rows[2]};
}

/**
 * Chain rule through the unbend. Its derivatives follow from w^2 = (1 - kR)^2 + (kZ)^2 and
 * gamma = atan2(kZ, 1 - kR), with c, s the cosine and sine of gamma:
 *
 *     1. gamma_R = k s/w,  gamma_Z = k c/w,  w_R = -k c,  w_Z = k s
 *     2. r_R = c,  r_Z = -s,  z_R = s/w,  z_Z = c/w
 *     3. r_RR = -k s^2/w,    r_RZ = -k s c/w,          r_ZZ = -k c^2/w
 *        z_RR = 2k s c/w^2,  z_RZ = k (c^2 - s^2)/w^2,  z_ZZ = -2k s c/w^2
 */
static void through_bend(double k, const ovi_unbent *b, ov_field *field) {
    ov_vec3 g = to_plane(b, field->gradient);
    ov_mat3 h = turn_matrix(b, &field->hessian, to_plane);
    double c = b->cg, s = b->sg, cw = c / b->w, sw = s / b->w, kw = k / b->w;
    double rr = h.cx.x, rt = h.cx.y, rz = h.cx.z, tt = h.cy.y, tz = h.cy.z, zz = h.cz.z;

    ov_vec3 slope = ov_vec3_make(g.x * c + g.z * sw, g.y, g.z * cw - g.x * s);
    double RR = rr * c * c + 2.0 * rz * c * sw + zz * sw * sw;
    double RZ = (zz * cw * sw - rr * c * s) + rz * (c * cw - s * sw);
    double ZZ = rr * s * s - 2.0 * rz * s * cw + zz * cw * cw;
    RR += kw * s * (2.0 * g.z * cw - g.x * s);
    RZ += kw * (g.z * (c * cw - s * sw) - g.x * s * c);
    ZZ -= kw * c * (2.0 * g.z * sw + g.x * c);
    double RT = rt * c + tz * sw, TZ = tz * cw - rt * s;
    ov_mat3 bend = {{RR, RT, RZ}, {RT, tt, TZ}, {RZ, TZ, ZZ}};
    field->gradient = from_plane(b, slope);
    field->hessian = turn_matrix(b, &bend, from_plane);
}

static ov_status bent_implicit(const ov_shape *s, ov_vec3 point, ov_field *field) {
    ovi_unbent b = ovi_unbend_point(s, point);
    ov_status status = ovi_family_implicit(s, b.point, field);
    if (!b.regular) {
        field->gradient = ov_vec3_make(0.0, 0.0, 0.0);
        field->hessian = (ov_mat3){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        return OV_NOT_SMOOTH;
    }
    through_bend(s->u.bent.curvature, &b, field);
    keep_numbers(field);
    return status;
}

ov_status ovi_nonconvex_implicit(const ov_shape *shape, ov_vec3 point, ov_field *field) {
    return shape->kind == OV_SHAPE_KIND_BENT ? bent_implicit(shape, point, field)
                                             : straight_implicit(shape, point, field);
}

/* ---- containment */

/** A point this far outside, relative to what its coordinates are rounded from, counts as on it. */
static const double rounding = 16.0 * DBL_EPSILON;

/** The gauge before the bend, against 1 and what the rounding of the point can move it by. */
static bool bent_contains(const ov_shape *s, ov_vec3 point) {
    ovi_unbent b = ovi_unbend_point(s, point);
    ov_field g;
    ovi_family_gauge(s, b.point, &g);
    // the unbend keeps lengths across z, and divides those along it by w
    double slope = hypot(g.gradient.x, g.gradient.y) + fabs(g.gradient.z) / b.w;
    return g.value <= 1.0 + rounding * (1.0 + ov_vec3_length(point) * slope);
}

ov_status ovi_nonconvex_contains(const ov_shape *s, ov_vec3 point, bool *inside) {
    if (s->kind == OV_SHAPE_KIND_BENT) {
        *inside = bent_contains(s, point);
        return OV_OK;
    }
    double u = clamp_finite(point.x / s->a.x), v = clamp_finite(point.y / s->a.y);
    double zeta = clamp_finite(fabs(point.z) / s->a.z);
    ovi_p_norm_parts parts = ovi_p_norm_split(u, v, ovi_primal1(s));
    double m = clamp_finite(ovi_p_norm_gradient(u, v, &parts).value);
    ovi_exponent p2 = ovi_primal2(s);
    if (s->kind == OV_SHAPE_KIND_SUPERTOROID) {
        double hole = s->u.toroid.hole, d = m - hole;
        parts = ovi_p_norm_split(d, zeta, p2);
        double gauge = ovi_p_norm_gradient(d, zeta, &parts).value;
        *inside = gauge <= 1.0 + rounding * (1.0 + hole);
        return OV_OK;
    }
    bool one_sheet = s->kind == OV_SHAPE_KIND_SUPERHYPERBOLOID_1;
    bool in_surface = one_sheet ? m <= ovi_branch_at(p2, zeta).a * (1.0 + rounding)
                                : zeta * (1.0 + rounding) >= ovi_branch_at(p2, m).a;
    *inside = in_surface && fabs(point.z) <= s->u.hyperboloid.height * (1.0 + rounding);
    return OV_OK;
}

/* ---- boxes */

static ov_aabb box_about(double lo_x, double hi_x, double lo_y, double hi_y, double z) {
    // grown by the rounding of the few operations behind each bound
    double margin = 8.0 * OVI_BOUND_MARGIN;
    ov_vec3 slack = ov_vec3_make(margin * fmax(fabs(lo_x), fabs(hi_x)),
                                 margin * fmax(fabs(lo_y), fabs(hi_y)), margin * z);
    return (ov_aabb){ov_vec3_sub(ov_vec3_make(lo_x, lo_y, -z), slack),
                     ov_vec3_add(ov_vec3_make(hi_x, hi_y, z), slack)};
}

/** Interval of x (or y) that holds the bent body: both bounds below hold, so their overlap does.
 *  `c` is the direction's share in the bending plane, `across` that across it. */
typedef struct bend_extent {
    double lo, hi; // of r
    double side;   // of t, either way
    double shift;  // furthest that the bend moves a point, along r
} bend_extent;

static void bent_interval(const bend_extent *e, double c, double across, double own, double *lo,
                          double *hi) {
    double side = fabs(across) * e->side;
    *lo = fmax(fmin(c * e->lo, c * e->hi) - side, fmin(0.0, c * e->shift) - own);
    *hi = fmin(fmax(c * e->lo, c * e->hi) + side, fmax(0.0, c * e->shift) + own);
}

/**
 * With rho the reach in the bending plane and G = |k| a3 the angle of the ends, for a bend to +r:
 *
 *     1. r runs from -rho to (1 - w cos G)/k, where w = 1 - k rho for ends that still look up and
 *        1 + k rho for ends that look down; |z| <= (1 + k rho) sin(min(G, pi/2))/k
 *     2. the bend moves a point along r only, by 0 to (1 + k rho) (1 - cos G)/k
 *
 * For x and y the first bound is better for strong bends, the second for weak ones.
 */
static ov_aabb bent_box(const ov_shape *s) {
    ovi_cos_sin plane = ovi_cos_sin_of_angle(s->u.bent.angle_rad);
    double k = s->u.bent.curvature, kk = fabs(k), a3 = s->a.z;
    double rho = ovi_section_reach(s, plane.c, plane.s);
    double angle_rad = kk * a3, half = 0.5 * angle_rad;
    double inner = angle_rad <= 0.5 * OVI_PI ? rho : -rho;
    // (1 - cos G)/k and sin(G)/k, good for k = 0 too
    double sagitta = half > 1e-8 ? 2.0 * sin(half) * sin(half) / kk : a3 * half;
    double rise = angle_rad > 1e-8 ? sin(fmin(angle_rad, 0.5 * OVI_PI)) / kk : a3;
    double outer = fmax(rho, inner + (1.0 - kk * inner) * sagitta);
    double shift = (1.0 + kk * rho) * sagitta, z = (1.0 + kk * rho) * rise;
    bend_extent e = {-rho, outer, ovi_section_reach(s, plane.s, plane.c), shift};
    if (k < 0.0) {
        e = (bend_extent){-outer, rho, e.side, -shift};
    }
    double lo_x, hi_x, lo_y, hi_y;
    bent_interval(&e, plane.c, plane.s, ovi_section_reach(s, 1.0, 0.0), &lo_x, &hi_x);
    bent_interval(&e, plane.s, plane.c, ovi_section_reach(s, 0.0, 1.0), &lo_y, &hi_y);
    return box_about(lo_x, hi_x, lo_y, hi_y, z);
}

void ovi_nonconvex_box(const ov_shape *s, ov_aabb *box) {
    if (s->kind == OV_SHAPE_KIND_BENT) {
        *box = bent_box(s);
        return;
    }
    bool toroid = s->kind == OV_SHAPE_KIND_SUPERTOROID;
    double m = toroid ? s->u.toroid.hole + 1.0 : ovi_hyperboloid_rim(s);
    double x = s->a.x * m, y = s->a.y * m;
    *box = box_about(-x, x, -y, y, toroid ? s->a.z : s->u.hyperboloid.height);
}
