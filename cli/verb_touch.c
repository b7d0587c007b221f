/**
 * @file verb_touch.c
 * @brief `ovoid touch`: a mesh touched by a ball or by another mesh along a track, and what the
 * hand feels; and `ovoid touch map`, which computes the map of a mesh beforehand.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/fit.h>
#include <ovoid/io.h>
#include <ovoid/touch.h>

#include "draw/pictures.h"
#include "options.h"
#include "table.h"
#include "timing.h"
#include "touch_zones.h"

static const args_option options[] = {
    {"--ball", 0, 1, "R", "touch with a ball of this radius", NULL},
    {"--probe", 0, 1, "MESH", "touch with a mesh, on a virtual coupling", "FILE"},
    {"--zones", 0, 1, "FILE", "impact zone of each vertex of the probe: whole numbers, a line each",
     "FILE"},
    {"--track", 0, 1, "FILE", "where the device is: time,x,y,z[,qw,qx,qy,qz]", "FILE"},
    {"--udp", 0, 1, "PORT", "the device is a program that sends to this port; 0: any", NULL},
    {"--seconds", 0, 1, "T", "how long (to the end of the track; with --udp: 10)", NULL},
    {"--rate", 0, 1, "HZ", "samples per second, 1 to 100,000 (1000)", NULL},
    {"--live", 0, 0, "", "in real time, in a thread with deadlines; --udp always is", NULL},
    {"--layer", 0, 1, "WHICH", "map, exact, or a layer of [SQMap]: 1, 2 or 3 (map)",
     "map exact 1 2 3"},
    {"--stiffness", 0, 1, "K", "of the surface, N/m (1000)", NULL},
    {"--viscosity", 0, 1, "C", "N s/m, while in contact (0)", NULL},
    {"--friction", 0, 1, "S[,D]", "coefficients, static and dynamic (0)", NULL},
    {"--texture", 0, 1, "H,W[,SEED]", "noise of this height and wavelength (none)", NULL},
    {"--bitmap", 0, 1, "FILE", "heights of the texture: a PGM picture, with --texture H,PIXEL",
     "FILE"},
    {"--bitmap-frame", 0, 1, "POSE", "x,y,z,qw,qx,qy,qz: it lies in x and y of this frame", NULL},
    {"--magnet", 0, 1, "F,R", "pull of up to F newtons within R of the surface (none)", NULL},
    {"--braking", 0, 1, "B,R", "N s/m against approaching, within R above it (none)", NULL},
    {"--force", 0, 1, "F", "largest force, N (no limit)", NULL},
    {"--slip", 0, 1, "T", "s in which a ball slips over a ridge (0.05)", NULL},
    {"--coupling", 0, 1, "K[,B[,KT]]", "of device and probe: N/m, N s/m, N m/rad (500,0)", NULL},
    {"--torque", 0, 1, "T", "largest torque, N m (no limit)", NULL},
    {"--passive", 0, 1, "B[,BT]", "give out no energy; damping of the device: N s/m, N m s", NULL},
    {"--speed", 0, 1, "V[,W]", "of the device, at most, for --passive: m/s, rad/s (1,10)", NULL},
    {"--late", 0, 1, "FILE", "of --live: how many samples were how late, as CSV", "FILE"},
    {"--error", 0, 1, "E", "of the map, in units of the mesh's diagonal (3e-4)", NULL},
    {"--memory", 0, 1, "BYTES", "of the map, at most (2400000)", NULL},
    {"--surface", 0, 0, "", "the mesh is a surface without an inside", NULL},
    SHARED_OUTPUT,
    SHARED_SVG("force and depth over time, as SVG"),
};
enum { OPTION_COUNT = sizeof options / sizeof options[0] };

/** Lateness is counted below each of these, in microseconds, and above them all. */
static const double late_bounds[] = {10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1e3,
                                     2e3,  5e3,  1e4,  2e4,   5e4,   1e5};
enum { LATE_COUNT = sizeof late_bounds / sizeof late_bounds[0] };

/** What is touched with what, how, and what came of it. */
typedef struct job {
    // what is asked for
    double rate, seconds, ball, slip;
    ov_touch_coupling coupling;
    ov_touch_observer_options observed;
    bool live, passive;
    ov_touch_level level;
    int layer; /**< of the published map; 0: Ovoid's own */
    ov_touch_material material;
    ov_touch_map_options map_options;
    // what is used
    ov_touch_bitmap bitmap;
    ov_touch_map *map;
    ov_touch_published *published;
    ov_touch_track track;
    ov_touch_udp *peer;
    ov_touch_object *object;
    ov_touch_zone *zones;
    touch_zones felt;
    ov_touch_query query;
    // the state of touch
    ov_touch_placed_map placed;
    ov_touch_proxy proxy;
    ov_touch_tool_state tool;
    ov_touch_observer observer;
    // what came of it
    touch_sample *samples;
    size_t count, room;
    size_t late[LATE_COUNT + 1];
    double work_ns, worst_ns;
    double map_seconds;
} job;

static void job_free(job *j) {
    ov_touch_bitmap_free(&j->bitmap);
    ov_touch_map_destroy(j->map);
    ov_touch_published_destroy(j->published);
    ov_touch_track_free(&j->track);
    ov_touch_udp_close(j->peer);
    ov_touch_object_destroy(j->object);
    free(j->zones);
    touch_zones_free(&j->felt);
    free(j->samples);
}

/* ---- options --------------------------------------------------------------------------------- */

/** `least` to `most` numbers, not negative and finite, separated by commas. */
static int read_list(cli *c, const args *a, const char *name, size_t least, size_t most,
                     double *values, size_t *count) {
    char **texts = args_cut(args_text(a, name), ',', count);
    bool good = texts != NULL && *count >= least && *count <= most;
    for (size_t i = 0; good && i < *count; i++) {
        good = args_read_number(texts[i], &values[i]) && isfinite(values[i]) && values[i] >= 0.0;
    }
    free(texts);
    char range[48] = "";
    if (least < most) {
        (void)snprintf(range, sizeof range, "%zu to ", least);
    }
    return good ? CLI_OK
                : cli_error(c, a->verb,
                            "%s = %s: %s%zu numbers, finite and not negative, with commas "
                            "between them",
                            name, args_text(a, name), range, most);
}

/** An option that is a length or the like: finite, not negative. */
static int read_one(cli *c, const args *a, const char *name, double *value) {
    return args_given(a, name) ? args_length(c, a, name, value) : CLI_OK;
}

/** The same for what cannot be zero, which to the library would be its default. */
static int read_above_zero(cli *c, const args *a, const char *name, double *value) {
    int status = read_one(c, a, name, value);
    return status == CLI_OK && args_given(a, name) && !(*value > 0.0)
               ? cli_error(c, a->verb, "%s = %s: must be above 0", name, args_text(a, name))
               : status;
}

/** The heights of a bitmap, and where they lie. */
static int read_bitmap(cli *c, const args *a, ov_touch_bitmap *b, ov_touch_texture *texture) {
    const char *path = args_text(a, "--bitmap");
    ov_fault fault;
    if (!args_given(a, "--texture")) {
        return cli_error(c, a->verb,
                         "--bitmap is for --texture, its height and the size of pixels");
    }
    FILE *stream = cli_open_input(c, &path);
    if (stream == NULL) {
        return CLI_BAD_INPUT;
    }
    ov_status status = ov_touch_bitmap_read_stream(stream, b, &fault);
    if (stream != stdin) {
        (void)fclose(stream);
    }
    if (status < 0) {
        return cli_file_error(c, path, &fault);
    }
    if (texture->seed != 0) {
        return cli_error(c, a->verb, "--texture = %s: a bitmap has no seed",
                         args_text(a, "--texture"));
    }
    texture->kind = OV_TOUCH_TEXTURE_BITMAP;
    texture->values = b->values;
    texture->rows = b->rows;
    texture->columns = b->columns;
    return CLI_OK;
}

/** A pose of seven numbers. */
static int read_frame(cli *c, const args *a, ov_pose *frame) {
    enum { NUMBERS = 7 };
    double v[NUMBERS];
    size_t count;
    char **texts = args_cut(args_text(a, "--bitmap-frame"), ',', &count);
    bool good = texts != NULL && count == NUMBERS;
    for (size_t i = 0; good && i < NUMBERS; i++) {
        good = args_read_number(texts[i], &v[i]) && isfinite(v[i]);
    }
    free(texts);
    if (!good) {
        return cli_error(c, a->verb, "--bitmap-frame = %s: seven numbers, x,y,z,qw,qx,qy,qz",
                         args_text(a, "--bitmap-frame"));
    }
    frame->position = ov_vec3_make(v[0], v[1], v[2]);
    ov_quat q = {v[3], v[4], v[5], v[6]};
    return ov_quat_normalize(q, &frame->rotation) == OV_OK
               ? CLI_OK
               : cli_error(c, a->verb, "--bitmap-frame: the quaternion is zero");
}

static int read_texture(cli *c, const args *a, job *j) {
    ov_touch_texture *t = &j->material.texture;
    double v[3];
    size_t count;
    if (args_given(a, "--texture")) {
        if (read_list(c, a, "--texture", 2, 3, v, &count) != CLI_OK) {
            return CLI_BAD_INPUT;
        }
        *t = (ov_touch_texture){.kind = OV_TOUCH_TEXTURE_NOISE,
                                .height = v[0],
                                .wavelength = v[1],
                                .seed = count > 2 ? (uint64_t)fmin(v[2], 1e18) : 0};
    }
    if (args_given(a, "--bitmap") && read_bitmap(c, a, &j->bitmap, t) != CLI_OK) {
        return CLI_BAD_INPUT;
    }
    if (args_given(a, "--bitmap-frame")) {
        return args_given(a, "--bitmap") ? read_frame(c, a, &t->frame)
                                         : cli_error(c, a->verb, "--bitmap-frame is for --bitmap");
    }
    return CLI_OK;
}

/** Two numbers, the second of which is a range above the surface. */
static int read_near(cli *c, const args *a, const char *name, double *size, double *range) {
    double v[2];
    size_t count;
    if (!args_given(a, name)) {
        return CLI_OK;
    }
    if (read_list(c, a, name, 2, 2, v, &count) != CLI_OK) {
        return CLI_BAD_INPUT;
    }
    *size = v[0];
    *range = v[1];
    return CLI_OK;
}

static int read_material(cli *c, const args *a, ov_touch_material *m) {
    double v[2];
    size_t count;
    if (read_above_zero(c, a, "--stiffness", &m->stiffness) != CLI_OK ||
        read_one(c, a, "--viscosity", &m->viscosity) != CLI_OK ||
        read_above_zero(c, a, "--force", &m->force_max) != CLI_OK) {
        return CLI_BAD_INPUT;
    }
    if (args_given(a, "--friction")) {
        if (read_list(c, a, "--friction", 1, 2, v, &count) != CLI_OK) {
            return CLI_BAD_INPUT;
        }
        m->static_friction = v[0];
        m->dynamic_friction = count > 1 ? v[1] : v[0];
    }
    if (read_near(c, a, "--magnet", &m->magnet_force, &m->magnet_range) != CLI_OK ||
        read_near(c, a, "--braking", &m->braking, &m->braking_range) != CLI_OK) {
        return CLI_BAD_INPUT;
    }
    ov_status status = ov_touch_material_check(m);
    return status == OV_OK ? CLI_OK
                           : cli_error(c, a->verb, "friction, texture, magnet or braking: %s",
                                       ov_status_message(status));
}

/** What is between the hand and what it leads. */
static int read_coupling(cli *c, const args *a, job *j) {
    double v[3] = {0.0, 0.0, 0.0};
    size_t count;
    if (args_given(a, "--coupling")) {
        if (read_list(c, a, "--coupling", 1, 3, v, &count) != CLI_OK) {
            return CLI_BAD_INPUT;
        }
        if (!(v[0] > 0.0) || (count > 2 && !(v[2] > 0.0))) {
            return cli_error(c, a->verb, "--coupling = %s: stiffness must be above 0",
                             args_text(a, "--coupling"));
        }
        j->coupling =
            (ov_touch_coupling){.stiffness = v[0], .damping = v[1], .torsion_stiffness = v[2]};
    }
    if (args_given(a, "--passive")) {
        v[1] = 0.0;
        if (read_list(c, a, "--passive", 1, 2, v, &count) != CLI_OK) {
            return CLI_BAD_INPUT;
        }
        j->observed = (ov_touch_observer_options){.damping = v[0], .torsion_damping = v[1]};
    }
    if (args_given(a, "--speed")) {
        v[1] = 10.0;
        if (read_list(c, a, "--speed", 1, 2, v, &count) != CLI_OK) {
            return CLI_BAD_INPUT;
        }
        if (!(v[0] > 0.0) || !(v[1] > 0.0)) {
            return cli_error(c, a->verb, "--speed = %s: must be above 0", args_text(a, "--speed"));
        }
        j->observed.speed_max = v[0];
        j->observed.angular_speed_max = v[1];
    }
    if (read_above_zero(c, a, "--torque", &j->coupling.torque_max) != CLI_OK) {
        return CLI_BAD_INPUT;
    }
    return read_above_zero(c, a, "--slip", &j->slip);
}

static int read_map_options(cli *c, const args *a, ov_touch_map_options *o) {
    if (read_above_zero(c, a, "--error", &o->error) != CLI_OK) {
        return CLI_BAD_INPUT;
    }
    if (args_given(a, "--memory")) {
        if (args_count(c, a, "--memory", &o->memory) != CLI_OK) {
            return CLI_BAD_INPUT;
        }
        o->memory = o->memory == 0 ? 1 : o->memory; // as little as can be
    }
    o->surface = args_given(a, "--surface");
    return CLI_OK;
}

/** Choices of --layer that are not layers of the published map. */
static const ov_touch_level levels[] = {OV_TOUCH_LEVEL_DECIDED, OV_TOUCH_LEVEL_EXACT};
enum { LEVELS = sizeof levels / sizeof levels[0] };

/** Refuses options that would have no effect. */
static int check_uses(cli *c, const args *a, const job *j) {
    static const struct {
        const char *name, *use;
        bool published; /**< by [SQMap] too */
    } uses[] = {{"--coupling", "--probe", false}, {"--torque", "--probe", false},
                {"--zones", "--probe", false},    {"--speed", "--passive", false},
                {"--slip", "--ball", false},      {"--viscosity", "--ball", false},
                {"--friction", "--ball", true},   {"--texture", "--ball", true},
                {"--bitmap", "--ball", false},    {"--magnet", "--ball", false},
                {"--braking", "--ball", false},   {"--force", NULL, false},
                {"--late", "--live", true}};
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
        bool given = args_given(a, uses[i].name);
        if (given && uses[i].use != NULL && !args_given(a, uses[i].use) &&
            !(j->live && strcmp(uses[i].use, "--live") == 0)) {
            return cli_error(c, a->verb, "%s is for %s", uses[i].name, uses[i].use);
        }
        if (given && j->layer > 0 && !uses[i].published) {
            return cli_error(c, a->verb, "%s is not for --layer %d", uses[i].name, j->layer);
        }
    }
    return CLI_OK;
}

static int read_numbers(cli *c, const args *a, job *j) {
    size_t choice = 0;
    j->rate = 1000.0;
    if (read_one(c, a, "--rate", &j->rate) != CLI_OK ||
        read_above_zero(c, a, "--seconds", &j->seconds) != CLI_OK ||
        read_one(c, a, "--ball", &j->ball) != CLI_OK || read_coupling(c, a, j) != CLI_OK) {
        return CLI_BAD_INPUT;
    }
    if (args_given(a, "--layer") && args_choice(c, a, "--layer", &choice) != CLI_OK) {
        return CLI_BAD_INPUT;
    }
    if (j->rate < 1.0 || j->rate > 1e5) {
        return cli_error(c, a->verb, "--rate = %s: must be 1 to 100000", args_text(a, "--rate"));
    }
    j->level = levels[choice < LEVELS ? choice : 0];
    j->layer = choice < LEVELS ? 0 : (int)(choice - LEVELS) + 1;
    if (j->layer > 0 && !args_given(a, "--ball")) {
        return cli_error(c, a->verb, "--layer %d is for --ball", j->layer);
    }
    j->passive = args_given(a, "--passive");
    j->live = args_given(a, "--live") || args_given(a, "--udp");
    if (args_given(a, "--ball") == args_given(a, "--probe")) {
        return cli_error(c, a->verb, "needs --ball or --probe, not both: what to touch with");
    }
    if (args_given(a, "--ball") && !(j->ball > 0.0)) {
        return cli_error(c, a->verb, "--ball = %s: must be above 0", args_text(a, "--ball"));
    }
    if (args_given(a, "--track") == args_given(a, "--udp")) {
        return cli_error(c, a->verb, "needs --track or --udp, not both: where the device is");
    }
    return check_uses(c, a, j);
}

/* ---- what is touched ------------------------------------------------------------------------- */

static int read_mesh(cli *c, const char *path, ov_mesh_data *data) {
    ov_fault fault;
    if (cli_note_input(c, path) != CLI_OK) {
        return CLI_BAD_INPUT;
    }
    if (ov_mesh_format_from_path(path) == OV_MESH_FORMAT_NONE) {
        return cli_error(c, path,
                         "a mesh is expected, .obj, .stl, .ply, .off or .dae, or a map, .map");
    }
    return ov_mesh_read(path, data, &fault) == OV_OK ? CLI_OK : cli_file_error(c, path, &fault);
}

static bool is_map(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot != NULL && strcmp(dot, ".map") == 0;
}

static int make_map(cli *c, const char *path, job *j) {
    ov_mesh_data data = {0};
    int status = read_mesh(c, path, &data);
    if (status == CLI_OK) {
        double start = timing_clock_ns();
        ov_status made = ov_touch_map_create(data.vertices, data.vertex_count,
                                             (const uint32_t(*)[3])data.triangles,
                                             data.triangle_count, &j->map_options, NULL, &j->map);
        j->map_seconds = 1e-9 * (timing_clock_ns() - start);
        if (made == OV_ERROR_NOT_CLOSED) {
            status = cli_error(c, path, "the mesh is not closed; --surface takes it as a surface");
        } else if (made == OV_ERROR_SIZE_RANGE) {
            status = cli_error(c, path, "too large or too small for a map: sizes are from %g to %g",
                               OV_TOUCH_SIZE_MIN, OV_TOUCH_SIZE_MAX);
        } else if (made < 0) {
            status = cli_error(c, path, "%s", ov_status_message(made));
        }
    }
    ov_mesh_free(&data);
    return status;
}

static int open_map(cli *c, const args *a, const char *path, job *j) {
    if (!is_map(path)) {
        return make_map(c, path, j);
    }
    static const char *const of_meshes[] = {"--error", "--memory", "--surface"};
    for (size_t i = 0; i < sizeof of_meshes / sizeof of_meshes[0]; i++) {
        if (args_given(a, of_meshes[i])) {
            return cli_error(c, path, "this is a map: %s is for making one of a mesh",
                             of_meshes[i]);
        }
    }
    ov_fault fault;
    if (cli_note_input(c, path) != CLI_OK) {
        return CLI_BAD_INPUT;
    }
    return ov_touch_map_open(path, &j->map, &fault) == OV_OK ? CLI_OK
                                                             : cli_file_error(c, path, &fault);
}

/** The published map of a mesh, on parts that enclose it. */
static int make_published(cli *c, const char *path, job *j) {
    enum { PARTS = 16 };
    const ov_trimesh *mesh = ov_touch_map_mesh(j->map);
    ov_fit_input input = {ov_trimesh_vertices(mesh), ov_trimesh_vertex_count(mesh),
                          ov_trimesh_triangles(mesh), ov_trimesh_triangle_count(mesh)};
    ov_fit_parts_options how = ov_default_fit_parts_options();
    how.parts = PARTS;
    ov_fit *fit = NULL;
    ov_status status = ov_fit_parts_create(&input, &how, &fit);
    size_t count = status >= 0 ? ov_fit_part_count(fit) : 0;
    ov_touch_part *parts = calloc(count + 1, sizeof *parts);
    status = status >= 0 && parts == NULL ? OV_ERROR_MEMORY : status;
    for (size_t i = 0; i < count && parts != NULL; i++) {
        parts[i] = (ov_touch_part){ov_fit_parts(fit)[i].shape, ov_fit_parts(fit)[i].pose};
    }
    if (status >= 0) {
        status = ov_touch_published_create(input.points, input.point_count, input.triangles,
                                           input.triangle_count, parts, count, NULL, NULL,
                                           &j->published);
    }
    free(parts);
    ov_fit_destroy(fit);
    return status >= 0 ? CLI_OK
                       : cli_error(c, path, "the published map: %s", ov_status_message(status));
}

static int open_probe(cli *c, const args *a, job *j) {
    const char *path = args_text(a, "--probe");
    ov_mesh_data data = {0};
    int status = read_mesh(c, path, &data);
    if (status == CLI_OK && args_given(a, "--zones")) {
        status = touch_zones_read(c, args_text(a, "--zones"), data.vertex_count, &j->felt);
    }
    if (status == CLI_OK) {
        ov_status made = ov_touch_object_create(
            data.vertices, data.vertex_count, (const uint32_t(*)[3])data.triangles,
            data.triangle_count, j->felt.of_vertices, NULL, &j->object);
        j->zones = calloc(j->felt.count + 1, sizeof *j->zones);
        made = made == OV_OK && j->zones == NULL ? OV_ERROR_MEMORY : made;
        status = made == OV_OK ? CLI_OK : cli_error(c, path, "%s", ov_status_message(made));
    }
    ov_mesh_free(&data);
    j->query =
        (ov_touch_query){.map = j->map, .object = j->object, .level = j->level, .zones = j->zones};
    return status;
}

static int open_device(cli *c, const args *a, job *j) {
    ov_fault fault;
    if (args_given(a, "--track")) {
        const char *path = args_text(a, "--track");
        FILE *stream = cli_open_input(c, &path);
        if (stream == NULL) {
            return CLI_BAD_INPUT;
        }
        ov_status status = ov_touch_track_read_stream(stream, &j->track, &fault);
        if (stream != stdin) {
            (void)fclose(stream);
        }
        if (status < 0) {
            return cli_file_error(c, path, &fault);
        }
        double length = j->track.times[j->track.count - 1] - j->track.times[0];
        j->seconds = j->seconds > 0.0 ? j->seconds : length;
        return CLI_OK;
    }
    size_t port;
    if (args_count(c, a, "--udp", &port) != CLI_OK) {
        return CLI_BAD_INPUT;
    }
    if (port > 65535) {
        return cli_error(c, a->verb, "--udp = %s: must be 0 to 65535", args_text(a, "--udp"));
    }
    if (ov_touch_udp_open((uint16_t)port, &j->peer, &fault) != OV_OK) {
        return cli_error(c, a->verb, "--udp: %s", fault.text);
    }
    cli_note(c, a->verb, "listening on 127.0.0.1, port %u", (unsigned)ov_touch_udp_port(j->peer));
    j->seconds = j->seconds > 0.0 ? j->seconds : 10.0;
    return CLI_OK;
}

/* ---- touch ----------------------------------------------------------------------------------- */

/** Forces of [SQMap, 6], as printed: of a point, with the normal by differences of the map. */
static ov_status feel_published(job *j, const ov_touch_tick *tick, ov_touch_force *force) {
    double step = 1e-3 * ov_touch_map_describe(j->map).diagonal;
    ov_touch_published_answer here, side[2];
    ov_vec3 at = tick->device.position;
    ov_status status = ov_touch_published_point(j->published, at, j->layer, &here);
    *force = (ov_touch_force){0};
    ov_vec3 last = j->proxy.placed ? j->proxy.device : at;
    j->proxy = (ov_touch_proxy){.device = at, .placed = true};
    if (status < 0 || !here.contact) {
        return status;
    }
    force->contact = true;
    if (isnan(here.distance)) {
        return status; // Layer 1 tells contact alone
    }
    double slope[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3 && status >= 0; k++) {
        for (int s = 0; s < 2 && status >= 0; s++) {
            double d[3] = {at.x, at.y, at.z};
            d[k] += s == 0 ? -step : step;
            ov_vec3 beside = ov_vec3_make(d[0], d[1], d[2]);
            status = ov_touch_published_point(j->published, beside, j->layer, &side[s]);
        }
        double change = side[1].distance - side[0].distance;
        slope[k] = isfinite(change) ? change : 0.0;
    }
    ov_touch_published_constants constants = {
        .stiffness = j->material.stiffness > 0.0 ? j->material.stiffness : 1000.0,
        .friction = j->material.dynamic_friction,
        .texture = j->material.texture.height,
        .texture_seed = j->material.texture.seed};
    *force = ov_touch_published_force(&constants, -here.distance,
                                      ov_vec3_make(slope[0], slope[1], slope[2]), at,
                                      ov_vec3_sub(at, last));
    return status;
}

/** The force of a tick: the servo function of the loop, live or not. */
static ov_status feel(void *user, const ov_touch_tick *tick, ov_touch_force *force) {
    job *j = user;
    ov_status status;
    if (j->published != NULL) {
        status = feel_published(j, tick, force);
    } else if (j->object != NULL) {
        ov_touch_tool tool = {.query = &j->query};
        status = ov_touch_tool_step(NULL, &j->material, &tool, &j->coupling, tick->device,
                                    tick->period, &j->tool, force);
        if (status >= 0) {
            touch_zones_keep(&j->felt, tick->index, &j->material, j->zones, j->tool.pose.position);
        }
    } else {
        ov_touch_surface surface = ov_touch_map_surface(&j->placed);
        ov_touch_proxy_options ball = {.radius = j->ball, .slip_time = j->slip};
        status = ov_touch_proxy_step(&surface, &j->material, &ball, tick->device.position,
                                     tick->period, &j->proxy, force);
    }
    if (status >= 0 && j->passive) {
        ov_touch_observer_options o = j->observed;
        o.period = tick->period;
        status = ov_touch_observer_step(&o, tick->device, &j->observer, force);
    }
    return status;
}

static bool keep(job *j, const ov_touch_record *r) {
    if (j->count == j->room) {
        touch_sample *more = cli_more_room(j->samples, &j->room, sizeof *more);
        if (more == NULL) {
            return false;
        }
        j->samples = more;
    }
    j->samples[j->count++] = (touch_sample){r->tick.index, r->tick.time, r->tick.device, r->force};
    int late = 0;
    while (late < LATE_COUNT && !(1e6 * r->late < late_bounds[late])) {
        late++;
    }
    j->late[late]++;
    j->work_ns += 1e9 * r->work;
    j->worst_ns = fmax(j->worst_ns, 1e9 * r->work);
    return true;
}

static int run_still(cli *c, job *j, uint64_t ticks) {
    progress bar = progress_make(c->err, "samples");
    ov_touch_record r = {.tick = {.period = 1.0 / j->rate, .object = ov_pose_identity()}};
    ov_status status = OV_OK;
    for (; status >= 0 && r.tick.index < ticks; r.tick.index++) {
        r.tick.time = (double)r.tick.index / j->rate;
        r.tick.device = ov_touch_track_at(&j->track, j->track.times[0] + r.tick.time);
        double start = timing_clock_ns();
        status = feel(j, &r.tick, &r.force);
        r.work = 1e-9 * (timing_clock_ns() - start);
        if (status >= 0 && !keep(j, &r)) {
            status = OV_ERROR_MEMORY;
        }
        if (r.tick.index % 1024 == 0) {
            progress_update(&bar, (double)r.tick.index, (double)r.tick.index / (double)ticks);
        }
    }
    progress_end(&bar);
    return status >= 0
               ? CLI_OK
               : cli_error(c, "touch", "at %g s: %s", r.tick.time, ov_status_message(status));
}

/** How many samples were how late, a line each, and in short. */
static void print_live(FILE *out, const job *j, const ov_touch_statistics *s) {
    int last = LATE_COUNT;
    while (last > 0 && j->late[last] == 0) {
        last--;
    }
    for (int i = 0; i <= last; i++) {
        double bound = late_bounds[i < LATE_COUNT ? i : LATE_COUNT - 1];
        fprintf(out, "late by %s %3g %s: %9zu, %8.4f %%\n", i < LATE_COUNT ? "<" : "more than",
                bound < 1e3 ? bound : 1e-3 * bound, bound < 1e3 ? "us" : "ms", j->late[i],
                100.0 * (double)j->late[i] / fmax(1.0, (double)j->count));
    }
    fprintf(out, "late: median %.3g us, p99 %.3g us, worst %.3g us\n",
            1e6 * ov_touch_quantile(s->late, 0.5), 1e6 * ov_touch_quantile(s->late, 0.99),
            1e6 * s->late_worst);
    fprintf(out, "deadlines missed: %llu of %llu; records lost: %llu\n",
            (unsigned long long)s->missed, (unsigned long long)s->ticks,
            (unsigned long long)s->lost);
}

static int run_live(cli *c, job *j, uint64_t ticks) {
    progress bar = progress_make(c->err, "samples");
    ov_touch_device device =
        j->peer != NULL ? ov_touch_udp_device(j->peer) : ov_touch_track_device(&j->track);
    ov_touch_loop_options o = {.rate = j->rate, .ticks = ticks};
    ov_touch_loop *loop;
    ov_status status = ov_touch_loop_start(&o, &device, feel, j, NULL, &loop);
    if (status < 0) {
        return cli_error(c, "touch", "%s", ov_status_message(status));
    }
    bool good = true, done = false;
    while (good && !done) {
        ov_touch_record r[256];
        done = ov_touch_loop_is_done(loop);
        size_t n = ov_touch_loop_read(loop, r, 256);
        for (size_t i = 0; good && i < n; i++) {
            good = keep(j, &r[i]);
        }
        done = done && n == 0;
        progress_update(&bar, (double)j->count, (double)j->count / (double)ticks);
        timing_sleep(n == 0 ? 1e-3 : 0.0);
    }
    progress_end(&bar);
    status = ov_touch_loop_stop(loop);
    ov_touch_statistics s = ov_touch_loop_statistics(loop);
    ov_touch_loop_destroy(loop);
    print_live(c->err, j, &s);
    status = good ? status : OV_ERROR_MEMORY;
    return status >= 0 ? CLI_OK : cli_error(c, "touch", "%s", ov_status_message(status));
}

/* ---- what is told ---------------------------------------------------------------------------- */

static void print_csv(FILE *out, const job *j) {
    fputs("time,x,y,z,fx,fy,fz,tx,ty,tz,normal,tangential,depth,contact", out);
    touch_zones_print_header(out, &j->felt);
    fputc('\n', out);
    for (size_t i = 0; i < j->count; i++) {
        const touch_sample *s = &j->samples[i];
        const ov_touch_force *f = &s->force;
        const double v[] = {s->device.position.x,
                            s->device.position.y,
                            s->device.position.z,
                            f->force.x,
                            f->force.y,
                            f->force.z,
                            f->torque.x,
                            f->torque.y,
                            f->torque.z,
                            ov_vec3_length(f->normal),
                            ov_vec3_length(f->tangential),
                            f->depth};
        char text[OV_NUMBER_TEXT_MAX];
        fputs(ov_number_text(s->time, text), out);
        for (size_t k = 0; k < sizeof v / sizeof v[0]; k++) {
            csv_number(out, v[k]);
        }
        fprintf(out, ",%d", f->contact ? 1 : 0);
        touch_zones_print(out, &j->felt, s->index);
        fputc('\n', out);
    }
}

static void print_late(FILE *out, const job *j) {
    fputs("below_us,samples\n", out);
    for (int i = 0; i <= LATE_COUNT; i++) {
        fprintf(out, "%g,%zu\n", i < LATE_COUNT ? late_bounds[i] : (double)INFINITY, j->late[i]);
    }
}

static void print_map(FILE *out, const job *j) {
    ov_touch_map_report r = ov_touch_map_describe(j->map);
    fprintf(out,
            "map: %.3g MB, %zu bricks, cells %.3g to %.3g, error within %.3g (%.2g %% of the "
            "diagonal)\n",
            1e-6 * (double)r.bytes, r.bricks, r.cell_min, r.cell_max, r.bound_worst,
            r.diagonal > 0.0 ? 100.0 * r.bound_worst / r.diagonal : 0.0);
    if (j->map_seconds > 0.0) {
        fprintf(out, "map: made in %.3g s\n", j->map_seconds);
    }
}

static void print_summary(FILE *out, const job *j) {
    double force = 0.0, depth = 0.0, jump = 0.0;
    size_t touching = 0;
    for (size_t i = 0; i < j->count; i++) {
        const ov_touch_force *f = &j->samples[i].force;
        touching += f->contact;
        force = fmax(force, ov_vec3_length(f->force));
        depth = fmax(depth, f->depth);
        if (i > 0) {
            ov_vec3 change = ov_vec3_sub(f->force, j->samples[i - 1].force.force);
            jump = fmax(jump, ov_vec3_length(change));
        }
    }
    print_map(out, j);
    fprintf(out, "samples: %zu at %g Hz, %.3g %% in contact\n", j->count, j->rate,
            j->count > 0 ? 100.0 * (double)touching / (double)j->count : 0.0);
    fprintf(out,
            "force: up to %.4g N, changing by up to %.4g N from sample to sample; depth up to "
            "%.4g m\n",
            force, jump, depth);
    if (j->passive) {
        fprintf(out, "energy: %.4g J put in, %.4g J given out; %zu forces shortened\n",
                j->observer.taken, j->observer.given, j->observer.shortened);
        if (j->observer.overspeed > 0) {
            fprintf(out,
                    "energy: in %zu samples the device was faster than --speed: there it may "
                    "have been given more than was put in\n",
                    j->observer.overspeed);
        }
    }
    fprintf(out, "time: %.3g us per sample, worst %.3g us\n",
            j->count > 0 ? 1e-3 * j->work_ns / (double)j->count : 0.0, 1e-3 * j->worst_ns);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/** A picture of the mesh with its map, or with the published one. */
static int draw_map(cli *c, const char *path, job *j, bool published, const cli_output *svg) {
    int status = published ? make_published(c, path, j) : CLI_OK;
    if (status != CLI_OK) {
        return status;
    }
    ov_status drawn =
        published
            ? map_picture_draw_published(svg->stream, path, ov_touch_map_mesh(j->map), j->published)
            : map_picture_draw(svg->stream, path, j->map);
    return drawn >= OV_OK ? CLI_OK : cli_error(c, path, "picture: %s", ov_status_message(drawn));
}

/** `touch map`: the map as a file, a picture of it, or both. */
static int write_map(cli *c, const args *a) {
    job j = {0};
    size_t level = 0;
    if (a->word_count != 2) {
        return cli_error(c, a->verb, "map needs one mesh, got %d", a->word_count - 1);
    }
    const char *target = args_text(a, "--output"), *picture = args_text(a, "--svg");
    if (target == NULL && picture == NULL) {
        return cli_error(c, a->verb, "map needs -o FILE.map, --svg FILE or both");
    }
    if (args_given(a, "--layer") && args_choice(c, a, "--layer", &level) != CLI_OK) {
        return CLI_BAD_INPUT;
    }
    int status = read_map_options(c, a, &j.map_options);
    cli_output out = {.stream = NULL}, svg = {.stream = NULL};
    if (status == CLI_OK && picture != NULL) {
        status = cli_open_output(c, picture, NULL, &svg);
    }
    status = status == CLI_OK ? open_map(c, a, a->words[1], &j) : status;
    if (status == CLI_OK && target != NULL) {
        status = cli_open_output(c, target, NULL, &out);
    }
    if (status == CLI_OK && target != NULL) {
        size_t size;
        const void *bytes = ov_touch_map_bytes(j.map, &size);
        (void)fwrite(bytes, 1, size, out.stream); // the closing tells whether it succeeded
    }
    if (status == CLI_OK && picture != NULL) {
        status = draw_map(c, a->words[1], &j, level >= LEVELS, &svg);
    }
    if (status == CLI_OK) {
        bool taken = (target != NULL && strcmp(target, "-") == 0) ||
                     (picture != NULL && strcmp(picture, "-") == 0);
        print_map(taken ? c->err : c->out, &j);
    }
    job_free(&j);
    status = cli_finish_output(c, &svg, status);
    status = cli_close_output(c, &out, status);
    return cli_close_output(c, &svg, status);
}

/** Files that are written. */
enum { FORCES, PICTURE, LATENESS, FILES };
static const char *const file_options[FILES] = {"--output", "--svg", "--late"};

static int work(cli *c, const args *a, job *j, const cli_output *files) {
    int status = open_map(c, a, a->words[0], j);
    j->placed = (ov_touch_placed_map){.map = j->map, .level = j->level};
    if (status == CLI_OK && j->layer > 0) {
        status = make_published(c, a->words[0], j);
    }
    if (status == CLI_OK && args_given(a, "--probe")) {
        status = open_probe(c, a, j);
    }
    status = status == CLI_OK ? open_device(c, a, j) : status;
    if (status != CLI_OK) {
        return status;
    }
    double ticks = floor(j->seconds * j->rate) + 1.0;
    if (ticks > 1e8) {
        return cli_error(c, a->verb, "%.3g samples are too many: at most 1e8", ticks);
    }
    status = touch_zones_room(c, a->verb, (size_t)ticks, &j->felt);
    if (status != CLI_OK) {
        return status;
    }
    status = j->live ? run_live(c, j, (uint64_t)ticks) : run_still(c, j, (uint64_t)ticks);
    if (status == CLI_OK) {
        print_csv(files[FORCES].stream != NULL ? files[FORCES].stream : c->out, j);
        print_summary(c->err, j);
    }
    if (status == CLI_OK && files[PICTURE].stream != NULL) {
        touch_picture_draw(files[PICTURE].stream, a->words[0], j->samples, j->count);
    }
    if (status == CLI_OK && files[LATENESS].stream != NULL) {
        print_late(files[LATENESS].stream, j);
    }
    return status;
}

static int run(cli *c, int argc, char **argv) {
    args a;
    job j = {0};
    int status = args_parse(c, cli_verb_touch.name, options, OPTION_COUNT, argc, argv, &a);
    if (status != CLI_OK) {
        return status;
    }
    if (a.word_count > 0 && strcmp(a.words[0], "map") == 0) {
        return write_map(c, &a);
    }
    if (a.word_count != 1) {
        return cli_error(c, a.verb, "needs one mesh or map, got %d", a.word_count);
    }
    if (read_numbers(c, &a, &j) != CLI_OK || read_texture(c, &a, &j) != CLI_OK ||
        read_material(c, &a, &j.material) != CLI_OK ||
        read_map_options(c, &a, &j.map_options) != CLI_OK) {
        job_free(&j);
        return CLI_BAD_INPUT;
    }
    cli_output files[FILES] = {{.stream = NULL}};
    for (int i = 0; i < FILES && status == CLI_OK; i++) {
        if (args_given(&a, file_options[i])) {
            status = cli_open_output(c, args_text(&a, file_options[i]), NULL, &files[i]);
        }
    }
    if (status == CLI_OK) {
        status = work(c, &a, &j, files);
    }
    job_free(&j);
    for (int i = FILES - 1; i > 0; i--) {
        status = cli_finish_output(c, &files[i], status);
    }
    for (int i = 0; i < FILES; i++) {
        status = cli_close_output(c, &files[i], status);
    }
    return status;
}

const cli_verb cli_verb_touch = {
    .name = "touch",
    .summary = "what a hand feels that leads a ball or a mesh over a mesh",
    .usage = "MESH|MAP.map --ball R|--probe MESH --track FILE.csv|--udp PORT [options]\n"
             "       ovoid touch map MESH|MAP.map [-o FILE.map] [--svg FILE]",
    .details =
        "Computes a distance map of a closed mesh, or reads one, and leads a ball or a second "
        "mesh\n"
        "along a track, or where another program says. The force on the hand is printed as CSV, "
        "in\n"
        "newtons, for a mesh in metres; what came of it is told on standard error. A ball is a\n"
        "proxy that never passes the surface; a mesh hangs on a spring and feels torque too.\n"
        "\n"
        "--zones tells of every vertex of the probe which impact zone it is in, such as a finger: "
        "a\n"
        "whole number from 0 a line, # for comments. The CSV then has five columns more of each "
        "zone:\n"
        "contacts, depth of the deepest, and the force of the surface on the zone.\n"
        "\n"
        "--texture is noise, or with --bitmap a PGM picture of 256 greys, black H below the "
        "surface\n"
        "and white H above it, repeated over a plane and projected onto the surface along its z.\n"
        "\n"
        "A track has a header time,x,y,z or time,x,y,z,qw,qx,qy,qz. Without --live it is followed\n"
        "as fast as the machine can; with it in real time, and lateness and missed deadlines are\n"
        "told, with how many samples were how late. Datagrams of --udp are described in "
        "ovoid/io_touch.h.\n"
        "\n"
        "With --layer 1, 2 or 3 the forces are those of [SQMap], as published, of a point on a "
        "map\n"
        "of 16 parts: to compare with.\n"
        "\n"
        "'touch map' writes the map to a file, to be read in place of the mesh; its --svg draws "
        "the\n"
        "mesh with sections of the map, or with --layer 1, 2 or 3 its parts and the map of each.\n",
    .examples =
        "  ovoid mesh superellipsoid 0.1 0.1 0.1 0.5 0.5 -o body.obj\n"
        "  printf 'time,x,y,z\\n0,0,0,0.12\\n1,0,0.05,0.09\\n' > way.csv\n"
        "  ovoid touch body.obj --ball 0.005 --track way.csv --friction 0.4 -o forces.csv\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .takes_files = true,
    .run = run,
};
