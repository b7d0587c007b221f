/**
 * @file sim_motions.h
 * @brief Motions of textbooks, simulated, and how far they are from their formulas: for the tests
 * and for the study of simulations.
 *
 * Each function runs one motion with so many substeps per frame of 1/60 s and returns its error;
 * NaN if a call failed.
 */
#ifndef OVOID_BENCH_SIM_MOTIONS_H
#define OVOID_BENCH_SIM_MOTIONS_H

#include <math.h>
#include <stddef.h>

#include <ovoid/ovoid.h>

static inline ov_sim *motion_sim(bool weightless, int substeps) {
    ov_sim_options options = {.substeps = substeps, .no_sleep = true, .threads.count = 1};
    options.gravity = (ov_vec3){0.0, 0.0, weightless ? OV_ZERO : -9.81};
    ov_sim *sim = NULL;
    return ov_sim_create(&options, &sim) == OV_OK ? sim : NULL;
}

static inline ov_sim_body motion_body(ov_sim *sim, ov_sim_body_def def) {
    ov_sim_body body = 0;
    return ov_sim_add_body(sim, &def, &body) == OV_OK ? body : 0;
}

static inline ov_sim_joint motion_joint(ov_sim *sim, ov_sim_joint_def def) {
    ov_sim_joint joint = 0;
    return ov_sim_add_joint(sim, &def, &joint) == OV_OK ? joint : 0;
}

/** The state after another frame; NaN for the centre if something failed. */
static inline ov_sim_body_state motion_step(ov_sim *sim, ov_sim_body body, double dt) {
    ov_sim_body_state state = {.asleep = false};
    if (ov_sim_step(sim, dt) != OV_OK || ov_sim_body_get(sim, body, &state) != OV_OK) {
        state.centre.x = NAN;
    }
    return state;
}

/** Times of zeros that have passed: the mean interval between them. */
typedef struct motion_zeros {
    double first, last;
    int count;
} motion_zeros;

/** A value at two times, which passes zero between them or does not. */
static inline void motion_zero(motion_zeros *z, double before, double after, double time,
                               double dt) {
    if ((before > 0.0) != (after > 0.0)) {
        z->last = time + dt * before / (before - after);
        z->first = z->count++ == 0 ? z->last : z->first;
    }
}

static inline double motion_interval(const motion_zeros *z) {
    return z->count > 1 ? (z->last - z->first) / (z->count - 1) : NAN;
}

/** Complete elliptic integral of the first kind, by the arithmetic-geometric mean. */
static inline double motion_elliptic(double k) {
    double a = 1.0, b = sqrt(1.0 - k * k);
    for (int i = 0; i < 30; i++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 0.5 * 3.14159265358979323846 / a;
}

/** A ball on a rod, let go at 90 degrees, for 10 s: relative error of its period,
 *  4 K(sin 45) sqrt(I / (m g l)). Steps are single substeps, so that zeros are seen between them.
 */
static inline double motion_pendulum(ov_joint_kind kind, int substeps, double *energy_drift) {
    ov_sim *sim = motion_sim(false, 1);
    double r = 0.1, inertia = 0.4 * r * r, dt = 1.0 / (60.0 * substeps), x = 1.0;
    ov_mass ball = {.mass = 1.0, .inertia = {{inertia, 0, 0}, {0, inertia, 0}, {0, 0, inertia}}};
    ov_sim_body bob = motion_body(sim, (ov_sim_body_def){.mass = ball, .pose.position = {1, 0, 0}});
    motion_joint(sim,
                 (ov_sim_joint_def){
                     .kind = kind, .b = bob, .frame_b.position = {-1, 0, 0}, .axis = {0, 1, 0}});
    motion_zeros zeros = {0};
    for (int i = 0; i < 600 * substeps; i++) {
        double next = motion_step(sim, bob, dt).centre.x;
        motion_zero(&zeros, x, next, i * dt, dt);
        x = next;
    }
    double period = 4.0 * motion_elliptic(sqrt(0.5)) * sqrt((inertia + 1.0) / 9.81);
    ov_sim_summary s = {.joint_error = NAN};
    ov_sim_summarize(sim, &s);
    *energy_drift = fabs(s.kinetic + s.potential) / 9.81;
    ov_sim_destroy(sim);
    return s.joint_error < 1e-10 ? fabs(2.0 * motion_interval(&zeros) / period - 1.0) : NAN;
}

/** A body with moments 1, 2, 3 turns about its intermediate axis, and over again and again, for
 *  60 s: relative error of the interval, 2 K(k) / rate by Euler's equations; `*momentum` is the
 *  largest relative change of the angular momentum's length. */
static inline double motion_tumbling(int substeps, double *momentum) {
    ov_mass mass = {.mass = 1.0, .inertia = {{1, 0, 0}, {0, 2, 0}, {0, 0, 3}}};
    const ov_vec3 w = {0.01, 5.0, 0.0};
    ov_sim *sim = motion_sim(true, substeps);
    ov_sim_body body = motion_body(sim, (ov_sim_body_def){.mass = mass, .angular_velocity = w});
    // 2 T and L^2; L^2 < 2 T I2, so that in the formulas the axes 1 and 3 change places
    double energy = w.x * w.x + 2.0 * w.y * w.y, l2 = w.x * w.x + 4.0 * w.y * w.y;
    double i1 = 3.0, i2 = 2.0, i3 = 1.0;
    double rate = sqrt((i3 - i2) * (l2 - energy * i1) / (i1 * i2 * i3));
    double k2 = (i2 - i1) * (energy * i3 - l2) / ((i3 - i2) * (l2 - energy * i1)), y = w.y;
    motion_zeros zeros = {0};
    *momentum = 0.0;
    for (int i = 0; i < 3600; i++) {
        ov_sim_body_state s = motion_step(sim, body, 1.0 / 60.0);
        double next = ov_quat_rotate(ov_quat_conjugate(s.pose.rotation), s.angular_velocity).y;
        motion_zero(&zeros, y, next, i / 60.0, 1.0 / 60.0);
        y = next;
        double length = ov_vec3_length(s.angular_momentum);
        *momentum = fmax(*momentum, fabs(length / sqrt(l2) - 1.0));
    }
    ov_sim_destroy(sim);
    return fabs(motion_interval(&zeros) * rate / (2.0 * motion_elliptic(sqrt(k2))) - 1.0);
}

/** A double pendulum of two points against its equations of motion, by Runge-Kutta with small
 *  steps. */
static inline void motion_double_rates(const double y[4], double d[4]) {
    // unit masses and lengths; angles from the vertical
    double a = y[0], b = y[1], wa = y[2], wb = y[3], g = 9.81, c = cos(a - b), s = sin(a - b);
    double den = 2.0 - c * c;
    d[0] = wa, d[1] = wb;
    d[2] = (-s * (c * wa * wa + wb * wb) - g * (2.0 * sin(a) - sin(b) * c)) / den;
    d[3] = (s * (2.0 * wa * wa + c * wb * wb) - 2.0 * g * (sin(b) - sin(a) * c)) / den;
}

static inline void motion_double_reference(double y[4], double time, int steps) {
    double h = time / steps;
    for (int i = 0; i < steps; i++) {
        double k[4][4], at[4];
        const double part[4] = {0.0, 0.5, 0.5, 1.0};
        for (int s = 0; s < 4; s++) {
            for (int c = 0; c < 4; c++) {
                at[c] = y[c] + (s > 0 ? h * part[s] * k[s - 1][c] : 0.0);
            }
            motion_double_rates(at, k[s]);
        }
        for (int c = 0; c < 4; c++) {
            y[c] += h / 6.0 * (k[0][c] + 2.0 * k[1][c] + 2.0 * k[2][c] + k[3][c]);
        }
    }
}

/** Both arms let go level: distance of its tip from the reference after 2 s. */
static inline double motion_double_pendulum(int substeps) {
    double tiny = 1e-9; // points, nearly
    ov_mass point = {.mass = 1.0, .inertia = {{tiny, 0, 0}, {0, tiny, 0}, {0, 0, tiny}}};
    ov_sim *sim = motion_sim(false, substeps);
    ov_sim_body ends[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        ends[i] = motion_body(
            sim, (ov_sim_body_def){.mass = point, .pose.position = {1.0 + i, 0.0, 0.0}});
        motion_joint(sim, (ov_sim_joint_def){.kind = OV_JOINT_KIND_CONTINUOUS,
                                             .a = i == 0 ? 0 : ends[0],
                                             .b = ends[i],
                                             .frame_b.position = {-1, 0, 0},
                                             .axis = {0, 1, 0}});
    }
    ov_vec3 tip = {NAN, NAN, NAN};
    for (int i = 0; i < 120; i++) {
        tip = motion_step(sim, ends[1], 1.0 / 60.0).centre;
    }
    double level = 0.5 * 3.14159265358979323846, y[4] = {level, level, 0.0, 0.0};
    motion_double_reference(y, 2.0, 40000);
    ov_sim_destroy(sim);
    return hypot(tip.x - sin(y[0]) - sin(y[1]), tip.z + cos(y[0]) + cos(y[1]));
}

/** A heavy top with its tip held, for 5 s: relative error of the angle of its steady precession W,
 *  (I3 s - (I1 - I3) W cos a) W = m g l with the spin s. */
static inline double motion_top(int substeps) {
    double i1 = 0.6, i3 = 0.2, l = 0.5, tilt = 0.5, spin = 200.0, c = cos(tilt);
    ov_mass mass = {.mass = 1.0, .inertia = {{i1, 0, 0}, {0, i1, 0}, {0, 0, i3}}};
    double qa = -(i1 + l * l - i3) * c, qb = i3 * spin, qc = -9.81 * l;
    double rate = 2.0 * -qc / (qb + sqrt(qb * qb - 4.0 * qa * qc));
    ov_vec3 axis = {sin(tilt), 0.0, c}, centre = ov_vec3_scale(axis, l);
    ov_sim *sim = motion_sim(false, substeps);
    ov_sim_body top = motion_body(
        sim, (ov_sim_body_def){.mass = mass,
                               .pose = {centre, ov_quat_from_axis_angle((ov_vec3){0, 1, 0}, tilt)},
                               .angular_velocity = {spin * axis.x, 0.0, spin * axis.z + rate},
                               .velocity = ov_vec3_cross((ov_vec3){0, 0, rate}, centre)});
    motion_joint(sim, (ov_sim_joint_def){.kind = OV_JOINT_KIND_SPHERICAL,
                                         .b = top,
                                         .frame_b.position = {0, 0, -l}});
    ov_vec3 at = {NAN, NAN, NAN};
    for (int i = 0; i < 300; i++) {
        at = motion_step(sim, top, 1.0 / 60.0).centre;
    }
    ov_sim_destroy(sim);
    double off = remainder(atan2(at.y, at.x) - 5.0 * rate, 2.0 * 3.14159265358979323846);
    return fmax(fabs(off) / (5.0 * rate), fabs(at.z / (l * c) - 1.0));
}

/** A ball, or an ellipsoid of revolution about its axis, rolls down a slope of 0.3 rad for 1 s:
 *  relative error of its way, 5/14 g sin(a) t^2. */
static inline double motion_rolling(bool ellipsoid, int substeps) {
    ov_shape shape, plane;
    ov_vec3 half = {0.1, ellipsoid ? 0.2 : 0.1, 0.1};
    ov_geometry *body = NULL, *ground = NULL;
    double angle = 0.3, x = NAN;
    ov_sim_options options = {.substeps = substeps,
                              .mode = OV_SIM_MODE_ACCURATE,
                              .no_sleep = true,
                              .threads.count = 1,
                              .gravity = {9.81 * sin(angle), 0.0, -9.81 * cos(angle)}};
    ov_sim *sim = NULL;
    bool good = ov_shape_make_ellipsoid(half, &shape) == OV_OK &&
                ov_shape_make_halfspace((ov_vec3){0, 0, 1}, 0.0, &plane) == OV_OK &&
                ov_geometry_create(&(ov_part){.shape = shape}, 1, NULL, &body) == OV_OK &&
                ov_geometry_create(&(ov_part){.shape = plane}, 1, NULL, &ground) == OV_OK &&
                ov_sim_create(&options, &sim) == OV_OK;
    if (good) {
        motion_body(sim, (ov_sim_body_def){.geometry = ground, .kind = OV_SIM_BODY_KIND_FIXED});
        ov_sim_body ball =
            motion_body(sim, (ov_sim_body_def){.geometry = body, .pose.position = {0, 0, 0.1}});
        for (int i = 0; i < 60; i++) {
            x = motion_step(sim, ball, 1.0 / 60.0).centre.x;
        }
    }
    ov_sim_destroy(sim);
    ov_geometry_destroy(body);
    ov_geometry_destroy(ground);
    return fabs(x / (0.5 * 9.81 * sin(angle) / 1.4) - 1.0);
}

/** What a chain of six bodies with ball joints, hinges and no friction loses and gains. */
typedef struct motion_band {
    double energy;            /**< furthest from that at the start, over the most kinetic energy */
    double momentum, angular; /**< change, over the sum of the sizes of the bodies' momenta */
    double joints;            /**< how far anchors were apart, in metres */
} motion_band;

/** The bodies of the chain; false if a call failed. */
static inline bool motion_chain_add(ov_sim *sim, bool hung) {
    const ov_mass mass = {.mass = 1.0, .inertia = {{0.01, 0, 0}, {0, 0.02, 0}, {0, 0, 0.025}}};
    ov_sim_body last = 0;
    bool good = sim != NULL;
    for (int i = 0; good && i < 6; i++) {
        ov_sim_body body =
            motion_body(sim, (ov_sim_body_def){.mass = mass,
                                               .pose.position = {0.3 * i, 0, 0},
                                               .velocity = {0, 0.3 * (i - 2.5), 0.1 * i},
                                               .angular_velocity = {1.0, 0.5, 1.0}});
        ov_sim_joint_def def = {.kind =
                                    i % 2 == 0 ? OV_JOINT_KIND_SPHERICAL : OV_JOINT_KIND_CONTINUOUS,
                                .a = last,
                                .b = body,
                                .frame_a.position = {i > 0 ? 0.15 : -0.15, 0, 0},
                                .frame_b.position = {-0.15, 0, 0},
                                .axis = {0, 1, 0}};
        good = body != 0 && ((i == 0 && !hung) || motion_joint(sim, def) != 0);
        last = body;
    }
    return good;
}

/** The chain flies without weight, or is hung up at one end, for so many steps of 1/600 s. */
static inline motion_band motion_chain(bool hung, int steps) {
    ov_sim *sim = motion_sim(!hung, 1);
    motion_band band = {0};
    ov_sim_summary first, s;
    // the first step takes away what the joints do not allow of the velocities
    bool good = motion_chain_add(sim, hung) && ov_sim_step(sim, 1.0 / 600.0) == OV_OK &&
                ov_sim_summarize(sim, &first) == OV_OK;
    double most = 0.0;
    for (int i = 0; good && i < steps; i++) {
        good = ov_sim_step(sim, 1.0 / 600.0) == OV_OK && ov_sim_summarize(sim, &s) == OV_OK;
        most = fmax(most, s.kinetic);
        double energy = s.kinetic + s.potential - first.kinetic - first.potential;
        band.energy = fmax(band.energy, fabs(energy));
        // six bodies of one kilogram: (sum |p|)^2 is at most 2 * 6 kg times the energy
        double scale = sqrt(12.0 * first.kinetic);
        band.momentum =
            fmax(band.momentum, ov_vec3_length(ov_vec3_sub(s.momentum, first.momentum)) / scale);
        band.angular = fmax(
            band.angular, ov_vec3_length(ov_vec3_sub(s.angular_momentum, first.angular_momentum)) /
                              scale); // a length of one metre, the chain's
        band.joints = fmax(band.joints, s.joint_error);
    }
    ov_sim_destroy(sim);
    band.energy = good ? band.energy / most : NAN;
    return band;
}

#endif
