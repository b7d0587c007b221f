/**
 * @file touch_tree.c
 * @brief Distances of a map that are not in its field: to the nearest triangle, and outside of the
 * field's grid.
 *
 * A nearest point is on its triangle to rounding, so its distance is an upper bound whatever
 * rounding did to the choice between face, edges and corners. The lower bound is proven apart: all
 * of a triangle is behind the plane across the line to its nearest point that passes its foremost
 * corner (ovi_facet_ahead). Slivers, of which the nearest point may be off by some 1e-8 of their
 * length, have a weaker lower bound and never a false one.
 */
#include "touch_internal.h"

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
    if (lower < length * (1.0 - 1e-12)) {
        ov_vec3 n = ov_vec3_normalize(ov_vec3_cross(f->ab, f->ac));
        n = ov_vec3_dot(n, away) < 0.0 ? ov_vec3_neg(n) : n;
        lower = ovi_larger(lower, ovi_facet_ahead(f, p, n));
    }
    return lower;
}

/** `square` is that of the distance found, `reach` the square of what still needs a proof. */
static void look_at(const ovi_touch_tree *tree, uint32_t facet, ov_vec3 p, ovi_nearest *near,
                    double *square, double *reach) {
    const ovi_facet *f = &tree->facets[facet];
    ov_vec3 q = ovi_facet_nearest(f, p), away = ov_vec3_sub(p, q);
    double d = ov_vec3_dot(away, away);
    if (d > *reach) {
        return; // further than what was found, even if it is as far off as can be
    }
    double length = sqrt(d), lower = proven_distance(f, p, away, length);
    near->lower = lower < near->lower ? lower : near->lower;
    if (d < *square) {
        *square = d;
        *reach = (length + tree->unsure) * (length + tree->unsure);
        *near = (ovi_nearest){length, near->lower, q, tree->order[facet]};
    }
}

ovi_nearest ovi_touch_nearest(const ovi_touch_tree *tree, ov_vec3 p, double reach) {
    waiting stack[OVI_BVH_DEPTH + 2];
    int top = 0;
    ovi_nearest near = {reach, INFINITY, p, OV_NO_TRIANGLE};
    double square = reach * reach, wide = (reach + tree->unsure) * (reach + tree->unsure);
    const ovi_touch_node *nodes = tree->nodes;
    stack[top++] = (waiting){0, ovi_node_square(&nodes[0], p)};
    while (top > 0) {
        waiting at = stack[--top];
        const ovi_touch_node *node = &nodes[at.node];
        if (at.square > square) {
            continue;
        }
        for (uint32_t i = 0; i < node->count; i++) {
            look_at(tree, node->first + i, p, &near, &square, &wide);
        }
        if (node->count == 0) {
            waiting left = {at.node + 1, ovi_node_square(&nodes[at.node + 1], p)};
            waiting right = {node->first, ovi_node_square(&nodes[node->first], p)};
            bool left_first = left.square <= right.square;
            stack[top++] = left_first ? right : left;
            stack[top++] = left_first ? left : right;
        }
    }
    // what was passed over is no nearer than what was found
    near.lower = near.lower < near.distance ? near.lower : near.distance;
    return near;
}

/* ---- points in the map's frame */

/** The nearest point of the field's grid, a little inside. */
static ov_vec3 into_field(const ovi_field *f, ov_vec3 p) {
    double more = f->width * 1e-9;
    const double most[3] = {f->dims[0] * f->width, f->dims[1] * f->width, f->dims[2] * f->width};
    return ov_vec3_make(fmin(fmax(p.x, f->origin.x + more), f->origin.x + most[0] - more),
                        fmin(fmax(p.y, f->origin.y + more), f->origin.y + most[1] - more),
                        fmin(fmax(p.z, f->origin.z + more), f->origin.z + most[2] - more));
}

static double aabb_distance(const ov_aabb *b, ov_vec3 p) {
    return ovi_axes_bound(fmax(b->min.x - p.x, p.x - b->max.x),
                          fmax(b->min.y - p.y, p.y - b->max.y),
                          fmax(b->min.z - p.z, p.z - b->max.z));
}

/** By the boxes of mesh and parts. */
static double lower_outside(const ov_touch_map *map, ov_vec3 p, double rounding) {
    double lower = aabb_distance(&map->box, p), nearest = map->box_count > 0 ? INFINITY : lower;
    // a part that is no further than the box of the mesh adds nothing to it
    for (size_t i = 0; i < map->box_count && nearest > lower; i++) {
        const ovi_touch_box *box = &map->boxes[i];
        double reach = fabs(box->centre.x) + fabs(box->centre.y) + fabs(box->centre.z);
        double here = ovi_touch_box_distance(box, p) - ovi_touch_rounding(reach);
        nearest = here < nearest ? here : nearest;
    }
    return ovi_larger(lower, nearest) - rounding;
}

/** Outside of the field: from below by the boxes of mesh and parts, from above by the field's
 *  border and the way there. */
ovi_touch_bounds ovi_touch_bounds_outside(const ov_touch_map *map, ov_vec3 p, double error) {
    ov_vec3 border = into_field(&map->field, p);
    double way = ov_vec3_length(ov_vec3_sub(p, border)),
           rounding = ovi_touch_rounding_at(map, p) + error;
    double lower = lower_outside(map, p, rounding);
    ovi_field_cell c;
    double upper = way + 2.0 * map->diagonal, value = upper;
    if (ovi_field_find(&map->field, border, &c)) {
        double at_border = ovi_cell_value(&map->field, &c);
        upper = way + at_border + ovi_cell_bound(&map->field, &c);
        value = 0.5 * (lower + rounding + upper);
    }
    ovi_touch_bounds b = {value, lower, upper + rounding};
    // bytes that were never made by a map may contradict their mesh
    b.upper = fmax(b.upper, b.lower);
    b.value = fmin(fmax(b.value, b.lower), b.upper);
    return b;
}
