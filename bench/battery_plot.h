/**
 * @file battery_plot.h
 * @brief What the pictures of the studies share: page, texts, lines, panels with logarithmic axes,
 * numbered points.
 *
 * Colours are those of Okabe and Ito, which stay apart in print and for most colour-blind eyes;
 * what a colour says is said by a marker, a dash or a label as well. Texts are SVG already.
 */
#ifndef OVOID_BENCH_BATTERY_PLOT_H
#define OVOID_BENCH_BATTERY_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define PLOT_INK "#222222"
#define PLOT_GRID "#dddddd"
#define PLOT_BLUE "#0072b2"
#define PLOT_ORANGE "#d55e00"
#define PLOT_GREEN "#007a5a"
#define PLOT_SMALLEST 1e-18 // an error of zero has no logarithm; it is drawn at the panel's edge

/** A panel in the page's coordinates, and the decades it shows. */
typedef struct plot_panel {
    double left, top, width, height;
    int x_first, x_last, y_first, y_last;
    bool percent; /**< y in plain numbers, from y_first to y_last, a grid line at every ten */
} plot_panel;

double plot_x(const plot_panel *p, double value);
double plot_y(const plot_panel *p, double value);
/** Makes room for a value in a range of decades. */
void plot_widen(double value, int *first, int *last);

void plot_page(FILE *out, int width, int height);
void plot_text(FILE *out, double x, double y, const char *anchor, const char *style,
               const char *words);
void plot_line(FILE *out, double x1, double y1, double x2, double y2, const char *style);
/** Frame, grid by decades, labels and titles. */
void plot_axes(FILE *out, const plot_panel *p, const char *title, const char *x_title,
               const char *y_title);
/** The title of a vertical axis, its middle at (x, y). */
void plot_upright(FILE *out, double x, double y, const char *words);

/** Something with a number in it: a square where it is ours, else a disc. */
void plot_marker(FILE *out, double x, double y, bool ours, int number);

typedef struct plot_point {
    double x, y; /**< values */
    int number;  /**< what is written in the marker */
    bool ours;
} plot_point;

enum { PLOT_POINTS_MAX = 64 };

/** Marks points; a marker that would hide another is moved, with a line to where it belongs. */
void plot_points(FILE *out, const plot_panel *p, const plot_point *points, size_t count);

#endif
