/**
 * @file scene_internal.h
 * @brief What the files of scenes share: lists of parts that own what they refer to, and the state
 * of the reader.
 */
#ifndef OVI_SCENE_INTERNAL_H
#define OVI_SCENE_INTERNAL_H

#include "../json.h"

/** Largest number of parts of a body of a scene. */
#define OVI_SCENE_PARTS_MAX ((size_t)10000)
/** How meshes and bodies of several parts are named where the kind of a shape stands. */
#define OVI_KIND_MESH "mesh"
#define OVI_KIND_COMPOUND "compound"
/** The same for polygons, which only bodies of a scene in motion can be. */
#define OVI_KIND_POLYGONS "polygons"

/* ---- parts (scene.c) */

/** Parts with the arrays of their polyhedra and their meshes. All zero: none. */
typedef struct ovi_parts {
    ov_part *parts;
    ovi_arrays *arrays; /**< one per part */
    size_t count, room;
} ovi_parts;

/** Adds a copy of a shape; the pose must be good. OV_ERROR_COUNT, OV_ERROR_MEMORY. */
ov_status ovi_parts_add(ovi_parts *list, const ov_shape *shape, ov_pose pose);
/** Adds a mesh, which is the list's from now on, also on failure. */
ov_status ovi_parts_take(ovi_parts *list, ov_trimesh *mesh, ov_pose pose);
/** Frees all and empties the list. */
void ovi_parts_free(ovi_parts *list);

/**
 * Adds a body whose parts are good: the list becomes the scene's and is then empty; on failure it
 * stays the caller's. A body without parts is one of polygons, which are kept elsewhere. Statuses
 * of ov_scene_add.
 */
ov_status ovi_scene_take(ov_scene *scene, const char *name, ovi_parts *list, ov_pose pose);

/** Notes a file that the scene is read from; the path is the scene's from now on, also on failure.
 *  False for want of memory. */
bool ovi_scene_take_file(ov_scene *scene, char *path);

/* ---- reading (scene_read.c) */

enum { OVI_WAY_MAX = 4, OVI_BODY_KEYS_MAX = 16 };
typedef struct ovi_scene_more ovi_scene_more;

typedef struct ovi_scene_reader {
    const ovi_scene_more *more; /**< null: a scene at rest */
    const char *text;           /**< the whole file */
    size_t length;
    const char *folder;
    ov_fault *fault;
    ov_scene *scene;
    size_t body;                      /**< index of the body being read */
    char name[OV_SCENE_NAME_MAX + 1]; /**< its name */
    bool in_part;                     /**< reading a part of a compound body, of this index */
    size_t part;
    ovi_json_step way[OVI_WAY_MAX]; /**< from the body to what is read of its motion */
    size_t way_count;               /**< 0: something else is read */
    ovi_parts parts;                /**< of the body being read */
    size_t triangles;               /**< of all meshes so far */
} ovi_scene_reader;

/** What a scene in motion or of a simulation has besides: keys of the file and of bodies. */
struct ovi_scene_more {
    void *user;
    const char *const *root_keys; /**< further keys of the file, and of bodies */
    size_t root_key_count;
    const char *const *body_keys;
    size_t body_key_count; /**< at most OVI_BODY_KEYS_MAX */
    bool polygons;         /**< bodies may be polygons */
    /** Once, before the bodies: the file's own keys, and room for bodies. */
    ov_status (*begin)(ovi_scene_reader *r, const json_t *root, size_t count);
    /** After each body, which is then the scene's last; one of polygons has no parts there. */
    ov_status (*body)(ovi_scene_reader *r, json_t *body);
    /** Once, after the bodies; null: nothing more. */
    ov_status (*end)(ovi_scene_reader *r, const json_t *root);
};

/** As ov_scene_read_stream and ov_scene_read. */
ov_status ovi_scene_read_stream(FILE *stream, const char *folder, const ovi_scene_more *more,
                                ov_scene **scene, ov_fault *fault);
ov_status ovi_scene_read_path(const char *path, const ovi_scene_more *more, ov_scene **scene,
                              ov_fault *fault);

/** "group", "mask" and the like of a body: 32 bits as a number; as they were without the key. */
ov_status ovi_scene_read_bits(ovi_scene_reader *r, const json_t *body, const char *key,
                              uint32_t *bits);
/** A truth value; false without the key. */
ov_status ovi_scene_read_truth(ovi_scene_reader *r, const json_t *object, const char *key,
                               bool *value);
/** The motion of a body, between a start and an end; null for none (motion_scene.c). */
ov_status ovi_scene_read_motion(ovi_scene_reader *r, json_t *value, double start, double end,
                                ov_motion **motion);

/** An error in the body or part being read, in the value of a key (null: as a whole). */
ov_status ovi_scene_refuse(ovi_scene_reader *r, const char *key, ov_status status,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));

/** An error outside the bodies, in the value of a key (null: as a whole): OV_ERROR_FILE_FORMAT. */
ov_status ovi_scene_refuse_file(ovi_scene_reader *r, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** 'position' and 'rotation' of an object; what is not there is as in the identity. */
ov_status ovi_scene_read_pose(ovi_scene_reader *r, const json_t *object, ov_pose *pose);
/** A list of points from malloc, of any number; to be freed also on failure. */
ov_status ovi_scene_read_points(ovi_scene_reader *r, const json_t *list, ov_vec3 **points,
                                size_t *count);

#endif
