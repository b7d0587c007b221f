/**
 * @file verb_gallery.c
 * @brief `ovoid gallery`: a picture of the family, superovoids over the range of both exponents.
 */
#include <math.h>
#include <string.h>

#include "draw/pictures.h"
#include "options.h"

static const args_option options[] = {
    {"--columns", 0, 1, "LIST", "values of e1, as in 0.1,0.5,1", NULL},
    {"--rows", 0, 1, "LIST", "values of e2, as in 0.1,0.5,1", NULL},
    {"--tx", 0, 1, "T", "one panel with this taper along x ...", NULL},
    {"--ty", 0, 1, "T", "... and along y", NULL},
    {"--size", 0, 1, "PIXELS", "width and height of a cell, 40 to 400 (112)", NULL},
    SHARED_OUTPUT,
};
enum { OPTION_COUNT = sizeof options / sizeof options[0] };

// the range that is convex also with a quarter of taper: at e2 = 1.7 the limit is near 0.27
static const gallery_values default_exponents = {5, {0.1, 0.5, 1.0, 1.4, 1.7}};

/* ---- input ---------------------------------------------------------------------------------- */

static int read_list(cli *c, const args *a, const char *name, gallery_values *list) {
    const char *text = args_text(a, name);
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

static int read_taper(cli *c, const args *a, const char *name, double *taper) {
    *taper = 0.0;
    if (!args_given(a, name)) {
        return CLI_OK;
    }
    int status = args_number(c, a, name, taper);
    if (status == CLI_OK && !(fabs(*taper) < 1.0)) {
        return cli_error(c, a->verb, "%s = %s: tapers must be above -1 and below 1", name,
                         args_text(a, name));
    }
    return status;
}

static int read_input(cli *c, const args *a, gallery *g) {
    size_t size = 112;
    g->columns = g->rows = default_exponents;
    int status = args_given(a, "--columns") ? read_list(c, a, "--columns", &g->columns) : CLI_OK;
    if (status == CLI_OK && args_given(a, "--rows")) {
        status = read_list(c, a, "--rows", &g->rows);
    }
    if (status == CLI_OK && args_given(a, "--size")) {
        status = args_count(c, a, "--size", &size);
    }
    if (status != CLI_OK || (status = read_taper(c, a, "--tx", &g->tx)) != CLI_OK ||
        (status = read_taper(c, a, "--ty", &g->ty)) != CLI_OK) {
        return status;
    }
    if (size < 40 || size > 400) {
        return cli_error(c, a->verb, "--size = %zu: must be from 40 to 400", size);
    }
    if (a->word_count > 0) {
        return cli_error(c, a->verb, "%s: takes no arguments; name the output with -o %s",
                         a->words[0], a->words[0]);
    }
    g->has_taper = args_given(a, "--tx") || args_given(a, "--ty");
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
    const char *path = args_given(&a, "--output") ? args_text(&a, "--output") : "-";
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
        cli_note(c, path, "%zu shapes", shapes);
    }
    return status;
}

const cli_verb cli_verb_gallery = {
    .name = "gallery",
    .summary = "a picture of the superovoid family, as SVG",
    .usage = "[options] [-o FILE.svg]",
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
