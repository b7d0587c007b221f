/* Motions of the hunt: see motions.h. */
#include "motions.h"

#include <math.h>
#include <string.h>

rmat rm_axis_angle(rvec unit, real angle) {
    real s = sinl(0.5L * angle);
    return rm_quaternion(cosl(0.5L * angle), s * unit.x, s * unit.y, s * unit.z);
}

frame frame_of(ov_pose pose) {
    ov_quat q = pose.rotation;
    bool none = q.w == 0.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0;
    return (frame){rm_quaternion(none ? 1.0 : q.w, q.x, q.y, q.z), rv_from(pose.position)};
}

frame frame_after(frame outer, frame inner) {
    return (frame){rm_mul(&outer.linear, &inner.linear),
                   rv_add(rm_apply(&outer.linear, inner.origin), outer.origin)};
}

/* ---- splines --------------------------------------------------------------------------------- */

void spline_slopes(const double *times, const double *values, size_t count, real *slopes) {
    // rows of the inner knots: s[i-1]/h0 + 2 s[i] (1/h0 + 1/h1) + s[i+1]/h1 = 3 (d0/h0 + d1/h1)
    real diagonal[MOTION_CASE_KEYS] = {0}, right[MOTION_CASE_KEYS] = {0};
    slopes[0] = slopes[count - 1] = 0.0L;
    for (size_t i = 1; i + 1 < count; i++) {
        real h0 = (real)times[i] - times[i - 1], h1 = (real)times[i + 1] - times[i];
        real d0 = ((real)values[i] - values[i - 1]) / h0,
             d1 = ((real)values[i + 1] - values[i]) / h1;
        diagonal[i] = 2.0L * (1.0L / h0 + 1.0L / h1);
        right[i] = 3.0L * (d0 / h0 + d1 / h1);
        if (i > 1) {
            real f = 1.0L / h0 / diagonal[i - 1];
            diagonal[i] -= f / h0;
            right[i] -= f * right[i - 1];
        }
    }
    for (size_t i = count - 1; i-- > 1;) {
        real h1 = (real)times[i + 1] - times[i];
        slopes[i] = (right[i] - slopes[i + 1] / h1) / diagonal[i];
    }
}

static size_t segment_of(const double *times, size_t count, real time) {
    size_t i = 0;
    while (i + 2 < count && time > times[i + 1]) {
        i++;
    }
    return i;
}

static real part_of(const double *times, size_t i, real time) {
    real u = (time - times[i]) / ((real)times[i + 1] - times[i]);
    return fminl(fmaxl(u, 0.0L), 1.0L);
}

real spline_at(const double *times, const double *values, const real *slopes, size_t count,
               real time) {
    size_t i = segment_of(times, count, time);
    real u = part_of(times, i, time), v = 1.0L - u;
    if (slopes == NULL) {
        return v * values[i] + u * values[i + 1];
    }
    real h = (real)times[i + 1] - times[i];
    return v * v * (1.0L + 2.0L * u) * values[i] + u * u * (1.0L + 2.0L * v) * values[i + 1] +
           h * u * v * (v * slopes[i] - u * slopes[i + 1]);
}

/* ---- where they are -------------------------------------------------------------------------- */

static frame screw_at(const motion_case *m, real u) {
    rvec axis = rv_unit(rv_from(m->axis)), point = rv_from(m->point);
    frame first = frame_of(m->poses[0]);
    rmat turn = rm_axis_angle(axis, u * m->angle);
    rvec x = rv_add(point, rm_apply(&turn, rv_sub(first.origin, point)));
    return (frame){rm_mul(&turn, &first.linear), rv_add(x, rv_scale(axis, u * m->travel))};
}

static rmat slerp(ov_quat a, ov_quat b, real u) {
    real p[4] = {a.w, a.x, a.y, a.z}, q[4] = {b.w, b.x, b.y, b.z}, lp = 0, lq = 0, dot = 0;
    for (int i = 0; i < 4; i++) {
        lp += p[i] * p[i], lq += q[i] * q[i], dot += p[i] * q[i];
    }
    real sign = dot < 0.0L ? -1.0L : 1.0L, minus = 0.0L, plus = 0.0L;
    for (int i = 0; i < 4; i++) {
        p[i] /= sqrtl(lp), q[i] *= sign / sqrtl(lq);
        minus += (p[i] - q[i]) * (p[i] - q[i]), plus += (p[i] + q[i]) * (p[i] + q[i]);
    }
    real angle = 2.0L * atan2l(sqrtl(minus), sqrtl(plus)), s = sinl(angle);
    real f = s > 0.0L ? sinl((1.0L - u) * angle) / s : 1.0L - u;
    real g = s > 0.0L ? sinl(u * angle) / s : u;
    return rm_quaternion(f * p[0] + g * q[0], f * p[1] + g * q[1], f * p[2] + g * q[2],
                         f * p[3] + g * q[3]);
}

static frame keys_at(const motion_case *m, real time) {
    size_t i = segment_of(m->times, m->count, time);
    frame f = {slerp(m->poses[i].rotation, m->poses[i + 1].rotation, part_of(m->times, i, time)),
               {0.0L, 0.0L, 0.0L}};
    real *to[3] = {&f.origin.x, &f.origin.y, &f.origin.z};
    for (int k = 0; k < 3; k++) {
        double values[MOTION_CASE_KEYS];
        for (size_t j = 0; j < m->count; j++) {
            ov_vec3 p = m->poses[j].position;
            values[j] = k == 0 ? p.x : k == 1 ? p.y : p.z;
        }
        *to[k] = spline_at(m->times, values, m->kind == MOTION_CASE_CUBIC ? m->moments[k] : NULL,
                           m->count, time);
    }
    return f;
}

static real bernstein(size_t degree, size_t i, real u) {
    real b = 1.0L;
    for (size_t j = 1; j <= i; j++) {
        b *= u * (real)(degree - i + j) / (real)j;
    }
    return b * powl(1.0L - u, (real)(degree - i));
}

static frame rational_at(const motion_case *m, real u) {
    real q[4] = {0}, sum = 0.0L;
    rvec x = {0.0L, 0.0L, 0.0L};
    for (size_t i = 0; i < m->turns; i++) {
        real b = bernstein(m->turns - 1, i, u);
        ov_quat r = m->poses[i].rotation;
        q[0] += b * r.w, q[1] += b * r.x, q[2] += b * r.y, q[3] += b * r.z;
    }
    for (size_t i = 0; i < m->count; i++) {
        real b = bernstein(m->count - 1, i, u) * m->weights[i];
        sum += b;
        x = rv_add(x, rv_scale(rv_from(m->poses[i].position), b));
    }
    return (frame){rm_quaternion(q[0], q[1], q[2], q[3]), rv_scale(x, 1.0L / sum)};
}

static frame affine_at(const motion_case *m, real u) {
    frame f = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {0, 0, 0}};
    real sum = 0.0L;
    for (size_t i = 0; i < m->count; i++) {
        real b = bernstein(m->count - 1, i, u) * m->weights[i];
        const ov_mat3 *l = &m->controls[i].linear;
        sum += b;
        f.origin = rv_add(f.origin, rv_scale(rv_from(m->controls[i].translation), b));
        f.linear.x = rv_add(f.linear.x, rv_scale(rv(l->cx.x, l->cy.x, l->cz.x), b));
        f.linear.y = rv_add(f.linear.y, rv_scale(rv(l->cx.y, l->cy.y, l->cz.y), b));
        f.linear.z = rv_add(f.linear.z, rv_scale(rv(l->cx.z, l->cy.z, l->cz.z), b));
    }
    f.origin = rv_scale(f.origin, 1.0L / sum);
    f.linear.x = rv_scale(f.linear.x, 1.0L / sum);
    f.linear.y = rv_scale(f.linear.y, 1.0L / sum);
    f.linear.z = rv_scale(f.linear.z, 1.0L / sum);
    return f;
}

frame motion_case_at(const motion_case *m, real time) {
    switch (m->kind) {
    case MOTION_CASE_SCREW:
        return screw_at(m, time);
    case MOTION_CASE_LINEAR:
    case MOTION_CASE_CUBIC:
        return keys_at(m, time);
    case MOTION_CASE_RATIONAL:
        return rational_at(m, time);
    case MOTION_CASE_AFFINE:
        return affine_at(m, time);
    default:
        return (frame){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    }
}

/* ---- drawing --------------------------------------------------------------------------------- */

static void draw_controls(stream *r, double size, motion_case *m) {
    for (size_t i = 0; i < m->count; i++) {
        frame f = frame_of(m->poses[0]);
        double s = 0.2;
        m->controls[i] =
            (ov_affine){{{(double)f.linear.x.x + draw_between(r, -s, s), (double)f.linear.y.x, 0.1},
                         {(double)f.linear.x.y, (double)f.linear.y.y + draw_between(r, -s, s), 0.0},
                         {(double)f.linear.x.z, draw_between(r, -s, s), (double)f.linear.z.z}},
                        ov_vec3_scale(draw_unit(r), draw_between(r, 0.0, size))};
    }
}

static ov_status make_motion(motion_case *m) {
    ov_quat turns[MOTION_CASE_KEYS];
    ov_vec3 places[MOTION_CASE_KEYS];
    for (size_t i = 0; i < MOTION_CASE_KEYS; i++) {
        turns[i] = m->poses[i].rotation;
        places[i] = m->poses[i].position;
    }
    switch (m->kind) {
    case MOTION_CASE_SCREW:
        return ov_motion_create_screw(m->poses[0], m->point, m->axis, m->angle, m->travel, 0.0, 1.0,
                                      NULL, &m->motion);
    case MOTION_CASE_LINEAR:
    case MOTION_CASE_CUBIC:
        return ov_motion_create_keys(
            m->poses, m->times, m->count,
            m->kind == MOTION_CASE_CUBIC ? OV_SPLINE_CUBIC : OV_SPLINE_LINEAR, NULL, &m->motion);
    case MOTION_CASE_RATIONAL:
        return ov_motion_create_rational(turns, m->turns, places, m->weights, m->count, 0.0, 1.0,
                                         NULL, &m->motion);
    case MOTION_CASE_AFFINE:
        return ov_motion_create_bezier(m->controls, m->weights, m->count, 0.0, 1.0, NULL,
                                       &m->motion);
    default:
        return OV_OK;
    }
}

bool draw_motion_case(stream *r, motion_case_kind kind, double size, motion_case *m,
                      ov_status *status) {
    memset(m, 0, sizeof *m);
    m->kind = kind;
    m->count = 2 + draw_index(r, MOTION_CASE_KEYS - 1);
    m->turns = 1 + draw_index(r, 4);
    for (size_t i = 0; i < MOTION_CASE_KEYS; i++) {
        m->poses[i].position = ov_vec3_scale(draw_unit(r), draw_between(r, 0.0, size));
        m->poses[i].rotation = draw_rotation(r);
        m->weights[i] = draw_log(r, 0.2, 5.0);
        m->times[i] = i == 0 ? 0.0 : m->times[i - 1] + draw_log(r, 0.05, 1.0);
    }
    for (size_t i = 0; i < MOTION_CASE_KEYS; i++) { // the last that is used ends at 1
        m->times[i] = i + 1 == m->count ? 1.0 : m->times[i] / m->times[m->count - 1];
    }
    m->point = ov_vec3_scale(draw_unit(r), draw_between(r, 0.0, size));
    m->axis = ov_vec3_scale(draw_unit(r), draw_log(r, 0.1, 10.0));
    m->angle = draw_between(r, -1.0, 1.0) * (draw_index(r, 8) == 0 ? 60.0 : 6.0);
    m->travel = draw_index(r, 3) ? draw_between(r, -1.0, 1.0) * size : 0.0;
    draw_controls(r, size, m);
    for (int k = 0; k < 3 && m->kind == MOTION_CASE_CUBIC; k++) {
        double values[MOTION_CASE_KEYS];
        for (size_t j = 0; j < m->count; j++) {
            ov_vec3 p = m->poses[j].position;
            values[j] = k == 0 ? p.x : k == 1 ? p.y : p.z;
        }
        spline_slopes(m->times, values, m->count, m->moments[k]);
    }
    *status = make_motion(m);
    return *status >= 0;
}

void motion_case_end(motion_case *m) {
    ov_motion_destroy(m->motion);
    m->motion = NULL;
}

void motion_case_print(FILE *out, const char *name, const motion_case *m) {
    static const char *const names[] = {"rest",       "screw",    "linear keys",
                                        "cubic keys", "rational", "affine"};
    fprintf(out, "  // motion of %s: %s, %zu keys, %zu turns\n", name, names[m->kind], m->count,
            m->turns);
    if (m->kind == MOTION_CASE_REST) {
        return;
    }
    if (m->kind == MOTION_CASE_SCREW) {
        pose_print(out, "first", m->poses[0]);
        fprintf(out,
                "  point {%.17g, %.17g, %.17g}, axis {%.17g, %.17g, %.17g}, angle %.17g, travel "
                "%.17g\n",
                m->point.x, m->point.y, m->point.z, m->axis.x, m->axis.y, m->axis.z, m->angle,
                m->travel);
        return;
    }
    for (size_t i = 0; i < MOTION_CASE_KEYS && m->kind != MOTION_CASE_AFFINE; i++) {
        fprintf(out, "  time %.17g, weight %.17g:", m->times[i], m->weights[i]);
        pose_print(out, "key", m->poses[i]);
    }
    for (size_t i = 0; i < m->count && m->kind == MOTION_CASE_AFFINE; i++) {
        const ov_affine *c = &m->controls[i];
        const ov_vec3 columns[4] = {c->linear.cx, c->linear.cy, c->linear.cz, c->translation};
        fprintf(out, "  weight %.17g:", m->weights[i]);
        for (int k = 0; k < 4; k++) {
            fprintf(out, " {%.17g, %.17g, %.17g}", columns[k].x, columns[k].y, columns[k].z);
        }
        fprintf(out, "\n");
    }
}
