/**
 * @file battery_icub_report.c
 * @brief [Benchmark, Table 4] from the measurements, the printed figures below the measured ones,
 * the goals, and the CSV file.
 *
 * Times are over all queries that were answered at all, solved or not, as those of the paper. The
 * printed ones are of the paper's machine and of its own hands; it tells of no failures. *failed*
 * counts queries without an answer, or that the method itself calls unsolved; *wrong* answers with
 * the other relation, or with bounds that the reference lies outside of; *off* gaps that differ
 * from the reference by more than 0.01 mm.
 */
#include "battery_icub.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MILLI 1e3 // metres to millimetres

static const char *const part_names[BATTERY_PARTS] = {"near", "intersecting"};

/* ---- figures */

static void figure_times(double *ns, size_t count, icub_figures *f) {
    f->mean = f->sd = f->median = f->p99 = f->worst = NAN;
    if (count == 0) {
        return;
    }
    double sum = 0.0, squares = 0.0, n = (double)count;
    for (size_t i = 0; i < count; i++) {
        sum += ns[i];
    }
    f->mean = sum / n;
    for (size_t i = 0; i < count; i++) {
        squares += (ns[i] - f->mean) * (ns[i] - f->mean);
    }
    f->sd = sqrt(squares / n);
    battery_sort(ns, count);
    f->median = ns[count / 2];
    f->p99 = ns[(size_t)(0.99 * (n - 1.0) + 0.5)];
    f->worst = ns[count - 1];
}

static void figure_gap(const icub_query *q, double gap, icub_figures *f) {
    if (isfinite(gap)) {
        double error = (double)fabsl(gap - q->pair.gap);
        f->gaps++;
        f->off += error > ICUB_RIGHT;
        f->mean_error += error;
        f->worst_error = fmax(f->worst_error, error);
    }
    battery_hash_gap(&f->hash, isfinite(gap) ? gap : NAN);
}

icub_figures icub_figure(const icub_table *t, size_t row, battery_part part) {
    icub_figures f = {.hash = BATTERY_HASH_START};
    double *ns = calloc(t->query_count + 1, sizeof *ns);
    size_t timed = 0;
    for (size_t i = 0; i < t->query_count; i++) {
        const icub_query *q = &t->queries[i];
        const icub_result *r = &t->rows[row].results[i];
        if (q->pair.part != part) {
            continue;
        }
        f.count++;
        f.failed += r->verdict == VERDICT_NONE || r->verdict == VERDICT_UNDECIDED;
        f.wrong += r->verdict == VERDICT_WRONG;
        f.iterations += r->iterations;
        figure_gap(q, r->gap, &f);
        if (ns != NULL && isfinite(r->ns)) {
            ns[timed++] = r->ns;
        }
    }
    f.iterations = f.iterations > 0.0 ? f.iterations / (double)f.count : NAN;
    f.mean_error = f.gaps > 0 ? f.mean_error / (double)f.gaps : NAN;
    f.worst_error = f.gaps > 0 ? f.worst_error : NAN;
    figure_times(ns, timed, &f);
    free(ns);
    return f;
}

size_t icub_find_row(const icub_table *t, const char *id) {
    size_t r = 0;
    while (r < t->row_count && strcmp(t->rows[r].id, id) != 0) {
        r++;
    }
    return r;
}

static double mean_of(const icub_table *t, const char *id, battery_part part) {
    size_t r = icub_find_row(t, id);
    return r < t->row_count ? icub_figure(t, r, part).mean : NAN;
}

/* ---- the tables */

static void print_paper(FILE *out, const icub_printed *p, const char *words) {
    if (isfinite(p->mean)) {
        fprintf(out, "%-38s", words);
        battery_cell(out, 9, "%.2f", p->mean);
        battery_cell(out, 8, "%.2f", p->sd);
        fprintf(out, " %8s %8s", "", "");
        battery_cell(out, 6, "%.1f", p->iterations);
        fputc('\n', out);
    }
}

static void print_row(FILE *out, const icub_table *t, size_t r, battery_part part, double unit) {
    const icub_row *row = &t->rows[r];
    icub_figures f = icub_figure(t, r, part);
    fprintf(out, "%-38s", row->name);
    battery_cell(out, 9, "%.2f", f.mean * 1e-3);
    battery_cell(out, 8, "%.2f", f.sd * 1e-3);
    battery_cell(out, 8, "%.2f", f.median * 1e-3);
    battery_cell(out, 8, "%.2f", f.p99 * 1e-3);
    battery_cell(out, 6, "%.1f", f.iterations);
    fprintf(out, " %6zu %6zu %6zu %6zu", f.failed, f.wrong, f.gaps, f.off);
    battery_cell(out, 8, "%.1e", f.mean_error * MILLI);
    battery_cell(out, 8, "%.1e", f.worst_error * MILLI);
    battery_cell(out, 7, "%.1f", f.mean / unit);
    fputc('\n', out);
    if (part == BATTERY_OVERLAPPING) {
        bool both = isfinite(row->paper[1].mean);
        print_paper(out, &row->paper[0],
                    both ? "  as printed, for superellipsoids" : "  as printed");
        print_paper(out, &row->paper[1], "  as printed, for superovoids");
    }
}

static void print_part(FILE *out, const icub_table *t, battery_part part) {
    double unit = mean_of(t, "ovoid_coherent", part);
    if (part == BATTERY_OVERLAPPING) {
        fprintf(out, "\n[Benchmark, Table 4], %s: %zu queries of intersecting pairs\n",
                icub_version_name(t->hands->version), t->part_count[part]);
    } else {
        fprintf(out, "\n%s: %zu queries of separated pairs nearer than %g mm\n",
                icub_version_name(t->hands->version), t->part_count[part], ICUB_NEAR * MILLI);
    }
    fprintf(out, "%-38s %9s %8s %8s %8s %6s %6s %6s %6s %6s %8s %8s %7s\n", "", "mean us", "sd",
            "median", "p99", "iter", "failed", "wrong",
            part == BATTERY_OVERLAPPING ? "depths" : "gaps", "off", "mean", "worst mm", "ratio");
    for (size_t r = 0; r < t->row_count; r++) {
        print_row(out, t, r, part, unit);
    }
}

static void print_deepest(FILE *out, const icub_table *t) {
    const icub_query *deepest = NULL;
    for (size_t i = 0; i < t->query_count; i++) {
        if (deepest == NULL || t->queries[i].pair.gap < deepest->pair.gap) {
            deepest = &t->queries[i];
        }
    }
    if (deepest != NULL) {
        fprintf(out, "Least gap: %.3f mm in frame %zu, %s and %s.\n",
                (double)deepest->pair.gap * MILLI, deepest->frame,
                t->hands->surfaces[0][deepest->left].name,
                t->hands->surfaces[1][deepest->right].name);
    }
}

void icub_print(FILE *out, const icub_table *t) {
    fprintf(out,
            "Hands of the iCub, %s: %d surfaces each, %zu frames of %d pairs.\n"
            "The right hand comes towards the left one until the thumb tips touch, then turns "
            "inwards [Thesis, 6.2].\n",
            icub_version_name(t->hands->version), ICUB_SURFACES, t->hands->frame_count, ICUB_PAIRS);
    print_deepest(out, t);
    fprintf(out,
            "Reference: long double, bounded from both sides to +-%.0e mm (near), +-%.0e mm "
            "(intersecting)%s.\n",
            t->reference_error[BATTERY_SEPARATED] * MILLI,
            t->reference_error[BATTERY_OVERLAPPING] * MILLI,
            t->unsure > 0 ? "; a touch could not be told" : "");
    fprintf(out,
            "Times: best of 3 of each query, less %.0f ns of the clock. Meshes: %.0f vertices on "
            "average.\nCoherent: from where the pair's query ended in the frame before; Ovoid then "
            "follows a depth, and\nlooks for the least of all only where it says so. Ratio: to "
            "Ovoid, coherent.\n",
            t->clock_ns, t->vertices);
    if (t->missing[0] != '\0') {
        fprintf(out, "Not built: %s.\n", t->missing);
    }
    print_part(out, t, BATTERY_OVERLAPPING);
    print_part(out, t, BATTERY_SEPARATED);
}

/* ---- the goals */

/** Mean time over the queries of both parts. */
static double mean_of_all(const icub_table *t, const char *id) {
    double sum = 0.0, count = 0.0;
    for (int part = 0; part < BATTERY_PARTS; part++) {
        double n = (double)t->part_count[part];
        sum += n > 0.0 ? n * mean_of(t, id, (battery_part)part) : 0.0;
        count += n;
    }
    return sum / count;
}

static void goal(FILE *out, const char *what, double ratio) {
    static const double times = 30.0;
    fprintf(out, "  %-62s >= %.0f", what, times);
    battery_cell(out, 8, "%.1f", ratio);
    fprintf(out, "  %s\n", !isfinite(ratio) ? "not measured" : ratio >= times ? "met" : "missed");
}

static void print_depths(FILE *out, const icub_table *t) {
    size_t fcl = icub_find_row(t, "fcl_mesh_distance");
    icub_figures f = icub_figure(t, icub_find_row(t, "ovoid_coherent"), BATTERY_OVERLAPPING);
    fprintf(out, "  depths of intersecting pairs: Ovoid, coherent %zu of %zu", f.gaps, f.count);
    if (fcl < t->row_count) {
        // a mesh that stays inside its body may miss the body's contact, and give a distance
        icub_figures mesh = icub_figure(t, fcl, BATTERY_OVERLAPPING);
        fprintf(out, "; FCL mesh distance %zu", mesh.gaps - mesh.wrong);
    }
    fputs("\n", out);
}

/** Every row of Ovoid that is coherent, over every part: none is left out for being slow. */
static void print_ratios(FILE *out, const icub_table *t, const icub_row *row) {
    static const char *const fcl = "fcl_mesh_distance";
    char what[120];
    for (int part = BATTERY_PARTS - 1; part >= 0; part--) {
        battery_part p = (battery_part)part;
        snprintf(what, sizeof what, "%s: %s pairs", row->name, part_names[part]);
        goal(out, what, mean_of(t, fcl, p) / mean_of(t, row->id, p));
    }
    snprintf(what, sizeof what, "%s: all queries", row->name);
    goal(out, what, mean_of_all(t, fcl) / mean_of_all(t, row->id));
}

void icub_print_goals(FILE *out, const icub_table *const tables[ICUB_VERSIONS]) {
    for (int v = 0; v < ICUB_VERSIONS; v++) {
        const icub_table *t = tables[v];
        fprintf(out, "\nGoals, %s: mean time of FCL mesh distance over that of\n",
                icub_version_name(t->hands->version));
        for (size_t r = t->row_count; r-- > 0;) {
            if (t->rows[r].way == ICUB_OVOID && t->rows[r].coherent) {
                print_ratios(out, t, &t->rows[r]);
            }
        }
        print_depths(out, t);
    }
}

/* ---- CSV */

void icub_csv_head(FILE *out) {
    fputs("version,part,method,queries,failed,wrong,gaps,off,mean_us,sd_us,median_us,p99_us,"
          "worst_us,iterations,mean_error_mm,worst_error_mm,ratio,paper_mean_us,paper_sd_us,"
          "paper_iterations,hash\n",
          out);
}

void icub_csv(FILE *out, const icub_table *t) {
    for (int p = BATTERY_PARTS - 1; p >= 0; p--) {
        battery_part part = (battery_part)p;
        double unit = mean_of(t, "ovoid_coherent", part);
        for (size_t r = 0; r < t->row_count; r++) {
            const icub_row *row = &t->rows[r];
            icub_figures f = icub_figure(t, r, part);
            bool printed = part == BATTERY_OVERLAPPING;
            fprintf(out, "%s,%s,%s,%zu,%zu,%zu,%zu,%zu", icub_version_name(t->hands->version),
                    part_names[part], row->id, f.count, f.failed, f.wrong, f.gaps, f.off);
            const double numbers[] = {f.mean * 1e-3,
                                      f.sd * 1e-3,
                                      f.median * 1e-3,
                                      f.p99 * 1e-3,
                                      f.worst * 1e-3,
                                      f.iterations,
                                      f.mean_error * MILLI,
                                      f.worst_error * MILLI,
                                      f.mean / unit,
                                      printed ? row->paper[0].mean : NAN,
                                      printed ? row->paper[0].sd : NAN,
                                      printed ? row->paper[0].iterations : NAN};
            for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
                battery_csv_number(out, numbers[i]);
            }
            fprintf(out, ",%016llx\n", (unsigned long long)f.hash);
        }
    }
}
