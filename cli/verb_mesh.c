/**
 * @file verb_mesh.c
 * @brief `ovoid mesh`: a closed triangle mesh of a shape as OBJ, STL or PLY.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/io.h>

#include "kinds.h"
#include "options.h"

static const args_option options[] = {
    {"--vertices", 0, 1, "N", "largest number of vertices (1000)", NULL},
    {"--error", 0, 1, "E", "or: largest distance between mesh and surface", NULL},
    {"--format", 0, 1, "NAME", "obj, stl or ply, whatever the file's ending", "obj stl ply"},
    SHARED_CONVENTION,
    SHARED_DENT_TOLERANCE,
    SHARED_OUTPUT,
};
enum { OPTION_COUNT = sizeof options / sizeof options[0] };

static int read_density(cli *c, const args *a, ov_mesh_options *density) {
    *density = ov_default_mesh_options();
    if (args_given(a, "--vertices") && args_given(a, "--error")) {
        return cli_error(c, a->verb, "give --vertices or --error, not both");
    }
    if (args_given(a, "--vertices")) {
        return args_count(c, a, "--vertices", &density->vertices);
    }
    if (args_given(a, "--error")) {
        int status = args_number(c, a, "--error", &density->chord_error);
        if (status != CLI_OK) {
            return status;
        }
        if (!(density->chord_error > 0.0 && isfinite(density->chord_error))) {
            return cli_error(c, a->verb, "--error = %s: must be finite and above 0",
                             args_text(a, "--error"));
        }
    }
    return CLI_OK;
}

static int read_target(cli *c, const args *a, const char **path, ov_mesh_format *format) {
    *path = args_given(a, "--output") ? args_text(a, "--output") : "-";
    if (args_given(a, "--format")) {
        static const ov_mesh_format formats[] = {OV_MESH_FORMAT_OBJ, OV_MESH_FORMAT_STL,
                                                 OV_MESH_FORMAT_PLY};
        size_t choice;
        int status = args_choice(c, a, "--format", &choice);
        if (status == CLI_OK) {
            *format = formats[choice];
        }
        return status;
    }
    if (strcmp(*path, "-") == 0) {
        return cli_error(
            c, a->verb,
            "name an output: -o FILE.obj, FILE.stl or FILE.ply; or --format obj, stl or "
            "ply for standard output");
    }
    *format = ov_mesh_format_from_path(*path);
    if (*format != OV_MESH_FORMAT_OBJ && *format != OV_MESH_FORMAT_STL &&
        *format != OV_MESH_FORMAT_PLY) {
        return cli_error(c, *path, "the name must end in .obj, .stl or .ply, or --format be given");
    }
    return CLI_OK;
}

static int refuse_plan(cli *c, const args *a, const shape_args *s, size_t vertices,
                       ov_status status) {
    const size_t most = (size_t)1 << 26; // see ov_shape_mesh_plan
    const char *kind = shape_args_kind_name(s);
    if (status == OV_ERROR_OPTION && args_given(a, "--error")) {
        return cli_error(c, a->verb, "--error = %s: too fine: needs more than 2^26 vertices",
                         args_text(a, "--error"));
    }
    if (status == OV_ERROR_OPTION) {
        return cli_error(c, a->verb, "--vertices = %zu: %s", vertices,
                         vertices > most ? "more than 2^26" : "too few for a closed mesh");
    }
    if (status == OV_ERROR_UNSUPPORTED) {
        return cli_error(c, kind, "has no closed surface, so no mesh");
    }
    return cli_error(c, kind, "%s", ov_status_message(status));
}

static int write_mesh(cli *c, const char *path, ov_mesh_format format, const ov_mesh_plan *plan,
                      const ov_vec3 *vertices, const ov_vec3 *normals,
                      const uint32_t (*triangles)[3]) {
    const char *name = strcmp(path, "-") == 0 ? "standard output" : path;
    cli_output out;
    int result = cli_open_output(c, path, NULL, &out);
    if (result != CLI_OK) {
        return result;
    }
    errno = 0;
    ov_status status = ov_mesh_write_stream(out.stream, format, vertices, normals,
                                            plan->vertex_count, triangles, plan->triangle_count);
    if (status == OV_ERROR_FILE_WRITE) {
        result = cli_write_error(c, name);
    } else if (status < 0) {
        result = cli_error(c, name, "%s", ov_status_message(status));
    }
    result = cli_close_output(c, &out, result);
    if (result == CLI_OK) {
        cli_note(c, name, "%zu vertices, %zu triangles", plan->vertex_count, plan->triangle_count);
    }
    return result;
}

static int mesh_and_write(cli *c, const shape_args *s, const ov_mesh_plan *plan, const char *path,
                          ov_mesh_format format) {
    ov_vec3 *vertices = calloc(plan->vertex_count, sizeof *vertices);
    ov_vec3 *normals = calloc(plan->vertex_count, sizeof *normals);
    uint32_t(*triangles)[3] = calloc(plan->triangle_count, sizeof *triangles);
    int status;
    if (vertices == NULL || normals == NULL || triangles == NULL) {
        status = cli_error(c, shape_args_kind_name(s), "not enough memory for %zu vertices",
                           plan->vertex_count);
    } else {
        ov_status filled = ov_shape_mesh_fill(&s->shape, plan, vertices, normals, triangles);
        status = filled < 0 ? cli_error(c, shape_args_kind_name(s), "%s", ov_status_message(filled))
                            : write_mesh(c, path, format, plan, vertices, normals, triangles);
    }
    free(vertices);
    free(normals);
    free(triangles);
    return status;
}

static int run(cli *c, int argc, char **argv) {
    args a;
    ov_mesh_options density;
    const char *path = "-";
    ov_mesh_format format = OV_MESH_FORMAT_NONE;
    int status = args_parse(c, cli_verb_mesh.name, options, OPTION_COUNT, argc, argv, &a);
    if (status != CLI_OK || (status = read_density(c, &a, &density)) != CLI_OK ||
        (status = read_target(c, &a, &path, &format)) != CLI_OK) {
        return status;
    }
    shape_args s;
    status = shape_args_make(c, &a, &s);
    if (status != CLI_OK) {
        return status;
    }
    ov_mesh_plan plan;
    if (s.in_plane) {
        status = cli_error(c, shape_args_kind_name(&s), "is a curve in the plane, it has no mesh");
    } else {
        ov_status planned = ov_shape_mesh_plan(&s.shape, &density, &plan);
        status = planned < 0 ? refuse_plan(c, &a, &s, density.vertices, planned)
                             : mesh_and_write(c, &s, &plan, path, format);
    }
    shape_args_free(&s);
    return status;
}

const cli_verb cli_verb_mesh = {
    .name = "mesh",
    .summary = "a triangle mesh of a shape, as OBJ, STL or PLY",
    .usage = "KIND PARAMETERS... [options] -o FILE",
    .details =
        "Writes a closed mesh whose triangles run counter-clockwise seen from outside, with\n"
        "normals (OBJ, PLY), and says on standard error how large it is. All vertices lie on\n"
        "the surface. The format is that of the file's ending, .obj, .stl or .ply. The kinds are\n"
        "in 'ovoid help kinds'.\n",
    .examples = "  ovoid mesh superovoid 1 1 1.5 0.8 0.8 -0.2 -0.2 -o egg.obj\n"
                "  ovoid mesh superellipsoid 1 1 1 0.1 0.1 --error 0.001 -o dice.stl\n"
                "  ovoid mesh supertoroid 1 1 1 1 1 2.5 --vertices 5000 --format ply > ring.ply\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .takes_shape = true,
    .run = run,
};
