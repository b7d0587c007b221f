/**
 * @file motion_cases.h
 * @brief Random bodies and random motions of every kind, for the suites that sweep them.
 */
#ifndef OVOID_TESTS_MOTION_CASES_H
#define OVOID_TESTS_MOTION_CASES_H

#include <string.h>

#include "check.h"

enum { SMOOTH, TAPERED, SHARP, DENTED, BOX, CAPSULE, POLYHEDRON };
enum { CLOSED, OPEN, LOOSE, HOLLOW_KINDS };

enum { SCREW, LINEAR, CUBIC, RATIONAL, SPIN, BEZIER, MOTION_KINDS };
static const char *const motion_names[MOTION_KINDS] = {"screw",    "linear keys", "cubic keys",
                                                       "rational", "fast spin",   "bezier"};

enum { KEYS_MAX = 5, POINTS_MAX = 24, FACES_MAX = 16 };

/* ---- bodies */

typedef struct solid {
    ov_shape shape;
    ov_vec3 points[POINTS_MAX];
} solid;

static inline uint64_t pick(check_random *r, uint64_t of) {
    return (check_random_bits(r) >> 20) % of;
}

static inline ov_vec3 some_axes(check_random *r, double size) {
    double a[3] = {size, size * check_log_uniform(r, 0.1, 1.0),
                   size * check_log_uniform(r, 0.1, 1.0)};
    uint64_t turn = pick(r, 3);
    return ov_vec3_make(a[turn], a[(turn + 1) % 3], a[(turn + 2) % 3]);
}

static inline void make_smooth(check_random *r, int kind, double size, ov_shape *s) {
    for (int i = 0; i < 200; i++) {
        ov_vec3 a = some_axes(r, size);
        double e1 = check_uniform(r, 0.1, 1.0), e2 = check_uniform(r, 0.1, 1.0);
        double tx = check_uniform(r, -0.8, 0.8),
               ty = pick(r, 2) == 0 ? tx : check_uniform(r, -0.8, 0.8);
        if (kind == SHARP) {
            e1 = pick(r, 4) == 0 ? 2.0 : check_uniform(r, 1.0, 2.0);
            e2 = pick(r, 4) == 0 ? 2.0 : check_uniform(r, 1.0, 2.0);
            tx = ty = 0.0;
        } else if (kind == SMOOTH) {
            tx = ty = 0.0;
        }
        ov_status status = ov_shape_make_superovoid(a, e1, e2, tx, ty, NULL, s);
        if (status == OV_OK && (kind != DENTED || s->dent > 0.0) &&
            (kind != TAPERED || s->dent == 0.0)) {
            return;
        }
    }
    CHECK_OK(ov_shape_make_ellipsoid(some_axes(r, size), s));
}

static inline void make_solid(check_random *r, double size, solid *b) {
    static const int kinds[] = {SMOOTH, SMOOTH, SMOOTH, TAPERED, TAPERED, SHARP,      SHARP,
                                DENTED, BOX,    BOX,    CAPSULE, CAPSULE, POLYHEDRON, POLYHEDRON};
    int kind = kinds[pick(r, sizeof kinds / sizeof kinds[0])];
    ov_vec3 a = some_axes(r, size);
    if (kind == BOX) {
        CHECK_OK(ov_shape_make_box(a, &b->shape));
    } else if (kind == CAPSULE) {
        CHECK_OK(ov_shape_make_capsule(a.x, a.y, &b->shape));
    } else if (kind == POLYHEDRON) {
        size_t count = 8 + pick(r, POINTS_MAX - 7);
        for (size_t i = 0; i < count; i++) {
            b->points[i] = ov_vec3_mul(check_unit_vector(r), a);
        }
        if (ov_shape_make_polyhedron(b->points, count, NULL, 0, &b->shape) != OV_OK) {
            CHECK_OK(ov_shape_make_box(a, &b->shape));
        }
    } else {
        make_smooth(r, kind, size, &b->shape);
    }
}

/** A frustum of n sides: bottom, top, and the sides; `open` leaves out one face or two. */
static inline ov_polygons *make_frustum(check_random *r, double size, bool open) {
    uint32_t n = 3 + (uint32_t)pick(r, 6), corners[8 * FACES_MAX], sizes[FACES_MAX], count = 0,
             at = 0;
    ov_vec3 points[16], a = some_axes(r, size);
    double top = pick(r, 3) == 0 ? 1.0 : check_uniform(r, 0.3, 1.0);
    for (uint32_t i = 0; i < n; i++) {
        double f = 2.0 * M_PI * i / n;
        points[i] = ov_vec3_make(a.x * cos(f), a.y * sin(f), -a.z);
        points[n + i] = ov_vec3_make(top * a.x * cos(f), top * a.y * sin(f), a.z);
    }
    uint32_t skip = open ? (uint32_t)pick(r, n + 2) : n + 2,
             skip2 = open ? (uint32_t)pick(r, n + 2) : n + 2;
    for (uint32_t f = 0; f < n + 2; f++) {
        if (f == skip || f == skip2) {
            continue;
        }
        sizes[count++] = f < 2 ? n : 4;
        for (uint32_t i = 0; i < n && f < 2; i++) {
            corners[at++] = f == 0 ? n - 1 - i : n + i;
        }
        if (f >= 2) {
            uint32_t i = f - 2, k = (i + 1) % n;
            const uint32_t side[4] = {i, k, n + k, n + i};
            memcpy(&corners[at], side, sizeof side);
            at += 4;
        }
    }
    ov_polygons *made = NULL;
    CHECK_OK(ov_polygons_create(points, 2 * n, corners, sizes, count, NULL, &made, NULL));
    return made;
}

/** A few convex polygons that do not hang together. */
static inline ov_polygons *make_loose(check_random *r, double size) {
    uint32_t count = 1 + (uint32_t)pick(r, 4), corners[32], sizes[4], at = 0;
    ov_vec3 points[32];
    for (uint32_t i = 0; i < count; i++) {
        ov_quat q = check_rotation(r);
        ov_vec3 middle = ov_vec3_scale(check_unit_vector(r), count > 1 ? 0.4 * size : 0.0);
        uint32_t n = sizes[i] = 3 + (uint32_t)pick(r, 6);
        double wide = 0.6 * size, narrow = wide * check_log_uniform(r, 0.1, 1.0);
        for (uint32_t k = 0; k < n; k++, at++) {
            double f = 2.0 * M_PI * (k + check_uniform(r, 0.0, 0.7)) / n;
            ov_vec3 flat = {wide * cos(f), narrow * sin(f), 0.0};
            points[at] = ov_vec3_add(middle, ov_quat_rotate(q, flat));
            corners[at] = at;
        }
    }
    ov_polygons *made = NULL;
    CHECK_OK(ov_polygons_create(points, at, corners, sizes, count, NULL, &made, NULL));
    return made;
}

/* ---- motions */

/** What a motion is made of, so that it can be made again somewhere else. */
typedef struct recipe {
    int kind;
    double start, end;
    ov_pose first;
    ov_vec3 point, axis;
    double angle, travel;
    ov_pose poses[KEYS_MAX];
    double times[KEYS_MAX], weights[KEYS_MAX];
    ov_quat turns[KEYS_MAX];
    ov_vec3 places[KEYS_MAX];
    ov_affine controls[KEYS_MAX];
    size_t count, turn_count;
} recipe;

static inline ov_vec3 some_vector(check_random *r, double most) {
    return ov_vec3_scale(check_unit_vector(r), most * check_uniform(r, 0.0, 1.0));
}

static inline void draw_keys(check_random *r, double way, recipe *m) {
    m->count = 2 + pick(r, KEYS_MAX - 1);
    for (size_t i = 0; i < m->count; i++) {
        m->poses[i] = (ov_pose){some_vector(r, way), check_rotation(r)};
        double part =
            i == 0 ? 0.0 : ((double)i + check_uniform(r, -0.3, 0.3)) / (double)(m->count - 1);
        m->times[i] = m->start + (m->end - m->start) * part;
    }
    m->times[m->count - 1] = m->end;
}

static inline void draw_rational(check_random *r, double way, recipe *m) {
    m->count = 1 + pick(r, KEYS_MAX);
    m->turn_count = m->count == 1 ? 2 + pick(r, 2) : 1 + pick(r, 4);
    ov_quat turn = check_rotation(r);
    for (size_t i = 0; i < KEYS_MAX; i++) {
        m->places[i] = some_vector(r, way);
        m->weights[i] = check_log_uniform(r, 0.3, 3.0);
        m->turns[i] = turn;
        ov_quat more = ov_quat_from_axis_angle(check_unit_vector(r), check_uniform(r, 0.0, 2.5));
        turn = ov_quat_mul(more, turn);
    }
}

/** Not rigid: rotations of up to a radian, each a little out of shape. */
static inline void draw_bezier(check_random *r, double way, recipe *m) {
    m->count = 2 + pick(r, KEYS_MAX - 1);
    ov_vec3 axis = check_unit_vector(r);
    ov_quat first = check_rotation(r);
    for (size_t i = 0; i < m->count; i++) {
        ov_quat turn = ov_quat_from_axis_angle(axis, (double)i * check_uniform(r, 0.1, 0.3));
        ov_affine *c = &m->controls[i];
        *c = ov_affine_from_pose((ov_pose){some_vector(r, way), ov_quat_mul(turn, first)});
        c->linear.cx = ov_vec3_add(c->linear.cx, some_vector(r, 0.05));
        c->linear.cy = ov_vec3_add(c->linear.cy, some_vector(r, 0.05));
        c->linear.cz = ov_vec3_add(c->linear.cz, some_vector(r, 0.05));
        m->weights[i] = check_log_uniform(r, 0.3, 3.0);
    }
}

static inline void draw_motion(check_random *r, int kind, double size, recipe *m) {
    double way = size * check_log_uniform(r, 0.3, 10.0);
    m->kind = kind;
    m->first = (ov_pose){some_vector(r, way), check_rotation(r)};
    m->axis = check_unit_vector(r);
    m->travel = check_uniform(r, -way, way);
    if (kind == SCREW) {
        m->angle = check_uniform(r, -2.0 * M_PI, 2.0 * M_PI);
        m->point = some_vector(r, way);
    } else if (kind == SPIN) {
        m->angle = 2.0 * M_PI * check_log_uniform(r, 2.0, 50.0);
        m->point = ov_vec3_add(m->first.position, some_vector(r, 0.5 * size));
        m->travel *= check_uniform(r, 0.0, 0.5);
    } else if (kind == RATIONAL) {
        draw_rational(r, way, m);
    } else if (kind == BEZIER) {
        draw_bezier(r, way, m);
    } else {
        draw_keys(r, way, m);
    }
}

static inline ov_motion *make_motion(const recipe *given, ov_vec3 shift) {
    recipe m = *given;
    m.first.position = ov_vec3_add(m.first.position, shift);
    m.point = ov_vec3_add(m.point, shift);
    for (size_t i = 0; i < KEYS_MAX; i++) {
        m.poses[i].position = ov_vec3_add(m.poses[i].position, shift);
        m.places[i] = ov_vec3_add(m.places[i], shift);
        m.controls[i].translation = ov_vec3_add(m.controls[i].translation, shift);
    }
    ov_motion *made = NULL;
    ov_status status;
    switch (m.kind) {
    case RATIONAL:
        status = ov_motion_create_rational(m.turns, m.turn_count, m.places, m.weights, m.count,
                                           m.start, m.end, NULL, &made);
        break;
    case BEZIER:
        status =
            ov_motion_create_bezier(m.controls, m.weights, m.count, m.start, m.end, NULL, &made);
        break;
    case LINEAR:
    case CUBIC:
        status = ov_motion_create_keys(m.poses, m.times, m.count,
                                       m.kind == CUBIC ? OV_SPLINE_CUBIC : OV_SPLINE_LINEAR, NULL,
                                       &made);
        break;
    default:
        status = ov_motion_create_screw(m.first, m.point, m.axis, m.angle, m.travel, m.start, m.end,
                                        NULL, &made);
    }
    CHECK_OK(status);
    return made;
}

#endif
