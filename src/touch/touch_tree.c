/**
 * @file touch_tree.c
 * @brief The exact side of a map: nearest points of triangles, and searches for them in the tree of
 * a mesh.
 *
 * A nearest point is on its triangle to rounding, so its distance is an upper bound whatever
 * rounding did to the choice between face, edges and corners. The lower bound is proven apart: all
 * of a triangle is behind the plane across the line to its nearest point that passes its foremost
 * corner (ovi_facet_ahead). Slivers, of which the nearest point may be off by some 1e-8 of their
 * length, have a weaker lower bound and never a false one.
 */
#include "touch_internal.h"

ovi_facet ovi_facet_of(const ov_trimesh *mesh, uint32_t triangle) {
    ov_vec3 c[3];
    ovi_trimesh_corners(mesh, triangle, c);
    ovi_facet f = {.a = c[0], .ab = ov_vec3_sub(c[1], c[0]), .ac = ov_vec3_sub(c[2], c[0])};
    f.bb = ov_vec3_dot(f.ab, f.ab);
    f.bc = ov_vec3_dot(f.ab, f.ac);
    f.cc = ov_vec3_dot(f.ac, f.ac);
    f.det = f.bb * f.cc - f.bc * f.bc;
    // what is left of a sliver is rounding: its edges are as good as its face
    f.det = f.det > 16.0 * DBL_EPSILON * f.bb * f.cc ? f.det : 0.0;
    return f;
}

static double held(double x) { return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; }

/** Keeps the nearer one of a point found and one on an edge. */
static void try_edge(ov_vec3 p, ov_vec3 from, ov_vec3 edge, double along, double square,
                     ov_vec3 *best, double *least) {
    double t = square > 0.0 ? held(along / square) : 0.0;
    ov_vec3 q = ov_vec3_add_scaled(from, edge, t), away = ov_vec3_sub(p, q);
    double d = ov_vec3_dot(away, away);
    if (d < *least) {
        *least = d;
        *best = q;
    }
}

/** The nearest point is on the face, or on an edge that the point is beyond. */
ov_vec3 ovi_facet_nearest(const ovi_facet *f, ov_vec3 p) {
    ov_vec3 ap = ov_vec3_sub(p, f->a);
    double d1 = ov_vec3_dot(f->ab, ap), d2 = ov_vec3_dot(f->ac, ap);
    double s = f->cc * d1 - f->bc * d2, t = f->bb * d2 - f->bc * d1;
    if (s >= 0.0 && t >= 0.0 && s + t <= f->det && f->det > 0.0) {
        return ov_vec3_add(
            f->a, ov_vec3_add(ov_vec3_scale(f->ab, s / f->det), ov_vec3_scale(f->ac, t / f->det)));
    }
    ov_vec3 best = f->a;
    double least = ov_vec3_dot(ap, ap);
    bool all = !(f->det > 0.0);
    if (all || t < 0.0) {
        try_edge(p, f->a, f->ab, d1, f->bb, &best, &least);
    }
    if (all || s < 0.0) {
        try_edge(p, f->a, f->ac, d2, f->cc, &best, &least);
    }
    if (all || s + t > f->det) {
        try_edge(p, ov_vec3_add(f->a, f->ab), ov_vec3_sub(f->ac, f->ab), d2 - d1 + f->bb - f->bc,
                 f->bb + f->cc - 2.0 * f->bc, &best, &least);
    }
    return best;
}

static double box_square(const ov_aabb *b, ov_vec3 p) {
    double x = b->min.x - p.x > p.x - b->max.x ? b->min.x - p.x : p.x - b->max.x;
    double y = b->min.y - p.y > p.y - b->max.y ? b->min.y - p.y : p.y - b->max.y;
    double z = b->min.z - p.z > p.z - b->max.z ? b->min.z - p.z : p.z - b->max.z;
    x = x > 0.0 ? x : 0.0;
    y = y > 0.0 ? y : 0.0;
    z = z > 0.0 ? z : 0.0;
    return x * x + y * y + z * z;
}

typedef struct waiting {
    uint32_t node;
    double square;
} waiting;

/** Lower bound of the distance to a facet whose nearest point is `length` away. Very near to a face
 *  the way there has no direction to speak of; its normal has. */
static double proven_distance(const ovi_facet *f, ov_vec3 p, ov_vec3 away, double length) {
    if (!(length > DBL_MIN)) {
        return 0.0; // no direction, no proof: it is as near as can be
    }
    double lower = ovi_facet_ahead(f, p, ov_vec3_scale(away, 1.0 / length));
    if (f->det > 0.0 && lower < length * (1.0 - 1e-12)) {
        ov_vec3 n = ov_vec3_normalize(ov_vec3_cross(f->ab, f->ac));
        n = ov_vec3_dot(n, away) < 0.0 ? ov_vec3_neg(n) : n;
        lower = ovi_larger(lower, ovi_facet_ahead(f, p, n));
    }
    return lower;
}

static void look_at(const ov_trimesh *mesh, uint32_t triangle, ov_vec3 p, ovi_nearest *near,
                    double *square) {
    ovi_facet f = ovi_facet_of(mesh, triangle);
    ov_vec3 q = ovi_facet_nearest(&f, p), away = ov_vec3_sub(p, q);
    double d = ov_vec3_dot(away, away), length = sqrt(d);
    double lower = proven_distance(&f, p, away, length);
    near->lower = lower < near->lower ? lower : near->lower;
    if (d < *square) {
        *square = d;
        *near = (ovi_nearest){length, near->lower, q, triangle};
    }
}

ovi_nearest ovi_touch_nearest(const ov_trimesh *mesh, ov_vec3 p, double reach) {
    waiting stack[OVI_BVH_DEPTH + 2];
    int top = 0;
    ovi_nearest near = {reach, INFINITY, p, OV_NO_TRIANGLE};
    double square = reach * reach;
    const ovi_trimesh_node *nodes = mesh->nodes;
    stack[top++] = (waiting){0, box_square(&nodes[0].box, p)};
    while (top > 0) {
        waiting at = stack[--top];
        const ovi_trimesh_node *node = &nodes[at.node];
        if (at.square > square) {
            continue;
        }
        for (uint32_t i = 0; i < node->count; i++) {
            look_at(mesh, mesh->order[node->first + i], p, &near, &square);
        }
        if (node->count == 0) {
            waiting left = {at.node + 1, box_square(&nodes[at.node + 1].box, p)};
            waiting right = {node->first, box_square(&nodes[node->first].box, p)};
            bool left_first = left.square <= right.square;
            stack[top++] = left_first ? right : left;
            stack[top++] = left_first ? left : right;
        }
    }
    // what was passed over is no nearer than what was found
    near.lower = near.lower < near.distance ? near.lower : near.distance;
    return near;
}

uint32_t ovi_touch_within(const ov_trimesh *mesh, ov_vec3 p, double reach, uint32_t *list) {
    uint32_t stack[OVI_BVH_DEPTH + 2], count = 0;
    int top = 0;
    double square = reach * reach;
    stack[top++] = 0;
    while (top > 0) {
        uint32_t at = stack[--top];
        const ovi_trimesh_node *node = &mesh->nodes[at];
        if (box_square(&node->box, p) > square) {
            continue;
        }
        for (uint32_t i = 0; i < node->count; i++) {
            list[count++] = mesh->order[node->first + i];
        }
        if (node->count == 0) {
            stack[top++] = node->first;
            stack[top++] = at + 1;
        }
    }
    return count;
}
