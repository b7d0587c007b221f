/**
 * @file test_study_motion.c
 * @brief The study of motions: its figures, its dense search and its scenes, on which all that it
 * says of others rests; and a small run of each part, whose promises must hold.
 *
 * Oracles: spheres that pass each other, in closed form; a power law; distances of triangles for
 * the heights that the squares are placed by; the printed tables by their own average column.
 */
#include "check.h"

#include "motion.h"

#include <string.h>

/* ---- figures */

static void figures(void) {
    double ns[5] = {5.0, 1.0, 4.0, 2.0, 3.0}, x[6], y[6];
    bench_figures t = bench_figure(ns, 5);
    CHECK(t.count == 5 && t.mean == 3.0 && t.median == 3.0 && t.p99 == 5.0 && t.worst == 5.0);
    CHECK_NEAR(t.sd, sqrt(2.0), 1e-15);
    CHECK(isnan(bench_figure(ns, 0).mean));
    for (int i = 0; i < 6; i++) {
        x[i] = 1.0 + i;
        y[i] = 7.0 * pow(x[i], 1.25);
    }
    CHECK_NEAR(motion_exponent(x, y, 6), 1.25, 1e-12);
    y[0] = 0.0; // has no logarithm, and is left out
    CHECK_NEAR(motion_exponent(x, y, 6), 1.25, 1e-12);
    CHECK(isnan(motion_exponent(x, y, 2)));
}

/** Totals over n^4 are the averages that are printed beside them; the two tables begin alike. */
static void printed(void) {
    static const double averages[OV_MASS_USE_COUNT][SQUARES_MOTIONS] = {
        [OV_MASS_USE_GLOBAL] = {0.04, 0.07, 0.04}, [OV_MASS_USE_INDIVIDUAL] = {0.02, 0.04, 0.03}};
    for (int m = 0; m < SQUARES_MOTIONS; m++) {
        for (int mass = 0; mass < OV_MASS_USE_COUNT; mass++) {
            double total = squares_printed((ov_mass_use)mass, (squares_motion)m, 10);
            CHECK_NEAR(total / 1e4, averages[mass][m], 0.0051);
            for (size_t n = 2; n <= 10; n++) {
                CHECK(squares_printed((ov_mass_use)mass, (squares_motion)m, n) >
                      squares_printed((ov_mass_use)mass, (squares_motion)m, n - 1));
            }
        }
        CHECK(squares_printed(OV_MASS_USE_GLOBAL, (squares_motion)m, 1) ==
              squares_printed(OV_MASS_USE_INDIVIDUAL, (squares_motion)m, 1));
    }
    CHECK(isnan(squares_printed(OV_MASS_USE_GLOBAL, SQUARES_NEAR, 11)));
}

/* ---- the dense search */

/** Spheres of radii r and s on a straight line: their distance is that of a point from it. */
static void spheres(void) {
    check_random r = check_random_make(1);
    double worst_first = 0.0, worst_clearance = 0.0;
    for (int i = 0; i < 60; i++) {
        motion_case c = {.pose_b = ov_pose_identity()};
        double ra = check_uniform(&r, 0.2, 1.0), rb = check_uniform(&r, 0.2, 1.0);
        CHECK_OK(ov_shape_make_sphere(ra, &c.a));
        CHECK_OK(ov_shape_make_sphere(rb, &c.b));
        bench_random draw = {(uint64_t)i};
        double offset = check_uniform(&r, 0.0, 2.0 * (ra + rb));
        double length = check_uniform(&r, 5.0, 30.0);
        motion_pass pass = motion_pass_draw(&draw, offset, length, check_uniform(&r, 0.0, 20.0));
        motion_case_set(&pass, &c);
        motion_refer(&c, 300);
        if (offset > ra + rb) {
            CHECK(isnan(c.first));
            worst_clearance = fmax(worst_clearance, fabs(c.clearance - (offset - ra - rb)));
        } else {
            double half = sqrt((ra + rb) * (ra + rb) - offset * offset) / length;
            worst_first = fmax(worst_first, fabs(c.first - (0.5 - half)));
            CHECK(c.clearance <= 0.0);
        }
        CHECK_NEAR(motion_clearance(&c, 300), offset - ra - rb, 1e-6);
    }
    CHECK(worst_first < 1e-7 && worst_clearance < 1e-8);
    check_worst("first contact of spheres", worst_first, 1e-7);
    check_worst("clearance of spheres", worst_clearance, 1e-8);
}

/** A pass found for a clearance has it, by a denser search. */
static void offsets(void) {
    bench_random r = {5};
    for (int i = 0; i < 2; i++) {
        motion_case c = {.pose_b = ov_pose_identity()};
        CHECK_OK(
            ov_shape_make_superovoid(ov_vec3_make(1.0, 0.7, 0.5), 0.6, 0.9, 0.2, 0.1, NULL, &c.a));
        CHECK_OK(ov_shape_make_box(ov_vec3_make(0.8, 0.4, 0.6), &c.b));
        motion_pass pass = motion_pass_draw(&r, 0.0, 20.0, M_PI);
        double wanted = i % 2 == 0 ? 0.01 : -0.01;
        CHECK(motion_find_offset(&pass, wanted, 400, &c));
        CHECK_NEAR(motion_clearance(&c, 1500), wanted, 3e-4);
    }
}

/** The motion that Ovoid gets is the one that FCL gets, many turns included. */
static void same_motion(void) {
    bench_random r = {9};
    double worst = 0.0;
    for (int kind = 0; kind < RIVAL_CLASSES; kind++) {
        motion_case c;
        while (!rival_draw(&r, kind % 2, (rival_class)kind, false, &c)) {
        }
        ov_motion *motion = motion_case_motion(&c);
        if (!CHECK(motion != NULL)) {
            return;
        }
        for (int i = 0; i <= 100; i++) {
            double time = i / 100.0;
            ov_pose pose;
            CHECK_OK(ov_motion_pose(motion, time, &pose));
            ov_vec3 p = {0.3, -0.2, 0.9};
            ov_vec3 d =
                ov_vec3_sub(ov_pose_apply(pose, p), ov_pose_apply(motion_case_pose(&c, time), p));
            worst = fmax(worst, ov_vec3_length(d));
        }
        ov_motion_destroy(motion);
    }
    CHECK(worst < 1e-11);
    check_worst("keys and constant speeds", worst, 1e-11);
}

/* ---- squares */

/** The moving and the fixed square as two triangles each. */
static double square_gap(const ov_motion *motion, double time) {
    static const double corner[4][2] = {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}};
    ov_shape halves[2];
    double least = INFINITY;
    ov_pose pose;
    CHECK_OK(ov_motion_pose(motion, time, &pose));
    for (int k = 0; k < 2; k++) {
        ov_vec3 p[3];
        for (int i = 0; i < 3; i++) {
            const double *at = corner[(2 * k + i) % 4];
            p[i] = ov_vec3_make(at[0], at[1], 0.0);
        }
        CHECK_OK(ov_shape_make_triangle(p[0], p[1], p[2], &halves[k]));
    }
    for (int k = 0; k < 4; k++) {
        ov_contact contact;
        CHECK(ov_pair_contact(&halves[k / 2], pose, &halves[k % 2], ov_pose_identity(), NULL, NULL,
                              &contact) >= 0);
        least = fmin(least, contact.gap);
    }
    return least;
}

static void squares(void) {
    static const double clearances[3] = {-0.05, 0.03, 0.3};
    const double epsilon = 0.0141;
    for (int k = 0; k < 3; k++) {
        squares_scene scene;
        if (!CHECK(squares_make(3, clearances[k], &scene))) {
            return;
        }
        double least = INFINITY;
        for (int i = 0; i <= 1000; i++) {
            least = fmin(least, square_gap(scene.motion, i / 1000.0));
        }
        if (clearances[k] > 0.0) {
            CHECK_NEAR(least, clearances[k], 1e-5);
        } else {
            CHECK(least <= 0.0);
        }
        for (int way = 0; way < 4; way++) {
            ov_sweep_options options = squares_options(epsilon, (ov_mass_use)(way % 2), way >= 2);
            squares_run run;
            CHECK(squares_sweep(&scene, &options, &run));
            CHECK(run.summary.answer == (k == 0 ? OV_SWEEP_ANSWER_CONTACT : OV_SWEEP_ANSWER_FREE));
            CHECK(run.ns > 0.0 && run.summary.tests > 0);
        }
        squares_free(&scene);
    }
}

/* ---- small runs */

static motion_study study;

static void small_runs(void) {
    bench_peers none = {0};
    CHECK(squares_measure(3, NULL, &study.squares));
    CHECK(rivals_measure(6, 3, &none, NULL, &study.rivals));
    CHECK(study.rivals.row_count == 3);
    for (size_t r = 0; r < study.rivals.row_count; r++) {
        const rival_row *row = &study.rivals.rows[r];
        for (int k = 0; k < RIVAL_SETS * RIVAL_CLASSES; k++) {
            const rival_figures *f = &row->figures[k / RIVAL_CLASSES][k % RIVAL_CLASSES];
            CHECK(f->asked == (row->polygons && k >= RIVAL_CLASSES ? 0u : 6u));
            CHECK(f->failed == 0 && f->missed == 0 && f->alarms == 0 && f->outside == 0);
            // the reference is good to the tolerance of a query over the speed
            CHECK(row->polygons || !(f->error_worst > row->resolution + 1e-7));
            CHECK(row->polygons || f->undecided == 0);
        }
    }
    CHECK(smooth_measure(40, 3, NULL, &study.smooth));
    CHECK(study.smooth.false_promises == 0 && study.smooth.outside == 0);
    CHECK(study.smooth.proof.times.count > 5 && study.smooth.first.times.count > 5);
    CHECK(study.smooth.proof.times.count + study.smooth.first.times.count == 40);
    CHECK(cost_measure(2, 3, NULL, &study.cost));
    for (size_t k = 0; k < study.cost.clearance.count; k++) {
        CHECK(study.cost.clearance.proven[k] == study.cost.clearance.asked[k]);
    }
    for (size_t k = 0; k < study.cost.spin.count; k++) {
        CHECK(study.cost.spin.proven[k] == study.cost.spin.asked[k]);
        CHECK(study.cost.length.proven[k] == study.cost.length.asked[k]);
    }
}

static void arm(void) {
    CHECK(arm_measure(3, NULL, &study.arm));
    const arm_run *r = study.arm.runs;
    CHECK(r[ARM_FREE].clearance > 0.0199 && study.arm.self_clearance > 0.0099);
    CHECK_NEAR(r[ARM_GRAZE].clearance, 1e-3, 2e-6);
    CHECK(r[ARM_CONTACT].clearance < 0.0);
    CHECK(r[ARM_FREE].summary.answer == OV_SWEEP_ANSWER_FREE);
    CHECK(r[ARM_GRAZE].summary.answer == OV_SWEEP_ANSWER_FREE);
    CHECK(r[ARM_CONTACT].summary.answer == OV_SWEEP_ANSWER_CONTACT);
    CHECK(isnan(r[ARM_FREE].first) && isnan(r[ARM_GRAZE].first));
    CHECK(r[ARM_CONTACT].first >= r[ARM_CONTACT].summary.lower - 1e-8 &&
          r[ARM_CONTACT].first <= r[ARM_CONTACT].summary.upper + 1e-8);
}

/** Tables and CSV of what was measured: whole, and without a number that is none. */
static void output(void) {
    FILE *csv = tmpfile(), *text = tmpfile();
    if (!CHECK(csv != NULL && text != NULL)) {
        return;
    }
    motion_print(text, &study);
    motion_csv(csv, &study);
    rewind(csv);
    char line[1000];
    size_t rows = 0;
    for (; fgets(line, sizeof line, csv) != NULL; rows++) {
        size_t commas = 0;
        for (const char *c = line; *c != '\0'; c++) {
            commas += *c == ',';
        }
        CHECK(commas == 18);
        CHECK(rows == 0 || (strstr(line, "nan") == NULL && strstr(line, "inf") == NULL));
    }
    // octagons, squares, two rows of boxes and one of polygons, superovoids, arm, costs
    size_t costs = study.cost.clearance.count + study.cost.squares.count + study.cost.length.count +
                   study.cost.spin.count;
    CHECK(rows == 1 + 3 + 36 + 25 + 2 + 3 + costs);
    CHECK(ftell(text) > 5000);
    fclose(csv);
    fclose(text);
}

int main(void) {
    check_suite = "study_motion";
    RUN(figures);
    RUN(printed);
    RUN(spheres);
    RUN(offsets);
    RUN(same_motion);
    RUN(squares);
    RUN(small_runs);
    RUN(arm);
    RUN(output);
    return check_finish();
}
