/**
 * @file battery_motion_cases.c
 * @brief A body passing another one, and the dense search that knows what happens on the way.
 *
 * The search shares the query of a placed pair with what is measured, and nothing of the bounds on
 * motions. Between two samples a gap can dip: where the largest speed of a point would allow a
 * contact, more samples are taken until it does not. For the least gap, every sample that is no
 * larger than its neighbours is followed to the bottom by golden sections.
 */
#include "../src/math/golden.h"
#include "battery_motion.h"

#include <math.h>
#include <stdlib.h>

#define HALF_TURN 3.141592653589793

/* ---- figures */

motion_times motion_times_of(double *ns, size_t count) {
    motion_times t = {count, NAN, NAN, NAN};
    if (count > 0) {
        battery_sort(ns, count);
        t.mean = 0.0;
        for (size_t i = 0; i < count; i++) {
            t.mean += ns[i] / (double)count;
        }
        t.median = 0.5 * (ns[(count - 1) / 2] + ns[count / 2]);
        t.p99 = ns[(count - 1) * 99 / 100];
    }
    return t;
}

double motion_exponent(const double *x, const double *y, size_t count) {
    double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (size_t i = 0; i < count; i++) {
        if (x[i] > 0.0 && y[i] > 0.0) {
            double u = log(x[i]), v = log(y[i]);
            n += 1.0;
            sx += u;
            sy += v;
            sxx += u * u;
            sxy += u * v;
        }
    }
    double spread = n * sxx - sx * sx;
    return n >= 2.0 && spread > 0.0 ? (n * sxy - sx * sy) / spread : NAN;
}

/* ---- passes */

motion_pass motion_pass_draw(battery_random *r, double offset, double length, double angle_rad) {
    motion_pass p = {.offset = offset, .length = length, .angle_rad = angle_rad};
    p.along = battery_direction(r);
    ov_vec3 other = battery_direction(r);
    p.aside = ov_vec3_sub(other, ov_vec3_scale(p.along, ov_vec3_dot(other, p.along)));
    p.aside = ov_vec3_scale(p.aside, 1.0 / ov_vec3_length(p.aside));
    p.middle = battery_rotation(r);
    p.axis = battery_direction(r);
    return p;
}

void motion_case_set(const motion_pass *p, motion_case *c) {
    c->size = c->a.ball.radius + c->b.ball.radius;
    c->travel = (peer_travel){ov_vec3_scale(p->along, p->length), p->axis, p->angle_rad};
    c->pose_a.rotation =
        ov_quat_mul(ov_quat_from_axis_angle(p->axis, -0.5 * p->angle_rad), p->middle);
    ov_vec3 near = ov_vec3_add(c->pose_b.position, ov_vec3_scale(p->aside, p->offset));
    c->pose_a.position = ov_vec3_sub(near, ov_vec3_scale(p->along, 0.5 * p->length));
    c->clearance = c->first = NAN;
}

ov_pose motion_case_pose(const motion_case *c, double time) {
    ov_quat turn = ov_quat_from_axis_angle(c->travel.axis, c->travel.angle_rad * time);
    return (ov_pose){ov_vec3_add(c->pose_a.position, ov_vec3_scale(c->travel.way, time)),
                     ov_quat_mul(turn, c->pose_a.rotation)};
}

ov_motion *motion_case_motion(const motion_case *c) {
    // less than half a turn from key to key, so that the shortest arc is the one that is meant
    size_t count = 2 + (size_t)(fabs(c->travel.angle_rad) / (0.75 * HALF_TURN));
    ov_pose *poses = calloc(count, sizeof *poses);
    double *times = calloc(count, sizeof *times);
    ov_motion *motion = NULL;
    if (poses != NULL && times != NULL) {
        for (size_t i = 0; i < count; i++) {
            times[i] = (double)i / (double)(count - 1);
            poses[i] = motion_case_pose(c, times[i]);
        }
        (void)ov_motion_create_keys(poses, times, count, OV_SPLINE_LINEAR, NULL, &motion);
    }
    free(poses);
    free(times);
    return motion;
}

ov_sweep_pair motion_case_pair(const motion_case *c, const ov_motion *motion) {
    return (ov_sweep_pair){.a = &c->a,
                           .b = &c->b,
                           .motion_a = motion,
                           .pose_a = ov_pose_identity(),
                           .pose_b = c->pose_b};
}

/* ---- the dense search */

typedef struct search {
    const motion_case *c;
    ov_pair_options options;
    ov_warm_start warm;
} search;

static search search_make(const motion_case *c) {
    search s = {.c = c, .options = ov_default_pair_options()};
    s.options.depth = OV_DEPTH_LOCAL;
    return s;
}

static double gap_at(search *s, double time) {
    ov_contact contact;
    ov_status status = ov_pair_contact(&s->c->a, motion_case_pose(s->c, time), &s->c->b,
                                       s->c->pose_b, &s->options, &s->warm, &contact);
    return status >= 0 ? contact.gap : NAN;
}

static double depth_at(double time, const void *context) {
    search *const *s = context;
    return -gap_at(*s, time);
}

/** Least gap between two times, with one minimum between them. */
static double bottom(search *s, double lo, double hi) {
    enum { STEPS = 45 }; // to 4e-10 of the span: the gap is as good as it gets long before
    return -ovi_golden_max(depth_at, &s, lo, hi, STEPS).value;
}

/** No point of the moving body is faster. */
static double speed_of(const motion_case *c) {
    double arm = c->a.ball.radius + ov_vec3_length(c->a.ball.centre);
    return ov_vec3_length(c->travel.way) + fabs(c->travel.angle_rad) * arm;
}

/**
 * First contact between two times, free at the first of them; NaN: none. No gap changes faster than
 * the largest speed, so that a part whose ends are far enough away has none.
 */
static double earliest(search *s, double lo, double gap_lo, double hi, double gap_hi,
                       double speed) {
    if (gap_hi > 0.0 && gap_lo + gap_hi > speed * (hi - lo)) {
        return NAN;
    }
    double middle = 0.5 * (lo + hi);
    if (hi - lo < 1e-13 || middle <= lo || middle >= hi) {
        return gap_hi <= 0.0 ? middle : NAN;
    }
    double gap = gap_at(s, middle), found = earliest(s, lo, gap_lo, middle, gap, speed);
    return isnan(found) && gap > 0.0 ? earliest(s, middle, gap, hi, gap_hi, speed) : found;
}

/** Goes through all samples; ends at the first contact where `first` is not null. */
static double dense(const motion_case *c, size_t samples, double *first) {
    search s = search_make(c);
    double step = 1.0 / (double)samples, speed = speed_of(c), least = INFINITY;
    double before = INFINITY, here = gap_at(&s, 0.0), found = here <= 0.0 ? 0.0 : NAN;
    for (size_t i = 0; i <= samples; i++) {
        double at = (double)i * step, next = i < samples ? gap_at(&s, at + step) : INFINITY;
        double low = here;
        if (first != NULL && here > 0.0 && i < samples) {
            found = earliest(&s, at, here, at + step, next, speed);
        }
        if (first != NULL && !isnan(found)) {
            *first = found;
            return fmin(0.0, next);
        }
        if (here <= before && here <= next && here - speed * step < least) {
            low = bottom(&s, fmax(0.0, at - step), fmin(1.0, at + step));
        }
        least = fmin(least, fmin(low, here));
        before = here;
        here = next;
    }
    if (first != NULL) {
        *first = NAN;
    }
    return least;
}

double motion_clearance(const motion_case *c, size_t samples) { return dense(c, samples, NULL); }

void motion_refer(motion_case *c, size_t samples) { c->clearance = dense(c, samples, &c->first); }

bool motion_find_offset(motion_pass *pass, double clearance, size_t samples, motion_case *c) {
    double lo = 0.0, hi = 1.2 * (c->a.ball.radius + c->b.ball.radius) + fmax(0.0, clearance);
    double off = INFINITY;
    for (int i = 0; i < 60 && fabs(off) > 1e-3 * fabs(clearance); i++) {
        pass->offset = 0.5 * (lo + hi);
        motion_case_set(pass, c);
        off = motion_clearance(c, samples) - clearance;
        if (off > 0.0) {
            hi = pass->offset;
        } else {
            lo = pass->offset;
        }
    }
    c->clearance = clearance + off;
    return fabs(off) <= 0.02 * fabs(clearance);
}
