/**
 * @file fit_check.c
 * @brief `ovoid fit check`: proves from the numbers of two files alone that the bodies of the one
 * hold the mesh, the points or the meshes of the robot of the other.
 *
 * Nothing that the fit knew is used: the certificate is made anew, and checked.
 */
#include <stdlib.h>
#include <string.h>

#include "fit.h"
#include "subject.h"

/* ---- files of triangles or points ------------------------------------------------------------ */

/** A mesh, or the vertices of a file of a mesh that has no triangles. */
static int read_mesh(cli *c, fit_file *f) {
    ov_fault fault;
    if (cli_note_input(c, f->path) != CLI_OK) {
        return CLI_BAD_INPUT;
    }
    ov_status status = ov_mesh_read(f->path, &f->data, &fault);
    if (status == OV_ERROR_COUNT &&
        ov_mesh_read_points(f->path, &f->cloud, &f->input.point_count, NULL) == OV_OK) {
        f->input.points = f->cloud;
        return CLI_OK;
    }
    if (status != OV_OK) {
        return cli_file_error(c, f->path, &fault);
    }
    f->is_mesh = true;
    f->input = (ov_fit_input){f->data.vertices, f->data.vertex_count,
                              (const uint32_t(*)[3])f->data.triangles, f->data.triangle_count};
    return CLI_OK;
}

int fit_file_read(cli *c, const char *path, fit_file *f) {
    *f = (fit_file){.path = path};
    if (ov_mesh_format_from_path(path) != OV_MESH_FORMAT_NONE) {
        return read_mesh(c, f);
    }
    if (cli_expect(c, path, 0, "a mesh or a file of points") != CLI_OK) {
        return CLI_BAD_INPUT;
    }
    ov_fault fault;
    FILE *stream = cli_open_input(c, &f->path);
    if (stream == NULL) {
        return CLI_BAD_INPUT;
    }
    ov_status status = ov_points_read_stream(stream, &f->cloud, &f->input.point_count, &fault);
    if (stream != stdin) {
        (void)fclose(stream);
    }
    f->input.points = f->cloud;
    return status == OV_OK ? CLI_OK : cli_file_error(c, f->path, &fault);
}

void fit_file_free(fit_file *f) {
    ov_mesh_free(&f->data);
    ov_points_free(f->cloud);
}

/** Has it an inside? */
static ov_status find_inside(const fit_file *f, bool *closed) {
    ov_trimesh *mesh = NULL;
    ov_status status = OV_OK;
    if (f->is_mesh) {
        status = ov_trimesh_create(f->input.points, f->input.point_count, f->input.triangles,
                                   f->input.triangle_count, NULL, &mesh);
    }
    *closed = mesh != NULL && ov_trimesh_is_solid(mesh);
    ov_trimesh_destroy(mesh);
    return status;
}

bool fit_file_is_closed(const fit_file *f) {
    bool closed = false;
    return find_inside(f, &closed) >= OV_OK && closed;
}

const char *fit_proven(bool is) { return is ? "proven" : "not proven"; }

/* ---- bodies ---------------------------------------------------------------------------------- */

/** Bodies of a scene or of a link, in its frame. All zero: none. */
typedef struct bodies {
    ov_fit_part *parts;
    size_t count;
} bodies;

static bool bodies_of_scene(const ov_scene *scene, bodies *b) {
    size_t room = 0;
    for (size_t i = 0; i < ov_scene_count(scene); i++) {
        room += ov_scene_get(scene, i)->part_count;
    }
    b->parts = calloc(room + 1, sizeof *b->parts);
    for (size_t i = 0; b->parts != NULL && i < ov_scene_count(scene); i++) {
        const ov_scene_body *body = ov_scene_get(scene, i);
        for (size_t k = 0; k < body->part_count; k++) {
            // a mesh holds nothing
            if (body->parts[k].mesh == NULL) {
                b->parts[b->count++] =
                    (ov_fit_part){body->parts[k].shape, scene_part_pose(body, k)};
            }
        }
    }
    return b->parts != NULL;
}

static bool bodies_of_link(const ov_robot_link *link, bodies *b) {
    b->parts = calloc(link->collision_count + 1, sizeof *b->parts);
    for (size_t i = 0; b->parts != NULL && i < link->collision_count; i++) {
        if (link->collisions[i].mesh == NULL) {
            b->parts[b->count++] =
                (ov_fit_part){link->collisions[i].shape, link->collisions[i].pose};
        }
    }
    return b->parts != NULL;
}

/* ---- a mesh or a cloud ----------------------------------------------------------------------- */

/** What is told of a proof: surface, solid where there is one, the first triangle that is not held.
 *  Returns whether all is proven. */
static bool print_verdict(FILE *out, const char *what, bool is_mesh, bool closed,
                          const ov_fit_verdict *v) {
    const char *element = is_mesh ? "triangle" : "point";
    fprintf(out, "%s: every %s is held: %s", what, element, fit_proven(v->surface));
    if (!v->surface && v->bad_triangle != SIZE_MAX) {
        fprintf(out, "; the first that is not: %zu", v->bad_triangle + 1);
    }
    fputc('\n', out);
    if (closed) {
        fprintf(out, "%s: the inside is held: %s\n", what, fit_proven(v->solid));
    }
    return v->surface && (v->solid || !closed);
}

/** The file as it is, whatever was joined or thinned to fit to it. */
static int check_file(cli *c, const bodies *b, const fit_file *f) {
    ov_fit_verdict v;
    bool closed = false;
    ov_status status = find_inside(f, &closed);
    status = status >= OV_OK ? ov_fit_prove(b->parts, b->count, &f->input, &v) : status;
    if (status < OV_OK) {
        return cli_error(c, f->path, "%s", ov_status_message(status));
    }
    bool good = print_verdict(c->out, f->path, f->is_mesh, closed, &v);
    return good ? CLI_OK : CLI_CHECK_FAILED;
}

/* ---- robots ---------------------------------------------------------------------------------- */

/** The meshes of one link; `counts` are those that are held, and all. */
static int check_link(cli *c, const char *path, const ov_robot_link *link, const bodies *b,
                      size_t counts[2]) {
    bodies own = {.parts = calloc(b->count + 1, sizeof *own.parts), .count = b->count};
    ov_status status = own.parts != NULL ? OV_OK : OV_ERROR_MEMORY;
    for (size_t i = 0; i < link->collision_count && status >= OV_OK; i++) {
        const ov_robot_shape *s = &link->collisions[i];
        if (s->mesh == NULL) {
            continue;
        }
        own.count = 0;
        for (size_t k = 0; k < b->count; k++) {
            // a body of another kind holds nothing
            own.count += ov_fit_part_within(&b->parts[k], s->pose, &own.parts[own.count]) == OV_OK;
        }
        ov_fit_verdict v;
        ov_fit_input input = {ov_trimesh_vertices(s->mesh), ov_trimesh_vertex_count(s->mesh),
                              ov_trimesh_triangles(s->mesh), ov_trimesh_triangle_count(s->mesh)};
        status = ov_fit_prove(own.parts, own.count, &input, &v);
        if (status >= OV_OK) {
            char what[400];
            (void)snprintf(what, sizeof what, "%.150s, %.200s", link->name,
                           s->mesh_file != NULL ? s->mesh_file : "mesh");
            counts[0] += print_verdict(c->out, what, true, ov_trimesh_is_solid(s->mesh), &v);
            counts[1]++;
        }
    }
    free(own.parts);
    return status >= OV_OK
               ? CLI_OK
               : cli_error(c, path, "link '%s': %s", link->name, ov_status_message(status));
}

static const ov_robot_link *find_link(const ov_robot *robot, const char *name) {
    for (size_t i = 0; i < ov_robot_link_count(robot); i++) {
        const ov_robot_link *link = ov_robot_get_link(robot, i);
        if (strcmp(link->name, name) == 0) {
            return link;
        }
    }
    return NULL;
}

static int check_robot(cli *c, const subject *fit, const char *path, const ov_robot *robot) {
    size_t counts[2] = {0, 0}, others = 0;
    int status = CLI_OK;
    for (size_t i = 0; i < ov_robot_link_count(robot) && status == CLI_OK; i++) {
        const ov_robot_link *link = ov_robot_get_link(robot, i);
        const ov_robot_link *now = find_link(fit->robot, link->name);
        bodies b = {.count = 0};
        if (now == NULL) {
            return cli_error(c, fit->path, "there is no link '%s'", link->name);
        }
        if (!bodies_of_link(now, &b)) {
            return cli_error(c, fit->path, "%s", ov_status_message(OV_ERROR_MEMORY));
        }
        for (size_t k = 0; k < link->collision_count; k++) {
            others += link->collisions[k].mesh == NULL;
        }
        status = check_link(c, path, link, &b, counts);
        free(b.parts);
    }
    if (status != CLI_OK) {
        return status;
    }
    if (counts[1] == 0) {
        return cli_error(c, path, "no link has a mesh to collide with: there is nothing to check");
    }
    fprintf(c->out, "%zu of %zu meshes are held", counts[0], counts[1]);
    if (others > 0) {
        fprintf(c->out, "; %zu other shapes were not looked at", others);
    }
    fputc('\n', c->out);
    return counts[0] == counts[1] ? CLI_OK : CLI_CHECK_FAILED;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/** Reads a scene or robot as verbs do that take only one word. */
static int read_subject(cli *c, const args *a, int word, unsigned takes, subject *s) {
    args one = *a;
    one.words = a->words + word;
    one.word_count = 1;
    return subject_read(c, &one, takes, ov_default_robot_options(), s);
}

static int check_mesh(cli *c, const args *a, const subject *fit) {
    bodies b = {.count = 0};
    fit_file file = {.path = NULL};
    if (fit->robot != NULL && ov_robot_link_count(fit->robot) != 1) {
        return cli_error(c, fit->path, "has %zu links; bodies of one mesh are one link",
                         ov_robot_link_count(fit->robot));
    }
    bool good = fit->robot != NULL ? bodies_of_link(ov_robot_get_link(fit->robot, 0), &b)
                                   : bodies_of_scene(fit->scene, &b);
    int status = good ? fit_file_read(c, a->words[2], &file)
                      : cli_error(c, fit->path, "%s", ov_status_message(OV_ERROR_MEMORY));
    status = status == CLI_OK ? check_file(c, &b, &file) : status;
    fit_file_free(&file);
    free(b.parts);
    return status;
}

int fit_check(cli *c, const args *a) {
    for (size_t i = 0; i < a->option_count; i++) {
        if (a->values[i].given && strcmp(a->options[i].name, "--package") != 0) {
            return cli_error(c, a->verb, "%s is not for 'fit check'", a->options[i].name);
        }
    }
    if (a->word_count != 3) {
        return cli_error(c, a->verb, "check needs two files, FIT and MESH, got %d",
                         a->word_count - 1);
    }
    subject fit = {.path = NULL}, robot = {.path = NULL};
    bool of_robot = cli_kind_of(a->words[2]) == OV_FILE_KIND_URDF;
    int status =
        read_subject(c, a, 1, of_robot ? SUBJECT_ROBOT : SUBJECT_SCENE | SUBJECT_ROBOT, &fit);
    if (status == CLI_OK && of_robot) {
        status = read_subject(c, a, 2, SUBJECT_ROBOT, &robot);
        status = status == CLI_OK ? check_robot(c, &fit, robot.path, robot.robot) : status;
    } else if (status == CLI_OK) {
        status = check_mesh(c, a, &fit);
    }
    subject_free(&robot);
    subject_free(&fit);
    return status;
}
