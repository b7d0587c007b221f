/**
 * @file manifold.c
 * @brief Contact manifolds: up to eight points of the region in which two bodies touch.
 *
 * Seen along the normal n of a contact, A has an upper and B a lower surface: heights h_A(u, v),
 * which is concave, and h_B(u, v), convex, over the tangent plane. So g = h_B - h_A is convex, its
 * least value is the gap of the pair, and the region of contact within a reach, g <= reach, is a
 * convex set. A manifold is a few points of that region, each with g and the two surface points on
 * the line (u, v):
 *
 *     1. Each body gets a *patch*: the corner, edge or face that is level to the reach (bodies of
 *        vertices; sides, rims and caps of round ones), or, if it is smooth, the quadrilateral of
 *        the supports of four normals tilted by TILT. All corners of a patch are surface points,
 *        and their projection is within the projection of the body
 *     2. The patches are clipped against each other in the tangent plane [Sutherland and Hodgman
 *        1974]: what is left are corners of one, and crossings of their edges
 *     3. Points that are closer together than SPREAD sizes become one, at their mean
 *     4. h_A and h_B there: of flat patches from their planes; of other bodies by Newton's method
 *        on their convex function F along the line, from above, or by a ray
 *     5. The witness point joins them if it is deeper than all
 *
 * Ids name the corners and edges of the patches, which belong to the bodies' own frames: so they
 * last while the same features touch.
 */
#include <stddef.h>
#include <stdint.h>

#include "../math/rounding_mode.h"
#include "query_internal.h"

/**
 * Normals of smooth bodies are tilted by this, in radians. The surface falls by less than the tilt
 * times the way to the point. So little that bodies at rest touch at all four points of a flat,
 * whose gaps would else leave them room to rock; of a brick of e = 0.1 they are still at 0.7 of its
 * width.
 */
#define TILT 0.001
/** Bodies that are deeper in each other than this, in units of the smaller body's size, overlap
 *  where the surface has fallen by the depth, too: normals are tilted by the depth, up to the other
 *  one. Else a brick that is sunk in on all of its side would be held at its lowest edge only, and
 *  rock from that one to the other for ever. */
#define DEEP 0.02
#define TILT_MOST 0.1
/** Points closer than this, in units of the smaller body's size, are one. */
#define SPREAD 0.05
/** A witness point that is deeper than the others by this, in the same units, is one of them. */
#define DEEPER 1e-4
/** Vertices of a polyhedron as level as this, in units of its size, are of one face. */
#define LEVEL 1e-6

enum { CORNERS = 16, CANDIDATES = 2 * CORNERS, RIM = 8, MAX_NEWTON = 60 };
/** Features are numbered from 1; an edge has the number of its first corner, and this bit. */
#define EDGE ((uint32_t)1 << 31)
/** The number of the middle of a flat. */
#define MIDDLE (EDGE - 1)

typedef enum patch_form { FORM_POINT, FORM_SEGMENT, FORM_POLYGON, FORM_UNBOUNDED } patch_form;
/** How heights over the tangent plane are found. */
typedef enum height_rule {
    HEIGHT_PLANE, /**< the patch is flat */
    HEIGHT_LEVEL, /**< by the convex function of the kind */
    HEIGHT_HULL,  /**< the same, where the surface with a dent is that of the hull */
    HEIGHT_RAY    /**< by a ray */
} height_rule;

/** A point over the tangent plane. */
typedef struct corner {
    double u, v, h;
    uint32_t id;
} corner;

typedef struct patch {
    patch_form form;
    height_rule rule;
    double plane[3]; /**< of a flat one: h = plane[0] + plane[1] u + plane[2] v */
    int count;
    corner at[CORNERS];
} patch;

/** A body as seen along the normal of the contact: all vectors are in its own frame. */
typedef struct view {
    const ov_shape *shape;
    ov_vec3 origin;    /**< of the coordinates: A's witness point */
    ov_vec3 e1, e2, n; /**< of the tangent plane; n from A to B */
    double side;       /**< outwards is n for A (1), -n for B (-1) */
    double other;      /**< size of the other body */
    double tilt;       /**< of the normals of smooth bodies */
    double reach;      /**< what is higher above the lowest point than this does not matter */
    double spread;     /**< points closer together than this are one */
    ov_vec3 witness;   /**< the body's own */
    double top;        /**< its height outwards: no point of the body is higher */
} view;

static ov_vec3 outward(const view *w) { return ov_vec3_scale(w->n, w->side); }

static double size_of(const ov_shape *s) { return s->ball.radius; }

static ov_vec3 point_at(const view *w, double u, double v, double h) {
    ov_vec3 x = ov_vec3_add_scaled(w->origin, w->e1, u);
    return ov_vec3_add_scaled(ov_vec3_add_scaled(x, w->e2, v), w->n, h);
}

static corner corner_at(const view *w, ov_vec3 x, uint32_t id) {
    ov_vec3 d = ov_vec3_sub(x, w->origin);
    return (corner){ov_vec3_dot(d, w->e1), ov_vec3_dot(d, w->e2), ov_vec3_dot(d, w->n), id};
}

static double distance2(double u, double v) { return sqrt(u * u + v * v); }

/** Does a straight edge of this length, which falls by `slope` of it, stay within the reach, as far
 *  as it can be near the other body? */
static bool is_level(const view *w, double slope, double length) {
    return fabs(slope) * fmin(length, 2.0 * w->other) <= w->reach;
}

/* ---- patches of each kind */

static void add_corner(patch *p, const view *w, ov_vec3 x, uint32_t id) {
    if (p->count < CORNERS) {
        p->at[p->count++] = corner_at(w, x, id);
    }
}

/** The plane across `normal` through x, which is not along the line of sight. */
static void set_plane(patch *p, const view *w, ov_vec3 x, ov_vec3 normal) {
    double along = ov_vec3_dot(normal, w->n);
    ov_vec3 d = ov_vec3_sub(x, w->origin);
    p->rule = HEIGHT_PLANE;
    p->plane[0] = ov_vec3_dot(normal, d) / along;
    p->plane[1] = -ov_vec3_dot(normal, w->e1) / along;
    p->plane[2] = -ov_vec3_dot(normal, w->e2) / along;
}

static patch patch_halfspace(const view *w) {
    ov_vec3 normal = w->shape->u.halfspace.normal;
    patch p = {.form = FORM_UNBOUNDED};
    set_plane(&p, w, ov_vec3_scale(normal, w->shape->u.halfspace.offset), normal);
    return p;
}

/** The corner, edge or face of a box that is level. Bits 0 to 2 of a corner's number less one are
 *  its negative sides. */
static patch patch_box(const view *w) {
    static const int steps[4] = {0, 1, 3, 2}; // around a face
    const double a[3] = {w->shape->a.x, w->shape->a.y, w->shape->a.z};
    ov_vec3 m = outward(w);
    const double up[3] = {m.x, m.y, m.z};
    int level[2] = {0, 0}, levels = 0, steepest = 0;
    uint32_t bits = 0;
    for (int k = 1; k < 3; k++) {
        steepest = fabs(up[k]) > fabs(up[steepest]) ? k : steepest;
    }
    for (int k = 0; k < 3; k++) {
        if (k != steepest && is_level(w, up[k], 2.0 * a[k])) {
            level[levels++] = k; // from the corner on its positive side, whichever is higher
        } else {
            bits |= up[k] < 0.0 ? (uint32_t)1 << k : 0;
        }
    }
    patch p = {.form = levels == 2   ? FORM_POLYGON
                       : levels == 1 ? FORM_SEGMENT
                                     : FORM_POINT,
               .rule = HEIGHT_LEVEL};
    for (int i = 0; i < 1 << levels; i++) {
        uint32_t flip = (steps[i] & 1 ? (uint32_t)1 << level[0] : 0) |
                        (steps[i] & 2 ? (uint32_t)1 << level[1] : 0);
        ov_vec3 x;
        (void)ovi_vertex_of(w->shape, (double)((bits ^ flip) + 1), &x);
        add_corner(&p, w, x, (bits ^ flip) + 1);
    }
    if (levels == 2) {
        double normal[3] = {0.0, 0.0, 0.0};
        normal[steepest] = copysign(1.0, up[steepest]);
        ov_vec3 face = ov_vec3_make(normal[0], normal[1], normal[2]);
        set_plane(&p, w, ov_vec3_mul(w->shape->a, face), face);
    }
    return p;
}

/** A segment of the surface, or the point that is lowest. */
static patch patch_segment(const view *w, bool level, ov_vec3 a, ov_vec3 b, uint32_t id) {
    patch p = {.form = level ? FORM_SEGMENT : FORM_POINT, .rule = HEIGHT_LEVEL};
    if (level) {
        add_corner(&p, w, a, id);
        add_corner(&p, w, b, id + 1);
    }
    return p;
}

/** The cap of a cylinder or the base of a cone. */
static patch patch_cap(const view *w, double z) {
    static const double c = 0.70710678118654752, at[RIM][2] = {{1, 0},  {c, c},   {0, 1},  {-c, c},
                                                               {-1, 0}, {-c, -c}, {0, -1}, {c, -c}};
    patch p = {.form = FORM_POLYGON};
    double radius = w->shape->a.x;
    for (uint32_t i = 0; i < RIM; i++) {
        add_corner(&p, w, ov_vec3_make(radius * at[i][0], radius * at[i][1], z),
                   (z > 0.0 ? 1 : 1 + RIM) + i);
    }
    set_plane(&p, w, ov_vec3_make(0.0, 0.0, z), ov_vec3_make(0.0, 0.0, copysign(1.0, z)));
    return p;
}

/** Numbers of the ends of a line along the side, behind those of the rims. */
enum { SIDE = 1 + 2 * RIM };

/** The line along the side of a capsule or cylinder that is farthest along m. */
static patch patch_side(const view *w, ov_vec3 m, bool level) {
    double radius = w->shape->a.x, half = w->shape->a.z, rho = distance2(m.x, m.y);
    level = level && rho >= fabs(m.z) && half > 0.0;
    ov_vec3 out = level ? ov_vec3_make(m.x * radius / rho, m.y * radius / rho, half) : m;
    return patch_segment(w, level, out, ov_vec3_make(out.x, out.y, -out.z), SIDE);
}

static patch patch_capsule(const view *w) {
    ov_vec3 m = outward(w);
    return patch_side(w, m, is_level(w, m.z, 2.0 * w->shape->a.z));
}

static patch patch_cylinder(const view *w) {
    ov_vec3 m = outward(w);
    double radius = w->shape->a.x, half = w->shape->a.z, rho = distance2(m.x, m.y);
    if (fabs(m.z) > rho && is_level(w, rho, 2.0 * radius)) {
        return patch_cap(w, copysign(half, m.z));
    }
    return patch_side(w, m, is_level(w, m.z, 2.0 * half));
}

static patch patch_cone(const view *w) {
    ov_vec3 m = outward(w);
    double radius = w->shape->a.x, half = w->shape->a.z, rho = distance2(m.x, m.y);
    if (m.z < 0.0 && -m.z > rho && is_level(w, rho, 2.0 * radius)) {
        return patch_cap(w, -half);
    }
    // along the slant, from the rim below to the tip
    double slant = distance2(radius, 2.0 * half);
    double slope = (2.0 * half * m.z - radius * rho) / slant;
    bool level = rho > 0.0 && is_level(w, slope, slant);
    ov_vec3 low = level ? ov_vec3_make(m.x * radius / rho, m.y * radius / rho, -half) : m;
    return patch_segment(w, level, ov_vec3_make(0.0, 0.0, half), low, SIDE);
}

/* ---- polyhedra, triangles and segments */

typedef struct hull {
    const view *w;
    const ov_vec3 *vertices;
    size_t count;
    ov_vec3 m;    /**< outwards */
    ov_vec3 top;  /**< the farthest vertex along it, or one of several */
    double value; /**< of the support there */
} hull;

/** Is a vertex as high as the top one, to the reach? */
static bool is_high(const hull *k, ov_vec3 v) {
    ov_vec3 d = ov_vec3_sub(v, k->top);
    double fall = k->value - ov_vec3_dot(k->m, v), most = 2.0 * k->w->other;
    // a long edge counts as far as it can be near the other body
    return fall <= k->w->reach || fall * most <= k->w->reach * sqrt(ov_vec3_dot(d, d));
}

/** Normal of a triangle, outwards; zero where it has no area. */
static ov_vec3 normal_of(const ov_vec3 *v, const uint32_t t[3]) {
    return ov_vec3_normalize(
        ov_vec3_cross(ov_vec3_sub(v[t[1]], v[t[0]]), ov_vec3_sub(v[t[2]], v[t[0]])));
}

/** The triangle that is most level of those whose vertices are high; false where there is none. */
static bool level_face(const hull *k, ov_vec3 *normal, ov_vec3 *on) {
    const ov_shape *s = k->w->shape;
    double best = 0.1; // a face that is nearly upright has no height to speak of
    bool found = false;
    for (size_t i = 0; i < s->u.polyhedron.triangle_count; i++) {
        const uint32_t *t = s->u.polyhedron.triangles[i];
        if (!is_high(k, k->vertices[t[0]]) || !is_high(k, k->vertices[t[1]]) ||
            !is_high(k, k->vertices[t[2]])) {
            continue;
        }
        ov_vec3 face = normal_of(k->vertices, t);
        double along = ov_vec3_dot(face, k->m);
        if (along > best) {
            best = along;
            *normal = face;
            *on = k->vertices[t[0]];
            found = true;
        }
    }
    return found;
}

/** Twice the signed area of a triangle in the tangent plane. */
static double area2(const corner *a, const corner *b, const corner *c) {
    return (b->u - a->u) * (c->v - a->v) - (b->v - a->v) * (c->u - a->u);
}

/** Takes away the corner of a convex polygon that costs the least area. */
static void drop_least(corner *at, int *count) {
    int least = 0;
    double area = INFINITY;
    for (int i = 0; i < *count; i++) {
        const corner *before = &at[(i + *count - 1) % *count], *after = &at[(i + 1) % *count];
        double cost = fabs(area2(before, &at[i], after));
        if (cost < area) {
            area = cost;
            least = i;
        }
    }
    for (int i = least; i + 1 < *count; i++) {
        at[i] = at[i + 1];
    }
    (*count)--;
}

/** Adds a point to a convex polygon with counter-clockwise corners, unless it is inside. */
static void hull_add(patch *p, corner c) {
    corner out[CORNERS + 1];
    int count = 0, n = p->count;
    if (n < 3) {
        p->at[p->count++] = c;
        if (p->count == 3 && area2(&p->at[0], &p->at[1], &p->at[2]) < 0.0) {
            corner swap = p->at[1];
            p->at[1] = p->at[2];
            p->at[2] = swap;
        }
        return;
    }
    // corners between two edges that see the point go; the point takes their place
    bool added = false;
    for (int i = 0; i < n; i++) {
        bool sees_before = area2(&p->at[(i + n - 1) % n], &p->at[i], &c) < 0.0;
        bool sees_after = area2(&p->at[i], &p->at[(i + 1) % n], &c) < 0.0;
        if (!(sees_before && sees_after)) {
            out[count++] = p->at[i];
        }
        if (sees_after && !sees_before && !added) {
            out[count++] = c;
            added = true;
        }
    }
    if (!added) {
        return;
    }
    while (count > CORNERS) {
        drop_least(out, &count);
    }
    for (int i = 0; i < count; i++) {
        p->at[i] = out[i];
    }
    p->count = count;
}

/** The polygon of all vertices in a plane. */
static void gather_face(const hull *k, ov_vec3 normal, ov_vec3 on, patch *p) {
    double slack = LEVEL * size_of(k->w->shape);
    for (size_t i = 0; i < k->count; i++) {
        if (ov_vec3_dot(normal, ov_vec3_sub(k->vertices[i], on)) >= -slack) {
            hull_add(p, corner_at(k->w, k->vertices[i], (uint32_t)i + 1));
        }
    }
    p->form = FORM_POLYGON;
    set_plane(p, k->w, on, normal);
}

/** The most level edge from the top vertex: to another vertex that is high. */
static bool level_edge(const hull *k, uint32_t ends[2]) {
    double best = INFINITY;
    size_t first = k->count;
    for (size_t i = 0; i < k->count && first == k->count; i++) {
        first = k->value - ov_vec3_dot(k->m, k->vertices[i]) <= LEVEL * size_of(k->w->shape)
                    ? i
                    : first;
    }
    for (size_t i = 0; i < k->count; i++) {
        if (i == first || first == k->count || !is_high(k, k->vertices[i])) {
            continue;
        }
        double length = ov_vec3_length(ov_vec3_sub(k->vertices[i], k->vertices[first]));
        double slope = (k->value - ov_vec3_dot(k->m, k->vertices[i])) / length;
        if (length > 0.0 && slope < best) {
            best = slope;
            ends[0] = (uint32_t)(first < i ? first : i);
            ends[1] = (uint32_t)(first < i ? i : first);
        }
    }
    return best < INFINITY;
}

static patch patch_vertices(const view *w) {
    hull k = {.w = w, .m = outward(w)};
    patch p = {.form = FORM_POINT, .rule = HEIGHT_RAY};
    ov_support top;
    uint32_t number = ovi_vertices_support(w->shape, &k.m, &top) & ~OVI_TIED;
    k.count = ovi_primitive_vertices(w->shape, &k.vertices);
    k.top = k.vertices[number - 1];
    k.value = top.value;
    ov_vec3 normal, on;
    bool face = false;
    if (w->shape->kind == OV_SHAPE_KIND_TRIANGLE) {
        static const uint32_t all[3] = {0, 1, 2};
        normal = normal_of(k.vertices, all);
        on = k.top;
        normal = ov_vec3_dot(normal, k.m) < 0.0 ? ov_vec3_neg(normal) : normal;
        face = is_high(&k, k.vertices[0]) && is_high(&k, k.vertices[1]) &&
               is_high(&k, k.vertices[2]) && ov_vec3_dot(normal, k.m) > 0.1;
    } else if (w->shape->kind == OV_SHAPE_KIND_POLYHEDRON) {
        face = level_face(&k, &normal, &on);
    }
    uint32_t ends[2] = {0, 0};
    if (face) {
        gather_face(&k, normal, on, &p);
    } else if (level_edge(&k, ends)) {
        p.form = FORM_SEGMENT;
        add_corner(&p, w, k.vertices[ends[0]], ends[0] + 1);
        add_corner(&p, w, k.vertices[ends[1]], ends[1] + 1);
    }
    return p;
}

/* ---- smooth bodies, and those of which only the support is known */

static const double tilts[4][2] = {{1.0, 1.0}, {-1.0, 1.0}, {-1.0, -1.0}, {1.0, -1.0}};

/**
 * Is the surface so round at the witness point that the supports of tilted normals are closer to it
 * than `spread`? By the least curvature there, from the Hessian of the gauge: that takes less time
 * than four supports, which are asked if it says no.
 */
static bool is_round(const view *w) {
    ov_field g;
    if (ovi_family_gauge(w->shape, w->witness, &g) != OV_OK) {
        return false;
    }
    ov_vec3 h1 = ov_mat3_mul_vec3(&g.hessian, w->e1), h2 = ov_mat3_mul_vec3(&g.hessian, w->e2);
    double a = ov_vec3_dot(w->e1, h1), b = ov_vec3_dot(w->e1, h2), c = ov_vec3_dot(w->e2, h2);
    double least = 0.5 * (a + c) - sqrt(0.25 * (a - c) * (a - c) + b * b);
    return least * w->spread > w->tilt * sqrt(ov_vec3_dot(g.gradient, g.gradient));
}

/**
 * Supports of four normals, tilted towards the corners of the rectangle that the two axes of the
 * body span which the normal is least along.
 */
static patch patch_tilted(const view *w) {
    static const ov_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    bool family = ovi_is_family(w->shape->kind);
    patch p = {.form = FORM_POINT,
               .rule = !family                ? HEIGHT_RAY
                       : w->shape->dent > 0.0 ? HEIGHT_HULL
                                              : HEIGHT_LEVEL};
    if (family && is_round(w)) {
        return p;
    }
    ov_vec3 m = outward(w);
    double x = fabs(m.x), y = fabs(m.y), z = fabs(m.z);
    int steepest = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    uint32_t first = 1 + 4 * (uint32_t)steepest;
    ov_vec3 t[2];
    for (int k = 0; k < 2; k++) {
        ov_vec3 axis = axes[(steepest + 1 + k) % 3];
        axis = ov_vec3_add_scaled(axis, m, -ov_vec3_dot(axis, m));
        t[k] = ov_vec3_scale(axis, sqrt(0.5) * w->tilt / sqrt(ov_vec3_dot(axis, axis)));
    }
    p.form = FORM_POLYGON;
    for (uint32_t i = 0; i < 4; i++) {
        ov_vec3 tilted = ov_vec3_add_scaled(m, t[0], tilts[i][0]);
        ov_support s;
        tilted = ov_vec3_normalize(ov_vec3_add_scaled(tilted, t[1], tilts[i][1]));
        if (ovi_support_point(w->shape, tilted, &s) != OV_OK) {
            p.form = FORM_POINT;
            return p;
        }
        add_corner(&p, w, s.point, first + i);
    }
    return p;
}

static patch patch_of(const view *w) {
    switch (w->shape->kind) {
    case OV_SHAPE_KIND_SPHERE:
    case OV_SHAPE_KIND_POINT:
        return (patch){.form = FORM_POINT};
    case OV_SHAPE_KIND_HALFSPACE:
        return patch_halfspace(w);
    case OV_SHAPE_KIND_BOX:
        return patch_box(w);
    case OV_SHAPE_KIND_CAPSULE:
        return patch_capsule(w);
    case OV_SHAPE_KIND_CYLINDER:
        return patch_cylinder(w);
    case OV_SHAPE_KIND_CONE:
        return patch_cone(w);
    case OV_SHAPE_KIND_TRIANGLE:
    case OV_SHAPE_KIND_SEGMENT:
        return patch_vertices(w);
    case OV_SHAPE_KIND_POLYHEDRON:
        return w->shape->u.polyhedron.triangles != NULL ? patch_vertices(w) : patch_tilted(w);
    default:
        return patch_tilted(w);
    }
}

/** Brings the corners of a polygon into counter-clockwise order; one without area is a segment
 *  between the two that are farthest apart, and one that is small a point. */
static void tidy_patch(patch *p, double spread) {
    if (p->form == FORM_POINT || p->form == FORM_UNBOUNDED) {
        return;
    }
    int far[2] = {0, 0};
    double most = 0.0, area = 0.0;
    for (int i = 0; i < p->count; i++) {
        area += area2(&p->at[0], &p->at[i], &p->at[(i + 1) % p->count]);
        for (int j = 0; j < i; j++) {
            double d = distance2(p->at[i].u - p->at[j].u, p->at[i].v - p->at[j].v);
            if (d > most) {
                most = d;
                far[0] = j;
                far[1] = i;
            }
        }
    }
    if (!(most > 2.0 * spread)) {
        p->form = FORM_POINT;
    } else if (p->form == FORM_POLYGON && fabs(area) < 1e-6 * most * most) {
        p->form = FORM_SEGMENT;
        corner ends[2] = {p->at[far[0]], p->at[far[1]]};
        p->at[0] = ends[0];
        p->at[1] = ends[1];
        p->count = 2;
    } else if (area < 0.0) {
        for (int i = 0, j = p->count - 1; i < j; i++, j--) {
            corner swap = p->at[i];
            p->at[i] = p->at[j];
            p->at[j] = swap;
        }
    }
}

/* ---- clipping */

/** A point of the region, with the features of both bodies that it is made by. */
typedef struct candidate {
    double u, v;
    uint32_t id[2];   /**< of A and B; 0: none */
    uint32_t edge[2]; /**< the edge that follows is one of A or of B, by its number; 0: not */
    double h[2];      /**< height of A or B there, if it is a corner of its patch */
    bool known[2];
} candidate;

typedef struct region {
    int count;
    candidate at[CANDIDATES];
} region;

static void add_candidate(region *r, candidate c) {
    if (r->count < CANDIDATES) {
        r->at[r->count++] = c;
    }
}

/** Left of the line from a to b, as a length. */
static double left_of(const corner *a, const corner *b, double u, double v) {
    double du = b->u - a->u, dv = b->v - a->v, length = distance2(du, dv);
    return (du * (v - a->v) - dv * (u - a->u)) / length;
}

/** What two edges have in common: a corner of B, if both are of B, else their crossing. */
static void name_crossing(const candidate *from, uint32_t edge_b, uint32_t corner_b,
                          candidate *out) {
    if (from->edge[0] != 0) {
        out->id[0] = from->edge[0];
        out->id[1] = edge_b;
    } else {
        out->id[0] = 0;
        out->id[1] = corner_b;
    }
}

/** Keeps what is left of the edge of B from corner j. */
static void clip_by_edge(region *r, const patch *b, int j) {
    const corner *p = &b->at[j], *q = &b->at[(j + 1) % b->count];
    uint32_t edge_b = p->id | EDGE;
    region out = {.count = 0};
    if (!(distance2(q->u - p->u, q->v - p->v) > 0.0)) {
        return;
    }
    for (int i = 0; i < r->count; i++) {
        const candidate *c = &r->at[i], *d = &r->at[(i + 1) % r->count];
        double from = left_of(p, q, c->u, c->v), to = left_of(p, q, d->u, d->v);
        if (from >= 0.0) {
            add_candidate(&out, *c);
        }
        if ((from >= 0.0) == (to >= 0.0)) {
            continue;
        }
        double share = from / (from - to);
        candidate cut = {.u = c->u + share * (d->u - c->u), .v = c->v + share * (d->v - c->v)};
        // of two edges of B the later one begins, or the first one ends, at their common corner
        bool last_to_first = c->edge[1] == (b->at[0].id | EDGE) && j == b->count - 1;
        name_crossing(c, edge_b, last_to_first ? b->at[0].id : p->id, &cut);
        cut.edge[0] = from >= 0.0 ? 0 : c->edge[0];
        cut.edge[1] = from >= 0.0 ? edge_b : c->edge[1];
        add_candidate(&out, cut);
    }
    *r = out;
}

static region all_corners(const patch *p, int body) {
    region r = {.count = 0};
    for (int i = 0; i < p->count; i++) {
        candidate c = {.u = p->at[i].u, .v = p->at[i].v};
        c.id[body] = p->at[i].id;
        c.edge[body] = p->at[i].id | EDGE;
        c.h[body] = p->at[i].h;
        c.known[body] = true;
        add_candidate(&r, c);
    }
    return r;
}

static region clip_polygons(const patch *a, const patch *b) {
    region r = all_corners(a, 0);
    for (int j = 0; j < b->count && r.count > 0; j++) {
        clip_by_edge(&r, b, j);
    }
    return r;
}

/** What is left of a segment over a polygon; `body` is the one that the segment is of. */
static region clip_segment(const patch *s, const patch *polygon, int body) {
    region r = all_corners(s, body);
    double range[2] = {0.0, 1.0};
    double du = s->at[1].u - s->at[0].u, dv = s->at[1].v - s->at[0].v;
    for (int j = 0; j < polygon->count; j++) {
        const corner *p = &polygon->at[j], *q = &polygon->at[(j + 1) % polygon->count];
        if (!(distance2(q->u - p->u, q->v - p->v) > 0.0)) {
            continue;
        }
        double from = left_of(p, q, s->at[0].u, s->at[0].v);
        double to = left_of(p, q, s->at[1].u, s->at[1].v);
        if (from < 0.0 && to < 0.0) {
            r.count = 0;
            return r;
        }
        int end = from < to ? 0 : 1;
        if ((from < 0.0) == (to < 0.0)) {
            continue;
        }
        double share = from / (from - to);
        if (end == 0 ? share > range[0] : share < range[1]) {
            range[end] = share;
            r.at[end].known[body] = false;
            r.at[end].id[body] = s->at[0].id | EDGE;
            r.at[end].id[1 - body] = p->id | EDGE;
        }
    }
    for (int end = 0; end < 2; end++) {
        r.at[end].u = s->at[0].u + range[end] * du;
        r.at[end].v = s->at[0].v + range[end] * dv;
    }
    r.count = range[0] <= range[1] ? 2 : 0;
    return r;
}

/** Two points of A's segment, as far as B's segment goes along it. Where they are not parallel
 *  the heights of B tell that it is elsewhere. */
static region overlap_segments(const patch *a, const patch *b) {
    region r = all_corners(a, 0);
    double du = a->at[1].u - a->at[0].u, dv = a->at[1].v - a->at[0].v;
    double square = du * du + dv * dv, share[2], range[2] = {0.0, 1.0};
    for (int i = 0; i < 2; i++) {
        share[i] = ((b->at[i].u - a->at[0].u) * du + (b->at[i].v - a->at[0].v) * dv) / square;
    }
    int low = share[0] <= share[1] ? 0 : 1;
    for (int end = 0; end < 2; end++) {
        int i = end == 0 ? low : 1 - low;
        if (end == 0 ? share[i] > range[0] : share[i] < range[1]) {
            range[end] = share[i];
            r.at[end].known[0] = false;
            r.at[end].id[0] = a->at[0].id | EDGE;
            r.at[end].id[1] = b->at[i].id;
        }
        r.at[end].u = a->at[0].u + range[end] * du;
        r.at[end].v = a->at[0].v + range[end] * dv;
    }
    r.count = range[0] <= range[1] ? 2 : 0;
    return r;
}

static region common_region(const patch *a, const patch *b) {
    if (a->form == FORM_POINT || b->form == FORM_POINT) {
        return (region){.count = 0};
    }
    if (a->form == FORM_UNBOUNDED) {
        return all_corners(b, 1);
    }
    if (b->form == FORM_UNBOUNDED) {
        return all_corners(a, 0);
    }
    if (a->form == FORM_SEGMENT) {
        return b->form == FORM_SEGMENT ? overlap_segments(a, b) : clip_segment(a, b, 0);
    }
    return b->form == FORM_SEGMENT ? clip_segment(b, a, 1) : clip_polygons(a, b);
}

/** Points closer than `spread` to the first of a group become their mean, with the least id. */
static void merge_near(region *r, double spread) {
    region out = {.count = 0};
    int sizes[CANDIDATES];
    double first[CANDIDATES][2];
    for (int i = 0; i < r->count; i++) {
        const candidate *c = &r->at[i];
        int k = 0;
        while (k < out.count && distance2(c->u - first[k][0], c->v - first[k][1]) > spread) {
            k++;
        }
        if (k == out.count) {
            first[k][0] = c->u;
            first[k][1] = c->v;
            sizes[k] = 1;
            out.at[out.count++] = *c;
            continue;
        }
        candidate *m = &out.at[k];
        sizes[k]++;
        m->known[0] = m->known[1] = false;
        m->u += (c->u - m->u) / sizes[k];
        m->v += (c->v - m->v) / sizes[k];
        if (c->id[0] < m->id[0] || (c->id[0] == m->id[0] && c->id[1] < m->id[1])) {
            m->id[0] = c->id[0];
            m->id[1] = c->id[1];
        }
    }
    *r = out;
}

/**
 * Leaves away crossings of edges that lie nearly on the line between their neighbours: where edges
 * of both bodies run along each other, they cross anywhere.
 */
static void drop_grazing(region *r, double spread) {
    for (int i = r->count - 1; i >= 0 && r->count > 3; i--) {
        const candidate *c = &r->at[i];
        const candidate *p = &r->at[(i + r->count - 1) % r->count], *q = &r->at[(i + 1) % r->count];
        double du = q->u - p->u, dv = q->v - p->v;
        double off = du * (c->v - p->v) - dv * (c->u - p->u);
        if ((c->id[0] & c->id[1] & EDGE) != 0 && fabs(off) <= 0.25 * spread * distance2(du, dv)) {
            for (int k = i; k + 1 < r->count; k++) {
                r->at[k] = r->at[k + 1];
            }
            r->count--;
        }
    }
}

/* ---- heights */

/**
 * Height of the surface along the line (u, v), by Newton's method on F from the support plane down.
 * For a convex F it never passes the surface. That of tapered bodies is convex on it only: a step
 * that has passed is bracketed.
 */
static bool level_height(const view *w, double u, double v, double *h) {
    double rounding = 4.0 * DBL_EPSILON * size_of(w->shape);
    double high = w->top, low = -INFINITY, at = high;
    for (int i = 0; i < MAX_NEWTON; i++) {
        ovi_level f = ovi_level_at(w->shape, point_at(w, u, v, w->side * at), rounding);
        double along = w->side * ov_vec3_dot(f.slope, w->n);
        if (fabs(f.value) <= f.noise) {
            break;
        }
        if (f.value > 0.0) {
            high = at;
        } else {
            low = at;
        }
        if (!(along > 0.0) && !(low > -INFINITY)) {
            return false;
        }
        double next = at - f.value / along;
        if (!(along > 0.0) || !(next <= high) || next < low) {
            next = 0.5 * (low + high);
        }
        // not finite: the line leaves the body without having met it
        if (!(next > w->top - 4.0 * size_of(w->shape))) {
            return false;
        }
        if (fabs(next - at) <= 0.5 * rounding) {
            at = next;
            break;
        }
        at = next;
    }
    *h = w->side * at;
    return true;
}

/**
 * The surface of a dented body is below its hull, or on it where the tangent plane has all of the
 * body below it. Over the dent there is no answer.
 */
static bool hull_height(const view *w, double u, double v, double *h) {
    if (!level_height(w, u, v, h)) {
        return false;
    }
    ov_vec3 x = point_at(w, u, v, *h), n = ovi_level_at(w->shape, x, 0.0).slope;
    n = ov_vec3_normalize(n);
    ov_support s;
    return ovi_support_point(w->shape, n, &s) == OV_OK &&
           s.value - ov_vec3_dot(n, x) <= 1e-9 * size_of(w->shape) * fabs(ov_vec3_dot(n, w->n));
}

static bool ray_height(const view *w, double u, double v, double *h) {
    double start = w->top + size_of(w->shape);
    ov_ray_hit hit;
    ov_status status = ov_ray_cast(w->shape, ov_pose_identity(), point_at(w, u, v, w->side * start),
                                   ov_vec3_neg(outward(w)), 4.0 * size_of(w->shape), &hit);
    *h = w->side * (start - hit.distance);
    return status >= 0 && hit.hit;
}

/** The same for a point of a patch. The corners of one with upright sides are on its outline, which
 * a ray may miss by rounding: one a little inside, where the patch is as high but for a part of
 *  TILT, does not. */
static bool ray_height_within(const view *w, const patch *p, double u, double v, double *h) {
    const double inwards = 1e-6;
    if (ray_height(w, u, v, h)) {
        return true;
    }
    double mean_u = 0.0, mean_v = 0.0;
    for (int i = 0; i < p->count; i++) {
        mean_u += p->at[i].u / p->count;
        mean_v += p->at[i].v / p->count;
    }
    return p->count > 0 && ray_height(w, u + inwards * (mean_u - u), v + inwards * (mean_v - v), h);
}

/** Height of a segment's own points. */
static bool segment_height(const patch *p, double u, double v, double slack, double *h) {
    double du = p->at[1].u - p->at[0].u, dv = p->at[1].v - p->at[0].v;
    double length = distance2(du, dv);
    double along = ((u - p->at[0].u) * du + (v - p->at[0].v) * dv) / length;
    double across = ((u - p->at[0].u) * dv - (v - p->at[0].v) * du) / length;
    *h = p->at[0].h + (p->at[1].h - p->at[0].h) * (along / length);
    return fabs(across) <= slack;
}

static bool height_at(const view *w, const patch *p, double u, double v, double *h) {
    if (p->rule == HEIGHT_PLANE) {
        *h = p->plane[0] + p->plane[1] * u + p->plane[2] * v;
        return true;
    }
    // edges, and lines along the sides of round bodies; four supports of a smooth one have no edge
    if (p->form == FORM_SEGMENT && !ovi_is_family(w->shape->kind) &&
        segment_height(p, u, v, 1e-12 * size_of(w->shape), h)) {
        return true;
    }
    if (w->shape->kind == OV_SHAPE_KIND_SEGMENT) {
        return false;
    }
    return p->rule == HEIGHT_LEVEL  ? level_height(w, u, v, h)
           : p->rule == HEIGHT_HULL ? hull_height(w, u, v, h)
                                    : ray_height_within(w, p, u, v, h);
}

/* ---- the manifold */

/** A point of the manifold before it is written: on the line (u, v), from h_A to h_B. */
typedef struct found {
    corner at; /**< h is that of A */
    double gap;
    uint64_t id;
} found;

typedef struct sight {
    view a, b;
    patch patch_a, patch_b;
    double spread, reach;
} sight;

/** The corner of a patch that a point is at, or 0. */
static uint32_t corner_near(const patch *p, double u, double v, double radius) {
    for (int i = 0; i < p->count; i++) {
        if (distance2(p->at[i].u - u, p->at[i].v - v) <= radius) {
            return p->at[i].id;
        }
    }
    return 0;
}

/**
 * Names points that are at corners by these alone. Where corners or edges of both bodies coincide,
 * as in a stack, it is by rounding which of them clipping finds.
 */
static void name_corners(const sight *s, region *r) {
    for (int i = 0; i < r->count; i++) {
        candidate *c = &r->at[i];
        uint32_t a = corner_near(&s->patch_a, c->u, c->v, 0.5 * s->spread);
        uint32_t b = corner_near(&s->patch_b, c->u, c->v, 0.5 * s->spread);
        bool taken = a == 0 && b == 0;
        for (int j = 0; j < r->count && !taken; j++) {
            taken = j != i && r->at[j].id[0] == a && r->at[j].id[1] == b;
        }
        if (!taken) {
            c->id[0] = a;
            c->id[1] = b;
        }
    }
}

static int measure(const sight *s, const region *r, found *out) {
    int count = 0;
    for (int i = 0; i < r->count; i++) {
        const candidate *c = &r->at[i];
        double ha = c->h[0], hb = c->h[1];
        if (!(c->known[0] || height_at(&s->a, &s->patch_a, c->u, c->v, &ha)) ||
            !(c->known[1] || height_at(&s->b, &s->patch_b, c->u, c->v, &hb)) ||
            !(hb - ha <= s->reach)) {
            continue;
        }
        out[count++] = (found){{c->u, c->v, ha, 0}, hb - ha, (uint64_t)c->id[0] << 32 | c->id[1]};
    }
    return count;
}

/**
 * The middle of a region between surfaces of which one is curved: such a flat is higher at its
 * corners. Unlike the witness points, which may be anywhere on a flat, it stays where it is.
 */
static bool find_middle(const sight *s, const region *r, found *out) {
    candidate middle = {.id = {MIDDLE, MIDDLE}};
    region one = {.count = 1};
    for (int i = 0; i < r->count; i++) {
        middle.u += r->at[i].u / r->count;
        middle.v += r->at[i].v / r->count;
    }
    one.at[0] = middle;
    return measure(s, &one, out) == 1;
}

static double least_gap(const found *points, int count) {
    double least = INFINITY;
    for (int i = 0; i < count; i++) {
        least = fmin(least, points[i].gap);
    }
    return least;
}

/** Leaves away points that cost the least area, until no more than `most` are left. */
static void thin_out(found *points, int *count, int most) {
    while (*count > most) {
        int least = 0;
        double area = INFINITY;
        for (int i = 0; i < *count; i++) {
            const corner *before = &points[(i + *count - 1) % *count].at;
            double cost = fabs(area2(before, &points[i].at, &points[(i + 1) % *count].at));
            if (cost < area) {
                area = cost;
                least = i;
            }
        }
        for (int i = least; i + 1 < *count; i++) {
            points[i] = points[i + 1];
        }
        (*count)--;
    }
}

/** Is a point over a polygon, whose corners are counter-clockwise? */
static bool is_over(const patch *p, double u, double v) {
    for (int i = 0; i < p->count; i++) {
        const corner *a = &p->at[i], *b = &p->at[(i + 1) % p->count];
        if ((b->u - a->u) * (v - a->v) - (b->v - a->v) * (u - a->u) < 0.0) {
            return false;
        }
    }
    return p->form == FORM_POLYGON || p->form == FORM_UNBOUNDED;
}

/** Height of the body over any point, not only of its patch. */
static bool body_height(const view *w, const patch *p, double u, double v, double *h) {
    const ov_shape *s = w->shape;
    bool level = ovi_is_family(s->kind) ||
                 (s->kind >= OV_SHAPE_KIND_HALFSPACE && s->kind <= OV_SHAPE_KIND_CONE);
    if (level && s->dent == 0.0) {
        return level_height(w, u, v, h);
    }
    return (p->rule != HEIGHT_PLANE || is_over(p, u, v)) && height_at(w, p, u, v, h);
}

/**
 * The witness points as a point of the manifold. If they are not opposite each other, it is the
 * line through one of them that is deeper; false where neither meets the other body.
 */
static bool find_witness(const sight *s, corner b, double size, found *out) {
    double h;
    *out = (found){{0.0, 0.0, 0.0, 0}, INFINITY, 0};
    if (distance2(b.u, b.v) <= 1e-12 * size) {
        out->gap = b.h;
        return true;
    }
    if (body_height(&s->b, &s->patch_b, 0.0, 0.0, &h)) {
        out->gap = h;
    }
    if (body_height(&s->a, &s->patch_a, b.u, b.v, &h) && b.h - h < out->gap) {
        *out = (found){{b.u, b.v, h, 0}, b.h - h, 0};
    }
    return out->gap <= s->reach;
}

/** Adds the witness point if it is deeper than all others; where one of these is near to it, that
 *  one moves there. */
static void add_witness(const sight *s, const found *witness, found *points, int *count) {
    double least = least_gap(points, *count), nearest = INFINITY;
    int near = 0;
    for (int i = 0; i < *count; i++) {
        double d = distance2(points[i].at.u - witness->at.u, points[i].at.v - witness->at.v);
        if (d < nearest) {
            nearest = d;
            near = i;
        }
    }
    if (*count > 0 && nearest <= s->spread) {
        if (witness->gap < points[near].gap) {
            points[near].at = witness->at;
            points[near].gap = witness->gap;
        }
    } else if (witness->gap < least - DEEPER / SPREAD * s->spread) {
        thin_out(points, count, OV_MANIFOLD_POINTS_MAX - 1); // of corners only: see fill()
        points[(*count)++] = *witness;
    }
}

static void write_point(const ovi_pair *pair, const ovi_frame *frame, const view *a, const found *f,
                        ov_manifold_point *out) {
    ov_vec3 pa = point_at(a, f->at.u, f->at.v, f->at.h);
    ov_vec3 pb = ov_vec3_add_scaled(pa, a->n, f->gap);
    out->point_a = ov_vec3_add(ov_mat3_mul_vec3(&frame->turn, pa), frame->position);
    out->point_b = ov_vec3_add(ov_mat3_mul_vec3(&frame->turn, ov_vec3_sub(pb, pair->offset)),
                               frame->position_b);
    out->gap = f->gap;
    out->id = f->id;
}

/** How both bodies look along the normal; in A's frame the witness points are pa and pb. */
static void look_along(const ovi_pair *pair, ov_vec3 n, ov_vec3 pa, ov_vec3 pb, double reach,
                       double gap, sight *s) {
    ov_mat3 frame = ov_mat3_householder(n);
    // right-handed about n, not about -n now and then: the order of corners names their edges
    if (ov_vec3_dot(ov_vec3_cross(frame.cy, frame.cz), n) < 0.0) {
        frame.cz = ov_vec3_neg(frame.cz);
    }
    double a = size_of(pair->a), b = size_of(pair->b);
    double deep = -gap / fmin(a, b), tilt = deep > DEEP ? fmin(deep, TILT_MOST) : TILT;
    s->reach = reach;
    s->spread = SPREAD * fmin(a, b);
    s->a = (view){.shape = pair->a,
                  .origin = pa,
                  .e1 = frame.cy,
                  .e2 = frame.cz,
                  .n = n,
                  .side = 1.0,
                  .other = b,
                  .tilt = tilt,
                  .reach = fmax(reach - gap, 0.0),
                  .spread = s->spread,
                  .witness = pa};
    s->patch_a = patch_of(&s->a);
    s->patch_b.form = FORM_POINT;
    tidy_patch(&s->patch_a, s->spread);
    if (s->patch_a.form == FORM_POINT) {
        return;
    }
    s->b = (view){.shape = pair->b,
                  .origin = ovi_to_b(pair, ov_vec3_sub(pa, pair->offset)),
                  .e1 = ovi_to_b(pair, frame.cy),
                  .e2 = ovi_to_b(pair, frame.cz),
                  .n = ovi_to_b(pair, n),
                  .side = -1.0,
                  .other = a,
                  .tilt = tilt,
                  .reach = s->a.reach,
                  .spread = s->spread,
                  .witness = ovi_to_b(pair, ov_vec3_sub(pb, pair->offset)),
                  .top = -ov_vec3_dot(n, ov_vec3_sub(pb, pa))};
    s->patch_b = patch_of(&s->b);
    tidy_patch(&s->patch_b, s->spread);
}

/** The points of a contact within the reach, which has at least one. */
static void fill(const ovi_pair *pair, const ovi_frame *frame, double reach, ov_manifold *out) {
    const ov_contact *c = &out->contact;
    ov_vec3 n = ov_mat3_tmul_vec3(&frame->turn, c->normal);
    ov_vec3 pa = ov_mat3_tmul_vec3(&frame->turn, ov_vec3_sub(c->point_a, frame->position));
    ov_vec3 pb = ov_mat3_tmul_vec3(&frame->turn, ov_vec3_sub(c->point_b, frame->position_b));
    pb = ov_vec3_add(pb, pair->offset);
    sight s;
    look_along(pair, n, pa, pb, reach, c->gap, &s);
    region r = common_region(&s.patch_a, &s.patch_b);
    merge_near(&r, s.spread);
    name_corners(&s, &r);
    drop_grazing(&r, s.spread);
    found points[CANDIDATES + 1];
    int count = measure(&s, &r, points);
    bool flat = s.patch_a.rule == HEIGHT_PLANE && s.patch_b.rule == HEIGHT_PLANE;
    thin_out(points, &count, OV_MANIFOLD_POINTS_MAX - (flat ? 0 : 2));
    if (!flat && count > 1 && find_middle(&s, &r, &points[count]) &&
        points[count].gap < least_gap(points, count) - DEEPER / SPREAD * s.spread) {
        count++;
    }
    found witness;
    if (count > 0 && find_witness(&s, corner_at(&s.a, pb, 0), pair->size, &witness)) {
        add_witness(&s, &witness, points, &count);
    }
    out->count = count;
    for (int i = 0; i < count; i++) {
        write_point(pair, frame, &s.a, &points[i], &out->points[i]);
    }
    if (count <= 1) {
        double gap = ov_vec3_dot(c->normal, ov_vec3_sub(c->point_b, c->point_a));
        out->points[0] = (ov_manifold_point){c->point_a, c->point_b, gap, 0};
        out->count = 1;
    }
}

static ov_status check_reach(double reach) {
    if (isnan(reach)) {
        return OV_ERROR_NOT_FINITE;
    }
    return reach >= 0.0 && reach <= OV_POSITION_MAX ? OV_OK : OV_ERROR_OPTION;
}

ov_status ov_pair_manifold(const ov_shape *a, ov_pose pose_a, const ov_shape *b, ov_pose pose_b,
                           double reach, const ov_pair_options *options, ov_warm_start *warm,
                           ov_manifold *manifold) {
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_pair_manifold(a, pose_a, b, pose_b, reach, options, warm, manifold));
    if (manifold == NULL) {
        return OV_ERROR_NULL;
    }
    ovi_pair pair;
    ovi_frame frame;
    ovi_result result;
    manifold->count = 0;
    ov_status status = check_reach(reach);
    if (status == OV_OK) {
        status = ovi_pair_place(a, pose_a, b, pose_b, options, &pair, &frame);
    }
    if (status == OV_OK) {
        status = ovi_pair_solve(&pair, warm, &result);
    }
    if (status != OV_OK) {
        manifold->contact = ovi_contact_none(status);
        return status;
    }
    manifold->contact = ovi_contact_of(&pair, &frame, &result);
    if (manifold->contact.gap <= reach) {
        fill(&pair, &frame, reach, manifold);
    }
    return manifold->contact.status;
}

ov_status ov_contact_manifold(const ov_shape *a, ov_pose pose_a, const ov_shape *b, ov_pose pose_b,
                              const ov_contact *contact, double reach, ov_manifold *manifold) {
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_contact_manifold(a, pose_a, b, pose_b, contact, reach, manifold));
    if (manifold == NULL || contact == NULL) {
        return OV_ERROR_NULL;
    }
    ovi_pair pair;
    ovi_frame frame;
    manifold->count = 0;
    ov_status status = contact->status < 0 ? contact->status : check_reach(reach);
    if (status == OV_OK) {
        status = ovi_pair_place(a, pose_a, b, pose_b, NULL, &pair, &frame);
    }
    if (status == OV_OK &&
        (!ovi_is_direction(contact->normal) || !isfinite(contact->gap) ||
         !ov_vec3_is_finite(contact->point_a) || !ov_vec3_is_finite(contact->point_b))) {
        status = OV_ERROR_NOT_FINITE;
    }
    if (status != OV_OK) {
        manifold->contact = ovi_contact_none(status);
        return status;
    }
    manifold->contact = *contact;
    if (contact->gap <= reach) {
        fill(&pair, &frame, reach, manifold);
    }
    return contact->status;
}
