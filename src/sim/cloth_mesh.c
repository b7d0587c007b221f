/**
 * @file cloth_mesh.c
 * @brief What a cloth is made of: masses, edges and hinges from its triangles, in an order that
 * vector instructions can take four at a time; the tree of its triangles; tearing.
 *
 * Stiffness of an edge from that of the cloth, by the area A of the triangles beside it and its
 * length L [Van Gelder 1998]: k = K A/L^2. In a square cell both diagonals carry shear, k = 2 G
 * A/L^2 each, which is G: an angle of shear g changes the diagonals of a cell of side s by g
 * s/sqrt 2. Hinges are those of [Bergou et al. 2006]: for a flat rest shape the bending energy is
 * the square of k . x with four constant weights of cotangents, a linear constraint.
 */
#include <string.h>

#include "../shape/shape_internal.h"
#include "cloth_internal.h"

/* ---- memory, aligned to a vector */

enum { ALIGNMENT = 32 };

/** A block begins up to ALIGNMENT bytes before the array; the byte before the array says how many.
 */
static size_t block_size(size_t count, size_t size) { return count * size + ALIGNMENT; }

static void *align_block(unsigned char *block) {
    size_t gap = ALIGNMENT - ((uintptr_t)block & (ALIGNMENT - 1));
    block[gap - 1] = (unsigned char)gap;
    return block + gap;
}

void ovi_cloth_release(const ov_allocator *allocator, void *array, size_t count, size_t size) {
    if (array != NULL) {
        unsigned char *bytes = array;
        ovi_release(allocator, bytes - bytes[-1], block_size(count, size), 1);
    }
}

bool ovi_cloth_resize(const ov_allocator *allocator, void **array, size_t old_count, size_t count,
                      size_t size) {
    unsigned char *block = ovi_resize(allocator, NULL, 0, block_size(count, size), 1);
    if (block == NULL) {
        return false;
    }
    void *fresh = align_block(block);
    memset(fresh, 0, count * size);
    if (*array != NULL) {
        memcpy(fresh, *array, (old_count < count ? old_count : count) * size);
        ovi_cloth_release(allocator, *array, old_count, size);
    }
    *array = fresh;
    return true;
}

/* ---- edges of the triangles */

/** Side of a triangle, from `low` to `high`; `opposite` is its third corner. */
typedef struct side {
    uint32_t low, high, opposite, triangle, number;
} side;

/** All sides in a row, those of an edge together: by a counting sort over the lower vertex. */
static void sort_sides(const ov_cloth *cloth, uint32_t *starts, uint32_t *fill, side *sides) {
    size_t n = cloth->vertex_count;
    memset(starts, 0, (n + 1) * sizeof *starts);
    memset(fill, 0, n * sizeof *fill);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t t = 0; t < cloth->triangle_count; t++) {
            for (uint32_t i = 0; i < 3; i++) {
                const uint32_t *v = cloth->triangles[t];
                uint32_t a = v[i], b = v[(i + 1) % 3];
                side s = {a < b ? a : b, a < b ? b : a, v[(i + 2) % 3], (uint32_t)t, i};
                if (pass == 0) {
                    starts[s.low + 1]++;
                    continue;
                }
                // insertion keeps the sides of a vertex in order
                uint32_t first = starts[s.low], at = first + fill[s.low]++;
                for (; at > first && sides[at - 1].high > s.high; at--) {
                    sides[at] = sides[at - 1];
                }
                sides[at] = s;
            }
        }
        for (size_t i = 0; pass == 0 && i < n; i++) {
            starts[i + 1] += starts[i];
        }
    }
}

static double triangle_area(const ovi_v4 *x, const uint32_t *v) {
    ov_vec3 a = ovi_cloth_at(x, v[0]);
    ov_vec3 c =
        ov_vec3_cross(ov_vec3_sub(ovi_cloth_at(x, v[1]), a), ov_vec3_sub(ovi_cloth_at(x, v[2]), a));
    return 0.5 * ov_vec3_length(c);
}

static double rest_length(const ov_cloth *cloth, uint32_t a, uint32_t b) {
    return ov_vec3_length(ov_vec3_sub(ovi_cloth_at(cloth->rest, a), ovi_cloth_at(cloth->rest, b)));
}

/** Is this edge a diagonal of a cell that is nearly a rectangle? Then the other one is, too. */
static bool is_diagonal(const ov_cloth *cloth, const side *s, const side *t) {
    double length = rest_length(cloth, s->low, s->high);
    double other = rest_length(cloth, s->opposite, t->opposite);
    double around[4] = {
        rest_length(cloth, s->low, s->opposite), rest_length(cloth, s->high, s->opposite),
        rest_length(cloth, s->low, t->opposite), rest_length(cloth, s->high, t->opposite)};
    // equal diagonals and opposite sides: a rectangle; to 5 % it is one of a grid
    return fabs(other - length) < 0.05 * length && fabs(around[0] - around[3]) < 0.05 * length &&
           fabs(around[1] - around[2]) < 0.05 * length && around[0] < 0.98 * length &&
           around[1] < 0.98 * length;
}

/** An edge to be. */
typedef struct spring {
    uint32_t a, b;
    double rest, compliance;
    float width;
    bool thread;
} spring;

/** A hinge to be, or an edge: its vertices. */
typedef struct hinge_seed {
    uint32_t v[4];
    double k[4], compliance;
} hinge_seed;

/** Growing lists of what is made, and the scratch of making it. */
typedef struct workshop {
    side *sides;
    uint32_t *starts;
    spring *springs;
    hinge_seed *hinges;
    uint64_t *used;
    uint32_t *colours, *fill;
    ov_aabb *boxes;
    size_t sides_count, spring_count, hinge_count;
} workshop;

enum { COLOURS = 64 };

static void add_spring(workshop *w, const ov_cloth *cloth, uint32_t a, uint32_t b, double area,
                       bool thread) {
    double length = rest_length(cloth, a, b), squared = length * length;
    double k = thread ? cloth->options.stretch * area / squared
                      : 2.0 * cloth->options.shear * area / squared;
    w->springs[w->spring_count++] = (spring){a, b, length, 1.0 / k, (float)(area / length), thread};
}

/** Cotangent of the angle at p between q and r. */
static double cotangent(ov_vec3 p, ov_vec3 q, ov_vec3 r) {
    ov_vec3 a = ov_vec3_sub(q, p), b = ov_vec3_sub(r, p);
    return ov_vec3_dot(a, b) / ov_vec3_length(ov_vec3_cross(a, b));
}

/** The hinge of two triangles at rest, laid flat: weights of the two ends and of the two apexes. */
static void add_hinge(workshop *w, const ov_cloth *cloth, const side *s, const side *t,
                      double area) {
    ov_vec3 p = ovi_cloth_at(cloth->rest, s->low), q = ovi_cloth_at(cloth->rest, s->high);
    ov_vec3 r1 = ovi_cloth_at(cloth->rest, s->opposite),
            r2 = ovi_cloth_at(cloth->rest, t->opposite);
    double c1 = cotangent(p, q, r1), c2 = cotangent(p, q, r2);
    double c3 = cotangent(q, p, r1), c4 = cotangent(q, p, r2);
    hinge_seed *h = &w->hinges[w->hinge_count++];
    *h = (hinge_seed){{s->low, s->high, s->opposite, t->opposite},
                      {c3 + c4, c1 + c2, -c1 - c3, -c2 - c4},
                      area / cloth->options.bending};
}

/** Springs and hinges of one edge, whose sides begin at s. */
static void add_edge(workshop *w, const ov_cloth *cloth, const side *s, size_t count) {
    double area = 0.0;
    for (size_t i = 0; i < count; i++) {
        area += triangle_area(cloth->rest, cloth->triangles[s[i].triangle]);
    }
    bool diagonal = count == 2 && is_diagonal(cloth, &s[0], &s[1]);
    add_spring(w, cloth, s->low, s->high, area, !diagonal);
    if (diagonal) {
        add_spring(w, cloth, s[0].opposite, s[1].opposite, area, false);
    }
    if (count == 2 && cloth->options.bending > 0.0) {
        add_hinge(w, cloth, &s[0], &s[1], area);
    }
}

static void make_springs(workshop *w, ov_cloth *cloth) {
    sort_sides(cloth, w->starts, w->fill, w->sides);
    memset(cloth->owns, 0, cloth->triangle_count);
    for (size_t i = 0; i < w->sides_count;) {
        size_t end = i + 1;
        while (end < w->sides_count && w->sides[end].low == w->sides[i].low &&
               w->sides[end].high == w->sides[i].high) {
            end++;
        }
        const side *s = &w->sides[i];
        cloth->owns[s->triangle] |= (uint8_t)(8u << s->number);
        add_edge(w, cloth, s, end - i);
        i = end;
    }
    memset(w->fill, 0, cloth->vertex_count * sizeof *w->fill);
    for (size_t t = 0; t < cloth->triangle_count; t++) {
        for (unsigned i = 0; i < 3; i++) {
            uint32_t v = cloth->triangles[t][i];
            if (w->fill[v]++ == 0) {
                cloth->owns[t] |= (uint8_t)(1u << i);
            }
        }
    }
}

/* ---- order: no two of four in a row share a vertex */

/** Lowest colour that none of the vertices has; the last one where all are taken. */
static uint32_t take_colour(uint64_t *used, const uint32_t *v, int count) {
    uint64_t taken = 0;
    for (int i = 0; i < count; i++) {
        taken |= used[v[i]];
    }
    uint32_t colour = 0;
    while (colour < COLOURS - 1 && (taken >> colour & 1u) != 0) {
        colour++;
    }
    for (int i = 0; i < count; i++) {
        used[v[i]] |= (uint64_t)1 << colour;
    }
    return colour;
}

/** An edge that is none holds its place: two of the vertices behind the last, which do not move. */
static void pad_edge(ovi_cloth_edges *block, int lane, uint32_t vertices) {
    block->a[lane] = vertices + (uint32_t)lane;
    block->b[lane] = vertices + (uint32_t)(lane + 1) % 4;
    block->rest[lane] = 1.0;
    block->compliance[lane] = 1.0;
    block->thread |= 16u << lane;
}

static void put_edge(ovi_cloth_edges *block, int lane, const spring *s) {
    block->a[lane] = s->a;
    block->b[lane] = s->b;
    block->rest[lane] = s->rest;
    block->compliance[lane] = s->compliance;
    block->width[lane] = s->width;
    block->thread |= (uint32_t)s->thread << lane;
}

static ov_status order_edges(workshop *w, ov_cloth *cloth) {
    size_t count[COLOURS] = {0}, at[COLOURS], blocks = 0;
    memset(w->used, 0, cloth->vertex_count * sizeof *w->used);
    for (size_t i = 0; i < w->spring_count; i++) {
        w->colours[i] = take_colour(w->used, &w->springs[i].a, 2);
        count[w->colours[i]]++;
    }
    for (uint32_t c = 0; c < COLOURS; c++) {
        at[c] = 4 * blocks;
        // the last colour is of edges that do share vertices: one in a block
        blocks += c == COLOURS - 1 ? count[c] : (count[c] + 3) / 4;
    }
    void *edges = NULL;
    if (!ovi_cloth_resize(&cloth->allocator, &edges, 0, blocks, sizeof(ovi_cloth_edges))) {
        return OV_ERROR_MEMORY;
    }
    ovi_cloth_release(&cloth->allocator, cloth->edges, cloth->edge_room, sizeof(ovi_cloth_edges));
    cloth->edges = edges;
    cloth->edge_count = cloth->edge_room = blocks;
    for (size_t i = 0; i < blocks; i++) {
        for (int lane = 0; lane < 4; lane++) {
            pad_edge(&cloth->edges[i], lane, (uint32_t)cloth->vertex_count);
        }
    }
    for (size_t i = 0; i < w->spring_count; i++) {
        uint32_t c = w->colours[i];
        ovi_cloth_edges *block = &cloth->edges[at[c] / 4];
        int lane = (int)(at[c] % 4);
        block->thread &= ~(16u << lane);
        put_edge(block, lane, &w->springs[i]);
        at[c] += c == COLOURS - 1 ? 4 : 1;
    }
    return OV_OK;
}

static ov_status order_hinges(workshop *w, ov_cloth *cloth) {
    size_t at[COLOURS + 1] = {0};
    memset(w->used, 0, cloth->vertex_count * sizeof *w->used);
    for (size_t i = 0; i < w->hinge_count; i++) {
        w->colours[i] = take_colour(w->used, w->hinges[i].v, 4);
        at[w->colours[i] + 1]++;
    }
    for (size_t c = 0; c < COLOURS; c++) {
        at[c + 1] += at[c];
    }
    void *hinges = NULL;
    if (!ovi_cloth_resize(&cloth->allocator, &hinges, 0, w->hinge_count, sizeof(ovi_cloth_hinge))) {
        return OV_ERROR_MEMORY;
    }
    ovi_cloth_release(&cloth->allocator, cloth->hinges, cloth->hinge_room, sizeof(ovi_cloth_hinge));
    cloth->hinges = hinges;
    cloth->hinge_count = cloth->hinge_room = w->hinge_count;
    for (size_t i = 0; i < w->hinge_count; i++) {
        const hinge_seed *h = &w->hinges[i];
        ovi_cloth_hinge *made = &cloth->hinges[at[w->colours[i]]++];
        made->compliance = h->compliance;
        memcpy(made->v, h->v, sizeof made->v);
        memcpy(made->k, h->k, sizeof made->k);
    }
    return OV_OK;
}

/* ---- masses */

/** A third of each triangle's mass goes to each of its corners. */
static ov_status find_masses(ov_cloth *cloth) {
    memset(cloth->mass, 0, cloth->vertex_count * sizeof *cloth->mass);
    cloth->least_height = INFINITY;
    for (size_t t = 0; t < cloth->triangle_count; t++) {
        const uint32_t *v = cloth->triangles[t];
        double area = triangle_area(cloth->rest, v), longest = 0.0;
        for (int i = 0; i < 3; i++) {
            cloth->mass[v[i]] += cloth->options.density * area / 3.0;
            longest = fmax(longest, rest_length(cloth, v[i], v[(i + 1) % 3]));
        }
        double height = 2.0 * area / longest;
        if (!(height > 1e-9) || !(height > 1e-6 * longest)) {
            return OV_ERROR_DEGENERATE;
        }
        cloth->least_height = fmin(cloth->least_height, height);
    }
    for (size_t i = 0; i < cloth->vertex_count; i++) {
        if (!(cloth->mass[i] > 0.0)) {
            return OV_ERROR_DEGENERATE;
        }
    }
    return OV_OK;
}

/* ---- the tree, by the rest shape: boxes follow the cloth, its triangles keep their places */

static void take_node(void *user, const ovi_bvh_made *made) {
    ov_cloth *cloth = user;
    ovi_cloth_node *node = &cloth->nodes[made->index];
    *node = (ovi_cloth_node){made->box, made->first, made->leaf ? made->count : 0};
    if (made->second) {
        cloth->nodes[made->parent].first = made->index;
    }
    cloth->node_count = made->index + 1 > cloth->node_count ? made->index + 1 : cloth->node_count;
}

static double lower(double a, double b) { return a < b ? a : b; }
static double upper(double a, double b) { return a > b ? a : b; }

static ov_aabb triangle_box(const ovi_v4 *x, const uint32_t *v) {
    ov_vec3 a = ovi_cloth_at(x, v[0]), b = ovi_cloth_at(x, v[1]), c = ovi_cloth_at(x, v[2]);
    return (ov_aabb){
        {lower(lower(a.x, b.x), c.x), lower(lower(a.y, b.y), c.y), lower(lower(a.z, b.z), c.z)},
        {upper(upper(a.x, b.x), c.x), upper(upper(a.y, b.y), c.y), upper(upper(a.z, b.z), c.z)}};
}

static void build_tree(workshop *w, ov_cloth *cloth) {
    enum { LEAF = 4 };
    for (size_t t = 0; t < cloth->triangle_count; t++) {
        w->boxes[t] = triangle_box(cloth->rest, cloth->triangles[t]);
    }
    cloth->node_count = 0;
    ovi_bvh_build(w->boxes, (uint32_t)cloth->triangle_count, LEAF, cloth->order, take_node, cloth);
}

void ovi_cloth_refit(const ov_cloth *cloth, ovi_cloth_node *nodes) {
    for (size_t i = cloth->node_count; i-- > 0;) { // children come after their parent
        ovi_cloth_node *node = &nodes[i];
        if (node->count == 0) {
            node->box = ovi_box_union(&nodes[i + 1].box, &nodes[node->first].box);
            continue;
        }
        node->box = triangle_box(cloth->x, cloth->triangles[cloth->order[node->first]]);
        for (uint32_t j = 1; j < node->count; j++) {
            ov_aabb box = triangle_box(cloth->x, cloth->triangles[cloth->order[node->first + j]]);
            node->box = ovi_box_union(&node->box, &box);
        }
    }
}

/* ---- all of it */

/** Scratch in one place: it is taken and given back together. */
static bool open_workshop(workshop *w, const ov_cloth *cloth) {
    const ov_allocator *a = &cloth->allocator;
    size_t n = cloth->vertex_count, sides = 3 * cloth->triangle_count;
    *w = (workshop){.sides_count = sides};
    w->sides = ovi_resize(a, NULL, 0, sides, sizeof *w->sides);
    w->starts = ovi_resize(a, NULL, 0, n + 1, sizeof *w->starts);
    w->springs = ovi_resize(a, NULL, 0, 2 * sides, sizeof *w->springs);
    w->hinges = ovi_resize(a, NULL, 0, sides, sizeof *w->hinges);
    w->used = ovi_resize(a, NULL, 0, n, sizeof *w->used);
    w->colours = ovi_resize(a, NULL, 0, 2 * sides, sizeof *w->colours);
    w->fill = ovi_resize(a, NULL, 0, n, sizeof *w->fill);
    w->boxes = ovi_resize(a, NULL, 0, cloth->triangle_count, sizeof *w->boxes);
    return w->sides != NULL && w->starts != NULL && w->springs != NULL && w->hinges != NULL &&
           w->used != NULL && w->colours != NULL && w->fill != NULL && w->boxes != NULL;
}

static void close_workshop(workshop *w, const ov_cloth *cloth) {
    const ov_allocator *a = &cloth->allocator;
    size_t n = cloth->vertex_count, sides = 3 * cloth->triangle_count;
    ovi_release(a, w->sides, sides, sizeof *w->sides);
    ovi_release(a, w->starts, n + 1, sizeof *w->starts);
    ovi_release(a, w->springs, 2 * sides, sizeof *w->springs);
    ovi_release(a, w->hinges, sides, sizeof *w->hinges);
    ovi_release(a, w->used, n, sizeof *w->used);
    ovi_release(a, w->colours, 2 * sides, sizeof *w->colours);
    ovi_release(a, w->fill, n, sizeof *w->fill);
    ovi_release(a, w->boxes, cloth->triangle_count, sizeof *w->boxes);
}

ov_status ovi_cloth_build(ov_cloth *cloth) {
    workshop w;
    ov_status status = find_masses(cloth);
    if (status != OV_OK) {
        return status;
    }
    if (open_workshop(&w, cloth)) {
        make_springs(&w, cloth);
        status = order_edges(&w, cloth);
        status = status == OV_OK ? order_hinges(&w, cloth) : status;
        if (status == OV_OK) {
            build_tree(&w, cloth);
        }
    } else {
        status = OV_ERROR_MEMORY;
    }
    close_workshop(&w, cloth);
    for (size_t i = 0; i < 4; i++) { // a square: no edge that is none has no length
        cloth->x[cloth->vertex_count + i] =
            (ovi_v4){(double)(i / 2), (double)((i + 1) / 2 % 2), 0.0, 0.0};
    }
    cloth->stale = true;
    return status;
}

static void take_inverse_masses(ov_cloth *cloth) {
    for (size_t i = 0; i < cloth->vertex_count; i++) {
        cloth->w[i] = 1.0 / cloth->mass[i];
    }
    for (size_t i = 0; i < cloth->hold_count; i++) {
        const ovi_cloth_hold *hold = &cloth->holds[i];
        if (hold->collider == OV_NO_COLLIDER && hold->stiffness == 0.0) {
            cloth->w[hold->vertex] = 0.0;
        }
    }
    for (size_t i = 0; i < cloth->edge_count; i++) {
        ovi_cloth_edges *e = &cloth->edges[i];
        for (int lane = 0; lane < 4; lane++) {
            bool none = (e->thread >> (4 + lane) & 1u) != 0;
            e->wa[lane] = none ? 0.0 : cloth->w[e->a[lane]];
            e->wb[lane] = none ? 0.0 : cloth->w[e->b[lane]];
        }
    }
    for (size_t i = 0; i < cloth->hinge_count; i++) {
        ovi_cloth_hinge *h = &cloth->hinges[i];
        for (int k = 0; k < 4; k++) {
            h->w[k] = cloth->w[h->v[k]];
        }
    }
}

void ovi_cloth_prepare(ov_cloth *cloth, double h) {
    bool fresh = cloth->stale;
    if (fresh) {
        take_inverse_masses(cloth);
        cloth->stale = false;
    }
    if (h == cloth->last_h && !fresh) {
        return;
    }
    double inverse = 1.0 / (h * h), scale = 1.0;
    if (cloth->last_h > 0.0) {
        scale = h * h / (cloth->last_h * cloth->last_h); // multipliers are forces times h squared
    }
    for (size_t i = 0; i < cloth->edge_count; i++) {
        ovi_cloth_edges *e = &cloth->edges[i];
        e->soft = e->compliance * inverse;
        e->inverse = 1.0 / (e->wa + e->wb + e->soft);
        e->mu *= scale;
    }
    for (size_t i = 0; i < cloth->hinge_count; i++) {
        ovi_cloth_hinge *g = &cloth->hinges[i];
        double sum = 0.0;
        for (int k = 0; k < 4; k++) {
            sum += g->w[k] * g->k[k] * g->k[k];
        }
        g->soft = g->compliance * inverse;
        g->inverse = 1.0 / (sum + g->soft);
    }
    cloth->last_h = h;
}

/* ---- tearing */

/** An edge that is pulled harder than it can bear: by how much of that, and its ends. */
typedef struct torn_edge {
    double excess;
    uint32_t a, b;
} torn_edge;

static torn_edge worst_edge(const ov_cloth *cloth) {
    torn_edge worst = {1.0, 0, 0};
    double inverse = 1.0 / (cloth->last_h * cloth->last_h);
    for (size_t i = 0; i < cloth->edge_count; i++) {
        const ovi_cloth_edges *e = &cloth->edges[i];
        for (int k = 0; k < 4; k++) {
            bool thread = (e->thread >> k & 1u) != 0 && (e->thread >> (4 + k) & 1u) == 0;
            double force = -e->mu[k] * e->rest[k] * inverse; // tension is negative
            double excess = force / (cloth->options.tear * (double)e->width[k]);
            if (thread && excess > worst.excess) {
                worst = (torn_edge){excess, e->a[k], e->b[k]};
            }
        }
    }
    return worst;
}

/** Which side of a vertex a triangle of it is on, along a direction; 0: it is none of it. */
static double side_of(const ov_cloth *cloth, size_t triangle, uint32_t v, ov_vec3 direction) {
    const uint32_t *c = cloth->triangles[triangle];
    if (c[0] != v && c[1] != v && c[2] != v) {
        return 0.0;
    }
    ovi_v4 sum = cloth->rest[c[0]] + cloth->rest[c[1]] + cloth->rest[c[2]] - 3.0 * cloth->rest[v];
    return direction.x * sum[0] + direction.y * sum[1] + direction.z * sum[2];
}

static bool more_vertices(ov_cloth *cloth) {
    size_t old = cloth->vertex_room, room = old + old / 4 + 16;
    struct {
        void **array;
        size_t size;
    } arrays[] = {{(void **)&cloth->x, sizeof *cloth->x},
                  {(void **)&cloth->prev, sizeof *cloth->prev},
                  {(void **)&cloth->v, sizeof *cloth->v},
                  {(void **)&cloth->rest, sizeof *cloth->rest},
                  {(void **)&cloth->reference, sizeof *cloth->reference},
                  {(void **)&cloth->anchor, sizeof *cloth->anchor},
                  {(void **)&cloth->mass, sizeof *cloth->mass},
                  {(void **)&cloth->w, sizeof *cloth->w},
                  {(void **)&cloth->bound, sizeof *cloth->bound},
                  {(void **)&cloth->stamps, sizeof *cloth->stamps},
                  {(void **)&cloth->press, sizeof *cloth->press}};
    enum { ARRAYS = sizeof arrays / sizeof arrays[0] };
    void *fresh[ARRAYS] = {NULL};
    bool enough = true;
    for (size_t i = 0; i < ARRAYS; i++) {
        enough = enough && ovi_cloth_resize(&cloth->allocator, &fresh[i], 0, room, arrays[i].size);
    }
    for (size_t i = 0; i < ARRAYS; i++) {
        if (!enough) {
            ovi_cloth_release(&cloth->allocator, fresh[i], room, arrays[i].size);
            continue;
        }
        memcpy(fresh[i], *arrays[i].array, old * arrays[i].size);
        ovi_cloth_release(&cloth->allocator, *arrays[i].array, old, arrays[i].size);
        *arrays[i].array = fresh[i];
    }
    cloth->vertex_room = enough ? room : old;
    return enough;
}

/**
 * Splits the vertex: triangles on the side of `direction` get a new one, a little apart from the
 * old one so that layers have a distance. False where all are on one side, or the new triangles
 * would cross others.
 */
static bool split_vertex(ov_cloth *cloth, uint32_t v, ov_vec3 direction) {
    size_t ahead = 0, behind = 0;
    for (size_t t = 0; t < cloth->triangle_count; t++) {
        double side = side_of(cloth, t, v, direction);
        ahead += side > 0.0;
        behind += side < 0.0;
    }
    if (ahead == 0 || behind == 0) {
        return false;
    }
    uint32_t fresh = (uint32_t)cloth->vertex_count;
    ovi_v4 pull = ovi_v4_of(0.0);
    for (size_t t = 0; t < cloth->triangle_count; t++) {
        if (side_of(cloth, t, v, direction) > 0.0) {
            uint32_t *c = cloth->triangles[t];
            pull += cloth->x[c[0]] + cloth->x[c[1]] + cloth->x[c[2]] - 3.0 * cloth->x[v];
            for (int i = 0; i < 3; i++) {
                c[i] = c[i] == v ? fresh : c[i];
            }
        }
    }
    // a part of what layers leave; whether anything crosses there is looked at below
    double bound = cloth->options.self_collision ? cloth->bound[v] : cloth->least_height;
    ovi_v4 q = pull * pull;
    double length = sqrt(q[0] + q[1] + q[2]), way = fmin(0.25 * bound, 0.02 * cloth->least_height);
    cloth->x[fresh] = cloth->x[v] + pull * (length > 0.0 ? way / length : 0.0);
    cloth->v[fresh] = cloth->v[v];
    cloth->rest[fresh] = cloth->rest[v];
    cloth->reference[fresh] = cloth->x[fresh];
    cloth->stamps[fresh] = cloth->clock;
    cloth->vertex_count++;
    // triangles that had the vertex in common may be folded onto each other
    if (cloth->options.self_collision && ovi_cloth_crosses_at(cloth, fresh)) {
        cloth->vertex_count--;
        for (size_t t = 0; t < cloth->triangle_count; t++) {
            for (int i = 0; i < 3; i++) {
                uint32_t *c = &cloth->triangles[t][i];
                *c = *c == fresh ? v : *c;
            }
        }
        return false;
    }
    cloth->tears++;
    return true;
}

ov_status ovi_cloth_tear(ov_cloth *cloth) {
    torn_edge e = cloth->last_h > 0.0 ? worst_edge(cloth) : (torn_edge){0.0, 0, 0};
    if (!(e.excess > 1.0)) {
        return OV_OK;
    }
    if (cloth->vertex_count + 5 > cloth->vertex_room && !more_vertices(cloth)) {
        return OV_ERROR_MEMORY;
    }
    ov_vec3 d = ov_vec3_sub(ovi_cloth_at(cloth->rest, e.b), ovi_cloth_at(cloth->rest, e.a));
    if (!split_vertex(cloth, e.a, d) && !split_vertex(cloth, e.b, ov_vec3_neg(d))) {
        return OV_OK;
    }
    // constraints are made anew, and their multipliers with them
    ov_status status = ovi_cloth_build(cloth);
    cloth->slack = -1.0;
    cloth->candidate_count = 0;
    for (size_t k = 0; k < cloth->solid_count; k++) {
        cloth->solids[k].first = cloth->solids[k].count = 0;
    }
    cloth->measured = false;
    cloth->last_h = 0.0;
    return status;
}
