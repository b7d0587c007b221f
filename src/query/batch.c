/**
 * @file batch.c
 * @brief Many pairs: Newton's method on four at a time in the lanes of a vector, on several
 * threads.
 *
 * Pairs that Newton's method applies to go through four slots; a slot whose iteration is over is
 * finished as the single query would finish it, and takes the next pair. The others are single
 * queries. Ellipsoids have slots of their own, without powers. A contact does not depend on its
 * neighbours, nor on how the work is shared out: threads take blocks of pairs.
 */
#include <stddef.h>

#include "../math/rounding_mode.h"
#include "../math/system.h"
#include "superquadric_newton.h"

enum { BLOCK = 256 };

/** A pair on its way. */
typedef struct slot {
    size_t index;
    ovi_pair pair;
    ovi_frame frame;
    ovi_newton newton;
} slot;

typedef struct batch {
    const ov_pair *pairs;
    const ov_pair_options *options;
    ov_warm_start *warm;
    ov_contact *contacts;
} batch;

static ov_warm_start *warm_of(const batch *b, size_t i) {
    return b->warm != NULL ? &b->warm[i] : NULL;
}

/** Is it solved by Newton's method, so that it may share vectors with other pairs? */
static bool fits_lanes(const ovi_pair *p) {
    return ovi_is_family(p->a->kind) && ovi_is_family(p->b->kind) &&
           !(p->a->kind == OV_SHAPE_KIND_SPHERE && p->b->kind == OV_SHAPE_KIND_SPHERE) &&
           ovi_newton_applies(p);
}

static void finish(const batch *b, slot *s, ov_status status, const ovi_result *result) {
    b->contacts[s->index] =
        status == OV_OK ? ovi_contact_of(&s->pair, &s->frame, result) : ovi_contact_none(status);
}

/** Two ellipsoids or spheres? */
static bool are_ellipsoids(const ov_pair *p) {
    return p->a != NULL && p->b != NULL && p->a->kind <= OV_SHAPE_KIND_ELLIPSOID &&
           p->b->kind <= OV_SHAPE_KIND_ELLIPSOID;
}

/**
 * Fills a slot with the next pair that Newton's method applies to, of ellipsoids or not, answering
 * the others of that kind on the way.
 */
static bool fill(const batch *b, size_t *next, size_t end, bool ellipsoids, slot *s) {
    while (*next < end) {
        size_t i = (*next)++;
        const ov_pair *p = &b->pairs[i];
        if (are_ellipsoids(p) != ellipsoids) {
            continue;
        }
        s->index = i;
        ov_status status =
            ovi_pair_place(p->a, ov_pose_default(p->pose_a), p->b, ov_pose_default(p->pose_b),
                           b->options, &s->pair, &s->frame);
        if (status == OV_OK && fits_lanes(&s->pair)) {
            s->newton = ovi_newton_make(&s->pair);
            return true;
        }
        ovi_result result;
        status = status == OV_OK ? ovi_pair_solve(&s->pair, warm_of(b, i), &result) : status;
        finish(b, s, status, &result);
    }
    return false;
}

static void load(const batch *b, ovi_newton4 *lanes, int lane, const slot *s) {
    ovi_triple_2 place = ovi_superquadric_start(&s->newton, warm_of(b, s->index));
    ovi_newton4_load(lanes, lane, &s->newton, &place);
}

static void work_on_block(const batch *b, size_t begin, size_t end, bool ellipsoids) {
    slot slots[4];
    ovi_newton4 lanes = {.ellipsoids = ellipsoids};
    size_t next = begin;
    int left = 0;
    for (int lane = 0; lane < 4; lane++) {
        if (fill(b, &next, end, ellipsoids, &slots[lane])) {
            load(b, &lanes, lane, &slots[lane]);
            left++;
        }
    }
    ovi_newton_end ends[4];
    while (left > 0) {
        int done = ovi_newton4_run(&lanes, ends);
        for (int lane = 0; lane < 4; lane++) {
            if (!(done >> lane & 1)) {
                continue;
            }
            slot *s = &slots[lane];
            ovi_result result = ovi_result_unknown();
            ov_status status =
                ovi_superquadric_finish(&s->newton, &ends[lane], warm_of(b, s->index), &result);
            finish(b, s, status, &result);
            if (fill(b, &next, end, ellipsoids, s)) {
                load(b, &lanes, lane, s);
            } else {
                left--;
            }
        }
    }
}

static void work(void *context, unsigned index, size_t begin, size_t end) {
    (void)index;
    work_on_block(context, begin, end, false);
    work_on_block(context, begin, end, true);
}

ov_status ov_pair_contact_batch(const ov_pair *pairs, size_t count, const ov_pair_options *options,
                                const ov_threads *threads, ov_warm_start *warm,
                                ov_contact *contacts) {
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_pair_contact_batch(pairs, count, options, threads, warm, contacts));
    ov_pair_options used = ovi_pair_options_of(options);
    if (count > 0 && (pairs == NULL || contacts == NULL)) {
        return OV_ERROR_NULL;
    }
    ov_status status = ovi_check_pair_options(&used);
    status = ovi_threads_are_good(threads) ? status : OV_ERROR_OPTION;
    if (status != OV_OK) {
        for (size_t i = 0; i < count; i++) {
            contacts[i] = ovi_contact_none(status);
        }
        return status;
    }
    batch b = {pairs, &used, warm, contacts};
    ovi_ranges_run(work, &b, count, BLOCK, threads);
    return OV_OK;
}
