/**
 * @file pair.c
 * @brief The pair query: one way in, one way out.
 *
 * In: the input is checked and the pair looked at from A's frame, so that what is computed does not
 * depend on where in the world the bodies are. Then one of three ways: a closed form
 * (pair_closed.c, pair_box.c); for two superquadrics Newton's method on the surfaces
 * (superquadric_pair.c), with the support-based solver below it; or that solver alone (gjk.c,
 * epa.c). Out: the relation is read off the proven bounds, and the contact goes to the world.
 *
 * Rounding. What support values, surface points and normals may be off by is derived in
 * docs/theory/rounding.md, and added up in tests/test_rounding.c. The offset of the bodies is a
 * difference of given numbers, so only its own ulps count, however far from the origin of the world
 * the pair is.
 */
#include <stddef.h>

#include "../math/rotation.h"
#include "../math/rounding_mode.h"
#include "superquadric_newton.h"
#include "support_solver.h"

ov_pair_options ov_default_pair_options(void) {
    return (ov_pair_options){.tolerance = OVI_TOLERANCE_DEFAULT, .depth = OV_DEPTH_DEFAULT};
}

const char *ov_relation_name(ov_relation relation) {
    switch (relation) {
    case OV_RELATION_SEPARATED:
        return "separated";
    case OV_RELATION_TOUCHING:
        return "touching";
    case OV_RELATION_OVERLAPPING:
        return "overlapping";
    default:
        return "undecided";
    }
}

const char *ov_depth_name(ov_depth depth) {
    switch (depth) {
    case OV_DEPTH_GLOBAL:
        return "global";
    case OV_DEPTH_LOCAL:
        return "local";
    case OV_DEPTH_PROVEN:
        return "proven";
    default:
        return "default";
    }
}

/* ---- in */

ov_status ovi_check_pair_options(const ov_pair_options *o) {
    bool good = o->tolerance >= OV_TOLERANCE_MIN && o->tolerance <= OV_TOLERANCE_MAX &&
                o->depth >= OV_DEPTH_GLOBAL && o->depth <= OV_DEPTH_PROVEN;
    return good ? OV_OK : OV_ERROR_OPTION;
}

static ov_status check_shape(const ov_shape *shape) {
    if (shape == NULL) {
        return OV_ERROR_NULL;
    }
    if (ovi_is_family(shape->kind) || ovi_is_primitive(shape->kind)) {
        return OV_OK;
    }
    return ovi_is_kind(shape->kind) ? OV_ERROR_UNSUPPORTED : OV_ERROR_SHAPE;
}

/** Is a number within the limit, and not NaN? */
static bool is_within(double x, double limit) { return fabs(x) <= limit; }

/** The quaternion of a pose, normalised only where its square is not near one, and that square. */
typedef struct turn {
    ov_quat q;
    double square;
} turn;

static inline ov_status check_pose(const ov_pose *pose, turn *t) {
    ov_vec3 p = pose->position;
    const double most = OV_POSITION_MAX;
    if (!is_within(p.x, most) || !is_within(p.y, most) || !is_within(p.z, most)) {
        return ovi_check_point(p);
    }
    t->q = pose->rotation;
    t->square = ovi_quat_square(t->q);
    if (t->square > 0.5 && t->square < 2.0) {
        return OV_OK;
    }
    ov_status status = ov_quat_normalize(t->q, &t->q);
    t->square = ovi_quat_square(t->q);
    return status;
}

/** Length of a vector that is within the limits of positions: its square is finite. */
static double length_of(ov_vec3 v) { return sqrt(ov_vec3_dot(v, v)); }

/** How far a body reaches from the origin of its frame: what its rounding errors scale with. */
static double reach(const ov_shape *s) {
    double radius = isfinite(s->ball.radius) ? s->ball.radius : fabs(s->u.halfspace.offset);
    return radius + length_of(s->ball.centre);
}

/** More than the error of a support value, or of a surface point with its normal. */
static double error_of(const ov_shape *s) {
    return (s->kind == OV_SHAPE_KIND_SUPEROVOID ? OVI_ERROR_SUPEROVOID : OVI_ERROR_PLAIN) *
           reach(s);
}

static void set_lengths(double tolerance, ovi_pair *pair) {
    double a = pair->a->ball.radius, b = pair->b->ball.radius;
    double larger = a > b ? a : b, smaller = a > b ? b : a; // cheaper than fmax() and fmin()
    pair->size = isfinite(larger) ? larger : isfinite(smaller) ? smaller : 0.0;
    // the last is for two points, which have no size, where the square of their offset underflows
    pair->rounding =
        error_of(pair->a) + error_of(pair->b) + OVI_ERROR_OFFSET * length_of(pair->offset) + 1e-160;
    pair->goal = tolerance * pair->size + 4.0 * pair->rounding;
}

/** Checks everything, and looks at the quaternions. */
static inline ov_status check_pair(const ov_shape *a, const ov_pose *pose_a, const ov_shape *b,
                                   const ov_pose *pose_b, const ov_pair_options *options,
                                   turn turns[2]) {
    ov_status status = options != NULL ? ovi_check_pair_options(options) : OV_OK;
    status = status == OV_OK ? check_shape(a) : status;
    status = status == OV_OK ? check_shape(b) : status;
    status = status == OV_OK ? check_pose(pose_a, &turns[0]) : status;
    return status == OV_OK ? check_pose(pose_b, &turns[1]) : status;
}

/** The pair from A's frame, of input that was checked. */
static inline void place(const ov_shape *a, const ov_pose *pose_a, const ov_shape *b,
                         const ov_pose *pose_b, const ov_pair_options *options, const turn turns[2],
                         ovi_pair *pair, ovi_frame *frame) {
    frame->turn = ovi_mat3_of_quat(turns[0].q, 2.0 / turns[0].square);
    frame->position = pose_a->position;
    frame->position_b = pose_b->position;
    pair->a = a;
    pair->b = b;
    // the product is divided by its own square, so that its length need not be one
    ov_quat relative = ovi_quat_product(ov_quat_conjugate(turns[0].q), turns[1].q);
    pair->turn = ovi_mat3_of_quat(relative, 2.0 / ovi_quat_square(relative));
    pair->offset = ov_mat3_tmul_vec3(&frame->turn, ov_vec3_sub(pose_b->position, pose_a->position));
    pair->limit = NAN;
    pair->beyond = 0.0;
    pair->depth = options->depth;
    pair->rough = false;
    set_lengths(options->tolerance, pair);
}

ov_status ovi_pair_place(const ov_shape *a, ov_pose pose_a, const ov_shape *b, ov_pose pose_b,
                         const ov_pair_options *options, ovi_pair *pair, ovi_frame *frame) {
    ov_pair_options used = ovi_pair_options_of(options);
    turn turns[2];
    ov_status status = check_pair(a, &pose_a, b, &pose_b, options != NULL ? &used : NULL, turns);
    if (status == OV_OK) {
        place(a, &pose_a, b, &pose_b, &used, turns, pair, frame);
    }
    return status;
}

ov_status ovi_pair_make(const ov_shape *a, ov_pose pose_a, const ov_shape *b, ov_pose pose_b,
                        const ov_pair_options *options, ovi_pair *pair) {
    ovi_frame frame;
    return ovi_pair_place(a, pose_a, b, pose_b, options, pair, &frame);
}

/* ---- the ways through */

/** From the middle of A's ball to that of B's; some direction where they coincide. */
static ov_vec3 centre_line(const ovi_pair *p) {
    ov_vec3 d = ov_vec3_sub(ovi_from_b(p, p->b->ball.centre), p->a->ball.centre);
    ov_vec3 n = ov_vec3_normalize(d);
    return ov_vec3_dot(n, n) > 0.5 ? n : ov_vec3_make(1.0, 0.0, 0.0);
}

static ov_status solve_by_supports(const ovi_pair *pair, ov_warm_start *warm, ovi_result *result) {
    ov_vec3 first =
        warm != NULL && ovi_is_direction(warm->normal) ? warm->normal : centre_line(pair);
    ov_status status = ovi_gjk_contact(pair, first, warm, result);
    if (status == OV_OK && warm != NULL) {
        warm->normal = result->normal;
    }
    return status;
}

ov_status ovi_pair_solve(const ovi_pair *pair, ov_warm_start *warm, ovi_result *result) {
    ov_status status = OV_OK;
    if (ovi_closed_form(pair, &status, result)) {
        return status;
    }
    *result = ovi_result_unknown();
    if (ovi_is_family(pair->a->kind) && ovi_is_family(pair->b->kind)) {
        return ovi_superquadric_contact(pair, warm, result);
    }
    return solve_by_supports(pair, warm, result);
}

/* ---- out */

ov_contact ovi_contact_none(ov_status status) {
    const ov_vec3 none = {NAN, NAN, NAN};
    return (ov_contact){.gap = NAN,
                        .gap_lower = NAN,
                        .gap_upper = NAN,
                        .point_a = none,
                        .point_b = none,
                        .normal = none,
                        .status = status};
}

static ov_relation relation_of(const ovi_pair *pair, const ovi_result *r) {
    if (r->lower > 0.0) {
        return OV_RELATION_SEPARATED;
    }
    if (r->upper <= 0.0 && r->overlap) {
        return OV_RELATION_OVERLAPPING;
    }
    return r->upper - r->lower <= pair->goal ? OV_RELATION_TOUCHING : OV_RELATION_UNDECIDED;
}

static inline void write_contact(const ovi_pair *pair, const ovi_frame *frame, const ovi_result *r,
                                 ov_contact *c) {
    c->gap = !(r->gap >= r->lower) ? r->lower : r->gap > r->upper ? r->upper : r->gap;
    c->gap_lower = r->lower;
    c->gap_upper = r->upper;
    c->point_a = ov_vec3_add(ov_mat3_mul_vec3(&frame->turn, r->point_a), frame->position);
    // from B's own origin: of far bodies the way to A's frame and back would cost digits
    ov_vec3 b = ov_mat3_mul_vec3(&frame->turn, ov_vec3_sub(r->point_b, pair->offset));
    c->point_b = ov_vec3_add(b, frame->position_b);
    c->normal = ov_mat3_mul_vec3(&frame->turn, r->normal);
    c->relation = relation_of(pair, r);
    c->status = r->solved && c->relation != OV_RELATION_UNDECIDED ? OV_OK : OV_NOT_CONVERGED;
    c->iterations = r->iterations;
}

ov_contact ovi_contact_of(const ovi_pair *pair, const ovi_frame *frame, const ovi_result *r) {
    ov_contact c;
    write_contact(pair, frame, r, &c);
    return c;
}

/** The whole query; options that were checked already are not checked again. */
static inline ov_status contact_below(const ov_shape *a, const ov_pose *pose_a, const ov_shape *b,
                                      const ov_pose *pose_b, const ov_pair_options *options,
                                      bool to_check, double beyond, ov_warm_start *warm,
                                      ov_contact *contact) {
    turn turns[2];
    ovi_pair pair;
    ovi_frame frame;
    ovi_result result;
    ov_status status = check_pair(a, pose_a, b, pose_b, to_check ? options : NULL, turns);
    if (status == OV_OK) {
        place(a, pose_a, b, pose_b, options, turns, &pair, &frame);
        pair.beyond = beyond;
        status = ovi_pair_solve(&pair, warm, &result);
    }
    if (status == OV_OK) {
        write_contact(&pair, &frame, &result, contact);
    } else {
        *contact = ovi_contact_none(status);
    }
    return contact->status;
}

ov_status ov_pair_contact(const ov_shape *a, ov_pose pose_a, const ov_shape *b, ov_pose pose_b,
                          const ov_pair_options *options, ov_warm_start *warm,
                          ov_contact *contact) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_pair_contact(a, pose_a, b, pose_b, options, warm, contact));
    if (contact == NULL) {
        return OV_ERROR_NULL;
    }
    ov_pair_options used = ovi_pair_options_of(options);
    return contact_below(a, &pose_a, b, &pose_b, &used, options != NULL, 0.0, warm, contact);
}

ov_status ovi_pair_contact_below(const ov_pair *given, double beyond,
                                 const ov_pair_options *options, ov_warm_start *warm,
                                 ov_contact *contact) {
    ov_pose pose_a = ov_pose_default(given->pose_a), pose_b = ov_pose_default(given->pose_b);
    return contact_below(given->a, &pose_a, given->b, &pose_b, options, false, beyond, warm,
                         contact);
}

/* ---- yes or no: what decides before a solver is asked */

static inline double least3(ov_vec3 v) {
    double xy = v.x < v.y ? v.x : v.y;
    return xy < v.z ? xy : v.z;
}

/** Radius of a ball about the origin that the body contains; zero where none is known at once. */
static inline double inner_radius(const ov_shape *s) {
    switch (s->kind) {
    case OV_SHAPE_KIND_SPHERE:
    case OV_SHAPE_KIND_ELLIPSOID:
    case OV_SHAPE_KIND_BOX:
    case OV_SHAPE_KIND_CAPSULE:
    case OV_SHAPE_KIND_CYLINDER:
        return least3(s->a);
    case OV_SHAPE_KIND_SUPERELLIPSOID:
        return 0.57 * least3(s->a); // of the octahedron between the ends of the axes
    default:
        return 0.0;
    }
}

/**
 * Answers by balls about the origins of the frames, so that no rotation is needed, with a margin
 * for the rounding of these few operations: apart, or overlapping.
 */
static inline bool balls_decide(const ov_shape *a, const ov_pose *pose_a, const ov_shape *b,
                                const ov_pose *pose_b, double limit, ov_answer *answer) {
    ov_vec3 d = ov_vec3_sub(pose_b->position, pose_a->position);
    ov_vec3 ca = a->ball.centre, cb = b->ball.centre;
    double square = ov_vec3_dot(d, d);
    double away = fabs(ca.x) + fabs(ca.y) + fabs(ca.z) + fabs(cb.x) + fabs(cb.y) + fabs(cb.z);
    double outer = (a->ball.radius + b->ball.radius + limit) * (1.0 + OVI_BOUND_MARGIN);
    // two points have no size: squares that may have underflowed tell nothing
    if (away == 0.0 && square > outer * outer && square > 1e-280) {
        *answer = OV_ANSWER_YES;
        return true;
    }
    double inner_a = inner_radius(a), inner_b = inner_radius(b);
    double inner = (inner_a + inner_b) * (1.0 - OVI_BOUND_MARGIN);
    if (inner_a > 0.0 && inner_b > 0.0 && square < inner * inner) {
        *answer = OV_ANSWER_NO;
        return true;
    }
    return false;
}

static double norm_over(ov_vec3 p, ov_vec3 a) {
    return length_of(ov_vec3_make(p.x / a.x, p.y / a.y, p.z / a.z));
}

/** A gauge of the body, or of a part of it: p is inside where it is below one. */
static double inner_gauge(const ov_shape *s, ov_vec3 p) {
    double x = fabs(p.x) / s->a.x, y = fabs(p.y) / s->a.y, z = fabs(p.z) / s->a.z;
    switch (s->kind) {
    case OV_SHAPE_KIND_SPHERE:
    case OV_SHAPE_KIND_ELLIPSOID:
        return norm_over(p, s->a);
    case OV_SHAPE_KIND_SUPERELLIPSOID:
        return ovi_family_gauge_value(s, p);
    case OV_SHAPE_KIND_BOX:
        x = x > y ? x : y;
        return x > z ? x : z;
    default: // a cylinder, or the one between the ends of a capsule
        x = sqrt(x * x + y * y);
        return x > z ? x : z;
    }
}

/** Kinds whose pairs have a form that takes no longer than the line of centres. */
static bool is_direct(ov_shape_kind kind) {
    return kind == OV_SHAPE_KIND_SPHERE || kind == OV_SHAPE_KIND_BOX ||
           kind == OV_SHAPE_KIND_CAPSULE;
}

/** About the gauge of a superellipsoid, to a few percent and without powers. */
static double rough_gauge(const ov_shape *s, ov_vec3 p) {
    double across = ovi_blend_norm_1(p.x / s->a.x, p.y / s->a.y, 2.0 - s->e1);
    return ovi_blend_norm_1(across, p.z / s->a.z, 2.0 - s->e2);
}

/** Are two superellipsoids so far apart that their gauges would be computed for nothing? */
static bool seem_apart(const ovi_pair *p, ov_vec3 offset_b) {
    if (p->a->kind != OV_SHAPE_KIND_SUPERELLIPSOID || p->b->kind != OV_SHAPE_KIND_SUPERELLIPSOID) {
        return false;
    }
    double ga = rough_gauge(p->a, p->offset), gb = rough_gauge(p->b, offset_b);
    return ga * gb > 0.98 * (ga + gb);
}

/**
 * Do the bodies have a point of the line of centres in common, by more than rounding? With the
 * gauges G_A and G_B of the offset d, the point f d has the gauges f G_A and (1 - f) G_B; they are
 * equal, q = G_A G_B/(G_A + G_B), for one f, and a ball of radius (1 - q) times the inner one of
 * each body lies in that body.
 */
static bool line_of_centres_meets(const ovi_pair *p) {
    if (is_direct(p->a->kind) && is_direct(p->b->kind)) {
        return false;
    }
    double inner_a = inner_radius(p->a), inner_b = inner_radius(p->b);
    double inner = inner_a < inner_b ? inner_a : inner_b;
    if (!(inner > 0.0)) {
        return false;
    }
    ov_vec3 offset_b = ovi_to_b(p, p->offset);
    if (seem_apart(p, offset_b)) {
        return false;
    }
    double ga = inner_gauge(p->a, p->offset), gb = inner_gauge(p->b, offset_b);
    double q = ga + gb > 0.0 ? ga * (gb / (ga + gb)) : 0.0;
    return (1.0 - q) * inner > p->rounding;
}

/* Overlap: a ball in common. A body K of the smooth family, a box, a cylinder or a capsule holds
   the ends of its axes in the plane z = 0 and the poles, so the ball of radius r = 0.57 times the
   least semi-axis about its origin. It is
   convex: where (1 + s) x is in K, the ball of radius r s/(1 + s) about x is in K, too. So a point
   x with that in both bodies proves an overlap by more than the rounding of all that is computed
   here, of gauges (1e-9 is far more) and places (`room`). */

/** s above: overlaps that are more shallow are left to the solver. */
#define COMMON_SHARE 1e-3

static double common_room(const ovi_pair *p) {
    double a = least3(p->a->a), b = least3(p->b->a);
    return 0.57 * (a < b ? a : b) * COMMON_SHARE / (1.0 + COMMON_SHARE);
}

static double common_gauge(const ov_shape *s, ov_vec3 x) {
    return ovi_is_family(s->kind) ? ovi_family_gauge_value(s, x) : inner_gauge(s, x);
}

/** How far beyond the surface (1 + s) x is by the gauge; below zero: inside, and proven to be. */
static double common_excess(const ov_shape *s, ov_vec3 x) {
    return common_gauge(s, ov_vec3_scale(x, 1.0 + COMMON_SHARE)) - (1.0 - 1e-9);
}

/** Gauge and a subgradient. */
static bool common_slope(const ov_shape *s, ov_vec3 x, double *value, ov_vec3 *slope) {
    ov_field field;
    if (ovi_is_family(s->kind)) {
        bool good = ovi_family_gauge(s, x, &field) >= 0;
        *value = field.value;
        *slope = field.gradient;
        return good;
    }
    *value = inner_gauge(s, x);
    if (*value == fabs(x.z) / s->a.z) {
        *slope = ov_vec3_make(0.0, 0.0, copysign(1.0 / s->a.z, x.z));
    } else if (s->kind == OV_SHAPE_KIND_BOX) {
        bool along_x = *value == fabs(x.x) / s->a.x;
        *slope = ov_vec3_make(along_x ? copysign(1.0 / s->a.x, x.x) : 0.0,
                              along_x ? 0.0 : copysign(1.0 / s->a.y, x.y), 0.0);
    } else {
        double far = sqrt(x.x * x.x + x.y * x.y) * s->a.x;
        *slope = ov_vec3_make(x.x / far, x.y / far, 0.0);
    }
    return true;
}

static bool has_common_gauge(const ov_shape *s) {
    return ovi_is_family(s->kind) || s->kind == OV_SHAPE_KIND_BOX ||
           s->kind == OV_SHAPE_KIND_CYLINDER || s->kind == OV_SHAPE_KIND_CAPSULE;
}

/** A step towards the inside of both: down the slope of the larger gauge, but not up the other's.
 *  False where there is no such way. */
static bool step_inwards(const ovi_pair *p, ov_vec3 *x, ov_vec3 in_b, bool at_a) {
    ov_vec3 ga, gb;
    double value_a, value_b;
    if (!common_slope(p->a, *x, &value_a, &ga) || !common_slope(p->b, in_b, &value_b, &gb)) {
        return false;
    }
    gb = ov_mat3_mul_vec3(&p->turn, gb);
    ov_vec3 down = at_a ? ga : gb, other = at_a ? gb : ga;
    double value = at_a ? value_a : value_b, rest = at_a ? value_b : value_a;
    double dd = ov_vec3_dot(down, down), od = ov_vec3_dot(other, down);
    double oo = ov_vec3_dot(other, other);
    // both linear models go down to a goal below one: two equations for a step in their plane
    double goal = 0.9 * (value < 1.0 ? value : 1.0), determinant = dd * oo - od * od;
    double want = value - goal, spare = rest - goal;
    double u = want / dd, v = 0.0;
    if (spare - u * od > 0.0) {
        if (!(determinant > 1e-6 * dd * oo)) {
            return false;
        }
        u = (want * oo - spare * od) / determinant;
        v = (spare * dd - want * od) / determinant;
    }
    ov_vec3 step = ov_vec3_add(ov_vec3_scale(down, u), ov_vec3_scale(other, v));
    double length = length_of(step), longest = 0.5 * p->size;
    if (!isfinite(length)) {
        return false;
    }
    *x = ov_vec3_sub(*x, length > longest ? ov_vec3_scale(step, longest / length) : step);
    return true;
}

/** Do two bodies have a ball in common that is larger than `margin` and all
 *  rounding? Searched from the line of centres on, in some steps. */
static bool have_common_ball(const ovi_pair *p, double margin, int steps) {
    if (!has_common_gauge(p->a) || !has_common_gauge(p->b) ||
        !(common_room(p) > margin + 2.0 * p->rounding)) {
        return false;
    }
    double ga = common_gauge(p->a, p->offset);
    double gb = common_gauge(p->b, ov_vec3_neg(ovi_to_b(p, p->offset)));
    ov_vec3 x = ov_vec3_scale(p->offset, ga > 0.0 ? gb / (ga + gb) : 0.5);
    for (int i = 0;; i++) {
        ov_vec3 in_b = ovi_to_b(p, ov_vec3_sub(x, p->offset));
        double over_a = common_excess(p->a, x), over_b = common_excess(p->b, in_b);
        if (over_a < 0.0 && over_b < 0.0) {
            return true;
        }
        if (i == steps || !step_inwards(p, &x, in_b, over_a > over_b)) {
            return false;
        }
    }
}

bool ovi_pair_overlaps(const ov_shape *a, ov_pose pose_a, const ov_shape *b, ov_pose pose_b,
                       double margin, int steps) {
    ovi_pair pair;
    ovi_frame frame;
    return ovi_pair_place(a, pose_a, b, pose_b, NULL, &pair, &frame) == OV_OK &&
           have_common_ball(&pair, margin, steps);
}

/** The inverse of the rotation of a quaternion whose square is at hand. */
static inline ov_vec3 turn_back(const turn *t, ov_vec3 v) {
    ov_vec3 u = ov_vec3_make(-t->q.x, -t->q.y, -t->q.z);
    ov_vec3 w = ov_vec3_scale(ov_vec3_cross(u, v), 2.0 / t->square);
    return ov_vec3_add(ov_vec3_add_scaled(v, w, t->q.w), ov_vec3_cross(u, w));
}

/**
 * What a body about its origin reaches along d, which it is given in its own frame, times the
 * length of d; infinite for kinds of which it would take longer.
 */
static inline double reach_along(const ov_shape *s, ov_vec3 d, double length) {
    switch (s->kind) {
    case OV_SHAPE_KIND_SPHERE:
        return s->a.x * length;
    case OV_SHAPE_KIND_ELLIPSOID:
        return length_of(ov_vec3_mul(s->a, d));
    case OV_SHAPE_KIND_BOX:
        return s->a.x * fabs(d.x) + s->a.y * fabs(d.y) + s->a.z * fabs(d.z);
    case OV_SHAPE_KIND_CAPSULE:
        return s->a.x * length + s->a.z * fabs(d.z);
    case OV_SHAPE_KIND_CYLINDER:
        return s->a.x * sqrt(d.x * d.x + d.y * d.y) + s->a.z * fabs(d.z);
    default:
        return INFINITY;
    }
}

/**
 * Are the bodies farther apart than the limit along the line of their centres? Neither rotation is
 * needed as a matrix for that. All is multiplied by the length of the line, which is not so short
 * that its square has lost digits.
 */
static inline bool line_of_centres_exceeds(const ov_shape *a, const ov_pose *pose_a,
                                           const ov_shape *b, const ov_pose *pose_b,
                                           const turn turns[2], double limit) {
    ov_vec3 d = ov_vec3_sub(pose_b->position, pose_a->position);
    double square = ov_vec3_dot(d, d), length = sqrt(square);
    double rounding = OVI_ERROR_PLAIN * (a->ball.radius + b->ball.radius);
    double rest = length * (length * (1.0 - OVI_ERROR_OFFSET) - limit - rounding);
    if (!(rest > 0.0) || square < 1e-280) {
        return false;
    }
    return rest > reach_along(a, turn_back(&turns[0], d), length) +
                      reach_along(b, turn_back(&turns[1], d), length);
}

ov_status ov_pair_exceeds(const ov_shape *a, ov_pose pose_a, const ov_shape *b, ov_pose pose_b,
                          double limit, const ov_pair_options *options, ov_warm_start *warm,
                          ov_answer *answer) {
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_pair_exceeds(a, pose_a, b, pose_b, limit, options, warm, answer));
    if (answer == NULL) {
        return OV_ERROR_NULL;
    }
    *answer = OV_ANSWER_UNKNOWN;
    if (isnan(limit)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (limit < 0.0) {
        return OV_ERROR_OPTION;
    }
    ov_pair_options used = ovi_pair_options_of(options);
    turn turns[2];
    ovi_pair pair;
    ovi_frame frame;
    ovi_result result;
    ov_status status = check_pair(a, &pose_a, b, &pose_b, options != NULL ? &used : NULL, turns);
    if (status != OV_OK || balls_decide(a, &pose_a, b, &pose_b, limit, answer)) {
        return status;
    }
    if (line_of_centres_exceeds(a, &pose_a, b, &pose_b, turns, limit)) {
        *answer = OV_ANSWER_YES;
        return OV_OK;
    }
    place(a, &pose_a, b, &pose_b, &used, turns, &pair, &frame);
    pair.limit = limit;
    if (line_of_centres_meets(&pair)) {
        *answer = OV_ANSWER_NO;
        return OV_OK;
    }
    status = ovi_pair_solve(&pair, warm, &result);
    if (status != OV_OK) {
        return status;
    }
    *answer = result.lower > limit    ? OV_ANSWER_YES
              : result.upper <= limit ? OV_ANSWER_NO
                                      : OV_ANSWER_UNKNOWN;
    return *answer == OV_ANSWER_UNKNOWN ? OV_NOT_CONVERGED : OV_OK;
}
