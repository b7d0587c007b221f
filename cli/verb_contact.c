/**
 * @file verb_contact.c
 * @brief `ovoid contact`: the contacts between all bodies of a scene, as a table, JSON or picture.
 *
 * Two bodies are asked by a pair query where both are single shapes, else by a world of two: a
 * world finds the nearest parts without trying all pairs, and takes meshes. The pair query stays
 * where it does, so that its answers, and files for replay, are the same to the bit.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/io.h>
#include <ovoid/query.h>

#include "cli.h"
#include "draw/pictures.h"
#include "json.h"
#include "options.h"
#include "progress.h"
#include "subject.h"
#include "table.h"

enum {
    OPTION_RECORD = PAIR_OPTION_COUNT,
    OPTION_LIMIT,
    OPTION_JSON,
    OPTION_SVG,
    OPTION_EXAMPLE,
    OPTION_COUNT
};

static const args_option options[OPTION_COUNT] = {
    PAIR_ARGS_OPTIONS,
    {"--record", 0, 2, "A B", "with --failures: write the query of these two bodies too", NULL},
    {"--limit", 0, 1, "D", "leave out pairs that are more than this length apart", NULL},
    {"--json", 0, 0, "", "print JSON instead of a table", NULL},
    {"--svg", 0, 1, "FILE", "also draw a picture with witness points and normals", "FILE"},
    {"--example", 0, 0, "", "print a small scene to start from", NULL},
};

static const char example[] =
    "{\n"
    "  \"title\": \"Egg and brick\",\n"
    "  \"bodies\": [\n"
    "    {\"name\": \"egg\", \"kind\": \"superovoid\", \"semi_axes\": [1, 1, 1.4],\n"
    "     \"exponents\": [1, 1], \"taper\": [-0.2, -0.2],\n"
    "     \"position\": [0, 0, 1.4], \"rotation\": [1, 0, 0, 0]},\n"
    "    {\"name\": \"brick\", \"kind\": \"superellipsoid\", \"semi_axes\": [1, 2, 0.7],\n"
    "     \"exponents\": [0.2, 0.2],\n"
    "     \"position\": [2.5, 0, 0.7], \"rotation\": {\"axis\": [0, 0, 1], \"angle_deg\": 25}},\n"
    "    {\"name\": \"table\", \"kind\": \"halfspace\", \"normal\": [0, 0, 1], \"offset\": 0}\n"
    "  ]\n"
    "}\n";

/** The bodies of a scene, ready to be asked for. All zero: none. */
typedef struct body_set {
    const ov_scene *scene;
    ov_geometry **geometries; /**< one per body; null where all bodies are single shapes */
} body_set;

/** Contact of two bodies, and which parts and triangles it is between. */
typedef struct body_pair {
    size_t part_a, part_b;
    uint32_t triangle_a, triangle_b; /**< OV_NO_TRIANGLE for a shape */
    ov_contact contact;
} body_pair;

typedef struct work {
    ov_scene *scene;
    body_set bodies;
    ov_pair_options options;
    double limit;      /**< NaN: none */
    size_t record[2];  /**< numbers of two bodies, from 1; 0: none */
    size_t pair_count; /**< of all pairs */
    scene_contact *contacts;
    size_t count, room;
    failures failed;
} work;

/* ---- two bodies ------------------------------------------------------------------------------ */

static void pair_query(const ov_scene_body *p, const ov_scene_body *q, double limit,
                       const ov_pair_options *options, body_pair *pair, bool *left_out) {
    const ov_shape *a = &p->parts[0].shape, *b = &q->parts[0].shape;
    ov_answer answer = OV_ANSWER_UNKNOWN;
    if (!isnan(limit) &&
        ov_pair_exceeds(a, p->pose, b, q->pose, limit, options, NULL, &answer) >= 0 &&
        answer == OV_ANSWER_YES) {
        *left_out = true;
        return;
    }
    ov_pair_contact(a, p->pose, b, q->pose, options, NULL, &pair->contact);
}

static ov_status add_body(ov_world *world, const body_set *set, size_t index, ov_body *body) {
    ov_body_def def = ov_default_body_def();
    def.geometry = set->geometries[index];
    def.pose = ov_scene_get(set->scene, index)->pose;
    return ov_world_add(world, &def, body);
}

/** All contacts of a body up to a limit, from malloc. */
static ov_status all_contacts(const ov_world *world, ov_body body, double limit,
                              ov_world_contact **contacts, size_t *count) {
    size_t room = 16;
    *contacts = NULL;
    do {
        room = *contacts == NULL ? room : *count;
        ov_world_contact *more = realloc(*contacts, room * sizeof *more);
        if (more == NULL) {
            return OV_ERROR_MEMORY;
        }
        *contacts = more;
        ov_status status = ov_world_body_contacts(world, body, limit, more, room, count);
        if (status < 0) {
            return status;
        }
    } while (*count > room);
    return OV_OK;
}

/**
 * The least of the gaps of pairs of parts: its bounds are the least of theirs, and it is as certain
 * as the least certain of those that may be it.
 */
static void combine(const ov_world_contact *contacts, size_t count, body_pair *pair) {
    double lower = pair->contact.gap_lower, upper = pair->contact.gap_upper;
    bool overlap = false, undecided = false;
    ov_status status = pair->contact.status;
    int iterations = 0;
    for (size_t i = 0; i < count; i++) {
        const ov_contact *c = &contacts[i].contact;
        if (c->gap < pair->contact.gap) {
            *pair = (body_pair){contacts[i].part_a, contacts[i].part_b, contacts[i].triangle_a,
                                contacts[i].triangle_b, *c};
        }
        lower = fmin(lower, c->gap_lower);
        upper = fmin(upper, c->gap_upper);
        overlap = overlap || c->relation == OV_RELATION_OVERLAPPING;
        undecided = undecided || c->relation == OV_RELATION_UNDECIDED;
        status = c->status > status ? c->status : status;
        iterations += c->iterations;
    }
    ov_contact *c = &pair->contact;
    c->gap_lower = lower;
    c->gap_upper = upper;
    c->status = status;
    c->iterations = iterations > c->iterations ? iterations : c->iterations;
    c->relation = overlap       ? OV_RELATION_OVERLAPPING
                  : lower > 0.0 ? OV_RELATION_SEPARATED
                  : undecided   ? OV_RELATION_UNDECIDED
                                : OV_RELATION_TOUCHING;
}

/** The nearest parts, and then all that may be as near. */
static ov_status nearest_parts(const ov_world *world, ov_body body, body_pair *pair) {
    ov_world_contact nearest, *contacts = NULL;
    size_t count = 0;
    ov_status status = ov_world_nearest(world, &nearest);
    if (status < 0) {
        return status;
    }
    *pair = (body_pair){nearest.part_a, nearest.part_b, nearest.triangle_a, nearest.triangle_b,
                        nearest.contact};
    status = all_contacts(world, body, fmax(nearest.contact.gap_upper, 0.0), &contacts, &count);
    if (status == OV_OK) {
        combine(contacts, count, pair);
    }
    free(contacts);
    return status;
}

static void world_query(const body_set *set, size_t a, size_t b, const ov_pair_options *options,
                        body_pair *pair) {
    ov_world_options all = ov_default_world_options();
    ov_world *world = NULL;
    ov_body bodies[2];
    all.pair = *options;
    ov_status status = ov_world_create(&all, &world);
    // bodies have ascending numbers, so that the first is A
    if (status == OV_OK) {
        status = add_body(world, set, a, &bodies[0]);
    }
    if (status == OV_OK) {
        status = add_body(world, set, b, &bodies[1]);
    }
    if (status == OV_OK) {
        status = nearest_parts(world, bodies[0], pair);
    }
    ov_world_destroy(world);
    if (status >= 0) {
        return;
    }
    const double none = (double)NAN;
    const ov_vec3 nowhere = {none, none, none};
    pair->contact = (ov_contact){.gap = none,
                                 .gap_lower = none,
                                 .gap_upper = none,
                                 .point_a = nowhere,
                                 .point_b = nowhere,
                                 .normal = nowhere,
                                 .relation = OV_RELATION_UNDECIDED,
                                 .status = status};
}

/**
 * The least gap over all pairs of parts of bodies a and b (indices, a < b). With a limit (NaN:
 * none), `*left_out` says that the gap is proven to be more; the pair is then not set. Errors are
 * in the status of the contact.
 */
static void body_contact(const body_set *set, size_t a, size_t b, double limit,
                         const ov_pair_options *options, body_pair *pair, bool *left_out) {
    const ov_scene_body *p = ov_scene_get(set->scene, a), *q = ov_scene_get(set->scene, b);
    *pair = (body_pair){0, 0, OV_NO_TRIANGLE, OV_NO_TRIANGLE, {.status = OV_OK}};
    *left_out = false;
    if (scene_body_is_shape(p) && scene_body_is_shape(q)) {
        pair_query(p, q, limit, options, pair, left_out);
        return;
    }
    world_query(set, a, b, options, pair);
    *left_out = pair->contact.status >= 0 && pair->contact.gap_lower > limit;
}

/* ---- queries --------------------------------------------------------------------------------- */

static bool keep(work *w, size_t a, size_t b, const ov_contact *contact) {
    if (w->count == w->room) {
        scene_contact *more = cli_more_room(w->contacts, &w->room, sizeof *more);
        if (more == NULL) {
            return false;
        }
        w->contacts = more;
    }
    w->contacts[w->count++] = (scene_contact){a, b, *contact};
    return true;
}

/** A part as a shape; of a mesh, the triangle. False where there is none, or has no area. */
static bool shape_of(const ov_part *part, uint32_t triangle, ov_shape *shape) {
    if (part->mesh == NULL) {
        *shape = part->shape;
        return true;
    }
    if (triangle == OV_NO_TRIANGLE) {
        return false;
    }
    const ov_vec3 *v = ov_trimesh_vertices(part->mesh);
    const uint32_t *t = ov_trimesh_triangles(part->mesh)[triangle];
    return ov_shape_make_triangle(v[t[0]], v[t[1]], v[t[2]], shape) >= 0;
}

/** A file for replay holds two shapes: of bodies of several parts, those that are nearest. */
static int record(cli *c, work *w, size_t a, size_t b, const body_pair *pair) {
    bool wanted = (w->record[0] == a + 1 && w->record[1] == b + 1) ||
                  (w->record[0] == b + 1 && w->record[1] == a + 1);
    if (pair->contact.status <= 0 && !wanted) {
        return CLI_OK;
    }
    const ov_scene_body *p = ov_scene_get(w->scene, a), *q = ov_scene_get(w->scene, b);
    ov_replay replay = {.pose_a = scene_part_pose(p, pair->part_a),
                        .pose_b = scene_part_pose(q, pair->part_b),
                        .options = w->options,
                        .contact = pair->contact};
    if (!shape_of(&p->parts[pair->part_a], pair->triangle_a, &replay.a) ||
        !shape_of(&q->parts[pair->part_b], pair->triangle_b, &replay.b)) {
        return CLI_OK;
    }
    if (!scene_body_is_shape(p) || !scene_body_is_shape(q)) {
        ov_pair_contact(&replay.a, replay.pose_a, &replay.b, replay.pose_b, &w->options, NULL,
                        &replay.contact);
    }
    char name[64];
    snprintf(name, sizeof name, "contact-%zu-%zu.replay", a + 1, b + 1);
    return failures_write(c, &w->failed, name, &replay);
}

/** One pair; it is left out where it is proven to be farther apart than the limit. */
static int solve_pair(cli *c, work *w, size_t a, size_t b) {
    body_pair pair;
    bool left_out;
    body_contact(&w->bodies, a, b, w->limit, &w->options, &pair, &left_out);
    if (left_out) {
        return CLI_OK;
    }
    if (!keep(w, a, b, &pair.contact)) {
        return cli_error(c, "contact", "%s", ov_status_message(OV_ERROR_MEMORY));
    }
    return record(c, w, a, b, &pair);
}

static int solve(cli *c, work *w) {
    size_t bodies = ov_scene_count(w->scene), done = 0;
    int status = CLI_OK;
    progress bar = progress_make(c->err, "pairs");
    w->pair_count = bodies * (bodies - 1) / 2;
    for (size_t a = 0; a + 1 < bodies && status == CLI_OK; a++) {
        for (size_t b = a + 1; b < bodies && status == CLI_OK; b++) {
            status = solve_pair(c, w, a, b);
            done++;
        }
        progress_update(&bar, (double)done, (double)done / (double)w->pair_count);
    }
    progress_end(&bar);
    return status;
}

/* ---- table ----------------------------------------------------------------------------------- */

/** Overlaps first, the deepest at the top; what has no gap last. */
static int compare_gaps(const void *a, const void *b) {
    const scene_contact *p = a, *q = b;
    double x = p->contact.gap, y = q->contact.gap;
    if (isnan(x) != isnan(y)) {
        return isnan(x) ? 1 : -1;
    }
    if (x < y || x > y) {
        return x < y ? -1 : 1;
    }
    // equal gaps in the order of the scene, so that the table is the same every time
    size_t m = p->a != q->a ? p->a : p->b, n = p->a != q->a ? q->a : q->b;
    return m < n ? -1 : m > n;
}

static void print_vector(FILE *out, ov_vec3 v, int width, int digits) {
    const double all[3] = {v.x, v.y, v.z};
    for (int i = 0; i < 3; i++) {
        // no "-0" among the digits that are shown
        double value = fabs(all[i]) < 0.5 * pow(10.0, -digits) ? 0.0 : all[i];
        if (fabs(value) < 1e4) {
            fprintf(out, " %*.*f", width, digits, value);
        } else {
            fprintf(out, " %*.*g", width, digits, value);
        }
    }
}

static void print_row(FILE *out, const work *w, const scene_contact *s, int width) {
    const ov_contact *k = &s->contact;
    table_cell(out, ov_scene_get(w->scene, s->a)->name, width);
    table_cell(out, ov_scene_get(w->scene, s->b)->name, width);
    if (k->status < 0) {
        fprintf(out, "%s\n", ov_status_name(k->status));
        return;
    }
    // adding zero takes the sign off a negative one
    fprintf(out, "%-11s %12.6g %18.11g %18.11g ", ov_relation_name(k->relation), k->gap + 0.0,
            k->gap_lower, k->gap_upper);
    print_vector(out, k->point_a, 8, 4);
    fputs("  ", out);
    print_vector(out, k->point_b, 8, 4);
    fputs("  ", out);
    print_vector(out, k->normal, 7, 4);
    fprintf(out, "%s%s\n", k->status > 0 ? "  " : "",
            k->status > 0 ? ov_status_name(k->status) : "");
}

static void print_table(FILE *out, work *w) {
    static const ov_relation relations[] = {OV_RELATION_OVERLAPPING, OV_RELATION_TOUCHING,
                                            OV_RELATION_SEPARATED, OV_RELATION_UNDECIDED};
    int width = 6;
    for (size_t i = 0; i < ov_scene_count(w->scene); i++) {
        int name = table_width(ov_scene_get(w->scene, i)->name);
        width = name > width ? name : width;
    }
    width += 2;
    qsort(w->contacts, w->count, sizeof *w->contacts, compare_gaps);
    table_cell(out, "body A", width);
    table_cell(out, "body B", width);
    fprintf(out, "%-11s %12s %18s %18s  %26s   %26s   %23s\n", "relation", "gap", "lower bound",
            "upper bound", "witness point on A", "witness point on B", "normal from A to B");
    size_t counts[4] = {0}, failed = 0;
    for (size_t i = 0; i < w->count; i++) {
        print_row(out, w, &w->contacts[i], width);
        for (int k = 0; k < 4; k++) {
            counts[k] += w->contacts[i].contact.status >= 0 &&
                         w->contacts[i].contact.relation == relations[k];
        }
        failed += w->contacts[i].contact.status < 0;
    }
    fprintf(out, "\n%zu bodies, %zu pair%s:", ov_scene_count(w->scene), w->pair_count,
            w->pair_count == 1 ? "" : "s");
    for (int k = 0; k < 4; k++) {
        fprintf(out, "%s %zu %s", k > 0 ? "," : "", counts[k], ov_relation_name(relations[k]));
    }
    if (failed > 0) {
        fprintf(out, ", %zu without an answer", failed);
    }
    if (w->count < w->pair_count) {
        fprintf(out, ", %zu more than %g apart and left out", w->pair_count - w->count, w->limit);
    }
    fputc('\n', out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void print_json(FILE *out, const work *w) {
    json j = json_make(out);
    json_open_object(&j, NULL);
    json_string(&j, "title", ov_scene_title(w->scene));
    json_number(&j, "tolerance", w->options.tolerance);
    json_string(&j, "depth", ov_depth_name(w->options.depth));
    if (isnan(w->limit)) {
        json_null(&j, "limit");
    } else {
        json_number(&j, "limit", w->limit);
    }
    json_count(&j, "bodies", ov_scene_count(w->scene));
    json_count(&j, "pairs", w->pair_count);
    json_open_list(&j, "contacts");
    for (size_t i = 0; i < w->count; i++) {
        const scene_contact *s = &w->contacts[i];
        const ov_contact *k = &s->contact;
        json_open_object(&j, NULL);
        json_string(&j, "a", ov_scene_get(w->scene, s->a)->name);
        json_string(&j, "b", ov_scene_get(w->scene, s->b)->name);
        json_string(&j, "status", ov_status_name(k->status));
        json_string(&j, "relation", ov_relation_name(k->relation));
        json_number(&j, "gap", k->gap);
        json_number(&j, "gap_lower", k->gap_lower);
        json_number(&j, "gap_upper", k->gap_upper);
        json_vec3(&j, "point_a", k->point_a);
        json_vec3(&j, "point_b", k->point_b);
        json_vec3(&j, "normal", k->normal);
        json_count(&j, "iterations", k->iterations > 0 ? (size_t)k->iterations : 0);
        json_close_object(&j);
    }
    json_close_list(&j);
    json_close_object(&j);
}

/* ---- the verb -------------------------------------------------------------------------------- */

/** A picture has its limits: told before the long work begins. */
static int check_picture(cli *c, const work *w, const char *path) {
    if (ov_scene_count(w->scene) > SCENE_PICTURE_BODIES_MAX) {
        return cli_error(c, path, "not drawn: the scene has %zu bodies, a picture takes %d",
                         ov_scene_count(w->scene), SCENE_PICTURE_BODIES_MAX);
    }
    if (scene_picture_pieces(w->scene) > SCENE_PICTURE_PIECES_MAX) {
        return cli_error(c, path,
                         "not drawn: the scene has %zu parts and triangles of meshes, a "
                         "picture takes %d",
                         scene_picture_pieces(w->scene), SCENE_PICTURE_PIECES_MAX);
    }
    return CLI_OK;
}

static int open_picture(cli *c, const args *a, const work *w, cli_output *picture) {
    const char *path = a->values[OPTION_SVG].given ? a->values[OPTION_SVG].text[0] : NULL;
    int status = path != NULL ? check_picture(c, w, path) : CLI_OK;
    return status == CLI_OK && path != NULL ? cli_open_output(c, path, NULL, picture) : status;
}

static int draw(cli *c, const work *w, const cli_output *picture) {
    if (picture->stream == NULL) {
        return CLI_OK;
    }
    ov_status drawn =
        scene_picture_draw(picture->stream, w->scene, w->contacts, w->count, !isnan(w->limit));
    return drawn < 0 ? cli_error(c, picture->path, "%s", ov_status_message(drawn)) : CLI_OK;
}

static int read_options(cli *c, const args *a, work *w) {
    int status = pair_args_read(c, a, &w->options);
    w->limit = (double)NAN;
    if (status == CLI_OK && a->values[OPTION_LIMIT].given) {
        status = args_length(c, a, OPTION_LIMIT, &w->limit);
    }
    if (status == CLI_OK && a->values[OPTION_RECORD].given &&
        !a->values[PAIR_OPTION_FAILURES].given) {
        return cli_error(c, a->verb, "--record needs --failures DIR");
    }
    if (status == CLI_OK && a->values[OPTION_JSON].given && a->values[OPTION_SVG].given &&
        strcmp(a->values[OPTION_SVG].text[0], "-") == 0) {
        return cli_error(c, a->verb, "only one of --json and --svg can be standard output, '-'");
    }
    return status;
}

/** Numbers of the two bodies of --record. */
static int find_record(cli *c, const args *a, work *w) {
    for (int k = 0; k < 2 && a->values[OPTION_RECORD].given; k++) {
        const char *name = a->values[OPTION_RECORD].text[k];
        for (size_t i = 0; i < ov_scene_count(w->scene); i++) {
            if (strcmp(ov_scene_get(w->scene, i)->name, name) == 0) {
                w->record[k] = i + 1;
            }
        }
        if (w->record[k] == 0) {
            return cli_error(c, a->verb, "--record = %s: no body has this name", name);
        }
    }
    return CLI_OK;
}

static int prepare(cli *c, const args *a, work *w) {
    size_t count = ov_scene_count(w->scene), single = 0;
    w->bodies.scene = w->scene;
    for (size_t i = 0; i < count; i++) {
        single += scene_body_is_shape(ov_scene_get(w->scene, i));
    }
    return single == count ? CLI_OK
                           : scene_geometries_make(c, a->words[0], w->scene, &w->bodies.geometries);
}

static int solve_and_draw(cli *c, const args *a, work *w) {
    cli_output picture = {.stream = NULL};
    int status = open_picture(c, a, w, &picture);
    if (status == CLI_OK) {
        status = failures_begin(c, a, &w->failed);
    }
    if (status == CLI_OK) {
        status = solve(c, w);
    }
    if (status == CLI_OK) {
        status = draw(c, w, &picture);
    }
    status = cli_close_output(c, &picture, status);
    failures_end(&w->failed, status);
    return status;
}

static int run_scene(cli *c, const args *a, work *w) {
    int status = find_record(c, a, w);
    if (status == CLI_OK && ov_scene_count(w->scene) < 2) {
        status =
            cli_error(c, cli_input_name(a->words[0]),
                      "a contact needs two bodies, the scene has %zu", ov_scene_count(w->scene));
    }
    if (status == CLI_OK) {
        status = prepare(c, a, w);
    }
    if (status == CLI_OK) {
        subject s = {.path = cli_input_name(a->words[0]), .scene = w->scene};
        subject_tell_open_meshes(c, &s);
    }
    if (status == CLI_OK) {
        status = solve_and_draw(c, a, w);
    }
    if (status != CLI_OK) {
        return status;
    }
    if (a->values[OPTION_JSON].given) {
        print_json(c->out, w);
    } else if (!c->out_taken) {
        print_table(c->out, w);
    }
    return CLI_OK;
}

static int run(cli *c, int argc, char **argv) {
    args a;
    work w = {.scene = NULL};
    int status = args_parse(c, cli_verb_contact.name, options, OPTION_COUNT, argc, argv, &a);
    if (status != CLI_OK || (status = read_options(c, &a, &w)) != CLI_OK) {
        return status;
    }
    if (a.values[OPTION_EXAMPLE].given) {
        fputs(example, c->out);
        return CLI_OK;
    }
    if (a.word_count != 1) {
        return cli_error(c, a.verb, "needs one SCENE.json, or '-', got %d", a.word_count);
    }
    status = scene_read(c, a.words[0], &w.scene);
    if (status == CLI_OK) {
        status = run_scene(c, &a, &w);
    }
    free(w.contacts);
    scene_geometries_free(w.bodies.geometries, w.scene);
    ov_scene_destroy(w.scene);
    return status;
}

const cli_verb cli_verb_contact = {
    .name = "contact",
    .summary = "contacts between the bodies of a scene, as a table, JSON or SVG",
    .usage = "SCENE.json [options]",
    .details =
        "Prints the contact of every pair of bodies: relation, gap with its proven bounds,\n"
        "witness points and the normal from A to B, in the world; the deepest overlap first. A\n"
        "query that did not reach its tolerance says so at the end of its line.\n"
        "\n"
        "A scene is a JSON object with a list of bodies; each has a name, a kind, the keys of\n"
        "that kind, position and rotation (a quaternion w, x, y, z, or axis and angle_deg):\n"
        "  sphere                     radius\n"
        "  ellipsoid                  semi_axes\n"
        "  superellipsoid             semi_axes, exponents (e1 in xy, e2 along z)\n"
        "  superovoid                 semi_axes, exponents, taper\n"
        "  halfspace                  normal, offset\n"
        "  box                        half_extents\n"
        "  capsule, cylinder, cone    radius, half_length\n"
        "  triangle, segment, point   vertices\n"
        "  polyhedron                 vertices, or file: a file of points\n"
        "  mesh                       vertices and triangles, or file; scale; surface (true: it\n"
        "                             has no inside, even if it is closed)\n"
        "  compound                   parts: a list of such objects without names\n"
        "Instead of these keys a body may have parameters, as 'ovoid shape' prints them.\n",
    .examples = "  ovoid contact --example > scene.json\n"
                "  ovoid contact scene.json --svg scene.svg\n"
                "  ovoid contact scene.json --json --limit 0.5 --tolerance 1e-6\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .takes_files = true,
    .run = run,
};
