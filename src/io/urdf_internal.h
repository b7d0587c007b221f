/**
 * @file urdf_internal.h
 * @brief What the files of the URDF reader share: XML as small trees, and the robot being read.
 */
#ifndef OVI_URDF_INTERNAL_H
#define OVI_URDF_INTERNAL_H

#include "robot_internal.h"

/* ---- XML (urdf_xml.c) */

/** An element with what is in it; texts between the tags are left out. */
typedef struct ovi_xml_node {
    /** As the file has it; elements and attributes of Ovoid's namespace begin with "ovoid:",
     *  whatever their prefix is, and no others do. */
    const char *name;
    const char *const *attributes; /**< name, value, name, value, ..., null */
    size_t line;
    struct ovi_xml_node *first, *last, *next; /**< children, and the next one of the parent */
} ovi_xml_node;

/** What is done with a file; each may refuse it. */
typedef struct ovi_xml_takers {
    /** The root, when it begins: without children. */
    ov_status (*open)(void *user, const ovi_xml_node *root);
    /** Is an element kept as the text that it is? `parent` is what it stands in, without children:
     *  an element right below the root; or null, and then this is one. */
    bool (*is_text)(const ovi_xml_node *parent, const char *name);
    /** Such an element, before the one that it stands in: from "<" to ">", complete. Prefixes that
     *  the parent declares are declared in it. */
    ov_status (*take_text)(void *user, const ovi_xml_node *parent, const char *name,
                           const char *text);
    /** Any other element right below the root, complete. */
    ov_status (*take)(void *user, const ovi_xml_node *element);
} ovi_xml_takers;

/**
 * Reads a stream to its end in pieces, with one element below the root in memory at a time. What
 * the limits are, see urdf_xml.c.
 */
ov_status ovi_xml_read(FILE *stream, const ovi_xml_takers *takers, void *user, ov_fault *fault);

/** Value of an attribute, or null. */
const char *ovi_xml_attribute(const ovi_xml_node *node, const char *name);
/** The first child of a name, or null. */
const ovi_xml_node *ovi_xml_child(const ovi_xml_node *node, const char *name);

/* ---- the robot being read (urdf_read.c) */

/** A name that stands for something elsewhere in the file. */
typedef struct ovi_urdf_name {
    const char *text; /**< the robot's own */
    size_t index;     /**< what it belongs to */
    size_t line;
} ovi_urdf_name;

/** Names that a joint gives. */
typedef struct ovi_urdf_ends {
    ovi_urdf_name parent, child, mimic; /**< of the mimic the text may be null */
} ovi_urdf_ends;

typedef struct ovi_urdf_material {
    const char *name;
    double colour[4];
} ovi_urdf_material;

/** A visual that has the colour of a material by name. */
typedef struct ovi_urdf_painted {
    const char *material;
    size_t link, visual;
} ovi_urdf_painted;

/** A mesh that was loaded, as triangles or as a hull. */
typedef struct ovi_urdf_mesh {
    const char *path;
    ov_vec3 scale;
    const ov_trimesh *mesh;
    const ov_hull *hull; /**< not null: a hull, and no mesh */
    bool wants_hull;
} ovi_urdf_mesh;

typedef struct ovi_urdf {
    ov_robot *robot;
    ov_robot_options options;
    const char *folder;
    ov_fault *fault;
    char where[96]; /**< the link or joint at hand, as messages name it */
    size_t root_line;
    size_t *link_lines, *joint_lines;
    ovi_urdf_ends *ends; /**< one a joint */
    ovi_urdf_material *materials;
    ovi_urdf_painted *painted;
    ovi_urdf_mesh *meshes;
    size_t material_count, painted_count, mesh_count;
    size_t triangle_count; /**< of all meshes */
} ovi_urdf;

/** An error at an element, with the link or joint that it is in. */
ov_status ovi_urdf_refuse(ovi_urdf *u, size_t line, ov_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
ov_status ovi_urdf_no_memory(ovi_urdf *u);

/** What an attribute of numbers may be. */
typedef enum ovi_urdf_need {
    OVI_URDF_NEEDED,  /**< must be there */
    OVI_URDF_OPTIONAL /**< may be missing: the values stay as they are */
} ovi_urdf_need;

/** Reads exactly `count` finite numbers from an attribute. */
ov_status ovi_urdf_numbers(ovi_urdf *u, const ovi_xml_node *node, const char *attribute,
                           ovi_urdf_need need, double *values, int count);

/* ---- shapes (urdf_geometry.c) */

/** The shape of a <geometry>. */
ov_status ovi_urdf_geometry(ovi_urdf *u, const ovi_xml_node *geometry, bool visual,
                            ov_robot_shape *shape);

/* ---- names (urdf_join.c) */

/** Finds what the names stand for, and makes the model. */
ov_status ovi_urdf_join(ovi_urdf *u);

#endif
