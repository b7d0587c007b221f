/**
 * @file sweep_cases.h
 * @brief What the suites of sweeps share: simple bodies and motions, and the form that every answer
 * has.
 */
#ifndef OVOID_TESTS_SWEEP_CASES_H
#define OVOID_TESTS_SWEEP_CASES_H

#include "check.h"

static const ov_pose origin = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};

static inline ov_pose at(double x, double y, double z) {
    return (ov_pose){{x, y, z}, {1.0, 0.0, 0.0, 0.0}};
}

static inline ov_motion *straight(ov_pose from, ov_pose to) {
    const ov_pose poses[2] = {from, to};
    const double times[2] = {0.0, 1.0};
    ov_motion *motion = NULL;
    CHECK_OK(ov_motion_create_keys(poses, times, 2, OV_SPLINE_LINEAR, NULL, &motion));
    return motion;
}

static inline ov_sweep_body body_of(const ov_geometry *geometry, const ov_motion *motion,
                                    ov_pose pose) {
    ov_sweep_body b = ov_default_sweep_body();
    b.geometry = geometry;
    b.motion = motion;
    b.pose = pose;
    return b;
}

/** Balls of one size along x. */
static inline ov_geometry *balls(const double *places, size_t count, double radius) {
    ov_part parts[8];
    ov_geometry *g = NULL;
    for (size_t i = 0; i < count; i++) {
        parts[i] = (ov_part){.pose = at(places[i], 0.0, 0.0)};
        CHECK_OK(ov_shape_make_sphere(radius, &parts[i].shape));
    }
    CHECK_OK(ov_geometry_create(parts, count, NULL, &g));
    return g;
}

/** Intervals in order, names in order, none touching another of the same parts; the summary. */
static inline void check_form(const ov_sweep *sweep, double start, double end) {
    size_t count;
    const ov_sweep_interval *v = ov_sweep_intervals(sweep, &count);
    ov_sweep_summary s = ov_sweep_summary_of(sweep);
    double lower = end, upper = INFINITY;
    for (size_t i = 0; i < count; i++) {
        CHECK(v[i].start >= start && v[i].end <= end && v[i].start <= v[i].end);
        CHECK(isnan(v[i].contact) || (v[i].contact >= v[i].start && v[i].contact <= v[i].end));
        CHECK(i == 0 || v[i].start >= v[i - 1].start);
        CHECK(v[i].body_a < v[i].body_b);
        lower = fmin(lower, v[i].start);
        upper = isnan(v[i].contact) ? upper : fmin(upper, v[i].contact);
        for (size_t k = 0; k < i; k++) {
            bool same = v[k].body_a == v[i].body_a && v[k].body_b == v[i].body_b &&
                        v[k].part_a == v[i].part_a && v[k].part_b == v[i].part_b;
            CHECK(!same || v[k].end < v[i].start);
        }
    }
    CHECK(s.intervals >= count);
    CHECK(s.answer == (s.intervals == 0    ? OV_SWEEP_ANSWER_FREE
                       : isfinite(s.upper) ? OV_SWEEP_ANSWER_CONTACT
                                           : OV_SWEEP_ANSWER_UNDECIDED));
    if (s.intervals == count) { // all were kept
        CHECK(s.lower == lower);
        CHECK(s.upper == upper);
    }
}

static inline bool are_same(const ov_sweep *a, const ov_sweep *b) {
    ov_sweep_summary s = ov_sweep_summary_of(a), t = ov_sweep_summary_of(b);
    size_t ca, cb;
    const ov_sweep_interval *va = ov_sweep_intervals(a, &ca), *vb = ov_sweep_intervals(b, &cb);
    bool same = ca == cb && s.answer == t.answer && s.lower == t.lower && s.upper == t.upper &&
                s.intervals == t.intervals && s.pairs == t.pairs && s.pieces == t.pieces &&
                s.tests == t.tests && s.queries == t.queries && s.depth == t.depth;
    for (size_t i = 0; same && i < ca; i++) {
        bool both = isnan(va[i].contact) && isnan(vb[i].contact);
        same = va[i].start == vb[i].start && va[i].end == vb[i].end &&
               (both || va[i].contact == vb[i].contact) && va[i].body_a == vb[i].body_a &&
               va[i].body_b == vb[i].body_b && va[i].part_a == vb[i].part_a &&
               va[i].part_b == vb[i].part_b && va[i].element == vb[i].element &&
               va[i].index_a == vb[i].index_a && va[i].index_b == vb[i].index_b;
    }
    return same;
}

#endif
