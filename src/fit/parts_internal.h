/**
 * @file parts_internal.h
 * @brief What the files of the decomposition into parts share (ovoid/fit_parts.h).
 *
 * The search works in floats, in a frame of its own: the box of the mesh centred at the origin, its
 * longest side 1. It proves nothing; parts_certificate.c does, in the caller's frame.
 */
#ifndef OVI_PARTS_INTERNAL_H
#define OVI_PARTS_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <ovoid/fit_parts.h>

#include "math/lanes.h"

/* ---- logarithm and exponential in floats, for loops that become vectors: errors about 1e-6 */

/** Natural logarithm of a normal positive number. */
OVI_INLINE float ovi_fast_log(float x) {
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    int32_t k = (bits - 0x3f3504f3) >> 23;
    int32_t low = bits - (int32_t)((uint32_t)k << 23);
    float m;
    memcpy(&m, &low, sizeof m);
    float t = (m - 1.0f) / (m + 1.0f), t2 = t * t;
    float s = t * (2.0f + t2 * (0.66666667f + t2 * (0.4f + t2 * 0.2857143f)));
    return (float)k * 0.69314718f + s;
}

/** e^x, for x held within +-80. */
OVI_INLINE float ovi_fast_exp(float x) {
    x = x < 80.0f ? x : 80.0f;
    x = x > -80.0f ? x : -80.0f;
    float y = x * 1.44269504f, whole = y + 12582912.0f;
    int32_t bits;
    memcpy(&bits, &whole, sizeof bits);
    float f = (y - (whole - 12582912.0f)) * 0.69314718f;
    float p =
        1.0f + f * (1.0f + f * (0.5f + f * (0.16666667f + f * (0.041666667f + f * 0.0083333f))));
    int32_t scale = (int32_t)((uint32_t)(bits - 0x4b400000 + 127) << 23);
    float two;
    memcpy(&two, &scale, sizeof two);
    return p * two;
}

/* ---- field: which cells of a grid are inside, and how deep (parts_field.c) */

/** Samples, one array a coordinate. */
typedef struct ovi_samples {
    float *x, *y, *z;
    size_t count, capacity;
} ovi_samples;

bool ovi_samples_add(ovi_samples *s, float x, float y, float z);
void ovi_samples_free(ovi_samples *s);

/** Cells about the box of the mesh on each side, so that parts that stand out are seen. */
enum { OVI_FIELD_BORDER = 6 };

/**
 * Cells are numbered with x fastest; cell i begins at origin + h i. Each has a sample somewhere in
 * it, by chance, but all of a row are on one line along x: a part that is thinner than a cell
 * cannot hide between samples, as it could between centres.
 */
typedef struct ovi_field {
    double origin[3], h;
    int n[3];
    bool *inside;        /**< of the mesh, by its winding number */
    float *depth;        /**< distance to the nearest cell of the other sign; negative outside */
    ovi_samples surface; /**< corners of triangles, and points between them where they are large */
    uint32_t (*facets)[3]; /**< triangles of these samples; of a cloud: each point three times */
    size_t facet_count;
    size_t inside_count;
} ovi_field;

/** A mesh in the frame of the search. */
typedef struct ovi_soup {
    ov_vec3 *points;
    const uint32_t (*triangles)[3];
    size_t point_count, triangle_count;
} ovi_soup;

/** `cells` along the longest side. OV_ERROR_MEMORY. */
ov_status ovi_field_make(const ovi_soup *mesh, int cells, ovi_field *field);
void ovi_field_free(ovi_field *field);

static inline size_t ovi_field_index(const ovi_field *f, int i, int j, int k) {
    return ((size_t)k * (size_t)f->n[1] + (size_t)j) * (size_t)f->n[0] + (size_t)i;
}

/** A number in (0, 1) that looks random: of n, and not of the seed, so that fields are the same. */
static inline float ovi_scatter(uint32_t n) {
    n = (n ^ (n >> 16)) * 0x7feb352du;
    n = (n ^ (n >> 15)) * 0x846ca68bu;
    n ^= n >> 16;
    return ((float)(int32_t)(n >> 8) + 0.5f) * 0x1p-24f;
}

/**
 * Where the line of samples of a row of cells is. Rows beside each other are spread evenly over the
 * height of a cell (multiples of the plastic number's inverse, modulo 1), and so over its depth.
 */
static inline void ovi_field_line(const ovi_field *f, int j, int k, double *y, double *z) {
    double a = 0.7548776662466927, b = 0.5698402909980532;
    double u = a * k + b * j, v = a * j + b * k;
    *y = f->origin[1] + f->h * (j + u - (double)(int)u);
    *z = f->origin[2] + f->h * (k + v - (double)(int)v);
}

/** Where on it the sample of the row's cell i, which is number `index`, is. */
static inline float ovi_field_x(const ovi_field *f, int i, size_t index) {
    return (float)f->origin[0] + (float)f->h * ((float)i + ovi_scatter(~(uint32_t)index));
}

/** The same for `count` cells of a row, the first of them cell i of it, number `index`. */
void ovi_field_xs(const ovi_field *f, int i, size_t index, size_t count, float *x);

static inline size_t ovi_field_count(const ovi_field *f) {
    return (size_t)f->n[0] * (size_t)f->n[1] * (size_t)f->n[2];
}

/* ---- a part as the search sees it (parts_gauge.c) */

enum { OVI_PART_NUMBERS = 13 };

/** Centre, rotation, logarithms of the semi-axes; exponents and tapers as e and as t/t_max. */
typedef struct ovi_part {
    ov_vec3 centre;
    ov_quat rotation;
    double log_a[3];
    double e[2];
    double t[2]; /**< in units of ovi_taper_max(e[1]) */
} ovi_part;

/** Largest taper with which the profile of a tapered superellipsoid is convex. */
double ovi_taper_max(double e2);

/** Samples' gauges and their derivatives, block by block. */
enum { OVI_BLOCK = 256 };

/** Numbers of the part in the form that the samples are evaluated with. */
typedef struct ovi_part_constants {
    float c[3], rt[9]; // rows: the part's axes
    float ia[3], tx, ty, p1, p2;
    bool round;       // an ellipsoid: exponents 1, no taper
    bool stays_round; // and will be one: derivatives by tapers and exponents are 0
} ovi_part_constants;

typedef struct ovi_gauge_block {
    float log_g[OVI_BLOCK], rho[OVI_BLOCK];
    float x[OVI_BLOCK], y[OVI_BLOCK], z[OVI_BLOCK]; // in the part's frame
    /** Derivatives of log G by x, y, z, the logarithms of the semi-axes, tx, ty, p1, p2. */
    float d[10][OVI_BLOCK];
} ovi_gauge_block;

/** Are all its numbers finite? No others may come into a set of parts: they would hold nothing, at
 * no cost. */
bool ovi_part_is_finite(const ovi_part *part);
ovi_part_constants ovi_part_prepare(const ovi_part *part);
/** log G and the distance from the centre of `count` samples. */
void ovi_gauge_values(const ovi_part_constants *p, const float *x, const float *y, const float *z,
                      size_t count, float *log_g, float *rho);
void ovi_gauge_block_fill(const ovi_part_constants *p, const float *x, const float *y,
                          const float *z, size_t count, ovi_gauge_block *out);
/**
 * Profiles are convex within the limits of the taper, and so is a body with the same taper in x and
 * in y, or with a square section; others may have a dent, which takes as long to find as a fit.
 */
bool ovi_part_may_dent(const ovi_part *part);
/** The part as a shape, scaled; its tapers are reduced until its dent is small. */
ov_status ovi_part_shape(ovi_part *part, double scale, ov_shape *shape);
/** Rows that are looked at together. */
enum { OVI_ROWS = 32 };

/**
 * Goes over the rows of cells whose samples may be in a box along the part's own axes that contains
 * it, enlarged by a margin:
 *
 *     for (ovi_row_walk w = ovi_rows_of(part, margin, f); ovi_rows_next(&w);) { w.j, w.k ... }
 */
typedef struct ovi_row_walk {
    int j, k;     /**< the row */
    int from, to; /**< its cells, from one to the other: at least one */
    /* the rest is the walk's own */
    const ovi_field *field;
    double centre[3], axis[3][3], half[3];
    double inverse[3]; // of the axes' x; 0 where that is as good as 0
    int lo[3], hi[3];  // rows, of the field
    int first, count, at, froms[OVI_ROWS], tos[OVI_ROWS];
} ovi_row_walk;

ovi_row_walk ovi_rows_of(const ovi_part *part, double margin, const ovi_field *f);
bool ovi_rows_next(ovi_row_walk *w);
/** Box that contains the part, enlarged by `margin`. */
void ovi_part_box(const ovi_part *part, double margin, double lo[3], double hi[3]);

/* ---- refitting one part (parts_refit.c) */

/** What the shapes of parts may be. */
typedef struct ovi_part_limits {
    ov_shape_kind kind;
    double e_min, e_max, taper_max; /**< taper: share of ovi_taper_max */
    double least;                   /**< semi-axis, at least 1/400 */
} ovi_part_limits;

/** What the samples of `bound` ask of the part. */
typedef enum ovi_bound_sense {
    OVI_BOUND_NONE = 0,
    OVI_BOUND_HOLD, /**< the part holds them all */
    OVI_BOUND_AVOID /**< the part holds none of them */
} ovi_bound_sense;

/**
 * One part against samples: the sum of `weight` over the samples that the part, scaled so that the
 * bound is met, holds; softly, over a width of `tau`. Smaller is better.
 */
typedef struct ovi_task {
    ovi_samples counted;
    float *weight;
    size_t weight_capacity;
    ovi_samples bound;
    ovi_bound_sense sense;
    double margin;    /**< how far inside (outside) the samples of the bound have to be */
    double tau, beta; /**< beta: sharpness of the largest (least) log G of the bound */
    /** Box of what is counted, and the weight of the squares by which a part reaches beyond it; 0:
     *  it may. */
    double box_lo[3], box_hi[3], box_weight;
    bool round;              /**< parts stay ellipsoids; set by ovi_task_minimise */
    double bias;             /**< by which the soft bound is too large; set by ovi_task_minimise */
    ovi_gauge_block *blocks; /**< of the bound, for the derivatives */
    size_t block_capacity;
    double work; /**< samples and cells looked at so far: a clock that is the same everywhere */
} ovi_task;

bool ovi_task_count(ovi_task *task, float x, float y, float z, float weight);
void ovi_task_clear(ovi_task *task);
void ovi_task_free(ovi_task *task);

/** Value, and gradient by centre, rotation (local), log_a, e, t (13 numbers; may be null). */
double ovi_task_value(ovi_task *task, const ovi_part *part, double *gradient);
/** Scales the part so that it just holds (avoids) all samples, by the margin. */
void ovi_part_rescale(ovi_part *part, ovi_bound_sense sense, const ovi_samples *s, double margin);
/** Minimises the value; the part is then scaled to meet the bound. False: no memory. */
bool ovi_task_minimise(ovi_task *task, const ovi_part_limits *limits, int iterations,
                       ovi_part *part, double *value);

/* ---- a set of parts over a field (parts_model.c) */

/** Most samples that the fit of one part counts; and while there is more to move than its surface.
 */
enum { OVI_COUNTED_MAX = 2500, OVI_COUNTED_SEARCH = 1200 };

/** Parts of a first answer, at most: it is found whatever the time is. */
enum { OVI_FIRST_PARTS = 12 };

/**
 * Indices of points: cells of the field, then, from the number of cells on, facets of the surface,
 * which are in a part if their three corners are. In the
 * list of a part OVI_DEEP is added for those that are deeper in it than the margin.
 */
#define OVI_DEEP 0x80000000u
typedef struct ovi_list {
    uint32_t *at;
    size_t count, capacity;
} ovi_list;

bool ovi_list_add(ovi_list *list, uint32_t index);
/** Room for so many more. */
bool ovi_list_reserve(ovi_list *list, size_t more);
void ovi_list_free(ovi_list *list);

/** What it would cost to merge with another part. */
typedef struct ovi_merge {
    uint32_t other; /**< its name */
    bool fitted;    /**< or only guessed */
    double cost;
} ovi_merge;

/** What of a part is beyond the field: about how many cells' worth, and how far it reaches. */
typedef struct ovi_beyond {
    double cells, reach;
} ovi_beyond;

/**
 * A part of the model, and the points in it. Its name changes when it becomes another part, not
 * when it is refitted: what is known of splits and merges is then nearly right still.
 */
typedef struct ovi_member {
    ovi_part part;
    ovi_list points;
    ovi_beyond beyond;
    uint32_t name;
    bool split_known;
    double split_gain;
    ovi_merge *merges;
    size_t merge_count, merge_capacity;
    double stale; /**< how much has changed about it since it was fitted, as a cost */
} ovi_member;

/**
 * Parts, and how many of them each point is in, and is deep in. A part has to hold the points that
 * no other part has deep in it: so neighbours overlap.
 */
typedef struct ovi_model {
    const ovi_field *field;
    ov_fit_mode mode;
    ovi_part_limits limits;
    double margin;
    double weight; /**< of a target that no part covers, where that is not forbidden */
    ovi_member *members;
    size_t count, capacity;
    uint32_t names;
    uint8_t *cover; /**< of each point: number of parts that it is in */
    uint8_t *deep;  /**< of each point: number of parts that it is deep in */
    size_t point_count;
    uint8_t *held;  /**< scratch: of each surface sample, whether the part holds it */
    uint32_t *seen; /**< scratch: of each surface sample, when it was last looked at */
    uint32_t look;
    ovi_samples spots;   /**< points of the surface, evenly spread; where they are asked for */
    double spot_area;    /**< that each of them stands for, in squared cells */
    bool cells_only;     /**< facets of the surface cost nothing; far cells outside cost more */
    double room;         /**< most samples that a fit counts: OVI_COUNTED_MAX, or fewer */
    ovi_task task;       /**< scratch */
    ovi_list near;       /**< scratch: cells that a fit may count */
    ovi_list required;   /**< scratch: what a part has to hold */
    ovi_samples corner;  /**< scratch: those of it that can be corners of its hull */
    ovi_samples extreme; /**< scratch: of these, the farthest in many directions, */
    bool extreme_known;  /**< once they have been asked for */
    uint64_t random;
    double shake;             /**< how much splits and merges are misjudged on purpose; 0: not */
    uint32_t shake_number;    /**< decides which are, and how */
    bool (*stop)(void *user); /**< asked now and then; true: finish */
    void *user;
    bool stopped, out_of_memory;
} ovi_model;

ov_status ovi_model_make(const ovi_field *field, ov_fit_mode mode, const ovi_part_limits *limits,
                         ovi_model *model);
void ovi_model_free(ovi_model *model);
/** Is the point one that the parts shall cover? */
static inline bool ovi_model_is_target(const ovi_model *m, uint32_t index) {
    size_t cells = ovi_field_count(m->field);
    return index < cells ? m->field->inside[index] : m->mode == OV_FIT_MODE_ENCLOSE;
}
void ovi_model_point(const ovi_model *m, uint32_t index, float p[3]);
/** Adds a part, with its points; false: no memory. */
bool ovi_model_add(ovi_model *m, const ovi_part *part);
/** Takes a part's points out of the counts, but leaves the part; and back in again. */
void ovi_model_lift(ovi_model *m, size_t k);
void ovi_model_drop(ovi_model *m, size_t k);
/** Replaces a lifted part. */
bool ovi_model_replace(ovi_model *m, size_t k, const ovi_part *part);
/** It is another part now: forgets what was known of its splits and merges. */
void ovi_model_rename(ovi_model *m, size_t k);
/** Removes a lifted part; the last one takes its place. */
void ovi_model_remove(ovi_model *m, size_t k);
/** What a cell outside of the solid costs if parts that approximate cover it. */
double ovi_model_excess(const ovi_model *m, size_t cell);
/** By how much the cost changes if a point that no part covers is covered. */
double ovi_model_change(const ovi_model *m, uint32_t index);
/** What a part adds to the model in which it is not: see ovi_model_cost. */
double ovi_model_part_cost(ovi_model *m, const ovi_part *part);
/** Cells: outside and in a part (enclose); inside and in none (inside); both (approximate). */
double ovi_model_cost(const ovi_model *m);
size_t ovi_model_uncovered(const ovi_model *m);
/** Is it time to finish, or is there no memory left? */
bool ovi_model_must_stop(ovi_model *m);
/** Do the boxes of two parts, a cell larger, meet? */
bool ovi_model_boxes_meet(const ovi_model *m, size_t i, size_t j);

/* ---- moves (parts_search.c) */

/** Grows parts from the deepest uncovered cells until what is left is no deeper than `least` cells,
 *  or there are `most`. */
bool ovi_search_grow(ovi_model *m, size_t most, double least);
/** An ellipsoid, its longest axis z, with the moments of m->corner. */
ovi_part ovi_search_moments(const ovi_model *m);
/** Gives each uncovered point to the nearest part, and fits parts to what they got; where one would
 *  have to grow much, new parts are made if they may. */
bool ovi_search_cover(ovi_model *m, bool may_add);
/** Another mode for the model, and weight of what is not covered: parts get their points anew. */
void ovi_search_mode(ovi_model *m, ov_fit_mode mode, double weight);
/** Refits each part once; returns by how much the cost fell. */
double ovi_search_sweep(ovi_model *m, double tau, int iterations);
/** Merges pairs, the cheapest first, until `count` parts are left. */
bool ovi_search_merge(ovi_model *m, size_t count, double worth);
/** The same in any case, without looking for the cheapest pairs and however late it is: small parts
 *  go into their neighbours, or are left out where nothing need be held. */
bool ovi_search_reduce(ovi_model *m, size_t count);
/** Splits parts, the most rewarding first, until there are `count`. */
bool ovi_search_split(ovi_model *m, size_t count, double worth);
/** Parts that enclose may leave out a little for a while: some become needless, and others are
 * split for them. `weight` is what that weighs at first. Then a share of the parts is split and as
 * many others merged. Keeps what comes of either if that is better; otherwise false. */
bool ovi_search_relax(ovi_model *m, double weight, double share);
/** One part that holds everything: where there is nothing to grow in, or no time. */
bool ovi_search_one(ovi_model *m);
/** Makes parts of what is far from all parts, connected piece by piece. */
bool ovi_search_clusters(ovi_model *m, double far);
/** Splits one part and merges two others as long as that pays, `rounds` times at most. */
bool ovi_search_exchange(ovi_model *m, int rounds);

/* ---- parts that approximate (parts_approximate.c) */

/** Told how much of the search is done. */
typedef void (*ovi_search_report)(void *user, double share);

/** Finds up to `parts` parts with the least symmetric error. */
void ovi_approximate_search(ovi_model *m, size_t parts, ovi_search_report report);
/** Refits the parts of a model, as in a finer field, until that gains nothing. */
void ovi_approximate_polish(ovi_model *m);

/* ---- proofs (parts_certificate.c) */

/** A certificate that is being made. */
typedef struct ovi_proof {
    ov_fit_piece *pieces;
    size_t piece_count, piece_capacity;
    uint32_t *cells;
    size_t cell_count, cell_capacity;
    ov_vec3 origin;
    double side;
    bool surface, solid;
} ovi_proof;

/**
 * Proves that the parts enclose the input. Where pieces of about `least` are held by no part, the
 * part that has the least to grow is made larger. OV_ERROR_MEMORY and what constructors return.
 */
ov_status ovi_proof_make(ov_fit_part *parts, size_t count, const ov_fit_input *input, double least,
                         ovi_proof *proof);
void ovi_proof_free(ovi_proof *proof);
/** It belongs to the proof. */
static inline ov_fit_certificate ovi_proof_certificate(const ovi_proof *p) {
    return (ov_fit_certificate){.pieces = p->pieces,
                                .piece_count = p->piece_count,
                                .cells = p->solid ? p->cells : NULL,
                                .cell_count = p->solid ? p->cell_count : 0,
                                .origin = p->origin,
                                .side = p->side};
}

#endif
