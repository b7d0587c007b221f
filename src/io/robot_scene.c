/**
 * @file robot_scene.c
 * @brief Robots as scenes, where the links stand still as bodies; and scenes as robots.
 */
#include <stdlib.h>
#include <string.h>

#include "robot_write.h"

/* ---- to a scene ------------------------------------------------------------------------------ */

/** A name that a scene takes: the same, or the beginning of a long one and its number. */
static void scene_name(const char *name, size_t index, char *out, size_t size) {
    char tail[24];
    (void)snprintf(out, size, "%s", name);
    if (ovi_is_name(name)) {
        return;
    }
    (void)snprintf(tail, sizeof tail, "~%zu", index);
    size_t length = OV_SCENE_NAME_MAX - strlen(tail);
    // not within a character
    while (length > 0 && ((unsigned char)name[length] & 0xc0) == 0x80) {
        length--;
    }
    (void)snprintf(out, size, "%.*s%s", (int)length, name, tail);
}

static ov_status add_link(ov_scene *scene, const ov_robot_link *link, size_t index, ov_pose pose) {
    char name[OV_SCENE_NAME_MAX + 1];
    // a link without shapes is a frame, and no body
    if (link->collision_count == 0) {
        return OV_OK;
    }
    ov_part *parts = calloc(link->collision_count, sizeof *parts);
    if (parts == NULL) {
        return OV_ERROR_MEMORY;
    }
    for (size_t i = 0; i < link->collision_count; i++) {
        const ov_robot_shape *s = &link->collisions[i];
        parts[i] = (ov_part){s->shape, s->mesh, s->pose};
    }
    scene_name(link->name, index, name, sizeof name);
    ov_status status = ov_scene_add_body(scene, name, parts, link->collision_count, pose);
    free(parts);
    return status;
}

ov_status ov_robot_to_scene(const ov_robot *robot, const double *positions, ov_scene **scene) {
    if (scene != NULL) {
        *scene = NULL;
    }
    if (robot == NULL || scene == NULL) {
        return OV_ERROR_NULL;
    }
    ov_status status;
    ov_pose *poses = ovi_robot_poses(robot, positions, &status, NULL);
    if (poses == NULL) {
        return status;
    }
    ov_scene *made = NULL;
    status = ov_scene_create(ovi_is_name(robot->name) ? robot->name : NULL, &made);
    for (size_t i = 0; i < robot->link_count && status == OV_OK; i++) {
        status = add_link(made, &robot->links[i], i, poses[i]);
    }
    free(poses);
    if (status != OV_OK) {
        ov_scene_destroy(made);
        return status;
    }
    *scene = made;
    return OV_OK;
}

/* ---- from a scene ---------------------------------------------------------------------------- */

/** Links and joints that point into the scene. */
typedef struct parts_list {
    ov_robot_link *links;
    ov_robot_joint *joints;
    ov_robot_shape *shapes;
    char *names; /**< of the joints */
} parts_list;

enum { JOINT_NAME = OV_SCENE_NAME_MAX + 8 };

static bool make_list(const ov_scene *scene, parts_list *list) {
    size_t count = ov_scene_count(scene), parts = 0;
    for (size_t i = 0; i < count; i++) {
        parts += ov_scene_get(scene, i)->part_count;
    }
    list->links = calloc(count + 1, sizeof *list->links);
    list->joints = calloc(count + 1, sizeof *list->joints);
    list->shapes = calloc(parts + 1, sizeof *list->shapes);
    list->names = calloc(count + 1, JOINT_NAME);
    return list->links != NULL && list->joints != NULL && list->shapes != NULL &&
           list->names != NULL;
}

static void fill_list(const ov_scene *scene, parts_list *list) {
    ov_robot_shape *shape = list->shapes;
    list->links[0].name = "world";
    for (size_t i = 0; i < ov_scene_count(scene); i++) {
        const ov_scene_body *body = ov_scene_get(scene, i);
        char *name = list->names + i * JOINT_NAME;
        (void)snprintf(name, JOINT_NAME, "%s_joint", body->name);
        list->links[i + 1] = (ov_robot_link){
            .name = body->name, .collisions = shape, .collision_count = body->part_count};
        list->joints[i] = (ov_robot_joint){.def = {.name = name,
                                                   .kind = OV_JOINT_KIND_FIXED,
                                                   .parent = 0,
                                                   .child = (uint32_t)i + 1,
                                                   .origin = body->pose}};
        for (size_t k = 0; k < body->part_count; k++) {
            const ov_part *part = &body->parts[k];
            *shape = (ov_robot_shape){
                .name = "", .pose = part->pose, .mesh = part->mesh, .mesh_scale = {1.0, 1.0, 1.0}};
            if (part->mesh == NULL) {
                shape->shape = part->shape;
            }
            shape++;
        }
    }
}

ov_status ov_robot_from_scene(const ov_scene *scene, ov_robot **robot, ov_fault *fault) {
    parts_list list = {NULL, NULL, NULL, NULL};
    if (fault != NULL) {
        *fault = (ov_fault){0};
    }
    if (robot != NULL) {
        *robot = NULL;
    }
    if (scene == NULL || robot == NULL) {
        return ovi_file_fault(fault, OV_ERROR_NULL, 0, "%s", ov_status_message(OV_ERROR_NULL));
    }
    size_t count = ov_scene_count(scene);
    if (count >= OV_ROBOT_LINKS_MAX) {
        return ovi_file_fault(fault, OV_ERROR_COUNT, 0, "more than %zu bodies",
                              OV_ROBOT_LINKS_MAX - 1);
    }
    if (ovi_scene_find(scene, "world") != 0) {
        return ovi_file_fault(fault, OV_ERROR_FILE_FORMAT, 0,
                              "a body has the name of the robot's first link, \"world\"");
    }
    ov_status status = OV_ERROR_MEMORY;
    if (make_list(scene, &list)) {
        fill_list(scene, &list);
        status = ov_robot_create(ov_scene_title(scene), list.links, count + 1, list.joints, count,
                                 robot, fault);
    } else {
        (void)ovi_file_fault(fault, status, 0, "out of memory");
    }
    free(list.links);
    free(list.joints);
    free(list.shapes);
    free(list.names);
    return status;
}
