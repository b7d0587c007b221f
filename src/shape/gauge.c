/**
 * @file gauge.c
 * @brief Gauge of the smooth family with gradient and Hessian, and the papers' F made from it.
 *
 * With X = x/(a1 f1), Y = y/(a2 f2), zeta = z/a3 the gauge is a norm of a norm,
 * G = N_p2(N_p1(X, Y), zeta); the chain rule through the two norms, then through the taper, gives
 *
 *     1. m = N_p1(X, Y):    H_XX = G_mm m_X^2 + G_m m_XX,  H_XY = G_mm m_X m_Y + G_m m_XY, …
 *     2. H_XZ = G_mz m_X,   H_ZZ = G_zz
 *     3. X_x = 1/(a1 f1),   X_z = -alpha X/a3,  X_xz = -alpha X_x/a3,  X_zz = 2 alpha^2 X/a3^2
 *        with alpha = tx/f1, and likewise for Y with beta = ty/f2
 *
 * Four powers in all. F of [Benchmark, eq. 5] is G^p2. The papers let the taper factors pass
 * through zero above or below the body; here they are held at their end values there, so that the
 * field is finite everywhere (F > 1 there in either form).
 */
#include "shape_internal.h"

/**
 * Coordinates below this share of a semi-axis are taken as lying on their plane: with their
 * reciprocals and those of the smallest semi-axes, second derivatives would overflow.
 */
static const double tiny = 1e-130;

/** Point in units of the local section, with the taper there. */
typedef struct scaled_point {
    double x, y, z;
    double ix, iy, iz;  // dx/dX inverse: 1/(a1 f1), 1/(a2 f2), 1/a3
    double alpha, beta; // tx/f1, ty/f2; zero where the taper is held
} scaled_point;

static double flush(double x) { return fabs(x) < tiny ? 0.0 : x; }

static scaled_point scale_point(const ov_shape *s, ov_vec3 point) {
    scaled_point q;
    q.iz = 1.0 / s->a.z;
    q.z = point.z * q.iz;
    double held = fmax(-1.0, fmin(1.0, q.z));
    double f1 = 1.0 + s->tx * held, f2 = 1.0 + s->ty * held;
    bool inside = held == q.z;
    q.alpha = inside ? s->tx / f1 : 0.0;
    q.beta = inside ? s->ty / f2 : 0.0;
    q.ix = 1.0 / (s->a.x * f1);
    q.iy = 1.0 / (s->a.y * f2);
    q.x = flush(point.x * q.ix);
    q.y = flush(point.y * q.iy);
    q.z = flush(q.z);
    return q;
}

/** Derivatives by the scaled coordinates. */
typedef struct scaled_field {
    double value;
    double x, y, z;
    double xx, xy, yy, xz, yz, zz;
    bool smooth;
} scaled_field;

static scaled_field round_field(const scaled_point *q) {
    scaled_field f = {.smooth = true};
    f.value = ov_vec3_length(ov_vec3_make(q->x, q->y, q->z));
    if (f.value == 0.0) {
        f.smooth = false;
        return f;
    }
    double i = 1.0 / f.value;
    f.x = q->x * i;
    f.y = q->y * i;
    f.z = q->z * i;
    f.xx = (1.0 - f.x * f.x) * i;
    f.yy = (1.0 - f.y * f.y) * i;
    f.zz = (1.0 - f.z * f.z) * i;
    f.xy = -f.x * f.y * i;
    f.xz = -f.x * f.z * i;
    f.yz = -f.y * f.z * i;
    return f;
}

/** a b, where a zero slope wins over an infinite bend: the flat of the outer norm at its axis. */
static double damped(double slope, double bend) { return slope == 0.0 ? 0.0 : slope * bend; }

static scaled_field nested_field(const ov_shape *s, const scaled_point *q) {
    ovi_exponent p1 = ovi_primal1(s), p2 = ovi_primal2(s);
    ovi_norm2_parts in = ovi_norm2_split(q->x, q->y, p1);
    ovi_norm2 m = ovi_norm2_gradient(q->x, q->y, &in);
    ovi_norm2_hessian mh = ovi_norm2_second(q->x, q->y, p1, &in);
    ovi_norm2_parts out = ovi_norm2_split(m.value, q->z, p2);
    ovi_norm2 g = ovi_norm2_gradient(m.value, q->z, &out);
    ovi_norm2_hessian gh = ovi_norm2_second(m.value, q->z, p2, &out);

    scaled_field f;
    f.value = g.value;
    f.x = g.du * m.du;
    f.y = g.du * m.dv;
    f.z = g.dv;
    f.xx = gh.uu * m.du * m.du + damped(g.du, mh.uu);
    f.xy = gh.uu * m.du * m.dv + damped(g.du, mh.uv);
    f.yy = gh.uu * m.dv * m.dv + damped(g.du, mh.vv);
    f.xz = gh.uv * m.du;
    f.yz = gh.uv * m.dv;
    f.zz = gh.vv;
    // on the z axis the inner norm has no derivative, but the outer one may be flat enough: p2 > 2
    f.smooth = !gh.edge && (m.value > 0.0 ? !mh.edge : s->e2 < 1.0 && g.value > 0.0);
    return f;
}

static scaled_field evaluate(const ov_shape *s, const scaled_point *q) {
    return s->e1 == 1.0 && s->e2 == 1.0 ? round_field(q) : nested_field(s, q);
}

ovi_planes ovi_family_planes(const ov_shape *s, ov_vec3 point) {
    scaled_point q = scale_point(s, point);
    return (ovi_planes){q.x == 0.0, q.y == 0.0, q.z == 0.0};
}

ov_status ovi_family_gauge(const ov_shape *s, ov_vec3 point, ov_field *field) {
    scaled_point q = scale_point(s, point);
    scaled_field f = evaluate(s, &q);
    double xa = q.x * q.alpha, yb = q.y * q.beta;

    field->value = f.value;
    field->gradient = ov_vec3_make(f.x * q.ix, f.y * q.iy, (f.z - f.x * xa - f.y * yb) * q.iz);
    double xx = f.xx * q.ix * q.ix, xy = f.xy * q.ix * q.iy, yy = f.yy * q.iy * q.iy;
    double xz = q.ix * q.iz * (f.xz - f.xx * xa - f.xy * yb - f.x * q.alpha);
    double yz = q.iy * q.iz * (f.yz - f.xy * xa - f.yy * yb - f.y * q.beta);
    double zz = f.zz + f.xx * xa * xa + f.yy * yb * yb + 2.0 * f.xy * xa * yb;
    zz -= 2.0 * (f.xz * xa + f.yz * yb);
    zz += 2.0 * (f.x * xa * q.alpha + f.y * yb * q.beta);
    zz *= q.iz * q.iz;
    field->hessian.cx = ov_vec3_make(xx, xy, xz);
    field->hessian.cy = ov_vec3_make(xy, yy, yz);
    field->hessian.cz = ov_vec3_make(xz, yz, zz);
    return f.smooth ? OV_OK : OV_NOT_SMOOTH;
}

double ovi_family_gauge_value(const ov_shape *s, ov_vec3 point) {
    scaled_point q = scale_point(s, point);
    if (s->e1 == 1.0 && s->e2 == 1.0) {
        return ov_vec3_length(ov_vec3_make(q.x, q.y, q.z));
    }
    ovi_norm2_parts in = ovi_norm2_split(q.x, q.y, ovi_primal1(s));
    double m = ovi_norm2_gradient(q.x, q.y, &in).value;
    ovi_norm2_parts out = ovi_norm2_split(m, q.z, ovi_primal2(s));
    return ovi_norm2_gradient(m, q.z, &out).value;
}

/** c v, where a component that is zero stays so though c be infinite. */
static ov_vec3 scale_keeping_zeros(ov_vec3 v, double c) {
    return ov_vec3_make(damped(v.x, c), damped(v.y, c), damped(v.z, c));
}

/** F at the centre: F = G^p2 has derivatives there that G has not. */
static ov_status implicit_at_centre(const ov_shape *s, ov_field *field) {
    *field = (ov_field){0};
    if (s->e1 == 1.0 && s->e2 == 1.0) {
        field->hessian.cx.x = 2.0 / (s->a.x * s->a.x);
        field->hessian.cy.y = 2.0 / (s->a.y * s->a.y);
        field->hessian.cz.z = 2.0 / (s->a.z * s->a.z);
        return OV_OK;
    }
    return s->e2 < 1.0 ? OV_OK : OV_NOT_SMOOTH;
}

ov_status ovi_family_implicit(const ov_shape *s, ov_vec3 point, ov_field *field) {
    ov_field g;
    ov_status status = ovi_family_gauge(s, point, &g);
    if (g.value == 0.0) {
        return implicit_at_centre(s, field);
    }
    // F = G^p:  F' = p G^(p-1) G',  F'' = p G^(p-1) (G'' + (p-1)/G G' G'^T)
    double p = 2.0 / s->e2;
    field->value = pow(g.value, p);
    double slope = p * (field->value / g.value);
    double bend = ovi_primal2(s).minus_1 / g.value;
    ov_vec3 n = g.gradient;
    field->gradient = scale_keeping_zeros(n, slope);
    field->hessian.cx = scale_keeping_zeros(ov_vec3_add_scaled(g.hessian.cx, n, bend * n.x), slope);
    field->hessian.cy = scale_keeping_zeros(ov_vec3_add_scaled(g.hessian.cy, n, bend * n.y), slope);
    field->hessian.cz = scale_keeping_zeros(ov_vec3_add_scaled(g.hessian.cz, n, bend * n.z), slope);
    return status;
}
