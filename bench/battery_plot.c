/**
 * @file battery_plot.c
 * @brief The pictures of the studies as SVG: panels with logarithmic axes.
 *
 * Colours are those of Okabe and Ito, which stay apart in print and for most colour-blind eyes;
 * what a colour says is said by a marker or a dash as well.
 */
#include "battery.h"

#include <math.h>
#include <string.h>

#define INK "#222222"
#define GRID "#dddddd"
#define BLUE "#0072b2"
#define ORANGE "#d55e00"
#define SMALLEST 1e-18 // an error of zero has no logarithm; it is drawn at the edge of the panel

/** A panel in the page's coordinates, and the decades it shows. */
typedef struct panel {
    double left, top, width, height;
    int x_first, x_last, y_first, y_last;
} panel;

static double x_at(const panel *p, double value) {
    double t = (log10(fmax(value, SMALLEST)) - p->x_first) / (p->x_last - p->x_first);
    return p->left + p->width * fmin(1.0, fmax(0.0, t));
}

static double y_at(const panel *p, double value) {
    double t = (log10(fmax(value, SMALLEST)) - p->y_first) / (p->y_last - p->y_first);
    return p->top + p->height * (1.0 - fmin(1.0, fmax(0.0, t)));
}

static void widen(double value, int *first, int *last) {
    if (isfinite(value) && value > 0.0) {
        double decade = log10(fmax(value, SMALLEST));
        *first = (int)fmin(*first, floor(decade));
        *last = (int)fmax(*last, ceil(decade));
    }
}

/* ---- pieces */

static void page(FILE *out, int width, int height) {
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
            "%d\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"%s\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
            width, height, width, height, INK, width, height);
}

static void text(FILE *out, double x, double y, const char *anchor, const char *style,
                 const char *words) {
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" %s>%s</text>\n", x, y, anchor,
            style, words);
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
    text(out, x, y, anchor, "", words);
}

static void line(FILE *out, double x1, double y1, double x2, double y2, const char *style) {
    fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2,
            style);
}

/** Frame, grid by decades, labels and titles. */
static void axes(FILE *out, const panel *p, const char *title, const char *x_title,
                 const char *y_title) {
    double right = p->left + p->width, bottom = p->top + p->height;
    int step = p->y_last - p->y_first > 8 ? 2 : 1;
    for (int d = p->x_first; d <= p->x_last; d++) {
        double x = x_at(p, pow(10.0, d));
        line(out, x, p->top, x, bottom, "stroke=\"" GRID "\"");
        power_of_ten(out, x, bottom + 18.0, "middle", d);
    }
    for (int d = p->y_first; d <= p->y_last; d++) {
        double y = y_at(p, pow(10.0, d));
        line(out, p->left, y, right, y, "stroke=\"" GRID "\"");
        if (d % step == 0) {
            power_of_ten(out, p->left - 6.0, y + 5.0, "end", d);
        }
    }
    fprintf(out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
            "stroke=\"%s\"/>\n",
            p->left, p->top, p->width, p->height, INK);
    text(out, p->left + 0.5 * p->width, p->top - 10.0, "middle", "font-weight=\"bold\"", title);
    text(out, p->left + 0.5 * p->width, bottom + 40.0, "middle", "", x_title);
    fprintf(out,
            "<text transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"middle\">%s"
            "</text>\n",
            p->left - 48.0, p->top + 0.5 * p->height, y_title);
}

static void marker(FILE *out, double x, double y, bool ours, const char *label) {
    if (ours) {
        fprintf(out,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"18\" height=\"18\" fill=\"%s\" "
                "stroke=\"white\"/>\n",
                x - 9.0, y - 9.0, BLUE);
    } else {
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"9\" fill=\"%s\" stroke=\"white\"/>\n", x,
                y, ORANGE);
    }
    text(out, x, y + 4.0, "middle", "fill=\"white\" font-size=\"11\" font-weight=\"bold\"", label);
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

/** Labels of a panel: each is moved up until it hides no other, with a line to where it belongs. */
typedef struct labels {
    double x[BATTERY_ROWS_MAX], y[BATTERY_ROWS_MAX];
    int number[BATTERY_ROWS_MAX];
    int count;
} labels;

static void place_label(FILE *out, labels *l, double x, double y, int number) {
    double at = y;
    for (int i = 0; i < l->count; i++) {
        if (fabs(l->x[i] - x) < 19.0 && fabs(l->y[i] - at) < 19.0) {
            at = l->y[i] - 19.5;
            i = -1; // it may meet another one there; it only ever goes up
        }
    }
    if (at != y) {
        line(out, x, at, x, y, "stroke=\"" INK "\"");
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"/>\n", x, y);
    }
    l->x[l->count] = x;
    l->y[l->count] = at;
    l->number[l->count++] = number;
}

static void battery_panel(FILE *out, const battery_table *t, battery_part part, panel p,
                          methods *m) {
    static const char *const titles[BATTERY_SETS][BATTERY_PARTS] = {
        {"Superovoids, separated", "Superovoids, overlapping"},
        {"Ellipsoids, separated", "Ellipsoids, overlapping"}};
    axes(out, &p, titles[t->cases->set][part], "mean time of a query, &#181;s",
         "mean error of the gap, length");
    labels l = {.count = 0};
    for (size_t r = 0; r < t->row_count; r++) {
        battery_figures f = battery_figure(t, r, part);
        if (has_point(&f)) {
            place_label(out, &l, x_at(&p, f.mean * 1e-3), y_at(&p, f.mean_error),
                        number_of(m, &t->rows[r]));
        }
    }
    // on top of all lines
    for (int i = 0; i < l.count; i++) {
        char words[16];
        snprintf(words, sizeof words, "%d", l.number[i] + 1);
        marker(out, l.x[i], l.y[i], m->ours[l.number[i]], words);
    }
}

void battery_svg(FILE *out, const battery_table *const tables[BATTERY_SETS]) {
    panel p = {.width = 380.0, .height = 300.0, .x_first = -1, .x_last = 1, .y_first = -2};
    methods m = {.count = 0};
    for (int set = 0; set < BATTERY_SETS; set++) {
        for (size_t r = 0; r < tables[set]->row_count; r++) {
            for (int part = 0; part < BATTERY_PARTS; part++) {
                battery_figures f = battery_figure(tables[set], r, (battery_part)part);
                if (has_point(&f)) {
                    number_of(&m, &tables[set]->rows[r]);
                    widen(f.mean * 1e-3, &p.x_first, &p.x_last);
                    widen(fmax(f.mean_error, SMALLEST), &p.y_first, &p.y_last);
                }
            }
        }
    }
    p.y_first--; // room below the lowest
    int legend_rows = (m.count + 1) / 2;
    page(out, 980, 860 + 24 * legend_rows);
    text(out, 490.0, 26.0, "middle", "font-size=\"17\" font-weight=\"bold\"",
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
        char label[16];
        snprintf(label, sizeof label, "%d", i + 1);
        marker(out, x, y, m.ours[i], label);
        text(out, x + 18.0, y + 4.0, "start", "", m.names[i]);
    }
    fputs("</svg>\n", out);
}

/* ---- the accuracy of meshes */

static void curve(FILE *out, const panel *p, const accuracy_step *steps, bool worst, bool times,
                  const char *style) {
    fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" %s points=\"", ORANGE,
            style);
    for (int k = 0; k < ACCURACY_STEPS; k++) {
        double error = worst ? steps[k].worst_error : steps[k].mean_error;
        double value = times ? steps[k].mean_ns * 1e-3 : error;
        fprintf(out, "%.1f,%.1f ", x_at(p, steps[k].vertices), y_at(p, value));
    }
    fputs("\"/>\n", out);
    for (int k = 0; k < ACCURACY_STEPS && !worst; k++) {
        double value = times ? steps[k].mean_ns * 1e-3 : steps[k].mean_error;
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n",
                x_at(p, steps[k].vertices), y_at(p, value), ORANGE);
    }
}

static void level(FILE *out, const panel *p, double value, const char *style) {
    char whole[120];
    snprintf(whole, sizeof whole, "stroke=\"%s\" stroke-width=\"2\" %s", BLUE, style);
    line(out, p->left, y_at(p, value), p->left + p->width, y_at(p, value), whole);
}

static void legend(FILE *out, double x, double y, const char *colour, const char *style,
                   const char *words) {
    char whole[120];
    snprintf(whole, sizeof whole, "stroke=\"%s\" stroke-width=\"2\" %s", colour, style);
    line(out, x, y, x + 34.0, y, whole);
    text(out, x + 42.0, y + 4.0, "start", "", words);
}

void accuracy_svg(FILE *out, const accuracy_study *s) {
    static const char *const dashed = "stroke-dasharray=\"7 4\"";
    panel error = {80.0, 70.0, 380.0, 320.0, 1, 5, -12, 0},
          time = {560.0, 70.0, 380.0, 320.0, 1, 5, -1, 3};
    for (int k = 0; k < ACCURACY_STEPS; k++) {
        widen(s->meshes[k].worst_error, &error.y_first, &error.y_last);
        widen(s->meshes[k].mean_ns * 1e-3, &time.y_first, &time.y_last);
    }
    widen(fmax(s->ovoid.mean_error, SMALLEST), &error.y_first, &error.y_last);
    widen(s->ovoid.mean_ns * 1e-3, &time.y_first, &time.y_last);
    const char *mesh_name = s->by_fcl ? "FCL mesh distance" : "hulls of the meshes";
    char words[120];
    page(out, s->by_fcl ? 980 : 520, 520);
    text(out, s->by_fcl ? 490.0 : 260.0, 28.0, "middle", "font-size=\"17\" font-weight=\"bold\"",
         "Meshes of superovoids against the smooth bodies");
    axes(out, &error, "Error of the gap", "vertices of each mesh", "error of the gap, length");
    curve(out, &error, s->meshes, false, false, "");
    curve(out, &error, s->meshes, true, false, dashed);
    level(out, &error, s->ovoid.mean_error, "");
    level(out, &error, s->ovoid.worst_error, dashed);
    snprintf(words, sizeof words, "%s, mean of %zu pairs", mesh_name, s->pairs);
    legend(out, 60.0, 460.0, ORANGE, "", words);
    snprintf(words, sizeof words, "%s, worst", mesh_name);
    legend(out, 60.0, 482.0, ORANGE, dashed, words);
    legend(out, 370.0, 460.0, BLUE, "", "Ovoid, mean");
    legend(out, 370.0, 482.0, BLUE, dashed, "Ovoid, worst");
    if (s->by_fcl) {
        axes(out, &time, "Time of a query", "vertices of each mesh", "mean time, &#181;s");
        curve(out, &time, s->meshes, false, true, "");
        level(out, &time, s->ovoid.mean_ns * 1e-3, "");
    }
    fputs("</svg>\n", out);
}
