/**
 * @file verb_gallery.c
 * @brief `ovoid gallery`: a picture of the family, superovoids over the range of both exponents.
 */
#include <math.h>
#include <string.h>

#include "cli.h"
#include "draw/pictures.h"

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

// the range that is convex also with a quarter of taper: at e2 = 1.7 the limit is near 0.27
static const gallery_values default_exponents = {5, {0.1, 0.5, 1.0, 1.4, 1.7}};

/* ---- input ---------------------------------------------------------------------------------- */

static int read_list(cli *c, const args *a, size_t option, gallery_values *list) {
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
        if (list->count == GALLERY_VALUES_MAX) {
            return cli_error(c, a->verb, "%s: more than %d values", name, GALLERY_VALUES_MAX);
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
    g->columns = g->rows = default_exponents;
    int status =
        a->values[OPTION_COLUMNS].given ? read_list(c, a, OPTION_COLUMNS, &g->columns) : CLI_OK;
    if (status == CLI_OK && a->values[OPTION_ROWS].given) {
        status = read_list(c, a, OPTION_ROWS, &g->rows);
    }
    if (status == CLI_OK && a->values[OPTION_SIZE].given) {
        status = args_count(c, a, OPTION_SIZE, &size);
    }
    if (status != CLI_OK || (status = read_taper(c, a, OPTION_TX, &g->tx)) != CLI_OK ||
        (status = read_taper(c, a, OPTION_TY, &g->ty)) != CLI_OK) {
        return status;
    }
    if (size < 40 || size > 400) {
        return cli_error(c, a->verb, "--size = %zu: must be from 40 to 400", size);
    }
    if (a->word_count > 0) {
        return cli_error(c, a->verb, "%s: takes no words, only options", a->words[0]);
    }
    g->has_taper = a->values[OPTION_TX].given || a->values[OPTION_TY].given;
    g->cell = (double)size;
    return CLI_OK;
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
    size_t shapes = 0;
    ov_status drawn = gallery_picture_draw(out.stream, &g, &shapes);
    if (drawn < 0) {
        status = cli_error(c, a.verb, "%s", ov_status_message(drawn));
    }
    status = cli_close_output(c, &out, status);
    if (status == CLI_OK && strcmp(path, "-") != 0) {
        fprintf(c->err, "%s: %zu shapes\n", path, shapes);
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
