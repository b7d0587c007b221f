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
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <libqhull_r/libqhull_r.h>

#include "io_internal.h"

struct ov_hull {
    ov_vec3 *vertices;
    uint32_t *sources;
    uint32_t (*triangles)[3];
    size_t vertex_count, triangle_count;
    ov_shape shape;
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

/** One trial: qhull, repair, check. On failure nothing is left behind. */
static ov_status try_hull(const char *command, coordT *cloud, const ov_vec3 *points, size_t count,
                          ov_hull **out) {
    ov_hull *hull = calloc(1, sizeof *hull);
    if (hull == NULL) {
        return OV_ERROR_MEMORY;
    }
    ov_status status = run_qhull(command, cloud, points, count, hull);
    if (status == OV_OK && !ovi_hull_flip(hull->vertices, hull->triangles, hull->triangle_count)) {
        status = OV_ERROR_MEMORY;
    }
    if (status == OV_OK) {
        status = ov_shape_make_polyhedron(hull->vertices, hull->vertex_count,
                                          (const uint32_t(*)[3])hull->triangles,
                                          hull->triangle_count, &hull->shape);
    }
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
