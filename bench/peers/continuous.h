/**
 * @file continuous.h
 * @brief Continuous collision of other libraries: a body in motion against one at rest.
 *
 * Part of the module of peers.h, with an entry of its own. Motions are those that all can have
 * exactly: the middle of the body goes straight on at constant speed, and the body turns about it,
 * about a fixed axis, at constant speed too, by any angle.
 */
#ifndef OVOID_BENCH_CONTINUOUS_H
#define OVOID_BENCH_CONTINUOUS_H

#include <stdbool.h>
#include <stddef.h>

#include "peers.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/** The entry: all that the module was built with; at most `most`. */
enum { PEER_CONTINUOUS_MAX = 16 };
size_t ovoid_peers_continuous(const peer_continuous **methods, size_t most);
typedef size_t (*ovoid_peers_continuous_function)(const peer_continuous **methods, size_t most);
#define OVOID_CONTINUOUS_ENTRY "ovoid_peers_continuous"

#ifdef __cplusplus
}
#endif

#endif
