/**
 * @file world_internal.h
 * @brief What a world holds, for the files that search it.
 *
 * Every part of a body in the world is a leaf: bounded ones are in the tree, half-spaces in a list
 * of their own. Boxes in the tree are larger than the parts by a margin. A body that has moved
 * along a path no longer than that since its boxes were made is still within them, so that nothing
 * needs to be done for it but adding up its path. Another such sum, since the last step, tells how
 * much less the gap of a pair can be than it was then: most pairs are known to be further apart
 * than the limit without another look.
 *
 * A pair is kept only where the balls and the oriented boxes of the parts can come within the limit
 * of each other before one of the two has new boxes and is searched again.
 *
 * Here a step is one ov_world_contacts: broad phase (the search for neighbours in the tree), then
 * narrow phase. What always holds between two calls: every bounded part is within its box in the
 * tree; a leaf whose box is newer than its last search is in `to_search`; two bounded parts that
 * may be within `pair_limit` of each other are a kept pair, unless one of them is in `to_search` or
 * their bodies are no pair (ovi_is_pair).
 */
#ifndef OVI_WORLD_INTERNAL_H
#define OVI_WORLD_INTERNAL_H

#include <float.h>
#include <string.h>

#include "bvh.h"
#include "geometry.h"

/* ---- pairs of neighbours, and what is known about each (world_broad_phase.c)
 *
 * A pair is kept small, for there are several of them for each body: the warm start (ov_warm_start)
 * with its points in single precision and its normal in 16 bits, and the least that its gap can be.
 */

typedef struct ovi_kept_pair {
    uint32_t a, b;     /**< leaves, by their numbers; a < b, or a is the half-space if one is */
    float lower;       /**< the gap was no less in the last step; -infinity: nothing known */
    float point[2][3]; /**< a and b of the warm start, A being the body with the smaller id */
    int16_t normal[3];
    bool near; /**< was a contact in the last step: ball and box are not worth asking */
    bool gone; /**< is to be removed */
} ovi_kept_pair;

typedef struct ovi_pairs {
    ovi_kept_pair *items;
    size_t count, room;
    /** Items behind the `count` others: pairs with a half-space, found anew in each step, of which
     *  nothing is kept and which are not in the table. */
    size_t halfspace_count;
    uint32_t *table; /**< by the hash of a and b: index + 1, or 0 */
    size_t table_room;
} ovi_pairs;

void ovi_pairs_free(ovi_pairs *pairs, const ov_allocator *allocator);
static inline size_t ovi_pairs_all(const ovi_pairs *pairs) {
    return pairs->count + pairs->halfspace_count;
}

/* ---- bodies */

#define OVI_NONE UINT32_MAX
/** Marks a slot without a body. Numbers of bodies and slots leave this bit alone: there are no more
 *  of either than OV_WORLD_PARTS_MAX. */
#define OVI_FREE (UINT32_C(1) << 31)

typedef struct ovi_body {
    ov_pose pose;
    const ov_geometry *geometry;
    void *user;
    float step_path; /**< no point has moved further since the last step */
    float drift;     /**< ... since its boxes in the tree were made */
    uint32_t leaf;   /**< the first of its parts; the others follow by `next` */
    uint32_t id_slot : 31, fixed : 1;
    uint32_t group, mask;
    bool no_pairs;
} ovi_body;

enum {
    OVI_LEAF_TO_SEARCH = 1, /**< has a new box, and is in `to_search` */
    OVI_LEAF_DEAD = 2,      /**< its body was removed, but pairs may still have its number */
    OVI_LEAF_STALE = 4,     /**< needs a new box; only during ov_world_move_all */
    OVI_LEAF_FAR = 8        /**< ... which does not meet the old one */
};

/** A part of a body in the world. (Not every one is a leaf of the tree: half-spaces are not.) */
typedef struct ovi_leaf {
    uint32_t body;
    uint32_t node; /**< OVI_NO_NODE for a half-space */
    uint32_t next; /**< of the same body, or of the free or dead leaves */
    uint32_t part : 24, flags : 8;
} ovi_leaf;

/** What an id (ov_body) leads to its body by: it is the number of a slot, and how often that had
 *  been taken when the body got it. Bodies change their numbers, slots do not. */
typedef struct ovi_id_slot {
    uint32_t body;       /**< or OVI_FREE and the next free slot, or OVI_NONE */
    uint32_t generation; /**< ids of earlier ones are of bodies that were removed */
} ovi_id_slot;

/** An array that grows. */
typedef struct ovi_numbers {
    uint32_t *items;
    size_t count, room;
} ovi_numbers;

/** What to do about a pair whose gap may be within the limit. */
typedef enum ovi_asking {
    OVI_ASK,       /**< a query */
    OVI_ASK_KNOWN, /**< none: what it is to the one who searches is among the findings */
    OVI_ASK_NOT    /**< nothing */
} ovi_asking;

/** Chooses that for pairs of parts, A of the body with the smaller id; on several threads. The
 *  islands of the contacts are then not looked for. */
typedef struct ovi_pair_choice {
    /** The gap is no less than `lower`. `*known`, below 2^31: what a known pair is. */
    ovi_asking (*choose)(const void *context, ov_body a, uint32_t part_a, ov_body b,
                         uint32_t part_b, double lower, uint32_t *known);
    const void *context;
} ovi_pair_choice;

/** One of the findings of a search with a choice: the number of a contact, or what a known pair is.
 *  They are about in the order of the tree. */
typedef uint32_t ovi_finding;
static inline bool ovi_is_known(ovi_finding finding) { return (finding & OVI_FREE) != 0; }
static inline uint32_t ovi_number_of(ovi_finding finding) { return finding & ~OVI_FREE; }

struct ov_world {
    ov_world_options options; /**< with an allocator that is there */
    ovi_body *bodies;
    size_t count, room;
    ovi_id_slot *id_slots;
    size_t id_slot_count, id_slot_room;
    uint32_t free_id_slot;
    ovi_leaf *leaves;
    size_t leaf_count, leaf_room; /**< free and dead ones included */
    size_t parts;                 /**< leaves in use */
    uint32_t free_leaf;
    uint32_t dead_leaf; /**< leaves of bodies that were removed, until no pair has them */
    size_t dead_count;
    ovi_numbers to_search;  /**< leaves with new boxes, whose neighbours are to be found */
    ovi_numbers halfspaces; /**< leaves without a box */
    ovi_bvh tree;           /**< items are the numbers of leaves */
    ovi_pairs pairs;        /**< of neighbours */
    size_t pruned_count;    /**< pairs that were left when they were last looked through */
    double pair_limit; /**< the limit that the pairs hold for; -1: none were searched for yet */
    ov_world_contact *contacts;
    size_t contact_count, contact_room;
    ov_manifold_point *points; /**< of the contacts (world_manifold.c) */
    size_t point_room;
    ov_vec3 *normals; /**< of the points, where a contact is with a mesh */
    size_t normal_room;
    size_t *first_points; /**< of each contact, and one more */
    size_t first_point_room;
    ov_world_counts counts;
    /** Of the one who searches, while it does; null: all pairs are asked for. */
    const ovi_pair_choice *choice;
    ovi_finding *findings; /**< of the last search with a choice */
    size_t finding_count, finding_room;
};

/** The slot is in the upper half, so that of two bodies the slots alone tell whose id is less. */
static inline ov_body ovi_body_id(const ov_world *w, const ovi_body *b) {
    return (ov_body)(b->id_slot + 1u) << 32 | w->id_slots[b->id_slot].generation;
}

static inline bool ovi_is_before(const ovi_body *a, const ovi_body *b) {
    return a->id_slot < b->id_slot;
}

/** A number in single precision, for what there is much of, rounded down; never a subnormal one,
 *  which a processor that flushes them would take for zero. */
static inline float ovi_float_below(double x) {
    if (!(x > -FLT_MAX)) {
        return -INFINITY;
    }
    if (fabs(x) < (double)FLT_MIN) {
        return x < 0.0 ? -FLT_MIN : 0.0f;
    }
    float f = x < FLT_MAX ? (float)x : FLT_MAX;
    if (!((double)f > x)) {
        return f;
    }
    // the next one below, without a call: numbers of one sign are in the order of their bits
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    bits = f > 0.0f ? bits - 1 : bits + 1;
    memcpy(&f, &bits, sizeof f);
    return f;
}
/** ... rounded up. */
static inline float ovi_float_above(double x) { return -ovi_float_below(-x); }

static inline void ovi_fetch_body(const ov_world *w, uint32_t body) {
    ovi_fetch(&w->bodies[body]);
    ovi_fetch(&w->bodies[body].step_path); // it may lie across two lines of the cache
}

/** The body of an id, or null. Reads the slot only: the body need not be in the cache yet. */
ovi_body *ovi_body_of(const ov_world *world, ov_body id);

/** Is the contact of two bodies of interest: are they two, by groups, masks and what is fixed? */
static inline bool ovi_is_pair(const ovi_body *a, const ovi_body *b) {
    return a != b && (a->group & b->mask) != 0 && (b->group & a->mask) != 0 &&
           !(a->fixed && b->fixed) && !(a->no_pairs || b->no_pairs);
}

/** Centre of a part's ball in the world. */
static inline ov_vec3 ovi_ball_centre(const ovi_part *part, const ovi_body *b) {
    ov_vec3 c = part->ball.centre;
    return c.x == 0.0 && c.y == 0.0 && c.z == 0.0 ? b->pose.position : ov_pose_apply(b->pose, c);
}

/** A search for the parts in a world that may be near to a placed part (world_query.c). */
typedef struct ovi_near_search {
    const ov_world *world;
    const ovi_part *part;
    ov_pose pose; /**< of the part's body, with a unit quaternion */
    double limit; /**< what is proven to be further away is passed over; may shrink on the way */
    bool (*visit)(void *user, const ovi_leaf *leaf); /**< takes a part; false ends the search */
    void *user;
    // set by the search
    ovi_part_bounds bounds; /**< in the world; of a half-space only the box, which is everything */
} ovi_near_search;
/** Visits all of them, nearer boxes of the tree first, and then the half-spaces, unless the part is
 *  one itself. False where the visitor ended it. Groups and masks are for the visitor to look at.
 */
bool ovi_world_search_near(ovi_near_search *search);

/** Lets go of the leaves of removed bodies and of their pairs before the next step does; needs no
 *  memory. */
void ovi_world_forget_dead(ov_world *world);

/** A point of contact with a mesh, and its normal, from A towards B. */
typedef struct ovi_mesh_point {
    ov_manifold_point point;
    ov_vec3 normal;
} ovi_mesh_point;

/** Points of a contact of two parts, one of which is a mesh, within a limit; at least one. The
 * poses are those of the parts. (mesh_manifold.c) */
int ovi_mesh_manifold(const ovi_part *a, ov_pose pose_a, const ovi_part *b, ov_pose pose_b,
                      const ov_contact *contact, double limit, const ov_pair_options *options,
                      ovi_mesh_point points[OV_MANIFOLD_POINTS_MAX]);

/** Bytes that the world holds. */
size_t ovi_world_memory(const ov_world *world);

#endif
