/**
 * @file robot_write.c
 * @brief Robots to files of several formats: which one, and what their writers share.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "robot_internal.h"

ov_robot_format ov_robot_format_from_path(const char *path) {
    static const struct {
        const char *ending;
        ov_robot_format format;
    } known[] = {{".urdf", OV_ROBOT_FORMAT_URDF},   {".xml", OV_ROBOT_FORMAT_MJCF},
                 {".mjcf", OV_ROBOT_FORMAT_MJCF},   {".sdf", OV_ROBOT_FORMAT_SDFORMAT},
                 {".dae", OV_ROBOT_FORMAT_COLLADA}, {".gltf", OV_ROBOT_FORMAT_GLTF},
                 {".glb", OV_ROBOT_FORMAT_GLB},     {".json", OV_ROBOT_FORMAT_SCENE}};
    size_t length = path == NULL ? 0 : strlen(path);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        size_t tail = strlen(known[i].ending);
        if (length >= tail && strcasecmp(path + length - tail, known[i].ending) == 0) {
            return known[i].format;
        }
    }
    return OV_ROBOT_FORMAT_NONE;
}

/* ---- what the writers share ------------------------------------------------------------------ */

ov_status ovi_robot_check_kinds(const ov_robot *robot, uint32_t kinds, const char *format,
                                ov_fault *fault) {
    for (size_t i = 0; i < robot->link_count; i++) {
        const ov_robot_link *link = &robot->links[i];
        for (size_t k = 0; k < link->collision_count + link->visual_count; k++) {
            const ov_robot_shape *s = k < link->collision_count
                                          ? &link->collisions[k]
                                          : &link->visuals[k - link->collision_count];
            ov_shape_kind kind = s->shape.kind;
            if (kind != OV_SHAPE_KIND_NONE && (kinds >> kind & 1u) != 0) {
                return ovi_file_fault(fault, OV_ERROR_UNSUPPORTED, 0,
                                      "link \"%.60s\": %s has no %s", link->name, format,
                                      ov_shape_kind_name(kind));
            }
        }
    }
    return OV_OK;
}

ov_pose *ovi_robot_poses(const ov_robot *robot, const double *positions, ov_status *status,
                         ov_fault *fault) {
    const ov_model *model = robot->model;
    ov_pose *poses = malloc((robot->link_count + 1) * sizeof *poses);
    double *rest = malloc((ov_model_position_count(model) + 1) * sizeof *rest);
    *status = OV_ERROR_MEMORY;
    if (poses != NULL && rest != NULL) {
        ov_model_rest(model, rest);
        *status =
            ov_model_poses(model, ov_pose_identity(), positions != NULL ? positions : rest, poses);
    }
    free(rest);
    if (*status != OV_OK) {
        (void)ovi_file_fault(fault, *status, 0, "positions of the joints: %s",
                             ov_status_message(*status));
        free(poses);
        return NULL;
    }
    return poses;
}

bool ovi_children_make(const uint32_t *parents, size_t count, ovi_children *c) {
    c->first = calloc(count + 2, sizeof *c->first);
    c->list = calloc(count + 1, sizeof *c->list);
    if (c->first == NULL || c->list == NULL) {
        return false;
    }
    // by counting: first[i + 1] is where the list of i begins, and ends up where it ends
    for (size_t i = 0; i < count; i++) {
        if (parents[i] != OV_NO_LINK) {
            c->first[parents[i] + 2]++;
        }
    }
    for (size_t i = 0; i < count; i++) {
        c->first[i + 1] += c->first[i];
    }
    for (size_t i = 0; i < count; i++) {
        if (parents[i] != OV_NO_LINK) {
            c->list[c->first[parents[i] + 1]++] = (uint32_t)i;
        }
    }
    return true;
}

void ovi_children_free(ovi_children *children) {
    free(children->first);
    free(children->list);
    *children = (ovi_children){NULL, NULL};
}

/** a b: b in the frame of a, seen from outside. */
static ov_pose pose_after(ov_pose a, ov_pose b) {
    ov_pose out = {ov_pose_apply(a, b.position), ov_quat_mul(a.rotation, b.rotation)};
    return out;
}

ov_quat ovi_turn_from_z(ov_vec3 axis) {
    ov_quat q = {1.0 + axis.z, -axis.y, axis.x, 0.0}, unit = {0.0, 1.0, 0.0, 0.0};
    if (fabs(axis.x) + fabs(axis.y) > 1e-8 || axis.z > 0.0) {
        (void)ov_quat_normalize(q, &unit);
    }
    return unit;
}

ov_pose ovi_plane_pose(const ov_robot_shape *shape) {
    ov_vec3 n = shape->shape.u.halfspace.normal;
    ov_pose plane = {ov_vec3_scale(n, shape->shape.u.halfspace.offset), ovi_turn_from_z(n)};
    return pose_after(shape->pose, plane);
}

ov_status ovi_robot_out_write(const ovi_robot_out *out, ovi_undo *undo, ovi_writer writer,
                              const void *what, ov_fault *fault) {
    ov_status status = ovi_file_write_last(out->path, out->stream, undo, writer, what);
    return status == OV_OK ? OV_OK
                           : ovi_file_fault(fault, status, 0, "%s", ov_status_message(status));
}

/* ---- roll, pitch, yaw ------------------------------------------------------------------------ */

static const double pi = 3.14159265358979323846;

ov_quat ovi_quat_of_rpy(double roll, double pitch, double yaw) {
    double cr = cos(0.5 * roll), sr = sin(0.5 * roll);
    double cp = cos(0.5 * pitch), sp = sin(0.5 * pitch);
    double cy = cos(0.5 * yaw), sy = sin(0.5 * yaw);
    return (ov_quat){cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy,
                     cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy};
}

/**
 * With half angles r, p, y, from the product above:
 *     w + y = (cos p + sin p) cos(r - y)      x - z = (cos p + sin p) sin(r - y)
 *     w - y = (cos p - sin p) cos(r + y)      x + z = (cos p - sin p) sin(r + y)
 * Near a pole one of the two factors vanishes, and with it the angle that it goes with loses its
 * digits and its weight at once: the product of the angles stays what it was.
 */
ov_vec3 ovi_rpy_of(ov_quat q) {
    double sum = hypot(q.w + q.y, q.x - q.z);        // of cos p and sin p
    double difference = hypot(q.w - q.y, q.x + q.z); // of the same
    double less = atan2(q.x - q.z, q.w + q.y), more = atan2(q.x + q.z, q.w - q.y);
    double roll = more + less, yaw = more - less;
    // a full turn less is the same rotation
    roll -= fabs(roll) > pi ? copysign(2.0 * pi, roll) : 0.0;
    yaw -= fabs(yaw) > pi ? copysign(2.0 * pi, yaw) : 0.0;
    return ov_vec3_make(roll, 2.0 * atan2(sum - difference, sum + difference), yaw);
}

/* ---- interface ------------------------------------------------------------------------------- */

static ov_status write_scene(const ovi_robot_out *out, const ov_robot *robot,
                             const double *positions, ov_fault *fault) {
    ov_scene *scene = NULL;
    ov_status status = ov_robot_to_scene(robot, positions, &scene);
    if (status == OV_OK) {
        status = out->path != NULL ? ov_scene_write(out->path, scene)
                                   : ov_scene_write_stream(out->stream, scene);
    }
    ov_scene_destroy(scene);
    return status == OV_OK ? OV_OK
                           : ovi_file_fault(fault, status, 0, "%s", ov_status_message(status));
}

static ov_status write_robot(ovi_robot_out out, ov_robot_format format, const ov_robot *robot,
                             const double *positions, ov_fault *fault) {
    if (fault != NULL) {
        *fault = (ov_fault){0};
    }
    if ((out.path == NULL && out.stream == NULL) || robot == NULL) {
        return ovi_file_fault(fault, OV_ERROR_NULL, 0, "%s", ov_status_message(OV_ERROR_NULL));
    }
    switch (format) {
    case OV_ROBOT_FORMAT_URDF:
        out.format = "URDF";
        return ovi_urdf_write(&out, robot, fault);
    case OV_ROBOT_FORMAT_MJCF:
        out.format = "MJCF";
        return ovi_mjcf_write(&out, robot, fault);
    case OV_ROBOT_FORMAT_SDFORMAT:
        out.format = "SDFormat";
        return ovi_sdf_write(&out, robot, fault);
    case OV_ROBOT_FORMAT_COLLADA:
        return ovi_collada_write(&out, robot, positions, fault);
    case OV_ROBOT_FORMAT_GLTF:
    case OV_ROBOT_FORMAT_GLB:
        return ovi_gltf_write(&out, format == OV_ROBOT_FORMAT_GLB, robot, positions, fault);
    case OV_ROBOT_FORMAT_SCENE:
        return write_scene(&out, robot, positions, fault);
    default:
        return ovi_file_fault(fault, OV_ERROR_OPTION, 0, "not a format of robots");
    }
}

ov_status ov_robot_write(const char *path, ov_robot_format format, const ov_robot *robot,
                         const double *positions, ov_fault *fault) {
    return write_robot((ovi_robot_out){.path = path}, format, robot, positions, fault);
}

ov_status ov_robot_write_stream(FILE *stream, ov_robot_format format, const char *folder,
                                const ov_robot *robot, const double *positions, ov_fault *fault) {
    return write_robot((ovi_robot_out){.stream = stream, .folder = folder}, format, robot,
                       positions, fault);
}
