/**
 * @file portal_ipopt.c
 * @brief The interior point method of [Portal, 5] by Ipopt: the problem of portal.c handed to its C
 * interface.
 *
 * The paper has MATLAB's fmincon, an interior point method too, with differences for the first
 * derivatives and a quasi-Newton Hessian, its defaults at the time. Here the first derivatives are
 * analytic, and the Hessian is a quasi-Newton one as well (limited memory, of which six variables
 * need none left out): the exact one would need the third derivatives of F, since the constraints
 * hold normals. The iterations are those of Ipopt, those of its restoration phase included. The
 * tolerance is Ipopt's own, of the optimality conditions. An equality constraint whose gradients
 * vanish (portal.c) may send Ipopt anywhere; the limit of the iterations ends it.
 *
 * Ipopt prints nothing here, and reads no file of options from the folder that it runs in. Its
 * linear solver MUMPS is not safe to use from several threads at once, so neither is this scheme.
 */
#include <math.h>
#include <string.h>

#include <coin/IpStdCInterface.h>

#include "portal.h"

typedef struct ipopt_run {
    const ovi_portal *problem;
    int iterations;
} ipopt_run;

/* ---- what Ipopt asks for; FALSE says that the point is of no use */

static Bool eval_objective(Index n, Number *x, Bool new_x, Number *value, UserDataPtr user) {
    (void)n, (void)new_x, (void)user;
    *value = ovi_portal_objective(x, NULL);
    return isfinite(*value);
}

static Bool eval_gradient(Index n, Number *x, Bool new_x, Number *gradient, UserDataPtr user) {
    (void)n, (void)new_x, (void)user;
    return isfinite(ovi_portal_objective(x, gradient));
}

static Bool eval_constraints(Index n, Number *x, Bool new_x, Index m, Number *values,
                             UserDataPtr user) {
    (void)n, (void)new_x, (void)m;
    const ipopt_run *run = user;
    return ovi_portal_constraints(run->problem, x, values, NULL);
}

static Bool eval_jacobian(Index n, Number *x, Bool new_x, Index m, Index count, Index *row,
                          Index *column, Number *values, UserDataPtr user) {
    (void)new_x, (void)m;
    const ipopt_run *run = user;
    if (values == NULL) { // it asks for the structure first: a full matrix
        for (Index i = 0; i < count; i++) {
            row[i] = i / n;
            column[i] = i % n;
        }
        return TRUE;
    }
    double ignored[OVI_PORTAL_CONSTRAINTS_MAX];
    return ovi_portal_constraints(run->problem, x, ignored, values);
}

static Bool eval_hessian(Index n, Number *x, Bool new_x, Number factor, Index m, Number *lambda,
                         Bool new_lambda, Index count, Index *row, Index *column, Number *values,
                         UserDataPtr user) {
    (void)n, (void)x, (void)new_x, (void)factor, (void)m, (void)lambda, (void)new_lambda;
    (void)count, (void)row, (void)column, (void)values, (void)user;
    return FALSE; // never asked for: the Hessian is a quasi-Newton one
}

static Bool count_iterations(Index mode, Index iteration, Number objective, Number primal,
                             Number dual, Number mu, Number step, Number regularization,
                             Number alpha_dual, Number alpha_primal, Index trials,
                             UserDataPtr user) {
    (void)mode, (void)objective, (void)primal, (void)dual, (void)mu, (void)step;
    (void)regularization, (void)alpha_dual, (void)alpha_primal, (void)trials;
    ipopt_run *run = user;
    run->iterations = iteration;
    return TRUE;
}

/* ---- the run */

static bool set_options(IpoptProblem ipopt, const ov_scheme_options *options) {
    return AddIpoptIntOption(ipopt, "print_level", 0) && AddIpoptStrOption(ipopt, "sb", "yes") &&
           AddIpoptStrOption(ipopt, "option_file_name", "") &&
           AddIpoptStrOption(ipopt, "hessian_approximation", "limited-memory") &&
           AddIpoptIntOption(ipopt, "limited_memory_max_history", OVI_PORTAL_VARIABLES) &&
           AddIpoptNumOption(ipopt, "tol", options->tolerance) &&
           AddIpoptIntOption(ipopt, "max_iter", options->iterations);
}

static IpoptProblem create(const ovi_portal *problem) {
    double lower[OVI_PORTAL_VARIABLES], upper[OVI_PORTAL_VARIABLES];
    double low[OVI_PORTAL_CONSTRAINTS_MAX] = {0.0}, high[OVI_PORTAL_CONSTRAINTS_MAX] = {0.0};
    for (int i = 0; i < OVI_PORTAL_VARIABLES; i++) {
        lower[i] = -1e300;
        upper[i] = 1e300;
    }
    for (int i = 0; i < problem->constraints && problem->inequality; i++) {
        low[i] = -1e300;
    }
    return CreateIpoptProblem(OVI_PORTAL_VARIABLES, lower, upper, problem->constraints, low, high,
                              problem->constraints * OVI_PORTAL_VARIABLES, 0, 0, eval_objective,
                              eval_constraints, eval_gradient, eval_jacobian, eval_hessian);
}

/** True where Ipopt stopped by its own rule. */
static bool solve(const ovi_portal *problem, double x[OVI_PORTAL_VARIABLES], int *iterations) {
    ipopt_run run = {problem, 0};
    IpoptProblem ipopt = create(problem);
    if (ipopt == NULL) {
        return false;
    }
    bool good = false;
    if (set_options(ipopt, problem->pair->options) &&
        SetIntermediateCallback(ipopt, count_iterations)) {
        enum ApplicationReturnStatus status =
            IpoptSolve(ipopt, x, NULL, NULL, NULL, NULL, NULL, &run);
        good = status == Solve_Succeeded || status == Solved_To_Acceptable_Level;
    }
    FreeIpoptProblem(ipopt);
    *iterations = run.iterations;
    return good;
}

void ovi_scheme_interior_point(const ovi_scheme_pair *pair, ov_scheme_result *result) {
    ovi_portal_run(pair, solve, result);
}
