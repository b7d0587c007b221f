/**
 * @file fit_robot.c
 * @brief `ovoid fit` for robots: the meshes of all links become bodies that enclose them.
 *
 * Each mesh is fitted once, however often the robot uses it, in its own frame; the parts are then
 * placed in the links' frames, larger by what rounding may do. Boxes, cylinders and other shapes
 * stay as they are. The certificates are checked for the parts as they are in the links, and once
 * more for a URDF file that was written, and bodies and meshes are compared at random poses: no
 * contact of two meshes may be missing.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fit.h"
#include "subject.h"
#include "table.h"

/** A mesh, and its parts in its own frame. */
typedef struct mesh_fit {
    const ov_trimesh *mesh;
    ov_vec3 axis; /**< of the joint that moves it, in its frame; zero where that is no matter */
    ov_fit_mesh *clean; /**< null where the mesh is closed: it is fitted to as it is */
    ov_fit_input input;
    ov_fit_part simple[FIT_SIMPLE_MAX];
    size_t simple_count;
    ov_fit *fit; /**< parts of one kind that was asked for; null: the simple ones */
    fit_extent extent;
    double seconds;
} mesh_fit;

/** A mesh of a link, and which of the new collisions of the link are its parts. */
typedef struct use {
    size_t link, fit, first;
    ov_pose pose; /**< of the mesh */
    ov_fit_verdict verdict;
} use;

/** A link, in the table. */
typedef struct row {
    size_t meshes, triangles, parts, shapes;
    double volume, grown; /**< of the solids, and of their parts; 0: none has an inside */
    double protrusion, seconds;
} row;

typedef struct work {
    const fit_robot_job *job;
    subject subject;
    mesh_fit *fits;
    size_t fit_count, fit_room;
    use *uses;
    size_t use_count, use_room;
    ov_robot_link *links; /**< as they will be */
    row *rows;
    ov_robot *fitted;
    ov_robot *shown; /**< with visuals as collisions where those are fitted to; else null */
} work;

static void work_free(work *w) {
    size_t count = ov_robot_link_count(w->subject.robot);
    for (size_t i = 0; i < w->fit_count; i++) {
        ov_fit_destroy(w->fits[i].fit);
        ov_fit_mesh_destroy(w->fits[i].clean);
    }
    for (size_t i = 0; w->links != NULL && i < count; i++) {
        free((void *)w->links[i].collisions);
    }
    free(w->fits);
    free(w->uses);
    free(w->links);
    free(w->rows);
    ov_robot_destroy(w->fitted);
    ov_robot_destroy(w->shown);
    subject_free(&w->subject);
}

static int no_memory(cli *c, const work *w) {
    return cli_error(c, w->subject.path, "%s", ov_status_message(OV_ERROR_MEMORY));
}

/* ---- one mesh -------------------------------------------------------------------------------- */

/** How messages call a mesh. */
static const char *mesh_name(const ov_robot_shape *shape) {
    return shape->mesh_file != NULL ? shape->mesh_file : "a mesh";
}

static int mesh_error(cli *c, const work *w, const char *link, const ov_robot_shape *shape,
                      ov_status status) {
    return cli_error(c, w->subject.path, "link '%s', %s: %s", link, mesh_name(shape),
                     ov_status_message(status));
}

static size_t part_count_of(const mesh_fit *m) {
    return m->fit != NULL ? ov_fit_part_count(m->fit) : m->simple_count;
}

static const ov_fit_part *parts_of(const mesh_fit *m) {
    return m->fit != NULL ? ov_fit_parts(m->fit) : m->simple;
}

/** Parts where no number is given. */
enum { PARTS_DEFAULT = 4 };

/** Bodies of all kinds, or parts of one. */
static ov_status fit_parts(const work *w, mesh_fit *m) {
    const ov_fit_parts_options *how = &w->job->how;
    bool smooth = how->kind <= OV_SHAPE_KIND_SUPEROVOID;
    if (!w->job->any_kind && smooth && (how->parts != 1 || how->error > 0.0)) {
        return ov_fit_parts_create(&m->input, how, &m->fit);
    }
    const fit_simple_options simple = {.parts = how->parts > 0 ? how->parts : PARTS_DEFAULT,
                                       .any_kind = w->job->any_kind,
                                       .kind = how->kind,
                                       .seed = how->seed,
                                       .symmetry = w->job->symmetry,
                                       .axis = m->axis};
    return fit_simple(&m->input, &simple, m->simple, &m->simple_count);
}

/** Fits a mesh as it is: no vertex is moved. One that is not closed is made ready first; of a
 * closed one that could leave out a triangle without area, and with it the inside. */
static ov_status fit_mesh(const work *w, mesh_fit *m) {
    const ov_fit_mesh_options exact = {.weld = OV_ZERO, .triangles = OV_FIT_MAX};
    double start = timing_clock_ns();
    ov_status status = OV_OK;
    m->input = (ov_fit_input){ov_trimesh_vertices(m->mesh), ov_trimesh_vertex_count(m->mesh),
                              ov_trimesh_triangles(m->mesh), ov_trimesh_triangle_count(m->mesh)};
    if (!ov_trimesh_is_solid(m->mesh)) {
        status = ov_fit_mesh_create(&m->input, &exact, &m->clean, NULL);
        m->input = ov_fit_mesh_input(m->clean);
    }
    status = status == OV_OK ? fit_parts(w, m) : status;
    if (status >= OV_OK) {
        m->extent = fit_measure(m->mesh, parts_of(m), part_count_of(m));
    }
    m->seconds = (timing_clock_ns() - start) * 1e-9;
    return status;
}

/** The axis of the joint that moves a link, in the frame of one of its meshes. Zero where there is
 *  none, or bodies need not keep to it. */
static ov_vec3 axis_of(const work *w, size_t link, const ov_robot_shape *shape) {
    const ov_vec3 none = {0.0, 0.0, 0.0}, usual = {1.0, 0.0, 0.0};
    const ov_robot *robot = w->subject.robot;
    for (size_t i = 0; i < ov_robot_joint_count(robot) && w->job->symmetry > 0.0; i++) {
        const ov_joint_def *def = &ov_robot_get_joint(robot, i)->def;
        if (def->child != link ||
            (def->kind != OV_JOINT_KIND_REVOLUTE && def->kind != OV_JOINT_KIND_CONTINUOUS &&
             def->kind != OV_JOINT_KIND_PRISMATIC)) {
            continue;
        }
        ov_vec3 axis = ov_vec3_length(def->axis) > 0.0 ? def->axis : usual;
        ov_quat turn = ov_pose_default(shape->pose).rotation;
        return ov_vec3_normalize(ov_quat_rotate(ov_quat_conjugate(turn), axis));
    }
    return none;
}

static bool is_same(ov_vec3 a, ov_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/** The fit of a mesh: a new one, or that of an earlier use. */
static int find_fit(cli *c, work *w, size_t index_of_link, const ov_robot_shape *shape,
                    size_t *index) {
    const char *link = w->links[index_of_link].name;
    ov_vec3 axis = axis_of(w, index_of_link, shape);
    for (*index = 0; *index < w->fit_count; (*index)++) {
        if (w->fits[*index].mesh == shape->mesh && is_same(w->fits[*index].axis, axis)) {
            return CLI_OK;
        }
    }
    if (w->fit_count == w->fit_room) {
        mesh_fit *fits = cli_more_room(w->fits, &w->fit_room, sizeof *fits);
        if (fits == NULL) {
            return no_memory(c, w);
        }
        w->fits = fits;
    }
    mesh_fit *m = &w->fits[w->fit_count++];
    *m = (mesh_fit){.mesh = shape->mesh, .axis = axis};
    ov_status status = fit_mesh(w, m);
    return status < OV_OK ? mesh_error(c, w, link, shape, status) : CLI_OK;
}

/* ---- links ----------------------------------------------------------------------------------- */

static void count_mesh(row *r, const mesh_fit *m, bool first_use) {
    r->meshes++;
    r->triangles += ov_trimesh_triangle_count(m->mesh);
    r->parts += part_count_of(m);
    r->volume += m->extent.volume;
    r->grown += m->extent.volume > 0.0 ? m->extent.grown : 0.0;
    r->protrusion = fmax(r->protrusion, m->extent.protrusion);
    r->seconds += first_use ? m->seconds : 0.0;
}

/** Adds the parts of a mesh to the collisions of a link. */
static int add_mesh(cli *c, work *w, size_t link, const ov_robot_shape *shape) {
    ov_robot_link *l = &w->links[link];
    size_t fits = w->fit_count, index;
    int status = find_fit(c, w, link, shape, &index);
    if (status != CLI_OK) {
        return status;
    }
    if (w->use_count == w->use_room) {
        use *uses = cli_more_room(w->uses, &w->use_room, sizeof *uses);
        if (uses == NULL) {
            return no_memory(c, w);
        }
        w->uses = uses;
    }
    const mesh_fit *fit = &w->fits[index];
    size_t count = part_count_of(fit), first = l->collision_count;
    ov_robot_shape *shapes = realloc((void *)l->collisions, (first + count + 1) * sizeof *shapes);
    if (shapes == NULL) {
        return no_memory(c, w);
    }
    l->collisions = shapes;
    for (size_t i = 0; i < count; i++) {
        ov_fit_part placed;
        ov_status good = ov_fit_part_place(&parts_of(fit)[i], shape->pose, &placed);
        if (good < OV_OK) {
            return mesh_error(c, w, l->name, shape, good);
        }
        shapes[l->collision_count++] = (ov_robot_shape){.shape = placed.shape, .pose = placed.pose};
    }
    w->uses[w->use_count++] =
        (use){.link = link, .fit = index, .first = first, .pose = shape->pose};
    count_mesh(&w->rows[link], &w->fits[index], fits < w->fit_count);
    return CLI_OK;
}

static int add_shape(cli *c, work *w, size_t link, const ov_robot_shape *shape) {
    if (shape->mesh != NULL) {
        return add_mesh(c, w, link, shape);
    }
    ov_robot_link *l = &w->links[link];
    ov_robot_shape *shapes =
        realloc((void *)l->collisions, (l->collision_count + 1) * sizeof *shapes);
    if (shapes == NULL) {
        return no_memory(c, w);
    }
    l->collisions = shapes;
    shapes[l->collision_count++] = *shape;
    w->rows[link].shapes++;
    return CLI_OK;
}

static int fit_links(cli *c, work *w) {
    const ov_robot *robot = w->subject.robot;
    size_t count = ov_robot_link_count(robot);
    progress bar = progress_make(c->err, "links");
    int status = CLI_OK;
    w->links = calloc(count + 1, sizeof *w->links);
    w->rows = calloc(count + 1, sizeof *w->rows);
    if (w->links == NULL || w->rows == NULL) {
        return no_memory(c, w);
    }
    for (size_t i = 0; i < count; i++) {
        w->links[i] = *ov_robot_get_link(robot, i);
        w->links[i].collisions = NULL;
        w->links[i].collision_count = 0;
    }
    for (size_t i = 0; i < count && status == CLI_OK; i++) {
        const ov_robot_link *link = ov_robot_get_link(robot, i);
        bool visual = w->job->visual && link->collision_count == 0;
        size_t shapes = visual ? link->visual_count : link->collision_count;
        for (size_t k = 0; k < shapes && status == CLI_OK; k++) {
            status = add_shape(c, w, i, visual ? &link->visuals[k] : &link->collisions[k]);
        }
        progress_update(&bar, (double)(i + 1), (double)(i + 1) / (double)count);
    }
    progress_end(&bar);
    return status;
}

/* ---- proofs ---------------------------------------------------------------------------------- */

/** Checks the certificate of one mesh of a link for the bodies that a robot has there. */
static ov_status check_use(const work *w, const ov_robot *robot, use *u) {
    const mesh_fit *m = &w->fits[u->fit];
    const ov_robot_link *link = ov_robot_get_link(robot, u->link);
    size_t count = part_count_of(m);
    u->verdict = (ov_fit_verdict){.bad_triangle = SIZE_MAX};
    if (link == NULL || link->collision_count < u->first + count) {
        return OV_ERROR_COUNT;
    }
    ov_fit_part *parts = calloc(count + 1, sizeof *parts);
    ov_status status = parts != NULL ? OV_OK : OV_ERROR_MEMORY;
    for (size_t i = 0; i < count && status == OV_OK; i++) {
        const ov_robot_shape *s = &link->collisions[u->first + i];
        const ov_fit_part placed = {s->shape, s->pose};
        status = ov_fit_part_within(&placed, u->pose, &parts[i]);
    }
    if (status == OV_OK && m->fit == NULL) {
        status = ov_fit_prove(parts, count, &m->input, &u->verdict);
    } else if (status == OV_OK) {
        ov_fit_certificate certificate = ov_fit_parts_certificate(m->fit);
        status = ov_fit_check(parts, count, &certificate, &m->input, &u->verdict);
    }
    free(parts);
    return status;
}

/** Checks all, and says what came of it. CLI_CHECK_FAILED where something is not proven. */
static int print_proofs(cli *c, work *w, const ov_robot *robot, const char *what) {
    size_t surfaces = 0, solids = 0, closed = 0;
    for (size_t i = 0; i < w->use_count; i++) {
        use *u = &w->uses[i];
        ov_status status = check_use(w, robot, u);
        if (status < OV_OK) {
            return cli_error(c, what, "link '%s': %s", w->links[u->link].name,
                             ov_status_message(status));
        }
        closed += ov_trimesh_is_solid(w->fits[u->fit].mesh);
        surfaces += u->verdict.surface;
        solids += u->verdict.solid;
        if (!u->verdict.surface) {
            cli_note(c, what, "link '%s': triangle %zu is not shown to be held",
                     w->links[u->link].name, u->verdict.bad_triangle + 1);
        }
    }
    fprintf(c->out, "%s: %zu of %zu meshes held: proven; %zu of %zu closed ones with the inside\n",
            what, surfaces, w->use_count, solids, closed);
    return surfaces == w->use_count && solids >= closed ? CLI_OK : CLI_CHECK_FAILED;
}

/* ---- meshes and bodies at random poses ------------------------------------------------------- */

/** Steele's splitmix64. */
static double draw(void *state, double lower, double upper) {
    uint64_t *at = state, z = *at += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return lower + (upper - lower) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

/** Of many poses so many are timed: depths of overlapping bodies take milliseconds. */
enum { POSES_TIMED = 500 };

/** What a comparison needs beside its result. */
typedef struct comparing {
    fit_compare *out;
    const ov_model *bodies;
    ov_checker *checker; /**< of the meshes */
    double *positions;
    ov_pose *poses;
    /** Of each pair of links: in contact as meshes in this pose? */
    bool *touching;
} comparing;

/** In contact, for certain? */
static bool is_contact(const ov_contact *c) {
    return c->status >= 0 &&
           (c->relation == OV_RELATION_OVERLAPPING || c->relation == OV_RELATION_TOUCHING);
}

static ov_pose part_pose(ov_pose link, ov_pose part) {
    return (ov_pose){ov_pose_apply(link, part.position), ov_quat_mul(link.rotation, part.rotation)};
}

/** Are two links of shapes apart? Depths are not asked for, which would take far longer. */
static ov_answer are_apart(const ov_geometry *a, ov_pose pose_a, const ov_geometry *b,
                           ov_pose pose_b) {
    ov_answer result = OV_ANSWER_YES;
    for (size_t i = 0; i < ov_geometry_count(a); i++) {
        const ov_part *p = ov_geometry_part(a, i);
        ov_pose place = part_pose(pose_a, p->pose);
        for (size_t k = 0; k < ov_geometry_count(b); k++) {
            const ov_part *q = ov_geometry_part(b, k);
            ov_answer answer = OV_ANSWER_UNKNOWN;
            ov_status status = ov_pair_exceeds(
                &p->shape, place, &q->shape, part_pose(pose_b, q->pose), 0.0, NULL, NULL, &answer);
            if (status >= OV_OK && answer == OV_ANSWER_NO) {
                return OV_ANSWER_NO;
            }
            result = status >= OV_OK && answer == OV_ANSWER_YES ? result : OV_ANSWER_UNKNOWN;
        }
    }
    return result;
}

/** Counts the pairs of links of one pose that touch as bodies, and those that were missed. */
static void compare_bodies(comparing *w) {
    fit_compare *out = w->out;
    for (size_t a = 0; a < out->links; a++) {
        const ov_geometry *of_a = ov_model_link_geometry(w->bodies, a);
        for (size_t b = a + 1; b < out->links && of_a != NULL; b++) {
            const ov_geometry *of_b = ov_model_link_geometry(w->bodies, b);
            if (of_b == NULL || ov_model_is_allowed(w->bodies, (uint32_t)a, (uint32_t)b)) {
                continue;
            }
            size_t pair = a * out->links + b;
            ov_answer apart = are_apart(of_a, w->poses[a], of_b, w->poses[b]);
            out->body_counts[pair] += apart == OV_ANSWER_NO;
            out->body_contacts += apart == OV_ANSWER_NO;
            out->missed += w->touching[pair] && apart == OV_ANSWER_YES;
        }
    }
}

static ov_status compare_pose(comparing *w) {
    fit_compare *out = w->out;
    const ov_link_contact *contacts;
    size_t count;
    ov_status status = ov_checker_contacts(w->checker, w->poses, NULL, 0.0, &contacts, &count);
    if (status < OV_OK) {
        return status;
    }
    memset(w->touching, 0, out->links * out->links * sizeof *w->touching);
    for (size_t i = 0; i < count; i++) {
        size_t pair = contacts[i].link_a * out->links + contacts[i].link_b;
        if (is_contact(&contacts[i].contact) && !w->touching[pair]) {
            w->touching[pair] = true;
            out->mesh_counts[pair]++;
            out->mesh_contacts++;
        }
    }
    compare_bodies(w);
    return OV_OK;
}

/** Lets pairs touch, or not any more, that the bodies let touch in all poses. */
static ov_status allow_always(ov_model *model, const fit_compare *k, bool allowed) {
    ov_status status = OV_OK;
    for (size_t a = 0; a < k->links; a++) {
        for (size_t b = a + 1; b < k->links && status >= OV_OK; b++) {
            if (k->body_counts[a * k->links + b] == k->poses) {
                status = ov_model_allow(model, (uint32_t)a, (uint32_t)b, allowed);
            }
        }
    }
    return status;
}

/** A question is asked in so many rounds over all poses; the least time of each pose counts. */
enum { ROUNDS = 3 };

/** The poses that are timed, one after the other. */
static ov_status next_pose(const ov_model *meshes, comparing *w, uint64_t *state) {
    subject_draw_positions(meshes, 1.0, draw, state, w->positions);
    return ov_model_poses(meshes, ov_pose_identity(), w->positions, w->poses);
}

/** What one pose took, as meshes and as bodies, and whether it is free of contact as both. */
typedef struct pose_time {
    double touch[2], near[2];
    ov_answer answers[2];
} pose_time;

static ov_status time_touch(ov_checker *checker, const ov_pose *poses, int which, pose_time *t) {
    double start = timing_clock_ns();
    ov_status status = ov_checker_collides(checker, poses, NULL, 0.0, &t->answers[which], NULL);
    double ns = timing_clock_ns() - start;
    t->touch[which] = t->touch[which] == 0.0 ? ns : fmin(t->touch[which], ns);
    return status;
}

/** Processor time, which other programs of the machine take nothing of: it is told in microseconds,
 *  enough for a question that is asked once. */
static double processor_ns(void) { return (double)clock() / CLOCKS_PER_SEC * 1e9; }

static ov_status time_near(ov_checker *checker, const ov_pose *poses, int which, pose_time *t) {
    const ov_link_contact *contacts;
    size_t count;
    double start = processor_ns();
    ov_status status =
        ov_checker_contacts(checker, poses, NULL, FIT_COMPARE_LIMIT, &contacts, &count);
    t->near[which] = processor_ns() - start;
    return status;
}

/** Asks both models, pose after pose: all rounds of one question, then the other. */
static ov_status ask_poses(const ov_model *meshes, comparing *w, uint64_t seed,
                           ov_checker *const checkers[2], pose_time *times) {
    ov_status status = OV_OK;
    for (int round = 0; round <= ROUNDS; round++) {
        uint64_t state = seed;
        for (size_t i = 0; i < w->out->timed && status >= OV_OK; i++) {
            status = next_pose(meshes, w, &state);
            for (int k = 0; k < 2 && status >= OV_OK; k++) {
                status = round < ROUNDS ? time_touch(checkers[k], w->poses, k, &times[i])
                                        : time_near(checkers[k], w->poses, k, &times[i]);
            }
        }
    }
    return status;
}

static ov_status time_poses(const ov_model *meshes, comparing *w, uint64_t seed) {
    const ov_pair_options how = {.depth = OV_DEPTH_LOCAL};
    fit_compare *out = w->out;
    ov_checker *checkers[2] = {NULL, NULL};
    out->timed = out->poses < POSES_TIMED ? out->poses : POSES_TIMED;
    pose_time *times = calloc(out->timed + 1, sizeof *times);
    ov_status status = times != NULL ? OV_OK : OV_ERROR_MEMORY;
    status = status == OV_OK ? ov_checker_create(meshes, &how, NULL, &checkers[0]) : status;
    status = status == OV_OK ? ov_checker_create(w->bodies, &how, NULL, &checkers[1]) : status;
    status = status == OV_OK ? ask_poses(meshes, w, seed, checkers, times) : status;
    for (size_t i = 0; i < out->timed && status >= OV_OK; i++) {
        const pose_time *t = &times[i];
        bool is_free = t->answers[0] == OV_ANSWER_NO && t->answers[1] == OV_ANSWER_NO;
        for (int k = 0; k < 2; k++) {
            out->touch_ns[k] += t->touch[k];
            out->near_ns[k] += t->near[k];
            out->free_touch_ns[k] += is_free ? t->touch[k] : 0.0;
            out->free_near_ns[k] += is_free ? t->near[k] : 0.0;
        }
        out->free += is_free;
    }
    ov_checker_destroy(checkers[0]);
    ov_checker_destroy(checkers[1]);
    free(times);
    return status;
}

static ov_status time_models(ov_model *meshes, ov_model *bodies, comparing *w, uint64_t seed) {
    ov_status status = allow_always(meshes, w->out, true);
    status = status >= OV_OK ? allow_always(bodies, w->out, true) : status;
    status = status >= OV_OK ? time_poses(meshes, w, seed) : status;
    (void)allow_always(meshes, w->out, false);
    (void)allow_always(bodies, w->out, false);
    return status;
}

ov_status fit_compare_run(ov_model *meshes, ov_model *bodies, size_t poses, uint64_t seed,
                          progress *bar, fit_compare *out) {
    const ov_pair_options how = {.depth = OV_DEPTH_LOCAL};
    size_t links = ov_model_link_count(meshes), pairs = links * links;
    uint64_t state = seed;
    *out = (fit_compare){.links = links};
    out->mesh_counts = calloc(pairs + 1, sizeof *out->mesh_counts);
    out->body_counts = calloc(pairs + 1, sizeof *out->body_counts);
    comparing w = {.out = out,
                   .bodies = bodies,
                   .positions = calloc(ov_model_position_count(meshes) + 1, sizeof *w.positions),
                   .poses = calloc(links + 1, sizeof *w.poses),
                   .touching = calloc(pairs + 1, sizeof *w.touching)};
    ov_status status = OV_ERROR_MEMORY;
    if (out->mesh_counts != NULL && out->body_counts != NULL && w.positions != NULL &&
        w.poses != NULL && w.touching != NULL) {
        status = ov_checker_create(meshes, &how, NULL, &w.checker);
    }
    for (size_t i = 0; i < poses && status >= OV_OK; i++) {
        subject_draw_positions(meshes, 1.0, draw, &state, w.positions);
        status = ov_model_poses(meshes, ov_pose_identity(), w.positions, w.poses);
        status = status == OV_OK ? compare_pose(&w) : status;
        out->poses += status >= OV_OK;
        progress_update(bar, (double)(i + 1), (double)(i + 1) / (double)poses);
    }
    status = status >= OV_OK ? time_models(meshes, bodies, &w, seed) : status;
    ov_checker_destroy(w.checker);
    free(w.positions);
    free(w.poses);
    free(w.touching);
    return status >= OV_OK ? OV_OK : status;
}

void fit_compare_free(fit_compare *compare) {
    free(compare->mesh_counts);
    free(compare->body_counts);
    *compare = (fit_compare){.poses = 0};
}

/** Names the pairs that now touch in all poses. */
static size_t print_always(FILE *out, const work *w, const fit_compare *k) {
    size_t found = 0;
    for (size_t a = 0; a < k->links; a++) {
        for (size_t b = a + 1; b < k->links; b++) {
            size_t pair = a * k->links + b;
            if (k->body_counts[pair] == k->poses && k->mesh_counts[pair] < k->poses) {
                fprintf(out, "  %s, %s: in contact in all poses, as meshes in %u\n",
                        w->links[a].name, w->links[b].name, (unsigned)k->mesh_counts[pair]);
                found++;
            }
        }
    }
    return found;
}

/** The time of a pose, by both. */
static void print_times(FILE *out, const char *what, size_t poses, const double ns[2]) {
    fprintf(out, "  %s (%zu): ", what, poses);
    if (poses == 0 || ns[1] <= 0.0) {
        fputs("not measured\n", out);
        return;
    }
    fprintf(out, "%.1f us as meshes, %.1f us as bodies: a ratio of %.2g\n",
            ns[0] / (double)poses * 1e-3, ns[1] / (double)poses * 1e-3, ns[0] / ns[1]);
}

static int print_compare(cli *c, const work *w) {
    fit_compare k;
    progress bar = progress_make(c->err, "poses");
    const ov_robot *meshes = w->shown != NULL ? w->shown : w->subject.robot;
    ov_status status = fit_compare_run(ov_robot_model(meshes), ov_robot_model(w->fitted),
                                       w->job->poses, w->job->how.seed, &bar, &k);
    progress_end(&bar);
    if (status < OV_OK) {
        fit_compare_free(&k);
        return cli_error(c, w->subject.path, "random poses: %s", ov_status_message(status));
    }
    fprintf(c->out,
            "%zu random poses (seed %llu): pairs of links in contact: %zu as meshes, %zu as bodies;"
            " missed: %zu\n",
            k.poses, (unsigned long long)w->job->how.seed, k.mesh_contacts, k.body_contacts,
            k.missed);
    fprintf(c->out, "pairs of links that the bodies let touch in all of these poses:\n");
    if (print_always(c->out, w, &k) == 0) {
        fputs("  none\n", c->out);
    }
    fprintf(c->out, "is anything else in contact?\n");
    print_times(c->out, "a pose", k.timed, k.touch_ns);
    print_times(c->out, "a free pose", k.free, k.free_touch_ns);
    fprintf(c->out, "which gaps are up to %g?\n", FIT_COMPARE_LIMIT);
    print_times(c->out, "a pose", k.timed, k.near_ns);
    print_times(c->out, "a free pose", k.free, k.free_near_ns);
    int result = k.missed == 0 ? CLI_OK : CLI_CHECK_FAILED;
    fit_compare_free(&k);
    return result;
}

/* ---- the report ------------------------------------------------------------------------------ */

static void fill_row(const void *user, size_t index, table_cells *cells) {
    const work *w = user;
    size_t link = 0;
    // links without anything have no row
    for (size_t left = index;; link++) {
        if (w->rows[link].meshes + w->rows[link].shapes > 0 && left-- == 0) {
            break;
        }
    }
    const row *r = &w->rows[link];
    cells->texts[0] = w->links[link].name;
    table_count(cells, 1, r->meshes);
    table_count(cells, 2, r->triangles);
    table_count(cells, 3, r->parts);
    table_count(cells, 4, r->shapes);
    if (r->volume > 0.0) {
        table_number(cells, 5, r->grown / r->volume, 4);
    }
    if (r->meshes > 0) {
        table_number(cells, 6, r->protrusion, 3);
        table_number(cells, 7, r->seconds, 3);
    }
}

static void print_links(FILE *out, const work *w) {
    static const table_column columns[] = {
        {"link", TABLE_NAME, TABLE_ALWAYS},         {"meshes", TABLE_NUMBER, TABLE_ALWAYS},
        {"triangles", TABLE_NUMBER, TABLE_ALWAYS},  {"parts", TABLE_NUMBER, TABLE_ALWAYS},
        {"other", TABLE_NUMBER, TABLE_ALWAYS},      {"volume", TABLE_NUMBER, TABLE_ALWAYS},
        {"protrusion", TABLE_NUMBER, TABLE_ALWAYS}, {"seconds", TABLE_NUMBER, TABLE_ALWAYS}};
    table t = {.columns = columns,
               .column_count = sizeof columns / sizeof columns[0],
               .fill = fill_row,
               .user = w};
    for (size_t i = 0; i < ov_robot_link_count(w->subject.robot); i++) {
        t.rows += w->rows[i].meshes + w->rows[i].shapes > 0;
    }
    table_print(out, &t);
}

/* ---- the file -------------------------------------------------------------------------------- */

static int write_robot(cli *c, work *w) {
    const fit_robot_job *job = w->job;
    ov_fault fault = {.text = ""};
    errno = 0;
    if (ov_robot_write(job->target, job->format, w->fitted, NULL, &fault) < OV_OK) {
        return errno != 0 ? cli_error(c, job->target, "%s: %s", fault.text, strerror(errno))
                          : cli_error(c, job->target, "%s", fault.text);
    }
    if (job->format != OV_ROBOT_FORMAT_URDF) {
        cli_note(c, job->target, "the proofs are for the bodies above, not for this format");
        return CLI_OK;
    }
    ov_robot *back = NULL;
    if (ov_robot_read(job->target, NULL, &back, &fault) < OV_OK) {
        return cli_file_error(c, job->target, &fault);
    }
    char what[300];
    (void)snprintf(what, sizeof what, "%.280s, read back", job->target);
    int status = print_proofs(c, w, back, what);
    ov_robot_destroy(back);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int read_robot(cli *c, const args *a, work *w) {
    ov_robot_options how = ov_default_robot_options();
    how.visuals = w->job->visual;
    int status = subject_read(c, a, SUBJECT_ROBOT, how, &w->subject);
    if (status != CLI_OK) {
        return status;
    }
    if (w->job->target != NULL && (status = cli_check_output(c, w->job->target, NULL)) != CLI_OK) {
        return status;
    }
    subject_tell_open_meshes(c, &w->subject);
    return CLI_OK;
}

/** The robot with its new collisions; and the one to compare it with, where it is not the old. */
static int make_robots(cli *c, work *w) {
    const ov_robot *robot = w->subject.robot;
    size_t count = ov_robot_link_count(robot);
    ov_fault fault = {.text = ""};
    ov_robot_link *shown = calloc(count + 1, sizeof *shown);
    if (shown == NULL) {
        return no_memory(c, w);
    }
    for (size_t i = 0; i < count; i++) {
        shown[i] = *ov_robot_get_link(robot, i);
        if (shown[i].collision_count == 0) {
            shown[i].collisions = shown[i].visuals;
            shown[i].collision_count = shown[i].visual_count;
        }
    }
    ov_status status = ov_robot_copy(robot, w->links, &w->fitted, &fault);
    if (status == OV_OK && w->job->visual) {
        status = ov_robot_copy(robot, shown, &w->shown, &fault);
    }
    free(shown);
    return status == OV_OK ? CLI_OK : cli_error(c, w->subject.path, "%s", fault.text);
}

int fit_robot(cli *c, const args *a, const fit_robot_job *job) {
    work w = {.job = job};
    int status = read_robot(c, a, &w);
    status = status == CLI_OK ? fit_links(c, &w) : status;
    if (status == CLI_OK && w.use_count == 0) {
        status = cli_error(c, w.subject.path, "no link has a mesh%s: there is nothing to fit",
                           job->visual ? "" : " to collide with");
    }
    status = status == CLI_OK ? make_robots(c, &w) : status;
    if (status == CLI_OK) {
        print_links(c->out, &w);
        status = print_proofs(c, &w, w.fitted, w.subject.path);
    }
    if (status != CLI_BAD_INPUT && w.fitted != NULL) {
        int compared = print_compare(c, &w);
        status = compared > status ? compared : status;
    }
    if (status != CLI_BAD_INPUT && job->target != NULL) {
        int written = write_robot(c, &w);
        status = written > status ? written : status;
    }
    work_free(&w);
    return status;
}
