/**
 * @file polyhedron.c
 * @brief The convex polyhedron: its faces, the constructor with all its checks, containment, balls
 * and mass. Faces and the ball around points serve triangles and triangle meshes too.
 */
#include <string.h>

#include "../math/rounding_mode.h"
#include "shape_internal.h"

/* ---- faces
 *
 * Hulls of real clouds are full of slivers and of faces no larger than the noise. Their planes are
 * badly known, and a plane that is extended far beyond its triangle says nothing; so every height
 * here comes with the factor by which it magnifies the rounding of the corners.
 */

ovi_face ovi_face_make(ov_vec3 a, ov_vec3 b, ov_vec3 c) {
    double ab = ovi_square(ov_vec3_sub(b, a)), bc = ovi_square(ov_vec3_sub(c, b));
    double ca = ovi_square(ov_vec3_sub(a, c));
    ovi_face f;
    // turned until the longest edge comes first; the orientation stays
    if (ab >= bc && ab >= ca) {
        f.ends[0] = a, f.ends[1] = b, f.apex = c;
    } else if (bc >= ca) {
        f.ends[0] = b, f.ends[1] = c, f.apex = a;
    } else {
        f.ends[0] = c, f.ends[1] = a, f.apex = b;
    }
    ov_vec3 edge = ov_vec3_sub(f.ends[1], f.ends[0]), side = ov_vec3_sub(f.apex, f.ends[0]);
    f.u = ov_vec3_normalize(edge);
    f.length = ov_vec3_length(edge);
    f.foot = ov_vec3_dot(side, f.u);
    ov_vec3 across = ov_vec3_add_scaled(side, f.u, -f.foot);
    f.height = ov_vec3_length(across);
    f.w = ov_vec3_normalize(across);
    // what rounding left along u, relative to a small height, is taken off too
    f.w = ov_vec3_normalize(ov_vec3_add_scaled(f.w, f.u, -ov_vec3_dot(f.w, f.u)));
    f.normal = ov_vec3_cross(f.u, f.w);
    return f;
}

/** Coordinates of a point along u and w, and its height above the plane. */
static ov_vec3 face_coordinates(const ovi_face *f, ov_vec3 p) {
    ov_vec3 r = ov_vec3_sub(p, f->ends[0]), out;
    out.x = ov_vec3_dot(r, f->u);
    r = ov_vec3_add_scaled(r, f->u, -out.x);
    out.y = ov_vec3_dot(r, f->w);
    r = ov_vec3_add_scaled(r, f->w, -out.y);
    out.z = ov_vec3_dot(r, f->normal);
    return out;
}

double ovi_face_height(const ovi_face *face, ov_vec3 p, double *spread) {
    ov_vec3 q = face_coordinates(face, p);
    double apex = face->height > 0.0 ? q.y / face->height : 0.0;
    double end = face->length > 0.0 ? (q.x - apex * face->foot) / face->length : 0.0;
    *spread = fabs(apex) + fabs(end) + fabs(1.0 - apex - end);
    return q.z;
}

/** On or below the plane, or above it by no more than rounding of coordinates up to `reach`. */
static bool is_below(const ovi_face *face, ov_vec3 p, double reach) {
    double spread, height = ovi_face_height(face, p, &spread);
    return height <= OVI_FACE_SLACK * reach * (1.0 + spread);
}

double ovi_segment_distance(ov_vec3 a, ov_vec3 b, ov_vec3 p) {
    ov_vec3 edge = ov_vec3_sub(b, a), from_a = ov_vec3_sub(p, a), from_b = ov_vec3_sub(p, b);
    // measured from the nearer end, whose difference to the point carries the smaller error
    bool near_b = ovi_square(from_b) < ovi_square(from_a);
    ov_vec3 start = near_b ? from_b : from_a;
    ov_vec3 along = ov_vec3_normalize(near_b ? ov_vec3_neg(edge) : edge);
    double t = fmin(fmax(ov_vec3_dot(start, along), 0.0), ov_vec3_length(edge));
    return ov_vec3_length(ov_vec3_add_scaled(start, along, -t));
}

double ovi_face_distance(const ovi_face *face, ov_vec3 p) {
    ov_vec3 q = face_coordinates(face, p);
    // over the triangle: above its longest edge, and within the other two, which meet at the apex
    if (face->height > 0.0 && q.y >= 0.0 && q.y * face->foot <= q.x * face->height &&
        q.y * (face->length - face->foot) <= (face->length - q.x) * face->height) {
        return fabs(q.z);
    }
    double d0 = ovi_segment_distance(face->ends[0], face->ends[1], p);
    double d1 = ovi_segment_distance(face->ends[1], face->apex, p);
    double d2 = ovi_segment_distance(face->apex, face->ends[0], p);
    return fmin(d0, fmin(d1, d2));
}

/**
 * Solid angle, from height z above a plane, of the right triangle whose corners are the foot of the
 * view, the foot of the perpendicular on a line at distance d, and the point at s along that line:
 * atan(s/d) - atan(s z/(d r)) with r^2 = d^2 + s^2 + z^2, in a form where nothing cancels.
 */
static double corner_angle(double d, double s, double z) {
    double square = d * d + s * s, r = sqrt(square + z * z);
    return r + z > 0.0 ? atan2(s * d * (square / (r + z)), d * d * r + s * s * z) : 0.0;
}

/** Solid angle of a face, positive from below: the sum of the corner angles along its edges. */
static double solid_angle(const ovi_face *f, ov_vec3 p) {
    ov_vec3 q = face_coordinates(f, p);
    const ov_vec2 corners[3] = {{0.0, 0.0}, {f->length, 0.0}, {f->foot, f->height}};
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        ov_vec2 a = corners[k], b = corners[(k + 1) % 3];
        double tx = b.x - a.x, ty = b.y - a.y, length = sqrt(tx * tx + ty * ty);
        if (length > 0.0) {
            tx /= length;
            ty /= length;
            double d = tx * (q.y - a.y) - ty * (q.x - a.x);
            sum += corner_angle(d, tx * (b.x - q.x) + ty * (b.y - q.y), fabs(q.z)) -
                   corner_angle(d, tx * (a.x - q.x) + ty * (a.y - q.y), fabs(q.z));
        }
    }
    return q.z < 0.0 ? sum : -sum;
}

double ovi_winding(const ov_vec3 *vertices, const uint32_t (*triangles)[3], size_t triangle_count,
                   ov_vec3 point) {
    double total = 0.0;
    for (size_t f = 0; f < triangle_count; f++) {
        const uint32_t *t = triangles[f];
        ovi_face face = ovi_face_make(vertices[t[0]], vertices[t[1]], vertices[t[2]]);
        total += face.height > 0.0 ? solid_angle(&face, point) : 0.0;
    }
    return total / (4.0 * OVI_PI);
}

/** Face `index` of a polyhedron. */
static ovi_face face_of(const ov_shape *shape, size_t index) {
    const ov_vec3 *v = shape->u.polyhedron.vertices;
    const uint32_t *t = shape->u.polyhedron.triangles[index];
    return ovi_face_make(v[t[0]], v[t[1]], v[t[2]]);
}

/* ---- constructor
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
 * by 4 exactly once. Step 3 asks for the vertex that is the highest above each face, by a table of
 * its own for many vertices (support_table.c), so all steps together take n log n.
 */

/** Largest number of vertices and of triangles. */
#define COUNT_MAX ((size_t)1 << 31)

/** So many vertices are looked at one by one; a table would not be faster. */
enum { TABLE_MIN = 64 };

/** The caller's arrays, and what the checks find out about them. */
typedef struct draft {
    const ov_vec3 *vertices;
    const uint32_t (*triangles)[3];
    size_t vertex_count, triangle_count;
    ov_vec3 min, max;
    double reach;   /**< largest coordinate, without sign */
    ov_vec3 inside; /**< a point well inside the hull */
} draft;

/* vertices */

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
static ov_vec3 farthest_across(const draft *d, ov_vec3 from, ov_vec3 u1, ov_vec3 u2) {
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
    ov_vec3 p0 = farthest_across(d, d->vertices[0], zero, zero);
    ov_vec3 p1 = farthest_across(d, p0, zero, zero);
    ov_vec3 u1 = ov_vec3_normalize(ov_vec3_sub(p1, p0));
    ov_vec3 p2 = farthest_across(d, p0, u1, zero);
    ov_vec3 u2 = ov_vec3_normalize(across(p2, p0, u1, zero));
    ov_vec3 p3 = farthest_across(d, p0, u1, u2);
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

/* triangles */

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

/* convexity
 *
 * A vertex may be above a face by its slack, OVI_FACE_SLACK reach (1 + spread). The spread is at
 * least |l2| + |1 - l2|, l2 being the apex' share, and so for each g from -1 to 1
 *
 *     1 + spread >= 2 + 2 min(g, 0) - 2 g l2
 *
 * One g for which all vertices are below that limit proves the face, and as heights and shares are
 * linear, the one vertex that is the closest to it shows all. For a good face g = 0 does. A
 * sliver's plane is badly known about its long edge; g turns it, and is found by cuts: each vertex
 * above the limit leaves an interval for it. Where there is none, each vertex is held against its
 * own slack.
 */

/** Vertices, and their table if there is one. */
typedef struct cloud {
    const draft *d;
    ov_support_table *table;
} cloud;

static ov_vec3 highest(const cloud *c, ov_vec3 direction) {
    uint32_t number = 0;
    if (c->table != NULL) {
        ov_support top;
        number = ovi_support_table_find(c->table, &direction, &top);
        return c->d->vertices[(number & ~OVI_TIED) - 1];
    }
    double best = -INFINITY;
    for (size_t i = 0; i < c->d->vertex_count; i++) {
        double value = ov_vec3_dot(direction, c->d->vertices[i]);
        number = value > best ? (uint32_t)i : number;
        best = fmax(best, value);
    }
    return c->d->vertices[number];
}

/** The turns g of a face's plane that leave a vertex below the limit. */
static void cut_turns(const ovi_face *f, ov_vec3 vertex, double slack, double *low, double *high) {
    ov_vec3 q = face_coordinates(f, vertex);
    // q.z <= slack (2 + 2 min(g, 0) - 2 g l2): for g below and above zero a line of its own
    double over = 0.5 * q.z / slack - 1.0, share = q.y / f->height;
    double from = over > 0.0 ? INFINITY : -1.0, to = over > 0.0 ? -INFINITY : 1.0;
    if (share > 1.0) {
        // g >= 0: g share <= -over; g <= 0: |g| (share - 1) >= over
        to = over > 0.0 ? -over / (share - 1.0) : fmin(1.0, -over / share);
        from = -1.0;
    } else if (share < 0.0) {
        // g >= 0: g |share| >= over; g <= 0: |g| (1 - share) <= -over
        from = over > 0.0 ? over / -share : fmax(-1.0, over / (1.0 - share));
        to = 1.0;
    } else if (over <= 0.0) {
        to = share > 0.0 ? fmin(1.0, -over / share) : 1.0;
        from = share < 1.0 ? fmax(-1.0, over / (1.0 - share)) : -1.0;
    }
    *low = fmax(*low, from);
    *high = fmin(*high, to);
}

enum { TURNS_MAX = 16 };

/** Is no vertex above the face? False where that cannot be told for all of them at once. */
static bool all_below(const cloud *c, const ovi_face *f) {
    double slack = OVI_FACE_SLACK * c->d->reach, low = -1.0, high = 1.0, g = 0.0;
    for (int i = 0; i < TURNS_MAX; i++) {
        ov_vec3 n = ov_vec3_add_scaled(f->normal, f->w, 2.0 * slack * g / f->height);
        ov_vec3 top = highest(c, n);
        ov_vec3 q = face_coordinates(f, top);
        if (q.z <= slack * (2.0 + 2.0 * fmin(g, 0.0) - 2.0 * g * q.y / f->height)) {
            return true;
        }
        cut_turns(f, top, slack, &low, &high);
        if (!(low <= high)) {
            return false;
        }
        g = 0.5 * (low + high);
    }
    return false;
}

static bool each_below(const draft *d, const ovi_face *f) {
    for (size_t i = 0; i < d->vertex_count; i++) {
        if (!is_below(f, d->vertices[i], d->reach)) {
            return false;
        }
    }
    return true;
}

static bool is_convex(const draft *d) {
    cloud c = {d, NULL};
    if (d->vertex_count >= TABLE_MIN) {
        c.table =
            ovi_support_table_make(d->vertices, d->vertex_count, NULL); // null: it takes longer
    }
    bool convex = true;
    for (size_t i = 0; i < d->triangle_count && convex; i++) {
        const uint32_t *t = d->triangles[i];
        ovi_face f = ovi_face_make(d->vertices[t[0]], d->vertices[t[1]], d->vertices[t[2]]);
        // a face without height has no plane
        convex = !(f.height > 0.0) || all_below(&c, &f) || each_below(d, &f);
    }
    ov_support_table_destroy(c.table);
    return convex;
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

/* ---- containment */

/**
 * On or below every face. For a point near the body, faces that are badly known do not decide:
 * their slack grows with the distance, and their neighbours, which meet along them, are the nearer
 * ones.
 */
bool ovi_polyhedron_contains(const ov_shape *s, ov_vec3 p) {
    // the constructor took the faces with the rounding of the largest coordinate, so that one
    // counts
    double reach = ovi_max_abs(p);
    for (size_t i = 0; i < s->u.polyhedron.vertex_count; i++) {
        reach = fmax(reach, ovi_max_abs(s->u.polyhedron.vertices[i]));
    }
    for (size_t i = 0; i < s->u.polyhedron.triangle_count; i++) {
        ovi_face face = face_of(s, i);
        if (!is_below(&face, p, reach)) {
            return false;
        }
    }
    return true;
}

/* ---- smallest ball around points
 *
 * It is settled by at most four of them. The search goes from basis to basis: each round brings in
 * the point that is violated most, needs no memory beyond the basis, and a few rounds over the
 * points suffice. The radius is measured anew from the rounded centre over all points, so the ball
 * bounds also where the search was stopped at its limit, or stalled by rounding.
 */

enum { ROUNDS = 200 };

/** Up to four points and the smallest ball with all of them on it. */
typedef struct basis {
    ov_vec3 points[4];
    int count;
    ov_vec3 centre;
    double square; /**< of the radius */
} basis;

/**
 * Centre and radius by the basis' points alone: the point of their affine hull that is equally far
 * from all. With q_i = p_i - p_0 and orthonormal e_i made from them in turn, the centre's
 * coordinates x follow one by one from q_i . x = |q_i|^2 / 2. False where the points are dependent.
 */
static bool circumscribe(basis *b) {
    ov_vec3 e[3], x = {0.0, 0.0, 0.0};
    for (int i = 1; i < b->count; i++) {
        ov_vec3 q = ov_vec3_sub(b->points[i], b->points[0]), rest = q;
        for (int k = 0; k + 1 < i; k++) {
            rest = ov_vec3_add_scaled(rest, e[k], -ov_vec3_dot(rest, e[k]));
        }
        double length = ov_vec3_length(rest);
        if (length <= 1e-14 * ov_vec3_length(q)) {
            return false;
        }
        e[i - 1] = ov_vec3_scale(rest, 1.0 / length);
        double along = (0.5 * ovi_square(q) - ov_vec3_dot(q, x)) / ov_vec3_dot(q, e[i - 1]);
        x = ov_vec3_add_scaled(x, e[i - 1], along);
    }
    b->centre = ov_vec3_add(b->points[0], x);
    b->square = ovi_square(x);
    return true;
}

static bool holds(const basis *b, const basis *others, double slack) {
    for (int i = 0; i < others->count; i++) {
        if (ovi_square(ov_vec3_sub(others->points[i], b->centre)) > b->square * (1.0 + slack)) {
            return false;
        }
    }
    return true;
}

/** Basis of an old one's points and a new point, by trying all subsets that have the new point. */
static bool extend_basis(basis *old, ov_vec3 point) {
    basis best = {.count = 0, .square = INFINITY};
    for (int subset = 1; subset < 1 << old->count; subset++) {
        if (subset == 15) {
            continue; // five points: in space four of them settle it
        }
        basis b = {.points = {point}, .count = 1};
        for (int i = 0; i < old->count; i++) {
            if ((subset >> i & 1) == 1) {
                b.points[b.count++] = old->points[i];
            }
        }
        if (circumscribe(&b) && b.square < best.square && holds(&b, old, 1e-13)) {
            best = b;
        }
    }
    if (best.count == 0 || !(best.square > old->square)) {
        return false;
    }
    *old = best;
    return true;
}

/** The vertex farthest from a point, and the square of its distance. */
static ov_vec3 farthest(const ov_vec3 *v, size_t count, ov_vec3 from, double *square) {
    size_t best = 0;
    *square = -1.0;
    for (size_t i = 0; i < count; i++) {
        double s = ovi_square(ov_vec3_sub(v[i], from));
        if (s > *square) {
            *square = s;
            best = i;
        }
    }
    return v[best];
}

ov_ball ovi_points_ball(const ov_vec3 *v, size_t count) {
    double square;
    // coordinates relative to one vertex: what the search computes is of the size of the body
    ov_vec3 origin = v[0], zero = {0.0, 0.0, 0.0};
    ov_vec3 first = ov_vec3_sub(farthest(v, count, origin, &square), origin);
    if (square <= 0.0) {
        return (ov_ball){origin, 0.0};
    }
    basis b = {.points = {zero, first}, .count = 2};
    bool moved = circumscribe(&b);
    ov_vec3 centre = ov_vec3_add(origin, b.centre), next = farthest(v, count, centre, &square);
    ov_ball best = {centre, sqrt(square)};
    for (int round = 0; round < ROUNDS && moved && square > b.square * (1.0 + 1e-14); round++) {
        moved = extend_basis(&b, ov_vec3_sub(next, origin));
        centre = ov_vec3_add(origin, b.centre);
        next = farthest(v, count, centre, &square);
        if (sqrt(square) < best.radius) {
            best = (ov_ball){centre, sqrt(square)};
        }
    }
    return best;
}

/* ---- largest ball inside the faces
 *
 * It is settled by at most four of them, and the search goes from basis to basis too. At the end
 * the radius is the distance to the nearest face.
 */

/** Height of a face below which its plane is not used, in units of the body. */
#define SMALL_FACE 1e-9

/** Solves four equations with partial pivoting; false where they are dependent. */
static bool solve4(double m[4][4], double right[4], double x[4]) {
    for (int column = 0; column < 4; column++) {
        int pivot = column;
        for (int row = column + 1; row < 4; row++) {
            pivot = fabs(m[row][column]) > fabs(m[pivot][column]) ? row : pivot;
        }
        if (fabs(m[pivot][column]) < 1e-14) {
            return false;
        }
        for (int k = 0; k < 4; k++) {
            double t = m[column][k];
            m[column][k] = m[pivot][k];
            m[pivot][k] = t;
        }
        double t = right[column];
        right[column] = right[pivot];
        right[pivot] = t;
        for (int row = column + 1; row < 4; row++) {
            double factor = m[row][column] / m[column][column];
            for (int k = column; k < 4; k++) {
                m[row][k] -= factor * m[column][k];
            }
            right[row] -= factor * right[column];
        }
    }
    for (int row = 3; row >= 0; row--) {
        double sum = right[row];
        for (int k = row + 1; k < 4; k++) {
            sum -= m[row][k] * x[k];
        }
        x[row] = sum / m[row][row];
    }
    return true;
}

/** Constraint n . x + r <= offset on a centre x and radius r. */
typedef struct plane {
    ov_vec3 normal;
    double offset;
} plane;

/** The centre and radius at which four planes touch the ball: y = (x, r). */
static bool touch_four(const plane p[4], double y[4]) {
    double m[4][4], right[4];
    for (int i = 0; i < 4; i++) {
        m[i][0] = p[i].normal.x;
        m[i][1] = p[i].normal.y;
        m[i][2] = p[i].normal.z;
        m[i][3] = 1.0;
        right[i] = p[i].offset;
    }
    return solve4(m, right, y);
}

/** Weights of the four planes that make (n, 1): sum of w_i (n_i, 1) = (n, last). */
static bool weights_of(const plane p[4], ov_vec3 n, double last, double w[4]) {
    double m[4][4], right[4] = {n.x, n.y, n.z, last};
    for (int i = 0; i < 4; i++) {
        m[0][i] = p[i].normal.x;
        m[1][i] = p[i].normal.y;
        m[2][i] = p[i].normal.z;
        m[3][i] = 1.0;
    }
    return solve4(m, right, w);
}

/** Which plane to drop for a new one, so that all weights stay non-negative; -1 for none. */
static int choose_leaving(const plane p[4], ov_vec3 normal) {
    const ov_vec3 zero = {0.0, 0.0, 0.0};
    double now[4], in_new[4], least = INFINITY;
    int leaving = -1;
    if (!weights_of(p, zero, 1.0, now) || !weights_of(p, normal, 1.0, in_new)) {
        return -1;
    }
    for (int i = 0; i < 4; i++) {
        if (in_new[i] > 1e-12 && fmax(now[i], 0.0) / in_new[i] < least) {
            least = fmax(now[i], 0.0) / in_new[i];
            leaving = i;
        }
    }
    return leaving;
}

/**
 * Face whose plane is nearest to a point: the one that the ball about it violates most. `origin`
 * and `unit` make the coordinates of the search, in which the plane is returned. Faces too small
 * for their planes to mean anything across the body are left to `clearance`.
 */
static plane nearest_face(const ov_shape *shape, ov_vec3 point, ov_vec3 origin, double unit) {
    plane best = {{0.0, 0.0, 0.0}, INFINITY};
    double least = INFINITY;
    for (size_t f = 0; f < shape->u.polyhedron.triangle_count; f++) {
        ovi_face face = face_of(shape, f);
        ov_vec3 r = ov_vec3_scale(ov_vec3_sub(face.ends[0], origin), unit);
        double distance = ov_vec3_dot(face.normal, ov_vec3_sub(r, point));
        if (face.height * unit > SMALL_FACE && distance < least) {
            least = distance;
            best = (plane){face.normal, ov_vec3_dot(face.normal, r)};
        }
    }
    return best;
}

/** Distance to the nearest face itself, not to its plane, less what the coordinates' rounding and
 *  that of the face's own frame may make of it. */
static double clearance(const ov_shape *shape, ov_vec3 centre) {
    double least = INFINITY, extent = 0.0;
    for (size_t f = 0; f < shape->u.polyhedron.triangle_count; f++) {
        ovi_face face = face_of(shape, f);
        least = fmin(least, ovi_face_distance(&face, centre));
        extent = fmax(extent, ovi_max_abs(ov_vec3_sub(face.apex, centre)));
    }
    return least - OVI_ON_SURFACE * extent;
}

/**
 * Largest ball inside a polyhedron: maximise r with n_j . x + r <= d_j for all faces j, by the dual
 * simplex method. It starts from four planes of a regular tetrahedron around the body, whose
 * weights are equal, and then always brings in the face that is violated most. Of the centres on
 * the way that one is kept whose ball is largest; a ball that meets no face, about a centre that
 * the faces wrap around, is inside the body.
 */
ov_ball ovi_polyhedron_inscribed_ball(const ov_shape *shape) {
    const double c = 0.57735026918962576; // 1/sqrt 3
    const ov_vec3 *v = shape->u.polyhedron.vertices;
    const uint32_t(*triangles)[3] = shape->u.polyhedron.triangles;
    size_t count = shape->u.polyhedron.vertex_count, faces = shape->u.polyhedron.triangle_count;
    ov_vec3 sum = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < count; i++) {
        sum = ov_vec3_add(sum, ov_vec3_sub(v[i], v[0]));
    }
    ov_vec3 origin = ov_vec3_add_scaled(v[0], sum, 1.0 / (double)count), best = origin;
    double square, best_radius = clearance(shape, origin), y[4];
    (void)farthest(v, count, origin, &square);
    double extent = sqrt(square), unit = 1.0 / extent;
    plane p[4] = {{{c, c, c}, 1.0}, {{c, -c, -c}, 1.0}, {{-c, c, -c}, 1.0}, {{-c, -c, c}, 1.0}};
    for (int round = 0; round < ROUNDS && touch_four(p, y); round++) {
        ov_vec3 x = ov_vec3_make(y[0], y[1], y[2]);
        plane next = nearest_face(shape, x, origin, unit);
        double gap = next.offset - ov_vec3_dot(next.normal, x);
        if (gap * extent > best_radius) {
            ov_vec3 centre = ov_vec3_add_scaled(origin, x, extent);
            double radius = clearance(shape, centre);
            if (radius > best_radius && ovi_winding(v, triangles, faces, centre) > 0.5) {
                best_radius = radius;
                best = centre;
            }
        }
        int leaving = gap < y[3] - 1e-14 ? choose_leaving(p, next.normal) : -1;
        if (leaving < 0) {
            break;
        }
        p[leaving] = next;
    }
    return (ov_ball){best, best_radius};
}

/* ---- mass: exact sums over tetrahedra */

/** Integrals of 1, of r, and of the products of r's coordinates. */
typedef struct moments {
    double volume;
    ov_vec3 first;
    double xx, yy, zz, xy, yz, zx;
} moments;

/**
 * Sums over the tetrahedra that join `origin` to the faces.
 *
 * With corners a, b, c of a face, seen from the origin, and J = a.(b x c), six times the volume:
 * the integral of r is J s/24 with s = a + b + c, and that of r r^T is J (s s^T + a a^T + b b^T +
 * c c^T)/120. J is taken as twice the face's area times the distance of its plane, since a.(b x c)
 * itself cancels where the face is small or the body thin.
 */
static moments sum_tetrahedra(const ov_shape *shape, ov_vec3 origin, double unit) {
    moments m = {0.0, {0.0, 0.0, 0.0}, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    for (size_t f = 0; f < shape->u.polyhedron.triangle_count; f++) {
        ovi_face face = face_of(shape, f);
        double spread, height = ovi_face_height(&face, origin, &spread);
        double j = -(height * unit) * (face.length * unit) * (face.height * unit);
        ov_vec3 a = ov_vec3_scale(ov_vec3_sub(face.ends[0], origin), unit);
        ov_vec3 b = ov_vec3_scale(ov_vec3_sub(face.ends[1], origin), unit);
        ov_vec3 c = ov_vec3_scale(ov_vec3_sub(face.apex, origin), unit);
        ov_vec3 s = ov_vec3_add(a, ov_vec3_add(b, c));
        m.volume += j;
        m.first = ov_vec3_add_scaled(m.first, s, j);
        m.xx += j * (s.x * s.x + a.x * a.x + b.x * b.x + c.x * c.x);
        m.yy += j * (s.y * s.y + a.y * a.y + b.y * b.y + c.y * c.y);
        m.zz += j * (s.z * s.z + a.z * a.z + b.z * b.z + c.z * c.z);
        m.xy += j * (s.x * s.y + a.x * a.y + b.x * b.y + c.x * c.y);
        m.yz += j * (s.y * s.z + a.y * a.z + b.y * b.z + c.y * c.z);
        m.zx += j * (s.z * s.x + a.z * a.x + b.z * b.x + c.z * c.x);
    }
    m.volume /= 6.0;
    m.first = ov_vec3_scale(m.first, 1.0 / 24.0);
    return m;
}

/** Two rounds: the first finds the centroid, the second sums about it, where nothing cancels. */
ov_mass ovi_polyhedron_mass(const ov_shape *shape) {
    const ov_vec3 *v = shape->u.polyhedron.vertices;
    size_t count = shape->u.polyhedron.vertex_count;
    ov_vec3 low = v[0], high = v[0], sum = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < count; i++) {
        low = ov_vec3_make(fmin(low.x, v[i].x), fmin(low.y, v[i].y), fmin(low.z, v[i].z));
        high = ov_vec3_make(fmax(high.x, v[i].x), fmax(high.y, v[i].y), fmax(high.z, v[i].z));
        sum = ov_vec3_add(sum, ov_vec3_sub(v[i], v[0]));
    }
    // lengths in units of the extent, or fifth powers of them would leave the range of a double
    double extent = ovi_max_abs(ov_vec3_sub(high, low)), unit = 1.0 / extent;
    ov_vec3 origin = ov_vec3_add_scaled(v[0], sum, 1.0 / (double)count);
    moments m = sum_tetrahedra(shape, origin, unit);
    origin = ov_vec3_add_scaled(origin, m.first, extent / m.volume);
    m = sum_tetrahedra(shape, origin, unit);
    // what the centroid's own rounding leaves over, by the parallel axes
    ov_vec3 g = ov_vec3_scale(m.first, 1.0 / m.volume);
    double xx = m.xx / 120.0 - m.volume * g.x * g.x, xy = m.xy / 120.0 - m.volume * g.x * g.y;
    double yy = m.yy / 120.0 - m.volume * g.y * g.y, yz = m.yz / 120.0 - m.volume * g.y * g.z;
    double zz = m.zz / 120.0 - m.volume * g.z * g.z, zx = m.zx / 120.0 - m.volume * g.z * g.x;
    double cube = extent * extent * extent, fifth = cube * extent * extent;
    ov_mass out;
    out.volume = out.mass = m.volume * cube;
    out.centroid = ov_vec3_add_scaled(origin, g, extent);
    out.inertia.cx = ov_vec3_scale(ov_vec3_make(yy + zz, -xy, -zx), fifth);
    out.inertia.cy = ov_vec3_scale(ov_vec3_make(-xy, zz + xx, -yz), fifth);
    out.inertia.cz = ov_vec3_scale(ov_vec3_make(-zx, -yz, xx + yy), fifth);
    return out;
}
