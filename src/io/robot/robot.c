/**
 * @file robot.c
 * @brief Robots as their files describe them: links with shapes, joints, and the model of both.
 *
 * A robot owns everything that it refers to, in one list that is released when it goes; so a robot
 * that is half read is freed like a whole one. Readers put robots together piece by piece, and
 * ov_robot_create copies one that a caller has.
 */
#include <stdlib.h>
#include <string.h>

#include "../../math/fault.h"
#include "robot_internal.h"

/* ---- ownership ------------------------------------------------------------------------------- */

ov_robot *ovi_robot_new(void) {
    ov_robot *robot = calloc(1, sizeof *robot);
    if (robot != NULL) {
        robot->name = "";
    }
    return robot;
}

bool ovi_robot_keep(ov_robot *robot, void *what, void (*release)(void *what)) {
    ovi_kept *kept = ovi_grow(robot->kept, robot->kept_count, sizeof *kept);
    if (kept == NULL) {
        release(what);
        return false;
    }
    robot->kept = kept;
    kept[robot->kept_count++] = (ovi_kept){what, release};
    return true;
}

const char *ovi_robot_text(ov_robot *robot, const char *text) {
    if (text[0] == '\0') {
        return "";
    }
    char *copy = strdup(text);
    return copy != NULL && ovi_robot_keep(robot, copy, free) ? copy : NULL;
}

void ovi_release_trimesh(void *mesh) { ov_trimesh_destroy(mesh); }

void ovi_release_hull(void *hull) { ov_hull_destroy(hull); }

void ov_robot_destroy(ov_robot *robot) {
    if (robot == NULL) {
        return;
    }
    // the model refers to meshes and vertices: it goes first
    ov_model_destroy(robot->model);
    for (size_t i = 0; i < robot->link_count; i++) {
        free((void *)robot->links[i].collisions);
        free((void *)robot->links[i].visuals);
    }
    free(robot->links);
    free(robot->joints);
    free(robot->extras);
    for (size_t i = 0; i < robot->kept_count; i++) {
        robot->kept[i].release(robot->kept[i].what);
    }
    free(robot->kept);
    free(robot);
}

ov_robot_link *ovi_robot_add_link(ov_robot *robot) {
    ov_robot_link *links = ovi_grow(robot->links, robot->link_count, sizeof *links);
    if (links == NULL) {
        return NULL;
    }
    robot->links = links;
    ov_robot_link *link = &links[robot->link_count++];
    *link = (ov_robot_link){.name = "", .inertial_pose = ov_pose_identity()};
    return link;
}

ov_robot_joint *ovi_robot_add_joint(ov_robot *robot) {
    ov_robot_joint *joints = ovi_grow(robot->joints, robot->joint_count, sizeof *joints);
    if (joints == NULL) {
        return NULL;
    }
    robot->joints = joints;
    ov_robot_joint *joint = &joints[robot->joint_count++];
    *joint =
        (ov_robot_joint){.def = ov_default_joint_def(), .velocity = INFINITY, .effort = INFINITY};
    joint->def.name = "";
    return joint;
}

ov_robot_shape *ovi_robot_add_shape(ov_robot *robot, size_t link, bool visual) {
    ov_robot_link *l = &robot->links[link];
    size_t *count = visual ? &l->visual_count : &l->collision_count;
    const ov_robot_shape **array = visual ? &l->visuals : &l->collisions;
    ov_robot_shape *shapes = ovi_grow((void *)*array, *count, sizeof *shapes);
    if (shapes == NULL) {
        return NULL;
    }
    *array = shapes;
    robot->shape_count++;
    ov_robot_shape *shape = &shapes[(*count)++];
    memset(shape, 0, sizeof *shape);
    shape->name = "";
    shape->pose = ov_pose_identity();
    shape->mesh_scale = ov_vec3_make(1.0, 1.0, 1.0);
    return shape;
}

/* ---- the model ------------------------------------------------------------------------------- */

/** What is wrong, with the name of the link or joint to blame and its line. */
static ov_status explain(const ov_robot *robot, ov_status status, const ov_fault *wrong,
                         const size_t *link_lines, const size_t *joint_lines, ov_fault *fault) {
    size_t i = wrong->index;
    if (wrong->place == OV_FAULT_PLACE_JOINT) {
        return ovi_fault_at(fault, status,
                            joint_lines != NULL ? OV_FAULT_PLACE_LINE : OV_FAULT_PLACE_JOINT,
                            joint_lines != NULL ? joint_lines[i] : i, "joint \"%.60s\": %s",
                            robot->joints[i].def.name, wrong->text);
    }
    if (wrong->place == OV_FAULT_PLACE_LINK) {
        return ovi_fault_at(fault, status,
                            link_lines != NULL ? OV_FAULT_PLACE_LINE : OV_FAULT_PLACE_LINK,
                            link_lines != NULL ? link_lines[i] : i, "link \"%.60s\": %s",
                            robot->links[i].name, wrong->text);
    }
    return ovi_file_fault(fault, status, 0, "%s", wrong->text);
}

/** Links and joints as the model takes them; `parts` has room for all collisions. */
static void define(const ov_robot *robot, ov_link_def *links, ov_joint_def *joints,
                   ov_part *parts) {
    for (size_t i = 0; i < robot->link_count; i++) {
        const ov_robot_link *l = &robot->links[i];
        links[i] = (ov_link_def){l->name, parts, l->collision_count};
        for (size_t k = 0; k < l->collision_count; k++) {
            const ov_robot_shape *s = &l->collisions[k];
            *parts++ = (ov_part){s->shape, s->mesh, s->pose};
        }
    }
    for (size_t i = 0; i < robot->joint_count; i++) {
        joints[i] = robot->joints[i].def;
    }
}

ov_status ovi_robot_finish(ov_robot *robot, const size_t *link_lines, const size_t *joint_lines,
                           ov_fault *fault) {
    ov_link_def *links = malloc((robot->link_count + 1) * sizeof *links);
    ov_joint_def *joints = malloc((robot->joint_count + 1) * sizeof *joints);
    ov_part *parts = malloc((robot->shape_count + 1) * sizeof *parts);
    ov_status status = OV_ERROR_MEMORY;
    ov_fault wrong;
    (void)ovi_fault_none(&wrong, status);
    if (links != NULL && joints != NULL && parts != NULL) {
        define(robot, links, joints, parts);
        status = ov_model_create(links, robot->link_count, joints, robot->joint_count, NULL,
                                 &robot->model, &wrong);
    }
    free(links);
    free(joints);
    free(parts);
    return status == OV_OK ? OV_OK : explain(robot, status, &wrong, link_lines, joint_lines, fault);
}

/* ---- copies ---------------------------------------------------------------------------------- */

typedef struct mesh_copy {
    const ov_trimesh *from, *to;
} mesh_copy;

/** Where a copy goes, and which meshes have been copied already. */
typedef struct copier {
    ov_robot *robot;
    mesh_copy *meshes;
    size_t mesh_count;
    ov_fault *fault;
} copier;

static ov_status out_of_memory(copier *c) {
    return ovi_file_fault(c->fault, OV_ERROR_MEMORY, 0, "out of memory");
}

static ov_status copy_mesh(copier *c, const ov_trimesh *mesh, const ov_trimesh **copy) {
    for (size_t i = 0; i < c->mesh_count; i++) {
        if (c->meshes[i].from == mesh) {
            *copy = c->meshes[i].to;
            return OV_OK;
        }
    }
    if (c->mesh_count == OVI_ROBOT_MESHES_MAX) {
        return ovi_file_fault(c->fault, OV_ERROR_COUNT, 0, "more than %zu meshes",
                              OVI_ROBOT_MESHES_MAX);
    }
    mesh_copy *meshes = ovi_grow(c->meshes, c->mesh_count, sizeof *meshes);
    if (meshes == NULL) {
        return out_of_memory(c);
    }
    c->meshes = meshes;
    ov_trimesh *made;
    ov_status status =
        ov_trimesh_create(ov_trimesh_vertices(mesh), ov_trimesh_vertex_count(mesh),
                          ov_trimesh_triangles(mesh), ov_trimesh_triangle_count(mesh), NULL, &made);
    if (status != OV_OK) {
        return ovi_file_fault(c->fault, status, 0, "a mesh: %s", ov_status_message(status));
    }
    if (!ovi_robot_keep(c->robot, made, ovi_release_trimesh)) {
        return out_of_memory(c);
    }
    meshes[c->mesh_count++] = (mesh_copy){mesh, made};
    *copy = made;
    return OV_OK;
}

static void release_table(void *table) { ov_support_table_destroy(table); }

/** The robot owns what a shape refers to; what it has no memory for is freed. */
static bool keep_arrays(ov_robot *robot, const ovi_arrays *a) {
    bool kept = a->vertices == NULL || ovi_robot_keep(robot, a->vertices, free);
    kept = (a->triangles == NULL || ovi_robot_keep(robot, a->triangles, free)) && kept;
    return (a->table == NULL || ovi_robot_keep(robot, a->table, release_table)) && kept;
}

/** A text that may be null. */
static bool copy_text(ov_robot *robot, const char *text, const char **copy) {
    *copy = text == NULL ? NULL : ovi_robot_text(robot, text);
    return text == NULL || *copy != NULL;
}

/** Checks and copies a shape; `where` is the name of its link. */
static ov_status copy_shape(copier *c, size_t link, const ov_robot_shape *shape, bool visual,
                            const char *where) {
    bool is_mesh = shape->mesh != NULL ||
                   (visual && shape->shape.kind == OV_SHAPE_KIND_NONE && shape->mesh_file != NULL);
    if (!is_mesh && ovi_form_of(shape->shape.kind) == NULL) {
        bool none = shape->shape.kind == OV_SHAPE_KIND_NONE;
        return ovi_file_fault(c->fault, OV_ERROR_UNSUPPORTED, 0, "link \"%.60s\": %s%s", where,
                              none ? "neither a shape nor a mesh" : "no part of a robot: a ",
                              none ? "" : ov_shape_kind_name(shape->shape.kind));
    }
    ov_pose pose = ov_pose_default(shape->pose);
    ov_status status = ov_vec3_is_finite(pose.position) ? OV_OK : OV_ERROR_NOT_FINITE;
    if (status == OV_OK) {
        status = ovi_rotation(pose.rotation, &pose.rotation);
    }
    if (status != OV_OK) {
        return ovi_file_fault(c->fault, status, 0, "link \"%.60s\": pose of a shape: %s", where,
                              ov_status_message(status));
    }
    ov_robot_shape *s = ovi_robot_add_shape(c->robot, link, visual);
    if (s == NULL) {
        return out_of_memory(c);
    }
    ovi_arrays arrays = {NULL, NULL, NULL};
    *s = *shape;
    s->pose = pose;
    if (s->mesh_scale.x == 0.0 && s->mesh_scale.y == 0.0 && s->mesh_scale.z == 0.0) {
        s->mesh_scale = ov_vec3_make(1.0, 1.0, 1.0);
    }
    s->name = s->mesh_file = s->mesh_path = NULL;
    s->mesh = NULL;
    if (!copy_text(c->robot, shape->name != NULL ? shape->name : "", &s->name) ||
        !copy_text(c->robot, shape->mesh_file, &s->mesh_file) ||
        !copy_text(c->robot, shape->mesh_path, &s->mesh_path)) {
        return out_of_memory(c);
    }
    if (is_mesh) {
        s->shape.kind = OV_SHAPE_KIND_NONE;
        return shape->mesh == NULL ? OV_OK : copy_mesh(c, shape->mesh, &s->mesh);
    }
    if (!ovi_shape_copy(&shape->shape, &s->shape, &arrays)) {
        return out_of_memory(c);
    }
    return keep_arrays(c->robot, &arrays) ? OV_OK : out_of_memory(c);
}

static ov_status copy_link(copier *c, const ov_robot_link *link) {
    if (link->name == NULL || !ovi_is_xml_name(link->name)) {
        return ovi_fault_at(c->fault, OV_ERROR_NAME, OV_FAULT_PLACE_LINK, c->robot->link_count,
                            "a link's name is empty or has control characters");
    }
    size_t index = c->robot->link_count;
    ov_robot_link *l = ovi_robot_add_link(c->robot);
    if (l == NULL || !copy_text(c->robot, link->name, &l->name)) {
        return out_of_memory(c);
    }
    if (link->has_inertial) {
        l->has_inertial = true;
        l->inertial_pose = ov_pose_default(link->inertial_pose);
        l->mass = link->mass;
        memcpy(l->inertia, link->inertia, sizeof l->inertia);
        bool good = ov_vec3_is_finite(l->inertial_pose.position) && isfinite(l->mass);
        for (int i = 0; i < 6; i++) {
            good = good && isfinite(l->inertia[i]);
        }
        if (!good || ovi_rotation(l->inertial_pose.rotation, &l->inertial_pose.rotation) != OV_OK) {
            return ovi_fault_at(c->fault, OV_ERROR_NOT_FINITE, OV_FAULT_PLACE_LINK, index,
                                "link \"%.60s\": its mass is not made of finite numbers",
                                link->name);
        }
    }
    size_t shapes = link->collision_count + link->visual_count;
    if (link->collision_count > OVI_ROBOT_SHAPES_MAX || link->visual_count > OVI_ROBOT_SHAPES_MAX ||
        c->robot->shape_count + shapes > OVI_ROBOT_SHAPES_MAX) {
        return ovi_file_fault(c->fault, OV_ERROR_COUNT, 0, "more than %zu shapes",
                              OVI_ROBOT_SHAPES_MAX);
    }
    ov_status status = OV_OK;
    for (size_t i = 0; i < link->collision_count && status == OV_OK; i++) {
        status = copy_shape(c, index, &link->collisions[i], false, link->name);
    }
    for (size_t i = 0; i < link->visual_count && status == OV_OK; i++) {
        status = copy_shape(c, index, &link->visuals[i], true, link->name);
    }
    return status;
}

static ov_status copy_joint(copier *c, const ov_robot_joint *joint) {
    if (joint->def.name == NULL || !ovi_is_xml_name(joint->def.name)) {
        return ovi_fault_at(c->fault, OV_ERROR_NAME, OV_FAULT_PLACE_JOINT, c->robot->joint_count,
                            "a joint's name is empty or has control characters");
    }
    if (isnan(joint->velocity) || isnan(joint->effort) || !isfinite(joint->damping) ||
        !isfinite(joint->friction)) {
        return ovi_fault_at(c->fault, OV_ERROR_NOT_FINITE, OV_FAULT_PLACE_JOINT,
                            c->robot->joint_count, "joint \"%.60s\": %s", joint->def.name,
                            ov_status_message(OV_ERROR_NOT_FINITE));
    }
    ov_robot_joint *j = ovi_robot_add_joint(c->robot);
    if (j == NULL) {
        return out_of_memory(c);
    }
    *j = *joint;
    // until the name is the robot's own
    j->def.name = "";
    if (!copy_text(c->robot, joint->def.name, &j->def.name)) {
        return out_of_memory(c);
    }
    j->velocity = j->velocity != 0.0 ? j->velocity : INFINITY;
    j->effort = j->effort != 0.0 ? j->effort : INFINITY;
    // what is wrong with a pose, the model says
    j->def.origin = ov_pose_default(j->def.origin);
    (void)ovi_rotation(j->def.origin.rotation, &j->def.origin.rotation);
    return OV_OK;
}

/** The model knows what zeros in a joint mean; the writers shall see the same. */
static void take_defaults(ov_robot *robot) {
    for (size_t i = 0; i < robot->joint_count; i++) {
        ov_joint_def *def = &robot->joints[i].def;
        const ov_joint_def *known = ov_model_joint(robot->model, i);
        if (ov_vec3_length(def->axis) == 0.0) {
            def->axis = known->axis;
        }
        def->lower = known->lower;
        def->upper = known->upper;
        def->mimic = known->mimic;
        def->multiplier = known->multiplier;
    }
}

static ov_status copy_robot(copier *c, const char *name, const ov_robot_link *links,
                            size_t link_count, const ov_robot_joint *joints, size_t joint_count) {
    if (link_count > OV_ROBOT_LINKS_MAX || joint_count > OV_ROBOT_LINKS_MAX) {
        return ovi_file_fault(c->fault, OV_ERROR_COUNT, 0, "more than %zu links",
                              OV_ROBOT_LINKS_MAX);
    }
    if (name[0] != '\0' && !ovi_is_xml_name(name)) {
        return ovi_file_fault(c->fault, OV_ERROR_NAME, 0,
                              "the robot's name has control characters");
    }
    if (!copy_text(c->robot, name, &c->robot->name)) {
        c->robot->name = "";
        return out_of_memory(c);
    }
    ov_status status = OV_OK;
    for (size_t i = 0; i < link_count && status == OV_OK; i++) {
        status = copy_link(c, &links[i]);
    }
    for (size_t i = 0; i < joint_count && status == OV_OK; i++) {
        status = copy_joint(c, &joints[i]);
    }
    status = status == OV_OK ? ovi_robot_finish(c->robot, NULL, NULL, c->fault) : status;
    if (status == OV_OK) {
        take_defaults(c->robot);
    }
    return status;
}

ov_status ov_robot_create(const char *name, const ov_robot_link *links, size_t link_count,
                          const ov_robot_joint *joints, size_t joint_count, ov_robot **robot,
                          ov_fault *fault) {
    if (fault != NULL) {
        *fault = (ov_fault){0};
    }
    if (robot != NULL) {
        *robot = NULL;
    }
    if (robot == NULL || (links == NULL && link_count > 0) || (joints == NULL && joint_count > 0)) {
        return ovi_file_fault(fault, OV_ERROR_NULL, 0, "%s", ov_status_message(OV_ERROR_NULL));
    }
    copier c = {.robot = ovi_robot_new(), .fault = fault};
    if (c.robot == NULL) {
        return out_of_memory(&c);
    }
    ov_status status =
        copy_robot(&c, name != NULL ? name : "", links, link_count, joints, joint_count);
    free(c.meshes);
    if (status != OV_OK) {
        ov_robot_destroy(c.robot);
        return status;
    }
    *robot = c.robot;
    return OV_OK;
}

/** What is kept for other programs: elements, and attributes of the root. */
static bool copy_extras(const ov_robot *from, ov_robot *to) {
    size_t count = 0;
    to->extras = calloc(from->extra_count + 1, sizeof *to->extras);
    for (size_t i = 0; to->extras != NULL && i < from->extra_count; i++) {
        ov_robot_extra *extra = &to->extras[i];
        *extra = from->extras[i];
        if (!copy_text(to, from->extras[i].name, &extra->name) ||
            !copy_text(to, from->extras[i].text, &extra->text)) {
            return false;
        }
        to->extra_count = i + 1;
    }
    if (to->extras == NULL || from->attributes == NULL) {
        return to->extras != NULL;
    }
    while (from->attributes[count] != NULL) {
        count++;
    }
    const char **attributes = calloc(count + 1, sizeof *attributes);
    if (attributes == NULL || !ovi_robot_keep(to, attributes, free)) {
        return false;
    }
    to->attributes = attributes;
    for (size_t i = 0; i < count; i++) {
        if (!copy_text(to, from->attributes[i], &attributes[i])) {
            return false;
        }
    }
    return true;
}

ov_status ov_robot_copy(const ov_robot *robot, const ov_robot_link *links, ov_robot **copy,
                        ov_fault *fault) {
    if (robot == NULL) {
        if (copy != NULL) {
            *copy = NULL;
        }
        return ovi_file_fault(fault, OV_ERROR_NULL, 0, "%s", ov_status_message(OV_ERROR_NULL));
    }
    ov_status status =
        ov_robot_create(robot->name, links != NULL ? links : robot->links, robot->link_count,
                        robot->joints, robot->joint_count, copy, fault);
    if (status == OV_OK && !copy_extras(robot, *copy)) {
        ov_robot_destroy(*copy);
        *copy = NULL;
        status = ovi_file_fault(fault, OV_ERROR_MEMORY, 0, "out of memory");
    }
    return status;
}

/* ---- access ---------------------------------------------------------------------------------- */

const char *ov_robot_name(const ov_robot *robot) { return robot != NULL ? robot->name : ""; }

size_t ov_robot_link_count(const ov_robot *robot) { return robot != NULL ? robot->link_count : 0; }

size_t ov_robot_joint_count(const ov_robot *robot) {
    return robot != NULL ? robot->joint_count : 0;
}

size_t ov_robot_extra_count(const ov_robot *robot) {
    return robot != NULL ? robot->extra_count : 0;
}

const ov_robot_extra *ov_robot_get_extra(const ov_robot *robot, size_t index) {
    return index < ov_robot_extra_count(robot) ? &robot->extras[index] : NULL;
}

void ov_robot_drop_visuals(ov_robot *robot) {
    for (size_t i = 0; i < ov_robot_link_count(robot); i++) {
        ov_robot_link *link = &robot->links[i];
        robot->shape_count -= link->visual_count;
        free((void *)link->visuals);
        link->visuals = NULL;
        link->visual_count = 0;
    }
}

const ov_robot_link *ov_robot_get_link(const ov_robot *robot, size_t index) {
    return index < ov_robot_link_count(robot) ? &robot->links[index] : NULL;
}

const ov_robot_joint *ov_robot_get_joint(const ov_robot *robot, size_t index) {
    return index < ov_robot_joint_count(robot) ? &robot->joints[index] : NULL;
}

ov_model *ov_robot_model(const ov_robot *robot) { return robot != NULL ? robot->model : NULL; }

ov_robot_options ov_default_robot_options(void) {
    return (ov_robot_options){NULL, 0, false, false};
}

/* ---- as a scene ------------------------------------------------------------------------------ */

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
