/**
 * @file sim_cloth.h
 * @brief Cloth: a triangle mesh that stretches, shears and bends, and stays off bodies and itself.
 *
 * Whole triangles are kept out of bodies, not only vertices: a coarse cloth shows no body poking
 * through. Units are metres, kilograms and seconds, or any other consistent set. A cloth steps
 * alone against a list of colliders (ov_cloth_step); docs/theory/cloth.md says how.
 *
 * The same calls give the same bits on any number of threads, per build. Opaque, made by a create
 * and freed by a destroy function, with the caller's allocator if there is one.
 */
#ifndef OVOID_SIM_CLOTH_H
#define OVOID_SIM_CLOTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ovoid/math.h>
#include <ovoid/shape.h>
#include <ovoid/sim.h>
#include <ovoid/status.h>
#include <ovoid/system.h>
#include <ovoid/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Largest number of vertices, and of triangles. */
#define OV_CLOTH_MAX ((size_t)1 << 24)
/** Stands for "none" as an index of a collider. */
#define OV_NO_COLLIDER UINT32_MAX

/** How a cloth is kept out of bodies. */
typedef enum ov_cloth_contact {
    OV_CLOTH_CONTACT_DEFAULT = 0, /**< triangles */
    OV_CLOTH_CONTACT_TRIANGLES,   /**< the deepest point of every triangle */
    OV_CLOTH_CONTACT_VERTICES,    /**< vertices only: bodies poke through coarse cloth */
    /** The published way [Thesis, 3.3], to compare with: a force on each vertex inside a body,
     * along the normal and proportional to the radial distance; smooth family only, others are
     * ignored. */
    OV_CLOTH_CONTACT_RADIAL
} ov_cloth_contact;

typedef struct ov_cloth_options {
    double density; /**< mass of an area, kg/m2; 0: 0.2 */
    /** Force per width and strain along the edges, N/m; 0: 10,000. Edges of a square grid along the
     *  threads take it, its diagonals take `shear`; all edges of other meshes take it, by the area
     *  beside them. A strip pulled along its threads, its sides free, has
     *  stretch (1 + shear/(stretch + shear)), as its diagonals narrow it. */
    double stretch;
    double shear;     /**< force per width and angle of shear, N/m; 0: a tenth of `stretch` */
    double bending;   /**< moment per width and curvature, N m; 0: none. The rest shape is flat. */
    double thickness; /**< m; bodies stay half of it off, layers of the cloth all of it; 0: none,
                         or with `self_collision` a tenth of the smallest height of a triangle */
    double friction;  /**< of the cloth with itself; 0: 0.3. Colliders have their own. */
    /** Rate at which edges lose relative speed along them, and folds theirs, 1/s; 0: 1, OV_ZERO:
     *  none. */
    double damping;
    double air;          /**< density of the air, kg/m3; 0: 1.2 where there is wind, else none */
    ov_vec3 wind;        /**< velocity of the air, m/s */
    ov_vec3 gravity;     /**< m/s2; 0: 9.81 along -z; a component OV_ZERO: none */
    double tear;         /**< force per width at which an edge breaks, N/m; 0: never */
    bool self_collision; /**< no two triangles cross, at no time */
    ov_cloth_contact contact;
    double stiffness; /**< of OV_CLOTH_CONTACT_RADIAL, N/m per vertex; 0: 1,000 */
    /** Of a step, at least; 0: as many that none is above 1/600 s, and more for a fine cloth, that
     *  would stretch by some percent: 30 of 1/60 s for 101 by 101 vertices of 4 m. More for a stiff
     *  sheet of fine cells too, that would hang limp. */
    unsigned substeps;
    unsigned iterations; /**< over the constraints, of a substep; 0: 6, or where a fine cloth
                            makes substeps shorter as many fewer, down to 3 */
    ov_threads threads;
    ov_allocator allocator; /**< resize null: realloc and free */
} ov_cloth_options;

/** All of the defaults above. */
ov_cloth_options ov_default_cloth_options(void);

/** Opaque. */
typedef struct ov_cloth ov_cloth;

/**
 * A cloth at rest: the given positions are its rest shape, and it does not move. Vertices and
 * triangles are copied. OV_ERROR_NULL; OV_ERROR_COUNT (none, or too many); OV_ERROR_NOT_FINITE;
 * OV_ERROR_SIZE_RANGE (a coordinate beyond 1e9 or an edge below 1e-9); OV_ERROR_INDEX;
 * OV_ERROR_DEGENERATE (a triangle without area, or a vertex of no triangle); OV_ERROR_CROSSING
 * (with `self_collision`: triangles that cross or touch); OV_ERROR_OPTION (negative, not finite or
 * beyond 1e9, stiffnesses 1e15, or with
 * `self_collision` a thickness of more than a quarter of the smallest height of a triangle);
 * OV_ERROR_MEMORY. `*cloth` is then null. `options` may be null.
 */
ov_status ov_cloth_create(const ov_vec3 *positions, size_t vertex_count,
                          const uint32_t (*triangles)[3], size_t triangle_count,
                          const ov_cloth_options *options, ov_cloth **cloth);
/** Null is allowed. */
void ov_cloth_destroy(ov_cloth *cloth);

/**
 * Fills a rectangular cloth of (columns + 1) (rows + 1) vertices and 2 columns rows triangles, from
 * a corner along two sides; diagonals alternate. Vertex (i, j) is number j (columns + 1) + i.
 * OV_ERROR_NULL, OV_ERROR_COUNT (no columns or rows, or too many), OV_ERROR_NOT_FINITE.
 */
ov_status ov_cloth_grid_fill(ov_vec3 corner, ov_vec3 side_u, ov_vec3 side_v, uint32_t columns,
                             uint32_t rows, ov_vec3 *positions, uint32_t (*triangles)[3]);

/* ---- colliders --------------------------------------------------------------------------------
 */

/** A body that a cloth meets during a step. */
typedef struct ov_cloth_collider {
    const ov_geometry *geometry; /**< convex parts and meshes */
    const ov_shape *shape;       /**< instead of a geometry: one convex shape */
    ov_pose start, end; /**< at the beginning and end of the step; a rotation of zeros: none */
    double friction;    /**< 0: 0.3, OV_ZERO: none */
    double restitution; /**< 0 to 1 */
    /** Of a body that the cloth can push; zero: nothing moves it. Inertia about `end.position`, in
     *  the world's axes, symmetric and not negative; both up to 1e15. */
    double inverse_mass;
    ov_mat3 inverse_inertia;
    /** Out: what the cloth did to the body during the step, N s, and about end.position, N m s.
     *  Added to what is there. */
    ov_vec3 impulse, angular_impulse;
} ov_cloth_collider;

/**
 * One step of `dt` seconds among colliders, which move from `start` to `end` at constant speed.
 * They are recognised by their index and their geometry or shape from step to step. The cloth makes
 * as many smaller steps as it needs so that nothing passes it.
 *
 * OV_ERROR_NULL, OV_ERROR_OPTION (dt not above zero, or beyond 10), OV_ERROR_NOT_FINITE,
 * OV_ERROR_SIZE_RANGE, OV_ERROR_ZERO_DIRECTION, OV_ERROR_SHAPE, OV_ERROR_UNSUPPORTED (a kind that
 * is not convex, or without thickness of the cloth a point, segment or triangle), OV_ERROR_CROSSING
 * (ov_cloth_set), OV_ERROR_MEMORY: the cloth is then as it was, but for OV_ERROR_MEMORY in a later
 * substep, which leaves it at that substep. OV_ERROR_LIMIT: something moves by more than 10,000 of
 * its sizes in the step.
 */
ov_status ov_cloth_step(ov_cloth *cloth, ov_cloth_collider *colliders, size_t count, double dt);

/* ---- holding and letting go -------------------------------------------------------------------
 */

/** Holds a vertex at a point of the world, where it is at the end of the next step; call it again
 * to lead it. With `self_collision` it gets there as far as nothing crosses. OV_ERROR_NULL,
 * OV_ERROR_INDEX, OV_ERROR_NOT_FINITE, OV_ERROR_MEMORY. */
ov_status ov_cloth_pin(ov_cloth *cloth, uint32_t vertex, ov_vec3 position);
/** Holds a vertex at a point of a collider, given in the collider's frame; pulls at the collider if
 *  that has mass. Errors as above. In a step that does not have this collider nothing holds the
 *  vertex. */
ov_status ov_cloth_pin_to(ov_cloth *cloth, uint32_t vertex, uint32_t collider, ov_vec3 point);
/** Pulls a vertex to a point of the world by a spring, N/m, as a hand does; call it again to lead
 *  it. Errors as above; OV_ERROR_OPTION for a stiffness that is not above zero. */
ov_status ov_cloth_grab(ov_cloth *cloth, uint32_t vertex, ov_vec3 target, double stiffness);
/** Lets a vertex go. No error if nothing holds it. OV_ERROR_NULL, OV_ERROR_INDEX. */
ov_status ov_cloth_release(ov_cloth *cloth, uint32_t vertex);
/** The vertex that a ray meets first: the nearest corner of the first triangle; OV_NO_TRIANGLE
 *  where it meets none. `distance` may be null. OV_ERROR_NULL, OV_ERROR_NOT_FINITE,
 *  OV_ERROR_ZERO_DIRECTION. */
ov_status ov_cloth_pick(const ov_cloth *cloth, ov_vec3 origin, ov_vec3 direction, uint32_t *vertex,
                        double *distance);
/** Change these options; a gravity of zeros is none here. OV_ERROR_NULL, OV_ERROR_NOT_FINITE. */
ov_status ov_cloth_set_wind(ov_cloth *cloth, ov_vec3 wind);
ov_status ov_cloth_set_gravity(ov_cloth *cloth, ov_vec3 gravity);
/** Moves a vertex and sets its velocity: for states that come from elsewhere. With
 *  `self_collision` the next step checks for crossings (OV_ERROR_CROSSING). OV_ERROR_NULL,
 *  OV_ERROR_INDEX, OV_ERROR_NOT_FINITE, OV_ERROR_SIZE_RANGE. */
ov_status ov_cloth_set(ov_cloth *cloth, uint32_t vertex, ov_vec3 position, ov_vec3 velocity);

/* ---- what there is ----------------------------------------------------------------------------
 */

/** Tearing adds vertices, and never removes triangles. 0 for null. */
size_t ov_cloth_vertex_count(const ov_cloth *cloth);
size_t ov_cloth_triangle_count(const ov_cloth *cloth);
/** Valid until the next step. */
const uint32_t (*ov_cloth_triangles(const ov_cloth *cloth))[3];
/** Writes ov_cloth_vertex_count positions or velocities. OV_ERROR_NULL. */
ov_status ov_cloth_positions(const ov_cloth *cloth, ov_vec3 *positions);
ov_status ov_cloth_velocities(const ov_cloth *cloth, ov_vec3 *velocities);

typedef struct ov_cloth_state {
    double mass;
    double kinetic, elastic, gravitational; /**< energies, J; gravitational from the origin */
    ov_vec3 momentum, angular_momentum;     /**< kg m/s; kg m2/s about the origin */
    double strain;        /**< largest |length/rest - 1| among the edges along the threads */
    double stretch;       /**< largest length/rest - 1 among them */
    double speed;         /**< largest */
    size_t contacts;      /**< with bodies, in the last substep */
    size_t self_contacts; /**< of layers of the cloth, in the last substep */
    size_t steps;         /**< substeps of the last step */
    size_t tears;         /**< vertices that were split so far */
} ov_cloth_state;

/** OV_ERROR_NULL. */
ov_status ov_cloth_measure(const ov_cloth *cloth, ov_cloth_state *state);

/** Deepest point of a cloth in bodies. */
typedef struct ov_cloth_depth {
    double depth;       /**< of the deepest triangle, by the certified query; 0: it touches none */
    double depth_upper; /**< no triangle is deeper: proven */
    uint32_t triangle, collider; /**< where; OV_NO_TRIANGLE, OV_NO_COLLIDER where there is none */
} ov_cloth_depth;

/** Asks the certified triangle query of ovoid/query.h for every triangle near a collider's convex
 *  parts (at `end`); an audit of milliseconds. Meshes do not count. */
ov_status ov_cloth_deepest(const ov_cloth *cloth, const ov_cloth_collider *colliders, size_t count,
                           ov_cloth_depth *out);
/** Number of pairs of triangles that cross; those that share a vertex count if they cross
 *  elsewhere. OV_ERROR_MEMORY. */
ov_status ov_cloth_crossings(const ov_cloth *cloth, size_t *count);

/* ---- snapshots --------------------------------------------------------------------------------
 */

/** Bytes of a snapshot, as of now; 0 for null. */
size_t ov_cloth_snapshot_size(const ov_cloth *cloth);
/** Writes all that the next steps depend on, options but for threads and allocator included.
 *  OV_ERROR_NULL, OV_ERROR_COUNT (`size` is too small). */
ov_status ov_cloth_save(const ov_cloth *cloth, void *buffer, size_t size);
/** Back to a snapshot of this cloth, or of one made in the same way by the same build; goes on bit
 *  by bit as it went on then. OV_ERROR_FILE_FORMAT (no snapshot, or damaged), OV_ERROR_COUNT (cut
 *  off), OV_ERROR_MEMORY; the cloth is then as it was. */
ov_status ov_cloth_load(ov_cloth *cloth, const void *buffer, size_t size);

/* ---- together with bodies ---------------------------------------------------------------------
 */

/**
 * Advances a simulation and cloths by one frame: the cloths meet all bodies of the simulation, and
 * push those that move freely. A body's index as a collider (ov_cloth_pin_to) is its place among
 * those of ov_sim_bodies that have a geometry. Errors of ov_sim_step and of ov_cloth_step, which
 * may leave bodies and cloths at different times within the frame.
 */
ov_status ov_sim_step_cloths(ov_sim *sim, ov_cloth *const *cloths, size_t count, double dt);

#ifdef __cplusplus
}
#endif

#endif
