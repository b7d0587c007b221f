/**
 * @file part_contact.c
 * @brief The contact of two parts, whatever they are: shapes, meshes, or one of each.
 */
#include <float.h>
#include <math.h>

#include "trimesh_internal.h"

ov_contact ovi_contact_swap(const ov_contact *contact) {
    ov_contact c = *contact;
    c.point_a = contact->point_b;
    c.point_b = contact->point_a;
    c.normal = ov_vec3_neg(contact->normal);
    return c;
}

/** At least one is a mesh. */
static ov_status mesh_contact(const ov_part *a, ov_pose pose_a, const ov_part *b, ov_pose pose_b,
                              double limit, const ov_pair_options *options, bool rough,
                              ov_trimesh_contact *contact) {
    bool swap = a->mesh == NULL;
    const ovi_trimesh_asked q = {.a = swap ? b->mesh : a->mesh,
                                 .b = swap ? NULL : b->mesh,
                                 .shape = swap ? &a->shape : &b->shape,
                                 .pose_a = swap ? pose_b : pose_a,
                                 .pose_b = swap ? pose_a : pose_b,
                                 .options = options,
                                 .rough = rough};
    ov_status status = ovi_trimesh_contact(&q, limit, contact);
    if (swap) {
        *contact = (ov_trimesh_contact){contact->triangle_b, contact->triangle_a,
                                        ovi_contact_swap(&contact->contact)};
    }
    return status;
}

ov_status ovi_parts_contact(const ov_part *a, ov_pose pose_a, const ov_part *b, ov_pose pose_b,
                            double limit, const ov_pair_options *options, ov_warm_start *warm,
                            ov_trimesh_contact *contact) {
    contact->triangle_a = contact->triangle_b = OV_NO_TRIANGLE;
    if (a->mesh == NULL && b->mesh == NULL) {
        return ov_pair_contact(&a->shape, pose_a, &b->shape, pose_b, options, warm,
                               &contact->contact);
    }
    return mesh_contact(a, pose_a, b, pose_b, limit, options, false, contact);
}

ov_status ovi_meshes_meet(const ov_part *a, ov_pose pose_a, const ov_part *b, ov_pose pose_b,
                          double limit, const ov_pair_options *options,
                          ov_trimesh_contact *contact) {
    return mesh_contact(a, pose_a, b, pose_b, limit, options, true, contact);
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
    bool overlaps = contact->relation == OV_RELATION_OVERLAPPING;
    contact->gap_upper += by;
    if (overlaps && contact->gap + by < 0.0) {
        contact->gap_upper = fmin(contact->gap_upper, 0.0); // the overlap stays proven
    } else if (overlaps) {
        contact->relation = OV_RELATION_UNDECIDED;
        contact->status = OV_NOT_CONVERGED;
    }
    ovi_contact_lower(contact, contact->gap_lower - by);
}

void ovi_contact_lower(ov_contact *contact, double lower) {
    contact->gap_lower = fmin(contact->gap_lower, lower);
    if (contact->relation == OV_RELATION_SEPARATED && !(contact->gap_lower > 0.0)) {
        contact->relation = OV_RELATION_UNDECIDED;
        contact->status = OV_NOT_CONVERGED;
    }
}
