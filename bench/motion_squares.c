/**
 * @file motion_squares.c
 * @brief The examples and tables of [Toleranced, 7], beside the printed times.
 *
 * The paper prints its times but not its motions. These here are made after its words: rational of
 * degree eight, the same but for a constant translation, epsilon a hundredth of the diameter, and
 * near at one corner only. The fixed polygons lie in the plane z = 0, and the moving ones stay
 * above it, so that the clearance is the least height of a moving corner: the translation that
 * makes it what it should be is read off the motion. In the near-collision it is little more than
 * twice epsilon, which is where a proof is promised and takes the most.
 */
#include "motion.h"

#include <math.h>
#include <stdlib.h>

#define QUARTER 0.7853981633974483 // of a straight angle

enum { ROTATIONS = 3, POSITIONS = 5, RUNS_MAX = 5 };

static const double long_enough_ns = 3e8; // of all runs of one sweep

/* ---- printed */

double squares_printed(ov_mass_use mass, squares_motion motion, size_t n) {
    static const double seconds[OV_MASS_USE_COUNT][SQUARES_MAX][SQUARES_MOTIONS] = {
        [OV_MASS_USE_GLOBAL] = {{0.17, 0.49, 0.11},
                                {1.58, 2.43, 1.12},
                                {5.91, 9.49, 4.57},
                                {16.07, 25.78, 12.17},
                                {35.09, 57.05, 27.60},
                                {67.41, 110.34, 54.82},
                                {118.42, 193.47, 98.25},
                                {194.16, 318.39, 164.00},
                                {300.88, 494.69, 258.29},
                                {448.09, 738.22, 388.67}},
        [OV_MASS_USE_INDIVIDUAL] = {{0.17, 0.49, 0.11},
                                    {1.21, 1.85, 0.98},
                                    {3.68, 5.99, 3.22},
                                    {9.12, 15.23, 8.27},
                                    {19.01, 32.59, 18.74},
                                    {35.69, 62.36, 36.97},
                                    {61.59, 108.64, 66.01},
                                    {99.71, 177.00, 109.79},
                                    {153.22, 274.48, 172.29},
                                    {226.60, 407.89, 258.99}}};
    return n >= 1 && n <= SQUARES_MAX ? seconds[mass][n - 1][motion] : NAN;
}

/* ---- scenes */

/** Control points of a motion: a quaternion polynomial, and positions. */
typedef struct swing {
    ov_vec3 axes[ROTATIONS];
    double angles[ROTATIONS];
    ov_vec3 positions[POSITIONS];
} swing;

/** The square comes in from the side, dips one corner, and leaves over another side. */
static const swing square_swing = {
    .axes = {{1.0, -0.6, 0.5}, {1.0, -1.0, 0.2}, {0.5, -1.0, -0.6}},
    .angles = {0.5, 1.0, 0.7},
    .positions = {
        {2.1, 1.1, 1.3}, {1.0, 0.6, 0.5}, {0.3, 0.3, 0.15}, {0.6, 1.0, 0.5}, {0.9, 2.3, 1.4}}};

/** The octagon goes over all of the other one, and is near it all the time. */
static const swing octagon_swing = {.axes = {{1.0, 0.4, 0.3}, {0.2, -1.0, 0.4}, {-1.0, 0.3, 0.8}},
                                    .angles = {0.35, 0.3, 0.4},
                                    .positions = {{-0.7, -0.2, 0.30},
                                                  {-0.3, 0.1, 0.22},
                                                  {0.0, 0.0, 0.2},
                                                  {0.3, -0.1, 0.22},
                                                  {0.7, 0.2, 0.30}}};

static ov_motion *swing_motion(const swing *s, double lift) {
    ov_quat rotations[ROTATIONS];
    ov_vec3 positions[POSITIONS];
    ov_motion *motion = NULL;
    for (int i = 0; i < ROTATIONS; i++) {
        rotations[i] = ov_quat_from_axis_angle(s->axes[i], s->angles[i]);
    }
    for (int i = 0; i < POSITIONS; i++) {
        positions[i] = ov_vec3_add(s->positions[i], ov_vec3_make(0.0, 0.0, lift));
    }
    (void)ov_motion_create_rational(rotations, ROTATIONS, positions, NULL, POSITIONS, 0.0, 1.0,
                                    NULL, &motion);
    return motion;
}

static double height_at(const ov_motion *motion, const ov_polygons *body, double time) {
    const ov_vec3 *vertices = ov_polygons_vertices(body);
    double least = INFINITY;
    ov_affine g;
    if (ov_motion_at(motion, time, &g) != OV_OK) {
        return NAN;
    }
    for (size_t i = 0; i < ov_polygons_vertex_count(body); i++) {
        least = fmin(least, ov_affine_apply(&g, vertices[i]).z);
    }
    return least;
}

/** Least height of a corner during the motion. */
static double least_height(const ov_motion *motion, const ov_polygons *body) {
    enum { SAMPLES = 500, ROUNDS = 4 };
    double lo = 0.0, hi = 1.0, least = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        double best = lo, step = (hi - lo) / SAMPLES;
        for (int i = 0; i <= SAMPLES; i++) {
            double time = lo + step * i, height = height_at(motion, body, time);
            if (height < least) {
                least = height;
                best = time;
            }
        }
        lo = fmax(0.0, best - step);
        hi = fmin(1.0, best + step);
    }
    return least;
}

/** The motion with the translation that makes the clearance. */
static bool place(const swing *s, double clearance, squares_scene *scene) {
    ov_motion *plain = scene->moving != NULL ? swing_motion(s, 0.0) : NULL;
    if (plain != NULL) {
        scene->motion = swing_motion(s, clearance - least_height(plain, scene->moving));
    }
    ov_motion_destroy(plain);
    if (scene->motion == NULL || scene->fixed == NULL) {
        squares_free(scene);
        return false;
    }
    return true;
}

static ov_polygons *divided_square(size_t n) {
    size_t row = n + 1;
    ov_vec3 *vertices = calloc(row * row, sizeof *vertices);
    uint32_t *corners = calloc(4 * n * n, sizeof *corners), *sizes = calloc(n * n, sizeof *sizes);
    ov_polygons *polygons = NULL;
    if (vertices != NULL && corners != NULL && sizes != NULL) {
        for (size_t i = 0; i < row * row; i++) {
            vertices[i] = ov_vec3_make((double)(i % row) / (double)n - 0.5,
                                       (double)(i / row) / (double)n - 0.5, 0.0);
        }
        for (size_t k = 0; k < n * n; k++) {
            uint32_t first = (uint32_t)(k / n * row + k % n), *c = &corners[4 * k];
            c[0] = first;
            c[1] = first + 1;
            c[2] = first + 1 + (uint32_t)row;
            c[3] = first + (uint32_t)row;
            sizes[k] = 4;
        }
        (void)ov_polygons_create(vertices, row * row, corners, sizes, n * n, NULL, &polygons, NULL);
    }
    free(vertices);
    free(corners);
    free(sizes);
    return polygons;
}

static ov_polygons *octagon(double radius) {
    ov_vec3 vertices[8];
    uint32_t corners[8], size = 8;
    ov_polygons *polygons = NULL;
    for (uint32_t i = 0; i < 8; i++) {
        vertices[i] = ov_vec3_make(radius * cos(QUARTER * i), radius * sin(QUARTER * i), 0.0);
        corners[i] = i;
    }
    (void)ov_polygons_create(vertices, 8, corners, &size, 1, NULL, &polygons, NULL);
    return polygons;
}

bool squares_make(size_t n, double clearance, squares_scene *scene) {
    *scene = (squares_scene){divided_square(n), divided_square(n), NULL};
    return place(&square_swing, clearance, scene);
}

/** Two octagons in the same way as squares_make. */
static bool octagons_make(double clearance, squares_scene *scene) {
    *scene = (squares_scene){octagon(0.5), octagon(0.6), NULL};
    return place(&octagon_swing, clearance, scene);
}

void squares_free(squares_scene *scene) {
    ov_polygons_destroy(scene->moving);
    ov_polygons_destroy(scene->fixed);
    ov_motion_destroy(scene->motion);
    *scene = (squares_scene){0};
}

/* ---- measuring */

ov_sweep_options squares_options(double epsilon, ov_mass_use mass, bool hierarchy) {
    ov_sweep_options options = ov_default_sweep_options();
    options.epsilon = epsilon;
    options.mass = mass;
    options.every_pair = !hierarchy;
    options.threads.count = 1; // what is timed
    return options;
}

bool squares_sweep(const squares_scene *scene, const ov_sweep_options *options, squares_run *run) {
    ov_sweep_body bodies[2] = {ov_default_sweep_body(), ov_default_sweep_body()};
    double all = 0.0;
    bodies[0].polygons = scene->moving;
    bodies[0].motion = scene->motion;
    bodies[1].polygons = scene->fixed;
    run->ns = INFINITY;
    for (int i = 0; i < RUNS_MAX && all < long_enough_ns; i++) {
        ov_sweep *sweep = NULL;
        double start = bench_now_ns();
        ov_status status = ov_sweep_bodies(bodies, 2, 0.0, 1.0, options, &sweep, NULL);
        double ns = bench_now_ns() - start;
        if (status < 0) {
            return false;
        }
        run->summary = ov_sweep_summary_of(sweep);
        run->ns = fmin(run->ns, ns);
        all += ns;
        ov_sweep_destroy(sweep);
    }
    return true;
}

/** The paper ends at the first piece that it cannot exclude, after eight halvings. */
static bool measure_octagons(squares_study *s) {
    const double clearances[4] = {3.0, -5.0, -5.0, 53.0};
    squares_run *runs[4] = {&s->octagons[0], &s->octagons[1], &s->octagon_first, &s->octagon_away};
    bool good = true;
    s->octagon_epsilon = 0.01; // the moving one is 1 across
    for (int i = 0; i < 4 && good; i++) {
        ov_sweep_options options =
            squares_options(s->octagon_epsilon, OV_MASS_USE_INDIVIDUAL, false);
        squares_scene scene;
        options.first_only = i == 2;
        options.resolution = 0x1p-8;
        good = octagons_make(clearances[i] * s->octagon_epsilon, &scene) &&
               squares_sweep(&scene, &options, runs[i]);
        squares_free(&scene);
    }
    s->octagon_clearance[0] = clearances[0];
    s->octagon_clearance[1] = clearances[1];
    return good;
}

/** Every pair, and with trees. */
static bool sweep_both(const squares_scene *scene, double epsilon, ov_mass_use mass,
                       squares_run *runs) {
    bool good = true;
    for (int way = 0; way < SQUARES_WAYS && good; way++) {
        ov_sweep_options options = squares_options(epsilon, mass, way == 1);
        good = squares_sweep(scene, &options, &runs[way]);
    }
    return good;
}

static bool measure_squares(size_t n, squares_study *s) {
    bool good = true;
    for (int m = 0; m < SQUARES_MOTIONS && good; m++) {
        squares_scene scene;
        good = squares_make(n, s->clearance[m] * s->epsilon, &scene);
        for (int mass = 0; mass < OV_MASS_USE_COUNT && good; mass++) {
            squares_run *runs = s->tables[mass].runs[m][n - 1];
            good = sweep_both(&scene, s->epsilon, (ov_mass_use)mass, runs);
        }
        squares_free(&scene);
    }
    return good;
}

/** Exponents over the number of pairs; the smallest have little but what every sweep costs. */
static void fit(squares_study *s) {
    enum { FIRST = 3 };
    for (int mass = 0; mass < OV_MASS_USE_COUNT; mass++) {
        for (int m = 0; m < SQUARES_MOTIONS; m++) {
            double x[SQUARES_MAX], ns[SQUARES_MAX], tests[SQUARES_MAX];
            size_t count = 0;
            for (size_t n = FIRST; n <= s->most; n++) {
                const squares_run *run = &s->tables[mass].runs[m][n - 1][0];
                x[count] = pow((double)n, 4.0);
                ns[count] = run->ns;
                tests[count++] = (double)run->summary.tests;
            }
            s->time_exponent[mass][m] = motion_exponent(x, ns, count);
            s->test_exponent[mass][m] = motion_exponent(x, tests, count);
        }
    }
}

/** Ten sub-squares a side are soon done: what the time tends to shows with more of them. */
static bool measure_more(const bench_progress *progress, squares_study *s) {
    static const size_t sizes[SQUARES_MORE] = {14, 20, 28, 40};
    bool good = true;
    for (size_t k = 0; k < SQUARES_MORE && good; k++) {
        squares_scene scene;
        bench_show(progress, "squares", k, SQUARES_MORE);
        good = squares_make(sizes[k], s->clearance[SQUARES_NEAR] * s->epsilon, &scene) &&
               sweep_both(&scene, s->epsilon, OV_MASS_USE_INDIVIDUAL, s->more[k]);
        squares_free(&scene);
        s->more_n[s->more_count++] = sizes[k];
    }
    for (int way = 0; way < SQUARES_WAYS && good; way++) {
        double x[SQUARES_MORE + 1], ns[SQUARES_MORE + 1], tests[SQUARES_MORE + 1];
        for (size_t k = 0; k <= SQUARES_MORE; k++) {
            const squares_run *run =
                k == 0 ? &s->tables[OV_MASS_USE_INDIVIDUAL].runs[SQUARES_NEAR][SQUARES_MAX - 1][way]
                       : &s->more[k - 1][way];
            x[k] = pow((double)(k == 0 ? SQUARES_MAX : sizes[k - 1]), 4.0);
            ns[k] = run->ns;
            tests[k] = (double)run->summary.tests;
        }
        s->more_time_exponent[way] = motion_exponent(x, ns, SQUARES_MORE + 1);
        s->more_test_exponent[way] = motion_exponent(x, tests, SQUARES_MORE + 1);
    }
    return good;
}

bool squares_measure(size_t most, const bench_progress *progress, squares_study *study) {
    *study = (squares_study){.most = most < SQUARES_MAX ? most : SQUARES_MAX};
    study->diameter = sqrt(2.0);
    study->epsilon = 0.01 * study->diameter;
    study->clearance[SQUARES_COLLISION] = -5.0;
    study->clearance[SQUARES_NEAR] = 2.1;
    study->clearance[SQUARES_FREE] = 20.0;
    bool good = measure_octagons(study);
    for (size_t n = 1; n <= study->most && good; n++) {
        bench_show(progress, "squares", n - 1, study->most);
        good = measure_squares(n, study);
    }
    if (good) {
        fit(study);
    }
    return good && (study->most < SQUARES_MAX || measure_more(progress, study));
}
