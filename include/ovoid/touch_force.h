/**
 * @file touch_force.h
 * @brief Forces of touch: what a hand feels that leads a finger, a ball or a tool over a surface.
 *
 * Everything here works on a *surface*, a function that tells the distance of a point with proven
 * bounds: of a distance map, of a smooth body, or of your own. Units are SI: metres, newtons,
 * seconds, newtons per metre. A force is what the device shows to the hand; it acts on the hand.
 *
 * No function allocates or keeps anything outside its arguments, and all loops are bounded, so that
 * a servo loop (ovoid/touch_loop.h) may call them at its rate. State (a proxy, a tool, an
 * observer) is the caller's, and zeros are a good beginning.
 */
#ifndef OVOID_TOUCH_FORCE_H
#define OVOID_TOUCH_FORCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ovoid/math.h>
#include <ovoid/shape.h>
#include <ovoid/status.h>
#include <ovoid/touch_map.h>
#include <ovoid/touch_objects.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- surfaces -------------------------------------------------------------------------------- */

/**
 * Something to touch. `sample` fills `answer` for a point; where the distance is proven to be more
 * than `limit`, it may answer with bounds alone, normal and nearest point being those of somewhere
 * on the surface. A negative status ends the call that asked, which hands it on.
 */
typedef struct ov_touch_surface {
    ov_status (*sample)(const void *object, ov_vec3 point, double limit, ov_touch_distance *answer);
    const void *object;
} ov_touch_surface;

/** A smooth body as something to touch: the object of ov_touch_shape_surface. */
typedef struct ov_touch_shape {
    ov_shape shape;
    ov_pose pose;
} ov_touch_shape;

/** A placed map as something to touch: the object of ov_touch_map_surface. */
typedef struct ov_touch_placed_map {
    const ov_touch_map *map;
    ov_pose pose;         /**< a rotation of zeros: none */
    ov_touch_level level; /**< asked of each sample */
} ov_touch_placed_map;

/**
 * A surface that asks the map. By default, and at OV_TOUCH_LEVEL_DECIDED, the field answers for
 * points that it proves to be beyond the limit, and the triangles for all others, so that a force
 * does not jump where one takes over from the other. With OV_TOUCH_LEVEL_FIELD the field is asked
 * alone: a proxy then has no room to move in where it is off by as much as the ball's radius. Map
 * and placement must outlive it.
 */
ov_touch_surface ov_touch_map_surface(const ov_touch_placed_map *placed);

/** A surface that asks ov_point_contact: exact to rounding. The body must outlive it. */
ov_touch_surface ov_touch_shape_surface(const ov_touch_shape *body);

/* ---- texture --------------------------------------------------------------------------------- */

typedef enum ov_touch_texture_kind {
    OV_TOUCH_TEXTURE_NONE = 0,
    OV_TOUCH_TEXTURE_NOISE, /**< smooth noise in space, made of a seed */
    OV_TOUCH_TEXTURE_BITMAP /**< heights in rows, repeated over the plane of `frame` */
} ov_touch_texture_kind;

/**
 * Height of the surface above the one that is given, as a function of the place, twice continuously
 * differentiable. As its gradient belongs to the force, a closed path gains no energy (a force
 * whose size alone is changed, as in [SQMap] (34), gives out energy on such paths).
 */
typedef struct ov_touch_texture {
    ov_touch_texture_kind kind;
    double height;     /**< largest height, m; the heights lie between +-height */
    double wavelength; /**< m: spacing of the noise, or length of a side of a pixel */
    uint64_t seed;     /**< of noise */
    /** Bitmap: `rows` x `columns` values from 0 (-height) to 255 (height), row by row. They lie in
     *  the plane of `frame`'s x (columns) and y (rows) axes and are projected along its z axis. */
    const uint8_t *values;
    size_t rows, columns;
    ov_pose frame;
} ov_touch_texture;

/** OV_ERROR_OPTION, OV_ERROR_NULL (no values), OV_ERROR_COUNT (fewer than 1 or more than 2^15 rows
 *  or columns), OV_ERROR_NOT_FINITE. */
ov_status ov_touch_texture_check(const ov_touch_texture *texture);

/** Height and gradient at a point. The texture must be good (ov_touch_texture_check). */
double ov_touch_texture_height(const ov_touch_texture *texture, ov_vec3 point, ov_vec3 *gradient);

/** No gradient is longer than this, rounding included. */
double ov_touch_texture_steepness(const ov_touch_texture *texture);

/* ---- material -------------------------------------------------------------------------------- */

/** How a surface feels. */
typedef struct ov_touch_material {
    double stiffness;        /**< N/m; 0: 1,000 */
    double viscosity;        /**< N s/m, against the motion while in contact; 0: none */
    double static_friction;  /**< Coulomb's coefficient at rest; at least the dynamic one */
    double dynamic_friction; /**< and while sliding; 0: none */
    ov_touch_texture texture;
    double magnet_force;  /**< N: largest pull towards the surface, half way; 0: none */
    double magnet_range;  /**< m: above the surface, where the pull begins */
    double braking;       /**< N s/m: against approaching, growing towards the surface; 0: none */
    double braking_range; /**< m */
    double force_max;     /**< N: longer forces are shortened to this; 0: no limit */
} ov_touch_material;

/** OV_ERROR_OPTION (negative, static below dynamic friction, a range that is missing),
 *  OV_ERROR_NOT_FINITE, or what is wrong with the texture. */
ov_status ov_touch_material_check(const ov_touch_material *material);

/** A force on the hand, with its parts apart: `force` is their sum, shortened to the largest force.
 *  All functions return OV_ERROR_NOT_FINITE for one that is too large to be a number. */
typedef struct ov_touch_force {
    ov_vec3 force;      /**< N */
    ov_vec3 torque;     /**< N m, about the device's position; zero for points */
    ov_vec3 normal;     /**< part along the surface's normal: spring, magnet, braking */
    ov_vec3 tangential; /**< friction and viscosity */
    double depth;       /**< m, of the device below the surface; 0 if it is not in contact */
    bool contact;
    bool capped; /**< was shortened */
} ov_touch_force;

/**
 * Penalty force at a point that moves with `velocity`: stiffness times depth below the textured
 * surface, along the gradient of that depth, so that it has a potential where the surface's normal
 * is the gradient of its distance, as that of a smooth body is; viscosity; magnet; braking. The
 * normal of a map is averaged, so that it turns steadily over edges: on paths over edges some
 * energy is gained or lost, which an observer bounds. Coulomb friction needs a memory, which is the
 * proxy's: here it opposes the velocity, with the dynamic coefficient, fading out below `slow`
 * (m/s; 0: 1 mm/s).
 */
ov_status ov_touch_penalty(const ov_touch_surface *surface, const ov_touch_material *material,
                           ov_vec3 point, ov_vec3 velocity, double slow, ov_touch_force *force);

/* ---- forces as published --------------------------------------------------------------------- */

/** Constants of [SQMap] (21) and (33). */
typedef struct ov_touch_published_constants {
    double stiffness;      /**< k */
    double friction;       /**< f_c */
    double friction_depth; /**< k_f of (33) */
    double texture;        /**< standard deviation of n_g (34), m */
    uint64_t texture_seed;
} ov_touch_published_constants;

/**
 * Reaction (32), friction (33) and texture (34), as printed, of a point that is `depth` below the
 * surface and has moved by `motion` since the last frame. Friction is not tangential, not zero at
 * depth zero and undefined at rest (then none); texture changes the size of the force only.
 */
ov_touch_force ov_touch_published_force(const ov_touch_published_constants *constants, double depth,
                                        ov_vec3 normal, ov_vec3 point, ov_vec3 motion);

/** Mean of the forces in an impact zone [SQMap, 6.1], and the mean torque about `centre`; zero for
 *  none. */
ov_touch_force ov_touch_zone_force(const ov_touch_force *forces, const ov_vec3 *points,
                                   size_t count, ov_vec3 centre);

/** Force of a zone of an object on a map: stiffness times the depth of its deepest contact, along
 *  the mean of the normals weighted by depth, and its torque about `centre`. It does not depend on
 *  how many points an object has, and does not jump where one comes into contact, as the mean of
 *  [SQMap] does, to which a contact without depth counts as much as all others. Zero for a zone
 *  without contacts. */
ov_touch_force ov_touch_zone_response(const ov_touch_material *material, const ov_touch_zone *zone,
                                      ov_vec3 centre);

/* ---- the finger proxy ------------------------------------------------------------------------ */

/**
 * A ball that follows the device but never enters the surface; a spring between the two is what the
 * hand feels. The ball's centre never passes the surface, whatever the device does and however thin
 * a wall is: each of its moves is shorter than the proven distance to the surface. Valleys of a
 * texture are no deeper to it than half of its radius.
 *
 * That is so while the surface stays where it is. Where it moves, carry the proxy along
 * (ov_touch_proxy_carry); one that a surface has moved over without that is pushed out again, by
 * the nearest way.
 */
typedef struct ov_touch_proxy {
    ov_vec3 position;
    ov_vec3 device; /**< at the last step */
    ov_vec3 normal; /**< of the last contact */
    bool placed;    /**< false: the next step puts it where the device is */
    bool contact;
    bool sticking; /**< held by static friction */
} ov_touch_proxy;

typedef struct ov_touch_proxy_options {
    double radius;  /**< m, of the ball; 0: 1 mm */
    int iterations; /**< moves per step, at most; 0: 64. A proxy that needs more lags behind. */
    /** s: where the ball slips, as over a ridge, the spring changes by its length in this time, and
     *  by what the device moves; 0: 50 ms. A very short one lets it slip at once. */
    double slip_time;
} ov_touch_proxy_options;

/**
 * One step of `dt` seconds (above zero), with the device at `device`. A proxy that is not placed
 * yet begins at the device, or, where that is inside, outside along the normal. OV_ERROR_NULL,
 * OV_ERROR_NOT_FINITE, OV_ERROR_OPTION, OV_ERROR_TIME (dt); OV_NOT_CONVERGED if the proxy has not
 * come to rest, but for a slip that takes its time: the force is good, and the next step goes on.
 * On an error the proxy is as before.
 */
ov_status ov_touch_proxy_step(const ov_touch_surface *surface, const ov_touch_material *material,
                              const ov_touch_proxy_options *options, ov_vec3 device, double dt,
                              ov_touch_proxy *proxy, ov_touch_force *force);

/**
 * Carries a proxy along with a surface that has moved from one pose to another since the last step.
 * It then stays on its side of walls, sticks to what moves, and feels friction, viscosity and
 * braking of the motion relative to the surface. For the placed map of a loop these are the last
 * and the newest ov_touch_tick.object. OV_ERROR_NULL, OV_ERROR_NOT_FINITE, OV_ERROR_ZERO_DIRECTION:
 * the proxy is as before.
 */
ov_status ov_touch_proxy_carry(ov_touch_proxy *proxy, ov_pose from, ov_pose to);

/* ---- a tool on a virtual coupling ------------------------------------------------------------ */

/**
 * A rigid tool that the device leads: points that touch a surface, or an object that touches a map.
 */
typedef struct ov_touch_tool {
    const ov_vec3 *points; /**< in the tool's frame */
    size_t count;
    double radius; /**< m, of a ball at each point; 0: points */
    /** Instead of points: the object, the map, and room for its zones. The tool's pose is filled
     * in, and the query has the last answer after each step. The material's texture is not felt. */
    ov_touch_query *query;
} ov_touch_tool;

/** Springs between device and tool. */
typedef struct ov_touch_coupling {
    double stiffness;         /**< N/m; 0: 500 */
    double torsion_stiffness; /**< N m/rad; 0: stiffness times the square of the tool's radius */
    double damping;           /**< N s/m, on the device's motion relative to the tool; 0: none */
    int iterations;           /**< per step; 0: 8 */
    double torque_max;        /**< N m; 0: no limit */
} ov_touch_coupling;

typedef struct ov_touch_tool_state {
    ov_pose pose;   /**< of the tool */
    ov_pose device; /**< at the last step */
    bool placed;
} ov_touch_tool_state;

/**
 * One step: the tool moves towards the balance of the coupling's wrench and of the penalty forces
 * on its points, and the hand feels the coupling. Points are taken together as the contacts of a
 * zone are (ov_touch_zone_response). Errors as
 * ov_touch_proxy_step, and OV_ERROR_COUNT for a tool without points.
 */
ov_status ov_touch_tool_step(const ov_touch_surface *surface, const ov_touch_material *material,
                             const ov_touch_tool *tool, const ov_touch_coupling *coupling,
                             ov_pose device, double dt, ov_touch_tool_state *state,
                             ov_touch_force *force);

/* ---- the passivity observer ------------------------------------------------------------------ */

/**
 * Counts the energy that the hand has put in, and shortens forces so that no more can ever come
 * out: a passivity observer with an energy tank. A force F that is held for a period T gives the
 * hand the energy F . dx, whatever dx will be, and the device's own damping b takes b |dx|^2 / T.
 * So a force is safe if max over |dx| <= v T of F . dx - b |dx|^2 / T is no more than what the tank
 * holds.
 */
typedef struct ov_touch_observer {
    double energy; /**< J, in the tank: put in, less given out; never negative but by overspeed */
    double given;  /**< J: all that forces gave out */
    double taken;  /**< J: all that was put in against forces and into the device's damping */
    ov_vec3 force; /**< held at present */
    ov_vec3 torque;
    ov_pose device;   /**< at the last step */
    size_t shortened; /**< steps in which a force was shortened */
    size_t overspeed; /**< steps in which the device moved faster than its options say */
    bool placed;
} ov_touch_observer;

typedef struct ov_touch_observer_options {
    double period;            /**< s, between steps; needed */
    double damping;           /**< N s/m: the device's own; 0: none */
    double torsion_damping;   /**< N m s/rad */
    double speed_max;         /**< m/s: the device is never faster; 0: 1 */
    double angular_speed_max; /**< rad/s; 0: 10 */
    double energy;            /**< J: in the tank at the beginning, enough to start; 0: 1e-9 */
} ov_touch_observer_options;

/**
 * One step: counts what the last force did on the way to `device`, and shortens `force` (force,
 * torque and parts alike) if it is not safe. OV_ERROR_NULL, OV_ERROR_NOT_FINITE, OV_ERROR_OPTION.
 */
ov_status ov_touch_observer_step(const ov_touch_observer_options *options, ov_pose device,
                                 ov_touch_observer *observer, ov_touch_force *force);

#ifdef __cplusplus
}
#endif

#endif
