/**
 * @file touch.c
 * @brief Things to feel for the touch lab: made of the library's bodies, mapped, and touched.
 *
 * An object is a handful of placed bodies. Their tessellations together are the mesh of a distance
 * map; a ball, the finger proxy, is led over it at the rate of a haptic device. Lengths are metres,
 * forces newtons. Numbers cross the border in one array, studio_touch_numbers().
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/ovoid.h>

#include "../export.h"

enum { PARTS_MAX = 16, NUMBERS = 4096, TRACE = 32, STEPS_MAX = 4000 };

typedef enum object_kind {
    OBJECT_EGG,
    OBJECT_DIE,
    OBJECT_DUMBBELL,
    OBJECT_RING,
    OBJECT_COUNT
} object_kind;

static struct {
    ov_touch_part parts[PARTS_MAX];
    size_t part_count;
    ov_vec3 *vertices, *normals;
    uint32_t (*triangles)[3];
    size_t vertex_count, triangle_count;
    ov_touch_map *map;
    ov_touch_placed_map placed;
    ov_touch_material material;
    ov_touch_proxy_options options;
    ov_touch_proxy proxy;
    double numbers[NUMBERS];
} lab;

STUDIO_EXPORT(studio_touch_numbers) double *studio_touch_numbers(void) { return lab.numbers; }

/* ---- objects --------------------------------------------------------------------------------- */

/** Places the next part; what its constructor said is handed on. */
static ov_status add_part(ov_status made, ov_vec3 position, ov_quat rotation) {
    if (made >= 0) {
        ov_touch_part *part = &lab.parts[lab.part_count++];
        part->pose.position = position;
        part->pose.rotation = rotation;
    }
    return made;
}

static ov_shape *next_shape(void) { return &lab.parts[lab.part_count].shape; }

static ov_status make_dumbbell(void) {
    ov_quat along_x = ov_quat_from_axis_angle(ov_vec3_make(0.0, 1.0, 0.0), 1.5707963267948966);
    ov_status status = add_part(ov_shape_make_cylinder(0.007, 0.030, next_shape()),
                                ov_vec3_make(0.0, 0.0, 0.0), along_x);
    for (int side = -1; side <= 1 && status >= 0; side += 2) {
        status = add_part(ov_shape_make_sphere(0.020, next_shape()),
                          ov_vec3_make(0.032 * side, 0.0, 0.0), ov_quat_identity());
    }
    return status;
}

/** Ten ellipsoids around the y axis, each longer along the ring so that they cross. */
static ov_status make_ring(void) {
    const int count = 10;
    ov_status status = OV_OK;
    for (int i = 0; i < count && status >= 0; i++) {
        double angle = 6.283185307179586 * i / count;
        ov_vec3 centre = ov_vec3_make(0.030 * cos(angle), 0.0, 0.030 * sin(angle));
        status = add_part(ov_shape_make_ellipsoid(ov_vec3_make(0.009, 0.009, 0.0125), next_shape()),
                          centre, ov_quat_from_axis_angle(ov_vec3_make(0.0, 1.0, 0.0), -angle));
    }
    return status;
}

static ov_status make_parts(object_kind kind) {
    ov_vec3 zero = ov_vec3_make(0.0, 0.0, 0.0);
    lab.part_count = 0;
    memset(lab.parts, 0, sizeof lab.parts);
    switch (kind) {
    case OBJECT_EGG:
        return add_part(ov_shape_make_superovoid(ov_vec3_make(0.027, 0.027, 0.038), 1.0, 1.0, -0.25,
                                                 -0.25, NULL, next_shape()),
                        zero, ov_quat_identity());
    case OBJECT_DIE:
        return add_part(
            ov_shape_make_superellipsoid(ov_vec3_make(0.028, 0.028, 0.028), 0.2, 0.2, next_shape()),
            zero, ov_quat_identity());
    case OBJECT_DUMBBELL:
        return make_dumbbell();
    case OBJECT_RING:
        return make_ring();
    default:
        return OV_ERROR_INDEX;
    }
}

/* ---- mesh and map ---------------------------------------------------------------------------- */

static ov_status plan_part(size_t i, size_t vertices, ov_mesh_plan *plan) {
    ov_mesh_options options = ov_default_mesh_options();
    options.vertices = vertices;
    return ov_shape_mesh_plan(&lab.parts[i].shape, &options, plan);
}

static int mesh_room(size_t vertices, size_t triangles) {
    free(lab.vertices);
    free(lab.normals);
    free(lab.triangles);
    lab.vertices = malloc(vertices * sizeof *lab.vertices);
    lab.normals = malloc(vertices * sizeof *lab.normals);
    lab.triangles = malloc(triangles * sizeof *lab.triangles);
    return lab.vertices != NULL && lab.normals != NULL && lab.triangles != NULL;
}

/** Tessellates a part behind those that are there, in the object's frame. */
static ov_status join_part(size_t i, const ov_mesh_plan *plan) {
    size_t first = lab.vertex_count;
    uint32_t(*triangles)[3] = lab.triangles + lab.triangle_count;
    ov_status status = ov_shape_mesh_fill(&lab.parts[i].shape, plan, lab.vertices + first,
                                          lab.normals + first, triangles);
    for (size_t v = first; v < first + plan->vertex_count; v++) {
        lab.vertices[v] = ov_pose_apply(lab.parts[i].pose, lab.vertices[v]);
        lab.normals[v] = ov_quat_rotate(lab.parts[i].pose.rotation, lab.normals[v]);
    }
    for (size_t t = 0; t < plan->triangle_count; t++) {
        for (int k = 0; k < 3; k++) {
            triangles[t][k] += (uint32_t)first;
        }
    }
    lab.vertex_count += plan->vertex_count;
    lab.triangle_count += plan->triangle_count;
    return status;
}

static ov_status join_parts(size_t vertices) {
    ov_mesh_plan plans[PARTS_MAX];
    size_t vertex_room = 0, triangle_room = 0;
    ov_status status = OV_OK;
    for (size_t i = 0; i < lab.part_count && status >= 0; i++) {
        status = plan_part(i, vertices / lab.part_count, &plans[i]);
        vertex_room += plans[i].vertex_count;
        triangle_room += plans[i].triangle_count;
    }
    if (status < 0) {
        return status;
    }
    lab.vertex_count = lab.triangle_count = 0;
    if (!mesh_room(vertex_room, triangle_room)) {
        return OV_ERROR_MEMORY;
    }
    for (size_t i = 0; i < lab.part_count && status >= 0; i++) {
        status = join_part(i, &plans[i]);
    }
    return status;
}

static ov_status make_map(void) {
    ov_touch_map_options options;
    memset(&options, 0, sizeof options);
    options.error = 5e-3;
    options.band = 0.02;
    options.parts = lab.parts;
    options.part_count = lab.part_count;
    options.threads.count = 1;
    ov_touch_map_destroy(lab.map);
    lab.map = NULL;
    return ov_touch_map_create(lab.vertices, lab.vertex_count, (const uint32_t(*)[3])lab.triangles,
                               lab.triangle_count, &options, NULL, &lab.map);
}

/**
 * Makes an object of about so many vertices, and its map. The numbers are then the counts of
 * vertices and triangles, the addresses of vertices, normals and triangles, and the map's bytes
 * and bricks.
 */
STUDIO_EXPORT(studio_touch_make) int studio_touch_make(int kind, int vertices) {
    ov_touch_map_report report;
    ov_status status;
    if (kind < 0 || kind >= OBJECT_COUNT || vertices < 200 || vertices > 20000) {
        return OV_ERROR_INDEX;
    }
    memset(&lab.proxy, 0, sizeof lab.proxy);
    status = make_parts((object_kind)kind);
    status = status >= 0 ? join_parts((size_t)vertices) : status;
    status = status >= 0 ? make_map() : status;
    if (status < 0) {
        return status;
    }
    lab.placed.map = lab.map;
    lab.placed.pose = ov_pose_identity();
    /* the field finds the triangles, and these answer: a smaller field then feels as exact */
    lab.placed.level = OV_TOUCH_LEVEL_EXACT;
    report = ov_touch_map_describe(lab.map);
    lab.numbers[0] = (double)lab.vertex_count;
    lab.numbers[1] = (double)lab.triangle_count;
    lab.numbers[2] = (double)(uintptr_t)lab.vertices;
    lab.numbers[3] = (double)(uintptr_t)lab.normals;
    lab.numbers[4] = (double)(uintptr_t)lab.triangles;
    lab.numbers[5] = (double)report.bytes;
    lab.numbers[6] = (double)report.bricks;
    return status;
}

/* ---- touch ----------------------------------------------------------------------------------- */

/** How it feels, and the ball: stiffness, static and dynamic friction, viscosity, largest force,
 *  radius. As it was where one of them is bad. */
STUDIO_EXPORT(studio_touch_feel) int studio_touch_feel(void) {
    ov_touch_material material;
    ov_status status;
    memset(&material, 0, sizeof material);
    material.stiffness = lab.numbers[0];
    material.static_friction = lab.numbers[1];
    material.dynamic_friction = lab.numbers[2];
    material.viscosity = lab.numbers[3];
    material.force_max = lab.numbers[4];
    status = ov_touch_material_check(&material);
    if (status >= 0 && !(lab.numbers[5] > 0.0 && lab.numbers[5] < 0.1)) {
        status = OV_ERROR_OPTION;
    }
    if (status >= 0) {
        lab.material = material;
        lab.options.radius = lab.numbers[5];
    }
    return status;
}

/** The next step puts the ball where the device is. */
STUDIO_EXPORT(studio_touch_lift) void studio_touch_lift(void) {
    memset(&lab.proxy, 0, sizeof lab.proxy);
}

static double *put(double *to, ov_vec3 v) {
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
    return to + 3;
}

/**
 * Leads the device evenly from where it was to the first three numbers, in `count` steps of the
 * fourth. Writes the last step: force, its parts along and across the normal, the ball's place, the
 * normal of the contact, depth, whether it touches and whether it sticks; and, from the TRACE-th
 * number on, the size of the force after each step.
 */
STUDIO_EXPORT(studio_touch_lead) int studio_touch_lead(int count) {
    ov_vec3 to = ov_vec3_make(lab.numbers[0], lab.numbers[1], lab.numbers[2]);
    ov_vec3 from = lab.proxy.placed ? lab.proxy.device : to;
    double dt = lab.numbers[3];
    ov_touch_force force;
    ov_touch_surface surface = ov_touch_map_surface(&lab.placed);
    if (lab.map == NULL || count < 1 || count > STEPS_MAX) {
        return OV_ERROR_INDEX;
    }
    memset(&force, 0, sizeof force);
    for (int i = 1; i <= count; i++) {
        ov_vec3 device = ov_vec3_add_scaled(from, ov_vec3_sub(to, from), (double)i / (double)count);
        ov_status status = ov_touch_proxy_step(&surface, &lab.material, &lab.options, device, dt,
                                               &lab.proxy, &force);
        if (status < 0) {
            return status;
        }
        lab.numbers[TRACE + i - 1] = ov_vec3_length(force.force);
    }
    double *out = put(lab.numbers, force.force);
    out = put(out, force.normal);
    out = put(out, force.tangential);
    out = put(out, lab.proxy.position);
    out = put(out, lab.proxy.normal);
    *out++ = force.depth;
    *out++ = force.contact ? 1.0 : 0.0;
    *out = lab.proxy.sticking ? 1.0 : 0.0;
    return OV_OK;
}
