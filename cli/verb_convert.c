/**
 * @file verb_convert.c
 * @brief `ovoid convert`: robots and scenes from one format to another.
 */
#include <errno.h>
#include <string.h>

#include "subject.h"

static const args_option options[] = {
    {"--to", 0, 1, "FORMAT", "urdf, mjcf, sdf, json, dae, gltf or glb, whatever the ending",
     "urdf mjcf sdf json dae gltf glb"},
    {"--collisions", 0, 0, "", "leave out geometry that is only visual", NULL},
    SHARED_JOINTS,
    SHARED_HULLS,
    SHARED_PACKAGE,
    SHARED_ALLOW,
    {"--output", 'o', 1, "FILE", "write to FILE instead of OUT", "FILE"},
};
enum { OPTION_COUNT = sizeof options / sizeof options[0] };

/** What is written, and where. */
typedef struct target {
    const char *path; /**< "-": standard output */
    ov_robot_format format;
} target;

static int read_format(cli *c, const args *a, target *t) {
    static const ov_robot_format formats[] = {OV_ROBOT_FORMAT_URDF,     OV_ROBOT_FORMAT_MJCF,
                                              OV_ROBOT_FORMAT_SDFORMAT, OV_ROBOT_FORMAT_SCENE,
                                              OV_ROBOT_FORMAT_COLLADA,  OV_ROBOT_FORMAT_GLTF,
                                              OV_ROBOT_FORMAT_GLB};
    if (args_given(a, "--to")) {
        size_t choice;
        int status = args_choice(c, a, "--to", &choice);
        t->format = status == CLI_OK ? formats[choice] : OV_ROBOT_FORMAT_NONE;
        return status;
    }
    if (strcmp(t->path, "-") == 0) {
        return cli_error(c, a->verb, "standard output has no ending: say the format with --to");
    }
    t->format = ov_robot_format_from_path(t->path);
    return t->format != OV_ROBOT_FORMAT_NONE
               ? CLI_OK
               : cli_error(c, t->path,
                           "the name must end in .urdf, .xml, .mjcf, .sdf, .json, .dae, .gltf or "
                           ".glb, or --to be given");
}

static int read_target(cli *c, const args *a, target *t) {
    int words = a->word_count + args_given(a, "--output");
    if (words != 2 || a->word_count == 0) {
        return cli_error(
            c, a->verb,
            "needs two names, IN and OUT, got %d: as in 'ovoid convert arm.urdf arm.xml'", words);
    }
    t->path = a->word_count == 2 ? a->words[1] : args_text(a, "--output");
    int status = read_format(c, a, t);
    return status == CLI_OK && args_given(a, "--allow") && t->format != OV_ROBOT_FORMAT_MJCF
               ? cli_error(c, a->verb, "--allow is for MJCF: no other format has such pairs")
               : status;
}

/** The formats that have the triangles of visuals in them; others only name their files. */
static bool needs_visuals(ov_robot_format format) {
    return format == OV_ROBOT_FORMAT_MJCF || format == OV_ROBOT_FORMAT_COLLADA ||
           format == OV_ROBOT_FORMAT_GLTF || format == OV_ROBOT_FORMAT_GLB;
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
        cli_note(c, path, "%s has no place for these elements: %s", formats[format], text);
    }
}

static int write_target(cli *c, const target *t, const ov_robot *robot, const double *positions) {
    ov_fault fault;
    bool stream = strcmp(t->path, "-") == 0;
    const char *path = stream ? "standard output" : t->path;
    errno = 0;
    ov_status status =
        stream ? ov_robot_write_stream(c->out, t->format, NULL, robot, positions, &fault)
               : ov_robot_write(t->path, t->format, robot, positions, &fault);
    int cause = errno;
    if (status >= 0) {
        tell_left_out(c, path, t->format, robot);
        return CLI_OK;
    }
    bool file_trouble = status == OV_ERROR_FILE_OPEN || status == OV_ERROR_FILE_WRITE;
    return file_trouble && cause != 0 ? cli_error(c, path, "%s: %s", fault.text, strerror(cause))
                                      : cli_error(c, path, "%s", fault.text);
}

static int convert(cli *c, const args *a, const target *t, const subject *s) {
    ov_robot *made = NULL;
    ov_fault fault;
    if (s->scene != NULL && ov_robot_from_scene(s->scene, &made, &fault) < 0) {
        return cli_error(c, s->path, "%s", fault.text);
    }
    if (args_given(a, "--collisions") && s->robot != NULL) {
        ov_robot_drop_visuals(s->robot);
    }
    // a file may take the place of the one that it was made from, if it is of the same kind
    bool as_it_was = t->format == (s->robot != NULL ? OV_ROBOT_FORMAT_URDF : OV_ROBOT_FORMAT_SCENE);
    int status = cli_check_output(c, t->path, as_it_was ? a->words[0] : NULL);
    if (status == CLI_OK) {
        // of several poses the first
        status = write_target(c, t, made != NULL ? made : s->robot, s->joints.positions);
    }
    ov_robot_destroy(made);
    return status;
}

static int run(cli *c, int argc, char **argv) {
    args a;
    target t = {.format = OV_ROBOT_FORMAT_NONE};
    subject s = {.path = NULL};
    int status = args_parse(c, cli_verb_convert.name, options, OPTION_COUNT, argc, argv, &a);
    if (status != CLI_OK || (status = read_target(c, &a, &t)) != CLI_OK) {
        return status;
    }
    ov_robot_options how = ov_default_robot_options();
    how.visuals = !args_given(&a, "--collisions") && needs_visuals(t.format);
    status = subject_read(c, &a, SUBJECT_SCENE | SUBJECT_ROBOT | SUBJECT_TARGET, how, &s);
    if (status == CLI_OK) {
        status = convert(c, &a, &t, &s);
    }
    subject_free(&s);
    return status;
}

const cli_verb cli_verb_convert = {
    .name = "convert",
    .summary = "robots and scenes as URDF, MJCF, SDFormat, JSON, COLLADA or glTF",
    .usage = "ROBOT.urdf|SCENE.json OUT [options]",
    .details =
        "Writes a robot or a scene in the format of OUT's ending: .urdf, .xml or .mjcf (MuJoCo),\n"
        ".sdf (SDFormat 1.9), .json (a scene), .dae (COLLADA), .gltf or .glb (glTF 2.0). Meshes\n"
        "go to a folder beside OUT. Scenes, COLLADA and glTF have no joints: they get the robot\n"
        "in the (first) pose of --joints, or at rest. A note names what the format cannot hold.\n"
        "OUT may be the input file, in the same format.\n",
    .examples = "  ovoid convert data/arm.urdf arm.xml\n"
                "  ovoid convert data/arm.urdf arm.glb --joints lift=0.5,elbow=1\n"
                "  ovoid contact --example | ovoid convert - example.sdf\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .takes_files = true,
    .run = run,
};
