/**
 * @file verb_gallery.c
 * @brief `ovoid gallery`: a picture of the family, superovoids over the range of both exponents.
 *
 * After [Benchmark, Fig. 1], which runs along e1 = e2 only; here the two exponents have an axis
 * each, and a second panel adds the taper.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/shape.h>

#include "cli.h"
#include "svg_body.h"

enum {
    OPTION_OUTPUT,
    OPTION_COLUMNS,
    OPTION_ROWS,
    OPTION_TX,
    OPTION_TY,
    OPTION_SIZE,
    OPTION_COUNT
};

static const args_option options[OPTION_COUNT] = {
    {"--output", 'o', 1, "FILE", "where to ('-', the default: standard output)", "FILE"},
    {"--columns", 0, 1, "LIST", "values of e1, as in 0.1,0.5,1", NULL},
    {"--rows", 0, 1, "LIST", "values of e2, as in 0.1,0.5,1", NULL},
    {"--tx", 0, 1, "T", "one panel with this taper along x ...", NULL},
    {"--ty", 0, 1, "T", "... and along y", NULL},
    {"--size", 0, 1, "PIXELS", "width and height of a cell, 40 to 400 (112)", NULL},
};

enum { MAX_VALUES = 12, MAX_PANELS = 2 };

typedef struct value_list {
    size_t count;
    double v[MAX_VALUES];
} value_list;

typedef struct panel {
    double tx, ty;
    const char *title; /**< null: made from the taper */
    svg_ramp ramp;
} panel;

/** Places of the picture, in pixels. */
typedef struct layout {
    double cell;
    double top;         /**< of the first row of cells */
    double left;        /**< room for the labels of the rows, before each panel */
    double panel_width; /**< labels included */
    double width, height;
} layout;

typedef struct gallery {
    value_list columns, rows;
    size_t panel_count;
    panel panels[MAX_PANELS];
    layout at;
} gallery;

// the range that is convex also with a quarter of taper: at e2 = 1.7 the limit is near 0.27
static const value_list default_exponents = {5, {0.1, 0.5, 1.0, 1.4, 1.7}};

static const svg_ramp blue = {{{22, 46, 78}, {62, 120, 178}, {150, 200, 234}, {250, 254, 255}}};
static const svg_ramp amber = {{{84, 38, 20}, {192, 104, 46}, {242, 184, 116}, {255, 253, 246}}};

static const double pi = 3.14159265358979323846;
static const char font[] = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

/* ---- input ---------------------------------------------------------------------------------- */

static int read_list(cli *c, const args *a, size_t option, value_list *list) {
    const char *name = a->options[option].name, *text = a->values[option].text[0];
    list->count = 0;
    for (const char *s = text;; s++) {
        size_t length = strcspn(s, ",");
        char item[64];
        double value;
        snprintf(item, sizeof item, "%.*s", (int)(length < sizeof item ? length : sizeof item), s);
        if (length >= sizeof item || !args_read_number(item, &value)) {
            return cli_error(c, a->verb, "%s = %s: '%s' is not a number", name, text, item);
        }
        if (list->count == MAX_VALUES) {
            return cli_error(c, a->verb, "%s: more than %d values", name, MAX_VALUES);
        }
        // the same test as in the constructors, here where the option can be named
        if (!(value > 0.0 && value <= 2.0)) {
            return cli_error(c, a->verb, "%s = %s: exponents must be above 0 and at most 2", name,
                             item);
        }
        list->v[list->count++] = value;
        s += length;
        if (*s == '\0') {
            return CLI_OK;
        }
    }
}

static int read_taper(cli *c, const args *a, size_t option, double *taper) {
    *taper = 0.0;
    if (!a->values[option].given) {
        return CLI_OK;
    }
    int status = args_number(c, a, option, taper);
    if (status == CLI_OK && !(fabs(*taper) < 1.0)) {
        return cli_error(c, a->verb, "%s = %s: tapers must be above -1 and below 1",
                         a->options[option].name, a->values[option].text[0]);
    }
    return status;
}

static int read_input(cli *c, const args *a, gallery *g) {
    size_t size = 112;
    double tx, ty;
    g->columns = g->rows = default_exponents;
    int status =
        a->values[OPTION_COLUMNS].given ? read_list(c, a, OPTION_COLUMNS, &g->columns) : CLI_OK;
    if (status == CLI_OK && a->values[OPTION_ROWS].given) {
        status = read_list(c, a, OPTION_ROWS, &g->rows);
    }
    if (status == CLI_OK && a->values[OPTION_SIZE].given) {
        status = args_count(c, a, OPTION_SIZE, &size);
    }
    if (status != CLI_OK || (status = read_taper(c, a, OPTION_TX, &tx)) != CLI_OK ||
        (status = read_taper(c, a, OPTION_TY, &ty)) != CLI_OK) {
        return status;
    }
    if (size < 40 || size > 400) {
        return cli_error(c, a->verb, "--size = %zu: must be from 40 to 400", size);
    }
    if (a->word_count > 0) {
        return cli_error(c, a->verb, "%s: takes no words, only options", a->words[0]);
    }
    if (a->values[OPTION_TX].given || a->values[OPTION_TY].given) {
        g->panel_count = 1;
        g->panels[0] = (panel){tx, ty, NULL, amber};
    } else {
        g->panel_count = 2;
        g->panels[0] = (panel){0.0, 0.0, "Superellipsoids: no taper", blue};
        g->panels[1] = (panel){-0.25, -0.25, NULL, amber};
    }
    layout *l = &g->at;
    l->cell = (double)size;
    l->left = 74.0;
    l->top = 118.0;
    l->panel_width = l->left + l->cell * (double)g->columns.count;
    l->width = l->panel_width * (double)g->panel_count + 24.0;
    l->height = l->top + l->cell * (double)g->rows.count + 42.0;
    return CLI_OK;
}

/* ---- drawing -------------------------------------------------------------------------------- */

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

static void draw_labels(FILE *out, const gallery *g, const panel *p, double x0) {
    const layout *l = &g->at;
    double across = x0 + l->left + 0.5 * l->cell * (double)g->columns.count;
    double middle = l->top + 0.5 * l->cell * (double)g->rows.count;
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
    for (size_t i = 0; i < g->columns.count; i++) {
        char value[32];
        snprintf(value, sizeof value, "%g", g->columns.v[i]);
        write_text(out, x0 + l->left + l->cell * ((double)i + 0.5), l->top - 10.0, 13.0,
                   "text-anchor=\"middle\"", value);
    }
    for (size_t i = 0; i < g->rows.count; i++) {
        char value[32];
        snprintf(value, sizeof value, "%g", g->rows.v[i]);
        write_text(out, x0 + l->left - 8.0, l->top + l->cell * ((double)i + 0.5) + 4.5, 13.0,
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
static ov_status draw_cell(FILE *out, const gallery *g, const panel *p, const svg_view *view,
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
    double foot = 0.5 * g->at.cell - 0.1 * g->at.cell;
    fprintf(out,
            "<ellipse cx=\"%g\" cy=\"%g\" rx=\"%g\" ry=\"%g\" fill=\"url(#ground)\"/>\n"
            "<g transform=\"scale(%g)\" stroke-width=\"3\" stroke-linejoin=\"round\">\n",
            0.06 * g->at.cell, foot - 0.06 * g->at.cell, 0.44 * g->at.cell, 0.16 * g->at.cell,
            SVG_BODY_UNIT);
    status = svg_body_draw(out, &shape, view, &p->ramp);
    fputs("</g>\n", out);
    return status;
}

static ov_status draw_panel(FILE *out, const gallery *g, const panel *p, double x0) {
    const layout *l = &g->at;
    svg_view view = svg_view_make(-62.0 * pi / 180.0, 24.0 * pi / 180.0, 1.0);
    view.scale = 0.47 * l->cell / reach_in_view(p, &view);
    draw_labels(out, g, p, x0);
    for (size_t row = 0; row < g->rows.count; row++) {
        for (size_t column = 0; column < g->columns.count; column++) {
            fprintf(out, "<g transform=\"translate(%g %g)\">\n",
                    x0 + l->left + l->cell * ((double)column + 0.5),
                    l->top + l->cell * ((double)row + 0.5));
            ov_status status = draw_cell(out, g, p, &view, g->columns.v[column], g->rows.v[row]);
            fputs("</g>\n", out);
            if (status < 0) {
                return status;
            }
        }
    }
    return OV_OK;
}

static ov_status draw(FILE *out, const gallery *g) {
    const layout *l = &g->at;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" "
            "viewBox=\"0 0 %g %g\" font-family=\"%s\" fill=\"#111\">\n"
            "<title>The superovoid family</title>\n"
            "<defs><radialGradient id=\"ground\"><stop offset=\"0\" stop-color=\"#000\" "
            "stop-opacity=\"0.28\"/><stop offset=\"0.6\" stop-color=\"#000\" "
            "stop-opacity=\"0.1\"/><stop offset=\"1\" stop-color=\"#000\" stop-opacity=\"0\"/>"
            "</radialGradient></defs>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
            l->width, l->height, l->width, l->height, font);
    write_text(out, 0.5 * l->width, 32.0, 22.0, "text-anchor=\"middle\" font-weight=\"bold\"",
               "The superovoid family");
    ov_status status = OV_OK;
    for (size_t i = 0; i < g->panel_count && status >= 0; i++) {
        status = draw_panel(out, g, &g->panels[i], l->panel_width * (double)i);
    }
    write_text(out, 0.5 * l->width, l->height - 16.0, 13.0, "text-anchor=\"middle\" fill=\"#444\"",
               "Semi-axes all 1. Exponents towards 0 are square, 1 is round, 2 is bevelled.");
    fputs("</svg>\n", out);
    return status;
}

/* ---- the verb ------------------------------------------------------------------------------- */

static int run(cli *c, int argc, char **argv) {
    args a;
    gallery g;
    int status = args_parse(c, cli_verb_gallery.name, options, OPTION_COUNT, argc, argv, &a);
    if (status != CLI_OK || (status = read_input(c, &a, &g)) != CLI_OK) {
        return status;
    }
    const char *path = a.values[OPTION_OUTPUT].given ? a.values[OPTION_OUTPUT].text[0] : "-";
    cli_output out;
    status = cli_open_output(c, path, NULL, &out);
    if (status != CLI_OK) {
        return status;
    }
    ov_status drawn = draw(out.stream, &g);
    if (drawn < 0) {
        status = cli_error(c, a.verb, "%s", ov_status_message(drawn));
    }
    status = cli_close_output(c, &out, status);
    if (status == CLI_OK && strcmp(path, "-") != 0) {
        fprintf(c->err, "%s: %zu shapes\n", path, g.panel_count * g.columns.count * g.rows.count);
    }
    return status;
}

const cli_verb cli_verb_gallery = {
    .name = "gallery",
    .summary = "a picture of the superovoid family, as SVG",
    .usage = "[-o FILE.svg] [options]",
    .details =
        "Draws shaded superovoids over the range of both exponents: a column for each e1, a\n"
        "row for each e2, in two panels, without and with taper. What is drawn is the surface,\n"
        "dent and all; a cell whose dent is deeper than 5 % is left out and says so.\n",
    .examples = "  ovoid gallery -o family.svg\n"
                "  ovoid gallery --columns 0.3,1 --rows 0.3,1,1.5 --tx -0.4 --ty 0.1 > few.svg\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .takes_shape = false,
    .run = run,
};
