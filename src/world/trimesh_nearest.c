/**
 * @file trimesh_nearest.c
 * @brief The point of a mesh that is nearest to a given one: where searches for the least gap
 * begin. It proves nothing and has no care for rounding; the pair query has that.
 */
#include "trimesh_internal.h"

static double square_of(ov_vec3 v) { return ov_vec3_dot(v, v); }

static void keep_nearer(ov_vec3 p, ov_vec3 candidate, uint32_t triangle, ovi_trimesh_foot *foot) {
    double square = square_of(ov_vec3_sub(candidate, p));
    if (square < foot->square) {
        *foot = (ovi_trimesh_foot){square, candidate, triangle};
    }
}

static ov_vec3 nearest_of_edge(ov_vec3 a, ov_vec3 b, ov_vec3 p) {
    ov_vec3 edge = ov_vec3_sub(b, a);
    double length = square_of(edge), t = ov_vec3_dot(ov_vec3_sub(p, a), edge);
    t = t <= 0.0 ? 0.0 : t >= length ? 1.0 : t / length;
    return ov_vec3_add_scaled(a, edge, t);
}

/** Over the face if the point is there, else at the nearest edge. */
static void look_at(const ov_trimesh *mesh, uint32_t triangle, ov_vec3 p, ovi_trimesh_foot *foot) {
    ov_vec3 c[3];
    ovi_trimesh_corners(mesh, triangle, c);
    ov_vec3 e = ov_vec3_sub(c[1], c[0]), f = ov_vec3_sub(c[2], c[0]), n = ov_vec3_cross(e, f);
    ov_vec3 from = ov_vec3_sub(p, c[0]);
    double square = square_of(n), height = ov_vec3_dot(n, from);
    if (square > 0.0 && height * height >= foot->square * square) {
        return; // the whole plane is further off
    }
    double u = ov_vec3_dot(ov_vec3_cross(from, f), n) / square;
    double v = ov_vec3_dot(ov_vec3_cross(e, from), n) / square;
    if (u >= 0.0 && v >= 0.0 && u + v <= 1.0) {
        ov_vec3 at = ov_vec3_add_scaled(ov_vec3_add_scaled(c[0], e, u), f, v);
        keep_nearer(p, at, triangle, foot);
        return;
    }
    for (int i = 0; i < 3; i++) {
        keep_nearer(p, nearest_of_edge(c[i], c[(i + 1) % 3], p), triangle, foot);
    }
}

/** How far a coordinate is outside of an interval. */
static double outside(double x, double lo, double hi) {
    return x < lo ? lo - x : x > hi ? x - hi : 0.0;
}

static double box_square(const ov_aabb *box, ov_vec3 p) {
    return square_of(ov_vec3_make(outside(p.x, box->min.x, box->max.x),
                                  outside(p.y, box->min.y, box->max.y),
                                  outside(p.z, box->min.z, box->max.z)));
}

void ovi_trimesh_nearest(const ov_trimesh *mesh, ov_vec3 p, ovi_trimesh_foot *foot) {
    struct item {
        uint32_t node;
        double square;
    } stack[OVI_BVH_DEPTH + 2];
    const ovi_trimesh_node *nodes = mesh->nodes;
    int top = 0;
    stack[top++] = (struct item){0, 0.0};
    while (top > 0) {
        struct item at = stack[--top];
        const ovi_trimesh_node *node = &nodes[at.node];
        if (at.square >= foot->square) {
            continue;
        }
        for (uint32_t i = 0; i < node->count; i++) {
            look_at(mesh, mesh->order[node->first + i], p, foot);
        }
        if (node->count == 0) {
            struct item left = {at.node + 1, box_square(&nodes[at.node + 1].box, p)};
            struct item right = {node->first, box_square(&nodes[node->first].box, p)};
            bool left_first = left.square <= right.square;
            stack[top++] = left_first ? right : left;
            stack[top++] = left_first ? left : right;
        }
    }
}
