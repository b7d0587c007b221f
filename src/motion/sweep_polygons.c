/**
 * @file sweep_polygons.c
 * @brief The recursion of [Toleranced, Listing 1] over all pairs of polygons of two bodies at once.
 *
 * A piece of time gives a centre g and a radius R (motion_internal.h), and whatever is proven apart
 * by the fat test (fat.h) is apart during all of that piece, hence during all parts of it: whether
 * balls of parts are within the ball of the whole, as Remark 2 wants it, does not matter. So there
 * is one recursion over time, which hands down the list of what is left.
 *
 * With a hierarchy the list begins with one pair of nodes, the roots of both trees. Boxes are made
 * fat by R times the largest distortion rate on them. A pair of nodes that is not apart goes down
 * the larger node as long as that is large against the fatness; else a shorter time will tell more,
 * and the pair is handed on as it is. Without, it begins with all pairs of polygons, or as many as
 * are reasonable at once.
 *
 * Beyond the paper, with a hierarchy: what is not apart by being fat may still be so by a plane.
 * Every displacement of a piece is g + (one of the hull of its offsets) + what is not sure, so n.x
 * gets no lower for a point x, by the offsets, than at the lowest offset; and both are affine in x,
 * so the corners of a polygon, or of a box, tell how low all of it gets. Where a body moves past
 * another one, this is much less than it moves. n is along the nearest points at g, or what served
 * last, which often shows all of two bodies to be apart.
 *
 * Where both bodies move, A is the one that is made fat exactly; B moves by R_B rho_max on a
 * polygon at most, which is added as a length. Where only B moves, they change places.
 *
 * A pair is given up where no point moves by more than epsilon; at that g A's place is no further
 * from all of its places than that, so what is further apart than 2 epsilon was proven to be apart.
 * Contacts that last would take very many such pieces. Therefore a piece of up to MANY epsilon, or
 * MUCH of the polygons, at whose ends and middle these meet, for certain, is given up as well.
 *
 * If only the first contact is asked for, nothing is looked at that begins after a proven contact,
 * and the pieces up to a known one are divided down to the resolution. Before that a contact may be
 * about to come, and what glides into one is fat for much longer than it takes to touch; so until
 * something is given up pieces are divided beyond epsilon and resolution, a limited number of them.
 *
 * No cover takes for ever: from a number of pieces on nothing is divided any more, and from a
 * number of tests on trees are not gone down; what is left is handed over as undecided, two nodes
 * by one pair of their polygons.
 *
 * Rounding. All places are seen from B's origin at g, so that no digits are lost far from the
 * world's. What the poses and the maps are rounded by is less than OVI_FAT_ROUNDING times all
 * lengths that occur, and is added to what is between the polygons. A contact is proven at a time
 * by a piece of no length, whose radius is what the motion itself is rounded by.
 */
#include "sweep_polygons.h"
#include "fat_body.h"
#include "open_intervals.h"

/** Times epsilon: how far a polygon may move in a piece that is given up for a lasting contact. */
#define MANY 64.0
/** The same as a part of the smaller polygon's radius. */
#define MUCH 0.02
/** Of the resolution: the piece that a first contact is in. */
#define FINER 0.25
/** A pair of nodes goes down where its fatness is below this part of the larger node's size. */
#define COARSE 0.5

enum {
    FRAMES = 64,             /**< more than the largest depth */
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

/** Polygons, or nodes of the trees: A's is then marked. */
typedef struct entry {
    uint32_t a, b;
} entry;

/** A piece of time, and what is left of the pairs before it is looked at. */
typedef struct frame {
    double from, to;
    int depth;
    size_t begin, end;
} frame;

/** Both frames at a time, seen from B's origin. */
typedef struct moment {
    bool made;
    double time;
    ov_affine a, b;
    double error; /**< no point of the bodies is further from where it is by these */
} moment;

/** A body during the piece at hand. */
typedef struct stage {
    ov_affine at;                   /**< the centre, seen from B's origin there */
    double stretch;                 /**< no direction is made longer by more */
    double radius;                  /**< R by the metric of the whole body */
    ov_vec3 axes[3];                /**< of the boxes */
    ov_vec3 offset;                 /**< of the boxes */
    double length[3];               /**< of the axes */
    double self[3][3], other[3][3]; /**< |axis i.axis j|, |axis i.axis j of the other body| */
    bool as_made;                   /**< polygons are where they were made */
    ov_vec3 *room;
    ovi_flat placed;
    int64_t placed_index;
} stage;

typedef struct work {
    ovi_fat_body a, b;
    bool swapped; /**< A here is the caller's B */
    const ov_sweep_options *options;
    ov_allocator memory;
    double epsilon;
    double resolution; /**< a time, with first_only */
    entry *list;
    size_t top, room;
    ov_vec3 *rooms;
    size_t room_corners;
    frame frames[FRAMES];
    int frame_count;
    /* the piece at hand */
    frame now;
    size_t piece;
    bool last;    /**< it cannot be divided */
    size_t fine;  /**< pieces that were divided beyond epsilon */
    size_t tests; /**< of nodes */
    stage on_a, on_b;
    double extra;      /**< clearance, and rounding */
    double node_extra; /**< the same between nodes */
    double unsure;     /**< of both bodies: beyond the offsets of their pieces */
    moment moments[MOMENTS];
    ov_vec3 normal; /**< from B to A, that served last to tell two polygons apart; zero: none */
    /* what was found */
    ov_sweep_summary *counts;
    ovi_open_intervals open;
    ov_status status;
    double found; /**< beginning of the earliest interval */
    double known; /**< earliest time of a proven contact, with first_only */
    entry known_pair;
    ovi_fat_hit known_hit;
    double before, share; // progress: what is done, and what the run at hand is of the whole
} work;

/* ---- intervals */

static void report(work *w, entry pair, const ovi_fat_hit *hit, double from, double to,
                   double contact) {
    ov_sweep_interval i = {.start = from,
                           .end = to,
                           .contact = contact,
                           .part_a = pair.a,
                           .part_b = pair.b,
                           .element = hit->element,
                           .index_a = hit->index_a,
                           .index_b = hit->index_b};
    if (w->swapped) {
        i.part_a = pair.b;
        i.part_b = pair.a;
        i.index_a = hit->index_b;
        i.index_b = hit->index_a;
        i.element = hit->element == OV_SWEEP_ELEMENT_VERTEX_FACE   ? OV_SWEEP_ELEMENT_FACE_VERTEX
                    : hit->element == OV_SWEEP_ELEMENT_FACE_VERTEX ? OV_SWEEP_ELEMENT_VERTEX_FACE
                                                                   : hit->element;
    }
    w->found = from < w->found ? from : w->found;
    ov_status status = ovi_open_add(&w->open, &i);
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
    return ov_vec3_length(a->translation) + ovi_stretch_of(&a->linear) * w->a.reach +
           ovi_stretch_of(&b->linear) * w->b.reach;
}

static void set_stage(const ovi_fat_body *body, bool nodes, stage *s) {
    s->stretch = ovi_stretch_of(&s->at.linear) * (1.0 + OVI_FAT_ROUNDING);
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
static void set_products(stage *s, const stage *other) {
    for (int i = 0; i < 3; i++) {
        s->length[i] = sqrt(ov_vec3_dot(s->axes[i], s->axes[i]));
        for (int k = 0; k < 3; k++) {
            s->self[i][k] = fabs(ov_vec3_dot(s->axes[i], s->axes[k]));
            s->other[i][k] = fabs(ov_vec3_dot(s->axes[i], other->axes[k]));
        }
    }
}

static void enter(work *w, const frame *f) {
    bool nodes = !w->options->every_pair;
    double middle = f->from + 0.5 * (f->to - f->from);
    w->now = *f;
    w->piece++;
    w->counts->pieces++;
    w->counts->depth = f->depth > w->counts->depth ? f->depth : w->counts->depth;
    w->last = f->depth >= w->options->depth || !(f->from < middle && middle < f->to) ||
              w->piece > PIECES_IN_ALL || w->tests > TESTS_IN_ALL;
    ovi_fat_body *bodies[2] = {&w->a, &w->b};
    stage *stages[2] = {&w->on_a, &w->on_b};
    for (int i = 0; i < 2; i++) {
        stages[i]->at = bodies[i]->rest;
        if (bodies[i]->motion != NULL) {
            ovi_motion_piece(bodies[i]->motion, f->from, f->to, &bodies[i]->piece);
            stages[i]->at = bodies[i]->piece.centre;
        }
    }
    see_from_b(&w->on_a.at, &w->on_b.at);
    set_stage(&w->a, nodes, &w->on_a);
    set_stage(&w->b, nodes, &w->on_b);
    if (nodes) {
        set_products(&w->on_a, &w->on_b);
        set_products(&w->on_b, &w->on_a);
    }
    double lengths = lengths_of(w, &w->on_a.at, &w->on_b.at);
    w->extra = w->options->clearance + OVI_FAT_ROUNDING * lengths + ovi_fat_body_uneven(&w->a) +
               ovi_fat_body_uneven(&w->b);
    w->node_extra = w->extra + OVI_FAT_ROUNDING * lengths +
                    w->on_a.stretch * w->a.polygons->deviation +
                    w->on_b.stretch * w->b.polygons->deviation;
    w->unsure = ovi_fat_body_unsure(&w->a) + ovi_fat_body_unsure(&w->b);
    const double times[MOMENTS] = {f->from, middle, f->to};
    for (int i = 0; i < MOMENTS; i++) {
        w->moments[i].made = false;
        w->moments[i].time = times[i];
    }
}

/* ---- polygons */

/** Where a polygon is at the centre of the piece. */
static const ovi_flat *place(const ovi_fat_body *body, stage *s, uint32_t index) {
    if (s->as_made) {
        return &body->items[index].flat;
    }
    if (s->placed_index != (int64_t)index) {
        ovi_flat_place(&body->items[index].flat, &s->at, s->room, &s->placed);
        s->placed_index = (int64_t)index;
    }
    return &s->placed;
}

static double radius_of(const work *w, const ovi_fat_body *body, const stage *s,
                        ovi_fat_polygon *item) {
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
static bool meet_at(work *w, entry pair, int which, ovi_fat_hit *hit) {
    moment *m = &w->moments[which];
    if (!m->made) {
        m->error = ovi_fat_body_at(&w->a, m->time, &m->a) + ovi_fat_body_at(&w->b, m->time, &m->b);
        see_from_b(&m->a, &m->b);
        m->error += OVI_FAT_ROUNDING * lengths_of(w, &m->a, &m->b);
        m->made = true;
    }
    ovi_flat a, b;
    ovi_flat_place(&w->a.items[pair.a].flat, &m->a, w->rooms + 2 * w->room_corners, &a);
    ovi_flat_place(&w->b.items[pair.b].flat, &m->b, w->rooms + 3 * w->room_corners, &b);
    return ovi_flats_cross(&a, &b, m->error, hit) ||
           ovi_flats_within(&a, &b, w->options->clearance, m->error, hit);
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
    return fmax(MANY * w->epsilon, MUCH * fmin(a, b));
}

/** A pair that was not proven apart, of which no point moves by more than `move`. */
static void settle(work *w, entry pair, double move, ovi_fat_hit hit) {
    bool first = w->options->first_only;
    double from = w->now.from, to = w->now.to, middle = w->moments[1].time;
    if (first && middle < w->known && meet_at(w, pair, 1, &w->known_hit)) {
        w->known = middle;
        w->known_pair = pair;
    }
    if (is_final(w, move)) {
        double contact = meet_at(w, pair, 1, &hit) ? middle : NAN;
        report(w, pair, &hit, from, to, contact);
    } else if (!first && move <= lasting_move(w, pair) && meet_at(w, pair, 1, &hit) &&
               meet_at(w, pair, 0, &hit) && meet_at(w, pair, 2, &hit)) {
        report(w, pair, &hit, from, to, middle);
    } else {
        keep(w, pair);
    }
}

static bool apart_along(const work *w, entry pair, const ovi_flat *a, const ovi_flat *b,
                        ov_vec3 n) {
    double above = ovi_fat_body_lowest(&w->a, pair.a, a, n);
    double below = -ovi_fat_body_lowest(&w->b, pair.b, b, ov_vec3_neg(n));
    return above - below > w->extra + w->unsure + a->deviation + b->deviation;
}

/**
 * Is there a plane that the polygons stay on two sides of during the piece? Only what they move
 * along its normal counts, and the normal is that between their nearest points at the centre.
 */
static bool apart_by_plane(work *w, entry pair, const ovi_flat *a, const ovi_flat *b) {
    if (w->options->every_pair) {
        return false; // as in the paper
    }
    if (apart_along(w, pair, a, b, w->normal)) {
        return true;
    }
    if ((size_t)a->count * b->count > SIDES_MOST) {
        return false;
    }
    ovi_nearest near = ovi_flats_nearest(a, b);
    ov_vec3 d = ov_vec3_sub(near.on_a, near.on_b);
    double distance = ov_vec3_length(d);
    if (!(distance > w->extra + w->unsure)) {
        return false;
    }
    ov_vec3 n = ov_vec3_scale(d, (1.0 - OVI_FAT_ROUNDING) / distance);
    bool apart = apart_along(w, pair, a, b, n);
    w->normal = apart ? n : w->normal;
    return apart;
}

static void look_at_polygons(work *w, entry pair) {
    ovi_fat_polygon *a = ovi_fat_body_item(&w->a, pair.a);
    double radius = radius_of(w, &w->a, &w->on_a, a), by_b = 0.0;
    if (w->b.motion != NULL) {
        ovi_fat_polygon *b = ovi_fat_body_item(&w->b, pair.b);
        by_b = radius_of(w, &w->b, &w->on_b, b) * b->form.most * (1.0 + OVI_FAT_ROUNDING);
    }
    ovi_fat_hit hit;
    w->counts->tests++;
    const ovi_flat *at_a = place(&w->a, &w->on_a, pair.a), *at_b = place(&w->b, &w->on_b, pair.b);
    if (ovi_fat_meets(at_a, &a->form, radius, at_b, w->extra + by_b, &hit) &&
        !apart_by_plane(w, pair, at_a, at_b)) {
        settle(w, pair, radius * a->form.most + by_b, hit);
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

static ov_vec3 box_centre(const stage *s, ov_vec3 c) {
    ov_vec3 at = ov_vec3_add_scaled(s->offset, s->axes[0], c.x);
    at = ov_vec3_add_scaled(at, s->axes[1], c.y);
    return ov_vec3_add_scaled(at, s->axes[2], c.z);
}

/** Are boxes apart by more than `fat`, along an axis of one of them? */
static bool boxes_apart(const work *w, const ov_aabb *a, const ov_aabb *b, double fat) {
    double ha[3], hb[3];
    ov_vec3 ca = box_centre(&w->on_a, half_of(a, ha)), cb = box_centre(&w->on_b, half_of(b, hb));
    ov_vec3 d = ov_vec3_sub(ca, cb);
    const stage *sa = &w->on_a, *sb = &w->on_b;
    for (int i = 0; i < 3; i++) {
        double by_a = half_along(ha, sa->self[i]), by_b = half_along(hb, sa->other[i]);
        if (fabs(ov_vec3_dot(d, sa->axes[i])) > by_a + by_b + fat * sa->length[i]) {
            return true;
        }
        by_a = half_along(ha, sb->other[i]);
        by_b = half_along(hb, sb->self[i]);
        if (fabs(ov_vec3_dot(d, sb->axes[i])) > by_a + by_b + fat * sb->length[i]) {
            return true;
        }
    }
    return false;
}

/** Do boxes stay on two sides of a plane across the normal that served last? */
static bool boxes_apart_by_plane(const work *w, const ov_aabb *a, const ov_aabb *b) {
    double above = ovi_fat_body_box_lowest(&w->a, a, &w->on_a.at, w->normal);
    double below = -ovi_fat_body_box_lowest(&w->b, b, &w->on_b.at, ov_vec3_neg(w->normal));
    return above - below > w->node_extra + 2.0 * w->unsure;
}

static double size_of(const ov_aabb *box, double stretch) {
    ov_vec3 e = ov_vec3_sub(box->max, box->min);
    return fmax(e.x, fmax(e.y, e.z)) * stretch;
}

/** A polygon below a node. */
static uint32_t first_below(const ov_polygons *s, uint32_t node) {
    while (!ovi_is_leaf(&s->tree.nodes[node])) {
        node = s->tree.nodes[node].child[0];
    }
    return ovi_item(&s->tree.nodes[node]);
}

/** There was too much to look at: hands over two nodes by a pair of their polygons. */
static void give_up(work *w, entry nodes) {
    entry pair = {first_below(w->a.polygons, nodes.a), first_below(w->b.polygons, nodes.b)};
    const ovi_fat_hit any = {OV_SWEEP_ELEMENT_EDGE_EDGE, 0, 0};
    report(w, pair, &any, w->now.from, w->now.to, NAN);
}

/** Goes as deep as both trees together: each is less than OVI_TREE_DEPTH_MAX. */
static void look_at_nodes(work *w, entry pair) {
    const ovi_node *a = &w->a.polygons->tree.nodes[pair.a];
    const ovi_node *b = &w->b.polygons->tree.nodes[pair.b];
    double move = w->on_a.radius * w->a.node_rho[pair.a] + w->on_b.radius * w->b.node_rho[pair.b];
    w->counts->tests++;
    if (w->open.stopped || w->status != OV_OK ||
        boxes_apart(w, &a->box, &b->box, move + w->node_extra) ||
        boxes_apart_by_plane(w, &a->box, &b->box)) {
        return;
    }
    if (ovi_is_leaf(a) && ovi_is_leaf(b)) {
        w->counts->pairs++;
        look_at_polygons(w, (entry){ovi_item(a), ovi_item(b)});
        return;
    }
    if (w->tests++ > TESTS_IN_ALL) {
        give_up(w, pair);
        return;
    }
    double size_a = ovi_is_leaf(a) ? -1.0 : size_of(&a->box, w->on_a.stretch);
    double size_b = ovi_is_leaf(b) ? -1.0 : size_of(&b->box, w->on_b.stretch);
    if (!w->last && move > w->epsilon && move > COARSE * fmax(size_a, size_b)) {
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
    w->frames[0] = (frame){start, end, 0, 0, w->top};
    w->frame_count = 1;
    while (w->frame_count > 0 && !w->open.stopped && w->status == OV_OK) {
        frame f = w->frames[--w->frame_count];
        if (f.from >= w->known) {
            continue;
        }
        w->top = f.end; // what is above is of pieces that are done
        if (w->options->progress != NULL) {
            w->options->progress(w->options->progress_user,
                                 w->before + w->share * (f.from - start) / (end - start));
        }
        enter(w, &f);
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
            w->frames[w->frame_count++] = (frame){middle, f.to, f.depth + 1, f.end, w->top};
            w->frames[w->frame_count++] = (frame){f.from, middle, f.depth + 1, f.end, w->top};
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
        ovi_open_flush(&w->open); // the next ones begin at the start again
    }
}

/** Hands over what is left; of a first contact that is known, at least its time. */
static void finish(work *w) {
    if (w->known < INFINITY) {
        report(w, w->known_pair, &w->known_hit, w->known, w->known, w->known);
    }
    ovi_open_flush(&w->open);
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
    bool good_a = ovi_fat_body_make(&w->a, a, motion_a, w->swapped ? p->pose_b : p->pose_a,
                                    w->options, &w->memory);
    bool good_b = ovi_fat_body_make(&w->b, b, motion_b, w->swapped ? p->pose_a : p->pose_b,
                                    w->options, &w->memory);
    w->rooms = ovi_resize(&w->memory, NULL, 0, ROOMS * w->room_corners, sizeof *w->rooms);
    return good_a && good_b && w->rooms != NULL;
}

ov_status ovi_sweep_polygons(const ovi_polygon_pair *pair, double start, double end,
                             const ov_sweep_options *options, ovi_interval_sink *sink,
                             ov_sweep_summary *counts) {
    ov_allocator memory = ovi_allocator_of(&options->allocator);
    work *w = ovi_resize(&memory, NULL, 0, 1, sizeof *w);
    if (w == NULL) {
        return OV_ERROR_MEMORY;
    }
    *w = (work){.options = options,
                .memory = memory,
                .epsilon = pair->epsilon,
                .resolution = FINER * options->resolution * (end - start),
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
    ovi_open_free(&w->open);
    ovi_fat_body_release(&w->a, &memory);
    ovi_fat_body_release(&w->b, &memory);
    ovi_release(&memory, w->rooms, ROOMS * w->room_corners, sizeof *w->rooms);
    ovi_release(&memory, w->list, w->room, sizeof *w->list);
    ovi_release(&memory, w, 1, sizeof *w);
    return status;
}
