/**
 * @file trimesh_shells.c
 * @brief Which triangles of a mesh enclose something: its closed shells, found once when the mesh
 * is made.
 *
 * 1. Vertices with equal coordinates are one, so that files without shared vertices do as well.
 * 2. Triangles that share an edge hang together; what hangs together is a piece of the mesh.
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
 * it is inside; these are the anchors.
 */
#include <string.h>

#include "trimesh_internal.h"

#define NO_VERTEX UINT32_MAX

/** A side of a triangle at the lesser of its ends. */
typedef struct side {
    uint32_t to;  // the other end
    uint32_t way; // twice the triangle, and one more where it runs from the other end
} side;

typedef struct builder {
    ov_trimesh *mesh;
    size_t table_size; // a power of two
    uint32_t *table,
        *welded;     // places of vertices by their hash; of each, the first one equal to it
    uint32_t *first; // where the sides at a vertex begin
    side *sides;
    uint32_t *roots;    // of each triangle: itself, or one before it of the same piece
    uint8_t *open;      // of a piece, at its root
    uint64_t (*sum)[2]; // of a piece, at its root: zero where all triangles lie back to back
} builder;

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

static void weld(builder *w) {
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
static bool corners_of(const builder *w, size_t triangle, uint32_t c[3]) {
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
static void list_sides(builder *w) {
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
static void join_edges(builder *w) {
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
static void gather(builder *w) {
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

static bool is_wall(const builder *w, uint32_t triangle) {
    uint32_t root = root_of(w->roots, triangle), c[3];
    bool sheet = (w->sum[root][0] | w->sum[root][1]) == 0;
    return !w->open[root] && !sheet && corners_of(w, triangle, c);
}

/** The anchors, and the walls where they are wanted. */
static bool put_into_mesh(builder *w) {
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

bool ovi_trimesh_find_shells(ov_trimesh *mesh) {
    const ov_allocator *memory = &mesh->allocator;
    size_t vertices = mesh->vertex_count, triangles = mesh->triangle_count;
    builder w = {.mesh = mesh, .table_size = 4};
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
