/**
 * @file svg.h
 * @brief What the pictures of the command are made of, as SVG: a view, shaded bodies and their
 * outlines, texts, dots and arrows.
 */
#ifndef OVOID_CLI_DRAW_SVG_H
#define OVOID_CLI_DRAW_SVG_H

#include <stddef.h>
#include <stdio.h>

#include <ovoid/shape.h>
#include <ovoid/world.h>

/* ---- the page and the view (svg.c) ----------------------------------------------------------- */

/** The page of a scene or a motion, in pixels. */
enum {
    SVG_PAGE_WIDTH = 1060,
    SVG_PAGE_MOST_HEIGHT = 620, /**< of what is drawn, without head and foot */
    SVG_PAGE_MARGIN = 50,
    SVG_PAGE_HEAD = 70,
    SVG_PAGE_FOOT = 66
};

#define SVG_FONT "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"

typedef struct svg_range {
    double low, high;
} svg_range;

/** Begins a page of SVG_PAGE_WIDTH and this height, with a title; `</svg>` ends it. */
void svg_page_begin(FILE *out, const char *title, double height);

/** Nothing yet: the first value becomes both ends. */
svg_range svg_range_empty(void);
void svg_range_widen(svg_range *r, double low, double high);

/** Parallel projection; the three vectors are an orthonormal right-handed frame. */
typedef struct svg_view {
    ov_vec3 right, up, eye; /**< `eye` points from the picture to the reader */
    ov_vec3 light;          /**< unit, towards the light */
    double scale;           /**< pixels per unit of length */
} svg_view;

/** View from an elevation above the xy plane, from the front left, light from the upper left. */
svg_view svg_view_make(double elevation_deg, double scale);

/** Colours from shadow to highlight, red, green and blue from 0 to 255. */
typedef struct svg_ramp {
    double stops[4][3];
} svg_ramp;

/** Brightness of a surface with this unit normal, 0 to 1. */
double svg_shade(const svg_view *view, ov_vec3 normal);
/** Writes an attribute, as in ` fill="#a0b0c0"`: the colour of a brightness. */
void svg_write_colour(FILE *out, const svg_ramp *ramp, const char *attribute, double shade);

/** Is a part of finite size? A half-space is not, and is drawn as ground if at all. */
bool svg_part_is_bounded(const ov_part *part);
/** Two orthogonal directions within the plane of a unit normal. */
void svg_plane_axes(ov_vec3 normal, ov_vec3 *t1, ov_vec3 *t2);

/* ---- marks (svg.c): on top of a picture ------------------------------------------------------ */

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

/* ---- bodies (svg_body.c) --------------------------------------------------------------------- */

/** Coordinates in the paths of bodies are whole numbers of this part of a pixel. */
#define SVG_BODY_UNIT 0.1

/**
 * Writes the paths of a shape of finite size, its origin at (0, 0), in units of SVG_BODY_UNIT
 * pixels, y down. OV_ERROR_MEMORY, or what the mesh functions answer.
 */
ov_status svg_shape_draw(FILE *out, const ov_shape *shape, const svg_view *view,
                         const svg_ramp *ramp);
/**
 * The same for a triangle mesh with `origin`, a point near it, at (0, 0): whole numbers, and shapes
 * of triangles, do not serve far from there. Triangle i has the ramp ramps[which[i]], or where
 * `which` is null all have the first. A mesh without any area is drawn as lines.
 */
ov_status svg_mesh_draw(FILE *out, const ov_trimesh *mesh, ov_vec3 origin, const svg_view *view,
                        const svg_ramp *ramps, const uint32_t *which);
/** The middle of a mesh's box. */
ov_vec3 svg_mesh_middle(const ov_trimesh *mesh);

/** A triangle: nothing if it has no area. */
ov_status svg_triangle_draw(FILE *out, const ov_vec3 corners[3], const svg_view *view,
                            const svg_ramp *ramp);
/** The longest edge of a triangle, as a line. */
void svg_sliver_draw(FILE *out, const ov_vec3 corners[3], const svg_view *view,
                     const svg_ramp *ramp);
/** Has any triangle of a mesh an area, as seen from `origin`? */
bool svg_mesh_has_area(const ov_trimesh *mesh, ov_vec3 origin);

/**
 * Writes one path, the outline of a shape, with the given attributes. Here the view need not be
 * orthonormal: with vectors along a slanting plane the outline is the body's shadow.
 */
ov_status svg_shape_outline(FILE *out, const ov_shape *shape, const svg_view *view,
                            const char *attributes);

/* ---- what hides what (painter.c) ------------------------------------------------------------- */

/** What is painted at once, placed near the origin. */
typedef struct svg_piece {
    const ov_shape *shape;           /**< convex, of finite size; null: a triangle */
    ov_pose pose;                    /**< of the shape; of a triangle the identity */
    ov_vec3 corners[3];              /**< of the triangle */
    uint32_t body;                   /**< for the caller: whose it is, */
    bool sliver;                     /**< and whether its longest edge is drawn */
    svg_range across, upward, depth; /**< along the view's directions: set by svg_sort_pieces */
} svg_piece;

/** Reach of a placed shape of finite size along a world direction. */
svg_range svg_shape_reach(const ov_shape *shape, ov_pose pose, ov_vec3 direction);

/** Writes the order of painting, `count` numbers of pieces. OV_ERROR_MEMORY. */
ov_status svg_sort_pieces(svg_piece *pieces, size_t count, const svg_view *view, size_t *order);

#endif
