/**
 * @file batch.c
 * @brief Many pairs: sorted by their kinds, smooth ones eight at a time, on several threads.
 *
 * Threads take blocks of pairs. In a block, pairs that Newton's method applies to go through the
 * lanes of vectors (superquadric_batch.c), ellipsoids apart from the others since they need no
 * powers. All others are single queries, one kind of pair after the other, so that what a kind
 * needs stays at hand. Blocks are the same for any number of threads, and so are the contacts.
 */
#include <stddef.h>
#include <stdint.h>

#include "../math/rounding_mode.h"
#include "../math/system.h"
#include "superquadric_newton.h"

enum {
    BLOCK = 256,
    /** Fewer pairs are answered sooner one by one. */
    LEAST_LANES = 3,
    /** Pairs by their kinds; those that go in lanes have a number of their own. */
    KINDS = OV_SHAPE_KIND_COUNT,
    SORT_ELLIPSOIDS = KINDS * KINDS,
    SORT_SMOOTH,
    SORTS
};

typedef struct batch {
    const ov_pair *pairs;
    const double *beyond; // or null: as in ovi_pair
    const ov_pair_options *options;
    ov_warm_start *warm;
    ov_contact *contacts;
} batch;

static ov_warm_start *warm_of(const batch *b, size_t i) {
    return b->warm != NULL ? &b->warm[i] : NULL;
}

static bool is_ellipsoid(ov_shape_kind kind) {
    return kind == OV_SHAPE_KIND_SPHERE || kind == OV_SHAPE_KIND_ELLIPSOID;
}

/** How a pair is answered, and beside which others. */
static int sort_of(const ov_pair *p) {
    if (p->a == NULL || p->b == NULL || !ovi_is_kind(p->a->kind) || !ovi_is_kind(p->b->kind)) {
        return 0;
    }
    ov_shape_kind a = p->a->kind, b = p->b->kind;
    bool lanes = ovi_is_family(a) && ovi_is_family(b) && ovi_newton_applies(p->a, p->b) &&
                 !(a == OV_SHAPE_KIND_SPHERE && b == OV_SHAPE_KIND_SPHERE);
    if (lanes) {
        return is_ellipsoid(a) && is_ellipsoid(b) ? SORT_ELLIPSOIDS : SORT_SMOOTH;
    }
    return (int)a * KINDS + (int)b;
}

static void answer_one(const batch *b, size_t i) {
    (void)ovi_pair_contact_below(&b->pairs[i], b->beyond != NULL ? b->beyond[i] : 0.0, b->options,
                                 warm_of(b, i), &b->contacts[i]);
}

/** As many pairs of a sort as there are lanes, or what is left of it. */
static void answer_lanes(const batch *b, const size_t *indices, int count, bool ellipsoids) {
    unsigned left = (1u << count) - 1u;
    if (count >= LEAST_LANES || count == ovi_group_lanes()) {
        ovi_group in = {.lanes = ovi_group_lanes(),
                        .count = count,
                        .ellipsoids = ellipsoids,
                        .options = b->options};
        for (int lane = 0; lane < in.lanes; lane++) {
            size_t i = indices[lane < count ? lane : 0];
            in.pairs[lane] = &b->pairs[i];
            in.warm[lane] = warm_of(b, i);
            in.contacts[lane] = &b->contacts[i];
        }
        left = ovi_superquadric_group(&in);
    }
    for (int lane = 0; lane < count; lane++) {
        if (left >> lane & 1u) {
            answer_one(b, indices[lane]);
        }
    }
}

/** The pairs of a block, a list for each sort. */
typedef struct sorted {
    uint16_t first[SORTS], next[BLOCK]; // numbers in the block, from 1; 0: no more
} sorted;

static void work_on_block(const batch *b, size_t begin, size_t end) {
    const int lanes = ovi_group_lanes();
    sorted s = {.first = {0}};
    for (size_t i = end; i-- > begin;) { // so that the lists are in order
        uint16_t *first = &s.first[sort_of(&b->pairs[i])];
        s.next[i - begin] = *first;
        *first = (uint16_t)(i - begin + 1);
    }
    for (int sort = 0; sort < SORT_ELLIPSOIDS; sort++) {
        for (unsigned at = s.first[sort]; at != 0; at = s.next[at - 1]) {
            answer_one(b, begin + at - 1);
        }
    }
    for (int sort = SORT_ELLIPSOIDS; sort < SORTS; sort++) {
        size_t indices[OVI_GROUP_MAX];
        int count = 0;
        for (unsigned at = s.first[sort]; at != 0; at = s.next[at - 1]) {
            indices[count++] = begin + at - 1;
            if (count == lanes) {
                answer_lanes(b, indices, count, sort == SORT_ELLIPSOIDS);
                count = 0;
            }
        }
        answer_lanes(b, indices, count, sort == SORT_ELLIPSOIDS);
    }
}

static void work(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    for (; begin < end; begin += BLOCK) {
        work_on_block(context, begin, end - begin > BLOCK ? begin + BLOCK : end);
    }
}

/** Checks the rest of the input, and answers. */
static ov_status run(batch *b, size_t count, const ov_pair_options *options,
                     const ov_threads *threads) {
    ov_pair_options used = ovi_pair_options_of(options);
    if (count > 0 && (b->pairs == NULL || b->contacts == NULL)) {
        return OV_ERROR_NULL;
    }
    ov_status status = ovi_check_pair_options(&used);
    status = ovi_threads_are_good(threads) ? status : OV_ERROR_OPTION;
    if (status != OV_OK) {
        for (size_t i = 0; i < count; i++) {
            b->contacts[i] = ovi_contact_none(status);
        }
        return status;
    }
    b->options = &used;
    ovi_ranges_run(work, b, count, BLOCK, threads);
    return OV_OK;
}

ov_status ov_pair_contact_batch(const ov_pair *pairs, size_t count, const ov_pair_options *options,
                                const ov_threads *threads, ov_warm_start *warm,
                                ov_contact *contacts) {
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_pair_contact_batch(pairs, count, options, threads, warm, contacts));
    batch b = {.pairs = pairs, .warm = warm, .contacts = contacts};
    return run(&b, count, options, threads);
}

ov_status ovi_pair_contact_batch(const ov_pair *pairs, size_t count, const double *beyond,
                                 const ov_pair_options *options, ov_warm_start *warm,
                                 ov_contact *contacts) {
    const ov_threads alone = {.count = 1};
    batch b = {.pairs = pairs, .beyond = beyond, .warm = warm, .contacts = contacts};
    return run(&b, count, options, &alone);
}
