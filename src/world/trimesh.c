/**
 * @file trimesh.c
 * @brief Triangle meshes: checked, copied, given a tree, and searched for closed shells; a triangle
 * of a mesh as a shape.
 *
 * Files hold triangles of every kind, so what a triangle spans is settled once, when the mesh is
 * made. Corners that are equal make it a segment or a point. One that is thinner than a triangle
 * shape may be (ov_shape_make_triangle) is the hull of its corners by their support function: the
 * closed forms would divide by its height, while the support-based solver needs supports alone.
 */
#include <string.h>

#include "../math/rounding_mode.h"
#include "../shape/shape_internal.h"
#include "trimesh_internal.h"

/* ---- triangles as shapes */

static ov_shape_kind kind_of(const ov_vec3 c[3]) {
    bool ab = ovi_same_point(c[0], c[1]), bc = ovi_same_point(c[1], c[2]),
         ca = ovi_same_point(c[2], c[0]);
    if (ab || bc || ca) {
        return ab && bc ? OV_SHAPE_KIND_POINT : OV_SHAPE_KIND_SEGMENT;
    }
    ovi_face face = ovi_face_make(c[0], c[1], c[2]);
    double reach = fmax(ovi_max_abs(c[0]), fmax(ovi_max_abs(c[1]), ovi_max_abs(c[2])));
    bool thin = !(face.height > OVI_FLAT * face.length) ||
                face.height <= OVI_FLAT_ROUNDING * reach || face.height < OV_SIZE_MIN;
    return thin ? OV_SHAPE_KIND_CUSTOM : OV_SHAPE_KIND_TRIANGLE;
}

/** Farthest corner from a point. */
static double farthest(const ov_vec3 c[3], ov_vec3 from) {
    double most = 0.0;
    for (int i = 0; i < 3; i++) {
        double d = ov_vec3_length(ov_vec3_sub(c[i], from));
        most = d > most ? d : most;
    }
    return most;
}

void ovi_trimesh_triangle_at(const ov_trimesh *mesh, uint32_t index, ovi_trimesh_triangle *out) {
    ov_vec3 *c = out->corners;
    ov_shape *s = &out->shape;
    ovi_trimesh_corners(mesh, index, c);
    memset(s, 0, sizeof *s);
    s->kind = (ov_shape_kind)mesh->kinds[index];
    ov_aabb box = ovi_corners_box(c);
    s->ball.centre = ovi_box_centre(&box);
    s->ball.radius = farthest(c, s->ball.centre) * (1.0 + OVI_BOUND_MARGIN);
    if (s->kind == OV_SHAPE_KIND_CUSTOM) {
        s->u.custom.support = ovi_corners_support;
        s->u.custom.user = c;
        return;
    }
    memcpy(s->u.vertices, c, sizeof out->corners);
    if (s->kind == OV_SHAPE_KIND_SEGMENT && ovi_same_point(c[0], c[1])) {
        s->u.vertices[1] = c[2];
    }
}

ov_shape ovi_trimesh_proxy(const ov_trimesh *mesh) {
    ov_shape proxy;
    memset(&proxy, 0, sizeof proxy);
    proxy.kind = OV_SHAPE_KIND_TRIANGLE;
    proxy.ball = mesh->ball;
    return proxy;
}

/* ---- the tree, with a slab for each node */

/** The slab of a node: across the mean normal, whichever way round each triangle is. */
static void set_slab(const ov_trimesh *mesh, const ovi_bvh_made *s, ovi_trimesh_node *node) {
    ov_vec3 sum = {0.0, 0.0, 0.0}, c[3];
    for (uint32_t i = s->first; i < s->first + s->count; i++) {
        ovi_trimesh_corners(mesh, mesh->order[i], c);
        ov_vec3 n = ov_vec3_cross(ov_vec3_sub(c[1], c[0]), ov_vec3_sub(c[2], c[0]));
        sum = ov_vec3_add_scaled(sum, n, ov_vec3_dot(n, sum) < 0.0 ? -1.0 : 1.0);
    }
    node->axis = ov_vec3_normalize(sum);
    if (!(ov_vec3_dot(node->axis, node->axis) > 0.5)) {
        node->axis = ov_vec3_make(1.0, 0.0, 0.0); // no area: as good as any
    }
    node->lo = INFINITY;
    node->hi = -INFINITY;
    for (uint32_t i = s->first; i < s->first + s->count; i++) {
        ovi_trimesh_corners(mesh, mesh->order[i], c);
        double hi = ovi_corners_top(c, node->axis);
        double lo = -ovi_corners_top(c, ov_vec3_neg(node->axis));
        node->lo = lo < node->lo ? lo : node->lo;
        node->hi = hi > node->hi ? hi : node->hi;
    }
    double middle_along = ov_vec3_dot(node->axis, ovi_box_centre(&node->box));
    node->lo -= middle_along;
    node->hi -= middle_along;
}

static void take_node(void *user, const ovi_bvh_made *made) {
    ov_trimesh *mesh = user;
    ovi_trimesh_node *node = &mesh->nodes[made->index];
    *node = (ovi_trimesh_node){
        .box = made->box, .first = made->first, .count = made->leaf ? made->count : 0};
    set_slab(mesh, made, node);
    if (made->second) {
        mesh->nodes[made->parent].first = made->index;
    }
    mesh->node_count++;
}

/** Sets `order`, `nodes` and `node_count` of a mesh; false for want of memory. */
static bool build_tree(ov_trimesh *mesh) {
    const ov_allocator *memory = &mesh->allocator;
    size_t count = mesh->triangle_count, most = 2 * count - 1;
    ov_aabb *boxes = ovi_resize(memory, NULL, 0, count, sizeof *boxes);
    mesh->order = ovi_resize(memory, NULL, 0, count, sizeof *mesh->order);
    mesh->nodes = ovi_resize(memory, NULL, 0, most, sizeof *mesh->nodes);
    bool good = boxes != NULL && mesh->order != NULL && mesh->nodes != NULL;
    mesh->node_count = 0;
    if (good) {
        for (size_t i = 0; i < count; i++) {
            ov_vec3 corners[3];
            ovi_trimesh_corners(mesh, i, corners);
            boxes[i] = ovi_corners_box(corners);
        }
        ovi_bvh_build(boxes, (uint32_t)count, OVI_TRIMESH_LEAF, mesh->order, take_node, mesh);
    }
    ovi_release(memory, boxes, count, sizeof *boxes);
    // what is too much goes back; it is the allocator's own affair whether it can
    ovi_trimesh_node *fit =
        good ? ovi_resize(memory, mesh->nodes, most, mesh->node_count, sizeof *fit) : NULL;
    if (fit == NULL) {
        ovi_release(memory, mesh->nodes, most, sizeof *mesh->nodes);
        mesh->nodes = NULL;
        return false;
    }
    mesh->nodes = fit;
    return true;
}

/* ---- closed shells
 *
 * 1. Vertices with equal coordinates are one, so that files without shared vertices do as well.
 * 2. Triangles that share an edge are connected; a connected component is a piece of the mesh.
 * 3. A piece is a closed shell where each of its edges is run through as often one way as the
 * other. Its triangles, as a sum with orientation, have then no border, and how often they wind
 * round a point is a whole number that changes at the shell only. This takes in the usual edge of
 * two triangles, and edges and corners at which shells touch.
 * 4. The solid are all points with a winding number other than zero, and the surface itself. So a
 *    shell that is turned inside out is as solid as any, one within another is a cavity where it is
 *    turned the other way round, and what two shells both hold is solid.
 * 5. A piece whose triangles all come in pairs back to back, as a sheet with two sides does, winds
 *    round nothing: it is a surface.
 *
 * Triangles with two equal corners have no border of their own and enclose nothing: they neither
 * open nor close a piece.
 *
 * Each piece is connected, so where it does not touch a solid, one of its vertices tells whether
 * it is inside; these are the anchors. */

#define NO_VERTEX UINT32_MAX

/** A side of a triangle at the lesser of its ends. */
typedef struct side {
    uint32_t to;  // the other end
    uint32_t way; // twice the triangle, and one more where it runs from the other end
} side;

typedef struct shell_finder {
    ov_trimesh *mesh;
    size_t table_size; // a power of two
    uint32_t *table,
        *welded;     // places of vertices by their hash; of each, the first one equal to it
    uint32_t *first; // where the sides at a vertex begin
    side *sides;
    uint32_t *roots;    // of each triangle: itself, or one before it of the same piece
    uint8_t *open;      // of a piece, at its root
    uint64_t (*sum)[2]; // of a piece, at its root: zero where all triangles lie back to back
} shell_finder;

/* ---- equal vertices */

static uint64_t bits_of(double x) {
    uint64_t bits;
    x += 0.0; // there are two zeros
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint64_t mix(uint64_t h) {
    h = (h ^ (h >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ (h >> 27)) * UINT64_C(0x94d049bb133111eb);
    return h ^ (h >> 31);
}

static void weld(shell_finder *w) {
    const ov_trimesh *mesh = w->mesh;
    for (size_t i = 0; i < w->table_size; i++) {
        w->table[i] = NO_VERTEX;
    }
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        ov_vec3 v = mesh->vertices[i];
        size_t at = (size_t)mix(bits_of(v.x) + mix(bits_of(v.y) + mix(bits_of(v.z))));
        for (at &= w->table_size - 1; w->table[at] != NO_VERTEX;
             at = (at + 1) & (w->table_size - 1)) {
            if (ovi_same_point(mesh->vertices[w->table[at]], v)) {
                break;
            }
        }
        w->table[at] = w->table[at] == NO_VERTEX ? (uint32_t)i : w->table[at];
        w->welded[i] = w->table[at];
    }
}

/** The corners of a triangle, equal ones by one name; false where two are equal. */
static bool corners_of(const shell_finder *w, size_t triangle, uint32_t c[3]) {
    for (int i = 0; i < 3; i++) {
        c[i] = w->welded[w->mesh->triangles[triangle][i]];
    }
    return c[0] != c[1] && c[1] != c[2] && c[2] != c[0];
}

/* ---- pieces */

static uint32_t root_of(uint32_t *roots, uint32_t i) {
    while (roots[i] != i) {
        i = roots[i] = roots[roots[i]];
    }
    return i;
}

static void join(uint32_t *roots, uint32_t a, uint32_t b) {
    a = root_of(roots, a);
    b = root_of(roots, b);
    roots[a < b ? b : a] = a < b ? a : b;
}

/** All sides, by the lesser of their ends: counted, then put in their places. */
static void list_sides(shell_finder *w) {
    const ov_trimesh *mesh = w->mesh;
    uint32_t c[3];
    memset(w->first, 0, (mesh->vertex_count + 1) * sizeof *w->first);
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        for (int k = 0; corners_of(w, i, c) && k < 3; k++) {
            uint32_t a = c[k], b = c[(k + 1) % 3];
            w->first[a < b ? a : b]++;
        }
    }
    uint32_t sum = 0;
    for (size_t i = 0; i <= mesh->vertex_count; i++) {
        sum += w->first[i];
        w->first[i] = sum; // the end: it becomes the beginning as the places are taken
    }
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        for (uint32_t k = 0; corners_of(w, i, c) && k < 3; k++) {
            uint32_t a = c[k], b = c[(k + 1) % 3];
            w->sides[--w->first[a < b ? a : b]] =
                (side){a < b ? b : a, 2 * (uint32_t)i + (a < b ? 0 : 1)};
        }
    }
}

static void sift(side *s, size_t at, size_t count) {
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && s[child].to < s[child + 1].to;
        if (s[at].to >= s[child].to) {
            return;
        }
        side swap = s[at];
        s[at] = s[child];
        s[child] = swap;
        at = child;
    }
}

/** By the other end; a heap sort, since a vertex may have any number of sides. */
static void sort_sides(side *s, size_t count) {
    for (size_t i = count / 2; i-- > 0;) {
        sift(s, i, count);
    }
    for (size_t i = count; i-- > 1;) {
        side swap = s[0];
        s[0] = s[i];
        s[i] = swap;
        sift(s, 0, i);
    }
}

/** Joins triangles with a common edge; a piece with an edge that does not add up to zero is open.
 */
static void join_edges(shell_finder *w) {
    for (size_t v = 0; v < w->mesh->vertex_count; v++) {
        side *s = w->sides + w->first[v];
        size_t count = w->first[v + 1] - w->first[v];
        sort_sides(s, count);
        for (size_t i = 0, end; i < count; i = end) {
            int64_t sum = 0;
            for (end = i; end < count && s[end].to == s[i].to; end++) {
                sum += s[end].way % 2 == 0 ? 1 : -1;
                join(w->roots, s[i].way / 2, s[end].way / 2);
            }
            if (sum != 0) {
                w->open[s[i].way / 2] = 1;
            }
        }
    }
}

/**
 * Two numbers of a triangle that are the negative of those of the same one seen from behind, and
 * otherwise as good as random: what adds up to zero, in 128 bits, cancels triangle by triangle.
 */
static void marks_of(const uint32_t corners[3], uint64_t mark[2]) {
    uint64_t a = corners[0], b = corners[1], c = corners[2];
    while (b < a || c < a) { // turned until the least comes first; the rest tells the side
        uint64_t first = a;
        a = b;
        b = c;
        c = first;
    }
    bool front = b < c;
    uint64_t low = front ? b : c, high = front ? c : b;
    for (uint64_t k = 0; k < 2; k++) {
        uint64_t m = mix(a + mix(low + mix(high + mix(k + 1))));
        mark[k] = front ? m : 0 - m;
    }
}

/** Brings what is known of single triangles to the roots. */
static void gather(shell_finder *w) {
    for (uint32_t i = 0; i < w->mesh->triangle_count; i++) {
        uint32_t root = root_of(w->roots, i), c[3];
        uint64_t mark[2];
        w->open[root] = w->open[root] || w->open[i];
        if (corners_of(w, i, c)) {
            marks_of(c, mark);
            w->sum[root][0] += mark[0];
            w->sum[root][1] += mark[1];
        }
    }
}

/* ---- the mesh */

static bool is_wall(const shell_finder *w, uint32_t triangle) {
    uint32_t root = root_of(w->roots, triangle), c[3];
    bool sheet = (w->sum[root][0] | w->sum[root][1]) == 0;
    return !w->open[root] && !sheet && corners_of(w, triangle, c);
}

/** The anchors, and the walls where they are wanted. */
static bool put_into_mesh(shell_finder *w) {
    ov_trimesh *mesh = w->mesh;
    const ov_allocator *memory = &mesh->allocator;
    size_t walls = 0, pieces = 0;
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        uint32_t c[3];
        bool wall = !mesh->surface && is_wall(w, i);
        pieces += root_of(w->roots, i) == i;
        walls += wall;
        mesh->open_count += mesh->surface || (!wall && corners_of(w, i, c));
    }
    mesh->anchor_count = pieces;
    mesh->anchors = ovi_resize(memory, NULL, 0, pieces, sizeof *mesh->anchors);
    mesh->walls = walls > 0 ? ovi_resize(memory, NULL, 0, mesh->triangle_count, 1) : NULL;
    if (mesh->anchors == NULL || (walls > 0 && mesh->walls == NULL)) {
        return false;
    }
    pieces = 0;
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        if (w->roots[i] == i) {
            mesh->anchors[pieces++] = mesh->triangles[i][0];
        }
        if (walls > 0) {
            mesh->walls[i] = is_wall(w, i);
        }
    }
    return true;
}

/** Sets walls, anchors and open_count of a mesh with its tree; of a surface there are no walls.
 *  False for want of memory. */
static bool find_shells(ov_trimesh *mesh) {
    const ov_allocator *memory = &mesh->allocator;
    size_t vertices = mesh->vertex_count, triangles = mesh->triangle_count;
    shell_finder w = {.mesh = mesh, .table_size = 4};
    while (w.table_size < 2 * vertices) {
        w.table_size *= 2;
    }
    w.table = ovi_resize(memory, NULL, 0, w.table_size, sizeof *w.table);
    w.welded = ovi_resize(memory, NULL, 0, vertices, sizeof *w.welded);
    w.first = ovi_resize(memory, NULL, 0, vertices + 1, sizeof *w.first);
    w.sides = ovi_resize(memory, NULL, 0, 3 * triangles, sizeof *w.sides);
    w.roots = ovi_resize(memory, NULL, 0, triangles, sizeof *w.roots);
    w.open = ovi_resize(memory, NULL, 0, triangles, 1);
    w.sum = ovi_resize(memory, NULL, 0, triangles, sizeof *w.sum);
    bool good = w.table != NULL && w.welded != NULL && w.first != NULL && w.sides != NULL &&
                w.roots != NULL && w.open != NULL && w.sum != NULL;
    if (good) {
        memset(w.open, 0, triangles);
        for (size_t i = 0; i < triangles; i++) {
            w.roots[i] = (uint32_t)i;
            w.sum[i][0] = w.sum[i][1] = 0;
        }
        weld(&w);
        list_sides(&w);
        join_edges(&w);
        gather(&w);
        good = put_into_mesh(&w);
    }
    ovi_release(memory, w.table, w.table_size, sizeof *w.table);
    ovi_release(memory, w.welded, vertices, sizeof *w.welded);
    ovi_release(memory, w.first, vertices + 1, sizeof *w.first);
    ovi_release(memory, w.sides, 3 * triangles, sizeof *w.sides);
    ovi_release(memory, w.roots, triangles, sizeof *w.roots);
    ovi_release(memory, w.open, triangles, 1);
    ovi_release(memory, w.sum, triangles, sizeof *w.sum);
    return good;
}

bool ov_trimesh_is_solid(const ov_trimesh *mesh) { return mesh != NULL && mesh->walls != NULL; }

bool ov_trimesh_is_surface(const ov_trimesh *mesh) { return mesh != NULL && mesh->surface; }

size_t ov_trimesh_open_count(const ov_trimesh *mesh) { return mesh != NULL ? mesh->open_count : 0; }

/* ---- making a mesh */

static ov_status check_input(const ov_vec3 *vertices, size_t vertex_count,
                             const uint32_t (*triangles)[3], size_t triangle_count) {
    ov_status status = OV_OK;
    for (size_t i = 0; i < vertex_count; i++) {
        ov_status at = ovi_check_position(vertices[i]);
        if (at == OV_ERROR_NOT_FINITE) {
            return at; // said first, whichever vertex it is
        }
        status = at != OV_OK ? at : status;
    }
    for (size_t i = 0; i < triangle_count && status == OV_OK; i++) {
        for (int k = 0; k < 3; k++) {
            status = triangles[i][k] < vertex_count ? status : OV_ERROR_INDEX;
        }
    }
    return status;
}

/** About the middle of the box; the vertices that no triangle has do not count. */
static ov_ball ball_of(const ov_trimesh *mesh) {
    ov_ball ball = {ovi_box_centre(&mesh->nodes[0].box), 0.0};
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        ov_vec3 c[3];
        ovi_trimesh_corners(mesh, i, c);
        ball.radius = fmax(ball.radius, farthest(c, ball.centre));
    }
    ball.radius *= 1.0 + OVI_BOUND_MARGIN;
    return ball;
}

/** Copies the input and derives the rest; false for want of memory. */
static bool fill(ov_trimesh *mesh, const ov_vec3 *vertices, const uint32_t (*triangles)[3]) {
    const ov_allocator *memory = &mesh->allocator;
    mesh->vertices = ovi_resize(memory, NULL, 0, mesh->vertex_count, sizeof *mesh->vertices);
    mesh->triangles = ovi_resize(memory, NULL, 0, mesh->triangle_count, sizeof *mesh->triangles);
    mesh->kinds = ovi_resize(memory, NULL, 0, mesh->triangle_count, sizeof *mesh->kinds);
    if (mesh->vertices == NULL || mesh->triangles == NULL || mesh->kinds == NULL) {
        return false;
    }
    memcpy(mesh->vertices, vertices, mesh->vertex_count * sizeof *vertices);
    memcpy(mesh->triangles, triangles, mesh->triangle_count * sizeof *triangles);
    for (size_t i = 0; i < mesh->triangle_count; i++) {
        ov_vec3 c[3];
        ovi_trimesh_corners(mesh, i, c);
        mesh->kinds[i] = (uint8_t)kind_of(c);
    }
    if (!build_tree(mesh)) {
        return false;
    }
    mesh->ball = ball_of(mesh);
    return find_shells(mesh);
}

static ov_status create(const ov_vec3 *vertices, size_t vertex_count,
                        const uint32_t (*triangles)[3], size_t triangle_count, bool surface,
                        const ov_allocator *allocator, ov_trimesh **mesh) {
    if (mesh == NULL) {
        return OV_ERROR_NULL;
    }
    *mesh = NULL;
    if (vertices == NULL || triangles == NULL) {
        return OV_ERROR_NULL;
    }
    if (vertex_count == 0 || triangle_count == 0 || vertex_count > OV_TRIMESH_MAX ||
        triangle_count > OV_TRIMESH_MAX) {
        return OV_ERROR_COUNT;
    }
    ov_status status = check_input(vertices, vertex_count, triangles, triangle_count);
    if (status != OV_OK) {
        return status;
    }
    ov_allocator memory = ovi_allocator_of(allocator);
    ov_trimesh *made = ovi_resize(&memory, NULL, 0, 1, sizeof *made);
    if (made == NULL) {
        return OV_ERROR_MEMORY;
    }
    *made = (ov_trimesh){.allocator = memory,
                         .vertex_count = vertex_count,
                         .triangle_count = triangle_count,
                         .surface = surface};
    if (!fill(made, vertices, triangles)) {
        ov_trimesh_destroy(made);
        return OV_ERROR_MEMORY;
    }
    *mesh = made;
    return OV_OK;
}

ov_status ov_trimesh_create(const ov_vec3 *vertices, size_t vertex_count,
                            const uint32_t (*triangles)[3], size_t triangle_count,
                            const ov_allocator *allocator, ov_trimesh **mesh) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_trimesh_create(vertices, vertex_count, triangles,
                                                      triangle_count, allocator, mesh));
    return create(vertices, vertex_count, triangles, triangle_count, false, allocator, mesh);
}

ov_status ov_trimesh_create_surface(const ov_vec3 *vertices, size_t vertex_count,
                                    const uint32_t (*triangles)[3], size_t triangle_count,
                                    const ov_allocator *allocator, ov_trimesh **mesh) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_trimesh_create_surface(vertices, vertex_count, triangles,
                                                              triangle_count, allocator, mesh));
    return create(vertices, vertex_count, triangles, triangle_count, true, allocator, mesh);
}

void ov_trimesh_destroy(ov_trimesh *mesh) {
    if (mesh == NULL) {
        return;
    }
    ov_allocator memory = mesh->allocator;
    ovi_release(&memory, mesh->vertices, mesh->vertex_count, sizeof *mesh->vertices);
    ovi_release(&memory, mesh->triangles, mesh->triangle_count, sizeof *mesh->triangles);
    ovi_release(&memory, mesh->kinds, mesh->triangle_count, sizeof *mesh->kinds);
    ovi_release(&memory, mesh->order, mesh->triangle_count, sizeof *mesh->order);
    ovi_release(&memory, mesh->nodes, mesh->node_count, sizeof *mesh->nodes);
    ovi_release(&memory, mesh->walls, mesh->triangle_count, sizeof *mesh->walls);
    ovi_release(&memory, mesh->anchors, mesh->anchor_count, sizeof *mesh->anchors);
    ovi_release(&memory, mesh, 1, sizeof *mesh);
}

/* ---- what is in it */

size_t ov_trimesh_vertex_count(const ov_trimesh *mesh) {
    return mesh != NULL ? mesh->vertex_count : 0;
}

size_t ov_trimesh_triangle_count(const ov_trimesh *mesh) {
    return mesh != NULL ? mesh->triangle_count : 0;
}

const ov_vec3 *ov_trimesh_vertices(const ov_trimesh *mesh) {
    return mesh != NULL ? mesh->vertices : NULL;
}

const uint32_t (*ov_trimesh_triangles(const ov_trimesh *mesh))[3] {
    // C17 adds no const to the elements of an array by itself
    return mesh != NULL ? (const uint32_t(*)[3])mesh->triangles : NULL;
}

ov_aabb ov_trimesh_box(const ov_trimesh *mesh) {
    const ov_vec3 none = {NAN, NAN, NAN};
    return mesh != NULL ? mesh->nodes[0].box : (ov_aabb){none, none};
}

ov_ball ov_trimesh_ball(const ov_trimesh *mesh) {
    return mesh != NULL ? mesh->ball : (ov_ball){{NAN, NAN, NAN}, NAN};
}
