/**
 * @file portal_nlopt.c
 * @brief Sequential quadratic programming of [Portal, 5] by NLopt's SLSQP: the problem of portal.c
 * handed to its C interface.
 *
 * The paper has the Fortran libraries ADS and DOT, with differences for the derivatives; here they
 * are analytic. An iteration is a quadratic subproblem: NLopt does not count them, but asks for the
 * gradient of the objective once in each. The tolerance is that of the last step, in units of the
 * larger bounding radius. SLSQP stops without a word where its subproblem has no solution, which
 * the sets with vanishing gradients (portal.c) bring about: what it returns then may violate the
 * constraints. So the scheme reports OV_OK only where they hold to the square root of the tolerance
 * too, the accuracy to which the published dot products can hold at all.
 */
#include <math.h>
#include <string.h>

#include <nlopt.h>

#include "portal.h"

typedef struct nlopt_run {
    const ovi_portal *problem;
    nlopt_opt opt;
    int gradients;
} nlopt_run;

/* ---- what NLopt asks for; a number that is not finite ends the run */

static double objective(unsigned n, const double *x, double *gradient, void *user) {
    (void)n;
    nlopt_run *run = user;
    double value = ovi_portal_objective(x, gradient);
    if (gradient != NULL) {
        if (run->gradients == run->problem->pair->options->iterations) {
            nlopt_force_stop(run->opt);
        } else {
            run->gradients++;
        }
    }
    if (!isfinite(value)) {
        nlopt_force_stop(run->opt);
        if (gradient != NULL) {
            memset(gradient, 0, OVI_PORTAL_VARIABLES * sizeof *gradient);
        }
        return HUGE_VAL;
    }
    return value;
}

static void constraints(unsigned m, double *values, unsigned n, const double *x, double *jacobian,
                        void *user) {
    nlopt_run *run = user;
    if (!ovi_portal_constraints(run->problem, x, values, jacobian)) {
        nlopt_force_stop(run->opt);
        for (unsigned i = 0; i < m; i++) {
            values[i] = 1e300;
        }
        if (jacobian != NULL) {
            memset(jacobian, 0, (size_t)m * n * sizeof *jacobian);
        }
    }
}

/* ---- the run */

static bool set_options(nlopt_run *run) {
    const ov_scheme_options *options = run->problem->pair->options;
    unsigned count = (unsigned)run->problem->constraints;
    double tolerance[OVI_PORTAL_CONSTRAINTS_MAX];
    for (unsigned i = 0; i < count; i++) {
        tolerance[i] = options->tolerance;
    }
    nlopt_result added =
        run->problem->inequality
            ? nlopt_add_inequality_mconstraint(run->opt, count, constraints, run, tolerance)
            : nlopt_add_equality_mconstraint(run->opt, count, constraints, run, tolerance);
    // a line search takes ten values at most
    int values = (int)fmin(20.0 * options->iterations, 1e9);
    return added > 0 && nlopt_set_min_objective(run->opt, objective, run) > 0 &&
           nlopt_set_xtol_abs1(run->opt, options->tolerance) > 0 &&
           nlopt_set_maxeval(run->opt, values) > 0;
}

/** True where SLSQP stopped by its own rule. */
static bool solve(const ovi_portal *problem, double x[OVI_PORTAL_VARIABLES], int *iterations) {
    nlopt_run run = {problem, nlopt_create(NLOPT_LD_SLSQP, OVI_PORTAL_VARIABLES), 0};
    double value;
    bool good = false;
    if (run.opt != NULL && set_options(&run)) {
        nlopt_result status = nlopt_optimize(run.opt, x, &value);
        good = status > 0 && status != NLOPT_MAXEVAL_REACHED;
    }
    nlopt_destroy(run.opt);
    *iterations = run.gradients;
    return good;
}

void ovi_scheme_sqp(const ovi_scheme_pair *pair, ov_scheme_result *result) {
    ovi_portal_run(pair, solve, result);
    if (!(result->residual <= sqrt(pair->options->tolerance))) {
        result->status = OV_NOT_CONVERGED;
    }
}
