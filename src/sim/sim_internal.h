/**
 * @file sim_internal.h
 * @brief What a simulation holds, and what its files offer each other.
 *
 * A body is two records: `ovi_mover` is what the solvers read and write all the time, its momenta
 * and inverse inertia; `ovi_sim_body` is the rest. Both have the same index, the body's slot, which
 * never changes. The state is momentum and the angular momentum about the centre of mass, both in
 * the world: free rotation then keeps them exactly, whatever the integrator of the orientation
 * does.
 */
#ifndef OVI_SIM_INTERNAL_H
#define OVI_SIM_INTERNAL_H

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include <ovoid/sim.h>

#include "../math/rotation.h"
#include "../math/system.h"

#define OVI_NO_BODY UINT32_MAX
#define OVI_PI 3.14159265358979323846

/** Makes an array large enough; `array` is the address of the pointer to it. */
static inline bool ovi_sim_room(const ov_allocator *by, void *array, size_t *room, size_t needed,
                                size_t size) {
    if (needed <= *room) {
        return true;
    }
    void *block;
    memcpy(&block, array, sizeof block);
    block = ovi_more_room(by, block, room, needed, size);
    if (block == NULL) {
        return false;
    }
    memcpy(array, &block, sizeof block);
    return true;
}

/* ---- symmetric matrices */

typedef struct ovi_sym3 {
    double xx, yy, zz, xy, xz, yz;
} ovi_sym3;

static inline ov_vec3 ovi_sym3_mul(const ovi_sym3 *m, ov_vec3 v) {
    return ov_vec3_make(m->xx * v.x + m->xy * v.y + m->xz * v.z,
                        m->xy * v.x + m->yy * v.y + m->yz * v.z,
                        m->xz * v.x + m->yz * v.y + m->zz * v.z);
}

static inline ovi_sym3 ovi_sym3_inverse(const ovi_sym3 *given) {
    // the product of three moments may leave the range of numbers: by a power of two, without
    // rounding, the matrix is brought to where it does not
    double trace = given->xx + given->yy + given->zz, scale = 1.0;
    if (!(trace > 1e-60 && trace < 1e60)) {
        int exponent;
        (void)frexp(trace, &exponent);
        scale = ldexp(1.0, -exponent);
    }
    const ovi_sym3 scaled = {scale * given->xx, scale * given->yy, scale * given->zz,
                             scale * given->xy, scale * given->xz, scale * given->yz},
                   *m = &scaled;
    double cxx = m->yy * m->zz - m->yz * m->yz, cxy = m->xz * m->yz - m->xy * m->zz,
           cxz = m->xy * m->yz - m->xz * m->yy;
    double d = scale / (m->xx * cxx + m->xy * cxy + m->xz * cxz);
    return (ovi_sym3){
        d * cxx, d * (m->xx * m->zz - m->xz * m->xz), d * (m->xx * m->yy - m->xy * m->xy), d * cxy,
        d * cxz, d * (m->xy * m->xz - m->xx * m->yz)};
}

/** Rotation vector of a unit quaternion, no longer than pi. */
static inline ov_vec3 ovi_angle_of(ov_quat q) {
    ov_vec3 u = ov_vec3_make(q.x, q.y, q.z);
    double s = ov_vec3_length(u);
    if (s < 1e-12) {
        return ov_vec3_scale(u, q.w < 0.0 ? -2.0 : 2.0);
    }
    double angle = 2.0 * atan2(s, fabs(q.w));
    return ov_vec3_scale(u, (q.w < 0.0 ? -angle : angle) / s);
}

/** The root of an element of a union-find forest, with the path to it shortened. */
static inline uint32_t ovi_root_of(uint32_t *roots, uint32_t i) {
    while (roots[i] != i) {
        roots[i] = roots[roots[i]];
        i = roots[i];
    }
    return i;
}

/* ---- bodies */

/** The part of a body that solvers work on; that of a body that is not free has zeros for mass and
 *  inertia, and is never written by them. */
typedef struct ovi_mover {
    ov_vec3 v, w; /**< of the centre of mass, and angular, in the world */
    ov_vec3 l;    /**< angular momentum about the centre of mass; w = inverse inertia times it */
    double inv_mass;
    ovi_sym3 inv_inertia; /**< in the world's axes, at the pose of the last ovi_sim_refresh */
} ovi_mover;

typedef struct ovi_sim_body {
    // what every substep reads comes first
    bool used, asleep;
    bool led;               /**< ov_sim_lead has set a target */
    bool round;             /**< all moments are equal: free rotation is uniform */
    bool damped, kinematic; /**< by the definition */
    ov_body in_world;       /**< 0: none */
    double reach;  /**< no point of the body is further from its centre of mass; half-spaces: 0 */
    double radius; /**< half of its least extent, for what moves too fast to be seen */
    ov_vec3 x;     /**< centre of mass */
    ov_quat q;     /**< of the body's frame */
    ov_vec3 x0;    /**< the same at the substep's start */
    ov_quat q0;
    ov_vec3 w_mid;    /**< mean angular velocity of the last drift: the start of the next one */
    double way, turn; /**< no point has moved further, nor it turned, since the last search */
    double follow;    /**< what touches it may be followed until it has turned by this */
    double lately;    /**< more than it has moved between searches, but for long ago */
    ov_vec3 asked_x;  /**< where it was when all of its contacts were last asked for */
    ov_quat asked_q;
    bool quiet;            /**< it has hardly moved since then */
    double margin;         /**< how far it may move until the next search */
    double spread;         /**< no two inverse moments are further apart */
    ovi_sym3 inv_inertia;  /**< in the body's axes */
    ov_vec3 force, torque; /**< during the next frame */
    ov_vec3 v0, l0;        /**< momenta at the substep's start, to go back to */
    double fraction; /**< of its path in this substep that it went, below 1 where it was stopped */
    bool in_order;   /**< it is in a tree of joints */
    bool going;      /**< is about to fall asleep */
    uint32_t tree;   /**< slot of its tree's root */
    uint32_t tree_first, tree_end; /**< its tree in the forest's order */
    uint32_t parent_joint;         /**< of the forest: the joint towards the root, or OVI_NO_BODY */
    uint32_t generation;           /**< of the slot */
    uint32_t next_free;
    uint32_t island;     /**< least slot of its island, or OVI_NO_BODY */
    double slow_time;    /**< for how long it has been slower than the speed of sleep */
    double island_time;  /**< of the island, at its first body */
    ovi_sym3 inertia;    /**< in the body's axes */
    ov_pose target;      /**< of a led body, at the end of the frame */
    ov_vec3 v1, w1, l1;  /**< velocities that a solve of contacts began with */
    ov_sim_body_def def; /**< with defaults and mass filled in */
} ovi_sim_body;

/** One over a body's reach; 0 for a half-space, which has none. */
static inline double ovi_inverse_reach(const ovi_sim_body *body) {
    return body->reach > 0.0 ? 1.0 / body->reach : 0.0;
}

static inline bool ovi_is_free(const ovi_mover *m) { return m->inv_mass > 0.0; }

/** Length of a vector of ordinary numbers: no care is taken of squares that leave their range. */
static inline double ovi_length(ov_vec3 v) { return sqrt(ov_vec3_dot(v, v)); }

/** Is no component beyond a limit, and all of them are numbers? */
static inline bool ovi_is_within(ov_vec3 v, double most) {
    return fabs(v.x) <= most && fabs(v.y) <= most && fabs(v.z) <= most;
}

/** Are a body's velocities in their range? Its momenta and energy are then numbers, too. */
static inline bool ovi_has_speeds(const ovi_mover *m) {
    return ovi_is_within(m->v, OV_SIM_SPEED_MAX) && ovi_is_within(m->w, OV_SIM_SPEED_MAX) &&
           ovi_is_within(m->l, 1e200);
}

/** No point of a body is faster. */
static inline double ovi_sim_speed(const ovi_sim_body *body, const ovi_mover *m) {
    return ovi_length(m->v) + body->reach * ovi_length(m->w);
}

/** Adds an impulse at `arm` from the centre of mass, and an angular one. Not for bodies that are
 *  not free: several threads may read these. */
static inline void ovi_mover_push(ovi_mover *m, ov_vec3 impulse, ov_vec3 angular) {
    if (m->inv_mass > 0.0) {
        m->v = ov_vec3_add_scaled(m->v, impulse, m->inv_mass);
        m->l = ov_vec3_add(m->l, angular);
        m->w = ov_vec3_add(m->w, ovi_sym3_mul(&m->inv_inertia, angular));
    }
}

/* ---- joints (sim_joint.c) */

enum { OVI_ROWS_MAX = 8 };

/** What a row is about. */
typedef enum ovi_row_kind {
    OVI_ROW_POINT, /**< anchors together along an axis of the world */
    OVI_ROW_SLIDE, /**< ... along an axis of A's frame */
    OVI_ROW_ALIGN, /**< axes of A and B together, about an axis of A's frame */
    OVI_ROW_TURN,  /**< frames together, about an axis of A's frame */
    OVI_ROW_LIMIT, /**< the coordinate, or the twist, within a limit */
    OVI_ROW_SWING, /**< the angle of the axes within a limit */
    OVI_ROW_MOTOR,
    OVI_ROW_SPRING,      /**< of the coordinate */
    OVI_ROW_TURN_SPRING, /**< frames together, about an axis of A's frame */
    OVI_ROW_DRAG         /**< anchors together along an axis of the world */
} ovi_row_kind;

/** One scalar condition of a joint on velocities: force . (v_b - v_a) + torque_b . w_b - torque_a .
 *  w_a + softness impulse = target, with an impulse between two bounds. */
typedef struct ovi_row {
    ovi_row_kind kind;
    ov_vec3 axis; /**< that it is about; of a limit: zero */
    double side;  /**< of a limit: 1 for the lower one, -1 for the upper one */
    ov_vec3 force, torque_a, torque_b;
    double target;      /**< of the velocity */
    double softness;    /**< inverse of an impulse per velocity; 0: rigid */
    double least, most; /**< of the impulse of a substep; infinite for a joint's own conditions */
    double error;       /**< of position; of a limit: how far it is from it, negative beyond */
    double sum;         /**< impulse so far in this substep */
    double drag, later; /**< of a spring: its damping times h; of its own impulse, how much comes
                           after the motion for each part that comes before it */
} ovi_row;

/** What the joints are solved for. */
typedef enum ovi_joint_phase {
    OVI_PHASE_FIRST,    /**< velocities before the bodies move */
    OVI_PHASE_POSITION, /**< such that they end without errors of position */
    OVI_PHASE_LAST      /**< velocities after they have moved */
} ovi_joint_phase;

typedef struct ovi_sim_joint {
    ov_sim_joint_def def; /**< with defaults filled in: unit axis and quaternions */
    bool used;
    bool is_drag;
    bool in_forest; /**< solved with its tree; else by itself */
    uint32_t generation, next_free;
    uint32_t a, b;          /**< slots, or OVI_NO_BODY for the world */
    uint32_t child, parent; /**< of the forest; parent OVI_NO_BODY if that is not free */
    double drag_limit;
    double angle;  /**< of a revolute joint, followed beyond pi */
    ov_vec3 arm_b; /**< to the anchor from the centre of mass of B */
    int row_count;
    ovi_row rows[OVI_ROWS_MAX];
    uint32_t active;             /**< bits of rows that take part in the present solve */
    double wanted[OVI_ROWS_MAX]; /**< right-hand sides of the present solve */
    ov_vec3 force, torque;       /**< of the last substep, as impulses */
} ovi_sim_joint;

/* ---- forest of joints (sim_tree.c) */

typedef struct ovi_tree_node {
    double inverse[6][6]; /**< of the articulated inertia of the body's subtree */
    double bias[6];       /**< momentum that the subtree passes on */
    double change[6];     /**< of the velocity, v then w */
} ovi_tree_node;

typedef struct ovi_tree_edge {
    int count;                     /**< rows that are active */
    int index[OVI_ROWS_MAX];       /**< their numbers in the joint */
    double child[OVI_ROWS_MAX][6]; /**< their Jacobians */
    double parent[OVI_ROWS_MAX][6];
    double response[OVI_ROWS_MAX][6];          /**< inverse times the child's */
    double factor[OVI_ROWS_MAX][OVI_ROWS_MAX]; /**< Cholesky, of the rows' effective inverse mass */
    double gain[OVI_ROWS_MAX];                 /**< right-hand side, then impulse */
    uint32_t active;                           /**< the rows that the factor is of */
    bool has_pass;
    double pass[6][6]; /**< change of the child by that of the parent, if nothing pushes beyond */
} ovi_tree_edge;

/** An impulse on a body of a tree, the torque about its centre of mass. */
typedef struct ovi_tree_push {
    uint32_t slot;
    ov_vec3 force, torque;
} ovi_tree_push;

/** Free bodies by trees of joints, parents before children. */
typedef struct ovi_forest {
    uint32_t *order; /**< slots of bodies that have such a joint */
    size_t count, order_room;
    ovi_tree_node *nodes; /**< by slot */
    size_t node_room;
    ovi_tree_edge *edges; /**< by joint */
    size_t edge_room;
    uint32_t *loose; /**< joints that are in no tree, in ascending order */
    size_t loose_count, loose_room;
    uint32_t *heads; /**< by slot: the first of its joints, as twice the joint and which end */
    size_t head_room;
    uint32_t *nexts;
    size_t next_room;
    double scale; /**< reach of the smallest of these bodies */
    bool stale;   /**< bodies or joints have changed */
} ovi_forest;

/* ---- work on many bodies or contacts */

/** Of a contact: a damped spring, solved implicitly. */
typedef struct ovi_contact_spring {
    double rate; /**< of the push: 1 / time */
    double mass_scale, impulse_scale;
} ovi_contact_spring;

/** What ranges of bodies or contacts are worked on with. */
typedef struct ovi_sim_work {
    ov_sim *sim;
    double h;
    double time, left;             /**< the substep's start, and what is left of the frame then */
    size_t first;                  /**< of contacts: where the range begins */
    bool soft;                     /**< before the bodies move: overlapping ones are parted */
    bool moved;                    /**< the bodies have just moved */
    ovi_contact_spring springs[2]; /**< of pairs that give way, and of those with a body that does
                                        not */
} ovi_sim_work;

/** Ranges that wait, to be worked on one after the other. */
typedef struct ovi_sim_queue {
    ovi_stage stages[OVI_STAGES_MAX];
    ovi_sim_work works[OVI_STAGES_MAX];
    size_t count;
} ovi_sim_queue;

/* ---- contacts (sim_contact.c) */

/** What the solvers read and write of a point of contact, and nothing else: a large pile has more
 * of these than caches hold, and each substep goes through all of them several times. */
typedef struct ovi_sim_contact {
    uint32_t a, b; /**< slots */
    uint32_t part_a, part_b;
    uint8_t points; /**< of its pair of parts, from this one on; they are in a row */
    bool held;      /**< one of the bodies does not give way */
    bool bounces;
    bool in_tree; /**< one of the bodies is in a tree */
    bool slid;    /**< the bodies have slid or turned too far in this substep for a second solve */
    ov_vec3 arm_a, arm_b; /**< from the centres of mass to the common point */
    ov_vec3 normal, tangent1, tangent2;
    double now;       /**< the gap at the present poses */
    double mass_n;    /**< inverse of the response along the normal */
    double mass_t;    /**< inverse of the largest response across it */
    double across[2]; /**< response along the normal to the tangents */
    double friction, rolling;
    double normal_sum, tangent_sum[2]; /**< impulses of this substep */
    ov_vec3 rolling_sum;
    /** The impulses that are not at hand. From the start of a substep's first solve to that of its
     *  second one: what the second one begins by adding. Else: where the first one ended, and the
     *  next one begins. */
    double other_normal, other_tangent[2];
    ov_vec3 other_rolling;
} ovi_sim_contact;

/** What else is known of a point of contact, to follow it and to find it again. */
typedef struct ovi_contact_record {
    ov_vec3 wander_a, wander_b; /**< speeds of the arms, by what the last two searches found */
    double age;                 /**< time since it was found */
    double gap;                 /**< at the substep's start */
    ov_vec3 found_a, found_b;   /**< arms when it was found */
    double restitution;
    uint64_t key; /**< of the point in its manifold */
} ovi_contact_record;

/** Points of contact, those of a pair of parts in a row. */
typedef struct ovi_contact_list {
    ovi_sim_contact *items;
    ovi_contact_record *records; /**< of the items */
    size_t count, item_room, record_room;
} ovi_contact_list;

static inline void ovi_contact_list_free(const ov_allocator *by, ovi_contact_list *list) {
    ovi_release(by, list->items, list->item_room, sizeof *list->items);
    ovi_release(by, list->records, list->record_room, sizeof *list->records);
}

/** What is known of a contact in a tree while a substep is solved. */
typedef struct ovi_tree_contact {
    double applied[3]; /**< of the impulses, to bodies in trees: normal and tangents */
    ov_vec3 applied_rolling;
    size_t answers; /**< of the trees, to unit impulses: place in the pool */
} ovi_tree_contact;

/** Contacts of one colour have no free body in common, so that they may be solved in any order, or
 *  at once; those of the last two colours are solved one by one. */
enum { OVI_COLOURS = 34, OVI_COLOUR_REST = 32, OVI_COLOUR_TREES = 33 };

/** Bits of `taken` of a body, above those of the colours: it is not free, it is in a tree, it has
 *  contacts. */
enum { OVI_TAKEN_HELD = OVI_COLOUR_REST, OVI_TAKEN_TREE, OVI_TAKEN_TOUCH };

/** Where the points of one of the world's results go. */
typedef struct ovi_placing {
    uint32_t a, b;  /**< slots */
    uint32_t place; /**< of the first one among the items */
    uint8_t colour;
    uint8_t count; /**< 0: it is not taken over */
} ovi_placing;

typedef struct ovi_sim_contacts {
    ovi_contact_list now;
    size_t first[OVI_COLOURS + 1]; /**< of each colour */
    ovi_contact_list old;          /**< of the last search, for their impulses */
    size_t pairs;                  /**< of parts that have contacts now, at most */
    _Atomic uint32_t *table;       /**< by the hash of a pair of parts: its first old contact + 1 */
    size_t table_room, table_mask;
    ovi_placing *placings; /**< scratch: of the world's results */
    uint64_t *taken;       /**< by slot, of the last search: bits of colours, and others */
    size_t placing_room, taken_room;
    ovi_tree_contact *in_trees; /**< of the contacts from first[OVI_COLOUR_TREES] on */
    size_t in_tree_room;
    double (*answers)[6]; /**< changes of velocities of whole trees */
    size_t answer_count, answer_room;
    atomic_bool any_bounce;
    /** Contacts have to be looked for before the next substep: a body has left its margin, or a
     *  contact has slid. */
    atomic_bool stale;
    double limit; /**< of the last search */
} ovi_sim_contacts;

/** What a sweep of a fast body works with (sim_sweep.c): bodies near it, the fast one first. */
typedef struct ovi_sweep_scratch {
    ov_body *found;
    ov_sweep_body *bodies;
    ov_motion **motions;
    size_t found_room, body_room, motion_room;
} ovi_sweep_scratch;

/** Two bodies that never touch; a < b. */
typedef struct ovi_sim_filter {
    uint32_t a, b;
} ovi_sim_filter;

/** What has been seen while all bodies were moved, by several threads. */
typedef struct ovi_sim_outcome {
    atomic_bool not_finite;  /**< there is a number that is not */
    atomic_bool fast;        /**< a body may have passed through something */
    _Atomic double furthest; /**< no point of a body has moved further */
} ovi_sim_outcome;

struct ov_sim {
    ov_sim_options options; /**< with defaults filled in */
    ov_world *world;
    ovi_sim_body *bodies;
    ovi_mover *movers;
    size_t body_count, body_room, mover_room; /**< slots, used or not */
    size_t bodies_used;
    uint32_t free_body;
    ovi_sim_joint *joints;
    size_t joint_count, joint_room;
    size_t joints_used;
    uint32_t free_joint;
    ovi_forest forest;
    ovi_sim_contacts contacts;
    ovi_sweep_scratch sweep;
    ovi_sim_filter *filters; /**< sorted */
    size_t filter_count, filter_room;
    ov_body *moved; /**< scratch for ov_world_move_all */
    ov_pose *moved_poses;
    size_t moved_room, moved_pose_room;
    uint32_t *world_slots; /**< slots by those of the world's handles */
    size_t world_slot_room;
    uint32_t *roots; /**< scratch of islands */
    size_t root_room;
    double time;
    size_t frames, islands, swept;
    double h;            /**< of the present substep */
    double after;        /**< this part of a frame, how much of it is left */
    double bounce_speed; /**< slower approaches do not bounce, in this frame */
    bool factor_stale;   /**< the rows of joints are new since the forest was factored */
    ovi_sim_queue queue;
    ovi_sim_outcome outcome; /**< of the present substep */
};

/** Does a joint sleep with its bodies? */
static inline bool ovi_joint_sleeps(const ov_sim *sim, const ovi_sim_joint *joint) {
    bool of_b = joint->b != OVI_NO_BODY && ovi_is_free(&sim->movers[joint->b]);
    return sim->bodies[of_b ? joint->b : joint->a].asleep;
}

/** Are bodies of trees in contact with anything? */
static inline bool ovi_contacts_in_trees(const ov_sim *sim) {
    return sim->contacts.first[OVI_COLOUR_TREES] < sim->contacts.now.count;
}

/* A substep is many ranges of bodies and contacts, one after the other. To call threads together
 * for each of them would take as long as some of them do, so they are put off until something has
 * to be done that needs them: without joints that is twice in a substep. */

/** Does all that was put off. */
static inline void ovi_sim_do_now(ov_sim *sim) {
    ovi_stages_run(sim->queue.stages, sim->queue.count, &sim->options.threads);
    sim->queue.count = 0;
}

/** Puts a range of `count` items off until then, or until too many wait. */
static inline void ovi_sim_later(const ovi_sim_work *work, ovi_range_work function, size_t count,
                                 size_t grain) {
    ovi_sim_queue *queue = &work->sim->queue;
    if (count == 0) {
        return;
    }
    if (queue->count == OVI_STAGES_MAX) {
        ovi_sim_do_now(work->sim);
    }
    size_t i = queue->count++;
    queue->works[i] = *work;
    queue->stages[i] = (ovi_stage){function, &queue->works[i], count, grain};
}

/* sim.c */
ov_status ovi_sim_check_frame(const ov_sim *sim, double dt);
/** Advances by a part of a frame, of which `after` is left then: forces, and targets of bodies that
 *  are led, are for the whole frame. */
ov_status ovi_sim_step_part(ov_sim *sim, double dt, double after);
uint32_t ovi_sim_body_of(const ov_sim *sim, ov_sim_body id);
/** Notes which slot a body of the world has. */
bool ovi_sim_note_slot(ov_sim *sim, ov_body in_world, uint32_t slot);
ov_pose ovi_sim_pose(const ovi_sim_body *body);

/* sim_body.c */
/** World inverse inertia and angular velocity by the present orientation. */
void ovi_sim_refresh(ovi_sim_body *body, ovi_mover *mover);
/** Moves a free body by h from the substep's start (x0, q0), with its momenta. */
void ovi_sim_drift(ovi_sim_body *body, const ovi_mover *mover, double h);
/** Half of a kick by gravity and forces, with half of the damping. */
void ovi_sim_kick(const ov_sim *sim, const ovi_sim_body *body, ovi_mover *mover, double h);
/** Velocities of bodies that are led, from where they are to where they will be at a fraction of
 *  the frame. */
void ovi_sim_lead_on(ov_sim *sim, ovi_sim_body *body, ovi_mover *mover, double time, double h,
                     double left);

/* sim_joint.c */
/** Rows of a joint at the present poses, for a substep of h; if the bodies have just arrived there,
 * its springs do the rest of what they do in this substep. */
void ovi_joint_prepare(ov_sim *sim, ovi_sim_joint *joint, double h, bool arrived);
/** Errors of its positional rows at the present poses; returns the largest, angles as they are. */
double ovi_joint_errors(ov_sim *sim, ovi_sim_joint *joint);
/** Velocity of a row. */
double ovi_row_speed(const ov_sim *sim, const ovi_sim_joint *joint, const ovi_row *row);
/** Pushes the bodies of a joint by an impulse along a row. */
void ovi_row_push(ov_sim *sim, ovi_sim_joint *joint, const ovi_row *row, double impulse);
void ovi_joint_remove_of(ov_sim *sim, uint32_t body);
bool ovi_sim_is_filtered(const ov_sim *sim, uint32_t a, uint32_t b);
bool ovi_sim_reserve_filters(ov_sim *sim, size_t more);
void ovi_sim_filter_add(ov_sim *sim, uint32_t a, uint32_t b);

/* sim_tree.c */
bool ovi_forest_build(ov_sim *sim);
void ovi_forest_free(ov_sim *sim);
/** The answer of a tree, first to end in the order, to impulses on its bodies: the changes of the
 *  velocities are left in its nodes. The forest must have been solved since the rows are new. */
void ovi_forest_answer(ov_sim *sim, size_t first, size_t end, const ovi_tree_push *pushes,
                       int count);
/** Brings all joints to the targets of their velocities. */
void ovi_forest_solve(ov_sim *sim, ovi_joint_phase phase);

/* sim_find.c */
/** Contacts of the bodies at their present poses; `ahead`: for how long no contact may be missed.
 */
ov_status ovi_contacts_find(ov_sim *sim, double h, double ahead);
void ovi_contacts_free(ov_sim *sim);
/** Drops the contacts of a body. */
void ovi_contacts_forget(ov_sim *sim, uint32_t body);

/* sim_contact.c: what says so is put off (ovi_sim_later) */
/** Effective masses of a contact at the present poses. */
void ovi_contact_find_masses(const ov_sim *sim, ovi_sim_contact *c);
/** Will bodies bounce off each other in this substep, whose contact was found before its start?
 * They would part along where its normal was. */
bool ovi_contacts_bounce_late(ov_sim *sim, double h);
/** The start of a substep: what approaches bounces. */
ov_status ovi_contacts_begin(ov_sim *sim, double h);
/** Bodies in trees answer with the whole tree: what they answer at the present factor of the
 *  forest, and where a solve of contacts begins. */
ov_status ovi_contacts_enter_trees(ov_sim *sim);
/** Applies the impulses since then to the bodies themselves; the joints are to be solved next. */
void ovi_contacts_leave_trees(ov_sim *sim);
/** Sweeps over all contacts; `soft`: overlapping bodies are parted; `start`: begins with the
 *  impulses that the same solve ended with before. Put off where there are no trees. */
void ovi_contacts_solve(ov_sim *sim, double h, bool soft, bool start, int sweeps);
/** How far bodies of trees will be in each other at the end of a substep, beyond where they are. */
double ovi_contacts_approach(const ov_sim *sim, double h);
/** Gaps and arms at the present poses. Put off. */
void ovi_contacts_update(ov_sim *sim, double h);

/* sim_sweep.c */
/** Could one of a range of bodies have passed through something in this substep? */
void ovi_sweep_look(ov_sim *sim, double h, size_t begin, size_t end);
/** Stops bodies that have moved through something in this substep before they do. */
ov_status ovi_sweep_fast(ov_sim *sim, double h);
void ovi_sweep_free(ov_sim *sim);

/* sim_island.c */
void ovi_islands_update(ov_sim *sim, double dt);
/** Wakes a body and all that sleeps with it. */
void ovi_island_wake(ov_sim *sim, uint32_t body);
/** Wakes what sleeps on a body or against it: before and after the body is put elsewhere, and
 * before it is removed. Allocates nothing. */
void ovi_island_wake_near(ov_sim *sim, uint32_t body);
/** A sleeping body touches what is no further from it. */
double ovi_island_reach(const ov_sim *sim, uint32_t asleep);
/** Is a body led somewhere else in this substep? */
bool ovi_island_is_led(const ov_sim *sim, uint32_t body);

#endif
