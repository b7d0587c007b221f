/**
 * @file trimesh.h
 * @brief Triangle meshes: solids where they are closed, surfaces where they are not.
 *
 * A mesh is opaque, made by a create and freed by a destroy function, with the caller's allocator
 * if there is one. All answers keep the promises of ovoid/query.h: bounds hold for the mesh as
 * given, rounding included.
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
/** Stands for "none" as an index of a triangle. */
#define OV_NO_TRIANGLE UINT32_MAX

/**
 * Triangles with a bounding-volume hierarchy (BVH). They need not be closed, oriented or connected;
 * the create function finds out whether they are. A mesh never changes, so bodies, worlds and
 * threads may share it. Opaque.
 *
 * A *closed shell* is a set of triangles that are connected by their edges (vertices with equal
 * coordinates are one), in which each edge occurs equally often in both directions: it is closed
 * and consistently oriented. Its inside is solid, so anything inside is in contact. All other
 * triangles are a surface, which has no inside.
 *
 * Several shells make one solid: all points whose total winding number is not zero. So a mesh that
 * is turned inside out is the same solid. A shell inside another one with the opposite orientation
 * is a cavity; one with the same orientation changes nothing. A shell that encloses nothing, such
 * as a sheet with two sides, is a surface.
 */
typedef struct ov_trimesh ov_trimesh;

/**
 * Copies vertices and triangles, builds the BVH and looks for closed shells. Triangles without area
 * are allowed: they are segments or points. OV_ERROR_NULL, OV_ERROR_COUNT (none, or too many),
 * OV_ERROR_NOT_FINITE, OV_ERROR_SIZE_RANGE (a coordinate beyond OV_SIZE_MAX), OV_ERROR_INDEX,
 * OV_ERROR_MEMORY; `*mesh` is then null. `allocator` may be null.
 */
ov_status ov_trimesh_create(const ov_vec3 *vertices, size_t vertex_count,
                            const uint32_t (*triangles)[3], size_t triangle_count,
                            const ov_allocator *allocator, ov_trimesh **mesh);
/** The same, but the mesh is a surface even where it is closed. */
ov_status ov_trimesh_create_surface(const ov_vec3 *vertices, size_t vertex_count,
                                    const uint32_t (*triangles)[3], size_t triangle_count,
                                    const ov_allocator *allocator, ov_trimesh **mesh);
/** Null is allowed. */
void ov_trimesh_destroy(ov_trimesh *mesh);

size_t ov_trimesh_vertex_count(const ov_trimesh *mesh);
size_t ov_trimesh_triangle_count(const ov_trimesh *mesh);
const ov_vec3 *ov_trimesh_vertices(const ov_trimesh *mesh);
const uint32_t (*ov_trimesh_triangles(const ov_trimesh *mesh))[3];
/** Does the mesh have an inside, that is at least one closed shell? */
bool ov_trimesh_is_solid(const ov_trimesh *mesh);
/** Was it made by ov_trimesh_create_surface? */
bool ov_trimesh_is_surface(const ov_trimesh *mesh);
/**
 * Number of triangles that are only a surface, not counting those with equal corners. 0 for a
 * closed mesh.
 */
size_t ov_trimesh_open_count(const ov_trimesh *mesh);
/** Box along the axes of the mesh's frame, and a ball; both contain the mesh. */
ov_aabb ov_trimesh_box(const ov_trimesh *mesh);
ov_ball ov_trimesh_ball(const ov_trimesh *mesh);

/** A contact of a mesh (A) with a shape or another mesh (B), and the triangles that it is of. */
typedef struct ov_trimesh_contact {
    uint32_t triangle_a, triangle_b; /**< OV_NO_TRIANGLE for a shape */
    ov_contact contact;
} ov_trimesh_contact;

/** Receives a contact; return false to end the query, which then returns OV_OK. */
typedef bool (*ov_trimesh_visit)(void *user, const ov_trimesh_contact *contact);

/**
 * Mesh (A) against a convex shape (B): the triangle with the least gap. `limit` (may be infinite):
 * if the gap is proven to be larger, the query may end early. The contact is then
 * OV_RELATION_SEPARATED with gap_lower > limit; triangle, points, gap and gap_upper are those of
 * some triangle, and the status is OV_NOT_CONVERGED if the bounds are further apart than the
 * tolerance.
 *
 * Solids: a shape that crosses the surface of a closed shell, or lies wholly inside, overlaps.
 * gap_lower is proven: the translation by -gap_lower along the normal separates. It is the shortest
 * of a few translations that are tried, past the nearest wall and out of the hull of the mesh;
 * there may be a shorter one. gap_upper is proven from the other side: for a shape inside, the
 * depth is at least the distance to the surface. With OV_DEPTH_PROVEN the status is
 * OV_NOT_CONVERGED if the two are further apart than the tolerance. The points are on the surfaces,
 * and triangle_a is where the shape leaves. Unlike those of convex pairs, they are where the
 * surfaces are nearest after that translation, so normal . (point_b - point_a) need not be the gap.
 * If a shape is too close to the surface to tell on which side it is, the relation is
 * OV_RELATION_UNDECIDED. For half-spaces the corners of the mesh decide, whether it is solid or
 * not.
 *
 * Surfaces: if the shape penetrates several triangles, the gap is that of the deepest one, that is
 * minus the length of the shortest translation out of that triangle alone.
 */
ov_status ov_trimesh_shape_contact(const ov_trimesh *mesh, ov_pose mesh_pose, const ov_shape *shape,
                                   ov_pose shape_pose, double limit, const ov_pair_options *options,
                                   ov_trimesh_contact *contact);
/** Mesh against mesh, by the same rules. Triangles of surfaces that cross have the gap of their
 *  pair. A component of one mesh that lies wholly inside the other is found, too. */
ov_status ov_trimesh_pair_contact(const ov_trimesh *a, ov_pose pose_a, const ov_trimesh *b,
                                  ov_pose pose_b, double limit, const ov_pair_options *options,
                                  ov_trimesh_contact *contact);

/** All triangles whose gap to the shape is not proven to be more than `limit`, in the order of the
 *  BVH. Each triangle is queried by itself, so these are contacts with the surface even of a solid.
 */
ov_status ov_trimesh_shape_contacts(const ov_trimesh *mesh, ov_pose mesh_pose,
                                    const ov_shape *shape, ov_pose shape_pose, double limit,
                                    const ov_pair_options *options, ov_trimesh_visit visit,
                                    void *user);
/** All pairs of triangles, by the same rules. */
ov_status ov_trimesh_pair_contacts(const ov_trimesh *a, ov_pose pose_a, const ov_trimesh *b,
                                   ov_pose pose_b, double limit, const ov_pair_options *options,
                                   ov_trimesh_visit visit, void *user);

/** As ov_ray_cast; the normal is that of the triangle, facing the ray. `triangle` may be null. A
 *  ray that begins inside a solid hits at 0 with OV_NO_TRIANGLE. */
ov_status ov_trimesh_ray_cast(const ov_trimesh *mesh, ov_pose pose, ov_vec3 origin,
                              ov_vec3 direction, double reach, ov_ray_hit *hit, uint32_t *triangle);

/** As ov_shape_cast: the shape (A) translated along `translation` against the resting mesh (B). The
 *  contact is that with the triangle, or with the solid if the shape overlaps it at the start. */
ov_status ov_trimesh_shape_cast(const ov_shape *shape, ov_pose shape_pose, ov_vec3 translation,
                                const ov_trimesh *mesh, ov_pose mesh_pose,
                                const ov_pair_options *options, ov_cast_hit *hit,
                                uint32_t *triangle);

#ifdef __cplusplus
}
#endif

#endif
