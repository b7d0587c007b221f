/**
 * @file test_motion_promise_slow.c
 * @brief No false promise: random motions of random bodies, far, close and colliding, against the
 * dense samples of motion_oracle.h; and no useless one: what stays clear by more than twice epsilon
 * is always proven to be free.
 *
 * Each motion is first looked at with B somewhere near the way of A. B is then moved along the
 * normal of the closest place so that the least gap becomes what is wanted: shifted by s towards A
 * along that normal, the gap there is less by s, and nowhere less by more, so the least gap is
 * known before the sweep begins.
 *
 * OVOID_TEST_PAIRS sets the number of motions. One of a hundred is sampled without leaving anything
 * out.
 */
#include "motion_oracle.h"

enum { SOLIDS, HOLLOWS, MIXED, BODY_GROUPS };
static const char *const group_names[BODY_GROUPS] = {"solids", "polygons", "mixed"};

enum { SMOOTH, TAPERED, SHARP, DENTED, BOX, CAPSULE, POLYHEDRON };
enum { CLOSED, OPEN, LOOSE, HOLLOW_KINDS };

enum { SCREW, LINEAR, CUBIC, RATIONAL, SPIN, BEZIER, MOTION_KINDS };
static const char *const motion_names[MOTION_KINDS] = {"screw",    "linear keys", "cubic keys",
                                                       "rational", "fast spin",   "bezier"};

enum { FAR, CLOSE, COLLIDING, PLACES };

enum { KEYS_MAX = 5, POINTS_MAX = 24, FACES_MAX = 16 };

static const ov_pose origin = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};

/* ---- bodies */

typedef struct solid {
    ov_shape shape;
    ov_vec3 points[POINTS_MAX];
} solid;

static uint64_t pick(check_random *r, uint64_t of) { return (check_random_bits(r) >> 20) % of; }

static ov_vec3 some_axes(check_random *r, double size) {
    double a[3] = {size, size * check_log_uniform(r, 0.1, 1.0),
                   size * check_log_uniform(r, 0.1, 1.0)};
    uint64_t turn = pick(r, 3);
    return ov_vec3_make(a[turn], a[(turn + 1) % 3], a[(turn + 2) % 3]);
}

static void make_smooth(check_random *r, int kind, double size, ov_shape *s) {
    for (int i = 0; i < 200; i++) {
        ov_vec3 a = some_axes(r, size);
        double e1 = check_uniform(r, 0.1, 1.0), e2 = check_uniform(r, 0.1, 1.0);
        double tx = check_uniform(r, -0.8, 0.8),
               ty = pick(r, 2) == 0 ? tx : check_uniform(r, -0.8, 0.8);
        if (kind == SHARP) {
            e1 = pick(r, 4) == 0 ? 2.0 : check_uniform(r, 1.0, 2.0);
            e2 = pick(r, 4) == 0 ? 2.0 : check_uniform(r, 1.0, 2.0);
            tx = ty = 0.0;
        } else if (kind == SMOOTH) {
            tx = ty = 0.0;
        }
        ov_status status = ov_shape_make_superovoid(a, e1, e2, tx, ty, NULL, s);
        if (status == OV_OK && (kind != DENTED || s->dent > 0.0) &&
            (kind != TAPERED || s->dent == 0.0)) {
            return;
        }
    }
    CHECK_OK(ov_shape_make_ellipsoid(some_axes(r, size), s));
}

static void make_solid(check_random *r, double size, solid *b) {
    static const int kinds[] = {SMOOTH, SMOOTH, SMOOTH, TAPERED, TAPERED, SHARP,      SHARP,
                                DENTED, BOX,    BOX,    CAPSULE, CAPSULE, POLYHEDRON, POLYHEDRON};
    int kind = kinds[pick(r, sizeof kinds / sizeof kinds[0])];
    ov_vec3 a = some_axes(r, size);
    if (kind == BOX) {
        CHECK_OK(ov_shape_make_box(a, &b->shape));
    } else if (kind == CAPSULE) {
        CHECK_OK(ov_shape_make_capsule(a.x, a.y, &b->shape));
    } else if (kind == POLYHEDRON) {
        size_t count = 8 + pick(r, POINTS_MAX - 7);
        for (size_t i = 0; i < count; i++) {
            b->points[i] = ov_vec3_mul(check_unit_vector(r), a);
        }
        if (ov_shape_make_polyhedron(b->points, count, NULL, 0, &b->shape) != OV_OK) {
            CHECK_OK(ov_shape_make_box(a, &b->shape));
        }
    } else {
        make_smooth(r, kind, size, &b->shape);
    }
}

/** A frustum of n sides: bottom, top, and the sides; `open` leaves out one face or two. */
static ov_polygons *make_frustum(check_random *r, double size, bool open) {
    uint32_t n = 3 + (uint32_t)pick(r, 6), corners[8 * FACES_MAX], sizes[FACES_MAX], count = 0,
             at = 0;
    ov_vec3 points[16], a = some_axes(r, size);
    double top = pick(r, 3) == 0 ? 1.0 : check_uniform(r, 0.3, 1.0);
    for (uint32_t i = 0; i < n; i++) {
        double f = 2.0 * M_PI * i / n;
        points[i] = ov_vec3_make(a.x * cos(f), a.y * sin(f), -a.z);
        points[n + i] = ov_vec3_make(top * a.x * cos(f), top * a.y * sin(f), a.z);
    }
    uint32_t skip = open ? (uint32_t)pick(r, n + 2) : n + 2,
             skip2 = open ? (uint32_t)pick(r, n + 2) : n + 2;
    for (uint32_t f = 0; f < n + 2; f++) {
        if (f == skip || f == skip2) {
            continue;
        }
        sizes[count++] = f < 2 ? n : 4;
        for (uint32_t i = 0; i < n && f < 2; i++) {
            corners[at++] = f == 0 ? n - 1 - i : n + i;
        }
        if (f >= 2) {
            uint32_t i = f - 2, k = (i + 1) % n;
            const uint32_t side[4] = {i, k, n + k, n + i};
            memcpy(&corners[at], side, sizeof side);
            at += 4;
        }
    }
    ov_polygons *made = NULL;
    CHECK_OK(ov_polygons_create(points, 2 * n, corners, sizes, count, NULL, &made, NULL));
    return made;
}

/** A few convex polygons that do not hang together. */
static ov_polygons *make_loose(check_random *r, double size) {
    uint32_t count = 1 + (uint32_t)pick(r, 4), corners[32], sizes[4], at = 0;
    ov_vec3 points[32];
    for (uint32_t i = 0; i < count; i++) {
        ov_quat q = check_rotation(r);
        ov_vec3 middle = ov_vec3_scale(check_unit_vector(r), count > 1 ? 0.4 * size : 0.0);
        uint32_t n = sizes[i] = 3 + (uint32_t)pick(r, 6);
        double wide = 0.6 * size, narrow = wide * check_log_uniform(r, 0.1, 1.0);
        for (uint32_t k = 0; k < n; k++, at++) {
            double f = 2.0 * M_PI * (k + check_uniform(r, 0.0, 0.7)) / n;
            ov_vec3 flat = {wide * cos(f), narrow * sin(f), 0.0};
            points[at] = ov_vec3_add(middle, ov_quat_rotate(q, flat));
            corners[at] = at;
        }
    }
    ov_polygons *made = NULL;
    CHECK_OK(ov_polygons_create(points, at, corners, sizes, count, NULL, &made, NULL));
    return made;
}

/* ---- motions */

/** What a motion is made of, so that it can be made again somewhere else. */
typedef struct recipe {
    int kind;
    double start, end;
    ov_pose first;
    ov_vec3 point, axis;
    double angle, travel;
    ov_pose poses[KEYS_MAX];
    double times[KEYS_MAX], weights[KEYS_MAX];
    ov_quat turns[KEYS_MAX];
    ov_vec3 places[KEYS_MAX];
    ov_affine controls[KEYS_MAX];
    size_t count, turn_count;
} recipe;

static ov_vec3 some_vector(check_random *r, double most) {
    return ov_vec3_scale(check_unit_vector(r), most * check_uniform(r, 0.0, 1.0));
}

static void draw_keys(check_random *r, double way, recipe *m) {
    m->count = 2 + pick(r, KEYS_MAX - 1);
    for (size_t i = 0; i < m->count; i++) {
        m->poses[i] = (ov_pose){some_vector(r, way), check_rotation(r)};
        double part =
            i == 0 ? 0.0 : ((double)i + check_uniform(r, -0.3, 0.3)) / (double)(m->count - 1);
        m->times[i] = m->start + (m->end - m->start) * part;
    }
    m->times[m->count - 1] = m->end;
}

static void draw_rational(check_random *r, double way, recipe *m) {
    m->count = 1 + pick(r, KEYS_MAX);
    m->turn_count = m->count == 1 ? 2 + pick(r, 2) : 1 + pick(r, 4);
    ov_quat turn = check_rotation(r);
    for (size_t i = 0; i < KEYS_MAX; i++) {
        m->places[i] = some_vector(r, way);
        m->weights[i] = check_log_uniform(r, 0.3, 3.0);
        m->turns[i] = turn;
        ov_quat more = ov_quat_from_axis_angle(check_unit_vector(r), check_uniform(r, 0.0, 2.5));
        turn = ov_quat_mul(more, turn);
    }
}

/** Not rigid: rotations of up to a radian, each a little out of shape. */
static void draw_bezier(check_random *r, double way, recipe *m) {
    m->count = 2 + pick(r, KEYS_MAX - 1);
    ov_vec3 axis = check_unit_vector(r);
    ov_quat first = check_rotation(r);
    for (size_t i = 0; i < m->count; i++) {
        ov_quat turn = ov_quat_from_axis_angle(axis, (double)i * check_uniform(r, 0.1, 0.3));
        ov_affine *c = &m->controls[i];
        *c = ov_affine_from_pose((ov_pose){some_vector(r, way), ov_quat_mul(turn, first)});
        c->linear.cx = ov_vec3_add(c->linear.cx, some_vector(r, 0.05));
        c->linear.cy = ov_vec3_add(c->linear.cy, some_vector(r, 0.05));
        c->linear.cz = ov_vec3_add(c->linear.cz, some_vector(r, 0.05));
        m->weights[i] = check_log_uniform(r, 0.3, 3.0);
    }
}

static void draw_motion(check_random *r, int kind, double size, recipe *m) {
    double way = size * check_log_uniform(r, 0.3, 10.0);
    m->kind = kind;
    m->first = (ov_pose){some_vector(r, way), check_rotation(r)};
    m->axis = check_unit_vector(r);
    m->travel = check_uniform(r, -way, way);
    if (kind == SCREW) {
        m->angle = check_uniform(r, -2.0 * M_PI, 2.0 * M_PI);
        m->point = some_vector(r, way);
    } else if (kind == SPIN) {
        m->angle = 2.0 * M_PI * check_log_uniform(r, 2.0, 50.0);
        m->point = ov_vec3_add(m->first.position, some_vector(r, 0.5 * size));
        m->travel *= check_uniform(r, 0.0, 0.5);
    } else if (kind == RATIONAL) {
        draw_rational(r, way, m);
    } else if (kind == BEZIER) {
        draw_bezier(r, way, m);
    } else {
        draw_keys(r, way, m);
    }
}

static ov_motion *make_motion(const recipe *given, ov_vec3 shift) {
    recipe m = *given;
    m.first.position = ov_vec3_add(m.first.position, shift);
    m.point = ov_vec3_add(m.point, shift);
    for (size_t i = 0; i < KEYS_MAX; i++) {
        m.poses[i].position = ov_vec3_add(m.poses[i].position, shift);
        m.places[i] = ov_vec3_add(m.places[i], shift);
        m.controls[i].translation = ov_vec3_add(m.controls[i].translation, shift);
    }
    ov_motion *made = NULL;
    ov_status status;
    switch (m.kind) {
    case RATIONAL:
        status = ov_motion_create_rational(m.turns, m.turn_count, m.places, m.weights, m.count,
                                           m.start, m.end, NULL, &made);
        break;
    case BEZIER:
        status =
            ov_motion_create_bezier(m.controls, m.weights, m.count, m.start, m.end, NULL, &made);
        break;
    case LINEAR:
    case CUBIC:
        status = ov_motion_create_keys(m.poses, m.times, m.count,
                                       m.kind == CUBIC ? OV_SPLINE_CUBIC : OV_SPLINE_LINEAR, NULL,
                                       &made);
        break;
    default:
        status = ov_motion_create_screw(m.first, m.point, m.axis, m.angle, m.travel, m.start, m.end,
                                        NULL, &made);
    }
    CHECK_OK(status);
    return made;
}

/* ---- a case: two bodies, their motions, and what is asked */

typedef struct side {
    solid solid;
    ov_polygons *polygons;
    bool closed;
    ov_geometry *geometry;
    ov_pose pose;
    bool moves;
    recipe recipe;
    ov_motion *motion;
    double size;
} side;

typedef struct trial {
    long number;
    int group, kind, place;
    side a, b;
    double size, start, end;
    ov_sweep_options options;
    double target; // the least gap; NaN: not known
    bool all;
} trial;

static void draw_side(check_random *r, bool hollow, double size, side *s) {
    s->size = size;
    if (!hollow) {
        make_solid(r, size, &s->solid);
        s->size = s->solid.shape.ball.radius;
        return;
    }
    uint64_t kind = pick(r, HOLLOW_KINDS);
    s->closed = kind == CLOSED;
    s->polygons = kind == LOOSE ? make_loose(r, size) : make_frustum(r, size, kind == OPEN);
}

static void make_geometry(side *s) {
    if (s->polygons == NULL) {
        const ov_part part = {.shape = s->solid.shape, .pose = origin};
        CHECK_OK(ov_geometry_create(&part, 1, NULL, &s->geometry));
    }
}

/** Makes the motion of a side, or moves its resting place. */
static void put(side *s, ov_vec3 shift) {
    ov_motion_destroy(s->motion);
    s->motion = NULL;
    if (s->moves) {
        s->motion = make_motion(&s->recipe, shift);
    }
}

static void draw_trial(check_random *r, long number, trial *t) {
    memset(t, 0, sizeof *t);
    t->number = number;
    t->all = number % 100 == 7;
    t->place = (int)(number % PLACES);
    uint64_t draw = pick(r, 10);
    t->group = draw < 6 ? SOLIDS : draw < 9 ? HOLLOWS : MIXED;
    t->kind = (int)pick(r, t->group == HOLLOWS ? MOTION_KINDS : MOTION_KINDS - 1);
    double scale = check_log_uniform(r, 1e-2, 1e2), ratio = check_log_uniform(r, 0.2, 5.0);
    draw_side(r, t->group == HOLLOWS || (t->group == MIXED && number % 2 == 0), scale, &t->a);
    draw_side(r, t->group == HOLLOWS || (t->group == MIXED && number % 2 != 0), scale * ratio,
              &t->b);
    t->size = fmin(t->a.size, t->b.size);
    t->a.moves = true;
    t->b.moves = pick(r, 5) < 2;
    t->start = check_uniform(r, -2.0, 2.0);
    t->end = t->start + check_log_uniform(r, 0.01, 100.0);
    t->a.recipe.start = t->b.recipe.start = t->start;
    t->a.recipe.end = t->b.recipe.end = t->end;
    draw_motion(r, t->kind, fmax(t->a.size, t->b.size), &t->a.recipe);
    draw_motion(r, pick(r, 2) == 0 ? t->kind : (int)pick(r, MOTION_KINDS - 1),
                fmax(t->a.size, t->b.size), &t->b.recipe);
    t->a.pose = pick(r, 2) == 0 ? origin : (ov_pose){some_vector(r, scale), check_rotation(r)};
    t->b.pose = (ov_pose){some_vector(r, t->b.moves ? scale : 0.0), check_rotation(r)};
    t->options = ov_default_sweep_options();
    t->options.epsilon = t->size * check_log_uniform(r, 3e-5, 1e-2);
    t->options.clearance = pick(r, 8) == 0 ? t->size * check_log_uniform(r, 1e-3, 1.0) : 0.0;
    t->options.first_only = number / 3 % 2 == 0;
    make_geometry(&t->a);
    make_geometry(&t->b);
}

static void free_side(side *s) {
    ov_motion_destroy(s->motion);
    ov_polygons_destroy(s->polygons);
    ov_geometry_destroy(s->geometry);
}

static mo_pair oracle;

static void ready_side(const side *s, mo_body *b) {
    if (s->polygons != NULL) {
        mo_body_set_polygons(b, s->polygons, s->closed, s->pose, s->motion);
    } else {
        mo_body_set(b, &s->solid.shape, s->pose, s->motion);
    }
}

/** Shows the bodies as they are now to the oracle. */
static void ready(const trial *t) {
    ready_side(&t->a, &oracle.a);
    ready_side(&t->b, &oracle.b);
    mo_pair_ready(&oracle, t->start, t->end);
}

/** Moves B, together with its motion. */
static void shift_b(trial *t, ov_vec3 *where, ov_vec3 by) {
    *where = ov_vec3_add(*where, by);
    put(&t->b, *where);
    if (!t->b.moves) {
        t->b.pose.position = *where;
    }
    ready(t);
}

static double draw_target(check_random *r, const trial *t, double least) {
    double e = t->options.epsilon;
    if (t->place == CLOSE) {
        return t->options.clearance + e * check_uniform(r, -3.0, 3.0);
    }
    if (t->place == FAR) {
        return fmin(least, t->options.clearance + e * check_log_uniform(r, 2.01, 1e4));
    }
    return -t->size * check_log_uniform(r, 0.01, 1.0);
}

/** Brings B to where the motion is as close as is wanted. */
static void place(check_random *r, trial *t) {
    ov_vec3 where = {0.0, 0.0, 0.0};
    put(&t->a, where);
    t->b.motion = NULL;
    if (t->b.moves) {
        put(&t->b, where);
    }
    ready(t);
    // near to where A is at some time
    double time = check_uniform(r, t->start, t->end), near = t->a.size + t->b.size;
    ov_vec3 to = mo_place_at(&oracle.a, time).translation;
    ov_vec3 from = mo_place_at(&oracle.b, time).translation;
    bool within = t->a.polygons != NULL && t->b.polygons != NULL && pick(r, 6) == 0;
    ov_vec3 off = some_vector(r, within ? 0.1 * near : 2.0 * near);
    shift_b(t, &where, ov_vec3_add(ov_vec3_sub(to, from), off));
    mo_least least = mo_search_between(&oracle, t->start, t->end, -INFINITY, false);
    ov_vec3 away = check_unit_vector(r);
    for (int i = 0; i < 8 && least.gap <= 0.0 && t->place != COLLIDING; i++) {
        shift_b(t, &where, ov_vec3_scale(away, near));
        least = mo_search_between(&oracle, t->start, t->end, -INFINITY, false);
    }
    t->target = NAN;
    if (least.gap > 0.0) {
        t->target = draw_target(r, t, least.gap);
        shift_b(t, &where, ov_vec3_scale(least.n, t->target - least.gap));
        // away from A it may come closer elsewhere, and what overlaps is not known this way
        bool known = t->target > 0.0 && t->target <= least.gap;
        t->target = known ? t->target : NAN;
    }
}

/* ---- checks */

typedef struct tally {
    long motions, answers[3], pieces, queries, tests;
    long promised;  // free where the oracle looked at all of the time
    long clear;     // clearance above twice epsilon
    double closest; // of what was called free, by epsilon
} tally;

static tally by_motion[MOTION_KINDS], by_group[BODY_GROUPS];
static double worst_upper, worst_target;
static long spans_checked, gaps;

static void print_body(const char *name, const side *s) {
    const ov_shape *h = &s->solid.shape;
    fprintf(stderr, "  %s: %s a (%.17g, %.17g, %.17g) e %.17g %.17g t %.17g %.17g dent %.3g\n",
            name, s->polygons != NULL ? "polygons" : ov_shape_kind_name(h->kind), h->a.x, h->a.y,
            h->a.z, h->e1, h->e2, h->tx, h->ty, h->dent);
}

static void print_trial(const trial *t) {
    if (!check_may_print()) {
        return;
    }
    fprintf(
        stderr,
        "  motion %ld: %s, %s, size %.17g, epsilon %.17g, clearance %.17g, times %.17g to %.17g, "
        "first only %d, both move %d, least gap %.6g epsilons\n",
        t->number, group_names[t->group], motion_names[t->kind], t->size, t->options.epsilon,
        t->options.clearance, t->start, t->end, t->options.first_only, t->b.moves,
        (t->target - t->options.clearance) / t->options.epsilon);
    print_body("a", &t->a);
    print_body("b", &t->b);
}

/** What a sweep says, in one form for all of them. */
typedef struct claim {
    ov_sweep_answer answer;
    double lower, upper;
    const ov_sweep_interval *intervals;
    size_t count;
    size_t pieces, queries, tests;
} claim;

/** Between two times nothing meets, it was said. */
static bool check_span(const trial *t, double from, double to) {
    if (!(to > from)) {
        return true;
    }
    spans_checked++;
    double level = t->options.clearance;
    mo_least found = mo_search_between(&oracle, from, to, level, t->all);
    bool met = level > 0.0 ? found.gap < level - 1e-9 * t->size : found.depth > 1e-9 * t->size;
    if (!CHECK(!met)) {
        fprintf(stderr, "  free from %.17g to %.17g, but gap %.6g, depth %.6g at %.17g\n", from, to,
                found.gap, found.depth, found.time);
        return false;
    }
    return true;
}

/** No contact outside of the intervals; these are in order of their starts. */
static bool check_rest(const trial *t, const claim *c) {
    double free_from = t->start;
    bool good = true;
    for (size_t i = 0; i < c->count && good; i++) {
        good = check_span(t, free_from, c->intervals[i].start);
        free_from = fmax(free_from, c->intervals[i].end);
    }
    return good && check_span(t, free_from, t->end);
}

/** The contact that is said to be there. */
static bool check_contact(const trial *t, double time) {
    mo_gap g = mo_gap_at(&oracle, time, 1e-12 * t->size, INFINITY);
    double over = (g.upper - t->options.clearance) / t->size;
    worst_upper = fmax(worst_upper, over);
    if (!CHECK(over <= 1e-9)) {
        fprintf(stderr, "  contact at %.17g, but gap %.6g\n", time, g.upper);
        return false;
    }
    return true;
}

static void count_claim(const trial *t, const claim *c, double clear, tally *n) {
    n->motions++;
    n->answers[c->answer]++;
    n->pieces += (long)c->pieces;
    n->queries += (long)c->queries;
    n->tests += (long)c->tests;
    n->promised += c->answer == OV_SWEEP_FREE;
    n->clear += clear > 2.0;
    if (c->answer == OV_SWEEP_FREE && t->target > 0.0) {
        n->closest = n->closest == 0.0 ? clear : fmin(n->closest, clear);
    }
}

static bool check_claim(const trial *t, const claim *c) {
    bool good = true, first = t->options.first_only;
    if (c->answer == OV_SWEEP_FREE) {
        good =
            CHECK(c->lower == t->end) && CHECK(isinf(c->upper)) && check_span(t, t->start, t->end);
    } else if (first) {
        good = check_span(t, t->start, c->lower);
    } else {
        good = CHECK(c->count > 0) && check_rest(t, c);
    }
    if (c->answer == OV_SWEEP_CONTACT) {
        good =
            CHECK(c->upper >= c->lower && c->upper <= t->end) && check_contact(t, c->upper) && good;
    }
    // how clear the motion is: known by its making where it was shifted
    double clear = (t->target - 1e-9 * t->size - t->options.clearance) / t->options.epsilon;
    if (c->answer == OV_SWEEP_UNDECIDED || t->all) {
        mo_least least = mo_search_between(&oracle, t->start, t->end, -INFINITY, t->all);
        if (t->target > 0.0) {
            worst_target = fmax(worst_target, fabs(least.gap - t->target) / t->size);
        }
        clear = (least.gap - 1e-9 * t->size - t->options.clearance) / t->options.epsilon;
    }
    if (clear > 2.0) {
        good = CHECK(c->answer == OV_SWEEP_FREE) && good;
    }
    count_claim(t, c, clear, &by_motion[t->kind]);
    count_claim(t, c, clear, &by_group[t->group]);
    return good;
}

static ov_sweep_body body_of(const side *s) {
    ov_sweep_body b = ov_default_sweep_body();
    b.geometry = s->geometry;
    b.polygons = s->polygons;
    b.motion = s->motion;
    b.pose = s->pose;
    return b;
}

static bool sweep_bodies(const trial *t) {
    const ov_sweep_body bodies[2] = {body_of(&t->a), body_of(&t->b)};
    ov_sweep *sweep = NULL;
    if (!CHECK_OK(ov_sweep_bodies(bodies, 2, t->start, t->end, &t->options, &sweep, NULL))) {
        return false;
    }
    ov_sweep_summary s = ov_sweep_summary_of(sweep);
    claim c = {.answer = s.answer, .lower = s.lower, .upper = s.upper};
    c.pieces = s.pieces;
    c.queries = s.queries;
    c.tests = s.tests;
    c.intervals = ov_sweep_intervals(sweep, &c.count);
    bool good = check_claim(t, &c);
    ov_sweep_destroy(sweep);
    return good;
}

static bool sweep_pair(const trial *t) {
    ov_sweep_pair pair = {&t->a.solid.shape, &t->b.solid.shape, t->a.motion,
                          t->b.motion,       t->a.pose,         t->b.pose};
    ov_first_contact f;
    ov_status status = ov_sweep_pair_first(&pair, t->start, t->end, &t->options, &f);
    if (!CHECK(status == OV_OK || status == OV_NOT_CONVERGED)) {
        return false;
    }
    claim c = {.answer = f.answer, .lower = f.lower, .upper = f.upper};
    c.pieces = f.pieces;
    c.queries = f.queries;
    c.tests = f.tests;
    return check_claim(t, &c);
}

static void print_tally(const char *name, const tally *n) {
    double motions = fmax(1.0, (double)n->motions);
    printf("%14s %8ld %8ld %8ld %9ld %8ld %10.3f %9.1f %9.1f %9.1f\n", name, n->motions,
           n->answers[OV_SWEEP_FREE], n->answers[OV_SWEEP_CONTACT], n->answers[OV_SWEEP_UNDECIDED],
           n->clear, n->closest, (double)n->pieces / motions, (double)n->tests / motions,
           (double)n->queries / motions);
}

static void test_promises(void) {
    const char *text = getenv("OVOID_TEST_PAIRS");
    long motions = text != NULL ? strtol(text, NULL, 10) : 300;
    check_random r = check_random_make(6201);
    for (long i = 0; i < motions; i++) {
        trial t;
        draw_trial(&r, i, &t);
        place(&r, &t);
        bool plain = t.group == SOLIDS && t.options.first_only && i / 6 % 2 == 0;
        bool good = plain ? sweep_pair(&t) : sweep_bodies(&t);
        if (!good) {
            print_trial(&t);
        }
        gaps += oracle.gaps;
        oracle.gaps = 0;
        free_side(&t.a);
        free_side(&t.b);
    }
    printf("%s: %ld motions\n%14s %8s %8s %8s %9s %8s %10s %9s %9s %9s\n", check_suite, motions, "",
           "motions", "free", "contact", "undecided", "> 2 eps", "least free", "pieces", "tests",
           "queries");
    long answers[3] = {0, 0, 0};
    for (int i = 0; i < MOTION_KINDS; i++) {
        print_tally(motion_names[i], &by_motion[i]);
        for (int k = 0; k < 3; k++) {
            answers[k] += by_motion[i].answers[k];
        }
    }
    for (int i = 0; i < BODY_GROUPS; i++) {
        print_tally(group_names[i], &by_group[i]);
    }
    printf("%s: %ld spans of time looked at, %.0f gaps a motion\n", check_suite, spans_checked,
           (double)gaps / (double)motions);
    check_worst("gap where contact is proven, of the size", worst_upper, 1e-9);
    check_worst("least gap against the one meant, of the size", worst_target, 1e-6);
    CHECK(answers[OV_SWEEP_FREE] > motions / 4 && answers[OV_SWEEP_CONTACT] > motions / 4);
    CHECK(worst_target <= 1e-6);
}

int main(void) {
    check_suite = "motion_promise_slow";
    RUN(test_promises);
    return check_finish();
}
