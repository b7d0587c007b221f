/**
 * @file gallery_picture.c
 * @brief A picture of the family: shaded superovoids over the range of both exponents.
 *
 * After [Benchmark, Fig. 1], which runs along e1 = e2 only; here the two exponents have an axis
 * each, and a second panel adds the taper.
 */
#include <math.h>

#include "pictures.h"
#include "svg.h"

enum { MAX_PANELS = 2 };

typedef struct panel {
    double tx, ty;
    const char *title; /**< null: made from the taper */
    svg_ramp ramp;
} panel;

/** Places of the picture, in pixels. */
typedef struct layout {
    double top;         /**< of the first row of cells */
    double left;        /**< room for the labels of the rows, before each panel */
    double panel_width; /**< labels included */
    double width, height;
} layout;

typedef struct drawing {
    const gallery *g;
    size_t panel_count;
    panel panels[MAX_PANELS];
    layout at;
} drawing;

static const svg_ramp blue = {{{22, 46, 78}, {62, 120, 178}, {150, 200, 234}, {250, 254, 255}}};
static const svg_ramp amber = {{{84, 38, 20}, {192, 104, 46}, {242, 184, 116}, {255, 253, 246}}};

static drawing lay_out(const gallery *g) {
    drawing d = {.g = g};
    if (g->has_taper) {
        d.panel_count = 1;
        d.panels[0] = (panel){g->tx, g->ty, NULL, amber};
    } else {
        d.panel_count = 2;
        d.panels[0] = (panel){0.0, 0.0, "Superellipsoids: no taper", blue};
        d.panels[1] = (panel){-0.25, -0.25, NULL, amber};
    }
    layout *l = &d.at;
    l->left = 74.0;
    l->top = 118.0;
    l->panel_width = l->left + g->cell * (double)g->columns.count;
    l->width = l->panel_width * (double)d.panel_count + 24.0;
    l->height = l->top + g->cell * (double)g->rows.count + 42.0;
    return d;
}

static void write_text(FILE *out, double x, double y, double size, const char *style,
                       const char *text) {
    fprintf(out, "<text x=\"%g\" y=\"%g\" font-size=\"%g\" %s>%s</text>\n", x, y, size, style,
            text);
}

/* Symbols with an index, by means that every viewer has: what is lowered must be raised again. */
#define ITALIC(text) "<tspan font-style=\"italic\">" text "</tspan>"
#define LOWERED(text) "<tspan dy=\"3\" font-size=\"10\">" text "</tspan>"
#define RAISED(text) "<tspan dy=\"-3\">" text "</tspan>"
#define RAISED_APART(text) "<tspan dx=\"4\" dy=\"-3\">" text "</tspan>"

/** A number with a true minus sign. */
static void write_taper(double taper, char *text, size_t size) {
    snprintf(text, size, "%s%g", taper < 0.0 ? "\xe2\x88\x92" : "", fabs(taper));
}

static void draw_labels(FILE *out, const drawing *d, const panel *p, double x0) {
    const layout *l = &d->at;
    double across = x0 + l->left + 0.5 * d->g->cell * (double)d->g->columns.count;
    double middle = l->top + 0.5 * d->g->cell * (double)d->g->rows.count;
    char text[512];
    const char *title = p->title;
    if (title == NULL) {
        char tx[32], ty[32];
        write_taper(p->tx, tx, sizeof tx);
        write_taper(p->ty, ty, sizeof ty);
        snprintf(text, sizeof text,
                 "Superovoids: taper " ITALIC("t") LOWERED("x") RAISED_APART("= %s, " ITALIC("t"))
                     LOWERED("y") RAISED_APART("= %s"),
                 tx, ty);
        title = text;
    }
    write_text(out, across, 62.0, 15.0, "text-anchor=\"middle\" font-weight=\"bold\"", title);
    write_text(out, across, 86.0, 13.0, "text-anchor=\"middle\" fill=\"#444\"",
               ITALIC("e") LOWERED("1") RAISED(", squareness in the xy section \xe2\x86\x92"));
    for (size_t i = 0; i < d->g->columns.count; i++) {
        char value[32];
        snprintf(value, sizeof value, "%g", d->g->columns.v[i]);
        write_text(out, x0 + l->left + d->g->cell * ((double)i + 0.5), l->top - 10.0, 13.0,
                   "text-anchor=\"middle\"", value);
    }
    for (size_t i = 0; i < d->g->rows.count; i++) {
        char value[32];
        snprintf(value, sizeof value, "%g", d->g->rows.v[i]);
        write_text(out, x0 + l->left - 8.0, l->top + d->g->cell * ((double)i + 0.5) + 4.5, 13.0,
                   "text-anchor=\"end\"", value);
    }
    fprintf(out, "<g transform=\"translate(%g %g) rotate(-90)\">", x0 + 24.0, middle);
    write_text(out, 0.0, 0.0, 13.0, "text-anchor=\"middle\" fill=\"#444\"",
               "\xe2\x86\x90 " ITALIC("e") LOWERED("2") RAISED(", squareness along z"));
    fputs("</g>\n", out);
}

/** Largest reach of the bodies from the middle of their cell, seen from the given view. */
static double reach_in_view(const panel *p, const svg_view *v) {
    // all lie inside the tapered box of half extents 1
    double widest_x = 1.0 + fabs(p->tx), widest_y = 1.0 + fabs(p->ty);
    double across = widest_x * fabs(v->right.x) + widest_y * fabs(v->right.y);
    double upward = widest_x * fabs(v->up.x) + widest_y * fabs(v->up.y) + fabs(v->up.z);
    return fmax(across, upward);
}

/** One body, or a word where its surface is too far from convex to be one. */
static ov_status draw_cell(FILE *out, const drawing *d, const panel *p, const svg_view *view,
                           double e1, double e2) {
    ov_shape shape;
    ov_status status =
        ov_shape_make_superovoid(ov_vec3_make(1.0, 1.0, 1.0), e1, e2, p->tx, p->ty, NULL, &shape);
    if (status == OV_ERROR_DENT) {
        write_text(out, 0.0, 4.0, 12.0, "text-anchor=\"middle\" fill=\"#888\"", "not convex");
        return OV_OK;
    }
    if (status < 0) {
        return status;
    }
    // a soft shadow on the ground sets the body off from the paper
    double foot = 0.5 * d->g->cell - 0.1 * d->g->cell;
    fprintf(out,
            "<ellipse cx=\"%g\" cy=\"%g\" rx=\"%g\" ry=\"%g\" fill=\"url(#ground)\"/>\n"
            "<g transform=\"scale(%g)\" stroke-width=\"3\" stroke-linejoin=\"round\">\n",
            0.06 * d->g->cell, foot - 0.06 * d->g->cell, 0.44 * d->g->cell, 0.16 * d->g->cell,
            SVG_BODY_UNIT);
    status = svg_shape_draw(out, &shape, view, &p->ramp);
    fputs("</g>\n", out);
    return status;
}

static ov_status draw_panel(FILE *out, const drawing *d, const panel *p, double x0) {
    const layout *l = &d->at;
    svg_view view = svg_view_make(24.0, 1.0);
    view.scale = 0.47 * d->g->cell / reach_in_view(p, &view);
    draw_labels(out, d, p, x0);
    for (size_t row = 0; row < d->g->rows.count; row++) {
        for (size_t column = 0; column < d->g->columns.count; column++) {
            fprintf(out, "<g transform=\"translate(%g %g)\">\n",
                    x0 + l->left + d->g->cell * ((double)column + 0.5),
                    l->top + d->g->cell * ((double)row + 0.5));
            ov_status status =
                draw_cell(out, d, p, &view, d->g->columns.v[column], d->g->rows.v[row]);
            fputs("</g>\n", out);
            if (status < 0) {
                return status;
            }
        }
    }
    return OV_OK;
}

static ov_status draw(FILE *out, const drawing *d) {
    const layout *l = &d->at;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" "
            "viewBox=\"0 0 %g %g\" font-family=\"%s\" fill=\"#111\">\n"
            "<title>The superovoid family</title>\n"
            "<defs><radialGradient id=\"ground\"><stop offset=\"0\" stop-color=\"#000\" "
            "stop-opacity=\"0.28\"/><stop offset=\"0.6\" stop-color=\"#000\" "
            "stop-opacity=\"0.1\"/><stop offset=\"1\" stop-color=\"#000\" stop-opacity=\"0\"/>"
            "</radialGradient></defs>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            l->width, l->height, l->width, l->height, SVG_FONT);
    write_text(out, 0.5 * l->width, 32.0, 22.0, "text-anchor=\"middle\" font-weight=\"bold\"",
               "The superovoid family");
    ov_status status = OV_OK;
    for (size_t i = 0; i < d->panel_count && status >= 0; i++) {
        status = draw_panel(out, d, &d->panels[i], l->panel_width * (double)i);
    }
    write_text(out, 0.5 * l->width, l->height - 16.0, 13.0, "text-anchor=\"middle\" fill=\"#444\"",
               "Semi-axes all 1. Exponents towards 0 are square, 1 is round, 2 is bevelled.");
    fputs("</svg>\n", out);
    return status;
}

ov_status gallery_picture_draw(FILE *out, const gallery *g, size_t *shapes) {
    drawing d = lay_out(g);
    *shapes = d.panel_count * g->columns.count * g->rows.count;
    return draw(out, &d);
}
