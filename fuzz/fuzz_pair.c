/**
 * @file fuzz_pair.c
 * @brief Fuzz target: every query of query.h, over all convex kinds, from sensible and raw numbers.
 *
 * What is demanded: a known status; all numbers NaN with an error and none without one; bounds in
 * order that fit the relation; unit normals; a bounded number of iterations; and against the
 * support functions, which share no code with the solvers:
 *
 *     the gap along any direction, min over B less max over A, is at most gap_upper
 *     two support points, one of each body, are no closer than gap_lower
 *     the witness points lie in the bodies
 *     where the bodies overlap, the translation by -gap_lower along the normal separates
 *
 * Bounds of the same gap (bodies swapped, warm, in a batch, by another query) must meet. Of a
 * custom shape whose callback lies only the form of the answer is demanded.
 *
 * Iterations: Newton's method has at most 80 steps and 32 more on bridges over dents. A smooth pair
 * needs it once, then 14 times from the support-based solver's answer, then up to 47 times for a
 * global depth; GJK takes 200 supports, twice, and the polytope 320 and an ascent of 60, for each
 * of two goals. Together below 8192; the superellipse against a segment stays below 2048.
 */
#include <stdio.h>
#include <stdlib.h>

#include "query/query_internal.h"

#include "pair_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ITERATIONS_MOST = 8192, PLANAR_MOST = 2048, SAMPLES = 4 };

typedef struct placed {
    ov_pair pair;
    ov_pair_options options;
    bool honest; /**< no callback lies */
} placed;

/* ---- judging */

static const ov_pair *judged; // for the message only

static void show(const ov_shape *s, ov_pose at) {
    fprintf(stderr, "  %s a %a %a %a e %a %a t %a %a\n", ov_shape_kind_name(s->kind), s->a.x,
            s->a.y, s->a.z, s->e1, s->e2, s->tx, s->ty);
    double u[9] = {0};
    memcpy(u, &s->u, sizeof s->u < sizeof u ? sizeof s->u : sizeof u);
    for (int i = 0; i < 9 && !(ovi_is_family(s->kind)); i++) {
        fprintf(stderr, "%s%.17g", i == 0 ? "  u " : " ", u[i]);
    }
    fprintf(stderr, "\n  at %a %a %a turn %a %a %a %a\n", at.position.x, at.position.y,
            at.position.z, at.rotation.w, at.rotation.x, at.rotation.y, at.rotation.z);
}

static void demand(bool good, const char *what, double a, double b) {
    if (good) {
        return;
    }
    fprintf(stderr, "broken promise: %s: %.17g, %.17g\n", what, a, b);
    if (judged != NULL && judged->a != NULL && judged->b != NULL) {
        show(judged->a, judged->pose_a);
        show(judged->b, judged->pose_b);
    }
    abort();
}

static bool is_known(ov_status s) { return s >= OV_ERROR_FILE_READ && s <= OV_NOT_CONVERGED; }

static bool all_nan(ov_vec3 v) { return isnan(v.x) && isnan(v.y) && isnan(v.z); }

static bool in_order(double low, double middle, double high) {
    return low <= middle && middle <= high;
}

/** Do two intervals that hold the same number meet? */
static void demand_meet(const ov_contact *a, const ov_contact *b, double slack, const char *what) {
    if (a->status >= 0 && b->status >= 0) {
        demand(a->gap_lower <= b->gap_upper + slack, what, a->gap_lower, b->gap_upper);
        demand(b->gap_lower <= a->gap_upper + slack, what, b->gap_lower, a->gap_upper);
    }
}

static void judge_relation(double lower, double upper, ov_relation relation, ov_status status) {
    switch (relation) {
    case OV_RELATION_SEPARATED:
        demand(lower > 0.0, "separated", lower, upper);
        break;
    case OV_RELATION_OVERLAPPING:
        demand(upper <= 0.0, "overlapping", lower, upper);
        break;
    case OV_RELATION_TOUCHING:
        demand(lower <= 0.0 && upper >= 0.0, "touching", lower, upper);
        break;
    default:
        demand(lower <= 0.0 && upper >= 0.0, "undecided", lower, upper);
        demand(relation == OV_RELATION_UNDECIDED && status == OV_NOT_CONVERGED, "undecided says so",
               (double)relation, (double)status);
    }
}

/** What holds for every contact, by itself. */
static void judge_form(const ov_contact *c, ov_status status, bool honest) {
    demand(is_known(status) && status == c->status, "status", status, c->status);
    demand(c->iterations >= 0 && c->iterations <= ITERATIONS_MOST, "iterations", c->iterations,
           ITERATIONS_MOST);
    if (status < 0) {
        demand(isnan(c->gap) && isnan(c->gap_lower) && isnan(c->gap_upper), "no gap with an error",
               c->gap, status);
        demand(all_nan(c->point_a) && all_nan(c->point_b) && all_nan(c->normal),
               "no points with an error", c->point_a.x, status);
        return;
    }
    demand(ov_vec3_is_finite(c->point_a), "point of A", c->point_a.x, c->point_a.y);
    demand(ov_vec3_is_finite(c->point_b), "point of B", c->point_b.x, c->point_b.y);
    double length = ov_vec3_length(c->normal);
    demand(fabs(length - 1.0) <= 1e-9, "normal", length, 1.0);
    demand(!isnan(c->gap) && !isnan(c->gap_lower) && !isnan(c->gap_upper), "no NaN", c->gap_lower,
           c->gap_upper);
    if (honest) {
        demand(isfinite(c->gap), "gap", c->gap, status);
        demand(in_order(c->gap_lower, c->gap, c->gap_upper), "order of the bounds", c->gap_lower,
               c->gap_upper);
        judge_relation(c->gap_lower, c->gap_upper, c->relation, status);
    }
}

/* ---- against the supports */

static double reach_of(const ov_shape *s) {
    double radius = isfinite(s->ball.radius) ? s->ball.radius : fabs(s->u.halfspace.offset);
    return radius + ov_vec3_length(s->ball.centre);
}

/** Support in the world, relative to an origin; false where there is none. */
static bool support_at(const ov_shape *shape, ov_pose pose, ov_vec3 origin, ov_vec3 d,
                       ov_vec3 *point) {
    ov_support h;
    ov_quat q;
    if (ov_quat_normalize(pose.rotation, &q) < 0 ||
        ov_shape_support(shape, ov_quat_rotate(ov_quat_conjugate(q), d), &h) < 0) {
        return false;
    }
    *point = ov_vec3_add(ov_quat_rotate(q, h.point), ov_vec3_sub(pose.position, origin));
    return true;
}

typedef struct slacks {
    double bodies; /**< rounding of support points, relative to A */
    double world;  /**< that of the witness points, which are in the world */
} slacks;

static slacks slacks_of(const ov_pair *p) {
    double apart = ov_vec3_length(ov_vec3_sub(p->pose_b.position, p->pose_a.position));
    double far = ov_vec3_length(p->pose_a.position) + ov_vec3_length(p->pose_b.position);
    slacks s;
    s.bodies = 1e-12 * (reach_of(p->a) + reach_of(p->b)) + 1e-14 * apart;
    s.world = 1e-9 * (reach_of(p->a) + reach_of(p->b)) + 1e-14 * (apart + far);
    return s;
}

static void judge_direction(const placed *x, const ov_contact *c, ov_vec3 d, bool is_normal) {
    const ov_pair *p = &x->pair;
    ov_vec3 origin = p->pose_a.position, a, b;
    slacks slack = slacks_of(p);
    bool has_a = support_at(p->a, p->pose_a, origin, d, &a);
    bool has_b = support_at(p->b, p->pose_b, origin, ov_vec3_neg(d), &b);
    if (has_a && has_b) {
        ov_vec3 between = ov_vec3_sub(b, a);
        double along = ov_vec3_dot(d, between);
        bool local = x->options.depth == OV_DEPTH_LOCAL && c->relation == OV_RELATION_OVERLAPPING;
        demand(local || along <= c->gap_upper + slack.bodies, "gap along a direction", along,
               c->gap_upper);
        demand(ov_vec3_length(between) >= c->gap_lower - slack.bodies, "distance of two points",
               ov_vec3_length(between), c->gap_lower);
        if (is_normal && c->relation == OV_RELATION_OVERLAPPING) {
            demand(along >= c->gap_lower - slack.bodies, "translation separates", along,
                   c->gap_lower);
        }
    }
    if (c->status == OV_OK && has_a) {
        double off = ov_vec3_dot(d, ov_vec3_sub(ov_vec3_sub(c->point_a, origin), a));
        demand(off <= slack.world + 100.0 * x->options.tolerance * reach_of(p->a), "point in A",
               off, 0.0);
    }
    if (c->status == OV_OK && has_b) {
        double off = -ov_vec3_dot(d, ov_vec3_sub(ov_vec3_sub(c->point_b, origin), b));
        demand(off <= slack.world + 100.0 * x->options.tolerance * reach_of(p->b), "point in B",
               off, 0.0);
    }
}

static void judge_contact(source *s, const placed *x, const ov_contact *c, ov_status status) {
    judge_form(c, status, x->honest);
    if (status < 0 || !x->honest) {
        return;
    }
    judge_direction(x, c, c->normal, true);
    for (int i = 0; i < SAMPLES; i++) {
        judge_direction(x, c, ov_vec3_normalize(take_direction(s)), false);
    }
    ovi_pair inner;
    const ov_pair *p = &x->pair;
    demand(ovi_pair_make(p->a, p->pose_a, p->b, p->pose_b, &x->options, &inner) == OV_OK,
           "the pair can be placed", 0.0, 0.0);
    // a query may look at the pair from another frame, with a rounding error of its own
    if (status == OV_OK && c->relation != OV_RELATION_OVERLAPPING) {
        demand(c->gap_upper - c->gap_lower <= inner.goal + 4.0 * inner.rounding,
               "width when solved", c->gap_upper - c->gap_lower, inner.goal);
    }
}

/* ---- pairs */

static ov_warm_start take_warm(source *s) {
    ov_warm_start w = {take_vector(s, 1.0), take_vector(s, 1.0), take_vector(s, 1.0)};
    return w;
}

static void try_exceeds(source *s, const placed *x, const ov_contact *c) {
    const ov_pair *p = &x->pair;
    double limit = take_byte(s) % 4 == 0 ? take_number(s, -0.1, 4.0) : fabs(c->gap);
    ov_answer answer = (ov_answer)77;
    ov_status status =
        ov_pair_exceeds(p->a, p->pose_a, p->b, p->pose_b, limit, &x->options, NULL, &answer);
    demand(is_known(status), "status of exceeds", status, 0.0);
    demand(answer == OV_ANSWER_NO || answer == OV_ANSWER_YES || answer == OV_ANSWER_UNKNOWN,
           "answer", answer, 0.0);
    demand((status == OV_OK) == (answer != OV_ANSWER_UNKNOWN), "answer with its status", status,
           answer);
    if (x->honest && c->status >= 0 && status >= 0) {
        demand(answer != OV_ANSWER_YES || c->gap_upper > limit, "yes", c->gap_upper, limit);
        demand(answer != OV_ANSWER_NO || c->gap_lower <= limit, "no", c->gap_lower, limit);
    }
}

static void try_derivatives(source *s, const placed *x, const ov_contact *c) {
    const ov_pair *p = &x->pair;
    ov_contact_derivatives d;
    ov_contact made = *c;
    bool own = take_byte(s) % 4 == 0;
    if (own) {
        // any content of a contact must be safe
        made.point_a = take_vector(s, 2.0);
        made.normal = take_vector(s, 1.0);
        made.gap = take_number(s, -1.0, 1.0);
    }
    ov_status status = ov_pair_derivatives(p->a, p->pose_a, p->b, p->pose_b, &made, &d);
    demand(is_known(status), "status of derivatives", status, 0.0);
    if (status < 0 || own || !x->honest) {
        return;
    }
    const double n[3] = {c->normal.x, c->normal.y, c->normal.z};
    for (int i = 0; i < OV_DOF_COUNT; i++) {
        for (int body = 0; body < 2; body++) {
            demand(isfinite(d.gap[body][i]), "derivative of the gap", d.gap[body][i], i);
            demand(ov_vec3_is_finite(d.point_a[body][i]) && ov_vec3_is_finite(d.point_b[body][i]) &&
                       ov_vec3_is_finite(d.normal[body][i]),
                   "derivatives of points and normal", body, i);
        }
        demand(i >= 3 || (fabs(d.gap[1][i] - n[i]) <= 1e-9 && fabs(d.gap[0][i] + n[i]) <= 1e-9),
               "gap by translation is the normal", d.gap[1][i % 3], n[i % 3]);
    }
    for (int i = 0; i < 2 * OV_PARAMETER_COUNT; i++) {
        double g = d.gap_shape[i / OV_PARAMETER_COUNT][i % OV_PARAMETER_COUNT];
        demand(!isnan(g), "derivative by the shape", g, i);
    }
}

static void try_batch(source *s, const placed *x, const ov_contact *c) {
    enum { MOST = 6 };
    ov_pair pairs[MOST];
    ov_contact contacts[MOST];
    ov_warm_start warm[MOST];
    size_t count = take_byte(s) % (MOST + 1);
    unsigned mask = take_byte(s);
    bool warmed = take_byte(s) % 2 == 0;
    for (size_t i = 0; i < count; i++) {
        pairs[i] = x->pair;
        memset(&warm[i], 0, sizeof warm[i]);
        if (mask >> i & 1) {
            pairs[i].a = i % 2 == 0 ? NULL : x->pair.b;
        }
    }
    if (count > 0 && s->wild) {
        warm[0] = take_warm(s);
    }
    const ov_threads threads = {.count = mask >= 250 ? 2 : 1};
    ov_status status =
        ov_pair_contact_batch(pairs, count, &x->options, &threads, warmed ? warm : NULL, contacts);
    demand(is_known(status), "status of a batch", status, 0.0);
    for (size_t i = 0; i < count && status == OV_OK; i++) {
        judge_form(&contacts[i], contacts[i].status, x->honest);
        demand(pairs[i].a != NULL || contacts[i].status == OV_ERROR_NULL, "null in a batch",
               contacts[i].status, (double)i);
        if (pairs[i].a == x->pair.a && x->honest) {
            demand((contacts[i].status < 0) == (c->status < 0), "batch fails where single does",
                   contacts[i].status, c->status);
            demand_meet(&contacts[i], c, 0.0, "batch and single");
        }
    }
}

static void try_swap(const placed *x, const ov_contact *c) {
    const ov_pair *p = &x->pair;
    ov_contact swapped;
    ov_status status =
        ov_pair_contact(p->b, p->pose_b, p->a, p->pose_a, &x->options, NULL, &swapped);
    judge_form(&swapped, status, x->honest);
    if (x->honest) {
        demand((status < 0) == (c->status < 0), "swapped fails alike", status, c->status);
        demand_meet(&swapped, c, 0.0, "swapped");
    }
}

static void try_pair(source *s, const placed *x) {
    const ov_pair *p = &x->pair;
    ov_warm_start warm = {0};
    ov_contact c, again;
    if (take_byte(s) % 4 == 0) {
        warm = take_warm(s);
    }
    ov_status status = ov_pair_contact(p->a, p->pose_a, p->b, p->pose_b, &x->options, &warm, &c);
    judge_contact(s, x, &c, status);
    status = ov_pair_contact(p->a, p->pose_a, p->b, p->pose_b, &x->options, &warm, &again);
    judge_contact(s, x, &again, status);
    if (x->honest) {
        demand_meet(&c, &again, 0.0, "warm and cold");
    }
    try_swap(x, &c);
    try_exceeds(s, x, &c);
    try_derivatives(s, x, &c);
    try_batch(s, x, &c);
}

/* ---- one body with points, rays, segments, triangles */

static void try_against(source *s, const placed *x, const ov_shape *other, const ov_contact *c) {
    placed with = *x;
    ov_contact same;
    with.pair.b = other;
    with.pair.pose_b = ov_pose_identity();
    judged = &with.pair;
    judge_contact(s, &with, c, c->status);
    ov_status status = ov_pair_contact(x->pair.a, x->pair.pose_a, other, with.pair.pose_b,
                                       &x->options, NULL, &same);
    judge_form(&same, status, x->honest);
    if (x->honest) {
        demand_meet(c, &same, 0.0, "the same body as a shape");
    }
    judged = &x->pair;
}

static void try_flat(source *s, const placed *x) {
    const ov_shape *a = x->pair.a;
    ov_pose at = x->pair.pose_a;
    ov_vec3 p = ov_vec3_add(at.position, take_vector(s, 3.0)), q = take_vector(s, 3.0);
    ov_vec3 r = take_vector(s, 3.0);
    ov_contact c;
    ov_shape flat;
    ov_status status = ov_point_contact(a, at, p, &x->options, &c);
    judge_form(&c, status, x->honest);
    if (status >= 0 && ov_shape_make_point(p, &flat) == OV_OK) {
        double radial;
        ov_vec3 surface;
        try_against(s, x, &flat, &c);
        if (ov_point_radial(a, at, p, &radial, &surface) >= 0) {
            demand(isfinite(radial) && ov_vec3_is_finite(surface), "radial", radial, surface.x);
            demand(radial <= 0.0 || radial >= c.gap_lower - slacks_of(&x->pair).world,
                   "radial bounds the distance", radial, c.gap_lower);
        }
    }
    status = ov_segment_contact(a, at, p, q, &x->options, &c);
    judge_form(&c, status, x->honest);
    if (status >= 0 && ov_shape_make_segment(p, q, &flat) == OV_OK) {
        try_against(s, x, &flat, &c);
    }
    status = ov_triangle_contact(a, at, p, q, r, &x->options, &c);
    judge_form(&c, status, x->honest);
    if (status >= 0 && ov_shape_make_triangle(p, q, r, &flat) == OV_OK) {
        try_against(s, x, &flat, &c);
    }
}

static void try_ray(source *s, const placed *x) {
    const ov_shape *a = x->pair.a;
    ov_pose at = x->pair.pose_a;
    ov_vec3 origin = ov_vec3_add(at.position, take_vector(s, 4.0)), way = take_vector(s, 1.0);
    if (take_byte(s) % 2 == 0) {
        way = ov_vec3_add_scaled(ov_vec3_sub(at.position, origin), way, 0.5);
    }
    double reach = take_byte(s) % 2 == 0 ? INFINITY : take_number(s, 0.0, 10.0);
    ov_ray_hit h;
    ov_status status = ov_ray_cast(a, at, origin, way, reach, &h);
    demand(is_known(status), "status of a ray", status, 0.0);
    if (status < 0 || !x->honest) {
        return;
    }
    demand(!isnan(h.distance_lower) && !isnan(h.distance_upper), "bounds of a ray",
           h.distance_lower, h.distance_upper);
    demand(h.distance_lower <= h.distance_upper, "order of a ray's bounds", h.distance_lower,
           h.distance_upper);
    if (!h.hit) {
        demand(h.distance == INFINITY, "no hit", h.distance, 0.0);
        return;
    }
    demand(in_order(h.distance_lower, h.distance, h.distance_upper) && h.distance <= reach,
           "distance of a hit", h.distance, h.distance_upper);
    demand(fabs(ov_vec3_length(h.normal) - 1.0) <= 1e-9, "normal of a hit", h.normal.x, h.normal.y);
    demand(ov_vec3_is_finite(h.point), "point of a hit", h.point.x, h.point.y);
    double slack = 1e-9 * reach_of(a) + h.distance_upper - h.distance_lower +
                   1e-13 * (h.distance + ov_vec3_length(origin) + ov_vec3_length(at.position));
    for (int i = 0; i < SAMPLES; i++) {
        ov_vec3 d = ov_vec3_normalize(take_direction(s)), top;
        if (support_at(a, at, ov_vec3_make(0.0, 0.0, 0.0), d, &top)) {
            double off = ov_vec3_dot(d, ov_vec3_sub(h.point, top));
            demand(off <= slack, "a hit is in the body", off, slack);
        }
    }
}

static void try_cast(source *s, const placed *x) {
    const ov_pair *p = &x->pair;
    ov_vec3 way = take_vector(s, 4.0);
    if (take_byte(s) % 2 == 0) {
        way = ov_vec3_add(way, ov_vec3_sub(p->pose_b.position, p->pose_a.position));
    }
    ov_cast_hit h;
    ov_status status = ov_shape_cast(p->a, p->pose_a, way, p->b, p->pose_b, &x->options, &h);
    demand(is_known(status), "status of a sweep", status, 0.0);
    if (status < 0 || !x->honest) {
        return;
    }
    demand(h.fraction_lower >= 0.0 && h.fraction_lower <= h.fraction_upper, "bounds of a sweep",
           h.fraction_lower, h.fraction_upper);
    if (h.hit) {
        demand(in_order(h.fraction_lower, h.fraction, h.fraction_upper) && h.fraction_upper <= 1.0,
               "fraction of a sweep", h.fraction, h.fraction_upper);
        judge_form(&h.contact, h.contact.status, true);
    } else {
        demand(h.fraction == INFINITY, "no hit of a sweep", h.fraction, 0.0);
    }
    // free on the way: no overlap deeper than the rounding of the pose
    double t = fmin(h.fraction_lower, 1.0) * take_unit(s);
    if (!(h.fraction_lower > 0.0)) {
        return; // the bodies met at the start
    }
    ov_pose moved = p->pose_a;
    moved.position = ov_vec3_add_scaled(moved.position, way, t);
    ov_contact c;
    if (ov_pair_contact(p->a, moved, p->b, p->pose_b, &x->options, NULL, &c) >= 0) {
        double slack = slacks_of(p).bodies +
                       1e-14 * (ov_vec3_length(way) + ov_vec3_length(p->pose_a.position));
        demand(c.gap_upper >= -slack, "free before the contact", c.gap_upper, t);
    }
}

/* ---- in the plane */

static void try_planar(source *s) {
    ov_superellipse curve;
    double a1 = take_size(s), a2 = take_size(s), angle = take_number(s, -7.0, 7.0);
    if (ov_superellipse_make(a1, a2, take_number(s, 0.01, 2.0), &curve) < 0) {
        return;
    }
    ov_vec3 at = take_vector(s, 1.0), p = take_vector(s, 3.0), q = take_vector(s, 3.0);
    ov_pair_options options = ov_default_pair_options();
    ov_contact2 c;
    ov_status status =
        ov_superellipse_segment(&curve, (ov_vec2){at.x, at.y}, angle, (ov_vec2){p.x, p.y},
                                (ov_vec2){q.x, q.y}, &options, &c);
    demand(is_known(status) && status == c.status, "planar status", status, c.status);
    demand(c.iterations >= 0 && c.iterations <= PLANAR_MOST, "planar iterations", c.iterations,
           PLANAR_MOST);
    if (status < 0) {
        demand(isnan(c.gap) && isnan(c.gap_lower) && isnan(c.normal.x), "planar error", c.gap, 0.0);
        return;
    }
    demand(in_order(c.gap_lower, c.gap, c.gap_upper), "planar bounds", c.gap_lower, c.gap_upper);
    judge_relation(c.gap_lower, c.gap_upper, c.relation, status);
    double length = hypot(c.normal.x, c.normal.y);
    demand(fabs(length - 1.0) <= 1e-9, "planar normal", length, 1.0);
    demand(isfinite(c.point_a.x) && isfinite(c.point_a.y) && isfinite(c.point_b.x) &&
               isfinite(c.point_b.y),
           "planar points", c.point_a.x, c.point_b.x);
    for (int i = 0; i < SAMPLES; i++) {
        ov_vec2 on, normal;
        double k, t = take_unit(s), co = cos(angle), si = sin(angle);
        if (ov_superellipse_curve(&curve, OV_SPACING_EQUAL, 6.28 * take_unit(s) - 3.14, &on,
                                  &normal, &k) < 0) {
            continue;
        }
        double x = at.x + co * on.x - si * on.y, y = at.y + si * on.x + co * on.y;
        double dx = p.x + t * (q.x - p.x) - x, dy = p.y + t * (q.y - p.y) - y;
        double scale = fabs(at.x) + fabs(at.y) + fabs(p.x) + fabs(p.y) + fabs(q.x) + fabs(q.y);
        double slack = 1e-12 * (scale + a1 + a2) + 1e-15 * fabs(angle) * (a1 + a2);
        demand(hypot(dx, dy) >= c.gap_lower - slack, "planar distance", hypot(dx, dy), c.gap_lower);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static room rooms[2];
    source s = {data, size, false};
    unsigned mode = take_byte(&s);
    s.wild = mode % 4 == 0;
    judged = NULL;
    if (mode >= 240) {
        try_planar(&s);
        return 0;
    }
    ov_shape a, b;
    if (make_shape(&s, &rooms[0], &a) < 0 || make_shape(&s, &rooms[1], &b) < 0) {
        return 0;
    }
    placed x = {.options = ov_default_pair_options()};
    x.honest = !is_liar(&a) && !is_liar(&b);
    x.options.depth = mode & 16 ? OV_DEPTH_LOCAL : OV_DEPTH_GLOBAL;
    x.options.tolerance = mode & 32 ? pow(10.0, take_number(&s, -12.0, -3.0)) : 1e-9;
    ov_vec3 at = take_vector(&s, 2.0);
    double reach = reach_of(&a) + reach_of(&b);
    // mostly about where the bodies meet, whatever their sizes
    ov_vec3 apart =
        take_byte(&s) % 8 == 0 ? take_vector(&s, 10.0) : ov_vec3_scale(take_vector(&s, 1.0), reach);
    x.pair = (ov_pair){&a, &b, {at, take_rotation(&s)}, {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}}};
    x.pair.pose_b = (ov_pose){ov_vec3_add(at, apart), take_rotation(&s)};
    judged = &x.pair;
    try_pair(&s, &x);
    switch (mode / 64) {
    case 1:
        try_flat(&s, &x);
        break;
    case 2:
        try_ray(&s, &x);
        break;
    case 3:
        try_cast(&s, &x);
        break;
    default:
        break;
    }
    return 0;
}
