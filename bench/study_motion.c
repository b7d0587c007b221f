/**
 * @file study_motion.c
 * @brief The study of motions, `ovoid-bench motion`: an arm among obstacles, all parts together,
 * and the report.
 *
 * The arm has six joints and eight superovoids, on a trajectory of five seconds among fifty
 * obstacles: free, grazing at a millimetre, and with a contact. Obstacles are drawn at random where
 * a dense search finds the arm at least two centimetres away at all times. For the other two cases
 * the nearest of them is moved towards the arm, along the normal where they are nearest, until the
 * search says what is wanted.
 */
#include "motion.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ==== an arm ================================================================================== */

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

static bool make_trajectory(bench_random *r, arm *a) {
    static const double lower[JOINTS] = {-2.5, -1.0, 0.2, -1.5, -1.2, -2.0};
    static const double upper[JOINTS] = {2.5, 1.0, 1.6, 1.5, 1.2, 2.0};
    double times[KEYS], positions[KEYS * JOINTS];
    for (int k = 0; k < KEYS; k++) {
        times[k] = SECONDS * k / (KEYS - 1);
        for (int j = 0; j < JOINTS; j++) {
            positions[k * JOINTS + j] = bench_uniform(r, lower[j], upper[j]);
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
static bool find_trajectory(bench_random *r, arm *a, double *self) {
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

static bool draw_obstacle(bench_random *r, arm *a, size_t k) {
    double when;
    for (int tries = 0; tries < 10000; tries++) {
        ov_vec3 axes = {bench_uniform(r, 0.03, 0.12), bench_uniform(r, 0.03, 0.12),
                        bench_uniform(r, 0.03, 0.12)};
        double e1 = bench_uniform(r, 0.4, 1.0), e2 = bench_uniform(r, 0.4, 1.0);
        double taper = bench_uniform(r, -0.3, 0.3);
        if (ov_shape_make_superovoid(axes, e1, e2, taper, taper, NULL, &a->obstacles[k]) != OV_OK) {
            continue;
        }
        ov_vec3 at = ov_vec3_scale(bench_direction(r), bench_uniform(r, 0.2, 1.0));
        a->places[k] = (ov_pose){ov_vec3_add(at, ov_vec3_make(0.0, 0.0, 0.4)), bench_rotation(r)};
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
        double start = bench_now_ns();
        ov_status status = ov_sweep_model(a->model, ov_pose_identity(), a->trajectory, bodies,
                                          ARM_OBSTACLES, 0.0, SECONDS, &options, &made, NULL);
        *ns = fmin(*ns, bench_now_ns() - start);
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

bool arm_measure(uint64_t seed, const bench_progress *progress, arm_study *study) {
    bench_random r = {seed * 9u + 5u};
    arm *a = calloc(1, sizeof *a);
    *study = (arm_study){.epsilon = EPSILON, .seconds = SECONDS};
    bool good = a != NULL && make_model(a) && find_trajectory(&r, a, &study->self_clearance);
    for (size_t k = 0; k < ARM_OBSTACLES && good; k++) {
        bench_show(progress, "obstacles", k, ARM_OBSTACLES);
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

/* ==== all parts =============================================================================== */

/** `pairs`: motions of a class beside FCL, and ten times as many of superovoids; false without
 *  memory. */
static bool measure(size_t pairs, uint64_t seed, const bench_peers *peers,
                    const bench_progress *progress, motion_study *study) {
    enum { COST_PAIRS = 20, SUPEROVOIDS_A_PAIR = 10 };
    study->seed = seed;
    // fewer motions: a quick look, without the largest squares
    size_t most = pairs < 20 ? 4 : SQUARES_MAX;
    return squares_measure(most, progress, &study->squares) &&
           rivals_measure(pairs, seed, peers, progress, &study->rivals) &&
           smooth_measure(SUPEROVOIDS_A_PAIR * pairs, seed, progress, &study->smooth) &&
           arm_measure(seed, progress, &study->arm) &&
           cost_measure(pairs < COST_PAIRS ? pairs : COST_PAIRS, seed, progress, &study->cost);
}

/* ---- CSV */

/** Columns with numbers; NaN: empty. */
enum {
    COLUMN_X,
    COLUMN_COUNT,
    COLUMN_MEAN,
    COLUMN_MEDIAN,
    COLUMN_P99,
    COLUMN_PRINTED,
    COLUMN_PIECES,
    COLUMN_TESTS,
    COLUMN_QUERIES,
    COLUMN_FREE,
    COLUMN_FAILED,
    COLUMN_MISSED,
    COLUMN_ALARMS,
    COLUMN_UNDECIDED,
    COLUMN_ERROR_MEDIAN,
    COLUMN_ERROR_WORST,
    COLUMNS
};

typedef struct csv_row {
    double values[COLUMNS];
} csv_row;

static csv_row empty_row(double x) {
    csv_row row;
    for (int i = 0; i < COLUMNS; i++) {
        row.values[i] = NAN;
    }
    row.values[COLUMN_X] = x;
    return row;
}

static void set_times(csv_row *row, const bench_figures *t) {
    row->values[COLUMN_COUNT] = (double)t->count;
    row->values[COLUMN_MEAN] = t->mean;
    row->values[COLUMN_MEDIAN] = t->median;
    row->values[COLUMN_P99] = t->p99;
}

static void set_summary(csv_row *row, double ns, const ov_sweep_summary *s) {
    row->values[COLUMN_MEDIAN] = ns;
    row->values[COLUMN_PIECES] = (double)s->pieces;
    row->values[COLUMN_TESTS] = (double)s->tests;
    row->values[COLUMN_QUERIES] = (double)s->queries;
    row->values[COLUMN_FREE] = s->answer == OV_SWEEP_ANSWER_FREE ? 1.0 : 0.0;
    row->values[COLUMN_UNDECIDED] = s->answer == OV_SWEEP_ANSWER_UNDECIDED ? 1.0 : 0.0;
}

static void write_row(FILE *out, const char *part, const char *what, const char *method,
                      const csv_row *row) {
    fprintf(out, "%s,%s,%s", part, what, method);
    for (int i = 0; i < COLUMNS; i++) {
        bench_csv_number(out, row->values[i]);
    }
    fputc('\n', out);
}

static const char *const square_ways[SQUARES_WAYS] = {"all_pairs", "hierarchy"};

static void csv_squares(FILE *out, const squares_study *s) {
    static const char *const motions[SQUARES_MOTIONS] = {"collision", "near", "free"};
    static const char *const octagons[3] = {"free", "collision", "collision_first"};
    const squares_run *const runs[3] = {&s->octagons[0], &s->octagons[1], &s->octagon_first};
    for (int i = 0; i < 3; i++) {
        csv_row row = empty_row(1.0);
        set_summary(&row, runs[i]->ns, &runs[i]->summary);
        row.values[COLUMN_PRINTED] = i == 0 ? OCTAGON_PRINTED_FREE : OCTAGON_PRINTED_CONTACT;
        write_row(out, "octagons", octagons[i], square_ways[0], &row);
    }
    for (int mass = 0; mass < OV_MASS_USE_COUNT; mass++) {
        for (int k = 0; k < SQUARES_MOTIONS * SQUARES_WAYS; k++) {
            int m = k / SQUARES_WAYS, way = k % SQUARES_WAYS;
            for (size_t n = 1; n <= s->most; n++) {
                const squares_run *run = &s->tables[mass].runs[m][n - 1][way];
                csv_row row = empty_row((double)n);
                set_summary(&row, run->ns, &run->summary);
                row.values[COLUMN_PRINTED] =
                    squares_printed((ov_mass_use)mass, (squares_motion)m, n);
                write_row(out, mass == OV_MASS_USE_GLOBAL ? "squares_global" : "squares_individual",
                          motions[m], square_ways[way], &row);
            }
        }
    }
}

static void csv_more(FILE *out, const squares_study *s) {
    for (size_t k = 0; k < s->more_count; k++) {
        for (int way = 0; way < SQUARES_WAYS; way++) {
            csv_row row = empty_row((double)s->more_n[k]);
            set_summary(&row, s->more[k][way].ns, &s->more[k][way].summary);
            write_row(out, "squares_individual", "near", square_ways[way], &row);
        }
    }
}

static void csv_rivals(FILE *out, const rival_study *s) {
    static const char *const classes[RIVAL_CLASSES] = {"straight", "half_turn", "spin", "plate",
                                                       "graze"};
    for (int k = 0; k < RIVAL_SETS * RIVAL_CLASSES; k++) {
        int set = k / RIVAL_CLASSES, kind = k % RIVAL_CLASSES;
        for (size_t r = 0; r < s->row_count; r++) {
            const rival_figures *f = &s->rows[r].figures[set][kind];
            csv_row row = empty_row((double)s->contacts[set][kind]);
            if (f->asked == 0) {
                continue;
            }
            set_times(&row, &f->times);
            row.values[COLUMN_COUNT] = (double)f->asked;
            row.values[COLUMN_FAILED] = (double)f->failed;
            row.values[COLUMN_MISSED] = (double)f->missed;
            row.values[COLUMN_ALARMS] = (double)f->alarms;
            row.values[COLUMN_UNDECIDED] = (double)f->undecided;
            row.values[COLUMN_ERROR_MEDIAN] = f->error_median;
            row.values[COLUMN_ERROR_WORST] = f->error_worst;
            write_row(out, rival_set_name(set), classes[kind], s->rows[r].id, &row);
        }
    }
}

static void csv_smooth(FILE *out, const smooth_study *s) {
    const smooth_figures *const both[2] = {&s->proof, &s->first};
    for (int i = 0; i < 2; i++) {
        csv_row row = empty_row(NAN);
        set_times(&row, &both[i]->times);
        row.values[COLUMN_PIECES] = both[i]->pieces;
        row.values[COLUMN_TESTS] = both[i]->tests;
        row.values[COLUMN_QUERIES] = both[i]->queries;
        row.values[COLUMN_MISSED] = i == 0 ? (double)s->false_promises : NAN;
        row.values[COLUMN_UNDECIDED] = i == 1 ? (double)s->undecided : NAN;
        write_row(out, "superovoids", i == 0 ? "proof" : "first_contact", "ovoid", &row);
    }
}

static void csv_arm(FILE *out, const arm_study *s) {
    static const char *const cases[ARM_CASES] = {"free", "graze", "contact"};
    for (int i = 0; i < ARM_CASES; i++) {
        csv_row row = empty_row(s->runs[i].clearance);
        set_summary(&row, s->runs[i].ns, &s->runs[i].summary);
        write_row(out, "arm", cases[i], "ovoid", &row);
    }
}

static void csv_curve(FILE *out, const char *what, const cost_curve *c) {
    for (size_t k = 0; k < c->count; k++) {
        csv_row row = empty_row(c->x[k]);
        row.values[COLUMN_COUNT] = (double)c->asked[k];
        row.values[COLUMN_MEDIAN] = c->ns[k];
        row.values[COLUMN_TESTS] = c->tests[k];
        row.values[COLUMN_QUERIES] = c->queries[k];
        row.values[COLUMN_FREE] = (double)c->proven[k];
        write_row(out, "cost", what, "ovoid", &row);
    }
}

void motion_csv(FILE *out, const motion_study *s) {
    fputs("part,case,method,x,count,mean_ns,median_ns,p99_ns,printed_s,pieces,tests,queries,free,"
          "failed,missed,alarms,undecided,error_median,error_worst\n",
          out);
    csv_squares(out, &s->squares);
    csv_more(out, &s->squares);
    csv_rivals(out, &s->rivals);
    csv_smooth(out, &s->smooth);
    csv_arm(out, &s->arm);
    csv_curve(out, "clearance", &s->cost.clearance);
    csv_curve(out, "clearance_squares", &s->cost.squares);
    csv_curve(out, "length", &s->cost.length);
    csv_curve(out, "length_in_place", &s->cost.spin);
}

/* ==== the tables ============================================================================== */

static const char *const motion_names[SQUARES_MOTIONS] = {"collision", "near-collision",
                                                          "no collision"};

/* ---- [Toleranced, 7] */

static void print_octagon(FILE *out, const char *what, double printed, int tests, int depth,
                          const squares_run *run) {
    fprintf(out, "  %-36s", what);
    bench_cell(out, 9, "%.4f", printed);
    bench_cell(out, 7, "%.0f", tests > 0 ? (double)tests : NAN);
    bench_cell(out, 5, "%.0f", depth > 0 ? (double)depth : NAN);
    fprintf(out, "  %10.3f %7zu %7zu %5d  %-9s", 1e-3 * run->ns, run->summary.pieces,
            run->summary.tests, run->summary.depth, ov_sweep_answer_name(run->summary.answer));
    bench_cell(out, 8, "%.0f times", 1e9 * printed / run->ns);
    fputc('\n', out);
}

static void print_octagons(FILE *out, const squares_study *s) {
    fprintf(out,
            "Two octagons, motions of degree eight [Toleranced, 7.1]; epsilon %.3g of the "
            "diameter\n"
            "(the paper's own motions are not printed; these are after its words)\n"
            "%40s%21s  %35s\n"
            "%48s %7s %5s  %10s %7s %7s %5s  %-9s  %s\n",
            s->octagon_epsilon, "", "printed", "measured", "s", "tests", "depth", "us", "pieces",
            "tests", "depth", "answer", "faster by");
    char what[80];
    snprintf(what, sizeof what, "clear by %.3g epsilon", s->octagon_clearance[0]);
    print_octagon(out, what, OCTAGON_PRINTED_FREE, 173, 8, &s->octagons[0]);
    snprintf(what, sizeof what, "in contact, %.3g epsilon deep", -s->octagon_clearance[1]);
    print_octagon(out, what, OCTAGON_PRINTED_CONTACT, 9, 8, &s->octagons[1]);
    print_octagon(out, "the same, where it begins", OCTAGON_PRINTED_CONTACT, 9, 8,
                  &s->octagon_first);
    print_octagon(out, "half a diameter further away", NAN, 0, 0, &s->octagon_away);
}

static void print_motion(FILE *out, const squares_study *s, ov_mass_use mass, squares_motion m) {
    fprintf(out, "\n%s, %s mass (clearance %.3g epsilon)\n", motion_names[m],
            mass == OV_MASS_USE_GLOBAL ? "global" : "individual", s->clearance[m]);
    fprintf(out, "%4s %9s  %10s %10s %9s %9s  %10s %10s %9s %9s  %s\n", "n", "printed s",
            "all pairs", "faster by", "pieces", "tests", "hierarchy", "faster by", "pieces",
            "tests", "answer");
    for (size_t n = 1; n <= s->most; n++) {
        double printed = squares_printed(mass, m, n);
        fprintf(out, "%4zu %9.2f", n, printed);
        for (int way = 0; way < SQUARES_WAYS; way++) {
            const squares_run *r = &s->tables[mass].runs[m][n - 1][way];
            fprintf(out, "  %10.3f %10.0f %9zu %9zu", 1e-6 * r->ns, 1e9 * printed / r->ns,
                    r->summary.pieces, r->summary.tests);
        }
        fprintf(out, "  %s\n",
                ov_sweep_answer_name(s->tables[mass].runs[m][n - 1][1].summary.answer));
    }
    fputs("  all pairs, exponent over n^4: of the time", out);
    bench_cell(out, 0, "%.3f,", s->time_exponent[mass][m]);
    fputs(" of the tests", out);
    bench_cell(out, 0, "%.3f", s->test_exponent[mass][m]);
    fputc('\n', out);
}

/** Beyond the paper's sizes. */
static void print_more(FILE *out, const squares_study *s) {
    static const char *const ways[SQUARES_WAYS] = {"all pairs", "hierarchy"};
    if (s->more_count == 0) {
        return;
    }
    fprintf(out, "\nnear-collision, individual mass, more parts\n%4s %12s", "n", "pairs");
    for (int way = 0; way < SQUARES_WAYS; way++) {
        fprintf(out, "  %10s %10s", ways[way], "tests");
    }
    for (size_t k = 0; k < s->more_count; k++) {
        fprintf(out, "\n%4zu %12.0f", s->more_n[k], pow((double)s->more_n[k], 4.0));
        for (int way = 0; way < SQUARES_WAYS; way++) {
            fprintf(out, "  %10.3f %10zu", 1e-6 * s->more[k][way].ns,
                    s->more[k][way].summary.tests);
        }
    }
    fputc('\n', out);
    for (int way = 0; way < SQUARES_WAYS; way++) {
        fprintf(out, "  %s, exponent over n^4 from n = 10: of the time %.3f, of the tests %.3f\n",
                ways[way], s->more_time_exponent[way], s->more_test_exponent[way]);
    }
}

static void print_squares(FILE *out, const squares_study *s) {
    print_octagons(out, s);
    fprintf(out,
            "\nTwo squares in n^2 parts each [Toleranced, Tables 1 and 2]; epsilon %.3g of the "
            "diameter;\nmeasured times in ms: of every pair as in the paper, and with trees over "
            "both\n",
            s->epsilon / s->diameter);
    for (int mass = OV_MASS_USE_COUNT - 1; mass >= 0; mass--) {
        for (int m = 0; m < SQUARES_MOTIONS; m++) {
            print_motion(out, s, (ov_mass_use)mass, (squares_motion)m);
        }
    }
    print_more(out, s);
}

/* ---- beside FCL */

static void print_rival(FILE *out, const rival_row *row, const rival_figures *f) {
    fprintf(out, "  %-28s %6zu %6zu %6zu %6zu", row->name, f->asked, f->failed, f->missed,
            f->alarms);
    if (row->method == NULL) {
        fprintf(out, " %9zu", f->undecided);
    } else {
        fprintf(out, " %9s", "-"); // it has no way to say so
    }
    bench_cell(out, 10, "%.1f", 1e-3 * f->times.mean);
    bench_cell(out, 10, "%.1f", 1e-3 * f->times.median);
    bench_cell(out, 10, "%.1f", 1e-3 * f->times.p99);
    bench_cell(out, 9, "%.1e", f->error_median);
    bench_cell(out, 9, "%.1e", f->error_worst);
    fputc('\n', out);
}

static void print_rivals(FILE *out, const rival_study *s) {
    fprintf(out,
            "\nThe same motions for Ovoid and FCL, %zu of each kind; missed: called free, and a "
            "dense\nsearch finds a contact; alarms: the other way; errors of the first contact in "
            "parts of\nthe time\n",
            s->count);
    for (int k = 0; k < RIVAL_SETS * RIVAL_CLASSES; k++) {
        int set = k / RIVAL_CLASSES, kind = k % RIVAL_CLASSES;
        fprintf(out, "\n%s, %s: %zu of %zu with a contact\n", rival_set_name(set),
                rival_class_name((rival_class)kind), s->contacts[set][kind], s->count);
        fprintf(out, "  %-28s %6s %6s %6s %6s %9s %10s %10s %10s %9s %9s\n", "", "asked", "failed",
                "missed", "alarms", "undecided", "mean us", "median", "p99", "error", "worst");
        for (size_t r = 0; r < s->row_count; r++) {
            const rival_figures *f = &s->rows[r].figures[set][kind];
            if (f->asked > 0) {
                print_rival(out, &s->rows[r], f);
            }
        }
    }
    if (s->rows[s->row_count - 1].method == NULL) {
        fputs("(FCL is not there)\n", out);
    }
}

/* ---- superovoids, arm, costs */

static void print_smooth_row(FILE *out, const char *what, const smooth_figures *f) {
    fprintf(out, "  %-34s %7zu", what, f->times.count);
    bench_cell(out, 9, "%.2f", 1e-3 * f->times.mean);
    bench_cell(out, 9, "%.2f", 1e-3 * f->times.median);
    bench_cell(out, 9, "%.2f", 1e-3 * f->times.p99);
    bench_cell(out, 8, "%.1f", f->pieces);
    bench_cell(out, 8, "%.1f", f->tests);
    bench_cell(out, 8, "%.1f", f->queries);
    fputc('\n', out);
}

static void print_smooth(FILE *out, const smooth_study *s) {
    fprintf(out,
            "\nPairs of superovoids, half a turn and ten sizes of travel: %zu motions\n"
            "  %-34s %7s %9s %9s %9s %8s %8s %8s\n",
            s->count, "", "count", "mean us", "median", "p99", "pieces", "tests", "queries");
    print_smooth_row(out, "proof that it is free", &s->proof);
    print_smooth_row(out, "first contact to 1e-6 of the time", &s->first);
    fprintf(out,
            "  undecided %zu, free where the dense search finds a contact %zu, first contact "
            "outside of\n  the bounds %zu, widest bounds %.2g of the time, median clearance of the "
            "free %.2g sizes,\n  hash %016" PRIx64 "\n",
            s->undecided, s->false_promises, s->outside, s->width_worst, s->clearance_median,
            s->hash);
}

static void print_arm(FILE *out, const arm_study *s) {
    static const char *const cases[ARM_CASES] = {"free", "one obstacle grazing", "with a contact"};
    fprintf(out,
            "\nAn arm of 6 joints and 8 superovoids among %d obstacles, %.3g s, epsilon %.3g mm; "
            "least gap\nof links of its own %.3g mm\n"
            "  %-22s %9s %9s %9s %8s %8s %8s  %-9s %9s %9s\n",
            ARM_OBSTACLES, s->seconds, 1e3 * s->epsilon, 1e3 * s->self_clearance, "", "nearest mm",
            "ms", "2 threads", "pieces", "tests", "queries", "answer", "contact s", "bounds s");
    for (int i = 0; i < ARM_CASES; i++) {
        const arm_run *r = &s->runs[i];
        fprintf(out, "  %-22s %9.3f %9.3f %9.3f %8zu %8zu %8zu  %-9s", cases[i], 1e3 * r->clearance,
                1e-6 * r->ns, 1e-6 * r->ns_two, r->summary.pieces, r->summary.tests,
                r->summary.queries, ov_sweep_answer_name(r->summary.answer));
        bench_cell(out, 9, "%.5f", r->first);
        bench_cell(out, 9, "%.1e", isnan(r->first) ? NAN : r->width);
        fputc('\n', out);
    }
}

static void print_curve(FILE *out, const char *title, const char *unit, const cost_curve *c) {
    fprintf(out, "\n%s\n  %10s %8s %8s %11s %10s %10s\n", title, unit, "asked", "proven",
            "median us", "tests", "queries");
    for (size_t k = 0; k < c->count; k++) {
        fprintf(out, "  %10.4g %8zu %8zu", c->x[k], c->asked[k], c->proven[k]);
        bench_cell(out, 11, "%.2f", 1e-3 * c->ns[k]);
        bench_cell(out, 10, "%.0f", c->tests[k]);
        bench_cell(out, 10, "%.0f", c->queries[k]);
        fputc('\n', out);
    }
    fputs("  exponent of the time over the last half", out);
    bench_cell(out, 0, "%.2f", c->exponent);
    fputc('\n', out);
}

/* ---- goals */

/** Least factor by which all pairs of size n are faster than printed. */
static double least_factor(const squares_study *s, size_t n) {
    double least = INFINITY;
    for (int mass = 0; mass < OV_MASS_USE_COUNT; mass++) {
        for (int m = 0; m < SQUARES_MOTIONS; m++) {
            double printed = squares_printed((ov_mass_use)mass, (squares_motion)m, n);
            least = fmin(least, 1e9 * printed / s->tables[mass].runs[m][n - 1][0].ns);
        }
    }
    return least;
}

/** Promises of Ovoid that do not hold: called free, and first contacts outside of the bounds. */
static size_t broken_promises(const rival_study *s, size_t *outside) {
    size_t missed = 0;
    *outside = 0;
    for (size_t r = 0; r < s->row_count; r++) {
        for (int k = 0; k < RIVAL_SETS * RIVAL_CLASSES && s->rows[r].method == NULL; k++) {
            const rival_figures *f = &s->rows[r].figures[k / RIVAL_CLASSES][k % RIVAL_CLASSES];
            missed += f->missed;
            *outside += f->outside;
        }
    }
    return missed;
}

enum { GOAL_WIDTH = 66 };

static void print_goals(FILE *out, const motion_study *study) {
    const squares_study *s = &study->squares;
    char what[96];
    fprintf(out, "\nGoals%76s\n", "goal    measured");
    bench_goal(out, GOAL_WIDTH, "octagons, free, faster than printed", 100.0, false,
               1e9 * OCTAGON_PRINTED_FREE / s->octagons[0].ns);
    bench_goal(out, GOAL_WIDTH, "octagons, where the contact begins, faster than printed", 100.0,
               false, 1e9 * OCTAGON_PRINTED_CONTACT / s->octagon_first.ns);
    for (size_t n = 1; n <= s->most; n++) {
        snprintf(what, sizeof what, "squares, all pairs, faster than printed, n = %zu", n);
        bench_goal(out, GOAL_WIDTH, what, 100.0, false, least_factor(s, n));
    }
    if (s->most == SQUARES_MAX) {
        const squares_run *near =
            &s->tables[OV_MASS_USE_INDIVIDUAL].runs[SQUARES_NEAR][SQUARES_MAX - 1][1];
        bench_goal(
            out, GOAL_WIDTH, "squares, hierarchy, near-collision, faster than printed, n = 10",
            10000.0, false,
            1e9 * squares_printed(OV_MASS_USE_INDIVIDUAL, SQUARES_NEAR, SQUARES_MAX) / near->ns);
    }
    size_t outside, missed = broken_promises(&study->rivals, &outside);
    bench_goal(out, GOAL_WIDTH, "motions with a contact that Ovoid calls free", 0.0, true,
               (double)(study->smooth.false_promises + missed));
    bench_goal(out, GOAL_WIDTH, "first contacts outside of Ovoid's bounds", 0.0, true,
               (double)(study->smooth.outside + outside));
    bench_goal(out, GOAL_WIDTH, "superovoids: proof, mean us", 60.0, true,
               1e-3 * study->smooth.proof.times.mean);
    bench_goal(out, GOAL_WIDTH, "superovoids: first contact to 1e-6, mean us", 150.0, true,
               1e-3 * study->smooth.first.times.mean);
    bench_goal(out, GOAL_WIDTH, "arm among 50 obstacles, free, ms", 20.0, true,
               1e-6 * study->arm.runs[ARM_FREE].ns);
    bench_goal(out, GOAL_WIDTH, "arm, one obstacle grazing at 1 mm, ms", 20.0, true,
               1e-6 * study->arm.runs[ARM_GRAZE].ns);
    bench_goal(out, GOAL_WIDTH, "arm, with a contact, ms", 20.0, true,
               1e-6 * study->arm.runs[ARM_CONTACT].ns);
}

void motion_print(FILE *out, const motion_study *study) {
    fprintf(out, "Motions, seed %" PRIu64 "; times are the best of a few runs\n\n", study->seed);
    print_squares(out, &study->squares);
    print_rivals(out, &study->rivals);
    print_smooth(out, &study->smooth);
    print_arm(out, &study->arm);
    print_curve(out, "Cost of a proof by clearance: superovoids, half a turn, ten sizes", "sizes",
                &study->cost.clearance);
    print_curve(out, "Cost of a proof by clearance: two squares in 16 parts, hierarchy",
                "diameters", &study->cost.squares);
    print_curve(out,
                "Cost of a proof by length: superovoids, half a turn for ten sizes, clear by 0.1 "
                "sizes",
                "sizes", &study->cost.length);
    print_curve(out,
                "Cost of a proof by length: superovoids turning in place, clear by 0.1 sizes; the "
                "way of the farthest point",
                "sizes", &study->cost.spin);
    print_goals(out, study);
}

/* ==== the study */

int study_motion(cli *c, const bench_job *job) {
    motion_study *study = calloc(1, sizeof *study);
    if (study == NULL) {
        return bench_no_memory(c, "motion");
    }
    bool good = measure(job->pairs, job->seed, job->peers, job->progress, study);
    if (good) {
        progress_end(job->progress->user);
        motion_print(c->out, study);
        if (job->csv != NULL) {
            motion_csv(job->csv, study);
        }
    }
    free(study);
    return good ? CLI_OK : cli_error(c, "motion", "a motion could not be made or measured");
}
