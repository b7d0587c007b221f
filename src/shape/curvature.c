/**
 * @file curvature.c
 * @brief Principal curvatures of the smooth family, at a point and over the whole surface.
 *
 * At a point: the shape operator of the level set, t_i . (Hess G) t_j / |grad G| in the Householder
 * frame of the gradient, is a symmetric 2x2 matrix; its eigenvalues are the curvatures.
 */
#include <stddef.h>

#include "shape_internal.h"

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

/**
 * Curvatures on an edge. Edges lie in the coordinate planes: across x = 0 or y = 0 for e1 > 1,
 * across z = 0 for e2 > 1. The Hessian leaves out the infinite bend across, and is right along the
 * edge.
 */
static void mark_edge(const ov_shape *s, ov_vec3 point, const ov_field *g, ov_curvature *c) {
    ovi_planes on = ovi_family_planes(s, point);
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

ov_status ovi_family_curvature(const ov_shape *s, ov_vec3 point, ov_curvature *out) {
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

/* ---- range over the surface
 *
 * Where the curvature is large the normal turns fast, so a strip of large curvature, however narrow
 * on a slender body, is wide on the sphere of normals: the largest curvature is searched there. The
 * hull, and with it the support, has no points in a dent; so the smallest curvature, and the
 * largest of a dented surface too, are searched over the angles of the surface itself. A grid over
 * one octant and its mirror image below (the surface is symmetric in x and y) finds the best few
 * places; from each of them a search climbs.
 */

enum { GRID = 32, PEAKS = 6, CLIMB = 40 };

/** What is searched, larger being wanted (k_max, or minus k_min), and over which angles. */
typedef struct range_search {
    const ov_shape *s;
    bool largest, by_normal;
} range_search;

/** Angles about z and from the equator up, of a normal or of a surface point. */
typedef struct place {
    double phi1, phi2, wanted;
} place;

static double wanted_curvature(const range_search *r, double phi1, double phi2) {
    ov_surface_point p;
    ov_curvature c;
    if (r->by_normal) {
        ovi_cos_sin about = ovi_cos_sin_of_angle(phi1), up = ovi_cos_sin_of_angle(phi2);
        ov_vec3 n = {about.c * up.c, about.s * up.c, up.s};
        p.point = ovi_family_support(r->s, n).point;
    } else {
        ovi_family_surface(r->s, OV_SPACING_ANGLE_CENTRE, phi1, phi2, &p);
    }
    if (ovi_family_curvature(r->s, p.point, &c) != OV_OK) {
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
 * Climbs to the best of the eight neighbours and of the top of the paraboloid through them, which
 * runs along narrow ridges; the step is halved where none is better, or the top is near.
 */
static double climb(const range_search *r, place at, double step) {
    const double quarter = 0.5 * OVI_PI;
    for (int i = 0; i < CLIMB; i++) {
        double k[3][3], move[2];
        place best = at;
        for (int m = 0; m < 10; m++) {
            double d0 = m / 3 - 1, d1 = m % 3 - 1;
            if (m == 9) {
                paraboloid_top((const double(*)[3])k, move);
                d0 = move[0];
                d1 = move[1];
            }
            place p = {at.phi1 + step * d0, fmax(-quarter, fmin(quarter, at.phi2 + step * d1)),
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
static int find_peaks(const range_grid grid, double step, place *peaks) {
    int count = 0;
    for (int i = 0; i <= GRID; i++) {
        for (int j = 0; j <= 2 * GRID; j++) {
            if (!is_peak(grid, i, j)) {
                continue;
            }
            place p = {step * i, step * (j - GRID), grid[i][j]};
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
    place peaks[PEAKS];
    for (int i = 0; i <= GRID; i++) {
        for (int j = 0; j <= 2 * GRID; j++) {
            grid[i][j] = wanted_curvature(&r, step * i, step * (j - GRID));
        }
    }
    int count = find_peaks(grid, step, peaks);
    double best = -INFINITY;
    for (int i = 0; i < count; i++) {
        best = fmax(best, climb(&r, peaks[i], step));
    }
    return largest ? best : -best;
}

static void ellipsoid_range(const ov_shape *s, double *k_min, double *k_max) {
    double lo = fmin(s->a.x, fmin(s->a.y, s->a.z)), hi = fmax(s->a.x, fmax(s->a.y, s->a.z));
    *k_min = lo / (hi * hi);
    *k_max = hi / (lo * lo);
}

void ovi_family_curvature_range(const ov_shape *s, double *k_min, double *k_max) {
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
