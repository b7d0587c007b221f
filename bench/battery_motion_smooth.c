/**
 * @file battery_motion_smooth.c
 * @brief Superovoids in motion: what a proof and a first contact cost, and how the cost grows with
 * a smaller clearance and a longer way.
 *
 * Shapes are those of the battery of pairs [Benchmark, 5.1]. A typical motion is half a turn about
 * any axis and ten sizes of travel along a straight line past the other body, at an offset of up to
 * 1.2 sizes, a size being the mean diameter of both bounding balls; most of those within half a
 * size have a contact.
 */
#include "battery_motion.h"

#include <math.h>
#include <stdlib.h>

#define HALF_TURN 3.141592653589793
#define RESOLUTION 1e-6

enum { REPEATS = 3, SAMPLES = 400 };

/* ---- one motion */

/** Best time of a few runs. */
static bool ask(const motion_case *c, const ov_motion *motion, const ov_sweep_options *options,
                double clock_ns, ov_first_contact *first, double *ns) {
    ov_sweep_pair pair = motion_case_pair(c, motion);
    *ns = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        double start = battery_now_ns();
        ov_status status = ov_sweep_pair_first(&pair, 0.0, 1.0, options, first);
        *ns = fmin(*ns, fmax(0.0, battery_now_ns() - start - clock_ns));
        if (status < 0) {
            return false;
        }
    }
    return true;
}

/** Sums of one kind of motions. */
typedef struct sums {
    double *ns;
    size_t count;
    double pieces, tests, queries;
} sums;

static void add(sums *s, const ov_first_contact *first, double ns) {
    s->ns[s->count++] = ns;
    s->pieces += (double)first->pieces;
    s->tests += (double)first->tests;
    s->queries += (double)first->queries;
}

static smooth_figures figures_of(sums *s) {
    double n = s->count > 0 ? (double)s->count : NAN;
    return (smooth_figures){motion_times_of(s->ns, s->count), s->pieces / n, s->tests / n,
                            s->queries / n};
}

/* ---- typical motions */

typedef struct typical {
    sums proof, first;
    double *clearances;
    double clock_ns;
    ov_sweep_options options;
} typical;

/** Holds an answer against the dense search. */
static void judge(const motion_case *c, const ov_first_contact *first, smooth_study *study) {
    bool contact = !isnan(c->first);
    study->undecided += first->answer == OV_SWEEP_ANSWER_UNDECIDED;
    study->false_promises += first->answer == OV_SWEEP_ANSWER_FREE && contact;
    study->outside += contact && (c->first < first->lower - 1e-9 || c->first > first->upper + 1e-9);
    if (first->answer == OV_SWEEP_ANSWER_CONTACT) {
        study->width_worst = fmax(study->width_worst, first->upper - first->lower);
    }
    battery_hash_gap(&study->hash, first->lower);
    battery_hash_gap(&study->hash, first->upper);
}

static bool run_typical(battery_random *r, const battery_pair *shapes, typical *t,
                        smooth_study *study) {
    motion_case c = {.a = shapes->a, .b = shapes->b, .pose_b = shapes->pose_b};
    double size = c.a.ball.radius + c.b.ball.radius;
    motion_pass pass =
        motion_pass_draw(r, size * battery_uniform(r, 0.0, 1.2), 10.0 * size, HALF_TURN);
    motion_case_set(&pass, &c);
    motion_refer(&c, SAMPLES);
    ov_motion *motion = motion_case_motion(&c);
    ov_first_contact first;
    double ns;
    bool good = motion != NULL && ask(&c, motion, &t->options, t->clock_ns, &first, &ns);
    ov_motion_destroy(motion);
    if (!good) {
        return false;
    }
    judge(&c, &first, study);
    if (first.answer == OV_SWEEP_ANSWER_FREE) {
        t->clearances[t->proof.count] = c.clearance / c.size;
        add(&t->proof, &first, ns);
    } else {
        add(&t->first, &first, ns);
    }
    return true;
}

bool smooth_measure(size_t count, uint64_t seed, const battery_progress *progress,
                    smooth_study *study) {
    battery_random r = {seed * 3u + 11u};
    battery_cases cases;
    *study = (smooth_study){.count = count, .hash = BATTERY_HASH_START};
    double *room = calloc(3 * count, sizeof *room);
    bool good = battery_draw(BATTERY_SUPEROVOIDS, count, seed, NULL, &cases) && room != NULL;
    typical t = {.proof = {.ns = room},
                 .first = {.ns = room + count},
                 .clearances = room + 2 * count,
                 .clock_ns = battery_clock_ns(),
                 .options = ov_default_sweep_options()};
    t.options.resolution = RESOLUTION;
    t.options.threads.count = 1; // what is timed
    for (size_t i = 0; i < count && good; i++) {
        battery_show(progress, "superovoids", i, count);
        good = run_typical(&r, &cases.pairs[i], &t, study);
    }
    if (good) {
        study->clearance_median = motion_times_of(t.clearances, t.proof.count).median;
        study->proof = figures_of(&t.proof);
        study->first = figures_of(&t.first);
    }
    battery_cases_free(&cases);
    free(room);
    return good;
}

/* ---- costs */

enum { COST_PAIRS_MAX = 64 };

/** Figures of all pairs at one step of a curve. */
typedef struct cost_step {
    double ns[COST_PAIRS_MAX], tests[COST_PAIRS_MAX], queries[COST_PAIRS_MAX];
    size_t count, proven;
} cost_step;

static void end_step(cost_curve *curve, double x, cost_step *step) {
    size_t k = curve->count++;
    curve->x[k] = x;
    curve->ns[k] = motion_times_of(step->ns, step->count).median;
    curve->tests[k] = motion_times_of(step->tests, step->count).median;
    curve->queries[k] = motion_times_of(step->queries, step->count).median;
    curve->asked[k] = step->count;
    curve->proven[k] = step->proven;
}

/** One proof with an epsilon of a quarter of the clearance. */
static bool cost_one(const motion_case *c, double clearance, double clock_ns, cost_step *step) {
    ov_sweep_options options = ov_default_sweep_options();
    options.epsilon = 0.25 * clearance;
    options.threads.count = 1;
    ov_motion *motion = motion_case_motion(c);
    ov_first_contact first;
    double ns;
    bool good = motion != NULL && ask(c, motion, &options, clock_ns, &first, &ns);
    ov_motion_destroy(motion);
    if (good) {
        step->ns[step->count] = ns;
        step->tests[step->count] = (double)first.tests;
        step->queries[step->count++] = (double)first.queries;
        step->proven += first.answer == OV_SWEEP_ANSWER_FREE;
    }
    return good;
}

/** The passes of all pairs, whose middle does not change along a curve. */
typedef struct cost_pass {
    motion_case c;
    motion_pass pass;
} cost_pass;

static void cost_draw(battery_random *r, const battery_pair *shapes, cost_pass *p) {
    p->c = (motion_case){.a = shapes->a, .b = shapes->b, .pose_b = shapes->pose_b};
    double size = p->c.a.ball.radius + p->c.b.ball.radius;
    p->pass = motion_pass_draw(r, size, 10.0 * size, HALF_TURN);
    motion_case_set(&p->pass, &p->c);
}

static bool by_clearance(const cost_pass *passes, size_t pairs, double clock_ns,
                         cost_curve *curve) {
    static const double clearances[] = {1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 3e-4, 1e-4};
    bool good = true;
    for (size_t k = 0; k < sizeof clearances / sizeof clearances[0] && good; k++) {
        cost_step step = {.count = 0};
        for (size_t i = 0; i < pairs && good; i++) {
            motion_case c = passes[i].c;
            motion_pass pass = passes[i].pass;
            double clearance = clearances[k] * c.size;
            if (motion_find_offset(&pass, clearance, SAMPLES, &c)) {
                good = cost_one(&c, clearance, clock_ns, &step);
            }
        }
        end_step(curve, clearances[k], &step);
    }
    return good;
}

/**
 * Longer and longer ways, clear by a tenth of a size. In passing, the line of travel is made longer
 * at both ends, with half a turn for every ten sizes; in place, the body only turns.
 */
static bool by_length(const cost_pass *passes, size_t pairs, bool in_place, double clock_ns,
                      cost_curve *curve) {
    static const double lengths[] = {1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0};
    static const double near = 0.1;
    cost_step steps[sizeof lengths / sizeof lengths[0]] = {{.count = 0}};
    bool good = true;
    for (size_t i = 0; i < pairs && good; i++) {
        motion_case c = passes[i].c;
        motion_pass pass = passes[i].pass;
        if (in_place) {
            pass.length = 0.0;
            pass.angle_rad = 2.0 * HALF_TURN;
        }
        if (!motion_find_offset(&pass, near * c.size, SAMPLES, &c)) {
            continue;
        }
        for (size_t k = 0; k < sizeof lengths / sizeof lengths[0] && good; k++) {
            double way = lengths[k] * c.size;
            pass.length = in_place ? 0.0 : way;
            pass.angle_rad = in_place ? way / c.a.ball.radius : HALF_TURN * lengths[k] / 10.0;
            motion_case_set(&pass, &c);
            good = cost_one(&c, near * c.size, clock_ns, &steps[k]);
        }
    }
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        end_step(curve, lengths[k], &steps[k]);
    }
    return good;
}

/** The near-collision of the squares, 16 parts each, at other clearances. */
static bool by_squares(cost_curve *curve) {
    static const double clearances[] = {0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 3e-4, 1e-4};
    const double diameter = sqrt(2.0);
    bool good = true;
    for (size_t k = 0; k < sizeof clearances / sizeof clearances[0] && good; k++) {
        double clearance = clearances[k] * diameter;
        cost_step step = {.count = 1};
        ov_sweep_options options = squares_options(0.25 * clearance, OV_MASS_USE_INDIVIDUAL, true);
        squares_scene scene;
        squares_run run;
        good = squares_make(4, clearance, &scene) && squares_sweep(&scene, &options, &run);
        squares_free(&scene);
        if (good) {
            step.ns[0] = run.ns;
            step.tests[0] = (double)run.summary.tests;
            step.queries[0] = (double)run.summary.queries;
            step.proven = run.summary.answer == OV_SWEEP_ANSWER_FREE;
            end_step(curve, clearances[k], &step);
        }
    }
    return good;
}

/** Over the last half of a curve, where it is what it tends to. */
static void fit(cost_curve *curve) {
    size_t from = curve->count / 2;
    curve->exponent = motion_exponent(curve->x + from, curve->ns + from, curve->count - from);
}

bool cost_measure(size_t pairs, uint64_t seed, const battery_progress *progress,
                  cost_study *study) {
    battery_random r = {seed * 5u + 7u};
    battery_cases cases;
    *study = (cost_study){.pairs = pairs < COST_PAIRS_MAX ? pairs : COST_PAIRS_MAX};
    cost_pass *passes = calloc(COST_PAIRS_MAX, sizeof *passes);
    bool good =
        battery_draw(BATTERY_SUPEROVOIDS, study->pairs, seed + 1, NULL, &cases) && passes != NULL;
    for (size_t i = 0; i < study->pairs && good; i++) {
        cost_draw(&r, &cases.pairs[i], &passes[i]);
    }
    double clock_ns = battery_clock_ns();
    battery_show(progress, "costs", 0, 4);
    good = good && by_clearance(passes, study->pairs, clock_ns, &study->clearance);
    battery_show(progress, "costs", 1, 4);
    good = good && by_length(passes, study->pairs, false, clock_ns, &study->length);
    battery_show(progress, "costs", 2, 4);
    good = good && by_length(passes, study->pairs, true, clock_ns, &study->spin);
    battery_show(progress, "costs", 3, 4);
    good = good && by_squares(&study->squares);
    fit(&study->clearance);
    fit(&study->length);
    fit(&study->spin);
    fit(&study->squares);
    battery_cases_free(&cases);
    free(passes);
    return good;
}
