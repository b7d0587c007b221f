/**
 * @file cloth_solve.c
 * @brief The inner forces of a cloth: edges and hinges by extended position-based dynamics (XPBD)
 * with warm starts, wind, and damping.
 *
 * Implicit Euler for an edge of length l, rest length L and compliance c over a step h asks for a
 * multiplier lambda with l - L + (c/h^2) lambda = 0, where lambda moves the ends by their inverse
 * masses along the edge. One sweep of Gauss-Seidel changes it by
 *
 *     d_lambda = -(l - L + s lambda)/(w_a + w_b + s),   s = c/h^2          [Macklin et al. 2016]
 *
 * In a cloth that hangs still the multipliers are those of the step before. So each step begins
 * with them (their share WARM): what the sweeps have left to do is the change only, and the strain
 * of unfinished sweeps, which grows with the square of the number of edges between supports, all
 * but vanishes. The multiplier is kept over the length, so that the start needs no square root, and
 * keeps linear and angular momentum.
 *
 * Four edges that share no vertex are relaxed at once: eight vertices are loaded as a register
 * each, their differences transposed to coordinates.
 */
#include <math.h>

#include "cloth_internal.h"

/** Share of the last multipliers that a step begins with. */

static const double warm = 0.5;

/* ---- edges */

/** Adds to each end its share of the edge's difference: a_k += fa_k d_k, b_k -= fb_k d_k. */
OVI_INLINE void move_ends(const ovi_cloth_edges *e, ovi_v4 *x, const ovi_v4 d[4], ovi_v4 mu) {
    ovi_v4 fa = mu * e->wa, fb = mu * e->wb;
    x[e->a[0]] += d[0] * __builtin_shufflevector(fa, fa, 0, 0, 0, 0);
    x[e->b[0]] -= d[0] * __builtin_shufflevector(fb, fb, 0, 0, 0, 0);
    x[e->a[1]] += d[1] * __builtin_shufflevector(fa, fa, 1, 1, 1, 1);
    x[e->b[1]] -= d[1] * __builtin_shufflevector(fb, fb, 1, 1, 1, 1);
    x[e->a[2]] += d[2] * __builtin_shufflevector(fa, fa, 2, 2, 2, 2);
    x[e->b[2]] -= d[2] * __builtin_shufflevector(fb, fb, 2, 2, 2, 2);
    x[e->a[3]] += d[3] * __builtin_shufflevector(fa, fa, 3, 3, 3, 3);
    x[e->b[3]] -= d[3] * __builtin_shufflevector(fb, fb, 3, 3, 3, 3);
}

OVI_INLINE void differences(const ovi_cloth_edges *e, const ovi_v4 *x, ovi_v4 d[4]) {
    for (int k = 0; k < 4; k++) {
        d[k] = x[e->a[k]] - x[e->b[k]];
    }
}

OVI_INLINE ovi_v4 squared_lengths(const ovi_v4 d[4]) {
    ovi_v4 xy0 = __builtin_shufflevector(d[0], d[1], 0, 4, 2, 6); // x0 x1 z0 z1
    ovi_v4 xy1 = __builtin_shufflevector(d[2], d[3], 0, 4, 2, 6);
    ovi_v4 y0 = __builtin_shufflevector(d[0], d[1], 1, 5, 3, 7); // y0 y1
    ovi_v4 y1 = __builtin_shufflevector(d[2], d[3], 1, 5, 3, 7);
    ovi_v4 x = __builtin_shufflevector(xy0, xy1, 0, 1, 4, 5);
    ovi_v4 z = __builtin_shufflevector(xy0, xy1, 2, 3, 6, 7);
    ovi_v4 y = __builtin_shufflevector(y0, y1, 0, 1, 4, 5);
    return x * x + y * y + z * z;
}

OVI_INLINE ovi_v4 roots(ovi_v4 a) {
    return (ovi_v4){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
}

OVI_INLINE int relax_edges_inner(ovi_cloth_edges *edges, size_t count, ovi_v4 *x) {
    for (size_t i = 0; i < count; i++) {
        ovi_cloth_edges *e = &edges[i];
        ovi_v4 d[4];
        differences(e, x, d);
        // an edge without length has no direction: it stays as it is
        ovi_v4 length = roots(squared_lengths(d) + 1e-60);
        ovi_v4 change = (e->rest / length - 1.0 - e->soft * e->mu) * e->inverse;
        e->mu += change;
        move_ends(e, x, d, change);
    }
    return 0;
}

OVI_DISPATCH(static, int, relax_edges, relax_edges_inner,
             (ovi_cloth_edges * edges, size_t count, ovi_v4 *x), (edges, count, x))

OVI_INLINE int start_edges_inner(ovi_cloth_edges *edges, size_t count, ovi_v4 *x, double share) {
    for (size_t i = 0; i < count; i++) {
        ovi_cloth_edges *e = &edges[i];
        ovi_v4 d[4];
        differences(e, x, d);
        e->mu *= share;
        move_ends(e, x, d, e->mu);
    }
    return 0;
}

OVI_DISPATCH(static, int, start_edges, start_edges_inner,
             (ovi_cloth_edges * edges, size_t count, ovi_v4 *x, double share),
             (edges, count, x, share))

/* ---- hinges */

OVI_INLINE int relax_hinges_inner(ovi_cloth_hinge *hinges, size_t count, ovi_v4 *x, bool first) {
    for (size_t i = 0; i < count; i++) {
        ovi_cloth_hinge *g = &hinges[i];
        ovi_v4 bend = x[g->v[0]] * g->k[0] + x[g->v[1]] * g->k[1] + x[g->v[2]] * g->k[2] +
                      x[g->v[3]] * g->k[3];
        ovi_v4 old = first ? ovi_v4_of(0.0) : g->multiplier;
        ovi_v4 change = -(bend + old * g->soft) * g->inverse;
        g->multiplier = old + change;
        for (int k = 0; k < 4; k++) {
            x[g->v[k]] += change * (g->w[k] * g->k[k]);
        }
    }
    return 0;
}

OVI_DISPATCH(static, int, relax_hinges, relax_hinges_inner,
             (ovi_cloth_hinge * hinges, size_t count, ovi_v4 *x, bool first),
             (hinges, count, x, first))

void ovi_cloth_relax(ov_cloth *cloth, double h) {
    ovi_cloth_prepare(cloth, h);
    start_edges(cloth->edges, cloth->edge_count, cloth->x, warm);
    for (unsigned i = 0; i < cloth->sweeps; i++) {
        relax_hinges(cloth->hinges, cloth->hinge_count, cloth->x, i == 0);
        relax_edges(cloth->edges, cloth->edge_count, cloth->x);
    }
}

/* ---- prediction, wind and velocities */

/**
 * Pressure of the air on each triangle: its density times area times half the square of the speed
 * along the normal, as on a plate with a coefficient of one on either side. The impulse J is the
 * same at all corners and changes no speed by more than a fifth of the triangle's speed s through
 * the air, so that light cloth in a storm does not overshoot: the energy as the air sees it changes
 * by -3 J s + J^2/2 sum w <= -2.7 J s.
 */
static void blow(ov_cloth *cloth, double h) {
    ov_vec3 wind = cloth->options.wind;
    for (size_t t = 0; t < cloth->triangle_count; t++) {
        const uint32_t *v = cloth->triangles[t];
        ov_vec3 a = ovi_cloth_at(cloth->x, v[0]);
        ov_vec3 n = ov_vec3_cross(ov_vec3_sub(ovi_cloth_at(cloth->x, v[1]), a),
                                  ov_vec3_sub(ovi_cloth_at(cloth->x, v[2]), a));
        double twice = ov_vec3_length(n);
        if (!(twice > 0.0)) {
            continue;
        }
        n = ov_vec3_scale(n, 1.0 / twice);
        ovi_v4 mean = (cloth->v[v[0]] + cloth->v[v[1]] + cloth->v[v[2]]) * (1.0 / 3.0);
        double speed = ov_vec3_dot(n, ov_vec3_sub(wind, ov_vec3_make(mean[0], mean[1], mean[2])));
        double impulse = 0.25 * cloth->options.air * twice * fabs(speed) * speed * h / 3.0;
        double lightest = fmax(fmax(cloth->w[v[0]], cloth->w[v[1]]), cloth->w[v[2]]);
        double most = lightest > 0.0 ? 0.2 * fabs(speed) / lightest : 0.0;
        impulse = fabs(impulse) > most ? copysign(most, speed) : impulse;
        for (int i = 0; i < 3; i++) {
            cloth->v[v[i]] += ovi_cloth_pack(n) * (impulse * cloth->w[v[i]]);
        }
    }
}

/** Pins of the world are led from where they were to where they are to be at the frame's end. */
static void lead_pins(ov_cloth *cloth, double h) {
    double left = cloth->frame - cloth->time, part = left > h ? h / left : 1.0;
    for (size_t i = 0; i < cloth->hold_count; i++) {
        const ovi_cloth_hold *hold = &cloth->holds[i];
        if (hold->collider == OV_NO_COLLIDER && hold->stiffness == 0.0) {
            ovi_v4 *x = &cloth->x[hold->vertex];
            *x += (ovi_cloth_pack(hold->point) - *x) * part;
        }
    }
}

void ovi_cloth_predict(ov_cloth *cloth, double h, ov_vec3 gravity) {
    if (cloth->options.air > 0.0) {
        blow(cloth, h);
    }
    ovi_v4 pull = ovi_cloth_pack(gravity) * h;
    for (size_t i = 0; i < cloth->vertex_count; i++) {
        cloth->prev[i] = cloth->x[i];
        cloth->v[i] = cloth->w[i] > 0.0 ? cloth->v[i] + pull : ovi_v4_of(0.0);
        cloth->x[i] += cloth->v[i] * h;
    }
    lead_pins(cloth, h);
}

void ovi_cloth_advance(ov_cloth *cloth, double h) {
    double inverse = 1.0 / h, most = 0.0;
    for (size_t i = 0; i < cloth->vertex_count; i++) {
        ovi_v4 d = cloth->x[i] - cloth->prev[i];
        cloth->v[i] = d * inverse;
        ovi_v4 q = d * d;
        double squared = q[0] + q[1] + q[2];
        most = squared > most ? squared : most;
    }
    cloth->fastest = sqrt(most) * inverse;
    cloth->drift += sqrt(most);
}

/** Speed at which folds open or close, along the vector of the fold: along that it turns nothing,
 *  as the fold's lever arms add up to it. */
static void damp_hinges(ov_cloth *cloth, double share) {
    for (size_t i = 0; i < cloth->hinge_count; i++) {
        const ovi_cloth_hinge *g = &cloth->hinges[i];
        ovi_v4 bend = ovi_v4_of(0.0), speed = ovi_v4_of(0.0);
        double sum = 0.0;
        for (int k = 0; k < 4; k++) {
            bend += cloth->x[g->v[k]] * g->k[k];
            speed += cloth->v[g->v[k]] * g->k[k];
            sum += g->w[k] * g->k[k] * g->k[k];
        }
        ovi_v4 bb = bend * bend, bs = bend * speed;
        double squared = bb[0] + bb[1] + bb[2], along = bs[0] + bs[1] + bs[2];
        if (!(squared > 0.0) || !(sum > 0.0)) {
            continue;
        }
        ovi_v4 change = bend * (-share * along / (squared * sum));
        for (int k = 0; k < 4; k++) {
            cloth->v[g->v[k]] += change * (g->w[k] * g->k[k]);
        }
    }
}

/** Speeds of the two ends of each edge along it are brought closer together, and those of folds. */
void ovi_cloth_damp(ov_cloth *cloth, double dt) {
    double share = -expm1(-cloth->options.damping * dt);
    if (!(share > 0.0)) {
        return;
    }
    damp_hinges(cloth, share);
    for (size_t i = 0; i < cloth->edge_count; i++) {
        const ovi_cloth_edges *e = &cloth->edges[i];
        for (int k = 0; k < 4; k++) {
            double sum = e->wa[k] + e->wb[k];
            ovi_v4 d = cloth->x[e->a[k]] - cloth->x[e->b[k]];
            ovi_v4 v = cloth->v[e->a[k]] - cloth->v[e->b[k]];
            ovi_v4 dd = d * d, dv = d * v;
            double squared = dd[0] + dd[1] + dd[2], along = dv[0] + dv[1] + dv[2];
            if (!(sum > 0.0) || !(squared > 0.0)) {
                continue;
            }
            double impulse = -share * along / (squared * sum);
            cloth->v[e->a[k]] += d * (impulse * e->wa[k]);
            cloth->v[e->b[k]] -= d * (impulse * e->wb[k]);
        }
    }
}
