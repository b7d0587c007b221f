/**
 * @file motion_pairs.c
 * @brief A body passing another one: the motions and the dense search that knows what happens on
 * the way; the same motions for FCL; and what a proof costs.
 *
 * The search shares the query of a placed pair with what is measured, and nothing of the bounds on
 * motions. Between two samples a gap can dip: where the largest speed of a point would allow a
 * contact, more samples are taken until it does not. For the least gap, every sample that is no
 * larger than its neighbours is followed to the bottom by golden sections.
 *
 * Beside FCL, objects and motions are made outside of the timing. Every row first goes through the
 * motions of a class in a child process, so that a call that ends the process or does not return
 * costs that row this motion only; then the rows take turns at each motion, up to three times, and
 * the best time counts.
 *
 * Superovoids are those of the battery [Benchmark, 5.1]. A typical motion is half a turn about any
 * axis and ten sizes of travel along a straight line past the other body, at an offset of up to 1.2
 * sizes, a size being the mean diameter of both bounding balls; most of those within half a size
 * have a contact.
 */
#include "motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../src/math/golden.h"
#include "battery.h"

/* ==== motions of a pair ======================================================================= */

#define HALF_TURN 3.141592653589793

/* ---- figures */

double motion_exponent(const double *x, const double *y, size_t count) {
    double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (size_t i = 0; i < count; i++) {
        if (x[i] > 0.0 && y[i] > 0.0) {
            double u = log(x[i]), v = log(y[i]);
            n += 1.0;
            sx += u;
            sy += v;
            sxx += u * u;
            sxy += u * v;
        }
    }
    double spread = n * sxx - sx * sx;
    return n >= 2.0 && spread > 0.0 ? (n * sxy - sx * sy) / spread : NAN;
}

/* ---- passes */

motion_pass motion_pass_draw(bench_random *r, double offset, double length, double angle_rad) {
    motion_pass p = {.offset = offset, .length = length, .angle_rad = angle_rad};
    p.along = bench_direction(r);
    ov_vec3 other = bench_direction(r);
    p.aside = ov_vec3_sub(other, ov_vec3_scale(p.along, ov_vec3_dot(other, p.along)));
    p.aside = ov_vec3_scale(p.aside, 1.0 / ov_vec3_length(p.aside));
    p.middle = bench_rotation(r);
    p.axis = bench_direction(r);
    return p;
}

void motion_case_set(const motion_pass *p, motion_case *c) {
    c->size = c->a.ball.radius + c->b.ball.radius;
    c->travel = (peer_travel){ov_vec3_scale(p->along, p->length), p->axis, p->angle_rad};
    c->pose_a.rotation =
        ov_quat_mul(ov_quat_from_axis_angle(p->axis, -0.5 * p->angle_rad), p->middle);
    ov_vec3 near = ov_vec3_add(c->pose_b.position, ov_vec3_scale(p->aside, p->offset));
    c->pose_a.position = ov_vec3_sub(near, ov_vec3_scale(p->along, 0.5 * p->length));
    c->clearance = c->first = NAN;
}

ov_pose motion_case_pose(const motion_case *c, double time) {
    ov_quat turn = ov_quat_from_axis_angle(c->travel.axis, c->travel.angle_rad * time);
    return (ov_pose){ov_vec3_add(c->pose_a.position, ov_vec3_scale(c->travel.way, time)),
                     ov_quat_mul(turn, c->pose_a.rotation)};
}

ov_motion *motion_case_motion(const motion_case *c) {
    // less than half a turn from key to key, so that the shortest arc is the one that is meant
    size_t count = 2 + (size_t)(fabs(c->travel.angle_rad) / (0.75 * HALF_TURN));
    ov_pose *poses = calloc(count, sizeof *poses);
    double *times = calloc(count, sizeof *times);
    ov_motion *motion = NULL;
    if (poses != NULL && times != NULL) {
        for (size_t i = 0; i < count; i++) {
            times[i] = (double)i / (double)(count - 1);
            poses[i] = motion_case_pose(c, times[i]);
        }
        (void)ov_motion_create_keys(poses, times, count, OV_SPLINE_LINEAR, NULL, &motion);
    }
    free(poses);
    free(times);
    return motion;
}

ov_sweep_pair motion_case_pair(const motion_case *c, const ov_motion *motion) {
    return (ov_sweep_pair){.a = &c->a,
                           .b = &c->b,
                           .motion_a = motion,
                           .pose_a = ov_pose_identity(),
                           .pose_b = c->pose_b};
}

/* ---- the dense search */

typedef struct search {
    const motion_case *c;
    ov_pair_options options;
    ov_warm_start warm;
} search;

static search search_make(const motion_case *c) {
    search s = {.c = c, .options = ov_default_pair_options()};
    s.options.depth = OV_DEPTH_LOCAL;
    return s;
}

static double gap_at(search *s, double time) {
    ov_contact contact;
    ov_status status = ov_pair_contact(&s->c->a, motion_case_pose(s->c, time), &s->c->b,
                                       s->c->pose_b, &s->options, &s->warm, &contact);
    return status >= 0 ? contact.gap : NAN;
}

static double depth_at(double time, const void *context) {
    search *const *s = context;
    return -gap_at(*s, time);
}

/** Least gap between two times, with one minimum between them. */
static double bottom(search *s, double lo, double hi) {
    enum { STEPS = 45 }; // to 4e-10 of the interval: the gap is as good as it gets long before
    return -ovi_golden_max(depth_at, &s, lo, hi, STEPS).value;
}

/** No point of the moving body is faster. */
static double speed_of(const motion_case *c) {
    double arm = c->a.ball.radius + ov_vec3_length(c->a.ball.centre);
    return ov_vec3_length(c->travel.way) + fabs(c->travel.angle_rad) * arm;
}

/**
 * First contact between two times, free at the first of them; NaN: none. No gap changes faster than
 * the largest speed, so that a part whose ends are far enough away has none.
 */
static double earliest(search *s, double lo, double gap_lo, double hi, double gap_hi,
                       double speed) {
    if (gap_hi > 0.0 && gap_lo + gap_hi > speed * (hi - lo)) {
        return NAN;
    }
    double middle = 0.5 * (lo + hi);
    if (hi - lo < 1e-13 || middle <= lo || middle >= hi) {
        return gap_hi <= 0.0 ? middle : NAN;
    }
    double gap = gap_at(s, middle), found = earliest(s, lo, gap_lo, middle, gap, speed);
    return isnan(found) && gap > 0.0 ? earliest(s, middle, gap, hi, gap_hi, speed) : found;
}

/** Goes through all samples; ends at the first contact where `first` is not null. */
static double dense(const motion_case *c, size_t samples, double *first) {
    search s = search_make(c);
    double step = 1.0 / (double)samples, speed = speed_of(c), least = INFINITY;
    double before = INFINITY, here = gap_at(&s, 0.0), found = here <= 0.0 ? 0.0 : NAN;
    for (size_t i = 0; i <= samples; i++) {
        double at = (double)i * step, next = i < samples ? gap_at(&s, at + step) : INFINITY;
        double low = here;
        if (first != NULL && here > 0.0 && i < samples) {
            found = earliest(&s, at, here, at + step, next, speed);
        }
        if (first != NULL && !isnan(found)) {
            *first = found;
            return fmin(0.0, next);
        }
        if (here <= before && here <= next && here - speed * step < least) {
            low = bottom(&s, fmax(0.0, at - step), fmin(1.0, at + step));
        }
        least = fmin(least, fmin(low, here));
        before = here;
        here = next;
    }
    if (first != NULL) {
        *first = NAN;
    }
    return least;
}

double motion_clearance(const motion_case *c, size_t samples) { return dense(c, samples, NULL); }

void motion_refer(motion_case *c, size_t samples) { c->clearance = dense(c, samples, &c->first); }

bool motion_find_offset(motion_pass *pass, double clearance, size_t samples, motion_case *c) {
    double lo = 0.0, hi = 1.2 * (c->a.ball.radius + c->b.ball.radius) + fmax(0.0, clearance);
    double off = INFINITY;
    for (int i = 0; i < 60 && fabs(off) > 1e-3 * fabs(clearance); i++) {
        pass->offset = 0.5 * (lo + hi);
        motion_case_set(pass, c);
        off = motion_clearance(c, samples) - clearance;
        if (off > 0.0) {
            hi = pass->offset;
        } else {
            lo = pass->offset;
        }
    }
    c->clearance = clearance + off;
    return fabs(off) <= 0.02 * fabs(clearance);
}

/* ==== beside FCL ============================================================================== */

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

static ov_vec3 draw_axes(bench_random *r, double lo, double hi) {
    double x = bench_uniform(r, lo, hi), y = bench_uniform(r, lo, hi);
    return ov_vec3_make(x, y, bench_uniform(r, lo, hi));
}

static void make_shape(int set, ov_vec3 axes, ov_shape *shape) {
    (void)(set == 0 ? ov_shape_make_box(axes, shape) : ov_shape_make_ellipsoid(axes, shape));
}

/** A bar in the plane across an edge of a box, turning in that plane, on a line past the edge. */
static void draw_spin(bench_random *r, int set, motion_case *c) {
    const double thick = bench_uniform(r, 0.04, 0.08);
    make_shape(set, ov_vec3_make(1.0, thick, thick), &c->a);
    (void)ov_shape_make_box(draw_axes(r, 0.5, 1.0), &c->b);
    c->pose_b = ov_pose_identity();
    double phi = bench_uniform(r, 0.35, 1.2), off = 1.0 + bench_uniform(r, -0.006, 0.006);
    double turns = bench_uniform(r, 10.0, 60.0);
    ov_vec3 away = {cos(phi), sin(phi), 0.0}, along = {-sin(phi), cos(phi), 0.0};
    motion_pass pass = {.along = along,
                        .aside = away,
                        .offset = off,
                        .length = bench_uniform(r, 2.0, 6.0),
                        .middle = ov_quat_from_axis_angle(ov_vec3_make(0.0, 0.0, 1.0),
                                                          bench_uniform(r, 0.0, HALF_TURN)),
                        .axis = {0.0, 0.0, 1.0},
                        .angle_rad = 2.0 * HALF_TURN * turns};
    motion_case_set(&pass, c);
    c->pose_a.position = ov_vec3_add(c->pose_a.position, ov_vec3_make(c->b.a.x, c->b.a.y, 0.0));
    motion_refer(c, (size_t)(100.0 * turns));
}

/** A small body that crosses the plane of a plate at a place in it or beside it. */
static void draw_plate(bench_random *r, int set, motion_case *c) {
    make_shape(set, draw_axes(r, 0.003, 0.02), &c->a);
    (void)ov_shape_make_box(ov_vec3_make(1.0, 1.0, bench_uniform(r, 5e-4, 5e-3)), &c->b);
    c->pose_b = ov_pose_identity();
    motion_pass pass =
        motion_pass_draw(r, 0.0, bench_uniform(r, 20.0, 100.0), bench_uniform(r, 0.0, HALF_TURN));
    pass.along.z = pass.along.z < 0.0 ? pass.along.z - 0.5 : pass.along.z + 0.5;
    pass.along = ov_vec3_scale(pass.along, 1.0 / ov_vec3_length(pass.along));
    motion_case_set(&pass, c);
    ov_vec3 cross = {bench_uniform(r, -1.3, 1.3), bench_uniform(r, -1.3, 1.3), 0.0};
    // not in the middle of the time, where every even number of samples would have one
    double when = bench_uniform(r, 0.3, 0.7);
    c->pose_a.position = ov_vec3_sub(cross, ov_vec3_scale(c->travel.way, when));
    motion_refer(c, 400);
}

static bool draw_graze(bench_random *r, bool odd, motion_pass *pass, motion_case *c) {
    double off = c->size * pow(10.0, bench_uniform(r, -4.0, -2.0));
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

bool rival_draw(bench_random *r, int set, rival_class kind, bool odd, motion_case *c) {
    *c = (motion_case){.pose_b = ov_pose_identity()};
    if (kind == RIVAL_SPIN) {
        draw_spin(r, set, c);
    } else if (kind == RIVAL_PLATE) {
        draw_plate(r, set, c);
    } else {
        make_shape(set, draw_axes(r, 0.3, 1.0), &c->a);
        make_shape(set, draw_axes(r, 0.3, 1.0), &c->b);
        c->pose_b.rotation = bench_rotation(r);
        bool straight = kind == RIVAL_STRAIGHT;
        double size = c->a.ball.radius + c->b.ball.radius;
        motion_pass pass =
            motion_pass_draw(r, size * bench_uniform(r, 0.0, 1.0), size * (straight ? 3.0 : 10.0),
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
    bench_mesh mesh = {0};
    peer_body body = {.shape = shape, .position = pose.position, .support = ov_shape_support};
    body.rotation = ov_mat3_from_quat(pose.rotation);
    if (m->matter != PEER_PRIMITIVE &&
        !bench_mesh_make(shape, MESH_VERTICES, m->matter == PEER_CONVEX, &mesh)) {
        return NULL;
    }
    body.mesh = (peer_mesh){mesh.vertices, mesh.vertex_count, (const uint32_t(*)[3])mesh.triangles,
                            mesh.triangle_count};
    void *object = m->make(&body);
    bench_mesh_free(&mesh);
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
        double start = bench_now_ns();
        answer a = ask(row, c, s);
        a.ns = fmax(0.0, bench_now_ns() - start - clock_ns);
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
    f->times = bench_figure(t->ns, t->timed);
    f->error_median = bench_figure(t->errors, t->compared).median;
    f->error_worst = t->compared > 0 ? t->errors[t->compared - 1] : NAN;
}

/** All rows at all motions of a class, in turns. */
static bool measure_class(const group *g, int set, rival_class kind, rival_study *study) {
    unsigned char *fates = calloc(study->row_count * g->count, 1);
    double *room = calloc(2 * study->row_count * g->count, sizeof *room);
    tally tallies[RIVAL_ROWS_MAX] = {{0}};
    double clock_ns = bench_clock_ns();
    bool good = fates != NULL && room != NULL;
    for (size_t r = 0; r < study->row_count && good; r++) {
        group trial = *g;
        trial.row = &study->rows[r];
        tallies[r].ns = room + 2 * r * g->count;
        tallies[r].errors = tallies[r].ns + g->count;
        bench_guard(share_of(trial.row, set, kind, g->count), try_motion, &trial, false,
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
    bench_random r = {seed * 16u + (uint64_t)set * 8u + (uint64_t)kind};
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

bool rivals_measure(size_t count, uint64_t seed, const bench_peers *peers,
                    const bench_progress *progress, rival_study *study) {
    *study = (rival_study){.count = count};
    (void)add_row(study, "Ovoid shapes", "ovoid");
    // what FCL's advancement stops at
    add_row(study, "Ovoid shapes, to 1e-4", "ovoid_coarse")->resolution = 1e-4;
    add_row(study, "Ovoid polygons", "ovoid_polygons")->polygons = true;
    for (size_t i = 0; i < peers->continuous_count; i++) {
        const peer_continuous *method = peers->continuous[i];
        add_row(study, method->name, method->id)->method = method;
    }
    motion_case *cases = calloc(count, sizeof *cases);
    ov_motion **motions = calloc(count, sizeof(ov_motion *));
    bool good = cases != NULL && motions != NULL;
    for (int k = 0; k < RIVAL_SETS * RIVAL_CLASSES && good; k++) {
        bench_show(progress, "motions beside FCL", (size_t)k, RIVAL_SETS * RIVAL_CLASSES);
        good = run_class(seed, k / RIVAL_CLASSES, (rival_class)(k % RIVAL_CLASSES), cases, motions,
                         study);
    }
    free(cases);
    free(motions);
    return good;
}

/* ==== superovoids, and what a proof costs ===================================================== */

#define RESOLUTION 1e-6

enum { SAMPLES = 400 };

/* ---- one motion */

/** Best time of a few runs. */
static bool ask_first(const motion_case *c, const ov_motion *motion,
                      const ov_sweep_options *options, double clock_ns, ov_first_contact *first,
                      double *ns) {
    ov_sweep_pair pair = motion_case_pair(c, motion);
    *ns = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        double start = bench_now_ns();
        ov_status status = ov_sweep_pair_first(&pair, 0.0, 1.0, options, first);
        *ns = fmin(*ns, fmax(0.0, bench_now_ns() - start - clock_ns));
        if (status < 0) {
            return false;
        }
    }
    return true;
}

/** Sums of one kind of motions. */
typedef struct sums {
    double *ns;
    size_t count;
    double pieces, tests, queries;
} sums;

static void add(sums *s, const ov_first_contact *first, double ns) {
    s->ns[s->count++] = ns;
    s->pieces += (double)first->pieces;
    s->tests += (double)first->tests;
    s->queries += (double)first->queries;
}

static smooth_figures figures_of(sums *s) {
    double n = s->count > 0 ? (double)s->count : NAN;
    return (smooth_figures){bench_figure(s->ns, s->count), s->pieces / n, s->tests / n,
                            s->queries / n};
}

/* ---- typical motions */

typedef struct typical {
    sums proof, first;
    double *clearances;
    double clock_ns;
    ov_sweep_options options;
} typical;

/** Holds an answer against the dense search. */
static void judge(const motion_case *c, const ov_first_contact *first, smooth_study *study) {
    bool contact = !isnan(c->first);
    study->undecided += first->answer == OV_SWEEP_ANSWER_UNDECIDED;
    study->false_promises += first->answer == OV_SWEEP_ANSWER_FREE && contact;
    study->outside += contact && (c->first < first->lower - 1e-9 || c->first > first->upper + 1e-9);
    if (first->answer == OV_SWEEP_ANSWER_CONTACT) {
        study->width_worst = fmax(study->width_worst, first->upper - first->lower);
    }
    bench_hash_gap(&study->hash, first->lower);
    bench_hash_gap(&study->hash, first->upper);
}

static bool run_typical(bench_random *r, const battery_pair *shapes, typical *t,
                        smooth_study *study) {
    motion_case c = {.a = shapes->a, .b = shapes->b, .pose_b = shapes->pose_b};
    double size = c.a.ball.radius + c.b.ball.radius;
    motion_pass pass =
        motion_pass_draw(r, size * bench_uniform(r, 0.0, 1.2), 10.0 * size, HALF_TURN);
    motion_case_set(&pass, &c);
    motion_refer(&c, SAMPLES);
    ov_motion *motion = motion_case_motion(&c);
    ov_first_contact first;
    double ns;
    bool good = motion != NULL && ask_first(&c, motion, &t->options, t->clock_ns, &first, &ns);
    ov_motion_destroy(motion);
    if (!good) {
        return false;
    }
    judge(&c, &first, study);
    if (first.answer == OV_SWEEP_ANSWER_FREE) {
        t->clearances[t->proof.count] = c.clearance / c.size;
        add(&t->proof, &first, ns);
    } else {
        add(&t->first, &first, ns);
    }
    return true;
}

bool smooth_measure(size_t count, uint64_t seed, const bench_progress *progress,
                    smooth_study *study) {
    bench_random r = {seed * 3u + 11u};
    battery_cases cases;
    *study = (smooth_study){.count = count, .hash = BENCH_HASH_START};
    double *room = calloc(3 * count, sizeof *room);
    bool good = battery_draw(BATTERY_SUPEROVOIDS, count, seed, NULL, &cases) && room != NULL;
    typical t = {.proof = {.ns = room},
                 .first = {.ns = room + count},
                 .clearances = room + 2 * count,
                 .clock_ns = bench_clock_ns(),
                 .options = ov_default_sweep_options()};
    t.options.resolution = RESOLUTION;
    t.options.threads.count = 1; // what is timed
    for (size_t i = 0; i < count && good; i++) {
        bench_show(progress, "superovoids", i, count);
        good = run_typical(&r, &cases.pairs[i], &t, study);
    }
    if (good) {
        study->clearance_median = bench_figure(t.clearances, t.proof.count).median;
        study->proof = figures_of(&t.proof);
        study->first = figures_of(&t.first);
    }
    battery_cases_free(&cases);
    free(room);
    return good;
}

/* ---- costs */

enum { COST_PAIRS_MAX = 64 };

/** Figures of all pairs at one step of a curve. */
typedef struct cost_step {
    double ns[COST_PAIRS_MAX], tests[COST_PAIRS_MAX], queries[COST_PAIRS_MAX];
    size_t count, proven;
} cost_step;

static void end_step(cost_curve *curve, double x, cost_step *step) {
    size_t k = curve->count++;
    curve->x[k] = x;
    curve->ns[k] = bench_figure(step->ns, step->count).median;
    curve->tests[k] = bench_figure(step->tests, step->count).median;
    curve->queries[k] = bench_figure(step->queries, step->count).median;
    curve->asked[k] = step->count;
    curve->proven[k] = step->proven;
}

/** One proof with an epsilon of a quarter of the clearance. */
static bool cost_one(const motion_case *c, double clearance, double clock_ns, cost_step *step) {
    ov_sweep_options options = ov_default_sweep_options();
    options.epsilon = 0.25 * clearance;
    options.threads.count = 1;
    ov_motion *motion = motion_case_motion(c);
    ov_first_contact first;
    double ns;
    bool good = motion != NULL && ask_first(c, motion, &options, clock_ns, &first, &ns);
    ov_motion_destroy(motion);
    if (good) {
        step->ns[step->count] = ns;
        step->tests[step->count] = (double)first.tests;
        step->queries[step->count++] = (double)first.queries;
        step->proven += first.answer == OV_SWEEP_ANSWER_FREE;
    }
    return good;
}

/** The passes of all pairs, whose middle does not change along a curve. */
typedef struct cost_pass {
    motion_case c;
    motion_pass pass;
} cost_pass;

static void cost_draw(bench_random *r, const battery_pair *shapes, cost_pass *p) {
    p->c = (motion_case){.a = shapes->a, .b = shapes->b, .pose_b = shapes->pose_b};
    double size = p->c.a.ball.radius + p->c.b.ball.radius;
    p->pass = motion_pass_draw(r, size, 10.0 * size, HALF_TURN);
    motion_case_set(&p->pass, &p->c);
}

static bool by_clearance(const cost_pass *passes, size_t pairs, double clock_ns,
                         cost_curve *curve) {
    static const double clearances[] = {1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 3e-4, 1e-4};
    bool good = true;
    for (size_t k = 0; k < sizeof clearances / sizeof clearances[0] && good; k++) {
        cost_step step = {.count = 0};
        for (size_t i = 0; i < pairs && good; i++) {
            motion_case c = passes[i].c;
            motion_pass pass = passes[i].pass;
            double clearance = clearances[k] * c.size;
            if (motion_find_offset(&pass, clearance, SAMPLES, &c)) {
                good = cost_one(&c, clearance, clock_ns, &step);
            }
        }
        end_step(curve, clearances[k], &step);
    }
    return good;
}

/**
 * Longer and longer ways, clear by a tenth of a size. In passing, the line of travel is made longer
 * at both ends, with half a turn for every ten sizes; in place, the body only turns.
 */
static bool by_length(const cost_pass *passes, size_t pairs, bool in_place, double clock_ns,
                      cost_curve *curve) {
    static const double lengths[] = {1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0};
    static const double near = 0.1;
    cost_step steps[sizeof lengths / sizeof lengths[0]] = {{.count = 0}};
    bool good = true;
    for (size_t i = 0; i < pairs && good; i++) {
        motion_case c = passes[i].c;
        motion_pass pass = passes[i].pass;
        if (in_place) {
            pass.length = 0.0;
            pass.angle_rad = 2.0 * HALF_TURN;
        }
        if (!motion_find_offset(&pass, near * c.size, SAMPLES, &c)) {
            continue;
        }
        for (size_t k = 0; k < sizeof lengths / sizeof lengths[0] && good; k++) {
            double way = lengths[k] * c.size;
            pass.length = in_place ? 0.0 : way;
            pass.angle_rad = in_place ? way / c.a.ball.radius : HALF_TURN * lengths[k] / 10.0;
            motion_case_set(&pass, &c);
            good = cost_one(&c, near * c.size, clock_ns, &steps[k]);
        }
    }
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        end_step(curve, lengths[k], &steps[k]);
    }
    return good;
}

/** The near-collision of the squares, 16 parts each, at other clearances. */
static bool by_squares(cost_curve *curve) {
    static const double clearances[] = {0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 3e-4, 1e-4};
    const double diameter = sqrt(2.0);
    bool good = true;
    for (size_t k = 0; k < sizeof clearances / sizeof clearances[0] && good; k++) {
        double clearance = clearances[k] * diameter;
        cost_step step = {.count = 1};
        ov_sweep_options options = squares_options(0.25 * clearance, OV_MASS_USE_INDIVIDUAL, true);
        squares_scene scene;
        squares_run run;
        good = squares_make(4, clearance, &scene) && squares_sweep(&scene, &options, &run);
        squares_free(&scene);
        if (good) {
            step.ns[0] = run.ns;
            step.tests[0] = (double)run.summary.tests;
            step.queries[0] = (double)run.summary.queries;
            step.proven = run.summary.answer == OV_SWEEP_ANSWER_FREE;
            end_step(curve, clearances[k], &step);
        }
    }
    return good;
}

/** Over the last half of a curve, where it is what it tends to. */
static void fit(cost_curve *curve) {
    size_t from = curve->count / 2;
    curve->exponent = motion_exponent(curve->x + from, curve->ns + from, curve->count - from);
}

bool cost_measure(size_t pairs, uint64_t seed, const bench_progress *progress, cost_study *study) {
    bench_random r = {seed * 5u + 7u};
    battery_cases cases;
    *study = (cost_study){.pairs = pairs < COST_PAIRS_MAX ? pairs : COST_PAIRS_MAX};
    cost_pass *passes = calloc(COST_PAIRS_MAX, sizeof *passes);
    bool good =
        battery_draw(BATTERY_SUPEROVOIDS, study->pairs, seed + 1, NULL, &cases) && passes != NULL;
    for (size_t i = 0; i < study->pairs && good; i++) {
        cost_draw(&r, &cases.pairs[i], &passes[i]);
    }
    double clock_ns = bench_clock_ns();
    bench_show(progress, "costs", 0, 4);
    good = good && by_clearance(passes, study->pairs, clock_ns, &study->clearance);
    bench_show(progress, "costs", 1, 4);
    good = good && by_length(passes, study->pairs, false, clock_ns, &study->length);
    bench_show(progress, "costs", 2, 4);
    good = good && by_length(passes, study->pairs, true, clock_ns, &study->spin);
    bench_show(progress, "costs", 3, 4);
    good = good && by_squares(&study->squares);
    fit(&study->clearance);
    fit(&study->length);
    fit(&study->spin);
    fit(&study->squares);
    battery_cases_free(&cases);
    free(passes);
    return good;
}
