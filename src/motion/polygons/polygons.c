/**
 * @file polygons.c
 * @brief Surfaces of flat convex polygons: checked, copied, each given its plane, and a tree of
 * boxes over all of them.
 *
 * Corners that were rounded are not in one plane, and polygons with corners on a straight side not
 * quite convex. Both is allowed up to a millionth of the polygon's radius. The sweep takes the
 * polygon as the flat convex one next to it: `deviation`, the most that a corner is out of the
 * plane plus the most that one is beyond the line of another's side, is the distance of the two at
 * most, and is added to whatever is between polygons.
 *
 * [Toleranced, 7] takes convex polygons only, too; others can be divided.
 *
 * The boxes of the tree are minima and maxima of given numbers, so they are exact. It may be
 * searched by recursion: a tree that was built and never changed is less than OVI_BVH_STACK
 * deep.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "../../math/fault.h"
#include "../../math/rounding_mode.h"
#include "../../shape/shape_internal.h"
#include "polygons.h"

/** Of the radius: how far a corner may be out of the plane, or beyond a side. */
#define TOLERANCE 1e-6
/** Twice the area, of the square of the radius: no normal can be trusted below. */
#define NO_AREA 1e-12
/** More than the rounding of a coordinate in the frame of a polygon, of its radius. */
#define ROUNDING (16.0 * DBL_EPSILON)

static const double TURN = 6.283185307179586;

/* ---- one polygon */

/** What is wrong with a polygon; `text` is null where all is well. */
typedef struct verdict {
    ov_status status;
    const char *text;
} verdict;

static const verdict GOOD = {OV_OK, NULL};

static ov_vec3 from_centre(const ov_polygons *s, const ovi_polygon *p, size_t index) {
    return ov_vec3_sub(ovi_polygon_corner(s, p, index % p->count), p->centre);
}

/** Sets centre and radius; false where two neighbours are one. */
static bool find_centre(const ov_polygons *s, ovi_polygon *p) {
    // from the first corner: the sum of far coordinates would lose digits
    ov_vec3 first = ovi_polygon_corner(s, p, 0), sum = {0.0, 0.0, 0.0};
    bool apart = true;
    for (size_t i = 0; i < p->count; i++) {
        ov_vec3 a = ovi_polygon_corner(s, p, i), b = ovi_polygon_corner(s, p, (i + 1) % p->count);
        sum = ov_vec3_add(sum, ov_vec3_sub(a, first));
        apart = apart && (a.x != b.x || a.y != b.y || a.z != b.z);
    }
    p->centre = ov_vec3_add_scaled(first, sum, 1.0 / p->count);
    p->radius = 0.0;
    for (size_t i = 0; i < p->count; i++) {
        p->radius = fmax(p->radius, ov_vec3_length(from_centre(s, p, i)));
    }
    p->radius *= 1.0 + ROUNDING;
    return apart;
}

/** Sets the frame, normal by the areas of a fan; false where there is no area. */
static bool find_plane(const ov_polygons *s, ovi_polygon *p) {
    ov_vec3 sum = {0.0, 0.0, 0.0}, side = {0.0, 0.0, 0.0};
    double longest = 0.0;
    for (size_t i = 0; i < p->count; i++) {
        ov_vec3 a = from_centre(s, p, i), b = from_centre(s, p, i + 1), e = ov_vec3_sub(b, a);
        sum = ov_vec3_add(sum, ov_vec3_cross(a, e));
        if (ov_vec3_dot(e, e) > longest) {
            longest = ov_vec3_dot(e, e);
            side = e;
        }
    }
    if (!(ov_vec3_length(sum) > NO_AREA * p->radius * p->radius)) {
        return false;
    }
    p->normal = ov_vec3_normalize(sum);
    side = ov_vec3_add_scaled(side, p->normal, -ov_vec3_dot(side, p->normal));
    p->p = ov_vec3_normalize(side);
    p->q = ov_vec3_normalize(ov_vec3_cross(p->normal, p->p));
    return true;
}

/** How far the corners are out of the plane. */
static double unevenness(const ov_polygons *s, const ovi_polygon *p) {
    double most = 0.0;
    for (size_t i = 0; i < p->count; i++) {
        most = fmax(most, fabs(ov_vec3_dot(p->normal, from_centre(s, p, i))));
    }
    return most;
}

/** How far corners are beyond the lines of the sides; infinite where it winds more than once. */
static double hollowness(const ov_polygons *s, const ovi_polygon *p) {
    double most = 0.0, turned = 0.0;
    for (size_t i = 0; i < p->count; i++) {
        ov_vec3 a = from_centre(s, p, i), b = from_centre(s, p, i + 1);
        ov_vec3 side = ov_vec3_sub(b, a), next = ov_vec3_sub(from_centre(s, p, i + 2), b);
        ov_vec3 inward = ov_vec3_normalize(ov_vec3_cross(p->normal, side));
        for (size_t k = 0; k < p->count; k++) {
            most = fmax(most, -ov_vec3_dot(inward, ov_vec3_sub(from_centre(s, p, k), a)));
        }
        turned += atan2(ov_vec3_dot(p->normal, ov_vec3_cross(side, next)), ov_vec3_dot(side, next));
    }
    return fabs(turned - TURN) < 1.0 ? most : INFINITY;
}

static verdict make_polygon(const ov_polygons *s, ovi_polygon *p) {
    if (!find_centre(s, p)) {
        return (verdict){OV_ERROR_DEGENERATE, "two neighbouring corners are the same"};
    }
    if (!(p->radius >= OV_SIZE_MIN)) {
        return (verdict){OV_ERROR_SIZE_RANGE, "the polygon is too small"};
    }
    if (!find_plane(s, p)) {
        return (verdict){OV_ERROR_DEGENERATE, "the polygon has no area"};
    }
    double uneven = unevenness(s, p);
    if (!(uneven <= TOLERANCE * p->radius)) {
        return (verdict){OV_ERROR_NOT_FLAT, "a corner is out of the plane of the others"};
    }
    double hollow = hollowness(s, p);
    if (!(hollow <= TOLERANCE * p->radius)) {
        return (verdict){OV_ERROR_NOT_CONVEX, "the polygon is not convex"};
    }
    p->deviation = uneven + hollow + ROUNDING * p->radius;
    return GOOD;
}

/* ---- the surface */

/** Nothing in particular is to blame. */
static const size_t NO_POLYGON = SIZE_MAX;

static ov_status refuse(ov_fault *fault, size_t polygon, ov_status status, const char *text) {
    ov_fault_place place = polygon != NO_POLYGON ? OV_FAULT_PLACE_POLYGON : OV_FAULT_PLACE_NONE;
    return ovi_fault_set(fault, status, place, polygon, text);
}

/** Numbers of corners, and their indices. */
static ov_status check_corners(size_t vertex_count, const uint32_t *corners, const uint32_t *sizes,
                               size_t count, size_t *total, ov_fault *fault) {
    *total = 0;
    for (size_t i = 0; i < count; i++) {
        if (sizes[i] < 3 || sizes[i] > OV_POLYGON_CORNERS_MAX) {
            return refuse(fault, i, OV_ERROR_COUNT, "a polygon has 3 to 1024 corners");
        }
        *total += sizes[i];
        if (*total > OV_POLYGONS_MAX) {
            return refuse(fault, NO_POLYGON, OV_ERROR_COUNT, "there are too many corners");
        }
    }
    size_t next = 0;
    for (size_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < sizes[i]; k++) {
            if (corners[next++] >= vertex_count) {
                return refuse(fault, i, OV_ERROR_INDEX,
                              "a corner names a vertex that is not there");
            }
        }
    }
    return OV_OK;
}

static ov_status check_vertices(const ov_vec3 *vertices, size_t count, ov_fault *fault) {
    ov_status status = OV_OK;
    for (size_t i = 0; i < count && status != OV_ERROR_NOT_FINITE; i++) {
        ov_status at = ovi_check_position(vertices[i]);
        status = at != OV_OK ? at : status;
    }
    return status == OV_OK ? status
                           : refuse(fault, NO_POLYGON, status,
                                    status == OV_ERROR_NOT_FINITE
                                        ? "a coordinate of a vertex is not a finite number"
                                        : "a coordinate of a vertex is too large");
}

/* ---- the tree of boxes */

static ov_aabb box_of(const ov_polygons *s, const ovi_polygon *polygon) {
    ov_vec3 first = ovi_polygon_corner(s, polygon, 0);
    ov_aabb box = {first, first};
    for (size_t i = 1; i < polygon->count; i++) {
        ov_vec3 v = ovi_polygon_corner(s, polygon, i);
        box = ovi_box_union(&box, &(ov_aabb){v, v});
    }
    return box;
}

static bool build_tree(ov_polygons *s) {
    s->tree = ovi_bvh_empty();
    uint32_t *order = ovi_resize(&s->allocator, NULL, 0, s->count, sizeof *order);
    bool good = order != NULL && ovi_bvh_reserve(&s->tree, &s->allocator, s->count);
    if (good) {
        // leaves without a tree above them, which the build makes
        for (size_t i = 0; i < s->count; i++) {
            s->tree.nodes[i] = (ovi_bvh_node){.box = box_of(s, &s->polygons[i]),
                                              .parent = OVI_NO_NODE,
                                              .child = {OVI_NO_NODE, (uint32_t)i}};
        }
        s->tree.used = s->tree.leaves = (uint32_t)s->count;
        good = ovi_bvh_rebuild(&s->tree, &s->allocator, order);
    }
    ovi_release(&s->allocator, order, s->count, sizeof *order);
    return good;
}

/* ---- the whole */

/** The mesh of the fans, and the geometry with that as its one part. */
static ov_status make_geometry(ov_polygons *s) {
    size_t triangles = s->corner_count - 2 * s->count, made = 0;
    uint32_t(*fan)[3] = ovi_resize(&s->allocator, NULL, 0, triangles, sizeof *fan);
    if (fan == NULL) {
        return OV_ERROR_MEMORY;
    }
    for (size_t i = 0; i < s->count; i++) {
        const uint32_t *c = s->corners + s->polygons[i].first;
        for (size_t k = 2; k < s->polygons[i].count; k++, made++) {
            fan[made][0] = c[0];
            fan[made][1] = c[k - 1];
            fan[made][2] = c[k];
        }
    }
    ov_status status = ov_trimesh_create(s->vertices, s->vertex_count, (const uint32_t(*)[3])fan,
                                         triangles, &s->allocator, &s->mesh);
    ovi_release(&s->allocator, fan, triangles, sizeof *fan);
    if (status == OV_OK) {
        ov_part part = {.mesh = s->mesh, .pose = ov_pose_identity()};
        status = ov_geometry_create(&part, 1, &s->allocator, &s->geometry);
    }
    return status;
}

/** Copies the input and makes the rest. */
static ov_status fill(ov_polygons *s, const ov_vec3 *vertices, const uint32_t *corners,
                      const uint32_t *sizes, ov_fault *fault) {
    const ov_allocator *memory = &s->allocator;
    s->vertices = ovi_resize(memory, NULL, 0, s->vertex_count, sizeof *s->vertices);
    s->corners = ovi_resize(memory, NULL, 0, s->corner_count, sizeof *s->corners);
    s->polygons = ovi_resize(memory, NULL, 0, s->count, sizeof *s->polygons);
    if (s->vertices == NULL || s->corners == NULL || s->polygons == NULL) {
        return refuse(fault, NO_POLYGON, OV_ERROR_MEMORY, "there is not enough memory");
    }
    memcpy(s->vertices, vertices, s->vertex_count * sizeof *vertices);
    memcpy(s->corners, corners, s->corner_count * sizeof *corners);
    uint32_t next = 0;
    for (size_t i = 0; i < s->count; i++) {
        ovi_polygon *p = &s->polygons[i];
        *p = (ovi_polygon){.first = next, .count = sizes[i]};
        next += sizes[i];
        verdict found = make_polygon(s, p);
        if (found.text != NULL) {
            return refuse(fault, i, found.status, found.text);
        }
        s->deviation = fmax(s->deviation, p->deviation);
        s->reach = fmax(s->reach, ov_vec3_length(p->centre) * (1.0 + ROUNDING) + p->radius);
    }
    ov_status status = build_tree(s) ? make_geometry(s) : OV_ERROR_MEMORY;
    return status == OV_OK ? status
                           : refuse(fault, NO_POLYGON, status,
                                    status == OV_ERROR_MEMORY ? "there is not enough memory"
                                                              : "the polygons make no mesh");
}

ov_status ov_polygons_create(const ov_vec3 *vertices, size_t vertex_count, const uint32_t *corners,
                             const uint32_t *sizes, size_t count, const ov_allocator *allocator,
                             ov_polygons **polygons, ov_fault *fault) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_polygons_create(vertices, vertex_count, corners, sizes,
                                                       count, allocator, polygons, fault));
    if (polygons == NULL) {
        return refuse(fault, NO_POLYGON, OV_ERROR_NULL, "a pointer is null");
    }
    *polygons = NULL;
    if (vertices == NULL || corners == NULL || sizes == NULL) {
        return refuse(fault, NO_POLYGON, OV_ERROR_NULL, "a pointer is null");
    }
    if (count == 0 || count > OV_POLYGONS_MAX || vertex_count == 0 ||
        vertex_count > OV_TRIMESH_MAX) {
        return refuse(fault, NO_POLYGON, OV_ERROR_COUNT, "there are no polygons, or too many");
    }
    size_t total;
    ov_status status = check_corners(vertex_count, corners, sizes, count, &total, fault);
    status = status == OV_OK ? check_vertices(vertices, vertex_count, fault) : status;
    if (status != OV_OK) {
        return status;
    }
    ov_allocator used = ovi_allocator_of(allocator);
    ov_polygons *made = ovi_resize(&used, NULL, 0, 1, sizeof *made);
    if (made == NULL) {
        return refuse(fault, NO_POLYGON, OV_ERROR_MEMORY, "there is not enough memory");
    }
    *made = (ov_polygons){.allocator = used,
                          .vertex_count = vertex_count,
                          .corner_count = total,
                          .count = count,
                          .tree = ovi_bvh_empty()};
    status = fill(made, vertices, corners, sizes, fault);
    if (status != OV_OK) {
        ov_polygons_destroy(made);
        return status;
    }
    *polygons = made;
    return ovi_fault_none(fault, OV_OK);
}

void ov_polygons_destroy(ov_polygons *s) {
    if (s == NULL) {
        return;
    }
    ov_allocator used = s->allocator;
    ov_geometry_destroy(s->geometry);
    ov_trimesh_destroy(s->mesh);
    ovi_bvh_free(&s->tree, &used);
    ovi_release(&used, s->polygons, s->count, sizeof *s->polygons);
    ovi_release(&used, s->corners, s->corner_count, sizeof *s->corners);
    ovi_release(&used, s->vertices, s->vertex_count, sizeof *s->vertices);
    ovi_release(&used, s, 1, sizeof *s);
}

bool ov_polygons_is_solid(const ov_polygons *s) {
    return s != NULL && ov_trimesh_is_solid(s->mesh);
}

size_t ov_polygons_count(const ov_polygons *s) { return s != NULL ? s->count : 0; }

size_t ov_polygons_vertex_count(const ov_polygons *s) { return s != NULL ? s->vertex_count : 0; }

const ov_vec3 *ov_polygons_vertices(const ov_polygons *s) { return s != NULL ? s->vertices : NULL; }

const uint32_t *ov_polygons_corners(const ov_polygons *s, size_t index, size_t *size) {
    bool there = s != NULL && index < s->count;
    if (size != NULL) {
        *size = there ? s->polygons[index].count : 0;
    }
    return there ? s->corners + s->polygons[index].first : NULL;
}
