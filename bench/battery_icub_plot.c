/**
 * @file battery_icub_plot.c
 * @brief The picture of the hands: [Benchmark, Fig. 11], the times as distributions, and below it
 * the least gap over the movement.
 *
 * A method has two densities over the logarithm of the time, back to back: upwards the
 * intersecting pairs, which are those of the paper, downwards the separated ones that are near.
 * Each is drawn to the same height, so that a narrow one is not a tall one.
 */
#include "battery_icub.h"

#include <math.h>
#include <stdlib.h>

#include "battery_plot.h"

enum { WIDE = 1180, LABELS = 250, PANEL = 420, GAP = 46, ROW = 54, STEPS = 300, LOW = 190 };
#define BANDWIDTH 0.03 // of the density, in decades

/** Colour of a method's kind; its row's name says the same. */
static const char *colour_of(const icub_row *row) {
    return row->way == ICUB_PEER ? PLOT_ORANGE : row->way == ICUB_SCHEME ? PLOT_GREEN : PLOT_BLUE;
}

static plot_panel panel_of(int version, size_t rows) {
    plot_panel p = {.left = LABELS + version * (PANEL + GAP),
                    .top = 96.0,
                    .width = PANEL,
                    .height = (double)ROW * (double)rows,
                    .x_first = 0,
                    .x_last = 3};
    return p;
}

/* ---- densities */

/** Density of a row's times over the width of a panel; returns its peak, 0 where there is none. */
static double density(const icub_table *t, const icub_row *row, battery_part part,
                      const plot_panel *p, double values[STEPS + 1]) {
    double decades = p->x_last - p->x_first, peak = 0.0;
    for (int k = 0; k <= STEPS; k++) {
        values[k] = 0.0;
    }
    for (size_t i = 0; i < t->query_count; i++) {
        double ns = row->results[i].ns;
        if (t->queries[i].pair.part != part || !isfinite(ns)) {
            continue;
        }
        double at = (log10(fmax(ns * 1e-3, PLOT_SMALLEST)) - p->x_first) / decades;
        for (int k = 0; k <= STEPS; k++) {
            double off = ((double)k / STEPS - at) * decades / BANDWIDTH;
            values[k] += exp(-0.5 * off * off);
        }
    }
    for (int k = 0; k <= STEPS; k++) {
        peak = fmax(peak, values[k]);
    }
    return peak;
}

static void half_violin(FILE *out, const icub_table *t, size_t r, battery_part part,
                        const plot_panel *p, double middle) {
    double values[STEPS + 1], peak = density(t, &t->rows[r], part, p, values);
    double sign = part == BATTERY_OVERLAPPING ? -1.0 : 1.0;
    if (!(peak > 0.0)) {
        return;
    }
    fprintf(out, "<path d=\"M%.1f %.1f", p->left, middle);
    for (int k = 0; k <= STEPS; k++) {
        fprintf(out, "L%.1f %.1f", p->left + p->width * k / STEPS,
                middle + sign * 0.42 * ROW * values[k] / peak);
    }
    fprintf(out, "L%.1f %.1fZ\" fill=\"%s\" fill-opacity=\"%s\"/>\n", p->left + p->width, middle,
            colour_of(&t->rows[r]), part == BATTERY_OVERLAPPING ? "0.75" : "0.35");
    icub_figures f = icub_figure(t, r, part);
    double x = plot_x(p, f.median * 1e-3);
    plot_line(out, x, middle, x, middle + sign * 0.44 * ROW,
              "stroke=\"" PLOT_INK "\" stroke-width=\"2\"");
}

static void diamond(FILE *out, double x, double y, const char *style) {
    fprintf(out, "<path d=\"M%.1f %.1fl6 6l-6 6l-6 -6Z\" %s/>\n", x, y - 6.0, style);
}

#define MEAN_STYLE "fill=\"white\" stroke=\"" PLOT_INK "\" stroke-width=\"1.5\""
#define PAPER_STYLE "fill=\"" PLOT_INK "\" stroke=\"white\""

static void draw_times(FILE *out, const icub_table *t, plot_panel p) {
    static const char *const decades[] = {"1 ns",      "10 ns",      "0.1 &#181;s",
                                          "1 &#181;s", "10 &#181;s", "100 &#181;s",
                                          "1 ms",      "10 ms",      "100 ms"};
    double bottom = p.top + p.height;
    for (int d = p.x_first; d <= p.x_last; d++) {
        double x = plot_x(&p, pow(10.0, d));
        plot_line(out, x, p.top, x, bottom, "stroke=\"" PLOT_GRID "\"");
        if (d >= -3 && d <= 5) {
            plot_text(out, x, bottom + 18.0, "middle", "", decades[d + 3]);
        }
    }
    for (size_t r = 0; r < t->row_count; r++) {
        double middle = p.top + ROW * ((double)r + 0.5);
        plot_line(out, p.left, middle, p.left + p.width, middle, "stroke=\"" PLOT_GRID "\"");
        half_violin(out, t, r, BATTERY_OVERLAPPING, &p, middle);
        half_violin(out, t, r, BATTERY_SEPARATED, &p, middle);
        icub_figures f = icub_figure(t, r, BATTERY_OVERLAPPING);
        if (isfinite(f.mean)) {
            diamond(out, plot_x(&p, f.mean * 1e-3), middle, MEAN_STYLE);
        }
        if (isfinite(t->rows[r].paper[0].mean)) {
            diamond(out, plot_x(&p, t->rows[r].paper[0].mean), middle, PAPER_STYLE);
        }
    }
    fprintf(out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
            "stroke=\"%s\"/>\n",
            p.left, p.top, p.width, p.height, PLOT_INK);
    char title[80];
    snprintf(title, sizeof title, "%s",
             t->hands->version == ICUB_SUPERELLIPSOIDS ? "Superellipsoids"
                                                       : "Superellipsoids, tips superovoids");
    plot_text(out, p.left + 0.5 * p.width, p.top - 10.0, "middle", "font-weight=\"bold\"", title);
}

static void draw_labels(FILE *out, const icub_table *t, const plot_panel *p) {
    for (size_t r = 0; r < t->row_count; r++) {
        double middle = p->top + ROW * ((double)r + 0.5);
        plot_text(out, p->left - 10.0, middle + 4.0, "end", "font-size=\"12\"", t->rows[r].name);
    }
}

/* ---- the least gap over the movement */

/** Least gap of a row in a frame, in millimetres; NaN where no pair was near. */
static double least_gap(const icub_table *t, const icub_row *row, size_t frame) {
    double least = NAN;
    for (size_t i = 0; i < t->query_count; i++) {
        if (t->queries[i].frame == frame && row->results[i].verdict != VERDICT_NONE) {
            // a mesh that says that they meet says no more
            double gap = isfinite(row->results[i].gap) ? row->results[i].gap : 0.0;
            least = fmin(least, gap * 1e3); // the other one where one is NaN
        }
    }
    return least;
}

#define MESH_STYLE "stroke=\"" PLOT_ORANGE "\" stroke-width=\"4\" stroke-opacity=\"0.6\""
#define LEAST_STYLE "stroke=\"" PLOT_BLUE "\" stroke-width=\"2\""
#define FOLLOWED_STYLE "stroke=\"" PLOT_BLUE "\" stroke-width=\"1\" stroke-dasharray=\"3 2\""

static double gap_y(const plot_panel *p, double gap) {
    double t = (gap - p->y_first) / (p->y_last - p->y_first);
    return p->top + p->height * (1.0 - fmin(1.0, fmax(0.0, t)));
}

static void draw_gap(FILE *out, const icub_table *t, const plot_panel *p, const char *id,
                     const char *style) {
    size_t r = icub_find_row(t, id);
    if (r == t->row_count) {
        return;
    }
    bool drawing = false;
    fputs("<path fill=\"none\" d=\"", out);
    for (size_t f = 0; f < t->hands->frame_count; f++) {
        double gap = least_gap(t, &t->rows[r], f);
        double x = p->left + p->width * (double)f / (double)(t->hands->frame_count - 1);
        if (isfinite(gap)) {
            fprintf(out, "%c%.1f %.1f", drawing ? 'L' : 'M', x, gap_y(p, gap));
        }
        drawing = isfinite(gap);
    }
    fprintf(out, "\" %s/>\n", style);
}

static void draw_movement(FILE *out, const icub_table *t, plot_panel p) {
    char words[32];
    for (int gap = p.y_first; gap <= p.y_last; gap += 5) {
        double y = gap_y(&p, gap);
        plot_line(out, p.left, y, p.left + p.width, y, "stroke=\"" PLOT_GRID "\"");
        snprintf(words, sizeof words, "%s%d", gap < 0 ? "&#8722;" : "", abs(gap));
        plot_text(out, p.left - 6.0, y + 4.0, "end", "", words);
    }
    for (int k = 0; k <= 4; k++) {
        double frame = (double)(t->hands->frame_count - 1) * k / 4.0;
        snprintf(words, sizeof words, "%.0f", frame);
        plot_text(out, p.left + p.width * k / 4.0, p.top + p.height + 18.0, "middle", "", words);
    }
    fprintf(out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
            "stroke=\"%s\"/>\n",
            p.left, p.top, p.width, p.height, PLOT_INK);
    plot_text(out, p.left + 0.5 * p.width, p.top + p.height + 38.0, "middle", "", "frame");
    draw_gap(out, t, &p, "fcl_mesh_distance", MESH_STYLE);
    draw_gap(out, t, &p, "ovoid_coherent", FOLLOWED_STYLE);
    draw_gap(out, t, &p, "ovoid_coherent_global", LEAST_STYLE);
}

/* ---- the page */

static void widen(const icub_table *t, plot_panel *p) {
    for (size_t r = 0; r < t->row_count; r++) {
        for (int part = 0; part < BATTERY_PARTS; part++) {
            icub_figures f = icub_figure(t, r, (battery_part)part);
            // the few slowest must not make the rest narrow
            plot_widen(f.p99 * 1e-3, &p->x_first, &p->x_last);
            plot_widen(f.median * 0.7e-3, &p->x_first, &p->x_last);
        }
    }
}

static void draw_legend(FILE *out, double y) {
    double x = LABELS;
    plot_text(out, x, y, "start", "",
              "up: intersecting pairs, as in the paper; down: separated pairs nearer than 5 mm; "
              "lines: medians");
    diamond(out, x + 6.0, y + 18.0, MEAN_STYLE);
    plot_text(out, x + 20.0, y + 22.0, "start", "", "mean over the intersecting pairs");
    diamond(out, x + 256.0, y + 18.0, PAPER_STYLE);
    plot_text(out, x + 270.0, y + 22.0, "start", "",
              "the same as [Benchmark, Table 4] prints it, on its machine and hands");
}

static void draw_gap_legend(FILE *out, double y) {
    static const struct {
        double x;
        const char *style, *words;
    } lines[] = {{0.0, LEAST_STYLE, "Ovoid, coherent, least depth of all"},
                 {290.0, FOLLOWED_STYLE, "Ovoid, coherent: a depth is followed"},
                 {590.0, MESH_STYLE, "FCL mesh distance: no depth, drawn as 0"}};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        double x = LABELS + lines[i].x;
        plot_line(out, x, y, x + 34.0, y, lines[i].style);
        plot_text(out, x + 42.0, y + 4.0, "start", "", lines[i].words);
    }
}

/** Lowest line of the panels of the gap: a multiple of 5 mm below all gaps. */
static int lowest(const icub_table *const tables[ICUB_VERSIONS]) {
    double least = -5.0;
    for (int v = 0; v < ICUB_VERSIONS; v++) {
        for (size_t r = 0; r < tables[v]->row_count; r++) {
            const icub_row *row = &tables[v]->rows[r];
            for (size_t i = 0; i < tables[v]->query_count && row->way == ICUB_OVOID; i++) {
                least = fmin(least, row->results[i].gap * 1e3);
            }
        }
    }
    return 5 * (int)floor(fmax(least, -1000.0) / 5.0);
}

void icub_svg(FILE *out, const icub_table *const tables[ICUB_VERSIONS]) {
    size_t rows = tables[0]->row_count;
    plot_panel range = panel_of(0, rows);
    widen(tables[0], &range);
    widen(tables[1], &range);
    double legend = range.top + range.height + 46.0, low = legend + 72.0;
    plot_page(out, WIDE, (int)(low + LOW + 84.0));
    plot_text(out, 0.5 * WIDE, 30.0, "middle", "font-size=\"17\" font-weight=\"bold\"",
              "Hands of the iCub through each other: time of a query, and least gap");
    plot_text(out, 0.5 * WIDE, 52.0, "middle", "", "after [Benchmark, Fig. 11]; left is better");
    draw_labels(out, tables[0], &range);
    for (int v = 0; v < ICUB_VERSIONS; v++) {
        plot_panel p = panel_of(v, rows);
        p.x_first = range.x_first;
        p.x_last = range.x_last;
        draw_times(out, tables[v], p);
        p.top = low;
        p.height = LOW;
        p.y_first = lowest(tables);
        p.y_last = 5; // ICUB_NEAR
        draw_movement(out, tables[v], p);
    }
    draw_legend(out, legend);
    plot_upright(out, LABELS - 46.0, low + 0.5 * LOW, "least gap, mm");
    draw_gap_legend(out, low + LOW + 62.0);
    fputs("</svg>\n", out);
}
