/**
 * @file cloth_contact.c
 * @brief Cloth and bodies: which triangles are near, the plane of a body that the deepest point of
 * a triangle must stay above, and the correction with friction and impulses on the body.
 *
 * A contact is a plane n . p >= c that has the whole body below it, and a point of the triangle, by
 * barycentric coordinates, that is to stay above it. For a body with gauge G (homogeneous, 1 on the
 * surface) and the point p* of the triangle where G is least:
 *
 *     1. n = grad G/|grad G| at p*, and the support is h(n) = 1/|grad G|, as G is homogeneous
 *     2. n . p* - h(n) = (G(p*) - 1) h(n): negative where the triangle is in the body
 *     3. n . p* <= n . p over the triangle where p* is the minimum: the plane is as far from the
 *        triangle as any with this normal, and if all corners are above it the triangle is free
 *
 * 3 also tells how good a p* is that an iteration found: n . p* - min n . x_i over the corners x_i.
 * Ellipsoids: in the space where the body is the unit ball, p* is the point of a triangle nearest
 * to the origin. Superellipsoids: Newton's method on G^2/2 in barycentric coordinates, each step
 * the minimum of a quadratic over the triangle. Tapered ones: the same for p*, and the support for
 * the plane. Boxes and other kinds: the pair query. A plane stays with its triangle; as long as it
 * separates them nothing is evaluated, and where nothing moved by more than a tolerance it is used
 * as it is.
 */
#include <string.h>

#include "../query/query_internal.h"
#include "cloth_internal.h"

/* ---- triangles near bodies */

typedef struct near_search {
    ov_cloth *cloth;
    size_t count;
    bool failed;
} near_search;

static void add_candidate(near_search *n, uint32_t place) {
    ov_cloth *cloth = n->cloth;
    if (n->count >= cloth->spare_room) {
        void *more = ovi_more_room(&cloth->allocator, cloth->spare, &cloth->spare_room,
                                   n->count + 1, sizeof *cloth->spare);
        if (more == NULL) {
            n->failed = true;
            return;
        }
        cloth->spare = more;
    }
    cloth->spare[n->count++] =
        (ovi_cloth_candidate){.triangle = cloth->order[place], .place = place};
}

static void search_tree(near_search *n, const ov_aabb *box) {
    const ov_cloth *cloth = n->cloth;
    uint32_t stack[OVI_BVH_STACK], depth = 0, at = 0;
    for (;;) {
        const ovi_cloth_node *node = &cloth->nodes[at];
        if (ovi_boxes_meet(&node->box, box)) {
            if (node->count == 0) {
                stack[depth++] = node->first;
                at++;
                continue;
            }
            for (uint32_t i = 0; i < node->count && !n->failed; i++) {
                add_candidate(n, node->first + i);
            }
        }
        if (depth == 0 || n->failed) {
            return;
        }
        at = stack[--depth];
    }
}

/** What was known about the triangles of a body, which are in the order of the tree in both lists.
 */
static void inherit(ov_cloth *cloth, const ovi_cloth_solid *s, size_t first, size_t count) {
    size_t old = s->first, end = s->first + s->count;
    for (size_t i = first; i < first + count; i++) {
        while (old < end && cloth->candidates[old].place < cloth->spare[i].place) {
            old++;
        }
        if (old < end && cloth->candidates[old].place == cloth->spare[i].place) {
            cloth->spare[i] = cloth->candidates[old];
        }
    }
}

static ov_status search_all(ov_cloth *cloth, double margin) {
    near_search n = {.cloth = cloth};
    ovi_cloth_refit(cloth, cloth->nodes);
    for (size_t i = 0; i < cloth->solid_count; i++) {
        ovi_cloth_solid *s = &cloth->solids[i];
        size_t first = n.count;
        ov_aabb box;
        s->drift = 0.0;
        if (!n.failed && s->shape != NULL && s->path != OVI_SOLID_PLANE &&
            ov_shape_aabb(s->shape, s->pose, &box) == OV_OK) {
            box = ovi_box_grow(box, margin);
            search_tree(&n, &box);
            inherit(cloth, s, first, n.count - first);
        }
        s->first = first;
        s->count = n.count - first;
    }
    ovi_cloth_candidate *found = cloth->spare;
    size_t room = cloth->spare_room;
    cloth->spare = cloth->candidates;
    cloth->spare_room = cloth->candidate_room;
    cloth->candidates = found;
    cloth->candidate_room = room;
    cloth->candidate_count = n.count;
    return n.failed ? OV_ERROR_MEMORY : OV_OK;
}

/**
 * A body and a triangle that are not candidates were further apart than the margin, and have come
 * closer by the sum of their drifts at most. `step` is how far the cloth may move in the next step.
 */
ov_status ovi_cloth_find_candidates(ov_cloth *cloth, double step) {
    double drift = 0.0, size = 0.0;
    size_t sized = 0;
    for (size_t i = 0; i < cloth->solid_count; i++) {
        const ovi_cloth_solid *s = &cloth->solids[i];
        drift = s->drift > drift ? s->drift : drift;
        if (isfinite(s->outer)) {
            size += s->outer;
            sized++;
        }
    }
    if (cloth->drift + drift + 2.0 * step <= cloth->slack) {
        return OV_OK;
    }
    size = sized > 0 ? size / (double)sized : 0.0;
    drift = cloth->slack < 0.0 ? 0.0 : drift; // of bodies that were not there
    cloth->slack = 8.0 * step + 2.0 * drift + 0.02 * size;
    cloth->drift = 0.0;
    ov_status status = search_all(cloth, cloth->slack + 0.5 * cloth->thickness);
    if (status != OV_OK) {
        cloth->slack = -1.0;
    }
    return status;
}

/* ---- a body against a triangle */

ov_vec3 ovi_cloth_nearest_to_origin(const ov_vec3 p[3], double b[3]) {
    ov_vec3 ab = ov_vec3_sub(p[1], p[0]), ac = ov_vec3_sub(p[2], p[0]);
    double d1 = -ov_vec3_dot(ab, p[0]), d2 = -ov_vec3_dot(ac, p[0]);
    b[0] = b[1] = b[2] = 0.0;
    if (d1 <= 0.0 && d2 <= 0.0) {
        b[0] = 1.0;
        return p[0];
    }
    double d3 = -ov_vec3_dot(ab, p[1]), d4 = -ov_vec3_dot(ac, p[1]);
    if (d3 >= 0.0 && d4 <= d3) {
        b[1] = 1.0;
        return p[1];
    }
    double vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
        b[1] = d1 / (d1 - d3);
        b[0] = 1.0 - b[1];
        return ov_vec3_add_scaled(p[0], ab, b[1]);
    }
    double d5 = -ov_vec3_dot(ab, p[2]), d6 = -ov_vec3_dot(ac, p[2]);
    if (d6 >= 0.0 && d5 <= d6) {
        b[2] = 1.0;
        return p[2];
    }
    double vb = d5 * d2 - d1 * d6;
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
        b[2] = d2 / (d2 - d6);
        b[0] = 1.0 - b[2];
        return ov_vec3_add_scaled(p[0], ac, b[2]);
    }
    double va = d3 * d6 - d5 * d4;
    if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
        b[2] = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        b[1] = 1.0 - b[2];
        return ov_vec3_add_scaled(p[1], ov_vec3_sub(p[2], p[1]), b[2]);
    }
    double inverse = 1.0 / (va + vb + vc);
    b[1] = vb * inverse;
    b[2] = vc * inverse;
    b[0] = 1.0 - b[1] - b[2];
    return ov_vec3_add_scaled(ov_vec3_add_scaled(p[0], ab, b[1]), ac, b[2]);
}

/** A plane in the body's frame: the body is below it. */
typedef struct body_plane {
    ov_vec3 normal; /**< unit */
    double support;
    double b[3];
} body_plane;

static bool gradient_plane(ov_vec3 gradient, body_plane *out) {
    double length = sqrt(ov_vec3_dot(gradient, gradient));
    if (!(length > 0.0)) {
        return false; // at the centre: every direction is as good
    }
    out->normal = ov_vec3_scale(gradient, 1.0 / length);
    out->support = 1.0 / length;
    return true;
}

static bool ellipsoid_plane(const ov_shape *s, const ov_vec3 q[3], body_plane *out) {
    ov_vec3 inverse = ov_vec3_make(1.0 / s->a.x, 1.0 / s->a.y, 1.0 / s->a.z);
    ov_vec3 y[3] = {ov_vec3_mul(q[0], inverse), ov_vec3_mul(q[1], inverse),
                    ov_vec3_mul(q[2], inverse)};
    ov_vec3 p = ovi_cloth_nearest_to_origin(y, out->b);
    double g = sqrt(ov_vec3_dot(p, p));
    return g > 0.0 && gradient_plane(ov_vec3_scale(ov_vec3_mul(p, inverse), 1.0 / g), out);
}

/** Value of a quadratic g . d + d . H d/2. */
static double model_at(const double g[2], const double h[3], double u, double v) {
    return u * (g[0] + 0.5 * h[0] * u + h[1] * v) + v * (g[1] + 0.5 * h[2] * v);
}

/** Minimum along the segment from (u, v) by t (du, dv), 0 <= t <= 1. */
static double along_edge(const double g[2], const double h[3], double u, double v, double du,
                         double dv) {
    double slope = (g[0] + h[0] * u + h[1] * v) * du + (g[1] + h[1] * u + h[2] * v) * dv;
    double bend = h[0] * du * du + 2.0 * h[1] * du * dv + h[2] * dv * dv;
    double t = bend > 0.0 ? -slope / bend : slope < 0.0 ? 1.0 : 0.0;
    return t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
}

/** Minimum of a convex quadratic over the triangle u, v >= 0, u + v <= 1, about (u0, v0): inside,
 *  or the least of those of the three sides. Returns its value less that at (u0, v0). */
static double model_minimum(const double g[2], const double h[3], double u0, double v0, double *u,
                            double *v) {
    double det = h[0] * h[2] - h[1] * h[1];
    if (det > 1e-14 * h[0] * h[2]) {
        *u = u0 + (h[1] * g[1] - h[2] * g[0]) / det;
        *v = v0 + (h[1] * g[0] - h[0] * g[1]) / det;
        if (*u >= 0.0 && *v >= 0.0 && *u + *v <= 1.0) {
            return model_at(g, h, *u - u0, *v - v0);
        }
    }
    const double corners[3][2] = {{0.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}};
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        const double *p = corners[i], *q = corners[(i + 1) % 3];
        double t = along_edge(g, h, p[0] - u0, p[1] - v0, q[0] - p[0], q[1] - p[1]);
        double a = p[0] + t * (q[0] - p[0]), b = p[1] + t * (q[1] - p[1]);
        double value = model_at(g, h, a - u0, b - v0);
        if (value < best) {
            best = value;
            *u = a;
            *v = b;
        }
    }
    return best;
}

/**
 * Newton's method on f = G^2/2 over the triangle, from b. Stops when
 *
 *     n . p - min n . q_i <= tolerance          (3 of the head of this file)
 *
 * A step that does not lessen f is halved.
 */
static bool gauge_plane(const ov_shape *s, const ov_vec3 q[3], double tolerance, body_plane *out) {
    enum { STEPS = 12, HALVINGS = 12 };
    ov_vec3 e1 = ov_vec3_sub(q[1], q[0]), e2 = ov_vec3_sub(q[2], q[0]);
    double u = out->b[1], v = out->b[2];
    ov_field f;
    ov_vec3 p = ov_vec3_add_scaled(ov_vec3_add_scaled(q[0], e1, u), e2, v);
    (void)ovi_family_gauge(s, p, &f);
    for (int i = 0; i < STEPS; i++) {
        double s1 = ov_vec3_dot(f.gradient, e1), s2 = ov_vec3_dot(f.gradient, e2);
        double least = s1 < s2 ? s1 : s2;
        least = least < 0.0 ? least : 0.0;
        double length = sqrt(ov_vec3_dot(f.gradient, f.gradient));
        if (u * s1 + v * s2 - least <= tolerance * length) {
            break;
        }
        ov_vec3 h1 = ov_mat3_mul_vec3(&f.hessian, e1), h2 = ov_mat3_mul_vec3(&f.hessian, e2);
        double g[2] = {f.value * s1, f.value * s2};
        double h[3] = {s1 * s1 + f.value * ov_vec3_dot(e1, h1),
                       s1 * s2 + f.value * ov_vec3_dot(e2, h1),
                       s2 * s2 + f.value * ov_vec3_dot(e2, h2)};
        double nu = u, nv = v;
        (void)model_minimum(g, h, u, v, &nu, &nv);
        double old = f.value;
        for (int k = 0; k < HALVINGS; k++) {
            p = ov_vec3_add_scaled(ov_vec3_add_scaled(q[0], e1, nu), e2, nv);
            (void)ovi_family_gauge(s, p, &f);
            if (f.value <= old) {
                break;
            }
            nu = 0.5 * (u + nu);
            nv = 0.5 * (v + nv);
        }
        u = nu;
        v = nv;
    }
    out->b[0] = 1.0 - u - v;
    out->b[1] = u;
    out->b[2] = v;
    return gradient_plane(f.gradient, out);
}

/** Barycentric coordinates of a point near a triangle. */
static void coordinates_of(const ov_vec3 q[3], ov_vec3 p, double b[3]) {
    ov_vec3 shifted[3] = {ov_vec3_sub(q[0], p), ov_vec3_sub(q[1], p), ov_vec3_sub(q[2], p)};
    (void)ovi_cloth_nearest_to_origin(shifted, b);
}

static bool query_plane(const ov_shape *s, const ov_vec3 q[3], body_plane *out) {
    const ov_pair_options options = {.tolerance = 1e-6, .depth = OV_DEPTH_LOCAL};
    ov_contact c;
    if (ov_triangle_contact(s, ov_pose_identity(), q[0], q[1], q[2], &options, &c) < 0) {
        return false;
    }
    out->normal = c.normal;
    out->support = ov_vec3_dot(c.normal, c.point_a);
    coordinates_of(q, c.point_b, out->b);
    return true;
}

/** Plane and point in the body's frame, by the way of its kind. */
static bool find_plane(const ovi_cloth_solid *s, const ov_vec3 q[3], body_plane *out) {
    const double tolerance = 1e-5 * s->outer;
    ov_support support;
    switch (s->path) {
    case OVI_SOLID_ELLIPSOID:
        return ellipsoid_plane(s->shape, q, out);
    case OVI_SOLID_GAUGE:
        return gauge_plane(s->shape, q, tolerance, out);
    case OVI_SOLID_TAPERED:
        if (!gauge_plane(s->shape, q, tolerance, out)) {
            return false;
        }
        support = ovi_family_support(s->shape, out->normal);
        out->support = support.value;
        return true;
    default:
        return query_plane(s->shape, q, out);
    }
}

/** The same for the corners alone: the one that is deepest. */
static bool find_vertex_plane(const ovi_cloth_solid *s, const ov_vec3 q[3], body_plane *out) {
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        const ov_vec3 same[3] = {q[i], q[i], q[i]};
        body_plane plane = {.b = {1.0, 0.0, 0.0}};
        bool found = s->path == OVI_SOLID_ELLIPSOID ? ellipsoid_plane(s->shape, same, &plane)
                     : s->path == OVI_SOLID_GAUGE || s->path == OVI_SOLID_TAPERED
                         ? gauge_plane(s->shape, same, INFINITY, &plane)
                         : false;
        ov_contact c;
        if (!found && s->path == OVI_SOLID_SUPPORT &&
            ov_point_contact(s->shape, ov_pose_identity(), q[i], NULL, &c) >= 0) {
            plane.normal = c.normal;
            plane.support = ov_vec3_dot(c.normal, c.point_a);
            found = true;
        }
        double height = found ? ov_vec3_dot(plane.normal, q[i]) - plane.support : INFINITY;
        if (height < least) {
            least = height;
            *out = plane;
            out->b[0] = i == 0;
            out->b[1] = i == 1;
            out->b[2] = i == 2;
        }
    }
    return isfinite(least);
}

static void evaluate(const ov_cloth *cloth, const ovi_cloth_solid *s, const ov_vec3 p[3],
                     ovi_cloth_candidate *c) {
    ov_vec3 q[3];
    for (int i = 0; i < 3; i++) {
        q[i] = ov_mat3_tmul_vec3(&s->turn, ov_vec3_sub(p[i], s->pose.position));
    }
    body_plane plane = {.b = {c->b[0], c->b[1], c->b[2]}};
    if (c->stamp == 0) {
        plane.b[0] = plane.b[1] = plane.b[2] = 1.0 / 3.0;
    }
    bool found = cloth->options.contact == OV_CLOTH_CONTACT_VERTICES
                     ? find_vertex_plane(s, q, &plane)
                     : find_plane(s, q, &plane);
    if (!found) {
        return; // through the centre: the plane of before is still one of the body
    }
    c->normal = ov_mat3_mul_vec3(&s->turn, plane.normal);
    c->offset = plane.support + ov_vec3_dot(c->normal, s->pose.position) + 0.5 * cloth->thickness;
    memcpy(c->b, plane.b, sizeof c->b);
    c->stamp = cloth->clock;
}

/* ---- no vertex past the middle of a body */

/** Holds vertices near a body within a stride of where the step began. */
static void hold_back_at(ov_cloth *cloth, const ovi_cloth_solid *s) {
    double stride = ovi_cloth_stride(s);
    for (size_t i = s->first; i < s->first + s->count; i++) {
        const uint32_t *v = cloth->triangles[cloth->candidates[i].triangle];
        for (int k = 0; k < 3; k++) {
            ovi_v4 way = cloth->x[v[k]] - cloth->prev[v[k]], q = way * way;
            double squared = q[0] + q[1] + q[2];
            if (squared > stride * stride && cloth->w[v[k]] > 0.0) {
                cloth->x[v[k]] = cloth->prev[v[k]] + way * (stride / sqrt(squared));
            }
        }
    }
}

/**
 * Strained edges and hands can pull a vertex as far in one step as they like: through a body, past
 * whose centre the contact would push it out on the other side. So what is near a body goes no
 * further than a stride, and body and vertex together no further than the ball inside the body is
 * wide; the contact holds it there, and the strain grows.
 */
static void hold_back(ov_cloth *cloth) {
    double least = INFINITY;
    for (size_t i = 0; i < cloth->solid_count; i++) {
        const ovi_cloth_solid *s = &cloth->solids[i];
        least = s->count > 0 ? fmin(least, ovi_cloth_stride(s)) : least;
    }
    double most = 0.0;
    for (size_t i = 0; isfinite(least) && i < cloth->vertex_count; i++) {
        ovi_v4 d = cloth->x[i] - cloth->prev[i], q = d * d;
        double squared = q[0] + q[1] + q[2];
        most = squared > most ? squared : most;
    }
    most = sqrt(most);
    for (size_t i = 0; i < cloth->solid_count; i++) {
        const ovi_cloth_solid *s = &cloth->solids[i];
        if (s->count > 0 && most > ovi_cloth_stride(s)) {
            hold_back_at(cloth, s);
        }
    }
}

/* ---- finding all contacts of the current positions */

/** Vertices that have moved further than the tolerance since their planes were evaluated. */
static void stamp_vertices(ov_cloth *cloth) {
    double limit = cloth->tolerance * cloth->tolerance;
    for (size_t i = 0; i < cloth->vertex_count; i++) {
        ovi_v4 d = cloth->x[i] - cloth->reference[i];
        d *= d;
        if (d[0] + d[1] + d[2] > limit) {
            cloth->reference[i] = cloth->x[i];
            cloth->stamps[i] = cloth->clock;
        }
    }
}

/** Has a triangle a corner below its plane? Normal and offset are one vector, as a corner is. */
OVI_INLINE bool is_below(const ovi_cloth_candidate *c, const ovi_v4 *x, const uint32_t *v) {
    ovi_v4 n;
    memcpy(&n, &c->normal, sizeof n);
    ovi_v4 p = n * x[v[0]], q = n * x[v[1]], r = n * x[v[2]];
    ovi_v4 a =
        __builtin_shufflevector(p, q, 0, 4, 2, 6) + __builtin_shufflevector(p, q, 1, 5, 3, 7);
    ovi_v4 b =
        __builtin_shufflevector(r, r, 0, 4, 2, 6) + __builtin_shufflevector(r, r, 1, 5, 3, 7);
    ovi_v4 sum = __builtin_shufflevector(a, b, 0, 1, 4, 5) +
                 __builtin_shufflevector(a, b, 2, 3, 6, 7); // the fourth coordinate is zero
    ovi_i4 below = sum < ovi_v4_of(c->offset);
    return (below[0] | below[1] | below[2]) != 0;
}

_Static_assert(offsetof(ovi_cloth_candidate, offset) == sizeof(ov_vec3), "one vector");

OVI_INLINE int mark_below_inner(ovi_cloth_candidate *c, size_t count, const ov_cloth *cloth) {
    for (size_t i = 0; i < count; i++) {
        c[i].below = c[i].stamp == 0 || is_below(&c[i], cloth->x, cloth->triangles[c[i].triangle]);
    }
    return 0;
}

/** Which candidates are to be looked at: those never evaluated, and those below their planes. */
OVI_DISPATCH(static, int, mark_below, mark_below_inner,
             (ovi_cloth_candidate * c, size_t count, const ov_cloth *cloth), (c, count, cloth))

typedef struct evaluation {
    ov_cloth *cloth;
    ovi_cloth_solid *solid;
} evaluation;

/** Planes of a part of a body's candidates, as far as they are needed and out of date. */
static void evaluate_range(void *context, unsigned index, size_t begin, size_t end) {
    const evaluation *e = context;
    const ov_cloth *cloth = e->cloth;
    const ovi_cloth_solid *s = e->solid;
    const uint32_t *stamps = cloth->stamps;
    (void)index;
    mark_below(&cloth->candidates[s->first + begin], end - begin, cloth);
    for (size_t i = s->first + begin; i < s->first + end; i++) {
        ovi_cloth_candidate *c = &cloth->candidates[i];
        const uint32_t *v = cloth->triangles[c->triangle];
        if (c->below && (c->stamp == 0 || stamps[v[0]] > c->stamp || stamps[v[1]] > c->stamp ||
                         stamps[v[2]] > c->stamp || s->stamp > c->stamp)) {
            ov_vec3 p[3] = {ovi_cloth_at(cloth->x, v[0]), ovi_cloth_at(cloth->x, v[1]),
                            ovi_cloth_at(cloth->x, v[2])};
            evaluate(cloth, s, p, c);
        }
    }
}

/* ---- impulses on bodies */

double ovi_cloth_inverse_mass(const ov_cloth_collider *c, ov_vec3 point, ov_vec3 n) {
    if (c->inverse_mass == 0.0) {
        return 0.0;
    }
    ov_vec3 arm = ov_vec3_cross(ov_vec3_sub(point, c->end.position), n);
    return c->inverse_mass + ov_vec3_dot(arm, ov_mat3_mul_vec3(&c->inverse_inertia, arm));
}

void ovi_cloth_push(ov_cloth *cloth, ov_cloth_collider *colliders, uint32_t collider, ov_vec3 point,
                    ov_vec3 impulse, double h) {
    ov_cloth_collider *c = &colliders[collider];
    ov_vec3 arm = ov_vec3_sub(point, c->end.position), turn = ov_vec3_cross(arm, impulse);
    c->impulse = ov_vec3_add(c->impulse, impulse);
    c->angular_impulse = ov_vec3_add(c->angular_impulse, turn);
    if (c->inverse_mass > 0.0) {
        ov_vec3 *push = &cloth->push[2 * collider];
        push[0] = ov_vec3_add_scaled(push[0], impulse, h * c->inverse_mass);
        push[1] = ov_vec3_add_scaled(push[1], ov_mat3_mul_vec3(&c->inverse_inertia, turn), h);
    }
}

ov_vec3 ovi_cloth_pushed(const ov_cloth *cloth, const ov_cloth_collider *colliders,
                         uint32_t collider, ov_vec3 point) {
    const ov_cloth_collider *c = &colliders[collider];
    if (c->inverse_mass == 0.0) {
        return ov_vec3_make(0.0, 0.0, 0.0);
    }
    const ov_vec3 *push = &cloth->push[2 * collider];
    return ov_vec3_add(push[0], ov_vec3_cross(push[1], ov_vec3_sub(point, c->end.position)));
}

/* ---- correction of one contact */

/** What a correction works on: up to three vertices with weights, and a plane. */
typedef struct contact_point {
    const uint32_t *v;
    const double *b;
    int count;
    ov_vec3 normal;
    double offset;
} contact_point;

static ov_vec3 weighted(const ovi_v4 *array, const contact_point *p) {
    ovi_v4 sum = array[p->v[0]] * p->b[0];
    for (int i = 1; i < p->count; i++) {
        sum += array[p->v[i]] * p->b[i];
    }
    return ov_vec3_make(sum[0], sum[1], sum[2]);
}

/** Moves the vertices by inverse mass and weight along a vector. */
static void shift(const ov_cloth *cloth, ovi_v4 *array, const contact_point *p, ov_vec3 by) {
    for (int i = 0; i < p->count; i++) {
        array[p->v[i]] += ovi_cloth_pack(by) * (cloth->w[p->v[i]] * p->b[i]);
    }
}

/**
 * What a contact point gives way, of which the corners take a share. Where nearly all of it is on a
 * corner that is held, the others would have to go without end to lift it: by this they go some
 * four times the depth at most, and the less the further the point is from them.
 */
static double compliance_of(const contact_point *p, const double give[3]) {
    double total = 0.0, most = 0.0;
    for (int i = 0; i < p->count; i++) {
        total += p->b[i] * p->b[i] * give[i];
        most = fmax(most, give[i]);
    }
    return fmax(total, 0.05 * most);
}

/** Where a point of the start of the step would be if it had gone along with the body. */
static ov_vec3 carried(const ovi_cloth_solid *s, ov_vec3 p) {
    return s->moves ? ov_mat3_tmul_vec3(&s->back.linear, ov_vec3_sub(p, s->back.translation)) : p;
}

/**
 * Brings the point above the plane, and takes away what friction can of its way along the plane: by
 * Coulomb's law up to the coefficient times the way along the normal. Depth that was there before
 * the step is taken away without speed. Returns whether there was a contact.
 */
static bool correct(ov_cloth *cloth, ov_cloth_collider *colliders, const ovi_cloth_solid *s,
                    const contact_point *p, double h) {
    ov_vec3 n = p->normal, at = weighted(cloth->x, p);
    ov_vec3 pushed = ovi_cloth_pushed(cloth, colliders, s->collider, at);
    double height = ov_vec3_dot(n, ov_vec3_sub(at, pushed)) - p->offset;
    if (height >= 0.0) {
        return false;
    }
    const ov_cloth_collider *c = &colliders[s->collider];
    double give[3];
    for (int i = 0; i < p->count; i++) {
        give[i] = cloth->w[p->v[i]];
    }
    double total = ovi_cloth_inverse_mass(c, at, n) + compliance_of(p, give);
    if (!(total > 0.0)) {
        return false;
    }
    ov_vec3 from = carried(s, weighted(cloth->prev, p));
    double before = ov_vec3_dot(n, from) - p->offset;
    double old = before < 0.0 ? fmin(-height, -before) : 0.0;
    shift(cloth, cloth->x, p, ov_vec3_scale(n, -height / total));
    if (old > 0.0) {
        shift(cloth, cloth->prev, p, ov_vec3_scale(n, old / total));
    }
    ov_vec3 way = ov_vec3_sub(ov_vec3_sub(at, from), pushed);
    ov_vec3 along = ov_vec3_add_scaled(way, n, -ov_vec3_dot(n, way));
    double length = sqrt(ov_vec3_dot(along, along)), most = -height * c->friction;
    double part = length <= most ? 1.0 : most / length;
    ov_vec3 hold = ov_vec3_scale(along, length > 0.0 ? -part / total : 0.0);
    shift(cloth, cloth->x, p, hold);
    ov_vec3 impulse = ov_vec3_add_scaled(hold, n, (-height - old) / total);
    ovi_cloth_push(cloth, colliders, s->collider, at, ov_vec3_scale(impulse, -1.0 / h), h);
    return true;
}

/* ---- cloth between two bodies */

/**
 * Half of the thickness that a body is to stay off, but for cloth that another one presses from
 * the other side: what lies under a ball that stands on the ground has no room for its thickness.
 * The bodies may then come as close to each other as they do, and the cloth gives way.
 */
static double layer_at(const ov_cloth *cloth, const uint32_t *v, int count) {
    for (int i = 0; i < count; i++) {
        if (cloth->press[v[i]].squeezed == cloth->clock) {
            return 0.0;
        }
    }
    return 0.5 * cloth->thickness;
}

/** Notes that a vertex is pushed along a normal in this round. */
static void note_press(ov_cloth *cloth, uint32_t v, ov_vec3 normal) {
    ovi_cloth_press *p = &cloth->press[v];
    if (p->clock != cloth->clock) {
        p->normal = normal;
        p->clock = cloth->clock;
    } else if (ov_vec3_dot(p->normal, normal) < -0.5) {
        p->squeezed = cloth->clock;
    }
}

/** A half-space in the world, without thickness. */
static void plane_of(const ovi_cloth_solid *s, ov_vec3 *normal, double *offset) {
    *normal = ov_mat3_mul_vec3(&s->turn, s->shape->u.halfspace.normal);
    *offset = s->shape->u.halfspace.offset + ov_vec3_dot(*normal, s->pose.position);
}

static double height_above(const ov_cloth *cloth, uint32_t v, ov_vec3 n, double offset) {
    ovi_v4 x = cloth->x[v];
    return x[0] * n.x + x[1] * n.y + x[2] * n.z - offset;
}

/** Which vertices are pressed from two sides, by the touches of this round and half-spaces. */
static void find_squeezed(ov_cloth *cloth, size_t from) {
    for (size_t i = from; i < cloth->touch_count; i++) {
        const ovi_cloth_candidate *c = &cloth->candidates[cloth->touches[i].candidate];
        for (int k = 0; k < 3; k++) {
            note_press(cloth, cloth->triangles[c->triangle][k], c->normal);
        }
    }
    for (size_t i = 0; i < cloth->solid_count; i++) {
        ov_vec3 n;
        double offset;
        if (cloth->solids[i].path != OVI_SOLID_PLANE) {
            continue;
        }
        plane_of(&cloth->solids[i], &n, &offset);
        for (uint32_t v = 0; v < cloth->vertex_count; v++) {
            if (height_above(cloth, v, n, offset) < 0.5 * cloth->thickness) {
                note_press(cloth, v, n);
            }
        }
    }
}

/** Half-spaces: vertices, as the deepest point of a triangle is one. */
static void collide_plane(ov_cloth *cloth, ov_cloth_collider *colliders, const ovi_cloth_solid *s,
                          double h) {
    ov_vec3 n;
    double surface;
    plane_of(s, &n, &surface);
    const double one = 1.0;
    for (uint32_t i = 0; i < cloth->vertex_count; i++) {
        double offset = surface + layer_at(cloth, &i, 1);
        if (height_above(cloth, i, n, offset) < 0.0) {
            const contact_point p = {&i, &one, 1, n, offset};
            cloth->contacts += correct(cloth, colliders, s, &p, h);
            if (colliders[s->collider].restitution > 0.0 &&
                cloth->touch_count < cloth->touch_room) {
                double approach = ov_vec3_dot(n, weighted(cloth->v, &p));
                cloth->touches[cloth->touch_count++] =
                    (ovi_cloth_touch){i, (uint32_t)(s - cloth->solids), approach};
            }
        }
    }
}

static void collide_planes(ov_cloth *cloth, ov_cloth_collider *colliders, double h) {
    for (size_t i = 0; i < cloth->solid_count; i++) {
        if (cloth->solids[i].path == OVI_SOLID_PLANE) {
            collide_plane(cloth, colliders, &cloth->solids[i], h);
        }
    }
}

/** Does a body hold a corner of a triangle? Then it does not push the triangle. */
static bool is_held(const ov_cloth *cloth, const uint32_t *v, uint32_t collider) {
    for (size_t i = 0; i < cloth->hold_count; i++) {
        const ovi_cloth_hold *hold = &cloth->holds[i];
        if (hold->collider == collider &&
            (hold->vertex == v[0] || hold->vertex == v[1] || hold->vertex == v[2])) {
            return true;
        }
    }
    return false;
}

/** The candidates below their planes, in the order of bodies and tree. */
static void collect_touches(ov_cloth *cloth, uint32_t solid, const ov_cloth_collider *collider,
                            double squeeze) {
    const ovi_cloth_solid *s = &cloth->solids[solid];
    for (size_t i = s->first; i < s->first + s->count; i++) {
        const ovi_cloth_candidate *c = &cloth->candidates[i];
        const contact_point p = {cloth->triangles[c->triangle], c->b, 3, c->normal, c->offset};
        if (!c->below || c->stamp == 0 ||
            ov_vec3_dot(c->normal, weighted(cloth->x, &p)) >= c->offset - squeeze ||
            is_held(cloth, p.v, s->collider)) {
            continue;
        }
        double approach = 0.0;
        if (collider->restitution > 0.0) {
            approach = ov_vec3_dot(c->normal, weighted(cloth->v, &p));
        }
        cloth->touches[cloth->touch_count++] = (ovi_cloth_touch){i, solid, approach};
    }
}

/** The contacts of the current positions; those of bodies that squeeze the cloth by no more than
 *  this are left out. They follow those of the first round. */
static void find_touches(ov_cloth *cloth, const ov_cloth_collider *colliders, double squeeze,
                         size_t from) {
    enum { GRAIN = 2048 };
    cloth->touch_count = from;
    cloth->clock++;
    stamp_vertices(cloth);
    for (size_t i = 0; i < cloth->solid_count; i++) {
        evaluation e = {cloth, &cloth->solids[i]};
        ovi_ranges_run(evaluate_range, &e, e.solid->count, GRAIN, &cloth->options.threads);
        collect_touches(cloth, (uint32_t)i, &colliders[e.solid->collider], squeeze);
    }
}

/** One round: the planes of the current positions, then all corrections. */
static void collide_once(ov_cloth *cloth, ov_cloth_collider *colliders, size_t from, double h) {
    find_touches(cloth, colliders, 0.0, from);
    if (cloth->thickness > 0.0) {
        find_squeezed(cloth, from);
    }
    double half = 0.5 * cloth->thickness;
    for (size_t i = from; i < cloth->touch_count; i++) {
        const ovi_cloth_candidate *c = &cloth->candidates[cloth->touches[i].candidate];
        const uint32_t *v = cloth->triangles[c->triangle];
        const contact_point p = {v, c->b, 3, c->normal, c->offset - half + layer_at(cloth, v, 3)};
        cloth->contacts +=
            correct(cloth, colliders, &cloth->solids[cloth->touches[i].solid], &p, h);
    }
    collide_planes(cloth, colliders, h);
}

/**
 * Brings a point above a plane, and the way behind it too, so that it gets no speed. Corners that
 * another body has lifted the other way, since that round, move a hundredth of their share: the
 * others have to. Returns whether the way is worth another round.
 */
static bool lift(ov_cloth *cloth, const contact_point *p, uint32_t since) {
    const double enough = 0.05 * cloth->tolerance;
    double height = ov_vec3_dot(p->normal, weighted(cloth->x, p)) - p->offset;
    double give[3] = {0.0, 0.0, 0.0};
    bool blocked[3] = {false, false, false};
    if (height >= 0.0) {
        return false;
    }
    for (int i = 0; i < p->count; i++) {
        const ovi_cloth_press *press = &cloth->press[p->v[i]];
        blocked[i] = press->clock >= since && ov_vec3_dot(press->normal, p->normal) < -0.5;
        give[i] = cloth->w[p->v[i]] * (blocked[i] ? 0.01 : 1.0);
    }
    double total = compliance_of(p, give);
    if (!(total > 0.0)) {
        return false;
    }
    for (int i = 0; i < p->count; i++) {
        ovi_v4 by = ovi_cloth_pack(p->normal) * (-height / total * p->b[i] * give[i]);
        cloth->x[p->v[i]] += by;
        cloth->prev[p->v[i]] += by;
        if (!blocked[i] || p->count == 1) {
            cloth->press[p->v[i]].normal = p->normal;
            cloth->press[p->v[i]].clock = cloth->clock;
        }
    }
    return height < -enough;
}

static bool lift_off_planes(ov_cloth *cloth, uint32_t since) {
    bool any = false;
    for (size_t i = 0; i < cloth->solid_count; i++) {
        ov_vec3 n;
        double offset;
        const double one = 1.0;
        if (cloth->solids[i].path != OVI_SOLID_PLANE) {
            continue;
        }
        plane_of(&cloth->solids[i], &n, &offset);
        for (uint32_t v = 0; v < cloth->vertex_count; v++) {
            const contact_point p = {&v, &one, 1, n, offset};
            any = (height_above(cloth, v, n, offset) < 0.0 && lift(cloth, &p, since)) || any;
        }
    }
    return any;
}

/**
 * What is left in bodies when all is done, but for the thickness: where two of them press on the
 * same cloth, or where the cloth counts on a body to give way, which it does after the step only.
 */
static void lift_out(ov_cloth *cloth, const ov_cloth_collider *colliders, size_t from) {
    enum { ROUNDS = 32 };
    double half = 0.5 * cloth->thickness;
    uint32_t since = cloth->clock + 1;
    bool any = true;
    for (int k = 0; k < ROUNDS && any; k++) {
        find_touches(cloth, colliders, half, from);
        any = false;
        for (size_t i = from; i < cloth->touch_count; i++) {
            const ovi_cloth_candidate *c = &cloth->candidates[cloth->touches[i].candidate];
            const contact_point p = {cloth->triangles[c->triangle], c->b, 3, c->normal,
                                     c->offset - half};
            any = lift(cloth, &p, since) || any;
        }
        any = lift_off_planes(cloth, since) || any;
    }
}

/** A correction moves corners that other contacts share, and turns the triangle. That leaves some
 *  hundredths of a millimetre, which the next step takes away; at the end of a frame, where it
 * would be seen, two more rounds do. */
ov_status ovi_cloth_collide(ov_cloth *cloth, ov_cloth_collider *colliders, double h) {
    enum { LAST_ROUNDS = 3 };
    cloth->contacts = cloth->touch_count = 0;
    if (cloth->options.contact == OV_CLOTH_CONTACT_RADIAL) {
        collide_planes(cloth, colliders, h);
        return OV_OK;
    }
    hold_back(cloth);
    size_t most = 2 * cloth->candidate_count; // of the first round and of a later one
    for (size_t i = 0; i < cloth->solid_count; i++) {
        const ovi_cloth_solid *s = &cloth->solids[i];
        bool bounces = s->path == OVI_SOLID_PLANE && colliders[s->collider].restitution > 0.0;
        most += bounces ? cloth->vertex_count : 0;
    }
    if (most > cloth->touch_room) {
        void *more = ovi_more_room(&cloth->allocator, cloth->touches, &cloth->touch_room, most,
                                   sizeof *cloth->touches);
        if (more == NULL) {
            return OV_ERROR_MEMORY;
        }
        cloth->touches = more;
    }
    collide_once(cloth, colliders, 0, h);
    size_t contacts = cloth->contacts, first = cloth->touch_count;
    bool last = cloth->time + 1.5 * h > cloth->frame;
    for (int i = 1; last && i < LAST_ROUNDS; i++) {
        collide_once(cloth, colliders, first, h);
    }
    if (last) {
        lift_out(cloth, colliders, first);
    }
    cloth->contacts = contacts;
    cloth->touch_count = first; // those that bounce
    return OV_OK;
}

/** Gives back a share of the approach: no vertex gets more speed than the point is to have. */
static void bounce_point(ov_cloth *cloth, const ovi_cloth_solid *s, const contact_point *p,
                         double approach, double e, double h) {
    ov_vec3 n = p->normal, at = weighted(cloth->x, p), body = {0.0, 0.0, 0.0};
    if (s->moves) {
        body = ov_vec3_scale(ov_vec3_sub(at, ov_affine_apply(&s->back, at)), 1.0 / h);
    }
    double own = ov_vec3_dot(n, body), wanted = own - e * (approach - own), total = 0.0;
    double lacks = wanted - ov_vec3_dot(n, weighted(cloth->v, p));
    for (int k = 0; k < p->count; k++) {
        total += p->b[k] * p->b[k] * cloth->w[p->v[k]];
    }
    for (int k = 0; approach < own && lacks > 0.0 && total > 0.0 && k < p->count; k++) {
        uint32_t v = p->v[k];
        double room = wanted - ov_vec3_dot(n, ovi_cloth_at(cloth->v, v));
        double change = fmin(room, lacks / total * cloth->w[v] * p->b[k]);
        cloth->v[v] += ovi_cloth_pack(n) * (change > 0.0 ? change : 0.0);
    }
}

void ovi_cloth_bounce(ov_cloth *cloth, const ov_cloth_collider *colliders, double h) {
    const double one = 1.0;
    for (size_t i = 0; i < cloth->touch_count; i++) {
        const ovi_cloth_touch *touch = &cloth->touches[i];
        const ovi_cloth_solid *s = &cloth->solids[touch->solid];
        double e = colliders[s->collider].restitution;
        if (e > 0.0 && s->path == OVI_SOLID_PLANE) {
            uint32_t v = (uint32_t)touch->candidate;
            ov_vec3 n = ov_mat3_mul_vec3(&s->turn, s->shape->u.halfspace.normal);
            const contact_point p = {&v, &one, 1, n, 0.0};
            bounce_point(cloth, s, &p, touch->approach, e, h);
        } else if (e > 0.0) {
            const ovi_cloth_candidate *c = &cloth->candidates[touch->candidate];
            const contact_point p = {cloth->triangles[c->triangle], c->b, 3, c->normal, c->offset};
            bounce_point(cloth, s, &p, touch->approach, e, h);
        }
    }
}

/* ---- the published way */

void ovi_cloth_radial_forces(ov_cloth *cloth, ov_cloth_collider *colliders, double h) {
    for (size_t i = 0; i < cloth->solid_count; i++) {
        const ovi_cloth_solid *s = &cloth->solids[i];
        for (size_t k = s->first; s->path <= OVI_SOLID_TAPERED && k < s->first + s->count; k++) {
            uint32_t t = cloth->candidates[k].triangle;
            for (int j = 0; j < 3; j++) {
                uint32_t v = cloth->triangles[t][j];
                ov_vec3 at = ovi_cloth_at(cloth->x, v), surface;
                double distance;
                if ((cloth->owns[t] >> j & 1) == 0 ||
                    ov_point_radial(s->shape, s->pose, at, &distance, &surface) < 0 ||
                    !(distance < 0.0)) {
                    continue;
                }
                ov_vec3 q = ov_mat3_tmul_vec3(&s->turn, ov_vec3_sub(at, s->pose.position));
                ov_field f;
                (void)ovi_family_gauge(s->shape, q, &f);
                ov_vec3 n = ov_mat3_mul_vec3(&s->turn, ov_vec3_normalize(f.gradient));
                ov_vec3 impulse = ov_vec3_scale(n, -distance * cloth->options.stiffness * h);
                cloth->v[v] += ovi_cloth_pack(impulse) * cloth->w[v];
                ovi_cloth_push(cloth, colliders, s->collider, at, ov_vec3_neg(impulse), h);
            }
        }
    }
}
