/**
 * @file cloth_collider.c
 * @brief The bodies that a cloth meets: their parts, checked and recognised from step to step, and
 * where each part is during a step.
 */
#include <string.h>

#include "../shape/shape_internal.h"
#include "cloth_internal.h"

/* ---- parts of colliders */

ov_pose ovi_cloth_pose_between(ov_pose start, ov_pose end, double t) {
    if (memcmp(&start, &end, sizeof start) == 0) {
        return start;
    }
    ov_pose pose;
    pose.position =
        ov_vec3_add_scaled(start.position, ov_vec3_sub(end.position, start.position), t);
    ov_quat turn = ov_quat_mul(end.rotation, ov_quat_conjugate(start.rotation));
    ov_vec3 axis = ov_vec3_make(turn.x, turn.y, turn.z);
    double s = ov_vec3_length(axis), angle = 2.0 * atan2(s, fabs(turn.w));
    ov_quat part = ov_quat_from_axis_angle(turn.w < 0.0 ? ov_vec3_neg(axis) : axis, angle * t);
    pose.rotation = s > 0.0 ? ov_quat_mul(part, start.rotation) : start.rotation;
    return pose;
}

static ov_pose pose_product(ov_pose a, ov_pose b) {
    return (ov_pose){ov_pose_apply(a, b.position), ov_quat_mul(a.rotation, b.rotation)};
}

static ovi_solid_path path_of(const ov_shape *shape) {
    switch (shape->kind) {
    case OV_SHAPE_KIND_SPHERE:
    case OV_SHAPE_KIND_ELLIPSOID:
        return OVI_SOLID_ELLIPSOID;
    case OV_SHAPE_KIND_SUPERELLIPSOID:
        return OVI_SOLID_GAUGE;
    case OV_SHAPE_KIND_SUPEROVOID:
        return OVI_SOLID_TAPERED;
    case OV_SHAPE_KIND_HALFSPACE:
        return OVI_SOLID_PLANE;
    default:
        return OVI_SOLID_SUPPORT;
    }
}

/** Points, segments and triangles have no inside to be brought out of: a cloth without thickness
 *  would fall past them between two steps. */
static bool has_volume(const ov_shape *shape) {
    return shape->kind != OV_SHAPE_KIND_POINT && shape->kind != OV_SHAPE_KIND_SEGMENT &&
           shape->kind != OV_SHAPE_KIND_TRIANGLE;
}

static ovi_cloth_solid make_solid(const ov_shape *shape, const ov_trimesh *mesh, ov_pose part,
                                  uint32_t collider, double thickness) {
    ovi_cloth_solid s = {
        .shape = mesh == NULL ? shape : NULL, .mesh = mesh, .part = part, .collider = collider};
    if (mesh != NULL) {
        ov_ball ball = ov_trimesh_ball(mesh);
        s.path = OVI_SOLID_MESH;
        s.outer = ov_vec3_length(ball.centre) + ball.radius;
        return s;
    }
    s.path = path_of(shape);
    s.outer = ov_vec3_length(shape->ball.centre) + shape->ball.radius;
    ov_ball inside;
    if (s.path != OVI_SOLID_PLANE && ov_shape_inscribed_ball(shape, &inside) == OV_OK) {
        s.inner = inside.radius;
    }
    if (!has_volume(shape)) {
        s.inner = 0.5 * thickness;
    }
    return s;
}

/** Symmetric and not negative, to rounding: else a push could be answered by more of it. */
static bool is_inertia(const ov_mat3 *m) {
    double most = fmax(fmax(fabs(m->cx.x), fabs(m->cy.y)), fabs(m->cz.z));
    if (most > 1e15 || m->cx.x < 0.0 || m->cy.y < 0.0 || m->cz.z < 0.0) {
        return false;
    }
    double xy = m->cx.y, xz = m->cx.z, yz = m->cy.z, noise = 1e-9 * most;
    bool symmetric =
        fabs(xy - m->cy.x) <= noise && fabs(xz - m->cz.x) <= noise && fabs(yz - m->cz.y) <= noise;
    double det = ov_vec3_dot(m->cx, ov_vec3_cross(m->cy, m->cz));
    return symmetric && m->cx.x * m->cy.y - xy * xy >= -noise * most &&
           m->cx.x * m->cz.z - xz * xz >= -noise * most &&
           m->cy.y * m->cz.z - yz * yz >= -noise * most && det >= -noise * most * most;
}

static ov_status check_collider(const ov_cloth_collider *c) {
    if ((c->geometry == NULL) == (c->shape == NULL)) {
        return OV_ERROR_NULL;
    }
    if (c->shape != NULL) {
        ov_status status = ovi_check_shape(c->shape, c);
        if (status != OV_OK) {
            return status;
        }
        if (!ov_shape_is_convex(c->shape->kind)) {
            return OV_ERROR_UNSUPPORTED;
        }
    }
    const double numbers[] = {c->friction, c->restitution, c->inverse_mass};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (!isfinite(numbers[i])) {
            return OV_ERROR_NOT_FINITE;
        }
        if (numbers[i] < 0.0) {
            return OV_ERROR_OPTION;
        }
    }
    if (c->restitution > 1.0) {
        return OV_ERROR_OPTION;
    }
    const ov_pose poses[2] = {c->start, c->end};
    for (int i = 0; i < 2; i++) {
        ov_quat unit;
        ov_status status = ovi_check_position(poses[i].position);
        status =
            status == OV_OK ? ov_quat_normalize(ov_pose_default(poses[i]).rotation, &unit) : status;
        if (status != OV_OK) {
            return status;
        }
    }
    if (!ov_vec3_is_finite(c->inverse_inertia.cx) || !ov_vec3_is_finite(c->inverse_inertia.cy) ||
        !ov_vec3_is_finite(c->inverse_inertia.cz)) {
        return OV_ERROR_NOT_FINITE;
    }
    return c->inverse_mass <= 1e15 && is_inertia(&c->inverse_inertia) ? OV_OK : OV_ERROR_OPTION;
}

/** Number of parts of a collider, and one of them. */
static size_t part_count(const ov_cloth_collider *c) {
    return c->geometry != NULL ? ov_geometry_count(c->geometry) : 1;
}

static ovi_cloth_solid part_of(const ov_cloth_collider *c, size_t index, uint32_t collider,
                               double thickness) {
    if (c->geometry == NULL) {
        return make_solid(c->shape, NULL, ov_pose_identity(), collider, thickness);
    }
    const ov_part *part = ov_geometry_part(c->geometry, index);
    return make_solid(&part->shape, part->mesh, ov_pose_default(part->pose), collider, thickness);
}

/** Are the solids those of these colliders? Behind a snapshot only their kinds can be compared. */
static bool same_solids(const ov_cloth *cloth, const ov_cloth_collider *colliders, size_t count) {
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < part_count(&colliders[i]); k++, at++) {
            if (at >= cloth->solid_count) {
                return false;
            }
            const ovi_cloth_solid *s = &cloth->solids[at];
            const ov_part *part =
                colliders[i].geometry != NULL ? ov_geometry_part(colliders[i].geometry, k) : NULL;
            const ov_trimesh *mesh = part != NULL ? part->mesh : NULL;
            const ov_shape *shape = mesh != NULL   ? NULL
                                    : part != NULL ? &part->shape
                                                   : colliders[i].shape;
            bool same = cloth->adopt ? (mesh != NULL ? OVI_SOLID_MESH : path_of(shape)) == s->path
                                     : s->shape == shape && s->mesh == mesh;
            if (s->collider != i || !same) {
                return false;
            }
        }
    }
    return at == cloth->solid_count;
}

/** After a snapshot: what is known stays, what it points to is found again. */
static void adopt_solids(ov_cloth *cloth, const ov_cloth_collider *colliders, size_t count) {
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < part_count(&colliders[i]); k++, at++) {
            ovi_cloth_solid *s = &cloth->solids[at],
                            fresh = part_of(&colliders[i], k, (uint32_t)i, cloth->thickness);
            s->shape = fresh.shape;
            s->mesh = fresh.mesh;
        }
    }
    cloth->adopt = false;
}

/** Motion that changes a plane by less than a few micrometres on bodies of a decimetre: a curve of
 *  radius r leaves its tangent by d^2/2r after d. */
static double plane_tolerance(const ov_cloth *cloth) {
    double least = INFINITY;
    for (size_t i = 0; i < cloth->solid_count; i++) {
        double inner = cloth->solids[i].inner;
        least = inner > 0.0 && inner < least ? inner : least;
    }
    return isfinite(least) ? 1e-4 * least : 0.0;
}

/** Is there something that the cloth has no way to keep off? */
static bool is_too_thin(const ov_cloth *cloth, const ov_cloth_collider *c) {
    for (size_t k = 0; cloth->thickness == 0.0 && k < part_count(c); k++) {
        const ov_part *part = c->geometry != NULL ? ov_geometry_part(c->geometry, k) : NULL;
        if ((part == NULL || part->mesh == NULL) &&
            !has_volume(part != NULL ? &part->shape : c->shape)) {
            return true;
        }
    }
    return false;
}

ov_status ovi_cloth_take_colliders(ov_cloth *cloth, const ov_cloth_collider *colliders,
                                   size_t count) {
    size_t parts = 0;
    for (size_t i = 0; i < count; i++) {
        ov_status status = check_collider(&colliders[i]);
        if (status != OV_OK || is_too_thin(cloth, &colliders[i])) {
            return status != OV_OK ? status : OV_ERROR_UNSUPPORTED;
        }
        parts += part_count(&colliders[i]);
    }
    if (count >= OV_NO_COLLIDER || parts >= UINT32_MAX) {
        return OV_ERROR_COUNT;
    }
    const ov_allocator *a = &cloth->allocator;
    if (parts > cloth->solid_room) {
        void *solids =
            ovi_more_room(a, cloth->solids, &cloth->solid_room, parts, sizeof *cloth->solids);
        if (solids == NULL) {
            return OV_ERROR_MEMORY;
        }
        cloth->solids = solids;
    }
    if (count > cloth->stage_room) {
        void *stage =
            ovi_more_room(a, cloth->stage, &cloth->stage_room, count, sizeof *cloth->stage);
        if (stage == NULL) {
            return OV_ERROR_MEMORY;
        }
        cloth->stage = stage;
    }
    if (2 * count > cloth->push_room) {
        void *push =
            ovi_more_room(a, cloth->push, &cloth->push_room, 2 * count, sizeof *cloth->push);
        if (push == NULL) {
            return OV_ERROR_MEMORY;
        }
        cloth->push = push;
    }
    if (same_solids(cloth, colliders, count)) {
        if (cloth->adopt) {
            adopt_solids(cloth, colliders, count);
        }
        return OV_OK;
    }
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < part_count(&colliders[i]); k++) {
            cloth->solids[at++] = part_of(&colliders[i], k, (uint32_t)i, cloth->thickness);
        }
    }
    cloth->solid_count = at;
    cloth->candidate_count = 0;
    cloth->slack = -1.0;
    cloth->adopt = false;
    cloth->tolerance = plane_tolerance(cloth);
    return OV_OK;
}

/** Path of the farthest point of a ball about the origin of a moving frame, at most. */
static double path_length(ov_pose from, ov_pose to, double radius) {
    double way = ov_vec3_length(ov_vec3_sub(to.position, from.position));
    ov_quat turn = ov_quat_mul(to.rotation, ov_quat_conjugate(from.rotation));
    double angle = 2.0 * atan2(ov_vec3_length(ov_vec3_make(turn.x, turn.y, turn.z)), fabs(turn.w));
    return way + (isfinite(radius) ? angle * radius : 0.0);
}

/** Planes go along with a body that moves. */
static void move_planes(ov_cloth *cloth, const ovi_cloth_solid *s, const ov_affine *step) {
    for (size_t i = 0; i < s->count; i++) {
        ovi_cloth_candidate *c = &cloth->candidates[s->first + i];
        ov_vec3 n = ov_mat3_mul_vec3(&step->linear, c->normal);
        c->offset += ov_vec3_dot(n, step->translation);
        c->normal = n;
    }
}

void ovi_cloth_place(ov_cloth *cloth, const ov_cloth_collider *colliders, double before,
                     double after) {
    for (size_t i = 0; i < cloth->solid_count; i++) {
        ovi_cloth_solid *s = &cloth->solids[i];
        const ov_cloth_collider *c = &colliders[s->collider];
        ov_pose from = pose_product(ovi_cloth_pose_between(c->start, c->end, before), s->part);
        ov_pose to = pose_product(ovi_cloth_pose_between(c->start, c->end, after), s->part);
        // the pose may have been changed from outside since
        s->drift += path_length(s->pose, from, s->outer) + path_length(from, to, s->outer);
        bool jumped = memcmp(&s->pose, &from, sizeof from) != 0 && s->turn.cx.x != 0.0;
        s->moves = memcmp(&from, &to, sizeof from) != 0;
        s->pose = to;
        s->turn = ov_mat3_from_quat(to.rotation);
        ov_mat3 old = ov_mat3_from_quat(from.rotation);
        ov_mat3 back; // old times the transpose of the new one
        back.cx = ov_mat3_mul_vec3(&old, ov_vec3_make(s->turn.cx.x, s->turn.cy.x, s->turn.cz.x));
        back.cy = ov_mat3_mul_vec3(&old, ov_vec3_make(s->turn.cx.y, s->turn.cy.y, s->turn.cz.y));
        back.cz = ov_mat3_mul_vec3(&old, ov_vec3_make(s->turn.cx.z, s->turn.cy.z, s->turn.cz.z));
        s->back.linear = back;
        s->back.translation = ov_vec3_sub(from.position, ov_mat3_mul_vec3(&back, to.position));
        if (s->moves || jumped) {
            ov_affine step;
            step.linear.cx = ov_vec3_make(back.cx.x, back.cy.x, back.cz.x);
            step.linear.cy = ov_vec3_make(back.cx.y, back.cy.y, back.cz.y);
            step.linear.cz = ov_vec3_make(back.cx.z, back.cy.z, back.cz.z);
            step.translation =
                ov_vec3_sub(to.position, ov_mat3_mul_vec3(&step.linear, from.position));
            move_planes(cloth, s, &step);
            s->stamp = cloth->clock;
        }
    }
}
