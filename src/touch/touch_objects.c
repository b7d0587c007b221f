/**
 * @file touch_objects.c
 * @brief Objects against maps: trees of balls, contacts of vertices and faces, zones, bones.
 *
 * The distance to A changes by no more than a point moves: if it is d at the centre of a ball of
 * radius r, nothing in the ball is nearer than d - r. The same bound finds the deepest point of a
 * face by branch and bound: pieces of the face are cut in four as long as their balls may reach
 * deeper than what was found.
 */
#include "../math/rounding_mode.h"
#include "touch_internal.h"

enum {
    LEAF = 8,        // vertices or triangles
    PIECES_MAX = 48, // of a face that wait at one time
    CUTS_MAX = 128,  // of one face
    CROSSING_CUTS_MAX = 24,
    REMEMBERED = 512 // vertices: a power of two
};
/** A face is searched to this share of A's diagonal. */
static const double face_tolerance = 1e-4;

typedef struct ball_node {
    ov_vec3 centre;
    double radius;
    uint32_t right;        // the left child is the next node; 0: a leaf
    uint32_t first, count; // items below, in the order of the tree
} ball_node;

typedef struct ball_tree {
    ball_node *nodes;
    size_t node_count;
    uint32_t *order;
    uint32_t count;
} ball_tree;

struct ov_touch_object {
    ov_allocator allocator;
    size_t vertex_count, triangle_count, zone_count;
    ov_vec3 *vertices; // as given
    ov_vec3 *sorted;   // in the order of the tree
    uint32_t (*triangles)[3];
    uint16_t *zones;
    ball_tree points, faces;
};

/* ---- trees */

static void take_node(void *user, const ovi_bvh_made *made) {
    ball_tree *tree = user;
    tree->nodes[made->index] = (ball_node){.first = made->first, .count = made->count};
    if (made->second) {
        tree->nodes[made->parent].right = made->index;
    }
    tree->node_count++;
}

static double distance_of(ov_vec3 a, ov_vec3 b) {
    ov_vec3 d = ov_vec3_sub(a, b);
    return sqrt(ov_vec3_dot(d, d));
}

/** Box of some corners of an object: one vertex, or three. */
static ov_aabb item_box(const ov_touch_object *object, const ball_tree *tree, uint32_t item) {
    if (tree == &object->points) {
        return (ov_aabb){object->vertices[item], object->vertices[item]};
    }
    ov_vec3 c[3];
    for (int i = 0; i < 3; i++) {
        c[i] = object->vertices[object->triangles[item][i]];
    }
    return ovi_corners_box(c);
}

static double item_reach(const ov_touch_object *object, const ball_tree *tree, uint32_t item,
                         ov_vec3 from) {
    if (tree == &object->points) {
        return distance_of(object->vertices[item], from);
    }
    double most = 0.0;
    for (int i = 0; i < 3; i++) {
        most = ovi_larger(most, distance_of(object->vertices[object->triangles[item][i]], from));
    }
    return most;
}

/** The ball of every node, about the middle of its box. */
static void fit_tree(const ov_touch_object *object, ball_tree *tree) {
    for (size_t n = 0; n < tree->node_count; n++) {
        ball_node *node = &tree->nodes[n];
        const uint32_t *items = &tree->order[node->first];
        ov_aabb box = item_box(object, tree, items[0]);
        for (uint32_t i = 1; i < node->count; i++) {
            ov_aabb more = item_box(object, tree, items[i]);
            box = ovi_box_union(&box, &more);
        }
        node->centre = ovi_box_centre(&box);
        node->radius = 0.0;
        for (uint32_t i = 0; i < node->count; i++) {
            node->radius =
                ovi_larger(node->radius, item_reach(object, tree, items[i], node->centre));
        }
        double reach = fabs(node->centre.x) + fabs(node->centre.y) + fabs(node->centre.z);
        node->radius += ovi_touch_rounding(reach + node->radius);
    }
}

static bool build_tree(ov_touch_object *object, ball_tree *tree, size_t count) {
    const ov_allocator *memory = &object->allocator;
    size_t most = 2 * count - 1;
    ov_aabb *boxes = ovi_resize(memory, NULL, 0, count, sizeof *boxes);
    tree->order = ovi_resize(memory, NULL, 0, count, sizeof *tree->order);
    tree->nodes = ovi_resize(memory, NULL, 0, most, sizeof *tree->nodes);
    tree->count = (uint32_t)count;
    bool good = boxes != NULL && tree->order != NULL && tree->nodes != NULL;
    if (good) {
        for (uint32_t i = 0; i < count; i++) {
            boxes[i] = item_box(object, tree, i);
        }
        ovi_bvh_build(boxes, (uint32_t)count, LEAF, tree->order, take_node, tree);
        fit_tree(object, tree);
    }
    ovi_release(memory, boxes, count, sizeof *boxes);
    return good;
}

static void free_tree(const ov_allocator *memory, ball_tree *tree) {
    ovi_release(memory, tree->order, tree->count, sizeof *tree->order);
    ovi_release(memory, tree->nodes, 2 * (size_t)tree->count - 1, sizeof *tree->nodes);
}

/* ---- objects */

static ov_status check_vertices(const ov_vec3 *vertices, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!ov_vec3_is_finite(vertices[i])) {
            return OV_ERROR_NOT_FINITE;
        }
        if (!(ov_vec3_length(vertices[i]) <= OV_SIZE_MAX)) {
            return OV_ERROR_SIZE_RANGE;
        }
    }
    return OV_OK;
}

static ov_status check_object(const ov_vec3 *vertices, size_t vertex_count,
                              const uint32_t (*triangles)[3], size_t triangle_count,
                              const uint16_t *zones) {
    if (vertices == NULL || (triangles == NULL && triangle_count > 0)) {
        return OV_ERROR_NULL;
    }
    if (vertex_count == 0 || vertex_count > OV_TRIMESH_MAX || triangle_count > OV_TRIMESH_MAX) {
        return OV_ERROR_COUNT;
    }
    for (size_t i = 0; i < 3 * triangle_count; i++) {
        if (triangles[i / 3][i % 3] >= vertex_count) {
            return OV_ERROR_INDEX;
        }
    }
    for (size_t i = 0; i < vertex_count && zones != NULL; i++) {
        if (zones[i] >= OV_TOUCH_ZONES_MAX) {
            return OV_ERROR_INDEX;
        }
    }
    return check_vertices(vertices, vertex_count);
}

static void sort_vertices(ov_touch_object *object) {
    for (size_t i = 0; i < object->vertex_count; i++) {
        object->sorted[i] = object->vertices[object->points.order[i]];
    }
}

static bool fill_object(ov_touch_object *o, const ov_vec3 *vertices, const uint32_t (*triangles)[3],
                        const uint16_t *zones) {
    const ov_allocator *memory = &o->allocator;
    o->vertices = ovi_resize(memory, NULL, 0, o->vertex_count, sizeof *o->vertices);
    o->sorted = ovi_resize(memory, NULL, 0, o->vertex_count, sizeof *o->sorted);
    o->zones = ovi_resize(memory, NULL, 0, o->vertex_count, sizeof *o->zones);
    if (o->vertices == NULL || o->sorted == NULL || o->zones == NULL) {
        return false;
    }
    memcpy(o->vertices, vertices, o->vertex_count * sizeof *vertices);
    for (size_t i = 0; i < o->vertex_count; i++) {
        o->zones[i] = zones != NULL ? zones[i] : 0;
        o->zone_count = o->zones[i] >= o->zone_count ? o->zones[i] + 1u : o->zone_count;
    }
    if (!build_tree(o, &o->points, o->vertex_count)) {
        return false;
    }
    sort_vertices(o);
    if (o->triangle_count == 0) {
        return true;
    }
    o->triangles = ovi_resize(memory, NULL, 0, o->triangle_count, sizeof *o->triangles);
    if (o->triangles == NULL) {
        return false;
    }
    memcpy(o->triangles, triangles, o->triangle_count * sizeof *triangles);
    return build_tree(o, &o->faces, o->triangle_count);
}

ov_status ov_touch_object_create(const ov_vec3 *vertices, size_t vertex_count,
                                 const uint32_t (*triangles)[3], size_t triangle_count,
                                 const uint16_t *zones, const ov_allocator *allocator,
                                 ov_touch_object **object) {
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_touch_object_create(vertices, vertex_count, triangles, triangle_count,
                                                zones, allocator, object));
    if (object == NULL) {
        return OV_ERROR_NULL;
    }
    *object = NULL;
    ov_status status = check_object(vertices, vertex_count, triangles, triangle_count, zones);
    if (status != OV_OK) {
        return status;
    }
    ov_allocator memory = ovi_allocator_of(allocator);
    ov_touch_object *made = ovi_resize(&memory, NULL, 0, 1, sizeof *made);
    if (made == NULL) {
        return OV_ERROR_MEMORY;
    }
    memset(made, 0, sizeof *made);
    made->allocator = memory;
    made->vertex_count = vertex_count;
    made->triangle_count = triangle_count;
    if (!fill_object(made, vertices, triangles, zones)) {
        ov_touch_object_destroy(made);
        return OV_ERROR_MEMORY;
    }
    *object = made;
    return OV_OK;
}

void ov_touch_object_destroy(ov_touch_object *object) {
    if (object == NULL) {
        return;
    }
    ov_allocator memory = object->allocator;
    free_tree(&memory, &object->points);
    free_tree(&memory, &object->faces);
    ovi_release(&memory, object->vertices, object->vertex_count, sizeof *object->vertices);
    ovi_release(&memory, object->sorted, object->vertex_count, sizeof *object->sorted);
    ovi_release(&memory, object->zones, object->vertex_count, sizeof *object->zones);
    ovi_release(&memory, object->triangles, object->triangle_count, sizeof *object->triangles);
    ovi_release(&memory, object, 1, sizeof *object);
}

ov_status ov_touch_object_deform(ov_touch_object *object, const ov_vec3 *vertices) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_touch_object_deform(object, vertices));
    if (object == NULL || vertices == NULL) {
        return OV_ERROR_NULL;
    }
    ov_status status = check_vertices(vertices, object->vertex_count);
    if (status != OV_OK) {
        return status;
    }
    memcpy(object->vertices, vertices, object->vertex_count * sizeof *vertices);
    sort_vertices(object);
    fit_tree(object, &object->points);
    if (object->triangle_count > 0) {
        fit_tree(object, &object->faces);
    }
    return OV_OK;
}

size_t ov_touch_object_vertex_count(const ov_touch_object *object) {
    return object != NULL ? object->vertex_count : 0;
}

size_t ov_touch_object_zone_count(const ov_touch_object *object) {
    return object != NULL ? object->zone_count : 0;
}

ov_ball ov_touch_object_ball(const ov_touch_object *object) {
    if (object == NULL) {
        return (ov_ball){{NAN, NAN, NAN}, NAN};
    }
    const ball_node *root = &object->points.nodes[0];
    return (ov_ball){root->centre, root->radius};
}

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
    ov_touch_level level;
    double lower, upper, value; // of the distance
    bool open;                  // something was not told
    // with faces: is a vertex in contact? 2 n + 2 of vertex n, one more where it is; 0: not known
    uint32_t remembered[REMEMBERED];
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

/** Takes down a contact, and what is to be known about it in the world. */
static void add_contact(run *r, const touch *t) {
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
        ov_vec3 n = r->bones != NULL ? bones_normal(r, t->p) : ovi_touch_normal(r->map, t->p);
        ov_vec3 nearest = t->exact ? t->nearest : ov_vec3_add_scaled(t->p, n, -t->bounds.value);
        c.normal = ov_mat3_mul_vec3(&r->from_a.linear, n);
        c.nearest = ov_affine_apply(&r->from_a, nearest);
        if (c.part == OV_NO_PART && r->map->box_count > 0) {
            c.part = (uint32_t)ovi_touch_part_of(r->map->boxes, r->map->box_count, nearest);
        }
    }
    if (listed) {
        q->contacts[number] = c;
    }
    if (q->zones != NULL) {
        add_to_zone(&q->zones[c.zone], &c, r->limit);
    }
}

static void take_bounds(run *r, const ovi_touch_bounds *b) {
    r->lower = b->lower < r->lower ? b->lower : r->lower;
    r->upper = b->upper < r->upper ? b->upper : r->upper;
    r->value = b->value < r->value ? b->value : r->value;
}

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

static void look_at_vertex(run *r, uint32_t index, const seen *s) {
    uint32_t vertex = r->b->points.order[index];
    touch t = {.p = ov_affine_apply(&r->to_a, r->b->sorted[index]),
               .vertex = vertex,
               .triangle = OV_NO_TRIANGLE,
               .zone = r->b->zones[vertex],
               .part = s->part};
    sharpen(r, s, &t);
    take_bounds(r, &t.bounds);
    r->remembered[vertex % REMEMBERED] = 2 * vertex + 2 + (t.bounds.value <= r->limit);
    if (t.bounds.value <= r->limit) {
        add_contact(r, &t);
    }
}

/** All of a leaf are looked up before any is judged, so that none waits for another's memory. */
static void look_at_vertices(run *r, uint32_t first, uint32_t count) {
    ovi_touch_bounds bounds[LEAF];
    for (uint32_t i = 0; i < count && r->bones == NULL; i++) {
        ov_vec3 p = ov_affine_apply(&r->to_a, r->b->sorted[first + i]);
        bounds[i] = ovi_touch_field_bounds(r->map, p, r->error);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (r->bones == NULL && bounds[i].lower > r->limit) {
            take_bounds(r, &bounds[i]);
            continue;
        }
        ov_vec3 p = ov_affine_apply(&r->to_a, r->b->sorted[first + i]);
        seen s = r->bones == NULL ? (seen){bounds[i], p, OV_NO_PART, false} : see_bones(r, p);
        if (s.bounds.lower > r->limit) {
            take_bounds(r, &s.bounds);
        } else {
            look_at_vertex(r, first + i, &s);
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
        most = ovi_larger(most, distance_of(f->c[i], middle));
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
    r->upper = fmin(r->upper, t.bounds.upper);
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
        r->value = fmin(r->value, f.deepest.bounds.value);
        add_contact(r, &f.deepest);
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

/** A lower bound of the distance of a node: the best one that is known, but for nodes that are
 *  further than both the limit and what was found. */
static double node_lower(const run *r, const ball_node *node) {
    ov_vec3 p = ov_affine_apply(&r->to_a, node->centre);
    if (r->bones != NULL) {
        return see_bones(r, p).bounds.lower - node->radius;
    }
    double enough = ovi_larger(r->limit, r->lower) + node->radius;
    return ovi_touch_field_lower(r->map, p, r->error, enough) - node->radius;
}

static void search(run *r, const ball_tree *tree,
                   void (*look)(run *r, uint32_t first, uint32_t count)) {
    uint32_t stack[OVI_BVH_DEPTH + 2];
    int top = 0;
    double root = node_lower(r, tree->nodes);
    if (root > r->limit) {
        r->lower = root < r->lower ? root : r->lower;
        return;
    }
    stack[top++] = 0;
    while (top > 0) {
        uint32_t at = stack[--top];
        const ball_node *node = &tree->nodes[at];
        if (node->right == 0) {
            look(r, node->first, node->count);
            continue;
        }
        // both are looked up before either is judged, so that none waits for the other's memory
        const uint32_t below[2] = {node->right, at + 1};
        const double lower[2] = {node_lower(r, &tree->nodes[below[0]]),
                                 node_lower(r, &tree->nodes[below[1]])};
        for (int i = 0; i < 2; i++) {
            if (lower[i] <= r->limit) {
                stack[top++] = below[i];
            } else {
                r->lower = lower[i] < r->lower ? lower[i] : r->lower;
            }
        }
    }
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
               .level = q->level == OV_TOUCH_LEVEL_DEFAULT ? OV_TOUCH_LEVEL_DECIDED : q->level,
               .lower = INFINITY,
               .upper = INFINITY,
               .value = INFINITY};
    return OV_OK;
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
    search(&r, &r.b->points, look_at_vertices);
    if (r.level == OV_TOUCH_LEVEL_EXACT && r.b->triangle_count > 0) {
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
