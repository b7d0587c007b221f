/**
 * @file sweep_polygons.c
 * @brief The sweep of two bodies made of polygons: the recursion of [Toleranced, Listing 1] over
 * all pairs of polygons at once, and bodies of which one is inside the other.
 *
 * A piece of time gives a centre g and a radius R (motion_internal.h), and whatever is proven apart
 * by the test of offset facets (facet.h) is apart during all of that piece, hence during all parts
 * of it: whether balls of parts are within the ball of the whole, as Remark 2 wants it, does not
 * matter. So there is one recursion over time, which hands down the list of what is left.
 *
 * A body's pose is in the frame that moves, so its polygons are put there once, and all metrics are
 * made there. A body at rest is only rotated; where it is goes with the motion of the other.
 *
 * With a hierarchy the list begins with one pair of nodes, the roots of both trees. Boxes are made
 * larger by R times the largest distortion rate on them, their offset. A pair of nodes that is not
 * apart goes down the larger node as long as that is large against the offset; else a shorter time
 * will tell more, and the pair is handed on as it is. Without, it begins with all pairs of
 * polygons, or as many as are reasonable at once.
 *
 * Beyond the paper, with a hierarchy: what is not apart by its offset may still be so by a plane.
 * Every displacement of a piece is g + (one of the hull of its offsets) + what is not sure, so n.x
 * gets no lower for a point x, by the offsets, than at the lowest offset; and both are affine in x,
 * so the corners of a polygon, or of a box, tell how low all of it gets. Where a body moves past
 * another one, this is much less than it moves. n is along the nearest points at g, or what served
 * last, which often shows all of two bodies to be apart.
 *
 * Where both bodies move, A is the one whose offset is exact; B moves by R_B rho_max on a polygon
 * at most, which is added as a length. Where only B moves, they change places.
 *
 * A pair is given up where no point moves by more than epsilon; at that g A's place is no further
 * from all of its places than that, so what is further apart than 2 epsilon was proven to be apart.
 * Contacts that last would take very many such pieces. Therefore a piece in which nothing moves by
 * more than ovi_lasting_move, and at whose ends and middle the polygons meet, for certain, is given
 * up as well.
 *
 * If only the first contact is asked for, nothing is looked at that begins after a proven contact,
 * and the pieces up to a known one are divided down to the resolution. Before that a contact may be
 * about to come, and what glides into one is within its offset for much longer than it takes to
 * touch; so until something is given up pieces are divided beyond epsilon and resolution, a limited
 * number of them.
 *
 * The work is bounded: from a number of pieces on nothing is divided any more, and from a number of
 * tests on trees are not gone down; what is left is handed over as undecided, two nodes by one pair
 * of their polygons.
 *
 * All this looks at surfaces. While these are apart nothing goes in or out, so between the times at
 * which they may meet, one moment tells for all: where a vertex of each piece of one body is
 * against the closed shells of the other (docs/theory/world.md). Motions need not be rigid: the
 * vertex is taken back into the frame of the shells by the inverse of their map, and known there to
 * some 2^-44 of all lengths, times the condition of the map.
 *
 * Rounding. All places are seen from B's origin at g, so that no digits are lost far from the
 * world's. What the poses and the maps are rounded by is less than PLACE_ROUNDING times all lengths
 * that occur, and is added to what is between the polygons. A contact is proven at a time by a
 * piece of no length, whose radius is what the motion itself is rounded by.
 */
#include <string.h>

#include "../../world/trimesh_internal.h"
#include "../metric.h"
#include "../motion_internal.h"
#include "facet.h"
#include "polygons.h"
#include "sweep_polygons.h"

/** More than the rounding of poses and maps, as a part of all lengths that occur. */
#define PLACE_ROUNDING 0x1p-44
/** Length of the piece that a first contact is in, as a part of the resolution. */
#define RESOLUTION_PART 0.25
/** A pair of nodes is taken apart where its offset is below this part of the larger node's size. */
#define DESCENT_PART 0.5

enum {
    PENDING_MAX = 64,        /**< more than the largest depth */
    MOMENTS = 3,             /**< beginning, middle and end of a piece */
    ROOMS = 4,               /**< for corners: of both, now and at a moment */
    PAIRS_AT_ONCE = 1 << 20, /**< without a hierarchy */
    FINE_PIECES = 1 << 14,   /**< of a pair, divided beyond epsilon before a first contact */
    PIECES_IN_ALL = 1 << 20, /**< what is left then is not divided */
    TESTS_IN_ALL = 1 << 28,  /**< what is left then is not looked at by polygons */
    SIDES_MOST = 1 << 12,    /**< pairs of sides for which nearest points are worth their while */
    NO_POLYGON = -1
};
/** Marks a pair of nodes of the trees. */
static const uint32_t NODES = (uint32_t)1 << 31;

/** No direction is made longer by more than this, or 1.8 times less. */
static double stretch_of(const ov_mat3 *m) {
    return sqrt(ov_vec3_dot(m->cx, m->cx) + ov_vec3_dot(m->cy, m->cy) + ov_vec3_dot(m->cz, m->cz));
}

/* ---- bodies in the frame that moves */

/** A polygon in the frame that moves. */
typedef struct moving_polygon {
    ovi_facet facet;
    ov_metric metric;
    ovi_distortion_form form;
    bool made;     /**< metric and form */
    size_t piece;  /**< that the radius is of */
    double radius; /**< R of that piece, by the polygon's metric */
} moving_polygon;

typedef struct polygon_body {
    const ov_polygons *polygons;
    const ov_motion *motion; /**< null: at rest */
    ov_affine rest;          /**< where the frame is, at rest */
    ov_mat3 turn;            /**< from the body's frame to the one that moves */
    ov_vec3 offset;
    double reach; /**< no corner is further from that frame's origin */
    bool global;  /**< one metric for all polygons */
    ov_metric whole;
    moving_polygon *items;
    ov_vec3 *corners; /**< one more than there are */
    double *rho, *kappa;
    ov_vec2 *plane;
    double *node_rho; /**< largest distortion rate on the boxes, by the whole's metric */
    ovi_piece piece;  /**< the one at hand, if it moves */
} polygon_body;

/** A metric for what has no mass to speak of in some direction: that of a ball. */
static ov_metric metric_of_ball(ov_vec3 centre, double radius) {
    double moment = 0.25 * radius * radius;
    return (ov_metric){
        1.0, centre, {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {moment, moment, moment}};
}

/** Equal masses at all corners, and over their middle if they are flat [Toleranced, 7.1]. */
static ov_metric metric_of_whole(polygon_body *s) {
    size_t count = s->polygons->corner_count;
    ov_metric metric;
    if (ov_metric_from_points(s->corners, NULL, count, &metric) == OV_OK) {
        return metric;
    }
    ov_vec3 sum = {0.0, 0.0, 0.0};
    for (size_t i = 1; i < count; i++) {
        sum = ov_vec3_add(sum, ov_vec3_sub(s->corners[i], s->corners[0]));
    }
    ov_vec3 middle = ov_vec3_add_scaled(s->corners[0], sum, 1.0 / (double)count);
    double radius = 0.0;
    for (size_t i = 0; i < count; i++) {
        radius = fmax(radius, ov_vec3_length(ov_vec3_sub(s->corners[i], middle)));
    }
    s->corners[count] = ov_vec3_add_scaled(middle, s->items[0].facet.normal, 0.25 * radius);
    return ov_metric_from_points(s->corners, NULL, count + 1, &metric) == OV_OK
               ? metric
               : metric_of_ball(middle, radius);
}

static ov_vec3 into_frame(const polygon_body *s, ov_vec3 point) {
    return ov_vec3_add(ov_mat3_mul_vec3(&s->turn, point), s->offset);
}

/** All polygons in the frame that moves, without their metrics. */
static void turn_polygons(polygon_body *s) {
    for (size_t i = 0; i < s->polygons->count; i++) {
        const ovi_polygon *p = &s->polygons->polygons[i];
        s->items[i] = (moving_polygon){.facet = {.corners = s->corners + p->first,
                                                 .count = p->count,
                                                 .centre = into_frame(s, p->centre),
                                                 .p = ov_mat3_mul_vec3(&s->turn, p->p),
                                                 .q = ov_mat3_mul_vec3(&s->turn, p->q),
                                                 .normal = ov_mat3_mul_vec3(&s->turn, p->normal),
                                                 .radius = p->radius * (1.0 + PLACE_ROUNDING),
                                                 .deviation = p->deviation}};
        for (size_t k = 0; k < p->count; k++) {
            s->corners[p->first + k] = into_frame(s, ovi_polygon_corner(s->polygons, p, k));
        }
    }
}

/** Largest distortion rate on each box of the tree: at a corner, for it is convex. */
static void measure_nodes(polygon_body *s) {
    const ovi_bvh *tree = &s->polygons->tree;
    ov_vec3 x = ovi_metric_whiten(&s->whole, s->turn.cx), m = s->whole.moments;
    ov_vec3 y = ovi_metric_whiten(&s->whole, s->turn.cy);
    ov_vec3 z = ovi_metric_whiten(&s->whole, s->turn.cz);
    // as in facet.c, but corners of boxes can be further out
    double blur = 16.0 * OVI_METRIC_ROUNDING * (s->reach + ov_vec3_length(s->whole.centre)) /
                  sqrt(fmin(m.x, fmin(m.y, m.z)));
    for (uint32_t i = 0; i < tree->used; i++) {
        const ov_aabb *box = &tree->nodes[i].box;
        ov_vec3 half = ov_vec3_scale(ov_vec3_sub(box->max, box->min), 0.5);
        ov_vec3 centre = into_frame(s, ov_vec3_add(box->min, half));
        ov_vec3 c = ovi_metric_whiten(&s->whole, ov_vec3_sub(centre, s->whole.centre));
        double most = 0.0;
        for (int k = 0; k < 8; k++) {
            ov_vec3 at = ov_vec3_add_scaled(c, x, k & 1 ? half.x : -half.x);
            at = ov_vec3_add_scaled(at, y, k & 2 ? half.y : -half.y);
            at = ov_vec3_add_scaled(at, z, k & 4 ? half.z : -half.z);
            most = fmax(most, ov_vec3_dot(at, at));
        }
        s->node_rho[i] = sqrt(1.0 / s->whole.mass + most) * (1.0 + PLACE_ROUNDING) + blur;
    }
}

static void release_body(polygon_body *s, const ov_allocator *memory) {
    size_t corners = s->polygons->corner_count;
    ovi_release(memory, s->items, s->polygons->count, sizeof *s->items);
    ovi_release(memory, s->corners, corners + 1, sizeof *s->corners);
    ovi_release(memory, s->rho, corners, sizeof *s->rho);
    ovi_release(memory, s->kappa, corners, sizeof *s->kappa);
    ovi_release(memory, s->plane, corners, sizeof *s->plane);
    ovi_release(memory, s->node_rho, s->polygons->tree.used, sizeof *s->node_rho);
}

/** False for want of memory; release_body() is needed all the same. The body's pose is a unit
 *  quaternion's. */
static bool make_body(polygon_body *s, const ov_polygons *polygons, const ov_motion *motion,
                      ov_pose pose, const ov_sweep_options *options, const ov_allocator *memory) {
    size_t corners = polygons->corner_count, nodes = polygons->tree.used;
    s->polygons = polygons;
    s->motion = motion;
    s->turn = ov_mat3_from_quat(pose.rotation);
    s->offset = motion != NULL ? pose.position : ov_vec3_make(0.0, 0.0, 0.0);
    s->rest = ov_affine_from_pose((ov_pose){pose.position, ov_quat_identity()});
    s->reach = polygons->reach * (1.0 + PLACE_ROUNDING) + ov_vec3_length(s->offset);
    s->global = options->mass == OV_MASS_USE_GLOBAL;
    s->items = ovi_resize(memory, NULL, 0, polygons->count, sizeof *s->items);
    s->corners = ovi_resize(memory, NULL, 0, corners + 1, sizeof *s->corners);
    s->rho = ovi_resize(memory, NULL, 0, corners, sizeof *s->rho);
    s->kappa = ovi_resize(memory, NULL, 0, corners, sizeof *s->kappa);
    s->plane = ovi_resize(memory, NULL, 0, corners, sizeof *s->plane);
    s->node_rho = ovi_resize(memory, NULL, 0, nodes, sizeof *s->node_rho);
    if (s->items == NULL || s->corners == NULL || s->rho == NULL || s->kappa == NULL ||
        s->plane == NULL || s->node_rho == NULL) {
        return false;
    }
    turn_polygons(s);
    if (motion != NULL && (s->global || !options->every_pair)) {
        s->whole = metric_of_whole(s);
    }
    if (!options->every_pair && motion != NULL) {
        measure_nodes(s);
    } else {
        memset(s->node_rho, 0, nodes * sizeof *s->node_rho);
    }
    return true;
}

/** A polygon with its metric. */
static moving_polygon *polygon_of(polygon_body *s, uint32_t index) {
    moving_polygon *item = &s->items[index];
    if (item->made) {
        return item;
    }
    const ovi_facet *f = &item->facet;
    size_t first = s->polygons->polygons[index].first;
    item->made = true;
    if (s->motion != NULL && s->global) {
        item->metric = s->whole;
    } else if (s->motion == NULL ||
               ov_metric_from_polygon(f->corners, f->count, 0.0, &item->metric) != OV_OK) {
        item->metric = metric_of_ball(f->centre, f->radius);
    }
    ovi_distortion_form_make(&item->metric, f->corners, f->count, f->centre, f->p, f->q,
                             s->rho + first, s->kappa + first, s->plane + first, &item->form);
    return item;
}

/** Where the frame is at a time; no point of the body is further from there than what is returned.
 */
static double body_at(const polygon_body *s, double time, ov_affine *at) {
    *at = s->rest;
    if (s->motion == NULL) {
        return 0.0;
    }
    // a piece of no length: what is left of it is rounding
    ovi_piece piece;
    ovi_motion_piece(s->motion, time, time, &piece);
    *at = piece.centre;
    double away = 0.0;
    for (size_t i = 0; i < piece.count; i++) {
        const ov_affine *d = &piece.offsets[i];
        away = fmax(away, ov_vec3_length(d->translation) + stretch_of(&d->linear) * s->reach);
    }
    return (away + piece.translation_error + piece.linear_error * s->reach) *
           (1.0 + PLACE_ROUNDING);
}

/**
 * How low a polygon gets along n, which is no longer than 1, during the piece at hand; `placed` is
 * where it is at the centre. Less what body_unsure() returns this is a bound.
 */
static double body_lowest(const polygon_body *s, uint32_t index, const ovi_facet *placed,
                          ov_vec3 n) {
    const ovi_facet *local = &s->items[index].facet;
    double fall[OVI_PIECE_HULL];
    ov_vec3 along[OVI_PIECE_HULL];
    size_t count = s->motion != NULL ? s->piece.count : 0;
    for (size_t i = 0; i < count; i++) {
        const ov_affine *d = &s->piece.offsets[i];
        along[i] = ov_mat3_tmul_vec3(&d->linear, n);
        fall[i] = ov_vec3_dot(n, d->translation);
    }
    double lowest = INFINITY;
    for (size_t k = 0; k < local->count; k++) {
        double least = count > 0 ? INFINITY : 0.0;
        for (size_t i = 0; i < count; i++) {
            least = fmin(least, fall[i] + ov_vec3_dot(along[i], local->corners[k]));
        }
        lowest = fmin(lowest, ov_vec3_dot(n, placed->corners[k]) + least);
    }
    return lowest;
}

/** Least value of along.x + from on a box of the tree. */
static double least_on_box(const polygon_body *s, ov_vec3 centre, ov_vec3 half, ov_vec3 along,
                           double from) {
    return from + ov_vec3_dot(along, centre) - half.x * fabs(ov_vec3_dot(along, s->turn.cx)) -
           half.y * fabs(ov_vec3_dot(along, s->turn.cy)) -
           half.z * fabs(ov_vec3_dot(along, s->turn.cz));
}

/** The same for a box of the tree, with the frame at `at`; less twice what is not sure. */
static double box_lowest(const polygon_body *s, const ov_aabb *box, const ov_affine *at,
                         ov_vec3 n) {
    ov_vec3 half = ov_vec3_scale(ov_vec3_sub(box->max, box->min), 0.5);
    ov_vec3 centre = into_frame(s, ov_vec3_add(box->min, half));
    double least = 0.0;
    for (size_t i = 0; s->motion != NULL && i < s->piece.count; i++) {
        const ov_affine *d = &s->piece.offsets[i];
        double fall = least_on_box(s, centre, half, ov_mat3_tmul_vec3(&d->linear, n),
                                   ov_vec3_dot(n, d->translation));
        least = i > 0 ? fmin(least, fall) : fall;
    }
    return least + least_on_box(s, centre, half, ov_mat3_tmul_vec3(&at->linear, n),
                                ov_vec3_dot(n, at->translation));
}

/** By how much any point may get further than the offsets of the piece say, rounding included. */
static double body_unsure(const polygon_body *s) {
    if (s->motion == NULL) {
        return 0.0;
    }
    double lengths = 0.0;
    for (size_t i = 0; i < s->piece.count; i++) {
        const ov_affine *d = &s->piece.offsets[i];
        lengths = fmax(lengths, ov_vec3_length(d->translation) + stretch_of(&d->linear) * s->reach);
    }
    return s->piece.translation_error + s->piece.linear_error * s->reach + PLACE_ROUNDING * lengths;
}

/** What is off by the polygons' deviation at the centre can be off by this more elsewhere. */
static double body_uneven(const polygon_body *s) {
    double most = 0.0;
    for (size_t i = 0; s->motion != NULL && i < s->piece.count; i++) {
        most = fmax(most, stretch_of(&s->piece.offsets[i].linear));
    }
    return s->motion != NULL ? (most + s->piece.linear_error) * s->polygons->deviation : 0.0;
}

/* ---- intervals that may still grow */

/**
 * A contact that lasts is found piece by piece, and so are those of all other pairs; without a
 * place where each can grow there would be an interval for each piece of each pair. An interval
 * that ends before the one that comes now cannot grow any more, and leaves when its slot is wanted.
 * The table grows where all slots that a pair may have are taken by others, up to a size;
 * beyond it, an interval may be handed over in several parts.
 */
typedef struct open_intervals {
    const ov_allocator *memory;
    const ovi_interval_sink *sink;
    ov_sweep_interval *slots; /**< a table by the names of the parts; empty ones have no end */
    size_t room;
    bool stopped; /**< the sink wants no more */
} open_intervals;

enum { SLOTS_FIRST = 64, SLOTS_MOST = 1 << 16, PROBES = 8 };

static bool is_empty(const ov_sweep_interval *slot) { return isnan(slot->end); }

static bool is_same(const ov_sweep_interval *p, const ov_sweep_interval *q) {
    return p->part_a == q->part_a && p->part_b == q->part_b;
}

static void hand_over(open_intervals *o, ov_sweep_interval *slot) {
    if (!is_empty(slot) && !o->stopped) {
        o->stopped = !o->sink->take(o->sink->user, slot);
    }
    slot->end = NAN;
}

/** Slot number i of those that a pair may have. */
static ov_sweep_interval *slot_of(const open_intervals *o, const ov_sweep_interval *v, size_t i) {
    uint64_t name = ((uint64_t)v->part_a << 32 | v->part_b) * UINT64_C(0x9e3779b97f4a7c15);
    return &o->slots[((size_t)(name >> 40) + i) & (o->room - 1)];
}

/** The slot of the pair; else one that is empty or can be; null where there is none. */
static ov_sweep_interval *find_slot(const open_intervals *o, const ov_sweep_interval *v) {
    ov_sweep_interval *found = NULL;
    for (size_t i = 0; i < PROBES && o->room > 0; i++) {
        ov_sweep_interval *slot = slot_of(o, v, i);
        if (!is_empty(slot) && is_same(slot, v)) {
            return slot;
        }
        if (found == NULL && (is_empty(slot) || slot->end < v->start)) {
            found = slot;
        }
    }
    return found;
}

static void free_intervals(open_intervals *o) {
    ovi_release(o->memory, o->slots, o->room, sizeof *o->slots);
    o->slots = NULL;
    o->room = 0;
}

static ov_status grow(open_intervals *o) {
    open_intervals more = *o;
    more.room = o->room > 0 ? 2 * o->room : SLOTS_FIRST;
    more.slots = ovi_resize(o->memory, NULL, 0, more.room, sizeof *more.slots);
    if (more.slots == NULL) {
        return OV_ERROR_MEMORY;
    }
    for (size_t i = 0; i < more.room; i++) {
        more.slots[i] = (ov_sweep_interval){.end = NAN};
    }
    for (size_t i = 0; i < o->room; i++) {
        ov_sweep_interval *old = &o->slots[i];
        ov_sweep_interval *slot = is_empty(old) ? NULL : find_slot(&more, old);
        if (slot != NULL && is_empty(slot)) {
            *slot = *old;
        } else {
            hand_over(o, old);
        }
    }
    more.stopped = o->stopped;
    free_intervals(o);
    *o = more;
    return OV_OK;
}

/**
 * Makes the interval of the same parts longer if this one begins where that ends. Intervals should
 * come in the order of time. OV_ERROR_MEMORY.
 */
static ov_status add_interval(open_intervals *o, const ov_sweep_interval *v) {
    ov_sweep_interval *slot = find_slot(o, v);
    while (slot == NULL && o->room < SLOTS_MOST) {
        ov_status status = grow(o);
        if (status != OV_OK) {
            return status;
        }
        slot = find_slot(o, v);
    }
    slot = slot != NULL ? slot : slot_of(o, v, 0);
    if (is_same(slot, v) && slot->end == v->start) {
        slot->end = v->end;
        slot->contact = isnan(slot->contact) ? v->contact : slot->contact;
        return OV_OK;
    }
    hand_over(o, slot);
    *slot = *v;
    return OV_OK;
}

/** Hands all over. */
static void flush_intervals(open_intervals *o) {
    for (size_t i = 0; i < o->room; i++) {
        hand_over(o, &o->slots[i]);
    }
}

/* ---- the work at hand */

/** Polygons, or nodes of the trees: A's is then marked. */
typedef struct entry {
    uint32_t a, b;
} entry;

/** A piece of time that is still to be looked at, and which pairs of the list are left for it. */
typedef struct time_piece {
    double from, to;
    int depth;
    size_t begin, end;
} time_piece;

/** Both frames at a time, seen from B's origin. */
typedef struct moment {
    bool made;
    double time;
    ov_affine a, b;
    double error; /**< no point of the bodies is further from where it is by these */
} moment;

/** A body during the piece at hand. */
typedef struct body_view {
    ov_affine at;                   /**< the centre, seen from B's origin there */
    double stretch;                 /**< no direction is made longer by more */
    double radius;                  /**< R by the metric of the whole body */
    ov_vec3 axes[3];                /**< of the boxes */
    ov_vec3 offset;                 /**< of the boxes */
    double length[3];               /**< of the axes */
    double self[3][3], other[3][3]; /**< |axis i.axis j|, |axis i.axis j of the other body| */
    bool as_made;                   /**< polygons are where they were made */
    ov_vec3 *room;
    ovi_facet placed;
    int64_t placed_index;
} body_view;

typedef struct work {
    polygon_body a, b;
    bool swapped; /**< A here is the caller's B */
    const ov_sweep_options *options;
    ov_allocator memory;
    double epsilon;
    double resolution; /**< a time, with first_only */
    entry *list;
    size_t top, room;
    ov_vec3 *rooms;
    size_t room_corners;
    time_piece pending[PENDING_MAX];
    int pending_count;
    /* the piece at hand */
    time_piece now;
    size_t piece;
    bool last;    /**< it cannot be divided */
    size_t fine;  /**< pieces that were divided beyond epsilon */
    size_t tests; /**< of nodes */
    body_view on_a, on_b;
    double extra;      /**< clearance, and rounding */
    double node_extra; /**< the same between nodes */
    double unsure;     /**< of both bodies: beyond the offsets of their pieces */
    moment moments[MOMENTS];
    ov_vec3 normal; /**< from B to A, that served last to tell two polygons apart; zero: none */
    /* what was found */
    ov_sweep_summary *counts;
    open_intervals open;
    ov_status status;
    double found; /**< beginning of the earliest interval */
    double known; /**< earliest time of a proven contact, with first_only */
    entry known_pair;
    ovi_feature_pair known_features;
    double before, share; // progress: what is done, and what the run at hand is of the whole
} work;

/* ---- intervals */

static void report(work *w, entry pair, const ovi_feature_pair *features, double from, double to,
                   double contact) {
    ov_sweep_interval i = {.start = from,
                           .end = to,
                           .contact = contact,
                           .part_a = pair.a,
                           .part_b = pair.b,
                           .element = features->element,
                           .index_a = features->index_a,
                           .index_b = features->index_b};
    if (w->swapped) {
        i.part_a = pair.b;
        i.part_b = pair.a;
        i.index_a = features->index_b;
        i.index_b = features->index_a;
        i.element = features->element == OV_SWEEP_ELEMENT_VERTEX_FACE ? OV_SWEEP_ELEMENT_FACE_VERTEX
                    : features->element == OV_SWEEP_ELEMENT_FACE_VERTEX
                        ? OV_SWEEP_ELEMENT_VERTEX_FACE
                        : features->element;
    }
    w->found = from < w->found ? from : w->found;
    ov_status status = add_interval(&w->open, &i);
    w->status = status != OV_OK ? status : w->status;
}

/* ---- pieces */

/** Sees both frames from B's origin. */
static void see_from_b(ov_affine *a, ov_affine *b) {
    a->translation = ov_vec3_sub(a->translation, b->translation);
    b->translation = ov_vec3_make(0.0, 0.0, 0.0);
}

/** No coordinate of a corner, seen from B's origin, is larger. */
static double lengths_of(const work *w, const ov_affine *a, const ov_affine *b) {
    return ov_vec3_length(a->translation) + stretch_of(&a->linear) * w->a.reach +
           stretch_of(&b->linear) * w->b.reach;
}

static void set_view(const polygon_body *body, bool nodes, body_view *s) {
    s->stretch = stretch_of(&s->at.linear) * (1.0 + PLACE_ROUNDING);
    s->placed_index = NO_POLYGON;
    s->radius = body->motion != NULL && (nodes || body->global)
                    ? ovi_piece_radius(&body->piece, &body->whole)
                    : 0.0;
    s->axes[0] = ov_mat3_mul_vec3(&s->at.linear, body->turn.cx);
    s->axes[1] = ov_mat3_mul_vec3(&s->at.linear, body->turn.cy);
    s->axes[2] = ov_mat3_mul_vec3(&s->at.linear, body->turn.cz);
    s->offset = ov_affine_apply(&s->at, body->offset);
}

/** Products of the axes of the boxes, for the tests of nodes. */
static void set_products(body_view *s, const body_view *other) {
    for (int i = 0; i < 3; i++) {
        s->length[i] = sqrt(ov_vec3_dot(s->axes[i], s->axes[i]));
        for (int k = 0; k < 3; k++) {
            s->self[i][k] = fabs(ov_vec3_dot(s->axes[i], s->axes[k]));
            s->other[i][k] = fabs(ov_vec3_dot(s->axes[i], other->axes[k]));
        }
    }
}

/** Sets all that belongs to a piece of time. */
static void begin_piece(work *w, const time_piece *f) {
    bool nodes = !w->options->every_pair;
    double middle = f->from + 0.5 * (f->to - f->from);
    w->now = *f;
    w->piece++;
    w->counts->pieces++;
    w->counts->depth = f->depth > w->counts->depth ? f->depth : w->counts->depth;
    w->last = f->depth >= w->options->depth || !(f->from < middle && middle < f->to) ||
              w->piece > PIECES_IN_ALL || w->tests > TESTS_IN_ALL;
    polygon_body *bodies[2] = {&w->a, &w->b};
    body_view *views[2] = {&w->on_a, &w->on_b};
    for (int i = 0; i < 2; i++) {
        views[i]->at = bodies[i]->rest;
        if (bodies[i]->motion != NULL) {
            ovi_motion_piece(bodies[i]->motion, f->from, f->to, &bodies[i]->piece);
            views[i]->at = bodies[i]->piece.centre;
        }
    }
    see_from_b(&w->on_a.at, &w->on_b.at);
    set_view(&w->a, nodes, &w->on_a);
    set_view(&w->b, nodes, &w->on_b);
    if (nodes) {
        set_products(&w->on_a, &w->on_b);
        set_products(&w->on_b, &w->on_a);
    }
    double lengths = lengths_of(w, &w->on_a.at, &w->on_b.at);
    w->extra =
        w->options->clearance + PLACE_ROUNDING * lengths + body_uneven(&w->a) + body_uneven(&w->b);
    w->node_extra = w->extra + PLACE_ROUNDING * lengths +
                    w->on_a.stretch * w->a.polygons->deviation +
                    w->on_b.stretch * w->b.polygons->deviation;
    w->unsure = body_unsure(&w->a) + body_unsure(&w->b);
    const double times[MOMENTS] = {f->from, middle, f->to};
    for (int i = 0; i < MOMENTS; i++) {
        w->moments[i].made = false;
        w->moments[i].time = times[i];
    }
}

/* ---- polygons */

/** Where a polygon is at the centre of the piece. */
static const ovi_facet *place(const polygon_body *body, body_view *s, uint32_t index) {
    if (s->as_made) {
        return &body->items[index].facet;
    }
    if (s->placed_index != (int64_t)index) {
        ovi_facet_place(&body->items[index].facet, &s->at, s->room, &s->placed);
        s->placed_index = (int64_t)index;
    }
    return &s->placed;
}

static double radius_of(const work *w, const polygon_body *body, const body_view *s,
                        moving_polygon *item) {
    if (body->motion == NULL || body->global) {
        return s->radius;
    }
    if (item->piece != w->piece) {
        item->radius = ovi_piece_radius(&body->piece, &item->metric);
        item->piece = w->piece;
    }
    return item->radius;
}

/**
 * Do two polygons go through each other, or are they within the clearance, for certain, at the
 * beginning (0), middle or end of the piece?
 */
static bool meet_at(work *w, entry pair, int which, ovi_feature_pair *features) {
    moment *m = &w->moments[which];
    if (!m->made) {
        m->error = body_at(&w->a, m->time, &m->a) + body_at(&w->b, m->time, &m->b);
        see_from_b(&m->a, &m->b);
        m->error += PLACE_ROUNDING * lengths_of(w, &m->a, &m->b);
        m->made = true;
    }
    ovi_facet a, b;
    ovi_facet_place(&w->a.items[pair.a].facet, &m->a, w->rooms + 2 * w->room_corners, &a);
    ovi_facet_place(&w->b.items[pair.b].facet, &m->b, w->rooms + 3 * w->room_corners, &b);
    return ovi_facets_cross(&a, &b, m->error, features) ||
           ovi_facets_within(&a, &b, w->options->clearance, m->error, features);
}

static void keep(work *w, entry pair) {
    if (w->top == w->room) {
        entry *more = ovi_more_room(&w->memory, w->list, &w->room, 2 * w->top, sizeof *more);
        if (more == NULL) {
            w->status = OV_ERROR_MEMORY;
            return;
        }
        w->list = more;
    }
    w->list[w->top++] = pair;
}

/** Is the piece, in which no point moves by more than `move`, too short to be divided? */
static bool is_final(work *w, double move) {
    bool small = move <= w->epsilon;
    if (w->last || !w->options->first_only) {
        return w->last || small;
    }
    if (w->now.to >= w->known) {
        return w->now.to - w->now.from <= w->resolution;
    }
    // a contact may be about to come: look closer, as long as that is not for ever
    return small && (w->now.from >= w->found || w->fine++ >= FINE_PIECES);
}

/** How far polygons may move in a piece of a contact that lasts. */
static double lasting_move(const work *w, entry pair) {
    double a = w->a.polygons->polygons[pair.a].radius, b = w->b.polygons->polygons[pair.b].radius;
    return ovi_lasting_move(w->epsilon, fmin(a, b));
}

/** A pair that was not proven apart, of which no point moves by more than `move`. */
static void settle(work *w, entry pair, double move, ovi_feature_pair features) {
    bool first = w->options->first_only;
    double from = w->now.from, to = w->now.to, middle = w->moments[1].time;
    if (first && middle < w->known && meet_at(w, pair, 1, &w->known_features)) {
        w->known = middle;
        w->known_pair = pair;
    }
    if (is_final(w, move)) {
        double contact = meet_at(w, pair, 1, &features) ? middle : NAN;
        report(w, pair, &features, from, to, contact);
    } else if (!first && move <= lasting_move(w, pair) && meet_at(w, pair, 1, &features) &&
               meet_at(w, pair, 0, &features) && meet_at(w, pair, 2, &features)) {
        report(w, pair, &features, from, to, middle);
    } else {
        keep(w, pair);
    }
}

static bool apart_along(const work *w, entry pair, const ovi_facet *a, const ovi_facet *b,
                        ov_vec3 n) {
    double above = body_lowest(&w->a, pair.a, a, n);
    double below = -body_lowest(&w->b, pair.b, b, ov_vec3_neg(n));
    return above - below > w->extra + w->unsure + a->deviation + b->deviation;
}

/**
 * Is there a plane that the polygons stay on two sides of during the piece? Only what they move
 * along its normal counts, and the normal is that between their nearest points at the centre.
 */
static bool apart_by_plane(work *w, entry pair, const ovi_facet *a, const ovi_facet *b) {
    if (w->options->every_pair) {
        return false; // as in the paper
    }
    if (apart_along(w, pair, a, b, w->normal)) {
        return true;
    }
    if ((size_t)a->count * b->count > SIDES_MOST) {
        return false;
    }
    ovi_nearest_points near = ovi_facets_nearest(a, b);
    ov_vec3 d = ov_vec3_sub(near.on_a, near.on_b);
    double distance = ov_vec3_length(d);
    if (!(distance > w->extra + w->unsure)) {
        return false;
    }
    ov_vec3 n = ov_vec3_scale(d, (1.0 - PLACE_ROUNDING) / distance);
    bool apart = apart_along(w, pair, a, b, n);
    w->normal = apart ? n : w->normal;
    return apart;
}

static void look_at_polygons(work *w, entry pair) {
    moving_polygon *a = polygon_of(&w->a, pair.a);
    double radius = radius_of(w, &w->a, &w->on_a, a), by_b = 0.0;
    if (w->b.motion != NULL) {
        moving_polygon *b = polygon_of(&w->b, pair.b);
        by_b = radius_of(w, &w->b, &w->on_b, b) * b->form.most * (1.0 + PLACE_ROUNDING);
    }
    ovi_feature_pair features;
    w->counts->tests++;
    const ovi_facet *at_a = place(&w->a, &w->on_a, pair.a), *at_b = place(&w->b, &w->on_b, pair.b);
    if (ovi_offset_facet_meets(at_a, &a->form, radius, at_b, w->extra + by_b, &features) &&
        !apart_by_plane(w, pair, at_a, at_b)) {
        settle(w, pair, radius * a->form.most + by_b, features);
    }
}

/* ---- nodes */

static double half_along(const double h[3], const double products[3]) {
    return h[0] * products[0] + h[1] * products[1] + h[2] * products[2];
}

static ov_vec3 half_of(const ov_aabb *box, double h[3]) {
    ov_vec3 half = ov_vec3_scale(ov_vec3_sub(box->max, box->min), 0.5);
    h[0] = half.x;
    h[1] = half.y;
    h[2] = half.z;
    return ov_vec3_add(box->min, half);
}

static ov_vec3 box_centre(const body_view *s, ov_vec3 c) {
    ov_vec3 at = ov_vec3_add_scaled(s->offset, s->axes[0], c.x);
    at = ov_vec3_add_scaled(at, s->axes[1], c.y);
    return ov_vec3_add_scaled(at, s->axes[2], c.z);
}

/** Are boxes apart by more than `offset`, along an axis of one of them? */
static bool boxes_apart(const work *w, const ov_aabb *a, const ov_aabb *b, double offset) {
    double ha[3], hb[3];
    ov_vec3 ca = box_centre(&w->on_a, half_of(a, ha)), cb = box_centre(&w->on_b, half_of(b, hb));
    ov_vec3 d = ov_vec3_sub(ca, cb);
    const body_view *sa = &w->on_a, *sb = &w->on_b;
    for (int i = 0; i < 3; i++) {
        double by_a = half_along(ha, sa->self[i]), by_b = half_along(hb, sa->other[i]);
        if (fabs(ov_vec3_dot(d, sa->axes[i])) > by_a + by_b + offset * sa->length[i]) {
            return true;
        }
        by_a = half_along(ha, sb->other[i]);
        by_b = half_along(hb, sb->self[i]);
        if (fabs(ov_vec3_dot(d, sb->axes[i])) > by_a + by_b + offset * sb->length[i]) {
            return true;
        }
    }
    return false;
}

/** Do boxes stay on two sides of a plane across the normal that served last? */
static bool boxes_apart_by_plane(const work *w, const ov_aabb *a, const ov_aabb *b) {
    double above = box_lowest(&w->a, a, &w->on_a.at, w->normal);
    double below = -box_lowest(&w->b, b, &w->on_b.at, ov_vec3_neg(w->normal));
    return above - below > w->node_extra + 2.0 * w->unsure;
}

static double size_of(const ov_aabb *box, double stretch) {
    ov_vec3 e = ov_vec3_sub(box->max, box->min);
    return fmax(e.x, fmax(e.y, e.z)) * stretch;
}

/** A polygon below a node. */
static uint32_t first_below(const ov_polygons *s, uint32_t node) {
    while (!ovi_bvh_is_leaf(&s->tree.nodes[node])) {
        node = s->tree.nodes[node].child[0];
    }
    return ovi_bvh_item(&s->tree.nodes[node]);
}

/** There was too much to look at: hands over two nodes by a pair of their polygons. */
static void give_up(work *w, entry nodes) {
    entry pair = {first_below(w->a.polygons, nodes.a), first_below(w->b.polygons, nodes.b)};
    const ovi_feature_pair any = {OV_SWEEP_ELEMENT_EDGE_EDGE, 0, 0};
    report(w, pair, &any, w->now.from, w->now.to, NAN);
}

/** Goes as deep as both trees together: each is less than OVI_BVH_STACK. */
static void look_at_nodes(work *w, entry pair) {
    const ovi_bvh_node *a = &w->a.polygons->tree.nodes[pair.a];
    const ovi_bvh_node *b = &w->b.polygons->tree.nodes[pair.b];
    double move = w->on_a.radius * w->a.node_rho[pair.a] + w->on_b.radius * w->b.node_rho[pair.b];
    w->counts->tests++;
    if (w->open.stopped || w->status != OV_OK ||
        boxes_apart(w, &a->box, &b->box, move + w->node_extra) ||
        boxes_apart_by_plane(w, &a->box, &b->box)) {
        return;
    }
    if (ovi_bvh_is_leaf(a) && ovi_bvh_is_leaf(b)) {
        w->counts->pairs++;
        look_at_polygons(w, (entry){ovi_bvh_item(a), ovi_bvh_item(b)});
        return;
    }
    if (w->tests++ > TESTS_IN_ALL) {
        give_up(w, pair);
        return;
    }
    double size_a = ovi_bvh_is_leaf(a) ? -1.0 : size_of(&a->box, w->on_a.stretch);
    double size_b = ovi_bvh_is_leaf(b) ? -1.0 : size_of(&b->box, w->on_b.stretch);
    if (!w->last && move > w->epsilon && move > DESCENT_PART * fmax(size_a, size_b)) {
        keep(w, (entry){pair.a | NODES, pair.b});
        return;
    }
    for (int i = 0; i < 2; i++) {
        look_at_nodes(w, size_a >= size_b ? (entry){a->child[i], pair.b}
                                          : (entry){pair.a, b->child[i]});
    }
}

/* ---- the recursion */

/** From the list that is there, over all of the time. */
static void run(work *w, double start, double end) {
    w->pending[0] = (time_piece){start, end, 0, 0, w->top};
    w->pending_count = 1;
    while (w->pending_count > 0 && !w->open.stopped && w->status == OV_OK) {
        time_piece f = w->pending[--w->pending_count];
        if (f.from >= w->known) {
            continue;
        }
        w->top = f.end; // what is above is of pieces that are done
        if (w->options->progress != NULL) {
            w->options->progress(w->options->progress_user,
                                 w->before + w->share * (f.from - start) / (end - start));
        }
        begin_piece(w, &f);
        for (size_t i = f.begin; i < f.end && !w->open.stopped && w->status == OV_OK; i++) {
            entry e = w->list[i];
            if (e.a & NODES) {
                look_at_nodes(w, (entry){e.a & ~NODES, e.b});
            } else {
                look_at_polygons(w, e);
            }
        }
        if (w->top > f.end) {
            double middle = w->moments[1].time;
            w->pending[w->pending_count++] = (time_piece){middle, f.to, f.depth + 1, f.end, w->top};
            w->pending[w->pending_count++] =
                (time_piece){f.from, middle, f.depth + 1, f.end, w->top};
        }
    }
}

static void run_all(work *w, double start, double end) {
    size_t count_a = w->a.polygons->count, count_b = w->b.polygons->count;
    w->share = 1.0;
    if (!w->options->every_pair) {
        w->top = 0;
        keep(w, (entry){w->a.polygons->tree.root | NODES, w->b.polygons->tree.root});
        run(w, start, end);
        return;
    }
    size_t at_once = PAIRS_AT_ONCE / count_b + 1;
    w->share = fmin(1.0, (double)at_once / (double)count_a);
    for (size_t i = 0; i < count_a && !w->open.stopped && w->status == OV_OK; i += at_once) {
        w->top = 0;
        w->before = (double)i / (double)count_a;
        for (size_t a = i; a < count_a && a < i + at_once; a++) {
            for (size_t b = 0; b < count_b && w->status == OV_OK; b++) {
                keep(w, (entry){(uint32_t)a, (uint32_t)b});
            }
        }
        w->counts->pairs += w->top;
        run(w, start, end);
        flush_intervals(&w->open); // the next ones begin at the start again
    }
}

/** Hands over what is left; of a first contact that is known, at least its time. */
static void finish(work *w) {
    if (w->known < INFINITY) {
        report(w, w->known_pair, &w->known_features, w->known, w->known, w->known);
    }
    flush_intervals(&w->open);
}

static size_t most_corners(const ov_polygons *s) {
    size_t most = 0;
    for (size_t i = 0; i < s->count; i++) {
        most = s->polygons[i].count > most ? s->polygons[i].count : most;
    }
    return most;
}

static bool make_bodies(work *w, const ovi_polygon_pair *p) {
    w->swapped = p->motion_a == NULL && p->motion_b != NULL;
    const ov_polygons *a = w->swapped ? p->b : p->a, *b = w->swapped ? p->a : p->b;
    const ov_motion *motion_a = w->swapped ? p->motion_b : p->motion_a;
    const ov_motion *motion_b = w->swapped ? p->motion_a : p->motion_b;
    size_t corners_a = most_corners(a), corners_b = most_corners(b);
    w->room_corners = corners_a > corners_b ? corners_a : corners_b;
    bool good_a =
        make_body(&w->a, a, motion_a, w->swapped ? p->pose_b : p->pose_a, w->options, &w->memory);
    bool good_b =
        make_body(&w->b, b, motion_b, w->swapped ? p->pose_a : p->pose_b, w->options, &w->memory);
    w->rooms = ovi_resize(&w->memory, NULL, 0, ROOMS * w->room_corners, sizeof *w->rooms);
    return good_a && good_b && w->rooms != NULL;
}

ov_status ovi_sweep_polygons(const ovi_polygon_pair *pair, double start, double end,
                             const ov_sweep_options *options, const ovi_interval_sink *sink,
                             ov_sweep_summary *counts) {
    ov_allocator memory = ovi_allocator_of(&options->allocator);
    work *w = ovi_resize(&memory, NULL, 0, 1, sizeof *w);
    if (w == NULL) {
        return OV_ERROR_MEMORY;
    }
    *w = (work){.options = options,
                .memory = memory,
                .epsilon = pair->epsilon,
                .resolution = RESOLUTION_PART * options->resolution * (end - start),
                .open = {.memory = &memory, .sink = sink},
                .counts = counts,
                .found = INFINITY,
                .known = INFINITY};
    if (make_bodies(w, pair)) {
        w->on_a.room = w->rooms;
        w->on_b.room = w->rooms + w->room_corners;
        w->on_b.as_made = w->b.motion == NULL;
        run_all(w, start, end);
        finish(w);
    } else {
        w->status = OV_ERROR_MEMORY;
    }
    ov_status status = w->status;
    free_intervals(&w->open);
    release_body(&w->a, &memory);
    release_body(&w->b, &memory);
    ovi_release(&memory, w->rooms, ROOMS * w->room_corners, sizeof *w->rooms);
    ovi_release(&memory, w->list, w->room, sizeof *w->list);
    ovi_release(&memory, w, 1, sizeof *w);
    return status;
}

/* ---- one body inside the other */

/** Where a body is at a time. */
static ov_affine place_of(const ov_motion *motion, ov_pose pose, double time) {
    ov_affine frame = ov_affine_from_pose(ov_pose_identity()), own = ov_affine_from_pose(pose);
    if (motion != NULL) {
        motion->kind->at(motion, time, &frame);
    }
    return ov_affine_mul(&frame, &own);
}

/** The rows of the inverse are the columns of `inverse`; false where there is none. */
static bool invert(const ov_mat3 *m, ov_mat3 *inverse) {
    ov_vec3 x = ov_vec3_cross(m->cy, m->cz), y = ov_vec3_cross(m->cz, m->cx);
    ov_vec3 z = ov_vec3_cross(m->cx, m->cy);
    double det = ov_vec3_dot(m->cx, x), by = 1.0 / det;
    *inverse = (ov_mat3){ov_vec3_scale(x, by), ov_vec3_scale(y, by), ov_vec3_scale(z, by)};
    return det != 0.0 && isfinite(by) && isfinite(stretch_of(inverse));
}

static ovi_side side_of(const ov_trimesh *solid, const ov_affine *at, const ov_trimesh *other,
                        const ov_affine *other_at) {
    ov_mat3 back;
    ovi_side side = OVI_OUTSIDE;
    if (solid->walls == NULL) {
        return side;
    }
    if (!invert(&at->linear, &back)) {
        return OVI_UNSURE;
    }
    double stretch = stretch_of(&back), condition = stretch * stretch_of(&at->linear);
    double lengths = ov_vec3_length(at->translation) + ov_vec3_length(other_at->translation);
    lengths +=
        stretch_of(&other_at->linear) * (ov_vec3_length(other->ball.centre) + other->ball.radius);
    double error = PLACE_ROUNDING * (1.0 + condition) * stretch * lengths;
    for (size_t i = 0; i < other->anchor_count; i++) {
        ov_vec3 p = ov_affine_apply(other_at, other->vertices[other->anchors[i]]);
        p = ov_mat3_tmul_vec3(&back, ov_vec3_sub(p, at->translation));
        ovi_side found = isfinite(error) ? ovi_trimesh_side(solid, p, error) : OVI_UNSURE;
        if (found == OVI_INSIDE) {
            return found;
        }
        side = found == OVI_UNSURE ? found : side;
    }
    return side;
}

static const ov_trimesh *mesh_of(const ov_polygons *polygons) {
    return ov_geometry_part(polygons->geometry, 0)->mesh;
}

static ovi_side side_at(const ovi_polygon_pair *pair, double time) {
    const ov_trimesh *a = mesh_of(pair->a), *b = mesh_of(pair->b);
    ov_affine at_a = place_of(pair->motion_a, pair->pose_a, time);
    ov_affine at_b = place_of(pair->motion_b, pair->pose_b, time);
    ovi_side side = side_of(a, &at_a, b, &at_b);
    ovi_side other = side == OVI_INSIDE ? side : side_of(b, &at_b, a, &at_a);
    return other != OVI_OUTSIDE ? other : side;
}

bool ovi_polygons_inside(const ovi_polygon_pair *pair, double start, double end, double *contact) {
    ovi_side side = side_at(pair, start);
    *contact = start;
    if (side == OVI_UNSURE) { // surfaces may have met there
        *contact = start + 0.5 * (end - start);
        side = side_at(pair, *contact);
    }
    *contact = side == OVI_INSIDE ? *contact : NAN;
    return side != OVI_OUTSIDE;
}
