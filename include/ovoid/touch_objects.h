/**
 * @file touch_objects.h
 * @brief Objects against distance maps: which vertices of a mesh B are in contact with a mapped
 * mesh A, how deeply, and where, zone by zone.
 *
 * An object is a mesh with a tree of balls over its vertices and another over its triangles. A
 * query looks up the distance of a ball's centre, and passes over all that is in the ball if that
 * is further away than its radius and the limit. Objects may deform: their trees are refitted. A
 * may deform too, by bones that its parts follow. Queries allocate nothing.
 */
#ifndef OVOID_TOUCH_OBJECTS_H
#define OVOID_TOUCH_OBJECTS_H

#include <ovoid/touch_map.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Opaque. Queries only read it. */
typedef struct ov_touch_object ov_touch_object;

/** Largest number of zones. */
#define OV_TOUCH_ZONES_MAX 4096

/**
 * Copies a mesh. `triangles` may be null, with a count of 0: then there are no contacts of faces.
 * `zones` has the impact zone of every vertex, from 0, such as the finger that it belongs to; null:
 * all are zone 0. OV_ERROR_NULL, OV_ERROR_COUNT (no vertices, or too many), OV_ERROR_NOT_FINITE,
 * OV_ERROR_SIZE_RANGE, OV_ERROR_INDEX (of a vertex, or a zone of OV_TOUCH_ZONES_MAX or more),
 * OV_ERROR_MEMORY; `*object` is then null.
 */
ov_status ov_touch_object_create(const ov_vec3 *vertices, size_t vertex_count,
                                 const uint32_t (*triangles)[3], size_t triangle_count,
                                 const uint16_t *zones, const ov_allocator *allocator,
                                 ov_touch_object **object);
/** Null is allowed. */
void ov_touch_object_destroy(ov_touch_object *object);
/** Other places for all vertices; the trees keep their structure. No query may run at the same
 *  time. OV_ERROR_NULL, OV_ERROR_NOT_FINITE, OV_ERROR_SIZE_RANGE: the object is then as before. */
ov_status ov_touch_object_deform(ov_touch_object *object, const ov_vec3 *vertices);
/** 0 for null. */
size_t ov_touch_object_vertex_count(const ov_touch_object *object);
/** One more than the largest zone; 0 for null. */
size_t ov_touch_object_zone_count(const ov_touch_object *object);
/** Contains the object, in its own frame. */
ov_ball ov_touch_object_ball(const ov_touch_object *object);

/** A point of B in contact. All in the world. */
typedef struct ov_touch_contact {
    ov_vec3 point;                         /**< of B */
    double distance;                       /**< of the point to A; negative inside */
    double distance_lower, distance_upper; /**< proven */
    ov_vec3 nearest, normal;               /**< of A, as in ov_touch_distance */
    uint32_t vertex;                       /**< of B; UINT32_MAX for a contact of a face */
    uint32_t triangle;                     /**< of B; OV_NO_TRIANGLE for a contact of a vertex */
    uint32_t zone;                         /**< of a face: the zone of its first corner */
    uint32_t part;                         /**< of A; OV_NO_PART where it has no parts */
} ov_touch_contact;

/** The contacts of a zone taken together. Depths are limit - distance. */
typedef struct ov_touch_zone {
    size_t count;
    double depth_sum;
    double depth;             /**< of the deepest */
    ov_vec3 point;            /**< mean of the points, weighted by depth */
    ov_vec3 normal_sum;       /**< of the normals, weighted by depth */
    ov_touch_contact deepest; /**< where there is a contact */
} ov_touch_zone;

/**
 * What queries of one object against one map leave for the next one: lower bounds of distances, to
 * which all motion since is added, so that only what can have come near is looked at. Contacts,
 * zones, distance and its upper bound are the same bits as without it, whatever the motion; the
 * lower bound may be less far. It pays where a pose moves little from query to query, as in a servo
 * loop, and costs little where it does not. Another map, or another or a deformed object, begins
 * anew by itself; with bones, and for limits above some hundredths of the diagonal, nothing is
 * kept.
 *
 * Zeros are a good beginning, but for the room. One query at a time.
 */
typedef struct ov_touch_warm {
    float *room;       /**< yours: ov_touch_object_warm_room numbers, of any value at first */
    size_t room_count; /**< OV_ERROR_COUNT where it is less */

    /* the library's own */
    uint64_t map, object;
    ov_affine placement;
    double moved;
    float edge;
} ov_touch_warm;

/** 0 for null. */
size_t ov_touch_object_warm_room(const ov_touch_object *object);

/** A query, what it works with and what it found. Zero means the default. */
typedef struct ov_touch_query {
    const ov_touch_map *map;
    ov_pose map_pose; /**< a rotation of zeros: none; the same for the others */
    /**
     * Null: A is rigid. Else a pose for every part of the map, by which that part of A is displaced
     * in A's frame: A is then made of what of the solid is in the box of each part, displaced by
     * its bone. The distance of a point is the least of all parts, and for each the larger one of
     * the distances to mesh and box: its sign is that of the deformed A, and outside of A it is
     * never more than the distance. Bounds are of this number.
     */
    const ov_pose *bones;
    const ov_touch_object *object;
    ov_pose object_pose;
    double limit; /**< contact is where the distance is at most this; not negative */
    /** With OV_TOUCH_LEVEL_EXACT also edges and faces of B, where their vertices are not in
     * contact.
     */
    ov_touch_level level;
    bool no_normals;            /**< leaves out normals and nearest points, which take most time */
    ov_touch_contact *contacts; /**< null: they are not listed */
    size_t contact_room;        /**< further contacts are counted, and taken into zones */
    ov_touch_zone *zones;       /**< ov_touch_object_zone_count of them; null: not wanted */
    ov_touch_warm *warm;        /**< of the queries before; null: none */

    size_t contact_count;  /**< of all contacts */
    double distance;       /**< least one of the contacts; infinite where there are none */
    double distance_lower; /**< of all vertices, and at OV_TOUCH_LEVEL_EXACT of all of B: proven */
    double distance_upper; /**< infinite where there are no contacts */
    ov_status status;
} ov_touch_query;

/**
 * Contacts of B with A. The order of contacts is that of the tree, the same on every machine.
 * OV_NOT_CONVERGED where something is too near to the surface to tell its side, or a face was
 * divided often without an end; all bounds hold. OV_ERROR_NULL, OV_ERROR_NOT_FINITE,
 * OV_ERROR_ZERO_DIRECTION, OV_ERROR_SIZE_RANGE (beyond OV_TOUCH_SIZE_MAX), OV_ERROR_OPTION (level,
 * limit), OV_ERROR_COUNT (the
 * room of `warm`): nothing was found then. The status is in the query too.
 */
ov_status ov_touch_object_contacts(ov_touch_query *query);
/** Many queries, on several threads; none may share contacts or zones with another. Returns the
 *  first negative status, or the first that is not OV_OK. `threads` may be null. */
ov_status ov_touch_object_contacts_batch(ov_touch_query *queries, size_t count,
                                         const ov_threads *threads);

#ifdef __cplusplus
}
#endif

#endif
