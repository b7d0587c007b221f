/**
 * @file painter.c
 * @brief What hides what in a picture: the order in which pieces are painted, from back to front.
 *
 * SVG knows no depth, so what is painted later covers what is there. Pieces are convex: shapes, and
 * triangles of meshes.
 *
 *  1. Two pieces need an order where they overlap in the picture. For two triangles that is seen at
 *     a point that both cover. A shape is moved along the line of sight, from behind the other
 * piece to before it: if it meets the other on its way, the two overlap, and its own place is
 * before or behind where they meet.
 *  2. The pieces are painted so that each comes after all that are behind it, the furthest of those
 *     that may come next first. Where pieces cover each other in a ring, or cross, no order is
 * right, and the furthest comes first.
 */
#include <math.h>
#include <stdlib.h>

#include <ovoid/query.h>

#include "svg.h"

enum { JUDGED_MAX = 8000000 };            // pairs; others are ordered by their depth alone
static const double least_overlap = 1e-4; // of the smaller triangle's area: edges that touch
static const double slack = 0.01;         // of the smaller piece: bodies that rest on each other

/* ---- where pieces are ------------------------------------------------------------------------ */

svg_range svg_shape_reach(const ov_shape *shape, ov_pose pose, ov_vec3 direction) {
    ov_vec3 d = ov_quat_rotate(ov_quat_conjugate(pose.rotation), direction);
    double at = ov_vec3_dot(pose.position, direction);
    ov_support far = {0.0, {0.0, 0.0, 0.0}}, near = {0.0, {0.0, 0.0, 0.0}};
    if (ov_shape_support(shape, d, &far) < 0 ||
        ov_shape_support(shape, ov_vec3_neg(d), &near) < 0) {
        return (svg_range){at, at};
    }
    return (svg_range){at - near.value, at + far.value};
}

static svg_range reach(const svg_piece *p, ov_vec3 direction) {
    if (p->shape != NULL) {
        return svg_shape_reach(p->shape, p->pose, direction);
    }
    svg_range r = svg_range_empty();
    for (int i = 0; i < 3; i++) {
        double at = ov_vec3_dot(p->corners[i], direction);
        svg_range_widen(&r, at, at);
    }
    return r;
}

static double size_of(const svg_piece *p) {
    return fmax(p->across.high - p->across.low,
                fmax(p->upward.high - p->upward.low, p->depth.high - p->depth.low));
}

/* ---- two triangles --------------------------------------------------------------------------- */

typedef struct spot {
    double x, y;
} spot;

/** Twice the area to the left of a, b, c. */
static double area(spot a, spot b, spot c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/** A triangle in the picture, counter-clockwise, with the depth of its corners. */
typedef struct flat {
    spot c[3];
    double depth[3], area;
} flat;

static flat flat_of(const svg_piece *p, const svg_view *view) {
    flat f;
    for (int i = 0; i < 3; i++) {
        f.c[i] =
            (spot){ov_vec3_dot(p->corners[i], view->right), ov_vec3_dot(p->corners[i], view->up)};
        f.depth[i] = ov_vec3_dot(p->corners[i], view->eye);
    }
    f.area = area(f.c[0], f.c[1], f.c[2]);
    if (f.area < 0.0) {
        spot c = f.c[1];
        double depth = f.depth[1];
        f.c[1] = f.c[2];
        f.depth[1] = f.depth[2];
        f.c[2] = c;
        f.depth[2] = depth;
        f.area = -f.area;
    }
    return f;
}

/** What of a polygon is to the left of the line from a to b; returns the number of its corners. */
static int cut(const spot *polygon, int count, spot a, spot b, spot *left) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
        spot p = polygon[i], q = polygon[(i + 1) % count];
        double at_p = area(a, b, p), at_q = area(a, b, q);
        if (at_p >= 0.0) {
            left[kept++] = p;
        }
        if ((at_p < 0.0) != (at_q < 0.0)) {
            double t = at_p / (at_p - at_q);
            left[kept++] = (spot){p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)};
        }
    }
    return kept;
}

static double depth_at(const flat *f, spot p) {
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        sum += f->depth[i] * area(f->c[(i + 1) % 3], f->c[(i + 2) % 3], p);
    }
    return sum / f->area;
}

/** Below 0 where triangle a is behind b, above 0 where it is before b, 0 where that is all one. */
static double compare_triangles(const svg_piece *pa, const svg_piece *pb, const svg_view *view) {
    flat a = flat_of(pa, view), b = flat_of(pb, view);
    spot polygons[2][8] = {{a.c[0], a.c[1], a.c[2]}};
    int count = 3;
    double common = 0.0;
    for (int i = 0; i < 3 && count > 0; i++) {
        count = cut(polygons[i % 2], count, b.c[i], b.c[(i + 1) % 3], polygons[(i + 1) % 2]);
    }
    const spot *all = polygons[1];
    spot middle = {0.0, 0.0};
    for (int i = 0; i < count; i++) {
        common += i > 1 ? area(all[0], all[i - 1], all[i]) : 0.0;
        middle.x += all[i].x / count;
        middle.y += all[i].y / count;
    }
    if (!(common > least_overlap * fmin(a.area, b.area))) {
        return 0.0;
    }
    return depth_at(&a, middle) - depth_at(&b, middle);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/** How far a shape goes from `from` on along `way` until it meets another; infinite if never. */
static double way_to(const ov_shape *a, ov_pose pose_a, ov_vec3 from, ov_vec3 way,
                     const ov_shape *b, ov_pose pose_b) {
    ov_cast_hit hit;
    pose_a.position = ov_vec3_add(pose_a.position, from);
    ov_status status = ov_shape_cast(a, pose_a, way, b, pose_b, NULL, &hit);
    return status >= 0 && hit.hit ? hit.fraction * ov_vec3_length(way) : INFINITY;
}

/** As compare_triangles, for pieces of which one at least is a shape. */
static double compare_shapes(const svg_piece *a, const svg_piece *b, const svg_view *view) {
    ov_shape flats[2];
    const svg_piece *pieces[2] = {a, b};
    const ov_shape *shapes[2] = {a->shape, b->shape};
    for (int i = 0; i < 2; i++) {
        const ov_vec3 *c = pieces[i]->corners;
        if (shapes[i] == NULL) {
            if (ov_shape_make_triangle(c[0], c[1], c[2], &flats[i]) < 0) {
                return 0.0; // without area it cannot be seen
            }
            shapes[i] = &flats[i];
        }
    }
    double size = fmin(size_of(a), size_of(b)), room = 0.1 * fmax(size_of(a), size_of(b));
    double behind = a->depth.high - b->depth.low + room, // so far back a is behind all of b
        before = b->depth.high - a->depth.low + room;
    ov_vec3 way = ov_vec3_scale(view->eye, behind + before);
    double met =
        way_to(shapes[0], a->pose, ov_vec3_scale(view->eye, -behind), way, shapes[1], b->pose);
    if (isinf(met)) {
        return 0.0;
    }
    if (met >= behind - slack * size) {
        return -1.0;
    }
    met = way_to(shapes[0], a->pose, ov_vec3_scale(view->eye, before), ov_vec3_neg(way), shapes[1],
                 b->pose);
    if (met >= before - slack * size) {
        return isinf(met) ? 0.0 : 1.0;
    }
    // they cross: as they would be once they are pushed apart
    ov_contact c;
    ov_status status = ov_pair_contact(shapes[0], a->pose, shapes[1], b->pose, NULL, NULL, &c);
    return status >= 0 ? -ov_vec3_dot(c.normal, view->eye) : 0.0;
}

/* ---- the order ------------------------------------------------------------------------------- */

/** The piece `front` is to be painted after `behind`. */
typedef struct rule {
    uint32_t behind, front;
} rule;

typedef struct painter {
    svg_piece *pieces;
    const svg_view *view;
    size_t count;
    rule *rules;
    size_t rule_count, rule_room;
    uint32_t *by_depth, *rank; /**< the furthest first, and each piece's number there */
    size_t *first;             /**< rules of a piece, sorted by what is behind */
    uint32_t *waits;           /**< rules of pieces that are not painted yet */
    uint32_t *ready;           /**< a heap of ranks */
    size_t ready_count;
} painter;

static bool add_rule(painter *p, size_t behind, size_t front) {
    if (p->rule_count == p->rule_room) {
        size_t room = p->rule_room < 512 ? 1024 : 2 * p->rule_room;
        rule *more = realloc(p->rules, room * sizeof *more);
        if (more == NULL) {
            return false;
        }
        p->rules = more;
        p->rule_room = room;
    }
    p->rules[p->rule_count++] = (rule){(uint32_t)behind, (uint32_t)front};
    return true;
}

typedef struct key {
    double value;
    uint32_t index;
} key;

static int compare_keys(const void *a, const void *b) {
    const key *p = a, *q = b;
    if (p->value < q->value || p->value > q->value) {
        return p->value < q->value ? -1 : 1;
    }
    return p->index < q->index ? -1 : p->index > q->index;
}

/** Step 1: pairs that overlap across the picture, by a sweep from left to right. */
static bool find_rules(painter *p, key *keys) {
    size_t judged = 0;
    for (size_t i = 0; i < p->count; i++) {
        keys[i] = (key){p->pieces[i].across.low, (uint32_t)i};
    }
    qsort(keys, p->count, sizeof *keys, compare_keys);
    for (size_t i = 0; i < p->count; i++) {
        const svg_piece *a = &p->pieces[keys[i].index];
        for (size_t j = i + 1; j < p->count && keys[j].value < a->across.high; j++) {
            const svg_piece *b = &p->pieces[keys[j].index];
            if (!(a->upward.low < b->upward.high && b->upward.low < a->upward.high)) {
                continue;
            }
            if (++judged > JUDGED_MAX) {
                return true;
            }
            double before = a->shape == NULL && b->shape == NULL ? compare_triangles(a, b, p->view)
                                                                 : compare_shapes(a, b, p->view);
            uint32_t behind = keys[before < 0.0 ? i : j].index,
                     front = keys[before < 0.0 ? j : i].index;
            if (fabs(before) > 0.0 && !add_rule(p, behind, front)) {
                return false;
            }
        }
    }
    return true;
}

/** Puts a rank into the heap, the least of which is on top. */
static void make_ready(painter *p, uint32_t rank) {
    size_t at = p->ready_count++;
    for (; at > 0 && p->ready[(at - 1) / 2] > rank; at = (at - 1) / 2) {
        p->ready[at] = p->ready[(at - 1) / 2];
    }
    p->ready[at] = rank;
}

static uint32_t take_ready(painter *p) {
    uint32_t least = p->ready[0], last = p->ready[--p->ready_count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < p->ready_count; at = child) {
        child += child + 1 < p->ready_count && p->ready[child + 1] < p->ready[child];
        if (p->ready[child] >= last) {
            break;
        }
        p->ready[at] = p->ready[child];
    }
    p->ready[at] = last;
    return least;
}

static int compare_rules(const void *a, const void *b) {
    const rule *p = a, *q = b;
    return p->behind < q->behind ? -1 : p->behind > q->behind;
}

/** Step 2. */
static void paint(painter *p, size_t *order) {
    const uint32_t done = UINT32_MAX;
    size_t painted = 0, furthest = 0;
    for (size_t i = 0; i < p->rule_count; i++) {
        p->first[p->rules[i].behind + 1]++;
        p->waits[p->rules[i].front]++;
    }
    for (size_t i = 0; i < p->count; i++) {
        p->first[i + 1] += p->first[i];
        if (p->waits[i] == 0) {
            make_ready(p, p->rank[i]);
        }
    }
    while (painted < p->count) {
        while (p->waits[p->by_depth[furthest]] == done) {
            furthest++;
        }
        uint32_t next = p->by_depth[p->ready_count > 0 ? take_ready(p) : furthest];
        p->waits[next] = done;
        order[painted++] = next;
        for (size_t i = p->first[next]; i < p->first[next + 1]; i++) {
            uint32_t front = p->rules[i].front;
            if (p->waits[front] != done && --p->waits[front] == 0) {
                make_ready(p, p->rank[front]);
            }
        }
    }
}

static ov_status sort(painter *p, key *keys, size_t *order) {
    for (size_t i = 0; i < p->count; i++) {
        svg_piece *piece = &p->pieces[i];
        piece->across = reach(piece, p->view->right);
        piece->upward = reach(piece, p->view->up);
        piece->depth = reach(piece, p->view->eye);
        keys[i] = (key){piece->depth.low + piece->depth.high, (uint32_t)i};
    }
    qsort(keys, p->count, sizeof *keys, compare_keys);
    for (size_t i = 0; i < p->count; i++) {
        p->by_depth[i] = keys[i].index;
        p->rank[keys[i].index] = (uint32_t)i;
    }
    if (!find_rules(p, keys)) {
        return OV_ERROR_MEMORY;
    }
    if (p->rule_count > 0) {
        qsort(p->rules, p->rule_count, sizeof *p->rules, compare_rules);
    }
    paint(p, order);
    return OV_OK;
}

ov_status svg_sort_pieces(svg_piece *pieces, size_t count, const svg_view *view, size_t *order) {
    painter p = {.pieces = pieces, .view = view, .count = count};
    key *keys = malloc((count + 1) * sizeof *keys);
    p.by_depth = malloc((count + 1) * sizeof *p.by_depth);
    p.rank = malloc((count + 1) * sizeof *p.rank);
    p.first = calloc(count + 1, sizeof *p.first);
    p.waits = calloc(count + 1, sizeof *p.waits);
    p.ready = malloc((count + 1) * sizeof *p.ready);
    ov_status status = OV_ERROR_MEMORY;
    if (keys != NULL && p.by_depth != NULL && p.rank != NULL && p.first != NULL &&
        p.waits != NULL && p.ready != NULL) {
        status = sort(&p, keys, order);
    }
    free(keys);
    free(p.rules);
    free(p.by_depth);
    free(p.rank);
    free(p.first);
    free(p.waits);
    free(p.ready);
    return status;
}
