/**
 * @file fit_parts.h
 * @brief A mesh or a point cloud as several smooth convex parts.
 *
 * Part of `libovoid_fit`. Three modes: parts that together hold the whole input, with a certificate
 * that can be checked again; parts whose union is as near to the solid as possible; and parts that
 * do not stand out of it. All parts are in the input's frame.
 */
#ifndef OVOID_FIT_PARTS_H
#define OVOID_FIT_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ovoid/fit_input.h>
#include <ovoid/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What parts are for. */
typedef enum ov_fit_mode {
    /** Every triangle, and the whole inside of closed meshes, is held by the parts: proven. */
    OV_FIT_MODE_ENCLOSE = 0,
    /** The volume in which union and solid differ is least. Closed meshes only. */
    OV_FIT_MODE_APPROXIMATE,
    /** No part stands out of the solid: proven. Closed meshes only. Parts keep clear of all
     * triangles, also of those that are inside of another shell. */
    OV_FIT_MODE_INSIDE,
    OV_FIT_MODE_COUNT
} ov_fit_mode;

/** How far a search is. */
typedef struct ov_fit_progress {
    double done;  /**< estimated share of the work, 0 to 1 */
    size_t parts; /**< that there are now */
    /** What they cost now, as a share of the solid's volume: excess, error or what is missing. */
    double cost;
    /** There is a set of parts that a search that is ended now would be content with. */
    bool usable;
} ov_fit_progress;

typedef struct ov_fit_parts_options {
    ov_fit_mode mode;
    /** Largest number of parts, up to OV_FIT_PARTS_MAX; 0: as many as are worth it. */
    size_t parts;
    /** Parts are added until the cost (see ov_fit_progress) is this small, or there are `parts` of
     *  them, if that is not 0; 0: `parts` alone decides. */
    double error;
    ov_shape_kind kind; /**< sphere, ellipsoid, superellipsoid or superovoid; 0: superovoid */
    /** Least and largest exponent, in (0, 2]; 0: 0.2 and 1.6. */
    double exponent_min, exponent_max;
    /** Largest taper, below 1; 0: 0.9, OV_ZERO: none. Never more than leaves the profile convex. */
    double taper_max;
    /** Cells along the longest side of the field that is searched with, 16 to 256; 0: 80. Features
     *  thinner than a cell are covered, but not followed closely. Parts that enclose are searched
     *  with 80 at most, and fewer in a stout solid; these and a given number of parts that
     *  approximate are then refitted with half as many again, or as many as are asked for. */
    int cells;
    uint64_t seed;
    /** The search ends after so many seconds; what remains is proof and report. 0: when nothing
     *  gets better. With a time the result depends on the machine's speed. */
    double seconds;
    /** Enclose: what the parts hold as well, made larger as by ov_fit_grow: the mesh as it came,
     *  where `input` is one that was joined or thinned (ov_fit_mesh_added). May be null. */
    const ov_fit_input *also;
    /** Called now and then; return false to end the search. May be null. */
    bool (*progress)(void *user, const ov_fit_progress *progress);
    void *user;
} ov_fit_parts_options;

/** Largest number of parts. */
#define OV_FIT_PARTS_MAX 250

/** All as documented above. */
ov_fit_parts_options ov_default_fit_parts_options(void);

/** A body of a fit. */
typedef struct ov_fit_part {
    ov_shape shape;
    ov_pose pose;
} ov_fit_part;

/**
 * A piece of a triangle, and the part that holds it. Pieces come from cutting triangles in four at
 * the middles of their edges: of the corners a, b, c and the middles ab, bc, ca the children are
 * 0: a ab ca, 1: ab b bc, 2: ca bc c, 3: ab bc ca. The path has two bits for each cut, the first
 * cut in the highest.
 */
typedef struct ov_fit_piece {
    uint32_t triangle; /**< of the input; of a cloud: the point */
    uint32_t part;
    uint32_t path;
    uint32_t level; /**< number of cuts, up to OV_FIT_LEVEL_MAX */
} ov_fit_piece;

#define OV_FIT_LEVEL_MAX 16

/** Nodes of the certificate's octree other than the number of a part. */
#define OV_FIT_CELL_SPLIT UINT32_MAX         /**< eight children follow, x fastest */
#define OV_FIT_CELL_OUTSIDE (UINT32_MAX - 1) /**< the cell is outside of the solid */
#define OV_FIT_CELL_UNPROVEN (UINT32_MAX - 2)

/**
 * Why parts enclose their input: which part holds which piece of which triangle; and for the inside
 * of closed meshes an octree, the nodes depth first, in which each leaf is outside, or the part
 * that holds all of the solid that is in the cell. The arrays belong to the fit.
 */
typedef struct ov_fit_certificate {
    const ov_fit_piece *pieces; /**< by triangle; those of a triangle in the order of their paths */
    size_t piece_count;
    const uint32_t *cells;
    size_t cell_count; /**< 0 where there is no inside */
    ov_vec3 origin;    /**< least corner of the octree's root */
    double side;       /**< of the root, a power of two */
} ov_fit_certificate;

/** Figures of a fit. Volumes are counted in a grid: `sampling_error` tells how well. */
typedef struct ov_fit_report {
    size_t parts;
    double size;           /**< diagonal of the input's box */
    double volume;         /**< of the solid; 0 where there is none */
    double excess;         /**< volume of the parts outside of the solid, over that of the solid */
    double missing;        /**< volume of the solid outside of the parts, over that of the solid */
    double iou;            /**< of solid and parts: intersection over union */
    double sampling_error; /**< standard error of excess and missing, about */
    double protrusion;     /**< how far parts stand out, over `size`; to about a cell of the grid */
    /** Share of the surface, and of the solid, that is held: 1 only where it is proven. */
    double surface, solid;
    bool surface_proven, solid_proven; /**< enclose */
    bool inside_proven;                /**< inside */
    double seconds;                    /**< of the whole fit */
    double first_seconds;              /**< until there was a first usable set of parts */
} ov_fit_report;

/** A fit. It never changes. Opaque. */
typedef struct ov_fit ov_fit;

/**
 * Finds parts. `options` may be null. The same input, options and seed give the same bits, unless
 * the search is ended by `seconds` or `progress`.
 *
 * OV_NOT_CONVERGED: it was ended early; the parts are valid for their mode all the same. Errors,
 * with which `*fit` is null: those of ov_fit_input_check; OV_ERROR_OPTION; OV_ERROR_UNSUPPORTED
 * (kind); OV_ERROR_NOT_CLOSED (approximate and inside: no solid); OV_ERROR_DEGENERATE (all points
 * are the same); OV_ERROR_SIZE_RANGE; OV_ERROR_MEMORY.
 */
ov_status ov_fit_parts_create(const ov_fit_input *input, const ov_fit_parts_options *options,
                              ov_fit **fit);
/** Null is allowed. */
void ov_fit_destroy(ov_fit *fit);

/** Number of parts, at least 1 in the mode enclose. Of a fit that is null all is empty, here and in
 *  the three functions below. */
size_t ov_fit_part_count(const ov_fit *fit);
/** All parts; they belong to the fit. */
const ov_fit_part *ov_fit_parts(const ov_fit *fit);
/** What was found, as figures. */
ov_fit_report ov_fit_parts_report(const ov_fit *fit);
/** Why the parts enclose the input; empty in the other modes. Its arrays live as long as the fit.
 */
ov_fit_certificate ov_fit_parts_certificate(const ov_fit *fit);

/** What a check found. */
typedef struct ov_fit_verdict {
    bool surface;  /**< every triangle, or point of a cloud, is held */
    bool solid;    /**< and all that closed meshes enclose; false where there is no solid */
    size_t pieces; /**< that were found good, */
    size_t cells;  /**< and leaves of the octree */
    size_t
        bad_triangle; /**< the first triangle (point) that is not shown to be held; else SIZE_MAX */
} ov_fit_verdict;

/**
 * Proves again, from the numbers of parts and certificate alone, that the parts hold the input. It
 * takes no part in the search, and believes nothing: a wrong, foreign or cut certificate is not
 * accepted. OV_OK if it could be done, whatever came of it; the errors of ov_fit_input_check;
 * OV_ERROR_NULL, OV_ERROR_SHAPE, OV_ERROR_MEMORY.
 */
ov_status ov_fit_check(const ov_fit_part *parts, size_t part_count,
                       const ov_fit_certificate *certificate, const ov_fit_input *input,
                       ov_fit_verdict *verdict);

/** ov_fit_prove divides triangles and cells down to this share of the input's largest extent. */
#define OV_FIT_PROVE_PIECE (1.0 / 4096.0)

/**
 * Proves that given parts, of whatever origin, hold the input: makes a certificate for them as they
 * are and hands it to ov_fit_check. What they hold only in pieces smaller than OV_FIT_PROVE_PIECE
 * counts as not held. Parts are of the smooth family, boxes, capsules or cylinders; others hold
 * nothing. Errors as above; without parts nothing is held.
 */
ov_status ov_fit_prove(const ov_fit_part *parts, size_t part_count, const ov_fit_input *input,
                       ov_fit_verdict *verdict);

/**
 * Makes given parts larger until ov_fit_prove proves that they hold the input, and its inside if it
 * is closed: each piece smaller than OV_FIT_PROVE_PIECE that no part holds is taken by the part
 * whose volume has the least to grow. What a part held before it holds afterwards. Parts are of the
 * smooth family. Errors as of ov_fit_prove; OV_ERROR_COUNT without parts; OV_ERROR_UNSUPPORTED for
 * other kinds; what constructors return. The parts may then have grown in part.
 */
ov_status ov_fit_grow(ov_fit_part *parts, size_t part_count, const ov_fit_input *input);

/**
 * A part of a mesh that has the pose `frame` in a link: the part in the link's frame. It is larger
 * by some 1e-13 of its size, so that, rounding included, it holds the part as placed, and still
 * does when its numbers were written as URDF. `part` and `placed` may be the same. OV_ERROR_NULL;
 * OV_ERROR_UNSUPPORTED for other kinds than ov_fit_prove takes; OV_ERROR_SIZE_RANGE where the
 * rounding is not small against the part; what constructors return.
 */
ov_status ov_fit_part_place(const ov_fit_part *part, ov_pose frame, ov_fit_part *placed);
/** The way back, to prove something about the mesh: a part of the mesh's frame that, rounding
 *  included, is within the placed one. Where `frame` is the identity it is the same. Errors as
 *  above. */
ov_status ov_fit_part_within(const ov_fit_part *placed, ov_pose frame, ov_fit_part *part);

/** Proves that no part stands out of the solid. OV_ERROR_NOT_CLOSED if there is none, and errors as
 *  of ov_fit_check; `*inside` is then false. */
ov_status ov_fit_check_inside(const ov_fit_part *parts, size_t part_count,
                              const ov_fit_input *input, bool *inside);

#ifdef __cplusplus
}
#endif

#endif
