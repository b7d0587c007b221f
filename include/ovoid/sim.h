/**
 * @file sim.h
 * @brief Bodies that move by themselves: rigid bodies, joints between them, and their contacts.
 *
 * A simulation owns a world (ovoid/world.h) of its bodies, which finds their contacts.
 * ov_sim_step(sim, dt) advances time by one frame, in a number of equal substeps. Lengths, masses
 * and times may have any units that belong together; the defaults of speeds and of gravity are
 * those of metres, kilograms and seconds.
 *
 * The same calls give the same bits on any number of threads. A call that fails changes nothing;
 * the exception is ov_sim_step that runs out of memory, which leaves the bodies at an earlier time
 * within the frame. docs/theory/simulation.md derives the method.
 */
#ifndef OVOID_SIM_H
#define OVOID_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ovoid/math.h>
#include <ovoid/model.h>
#include <ovoid/motion.h>
#include <ovoid/query.h>
#include <ovoid/shape.h>
#include <ovoid/status.h>
#include <ovoid/system.h>
#include <ovoid/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- simulations ----------------------------------------------------------------------------- */

/** Bodies and joints, and the time that they have reached. Opaque. */
typedef struct ov_sim ov_sim;

/** Handles; 0 means none. A simulation never uses a handle twice. */
typedef uint64_t ov_sim_body;
typedef uint64_t ov_sim_joint;

/** How much work a frame is worth. */
typedef enum ov_sim_mode {
    OV_SIM_MODE_FAST = 0, /**< 4 substeps, soft contacts, looked for once a frame */
    OV_SIM_MODE_ACCURATE, /**< 10 substeps, stiff contacts, looked for in each of them */
    OV_SIM_MODE_COUNT
} ov_sim_mode;
/** "fast", "accurate". */
const char *ov_sim_mode_name(ov_sim_mode mode);

/** Largest number of substeps of a frame, and of iterations of a substep. */
#define OV_SIM_SUBSTEPS_MAX 10000
#define OV_SIM_ITERATIONS_MAX 1000
/** Largest component of a velocity, and of an angular velocity. */
#define OV_SIM_SPEED_MAX 1e50

typedef struct ov_sim_options {
    ov_vec3 gravity; /**< acceleration; all 0: (0, 0, -9.81); for none write OV_ZERO for one */
    ov_sim_mode mode;
    int substeps;   /**< of a frame; 0: by the mode */
    int iterations; /**< of the contacts in a substep; 0: 4, and 1 in the fast mode where there are
                       more than 2,000 points of contact */
    double push_speed;   /**< largest speed at which overlapping bodies are parted; 0: 3 */
    double bounce_speed; /**< slower approaches do not bounce; 0: what gravity adds in 4 substeps */
    double sleep_speed;  /**< islands slower than this fall asleep; 0: 0.02 */
    double sleep_time;   /**< ... after so long; 0: 0.5 */
    bool no_sleep;
    ov_pair_options pair;   /**< of the queries for contacts */
    ov_threads threads;     /**< no result depends on it */
    ov_allocator allocator; /**< resize null: realloc and free */
} ov_sim_options;

/** Gravity (0, 0, -9.81), fast mode, as many threads as the machine has. */
ov_sim_options ov_default_sim_options(void);

/** `options` may be null. OV_ERROR_NULL, OV_ERROR_NOT_FINITE, OV_ERROR_OPTION, OV_ERROR_MEMORY. */
ov_status ov_sim_create(const ov_sim_options *options, ov_sim **sim);
/** Null is allowed. */
void ov_sim_destroy(ov_sim *sim);
/** Changes the threads, as ov_world_set_threads does. */
ov_status ov_sim_set_threads(ov_sim *sim, const ov_threads *threads);

/**
 * Advances by one frame of length dt (above zero, at most 1e6). OV_ERROR_NULL, OV_ERROR_NOT_FINITE
 * (also if speeds have grown beyond OV_SIM_SPEED_MAX: the bodies stay as they were before the
 * substep in which this happened), OV_ERROR_OPTION (dt), OV_ERROR_SIZE_RANGE (a body has left the
 * range of positions), OV_ERROR_MEMORY.
 */
ov_status ov_sim_step(ov_sim *sim, double dt);

/** The world of the bodies, for rays, casts and other queries that change nothing. In it the user
 *  pointer of a body is that of its definition. */
const ov_world *ov_sim_world(const ov_sim *sim);

/** What a simulation is doing. Energies and momenta are of all bodies that move freely. */
typedef struct ov_sim_summary {
    double time;   /**< sum of all frames */
    size_t frames; /**< ov_sim_step that succeeded */
    size_t bodies, joints;
    size_t awake;              /**< bodies that move freely and are not asleep */
    size_t islands;            /**< groups of awake bodies connected by contacts and joints */
    size_t contacts;           /**< points of contact in the last substep */
    size_t swept;              /**< motions of fast bodies that were swept in the last frame */
    double deepest;            /**< largest depth among the contacts of the last substep; 0: none */
    double mean_depth;         /**< of the contacts that are not separated; 0: none */
    double joint_error;        /**< largest distance of the two anchors of a joint */
    double kinetic, potential; /**< energy; potential is by gravity, zero at the origin, and by the
                                  springs of joints */
    ov_vec3 momentum, angular_momentum; /**< the latter about the origin */
} ov_sim_summary;
/** OV_ERROR_NULL. */
ov_status ov_sim_summarize(const ov_sim *sim, ov_sim_summary *summary);

/* ---- bodies ---------------------------------------------------------------------------------- */

/** How a body moves. */
typedef enum ov_sim_body_kind {
    OV_SIM_BODY_KIND_DYNAMIC = 0, /**< by forces and contacts */
    OV_SIM_BODY_KIND_FIXED,       /**< not at all */
    OV_SIM_BODY_KIND_KINEMATIC,   /**< as it is told, by a motion or by ov_sim_lead */
    OV_SIM_BODY_KIND_COUNT
} ov_sim_body_kind;
/** "dynamic", "fixed", "kinematic". */
const char *ov_sim_body_kind_name(ov_sim_body_kind kind);

typedef struct ov_sim_body_def {
    /** Must outlive the body. Null: a body without contacts, which needs `mass` if it is dynamic.
     */
    const ov_geometry *geometry;
    /** Of the geometry's frame; with a motion, in the frame that it moves. A rotation of zeros:
     * none. */
    ov_pose pose;
    ov_sim_body_kind kind;
    ov_vec3 velocity;         /**< of the centre of mass */
    ov_vec3 angular_velocity; /**< in the world's axes */
    double density;           /**< for the mass by the geometry; 0: 1000 */
    /**
     * Mass, centroid and inertia in the body's frame, about the centroid. A mass of 0: by the
     * geometry and density; an inertia of zeros: that of the geometry, scaled to the mass, with the
     * geometry's centroid.
     */
    ov_mass mass;
    double friction;         /**< coefficient; of two bodies the geometric mean; 0: 0.5 */
    double restitution;      /**< 0 to 1; of two bodies the larger one */
    double rolling;          /**< arm of the rolling resistance, a length; of two the larger one */
    double damping;          /**< of velocities, per time: they decay as exp(-damping t) */
    double angular_damping;  /**< of angular velocities */
    uint32_t group, mask;    /**< as in ov_body_def: 0 is the default */
    bool no_contacts;        /**< no contact with any other body; rays and casts see its group */
    const ov_motion *motion; /**< of a kinematic body; null: it rests, or is led; must outlive it */
    double motion_time;      /**< time of the motion when the simulation's time is 0 */
    void *user;              /**< the caller's own */
} ov_sim_body_def;

/** Dynamic, at the origin, density 1000, friction 0.5, group 1, mask of all bits. */
ov_sim_body_def ov_default_sim_body_def(void);

/**
 * Mass of a geometry of uniform density in its frame: the sum over its parts, which are counted
 * twice where they overlap. Meshes must be solid, with outward triangles; their volume is that of
 * the divergence theorem. OV_ERROR_NULL, OV_ERROR_NOT_FINITE, OV_ERROR_WEIGHT (a density that is
 * not positive), OV_ERROR_UNBOUNDED (a half-space), OV_ERROR_NOT_CLOSED (a mesh without inside, or
 * inside out), OV_ERROR_UNSUPPORTED (a shape without a volume), OV_ERROR_SIZE_RANGE (mass or
 * inertia out of range).
 */
ov_status ov_geometry_mass(const ov_geometry *geometry, double density, ov_mass *mass);

/**
 * OV_ERROR_NULL (also a dynamic body with neither geometry nor mass), OV_ERROR_NOT_FINITE,
 * OV_ERROR_WEIGHT (mass or density not positive or out of range, an inertia that no body has),
 * OV_ERROR_OPTION (friction, restitution, damping, rolling out of range, an unknown kind, a motion
 * of a body that is not kinematic or a motion that is not rigid), OV_ERROR_SIZE_RANGE (a position
 * beyond OV_POSITION_MAX, a speed beyond OV_SIM_SPEED_MAX),
 * OV_ERROR_COUNT, OV_ERROR_MEMORY, or an error of ov_geometry_mass.
 */
ov_status ov_sim_add_body(ov_sim *sim, const ov_sim_body_def *def, ov_sim_body *body);
/** Removes a body, and all joints and drags on it. Wakes what touches it. OV_ERROR_INDEX. */
ov_status ov_sim_remove_body(ov_sim *sim, ov_sim_body body);

/** Where a body is and how it moves. */
typedef struct ov_sim_body_state {
    ov_pose pose;
    ov_vec3 centre;                     /**< of mass, in the world */
    ov_vec3 velocity, angular_velocity; /**< of the centre of mass; in the world's axes */
    ov_vec3 angular_momentum;           /**< about the centre of mass */
    bool asleep;
} ov_sim_body_state;
/** OV_ERROR_INDEX for a body that does not exist (any more), here and below. */
ov_status ov_sim_body_get(const ov_sim *sim, ov_sim_body body, ov_sim_body_state *state);
/** The definition, with defaults and the mass filled in; pose and velocities are the first ones. */
ov_status ov_sim_body_def_of(const ov_sim *sim, ov_sim_body body, ov_sim_body_def *def);
/** The handle of the body in ov_sim_world; 0 for one without geometry. */
ov_status ov_sim_body_in_world(const ov_sim *sim, ov_sim_body body, ov_body *in_world);
/** Number of bodies, and their handles in ascending order of their slots: at most `room` are
 *  written. */
size_t ov_sim_bodies(const ov_sim *sim, ov_sim_body *bodies, size_t room);

/** Puts a body at a pose, without passing anything on the way, and wakes it and what sleeps at
 *  either place. OV_ERROR_NOT_FINITE,
 *  OV_ERROR_ZERO_DIRECTION, OV_ERROR_SIZE_RANGE. */
ov_status ov_sim_set_pose(ov_sim *sim, ov_sim_body body, ov_pose pose);
/** OV_ERROR_OPTION if the body is not dynamic; OV_ERROR_NOT_FINITE; OV_ERROR_SIZE_RANGE (beyond
 *  OV_SIM_SPEED_MAX). */
ov_status ov_sim_set_velocity(ov_sim *sim, ov_sim_body body, ov_vec3 velocity,
                              ov_vec3 angular_velocity);
/** A kinematic body moves to the pose during the next frame, at constant speeds, and rests then.
 *  OV_ERROR_OPTION for other bodies and for those with a motion. */
ov_status ov_sim_lead(ov_sim *sim, ov_sim_body body, ov_pose pose);
/** A force on a point of the world during the next frame, and a torque. OV_ERROR_OPTION if the body
 *  is not dynamic; OV_ERROR_NOT_FINITE. */
ov_status ov_sim_apply_force(ov_sim *sim, ov_sim_body body, ov_vec3 force, ov_vec3 point,
                             ov_vec3 torque);
/** Changes momentum and angular momentum at once. Errors as above, and OV_ERROR_SIZE_RANGE (speeds
 *  beyond OV_SIM_SPEED_MAX). */
ov_status ov_sim_apply_impulse(ov_sim *sim, ov_sim_body body, ov_vec3 impulse, ov_vec3 point,
                               ov_vec3 angular_impulse);
/** Wakes a body and its island. */
ov_status ov_sim_wake(ov_sim *sim, ov_sim_body body);

/* ---- joints ----------------------------------------------------------------------------------
 *
 * A joint connects a frame of body A with a frame of body B, which may each be 0: the world. What
 * it leaves free is that of ov_joint_kind, with the axis in the frame of A. Position and angle are
 * those of B's frame in A's. */

typedef struct ov_sim_joint_def {
    ov_joint_kind kind;
    ov_sim_body a, b;         /**< one of them dynamic; 0: the world */
    ov_pose frame_a, frame_b; /**< in the frames of the bodies; rotations of zeros: none */
    ov_vec3 axis;             /**< in both frames, any length; zero: x */
    /** Limits of the angle (revolute, at most 2 pi apart) or position (prismatic), or of the twist
     *  of a spherical joint; may be infinite. Both 0: none. */
    double lower, upper;
    double swing; /**< spherical: largest angle between the two axes, up to pi; 0: no limit */
    /**
     * A spring towards `rest` and a damper along the free coordinate of a revolute, continuous or
     * prismatic joint, and of a spherical joint towards frames that agree (`rest` is not used).
     * Stiffness is a torque per radian or a force per length, damping the same per speed.
     */
    double stiffness, damping, rest;
    /** A motor: keeps `speed` of a revolute, continuous or prismatic joint with at most so much
     *  torque or force; a limit of 0: no motor. With speed 0 it is dry friction. */
    double motor_speed, motor_limit;
    bool collide; /**< the two bodies may touch each other */
} ov_sim_joint_def;

/** Fixed, at the origins, axis x, without limits, springs and motor. */
ov_sim_joint_def ov_default_sim_joint_def(void);

/**
 * The bodies should be in place; if they are not, the first substeps pull them there. Joints that
 * form trees are solved exactly; those that close loops, by iteration. OV_ERROR_NULL,
 * OV_ERROR_INDEX (a body that does not exist), OV_ERROR_OPTION (a body and itself, no dynamic body,
 * an unknown kind, a range out of order, negative numbers), OV_ERROR_NOT_FINITE,
 * OV_ERROR_SIZE_RANGE, OV_ERROR_MEMORY.
 */
ov_status ov_sim_add_joint(ov_sim *sim, const ov_sim_joint_def *def, ov_sim_joint *joint);
/** Removes a joint, and wakes its bodies. OV_ERROR_INDEX for a joint that does not exist (any
 *  more), here and below. */
ov_status ov_sim_remove_joint(ov_sim *sim, ov_sim_joint joint);
/** Changes the motor. OV_ERROR_OPTION for a joint without a single coordinate, or a negative limit;
 *  OV_ERROR_NOT_FINITE; OV_ERROR_SIZE_RANGE (a speed beyond OV_SIM_SPEED_MAX). */
ov_status ov_sim_set_motor(ov_sim *sim, ov_sim_joint joint, double speed, double limit);
/** Changes the rest position of the spring. OV_ERROR_OPTION for a joint without a single
 *  coordinate; OV_ERROR_NOT_FINITE. */
ov_status ov_sim_set_rest(ov_sim *sim, ov_sim_joint joint, double rest);

/** What a joint is doing. */
typedef struct ov_sim_joint_state {
    double position; /**< angle or length of the free coordinate; of a spherical joint the twist */
    double speed;
    double swing;       /**< spherical: the angle between the axes */
    double error;       /**< distance of the anchors, along the directions that are not free */
    double angle_error; /**< angle by which the frames miss each other, likewise */
    double excess;      /**< how far the joint is beyond its limits; 0: within */
    ov_vec3 force;      /**< on B, of the last substep */
    ov_vec3 torque;     /**< on B about its anchor */
} ov_sim_joint_state;
ov_status ov_sim_joint_get(const ov_sim *sim, ov_sim_joint joint, ov_sim_joint_state *state);
/** The definition, with defaults filled in. */
ov_status ov_sim_joint_def_of(const ov_sim *sim, ov_sim_joint joint, ov_sim_joint_def *def);

/** A spring that drags a point of a body to a point of the world, as a hand does. */
typedef struct ov_sim_drag_def {
    ov_sim_body body;
    ov_vec3 point;    /**< of the body, in the world, at this time */
    ov_vec3 target;   /**< in the world */
    double stiffness; /**< force per length; 0: that of 5 Hz with the body's mass */
    double damping;   /**< force per speed; 0: critical */
    double limit;     /**< largest force; 0: none */
} ov_sim_drag_def;
/** The drag is a joint, which ov_sim_remove_joint ends. Errors as of ov_sim_add_joint. */
ov_status ov_sim_add_drag(ov_sim *sim, const ov_sim_drag_def *def, ov_sim_joint *drag);
/** Changes the target. OV_ERROR_OPTION for a joint that is no drag; OV_ERROR_NOT_FINITE. */
ov_status ov_sim_move_drag(ov_sim *sim, ov_sim_joint drag, ov_vec3 target);

/* ---- models ---------------------------------------------------------------------------------- */

/** How the links of a model become bodies. */
typedef struct ov_sim_model_def {
    ov_pose root;            /**< pose of the root; a rotation of zeros: none */
    const double *positions; /**< of the joints; null: those at rest (ov_model_rest) */
    bool fixed;              /**< the root does not move */
    bool free_mimics;        /**< joints that follow another one move by themselves */
    /** One per link, in the link's frame; a mass of 0, or null for all: by its geometry. */
    const ov_mass *masses;
    /** What all bodies have in common: density, friction, restitution, rolling, dampings, group,
     *  mask, user. The other fields are not used. */
    ov_sim_body_def body;
    double damping; /**< of the joints with one coordinate, and of spherical ones */
} ov_sim_model_def;

/**
 * Adds the links of a model as bodies and its joints as joints. `bodies` has room for one handle
 * per link, `joints` (may be null) for one per joint. Links that may overlap (ov_model_allow) do
 * not touch each other. A link without parts and mass is a frame of the link that a fixed joint
 * connects it to, and has its handle; a fixed root without parts is the world, and its handle is 0.
 * Floating joints have no handle either. The model's geometries must outlive the bodies; the model
 * itself need not. OV_ERROR_NULL, OV_ERROR_NOT_FINITE, OV_ERROR_WEIGHT (a link that moves has
 * neither parts nor mass), OV_ERROR_UNSUPPORTED (a joint that follows another one,
 * without `free_mimics`), or an error of
 * ov_model_poses, ov_sim_add_body or ov_sim_add_joint; `fault` (may be null) names the link or
 * joint.
 */
ov_status ov_sim_add_model(ov_sim *sim, const ov_model *model, const ov_sim_model_def *def,
                           ov_sim_body *bodies, ov_sim_joint *joints, ov_fault *fault);

/* ---- snapshots ------------------------------------------------------------------------------- */

/** All of a simulation's state at a time, to go back to. Geometries and motions are referred to.
 *  Opaque. */
typedef struct ov_sim_snapshot ov_sim_snapshot;

/** OV_ERROR_NULL, OV_ERROR_MEMORY. The snapshot uses the simulation's allocator. */
ov_status ov_sim_save(const ov_sim *sim, ov_sim_snapshot **snapshot);
/** Goes back to a snapshot of this simulation: bodies, joints and handles are as they were, and the
 *  same calls give the same bits. Any number of times. OV_ERROR_NULL, OV_ERROR_OPTION (a snapshot
 *  of another simulation), OV_ERROR_MEMORY; the simulation is then unchanged. */
ov_status ov_sim_load(ov_sim *sim, const ov_sim_snapshot *snapshot);
/** Null is allowed. Before its simulation's allocator goes. */
void ov_sim_snapshot_destroy(ov_sim_snapshot *snapshot);

/* ---- contacts -------------------------------------------------------------------------------- */

/** A point of contact of the last substep. */
typedef struct ov_sim_contact {
    ov_sim_body a, b;
    uint32_t part_a, part_b;
    ov_vec3 point;  /**< in the world */
    ov_vec3 normal; /**< from A towards B */
    double gap;
    double impulse;   /**< along the normal, on B, during the substep; not that of a bounce */
    ov_vec3 friction; /**< impulse on B across the normal */
} ov_sim_contact;
/** The points within the margin of the search, touching or not; at most `room` are written. Returns
 *  their number. */
size_t ov_sim_contacts(const ov_sim *sim, ov_sim_contact *contacts, size_t room);

#ifdef __cplusplus
}
#endif

#endif
