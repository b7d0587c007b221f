/**
 * @file geometry.c
 * @brief What a body is made of: parts with the bounds that the layers of a search need.
 */
#include <float.h>

#include "../math/rounding_mode.h"
#include "../shape/shape_internal.h"
#include "world_internal.h"

/** Bounds are made larger by this part of all lengths that went into them. */
#define MARGIN (16.0 * DBL_EPSILON)

ov_status ovi_pose_check(ov_pose *pose) {
    ov_status status = ovi_check_point(pose->position);
    return status == OV_OK ? ov_quat_normalize(pose->rotation, &pose->rotation) : status;
}

static ov_ball ball_in_body(ov_ball ball, ov_pose pose) {
    double lengths = ov_vec3_length(ball.centre) + ov_vec3_length(pose.position) + ball.radius;
    return (ov_ball){ov_pose_apply(pose, ball.centre), ball.radius + MARGIN * lengths};
}

static ov_obb box_in_body(ov_obb box, ov_pose pose) {
    double lengths = ov_vec3_length(box.pose.position) + ov_vec3_length(pose.position) +
                     ov_vec3_length(box.half);
    double more = MARGIN * lengths;
    return (ov_obb){ovi_pose_mul(pose, box.pose),
                    ov_vec3_add(box.half, (ov_vec3){more, more, more})};
}

static ov_obb box_of_mesh(const ov_trimesh *mesh) {
    ov_aabb b = ov_trimesh_box(mesh);
    ov_vec3 centre = ov_vec3_scale(ov_vec3_add(b.min, b.max), 0.5);
    ov_vec3 half = ov_vec3_scale(ov_vec3_sub(b.max, b.min), 0.5);
    ov_vec3 away = {fabs(centre.x), fabs(centre.y), fabs(centre.z)};
    half = ov_vec3_add_scaled(half, ov_vec3_add(half, away), MARGIN);
    return (ov_obb){{centre, ov_quat_identity()}, half};
}

static ov_status check_shape(const ov_shape *shape) {
    if (shape->kind <= OV_SHAPE_KIND_NONE || shape->kind >= OV_SHAPE_KIND_COUNT) {
        return OV_ERROR_SHAPE;
    }
    return ov_shape_is_convex(shape->kind) ? OV_OK : OV_ERROR_UNSUPPORTED;
}

ov_status ovi_part_make(const ov_part *given, ovi_part *part) {
    part->part = *given;
    part->part.pose = ov_pose_default(given->pose);
    ov_status status = ovi_pose_check(&part->part.pose);
    if (status == OV_OK && given->mesh == NULL) {
        status = check_shape(&given->shape);
    }
    if (status != OV_OK) {
        return status;
    }
    ov_vec3 p = part->part.pose.position;
    ov_quat q = part->part.pose.rotation;
    part->at_origin =
        p.x == 0.0 && p.y == 0.0 && p.z == 0.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0;
    part->bounded = given->mesh != NULL || given->shape.kind != OV_SHAPE_KIND_HALFSPACE;
    part->ball = (ov_ball){p, INFINITY};
    part->box = (ov_obb){ov_pose_identity(), {INFINITY, INFINITY, INFINITY}};
    if (!part->bounded) {
        return OV_OK;
    }
    ov_obb box;
    ov_ball ball;
    if (given->mesh != NULL) {
        part->part.shape = (ov_shape){.kind = OV_SHAPE_KIND_NONE};
        box = box_of_mesh(given->mesh);
        ball = ov_trimesh_ball(given->mesh);
    } else {
        ball = given->shape.ball;
        status = ov_shape_obb(&given->shape, &box);
    }
    part->ball = ball_in_body(ball, part->part.pose);
    part->box = box_in_body(box, part->part.pose);
    return status;
}

ov_status ov_geometry_create(const ov_part *parts, size_t count, const ov_allocator *allocator,
                             ov_geometry **geometry) {
    OVI_NEAREST(ov_status, ov_geometry_create(parts, count, allocator, geometry));
    if (geometry == NULL) {
        return OV_ERROR_NULL;
    }
    *geometry = NULL;
    if (parts == NULL) {
        return OV_ERROR_NULL;
    }
    if (count == 0 || count > OV_PARTS_MAX) {
        return OV_ERROR_COUNT;
    }
    ov_allocator used = ovi_allocator_of(allocator);
    ov_geometry *g = ovi_resize(&used, NULL, 0, 1, sizeof(ov_geometry) + count * sizeof(ovi_part));
    if (g == NULL) {
        return OV_ERROR_MEMORY;
    }
    *g = (ov_geometry){.allocator = used, .count = count};
    ov_status status = OV_OK;
    for (size_t i = 0; i < count && status == OV_OK; i++) {
        status = ovi_part_make(&parts[i], &g->parts[i]);
        if (status == OV_OK && g->parts[i].bounded) {
            ov_ball ball = g->parts[i].ball;
            double reach = (ov_vec3_length(ball.centre) + ball.radius) * (1.0 + MARGIN);
            g->reach = reach > g->reach ? reach : g->reach;
            g->radius = ball.radius > g->radius ? ball.radius : g->radius;
        }
    }
    if (status != OV_OK) {
        ov_geometry_destroy(g);
        return status;
    }
    *geometry = g;
    return OV_OK;
}

void ov_geometry_destroy(ov_geometry *geometry) {
    if (geometry != NULL) {
        ov_allocator used = geometry->allocator;
        ovi_release(&used, geometry, 1, sizeof(ov_geometry) + geometry->count * sizeof(ovi_part));
    }
}

size_t ov_geometry_count(const ov_geometry *geometry) {
    return geometry != NULL ? geometry->count : 0;
}

const ov_part *ov_geometry_part(const ov_geometry *geometry, size_t index) {
    return index < ov_geometry_count(geometry) ? &geometry->parts[index].part : NULL;
}
