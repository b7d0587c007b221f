/**
 * @file test_pair_depth_slow.c
 * @brief The global depth of overlapping pairs against the search of all directions in
 * pair_oracle.h: pairs of [Benchmark]'s battery, and pairs from the whole domain.
 *
 * Each s(n) is an upper bound of the depth, so the better of the oracle's direction and the
 * library's own, both in long double, stands for the truth. How often the library's is the better
 * one is printed: that many times the oracle alone would have been wrong. OVOID_TEST_PAIRS sets the
 * number of pairs.
 */
#include "pair_cases.h"

typedef struct tally {
    long pairs, agree, claims, better, not_solved, not_proven;
    double worst;
} tally;

static long pair_count(void) { return check_count(500); }

/** Depth proven from both sides: the truth is between the bounds, and they are as close as asked.
 */
static void check_proven(const pc_pair *p, so_real depth, tally *count) {
    ov_pair_options options = ov_default_pair_options();
    options.depth = OV_DEPTH_PROVEN;
    ov_contact c;
    ov_status status = ov_pair_contact(&p->a, p->pose_a, &p->b, p->pose_b, &options, NULL, &c);
    CHECK(status >= 0 && c.relation != OV_RELATION_SEPARATED);
    bool good = CHECK(-c.gap_upper <= depth + 1e-17L * p->reach) &&
                CHECK(-c.gap_lower >= depth - 1e-17L * p->reach);
    good = CHECK(status != OV_OK ||
                 c.gap_upper - c.gap_lower <= (double)pc_goal(1e-9, p->size, p->reach)) &&
           good;
    count->not_proven += status != OV_OK;
    if (!good && check_may_print()) {
        pc_print(p, &c);
    }
}

/** A local depth is no more than that of any direction close by. */
static void check_local(const pc_pair *p, const po_body *a, const po_body *b) {
    ov_pair_options options = ov_default_pair_options();
    options.depth = OV_DEPTH_LOCAL;
    ov_contact c;
    ov_pair_contact(&p->a, p->pose_a, &p->b, p->pose_b, &options, NULL, &c);
    if (c.relation != OV_RELATION_OVERLAPPING || c.status != OV_OK) {
        return;
    }
    ov_mat3 frame = ov_mat3_householder(c.normal);
    so_real own = -pc_gap_along(a, b, &c), least = own;
    for (int i = 0; i < 16; i++) {
        double angle = i < 8 ? 1e-3 : 1e-4, turn = 0.7853981633974483 * i;
        ov_vec3 n = ov_vec3_add_scaled(c.normal, frame.cy, angle * cos(turn));
        ov_contact near = c;
        near.normal = ov_vec3_normalize(ov_vec3_add_scaled(n, frame.cz, angle * sin(turn)));
        least = fminl(least, -pc_gap_along(a, b, &near));
    }
    if (!CHECK(least >= own - pc_goal(1e-9, p->size, p->reach)) && check_may_print()) {
        pc_print(p, &c);
    }
}

/** False where the bodies do not overlap by more than rounding. */
static bool check_depth(const pc_pair *p, const po_body *a, const po_body *b, tally *count) {
    ov_contact c;
    CHECK(ov_pair_contact(&p->a, p->pose_a, &p->b, p->pose_b, NULL, NULL, &c) >= 0);
    if (c.relation == OV_RELATION_SEPARATED) {
        return false;
    }
    so_real own = -pc_gap_along(a, b, &c), oracle = po_least_depth(a, b).depth;
    so_real depth = fminl(own, oracle), slack = 1e-8L * p->size;
    if (depth < 1e-7L * p->size) {
        return false;
    }
    count->pairs++;
    count->better += own < oracle - slack;
    count->not_solved += c.status != OV_OK;
    double error = (double)(fabsl(-c.gap - depth) / p->size);
    bool agrees = error <= 1e-8, claims = CHECK(-c.gap_upper <= depth + 1e-17L * p->reach) &&
                                          CHECK(-c.gap_lower >= own - 1e-17L * p->reach);
    count->agree += agrees;
    count->claims += claims;
    count->worst = fmax(count->worst, error);
    if ((!agrees && count->pairs - count->agree <= 8) || (!claims && check_may_print())) {
        fprintf(stderr, "depth: oracle %.17Lg, along the contact's normal %.17Lg, off by %.3g\n",
                oracle, own, error);
        pc_print(p, &c);
    }
    check_proven(p, depth, count);
    check_local(p, a, b);
    return true;
}

static void report(const char *what, const tally *count) {
    printf(
        "%s: %s: %ld overlapping pairs, %ld agree to 1e-8 of the size, %ld not solved, %ld where "
        "the oracle's direction is worse\n",
        check_suite, what, count->pairs, count->agree, count->not_solved, count->better);
    printf("%s: %s: %ld depths are not proven to the tolerance\n", check_suite, what,
           count->not_proven);
    CHECK((double)count->not_proven <= 0.05 * (double)count->pairs);
    check_worst(what, count->worst, 1e-8);
    CHECK(count->pairs > 0 && (double)count->agree >= 0.999 * (double)count->pairs);
    CHECK(count->claims == count->pairs);
    CHECK((double)count->better <= 0.01 * (double)count->pairs); // else it is no oracle
}

static void test_battery(void) {
    static po_body a, b;
    check_random r = check_random_make(4301);
    tally count = {0};
    pc_pair p;
    for (long wanted = pair_count() / 2; count.pairs < wanted;) {
        pc_battery(&r, &p, &a, &b);
        check_depth(&p, &a, &b, &count);
    }
    report("battery", &count);
}

static void test_domain(void) {
    static pc_pool pool;
    static po_body a, b;
    check_random r = check_random_make(4302);
    tally count = {0};
    pc_pair p;
    for (long wanted = pair_count() / 2; count.pairs < wanted;) {
        pc_domain(&r, &pool, &p, &a, &b);
        if (p.lower < 0.0L) {
            check_depth(&p, &a, &b, &count);
        }
    }
    report("domain", &count);
}

int main(void) {
    check_suite = "pair_depth_slow";
    RUN(test_battery);
    RUN(test_domain);
    return check_finish();
}
