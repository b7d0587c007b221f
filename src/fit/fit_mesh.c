/**
 * @file fit_mesh.c
 * @brief Meshes as they come, made ready for a fit.
 *
 * Joining vertices moves the corners of a triangle, and a point of it, which is a mean of the
 * corners, by no more than the corner that moves furthest. So the largest move of a vertex bounds
 * the Hausdorff distance between the triangles before and after, if nothing is dropped but what
 * others cover: a triangle that shrank to a segment is dropped only where some triangle has that
 * edge, and one that shrank to a point only where some triangle has that corner. Thinning joins the
 * vertices of a cell of a grid, as [Rossignac, Borrel: Multi-resolution 3D approximations, 1993]
 * do, and is treated in the same way.
 *
 * Numbers of vertices and triangles are up to 2^27, so that everything here takes time and memory
 * in proportion to them; lists are sorted by the counts of their lowest vertex.
 */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/fit_mesh.h>

#include "math/fault.h"
#include "math/rounding_mode.h"
#include "segments_internal.h"

#define NONE UINT32_MAX

enum { LINE_MAX = 200, LINES_MAX = OV_FIT_DEFECT_COUNT + 1 };

struct ov_fit_mesh {
    ov_vec3 *vertices;
    uint32_t (*triangles)[3];
    size_t vertex_count, triangle_count;
    uint32_t *sources, *targets, *vertex_targets;
    size_t input_vertices, input_triangles;
    uint32_t (*neighbours)[3];
    double added, diagonal;
    size_t shells, closed;
    size_t defects[OV_FIT_DEFECT_COUNT];
    // for the report alone
    size_t dropped, back_to_back, holes, turned, unthinned;
    bool all_pairs, all_nested;
    size_t line_count;
    char lines[LINES_MAX][LINE_MAX];
};

/* ---- vertices that become one ---------------------------------------------------------------- */

/** Cells of a grid with vertices in them: a hash table of the first vertex of each cell. */
typedef struct cell_table {
    const ov_vec3 *points;
    ov_vec3 origin;
    double scale;    /**< cells per length; 0: a cell is a point, by the bits of its coordinates */
    uint32_t *slots; /**< NONE: free */
    size_t mask;
} cell_table;

typedef struct cell {
    int64_t x, y, z;
} cell;

static int64_t bits_of(double x) {
    double y = x + 0.0; // -0 is 0
    int64_t bits;
    memcpy(&bits, &y, sizeof bits);
    return bits;
}

static int64_t step_of(const cell_table *t, double x, double origin) {
    return (int64_t)floor((x - origin) * t->scale);
}

static cell cell_of(const cell_table *t, ov_vec3 p) {
    if (t->scale == 0.0) {
        return (cell){bits_of(p.x), bits_of(p.y), bits_of(p.z)};
    }
    return (cell){step_of(t, p.x, t->origin.x), step_of(t, p.y, t->origin.y),
                  step_of(t, p.z, t->origin.z)};
}

static size_t hash_of(cell c) {
    uint64_t h = (uint64_t)c.x * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 29) ^ (uint64_t)c.y) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 32) ^ (uint64_t)c.z) * 0x94d049bb133111ebu;
    return (size_t)(h ^ (h >> 31));
}

/** The slot of a cell: that of its first vertex, or a free one. */
static uint32_t *find_slot(const cell_table *t, cell c) {
    size_t at = hash_of(c) & t->mask;
    while (t->slots[at] != NONE) {
        cell other = cell_of(t, t->points[t->slots[at]]);
        if (other.x == c.x && other.y == c.y && other.z == c.z) {
            break;
        }
        at = (at + 1) & t->mask;
    }
    return &t->slots[at];
}

static bool make_table(cell_table *t, const ov_vec3 *points, size_t count, ov_vec3 origin,
                       double scale) {
    size_t room = 16;
    while (room < 2 * count) {
        room *= 2;
    }
    *t = (cell_table){points, origin, scale, ovi_allocate(room, sizeof *t->slots), room - 1};
    if (t->slots != NULL) {
        memset(t->slots, 0xff, room * sizeof *t->slots);
    }
    return t->slots != NULL;
}

static double distance(ov_vec3 a, ov_vec3 b) { return ov_vec3_length(ov_vec3_sub(a, b)); }

/** Cells are as wide as so many times the distance at which vertices are joined: wide enough that
 *  few vertices have neighbours in other cells, narrow enough that few have any in their own. */
#define WELD_CELL 64.0

/** The nearest of the vertices that stay, within `reach`, or NONE. */
static uint32_t nearest_kept(const cell_table *t, const uint32_t *next, ov_vec3 p, double reach) {
    cell lo = cell_of(t, p), hi = lo;
    if (t->scale != 0.0) {
        ov_vec3 r = ov_vec3_make(reach, reach, reach);
        lo = cell_of(t, ov_vec3_sub(p, r));
        hi = cell_of(t, ov_vec3_add(p, r));
    }
    uint32_t best = NONE;
    double least = reach;
    for (int64_t x = lo.x; x <= hi.x; x++) {
        for (int64_t y = lo.y; y <= hi.y; y++) {
            for (int64_t z = lo.z; z <= hi.z; z++) {
                uint32_t i = *find_slot(t, (cell){x, y, z});
                for (; i != NONE; i = next[i]) {
                    double d = distance(p, t->points[i]);
                    if (d < least || (d == least && i < best)) {
                        best = i;
                        least = d;
                    }
                }
            }
        }
    }
    return best;
}

/**
 * target[i]: NONE for an unused vertex, else the earlier one that stands for it, or itself. A
 * vertex is joined with one that stays, so that none moves further than `reach`.
 */
static bool weld(ov_fit_mesh *m, const ov_fit_input *in, ov_vec3 origin, double reach,
                 uint32_t *target) {
    cell_table t;
    double scale = reach > 0.0 ? 1.0 / (WELD_CELL * reach) : 0.0;
    uint32_t *next = ovi_allocate(in->point_count, sizeof *next);
    if (next == NULL || !make_table(&t, in->points, in->point_count, origin, scale)) {
        free(next);
        return false;
    }
    for (size_t i = 0; i < in->point_count; i++) {
        if (target[i] == NONE) {
            m->defects[OV_FIT_DEFECT_UNUSED]++;
            continue;
        }
        uint32_t near = nearest_kept(&t, next, in->points[i], reach);
        if (near != NONE) {
            bool equal = distance(in->points[i], in->points[near]) == 0.0;
            m->defects[equal ? OV_FIT_DEFECT_EQUAL : OV_FIT_DEFECT_NEAR]++;
            target[i] = near;
            continue;
        }
        target[i] = (uint32_t)i;
        uint32_t *slot = find_slot(&t, cell_of(&t, in->points[i]));
        next[i] = *slot;
        *slot = (uint32_t)i;
    }
    free(next);
    free(t.slots);
    return true;
}

/* ---- edges ----------------------------------------------------------------------------------- */

/** Triangles with three different corners, at the moment, as half-edges by their lower vertex:
 *  those of vertex v are from first[v] to first[v + 1] - 1, sorted by their upper vertex. */
typedef struct half_edge {
    uint32_t upper;
    uint32_t side; /**< 3 triangle + corner that it begins with */
} half_edge;

typedef struct edge_list {
    uint32_t *first;
    half_edge *uses;
    size_t vertex_count;
} edge_list;

static uint32_t begin_of(const uint32_t (*triangles)[3], uint32_t side) {
    return triangles[side / 3][side % 3];
}

static uint32_t end_of(const uint32_t (*triangles)[3], uint32_t side) {
    return triangles[side / 3][(side % 3 + 1) % 3];
}

static int by_upper(const void *a, const void *b) {
    const half_edge *x = a, *y = b;
    if (x->upper != y->upper) {
        return x->upper < y->upper ? -1 : 1;
    }
    return (x->side > y->side) - (x->side < y->side);
}

static void free_edges(edge_list *e) {
    free(e->first);
    free(e->uses);
    *e = (edge_list){0};
}

static bool make_edges(edge_list *e, const uint32_t (*triangles)[3], size_t count,
                       size_t vertex_count) {
    *e = (edge_list){calloc(vertex_count + 1, sizeof *e->first),
                     ovi_allocate(3 * count, sizeof *e->uses), vertex_count};
    uint32_t *fill = ovi_allocate(vertex_count, sizeof *fill);
    if (e->first == NULL || e->uses == NULL || fill == NULL) {
        free(fill);
        free_edges(e);
        return false;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (size_t s = 0; s < 3 * count; s++) {
            if (!ovi_is_whole(triangles[s / 3])) {
                continue;
            }
            uint32_t a = begin_of(triangles, (uint32_t)s), b = end_of(triangles, (uint32_t)s);
            uint32_t lower = a < b ? a : b, upper = a < b ? b : a;
            if (pass == 0) {
                e->first[lower + 1]++;
            } else {
                e->uses[fill[lower]++] = (half_edge){upper, (uint32_t)s};
            }
        }
        if (pass == 0) {
            ovi_add_up(e->first, vertex_count);
            memcpy(fill, e->first, vertex_count * sizeof *fill);
        }
    }
    free(fill);
    for (size_t v = 0; v < vertex_count; v++) {
        qsort(e->uses + e->first[v], e->first[v + 1] - e->first[v], sizeof *e->uses, by_upper);
    }
    return true;
}

/** The half-edges of the edge that begins at use `at` of vertex v end before this one. */
static size_t edge_end(const edge_list *e, size_t v, size_t at) {
    size_t end = at + 1;
    while (end < e->first[v + 1] && e->uses[end].upper == e->uses[at].upper) {
        end++;
    }
    return end;
}

/** A half-edge between two vertices, or NONE. */
static uint32_t find_edge(const edge_list *e, uint32_t a, uint32_t b) {
    uint32_t lower = a < b ? a : b, upper = a < b ? b : a;
    size_t lo = e->first[lower], hi = e->first[lower + 1];
    while (lo < hi) {
        size_t middle = (lo + hi) / 2;
        if (e->uses[middle].upper < upper) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo < e->first[lower + 1] && e->uses[lo].upper == upper ? e->uses[lo].side : NONE;
}

/* ---- triangles that are there twice, or have shrunk ------------------------------------------ */

/** A triangle by its corners, ascending; the lowest one is that of the list. */
typedef struct sorted_triangle {
    uint32_t middle, upper, index;
    bool odd; /**< the other orientation */
} sorted_triangle;

static uint32_t sort_corners(const uint32_t t[3], sorted_triangle *s) {
    int low = t[0] < t[1] ? (t[0] < t[2] ? 0 : 2) : (t[1] < t[2] ? 1 : 2);
    uint32_t next = t[(low + 1) % 3], last = t[(low + 2) % 3];
    s->odd = next > last;
    s->middle = s->odd ? last : next;
    s->upper = s->odd ? next : last;
    return t[low];
}

static int by_corners(const void *a, const void *b) {
    const sorted_triangle *x = a, *y = b;
    if (x->middle != y->middle) {
        return x->middle < y->middle ? -1 : 1;
    }
    if (x->upper != y->upper) {
        return x->upper < y->upper ? -1 : 1;
    }
    return (x->index > y->index) - (x->index < y->index);
}

/** Of triangles with the same corners the first of each orientation stands for all. */
static void drop_copies(ov_fit_mesh *m, const sorted_triangle *s, size_t count, uint32_t *stands) {
    for (size_t i = 0; i < count;) {
        uint32_t kept[2] = {NONE, NONE};
        size_t k = i;
        for (; k < count && s[k].middle == s[i].middle && s[k].upper == s[i].upper; k++) {
            uint32_t *keeper = &kept[s[k].odd];
            m->defects[OV_FIT_DEFECT_DUPLICATE] += k > i;
            m->back_to_back += k > i && *keeper == NONE;
            *keeper = *keeper == NONE ? s[k].index : *keeper;
            stands[s[k].index] = *keeper;
        }
        i = k;
    }
}

/** stands[i]: the first triangle with the same corners and orientation. */
static bool find_copies(ov_fit_mesh *m, const uint32_t (*t)[3], size_t count, size_t vertex_count,
                        uint32_t *stands) {
    uint32_t *first = calloc(vertex_count + 1, sizeof *first);
    uint32_t *fill = ovi_allocate(vertex_count, sizeof *fill);
    sorted_triangle *sorted = ovi_allocate(count, sizeof *sorted), key;
    bool good = first != NULL && fill != NULL && sorted != NULL;
    for (int pass = 0; pass < 2 && good; pass++) {
        for (size_t i = 0; i < count; i++) {
            stands[i] = (uint32_t)i;
            if (!ovi_is_whole(t[i])) {
                continue;
            }
            uint32_t lowest = sort_corners(t[i], &key);
            key.index = (uint32_t)i;
            if (pass == 0) {
                first[lowest + 1]++;
            } else {
                sorted[fill[lowest]++] = key;
            }
        }
        if (pass == 0) {
            ovi_add_up(first, vertex_count);
            memcpy(fill, first, vertex_count * sizeof *fill);
        }
    }
    for (size_t v = 0; v < vertex_count && good; v++) {
        size_t in_list = first[v + 1] - first[v];
        qsort(sorted + first[v], in_list, sizeof *sorted, by_corners);
        drop_copies(m, sorted + first[v], in_list, stands);
    }
    free(first);
    free(fill);
    free(sorted);
    return good;
}

/** A triangle that shrank to a segment, or to a point where both ends are the same. */
typedef struct shrunk {
    uint32_t lower, upper, index;
} shrunk;

static shrunk shrunk_of(const uint32_t t[3], uint32_t index) {
    uint32_t a = t[0], b = t[1] != t[0] ? t[1] : t[2];
    return (shrunk){a < b ? a : b, a < b ? b : a, index};
}

static int by_ends(const void *a, const void *b) {
    const shrunk *x = a, *y = b;
    if (x->lower != y->lower) {
        return x->lower < y->lower ? -1 : 1;
    }
    if (x->upper != y->upper) {
        return x->upper < y->upper ? -1 : 1;
    }
    return (x->index > y->index) - (x->index < y->index);
}

/**
 * Finds what stands for triangles that shrank: one with that edge or corner, else the first of
 * those that shrank to the same segment, which stays. `corner` has a triangle at each vertex that
 * has one. Segments come before points that could be their ends.
 */
static void settle_shrunk(const uint32_t (*t)[3], const edge_list *e, shrunk *list, size_t count,
                          uint32_t *corner, uint32_t *stands) {
    qsort(list, count, sizeof *list, by_ends);
    for (int points = 0; points < 2; points++) {
        for (size_t i = 0; i < count; i++) {
            shrunk s = list[i];
            if ((s.lower == s.upper) != (points == 1)) {
                continue;
            }
            uint32_t cover = corner[s.lower];
            if (points == 0) {
                uint32_t side = find_edge(e, s.lower, s.upper);
                bool again = i > 0 && list[i - 1].lower == s.lower && list[i - 1].upper == s.upper;
                cover = side != NONE ? side / 3 : again ? stands[list[i - 1].index] : NONE;
            }
            stands[s.index] = cover != NONE ? cover : s.index;
            if (cover == NONE) {
                for (int k = 0; k < 3; k++) {
                    corner[t[s.index][k]] = s.index;
                }
            }
        }
    }
}

/** stands[i] for the triangles that shrank, as find_copies for the others. */
static bool find_cover(const uint32_t (*t)[3], size_t count, size_t vertex_count, size_t *shrank,
                       uint32_t *stands) {
    *shrank = 0;
    for (size_t i = 0; i < count; i++) {
        *shrank += !ovi_is_whole(t[i]);
    }
    if (*shrank == 0) {
        return true;
    }
    edge_list e = {0};
    shrunk *list = ovi_allocate(*shrank, sizeof *list);
    uint32_t *corner = ovi_allocate(vertex_count, sizeof *corner);
    bool good = list != NULL && corner != NULL && make_edges(&e, t, count, vertex_count);
    if (good) {
        memset(corner, 0xff, vertex_count * sizeof *corner);
        size_t at = 0;
        for (size_t i = count; i-- > 0;) {
            if (!ovi_is_whole(t[i])) {
                list[at++] = shrunk_of(t[i], (uint32_t)i);
                continue;
            }
            for (int k = 0; k < 3; k++) {
                corner[t[i][k]] = stands[i];
            }
        }
        settle_shrunk(t, &e, list, *shrank, corner, stands);
        // an edge may have been found with a copy
        for (size_t i = 0; i < *shrank; i++) {
            uint32_t *s = &stands[list[i].index];
            *s = stands[*s];
        }
    }
    free_edges(&e);
    free(list);
    free(corner);
    return good;
}

/**
 * Drops the triangles that others stand for, from m's triangles, and the vertices that none uses;
 * sources, targets and vertex targets follow. Sets how many had shrunk.
 */
static bool tidy(ov_fit_mesh *m, size_t *shrank) {
    size_t count = m->triangle_count;
    const uint32_t(*t)[3] = (const uint32_t(*)[3])m->triangles;
    uint32_t *stands = ovi_allocate(count, sizeof *stands),
             *place = ovi_allocate(count, sizeof *place);
    uint32_t *moved = ovi_allocate(m->vertex_count, sizeof *moved);
    bool good = stands != NULL && place != NULL && moved != NULL &&
                find_copies(m, t, count, m->vertex_count, stands) &&
                find_cover(t, count, m->vertex_count, shrank, stands);
    if (good) {
        memset(moved, 0xff, m->vertex_count * sizeof *moved);
        size_t kept = 0;
        for (size_t i = 0; i < count; i++) {
            if (stands[i] == i) {
                place[i] = (uint32_t)kept;
                memmove(m->triangles[kept], m->triangles[i], sizeof m->triangles[i]);
                m->sources[kept++] = m->sources[i];
            }
        }
        for (size_t i = 0; i < m->input_triangles; i++) {
            m->targets[i] = place[stands[m->targets[i]]];
        }
        m->triangle_count = kept;
        for (size_t i = 0; i < 3 * kept; i++) {
            moved[m->triangles[i / 3][i % 3]] = 0;
        }
        size_t used = 0;
        for (size_t v = 0; v < m->vertex_count; v++) {
            if (moved[v] == 0) {
                m->vertices[used] = m->vertices[v];
                moved[v] = (uint32_t)used++;
            }
        }
        for (size_t i = 0; i < 3 * kept; i++) {
            uint32_t *v = &m->triangles[i / 3][i % 3];
            *v = moved[*v];
        }
        for (size_t i = 0; i < m->input_vertices; i++) {
            uint32_t *v = &m->vertex_targets[i];
            *v = *v != NONE ? moved[*v] : NONE;
        }
        m->vertex_count = used;
    }
    free(stands);
    free(place);
    free(moved);
    return good;
}

/* ---- how the triangles hang together --------------------------------------------------------- */

/** The lower number stays the root, so that the result does not depend on the order. */
static void join(uint32_t *parent, uint32_t a, uint32_t b) {
    a = ovi_root_of(parent, a);
    b = ovi_root_of(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

static void join_none(uint32_t *parent, size_t count) {
    for (size_t i = 0; i < count; i++) {
        parent[i] = (uint32_t)i;
    }
}

/** opposite[side]: the next half-edge of the same edge, the last has the first; NONE where it is
 *  the only one, or the triangle shrank. */
static bool find_opposites(const ov_fit_mesh *m, uint32_t *opposite) {
    edge_list e;
    if (!make_edges(&e, (const uint32_t(*)[3])m->triangles, m->triangle_count, m->vertex_count)) {
        return false;
    }
    memset(opposite, 0xff, 3 * m->triangle_count * sizeof *opposite);
    for (size_t v = 0; v < m->vertex_count; v++) {
        for (size_t at = e.first[v], end = at; at < e.first[v + 1]; at = end) {
            end = edge_end(&e, v, at);
            for (size_t i = at; i < end && end > at + 1; i++) {
                opposite[e.uses[i].side] = e.uses[i + 1 < end ? i + 1 : at].side;
            }
        }
    }
    free_edges(&e);
    return true;
}

/** How many triangles an edge has, and how many more run from the lower vertex to the upper than
 *  the other way; only for the lowest of its half-edges, else 0. */
static size_t edge_size(const ov_fit_mesh *m, const uint32_t *opposite, uint32_t side, int *net) {
    const uint32_t(*t)[3] = (const uint32_t(*)[3])m->triangles;
    size_t count = 0;
    *net = 0;
    uint32_t at = side;
    do {
        if (at < side) {
            return 0;
        }
        *net += begin_of(t, at) < end_of(t, at) ? 1 : -1;
        count++;
        at = opposite[at];
    } while (at != NONE && at != side);
    return count;
}

/** Counts the defects of edges and vertices. `parent` has room for 3 numbers per triangle, and for
 *  all vertices. */
static void count_edges(ov_fit_mesh *m, const uint32_t *opposite, uint32_t *parent) {
    const uint32_t(*t)[3] = (const uint32_t(*)[3])m->triangles;
    size_t sides = 3 * m->triangle_count, *d = m->defects;
    // holes: vertices joined by open edges
    join_none(parent, m->vertex_count);
    for (uint32_t s = 0; s < sides; s++) {
        int net;
        size_t size = ovi_is_whole(t[s / 3]) ? edge_size(m, opposite, s, &net) : 0;
        if (size == 1) {
            d[OV_FIT_DEFECT_OPEN_EDGE]++;
            uint32_t a = ovi_root_of(parent, begin_of(t, s)), b = ovi_root_of(parent, end_of(t, s));
            // an edge that joins nothing new closes a loop
            m->holes += a == b;
            join(parent, a, b);
        }
        d[OV_FIT_DEFECT_BRANCHED_EDGE] += size > 2;
        d[OV_FIT_DEFECT_ORIENTATION] += size == 2 && net != 0;
    }
    // corners joined by edges: the triangles about a vertex hang together in so many ways
    join_none(parent, sides);
    for (uint32_t s = 0; s < sides; s++) {
        uint32_t o = opposite[s];
        if (o == NONE) {
            continue;
        }
        uint32_t next = s / 3 * 3 + (s % 3 + 1) % 3, o_next = o / 3 * 3 + (o % 3 + 1) % 3;
        bool same = begin_of(t, s) == begin_of(t, o);
        join(parent, s, same ? o : o_next);
        join(parent, next, same ? o_next : o);
    }
}

/** Vertices with more than one set of joined corners. `seen` has room for all vertices. */
static void count_branched_vertices(ov_fit_mesh *m, uint32_t *parent, uint8_t *seen) {
    memset(seen, 0, m->vertex_count);
    for (uint32_t s = 0; s < 3 * m->triangle_count; s++) {
        uint32_t v = m->triangles[s / 3][s % 3];
        if (ovi_is_whole(m->triangles[s / 3]) && ovi_root_of(parent, s) == s && seen[v] < 2) {
            m->defects[OV_FIT_DEFECT_BRANCHED_VERTEX] += seen[v] == 1;
            seen[v]++;
        }
    }
}

/** Twice the area. */
static ov_vec3 normal_of(const ov_fit_mesh *m, size_t i) {
    const uint32_t *t = m->triangles[i];
    ov_vec3 a = m->vertices[t[0]];
    return ov_vec3_cross(ov_vec3_sub(m->vertices[t[1]], a), ov_vec3_sub(m->vertices[t[2]], a));
}

static void turn_over(ov_fit_mesh *m, size_t triangle) {
    uint32_t *t = m->triangles[triangle], second = t[1];
    t[1] = t[2];
    t[2] = second;
    m->turned++;
}

/** 1: as it is, 2: turned over, for a piece of surface that hangs together by edges of two
 *  triangles, from a triangle on; false where that contradicts itself. `list` gets the triangles.
 */
static bool orient_patch(const ov_fit_mesh *m, const uint32_t *opposite, uint8_t *side_of,
                         uint32_t *list, size_t *count) {
    const uint32_t(*t)[3] = (const uint32_t(*)[3])m->triangles;
    bool good = true;
    for (size_t at = 0; at < *count; at++) {
        for (uint32_t s = 3 * list[at]; s < 3 * list[at] + 3; s++) {
            uint32_t o = opposite[s];
            if (o == NONE || opposite[o] != s) {
                continue;
            }
            bool same = begin_of(t, s) == begin_of(t, o);
            uint8_t want = same ? (uint8_t)(3 - side_of[list[at]]) : side_of[list[at]];
            if (side_of[o / 3] == 0) {
                side_of[o / 3] = want;
                list[(*count)++] = o / 3;
            } else if (side_of[o / 3] != want) {
                good = false;
            }
        }
    }
    return good;
}

/** Turns over the smaller part of each surface whose triangles disagree. */
static void orient(ov_fit_mesh *m, const uint32_t *opposite, uint8_t *side_of, uint32_t *list) {
    memset(side_of, 0, m->triangle_count);
    for (uint32_t i = 0; i < m->triangle_count; i++) {
        if (side_of[i] != 0) {
            continue;
        }
        size_t count = 1;
        list[0] = i;
        side_of[i] = 1;
        if (!orient_patch(m, opposite, side_of, list, &count)) {
            m->defects[OV_FIT_DEFECT_ONE_SIDED]++;
            continue;
        }
        double area[3] = {0.0, 0.0, 0.0};
        for (size_t k = 0; k < count; k++) {
            area[side_of[list[k]]] += ov_vec3_length(normal_of(m, list[k]));
        }
        uint8_t smaller = area[2] > area[1] ? 1 : 2;
        for (size_t k = 0; k < count; k++) {
            if (side_of[list[k]] == smaller) {
                turn_over(m, list[k]);
            }
        }
    }
}

/* ---- shells ---------------------------------------------------------------------------------- */

typedef struct shell {
    uint32_t first, count; /**< of its triangles, in the list by shells */
    ov_vec3 lo, hi;
    double volume, magnitude; /**< six times, and the sum of all terms' sizes */
    uint32_t outer;           /**< the outermost shell that holds it, or itself */
    bool open;
} shell;

typedef struct shell_list {
    shell *shells;
    uint32_t *triangles; /**< by shells */
    size_t count;
} shell_list;

/** Box and volume; the volume is about a vertex, so that it loses few digits far from the origin.
 */
static void measure_shell(const ov_fit_mesh *m, const uint32_t *triangles, shell *s) {
    ov_vec3 origin = m->vertices[m->triangles[triangles[s->first]][0]];
    s->lo = s->hi = origin;
    for (uint32_t i = s->first; i < s->first + s->count; i++) {
        ov_vec3 c[3];
        for (int k = 0; k < 3; k++) {
            ov_vec3 p = m->vertices[m->triangles[triangles[i]][k]];
            s->lo = ovi_lower(s->lo, p);
            s->hi = ovi_upper(s->hi, p);
            c[k] = ov_vec3_sub(p, origin);
        }
        s->volume += ov_vec3_dot(c[0], ov_vec3_cross(c[1], c[2]));
        s->magnitude += ov_vec3_length(c[0]) * ov_vec3_length(c[1]) * ov_vec3_length(c[2]);
    }
}

/** Negative for certain: the terms have errors of a few units in their last places, and so has
 *  their sum for every term. */
static bool is_inverted(const shell *s) {
    return -s->volume > (16.0 + s->count) * DBL_EPSILON * s->magnitude;
}

/** Lists the triangles by shells: those that are connected by any edges. */
static bool find_shells(const ov_fit_mesh *m, const uint32_t *opposite, uint32_t *parent,
                        shell_list *list) {
    size_t count = m->triangle_count;
    join_none(parent, count);
    for (uint32_t s = 0; s < 3 * count; s++) {
        if (opposite[s] != NONE) {
            join(parent, s / 3, opposite[s] / 3);
        }
    }
    list->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        list->count += ovi_root_of(parent, i) == i;
    }
    list->shells = calloc(list->count, sizeof *list->shells);
    list->triangles = ovi_allocate(count, sizeof *list->triangles);
    uint32_t *number = ovi_allocate(count, sizeof *number);
    if (list->shells == NULL || list->triangles == NULL || number == NULL) {
        free(number);
        return false;
    }
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t root = ovi_root_of(parent, i); // not above i
        number[i] = root == i ? next++ : number[root];
        list->shells[number[i]].count++;
    }
    uint32_t first = 0;
    for (size_t k = 0; k < list->count; k++) {
        list->shells[k].outer = (uint32_t)k;
        list->shells[k].first = first;
        first += list->shells[k].count;
        list->shells[k].count = 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        shell *s = &list->shells[number[i]];
        list->triangles[s->first + s->count++] = i;
        for (uint32_t side = 3 * i; side < 3 * i + 3 && !s->open; side++) {
            int net = 1; // a triangle that shrank closes nothing
            size_t size = ovi_is_whole(m->triangles[i]) ? edge_size(m, opposite, side, &net) : 1;
            s->open = size > 0 && net != 0;
        }
    }
    free(number);
    return true;
}

/** Solid angle of a triangle from a point [van Oosterom, Strackee, 1983]. */
static double solid_angle(const ov_fit_mesh *m, uint32_t triangle, ov_vec3 p) {
    ov_vec3 r[3];
    double l[3];
    for (int k = 0; k < 3; k++) {
        r[k] = ov_vec3_sub(m->vertices[m->triangles[triangle][k]], p);
        l[k] = ov_vec3_length(r[k]);
    }
    double top = ov_vec3_dot(r[0], ov_vec3_cross(r[1], r[2]));
    double below = l[0] * l[1] * l[2] + ov_vec3_dot(r[0], r[1]) * l[2] +
                   ov_vec3_dot(r[1], r[2]) * l[0] + ov_vec3_dot(r[2], r[0]) * l[1];
    return 2.0 * atan2(top, below);
}

static bool box_within(const shell *a, const shell *b) {
    return a->lo.x >= b->lo.x && a->lo.y >= b->lo.y && a->lo.z >= b->lo.z && a->hi.x <= b->hi.x &&
           a->hi.y <= b->hi.y && a->hi.z <= b->hi.z;
}

static bool is_within(const ov_fit_mesh *m, const shell_list *list, const shell *a,
                      const shell *b) {
    ov_vec3 p = m->vertices[m->triangles[list->triangles[a->first]][0]];
    double angle = 0.0;
    for (uint32_t i = b->first; i < b->first + b->count; i++) {
        angle += solid_angle(m, list->triangles[i], p);
    }
    return fabs(angle) > 2.0 * M_PI;
}

/** Solid angles that are computed to find out which shell is in which: a few seconds. */
#define NESTING_WORK ((size_t)1 << 27)

/** For a shell that is inside out: which closed shells are inside it, and is it inside one? */
static void find_outer(ov_fit_mesh *m, const shell_list *list, size_t *work) {
    for (size_t i = 0; i < list->count; i++) {
        shell *a = &list->shells[i];
        for (size_t k = 0; k < list->count && !a->open; k++) {
            const shell *b = &list->shells[k];
            if (k == i || b->open || !box_within(a, b) || (box_within(b, a) && k > i)) {
                continue;
            }
            if (*work + b->count > NESTING_WORK) {
                m->all_nested = false;
                return;
            }
            *work += b->count;
            const shell *outer = &list->shells[a->outer];
            bool larger = a->outer == i || box_within(outer, b);
            if (larger && is_within(m, list, a, b)) {
                a->outer = (uint32_t)k;
            }
        }
    }
}

/** Turns over closed shells that are inside out, with the closed shells in them. */
static bool turn_shells(ov_fit_mesh *m, const uint32_t *opposite, uint32_t *parent) {
    shell_list list = {0};
    if (!find_shells(m, opposite, parent, &list)) {
        free(list.shells);
        free(list.triangles);
        return false;
    }
    size_t inverted = 0, work = 0;
    m->shells = list.count;
    for (size_t k = 0; k < list.count; k++) {
        shell *s = &list.shells[k];
        measure_shell(m, list.triangles, s);
        m->closed += !s->open;
        inverted += !s->open && is_inverted(s);
    }
    if (inverted > 0 && list.count > 1) {
        find_outer(m, &list, &work);
    }
    for (size_t k = 0; k < list.count && inverted > 0; k++) {
        const shell *s = &list.shells[k];
        if (!s->open && is_inverted(&list.shells[s->outer])) {
            m->defects[OV_FIT_DEFECT_INVERTED]++;
            for (uint32_t i = s->first; i < s->first + s->count; i++) {
                turn_over(m, list.triangles[i]);
            }
        }
    }
    m->defects[OV_FIT_DEFECT_SHELLS] = m->shells - 1;
    free(list.shells);
    free(list.triangles);
    return true;
}

/** All of the above: what is wrong with edges, vertices, orientations and shells. */
static bool examine(ov_fit_mesh *m) {
    size_t sides = 3 * m->triangle_count;
    size_t room = sides > m->vertex_count ? sides : m->vertex_count;
    uint32_t *opposite = ovi_allocate(sides, sizeof *opposite),
             *parent = ovi_allocate(room, sizeof *parent);
    uint8_t *flags = ovi_allocate(room, 1);
    bool good = opposite != NULL && parent != NULL && flags != NULL && find_opposites(m, opposite);
    if (good) {
        count_edges(m, opposite, parent);
        count_branched_vertices(m, parent, flags);
        if (m->defects[OV_FIT_DEFECT_ORIENTATION] > 0) {
            orient(m, opposite, flags, parent);
            good = find_opposites(m, opposite);
        }
    }
    good = good && turn_shells(m, opposite, parent);
    free(opposite);
    free(parent);
    free(flags);
    return good;
}

/* ---- thinning -------------------------------------------------------------------------------- */

/** Numbers the cells with vertices in them; returns how many triangles have their corners in three
 *  different ones. */
static size_t cluster(const ov_fit_mesh *m, cell_table *t, uint32_t *number, size_t *cells) {
    *cells = 0;
    memset(t->slots, 0xff, (t->mask + 1) * sizeof *t->slots);
    for (size_t i = 0; i < m->vertex_count; i++) {
        uint32_t *slot = find_slot(t, cell_of(t, m->vertices[i]));
        if (*slot == NONE) {
            *slot = (uint32_t)i;
            number[i] = (uint32_t)(*cells)++;
        } else {
            number[i] = number[*slot];
        }
    }
    size_t whole = 0;
    for (size_t i = 0; i < m->triangle_count; i++) {
        const uint32_t *c = m->triangles[i];
        const uint32_t mapped[3] = {number[c[0]], number[c[1]], number[c[2]]};
        whole += ovi_is_whole(mapped);
    }
    return whole;
}

/** Puts the means of the cells in the place of the vertices. */
static bool take_means(ov_fit_mesh *m, const uint32_t *number, size_t cells) {
    ov_vec3 *mean = calloc(cells, sizeof *mean);
    uint32_t *count = calloc(cells, sizeof *count);
    if (mean == NULL || count == NULL) {
        free(mean);
        free(count);
        return false;
    }
    for (size_t i = 0; i < m->vertex_count; i++) {
        mean[number[i]] = ov_vec3_add(mean[number[i]], m->vertices[i]);
        count[number[i]]++;
    }
    for (size_t i = 0; i < cells; i++) {
        m->vertices[i] = ov_vec3_scale(mean[i], 1.0 / count[i]);
    }
    free(mean);
    free(count);
    for (size_t i = 0; i < 3 * m->triangle_count; i++) {
        uint32_t *v = &m->triangles[i / 3][i % 3];
        *v = number[*v];
    }
    for (size_t i = 0; i < m->input_vertices; i++) {
        uint32_t *v = &m->vertex_targets[i];
        *v = *v != NONE ? number[*v] : NONE;
    }
    m->vertex_count = cells;
    return true;
}

/** One round: a grid that is coarse enough for the limit. */
static bool thin_once(ov_fit_mesh *m, ov_vec3 origin, size_t limit, double *width) {
    cell_table t;
    uint32_t *number = ovi_allocate(m->vertex_count, sizeof *number);
    if (number == NULL || !make_table(&t, m->vertices, m->vertex_count, origin, 1.0)) {
        free(number);
        return false;
    }
    size_t cells, whole;
    do {
        t.scale = 1.0 / *width;
        whole = cluster(m, &t, number, &cells);
        // triangles are about as many as the square of what the cells are smaller
        *width *= whole > limit ? 1.02 * sqrt((double)whole / (double)limit) : 1.02;
    } while (whole > limit && *width < 4.0 * m->diagonal);
    free(t.slots);
    bool good = take_means(m, number, cells);
    free(number);
    return good;
}

/** Thins until the limit is kept. Cells grow in every round, at last to one that holds all. */
static bool thin(ov_fit_mesh *m, ov_vec3 origin, size_t limit) {
    double area = 0.0;
    for (size_t i = 0; i < m->triangle_count; i++) {
        area += 0.5 * ov_vec3_length(normal_of(m, i));
    }
    // a surface goes through some 1.5 cells for every square of their width, two triangles each
    double width = sqrt(3.0 * area / (double)limit);
    // unless there are many on top of each other, which may have any area
    width = fmax(1e-9 * m->diagonal, fmin(0.25 * m->diagonal, width));
    size_t unused, copies = m->defects[OV_FIT_DEFECT_DUPLICATE], pairs = m->back_to_back;
    bool good = true;
    while (good && m->triangle_count > limit) {
        good = thin_once(m, origin, limit, &width) && tidy(m, &unused);
    }
    m->defects[OV_FIT_DEFECT_DUPLICATE] = copies;
    m->back_to_back = pairs;
    return good;
}

/* ---- flat meshes ----------------------------------------------------------------------------- */

/** Takes the largest of the vertices, as vectors from the first one without what they have along
 *  some unit axes, as one more axis; false where all of them are zero, to rounding. */
static bool next_axis(const ov_fit_mesh *m, ov_vec3 axes[3], int count) {
    double most = 0.0;
    for (size_t i = 0; i < m->vertex_count; i++) {
        ov_vec3 d = ov_vec3_sub(m->vertices[i], m->vertices[0]);
        for (int k = 0; k < count; k++) {
            d = ov_vec3_add_scaled(d, axes[k], -ov_vec3_dot(d, axes[k]));
        }
        double length = ov_vec3_length(d);
        if (length > most) {
            most = length;
            axes[count] = ov_vec3_scale(d, 1.0 / length);
        }
    }
    return most > 1e-12 * m->diagonal;
}

/** How many of the three dimensions are missing. */
static size_t missing_dimensions(const ov_fit_mesh *m) {
    ov_vec3 axes[3];
    int found = 0;
    while (found < 3 && m->vertex_count > 0 && next_axis(m, axes, found)) {
        found++;
    }
    return (size_t)(3 - found);
}

/* ---- the report ------------------------------------------------------------------------------ */

static void add_line(ov_fit_mesh *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_line(ov_fit_mesh *m, const char *format, ...) {
    va_list values;
    va_start(values, format);
    (void)vsnprintf(m->lines[m->line_count++], LINE_MAX, format, values);
    va_end(values);
}

static const char *plural(size_t count) { return count == 1 ? "" : "s"; }

static void report_vertices(ov_fit_mesh *m) {
    const size_t *d = m->defects;
    size_t n = d[OV_FIT_DEFECT_UNUSED];
    if (n > 0) {
        add_line(m, "unused: %zu %s no triangle, left out", n,
                 n == 1 ? "vertex has" : "vertices have");
    }
    n = d[OV_FIT_DEFECT_EQUAL];
    if (n > 0) {
        add_line(m, "equal: %zu %s equal to an earlier one, joined", n,
                 n == 1 ? "vertex is" : "vertices are");
    }
    n = d[OV_FIT_DEFECT_NEAR];
    if (n > 0) {
        add_line(m, "near: %zu %s next to an earlier one, joined", n,
                 n == 1 ? "vertex is" : "vertices are");
    }
    n = d[OV_FIT_DEFECT_DEGENERATE];
    if (n > 0) {
        add_line(m, "degenerate: %zu triangle%s without area, %zu of them dropped", n, plural(n),
                 m->dropped);
    }
    n = d[OV_FIT_DEFECT_DUPLICATE];
    if (n > 0) {
        add_line(m, "duplicate: %zu triangle%s again, %zu of them back to back and kept", n,
                 n == 1 ? " occurs" : "s occur", m->back_to_back);
    }
    n = d[OV_FIT_DEFECT_FLAT];
    if (n > 0) {
        add_line(m, "flat: all vertices are %s",
                 n == 1   ? "in one plane"
                 : n == 2 ? "on one line"
                          : "one point");
    }
}

static void report_surface(ov_fit_mesh *m) {
    const size_t *d = m->defects;
    size_t n = d[OV_FIT_DEFECT_OPEN_EDGE];
    if (n > 0) {
        add_line(m, "open: %zu edge%s of one triangle, about %zu hole%s", n, plural(n), m->holes,
                 plural(m->holes));
    }
    n = d[OV_FIT_DEFECT_BRANCHED_EDGE];
    if (n > 0) {
        add_line(m, "non-manifold: %zu edge%s of more than two triangles", n, plural(n));
    }
    n = d[OV_FIT_DEFECT_BRANCHED_VERTEX];
    if (n > 0) {
        add_line(m, "non-manifold: surfaces that share no edge meet in %zu %s", n,
                 n == 1 ? "vertex" : "vertices");
    }
    n = d[OV_FIT_DEFECT_ORIENTATION];
    if (n > 0) {
        add_line(m, "orientation: the triangles of %zu edge%s disagree, %zu triangle%s turned over",
                 n, plural(n), m->turned, plural(m->turned));
    }
    n = d[OV_FIT_DEFECT_ONE_SIDED];
    if (n > 0) {
        add_line(m, "one-sided: %zu surface%s cannot be oriented", n, plural(n));
    }
}

static void report_shells(ov_fit_mesh *m) {
    const size_t *d = m->defects;
    size_t n = d[OV_FIT_DEFECT_INVERTED];
    if (n > 0) {
        add_line(m, "inverted: %zu closed shell%s inside out, turned over%s", n,
                 n == 1 ? " was" : "s were",
                 m->all_nested ? "" : " (too many to find out which is inside which)");
    }
    if (d[OV_FIT_DEFECT_SHELLS] > 0) {
        add_line(m, "shells: %zu, %zu of them closed", m->shells, m->closed);
    }
    n = d[OV_FIT_DEFECT_CROSSING];
    if (n > 0) {
        add_line(m, "crossing: %s%zu pair%s of triangles cross%s%s",
                 m->all_pairs ? "" : "at least ", n, plural(n), n == 1 ? "es" : "",
                 m->all_pairs ? "" : " (too many to test all)");
    } else if (!m->all_pairs) {
        add_line(m, "crossing: none found, but there are too many triangles to test all pairs");
    }
    if (m->unthinned > m->triangle_count) {
        add_line(m, "thinned: %zu of %zu triangles left, no point moved by more than %.3g",
                 m->triangle_count, m->unthinned, m->added);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

/** Vertices as given, triangles of what vertices became, maps to and from the input. */
static ov_status take_input(ov_fit_mesh *m, const ov_fit_input *in, double share, ov_vec3 *origin) {
    m->input_vertices = m->vertex_count = in->point_count;
    m->input_triangles = m->triangle_count = in->triangle_count;
    m->vertices = ovi_allocate(in->point_count, sizeof *m->vertices);
    m->vertex_targets = ovi_allocate(in->point_count, sizeof *m->vertex_targets);
    m->triangles = ovi_allocate(in->triangle_count, sizeof *m->triangles);
    m->sources = ovi_allocate(in->triangle_count, sizeof *m->sources);
    m->targets = ovi_allocate(in->triangle_count, sizeof *m->targets);
    if (m->vertices == NULL || m->vertex_targets == NULL || m->triangles == NULL ||
        m->sources == NULL || m->targets == NULL) {
        return OV_ERROR_MEMORY;
    }
    memcpy(m->vertices, in->points, in->point_count * sizeof *m->vertices);
    memset(m->vertex_targets, 0xff, in->point_count * sizeof *m->vertex_targets);
    ov_vec3 lo = in->points[in->triangles[0][0]], hi = lo;
    for (size_t i = 0; i < 3 * in->triangle_count; i++) {
        uint32_t v = in->triangles[i / 3][i % 3];
        m->vertex_targets[v] = v;
        lo = ovi_lower(lo, in->points[v]);
        hi = ovi_upper(hi, in->points[v]);
    }
    m->diagonal = distance(lo, hi);
    *origin = lo;
    if (!weld(m, in, lo, share * m->diagonal, m->vertex_targets)) {
        return OV_ERROR_MEMORY;
    }
    for (size_t i = 0; i < in->triangle_count; i++) {
        m->sources[i] = m->targets[i] = (uint32_t)i;
        for (int k = 0; k < 3; k++) {
            m->triangles[i][k] = m->vertex_targets[in->triangles[i][k]];
        }
    }
    return OV_OK;
}

/** Triangles whose corners are distinct, but on a line up to rounding. */
static void count_slivers(ov_fit_mesh *m) {
    for (size_t i = 0; i < m->triangle_count; i++) {
        const uint32_t *t = m->triangles[i];
        double longest = 0.0;
        for (int k = 0; k < 3; k++) {
            longest = fmax(longest, distance(m->vertices[t[k]], m->vertices[t[(k + 1) % 3]]));
        }
        double area = ov_vec3_length(normal_of(m, i));
        m->defects[OV_FIT_DEFECT_DEGENERATE] +=
            ovi_is_whole(t) && area <= 8.0 * DBL_EPSILON * longest * longest;
    }
}

/** The furthest that a vertex went, rounded up. */
static double furthest(const ov_fit_mesh *m, const ov_fit_input *in) {
    double most = 0.0;
    for (size_t i = 0; i < in->point_count; i++) {
        uint32_t v = m->vertex_targets[i];
        most = v != NONE ? fmax(most, distance(in->points[i], m->vertices[v])) : most;
    }
    return most * (1.0 + 8.0 * DBL_EPSILON);
}

static bool find_neighbours(ov_fit_mesh *m) {
    m->neighbours = ovi_allocate(m->triangle_count, sizeof *m->neighbours);
    if (m->neighbours == NULL || !find_opposites(m, &m->neighbours[0][0])) {
        return false;
    }
    for (size_t i = 0; i < 3 * m->triangle_count; i++) {
        uint32_t *n = &m->neighbours[i / 3][i % 3];
        *n = *n != NONE ? *n / 3 : OV_FIT_NO_NEIGHBOUR;
    }
    return true;
}

static ov_status make(ov_fit_mesh *m, const ov_fit_input *in, const ov_fit_mesh_options *o) {
    ov_vec3 origin;
    ov_status status = take_input(m, in, o->weld, &origin);
    if (status != OV_OK) {
        return status;
    }
    size_t given = m->triangle_count;
    if (!tidy(m, &m->defects[OV_FIT_DEFECT_DEGENERATE])) {
        return OV_ERROR_MEMORY;
    }
    m->dropped =
        given - m->triangle_count - (m->defects[OV_FIT_DEFECT_DUPLICATE] - m->back_to_back);
    m->all_nested = true;
    count_slivers(m);
    m->defects[OV_FIT_DEFECT_FLAT] = missing_dimensions(m);
    ov_fit_input now = ov_fit_mesh_input(m);
    size_t *crossings = &m->defects[OV_FIT_DEFECT_CROSSING];
    if (!examine(m) ||
        ov_fit_crossings(&now, o->crossing_pairs, crossings, &m->all_pairs) != OV_OK) {
        return OV_ERROR_MEMORY;
    }
    m->unthinned = m->triangle_count;
    if (!thin(m, origin, o->triangles) || !find_neighbours(m)) {
        return OV_ERROR_MEMORY;
    }
    m->added = furthest(m, in);
    report_vertices(m);
    report_surface(m);
    report_shells(m);
    return OV_OK;
}

ov_fit_mesh_options ov_default_fit_mesh_options(void) {
    return (ov_fit_mesh_options){1e-6, 250000, OV_FIT_CROSSING_PAIRS};
}

ov_status ov_fit_mesh_create(const ov_fit_input *input, const ov_fit_mesh_options *options,
                             ov_fit_mesh **mesh, ov_fault *fault) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_fit_mesh_create(input, options, mesh, fault));
    if (mesh == NULL) {
        return ovi_fault_none(fault, OV_ERROR_NULL);
    }
    *mesh = NULL;
    ov_status status = ov_fit_input_check(input, fault);
    if (status != OV_OK) {
        return status;
    }
    if (input->triangle_count == 0) {
        return ovi_fault_set(fault, OV_ERROR_COUNT, OV_FAULT_PLACE_NONE, 0,
                             "no triangles: a mesh is needed, not a cloud");
    }
    ov_fit_mesh_options o = options != NULL ? *options : (ov_fit_mesh_options){0};
    ov_fit_mesh_options usual = ov_default_fit_mesh_options();
    o.weld = o.weld != 0.0 ? o.weld : usual.weld;
    // below this, sums of coordinates and the distance could not be told apart
    o.weld = o.weld == OV_ZERO ? 0.0 : o.weld;
    o.triangles = o.triangles != 0 ? o.triangles : usual.triangles;
    o.crossing_pairs = o.crossing_pairs != 0 ? o.crossing_pairs : usual.crossing_pairs;
    if (!(o.weld == 0.0 || (o.weld >= 1e-12 && o.weld <= 0.1))) {
        return ovi_fault_set(fault, OV_ERROR_OPTION, OV_FAULT_PLACE_NONE, 0,
                             "weld: 1e-12 to 0.1, or OV_ZERO");
    }
    ov_fit_mesh *m = calloc(1, sizeof *m);
    status = m != NULL ? make(m, input, &o) : OV_ERROR_MEMORY;
    if (status != OV_OK) {
        ov_fit_mesh_destroy(m);
        return ovi_fault_none(fault, status);
    }
    *mesh = m;
    return ovi_fault_none(fault, OV_OK);
}

void ov_fit_mesh_destroy(ov_fit_mesh *mesh) {
    if (mesh == NULL) {
        return;
    }
    free(mesh->vertices);
    free(mesh->triangles);
    free(mesh->sources);
    free(mesh->targets);
    free(mesh->vertex_targets);
    free(mesh->neighbours);
    free(mesh);
}

ov_fit_input ov_fit_mesh_input(const ov_fit_mesh *mesh) {
    if (mesh == NULL) {
        return (ov_fit_input){0};
    }
    return (ov_fit_input){mesh->vertices, mesh->vertex_count, (const uint32_t(*)[3])mesh->triangles,
                          mesh->triangle_count};
}

const uint32_t *ov_fit_mesh_sources(const ov_fit_mesh *mesh) {
    return mesh != NULL ? mesh->sources : NULL;
}

const uint32_t *ov_fit_mesh_targets(const ov_fit_mesh *mesh) {
    return mesh != NULL ? mesh->targets : NULL;
}

const uint32_t *ov_fit_mesh_vertex_targets(const ov_fit_mesh *mesh) {
    return mesh != NULL ? mesh->vertex_targets : NULL;
}

const uint32_t (*ov_fit_mesh_neighbours(const ov_fit_mesh *mesh))[3] {
    return mesh != NULL ? (const uint32_t(*)[3])mesh->neighbours : NULL;
}

double ov_fit_mesh_added(const ov_fit_mesh *mesh) { return mesh != NULL ? mesh->added : 0.0; }

double ov_fit_mesh_diagonal(const ov_fit_mesh *mesh) { return mesh != NULL ? mesh->diagonal : 0.0; }

size_t ov_fit_mesh_shell_count(const ov_fit_mesh *mesh, size_t *closed) {
    if (closed != NULL) {
        *closed = mesh != NULL ? mesh->closed : 0;
    }
    return mesh != NULL ? mesh->shells : 0;
}

size_t ov_fit_mesh_defects(const ov_fit_mesh *mesh, ov_fit_defect defect) {
    bool known = defect >= 0 && defect < OV_FIT_DEFECT_COUNT;
    return mesh != NULL && known ? mesh->defects[defect] : 0;
}

size_t ov_fit_mesh_line_count(const ov_fit_mesh *mesh) {
    return mesh != NULL ? mesh->line_count : 0;
}

const char *ov_fit_mesh_line(const ov_fit_mesh *mesh, size_t index) {
    return index < ov_fit_mesh_line_count(mesh) ? mesh->lines[index] : NULL;
}

const char *ov_fit_defect_name(ov_fit_defect defect) {
    static const char *const names[OV_FIT_DEFECT_COUNT] = {
        [OV_FIT_DEFECT_UNUSED] = "unused vertices",
        [OV_FIT_DEFECT_EQUAL] = "equal vertices",
        [OV_FIT_DEFECT_NEAR] = "near vertices",
        [OV_FIT_DEFECT_DEGENERATE] = "degenerate triangles",
        [OV_FIT_DEFECT_DUPLICATE] = "duplicate triangles",
        [OV_FIT_DEFECT_OPEN_EDGE] = "open edges",
        [OV_FIT_DEFECT_BRANCHED_EDGE] = "non-manifold edges",
        [OV_FIT_DEFECT_BRANCHED_VERTEX] = "non-manifold vertices",
        [OV_FIT_DEFECT_ORIENTATION] = "disagreeing edges",
        [OV_FIT_DEFECT_ONE_SIDED] = "one-sided surfaces",
        [OV_FIT_DEFECT_INVERTED] = "inverted shells",
        [OV_FIT_DEFECT_SHELLS] = "further shells",
        [OV_FIT_DEFECT_CROSSING] = "crossing triangles",
        [OV_FIT_DEFECT_FLAT] = "missing dimensions"};
    return defect >= 0 && defect < OV_FIT_DEFECT_COUNT ? names[defect] : "unknown";
}
