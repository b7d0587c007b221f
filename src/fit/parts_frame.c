/**
 * @file parts_frame.c
 * @brief Parts in other frames, with proofs that outlive the rounding of the change.
 *
 * A part K with pose Q, seen in another frame P, has the pose P Q, which is rounded: its points are
 * displaced by at most d. With u = 2^-53, entries of a rotation that comes from a product of two
 * quaternions are off by less than 32 u, and a position by less than 32 u times the lengths that it
 * is made from; so d <= 64 u (|P| + |Q| + R), with R the largest distance of a point of K from its
 * centre. Poses have quaternions of unit length, to rounding.
 *
 * K holds a ball of radius r about its centre, and is convex: so K + B(d) is within (1 + d/r) K,
 * and (1 - d/r) K + B(d) within K. A part that is placed grows by so much, and by eight times d,
 * to have something left for the numbers of a file; one that is looked at from a frame shrinks.
 */
#include <math.h>

#include "parts_internal.h"

/** Displacements by rounding, over lengths. */
static const double slack = 64.0 * 0x1p-53;
/** How much of it a placed part grows by. */
static const double reserve = 8.0;

/**
 * Radius of a ball about the centre that is in the body. Where |x|/(a1 f1) + |y|/(a2 f2) + |z|/a3
 * <= 1, with the least factors f of the taper, the gauge is at most 1 for all exponents up to 2; so
 * it is for boxes and cylinders.
 */
static double inner_radius(const ov_shape *s) {
    if (s->kind == OV_SHAPE_KIND_CAPSULE) {
        return s->a.x;
    }
    double x = s->a.x * (1.0 - fabs(s->tx)), y = s->a.y * (1.0 - fabs(s->ty));
    return 1.0 / (1.0 / x + 1.0 / y + 1.0 / s->a.z);
}

/** The same body, its sizes times a factor. */
static ov_status scaled(const ov_shape *s, double factor, ov_shape *out) {
    const ov_shape_options any_dent = {.dent_tolerance = 1.0};
    ov_vec3 a = ov_vec3_scale(s->a, factor);
    switch (s->kind) {
    case OV_SHAPE_KIND_SPHERE:
        return ov_shape_make_sphere(a.x, out);
    case OV_SHAPE_KIND_ELLIPSOID:
        return ov_shape_make_ellipsoid(a, out);
    case OV_SHAPE_KIND_SUPERELLIPSOID:
        return ov_shape_make_superellipsoid(a, s->e1, s->e2, out);
    case OV_SHAPE_KIND_SUPEROVOID:
        return ov_shape_make_superovoid(a, s->e1, s->e2, s->tx, s->ty, &any_dent, out);
    case OV_SHAPE_KIND_BOX:
        return ov_shape_make_box(a, out);
    case OV_SHAPE_KIND_CYLINDER:
        return ov_shape_make_cylinder(a.x, a.z, out);
    case OV_SHAPE_KIND_CAPSULE:
        return ov_shape_make_capsule(a.x, a.z, out);
    default:
        return OV_ERROR_UNSUPPORTED;
    }
}

static bool is_identity(ov_pose p) {
    return p.position.x == 0.0 && p.position.y == 0.0 && p.position.z == 0.0 &&
           p.rotation.x == 0.0 && p.rotation.y == 0.0 && p.rotation.z == 0.0 && p.rotation.w == 1.0;
}

static double length_of(ov_vec3 v) { return fabs(v.x) + fabs(v.y) + fabs(v.z); }

/** Displacement by rounding over the inner radius; not below one rounding of a size. */
static ov_status share_of(const ov_fit_part *part, ov_pose frame, double *share) {
    ov_ball ball;
    ov_status status = ov_shape_bounding_ball(&part->shape, &ball);
    if (status < OV_OK) {
        return status;
    }
    double reach = ball.radius + length_of(ball.centre);
    double d = slack * (length_of(frame.position) + length_of(part->pose.position) + reach);
    *share = d / inner_radius(&part->shape) + slack;
    return *share < 0.5 ? OV_OK : OV_ERROR_SIZE_RANGE;
}

ov_status ov_fit_part_place(const ov_fit_part *part, ov_pose frame, ov_fit_part *placed) {
    if (part == NULL || placed == NULL) {
        return OV_ERROR_NULL;
    }
    double share = 0.0;
    ov_fit_part out = {.pose = part->pose};
    ov_status status = share_of(part, frame, &share);
    status = status == OV_OK ? scaled(&part->shape, 1.0 + reserve * share, &out.shape) : status;
    if (status < OV_OK) {
        return status;
    }
    if (!is_identity(frame)) {
        out.pose.position = ov_pose_apply(frame, part->pose.position);
        out.pose.rotation = ov_quat_mul(frame.rotation, part->pose.rotation);
    }
    *placed = out;
    return OV_OK;
}

ov_status ov_fit_part_within(const ov_fit_part *placed, ov_pose frame, ov_fit_part *part) {
    if (part == NULL || placed == NULL) {
        return OV_ERROR_NULL;
    }
    if (is_identity(frame)) {
        *part = *placed;
        return OV_OK;
    }
    double share = 0.0;
    ov_fit_part out;
    ov_status status = share_of(placed, frame, &share);
    status = status == OV_OK ? scaled(&placed->shape, 1.0 - share, &out.shape) : status;
    if (status < OV_OK) {
        return status;
    }
    out.pose.position = ov_pose_apply_inverse(frame, placed->pose.position);
    out.pose.rotation = ov_quat_mul(ov_quat_conjugate(frame.rotation), placed->pose.rotation);
    *part = out;
    return OV_OK;
}
