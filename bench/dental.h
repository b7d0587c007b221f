/**
 * @file dental.h
 * @brief Two molars in a bite [Benchmark, 5.3, 6.4, Figs 12 to 14]: `ovoid-bench dental`.
 */
#ifndef OVOID_BENCH_DENTAL_H
#define OVOID_BENCH_DENTAL_H

#include <ovoid/world.h>

#include "bench.h"

/* ---- the teeth and the bite; lengths in millimetres */

enum { DENTAL_FRAMES = 181, DENTAL_TEETH = 2, DENTAL_PARTS_MAX = 16 };

typedef enum dental_which { DENTAL_LOWER, DENTAL_UPPER } dental_which;

typedef struct dental_tooth {
    const char *name;
    size_t count;
    ov_part parts[DENTAL_PARTS_MAX];
} dental_tooth;

/** Both teeth; false where a shape cannot be made, which would be a mistake in the tables. */
bool dental_make(dental_tooth teeth[DENTAL_TEETH]);

/** What a part is: "mesiobuccal cusp"; "" beyond the last. */
const char *dental_part_name(dental_which tooth, size_t part);

/** Where the upper tooth is in a frame, 0 to 180; the lower one rests at the origin. */
ov_pose dental_bite(int frame);

/** The files of data/dental. */
void dental_write_scene(FILE *out);
void dental_write_bite(FILE *out);

/* ---- the least gap of two bodies of several parts */

/** The pair of parts with the least gap: A is of the lower tooth, B of the upper one. */
typedef struct dental_least {
    size_t part_a, part_b;
    ov_contact contact; /**< of these two; `gap_lower` holds for all pairs */
    size_t queries;     /**< pair queries that were needed; of a world: contacts */
} dental_least;

enum { DENTAL_PAIRS_MAX = DENTAL_PARTS_MAX * DENTAL_PARTS_MAX };

/** What is kept from one frame to the next. */
typedef struct dental_track {
    const dental_tooth *teeth;
    ov_pair_options options;
    double reach;   /**< of the upper tooth, from its origin */
    bool begun;     /**< false: nothing is known yet */
    ov_pose pose;   /**< of the upper tooth, the last time */
    double travel;  /**< no point of it went further than this since the beginning */
    size_t nearest; /**< the pair with the least gap, the last time */
    size_t count;   /**< of pairs: part_a * parts of the upper tooth + part_b */
    double known[DENTAL_PAIRS_MAX]; /**< a pair's gap is at least this less `travel` */
    ov_warm_start warm[DENTAL_PAIRS_MAX];
    ov_ball balls[DENTAL_TEETH][DENTAL_PARTS_MAX]; /**< of the parts, in the tooth's frame */
} dental_track;

void dental_track_begin(dental_track *track, const dental_tooth teeth[DENTAL_TEETH],
                        ov_depth depth);
/** Forgets what was learned, so that the next step is a cold one. */
void dental_track_forget(dental_track *track);
/** The least gap over all pairs of parts. Returns contact.status; negative: no answer. */
ov_status dental_track_step(dental_track *track, ov_pose upper, dental_least *least);

/**
 * The same by a world of two bodies, which finds the nearest pair and all others that overlap: the
 * limit of each search is what the last gap can have become.
 */
typedef struct dental_world {
    const dental_tooth *teeth;
    ov_geometry *geometries[DENTAL_TEETH];
    ov_world *world;
    ov_body bodies[DENTAL_TEETH];
    double reach, gap;
    bool begun;
    ov_pose pose; /**< of the upper tooth, the last time */
} dental_world;

/** False without memory; to be ended in any case. */
bool dental_world_begin(dental_world *world, const dental_tooth teeth[DENTAL_TEETH]);
void dental_world_end(dental_world *world);
ov_status dental_world_step(dental_world *world, ov_pose upper, dental_least *least);

/** Pose in the world of something with pose `part` in the frame of `body`. */
ov_pose dental_place(ov_pose body, ov_pose part);

/* ---- the study */

/** Triangles of a tooth, as in the paper. */
enum { DENTAL_COARSE = 6200, DENTAL_FINE = 24000, DENTAL_MESHES = 2 };

/** How a row gets its answer. */
typedef enum dental_way {
    DENTAL_COHERENT,  /**< Ovoid, with what it knows from the frame before */
    DENTAL_LOCAL,     /**< ... and with the depth near the last one, not the least of all */
    DENTAL_COLD,      /**< Ovoid, each frame for itself */
    DENTAL_WORLD,     /**< Ovoid's world: all pairs that overlap too */
    DENTAL_BOXES,     /**< Ovoid, pairs whose boxes overlap only, as the paper does */
    DENTAL_PUBLISHED, /**< quadImplicit on the same pairs: the paper's own way */
    DENTAL_MESH       /**< a method on meshes */
} dental_way;

typedef struct dental_answer {
    double ns;
    double gap;       /**< NaN: none */
    bool answered;    /**< it said something */
    bool overlapping; /**< ... namely this */
    size_t failed;    /**< pair queries without an answer */
} dental_answer;

typedef struct dental_row {
    dental_way way;
    const peer_method *method; /**< DENTAL_MESH */
    int mesh;                  /**< 0: coarse, 1: fine */
    char name[64], id[40];
    dental_answer frames[DENTAL_FRAMES];
} dental_row;

enum { DENTAL_ROWS_MAX = 10 };

/** Frames by what Ovoid proves: the halves of Fig. 13. */
typedef enum dental_half { DENTAL_APART, DENTAL_MEETING } dental_half;
enum { DENTAL_HALVES = 2 };

typedef struct dental_study {
    dental_tooth teeth[DENTAL_TEETH];
    dental_row rows[DENTAL_ROWS_MAX];
    size_t row_count;
    size_t triangles[DENTAL_MESHES][DENTAL_TEETH]; /**< 0 without the other libraries */
    dental_least least[DENTAL_FRAMES];             /**< of the first row, which is coherent */
    dental_half half[DENTAL_FRAMES];
    size_t half_count[DENTAL_HALVES];
    double clock_ns;
} dental_study;

/** A tooth as one mesh: the meshes of its parts, together about so many triangles. */
bool dental_mesh(const dental_tooth *tooth, size_t triangles, bench_mesh *mesh);

/** False without memory, or where a mesh could not be made. */
bool dental_measure(const bench_peers *peers, const bench_progress *progress, dental_study *study);

/** Figures of a row over the frames of a half; NaN where there is nothing to tell. */
typedef struct dental_figures {
    size_t frames;            /**< that were answered */
    size_t wrong;             /**< of these: meeting for apart or the other way */
    size_t failed;            /**< pair queries without an answer */
    double mean, median, max; /**< ns */
    size_t gaps;
    double mean_error, worst_error; /**< of the gap, against the certified one */
    uint64_t hash;                  /**< of all gaps */
} dental_figures;

dental_figures dental_figure(const dental_study *study, size_t row, dental_half half);

/** Steps of a row's gap from frame to frame. */
typedef struct dental_steps {
    size_t jumps;       /**< by more than the tooth moved */
    double worst_ratio; /**< largest step, in units of the motion */
    int worst_frame;    /**< ... to this frame */
    int first, last;    /**< frames with a gap; -1: none */
} dental_steps;

dental_steps dental_step(const dental_study *study, size_t row);
/** Most that a point of the upper tooth moves from the frame before. */
double dental_motion(int frame);
/** Index of the row of this way and mesh; row_count where it is not there. */
size_t dental_find(const dental_study *study, const char *id);

void dental_print(FILE *out, const dental_study *study);
void dental_csv(FILE *out, const dental_study *study);

#endif
