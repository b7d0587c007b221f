/**
 * @file batch.c
 * @brief How much a batch gains over single queries in WebAssembly: superovoids and ellipsoids,
 * separated and overlapping, on one thread.
 *
 * The pairs are those of the battery (docs/guide/benchmarks.md), the shapes being drawn from a pool
 * of 64. Singles and batch take turns, and the best turn of each counts. Beside the times: how many
 * contacts of the batch contradict those of the single query, whose bounds must have a number in
 * common with theirs, and how many are undecided. Ends with status 1 where one contradicts.
 *
 * `scripts/bench-wasm` compiles and runs it; it is plain C, and runs natively too.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <ovoid/ovoid.h>

enum { PAIRS = 512, POOL = 64, TURNS = 60 };

static ov_shape pool[POOL];
static ov_pair pairs[PAIRS];
static ov_contact single[PAIRS], batch[PAIRS];
static ov_warm_start warm_single[PAIRS], warm_batch[PAIRS];

static uint64_t state;

static double uniform(double from, double to) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return from + (to - from) * (double)(state >> 11) * 0x1p-53;
}

/** A unit quaternion: a batch leaves others to the single query. */
static ov_quat rotation(void) {
    for (;;) {
        ov_quat q = {uniform(-1.0, 1.0), uniform(-1.0, 1.0), uniform(-1.0, 1.0),
                     uniform(-1.0, 1.0)};
        double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
        if (square > 0.01 && square <= 1.0 && ov_quat_normalize(q, &q) == OV_OK) {
            return q;
        }
    }
}

static bool draw_shape(bool ellipsoids, ov_shape *s) {
    if (ellipsoids) {
        ov_vec3 axes = {uniform(0.3, 1.5), uniform(0.3, 1.5), uniform(0.3, 1.5)};
        return ov_shape_make_ellipsoid(axes, s) == OV_OK;
    }
    double e1 = uniform(0.3, 1.1), e2 = uniform(0.3, 1.1);
    double tx = uniform(-0.4, 0.4), ty = uniform(-0.4, 0.4);
    return ov_shape_make_superovoid(ov_vec3_make(1.0, 1.0, 1.0), e1, e2, tx, ty, NULL, s) == OV_OK;
}

/** Fills `pairs` with pairs of a relation; false where they cannot be found. */
static bool draw(bool ellipsoids, ov_relation relation) {
    state = 12345;
    for (int i = 0; i < POOL;) {
        i += draw_shape(ellipsoids, &pool[i]) ? 1 : 0;
    }
    for (int tries = 0, i = 0; tries < 100 * PAIRS; tries++) {
        const ov_shape *a = &pool[(int)uniform(0.0, POOL)], *b = &pool[(int)uniform(0.0, POOL)];
        ov_pose at_a = {.rotation = rotation()};
        ov_pose at_b = {{0.0, ellipsoids ? uniform(1.0, 3.0) : 2.21, 0.0}, rotation()};
        pairs[i] = (ov_pair){a, b, at_a, at_b};
        ov_contact c;
        if (ov_pair_contact(a, at_a, b, at_b, NULL, NULL, &c) == OV_OK && c.relation == relation &&
            ++i == PAIRS) {
            return true;
        }
    }
    return false;
}

static double now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void run_single(bool warm) {
    for (int i = 0; i < PAIRS; i++) {
        const ov_pair *p = &pairs[i];
        (void)ov_pair_contact(p->a, p->pose_a, p->b, p->pose_b, NULL, warm ? &warm_single[i] : NULL,
                              &single[i]);
    }
}

static void run_batch(bool warm) {
    const ov_threads alone = {.count = 1};
    (void)ov_pair_contact_batch(pairs, PAIRS, NULL, &alone, warm ? warm_batch : NULL, batch);
}

/** Moves every B a little way to one side or back, so that warm starts have something to do. */
static void move(int turn) {
    for (int i = 0; i < PAIRS; i++) {
        pairs[i].pose_b.position.x = turn % 2 == 0 ? 0.0 : 0.02;
    }
}

typedef struct row {
    double single, batch; // best times, in microseconds per pair
    int wrong, undecided;
} row;

static void compare(row *r) {
    for (int i = 0; i < PAIRS; i++) {
        const ov_contact *s = &single[i], *b = &batch[i];
        bool common = b->gap_lower <= s->gap_upper && s->gap_lower <= b->gap_upper;
        r->wrong += !common || b->relation != s->relation;
        r->undecided += b->status != OV_OK;
    }
}

static row measure(bool warm) {
    row r = {INFINITY, INFINITY, 0, 0};
    for (int turn = 0; turn < TURNS; turn++) {
        if (warm) {
            move(turn);
        }
        double t0 = now();
        run_single(warm);
        double t1 = now();
        run_batch(warm);
        double t2 = now();
        r.single = fmin(r.single, (t1 - t0) / PAIRS);
        r.batch = fmin(r.batch, (t2 - t1) / PAIRS);
        if (turn < 2) {
            compare(&r);
        }
    }
    return r;
}

int main(void) {
    int wrong = 0;
    printf("%-12s %-12s %-5s %9s %9s %6s %6s %10s\n", "pairs", "relation", "start", "single us",
           "batch us", "ratio", "wrong", "undecided");
    for (int k = 0; k < 8; k++) {
        bool ellipsoids = k >= 4, warm = k % 2 == 1;
        ov_relation relation = k % 4 < 2 ? OV_RELATION_SEPARATED : OV_RELATION_OVERLAPPING;
        if (!draw(ellipsoids, relation)) {
            fprintf(stderr, "bench-wasm: too few pairs that are %s\n", ov_relation_name(relation));
            return 1;
        }
        row r = measure(warm);
        printf("%-12s %-12s %-5s %9.3f %9.3f %6.2f %6d %10d\n",
               ellipsoids ? "ellipsoids" : "superovoids", ov_relation_name(relation),
               warm ? "warm" : "cold", r.single, r.batch, r.single / r.batch, r.wrong, r.undecided);
        wrong += r.wrong;
    }
    return wrong == 0 ? 0 : 1;
}
