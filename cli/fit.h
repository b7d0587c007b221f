/**
 * @file fit.h
 * @brief What `ovoid fit` is made of: meshes and clouds as they are read, robots, checks.
 */
#ifndef OVOID_CLI_FIT_H
#define OVOID_CLI_FIT_H

#include <ovoid/fit.h>
#include <ovoid/io.h>

#include "options.h"
#include "timing.h"

/* ---- files of triangles or points (fit_check.c) ---------------------------------------------- */

/** A mesh or a cloud as its file has it. All zero: none. */
typedef struct fit_file {
    const char *path; /**< as told to people */
    ov_mesh_data data;
    ov_vec3 *cloud;
    ov_fit_input input;
    bool is_mesh;
} fit_file;

/** To be freed even where it fails. */
int fit_file_read(cli *c, const char *path, fit_file *file);
void fit_file_free(fit_file *file);

/** Has it an inside: is it a mesh with a closed shell? False where memory ends, too. */
bool fit_file_is_closed(const fit_file *file);

/** "proven", "not proven". */
const char *fit_proven(bool is);

/** `ovoid fit check FIT MESH|ROBOT`: do the bodies of a file hold it? */
int fit_check(cli *c, const args *a);

/* ---- few bodies about a mesh (fit_simple.c) -------------------------------------------------- */

/** Largest number of these bodies. */
enum { FIT_SIMPLE_MAX = 16 };

typedef struct fit_simple_options {
    size_t parts;       /**< at most */
    bool any_kind;      /**< boxes, capsules, cylinders and the smooth family; else `kind` */
    ov_shape_kind kind; /**< of the smooth family */
    uint64_t seed;
    double symmetry; /**< as in ov_fit_shape_options */
    ov_vec3 axis;    /**< the same */
} fit_simple_options;

/** Encloses a mesh by up to so many bodies, as many as are worth it; `parts` has room for them. As
 *  ov_fit_shape: OV_OK, or an error. */
ov_status fit_simple(const ov_fit_input *input, const fit_simple_options *options,
                     ov_fit_part *parts, size_t *count);

/** Of bodies that hold a mesh: their volume, that of the solid in it (0: none), and how far they
 *  stand out, all by some thousand points: volumes to a few percent. */
typedef struct fit_extent {
    double grown, volume, protrusion;
} fit_extent;

fit_extent fit_measure(const ov_trimesh *mesh, const ov_fit_part *parts, size_t count);

/* ---- robots (fit_robot.c) -------------------------------------------------------------------- */

/** What is asked for. */
typedef struct fit_robot_job {
    ov_fit_parts_options how; /**< for each mesh */
    bool any_kind;            /**< of bodies; else that of the options, by ov_fit_parts_create */
    bool visual;              /**< links without collisions get bodies about their visuals */
    double symmetry;          /**< 0: bodies keep to nothing; else see ov_fit_shape_options */
    size_t poses;             /**< that are sampled, to compare meshes and bodies */
    const char *target;       /**< null: nothing is written */
    ov_robot_format format;
} fit_robot_job;

/** `ovoid fit ROBOT.urdf`: the meshes of the links become bodies that enclose them. */
int fit_robot(cli *c, const args *a, const fit_robot_job *job);

/** A gap that is near for a robot in metres. */
#define FIT_COMPARE_LIMIT 0.05

/** A robot of meshes and one of bodies about them, at the same random poses. All zero: nothing. */
typedef struct fit_compare {
    size_t poses, links;
    /** Pairs of links in contact, summed over the poses: as meshes, as bodies; and those in contact
     *  as meshes that are proven to be apart as bodies, of which there can be none. */
    size_t mesh_contacts, body_contacts, missed;
    uint32_t *mesh_counts; /**< poses in contact, for link_a * links + link_b, link_a < link_b */
    uint32_t *body_counts;
    /** Poses that were timed, and those of them that are free of contact for both, but for pairs
     * that the bodies let touch in all poses, which are allowed to. */
    size_t timed, free;
    /** Time, as meshes and as bodies, of the questions whether anything is in contact,
     *  and which gaps are up to FIT_COMPARE_LIMIT: of all poses, and of the free ones. */
    double touch_ns[2], near_ns[2], free_touch_ns[2], free_near_ns[2];
} fit_compare;

/**
 * Compares two models that differ in their links' parts only, at `poses` random poses within the
 * limits of the joints (half a turn each way without limits; joints of several positions are at
 * rest). To be freed even where it fails.
 */
ov_status fit_compare_run(ov_model *meshes, ov_model *bodies, size_t poses, uint64_t seed,
                          progress *bar, fit_compare *out);
void fit_compare_free(fit_compare *compare);

#endif
