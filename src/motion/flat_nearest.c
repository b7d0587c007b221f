/**
 * @file flat_nearest.c
 * @brief The nearest points of two flat convex polygons, and so a direction to tell them apart by.
 *
 * The fat test (fat.c) makes a polygon fat in all directions by how far it moves. Where it moves
 * past another one rather than towards it, a plane across the line between the nearest points shows
 * more: only what goes along its normal counts (sweep_polygons.c). Any two points will do for that,
 * and any two points of the polygons bound the distance from above; so nothing here need be exact.
 */
#include "fat.h"

#include <float.h>
#include <math.h>

static double clamped(double s) { return s > 0.0 ? (s < 1.0 ? s : 1.0) : 0.0; }

static ov_vec3 corner_of(const ovi_flat *f, size_t i) {
    return f->corners[i < f->count ? i : i - f->count];
}

static void take_nearer(ovi_nearest *best, ov_vec3 on_a, ov_vec3 on_b, ovi_fat_hit hit) {
    ov_vec3 d = ov_vec3_sub(on_a, on_b);
    double square = ov_vec3_dot(d, d);
    if (square < best->square) {
        *best = (ovi_nearest){square, on_a, on_b, hit};
    }
}

/** Nearest points of the sides that begin with corner i of A and j of B. */
static void look_at_sides(const ovi_flat *a, size_t i, const ovi_flat *b, size_t j,
                          ovi_nearest *best) {
    ov_vec3 p = a->corners[i], q = b->corners[j];
    ov_vec3 u = ov_vec3_sub(corner_of(a, i + 1), p), v = ov_vec3_sub(corner_of(b, j + 1), q);
    ov_vec3 w = ov_vec3_sub(p, q);
    double uu = ov_vec3_dot(u, u), vv = ov_vec3_dot(v, v), uv = ov_vec3_dot(u, v);
    double uw = ov_vec3_dot(u, w), vw = ov_vec3_dot(v, w);
    double under = uu * vv - uv * uv;
    double s = under > 0.0 ? clamped((uv * vw - uw * vv) / under) : 0.0;
    double t = (uv * s + vw) / vv;
    if (!(t >= 0.0 && t <= 1.0)) {
        t = clamped(t);
        s = clamped((uv * t - uw) / uu);
    }
    take_nearer(best, ov_vec3_add_scaled(p, u, s), ov_vec3_add_scaled(q, v, t),
                (ovi_fat_hit){OV_SWEEP_ELEMENT_EDGE_EDGE, (uint32_t)i, (uint32_t)j});
}

/** Foot of a point on a polygon; false where that is not inside. */
static bool foot_of(const ovi_flat *f, ov_vec3 point, ov_vec3 *foot) {
    for (size_t i = 0; i < f->count; i++) {
        ov_vec3 e = ov_vec3_sub(corner_of(f, i + 1), f->corners[i]);
        ov_vec3 inward = ov_vec3_cross(f->normal, e);
        if (!(ov_vec3_dot(inward, ov_vec3_sub(point, f->corners[i])) >= 0.0)) {
            return false;
        }
    }
    double height = ov_vec3_dot(f->normal, ov_vec3_sub(point, f->centre));
    *foot = ov_vec3_add_scaled(point, f->normal, -height);
    return true;
}

ovi_nearest ovi_flats_nearest(const ovi_flat *a, const ovi_flat *b) {
    ovi_nearest best = {.square = INFINITY};
    ov_vec3 foot;
    for (size_t i = 0; i < a->count && !b->thin; i++) {
        if (foot_of(b, a->corners[i], &foot)) {
            take_nearer(&best, a->corners[i], foot,
                        (ovi_fat_hit){OV_SWEEP_ELEMENT_VERTEX_FACE, (uint32_t)i, 0});
        }
    }
    for (size_t j = 0; j < b->count && !a->thin; j++) {
        if (foot_of(a, b->corners[j], &foot)) {
            take_nearer(&best, foot, b->corners[j],
                        (ovi_fat_hit){OV_SWEEP_ELEMENT_FACE_VERTEX, 0, (uint32_t)j});
        }
    }
    for (size_t i = 0; i < a->count; i++) {
        for (size_t j = 0; j < b->count; j++) {
            look_at_sides(a, i, b, j, &best);
        }
    }
    return best;
}

bool ovi_flats_within(const ovi_flat *a, const ovi_flat *b, double limit, double error,
                      ovi_fat_hit *hit) {
    if (!(limit > 0.0)) {
        return false;
    }
    ovi_nearest near = ovi_flats_nearest(a, b);
    double most = sqrt(near.square) + error + a->deviation + b->deviation;
    if (!(most * (1.0 + 64.0 * DBL_EPSILON) <= limit)) {
        return false;
    }
    *hit = near.hit;
    return true;
}
