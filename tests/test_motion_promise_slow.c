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
#include "motion_cases.h"
#include "motion_oracle.h"

enum { SOLIDS, HOLLOWS, MIXED, BODY_GROUPS };
static const char *const group_names[BODY_GROUPS] = {"solids", "polygons", "mixed"};

enum { FAR, CLOSE, COLLIDING, PLACES };

static const ov_pose origin = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};

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
    t->options.clearance = pick(r, 8) == 0 ? t->size * check_log_uniform(r, 1e-3, 1.0) : 0.0;
    t->options.first_only = number / 3 % 2 == 0;
    t->options.every_pair = pick(r, 4) == 0;
    t->options.mass = pick(r, 3) == 0 ? OV_MASS_USE_GLOBAL : OV_MASS_USE_INDIVIDUAL;
    // all of a long contact in small steps would take most of the time of this test
    bool is_long = t->place == COLLIDING && !t->options.first_only;
    t->options.epsilon = t->size * check_log_uniform(r, is_long ? 1e-3 : 3e-5, 1e-2);
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
static long intervals_checked, gaps;

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
static bool check_interval(const trial *t, double from, double to) {
    if (!(to > from)) {
        return true;
    }
    intervals_checked++;
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
        good = check_interval(t, free_from, c->intervals[i].start);
        free_from = fmax(free_from, c->intervals[i].end);
    }
    return good && check_interval(t, free_from, t->end);
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
    n->promised += c->answer == OV_SWEEP_ANSWER_FREE;
    n->clear += clear > 2.0;
    if (c->answer == OV_SWEEP_ANSWER_FREE && t->target > 0.0) {
        n->closest = n->closest == 0.0 ? clear : fmin(n->closest, clear);
    }
}

static bool check_claim(const trial *t, const claim *c) {
    bool good = true, first = t->options.first_only;
    if (c->answer == OV_SWEEP_ANSWER_FREE) {
        good = CHECK(c->lower == t->end) && CHECK(isinf(c->upper)) &&
               check_interval(t, t->start, t->end);
    } else if (first) {
        good = check_interval(t, t->start, c->lower);
    } else {
        good = CHECK(c->count > 0) && check_rest(t, c);
    }
    if (c->answer == OV_SWEEP_ANSWER_CONTACT) {
        good =
            CHECK(c->upper >= c->lower && c->upper <= t->end) && check_contact(t, c->upper) && good;
    }
    // how clear the motion is: known by its making where it was shifted
    double clear = (t->target - 1e-9 * t->size - t->options.clearance) / t->options.epsilon;
    if (c->answer == OV_SWEEP_ANSWER_UNDECIDED || t->all) {
        mo_least least = mo_search_between(&oracle, t->start, t->end, -INFINITY, false);
        if (t->target > 0.0) {
            worst_target = fmax(worst_target, fabs(least.gap - t->target) / t->size);
        }
        clear = (least.gap - 1e-9 * t->size - t->options.clearance) / t->options.epsilon;
    }
    if (clear > 2.0) {
        good = CHECK(c->answer == OV_SWEEP_ANSWER_FREE) && good;
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
           n->answers[OV_SWEEP_ANSWER_FREE], n->answers[OV_SWEEP_ANSWER_CONTACT],
           n->answers[OV_SWEEP_ANSWER_UNDECIDED], n->clear, n->closest, (double)n->pieces / motions,
           (double)n->tests / motions, (double)n->queries / motions);
}

static void test_promises(void) {
    long motions = check_count(200);
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
    printf("%s: %ld intervals of time looked at, %.0f gaps per motion\n", check_suite,
           intervals_checked, (double)gaps / (double)motions);
    check_worst("gap where contact is proven, of the size", worst_upper, 1e-9);
    check_worst("least gap against the one meant, of the size", worst_target, 1e-6);
    CHECK(answers[OV_SWEEP_ANSWER_FREE] > motions / 4 &&
          answers[OV_SWEEP_ANSWER_CONTACT] > motions / 4);
    CHECK(worst_target <= 1e-6);
}

int main(void) {
    check_suite = "motion_promise_slow";
    RUN(test_promises);
    return check_finish();
}
