/*
 * Hunt for false answers of pair queries: all kinds crossed, in poses and with options that are
 * hard.
 *
 * A case is two placed shapes. It is asked in many ways: as it is, with A and B exchanged, with
 * other tolerances and depths, with garbage as a warm start, in every rounding mode, against
 * limits, and in a batch with its neighbours. All answers are about one number, the gap, of which
 * the oracle knows two bounds: its lower one is g(n) for a direction n, its upper one the distance
 * of two points of the bodies, or zero where it has a common point.
 *
 * What each finding is proven by:
 *   gap_lower false      two points nearer than gap_lower, or a common point and gap_lower > 0
 *   ... along normal     g(normal) < gap_lower: the planes across it are not that far apart
 *   gap_upper false      a direction n with g(n) > gap_upper
 *   two answers          a gap_lower above another answer's gap_upper: one is false, without oracle
 *   YES, NO              as gap_lower and gap_upper with the limit in their place
 *   points off           the distance of a point to its body, above rounding
 *   points below         a point that is a millionth of its gauge below the surface
 *   the others           by looking at the answer
 * All of it to the oracle's own error (allowance_of); what is within it counts as unsure.
 *
 * The depth of overlapping bodies is searched by climbs; with OV_DEPTH_GLOBAL the library claims a
 * search only, so a depth that is not the least is counted as a figure and is no finding.
 */
#include <math.h>
#include <string.h>

#include "hunt.h"

enum { ANSWERS_MAX = 16, LIMITS_MAX = 8 };

typedef struct answer {
    ov_contact contact;
    ov_pair_options options;
    bool swapped, has_warm;
    int mode;
    const char *label;
    ov_warm_start warm;
} answer;

typedef struct limit_answer {
    double limit;
    ov_answer answer;
    ov_status status;
    ov_pair_options options;
    int mode;
} limit_answer;

typedef struct pair_case {
    drawn a, b;
    ov_pose pose_a, pose_b;
    const char *placing;
    placed pa, pb;
    real rounding; /**< what the library says it allows for */
    real size;     /**< of the pair; half-space: of the other */
    real allowance;
    size_t answer_count, limit_count;
    answer answers[ANSWERS_MAX];
    limit_answer limits[LIMITS_MAX];
    gap_bounds truth;
} pair_case;

/* ---- drawing --------------------------------------------------------------------------------- */

/** B so that the gap along a direction is about `gap`. */
static void place_along(pair_case *c, ov_vec3 n, double gap) {
    c->pose_b.position = c->pose_a.position;
    c->pa = placed_at(&c->a, c->pose_a);
    c->pb = placed_at(&c->b, c->pose_b);
    if (c->a.kind == DRAW_HALFSPACE) {
        rvec m = rm_apply(&c->pa.turn, c->a.oracle.normal);
        n = (ov_vec3){(double)m.x, (double)m.y, (double)m.z};
    } else if (c->b.kind == DRAW_HALFSPACE) {
        rvec m = rm_apply(&c->pb.turn, c->b.oracle.normal);
        n = (ov_vec3){-(double)m.x, -(double)m.y, -(double)m.z};
    }
    double way = gap - (double)pair_height(&c->pa, &c->pb, rv_from(n), NULL);
    c->pose_b.position = ov_vec3_add_scaled(c->pose_a.position, n, way);
}

/** An axis of a body's frame, in the world. */
static ov_vec3 draw_axis(stream *r, ov_pose pose) {
    unsigned i = draw_index(r, 3);
    return ov_quat_rotate(pose.rotation, (ov_vec3){i == 0, i == 1, i == 2});
}

/** B turned as A is, by quarter turns or as it was, and off that by a little or not at all. */
static void draw_alignment(stream *r, pair_case *c) {
    if (draw_index(r, 3) == 0) {
        return;
    }
    ov_quat turn = {1.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < 2; i++) {
        double angle = i > 0                  ? draw_log(r, 1e-17, 1e-3)
                       : draw_index(r, 3) > 0 ? 1.5707963267948966 * draw_index(r, 4)
                                              : draw_between(r, 0.0, 6.3);
        if (i == 0 || draw_index(r, 2)) {
            ov_vec3 axis =
                i == 0 ? draw_axis(r, (ov_pose){.rotation = {1.0, 0.0, 0.0, 0.0}}) : draw_unit(r);
            turn = ov_quat_mul(turn, ov_quat_from_axis_angle(axis, angle));
        }
    }
    c->pose_b.rotation = ov_quat_mul(c->pose_a.rotation, turn);
}

/** Face to face or edge to edge, by next to nothing: where axes of separation are equally good,
 *  where edges are parallel to rounding, and where many points have the least distance. */
static void draw_features(stream *r, pair_case *c, double size) {
    draw_alignment(r, c);
    ov_vec3 a = draw_axis(r, c->pose_a), b = draw_axis(r, c->pose_b), n = a;
    c->placing = "face to face";
    if (draw_index(r, 2)) {
        c->placing = "edge to edge";
        n = ov_vec3_cross(a, b);
    }
    double length = sqrt(ov_vec3_dot(n, n));
    n = length > 1e-150 ? ov_vec3_scale(n, draw_sign(r) / length) : draw_unit(r);
    double gap = size * draw_sign(r) * (draw_index(r, 4) ? draw_log(r, 1e-17, 1e-9) : 0.0);
    place_along(c, n, draw_index(r, 4) ? gap : size * draw_log(r, 1e-9, 1.0));
    double least = fmin((double)c->a.oracle.reach, (double)c->b.oracle.reach);
    switch (draw_index(r, 3)) {
    case 0:
        break;
    case 1: // along an edge
        c->pose_b.position =
            ov_vec3_add_scaled(c->pose_b.position, a, least * draw_between(r, -1.0, 1.0));
        break;
    default:
        c->pose_b.position = ov_vec3_add_scaled(c->pose_b.position, ov_vec3_cross(n, draw_unit(r)),
                                                size * draw_between(r, -1.0, 1.0));
    }
}

static void draw_placing(stream *r, bool with_features, pair_case *c) {
    double size = fmax((double)c->a.oracle.reach, (double)c->b.oracle.reach);
    size = size > 0.0 ? size : 1.0;
    ov_vec3 n = draw_unit(r);
    c->pose_a = (ov_pose){{0.0, 0.0, 0.0}, draw_rotation(r)};
    c->pose_b = (ov_pose){{0.0, 0.0, 0.0}, draw_rotation(r)};
    unsigned where = draw_index(r, 10);
    if (draw_index(r, 2)) { // away from the origin, by up to 1e8 sizes
        double far = draw_index(r, 3) == 0 ? draw_log(r, 1.0, 1e8) : draw_between(r, 0.0, 3.0);
        c->pose_a.position = ov_vec3_scale(draw_unit(r), size * far);
    }
    c->pose_b.position = c->pose_a.position;
    if (with_features) {
        draw_features(r, c, size);
        return;
    }
    switch (where) {
    case 0:
    case 1:
        c->placing = "one centre";
        break;
    case 2:
        c->placing = "nearly one centre";
        c->pose_b.position = ov_vec3_add_scaled(
            c->pose_a.position, n,
            size * (draw_index(r, 2) ? draw_log(r, 1e-16, 1e-3) : draw_log(r, 1e-300, 1e-10)));
        break;
    case 3:
        c->placing = "far";
        place_along(c, n, size * draw_log(r, 1.0, 1e8));
        break;
    case 4:
    case 5:
        c->placing = "touching";
        place_along(c, n,
                    size * draw_sign(r) * (draw_index(r, 3) ? draw_log(r, 1e-17, 1e-6) : 0.0));
        break;
    case 6:
        c->placing = "overlapping";
        place_along(c, n,
                    -draw_log(r, 1e-3, 1.0) *
                        fmin((double)c->a.oracle.reach, (double)c->b.oracle.reach));
        break;
    default:
        c->placing = "apart";
        place_along(c, n, size * draw_log(r, 1e-6, 10.0));
    }
}

static void draw_case(stream *r, hunt *h, pair_case *c) {
    memset(c, 0, offsetof(pair_case, a));
    double size = draw_size(r), other = size;
    switch (draw_index(r, 6)) {
    case 0:
        other = size * draw_log(r, 1e-6, 1e6);
        break;
    case 1:
        other = size * draw_log(r, 0.1, 10.0);
        break;
    default:
        break;
    }
    bool with_features = draw_index(r, 4) == 0;
    draw_shape(r, h, true, with_features, size, &c->a);
    draw_shape(r, h, c->a.kind != DRAW_HALFSPACE, with_features, other, &c->b);
    draw_placing(r, with_features, c);
    c->answer_count = c->limit_count = 0;
    c->pa = placed_at(&c->a, c->pose_a);
    c->pb = placed_at(&c->b, c->pose_b);
    // what docs/theory/contact.md says is allowed for
    real share_a = c->a.shape.kind == OV_SHAPE_KIND_SUPEROVOID ? 2e-13L : 6e-14L;
    real share_b = c->b.shape.kind == OV_SHAPE_KIND_SUPEROVOID ? 2e-13L : 6e-14L;
    real offset = rv_length(rv_sub(c->pb.position, c->pa.position));
    real reach_a = c->a.oracle.reach, reach_b = c->b.oracle.reach;
    c->rounding = share_a * reach_a + share_b * reach_b + 7.2e-15L * offset + 1e-160L;
    c->allowance = ORACLE_ERROR * (reach_a + reach_b) + ORACLE_OFFSET_ERROR * offset;
    c->size = fmaxl(isfinite(c->a.shape.ball.radius) ? (real)c->a.shape.ball.radius : 0.0L,
                    isfinite(c->b.shape.ball.radius) ? (real)c->b.shape.ball.radius : 0.0L);
}

static ov_pair_options draw_options(stream *r) {
    ov_pair_options o = ov_default_pair_options();
    if (draw_index(r, 4) != 0) {
        o.tolerance = draw_index(r, 3) == 0 ? draw_log(r, 1e-12, 1e-10) : draw_log(r, 1e-12, 1e-3);
        o.tolerance = fmin(fmax(o.tolerance, OV_TOLERANCE_MIN), OV_TOLERANCE_MAX);
    }
    o.depth = (ov_depth)draw_index(r, 3);
    return o;
}

static double draw_garbage(stream *r, double size) {
    switch (draw_index(r, 9)) {
    case 0:
        return NAN;
    case 1:
        return INFINITY;
    case 2:
        return -INFINITY;
    case 3:
        return 0.0;
    case 4:
        return draw_sign(r) * 1e308;
    case 5:
        return draw_sign(r) * 5e-324;
    case 6:
        return draw_between(r, -1.0, 1.0);
    default:
        return draw_between(r, -1.0, 1.0) * size;
    }
}

static ov_vec3 draw_garbage_vector(stream *r, double size) {
    ov_vec3 u = draw_unit(r);
    switch (draw_index(r, 4)) {
    case 0:
        return u;
    case 1:
        return ov_vec3_scale(u, size);
    case 2: // numbers of vertices
        return (ov_vec3){(double)draw_index(r, 9), (double)draw_index(r, 9),
                         (double)draw_index(r, 9)};
    default:
        return (ov_vec3){draw_garbage(r, size), draw_garbage(r, size), draw_garbage(r, size)};
    }
}

static ov_warm_start draw_warm(stream *r, const pair_case *c) {
    return (ov_warm_start){draw_garbage_vector(r, (double)c->a.oracle.reach),
                           draw_garbage_vector(r, (double)c->b.oracle.reach),
                           draw_garbage_vector(r, 1.0)};
}

/* ---- asking ---------------------------------------------------------------------------------- */

/** A shape as it is made in the rounding mode of the moment; null where it is refused there. */
static const ov_shape *made_again(const drawn *d, drawn *room) {
    memcpy(room, d, offsetof(drawn, nodes));
    return drawn_make_shape(room) >= 0 ? &room->shape : NULL;
}

static void ask(pair_case *c, const char *label, bool swapped, int mode, const ov_pair_options *o,
                const ov_warm_start *warm, bool again) {
    static drawn room[2];
    answer *n = &c->answers[c->answer_count++];
    *n = (answer){.options = o != NULL ? *o : ov_default_pair_options(),
                  .swapped = swapped,
                  .has_warm = warm != NULL,
                  .mode = mode,
                  .label = label};
    ov_warm_start given = {0};
    if (warm != NULL) {
        n->warm = given = *warm;
    }
    const ov_shape *a = &c->a.shape, *b = &c->b.shape;
    ov_warm_start *start = warm != NULL ? &given : NULL;
    fesetround(mode);
    if (again) {
        const ov_shape *p = made_again(&c->a, &room[0]), *q = made_again(&c->b, &room[1]);
        a = p != NULL && q != NULL ? p : a;
        b = p != NULL && q != NULL ? q : b;
    }
    if (swapped) {
        ov_pair_contact(b, c->pose_b, a, c->pose_a, o, start, &n->contact);
    } else {
        ov_pair_contact(a, c->pose_a, b, c->pose_b, o, start, &n->contact);
    }
    fesetround(FE_TONEAREST);
}

static void ask_limit(stream *r, pair_case *c, double limit, int mode) {
    limit_answer *l = &c->limits[c->limit_count++];
    *l = (limit_answer){.limit = limit, .answer = OV_ANSWER_UNKNOWN, .mode = mode};
    l->options = draw_options(r);
    ov_warm_start warm = draw_warm(r, c);
    bool use = draw_index(r, 2);
    fesetround(mode);
    l->status = ov_pair_exceeds(&c->a.shape, c->pose_a, &c->b.shape, c->pose_b, limit, &l->options,
                                use ? &warm : NULL, &l->answer);
    fesetround(FE_TONEAREST);
}

static double draw_limit(stream *r, const pair_case *c) {
    const ov_contact *k = &c->answers[0].contact;
    double size = (double)c->size, gap = k->gap;
    if (!isfinite(gap) || gap < 0.0) {
        return draw_index(r, 2) ? 0.0 : size * draw_log(r, 1e-12, 1.0);
    }
    double limit = gap;
    switch (draw_index(r, 6)) {
    case 0:
        return 0.0;
    case 1:
        return draw_index(r, 2) ? fmax(k->gap_lower, 0.0) : k->gap_upper;
    case 2:
        limit = gap + draw_sign(r) * size * draw_log(r, 1e-16, 1e-9);
        break;
    case 3:
        limit = gap + draw_sign(r) * size * draw_log(r, 1e-9, 1e-1);
        break;
    default:
        limit = gap * (1.0 + draw_sign(r) * draw_log(r, 1e-16, 0.5));
    }
    return fmax(limit, 0.0);
}

static void ask_all(stream *r, pair_case *c) {
    static const int modes[3] = {FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    ask(c, "plain", false, FE_TONEAREST, NULL, NULL, false);
    ask(c, "swapped", true, FE_TONEAREST, NULL, NULL, false);
    for (int i = 0; i < 2; i++) {
        ov_pair_options o = draw_options(r);
        ask(c, "options", draw_index(r, 2), FE_TONEAREST, &o, NULL, false);
    }
    for (int i = 0; i < 2; i++) {
        ov_pair_options o = draw_options(r);
        ov_warm_start warm = draw_warm(r, c);
        ask(c, "warm", false, FE_TONEAREST, i == 0 ? NULL : &o, &warm, false);
    }
    for (int i = 0; i < 3; i++) {
        ov_pair_options o = draw_options(r);
        bool again = draw_index(r, 4) == 0;
        ask(c, again ? "rounding, shapes too" : "rounding", false, modes[i],
            draw_index(r, 2) ? NULL : &o, NULL, again);
    }
    for (int i = 0; i < 3; i++) {
        ask_limit(r, c, draw_limit(r, c), i < 2 ? FE_TONEAREST : modes[draw_index(r, 3)]);
    }
}

/** All cases of a unit at once, by default and by other options with warm starts. */
static void ask_batches(stream *r, pair_case *cases, size_t count) {
    static ov_pair pairs[PAIRS_UNIT_CASES];
    static ov_contact contacts[PAIRS_UNIT_CASES];
    static ov_warm_start warm[PAIRS_UNIT_CASES], kept[PAIRS_UNIT_CASES];
    for (int turn = 0; turn < 2; turn++) {
        ov_pair_options o = turn == 0 ? ov_default_pair_options() : draw_options(r);
        for (size_t i = 0; i < count; i++) {
            pair_case *c = &cases[i];
            pairs[i] = (ov_pair){&c->a.shape, &c->b.shape, c->pose_a, c->pose_b};
            warm[i] = kept[i] = draw_warm(r, c);
        }
        const ov_threads threads = {.count = turn == 0 ? 1 : 2};
        ov_pair_contact_batch(pairs, count, &o, &threads, turn == 0 ? NULL : warm, contacts);
        for (size_t i = 0; i < count; i++) {
            pair_case *c = &cases[i];
            c->answers[c->answer_count++] = (answer){.contact = contacts[i],
                                                     .options = o,
                                                     .has_warm = turn > 0,
                                                     .warm = kept[i],
                                                     .mode = FE_TONEAREST,
                                                     .label = turn > 0 ? "batch, warm" : "batch"};
        }
    }
}

/* ---- reports --------------------------------------------------------------------------------- */

static void print_case(FILE *f, const pair_case *c) {
    fprintf(f, "  // %s and %s, %s; oracle: gap in [%.21Lg, %.21Lg]\n", draw_kind_name(c->a.kind),
            draw_kind_name(c->b.kind), c->placing, c->truth.lower, c->truth.upper);
    drawn_print(f, "a", &c->a);
    drawn_print(f, "b", &c->b);
    pose_print(f, "pose_a", c->pose_a);
    pose_print(f, "pose_b", c->pose_b);
}

static const char *mode_name(int mode) {
    return mode == FE_TONEAREST  ? "to nearest"
           : mode == FE_DOWNWARD ? "FE_DOWNWARD"
           : mode == FE_UPWARD   ? "FE_UPWARD"
                                 : "FE_TOWARDZERO";
}

static void print_vector(FILE *f, const char *name, ov_vec3 v) {
    fprintf(f, "%s (%.17g, %.17g, %.17g)", name, v.x, v.y, v.z);
}

static void print_answer(FILE *f, const answer *n) {
    const ov_contact *k = &n->contact;
    fprintf(f, "  %s%s, %s, tolerance %.17g, depth %s: %s, %s, %d iterations\n", n->label,
            n->swapped ? ", b before a" : "", mode_name(n->mode), n->options.tolerance,
            ov_depth_name(n->options.depth), ov_status_name(k->status),
            ov_relation_name(k->relation), k->iterations);
    fprintf(f, "    gap %.17g in [%.17g, %.17g]", k->gap, k->gap_lower, k->gap_upper);
    print_vector(f, ", normal", k->normal);
    print_vector(f, "\n    points", k->point_a);
    print_vector(f, ",", k->point_b);
    fprintf(f, "\n");
    if (n->has_warm) {
        print_vector(f, "    warm a", n->warm.a);
        print_vector(f, " b", n->warm.b);
        print_vector(f, " normal", n->warm.normal);
        fprintf(f, "\n");
    }
}

static void tell(hunt *h, finding what, const pair_case *c, const answer *n, real excess) {
    double part = c->size > 0.0L ? (double)(excess / c->size) : 0.0;
    FILE *f = finding_begin(h, what, n->mode != FE_TONEAREST, part);
    if (f != NULL) {
        print_case(f, c);
        print_answer(f, n);
        finding_end(f);
    }
}

/** A difference that must not be positive: true, unsure, or told. */
static void hold(hunt *h, finding what, const pair_case *c, const answer *n, real excess) {
    if (excess > c->allowance) {
        tell(h, what, c, n, excess);
    } else if (excess > 0.0L) {
        figure_add(h, FIGURE_UNSURE, 1);
    }
}

/* ---- checking -------------------------------------------------------------------------------- */

static bool is_finite_contact(const ov_contact *k) {
    return isfinite(k->gap) && isfinite(k->gap_lower) && isfinite(k->gap_upper) &&
           ov_vec3_is_finite(k->normal) && ov_vec3_is_finite(k->point_a) &&
           ov_vec3_is_finite(k->point_b);
}

static bool has_plane(const pair_case *c) {
    return c->a.kind == DRAW_HALFSPACE || c->b.kind == DRAW_HALFSPACE;
}

/** The answer's normal, from A to B of the case. */
static rvec normal_of(const answer *n) {
    return rv_scale(rv_from(n->contact.normal), n->swapped ? -1.0L : 1.0L);
}

/** The oracle's bounds, from its own search and from the normals of all answers. */
static void find_truth(hunt *h, stream *r, pair_case *c) {
    if (has_plane(c)) {
        c->truth = pair_halfspace(&c->pa, &c->pb);
        figure_add(h, FIGURE_PROVEN_BOTH, 1);
        return;
    }
    rvec start = {0.0L, 0.0L, 0.0L};
    if (is_finite_contact(&c->answers[0].contact)) {
        start = normal_of(&c->answers[0]);
    }
    c->truth = pair_gap(&c->pa, &c->pb, start, INFINITY);
    for (size_t i = 0; i < c->answer_count; i++) {
        rvec n = rv_unit(normal_of(&c->answers[i]));
        if (is_finite_contact(&c->answers[i].contact) && rv_length(n) > 0.0L) {
            real g = pair_height(&c->pa, &c->pb, n, NULL);
            if (g > c->truth.lower) {
                c->truth.lower = g;
                c->truth.normal = n;
            }
        }
    }
    if (c->truth.lower <= 0.0L && c->truth.upper <= c->size) {
        bool tapered = c->a.kind == DRAW_SUPEROVOID || c->b.kind == DRAW_SUPEROVOID;
        pair_climb(&c->pa, &c->pb, draw_index(r, tapered ? 200 : 16) == 0, &c->truth);
    }
    figure_add(h, FIGURE_PROVEN_BOTH, c->truth.upper - c->truth.lower <= 1e-9L * c->size);
}

/** Where the oracle's lower bound contradicts an answer, a missed top of a tapered body could be to
 *  blame: it is looked at again between all heights. */
static void doubt_truth(pair_case *c) {
    double lowest = INFINITY;
    for (size_t i = 0; i < c->answer_count; i++) {
        lowest = fmin(lowest, c->answers[i].contact.gap_upper);
    }
    for (size_t i = 0; i < c->limit_count; i++) {
        lowest = fmin(lowest, c->limits[i].answer == OV_ANSWER_NO ? c->limits[i].limit : INFINITY);
    }
    if (c->truth.lower > lowest && !has_plane(c)) {
        c->truth.lower = pair_height_careful(&c->pa, &c->pb, c->truth.normal);
    }
}

static void count_answer(hunt *h, const answer *n) {
    static const figure relations[] = {FIGURE_UNDECIDED, FIGURE_SEPARATED, FIGURE_TOUCHING,
                                       FIGURE_OVERLAPPING};
    figure_add(h, FIGURE_QUERIES, 1);
    figure_add(h, FIGURE_DIRECTED, n->mode != FE_TONEAREST);
    if (n->contact.status >= 0 && (unsigned)n->contact.relation < 4) {
        figure_add(h, relations[n->contact.relation], 1);
    }
    figure_add(h, FIGURE_NOT_CONVERGED, n->contact.status == OV_NOT_CONVERGED);
}

static void check_form(hunt *h, const pair_case *c, const answer *n) {
    const ov_contact *k = &n->contact;
    if (!(k->gap_lower <= k->gap && k->gap <= k->gap_upper)) {
        tell(h, FINDING_CROSSED, c, n, fmaxl(k->gap_lower - k->gap, k->gap - k->gap_upper));
    }
    real length = rv_length(rv_from(k->normal));
    if (!(fabsl(length - 1.0L) <= 1e-14L)) {
        tell(h, FINDING_NORMAL, c, n, fabsl(length - 1.0L) * c->size);
    }
    bool good = k->relation == OV_RELATION_SEPARATED ? k->gap_lower > 0.0
                : k->relation == OV_RELATION_OVERLAPPING
                    ? k->gap_upper <= 0.0
                    : k->gap_lower <= 0.0 && k->gap_upper >= 0.0;
    real width = (real)k->gap_upper - k->gap_lower;
    real asked = n->options.tolerance * c->size + 8.0L * c->rounding + 1e-150L; // underflow
    if (k->relation == OV_RELATION_TOUCHING && width > asked) {
        good = false;
    }
    if (!good) {
        tell(h, FINDING_RELATION, c, n, fabsl((real)k->gap));
    }
    bool tight = k->relation != OV_RELATION_OVERLAPPING || n->options.depth == OV_DEPTH_PROVEN;
    if (k->status == OV_OK && tight && width > asked) {
        tell(h, FINDING_WIDE, c, n, width - asked);
    }
}

static void check_bounds(hunt *h, const pair_case *c, const answer *n) {
    const ov_contact *k = &n->contact;
    rvec normal = rv_unit(normal_of(n));
    if (rv_length(normal) == 0.0L) {
        return;
    }
    hold(h, FINDING_LOWER, c, n, k->gap_lower - c->truth.upper);
    hold(h, FINDING_UPPER, c, n, c->truth.lower - k->gap_upper);
    // the normal is rounded to doubles, which turns it by up to 2e-16 over the reach of g's slope
    if (!has_plane(c)) {
        real slope = c->a.oracle.reach + c->b.oracle.reach +
                     rv_length(rv_sub(c->pb.position, c->pa.position));
        real g = pair_height(&c->pa, &c->pb, normal, NULL);
        hold(h, FINDING_LOWER_NORMAL, c, n, k->gap_lower - g - 4e-16L * slope);
    }
    bool least = n->options.depth != OV_DEPTH_LOCAL && k->relation == OV_RELATION_OVERLAPPING;
    figure_add(h, FIGURE_SHALLOW,
               least && k->status == OV_OK &&
                   c->truth.lower - k->gap > n->options.tolerance * c->size + 4.0L * c->rounding);
}

/** Shortest half width of a body whose surface is looked at; zero: it is not. */
static real thinnest(const body *b) {
    switch (b->kind) {
    case BODY_SMOOTH: // down to an octahedron, whose faces are nearer than its corners
        return 0.5L * fminl(b->a.x, fminl(b->a.y, b->a.z));
    case BODY_BOX:
        return b->radius == 0.0L ? fminl(b->a.x, fminl(b->a.y, b->a.z)) : 0.0L;
    case BODY_CAPSULE:
        return b->radius;
    case BODY_CYLINDER:
        return fminl(b->radius, b->half);
    default:
        return 0.0L;
    }
}

/** Is a point clearly below the surface? A millionth farther from the centre, and the rounding, it
 *  is still in the body. Not asked where the rounding is of the size of the body. */
static bool is_below(const placed *b, rvec point, real rounding) {
    real thin = thinnest(b->body), share = 1e-6L + 8.0L * rounding / thin;
    rvec p = rm_apply_transposed(&b->turn, rv_sub(point, b->position));
    return thin > 0.0L && share < 0.5L && body_holds(b->body, rv_scale(p, 1.0L + share));
}

static void check_points(hunt *h, const pair_case *c, const answer *n) {
    const ov_contact *k = &n->contact;
    const placed *first = n->swapped ? &c->pb : &c->pa, *second = n->swapped ? &c->pa : &c->pb;
    real world = 4.5e-16L * (rv_length(c->pa.position) + rv_length(c->pb.position) +
                             c->a.oracle.reach + c->b.oracle.reach);
    real rounding = 2.0L * c->rounding + world;
    rvec p = rv_from(k->point_a), q = rv_from(k->point_b), d = rv_sub(q, p);
    real off = fmaxl(point_outside(first, p, rounding), point_outside(second, q, rounding));
    if (off > rounding + c->allowance) {
        tell(h, FINDING_POINT_OFF, c, n, off);
    }
    if (is_below(first, p, rounding) || is_below(second, q, rounding)) {
        tell(h, FINDING_POINT_BELOW, c, n, 0.0L);
    }
    real along = rv_dot(rv_from(k->normal), d), apart = rv_length(d);
    if (k->gap > 0.0 && apart > k->gap_upper + rounding) {
        tell(h, FINDING_POINTS_FAR, c, n, apart - k->gap_upper);
    }
    real differ = fabsl(k->gap - (k->gap > 0.0 ? apart : along));
    differ = fmaxl(differ, fmaxl(k->gap_lower - along, along - k->gap_upper));
    if (differ > rounding) {
        tell(h, FINDING_POINTS_GAP, c, n, differ);
    }
}

static void check_answer(hunt *h, const pair_case *c, const answer *n) {
    count_answer(h, n);
    bool directed = n->mode != FE_TONEAREST;
    if (n->contact.status < 0) {
        if (directed && h->options->rounding_refusal_ok) {
            figure_add(h, FIGURE_ROUNDING_REFUSED, 1);
        } else {
            tell(h, FINDING_REFUSED, c, n, 0.0L);
        }
        return;
    }
    if (!is_finite_contact(&n->contact)) {
        tell(h, FINDING_NAN, c, n, 0.0L);
        return;
    }
    check_form(h, c, n);
    check_bounds(h, c, n);
    check_points(h, c, n);
}

static void check_limit(hunt *h, const pair_case *c, const limit_answer *l) {
    figure_add(h, FIGURE_QUERIES, 1);
    figure_add(h, FIGURE_DIRECTED, l->mode != FE_TONEAREST);
    figure_add(h, FIGURE_LIMITS, 1);
    figure_add(h, FIGURE_UNKNOWN, l->answer == OV_ANSWER_UNKNOWN);
    bool directed = l->mode != FE_TONEAREST;
    if (l->status < 0 && directed && h->options->rounding_refusal_ok) {
        figure_add(h, FIGURE_ROUNDING_REFUSED, 1);
        return;
    }
    real far = l->options.tolerance * c->size + 8.0L * c->rounding + c->allowance;
    real excess = -1.0L;
    finding what = FINDING_REFUSED;
    if (l->status < 0) {
        excess = c->size;
    } else if (l->answer == OV_ANSWER_YES) {
        what = FINDING_YES;
        excess = l->limit - c->truth.upper;
    } else if (l->answer == OV_ANSWER_NO) {
        what = FINDING_NO;
        excess = c->truth.lower - l->limit;
    } else if (l->answer == OV_ANSWER_UNKNOWN) {
        what = FINDING_UNKNOWN;
        excess = fmaxl(c->truth.lower - l->limit, l->limit - c->truth.upper) - far;
    }
    if (excess > 0.0L && excess <= c->allowance) {
        figure_add(h, FIGURE_UNSURE, 1);
    }
    if (!(excess > c->allowance)) {
        return;
    }
    FILE *f = finding_begin(h, what, directed, (double)(excess / c->size));
    if (f != NULL) {
        print_case(f, c);
        fprintf(f, "  limit %.17g, %s, tolerance %.17g, depth %s: %s, %s\n", l->limit,
                mode_name(l->mode), l->options.tolerance, ov_depth_name(l->options.depth),
                ov_status_name(l->status),
                l->answer == OV_ANSWER_YES  ? "YES"
                : l->answer == OV_ANSWER_NO ? "NO"
                                            : "UNKNOWN");
        finding_end(f);
    }
}

/** A lower bound of one answer above an upper one of another: needs no oracle. */
static void check_agreement(hunt *h, const pair_case *c) {
    const answer *low = NULL, *high = NULL;
    for (size_t i = 0; i < c->answer_count; i++) {
        const answer *n = &c->answers[i];
        if (n->contact.status < 0 || n->mode != FE_TONEAREST) {
            continue;
        }
        low = low == NULL || n->contact.gap_lower > low->contact.gap_lower ? n : low;
        high = high == NULL || n->contact.gap_upper < high->contact.gap_upper ? n : high;
    }
    if (low == NULL || !(low->contact.gap_lower > high->contact.gap_upper)) {
        return;
    }
    real by = (real)low->contact.gap_lower - high->contact.gap_upper;
    FILE *f = finding_begin(h, FINDING_DISAGREE, false, (double)(by / c->size));
    if (f != NULL) {
        print_case(f, c);
        print_answer(f, low);
        print_answer(f, high);
        finding_end(f);
    }
}

void hunt_pairs_unit(hunt *h) {
    static pair_case cases[PAIRS_UNIT_CASES];
    stream r = stream_of(h->options->seed, h->unit);
    for (size_t i = 0; i < PAIRS_UNIT_CASES; i++) {
        draw_case(&r, h, &cases[i]);
        ask_all(&r, &cases[i]);
    }
    ask_batches(&r, cases, PAIRS_UNIT_CASES);
    for (size_t i = 0; i < PAIRS_UNIT_CASES; i++) {
        pair_case *c = &cases[i];
        figure_add(h, FIGURE_CASES, 1);
        figure_add(h, FIGURE_BATCHED, 2);
        find_truth(h, &r, c);
        doubt_truth(c);
        for (size_t k = 0; k < c->answer_count; k++) {
            check_answer(h, c, &c->answers[k]);
        }
        for (size_t k = 0; k < c->limit_count; k++) {
            check_limit(h, c, &c->limits[k]);
        }
        check_agreement(h, c);
        const answer *batch = &c->answers[c->answer_count - 2];
        if (batch->contact.status != c->answers[0].contact.status) {
            tell(h, FINDING_BATCH, c, batch, 0.0L);
        }
    }
}
