/**
 * @file schemes_internal.h
 * @brief What the files of the published schemes share: the pair, first guesses, systems of
 * equations and Newton's method on them.
 *
 * Every scheme works in local coordinates of both bodies, as the papers do, and fills in an
 * ov_scheme_result: status, points and normal in the world, gap, iterations, restarts, residual,
 * start_seconds, and total_seconds where some of the time does not count; else ov_scheme_contact()
 * takes it, which also checks the input, and turns every number into NaN where the status is
 * negative.
 */
#ifndef OVOID_SCHEMES_INTERNAL_H
#define OVOID_SCHEMES_INTERNAL_H

#include <ovoid/schemes.h>

/** What a scheme works on; all valid. */
typedef struct ovi_scheme_pair {
    const ov_shape *a, *b;
    ov_pose pose_a, pose_b; /**< unit quaternions */
    const ov_scheme_options *options;
} ovi_scheme_pair;

/** Seconds on a steady clock. */
double ovi_scheme_clock(void);

/* ---- bodies, as the papers write them: [Benchmark] (4) to (12) */

/** Inside-outside function F of (5): 0 on the surface, negative inside; a power of the gauge. */
double ovi_scheme_inside(const ov_shape *shape, ov_vec3 p);
/** Gradient of F, (6) with its slips mended, and where `hessian` is not null its derivative. */
ov_vec3 ovi_scheme_gradient(const ov_shape *shape, ov_vec3 p, double hessian[3][3]);
/** Point of the angle-centre parametrisation (10); angles as in (9). */
ov_vec3 ovi_scheme_point(const ov_shape *shape, const double phi[2]);
/** Tangent (11) and bitangent (12): derivatives of the point. */
void ovi_scheme_tangents(const ov_shape *shape, const double phi[2], ov_vec3 *t, ov_vec3 *b);
/** The angles of a surface point: the inverse of ovi_scheme_point. */
void ovi_scheme_angles(const ov_shape *shape, ov_vec3 p, double phi[2]);
/** Second and third column of the Householder matrix (13), (14) of a normal of any length. */
void ovi_scheme_householder(ov_vec3 n, ov_vec3 *t, ov_vec3 *b);

/* ---- first guesses [Benchmark, 4.4] */

/** A point near each surface, in the body's frame, and the angles of the same points. */
typedef struct ovi_scheme_guess {
    ov_vec3 a, b;
    double phi_a[2], phi_b[2];
    double made_seconds; /**< making the octrees, which belong to the shapes */
} ovi_scheme_guess;

void ovi_scheme_guess_quadtree(const ovi_scheme_pair *pair, int levels, ovi_scheme_guess *guess);
/** Levels 0: the flat grid of 5 x 5 x 5 cells. */
void ovi_scheme_guess_octree(const ovi_scheme_pair *pair, int levels, ovi_scheme_guess *guess);
/** The points of the last answer. */
void ovi_scheme_guess_last(const ovi_scheme_pair *pair, const ov_scheme_result *last,
                           ovi_scheme_guess *guess);

/* ---- systems of equations, and Newton's method */

enum { OVI_SCHEME_UNKNOWNS_MAX = 6 };

typedef struct ovi_scheme_system {
    int unknowns; /**< 6: (15), (16); 4: (18), (19) */
    void (*start)(const ovi_scheme_guess *guess, double *q);
    void (*residual)(const ovi_scheme_pair *pair, const double *q, double *phi);
    /** Column-major, as LAPACK wants it. */
    void (*jacobian)(const ovi_scheme_pair *pair, const double *q, double *jacobian);
    /** Points of q in the two frames. */
    void (*points)(const ovi_scheme_pair *pair, const double *q, ov_vec3 *a, ov_vec3 *b);
} ovi_scheme_system;

extern const ovi_scheme_system ovi_scheme_system_implicit;   /**< (15) */
extern const ovi_scheme_system ovi_scheme_system_parametric; /**< (18), tangents (11), (12) */
extern const ovi_scheme_system ovi_scheme_system_ntb;        /**< (18), gradient and Householder */

/** New starts where Newton failed from q [Thesis, 1.4.1]; false where there is none to offer. */
bool ovi_scheme_bisection(const ovi_scheme_system *system, const ovi_scheme_pair *pair, double *q);
bool ovi_scheme_regula_falsi(const ovi_scheme_system *system, const ovi_scheme_pair *pair,
                             double *q);

/* ---- the schemes; each a file; those of a library that was missing are not built */

void ovi_scheme_newton_contact(ov_scheme scheme, const ovi_scheme_pair *pair,
                               ov_scheme_result *result);
void ovi_scheme_interior_point(const ovi_scheme_pair *pair, ov_scheme_result *result);
void ovi_scheme_sqp(const ovi_scheme_pair *pair, ov_scheme_result *result);
void ovi_scheme_discrete(const ovi_scheme_pair *pair, ov_scheme_result *result);
void ovi_scheme_mesh(const ovi_scheme_pair *pair, ov_scheme_result *result);

/** Turns two local points into world points, normal and signed gap: negative where each point lies
 *  inside the other body, as the papers tell overlap. */
void ovi_scheme_finish(const ovi_scheme_pair *pair, ov_vec3 a, ov_vec3 b, ov_scheme_result *result);

#endif
