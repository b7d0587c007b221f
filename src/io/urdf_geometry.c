/**
 * @file urdf_geometry.c
 * @brief Shapes of a URDF file, and its meshes, each loaded once.
 *
 * Other programs take the first element of a <geometry>; so does this one, unless an element of
 * Ovoid's own is there: that one counts, and a <mesh> beside it is its stand-in for others.
 */
#include <stdlib.h>
#include <string.h>

#include "mesh_read.h"
#include "urdf_internal.h"

/* ---- shapes of numbers ----------------------------------------------------------------------- */

/** What a constructor says of the numbers of an element. */
static ov_status judge(ovi_urdf *u, const ovi_xml_node *node, ov_status status) {
    return status == OV_OK ? OV_OK
                           : ovi_urdf_refuse(u, node->line, status, "<%.30s>: %s", node->name,
                                             ov_status_message(status));
}

static ov_status read_box(ovi_urdf *u, const ovi_xml_node *node, ov_shape *shape) {
    double size[3];
    ov_status status = ovi_urdf_numbers(u, node, "size", OVI_URDF_NEEDED, size, 3);
    if (status != OV_OK) {
        return status;
    }
    ov_vec3 half = ov_vec3_make(0.5 * size[0], 0.5 * size[1], 0.5 * size[2]);
    return judge(u, node, ov_shape_make_box(half, shape));
}

static ov_status read_sphere(ovi_urdf *u, const ovi_xml_node *node, ov_shape *shape) {
    double radius;
    ov_status status = ovi_urdf_numbers(u, node, "radius", OVI_URDF_NEEDED, &radius, 1);
    return status == OV_OK ? judge(u, node, ov_shape_make_sphere(radius, shape)) : status;
}

typedef ov_status (*make_round)(double radius, double half_length, ov_shape *shape);

/** Cylinder, capsule (the length is that of its cylinder) or cone. */
static ov_status read_round(ovi_urdf *u, const ovi_xml_node *node, make_round make,
                            ov_shape *shape) {
    double radius, length;
    ov_status status = ovi_urdf_numbers(u, node, "radius", OVI_URDF_NEEDED, &radius, 1);
    if (status == OV_OK) {
        status = ovi_urdf_numbers(u, node, "length", OVI_URDF_NEEDED, &length, 1);
    }
    return status == OV_OK ? judge(u, node, make(radius, 0.5 * length, shape)) : status;
}

static ov_status read_superovoid(ovi_urdf *u, const ovi_xml_node *node, ov_shape *shape) {
    double a[3], e[2] = {1.0, 1.0}, t[2] = {0.0, 0.0};
    ov_shape_options options = ov_default_shape_options();
    ov_status status = ovi_urdf_numbers(u, node, "size", OVI_URDF_NEEDED, a, 3);
    status =
        status == OV_OK ? ovi_urdf_numbers(u, node, "exponents", OVI_URDF_OPTIONAL, e, 2) : status;
    status = status == OV_OK ? ovi_urdf_numbers(u, node, "taper", OVI_URDF_OPTIONAL, t, 2) : status;
    status = status == OV_OK ? ovi_urdf_numbers(u, node, "dent_tolerance", OVI_URDF_OPTIONAL,
                                                &options.dent_tolerance, 1)
                             : status;
    if (status != OV_OK) {
        return status;
    }
    return judge(u, node,
                 ov_shape_make_superovoid(ov_vec3_make(a[0], a[1], a[2]), e[0], e[1], t[0], t[1],
                                          &options, shape));
}

/* ---- meshes ---------------------------------------------------------------------------------- */

/** Vertices are scaled where they stand; a mirrored mesh keeps its outside. */
static void scale_mesh(ov_mesh_data *data, ov_vec3 scale) {
    for (size_t i = 0; i < data->vertex_count; i++) {
        data->vertices[i] = ov_vec3_mul(data->vertices[i], scale);
    }
    bool mirrored = (scale.x < 0.0) != ((scale.y < 0.0) != (scale.z < 0.0));
    for (size_t i = 0; mirrored && i < data->triangle_count; i++) {
        uint32_t swap = data->triangles[i][1];
        data->triangles[i][1] = data->triangles[i][2];
        data->triangles[i][2] = swap;
    }
}

/** Triangles or a hull of what was read; the robot owns them. A flat mesh has no hull. */
static ov_status build_mesh(ovi_urdf *u, const ov_mesh_data *data, ovi_urdf_mesh *entry) {
    if (entry->wants_hull) {
        ov_hull *hull;
        ov_status status = ov_hull_create(data->vertices, data->vertex_count, &hull);
        if (status == OV_OK) {
            entry->hull = hull;
            return ovi_robot_keep(u->robot, hull, ovi_release_hull) ? OV_OK : OV_ERROR_MEMORY;
        }
        if (status != OV_ERROR_DEGENERATE && status != OV_ERROR_COUNT) {
            return status;
        }
    }
    ov_trimesh *mesh;
    ov_status status =
        ov_trimesh_create(data->vertices, data->vertex_count, (const uint32_t(*)[3])data->triangles,
                          data->triangle_count, NULL, &mesh);
    if (status != OV_OK) {
        return status;
    }
    entry->mesh = mesh;
    return ovi_robot_keep(u->robot, mesh, ovi_release_trimesh) ? OV_OK : OV_ERROR_MEMORY;
}

/** Loads the mesh of an entry that has a path and a scale. */
static ov_status load_mesh(ovi_urdf *u, const ovi_xml_node *node, ovi_urdf_mesh *entry) {
    ov_mesh_data data;
    ov_fault wrong = {0};
    // the programs that robots are made for take the axes of a mesh as they are, whatever it says
    ov_status status = ovi_mesh_read_axes(entry->path, true, &data, &wrong);
    if (status != OV_OK) {
        char line[40] = "";
        if (wrong.index > 0) {
            (void)snprintf(line, sizeof line, "line %zu: ", wrong.index);
        }
        return ovi_urdf_refuse(u, node->line, status, "mesh \"%.90s\": %s%s",
                               ovi_xml_attribute(node, "filename"), line, wrong.text);
    }
    u->triangle_count += data.triangle_count;
    if (u->triangle_count > OV_TRIMESH_MAX) {
        status = ovi_urdf_refuse(u, node->line, OV_ERROR_COUNT,
                                 "the meshes have more than %zu triangles", OV_TRIMESH_MAX);
    } else {
        scale_mesh(&data, entry->scale);
        status = build_mesh(u, &data, entry);
        if (status != OV_OK) {
            status =
                ovi_urdf_refuse(u, node->line, status, "mesh \"%.90s\": %s",
                                ovi_xml_attribute(node, "filename"), ov_status_message(status));
        }
    }
    ov_mesh_free(&data);
    return status;
}

static bool same_scale(ov_vec3 a, ov_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/** The mesh of a shape, loaded at its first use. */
static ov_status get_mesh(ovi_urdf *u, const ovi_xml_node *node, const ov_robot_shape *shape,
                          bool hull, ovi_urdf_mesh *mesh) {
    for (size_t i = 0; i < u->mesh_count; i++) {
        const ovi_urdf_mesh *m = &u->meshes[i];
        if (m->wants_hull == hull && same_scale(m->scale, shape->mesh_scale) &&
            strcmp(m->path, shape->mesh_path) == 0) {
            *mesh = *m;
            return OV_OK;
        }
    }
    if (u->mesh_count == OVI_ROBOT_MESHES_MAX) {
        return ovi_urdf_refuse(u, node->line, OV_ERROR_COUNT, "more than %zu meshes",
                               OVI_ROBOT_MESHES_MAX);
    }
    ovi_urdf_mesh *all = ovi_grow(u->meshes, u->mesh_count, sizeof *all);
    if (all == NULL) {
        return ovi_urdf_no_memory(u);
    }
    u->meshes = all;
    *mesh = (ovi_urdf_mesh){shape->mesh_path, shape->mesh_scale, NULL, NULL, hull};
    ov_status status = load_mesh(u, node, mesh);
    if (status == OV_OK) {
        all[u->mesh_count++] = *mesh;
    }
    return status;
}

/** File, place and scale of a <mesh>; the place may be unknown. */
static ov_status read_mesh_names(ovi_urdf *u, const ovi_xml_node *node, ov_robot_shape *shape) {
    const char *file = ovi_xml_attribute(node, "filename");
    double scale[3] = {1.0, 1.0, 1.0};
    if (file == NULL || file[0] == '\0') {
        return ovi_urdf_refuse(u, node->line, OV_ERROR_FILE_FORMAT, "<mesh> needs filename");
    }
    ov_status status = ovi_urdf_numbers(u, node, "scale", OVI_URDF_OPTIONAL, scale, 3);
    if (status != OV_OK) {
        return status;
    }
    if (scale[0] == 0.0 || scale[1] == 0.0 || scale[2] == 0.0) {
        return ovi_urdf_refuse(u, node->line, OV_ERROR_FILE_FORMAT, "scale of <mesh> is zero");
    }
    char *path;
    shape->mesh_scale = ov_vec3_make(scale[0], scale[1], scale[2]);
    shape->mesh_file = ovi_robot_text(u->robot, file);
    if (shape->mesh_file == NULL || !ovi_mesh_find(file, u->folder, &u->options, &path)) {
        return ovi_urdf_no_memory(u);
    }
    if (path != NULL) {
        if (!ovi_robot_keep(u->robot, path, free)) {
            return ovi_urdf_no_memory(u);
        }
        shape->mesh_path = path;
    }
    return OV_OK;
}

static ov_status refuse_missing(ovi_urdf *u, const ovi_xml_node *node, const char *file) {
    bool package = strncmp(file, "package://", 10) == 0 || strncmp(file, "model://", 8) == 0;
    return ovi_urdf_refuse(u, node->line, OV_ERROR_FILE_OPEN, "mesh \"%.110s\" is not there%s",
                           file, package ? "; where is its package?" : "");
}

/** Loads the mesh of a shape that has its names: as it is, or as its hull. */
static ov_status use_mesh(ovi_urdf *u, const ovi_xml_node *node, bool hull, ov_robot_shape *shape) {
    if (shape->mesh_path == NULL) {
        return refuse_missing(u, node, shape->mesh_file);
    }
    ovi_urdf_mesh mesh = {.hull = NULL};
    ov_status status = get_mesh(u, node, shape, hull, &mesh);
    if (status == OV_OK && mesh.hull != NULL) {
        return judge(u, node, ov_hull_shape(mesh.hull, &shape->shape));
    }
    if (status == OV_OK) {
        shape->mesh = mesh.mesh;
    }
    return status;
}

/* ---- the geometry ---------------------------------------------------------------------------- */

/** The convex hull of the mesh beside it. */
static ov_status read_polyhedron(ovi_urdf *u, const ovi_xml_node *node, const ovi_xml_node *mesh,
                                 ov_robot_shape *shape) {
    if (mesh == NULL) {
        return ovi_urdf_refuse(u, node->line, OV_ERROR_FILE_FORMAT, "<%s> needs a <mesh> beside it",
                               node->name);
    }
    ov_status status = use_mesh(u, mesh, true, shape);
    if (status == OV_OK && shape->mesh != NULL) {
        return ovi_urdf_refuse(u, mesh->line, OV_ERROR_DEGENERATE, "mesh \"%.90s\" has no hull: %s",
                               shape->mesh_file, ov_status_message(OV_ERROR_DEGENERATE));
    }
    return status;
}

/** An element of Ovoid's namespace, with the stand-in beside it, if there is one. */
static ov_status read_own(ovi_urdf *u, const ovi_xml_node *node, const ovi_xml_node *mesh,
                          ov_robot_shape *shape) {
    static const char *const names[] = {"superovoid", "capsule", "cone", "polyhedron"};
    const char *name = node->name + strlen("ovoid:");
    ov_status status = mesh != NULL ? read_mesh_names(u, mesh, shape) : OV_OK;
    if (status != OV_OK) {
        return status;
    }
    if (strcmp(name, "superovoid") == 0) {
        return read_superovoid(u, node, &shape->shape);
    }
    if (strcmp(name, "capsule") == 0) {
        return read_round(u, node, ov_shape_make_capsule, &shape->shape);
    }
    if (strcmp(name, "cone") == 0) {
        return read_round(u, node, ov_shape_make_cone, &shape->shape);
    }
    if (strcmp(name, "polyhedron") == 0) {
        return read_polyhedron(u, node, mesh, shape);
    }
    const char *near = ovi_nearest(name, names, sizeof names / sizeof names[0]);
    return ovi_urdf_refuse(u, node->line, OV_ERROR_FILE_FORMAT,
                           near != NULL ? "<%.40s> is not known; did you mean <ovoid:%s>?"
                                        : "<%.40s> is not known%s",
                           node->name, near != NULL ? near : "");
}

static ov_status read_mesh(ovi_urdf *u, const ovi_xml_node *node, bool visual,
                           ov_robot_shape *shape) {
    ov_status status = read_mesh_names(u, node, shape);
    if (status != OV_OK || (visual && !u->options.visuals)) {
        return status;
    }
    return use_mesh(u, node, !visual && u->options.hulls, shape);
}

ov_status ovi_urdf_geometry(ovi_urdf *u, const ovi_xml_node *geometry, bool visual,
                            ov_robot_shape *shape) {
    static const char *const names[] = {"box", "cylinder", "sphere", "capsule", "mesh"};
    const ovi_xml_node *node = geometry->first;
    if (node == NULL) {
        return ovi_urdf_refuse(u, geometry->line, OV_ERROR_FILE_FORMAT, "<geometry> is empty");
    }
    for (const ovi_xml_node *n = node; n != NULL; n = n->next) {
        if (strncmp(n->name, "ovoid:", 6) == 0) {
            return read_own(u, n, ovi_xml_child(geometry, "mesh"), shape);
        }
    }
    if (strcmp(node->name, "box") == 0) {
        return read_box(u, node, &shape->shape);
    }
    if (strcmp(node->name, "cylinder") == 0) {
        return read_round(u, node, ov_shape_make_cylinder, &shape->shape);
    }
    if (strcmp(node->name, "sphere") == 0) {
        return read_sphere(u, node, &shape->shape);
    }
    if (strcmp(node->name, "capsule") == 0) {
        return read_round(u, node, ov_shape_make_capsule, &shape->shape);
    }
    if (strcmp(node->name, "mesh") == 0) {
        return read_mesh(u, node, visual, shape);
    }
    const char *near = ovi_nearest(node->name, names, sizeof names / sizeof names[0]);
    return ovi_urdf_refuse(u, node->line, OV_ERROR_FILE_FORMAT,
                           near != NULL ? "shape <%.40s> is not known; did you mean <%s>?"
                                        : "shape <%.40s> is not known%s",
                           node->name, near != NULL ? near : "");
}
