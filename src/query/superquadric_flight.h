/* Included by superquadric_batch.c and superquadric_batch_avx512.c, for two, four and eight lanes:
 * the whole way of an ordinary pair of the smooth family in the lanes of vectors, from the poses to
 * the contact.
 *
 * A pair in each lane; every step is that of the single query (pair.c, superquadric_pair.c):
 *
 *     1. placing: quaternions to matrices, the offset in A's frame, the tolerance and rounding as
 *        lengths
 *     2. the first places: the warm start, or where two ellipsoids would touch
 *     3. Newton's method (superquadric_lanes.h). A lane whose iteration is over keeps its
 *        places, so that the last step shows the ends of all lanes
 *     4. of dented bodies, the proof that the points are maxima of the hulls, by the lean of their
 *        normals or by chords
 *     5. bounds, relation, and the contact in the world
 *
 * An end that is a depth, or is not proven yet, is finished as that of a single query, and an
 * iteration that takes more than a few steps goes on as one. What leaves the path earlier, as poses
 * that are no poses, is left to the single query altogether. No lane depends on what its neighbours
 * hold.
 *
 * OVI_WIDTH is the number of lanes. Of two lanes, two flights make their first steps together, in
 * single precision.
 */
#include "../math/lane_names.h"

/** Iterations that take more steps are rare, and would keep the other lanes waiting. */
enum { STEPS = 7 };

typedef OVI_NAME(ovi_triple) triple;

/** A number of each of the things that `p` points to. */
#if OVI_WIDTH == 8
#define EACH(p, field)                                                                             \
    {                                                                                              \
        (p)[0]->field, (p)[1]->field, (p)[2]->field, (p)[3]->field, (p)[4]->field, (p)[5]->field,  \
            (p)[6]->field, (p)[7]->field                                                           \
    }
#elif OVI_WIDTH == 4
#define EACH(p, field)                                                                             \
    { (p)[0]->field, (p)[1]->field, (p)[2]->field, (p)[3]->field }
#else
#define EACH(p, field)                                                                             \
    { (p)[0]->field, (p)[1]->field }
#endif

/** Pairs on their way, one in each lane. */
typedef struct flight {
    const ov_shape *shape[2][OVI_WIDTH];
    // placing
    triple world[3]; // rows of A's rotation
    triple position[2];
    OVI_NUM radius[2], size, rounding, goal;
    OVI_NUM e1[2], q1_minus_1[2];
    OVI_NAME(ovi_bodies) bodies;
    // the iteration
    triple place[2];
    OVI_MASK good; // lanes that are still on the path
    OVI_MASK late; // lanes whose iteration is not over
    OVI_MASK steps;
    // its end, in A's frame
    OVI_MASK converged;                        // else it is a depth
    OVI_NUM phi, distance, tangent_lower;      // a bound before rounding
    triple point_a, along, normal_a, normal_b; // A's point, the way to B's
    // the result, in the world
    OVI_MASK done; // it is complete
    OVI_NUM lower, upper, gap;
    triple point[2], normal, own_normal; // the last one in A's frame
} flight;

/* ---- in */

/** A rotation, normalised, and whether it is one: others are left to the single query. */
typedef struct rotation {
    OVI_NUM w, x, y, z;
    OVI_MASK good;
} rotation;

OVI_INLINE rotation rotation_of(OVI_NUM w, OVI_NUM x, OVI_NUM y, OVI_NUM z) {
    // four zeros are no rotation
    w = OVI_WHERE((w == 0.0) & (x == 0.0) & (y == 0.0) & (z == 0.0), OVI_OF(1.0), w);
    OVI_NUM square = w * w + x * x + y * y + z * z, inverse = 1.0 / OVI_SQRT(square);
    return (rotation){w * inverse, x * inverse, y * inverse, z * inverse,
                      (square > 0.5) & (square < 2.0)};
}

/** The rotation that comes first, and then the other one's inverse. */
OVI_INLINE rotation seen_from(const rotation *a, const rotation *b) {
    return (rotation){a->w * b->w + a->x * b->x + a->y * b->y + a->z * b->z,
                      a->w * b->x - a->x * b->w - a->y * b->z + a->z * b->y,
                      a->w * b->y + a->x * b->z - a->y * b->w - a->z * b->x,
                      a->w * b->z - a->x * b->y + a->y * b->x - a->z * b->w, a->good & b->good};
}

/** Rows of its matrix. */
OVI_INLINE void matrix_of(const rotation *q, triple rows[3]) {
    OVI_NUM xx = q->x * q->x, yy = q->y * q->y, zz = q->z * q->z;
    OVI_NUM xy = q->x * q->y, xz = q->x * q->z, yz = q->y * q->z;
    OVI_NUM wx = q->w * q->x, wy = q->w * q->y, wz = q->w * q->z;
    rows[0] = (triple){1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)};
    rows[1] = (triple){2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)};
    rows[2] = (triple){2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)};
}

OVI_INLINE OVI_MASK is_within(triple p, double limit) {
    return (OVI_LANES(abs)(p.x) <= limit) & (OVI_LANES(abs)(p.y) <= limit) &
           (OVI_LANES(abs)(p.z) <= limit);
}

/** Where B is, as A sees it. */
OVI_INLINE void place_poses(const ov_pair *const p[OVI_WIDTH], flight *f) {
    rotation qa =
        rotation_of((OVI_NUM)EACH(p, pose_a.rotation.w), (OVI_NUM)EACH(p, pose_a.rotation.x),
                    (OVI_NUM)EACH(p, pose_a.rotation.y), (OVI_NUM)EACH(p, pose_a.rotation.z));
    rotation qb =
        rotation_of((OVI_NUM)EACH(p, pose_b.rotation.w), (OVI_NUM)EACH(p, pose_b.rotation.x),
                    (OVI_NUM)EACH(p, pose_b.rotation.y), (OVI_NUM)EACH(p, pose_b.rotation.z));
    rotation relative = seen_from(&qa, &qb);
    matrix_of(&qa, f->world);
    matrix_of(&relative, f->bodies.turn);
    triple a = {EACH(p, pose_a.position.x), EACH(p, pose_a.position.y), EACH(p, pose_a.position.z)};
    triple b = {EACH(p, pose_b.position.x), EACH(p, pose_b.position.y), EACH(p, pose_b.position.z)};
    triple d = {b.x - a.x, b.y - a.y, b.z - a.z};
    f->bodies.offset = OVI_NAME(ovi_turn_back)(f->world, d);
    f->position[0] = a;
    f->position[1] = b;
    f->good = relative.good & is_within(a, OV_POSITION_MAX) & is_within(b, OV_POSITION_MAX);
}

/** A body of each pair; its reach times the rounding error is handed back. */
OVI_INLINE OVI_NUM place_body(flight *f, int body, bool ellipsoids) {
    const ov_shape *const *s = f->shape[body];
    const OVI_NUM none = OVI_OF(0.0);
    OVI_NUM tx = none, ty = none, error = OVI_OF(OVI_ERROR_PLAIN);
    if (!ellipsoids) {
        tx = (OVI_NUM)EACH(s, tx);
        ty = (OVI_NUM)EACH(s, ty);
        OVI_NUM e1 = EACH(s, e1), e2 = EACH(s, e2), kind = EACH(s, kind);
        OVI_MASK position1 = e1 <= 1.0, position2 = e2 <= 1.0;
        OVI_NUM p1 = EACH(s, derived.reserved[OVI_DERIVED_P1_MINUS_1]);
        OVI_NUM p2 = EACH(s, derived.reserved[OVI_DERIVED_P2_MINUS_1]);
        OVI_NUM q1 = EACH(s, derived.reserved[OVI_DERIVED_Q1_MINUS_1]);
        OVI_NUM q2 = EACH(s, derived.reserved[OVI_DERIVED_Q2_MINUS_1]);
        f->e1[body] = e1;
        f->bodies.section[body] = (OVI_NAME(ovi_parametrisation)){
            OVI_WHERE(position1, p1, q1), OVI_WHERE(position1, 0.5 * e1 - 1.0, -0.5 * e1),
            position1};
        f->bodies.profile[body] = (OVI_NAME(ovi_parametrisation)){
            OVI_WHERE(position2, p2, q2), OVI_WHERE(position2, 0.5 * e2 - 1.0, -0.5 * e2),
            position2};
        f->q1_minus_1[body] = q1;
        error = OVI_WHERE(kind == (double)OV_SHAPE_KIND_SUPEROVOID, OVI_OF(OVI_ERROR_SUPEROVOID),
                          error);
    }
    f->bodies.form[body] = OVI_NAME(ovi_form_of)((OVI_NUM)EACH(s, a.x), (OVI_NUM)EACH(s, a.y),
                                                 (OVI_NUM)EACH(s, a.z), tx, ty);
    triple c = {EACH(s, ball.centre.x), EACH(s, ball.centre.y), EACH(s, ball.centre.z)};
    OVI_NUM radius = EACH(s, ball.radius);
    f->radius[body] = radius;
    return error * (radius + OVI_SQRT(OVI_NAME(ovi_dot)(c, c)));
}

/** Tolerance and rounding as lengths, as ovi_pair_place() makes them. */
OVI_INLINE void place_lengths(flight *f, double tolerance, OVI_NUM errors) {
    OVI_NUM ra = f->radius[0], rb = f->radius[1];
    OVI_NUM apart = OVI_SQRT(OVI_NAME(ovi_dot)(f->bodies.offset, f->bodies.offset));
    f->size = OVI_WHERE(ra > rb, ra, rb);
    f->rounding = errors + OVI_ERROR_OFFSET * apart + 1e-160;
    f->goal = tolerance * f->size + 4.0 * f->rounding;
    f->bodies.inverse_size = 1.0 / f->size;
    f->bodies.goals =
        OVI_NAME(ovi_goals_of)(ra, rb, f->goal, f->rounding, f->goal * f->bodies.inverse_size);
}

/* ---- the first places */

OVI_INLINE triple choose(OVI_MASK mask, triple a, triple b) {
    return (triple){OVI_WHERE(mask, a.x, b.x), OVI_WHERE(mask, a.y, b.y),
                    OVI_WHERE(mask, a.z, b.z)};
}

/** The place of a body with a normal in its frame. */
OVI_INLINE triple place_along(const flight *f, int body, triple n, bool ellipsoids) {
    const OVI_NAME(ovi_form) *form = &f->bodies.form[body];
    if (ellipsoids) {
        return OVI_NAME(ovi_ellipsoid_along)(form, n);
    }
    OVI_NAME(ovi_heading) h = OVI_NAME(ovi_heading_of)(form, f->e1[body], n);
    return OVI_NAME(ovi_place_along)(&h, &f->bodies.section[body], &f->bodies.profile[body]);
}

OVI_INLINE void start(flight *f, bool ellipsoids) {
    const OVI_NAME(ovi_bodies) *l = &f->bodies;
    triple sa = {l->form[0].a1, l->form[0].a2, l->form[0].a3};
    triple sb = {l->form[1].a1, l->form[1].a2, l->form[1].a3};
    triple n = OVI_NAME(ovi_first_normal)(sa, sb, l->turn, l->offset, l->inverse_size);
    n = OVI_NAME(ovi_times)(n, 1.0 / OVI_SQRT(OVI_NAME(ovi_dot)(n, n)));
    f->good &= OVI_NAME(ovi_are_directions)(n);
    f->place[0] = place_along(f, 0, n, ellipsoids);
    triple back = OVI_NAME(ovi_turn_back)(l->turn, n);
    f->place[1] = place_along(f, 1, (triple){-back.x, -back.y, -back.z}, ellipsoids);
}

/** The places of warm starts that are some. */
OVI_INLINE void start_warm(flight *f, ov_warm_start *const w[OVI_WIDTH]) {
    triple a = {EACH(w, a.x), EACH(w, a.y), EACH(w, a.z)};
    triple b = {EACH(w, b.x), EACH(w, b.y), EACH(w, b.z)};
    OVI_MASK known = OVI_NAME(ovi_are_directions)(a) & OVI_NAME(ovi_are_directions)(b);
    f->place[0] = choose(known, a, f->place[0]);
    f->place[1] = choose(known, b, f->place[1]);
}

/* ---- the iteration */

OVI_INLINE bool any(OVI_MASK mask) {
#if OVI_WIDTH == 8
    ovi_i4 four = __builtin_shufflevector(mask, mask, 0, 1, 2, 3) |
                  __builtin_shufflevector(mask, mask, 4, 5, 6, 7);
#elif OVI_WIDTH == 4
    ovi_i4 four = mask;
#endif
#if OVI_WIDTH >= 4
    ovi_i2 two =
        __builtin_shufflevector(four, four, 0, 1) | __builtin_shufflevector(four, four, 2, 3);
#else
    ovi_i2 two = mask;
#endif
    return (two[0] | two[1]) != 0;
}

OVI_INLINE OVI_NAME(ovi_stage) iterate(flight *f, bool ellipsoids) {
    OVI_MASK active = f->good, steps = active & 0;
#if OVI_WIDTH == 2
    steps = f->steps; // the first ones, of single precision
#endif
    triple place[2] = {f->place[0], f->place[1]};
    OVI_NAME(ovi_stage) s;
    for (int i = 0; i < STEPS; i++) {
        s = OVI_NAME(ovi_stage_faced)(&f->bodies, place, ellipsoids);
        steps -= active;
        // the measure has roots and divisions in it, which the first steps can do without
        OVI_MASK may_end = OVI_NAME(ovi_may_end)(&f->bodies.goals, &s.facing);
        if (any(active & may_end) || !any(active) || i + 1 == STEPS) {
            OVI_NAME(ovi_stage_measure)(&f->bodies, &s);
        } else {
            s.progress.converged = s.progress.deep = active & 0;
        }
        active &= ~(s.progress.converged | s.progress.deep);
        if (!any(active)) {
            break;
        }
        OVI_NAME(ovi_step) k = OVI_NAME(ovi_step_of)(&f->bodies, &s);
        active &= OVI_LANES(abs)(k.determinant) > 0.0;
        triple next[2] = {place[0], place[1]};
        OVI_NAME(ovi_make_step)(&s, &k, next);
        place[0] = choose(active, next[0], place[0]);
        place[1] = choose(active, next[1], place[1]);
    }
    f->place[0] = place[0];
    f->place[1] = place[1];
    f->steps = steps;
    f->converged = s.progress.converged;
    OVI_MASK over = s.progress.converged | s.progress.deep;
    f->late = f->good & ~over & OVI_NAME(ovi_are_directions)(place[0]) &
              OVI_NAME(ovi_are_directions)(place[1]);
    f->good &= over;
    return s;
}

/* ---- the proof, and out */

/** Are the points of a body maxima of its hull? In its frame, the covector of any length. */
OVI_INLINE OVI_MASK are_maxima(flight *f, int body, triple p, triple m) {
    const ov_shape *const *s = f->shape[body];
    const OVI_NAME(ovi_form) *form = &f->bodies.form[body];
    OVI_NAME(ovi_dented) d;
    OVI_NUM dent = EACH(s, dent), kind = EACH(s, derived.reserved[OVI_DERIVED_DENT_KIND]);
    d.none = (dent == 0.0) | (kind == (double)OVI_DENT_KIND_NONE);
    d.equator = kind == (double)OVI_DENT_KIND_EQUATOR;
    triple n = OVI_NAME(ovi_times)(m, 1.0 / OVI_SQRT(OVI_NAME(ovi_dot)(m, m)));
    OVI_MASK good = OVI_NAME(ovi_leans_well)(form, &d, p, n);
    if (any(f->good & ~good)) {
        OVI_NUM h = EACH(s, derived.reserved[OVI_DERIVED_DENT_HEIGHT]);
        d.height = OVI_WHERE(d.equator, h, OVI_OF(0.5));
        d.width = (OVI_NUM)EACH(s, derived.reserved[OVI_DERIVED_DENT_WIDTH]);
        d.slope = (OVI_NUM)EACH(s, derived.reserved[OVI_DERIVED_DENT_SLOPE]);
        d.tie = OVI_HULL_TIE * f->radius[body];
        OVI_NUM behind = OVI_WHERE(p.z < 0.0, OVI_OF(1.0), OVI_OF(-1.0));
        OVI_NUM u = form->a1 * OVI_LANES(abs)(n.x), v = form->a2 * OVI_LANES(abs)(n.y), at[3];
        const OVI_NUM heights[3] = {OVI_OF(0.0), behind * d.height, behind};
        for (int i = 0; i < 3; i++) {
            at[i] = OVI_NAME(ovi_norms)(u * (1.0 + form->tx * heights[i]),
                                        v * (1.0 + form->ty * heights[i]), f->q1_minus_1[body],
                                        1.0 - 0.5 * f->e1[body]);
        }
        good |= OVI_NAME(ovi_chords_fall)(form, &d, at[0], at[1], at[2], p, n);
    }
    return good;
}

/** Bounds and contact of the lanes that converged, and which of them are complete. */
OVI_INLINE void conclude(flight *f, const OVI_NAME(ovi_stage) * e, OVI_MASK proven) {
    f->phi = e->progress.phi;
    f->distance = e->residual.distance;
    f->tangent_lower = e->progress.lower;
    f->point_a = e->a.p;
    f->along = e->facing.p;
    f->normal_a = e->residual.na;
    f->normal_b = e->residual.nb;
    f->lower = e->progress.lower - f->rounding;
    f->upper = e->residual.distance + f->rounding;
    OVI_NUM gap = OVI_WHERE(e->progress.phi < 0.0, e->progress.phi, e->residual.distance);
    OVI_MASK enough = (f->upper - f->lower <= f->goal) & (gap <= f->upper);
    f->done = f->good & f->converged & proven & enough;
    f->gap = OVI_WHERE(gap >= f->lower, gap, f->lower);
    triple nb = e->residual.nb, back = {-nb.x, -nb.y, -nb.z};
    f->own_normal = choose(f->bodies.goals.over_a, e->residual.na, back);
    f->normal = OVI_NAME(ovi_turn)(f->world, f->own_normal);
    // B's point from its own origin: of far bodies the way to A's frame and back would cost digits
    triple a = OVI_NAME(ovi_turn)(f->world, e->a.p);
    triple b = OVI_NAME(ovi_turn)(f->world, OVI_NAME(ovi_turn)(f->bodies.turn, e->b.p));
    const triple *o = f->position;
    f->point[0] = (triple){a.x + o[0].x, a.y + o[0].y, a.z + o[0].z};
    f->point[1] = (triple){b.x + o[1].x, b.y + o[1].y, b.z + o[1].z};
}

OVI_INLINE void place_pairs(const ovi_group *in, flight *f, bool ellipsoids) {
    place_poses(in->pairs, f);
    OVI_NUM errors = place_body(f, 0, ellipsoids);
    errors += place_body(f, 1, ellipsoids);
    place_lengths(f, in->options->tolerance, errors);
}

OVI_INLINE void set_out(const ovi_group *in, flight *f, bool ellipsoids) {
    start(f, ellipsoids);
    if (in->warm[0] != NULL) {
        start_warm(f, in->warm);
    }
}

/** From the first places to the contact. */
OVI_INLINE void arrive(flight *f, bool ellipsoids) {
    OVI_NAME(ovi_stage) end = iterate(f, ellipsoids);
    OVI_MASK proven = f->good;
    if (!ellipsoids) {
        proven &= are_maxima(f, 0, end.a.p, end.a.m);
        proven &= are_maxima(f, 1, end.b.p, end.b.m);
    }
    conclude(f, &end, proven);
}

#if OVI_WIDTH != 2

OVI_INLINE void fly_as(const ovi_group *in, flight *f, bool ellipsoids) {
    place_pairs(in, f, ellipsoids);
    set_out(in, f, ellipsoids);
    arrive(f, ellipsoids);
}

/** 1, so that OVI_DISPATCH has something to return. */
OVI_INLINE int fly_any(const ovi_group *in, flight *f) {
    if (in->ellipsoids) {
        fly_as(in, f, true);
    } else {
        fly_as(in, f, false);
    }
    return 1;
}

#if OVI_WIDTH == 8
static int fly(const ovi_group *in, flight *f) { return fly_any(in, f); } // of an AVX-512 file
#else
OVI_DISPATCH(static, int, fly, fly_any, (const ovi_group *in, flight *f), (in, f))
#endif

#endif

/* ---- lane by lane */

static ov_vec3 lane_of(const triple *t, int lane) {
    return ov_vec3_make(t->x[lane], t->y[lane], t->z[lane]);
}

/** A matrix from its rows. */
static ov_mat3 matrix_in(const triple rows[3], int lane) {
    return (ov_mat3){{rows[0].x[lane], rows[1].x[lane], rows[2].x[lane]},
                     {rows[0].y[lane], rows[1].y[lane], rows[2].y[lane]},
                     {rows[0].z[lane], rows[1].z[lane], rows[2].z[lane]}};
}

static ovi_triple_2 place_in(const flight *f, int lane) {
    return (ovi_triple_2){{f->place[0].x[lane], f->place[1].x[lane]},
                          {f->place[0].y[lane], f->place[1].y[lane]},
                          {f->place[0].z[lane], f->place[1].z[lane]}};
}

static void write_contact(const flight *f, int lane, ov_warm_start *warm, ov_contact *c) {
    double lower = f->lower[lane];
    *c = (ov_contact){.gap = f->gap[lane],
                      .gap_lower = lower,
                      .gap_upper = f->upper[lane],
                      .point_a = lane_of(&f->point[0], lane),
                      .point_b = lane_of(&f->point[1], lane),
                      .normal = lane_of(&f->normal, lane),
                      .relation = lower > 0.0 ? OV_RELATION_SEPARATED : OV_RELATION_TOUCHING,
                      .status = OV_OK,
                      .iterations = (int)f->steps[lane]};
    if (warm != NULL) {
        warm->a = lane_of(&f->place[0], lane);
        warm->b = lane_of(&f->place[1], lane);
        warm->normal = lane_of(&f->own_normal, lane);
    }
}

static ovi_newton_end end_in(const flight *f, int lane) {
    ovi_newton_end e = {.verdict = f->converged[lane] ? OVI_NEWTON_CONVERGED : OVI_NEWTON_DEEP,
                        .iterations = (int)f->steps[lane],
                        .lower = f->tangent_lower[lane],
                        .upper = f->distance[lane],
                        .phi = f->phi[lane],
                        .least = true,
                        .point_a = lane_of(&f->point_a, lane),
                        .normal_a = lane_of(&f->normal_a, lane),
                        .normal_b = lane_of(&f->normal_b, lane),
                        .place = place_in(f, lane)};
    e.point_b = ov_vec3_add(e.point_a, lane_of(&f->along, lane));
    return e;
}

/** What a single query makes of the end of its iteration. */
static void finish(const ovi_group *in, const flight *f, int lane) {
    ovi_pair pair = {.a = f->shape[0][lane],
                     .b = f->shape[1][lane],
                     .turn = matrix_in(f->bodies.turn, lane),
                     .offset = lane_of(&f->bodies.offset, lane),
                     .size = f->size[lane],
                     .goal = f->goal[lane],
                     .rounding = f->rounding[lane],
                     .limit = NAN,
                     .depth = in->options->depth};
    ovi_frame frame = {matrix_in(f->world, lane), lane_of(&f->position[0], lane),
                       lane_of(&f->position[1], lane)};
    ovi_newton newton = ovi_newton_make(&pair);
    ovi_newton_end end = end_in(f, lane);
    bool again = end.verdict == OVI_NEWTON_DEEP && pair.depth == OV_DEPTH_LOCAL;
    if (f->late[lane] || again) {
        // from there on, or once more for what only local depths need to know
        ovi_triple_2 place = end.place;
        int steps = f->late[lane] ? end.iterations : end.iterations - 1;
        end = ovi_newton_run(&newton, &place);
        end.iterations += steps;
    }
    ovi_result result = ovi_result_unknown();
    ov_status status = ovi_superquadric_finish(&newton, &end, in->warm[lane], &result);
    *in->contacts[lane] =
        status == OV_OK ? ovi_contact_of(&pair, &frame, &result) : ovi_contact_none(status);
}

static void take_shapes(const ovi_group *in, flight *f) {
    for (int lane = 0; lane < OVI_WIDTH; lane++) {
        f->shape[0][lane] = in->pairs[lane]->a;
        f->shape[1][lane] = in->pairs[lane]->b;
    }
}

/** Writes contacts, and returns those lanes as bits that are left to the single query. */
static unsigned write_contacts(const ovi_group *in, const flight *f) {
    unsigned left = 0;
    for (int lane = 0; lane < in->count; lane++) {
        if (f->done[lane]) {
            write_contact(f, lane, in->warm[lane], in->contacts[lane]);
        } else if (f->good[lane] || f->late[lane]) {
            finish(in, f, lane);
        } else {
            left |= 1u << lane;
        }
    }
    return left;
}

#if OVI_WIDTH != 2

static unsigned answer_group(const ovi_group *in) {
    flight f;
    take_shapes(in, &f);
    (void)fly(in, &f);
    return write_contacts(in, &f);
}

#else

/* ---- vectors of two doubles: four pairs are two flights, which share the first steps

   A single query fills two lanes too, with its two bodies, so that as many pairs gain little. But
   four floats fit in such a vector. The first steps need no more digits than these, as each step
   begins with what the last one has left; so they are made for four pairs at once, and the places
   where they end are only where the iteration starts. */

/** A step of this length, on the sphere of places, leaves an error of its square for the next one
 *  to begin with: one of doubles is then enough for the usual tolerances. */
#define SHORT_STEP 4e-3f
enum { SINGLE_STEPS = 5 };

typedef ovi_triple_f4 triple_f4;

OVI_INLINE triple_f4 rounded(const triple *low, const triple *high) {
    return (triple_f4){ovi_vf4_round(low->x, high->x), ovi_vf4_round(low->y, high->y),
                       ovi_vf4_round(low->z, high->z)};
}

OVI_INLINE triple widened(const triple_f4 *t, bool upper) {
    return (triple){ovi_vf4_widen(t->x, upper), ovi_vf4_widen(t->y, upper),
                    ovi_vf4_widen(t->z, upper)};
}

OVI_INLINE ovi_parametrisation_f4 rounded_curve(const ovi_parametrisation_2 *low,
                                                const ovi_parametrisation_2 *high) {
    return (ovi_parametrisation_f4){ovi_vf4_round(low->minus_1, high->minus_1),
                                    ovi_vf4_round(low->inverse_minus_1, high->inverse_minus_1),
                                    ovi_vf4_mask(low->by_position, high->by_position)};
}

/** The bodies of both flights; lengths are in units of a pair's size. */
OVI_INLINE ovi_bodies_f4 rounded_bodies(const flight f[2]) {
    const ovi_bodies_2 *low = &f[0].bodies, *high = &f[1].bodies;
    ovi_vf4 unit = ovi_vf4_round(low->inverse_size, high->inverse_size);
    ovi_bodies_f4 l = {.inverse_size = ovi_vf4_of(1.0f)};
    for (int body = 0; body < 2; body++) {
        const ovi_form_2 *a = &low->form[body], *b = &high->form[body];
        l.form[body] =
            (ovi_form_f4){unit * ovi_vf4_round(a->a1, b->a1), unit * ovi_vf4_round(a->a2, b->a2),
                          unit * ovi_vf4_round(a->a3, b->a3), ovi_vf4_round(a->tx, b->tx),
                          ovi_vf4_round(a->ty, b->ty),        ovi_vf4_round(a->r1, b->r1),
                          ovi_vf4_round(a->r2, b->r2),        ovi_vf4_round(a->r3, b->r3)};
        l.section[body] = rounded_curve(&low->section[body], &high->section[body]);
        l.profile[body] = rounded_curve(&low->profile[body], &high->profile[body]);
    }
    for (int row = 0; row < 3; row++) {
        l.turn[row] = rounded(&low->turn[row], &high->turn[row]);
    }
    l.offset = ovi_times_f4(rounded(&low->offset, &high->offset), unit);
    return l;
}

OVI_INLINE bool any_f4(ovi_if4 mask) {
    ovi_i2 two = (ovi_i2)mask;
    return (two[0] | two[1]) != 0;
}

OVI_INLINE triple_f4 choose_f4(ovi_if4 mask, triple_f4 a, triple_f4 b) {
    return (triple_f4){ovi_vf4_select(mask, a.x, b.x), ovi_vf4_select(mask, a.y, b.y),
                       ovi_vf4_select(mask, a.z, b.z)};
}

/** Steps of four pairs, each until one is short. Returns where they end, and how many they were. */
OVI_INLINE ovi_if4 step_singly(const ovi_bodies_f4 *l, triple_f4 place[2]) {
    ovi_if4 active = {-1, -1, -1, -1}, steps = {0, 0, 0, 0};
    for (int i = 0; i < SINGLE_STEPS && any_f4(active); i++) {
        ovi_stage_f4 s = ovi_stage_faced_f4(l, place, false);
        ovi_step_f4 k = ovi_step_of_f4(l, &s);
        triple_f4 next[2] = {place[0], place[1]};
        ovi_make_step_f4(&s, &k, next);
        place[0] = choose_f4(active, next[0], place[0]);
        place[1] = choose_f4(active, next[1], place[1]);
        steps -= active;
        ovi_vf4 square = k.x1 * k.x1 + k.x2 * k.x2 + k.y1 * k.y1 + k.y2 * k.y2;
        active &= square > SHORT_STEP * SHORT_STEP; // no step at all ends them too
    }
    return steps;
}

/** Where two ellipsoids would touch. */
OVI_INLINE void start_singly(const flight f[2], const ovi_bodies_f4 *l, triple_f4 place[2]) {
    triple_f4 sa = {l->form[0].a1, l->form[0].a2, l->form[0].a3};
    triple_f4 sb = {l->form[1].a1, l->form[1].a2, l->form[1].a3};
    triple_f4 n = ovi_first_normal_f4(sa, sb, l->turn, l->offset, l->inverse_size);
    n = ovi_times_f4(n, 1.0 / ovi_vf4_sqrt(ovi_dot_f4(n, n)));
    triple_f4 back = ovi_turn_back_f4(l->turn, n), of[2] = {n, {-back.x, -back.y, -back.z}};
    for (int body = 0; body < 2; body++) {
        ovi_vf4 e1 = ovi_vf4_round(f[0].e1[body], f[1].e1[body]);
        ovi_heading_f4 h = ovi_heading_of_f4(&l->form[body], e1, of[body]);
        place[body] = ovi_place_along_f4(&h, &l->section[body], &l->profile[body]);
    }
}

/** The places of warm starts that are some. */
OVI_INLINE void start_singly_warm(const ovi_group part[2], triple_f4 place[2]) {
    ov_warm_start *const *w = part[0].warm, *const *v = part[1].warm;
    triple a[2] = {{EACH(w, a.x), EACH(w, a.y), EACH(w, a.z)},
                   {EACH(v, a.x), EACH(v, a.y), EACH(v, a.z)}};
    triple b[2] = {{EACH(w, b.x), EACH(w, b.y), EACH(w, b.z)},
                   {EACH(v, b.x), EACH(v, b.y), EACH(v, b.z)}};
    triple_f4 warm_a = rounded(&a[0], &a[1]), warm_b = rounded(&b[0], &b[1]);
    ovi_if4 known = ovi_are_directions_f4(warm_a) & ovi_are_directions_f4(warm_b);
    place[0] = choose_f4(known, warm_a, place[0]);
    place[1] = choose_f4(known, warm_b, place[1]);
}

/** Takes the steps where they end at places. Where they do not, having left the range of floats,
 *  the iteration starts as for wider vectors. */
OVI_INLINE void take_steps(const ovi_group *in, flight *f, const triple_f4 place[2], ovi_if4 steps,
                           bool upper) {
    triple a = widened(&place[0], upper), b = widened(&place[1], upper);
    ovi_i2 known = ovi_are_directions_2(a) & ovi_are_directions_2(b);
    if (any(~known)) {
        ovi_i2 good = f->good;
        set_out(in, f, false);
        f->good |= good & known; // whatever the other lane needs
        a = choose(known, a, f->place[0]);
        b = choose(known, b, f->place[1]);
    }
    f->place[0] = a;
    f->place[1] = b;
    f->steps = known & (upper ? (ovi_i2){steps[2], steps[3]} : (ovi_i2){steps[0], steps[1]});
}

static __attribute__((noinline)) void make_first_steps(const ovi_group part[2], flight f[2]) {
    ovi_bodies_f4 l = rounded_bodies(f);
    triple_f4 place[2];
    start_singly(f, &l, place);
    if (part[0].warm[0] != NULL) {
        start_singly_warm(part, place);
    }
    ovi_if4 steps = step_singly(&l, place);
    take_steps(&part[0], &f[0], place, steps, false);
    take_steps(&part[1], &f[1], place, steps, true);
}

static __attribute__((noinline)) void set_out_any(const ovi_group *in, flight *f) {
    take_shapes(in, f);
    f->steps = (ovi_i2){0, 0};
    if (in->ellipsoids) {
        place_pairs(in, f, true);
        set_out(in, f, true);
    } else {
        place_pairs(in, f, false);
    }
}

static __attribute__((noinline)) void arrive_any(const ovi_group *in, flight *f) {
    if (in->ellipsoids) {
        arrive(f, true);
    } else {
        arrive(f, false);
    }
}

static unsigned answer_group(const ovi_group *in) {
    ovi_group part[2] = {*in, *in};
    part[0].count = in->count < 2 ? in->count : 2;
    part[1].count = in->count - part[0].count;
    for (int lane = 0; lane < 2; lane++) {
        part[1].pairs[lane] = in->pairs[2 + lane];
        part[1].warm[lane] = in->warm[2 + lane];
        part[1].contacts[lane] = in->contacts[2 + lane];
    }
    flight f[2];
    set_out_any(&part[0], &f[0]);
    set_out_any(&part[1], &f[1]);
    if (!in->ellipsoids) {
        make_first_steps(part, f);
    }
    unsigned left = 0;
    for (int i = 0; i < 2; i++) {
        arrive_any(&part[i], &f[i]);
        left |= write_contacts(&part[i], &f[i]) << 2 * i;
    }
    return left;
}

#endif
