/**
 * @file test_motion_sweep.c
 * @brief Sweeps of many bodies: compounds, meshes, polygons and floors against dense samples of the
 * pair query, balls against closed forms; filters, the order and number of intervals, threads, bad
 * input, and memory that runs out.
 */
#include "ledger.h"
#include "polygon_cases.h"
#include "schedulers.h"
#include "sweep_cases.h"
#include "world_cases.h"

/* ---- scenes of all kinds of bodies against dense samples */

enum { BODIES = 14, SAMPLES = 80 };

/** Bodies of the zoo, and two of polygons, which have a geometry of the same triangles. */
typedef struct cast {
    wc_zoo zoo;
    ov_polygons *polygons;
    ov_trimesh *skin;
    ov_geometry *skin_geometry;
    ov_sweep_body bodies[BODIES];
    const ov_geometry *mirrors[BODIES];
    ov_motion *motions[BODIES];
} cast;

/** The fans of all polygons. */
static ov_trimesh *mesh_of(const ov_polygons *p) {
    uint32_t triangles[64][3];
    size_t total = 0, count;
    for (size_t i = 0; i < ov_polygons_count(p); i++) {
        const uint32_t *c = ov_polygons_corners(p, i, &count);
        for (size_t k = 2; k < count && total < 64; k++, total++) {
            const uint32_t t[3] = {c[0], c[k - 1], c[k]};
            memcpy(triangles[total], t, sizeof t);
        }
    }
    ov_trimesh *mesh = NULL;
    CHECK_OK(ov_trimesh_create(ov_polygons_vertices(p), ov_polygons_vertex_count(p),
                               (const uint32_t(*)[3])triangles, total, NULL, &mesh));
    return mesh;
}

static ov_motion *some_motion(check_random *r, uint64_t kind) {
    ov_motion *m = NULL;
    ov_pose poses[3];
    for (int i = 0; i < 3; i++) {
        poses[i] = random_pose(r, check_uniform(r, 0.0, 5.0));
    }
    const double times[3] = {0.0, 0.4, 1.0};
    if (kind == 0) {
        CHECK_OK(ov_motion_create_screw(poses[0], poses[1].position, check_unit_vector(r),
                                        check_uniform(r, -9.0, 9.0), check_uniform(r, -3.0, 3.0),
                                        0.0, 1.0, NULL, &m));
    } else {
        CHECK_OK(ov_motion_create_keys(poses, times, 3,
                                       kind == 1 ? OV_SPLINE_LINEAR : OV_SPLINE_CUBIC, NULL, &m));
    }
    return m;
}

/** Of the body of polygons. */
static const ov_vec3 BOX_HALF = {0.5, 0.7, 0.2};

/** Is a part, or a point of it at least, inside of the box that the polygons are the skin of? */
static bool is_in_box(const ov_part *part, ov_pose body, ov_pose box) {
    ov_vec3 p = {0.0, 0.0, 0.0};
    if (part->mesh != NULL) {
        p = ov_trimesh_vertices(part->mesh)[0];
    } else if (part->shape.kind != OV_SHAPE_KIND_HALFSPACE) {
        ov_support up, down;
        CHECK_OK(ov_shape_support(&part->shape, ov_vec3_make(0.0, 0.0, 1.0), &up));
        CHECK_OK(ov_shape_support(&part->shape, ov_vec3_make(0.0, 0.0, -1.0), &down));
        p = ov_vec3_scale(ov_vec3_add(up.point, down.point), 0.5);
    } else {
        return false; // its gap tells
    }
    p = ov_vec3_sub(ov_pose_apply(body, ov_pose_apply(part->pose, p)), box.position);
    p = ov_quat_rotate(ov_quat_conjugate(box.rotation), p);
    return fabs(p.x) < BOX_HALF.x && fabs(p.y) < BOX_HALF.y && fabs(p.z) < BOX_HALF.z;
}

static void cast_make(check_random *r, cast *c) {
    memset(c, 0, sizeof *c);
    wc_zoo_make(&c->zoo, r, 1.0, 1);
    c->polygons = polygons_box(BOX_HALF);
    c->skin = mesh_of(c->polygons);
    const ov_part skin = {.mesh = c->skin, .pose = origin};
    CHECK_OK(ov_geometry_create(&skin, 1, NULL, &c->skin_geometry));
    // a floor, a mesh, a compound and others; half of them move
    static const wc_kind fixed_kinds[4] = {WC_HALFSPACE, WC_MESH, WC_COMPOUND, WC_MESH_AND_SHAPE};
    for (size_t i = 0; i < BODIES; i++) {
        size_t kind = (size_t)check_random_bits(r) % WC_HALFSPACE;
        kind = i < 4 ? fixed_kinds[i] : i == 4 ? WC_COMPOUND : i == 5 ? WC_SUPEROVOID : kind;
        bool hollow = i >= BODIES - 2, moves = i % 2 == 0 && i > 0;
        c->motions[i] = moves ? some_motion(r, (i / 2) % 3) : NULL;
        c->mirrors[i] = hollow ? c->skin_geometry : c->zoo.geometries[kind];
        c->bodies[i] = body_of(hollow ? NULL : c->mirrors[i], c->motions[i],
                               random_pose(r, moves ? 0.3 : check_uniform(r, 1.0, 5.0)));
        c->bodies[i].polygons = hollow ? c->polygons : NULL;
        c->bodies[i].group = i % 3 == 0 ? 2 : 1;
        c->bodies[i].mask = i % 5 == 4 ? 2 : UINT32_MAX;
    }
    c->bodies[0].pose = (ov_pose){{0.0, 0.0, 0.0}, check_rotation(r)};
    c->bodies[0].pose.position =
        ov_vec3_scale(ov_quat_rotate(c->bodies[0].pose.rotation,
                                     ov_geometry_part(c->mirrors[0], 0)->shape.u.halfspace.normal),
                      -5.0 - fabs(ov_geometry_part(c->mirrors[0], 0)->shape.u.halfspace.offset));
}

static void cast_free(cast *c) {
    for (size_t i = 0; i < BODIES; i++) {
        ov_motion_destroy(c->motions[i]);
    }
    ov_geometry_destroy(c->skin_geometry);
    ov_trimesh_destroy(c->skin);
    ov_polygons_destroy(c->polygons);
    wc_zoo_free(&c->zoo);
}

static ov_pose pose_at(const ov_sweep_body *b, double time) {
    ov_pose frame = origin;
    if (b->motion != NULL) {
        CHECK_OK(ov_motion_pose(b->motion, time, &frame));
    }
    return (ov_pose){ov_pose_apply(frame, b->pose.position),
                     ov_quat_mul(frame.rotation, b->pose.rotation)};
}

/** As the header says. */
static bool are_pair(const ov_sweep_body *a, const ov_sweep_body *b) {
    return (a->motion != NULL || b->motion != NULL) && (a->mask & b->group) != 0 &&
           (b->mask & a->group) != 0;
}

/** Is there an interval of two parts at a time? Of polygons against polygons: of any two. */
static const ov_sweep_interval *interval_at(const ov_sweep *sweep, uint32_t i, uint32_t j,
                                            uint32_t part_i, uint32_t part_j, bool any,
                                            double time) {
    size_t count;
    const ov_sweep_interval *v = ov_sweep_intervals(sweep, &count);
    for (size_t k = 0; k < count; k++) {
        if (v[k].body_a == i && v[k].body_b == j && v[k].start <= time && v[k].end >= time &&
            (any || (v[k].part_a == part_i && v[k].part_b == part_j))) {
            return &v[k];
        }
    }
    return NULL;
}

typedef struct found {
    long met, clear;
    long inside; // of a box, without touching it
} found;

static void compare_parts(const ov_sweep *sweep, const cast *c, uint32_t i, uint32_t j,
                          const ov_sweep_options *o, double time, found *n) {
    const ov_sweep_body *a = &c->bodies[i], *b = &c->bodies[j];
    ov_pose pa = pose_at(a, time), pb = pose_at(b, time);
    bool any = a->polygons != NULL && b->polygons != NULL;
    // lasting contacts are not looked at closely; others are, to twice epsilon
    double limit = fmax(64.0 * o->epsilon, 0.05);
    const ov_pair_options options = {.tolerance = 1e-9, .depth = OV_DEPTH_LOCAL};
    for (uint32_t k = 0; k < ov_geometry_count(c->mirrors[i]); k++) {
        for (uint32_t l = 0; l < ov_geometry_count(c->mirrors[j]); l++) {
            const ov_part *p = ov_geometry_part(c->mirrors[i], k);
            const ov_part *q = ov_geometry_part(c->mirrors[j], l);
            const ov_sweep_interval *v = interval_at(sweep, i, j, k, l, any, time);
            bool floor = p->mesh == NULL && p->shape.kind == OV_SHAPE_KIND_HALFSPACE;
            if (!floor && v == NULL && wc_is_far(p, pa, q, pb, o->clearance + 0.001, 1e-9)) {
                continue;
            }
            wc_gap g = wc_parts_gap(p, pa, q, pb, &options);
            if ((p->mesh == c->skin && is_in_box(q, pb, pa)) ||
                (q->mesh == c->skin && is_in_box(p, pa, pb))) {
                n->inside += g.lower > 0.0;
                g.lower = -INFINITY;
                g.upper = fmin(g.upper, 0.0);
            }
            n->met += g.upper <= o->clearance;
            n->clear += v == NULL;
            CHECK(g.upper > o->clearance || v != NULL); // nothing is missed
            CHECK(v == NULL || g.lower <= o->clearance + limit);
            CHECK(v == NULL || !isnan(v->contact) ||
                  g.lower <= o->clearance + 2.0 * o->epsilon + 1e-8);
        }
    }
}

static void compare(const ov_sweep *sweep, const cast *c, const ov_sweep_options *o, found *n) {
    size_t count;
    const ov_sweep_interval *v = ov_sweep_intervals(sweep, &count);
    for (size_t k = 0; k < count; k++) {
        CHECK(are_pair(&c->bodies[v[k].body_a], &c->bodies[v[k].body_b]));
    }
    for (uint32_t i = 0; i < BODIES; i++) {
        for (uint32_t j = i + 1; j < BODIES; j++) {
            for (int s = 0; s <= SAMPLES && are_pair(&c->bodies[i], &c->bodies[j]); s++) {
                compare_parts(sweep, c, i, j, o, (double)s / SAMPLES, n);
            }
        }
    }
}

/** First contact alone, fewer intervals, and other numbers of threads, against the whole. */
/** What a sweep tells of its progress. */
typedef struct watcher {
    size_t calls;
    double last;
} watcher;

static void watch(void *user, double done) {
    watcher *w = user;
    CHECK(done >= w->last && done <= 1.0);
    w->last = done;
    w->calls++;
}

/** Progress goes from 0 to 1, and being watched changes nothing. */
static void check_progress(const ov_sweep *all, const cast *c, ov_sweep_options o) {
    static const unsigned threads[] = {1, 3};
    for (int i = 0; i < 4; i++) {
        watcher w = {0, 0.0};
        ov_sweep *again = NULL;
        o.threads.count = threads[i % 2];
        o.first_only = i >= 2;
        o.progress = watch;
        o.progress_user = &w;
        CHECK_OK(ov_sweep_bodies(c->bodies, BODIES, 0.0, 1.0, &o, &again, NULL));
        // the calling thread may have found nothing left to do, or others be the last; and a first
        // contact ends the work
        CHECK(o.threads.count > 1 || w.calls > 0);
        CHECK(o.threads.count > 1 || o.first_only || (w.calls > 10 && w.last == 1.0));
        CHECK(o.first_only || are_same(all, again));
        ov_sweep_destroy(again);
    }
}

static void compare_modes(const ov_sweep *all, const cast *c, ov_sweep_options o) {
    ov_sweep *again = NULL;
    scheduler_calls calls = {0};
    const ov_threads threads[] = {{.count = 2},
                                  {.count = 3},
                                  {.count = 7},
                                  scheduler_at(0, 3, &calls),
                                  scheduler_at(1, 7, &calls),
                                  scheduler_at(2, 5, &calls)};
    for (int i = 0; i < 6; i++) {
        o.threads = threads[i];
        CHECK_OK(ov_sweep_bodies(c->bodies, BODIES, 0.0, 1.0, &o, &again, NULL));
        CHECK(are_same(all, again));
        ov_sweep_destroy(again);
    }
    ov_sweep_summary whole = ov_sweep_summary_of(all);
    size_t count, kept;
    const ov_sweep_interval *v = ov_sweep_intervals(all, &count);
    o.intervals = 1 + count / 2;
    CHECK_OK(ov_sweep_bodies(c->bodies, BODIES, 0.0, 1.0, &o, &again, NULL));
    const ov_sweep_interval *w = ov_sweep_intervals(again, &kept);
    CHECK(kept == (count < o.intervals ? count : o.intervals));
    CHECK(ov_sweep_summary_of(again).intervals == count);
    CHECK(ov_sweep_summary_of(again).lower == whole.lower);
    CHECK(ov_sweep_summary_of(again).upper == whole.upper);
    for (size_t i = 0; i < kept; i++) {
        CHECK(v[i].start == w[i].start && v[i].body_b == w[i].body_b); // the first ones
    }
    ov_sweep_destroy(again);
    o.intervals = 1000;
    o.first_only = true;
    CHECK_OK(ov_sweep_bodies(c->bodies, BODIES, 0.0, 1.0, &o, &again, NULL));
    check_form(again, 0.0, 1.0);
    ov_sweep_summary first = ov_sweep_summary_of(again);
    CHECK(first.lower >= whole.lower && first.lower <= fmin(whole.upper, 1.0));
    CHECK(whole.answer != OV_SWEEP_ANSWER_CONTACT || first.answer != OV_SWEEP_ANSWER_FREE);
    CHECK(first.answer != OV_SWEEP_ANSWER_CONTACT || first.upper >= whole.lower);
    ov_sweep_destroy(again);
}

static void test_scenes(void) {
    check_random r = check_random_make(81);
    found n = {0, 0, 0};
    size_t pieces = 0, intervals = 0;
    for (int i = 0; i < 3; i++) {
        cast c;
        cast_make(&r, &c);
        ov_sweep_options o = ov_default_sweep_options();
        o.epsilon = 1e-3;
        o.clearance = i % 2 == 0 ? 0.0 : 0.05;
        o.every_pair = i == 2;
        ov_sweep *sweep = NULL;
        CHECK_OK(ov_sweep_bodies(c.bodies, BODIES, 0.0, 1.0, &o, &sweep, NULL));
        check_form(sweep, 0.0, 1.0);
        compare(sweep, &c, &o, &n);
        compare_modes(sweep, &c, o);
        check_progress(sweep, &c, o);
        pieces += ov_sweep_summary_of(sweep).pieces;
        intervals += ov_sweep_summary_of(sweep).intervals;
        ov_sweep_destroy(sweep);
        cast_free(&c);
    }
    CHECK(n.met > 150 && n.clear > 150 && n.inside > 0 && intervals > 20);
    printf("%s: %ld samples in contact, %ld of them inside, %ld close ones clear, %zu intervals, "
           "%zu pieces\n",
           check_suite, n.met, n.inside, n.clear, intervals, pieces);
}

/* ---- closed forms */

/** Three balls in a row pass two that rest: an interval of each pair, to the time it is known. */
static void test_balls(void) {
    const double moving[3] = {0.0, 2.0, 4.5}, resting[2] = {0.0, 3.0};
    ov_geometry *a = balls(moving, 3, 0.5), *b = balls(resting, 2, 0.4);
    ov_motion *m = straight(at(-12.0, 0.3, 0.0), at(12.0, 0.3, 0.0));
    const ov_sweep_body bodies[2] = {body_of(a, m, origin), body_of(b, NULL, origin)};
    double worst = 0.0;
    for (int k = 0; k < 3; k++) {
        ov_sweep_options o = ov_default_sweep_options();
        o.epsilon = k == 0 ? 1e-3 : 1e-5;
        o.clearance = k == 2 ? 0.25 : 0.0;
        double reach = 0.9 + o.clearance, half = sqrt(reach * reach - 0.09);
        ov_sweep *sweep = NULL;
        CHECK_OK(ov_sweep_bodies(bodies, 2, 0.0, 1.0, &o, &sweep, NULL));
        check_form(sweep, 0.0, 1.0);
        size_t count;
        const ov_sweep_interval *v = ov_sweep_intervals(sweep, &count);
        CHECK(count == 6);
        double first = INFINITY;
        for (size_t i = 0; i < count; i++) {
            double middle = resting[v[i].part_b] - moving[v[i].part_a];
            double in = (middle - half + 12.0) / 24.0, out = (middle + half + 12.0) / 24.0;
            first = fmin(first, in);
            CHECK(v[i].start <= in + 1e-14 && v[i].end >= out - 1e-14);
            CHECK(v[i].contact >= in - 1e-14 && v[i].contact <= out + 1e-14);
            CHECK(v[i].element == OV_SWEEP_ELEMENT_PARTS && v[i].index_a == 0 && v[i].index_b == 0);
            double over = fmax(in - v[i].start, v[i].end - out) * 24.0 / o.epsilon;
            worst = fmax(worst, over);
        }
        ov_sweep_summary s = ov_sweep_summary_of(sweep);
        CHECK(s.lower <= first + 1e-14 && s.upper >= first - 1e-14);
        ov_sweep_destroy(sweep);
    }
    // an interval ends where less than twice epsilon is left, which is further along the way
    check_worst("intervals too long, by epsilon", worst, 10.0);
    CHECK(worst <= 10.0);
    ov_motion_destroy(m);
    ov_geometry_destroy(a);
    ov_geometry_destroy(b);
}

/** A ball goes down through a plate of polygons, and comes to rest in a floor. */
static void test_plate_and_floor(void) {
    const double one[1] = {0.0};
    ov_geometry *a = balls(one, 1, 0.25), *ground = NULL;
    ov_part floor = {.pose = origin};
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), -5.0, &floor.shape));
    CHECK_OK(ov_geometry_create(&floor, 1, NULL, &ground));
    ov_polygons *plate = polygons_square(3);
    ov_motion *m = straight(at(0.1, 0.2, 5.0), at(0.1, 0.2, -5.0));
    ov_sweep_body bodies[3] = {body_of(a, m, origin), body_of(ground, NULL, origin),
                               body_of(NULL, NULL, origin)};
    bodies[2].polygons = plate;
    ov_sweep *sweep = NULL;
    size_t count;
    CHECK_OK(ov_sweep_bodies(bodies, 3, 0.0, 1.0, NULL, &sweep, NULL));
    check_form(sweep, 0.0, 1.0);
    const ov_sweep_interval *v = ov_sweep_intervals(sweep, &count);
    if (CHECK(count == 2)) {
        CHECK(v[0].body_a == 0 && v[0].body_b == 2);
        CHECK(v[0].start <= 0.475 && v[0].end >= 0.525 && v[0].contact >= 0.475);
        CHECK_NEAR(v[0].start, 0.475, 1e-5);
        CHECK_NEAR(v[0].end, 0.525, 1e-5);
        CHECK(v[1].body_b == 1 && v[1].end == 1.0);
        CHECK(v[1].start <= 0.975 && v[1].contact >= 0.975);
        CHECK_NEAR(v[1].start, 0.975, 1e-5);
    }
    ov_sweep_destroy(sweep);
    ov_polygons_destroy(plate);
    ov_motion_destroy(m);
    ov_geometry_destroy(a);
    ov_geometry_destroy(ground);
}

/* ---- which bodies are pairs */

/** How many pairs of bodies are reported. */
static size_t count_pairs(const ov_sweep_body *bodies, size_t count) {
    ov_sweep *sweep = NULL;
    CHECK_OK(ov_sweep_bodies(bodies, count, 0.0, 1.0, NULL, &sweep, NULL));
    check_form(sweep, 0.0, 1.0);
    size_t found = ov_sweep_summary_of(sweep).intervals;
    ov_sweep_destroy(sweep);
    return found;
}

static void test_filters(void) {
    const double one[1] = {0.0}, two[2] = {0.0, 0.5};
    ov_geometry *g = balls(one, 1, 1.0), *overlapping = balls(two, 2, 1.0);
    ov_motion *m = straight(at(-5.0, 0.0, 0.0), at(5.0, 0.0, 0.0));
    ov_sweep_body b[3] = {body_of(g, m, origin), body_of(g, NULL, origin),
                          body_of(g, NULL, at(0.1, 0.0, 0.0))};
    CHECK(count_pairs(NULL, 0) == 0);
    CHECK(count_pairs(b, 1) == 0);
    CHECK(count_pairs(b, 2) == 1);
    CHECK(count_pairs(b, 3) == 2); // those at rest overlap each other, and are no pair
    CHECK(count_pairs(b + 1, 2) == 0);
    b[1].group = 4;
    b[0].mask = ~4u;
    CHECK(count_pairs(b, 3) == 1);
    b[0].mask = UINT32_MAX;
    b[1].mask = 2; // the other way round
    CHECK(count_pairs(b, 3) == 1);
    b[1].mask = 1;
    CHECK(count_pairs(b, 3) == 2);
    b[2].group = b[2].mask = 0; // the defaults
    CHECK(count_pairs(b, 3) == 2);
    b[2].no_pairs = true;
    CHECK(count_pairs(b, 3) == 1);
    // parts of one body are no pairs either
    ov_sweep_body alone = body_of(overlapping, m, origin);
    CHECK(count_pairs(&alone, 1) == 0);
    // two that go together on the same motion are
    const ov_sweep_body both[2] = {body_of(g, m, origin), body_of(g, m, at(0.0, 1.0, 0.0))};
    CHECK(count_pairs(both, 2) == 1);
    ov_motion_destroy(m);
    ov_geometry_destroy(g);
    ov_geometry_destroy(overlapping);
}

/* ---- bad input */

static ov_status sweep_three(const ov_sweep_body *b, double start, double end, ov_fault *fault) {
    ov_sweep *sweep = (ov_sweep *)&sweep;
    *fault = (ov_fault){OV_FAULT_PLACE_ROW, 77, ""};
    ov_status status = ov_sweep_bodies(b, 3, start, end, NULL, &sweep, fault);
    CHECK((status == OV_OK) == (sweep != NULL));
    ov_sweep_destroy(sweep);
    return status;
}

static bool blames(const ov_fault *fault, size_t body) {
    return fault->place == OV_FAULT_PLACE_BODY && fault->index == body && fault->text[0] != '\0';
}

/** Bodies to be spoilt one by one. */
typedef struct sample {
    ov_geometry *ball, *ground;
    ov_polygons *square;
    ov_motion *motion, *affine;
    ov_sweep_body good[3]; /**< a ball that moves, a floor, a ball that rests */
} sample;

static sample sample_make(void) {
    sample s = {0};
    const double one[1] = {0.0};
    ov_part floor = {.pose = origin};
    s.ball = balls(one, 1, 1.0);
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), -5.0, &floor.shape));
    CHECK_OK(ov_geometry_create(&floor, 1, NULL, &s.ground));
    s.square = polygons_square(1);
    s.motion = straight(at(-5.0, 0.0, 0.0), at(5.0, 0.0, 0.0));
    const ov_affine controls[2] = {ov_affine_from_pose(origin),
                                   ov_affine_from_pose(at(1.0, 0.0, 0.0))};
    CHECK_OK(ov_motion_create_bezier(controls, NULL, 2, 0.0, 1.0, NULL, &s.affine));
    s.good[0] = body_of(s.ball, s.motion, origin);
    s.good[1] = body_of(s.ground, NULL, origin);
    s.good[2] = body_of(s.ball, NULL, at(0.0, 3.0, 0.0));
    return s;
}

static void sample_free(sample *s) {
    ov_motion_destroy(s->motion);
    ov_motion_destroy(s->affine);
    ov_polygons_destroy(s->square);
    ov_geometry_destroy(s->ball);
    ov_geometry_destroy(s->ground);
}

static void test_bad_times(void) {
    sample s = sample_make();
    ov_sweep *sweep = NULL;
    ov_fault fault;
    CHECK_OK(sweep_three(s.good, 0.0, 1.0, &fault));
    CHECK(fault.place == OV_FAULT_PLACE_NONE && fault.index == 0);
    CHECK_STATUS(ov_sweep_bodies(s.good, 3, 0.0, 1.0, NULL, NULL, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_sweep_bodies(NULL, 3, 0.0, 1.0, NULL, &sweep, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_sweep_bodies(s.good, SIZE_MAX, 0.0, 1.0, NULL, &sweep, &fault), OV_ERROR_COUNT);
    CHECK_STATUS(sweep_three(s.good, 1.0, 0.0, &fault), OV_ERROR_TIME);
    CHECK_STATUS(sweep_three(s.good, 0.5, 0.5, &fault), OV_ERROR_TIME);
    CHECK_STATUS(sweep_three(s.good, NAN, 1.0, &fault), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(sweep_three(s.good, 0.0, INFINITY, &fault), OV_ERROR_NOT_FINITE);
    CHECK(fault.place == OV_FAULT_PLACE_NONE && fault.index == 0);
    CHECK_STATUS(sweep_three(s.good, -0.5, 1.0, &fault), OV_ERROR_TIME);
    CHECK(blames(&fault, 0));
    sample_free(&s);
}

static void test_bad_bodies(void) {
    sample s = sample_make();
    ov_sweep_body b[3];
    ov_fault fault;
    memcpy(b, s.good, sizeof b);
    b[2].geometry = NULL; // neither
    CHECK_STATUS(sweep_three(b, 0.0, 1.0, &fault), OV_ERROR_NULL);
    CHECK(blames(&fault, 2));
    b[2].geometry = s.ball; // both
    b[2].polygons = s.square;
    CHECK_STATUS(sweep_three(b, 0.0, 1.0, &fault), OV_ERROR_NULL);
    CHECK(blames(&fault, 2));
    b[2].geometry = NULL;
    CHECK_OK(sweep_three(b, 0.0, 1.0, &fault));
    b[1].motion = s.motion; // the floor moves
    CHECK_STATUS(sweep_three(b, 0.0, 1.0, &fault), OV_ERROR_UNBOUNDED);
    CHECK(blames(&fault, 1));
    memcpy(b, s.good, sizeof b);
    b[2].motion = s.affine; // a ball that is not rigid
    CHECK_STATUS(sweep_three(b, 0.0, 1.0, &fault), OV_ERROR_UNSUPPORTED);
    CHECK(blames(&fault, 2));
    b[2] = body_of(NULL, s.affine, origin);
    b[2].polygons = s.square; // against balls and a floor
    CHECK_STATUS(sweep_three(b, 0.0, 1.0, &fault), OV_ERROR_UNSUPPORTED);
    CHECK(blames(&fault, 2));
    b[2].no_pairs = true; // but against nothing it may
    CHECK_OK(sweep_three(b, 0.0, 1.0, &fault));
    sample_free(&s);
}

static void test_bad_poses(void) {
    sample s = sample_make();
    const double bad[2] = {NAN, INFINITY};
    ov_fault fault;
    for (uint32_t i = 0; i < 3; i++) {
        ov_sweep_body b[3];
        memcpy(b, s.good, sizeof b);
        for (int k = 0; k < 2; k++) {
            b[i].pose = origin;
            b[i].pose.position.y = bad[k];
            CHECK_STATUS(sweep_three(b, 0.0, 1.0, &fault), OV_ERROR_NOT_FINITE);
            CHECK(blames(&fault, i));
            b[i].pose = origin;
            b[i].pose.rotation.z = bad[k];
            CHECK_STATUS(sweep_three(b, 0.0, 1.0, &fault), OV_ERROR_NOT_FINITE);
            CHECK(blames(&fault, i));
        }
        b[i].pose = at(2e100, 0.0, 0.0);
        CHECK_STATUS(sweep_three(b, 0.0, 1.0, &fault), OV_ERROR_SIZE_RANGE);
        CHECK(blames(&fault, i));
    }
    sample_free(&s);
}

static void test_bad_options(void) {
    sample s = sample_make();
    ov_sweep *sweep = NULL;
    ov_sweep_options o = ov_default_sweep_options();
    o.mass = (ov_mass_use)OV_MASS_USE_COUNT;
    CHECK_STATUS(ov_sweep_bodies(s.good, 3, 0.0, 1.0, &o, &sweep, NULL), OV_ERROR_OPTION);
    o = ov_default_sweep_options();
    o.epsilon = NAN;
    CHECK_STATUS(ov_sweep_bodies(s.good, 3, 0.0, 1.0, &o, &sweep, NULL), OV_ERROR_NOT_FINITE);
    o.epsilon = -1.0;
    CHECK_STATUS(ov_sweep_bodies(s.good, 3, 0.0, 1.0, &o, &sweep, NULL), OV_ERROR_OPTION);
    CHECK(sweep == NULL);
    // what there is to ask of nothing
    size_t count = 5;
    ov_sweep_destroy(NULL);
    CHECK(ov_sweep_intervals(NULL, &count) == NULL && count == 0);
    CHECK(ov_sweep_summary_of(NULL).answer == OV_SWEEP_ANSWER_UNDECIDED);
    sample_free(&s);
}

/* ---- memory */

static ledger book;

/** Every call fails in turn; nothing is left behind, and no two threads ask at once. */
static void test_memory(void) {
    check_random r = check_random_make(82);
    cast c;
    cast_make(&r, &c);
    // the floor and few others, and the polygons
    enum { FEW = 7 };
    ov_sweep_body b[FEW];
    memcpy(b, c.bodies, sizeof b);
    b[5] = c.bodies[BODIES - 2];
    b[6] = c.bodies[BODIES - 1];
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        ov_sweep *expected = NULL, *sweep = NULL;
        ov_sweep_options o = ov_default_sweep_options();
        o.epsilon = 0.05;
        o.threads.count = threads;
        CHECK_OK(ov_sweep_bodies(b, FEW, 0.0, 1.0, &o, &expected, NULL));
        o.allocator = (ov_allocator){ledger_resize, &book};
        memset(&book, 0, sizeof book);
        CHECK_OK(ov_sweep_bodies(b, FEW, 0.0, 1.0, &o, &sweep, NULL));
        CHECK(are_same(expected, sweep));
        ov_sweep_destroy(sweep);
        CHECK(book.count == 0 && book.bytes == 0);
        long calls = book.calls;
        CHECK(calls > 20);
        for (long n = 1; n <= calls; n += threads) { // all of them, or a third
            memset(&book, 0, sizeof book);
            book.fails_from = book.fails_to = n;
            sweep = (ov_sweep *)&book;
            CHECK_STATUS(ov_sweep_bodies(b, FEW, 0.0, 1.0, &o, &sweep, NULL), OV_ERROR_MEMORY);
            CHECK(sweep == NULL && book.failures == 1);
            CHECK(book.count == 0 && book.bytes == 0);
        }
        printf("%s: %ld calls for memory with %u threads\n", check_suite, calls, threads);
        ov_sweep_destroy(expected);
    }
    cast_free(&c);
}

int main(void) {
    check_suite = "motion_sweep";
    RUN(test_scenes);
    RUN(test_balls);
    RUN(test_plate_and_floor);
    RUN(test_filters);
    RUN(test_bad_times);
    RUN(test_bad_bodies);
    RUN(test_bad_poses);
    RUN(test_bad_options);
    RUN(test_memory);
    return check_finish();
}
