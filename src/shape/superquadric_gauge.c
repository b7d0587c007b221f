/**
 * @file superquadric_gauge.c
 * @brief Gauge of the smooth family with gradient and Hessian, the papers' F made from it, and the
 * principal curvatures of its level sets, at a point and over the whole surface.
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
#include "../math/rounding_mode.h"
#include "shape_internal.h"

/* ---- gauge */

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
    ovi_p_norm_parts in = ovi_p_norm_split(q->x, q->y, p1);
    ovi_p_norm m = ovi_p_norm_gradient(q->x, q->y, &in);
    ovi_p_norm_hessian mh = ovi_p_norm_second(q->x, q->y, p1, &in);
    ovi_p_norm_parts out = ovi_p_norm_split(m.value, q->z, p2);
    ovi_p_norm g = ovi_p_norm_gradient(m.value, q->z, &out);
    ovi_p_norm_hessian gh = ovi_p_norm_second(m.value, q->z, p2, &out);

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
    ovi_p_norm_parts in = ovi_p_norm_split(q.x, q.y, ovi_primal1(s));
    double m = ovi_p_norm_gradient(q.x, q.y, &in).value;
    ovi_p_norm_parts out = ovi_p_norm_split(m, q.z, ovi_primal2(s));
    return ovi_p_norm_gradient(m, q.z, &out).value;
}

ov_status ov_shape_gauge(const ov_shape *shape, ov_vec3 point, ov_field *field) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_gauge(shape, point, field));
    ov_status status = ovi_check_shape_at(shape, point, field);
    if (status != OV_OK) {
        return status;
    }
    return ovi_is_family(shape->kind) ? ovi_family_gauge(shape, point, field)
                                      : OV_ERROR_UNSUPPORTED;
}

ov_status ov_shape_gauge_value(const ov_shape *shape, ov_vec3 point, double *value) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_gauge_value(shape, point, value));
    ov_status status = ovi_check_shape_at(shape, point, value);
    if (status != OV_OK) {
        return status;
    }
    if (!ovi_is_family(shape->kind)) {
        return OV_ERROR_UNSUPPORTED;
    }
    *value = ovi_family_gauge_value(shape, point);
    return OV_OK;
}

/* ---- inside-outside function F = G^p2 */

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

/* ---- curvature at a point
 *
 * The shape operator of the level set, t_i . (Hess G) t_j / |grad G| in the Householder frame of
 * the gradient, is a symmetric 2x2 matrix; its eigenvalues are the curvatures.
 */

/** Eigenvalues lo <= hi of [[a, b], [b, c]], and the unit eigenvector (x, y) of hi. */
typedef struct eigen2 {
    double lo, hi, x, y;
} eigen2;

static eigen2 eigen_symmetric(double a, double b, double c) {
    double mean = 0.5 * (a + c), half = 0.5 * (a - c), radius = hypot(half, b);
    eigen2 e = {mean - radius, mean + radius, 1.0, 0.0};
    // half the angle of (half, b)
    double angle = 0.5 * atan2(b, half);
    if (radius > 0.0) {
        e.x = cos(angle);
        e.y = sin(angle);
    }
    return e;
}

/** Bend of the level set along a unit tangent. */
static double bend_along(const ov_field *g, ov_vec3 t) {
    return ov_vec3_dot(t, ov_mat3_mul_vec3(&g->hessian, t)) / ov_vec3_length(g->gradient);
}

/** Which of the planes x = 0, y = 0, z = 0 a point lies on, as far as the gauge can tell. */
typedef struct planes {
    bool x, y, z;
} planes;

static planes planes_of(const ov_shape *s, ov_vec3 point) {
    scaled_point q = scale_point(s, point);
    return (planes){q.x == 0.0, q.y == 0.0, q.z == 0.0};
}

/**
 * Curvatures on an edge. Edges lie in the coordinate planes: across x = 0 or y = 0 for e1 > 1,
 * across z = 0 for e2 > 1. The Hessian leaves out the infinite bend across, and is right along the
 * edge.
 */
static void mark_edge(const ov_shape *s, ov_vec3 point, const ov_field *g, ov_curvature *c) {
    planes on = planes_of(s, point);
    bool on_x = s->e1 > 1.0 && on.x, on_y = s->e1 > 1.0 && on.y, on_z = s->e2 > 1.0 && on.z;
    c->k_max = INFINITY;
    if (on.x && on.y) {
        // sharp in all directions for e2 > 1; for e2 = 1 and e1 != 1 it depends on the direction
        c->k_min = s->e2 > 1.0 ? INFINITY : c->k_min;
        return;
    }
    ov_vec3 across =
        on_z ? ov_vec3_make(0.0, 0.0, 1.0) : ov_vec3_make(on_x ? 1.0 : 0.0, on_x ? 0.0 : 1.0, 0.0);
    c->dir_min = ov_vec3_normalize(ov_vec3_cross(c->normal, across));
    c->dir_max = ov_vec3_cross(c->dir_min, c->normal);
    c->k_min = on_z && (on_x || on_y) ? INFINITY : bend_along(g, c->dir_min);
}

static ov_status curvature_at(const ov_shape *s, ov_vec3 point, ov_curvature *out) {
    ov_field g;
    ov_status status = ovi_family_gauge(s, point, &g);
    if (g.value == 0.0) {
        return OV_ERROR_ZERO_DIRECTION;
    }
    ov_mat3 frame = ov_mat3_householder(g.gradient);
    ov_vec3 h1 = ov_mat3_mul_vec3(&g.hessian, frame.cy),
            h2 = ov_mat3_mul_vec3(&g.hessian, frame.cz);
    double length = ov_vec3_length(g.gradient);
    eigen2 e =
        eigen_symmetric(ov_vec3_dot(frame.cy, h1) / length, ov_vec3_dot(frame.cy, h2) / length,
                        ov_vec3_dot(frame.cz, h2) / length);
    out->k_min = e.lo;
    out->k_max = e.hi;
    out->normal = ov_vec3_normalize(g.gradient);
    out->dir_max = ov_vec3_add_scaled(ov_vec3_scale(frame.cy, e.x), frame.cz, e.y);
    out->dir_min = ov_vec3_cross(out->normal, out->dir_max);
    if (status == OV_NOT_SMOOTH) {
        mark_edge(s, point, &g, out);
    }
    return status;
}

ov_status ov_shape_curvature(const ov_shape *shape, ov_vec3 point, ov_curvature *out) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_curvature(shape, point, out));
    ov_status status = ovi_check_shape_at(shape, point, out);
    if (status != OV_OK) {
        return status;
    }
    return ovi_is_family(shape->kind) ? curvature_at(shape, point, out) : OV_ERROR_UNSUPPORTED;
}

/* ---- range of the curvature over the surface
 *
 * Where the curvature is large the normal turns fast, so a strip of large curvature, however narrow
 * on a slender body, is wide on the sphere of normals: the largest curvature is searched there. The
 * hull, and with it the support, has no points in a dent; so the smallest curvature, and the
 * largest of a dented surface too, are searched over the angles of the surface itself. A grid over
 * one octant and its mirror image below (the surface is symmetric in x and y) finds the best few
 * places; from each of them hill climbing leads to the top.
 */

enum { GRID = 32, PEAKS = 6, ASCENT_STEPS = 40 };

/** What is searched, larger being wanted (k_max, or minus k_min), and over which angles. */
typedef struct range_search {
    const ov_shape *s;
    bool largest, by_normal;
} range_search;

/** Angles about z and from the equator up, of a normal or of a surface point, and what is wanted
 *  there. */
typedef struct candidate {
    double phi1, phi2, wanted;
} candidate;

static double wanted_curvature(const range_search *r, double phi1, double phi2) {
    ov_surface_point p;
    ov_curvature c;
    if (r->by_normal) {
        ovi_cos_sin about = ovi_cos_sin_of_angle(phi1), up = ovi_cos_sin_of_angle(phi2);
        ov_vec3 n = {about.c * up.c, about.s * up.c, up.s};
        p.point = ovi_family_support(r->s, n).point;
    } else {
        (void)ovi_superquadric_surface(r->s, OV_SPACING_ANGLE_CENTRE, phi1, phi2, &p);
    }
    if (curvature_at(r->s, p.point, &c) != OV_OK) {
        return -INFINITY;
    }
    // beside an edge k_min drowns in the rounding of k_max: it counts from above that
    return r->largest ? c.k_max : -(c.k_min + 1e-13 * c.k_max);
}

typedef double range_grid[GRID + 1][2 * GRID + 1];

/** No neighbour is better. */
static bool is_peak(const range_grid grid, int i, int j) {
    for (int m = 0; m < 9; m++) {
        int a = i + m / 3 - 1, b = j + m % 3 - 1;
        if (a >= 0 && a <= GRID && b >= 0 && b <= 2 * GRID && grid[a][b] > grid[i][j]) {
            return false;
        }
    }
    return grid[i][j] > -INFINITY;
}

/** Top of the paraboloid through a 3x3 stencil of unit step; uphill where it opens upwards. */
static void paraboloid_top(const double k[3][3], double move[2]) {
    double g0 = 0.5 * (k[2][1] - k[0][1]), g1 = 0.5 * (k[1][2] - k[1][0]);
    double mixed = 0.25 * (k[2][2] - k[2][0] - k[0][2] + k[0][0]);
    eigen2 e = eigen_symmetric(k[2][1] - 2.0 * k[1][1] + k[0][1], mixed,
                               k[1][2] - 2.0 * k[1][1] + k[1][0]);
    const double far = 8.0;
    double along = (g0 * e.x + g1 * e.y) / fabs(e.hi), across = (g1 * e.x - g0 * e.y) / fabs(e.lo);
    along = isnan(along) ? 0.0 : fmax(-far, fmin(far, along));
    across = isnan(across) ? 0.0 : fmax(-far, fmin(far, across));
    move[0] = along * e.x - across * e.y;
    move[1] = along * e.y + across * e.x;
    // a stencil that reaches an edge, where nothing is wanted, has no top
    if (!isfinite(move[0]) || !isfinite(move[1])) {
        move[0] = move[1] = 0.0;
    }
}

/**
 * Hill climbing: each step goes to the best of the eight neighbours and of the top of the
 * paraboloid through them, which runs along narrow ridges; the step is halved where none is better,
 * or the top is near.
 */
static double hill_climb(const range_search *r, candidate at, double step) {
    const double quarter = 0.5 * OVI_PI;
    for (int i = 0; i < ASCENT_STEPS; i++) {
        double k[3][3], move[2];
        candidate best = at;
        for (int m = 0; m < 10; m++) {
            double d0 = m / 3 - 1, d1 = m % 3 - 1;
            if (m == 9) {
                paraboloid_top((const double(*)[3])k, move);
                d0 = move[0];
                d1 = move[1];
            }
            candidate p = {at.phi1 + step * d0, fmax(-quarter, fmin(quarter, at.phi2 + step * d1)),
                           at.wanted};
            if (m != 4) {
                p.wanted = wanted_curvature(r, p.phi1, p.phi2);
            }
            if (m < 9) {
                k[m / 3][m % 3] = p.wanted;
            }
            best = p.wanted > best.wanted ? p : best;
        }
        double moved = fmax(fabs(best.phi1 - at.phi1), fabs(best.phi2 - at.phi2));
        step *= moved > 1.5 * step ? 2.0 : moved >= 0.9 * step ? 1.0 : 0.4;
        at = best;
    }
    return at.wanted;
}

/** The best few peaks of the grid, in no order; returns how many. */
static int find_peaks(const range_grid grid, double step, candidate *peaks) {
    int count = 0;
    for (int i = 0; i <= GRID; i++) {
        for (int j = 0; j <= 2 * GRID; j++) {
            if (!is_peak(grid, i, j)) {
                continue;
            }
            candidate p = {step * i, step * (j - GRID), grid[i][j]};
            if (count < PEAKS) {
                peaks[count++] = p;
                continue;
            }
            int worst = 0;
            for (int m = 1; m < PEAKS; m++) {
                worst = peaks[m].wanted < peaks[worst].wanted ? m : worst;
            }
            peaks[worst] = p.wanted > peaks[worst].wanted ? p : peaks[worst];
        }
    }
    return count;
}

static double search_range(const ov_shape *s, bool largest, bool by_normal) {
    const range_search r = {s, largest, by_normal};
    const double step = 0.5 * OVI_PI / GRID;
    range_grid grid;
    candidate peaks[PEAKS];
    for (int i = 0; i <= GRID; i++) {
        for (int j = 0; j <= 2 * GRID; j++) {
            grid[i][j] = wanted_curvature(&r, step * i, step * (j - GRID));
        }
    }
    int count = find_peaks(grid, step, peaks);
    double best = -INFINITY;
    for (int i = 0; i < count; i++) {
        best = fmax(best, hill_climb(&r, peaks[i], step));
    }
    return largest ? best : -best;
}

static void ellipsoid_range(const ov_shape *s, double *k_min, double *k_max) {
    double lo = fmin(s->a.x, fmin(s->a.y, s->a.z)), hi = fmax(s->a.x, fmax(s->a.y, s->a.z));
    *k_min = lo / (hi * hi);
    *k_max = hi / (lo * lo);
}

static void curvature_range(const ov_shape *s, double *k_min, double *k_max) {
    if (s->kind == OV_SHAPE_KIND_SPHERE || s->kind == OV_SHAPE_KIND_ELLIPSOID) {
        ellipsoid_range(s, k_min, k_max);
        return;
    }
    bool flat = s->e1 < 1.0 || s->e2 < 1.0 || s->e1 == 2.0 || s->e2 == 2.0;
    bool sharp = s->e1 > 1.0 || s->e2 > 1.0;
    *k_max = sharp ? INFINITY : search_range(s, true, true);
    if (!sharp && s->dent > 0.0) {
        *k_max = fmax(*k_max, search_range(s, true, false));
    }
    // a dent bends the other way; without one, a flat is the least
    *k_min = s->dent > 0.0 || !flat ? search_range(s, false, false) : 0.0;
    if (flat || s->dent == 0.0) {
        // at most zero where there is a flat, at least zero on a convex surface
        *k_min = flat ? fmin(*k_min, 0.0) : fmax(*k_min, 0.0);
    }
}

ov_status ov_shape_curvature_range(const ov_shape *shape, double *k_min, double *k_max) {
    ov_status status = ovi_check_shape(shape, k_min);
    if (status != OV_OK) {
        return status;
    }
    if (k_max == NULL) {
        return OV_ERROR_NULL;
    }
    if (!ovi_is_family(shape->kind)) {
        return OV_ERROR_UNSUPPORTED;
    }
    curvature_range(shape, k_min, k_max);
    return OV_OK;
}
