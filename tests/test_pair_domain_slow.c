/**
 * @file test_pair_domain_slow.c
 * @brief Random pairs over the full domain of smooth bodies: no NaN, no relation that is false, no
 * bound that does not hold, witness points on the surfaces, and nearly all of them solved.
 *
 * The gaps are known by construction (pair_cases.h), so every pair is checked; one in fifty is also
 * given to the slow GJK of pair_oracle.h. OVOID_TEST_PAIRS sets the number of pairs.
 */
#include "pair_cases.h"

enum { ROUND, SQUARE, EDGED, BEVELLED, DENTED, EXPONENT_CLASSES };
static const char *const class_names[EXPONENT_CLASSES] = {"round", "square", "edged", "bevelled",
                                                          "dented"};

/** Round: e from 0.15 to 1; square: some below; edged: some above 1; bevelled: some are 2. */
static int exponent_class(const pc_pair *p) {
    double least = fmin(fmin(p->a.e1, p->a.e2), fmin(p->b.e1, p->b.e2));
    double most = fmax(fmax(p->a.e1, p->a.e2), fmax(p->b.e1, p->b.e2));
    if (p->a.dent > 0.0 || p->b.dent > 0.0) {
        return DENTED;
    }
    return most == 2.0 ? BEVELLED : most > 1.0 ? EDGED : least < 0.15 ? SQUARE : ROUND;
}

typedef struct tally {
    long pairs[PC_GAP_CLASSES][EXPONENT_CLASSES], unsolved[PC_GAP_CLASSES][EXPONENT_CLASSES];
    long off_surface[PC_GAP_CLASSES][EXPONENT_CLASSES],
        off_normal[PC_GAP_CLASSES][EXPONENT_CLASSES];
    long solved, relations[4], sampled, unsure, iterations;
    int most_iterations;
    double gauge, normal, gap;
} tally;

static tally count;

/** What the contact claims beyond the known bounds, proven along its own normal or by GJK. */
static bool check_claims(const pc_pair *p, const po_body *a, const po_body *b,
                         const ov_contact *c) {
    so_real slack = 1e-17L * p->reach, along = pc_gap_along(a, b, c);
    bool pushed = isinf(p->upper), good = true;
    if (c->relation == OV_RELATION_SEPARATED && pushed && c->gap_lower > along + slack) {
        good = CHECK(c->gap_lower <= po_gjk(a, b, 1e-15L * p->size).upper + slack);
    }
    if (c->relation == OV_RELATION_OVERLAPPING) {
        good = CHECK(c->gap_lower <= along + slack); // the translation along the normal separates
        good = CHECK(c->status != OV_OK || c->gap >= p->lower - 1e-8L * p->size) && good;
    }
    if (c->status == OV_OK) { // the normal itself shows the gap
        good = CHECK(along >= c->gap - pc_goal(1e-9, p->size, p->reach)) && good;
    }
    if (c->status == OV_OK && !pushed) {
        so_real off = fmaxl(c->gap - p->upper, p->lower - c->gap) / p->size;
        count.gap = fmax(count.gap, (double)(off - 16.0L * 0x1p-53L * p->reach / p->size));
    }
    return good;
}

/** Bounds against the slow oracle. */
static bool check_sample(const pc_pair *p, const po_body *a, const po_body *b,
                         const ov_contact *c) {
    so_real slack = 1e-17L * p->reach;
    po_distance d = po_gjk(a, b, 1e-14L * p->size);
    count.sampled++;
    if (d.overlap) {
        return CHECK(c->relation != OV_RELATION_SEPARATED) && CHECK(c->gap_lower <= slack);
    }
    count.unsure += d.upper - d.lower > 1e-12L * p->size;
    bool good = CHECK(c->gap_lower <= d.upper + slack);
    if (d.lower > slack) {
        good = CHECK(c->relation != OV_RELATION_OVERLAPPING) &&
               CHECK(c->gap_upper >= d.lower - slack) && good;
    }
    return good;
}

/** Counts what is off by class; the first of each class is printed. */
static void check_witness(const pc_pair *p, const ov_contact *c, const pc_witness *w, char name) {
    int i = (int)p->gap_class, j = exponent_class(p);
    bool on_surface = pc_is_on_surface(w), on_normal = pc_is_on_normal(w);
    count.off_surface[i][j] += !on_surface;
    count.off_normal[i][j] += !on_normal;
    if ((!on_surface && count.off_surface[i][j] == 1) ||
        (!on_normal && count.off_normal[i][j] == 1)) {
        fprintf(stderr, "witness %c: |G - 1| %.3Lg, sine %.3Lg, short of the plane %.3Lg\n", name,
                w->gauge, w->sine, w->reach);
        pc_print(p, c);
    }
    count.gauge = fmax(count.gauge, (double)pc_surface_error(w));
    count.normal = fmax(count.normal, (double)pc_normal_error(w));
}

static bool check_witnesses(const pc_pair *p, const po_body *a, const po_body *b,
                            const ov_contact *c) {
    so_vec n = po_unit(so_from(c->normal));
    so_vec apart = po_sub(so_from(c->point_b), so_from(c->point_a));
    double goal = pc_goal(1e-9, p->size, p->reach);
    pc_witness wa = pc_witness_of(a, c->point_a, n, p->reach);
    pc_witness wb = pc_witness_of(b, c->point_b, po_neg(n), p->reach);
    check_witness(p, c, &wa, 'a');
    check_witness(p, c, &wb, 'b');
    return CHECK_NEAR((double)so_dot(apart, n), c->gap, goal) &&
           CHECK(so_length(apart) <= c->gap + goal || c->relation != OV_RELATION_SEPARATED);
}

static long total(long part[PC_GAP_CLASSES][EXPONENT_CLASSES]) {
    long sum = 0;
    for (int i = 0; i < PC_GAP_CLASSES * EXPONENT_CLASSES; i++) {
        sum += part[i / EXPONENT_CLASSES][i % EXPONENT_CLASSES];
    }
    return sum;
}

static void print_failed(const pc_pair *p, const ov_contact *c) {
    if (check_may_print()) {
        pc_print(p, c);
    }
}

static void check_pair(const pc_pair *p, const po_body *a, const po_body *b, bool sample) {
    ov_contact c;
    ov_status status = ov_pair_contact(&p->a, p->pose_a, &p->b, p->pose_b, NULL, NULL, &c);
    int class = exponent_class(p);
    count.pairs[p->gap_class][class]++;
    bool good = CHECK(status == c.status) && CHECK(status >= 0);
    if (!good) {
        print_failed(p, &c);
        return;
    }
    good = pc_check_sense(&c, pc_goal(1e-9, p->size, p->reach)) && pc_check_known(p, &c) &&
           check_claims(p, a, b, &c);
    good = good && (!sample || check_sample(p, a, b, &c));
    count.relations[c.relation]++;
    count.iterations += c.iterations;
    count.most_iterations =
        c.iterations > count.most_iterations ? c.iterations : count.most_iterations;
    if (status == OV_OK) {
        count.solved++;
        good = good && check_witnesses(p, a, b, &c);
    } else {
        if (++count.unsolved[p->gap_class][class] == 1) {
            fprintf(stderr, "the first that is not solved of its class:\n");
            pc_print(p, &c);
        }
    }
    if (!good) {
        print_failed(p, &c);
    }
}

static void print_table(const char *title, long part[PC_GAP_CLASSES][EXPONENT_CLASSES]) {
    printf("%s: %s, of pairs\n%14s", check_suite, title, "");
    for (int j = 0; j < EXPONENT_CLASSES; j++) {
        printf("%18s", class_names[j]);
    }
    printf("\n");
    for (int i = 0; i < PC_GAP_CLASSES; i++) {
        printf("%14s", pc_gap_names[i]);
        for (int j = 0; j < EXPONENT_CLASSES; j++) {
            printf("%9ld/%8ld", part[i][j], count.pairs[i][j]);
        }
        printf("\n");
    }
}

static void test_domain(void) {
    static pc_pool pool;
    static po_body a, b;
    long pairs = check_count(25000);
    check_random r = check_random_make(4201);
    for (long i = 0; i < pairs; i++) {
        pc_pair p;
        pc_domain(&r, &pool, &p, &a, &b);
        check_pair(&p, &a, &b, i % 50 == 0);
    }
    print_table("not solved", count.unsolved);
    print_table("witness points off their surface", count.off_surface);
    print_table("witness points where the normal is not the surface's", count.off_normal);
    printf("%s: %ld separated, %ld touching, %ld overlapping, %ld undecided\n", check_suite,
           count.relations[OV_RELATION_SEPARATED], count.relations[OV_RELATION_TOUCHING],
           count.relations[OV_RELATION_OVERLAPPING], count.relations[OV_RELATION_UNDECIDED]);
    printf("%s: %ld of %ld sampled pairs where the oracle is not sure to 1e-12\n", check_suite,
           count.unsure, count.sampled);
    printf("%s: %.2f iterations in the mean, at most %d\n", check_suite,
           (double)count.iterations / (double)pairs, count.most_iterations);
    check_worst("gap against the known one, of the size", count.gap, 1e-9);
    check_worst("witness |G - 1|", count.gauge, 1e-9);
    check_worst("sine between normals", count.normal, 1e-7);
    check_worst("part not solved", 1.0 - (double)count.solved / (double)pairs, 1e-4);
    CHECK(pairs > 0 && (double)count.solved >= 0.9999 * (double)pairs);
    CHECK(count.unsure * 50 <= count.sampled);
    CHECK_NEAR(count.gap, 0.0, 1e-9);
    CHECK(total(count.off_surface) == 0);
    CHECK(total(count.off_normal) == 0);
}

int main(void) {
    check_suite = "pair_domain_slow";
    RUN(test_domain);
    return check_finish();
}
