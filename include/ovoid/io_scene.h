/**
 * @file io_scene.h
 * @brief Scenes, scenes in motion, tables of pairs and replays of single queries, in and out.
 *
 * Part of `libovoid_io`.
 */
#ifndef OVOID_IO_SCENE_H
#define OVOID_IO_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <ovoid/io_file.h>
#include <ovoid/math.h>
#include <ovoid/motion.h>
#include <ovoid/query.h>
#include <ovoid/shape.h>
#include <ovoid/status.h>
#include <ovoid/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- scenes, as JSON -------------------------------------------------------------------------
 *
 *     {"ovoid": 1, "title": "two bodies",
 *      "bodies": [
 *        {"name": "egg", "kind": "superovoid",
 *         "semi_axes": [1, 1, 1.5], "exponents": [1, 0.8], "taper": [0.2, 0.2],
 *         "position": [0, 0, 2], "rotation": {"axis": [0, 1, 0], "angle_deg": 30}},
 *        {"name": "table", "kind": "halfspace", "normal": [0, 0, 1], "offset": 0}]}
 *
 *     kind                     keys
 *     sphere                   radius
 *     ellipsoid                semi_axes
 *     superellipsoid           semi_axes, exponents (e1 in xy, e2 along z)
 *     superovoid               semi_axes, exponents, taper; optional dent_tolerance (0.05)
 *     halfspace                normal, offset
 *     box                      half_extents
 *     capsule, cylinder, cone  radius, half_length
 *     triangle, segment, point vertices: three, two, one
 *     polyhedron               vertices, whose convex hull it is; or file, the name of a file of
 *                              points beside the scene; or vertices and triangles, outward (an
 *                              empty list: a polyhedron without triangles)
 *     mesh                     vertices and triangles; or file, the name of a mesh file beside the
 *                              scene; optional scale (three numbers) and surface (true: no inside
 *                              even if it is closed)
 *     compound                 parts: a list of objects with kind, keys of the kind, position and
 *                              rotation, as a body without a name
 *
 * Instead of these keys a body may have "parameters", the object that `ovoid shape` prints. A
 * rotation is a quaternion w, x, y, z, which must not be zero, or an axis and an angle. Optional
 * are position and rotation; name (the default is "body" and the number); title; and "ovoid", the
 * version of the format. A version above OV_SCENE_VERSION is refused. Any other key is an error. */

/** Version of the format of scenes, and of scenes in motion. */
#define OV_SCENE_VERSION 1
/** Largest scene file, in bytes. */
#define OV_SCENE_BYTES_MAX ((size_t)1 << 24)
/** Largest number of bodies. */
#define OV_SCENE_BODIES_MAX ((size_t)100000)
/** Longest name of a body and longest title, in bytes. */
#define OV_SCENE_NAME_MAX 63

/** Named bodies with poses. Opaque; owns its memory, the vertices of polyhedra included. */
typedef struct ov_scene ov_scene;

typedef struct ov_scene_body {
    const char *name;     /**< UTF-8 without control characters, unique in the scene */
    ov_pose pose;         /**< with a unit quaternion */
    const ov_part *parts; /**< shapes of convex kinds, but not custom, and meshes */
    size_t part_count;    /**< at least 1 */
} ov_scene_body;

/**
 * Reads a scene. OV_ERROR_FILE_OPEN, OV_ERROR_FILE_READ, OV_ERROR_FILE_FORMAT, OV_ERROR_NAME,
 * OV_ERROR_COUNT (a limit above is exceeded), OV_ERROR_MEMORY, or an error of the constructor of a
 * shape; `*scene` is then null and `*fault` (may be null) says what is wrong.
 */
ov_status ov_scene_read(const char *path, ov_scene **scene, ov_fault *fault);
/** The same from an open stream, to its end. Files are searched for in `folder` (null: "."). */
ov_status ov_scene_read_stream(FILE *stream, const char *folder, ov_scene **scene, ov_fault *fault);

/** An empty scene; `title` may be null. OV_ERROR_NAME for a title that is not allowed as a name. */
ov_status ov_scene_create(const char *title, ov_scene **scene);
/**
 * Adds a body; name and vertices are copied. OV_ERROR_NAME for a name that is empty, too long,
 * already used or not printable UTF-8; OV_ERROR_UNSUPPORTED for custom and modelling kinds;
 * OV_ERROR_NOT_FINITE, OV_ERROR_ZERO_DIRECTION, OV_ERROR_COUNT, OV_ERROR_MEMORY. On failure the
 * scene stays as it was.
 */
ov_status ov_scene_add(ov_scene *scene, const char *name, const ov_shape *shape, ov_pose pose);
/** Adds a body of several parts, which may be meshes; these are copied, too. */
ov_status ov_scene_add_body(ov_scene *scene, const char *name, const ov_part *parts, size_t count,
                            ov_pose pose);
/** Frees a scene and all that it owns. Null is allowed. */
void ov_scene_destroy(ov_scene *scene);

/** "" if there is none. */
const char *ov_scene_title(const ov_scene *scene);
/** Number of bodies; 0 for null. */
size_t ov_scene_count(const ov_scene *scene);
/** A body, or null beyond the last; valid until a body is added or the scene is destroyed. */
const ov_scene_body *ov_scene_get(const ov_scene *scene, size_t index);

/** Paths of the point and mesh files that the scene was read from; null beyond the last. */
size_t ov_scene_file_count(const ov_scene *scene);
const char *ov_scene_file(const ov_scene *scene, size_t index);

/**
 * Writes a scene, with numbers that read back exactly. As with ov_mesh_write, the file gets its
 * name only when it is complete. OV_ERROR_FILE_OPEN, OV_ERROR_FILE_WRITE, OV_ERROR_MEMORY.
 */
ov_status ov_scene_write(const char *path, const ov_scene *scene);
/** The same to an open stream, which is flushed and stays open. */
ov_status ov_scene_write_stream(FILE *stream, const ov_scene *scene);

/* ---- scenes in motion, as JSON ----------------------------------------------------------------
 *
 *     {"title": "past the table", "time": [0, 2],
 *      "bodies": [
 *        {"name": "egg", "kind": "ellipsoid", "semi_axes": [1, 1, 1.5], "position": [0, 0, 3],
 *         "motion": {"screw": {"point": [0, 0, 0], "axis": [0, 1, 0], "angle_deg": 180,
 *                              "travel": 4}}},
 *        {"name": "table", "kind": "halfspace", "normal": [0, 0, 1], "offset": 0}]}
 *
 * A scene with a start and an end time, whose bodies have four more optional keys: "motion" (none
 * or null: at rest), "group" and "mask" (ov_body_def; none or 0: 1 and 4294967295), and "no_pairs"
 * (true: the body is paired with nothing). Position and rotation place a body in the frame that its
 * motion moves. All motions but keys begin and end with the scene. A motion is one of:
 *
 *     screw     axis; optional point, angle_deg and travel (zero): from its initial pose, the body
 *               rotates about the axis through the point and translates along it, both at constant
 *               speed
 *     keys      times and poses, lists of equal length; a pose is an object with position and
 *               rotation, as a body; optional spline, "linear" (default) or "cubic". The times must
 *               cover those of the scene
 *     rational  rotations [w, x, y, z] and positions [x, y, z], control points of a rational rigid
 *               motion (ov_motion_create_rational); optional weights of the positions (1)
 *     bezier    controls of 12 numbers each: the matrix by rows, then the translation; optional
 *               weights (1). For polygons (ov_motion_create_bezier)
 *
 * A body may also be of kind "polygons", with "vertices" and "faces", which are lists of vertex
 * indices in order around each face. Faces are flat and convex (ov_polygons_create). */

/** A scene in motion. Opaque; owns its memory. */
typedef struct ov_motion_scene ov_motion_scene;

/**
 * Reads a scene in motion. Errors as in ov_scene_read, and those of the constructors of motions and
 * polygons; OV_ERROR_TIME if the end is before the start, or if a motion does not cover both.
 */
ov_status ov_motion_scene_read(const char *path, ov_motion_scene **scene, ov_fault *fault);
/** The same from an open stream, to its end. Files are searched for in `folder` (null: "."). */
ov_status ov_motion_scene_read_stream(FILE *stream, const char *folder, ov_motion_scene **scene,
                                      ov_fault *fault);
/** Null is allowed. */
void ov_motion_scene_destroy(ov_motion_scene *scene);

/** "" if there is none. */
const char *ov_motion_scene_title(const ov_motion_scene *scene);
double ov_motion_scene_start(const ov_motion_scene *scene);
double ov_motion_scene_end(const ov_motion_scene *scene);
/** Number of bodies; 0 for null. */
size_t ov_motion_scene_count(const ov_motion_scene *scene);
/** All bodies, ready for ov_sweep_bodies, valid as long as the scene. Null if there are none. */
const ov_sweep_body *ov_motion_scene_bodies(const ov_motion_scene *scene);
/** Name of a body; null beyond the last. */
const char *ov_motion_scene_name(const ov_motion_scene *scene, size_t index);
/** As ov_scene_file_count and ov_scene_file. */
size_t ov_motion_scene_file_count(const ov_motion_scene *scene);
const char *ov_motion_scene_file(const ov_motion_scene *scene, size_t index);

/* ---- pairs, as comma-separated values -------------------------------------------------------- */

/** Longest line of a file of pairs. */
#define OV_PAIRS_LINE_MAX 8192
/** The header of a file of pairs: superovoid and pose of A, then of B; e1 in xy, e2 along z. */
#define OV_PAIRS_HEADER                                                                            \
    "A_a1,A_a2,A_a3,A_e1,A_e2,A_tx,A_ty,A_px,A_py,A_pz,A_qw,A_qx,A_qy,A_qz,"                       \
    "B_a1,B_a2,B_a3,B_e1,B_e2,B_tx,B_ty,B_px,B_py,B_pz,B_qw,B_qx,B_qy,B_qz"
/** The header of a file of contacts. */
#define OV_CONTACTS_HEADER                                                                         \
    "status,relation,gap,gap_lower,gap_upper,ax,ay,az,bx,by,bz,nx,ny,nz,iterations"

/** A row: two placed superovoids, or the error. */
typedef struct ov_pairs_row {
    /**
     * OV_OK; OV_ERROR_FILE_FORMAT for a missing number, an extra one or text that is none;
     * OV_ERROR_NOT_FINITE; an error of the constructor of a shape, with its default options;
     * OV_ERROR_ZERO_DIRECTION for a zero quaternion. The rest is valid only with OV_OK.
     */
    ov_status status;
    size_t line; /**< in the file, from 1 */
    ov_shape a, b;
    ov_pose pose_a, pose_b; /**< quaternions are normalised */
} ov_pairs_row;

/** Reads pairs a few rows at a time; its memory does not grow with the file. Opaque. */
typedef struct ov_pairs_reader ov_pairs_reader;

/**
 * Begins to read pairs from a stream, which the caller keeps: reads and checks the header.
 *
 * Numbers are decimal or hexadecimal, separated by commas. Spaces around them, a carriage return at
 * the end of a line, and blank lines are ignored. OV_ERROR_FILE_FORMAT for another header,
 * OV_ERROR_FILE_READ, OV_ERROR_MEMORY; `*reader` is then null. `fault` may be null.
 */
ov_status ov_pairs_reader_create(FILE *stream, ov_pairs_reader **reader, ov_fault *fault);
/** Ends the reading; the stream stays open. Null is allowed. */
void ov_pairs_reader_destroy(ov_pairs_reader *reader);

/**
 * Reads up to `room` rows; `*count` is 0 at the end of the file. A bad row has an error as its
 * status and does not end the reading. OV_OK, OV_ERROR_FILE_READ, OV_ERROR_MEMORY.
 */
ov_status ov_pairs_read(ov_pairs_reader *reader, ov_pairs_row *rows, size_t room, size_t *count);

/** Writes OV_CONTACTS_HEADER as a line. */
ov_status ov_contacts_write_header(FILE *stream);
/**
 * Writes one line per contact: status and relation as words, numbers that read back exactly, "nan"
 * if there is none. OV_ERROR_FILE_WRITE, OV_ERROR_MEMORY.
 */
ov_status ov_contacts_write(FILE *stream, const ov_contact *contacts, size_t count);

/* ---- replays: a pair query that can be run again, bit for bit ---------------------------------
 */

typedef struct ov_replay {
    ov_shape a, b; /**< of convex kinds, but not custom */
    ov_pose pose_a, pose_b;
    ov_pair_options options;
    bool batch;         /**< the query was one of ov_pair_contact_batch, not ov_pair_contact */
    bool has_warm;      /**< the query had a warm start, ... */
    ov_warm_start warm; /**< ... as it was before the query */
    ov_contact contact; /**< the saved answer */
} ov_replay;

/**
 * Writes a replay as text with hexadecimal numbers. OV_ERROR_UNSUPPORTED for a custom shape (a
 * function cannot be written) and for modelling kinds; else as ov_scene_write.
 */
ov_status ov_replay_write(const char *path, const ov_replay *replay);
/** The same to an open stream, which is flushed and stays open. */
ov_status ov_replay_write_stream(FILE *stream, const ov_replay *replay);

/**
 * Reads a replay, with the vertices of its polyhedra; free it with ov_replay_destroy. Errors as in
 * ov_scene_read.
 */
ov_status ov_replay_read(const char *path, ov_replay **replay, ov_fault *fault);
/** The same from an open stream, to its end. */
ov_status ov_replay_read_stream(FILE *stream, ov_replay **replay, ov_fault *fault);
/** Frees a replay from ov_replay_read, and only that. Null is allowed. */
void ov_replay_destroy(ov_replay *replay);

/** Runs the query again, from the same start. Returns contact->status. */
ov_status ov_replay_run(const ov_replay *replay, ov_contact *contact);

#ifdef __cplusplus
}
#endif

#endif
