/**
 * @file fat_body.c
 * @brief Bodies of polygons made ready for a sweep.
 *
 * A body's pose is in the frame that moves, so its polygons are put there once, and all metrics are
 * made there. A body at rest is only turned; where it is goes with the motion of the other.
 */
#include <string.h>

#include "fat_body.h"
#include "metric.h"

/** A metric for what has no mass to speak of in some direction: that of a ball. */
static ov_metric metric_of_ball(ov_vec3 centre, double radius) {
    double moment = 0.25 * radius * radius;
    return (ov_metric){
        1.0, centre, {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {moment, moment, moment}};
}

/** Equal masses at all corners, and over their middle if they are flat [Toleranced, 7.1]. */
static ov_metric metric_of_whole(ovi_fat_body *s) {
    size_t count = s->polygons->corner_count;
    ov_metric metric;
    if (ov_metric_from_points(s->corners, NULL, count, &metric) == OV_OK) {
        return metric;
    }
    ov_vec3 sum = {0.0, 0.0, 0.0};
    for (size_t i = 1; i < count; i++) {
        sum = ov_vec3_add(sum, ov_vec3_sub(s->corners[i], s->corners[0]));
    }
    ov_vec3 middle = ov_vec3_add_scaled(s->corners[0], sum, 1.0 / (double)count);
    double radius = 0.0;
    for (size_t i = 0; i < count; i++) {
        radius = fmax(radius, ov_vec3_length(ov_vec3_sub(s->corners[i], middle)));
    }
    s->corners[count] = ov_vec3_add_scaled(middle, s->items[0].flat.normal, 0.25 * radius);
    return ov_metric_from_points(s->corners, NULL, count + 1, &metric) == OV_OK
               ? metric
               : metric_of_ball(middle, radius);
}

static ov_vec3 into_frame(const ovi_fat_body *s, ov_vec3 point) {
    return ov_vec3_add(ov_mat3_mul_vec3(&s->turn, point), s->offset);
}

/** All polygons in the frame that moves, without their metrics. */
static void turn_polygons(ovi_fat_body *s) {
    for (size_t i = 0; i < s->polygons->count; i++) {
        const ovi_polygon *p = &s->polygons->polygons[i];
        s->items[i] = (ovi_fat_polygon){.flat = {.corners = s->corners + p->first,
                                                 .count = p->count,
                                                 .centre = into_frame(s, p->centre),
                                                 .p = ov_mat3_mul_vec3(&s->turn, p->p),
                                                 .q = ov_mat3_mul_vec3(&s->turn, p->q),
                                                 .normal = ov_mat3_mul_vec3(&s->turn, p->normal),
                                                 .radius = p->radius * (1.0 + OVI_FAT_ROUNDING),
                                                 .deviation = p->deviation}};
        for (size_t k = 0; k < p->count; k++) {
            s->corners[p->first + k] = into_frame(s, ovi_polygon_corner(s->polygons, p, k));
        }
    }
}

/** Largest distortion rate on each box of the tree: at a corner, for it is convex. */
static void measure_nodes(ovi_fat_body *s) {
    const ovi_tree *tree = &s->polygons->tree;
    ov_vec3 x = ovi_metric_whiten(&s->whole, s->turn.cx), m = s->whole.moments;
    ov_vec3 y = ovi_metric_whiten(&s->whole, s->turn.cy);
    ov_vec3 z = ovi_metric_whiten(&s->whole, s->turn.cz);
    // as in fat.c, but corners of boxes can be further out
    double blur = 16.0 * OVI_METRIC_ROUNDING * (s->reach + ov_vec3_length(s->whole.centre)) /
                  sqrt(fmin(m.x, fmin(m.y, m.z)));
    for (uint32_t i = 0; i < tree->used; i++) {
        const ov_aabb *box = &tree->nodes[i].box;
        ov_vec3 half = ov_vec3_scale(ov_vec3_sub(box->max, box->min), 0.5);
        ov_vec3 centre = into_frame(s, ov_vec3_add(box->min, half));
        ov_vec3 c = ovi_metric_whiten(&s->whole, ov_vec3_sub(centre, s->whole.centre));
        double most = 0.0;
        for (int k = 0; k < 8; k++) {
            ov_vec3 at = ov_vec3_add_scaled(c, x, k & 1 ? half.x : -half.x);
            at = ov_vec3_add_scaled(at, y, k & 2 ? half.y : -half.y);
            at = ov_vec3_add_scaled(at, z, k & 4 ? half.z : -half.z);
            most = fmax(most, ov_vec3_dot(at, at));
        }
        s->node_rho[i] = sqrt(1.0 / s->whole.mass + most) * (1.0 + OVI_FAT_ROUNDING) + blur;
    }
}

void ovi_fat_body_release(ovi_fat_body *s, const ov_allocator *memory) {
    size_t corners = s->polygons->corner_count;
    ovi_release(memory, s->items, s->polygons->count, sizeof *s->items);
    ovi_release(memory, s->corners, corners + 1, sizeof *s->corners);
    ovi_release(memory, s->rho, corners, sizeof *s->rho);
    ovi_release(memory, s->kappa, corners, sizeof *s->kappa);
    ovi_release(memory, s->flat, corners, sizeof *s->flat);
    ovi_release(memory, s->node_rho, s->polygons->tree.used, sizeof *s->node_rho);
}

bool ovi_fat_body_make(ovi_fat_body *s, const ov_polygons *polygons, const ov_motion *motion,
                       ov_pose pose, const ov_sweep_options *options, const ov_allocator *memory) {
    size_t corners = polygons->corner_count, nodes = polygons->tree.used;
    s->polygons = polygons;
    s->motion = motion;
    s->turn = ov_mat3_from_quat(pose.rotation);
    s->offset = motion != NULL ? pose.position : ov_vec3_make(0.0, 0.0, 0.0);
    s->rest = ov_affine_from_pose((ov_pose){pose.position, ov_quat_identity()});
    s->reach = polygons->reach * (1.0 + OVI_FAT_ROUNDING) + ov_vec3_length(s->offset);
    s->global = options->mass == OV_MASS_USE_GLOBAL;
    s->items = ovi_resize(memory, NULL, 0, polygons->count, sizeof *s->items);
    s->corners = ovi_resize(memory, NULL, 0, corners + 1, sizeof *s->corners);
    s->rho = ovi_resize(memory, NULL, 0, corners, sizeof *s->rho);
    s->kappa = ovi_resize(memory, NULL, 0, corners, sizeof *s->kappa);
    s->flat = ovi_resize(memory, NULL, 0, corners, sizeof *s->flat);
    s->node_rho = ovi_resize(memory, NULL, 0, nodes, sizeof *s->node_rho);
    if (s->items == NULL || s->corners == NULL || s->rho == NULL || s->kappa == NULL ||
        s->flat == NULL || s->node_rho == NULL) {
        return false;
    }
    turn_polygons(s);
    if (motion != NULL && (s->global || !options->every_pair)) {
        s->whole = metric_of_whole(s);
    }
    if (!options->every_pair && motion != NULL) {
        measure_nodes(s);
    } else {
        memset(s->node_rho, 0, nodes * sizeof *s->node_rho);
    }
    return true;
}

ovi_fat_polygon *ovi_fat_body_item(ovi_fat_body *s, uint32_t index) {
    ovi_fat_polygon *item = &s->items[index];
    if (item->made) {
        return item;
    }
    const ovi_flat *f = &item->flat;
    size_t first = s->polygons->polygons[index].first;
    item->made = true;
    if (s->motion != NULL && s->global) {
        item->metric = s->whole;
    } else if (s->motion == NULL ||
               ov_metric_from_polygon(f->corners, f->count, 0.0, &item->metric) != OV_OK) {
        item->metric = metric_of_ball(f->centre, f->radius);
    }
    ovi_fat_form_make(&item->metric, f->corners, f->count, f->centre, f->p, f->q, s->rho + first,
                      s->kappa + first, s->flat + first, &item->form);
    return item;
}

double ovi_fat_body_at(const ovi_fat_body *s, double time, ov_affine *at) {
    *at = s->rest;
    if (s->motion == NULL) {
        return 0.0;
    }
    // a piece of no length: what is left of it is rounding
    ovi_piece piece;
    ovi_motion_piece(s->motion, time, time, &piece);
    *at = piece.centre;
    double away = 0.0;
    for (size_t i = 0; i < piece.count; i++) {
        const ov_affine *d = &piece.offsets[i];
        away = fmax(away, ov_vec3_length(d->translation) + ovi_stretch_of(&d->linear) * s->reach);
    }
    return (away + piece.slip + piece.twist * s->reach) * (1.0 + OVI_FAT_ROUNDING);
}

double ovi_fat_body_lowest(const ovi_fat_body *s, uint32_t index, const ovi_flat *placed,
                           ov_vec3 n) {
    const ovi_flat *local = &s->items[index].flat;
    double fall[OVI_PIECE_HULL];
    ov_vec3 along[OVI_PIECE_HULL];
    size_t count = s->motion != NULL ? s->piece.count : 0;
    for (size_t i = 0; i < count; i++) {
        const ov_affine *d = &s->piece.offsets[i];
        along[i] = ov_mat3_tmul_vec3(&d->linear, n);
        fall[i] = ov_vec3_dot(n, d->translation);
    }
    double lowest = INFINITY;
    for (size_t k = 0; k < local->count; k++) {
        double least = count > 0 ? INFINITY : 0.0;
        for (size_t i = 0; i < count; i++) {
            least = fmin(least, fall[i] + ov_vec3_dot(along[i], local->corners[k]));
        }
        lowest = fmin(lowest, ov_vec3_dot(n, placed->corners[k]) + least);
    }
    return lowest;
}

/** Least value of along.x + from on a box of the tree. */
static double least_on_box(const ovi_fat_body *s, ov_vec3 centre, ov_vec3 half, ov_vec3 along,
                           double from) {
    return from + ov_vec3_dot(along, centre) - half.x * fabs(ov_vec3_dot(along, s->turn.cx)) -
           half.y * fabs(ov_vec3_dot(along, s->turn.cy)) -
           half.z * fabs(ov_vec3_dot(along, s->turn.cz));
}

double ovi_fat_body_box_lowest(const ovi_fat_body *s, const ov_aabb *box, const ov_affine *at,
                               ov_vec3 n) {
    ov_vec3 half = ov_vec3_scale(ov_vec3_sub(box->max, box->min), 0.5);
    ov_vec3 centre = into_frame(s, ov_vec3_add(box->min, half));
    double least = 0.0;
    for (size_t i = 0; s->motion != NULL && i < s->piece.count; i++) {
        const ov_affine *d = &s->piece.offsets[i];
        double fall = least_on_box(s, centre, half, ov_mat3_tmul_vec3(&d->linear, n),
                                   ov_vec3_dot(n, d->translation));
        least = i > 0 ? fmin(least, fall) : fall;
    }
    return least + least_on_box(s, centre, half, ov_mat3_tmul_vec3(&at->linear, n),
                                ov_vec3_dot(n, at->translation));
}

double ovi_fat_body_unsure(const ovi_fat_body *s) {
    if (s->motion == NULL) {
        return 0.0;
    }
    double lengths = 0.0;
    for (size_t i = 0; i < s->piece.count; i++) {
        const ov_affine *d = &s->piece.offsets[i];
        lengths =
            fmax(lengths, ov_vec3_length(d->translation) + ovi_stretch_of(&d->linear) * s->reach);
    }
    return s->piece.slip + s->piece.twist * s->reach + OVI_FAT_ROUNDING * lengths;
}

double ovi_fat_body_uneven(const ovi_fat_body *s) {
    double most = 0.0;
    for (size_t i = 0; s->motion != NULL && i < s->piece.count; i++) {
        most = fmax(most, ovi_stretch_of(&s->piece.offsets[i].linear));
    }
    return s->motion != NULL ? (most + s->piece.twist) * s->polygons->deviation : 0.0;
}
