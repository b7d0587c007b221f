/**
 * @file sweep_drawing.h
 * @brief What the files that draw a motion share: the picture being drawn.
 */
#ifndef OVOID_CLI_SWEEP_DRAWING_H
#define OVOID_CLI_SWEEP_DRAWING_H

#include "svg_picture.h"
#include "sweep_outline.h"
#include "sweep_report.h"

/** Times of which all things are drawn: so many evenly spread, and a few of contacts. */
enum { SWEEP_EVEN_FRAMES = 16, SWEEP_EXTRA_FRAMES = 8 };
/** Pairs of things that have a bar of their own. */
enum { SWEEP_ROWS_MAX = 10 };

/** What is known of a thing at a time. */
typedef enum sweep_state { SWEEP_APART = 0, SWEEP_OPEN, SWEEP_MEETS } sweep_state;

/** Two things with an interval. */
typedef struct sweep_row {
    uint32_t a, b;
} sweep_row;

typedef struct sweep_drawing {
    FILE *out;
    const sweep_report *report;
    size_t things, frames;
    double times[SWEEP_EVEN_FRAMES + SWEEP_EXTRA_FRAMES]; /**< of the frames, ascending */
    ov_affine *places;                                    /**< [frame * things + thing] */
    sweep_state *states;                                  /**< the same */
    bool *moves;                                          /**< one a thing */
    sweep_row rows[SWEEP_ROWS_MAX];
    size_t row_count;
    bool more_rows;
    svg_view view;
    svg_range across, upward; /**< of all that is drawn, along the view's right and up */
    double width, height;     /**< pixels */
    double bar_top;
    outline outline; /**< of one thing, again and again */
    svg_places names;
} sweep_drawing;

/** Red for a proven contact, violet for what is open, green for apart: as in pictures of scenes. */
const char *sweep_colour(sweep_state state);
sweep_state sweep_state_of(const ov_sweep_interval *interval);

/* ---- sweep_picture.c */

double sweep_pixel_x(const sweep_drawing *d, double across);
double sweep_pixel_y(const sweep_drawing *d, double upward);

/* ---- sweep_bodies.c */

/** Extent of all things; false for want of memory. */
bool sweep_measure(sweep_drawing *d);
bool sweep_draw_bodies(sweep_drawing *d);
void sweep_draw_names(sweep_drawing *d);

/* ---- sweep_bar.c */

/** Height of the bars, in pixels. */
double sweep_bar_height(const sweep_drawing *d);
void sweep_draw_bar(const sweep_drawing *d);

#endif
