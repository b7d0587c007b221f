/**
 * @file pair_cases.h
 * @brief Random pairs of smooth bodies whose gap is known by the way they are placed, and the
 * checks of one contact that the suites of the pair queries share.
 *
 * A direction n is chosen first, with A's farthest point along n and B's along -n; B is then moved
 * so that the two points lie `gap` apart along n. Its support planes along n bound the gap of the
 * bodies from below, and the distance of the two points bounds it from above: for gap >= 0 the
 * answer is known to the rounding of B's position, and for gap < 0 the depth is at most -gap. Both
 * bounds are formed in long double after that rounding.
 *
 * Directions that are random in space meet corners of square bodies only. So a third of the pairs
 * has n normal to A at an even surface point, and a third turns B so that an even surface point of
 * its own meets it: flat against flat, edge against flat, pole against pole.
 */
#ifndef OVOID_TESTS_PAIR_CASES_H
#define OVOID_TESTS_PAIR_CASES_H

#include "pair_normal.h"
#include "pair_oracle.h"

typedef enum pc_gap_class { PC_DEEP, PC_CLOSE, PC_NEAR, PC_FAR, PC_GAP_CLASSES } pc_gap_class;
static const char *const pc_gap_names[PC_GAP_CLASSES] = {"overlap", "1e-6 close", "to 1 size",
                                                         "to 100 sizes"};

typedef struct pc_pair {
    ov_shape a, b;
    ov_pose pose_a, pose_b;
    so_real lower,
        upper;          // known of the gap; upper is infinite where the bodies were pushed together
    double size, reach; // the larger radius; largest coordinate at hand
    pc_gap_class gap_class;
} pc_pair;

/* ---- shapes */

static inline double pc_exponent(check_random *r) {
    uint64_t draw = check_random_bits(r) % 16;
    if (draw < 3) {
        const double ends[] = {0.05, 1.0, 2.0};
        return ends[draw];
    }
    return draw < 5 ? check_log_uniform(r, 0.05, 1.0) : check_uniform(r, 0.05, 2.0);
}

/** Largest semi-axis `size`, the others down to a hundredth, in any order. */
static inline ov_vec3 pc_axes(check_random *r, double size) {
    double a[3] = {size, size * check_log_uniform(r, 0.01, 1.0),
                   size * check_log_uniform(r, 0.01, 1.0)};
    unsigned turn = (unsigned)(check_random_bits(r) % 3);
    return ov_vec3_make(a[turn], a[(turn + 1) % 3], a[(turn + 2) % 3]);
}

/**
 * Over the whole domain. Two of five have no taper, two are tapered as far as they stay convex, and
 * one may be dented as the default options allow.
 */
static inline ov_shape pc_shape(check_random *r) {
    ov_shape s = {.kind = OV_SHAPE_KIND_NONE};
    double e1 = pc_exponent(r), e2 = pc_exponent(r);
    ov_vec3 a = pc_axes(r, check_log_uniform(r, 1e-3, 1e3));
    uint64_t draw = check_random_bits(r) % 5, kind = check_random_bits(r) % 3;
    double tx = check_uniform(r, -0.9, 0.9), ty = check_uniform(r, -0.9, 0.9);
    ty = kind == 0 ? tx : kind == 1 ? 0.0 : ty;
    ov_shape_options options = ov_default_shape_options();
    for (int i = 0; i < 40 && draw < 3; i++, tx *= 0.7, ty *= 0.7) {
        if (ov_shape_make_superovoid(a, e1, e2, tx, ty, &options, &s) == OV_OK &&
            (draw == 0 || s.dent == 0.0)) {
            return s;
        }
        ty = i == 3 && draw > 0 ? tx : ty; // unequal tapers with e2 < 1 always have a dent
    }
    CHECK_OK(ov_shape_make_superellipsoid(a, e1, e2, &s));
    return s;
}

/* ---- poses */

/** A surface point's outward normal, in the body's frame: even on the surface, or a special one. */
static inline so_vec pc_surface_normal(check_random *r, const ov_shape *s) {
    uint64_t draw = check_random_bits(r);
    if (draw % 8 == 0) { // pole, axis end, or a diagonal of the box
        int axis = (int)(draw / 8 % 4);
        so_real sign = draw / 64 % 2 == 0 ? 1.0L : -1.0L;
        return axis == 0   ? (so_vec){sign, 0.0L, 0.0L}
               : axis == 1 ? (so_vec){0.0L, sign, 0.0L}
               : axis == 2 ? (so_vec){0.0L, 0.0L, sign}
                           : po_unit((so_vec){sign / s->a.x, 1.0L / s->a.y, -1.0L / s->a.z});
    }
    so_real around = check_uniform(r, -2.0, 2.0), up = check_uniform(r, -1.0, 1.0);
    so_vec c = so_covector(s, so_surface(s, around, up));
    so_vec n = {c.x / s->a.x, c.y / s->a.y, c.z / s->a.z};
    return so_length(n) > 0.0L ? po_unit(n) : (so_vec){0.0L, 0.0L, 1.0L};
}

/** Some rotation that takes the unit vector u to v. */
static inline ov_quat pc_turn_to(check_random *r, so_vec u, so_vec v) {
    so_vec axis = po_cross(u, v);
    so_real c = so_dot(u, v), s = so_length(axis);
    if (s < 1e-9L) {
        axis = po_cross(u, fabsl(u.x) < 0.6L ? (so_vec){1.0L, 0.0L, 0.0L}
                                             : (so_vec){0.0L, 1.0L, 0.0L});
    }
    ov_quat turn = ov_quat_from_axis_angle(po_round(po_unit(axis)), (double)atan2l(s, c));
    ov_quat spin = ov_quat_from_axis_angle(po_round(v), check_uniform(r, -M_PI, M_PI));
    return ov_quat_mul(spin, turn);
}

static inline double pc_gap(check_random *r, pc_gap_class class) {
    switch (class) {
    case PC_DEEP:
        return check_random_bits(r) % 2 == 0 ? -check_uniform(r, 0.0, 1.0)
                                             : -check_log_uniform(r, 1e-6, 1.0);
    case PC_CLOSE: {
        uint64_t draw = check_random_bits(r) % 8;
        double gap = check_log_uniform(r, 1e-14, 1e-6);
        return draw == 0 ? 0.0 : draw < 4 ? -gap : gap;
    }
    case PC_NEAR:
        return check_random_bits(r) % 2 == 0 ? check_uniform(r, 0.0, 1.0)
                                             : check_log_uniform(r, 1e-6, 1.0);
    default:
        return check_log_uniform(r, 1.0, 100.0);
    }
}

/** What the placement tells, for the doubles that were stored. */
static inline void pc_know(pc_pair *p, const po_body *a, const po_body *b, so_vec n, bool apart) {
    po_separation along = po_separation_along(a, b, n);
    p->lower = along.gap;
    p->upper = apart ? so_length(po_sub(along.pb, along.pa)) : (so_real)INFINITY;
    p->size = fmax(p->a.ball.radius, p->b.ball.radius);
    p->reach = ov_vec3_length(p->pose_a.position) + ov_vec3_length(p->pose_b.position) + p->size;
}

/** Places two bodies that po_make has made; they are left as placed. */
static inline void pc_place(check_random *r, pc_pair *p, double gap, po_body *a, po_body *b) {
    p->pose_a.rotation = check_rotation(r);
    p->pose_a.position =
        ov_vec3_scale(check_unit_vector(r), p->a.ball.radius * check_uniform(r, 0.0, 3.0));
    p->pose_b = (ov_pose){ov_vec3_make(0.0, 0.0, 0.0), check_rotation(r)};
    po_move(a, p->pose_a);
    uint64_t way = check_random_bits(r) % 3;
    so_vec n = way == 0 ? po_unit(so_from(check_unit_vector(r)))
                        : po_unit(po_turn(a, pc_surface_normal(r, &p->a)));
    if (way == 2) {
        p->pose_b.rotation = pc_turn_to(r, pc_surface_normal(r, &p->b), po_neg(n));
    }
    po_move(b, p->pose_b);
    so_vec pa = po_world_support(a, n).point, pb = po_world_support(b, po_neg(n)).point;
    p->pose_b.position = po_round(po_add(po_sub(pa, pb), po_scale(n, gap)));
    b->centre = so_from(p->pose_b.position);
    pc_know(p, a, b, n, gap >= 0.0);
}

/**
 * Shapes to draw pairs from: a tapered one takes a millisecond to make, so each serves in several
 * pairs before it is drawn anew.
 */
enum { PC_POOL = 128, PC_POOL_USES = 8 };
typedef struct pc_pool {
    int count;
    ov_shape shapes[PC_POOL];
    po_body bodies[PC_POOL];
} pc_pool;

static inline void pc_pool_renew(pc_pool *pool, check_random *r, int i) {
    pool->shapes[i] = pc_shape(r);
    po_make(&pool->shapes[i], &pool->bodies[i]);
}

static inline void pc_pool_take(pc_pool *pool, check_random *r, ov_shape *shape, po_body *body) {
    for (; pool->count < PC_POOL; pool->count++) {
        pc_pool_renew(pool, r, pool->count);
    }
    int i = (int)(check_random_bits(r) % PC_POOL);
    if (check_random_bits(r) % PC_POOL_USES == 0) {
        pc_pool_renew(pool, r, i);
    }
    *shape = pool->shapes[i];
    *body = pool->bodies[i];
    body->s = shape;
}

/** The full domain: gaps from -1 to 100 sizes (of either body), a tenth within 1e-6 of touching. */
static inline void pc_domain(check_random *r, pc_pool *pool, pc_pair *p, po_body *a, po_body *b) {
    pc_pool_take(pool, r, &p->a, a);
    pc_pool_take(pool, r, &p->b, b);
    uint64_t draw = check_random_bits(r) % 10;
    p->gap_class = draw == 0 ? PC_CLOSE : draw < 4 ? PC_DEEP : draw < 7 ? PC_NEAR : PC_FAR;
    double ra = p->a.ball.radius, rb = p->b.ball.radius;
    double unit = check_random_bits(r) % 2 == 0 ? fmin(ra, rb) : fmax(ra, rb);
    pc_place(r, p, unit * pc_gap(r, p->gap_class), a, b);
}

/** [Benchmark, 5.1]: a = 1, e in [0.3, 1.1], T in [-0.4, 0.4], centres 2.21 apart along y. */
static inline void pc_battery(check_random *r, pc_pair *p, po_body *a, po_body *b) {
    const ov_shape_options any = {1.0};
    ov_shape *both[2] = {&p->a, &p->b};
    for (int i = 0; i < 2; i++) {
        double e1 = check_uniform(r, 0.3, 1.1), e2 = check_uniform(r, 0.3, 1.1);
        double tx = check_uniform(r, -0.4, 0.4), ty = check_uniform(r, -0.4, 0.4);
        CHECK_OK(
            ov_shape_make_superovoid(ov_vec3_make(1.0, 1.0, 1.0), e1, e2, tx, ty, &any, both[i]));
    }
    p->pose_a = (ov_pose){ov_vec3_make(0.0, 0.0, 0.0), check_rotation(r)};
    p->pose_b = (ov_pose){ov_vec3_make(0.0, 2.21, 0.0), check_rotation(r)};
    p->gap_class = PC_NEAR;
    po_place(&p->a, p->pose_a, a);
    po_place(&p->b, p->pose_b, b);
    pc_know(p, a, b, (so_vec){0.0L, 1.0L, 0.0L}, false);
}

/* ---- printing a pair that failed: a CSV row of the command, and as hex floats */

static inline void pc_print_body(const ov_shape *s, ov_pose p) {
    fprintf(stderr, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,", s->a.x, s->a.y, s->a.z, s->e1,
            s->e2, s->tx, s->ty);
    fprintf(stderr, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g", p.position.x, p.position.y,
            p.position.z, p.rotation.w, p.rotation.x, p.rotation.y, p.rotation.z);
}

static inline void pc_print(const pc_pair *p, const ov_contact *c) {
    fprintf(stderr, "  kinds %s, %s: ", ov_shape_kind_name(p->a.kind),
            ov_shape_kind_name(p->b.kind));
    pc_print_body(&p->a, p->pose_a);
    fprintf(stderr, ",");
    pc_print_body(&p->b, p->pose_b);
    fprintf(stderr,
            "\n  %s, %s, gap %.17g in [%.17g, %.17g], n %.17g %.17g %.17g, %d iterations; known "
            "[%.20Lg, %.20Lg], size %.3g\n",
            ov_relation_name(c->relation), ov_status_name(c->status), c->gap, c->gap_lower,
            c->gap_upper, c->normal.x, c->normal.y, c->normal.z, c->iterations, p->lower, p->upper,
            p->size);
}

/* ---- checks of one contact */

static inline bool pc_is_finite(const ov_contact *c) {
    return isfinite(c->gap) && isfinite(c->gap_lower) && isfinite(c->gap_upper) &&
           ov_vec3_is_finite(c->point_a) && ov_vec3_is_finite(c->point_b) &&
           ov_vec3_is_finite(c->normal);
}

/** The query with default options. */
static inline ov_contact pc_query(const pc_pair *p) {
    ov_contact c = {.status = OV_ERROR_NULL};
    ov_status status = ov_pair_contact(&p->a, p->pose_a, &p->b, p->pose_b, NULL, NULL, &c);
    CHECK(status == c.status);
    return c;
}

/** Sizes of a pair of which nothing is known. */
static inline void pc_finish(pc_pair *p) {
    double ra = p->a.ball.radius, rb = p->b.ball.radius;
    p->size = isinf(ra) ? rb : isinf(rb) ? ra : fmax(ra, rb);
    p->reach = ov_vec3_length(p->pose_a.position) + ov_vec3_length(p->pose_b.position) +
               ov_vec3_length(p->a.ball.centre) + ov_vec3_length(p->b.ball.centre) + p->size;
    p->size = p->size > 0.0 ? p->size : p->reach; // points
    p->lower = -(so_real)INFINITY;
    p->upper = (so_real)INFINITY;
}

/** Have the bounds a value in common, the first ones times a factor? */
static inline bool pc_meet(const ov_contact *c, const ov_contact *d, double factor, double slack) {
    return c->gap_lower * factor <= d->gap_upper + slack &&
           d->gap_lower <= c->gap_upper * factor + slack;
}

/** What must hold of every contact with a status that is not negative, by the header alone. */
static inline bool pc_check_sense(const ov_contact *c, double goal) {
    bool good = CHECK(pc_is_finite(c)) && CHECK(c->gap_lower <= c->gap) &&
                CHECK(c->gap <= c->gap_upper) && CHECK(c->iterations >= 0) &&
                CHECK_NEAR(ov_vec3_length(c->normal), 1.0, 1e-14);
    switch (c->relation) {
    case OV_RELATION_SEPARATED:
        return CHECK(c->gap_lower > 0.0) &&
               CHECK(c->status != OV_OK || c->gap_upper - c->gap_lower <= goal) && good;
    case OV_RELATION_TOUCHING:
        return CHECK(c->gap_lower <= 0.0 && c->gap_upper >= 0.0) &&
               CHECK(c->gap_upper - c->gap_lower <= goal) && good;
    case OV_RELATION_OVERLAPPING:
        return CHECK(c->gap_upper <= 0.0) && good;
    default:
        return CHECK(c->status == OV_NOT_CONVERGED) && good;
    }
}

/** Goal of the bounds as a length: the tolerance, and what rounding adds to either bound. */
static inline double pc_goal(double tolerance, double size, double reach) {
    return (tolerance + 1.6e-12) * size + 512.0 * 0x1p-53 * reach;
}

/** Do the bounds hold against what is known? The known bounds are exact to about 1e-18. */
static inline bool pc_check_known(const pc_pair *p, const ov_contact *c) {
    so_real slack = 1e-18L * p->reach;
    return CHECK(c->gap_lower <= p->upper + slack) && CHECK(c->gap_upper >= p->lower - slack);
}

/** The gap along the contact's own normal, in long double: a proof of what it claims. */
static inline so_real pc_gap_along(const po_body *a, const po_body *b, const ov_contact *c) {
    return po_separation_along(a, b, po_unit(so_from(c->normal))).gap;
}

/**
 * Errors of one witness point. Over a dent the hull is not the surface but a bridge of straight
 * lines outside of it, at most the dent away.
 */
typedef struct pc_witness {
    so_real gauge;  // |G - 1|, less what the rounding of world coordinates does to it
    so_real sine;   // between the contact's normal and those of the surface there
    so_real reach;  // |h(n) - n . p| over the body's radius, less that rounding
    bool on_bridge; // outside of a dented surface by no more than the dent
    bool on_plane;  // and a plane that touches the hull there has the normal, to 1e-7
} pc_witness;

static inline pc_witness pc_witness_of(const po_body *body, ov_vec3 point, so_vec n,
                                       double coordinates) {
    const ov_shape *s = body->s;
    so_vec p = po_to_body(body, point), m = po_turn_back(body, n);
    so_real rounding = 16.0L * 0x1p-53L * coordinates; // to A's frame and back
    so_real thin = fminl(s->a.x * (1.0L - fabsl((so_real)s->tx)),
                         fminl(s->a.y * (1.0L - fabsl((so_real)s->ty)), s->a.z));
    pc_witness out = {0};
    so_vec held = p;
    held.z = fmaxl(-s->a.z, fminl(s->a.z, p.z));
    so_real off = so_gauge(s, held) - 1.0L;
    out.gauge = fmaxl(0.0L, fabsl(off) - rounding / thin);
    so_vec c = so_covector(s, held);
    so_vec slope = {c.x / s->a.x, c.y / s->a.y, c.z / s->a.z};
    out.on_bridge = s->dent > 0.0 && off > -1e-13L && off <= 2.0L * s->dent * so_length(slope);
    po_support h = po_local_support(body, m);
    out.reach = fmaxl(0.0L, fabsl(h.value - so_dot(m, p)) - rounding) / s->ball.radius;
    out.sine = so_sine(slope, m);
    // how well a point of doubles is known: the library's errors of surface points (pair.c)
    so_real known = (body->tapered ? 7e-14L : 6e-15L) * s->ball.radius + rounding;
    if (out.sine > 1e-7L && out.on_bridge) {
        // 1e-11 of the radius is 1e-7 of the plane over a bridge of 1e-4; 1e-14 on a surface
        so_real near = (off > 1e-12L ? 1e-11L : 1e-14L) * s->ball.radius + rounding;
        out.on_plane = pn_touches_hull(body, p, m, 1e-7L, near);
    }
    if (out.sine > 1e-7L && !out.on_plane) {
        out.sine = fminl(out.sine, pn_angle(body, held, m, known, 1e-7L));
    }
    return out;
}

/** What is left of |G - 1|: nothing on the hull over a dent. */
static inline so_real pc_surface_error(const pc_witness *w) {
    return w->on_bridge && w->reach <= 1e-9L ? 0.0L : w->gauge;
}

/** What is left of the sine: nothing where the plane touches the hull over a dent. */
static inline so_real pc_normal_error(const pc_witness *w) { return w->on_plane ? 0.0L : w->sine; }

static inline bool pc_is_on_surface(const pc_witness *w) { return pc_surface_error(w) <= 1e-9L; }

static inline bool pc_is_on_normal(const pc_witness *w) { return pc_normal_error(w) <= 1e-7L; }

#endif
