/**
 * @file bench.h
 * @brief What the studies of `ovoid-bench` share: how they are called; random numbers, the clock,
 * figures, tables and CSV; calls that may end the process; peers and their meshes.
 */
#ifndef OVOID_BENCH_BENCH_H
#define OVOID_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <ovoid/ovoid.h>

#include "cli.h"
#include "peers/peers.h"
#include "timing.h"

/* ---- studies */

/** The other libraries, as far as they were there when the program was built. */
typedef struct bench_peers {
    const peer_method *methods[PEER_METHODS_MAX];
    const peer_broad *broads[PEER_BROADS_MAX];
    const peer_check *checks[PEER_CHECKS_MAX];
    const peer_continuous *continuous[PEER_CONTINUOUS_MAX];
    const peer_pile *piles[PEER_PILES_MAX];
    size_t count, broad_count, check_count, continuous_count; /**< count: of the methods */
    const peer_cloth *cloth;                                  /**< null: none */
    size_t pile_count;
} bench_peers;

/** Lists them all (peers.c, which only the program itself has). */
void bench_peers_list(bench_peers *peers);
/** Which packages to install where there are none. */
extern const char bench_peers_missing[];

/** Who wants to know how far a piece of work is. */
typedef struct bench_progress {
    void (*show)(void *user, const char *what, size_t done, size_t all);
    void *user;
} bench_progress;

void bench_show(const bench_progress *progress, const char *what, size_t done, size_t all);

/** What a study works with. */
typedef struct bench_job {
    size_t pairs, seed;
    size_t frames; /**< 0: as many as there are */
    size_t bodies;
    size_t points;    /**< 0: as many as the study has */
    const char *only; /**< this one of several tables; null: all */
    const char *data; /**< folder of the bundled data */
    char **files;     /**< that the study is about */
    size_t file_count;
    const bench_peers *peers;
    const bench_progress *progress;
    FILE *csv, *queries, *svg; /**< null: not asked for */
} bench_job;

/** Measures, prints the table and writes the files: CLI_OK, or CLI_BAD_INPUT after a message. */
typedef int (*bench_study)(cli *c, const bench_job *job);

int study_battery(cli *c, const bench_job *job);
int study_accuracy(cli *c, const bench_job *job);
int study_schemes(cli *c, const bench_job *job);
int study_portal(cli *c, const bench_job *job);
int study_convergence(cli *c, const bench_job *job);
int study_icub(cli *c, const bench_job *job);
int study_dental(cli *c, const bench_job *job);
int study_world(cli *c, const bench_job *job);
int study_pile(cli *c, const bench_job *job);
int study_motion(cli *c, const bench_job *job);
int study_shape(cli *c, const bench_job *job);
int study_self_check(cli *c, const bench_job *job);
int study_robots(cli *c, const bench_job *job);
int study_robot_fits(cli *c, const bench_job *job);
int study_fit(cli *c, const bench_job *job);
int study_segments(cli *c, const bench_job *job);
int study_single_fits(cli *c, const bench_job *job);
int study_sim(cli *c, const bench_job *job);
int study_cloth(cli *c, const bench_job *job);
int study_touch(cli *c, const bench_job *job);

/** Verbs that are no studies (verb_schemes.c). */
extern const cli_verb bench_verb_schemes;
extern const cli_verb bench_verb_pairs;

/** Says that the program was built without the published schemes. Returns CLI_BAD_INPUT. */
int bench_no_schemes(cli *c, const char *what);
/** Says that there is not enough memory. Returns CLI_BAD_INPUT. */
int bench_no_memory(cli *c, const char *what);

/* ---- random numbers: splitmix64, the same on every machine */

typedef struct bench_random {
    uint64_t state;
} bench_random;

double bench_uniform(bench_random *r, double lo, double hi);
ov_vec3 bench_direction(bench_random *r);
/** Uniform over all rotations. */
ov_quat bench_rotation(bench_random *r);

/* ---- the clock */

/** Nanoseconds of a clock that never goes back. */
double bench_now_ns(void);
/** Nanoseconds of the processor that this program has had, where others may be at work beside it.
 */
double bench_cpu_ns(void);
/** What two readings of the clock take, one right after the other. */
double bench_clock_ns(void);

/* ---- figures, tables, CSV */

/** Of some values; NaN where there are none. */
typedef struct bench_figures {
    size_t count;
    double mean, sd, median, p99, worst;
} bench_figures;

/** Sorts the values. */
bench_figures bench_figure(double *values, size_t count);

/** A hash over gaps begins with this number. */
#define BENCH_HASH_START 1469598103934665603u
/** Takes a gap into a hash; NaN, which has many faces, always in the same way. */
void bench_hash_gap(uint64_t *hash, double gap);

/** A blank and the number in the format, to the right in so many columns; "-" if not finite. */
void bench_cell(FILE *out, int width, const char *format, double value);
/** A line of goals: what, the limit, what was measured, and whether that meets it. */
void bench_goal(FILE *out, int width, const char *what, double goal, bool at_most, double measured);
/** A comma and the number, or nothing behind it where it is not finite. */
void bench_csv_number(FILE *out, double value);
void bench_csv_numbers(FILE *out, const double *values, size_t count);

/* ---- calls that may end the process */

/** What became of a guarded call. */
enum { CALL_UNTRIED = 0, CALL_STARTED, CALL_GOOD, CALL_FAILED, CALL_DIED };

/**
 * Makes `count` calls in a child process and notes what became of each; the call returns whether it
 * went well. A call that ends the child, or takes longer than ten seconds, is CALL_DIED, and the
 * next child goes on behind it. With `stop` the first such call is the last.
 */
void bench_guard(size_t count, bool (*call)(size_t index, void *context), void *context, bool stop,
                 unsigned char *fates);

/* ---- what the peers' methods work on */

/** A mesh that owns its memory. */
typedef struct bench_mesh {
    ov_vec3 *vertices;
    uint32_t (*triangles)[3];
    size_t vertex_count, triangle_count;
} bench_mesh;

/** Tessellation of a shape with at most so many vertices, or its convex hull. */
bool bench_mesh_make(const ov_shape *shape, size_t vertices, bool hull, bench_mesh *mesh);
void bench_mesh_free(bench_mesh *mesh);

/** A placed body as the peers get it; the mesh of a polyhedron is its own, others have none. */
peer_body bench_body(const ov_shape *shape, ov_pose pose);
/** The body's object for a method, with a mesh of at most `vertices` where it needs one. */
void *bench_object_make(const peer_method *method, const ov_shape *shape, ov_pose pose,
                        size_t vertices);

#endif
