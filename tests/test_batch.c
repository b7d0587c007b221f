/**
 * @file test_batch.c
 * @brief ov_pair_contact_batch against the single query: the same bounds for every mix of kinds, a
 * status for each item, nothing that depends on the number of threads.
 */
#include <string.h>

#include "query/superquadric_newton.h"

#include "pair_cases.h"
#include "schedulers.h"

enum { PAIRS = 1000 };

typedef struct set {
    pc_pair known[PAIRS];
    ov_pair pairs[PAIRS];
    ov_contact contacts[PAIRS], other[PAIRS];
    ov_warm_start warm[PAIRS], warm_other[PAIRS];
} set;

static set s;
static pc_pool pool;
static po_body a, b;

/** Kinds outside the smooth family, so that runs of smooth pairs are broken up. */
static ov_shape other_kind(check_random *r) {
    ov_shape shape;
    double x = check_uniform(r, 0.2, 2.0), y = check_uniform(r, 0.2, 2.0);
    switch (check_random_bits(r) % 5) {
    case 0:
        CHECK_OK(ov_shape_make_box(ov_vec3_make(x, y, 1.0), &shape));
        break;
    case 1:
        CHECK_OK(ov_shape_make_capsule(x, y, &shape));
        break;
    case 2:
        CHECK_OK(ov_shape_make_cone(x, y, &shape));
        break;
    case 3:
        CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(x, y, 1.0), -2.0, &shape));
        break;
    default:
        CHECK_OK(ov_shape_make_segment(ov_vec3_make(x, y, 0.0), ov_vec3_make(0.0, y, x), &shape));
    }
    return shape;
}

/** Battery and domain pairs, and every `mixed`-th with a body of another kind (0: none). */
static void draw(uint64_t seed, int mixed) {
    check_random r = check_random_make(seed);
    for (int i = 0; i < PAIRS; i++) {
        pc_pair *p = &s.known[i];
        if (i % 2 == 0) {
            pc_battery(&r, p, &a, &b);
        } else {
            pc_domain(&r, &pool, p, &a, &b);
        }
        if (mixed > 0 && i % mixed == 0) {
            p->b = other_kind(&r);
            p->lower = -(so_real)INFINITY;
            p->upper = (so_real)INFINITY;
        }
        s.pairs[i] = (ov_pair){&p->a, &p->b, p->pose_a, p->pose_b};
    }
}

static bool same_bits(const ov_contact *c, const ov_contact *d) {
    return memcmp(&c->gap, &d->gap, sizeof c->gap) == 0 &&
           memcmp(&c->gap_lower, &d->gap_lower, sizeof c->gap) == 0 &&
           memcmp(&c->gap_upper, &d->gap_upper, sizeof c->gap) == 0 &&
           memcmp(&c->point_a, &d->point_a, sizeof c->point_a) == 0 &&
           memcmp(&c->point_b, &d->point_b, sizeof c->point_b) == 0 &&
           memcmp(&c->normal, &d->normal, sizeof c->normal) == 0 && c->relation == d->relation &&
           c->status == d->status && c->iterations == d->iterations;
}

/** One item of a batch against the single query; `known` bounds hold for both. */
static void check_item(int i, const ov_pair_options *options, const char *what) {
    const pc_pair *p = &s.known[i];
    const ov_contact *c = &s.contacts[i];
    ov_contact single;
    ov_status status = ov_pair_contact(&p->a, p->pose_a, &p->b, p->pose_b, options, NULL, &single);
    double tolerance = options != NULL ? options->tolerance : 1e-9;
    bool good = CHECK(c->status >= 0) && pc_check_sense(c, pc_goal(tolerance, p->size, p->reach));
    good = CHECK(c->gap_lower <= single.gap_upper && single.gap_lower <= c->gap_upper) && good;
    good = pc_check_known(p, c) && good;
    good = CHECK(c->status == OV_OK || status != OV_OK) && good;
    if (c->status == OV_OK && status == OV_OK) {
        bool deep =
            c->relation == OV_RELATION_OVERLAPPING || single.relation == OV_RELATION_OVERLAPPING;
        double off = deep ? 2e-8 * p->size : 2.0 * pc_goal(tolerance, p->size, p->reach);
        good = CHECK_NEAR(c->gap, single.gap, off) && good;
    }
    if (!good && check_may_print()) {
        fprintf(stderr, "  %s, item %d; batch, then single:\n", what, i);
        pc_print(p, c);
        pc_print(p, &single);
    }
}

static void set_sizes(void) { // of pairs whose second body was exchanged
    for (int i = 0; i < PAIRS; i++) {
        pc_pair *p = &s.known[i];
        double ra = p->a.ball.radius, rb = p->b.ball.radius;
        p->size = isinf(rb) ? ra : fmax(ra, rb);
        p->reach = ov_vec3_length(p->pose_a.position) + ov_vec3_length(p->pose_b.position) +
                   2.0 * p->size + 2.0;
    }
}

static void test_against_single(void) {
    const int mixes[] = {0, 3, 7};
    for (int k = 0; k < 3; k++) {
        draw(4401 + (uint64_t)k, mixes[k]);
        set_sizes();
        memset(s.contacts, 0, sizeof s.contacts);
        CHECK_OK(ov_pair_contact_batch(s.pairs, PAIRS, NULL, &(ov_threads){.count = 1}, NULL,
                                       s.contacts));
        for (int i = 0; i < PAIRS; i++) {
            check_item(i, NULL, mixes[k] == 0 ? "smooth" : "mixed");
        }
    }
}

/* ---- lanes: as wide as the machine's, and narrower */

/** All pairs that Newton's method applies to, so many at a time, the last ones fewer; the others
 *  and those that are left by the single query. Returns how many were left. */
static int answer_in_lanes(int lanes, const ov_pair_options *options, bool warm) {
    int of_all[PAIRS], all = 0, left = 0;
    for (int i = 0; i < PAIRS; i++) {
        const pc_pair *p = &s.known[i];
        if (ovi_newton_applies(&p->a, &p->b) && (p->a.kind > 1 || p->b.kind > 1)) {
            of_all[all++] = i;
        } else {
            ov_pair_contact(&p->a, p->pose_a, &p->b, p->pose_b, options, NULL, &s.contacts[i]);
        }
    }
    CHECK(all > PAIRS / 2);
    for (int begin = 0; begin < all; begin += lanes) {
        ovi_group in = {.lanes = lanes, .options = options};
        in.count = all - begin < lanes ? all - begin : lanes;
        for (int lane = 0; lane < lanes; lane++) {
            int i = of_all[begin + (lane < in.count ? lane : 0)];
            in.pairs[lane] = &s.pairs[i];
            in.warm[lane] = warm ? &s.warm[i] : NULL;
            in.contacts[lane] = &s.contacts[i];
        }
        unsigned bits = ovi_superquadric_group(&in);
        CHECK(bits >> in.count == 0);
        for (int lane = 0; lane < in.count; lane++) {
            int i = of_all[begin + lane];
            if (bits >> lane & 1u) {
                const pc_pair *p = &s.known[i];
                ov_pair_contact(&p->a, p->pose_a, &p->b, p->pose_b, options, NULL, &s.contacts[i]);
                left++;
            }
        }
    }
    return left;
}

static void test_lanes(void) {
    ov_pair_options options = {1e-9, OV_DEPTH_GLOBAL};
    draw(4408, 0);
    set_sizes();
    for (int lanes = 4; lanes <= ovi_group_lanes(); lanes += 4) {
        // cold, then from where that ended, then from anywhere
        memset(s.warm, 0, sizeof s.warm);
        for (int round = 0; round < 4; round++) {
            memset(s.contacts, 0, sizeof s.contacts);
            int left = answer_in_lanes(lanes, &options, round > 0);
            CHECK(left < PAIRS / 2); // half of them are from the ends of the domain
            for (int i = 0; i < PAIRS; i++) {
                check_item(i, &options, round < 3 ? "lanes" : "lanes, spoilt");
                if (round == 2 && i % 2 == 0) {
                    s.warm[i].a.y = i % 4 == 0 ? NAN : 0.9;
                    s.warm[i].b = ov_vec3_make(0.0, 0.0, 1.0);
                }
            }
        }
    }
}

static void test_options(void) {
    draw(4404, 0);
    set_sizes();
    const double tolerances[] = {1e-3, 1e-6, 1e-11};
    for (int k = 0; k < 3; k++) {
        ov_pair_options options = {tolerances[k], OV_DEPTH_GLOBAL};
        CHECK_OK(ov_pair_contact_batch(s.pairs, PAIRS / 4, &options, &(ov_threads){.count = 1},
                                       NULL, s.contacts));
        for (int i = 0; i < PAIRS / 4; i++) {
            check_item(i, &options, "tolerance");
        }
    }
}

/** Also for counts that leave the last group of lanes part empty. */
static void test_threads_and_counts(void) {
    draw(4405, 5);
    static scheduler_calls calls[SCHEDULERS];
    const ov_threads threads[] = {{.count = 2},
                                  {.count = 3},
                                  {.count = 7},
                                  {.count = 0},
                                  {.count = 100},
                                  scheduler_at(0, 3, &calls[0]),
                                  scheduler_at(1, 7, &calls[1]),
                                  scheduler_at(2, 5, &calls[2])};
    memset(s.warm, 0, sizeof s.warm);
    CHECK_OK(
        ov_pair_contact_batch(s.pairs, PAIRS, NULL, &(ov_threads){.count = 1}, s.warm, s.contacts));
    for (int k = 0; k < 8; k++) {
        memset(s.other, 0, sizeof s.other);
        memset(s.warm_other, 0, sizeof s.warm_other);
        CHECK_OK(ov_pair_contact_batch(s.pairs, PAIRS, NULL, &threads[k], s.warm_other, s.other));
        long different = 0;
        for (int i = 0; i < PAIRS; i++) {
            different += !same_bits(&s.contacts[i], &s.other[i]);
        }
        CHECK(different == 0);
        CHECK(memcmp(s.warm, s.warm_other, sizeof s.warm) == 0);
    }
    for (int k = 0; k < SCHEDULERS; k++) {
        CHECK(calls[k].calls == 1 && calls[k].tasks > 1);
    }
    for (size_t count = 0; count <= 17; count++) {
        memset(s.other, 0x55, sizeof s.other);
        CHECK_OK(
            ov_pair_contact_batch(s.pairs, count, NULL, &(ov_threads){.count = 1}, NULL, s.other));
        for (size_t i = 0; i < count; i++) {
            CHECK(s.other[i].gap_lower <= s.contacts[i].gap_upper &&
                  s.contacts[i].gap_lower <= s.other[i].gap_upper);
        }
        ov_contact untouched;
        memset(&untouched, 0x55, sizeof untouched);
        CHECK(memcmp(&s.other[count], &untouched, sizeof untouched) == 0);
    }
}

static void test_warm(void) {
    draw(4406, 6);
    set_sizes();
    memset(s.warm, 0, sizeof s.warm);
    CHECK_OK(
        ov_pair_contact_batch(s.pairs, PAIRS, NULL, &(ov_threads){.count = 1}, s.warm, s.contacts));
    for (int i = 0; i < PAIRS; i++) { // moved a little; some warm starts spoilt
        ov_vec3 *at = &s.known[i].pose_b.position;
        at->x += 1e-3 * s.known[i].size;
        s.pairs[i].pose_b.position = *at;
        s.known[i].lower = -(so_real)INFINITY;
        s.known[i].upper = (so_real)INFINITY;
        if (i % 4 == 0) {
            s.warm[i].normal.y = i % 8 == 0 ? NAN : 1e300;
            s.warm[i].a.x = INFINITY;
        }
    }
    CHECK_OK(ov_pair_contact_batch(s.pairs, PAIRS, NULL, NULL, s.warm, s.contacts));
    for (int i = 0; i < PAIRS; i++) {
        check_item(i, NULL, "warm");
    }
}

static void test_bad_items(void) {
    draw(4407, 4);
    set_sizes();
    ov_shape none, half;
    memset(&none, 0, sizeof none);
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), 0.0, &half));
    for (int i = 0; i < PAIRS; i += 3) {
        ov_pair *p = &s.pairs[i];
        switch (i / 3 % 6) {
        case 0:
            p->a = NULL;
            break;
        case 1:
            p->b = &none;
            break;
        case 2:
            p->pose_a.position.z = NAN;
            break;
        case 3:
            p->pose_b.rotation = (ov_quat){0.0, NAN, 0.0, 0.0};
            break;
        case 4:
            p->a = p->b = &half;
            break;
        default:
            p->pose_b.position.x = INFINITY;
        }
    }
    const ov_status expected[] = {OV_ERROR_NULL,       OV_ERROR_SHAPE,     OV_ERROR_NOT_FINITE,
                                  OV_ERROR_NOT_FINITE, OV_ERROR_UNBOUNDED, OV_ERROR_NOT_FINITE};
    CHECK_OK(
        ov_pair_contact_batch(s.pairs, PAIRS, NULL, &(ov_threads){.count = 2}, NULL, s.contacts));
    for (int i = 0; i < PAIRS; i++) {
        const ov_contact *c = &s.contacts[i];
        if (i % 3 == 0) {
            CHECK_STATUS(c->status, expected[i / 3 % 6]);
            CHECK(isnan(c->gap) && isnan(c->normal.x) && c->relation == OV_RELATION_UNDECIDED);
        } else {
            check_item(i, NULL, "beside a bad item");
        }
    }
}

static void test_bad_call(void) {
    ov_pair_options bad = {1.0, OV_DEPTH_GLOBAL};
    CHECK_STATUS(ov_pair_contact_batch(NULL, 1, NULL, &(ov_threads){.count = 1}, NULL, s.contacts),
                 OV_ERROR_NULL);
    CHECK_STATUS(ov_pair_contact_batch(s.pairs, 1, NULL, &(ov_threads){.count = 1}, NULL, NULL),
                 OV_ERROR_NULL);
    CHECK_STATUS(
        ov_pair_contact_batch(s.pairs, 1, &bad, &(ov_threads){.count = 1}, NULL, s.contacts),
        OV_ERROR_OPTION);
    bad.tolerance = NAN;
    CHECK_STATUS(
        ov_pair_contact_batch(s.pairs, 1, &bad, &(ov_threads){.count = 1}, NULL, s.contacts),
        OV_ERROR_OPTION);
    CHECK_OK(ov_pair_contact_batch(NULL, 0, NULL, &(ov_threads){.count = 1}, NULL, NULL));
    CHECK_OK(ov_pair_contact_batch(s.pairs, 0, NULL, NULL, NULL, s.contacts));
}

/**
 * Gaps of no interest: what is beyond has a lower bound that is beyond too and holds, the rest is
 * the contact of a query without such a limit, bit for bit.
 */
static void test_beyond(void) {
    check_random r = check_random_make(913);
    static double beyond[PAIRS];
    long early = 0, within = 0;
    draw(914, 1);
    CHECK_OK(ov_pair_contact_batch(s.pairs, PAIRS, NULL, NULL, NULL, s.contacts));
    for (int i = 0; i < PAIRS; i++) {
        // about the gap, or about the size of the bodies where they overlap
        double gap = s.contacts[i].gap;
        beyond[i] = (gap > 0.0 ? gap : 1.0) * check_uniform(&r, 0.2, 1.5);
    }
    CHECK_OK(ovi_pair_contact_batch(s.pairs, PAIRS, beyond, NULL, NULL, s.other));
    for (int i = 0; i < PAIRS; i++) {
        const ov_contact *c = &s.contacts[i], *d = &s.other[i];
        if (d->status >= 0 && d->gap_lower > beyond[i]) {
            early += d->iterations < c->iterations;
            CHECK(d->gap_lower <= c->gap_upper && d->gap_upper >= c->gap_lower);
            CHECK(d->relation == OV_RELATION_SEPARATED);
        } else {
            within++;
            CHECK(same_bits(c, d));
        }
    }
    CHECK(early > 50 && within > 50);
}

int main(void) {
    check_suite = "batch";
    RUN(test_against_single);
    RUN(test_lanes);
    RUN(test_options);
    RUN(test_threads_and_counts);
    RUN(test_warm);
    RUN(test_bad_items);
    RUN(test_bad_call);
    RUN(test_beyond);
    return check_finish();
}
