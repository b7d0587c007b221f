/**
 * @file battery_motion_peers.c
 * @brief The same motions for Ovoid and for FCL's continuous collision.
 *
 * Objects and motions are made outside of the timing. Every row first goes through the motions of a
 * class in a child process, so that a call that ends the process or does not return costs that row
 * this motion only; then the rows take turns at each motion, up to three times, and the best time
 * counts.
 */
#include "battery_motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HALF_TURN 3.141592653589793
#define SURE 1e-7         // in sizes: what is nearer to a touch is drawn again
#define LONG_ENOUGH 3.0e6 // ns; a query that takes longer is not asked again

enum { MESH_VERTICES = 200, REPEATS = 3, FEW = 25 };

const char *rival_class_name(rival_class kind) {
    static const char *const names[RIVAL_CLASSES] = {"straight on", "half a turn, ten sizes",
                                                     "fast spin past an edge",
                                                     "through a thin plate", "grazing"};
    return names[kind];
}

const char *rival_set_name(int set) { return set == 0 ? "boxes" : "ellipsoids"; }

/* ---- motions */

static ov_vec3 draw_axes(battery_random *r, double lo, double hi) {
    double x = battery_uniform(r, lo, hi), y = battery_uniform(r, lo, hi);
    return ov_vec3_make(x, y, battery_uniform(r, lo, hi));
}

static void make_shape(int set, ov_vec3 axes, ov_shape *shape) {
    (void)(set == 0 ? ov_shape_make_box(axes, shape) : ov_shape_make_ellipsoid(axes, shape));
}

/** A bar in the plane across an edge of a box, turning in that plane, on a line past the edge. */
static void draw_spin(battery_random *r, int set, motion_case *c) {
    const double thick = battery_uniform(r, 0.04, 0.08);
    make_shape(set, ov_vec3_make(1.0, thick, thick), &c->a);
    (void)ov_shape_make_box(draw_axes(r, 0.5, 1.0), &c->b);
    c->pose_b = ov_pose_identity();
    double phi = battery_uniform(r, 0.35, 1.2), off = 1.0 + battery_uniform(r, -0.006, 0.006);
    double turns = battery_uniform(r, 10.0, 60.0);
    ov_vec3 away = {cos(phi), sin(phi), 0.0}, along = {-sin(phi), cos(phi), 0.0};
    motion_pass pass = {.along = along,
                        .aside = away,
                        .offset = off,
                        .length = battery_uniform(r, 2.0, 6.0),
                        .middle = ov_quat_from_axis_angle(ov_vec3_make(0.0, 0.0, 1.0),
                                                          battery_uniform(r, 0.0, HALF_TURN)),
                        .axis = {0.0, 0.0, 1.0},
                        .angle_rad = 2.0 * HALF_TURN * turns};
    motion_case_set(&pass, c);
    c->pose_a.position = ov_vec3_add(c->pose_a.position, ov_vec3_make(c->b.a.x, c->b.a.y, 0.0));
    motion_refer(c, (size_t)(100.0 * turns));
}

/** A small body that crosses the plane of a plate at a place in it or beside it. */
static void draw_plate(battery_random *r, int set, motion_case *c) {
    make_shape(set, draw_axes(r, 0.003, 0.02), &c->a);
    (void)ov_shape_make_box(ov_vec3_make(1.0, 1.0, battery_uniform(r, 5e-4, 5e-3)), &c->b);
    c->pose_b = ov_pose_identity();
    motion_pass pass = motion_pass_draw(r, 0.0, battery_uniform(r, 20.0, 100.0),
                                        battery_uniform(r, 0.0, HALF_TURN));
    pass.along.z = pass.along.z < 0.0 ? pass.along.z - 0.5 : pass.along.z + 0.5;
    pass.along = ov_vec3_scale(pass.along, 1.0 / ov_vec3_length(pass.along));
    motion_case_set(&pass, c);
    ov_vec3 cross = {battery_uniform(r, -1.3, 1.3), battery_uniform(r, -1.3, 1.3), 0.0};
    // not in the middle of the time, where every even number of samples would have one
    double when = battery_uniform(r, 0.3, 0.7);
    c->pose_a.position = ov_vec3_sub(cross, ov_vec3_scale(c->travel.way, when));
    motion_refer(c, 400);
}

static bool draw_graze(battery_random *r, bool odd, motion_pass *pass, motion_case *c) {
    double off = c->size * pow(10.0, battery_uniform(r, -4.0, -2.0));
    return motion_find_offset(pass, odd ? -off : off, 400, c);
}

/** How deep a contact gets soon after it begins; negative. */
static double deepest(const motion_case *c) {
    double least = 0.0;
    for (int i = 1; i <= 40; i++) {
        double time = fmin(1.0, c->first + 1e-8 * pow(1.5, i));
        ov_contact contact;
        if (ov_pair_contact(&c->a, motion_case_pose(c, time), &c->b, c->pose_b, NULL, NULL,
                            &contact) >= 0) {
            least = fmin(least, contact.gap);
        }
    }
    return least;
}

bool rival_draw(battery_random *r, int set, rival_class kind, bool odd, motion_case *c) {
    *c = (motion_case){.pose_b = ov_pose_identity()};
    if (kind == RIVAL_SPIN) {
        draw_spin(r, set, c);
    } else if (kind == RIVAL_PLATE) {
        draw_plate(r, set, c);
    } else {
        make_shape(set, draw_axes(r, 0.3, 1.0), &c->a);
        make_shape(set, draw_axes(r, 0.3, 1.0), &c->b);
        c->pose_b.rotation = battery_rotation(r);
        bool straight = kind == RIVAL_STRAIGHT;
        double size = c->a.ball.radius + c->b.ball.radius;
        motion_pass pass =
            motion_pass_draw(r, size * battery_uniform(r, 0.0, 1.0), size * (straight ? 3.0 : 10.0),
                             straight ? 0.0 : HALF_TURN);
        motion_case_set(&pass, c);
        if (kind == RIVAL_GRAZE && !draw_graze(r, odd, &pass, c)) {
            return false;
        }
        motion_refer(c, 400);
    }
    // a contact that is no deeper is one that the reference may be wrong about
    double clearance = isnan(c->first) ? c->clearance : deepest(c);
    return fabs(clearance) > SURE * c->size;
}

/* ---- what the rows work on */

/** One motion as one row has it. */
typedef struct subject {
    void *a, *b;             /**< of a peer */
    ov_polygons *pa, *pb;    /**< of Ovoid on polygons */
    const ov_motion *motion; /**< of Ovoid */
} subject;

typedef struct answer {
    peer_verdict verdict;
    bool undecided, outside;
    double time, ns;
} answer;

static ov_polygons *box_polygons(const ov_shape *box) {
    static const uint32_t corners[24] = {0, 2, 6, 4, 1, 5, 7, 3, 0, 4, 5, 1,
                                         2, 3, 7, 6, 0, 1, 3, 2, 4, 6, 7, 5};
    static const uint32_t sizes[6] = {4, 4, 4, 4, 4, 4};
    ov_vec3 vertices[8];
    for (int i = 0; i < 8; i++) {
        vertices[i] =
            ov_vec3_mul(box->a, ov_vec3_make((i & 4) != 0 ? 1.0 : -1.0, (i & 2) != 0 ? 1.0 : -1.0,
                                             (i & 1) != 0 ? 1.0 : -1.0));
    }
    ov_polygons *polygons = NULL;
    (void)ov_polygons_create(vertices, 8, corners, sizes, 6, NULL, &polygons, NULL);
    return polygons;
}

/** How many motions of a class a row is asked about. */
static size_t share_of(const rival_row *row, int set, rival_class kind, size_t count) {
    const peer_continuous *m = row->method;
    if (m == NULL) {
        return row->polygons && set != 0 ? 0 : count;
    }
    if ((m->no_ellipsoids && set == 1) || (m->only_straight && kind != RIVAL_STRAIGHT)) {
        return 0;
    }
    return m->slow && count > FEW ? FEW : count;
}

/** A box as twelve triangles, anything else as a mesh of some hundred vertices. */
static void *make_object(const peer_continuous *m, const ov_shape *shape, ov_pose pose) {
    battery_mesh mesh = {0};
    peer_body body = {.shape = shape, .position = pose.position, .support = ov_shape_support};
    body.rotation = ov_mat3_from_quat(pose.rotation);
    if (m->matter != PEER_PRIMITIVE &&
        !battery_mesh_make(shape, MESH_VERTICES, m->matter == PEER_CONVEX, &mesh)) {
        return NULL;
    }
    body.mesh = (peer_mesh){mesh.vertices, mesh.vertex_count, (const uint32_t(*)[3])mesh.triangles,
                            mesh.triangle_count};
    void *object = m->make(&body);
    battery_mesh_free(&mesh);
    return object;
}

static void subject_make(const rival_row *row, const motion_case *c, const ov_motion *motion,
                         subject *s) {
    *s = (subject){.motion = motion};
    if (row->method != NULL) {
        s->a = make_object(row->method, &c->a, c->pose_a);
        s->b = make_object(row->method, &c->b, c->pose_b);
    } else if (row->polygons) {
        s->pa = box_polygons(&c->a);
        s->pb = box_polygons(&c->b);
    }
}

static void subject_free(const rival_row *row, subject *s) {
    if (row->method != NULL) {
        if (s->a != NULL) {
            row->method->destroy(s->a);
        }
        if (s->b != NULL) {
            row->method->destroy(s->b);
        }
    }
    ov_polygons_destroy(s->pa);
    ov_polygons_destroy(s->pb);
    *s = (subject){0};
}

/* ---- asking */

/** What Ovoid's bounds say; all promises in them are held against the reference. */
static answer judge_bounds(const motion_case *c, ov_sweep_answer said, double lower, double upper) {
    answer a = {.verdict = PEER_FAILED, .time = NAN};
    a.undecided = said == OV_SWEEP_ANSWER_UNDECIDED;
    a.verdict = said == OV_SWEEP_ANSWER_CONTACT ? PEER_OVERLAPPING : PEER_SEPARATED;
    if (said == OV_SWEEP_ANSWER_CONTACT) {
        a.time = 0.5 * (lower + upper);
    }
    // the reference itself is good to the tolerance of a query
    a.outside = !isnan(c->first) && (c->first < lower - 1e-9 || c->first > upper + 1e-9);
    return a;
}

static answer ask_ovoid(const rival_row *row, const motion_case *c, const subject *s) {
    ov_sweep_options options = ov_default_sweep_options();
    options.resolution = row->resolution;
    options.threads.count = 1;
    if (!row->polygons) {
        ov_sweep_pair pair = motion_case_pair(c, s->motion);
        ov_first_contact first;
        if (ov_sweep_pair_first(&pair, 0.0, 1.0, &options, &first) >= 0) {
            return judge_bounds(c, first.answer, first.lower, first.upper);
        }
        return (answer){.verdict = PEER_FAILED, .time = NAN};
    }
    ov_sweep_body bodies[2] = {ov_default_sweep_body(), ov_default_sweep_body()};
    bodies[0].polygons = s->pa;
    bodies[0].motion = s->motion;
    bodies[1].polygons = s->pb;
    bodies[1].pose = c->pose_b;
    options.first_only = true;
    ov_sweep *sweep = NULL;
    if (ov_sweep_bodies(bodies, 2, 0.0, 1.0, &options, &sweep, NULL) < 0) {
        return (answer){.verdict = PEER_FAILED, .time = NAN};
    }
    ov_sweep_summary sum = ov_sweep_summary_of(sweep);
    ov_sweep_destroy(sweep);
    return judge_bounds(c, sum.answer, sum.lower, sum.upper);
}

static answer ask(const rival_row *row, const motion_case *c, const subject *s) {
    if (row->method == NULL) {
        return ask_ovoid(row, c, s);
    }
    if (s->a == NULL || s->b == NULL) {
        return (answer){.verdict = PEER_FAILED, .time = NAN};
    }
    peer_first first = row->method->ask(s->a, &c->travel, s->b);
    return (answer){.verdict = first.verdict, .time = first.time};
}

static answer ask_timed(const rival_row *row, const motion_case *c, const subject *s,
                        double clock_ns) {
    answer best = {.ns = INFINITY};
    for (int i = 0; i < REPEATS; i++) {
        double start = battery_now_ns();
        answer a = ask(row, c, s);
        a.ns = fmax(0.0, battery_now_ns() - start - clock_ns);
        best = a.ns < best.ns ? a : best;
        if (a.ns > LONG_ENOUGH) {
            break;
        }
    }
    return best;
}

/* ---- one class */

typedef struct group {
    const motion_case *cases;
    ov_motion **motions;
    size_t count;
    const rival_row *row; /**< of the trial */
} group;

static bool try_motion(size_t index, void *context) {
    const group *g = context;
    subject s;
    subject_make(g->row, &g->cases[index], g->motions[index], &s);
    bool good = ask(g->row, &g->cases[index], &s).verdict != PEER_FAILED;
    subject_free(g->row, &s);
    return good;
}

typedef struct tally {
    double *ns, *errors;
    size_t timed, compared;
} tally;

static void count_answer(const motion_case *c, const answer *a, rival_figures *f, tally *t) {
    bool contact = !isnan(c->first);
    t->ns[t->timed++] = a->ns;
    f->undecided += a->undecided;
    f->outside += a->outside;
    if (a->undecided) {
        return;
    }
    f->missed += contact && a->verdict == PEER_SEPARATED;
    f->alarms += !contact && a->verdict == PEER_OVERLAPPING;
    if (contact && a->verdict == PEER_OVERLAPPING) {
        t->errors[t->compared++] = fabs(a->time - c->first);
    }
}

static void finish(rival_figures *f, tally *t) {
    f->times = motion_times_of(t->ns, t->timed);
    f->error_median = motion_times_of(t->errors, t->compared).median;
    f->error_worst = t->compared > 0 ? t->errors[t->compared - 1] : NAN;
}

/** All rows at all motions of a class, in turns. */
static bool measure_class(const group *g, int set, rival_class kind, rival_study *study) {
    unsigned char *fates = calloc(study->row_count * g->count, 1);
    double *room = calloc(2 * study->row_count * g->count, sizeof *room);
    tally tallies[RIVAL_ROWS_MAX] = {{0}};
    double clock_ns = battery_clock_ns();
    bool good = fates != NULL && room != NULL;
    for (size_t r = 0; r < study->row_count && good; r++) {
        group trial = *g;
        trial.row = &study->rows[r];
        tallies[r].ns = room + 2 * r * g->count;
        tallies[r].errors = tallies[r].ns + g->count;
        battery_guard(share_of(trial.row, set, kind, g->count), try_motion, &trial, false,
                      fates + r * g->count);
    }
    for (size_t i = 0; i < g->count && good; i++) {
        for (size_t r = 0; r < study->row_count; r++) {
            rival_row *row = &study->rows[r];
            rival_figures *f = &row->figures[set][kind];
            if (i >= share_of(row, set, kind, g->count)) {
                continue;
            }
            f->asked++;
            if (fates[r * g->count + i] != CALL_GOOD) {
                f->failed++;
                continue;
            }
            subject s;
            subject_make(row, &g->cases[i], g->motions[i], &s);
            answer a = ask_timed(row, &g->cases[i], &s, clock_ns);
            count_answer(&g->cases[i], &a, f, &tallies[r]);
            subject_free(row, &s);
        }
    }
    for (size_t r = 0; r < study->row_count && good; r++) {
        finish(&study->rows[r].figures[set][kind], &tallies[r]);
    }
    free(fates);
    free(room);
    return good;
}

static bool run_class(uint64_t seed, int set, rival_class kind, motion_case *cases,
                      ov_motion **motions, rival_study *study) {
    battery_random r = {seed * 16u + (uint64_t)set * 8u + (uint64_t)kind};
    bool good = true;
    for (size_t i = 0; i < study->count && good; i++) {
        for (int tries = 0; !rival_draw(&r, set, kind, i % 2 == 1, &cases[i]); tries++) {
            study->unsure++;
            if (tries > 1000) {
                return false;
            }
        }
        study->contacts[set][kind] += isnan(cases[i].first) ? 0u : 1u;
        motions[i] = motion_case_motion(&cases[i]);
        good = motions[i] != NULL;
    }
    good = good && measure_class(&(group){cases, motions, study->count, NULL}, set, kind, study);
    for (size_t i = 0; i < study->count; i++) {
        ov_motion_destroy(motions[i]);
        motions[i] = NULL;
    }
    return good;
}

/* ---- the study */

static rival_row *add_row(rival_study *study, const char *name, const char *id) {
    rival_row *row = &study->rows[study->row_count++];
    *row = (rival_row){.resolution = 1e-6};
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(row->id, sizeof row->id, "%s", id);
    return row;
}

bool rivals_measure(size_t count, uint64_t seed, const battery_peers *peers,
                    const battery_progress *progress, rival_study *study) {
    *study = (rival_study){.count = count};
    (void)add_row(study, "Ovoid shapes", "ovoid");
    // what FCL's advancement stops at
    add_row(study, "Ovoid shapes, to 1e-4", "ovoid_coarse")->resolution = 1e-4;
    add_row(study, "Ovoid polygons", "ovoid_polygons")->polygons = true;
    ovoid_peers_continuous_function list =
        (ovoid_peers_continuous_function)battery_peers_entry(peers, OVOID_CONTINUOUS_ENTRY);
    if (list != NULL) {
        const peer_continuous *methods[PEER_CONTINUOUS_MAX];
        size_t found = list(methods, PEER_CONTINUOUS_MAX);
        for (size_t i = 0; i < found; i++) {
            add_row(study, methods[i]->name, methods[i]->id)->method = methods[i];
        }
    }
    motion_case *cases = calloc(count, sizeof *cases);
    ov_motion **motions = calloc(count, sizeof(ov_motion *));
    bool good = cases != NULL && motions != NULL;
    for (int k = 0; k < RIVAL_SETS * RIVAL_CLASSES && good; k++) {
        battery_show(progress, "motions beside FCL", (size_t)k, RIVAL_SETS * RIVAL_CLASSES);
        good = run_class(seed, k / RIVAL_CLASSES, (rival_class)(k % RIVAL_CLASSES), cases, motions,
                         study);
    }
    free(cases);
    free(motions);
    return good;
}
