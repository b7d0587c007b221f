/**
 * @file trimesh_pair.c
 * @brief Mesh against mesh: the pair of triangles with the least gap, and all pairs within a limit.
 *
 * Both trees are descended together, the larger node of a pair being divided. Mesh B is seen from
 * A's frame: its boxes are turned there. Two boxes are at least as far apart as along the axes of
 * either, and as in a frame with the normal of the best pair so far, which serves as planes do for
 * a shape (trimesh_target.c). Two triangles are first held against these, then along the normals of
 * their planes and across pairs of their edges: every direction bounds the gap from below, and for
 * triangles that cross, the best of these is their depth, as they are the normals of the faces of
 * the difference of the two. Only what is left is solved by the pair query: so of the many crossing
 * pairs of two meshes that overlap, only those that are deeper than all before them.
 *
 * A descent keeps at most one pair a level of either tree, which bounds the stack.
 */
#include "../math/rounding_mode.h"
#include "trimesh_internal.h"

typedef struct item {
    uint32_t a, b;
    double bound;
    int takes; // better pairs found before
} item;

enum { ROUNDS = 8, STACK = 2 * OVI_BVH_DEPTH + 2 };

/** An orthonormal frame as either mesh sees it; the first axis is the normal of a pair. */
typedef struct seen_frame {
    ov_mat3 in_a, in_b;
} seen_frame;

typedef struct search {
    const ov_trimesh *a, *b;
    ov_shape proxy_a, proxy_b;
    ovi_trimesh_search base;
    ov_vec3 rows[3]; // absolute values of the turn, by rows
    bool has_normal; // of the best pair so far, from A to B
    seen_frame normal;
} search;

static ov_vec3 absolute(ov_vec3 v) { return ov_vec3_make(fabs(v.x), fabs(v.y), fabs(v.z)); }

static ov_status place(const ov_trimesh *a, ov_pose pose_a, const ov_trimesh *b, ov_pose pose_b,
                       double limit, const ov_pair_options *options, search *s) {
    if (a == NULL || b == NULL) {
        return OV_ERROR_NULL;
    }
    s->a = a;
    s->b = b;
    s->proxy_a = ovi_trimesh_proxy(a);
    s->proxy_b = ovi_trimesh_proxy(b);
    ov_status status =
        ovi_trimesh_place(&s->proxy_a, pose_a, &s->proxy_b, pose_b, limit, options, &s->base);
    if (status != OV_OK) {
        return status;
    }
    const ov_mat3 *m = &s->base.pair.turn;
    s->rows[0] = absolute(ov_vec3_make(m->cx.x, m->cy.x, m->cz.x));
    s->rows[1] = absolute(ov_vec3_make(m->cx.y, m->cy.y, m->cz.y));
    s->rows[2] = absolute(ov_vec3_make(m->cx.z, m->cy.z, m->cz.z));
    return OV_OK;
}

static void take_normal(search *s, ov_vec3 n) {
    if (ovi_is_direction(n)) {
        n = ov_vec3_normalize(n);
        ov_mat3 a = ov_mat3_householder(n);
        a.cx = n;
        s->normal = (seen_frame){a,
                                 {ovi_to_b(&s->base.pair, a.cx), ovi_to_b(&s->base.pair, a.cy),
                                  ovi_to_b(&s->base.pair, a.cz)}};
        s->has_normal = true;
    }
}

/* ---- bounds of two nodes */

/** Two nodes, and what all their bounds need. */
typedef struct duo {
    const ovi_trimesh_node *a, *b;
    ov_vec3 half_a, half_b; // each in its own frame
    ov_vec3 between;        // from the middle of A's box to that of B's
} duo;

static duo duo_of(const search *s, uint32_t a, uint32_t b) {
    duo d = {.a = &s->a->nodes[a], .b = &s->b->nodes[b]};
    d.half_a = ovi_box_half(&d.a->box);
    d.half_b = ovi_box_half(&d.b->box);
    d.between = ov_vec3_sub(ovi_from_b(&s->base.pair, ovi_box_centre(&d.b->box)),
                            ovi_box_centre(&d.a->box));
    return d;
}

/** Along the normal of the best pair, and in the two directions across it. */
static double normal_bound(const search *s, const duo *d) {
    const seen_frame *f = &s->normal;
    if (!s->has_normal) {
        return -INFINITY;
    }
    double n = ov_vec3_dot(f->in_a.cx, d->between) - ovi_node_reach(d->a, d->half_a, f->in_a.cx) -
               ovi_node_reach(d->b, d->half_b, ov_vec3_neg(f->in_b.cx));
    double y = fabs(ov_vec3_dot(f->in_a.cy, d->between)) - ovi_box_reach(d->half_a, f->in_a.cy) -
               ovi_box_reach(d->half_b, f->in_b.cy);
    double z = fabs(ov_vec3_dot(f->in_a.cz, d->between)) - ovi_box_reach(d->half_a, f->in_a.cz) -
               ovi_box_reach(d->half_b, f->in_b.cz);
    return ovi_axes_bound(n, y, z) - s->base.pair.rounding;
}

/** Along the axes of the two slabs, the way that points from A to B. */
static double slabs_bound(const search *s, const duo *d) {
    ov_vec3 n = d->a->axis;
    double along = ov_vec3_dot(n, d->between), own = along < 0.0 ? -d->a->lo : d->a->hi;
    ov_vec3 n_b = ovi_to_b(&s->base.pair, n);
    own = fabs(along) - own - ovi_node_reach(d->b, d->half_b, along < 0.0 ? n_b : ov_vec3_neg(n_b));
    n = ovi_turn_from_b(&s->base.pair, d->b->axis);
    along = ov_vec3_dot(n, d->between);
    double other = along < 0.0 ? d->b->hi : -d->b->lo;
    other = fabs(along) - other - ovi_node_reach(d->a, d->half_a, along < 0.0 ? ov_vec3_neg(n) : n);
    return (own > other ? own : other) - s->base.pair.rounding;
}

/** By the boxes, along the axes of either. */
static double axes_bound(const search *s, const duo *w) {
    const ov_mat3 *m = &s->base.pair.turn;
    ov_vec3 d = absolute(w->between), a = w->half_a, b = w->half_b;
    double own = ovi_axes_bound(d.x - a.x - ov_vec3_dot(s->rows[0], b),
                                d.y - a.y - ov_vec3_dot(s->rows[1], b),
                                d.z - a.z - ov_vec3_dot(s->rows[2], b));
    d = absolute(ov_mat3_tmul_vec3(m, w->between));
    double other =
        ovi_axes_bound(d.x - b.x - ovi_box_reach(a, m->cx), d.y - b.y - ovi_box_reach(a, m->cy),
                       d.z - b.z - ovi_box_reach(a, m->cz));
    return (own > other ? own : other) - s->base.pair.rounding;
}

/** A pair of nodes with its bound, as far as it takes to be beyond the cut. */
static item item_make(const search *s, uint32_t a, uint32_t b) {
    duo d = duo_of(s, a, b);
    double cut = ovi_trimesh_cut(&s->base), bound = normal_bound(s, &d);
    bound = bound > cut ? bound : ovi_larger(bound, axes_bound(s, &d));
    bound = bound > cut ? bound : ovi_larger(bound, slabs_bound(s, &d));
    return (item){a, b, bound, s->base.best.takes};
}

/* ---- bounds of two triangles */

/** How far two triangles in one frame are apart along n or against it, n of any length. */
static double apart_along(const ov_vec3 a[3], const ov_vec3 b[3], ov_vec3 n) {
    double square = ov_vec3_dot(n, n);
    if (!(square > 1e-280)) {
        return -INFINITY; // no direction
    }
    // from a corner: coordinates may be much larger than the triangles
    double a1 = ov_vec3_dot(n, ov_vec3_sub(a[1], a[0])),
           a2 = ov_vec3_dot(n, ov_vec3_sub(a[2], a[0]));
    double b0 = ov_vec3_dot(n, ov_vec3_sub(b[0], a[0])),
           b1 = ov_vec3_dot(n, ov_vec3_sub(b[1], a[0]));
    double b2 = ov_vec3_dot(n, ov_vec3_sub(b[2], a[0]));
    double a_lo = a1 < a2 ? a1 : a2, a_hi = a1 < a2 ? a2 : a1;
    double b_lo = b0 < b1 ? b0 : b1, b_hi = b0 < b1 ? b1 : b0;
    a_lo = a_lo < 0.0 ? a_lo : 0.0;
    a_hi = a_hi > 0.0 ? a_hi : 0.0;
    b_lo = b_lo < b2 ? b_lo : b2;
    b_hi = b_hi > b2 ? b_hi : b2;
    double above = b_lo - a_hi, below = a_lo - b_hi;
    return (above > below ? above : below) / sqrt(square);
}

/** Lower bound of the gap, as far as it takes to be beyond the cut. */
static double triangles_bound(const search *s, const ov_vec3 a[3], const ov_vec3 b[3], double cut) {
    double bound = -INFINITY, enough = cut + s->base.pair.rounding;
    if (s->has_normal) {
        bound = apart_along(a, b, s->normal.in_a.cx);
    }
    ov_vec3 edges_a[3], edges_b[3];
    for (int i = 0; i < 3; i++) {
        edges_a[i] = ov_vec3_sub(a[(i + 1) % 3], a[i]);
        edges_b[i] = ov_vec3_sub(b[(i + 1) % 3], b[i]);
    }
    if (!(bound > enough)) {
        bound = ovi_larger(bound, apart_along(a, b, ov_vec3_cross(edges_a[0], edges_a[1])));
        bound = ovi_larger(bound, apart_along(a, b, ov_vec3_cross(edges_b[0], edges_b[1])));
    }
    for (int i = 0; i < 9 && !(bound > enough); i++) {
        ov_vec3 n = ov_vec3_cross(edges_a[i / 3], edges_b[i % 3]);
        bound = ovi_larger(bound, apart_along(a, b, n));
    }
    return bound - s->base.pair.rounding;
}

/* ---- the search */

/** Solves two triangles unless their bound drops them. */
static ov_status look_at(search *s, const ovi_trimesh_leaves *at) {
    ov_vec3 own[3], other[3], normal;
    ovi_trimesh_corners(s->a, at->triangle_a, own);
    ovi_trimesh_corners(s->b, at->triangle_b, other);
    double cut = ovi_trimesh_cut(&s->base);
    for (int i = 0; i < 3; i++) {
        other[i] = ovi_from_b(&s->base.pair, other[i]);
    }
    double bound = triangles_bound(s, own, other, cut);
    if (bound > cut) {
        ovi_trimesh_drop(&s->base.best, bound, at->node_a, at->node_b);
        return OV_OK;
    }
    ovi_trimesh_triangle a, b;
    bool better;
    ovi_trimesh_triangle_at(s->a, at->triangle_a, &a);
    ovi_trimesh_triangle_at(s->b, at->triangle_b, &b);
    ov_status status = ovi_trimesh_look(&s->base, &a.shape, &b.shape, at, &normal, &better);
    if (better) {
        take_normal(s, normal);
    }
    return status;
}

static ov_status look_at_leaves(search *s, const item *pair) {
    const ovi_trimesh_node *a = &s->a->nodes[pair->a], *b = &s->b->nodes[pair->b];
    for (uint32_t i = 0; i < a->count; i++) {
        ovi_trimesh_leaves at = {.node_a = pair->a, .node_b = pair->b};
        at.triangle_a = s->a->order[a->first + i];
        for (uint32_t k = 0; k < b->count && !s->base.ended; k++) {
            at.triangle_b = s->b->order[b->first + k];
            ov_status status = look_at(s, &at);
            if (status != OV_OK) {
                return status;
            }
        }
    }
    return OV_OK;
}

static double extent(const ovi_trimesh_node *n) {
    ov_vec3 d = ov_vec3_sub(n->box.max, n->box.min);
    return d.x + d.y + d.z;
}

/** The two halves of a pair of nodes, of which one at least is no leaf. */
static void divide(const search *s, const item *at, item out[2]) {
    const ovi_trimesh_node *a = &s->a->nodes[at->a], *b = &s->b->nodes[at->b];
    bool by_a = b->count > 0 || (a->count == 0 && extent(a) >= extent(b));
    out[0] = item_make(s, by_a ? at->a + 1 : at->a, by_a ? at->b : at->b + 1);
    out[1] = item_make(s, by_a ? a->first : at->a, by_a ? at->b : b->first);
}

static ov_status descend(search *s) {
    item stack[STACK];
    int top = 0;
    stack[top++] = item_make(s, 0, 0);
    while (top > 0 && !s->base.ended) {
        item at = stack[--top];
        double cut = ovi_trimesh_cut(&s->base);
        if (!(at.bound > cut) && at.takes < s->base.best.takes) {
            duo d = duo_of(s, at.a, at.b);
            at.bound = ovi_larger(at.bound, normal_bound(s, &d));
        }
        if (at.bound > cut) {
            ovi_trimesh_drop(&s->base.best, at.bound, at.a, at.b);
            continue;
        }
        if (s->a->nodes[at.a].count > 0 && s->b->nodes[at.b].count > 0) {
            ov_status status = look_at_leaves(s, &at);
            if (status != OV_OK) {
                return status;
            }
            continue;
        }
        item half[2];
        divide(s, &at, half);
        int first = s->base.visit != NULL || half[0].bound <= half[1].bound ? 0 : 1;
        stack[top++] = half[1 - first];
        stack[top++] = half[first];
    }
    return OV_OK;
}

/**
 * A pair to begin with: from a point of one mesh to the nearest of the other, to and fro. It ends
 * near a place where the distance is least, so that the descent has a good cut from the start.
 */
static ov_status begin(search *s) {
    ovi_trimesh_foot a = {.square = INFINITY}, b = a;
    if (item_make(s, 0, 0).bound > s->base.best.cut) {
        return OV_OK;
    }
    ov_vec3 from = ovi_from_b(&s->base.pair, s->b->ball.centre);
    ovi_trimesh_nearest(s->a, from, &a);
    for (int i = 0; i < ROUNDS; i++) {
        double before = b.square;
        ov_vec3 seen = ovi_to_b(&s->base.pair, ov_vec3_sub(a.point, s->base.pair.offset));
        b.square = i > 0 ? a.square : INFINITY;
        ovi_trimesh_nearest(s->b, seen, &b);
        a.square = b.square;
        ovi_trimesh_nearest(s->a, ovi_from_b(&s->base.pair, b.point), &a);
        if (!(a.square < 0.98 * before)) {
            break;
        }
    }
    const ovi_trimesh_leaves at = {0, 0, a.triangle, b.triangle};
    return look_at(s, &at);
}

static ov_status finish(search *s, ov_trimesh_contact *contact) {
    ovi_trimesh_best *best = &s->base.best;
    ovi_trimesh_triangle a, b;
    if (!best->found) {
        best->triangle_a = ovi_trimesh_any(s->a, best->near_a);
        best->triangle_b = ovi_trimesh_any(s->b, best->near_b);
    }
    ovi_trimesh_triangle_at(s->a, best->triangle_a, &a);
    ovi_trimesh_triangle_at(s->b, best->triangle_b, &b);
    return ovi_trimesh_finish(&s->base, &a.shape, &b.shape, contact);
}

ov_status ovi_trimesh_pair_surface(const ovi_trimesh_asked *q, double limit,
                                   ov_trimesh_contact *contact, ovi_trimesh_seen *seen) {
    search s = {.a = NULL};
    ov_status status = place(q->a, q->pose_a, q->b, q->pose_b, limit, q->options, &s);
    status = status == OV_OK ? begin(&s) : status;
    status = status == OV_OK ? descend(&s) : status;
    status = status == OV_OK ? finish(&s, contact) : status;
    if (status < 0) {
        *contact = ovi_trimesh_no_contact(status);
        return status;
    }
    *seen = (ovi_trimesh_seen){s.base.pair, s.base.frame};
    seen->pair.a = seen->pair.b = NULL; // triangles of this search
    return status;
}

ov_status ov_trimesh_pair_contacts(const ov_trimesh *a, ov_pose pose_a, const ov_trimesh *b,
                                   ov_pose pose_b, double limit, const ov_pair_options *options,
                                   ov_trimesh_visit visit, void *user) {
    OVI_NEAREST(ov_status,
                ov_trimesh_pair_contacts(a, pose_a, b, pose_b, limit, options, visit, user));
    if (visit == NULL) {
        return OV_ERROR_NULL;
    }
    search s = {.base = {.visit = visit, .user = user}};
    ov_status status = place(a, pose_a, b, pose_b, limit, options, &s);
    return status == OV_OK ? descend(&s) : status;
}
