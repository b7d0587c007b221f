/**
 * @file touch_balls.c
 * @brief Objects that touch maps: made, deformed, and with trees of balls over their vertices and
 * triangles.
 *
 * A tree has the structure of a bounding-volume hierarchy and a ball for each of its nodes, which
 * is fitted anew when the object deforms. Searches go through its wide nodes: up to eight balls,
 * none within another, that are looked at together.
 */
#include "../math/rounding_mode.h"
#include "touch_balls_internal.h"

/* ---- trees */

static void take_node(void *user, const ovi_bvh_made *made) {
    ovi_ball_tree *tree = user;
    tree->nodes[made->index] = (ovi_ball_node){.first = made->first, .count = made->count};
    if (made->second) {
        tree->nodes[made->parent].right = made->index;
    }
    tree->node_count++;
}

/** Box of some corners of an object: one vertex, or three. */
static ov_aabb item_box(const ov_touch_object *object, const ovi_ball_tree *tree, uint32_t item) {
    if (tree == &object->points) {
        return (ov_aabb){object->vertices[item], object->vertices[item]};
    }
    ov_vec3 c[3];
    for (int i = 0; i < 3; i++) {
        c[i] = object->vertices[object->triangles[item][i]];
    }
    return ovi_corners_box(c);
}

static double item_reach(const ov_touch_object *object, const ovi_ball_tree *tree, uint32_t item,
                         ov_vec3 from) {
    if (tree == &object->points) {
        return ovi_distance_of(object->vertices[item], from);
    }
    double most = 0.0;
    for (int i = 0; i < 3; i++) {
        most =
            ovi_larger(most, ovi_distance_of(object->vertices[object->triangles[item][i]], from));
    }
    return most;
}

/** Puts balls in place of a wide node's largest ones until it is full. */
static void fill_wide(const ovi_ball_tree *tree, ovi_wide_node *w) {
    while (w->count < OVI_AT_ONCE) {
        int largest = -1;
        for (int i = 0; i < w->count; i++) {
            const ovi_ball_node *node = &tree->nodes[w->balls[i]];
            if (node->right != 0 &&
                (largest < 0 || node->count > tree->nodes[w->balls[largest]].count)) {
                largest = i;
            }
        }
        if (largest < 0) {
            return;
        }
        uint32_t ball = w->balls[largest];
        for (int i = w->count++; i > largest + 1; i--) {
            w->balls[i] = w->balls[i - 1];
        }
        w->balls[largest] = ball + 1;
        w->balls[largest + 1] = tree->nodes[ball].right;
    }
}

/** Makes the wide nodes, of which there are no more than nodes with children, and one. */
static void widen(ovi_ball_tree *tree) {
    tree->wide[0] = (ovi_wide_node){.count = 1};
    tree->wide_count = 1;
    for (size_t k = 0; k < tree->wide_count; k++) {
        ovi_wide_node *w = &tree->wide[k];
        fill_wide(tree, w);
        for (int i = 0; i < w->count; i++) {
            w->below[i] = 0;
            if (tree->nodes[w->balls[i]].right != 0) {
                tree->wide[tree->wide_count++] =
                    (ovi_wide_node){.count = 1, .balls = {w->balls[i]}};
                w->below[i] = (uint32_t)tree->wide_count;
            }
        }
    }
}

/** Numbers the leaves; a child comes behind its parent. */
static void number_leaves(ovi_ball_tree *tree) {
    for (uint32_t n = 0; n < tree->node_count; n++) {
        if (tree->nodes[n].right == 0) {
            tree->nodes[n].leaf = tree->leaf_count;
            tree->leaves[tree->leaf_count++] = n;
            tree->nodes[n].leaf_end = tree->leaf_count;
        }
    }
    for (size_t n = tree->node_count; n-- > 0;) {
        ovi_ball_node *node = &tree->nodes[n];
        if (node->right != 0) {
            node->leaf = tree->nodes[n + 1].leaf;
            node->leaf_end = tree->nodes[node->right].leaf_end;
        }
    }
}

/** The places of the wide nodes' balls. */
static void fit_wide(ovi_ball_tree *tree) {
    for (size_t k = 0; k < tree->wide_count; k++) {
        ovi_wide_node *w = &tree->wide[k];
        for (int i = 0; i < OVI_AT_ONCE; i++) {
            const ovi_ball_node *node = &tree->nodes[w->balls[i < w->count ? i : 0]];
            w->x[i] = node->centre.x;
            w->y[i] = node->centre.y;
            w->z[i] = node->centre.z;
            w->radius[i] = node->radius;
        }
    }
}

/** The ball of every node, about the middle of its box. */
static void fit_tree(const ov_touch_object *object, ovi_ball_tree *tree) {
    for (size_t n = 0; n < tree->node_count; n++) {
        ovi_ball_node *node = &tree->nodes[n];
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
    fit_wide(tree);
}

/** Numbers of a kind, of the balls of all faces: loads of four at a time go beyond the last one. */
static size_t face_room(const ov_touch_object *object) { return object->triangle_count + OVI_LEAF; }

/** The ball of every face, about the mean of its corners. */
static void fit_face_balls(ov_touch_object *object) {
    ovi_face_balls *balls = &object->face_balls;
    for (size_t i = 0; i < face_room(object); i++) {
        size_t last = object->triangle_count - 1;
        uint32_t face = object->faces.order[i < last ? i : last];
        const uint32_t *t = object->triangles[face];
        const ov_vec3 *v = object->vertices;
        ov_vec3 sum = ov_vec3_add(ov_vec3_add(v[t[0]], v[t[1]]), v[t[2]]),
                middle = ov_vec3_scale(sum, 1.0 / 3.0);
        double radius = item_reach(object, &object->faces, face, middle);
        double reach = fabs(middle.x) + fabs(middle.y) + fabs(middle.z);
        balls->x[i] = middle.x;
        balls->y[i] = middle.y;
        balls->z[i] = middle.z;
        balls->radius[i] = radius + ovi_touch_rounding(reach + radius);
    }
}

static bool make_face_balls(ov_touch_object *object) {
    ovi_face_balls *balls = &object->face_balls;
    double *all = ovi_resize(&object->allocator, NULL, 0, 4 * face_room(object), sizeof *all);
    if (all == NULL) {
        return false;
    }
    *balls = (ovi_face_balls){all, all + face_room(object), all + 2 * face_room(object),
                              all + 3 * face_room(object)};
    fit_face_balls(object);
    return true;
}

static bool build_tree(ov_touch_object *object, ovi_ball_tree *tree, size_t count) {
    const ov_allocator *memory = &object->allocator;
    size_t most = 2 * count - 1;
    ov_aabb *boxes = ovi_resize(memory, NULL, 0, count, sizeof *boxes);
    tree->order = ovi_resize(memory, NULL, 0, count, sizeof *tree->order);
    tree->nodes = ovi_resize(memory, NULL, 0, most, sizeof *tree->nodes);
    tree->wide = ovi_resize(memory, NULL, 0, count, sizeof *tree->wide);
    tree->leaves = ovi_resize(memory, NULL, 0, count, sizeof *tree->leaves);
    tree->wide_room = count;
    tree->count = (uint32_t)count;
    bool good = boxes != NULL && tree->order != NULL && tree->nodes != NULL && tree->wide != NULL &&
                tree->leaves != NULL;
    if (good) {
        for (uint32_t i = 0; i < count; i++) {
            boxes[i] = item_box(object, tree, i);
        }
        ovi_bvh_build(boxes, (uint32_t)count, OVI_LEAF, tree->order, take_node, tree);
        number_leaves(tree);
        widen(tree);
        fit_tree(object, tree);
        ovi_wide_node *less =
            ovi_resize(memory, tree->wide, count, tree->wide_count, sizeof *tree->wide);
        tree->wide = less != NULL ? less : tree->wide;
        tree->wide_room = less != NULL ? tree->wide_count : count;
    }
    ovi_release(memory, boxes, count, sizeof *boxes);
    return good;
}

static void free_tree(const ov_allocator *memory, ovi_ball_tree *tree) {
    ovi_release(memory, tree->order, tree->count, sizeof *tree->order);
    ovi_release(memory, tree->nodes, 2 * (size_t)tree->count - 1, sizeof *tree->nodes);
    ovi_release(memory, tree->wide, tree->wide_room, sizeof *tree->wide);
    ovi_release(memory, tree->leaves, tree->count, sizeof *tree->leaves);
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

static uint64_t add_to_sum(uint64_t sum, uint64_t word) {
    sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
    return sum ^ sum >> 32;
}

/** Vertices in the order of the tree, and a number that stands for both. */
static void sort_vertices(ov_touch_object *object) {
    uint64_t sum = object->vertex_count;
    for (uint32_t i = 0; i < object->points.leaf_count; i++) {
        sum = add_to_sum(sum, object->points.nodes[object->points.leaves[i]].first);
    }
    for (size_t i = 0; i < object->vertex_count; i++) {
        object->sorted[i] = object->vertices[object->points.order[i]];
        const double numbers[3] = {object->sorted[i].x, object->sorted[i].y, object->sorted[i].z};
        for (int k = 0; k < 3; k++) {
            uint64_t word;
            memcpy(&word, &numbers[k], sizeof word);
            sum = add_to_sum(sum, word);
        }
    }
    object->sum = sum;
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
    return build_tree(o, &o->faces, o->triangle_count) && make_face_balls(o);
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
    ovi_release(&memory, object->face_balls.x, 4 * face_room(object), sizeof(double));
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
        fit_face_balls(object);
    }
    return OV_OK;
}

size_t ov_touch_object_vertex_count(const ov_touch_object *object) {
    return object != NULL ? object->vertex_count : 0;
}

size_t ov_touch_object_zone_count(const ov_touch_object *object) {
    return object != NULL ? object->zone_count : 0;
}

size_t ov_touch_object_warm_room(const ov_touch_object *object) {
    return object != NULL ? ovi_padded_leaves(object) + object->vertex_count : 0;
}

ov_ball ov_touch_object_ball(const ov_touch_object *object) {
    if (object == NULL) {
        return (ov_ball){{NAN, NAN, NAN}, NAN};
    }
    const ovi_ball_node *root = &object->points.nodes[0];
    return (ov_ball){root->centre, root->radius};
}
