/**
 * @file battery_motion_plot.c
 * @brief The study of motions as a picture: squares over their number of pairs, and what a proof
 * costs by clearance and by length.
 */
#include <math.h>

#include "battery_motion.h"
#include "battery_plot.h"

enum { POINTS_MAX = 16, CURVES_MAX = 4 };

typedef struct line {
    const char *colour, *dash, *words;
    double x[POINTS_MAX], y[POINTS_MAX];
    size_t count;
} line;

static void put(line *l, double x, double y) {
    if (l->count < POINTS_MAX && isfinite(x) && isfinite(y) && x > 0.0 && y > 0.0) {
        l->x[l->count] = x;
        l->y[l->count++] = y;
    }
}

static void draw_line(FILE *out, const plot_panel *panel, const line *l) {
    fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" %s points=\"", l->colour,
            l->dash);
    for (size_t i = 0; i < l->count; i++) {
        fprintf(out, "%.1f,%.1f ", plot_x(panel, l->x[i]), plot_y(panel, l->y[i]));
    }
    fputs("\"/>\n", out);
    for (size_t i = 0; i < l->count; i++) {
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>\n",
                plot_x(panel, l->x[i]), plot_y(panel, l->y[i]), l->colour);
    }
}

/** A panel around its lines, with what they are below the axis. */
static void draw_panel(FILE *out, plot_panel panel, const char *title, const char *x_title,
                       const char *y_title, const line *lines, size_t count) {
    bool first = true;
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < lines[k].count; i++) {
            if (first) {
                panel.x_first = panel.x_last = (int)floor(log10(lines[k].x[i]));
                panel.y_first = panel.y_last = (int)floor(log10(lines[k].y[i]));
                first = false;
            }
            plot_widen(lines[k].x[i], &panel.x_first, &panel.x_last);
            plot_widen(lines[k].y[i], &panel.y_first, &panel.y_last);
        }
    }
    panel.x_last += panel.x_last == panel.x_first;
    panel.y_last += panel.y_last == panel.y_first;
    plot_axes(out, &panel, title, x_title, y_title);
    for (size_t k = 0; k < count; k++) {
        char style[128];
        double y = panel.top + panel.height + 66.0 + 20.0 * (double)k;
        draw_line(out, &panel, &lines[k]);
        snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"2\" %s", lines[k].colour,
                 lines[k].dash);
        plot_line(out, panel.left, y, panel.left + 34.0, y, style);
        plot_text(out, panel.left + 42.0, y + 4.0, "start", "font-size=\"12\"", lines[k].words);
    }
}

static void draw_squares(FILE *out, const squares_study *s, plot_panel panel) {
    line lines[3] = {{PLOT_ORANGE, "", "printed [Toleranced, Table 2]", {0.0}, {0.0}, 0},
                     {PLOT_BLUE, "", "Ovoid, all pairs", {0.0}, {0.0}, 0},
                     {PLOT_BLUE, "stroke-dasharray=\"7 4\"", "Ovoid, hierarchy", {0.0}, {0.0}, 0}};
    for (size_t n = 1; n <= s->most; n++) {
        const squares_run *runs = s->tables[OV_MASS_USE_INDIVIDUAL].runs[SQUARES_NEAR][n - 1];
        double pairs = pow((double)n, 4.0);
        put(&lines[0], pairs, squares_printed(OV_MASS_USE_INDIVIDUAL, SQUARES_NEAR, n));
        put(&lines[1], pairs, 1e-9 * runs[0].ns);
        put(&lines[2], pairs, 1e-9 * runs[1].ns);
    }
    for (size_t k = 0; k < s->more_count; k++) {
        double pairs = pow((double)s->more_n[k], 4.0);
        put(&lines[1], pairs, 1e-9 * s->more[k][0].ns);
        put(&lines[2], pairs, 1e-9 * s->more[k][1].ns);
    }
    draw_panel(out, panel, "Squares, near-collision", "pairs of sub-squares, n^4", "time, s", lines,
               3);
}

static void draw_cost(FILE *out, const cost_study *s, plot_panel left, plot_panel right) {
    line lines[2] = {{PLOT_BLUE, "", "superovoids, half a turn, ten sizes", {0.0}, {0.0}, 0},
                     {PLOT_GREEN,
                      "stroke-dasharray=\"7 4\"",
                      "squares in 16 parts, hierarchy",
                      {0.0},
                      {0.0},
                      0}};
    line lengths[2] = {
        {PLOT_BLUE, "", "superovoids passing, clear by a tenth of a size", {0.0}, {0.0}, 0},
        {PLOT_ORANGE, "stroke-dasharray=\"7 4\"", "superovoids turning in place", {0.0}, {0.0}, 0}};
    for (size_t k = 0; k < s->clearance.count; k++) {
        put(&lines[0], s->clearance.x[k], 1e-3 * s->clearance.ns[k]);
    }
    for (size_t k = 0; k < s->squares.count; k++) {
        put(&lines[1], s->squares.x[k], 1e-3 * s->squares.ns[k]);
    }
    for (size_t k = 0; k < s->length.count; k++) {
        put(&lengths[0], s->length.x[k], 1e-3 * s->length.ns[k]);
    }
    for (size_t k = 0; k < s->spin.count; k++) {
        put(&lengths[1], s->spin.x[k], 1e-3 * s->spin.ns[k]);
    }
    draw_panel(out, left, "Cost by clearance", "clearance, in sizes", "time of a proof, &#181;s",
               lines, 2);
    draw_panel(out, right, "Cost by length", "way, in sizes", "time of a proof, &#181;s", lengths,
               2);
}

void motion_svg(FILE *out, const motion_study *study) {
    plot_panel panel = {80.0, 70.0, 300.0, 300.0, 0, 1, 0, 1, false}, middle = panel, right = panel;
    middle.left = 480.0;
    right.left = 880.0;
    plot_page(out, 1220, 510);
    plot_text(out, 610.0, 28.0, "middle", "font-size=\"17\" font-weight=\"bold\"",
              "What it costs to prove a motion free");
    draw_squares(out, &study->squares, panel);
    draw_cost(out, &study->cost, middle, right);
    fputs("</svg>\n", out);
}
