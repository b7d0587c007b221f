/**
 * @file battery_plot.c
 * @brief The pictures of the studies as SVG: panels with logarithmic axes.
 */
#include "battery_plot.h"

#include <math.h>
#include <string.h>

#include "battery.h"

double plot_x(const plot_panel *p, double value) {
    double t = (log10(fmax(value, PLOT_SMALLEST)) - p->x_first) / (p->x_last - p->x_first);
    return p->left + p->width * fmin(1.0, fmax(0.0, t));
}

double plot_y(const plot_panel *p, double value) {
    double at = p->percent ? value : log10(fmax(value, PLOT_SMALLEST));
    double t = (at - p->y_first) / (p->y_last - p->y_first);
    return p->top + p->height * (1.0 - fmin(1.0, fmax(0.0, t)));
}

void plot_widen(double value, int *first, int *last) {
    if (isfinite(value) && value > 0.0) {
        double decade = log10(fmax(value, PLOT_SMALLEST));
        *first = (int)fmin(*first, floor(decade));
        *last = (int)fmax(*last, ceil(decade));
    }
}

/* ---- pieces */

void plot_page(FILE *out, int width, int height) {
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
            "%d\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"%s\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
            width, height, width, height, PLOT_INK, width, height);
}

void plot_text(FILE *out, double x, double y, const char *anchor, const char *style,
               const char *words) {
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" %s>%s</text>\n", x, y, anchor,
            style, words);
}

void plot_upright(FILE *out, double x, double y, const char *words) {
    fprintf(out,
            "<text transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"middle\">%s"
            "</text>\n",
            x, y, words);
}

/** 1, 10, 100 as such, other powers of ten with their exponent raised. */
static void power_of_ten(FILE *out, double x, double y, const char *anchor, int exponent) {
    char words[96];
    if (exponent >= 0 && exponent <= 2) {
        snprintf(words, sizeof words, "%.0f", pow(10.0, exponent));
    } else {
        snprintf(words, sizeof words, "10<tspan dy=\"-5\" font-size=\"10\">%s%d</tspan>",
                 exponent < 0 ? "&#8722;" : "", exponent < 0 ? -exponent : exponent);
    }
    plot_text(out, x, y, anchor, "", words);
}

void plot_line(FILE *out, double x1, double y1, double x2, double y2, const char *style) {
    fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2,
            style);
}

static void grid_y(FILE *out, const plot_panel *p) {
    int step = p->percent ? 10 : 1, few = p->y_last - p->y_first > 8 * step ? 2 * step : step;
    for (int d = p->y_first; d <= p->y_last; d += step) {
        double y = plot_y(p, p->percent ? d : pow(10.0, d));
        plot_line(out, p->left, y, p->left + p->width, y, "stroke=\"" PLOT_GRID "\"");
        if (d % few == 0 && p->percent) {
            char words[16];
            snprintf(words, sizeof words, "%d", d);
            plot_text(out, p->left - 6.0, y + 5.0, "end", "", words);
        } else if (d % few == 0) {
            power_of_ten(out, p->left - 6.0, y + 5.0, "end", d);
        }
    }
}

void plot_axes(FILE *out, const plot_panel *p, const char *title, const char *x_title,
               const char *y_title) {
    double bottom = p->top + p->height;
    for (int d = p->x_first; d <= p->x_last; d++) {
        double x = plot_x(p, pow(10.0, d));
        plot_line(out, x, p->top, x, bottom, "stroke=\"" PLOT_GRID "\"");
        power_of_ten(out, x, bottom + 21.0, "middle", d);
    }
    grid_y(out, p);
    fprintf(out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
            "stroke=\"%s\"/>\n",
            p->left, p->top, p->width, p->height, PLOT_INK);
    plot_text(out, p->left + 0.5 * p->width, p->top - 10.0, "middle", "font-weight=\"bold\"",
              title);
    plot_text(out, p->left + 0.5 * p->width, bottom + 42.0, "middle", "", x_title);
    plot_upright(out, p->left - 48.0, p->top + 0.5 * p->height, y_title);
}

/* ---- numbered points */

void plot_marker(FILE *out, double x, double y, bool ours, int number) {
    char label[16];
    snprintf(label, sizeof label, "%d", number);
    if (ours) {
        fprintf(out,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"18\" height=\"18\" fill=\"%s\" "
                "stroke=\"white\"/>\n",
                x - 9.0, y - 9.0, PLOT_BLUE);
    } else {
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"9\" fill=\"%s\" stroke=\"white\"/>\n", x,
                y, PLOT_ORANGE);
    }
    plot_text(out, x, y + 4.0, "middle", "fill=\"white\" font-size=\"11\" font-weight=\"bold\"",
              label);
}

/** Markers on a panel that are placed already. */
typedef struct places {
    const plot_panel *panel;
    double x[PLOT_POINTS_MAX], y[PLOT_POINTS_MAX];
    size_t count;
} places;

static bool is_free(const places *p, double x, double y) {
    const plot_panel *at = p->panel;
    if (x < at->left || x > at->left + at->width || y < at->top || y > at->top + at->height) {
        return false;
    }
    for (size_t k = 0; k < p->count; k++) {
        if (fabs(p->x[k] - x) < 19.0 && fabs(p->y[k] - y) < 19.0) {
            return false;
        }
    }
    return true;
}

/** Takes the free place nearest to (x, y), or (x, y) itself where there is none. */
static void take_place(places *p, double *x, double *y) {
    enum { RINGS = 60, SPOKES = 24 };
    double near_x = *x, near_y = *y;
    bool found = false;
    for (int ring = 0; ring <= RINGS && !found; ring++) {
        for (int spoke = 0; spoke < SPOKES && !found; spoke++) {
            double angle = 6.283185307179586 * spoke / SPOKES, reach = 3.0 * ring;
            near_x = *x + reach * sin(angle);
            near_y = *y - reach * cos(angle);
            found = is_free(p, near_x, near_y);
        }
    }
    *x = p->x[p->count] = found ? near_x : *x;
    *y = p->y[p->count++] = found ? near_y : *y;
}

void plot_points(FILE *out, const plot_panel *p, const plot_point *points, size_t count) {
    places taken = {.panel = p};
    double xs[PLOT_POINTS_MAX], ys[PLOT_POINTS_MAX];
    count = count < PLOT_POINTS_MAX ? count : PLOT_POINTS_MAX;
    // ours first: the others make room
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < count; i++) {
            double x = plot_x(p, points[i].x), y = plot_y(p, points[i].y);
            if (points[i].ours != (pass == 0)) {
                continue;
            }
            xs[i] = x;
            ys[i] = y;
            take_place(&taken, &xs[i], &ys[i]);
            // a marker that was moved a little still covers its point
            if (hypot(xs[i] - x, ys[i] - y) > 8.0) {
                plot_line(out, x, y, xs[i], ys[i], "stroke=\"" PLOT_INK "\"");
                fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"/>\n", x, y);
            }
        }
    }
    // on top of all lines
    for (size_t i = 0; i < count; i++) {
        plot_marker(out, xs[i], ys[i], points[i].ours, points[i].number);
    }
}

/* ---- the battery: error against time */

enum { METHODS_MAX = 2 * BATTERY_ROWS_MAX };

typedef struct methods {
    const char *names[METHODS_MAX];
    bool ours[METHODS_MAX];
    int count;
} methods;

static int number_of(methods *m, const battery_row *row) {
    for (int i = 0; i < m->count; i++) {
        if (strcmp(m->names[i], row->name) == 0) {
            return i;
        }
    }
    m->names[m->count] = row->name;
    m->ours[m->count] = row->way != BATTERY_PEER;
    return m->count++;
}

static bool has_point(const battery_figures *f) { return f->gaps > 0 && isfinite(f->mean); }

static void battery_panel(FILE *out, const battery_table *t, battery_part part, plot_panel p,
                          methods *m) {
    static const char *const titles[BATTERY_SETS][BATTERY_PARTS] = {
        {"Superovoids, separated", "Superovoids, overlapping"},
        {"Ellipsoids, separated", "Ellipsoids, overlapping"}};
    plot_axes(out, &p, titles[t->cases->set][part], "mean time of a query, &#181;s",
              "mean error of the gap, length");
    plot_point points[BATTERY_ROWS_MAX];
    size_t count = 0;
    for (size_t r = 0; r < t->row_count; r++) {
        battery_figures f = battery_figure(t, r, part);
        if (has_point(&f)) {
            int number = number_of(m, &t->rows[r]);
            points[count++] =
                (plot_point){f.mean * 1e-3, f.mean_error, number + 1, m->ours[number]};
        }
    }
    plot_points(out, &p, points, count);
}

void battery_svg(FILE *out, const battery_table *const tables[BATTERY_SETS]) {
    plot_panel p = {.width = 380.0, .height = 300.0, .x_first = -1, .x_last = 1, .y_first = -2};
    methods m = {.count = 0};
    for (int set = 0; set < BATTERY_SETS; set++) {
        for (size_t r = 0; r < tables[set]->row_count; r++) {
            for (int part = 0; part < BATTERY_PARTS; part++) {
                battery_figures f = battery_figure(tables[set], r, (battery_part)part);
                if (has_point(&f)) {
                    number_of(&m, &tables[set]->rows[r]);
                    plot_widen(f.mean * 1e-3, &p.x_first, &p.x_last);
                    plot_widen(fmax(f.mean_error, PLOT_SMALLEST), &p.y_first, &p.y_last);
                }
            }
        }
    }
    p.y_first--; // room below the lowest
    int legend_rows = (m.count + 1) / 2;
    plot_page(out, 980, 860 + 24 * legend_rows);
    plot_text(out, 490.0, 26.0, "middle", "font-size=\"17\" font-weight=\"bold\"",
              "Time and error of a distance query (down and left is better)");
    for (int set = 0; set < BATTERY_SETS; set++) {
        for (int part = 0; part < BATTERY_PARTS; part++) {
            p.left = 80.0 + 480.0 * part;
            p.top = 70.0 + 390.0 * set;
            battery_panel(out, tables[set], (battery_part)part, p, &m);
        }
    }
    for (int i = 0; i < m.count; i++) {
        double x = 60.0 + 480.0 * (i / legend_rows), y = 850.0 + 24.0 * (i % legend_rows);
        plot_marker(out, x, y, m.ours[i], i + 1);
        plot_text(out, x + 18.0, y + 4.0, "start", "", m.names[i]);
    }
    fputs("</svg>\n", out);
}

/* ---- the accuracy of meshes */

/** What a curve or level shows of a step. */
typedef enum figure { FIGURE_MEAN, FIGURE_WORST, FIGURE_TIME } figure;

static double value_of(const accuracy_step *step, figure what) {
    return what == FIGURE_TIME   ? step->mean_ns * 1e-3
           : what == FIGURE_MEAN ? step->mean_error
                                 : step->worst_error;
}

static void curve(FILE *out, const plot_panel *p, const accuracy_step *steps, figure what,
                  const char *colour, const char *style, bool squares) {
    fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" %s points=\"", colour,
            style);
    for (int k = 0; k < ACCURACY_STEPS; k++) {
        fprintf(out, "%.1f,%.1f ", plot_x(p, steps[k].vertices),
                plot_y(p, value_of(&steps[k], what)));
    }
    fputs("\"/>\n", out);
    for (int k = 0; k < ACCURACY_STEPS && what != FIGURE_WORST; k++) {
        double x = plot_x(p, steps[k].vertices), y = plot_y(p, value_of(&steps[k], what));
        if (squares) {
            fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"8\" height=\"8\" fill=\"%s\"/>\n",
                    x - 4.0, y - 4.0, colour);
        } else {
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n", x, y, colour);
        }
    }
}

enum { LEVELS_MAX = ACCURACY_SCHEMES_MAX + 2 };

/** A value that does not depend on the vertices, with its name to the right of the panel. */
typedef struct level {
    double value;
    const char *name, *colour, *style;
} level;

static void sort_levels(level *levels, size_t count) {
    for (size_t i = 1; i < count; i++) {
        level one = levels[i];
        size_t k = i;
        for (; k > 0 && levels[k - 1].value > one.value; k--) {
            levels[k] = levels[k - 1];
        }
        levels[k] = one;
    }
}

/** Lines across the panel; names that would meet are moved apart, from the lowest up. */
static void draw_levels(FILE *out, const plot_panel *p, level *levels, size_t count) {
    enum { HIGH = 15 };
    double right = p->left + p->width, ys[LEVELS_MAX] = {0};
    sort_levels(levels, count);
    for (size_t i = 0; i < count; i++) {
        ys[i] = plot_y(p, levels[i].value);
        ys[i] = i > 0 ? fmin(ys[i], ys[i - 1] - HIGH) : ys[i];
    }
    // what went out at the top comes back down
    for (size_t i = count; i-- > 0;) {
        double least = i + 1 == count ? p->top : ys[i + 1] + HIGH;
        ys[i] = fmax(ys[i], least);
    }
    for (size_t i = 0; i < count; i++) {
        char whole[120];
        double y = plot_y(p, levels[i].value);
        snprintf(whole, sizeof whole, "stroke=\"%s\" stroke-width=\"2\" %s", levels[i].colour,
                 levels[i].style);
        plot_line(out, p->left, y, right, y, whole);
        if (levels[i].name != NULL) {
            plot_line(out, right, y, right + 14.0, ys[i], "stroke=\"" PLOT_INK "\"");
            plot_text(out, right + 18.0, ys[i] + 4.0, "start", "font-size=\"12\"", levels[i].name);
        }
    }
}

static void draw_study(FILE *out, const plot_panel *p, const accuracy_study *s, figure what) {
    // long dashes mean the worst, so the schemes have short ones, each its own
    static const char *const dashes[ACCURACY_SCHEMES_MAX] = {
        "stroke-dasharray=\"1 3\"", "stroke-dasharray=\"3 3\"",     "stroke-dasharray=\"5 2 1 2\"",
        "stroke-dasharray=\"2 2\"", "stroke-dasharray=\"4 2 2 2\"", "stroke-dasharray=\"1 2\"",
        "stroke-dasharray=\"2 4\"", "stroke-dasharray=\"3 1\""};
    level levels[LEVELS_MAX];
    size_t count = 0;
    if (what != FIGURE_TIME || s->by_fcl) {
        curve(out, p, s->meshes, what, PLOT_ORANGE, "", false);
    }
    if (s->by_nodes) {
        curve(out, p, s->nodes, what, PLOT_GREEN, "", true);
    }
    for (size_t i = 0; i < s->scheme_count; i++) {
        double value = value_of(&s->schemes[i].step, what);
        if (isfinite(value)) {
            levels[count++] = (level){value, s->schemes[i].name, PLOT_INK, dashes[i]};
        }
    }
    levels[count++] = (level){value_of(&s->ovoid, what), "Ovoid", PLOT_BLUE, ""};
    draw_levels(out, p, levels, count);
}

static void legend(FILE *out, double x, double y, const char *colour, const char *style,
                   const char *words) {
    char whole[120];
    snprintf(whole, sizeof whole, "stroke=\"%s\" stroke-width=\"2\" %s", colour, style);
    plot_line(out, x, y, x + 34.0, y, whole);
    plot_text(out, x + 42.0, y + 4.0, "start", "", words);
}

static void widen_accuracy(const accuracy_study *s, plot_panel *error, plot_panel *time) {
    for (int k = 0; k < ACCURACY_STEPS; k++) {
        plot_widen(s->meshes[k].worst_error, &error->y_first, &error->y_last);
        plot_widen(s->meshes[k].mean_ns * 1e-3, &time->y_first, &time->y_last);
        plot_widen(s->nodes[k].mean_error, &error->y_first, &error->y_last);
        plot_widen(s->nodes[k].mean_ns * 1e-3, &time->y_first, &time->y_last);
    }
    for (size_t i = 0; i < s->scheme_count; i++) {
        const accuracy_step *step = &s->schemes[i].step;
        plot_widen(fmax(step->mean_error, PLOT_SMALLEST), &error->y_first, &error->y_last);
        plot_widen(step->mean_ns * 1e-3, &time->y_first, &time->y_last);
    }
    plot_widen(fmax(s->ovoid.mean_error, PLOT_SMALLEST), &error->y_first, &error->y_last);
    plot_widen(s->ovoid.mean_ns * 1e-3, &time->y_first, &time->y_last);
}

void accuracy_svg(FILE *out, const accuracy_study *s) {
    static const char *const dashed = "stroke-dasharray=\"9 5\"";
    plot_panel error = {80.0, 70.0, 360.0, 360.0, 1, 5, -12, 0, false},
               time = {640.0, 70.0, 360.0, 360.0, 1, 5, -1, 3, false};
    bool timed = s->by_fcl || s->by_nodes;
    char words[160];
    widen_accuracy(s, &error, &time);
    plot_page(out, timed ? 1120 : 560, 560);
    plot_text(out, timed ? 560.0 : 280.0, 28.0, "middle", "font-size=\"17\" font-weight=\"bold\"",
              "Meshes of superovoids against the smooth bodies");
    plot_axes(out, &error, "Error of the gap", "vertices of each mesh", "error of the gap, length");
    draw_study(out, &error, s, FIGURE_MEAN);
    curve(out, &error, s->meshes, FIGURE_WORST, PLOT_ORANGE, dashed, false);
    draw_levels(out, &error, &(level){s->ovoid.worst_error, NULL, PLOT_BLUE, dashed}, 1);
    snprintf(words, sizeof words, "%s, mean of %zu pairs",
             s->by_fcl ? "FCL mesh distance" : "hulls of the meshes", s->pairs);
    legend(out, 60.0, 500.0, PLOT_ORANGE, "", words);
    legend(out, 60.0, 522.0, PLOT_ORANGE, dashed, "the same, worst");
    legend(out, 370.0, 500.0, PLOT_BLUE, "", "Ovoid, mean");
    legend(out, 370.0, 522.0, PLOT_BLUE, dashed, "Ovoid, worst");
    if (s->by_nodes) {
        legend(out, 560.0, 500.0, PLOT_GREEN, "", "discrete: nodes in the inside-outside function");
    }
    if (s->scheme_count > 0) {
        legend(out, 560.0, 522.0, PLOT_INK, "stroke-dasharray=\"2 2\"",
               "published schemes, where they get it right");
    }
    if (timed) {
        plot_axes(out, &time, "Time of a query", "vertices of each mesh", "mean time, &#181;s");
        draw_study(out, &time, s, FIGURE_TIME);
    }
    fputs("</svg>\n", out);
}
