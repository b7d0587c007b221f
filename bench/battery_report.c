/**
 * @file battery_report.c
 * @brief Figures of the rows, the tables, the goals beside them, and the CSV file.
 *
 * *failed* counts answers that are wrong (the other relation, bounds that the reference lies
 * outside of) and answers that never came (NaN, exception, end of the process); *undecided* those
 * of Ovoid that say so themselves. Errors are of the gap, over all pairs for which a row offers
 * one. Times are over all pairs that were answered at all. The ratio is to Ovoid's cold mean.
 */
#include "battery.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const set_names[BATTERY_SETS] = {"superovoids", "ellipsoids"};
static const char *const part_names[BATTERY_PARTS] = {"separated", "overlapping"};

/* ---- figures */

static void figure_times(double *ns, size_t count, battery_figures *f) {
    f->mean = f->median = f->p99 = NAN;
    if (count == 0) {
        return;
    }
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += ns[i];
    }
    battery_sort(ns, count);
    f->mean = sum / (double)count;
    f->median = ns[count / 2];
    f->p99 = ns[(size_t)(0.99 * (double)(count - 1) + 0.5)];
}

void battery_hash_gap(uint64_t *hash, double gap) {
    uint64_t bits;
    memcpy(&bits, &gap, sizeof bits);
    bits = isnan(gap) ? 0 : bits; // NaN has many faces
    *hash = (*hash ^ bits) * 1099511628211u;
}

battery_figures battery_figure(const battery_table *t, size_t r, battery_part part) {
    const battery_row *row = &t->rows[r];
    battery_figures f = {.hash = BATTERY_HASH_START};
    double *ns = calloc(t->cases->count + 1, sizeof *ns);
    size_t timed = 0;
    for (size_t i = 0; i < t->cases->count; i++) {
        const battery_pair *p = &t->cases->pairs[i];
        const battery_result *result = &row->results[i];
        if (p->part != part) {
            continue;
        }
        f.count++;
        f.failed += result->verdict <= VERDICT_WRONG;
        f.undecided += result->verdict == VERDICT_UNDECIDED;
        battery_hash_gap(&f.hash, result->gap);
        if (ns != NULL && isfinite(result->ns)) {
            ns[timed++] = result->ns;
        }
        if (isfinite(result->gap)) {
            double error = (double)fabsl(result->gap - p->gap);
            f.gaps++;
            f.mean_error += error;
            f.worst_error = fmax(f.worst_error, error);
        }
    }
    bool peer = row->way == BATTERY_PEER;
    bool offers = !peer || (part == BATTERY_SEPARATED ? row->method->gives_distance
                                                      : row->method->gives_depth);
    f.gaps = offers ? f.gaps : 0;
    f.mean_error = f.gaps > 0 ? f.mean_error / (double)f.gaps : NAN;
    f.worst_error = f.gaps > 0 ? f.worst_error : NAN;
    figure_times(ns, timed, &f);
    if (row->way == BATTERY_BATCH) {
        f.median = f.p99 = NAN; // it is timed as a whole
    }
    free(ns);
    return f;
}

/* ---- tables */

void battery_cell(FILE *out, int width, const char *format, double value) {
    char text[40] = "-";
    if (isfinite(value)) {
        snprintf(text, sizeof text, format, value);
    }
    fprintf(out, " %*s", width, text);
}

static void print_part(FILE *out, const battery_table *t, battery_part part) {
    double unit = battery_figure(t, 0, part).mean;
    fprintf(out, "\n%s, %s: %zu pairs\n", set_names[t->cases->set], part_names[part],
            t->cases->part_count[part]);
    fprintf(out, "%-44s %9s %9s %9s %7s %9s %10s %11s %8s\n", "", "mean us", "median", "p99",
            "failed", "undecided", "mean error", "worst error", "ratio");
    for (size_t r = 0; r < t->row_count; r++) {
        const battery_row *row = &t->rows[r];
        battery_figures f = battery_figure(t, r, part);
        char name[120];
        snprintf(name, sizeof name, "%s", row->name);
        if (row->tolerance[part] > 0.0) {
            snprintf(name, sizeof name, "%s, tol %.0e", row->name, row->tolerance[part]);
        }
        fprintf(out, "%-44s", name);
        battery_cell(out, 9, "%.3f", f.mean * 1e-3);
        battery_cell(out, 9, "%.3f", f.median * 1e-3);
        battery_cell(out, 9, "%.3f", f.p99 * 1e-3);
        fprintf(out, " %7zu", f.failed);
        if (row->way == BATTERY_PEER) {
            fprintf(out, " %9s", "-"); // it has no way to say so
        } else {
            fprintf(out, " %9zu", f.undecided);
        }
        battery_cell(out, 10, "%.1e", f.mean_error);
        battery_cell(out, 11, "%.1e", f.worst_error);
        battery_cell(out, 8, "%.1f", f.mean / unit);
        fputc('\n', out);
    }
}

/** Mean number of vertices that a mesh of "at most so many" has, over the first shapes. */
static double mesh_vertices(const battery_cases *c, size_t most) {
    enum { SHAPES = 100 };
    size_t count = c->count < SHAPES ? c->count : SHAPES;
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        ov_mesh_options options = {.vertices = most};
        ov_mesh_plan plan = {0};
        ov_shape_mesh_plan(&c->pairs[i].a, &options, &plan);
        sum += (double)plan.vertex_count;
    }
    return count > 0 ? sum / (double)count : 0.0;
}

static void print_meshes(FILE *out, const battery_table *t) {
    size_t last = 0;
    for (size_t r = 0; r < t->row_count; r++) {
        size_t vertices = t->rows[r].vertices;
        if (vertices > last) {
            fprintf(out, "%s%zu vertices (on average %.0f)", last == 0 ? "Meshes: at most " : ", ",
                    vertices, mesh_vertices(t->cases, vertices));
            last = vertices;
        }
    }
    fputs(last > 0 ? "; whole rings only.\n" : "", out);
}

void battery_print(FILE *out, const battery_table *t) {
    const battery_cases *c = t->cases;
    fprintf(out, "Battery of %s: %zu pairs, seed %llu.\n", set_names[c->set], c->count,
            (unsigned long long)c->seed);
    if (c->set == BATTERY_SUPEROVOIDS) {
        fprintf(out,
                "a = 1, centres 2.21 apart, e in [0.3, 1.1], T in [-0.4, 0.4] [Benchmark, 5.1]; "
                "%zu shapes\nwith a dent above 5 %% of the semi-axis were drawn again.\n",
                c->redrawn);
    } else {
        fputs("Semi-axes in [0.3, 1.5], every other pair overlapping.\n", out);
    }
    fprintf(out,
            "Reference: long double, bounded from both sides to +-%.0e (separated), +-%.0e "
            "(overlapping)%s.\n",
            c->reference_error[BATTERY_SEPARATED], c->reference_error[BATTERY_OVERLAPPING],
            c->unsure > 0 ? "; some pairs could not be told apart" : "");
    fprintf(out,
            "Times: best of 3 of each query, less %.0f ns of the clock; tolerance of Ovoid "
            "1e-9, global depth.\n",
            t->clock_ns);
    print_meshes(out, t);
    print_part(out, t, BATTERY_SEPARATED);
    print_part(out, t, BATTERY_OVERLAPPING);
}

/* ---- CSV */

void battery_csv_head(FILE *out) {
    fputs("battery,part,method,vertices,tolerance,pairs,failed,undecided,mean_us,median_us,p99_us,"
          "gaps,mean_error,worst_error,ratio,hash\n",
          out);
}

void battery_csv_number(FILE *out, double value) {
    if (isfinite(value)) {
        fprintf(out, ",%.17g", value);
    } else {
        fputc(',', out);
    }
}

void battery_csv(FILE *out, const battery_table *t) {
    for (int part = 0; part < BATTERY_PARTS; part++) {
        double unit = battery_figure(t, 0, (battery_part)part).mean;
        for (size_t r = 0; r < t->row_count; r++) {
            const battery_row *row = &t->rows[r];
            battery_figures f = battery_figure(t, r, (battery_part)part);
            fprintf(out, "%s,%s,%s,%zu", set_names[t->cases->set], part_names[part], row->id,
                    row->vertices);
            battery_csv_number(out, row->tolerance[part] > 0.0 ? row->tolerance[part] : NAN);
            fprintf(out, ",%zu,%zu,%zu", f.count, f.failed, f.undecided);
            battery_csv_number(out, f.mean * 1e-3);
            battery_csv_number(out, f.median * 1e-3);
            battery_csv_number(out, f.p99 * 1e-3);
            fprintf(out, ",%zu", f.gaps);
            battery_csv_number(out, f.mean_error);
            battery_csv_number(out, f.worst_error);
            battery_csv_number(out, f.mean / unit);
            fprintf(out, ",%016llx\n", (unsigned long long)f.hash);
        }
    }
}

/* ---- goals */

static void goal(FILE *out, const char *what, const char *sign, double limit, double measured,
                 const char *unit) {
    const char *word = "not measured";
    if (isfinite(measured)) {
        bool met = sign[0] == '<' ? measured <= limit : measured >= limit;
        word = met ? "met" : "missed";
    }
    fprintf(out, "  %-83s %s %5g %-6s", what, sign, limit, unit);
    battery_cell(out, 10, measured >= 100.0 ? "%.0f" : "%.2f", measured);
    fprintf(out, "  %s\n", word);
}

static size_t find_row(const battery_table *t, const char *id) {
    for (size_t r = 0; r < t->row_count; r++) {
        if (strcmp(t->rows[r].id, id) == 0) {
            return r;
        }
    }
    return t->row_count;
}

static double mean_us(const battery_table *t, const char *id, battery_part part) {
    size_t r = find_row(t, id);
    return r < t->row_count ? battery_figure(t, r, part).mean * 1e-3 : NAN;
}

static void goals_against(FILE *out, const battery_table *t, battery_part part, double times) {
    battery_figures cold = battery_figure(t, 0, part);
    for (size_t r = 0; r < t->row_count; r++) {
        const battery_row *row = &t->rows[r];
        bool rival = row->way == BATTERY_PEER && row->method->input != PEER_MESH &&
                     row->method->input != PEER_HULL;
        battery_figures f = battery_figure(t, r, part);
        if (!rival || f.gaps == 0) {
            continue;
        }
        char what[160];
        snprintf(what, sizeof what, "%s, %s: times slower: %s", set_names[t->cases->set],
                 part_names[part], row->name);
        goal(out, what, ">=", times, f.mean / cold.mean, "");
        snprintf(what, sizeof what, "%s, %s: orders less accurate: %s", set_names[t->cases->set],
                 part_names[part], row->name);
        // an error below what the reference can tell counts as that
        double least = fmax(cold.mean_error, 1e-17);
        goal(out, what, ">=", 5.0, log10(f.mean_error / least), "");
    }
}

static void goals_superovoids(FILE *out, const battery_table *t) {
    battery_figures cold = battery_figure(t, 0, BATTERY_SEPARATED);
    goal(out, "superovoids, separated, cold: mean", "<=", 1.5, cold.mean * 1e-3, "us");
    goal(out, "superovoids, separated, cold: p99", "<=", 6.0, cold.p99 * 1e-3, "us");
    goal(out, "superovoids, separated, warm: mean", "<=", 0.6,
         mean_us(t, "ovoid_warm", BATTERY_SEPARATED), "us");
    goal(out, "superovoids, separated, batch: mean of a pair", "<=", 0.5,
         mean_us(t, "ovoid_batch", BATTERY_SEPARATED), "us");
    goal(out, "superovoids, overlapping, cold, global depth: mean", "<=", 8.0,
         mean_us(t, "ovoid_cold", BATTERY_OVERLAPPING), "us");
    size_t mesh = find_row(t, "fcl_mesh_distance_290");
    double ratio = NAN, orders = NAN;
    if (mesh < t->row_count) {
        battery_figures f = battery_figure(t, mesh, BATTERY_SEPARATED);
        ratio = f.mean / cold.mean;
        orders = log10(f.mean_error / fmax(cold.mean_error, 1e-17));
    }
    goal(out, "superovoids, separated: times slower: FCL mesh distance, 290 vertices", ">=", 100.0,
         ratio, "");
    goal(out, "superovoids, separated: orders less accurate: FCL mesh distance, 290 vertices",
         ">=", 5.0, orders, "");
    goals_against(out, t, BATTERY_SEPARATED, 20.0);
    goals_against(out, t, BATTERY_OVERLAPPING, 20.0);
}

static void goals_ellipsoids(FILE *out, const battery_table *t) {
    goal(out, "ellipsoids, separated, cold: mean", "<=", 0.6,
         mean_us(t, "ovoid_cold", BATTERY_SEPARATED), "us");
    goal(out, "ellipsoids, overlapping, cold, global depth: mean", "<=", 4.0,
         mean_us(t, "ovoid_cold", BATTERY_OVERLAPPING), "us");
    goals_against(out, t, BATTERY_SEPARATED, 3.0);
    goals_against(out, t, BATTERY_OVERLAPPING, 3.0);
}

void battery_print_goals(FILE *out, const battery_table *const tables[BATTERY_SETS]) {
    fputs("\nGoals, and what was measured (orders: of the mean error):\n", out);
    goals_superovoids(out, tables[BATTERY_SUPEROVOIDS]);
    goals_ellipsoids(out, tables[BATTERY_ELLIPSOIDS]);
}
