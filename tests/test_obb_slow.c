/**
 * @file test_obb_slow.c
 * @brief Many random pairs of boxes: none that the fifteen axes call apart is nearer than the
 * limit.
 *
 * Every pair is given to the oracle without axes of obb_oracle.h; of the pairs that are called
 * apart one in eight also to the pair query, whose GJK has bounds of its own. What the axes do not
 * decide though it is apart is counted. OVOID_TEST_PAIRS sets the number of pairs.
 */
#include "obb_oracle.h"

/** What counts as close to the limit, in units of all lengths of a pair. */
#define ROUNDING 1e-12

typedef struct tally {
    long pairs, apart, near_limit, missed_zero, missed_limit, apart_zero, apart_limit;
    double lost; /**< largest gap that a limit of zero did not see, in units of the scale */
} tally;

/** The pair query of the same boxes must not know better. */
static void check_query(const ov_obb *a, const ov_obb *b, double limit) {
    ov_shape sa, sb;
    // there are no shapes without width: these are as thin as can be
    ov_vec3 ha = a->half, hb = b->half;
    ha = ov_vec3_make(fmax(ha.x, OV_SIZE_MIN), fmax(ha.y, OV_SIZE_MIN), fmax(ha.z, OV_SIZE_MIN));
    hb = ov_vec3_make(fmax(hb.x, OV_SIZE_MIN), fmax(hb.y, OV_SIZE_MIN), fmax(hb.z, OV_SIZE_MIN));
    CHECK_OK(ov_shape_make_box(ha, &sa));
    CHECK_OK(ov_shape_make_box(hb, &sb));
    ov_contact c;
    CHECK(ov_pair_contact(&sa, a->pose, &sb, b->pose, NULL, NULL, &c) >= OV_OK);
    if (!CHECK(c.gap_upper > limit) || !CHECK(c.relation != OV_RELATION_OVERLAPPING)) {
        ob_print(a, b, limit);
    }
}

static void check_one(check_random *r, ob_class kind, tally *count) {
    ov_obb a, b;
    ob_random_pair(r, kind, &a, &b);
    double scale = ob_scale(&a, &b);
    ob_real gap = ob_gap(&a, &b);
    double limit = ob_random_limit(r, gap, scale);
    bool apart = ov_obb_apart(&a, &b, limit);
    count->pairs++;
    count->apart += apart;
    count->near_limit += fabsl(gap - limit) < ROUNDING * scale;
    if (apart) {
        if (!CHECK(gap > limit - OB_ERROR * scale)) {
            ob_print(&a, &b, limit);
        }
        check_query(&a, &b, limit);
    }
    // unnecessary accepts
    bool beyond = gap > limit + ROUNDING * scale;
    if (limit == 0.0 && gap > OB_ERROR * scale && !apart) {
        count->lost = fmax(count->lost, (double)gap / scale);
    }
    if (limit == 0.0) {
        count->apart_zero += beyond;
        count->missed_zero += beyond && !apart;
    } else {
        count->apart_limit += beyond;
        count->missed_limit += beyond && !apart;
    }
}

static void test_pairs(void) {
    long pairs = check_count(200000);
    check_random r = check_random_make(701);
    tally all = {0};
    for (int kind = 0; kind < OB_CLASSES; kind++) {
        tally count = {0};
        for (long i = 0; i < pairs / OB_CLASSES; i++) {
            check_one(&r, (ob_class)kind, &count);
        }
        printf("%-9s %ld pairs, %ld apart, %ld close to the limit; accepts that "
               "were not needed: %.3g of %ld at limit 0 (largest gap %.2g), %.3g of %ld above\n",
               ob_class_names[kind], count.pairs, count.apart, count.near_limit,
               (double)count.missed_zero / (double)count.apart_zero, count.apart_zero, count.lost,
               (double)count.missed_limit / (double)count.apart_limit, count.apart_limit);
        // step 5 of the derivation: what nearly parallel edges may cost
        CHECK(count.lost < 1e-6);
        CHECK(count.apart > count.pairs / 10 && count.apart < count.pairs);
        all.pairs += count.pairs;
        all.apart += count.apart;
        all.lost = fmax(all.lost, count.lost);
        all.missed_zero += count.missed_zero;
        all.apart_zero += count.apart_zero;
        all.missed_limit += count.missed_limit;
        all.apart_limit += count.apart_limit;
    }
    printf("all: %ld pairs, %ld apart; accepts that were not needed: %.3g at limit 0, %.3g above\n",
           all.pairs, all.apart, (double)all.missed_zero / (double)all.apart_zero,
           (double)all.missed_limit / (double)all.apart_limit);
    check_worst("gap that a limit of zero did not see, in sizes", all.lost, 1e-6);
}

int main(void) {
    check_suite = "obb_slow";
    RUN(test_pairs);
    return check_finish();
}
