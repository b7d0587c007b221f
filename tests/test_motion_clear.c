/**
 * @file test_motion_clear.c
 * @brief What stays clear by more than twice epsilon is shown to be free: hard cases of every kind
 * of motion and body.
 *
 * Long thin bodies, bodies of very unlike sizes, hundreds of turns, tiny epsilons, places and times
 * far from zero, rest, joints. B is moved along the normal of the closest place that some samples
 * find, until the least gap is a few epsilons. Where a sweep then does not say free, a cover of the
 * time in long double decides: a cell is clear where the gap at its middle is more than the bodies
 * can move within it, by a bound of their speeds (Lipschitz). Gaps are support planes of the GJK in
 * pair_oracle.h, places come from the formulas of the motions; nothing of that is the library's.
 *
 * OVOID_TEST_PAIRS sets the number of sweeps.
 */
#include <float.h>

#include "motion_cases.h"
#include "pair_oracle.h"
#include "spline_oracle.h"

/* ---- frames in long double */

typedef struct place {
    so_vec axis[3], at; // an affine map
} place;

static const place still = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};

static so_vec place_vector(const place *p, so_vec v) {
    return po_add(po_scale(p->axis[0], v.x),
                  po_add(po_scale(p->axis[1], v.y), po_scale(p->axis[2], v.z)));
}

/** b in the frame of a. */
static place place_mul(const place *a, const place *b) {
    place c;
    for (int i = 0; i < 3; i++) {
        c.axis[i] = place_vector(a, b->axis[i]);
    }
    c.at = po_add(a->at, place_vector(a, b->at));
    return c;
}

typedef struct turn {
    so_real w, x, y, z; // of any length but zero
} turn;

static turn turn_of(ov_quat q) { return (turn){q.w, q.x, q.y, q.z}; }

static place place_of(turn q, so_vec at) {
    so_real f = 1.0L / sqrtl(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    so_real w = f * q.w, x = f * q.x, y = f * q.y, z = f * q.z;
    return (place){{{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                    {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                    {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}},
                   at};
}

static place place_about(so_vec axis, so_real angle, so_vec at) {
    so_vec a = po_scale(po_unit(axis), sinl(0.5L * angle));
    return place_of((turn){cosl(0.5L * angle), a.x, a.y, a.z}, at);
}

/* ---- motions: where the frame is, and how fast any point within `reach` of it at most */

static void bernstein(size_t n, so_real u, so_real *b) {
    b[0] = 1.0L;
    for (size_t k = 1; k <= n; k++) {
        b[k] = u * b[k - 1];
        for (size_t i = k - 1; i > 0; i--) {
            b[i] = (1.0L - u) * b[i] + u * b[i - 1];
        }
        b[0] *= 1.0L - u;
    }
}

static so_real part_of(const recipe *m, so_real time) {
    so_real u = (time - m->start) / ((so_real)m->end - m->start);
    return fminl(1.0L, fmaxl(0.0L, u));
}

static place screw_at(const recipe *m, so_real u) {
    so_vec point = so_from(m->point), arm = po_sub(so_from(m->first.position), point);
    place about = place_about(so_from(m->axis), u * m->angle, (so_vec){0, 0, 0});
    place first = place_of(turn_of(m->first.rotation), (so_vec){0, 0, 0});
    place p = place_mul(&about, &first);
    so_vec along = po_scale(po_unit(so_from(m->axis)), u * m->travel);
    p.at = po_add(po_add(point, along), place_vector(&about, arm));
    return p;
}

static size_t segment_of(const recipe *m, so_real time) {
    size_t i = 0;
    while (i + 2 < m->count && time > m->times[i + 1]) {
        i++;
    }
    return i;
}

/** Angle of the shortest arc between two keys, half of it, and its ends. */
static so_real half_arc(const recipe *m, size_t i, turn *p, turn *q) {
    *p = turn_of(m->poses[i].rotation);
    *q = turn_of(m->poses[i + 1].rotation);
    so_real fp = 1.0L / sqrtl(p->w * p->w + p->x * p->x + p->y * p->y + p->z * p->z);
    so_real fq = 1.0L / sqrtl(q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z);
    so_real dot = fp * fq * (p->w * q->w + p->x * q->x + p->y * q->y + p->z * q->z);
    fq = dot < 0.0L ? -fq : fq;
    *p = (turn){fp * p->w, fp * p->x, fp * p->y, fp * p->z};
    *q = (turn){fq * q->w, fq * q->x, fq * q->y, fq * q->z};
    so_real dw = p->w - q->w, dx = p->x - q->x, dy = p->y - q->y, dz = p->z - q->z;
    return 2.0L * asinl(fminl(1.0L, 0.5L * sqrtl(dw * dw + dx * dx + dy * dy + dz * dz)));
}

static place keys_at(const recipe *m, so_real time) {
    size_t i = segment_of(m, time);
    so_real h = (so_real)m->times[i + 1] - m->times[i], s = (time - m->times[i]) / h;
    s = fminl(1.0L, fmaxl(0.0L, s));
    turn p, q;
    so_real half = half_arc(m, i, &p, &q);
    so_real a = half > 0.0L ? sinl((1.0L - s) * half) / sinl(half) : 1.0L - s;
    so_real b = half > 0.0L ? sinl(s * half) / sinl(half) : s;
    turn r = {a * p.w + b * q.w, a * p.x + b * q.x, a * p.y + b * q.y, a * p.z + b * q.z};
    so_vec x = so_from(m->poses[i].position), y = so_from(m->poses[i + 1].position);
    so_vec at = po_add(x, po_scale(po_sub(y, x), s));
    if (m->kind == CUBIC) {
        so_real *out[3] = {&at.x, &at.y, &at.z};
        for (size_t k = 0; k < 3; k++) {
            long double bends[SPLINE_ORACLE_KNOTS];
            spline_oracle_bends(m->times, &m->poses[0].position.x + k,
                                sizeof(ov_pose) / sizeof(double), m->count, bends);
            so_real left = 1.0L - s;
            *out[k] += h * h / 6.0L *
                       ((left * left * left - left) * bends[i] + (s * s * s - s) * bends[i + 1]);
        }
    }
    return place_of(r, at);
}

static so_real keys_speed(const recipe *m, so_real from, so_real to, so_real reach) {
    so_real most = 0.0L;
    for (size_t i = segment_of(m, from); i <= segment_of(m, to); i++) {
        turn p, q;
        so_real h = (so_real)m->times[i + 1] - m->times[i], half = half_arc(m, i, &p, &q);
        so_vec x = so_from(m->poses[i].position), y = so_from(m->poses[i + 1].position);
        so_real speed = so_length(po_sub(y, x)) / h + 2.0L * half / h * reach;
        for (size_t k = 0; k < 3 && m->kind == CUBIC; k++) {
            long double bends[SPLINE_ORACLE_KNOTS];
            spline_oracle_bends(m->times, &m->poses[0].position.x + k,
                                sizeof(ov_pose) / sizeof(double), m->count, bends);
            speed += h / 3.0L * (fabsl(bends[i]) + fabsl(bends[i + 1]));
        }
        most = fmaxl(most, speed);
    }
    return most;
}

static turn quaternion_at(const recipe *m, so_real u) {
    so_real b[KEYS_MAX];
    turn q = {0, 0, 0, 0};
    bernstein(m->turn_count - 1, u, b);
    for (size_t i = 0; i < m->turn_count; i++) {
        q.w += b[i] * m->turns[i].w;
        q.x += b[i] * m->turns[i].x;
        q.y += b[i] * m->turns[i].y;
        q.z += b[i] * m->turns[i].z;
    }
    return q;
}

static place rational_at(const recipe *m, so_real u) {
    so_real b[KEYS_MAX], sum = 0.0L;
    so_vec at = {0, 0, 0};
    bernstein(m->count - 1, u, b);
    for (size_t i = 0; i < m->count; i++) {
        sum += b[i] * m->weights[i];
        at = po_add(at, po_scale(so_from(m->places[i]), b[i] * m->weights[i]));
    }
    return place_of(quaternion_at(m, u), po_scale(at, 1.0L / sum));
}

/** n (W/w)^2 times the longest leg: no rational curve with weights from w to W is faster. */
static so_real curve_factor(const double *weights, size_t count) {
    so_real low = weights[0], high = weights[0];
    for (size_t i = 1; i < count; i++) {
        low = fminl(low, weights[i]);
        high = fmaxl(high, weights[i]);
    }
    return (so_real)(count - 1) * (high / low) * (high / low);
}

static so_real rational_speed(const recipe *m, so_real from, so_real to, so_real reach) {
    so_real leg = 0.0L, step = 0.0L, u = part_of(m, 0.5L * (from + to));
    so_real half = 0.5L * (part_of(m, to) - part_of(m, from));
    for (size_t i = 0; i + 1 < m->count; i++) {
        leg = fmaxl(leg, so_length(po_sub(so_from(m->places[i + 1]), so_from(m->places[i]))));
    }
    for (size_t i = 0; i + 1 < m->turn_count; i++) {
        turn p = turn_of(m->turns[i]), q = turn_of(m->turns[i + 1]);
        step = fmaxl(step, sqrtl((p.w - q.w) * (p.w - q.w) + (p.x - q.x) * (p.x - q.x) +
                                 (p.y - q.y) * (p.y - q.y) + (p.z - q.z) * (p.z - q.z)));
    }
    turn q = quaternion_at(m, u);
    so_real rate = (so_real)(m->turn_count - 1) * step;
    so_real least = sqrtl(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z) - rate * half;
    so_real spin = rate > 0.0L ? (least > 0.0L ? 2.0L * rate / least : (so_real)INFINITY) : 0.0L;
    return (curve_factor(m->weights, m->count) * leg + spin * reach) / ((so_real)m->end - m->start);
}

static const so_vec *columns(const ov_affine *a, so_vec out[4]) {
    out[0] = so_from(a->linear.cx);
    out[1] = so_from(a->linear.cy);
    out[2] = so_from(a->linear.cz);
    out[3] = so_from(a->translation);
    return out;
}

static place bezier_at(const recipe *m, so_real u) {
    so_real b[KEYS_MAX], sum = 0.0L;
    so_vec c[4] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, own[4];
    bernstein(m->count - 1, u, b);
    for (size_t i = 0; i < m->count; i++) {
        sum += b[i] * m->weights[i];
        columns(&m->controls[i], own);
        for (int k = 0; k < 4; k++) {
            c[k] = po_add(c[k], po_scale(own[k], b[i] * m->weights[i]));
        }
    }
    place p = {{po_scale(c[0], 1.0L / sum), po_scale(c[1], 1.0L / sum), po_scale(c[2], 1.0L / sum)},
               po_scale(c[3], 1.0L / sum)};
    return p;
}

static so_real bezier_speed(const recipe *m, so_real reach) {
    so_real leg = 0.0L;
    for (size_t i = 0; i + 1 < m->count; i++) {
        so_vec p[4], q[4];
        columns(&m->controls[i], p);
        columns(&m->controls[i + 1], q);
        so_real linear = 0.0L;
        for (int k = 0; k < 3; k++) {
            so_vec d = po_sub(q[k], p[k]);
            linear += so_dot(d, d);
        }
        leg = fmaxl(leg, so_length(po_sub(q[3], p[3])) + sqrtl(linear) * reach);
    }
    return curve_factor(m->weights, m->count) * leg / ((so_real)m->end - m->start);
}

static place motion_at(const recipe *m, so_real time) {
    switch (m->kind) {
    case LINEAR:
    case CUBIC:
        return keys_at(m, time);
    case RATIONAL:
        return rational_at(m, part_of(m, time));
    case BEZIER:
        return bezier_at(m, part_of(m, time));
    default:
        return screw_at(m, part_of(m, time));
    }
}

static so_real motion_speed(const recipe *m, so_real from, so_real to, so_real reach) {
    switch (m->kind) {
    case LINEAR:
    case CUBIC:
        return keys_speed(m, from, to, reach);
    case RATIONAL:
        return rational_speed(m, from, to, reach);
    case BEZIER:
        return bezier_speed(m, reach);
    default: {
        so_vec arm = po_sub(so_from(m->first.position), so_from(m->point));
        so_real length = (so_real)m->end - m->start;
        return (fabsl(m->angle) * (so_length(arm) + reach) + fabsl(m->travel)) / length;
    }
    }
}

/* ---- an arm: revolute joints in a row, its last link is the body */

enum { ARM_JOINTS = 3, ARM_ROWS = 4 };

typedef struct arm {
    ov_joint_def joints[ARM_JOINTS];
    double times[ARM_ROWS], rows[ARM_ROWS][ARM_JOINTS];
    ov_pose root;
} arm;

static place arm_at(const arm *m, so_real time) {
    size_t i = 0;
    while (i + 2 < ARM_ROWS && time > m->times[i + 1]) {
        i++;
    }
    so_real s = (time - m->times[i]) / ((so_real)m->times[i + 1] - m->times[i]);
    place p = place_of(turn_of(m->root.rotation), so_from(m->root.position));
    for (size_t k = 0; k < ARM_JOINTS; k++) {
        const ov_joint_def *j = &m->joints[k];
        so_real q = m->rows[i][k] + s * ((so_real)m->rows[i + 1][k] - m->rows[i][k]);
        place origin = place_of(turn_of(j->origin.rotation), so_from(j->origin.position));
        place own = place_about(so_from(j->axis), q, (so_vec){0, 0, 0});
        if (j->kind == OV_JOINT_KIND_PRISMATIC) {
            own = still;
            own.at = po_scale(po_unit(so_from(j->axis)), q);
        }
        p = place_mul(&p, &origin);
        p = place_mul(&p, &own);
    }
    return p;
}

static so_real arm_speed(const arm *m, so_real from, so_real to, so_real reach) {
    so_real most = 0.0L;
    for (size_t i = 0; i + 1 < ARM_ROWS; i++) {
        if (m->times[i + 1] < from || m->times[i] > to) {
            continue;
        }
        so_real h = (so_real)m->times[i + 1] - m->times[i], speed = 0.0L, arms = reach;
        for (size_t k = ARM_JOINTS; k-- > 0;) {
            so_real rate = fabsl((so_real)m->rows[i + 1][k] - m->rows[i][k]) / h;
            if (m->joints[k].kind == OV_JOINT_KIND_PRISMATIC) {
                speed += rate;
                arms += fmaxl(fabsl(m->rows[i][k]), fabsl(m->rows[i + 1][k]));
            } else {
                speed += rate * arms;
            }
            arms += so_length(so_from(m->joints[k].origin.position));
        }
        most = fmaxl(most, speed);
    }
    return most;
}

/* ---- bodies */

enum { BODY_PIECES = 64, BODY_POINTS = 256 };

typedef struct body {
    solid solid;
    ov_polygons *polygons;
    ov_trimesh *mesh;
    ov_geometry *geometry;
    ov_pose pose;
    recipe recipe;
    const arm *arm; // that carries it
    bool moves;
    ov_motion *motion;
    double size;
    so_real reach;
    // for the oracle
    size_t count;
    po_body pieces[BODY_PIECES];
    ov_shape flats[BODY_PIECES];
    so_vec middles[BODY_PIECES]; // of balls about the pieces
    so_real radii[BODY_PIECES];
    ov_vec3 points[BODY_POINTS];
} body;

static place body_at(const body *b, so_real time) {
    place own = place_of(turn_of(b->pose.rotation), so_from(b->pose.position));
    place frame = b->arm != NULL ? arm_at(b->arm, time)
                  : b->moves     ? motion_at(&b->recipe, time)
                                 : still;
    return place_mul(&frame, &own);
}

static so_real body_speed(const body *b, so_real from, so_real to) {
    return b->arm != NULL ? arm_speed(b->arm, from, to, b->reach)
           : b->moves     ? motion_speed(&b->recipe, from, to, b->reach)
                          : 0.0L;
}

/** Adds a flat convex piece with these corners. */
static void add_flat(body *b, const ov_vec3 *corners, size_t count, size_t *used) {
    ov_shape *s = &b->flats[b->count];
    memset(s, 0, sizeof *s);
    s->kind = OV_SHAPE_KIND_POLYHEDRON;
    s->u.polyhedron.vertices = &b->points[*used];
    s->u.polyhedron.vertex_count = count;
    memcpy(&b->points[*used], corners, count * sizeof *corners);
    *used += count;
    so_vec sum = {0, 0, 0};
    for (size_t i = 0; i < count; i++) {
        sum = po_add(sum, po_scale(so_from(corners[i]), 1.0L / (so_real)count));
    }
    b->middles[b->count] = sum;
    b->radii[b->count] = 0.0L;
    for (size_t i = 0; i < count; i++) {
        so_real out = so_length(po_sub(so_from(corners[i]), sum));
        b->radii[b->count] = fmaxl(b->radii[b->count], out);
    }
    po_make(s, &b->pieces[b->count++]);
}

static void ready_body(body *b) {
    size_t used = 0;
    b->count = 0;
    so_real out = 0.0L;
    if (b->polygons != NULL) {
        for (size_t i = 0; i < ov_polygons_count(b->polygons); i++) {
            size_t n;
            const uint32_t *c = ov_polygons_corners(b->polygons, i, &n);
            ov_vec3 corners[16];
            for (size_t k = 0; k < n; k++) {
                corners[k] = ov_polygons_vertices(b->polygons)[c[k]];
                out = fmaxl(out, so_length(so_from(corners[k])));
            }
            add_flat(b, corners, n, &used);
        }
    } else if (b->mesh != NULL) {
        for (size_t i = 0; i < ov_trimesh_triangle_count(b->mesh); i++) {
            ov_vec3 corners[3];
            for (int k = 0; k < 3; k++) {
                corners[k] = ov_trimesh_vertices(b->mesh)[ov_trimesh_triangles(b->mesh)[i][k]];
                out = fmaxl(out, so_length(so_from(corners[k])));
            }
            add_flat(b, corners, 3, &used);
        }
    } else {
        const ov_ball *ball = &b->solid.shape.ball;
        b->middles[0] = so_from(ball->centre);
        b->radii[0] = ball->radius;
        po_make(&b->solid.shape, &b->pieces[b->count++]);
        out = so_length(so_from(ball->centre)) + ball->radius;
    }
    b->reach = out + so_length(so_from(b->pose.position));
}

/* ---- a sweep to be made */

typedef struct trial {
    long number;
    body a, b;
    arm arm;
    bool by_arm;
    double start, end;
    ov_sweep_options options;
    double factor; // the least gap that is meant, in epsilons, beyond the clearance
} trial;

/** Least distance of the balls about two pieces. */
static so_real balls_gap(const body *a, const place *pa, size_t i, const body *b, const place *pb,
                         size_t k) {
    so_vec ca = po_add(pa->at, place_vector(pa, a->middles[i]));
    so_vec cb = po_add(pb->at, place_vector(pb, b->middles[k]));
    so_real fa = 0.0L, fb = 0.0L; // no direction is stretched by more
    for (int j = 0; j < 3; j++) {
        fa += so_dot(pa->axis[j], pa->axis[j]);
        fb += so_dot(pb->axis[j], pb->axis[j]);
    }
    return so_length(po_sub(cb, ca)) - sqrtl(fa) * a->radii[i] - sqrtl(fb) * b->radii[k];
}

/** The least gap at a time, by support planes. */
static so_real gap_at(trial *t, so_real time, so_real goal, so_vec *n) {
    place at[2] = {body_at(&t->a, time), body_at(&t->b, time)};
    body *bodies[2] = {&t->a, &t->b};
    for (int i = 0; i < 2; i++) {
        for (size_t k = 0; k < bodies[i]->count; k++) {
            po_body *p = &bodies[i]->pieces[k];
            memcpy(p->axis, at[i].axis, sizeof p->axis);
            p->centre = at[i].at;
        }
    }
    so_real least = (so_real)INFINITY;
    for (size_t i = 0; i < t->a.count; i++) {
        for (size_t k = 0; k < t->b.count; k++) {
            if (balls_gap(&t->a, &at[0], i, &t->b, &at[1], k) > least) {
                continue;
            }
            po_distance d = po_gjk(&t->a.pieces[i], &t->b.pieces[k], goal);
            so_real gap = d.overlap ? 0.0L : d.lower;
            if (gap < least) {
                least = gap;
                *n = d.n;
            }
        }
    }
    return least;
}

/* ---- drawing */

/** Axes with an aspect of up to 1e5. */
static ov_vec3 hard_axes(check_random *r, double size) {
    double a[3] = {size, size * check_log_uniform(r, pick(r, 3) == 0 ? 1e-5 : 0.02, 1.0),
                   size * check_log_uniform(r, pick(r, 3) == 0 ? 1e-5 : 0.02, 1.0)};
    uint64_t k = pick(r, 3);
    return ov_vec3_make(a[k], a[(k + 1) % 3], a[(k + 2) % 3]);
}

static double hard_exponent(check_random *r) {
    double e = check_log_uniform(r, 1e-4, 1.0);
    return pick(r, 2) == 0 ? e : 2.0 - e;
}

static void draw_shape(check_random *r, double size, solid *s) {
    ov_vec3 a = hard_axes(r, size);
    switch (pick(r, 9)) {
    case 0:
        CHECK_OK(ov_shape_make_sphere(size, &s->shape));
        return;
    case 1:
        CHECK_OK(ov_shape_make_capsule(a.x, a.y, &s->shape));
        return;
    case 2:
        CHECK_OK(ov_shape_make_cylinder(a.x, a.y, &s->shape));
        return;
    case 3:
        CHECK_OK(ov_shape_make_box(a, &s->shape));
        return;
    case 4:
        CHECK_OK(ov_shape_make_ellipsoid(a, &s->shape));
        return;
    case 5:
        CHECK_OK(ov_shape_make_cone(a.x, a.y, &s->shape));
        return;
    case 6:
        CHECK_OK(ov_shape_make_superellipsoid(a, hard_exponent(r), hard_exponent(r), &s->shape));
        return;
    default:
        make_solid(r, size, s);
    }
}

/** A box, or a strip, of triangles. */
static ov_trimesh *draw_mesh(check_random *r, double size) {
    static const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                          {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                          {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    ov_vec3 a = hard_axes(r, size), v[8];
    for (int i = 0; i < 8; i++) {
        v[i] = ov_vec3_make(i & 1 ? a.x : -a.x, i & 2 ? a.y : -a.y, i & 4 ? a.z : -a.z);
    }
    ov_trimesh *mesh = NULL;
    CHECK_OK(ov_trimesh_create(v, 8, faces, pick(r, 2) == 0 ? 12 : 4, NULL, &mesh));
    return mesh;
}

/** The faces as triangles. */
static ov_trimesh *mesh_of(const ov_polygons *p) {
    uint32_t triangles[8 * FACES_MAX][3];
    size_t count = 0;
    for (size_t i = 0; i < ov_polygons_count(p); i++) {
        size_t n;
        const uint32_t *c = ov_polygons_corners(p, i, &n);
        for (size_t k = 2; k < n; k++, count++) {
            triangles[count][0] = c[0];
            triangles[count][1] = c[k - 1];
            triangles[count][2] = c[k];
        }
    }
    ov_trimesh *mesh = NULL;
    CHECK_OK(ov_trimesh_create(ov_polygons_vertices(p), ov_polygons_vertex_count(p), triangles,
                               count, NULL, &mesh));
    return mesh;
}

/** The same polygons, drawn out to an aspect of up to 1e4. */
static ov_polygons *drawn_out(check_random *r, ov_polygons *p) {
    uint32_t corners[8 * FACES_MAX], sizes[FACES_MAX], at = 0;
    ov_vec3 points[32], a = {1.0, check_log_uniform(r, 1e-4, 1.0), check_log_uniform(r, 1e-2, 1.0)};
    size_t count = ov_polygons_count(p);
    for (size_t i = 0; i < ov_polygons_vertex_count(p); i++) {
        points[i] = ov_vec3_mul(ov_polygons_vertices(p)[i], a);
    }
    for (size_t i = 0; i < count; i++) {
        size_t n;
        const uint32_t *c = ov_polygons_corners(p, i, &n);
        memcpy(&corners[at], c, n * sizeof *c);
        sizes[i] = (uint32_t)n;
        at += (uint32_t)n;
    }
    ov_polygons *made = NULL;
    if (ov_polygons_create(points, ov_polygons_vertex_count(p), corners, sizes, count, NULL, &made,
                           NULL) != OV_OK) {
        return p; // too thin for it
    }
    ov_polygons_destroy(p);
    return made;
}

enum { OF_SHAPE, OF_MESH, OF_POLYGONS };

static void draw_body(check_random *r, int kind, double size, body *b) {
    b->size = size;
    if (kind == OF_POLYGONS) {
        uint64_t way = pick(r, 3);
        b->polygons = way == 0 ? make_loose(r, size) : make_frustum(r, size, way == 1);
        if (pick(r, 2) == 0) {
            b->polygons = drawn_out(r, b->polygons);
        }
        b->mesh = mesh_of(b->polygons);
        return;
    }
    ov_part part = {.pose = ov_pose_identity()};
    if (kind == OF_MESH) {
        part.mesh = b->mesh = draw_mesh(r, size);
    } else {
        draw_shape(r, size, &b->solid);
        part.shape = b->solid.shape;
        b->size = b->solid.shape.ball.radius;
    }
    CHECK_OK(ov_geometry_create(&part, 1, NULL, &b->geometry));
}

/** A motion, sometimes slow, fast or none. */
static void draw_hard_motion(check_random *r, int kind, double size, recipe *m) {
    draw_motion(r, kind, size, m);
    uint64_t how = pick(r, 8);
    if (kind == SPIN && how < 3) {
        m->angle = 2.0 * M_PI * check_log_uniform(r, 10.0, 1000.0);
    } else if ((kind == LINEAR || kind == CUBIC) &&
               how < 2) { // a segment that is passed in no time
        double part = check_log_uniform(r, 1e-6, 1e-2);
        size_t last = m->count - 1;
        for (size_t i = 1; i < last; i++) {
            m->times[i] = m->start + (m->end - m->start) * (0.5 + part * (double)i);
        }
    } else if (how == 2) { // constant
        m->angle = m->travel = 0.0;
        for (size_t i = 0; i < KEYS_MAX; i++) {
            m->poses[i] = m->poses[0];
            m->places[i] = m->places[0];
            m->turns[i] = m->turns[0];
            m->controls[i] = m->controls[0];
        }
    } else if (how == 4 && kind == RATIONAL) { // a quaternion that nearly vanishes
        for (size_t i = 1; i < KEYS_MAX; i++) {
            ov_quat q = m->turns[i - 1], p = m->turns[i];
            m->turns[i] = (ov_quat){0.1 * p.w - 0.9 * q.w, 0.1 * p.x - 0.9 * q.x,
                                    0.1 * p.y - 0.9 * q.y, 0.1 * p.z - 0.9 * q.z};
        }
    } else if (how == 3 && kind == RATIONAL) { // weights and quaternions of very unlike lengths
        for (size_t i = 0; i < KEYS_MAX; i++) {
            double f = check_log_uniform(r, 1e-3, 1e3);
            m->weights[i] = check_log_uniform(r, 1e-2, 1e2);
            m->turns[i] = (ov_quat){f * m->turns[i].w, f * m->turns[i].x, f * m->turns[i].y,
                                    f * m->turns[i].z};
        }
    }
}

static void draw_arm(check_random *r, double size, trial *t) {
    arm *m = &t->arm;
    *m = (arm){.root = {some_vector(r, size), check_rotation(r)}};
    static const char *const names[ARM_JOINTS] = {"i", "j", "k"};
    for (uint32_t k = 0; k < ARM_JOINTS; k++) {
        m->joints[k] = (ov_joint_def){.name = names[k],
                                      .kind = pick(r, 4) == 0 ? OV_JOINT_KIND_PRISMATIC
                                                              : OV_JOINT_KIND_CONTINUOUS,
                                      .parent = k,
                                      .child = k + 1,
                                      .origin = {some_vector(r, 2.0 * size), check_rotation(r)},
                                      .axis = check_unit_vector(r)};
    }
    for (int i = 0; i < ARM_ROWS; i++) {
        m->times[i] = t->start + (t->end - t->start) * i / (ARM_ROWS - 1);
        for (int k = 0; k < ARM_JOINTS; k++) {
            bool turns = m->joints[k].kind == OV_JOINT_KIND_CONTINUOUS;
            double most = turns ? check_log_uniform(r, 0.1, 100.0) : 3.0 * size;
            m->rows[i][k] = check_uniform(r, -most, most);
        }
    }
    m->times[ARM_ROWS - 1] = t->end;
}

static void shift_recipe(recipe *m, ov_vec3 by) {
    m->first.position = ov_vec3_add(m->first.position, by);
    m->point = ov_vec3_add(m->point, by);
    for (size_t i = 0; i < KEYS_MAX; i++) {
        m->poses[i].position = ov_vec3_add(m->poses[i].position, by);
        m->places[i] = ov_vec3_add(m->places[i], by);
        m->controls[i].translation = ov_vec3_add(m->controls[i].translation, by);
    }
}

static void shift_body(body *b, ov_vec3 by) {
    if (b->moves) {
        shift_recipe(&b->recipe, by);
    } else {
        b->pose.position = ov_vec3_add(b->pose.position, by);
    }
    ready_body(b);
}

static void draw_options(check_random *r, trial *t) {
    double size = fmin(t->a.size, t->b.size), large = fmax(t->a.size, t->b.size);
    ov_sweep_options *o = &t->options;
    o->threads.count = 1;
    o->epsilon = size * check_log_uniform(r, pick(r, 2) == 0 ? 1e-11 : 1e-6, 1e-1);
    o->epsilon = fmax(o->epsilon, 1e-12 * large);
    o->clearance = pick(r, 6) == 0 ? size * check_log_uniform(r, 1e-3, 1.0) : 0.0;
    o->first_only = pick(r, 3) == 0;
    o->every_pair = pick(r, 4) == 0;
    o->mass = pick(r, 3) == 0 ? OV_MASS_USE_GLOBAL : OV_MASS_USE_INDIVIDUAL;
    t->factor = 2.0 + check_log_uniform(r, 0.01, 30.0);
}

static void draw_trial(check_random *r, long number, trial *t) {
    memset(t, 0, sizeof *t);
    t->number = number;
    double size = check_log_uniform(r, 1e-3, 1e3);
    double ratio = check_log_uniform(r, pick(r, 3) == 0 ? 1e-5 : 0.2, pick(r, 3) == 0 ? 1e5 : 5.0);
    uint64_t group = pick(r, 10);
    bool hollow = group < 4, mesh = group == 4;
    t->by_arm = !hollow && pick(r, 5) == 0;
    draw_body(r, hollow ? OF_POLYGONS : mesh && pick(r, 2) == 0 ? OF_MESH : OF_SHAPE, size, &t->a);
    draw_body(r, hollow ? OF_POLYGONS : mesh ? OF_MESH : OF_SHAPE, size * ratio, &t->b);
    double large = fmax(t->a.size, t->b.size);
    t->start =
        check_uniform(r, -2.0, 2.0) * (pick(r, 3) == 0 ? check_log_uniform(r, 1.0, 1e9) : 1.0);
    t->end = t->start + check_log_uniform(r, 0.001, 1000.0);
    draw_options(r, t);
    if (mesh) { // each look is a search there: what glides along would take most of the time
        t->options.epsilon = fmax(t->options.epsilon, 1e-5 * large);
    }
    t->a.moves = !t->by_arm;
    t->b.moves = !t->by_arm && pick(r, 5) < 2;
    recipe *both[2] = {&t->a.recipe, &t->b.recipe};
    for (int i = 0; i < 2; i++) {
        int kinds = hollow ? MOTION_KINDS : MOTION_KINDS - 1;
        both[i]->start = t->start;
        both[i]->end = t->end;
        draw_hard_motion(r, (int)pick(r, (uint64_t)kinds), large, both[i]);
        // many turns with a tiny epsilon take more pieces than there may be, and all the time
        double most = 6.0 + 1e4 * sqrt(t->options.epsilon / large);
        both[i]->angle = fmax(-most, fmin(most, both[i]->angle));
    }
    bool central = pick(r, 2) == 0;
    double off = size * (pick(r, 4) == 0 ? check_log_uniform(r, 1.0, 1e3) : 1.0);
    t->a.pose = central ? ov_pose_identity() : (ov_pose){some_vector(r, off), check_rotation(r)};
    t->b.pose = (ov_pose){some_vector(r, t->b.moves ? size : 0.0), check_rotation(r)};
    if (t->by_arm) {
        draw_arm(r, large, t);
        t->a.arm = &t->arm;
        t->a.pose = ov_pose_identity();
    }
    ready_body(&t->a);
    ready_body(&t->b);
    if (t->a.recipe.kind == SPIN && !t->by_arm && pick(r, 3) == 0) { // about its own axis
        recipe *m = &t->a.recipe;
        t->a.pose = ov_pose_identity();
        m->point = m->first.position;
        m->axis = ov_quat_rotate(m->first.rotation, (ov_vec3){0, 0, 1});
        m->angle = check_uniform(r, -20.0, 20.0);
        t->options.epsilon = fmax(t->options.epsilon, 1e-7 * size);
        ready_body(&t->a);
    }
    if (pick(r, 4) == 0) { // all of it far away
        ov_vec3 away = ov_vec3_scale(check_unit_vector(r), large * check_log_uniform(r, 10.0, 1e8));
        t->arm.root.position = ov_vec3_add(t->arm.root.position, away);
        shift_body(&t->a, t->by_arm ? (ov_vec3){0, 0, 0} : away);
        shift_body(&t->b, away);
    }
}

/* ---- bringing them as close as is meant */

typedef struct nearest {
    so_real time, gap;
    so_vec n;
} nearest;

/** A rigid place as a pose. */
static ov_pose pose_of(const place *p) {
    so_real xx = p->axis[0].x, yy = p->axis[1].y, zz = p->axis[2].z;
    const turn q[4] = {{1 + xx + yy + zz, p->axis[1].z - p->axis[2].y, p->axis[2].x - p->axis[0].z,
                        p->axis[0].y - p->axis[1].x},
                       {p->axis[1].z - p->axis[2].y, 1 + xx - yy - zz, p->axis[0].y + p->axis[1].x,
                        p->axis[2].x + p->axis[0].z},
                       {p->axis[2].x - p->axis[0].z, p->axis[0].y + p->axis[1].x, 1 - xx + yy - zz,
                        p->axis[1].z + p->axis[2].y},
                       {p->axis[0].y - p->axis[1].x, p->axis[2].x + p->axis[0].z,
                        p->axis[1].z + p->axis[2].y, 1 - xx - yy + zz}};
    const so_real largest[4] = {q[0].w, q[1].x, q[2].y, q[3].z};
    int best = 0;
    for (int i = 1; i < 4; i++) {
        best = largest[i] > largest[best] ? i : best;
    }
    const turn *b = &q[best];
    return (ov_pose){po_round(p->at), {(double)b->w, (double)b->x, (double)b->y, (double)b->z}};
}

static bool is_rigid(const trial *t) {
    return !(t->a.moves && t->a.recipe.kind == BEZIER) &&
           !(t->b.moves && t->b.recipe.kind == BEZIER);
}

/** To find places only, and much faster: the library's gaps, where the bodies move rigidly. */
static so_real rough_gap_at(trial *t, so_real time, so_vec *n) {
    if (!is_rigid(t)) {
        return gap_at(t, time, 1e-3L * t->options.epsilon, n);
    }
    place a = body_at(&t->a, time), b = body_at(&t->b, time);
    const ov_pose pa = pose_of(&a), pb = pose_of(&b);
    ov_trimesh_contact c;
    so_real sign = 1.0L;
    if (t->a.mesh != NULL && t->b.mesh != NULL) {
        (void)ov_trimesh_pair_contact(t->a.mesh, pa, t->b.mesh, pb, INFINITY, NULL, &c);
    } else if (t->a.mesh != NULL) {
        (void)ov_trimesh_shape_contact(t->a.mesh, pa, &t->b.solid.shape, pb, INFINITY, NULL, &c);
    } else if (t->b.mesh != NULL) {
        (void)ov_trimesh_shape_contact(t->b.mesh, pb, &t->a.solid.shape, pa, INFINITY, NULL, &c);
        sign = -1.0L;
    } else {
        (void)ov_pair_contact(&t->a.solid.shape, pa, &t->b.solid.shape, pb, NULL, NULL, &c.contact);
    }
    *n = po_scale(so_from(c.contact.normal), sign);
    return fmaxl(0.0L, c.contact.gap);
}

static void look(trial *t, so_real time, nearest *best) {
    so_vec n = {0, 0, 1};
    so_real gap = rough_gap_at(t, time, &n);
    if (gap < best->gap) {
        *best = (nearest){time, gap, n};
    }
}

/** The closest place that some samples and a golden section find. */
static nearest closest(trial *t) {
    int samples = is_rigid(t) ? 200 : 32;
    nearest best = {t->start, (so_real)INFINITY, {0, 0, 1}};
    so_real length = (so_real)t->end - t->start;
    for (int i = 0; i <= samples; i++) {
        look(t, t->start + length * i / samples, &best);
    }
    so_real step = length / samples;
    for (int i = 0; i < 40 && best.gap > 0.0L; i++, step *= 0.62L) {
        so_real middle = best.time;
        look(t, fmaxl(t->start, middle - step), &best);
        look(t, fminl(t->end, middle + step), &best);
    }
    return best;
}

/** False where they cannot be brought to it. */
static bool arrange(check_random *r, trial *t) {
    double near = t->a.size + t->b.size;
    so_real time = t->start + ((so_real)t->end - t->start) * check_uniform(r, 0.0, 1.0);
    place a = body_at(&t->a, time), b = body_at(&t->b, time);
    shift_body(&t->b, ov_vec3_add(po_round(po_sub(a.at, b.at)), some_vector(r, 2.0 * near)));
    nearest least = closest(t);
    ov_vec3 away = check_unit_vector(r);
    for (int i = 0; i < 12 && least.gap <= 0.0L; i++, near *= 1.5) {
        shift_body(&t->b, ov_vec3_scale(away, near));
        least = closest(t);
    }
    double target = t->options.clearance + t->factor * t->options.epsilon;
    for (int i = 0; i < 4 && least.gap > 0.0L; i++) { // the closest place may be another one then
        shift_body(&t->b, po_round(po_scale(least.n, (so_real)target - least.gap)));
        least = closest(t);
    }
    return least.gap > t->options.clearance + 2.0 * t->options.epsilon;
}

/* ---- the truth */

enum { CLEAR, NOT_CLEAR, UNKNOWN };

typedef struct cell {
    so_real from, to;
} cell;

/** What must be shown to be free: see ov_sweep_options.epsilon. */
static so_real level_of(const trial *t, so_real speed) {
    const so_real rounding = 1e-12L, ticks = 8.0L * (so_real)DBL_EPSILON;
    so_real far = so_length(body_at(&t->a, t->start).at) + t->a.reach +
                  so_length(body_at(&t->b, t->start).at) + t->b.reach;
    so_real e = fmaxl(t->options.epsilon, rounding * far);
    e = fmaxl(e, ticks * speed * fmaxl(fabsl(t->start), fabsl(t->end)));
    return t->options.clearance + 2.0L * e;
}

/** Is the gap above the level all the time? */
static int verify(trial *t, so_real *least) {
    cell stack[128];
    int count = 0;
    long budget = 60000 / (long)(t->a.count * t->b.count) + 2000;
    *least = (so_real)INFINITY;
    enum { SAMPLES = 3000 }; // what is not clear is found sooner this way
    for (int i = 0; i <= SAMPLES; i++) {
        so_vec n;
        so_real time = t->start + ((so_real)t->end - t->start) * i / SAMPLES;
        if (is_rigid(t) && rough_gap_at(t, time, &n) < (1.0L - 1e-9L) * level_of(t, 0.0L)) {
            return NOT_CLEAR;
        }
    }
    stack[count++] = (cell){t->start, t->end};
    while (count > 0) {
        cell c = stack[--count];
        so_real middle = 0.5L * (c.from + c.to), half = 0.5L * (c.to - c.from);
        so_real way = half * (body_speed(&t->a, c.from, c.to) + body_speed(&t->b, c.from, c.to));
        so_vec n;
        so_real level = level_of(t, way / half), goal = 0.01L * t->options.epsilon;
        so_real gap = gap_at(t, middle, goal, &n);
        *least = fminl(*least, gap);
        if (gap <= level) {
            return NOT_CLEAR;
        }
        if (gap - way > level) {
            continue;
        }
        if (count + 2 > 128 || budget-- <= 0) {
            return UNKNOWN;
        }
        stack[count++] = (cell){middle, c.to};
        stack[count++] = (cell){c.from, middle};
    }
    return CLEAR;
}

/* ---- the sweep */

typedef struct answer {
    ov_sweep_answer answer;
    size_t pieces, tests;
    int depth;
} answer;

static answer sweep_arm(const trial *t) {
    const ov_part part = {.shape = t->a.solid.shape, .mesh = t->a.mesh};
    const ov_link_def links[ARM_JOINTS + 1] = {
        {.name = "a"}, {.name = "b"}, {.name = "c"}, {"d", &part, 1}};
    ov_model *model = NULL;
    ov_trajectory *path = NULL;
    CHECK_OK(ov_model_create(links, ARM_JOINTS + 1, t->arm.joints, ARM_JOINTS, NULL, &model, NULL));
    CHECK_OK(ov_trajectory_create(model, t->arm.times, &t->arm.rows[0][0], NULL, ARM_ROWS,
                                  OV_SPLINE_LINEAR, NULL, &path, NULL));
    const ov_sweep_body obstacle = {.geometry = t->b.geometry, .pose = t->b.pose};
    ov_sweep *sweep = NULL;
    CHECK_OK(ov_sweep_model(model, t->arm.root, path, &obstacle, 1, t->start, t->end, &t->options,
                            &sweep, NULL));
    ov_sweep_summary s = ov_sweep_summary_of(sweep);
    ov_sweep_destroy(sweep);
    ov_trajectory_destroy(path);
    ov_model_destroy(model);
    return (answer){s.answer, s.pieces, s.tests, s.depth};
}

static ov_sweep_body sweep_body(const body *b) {
    return (ov_sweep_body){
        .geometry = b->geometry, .polygons = b->polygons, .motion = b->motion, .pose = b->pose};
}

static answer sweep_trial(trial *t) {
    if (t->by_arm) {
        return sweep_arm(t);
    }
    const ov_vec3 none = {0, 0, 0};
    t->a.motion = t->a.moves ? make_motion(&t->a.recipe, none) : NULL;
    t->b.motion = t->b.moves ? make_motion(&t->b.recipe, none) : NULL;
    const ov_sweep_body bodies[2] = {sweep_body(&t->a), sweep_body(&t->b)};
    ov_sweep *sweep = NULL;
    CHECK_OK(ov_sweep_bodies(bodies, 2, t->start, t->end, &t->options, &sweep, NULL));
    ov_sweep_summary s = ov_sweep_summary_of(sweep);
    ov_sweep_destroy(sweep);
    return (answer){s.answer, s.pieces, s.tests, s.depth};
}

static void free_body(body *b) {
    ov_motion_destroy(b->motion);
    ov_polygons_destroy(b->polygons);
    ov_geometry_destroy(b->geometry);
    ov_trimesh_destroy(b->mesh);
}

static void print_body(const char *name, const body *b) {
    const ov_shape *s = &b->solid.shape;
    fprintf(stderr, "  %s: %s %.6g x %.6g x %.6g, e %.6g %.6g, t %.3g %.3g; %s\n", name,
            b->polygons != NULL ? "polygons"
            : b->mesh != NULL   ? "mesh"
                                : ov_shape_kind_name(s->kind),
            s->a.x, s->a.y, s->a.z, s->e1, s->e2, s->tx, s->ty,
            b->arm != NULL ? "arm"
            : b->moves     ? motion_names[b->recipe.kind]
                           : "rest");
}

static void print_trial(const trial *t, const answer *a, so_real least) {
    so_vec at = body_at(&t->a, t->start).at;
    fprintf(
        stderr,
        "  sweep %ld: sizes %.3g %.3g, epsilon %.3g, clearance %.3g, away %.3g, time %.6g %.6g, "
        "first %d, every pair %d, global %d: least gap %.6g epsilons; %s, %zu pieces, %zu "
        "tests, depth %d\n",
        t->number, t->a.size, t->b.size, t->options.epsilon, t->options.clearance,
        (double)so_length(at), t->start, t->end - t->start, t->options.first_only,
        t->options.every_pair, t->options.mass == OV_MASS_USE_GLOBAL,
        (double)((least - t->options.clearance) / t->options.epsilon),
        ov_sweep_answer_name(a->answer), a->pieces, a->tests, a->depth);
    print_body("a", &t->a);
    print_body("b", &t->b);
}

static trial it;

/** Pieces and tests that a sweep may take: then it may end undecided. */
static bool met_a_limit(const answer *a) {
    size_t pieces = it.a.mesh != NULL || it.b.mesh != NULL ? 1 << 17 : 1 << 20;
    pieces = it.a.polygons != NULL ? 1 << 20 : pieces;
    return a->pieces >= pieces || a->tests >= 1 << 28;
}

static void test_clear(void) {
    long count = check_count(100), swept = 0, shown = 0, limits = 0;
    long told[3] = {0, 0, 0};
    for (long i = 0; i < count; i++) {
        check_random r = check_random_make(90000 + (uint64_t)i);
        draw_trial(&r, i, &it);
        if (arrange(&r, &it)) {
            swept++;
            answer a = sweep_trial(&it);
            so_real least = 0.0L;
            bool free = a.answer == OV_SWEEP_ANSWER_FREE, limit = !free && met_a_limit(&a);
            int clear = free ? CLEAR : limit ? UNKNOWN : verify(&it, &least);
            shown += free;
            limits += limit;
            told[clear]++;
            if (clear == CLEAR && !CHECK(free)) {
                print_trial(&it, &a, least);
            }
        }
        free_body(&it.a);
        free_body(&it.b);
    }
    printf("%s: %ld of %ld placed, %ld shown to be free; the others: %ld are not clear, %ld met a "
           "limit, %ld were not told\n",
           check_suite, swept, count, shown, told[NOT_CLEAR], limits, told[UNKNOWN] - limits);
    CHECK(swept > count / 2 && shown > swept / 2 && limits <= 1 + swept / 20);
}

/**
 * A turn of something round about its own axis, a few epsilons beside another body: the gap does
 * not change, though every point moves by a million epsilons.
 */
static void test_glide(void) {
    ov_shape round[6], other;
    const ov_vec3 z = {0, 0, 1};
    CHECK_OK(ov_shape_make_sphere(1.0, &round[0]));
    CHECK_OK(ov_shape_make_capsule(1.0, 0.7, &round[1]));
    CHECK_OK(ov_shape_make_cylinder(1.0, 2.0, &round[2]));
    CHECK_OK(ov_shape_make_cone(1.0, 1.5, &round[3]));
    CHECK_OK(ov_shape_make_ellipsoid((ov_vec3){1, 1, 3}, &round[4]));
    CHECK_OK(ov_shape_make_superovoid((ov_vec3){1, 1, 2}, 1.0, 0.6, 0.2, 0.2, NULL, &round[5]));
    CHECK_OK(ov_shape_make_superellipsoid((ov_vec3){0.3, 0.5, 0.4}, 0.7, 0.5, &other));
    check_random r = check_random_make(91);
    for (int i = 0; i < 24; i++) {
        const ov_shape *s = &round[i % 6];
        const ov_pose first = {some_vector(&r, 2.0), check_rotation(&r)};
        ov_pose there = {ov_vec3_add(first.position, ov_vec3_scale(check_unit_vector(&r), 9.0)),
                         check_rotation(&r)};
        ov_contact c;
        double epsilon = check_log_uniform(&r, 1e-7, 1e-5), tilt = i < 12 ? 0.0 : 1e-8;
        CHECK_OK(ov_pair_contact(s, first, &other, there, NULL, NULL, &c));
        there.position = ov_vec3_add_scaled(there.position, c.normal, 2.5 * epsilon - c.gap);
        // the axis not quite its own: that moves it by less than the gap
        ov_vec3 axis = ov_vec3_add(ov_quat_rotate(first.rotation, z), some_vector(&r, tilt));
        ov_motion *m = NULL;
        CHECK_OK(ov_motion_create_screw(first, first.position, axis, check_uniform(&r, 3.0, 9.0),
                                        0.0, 0.0, 1.0, NULL, &m));
        const ov_sweep_pair pair = {.a = s, .b = &other, .motion_a = m, .pose_b = there};
        const ov_sweep_options options = {.epsilon = epsilon};
        ov_first_contact found;
        CHECK_OK(ov_sweep_pair_first(&pair, 0.0, 1.0, &options, &found));
        if (!CHECK(found.answer == OV_SWEEP_ANSWER_FREE && found.pieces < 100000)) {
            fprintf(stderr, "  %s, epsilon %.3g: %zu pieces, free until %.17g\n",
                    ov_shape_kind_name(s->kind), epsilon, found.pieces, found.lower);
        }
        // and with a contact in the end it is found
        there.position = ov_vec3_add_scaled(there.position, c.normal, -3.5 * epsilon);
        const ov_sweep_pair meets = {.a = s, .b = &other, .motion_a = m, .pose_b = there};
        (void)ov_sweep_pair_first(&meets, 0.0, 1.0, &options, &found);
        CHECK(found.answer == OV_SWEEP_ANSWER_CONTACT);
        ov_motion_destroy(m);
    }
}

int main(void) {
    check_suite = "motion_clear";
    RUN(test_glide);
    RUN(test_clear);
    return check_finish();
}
