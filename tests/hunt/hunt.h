/**
 * @file hunt.h
 * @brief What the hunts share: options, random numbers, drawn shapes, and how findings are told.
 */
#ifndef OVOID_HUNT_H
#define OVOID_HUNT_H

#include <fenv.h>
#include <stdint.h>
#include <stdio.h>

#include <ovoid/ovoid.h>

#include "oracle.h"

/* ---- random numbers: splitmix64, one stream for each unit of work -----------------------------
 */

typedef struct stream {
    uint64_t state;
} stream;

stream stream_of(uint64_t seed, uint64_t unit);
uint64_t draw_bits(stream *r);
/** 0 to count - 1. */
unsigned draw_index(stream *r, unsigned count);
double draw_between(stream *r, double lo, double hi);
/** Uniform in the logarithm. */
double draw_log(stream *r, double lo, double hi);
double draw_sign(stream *r);
ov_vec3 draw_unit(stream *r);
/** Any rotation, with quarter turns, the identity, and quaternions of other lengths among them. */
ov_quat draw_rotation(stream *r);

/* ---- shapes ---------------------------------------------------------------------------------- */

/** What is drawn: each kind of query shapes, custom ones by two support functions. */
typedef enum draw_kind {
    DRAW_SPHERE,
    DRAW_ELLIPSOID,
    DRAW_SUPERELLIPSOID,
    DRAW_SUPEROVOID,
    DRAW_HALFSPACE,
    DRAW_BOX,
    DRAW_CAPSULE,
    DRAW_CYLINDER,
    DRAW_CONE,
    DRAW_POLYHEDRON,
    DRAW_TRIANGLE,
    DRAW_SEGMENT,
    DRAW_POINT,
    DRAW_ROUNDED_BOX, /**< custom */
    DRAW_DROP,        /**< custom */
    DRAW_KINDS
} draw_kind;

/** Does a kind have faces, edges or rims, along or around the axes of its frame? */
bool draw_kind_has_features(draw_kind kind);

/** A shape of the library and the same body of the oracle; must not be moved once made. */
typedef struct drawn {
    draw_kind kind;
    double size;
    double p[8]; /**< what the constructor was given */
    bool with_triangles;
    size_t vertex_count;
    ov_vec3 vertices[BODY_POINTS_MAX];
    ov_shape_options options;
    ov_shape shape;
    body oracle;
    body_node nodes[BODY_NODES_MAX];
    size_t used; /**< of the room for a polyhedron's table */
    double room[1 << 18];
} drawn;

/** How wild the numbers are: sizes, aspect ratios, exponents and tapers of every day, or the ends
 *  of what the constructors take. */
typedef enum wildness { TAME, WILD } wildness;

/** Draws parameters of a kind, of about a size. */
void draw_parameters(stream *r, draw_kind kind, double size, wildness wild, drawn *out);
/** Makes both from the parameters; the constructor's status. */
ov_status drawn_make(drawn *d);
/** Makes the library's shape alone; a custom one refers to `d`. */
ov_status drawn_make_shape(drawn *d);
/** C text of the shape: `ov_shape NAME; ...`. */
void drawn_print(FILE *out, const char *name, const drawn *d);
const char *draw_kind_name(draw_kind kind);

placed placed_at(const drawn *d, ov_pose pose);
rvec rv_from(ov_vec3 v);
void pose_print(FILE *out, const char *name, ov_pose pose);

/* ---- figures and findings -------------------------------------------------------------------- */

/** What can be wrong. The texts are in hunt.c. */
typedef enum finding {
    FINDING_REFUSED,
    FINDING_NAN,
    FINDING_CROSSED,
    FINDING_NORMAL,
    FINDING_LOWER,
    FINDING_LOWER_NORMAL,
    FINDING_UPPER,
    FINDING_RELATION,
    FINDING_WIDE,
    FINDING_POINT_OFF,
    FINDING_POINT_BELOW,
    FINDING_POINTS_FAR,
    FINDING_POINTS_GAP,
    FINDING_DISAGREE,
    FINDING_YES,
    FINDING_NO,
    FINDING_UNKNOWN,
    FINDING_BATCH,
    FINDING_SUPPORT_LOW,
    FINDING_SUPPORT_HIGH,
    FINDING_SUPPORT_POINT,
    FINDING_FREE,
    FINDING_EARLY,
    FINDING_NO_CONTACT,
    FINDING_PROMISE,
    FINDINGS
} finding;

/** Things that are counted and are no findings. */
typedef enum figure {
    FIGURE_CASES,
    FIGURE_QUERIES,
    FIGURE_DIRECTED,
    FIGURE_SEPARATED,
    FIGURE_OVERLAPPING,
    FIGURE_TOUCHING,
    FIGURE_UNDECIDED,
    FIGURE_NOT_CONVERGED,
    FIGURE_LIMITS,
    FIGURE_UNKNOWN,
    FIGURE_BATCHED,
    FIGURE_PROVEN_BOTH,
    FIGURE_UNSURE,
    FIGURE_SHAPES_REFUSED,
    FIGURE_ROUNDING_REFUSED,
    FIGURE_SHALLOW,
    FIGURE_SUPPORTS,
    FIGURE_SWEEPS,
    FIGURE_FREE,
    FIGURE_CONTACT,
    FIGURE_SWEEP_UNDECIDED,
    FIGURE_CASTS,
    FIGURE_HITS,
    FIGURE_MISSES,
    FIGURE_CAST_UNDECIDED,
    FIGURES
} figure;

typedef struct tally {
    uint64_t figures[FIGURES];
    uint64_t findings[FINDINGS][2]; /**< to nearest, other rounding modes */
    uint64_t printed[FINDINGS][2];
    double worst[FINDINGS][2]; /**< by how much, in units of the size */
    uint64_t unit;             /**< at work on: to be blamed for a crash */
} tally;

typedef struct hunt_options {
    uint64_t seed, count, only;
    bool has_only;
    unsigned processes, show;
    bool rounding_refusal_ok; /**< a directed rounding mode may be refused */
} hunt_options;

/** One process' part of a hunt. */
typedef struct hunt {
    const hunt_options *options;
    uint64_t unit;
    tally *tally;
} hunt;

/**
 * Counts a finding and opens its report; the caller writes the reproducer to the file that it gets
 * and closes it by finding_end. Null where enough of its kind were shown. `excess` in units of the
 * size.
 */
FILE *finding_begin(hunt *h, finding what, bool directed, double excess);
void finding_end(FILE *report);
/** A figure of this process. */
void figure_add(hunt *h, figure what, uint64_t count);

/** A size of every day, or now and then one that is hardly allowed. */
double draw_size(stream *r);
/** A shape of any kind, or mostly of those with features, of about a size; a constructor that
 *  refuses for no good reason is a finding. */
void draw_shape(stream *r, hunt *h, bool may_be_plane, bool with_features, double size, drawn *d);

/** Each does the work of one unit; how many things that is. */
enum { PAIRS_UNIT_CASES = 16 };
void hunt_pairs_unit(hunt *h);
void hunt_support_unit(hunt *h);
void hunt_sweeps_unit(hunt *h);
void hunt_casts_unit(hunt *h);

#endif
