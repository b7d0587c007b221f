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

/** On an edge the Hessian leaves out what is infinite; say which curvature that is. */
static void mark_edge(const ov_shape *s, ov_vec3 point, ov_curvature *c) {
    // edges lie in the coordinate planes: across x = 0 or y = 0 for e1 > 1, across z = 0 for e2 > 1
    ov_vec3 across = {0.0, 0.0, 0.0};
    if (s->e2 > 1.0 && point.z == 0.0) {
        across.z = 1.0;
    } else if (point.x == 0.0 && point.y != 0.0) {
        across.x = 1.0;
    } else if (point.y == 0.0 && point.x != 0.0) {
        across.y = 1.0;
    }
    c->k_max = INFINITY;
    if (ov_vec3_dot(across, across) == 0.0) {
        // a pole: sharp in all directions for e2 > 1, undefined between for e2 = 1
        c->k_min = s->e2 > 1.0 ? INFINITY : c->k_min;
        return;
    }
    ov_vec3 in = ov_vec3_add_scaled(across, c->normal, -ov_vec3_dot(across, c->normal));
    c->dir_max = ov_vec3_normalize(in);
    c->dir_min = ov_vec3_cross(c->normal, c->dir_max);
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
        mark_edge(s, point, out);
    }
    return status;
}

/* ---- range over the surface */

enum { GRID = 48, CLIMB = 60 };

typedef struct angle_pair {
    double phi1, phi2;
} angle_pair;

/** Signed so that larger is wanted: k_max, or minus k_min. */
static double wanted_curvature(const ov_shape *s, angle_pair at, bool largest) {
    ov_surface_point p;
    ov_curvature c;
    ovi_family_surface(s, OV_SPACING_ANGLE_CENTRE, at.phi1, at.phi2, &p);
    if (ovi_family_curvature(s, p.point, &c) != OV_OK) {
        return -INFINITY;
    }
    return largest ? c.k_max : -c.k_min;
}

/** Extreme over an octant (the surface is symmetric in x and y), by grid and compass search. */
static double search_range(const ov_shape *s, bool largest) {
    const double quarter = 0.5 * OVI_PI;
    angle_pair best_at = {0.0, 0.0};
    double best = -INFINITY;
    for (int i = 0; i <= GRID; i++) {
        for (int j = -GRID; j <= GRID; j++) {
            angle_pair at = {quarter * i / GRID, quarter * j / GRID};
            double k = wanted_curvature(s, at, largest);
            if (k > best) {
                best = k;
                best_at = at;
            }
        }
    }
    double step = quarter / GRID;
    for (int i = 0; i < CLIMB; i++) {
        const angle_pair moves[4] = {{step, 0.0}, {-step, 0.0}, {0.0, step}, {0.0, -step}};
        bool moved = false;
        for (int m = 0; m < 4; m++) {
            angle_pair at = {best_at.phi1 + moves[m].phi1,
                             fmax(-quarter, fmin(quarter, best_at.phi2 + moves[m].phi2))};
            double k = wanted_curvature(s, at, largest);
            if (k > best) {
                best = k;
                best_at = at;
                moved = true;
            }
        }
        step *= moved ? 1.0 : 0.5;
    }
    return largest ? best : -best;
}

static void ellipsoid_range(const ov_shape *s, double *k_min, double *k_max) {
    double lo = fmin(s->a.x, fmin(s->a.y, s->a.z)), hi = fmax(s->a.x, fmax(s->a.y, s->a.z));
    *k_min = lo / (hi * hi);
    *k_max = hi / (lo * lo);
}

void ovi_family_curvature_range(const ov_shape *s, double *k_min, double *k_max) {
    if (s->kind == OV_SHAPE_SPHERE || s->kind == OV_SHAPE_ELLIPSOID) {
        ellipsoid_range(s, k_min, k_max);
        return;
    }
    bool flat = s->e1 < 1.0 || s->e2 < 1.0 || s->e1 == 2.0 || s->e2 == 2.0;
    bool sharp = s->e1 > 1.0 || s->e2 > 1.0;
    *k_max = sharp ? INFINITY : search_range(s, true);
    // a dent bends the other way; without one, a flat is the least
    *k_min = s->dent > 0.0 || !flat ? search_range(s, false) : 0.0;
    if (flat) {
        *k_min = fmin(*k_min, 0.0);
    }
}
