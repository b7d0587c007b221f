/**
 * @file touch_objects.c
 * @brief Objects against maps: contacts of vertices and faces, cold and warm; zones, bones.
 *
 * The distance to A changes by no more than a point moves: if it is d at the centre of a ball of
 * radius r, nothing in the ball is nearer than d - r. The same bound finds the deepest point of a
 * face by branch and bound: pieces of the face are cut in four as long as their balls may reach
 * deeper than what was found.
 */
#include "../math/rounding_mode.h"
#include "touch_balls_internal.h"
#include "touch_lookup.h"

enum {
    PIECES_MAX = 48, // of a face that wait at one time
    CUTS_MAX = 128,  // of one face
    CROSSING_CUTS_MAX = 24,
    REMEMBERED = 512 // vertices: a power of two
};
/** A face is searched to this share of A's diagonal. */
static const double face_tolerance = 1e-4;

/* ---- a query under way, in A's frame */

typedef struct run {
    ov_touch_query *q;
    const ov_pose *bones; // with unit quaternions; null: A is rigid
    const ov_touch_map *map;
    const ov_touch_object *b;
    ov_affine to_a;     // from B's frame
    ov_affine from_a;   // to the world
    double error;       // of a point of B in A's frame, by rounding
    double cross_error; // of the test whether a face crosses A
    double limit;
    /** What is proven to be further than this is in contact at no level: the limit, and how far off
     * the field may be. */
    double clear;
    ov_touch_level level;
    double lower, upper, value; // of the distance
    bool open;                  // something was not told
    // what is known from the queries before; null: nothing
    float *leaf_bounds, *vertex_bounds;
    double moved;                   // what they are above the distances now
    float edge;                     // bounds up to here have to be looked at
    uint32_t gathered[OVI_AT_ONCE]; // vertices, by their places in the tree, to be looked up
    int gathered_count;
    // with faces: is a vertex in contact? 2 n + 2 of vertex n, one more where it is; 0: not known
    uint32_t *remembered;
} run;

/** A point of A's frame, seen by the bone that its part follows. */
typedef struct seen {
    ovi_touch_bounds bounds;
    ov_vec3 p;     // in the frame of the map
    uint32_t part; // with bones: whose this is
    bool cut;      // the nearest of A is not surface of the mesh, but where a part ends
} seen;

/** The nearest of all parts, each where its bone has put it. */
static seen see_bones(const run *r, ov_vec3 p) {
    seen best = {.bounds = {INFINITY, INFINITY, INFINITY}, .part = OV_NO_PART, .p = p};
    for (uint32_t i = 0; i < r->map->box_count; i++) {
        ov_vec3 x = ov_pose_apply_inverse(r->bones[i], p);
        double error =
            r->error + ovi_touch_rounding(ov_vec3_length(r->bones[i].position) + ov_vec3_length(p));
        double box = ovi_touch_box_distance(&r->map->boxes[i], x);
        double known = error + ovi_touch_rounding(ov_vec3_length(r->map->boxes[i].centre));
        if (box - known > best.bounds.lower && box + known > best.bounds.upper) {
            continue;
        }
        ovi_touch_bounds b = ovi_touch_field_bounds(r->map, x, error);
        bool cut = box > b.value;
        b = (ovi_touch_bounds){ovi_larger(b.value, box), ovi_larger(b.lower, box - known),
                               ovi_larger(b.upper, box + known)};
        if (b.value < best.bounds.value) {
            best.p = x;
            best.part = i;
            best.cut = cut;
            best.bounds.value = b.value;
        }
        best.bounds.lower = b.lower < best.bounds.lower ? b.lower : best.bounds.lower;
        best.bounds.upper = b.upper < best.bounds.upper ? b.upper : best.bounds.upper;
    }
    return best;
}

static seen see(const run *r, ov_vec3 p) {
    if (r->bones != NULL) {
        return see_bones(r, p);
    }
    return (seen){ovi_touch_field_bounds(r->map, p, r->error), p, OV_NO_PART, false};
}

/** Gradient of the distance with bones, as ovi_touch_normal has it without. */
static ov_vec3 bones_normal(const run *r, ov_vec3 p) {
    double d[4];
    for (int i = 0; i < 4; i++) {
        ov_vec3 x = ov_vec3_add_scaled(p, ovi_touch_corner(i), ovi_touch_normal_reach(r->map));
        d[i] = see_bones(r, x).bounds.value;
    }
    return ovi_touch_slope(d);
}

/* ---- contacts */

/** What is known of a point in contact, in A's frame. */
typedef struct touch {
    ov_vec3 p;
    ovi_touch_bounds bounds;
    uint32_t vertex, triangle, zone, part;
    bool exact;
    ov_vec3 nearest; // where exact
} touch;

static void add_to_zone(ov_touch_zone *z, const ov_touch_contact *c, double limit) {
    double depth = limit - c->distance;
    if (z->count == 0 || c->distance < z->deepest.distance) {
        z->deepest = *c;
    }
    z->count++;
    double sum = z->depth_sum + depth;
    if (sum > 0.0) {
        z->point = ov_vec3_add_scaled(z->point, ov_vec3_sub(c->point, z->point), depth / sum);
    } else {
        z->point = c->point;
    }
    z->depth_sum = sum;
    z->normal_sum = ov_vec3_add_scaled(z->normal_sum, c->normal, depth);
}

OVI_INLINE uint32_t part_inline(const ov_touch_map *map, ov_vec3 p) {
    ovi_v4 least = ovi_v4_of(INFINITY);
    ovi_i4 best = {0, 1, 2, 3}, number = best;
    for (size_t i = 0; i < map->four_count; i++, number += 4) {
        const ovi_touch_boxes4 *b = &map->fours[i];
        ovi_v4 most = ovi_load_lanes(b->none), x = p.x - ovi_load_lanes(b->centre[0]),
               y = p.y - ovi_load_lanes(b->centre[1]), z = p.z - ovi_load_lanes(b->centre[2]);
        for (int k = 0; k < 3; k++) {
            ovi_v4 here =
                ovi_v4_abs(ovi_load_lanes(b->axes[k][0]) * x + ovi_load_lanes(b->axes[k][1]) * y +
                           ovi_load_lanes(b->axes[k][2]) * z);
            most = ovi_v4_select(here > most, here, most);
        }
        ovi_i4 less = most < least;
        least = ovi_v4_select(less, most, least);
        best = (less & number) | (~less & best);
    }
    int lane = 0;
    for (int i = 1; i < 4; i++) {
        bool less = least[i] < least[lane] || (least[i] == least[lane] && best[i] < best[lane]);
        lane = less ? i : lane;
    }
    return (uint32_t)best[lane];
}
/** The part that has a point most within its box; there is one. */
OVI_DISPATCH(static, uint32_t, part_of, part_inline, (const ov_touch_map *map, ov_vec3 p), (map, p))

/** Takes down a contact, and what is to be known about it in the world. `n`: in A's frame. */
static void add_contact(run *r, const touch *t, ov_vec3 n) {
    ov_touch_query *q = r->q;
    size_t number = q->contact_count++;
    bool listed = q->contacts != NULL && number < q->contact_room;
    if (!listed && q->zones == NULL) {
        return;
    }
    ov_touch_contact c = {.point = ov_affine_apply(&r->from_a, t->p),
                          .distance = t->bounds.value,
                          .distance_lower = t->bounds.lower,
                          .distance_upper = t->bounds.upper,
                          .vertex = t->vertex,
                          .triangle = t->triangle,
                          .zone = t->zone,
                          .part = t->part};
    if (!q->no_normals) {
        ov_vec3 nearest = t->exact ? t->nearest : ov_vec3_add_scaled(t->p, n, -t->bounds.value);
        c.normal = ov_mat3_mul_vec3(&r->from_a.linear, n);
        c.nearest = ov_affine_apply(&r->from_a, nearest);
        if (c.part == OV_NO_PART && r->map->box_count > 0) {
            c.part = part_of(r->map, nearest);
        }
    }
    if (listed) {
        q->contacts[number] = c;
    }
    if (q->zones != NULL) {
        add_to_zone(&q->zones[c.zone], &c, r->limit);
    }
}

OVI_INLINE void corners_inline(const ov_touch_map *map, const touch *touches, int count,
                               double (*d)[4], unsigned *outside) {
    for (int i = 0; i < count; i++) {
        outside[i] = ovi_look_up_corners(map, touches[i].p, d[i]);
    }
}
OVI_DISPATCH(static, void, look_up_corners, corners_inline,
             (const ov_touch_map *map, const touch *touches, int count, double (*d)[4],
              unsigned *outside),
             (map, touches, count, d, outside))

/** Some contacts, no more than are looked up at a time. */
static void add_contacts(run *r, const touch *touches, int count) {
    double d[OVI_AT_ONCE][4];
    unsigned outside[OVI_AT_ONCE];
    bool wanted = !r->q->no_normals && (r->q->contacts != NULL || r->q->zones != NULL);
    if (wanted && r->bones == NULL) {
        look_up_corners(r->map, touches, count, d, outside);
    }
    for (int i = 0; i < count; i++) {
        const touch *t = &touches[i];
        ov_vec3 n = {0.0, 0.0, 0.0};
        if (wanted) {
            n = r->bones != NULL ? bones_normal(r, t->p)
                                 : ovi_corners_normal(r->map, t->p, d[i], outside[i]);
        }
        r->upper = t->bounds.upper < r->upper ? t->bounds.upper : r->upper;
        r->value = t->bounds.value < r->value ? t->bounds.value : r->value;
        add_contact(r, t, n);
    }
}

static void note_lower(run *r, double lower) { r->lower = lower < r->lower ? lower : r->lower; }

/** Asks the triangles where the level wants it. */
static void sharpen(run *r, const seen *s, touch *t) {
    bool undecided = s->bounds.lower <= 0.0 && s->bounds.upper >= 0.0;
    t->bounds = s->bounds;
    if (s->cut || r->level == OV_TOUCH_LEVEL_FIELD ||
        (r->level == OV_TOUCH_LEVEL_DECIDED && !undecided)) {
        return;
    }
    ovi_nearest near;
    double error = r->error;
    if (r->bones != NULL) {
        // the other parts keep their bounds; this one gets its own
        error +=
            ovi_touch_rounding(ov_vec3_length(r->bones[s->part].position) + ov_vec3_length(t->p));
    }
    ovi_touch_bounds exact;
    r->open = !ovi_touch_exact_bounds(r->map, s->p, error, &s->bounds, &exact, &near) || r->open;
    if (r->bones == NULL) {
        t->bounds = exact;
        t->exact = true;
        t->nearest = near.point;
    } else if (exact.value <= t->bounds.upper) {
        t->bounds.value = fmax(exact.value, t->bounds.lower);
        t->bounds.upper = exact.upper < t->bounds.upper ? exact.upper : t->bounds.upper;
        t->exact = true;
        t->nearest = ov_pose_apply(r->bones[s->part], near.point);
    }
}

/**
 * Is it in contact? What the level says decides. But a field that is far off somewhere could say so
 * of what a search passes over; there the triangles tell, so that the answer does not depend on the
 * way that a search takes.
 */
static bool is_contact(const run *r, const seen *s, const touch *t) {
    if (!(t->bounds.value <= r->limit)) {
        return false;
    }
    if (t->bounds.upper <= r->clear || r->bones != NULL) {
        return true;
    }
    ovi_nearest near;
    ovi_touch_bounds exact;
    (void)ovi_touch_exact_bounds(r->map, s->p, r->error, &t->bounds, &exact, &near);
    return exact.value <= r->clear;
}

/** Judges a vertex that may be in contact; fills in `t` if it is. */
static bool look_at_vertex(run *r, uint32_t index, const seen *s, touch *t) {
    uint32_t vertex = r->b->points.order[index];
    *t = (touch){.p = s->p,
                 .vertex = vertex,
                 .triangle = OV_NO_TRIANGLE,
                 .zone = r->b->zones[vertex],
                 .part = s->part};
    sharpen(r, s, t);
    note_lower(r, t->bounds.lower);
    bool touches = is_contact(r, s, t);
    if (r->remembered != NULL) {
        r->remembered[vertex % REMEMBERED] = 2 * vertex + 2 + touches;
    }
    return touches;
}

/** Places in A's frame, and what the field says of them. */
typedef struct looked {
    double x[OVI_AT_ONCE], y[OVI_AT_ONCE], z[OVI_AT_ONCE];
    double value[OVI_AT_ONCE], bound[OVI_AT_ONCE];
    unsigned outside; // bits of those that are not in the field
} looked;

OVI_INLINE void look_up_moved(const run *r, ovi_places4 p, int first, looked *l) {
    ovi_v4 value, bound;
    p = ovi_places4_moved(&r->to_a, p);
    l->outside |= ovi_look_up_four(&r->map->field, p, &value, &bound) << first;
    bound += r->error;
    memcpy(l->x + first, &p.x, sizeof p.x);
    memcpy(l->y + first, &p.y, sizeof p.y);
    memcpy(l->z + first, &p.z, sizeof p.z);
    memcpy(l->value + first, &value, sizeof value);
    memcpy(l->bound + first, &bound, sizeof bound);
}

OVI_INLINE void vertices_inline(const run *r, looked *l) {
    const ov_vec3 *v = r->b->sorted;
    l->outside = 0;
    for (int i = 0; i < r->gathered_count; i += 4) {
        const uint32_t *g = &r->gathered[i];
        const ov_vec3 a = v[g[0]], b = v[g[1]], c = v[g[2]], d = v[g[3]];
        const double x[4] = {a.x, b.x, c.x, d.x}, y[4] = {a.y, b.y, c.y, d.y},
                     z[4] = {a.z, b.z, c.z, d.z};
        const ovi_places4 p = {ovi_load_lanes(x), ovi_load_lanes(y), ovi_load_lanes(z)};
        look_up_moved(r, p, i, l);
    }
}
OVI_DISPATCH(static, void, look_up_vertices, vertices_inline, (const run *r, looked *l), (r, l))

/** Below a number, by little. */
static float rounded_down(double x) {
    float f = (float)x;
    return f - FLT_EPSILON * fabsf(f);
}

/** Looks up the vertices that were gathered, all before any is judged. */
static void look_at_gathered(run *r) {
    looked l;
    touch touches[OVI_AT_ONCE];
    int found = 0, count = r->gathered_count;
    for (int i = count; i % 4 != 0; i++) {
        r->gathered[i] = r->gathered[0];
    }
    look_up_vertices(r, &l);
    for (int i = 0; i < count; i++) {
        seen s = {{l.value[i], l.value[i] - l.bound[i], l.value[i] + l.bound[i]},
                  ov_vec3_make(l.x[i], l.y[i], l.z[i]),
                  OV_NO_PART,
                  false};
        if (l.outside >> i & 1) {
            s.bounds = ovi_touch_bounds_outside(r->map, s.p, r->error);
        }
        if (r->vertex_bounds != NULL) {
            r->vertex_bounds[r->gathered[i]] = rounded_down(s.bounds.lower + r->moved);
        }
        if (s.bounds.lower > r->limit) {
            note_lower(r, s.bounds.lower);
        } else if (look_at_vertex(r, r->gathered[i], &s, &touches[found])) {
            found++;
        }
    }
    r->gathered_count = 0;
    if (found > 0) {
        add_contacts(r, touches, found);
    }
}

static void gather(run *r, uint32_t index) {
    r->gathered[r->gathered_count++] = index;
    if (r->gathered_count == OVI_AT_ONCE) {
        look_at_gathered(r);
    }
}

static void look_at_vertices(run *r, uint32_t first, uint32_t count) {
    for (uint32_t i = first; i < first + count; i++) {
        if (r->bones == NULL) {
            if (r->vertex_bounds == NULL || !(r->vertex_bounds[i] > r->edge)) {
                gather(r, i);
            }
            continue;
        }
        ov_vec3 p = ov_affine_apply(&r->to_a, r->b->sorted[i]);
        seen s = see_bones(r, p);
        touch t;
        if (s.bounds.lower > r->limit) {
            note_lower(r, s.bounds.lower);
        } else if (look_at_vertex(r, i, &s, &t)) {
            t.p = p; // in A's frame, not that of the bone
            add_contacts(r, &t, 1);
        }
    }
}

/* ---- triangles that cross

   Two triangles are apart if they are so along the normal of one of them, or along a vector across
   an edge of each. Such a vector has rounding of its own, which counts by how far the triangles
   reach, so that slivers prove nothing. */

static double extent(ov_vec3 v) { return fabs(v.x) + fabs(v.y) + fabs(v.z); }

/** Are two triangles apart along the product of two vectors, by more than the error? */
static bool are_apart(const ov_vec3 a[3], const ov_vec3 b[3], ov_vec3 u, ov_vec3 v, double error) {
    ov_vec3 n = ov_vec3_cross(u, v);
    double a_lo = INFINITY, a_hi = -INFINITY, b_lo = INFINITY, b_hi = -INFINITY, size = 0.0;
    for (int i = 0; i < 3; i++) {
        ov_vec3 to_a = ov_vec3_sub(a[i], a[0]), to_b = ov_vec3_sub(b[i], a[0]);
        double x = ov_vec3_dot(n, to_a), y = ov_vec3_dot(n, to_b);
        a_lo = x < a_lo ? x : a_lo;
        a_hi = x > a_hi ? x : a_hi;
        b_lo = y < b_lo ? y : b_lo;
        b_hi = y > b_hi ? y : b_hi;
        size += extent(to_a) + extent(to_b);
    }
    double margin = 2.0 * error * extent(n) + 16.0 * DBL_EPSILON * extent(u) * extent(v) * size;
    return a_lo > b_hi + margin || b_lo > a_hi + margin;
}

static bool facet_crosses(const ovi_facet *f, const ov_vec3 c[3], double error) {
    const ov_vec3 own[3] = {f->a, ov_vec3_add(f->a, f->ab), ov_vec3_add(f->a, f->ac)};
    if (are_apart(own, c, f->ab, f->ac, error) ||
        are_apart(own, c, ov_vec3_sub(c[1], c[0]), ov_vec3_sub(c[2], c[0]), error)) {
        return false;
    }
    for (int k = 0; k < 9; k++) {
        if (are_apart(own, c, ov_vec3_sub(own[(k % 3 + 1) % 3], own[k % 3]),
                      ov_vec3_sub(c[(k / 3 + 1) % 3], c[k / 3]), error)) {
            return false;
        }
    }
    return true;
}

/** Is a facet beyond one side of a box? */
static bool facet_misses(const ovi_facet *f, const ov_aabb *box) {
    const double a[3] = {f->a.x, f->a.y, f->a.z}, b[3] = {f->ab.x, f->ab.y, f->ab.z},
                 c[3] = {f->ac.x, f->ac.y, f->ac.z}, lo[3] = {box->min.x, box->min.y, box->min.z},
                 hi[3] = {box->max.x, box->max.y, box->max.z};
    for (int i = 0; i < 3; i++) {
        double least = b[i] < c[i] ? b[i] : c[i], most = b[i] < c[i] ? c[i] : b[i];
        if (a[i] + (least < 0.0 ? least : 0.0) > hi[i] ||
            a[i] + (most > 0.0 ? most : 0.0) < lo[i]) {
            return true;
        }
    }
    return false;
}

/** Can a triangle cross the mesh? False is a proof, for corners that are known up to `error`. */
static bool may_cross(const ovi_touch_tree *tree, const ov_vec3 corners[3], double error) {
    uint32_t stack[OVI_BVH_DEPTH + 2];
    int top = 0;
    // the corners of facets are sums, which are rounded too
    ov_aabb box = ovi_box_grow(ovi_corners_box(corners), 2.0 * error);
    stack[top++] = 0;
    while (top > 0) {
        uint32_t at = stack[--top];
        const ovi_touch_node *n = &tree->nodes[at];
        if (n->lo[0] > box.max.x || n->hi[0] < box.min.x || n->lo[1] > box.max.y ||
            n->hi[1] < box.min.y || n->lo[2] > box.max.z || n->hi[2] < box.min.z) {
            continue;
        }
        for (uint32_t i = 0; i < n->count; i++) {
            const ovi_facet *f = &tree->facets[n->first + i];
            if (!facet_misses(f, &box) && facet_crosses(f, corners, error)) {
                return true;
            }
        }
        if (n->count == 0) {
            stack[top++] = n->first;
            stack[top++] = at + 1;
        }
    }
    return false;
}

/* ---- faces */

typedef struct piece {
    ov_vec3 c[3];
    double lower; // of the distance, by what it was cut from
} piece;

/** The middle of a piece, and the radius of a ball about it. */
static ov_vec3 piece_ball(const piece *f, double *radius) {
    ov_vec3 middle = ov_vec3_scale(ov_vec3_add(ov_vec3_add(f->c[0], f->c[1]), f->c[2]), 1.0 / 3.0);
    double most = 0.0;
    for (int i = 0; i < 3; i++) {
        most = ovi_larger(most, ovi_distance_of(f->c[i], middle));
    }
    *radius = most * (1.0 + 1e-14);
    return middle;
}

static void cut_in_four(const piece *f, piece *four) {
    ov_vec3 m[3];
    for (int i = 0; i < 3; i++) {
        m[i] = ov_vec3_scale(ov_vec3_add(f->c[i], f->c[(i + 1) % 3]), 0.5);
    }
    four[0] = (piece){{f->c[0], m[0], m[2]}, f->lower};
    four[1] = (piece){{m[0], f->c[1], m[1]}, f->lower};
    four[2] = (piece){{m[2], m[1], f->c[2]}, f->lower};
    four[3] = (piece){{m[0], m[1], m[2]}, f->lower};
}

/** Takes the piece that may reach deepest. */
static piece take_piece(piece *waiting, int *count) {
    int best = 0;
    for (int i = 1; i < *count; i++) {
        best = waiting[i].lower < waiting[best].lower ? i : best;
    }
    piece taken = waiting[best];
    waiting[best] = waiting[--*count];
    return taken;
}

/** A face that is searched. */
typedef struct face_search {
    uint32_t triangle;
    bool crosses; // it is known to, so that what is found first is good enough
    int cuts_max;
    double best;
    touch deepest;
} face_search;

/** Looks at the middle of a piece; should it be cut? Sets its lower bound. */
static bool look_at_piece(run *r, face_search *f, piece *at, bool last) {
    double radius, tolerance = face_tolerance * r->map->diagonal;
    ov_vec3 p = piece_ball(at, &radius);
    seen s = see(r, p);
    touch t = {
        .p = p, .bounds = s.bounds, .triangle = f->triangle, .vertex = UINT32_MAX, .part = s.part};
    bool near = s.bounds.lower - radius <= f->best;
    // the triangles are asked where the field's bound is what keeps a piece, and for contacts
    if (near && !f->crosses &&
        (s.bounds.lower <= f->best || s.bounds.value - s.bounds.lower > 0.5 * radius)) {
        sharpen(r, &s, &t);
    }
    if (t.bounds.value <= f->best) {
        f->best = t.bounds.value;
        f->deepest = t;
    }
    at->lower = t.bounds.lower - radius;
    if (near && radius > tolerance && at->lower <= f->best - tolerance && !last) {
        return true;
    }
    r->lower = fmin(r->lower, at->lower);
    r->open = r->open || (last && !f->crosses);
    return false;
}

/** Branch and bound over a face none of whose corners is in contact: the deepest point found. */
static void search_face(run *r, const piece *face, uint32_t triangle, bool crosses) {
    piece waiting[PIECES_MAX];
    waiting[0] = *face;
    face_search f = {.triangle = triangle,
                     .crosses = crosses,
                     .cuts_max = crosses ? CROSSING_CUTS_MAX : CUTS_MAX,
                     .best = crosses ? INFINITY : r->limit,
                     .deepest = {.triangle = OV_NO_TRIANGLE}};
    for (int count = 1, cuts = 0; count > 0;) {
        piece at = take_piece(waiting, &count);
        bool last = ++cuts > f.cuts_max || count + 4 > PIECES_MAX;
        if (look_at_piece(r, &f, &at, last)) {
            cut_in_four(&at, &waiting[count]);
            count += 4;
        }
    }
    if (f.deepest.triangle == OV_NO_TRIANGLE) {
        return;
    }
    if (crosses) {
        seen s = see(r, f.deepest.p);
        sharpen(r, &s, &f.deepest);
        // it crosses so little that no point of it was found inside
        r->open = r->open || f.deepest.bounds.value > r->limit;
    }
    if (f.deepest.bounds.value <= r->limit) {
        f.deepest.zone = r->b->zones[r->b->triangles[triangle][0]];
        add_contacts(r, &f.deepest, 1);
    }
}

/** Is a vertex in contact? */
static bool vertex_touches(run *r, uint32_t vertex, ov_vec3 p) {
    uint32_t *known = &r->remembered[vertex % REMEMBERED];
    if (*known / 2 != vertex + 1) {
        seen s = see(r, p);
        touch t = {.p = p, .bounds = s.bounds};
        if (s.bounds.lower <= r->limit && s.bounds.upper > r->limit) {
            sharpen(r, &s, &t);
        }
        *known = 2 * vertex + 2 + (t.bounds.value <= r->limit);
    }
    return *known & 1;
}

/** Do the balls of its four pieces show that a face is beyond the limit? */
static bool is_clear(run *r, const piece *face) {
    piece four[4];
    double lower = INFINITY;
    cut_in_four(face, four);
    for (int i = 3; i >= 0; i--) { // the middle one first
        double radius;
        ov_vec3 p = piece_ball(&four[i], &radius);
        double here = see(r, p).bounds.lower - radius;
        if (here <= r->limit) {
            return false;
        }
        lower = here < lower ? here : lower;
    }
    r->lower = fmin(r->lower, lower);
    return true;
}

static void look_at_face(run *r, uint32_t index) {
    uint32_t triangle = r->b->faces.order[index];
    const uint32_t *corners = r->b->triangles[triangle];
    piece f = {.lower = -INFINITY};
    double reach;
    for (int i = 0; i < 3; i++) {
        f.c[i] = ov_affine_apply(&r->to_a, r->b->vertices[corners[i]]);
    }
    seen s = see(r, piece_ball(&f, &reach));
    if (s.bounds.lower - reach > r->limit) {
        r->lower = fmin(r->lower, s.bounds.lower - reach);
        return;
    }
    for (int i = 0; i < 3; i++) {
        if (r->remembered[corners[i] % REMEMBERED] == 2 * corners[i] + 3) {
            // how much deeper it is between its corners is not searched for
            r->lower = fmin(r->lower, s.bounds.lower - reach);
            return;
        }
    }
    if (is_clear(r, &f)) {
        return;
    }
    bool rigid = r->bones == NULL && r->limit == 0.0;
    if (rigid && !may_cross(&r->map->tree, f.c, r->cross_error)) {
        // all of it is on one side: in contact by its corners, or not at all
        r->lower = fmin(r->lower, s.bounds.upper < 0.0 ? s.bounds.lower - reach : 0.0);
        if (s.bounds.lower <= 0.0 && s.bounds.upper >= 0.0 &&
            vertex_touches(r, corners[0], f.c[0])) {
            r->lower = fmin(r->lower, s.bounds.lower - reach);
        }
        return;
    }
    for (int i = 0; i < 3; i++) {
        if (vertex_touches(r, corners[i], f.c[i])) {
            r->lower = fmin(r->lower, s.bounds.lower - reach);
            return;
        }
    }
    search_face(r, &f, triangle, rigid);
}

static void look_at_faces(run *r, uint32_t first, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        look_at_face(r, first + i);
    }
}

/* ---- the search */

/** A ball or a wide node that a search has not looked at yet. */
typedef struct waiting {
    uint32_t below, ball;
} waiting;

/** Outside of the field: the mesh's box, or what is known there, where that is not enough. */
static double lower_outside(const run *r, ov_vec3 p, double enough) {
    const ov_aabb *box = &r->map->box;
    double lower = ovi_axes_bound(fmax(box->min.x - p.x, p.x - box->max.x),
                                  fmax(box->min.y - p.y, p.y - box->max.y),
                                  fmax(box->min.z - p.z, p.z - box->max.z)) -
                   (ovi_touch_rounding_at(r->map, p) + r->error);
    return lower >= enough ? lower : ovi_touch_bounds_outside(r->map, p, r->error).lower;
}

OVI_INLINE void balls_inline(const run *r, const ovi_wide_node *w, looked *l) {
    l->outside = 0;
    for (int i = 0; i < w->count; i += 4) {
        const ovi_places4 p = {ovi_load_lanes(w->x + i), ovi_load_lanes(w->y + i),
                               ovi_load_lanes(w->z + i)};
        look_up_moved(r, p, i, l);
    }
}
OVI_DISPATCH(static, void, look_up_balls, balls_inline,
             (const run *r, const ovi_wide_node *w, looked *l), (r, w, l))

/** Lower bounds of the distances of the balls of a wide node. */
static void wide_lower(const run *r, const ovi_wide_node *w, double *lower) {
    looked l;
    look_up_balls(r, w, &l);
    for (int i = 0; i < w->count; i++) {
        lower[i] = l.value[i] - l.bound[i];
        if (l.outside >> i & 1) {
            double enough = ovi_larger(r->clear, r->lower) + w->radius[i];
            lower[i] = lower_outside(r, ov_vec3_make(l.x[i], l.y[i], l.z[i]), enough);
        }
        lower[i] -= w->radius[i];
    }
}

static void wide_lower_of_bones(const run *r, const ovi_wide_node *w, double *lower) {
    for (int i = 0; i < w->count; i++) {
        ov_vec3 p = ov_affine_apply(&r->to_a, ov_vec3_make(w->x[i], w->y[i], w->z[i]));
        lower[i] = see_bones(r, p).bounds.lower - w->radius[i];
    }
}

/** Puts the balls of a wide node that may be in contact on the stack, the first one on top. */
static int push_balls(run *r, const ovi_ball_tree *tree, uint32_t wide, waiting *stack) {
    const ovi_wide_node *w = &tree->wide[wide];
    // faces are proven to be in contact or not
    double lower[OVI_AT_ONCE], most = tree == &r->b->points ? r->clear : r->limit;
    int top = 0;
    (r->bones != NULL ? wide_lower_of_bones : wide_lower)(r, w, lower);
    for (int i = w->count - 1; i >= 0; i--) {
        if (lower[i] <= most) {
            stack[top++] = (waiting){w->below[i], w->balls[i]};
        } else {
            note_lower(r, lower[i]);
            if (r->leaf_bounds != NULL && tree == &r->b->points) {
                const ovi_ball_node *node = &tree->nodes[w->balls[i]];
                float bound = rounded_down(lower[i] + r->moved);
                for (uint32_t k = node->leaf; k < node->leaf_end; k++) {
                    r->leaf_bounds[k] = bound;
                }
            }
        }
    }
    return top;
}

static void search(run *r, const ovi_ball_tree *tree,
                   void (*look)(run *r, uint32_t first, uint32_t count)) {
    waiting stack[OVI_AT_ONCE * (OVI_BVH_DEPTH + 1)];
    int top = push_balls(r, tree, 0, stack);
    while (top > 0) {
        waiting at = stack[--top];
        if (at.below != 0) {
            top += push_balls(r, tree, at.below, &stack[top]);
        } else {
            look(r, tree->nodes[at.ball].first, tree->nodes[at.ball].count);
        }
    }
    look_at_gathered(r);
}

/* ---- warm queries

   A lower bound of a distance stays one, less what B has moved since. So bounds are kept with all
   moves before them added; then they stay as they are while B moves, and one number, the edge,
   grows instead. What is above it needs no look. A leaf of the tree has the least bound of its
   vertices, or that of its ball. */

enum { DUE_MAX = 256 };
/** The sum of moves, by the sizes of map and object, at which bounds begin anew, so that they are
 * not rounded too much. */
static const double moved_most = 64.0;

/** How far a point of B has come at most, from one placement to another. */
static double way_between(const run *r, const ov_affine *from, const ov_affine *to) {
    ov_ball ball = ov_touch_object_ball(r->b);
    ov_vec3 x = ov_vec3_sub(to->linear.cx, from->linear.cx),
            y = ov_vec3_sub(to->linear.cy, from->linear.cy),
            z = ov_vec3_sub(to->linear.cz, from->linear.cz);
    // of two rotations the difference has two equal singular values and one that is zero
    double square = ov_vec3_dot(x, x) + ov_vec3_dot(y, y) + ov_vec3_dot(z, z);
    double centre =
        ovi_distance_of(ov_affine_apply(from, ball.centre), ov_affine_apply(to, ball.centre));
    return (centre + ball.radius * sqrt(0.5 * square)) * (1.0 + 1e-12) + 4.0 * r->error;
}

/** Takes the bounds of the queries before, or begins anew. */
static ov_status take_warm(run *r) {
    ov_touch_warm *w = r->q->warm;
    size_t room = ov_touch_object_warm_room(r->b);
    if (w->room == NULL || w->room_count < room) {
        return w->room == NULL ? OV_ERROR_NULL : OV_ERROR_COUNT;
    }
    if (r->bones != NULL || !(r->limit < r->map->margin)) {
        w->object = 0; // what is above the clear limit may be in contact
        return OV_OK;
    }
    double size = r->map->diagonal + ov_touch_object_ball(r->b).radius;
    bool good = w->map == r->map->sum && w->object == r->b->sum && w->object != 0;
    double moved = good ? w->moved + way_between(r, &w->placement, &r->to_a) : 0.0;
    if (!good || !(moved <= moved_most * size)) {
        moved = 0.0;
        w->edge = -INFINITY;
        for (size_t i = 0; i < room; i++) {
            bool padding = i >= r->b->points.leaf_count && i < ovi_padded_leaves(r->b);
            w->room[i] = padding ? INFINITY : -INFINITY;
        }
    }
    w->map = r->map->sum;
    w->object = r->b->sum;
    w->placement = r->to_a;
    w->moved = moved;
    r->leaf_bounds = w->room;
    r->vertex_bounds = w->room + ovi_padded_leaves(r->b);
    r->moved = moved;
    r->edge = -rounded_down(-(r->clear + moved));
    return OV_OK;
}

OVI_INLINE ovi_vf4 least_four(ovi_vf4 a, ovi_vf4 b) { return ovi_vf4_select(a < b, a, b); }

/** The leaves up to the edge, in order; more than DUE_MAX where there are too many. `least`: of the
 *  others. */
static uint32_t find_due(const run *r, uint32_t *due, float *least) {
    const float *bounds = r->leaf_bounds;
    uint32_t count = 0;
    ovi_vf4 clear = ovi_vf4_of(INFINITY);
    for (uint32_t first = 0; first < ovi_padded_leaves(r->b); first += OVI_LEAVES) {
        ovi_vf4 four[OVI_LEAVES / 4], low;
        memcpy(four, bounds + first, sizeof four);
        low = least_four(least_four(four[0], four[1]), least_four(four[2], four[3]));
        ovi_if4 near = low <= r->edge;
        if (!(near[0] | near[1] | near[2] | near[3])) {
            clear = least_four(low, clear);
            continue;
        }
        for (uint32_t i = first; i < first + OVI_LEAVES; i++) {
            if (bounds[i] > r->edge) {
                clear[0] = bounds[i] < clear[0] ? bounds[i] : clear[0];
            } else if (count == DUE_MAX) {
                return DUE_MAX + 1;
            } else {
                due[count++] = i;
            }
        }
    }
    *least = fminf(fminf(clear[0], clear[1]), fminf(clear[2], clear[3]));
    return count;
}

/** Looks at the balls of some leaves, up to eight. */
static void look_at_balls(run *r, const uint32_t *leaves, int count) {
    const ovi_ball_tree *tree = &r->b->points;
    ovi_wide_node w = {.count = count};
    double lower[OVI_AT_ONCE];
    for (int i = 0; i < OVI_AT_ONCE; i++) {
        const ovi_ball_node *node = &tree->nodes[tree->leaves[leaves[i < count ? i : 0]]];
        w.x[i] = node->centre.x;
        w.y[i] = node->centre.y;
        w.z[i] = node->centre.z;
        w.radius[i] = node->radius;
    }
    wide_lower(r, &w, lower);
    for (int i = 0; i < count; i++) {
        r->leaf_bounds[leaves[i]] = rounded_down(lower[i] + r->moved);
    }
}

/** The least bound of a leaf's vertices. */
static void settle_leaf(run *r, uint32_t leaf) {
    const ovi_ball_node *node = &r->b->points.nodes[r->b->points.leaves[leaf]];
    float least = INFINITY;
    for (uint32_t i = node->first; i < node->first + node->count; i++) {
        least = r->vertex_bounds[i] < least ? r->vertex_bounds[i] : least;
    }
    r->leaf_bounds[leaf] = least;
}

/** Looks at leaves that are due; false where they are so many that the tree is the better way. */
static bool search_due(run *r) {
    const ovi_ball_tree *tree = &r->b->points;
    uint32_t due[DUE_MAX], group[OVI_AT_ONCE];
    float least;
    uint32_t count = find_due(r, due, &least);
    if (count > DUE_MAX || count > tree->leaf_count / 4 + OVI_AT_ONCE) {
        return false;
    }
    int grouped = 0;
    for (uint32_t i = 0; i < count; i++) {
        // where vertices were near already, the ball tells nothing
        if (r->leaf_bounds[due[i]] > r->q->warm->edge) {
            group[grouped++] = due[i];
        }
        if (grouped == OVI_AT_ONCE || (grouped > 0 && i + 1 == count)) {
            look_at_balls(r, group, grouped);
            grouped = 0;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!(r->leaf_bounds[due[i]] > r->edge)) {
            const ovi_ball_node *node = &tree->nodes[tree->leaves[due[i]]];
            look_at_vertices(r, node->first, node->count);
        }
    }
    look_at_gathered(r);
    for (uint32_t i = 0; i < count; i++) {
        if (!(r->leaf_bounds[due[i]] > r->edge)) {
            settle_leaf(r, due[i]);
        }
        float bound = r->leaf_bounds[due[i]];
        least = bound < least ? bound : least;
    }
    note_lower(r, (double)least - r->moved - r->error);
    return true;
}

/** Vertices, by what was known before. */
static void search_warm(run *r) {
    if (!search_due(r)) {
        for (uint32_t i = 0; i < r->b->points.leaf_count; i++) {
            r->leaf_bounds[i] = -INFINITY;
        }
        search(r, &r->b->points, look_at_vertices);
        for (uint32_t i = 0; i < r->b->points.leaf_count; i++) {
            if (r->leaf_bounds[i] == -INFINITY) {
                settle_leaf(r, i);
            }
        }
    }
    r->q->warm->edge = r->edge;
}

/** Checks a query and sees it from A's frame; `unit` has room for the bones. */
static ov_status place(ov_touch_query *q, ov_pose *unit, run *r) {
    if (q->map == NULL || q->object == NULL) {
        return OV_ERROR_NULL;
    }
    if (q->level < OV_TOUCH_LEVEL_DEFAULT || q->level > OV_TOUCH_LEVEL_EXACT ||
        !(q->limit >= 0.0) || isinf(q->limit)) {
        return OV_ERROR_OPTION;
    }
    ov_pose a = ov_pose_default(q->map_pose), b = ov_pose_default(q->object_pose);
    ov_status status = ovi_pose_normalize(&a);
    status = status == OV_OK ? ovi_pose_normalize(&b) : status;
    for (size_t i = 0; i < q->map->box_count && q->bones != NULL && status == OV_OK; i++) {
        unit[i] = ov_pose_default(q->bones[i]);
        status = ovi_pose_normalize(&unit[i]);
    }
    if (status != OV_OK) {
        return status;
    }
    ov_pose back = {ov_vec3_make(0.0, 0.0, 0.0), ov_quat_conjugate(a.rotation)};
    back.position = ov_vec3_neg(ov_quat_rotate(back.rotation, a.position));
    ov_ball ball = ov_touch_object_ball(q->object);
    double lengths = ov_vec3_length(a.position) + ov_vec3_length(b.position) +
                     ov_vec3_length(ball.centre) + ball.radius;
    if (!(lengths <= OV_SIZE_MAX)) {
        return OV_ERROR_SIZE_RANGE;
    }
    *r = (run){.q = q,
               .bones = q->bones != NULL && q->map->box_count > 0 ? unit : NULL,
               .map = q->map,
               .b = q->object,
               .to_a = ov_affine_from_pose(ovi_pose_mul(back, b)),
               .from_a = ov_affine_from_pose(a),
               .error = ovi_touch_rounding(lengths),
               .cross_error = ovi_touch_rounding(lengths + q->map->reach + q->map->diagonal),
               .limit = q->limit,
               .clear = q->limit,
               .level = q->level == OV_TOUCH_LEVEL_DEFAULT ? OV_TOUCH_LEVEL_DECIDED : q->level,
               .lower = INFINITY,
               .upper = INFINITY,
               .value = INFINITY};
    if (r->bones == NULL && r->limit < r->map->margin) {
        r->clear += ovi_touch_excess(r->map, r->limit);
    }
    return q->warm != NULL ? take_warm(r) : OV_OK;
}

ov_status ov_touch_object_contacts(ov_touch_query *query) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_touch_object_contacts(query));
    if (query == NULL) {
        return OV_ERROR_NULL;
    }
    query->contact_count = 0;
    query->distance = query->distance_lower = query->distance_upper = NAN;
    run r;
    ov_pose unit[OV_TOUCH_PARTS_MAX];
    query->status = place(query, unit, &r);
    if (query->status != OV_OK) {
        return query->status;
    }
    if (query->zones != NULL) {
        memset(query->zones, 0, r.b->zone_count * sizeof *query->zones);
    }
    uint32_t remembered[REMEMBERED];
    if (r.level == OV_TOUCH_LEVEL_EXACT && r.b->triangle_count > 0) {
        memset(remembered, 0, sizeof remembered);
        r.remembered = remembered;
    }
    if (r.leaf_bounds != NULL) {
        search_warm(&r);
    } else {
        search(&r, &r.b->points, look_at_vertices);
    }
    if (r.remembered != NULL) {
        search(&r, &r.b->faces, look_at_faces);
    }
    query->distance = r.value;
    query->distance_lower = r.lower;
    query->distance_upper = r.upper;
    query->status = r.open ? OV_NOT_CONVERGED : OV_OK;
    return query->status;
}

static void run_range(void *context, unsigned index, size_t begin, size_t end) {
    ov_touch_query *queries = context;
    (void)index;
    for (size_t i = begin; i < end; i++) {
        (void)ov_touch_object_contacts(&queries[i]);
    }
}

ov_status ov_touch_object_contacts_batch(ov_touch_query *queries, size_t count,
                                         const ov_threads *threads) {
    if (queries == NULL && count > 0) {
        return OV_ERROR_NULL;
    }
    if (!ovi_threads_are_good(threads)) {
        return OV_ERROR_OPTION;
    }
    if (count == 0) {
        return OV_OK;
    }
    ovi_ranges_run(run_range, queries, count, 4, threads);
    ov_status first = OV_OK;
    for (size_t i = 0; i < count; i++) {
        ov_status status = queries[i].status;
        first = (status < OV_OK && first >= OV_OK) || first == OV_OK ? status : first;
    }
    return first;
}
