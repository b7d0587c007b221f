/**
 * @file point.c
 * @brief Points against a body: signed distance with proof, and radial distance [Thesis, 3.3];
 * segments and triangles by way of the pair query [Thesis, 7.2].
 *
 * The smooth family has a solver of its own, as one of the two bodies being a point makes it a
 * search over two unknowns; all other kinds go through the pair query. A surface point X with unit
 * outward normal n is found from a unit vector u: the section of the body has the ray (u1, u2),
 * its profile (|(u1, u2)|, u3), each parametrised by position where its exponent is up to 1, by
 * normal where it is above, so that both X and n are smooth in u (superquadric_newton.h, where the
 * same is done in vectors for pairs). Given the point P:
 *
 *     1. phi = n.(P - X), r = P - X - phi n: the nearest point has r = 0
 *     2. Newton: (X' + phi n') du = r, two equations in the tangent plane
 *     3. merit |P - X| - phi. Outside it is the width of the certificate, and falls along du;
 *        inside it is twice the depth at a stationary point, and where its second derivative
 *        X'X'/|P-X| - |P-X| n'n' is not positive, the step uses the sum of both parts instead,
 *        which lies above it
 *     4. certificate outside: phi <= gap <= |P - X|, as the tangent plane at X holds the body on
 *        one side. For a body that is the hull of a dented surface the plane is moved out by the
 *        support function; if that is not enough, the pair query gives the answer
 *     5. inside, gap >= phi for every n, and the depth is the least |phi| over several starts; that
 *        P is inside by mu R, R the radius of a ball about the centre, is proven by a point of the
 *        body P/(1 - mu): by convexity the body holds the ball shrunk by mu around P
 *
 * At most ITERATIONS times MAX_STEPS steps, each halved at most MAX_HALVINGS times.
 */
#include <stddef.h>

#include "../math/rounding_mode.h"
#include "query_internal.h"

enum { MAX_STEPS = 40, MAX_HALVINGS = 12, STARTS = 16, ITERATIONS = 7 };

/* ---- surface */

/** A curve at a ray (c, s): point, covector, and their derivatives by the angle of the ray. */
typedef struct curve {
    double u, v, gu, gv;
    double du, dv, dgu, dgv;
    double u_c, gu_c; // u/c, gu/c, also where c is zero
} curve;

static bool is_faceted(double e) { return e > 1.98; }

/**
 * Is a curve parametrised by position? With e close to 2 no normal tells where on a face a point
 * is: if one of its `faces` is looked for, position serves better, though it knows no edges. The
 * nearest surface point of a point inside is on a face, never on an edge.
 */
static bool is_by_position(double e, bool faces) { return e <= 1.0 || (faces && is_faceted(e)); }

static curve curve_at(double c, double s, double e, bool by_position) {
    ovi_exponent p = by_position ? ovi_primal(e) : ovi_dual(e);
    ovi_p_norm_parts parts = ovi_p_norm_split(c, s, p);
    ovi_p_norm n = ovi_p_norm_gradient(c, s, &parts);
    ovi_p_norm_hessian h = ovi_p_norm_second(c, s, p, &parts);
    double i = 1.0 / n.value, slope = n.dv * c - n.du * s;
    curve a = {.u = c * i, .v = s * i, .gu = n.du, .gv = n.dv};
    a.du = -(s + a.u * slope) * i;
    a.dv = (c - a.v * slope) * i;
    a.dgu = h.uv * c - h.uu * s;
    a.dgv = h.vv * c - h.uv * s;
    a.u_c = i;
    a.gu_c = c != 0.0 ? n.du / c : p.minus_1 == 1.0 ? parts.w / parts.big : 0.0;
    if (by_position) {
        return a;
    }
    return (curve){a.gu, a.gv, a.u, a.v, a.dgu, a.dgv, a.du, a.dv, a.gu_c, a.u_c};
}

/** Surface point and unit normal with their derivatives by the two ways to move a ray. */
typedef struct surface {
    ov_vec3 point, point_1, point_2;
    ov_vec3 normal, normal_1, normal_2;
} surface;

/** The body and the point, in the body's frame. */
typedef struct task {
    const ov_shape *s;
    ov_vec3 point;
    bool inside, faces;
    double rounding;
} task;

/** A place u on the sphere of rays, with its tangents. */
typedef struct place {
    ov_vec3 u, along_1, along_2;
    surface at;
    // how far the point is from it
    double phi, distance, merit, residual;
    ov_vec3 r;
} place;

static ov_vec3 unit_derivative(ov_vec3 n, ov_vec3 d, double inverse) {
    return ov_vec3_scale(ov_vec3_add_scaled(d, n, -ov_vec3_dot(n, d)), inverse);
}

static void evaluate_surface(const ov_shape *s, bool faces, place *w) {
    double rho = hypot(w->u.x, w->u.y);
    double c1 = rho > 0.0 ? w->u.x / rho : 1.0, s1 = rho > 0.0 ? w->u.y / rho : 0.0;
    w->along_1 = ov_vec3_make(-s1, c1, 0.0);
    w->along_2 = ov_vec3_make(-w->u.z * c1, -w->u.z * s1, rho);
    curve x = curve_at(c1, s1, s->e1, is_by_position(s->e1, faces));
    curve w2 = curve_at(rho, w->u.z, s->e2, is_by_position(s->e2, faces));
    double f1 = 1.0 + s->tx * w2.v, f2 = 1.0 + s->ty * w2.v;
    double alpha = s->tx / f1, beta = s->ty / f2;
    double a1 = s->a.x * f1, a2 = s->a.y * f2, a3 = s->a.z;
    double bend = x.gu * x.u * alpha + x.gv * x.v * beta;
    w->at.point = ov_vec3_make(a1 * w2.u * x.u, a2 * w2.u * x.v, a3 * w2.v);
    w->at.point_1 = ov_vec3_make(a1 * w2.u_c * x.du, a2 * w2.u_c * x.dv, 0.0);
    double grow_1 = w2.du + w2.u * alpha * w2.dv, grow_2 = w2.du + w2.u * beta * w2.dv;
    w->at.point_2 = ov_vec3_make(a1 * grow_1 * x.u, a2 * grow_2 * x.v, a3 * w2.dv);

    ov_vec3 n =
        ov_vec3_make(w2.gu * x.gu / a1, w2.gu * x.gv / a2, (w2.gv - w2.gu * w2.u * bend) / a3);
    double bend_1 = (x.dgu * x.u + x.gu * x.du) * alpha + (x.dgv * x.v + x.gv * x.dv) * beta;
    ov_vec3 n1 =
        ov_vec3_make(w2.gu_c * x.dgu / a1, w2.gu_c * x.dgv / a2, -w2.gu_c * w2.u * bend_1 / a3);
    // alpha' = -alpha^2 zeta'
    double bend_2 = -(x.gu * x.u * alpha * alpha + x.gv * x.v * beta * beta) * w2.dv;
    double width = w2.dgu * w2.u + w2.gu * w2.du;
    ov_vec3 n2 = ov_vec3_make((w2.dgu - w2.gu * alpha * w2.dv) * x.gu / a1,
                              (w2.dgu - w2.gu * beta * w2.dv) * x.gv / a2,
                              (w2.dgv - width * bend - w2.gu * w2.u * bend_2) / a3);
    double inverse = 1.0 / ov_vec3_length(n);
    w->at.normal = ov_vec3_scale(n, inverse);
    w->at.normal_1 = unit_derivative(w->at.normal, n1, inverse);
    w->at.normal_2 = unit_derivative(w->at.normal, n2, inverse);
}

static place place_at(const task *t, ov_vec3 u) {
    place w = {.u = ov_vec3_normalize(u)};
    evaluate_surface(t->s, t->faces, &w);
    ov_vec3 offset = ov_vec3_sub(t->point, w.at.point);
    w.phi = ov_vec3_dot(w.at.normal, offset);
    w.r = ov_vec3_add_scaled(offset, w.at.normal, -w.phi);
    w.distance = ov_vec3_length(offset);
    w.residual = ov_vec3_length(w.r);
    // the difference of two nearly equal numbers, without cancellation
    w.merit = w.phi > 0.0 ? w.residual * (w.residual / (w.distance + w.phi)) : w.distance - w.phi;
    return w;
}

/* ---- starts */

/** Ray of the place whose section and profile have these points (or, for `dual`, covectors). */
static ov_vec3 ray_of(const task *t, ov_vec3 scaled, bool dual) {
    const ov_shape *s = t->s;
    double x = scaled.x, y = scaled.y, z = scaled.z;
    ovi_exponent e1 = dual ? ovi_dual1(s) : ovi_primal1(s);
    ovi_exponent e2 = dual ? ovi_dual2(s) : ovi_primal2(s);
    ovi_p_norm_parts in = ovi_p_norm_split(x, y, e1);
    ovi_p_norm m = ovi_p_norm_gradient(x, y, &in);
    ovi_p_norm_parts out = ovi_p_norm_split(m.value, z, e2);
    ovi_p_norm g = ovi_p_norm_gradient(m.value, z, &out);
    bool given_1 = is_by_position(s->e1, t->faces) != dual;
    bool given_2 = is_by_position(s->e2, t->faces) != dual;
    double c = given_1 ? x : m.du, d = given_1 ? y : m.dv, length = hypot(c, d);
    double rho = given_2 ? m.value : g.du, height = given_2 ? z : g.dv;
    if (length == 0.0) {
        return ov_vec3_make(0.0, 0.0, height == 0.0 ? 1.0 : height);
    }
    return ov_vec3_make(rho * (c / length), rho * (d / length), height);
}

/** Of a point near the surface: where the ray to it from the centre meets it, or nearly so. */
static ov_vec3 ray_of_point(const task *t, ov_vec3 p) {
    const ov_shape *s = t->s;
    double zeta = fmax(-1.0, fmin(1.0, p.z / s->a.z));
    return ray_of(t,
                  ov_vec3_make(p.x / (s->a.x * (1.0 + s->tx * zeta)),
                               p.y / (s->a.y * (1.0 + s->ty * zeta)), p.z / s->a.z),
                  false);
}

/** Of a unit normal. */
static ov_vec3 ray_of_normal(const task *t, ov_vec3 n) {
    return t->s->kind == OV_SHAPE_KIND_SUPEROVOID
               ? ray_of_point(t, ovi_family_support(t->s, n).point)
               : ray_of(t, ov_vec3_mul(t->s->a, n), true);
}

/* ---- Newton's method */

/** Solves m x = b for a symmetric 2x2 m (xx, xy, yy). */
static bool solve_symmetric(const double m[3], double b1, double b2, double step[2]) {
    double det = m[0] * m[2] - m[1] * m[1];
    step[0] = (m[2] * b1 - m[1] * b2) / det;
    step[1] = (m[0] * b2 - m[1] * b1) / det;
    return isfinite(step[0]) && isfinite(step[1]);
}

static bool newton_step(const place *w, double step[2]) {
    ov_vec3 n = w->at.normal;
    ov_vec3 c1 = ov_vec3_add_scaled(w->at.point_1, w->at.normal_1, w->phi);
    ov_vec3 c2 = ov_vec3_add_scaled(w->at.point_2, w->at.normal_2, w->phi);
    double det = ov_vec3_dot(n, ov_vec3_cross(c1, c2));
    step[0] = ov_vec3_dot(n, ov_vec3_cross(w->r, c2)) / det;
    step[1] = ov_vec3_dot(n, ov_vec3_cross(c1, w->r)) / det;
    return isfinite(step[0]) && isfinite(step[1]);
}

/** The two parts of the merit's second derivative inside: it is their difference. */
typedef struct bends {
    double x[3], n[3]; // X'X'/|P-X| and |P-X| n'n': entries 11, 12, 22
} bends;

static bends bends_at(const place *w) {
    const surface *s = &w->at;
    double far = w->distance, near = 1.0 / far;
    return (bends){
        {near * ov_vec3_dot(s->point_1, s->point_1), near * ov_vec3_dot(s->point_1, s->point_2),
         near * ov_vec3_dot(s->point_2, s->point_2)},
        {far * ov_vec3_dot(s->normal_1, s->normal_1), far * ov_vec3_dot(s->normal_1, s->normal_2),
         far * ov_vec3_dot(s->normal_2, s->normal_2)},
    };
}

/** Does the merit curve upwards in every direction? */
static bool is_hollow(const bends *b) {
    double d0 = b->x[0] - b->n[0], d1 = b->x[1] - b->n[1], d2 = b->x[2] - b->n[2];
    double s0 = b->x[0] + b->n[0], s1 = b->x[1] + b->n[1], s2 = b->x[2] + b->n[2];
    return d0 > 0.0 && d2 > 0.0 && d0 * d2 - d1 * d1 > 1e-3 * (s0 * s2 - s1 * s1);
}

/** Inside: Newton where the merit curves upwards, else the step of a quadratic that lies above. */
static bool inner_step(const place *w, double step[2]) {
    bends b = bends_at(w);
    if (is_hollow(&b) && newton_step(w, step)) {
        return true;
    }
    const double up[3] = {b.x[0] + b.n[0], b.x[1] + b.n[1], b.x[2] + b.n[2]};
    const surface *s = &w->at;
    double near = 1.0 / w->distance;
    double b1 = near * ov_vec3_dot(s->point_1, w->r) + ov_vec3_dot(s->normal_1, w->r);
    double b2 = near * ov_vec3_dot(s->point_2, w->r) + ov_vec3_dot(s->normal_2, w->r);
    return solve_symmetric(up, b1, b2, step);
}

static ov_vec3 moved(const place *w, const double step[2], double share) {
    const double longest = 0.5;
    double length = hypot(step[0], step[1]) * share;
    share *= length > longest ? longest / length : 1.0;
    ov_vec3 u = ov_vec3_add_scaled(w->u, w->along_1, share * step[0]);
    return ov_vec3_add_scaled(u, w->along_2, share * step[1]);
}

/** Inside: leaves a saddle, which a start on a plane of symmetry may run into; false: none left. */
static bool leave_saddle(const task *t, place *w, int *iterations) {
    bends b = bends_at(w);
    if (is_hollow(&b)) {
        return false;
    }
    for (double reach = 0.05; reach > 1e-4; reach *= 0.2) {
        const double ways[4][2] = {{reach, 0.0}, {-reach, 0.0}, {0.0, reach}, {0.0, -reach}};
        for (int k = 0; k < 4; k++) {
            place next = place_at(t, moved(w, ways[k], 1.0));
            (*iterations)++;
            if (next.merit < w->merit * (1.0 - 1e-12)) {
                *w = next;
                return true;
            }
        }
    }
    return false;
}

/** One step down the merit; false where there is none. */
static bool step_down(const task *t, place *w, int *iterations) {
    double step[2];
    if (!(t->inside ? inner_step(w, step) : newton_step(w, step))) {
        return false;
    }
    for (int k = 0; k < MAX_HALVINGS; k++) {
        place next = place_at(t, moved(w, step, scalbn(1.0, -k)));
        (*iterations)++;
        // outside, the far end of the body has a residual of zero too, but a merit beyond reach
        if (next.merit < w->merit) {
            *w = next;
            return true;
        }
    }
    return false;
}

/** From a ray until the residual is rounding, or nothing improves any more. */
static place iterate(const task *t, ov_vec3 u, int *iterations) {
    place w = place_at(t, u);
    for (int i = 0; i < MAX_STEPS; i++) {
        bool met = w.residual <= 1e-11 * fabs(w.phi) || w.residual <= 0.01 * t->rounding;
        if (!met && step_down(t, &w, iterations)) {
            continue;
        }
        if (!t->inside || !leave_saddle(t, &w, iterations)) {
            break;
        }
    }
    return w;
}

/* ---- answers */

/** n.P - h(n): a lower bound of the gap for every n. */
static double plane_bound(const ov_shape *s, ov_vec3 n, ov_vec3 point) {
    return ov_vec3_dot(n, point) - ovi_family_support(s, n).value;
}

static bool is_dented(const ov_shape *s) { return s->dent > 0.0; }

/** Lower bound from a place: its tangent plane, or where that may cut the body, its support. */
static double lower_bound(const ov_shape *s, const place *w, ov_vec3 point) {
    return is_dented(s) ? fmin(w->phi, plane_bound(s, w->at.normal, point)) : w->phi;
}

static bool solve_outside(const ovi_pair *pair, ov_vec3 point, bool faces, ovi_result *r) {
    const ov_shape *s = pair->a;
    const task t = {s, point, false, faces, pair->rounding};
    double far = ov_vec3_length(point);
    ov_vec3 u = far > 1.5 * s->ball.radius ? ray_of_normal(&t, ov_vec3_scale(point, 1.0 / far))
                                           : ray_of_point(&t, point);
    place w = iterate(&t, u, &r->iterations);
    r->normal = w.at.normal;
    r->lower = lower_bound(s, &w, point) - pair->rounding;
    r->upper = w.distance + pair->rounding;
    if (r->upper - r->lower > pair->goal && w.distance > 0.0) {
        // in a corner that no ray resolves, the way to the point is the better normal
        ov_vec3 n = ov_vec3_scale(ov_vec3_sub(point, w.at.point), 1.0 / w.distance);
        double lower = plane_bound(s, n, point) - pair->rounding;
        r->normal = lower > r->lower ? n : r->normal;
        r->lower = fmax(r->lower, lower);
    }
    r->gap = w.distance;
    r->point_a = w.at.point;
    r->solved = r->upper - r->lower <= pair->goal;
    return r->solved;
}

/** By the corners of a body with edges first, then by its faces. */
static bool solve_apart(const ovi_pair *pair, ov_vec3 point, ovi_result *r) {
    bool faceted = is_faceted(pair->a->e1) || is_faceted(pair->a->e2);
    return solve_outside(pair, point, false, r) || (faceted && solve_outside(pair, point, true, r));
}

/** At least a twentieth of the semi-axis away from the plane of symmetry, which holds saddles. */
static double off_plane(double x, double a) { return copysign(fmax(fabs(x), 0.05 * a), x); }

/**
 * Starts inside: above the faces, edges and corners of the box around the body, and radially; with
 * a taper on both sides of the equator, as either may be the nearer one.
 */
static int inner_starts(const task *t, ov_vec3 starts[STARTS]) {
    const ov_shape *s = t->s;
    double px = off_plane(t->point.x, s->a.x), py = off_plane(t->point.y, s->a.y);
    double x = copysign(s->a.x, px), y = copysign(s->a.y, py);
    int count = 0;
    for (int side = -1; side <= 1; side += 2) {
        bool same = side * copysign(1.0, t->point.z) > 0.0;
        if (s->kind != OV_SHAPE_KIND_SUPEROVOID && !same) {
            continue;
        }
        const double z[2] = {side * fabs(off_plane(same ? t->point.z : 0.0, s->a.z)),
                             side * s->a.z};
        for (int i = 0; i < 2; i++) {
            starts[count++] = ray_of_point(t, ov_vec3_make(px, py, z[i]));
            starts[count++] = ray_of_point(t, ov_vec3_make(x, py, z[i]));
            starts[count++] = ray_of_point(t, ov_vec3_make(px, y, z[i]));
            starts[count++] = ray_of_point(t, ov_vec3_make(x, y, z[i]));
        }
    }
    return count;
}

/** The most that a ball around the point is proven to lie in the body, by a point further out. */
static double proven_depth(const ovi_pair *pair, ov_vec3 point, double depth) {
    const ov_shape *s = pair->a;
    // the octahedron of the axis ends is in every body of the family
    double inner = 1.0 / ov_vec3_length(ov_vec3_make(1.0 / s->a.x, 1.0 / s->a.y, 1.0 / s->a.z));
    double reach = s->ball.radius + ov_vec3_length(s->ball.centre), best = 0.0;
    if (s->kind != OV_SHAPE_KIND_SUPEROVOID) {
        double mu = 1.0 - ovi_family_gauge_value(s, point);
        return mu * inner;
    }
    for (int k = 0; k < 4; k++) {
        double mu = fmin(1.0, depth / reach) * (1.0 - 0.25 * k);
        if (mu >= 1.0) {
            continue;
        }
        ov_vec3 out = ov_vec3_scale(point, 1.0 / (1.0 - mu));
        if (ovi_family_gauge_value(s, out) < 1.0) {
            best = fmax(best, mu * inner);
        }
    }
    return best;
}

static bool solve_inside(const ovi_pair *pair, ov_vec3 point, ovi_result *r) {
    const ov_shape *s = pair->a;
    ov_vec3 starts[STARTS];
    const task t = {s, point, true, true, pair->rounding};
    int count = inner_starts(&t, starts);
    double merits[STARTS];
    for (int i = 0; i < count; i++) {
        merits[i] = place_at(&t, starts[i]).merit;
        r->iterations++;
    }
    place best = {.phi = -INFINITY};
    bool found = false;
    int most = pair->depth == OV_DEPTH_LOCAL ? 1 : ITERATIONS;
    for (int k = 0; k < most && k < count; k++) {
        int next = 0;
        for (int i = 1; i < count; i++) {
            next = merits[i] < merits[next] ? i : next;
        }
        place w = iterate(&t, starts[next], &r->iterations);
        merits[next] = INFINITY;
        // stationary: the value is then right to the square of what is left
        bool met = w.residual <= 1e-6 * fabs(w.phi) + 16.0 * pair->rounding;
        bool better = w.phi > best.phi + 1e-3 * pair->goal || (met && !found && w.phi > best.phi);
        if (w.phi <= pair->rounding && better) {
            best = w;
            found = met;
        }
    }
    if (isinf(best.phi)) {
        return false;
    }
    double lower = lower_bound(s, &best, point);
    found = found && best.phi - lower <= 0.25 * pair->goal;
    double depth = proven_depth(pair, point, -best.phi) - pair->rounding;
    r->overlap = depth > 0.0;
    r->gap = best.phi;
    r->lower = lower - pair->rounding;
    r->upper = r->overlap ? fmax(-depth, r->gap) : best.distance + pair->rounding;
    r->normal = best.at.normal;
    r->point_a = best.at.point;
    r->solved = found && (r->overlap || r->upper - r->lower <= pair->goal);
    return r->solved;
}

/**
 * The pair query's answer for a point inside, whose witness on the bridge over a dent may be one of
 * its ends, the support point. At a least depth the point's foot on the supporting plane is a point
 * of the hull: were it outside of it, a plane turned towards it would be nearer.
 */
static void go_to_foot(ov_contact *c, ov_vec3 point) {
    if (c->status == OV_OK && c->relation == OV_RELATION_OVERLAPPING) {
        c->point_a = ov_vec3_add_scaled(point, c->normal, -c->gap);
        c->point_b = point;
    }
}

/** The point as a body, placed. */
static ov_pose point_pose(ov_vec3 point, ov_shape *dot) {
    (void)ov_shape_make_point(ov_vec3_make(0.0, 0.0, 0.0), dot);
    return (ov_pose){point, ov_quat_identity()};
}

ov_status ov_point_contact(const ov_shape *shape, ov_pose pose, ov_vec3 point,
                           const ov_pair_options *options, ov_contact *contact) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_point_contact(shape, pose, point, options, contact));
    if (contact == NULL) {
        return OV_ERROR_NULL;
    }
    ov_shape dot;
    ov_pose pose_b = point_pose(point, &dot);
    ovi_pair pair;
    ovi_frame frame;
    ov_status status = ovi_pair_place(shape, pose, &dot, pose_b, options, &pair, &frame);
    // a sphere is closed
    if (status == OV_OK && ovi_is_family(shape->kind) && shape->kind != OV_SHAPE_KIND_SPHERE) {
        ovi_result r = ovi_result_unknown();
        bool inside = ovi_family_gauge_value(shape, pair.offset) < 1.0;
        bool solved =
            inside ? solve_inside(&pair, pair.offset, &r) : solve_apart(&pair, pair.offset, &r);
        if (solved) {
            r.point_b = pair.offset;
            *contact = ovi_contact_of(&pair, &frame, &r);
            contact->point_b = point;
            if (contact->status == OV_OK) {
                return OV_OK;
            }
        }
    }
    status = ov_pair_contact(shape, pose, &dot, pose_b, options, NULL, contact);
    if (status == OV_OK && shape->dent > 0.0) {
        go_to_foot(contact, point);
    }
    return status;
}

/* ---- segments and triangles */

ov_vec3 ovi_corners_support(const void *corners, ov_vec3 direction) {
    const ov_vec3 *c = corners;
    ov_vec3 best = c[0];
    for (int i = 1; i < 3; i++) {
        best = ov_vec3_dot(direction, c[i]) > ov_vec3_dot(direction, best) ? c[i] : best;
    }
    return best;
}

/** The hull of three points that span a triangle, a segment, or nothing but a point. */
static ov_status make_corners(const ov_vec3 corners[3], ov_shape *shape) {
    ov_status status = ov_shape_make_triangle(corners[0], corners[1], corners[2], shape);
    if (status != OV_ERROR_DEGENERATE && status != OV_ERROR_SIZE_RANGE) {
        return status;
    }
    double reach = fmax(ov_vec3_length(corners[1]), ov_vec3_length(corners[2]));
    if (reach == 0.0) {
        return ov_shape_make_point(corners[0], shape);
    }
    // the first corner is the origin, so the ball holds the others
    const ov_ball ball = {{0.0, 0.0, 0.0}, fmax(reach * (1.0 + OVI_BOUND_MARGIN), OV_SIZE_MIN)};
    return ov_shape_make_custom(ovi_corners_support, corners, ball, shape);
}

ov_status ov_triangle_contact(const ov_shape *shape, ov_pose pose, ov_vec3 p, ov_vec3 q, ov_vec3 r,
                              const ov_pair_options *options, ov_contact *contact) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_triangle_contact(shape, pose, p, q, r, options, contact));
    if (contact == NULL) {
        return OV_ERROR_NULL;
    }
    // from its own corner, so that only the ulps of its size count, wherever in the world it is
    const ov_vec3 corners[3] = {{0.0, 0.0, 0.0}, ov_vec3_sub(q, p), ov_vec3_sub(r, p)};
    ov_shape triangle;
    ov_status status = shape == NULL ? OV_ERROR_NULL : ovi_check_point(p);
    status = status == OV_OK ? make_corners(corners, &triangle) : status;
    if (status != OV_OK) {
        *contact = ovi_contact_none(status);
        return status;
    }
    return ov_pair_contact(shape, pose, &triangle, (ov_pose){p, ov_quat_identity()}, options, NULL,
                           contact);
}

ov_status ov_segment_contact(const ov_shape *shape, ov_pose pose, ov_vec3 p, ov_vec3 q,
                             const ov_pair_options *options, ov_contact *contact) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_segment_contact(shape, pose, p, q, options, contact));
    if (contact == NULL) {
        return OV_ERROR_NULL;
    }
    ov_shape segment;
    ov_vec3 along = ov_vec3_sub(q, p);
    ov_status status = shape == NULL ? OV_ERROR_NULL : ovi_check_point(p);
    status = status == OV_OK ? ov_shape_make_segment(ov_vec3_make(0.0, 0.0, 0.0), along, &segment)
                             : status;
    if (status == OV_ERROR_DEGENERATE ||
        (status == OV_ERROR_SIZE_RANGE && ov_vec3_length(along) < 1.0)) {
        return ov_triangle_contact(shape, pose, p, q, q, options, contact);
    }
    if (status != OV_OK) {
        *contact = ovi_contact_none(status);
        return status;
    }
    return ov_pair_contact(shape, pose, &segment, (ov_pose){p, ov_quat_identity()}, options, NULL,
                           contact);
}

/* ---- radial distance */

enum { MAX_RADIAL = 100 };

/** t > 0 where t P is on the surface: every scaled coordinate grows with t, so there is one. */
static double radial_share(const ov_shape *s, ov_vec3 p) {
    double t = 1.0 / ovi_family_gauge_value(s, p);
    if (s->kind != OV_SHAPE_KIND_SUPEROVOID || p.z == 0.0) {
        return t;
    }
    // at or before the height of the pole
    double lo = 0.0, hi = s->a.z / fabs(p.z);
    t = fmin(t, hi);
    for (int i = 0; i < MAX_RADIAL; i++) {
        ov_field f;
        ov_vec3 at = ov_vec3_scale(p, t);
        (void)ovi_family_gauge(s, at, &f);
        double off = f.value - 1.0;
        lo = off < 0.0 ? t : lo;
        hi = off < 0.0 ? hi : t;
        double next = t - off / ov_vec3_dot(f.gradient, p);
        if (!(next > lo && next < hi)) {
            next = 0.5 * (lo + hi);
        }
        if (fabs(off) <= 4.0 * DBL_EPSILON || !(next > lo && next < hi)) {
            break;
        }
        t = next;
    }
    return t;
}

ov_status ov_point_radial(const ov_shape *shape, ov_pose pose, ov_vec3 point, double *distance,
                          ov_vec3 *surface_point) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_point_radial(shape, pose, point, distance, surface_point));
    if (distance == NULL || surface_point == NULL) {
        return OV_ERROR_NULL;
    }
    *distance = NAN;
    *surface_point = ov_vec3_make(NAN, NAN, NAN);
    ov_shape dot;
    ov_pose pose_b = point_pose(point, &dot);
    ovi_pair pair;
    ovi_frame frame;
    ov_status status = ovi_pair_place(shape, pose, &dot, pose_b, NULL, &pair, &frame);
    if (status == OV_OK && !ovi_is_family(shape->kind)) {
        status = OV_ERROR_UNSUPPORTED;
    }
    if (status != OV_OK) {
        return status;
    }
    ov_vec3 p = pair.offset, a = shape->a, end;
    double gauge = ovi_family_gauge_value(shape, p);
    if (gauge == 0.0) {
        double least = fmin(a.x, fmin(a.y, a.z));
        end = a.z == least   ? ov_vec3_make(0.0, 0.0, a.z)
              : a.x == least ? ov_vec3_make(a.x, 0.0, 0.0)
                             : ov_vec3_make(0.0, a.y, 0.0);
        *distance = -least;
        status = OV_NOT_SMOOTH;
    } else {
        double t = radial_share(shape, p);
        end = ov_vec3_scale(p, t);
        *distance = ov_vec3_length(p) * (1.0 - t);
    }
    *surface_point = ov_vec3_add(ov_mat3_mul_vec3(&frame.turn, end), frame.position);
    return status;
}
