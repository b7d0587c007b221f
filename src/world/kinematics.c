/**
 * @file kinematics.c
 * @brief Where the links of a tree are, and how they move with the joints.
 *
 *     pose(child) = pose(parent) origin displacement(positions)
 *
 * The velocity of a world point x that is fixed to a link is the sum over the joints above it. A
 * translation at unit speed along a direction d of the joint's frame adds d, a rotation at unit
 * speed about it d x (x - c), c the origin of the joint's child: for a revolute joint that is on
 * the axis, for the kinds of several degrees of freedom it is what they turn about. A joint that
 * follows another one adds its share, times its multiplier, to the degree of freedom of that one.
 *
 * A gap changes by n.(velocity of B's witness point - velocity of A's), n its normal: witness
 * points slide along the surfaces too, but across n. What both links hang on moves them alike and
 * leaves the gap as it is, so the sum ends where their ways to the root meet.
 */
#include "../math/fault.h"
#include "../math/rounding_mode.h"
#include "../shape/shape_internal.h"
#include "model_internal.h"

/** A position beyond a limit by no more is rounding. */
#define LIMIT_SLACK 1e-9

/* ---- positions */

/** Is there a position to look at? A joint that follows another one is asked for by that one. */
static bool is_led(const ovi_joint *joint) { return joint->leader != OV_NO_LINK; }

void ov_model_rest(const ov_model *model, double *positions) {
    if (model == NULL || positions == NULL) {
        return;
    }
    for (size_t i = 0; i < model->joint_count; i++) {
        const ovi_joint *joint = &model->joints[i];
        const ov_joint_def *def = &joint->def;
        size_t count = is_led(joint) ? 0 : ov_joint_position_count(def->kind);
        double *at = positions + joint->position;
        for (size_t k = 0; k < count; k++) {
            at[k] = 0.0;
        }
        if (count > 3) {
            at[count - 4] = 1.0; // w of a quaternion
        }
        if (count > 0 &&
            (def->kind == OV_JOINT_KIND_REVOLUTE || def->kind == OV_JOINT_KIND_PRISMATIC)) {
            at[0] = def->lower > 0.0 ? def->lower : def->upper < 0.0 ? def->upper : 0.0;
        }
    }
}

/** The quaternion of a spherical or floating joint, as a unit. */
static ov_status quaternion_at(const double *at, ov_quat *unit) {
    return ov_quat_normalize((ov_quat){at[0], at[1], at[2], at[3]}, unit);
}

/** Are the numbers that a joint takes finite, and its quaternion one? */
static ov_status check_numbers(const ovi_joint *joint, const double *positions) {
    bool single = joint->def.kind >= OV_JOINT_KIND_REVOLUTE &&
                  joint->def.kind <= OV_JOINT_KIND_PRISMATIC; // only these can be led
    if (single) {
        return isfinite(ovi_joint_position(joint, positions)) ? OV_OK : OV_ERROR_NOT_FINITE;
    }
    size_t count = ov_joint_position_count(joint->def.kind);
    if (count == 0) {
        return OV_OK; // and there may be no positions at all
    }
    const double *at = positions + joint->position;
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(at[k])) {
            return OV_ERROR_NOT_FINITE;
        }
    }
    ov_quat unit;
    return count > 3 ? quaternion_at(at + count - 4, &unit) : OV_OK;
}

/** Is a joint, of checked numbers, beyond one of its limits? */
static bool is_beyond(const ovi_joint *joint, const double *positions, ov_joint_excess *excess) {
    const ov_joint_def *def = &joint->def;
    if (def->kind != OV_JOINT_KIND_REVOLUTE && def->kind != OV_JOINT_KIND_PRISMATIC) {
        return false;
    }
    excess->position = ovi_joint_position(joint, positions);
    bool below = excess->position < def->lower - LIMIT_SLACK;
    excess->limit = below ? def->lower : def->upper;
    return below || excess->position > def->upper + LIMIT_SLACK;
}

ov_status ov_model_check(const ov_model *model, const double *positions, ov_joint_excess *excess,
                         ov_fault *fault) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_model_check(model, positions, excess, fault));
    const ov_joint_excess none = {.joint = OV_NO_LINK};
    if (excess != NULL) {
        *excess = none;
    }
    if (model == NULL || excess == NULL || (positions == NULL && model->position_count > 0)) {
        return ovi_fault_none(fault, OV_ERROR_NULL);
    }
    for (size_t i = 0; i < model->joint_count; i++) {
        const ovi_joint *joint = &model->joints[i];
        ov_joint_excess own = {.joint = (uint32_t)i};
        ov_status status = check_numbers(joint, positions);
        if (status != OV_OK) {
            *excess = none;
            return ovi_fault_set(fault, status, OV_FAULT_PLACE_JOINT, i, NULL);
        }
        if (excess->joint == OV_NO_LINK && is_beyond(joint, positions, &own)) {
            *excess = own;
        }
    }
    return ovi_fault_none(fault, OV_OK);
}

/* ---- poses */

/** Pose of the child for one of the joint's frame; joints that are more than a turn about an axis.
 */
static ov_pose moved_by(const ovi_joint *joint, const double *positions, ov_pose frame) {
    const ov_joint_def *def = &joint->def;
    const double *at = positions + joint->position;
    ov_pose own = ov_pose_identity();
    switch (def->kind) {
    case OV_JOINT_KIND_PRISMATIC:
        own.position = ov_vec3_scale(def->axis, ovi_joint_position(joint, positions));
        frame.position = ov_pose_apply(frame, own.position);
        return frame;
    case OV_JOINT_KIND_PLANAR:
        own.position = ov_quat_rotate(joint->across, ov_vec3_make(at[0], at[1], 0.0));
        own.rotation = ov_quat_from_axis_angle(def->axis, at[2]);
        break;
    case OV_JOINT_KIND_FLOATING:
        own.position = ov_vec3_make(at[0], at[1], at[2]);
        (void)quaternion_at(at + 3, &own.rotation);
        break;
    case OV_JOINT_KIND_SPHERICAL:
        (void)quaternion_at(at, &own.rotation);
        break;
    default:
        break;
    }
    return ovi_pose_mul(frame, own);
}

/** The rotation of the child against its parent, for a joint that turns about its axis. */
static inline ov_quat turned_by(const ovi_joint *joint, const double *positions) {
    const ov_joint_def *def = &joint->def;
    double half = 0.5 * ovi_joint_position(joint, positions), s = sin(half);
    ov_quat own = {cos(half), s * def->axis.x, s * def->axis.y, s * def->axis.z};
    ov_quat origin = def->origin.rotation;
    bool plain = origin.x == 0.0 && origin.y == 0.0 && origin.z == 0.0; // as most are
    return plain ? own : ovi_quat_product(origin, own);
}

/** Pose of a joint's child, for numbers that have been checked. What takes no pose of the parent
 *  comes first: one link need not wait for the other with that. */
static inline ov_pose child_pose(const ovi_joint *joint, const double *positions,
                                 const ov_pose *parent) {
    const ov_joint_def *def = &joint->def;
    if (def->kind == OV_JOINT_KIND_REVOLUTE || def->kind == OV_JOINT_KIND_CONTINUOUS) {
        ov_quat turned = turned_by(joint, positions);
        return ovi_pose_mul(*parent, (ov_pose){def->origin.position, turned});
    }
    ov_pose pose = ovi_pose_mul(*parent, def->origin);
    return def->kind == OV_JOINT_KIND_FIXED ? pose : moved_by(joint, positions, pose);
}

/**
 * Makes the product of two unit quaternions a unit again, and looks whether it is too far out. One
 * step of Newton's method for the inverse root is right to the square of what the length lacks.
 */
static inline ov_status settle_pose(ov_pose *pose) {
    ov_vec3 p = pose->position;
    ov_quat *q = &pose->rotation;
    const double most = OV_POSITION_MAX;
    double square = ovi_quat_square(*q), scale = 1.5 - 0.5 * square;
    if (!(fabs(p.x) <= most && fabs(p.y) <= most && fabs(p.z) <= most &&
          fabs(square - 1.0) <= 1e-9)) {
        return ovi_pose_normalize(pose);
    }
    *q = (ov_quat){q->w * scale, q->x * scale, q->y * scale, q->z * scale};
    return OV_OK;
}

ov_status ov_model_poses(const ov_model *model, ov_pose root, const double *positions,
                         ov_pose *poses) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_model_poses(model, root, positions, poses));
    if (model == NULL || poses == NULL || (positions == NULL && model->position_count > 0)) {
        return OV_ERROR_NULL;
    }
    ov_status status = ovi_pose_normalize(&root);
    if (status != OV_OK) {
        return status;
    }
    poses[model->root] = root;
    for (size_t i = 0; i < model->joint_count; i++) {
        const ovi_joint *joint = &model->joints[model->order[i]];
        status = check_numbers(joint, positions);
        if (status != OV_OK) {
            return status;
        }
        ov_pose pose = child_pose(joint, positions, &poses[joint->def.parent]);
        status = settle_pose(&pose);
        if (status != OV_OK) {
            return status;
        }
        poses[joint->def.child] = pose;
    }
    return OV_OK;
}

/* ---- velocities */

/** Velocities of a world point below a joint, by each of the joint's degrees of freedom: how many.
 */
static size_t joint_columns(const ovi_joint *joint, const ov_pose *poses, ov_vec3 point,
                            ov_vec3 columns[6]) {
    const ov_joint_def *def = &joint->def;
    ov_quat frame = ov_quat_mul(poses[def->parent].rotation, def->origin.rotation);
    ov_vec3 arm = ov_vec3_sub(point, poses[def->child].position);
    if (def->kind == OV_JOINT_KIND_PRISMATIC) {
        columns[0] = ov_quat_rotate(frame, def->axis);
        return 1;
    }
    if (def->kind == OV_JOINT_KIND_REVOLUTE || def->kind == OV_JOINT_KIND_CONTINUOUS) {
        columns[0] = ov_vec3_cross(ov_quat_rotate(frame, def->axis), arm);
        return 1;
    }
    ov_mat3 axes = ov_mat3_from_quat(frame);
    if (def->kind == OV_JOINT_KIND_PLANAR) {
        axes = ov_mat3_from_quat(ov_quat_mul(frame, joint->across));
    }
    const ov_vec3 along[3] = {axes.cx, axes.cy, axes.cz};
    size_t count = 0;
    size_t moves = def->kind == OV_JOINT_KIND_FLOATING ? 3
                   : def->kind == OV_JOINT_KIND_PLANAR ? 2
                                                       : 0;
    for (size_t k = 0; k < moves; k++) {
        columns[count++] = along[k];
    }
    size_t rotations = ov_joint_dof_count(def->kind) - moves;
    for (size_t k = 3 - rotations; k < 3; k++) {
        columns[count++] = ov_vec3_cross(along[k], arm);
    }
    return count;
}

/** What a degree of freedom of a joint is counted at: 1, or the multiplier of one that follows. */
static double share_of(const ovi_joint *joint) { return is_led(joint) ? joint->multiplier : 1.0; }

/** Are a link and all that it hangs on at poses that are ones? */
static ov_status check_chain(const ov_model *model, const ov_pose *poses, uint32_t link) {
    for (; link != OV_NO_LINK; link = model->links[link].parent) {
        ov_pose pose = poses[link];
        ov_status status = ovi_pose_normalize(&pose);
        if (status != OV_OK) {
            return status;
        }
    }
    return OV_OK;
}

ov_status ov_model_point_jacobian(const ov_model *model, const ov_pose *poses, uint32_t link,
                                  ov_vec3 point, ov_vec3 *columns) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_model_point_jacobian(model, poses, link, point, columns));
    if (model == NULL || poses == NULL || (columns == NULL && model->dof_count > 0)) {
        return OV_ERROR_NULL;
    }
    if (link >= model->link_count) {
        return OV_ERROR_INDEX;
    }
    ov_status status = ovi_check_point(point);
    status = status == OV_OK ? check_chain(model, poses, link) : status;
    if (status != OV_OK) {
        return status;
    }
    for (size_t i = 0; i < model->dof_count; i++) {
        columns[i] = ov_vec3_make(0.0, 0.0, 0.0);
    }
    for (; link != model->root; link = model->links[link].parent) {
        const ovi_joint *joint = &model->joints[model->links[link].joint];
        ov_vec3 own[6];
        size_t count = joint_columns(joint, poses, point, own);
        for (size_t k = 0; k < count; k++) {
            ov_vec3 *column = &columns[joint->dof + k];
            *column = ov_vec3_add_scaled(*column, own[k], share_of(joint));
        }
    }
    return OV_OK;
}

/** Adds the speed of a point along a direction by the degrees of freedom of the joint that a link
 *  hangs on. */
static void add_speed(const ov_model *model, const ov_pose *poses, uint32_t link, ov_vec3 point,
                      ov_vec3 direction, double *gradient) {
    const ovi_joint *joint = &model->joints[model->links[link].joint];
    ov_vec3 own[6];
    size_t count = joint_columns(joint, poses, point, own);
    for (size_t k = 0; k < count; k++) {
        gradient[joint->dof + k] += share_of(joint) * ov_vec3_dot(direction, own[k]);
    }
}

/** The root, where a body does not move with the model: nothing hangs between. */
static uint32_t link_or_root(const ov_model *model, uint32_t link) {
    return link == OV_NO_LINK ? model->root : link;
}

ov_status ov_model_gap_gradient(const ov_model *model, const ov_pose *poses, uint32_t link_a,
                                uint32_t link_b, const ov_contact *contact, double *gradient) {
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_model_gap_gradient(model, poses, link_a, link_b, contact, gradient));
    if (model == NULL || poses == NULL || contact == NULL ||
        (gradient == NULL && model->dof_count > 0)) {
        return OV_ERROR_NULL;
    }
    if ((link_a >= model->link_count && link_a != OV_NO_LINK) ||
        (link_b >= model->link_count && link_b != OV_NO_LINK)) {
        return OV_ERROR_INDEX;
    }
    uint32_t a = link_or_root(model, link_a), b = link_or_root(model, link_b);
    ov_status status = ovi_check_point(contact->point_a);
    status = status == OV_OK ? ovi_check_point(contact->point_b) : status;
    status = status == OV_OK ? ovi_check_point(contact->normal) : status;
    status = status == OV_OK ? check_chain(model, poses, a) : status;
    status = status == OV_OK ? check_chain(model, poses, b) : status;
    if (status != OV_OK) {
        return status;
    }
    for (size_t i = 0; i < model->dof_count; i++) {
        gradient[i] = 0.0;
    }
    ov_vec3 towards = contact->normal, back = ov_vec3_neg(contact->normal);
    const ovi_link *links = model->links;
    while (a != b) {
        if (links[a].depth >= links[b].depth) {
            add_speed(model, poses, a, contact->point_a, back, gradient);
            a = links[a].parent;
        } else {
            add_speed(model, poses, b, contact->point_b, towards, gradient);
            b = links[b].parent;
        }
    }
    return OV_OK;
}
