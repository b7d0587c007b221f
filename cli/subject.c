/**
 * @file subject.c
 * @brief Reads scenes, scenes in motion and robots, and tells what is odd about them.
 */
#include "subject.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(cli *c, const char *path) {
    return cli_error(c, path, "%s", ov_status_message(OV_ERROR_MEMORY));
}

/* ---- scenes ---------------------------------------------------------------------------------- */

/** Says why a scene could not be read: by the system, or by the reader. */
static int scene_error(cli *c, const char *path, ov_status status, const ov_fault *fault) {
    return status == OV_ERROR_FILE_OPEN && fault->place != OV_FAULT_PLACE_LINE && errno != 0
               ? cli_error(c, path, "cannot be read: %s", strerror(errno))
               : cli_file_error(c, cli_input_name(path), fault);
}

int scene_read(cli *c, const char *path, ov_scene **scene) {
    ov_fault fault;
    int result = cli_note_input(c, path);
    if (result != CLI_OK) {
        return result;
    }
    errno = 0;
    ov_status status = strcmp(path, "-") == 0 ? ov_scene_read_stream(stdin, ".", scene, &fault)
                                              : ov_scene_read(path, scene, &fault);
    if (status < 0) {
        return scene_error(c, path, status, &fault);
    }
    for (size_t i = 0; i < ov_scene_file_count(*scene) && result == CLI_OK; i++) {
        result = cli_note_input(c, ov_scene_file(*scene, i));
    }
    return result;
}

int motion_scene_read(cli *c, const char *path, ov_motion_scene **scene) {
    ov_fault fault;
    int result = cli_note_input(c, path);
    if (result != CLI_OK) {
        return result;
    }
    errno = 0;
    ov_status status = strcmp(path, "-") == 0
                           ? ov_motion_scene_read_stream(stdin, ".", scene, &fault)
                           : ov_motion_scene_read(path, scene, &fault);
    if (status < 0) {
        return scene_error(c, path, status, &fault);
    }
    for (size_t i = 0; i < ov_motion_scene_file_count(*scene) && result == CLI_OK; i++) {
        result = cli_note_input(c, ov_motion_scene_file(*scene, i));
    }
    return result;
}

int scene_geometries_make(cli *c, const char *path, const ov_scene *scene,
                          ov_geometry ***geometries) {
    size_t count = ov_scene_count(scene);
    *geometries = calloc(count + 1, sizeof **geometries);
    if (*geometries == NULL) {
        return no_memory(c, path);
    }
    for (size_t i = 0; i < count; i++) {
        const ov_scene_body *b = ov_scene_get(scene, i);
        ov_status status = ov_geometry_create(b->parts, b->part_count, NULL, &(*geometries)[i]);
        if (status < 0) {
            return cli_error(c, path, "%s: %s", b->name, ov_status_message(status));
        }
    }
    return CLI_OK;
}

void scene_geometries_free(ov_geometry **geometries, const ov_scene *scene) {
    for (size_t i = 0; geometries != NULL && i < ov_scene_count(scene); i++) {
        ov_geometry_destroy(geometries[i]);
    }
    free(geometries);
}

bool scene_body_is_shape(const ov_scene_body *body) {
    const ov_pose *p = &body->parts[0].pose;
    return body->part_count == 1 && body->parts[0].mesh == NULL && p->position.x == 0.0 &&
           p->position.y == 0.0 && p->position.z == 0.0 && p->rotation.x == 0.0 &&
           p->rotation.y == 0.0 && p->rotation.z == 0.0;
}

ov_pose scene_part_pose(const ov_scene_body *body, size_t part) {
    if (scene_body_is_shape(body)) {
        return body->pose;
    }
    ov_pose p = body->parts[part].pose;
    return (ov_pose){ov_pose_apply(body->pose, p.position),
                     ov_quat_mul(body->pose.rotation, p.rotation)};
}

/* ---- robots ---------------------------------------------------------------------------------- */

/** Does a name end as those of robots do? For files that cannot be looked into. */
static bool is_named_xml(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot != NULL && (strcmp(dot, ".urdf") == 0 || strcmp(dot, ".xml") == 0);
}

bool robot_is_xml(const char *path) {
    FILE *stream = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    int byte = stream != NULL ? getc(stream) : EOF;
    if (stream == stdin) {
        // one byte can be given back, no more
        ungetc(byte, stdin);
        return byte == '<';
    }
    // a byte order mark, and blanks, may stand before the first tag
    if (byte == 0xef && getc(stream) == 0xbb && getc(stream) == 0xbf) {
        byte = getc(stream);
    }
    while (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r') {
        byte = getc(stream);
    }
    if (stream != NULL) {
        fclose(stream);
    }
    return byte == EOF ? is_named_xml(path) : byte == '<';
}

/** Other programs take it in silence; here it is said, once. */
static void tell_mimics(cli *c, const char *path, const ov_robot *robot) {
    size_t count = 0;
    const char *first = "";
    for (size_t i = ov_robot_extra_count(robot); i-- > 0;) {
        const ov_robot_extra *e = ov_robot_get_extra(robot, i);
        if (e->joint != OV_NO_LINK && strcmp(e->name, "mimic") == 0) {
            first = ov_robot_get_joint(robot, e->joint)->def.name;
            count++;
        }
    }
    if (count == 1) {
        (void)cli_error(c, path, "note: joint '%s' is fixed: its <mimic> is ignored", first);
    } else if (count > 1) {
        (void)cli_error(c, path,
                        "note: joint '%s' and %zu more are fixed: their <mimic> is ignored", first,
                        count - 1);
    }
}

int robot_read(cli *c, const char *path, const char *packages, ov_robot_options how,
               ov_robot **robot) {
    ov_fault wrong;
    char **pieces = NULL;
    *robot = NULL;
    int result = cli_note_input(c, path);
    if (result != CLI_OK) {
        return result;
    }
    if (packages != NULL) {
        pieces = args_cut(packages, ':', &how.package_count);
        if (pieces == NULL) {
            return cli_error(c, path, "%s", ov_status_message(OV_ERROR_MEMORY));
        }
        how.packages = (const char *const *)pieces;
    }
    bool from_stream = strcmp(path, "-") == 0;
    ov_status status = from_stream ? ov_robot_read_stream(stdin, ".", &how, robot, &wrong)
                                   : ov_robot_read(path, &how, robot, &wrong);
    free(pieces);
    path = from_stream ? "standard input" : path;
    if (status == OV_ERROR_FILE_OPEN && strstr(wrong.text, "no folder of packages") != NULL) {
        size_t length = strlen(wrong.text);
        snprintf(wrong.text + length, sizeof wrong.text - length, "; --package names such folders");
    }
    if (status < 0) {
        return cli_file_error(c, path, &wrong);
    }
    tell_mimics(c, path, *robot);
    return cli_note_robot(c, *robot);
}

/** Says why a column is passed over; such a joint has one column, of its own name. */
static void tell_unused(cli *c, const char *path, const ov_model *model, uint32_t joint) {
    const ov_joint_def *def = ov_model_joint(model, joint);
    bool follows = def->mimic != OV_NO_LINK;
    cli_error(c, path, "column '%s' is not used: the joint %s%s", def->name,
              follows ? "follows " : "is fixed",
              follows ? ov_model_joint(model, def->mimic)->name : "");
}

int joints_read(cli *c, const char *path, const ov_model *model, ov_joints *t) {
    ov_fault wrong;
    *t = (ov_joints){.count = 0};
    FILE *stream = cli_open_input(c, &path);
    if (stream == NULL) {
        return CLI_BAD_INPUT;
    }
    int status = ov_joints_read_stream(stream, model, false, t, &wrong) < 0
                     ? cli_file_error(c, path, &wrong)
                     : CLI_OK;
    for (size_t i = 0; i < t->unused_count; i++) {
        tell_unused(c, path, model, t->unused[i]);
    }
    if (stream != stdin) {
        fclose(stream);
    }
    return status;
}

int joints_rest(cli *c, const char *path, const ov_model *model, ov_joints *t) {
    *t = (ov_joints){.count = 1, .width = ov_model_position_count(model)};
    t->positions = calloc(t->width + 1, sizeof *t->positions);
    if (t->positions == NULL) {
        return no_memory(c, path);
    }
    ov_model_rest(model, t->positions);
    return CLI_OK;
}

/* ---- pairs that may touch -------------------------------------------------------------------- */

static int no_thing(cli *c, const args *a, const allow_names *all, const char *name) {
    const char **names = calloc(all->count + 1, sizeof *names);
    for (size_t i = 0; names != NULL && i < all->count; i++) {
        names[i] = all->name_of(all->subject, i);
    }
    const char *near = names != NULL ? cli_nearest(name, names, all->count) : NULL;
    int status = cli_error(c, a->verb, "--allow: nothing has the name '%s'%s%s%s", name,
                           near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                           near != NULL ? "'?" : "");
    free(names);
    return status;
}

/** One pair "A,B". */
static int read_pair(cli *c, const args *a, size_t option, const allow_names *all, char *text,
                     uint32_t pair[2]) {
    char *comma = strchr(text, ',');
    if (comma == NULL || comma == text || comma[1] == '\0' || strchr(comma + 1, ',') != NULL) {
        return cli_error(c, a->verb, "--allow = %s: must be two names, A,B",
                         a->values[option].text[0]);
    }
    *comma = '\0';
    const char *const names[2] = {text, comma + 1};
    for (int k = 0; k < 2; k++) {
        size_t i = 0;
        while (i < all->count && strcmp(all->name_of(all->subject, i), names[k]) != 0) {
            i++;
        }
        if (i == all->count) {
            return no_thing(c, a, all, names[k]);
        }
        pair[k] = (uint32_t)i;
    }
    return CLI_OK;
}

int allow_read(cli *c, const args *a, size_t option, const allow_names *names,
               uint32_t (**pairs)[2], size_t *count) {
    *pairs = NULL;
    *count = 0;
    if (!a->values[option].given) {
        return CLI_OK;
    }
    size_t given = 0;
    char **pieces = args_cut(a->values[option].text[0], ':', &given);
    *pairs = calloc(given + 1, sizeof **pairs);
    int status = pieces != NULL && *pairs != NULL ? CLI_OK : no_memory(c, a->verb);
    for (size_t i = 0; i < given && status == CLI_OK; i++) {
        status = read_pair(c, a, option, names, pieces[i], (*pairs)[*count]);
        *count += status == CLI_OK;
    }
    free(pieces);
    return status;
}

int allow_links(cli *c, const args *a, const ov_robot *robot, const uint32_t (*pairs)[2],
                size_t count) {
    size_t links = ov_robot_link_count(robot);
    for (size_t i = 0; i < count; i++) {
        if (pairs[i][0] < links && pairs[i][1] < links &&
            ov_model_allow(ov_robot_model(robot), pairs[i][0], pairs[i][1], true) < 0) {
            return no_memory(c, a->verb);
        }
    }
    return CLI_OK;
}

static const char *link_name(const void *robot, size_t link) {
    return ov_robot_get_link(robot, link)->name;
}

int allow_robot(cli *c, const args *a, size_t option, const ov_robot *robot) {
    allow_names names = {link_name, robot, ov_robot_link_count(robot)};
    uint32_t(*pairs)[2];
    size_t count;
    int status = allow_read(c, a, option, &names, &pairs, &count);
    if (status == CLI_OK) {
        status = allow_links(c, a, robot, pairs, count);
    }
    free(pairs);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

int subject_read_obstacles(cli *c, const char *path, subject *s) {
    s->obstacles_path = cli_input_name(path);
    int result = scene_read(c, path, &s->obstacles);
    return result == CLI_OK
               ? scene_geometries_make(c, s->obstacles_path, s->obstacles, &s->obstacle_geometries)
               : result;
}

void subject_free(subject *s) {
    ov_scene_destroy(s->scene);
    ov_motion_scene_destroy(s->motion);
    ov_joints_free(&s->joints);
    ov_robot_destroy(s->robot);
    scene_geometries_free(s->obstacle_geometries, s->obstacles);
    ov_scene_destroy(s->obstacles);
    *s = (subject){.path = NULL};
}

size_t subject_count(const subject *s) {
    return s->scene != NULL    ? ov_scene_count(s->scene)
           : s->motion != NULL ? ov_motion_scene_count(s->motion)
                               : ov_robot_link_count(s->robot) + ov_scene_count(s->obstacles);
}

const char *subject_name(const subject *s, size_t thing) {
    if (s->robot == NULL) {
        return s->scene != NULL ? ov_scene_get(s->scene, thing)->name
                                : ov_motion_scene_name(s->motion, thing);
    }
    size_t links = ov_robot_link_count(s->robot);
    return thing < links ? ov_robot_get_link(s->robot, thing)->name
                         : ov_scene_get(s->obstacles, thing - links)->name;
}

const ov_geometry *subject_geometry(const subject *s, size_t thing) {
    if (s->robot == NULL) {
        return s->motion != NULL ? ov_motion_scene_bodies(s->motion)[thing].geometry : NULL;
    }
    size_t links = ov_robot_link_count(s->robot);
    return thing < links ? ov_model_link_geometry(ov_robot_model(s->robot), thing)
                         : s->obstacle_geometries[thing - links];
}

const ov_polygons *subject_polygons(const subject *s, size_t thing) {
    return s->motion != NULL ? ov_motion_scene_bodies(s->motion)[thing].polygons : NULL;
}

/* ---- meshes that are not closed -------------------------------------------------------------- */

/** Names of things with such a mesh. All zero: none yet. */
typedef struct open_meshes {
    const char *names[5]; /**< the first ones */
    size_t count;
} open_meshes;

static void open_meshes_add(open_meshes *open, const char *name, const ov_part *part) {
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

static void open_meshes_add_geometry(open_meshes *open, const char *name,
                                     const ov_geometry *geometry) {
    for (size_t i = 0; i < ov_geometry_count(geometry); i++) {
        open_meshes_add(open, name, ov_geometry_part(geometry, i));
    }
}

static void open_meshes_add_scene(open_meshes *open, const ov_scene *scene) {
    for (size_t i = 0; i < ov_scene_count(scene); i++) {
        const ov_scene_body *body = ov_scene_get(scene, i);
        for (size_t k = 0; k < body->part_count; k++) {
            open_meshes_add(open, body->name, &body->parts[k]);
        }
    }
}

static void open_meshes_tell(cli *c, const char *path, const open_meshes *open) {
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

void subject_tell_open_meshes(cli *c, const subject *s) {
    open_meshes own = {.count = 0}, obstacles = own;
    size_t count = subject_count(s) - ov_scene_count(s->obstacles);
    open_meshes_add_scene(&own, s->scene);
    for (size_t i = 0; i < count && s->scene == NULL; i++) {
        open_meshes_add_geometry(&own, subject_name(s, i), subject_geometry(s, i));
    }
    open_meshes_tell(c, s->path, &own);
    open_meshes_add_scene(&obstacles, s->obstacles);
    open_meshes_tell(c, s->obstacles_path, &obstacles);
}
