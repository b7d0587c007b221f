/**
 * @file subject.c
 * @brief Reads scenes, scenes in motion and robots, and tells what is odd about them.
 */
#include "subject.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(cli *c, const char *path) {
    return cli_error(c, path, "%s", ov_status_message(OV_ERROR_MEMORY));
}

/* ---- scenes ---------------------------------------------------------------------------------- */

/** Says why a file could not be read: by the system, or by the reader. */
static int read_error(cli *c, const char *path, ov_status status, const ov_fault *fault) {
    return status == OV_ERROR_FILE_OPEN && fault->place != OV_FAULT_PLACE_LINE && errno != 0
               ? cli_error(c, path, "cannot be read: %s", strerror(errno))
               : cli_file_error(c, cli_input_name(path), fault);
}

static int scene_read(cli *c, const char *path, ov_scene **scene) {
    ov_fault fault;
    int result = cli_note_input(c, path);
    if (result != CLI_OK) {
        return result;
    }
    errno = 0;
    ov_status status = strcmp(path, "-") == 0 ? ov_scene_read_stream(stdin, ".", scene, &fault)
                                              : ov_scene_read(path, scene, &fault);
    if (status < 0) {
        return read_error(c, path, status, &fault);
    }
    for (size_t i = 0; i < ov_scene_file_count(*scene) && result == CLI_OK; i++) {
        result = cli_note_input(c, ov_scene_file(*scene, i));
    }
    return result;
}

static int motion_scene_read(cli *c, const char *path, ov_motion_scene **scene) {
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
        return read_error(c, path, status, &fault);
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

/** Is a body one shape in the body's own frame? */
static bool is_one_shape(const ov_scene_body *body) {
    const ov_pose *p = &body->parts[0].pose;
    return body->part_count == 1 && body->parts[0].mesh == NULL && p->position.x == 0.0 &&
           p->position.y == 0.0 && p->position.z == 0.0 && p->rotation.x == 0.0 &&
           p->rotation.y == 0.0 && p->rotation.z == 0.0;
}

ov_pose scene_part_pose(const ov_scene_body *body, size_t part) {
    if (is_one_shape(body)) {
        return body->pose;
    }
    ov_pose p = body->parts[part].pose;
    return (ov_pose){ov_pose_apply(body->pose, p.position),
                     ov_quat_mul(body->pose.rotation, p.rotation)};
}

/* ---- robots ---------------------------------------------------------------------------------- */

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
        cli_note(c, path, "joint '%s' is fixed: its <mimic> is ignored", first);
    } else if (count > 1) {
        cli_note(c, path, "joint '%s' and %zu more are fixed: their <mimic> is ignored", first,
                 count - 1);
    }
}

static int robot_read(cli *c, const args *a, ov_robot_options how, ov_robot **robot) {
    const char *path = a->words[0], *packages = args_text(a, "--package");
    ov_fault fault;
    char **folders = NULL;
    int result = cli_note_input(c, path);
    if (result != CLI_OK) {
        return result;
    }
    if (packages != NULL) {
        folders = args_cut(packages, ':', &how.package_count);
        if (folders == NULL) {
            return no_memory(c, path);
        }
        how.packages = (const char *const *)folders;
    }
    errno = 0;
    ov_status status = strcmp(path, "-") == 0
                           ? ov_robot_read_stream(stdin, ".", &how, robot, &fault)
                           : ov_robot_read(path, &how, robot, &fault);
    free(folders);
    path = cli_input_name(path);
    if (status < 0 && strstr(fault.text, "no folder of packages") != NULL) {
        size_t used = strlen(fault.text);
        snprintf(fault.text + used, sizeof fault.text - used, "; --package names such folders");
    }
    if (status < 0) {
        return read_error(c, a->words[0], status, &fault);
    }
    tell_mimics(c, path, *robot);
    return cli_note_robot(c, *robot);
}

/* ---- robots at random ------------------------------------------------------------------------ */

void subject_draw_positions(const ov_model *model, double share, subject_uniform uniform,
                            void *state, double *positions) {
    const double half_turn = acos(-1.0);
    ov_model_rest(model, positions);
    for (size_t j = 0; j < ov_model_joint_count(model); j++) {
        const ov_joint_def *def = ov_model_joint(model, j);
        if (ov_joint_position_count(def->kind) == 1 && def->mimic == OV_NO_LINK) {
            double lower = isfinite(def->lower) ? def->lower : -half_turn;
            double upper = isfinite(def->upper) ? def->upper : half_turn;
            double *at = &positions[ov_model_joint_position(model, j)];
            *at = uniform(state, *at + share * (lower - *at), *at + share * (upper - *at));
        }
    }
}

/* ---- joints ---------------------------------------------------------------------------------- */

/** Says why a column is passed over; such a joint has one column, of its own name. */
static void tell_unused(cli *c, const char *path, const ov_model *model, uint32_t joint) {
    const ov_joint_def *def = ov_model_joint(model, joint);
    bool follows = def->mimic != OV_NO_LINK;
    cli_note(c, path, "column '%s' is not used: the joint %s%s", def->name,
             follows ? "follows " : "is fixed",
             follows ? ov_model_joint(model, def->mimic)->name : "");
}

/** Reads a file of joints, "-" from standard input. */
static int joints_read(cli *c, const char *path, const ov_model *model, ov_joints *t) {
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

static const char *joint_name(const subject *s, size_t joint) {
    return ov_model_joint(ov_robot_model(s->robot), joint)->name;
}

/** A name that none of `count` things has; the nearest one is told. */
static int unknown_name(cli *c, const args *a, const char *what, const char *name, const subject *s,
                        const char *(*name_of)(const subject *s, size_t i), size_t count) {
    const char **names = calloc(count + 1, sizeof *names);
    for (size_t i = 0; names != NULL && i < count; i++) {
        names[i] = name_of(s, i);
    }
    const char *near = names != NULL ? cli_nearest(name, names, count) : NULL;
    int status = cli_error(c, a->verb, "%s has the name '%s'%s%s%s", what, name,
                           near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                           near != NULL ? "'?" : "");
    free(names);
    return status;
}

/** One "NAME=VALUE" of a list; it is cut at its last "=". */
static int read_position(cli *c, const args *a, const subject *s, char *text, double *positions) {
    const ov_model *model = ov_robot_model(s->robot);
    char *equals = strrchr(text, '=');
    double value = 0.0;
    if (equals == NULL) {
        return cli_error(c, a->verb, "--joints: '%s' is not NAME=VALUE", text);
    }
    *equals = '\0';
    uint32_t joint = ov_model_find_joint(model, text);
    if (joint == OV_NO_LINK) {
        return unknown_name(c, a, "--joints: no joint", text, s, joint_name,
                            ov_model_joint_count(model));
    }
    const ov_joint_def *def = ov_model_joint(model, joint);
    if (!args_read_number(equals + 1, &value) || !isfinite(value)) {
        return cli_error(c, a->verb, "--joints: '%s' of joint '%s' is not a finite number",
                         equals + 1, text);
    }
    if (ov_joint_position_count(def->kind) != 1 || def->mimic != OV_NO_LINK) {
        return cli_error(c, a->verb, "--joints: joint '%s' has not one position of its own", text);
    }
    positions[ov_model_joint_position(model, joint)] = value;
    return CLI_OK;
}

/** The robot's poses: those of a file, the one of a list, or that at rest. */
static int read_joints(cli *c, const args *a, subject *s) {
    const ov_model *model = ov_robot_model(s->robot);
    const char *given = args_text(a, "--joints");
    ov_joints *joints = &s->joints;
    size_t count = 0;
    if (given != NULL && strchr(given, '=') == NULL) {
        s->joints_path = cli_input_name(given);
        if (ov_model_find_joint(model, given) != OV_NO_LINK) {
            return cli_error(c, a->verb, "--joints: '%s' has no value: %s=VALUE", given, given);
        }
        int expected = cli_expect_option(c, given, 0, "a file of joints");
        return expected == CLI_OK ? joints_read(c, given, model, joints) : expected;
    }
    s->joints_path = given;
    *joints = (ov_joints){.count = 1, .width = ov_model_position_count(model)};
    joints->positions = calloc(joints->width + 1, sizeof *joints->positions);
    char **pieces = given != NULL ? args_cut(given, ',', &count) : NULL;
    int status = joints->positions == NULL || (given != NULL && pieces == NULL)
                     ? no_memory(c, a->verb)
                     : CLI_OK;
    if (status == CLI_OK) {
        ov_model_rest(model, joints->positions);
    }
    for (size_t i = 0; i < count && status == CLI_OK; i++) {
        status = read_position(c, a, s, pieces[i], joints->positions);
    }
    ov_joint_excess excess;
    if (status == CLI_OK && ov_model_check(model, joints->positions, &excess, NULL) == OV_OK &&
        excess.joint != OV_NO_LINK) {
        joints->beyond = 1;
        joints->beyond_joint = excess.joint;
    }
    free(pieces);
    return status;
}

void subject_tell_limits(cli *c, const subject *s) {
    const ov_joints *j = &s->joints;
    if (s->robot == NULL || j->beyond == 0) {
        return;
    }
    const char *name = ov_model_joint(ov_robot_model(s->robot), j->beyond_joint)->name;
    if (j->count == 1) {
        cli_note(c, s->joints_path, "joint '%s' is beyond its limits", name);
    } else {
        cli_note(c, s->joints_path,
                 "joints are beyond their limits in %zu of %zu poses, first '%s' in pose %zu",
                 j->beyond, j->count, name, j->beyond_pose + 1);
    }
}

/* ---- pairs that may touch -------------------------------------------------------------------- */

/** One pair "A,B". */
static int read_pair(cli *c, const args *a, const subject *s, char *text, uint32_t pair[2]) {
    char *comma = strchr(text, ',');
    if (comma == NULL || comma == text || comma[1] == '\0' || strchr(comma + 1, ',') != NULL) {
        return cli_error(c, a->verb, "--allow = %s: must be two names, A,B",
                         args_text(a, "--allow"));
    }
    *comma = '\0';
    const char *const names[2] = {text, comma + 1};
    for (int k = 0; k < 2; k++) {
        size_t i = 0, count = subject_count(s);
        while (i < count && strcmp(subject_name(s, i), names[k]) != 0) {
            i++;
        }
        if (i == count) {
            return unknown_name(c, a, "--allow: nothing", names[k], s, subject_name, count);
        }
        pair[k] = (uint32_t)i;
    }
    return CLI_OK;
}

/** Pairs of links are told to the model, which leaves them out. */
static int tell_model(cli *c, const args *a, const subject *s, const uint32_t pair[2]) {
    size_t links = s->robot != NULL ? ov_robot_link_count(s->robot) : 0;
    return pair[0] < links && pair[1] < links &&
                   ov_model_allow(ov_robot_model(s->robot), pair[0], pair[1], true) < 0
               ? no_memory(c, a->verb)
               : CLI_OK;
}

/** The pairs A,B[:C,D] of --allow. */
static int read_allowed(cli *c, const args *a, subject *s) {
    if (!args_given(a, "--allow")) {
        return CLI_OK;
    }
    size_t given = 0;
    char **pieces = args_cut(args_text(a, "--allow"), ':', &given);
    s->allowed = calloc(given + 1, sizeof *s->allowed);
    int status = pieces != NULL && s->allowed != NULL ? CLI_OK : no_memory(c, a->verb);
    for (size_t i = 0; i < given && status == CLI_OK; i++) {
        status = read_pair(c, a, s, pieces[i], s->allowed[s->allowed_count]);
        if (status == CLI_OK) {
            status = tell_model(c, a, s, s->allowed[s->allowed_count++]);
        }
    }
    free(pieces);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/** Bodies that a robot must not touch. */
static int read_obstacles(cli *c, const char *path, subject *s) {
    s->obstacles_path = cli_input_name(path);
    int result = cli_kind_of(path) != OV_FILE_KIND_UNKNOWN
                     ? cli_expect_option(c, path, 1u << OV_FILE_KIND_SCENE, "a scene")
                     : cli_error(c, path, "no JSON; a scene is expected");
    if (result == CLI_OK) {
        result = scene_read(c, path, &s->obstacles);
    }
    return result == CLI_OK
               ? scene_geometries_make(c, s->obstacles_path, s->obstacles, &s->obstacle_geometries)
               : result;
}

/** Does a name end as those of robots do? For files that cannot be looked into. */
static bool is_named_robot(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot != NULL && (strcmp(dot, ".urdf") == 0 || strcmp(dot, ".xml") == 0);
}

/** No file, or several: what was meant by the others? */
static int wrong_words(cli *c, const args *a, const char *expected) {
    if (a->word_count == 0) {
        return cli_error(c, a->verb, "needs a file: %s, or '-'", expected);
    }
    const char *word = a->words[1], *dot = strrchr(word, '.');
    if (strchr(word, '=') != NULL && args_given(a, "--joints")) {
        return cli_error(c, a->verb, "%s: joints are one word, as in --joints %s,%s", word,
                         args_text(a, "--joints"), word);
    }
    if (args_given(a, "--csv") || args_given(a, "--json")) {
        return cli_error(c, a->verb, "%s: a second file; name the output with -o %s", word, word);
    }
    if (dot != NULL && strcmp(dot, ".csv") == 0 && !args_given(a, "--joints")) {
        return cli_error(c, a->verb, "%s: a second file; joints are given with --joints %s", word,
                         word);
    }
    return cli_error(c, a->verb, "%s: a second file; it takes one: %s", word, expected);
}

/** Options that only a robot has, and one standard input for all files. */
static int check_files(cli *c, const args *a, bool robot, unsigned takes) {
    static const char *const of_robots[] = {"--joints",  "--obstacles", "--spline",
                                            "--package", "--hulls",     "--allow"};
    static const char *const files[] = {"--joints", "--obstacles"};
    int streams = strcmp(a->words[0], "-") == 0;
    size_t count = sizeof of_robots / sizeof of_robots[0] - ((takes & SUBJECT_ALLOW) != 0);
    for (size_t i = 0; i < count && !robot; i++) {
        if (args_given(a, of_robots[i])) {
            return cli_error(c, a->verb, "%s needs a robot, %s is a scene", of_robots[i],
                             cli_input_name(a->words[0]));
        }
    }
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const char *path = args_text(a, files[i]);
        streams += path != NULL && strcmp(path, "-") == 0;
    }
    return streams > 1 ? cli_error(c, a->verb, "only one file can be standard input, '-'") : CLI_OK;
}

/** What a verb takes, as messages call it. */
static const char *expected_by(unsigned takes) {
    return !(takes & SUBJECT_SCENE)  ? "a scene in motion or a robot"
           : (takes & SUBJECT_ROBOT) ? "a scene or a robot"
                                     : "a scene";
}

int subject_read(cli *c, const args *a, unsigned takes, ov_robot_options how, subject *s) {
    if (a->word_count != 1 && !(takes & SUBJECT_TARGET)) {
        return wrong_words(c, a, expected_by(takes));
    }
    const char *path = a->words[0];
    ov_file_kind kind = cli_kind_of(path);
    bool xml = kind == OV_FILE_KIND_URDF || kind == OV_FILE_KIND_XACRO || kind == OV_FILE_KIND_XML;
    bool robot =
        (takes & SUBJECT_ROBOT) && (xml || (kind == OV_FILE_KIND_COUNT && is_named_robot(path)));
    unsigned wanted = (takes & SUBJECT_SCENE ? 1u << OV_FILE_KIND_SCENE : 0u) |
                      (takes & SUBJECT_MOTION ? 1u << OV_FILE_KIND_MOTION_SCENE : 0u) |
                      (takes & SUBJECT_ROBOT ? 1u << OV_FILE_KIND_URDF : 0u);
    *s = (subject){.path = cli_input_name(path)};
    int status =
        kind != OV_FILE_KIND_UNKNOWN
            ? cli_expect(c, path, wanted, expected_by(takes))
            : cli_error(c, path, "neither JSON nor XML; %s is expected", expected_by(takes));
    if (status == CLI_OK) {
        status = check_files(c, a, robot, takes);
    }
    if (status != CLI_OK) {
        return status;
    }
    how.hulls = args_given(a, "--hulls");
    status = robot                     ? robot_read(c, a, how, &s->robot)
             : (takes & SUBJECT_SCENE) ? scene_read(c, path, &s->scene)
                                       : motion_scene_read(c, path, &s->motion);
    if (status == CLI_OK && args_given(a, "--obstacles")) {
        status = read_obstacles(c, args_text(a, "--obstacles"), s);
    }
    if (status == CLI_OK) {
        status = read_allowed(c, a, s);
    }
    return status == CLI_OK && robot ? read_joints(c, a, s) : status;
}

void subject_free(subject *s) {
    ov_scene_destroy(s->scene);
    ov_motion_scene_destroy(s->motion);
    ov_joints_free(&s->joints);
    ov_robot_destroy(s->robot);
    scene_geometries_free(s->obstacle_geometries, s->obstacles);
    ov_scene_destroy(s->obstacles);
    free(s->allowed);
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
        cli_note(c, path, "meshes that are not closed are surfaces, which have no inside: %s%s",
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
