/**
 * @file battery_schemes_report.c
 * @brief [Benchmark, Tables 1, 2 and 3] from the measurements, the printed figures below the
 * measured ones, the goals, the CSV file and the picture.
 *
 * Times, iterations and errors are over the pairs that a row says it solved. The paper tells of no
 * failures, so its figures can only be those; it also keeps a scheme from paying for the steps that
 * led nowhere. The printed times are those of the paper's machine.
 *
 * Table 3 of the paper has words. Its rules here: the places by mean time; a spread is high where
 * the standard deviation exceeds the mean; memory is high from a kilobyte on, accuracy where the
 * median error is at most 1e-5.
 */
#ifdef OVOID_SCHEMES

#include "battery_schemes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "battery_plot.h"

static const char *const part_names[BATTERY_PARTS] = {"separated", "overlapping"};

/* ---- what the paper has */

typedef struct printed_row {
    const char *id;
    schemes_spread start, total, iterations;
    double per_iteration;
} printed_row;

enum { PRINTED_ROWS = 4 };

#define NOTHING                                                                                    \
    { NAN, NAN }

static const printed_row printed[BATTERY_PARTS][PRINTED_ROWS] = {
    {{"quadImplicit_differences", {129.28, 9.26}, {290.55, 36.35}, {5.47, 1.10}, 21.26},
     {"quadParametric_differences", {129.28, 9.26}, {396.00, 107.77}, {6.20, 2.55}, 31.72},
     {"ntbParametric_differences", {129.28, 9.26}, {326.41, 79.99}, {6.20, 2.54}, 23.05},
     {"mesh", NOTHING, {375.19, 104.74}, NOTHING, NAN}},
    {{"quadImplicit_differences", {129.28, 9.26}, {310.42, 39.50}, {6.20, 1.23}, 21.20},
     {"quadParametric_differences", {129.28, 9.26}, {424.53, 106.50}, {6.93, 2.56}, 31.59},
     {"ntbParametric_differences", {129.28, 9.26}, {347.72, 78.31}, {6.92, 2.52}, 22.99},
     {"mesh", NOTHING, {206.29, 117.63}, NOTHING, NAN}}};

static const printed_row *printed_of(battery_part part, const char *id) {
    for (int i = 0; i < PRINTED_ROWS; i++) {
        if (strcmp(printed[part][i].id, id) == 0) {
            return &printed[part][i];
        }
    }
    return NULL;
}

/* ---- figures */

/** Sums that become a mean and a standard deviation. */
typedef struct sums {
    double sum, squares;
    size_t count;
} sums;

static void add(sums *s, double value) {
    if (isfinite(value)) {
        s->sum += value;
        s->squares += value * value;
        s->count++;
    }
}

static schemes_spread spread(const sums *s) {
    if (s->count == 0) {
        return (schemes_spread)NOTHING;
    }
    double n = (double)s->count, mean = s->sum / n;
    return (schemes_spread){mean, sqrt(fmax(0.0, s->squares / n - mean * mean))};
}

static void figure_errors(double *errors, size_t count, schemes_figures *f) {
    f->mean_error = f->median_error = f->worst_error = NAN;
    if (errors == NULL || count == 0) {
        return;
    }
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += errors[i];
    }
    battery_sort(errors, count);
    f->mean_error = sum / (double)count;
    f->median_error = errors[count / 2];
    f->worst_error = errors[count - 1];
}

static bool is_wrong_side(const battery_pair *p, const schemes_row *row, const schemes_result *r) {
    if (row->way == SCHEMES_COLLIDE) {
        return !r->right;
    }
    return (r->gap > 0.0) != (p->part == BATTERY_SEPARATED);
}

/** Over the pairs of the parts whose bit is set. */
static schemes_figures figure(const schemes_table *t, size_t index, unsigned parts) {
    const schemes_row *row = &t->rows[index], *ovoid = &t->rows[t->row_count - 1];
    schemes_figures f = {.hash = BATTERY_HASH_START};
    sums start = {0}, total = {0}, all = {0}, iterations = {0}, newton = {0};
    double *errors = calloc(t->cases->count + 1, sizeof *errors);
    size_t error_count = 0;
    for (size_t i = 0; i < t->cases->count; i++) {
        const battery_pair *p = &t->cases->pairs[i];
        const schemes_result *r = &row->results[i];
        if ((parts >> p->part & 1u) == 0 || !r->asked) {
            continue;
        }
        f.asked++;
        f.restarts += (size_t)(r->restarts > 0 ? r->restarts : 0);
        f.alone += r->right && !ovoid->results[i].right;
        battery_hash_gap(&f.hash, r->gap);
        add(&all, r->total_ns);
        if (r->status != OV_OK) {
            f.not_converged++;
            continue;
        }
        f.solved++;
        schemes_worth worth = schemes_judge(p, r->gap);
        f.off += row->way != SCHEMES_COLLIDE && worth == SCHEMES_GAP_OFF;
        f.dents += row->way != SCHEMES_COLLIDE && worth == SCHEMES_GAP_DENT;
        f.wrong_side += is_wrong_side(p, row, r);
        add(&start, r->start_ns);
        add(&total, r->total_ns);
        add(&iterations, r->iterations);
        add(&newton, r->total_ns - (isnan(r->start_ns) ? 0.0 : r->start_ns));
        if (errors != NULL && isfinite(r->gap)) {
            errors[error_count++] = (double)fabsl(r->gap - p->gap);
        }
    }
    f.start = spread(&start);
    f.total = spread(&total);
    f.iterations = iterations.sum > 0.0 ? spread(&iterations) : (schemes_spread)NOTHING;
    f.per_iteration = iterations.sum > 0.0 && newton.count > 0 ? newton.sum / iterations.sum : NAN;
    f.all_mean = spread(&all).mean;
    figure_errors(errors, error_count, &f);
    free(errors);
    return f;
}

schemes_figures schemes_figure(const schemes_table *t, size_t row, battery_part part) {
    return figure(t, row, 1u << part);
}

schemes_figures schemes_figure_all(const schemes_table *t, size_t row) {
    return figure(t, row, ~0u);
}

/* ---- Tables 1 and 2 */

static void spread_cell(FILE *out, int width, schemes_spread s, double unit) {
    char text[48] = "-";
    if (isfinite(s.mean)) {
        snprintf(text, sizeof text, "%.2f +- %.2f", s.mean * unit, s.sd * unit);
    }
    fprintf(out, " %*s", width, text);
}

static void print_row(FILE *out, const schemes_table *t, size_t r, battery_part part, double cold) {
    const schemes_row *row = &t->rows[r];
    schemes_figures f = schemes_figure(t, r, part);
    char name[80];
    snprintf(name, sizeof name, "%s%s", row->name,
             f.asked < t->cases->part_count[part] ? " *" : "");
    fprintf(out, "%-42s", name);
    spread_cell(out, 17, f.start, 1e-3);
    spread_cell(out, 19, f.total, 1e-3);
    spread_cell(out, 15, f.iterations, 1.0);
    battery_cell(out, 8, "%.2f", f.per_iteration * 1e-3);
    fprintf(out, " %7zu", f.not_converged);
    if (row->way == SCHEMES_COLLIDE) {
        fprintf(out, " %7s %5s", "-", "-");
    } else {
        fprintf(out, " %7zu %5zu", f.off, f.dents);
    }
    fprintf(out, " %6zu", f.wrong_side);
    battery_cell(out, 8, "%.1e", f.median_error);
    battery_cell(out, 8, "%.1e", f.mean_error);
    battery_cell(out, 8, "%.1e", f.worst_error);
    battery_cell(out, 8, "%.1f", f.total.mean / cold);
    fputc('\n', out);
    const printed_row *paper = printed_of(part, row->id);
    if (paper != NULL) {
        fprintf(out, "%-42s", "  as printed");
        spread_cell(out, 17, paper->start, 1.0);
        spread_cell(out, 19, paper->total, 1.0);
        spread_cell(out, 15, paper->iterations, 1.0);
        battery_cell(out, 8, "%.2f", paper->per_iteration);
        fputc('\n', out);
    }
}

static void print_part(FILE *out, const schemes_table *t, battery_part part) {
    double cold = schemes_figure(t, t->row_count - 1, part).total.mean;
    fprintf(out, "\n[Benchmark, Table %d], %s superovoids: %zu pairs\n",
            part == BATTERY_SEPARATED ? 2 : 1, part_names[part], t->cases->part_count[part]);
    fprintf(out, "%-42s %17s %19s %15s %8s %7s %7s %5s %6s %8s %8s %8s %8s\n", "", "guess us",
            "total us", "iterations", "us/iter", "failed", "off", "dent", "side", "median", "mean",
            "worst", "ratio");
    for (size_t r = 0; r < t->row_count; r++) {
        print_row(out, t, r, part, cold);
    }
}

static void print_notes(FILE *out, const schemes_table *t) {
    fputs("Set a asks for the least distance between points of the bodies: where they overlap it "
          "has none to find.\nNodes and meshes are other bodies, so all of them are off.\n",
          out);
    for (size_t r = 0; r < t->row_count; r++) {
        if (t->rows[r].sample > 0) {
            fprintf(out,
                    "* %s: the first %zu pairs of the table only, in one round, for its time.\n",
                    t->rows[r].name, t->rows[r].sample);
        }
    }
}

/* ---- Table 3 */

typedef struct summary {
    const char *name, *id;
    const char *words[4]; /**< the paper's: time, its spread, memory, accuracy */
} summary;

static size_t find_row(const schemes_table *t, const char *id) {
    for (size_t r = 0; r < t->row_count; r++) {
        if (strcmp(t->rows[r].id, id) == 0) {
            return r;
        }
    }
    return t->row_count;
}

/** Bytes of one body: its parameters, or vertices and triangles of its mesh without any tree. */
static double memory_of(const schemes_table *t, const schemes_row *row) {
    enum { PARAMETERS = 7 + 6 }; // shape and place, as the paper counts them
    if (!row->tessellated || t->cases->count == 0) {
        return PARAMETERS * sizeof(double);
    }
    ov_mesh_options options = {.vertices = row->options.mesh_vertices};
    ov_mesh_plan plan = {0};
    ov_shape_mesh_plan(&t->cases->pairs[0].a, &options, &plan);
    return (double)(plan.vertex_count * sizeof(ov_vec3) + plan.triangle_count * 3 * sizeof(int));
}

static void word_cell(FILE *out, const char *now, const char *paper) {
    char both[40];
    snprintf(both, sizeof both, "%s (%s)", now, paper);
    fprintf(out, "  %-16s", both);
}

static void print_summary(FILE *out, const schemes_table *t, const summary *s, int place, int all) {
    const schemes_row *row = &t->rows[find_row(t, s->id)];
    schemes_figures f = schemes_figure_all(t, find_row(t, s->id));
    double memory = memory_of(t, row);
    char words[32];
    fprintf(out, "%-40s", s->name);
    battery_cell(out, 9, "%.2f", f.total.mean * 1e-3);
    snprintf(words, sizeof words, "%d of %d", place, all);
    word_cell(out, words, s->words[0]);
    battery_cell(out, 9, "%.2f", f.total.sd * 1e-3);
    word_cell(out, f.total.sd > f.total.mean ? "high" : "low", s->words[1]);
    battery_cell(out, 7, "%.0f", memory);
    word_cell(out, memory >= 1000.0 ? "high" : "low", s->words[2]);
    battery_cell(out, 8, "%.1e", f.median_error);
    const char *accuracy = f.median_error <= SCHEMES_RIGHT ? "high" : "low";
    word_cell(out, isfinite(f.median_error) ? accuracy : "none", s->words[3]);
    fputc('\n', out);
}

static void print_table3(FILE *out, const schemes_table *t) {
    static const summary rows[] = {
        {"Meshes (BVH collision detection)", "fcl_collide", {"fastest", "low", "high", "low"}},
        {"Meshes (minimum distance)", "mesh", {"slow", "low", "high", "low"}},
        {"Superovoids implicit (quadImplicit)",
         "quadImplicit_differences",
         {"fast", "high", "low", "high"}},
        {"Superovoids parametric (quadParametric)",
         "quadParametric_differences",
         {"faster", "high", "low", "high"}},
        {"Ovoid, cold", "ovoid_cold", {"-", "-", "-", "-"}}};
    enum { ROWS = sizeof rows / sizeof rows[0] };
    double means[ROWS];
    int all = 0;
    for (int i = 0; i < ROWS; i++) {
        size_t r = find_row(t, rows[i].id);
        means[i] = r < t->row_count ? schemes_figure_all(t, r).total.mean : NAN;
        all += isfinite(means[i]);
    }
    fputs("\n[Benchmark, Table 3] from these measurements, all pairs (in brackets: its words)\n",
          out);
    fprintf(out, "%-40s %9s  %-16s %9s  %-16s %7s  %-16s %8s\n", "", "mean us", "place", "sd us",
            "spread", "bytes", "memory", "median error");
    for (int i = 0; i < ROWS; i++) {
        int place = 1;
        for (int k = 0; k < ROWS; k++) {
            place += means[k] < means[i];
        }
        if (isfinite(means[i])) {
            print_summary(out, t, &rows[i], place, all);
        }
    }
}

/* ---- the whole */

void schemes_print(FILE *out, const schemes_table *t) {
    const battery_cases *c = t->cases;
    fprintf(out, "Published schemes on the battery of superovoids: %zu pairs, seed %llu.\n",
            c->count, (unsigned long long)c->seed);
    fprintf(out,
            "a = 1, centres 2.21 apart, e in [0.3, 1.1], T in [-0.4, 0.4] [Benchmark, 5.1]; %zu "
            "shapes\nwith a dent above 5 %% of the semi-axis were drawn again.\n",
            c->redrawn);
    fprintf(out,
            "Reference: long double, bounded from both sides to +-%.0e (separated), +-%.0e "
            "(overlapping).\n",
            c->reference_error[BATTERY_SEPARATED], c->reference_error[BATTERY_OVERLAPPING]);
    fprintf(
        out,
        "Times: best of %d of each query, less %.0f ns of the clock, mean +- standard "
        "deviation over the\npairs that a row calls solved; meshes are made outside the "
        "timing. Printed: on the paper's machine.\n"
        "failed: did not converge. off: called solved, but off the reference gap by more than "
        "%g,\nand by more than the dents of the surfaces, which the hulls do not have (dent: no "
        "more than those).\nside: called solved, but on the wrong side of contact. median, "
        "mean, worst: error of the gap where solved.\n",
        t->rows[0].rounds, t->clock_ns, SCHEMES_RIGHT);
    if (t->missing[0] != '\0') {
        fprintf(out, "Not built, for want of a package: %s.\n", t->missing);
    }
    print_part(out, t, BATTERY_OVERLAPPING);
    print_part(out, t, BATTERY_SEPARATED);
    print_notes(out, t);
    print_table3(out, t);
}

/* ---- goals */

static void goal(FILE *out, const char *what, const char *sign, double limit, double measured) {
    const char *word = "not measured";
    if (isfinite(measured)) {
        bool met = sign[0] == '<' ? measured <= limit : measured >= limit;
        word = met ? "met" : "missed";
    }
    fprintf(out, "  %-78s %s %5g", what, sign, limit);
    battery_cell(out, 10, measured >= 100.0 ? "%.0f" : "%.2f", measured);
    fprintf(out, "  %s\n", word);
}

static void goals_of_part(FILE *out, const schemes_table *t, battery_part part) {
    char what[120];
    size_t quad = find_row(t, "quadImplicit_differences");
    schemes_figures cold = schemes_figure(t, t->row_count - 1, part), f = {.total = NOTHING};
    f.iterations.mean = f.median_error = NAN;
    if (quad < t->row_count) {
        f = schemes_figure(t, quad, part);
    }
    double paper = printed_of(part, "quadImplicit_differences")->iterations.mean;
    snprintf(what, sizeof what, "%s: quadImplicit, iterations from the printed %.2f",
             part_names[part], paper);
    goal(out, what, "<=", 1.5, fabs(f.iterations.mean - paper));
    snprintf(what, sizeof what, "%s: quadImplicit, differences: times slower than Ovoid, cold",
             part_names[part]);
    goal(out, what, ">=", 50.0, f.total.mean / cold.total.mean);
    snprintf(what, sizeof what, "%s: median error of Ovoid over that of quadImplicit",
             part_names[part]);
    goal(out, what, "<=", 1.0, cold.median_error / fmax(f.median_error, 1e-18));
    for (int s = OV_SCHEME_OCT_IMPLICIT; s <= OV_SCHEME_NTB_PARAMETRIC; s++) {
        char id[48];
        const char *name = ov_scheme_name((ov_scheme)s);
        snprintf(id, sizeof id, "%s_differences", name);
        size_t slow = find_row(t, id);
        snprintf(id, sizeof id, "%s_analytic", name);
        size_t fast = find_row(t, id);
        if (slow == t->row_count || fast == t->row_count) {
            continue;
        }
        schemes_figures d = schemes_figure(t, slow, part), a = schemes_figure(t, fast, part);
        snprintf(what, sizeof what, "%s: %s: analytic Jacobian: times faster, whole query",
                 part_names[part], name);
        goal(out, what, ">=", 2.0, d.total.mean / a.total.mean);
        snprintf(what, sizeof what, "%s: %s: analytic Jacobian: times faster, an iteration",
                 part_names[part], name);
        goal(out, what, ">=", 2.0, d.per_iteration / a.per_iteration);
    }
}

void schemes_print_goals(FILE *out, const schemes_table *t) {
    fputs("\nGoals, and what was measured:\n", out);
    goals_of_part(out, t, BATTERY_OVERLAPPING);
    goals_of_part(out, t, BATTERY_SEPARATED);
    size_t alone = 0, most = 0;
    for (size_t r = 0; r + 1 < t->row_count; r++) {
        schemes_figures f = schemes_figure_all(t, r);
        if (t->rows[r].way == SCHEMES_SCHEME && f.alone > alone) {
            alone = f.alone;
            most = r;
        }
    }
    char what[120];
    snprintf(what, sizeof what, "pairs that a scheme gets right and Ovoid does not%s%s",
             alone > 0 ? ": " : "", alone > 0 ? t->rows[most].name : "");
    goal(out, what, "<=", 0.0, (double)alone);
}

/* ---- CSV */

static void csv_number(FILE *out, double value) {
    if (isfinite(value)) {
        fprintf(out, ",%.17g", value);
    } else {
        fputc(',', out);
    }
}

void schemes_csv(FILE *out, const schemes_table *t) {
    fputs("part,method,pairs,solved,not_converged,off,dents,wrong_side,right_where_ovoid_is_not,"
          "restarts,"
          "start_us,start_sd_us,total_us,total_sd_us,all_pairs_us,iterations,iterations_sd,"
          "iteration_us,median_error,mean_error,worst_error,ratio,hash\n",
          out);
    for (int part = 0; part < BATTERY_PARTS; part++) {
        double cold = schemes_figure(t, t->row_count - 1, (battery_part)part).total.mean;
        for (size_t r = 0; r < t->row_count; r++) {
            schemes_figures f = schemes_figure(t, r, (battery_part)part);
            const double values[] = {
                f.start.mean * 1e-3, f.start.sd * 1e-3, f.total.mean * 1e-3, f.total.sd * 1e-3,
                f.all_mean * 1e-3,   f.iterations.mean, f.iterations.sd,     f.per_iteration * 1e-3,
                f.median_error,      f.mean_error,      f.worst_error,       f.total.mean / cold};
            fprintf(out, "%s,%s,%zu,%zu,%zu,%zu,%zu,%zu,%zu,%zu", part_names[part], t->rows[r].id,
                    f.asked, f.solved, f.not_converged, f.off, f.dents, f.wrong_side, f.alone,
                    f.restarts);
            for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
                csv_number(out, values[i]);
            }
            fprintf(out, ",%016llx\n", (unsigned long long)f.hash);
        }
    }
}

/* ---- the picture: failures against time */

/** Percent of the pairs without the right contact; a mesh need only be on the right side. */
static double failed_percent(const schemes_table *t, size_t r, const schemes_figures *f) {
    size_t failed = f->not_converged + (t->rows[r].tessellated ? f->wrong_side : f->off);
    return f->asked > 0 ? 100.0 * (double)failed / (double)f->asked : NAN;
}

static size_t points_of(const schemes_table *t, battery_part part, plot_point *points) {
    size_t count = 0;
    for (size_t r = 0; r < t->row_count; r++) {
        schemes_figures f = schemes_figure(t, r, part);
        if (f.solved > 0) {
            points[count++] = (plot_point){f.total.mean * 1e-3, failed_percent(t, r, &f),
                                           (int)r + 1, t->rows[r].way >= SCHEMES_WARM};
        }
    }
    return count;
}

void schemes_svg(FILE *out, const schemes_table *t) {
    static const battery_part order[BATTERY_PARTS] = {BATTERY_OVERLAPPING, BATTERY_SEPARATED};
    static const char *const titles[BATTERY_PARTS] = {"Separated [Benchmark, Table 2]",
                                                      "Overlapping [Benchmark, Table 1]"};
    plot_panel p = {.top = 90.0, .width = 380.0, .height = 400.0, .x_last = 2};
    p.y_last = 100;
    p.percent = true;
    plot_point points[BATTERY_PARTS][SCHEMES_ROWS_MAX];
    size_t counts[BATTERY_PARTS] = {0};
    for (int part = 0; part < BATTERY_PARTS; part++) {
        counts[part] = points_of(t, (battery_part)part, points[part]);
        for (size_t i = 0; i < counts[part]; i++) {
            plot_widen(points[part][i].x, &p.x_first, &p.x_last);
        }
    }
    int rows = ((int)t->row_count + 1) / 2;
    plot_page(out, 980, 590 + 24 * rows);
    plot_text(out, 490.0, 26.0, "middle", "font-size=\"17\" font-weight=\"bold\"",
              "Published schemes and Ovoid: time and failures (down and left is better)");
    plot_text(out, 490.0, 46.0, "middle", "",
              "A contact is right where its gap is that of the long-double reference to "
              "1e&#8722;5, but for dents; "
              "of nodes and meshes only the side is asked.");
    for (int k = 0; k < BATTERY_PARTS; k++) {
        p.left = 80.0 + 480.0 * k;
        plot_axes(out, &p, titles[order[k]], "mean time of a query where solved, &#181;s",
                  "pairs without the right contact, %");
        plot_points(out, &p, points[order[k]], counts[order[k]]);
    }
    for (size_t r = 0; r < t->row_count; r++) {
        double x = 60.0 + 480.0 * ((int)r / rows), y = 575.0 + 24.0 * ((int)r % rows);
        schemes_figures f = schemes_figure_all(t, r);
        char words[128];
        snprintf(words, sizeof words, "%s%s", t->rows[r].name,
                 f.solved == 0 ? " (solves none)" : "");
        plot_marker(out, x, y, t->rows[r].way >= SCHEMES_WARM, (int)r + 1);
        plot_text(out, x + 18.0, y + 4.0, "start", "", words);
    }
    fputs("</svg>\n", out);
}

#else

/* Without the schemes there is nothing to report. */
typedef int schemes_report_not_built;

#endif
