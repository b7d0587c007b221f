/**
 * @file body_contact.c
 * @brief Two bodies of a scene: a pair query where both are single shapes, else a world of two.
 *
 * A world finds the nearest parts without trying all pairs, and takes meshes. The pair query stays
 * where it does, so that its answers, and files for replay, are the same to the bit.
 */
#include "body_contact.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pair_args.h"

bool body_is_shape(const ov_scene_body *body) {
    const ov_pose *p = &body->parts[0].pose;
    return body->part_count == 1 && body->parts[0].mesh == NULL && p->position.x == 0.0 &&
           p->position.y == 0.0 && p->position.z == 0.0 && p->rotation.x == 0.0 &&
           p->rotation.y == 0.0 && p->rotation.z == 0.0;
}

ov_pose body_part_pose(const ov_scene_body *body, size_t part) {
    if (body_is_shape(body)) {
        return body->pose;
    }
    ov_pose p = body->parts[part].pose;
    return (ov_pose){ov_pose_apply(body->pose, p.position),
                     ov_quat_mul(body->pose.rotation, p.rotation)};
}

ov_status body_geometries_make(const ov_scene *scene, ov_geometry ***geometries, size_t *body) {
    size_t count = ov_scene_count(scene);
    *geometries = calloc(count + 1, sizeof **geometries);
    *body = 0;
    ov_status status = *geometries == NULL ? OV_ERROR_MEMORY : OV_OK;
    for (size_t i = 0; i < count && status == OV_OK; i++) {
        const ov_scene_body *b = ov_scene_get(scene, i);
        status = ov_geometry_create(b->parts, b->part_count, NULL, &(*geometries)[i]);
        *body = i;
    }
    return status;
}

void body_geometries_free(ov_geometry **geometries, size_t count) {
    for (size_t i = 0; geometries != NULL && i < count; i++) {
        ov_geometry_destroy(geometries[i]);
    }
    free(geometries);
}

ov_status body_set_make(const ov_scene *scene, body_set *set, size_t *body) {
    size_t count = ov_scene_count(scene), single = 0;
    *set = (body_set){scene, NULL};
    *body = 0;
    for (size_t i = 0; i < count; i++) {
        single += body_is_shape(ov_scene_get(scene, i));
    }
    return single == count ? OV_OK : body_geometries_make(scene, &set->geometries, body);
}

void body_set_free(body_set *set) {
    body_geometries_free(set->geometries, ov_scene_count(set->scene));
    *set = (body_set){NULL, NULL};
}

int body_scene_read(cli *c, const char *path, ov_scene **scene) {
    ov_fault wrong;
    bool from_stream = strcmp(path, "-") == 0;
    int result = cli_note_input(c, path);
    if (result != CLI_OK) {
        return result;
    }
    errno = 0;
    ov_status status = from_stream ? ov_scene_read_stream(stdin, ".", scene, &wrong)
                                   : ov_scene_read(path, scene, &wrong);
    if (status == OV_ERROR_FILE_OPEN && wrong.index == 0 && errno != 0) {
        return cli_error(c, path, "cannot be read: %s", strerror(errno));
    }
    if (status < 0) {
        return cli_file_error(c, from_stream ? "standard input" : path, &wrong);
    }
    for (size_t i = 0; i < ov_scene_file_count(*scene) && result == CLI_OK; i++) {
        result = cli_note_input(c, ov_scene_file(*scene, i));
    }
    return result;
}

/* ---- meshes that are not closed -------------------------------------------------------------- */

void open_meshes_add(open_meshes *open, const char *name, const ov_part *part) {
    enum { NAMES = sizeof open->names / sizeof open->names[0] };
    bool again = open->count > 0 && open->count <= NAMES && open->names[open->count - 1] == name;
    if (part->mesh == NULL || ov_trimesh_open_count(part->mesh) == 0 ||
        ov_trimesh_is_surface(part->mesh) || again) {
        return; // or the file says that it is a surface
    }
    if (open->count < NAMES) {
        open->names[open->count] = name;
    }
    open->count++;
}

void open_meshes_add_geometry(open_meshes *open, const char *name, const ov_geometry *geometry) {
    for (size_t i = 0; i < ov_geometry_count(geometry); i++) {
        open_meshes_add(open, name, ov_geometry_part(geometry, i));
    }
}

void open_meshes_add_scene(open_meshes *open, const ov_scene *scene) {
    for (size_t i = 0; i < ov_scene_count(scene); i++) {
        const ov_scene_body *body = ov_scene_get(scene, i);
        for (size_t k = 0; k < body->part_count; k++) {
            open_meshes_add(open, body->name, &body->parts[k]);
        }
    }
}

void open_meshes_tell(cli *c, const char *path, const open_meshes *open) {
    size_t named = sizeof open->names / sizeof open->names[0];
    named = open->count < named ? open->count : named;
    char names[512] = "";
    for (size_t i = 0, at = 0; i < named && at < sizeof names; i++) {
        int length =
            snprintf(names + at, sizeof names - at, "%s%.80s", i > 0 ? ", " : "", open->names[i]);
        at += length > 0 ? (size_t)length : 0;
    }
    if (open->count > 0) {
        (void)cli_error(c, path,
                        "warning: meshes that are not closed are surfaces, which have no inside: "
                        "%s%s",
                        names, open->count > named ? " and others" : "");
    }
}

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

void body_contact(const body_set *set, size_t a, size_t b, double limit,
                  const ov_pair_options *options, body_pair *pair, bool *left_out) {
    const ov_scene_body *p = ov_scene_get(set->scene, a), *q = ov_scene_get(set->scene, b);
    *pair = (body_pair){0, 0, OV_NO_TRIANGLE, OV_NO_TRIANGLE, {.status = OV_OK}};
    *left_out = false;
    if (body_is_shape(p) && body_is_shape(q)) {
        pair_query(p, q, limit, options, pair, left_out);
        return;
    }
    world_query(set, a, b, options, pair);
    *left_out = pair->contact.status >= 0 && pair->contact.gap_lower > limit;
}
