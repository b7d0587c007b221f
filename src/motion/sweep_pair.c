/**
 * @file sweep_pair.c
 * @brief Two parts in motion: shows that they stay apart, or finds when they may not. This is
 * conservative advancement in both directions of time, with certified bounds.
 *
 * At the middle m of a piece of time a unit vector n is found along which the parts have a gap g: A
 * lies below a plane across n, B above it. At m + s every point x of A, which is k + r with k the
 * middle of A's ball, has moved along n by no more than
 *
 *     s n.k' + |s| max over A of r.(n x spin) + |s| velocity_error + s^2 acceleration / 2
 *         + position_error
 *
 * and B likewise (see ovi_taylor: the errors are taken at the farthest point of the part). So the
 * gap along the same n is at least g - L s - K s^2 / 2 after m and g - L' s - K s^2 / 2 before it,
 * which shows a stretch about m to be free: up to 2 g / (L + sqrt(L^2 + 2 K g)). This is the
 * directed form of the rule that a body within a ball of displacements stays within R rho of its
 * place at the ball's centre [Toleranced, (11)]: only what goes along n counts, and with its sign.
 * What is left of the piece on both sides is looked at in turn, the earlier one first. So every
 * look at a pair gains something, and pieces that are far from contact are never divided.
 *
 * Three ways to find n, the cheap ones first: along the line between the balls; what served last;
 * and the pair query, whose normal it is. Meshes are not convex and have no such plane: for them g
 * is the lower bound of the gap, and L what any two points can move against each other.
 *
 * A piece ends up undecided where no point moves by more than epsilon against the other part. The
 * query is then as sharp as a quarter of epsilon, so a gap of more than twice epsilon is found to
 * be enough, down to rounding and within the limits below (docs/theory/motion.md has them all).
 *
 * Rounding: Taylor models carry bounds of their own errors, gaps along n and pair queries too, and
 * all that is computed from them here is made worse by some 1e-14 of the largest term.
 */
#include "../math/rounding_mode.h"
#include "../query/query_internal.h"
#include "sweep.h"

/** Where a part is, and how it moves, about the middle of a piece of time. */
typedef struct view {
    const ovi_moving_part *moving;
    ov_pose pose;
    ov_mat3 turn;
    ov_vec3 centre;         // of its ball, in the world
    ov_vec3 velocity, spin; // of that centre
    double radius;          // of the ball; 0 if unbounded
    double position_error;  // how far from its computed place any point may be
    double rotation_error;  // the same per length, of what is unbounded
    double velocity_error, acceleration;
    double ball_velocity_error, ball_acceleration; // of its ball, whose own rotation moves nothing
} view;

/** A piece of time that has not been shown to be free yet. */
typedef struct piece {
    double start, end;
    bool start_met, end_met; // contact there, proven
} piece;

/** Every cut leaves pieces of half the length at most, so no more than these wait at a time. */
enum { PIECES_MAX = 80 };
/** Pieces that may be divided beyond epsilon to bring a first contact to the resolution. */
enum { FINE_PIECES = 4096 };
/** Pieces of convex parts between two reports of progress: a piece takes microseconds. */
enum { REPORT_PIECES = 64 };
/** Pieces in all; what is left then is handed over as it is, so that no cover takes for ever. */
enum { PIECES_IN_ALL = 1 << 20, PIECES_OF_MESHES = 1 << 17 };
/** Errors below this part of all lengths are rounding: no division makes them less. */
#define ROUNDING_PART 1e-12
/** All that is computed here is worse by this part of the largest term. */
#define MARGIN 1e-14

typedef struct cover {
    const ovi_moving_part *a, *b;
    const ovi_cover_goal *goal;
    const ovi_interval_sink *sink;
    ovi_cover_result *out;
    bool directed;     // both are convex shapes
    bool bounded;      // both
    bool smooth;       // the query's lower bound is that of the plane across its normal
    bool tries_normal; // the last one, before a query; a tapered support costs as much as a query
    double size;       // of the smaller ball
    ov_vec3 normal;    // that served last, in the world; zero: none
    ov_warm_start warm;
    double gap;   // of the last query; infinite at first
    double least; // gap seen so far
    bool open;    // first_only: something before was undecided, `lower` is final
    size_t fine;  // pieces that were divided beyond epsilon
    ov_status status;
} cover;

/** What a plane across n, or a gap without a plane, shows about a piece. */
typedef struct proof {
    double before, after; // shown to be free by so much on each side of the middle
} proof;

/** The pair at the middle of a piece. */
typedef struct look {
    view a, b;
    double middle, radius; // times
    double lengths;        // that rounding goes with: of positions and parts
    double acceleration;   // K
    double error;          // how far from their computed places both may be, together
    double move;           // how far any point moves against the other part during the piece
    double unsure;         // the same, and what the Taylor models leave open besides
    bool met;              // contact at the middle, proven
} look;

/** Squares between these have lost no digits; others are taken the long way. */
#define SQUARE_LEAST 1e-280
#define SQUARE_MOST 1e280

static double length_of(ov_vec3 v) {
    double square = ov_vec3_dot(v, v);
    return square > SQUARE_LEAST && square < SQUARE_MOST ? sqrt(square) : ov_vec3_length(v);
}

/* ---- views */

/** Is a shape the same however it is turned about its z axis? */
static bool is_round(const ov_shape *s) {
    switch (s->kind) {
    case OV_SHAPE_KIND_CAPSULE:
    case OV_SHAPE_KIND_CYLINDER:
    case OV_SHAPE_KIND_CONE:
        return true;
    case OV_SHAPE_KIND_ELLIPSOID:
    case OV_SHAPE_KIND_SUPERELLIPSOID:
    case OV_SHAPE_KIND_SUPEROVOID:
        return s->a.x == s->a.y && s->e1 == 1.0 && s->tx == s->ty;
    default:
        return false;
    }
}

/**
 * Leaves out what rotates a part onto itself. A ball does not turn at all. A body that is round
 * about its axis u is moved by R as by every S with S u = R u; take the S that begins like R and
 * has the spin w' = w - (w.u) u. As u' = w' x u, the rate of w' is no more than that of w and |w.u|
 * |w'|, so |S''| <= |rate of w| + |w.u| |w'| + |w'|^2. The rate of w is the part of R'' that is
 * antisymmetric, |w|^2 the size of the other, both no more than |R''|: |S''| <= 2.5 |R''|. Worth
 * it where little of the spin is left.
 */
static void drop_symmetric_spin(const ovi_taylor *c, view *v) {
    const ovi_moving_part *m = v->moving;
    const ov_shape *s = &m->part.part.shape;
    if (m->part.part.mesh != NULL || !m->part.bounded) {
        return;
    }
    if (s->kind == OV_SHAPE_KIND_SPHERE) {
        v->spin = ov_vec3_make(0.0, 0.0, 0.0);
        v->velocity_error = v->ball_velocity_error;
        v->acceleration = v->ball_acceleration;
        return;
    }
    double spin = length_of(v->spin);
    if (!is_round(s) || !(spin > 0.0)) {
        return;
    }
    ov_vec3 u = v->turn.cz;
    ov_vec3 left = ov_vec3_add_scaled(v->spin, u, -ov_vec3_dot(v->spin, u));
    if (length_of(left) <= 0.5 * spin) {
        v->spin = left;
        // u, and what was taken off, are off by as much as the rotation is
        v->velocity_error += (4.0 * c->rotation_error + 16.0 * DBL_EPSILON) * spin * m->reach;
        v->acceleration = c->acceleration + 2.5 * c->rotation_acceleration * m->reach;
    }
}

static view view_of(const ovi_moving_part *m, double middle, double radius) {
    ovi_taylor c;
    ovi_moving_part_taylor(m, middle, radius, &c);
    view v = {.moving = m, .pose = c.pose, .turn = ov_mat3_from_quat(c.pose.rotation)};
    v.velocity = c.velocity;
    v.spin = c.spin;
    v.centre = c.pose.position;
    v.position_error = c.position_error + c.rotation_error * m->reach;
    v.rotation_error = m->part.bounded ? 0.0 : c.rotation_error;
    v.velocity_error = c.velocity_error + c.spin_error * m->reach +
                       8.0 * DBL_EPSILON * (length_of(c.velocity) + length_of(c.spin) * m->reach);
    v.acceleration = c.acceleration + c.rotation_acceleration * m->reach;
    if (m->part.bounded) {
        ov_vec3 arm = ov_mat3_mul_vec3(&v.turn, m->part.ball.centre);
        v.centre = ov_vec3_add(v.centre, arm);
        v.velocity = ov_vec3_add(v.velocity, ov_vec3_cross(v.spin, arm));
        v.radius = m->part.ball.radius;
        double away = length_of(m->part.ball.centre) * (1.0 + MARGIN);
        v.ball_velocity_error =
            c.velocity_error + c.spin_error * away +
            8.0 * DBL_EPSILON * (length_of(c.velocity) + length_of(c.spin) * away);
        v.ball_acceleration = c.acceleration + c.rotation_acceleration * away;
    }
    drop_symmetric_spin(&c, &v);
    return v;
}

static look look_at(const cover *c, double start, double end) {
    look k = {.middle = start + 0.5 * (end - start)};
    k.radius = fmax(end - k.middle, k.middle - start) * (1.0 + OVI_MOTION_MARGIN);
    k.a = view_of(c->a, k.middle, k.radius);
    k.b = view_of(c->b, k.middle, k.radius);
    double apart = length_of(ov_vec3_sub(k.b.centre, k.a.centre));
    k.error = k.a.position_error + k.b.position_error +
              2.0 * (k.a.rotation_error + k.b.rotation_error) * (apart + k.a.radius + k.b.radius);
    k.acceleration = (k.a.acceleration + k.b.acceleration) * (1.0 + MARGIN);
    double speed = length_of(ov_vec3_sub(k.b.velocity, k.a.velocity)) + k.a.velocity_error +
                   k.b.velocity_error + k.a.radius * length_of(k.a.spin) +
                   k.b.radius * length_of(k.b.spin);
    k.move = (speed + 0.5 * k.acceleration * k.radius) * k.radius * (1.0 + MARGIN);
    k.lengths =
        length_of(k.a.pose.position) + length_of(k.b.pose.position) + c->a->reach + c->b->reach;
    k.unsure = k.move + fmax(0.0, k.error - ROUNDING_PART * k.lengths);
    return k;
}

/* ---- proofs */

/** Largest r.(n x spin) of a part, r from the middle of its ball: by the ball and by the box. */
static double spin_speed(const view *v, ov_vec3 n) {
    ov_vec3 w = ov_vec3_cross(n, v->spin);
    double length = length_of(w);
    if (length == 0.0) {
        return 0.0;
    }
    const ov_obb *box = &v->moving->part.obb;
    ov_vec3 own = ov_mat3_tmul_vec3(&v->turn, w);
    ov_vec3 u = ov_quat_rotate(ov_quat_conjugate(box->pose.rotation), own);
    ov_vec3 shift = ov_vec3_sub(box->pose.position, v->moving->part.ball.centre);
    double by_box = box->half.x * fabs(u.x) + box->half.y * fabs(u.y) + box->half.z * fabs(u.z) +
                    fabs(ov_vec3_dot(shift, own));
    double by_ball = v->radius * length;
    // the box of a tapered body is as good as its support
    return (by_box < by_ball ? by_box : by_ball) + 100.0 * MARGIN * by_ball;
}

/** Up to when g - L s - K s^2/2 stays above zero, for g > 0. */
static double free_time(double g, double speed, double acceleration) {
    double square = speed * speed + 2.0 * acceleration * g;
    double under = square > SQUARE_LEAST && square < SQUARE_MOST
                       ? sqrt(square)
                       : hypot(speed, sqrt(2.0 * acceleration) * sqrt(g));
    if (!(under < INFINITY)) {
        return 0.0; // faster than numbers go, or not a number: nothing is shown
    }
    double sum = speed + under;
    // a speed below zero, with hardly any acceleration: no digits are left in the sum, nor are they
    // needed
    double fine = sum > 1e-12 * under ? 2.0 * g / sum : INFINITY;
    if (speed < 0.0 && acceleration > 0.0) {
        fine = (under - speed) / acceleration; // the same root, without loss of digits
    }
    return fine * (1.0 - 1e-12);
}

/** What a gap g along n shows where the middles drift, and what else moves takes off `loss` and
 *  `acceleration` at most. */
static proof prove_drift(const look *k, ov_vec3 n, double g, double loss, double acceleration) {
    double drift = ov_vec3_dot(n, ov_vec3_sub(k->b.velocity, k->a.velocity));
    loss += MARGIN * (length_of(k->a.velocity) + length_of(k->b.velocity));
    return (proof){free_time(g, loss + drift, acceleration),
                   free_time(g, loss - drift, acceleration)};
}

/** What a gap g along n shows, where the parts move along n by no more than their views say. */
static proof prove_along(const look *k, ov_vec3 n, double g) {
    if (!(g > 0.0)) {
        return (proof){0.0, 0.0};
    }
    double loss =
        spin_speed(&k->a, n) + spin_speed(&k->b, n) + k->a.velocity_error + k->b.velocity_error;
    return prove_drift(k, n, g, loss, k->acceleration);
}

/** The same for a gap that has no plane: by how far any point moves during the piece. */
static proof prove_any(const look *k, double g) {
    if (!(g > 0.0) || !(k->move < INFINITY)) {
        return (proof){0.0, 0.0};
    }
    double speed = k->move / k->radius; // on average; nearer to the middle it is less
    double time = speed > 0.0 ? g / speed * (1.0 - 1e-12) : INFINITY;
    return (proof){time, time};
}

static proof better(proof p, proof q) {
    return (proof){fmax(p.before, q.before), fmax(p.after, q.after)};
}

static bool is_whole(const look *k, const proof *p) {
    return p->before >= k->radius && p->after >= k->radius;
}

/** By the balls. */
static proof by_balls(cover *c, const look *k) {
    c->out->tests++;
    ov_vec3 d = ov_vec3_sub(k->b.centre, k->a.centre);
    double apart = length_of(d);
    double rounding = 16.0 * DBL_EPSILON * (apart + k->lengths);
    double g = apart - k->a.radius - k->b.radius - k->error - rounding - c->goal->clearance;
    g -= MARGIN * apart;
    if (!(g > 0.0)) {
        return (proof){0.0, 0.0};
    }
    double acceleration = (k->a.ball_acceleration + k->b.ball_acceleration) * (1.0 + MARGIN);
    return prove_drift(k, ov_vec3_scale(d, 1.0 / apart), g,
                       k->a.ball_velocity_error + k->b.ball_velocity_error, acceleration);
}

/** Gap of two convex parts along n, of the world, less all that is not sure. */
static double gap_along(const cover *c, const look *k, const ovi_pair *pair, const ovi_frame *frame,
                        ov_vec3 n) {
    ovi_separation separation;
    ov_vec3 own = ov_mat3_tmul_vec3(&frame->turn, n);
    if (ovi_pair_separation(pair, own, &separation) != OV_OK) {
        return -INFINITY;
    }
    return separation.gap - pair->rounding - k->error - c->goal->clearance;
}

static ov_status place(const cover *c, const look *k, ovi_pair *pair, ovi_frame *frame) {
    const ov_pair_options options = {.tolerance = OV_TOLERANCE_MIN, .depth = OV_DEPTH_LOCAL};
    return ovi_pair_place(&c->a->part.part.shape, k->a.pose, &c->b->part.part.shape, k->b.pose,
                          &options, pair, frame);
}

/** How sharp the query must be: some part of the gap to be expected, and of epsilon at the end. */
static double sharpness(const cover *c, const look *k, const ovi_pair *pair) {
    double coarse = fmin(0.02 * pair->size, 0.1 * c->gap);
    double fine = k->unsure <= 2.0 * c->goal->epsilon ? 0.25 * c->goal->epsilon : coarse;
    return fmax(fmin(coarse, fine), 4.0 * pair->rounding);
}

/** By the pair query; sets `met`, and keeps the normal where it serves. */
static proof by_query(cover *c, look *k, const ovi_pair *pair, const ovi_frame *frame) {
    ovi_pair sharp = *pair;
    sharp.goal = sharpness(c, k, pair);
    sharp.rough = true;
    proof p = {0.0, 0.0};
    for (int attempt = 0; attempt < 2; attempt++) {
        ovi_result r;
        c->out->queries++;
        c->status = ovi_pair_solve(&sharp, &c->warm, &r);
        if (c->status != OV_OK) {
            return p;
        }
        k->met = r.upper <= c->goal->clearance;
        c->gap = fmax(0.0, r.upper);
        if (k->met || !ovi_is_direction(r.normal)) {
            return p;
        }
        c->normal = ov_mat3_mul_vec3(&frame->turn, r.normal);
        double any = r.lower - k->error - c->goal->clearance;
        double g = c->smooth || !c->bounded ? any : gap_along(c, k, pair, frame, c->normal);
        p = better(prove_along(k, c->normal, g), prove_any(k, any));
        double best = 4.0 * pair->rounding;
        if (g > 0.5 * (r.upper - c->goal->clearance) || sharp.goal <= 1.01 * best) {
            return p; // sharper would not gain much
        }
        sharp.goal = fmax(0.1 * fmax(0.0, r.upper - c->goal->clearance), best);
    }
    return p;
}

/** How sharp a query of meshes must be, as a part of the larger size. */
static double mesh_tolerance(const cover *c, const look *k) {
    const double coarse = 1e-6;
    double size = fmax(c->a->part.ball.radius, c->b->part.ball.radius);
    bool last = k->unsure <= 2.0 * c->goal->epsilon;
    double fine = last ? 0.25 * c->goal->epsilon / size : coarse;
    return fmax(fmin(coarse, fine), OV_TOLERANCE_MIN);
}

/** Meshes: the gap itself, only as far as it matters. */
static proof by_mesh(cover *c, look *k) {
    const ov_pair_options options = {.tolerance = mesh_tolerance(c, k), .depth = OV_DEPTH_LOCAL};
    ov_trimesh_contact found;
    double limit = c->goal->clearance + 2.0 * (k->move + k->error);
    c->out->queries++;
    ov_status status = ovi_meshes_meet(&c->a->part.part, k->a.pose, &c->b->part.part, k->b.pose,
                                       limit, &options, &found);
    if (status < OV_OK) {
        c->status = status;
        return (proof){0.0, 0.0};
    }
    k->met = found.contact.relation == OV_RELATION_OVERLAPPING ||
             found.contact.gap_upper <= c->goal->clearance;
    c->gap = fmax(0.0, found.contact.gap_upper);
    return prove_any(k, found.contact.gap_lower - k->error - c->goal->clearance);
}

/** All that can be shown about the piece; `met` where the parts are in contact at its middle. */
static proof prove(cover *c, look *k) {
    proof p = {0.0, 0.0};
    if (c->bounded) {
        p = by_balls(c, k);
    }
    if (is_whole(k, &p)) {
        return p;
    }
    if (!c->directed) {
        return better(p, by_mesh(c, k));
    }
    ovi_pair pair;
    ovi_frame frame;
    c->status = place(c, k, &pair, &frame);
    if (c->status != OV_OK) {
        return p;
    }
    if (c->tries_normal && ovi_is_direction(c->normal)) {
        c->out->tests++;
        p = better(p, prove_along(k, c->normal, gap_along(c, k, &pair, &frame, c->normal)));
        if (is_whole(k, &p)) {
            return p;
        }
    }
    return better(p, by_query(c, k, &pair, &frame));
}

/* ---- the cover */

static bool hand_over(cover *c, double start, double end, double contact) {
    c->out->lower = fmin(c->out->lower, start);
    const ov_sweep_interval found = {
        .start = start, .end = end, .contact = contact, .element = OV_SWEEP_ELEMENT_PARTS};
    if (c->sink != NULL && !c->sink->take(c->sink->user, &found)) {
        c->status = OV_ERROR_MEMORY;
        return false;
    }
    return true;
}

/** Keeps the earliest contact, or where the parts were closest. */
static void note_gap(cover *c, const look *k) {
    if (k->met && k->middle < c->out->upper) {
        c->out->upper = c->out->closest = k->middle;
    } else if (!k->met && c->gap < c->least) {
        c->least = c->gap;
        c->out->closest = c->out->upper < INFINITY ? c->out->closest : k->middle;
    }
}

/** A time before x by no less than the rounding of x, and the other way round. */
static double earlier(double x) { return x - 4.0 * DBL_EPSILON * fabs(x); }
static double later(double x) { return x + 4.0 * DBL_EPSILON * fabs(x); }

/** Is the piece too short to be divided, in time or in how far things move? */
static bool is_final(cover *c, const piece *s, const look *k) {
    double length = s->end - s->start;
    double ticks = 4.0 * DBL_EPSILON * fmax(fabs(s->start), fabs(s->end)); // of the clock
    if (length <= fmax(c->goal->shortest, ticks)) {
        return true;
    }
    if (c->goal->first_only && !c->open) {
        bool coming = s->end_met || k->met;
        if (coming) {
            return length <= c->goal->resolution;
        }
        // a contact may be about to come: look closer, as long as that is not for ever
        return k->unsure <= c->goal->epsilon && c->fine++ >= FINE_PIECES;
    }
    return k->unsure <= c->goal->epsilon;
}

/** A contact that lasts: met at both ends and in the middle, and little moved between. */
static bool is_lasting(const cover *c, const piece *s, const look *k) {
    return !c->goal->first_only && s->start_met && s->end_met && k->met &&
           k->unsure <= ovi_lasting_move(c->goal->epsilon, c->size);
}

/** What is left on both sides of the part that was shown to be free. */
typedef struct pieces_left {
    piece left, right;
    bool has_left, has_right;
} pieces_left;

static pieces_left what_is_left(const piece *s, const look *k, const proof *p) {
    pieces_left r = {.has_left = !(p->before >= k->radius), .has_right = !(p->after >= k->radius)};
    double cut_left = later(k->middle - p->before), cut_right = earlier(k->middle + p->after);
    cut_left = fmin(fmax(cut_left, s->start), k->middle);
    cut_right = fmax(fmin(cut_right, s->end), k->middle);
    if (p->before <= 0.0) {
        cut_left = k->middle;
    }
    if (p->after <= 0.0) {
        cut_right = k->middle;
    }
    r.left = (piece){s->start, cut_left, s->start_met, k->met};
    r.right = (piece){cut_right, s->end, k->met, s->end_met};
    return r;
}

static bool hand_over_undecided(cover *c, const piece *s) {
    c->open = true;
    return hand_over(c, s->start, s->end, s->start_met ? s->start : s->end_met ? s->end : NAN);
}

/** Looks at one piece; what is left of it goes onto the stack, the earlier part on top. */
static bool work_on(cover *c, piece s, piece *stack, size_t *count) {
    look k = look_at(c, s.start, s.end);
    c->out->pieces++;
    c->out->shortest = fmin(c->out->shortest, s.end - s.start);
    proof p = prove(c, &k);
    if (c->status != OV_OK) {
        return false;
    }
    note_gap(c, &k);
    if (is_lasting(c, &s, &k)) {
        return hand_over(c, s.start, s.end, k.middle);
    }
    pieces_left r = what_is_left(&s, &k, &p);
    bool later_too = r.has_right && !(c->goal->first_only && k.met);
    size_t most = c->directed ? PIECES_IN_ALL : PIECES_OF_MESHES;
    bool over = c->out->pieces > most || *count + 2 > PIECES_MAX;
    if (over || is_final(c, &s, &k)) {
        return (!r.has_left || hand_over_undecided(c, &r.left)) &&
               (!later_too || hand_over_undecided(c, &r.right));
    }
    if (later_too) {
        stack[(*count)++] = r.right;
    }
    if (r.has_left) {
        stack[(*count)++] = r.left;
    }
    return true;
}

ov_status ovi_cover_pair(const ovi_moving_part *a, const ovi_moving_part *b, double start,
                         double end, const ovi_cover_goal *goal, const ovi_interval_sink *sink,
                         ovi_cover_result *result) {
    *result = (ovi_cover_result){
        .lower = end, .upper = INFINITY, .shortest = end - start, .closest = start};
    cover c = {.a = a, .b = b, .goal = goal, .sink = goal->first_only ? NULL : sink};
    c.out = result;
    ov_shape_kind ka = a->part.part.shape.kind, kb = b->part.part.shape.kind;
    c.directed = a->part.part.mesh == NULL && b->part.part.mesh == NULL;
    c.bounded = a->part.bounded && b->part.bounded;
    c.smooth = ovi_is_family(ka) && ovi_is_family(kb) && ka != OV_SHAPE_KIND_SPHERE &&
               kb != OV_SHAPE_KIND_SPHERE;
    c.tries_normal = c.bounded && ka != OV_SHAPE_KIND_SUPEROVOID && kb != OV_SHAPE_KIND_SUPEROVOID;
    c.gap = c.least = INFINITY;
    c.size = fmin(a->part.ball.radius, b->part.ball.radius);
    piece stack[PIECES_MAX];
    size_t count = 0;
    stack[count++] = (piece){start, end, false, false};
    while (count > 0) {
        piece s = stack[--count];
        bool behind = goal->first_only && s.start >= result->upper;
        if (goal->progress != NULL && (!c.directed || result->pieces % REPORT_PIECES == 0)) {
            goal->progress(goal->progress_user, (s.start - start) / (end - start));
        }
        if (behind || !work_on(&c, s, stack, &count)) {
            break;
        }
    }
    if (goal->first_only) { // what is after a contact was not looked at
        result->lower = fmin(result->lower, result->upper);
    }
    return c.status;
}

/* ---- the first contact of two shapes */

static ov_status make_one(const ov_shape *shape, const ov_motion *motion, ov_pose pose,
                          double start, double end, ovi_moving_part *moving) {
    if (shape == NULL) {
        return OV_ERROR_NULL;
    }
    if (!ovi_motion_covers(motion, start, end)) {
        return OV_ERROR_TIME;
    }
    if (motion != NULL && !ov_motion_is_rigid(motion)) {
        return OV_ERROR_UNSUPPORTED;
    }
    const ov_part part = {.shape = *shape, .pose = ov_pose_identity()};
    ov_status status = ovi_moving_part_make(&part, ov_pose_default(pose), moving);
    if (status != OV_OK) {
        return status;
    }
    moving->motion = motion;
    return motion != NULL && !moving->part.bounded ? OV_ERROR_UNBOUNDED : OV_OK;
}

/** The contact at a time, in the world. */
static ov_contact contact_at(const ovi_moving_part *a, const ovi_moving_part *b, double time) {
    const ov_pair_options options = {.tolerance = 1e-9, .depth = OV_DEPTH_LOCAL};
    ovi_taylor ca, cb;
    ov_contact contact;
    ovi_moving_part_taylor(a, time, 0.0, &ca);
    ovi_moving_part_taylor(b, time, 0.0, &cb);
    (void)ov_pair_contact(&a->part.part.shape, ca.pose, &b->part.part.shape, cb.pose, &options,
                          NULL, &contact);
    return contact;
}

/** The cover with lengths and times of its own. */
static ov_status cover_first(const ovi_moving_part *a, const ovi_moving_part *b, double start,
                             double end, const ov_sweep_options *options, ovi_cover_result *found) {
    ovi_cover_goal goal = {.epsilon = ovi_sweep_epsilon(options, a, b),
                           .clearance = options->clearance,
                           .shortest = ldexp(end - start, -options->depth),
                           .first_only = true,
                           .resolution = options->resolution * (end - start)};
    return ovi_cover_pair(a, b, start, end, &goal, NULL, found);
}

ov_status ov_sweep_pair_first(const ov_sweep_pair *pair, double start, double end,
                              const ov_sweep_options *options, ov_first_contact *first) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_sweep_pair_first(pair, start, end, options, first));
    if (pair == NULL || first == NULL) {
        return OV_ERROR_NULL;
    }
    *first =
        (ov_first_contact){.answer = OV_SWEEP_ANSWER_UNDECIDED, .lower = start, .upper = INFINITY};
    ovi_sweep_plan plan; // for its checks only: it has no parts
    ovi_moving_part a, b;
    ov_status status = ovi_plan_make(start, end, options, &plan);
    status =
        status == OV_OK ? make_one(pair->a, pair->motion_a, pair->pose_a, start, end, &a) : status;
    status =
        status == OV_OK ? make_one(pair->b, pair->motion_b, pair->pose_b, start, end, &b) : status;
    if (status == OV_OK && !a.part.bounded && !b.part.bounded) {
        status = OV_ERROR_UNBOUNDED;
    }
    ovi_cover_result found;
    status = status == OV_OK ? cover_first(&a, &b, start, end, &plan.options, &found) : status;
    if (status != OV_OK) {
        return status;
    }
    bool met = isfinite(found.upper), free = !met && found.lower >= end;
    first->answer = met    ? OV_SWEEP_ANSWER_CONTACT
                    : free ? OV_SWEEP_ANSWER_FREE
                           : OV_SWEEP_ANSWER_UNDECIDED;
    first->lower = found.lower;
    first->upper = found.upper;
    // just before the contact: there the normal and the points are sharp, and cheap
    first->contact = contact_at(&a, &b, met ? found.lower : found.closest);
    first->pieces = found.pieces;
    first->tests = found.tests;
    first->queries = found.queries;
    bool close = free || found.upper - found.lower <= plan.options.resolution * (end - start);
    return close ? OV_OK : OV_NOT_CONVERGED;
}
