/**
 * @file robot_arm.c
 * @brief An arm of superovoids with three joints, made in code. It begins half folded and folds up
 * until the hand touches the base. At each pose the program prints all gaps below 30 cm, and how
 * the least gap changes with each joint, which is the direction to more clearance.
 */
#include <stdio.h>

#include <ovoid/ovoid.h>

enum { LINKS = 4, JOINTS = 3, POSES = 6 };

static const char *const names[LINKS] = {"base", "upper arm", "forearm", "hand"};
static const char *const joint_names[JOINTS] = {"shoulder", "elbow", "wrist"};

/** Half extents of the links in metres; the joint of each link is at its lower end. */
static const ov_vec3 sizes[LINKS] = {
    {0.12, 0.12, 0.10}, {0.06, 0.05, 0.22}, {0.05, 0.045, 0.20}, {0.05, 0.025, 0.08}};

static ov_status make_arm(ov_model **arm) {
    ov_part parts[LINKS];
    ov_link_def links[LINKS];
    ov_joint_def joints[JOINTS];
    for (int i = 0; i < LINKS; i++) {
        // a little boxy, and narrower towards the far end
        ov_status status = ov_shape_make_superovoid(sizes[i], 0.8, 0.7, i == 0 ? 0.0 : -0.15,
                                                    i == 0 ? 0.0 : -0.15, NULL, &parts[i].shape);
        if (status != OV_OK) {
            return status;
        }
        parts[i].mesh = NULL;
        parts[i].pose = ov_pose_identity();
        parts[i].pose.position.z = i == 0 ? 0.0 : sizes[i].z;
        links[i] = (ov_link_def){names[i], &parts[i], 1};
    }
    for (int i = 0; i < JOINTS; i++) {
        ov_joint_def *j = &joints[i];
        *j = ov_default_joint_def();
        j->name = joint_names[i];
        j->kind = OV_JOINT_KIND_REVOLUTE;
        j->parent = (uint32_t)i;
        j->child = (uint32_t)i + 1;
        j->origin.position.z = i == 0 ? sizes[0].z : 2.0 * sizes[i].z; // where the parent ends
        j->axis = ov_vec3_make(0.0, 1.0, 0.0);
        j->lower = -2.8;
        j->upper = 2.8;
    }
    ov_fault fault;
    ov_status status = ov_model_create(links, LINKS, joints, JOINTS, NULL, arm, &fault);
    if (status != OV_OK) {
        fprintf(stderr, "no arm: %s\n", fault.text);
    }
    return status;
}

/** Prints the gaps at a pose, and the gradient of the least gap. */
static ov_status show(const ov_model *arm, ov_checker *check, const double *positions) {
    ov_pose poses[LINKS];
    const ov_link_contact *contacts;
    size_t count, least = 0;
    ov_status status = ov_model_poses(arm, ov_pose_identity(), positions, poses);
    if (status == OV_OK) {
        status = ov_checker_contacts(check, poses, NULL, 0.30, &contacts, &count);
    }
    if (status != OV_OK) {
        return status;
    }
    printf("shoulder %.2f, elbow %.2f, wrist %.2f rad:\n", positions[0], positions[1],
           positions[2]);
    for (size_t i = 0; i < count; i++) {
        const ov_link_contact *c = &contacts[i];
        printf("  %s and %s: gap %.6f m, %s\n", ov_model_link_name(arm, c->link_a),
               ov_model_link_name(arm, c->link_b), c->contact.gap,
               ov_relation_name(c->contact.relation));
        least = c->contact.gap < contacts[least].contact.gap ? i : least;
    }
    if (count == 0) {
        printf("  all clear\n");
        return OV_OK;
    }
    double gradient[JOINTS];
    status = ov_model_gap_gradient(arm, poses, contacts[least].link_a, contacts[least].link_b,
                                   &contacts[least].contact, gradient);
    if (status == OV_OK) {
        printf("  the least gap changes by %.4f, %.4f, %.4f m per radian\n", gradient[0],
               gradient[1], gradient[2]);
    }
    return status;
}

int main(void) {
    ov_model *arm = NULL;
    ov_checker *check = NULL;
    ov_status status = make_arm(&arm);
    // links that are connected by a joint may overlap; all others are checked
    status = status == OV_OK ? ov_checker_create(arm, NULL, NULL, &check) : status;
    for (int i = 0; status == OV_OK && i < POSES; i++) {
        double t = 0.5 + 0.5 * i / (POSES - 1), positions[JOINTS] = {0.4 * t, 2.6 * t, 0.9 * t};
        status = show(arm, check, positions);
    }
    if (status != OV_OK) {
        fprintf(stderr, "%s\n", ov_status_message(status));
    }
    ov_checker_destroy(check);
    ov_model_destroy(arm);
    return status == OV_OK ? 0 : 1;
}
