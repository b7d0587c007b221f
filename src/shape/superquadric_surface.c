/**
 * @file superquadric_surface.c
 * @brief Surfaces of all superquadrics, nonconvex ones included, by two angles, and the way back.
 *
 * Each is a product of two curves: a section in xy, the unit superellipse with e1, is swept along a
 * profile of pairs (m, z) [Benchmark, eq. 10]:
 *
 *     x = a1 f1(z) m u,   y = a2 f2(z) m v
 *
 * So are capsule, cylinder and cone, with a circle as the section: the mesher uses the same
 * functions. With t = phi2, c = cos t and s = sin t the angle-centre profiles (m, z/a3) and their
 * covectors, the derivatives by m and z of a function that grows outwards, are
 *
 *     superellipsoid       (c^e2, s^e2)                  (c^(2-e2), s^(2-e2))
 *     supertoroid          (hole + c^e2, s^e2)           the same
 *     one sheet            (c^-e2, (s/c)^e2)             (1, -s^(2-e2))
 *     two sheets, upper    ((s/c)^e2, c^-e2)             (s^(2-e2), -1)
 *
 * The last two follow from sec^2 - tan^2 = 1; their covectors are scaled by c^(2-e2), so that they
 * are finite.
 *
 * The derivatives by the angles [Benchmark, eq. 11-12] vanish or blow up on the coordinate planes
 * (factors |cos|^(e-1)). Their directions are those of the covectors turned by a right angle, which
 * are finite and non-zero everywhere: with (g_u, g_v) and (g_m, g_z) the covectors of the two
 * curves and f' = df/dz
 *
 *     t1 ~ (-a1 f1 g_v,  a2 f2 g_u,  0)
 *     t2 ~ (a1 u (f1' m g_m - f1 g_z),  a2 v (f2' m g_m - f2 g_z),  g_m)
 *     n  ~ (g_m g_u/(a1 f1),  g_m g_v/(a2 f2),  g_z - g_m m (g_u u f1'/f1 + g_v v f2'/f2))
 *
 * Of the smooth family n is the gradient of the gauge.
 */
#include "../math/golden.h"
#include "shape_internal.h"

/* ---- the bend [SQMap, eq. 2]
 *
 * It follows Solina and Bajcsy: in the plane of r = x cos(angle) + y sin(angle) and z, about the
 * line r = 1/k,
 *
 *     gamma = k z,  w = 1 - k r,  R = 1/k - (w/k) cos(gamma),  Z = (w/k) sin(gamma)
 *
 * but in a form without 1/k, so that k = 0 is the straight body and small k loses nothing:
 *
 *     R = r + w (k/2) (z sinc(gamma/2))^2,  Z = w z sinc(gamma)
 */

static double sinc(double x) { return fabs(x) < 1e-10 ? 1.0 : sin(x) / x; }

/** How the bend turns and stretches at a straight point: by gamma, and by w along z. */
typedef struct bend_frame {
    double c, s, cg, sg, w;
} bend_frame;

static bend_frame frame_at(const ov_shape *shape, ov_vec3 straight) {
    double k = shape->u.bent.curvature;
    ovi_cos_sin plane = ovi_cos_sin_of_angle(shape->u.bent.angle_rad);
    double r = straight.x * plane.c + straight.y * plane.s;
    return (bend_frame){plane.c, plane.s, cos(k * straight.z), sin(k * straight.z), 1.0 - k * r};
}

static ov_vec3 bend_point(const ov_shape *shape, ov_vec3 straight) {
    double k = shape->u.bent.curvature, z = straight.z;
    ovi_cos_sin plane = ovi_cos_sin_of_angle(shape->u.bent.angle_rad);
    double w = 1.0 - k * (straight.x * plane.c + straight.y * plane.s);
    double half = z * sinc(0.5 * k * z), shift = w * (0.5 * k) * half * half;
    return ov_vec3_make(straight.x + plane.c * shift, straight.y + plane.s * shift,
                        w * z * sinc(k * z));
}

ovi_unbent ovi_unbend_point(const ov_shape *shape, ov_vec3 bent) {
    double k = shape->u.bent.curvature;
    ovi_cos_sin plane = ovi_cos_sin_of_angle(shape->u.bent.angle_rad);
    double r_bent = bent.x * plane.c + bent.y * plane.s;
    double x = 1.0 - k * r_bent, y = k * bent.z;
    double w = hypot(x, y);
    ovi_unbent out = {.c = plane.c, .s = plane.s, .cg = 1.0, .sg = 0.0, .w = w};
    out.regular = w > 0.0 && (x > 0.0 || y != 0.0);
    if (w > 0.0) {
        out.cg = x / w;
        out.sg = y / w;
    }
    // gamma/k; for a small angle by its series, since k z may be too small to have all its digits
    double z = x > 0.0 && fabs(y) < 1e-8 * x ? bent.z / x : atan2(y, x) / k;
    // r = (1 - w)/k, or (1 - w^2)/(k (1 + w)) with k divided out, which goes to R as k goes to zero
    double r =
        w > 2.0 ? (1.0 - w) / k : (2.0 * r_bent - (k * r_bent * r_bent + y * bent.z)) / (1.0 + w);
    double shift = r - r_bent;
    out.point = ov_vec3_make(bent.x + plane.c * shift, bent.y + plane.s * shift, z);
    return out;
}

/** Turns a vector with the bend after scaling it along z: by w for tangents, by 1/w for normals. */
static ov_vec3 turn_vector(const bend_frame *f, ov_vec3 v, double along_z) {
    double r = v.x * f->c + v.y * f->s, z = v.z * along_z;
    double shift = f->cg * r + f->sg * z - r;
    return ov_vec3_make(v.x + f->c * shift, v.y + f->s * shift, f->cg * z - f->sg * r);
}

/* ---- products of section and profile */

/** Taper factors at a height, and their slopes by z. */
typedef struct taper {
    double f1, f2, df1, df2;
} taper;

static taper taper_at(const ov_shape *shape, double z) {
    if (shape->tx == 0.0 && shape->ty == 0.0) {
        return (taper){1.0, 1.0, 0.0, 0.0};
    }
    double zeta = z / shape->a.z;
    return (taper){1.0 + shape->tx * zeta, 1.0 + shape->ty * zeta, shape->tx / shape->a.z,
                   shape->ty / shape->a.z};
}

ov_vec3 ovi_product_point(const ov_shape *shape, double u, double v, double m, double z) {
    taper f = taper_at(shape, z);
    ov_vec3 p = ov_vec3_make(shape->a.x * f.f1 * m * u, shape->a.y * f.f2 * m * v, z);
    return shape->kind == OV_SHAPE_KIND_BENT ? bend_point(shape, p) : p;
}

void ovi_product_surface(const ov_shape *shape, const ovi_curve_point *section,
                         const ovi_profile_point *profile, ov_surface_point *out) {
    const ovi_curve_point *c = section;
    const ovi_profile_point *p = profile;
    taper f = taper_at(shape, p->z);
    double a1 = shape->a.x, a2 = shape->a.y;
    // the section's norm falls with height where its axes grow: that part of the normal is `lean`
    double lean = p->m * (c->gu * c->u * f.df1 / f.f1 + c->gv * c->v * f.df2 / f.f2);
    ov_vec3 normal = ov_vec3_make(p->gm * c->gu / (a1 * f.f1), p->gm * c->gv / (a2 * f.f2),
                                  p->gz - p->gm * lean);
    ov_vec3 t1 = ov_vec3_make(-c->gv * a1 * f.f1, c->gu * a2 * f.f2, 0.0);
    double dm = -p->gz, dz = p->gm;
    ov_vec3 t2 = ov_vec3_make(a1 * c->u * (f.f1 * dm + p->m * f.df1 * dz),
                              a2 * c->v * (f.f2 * dm + p->m * f.df2 * dz), dz);
    out->point = ov_vec3_make(a1 * f.f1 * p->m * c->u, a2 * f.f2 * p->m * c->v, p->z);
    if (shape->kind == OV_SHAPE_KIND_BENT) {
        bend_frame frame = frame_at(shape, out->point);
        normal = turn_vector(&frame, normal, 1.0 / frame.w);
        t1 = turn_vector(&frame, t1, frame.w);
        t2 = turn_vector(&frame, t2, frame.w);
        out->point = bend_point(shape, out->point);
    }
    out->normal = ov_vec3_normalize(normal);
    out->tangent1 = ov_vec3_normalize(t1);
    out->tangent2 = ov_vec3_normalize(t2);
}

/* ---- surface points by two angles */

ovi_branch ovi_branch_at(ovi_exponent p, double b) {
    ovi_p_norm_parts parts = ovi_p_norm_split(1.0, b, p);
    ovi_p_norm n = ovi_p_norm_gradient(1.0, b, &parts);
    return (ovi_branch){n.value, n.dv};
}

double ovi_hyperboloid_rim(const ov_shape *shape) {
    double height = shape->u.hyperboloid.height, a3 = shape->a.z;
    if (shape->kind == OV_SHAPE_KIND_SUPERHYPERBOLOID_1) {
        return ovi_branch_at(ovi_primal2(shape), height / a3).a;
    }
    // (h^p - 1)^(1/p) = h (1 - h^-p)^(1/p), by functions that keep their digits near h = 1
    double log_h = log1p((height - a3) / a3), p = 2.0 / shape->e2;
    return height / a3 * pow(-expm1(-p * log_h), 0.5 * shape->e2);
}

static ovi_profile_point hyperboloid_profile(const ov_shape *shape, ovi_cos_sin t, bool lower) {
    double a3 = shape->a.z, e = shape->e2;
    double secant = pow(t.c, -e), tangent = ovi_signed_power(t.s, e) * secant;
    double across = ovi_signed_power(t.s, 2.0 - e);
    if (shape->kind == OV_SHAPE_KIND_SUPERHYPERBOLOID_1) {
        return (ovi_profile_point){secant, a3 * tangent, 1.0, -across / a3};
    }
    double side = lower ? -1.0 : 1.0;
    return (ovi_profile_point){fabs(tangent), side * a3 * secant, fabs(across), -side / a3};
}

ov_status ovi_superquadric_surface(const ov_shape *shape, ov_spacing spacing, double phi1,
                                   double phi2, ov_surface_point *out) {
    ovi_cos_sin t = ovi_cos_sin_of_angle(phi2);
    ovi_profile_point profile;
    if (shape->kind == OV_SHAPE_KIND_SUPERHYPERBOLOID_1 ||
        shape->kind == OV_SHAPE_KIND_SUPERHYPERBOLOID_2) {
        if (spacing != OV_SPACING_ANGLE_CENTRE) {
            return OV_ERROR_UNSUPPORTED;
        }
        if (t.c <= 0.0) {
            return OV_ERROR_OPTION;
        }
        profile = hyperboloid_profile(shape, t, signbit(phi2) != 0);
    } else {
        ovi_curve_point c = ovi_unit_curve(shape->e2, ovi_primal2(shape), spacing, t);
        double hole = shape->kind == OV_SHAPE_KIND_SUPERTOROID ? shape->u.toroid.hole : 0.0;
        double a3 = shape->a.z;
        profile = (ovi_profile_point){hole + c.u, a3 * c.v, c.gu, c.gv / a3};
    }
    ovi_curve_point section =
        ovi_unit_curve(shape->e1, ovi_primal1(shape), spacing, ovi_cos_sin_of_angle(phi1));
    ovi_product_surface(shape, &section, &profile, out);
    return OV_OK;
}

/* ---- the way back: angles of a point */

/** Angle whose cosine and sine are as |u|^(1/e) to |v|^(1/e), with the signs of u and v. */
static double angle_of(double u, double v, double e) {
    double au = fabs(u), av = fabs(v), big = fmax(au, av);
    if (big == 0.0) {
        return 0.0;
    }
    double c = pow(au / big, 1.0 / e), s = pow(av / big, 1.0 / e);
    return atan2(copysign(s, v), copysign(c, u));
}

ov_status ov_shape_angles(const ov_shape *s, ov_vec3 point, double *phi1, double *phi2) {
    if (s == NULL || phi1 == NULL || phi2 == NULL) {
        return OV_ERROR_NULL;
    }
    if (!ovi_is_family(s->kind)) {
        return ovi_is_kind(s->kind) ? OV_ERROR_UNSUPPORTED : OV_ERROR_SHAPE;
    }
    ov_status status = ovi_check_point(point);
    if (status != OV_OK) {
        return status;
    }
    double zeta = fmax(-1.0, fmin(1.0, point.z / s->a.z));
    double x = point.x / (s->a.x * (1.0 + s->tx * zeta));
    double y = point.y / (s->a.y * (1.0 + s->ty * zeta));
    ovi_p_norm_parts parts = ovi_p_norm_split(x, y, ovi_primal1(s));
    double m = ovi_p_norm_gradient(x, y, &parts).value;
    *phi1 = angle_of(x, y, s->e1);
    *phi2 = angle_of(m, zeta, s->e2);
    return OV_OK;
}

/* ---- widest section */

/** A superquadric and a direction (n1, n2) across z. */
typedef struct width_search {
    const ov_shape *shape;
    double n1, n2;
} width_search;

/** Width of the section at a profile angle. */
static double width_at(double angle_rad, const void *context) {
    const width_search *search = context;
    const ov_shape *shape = search->shape;
    ovi_curve_point c = ovi_unit_curve(shape->e2, ovi_primal2(shape), OV_SPACING_EQUAL,
                                       ovi_cos_sin_of_angle(angle_rad));
    double u = shape->a.x * (1.0 + shape->tx * c.v) * search->n1;
    double v = shape->a.y * (1.0 + shape->ty * c.v) * search->n2;
    ovi_p_norm_parts parts = ovi_p_norm_split(u, v, ovi_dual1(shape));
    return c.u * ovi_p_norm_gradient(u, v, &parts).value;
}

double ovi_section_reach(const ov_shape *shape, double n1, double n2) {
    const width_search search = {shape, n1, n2};
    if (shape->tx == 0.0 && shape->ty == 0.0) {
        return width_at(0.0, &search);
    }
    // the width may have two maxima, around a dent: a scan first, then a golden-section search
    enum { SCAN_STEPS = 128, GOLDEN_STEPS = 60 };
    const double step = OVI_PI / SCAN_STEPS;
    double best = 0.0, best_angle = 0.0;
    for (int i = 1; i < SCAN_STEPS; i++) {
        double angle_rad = step * i - 0.5 * OVI_PI, width = width_at(angle_rad, &search);
        if (width > best) {
            best = width;
            best_angle = angle_rad;
        }
    }
    return fmax(
        best, ovi_golden_max(width_at, &search, best_angle - step, best_angle + step, GOLDEN_STEPS)
                  .value);
}
