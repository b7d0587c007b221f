/**
 * @file verb_contact.c
 * @brief `ovoid contact`: the contacts between all bodies of a scene, as a table, JSON or picture.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/io.h>
#include <ovoid/query.h>

#include "draw/pictures.h"
#include "json.h"
#include "options.h"
#include "subject.h"
#include "table.h"
#include "timing.h"

static const args_option options[] = {
    SHARED_LIMIT("all"),
    SHARED_TOLERANCE,
    SHARED_DEPTH("global"),
    SHARED_CSV,
    SHARED_JSON,
    SHARED_WIDE,
    SHARED_OUTPUT,
    SHARED_SVG("a picture with witness points and normals"),
    SHARED_FAILURES,
    {"--record", 0, 2, "A B", "with --failures: save the query of these two bodies too", NULL},
    {"--example", 0, 0, "", "print a small scene to start from", NULL},
};
enum { OPTION_COUNT = sizeof options / sizeof options[0] };

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

typedef struct work {
    subject subject;
    ov_geometry **geometries; /**< one per body */
    ov_pair_options options;
    double limit;      /**< NaN: none */
    size_t record[2];  /**< numbers of two bodies, from 1; 0: none */
    size_t pair_count; /**< of all pairs */
    scene_contact *contacts;
    size_t count, room;
    failures failed;
    int decimals; /**< of the coordinates in the table */
} work;

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
static int record(cli *c, work *w, size_t a, size_t b, const ov_part_contact *pair) {
    bool wanted = (w->record[0] == a + 1 && w->record[1] == b + 1) ||
                  (w->record[0] == b + 1 && w->record[1] == a + 1);
    if (pair->contact.status <= 0 && !wanted) {
        return CLI_OK;
    }
    const ov_scene_body *p = ov_scene_get(w->subject.scene, a);
    const ov_scene_body *q = ov_scene_get(w->subject.scene, b);
    ov_replay replay = {.pose_a = scene_part_pose(p, pair->part_a),
                        .pose_b = scene_part_pose(q, pair->part_b),
                        .options = w->options};
    if (!shape_of(&p->parts[pair->part_a], pair->triangle_a, &replay.a) ||
        !shape_of(&q->parts[pair->part_b], pair->triangle_b, &replay.b)) {
        return CLI_OK;
    }
    // of two single shapes this is the contact that was found, to the bit
    ov_pair_contact(&replay.a, replay.pose_a, &replay.b, replay.pose_b, &w->options, NULL,
                    &replay.contact);
    char name[64];
    snprintf(name, sizeof name, "contact-%zu-%zu.replay", a + 1, b + 1);
    return failures_write(c, &w->failed, name, &replay);
}

/** One pair; it is left out where it is proven to be farther apart than the limit. */
static int solve_pair(cli *c, work *w, size_t a, size_t b) {
    const ov_scene *scene = w->subject.scene;
    double limit = isnan(w->limit) ? INFINITY : w->limit;
    ov_part_contact pair;
    ov_geometry_contact(w->geometries[a], ov_scene_get(scene, a)->pose, w->geometries[b],
                        ov_scene_get(scene, b)->pose, limit, &w->options, &pair);
    if (pair.contact.status >= 0 && pair.contact.gap_lower > limit) {
        return CLI_OK;
    }
    if (!keep(w, a, b, &pair.contact)) {
        return cli_error(c, "contact", "%s", ov_status_message(OV_ERROR_MEMORY));
    }
    return record(c, w, a, b, &pair);
}

/** Two bodies that are to be asked for, a < b. */
typedef struct body_pair {
    size_t a, b;
} body_pair;

typedef struct body_pairs {
    body_pair *items;
    size_t count, room;
} body_pairs;

static bool add_pair(body_pairs *pairs, size_t a, size_t b) {
    if (pairs->count == pairs->room) {
        body_pair *more = cli_more_room(pairs->items, &pairs->room, sizeof *more);
        if (more == NULL) {
            return false;
        }
        pairs->items = more;
    }
    pairs->items[pairs->count++] = (body_pair){a, b};
    return true;
}

static int compare_pairs(const void *a, const void *b) {
    const body_pair *p = a, *q = b;
    size_t m = p->a != q->a ? p->a : p->b, n = p->a != q->a ? q->a : q->b;
    return m < n ? -1 : m > n;
}

/** The bodies whose parts are not proven to be farther apart than the limit, by a world. */
static bool add_near(const work *w, ov_world *world, body_pairs *pairs) {
    const ov_scene *scene = w->subject.scene;
    const ov_world_contact *contacts = NULL;
    size_t count = 0;
    for (size_t i = 0; i < ov_scene_count(scene); i++) {
        ov_body body;
        ov_body_def def = ov_default_body_def();
        def.geometry = w->geometries[i];
        def.pose = ov_scene_get(scene, i)->pose;
        def.user = (void *)(uintptr_t)i;
        if (ov_world_add(world, &def, &body) < 0) {
            return false;
        }
    }
    bool good = ov_world_contacts(world, w->limit, &contacts, &count) == OV_OK;
    for (size_t i = 0; i < count && good; i++) {
        good = add_pair(pairs, (uintptr_t)contacts[i].user_a, (uintptr_t)contacts[i].user_b);
    }
    return good;
}

static bool has_halfspace(const ov_scene_body *body) {
    size_t k = 0;
    while (k < body->part_count &&
           (body->parts[k].mesh != NULL || body->parts[k].shape.kind != OV_SHAPE_KIND_HALFSPACE)) {
        k++;
    }
    return k < body->part_count;
}

/** Half-spaces are no pairs in a world; that they have no answer is printed all the same. */
static bool add_halfspaces(const work *w, body_pairs *pairs) {
    const ov_scene *scene = w->subject.scene;
    size_t count = ov_scene_count(scene);
    bool good = true;
    for (size_t a = 0; a < count && good; a++) {
        for (size_t b = a + 1; b < count && good && has_halfspace(ov_scene_get(scene, a)); b++) {
            good = !has_halfspace(ov_scene_get(scene, b)) || add_pair(pairs, a, b);
        }
    }
    return good;
}

/** The pairs that may be within the limit, in order; without a limit, or where no world can be made
 *  of the scene, all of them. */
static bool find_pairs(const work *w, body_pairs *pairs) {
    size_t bodies = subject_count(&w->subject), kept = 0;
    ov_world *world = NULL;
    // only which pairs are near is asked for: their contacts are found one by one
    ov_world_options how = {.pair.tolerance = OV_TOLERANCE_MAX, .threads.count = 1};
    bool near = !isnan(w->limit) && ov_world_create(&how, &world) == OV_OK &&
                add_near(w, world, pairs) && add_halfspaces(w, pairs);
    ov_world_destroy(world);
    if (near) {
        qsort(pairs->items, pairs->count, sizeof *pairs->items, compare_pairs);
        for (size_t i = 0; i < pairs->count; i++) {
            if (kept == 0 || compare_pairs(&pairs->items[i], &pairs->items[kept - 1]) != 0) {
                pairs->items[kept++] = pairs->items[i];
            }
        }
        pairs->count = kept;
        return true;
    }
    pairs->count = 0;
    bool good = true;
    for (size_t a = 0; a + 1 < bodies && good; a++) {
        for (size_t b = a + 1; b < bodies && good; b++) {
            good = add_pair(pairs, a, b);
        }
    }
    return good;
}

static int solve(cli *c, work *w) {
    size_t bodies = subject_count(&w->subject);
    body_pairs pairs = {NULL, 0, 0};
    progress bar = progress_make(c->err, "pairs");
    w->pair_count = bodies * (bodies - 1) / 2;
    int status = find_pairs(w, &pairs)
                     ? CLI_OK
                     : cli_error(c, "contact", "%s", ov_status_message(OV_ERROR_MEMORY));
    for (size_t i = 0; i < pairs.count && status == CLI_OK; i++) {
        status = solve_pair(c, w, pairs.items[i].a, pairs.items[i].b);
        if (i % 64 == 0) {
            progress_update(&bar, (double)i, (double)i / (double)pairs.count);
        }
    }
    progress_end(&bar);
    free(pairs.items);
    return status;
}

/* ---- the table ------------------------------------------------------------------------------- */

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

enum {
    COLUMN_A,
    COLUMN_B,
    COLUMN_RELATION,
    COLUMN_GAP,
    COLUMN_WITHIN,
    COLUMN_LOWER,
    COLUMN_UPPER,
    COLUMN_POINT_A,
    COLUMN_POINT_B = COLUMN_POINT_A + 3,
    COLUMN_NORMAL = COLUMN_POINT_B + 3,
    COLUMN_STATUS = COLUMN_NORMAL + 3,
    COLUMN_COUNT
};

// the names of numbers are those of CSV
static const table_column columns[COLUMN_COUNT] = {
    {"body A", TABLE_NAME, TABLE_ALWAYS},
    {"body B", TABLE_NAME, TABLE_ALWAYS},
    {"relation", TABLE_WORD, TABLE_ALWAYS},
    {"gap", TABLE_NUMBER, TABLE_ALWAYS},
    {"within", TABLE_NUMBER, TABLE_NARROW},
    {"lower bound", TABLE_NUMBER, TABLE_WIDE},
    {"upper bound", TABLE_NUMBER, TABLE_WIDE},
    {"ax", TABLE_NUMBER, TABLE_ALWAYS},
    {"ay", TABLE_COMPONENT, TABLE_ALWAYS},
    {"az", TABLE_COMPONENT, TABLE_ALWAYS},
    {"bx", TABLE_NUMBER, TABLE_WIDE},
    {"by", TABLE_COMPONENT, TABLE_WIDE},
    {"bz", TABLE_COMPONENT, TABLE_WIDE},
    {"nx", TABLE_NUMBER, TABLE_ALWAYS},
    {"ny", TABLE_COMPONENT, TABLE_ALWAYS},
    {"nz", TABLE_COMPONENT, TABLE_ALWAYS},
    {"", TABLE_WORD, TABLE_ALWAYS},
};

static void fill_vector(table_cells *cells, size_t column, ov_vec3 v, int decimals) {
    table_fixed(cells, column, v.x, decimals);
    table_fixed(cells, column + 1, v.y, decimals);
    table_fixed(cells, column + 2, v.z, decimals);
}

static void fill_row(const void *user, size_t row, table_cells *cells) {
    const work *w = user;
    const scene_contact *s = &w->contacts[row];
    const ov_contact *k = &s->contact;
    cells->texts[COLUMN_A] = subject_name(&w->subject, s->a);
    cells->texts[COLUMN_B] = subject_name(&w->subject, s->b);
    if (k->status < 0) {
        cells->texts[COLUMN_RELATION] = ov_status_name(k->status);
        return;
    }
    cells->texts[COLUMN_RELATION] = ov_relation_name(k->relation);
    table_number(cells, COLUMN_GAP, k->gap, 6);
    table_number(cells, COLUMN_WITHIN, k->gap_upper - k->gap_lower, 2);
    table_number(cells, COLUMN_LOWER, k->gap_lower, 17);
    table_number(cells, COLUMN_UPPER, k->gap_upper, 17);
    fill_vector(cells, COLUMN_POINT_A, k->point_a, w->decimals);
    fill_vector(cells, COLUMN_POINT_B, k->point_b, w->decimals);
    fill_vector(cells, COLUMN_NORMAL, k->normal, 3);
    cells->texts[COLUMN_STATUS] = k->status > 0 ? ov_status_name(k->status) : NULL;
}

/** Decimals of the coordinates: the same for all, by the largest. */
static int find_decimals(const work *w) {
    double largest = 0.0;
    for (size_t i = 0; i < w->count; i++) {
        ov_vec3 p = w->contacts[i].contact.point_a;
        largest = fmax(largest, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
    }
    return table_decimals(largest);
}

static void print_summary(FILE *out, const work *w) {
    static const ov_relation relations[] = {OV_RELATION_OVERLAPPING, OV_RELATION_TOUCHING,
                                            OV_RELATION_SEPARATED, OV_RELATION_UNDECIDED};
    size_t counts[4] = {0}, failed = 0;
    for (size_t i = 0; i < w->count; i++) {
        const ov_contact *k = &w->contacts[i].contact;
        for (int r = 0; r < 4; r++) {
            counts[r] += k->status >= 0 && k->relation == relations[r];
        }
        failed += k->status < 0;
    }
    fprintf(out, "\n%zu bodies, %zu pair%s:", subject_count(&w->subject), w->pair_count,
            w->pair_count == 1 ? "" : "s");
    for (int r = 0; r < 4; r++) {
        fprintf(out, "%s %zu %s", r > 0 ? "," : "", counts[r], ov_relation_name(relations[r]));
    }
    if (failed > 0) {
        fprintf(out, ", %zu without an answer", failed);
    }
    if (w->count < w->pair_count) {
        size_t left_out = w->pair_count - w->count;
        fprintf(out, "\n%zu pair%s more than %g apart %s left out", left_out,
                left_out == 1 ? "" : "s", w->limit, left_out == 1 ? "is" : "are");
    }
    fputc('\n', out);
}

static void print_table(FILE *out, work *w, bool wide) {
    qsort(w->contacts, w->count, sizeof *w->contacts, compare_gaps);
    w->decimals = find_decimals(w);
    table t = {columns, COLUMN_COUNT, w->count, wide, fill_row, w};
    table_print(out, &t);
    print_summary(out, w);
}

/* ---- CSV and JSON ---------------------------------------------------------------------------- */

static void print_csv(FILE *out, const work *w) {
    fputs("a,b," CSV_CONTACT_HEAD "\n", out);
    for (size_t i = 0; i < w->count; i++) {
        const scene_contact *s = &w->contacts[i];
        csv_text(out, subject_name(&w->subject, s->a));
        fputc(',', out);
        csv_text(out, subject_name(&w->subject, s->b));
        fputc(',', out);
        csv_contact(out, &s->contact);
        fputc('\n', out);
    }
}

static void print_json(FILE *out, const work *w) {
    json j = json_make(out);
    json_open_document(&j);
    json_string(&j, "file", w->subject.path);
    json_string(&j, "title", ov_scene_title(w->subject.scene));
    json_number(&j, "tolerance", w->options.tolerance);
    json_string(&j, "depth", ov_depth_name(w->options.depth));
    if (isnan(w->limit)) {
        json_null(&j, "limit");
    } else {
        json_number(&j, "limit", w->limit);
    }
    json_count(&j, "bodies", subject_count(&w->subject));
    json_count(&j, "pairs", w->pair_count);
    json_open_list(&j, "contacts");
    for (size_t i = 0; i < w->count; i++) {
        const scene_contact *s = &w->contacts[i];
        json_open_object(&j, NULL);
        json_string(&j, "a", subject_name(&w->subject, s->a));
        json_string(&j, "b", subject_name(&w->subject, s->b));
        json_contact(&j, &s->contact);
        json_close_object(&j);
    }
    json_close_list(&j);
    json_close_object(&j);
}

/* ---- the verb -------------------------------------------------------------------------------- */

/** A picture has its limits: told before the long work begins. */
static int check_picture(cli *c, const work *w, const char *path) {
    size_t bodies = subject_count(&w->subject), pieces = scene_picture_pieces(w->subject.scene);
    if (path != NULL && bodies > SCENE_PICTURE_BODIES_MAX) {
        return cli_error(c, path, "not drawn: the scene has %zu bodies, a picture takes %d", bodies,
                         SCENE_PICTURE_BODIES_MAX);
    }
    if (path != NULL && pieces > SCENE_PICTURE_PIECES_MAX) {
        return cli_error(c, path,
                         "not drawn: the scene has %zu parts and triangles of meshes, a "
                         "picture takes %d",
                         pieces, SCENE_PICTURE_PIECES_MAX);
    }
    return CLI_OK;
}

static int write_all(cli *c, work *w, report *r) {
    FILE *out = r->out.stream;
    int status = CLI_OK;
    if (r->svg.stream != NULL) {
        ov_status drawn = scene_picture_draw(r->svg.stream, w->subject.scene, w->contacts, w->count,
                                             !isnan(w->limit));
        if (drawn < 0) {
            return cli_error(c, r->svg_path, "%s", ov_status_message(drawn));
        }
        // what cannot be written is an error before anything is printed
        status = cli_finish_output(c, &r->svg, status);
    }
    if (status != CLI_OK) {
        return status;
    }
    if (out != NULL && r->format == REPORT_CSV) {
        print_csv(out, w);
    } else if (out != NULL && r->format == REPORT_JSON) {
        print_json(out, w);
    } else if (out != NULL) {
        print_table(out, w, r->wide);
    }
    return CLI_OK;
}

/** Numbers of the two bodies of --record. */
static int find_record(cli *c, const args *a, work *w) {
    for (int k = 0; k < 2 && args_given(a, "--record"); k++) {
        const char *name = args_texts(a, "--record")[k];
        for (size_t i = 0; i < subject_count(&w->subject); i++) {
            if (strcmp(subject_name(&w->subject, i), name) == 0) {
                w->record[k] = i + 1;
            }
        }
        if (w->record[k] == 0) {
            return cli_error(c, a->verb, "--record = %s: no body has this name", name);
        }
    }
    return CLI_OK;
}

static int read_options(cli *c, const args *a, work *w, report *r) {
    w->options = ov_default_pair_options();
    w->options.depth = OV_DEPTH_GLOBAL;
    w->limit = (double)NAN;
    int status = options_read_pair(c, a, &w->options);
    if (status == CLI_OK) {
        status = options_read_limit(c, a, &w->limit);
    }
    if (status == CLI_OK && args_given(a, "--record") && !args_given(a, "--failures")) {
        return cli_error(c, a->verb, "--record needs --failures DIR");
    }
    return status == CLI_OK ? report_read(c, a, r) : status;
}

static int solve_and_write(cli *c, const args *a, work *w, report *r) {
    int status = check_picture(c, w, r->svg_path);
    if (status == CLI_OK) {
        status = report_open(c, r);
    }
    if (status == CLI_OK) {
        status = failures_begin(c, a, &w->failed);
    }
    if (status == CLI_OK) {
        status = solve(c, w);
    }
    if (status == CLI_OK) {
        status = write_all(c, w, r);
    }
    status = report_close(c, r, status);
    failures_end(&w->failed, status);
    return status;
}

static int run_scene(cli *c, const args *a, work *w, report *r) {
    size_t count = subject_count(&w->subject);
    int status = find_record(c, a, w);
    if (status == CLI_OK && count < 2) {
        status =
            cli_error(c, w->subject.path, "a contact needs two bodies, the scene has %zu", count);
    }
    if (status == CLI_OK) {
        status = scene_geometries_make(c, w->subject.path, w->subject.scene, &w->geometries);
    }
    if (status == CLI_OK) {
        subject_tell_open_meshes(c, &w->subject);
        status = solve_and_write(c, a, w, r);
    }
    return status;
}

static int run(cli *c, int argc, char **argv) {
    args a;
    report r;
    work w = {.count = 0};
    int status = args_parse(c, cli_verb_contact.name, options, OPTION_COUNT, argc, argv, &a);
    if (status == CLI_OK && args_given(&a, "--example")) {
        return cli_print(c, &a, example);
    }
    if (status != CLI_OK || (status = read_options(c, &a, &w, &r)) != CLI_OK) {
        return status;
    }
    status = subject_read(c, &a, SUBJECT_SCENE, ov_default_robot_options(), &w.subject);
    if (status == CLI_OK) {
        status = run_scene(c, &a, &w, &r);
    }
    free(w.contacts);
    scene_geometries_free(w.geometries, w.subject.scene);
    subject_free(&w.subject);
    return status;
}

const cli_verb cli_verb_contact = {
    .name = "contact",
    .summary = "contacts between the bodies of a scene, as a table, CSV, JSON or SVG",
    .usage = "SCENE.json [options]",
    .details =
        "Prints the contact of every pair of bodies, the deepest overlap first: relation, gap,\n"
        "how far apart its proven bounds are, witness point on A (ax, ay, az) and normal from A\n"
        "to B (nx, ny, nz), in the world. --wide, CSV and JSON have the bounds and the point on B\n"
        "as well. A query that did not reach its tolerance says so at the end of its line. For\n"
        "the format of scenes see 'ovoid help scenes'; for robots use 'ovoid check'.\n",
    .examples = "  ovoid contact --example > scene.json\n"
                "  ovoid contact scene.json --svg scene.svg\n"
                "  ovoid contact scene.json --json --limit 0.5 --tolerance 1e-6 -o near.json\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .takes_files = true,
    .run = run,
};
