/**
 * @file touch_map.c
 * @brief Distance maps: made from a mesh, laid out as the bytes of a file, checked when they come
 * from one, and asked for the distance of points.
 *
 * A map is one block of bytes: a header, then vertices, triangles, boxes of parts, nodes and
 * bricks, each aligned to eight bytes. The checksum is FNV-1a over all bytes but its own: every
 * step of it is one-to-one, so one changed byte always changes the sum. Nodes stand in the one
 * order in which they are made (roots, then the eight of each divided node in turn), and bricks in
 * that of the nodes; a view accepts nothing else, so that no index needs to be checked later.
 */
#include <ovoid/touch_force.h>

#include "../math/fault.h"
#include "../math/rounding_mode.h"
#include "touch_lookup.h"

#define MAGIC "OVTOUCH"
enum { VERSION = 2, ALIGNMENT = 8 };

static const double default_error = 3e-4, default_band = 0.01;
static const size_t default_memory = 2400000;

typedef struct header {
    char magic[8];
    uint32_t version, header_size;
    uint64_t size, checksum;
    uint64_t vertex_count, triangle_count, box_count, node_count, brick_count;
    uint32_t dims[3], level_count, solid, unused;
    ov_vec3 origin;
    double width, steps[OVI_FIELD_LEVELS], slack;
    double diagonal, band, bound_mean, bound_worst;
} header;

/** Where what is. */
typedef struct layout {
    size_t vertices, triangles, boxes, nodes, bricks, size;
} layout;

_Static_assert(sizeof(ovi_brick) == 140, "bricks are read from files as they are");
_Static_assert(sizeof(header) % ALIGNMENT == 0, "the header is followed by vertices");
_Static_assert(sizeof(ovi_touch_box) == 15 * sizeof(double), "boxes too");

/* ---- bytes */

static bool is_little_endian(void) {
    const uint32_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

static uint64_t sum_over(uint64_t sum, const unsigned char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) {
        sum = (sum ^ bytes[i]) * 1099511628211u;
    }
    return sum;
}

static uint64_t checksum_of(const unsigned char *bytes, size_t size) {
    size_t at = offsetof(header, checksum), after = at + sizeof(uint64_t);
    return sum_over(sum_over(14695981039346656037u, bytes, at), bytes + after, size - after);
}

/** Adds a section; false where the size does not fit. */
static bool add_section(layout *l, size_t *start, uint64_t count, size_t element) {
    if (count > SIZE_MAX / 4 / element) {
        return false;
    }
    size_t bytes = ((size_t)count * element + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    *start = l->size;
    l->size += bytes;
    return l->size >= bytes && l->size <= SIZE_MAX / 2;
}

static bool layout_of(const header *h, layout *l) {
    *l = (layout){.size = sizeof *h};
    return add_section(l, &l->vertices, h->vertex_count, sizeof(ov_vec3)) &&
           add_section(l, &l->triangles, h->triangle_count, 3 * sizeof(uint32_t)) &&
           add_section(l, &l->boxes, h->box_count, sizeof(ovi_touch_box)) &&
           add_section(l, &l->nodes, h->node_count, sizeof(uint32_t)) &&
           add_section(l, &l->bricks, h->brick_count, sizeof(ovi_brick));
}

/** Sets what refers to the bytes, which are good, but for the ways. */
static void refer(ov_touch_map *map, const header *h, const layout *l) {
    map->field = (ovi_field){.origin = h->origin,
                             .width = h->width,
                             .per_width = 1.0 / h->width,
                             .level_count = h->level_count,
                             .slack = h->slack,
                             .nodes = (const uint32_t *)(const void *)(map->bytes + l->nodes),
                             .bricks = (const ovi_brick *)(const void *)(map->bytes + l->bricks)};
    memcpy(map->field.dims, h->dims, sizeof h->dims);
    memcpy(map->field.steps, h->steps, sizeof h->steps);
    map->boxes = (const ovi_touch_box *)(const void *)(map->bytes + l->boxes);
    map->box_count = (size_t)h->box_count;
    map->node_count = (size_t)h->node_count;
    map->brick_count = (size_t)h->brick_count;
    map->diagonal = h->diagonal;
    map->band = h->band;
    map->bound_mean = h->bound_mean;
    map->bound_worst = h->bound_worst;
    map->box = ov_trimesh_box(map->mesh);
    map->reach = ovi_larger(ov_vec3_length(map->box.min), ov_vec3_length(map->box.max));
    map->sum = h->checksum;
}

/* ---- what is known of the field beforehand */

enum { WAY_LEVELS = 3, WAYS_MAX = 1 << 18 };

/** The node of a cube of a level, or of the larger one that it is in, with its level in it. */
static uint32_t way_to(const ovi_field *f, uint32_t level, uint32_t x, uint32_t y, uint32_t z) {
    uint32_t at = 0,
             node = f->nodes[((size_t)(z >> level) * f->dims[1] + (y >> level)) * f->dims[0] +
                             (x >> level)];
    for (; at < level && !(node & OVI_NODE_BRICK); at++) {
        uint32_t s = level - at - 1;
        node = f->nodes[node + ((x >> s & 1) | (y >> s & 1) << 1 | (z >> s & 1) << 2)];
    }
    return node | at << OVI_WAY_BITS;
}

/** The first steps down the tree, for all cubes of some level; false for want of memory. */
static bool make_ways(ov_touch_map *map) {
    ovi_field *f = &map->field;
    size_t roots = (size_t)f->dims[0] * f->dims[1] * f->dims[2];
    uint32_t level = WAY_LEVELS;
    while (level > 0 && (level >= f->level_count || roots << 3 * level > WAYS_MAX)) {
        level--;
    }
    map->way_count = roots << 3 * level;
    map->ways = ovi_resize(&map->allocator, NULL, 0, map->way_count, sizeof *map->ways);
    if (map->ways == NULL) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        f->way_dims[i] = f->dims[i] << level;
    }
    f->way_shift = OVI_FIELD_LEVELS - 1 + OVI_BRICK_BITS - level;
    for (size_t n = 0; n < map->way_count; n++) {
        map->ways[n] = way_to(f, level, (uint32_t)(n % f->way_dims[0]),
                              (uint32_t)(n / f->way_dims[0] % f->way_dims[1]),
                              (uint32_t)(n / f->way_dims[0] / f->way_dims[1]));
    }
    f->ways = map->ways;
    return true;
}

enum { EXCESS_BUCKETS = 160 };
static const double excess_most = 0.1;   // of the diagonal; what is more is not told apart
static const double excess_share = 1e-3; // of the octants may have more

/** Counts an octant by how far its values may be below the distance and within each limit. */
static void count_excess(const ov_touch_map *map, const ovi_brick *b, uint32_t level, int octant,
                         uint32_t (*counts)[EXCESS_BUCKETS]) {
    enum { Y = OVI_BRICK_SIDE, Z = OVI_BRICK_SIDE * OVI_BRICK_SIDE };
    const uint8_t *s = &b->v[2 * (octant & 1) + 2 * Y * (octant >> 1 & 1) + 2 * Z * (octant >> 2)];
    int least = 255, most = 0;
    for (int n = 0; n < 27; n++) {
        int v = s[n % 3 + n / 3 % 3 * Y + n / 9 * Z];
        least = v < least ? v : least;
        most = v > most ? v : most;
    }
    double step = map->field.steps[level], low = step * (b->base + least),
           high = step * (b->base + most), bound = step * b->bounds[octant];
    for (int i = 0; i <= OVI_EXCESS_STEPS; i++) {
        double limit = map->margin * i / OVI_EXCESS_STEPS;
        if (low <= limit) {
            // the limit may be anything down to the last one
            double reached = i > 1 ? map->margin * (i - 1) / OVI_EXCESS_STEPS : 0.0;
            double excess = bound - (high < reached ? reached - high : 0.0);
            double at = excess / (excess_most * map->diagonal) * EXCESS_BUCKETS;
            counts[i][at > 0.0 ? (at < EXCESS_BUCKETS - 1 ? (int)at : EXCESS_BUCKETS - 1) : 0]++;
        }
    }
}

/** How far the border of the field is from the mesh, at least; a little less. */
static double margin_of(const ov_touch_map *map) {
    const ovi_field *f = &map->field;
    const double lo[3] = {f->origin.x, f->origin.y, f->origin.z},
                 box[2][3] = {{map->box.min.x, map->box.min.y, map->box.min.z},
                              {map->box.max.x, map->box.max.y, map->box.max.z}};
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        least = fmin(least, fmin(box[0][i] - lo[i], lo[i] + f->dims[i] * f->width - box[1][i]));
    }
    return fmax(0.99 * least, 0.0);
}

/** The excess that all but a few octants keep to, for each limit. */
static void make_excess(ov_touch_map *map) {
    const ovi_field *f = &map->field;
    size_t roots = (size_t)f->dims[0] * f->dims[1] * f->dims[2];
    uint32_t counts[OVI_EXCESS_STEPS + 1][EXCESS_BUCKETS] = {{0}};
    map->margin = margin_of(map);
    size_t level_end = roots, next = roots;
    uint32_t level = 0;
    for (size_t n = 0; n < map->node_count; n++) {
        if (n == level_end) {
            level++;
            level_end = next;
        }
        uint32_t node = f->nodes[n];
        next += node & OVI_NODE_BRICK ? 0 : 8;
        bool above = node & OVI_NODE_PARENT;
        int own = (int)((n - roots) % 8);
        for (int o = 0; o < 8 && (node & OVI_NODE_BRICK); o++) {
            if (!above || o == own) {
                count_excess(map, &f->bricks[node & OVI_NODE_NUMBER], level - above, o, counts);
            }
        }
    }
    for (int i = 0; i <= OVI_EXCESS_STEPS; i++) {
        uint64_t all = 0, over = 0;
        for (int k = 0; k < EXCESS_BUCKETS; k++) {
            all += counts[i][k];
        }
        int k = EXCESS_BUCKETS;
        while (k > 1 && (double)(over + counts[i][k - 1]) <= excess_share * (double)all) {
            over += counts[i][--k];
        }
        map->excess[i] = excess_most * map->diagonal * k / EXCESS_BUCKETS;
    }
}

/** The boxes of parts by their half widths; false for want of memory. */
static bool make_part_axes(ov_touch_map *map) {
    if (map->box_count == 0) {
        return true;
    }
    map->part_axes = ovi_resize(&map->allocator, NULL, 0, map->box_count, sizeof *map->part_axes);
    for (size_t i = 0; i < map->box_count && map->part_axes != NULL; i++) {
        const ovi_touch_box *b = &map->boxes[i];
        map->part_axes[i] = (ovi_part_axes){b->centre,
                                            {ov_vec3_scale(b->axes.cx, 1.0 / b->half.x),
                                             ov_vec3_scale(b->axes.cy, 1.0 / b->half.y),
                                             ov_vec3_scale(b->axes.cz, 1.0 / b->half.z)}};
    }
    return map->part_axes != NULL;
}

/** All that is derived from the bytes, to make queries fast. */
static bool know_field(ov_touch_map *map) {
    make_excess(map);
    return make_ways(map) && make_part_axes(map);
}

/* ---- the tree */

static ovi_facet facet_of(const ov_trimesh *mesh, uint32_t triangle) {
    ov_vec3 c[3];
    ovi_trimesh_corners(mesh, triangle, c);
    ovi_facet f = {.a = c[0], .ab = ov_vec3_sub(c[1], c[0]), .ac = ov_vec3_sub(c[2], c[0])};
    f.bb = ov_vec3_dot(f.ab, f.ab);
    f.bc = ov_vec3_dot(f.ab, f.ac);
    f.cc = ov_vec3_dot(f.ac, f.ac);
    f.det = f.bb * f.cc - f.bc * f.bc;
    // of a sliver the determinant is rounding more than it is itself
    f.det = f.det > OVI_SLIVER * f.bb * f.cc ? f.det : 0.0;
    return f;
}

static float below(double x) {
    float f = (float)x;
    return (double)f > x ? nextafterf(f, -INFINITY) : f;
}

static float above(double x) { return -below(-x); }

static void free_tree(const ov_allocator *allocator, ovi_touch_tree *tree) {
    ovi_release(allocator, tree->nodes, tree->node_count, sizeof *tree->nodes);
    ovi_release(allocator, tree->facets, tree->facet_count, sizeof *tree->facets);
    tree->nodes = NULL;
    tree->facets = NULL;
}

/** The tree of a mesh once more, for searches; false for want of memory. */
static bool make_tree(const ov_trimesh *mesh, const ov_allocator *allocator, ovi_touch_tree *tree) {
    *tree = (ovi_touch_tree){
        .order = mesh->order, .node_count = mesh->node_count, .facet_count = mesh->triangle_count};
    tree->nodes = ovi_resize(allocator, NULL, 0, tree->node_count, sizeof *tree->nodes);
    tree->facets = ovi_resize(allocator, NULL, 0, tree->facet_count, sizeof *tree->facets);
    if (tree->nodes == NULL || tree->facets == NULL) {
        free_tree(allocator, tree);
        return false;
    }
    ov_vec3 size = ov_vec3_sub(mesh->nodes[0].box.max, mesh->nodes[0].box.min);
    tree->unsure =
        4e-7 * ov_vec3_length(size) + ovi_touch_rounding(ov_vec3_length(mesh->nodes[0].box.min) +
                                                         ov_vec3_length(mesh->nodes[0].box.max));
    for (size_t i = 0; i < tree->node_count; i++) {
        const ovi_trimesh_node *n = &mesh->nodes[i];
        tree->nodes[i] =
            (ovi_touch_node){.lo = {below(n->box.min.x), below(n->box.min.y), below(n->box.min.z)},
                             .hi = {above(n->box.max.x), above(n->box.max.y), above(n->box.max.z)},
                             .first = n->first,
                             .count = n->count};
    }
    for (size_t i = 0; i < tree->facet_count; i++) {
        tree->facets[i] = facet_of(mesh, mesh->order[i]);
    }
    return true;
}

/* ---- parts */

static ov_status part_frame(const ov_touch_part *part, ovi_touch_box *box) {
    ov_obb obb;
    ov_pose pose = ov_pose_default(part->pose);
    ov_status status = ovi_pose_normalize(&pose);
    status = status == OV_OK ? ov_shape_obb(&part->shape, &obb) : status;
    if (status != OV_OK) {
        return status;
    }
    pose = ovi_pose_mul(pose, obb.pose);
    *box = (ovi_touch_box){pose.position, ov_mat3_from_quat(pose.rotation), obb.half};
    return OV_OK;
}

/** The part that has a point most within its box; there is one. */
static size_t part_of(const ovi_touch_box *boxes, size_t count, ov_vec3 point) {
    size_t best = 0;
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        ov_vec3 p = ovi_in_box(&boxes[i], point), h = boxes[i].half;
        double most = ovi_larger(fabs(p.x) / h.x, ovi_larger(fabs(p.y) / h.y, fabs(p.z) / h.z));
        best = most < least ? i : best;
        least = most < least ? most : least;
    }
    return best;
}

/** Boxes of the parts, made to hold the triangles that are theirs whatever the fit is like. */
static ov_status make_boxes(const ov_trimesh *mesh, const ov_touch_map_options *o,
                            ovi_touch_box *boxes, double diagonal) {
    for (size_t i = 0; i < o->part_count; i++) {
        ov_status status = part_frame(&o->parts[i], &boxes[i]);
        if (status != OV_OK) {
            return status;
        }
    }
    ov_aabb box = ov_trimesh_box(mesh);
    double reach = ov_vec3_length(box.min) + ov_vec3_length(box.max);
    for (size_t t = 0; t < mesh->triangle_count && o->part_count > 0; t++) {
        ov_vec3 c[3];
        ovi_trimesh_corners(mesh, t, c);
        ov_vec3 middle = ov_vec3_scale(ov_vec3_add(ov_vec3_add(c[0], c[1]), c[2]), 1.0 / 3.0);
        ovi_touch_box *b = &boxes[part_of(boxes, o->part_count, middle)];
        double more = 1e-12 * diagonal + ovi_touch_rounding(reach + ov_vec3_length(b->centre));
        for (int i = 0; i < 3; i++) {
            ov_vec3 p = ovi_in_box(b, c[i]);
            b->half =
                ov_vec3_make(fmax(b->half.x, fabs(p.x) + more), fmax(b->half.y, fabs(p.y) + more),
                             fmax(b->half.z, fabs(p.z) + more));
        }
    }
    return OV_OK;
}

/* ---- making maps */

static bool in_range(double x, double lo, double hi) { return x >= lo && x <= hi; }

static ov_status read_options(const ov_touch_map_options *given, ov_touch_map_options *o) {
    *o = given != NULL ? *given : (ov_touch_map_options){0};
    o->error = o->error == 0.0 ? default_error : o->error;
    o->band = o->band == 0.0 ? default_band : o->band;
    o->memory = o->memory == 0 ? default_memory : o->memory;
    if (!in_range(o->error, 1e-5, 0.1) || !in_range(o->band, 1e-4, 1.0) ||
        !ovi_threads_are_good(&o->threads)) {
        return OV_ERROR_OPTION;
    }
    if (o->part_count > OV_TOUCH_PARTS_MAX) {
        return OV_ERROR_COUNT;
    }
    return o->part_count > 0 && o->parts == NULL ? OV_ERROR_NULL : OV_OK;
}

static header header_of(const ov_touch_map *map, const ovi_field_made *made,
                        const ov_touch_map_options *o) {
    const ovi_field *f = &made->field;
    header h = {.magic = MAGIC,
                .version = VERSION,
                .header_size = sizeof h,
                .vertex_count = map->mesh->vertex_count,
                .triangle_count = map->mesh->triangle_count,
                .box_count = o->part_count,
                .node_count = made->node_count,
                .brick_count = made->brick_count,
                .dims = {f->dims[0], f->dims[1], f->dims[2]},
                .level_count = f->level_count,
                .solid = ov_trimesh_is_solid(map->mesh),
                .origin = f->origin,
                .width = f->width,
                .slack = f->slack,
                .diagonal = map->diagonal,
                .band = o->band * map->diagonal,
                .bound_mean = made->bound_mean,
                .bound_worst = made->bound_worst};
    memcpy(h.steps, f->steps, sizeof h.steps);
    return h;
}

/** Writes the bytes of a map that has its mesh and field. */
static ov_status write_bytes(ov_touch_map *map, const ovi_field_made *made,
                             const ovi_touch_box *boxes, const ov_touch_map_options *o) {
    header h = header_of(map, made, o);
    layout l;
    unsigned char *bytes =
        layout_of(&h, &l) ? ovi_resize(&map->allocator, NULL, 0, l.size, 1) : NULL;
    if (bytes == NULL) {
        return OV_ERROR_MEMORY;
    }
    h.size = l.size;
    memset(bytes, 0, l.size);
    memcpy(bytes, &h, sizeof h);
    memcpy(bytes + l.vertices, map->mesh->vertices, map->mesh->vertex_count * sizeof(ov_vec3));
    memcpy(bytes + l.triangles, map->mesh->triangles,
           map->mesh->triangle_count * 3 * sizeof(uint32_t));
    if (o->part_count > 0) {
        memcpy(bytes + l.boxes, boxes, o->part_count * sizeof *boxes);
    }
    memcpy(bytes + l.nodes, made->nodes, made->node_count * sizeof(uint32_t));
    memcpy(bytes + l.bricks, made->bricks, made->brick_count * sizeof(ovi_brick));
    h.checksum = checksum_of(bytes, l.size);
    memcpy(bytes, &h, sizeof h);
    map->bytes = bytes;
    map->size = l.size;
    map->own_bytes = true;
    refer(map, &h, &l);
    return know_field(map) ? OV_OK : OV_ERROR_MEMORY;
}

/** The field, within the memory that mesh and parts leave. */
static ov_status make_field(ov_touch_map *map, const ov_touch_map_options *o,
                            ovi_field_made *made) {
    size_t other = sizeof(header) + map->mesh->vertex_count * sizeof(ov_vec3) +
                   map->mesh->triangle_count * 3 * sizeof(uint32_t) +
                   o->part_count * sizeof(ovi_touch_box) + (size_t)(5 * ALIGNMENT);
    const ovi_field_task task = {.mesh = map->mesh,
                                 .tree = &map->tree,
                                 .diagonal = map->diagonal,
                                 .error = o->error * map->diagonal,
                                 .band = o->band * map->diagonal,
                                 .memory = o->memory > other ? o->memory - other : 0,
                                 .threads = &o->threads,
                                 .allocator = &map->allocator};
    return ovi_touch_field_make(&task, made);
}

static ov_status build(ov_touch_map *map, const ov_touch_map_options *o) {
    if (!o->surface && ov_trimesh_open_count(map->mesh) > 0) {
        return OV_ERROR_NOT_CLOSED;
    }
    ov_aabb box = ov_trimesh_box(map->mesh);
    map->diagonal = ov_vec3_length(ov_vec3_sub(box.max, box.min));
    double reach = ovi_larger(ov_vec3_length(box.min), ov_vec3_length(box.max));
    if (!(map->diagonal > OV_SIZE_MIN) || !(map->diagonal > 1e-9 * reach)) {
        return OV_ERROR_DEGENERATE;
    }
    if (!(map->diagonal >= OV_TOUCH_SIZE_MIN && reach <= OV_TOUCH_SIZE_MAX)) {
        return OV_ERROR_SIZE_RANGE;
    }
    ovi_touch_box *boxes = NULL;
    if (o->part_count > 0) {
        boxes = ovi_resize(&map->allocator, NULL, 0, o->part_count, sizeof *boxes);
        if (boxes == NULL) {
            return OV_ERROR_MEMORY;
        }
    }
    ovi_field_made made;
    ov_status status = make_tree(map->mesh, &map->allocator, &map->tree) ? OV_OK : OV_ERROR_MEMORY;
    status = status != OV_OK ? status : make_boxes(map->mesh, o, boxes, map->diagonal);
    if (status == OV_OK) {
        status = make_field(map, o, &made);
        status = status == OV_OK ? write_bytes(map, &made, boxes, o) : status;
        ovi_touch_field_free(&map->allocator, &made);
    }
    ovi_release(&map->allocator, boxes, o->part_count, sizeof *boxes);
    return status;
}

static ov_touch_map *new_map(const ov_allocator *given) {
    ov_allocator memory = ovi_allocator_of(given);
    ov_touch_map *map = ovi_resize(&memory, NULL, 0, 1, sizeof *map);
    if (map != NULL) {
        memset(map, 0, sizeof *map);
        map->allocator = memory;
    }
    return map;
}

ov_status ov_touch_map_create(const ov_vec3 *vertices, size_t vertex_count,
                              const uint32_t (*triangles)[3], size_t triangle_count,
                              const ov_touch_map_options *options, const ov_allocator *allocator,
                              ov_touch_map **map) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_touch_map_create(vertices, vertex_count, triangles,
                                                        triangle_count, options, allocator, map));
    if (map == NULL) {
        return OV_ERROR_NULL;
    }
    *map = NULL;
    ov_touch_map_options o;
    ov_status status = read_options(options, &o);
    if (status == OV_OK && !is_little_endian()) {
        status = OV_ERROR_UNSUPPORTED;
    }
    if (status != OV_OK) {
        return status;
    }
    ov_touch_map *made = new_map(allocator);
    if (made == NULL) {
        return OV_ERROR_MEMORY;
    }
    status = (o.surface ? ov_trimesh_create_surface : ov_trimesh_create)(
        vertices, vertex_count, triangles, triangle_count, allocator, &made->mesh);
    status = status == OV_OK ? build(made, &o) : status;
    if (status != OV_OK) {
        ov_touch_map_destroy(made);
        return status;
    }
    *map = made;
    return OV_OK;
}

void ov_touch_map_destroy(ov_touch_map *map) {
    if (map == NULL) {
        return;
    }
    ov_allocator memory = map->allocator;
    free_tree(&memory, &map->tree);
    ovi_release(&memory, map->ways, map->way_count, sizeof *map->ways);
    ovi_release(&memory, map->part_axes, map->box_count, sizeof *map->part_axes);
    ov_trimesh_destroy(map->mesh);
    if (map->own_bytes) {
        ovi_release(&memory, (void *)(uintptr_t)map->bytes, map->size, 1);
    } else if (map->owner.release != NULL) {
        map->owner.release(map->owner.user, map->bytes, map->size);
    }
    ovi_release(&memory, map, 1, sizeof *map);
}

/* ---- maps from bytes */

/** Checks the eight nodes below one; `brick` is the number that its own brick has, if it has one.
 */
static bool check_children(const uint32_t *children, uint32_t brick, bool *has_brick) {
    *has_brick = false;
    bool good = true;
    for (int o = 0; o < 8; o++) {
        if (children[o] & OVI_NODE_PARENT) {
            good = good && children[o] == (OVI_NODE_BRICK | OVI_NODE_PARENT | brick);
            *has_brick = true;
        }
    }
    return good;
}

/** Are the nodes in the one order in which they are made? */
static bool check_nodes(const header *h, const uint32_t *nodes) {
    uint64_t roots = (uint64_t)h->dims[0] * h->dims[1] * h->dims[2];
    if (h->dims[0] > 4096 || h->dims[1] > 4096 || h->dims[2] > 4096 || roots == 0 ||
        roots > h->node_count || h->node_count > OVI_NODE_NUMBER) {
        return false;
    }
    uint64_t next = roots, level_end = roots;
    uint32_t level = 0, brick = 0;
    for (uint64_t n = 0; n < h->node_count; n++) {
        if (n == level_end) {
            level++;
            level_end = next;
        }
        if (nodes[n] & OVI_NODE_PARENT) {
            if (n < roots) {
                return false;
            }
            continue; // checked with the node above
        }
        bool has_brick = nodes[n] & OVI_NODE_BRICK, inner = !has_brick;
        if (nodes[n] != (inner ? (uint32_t)next : OVI_NODE_BRICK | brick) ||
            level >= h->level_count ||
            (inner &&
             (next + 8 > h->node_count || !check_children(nodes + next, brick, &has_brick)))) {
            return false;
        }
        brick += has_brick;
        next += inner ? 8 : 0;
    }
    return brick == h->brick_count && next == h->node_count;
}

static bool is_length(double x) { return x > 0.0 && x <= 1e100; }
static bool is_near(ov_vec3 v) { return ov_vec3_length(v) <= 1e100; }

static const char *check_numbers(const header *h, const ovi_touch_box *boxes) {
    bool good = is_near(h->origin) && is_length(h->width) && h->diagonal >= OV_TOUCH_SIZE_MIN &&
                is_length(h->diagonal) && is_length(h->slack) && is_length(h->band) &&
                h->bound_mean >= 0.0 && h->bound_worst >= 0.0 && h->bound_worst <= 1e100 &&
                h->bound_mean <= 1e100 && h->level_count >= 1 &&
                h->level_count <= OVI_FIELD_LEVELS && h->solid <= 1 && h->unused == 0;
    for (int i = 0; i < OVI_FIELD_LEVELS; i++) {
        good = good && is_length(h->steps[i]);
    }
    for (uint64_t i = 0; i < h->box_count && good; i++) {
        const ov_vec3 rows[5] = {boxes[i].centre, boxes[i].axes.cx, boxes[i].axes.cy,
                                 boxes[i].axes.cz, boxes[i].half};
        for (int j = 0; j < 5; j++) {
            good = good && is_near(rows[j]);
        }
    }
    return good ? NULL : "a number is out of range";
}

/** What is wrong with the bytes, without the mesh; null: nothing. */
static const char *check_bytes(const unsigned char *bytes, size_t size, header *h, layout *l) {
    if (size < offsetof(header, checksum) || memcmp(bytes, MAGIC, sizeof h->magic) != 0) {
        return "this is no distance map";
    }
    memset(h, 0, sizeof *h);
    memcpy(h, bytes, size < sizeof *h ? size : sizeof *h);
    if (h->version != VERSION) {
        return "the distance map is of another version";
    }
    if (size < sizeof *h || h->size > size) {
        return "the distance map is cut off";
    }
    if (h->header_size != sizeof *h || h->size < size) {
        return "the distance map has another size than it says";
    }
    if (checksum_of(bytes, size) != h->checksum) {
        return "the distance map was changed: its checksum does not fit";
    }
    if (h->box_count > OV_TOUCH_PARTS_MAX || h->vertex_count > OV_TRIMESH_MAX ||
        h->triangle_count > OV_TRIMESH_MAX || !layout_of(h, l) || l->size != size) {
        return "the distance map has another size than it says";
    }
    const char *wrong = check_numbers(h, (const ovi_touch_box *)(const void *)(bytes + l->boxes));
    bool ordered =
        wrong != NULL || check_nodes(h, (const uint32_t *)(const void *)(bytes + l->nodes));
    return ordered ? wrong : "the nodes of the distance map are not in order";
}

static ov_status bad_format(ov_fault *fault, const char *text) {
    return ovi_fault_set(fault, OV_ERROR_FILE_FORMAT, OV_FAULT_PLACE_NONE, 0, text);
}

/** Is the grid around the mesh, with the sizes that it is made with? */
static bool fits_mesh(const ov_trimesh *mesh, const header *h) {
    ov_aabb box = ov_trimesh_box(mesh);
    double diagonal = ov_vec3_length(ov_vec3_sub(box.max, box.min));
    bool good = h->diagonal == diagonal && h->band <= diagonal && h->origin.x <= box.min.x &&
                h->origin.y <= box.min.y && h->origin.z <= box.min.z &&
                h->origin.x + h->dims[0] * h->width >= box.max.x &&
                h->origin.y + h->dims[1] * h->width >= box.max.y &&
                h->origin.z + h->dims[2] * h->width >= box.max.z;
    for (int l = 0; l < OVI_FIELD_LEVELS; l++) {
        good = good && h->steps[l] == ovi_field_step(h->width, l);
    }
    return good;
}

static ov_status view(ov_touch_map *map, const header *h, const layout *l, ov_fault *fault) {
    const ov_vec3 *vertices = (const ov_vec3 *)(const void *)(map->bytes + l->vertices);
    const uint32_t(*triangles)[3] = (const uint32_t(*)[3])(const void *)(map->bytes + l->triangles);
    ov_status status = (h->solid ? ov_trimesh_create : ov_trimesh_create_surface)(
        vertices, (size_t)h->vertex_count, triangles, (size_t)h->triangle_count, &map->allocator,
        &map->mesh);
    if (status == OV_ERROR_MEMORY) {
        return ovi_fault_none(fault, status);
    }
    if (status != OV_OK) {
        return bad_format(fault, ov_status_message(status));
    }
    if (ov_trimesh_is_solid(map->mesh) != (h->solid == 1) ||
        (h->solid && ov_trimesh_open_count(map->mesh) > 0)) {
        return bad_format(fault, "the mesh of the map is not closed");
    }
    if (!fits_mesh(map->mesh, h)) {
        return bad_format(fault, "the field of the map does not fit its mesh");
    }
    if (!make_tree(map->mesh, &map->allocator, &map->tree)) {
        return ovi_fault_none(fault, OV_ERROR_MEMORY);
    }
    refer(map, h, l);
    return know_field(map) ? OV_OK : ovi_fault_none(fault, OV_ERROR_MEMORY);
}

ov_status ov_touch_map_view(const void *bytes, size_t size, const ov_touch_owner *owner,
                            const ov_allocator *allocator, ov_touch_map **map, ov_fault *fault) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_touch_map_view(bytes, size, owner, allocator, map, fault));
    if (bytes == NULL || map == NULL) {
        return ovi_fault_none(fault, OV_ERROR_NULL);
    }
    *map = NULL;
    header h;
    layout l;
    if (!is_little_endian()) {
        return ovi_fault_none(fault, OV_ERROR_UNSUPPORTED);
    }
    if ((uintptr_t)bytes % ALIGNMENT != 0) {
        return bad_format(fault, "the bytes of the map are not aligned");
    }
    const char *wrong = check_bytes(bytes, size, &h, &l);
    if (wrong != NULL) {
        return bad_format(fault, wrong);
    }
    ov_touch_map *made = new_map(allocator);
    if (made == NULL) {
        return ovi_fault_none(fault, OV_ERROR_MEMORY);
    }
    made->bytes = bytes;
    made->size = size;
    ov_status status = view(made, &h, &l, fault);
    if (status != OV_OK) {
        ov_touch_map_destroy(made);
        return status;
    }
    made->owner = owner != NULL ? *owner : (ov_touch_owner){NULL, NULL};
    *map = made;
    return ovi_fault_none(fault, OV_OK);
}

const void *ov_touch_map_bytes(const ov_touch_map *map, size_t *size) {
    if (size != NULL) {
        *size = map != NULL ? map->size : 0;
    }
    return map != NULL ? map->bytes : NULL;
}

const ov_trimesh *ov_touch_map_mesh(const ov_touch_map *map) {
    return map != NULL ? map->mesh : NULL;
}

ov_touch_map_report ov_touch_map_describe(const ov_touch_map *map) {
    if (map == NULL) {
        return (ov_touch_map_report){0};
    }
    double cell = map->field.width / OVI_BRICK_CELLS;
    return (ov_touch_map_report){.bytes = map->size,
                                 .field_bytes = map->node_count * sizeof(uint32_t) +
                                                map->brick_count * sizeof(ovi_brick),
                                 .bricks = map->brick_count,
                                 .nodes = map->node_count,
                                 .parts = map->box_count,
                                 .diagonal = map->diagonal,
                                 .cell_min = ldexp(cell, 1 - (int)map->field.level_count),
                                 .cell_max = cell,
                                 .bound_mean = map->bound_mean,
                                 .bound_worst = map->bound_worst,
                                 .solid = ov_trimesh_is_solid(map->mesh)};
}

/* ---- points in the world */

static ov_touch_distance no_distance(void) {
    const ov_vec3 none = {NAN, NAN, NAN};
    return (ov_touch_distance){NAN, NAN, NAN, none, none, OV_NO_TRIANGLE};
}

OVI_DISPATCH(static, unsigned, look_up_corners, ovi_look_up_corners,
             (const ov_touch_map *map, ov_vec3 p, double *d), (map, p, d))

static ov_vec3 field_normal(const ov_touch_map *map, ov_vec3 p) {
    double d[4];
    unsigned outside = look_up_corners(map, p, d);
    return ovi_corners_normal(map, p, d, outside);
}

/** The normal where answers are exact: corners at which the field may be so far off that the normal
 * would turn by some hundredths are asked of the triangles. */
static ov_vec3 exact_normal(const ov_touch_map *map, ov_vec3 p) {
    double reach = ovi_touch_normal_reach(map), d[4];
    for (int i = 0; i < 4; i++) {
        ov_vec3 x = ov_vec3_add_scaled(p, ovi_touch_corner(i), reach);
        ovi_touch_bounds known = ovi_touch_field_bounds(map, x, 0.0), exact;
        ovi_nearest near;
        bool asked = known.upper - known.lower > reach / 16.0 &&
                     ovi_touch_exact_bounds(map, x, 0.0, &known, &exact, &near);
        d[i] = asked ? exact.value : known.value;
    }
    return ovi_touch_slope(d);
}

/** Between which distances the triangles are asked, if the field does not tell that a point is
 *  beyond. */
typedef struct asked {
    double from, to;
} asked;

static ov_status distance_at(const ov_touch_map *map, ov_pose pose, ov_vec3 point, asked where,
                             ov_touch_level level, ov_touch_distance *out) {
    OVI_ROUND_TO_NEAREST(ov_status, distance_at(map, pose, point, where, level, out));
    if (out == NULL) {
        return OV_ERROR_NULL;
    }
    *out = no_distance();
    if (map == NULL) {
        return OV_ERROR_NULL;
    }
    ov_status status = ovi_pose_normalize(&pose);
    if (status == OV_OK && !ov_vec3_is_finite(point)) {
        status = OV_ERROR_NOT_FINITE;
    }
    if (status == OV_OK && (level < OV_TOUCH_LEVEL_DEFAULT || level > OV_TOUCH_LEVEL_EXACT)) {
        status = OV_ERROR_OPTION;
    }
    double lengths = ov_vec3_length(point) + ov_vec3_length(pose.position);
    if (status == OV_OK && !(lengths <= OV_SIZE_MAX)) {
        status = OV_ERROR_SIZE_RANGE;
    }
    if (status != OV_OK) {
        return status;
    }
    ov_vec3 p = ov_pose_apply_inverse(pose, point), nearest;
    double error = ovi_touch_rounding(lengths);
    ovi_touch_bounds b = ovi_touch_field_bounds(map, p, error);
    out->normal = level == OV_TOUCH_LEVEL_EXACT ? exact_normal(map, p) : field_normal(map, p);
    nearest = ov_vec3_add_scaled(p, out->normal, -b.value);
    bool open = b.lower <= where.to && b.upper >= where.from;
    if (level == OV_TOUCH_LEVEL_EXACT || (open && level != OV_TOUCH_LEVEL_FIELD)) {
        ovi_nearest near;
        ovi_touch_bounds known = b;
        status =
            ovi_touch_exact_bounds(map, p, error, &known, &b, &near) ? OV_OK : OV_NOT_CONVERGED;
        nearest = near.point;
        out->triangle = near.triangle;
    }
    out->distance = b.value;
    out->distance_lower = b.lower;
    out->distance_upper = b.upper;
    out->nearest = ov_pose_apply(pose, nearest);
    out->normal = ov_quat_rotate(pose.rotation, out->normal);
    return status;
}

ov_status ov_touch_map_point(const ov_touch_map *map, ov_pose pose, ov_vec3 point,
                             ov_touch_level level, ov_touch_distance *out) {
    return distance_at(map, pose, point, (asked){0.0, 0.0}, level, out);
}

/**
 * Unless the level is that of the field alone, or the point is proven to be beyond the limit, the
 * triangles are asked: where one of the two took over from the other a force would jump by what the
 * field is off, and a ball whose radius is about that much would find no room to move in.
 */
static ov_status sample_map(const void *object, ov_vec3 point, double limit,
                            ov_touch_distance *answer) {
    const ov_touch_placed_map *placed = object;
    return distance_at(placed->map, ov_pose_default(placed->pose), point, (asked){-INFINITY, limit},
                       placed->level, answer);
}

ov_touch_surface ov_touch_map_surface(const ov_touch_placed_map *placed) {
    return (ov_touch_surface){sample_map, placed};
}
