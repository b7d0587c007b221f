/**
 * @file study_robots.c
 * @brief Real robots, from URDF files, checked against themselves and among obstacles, beside other
 * libraries on the same shapes: `ovoid-bench robots`. And the bodies that `ovoid fit` made of
 * robots, beside the meshes that they hold: `ovoid-bench robot-fits`.
 *
 * In both the question is yes or no, is anything in contact. The time of a pose includes forward
 * kinematics and the placing of all parts. All checkers take turns; the best turn of a pose counts.
 *
 * Robots: collision meshes are taken as their convex hulls, by all alike. Links that overlap at
 * rest are allowed to. Random poses about rest, and a smooth motion through such poses; alone, and
 * among OBSTACLES boxes, cylinders and spheres that are clear of the robot at rest. Where another
 * library does not say the same as Ovoid, which has a proof, the pose counts as different.
 *
 * Fits: two files for each robot, with the meshes and with the bodies. Meshes are meshes, for Ovoid
 * and for FCL, whose bounding volumes are OBBRSS; beside them their convex hulls, by Ovoid. Pairs
 * of links that the bodies let touch at rest or in all of the poses, without a contact of the
 * meshes in all of them, are left out by all. A pose in which meshes collide and bodies do not is
 * missed; there must be none. That is asked of every pair of links, too, at PAIR_POSES poses. The
 * second question of fits is that of `ovoid check`: which pairs are up to NEAR_LIMIT apart, and how
 * far? There no bound of a whole link answers: each such pair is measured. FCL's meshes are
 * surfaces: it does not find what is within a closed one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robots.h"

#include <ovoid/io.h>

#include "../src/world/model_internal.h"

/** Poses up to here on the way from rest to the limits: about half of them are free. */
#define SHARE 0.4

enum { POSES = 500, ROUNDS = 7, OBSTACLES = 12 };

/** Metres; and at so many of the poses, so often. */
#define NEAR_LIMIT 0.05
enum { NEAR_POSES = 100, NEAR_ROUNDS = 3 };

/* ---- the robot and its surroundings */

typedef struct subject {
    ov_robot *robot;
    ov_model *model;
    const char *name;
    size_t links, parts, triangles, allowed, kinds[OV_SHAPE_KIND_COUNT];
    const ov_part **part_of; /**< each part, */
    uint32_t *link_of;       /**< and its link */
    ov_geometry *geometries[OBSTACLES];
    ov_part obstacles[OBSTACLES];
    ov_world *world;
    ov_pose *link_poses, *part_poses;
    double *positions;
    void *checks[PEER_CHECKS_MAX];
} subject;

static void subject_free(subject *s, const bench_peers *peers) {
    for (size_t k = 0; k < peers->check_count; k++) {
        if (s->checks[k] != NULL) {
            peers->checks[k]->destroy(s->checks[k]);
        }
    }
    ov_world_destroy(s->world);
    for (size_t i = 0; i < OBSTACLES; i++) {
        ov_geometry_destroy(s->geometries[i]);
    }
    free(s->part_of);
    free(s->link_of);
    free(s->link_poses);
    free(s->part_poses);
    free(s->positions);
    ov_robot_destroy(s->robot);
}

/** Poses of the links and of all parts. */
static bool place(const subject *s, const double *positions) {
    if (ov_model_poses(s->model, ov_pose_identity(), positions, s->link_poses) != OV_OK) {
        return false;
    }
    for (size_t i = 0; i < s->parts; i++) {
        ov_pose link = s->link_poses[s->link_of[i]], part = s->part_of[i]->pose;
        s->part_poses[i] = (ov_pose){ov_pose_apply(link, part.position),
                                     ov_quat_mul(link.rotation, part.rotation)};
    }
    return true;
}

static bool list_parts(subject *s) {
    for (int pass = 0; pass < 2; pass++) {
        size_t count = 0;
        for (size_t link = 0; link < s->links; link++) {
            const ov_geometry *g = ov_model_link_geometry(s->model, link);
            for (size_t k = 0; g != NULL && k < ov_geometry_count(g); k++, count++) {
                if (pass == 1) {
                    s->part_of[count] = ov_geometry_part(g, k);
                    s->link_of[count] = (uint32_t)link;
                    bool mesh = s->part_of[count]->mesh != NULL;
                    s->kinds[s->part_of[count]->shape.kind] += !mesh;
                    s->triangles += ov_trimesh_triangle_count(s->part_of[count]->mesh);
                }
            }
        }
        if (pass == 0) {
            s->parts = count;
            s->part_of = calloc(count + 1, sizeof *s->part_of);
            s->link_of = calloc(count + 1, sizeof *s->link_of);
            s->part_poses = calloc(count + 1, sizeof *s->part_poses);
            if (s->part_of == NULL || s->link_of == NULL || s->part_poses == NULL) {
                return false;
            }
        }
    }
    return true;
}

static int read_subject(cli *c, const char *path, bool hulls, subject *s) {
    ov_robot_options options = {.hulls = hulls};
    ov_fault fault = {.text = ""};
    if (ov_robot_read(path, &options, &s->robot, &fault) < 0) {
        return cli_error(c, path, "%s", fault.text);
    }
    s->model = ov_robot_model(s->robot);
    s->name = ov_robot_name(s->robot);
    s->links = ov_model_link_count(s->model);
    s->link_poses = calloc(s->links, sizeof *s->link_poses);
    s->positions = calloc(POSES * ov_model_position_count(s->model) + 1, sizeof *s->positions);
    bool good = s->link_poses != NULL && s->positions != NULL && list_parts(s);
    return good ? CLI_OK : bench_no_memory(c, path);
}

/* ---- obstacles */

/** As far from the root as the robot reaches at rest. */
static double reach(const subject *s) {
    double most = 0.0;
    for (size_t i = 0; i < s->parts; i++) {
        const ov_ball ball = s->part_of[i]->shape.ball;
        most =
            fmax(most, ov_vec3_length(ov_pose_apply(s->part_poses[i], ball.centre)) + ball.radius);
    }
    return most;
}

static ov_status draw_obstacle(bench_random *r, size_t i, double size, ov_part *obstacle) {
    double x = bench_uniform(r, 0.03, 0.1) * size, y = bench_uniform(r, 0.03, 0.1) * size;
    double z = bench_uniform(r, 0.03, 0.1) * size, far = bench_uniform(r, 0.3, 1.0) * size;
    obstacle->pose = (ov_pose){ov_vec3_scale(bench_direction(r), far), bench_rotation(r)};
    return i % 3 == 0   ? ov_shape_make_box(ov_vec3_make(x, y, z), &obstacle->shape)
           : i % 3 == 1 ? ov_shape_make_cylinder(x, z, &obstacle->shape)
                        : ov_shape_make_sphere(x, &obstacle->shape);
}

static bool is_clear(const subject *s, const ov_part *obstacle) {
    for (size_t i = 0; i < s->parts; i++) {
        ov_answer answer;
        if (ov_pair_exceeds(&s->part_of[i]->shape, s->part_poses[i], &obstacle->shape,
                            obstacle->pose, 0.0, NULL, NULL, &answer) != OV_OK ||
            answer != OV_ANSWER_YES) {
            return false;
        }
    }
    return true;
}

static bool add_obstacles(subject *s, bench_random *r) {
    enum { TRIES = 1000 };
    ov_model_rest(s->model, s->positions);
    bool good = place(s, s->positions) && ov_world_create(NULL, &s->world) == OV_OK;
    double size = good ? reach(s) : 0.0;
    for (size_t i = 0; i < OBSTACLES && good; i++) {
        ov_part *obstacle = &s->obstacles[i];
        *obstacle = (ov_part){.mesh = NULL};
        for (int tries = 0; tries < TRIES; tries++) {
            if (draw_obstacle(r, i, size, obstacle) == OV_OK && is_clear(s, obstacle)) {
                break;
            }
        }
        ov_body body;
        good = ov_geometry_create(obstacle, 1, NULL, &s->geometries[i]) == OV_OK &&
               ov_world_add(s->world, &(ov_body_def){.geometry = s->geometries[i], .fixed = true},
                            &body) == OV_OK;
    }
    return good;
}

/* ---- the others */

static peer_body body_of(const ov_part *part, ov_pose pose) {
    if (part->mesh == NULL) {
        return bench_body(&part->shape, pose);
    }
    return (peer_body){
        .position = pose.position,
        .rotation = ov_mat3_from_quat(pose.rotation),
        .mesh = {ov_trimesh_vertices(part->mesh), ov_trimesh_vertex_count(part->mesh),
                 ov_trimesh_triangles(part->mesh), ov_trimesh_triangle_count(part->mesh)}};
}

static bool make_checks(subject *s, const bench_peers *peers, size_t obstacles) {
    size_t count = s->parts + obstacles;
    peer_body *bodies = calloc(count, sizeof *bodies);
    bool *excluded = calloc(s->parts * s->parts + 1, sizeof *excluded);
    bool good = bodies != NULL && excluded != NULL;
    for (size_t i = 0; i < s->parts && good; i++) {
        bodies[i] = body_of(s->part_of[i], s->part_poses[i]);
        for (size_t k = 0; k < s->parts; k++) {
            uint32_t a = s->link_of[i], b = s->link_of[k];
            excluded[i * s->parts + k] = a == b || ov_model_is_allowed(s->model, a, b);
        }
    }
    for (size_t i = 0; i < obstacles && good; i++) {
        bodies[s->parts + i] = bench_body(&s->obstacles[i].shape, s->obstacles[i].pose);
    }
    for (size_t k = 0; k < peers->check_count && good; k++) {
        s->checks[k] = peers->checks[k]->make(bodies, count, s->parts, excluded);
    }
    free(bodies);
    free(excluded);
    return good;
}

/* ---- runs */

typedef struct turn {
    double best[POSES]; /**< ns of each pose */
    double ns;          /**< of all of them */
    size_t in_contact, unknown, different;
    ovi_checker_counts counts; /**< of Ovoid's layers */
} turn;

static void turn_begin(turn *t) {
    for (size_t i = 0; i < POSES; i++) {
        t->best[i] = INFINITY;
    }
}

static void turn_end(turn *t) {
    t->ns = 0.0;
    for (size_t i = 0; i < POSES; i++) {
        t->ns += t->best[i];
    }
}

static bool run_ovoid(const subject *s, bool among, peer_verdict *answers, turn *t) {
    size_t n = ov_model_position_count(s->model), in_contact = 0, unknown = 0;
    const ov_world *world = among ? s->world : NULL;
    ov_checker *check = NULL;
    bool good = ov_checker_create(s->model, NULL, NULL, &check) == OV_OK;
    t->counts = (ovi_checker_counts){.pairs = 0};
    for (size_t i = 0; i < POSES && good; i++) {
        double start = bench_now_ns();
        ov_answer answer;
        good = ov_model_poses(s->model, ov_pose_identity(), s->positions + i * n, s->link_poses) ==
                   OV_OK &&
               ov_checker_collides(check, s->link_poses, world, 0.0, &answer, NULL) >= 0;
        t->best[i] = fmin(t->best[i], bench_now_ns() - start);
        ovi_checker_add_counts(check, &t->counts);
        in_contact += good && answer == OV_ANSWER_YES;
        unknown += good && answer == OV_ANSWER_UNKNOWN;
        answers[i] = !good || answer == OV_ANSWER_UNKNOWN ? PEER_FAILED
                     : answer == OV_ANSWER_YES            ? PEER_OVERLAPPING
                                                          : PEER_SEPARATED;
    }
    turn_end(t);
    t->in_contact = in_contact;
    t->unknown = unknown;
    ov_checker_destroy(check);
    return good;
}

static bool run_peer(const subject *s, const peer_check *method, void *check, bool among,
                     const peer_verdict *answers, turn *t) {
    size_t n = ov_model_position_count(s->model), in_contact = 0, different = 0;
    for (size_t i = 0; i < POSES; i++) {
        double start = bench_now_ns();
        if (!place(s, s->positions + i * n)) {
            return false;
        }
        peer_verdict verdict = method->collides(check, s->part_poses, among);
        t->best[i] = fmin(t->best[i], bench_now_ns() - start);
        in_contact += verdict == PEER_OVERLAPPING;
        different += answers[i] != PEER_FAILED && verdict != answers[i];
    }
    turn_end(t);
    t->in_contact = in_contact;
    t->different = different;
    return true;
}

static void print_turn(FILE *out, const char *name, const turn *t, double unit) {
    fprintf(out, "    %-10s %10.2f %11zu %9zu %10zu", name, t->ns / POSES * 1e-3, t->in_contact,
            t->unknown, t->different);
    bench_cell(out, 8, "%.2f", t->ns / unit);
    fputc('\n', out);
}

static void write_turn(FILE *csv, const subject *s, const char *what, const char *id, const turn *t,
                       double unit) {
    if (csv != NULL) {
        fprintf(csv, "%s,%s,%s,%d,%zu,%zu,%zu", s->name, what, id, POSES, t->in_contact, t->unknown,
                t->different);
        bench_csv_number(csv, t->ns / POSES * 1e-3);
        bench_csv_number(csv, t->ns / unit);
        fputc('\n', csv);
    }
}

/** One table; *least becomes the least ratio to another library. */
static bool run(cli *c, const bench_job *job, const subject *s, const char *what, bool among,
                double *least) {
    static peer_verdict answers[POSES];
    const bench_peers *peers = job->peers;
    static turn own, others[PEER_CHECKS_MAX];
    bool good = true;
    turn_begin(&own);
    for (size_t k = 0; k < PEER_CHECKS_MAX; k++) {
        turn_begin(&others[k]);
    }
    for (int round = 0; round < ROUNDS && good; round++) {
        good = run_ovoid(s, among, answers, &own);
        for (size_t k = 0; k < peers->check_count && good; k++) {
            good = s->checks[k] == NULL ||
                   run_peer(s, peers->checks[k], s->checks[k], among, answers, &others[k]);
        }
    }
    fprintf(c->out, "  %s\n", what);
    print_turn(c->out, "Ovoid", &own, own.ns);
    write_turn(job->csv, s, what, "ovoid", &own, own.ns);
    for (size_t k = 0; k < peers->check_count && good; k++) {
        if (s->checks[k] != NULL) {
            print_turn(c->out, peers->checks[k]->name, &others[k], own.ns);
            write_turn(job->csv, s, what, peers->checks[k]->id, &others[k], own.ns);
            *least = fmin(*least, others[k].ns / own.ns);
        }
    }
    return good;
}

static void print_subject(FILE *out, const subject *s) {
    fprintf(out, "%s: %zu links, %zu degrees of freedom, %zu parts (", s->name, s->links,
            ov_model_dof_count(s->model), s->parts);
    const char *between = "";
    for (int kind = 0; kind < OV_SHAPE_KIND_COUNT; kind++) {
        if (s->kinds[kind] > 0) {
            fprintf(out, "%s%s %zu", between, ov_shape_kind_name((ov_shape_kind)kind),
                    s->kinds[kind]);
            between = ", ";
        }
    }
    fprintf(out, "); %zu pairs of links overlap at rest\n    %-10s %10s %11s %9s %10s %8s\n",
            s->allowed, "", "us a pose", "in contact", "unknown", "different", "ratio");
}

static int measure(cli *c, const bench_job *job, const char *path, subject *s, double *least) {
    bench_random r = {job->seed};
    int status = read_subject(c, path, true, s);
    if (status != CLI_OK) {
        return status;
    }
    bool good = check_allow_at_rest(s->model, &s->allowed) && add_obstacles(s, &r) &&
                make_checks(s, job->peers, OBSTACLES);
    print_subject(c->out, s);
    for (int smooth = 0; smooth < 2 && good; smooth++) {
        check_fill_positions(s->model, &r, SHARE, smooth == 1, POSES, s->positions);
        good = run(c, job, s, smooth ? "smooth motion" : "random poses", false, least) &&
               run(c, job, s,
                   smooth ? "smooth motion among obstacles" : "random poses among obstacles", true,
                   least);
    }
    return good ? CLI_OK : cli_error(c, path, "a pose could not be checked");
}

int study_robots(cli *c, const bench_job *job) {
    int status = job->file_count > 0 ? CLI_OK : cli_error(c, "robots", "no file");
    double *least = calloc(job->file_count + 1, sizeof *least);
    if (least == NULL) {
        return bench_no_memory(c, "robots");
    }
    if (job->csv != NULL) {
        fputs("robot,poses,checker,count,in_contact,unknown,different,us,ratio\n", job->csv);
    }
    for (size_t i = 0; i < job->file_count && status == CLI_OK; i++) {
        subject s = {.robot = NULL};
        least[i] = INFINITY;
        bench_show(job->progress, "robots", i, job->file_count);
        status = measure(c, job, job->files[i], &s, &least[i]);
        subject_free(&s, job->peers);
    }
    if (status == CLI_OK && job->peers->check_count > 0) {
        fprintf(c->out, "\nGoals%73s\n", "goal    measured");
    }
    for (size_t i = 0; i < job->file_count && status == CLI_OK; i++) {
        char what[128];
        const char *slash = strrchr(job->files[i], '/');
        snprintf(what, sizeof what, "%s: least ratio to another library",
                 slash != NULL ? slash + 1 : job->files[i]);
        if (isfinite(least[i])) {
            bench_goal(c->out, 60, what, 2.0, false, least[i]);
        }
    }
    free(least);
    return status;
}

/* ---- bodies fitted to meshes */

/** A robot twice, and who checks it. */
typedef struct twins {
    subject meshes, bodies;
    subject hulls;                    /**< the meshes, as their convex hulls */
    size_t missed, excluded;          /**< poses; pairs of links */
    size_t pairs_apart, pairs_missed; /**< of links, over all poses of that question */
    /** Of all rows of a question, to Ovoid's meshes and to another library's. */
    double least_own, least_other, near_least_own, near_least_other;
} twins;

static bool are_twins(const subject *a, const subject *b) {
    bool same = a->links == b->links &&
                ov_model_position_count(a->model) == ov_model_position_count(b->model);
    for (size_t i = 0; i < a->links && same; i++) {
        same = strcmp(ov_model_link_name(a->model, i), ov_model_link_name(b->model, i)) == 0;
    }
    return same;
}

/** Do two links touch as bodies, for all that is known, at the last pose? */
static bool may_touch(const subject *s, uint32_t a, uint32_t b) {
    for (size_t i = 0; i < s->parts; i++) {
        for (size_t k = 0; s->link_of[i] == a && k < s->parts; k++) {
            ov_answer apart = OV_ANSWER_YES;
            if (s->link_of[k] == b &&
                (ov_pair_exceeds(&s->part_of[i]->shape, s->part_poses[i], &s->part_of[k]->shape,
                                 s->part_poses[k], 0.0, NULL, NULL, &apart) < 0 ||
                 apart != OV_ANSWER_YES)) {
                return true;
            }
        }
    }
    return false;
}

/** Do two links touch as meshes at the last pose, for certain? */
static bool do_touch(const subject *s, uint32_t a, uint32_t b) {
    for (size_t i = 0; i < s->parts; i++) {
        for (size_t k = 0; s->link_of[i] == a && k < s->parts; k++) {
            const ov_part *p = s->part_of[i], *q = s->part_of[k];
            ov_trimesh_contact c;
            if (s->link_of[k] == b && p->mesh != NULL && q->mesh != NULL &&
                ov_trimesh_pair_contact(p->mesh, s->part_poses[i], q->mesh, s->part_poses[k], 0.0,
                                        NULL, &c) >= 0 &&
                (c.contact.relation == OV_RELATION_OVERLAPPING ||
                 c.contact.relation == OV_RELATION_TOUCHING)) {
                return true;
            }
        }
    }
    return false;
}

/** Poses at which every pair of links is looked at. */
enum { PAIR_POSES = 10000 };

/** Counts pairs of links that touch as meshes, of those that are apart as bodies: none. */
static bool count_missed_pairs(twins *t, const bench_progress *progress, bench_random *r) {
    double *positions = t->bodies.positions;
    for (size_t i = 0; i < PAIR_POSES; i++) {
        check_fill_positions(t->bodies.model, r, 1.0, false, 1, positions);
        if (!place(&t->bodies, positions) || !place(&t->meshes, positions)) {
            return false;
        }
        for (uint32_t a = 0; a < t->bodies.links; a++) {
            for (uint32_t b = a + 1; b < t->bodies.links; b++) {
                bool apart = !may_touch(&t->bodies, a, b);
                t->pairs_apart += apart;
                t->pairs_missed += apart && do_touch(&t->meshes, a, b);
            }
        }
        bench_show(progress, "poses", i + 1, PAIR_POSES);
    }
    return true;
}

/** Do two links touch as bodies in all poses? */
static bool always_touch(const subject *s, uint32_t a, uint32_t b) {
    size_t n = ov_model_position_count(s->model);
    bool touch = ov_model_link_geometry(s->model, a) != NULL;
    for (size_t i = 0; i < POSES && touch; i++) {
        touch = place(s, s->positions + i * n) && may_touch(s, a, b);
    }
    return touch;
}

/** Leaves the same pairs out of both: those that touch as bodies at rest or in all poses. */
static bool exclude_pairs(twins *t) {
    const subject *s = &t->bodies;
    bool good = check_allow_at_rest(s->model, &t->excluded);
    for (uint32_t a = 0; a < s->links && good; a++) {
        for (uint32_t b = a + 1; b < s->links && good; b++) {
            bool allowed = ov_model_is_allowed(s->model, a, b);
            bool always = !allowed && always_touch(s, a, b);
            t->excluded += always;
            if (always || allowed) {
                good = ov_model_allow(s->model, a, b, true) == OV_OK &&
                       ov_model_allow(t->meshes.model, a, b, true) == OV_OK &&
                       ov_model_allow(t->hulls.model, a, b, true) == OV_OK;
            }
        }
    }
    return good;
}

/** Sums of the times of the poses that are free for the bodies, and of the others. */
static void split_turn(const turn *t, const peer_verdict *bodies, double sums[2],
                       size_t counts[2]) {
    sums[0] = sums[1] = 0.0;
    counts[0] = counts[1] = 0;
    for (size_t i = 0; i < POSES; i++) {
        bool is_free = bodies[i] == PEER_SEPARATED;
        sums[!is_free] += t->best[i];
        counts[!is_free]++;
    }
}

/** A line, beside the bodies' own time; returns the ratio to it. */
static double print_twin(cli *c, const bench_job *job, const char *robot, const char *what,
                         const char *name, const turn *t, const turn *bodies,
                         const peer_verdict *answers) {
    double sums[2], own[2];
    size_t counts[2];
    split_turn(t, answers, sums, counts);
    split_turn(bodies, answers, own, counts);
    fprintf(c->out, "    %-16s %9.2f", name, t->ns / POSES * 1e-3);
    for (int k = 0; k < 2; k++) {
        bench_cell(c->out, 9, "%.2f", sums[k] / (double)counts[k] * 1e-3);
    }
    fprintf(c->out, " %10zu %8zu", t->in_contact, t->unknown);
    const double ratios[3] = {t->ns / bodies->ns, sums[0] / own[0], sums[1] / own[1]};
    for (int k = 0; k < 3; k++) {
        bench_cell(c->out, 8, "%.1f", ratios[k]);
    }
    fputc('\n', c->out);
    if (job->csv != NULL) {
        fprintf(job->csv, "%s,\"%s\",\"%s\",%d,%zu,%zu,%zu", robot, what, name, POSES, counts[0],
                t->in_contact, t->unknown);
        bench_csv_number(job->csv, t->ns / POSES * 1e-3);
        bench_csv_numbers(job->csv, ratios, 3);
        fputc('\n', job->csv);
    }
    return ratios[0];
}

static void print_layers(FILE *out, const char *name, const ovi_checker_counts *n) {
    fprintf(out,
            "    %s, a pose: %.1f pairs of parts, %.1f rejected by balls, %.1f by what was known, "
            "%.1f by boxes, %.2f queries\n",
            name, (double)n->pairs / POSES, (double)n->rejected_ball / POSES,
            (double)n->rejected_kept / POSES, (double)n->rejected_obb / POSES,
            (double)n->queries / POSES);
}

/** One table; false where a pose could not be checked. */
static bool run_twins(cli *c, const bench_job *job, twins *t, const char *what) {
    static peer_verdict as_bodies[POSES], as_meshes[POSES], as_hulls[POSES];
    static turn bodies, meshes, hulls, others[PEER_CHECKS_MAX];
    const bench_peers *peers = job->peers;
    bool good = true;
    turn_begin(&bodies);
    turn_begin(&meshes);
    turn_begin(&hulls);
    for (size_t k = 0; k < PEER_CHECKS_MAX; k++) {
        turn_begin(&others[k]);
    }
    for (int round = 0; round < ROUNDS && good; round++) {
        good = run_ovoid(&t->bodies, false, as_bodies, &bodies) &&
               run_ovoid(&t->hulls, false, as_hulls, &hulls) &&
               run_ovoid(&t->meshes, false, as_meshes, &meshes);
        for (size_t k = 0; k < peers->check_count && good; k++) {
            void *check = t->meshes.checks[k];
            good = check == NULL ||
                   run_peer(&t->meshes, peers->checks[k], check, false, as_meshes, &others[k]);
        }
    }
    for (size_t i = 0; i < POSES; i++) {
        t->missed += as_meshes[i] == PEER_OVERLAPPING && as_bodies[i] == PEER_SEPARATED;
    }
    fprintf(c->out, "  %s\n", what);
    (void)print_twin(c, job, t->meshes.name, what, "bodies", &bodies, &bodies, as_bodies);
    (void)print_twin(c, job, t->meshes.name, what, "hulls", &hulls, &bodies, as_bodies);
    t->least_own = fmin(t->least_own, print_twin(c, job, t->meshes.name, what, "meshes", &meshes,
                                                 &bodies, as_bodies));
    for (size_t k = 0; k < peers->check_count && good; k++) {
        if (t->meshes.checks[k] != NULL) {
            char name[40];
            snprintf(name, sizeof name, "meshes, %s", peers->checks[k]->name);
            double ratio =
                print_twin(c, job, t->meshes.name, what, name, &others[k], &bodies, as_bodies);
            t->least_other = fmin(t->least_other, ratio);
        }
    }
    print_layers(c->out, "bodies", &bodies.counts);
    print_layers(c->out, "meshes", &meshes.counts);
    return good;
}

/* Which pairs are near, and how far apart are they? */

/** Adds the pairs that were found; false where the question failed. */
static bool run_near(const subject *s, turn *t) {
    const ov_pair_options how = {.depth = OV_DEPTH_LOCAL};
    size_t n = ov_model_position_count(s->model);
    ov_checker *check = NULL;
    bool good = ov_checker_create(s->model, &how, NULL, &check) == OV_OK;
    t->in_contact = 0;
    for (size_t i = 0; i < NEAR_POSES && good; i++) {
        const ov_link_contact *contacts;
        size_t count = 0;
        double start = bench_cpu_ns();
        good = ov_model_poses(s->model, ov_pose_identity(), s->positions + i * n, s->link_poses) ==
                   OV_OK &&
               ov_checker_contacts(check, s->link_poses, NULL, NEAR_LIMIT, &contacts, &count) >= 0;
        t->best[i] = fmin(t->best[i], bench_cpu_ns() - start);
        t->in_contact += count;
    }
    ov_checker_destroy(check);
    return good;
}

static bool run_peer_near(const subject *s, const peer_check *method, void *check, turn *t) {
    size_t n = ov_model_position_count(s->model);
    t->in_contact = 0;
    for (size_t i = 0; i < NEAR_POSES; i++) {
        double start = bench_cpu_ns();
        long found =
            place(s, s->positions + i * n) ? method->within(check, s->part_poses, NEAR_LIMIT) : -1;
        t->best[i] = fmin(t->best[i], bench_cpu_ns() - start);
        if (found < 0) {
            return false;
        }
        t->in_contact += (size_t)found;
    }
    return true;
}

/** A line; returns the ratio to the time of the bodies. */
static double print_near(cli *c, const bench_job *job, const char *robot, const char *what,
                         const char *name, const turn *t, const turn *bodies) {
    double own = 0.0, ns = 0.0;
    for (size_t i = 0; i < NEAR_POSES; i++) {
        own += bodies->best[i];
        ns += t->best[i];
    }
    fprintf(c->out, "    %-16s %9.2f %29zu %8s %8.1f\n", name, ns / NEAR_POSES * 1e-3,
            t->in_contact, "", ns / own);
    if (job->csv != NULL) {
        fprintf(job->csv, "%s,\"%s, gaps\",\"%s\",%d,,%zu,", robot, what, name, NEAR_POSES,
                t->in_contact);
        bench_csv_number(job->csv, ns / NEAR_POSES * 1e-3);
        bench_csv_number(job->csv, ns / own);
        fputs(",,\n", job->csv);
    }
    return ns / own;
}

static bool run_twins_near(cli *c, const bench_job *job, twins *t, const char *what) {
    static turn bodies, meshes, other;
    const bench_peers *peers = job->peers;
    bool good = true;
    turn_begin(&bodies);
    turn_begin(&meshes);
    for (int round = 0; round < NEAR_ROUNDS && good; round++) {
        good = run_near(&t->bodies, &bodies) && run_near(&t->meshes, &meshes);
    }
    fprintf(c->out, "  %s: gaps up to %g, %d poses; pairs found\n", what, NEAR_LIMIT, NEAR_POSES);
    (void)print_near(c, job, t->meshes.name, what, "bodies", &bodies, &bodies);
    t->near_least_own = fmin(t->near_least_own,
                             print_near(c, job, t->meshes.name, what, "meshes", &meshes, &bodies));
    for (size_t k = 0; k < peers->check_count && good; k++) {
        if (t->meshes.checks[k] != NULL) {
            char name[40];
            turn_begin(&other);
            for (int round = 0; round < NEAR_ROUNDS && good; round++) {
                good = run_peer_near(&t->meshes, peers->checks[k], t->meshes.checks[k], &other);
            }
            snprintf(name, sizeof name, "meshes, %s", peers->checks[k]->name);
            double ratio = print_near(c, job, t->meshes.name, what, name, &other, &bodies);
            t->near_least_other = fmin(t->near_least_other, ratio);
        }
    }
    return good;
}

static int measure_twins(cli *c, const bench_job *job, char **paths, twins *t) {
    static const char *const titles[] = {"random poses, all of the range",
                                         "random poses about rest", "smooth motion"};
    bench_random r = {job->seed};
    int status = read_subject(c, paths[0], false, &t->meshes);
    status = status == CLI_OK ? read_subject(c, paths[0], true, &t->hulls) : status;
    status = status == CLI_OK ? read_subject(c, paths[1], false, &t->bodies) : status;
    if (status != CLI_OK) {
        return status;
    }
    if (!are_twins(&t->meshes, &t->bodies)) {
        return cli_error(c, paths[1], "links and joints are not those of %s", paths[0]);
    }
    size_t n = POSES * ov_model_position_count(t->bodies.model);
    bench_random pair_draws = {job->seed + 1};
    if (!count_missed_pairs(t, job->progress, &pair_draws)) {
        return cli_error(c, paths[1], "a pose could not be checked");
    }
    check_fill_positions(t->bodies.model, &r, 1.0, false, POSES, t->bodies.positions);
    if (!exclude_pairs(t) || !place(&t->meshes, t->bodies.positions) ||
        !make_checks(&t->meshes, job->peers, 0)) {
        return bench_no_memory(c, paths[0]);
    }
    fprintf(c->out, "%s: %zu triangles in %zu meshes, %zu bodies; %zu pairs of links left out\n",
            t->meshes.name, t->meshes.triangles, t->meshes.parts, t->bodies.parts, t->excluded);
    fprintf(c->out,
            "    %d random poses: %zu pairs of links apart as bodies, %zu of them in contact as "
            "meshes\n",
            PAIR_POSES, t->pairs_apart, t->pairs_missed);
    fprintf(c->out, "    %-16s %9s %9s %9s %10s %8s %8s %8s %8s\n", "", "us a pose", "free",
            "touching", "in contact", "unknown", "ratio", "free", "touching");
    bool good = true;
    for (int k = 0; k < 3 && good; k++) {
        if (k > 0) {
            check_fill_positions(t->bodies.model, &r, SHARE, k == 2, POSES, t->bodies.positions);
        }
        memcpy(t->meshes.positions, t->bodies.positions, n * sizeof *t->meshes.positions);
        memcpy(t->hulls.positions, t->bodies.positions, n * sizeof *t->hulls.positions);
        good = run_twins(c, job, t, titles[k]) && run_twins_near(c, job, t, titles[k]);
    }
    return good ? CLI_OK : cli_error(c, paths[1], "a pose could not be checked");
}

static void print_twin_goals(FILE *out, const char *path, const twins *t) {
    const char *slash = strrchr(path, '/');
    char what[128];
    path = slash != NULL ? slash + 1 : path;
    snprintf(what, sizeof what, "%.80s: poses missed", path);
    bench_goal(out, 60, what, 0.0, true, (double)t->missed);
    snprintf(what, sizeof what, "%.80s: pairs of links missed", path);
    bench_goal(out, 60, what, 0.0, true, (double)t->pairs_missed);
    const double ratios[4] = {t->least_other, t->least_own, t->near_least_other, t->near_least_own};
    static const char *const names[4] = {
        "yes or no, least ratio to FCL's meshes", "yes or no, least ratio to Ovoid's meshes",
        "gaps, least ratio to FCL's meshes", "gaps, least ratio to Ovoid's meshes"};
    for (int k = 0; k < 4; k++) {
        snprintf(what, sizeof what, "%.80s: %s", path, names[k]);
        if (isfinite(ratios[k])) {
            bench_goal(out, 60, what, 20.0, false, ratios[k]);
        }
    }
}

int study_robot_fits(cli *c, const bench_job *job) {
    if (job->file_count == 0 || job->file_count % 2 != 0) {
        return cli_error(c, "robot-fits", "needs two files for each robot, meshes and bodies");
    }
    int status = CLI_OK;
    size_t count = job->file_count / 2;
    twins *all = calloc(count, sizeof *all);
    if (all == NULL) {
        return bench_no_memory(c, "robot-fits");
    }
    if (job->csv != NULL) {
        fputs("robot,poses,checker,count,free,in_contact,unknown,us,ratio,ratio_free,ratio_"
              "touching\n",
              job->csv);
    }
    for (size_t i = 0; i < count && status == CLI_OK; i++) {
        all[i].least_own = all[i].least_other = INFINITY;
        all[i].near_least_own = all[i].near_least_other = INFINITY;
        bench_show(job->progress, "robots", i, count);
        status = measure_twins(c, job, job->files + 2 * i, &all[i]);
        subject_free(&all[i].meshes, job->peers);
        subject_free(&all[i].bodies, job->peers);
        subject_free(&all[i].hulls, job->peers);
    }
    if (status == CLI_OK) {
        fprintf(c->out, "\nGoals%73s\n", "goal    measured");
    }
    for (size_t i = 0; i < count && status == CLI_OK; i++) {
        print_twin_goals(c->out, job->files[2 * i], &all[i]);
    }
    free(all);
    return status;
}
