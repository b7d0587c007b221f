/**
 * @file robot_picture.c
 * @brief What a picture of a robot shows: triangles, colours, and the tree of its links. COLLADA
 * and glTF are written from it.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robot_internal.h"

enum {
    TREE_DEPTH = 100, /**< of nodes: programs that read them go down by recursion */
    SAME_COLOURS = 64 /**< so many are looked through for one that is there already */
};

/* ---- triangles ------------------------------------------------------------------------------- */

static const double grey[4] = {0.7, 0.7, 0.7, 1.0};

static bool can_be_drawn(const ov_robot_shape *s) {
    return s->mesh != NULL || s->shape.kind != OV_SHAPE_KIND_NONE;
}

/** A smooth or round body, with normals. */
static ov_status tessellate(const ov_shape *shape, ovi_surface *s) {
    ov_mesh_options options = ov_default_mesh_options();
    ov_mesh_plan plan;
    ov_status status = ov_shape_mesh_plan(shape, &options, &plan);
    if (status != OV_OK) {
        return status;
    }
    ov_vec3 *vertices = malloc(plan.vertex_count * sizeof *vertices);
    ov_vec3 *normals = malloc(plan.vertex_count * sizeof *normals);
    uint32_t(*triangles)[3] = malloc(plan.triangle_count * sizeof *triangles);
    s->owned[0] = vertices;
    s->owned[1] = normals;
    s->owned[2] = triangles;
    if (vertices == NULL || normals == NULL || triangles == NULL) {
        return OV_ERROR_MEMORY;
    }
    s->vertices = vertices;
    s->normals = normals;
    s->triangles = (const uint32_t(*)[3])triangles;
    s->vertex_count = plan.vertex_count;
    s->triangle_count = plan.triangle_count;
    return ov_shape_mesh_fill(shape, &plan, vertices, normals, triangles);
}

static ov_status take_polyhedron(const ov_shape *shape, ovi_surface *s) {
    ov_shape whole = *shape;
    if (shape->u.polyhedron.triangle_count == 0) {
        ov_status status = ov_hull_create(shape->u.polyhedron.vertices,
                                          shape->u.polyhedron.vertex_count, &s->hull);
        status = status == OV_OK ? ov_hull_shape(s->hull, &whole) : status;
        if (status != OV_OK) {
            return status;
        }
    }
    s->vertices = whole.u.polyhedron.vertices;
    s->triangles = whole.u.polyhedron.triangles;
    s->vertex_count = whole.u.polyhedron.vertex_count;
    s->triangle_count = whole.u.polyhedron.triangle_count;
    return OV_OK;
}

static ov_status make_surface(const ov_robot_shape *shape, uint32_t link, ovi_surface *s) {
    *s = (ovi_surface){.link = link, .pose = shape->pose};
    memcpy(s->colour, shape->has_colour ? shape->colour : grey, sizeof s->colour);
    if (shape->mesh != NULL) {
        s->vertices = ov_trimesh_vertices(shape->mesh);
        s->triangles = ov_trimesh_triangles(shape->mesh);
        s->vertex_count = ov_trimesh_vertex_count(shape->mesh);
        s->triangle_count = ov_trimesh_triangle_count(shape->mesh);
        return OV_OK;
    }
    if ((OVI_FLAT_SHAPES >> shape->shape.kind & 1u) != 0) {
        return OV_ERROR_UNSUPPORTED;
    }
    return shape->shape.kind == OV_SHAPE_KIND_POLYHEDRON ? take_polyhedron(&shape->shape, s)
                                                         : tessellate(&shape->shape, s);
}

static ov_status explain(ov_status status, const ov_robot_link *link, const ov_robot_shape *shape,
                         const char *format, ov_fault *fault) {
    const char *kind = ov_shape_kind_name(shape->shape.kind);
    return status == OV_ERROR_UNSUPPORTED
               ? ovi_file_fault(fault, status, 0, "link \"%.60s\": %s has no %s", link->name,
                                format, kind)
               : ovi_file_fault(fault, status, 0, "link \"%.60s\": a %s: %s", link->name, kind,
                                ov_status_message(status));
}

/** The visuals of each link, or where it has none the collisions. */
static ov_status make_surfaces(ovi_picture *p, const char *format, ov_fault *fault) {
    const ov_robot *robot = p->robot;
    ov_status status = OV_OK;
    for (size_t i = 0; i < robot->link_count && status == OV_OK; i++) {
        const ov_robot_link *link = &robot->links[i];
        bool visuals = false;
        for (size_t k = 0; k < link->visual_count; k++) {
            visuals = visuals || can_be_drawn(&link->visuals[k]);
        }
        const ov_robot_shape *shapes = visuals ? link->visuals : link->collisions;
        size_t shape_count = visuals ? link->visual_count : link->collision_count;
        for (size_t k = 0; k < shape_count && status == OV_OK; k++) {
            if (!can_be_drawn(&shapes[k])) {
                continue;
            }
            // counted first, so that half a surface is freed too
            status = make_surface(&shapes[k], (uint32_t)i, &p->surfaces[p->surface_count++]);
            if (status != OV_OK) {
                (void)explain(status, link, &shapes[k], format, fault);
            }
        }
    }
    return status == OV_OK && p->surface_count == 0
               ? ovi_file_fault(fault, OV_ERROR_COUNT, 0, "the robot has no shapes to show")
               : status;
}

static bool fits_float(ov_vec3 v) {
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))) <= (double)FLT_MAX;
}

/** Programs that show pictures compute with numbers of 32 bits. */
static ov_status check_range(const ovi_picture *p, ov_fault *fault) {
    bool good = true;
    for (size_t i = 0; i < p->robot->link_count; i++) {
        good = good && fits_float(p->poses[i].position);
    }
    for (size_t i = 0; i < p->surface_count; i++) {
        const ovi_surface *s = &p->surfaces[i];
        good = good && fits_float(s->pose.position);
        for (size_t k = 0; k < s->vertex_count && good; k++) {
            good = fits_float(s->vertices[k]);
        }
    }
    return good ? OV_OK
                : ovi_file_fault(fault, OV_ERROR_SIZE_RANGE, 0,
                                 "a length is too large for a number of 32 bits");
}

/* ---- colours --------------------------------------------------------------------------------- */

/** Numbers the colours, each once as a rule: a robot has few of them. */
static void number_colours(ovi_picture *p) {
    for (size_t i = 0; i < p->surface_count; i++) {
        const double *colour = p->surfaces[i].colour;
        size_t known = p->colour_count, least = known > SAME_COLOURS ? known - SAME_COLOURS : 0;
        size_t k = known;
        while (k > least && memcmp(p->colours[k - 1], colour, sizeof p->colours[0]) != 0) {
            k--;
        }
        if (k == least) {
            memcpy(p->colours[p->colour_count++], colour, sizeof p->colours[0]);
            k = p->colour_count;
        }
        p->surfaces[i].material = k - 1;
    }
}

/* ---- the tree -------------------------------------------------------------------------------- */

/** The pose of b as seen from a. */
static ov_pose pose_between(ov_pose a, ov_pose b) {
    return (ov_pose){ov_pose_apply_inverse(a, b.position),
                     ov_quat_mul(ov_quat_conjugate(a.rotation), b.rotation)};
}

/** How deep a link stands, up to a little above the limit: more is as deep. */
static uint32_t depth_of(const ov_robot *robot, uint32_t link) {
    uint32_t depth = 0, joint = ov_model_link_joint(robot->model, link);
    while (joint != OV_NO_LINK && depth <= TREE_DEPTH) {
        depth++;
        link = robot->joints[joint].def.parent;
        joint = ov_model_link_joint(robot->model, link);
    }
    return depth;
}

/** Hangs each link on its parent, or where the tree gets too deep on the top. */
static bool make_tree(ovi_picture *p, const ov_pose *world) {
    const ov_robot *robot = p->robot;
    for (size_t i = 0; i < robot->link_count; i++) {
        uint32_t joint = ov_model_link_joint(robot->model, i);
        bool top = joint == OV_NO_LINK || depth_of(robot, (uint32_t)i) > TREE_DEPTH;
        p->parents[i] = top ? OV_NO_LINK : robot->joints[joint].def.parent;
        p->poses[i] = top ? world[i] : pose_between(world[p->parents[i]], world[i]);
    }
    return ovi_children_make(p->parents, robot->link_count, &p->children);
}

/* ---- the whole ------------------------------------------------------------------------------- */

void ovi_picture_free(ovi_picture *p) {
    for (size_t i = 0; i < p->surface_count; i++) {
        for (int k = 0; k < 3; k++) {
            free(p->surfaces[i].owned[k]);
        }
        ov_hull_destroy(p->surfaces[i].hull);
    }
    free(p->surfaces);
    free(p->colours);
    free(p->poses);
    free(p->parents);
    ovi_children_free(&p->children);
}

ov_status ovi_picture_make(const ov_robot *robot, const double *positions, const char *format,
                           ovi_picture *p, ov_fault *fault) {
    ov_status status;
    ov_pose *world = ovi_robot_poses(robot, positions, &status, fault);
    *p = (ovi_picture){.robot = robot};
    if (world == NULL) {
        return status;
    }
    p->surfaces = calloc(robot->shape_count + 1, sizeof *p->surfaces);
    p->colours = calloc(robot->shape_count + 1, sizeof *p->colours);
    p->poses = calloc(robot->link_count + 1, sizeof *p->poses);
    p->parents = calloc(robot->link_count + 1, sizeof *p->parents);
    if (p->surfaces == NULL || p->colours == NULL || p->poses == NULL || p->parents == NULL ||
        !make_tree(p, world)) {
        status = ovi_file_fault(fault, OV_ERROR_MEMORY, 0, "out of memory");
    }
    free(world);
    if (status == OV_OK) {
        status = make_surfaces(p, format, fault);
    }
    if (status == OV_OK) {
        status = check_range(p, fault);
    }
    if (status != OV_OK) {
        ovi_picture_free(p);
        return status;
    }
    number_colours(p);
    return OV_OK;
}

void ovi_surface_name(const ovi_picture *p, size_t index, char *name, size_t size) {
    size_t number = 0;
    while (number < index && p->surfaces[index - number - 1].link == p->surfaces[index].link) {
        number++;
    }
    int room = (int)size - 32; // for what follows the name
    const char *link = p->robot->links[p->surfaces[index].link].name;
    int length = (int)strnlen(link, (size_t)room);
    // not within a character
    while (length > 0 && ((unsigned char)link[length] & 0xc0) == 0x80) {
        length--;
    }
    (void)snprintf(name, size, "%.*s part %zu", length, link, number);
}
