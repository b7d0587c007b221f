/**
 * @file peers.h
 * @brief One C face for the libraries that Ovoid is compared with: FCL, libccd, Bullet.
 *
 * The peers are built as a module of their own, `libovoid_peers.so`, which the command loads for a
 * comparison and only then: the command itself needs none of these libraries, neither to be built
 * nor to run. The module knows nothing of libovoid but its headers; the support function it works
 * with is handed to it, so that it is the very same as Ovoid's own.
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
    const ov_shape *shape;
    ov_vec3 position;
    ov_mat3 rotation;
    peer_mesh mesh; /**< for methods on meshes and hulls, else empty */
    peer_support_function support;
} peer_body;

typedef enum peer_verdict { PEER_FAILED, PEER_SEPARATED, PEER_OVERLAPPING } peer_verdict;

typedef struct peer_answer {
    peer_verdict verdict;
    double gap; /**< NaN where the method has none to offer */
} peer_answer;

/** What a method works on. */
typedef enum peer_input {
    PEER_EXACT,     /**< the support function */
    PEER_MESH,      /**< triangles of the surface */
    PEER_HULL,      /**< convex hull of the mesh, with its faces */
    PEER_ELLIPSOID, /**< a primitive of its own; ellipsoids only */
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
} peer_method;

/** The methods of one library, an array of `count`. */
const peer_method *peer_fcl_methods(size_t *count);
const peer_method *peer_ccd_methods(size_t *count);
const peer_method *peer_bullet_methods(size_t *count);

/** The one entry of the module. All methods of all libraries it was built with; at most `most`. */
enum { PEER_METHODS_MAX = 24 };
size_t ovoid_peers_list(const peer_method **methods, size_t most);
typedef size_t (*ovoid_peers_list_function)(const peer_method **methods, size_t most);
#define OVOID_PEERS_ENTRY "ovoid_peers_list"

#ifdef __cplusplus
}
#endif

#endif
