/**
 * @file study_robots.c
 * @brief Real robots, from URDF files, checked against themselves and among obstacles, beside other
 * libraries on the same shapes. `ovoid-bench robots`.
 *
 * Collision meshes are taken as their convex hulls, by all alike. Links that overlap at rest are
 * allowed to. The question is yes or no, is anything in contact, at random poses about rest and
 * along a smooth motion through such poses; alone, and among OBSTACLES boxes, cylinders and spheres
 * that are clear of the robot at rest. The time of a pose includes forward kinematics and the
 * placing of all parts. All checkers take turns; the best turn of a pose counts. Where another
 * library does not say the same as Ovoid, which has a proof, the pose counts as different.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robots.h"

#include <ovoid/io.h>

/** Poses up to here on the way from rest to the limits: about half of them are free. */
#define SHARE 0.4

enum { POSES = 500, ROUNDS = 7, OBSTACLES = 12 };

/* ---- the robot and its surroundings */

typedef struct subject {
    ov_robot *robot;
    ov_model *model;
    const char *name;
    size_t links, parts, allowed, kinds[OV_SHAPE_KIND_COUNT];
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
                    s->kinds[s->part_of[count]->shape.kind]++;
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

static int read_subject(cli *c, const char *path, subject *s) {
    ov_robot_options options = {.hulls = true};
    ov_fault fault = {.text = ""};
    if (ov_robot_read(path, &options, &s->robot, &fault) < 0) {
        return cli_error(c, path, "%s", fault.text);
    }
    s->model = ov_robot_model(s->robot);
    s->name = ov_robot_name(s->robot);
    s->links = ov_model_link_count(s->model);
    s->link_poses = calloc(s->links, sizeof *s->link_poses);
    s->positions = calloc(POSES * ov_model_position_count(s->model) + 1, sizeof *s->positions);
    bool good = s->link_poses != NULL && s->positions != NULL &&
                check_allow_at_rest(s->model, &s->allowed) && list_parts(s);
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

static bool make_checks(subject *s, const bench_peers *peers) {
    size_t count = s->parts + OBSTACLES;
    peer_body *bodies = calloc(count, sizeof *bodies);
    bool *excluded = calloc(s->parts * s->parts + 1, sizeof *excluded);
    bool good = bodies != NULL && excluded != NULL;
    for (size_t i = 0; i < s->parts && good; i++) {
        bodies[i] = bench_body(&s->part_of[i]->shape, s->part_poses[i]);
        for (size_t k = 0; k < s->parts; k++) {
            uint32_t a = s->link_of[i], b = s->link_of[k];
            excluded[i * s->parts + k] = a == b || ov_model_is_allowed(s->model, a, b);
        }
    }
    for (size_t i = 0; i < OBSTACLES && good; i++) {
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
    for (size_t i = 0; i < POSES && good; i++) {
        double start = bench_now_ns();
        ov_answer answer;
        good = ov_model_poses(s->model, ov_pose_identity(), s->positions + i * n, s->link_poses) ==
                   OV_OK &&
               ov_checker_collides(check, s->link_poses, world, 0.0, &answer, NULL) >= 0;
        t->best[i] = fmin(t->best[i], bench_now_ns() - start);
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
    int status = read_subject(c, path, s);
    if (status != CLI_OK) {
        return status;
    }
    bool good = add_obstacles(s, &r) && make_checks(s, job->peers);
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
