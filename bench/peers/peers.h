/**
 * @file peers.h
 * @brief One C face for the libraries that Ovoid is compared with: FCL, libccd, Bullet, ODE.
 *
 * Each is optional: peers.c lists those that were there when ovoid-bench was built. They know
 * nothing of libovoid but its headers; the support function that they work with is handed to them,
 * so that it is the very same as Ovoid's own.
 *
 * A method makes one object for each placed body, outside the timing, and answers queries about two
 * of them. It catches the exceptions of its library; where the library ends the process instead
 * (assertions), `may_abort` says so, and the caller asks in a child process first.
 */
#ifndef OVOID_BENCH_PEERS_H
#define OVOID_BENCH_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ovoid/math.h>
#include <ovoid/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef ov_status (*peer_support_function)(const ov_shape *shape, ov_vec3 direction,
                                           ov_support *out);

typedef struct peer_mesh {
    const ov_vec3 *vertices;
    size_t vertex_count;
    const uint32_t (*triangles)[3];
    size_t triangle_count;
} peer_mesh;

/** A body as the methods get it. What it points to outlives the objects made of it. */
typedef struct peer_body {
    const ov_shape *shape; /**< of checks of a robot: null for a mesh that is one */
    ov_vec3 position;
    ov_mat3 rotation;
    peer_mesh mesh; /**< of a polyhedron, and for methods on meshes and hulls; else empty */
    peer_support_function support;
} peer_body;

typedef enum peer_verdict { PEER_FAILED, PEER_SEPARATED, PEER_OVERLAPPING } peer_verdict;

typedef struct peer_answer {
    peer_verdict verdict;
    double gap; /**< NaN where the method has none to offer */
} peer_answer;

/** What a method works on. */
typedef enum peer_input {
    PEER_EXACT, /**< the support function */
    PEER_MESH,  /**< triangles of the surface */
    PEER_HULL,  /**< convex hull of the mesh, with its faces */
    /** The library's own shape of that kind. It makes none of kinds that it does not have, and its
     * answer is PEER_FAILED for two kinds that it cannot compare. */
    PEER_NATIVE,
} peer_input;

typedef struct peer_method {
    const char *name; /**< what stands in the table */
    const char *id;   /**< one word, for files */
    peer_input input;
    bool gives_distance, gives_depth;
    bool may_abort;
    /** Tolerances to choose from, the tightest first, ended by 0; none: it has no such setting. */
    double tolerances[8];
    /** Null where the object could not be made. */
    void *(*make)(const peer_body *body);
    void (*destroy)(void *object);
    peer_answer (*ask)(const void *a, const void *b, double tolerance);
    /** Places an object anew, by position and rotation of the body; null: it cannot be moved. */
    void (*move)(void *object, const peer_body *body);
    /** Counts all pairs of triangles that cross, with a contact for each; null: it does not. */
#ifdef __cplusplus
    size_t (*contacts)(const void *a, const void *b) = nullptr;
#else
    size_t (*contacts)(const void *a, const void *b);
#endif
} peer_method;

/** The methods of one library, an array of `count`. */
const peer_method *peer_fcl_methods(size_t *count);
const peer_method *peer_ccd_methods(size_t *count);
const peer_method *peer_bullet_methods(size_t *count);
const peer_method *peer_ode_methods(size_t *count);

enum { PEER_METHODS_MAX = 24, PEER_BROADS_MAX = 4, PEER_CHECKS_MAX = 4, PEER_CONTINUOUS_MAX = 16 };

/* ---- broad phases: dynamic trees on boxes that are handed to them */

typedef struct peer_broad {
    const char *name; /**< what stands in the table */
    const char *id;   /**< one word, for files */
    /** A tree of so many boxes; null where it could not be made. */
    void *(*make)(const ov_aabb *boxes, size_t count);
    void (*destroy)(void *tree);
    /** Gives all leaves their new boxes, and counts the pairs of boxes that meet. */
    size_t (*step)(void *tree, const ov_aabb *boxes);
} peer_broad;

const peer_broad *peer_fcl_broad(void);
const peer_broad *peer_bullet_broad(void);

/* ---- checks of a robot: bodies in motion against each other and against bodies at rest */

typedef struct peer_check {
    const char *name; /**< what stands in the table */
    const char *id;   /**< one word, for files */
    /**
     * So many bodies, the first ones of which move; excluded[i * moving + j], of two of these:
     * they may meet. Null where it could not be made.
     */
    void *(*make)(const peer_body *bodies, size_t count, size_t moving, const bool *excluded);
    void (*destroy)(void *check);
    /** Places the moving bodies; does any of them meet another one, or one at rest if asked for? */
    peer_verdict (*collides)(void *check, const ov_pose *poses, bool at_rest);
    /** Places the moving bodies; how many pairs of them are no further apart than the limit? Less
     *  than 0 where that failed. */
    long (*within)(void *check, const ov_pose *poses, double limit);
} peer_check;

const peer_check *peer_fcl_check(void);

/* ---- continuous collision: a body in motion against one at rest
 *
 * Motions are those that all can have exactly: the middle of the body goes straight on at constant
 * speed, and the body turns about it, about a fixed axis, at constant speed too, by any angle. */

/** From time 0 to 1; where it begins is the place of the body. */
typedef struct peer_travel {
    ov_vec3 way;      /**< of the origin, all of it */
    ov_vec3 axis;     /**< unit, in the world */
    double angle_rad; /**< all of the turn; any size */
} peer_travel;

typedef struct peer_first {
    peer_verdict verdict; /**< separated: no contact during the whole motion */
    double time;          /**< of the first contact; NaN where there is none */
} peer_first;

/** What a method works on. */
typedef enum peer_matter {
    PEER_PRIMITIVE, /**< a box or an ellipsoid of its own */
    PEER_CONVEX,    /**< the convex hull of the mesh */
    PEER_TRIANGLES  /**< the mesh */
} peer_matter;

typedef struct peer_continuous {
    const char *name; /**< what stands in the table */
    const char *id;   /**< one word, for files */
    peer_matter matter;
    bool no_ellipsoids; /**< the library refuses them */
    bool only_straight; /**< the library takes no turns */
    bool slow;          /**< up to a second: to be asked about some motions only */
    /** Null where the object could not be made. */
    void *(*make)(const peer_body *body);
    void (*destroy)(void *object);
    peer_first (*ask)(const void *moving, const peer_travel *travel, const void *resting);
} peer_continuous;

const peer_continuous *peer_fcl_continuous(size_t *count);

/* ---- cloth over bodies at rest and the ground z = 0 */

typedef struct peer_cloth_scene {
    const ov_vec3 *vertices;
    const uint32_t (*triangles)[3];
    size_t vertex_count, triangle_count;
    const peer_body *bodies;
    size_t body_count;
    double mass, friction, margin; /**< margin: of the bodies and the cloth */
    int steps, iterations;         /**< of a frame; of a step */
} peer_cloth_scene;

typedef struct peer_cloth {
    const char *name; /**< what stands in the table */
    const char *id;   /**< one word, for files */
    /** Null where it could not be made. */
    void *(*make)(const peer_cloth_scene *scene);
    void (*destroy)(void *cloth);
    void (*step)(void *cloth, double dt);
    void (*positions)(const void *cloth, ov_vec3 *positions);
} peer_cloth;

const peer_cloth *peer_bullet_cloth(void);

/* ---- piles: bodies that fall into a box */

/** A body of a pile. */
typedef struct peer_stone {
    peer_mesh hull; /**< in the body's frame; may be shared by several */
    ov_mass mass;   /**< with an inertia along the axes of the frame */
    ov_pose pose;   /**< of the frame */
} peer_stone;

typedef struct peer_motion {
    ov_pose pose;           /**< of the body's frame */
    ov_vec3 velocity, spin; /**< of the centre of mass; in the world's axes */
} peer_motion;

/** The box has its floor at z = 0, walls at x and y = +-half, and no lid; gravity is along -z. */
typedef struct peer_pile {
    const char *name; /**< what stands in the table */
    const char *id;   /**< one word, for files */
    /** Null where it could not be made. */
    void *(*make)(const peer_stone *stones, size_t count, double half, double friction);
    void (*destroy)(void *pile);
    void (*step)(void *pile, double dt);
    peer_motion (*get)(const void *pile, size_t index);
} peer_pile;

enum { PEER_PILES_MAX = 2 };
const peer_pile *peer_bullet_pile(void);
const peer_pile *peer_ode_pile(void);

#ifdef __cplusplus
}
#endif

#endif
