/**
 * @file io.h
 * @brief Hulls of point clouds, and files: meshes out; point clouds, pairs, scenes, motions and
 * replays in.
 *
 * This header belongs to `libovoid_io`, which allocates, opens files and needs qhull, jansson and
 * expat; the core does none of that. Nothing here prints. Numbers are read and written in the C
 * locale, whatever the program's own locale is.
 */
#ifndef OVOID_IO_H
#define OVOID_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <ovoid/math.h>
#include <ovoid/motion.h>
#include <ovoid/query.h>
#include <ovoid/shape.h>
#include <ovoid/status.h>
#include <ovoid/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- convex hulls ---------------------------------------------------------------------------- */

/** Largest number of points that a hull is made of. */
#define OV_HULL_POINTS_MAX ((size_t)1 << 28)

/** Convex hull of a cloud: its vertices and its triangles. Opaque; owns its memory. */
typedef struct ov_hull ov_hull;

/**
 * Convex hull of a point cloud, by qhull.
 *
 * The triangles are outward counter-clockwise and closed, and pass all checks of
 * ov_shape_make_polyhedron. Only points that are corners of the hull are kept, unchanged and in the
 * order of the cloud; equal points count once. Where points crowd within the rounding error, some
 * may be left out that stand out of the hull by less than 1e-11 of the cloud's extent. The same
 * cloud gives the same hull.
 *
 * OV_ERROR_COUNT below 4 points or above OV_HULL_POINTS_MAX, OV_ERROR_NOT_FINITE,
 * OV_ERROR_SIZE_RANGE (a coordinate beyond OV_SIZE_MAX, or a cloud thinner than OV_SIZE_MIN),
 * OV_ERROR_DEGENERATE (all points in a plane, or thinner than 1e-12 of their extent, or so near to
 * that that rounding leaves no convex surface), OV_ERROR_MEMORY. On failure `*hull` is set to null.
 */
ov_status ov_hull_create(const ov_vec3 *points, size_t count, ov_hull **hull);

/** Frees a hull; shapes made from it must not be used any more. Null is allowed. */
void ov_hull_destroy(ov_hull *hull);

/** Number of vertices; 0 for null. */
size_t ov_hull_vertex_count(const ov_hull *hull);
/** Number of triangles; 0 for null. */
size_t ov_hull_triangle_count(const ov_hull *hull);
/** The vertices; they live as long as the hull. */
const ov_vec3 *ov_hull_vertices(const ov_hull *hull);
/** For each vertex its index in the cloud, ascending. */
const uint32_t *ov_hull_sources(const ov_hull *hull);
/** The triangles, as indices of vertices; they live as long as the hull. */
const uint32_t (*ov_hull_triangles(const ov_hull *hull))[3];

/** The hull as a polyhedron with triangles. The shape refers to the hull, which must outlive it. */
ov_status ov_hull_shape(const ov_hull *hull, ov_shape *shape);

/* ---- files out -------------------------------------------------------------------------------
 *
 * All files of this library, and of the `ovoid` command, are written in one way: to a new file in
 * the same folder, which takes the name when every byte has reached the disk. Until then an older
 * file of that name is whole; on failure it stays as it was, and nothing else stays. It keeps its
 * permissions and, where that is allowed, its owner; other hard links to it keep the old contents.
 * Symbolic links are followed, and stay. What is no regular file (a pipe, a device, /dev/stdout) is
 * written to directly. Where writing fails, errno says why. */

/** A file that is being written. Opaque. */
typedef struct ov_file_out ov_file_out;

/**
 * Begins to write a file. OV_ERROR_NULL; OV_ERROR_FILE_OPEN where it could not be written: no such
 * folder, no permission, or the name of a folder; OV_ERROR_MEMORY. `*out` is then null.
 */
ov_status ov_file_out_open(const char *path, ov_file_out **out);
/** Where its contents go, in binary mode; not to be closed. Null for null. */
FILE *ov_file_out_stream(const ov_file_out *out);
/** The path that will be written, without links; null where it is written to directly. */
const char *ov_file_out_target(const ov_file_out *out);
/** Closes its stream and brings all to the disk, but takes no name yet: for files that are to be
 *  there together. OV_ERROR_FILE_WRITE; it is to be abandoned then. */
ov_status ov_file_out_finish(ov_file_out *out);
/** Ends the writing: the file takes its name. OV_ERROR_FILE_WRITE where it is not complete; then
 *  an older file stays. */
ov_status ov_file_out_commit(ov_file_out *out);
/** Ends the writing: an older file stays. Null is allowed. */
void ov_file_out_abandon(ov_file_out *out);

/**
 * Removes what is half written, of all threads: for a handler of the signals that end the program,
 * which it may be called from. The program must then end; writing that goes on all the same fails.
 */
void ov_files_abandon(void);

/* ---- meshes out ------------------------------------------------------------------------------ */

typedef enum ov_mesh_format {
    OV_MESH_FORMAT_NONE =
        0,              /**< not a format: what ov_mesh_format_from_path gives for other endings */
    OV_MESH_FORMAT_OBJ, /**< text; with normals; numbers read back exactly */
    OV_MESH_FORMAT_STL, /**< binary; 32-bit floats, the normals are those of the triangles */
    OV_MESH_FORMAT_PLY, /**< binary little endian; 64-bit floats, with normals */
    OV_MESH_FORMAT_COLLADA /**< .dae: to read only */
} ov_mesh_format;

/** Format by the ending of a file name: .obj, .stl, .ply or .dae, in either case. */
ov_mesh_format ov_mesh_format_from_path(const char *path);

/**
 * Writes a triangle mesh to a file; `normals` (one a vertex) may be null.
 *
 * The file appears under its name only when it is complete, as with ov_file_out_open.
 *
 * OV_ERROR_COUNT for no vertices or no triangles, or more than 2^32 - 1 of either;
 * OV_ERROR_NOT_FINITE; OV_ERROR_INDEX; OV_ERROR_SIZE_RANGE where a coordinate is too large, or all
 * are too small, for the 32-bit floats of STL; OV_ERROR_OPTION for an unknown format. All of this
 * is checked before anything is written. OV_ERROR_FILE_OPEN, OV_ERROR_FILE_WRITE, OV_ERROR_MEMORY.
 */
ov_status ov_mesh_write(const char *path, ov_mesh_format format, const ov_vec3 *vertices,
                        const ov_vec3 *normals, size_t vertex_count, const uint32_t (*triangles)[3],
                        size_t triangle_count);

/** The same to an open stream, in binary mode, which is flushed and stays open. */
ov_status ov_mesh_write_stream(FILE *stream, ov_mesh_format format, const ov_vec3 *vertices,
                               const ov_vec3 *normals, size_t vertex_count,
                               const uint32_t (*triangles)[3], size_t triangle_count);

/* ---- point clouds in ------------------------------------------------------------------------- */

/** Longest line of a point file that is not a comment. */
#define OV_POINTS_LINE_MAX 4096
/** Largest number of points in a file. */
#define OV_POINTS_MAX ((size_t)1 << 28)

/**
 * Reads a point cloud from a text file.
 *
 * Either lines `x y z`, or the `v x y z` lines of an OBJ file (its other statements are passed
 * over; after x y z a weight or a colour may follow). The first line that says something settles
 * which. Numbers are decimal, separated by spaces, tabs or single commas; blank lines and
 * everything after a # are passed over.
 *
 * On success `*points` is an array of `*count` points, to be freed with ov_points_free. On failure
 * it is null, and `*line` (may be a null pointer) is the number of the offending line, from 1, or 0
 * where none is to blame: OV_ERROR_FILE_OPEN, OV_ERROR_FILE_READ, OV_ERROR_FILE_FORMAT (not
 * a line of three numbers, or longer than OV_POINTS_LINE_MAX), OV_ERROR_NOT_FINITE,
 * OV_ERROR_SIZE_RANGE (beyond OV_SIZE_MAX), OV_ERROR_COUNT (no points, or more than OV_POINTS_MAX),
 * OV_ERROR_MEMORY.
 */
ov_status ov_points_read(const char *path, ov_vec3 **points, size_t *count, size_t *line);

/** The same from an open stream, to its end; the stream stays open. */
ov_status ov_points_read_stream(FILE *stream, ov_vec3 **points, size_t *count, size_t *line);

/** Frees what ov_points_read gave. Null is allowed. */
void ov_points_free(ov_vec3 *points);

/* ---- what is wrong with a file --------------------------------------------------------------- */

#define OV_FILE_ERROR_MAX 256

/** Where and what; filled on failure, and empty (line 0, text "") on success. */
typedef struct ov_file_error {
    size_t line;                  /**< from 1; 0 where no line is to blame */
    char text[OV_FILE_ERROR_MAX]; /**< one line of plain English, without control characters */
} ov_file_error;

/* ---- meshes in ------------------------------------------------------------------------------- */

/** Largest mesh file, in bytes. */
#define OV_MESH_BYTES_MAX ((size_t)1 << 30)

/** A triangle mesh that was read; the arrays are from malloc. */
typedef struct ov_mesh_data {
    ov_vec3 *vertices;
    uint32_t (*triangles)[3];
    size_t vertex_count, triangle_count;
} ov_mesh_data;

/**
 * Reads the triangles of a mesh file: STL (text and binary), OBJ, PLY (text and binary, either
 * order of bytes) and COLLADA. Polygons are cut into triangles; of COLLADA all geometries of the
 * scene are taken, placed by their nodes, in metres and with z up as the file says. Vertices that
 * no triangle has are left out. Equal vertices of STL become one. OV_ERROR_FILE_OPEN,
 * OV_ERROR_FILE_READ, OV_ERROR_FILE_FORMAT, OV_ERROR_NOT_FINITE, OV_ERROR_INDEX,
 * OV_ERROR_SIZE_RANGE, OV_ERROR_COUNT (no triangles, or more than OV_TRIMESH_MAX), OV_ERROR_MEMORY;
 * the mesh is then empty and `*error` (may be null) says what is wrong, with the line where the
 * format has lines.
 */
ov_status ov_mesh_read(const char *path, ov_mesh_data *mesh, ov_file_error *error);
/** The same from a block of memory in a given format. */
ov_status ov_mesh_read_memory(const void *bytes, size_t size, ov_mesh_format format,
                              ov_mesh_data *mesh, ov_file_error *error);
/** Frees what ov_mesh_read gave, and empties it. */
void ov_mesh_free(ov_mesh_data *mesh);

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

/** A row: two placed superovoids, or the status that says why not. */
typedef struct ov_pairs_row {
    /**
     * OV_OK; OV_ERROR_FILE_FORMAT where a number is missing, too much or none at all;
     * OV_ERROR_NOT_FINITE; what the constructor of a shape answers, with its default options;
     * OV_ERROR_ZERO_DIRECTION for a quaternion without length. Only with OV_OK the rest holds.
     */
    ov_status status;
    size_t line; /**< in the file, from 1 */
    ov_shape a, b;
    ov_pose pose_a, pose_b; /**< quaternions are normalised */
} ov_pairs_row;

/** Reads pairs a few rows at a time, in memory that does not grow with the file. Opaque. */
typedef struct ov_pairs_reader ov_pairs_reader;

/**
 * Begins to read pairs from a stream, which stays the caller's: checks the header.
 *
 * Decimal or hexadecimal numbers, separated by commas; spaces around them, a carriage return at the
 * end of a line and blank lines are passed over. OV_ERROR_FILE_FORMAT for another header,
 * OV_ERROR_FILE_READ, OV_ERROR_MEMORY; `*reader` is then null. `error` may be null.
 */
ov_status ov_pairs_reader_create(FILE *stream, ov_pairs_reader **reader, ov_file_error *error);
/** Ends the reading; the stream stays open. Null is allowed. */
void ov_pairs_reader_destroy(ov_pairs_reader *reader);

/**
 * Reads up to `room` rows; `*count` is 0 at the end of the file. A row that is bad says so in its
 * own status and does not end the reading. OV_OK, OV_ERROR_FILE_READ, OV_ERROR_MEMORY.
 */
ov_status ov_pairs_read(ov_pairs_reader *reader, ov_pairs_row *rows, size_t room, size_t *count);

/** Writes OV_CONTACTS_HEADER as a line. */
ov_status ov_contacts_write_header(FILE *stream);
/**
 * Writes a line for each contact: status and relation as words, numbers that read back exactly,
 * "nan" where there is none. OV_ERROR_FILE_WRITE, OV_ERROR_MEMORY.
 */
ov_status ov_contacts_write(FILE *stream, const ov_contact *contacts, size_t count);

/* ---- scenes, as JSON -------------------------------------------------------------------------
 *
 *     {"title": "two bodies",
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
 *     superovoid               semi_axes, exponents, taper; dent_tolerance if not 0.05
 *     halfspace                normal, offset
 *     box                      half_extents
 *     capsule, cylinder, cone  radius, half_length
 *     triangle, segment, point vertices: three, two, one
 *     polyhedron               vertices, whose convex hull it is; or file, the name of a file of
 *                              points beside the scene; or vertices and triangles, outward (an
 *                              empty list: a polyhedron without triangles)
 *     mesh                     vertices and triangles; or file, the name of a mesh file beside the
 *                              scene; scale (three numbers) if not 1, 1, 1
 *     compound                 parts: a list of objects with kind, keys of the kind, position and
 *                              rotation, as a body without a name
 *
 * Instead of these keys a body may have "parameters", the object that `ovoid shape` prints. A
 * rotation is a quaternion w, x, y, z or axis and angle; it and the position may be left out (but
 * one of zeros is an error: a file says what it means), as may name (it is then "body" and the
 * number) and title. Any other key is an error. */

/** Largest scene file, in bytes. */
#define OV_SCENE_BYTES_MAX ((size_t)1 << 24)
/** Largest number of bodies. */
#define OV_SCENE_BODIES_MAX ((size_t)100000)
/** Longest name of a body and longest title, in bytes. */
#define OV_SCENE_NAME_MAX 63

/** Named bodies with poses. Opaque; owns its memory, the vertices of polyhedra included. */
typedef struct ov_scene ov_scene;

typedef struct ov_scene_body {
    const char *name;     /**< UTF-8 without control characters, unlike all others in the scene */
    ov_pose pose;         /**< with a unit quaternion */
    const ov_part *parts; /**< shapes of convex kinds, but not custom, and meshes */
    size_t part_count;    /**< at least 1 */
} ov_scene_body;

/**
 * Reads a scene. OV_ERROR_FILE_OPEN, OV_ERROR_FILE_READ, OV_ERROR_FILE_FORMAT, OV_ERROR_COUNT (a
 * limit above is passed), OV_ERROR_MEMORY, or what the constructor of a shape answers; `*scene` is
 * then null and `*error` (may be null) tells what is wrong.
 */
ov_status ov_scene_read(const char *path, ov_scene **scene, ov_file_error *error);
/** The same from an open stream, to its end. Point files are looked for in `folder` (null: "."). */
ov_status ov_scene_read_stream(FILE *stream, const char *folder, ov_scene **scene,
                               ov_file_error *error);

/** An empty scene; `title` may be null. OV_ERROR_FILE_FORMAT for a title that is no name. */
ov_status ov_scene_create(const char *title, ov_scene **scene);
/**
 * Adds a body; name and vertices are copied. OV_ERROR_FILE_FORMAT for a name that is empty, too
 * long, already there or not printable UTF-8; OV_ERROR_UNSUPPORTED for custom and modelling kinds;
 * OV_ERROR_NOT_FINITE, OV_ERROR_ZERO_DIRECTION, OV_ERROR_COUNT, OV_ERROR_MEMORY. On failure the
 * scene stays as it was.
 */
ov_status ov_scene_add(ov_scene *scene, const char *name, const ov_shape *shape, ov_pose pose);
/** The same with a body of several parts, which may be meshes; these are copied as well. */
ov_status ov_scene_add_body(ov_scene *scene, const char *name, const ov_part *parts, size_t count,
                            ov_pose pose);
/** Frees a scene and all that it owns. Null is allowed. */
void ov_scene_destroy(ov_scene *scene);

/** "" where there is none. */
const char *ov_scene_title(const ov_scene *scene);
/** Number of bodies; 0 for null. */
size_t ov_scene_count(const ov_scene *scene);
/** A body, or null beyond the last; it stays until a body is added or the scene destroyed. */
const ov_scene_body *ov_scene_get(const ov_scene *scene, size_t index);

/** Files of points and meshes that it was read from, as they were opened; null beyond the last. */
size_t ov_scene_file_count(const ov_scene *scene);
const char *ov_scene_file(const ov_scene *scene, size_t index);

/**
 * Writes a scene, with numbers that read back exactly. As with ov_mesh_write a file gets its name
 * only when it is complete. OV_ERROR_FILE_OPEN, OV_ERROR_FILE_WRITE, OV_ERROR_MEMORY.
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
 * A scene with the times of its start and end, and four more keys of bodies: "motion" (left out or
 * null: at rest), "group" and "mask" (ov_body_def; 1 and 4294967295 if left out or 0) and
 * "no_pairs" (true: the body meets nothing). Position and rotation place a body in the frame that
 * its motion moves; all motions but keys begin and end with the scene. One of:
 *
 *     screw     point, axis, angle_deg, travel, from the place that the body has: turned about the
 *               axis through the point, and moved along it, each at constant speed; point, angle
 *               and travel may be left out (zero)
 *     keys      times and poses, lists of as many; a pose is an object with position and rotation,
 *               as a body; spline: "linear" (if left out) or "cubic". They must reach from the
 *               start of the scene to its end
 *     rational  rotations [w, x, y, z] and positions [x, y, z], control points of a rational rigid
 *               motion (ov_motion_create_rational); weights of the positions if not all 1
 *     bezier    controls, each of 12 numbers: the matrix by rows, then the translation; weights if
 *               not all 1. For polygons (ov_motion_create_bezier)
 *
 * A body may also be of kind "polygons", with "vertices" and "faces", lists of indices of these in
 * order around each face: flat and convex (ov_polygons_create). */

/** A scene in motion. Opaque; owns its memory. */
typedef struct ov_motion_scene ov_motion_scene;

/**
 * Reads a scene in motion. Errors as in ov_scene_read, and those of the constructors of motions and
 * polygons; OV_ERROR_TIME where time runs backwards or a motion does not reach from the start to
 * the end.
 */
ov_status ov_motion_scene_read(const char *path, ov_motion_scene **scene, ov_file_error *error);
/** The same from an open stream, to its end. Files are looked for in `folder` (null: "."). */
ov_status ov_motion_scene_read_stream(FILE *stream, const char *folder, ov_motion_scene **scene,
                                      ov_file_error *error);
/** Null is allowed. */
void ov_motion_scene_destroy(ov_motion_scene *scene);

/** "" where there is none. */
const char *ov_motion_scene_title(const ov_motion_scene *scene);
double ov_motion_scene_start(const ov_motion_scene *scene);
double ov_motion_scene_end(const ov_motion_scene *scene);
/** Number of bodies; 0 for null. */
size_t ov_motion_scene_count(const ov_motion_scene *scene);
/** All bodies, ready for ov_sweep_bodies; they live as long as the scene. Null without any. */
const ov_sweep_body *ov_motion_scene_bodies(const ov_motion_scene *scene);
/** Name of a body; null beyond the last. */
const char *ov_motion_scene_name(const ov_motion_scene *scene, size_t index);
/** As ov_scene_file_count and ov_scene_file. */
size_t ov_motion_scene_file_count(const ov_motion_scene *scene);
const char *ov_motion_scene_file(const ov_motion_scene *scene, size_t index);

/* ---- robots: URDF in and out, MJCF, SDFormat, COLLADA and glTF out ----------------------------
 *
 * URDF as ROS has it: boxes, cylinders, spheres, capsules and meshes, and in the namespace
 * OV_URDF_NAMESPACE
 *     <ovoid:superovoid size="a1 a2 a3" exponents="e1 e2" taper="tx ty"/>
 *     <ovoid:cone radius="r" length="2 half_length"/>
 *     <ovoid:polyhedron/>      the convex hull of the mesh beside it
 *     <ovoid:capsule radius="r" length="2 half_length"/>
 * which stand in a <geometry> behind the element that other programs read (a <mesh>). Exponents and
 * taper may be left out (1 1, 0 0); dent_tolerance="t" if not 0.05. A joint may have
 * ovoid:type="spherical". A prefix ovoid: that nobody declared is taken as this namespace; the
 * largest double stands for an infinite limit. */

#define OV_URDF_NAMESPACE "urn:ovoid:urdf:1"

/** Largest robot file in bytes, deepest nesting of its elements, most links. */
#define OV_ROBOT_BYTES_MAX ((size_t)1 << 26)
#define OV_ROBOT_DEPTH_MAX 64
#define OV_ROBOT_LINKS_MAX ((size_t)10000)

/** A collision, or a visual. */
typedef struct ov_robot_shape {
    const char *name;       /**< "" or null where there is none */
    ov_pose pose;           /**< in the link's frame; a rotation of zeros: none */
    ov_shape shape;         /**< OV_SHAPE_KIND_NONE: a mesh as it is */
    const char *mesh_file;  /**< as the file has it, or null */
    const char *mesh_path;  /**< where that was found, or null */
    ov_vec3 mesh_scale;     /**< 1, 1, 1 where it does not matter; all 0: the same */
    const ov_trimesh *mesh; /**< scaled; null for shapes, and for visuals that were not loaded */
    bool has_colour;
    double colour[4]; /**< red, green, blue, alpha, from 0 to 1 */
} ov_robot_shape;

typedef struct ov_robot_link {
    const char *name;
    const ov_robot_shape *collisions, *visuals;
    size_t collision_count, visual_count;
    bool has_inertial;
    ov_pose inertial_pose; /**< a rotation of zeros: none */
    double mass;
    double inertia[6]; /**< xx, xy, xz, yy, yz, zz, about the inertial pose */
} ov_robot_link;

typedef struct ov_robot_joint {
    ov_joint_def def;
    double velocity, effort;  /**< limits; infinite or 0 where there are none; OV_ZERO: of zero */
    double damping, friction; /**< 0 where there are none */
} ov_robot_joint;

/**
 * An element of the file that is for other programs: whatever the robot, a link or a joint has that
 * is not named above, as transmission, gazebo, safety_controller, calibration; and the mimic of a
 * fixed joint, which does not follow. It is kept as it is and written again as URDF; other formats
 * have no place for it.
 */
typedef struct ov_robot_extra {
    const char *name;     /**< of the element */
    const char *text;     /**< all of it */
    uint32_t link, joint; /**< what it stands in; both OV_NO_LINK: the robot itself */
} ov_robot_extra;

/** A robot as its file describes it, with its model. Opaque; owns its memory. */
typedef struct ov_robot ov_robot;

typedef struct ov_robot_options {
    /** Folders for package://NAME/..: of that name themselves, or holding one of that name. The
     *  folders above the robot's file are looked into as well. */
    const char *const *packages;
    size_t package_count;
    bool hulls;   /**< meshes of collisions become convex hulls: faster, and with depths */
    bool visuals; /**< load the meshes of visuals too, and take a missing one as an error */
} ov_robot_options;

/** No packages, no hulls, no visuals. */
ov_robot_options ov_default_robot_options(void);

/**
 * Reads a URDF file. OV_ERROR_FILE_OPEN, OV_ERROR_FILE_READ, OV_ERROR_FILE_FORMAT, OV_ERROR_COUNT
 * (a limit above, or the expansion of entities, is passed), OV_ERROR_MEMORY, or what a constructor
 * answers; `*robot` is then null and `*error` (may be null) tells what is wrong. Nothing outside of
 * the file and its meshes is opened.
 */
ov_status ov_robot_read(const char *path, const ov_robot_options *options, ov_robot **robot,
                        ov_file_error *error);
/** The same from an open stream, to its end; meshes are looked for in `folder` (null: "."). */
ov_status ov_robot_read_stream(FILE *stream, const char *folder, const ov_robot_options *options,
                               ov_robot **robot, ov_file_error *error);
/** A robot from its parts, all of which are copied, meshes too. */
ov_status ov_robot_create(const char *name, const ov_robot_link *links, size_t link_count,
                          const ov_robot_joint *joints, size_t joint_count, ov_robot **robot,
                          ov_file_error *error);
/** Null is allowed. */
void ov_robot_destroy(ov_robot *robot);

const char *ov_robot_name(const ov_robot *robot);
size_t ov_robot_link_count(const ov_robot *robot);
size_t ov_robot_joint_count(const ov_robot *robot);
/** Null beyond the last. */
const ov_robot_link *ov_robot_get_link(const ov_robot *robot, size_t index);
const ov_robot_joint *ov_robot_get_joint(const ov_robot *robot, size_t index);
size_t ov_robot_extra_count(const ov_robot *robot);
const ov_robot_extra *ov_robot_get_extra(const ov_robot *robot, size_t index);
/** Takes all visuals away. Null is allowed. */
void ov_robot_drop_visuals(ov_robot *robot);
/** Its kinematic tree, with links and joints of the same numbers; the collisions are the parts. */
ov_model *ov_robot_model(const ov_robot *robot);

typedef enum ov_robot_format {
    OV_ROBOT_FORMAT_NONE =
        0, /**< not a format: what ov_robot_format_from_path gives for other endings */
    OV_ROBOT_FORMAT_URDF,     /**< .urdf */
    OV_ROBOT_FORMAT_MJCF,     /**< .xml or .mjcf */
    OV_ROBOT_FORMAT_SDFORMAT, /**< .sdf */
    OV_ROBOT_FORMAT_COLLADA,  /**< .dae, through assimp */
    OV_ROBOT_FORMAT_GLTF,     /**< .gltf or .glb, through assimp */
    OV_ROBOT_FORMAT_SCENE     /**< .json: ovoid's own scene, the links as bodies */
} ov_robot_format;

ov_robot_format ov_robot_format_from_path(const char *path);

/**
 * Writes a robot. MJCF leaves out contacts of links that may overlap (ov_model_allow); links that
 * fixed joints hold together never meet there. Meshes that a format needs (smooth bodies have none
 * of their own there) go to the folder NAME_meshes beside the file NAME.ext, and are named by a
 * relative path; each file gets its name when it is complete, and the meshes go again where the
 * file fails. `positions` (null: at rest) matter for COLLADA, glTF and scenes, which have no
 * joints. OV_ERROR_UNSUPPORTED where the format has no such thing, as `*error` says;
 * OV_ERROR_MISSING without assimp; OV_ERROR_FILE_OPEN, OV_ERROR_FILE_WRITE, OV_ERROR_MEMORY.
 */
ov_status ov_robot_write(const char *path, ov_robot_format format, const ov_robot *robot,
                         const double *positions, ov_file_error *error);

/** The links as bodies of a scene, placed by the positions (null: at rest). */
ov_status ov_robot_to_scene(const ov_robot *robot, const double *positions, ov_scene **scene);
/** A scene as a robot: a link for each body, joined to a first link named "world" by fixed joints.
 */
ov_status ov_robot_from_scene(const ov_scene *scene, ov_robot **robot, ov_file_error *error);

/* ---- joint trajectories, as comma-separated values --------------------------------------------
 *
 * The first line names joints in any order, each line after it is a pose: radians and lengths.
 * Joints without a column are at rest. A joint of several positions has a column for each:
 *     planar NAME.x, NAME.y, NAME.angle       spherical NAME.qw, NAME.qx, NAME.qy, NAME.qz
 *     floating NAME.x, NAME.y, NAME.z and those of a spherical one
 * A column `time` is kept beside the poses. Blanks and quotes around a name or number, a carriage
 * return at the end of a line, a byte order mark and blank lines are passed over. */

/** Longest line, in bytes, and most numbers of all poses together. */
#define OV_JOINTS_LINE_MAX ((size_t)1 << 20)
#define OV_JOINTS_NUMBERS_MAX ((size_t)1 << 26)

/** Poses of a model that were read; the arrays are from malloc. */
typedef struct ov_joints {
    size_t count, width; /**< poses; positions of each, as many as the model has */
    double *positions;   /**< count * width, pose after pose */
    double *times;       /**< one a pose; null without a column `time` */
    size_t column_count; /**< of the file; all but this is empty after a failure */
    /** Joints whose column was passed over: they are fixed, or follow another. */
    uint32_t *unused;
    size_t unused_count;
    /** Poses that are beyond a joint's limits: how many, the first one, and the joint there. */
    size_t beyond, beyond_pose;
    uint32_t beyond_joint;
} ov_joints;

/**
 * Reads poses of a model. `strict`: every column must be one that matters, and every pose be within
 * the limits.
 *
 * OV_ERROR_FILE_OPEN, OV_ERROR_FILE_READ; OV_ERROR_FILE_FORMAT for a name that no joint has or that
 * is there twice, for a number that is missing, too much or none, for a line that is too long or
 * not text; OV_ERROR_NOT_FINITE; OV_ERROR_ZERO_DIRECTION for a quaternion without length;
 * OV_ERROR_OPTION beyond a limit where that is not allowed; OV_ERROR_COUNT without any pose, or
 * with too many; OV_ERROR_MEMORY. `*error` (may be null) then tells what is wrong, with the nearest
 * name for a misspelt one.
 */
ov_status ov_joints_read(const char *path, const ov_model *model, bool strict, ov_joints *joints,
                         ov_file_error *error);
/** The same from an open stream, to its end; the stream stays open. */
ov_status ov_joints_read_stream(FILE *stream, const ov_model *model, bool strict, ov_joints *joints,
                                ov_file_error *error);
/** Frees what ov_joints_read gave, and empties it. */
void ov_joints_free(ov_joints *joints);

/* ---- replays: a pair query that can be run again, to the bit ----------------------------------
 */

typedef struct ov_replay {
    ov_shape a, b; /**< of convex kinds, but not custom */
    ov_pose pose_a, pose_b;
    ov_pair_options options;
    bool batch;         /**< asked by ov_pair_contact_batch, not by ov_pair_contact */
    bool has_warm;      /**< the query had a warm start, ... */
    ov_warm_start warm; /**< ... as it was before the query */
    ov_contact contact; /**< the answer that was seen */
} ov_replay;

/**
 * Writes a replay as text with hexadecimal numbers. OV_ERROR_UNSUPPORTED for a custom shape (a
 * function cannot be written) and for modelling kinds; else as ov_scene_write.
 */
ov_status ov_replay_write(const char *path, const ov_replay *replay);
/** The same to an open stream, which is flushed and stays open. */
ov_status ov_replay_write_stream(FILE *stream, const ov_replay *replay);

/**
 * Reads a replay, to be freed with ov_replay_destroy, with the vertices of its polyhedra. Errors as
 * in ov_scene_read.
 */
ov_status ov_replay_read(const char *path, ov_replay **replay, ov_file_error *error);
/** The same from an open stream, to its end. */
ov_status ov_replay_read_stream(FILE *stream, ov_replay **replay, ov_file_error *error);
/** Frees what ov_replay_read gave, and only that. Null is allowed. */
void ov_replay_destroy(ov_replay *replay);

/** Runs the query again, from the same start. Returns contact->status. */
ov_status ov_replay_run(const ov_replay *replay, ov_contact *contact);

#ifdef __cplusplus
}
#endif

#endif
