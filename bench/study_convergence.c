/**
 * @file study_convergence.c
 * @brief How many steps the schemes take, and where they fail: over the exponents, and over the
 * distance. `ovoid-bench convergence`.
 *
 * The papers give means over a battery; here are two maps of each scheme. The first is over both
 * exponents, with the other parameters, the places and the taper drawn as in [Benchmark, 5.1]: some
 * pairs overlap. The second is over the gap and the exponent e1 = e2: bodies as before, B moved
 * along a random direction until the gap is the one wanted (bisection with Ovoid's query, whose gap
 * grows with the distance). The interior point method gets the first pairs of each cell only. What
 * an answer is worth is told by the long-double reference.
 */
#ifdef OVOID_SCHEMES

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/schemes.h>

#include "battery.h"

enum { CONVERGENCE_METHODS_MAX = 8, CONVERGENCE_ACROSS_MAX = 16, CONVERGENCE_MAPS = 2 };

typedef struct convergence_cell {
    size_t asked, solved, failed; /**< failed: not converged, or off */
    double iterations;            /**< mean over the solved; NaN where none is */
} convergence_cell;

/** Iterations of one method over two quantities; both axes list their values. */
typedef struct convergence_map {
    convergence_cell cells[CONVERGENCE_ACROSS_MAX][CONVERGENCE_ACROSS_MAX]; /**< [y][x] */
} convergence_map;

typedef struct convergence_study {
    size_t pairs; /**< a cell */
    uint64_t seed;
    size_t method_count;
    ov_scheme methods[CONVERGENCE_METHODS_MAX]; /**< OV_SCHEME_COUNT: Ovoid */
    size_t x_count[CONVERGENCE_MAPS], y_count[CONVERGENCE_MAPS];
    double x[CONVERGENCE_MAPS][CONVERGENCE_ACROSS_MAX], y[CONVERGENCE_MAPS][CONVERGENCE_ACROSS_MAX];
    convergence_map maps[CONVERGENCE_MAPS][CONVERGENCE_METHODS_MAX];
} convergence_study;

static const double exponents[] = {0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8};
static const double gaps[] = {-0.4, -0.2, -0.1, -0.03, -0.01, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0};
enum {
    EXPONENTS = sizeof exponents / sizeof exponents[0],
    GAPS = sizeof gaps / sizeof gaps[0],
    MAP_EXPONENTS = 0,
    MAP_GAPS = 1,
    INTERIOR_POINT_PAIRS = 4 /**< of a cell: it takes a thousand times longer than the others */
};

/* ---- drawing */

static bool draw_body(bench_random *r, double e1, double e2, ov_shape *shape) {
    enum { TRIES = 1000 };
    for (int i = 0; i < TRIES; i++) {
        double tx = bench_uniform(r, -0.4, 0.4), ty = bench_uniform(r, -0.4, 0.4);
        ov_vec3 a = {1.0, 1.0, 1.0};
        if (ov_shape_make_superovoid(a, e1, e2, tx, ty, NULL, shape) == OV_OK) {
            return true;
        }
    }
    return false;
}

static bool draw_pair(bench_random *r, double e1, double e2, battery_pair *p) {
    *p = (battery_pair){0};
    p->pose_a = (ov_pose){{0.0, 0.0, 0.0}, bench_rotation(r)};
    p->pose_b = (ov_pose){{0.0, BATTERY_APART, 0.0}, bench_rotation(r)};
    return draw_body(r, e1, e2, &p->a) && draw_body(r, e1, e2, &p->b);
}

/* ---- measuring */

static const char *name_of(ov_scheme method) {
    return method == OV_SCHEME_COUNT ? "Ovoid" : ov_scheme_name(method);
}

static void ask(ov_scheme method, const battery_pair *p, convergence_cell *cell) {
    double gap;
    int iterations;
    ov_status status;
    if (method == OV_SCHEME_COUNT) {
        ov_contact c;
        status = ov_pair_contact(&p->a, p->pose_a, &p->b, p->pose_b, NULL, NULL, &c);
        gap = c.gap;
        iterations = c.iterations;
    } else {
        ov_scheme_result c;
        status = ov_scheme_contact(method, &p->a, p->pose_a, &p->b, p->pose_b, NULL, &c);
        gap = c.gap;
        iterations = c.iterations;
    }
    cell->asked++;
    if (status == OV_OK) {
        cell->solved++;
        cell->iterations += iterations;
    }
    cell->failed += status != OV_OK || battery_judge_gap(p, gap) == GAP_OFF;
}

static bool measure_cell(convergence_study *s, int map, size_t x, size_t y, bench_random *r) {
    for (size_t i = 0; i < s->pairs; i++) {
        battery_pair p;
        double e1 = map == MAP_EXPONENTS ? s->x[map][x] : s->y[map][y], e2 = s->y[map][y];
        bool good = draw_pair(r, e1, e2, &p);
        if (good && map == MAP_GAPS) {
            good = battery_place_at_gap(&p.a, p.pose_a, &p.b, &p.pose_b, bench_direction(r),
                                        s->x[map][x]);
        }
        if (!good) {
            return false;
        }
        battery_refer(&p);
        for (size_t m = 0; m < s->method_count; m++) {
            if (s->methods[m] != OV_SCHEME_INTERIOR_POINT || i < INTERIOR_POINT_PAIRS) {
                ask(s->methods[m], &p, &s->maps[map][m].cells[y][x]);
            }
        }
    }
    for (size_t m = 0; m < s->method_count; m++) {
        convergence_cell *cell = &s->maps[map][m].cells[y][x];
        cell->iterations = cell->solved > 0 ? cell->iterations / (double)cell->solved : NAN;
    }
    return true;
}

static bool measure(size_t pairs, uint64_t seed, const bench_progress *progress,
                    convergence_study *s) {
    static const ov_scheme methods[] = {OV_SCHEME_OCT_IMPLICIT,    OV_SCHEME_QUAD_IMPLICIT,
                                        OV_SCHEME_QUAD_PARAMETRIC, OV_SCHEME_NTB_PARAMETRIC,
                                        OV_SCHEME_INTERIOR_POINT,  OV_SCHEME_SQP};
    bench_random r = {seed};
    memset(s, 0, sizeof *s);
    s->pairs = pairs;
    s->seed = seed;
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        if (ov_scheme_missing(methods[i]) == NULL) {
            s->methods[s->method_count++] = methods[i];
        }
    }
    s->methods[s->method_count++] = OV_SCHEME_COUNT;
    s->x_count[MAP_EXPONENTS] = s->y_count[MAP_EXPONENTS] = s->y_count[MAP_GAPS] = EXPONENTS;
    s->x_count[MAP_GAPS] = GAPS;
    memcpy(s->x[MAP_EXPONENTS], exponents, sizeof exponents);
    memcpy(s->y[MAP_EXPONENTS], exponents, sizeof exponents);
    memcpy(s->y[MAP_GAPS], exponents, sizeof exponents);
    memcpy(s->x[MAP_GAPS], gaps, sizeof gaps);
    size_t done = 0, all = EXPONENTS * (EXPONENTS + GAPS);
    for (int map = 0; map < CONVERGENCE_MAPS; map++) {
        for (size_t y = 0; y < s->y_count[map]; y++) {
            for (size_t x = 0; x < s->x_count[map]; x++) {
                if (!measure_cell(s, map, x, y, &r)) {
                    return false;
                }
                bench_show(progress, "cells of the maps measured", ++done, all);
            }
        }
    }
    return true;
}

/* ---- the tables */

static const char *const map_names[CONVERGENCE_MAPS] = {"exponents", "distance"};

static void print_map(FILE *out, const convergence_study *s, int map, size_t m) {
    fprintf(out, "\n%s, mean iterations over %s (failed of %zu)\n%8s", name_of(s->methods[m]),
            map == MAP_EXPONENTS ? "e1 (across) and e2 (down)" : "gap (across) and e1 = e2 (down)",
            s->maps[map][m].cells[0][0].asked, "");
    for (size_t x = 0; x < s->x_count[map]; x++) {
        fprintf(out, " %10g", s->x[map][x]);
    }
    fputc('\n', out);
    for (size_t y = 0; y < s->y_count[map]; y++) {
        fprintf(out, "%8g", s->y[map][y]);
        for (size_t x = 0; x < s->x_count[map]; x++) {
            const convergence_cell *cell = &s->maps[map][m].cells[y][x];
            char words[32] = "-";
            if (isfinite(cell->iterations)) {
                snprintf(words, sizeof words, "%.1f", cell->iterations);
            }
            if (cell->failed > 0) {
                size_t used = strlen(words);
                snprintf(words + used, sizeof words - used, " (%zu)", cell->failed);
            }
            fprintf(out, " %10s", words);
        }
        fputc('\n', out);
    }
}

static void print_maps(FILE *out, const convergence_study *s) {
    fprintf(
        out,
        "Iterations of the schemes (Jacobian by differences): %zu pairs of superovoids a cell, "
        "seed %llu.\na = 1, T in [-0.4, 0.4], random orientations; over the exponents the "
        "centres are 2.21 apart.\nMeans are over the pairs that a scheme calls solved; failed: "
        "it did not converge, or its gap is off\nthe long-double reference by more than %g (and "
        "the dents of the surfaces).\n",
        s->pairs, (unsigned long long)s->seed, BATTERY_RIGHT);
    for (int map = 0; map < CONVERGENCE_MAPS; map++) {
        for (size_t m = 0; m < s->method_count; m++) {
            print_map(out, s, map, m);
        }
    }
}

static void write_csv(FILE *out, const convergence_study *s) {
    fputs("map,method,e1,e2,gap,pairs,solved,failed,mean_iterations\n", out);
    for (int map = 0; map < CONVERGENCE_MAPS; map++) {
        for (size_t m = 0; m < s->method_count; m++) {
            for (size_t y = 0; y < s->y_count[map]; y++) {
                for (size_t x = 0; x < s->x_count[map]; x++) {
                    const convergence_cell *cell = &s->maps[map][m].cells[y][x];
                    double across = s->x[map][x], down = s->y[map][y];
                    fprintf(out, "%s,%s", map_names[map], name_of(s->methods[m]));
                    bench_csv_number(out, map == MAP_EXPONENTS ? across : down);
                    bench_csv_number(out, down);
                    bench_csv_number(out, map == MAP_GAPS ? across : NAN);
                    fprintf(out, ",%zu,%zu,%zu", cell->asked, cell->solved, cell->failed);
                    bench_csv_number(out, cell->iterations);
                    fputc('\n', out);
                }
            }
        }
    }
}

int study_convergence(cli *c, const bench_job *job) {
    convergence_study *study = malloc(sizeof *study);
    if (study == NULL) {
        return bench_no_memory(c, "convergence");
    }
    bool good = measure(job->pairs, job->seed, job->progress, study);
    if (good) {
        progress_end(job->progress->user);
        print_maps(c->out, study);
        if (job->csv != NULL) {
            write_csv(job->csv, study);
        }
    }
    free(study);
    return good ? CLI_OK : cli_error(c, "convergence", "a pair could not be drawn");
}

#else

#include "bench.h"

int study_convergence(cli *c, const bench_job *job) {
    (void)job;
    return bench_no_schemes(c, "convergence");
}

#endif
