/**
 * @file battery_motion_arm.c
 * @brief An arm of six joints and eight superovoids on a trajectory of five seconds, among fifty
 * obstacles: free, grazing at a millimetre, and with a contact.
 *
 * Obstacles are drawn at random where a dense search finds the arm at least two centimetres away at
 * all times. For the other two cases the nearest of them is moved towards the arm, along the normal
 * where they are nearest, until the search says what is wanted.
 */
#include "battery_motion.h"

#include <math.h>
#include <stdlib.h>

enum { LINKS = 7, JOINTS = 6, PARTS = 8, KEYS = 6, SAMPLES = 600, FEW_SAMPLES = 300, RUNS = 5 };

#define SECONDS 5.0
#define EPSILON 5e-4
#define GRAZE 1e-3
#define INTO (-1e-2)
#define FREE_GAP 0.02
#define SELF_GAP 0.01

/* ---- the arm */

typedef struct arm {
    ov_model *model;
    ov_trajectory *trajectory;
    ov_shape obstacles[ARM_OBSTACLES];
    ov_pose places[ARM_OBSTACLES];
    ov_geometry *geometries[ARM_OBSTACLES];
} arm;

typedef struct arm_part {
    int link;
    ov_vec3 at, axes;
    double e1, e2, taper;
} arm_part;

static const arm_part parts[PARTS] = {
    {0, {0.0, 0.0, 0.05}, {0.10, 0.10, 0.05}, 1.0, 0.3, -0.1},
    {1, {0.0, 0.0, 0.05}, {0.06, 0.06, 0.07}, 1.0, 1.0, -0.2},
    {2, {0.0, 0.0, 0.15}, {0.045, 0.05, 0.17}, 1.0, 0.8, -0.2},
    {3, {0.0, 0.0, 0.125}, {0.04, 0.04, 0.14}, 1.0, 0.8, -0.3},
    {4, {0.0, 0.0, 0.04}, {0.03, 0.03, 0.05}, 1.0, 1.0, -0.2},
    {5, {0.0, 0.0, 0.03}, {0.035, 0.05, 0.035}, 0.5, 0.5, 0.0},
    {6, {0.0, 0.03, 0.035}, {0.012, 0.01, 0.04}, 0.8, 0.6, -0.4},
    {6, {0.0, -0.03, 0.035}, {0.012, 0.01, 0.04}, 0.8, 0.6, -0.4}};

static bool make_model(arm *a) {
    static const char *const links[LINKS] = {"base",  "shoulder", "upper_arm", "forearm",
                                             "wrist", "hand",     "fingers"};
    static const char *const joints[JOINTS] = {"turn", "lift", "elbow", "roll", "pitch", "twist"};
    static const double heights[JOINTS] = {0.1, 0.1, 0.3, 0.25, 0.08, 0.06};
    ov_part made[PARTS];
    ov_link_def link_defs[LINKS] = {{0}};
    ov_joint_def joint_defs[JOINTS];
    for (int i = 0; i < PARTS; i++) {
        const arm_part *p = &parts[i];
        made[i] = (ov_part){.pose = {p->at, ov_quat_identity()}};
        if (ov_shape_make_superovoid(p->axes, p->e1, p->e2, p->taper, p->taper, NULL,
                                     &made[i].shape) < 0) {
            return false;
        }
        ov_link_def *link = &link_defs[p->link];
        link->parts = link->part_count == 0 ? &made[i] : link->parts;
        link->part_count++;
    }
    for (int i = 0; i < LINKS; i++) {
        link_defs[i].name = links[i];
    }
    for (int i = 0; i < JOINTS; i++) {
        bool about_z = i == 0 || i == 3 || i == 5;
        joint_defs[i] = ov_default_joint_def();
        joint_defs[i].name = joints[i];
        joint_defs[i].kind = OV_JOINT_KIND_REVOLUTE;
        joint_defs[i].parent = (uint32_t)i;
        joint_defs[i].child = (uint32_t)i + 1;
        joint_defs[i].origin.position = ov_vec3_make(0.0, 0.0, heights[i]);
        joint_defs[i].axis = about_z ? ov_vec3_make(0.0, 0.0, 1.0) : ov_vec3_make(0.0, 1.0, 0.0);
        joint_defs[i].lower = -3.0;
        joint_defs[i].upper = 3.0;
    }
    return ov_model_create(link_defs, LINKS, joint_defs, JOINTS, NULL, &a->model, NULL) == OV_OK;
}

static bool make_trajectory(battery_random *r, arm *a) {
    static const double lower[JOINTS] = {-2.5, -1.0, 0.2, -1.5, -1.2, -2.0};
    static const double upper[JOINTS] = {2.5, 1.0, 1.6, 1.5, 1.2, 2.0};
    double times[KEYS], positions[KEYS * JOINTS];
    for (int k = 0; k < KEYS; k++) {
        times[k] = SECONDS * k / (KEYS - 1);
        for (int j = 0; j < JOINTS; j++) {
            positions[k * JOINTS + j] = battery_uniform(r, lower[j], upper[j]);
        }
    }
    ov_trajectory_destroy(a->trajectory);
    a->trajectory = NULL;
    return ov_trajectory_create(a->model, times, positions, NULL, KEYS, OV_SPLINE_CUBIC, NULL,
                                &a->trajectory, NULL) == OV_OK;
}

/* ---- the dense search */

/** Nearest pair of an arm part and an obstacle, or of two parts. */
typedef struct nearest {
    double gap;
    ov_vec3 normal; /**< from the part to the other */
    size_t other;
} nearest;

static void compare(const ov_shape *a, ov_pose pose_a, const ov_shape *b, ov_pose pose_b,
                    size_t other, nearest *best) {
    ov_vec3 d =
        ov_vec3_sub(ov_pose_apply(pose_b, b->ball.centre), ov_pose_apply(pose_a, a->ball.centre));
    if (ov_vec3_length(d) - a->ball.radius - b->ball.radius > best->gap) {
        return;
    }
    ov_pair_options options = ov_default_pair_options();
    ov_contact contact;
    options.depth = OV_DEPTH_LOCAL;
    if (ov_pair_contact(a, pose_a, b, pose_b, &options, NULL, &contact) >= 0 &&
        contact.gap < best->gap) {
        *best = (nearest){contact.gap, contact.normal, other};
    }
}

static ov_pose compose(ov_pose outer, ov_pose inner) {
    return (ov_pose){ov_pose_apply(outer, inner.position),
                     ov_quat_mul(outer.rotation, inner.rotation)};
}

static bool poses_at(const arm *a, double time, ov_pose *poses) {
    double positions[JOINTS];
    return ov_trajectory_at(a->trajectory, time, positions, NULL, NULL) == OV_OK &&
           ov_model_poses(a->model, ov_pose_identity(), positions, poses) == OV_OK;
}

/** Obstacles from `first` on, `count` of them, against the arm at one time. */
static nearest world_gap(const arm *a, size_t first, size_t count, double time) {
    nearest best = {.gap = INFINITY};
    ov_pose poses[LINKS];
    if (!poses_at(a, time, poses)) {
        return best;
    }
    for (size_t link = 0; link < LINKS; link++) {
        const ov_geometry *g = ov_model_link_geometry(a->model, link);
        for (size_t p = 0; p < ov_geometry_count(g); p++) {
            const ov_part *part = ov_geometry_part(g, p);
            ov_pose pose = compose(poses[link], part->pose);
            for (size_t k = first; k < first + count; k++) {
                compare(&part->shape, pose, &a->obstacles[k], a->places[k], k, &best);
            }
        }
    }
    return best;
}

static double self_gap(const arm *a, double time) {
    nearest best = {.gap = INFINITY};
    ov_pose poses[LINKS];
    if (!poses_at(a, time, poses)) {
        return -INFINITY;
    }
    for (uint32_t i = 0; i < LINKS; i++) {
        for (uint32_t k = i + 1; k < LINKS; k++) {
            const ov_geometry *g = ov_model_link_geometry(a->model, i);
            const ov_geometry *h = ov_model_link_geometry(a->model, k);
            for (size_t p = 0; p < ov_geometry_count(g) && !ov_model_is_allowed(a->model, i, k);
                 p++) {
                for (size_t q = 0; q < ov_geometry_count(h); q++) {
                    const ov_part *x = ov_geometry_part(g, p), *y = ov_geometry_part(h, q);
                    compare(&x->shape, compose(poses[i], x->pose), &y->shape,
                            compose(poses[k], y->pose), 0, &best);
                }
            }
        }
    }
    return best.gap;
}

/** Least gap of all times: samples, and a finer look at the lowest of them. A gap below `enough`
 *  is answer enough. */
static nearest least_gap(const arm *a, size_t first, size_t count, size_t samples, double enough,
                         double *when) {
    nearest best = {.gap = INFINITY};
    double lo = 0.0, hi = SECONDS;
    for (int round = 0; round < 4; round++) {
        size_t n = round == 0 ? samples : 20;
        double step = (hi - lo) / (double)n, from = lo;
        for (size_t i = 0; i <= n; i++) {
            double time = from + step * (double)i;
            nearest here = world_gap(a, first, count, time);
            if (here.gap < best.gap) {
                best = here;
                *when = time;
            }
            if (best.gap < enough) {
                return best;
            }
        }
        lo = fmax(0.0, *when - step);
        hi = fmin(SECONDS, *when + step);
    }
    return best;
}

/** Time of the first contact; NaN: none. */
static double first_contact(const arm *a) {
    double before = 0.0;
    for (size_t i = 0; i <= 4 * SAMPLES; i++) {
        double time = SECONDS * (double)i / (4 * SAMPLES);
        if (world_gap(a, 0, ARM_OBSTACLES, time).gap <= 0.0) {
            double lo = before, hi = time;
            for (int k = 0; k < 50; k++) {
                double middle = 0.5 * (lo + hi);
                bool touching = world_gap(a, 0, ARM_OBSTACLES, middle).gap <= 0.0;
                lo = touching ? lo : middle;
                hi = touching ? middle : hi;
            }
            return hi;
        }
        before = time;
    }
    return NAN;
}

/* ---- obstacles */

/** A trajectory on which the arm does not come near itself. */
static bool find_trajectory(battery_random *r, arm *a, double *self) {
    for (int tries = 0; tries < 1000; tries++) {
        if (!make_trajectory(r, a)) {
            return false;
        }
        *self = INFINITY;
        for (int i = 0; i <= FEW_SAMPLES && *self > SELF_GAP; i++) {
            *self = fmin(*self, self_gap(a, SECONDS * i / FEW_SAMPLES));
        }
        if (*self > SELF_GAP) {
            return true;
        }
    }
    return false;
}

static bool draw_obstacle(battery_random *r, arm *a, size_t k) {
    double when;
    for (int tries = 0; tries < 10000; tries++) {
        ov_vec3 axes = {battery_uniform(r, 0.03, 0.12), battery_uniform(r, 0.03, 0.12),
                        battery_uniform(r, 0.03, 0.12)};
        double e1 = battery_uniform(r, 0.4, 1.0), e2 = battery_uniform(r, 0.4, 1.0);
        double taper = battery_uniform(r, -0.3, 0.3);
        if (ov_shape_make_superovoid(axes, e1, e2, taper, taper, NULL, &a->obstacles[k]) != OV_OK) {
            continue;
        }
        ov_vec3 at = ov_vec3_scale(battery_direction(r), battery_uniform(r, 0.2, 1.0));
        a->places[k] = (ov_pose){ov_vec3_add(at, ov_vec3_make(0.0, 0.0, 0.4)), battery_rotation(r)};
        if (least_gap(a, k, 1, FEW_SAMPLES, FREE_GAP, &when).gap > FREE_GAP) {
            ov_part part = {.shape = a->obstacles[k], .pose = ov_pose_identity()};
            return ov_geometry_create(&part, 1, NULL, &a->geometries[k]) == OV_OK;
        }
    }
    return false;
}

/** Moves the nearest obstacle until its clearance is as wanted. */
static void approach(arm *a, double clearance) {
    double when;
    nearest n = least_gap(a, 0, ARM_OBSTACLES, SAMPLES, -INFINITY, &when);
    ov_vec3 from = a->places[n.other].position;
    double lo = 0.0, hi = n.gap - clearance + 0.05;
    for (int i = 0; i < 40 && hi - lo > 1e-7; i++) {
        double way = 0.5 * (lo + hi);
        a->places[n.other].position = ov_vec3_sub(from, ov_vec3_scale(n.normal, way));
        if (least_gap(a, n.other, 1, SAMPLES, clearance, &when).gap > clearance) {
            lo = way;
        } else {
            hi = way;
        }
    }
    a->places[n.other].position = ov_vec3_sub(from, ov_vec3_scale(n.normal, lo));
}

/* ---- measuring */

static bool sweep(const arm *a, unsigned threads, ov_sweep_summary *summary, double *ns) {
    ov_sweep_body bodies[ARM_OBSTACLES];
    ov_sweep_options options = ov_default_sweep_options();
    options.epsilon = EPSILON;
    options.threads.count = threads;
    for (int k = 0; k < ARM_OBSTACLES; k++) {
        bodies[k] = ov_default_sweep_body();
        bodies[k].geometry = a->geometries[k];
        bodies[k].pose = a->places[k];
    }
    *ns = INFINITY;
    for (int i = 0; i < RUNS; i++) {
        ov_sweep *made = NULL;
        double start = battery_now_ns();
        ov_status status = ov_sweep_model(a->model, ov_pose_identity(), a->trajectory, bodies,
                                          ARM_OBSTACLES, 0.0, SECONDS, &options, &made, NULL);
        *ns = fmin(*ns, battery_now_ns() - start);
        if (status < 0) {
            return false;
        }
        *summary = ov_sweep_summary_of(made);
        ov_sweep_destroy(made);
    }
    return true;
}

static bool measure_case(const arm *a, arm_run *run) {
    double when;
    ov_sweep_summary two;
    run->clearance = least_gap(a, 0, ARM_OBSTACLES, SAMPLES, -INFINITY, &when).gap;
    run->first = run->clearance <= 0.0 ? first_contact(a) : NAN;
    bool good = sweep(a, 1, &run->summary, &run->ns) && sweep(a, 2, &two, &run->ns_two);
    run->width = run->summary.upper - run->summary.lower;
    return good;
}

static void arm_free(arm *a) {
    for (int k = 0; k < ARM_OBSTACLES; k++) {
        ov_geometry_destroy(a->geometries[k]);
    }
    ov_trajectory_destroy(a->trajectory);
    ov_model_destroy(a->model);
    free(a);
}

bool arm_measure(uint64_t seed, const battery_progress *progress, arm_study *study) {
    battery_random r = {seed * 9u + 5u};
    arm *a = calloc(1, sizeof *a);
    *study = (arm_study){.epsilon = EPSILON, .seconds = SECONDS};
    bool good = a != NULL && make_model(a) && find_trajectory(&r, a, &study->self_clearance);
    for (size_t k = 0; k < ARM_OBSTACLES && good; k++) {
        battery_show(progress, "obstacles", k, ARM_OBSTACLES);
        good = draw_obstacle(&r, a, k);
    }
    good = good && measure_case(a, &study->runs[ARM_FREE]);
    if (good) {
        approach(a, GRAZE);
        good = measure_case(a, &study->runs[ARM_GRAZE]);
    }
    if (good) {
        approach(a, INTO);
        good = measure_case(a, &study->runs[ARM_CONTACT]);
    }
    if (a != NULL) {
        arm_free(a);
    }
    return good;
}
