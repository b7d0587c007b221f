/**
 * @file body_contact.h
 * @brief The contact of two bodies of a scene, whatever they are made of.
 */
#ifndef OVOID_CLI_BODY_CONTACT_H
#define OVOID_CLI_BODY_CONTACT_H

#include <ovoid/io.h>
#include <ovoid/query.h>
#include <ovoid/world.h>

#include "cli.h"

/** Reads a scene; "-" is standard input. CLI_BAD_INPUT after a message. */
int body_scene_read(cli *c, const char *path, ov_scene **scene);

/** A geometry for each body. OV_ERROR_MEMORY, or what ov_geometry_create says of body `*body`;
 *  those that were made must be freed all the same. */
ov_status body_geometries_make(const ov_scene *scene, ov_geometry ***geometries, size_t *body);
void body_geometries_free(ov_geometry **geometries, size_t count);

/** The bodies of a scene, ready to be asked for. All zero: none. */
typedef struct body_set {
    const ov_scene *scene;
    ov_geometry **geometries; /**< one a body; null where all bodies are single shapes */
} body_set;

/** Contact of two bodies, and which parts and triangles it is between. */
typedef struct body_pair {
    size_t part_a, part_b;
    uint32_t triangle_a, triangle_b; /**< OV_NO_TRIANGLE for a shape */
    ov_contact contact;
} body_pair;

/** Statuses of body_geometries_make. */
ov_status body_set_make(const ov_scene *scene, body_set *set, size_t *body);
void body_set_free(body_set *set);

/** Names of things with a mesh that is not closed. All zero: none yet. */
typedef struct open_meshes {
    const char *names[5]; /**< the first ones, of the caller's */
    size_t count;
} open_meshes;

/** Looks at the meshes of a thing. */
void open_meshes_add(open_meshes *open, const char *name, const ov_part *part);
void open_meshes_add_geometry(open_meshes *open, const char *name, const ov_geometry *geometry);
void open_meshes_add_scene(open_meshes *open, const ov_scene *scene);
/** Says in one line of a file that they are surfaces, if there are any. */
void open_meshes_tell(cli *c, const char *path, const open_meshes *open);

/** Is a body one shape in the body's own frame? Then its query is the pair query itself. */
bool body_is_shape(const ov_scene_body *body);

/** Pose of a part in the world; the body's own, to the bit, for a part at its origin. */
ov_pose body_part_pose(const ov_scene_body *body, size_t part);

/**
 * The least gap over all pairs of parts of bodies a and b (indices, a < b). With a limit (NaN:
 * none), `*left_out` says that the gap is proven to be more; the pair is then not set. Errors are
 * in the status of the contact.
 */
void body_contact(const body_set *set, size_t a, size_t b, double limit,
                  const ov_pair_options *options, body_pair *pair, bool *left_out);

#endif
