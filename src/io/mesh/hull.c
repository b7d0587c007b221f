/**
 * @file hull.c
 * @brief Convex hulls of point clouds by qhull's reentrant library.
 *
 * qhull is asked for triangles. Its answer is repaired where rounding left inward folds, and then
 * has to pass the checks of the polyhedron's constructor, so that what is handed out is known to be
 * closed, convex and outward. Clouds whose points crowd within the rounding error may fail them;
 * they are tried again with points left out that stand out of the hull by less than a small width.
 *
 * qhull reports errors by text and a code. The text goes to a buffer that nobody reads.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <libqhull_r/libqhull_r.h>

#include "../io_internal.h"

struct ov_hull {
    ov_vec3 *vertices;
    uint32_t *sources;
    uint32_t (*triangles)[3];
    size_t vertex_count, triangle_count;
    ov_shape shape;
    ov_support_table *table;
};

/** Commands, in the order of trial. Qt: triangles; Pp: no warnings; W: least width of what is kept,
 *  in units of the cloud's extent along each axis. */
static const char *const commands[] = {"qhull Qt Pp",        "qhull Qt Pp W1e-14",
                                       "qhull Qt Pp W1e-13", "qhull Qt Pp W3e-13",
                                       "qhull Qt Pp W1e-12", "qhull Qt Pp W3e-12"};

/** Marks a point of the cloud that is not a corner of the hull. */
#define NOT_A_VERTEX UINT32_MAX

void ov_hull_destroy(ov_hull *hull) {
    if (hull != NULL) {
        free(hull->vertices);
        free(hull->sources);
        free(hull->triangles);
        ov_support_table_destroy(hull->table);
        free(hull);
    }
}

/**
 * The cloud as qhull wants it: moved to the origin, and every axis scaled by a power of two so that
 * its extent is about one. The scaling is exact and leaves the hull's corners what they are; it
 * keeps qhull's tolerances, which know one size for all axes, small against a thin side.
 */
static coordT *scaled_cloud(const ov_vec3 *points, size_t count) {
    ov_vec3 low = points[0], high = points[0];
    for (size_t i = 1; i < count; i++) {
        ov_vec3 p = points[i];
        low = ov_vec3_make(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = ov_vec3_make(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    ov_vec3 extent = ov_vec3_sub(high, low);
    ov_vec3 centre = ov_vec3_add_scaled(low, extent, 0.5);
    int ex, ey, ez;
    (void)frexp(extent.x, &ex);
    (void)frexp(extent.y, &ey);
    (void)frexp(extent.z, &ez);
    coordT *out = malloc(3 * count * sizeof *out);
    for (size_t i = 0; i < count && out != NULL; i++) {
        ov_vec3 p = ov_vec3_sub(points[i], centre);
        out[3 * i] = ldexp(p.x, -ex);
        out[3 * i + 1] = ldexp(p.y, -ey);
        out[3 * i + 2] = ldexp(p.z, -ez);
    }
    return out;
}

/** Numbers the corners in the order of the cloud; `number` has one entry a point. */
static void number_vertices(qhT *qh, size_t count, uint32_t *number, ov_hull *hull) {
    facetT *facet;
    vertexT *vertex, **vertexp;
    for (size_t i = 0; i < count; i++) {
        number[i] = NOT_A_VERTEX;
    }
    FORALLfacets {
        hull->triangle_count++;
        FOREACHvertex_(facet->vertices) { number[qh_pointid(qh, vertex->point)] = 0; }
    }
    for (size_t i = 0; i < count; i++) {
        if (number[i] != NOT_A_VERTEX) {
            number[i] = (uint32_t)hull->vertex_count++;
        }
    }
}

/** Corners of a facet, counter-clockwise from outside; false where it is not a triangle. */
static bool read_facet(qhT *qh, facetT *facet, const uint32_t *number, uint32_t corners[3]) {
    vertexT *vertex, **vertexp;
    int k = 0;
    FOREACHvertex_(facet->vertices) {
        if (k == 3) {
            return false;
        }
        corners[k++] = number[qh_pointid(qh, vertex->point)];
    }
    if (k != 3) {
        return false;
    }
    if (facet->toporient ^ qh_ORIENTclock) {
        uint32_t first = corners[0];
        corners[0] = corners[1];
        corners[1] = first;
    }
    return true;
}

/** Copies vertices and triangles out of qhull's structure. */
static ov_status read_hull(qhT *qh, const ov_vec3 *points, size_t count, ov_hull *hull) {
    uint32_t *number = malloc(count * sizeof *number);
    if (number == NULL) {
        return OV_ERROR_MEMORY;
    }
    number_vertices(qh, count, number, hull);
    if (hull->triangle_count < 4 || hull->vertex_count < 4) {
        free(number);
        return OV_ERROR_DEGENERATE;
    }
    hull->vertices = malloc(hull->vertex_count * sizeof *hull->vertices);
    hull->sources = malloc(hull->vertex_count * sizeof *hull->sources);
    hull->triangles = malloc(hull->triangle_count * sizeof *hull->triangles);
    if (hull->vertices == NULL || hull->sources == NULL || hull->triangles == NULL) {
        free(number);
        return OV_ERROR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        if (number[i] != NOT_A_VERTEX) {
            hull->vertices[number[i]] = points[i];
            hull->sources[number[i]] = (uint32_t)i;
        }
    }
    size_t f = 0;
    bool good = true;
    facetT *facet;
    FORALLfacets { good = good && read_facet(qh, facet, number, hull->triangles[f++]); }
    free(number);
    return good ? OV_OK : OV_ERROR_NOT_CONVEX;
}

/** Runs one command of qhull and copies its answer. */
static ov_status run_qhull(const char *command, coordT *cloud, const ov_vec3 *points, size_t count,
                           ov_hull *hull) {
    char text[256], options[32];
    qhT *qh = malloc(sizeof *qh);
    FILE *sink = fmemopen(text, sizeof text, "w");
    if (qh == NULL || sink == NULL) {
        free(qh);
        if (sink != NULL) {
            fclose(sink);
        }
        return OV_ERROR_MEMORY;
    }
    (void)snprintf(options, sizeof options, "%s", command);
    qh_zero(qh, sink);
    int code = qh_new_qhull(qh, 3, (int)count, cloud, False, options, NULL, sink);
    ov_status status = OV_OK;
    if (code == qh_ERRnone) {
        status = read_hull(qh, points, count, hull);
    } else if (code == qh_ERRmem) {
        status = OV_ERROR_MEMORY;
    } else {
        status = code == qh_ERRsingular ? OV_ERROR_DEGENERATE : OV_ERROR_NOT_CONVEX;
    }
    int left_count, left_bytes;
    qh_freeqhull(qh, !qh_ALL);
    if (qh->qhmem.LASTsize == 0) {
        // memory ran out while qhull set up its own: it then forgets these two tables
        free(qh->qhmem.sizetable);
        free(qh->qhmem.freelists);
    }
    qh_memfreeshort(qh, &left_count, &left_bytes);
    free(qh);
    fclose(sink);
    return status;
}

/* ---- repair ---------------------------------------------------------------------------------- */

/* Turns inward folds outwards.
 *
 * qhull merges facets that are coplanar to rounding, and then cuts the merged ones into triangles
 * without regard to what little relief they have; of points with noise near the rounding error that
 * makes edges that are folded inwards by some 1e-14 of the size. Flipping such an edge in the
 * quadrilateral of its two triangles turns it outwards and adds to the volume, so flips come to an
 * end; the result is the convex surface over those corners. What cannot be flipped is left as it
 * is: the checks of the polyhedron's constructor have the last word. */

/** Sweeps over all edges; each costs as much as one look at every edge. */
enum { SWEEPS = 100 };

/** Half-edge 3 t + k runs from corner k of triangle t to the next; `twin` is its other half. */
typedef struct surface {
    const ov_vec3 *vertices;
    uint32_t (*triangles)[3];
    size_t triangle_count;
    size_t *twin;
} surface;

typedef struct edge_end {
    uint32_t low, high;
    size_t half;
} edge_end;

static size_t next_half(size_t h) { return h % 3 == 2 ? h - 2 : h + 1; }

static uint32_t origin_of(const surface *s, size_t h) { return s->triangles[h / 3][h % 3]; }

static int compare_ends(const void *left, const void *right) {
    const edge_end *a = left, *b = right;
    if (a->low != b->low) {
        return a->low < b->low ? -1 : 1;
    }
    if (a->high != b->high) {
        return a->high < b->high ? -1 : 1;
    }
    return a->half < b->half ? -1 : a->half > b->half;
}

/** Pairs the half-edges. False where memory is short; `*paired` tells whether the mesh is closed.
 */
static bool pair_halves(surface *s, bool *paired) {
    size_t count = 3 * s->triangle_count;
    edge_end *ends = malloc(count * sizeof *ends);
    if (ends == NULL) {
        return false;
    }
    for (size_t h = 0; h < count; h++) {
        uint32_t from = origin_of(s, h), to = origin_of(s, next_half(h));
        ends[h] = (edge_end){from < to ? from : to, from < to ? to : from, h};
    }
    qsort(ends, count, sizeof *ends, compare_ends);
    *paired = count % 2 == 0;
    for (size_t i = 0; i + 1 < count && *paired; i += 2) {
        const edge_end *a = &ends[i], *b = &ends[i + 1];
        bool same = a->low == b->low && a->high == b->high;
        bool third = i + 2 < count && ends[i + 2].low == a->low && ends[i + 2].high == a->high;
        *paired = same && !third && origin_of(s, a->half) != origin_of(s, b->half);
        s->twin[a->half] = b->half;
        s->twin[b->half] = a->half;
    }
    free(ends);
    return true;
}

typedef struct vec3l {
    long double x, y, z;
} vec3l;

static vec3l between(ov_vec3 from, ov_vec3 to) {
    return (vec3l){(long double)to.x - from.x, (long double)to.y - from.y,
                   (long double)to.z - from.z};
}

static vec3l cross(vec3l a, vec3l b) {
    return (vec3l){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static long double dot(vec3l a, vec3l b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/**
 * Triangles a b c and b a d: does the edge a b fold inwards, and would c d in its place make two
 * triangles that face the same way? In extended precision where there is one, since the folds are
 * hardly larger than the rounding of a double.
 */
static bool wants_flip(ov_vec3 a, ov_vec3 b, ov_vec3 c, ov_vec3 d) {
    vec3l ab = between(a, b), ac = between(a, c), ad = between(a, d), db = between(d, b),
          dc = between(d, c);
    vec3l n = cross(ab, ac), other = cross(ad, ab);
    long double error =
        16.0L * LDBL_EPSILON * sqrtl(dot(ab, ab)) * sqrtl(dot(ac, ac)) * sqrtl(dot(ad, ad));
    if (!(dot(n, ad) > error)) {
        return false;
    }
    vec3l up = {n.x + other.x, n.y + other.y, n.z + other.z};
    return dot(cross(ad, ac), up) > 0.0L && dot(cross(db, dc), up) > 0.0L;
}

/** Replaces a b c, b a d by d b c, a d c, where half-edge h is a b. */
static void flip(surface *s, size_t h) {
    size_t g = s->twin[h], bc = next_half(h), ca = next_half(bc), ad = next_half(g),
           db = next_half(ad), t = h / 3, u = g / 3;
    uint32_t a = origin_of(s, h), b = origin_of(s, g), c = origin_of(s, ca), d = origin_of(s, db);
    size_t beyond[4] = {s->twin[db], s->twin[bc], s->twin[ad], s->twin[ca]};
    const uint32_t first[3] = {d, b, c}, second[3] = {a, d, c};
    for (int k = 0; k < 3; k++) {
        s->triangles[t][k] = first[k];
        s->triangles[u][k] = second[k];
    }
    const size_t mine[4] = {3 * t, 3 * t + 1, 3 * u, 3 * u + 2};
    for (int k = 0; k < 4; k++) {
        s->twin[mine[k]] = beyond[k];
        s->twin[beyond[k]] = mine[k];
    }
    s->twin[3 * t + 2] = 3 * u + 1;
    s->twin[3 * u + 1] = 3 * t + 2;
}

/** False for want of memory; else the mesh is closed as before, and as convex as flips can make it.
 */
static bool flip_folds(const ov_vec3 *vertices, uint32_t (*triangles)[3], size_t triangle_count) {
    surface s = {vertices, triangles, triangle_count, NULL};
    bool paired = false, changed = true;
    s.twin = malloc(3 * triangle_count * sizeof *s.twin);
    if (s.twin == NULL || !pair_halves(&s, &paired)) {
        free(s.twin);
        return false;
    }
    for (int sweep = 0; sweep < SWEEPS && paired && changed; sweep++) {
        changed = false;
        for (size_t h = 0; h < 3 * triangle_count; h++) {
            size_t g = s.twin[h];
            ov_vec3 a = vertices[origin_of(&s, h)], b = vertices[origin_of(&s, g)];
            ov_vec3 c = vertices[origin_of(&s, next_half(next_half(h)))];
            ov_vec3 d = vertices[origin_of(&s, next_half(next_half(g)))];
            if (h < g && wants_flip(a, b, c, d)) {
                flip(&s, h);
                changed = true;
            }
        }
    }
    free(s.twin);
    return true;
}

/* ---- hulls ----------------------------------------------------------------------------------- */

/** One trial: qhull, repair, check. On failure nothing is left behind. */
static ov_status try_hull(const char *command, coordT *cloud, const ov_vec3 *points, size_t count,
                          ov_hull **out) {
    ov_hull *hull = calloc(1, sizeof *hull);
    if (hull == NULL) {
        return OV_ERROR_MEMORY;
    }
    ov_status status = run_qhull(command, cloud, points, count, hull);
    if (status == OV_OK && !flip_folds(hull->vertices, hull->triangles, hull->triangle_count)) {
        status = OV_ERROR_MEMORY;
    }
    if (status == OV_OK) {
        status = ov_shape_make_polyhedron(hull->vertices, hull->vertex_count,
                                          (const uint32_t(*)[3])hull->triangles,
                                          hull->triangle_count, &hull->shape);
    }
    status = status == OV_OK ? ov_support_table_create(&hull->shape, NULL, &hull->table) : status;
    if (status != OV_OK) {
        ov_hull_destroy(hull);
        return status;
    }
    *out = hull;
    return OV_OK;
}

ov_status ov_hull_create(const ov_vec3 *points, size_t count, ov_hull **hull) {
    if (hull == NULL) {
        return OV_ERROR_NULL;
    }
    *hull = NULL;
    if (points == NULL) {
        return OV_ERROR_NULL;
    }
    if (count > OV_HULL_POINTS_MAX) {
        return OV_ERROR_COUNT;
    }
    // the same checks as for a polyhedron without triangles: count, numbers, thickness
    ov_shape probe;
    ov_status status = ov_shape_make_polyhedron(points, count, NULL, 0, &probe);
    if (status != OV_OK) {
        return status;
    }
    coordT *cloud = scaled_cloud(points, count);
    if (cloud == NULL) {
        return OV_ERROR_MEMORY;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        status = try_hull(commands[i], cloud, points, count, hull);
        if (status == OV_OK || status == OV_ERROR_MEMORY) {
            break;
        }
    }
    free(cloud);
    return status == OV_OK || status == OV_ERROR_MEMORY ? status : OV_ERROR_DEGENERATE;
}

size_t ov_hull_vertex_count(const ov_hull *hull) { return hull == NULL ? 0 : hull->vertex_count; }

size_t ov_hull_triangle_count(const ov_hull *hull) {
    return hull == NULL ? 0 : hull->triangle_count;
}

const ov_vec3 *ov_hull_vertices(const ov_hull *hull) {
    return hull == NULL ? NULL : hull->vertices;
}

const uint32_t *ov_hull_sources(const ov_hull *hull) { return hull == NULL ? NULL : hull->sources; }

const uint32_t (*ov_hull_triangles(const ov_hull *hull))[3] {
    return hull == NULL ? NULL : (const uint32_t(*)[3])hull->triangles;
}

ov_status ov_hull_shape(const ov_hull *hull, ov_shape *shape) {
    if (hull == NULL || shape == NULL) {
        return OV_ERROR_NULL;
    }
    *shape = hull->shape;
    return OV_OK;
}
