/**
 * @file discrete.c
 * @brief The discrete method of Lu et al. as [Thesis, 1.3.3] describes it: one body is a set of
 * points of its surface, the nodes, and each is put into the inside-outside function of the other.
 *
 * The thesis tells how contact is found and not how it is measured; this is a reading:
 *  - The nodes are the vertices of the mesh of A (ov_shape_mesh_plan, nearly even; of the method's
 *    two spacings the even one), at most options->mesh_vertices of them.
 *  - Contact: a node is inside B. The deepest is the one with the least value of the function; its
 *    point of B is where the line along B's normal at the node leaves B, and the gap is minus the
 *    length of that line. So it is the depth of one node, not of the bodies.
 *  - No contact: the method has no more to say. To have an answer, the node with the least value is
 *    given, with the point of B on the line from it to B's centre and the length of that line as
 *    the gap: a bound from above that is no distance.
 *  - The normal is B's at its point, turned round.
 *  - Nodes sorted by their last values, so that few are looked at in the next step, need a state
 *    between calls; here all are looked at.
 *  - Nodes belong to the body and are made once in its life: making them is not in the time.
 *
 * Values are compared by the gauge, G = (1 + F)^(e2/2), which has the order and the inside of F and
 * does not overflow.
 *
 * Defect: only nodes of A are looked at. A corner of B that goes into A between its nodes is
 * missed. Mended: nodes of B in A too; the deeper contact is taken, or else the smaller gap.
 */
#include <float.h>
#include <stdint.h>
#include <stdlib.h>

#include <ovoid/query.h>

#include "systems.h"

enum { STEPS_MAX = 60 };

/* ---- nodes */

typedef struct nodes {
    size_t count;
    ov_vec3 *points;
} nodes;

static ov_status make_nodes(const ov_shape *shape, size_t most, nodes *out) {
    ov_mesh_options options = {.vertices = most};
    ov_mesh_plan plan;
    ov_status status = ov_shape_mesh_plan(shape, &options, &plan);
    if (status < 0) {
        return status;
    }
    uint32_t(*triangles)[3] = malloc(plan.triangle_count * sizeof *triangles);
    out->count = plan.vertex_count;
    out->points = malloc(plan.vertex_count * sizeof *out->points);
    status = OV_ERROR_MEMORY;
    if (triangles != NULL && out->points != NULL) {
        status = ov_shape_mesh_fill(shape, &plan, out->points, NULL, triangles);
    }
    free(triangles);
    return status;
}

/* ---- nodes of one body in the function of the other */

/** What a search found; all in the other body's frame. */
typedef struct touch {
    ov_vec3 node, surface, normal; /**< outward normal at the surface point */
    double gap;
} touch;

/** The node with the least gauge. */
static double least_node(const nodes *n, const ov_shape *other, const ov_mat3 *turn, ov_vec3 offset,
                         ov_vec3 *node) {
    double least = INFINITY;
    *node = offset;
    for (size_t i = 0; i < n->count; i++) {
        ov_vec3 p = ov_vec3_add(ov_mat3_mul_vec3(turn, n->points[i]), offset);
        double gauge;
        if (ov_shape_gauge_value(other, p, &gauge) >= 0 && gauge < least) {
            least = gauge;
            *node = p;
        }
    }
    return least;
}

/**
 * Length of the line from an inner point along the unit direction g to the surface. The gauge is
 * convex along a line, so Newton's steps from beyond the root come down to it; others are halved.
 */
static double way_out(const ov_shape *shape, ov_vec3 p, ov_vec3 g) {
    double lo = 0.0, hi = 2.0 * shape->ball.radius, s = 0.0;
    for (int i = 0; i < STEPS_MAX; i++) {
        ov_field f;
        if (ov_shape_gauge(shape, ov_vec3_add_scaled(p, g, s), &f) < 0) {
            break;
        }
        double off = f.value - 1.0;
        lo = off < 0.0 ? s : lo;
        hi = off < 0.0 ? hi : s;
        double next = s - off / ov_vec3_dot(f.gradient, g);
        if (!(next > lo && next < hi)) {
            next = 0.5 * (lo + hi);
        }
        if (fabs(off) <= 4.0 * DBL_EPSILON || !(next > lo && next < hi)) {
            break;
        }
        s = next;
    }
    return s;
}

static ov_vec3 normal_at(const ov_shape *shape, ov_vec3 p) {
    ov_field f = {.value = 0.0};
    return ov_shape_gauge(shape, p, &f) >= 0 ? ov_vec3_normalize(f.gradient)
                                             : ov_vec3_make(0.0, 0.0, 0.0);
}

static bool find_touch(const nodes *n, const ov_shape *other, const ov_mat3 *turn, ov_vec3 offset,
                       touch *t) {
    double gauge = least_node(n, other, turn, offset, &t->node);
    ov_vec3 along = normal_at(other, t->node);
    if (gauge < 1.0 && gauge > 0.0 && ov_vec3_dot(along, along) > 0.0) {
        double s = way_out(other, t->node, along);
        t->surface = ov_vec3_add_scaled(t->node, along, s);
        t->gap = -s;
    } else if (ov_point_radial(other, ov_pose_identity(), t->node, &t->gap, &t->surface) < 0) {
        return false;
    }
    t->normal = normal_at(other, t->surface);
    return true;
}

/* ---- the answer */

static void write_touch(const ovi_scheme_pair *pair, const touch *t, bool of_b,
                        ov_scheme_result *result) {
    ov_pose frame = of_b ? pair->pose_a : pair->pose_b;
    ov_vec3 node = ov_pose_apply(frame, t->node), surface = ov_pose_apply(frame, t->surface);
    ov_vec3 normal = ov_quat_rotate(frame.rotation, t->normal);
    result->status = OV_OK;
    result->gap = t->gap;
    result->point_a = of_b ? surface : node;
    result->point_b = of_b ? node : surface;
    result->normal = of_b ? normal : ov_vec3_neg(normal);
}

static void search(const ovi_scheme_pair *pair, const nodes *of_a, const nodes *of_b,
                   ov_scheme_result *result) {
    ovi_scheme_place place = ovi_scheme_place_of(pair);
    touch a, b;
    double begin = ovi_scheme_clock();
    bool found = find_touch(of_a, pair->b, &place.turn, place.offset, &a);
    if (found) {
        write_touch(pair, &a, false, result);
    }
    if (of_b->count > 0) {
        const ov_mat3 *m = &place.turn;
        ov_mat3 back = {ov_vec3_make(m->cx.x, m->cy.x, m->cz.x),
                        ov_vec3_make(m->cx.y, m->cy.y, m->cz.y),
                        ov_vec3_make(m->cx.z, m->cy.z, m->cz.z)};
        ov_vec3 offset = ov_vec3_neg(ov_mat3_mul_vec3(&back, place.offset));
        if (find_touch(of_b, pair->a, &back, offset, &b) && (!found || b.gap < a.gap)) {
            write_touch(pair, &b, true, result);
        }
    }
    result->total_seconds = ovi_scheme_clock() - begin;
}

void ovi_scheme_discrete(const ovi_scheme_pair *pair, ov_scheme_result *result) {
    nodes of_a = {0}, of_b = {0};
    size_t most = pair->options->mesh_vertices;
    // what stays if not even the line to the centre could be followed
    result->status = OV_ERROR_SIZE_RANGE;
    ov_status status = make_nodes(pair->a, most, &of_a);
    if (status >= 0 && pair->options->mended) {
        status = make_nodes(pair->b, most, &of_b);
    }
    if (status >= 0) {
        search(pair, &of_a, &of_b, result);
    } else {
        result->status = status;
    }
    free(of_a.points);
    free(of_b.points);
}
