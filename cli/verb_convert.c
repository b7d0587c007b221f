/**
 * @file verb_convert.c
 * @brief `ovoid convert`: robots and scenes from one format to another.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/io.h>

#include "cli.h"
#include "subject.h"

enum {
    OPTION_TO,
    OPTION_POSITIONS,
    OPTION_COLLISIONS,
    OPTION_HULLS,
    OPTION_PACKAGE,
    OPTION_ALLOW,
    OPTION_COUNT
};

static const args_option options[OPTION_COUNT] = {
    {"--to", 0, 1, "FORMAT", "urdf, mjcf, sdf, json, dae or gltf, whatever the ending",
     "urdf mjcf sdf json dae gltf"},
    {"--positions", 0, 1, "FILE|A=V,..", "joints: the first pose of a CSV file, or a list", "FILE"},
    {"--collisions", 0, 0, "", "leave out what is there for the eye only", NULL},
    {"--hulls", 0, 0, "", "take the convex hulls of meshes", NULL},
    {"--package", 0, 1, "DIR[:DIR]", "where the packages of package:// names are", "FILE"},
    {"--allow", 0, 1, "A,B[:C,D]", "MJCF: pairs of links that may touch", NULL},
};

/* ---- positions ------------------------------------------------------------------------------- */

static int no_joint(cli *c, const args *a, const ov_model *model, const char *name) {
    size_t count = ov_model_joint_count(model);
    const char **names = calloc(count + 1, sizeof *names);
    for (size_t i = 0; names != NULL && i < count; i++) {
        names[i] = ov_model_joint(model, i)->name;
    }
    const char *near = names != NULL ? cli_nearest(name, names, count) : NULL;
    int status = cli_error(c, a->verb, "--positions: no joint has the name '%s'%s%s%s", name,
                           near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                           near != NULL ? "'?" : "");
    free(names);
    return status;
}

/** One "NAME=VALUE" of the list; it is cut at its last "=". */
static int read_position(cli *c, const args *a, const ov_model *model, char *text,
                         double *positions) {
    char *equals = strrchr(text, '=');
    double value = 0.0;
    if (equals == NULL) {
        return cli_error(c, a->verb, "--positions: '%s' is not NAME=VALUE", text);
    }
    *equals = '\0';
    uint32_t joint = ov_model_find_joint(model, text);
    if (joint == OV_NO_LINK) {
        return no_joint(c, a, model, text);
    }
    const ov_joint_def *def = ov_model_joint(model, joint);
    if (!args_read_number(equals + 1, &value) || !isfinite(value)) {
        return cli_error(c, a->verb, "--positions: '%s' of joint '%s' is not a finite number",
                         equals + 1, text);
    }
    if (ov_joint_position_count(def->kind) != 1 || def->mimic != OV_NO_LINK) {
        return cli_error(c, a->verb, "--positions: joint '%s' has not one position of its own",
                         text);
    }
    positions[ov_model_joint_position(model, joint)] = value;
    return CLI_OK;
}

static int read_list(cli *c, const args *a, const ov_model *model, double *positions) {
    const char *given = a->values[OPTION_POSITIONS].text[0];
    size_t size = strlen(given) + 1;
    char *text = malloc(size);
    int status = CLI_OK;
    if (text == NULL) {
        return cli_error(c, a->verb, "%s", ov_status_message(OV_ERROR_MEMORY));
    }
    memcpy(text, given, size);
    for (char *at = text; at != NULL && status == CLI_OK;) {
        char *comma = strchr(at, ',');
        if (comma != NULL) {
            *comma = '\0';
        }
        status = read_position(c, a, model, at, positions);
        at = comma != NULL ? comma + 1 : NULL;
    }
    free(text);
    return status;
}

/** The positions of the model, at rest but for those that are given. */
static int read_positions(cli *c, const args *a, const ov_robot *robot, double *positions) {
    const ov_model *model = ov_robot_model(robot);
    ov_joints t = {.count = 0};
    ov_model_rest(model, positions);
    if (!a->values[OPTION_POSITIONS].given) {
        return CLI_OK;
    }
    const char *text = a->values[OPTION_POSITIONS].text[0];
    if (strchr(text, '=') != NULL) {
        return read_list(c, a, model, positions);
    }
    int status = joints_read(c, text, model, &t);
    if (status == CLI_OK && t.count == 0) {
        status = cli_error(c, text, "there is no pose in it");
    }
    if (status == CLI_OK) {
        memcpy(positions, t.positions, t.width * sizeof *positions);
    }
    ov_joints_free(&t);
    return status;
}

/* ---- in and out ------------------------------------------------------------------------------ */

static int read_format(cli *c, const args *a, ov_robot_format *format) {
    static const ov_robot_format formats[] = {OV_ROBOT_FORMAT_URDF,     OV_ROBOT_FORMAT_MJCF,
                                              OV_ROBOT_FORMAT_SDFORMAT, OV_ROBOT_FORMAT_SCENE,
                                              OV_ROBOT_FORMAT_COLLADA,  OV_ROBOT_FORMAT_GLTF};
    if (a->word_count != 2) {
        return cli_error(c, a->verb, "needs two names, IN and OUT, got %d", a->word_count);
    }
    if (strcmp(a->words[1], "-") == 0) {
        return cli_error(c, a->verb, "cannot write to standard output: meshes go beside the file");
    }
    if (a->values[OPTION_TO].given) {
        size_t choice;
        int status = args_choice(c, a, OPTION_TO, &choice);
        *format = status == CLI_OK ? formats[choice] : OV_ROBOT_FORMAT_NONE;
        bool binary = ov_robot_format_from_path(a->words[1]) == OV_ROBOT_FORMAT_GLB;
        *format = *format == OV_ROBOT_FORMAT_GLTF && binary ? OV_ROBOT_FORMAT_GLB : *format;
        return status;
    }
    *format = ov_robot_format_from_path(a->words[1]);
    return *format != OV_ROBOT_FORMAT_NONE
               ? CLI_OK
               : cli_error(c, a->words[1],
                           "the name must end in .urdf, .xml, .mjcf, .sdf, .json, .dae, .gltf or "
                           ".glb, or --to be given");
}

static int read_target(cli *c, const args *a, ov_robot_format *format) {
    int status = read_format(c, a, format);
    return status == CLI_OK && a->values[OPTION_ALLOW].given && *format != OV_ROBOT_FORMAT_MJCF
               ? cli_error(c, a->verb, "--allow is for MJCF: no other format has such pairs")
               : status;
}

static int read_scene(cli *c, const args *a, ov_robot **robot) {
    static const int of_robots[] = {OPTION_POSITIONS, OPTION_HULLS, OPTION_PACKAGE, OPTION_ALLOW};
    const char *path = a->words[0];
    for (size_t i = 0; i < sizeof of_robots / sizeof of_robots[0]; i++) {
        if (a->values[of_robots[i]].given) {
            return cli_error(c, a->verb, "%s needs a robot, %s is a scene",
                             options[of_robots[i]].name, path);
        }
    }
    ov_scene *scene = NULL;
    ov_fault wrong;
    int status = scene_read(c, path, &scene);
    if (status == CLI_OK && ov_robot_from_scene(scene, robot, &wrong) < 0) {
        status = cli_error(c, path, "%s", wrong.text);
    }
    ov_scene_destroy(scene);
    return status;
}

/** The formats that have the triangles of visuals in them; others only name their files. */
static bool needs_visuals(ov_robot_format format) {
    return format == OV_ROBOT_FORMAT_MJCF || format == OV_ROBOT_FORMAT_COLLADA ||
           format == OV_ROBOT_FORMAT_GLTF || format == OV_ROBOT_FORMAT_GLB;
}

static int read_source(cli *c, const args *a, ov_robot_format format, ov_robot **robot) {
    const char *path = a->words[0];
    if (!robot_is_xml(path)) {
        return read_scene(c, a, robot);
    }
    ov_robot_options how = ov_default_robot_options();
    how.hulls = a->values[OPTION_HULLS].given;
    bool bare = a->values[OPTION_COLLISIONS].given;
    how.visuals = !bare && needs_visuals(format);
    const char *packages =
        a->values[OPTION_PACKAGE].given ? a->values[OPTION_PACKAGE].text[0] : NULL;
    int status = robot_read(c, path, packages, how, robot);
    if (status == CLI_OK && bare) {
        ov_robot_drop_visuals(*robot);
    }
    return status == CLI_OK ? allow_robot(c, a, OPTION_ALLOW, *robot) : status;
}

/** Says in one line what of the robot's file the format has no place for. */
static void tell_left_out(cli *c, const char *path, ov_robot_format format, const ov_robot *robot) {
    static const char *const formats[] = {
        [OV_ROBOT_FORMAT_MJCF] = "MJCF",       [OV_ROBOT_FORMAT_SDFORMAT] = "SDFormat",
        [OV_ROBOT_FORMAT_COLLADA] = "COLLADA", [OV_ROBOT_FORMAT_GLTF] = "glTF",
        [OV_ROBOT_FORMAT_GLB] = "glTF",        [OV_ROBOT_FORMAT_SCENE] = "a scene"};
    enum { NAMES_MAX = 8 };
    struct {
        const char *name;
        size_t count;
    } found[NAMES_MAX + 1] = {{"others", 0}}; // the first one stands for what is too much
    size_t names = 1, length = 0;
    char text[640] = "";
    for (size_t i = 0; i < ov_robot_extra_count(robot) && format != OV_ROBOT_FORMAT_URDF; i++) {
        const char *name = ov_robot_get_extra(robot, i)->name;
        size_t k = 1;
        while (k < names && strcmp(found[k].name, name) != 0) {
            k++;
        }
        if (strcmp(name, "mimic") == 0) {
            continue; // told when it was read
        }
        if (k == names && names <= NAMES_MAX) {
            found[names++].name = name;
        }
        found[k < names ? k : 0].count++;
    }
    for (size_t k = 1; k <= names && length < sizeof text; k++) {
        size_t i = k % names;
        if (found[i].count > 0) {
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%zu %.40s",
                                       length > 0 ? ", " : "", found[i].count, found[i].name);
        }
    }
    if (length > 0) {
        (void)cli_error(c, path, "note: %s has no place for these elements: %s", formats[format],
                        text);
    }
}

static int write_target(cli *c, const args *a, ov_robot_format format, const ov_robot *robot,
                        const double *positions) {
    ov_fault wrong;
    errno = 0;
    ov_status status = ov_robot_write(a->words[1], format, robot, positions, &wrong);
    int cause = errno;
    if (status >= 0) {
        tell_left_out(c, a->words[1], format, robot);
        return CLI_OK;
    }
    bool file_trouble = status == OV_ERROR_FILE_OPEN || status == OV_ERROR_FILE_WRITE;
    return file_trouble && cause != 0
               ? cli_error(c, a->words[1], "%s: %s", wrong.text, strerror(cause))
               : cli_error(c, a->words[1], "%s", wrong.text);
}

static int place_and_write(cli *c, const args *a, ov_robot_format format, const ov_robot *robot,
                           const char *in_place) {
    double *positions =
        calloc(ov_model_position_count(ov_robot_model(robot)) + 1, sizeof *positions);
    if (positions == NULL) {
        return cli_error(c, a->verb, "%s", ov_status_message(OV_ERROR_MEMORY));
    }
    int status = read_positions(c, a, robot, positions);
    if (status == CLI_OK) {
        status = cli_check_output(c, a->words[1], in_place);
    }
    if (status == CLI_OK) {
        status = write_target(c, a, format, robot, positions);
    }
    free(positions);
    return status;
}

static int run(cli *c, int argc, char **argv) {
    args a;
    ov_robot_format format = OV_ROBOT_FORMAT_NONE;
    ov_robot *robot = NULL;
    int status = args_parse(c, cli_verb_convert.name, options, OPTION_COUNT, argc, argv, &a);
    if (status != CLI_OK || (status = read_target(c, &a, &format)) != CLI_OK) {
        return status;
    }
    bool as_it_was =
        format == (robot_is_xml(a.words[0]) ? OV_ROBOT_FORMAT_URDF : OV_ROBOT_FORMAT_SCENE);
    status = read_source(c, &a, format, &robot);
    if (status == CLI_OK) {
        // a file may take the place of the one that it was made from, if it is of the same kind
        status = place_and_write(c, &a, format, robot, as_it_was ? a.words[0] : NULL);
    }
    ov_robot_destroy(robot);
    return status;
}

const cli_verb cli_verb_convert = {
    .name = "convert",
    .summary = "robots and scenes as URDF, MJCF, SDFormat, JSON, COLLADA or glTF",
    .usage = "ROBOT.urdf|SCENE.json OUT [options]",
    .details =
        "Reads a robot (URDF) or a scene (JSON) and writes it in the format of OUT's ending:\n"
        ".urdf, .xml or .mjcf (MuJoCo), .sdf (SDFormat 1.9, Gazebo), .json (a scene), .dae\n"
        "(COLLADA), .gltf or .glb (glTF 2.0). Meshes that these need go to a folder beside OUT.\n"
        "Scenes, COLLADA and glTF have no joints: the robot stands as --positions says, or at\n"
        "rest. COLLADA and glTF show the visuals of a link, or its collisions where it has none.\n"
        "Where MuJoCo, COLLADA or glTF need a visual whose file is missing, that is an error;\n"
        "--collisions does without. OUT may be the file that is read, in the same format.\n"
        "\n"
        "What a URDF has for other programs (transmission, gazebo, ...) stays in URDF; for other\n"
        "formats a note tells what is left out. MJCF excludes contacts of neighbours.\n",
    .examples = "  ovoid contact --example | ovoid convert - example.xml\n"
                "  ovoid contact --example | ovoid convert - example --to sdf\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .takes_files = true,
    .run = run,
};
