/**
 * @file svg_marks.h
 * @brief Texts, dots and arrows on top of a picture, and room for texts.
 */
#ifndef OVOID_CLI_SVG_MARKS_H
#define OVOID_CLI_SVG_MARKS_H

#include <stddef.h>
#include <stdio.h>

/** A text; it may come from a file, so what SVG would take for markup is escaped. */
void svg_label(FILE *out, double x, double y, double size, const char *style, const char *text);
void svg_arrow(FILE *out, double x, double y, double dx, double dy, const char *colour);
void svg_dot(FILE *out, double x, double y, const char *colour);

/** A part of the picture that is taken. */
typedef struct svg_box {
    double x0, y0, x1, y1;
} svg_box;

/** Area that two boxes have in common. */
double svg_box_common(svg_box a, svg_box b);

/** All parts that are taken; `boxes` is the caller's, of `room` elements. */
typedef struct svg_places {
    svg_box *boxes;
    size_t count, room;
} svg_places;

void svg_places_take(svg_places *p, double x, double y, double half_width, double half_height);
/**
 * Looks around the point (x, y) for the place of a text where it covers least, takes it, and writes
 * where the text begins, on its base line.
 */
void svg_places_find(svg_places *p, double *x, double *y, double width, double height);

#endif
