/**
 * @file newton.c
 * @brief Newton-Raphson (17) on a system of equations of the common normal [Benchmark, 4.2; Thesis,
 * Appendix A, Table 6], the linear system by LAPACK.
 *
 *     1. phi = Phi(q), J = its Jacobian;  2. solve J x = phi;  3. q := q - x;  4. stop at |x| small
 *
 * J comes from forward differences, as published, or from the formulas of the system, which share
 * the powers of the residual, so that a step costs about one evaluation instead of seven (five).
 *
 * As published: the last step is compared with the tolerance as it is, in whatever units the
 * unknowns have; so a body in millimetres is solved a thousand times as well as the same body in
 * metres, and for angles the tolerance is one of angles. The papers do not say how wide their
 * differences are: here sqrt(eps) max(1, |q|). There is no damping. Table 6 prints the condition of
 * its loop the wrong way round, and tells only that a step "may not converge": here a step that is
 * not finite, or a matrix that is singular, ends the attempt, and q keeps its last finite value.
 *
 * Mended: tolerance and differences are relative to the larger body where the unknowns are lengths.
 */
#include <float.h>
#include <lapacke.h>

#include "systems.h"

enum { MOST = OVI_SCHEME_UNKNOWNS_MAX, BAND_MOST = (3 * (MOST - 1) + 1) * MOST };

typedef void (*evaluation)(const ovi_scheme_pair *pair, const double *q, double *phi,
                           double *jacobian);

/** The function that gives residual and Jacobian at once; null for a system from elsewhere. */
static evaluation evaluation_of(const ovi_scheme_system *system) {
    return system == &ovi_scheme_system_implicit     ? ovi_scheme_evaluate_implicit
           : system == &ovi_scheme_system_parametric ? ovi_scheme_evaluate_parametric
           : system == &ovi_scheme_system_ntb        ? ovi_scheme_evaluate_ntb
                                                     : NULL;
}

static void by_differences(const ovi_scheme_system *system, const ovi_scheme_pair *pair,
                           const double *q, double unit, double *phi, double *jacobian) {
    const double width = sqrt(DBL_EPSILON);
    int n = system->unknowns;
    double moved[MOST], there[MOST];
    system->residual(pair, q, phi);
    for (int i = 0; i < n; i++) {
        moved[i] = q[i];
    }
    for (int k = 0; k < n; k++) {
        moved[k] = q[k] + width * fmax(unit, fabs(q[k]));
        double step = moved[k] - q[k];
        system->residual(pair, moved, there);
        for (int i = 0; i < n; i++) {
            jacobian[k * n + i] = (there[i] - phi[i]) / step;
        }
        moved[k] = q[k];
    }
}

static void by_formulas(const ovi_scheme_system *system, const ovi_scheme_pair *pair,
                        const double *q, double *phi, double *jacobian) {
    evaluation evaluate = evaluation_of(system);
    if (evaluate != NULL) {
        evaluate(pair, q, phi, jacobian);
    } else {
        system->residual(pair, q, phi);
        system->jacobian(pair, q, jacobian);
    }
}

static bool all_finite(const double *x, int count) {
    for (int i = 0; i < count; i++) {
        if (!isfinite(x[i])) {
            return false;
        }
    }
    return true;
}

/** What a length of one is to the stopping rule. */
static double unit_of(const ovi_scheme_system *system, const ovi_scheme_pair *pair) {
    bool lengths = system->unknowns == 6;
    return pair->options->mended && lengths ? fmax(pair->a->ball.radius, pair->b->ball.radius)
                                            : 1.0;
}

/**
 * Solves J x = phi, x in place of phi. J goes to LAPACK as a band matrix that is as wide as itself:
 * for so few unknowns the routine for full matrices takes twice the time, since it splits them as
 * if they were large. Column j of a band matrix with k diagonals above and below begins 2k - j
 * places into a column of 3k + 1.
 */
static bool solve(int n, const double *jacobian, double *phi) {
    int k = n - 1, rows = 3 * k + 1;
    double band[BAND_MOST];
    lapack_int pivots[MOST];
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            band[2 * k + i - j + j * rows] = jacobian[j * n + i];
        }
    }
    return LAPACKE_dgbsv_work(LAPACK_COL_MAJOR, n, k, k, 1, band, rows, pivots, phi, n) == 0;
}

bool ovi_scheme_newton(const ovi_scheme_system *system, const ovi_scheme_pair *pair, double *q,
                       int *iterations) {
    const ov_scheme_options *options = pair->options;
    int n = system->unknowns;
    double unit = unit_of(system, pair), jacobian[MOST * MOST], x[MOST];
    for (int k = 0; k < options->iterations; k++) {
        if (options->jacobian == OV_JACOBIAN_ANALYTIC) {
            by_formulas(system, pair, q, x, jacobian);
        } else {
            by_differences(system, pair, q, unit, x, jacobian);
        }
        ++*iterations;
        if (!all_finite(x, n) || !all_finite(jacobian, n * n) || !solve(n, jacobian, x)) {
            return false;
        }
        double square = 0.0;
        for (int i = 0; i < n; i++) {
            square += x[i] * x[i];
        }
        if (!isfinite(square)) {
            return false;
        }
        for (int i = 0; i < n; i++) {
            q[i] -= x[i];
        }
        if (sqrt(square) < options->tolerance * unit) {
            return true;
        }
    }
    return false;
}
