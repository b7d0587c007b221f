/**
 * @file closed.c
 * @brief Pairs of kinds whose gap has a closed form: nothing is iterated, the goal is always met.
 *
 * A half-space against any bounded body takes one call of that body's support function
 * [Thesis, 3.2]; here the same holds for overlapping bodies, whose least way out of a half-space is
 * along its normal. A sphere or point is met by the nearest point of the other body
 * (closed_nearest.c), capsules, segments and triangles among themselves are settled as cores with a
 * skin (closed_core.c).
 *
 * All of it happens in the frame of one of the bodies, and is right to some ulp of the coordinates
 * there, for which `rounding` has room. Whatever order the two come in, one body is looked at from
 * the other: the order of the answer is restored at the end.
 */
#include "closed_internal.h"

/**
 * The gap in the direction of the plane's normal m, seen from the half-space (A or B): the lowest
 * point of the other body, less the height of the plane.
 */
static ov_status halfspace_form(const ovi_pair *p, ovi_result *result) {
    bool first = p->a->kind == OV_SHAPE_KIND_HALFSPACE;
    const ov_shape *plane = first ? p->a : p->b, *body = first ? p->b : p->a;
    if (body->kind == OV_SHAPE_KIND_HALFSPACE) {
        return OV_ERROR_UNBOUNDED;
    }
    ov_vec3 m = first ? plane->u.halfspace.normal : ovi_turn_from_b(p, plane->u.halfspace.normal);
    ov_vec3 down = ov_vec3_neg(m);
    ov_support lowest;
    ov_status status = ovi_support_point(body, first ? ovi_to_b(p, down) : down, &lowest);
    if (status != OV_OK) {
        return status;
    }
    double along = ov_vec3_dot(m, p->offset), above = plane->u.halfspace.offset;
    double gap = (first ? along - above : -along - above) - lowest.value;
    ov_vec3 on_body = first ? ovi_from_b(p, lowest.point) : lowest.point;
    ov_vec3 on_plane = ov_vec3_add_scaled(on_body, m, -gap);
    ovi_closed_result(gap, p->rounding, first ? on_plane : on_body, first ? on_body : on_plane,
                      first ? m : down, result);
    return OV_OK;
}

/** A sphere or point (`small`) against any body that knows its nearest point. */
static bool point_form(const ovi_pair *p, const ovi_core *small, bool small_is_a,
                       ovi_result *result) {
    ovi_nearest near;
    ov_vec3 centre = small->corners[0];
    if (!small_is_a) {
        centre = ovi_from_b(p, centre);
        if (!ovi_body_nearest(p->a, centre, &near)) {
            return false;
        }
        ovi_closed_result(near.distance - small->radius, p->rounding, near.point,
                          ov_vec3_add_scaled(centre, near.normal, -small->radius), near.normal,
                          result);
        return true;
    }
    if (!ovi_body_nearest(p->b, ovi_to_b(p, ov_vec3_sub(centre, p->offset)), &near)) {
        return false;
    }
    ov_vec3 n = ov_vec3_neg(ovi_turn_from_b(p, near.normal));
    ovi_closed_result(near.distance - small->radius, p->rounding,
                      ov_vec3_add_scaled(centre, n, small->radius), ovi_from_b(p, near.point), n,
                      result);
    return true;
}

bool ovi_closed_form(const ovi_pair *pair, ov_status *status, ovi_result *result) {
    *status = OV_OK;
    if (pair->a->kind == OV_SHAPE_KIND_HALFSPACE || pair->b->kind == OV_SHAPE_KIND_HALFSPACE) {
        *status = halfspace_form(pair, result);
        return true;
    }
    ovi_core a, b;
    bool core_a = ovi_core_of(pair->a, &a), core_b = ovi_core_of(pair->b, &b);
    if (core_b && b.count == 1) {
        return point_form(pair, &b, false, result);
    }
    if (core_a && a.count == 1) {
        return point_form(pair, &a, true, result);
    }
    if (!core_a || !core_b) {
        return false;
    }
    for (int i = 0; i < b.count; i++) {
        b.corners[i] = ovi_from_b(pair, b.corners[i]);
    }
    return ovi_core_pair(&a, &b, pair->rounding, result);
}
