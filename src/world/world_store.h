/**
 * @file world_store.h
 * @brief What a world holds, for the files that search it.
 *
 * Every part of a body is a leaf: bounded ones in the tree, half-spaces in a list of their own.
 * Boxes in the tree are larger than the parts by a margin. A body that has moved along a path no
 * longer than that since its boxes were made is still within them, so that nothing needs to be
 * done for it but adding up its path. The same sum tells how much less the gap of a pair can be
 * since it was last measured: most pairs are known to be further apart than the limit without
 * another look.
 *
 * A pair is kept only where the balls and the oriented boxes of the parts can come within the limit
 * of each other before one of the two has new boxes and is searched again.
 */
#ifndef OVI_WORLD_STORE_H
#define OVI_WORLD_STORE_H

#include <float.h>

#include "bvh.h"
#include "obb.h"
#include "pairs.h"
#include "world_internal.h"

#define OVI_NONE UINT32_MAX
/** Marks a free handle: there are fewer bodies than parts, and fewer of these. */
#define OVI_FREE (UINT32_C(1) << 31)

typedef struct ovi_body {
    ov_pose pose;
    const ov_geometry *geometry;
    void *user;
    float motion;  /**< no point has moved further since the last search for contacts */
    float drift;   /**< ... since its boxes in the tree were made */
    uint32_t leaf; /**< the first of its parts; the others follow by `next` */
    uint32_t handle : 31, fixed : 1;
    uint32_t group, mask;
    bool no_pairs;
} ovi_body;

enum {
    OVI_LEAF_MOVED = 1, /**< has a new box, and is to be searched */
    OVI_LEAF_DEAD = 2,
    OVI_LEAF_STALE = 4, /**< needs a new box */
    OVI_LEAF_AWAY = 8   /**< ... which does not meet the old one */
};

typedef struct ovi_leaf {
    uint32_t body;
    uint32_t node; /**< OVI_NO_NODE for a half-space */
    uint32_t next; /**< of the same body, or of the free or dead leaves */
    uint32_t part : 24, flags : 8;
} ovi_leaf;

typedef struct ovi_handle {
    uint32_t body; /**< or OVI_FREE and the next free handle, or OVI_NONE */
    uint32_t generation;
} ovi_handle;

/** An array that grows. */
typedef struct ovi_numbers {
    uint32_t *items;
    size_t count, room;
} ovi_numbers;

struct ov_world {
    ov_world_options options; /**< with an allocator that is there */
    ovi_body *bodies;
    size_t count, room;
    ovi_handle *handles;
    size_t handle_count, handle_room;
    uint32_t free_handle;
    ovi_leaf *leaves;
    size_t leaf_count, leaf_room; /**< free and dead ones included */
    size_t parts;                 /**< leaves in use */
    uint32_t free_leaf;
    uint32_t dead_leaf; /**< leaves of bodies that were removed, until no pair has them */
    size_t dead_count;
    ovi_numbers moved;  /**< leaves to be searched for neighbours */
    ovi_numbers planes; /**< leaves without a box */
    ovi_bvh tree;
    ovi_pairs pairs; /**< of neighbours; the guests are those with half-spaces */
    size_t pruned;   /**< pairs that were left when they were last looked through */
    double searched; /**< the limit that the pairs hold for */
    ov_world_contact *contacts;
    size_t contact_count, contact_room;
    uint32_t *members; /**< of each contact's island: a body, and in the end the number */
    size_t member_room;
    ov_world_counts counts;
};

/** The handle is in the upper half, so that of two bodies handles alone tell whose id is less. */
static inline ov_body ovi_body_id(const ov_world *w, const ovi_body *b) {
    return (ov_body)(b->handle + 1u) << 32 | w->handles[b->handle].generation;
}

static inline bool ovi_is_before(const ovi_body *a, const ovi_body *b) {
    return a->handle < b->handle;
}

/** Single precision, for what there is much of: no more, and no less, than a number. */
static inline float ovi_float_below(double x) {
    if (!(x > -FLT_MAX)) {
        return -INFINITY;
    }
    float f = x < FLT_MAX ? (float)x : FLT_MAX;
    return (double)f > x ? nextafterf(f, -INFINITY) : f;
}
static inline float ovi_float_above(double x) { return -ovi_float_below(-x); }

/** Fetches what will soon be needed: in a large world it would be waited for. */
static inline void ovi_fetch(const void *address) {
#if defined(__GNUC__)
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}
static inline void ovi_fetch_body(const ov_world *w, uint32_t body) {
    ovi_fetch(&w->bodies[body]);
    ovi_fetch(&w->bodies[body].motion); // it may lie across two lines of the cache
}

static inline uint32_t ovi_handle_of(ov_body id) { return (uint32_t)(id >> 32) - 1u; }
/** The body of an id, or null. Does not look at the body. */
ovi_body *ovi_body_of(const ov_world *world, ov_body id);

/** Are two bodies to be asked for? */
static inline bool ovi_is_pair(const ovi_body *a, const ovi_body *b) {
    return a != b && (a->group & b->mask) != 0 && (b->group & a->mask) != 0 &&
           !(a->fixed && b->fixed) && !(a->no_pairs || b->no_pairs);
}

static inline const ovi_part *ovi_part_of(const ov_world *w, const ovi_leaf *leaf) {
    return &w->bodies[leaf->body].geometry->parts[leaf->part];
}

/** To be searched for neighbours. */
static inline void ovi_mark_moved(ov_world *w, uint32_t leaf) {
    if (!(w->leaves[leaf].flags & OVI_LEAF_MOVED)) {
        w->leaves[leaf].flags |= (unsigned char)OVI_LEAF_MOVED;
        w->moved.items[w->moved.count++] = leaf;
    }
}

bool ovi_numbers_reserve(ovi_numbers *numbers, const ov_allocator *allocator, size_t count);

/**
 * Box of a bounded part in the world, without margin; it holds the part also in exact arithmetic.
 * It is that of the part's ball and oriented box, hence not tight: for a tapered body a tight one
 * takes six searches, and what it would leave out is left out by ball and oriented box anyway.
 */
ov_aabb ovi_part_box(const ovi_part *part, ov_pose body);
/** The same for the tree, with its margin. */
ov_aabb ovi_leaf_box(const ov_world *w, const ovi_leaf *leaf);

/** Oriented box of a part in the world, to ovi_place_rounding. */
ovi_placed_box ovi_part_placed_box(const ovi_part *part, ov_pose body);
/** More than the rounding error of a bound that was placed in the world. */
double ovi_place_rounding(const ovi_part *part, ov_pose body);

/** Centre of a part's ball in the world. */
static inline ov_vec3 ovi_ball_centre(const ovi_part *part, const ovi_body *b) {
    ov_vec3 c = part->ball.centre;
    return c.x == 0.0 && c.y == 0.0 && c.z == 0.0 ? b->pose.position : ov_pose_apply(b->pose, c);
}

/** A bound of the gap of two bounded parts by their balls, of which one reaches `radius_a`. */
static inline double ovi_ball_bound(ov_vec3 centre_a, double radius_a, ov_vec3 centre_b,
                                    double radius_b) {
    ov_vec3 d = ov_vec3_sub(centre_b, centre_a);
    double square = ov_vec3_dot(d, d);
    double distance = square > 1e-200 && square < 1e200 ? sqrt(square) : ov_vec3_length(d);
    return distance * (1.0 - 0x1p-50) - radius_a - radius_b;
}

/** How far a body may still move before its boxes are made anew. */
static inline double ovi_drift_left(const ov_world *w, const ovi_body *b) {
    return w->options.margin * b->geometry->radius - (double)b->drift;
}

/** A length that is certainly no less than limit + rounding. */
static inline double ovi_limit_up(double limit) { return limit * (1.0 + 0x1p-50); }

/** Parts of the bodies of a world that may be near to a placed part (world_ask.c). */
typedef struct ovi_near_search {
    const ov_world *world;
    const ovi_part *part;
    ov_pose pose; /**< of the part's body, with a unit quaternion */
    double limit; /**< what is proven to be further away is passed over; may shrink on the way */
    bool (*visit)(void *user, const ovi_leaf *leaf); /**< takes a part; false ends the search */
    void *user;
    // set by the search
    ov_aabb box;           /**< in the world; everything for a half-space */
    ovi_placed_box placed; /**< of a bounded part */
    ov_vec3 centre;        /**< of its ball */
    double rounding;       /**< of these */
} ovi_near_search;
/** All of them, nearer boxes of the tree first, and then the half-spaces unless it is one itself.
 *  False where the visitor ended it. Filters are the visitor's. */
bool ovi_world_search_near(ovi_near_search *search);

/** Lets go of the leaves of removed bodies and of their pairs, between searches; no memory needed.
 */
void ovi_world_forget_dead(ov_world *world);

/** Bytes that the world holds. */
size_t ovi_world_memory(const ov_world *world);

#endif
