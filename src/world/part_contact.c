/**
 * @file part_contact.c
 * @brief The contact of two parts, whatever they are: shapes, meshes, or one of each.
 */
#include <float.h>
#include <math.h>

#include "world_internal.h"

ov_contact ovi_contact_swap(const ov_contact *contact) {
    ov_contact c = *contact;
    c.point_a = contact->point_b;
    c.point_b = contact->point_a;
    c.normal = ov_vec3_neg(contact->normal);
    return c;
}

ov_status ovi_parts_contact(const ov_part *a, ov_pose pose_a, const ov_part *b, ov_pose pose_b,
                            double limit, const ov_pair_options *options, ov_warm_start *warm,
                            ov_trimesh_contact *contact) {
    contact->triangle_a = contact->triangle_b = OV_NO_TRIANGLE;
    if (a->mesh == NULL && b->mesh == NULL) {
        return ov_pair_contact(&a->shape, pose_a, &b->shape, pose_b, options, warm,
                               &contact->contact);
    }
    if (a->mesh != NULL && b->mesh != NULL) {
        return ov_trimesh_pair_contact(a->mesh, pose_a, b->mesh, pose_b, limit, options, contact);
    }
    if (a->mesh != NULL) {
        return ov_trimesh_shape_contact(a->mesh, pose_a, &b->shape, pose_b, limit, options,
                                        contact);
    }
    ov_trimesh_contact swapped;
    ov_status status =
        ov_trimesh_shape_contact(b->mesh, pose_b, &a->shape, pose_a, limit, options, &swapped);
    contact->contact = ovi_contact_swap(&swapped.contact);
    contact->triangle_b = swapped.triangle_a;
    return status;
}

double ovi_part_rounding(const ovi_part *part, ov_pose body) {
    if (part->at_origin) {
        return 0.0;
    }
    double lengths = ov_vec3_length(body.position) + ov_vec3_length(part->part.pose.position);
    lengths += part->bounded ? part->ball.radius : 0.0;
    return 16.0 * DBL_EPSILON * lengths;
}

void ovi_contact_widen(ov_contact *contact, double by) {
    if (!(by > 0.0) || contact->status < 0) {
        return;
    }
    bool overlaps = contact->relation == OV_OVERLAPPING;
    contact->gap_upper += by;
    if (overlaps && contact->gap + by < 0.0) {
        contact->gap_upper = fmin(contact->gap_upper, 0.0); // the overlap stays proven
    } else if (overlaps) {
        contact->relation = OV_UNDECIDED;
        contact->status = OV_NOT_CONVERGED;
    }
    ovi_contact_lower(contact, contact->gap_lower - by);
}

void ovi_contact_lower(ov_contact *contact, double lower) {
    contact->gap_lower = fmin(contact->gap_lower, lower);
    if (contact->relation == OV_SEPARATED && !(contact->gap_lower > 0.0)) {
        contact->relation = OV_UNDECIDED;
        contact->status = OV_NOT_CONVERGED;
    }
}
