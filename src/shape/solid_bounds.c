/**
 * @file solid_bounds.c
 * @brief Bounding and inscribed balls of the solids.
 *
 * Both are the best ones: for the simple kinds in closed form, for vertices and faces by walking
 * from basis to basis. The smallest ball around points is settled by at most four of them, and the
 * largest ball inside faces by at most four of those; either walk swaps in the one that is violated
 * most, needs no memory beyond the basis, and takes a few rounds over the vertices or faces. At the
 * end the radius is measured anew from the rounded centre over everything, so the ball bounds (or
 * is inside) also where the walk was stopped at its limit, or stalled by rounding.
 */
#include "shape_internal.h"

enum { ROUNDS = 200 };

/** Height of a face below which its plane is not used, in units of the body. */
#define SMALL_FACE 1e-9

static ov_ball outward(ov_vec3 centre, double radius) {
    return (ov_ball){centre, radius * (1.0 + OVI_BOUND_MARGIN)};
}

static ov_ball inward(ov_vec3 centre, double radius) {
    return (ov_ball){centre, radius * (1.0 - OVI_BOUND_MARGIN)};
}

/* ---- smallest ball around points */

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

static ov_ball bound_vertices(const ov_vec3 *v, size_t count) {
    double square;
    // coordinates relative to one vertex: what the walk computes is of the size of the body
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
    return outward(best.centre, best.radius);
}

/** Through the tip and the rim, or about the base's centre where the cone is flat. */
static ov_ball bound_cone(const ov_shape *s) {
    double radius = s->a.x, half = s->a.z;
    if (radius >= 2.0 * half) {
        return outward(ov_vec3_make(0.0, 0.0, -half), radius);
    }
    double below = radius * (radius / (4.0 * half));
    return outward(ov_vec3_make(0.0, 0.0, -below), half + below);
}

ov_status ovi_primitive_bounding_ball(const ov_shape *shape, ov_ball *ball) {
    const ov_vec3 zero = {0.0, 0.0, 0.0};
    const ov_vec3 a = shape->a;
    switch (shape->kind) {
    case OV_SHAPE_KIND_HALFSPACE:
        return OV_ERROR_UNBOUNDED;
    case OV_SHAPE_KIND_BOX:
        *ball = outward(zero, ov_vec3_length(a));
        return OV_OK;
    case OV_SHAPE_KIND_CAPSULE:
        *ball = outward(zero, a.x + a.z);
        return OV_OK;
    case OV_SHAPE_KIND_CYLINDER:
        *ball = outward(zero, ov_vec3_length(ov_vec3_make(a.x, 0.0, a.z)));
        return OV_OK;
    case OV_SHAPE_KIND_CONE:
        *ball = bound_cone(shape);
        return OV_OK;
    case OV_SHAPE_KIND_CUSTOM:
        *ball = shape->ball;
        return OV_OK;
    default:
        break;
    }
    const ov_vec3 *vertices;
    size_t count = ovi_primitive_vertices(shape, &vertices);
    if (count == 0) {
        return OV_ERROR_UNSUPPORTED;
    }
    *ball = bound_vertices(vertices, count);
    return OV_OK;
}

/* ---- largest ball inside faces */

/** Incircle of the section; measured anew from its rounded centre. */
static ov_ball inscribe_cone(const ov_shape *s) {
    double radius = s->a.x, half = s->a.z;
    double slant = ov_vec3_length(ov_vec3_make(radius, 2.0 * half, 0.0));
    double z = -half + 2.0 * half * (radius / (radius + slant));
    double r = fmin(z + half, (half - z) * (radius / slant));
    // in a needle the rounding of z may be all of the height above the base: look one step up
    double up = nextafter(z, half), r_up = fmin(up + half, (half - up) * (radius / slant));
    return r_up > r ? inward(ov_vec3_make(0.0, 0.0, up), r_up)
                    : inward(ov_vec3_make(0.0, 0.0, z), r);
}

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
 * and `unit` make the coordinates of the walk, in which the plane is returned. Faces too small for
 * their planes to mean anything across the body are left to `clearance`.
 */
static plane nearest_face(const ov_shape *shape, ov_vec3 point, ov_vec3 origin, double unit) {
    plane best = {{0.0, 0.0, 0.0}, INFINITY};
    double least = INFINITY;
    for (size_t f = 0; f < shape->u.polyhedron.triangle_count; f++) {
        ovi_face face = ovi_polyhedron_face(shape, f);
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
        ovi_face face = ovi_polyhedron_face(shape, f);
        least = fmin(least, ovi_face_distance(&face, centre));
        extent = fmax(extent, ovi_max_abs(ov_vec3_sub(face.apex, centre)));
    }
    return least - OVI_ON_SURFACE * extent;
}

/**
 * Largest ball inside a polyhedron: maximise r with n_j . x + r <= d_j for all faces j, as a dual
 * simplex walk. It starts from four planes of a regular tetrahedron around the body, whose weights
 * are equal, and then always brings in the face that is violated most. Of the centres on the way
 * that one is kept whose ball is largest; a ball that meets no face, about a centre that the faces
 * wrap around, is inside the body.
 */
static ov_status inscribe_polyhedron(const ov_shape *shape, ov_ball *ball) {
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
    if (!(best_radius > 0.0)) {
        return OV_ERROR_DEGENERATE;
    }
    *ball = inward(best, best_radius);
    return OV_OK;
}

ov_status ovi_primitive_inscribed_ball(const ov_shape *shape, ov_ball *ball) {
    const ov_vec3 zero = {0.0, 0.0, 0.0};
    const ov_vec3 a = shape->a;
    switch (shape->kind) {
    case OV_SHAPE_KIND_BOX:
        *ball = inward(zero, fmin(a.x, fmin(a.y, a.z)));
        return OV_OK;
    case OV_SHAPE_KIND_CAPSULE:
        *ball = inward(zero, a.x);
        return OV_OK;
    case OV_SHAPE_KIND_CYLINDER:
        *ball = inward(zero, fmin(a.x, a.z));
        return OV_OK;
    case OV_SHAPE_KIND_CONE:
        *ball = inscribe_cone(shape);
        return OV_OK;
    case OV_SHAPE_KIND_POLYHEDRON:
        if (shape->u.polyhedron.triangle_count == 0) {
            return OV_ERROR_UNSUPPORTED;
        }
        return inscribe_polyhedron(shape, ball);
    default:
        return OV_ERROR_UNSUPPORTED;
    }
}
