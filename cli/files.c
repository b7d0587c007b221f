/**
 * @file files.c
 * @brief The files of the command: what it reads is noted, so that no output takes its place.
 *
 * Regular files are told apart by device and inode, whatever their names are. An output is written
 * beside its name and moved there when it is complete, so that it may even take the place of the
 * input that it was made from; but only where that is what a verb is for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

const char *cli_input_name(const char *path) {
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* ---- which file ------------------------------------------------------------------------------ */

static cli_file identify(int failed, const struct stat *there) {
    cli_file f = {.there = false};
    if (failed == 0 && S_ISREG(there->st_mode)) {
        f.device = (unsigned long long)there->st_dev;
        f.inode = (unsigned long long)there->st_ino;
        f.there = true;
    }
    return f;
}

static cli_file identify_path(const char *path) {
    struct stat there;
    int failed = stat(path, &there);
    return identify(failed, &there);
}

/** A stream in memory is no file. */
static cli_file identify_stream(FILE *stream) {
    struct stat there;
    int descriptor = fileno(stream), failed = descriptor < 0 ? -1 : fstat(descriptor, &there);
    return identify(failed, &there);
}

static bool is_same(const cli_file *a, const cli_file *b) {
    return a->there && b->there && a->device == b->device && a->inode == b->inode;
}

/** The first of some files that is the same, or null. */
static const cli_file *find_same(const cli_files *list, const cli_file *file) {
    for (size_t i = 0; i < list->count; i++) {
        if (is_same(&list->files[i], file)) {
            return &list->files[i];
        }
    }
    return NULL;
}

static int keep(cli *c, cli_files *list, cli_file file, const char *path) {
    if (list->count == list->room) {
        cli_file *more = cli_more_room(list->files, &list->room, sizeof *more);
        if (more == NULL) {
            return cli_error(c, path, "%s", ov_status_message(OV_ERROR_MEMORY));
        }
        list->files = more;
    }
    file.path = strdup(path);
    list->files[list->count] = file;
    list->count += file.path != NULL;
    return file.path != NULL ? CLI_OK
                             : cli_error(c, path, "%s", ov_status_message(OV_ERROR_MEMORY));
}

static void forget(cli_files *list) {
    for (size_t i = 0; i < list->count; i++) {
        free(list->files[i].path);
    }
    free(list->files);
    *list = (cli_files){NULL, 0, 0};
}

void cli_forget_files(cli *c) {
    forget(&c->inputs);
    forget(&c->outputs);
}

/* ---- what a file holds ----------------------------------------------------------------------- */

ov_file_kind cli_kind_of(const char *path) {
    struct stat there;
    if (strcmp(path, "-") == 0) {
        // one byte can be given back, no more
        int byte = ungetc(getc(stdin), stdin);
        return byte == '<' ? OV_FILE_KIND_URDF : OV_FILE_KIND_COUNT;
    }
    // a pipe can be read only once
    FILE *stream = stat(path, &there) == 0 && S_ISREG(there.st_mode) ? fopen(path, "rb") : NULL;
    char *text = stream != NULL ? malloc(OV_SCENE_BYTES_MAX) : NULL;
    size_t size = text != NULL ? fread(text, 1, OV_SCENE_BYTES_MAX, stream) : 0;
    ov_file_kind kind = size > 0 ? ov_file_kind_of(text, size) : OV_FILE_KIND_COUNT;
    free(text);
    if (stream != NULL) {
        fclose(stream);
    }
    return kind;
}

static int expect(cli *c, const char *path, unsigned wanted, const char *expected, bool hint) {
    static const char *const verbs[OV_FILE_KIND_COUNT + 1] = {
        [OV_FILE_KIND_SCENE] = "contact", [OV_FILE_KIND_MOTION_SCENE] = "sweep",
        [OV_FILE_KIND_URDF] = "check",    [OV_FILE_KIND_PAIRS] = "pairs",
        [OV_FILE_KIND_REPLAY] = "replay",
    };
    // about these their readers say more, with the line
    const unsigned any = 1u << OV_FILE_KIND_UNKNOWN | 1u << OV_FILE_KIND_XML |
                         1u << OV_FILE_KIND_JSON | 1u << OV_FILE_KIND_XACRO |
                         1u << OV_FILE_KIND_COUNT;
    ov_file_kind kind = cli_kind_of(path);
    if (((wanted | any) >> kind & 1u) != 0) {
        return CLI_OK;
    }
    bool robots = (wanted >> OV_FILE_KIND_URDF & 1u) != 0;
    const char *name = cli_input_name(path), *program = c->program->name;
    const char *what = ov_file_kind_name(kind);
    const char *verb = kind == OV_FILE_KIND_SCENE && robots ? "check" : verbs[kind];
    if (!hint || verb == NULL) {
        return cli_error(c, name, "this is %s; %s is expected", what, expected);
    }
    if (kind == OV_FILE_KIND_URDF && (wanted >> OV_FILE_KIND_SCENE & 1u) != 0) {
        return cli_error(c, name,
                         "this is %s; %s is expected: try '%s check %s', or '%s convert %s "
                         "scene.json'",
                         what, expected, program, path, program, path);
    }
    if (kind == OV_FILE_KIND_MOTION_SCENE) {
        // it may be told what moves, or move by itself
        return cli_error(c, name,
                         "this is %s; %s is expected: try '%s sweep %s', or '%s simulate %s'", what,
                         expected, program, path, program, path);
    }
    return cli_error(c, name, "this is %s; %s is expected: try '%s %s %s'", what, expected, program,
                     verb, path);
}

int cli_expect(cli *c, const char *path, unsigned wanted, const char *expected) {
    return expect(c, path, wanted, expected, true);
}

int cli_expect_option(cli *c, const char *path, unsigned wanted, const char *expected) {
    return expect(c, path, wanted, expected, false);
}

/* ---- files in -------------------------------------------------------------------------------- */

static const char lost[] = "is an input, which would be lost: name another file to write";

static int note_input(cli *c, cli_file file, const char *path) {
    cli_file out = identify_stream(c->out);
    if (is_same(&out, &file)) {
        return cli_error(c, path, "is an input, and standard output goes to it");
    }
    // many shapes of a robot may have the same mesh
    if (!file.there || find_same(&c->inputs, &file) != NULL) {
        return CLI_OK;
    }
    return find_same(&c->outputs, &file) != NULL ? cli_error(c, path, lost)
                                                 : keep(c, &c->inputs, file, path);
}

int cli_note_input(cli *c, const char *path) {
    bool standard_input = strcmp(path, "-") == 0;
    return note_input(c, standard_input ? identify_stream(stdin) : identify_path(path),
                      standard_input ? "standard input" : path);
}

int cli_note_robot(cli *c, const ov_robot *robot) {
    int status = CLI_OK;
    for (size_t i = 0; i < ov_robot_link_count(robot); i++) {
        const ov_robot_link *l = ov_robot_get_link(robot, i);
        for (size_t k = 0; k < l->collision_count + l->visual_count && status == CLI_OK; k++) {
            const ov_robot_shape *s =
                k < l->collision_count ? &l->collisions[k] : &l->visuals[k - l->collision_count];
            status = s->mesh_path != NULL ? cli_note_input(c, s->mesh_path) : CLI_OK;
        }
    }
    return status;
}

FILE *cli_open_input(cli *c, const char **path) {
    bool standard_input = strcmp(*path, "-") == 0;
    *path = standard_input ? "standard input" : *path;
    FILE *file = standard_input ? stdin : fopen(*path, "rb");
    if (file == NULL) {
        cli_error(c, *path, "cannot be read: %s", strerror(errno));
        return NULL;
    }
    if (note_input(c, identify_stream(file), *path) != CLI_OK) {
        if (!standard_input) {
            fclose(file);
        }
        return NULL;
    }
    return file;
}

int cli_file_error(cli *c, const char *path, const ov_fault *error) {
    char place[1024];
    if (error->place != OV_FAULT_PLACE_LINE) {
        return cli_error(c, path, "%s", error->text);
    }
    snprintf(place, sizeof place, "%s:%zu", path, error->index);
    return cli_error(c, place, "%s", error->text);
}

/* ---- files out ------------------------------------------------------------------------------- */

int cli_write_error(cli *c, const char *path) {
    return cli_error(c, path, "cannot be written: %s",
                     errno != 0 ? strerror(errno) : "write error");
}

/** Is a file one of those that are being written, of which nothing may be there yet? */
static bool is_output(const cli *c, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
    bool found = false;
    for (size_t i = 0; i < c->outputs.count && !found; i++) {
        const char *other = c->outputs.files[i].path, *last = strrchr(other, '/');
        if (strcmp(last + 1, name) == 0) {
            char *above = strndup(path, slash == NULL ? 0 : (size_t)(slash - path) + 1);
            char *folder = above != NULL ? realpath(above[0] == '\0' ? "." : above, NULL) : NULL;
            size_t length = (size_t)(last - other) + (last == other);
            found =
                folder != NULL && strlen(folder) == length && strncmp(folder, other, length) == 0;
            free(above);
            free(folder);
        }
    }
    return found;
}

int cli_check_output(cli *c, const char *path, const char *in_place) {
    if (strcmp(path, "-") == 0) {
        return CLI_OK;
    }
    cli_file file = identify_path(path), out = identify_stream(c->out);
    const cli_file *input = find_same(&c->inputs, &file);
    if (input != NULL && (in_place == NULL || strcmp(input->path, in_place) != 0)) {
        return cli_error(c, path, lost);
    }
    if (find_same(&c->outputs, &file) != NULL || is_output(c, path)) {
        return cli_error(c, path, "is the file of two outputs");
    }
    // /dev/stdout and the like are that by intention, and are written to directly
    bool meant = strncmp(path, "/dev/std", 8) == 0 || strncmp(path, "/dev/fd/", 8) == 0 ||
                 strncmp(path, "/proc/", 6) == 0;
    return is_same(&out, &file) && !meant
               ? cli_error(c, path, "is the file of two outputs: standard output goes to it")
               : CLI_OK;
}

/** Notes the file that an output will be, which need not be there yet. */
static int note_output(cli *c, const char *path, const char *target) {
    if (target == NULL) {
        return CLI_OK;
    }
    for (size_t i = 0; i < c->outputs.count; i++) {
        if (strcmp(c->outputs.files[i].path, target) == 0) {
            return cli_error(c, path, "is the file of two outputs");
        }
    }
    return keep(c, &c->outputs, identify_path(target), target);
}

int cli_open_output(cli *c, const char *path, const char *in_place, cli_output *out) {
    *out = (cli_output){.path = path};
    if (strcmp(path, "-") == 0) {
        if (c->out_taken) {
            return cli_error(c, "standard output", "is the file of two outputs");
        }
        c->out_taken = true;
        out->stream = c->out;
        return CLI_OK;
    }
    int status = cli_check_output(c, path, in_place);
    if (status != CLI_OK) {
        return status;
    }
    // what was printed stands before what goes to /dev/stdout
    fflush(c->out);
    errno = 0;
    if (ov_file_out_open(path, &out->file) < 0) {
        return cli_write_error(c, path);
    }
    status = note_output(c, path, ov_file_out_target(out->file));
    out->stream = ov_file_out_stream(out->file);
    return status == CLI_OK ? CLI_OK : cli_close_output(c, out, status);
}

int cli_finish_output(cli *c, cli_output *out, int status) {
    errno = 0;
    if (status == CLI_BAD_INPUT || out->file == NULL || ov_file_out_finish(out->file) == OV_OK) {
        return status;
    }
    return cli_write_error(c, out->path);
}

int cli_close_output(cli *c, cli_output *out, int status) {
    ov_file_out *file = out->file;
    // cli_main flushes and checks standard output
    *out = (cli_output){.path = out->path};
    if (status == CLI_BAD_INPUT) {
        ov_file_out_abandon(file);
        return status;
    }
    errno = 0;
    return file != NULL && ov_file_out_commit(file) < 0 ? cli_write_error(c, out->path) : status;
}

int cli_print(cli *c, const args *a, const char *text) {
    const char *path = args_text(a, "--output");
    cli_output out = {.stream = NULL};
    int status = cli_open_output(c, path != NULL ? path : "-", NULL, &out);
    if (status == CLI_OK) {
        fputs(text, out.stream);
        status = cli_close_output(c, &out, status);
    }
    return status;
}
