/**
 * @file kinds.c
 * @brief The table of kinds of shape, shapes from words, and messages that name the word which is
 * wrong.
 *
 * The kinds are those of the library, under its own names, and the superellipse, which is a curve
 * and no ov_shape. The library's constructors decide what is valid and return one status; this file
 * adds the name. It looks for the first parameter to which the status can apply, by the rules in
 * the table.
 */
#include "kinds.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "cli.h"

/* ---- the table ------------------------------------------------------------------------------- */

/** What a parameter may be; the letters of `shape_kind.rules`. */
enum {
    RULE_SIZE = 's',      /**< above 0 */
    RULE_LENGTH = 'l',    /**< 0 or above */
    RULE_EXPONENT = 'e',  /**< in (0, 2] */
    RULE_TAPER = 't',     /**< in (-1, 1) */
    RULE_CURVATURE = 'c', /**< a bend that does not fold the body */
    RULE_HEIGHT = 'h',    /**< where a hyperboloid of two sheets is cut */
    RULE_HOLE = 'o',      /**< above 1 */
    RULE_ANY = 'x'        /**< finite */
};

typedef struct shape_kind {
    ov_shape_kind kind; /**< OV_SHAPE_KIND_NONE: the curve in the plane */
    const char *what;   /**< for the help */
    const char *rules;  /**< a letter for each parameter; none for a polyhedron, which is a file */
} shape_kind;

static const shape_kind kinds[] = {
    {OV_SHAPE_KIND_SPHERE, "", "s"},
    {OV_SHAPE_KIND_ELLIPSOID, "semi-axes", "sss"},
    {OV_SHAPE_KIND_SUPERELLIPSOID, "e1: squareness in xy, e2: along z", "sssee"},
    {OV_SHAPE_KIND_SUPEROVOID, "tapered along z", "ssseett"},
    {OV_SHAPE_KIND_HALFSPACE, "n . p <= offset", "xxxx"},
    {OV_SHAPE_KIND_BOX, "half extents", "sss"},
    {OV_SHAPE_KIND_CAPSULE, "axis z", "sl"},
    {OV_SHAPE_KIND_CYLINDER, "axis z", "ss"},
    {OV_SHAPE_KIND_CONE, "axis z, tip up", "ss"},
    {OV_SHAPE_KIND_POLYHEDRON, "convex hull of a file of points", ""},
    {OV_SHAPE_KIND_TRIANGLE, "three corners", "xxxxxxxxx"},
    {OV_SHAPE_KIND_SEGMENT, "two ends", "xxxxxx"},
    {OV_SHAPE_KIND_POINT, "", "xxx"},
    {OV_SHAPE_KIND_SUPERHYPERBOLOID_1, "one sheet, cut at |z| = height", "sssees"},
    {OV_SHAPE_KIND_SUPERHYPERBOLOID_2, "two sheets, cut at |z| = height > a3", "ssseeh"},
    {OV_SHAPE_KIND_SUPERTOROID, "ring about z, hole > 1", "ssseeo"},
    {OV_SHAPE_KIND_BENT, "tapered, then bent along z", "ssseettcx"},
    {OV_SHAPE_KIND_NONE, "curve in the plane", "sse"},
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

static const char superellipse[] = "superellipse";

/** The library's name, but for the curve. */
static const char *kind_name(const shape_kind *k) {
    return k->kind != OV_SHAPE_KIND_NONE ? ov_shape_kind_name(k->kind) : superellipse;
}

/** Names of a kind's parameters that are numbers; there is a rule for each. */
static const char *const *parameter_names(const shape_kind *k, size_t *count) {
    static const char *const curve[] = {"a1", "a2", "e"};
    if (k->kind != OV_SHAPE_KIND_NONE) {
        return ovi_number_names(k->kind, count);
    }
    *count = sizeof curve / sizeof curve[0];
    return curve;
}

static ov_status make(const shape_kind *k, const double *v, const ov_shape_options *options,
                      shape_args *out) {
    out->in_plane = k->kind == OV_SHAPE_KIND_NONE;
    return out->in_plane ? ov_superellipse_make(v[0], v[1], v[2], &out->curve)
                         : ovi_shape_from_numbers(k->kind, v, options, &out->shape);
}

/** The kind of that name, or null. */
static const shape_kind *find_kind(const char *name) {
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (strcmp(kind_name(&kinds[i]), name) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}

/* ---- reading the parameters ------------------------------------------------------------------ */

/** What the words said, kept for the messages. */
typedef struct reading {
    const shape_kind *kind;
    const char *const *names; /**< of the parameters */
    size_t count;
    ov_convention convention;
    ov_shape_options options;
    const char *texts[OVI_NUMBERS_MAX];
    double values[OVI_NUMBERS_MAX];
} reading;

/** Name of a parameter; block-shaped exponents have names of their own. */
static const char *name_of(const reading *r, size_t i) {
    const char *name = r->names[i];
    if (r->convention == OV_CONVENTION_BLOCKY && r->kind->rules[i] == RULE_EXPONENT) {
        return strcmp(name, "e1") == 0 ? "n1" : strcmp(name, "e2") == 0 ? "n2" : "n";
    }
    return name;
}

static void join_names(const reading *r, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < r->count && used < size; i++) {
        int n = snprintf(text + used, size - used, "%s%s", i > 0 ? " " : "", name_of(r, i));
        used += (size_t)n;
    }
}

static int read_by_name(cli *c, reading *r, char **words, size_t word_count) {
    char all[128];
    join_names(r, all, sizeof all);
    for (size_t w = 0; w < word_count; w++) {
        const char *equals = strchr(words[w], '=');
        if (equals == NULL) {
            return cli_error(c, kind_name(r->kind),
                             "%s: give all parameters by name, or all by position", words[w]);
        }
        size_t length = (size_t)(equals - words[w]), i = 0;
        while (i < r->count &&
               (strlen(name_of(r, i)) != length || strncmp(name_of(r, i), words[w], length) != 0)) {
            i++;
        }
        if (i == r->count) {
            return cli_error(c, kind_name(r->kind), "unknown parameter %.*s; it has: %s",
                             (int)length, words[w], all);
        }
        if (r->texts[i] != NULL) {
            return cli_error(c, kind_name(r->kind), "%s is given twice", name_of(r, i));
        }
        r->texts[i] = equals + 1;
    }
    for (size_t i = 0; i < r->count; i++) {
        if (r->texts[i] == NULL) {
            return cli_error(c, kind_name(r->kind), "%s is missing; it needs: %s", name_of(r, i),
                             all);
        }
    }
    return CLI_OK;
}

static int read_parameters(cli *c, reading *r, char **words, size_t word_count) {
    bool named = false;
    for (size_t w = 0; w < word_count; w++) {
        named = named || strchr(words[w], '=') != NULL;
    }
    if (named) {
        int status = read_by_name(c, r, words, word_count);
        if (status != CLI_OK) {
            return status;
        }
    } else if (word_count != r->count) {
        char all[128];
        join_names(r, all, sizeof all);
        return cli_error(c, kind_name(r->kind), "needs %zu parameter%s (%s), got %zu", r->count,
                         r->count == 1 ? "" : "s", all, word_count);
    }
    for (size_t i = 0; i < r->count; i++) {
        if (!named) {
            r->texts[i] = words[i];
        }
        if (!args_read_number(r->texts[i], &r->values[i])) {
            return cli_error(c, kind_name(r->kind), "%s = %s: not a number", name_of(r, i),
                             r->texts[i]);
        }
    }
    return CLI_OK;
}

/* ---- messages for what a constructor refuses ------------------------------------------------- */

/** Can this status be about parameter `i`? */
static bool concerns(const reading *r, size_t i, ov_status status) {
    double v = r->values[i];
    char rule = r->kind->rules[i];
    bool size = rule == RULE_SIZE || rule == RULE_HEIGHT;
    switch (status) {
    case OV_ERROR_NOT_FINITE:
        return !isfinite(v);
    case OV_ERROR_SIZE_NOT_POSITIVE:
        return (size && v <= 0.0) || (rule == RULE_LENGTH && v < 0.0);
    case OV_ERROR_SIZE_RANGE:
        return fabs(v) > OV_SIZE_MAX || (size && v < OV_SIZE_MIN) ||
               (rule == RULE_LENGTH && v > 0.0 && v < OV_SIZE_MIN);
    case OV_ERROR_EXPONENT:
        return rule == RULE_EXPONENT &&
               (r->convention == OV_CONVENTION_BLOCKY ? !(v >= 1.0 && isfinite(v))
                                                      : !(v > 0.0 && v <= 2.0));
    case OV_ERROR_TAPER:
        return rule == RULE_TAPER && !(fabs(v) < 1.0);
    case OV_ERROR_BEND:
        return rule == RULE_CURVATURE;
    case OV_ERROR_HOLE:
        return rule == RULE_HOLE;
    case OV_ERROR_HEIGHT:
        return rule == RULE_HEIGHT;
    default:
        return false;
    }
}

static const char *allowed_range(const reading *r, size_t i, ov_status status) {
    switch (status) {
    case OV_ERROR_NOT_FINITE:
        return isnan(r->values[i]) ? "must be a number" : "must be finite";
    case OV_ERROR_SIZE_NOT_POSITIVE:
        return r->kind->rules[i] == RULE_LENGTH ? "must not be negative" : "must be above 0";
    case OV_ERROR_SIZE_RANGE:
        return "sizes must lie between 1e-60 and 1e60";
    case OV_ERROR_EXPONENT:
        return r->convention == OV_CONVENTION_BLOCKY
                   ? "block-shaped exponents must be finite and at least 1"
                   : "exponents must be above 0 and at most 2";
    case OV_ERROR_TAPER:
        return "tapers must be above -1 and below 1";
    case OV_ERROR_BEND:
        return "the bend folds the body over itself: |curvature| times the reach of a section "
               "must be below 1, |curvature| a3 below pi";
    case OV_ERROR_HOLE:
        return "the hole must be wider than the tube: above 1";
    case OV_ERROR_HEIGHT:
        return "must be above a3, where the tips are";
    default:
        return ov_status_message(status);
    }
}

static int refuse_dent(cli *c, const reading *r) {
    // the same shape with any dent allowed tells how deep it is
    shape_args deep;
    ov_shape_options any = r->options;
    any.dent_tolerance = 1.0;
    const double *a = r->values;
    double tolerance = r->options.dent_tolerance > OV_ZERO ? r->options.dent_tolerance : 0.0;
    double allowed = tolerance * fmin(a[0], fmin(a[1], a[2]));
    if (make(r->kind, a, &any, &deep) < 0) {
        return cli_error(c, kind_name(r->kind),
                         "tx = %s, ty = %s: the taper makes a dent deeper than "
                         "any that --dent-tolerance can allow",
                         r->texts[5], r->texts[6]);
    }
    return cli_error(c, kind_name(r->kind),
                     "tx = %s, ty = %s: the taper makes a dent %.3g deep, more than the allowed "
                     "%.3g (see --dent-tolerance)",
                     r->texts[5], r->texts[6], deep.shape.dent, allowed);
}

static int refuse(cli *c, const reading *r, ov_status status) {
    for (size_t i = 0; i < r->count; i++) {
        if (concerns(r, i, status)) {
            return cli_error(c, kind_name(r->kind), "%s = %s: %s", name_of(r, i), r->texts[i],
                             allowed_range(r, i, status));
        }
    }
    if (status == OV_ERROR_DENT) {
        return refuse_dent(c, r);
    }
    if (status == OV_ERROR_ZERO_DIRECTION && r->count >= 3) {
        return cli_error(c, kind_name(r->kind), "%s %s %s = %s %s %s: the direction has no length",
                         name_of(r, 0), name_of(r, 1), name_of(r, 2), r->texts[0], r->texts[1],
                         r->texts[2]);
    }
    return cli_error(c, kind_name(r->kind), "%s", ov_status_message(status));
}

/* ---- making the shape ------------------------------------------------------------------------ */

static int read_options(cli *c, const args *a, reading *r) {
    r->options = ov_default_shape_options();
    if (args_given(a, "--convention")) {
        size_t choice;
        int status = args_choice(c, a, "--convention", &choice);
        if (status != CLI_OK) {
            return status;
        }
        static const ov_convention conventions[] = {OV_CONVENTION_OVOID, OV_CONVENTION_BARR,
                                                    OV_CONVENTION_BLOCKY};
        r->convention = conventions[choice];
    }
    if (args_given(a, "--dent-tolerance")) {
        double tolerance;
        int status = args_number(c, a, "--dent-tolerance", &tolerance);
        if (status != CLI_OK) {
            return status;
        }
        if (!(tolerance >= 0.0 && tolerance <= 1.0)) {
            return cli_error(c, a->verb, "--dent-tolerance = %s: must be from 0 to 1",
                             args_text(a, "--dent-tolerance"));
        }
        r->options.dent_tolerance = tolerance > 0.0 ? tolerance : OV_ZERO; // 0 is meant, here
    }
    return CLI_OK;
}

/** Turns exponents of another convention into Ovoid's, in place. */
static ov_status convert_exponents(reading *r) {
    const char *at = strchr(r->kind->rules, RULE_EXPONENT);
    if (at == NULL || r->convention == OV_CONVENTION_OVOID) {
        return OV_OK;
    }
    double *first = &r->values[at - r->kind->rules];
    bool pair = at[1] == RULE_EXPONENT;
    ov_exponents e;
    ov_status status = ov_exponents_import(r->convention, first[0], pair ? first[1] : first[0], &e);
    if (status >= 0) {
        first[0] = e.e1;
        if (pair) {
            first[1] = e.e2;
        }
    }
    return status;
}

/** Convex hull of the points in a file. */
static int make_polyhedron(cli *c, const args *a, shape_args *out) {
    if (a->word_count != 2) {
        return cli_error(c, a->words[0], "needs 1 parameter (FILE), got %d", a->word_count - 1);
    }
    const char *path = a->words[1];
    FILE *file = cli_open_input(c, &path);
    if (file == NULL) {
        return CLI_BAD_INPUT;
    }
    ov_vec3 *points;
    size_t count;
    ov_fault fault;
    ov_status status = ov_points_read_stream(file, &points, &count, &fault);
    if (file != stdin) {
        fclose(file);
    }
    if (status < 0) {
        return cli_file_error(c, path, &fault);
    }
    status = ov_hull_create(points, count, &out->hull);
    ov_points_free(points);
    if (status >= 0) {
        status = ov_hull_shape(out->hull, &out->shape);
    }
    if (status < 0) {
        shape_args_free(out);
        return cli_error(c, path, "%zu point%s: %s", count, count == 1 ? "" : "s",
                         ov_status_message(status));
    }
    return CLI_OK;
}

void shape_args_free(shape_args *s) {
    ov_hull_destroy(s->hull);
    s->hull = NULL;
}

int shape_args_make(cli *c, const args *a, shape_args *out) {
    *out = (shape_args){.hull = NULL};
    if (a->word_count == 0) {
        return cli_error(c, a->verb, "no shape; see 'ovoid %s --help'", a->verb);
    }
    reading r = {.kind = find_kind(a->words[0]), .convention = OV_CONVENTION_OVOID};
    if (r.kind == NULL) {
        const char *names[KIND_COUNT];
        for (size_t i = 0; i < KIND_COUNT; i++) {
            names[i] = kind_name(&kinds[i]);
        }
        const char *near = cli_nearest(a->words[0], names, KIND_COUNT);
        return near != NULL
                   ? cli_error(c, a->words[0], "unknown kind of shape; did you mean '%s'?", near)
                   : cli_error(c, a->words[0], "unknown kind of shape; see 'ovoid %s --help'",
                               a->verb);
    }
    int status = read_options(c, a, &r);
    if (status != CLI_OK) {
        return status;
    }
    size_t word_count = (size_t)a->word_count - 1;
    if (r.kind->kind == OV_SHAPE_KIND_POLYHEDRON) {
        return make_polyhedron(c, a, out);
    }
    r.names = parameter_names(r.kind, &r.count);
    status = read_parameters(c, &r, a->words + 1, word_count);
    if (status != CLI_OK) {
        return status;
    }
    ov_status made = convert_exponents(&r);
    if (made >= 0) {
        made = make(r.kind, r.values, &r.options, out);
    }
    return made >= 0 ? CLI_OK : refuse(c, &r, made);
}

/* ---- the shape as filed ---------------------------------------------------------------------- */

const char *shape_args_kind_name(const shape_args *s) {
    return s->in_plane ? superellipse : ov_shape_kind_name(s->shape.kind);
}

size_t shape_args_parameters(const shape_args *s, const char *const **names,
                             double values[OVI_NUMBERS_MAX]) {
    const shape_kind *kind = find_kind(shape_args_kind_name(s));
    if (kind == NULL) {
        return 0;
    }
    size_t count;
    *names = parameter_names(kind, &count);
    if (s->in_plane) {
        values[0] = s->curve.a1;
        values[1] = s->curve.a2;
        values[2] = s->curve.e;
    } else {
        ovi_shape_numbers(&s->shape, values);
    }
    return count;
}

/* ---- help and completion --------------------------------------------------------------------- */

bool shape_args_wants_plane(int argc, char **argv) {
    for (int i = 0; i < argc; i++) {
        const shape_kind *kind = find_kind(argv[i]);
        if (kind != NULL) {
            return kind->kind == OV_SHAPE_KIND_NONE;
        }
    }
    return false;
}

void kinds_print(FILE *out) {
    fputs("Kinds of shape and their parameters (by position, or all by name as in a1=1)\n\n", out);
    for (size_t i = 0; i < KIND_COUNT; i++) {
        const shape_kind *k = &kinds[i];
        size_t count, used = 0;
        const char *const *names = parameter_names(k, &count);
        char text[80] = "FILE"; // of a polyhedron
        for (size_t p = 0; p < count && used < sizeof text; p++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", p > 0 ? " " : "",
                                     names[p]);
        }
        fprintf(out, "  %-18s %-*s%s\n", kind_name(k), k->what[0] != '\0' ? 41 : 0, text, k->what);
    }
    fputs(
        "\nExponents, the two in the order of their convention: ovoid e1 in xy, e2 along z; barr\n"
        "(Barr, Solina) e1 along z, e2 in xy; blocky (LAMMPS, LIGGGHTS) n1 = 2/e along z, n2 in "
        "xy.\n",
        out);
}

void kinds_list(FILE *out) {
    for (size_t i = 0; i < KIND_COUNT; i++) {
        fprintf(out, "%s\n", kind_name(&kinds[i]));
    }
}
