/**
 * @file io_mesh.h
 * @brief Meshes and point clouds in and out, and convex hulls of point clouds.
 *
 * Part of `libovoid_io`.
 */
#ifndef OVOID_IO_MESH_H
#define OVOID_IO_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <ovoid/io_file.h>
#include <ovoid/math.h>
#include <ovoid/shape.h>
#include <ovoid/status.h>
#include <ovoid/trimesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- convex hulls ---------------------------------------------------------------------------- */

/** Largest number of points of a cloud. */
#define OV_HULL_POINTS_MAX ((size_t)1 << 28)

/** Convex hull of a point cloud: vertices and triangles. Opaque; owns its memory. */
typedef struct ov_hull ov_hull;

/**
 * Convex hull of a point cloud, by qhull.
 *
 * The triangles are outward counter-clockwise and closed, and pass all checks of
 * ov_shape_make_polyhedron. Only the corners of the hull are kept, unchanged and in the order of
 * the cloud; equal points count once. Where points are within rounding error of each other, some
 * may be left out that lie outside the hull by less than 1e-11 of the cloud's extent. The same
 * cloud gives the same hull.
 *
 * OV_ERROR_COUNT below 4 points or above OV_HULL_POINTS_MAX, OV_ERROR_NOT_FINITE,
 * OV_ERROR_SIZE_RANGE (a coordinate beyond OV_SIZE_MAX, or a cloud thinner than OV_SIZE_MIN),
 * OV_ERROR_DEGENERATE (all points in a plane, or the cloud thinner than 1e-12 of its extent, or so
 * thin that rounding leaves no convex surface), OV_ERROR_MEMORY. On failure `*hull` is null.
 */
ov_status ov_hull_create(const ov_vec3 *points, size_t count, ov_hull **hull);

/** Frees a hull; do not use shapes made from it any more. Null is allowed. */
void ov_hull_destroy(ov_hull *hull);

/** Number of vertices; 0 for null. */
size_t ov_hull_vertex_count(const ov_hull *hull);
/** Number of triangles; 0 for null. */
size_t ov_hull_triangle_count(const ov_hull *hull);
/** The vertices; they live as long as the hull. */
const ov_vec3 *ov_hull_vertices(const ov_hull *hull);
/** The index in the cloud of each vertex, ascending. */
const uint32_t *ov_hull_sources(const ov_hull *hull);
/** The triangles, as indices of vertices; they live as long as the hull. */
const uint32_t (*ov_hull_triangles(const ov_hull *hull))[3];

/** The hull as a polyhedron with triangles. The shape refers to the hull, which must outlive it. */
ov_status ov_hull_shape(const ov_hull *hull, ov_shape *shape);

/* ---- meshes out ------------------------------------------------------------------------------ */

typedef enum ov_mesh_format {
    OV_MESH_FORMAT_NONE =
        0,                  /**< no format: ov_mesh_format_from_path returns it for other endings */
    OV_MESH_FORMAT_OBJ,     /**< text; with normals; numbers read back exactly */
    OV_MESH_FORMAT_STL,     /**< binary; 32-bit floats, the normals are those of the triangles */
    OV_MESH_FORMAT_PLY,     /**< binary little endian; 64-bit floats, with normals */
    OV_MESH_FORMAT_COLLADA, /**< .dae; can only be read */
    OV_MESH_FORMAT_OFF      /**< text; can only be read */
} ov_mesh_format;

/** Format by the ending of a file name: .obj, .stl, .ply, .off or .dae, in upper or lower case. */
ov_mesh_format ov_mesh_format_from_path(const char *path);

/**
 * Writes a triangle mesh to a file; `normals` (one per vertex) may be null.
 *
 * The file appears under its name only when it is complete, as with ov_file_out_open.
 *
 * OV_ERROR_COUNT for no vertices or no triangles, or more than 2^32 - 1 of either;
 * OV_ERROR_NOT_FINITE; OV_ERROR_INDEX; OV_ERROR_SIZE_RANGE if a coordinate is too large, or all are
 * too small, for the 32-bit floats of STL; OV_ERROR_OPTION for an unknown format. All of this is
 * checked before anything is written. OV_ERROR_FILE_OPEN, OV_ERROR_FILE_WRITE, OV_ERROR_MEMORY.
 */
ov_status ov_mesh_write(const char *path, ov_mesh_format format, const ov_vec3 *vertices,
                        const ov_vec3 *normals, size_t vertex_count, const uint32_t (*triangles)[3],
                        size_t triangle_count);

/** The same to an open stream, in binary mode, which is flushed and stays open. */
ov_status ov_mesh_write_stream(FILE *stream, ov_mesh_format format, const ov_vec3 *vertices,
                               const ov_vec3 *normals, size_t vertex_count,
                               const uint32_t (*triangles)[3], size_t triangle_count);

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
 * byte order), OFF (text) and COLLADA. Polygons are cut into triangles. For COLLADA, all geometries
 * of the scene are read, placed by their nodes and converted to metres with z up. Vertices that no
 * triangle uses are left out. Equal vertices of STL become one. OV_ERROR_FILE_OPEN,
 * OV_ERROR_FILE_READ, OV_ERROR_FILE_FORMAT, OV_ERROR_NOT_FINITE, OV_ERROR_INDEX,
 * OV_ERROR_SIZE_RANGE, OV_ERROR_COUNT (no triangles, or more than OV_TRIMESH_MAX), OV_ERROR_MEMORY;
 * the mesh is then empty and `*fault` (may be null) says what is wrong, with the line if the format
 * has lines.
 */
ov_status ov_mesh_read(const char *path, ov_mesh_data *mesh, ov_fault *fault);
/** The same from a block of memory in a given format. */
ov_status ov_mesh_read_memory(const void *bytes, size_t size, ov_mesh_format format,
                              ov_mesh_data *mesh, ov_fault *fault);
/** Frees a mesh from ov_mesh_read, and empties it. */
void ov_mesh_free(ov_mesh_data *mesh);

/* ---- point clouds in ------------------------------------------------------------------------- */

/** Longest line of a point file, comments excepted. */
#define OV_POINTS_LINE_MAX 4096
/** Largest number of points in a file. */
#define OV_POINTS_MAX ((size_t)1 << 28)

/**
 * Reads a point cloud from a text file.
 *
 * Either lines `x y z`, or the `v x y z` lines of an OBJ file (its other statements are ignored;
 * after x y z a weight or a colour may follow). The first line that is not blank decides which.
 * Numbers are decimal, separated by spaces, tabs or single commas. Blank lines and everything after
 * a # are ignored.
 *
 * On success `*points` is an array of `*count` points; free it with ov_points_free. On failure
 * it is null, and `*fault` (may be null) names the offending line: OV_ERROR_FILE_OPEN,
 * OV_ERROR_FILE_READ, OV_ERROR_FILE_FORMAT (not a line of three numbers, or longer than
 * OV_POINTS_LINE_MAX), OV_ERROR_NOT_FINITE, OV_ERROR_SIZE_RANGE (beyond OV_SIZE_MAX),
 * OV_ERROR_COUNT (no points, or more than OV_POINTS_MAX), OV_ERROR_MEMORY.
 */
ov_status ov_points_read(const char *path, ov_vec3 **points, size_t *count, ov_fault *fault);

/** The same from an open stream, to its end; the stream stays open. */
ov_status ov_points_read_stream(FILE *stream, ov_vec3 **points, size_t *count, ov_fault *fault);

/**
 * The vertices of a mesh file (ov_mesh_read), all of them, whether triangles use them or not: PLY
 * and other formats of meshes often hold clouds. `*points` is to be freed with ov_points_free.
 * Errors as of ov_mesh_read, but that there need be no triangles; OV_ERROR_COUNT without a vertex.
 */
ov_status ov_mesh_read_points(const char *path, ov_vec3 **points, size_t *count, ov_fault *fault);

/** Frees points from ov_points_read or ov_mesh_read_points. Null is allowed. */
void ov_points_free(ov_vec3 *points);

#ifdef __cplusplus
}
#endif

#endif
