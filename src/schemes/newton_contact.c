/**
 * @file newton_contact.c
 * @brief The four Newton schemes from guess to answer: octImplicit, quadImplicit, quadParametric
 * and ntbParametric [Benchmark, 4, 5.1; Thesis, 3.4, Appendix A, Table 5].
 *
 *     1. start: the last answer where there is one, else the quadtree or octree [Benchmark, 4.4]
 *     2. Newton
 *     3. where that failed from the last answer: the tree after all, and Newton again [Thesis,
 *        Table 5]
 *     4. where it still failed, what the options ask for of [Thesis, 1.4.1 and 3.4.1], in this
 *        order: a start by bisection, by regula falsi, from deeper trees; Newton after each
 *
 * Every start after the first counts as a restart. Where all failed, the answer is the attempt with
 * the smallest residual, and the status says that it did not converge.
 *
 * As published, an answer is taken for what Newton converged to: the common normal of the far
 * sides, or of near and far, is as good as that of the near sides [Benchmark, 4.1, Fig. 4]. Mended:
 * an answer counts as converged only where the two bodies face each other there, that is where the
 * normals are opposite, and each point is outside the other body with the normals towards each
 * other, or each inside with the normals away from each other.
 */
#include "systems.h"

/** Octrees are not made deeper than OCTREE_DEEPEST: the same start again would be no other. */
enum { DEEPER_STARTS = 3, QUADTREE_MORE = 2, OCTREE_COARSE = 2, OCTREE_DEEPEST = 7 };

typedef struct attempts {
    const ovi_scheme_system *system;
    const ovi_scheme_pair *pair;
    bool octree;
    double first[OVI_SCHEME_UNKNOWNS_MAX]; /**< the tree's guess, or else the last answer */
    double best[OVI_SCHEME_UNKNOWNS_MAX];
    double residual; /**< of the best */
    int iterations, restarts;
    double made_seconds; /**< making octrees */
} attempts;

static const ovi_scheme_system *system_of(ov_scheme scheme) {
    switch (scheme) {
    case OV_SCHEME_QUAD_PARAMETRIC:
        return &ovi_scheme_system_parametric;
    case OV_SCHEME_NTB_PARAMETRIC:
        return &ovi_scheme_system_ntb;
    default:
        return &ovi_scheme_system_implicit;
    }
}

static double residual_of(const attempts *t, const double *q) {
    double phi[OVI_SCHEME_UNKNOWNS_MAX], square = 0.0;
    t->system->residual(t->pair, q, phi);
    for (int i = 0; i < t->system->unknowns; i++) {
        square += phi[i] * phi[i];
    }
    return square <= HUGE_VAL ? sqrt(square) : INFINITY; // NaN too
}

/** Are these the near sides of the two bodies? */
static bool faces(const attempts *t, const double *q) {
    const ovi_scheme_pair *pair = t->pair;
    ov_vec3 a, b, gradient_a, gradient_b;
    t->system->points(pair, q, &a, &b);
    ovi_scheme_place place = ovi_scheme_place_of(pair);
    ov_vec3 a_in_b = ov_vec3_add(ov_mat3_mul_vec3(&place.turn, a), place.offset);
    ov_vec3 b_in_a = ov_mat3_tmul_vec3(&place.turn, ov_vec3_sub(b, place.offset));
    ovi_scheme_field(pair->a, a, &gradient_a, NULL);
    ovi_scheme_field(pair->b, b, &gradient_b, NULL);
    gradient_a = ov_mat3_mul_vec3(&place.turn, gradient_a);
    if (!(ov_vec3_dot(gradient_a, gradient_b) < 0.0)) {
        return false;
    }
    bool b_inside = ovi_scheme_inside(pair->a, b_in_a) < 0.0;
    bool a_inside = ovi_scheme_inside(pair->b, a_in_b) < 0.0;
    double towards = ov_vec3_dot(gradient_a, ov_vec3_sub(b, a_in_b));
    // where the bodies just touch, the signs are those of rounding errors
    double size = fmax(pair->a->ball.radius, pair->b->ball.radius);
    bool touching = ov_vec3_length(ov_vec3_sub(b, a_in_b)) < 1e-9 * size;
    return touching || (a_inside == b_inside && (towards < 0.0) == a_inside);
}

static void copy(const attempts *t, const double *from, double *to) {
    for (int i = 0; i < t->system->unknowns; i++) {
        to[i] = from[i];
    }
}

/** Newton from q; true where that is the answer. Keeps the best that was seen. */
static bool attempt(attempts *t, double *q) {
    bool good = ovi_scheme_newton(t->system, t->pair, q, &t->iterations);
    if (good && t->pair->options->mended) {
        good = faces(t, q);
    }
    double residual = residual_of(t, q);
    if (good || !(residual >= t->residual)) {
        t->residual = residual;
        copy(t, q, t->best);
    }
    return good;
}

static bool attempt_again(attempts *t, double *q) {
    t->restarts++;
    return attempt(t, q);
}

/** The tree's guess, from more levels where `deeper` is not zero; false where there are no more. */
static bool guess_by_tree(attempts *t, int deeper, double *q) {
    ovi_scheme_guess guess = {.made_seconds = 0.0};
    const ov_scheme_options *options = t->pair->options;
    if (t->octree) {
        int levels = options->octree_levels;
        if (deeper > 0) {
            levels = (levels > OCTREE_COARSE ? levels : OCTREE_COARSE) + deeper;
        }
        if (levels > OCTREE_DEEPEST) {
            return false;
        }
        ovi_scheme_guess_octree(t->pair, levels, &guess);
    } else {
        ovi_scheme_guess_quadtree(t->pair, options->quadtree_levels + QUADTREE_MORE * deeper,
                                  &guess);
    }
    t->made_seconds += guess.made_seconds;
    t->system->start(&guess, q);
    return true;
}

/** Temporal coherence: true where the last answer gave a start. */
static bool guess_by_last(const attempts *t, double *q) {
    const ov_scheme_result *last = t->pair->options->last;
    if (last == NULL || last->status < 0 || !ov_vec3_is_finite(last->point_a) ||
        !ov_vec3_is_finite(last->point_b)) {
        return false;
    }
    ovi_scheme_guess guess;
    ovi_scheme_guess_last(t->pair, last, &guess);
    t->system->start(&guess, q);
    bool good = true;
    for (int i = 0; i < t->system->unknowns; i++) {
        good = good && isfinite(q[i]);
    }
    return good;
}

/** [Thesis, 1.4.1 and 3.4.1] */
static bool rescue(attempts *t) {
    unsigned wanted = t->pair->options->rescue;
    double q[OVI_SCHEME_UNKNOWNS_MAX];
    copy(t, t->first, q);
    if ((wanted & OV_RESCUE_BISECTION) != 0 && ovi_scheme_bisection(t->system, t->pair, q) &&
        attempt_again(t, q)) {
        return true;
    }
    copy(t, t->first, q);
    if ((wanted & OV_RESCUE_REGULA_FALSI) != 0 && ovi_scheme_regula_falsi(t->system, t->pair, q) &&
        attempt_again(t, q)) {
        return true;
    }
    for (int i = 1; (wanted & OV_RESCUE_DEEPER) != 0 && i <= DEEPER_STARTS; i++) {
        if (!guess_by_tree(t, i, q)) {
            return false;
        }
        if (attempt_again(t, q)) {
            return true;
        }
    }
    return false;
}

void ovi_scheme_newton_contact(ov_scheme scheme, const ovi_scheme_pair *pair,
                               ov_scheme_result *result) {
    attempts t = {.system = system_of(scheme),
                  .pair = pair,
                  .octree = scheme == OV_SCHEME_OCT_IMPLICIT,
                  .residual = INFINITY};
    double q[OVI_SCHEME_UNKNOWNS_MAX] = {0.0};
    double begin = ovi_scheme_clock();
    bool warm = guess_by_last(&t, q);
    if (!warm) {
        guess_by_tree(&t, 0, q);
    }
    result->start_seconds = ovi_scheme_clock() - begin - t.made_seconds;
    copy(&t, q, t.first);
    copy(&t, q, t.best);
    bool good = attempt(&t, q);
    if (!good && warm) {
        guess_by_tree(&t, 0, q);
        copy(&t, q, t.first);
        good = attempt_again(&t, q);
    }
    good = good || rescue(&t);
    result->status = good ? OV_OK : OV_NOT_CONVERGED;
    result->iterations = t.iterations;
    result->restarts = t.restarts;
    result->residual = t.residual;
    ov_vec3 a, b;
    t.system->points(pair, t.best, &a, &b);
    ovi_scheme_finish(pair, a, b, result);
    result->total_seconds = ovi_scheme_clock() - begin - t.made_seconds;
}
