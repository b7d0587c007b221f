/**
 * @file polyhedron.c
 * @brief The constructor of the convex polyhedron, with all its checks.
 *
 * The core owns no memory, so the constructor has to prove without tables that the caller's
 * triangles are the surface of the convex hull of the caller's vertices:
 *
 * 1. Closed: every directed edge (i, j) is balanced by one (j, i). The sum over all directed edges
 *    of mix(i, j) - mix(j, i) modulo 2^64, mix being a good hash, is zero where they balance, and
 *    else almost never; two hashes are used.
 * 2. Outward: the enclosed volume is positive.
 * 3. Convex: no vertex lies above the plane of a face.
 * 4. One wrap: from a point inside, the faces cover the solid angle of 4 pi once.
 *
 * By 3 every face lies on the hull's surface, and by 1 they cover it everywhere equally often, so
 * by 4 exactly once. Step 3 compares every face with every vertex; vertices are taken in batches
 * that lie together, and a batch whose bounds are below the face needs no look at each of them.
 */
#include <string.h>

#include "../math/rounding_mode.h"
#include "shape_internal.h"

/** Largest number of vertices and of triangles. */
#define COUNT_MAX ((size_t)1 << 31)

enum { BATCH = 1024, CELLS_PER_SIDE_MAX = 256 };

/** The caller's arrays, and what the checks find out about them. */
typedef struct draft {
    const ov_vec3 *vertices;
    const uint32_t (*triangles)[3];
    size_t vertex_count, triangle_count;
    ov_vec3 min, max;
    double reach;   /**< largest coordinate, without sign */
    ov_vec3 inside; /**< a point well inside the hull */
} draft;

/* ---- vertices */

static ov_status check_vertices(draft *d) {
    ov_status worst = OV_OK;
    d->min = d->max = d->vertices[0];
    for (size_t i = 0; i < d->vertex_count; i++) {
        ov_vec3 v = d->vertices[i];
        ov_status status = ovi_check_position(v);
        if (status == OV_ERROR_NOT_FINITE) {
            return status;
        }
        worst = status != OV_OK ? status : worst;
        d->min = ov_vec3_make(fmin(d->min.x, v.x), fmin(d->min.y, v.y), fmin(d->min.z, v.z));
        d->max = ov_vec3_make(fmax(d->max.x, v.x), fmax(d->max.y, v.y), fmax(d->max.z, v.z));
    }
    d->reach = fmax(ovi_max_abs(d->min), ovi_max_abs(d->max));
    return worst;
}

/** Part of v - from that is across up to two orthogonal unit vectors (zero vectors: no effect). */
static ov_vec3 across(ov_vec3 v, ov_vec3 from, ov_vec3 u1, ov_vec3 u2) {
    ov_vec3 r = ov_vec3_sub(v, from);
    r = ov_vec3_add_scaled(r, u1, -ov_vec3_dot(r, u1));
    return ov_vec3_add_scaled(r, u2, -ov_vec3_dot(r, u2));
}

/** The vertex that is farthest from the point, line or plane through `from` along u1 and u2. */
static ov_vec3 farthest(const draft *d, ov_vec3 from, ov_vec3 u1, ov_vec3 u2) {
    ov_vec3 best = d->vertices[0];
    double best_square = -1.0;
    for (size_t i = 0; i < d->vertex_count; i++) {
        double square = ovi_square(across(d->vertices[i], from, u1, u2));
        if (square > best_square) {
            best_square = square;
            best = d->vertices[i];
        }
    }
    return best;
}

/**
 * Finds four vertices that span the hull well, each the farthest from what those before it span.
 * The last one's distance from the plane of the others is the thickness, up to a small factor; it
 * is measured by taking off the parts in the plane one after the other, so that it is right to the
 * rounding of the differences, also for needles.
 */
static ov_status check_thickness(draft *d) {
    const ov_vec3 zero = {0.0, 0.0, 0.0};
    ov_vec3 p0 = farthest(d, d->vertices[0], zero, zero);
    ov_vec3 p1 = farthest(d, p0, zero, zero);
    ov_vec3 u1 = ov_vec3_normalize(ov_vec3_sub(p1, p0));
    ov_vec3 p2 = farthest(d, p0, u1, zero);
    ov_vec3 u2 = ov_vec3_normalize(across(p2, p0, u1, zero));
    ov_vec3 p3 = farthest(d, p0, u1, u2);
    double length = ov_vec3_length(ov_vec3_sub(p1, p0));
    double thickness = ov_vec3_length(across(p3, p0, u1, u2));
    if (thickness <= OVI_FLAT * length || thickness <= OVI_FLAT_ROUNDING * d->reach) {
        return OV_ERROR_DEGENERATE;
    }
    if (thickness < OV_SIZE_MIN) {
        return OV_ERROR_SIZE_RANGE;
    }
    ov_vec3 sum = ov_vec3_add(ov_vec3_sub(p1, p0), ov_vec3_sub(p2, p0));
    d->inside = ov_vec3_add_scaled(p0, ov_vec3_add(sum, ov_vec3_sub(p3, p0)), 0.25);
    return OV_OK;
}

/* ---- triangles */

/** Two rounds of multiply and shift over both indices: every bit of the input reaches every bit. */
static uint64_t mix(uint64_t i, uint64_t j, uint64_t key) {
    uint64_t h = (i << 32 | j) + key;
    h = (h ^ (h >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    h = (h ^ (h >> 29)) * UINT64_C(0xaef17502108ef2d9);
    h = (h ^ (h >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return h ^ (h >> 31);
}

/** Indices in range, no corner twice, and every directed edge balanced by its opposite. */
static ov_status check_edges(const draft *d) {
    uint64_t sum1 = 0, sum2 = 0;
    bool twice = false;
    for (size_t f = 0; f < d->triangle_count; f++) {
        const uint32_t *t = d->triangles[f];
        for (int k = 0; k < 3; k++) {
            uint32_t i = t[k], j = t[(k + 1) % 3];
            if (i >= d->vertex_count) {
                return OV_ERROR_INDEX;
            }
            twice = twice || i == j;
            sum1 +=
                mix(i, j, UINT64_C(0x9e3779b97f4a7c15)) - mix(j, i, UINT64_C(0x9e3779b97f4a7c15));
            sum2 +=
                mix(i, j, UINT64_C(0x2545f4914f6cdd1d)) - mix(j, i, UINT64_C(0x2545f4914f6cdd1d));
        }
    }
    if (twice) {
        return OV_ERROR_DEGENERATE;
    }
    return sum1 == 0 && sum2 == 0 ? OV_OK : OV_ERROR_NOT_CLOSED;
}

static bool is_outward(const draft *d) {
    double volume = 0.0;
    for (size_t f = 0; f < d->triangle_count; f++) {
        const uint32_t *t = d->triangles[f];
        ovi_face face = ovi_face_make(d->vertices[t[0]], d->vertices[t[1]], d->vertices[t[2]]);
        double spread, height = ovi_face_height(&face, d->inside, &spread);
        volume -= height * (face.length * face.height);
    }
    return volume > 0.0;
}

/* ---- convexity */

/**
 * Vertices that lie together, and a cylinder around them: on a convex surface they make a shallow
 * cap, for which a cylinder along its axis is a far tighter bound than a ball.
 */
typedef struct batch {
    ov_vec3 vertices[BATCH];
    size_t count;
    ov_vec3 centre, axis;
    double along, across; /**< half the cylinder's length, and its radius */
} batch;

static void bound_batch(const draft *d, batch *b) {
    ov_vec3 sum = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < b->count; i++) {
        sum = ov_vec3_add(sum, b->vertices[i]);
    }
    b->centre = ov_vec3_scale(sum, 1.0 / (double)b->count);
    b->axis = ov_vec3_normalize(ov_vec3_sub(b->centre, d->inside));
    double along = 0.0, across_square = 0.0;
    for (size_t i = 0; i < b->count; i++) {
        ov_vec3 r = ov_vec3_sub(b->vertices[i], b->centre);
        double a = ov_vec3_dot(r, b->axis);
        along = fmax(along, fabs(a));
        across_square = fmax(across_square, ovi_square(ov_vec3_add_scaled(r, b->axis, -a)));
    }
    b->along = along;
    b->across = sqrt(across_square);
}

static double one_norm(ov_vec3 v) { return fabs(v.x) + fabs(v.y) + fabs(v.z); }

/** Is no vertex of the batch above a face? `extent` bounds all distances between vertices. */
static bool batch_is_below(const draft *d, const batch *b, double extent) {
    double size = b->along + b->across;
    for (size_t f = 0; f < d->triangle_count; f++) {
        const uint32_t *t = d->triangles[f];
        ov_vec3 base = d->vertices[t[0]];
        ov_vec3 e1 = ov_vec3_sub(d->vertices[t[1]], base);
        ov_vec3 e2 = ov_vec3_sub(d->vertices[t[2]], base);
        ov_vec3 n = ov_vec3_cross(e1, e2);
        // heights times |n|, which are wrong by up to `error`; first look, without a root: most
        // batches are far below most faces
        double centre = ov_vec3_dot(n, ov_vec3_sub(b->centre, base));
        double error = 4.0 * DBL_EPSILON * extent * one_norm(e1) * one_norm(e2);
        if (centre + size * one_norm(n) + error < 0.0) {
            continue;
        }
        double n_along = ov_vec3_dot(n, b->axis);
        double limit = OVI_FACE_SLACK * d->reach * sqrt(ovi_square(n)) - error;
        ov_vec3 n_across = ov_vec3_add_scaled(n, b->axis, -n_along);
        if (centre + fabs(n_along) * b->along + sqrt(ovi_square(n_across)) * b->across <= limit) {
            continue;
        }
        ovi_face face = ovi_face_make(base, d->vertices[t[1]], d->vertices[t[2]]);
        for (size_t i = 0; i < b->count; i++) {
            if (ov_vec3_dot(n, ov_vec3_sub(b->vertices[i], base)) > limit &&
                !ovi_face_is_below(&face, b->vertices[i], d->reach)) {
                return false;
            }
        }
    }
    return true;
}

/** Cell of a cube map, `side` by `side` on each of the six faces, around the bounding box's centre.
 */
static uint32_t direction_cell(const draft *d, ov_vec3 v, uint32_t side) {
    // every axis in units of its own extent, so that needles and plates spread over the cells too
    ov_vec3 q = ov_vec3_make((v.x - 0.5 * (d->min.x + d->max.x)) / (d->max.x - d->min.x),
                             (v.y - 0.5 * (d->min.y + d->max.y)) / (d->max.y - d->min.y),
                             (v.z - 0.5 * (d->min.z + d->max.z)) / (d->max.z - d->min.z));
    double big = ovi_max_abs(q), a = q.y, b = q.z;
    uint32_t face = q.x < 0.0;
    if (big == 0.0) {
        return 0;
    }
    if (fabs(q.y) == big) {
        face = 2 + (q.y < 0.0);
        a = q.x;
    } else if (fabs(q.z) == big) {
        face = 4 + (q.z < 0.0);
        b = q.x;
    }
    uint32_t i = (uint32_t)(0.5 * (a / big + 1.0) * side),
             j = (uint32_t)(0.5 * (b / big + 1.0) * side);
    i = i < side ? i : side - 1;
    j = j < side ? j : side - 1;
    return (face * side + i) * side + j;
}

static bool is_convex(const draft *d) {
    // so many cells that each holds about half a batch; few vertices need none
    uint32_t side = 0;
    if (d->vertex_count > 4 * BATCH) {
        double wanted = sqrt((double)d->vertex_count / (3.0 * BATCH));
        side = wanted < CELLS_PER_SIDE_MAX ? (uint32_t)ceil(wanted) : CELLS_PER_SIDE_MAX;
    }
    uint32_t cells = side == 0 ? 1 : 6 * side * side;
    double extent = ov_vec3_length(ov_vec3_sub(d->max, d->min));
    batch b;
    for (uint32_t cell = 0; cell < cells; cell++) {
        b.count = 0;
        for (size_t i = 0; i < d->vertex_count; i++) {
            if (side == 0 || direction_cell(d, d->vertices[i], side) == cell) {
                b.vertices[b.count++] = d->vertices[i];
            }
            if (b.count == BATCH || (i + 1 == d->vertex_count && b.count > 0)) {
                bound_batch(d, &b);
                if (!batch_is_below(d, &b, extent)) {
                    return false;
                }
                b.count = 0;
            }
        }
    }
    return true;
}

static ov_status check_triangles(const draft *d) {
    if (d->triangle_count < 4 || d->triangle_count > COUNT_MAX) {
        return OV_ERROR_COUNT;
    }
    ov_status status = check_edges(d);
    if (status != OV_OK) {
        return status;
    }
    if (!is_outward(d)) {
        return OV_ERROR_NOT_CLOSED;
    }
    if (!is_convex(d)) {
        return OV_ERROR_NOT_CONVEX;
    }
    // a closed surface wraps a whole number of times, so what is near one is that one
    double wraps = ovi_winding(d->vertices, d->triangles, d->triangle_count, d->inside);
    return fabs(wraps - 1.0) < 0.04 ? OV_OK : OV_ERROR_NOT_CLOSED;
}

ov_status ov_shape_make_polyhedron(const ov_vec3 *vertices, size_t vertex_count,
                                   const uint32_t (*triangles)[3], size_t triangle_count,
                                   ov_shape *shape) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_shape_make_polyhedron(vertices, vertex_count, triangles,
                                                             triangle_count, shape));
    if (shape == NULL || vertices == NULL || (triangles == NULL && triangle_count > 0)) {
        return OV_ERROR_NULL;
    }
    if (vertex_count < 4 || vertex_count > COUNT_MAX) {
        return OV_ERROR_COUNT;
    }
    draft d = {.vertices = vertices,
               .triangles = triangles,
               .vertex_count = vertex_count,
               .triangle_count = triangle_count};
    ov_status status = check_vertices(&d);
    if (status == OV_OK) {
        status = check_thickness(&d);
    }
    if (status == OV_OK && triangles != NULL) {
        status = check_triangles(&d);
    }
    if (status != OV_OK) {
        return status;
    }
    memset(shape, 0, sizeof *shape);
    shape->kind = OV_SHAPE_KIND_POLYHEDRON;
    shape->u.polyhedron.vertices = vertices;
    shape->u.polyhedron.triangles = triangles;
    shape->u.polyhedron.vertex_count = vertex_count;
    shape->u.polyhedron.triangle_count = triangle_count;
    return ovi_primitive_bounding_ball(shape, &shape->ball);
}
