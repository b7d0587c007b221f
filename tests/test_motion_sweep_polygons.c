/**
 * @file test_motion_sweep_polygons.c
 * @brief Whole sweeps of polygons: nothing that meets is called free, what stays clear by more than
 * twice epsilon is, and every way to ask gives the same answer.
 *
 * Oracle: distances of all pairs of polygons in long double at many times, with how far corners get
 * between two of these; and motions whose first contact is known.
 */
#include "ledger.h"
#include "motion/polygons/sweep_polygons.h"
#include "polygon_cases.h"

/* ---- runs a sweep and keeps what it finds */

enum { FOUND_MAX = 4096 };

typedef struct findings {
    ov_sweep_interval list[FOUND_MAX];
    size_t count, room;
} findings;

static bool take(void *user, const ov_sweep_interval *interval) {
    findings *f = user;
    CHECK(f->count < FOUND_MAX);
    f->list[f->count++] = *interval;
    return f->count < f->room;
}

static ov_sweep_options default_options(void) {
    return (ov_sweep_options){
        .depth = 40, .threads.count = 1, .resolution = 1e-6, .intervals = 1 << 20};
}

static ov_status sweep(const ovi_polygon_pair *pair, const ov_sweep_options *options, findings *f,
                       ov_sweep_summary *counts) {
    ovi_interval_sink sink = {take, f};
    *counts = (ov_sweep_summary){.depth = 0};
    f->count = 0;
    f->room = f->room > 0 ? f->room : FOUND_MAX;
    return ovi_sweep_polygons(pair, 0.0, 1.0, options, &sink, counts);
}

static void set_way(ov_sweep_options *o, int way) {
    o->every_pair = !(way & 1);
    o->mass = way & 2 ? OV_MASS_USE_GLOBAL : OV_MASS_USE_INDIVIDUAL;
}

/* ---- the oracle */

enum { SAMPLES = 100, PAIRS_MAX = 64 };

/** Distances of all pairs at times i / SAMPLES, and how far corners got since the last. */
typedef struct samples {
    size_t count_a, count_b;
    double distance[SAMPLES + 1][PAIRS_MAX];
    double way[SAMPLES + 1];
} samples;

static ov_affine place_of(const ov_motion *motion, double time) {
    ov_affine at = ov_affine_from_pose(ov_pose_identity());
    if (motion != NULL) {
        CHECK_OK(ov_motion_at(motion, time, &at));
    }
    return at;
}

static double polygons_distance(const ovi_polygon_pair *p, size_t i, size_t k, double time) {
    lvec a[CASE_CORNERS], b[CASE_CORNERS];
    ov_affine at_a = place_of(p->motion_a, time), at_b = place_of(p->motion_b, time);
    size_t na = lv_polygon(p->a, i, p->pose_a, &at_a, a);
    size_t nb = lv_polygon(p->b, k, p->pose_b, &at_b, b);
    // balls first: most are far
    long double ra = 0.0L, rb = 0.0L;
    for (size_t c = 1; c < na; c++) {
        ra = fmaxl(ra, lv_length(lv_sub(a[c], a[0])));
    }
    for (size_t c = 1; c < nb; c++) {
        rb = fmaxl(rb, lv_length(lv_sub(b[c], b[0])));
    }
    long double balls = lv_length(lv_sub(a[0], b[0])) - ra - rb;
    return (double)(balls > 0.1L ? balls : polygon_polygon(a, na, b, nb));
}

static double way_of(const ov_polygons *s, ov_pose pose, const ov_motion *motion, double from,
                     double to) {
    ov_affine first = place_of(motion, from), last = place_of(motion, to);
    double most = 0.0;
    for (size_t i = 0; motion != NULL && i < ov_polygons_vertex_count(s); i++) {
        ov_vec3 v = ov_pose_apply(pose, ov_polygons_vertices(s)[i]);
        ov_vec3 d = ov_vec3_sub(ov_affine_apply(&last, v), ov_affine_apply(&first, v));
        most = fmax(most, ov_vec3_length(d));
    }
    return most;
}

static void sample(const ovi_polygon_pair *p, samples *s) {
    s->count_a = ov_polygons_count(p->a);
    s->count_b = ov_polygons_count(p->b);
    CHECK(s->count_a * s->count_b <= PAIRS_MAX);
    for (int t = 0; t <= SAMPLES; t++) {
        double time = (double)t / SAMPLES, last = (double)(t > 0 ? t - 1 : 0) / SAMPLES;
        s->way[t] = way_of(p->a, p->pose_a, p->motion_a, last, time) +
                    way_of(p->b, p->pose_b, p->motion_b, last, time);
        for (size_t i = 0; i < s->count_a * s->count_b; i++) {
            s->distance[t][i] = polygons_distance(p, i / s->count_b, i % s->count_b, time);
        }
    }
}

typedef struct score {
    size_t contacts, proven, clear, runs;
    double nearest; /**< smallest clearance that was called free, in units of epsilon */
} score;

static bool is_covered(const findings *f, size_t a, size_t b, double time) {
    for (size_t i = 0; i < f->count; i++) {
        const ov_sweep_interval *v = &f->list[i];
        if (v->part_a == a && v->part_b == b && v->start <= time && time <= v->end) {
            return true;
        }
    }
    return false;
}

static bool is_found(const findings *f, size_t a, size_t b) {
    bool found = false;
    for (size_t i = 0; i < f->count; i++) {
        found = found || (f->list[i].part_a == a && f->list[i].part_b == b);
    }
    return found;
}

/** Holds all that was found against the samples. */
static void judge(const ovi_polygon_pair *p, const ov_sweep_options *options, const samples *s,
                  const findings *f, score *score) {
    double most_way = 0.0;
    for (int t = 1; t <= SAMPLES; t++) {
        most_way = fmax(most_way, s->way[t]);
    }
    for (size_t i = 0; i < s->count_a * s->count_b; i++) {
        size_t a = i / s->count_b, b = i % s->count_b;
        double least = INFINITY;
        for (int t = 0; t <= SAMPLES; t++) {
            double d = s->distance[t][i];
            if (d <= options->clearance) {
                score->contacts++;
                CHECK(is_covered(f, a, b, (double)t / SAMPLES));
            }
            least = fmin(least, d);
        }
        if (least - most_way > 2.0 * p->epsilon + options->clearance) {
            score->clear++;
            CHECK(!is_found(f, a, b));
        } else if (!is_found(f, a, b)) {
            score->nearest = fmin(score->nearest, least / p->epsilon);
        }
    }
    for (size_t i = 0; i < f->count; i++) {
        const ov_sweep_interval *v = &f->list[i];
        CHECK(v->start >= 0.0 && v->start <= v->end && v->end <= 1.0);
        CHECK(v->element >= OV_SWEEP_ELEMENT_VERTEX_FACE &&
              v->element <= OV_SWEEP_ELEMENT_EDGE_FACE);
        double middle = 0.5 * (v->start + v->end);
        if (!isnan(v->contact)) {
            score->proven++;
            CHECK(v->start <= v->contact && v->contact <= v->end);
            CHECK(polygons_distance(p, v->part_a, v->part_b, v->contact) <= options->clearance);
        } else if (v->end - v->start < 0.01) {
            CHECK(polygons_distance(p, v->part_a, v->part_b, middle) <=
                  2.0 * p->epsilon + options->clearance + most_way);
        }
    }
    score->runs++;
}

/** Nothing that the samples have in contact is before what comes first. */
static void judge_first(const ovi_polygon_pair *p, const ov_sweep_options *options,
                        const samples *s, const findings *f) {
    double lower = INFINITY, upper = INFINITY, first = INFINITY;
    for (size_t i = 0; i < f->count; i++) {
        const ov_sweep_interval *v = &f->list[i];
        lower = fmin(lower, v->start);
        if (v->contact < upper) {
            upper = v->contact;
            CHECK(polygons_distance(p, v->part_a, v->part_b, upper) <= options->clearance);
        }
    }
    for (int t = SAMPLES; t >= 0; t--) {
        for (size_t i = 0; i < s->count_a * s->count_b; i++) {
            first = s->distance[t][i] <= options->clearance ? (double)t / SAMPLES : first;
        }
    }
    CHECK(lower <= first);
    CHECK(options->clearance > 0.0 || upper <= first + options->resolution || first == INFINITY);
}

/* ---- random motions */

static ov_pose random_place(check_random *r, double distance) {
    return (ov_pose){ov_vec3_scale(check_unit_vector(r), distance), check_rotation(r)};
}

/** Past the origin: screws with fast spins, key poses, rational curves, and affine ones. */
static ov_motion *random_motion(check_random *r, int kind) {
    ov_motion *m = NULL;
    ov_vec3 from = ov_vec3_scale(check_unit_vector(r), check_uniform(r, 0.0, 3.0));
    ov_vec3 to = ov_vec3_scale(from, -check_uniform(r, 0.0, 1.0));
    to = ov_vec3_add_scaled(to, check_unit_vector(r), 1.0);
    if (kind == 0) {
        double turns = check_log_uniform(r, 0.1, 6.0);
        ov_pose pose = random_place(r, check_uniform(r, 0.0, 3.0));
        CHECK_OK(ov_motion_create_screw(pose, ov_vec3_scale(check_unit_vector(r), 1.0),
                                        check_unit_vector(r), turns * 2.0 * M_PI,
                                        check_uniform(r, -2.0, 2.0), 0.0, 1.0, NULL, &m));
    } else if (kind == 1) {
        ov_pose poses[4];
        double times[4] = {0.0, 0.3, 0.7, 1.0};
        for (int i = 0; i < 4; i++) {
            poses[i] = random_place(r, check_uniform(r, 0.5, 3.0));
        }
        CHECK_OK(ov_motion_create_keys(
            poses, times, 4, check_random_bits(r) % 2 ? OV_SPLINE_CUBIC : OV_SPLINE_LINEAR, NULL,
            &m));
    } else if (kind == 2) {
        ov_quat q[4];
        ov_vec3 p[3] = {from, ov_vec3_scale(check_unit_vector(r), 1.0), to};
        const double w[3] = {1.0, 0.7, 1.3};
        ov_quat last = check_rotation(r);
        for (int i = 0; i < 4; i++) {
            q[i] = last;
            ov_quat turn =
                ov_quat_from_axis_angle(check_unit_vector(r), check_uniform(r, 0.1, 1.2));
            last = ov_quat_mul(turn, last);
        }
        CHECK_OK(ov_motion_create_rational(q, 4, p, w, 3, 0.0, 1.0, NULL, &m));
    } else {
        ov_affine c[4];
        for (int i = 0; i < 4; i++) {
            c[i] = ov_affine_from_pose(random_place(r, check_uniform(r, 0.3, 2.5)));
            c[i].linear.cx = ov_vec3_scale(c[i].linear.cx, check_uniform(r, 0.5, 1.5));
        }
        const double w[4] = {1.0, 2.0, 0.5, 1.0};
        CHECK_OK(ov_motion_create_bezier(c, w, 4, 0.0, 1.0, NULL, &m));
    }
    return m;
}

static ov_polygons *random_body(check_random *r, int round) {
    return round % 3 == 0   ? polygons_random(r, 1 + (size_t)(round % 5), 0.8)
           : round % 3 == 1 ? polygons_box(ov_vec3_make(0.5, 0.3, check_log_uniform(r, 0.01, 0.8)))
                            : polygons_square(2);
}

/** Random bodies and motions, one or both in motion, asked in all four ways. */
static void random_sweeps(void) {
    check_random r = check_random_make(1);
    score score = {.nearest = INFINITY};
    static samples s;
    static findings f;
    size_t pieces = 0, tests = 0;
    for (int round = 0; round < 32; round++) {
        ov_polygons *a = random_body(&r, round), *b = random_body(&r, round / 3);
        ovi_polygon_pair p = {
            .a = a,
            .b = b,
            .motion_a = round % 7 == 3 ? NULL : random_motion(&r, round % 4),
            .motion_b = round % 7 >= 3 && round % 7 <= 4 ? random_motion(&r, round / 4 % 4) : NULL,
            .pose_a = random_place(&r, 0.3),
            .pose_b = random_place(&r, 0.3),
            .epsilon = check_log_uniform(&r, 0.002, 0.02)};
        sample(&p, &s);
        for (int way = 0; way < 4; way++) {
            ov_sweep_options o = default_options();
            ov_sweep_summary counts;
            set_way(&o, way);
            o.clearance = round % 5 == 0 ? 0.05 : 0.0;
            CHECK_OK(sweep(&p, &o, &f, &counts));
            judge(&p, &o, &s, &f, &score);
            CHECK(counts.pieces > 0 && counts.tests > 0 && counts.depth <= 40);
            pieces += counts.pieces;
            tests += counts.tests;
        }
        ov_sweep_options o = default_options();
        ov_sweep_summary counts;
        set_way(&o, round % 4);
        o.first_only = true;
        o.clearance = round % 5 == 0 ? 0.05 : 0.0;
        CHECK_OK(sweep(&p, &o, &f, &counts));
        judge_first(&p, &o, &s, &f);
        ov_motion_destroy((ov_motion *)(uintptr_t)p.motion_a);
        ov_motion_destroy((ov_motion *)(uintptr_t)p.motion_b);
        ov_polygons_destroy(a);
        ov_polygons_destroy(b);
    }
    printf(
        "motion_sweep_polygons: %zu sweeps, %zu contacts of samples, %zu proven, %zu clear pairs, "
        "nearest that was free %.3g epsilon, %zu pieces, %zu tests\n",
        score.runs, score.contacts, score.proven, score.clear, score.nearest, pieces, tests);
    CHECK(score.contacts > 2000 && score.proven > 400 && score.clear > 300);
    check_worst("clearance that was proven, in epsilon (free from 2 on)", score.nearest, 2.0);
}

/* ---- motions that are known */

/** A contact that lasts costs few pieces; its interval is the true one to epsilon. */
static void lasting_contact(void) {
    ov_polygons *blade = polygons_square(1), *plate = polygons_square(1);
    ov_pose pose = {{-4.0, 0.1, 0.2}, ov_quat_from_axis_angle(ov_vec3_make(1, 0.2, 0), 1.0)};
    ov_motion *slide;
    ov_vec3 along = {1, 0, 0};
    CHECK_OK(ov_motion_create_screw(pose, along, along, 0.0, 8.0, 0.0, 1.0, NULL, &slide));
    for (int way = 0; way < 4; way++) {
        static findings f;
        ov_sweep_options o = default_options();
        ov_sweep_summary counts;
        set_way(&o, way);
        ovi_polygon_pair p = {.a = blade,
                              .b = plate,
                              .motion_a = slide,
                              .pose_a = ov_pose_identity(),
                              .pose_b = ov_pose_identity(),
                              .epsilon = 1e-4};
        CHECK_OK(sweep(&p, &o, &f, &counts));
        CHECK(f.count == 1 && !isnan(f.list[0].contact));
        CHECK(counts.pieces < 2500);
        // bisected: where it is in contact first and last
        for (int end = 0; end < 2; end++) {
            double out = end, in = f.list[0].contact;
            for (int i = 0; i < 45; i++) {
                double middle = 0.5 * (out + in);
                bool meets = polygons_distance(&p, 0, 0, middle) == 0.0;
                in = meets ? middle : in;
                out = meets ? out : middle;
            }
            double found = end ? f.list[0].end : f.list[0].start;
            CHECK(end ? found >= in : found <= in);
            // the distance grows by less than the way, and more where it leaves
            CHECK_NEAR(found, in, 8.0 * p.epsilon / 8.0);
        }
    }
    ov_motion_destroy(slide);
    ov_polygons_destroy(blade);
    ov_polygons_destroy(plate);
}

/** A thin plate that is crossed in a moment, and a spin past an edge: both are found or free. */
static void fast_motions(void) {
    ov_polygons *small = polygons_box(ov_vec3_make(0.05, 0.05, 0.05)), *plate = polygons_square(3);
    ov_vec3 up = {0, 0, 1}, aside = {5, 0, 0}, origin = {0, 0, 0};
    static findings f;
    ov_sweep_options o = default_options();
    ov_sweep_summary counts;
    ov_motion *m;
    ov_pose start = {{0.2, 0.3, -1000.0}, ov_quat_identity()};
    CHECK_OK(ov_motion_create_screw(start, origin, up, 300.0, 2000.3, 0.0, 1.0, NULL, &m));
    ovi_polygon_pair p = {.a = small,
                          .b = plate,
                          .motion_a = m,
                          .pose_a = ov_pose_identity(),
                          .pose_b = ov_pose_identity(),
                          .epsilon = 0.001};
    CHECK_OK(sweep(&p, &o, &f, &counts));
    CHECK(f.count > 0 && f.list[0].start > 0.49 && f.list[0].end < 0.51);
    ov_motion_destroy(m);
    // the plate does it, and the box hardly moves; then the other way round
    ov_motion *slow;
    CHECK_OK(
        ov_motion_create_screw(ov_pose_identity(), origin, up, 0.1, 0.1, 0.0, 1.0, NULL, &slow));
    start = (ov_pose){{0.1, 0.2, 3.0}, ov_quat_from_axis_angle(aside, 0.3)};
    CHECK_OK(ov_motion_create_screw(start, origin, up, 1.0, -10.0, 0.0, 1.0, NULL, &m));
    for (int i = 0; i < 8; i++) {
        p = (ovi_polygon_pair){small,
                               plate,
                               i / 4 ? m : slow,
                               i / 4 ? slow : m,
                               ov_pose_identity(),
                               ov_pose_identity(),
                               0.001};
        set_way(&o, i % 4);
        CHECK_OK(sweep(&p, &o, &f, &counts));
        CHECK(f.count > 0 && f.list[0].start > 0.2 && f.list[0].end < 0.4);
    }
    ov_motion_destroy(slow);
    ov_motion_destroy(m);
    p.motion_b = NULL;
    o = default_options();
    // a hundred turns about an axis aside; the plate's edge is at 1, the box comes to 1.05 -+ gap
    for (int i = 0; i < 2; i++) {
        double gap = i ? 0.003 : -0.003;
        start = (ov_pose){{1.0 + 0.05 * sqrt(2.0) + gap, 0.0, 0.0}, ov_quat_identity()};
        start.rotation = ov_quat_from_axis_angle(up, 0.25 * M_PI);
        CHECK_OK(ov_motion_create_screw(start, aside, up, 200.0 * M_PI, 0.001, 0.0, 1.0, NULL, &m));
        p.motion_a = m;
        CHECK_OK(sweep(&p, &o, &f, &counts));
        CHECK((f.count == 0) == (i == 1));
        ov_motion_destroy(m);
    }
    ov_polygons_destroy(small);
    ov_polygons_destroy(plate);
}

/** A box that slides and spins over a plate, always as far above: free from 2 epsilon on. */
static void grazing(void) {
    ov_polygons *box = polygons_box(ov_vec3_make(0.4, 0.3, 0.2)), *plate = polygons_square(2);
    ov_vec3 up = {0, 0, 1}, aside = {0.6, 0.2, 0.0}, other = {0.1, 0.1, 0.0};
    static findings f;
    ov_sweep_summary counts;
    double gaps[] = {2.001, 0.0, -0.01};
    for (int i = 0; i < 24; i++) {
        ov_sweep_options o = default_options();
        set_way(&o, i % 4);
        o.clearance = i / 4 % 2 ? 0.07 : 0.0;
        double epsilon = 0.005, gap = o.clearance + gaps[i / 8] * epsilon;
        ov_pose start = {{0.5, 0.1, 0.2 + gap}, ov_quat_from_axis_angle(up, 0.3)};
        ov_motion *m, *n = NULL;
        CHECK_OK(ov_motion_create_screw(start, aside, up, 5.0, 0.0, 0.0, 1.0, NULL, &m));
        if (i % 2) {
            CHECK_OK(ov_motion_create_screw(ov_pose_identity(), other, up, -2.0, 0.0, 0.0, 1.0,
                                            NULL, &n));
        }
        ovi_polygon_pair p = {.a = box,
                              .b = plate,
                              .motion_a = m,
                              .motion_b = n,
                              .pose_a = ov_pose_identity(),
                              .pose_b = ov_pose_identity(),
                              .epsilon = epsilon};
        CHECK_OK(sweep(&p, &o, &f, &counts));
        CHECK((f.count == 0) == (i < 8));
        // what is too close to tell is so at all times
        for (int k = 0; k <= 50 && i >= 8; k++) {
            bool covered = false;
            for (size_t j = 0; j < f.count; j++) {
                covered = covered || (f.list[j].start <= k / 50.0 && k / 50.0 <= f.list[j].end);
            }
            CHECK(covered);
        }
        ov_motion_destroy(m);
        ov_motion_destroy(n);
    }
    ov_polygons_destroy(box);
    ov_polygons_destroy(plate);
}

/** Far from the origin the answer is that near to it, as far as the numbers go. */
static void far_away(void) {
    ov_polygons *a = polygons_box(ov_vec3_make(0.5, 0.4, 0.3)), *b = polygons_square(2);
    for (int i = 0; i < 2; i++) {
        double offset = i ? 1e6 : 0.0;
        ov_pose start = {{offset, 0.1, 0.52}, ov_quat_identity()};
        ov_vec3 axis = {0, 0, 1}, point = {offset, 0, 0};
        ov_motion *m;
        CHECK_OK(ov_motion_create_screw(start, point, axis, 2.0, -0.2, 0.0, 1.0, NULL, &m));
        ovi_polygon_pair p = {.a = a,
                              .b = b,
                              .motion_a = m,
                              .pose_a = ov_pose_identity(),
                              .pose_b = {{offset, 0, 0}, ov_quat_identity()},
                              .epsilon = 1e-3};
        static findings f;
        ov_sweep_options o = default_options();
        ov_sweep_summary counts;
        CHECK_OK(sweep(&p, &o, &f, &counts));
        CHECK(f.count == 0); // it ends 0.02 above
        o.clearance = 0.03;
        CHECK_OK(sweep(&p, &o, &f, &counts));
        CHECK(f.count > 0);
        ov_motion_destroy(m);
    }
    ov_polygons_destroy(a);
    ov_polygons_destroy(b);
}

/** Both at rest: one look. */
static void at_rest(void) {
    ov_polygons *a = polygons_square(2), *b = polygons_square(3);
    for (int i = 0; i < 2; i++) {
        ovi_polygon_pair p = {
            .a = a,
            .b = b,
            .pose_a = {{0, 0, i ? 0.01 : 0.0}, ov_quat_from_axis_angle(ov_vec3_make(1, 0, 0), 0.0)},
            .pose_b = ov_pose_identity(),
            .epsilon = 1e-6};
        static findings f;
        ov_sweep_options o = default_options();
        ov_sweep_summary counts;
        CHECK_OK(sweep(&p, &o, &f, &counts));
        CHECK(counts.pieces == 1 && (f.count == 0) == (i == 1));
    }
    ov_polygons_destroy(a);
    ov_polygons_destroy(b);
}

/** The depth bounds the pieces; the sink can end it; and no memory is lost when it runs out. */
static void limits(void) {
    ov_polygons *a = polygons_square(3), *b = polygons_box(ov_vec3_make(0.4, 0.4, 0.4));
    check_random r = check_random_make(4);
    ov_motion *m = random_motion(&r, 2);
    ovi_polygon_pair p = {.a = a,
                          .b = b,
                          .motion_a = m,
                          .pose_a = ov_pose_identity(),
                          .pose_b = ov_pose_identity(),
                          .epsilon = 1e-9};
    static findings f;
    ov_sweep_options o = default_options();
    ov_sweep_summary counts;
    o.depth = 6;
    CHECK_OK(sweep(&p, &o, &f, &counts));
    CHECK(counts.depth == 6 && counts.pieces < 128 && f.count > 1);
    f.room = 1;
    CHECK_OK(sweep(&p, &o, &f, &counts));
    CHECK(f.count == 1);
    f.room = 0;
    for (int way = 0; way < 4; way++) {
        static ledger t;
        ov_status status = OV_ERROR_MEMORY;
        set_way(&o, way);
        o.allocator = ledger_allocator(&t);
        for (long i = 1; i < 200 && status != OV_OK; i++) {
            ledger_start(&t, i);
            status = sweep(&p, &o, &f, &counts);
            CHECK(status == OV_OK ? t.calls < i : status == OV_ERROR_MEMORY);
            CHECK(t.count == 0);
        }
        CHECK_OK(status);
    }
    ov_motion_destroy(m);
    ov_polygons_destroy(a);
    ov_polygons_destroy(b);
}

/* ---- first contacts, by motions for which they are known */

/** A blade that falls on a plate at constant speed: they meet when its tip is at z = 0. */
static void first_contact_of_a_fall(void) {
    check_random r = check_random_make(2);
    ov_polygons *blade = polygons_square(3), *plate = polygons_square(4);
    double worst = 0.0;
    for (int round = 0; round < 32; round++) {
        // on its edge; the tip is lower by sqrt(2) where it stands on a corner
        double lean = check_uniform(&r, 0.3, 0.7), height = check_uniform(&r, 2.0, 4.0);
        ov_pose pose = {{0.1, 0.05, height},
                        ov_quat_mul(ov_quat_from_axis_angle(ov_vec3_make(0, 1, 0), lean),
                                    ov_quat_from_axis_angle(ov_vec3_make(1, 0, 0), 0.5 * M_PI))};
        double low = INFINITY;
        for (size_t i = 0; i < ov_polygons_vertex_count(blade); i++) {
            low = fmin(low, ov_pose_apply(pose, ov_polygons_vertices(blade)[i]).z);
        }
        ov_motion *fall;
        ov_vec3 down = {0, 0, 1}, origin = {0, 0, 0};
        CHECK_OK(ov_motion_create_screw(ov_pose_identity(), origin, down, 0.0, -6.0, 0.0, 1.0, NULL,
                                        &fall));
        ovi_polygon_pair p = {.a = blade,
                              .b = plate,
                              .motion_a = fall,
                              .pose_a = pose,
                              .pose_b = ov_pose_identity(),
                              .epsilon = 1e-3};
        if (round % 2) {
            p = (ovi_polygon_pair){plate, blade, NULL, fall, ov_pose_identity(), pose, 1e-3};
        }
        double expected = low / 6.0;
        for (int way = 0; way < 4; way++) {
            static findings f;
            ov_sweep_options o = default_options();
            ov_sweep_summary counts;
            set_way(&o, way);
            o.first_only = true;
            CHECK_OK(sweep(&p, &o, &f, &counts));
            double lower = INFINITY, upper = INFINITY;
            for (size_t i = 0; i < f.count; i++) {
                lower = fmin(lower, f.list[i].start);
                upper = isnan(f.list[i].contact) ? upper : fmin(upper, f.list[i].contact);
            }
            CHECK(lower <= expected && expected <= upper);
            CHECK(upper - lower <= o.resolution);
            worst = fmax(worst, upper - lower);
        }
        ov_motion_destroy(fall);
    }
    check_worst("width of a first contact", worst, 1e-6);
    ov_polygons_destroy(blade);
    ov_polygons_destroy(plate);
}

/** Glides onto a plate, a thousand times faster along it than down: the bracket is still narrow. */
static void first_contact_of_a_glide(void) {
    ov_polygons *box = polygons_box(ov_vec3_make(0.2, 0.2, 0.2)), *plate = polygons_square(2);
    ov_vec3 down = {0, 0, -1}, origin = {0, 0, 0};
    static findings f;
    for (int i = 0; i < 4; i++) {
        // a corner of the box is lowest; it turns about an axis that is upright, far from it
        ov_pose tilted = {{0.5, 0.0, 0.0}, ov_quat_from_axis_angle(ov_vec3_make(1, 0.4, 0), 0.3)};
        double low = INFINITY;
        for (size_t k = 0; k < 8; k++) {
            low = fmin(low, ov_pose_apply(tilted, ov_polygons_vertices(box)[k]).z);
        }
        tilted.position.z = -low + 1e-3;
        ov_motion *m;
        CHECK_OK(ov_motion_create_screw(tilted, origin, down, i % 2 ? 6.0 : -6.0,
                                        i < 2 ? 3e-3 : 1.7e-3, 0.0, 1.0, NULL, &m));
        ovi_polygon_pair p = {.a = box,
                              .b = plate,
                              .motion_a = m,
                              .pose_a = ov_pose_identity(),
                              .pose_b = ov_pose_identity(),
                              .epsilon = 1e-3};
        ov_sweep_options o = default_options();
        ov_sweep_summary counts;
        o.first_only = true;
        CHECK_OK(sweep(&p, &o, &f, &counts));
        double lower = INFINITY, upper = INFINITY, expected = 1e-3 / (i < 2 ? 3e-3 : 1.7e-3);
        for (size_t k = 0; k < f.count; k++) {
            lower = fmin(lower, f.list[k].start);
            upper = isnan(f.list[k].contact) ? upper : fmin(upper, f.list[k].contact);
        }
        CHECK(lower <= expected + 1e-12 && expected <= upper + 1e-12);
        CHECK(upper - lower <= o.resolution);
        CHECK(counts.pieces < 5000);
        ov_motion_destroy(m);
    }
    ov_polygons_destroy(box);
    ov_polygons_destroy(plate);
}

/** Plates that slide on each other, in touch all the time: intervals of many pairs at once grow
 *  together, and looking for a first contact that never becomes one has an end. */
static void in_touch(void) {
    ov_polygons *a = polygons_square(4), *b = polygons_square(5);
    ov_vec3 up = {0, 0, 1}, aside = {0.3, 0.1, 0};
    static findings f;
    for (int i = 0; i < 6; i++) {
        double height = i < 4 ? 0.0 : 2e-6;
        ov_pose at = {{0, 0, height}, ov_quat_identity()};
        ov_motion *m;
        CHECK_OK(ov_motion_create_screw(at, aside, up, 1.0, 0.0, 0.0, 1.0, NULL, &m));
        ovi_polygon_pair p = {.a = a,
                              .b = b,
                              .motion_a = m,
                              .pose_a = ov_pose_identity(),
                              .pose_b = ov_pose_identity(),
                              .epsilon = 0.01};
        ov_sweep_options o = default_options();
        ov_sweep_summary counts;
        set_way(&o, i % 4);
        o.first_only = i >= 4;
        CHECK_OK(sweep(&p, &o, &f, &counts));
        CHECK(f.count > 0 && f.count < 1000);
        CHECK(i < 4 || counts.pieces < 100000);
        double covered = 0.0;
        for (size_t k = 0; k < f.count; k++) {
            covered += f.list[k].end - f.list[k].start;
            CHECK(isnan(f.list[k].contact));
        }
        CHECK(i >= 4 || covered > 30.0); // each of A's 16 is over two or more of B's at all times
        ov_motion_destroy(m);
    }
    ov_polygons_destroy(a);
    ov_polygons_destroy(b);
}

int main(void) {
    check_suite = "motion_sweep_polygons";
    RUN(random_sweeps);
    RUN(lasting_contact);
    RUN(fast_motions);
    RUN(grazing);
    RUN(far_away);
    RUN(at_rest);
    RUN(limits);
    RUN(first_contact_of_a_fall);
    RUN(first_contact_of_a_glide);
    RUN(in_touch);
    return check_finish();
}
