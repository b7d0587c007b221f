/**
 * @file trimesh.h
 * @brief Triangle meshes: solids where they are closed, surfaces where they are not.
 *
 * A mesh is opaque, made by a create and freed by a destroy function, by the caller's allocator if
 * one is given. All answers keep the promises of ovoid/query.h: bounds hold for the mesh as given,
 * rounding included.
 */
#ifndef OVOID_TRIMESH_H
#define OVOID_TRIMESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ovoid/math.h>
#include <ovoid/query.h>
#include <ovoid/shape.h>
#include <ovoid/status.h>
#include <ovoid/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Largest numbers of vertices and of triangles. */
#define OV_TRIMESH_MAX ((size_t)1 << 27)
/** "None" where an index of a triangle stands. */
#define OV_NO_TRIANGLE UINT32_MAX

/**
 * Triangles with a tree of boxes over them. They need not be closed, oriented or connected; whether
 * they are is found out when the mesh is made. Never changes, so it may be shared by bodies, worlds
 * and threads. Opaque.
 *
 * A *closed shell* is a set of triangles that hang together by their edges (vertices with equal
 * coordinates are one), each edge of which is run through as often one way as the other: closed,
 * and oriented consistently. Its inside is solid: what is there is in contact. All other triangles
 * are a surface, which has no inside.
 *
 * Several shells make one solid of the points that they wind round, in all, a number of times other
 * than zero. So a mesh that is turned inside out is the same solid; a shell within another that is
 * turned the other way round is a cavity, in which there is room; one that is turned the same way
 * changes nothing. What winds round nothing, as a sheet with two sides, is a surface.
 */
typedef struct ov_trimesh ov_trimesh;

/**
 * Copies vertices and triangles, builds the tree and looks for closed shells. Triangles without
 * area are allowed: they are segments or points. OV_ERROR_NULL, OV_ERROR_COUNT (none, or too many),
 * OV_ERROR_NOT_FINITE, OV_ERROR_SIZE_RANGE (a coordinate beyond OV_SIZE_MAX), OV_ERROR_INDEX,
 * OV_ERROR_MEMORY; `*mesh` is then null. `allocator` may be null.
 */
ov_status ov_trimesh_create(const ov_vec3 *vertices, size_t vertex_count,
                            const uint32_t (*triangles)[3], size_t triangle_count,
                            const ov_allocator *allocator, ov_trimesh **mesh);
/** The same, but all of it is a surface, closed or not. */
ov_status ov_trimesh_create_surface(const ov_vec3 *vertices, size_t vertex_count,
                                    const uint32_t (*triangles)[3], size_t triangle_count,
                                    const ov_allocator *allocator, ov_trimesh **mesh);
/** Null is allowed. */
void ov_trimesh_destroy(ov_trimesh *mesh);

size_t ov_trimesh_vertex_count(const ov_trimesh *mesh);
size_t ov_trimesh_triangle_count(const ov_trimesh *mesh);
const ov_vec3 *ov_trimesh_vertices(const ov_trimesh *mesh);
const uint32_t (*ov_trimesh_triangles(const ov_trimesh *mesh))[3];
/** Has the mesh an inside: a closed shell at least? */
bool ov_trimesh_is_solid(const ov_trimesh *mesh);
/** Was it made by ov_trimesh_create_surface? */
bool ov_trimesh_is_surface(const ov_trimesh *mesh);
/**
 * Number of triangles that are a surface only; those that have equal corners do not count. 0 for a
 * mesh that is closed altogether.
 */
size_t ov_trimesh_open_count(const ov_trimesh *mesh);
/** Box along the axes of the mesh's frame, and a ball; both hold the mesh. */
ov_aabb ov_trimesh_box(const ov_trimesh *mesh);
ov_ball ov_trimesh_ball(const ov_trimesh *mesh);

/** A contact of a mesh: of which triangle, and of which one of the other mesh, if it is one. */
typedef struct ov_trimesh_contact {
    uint32_t triangle_a, triangle_b; /**< OV_NO_TRIANGLE for a shape */
    ov_contact contact;
} ov_trimesh_contact;

/** Takes a contact; false ends the query, which then returns OV_OK. */
typedef bool (*ov_trimesh_visit)(void *user, const ov_trimesh_contact *contact);

/**
 * Mesh (A) against a convex shape (B): the triangle with the least gap. `limit` (may be infinite):
 * where the gap is proven to be more, the query may end early; the contact is then
 * OV_RELATION_SEPARATED with gap_lower > limit, triangle and points are of some triangle, gap and
 * gap_upper are of that triangle, and the status is OV_NOT_CONVERGED if the bounds are further
 * apart than the tolerance.
 *
 * Solids: a shape that crosses the surface of a closed shell, or is wholly inside, overlaps.
 * gap_lower is proven: the translation by -gap_lower along the normal does separate. It is the
 * shortest of those that were tried, past the nearest wall and out of the hull of the mesh; there
 * may be a shorter one. gap_upper is proven from the other side: no less than the distance to the
 * surface, for a shape inside. With OV_DEPTH_PROVEN the status is OV_NOT_CONVERGED where the two
 * are further apart than the tolerance. Points are on the surfaces, triangle_a is where the
 * shape leaves; unlike those of convex pairs they are where the surfaces are nearest after that
 * translation, so that normal.(point_b - point_a) need not be the gap. Where a shape is too near to
 * the surface to tell the side that it is on, the relation is OV_RELATION_UNDECIDED. Half-spaces
 * are asked by the corners of the mesh, solid or not.
 *
 * Surfaces: where several triangles are penetrated, the gap is that of the deepest, the least
 * translation out of that triangle alone.
 */
ov_status ov_trimesh_shape_contact(const ov_trimesh *mesh, ov_pose mesh_pose, const ov_shape *shape,
                                   ov_pose shape_pose, double limit, const ov_pair_options *options,
                                   ov_trimesh_contact *contact);
/** Mesh against mesh, by the same rules. Triangles of surfaces that cross have the gap of their
 *  pair. A piece of one mesh that is wholly inside of the other is found, too. */
ov_status ov_trimesh_pair_contact(const ov_trimesh *a, ov_pose pose_a, const ov_trimesh *b,
                                  ov_pose pose_b, double limit, const ov_pair_options *options,
                                  ov_trimesh_contact *contact);

/** All triangles whose gap to the shape is not proven to be more than `limit`, in the order of the
 *  tree. Each is asked by itself, so these are contacts of the surface, of solids too. */
ov_status ov_trimesh_shape_contacts(const ov_trimesh *mesh, ov_pose mesh_pose,
                                    const ov_shape *shape, ov_pose shape_pose, double limit,
                                    const ov_pair_options *options, ov_trimesh_visit visit,
                                    void *user);
/** All pairs of triangles, by the same rules. */
ov_status ov_trimesh_pair_contacts(const ov_trimesh *a, ov_pose pose_a, const ov_trimesh *b,
                                   ov_pose pose_b, double limit, const ov_pair_options *options,
                                   ov_trimesh_visit visit, void *user);

/** As ov_ray_cast; the normal is that of the triangle, against the ray. `triangle` may be null. A
 *  ray that begins inside of a solid hits at 0, and no triangle. */
ov_status ov_trimesh_ray_cast(const ov_trimesh *mesh, ov_pose pose, ov_vec3 origin,
                              ov_vec3 direction, double reach, ov_ray_hit *hit, uint32_t *triangle);

/** As ov_shape_cast: the shape (A) moved along `translation` against the resting mesh (B). The
 *  contact is that with the triangle; where the shape overlaps a solid at the start, that with the
 *  solid. */
ov_status ov_trimesh_shape_cast(const ov_shape *shape, ov_pose shape_pose, ov_vec3 translation,
                                const ov_trimesh *mesh, ov_pose mesh_pose,
                                const ov_pair_options *options, ov_cast_hit *hit,
                                uint32_t *triangle);

#ifdef __cplusplus
}
#endif

#endif
