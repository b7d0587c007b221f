/**
 * @file test_pair_closed.c
 * @brief Closed forms of the pair query against slow gaps in long double (closed_oracle.h).
 *
 * Each pair of kinds that has a closed form is drawn in six ways: at ease, sizes far apart, on a
 * small lattice (coplanar, parallel, concentric, corner on corner), almost parallel, far away, and
 * moved to where it just touches. Every answer must hold whatever the draw: the bounds hold the
 * oracle's gap, the translation by -lower along the normal separates, the witness points are on
 * their surfaces and apart by the gap along the normal; and the same with A and B swapped.
 *
 * The room for rounding given to the closed forms here is 32 ulp of the coordinates: less than what
 * pair.c gives them.
 */
#include <string.h>

#include "closed_oracle.h"

static const ov_shape_kind core_kinds[] = {OV_SHAPE_KIND_SPHERE, OV_SHAPE_KIND_CAPSULE,
                                           OV_SHAPE_KIND_TRIANGLE, OV_SHAPE_KIND_SEGMENT,
                                           OV_SHAPE_KIND_POINT};
enum { CORE_KINDS = 5 };

typedef enum draw {
    DRAW_EASY,
    DRAW_SIZES,
    DRAW_LATTICE,
    DRAW_PARALLEL,
    DRAW_FAR,
    DRAW_TOUCHING,
    DRAW_COUNT
} draw;
static const char *const draw_names[DRAW_COUNT] = {"easy",     "sizes 1e-6 to 1e6", "lattice",
                                                   "parallel", "far away",          "touching"};

/** Largest error seen, in units of the room for rounding. */
static double worst[DRAW_COUNT];
static long pierced_count, answered_count;

/* ---- drawing */

static double draw_size(check_random *r, draw how) {
    if (how == DRAW_LATTICE) {
        return 0.5 * (double)(1 + check_random_bits(r) % 4);
    }
    return how == DRAW_SIZES ? check_log_uniform(r, 1e-6, 1e6) : check_log_uniform(r, 0.2, 2.0);
}

static ov_vec3 draw_point(check_random *r, draw how, double size) {
    if (how == DRAW_LATTICE) {
        double x = (double)(check_random_bits(r) % 5), y = (double)(check_random_bits(r) % 5);
        return ov_vec3_make(0.5 * x - 1.0, 0.5 * y - 1.0,
                            0.5 * (double)(check_random_bits(r) % 5) - 1.0);
    }
    return ov_vec3_scale(check_unit_vector(r), size * check_uniform(r, 0.1, 1.0));
}

static ov_status draw_flat(check_random *r, ov_shape_kind kind, draw how, ov_shape *s) {
    double size = draw_size(r, how);
    ov_vec3 a = draw_point(r, how, size), b = draw_point(r, how, size);
    ov_vec3 c = draw_point(r, how, size);
    if (how == DRAW_SIZES && check_uniform(r, 0.0, 1.0) < 0.3) {
        // a sliver, or a short segment far from its own origin
        c = ov_vec3_add_scaled(ov_vec3_scale(ov_vec3_add(a, b), 0.5), c, 1e-9);
        b = kind == OV_SHAPE_KIND_SEGMENT ? ov_vec3_add_scaled(a, b, 1e-6) : b;
    }
    if (how == DRAW_PARALLEL && kind == OV_SHAPE_KIND_SEGMENT) {
        a = ov_vec3_make(0.0, 0.0, -size);
        b = ov_vec3_make(0.0, 0.0, size * check_uniform(r, 0.1, 1.0));
    }
    return kind == OV_SHAPE_KIND_TRIANGLE  ? ov_shape_make_triangle(a, b, c, s)
           : kind == OV_SHAPE_KIND_SEGMENT ? ov_shape_make_segment(a, b, s)
                                           : ov_shape_make_point(a, s);
}

static ov_vec3 cloud[12];

static ov_status draw_solid(check_random *r, ov_shape_kind kind, draw how, ov_shape *s) {
    double a = draw_size(r, how), b = draw_size(r, how), c = draw_size(r, how);
    double e1 = check_uniform(r, 0.1, 1.9), e2 = check_uniform(r, 0.1, 1.9);
    switch (kind) {
    case OV_SHAPE_KIND_SPHERE:
        return ov_shape_make_sphere(a, s);
    case OV_SHAPE_KIND_ELLIPSOID:
        return ov_shape_make_ellipsoid(ov_vec3_make(a, b, c), s);
    case OV_SHAPE_KIND_SUPERELLIPSOID:
        return ov_shape_make_superellipsoid(ov_vec3_make(a, b, c), e1, e2, s);
    case OV_SHAPE_KIND_SUPEROVOID:
        return ov_shape_make_superovoid(ov_vec3_make(a, b, c), e1, e2, check_uniform(r, -0.4, 0.4),
                                        check_uniform(r, -0.4, 0.4), &(ov_shape_options){1.0}, s);
    case OV_SHAPE_KIND_BOX:
        return ov_shape_make_box(ov_vec3_make(a, b, c), s);
    case OV_SHAPE_KIND_CAPSULE:
        return ov_shape_make_capsule(a, check_uniform(r, 0.0, 1.0) < 0.1 ? 0.0 : c, s);
    case OV_SHAPE_KIND_CYLINDER:
        return ov_shape_make_cylinder(a, c, s);
    case OV_SHAPE_KIND_CONE:
        return ov_shape_make_cone(a, c, s);
    case OV_SHAPE_KIND_POLYHEDRON:
        for (int i = 0; i < 12; i++) {
            cloud[i] = ov_vec3_scale(check_unit_vector(r), a);
        }
        return ov_shape_make_polyhedron(cloud, 12, NULL, 0, s);
    default: {
        ov_vec3 normal = how == DRAW_LATTICE ? ov_vec3_make(0.0, 0.0, 1.0) : check_unit_vector(r);
        return ov_shape_make_halfspace(normal, check_uniform(r, -1.0, 1.0) * b, s);
    }
    }
}

static ov_shape draw_shape(check_random *r, ov_shape_kind kind, draw how) {
    ov_shape s;
    ov_status status = OV_ERROR_DEGENERATE;
    // collinear points of the lattice are drawn again
    for (int tries = 0; status != OV_OK && tries < 1000; tries++) {
        status = kind >= OV_SHAPE_KIND_TRIANGLE && kind <= OV_SHAPE_KIND_POINT
                     ? draw_flat(r, kind, how, &s)
                     : draw_solid(r, kind, how, &s);
    }
    CHECK_OK(status);
    return s;
}

/** An even turn of the lattice: by quarters about the axes. */
static ov_quat lattice_turn(check_random *r) {
    ov_quat q = ov_quat_identity();
    for (int axis = 0; axis < 3; axis++) {
        ov_vec3 v = ov_vec3_make(axis == 0, axis == 1, axis == 2);
        q = ov_quat_mul(
            q, ov_quat_from_axis_angle(v, 0.5 * M_PI * (double)(check_random_bits(r) % 4)));
    }
    return q;
}

static double reach_of(const ov_shape *s) {
    double radius = isfinite(s->ball.radius) ? s->ball.radius : fabs(s->u.halfspace.offset);
    return radius + ov_vec3_length(s->ball.centre);
}

static double extent_of(const ov_shape *s) {
    return isfinite(s->ball.radius) ? s->ball.radius : 1.0;
}

static void set_rounding(ovi_pair *p) {
    double reach = reach_of(p->a) + reach_of(p->b) + ov_vec3_length(p->offset);
    p->rounding = 32.0 * DBL_EPSILON * reach;
    p->goal = 4.0 * p->rounding;
    p->limit = NAN;
}

static ovi_pair draw_pair(check_random *r, const ov_shape *a, const ov_shape *b, draw how) {
    ov_quat q = how == DRAW_LATTICE ? lattice_turn(r) : check_rotation(r);
    if (how == DRAW_PARALLEL) {
        q = ov_quat_from_axis_angle(check_unit_vector(r), check_log_uniform(r, 1e-18, 1e-2));
    }
    ovi_pair p = {.a = a, .b = b, .turn = ov_mat3_from_quat(q)};
    if (how == DRAW_LATTICE) {
        // the turn's zeros and ones are exact, so that what is parallel stays so
        double *m = &p.turn.cx.x;
        for (int i = 0; i < 9; i++) {
            m[i] = round(m[i]);
        }
    }
    double size = fmax(extent_of(a), extent_of(b)), small = fmin(extent_of(a), extent_of(b));
    double away = size + small * check_uniform(r, -1.0, 2.0);
    if (check_uniform(r, 0.0, 1.0) < 0.4) {
        away *= check_uniform(r, 0.0, 1.0);
    }
    away = how == DRAW_FAR ? 1e9 * size : away;
    // bodies that lie apart from their origin are brought together by their balls
    ov_vec3 to_b = ov_mat3_mul_vec3(&p.turn, b->ball.centre);
    p.offset = ov_vec3_add_scaled(ov_vec3_sub(a->ball.centre, to_b), check_unit_vector(r), away);
    if (how == DRAW_LATTICE) {
        p.offset = check_uniform(r, 0.0, 1.0) < 0.1 ? ov_vec3_make(0.0, 0.0, 0.0)
                                                    : draw_point(r, how, 1.0);
    }
    set_rounding(&p);
    return p;
}

/* ---- judging */

static bool on_surface(const ov_shape *s, so_vec p, so_vec n, double slack) {
    return fabsl(so_dot(p, n) - co_support(s, n)) <= slack && co_off_body(s, p) <= slack;
}

static void judge_points(const ovi_pair *p, const ovi_result *r) {
    so_vec n = so_from(r->normal), a = so_from(r->point_a), b = so_from(r->point_b);
    so_vec in_b = co_turn_back(p, co_sub(b, so_from(p->offset)));
    so_vec back = co_turn_back(p, (so_vec){-n.x, -n.y, -n.z});
    double slack = p->rounding;
    CHECK_NEAR(ov_vec3_length(r->normal), 1.0, 8.0 * DBL_EPSILON);
    so_real off = so_length(co_sub(co_sub(b, a), co_add((so_vec){0.0L, 0.0L, 0.0L}, n, r->gap)));
    CHECK_NEAR((double)off, 0.0, 2.0 * slack);
    if (p->a->kind != OV_SHAPE_KIND_HALFSPACE && !ovi_is_family(p->a->kind) &&
        p->a->kind != OV_SHAPE_KIND_POLYHEDRON) {
        CHECK(on_surface(p->a, a, n, slack));
    }
    if (p->b->kind != OV_SHAPE_KIND_HALFSPACE && !ovi_is_family(p->b->kind) &&
        p->b->kind != OV_SHAPE_KIND_POLYHEDRON) {
        CHECK(on_surface(p->b, in_b, back, slack));
    }
    // the translation that the lower bound promises
    if (p->a->kind != OV_SHAPE_KIND_HALFSPACE && p->b->kind != OV_SHAPE_KIND_HALFSPACE) {
        CHECK(co_span(p, n) >= r->lower);
    }
}

static void print_pair(const ovi_pair *p, const ovi_result *r, double gap) {
    if (check_may_print()) {
        fprintf(stderr,
                "  %s against %s, offset %.17g %.17g %.17g: gap %.17g in [%.17g, %.17g], "
                "oracle %.17g, rounding %.3g\n",
                ov_shape_kind_name(p->a->kind), ov_shape_kind_name(p->b->kind), p->offset.x,
                p->offset.y, p->offset.z, r->gap, r->lower, r->upper, gap, p->rounding);
    }
}

/** The closed form of a pair, judged; its gap, or NaN where the cores pierce each other. */
static double judge(const ovi_pair *p, draw how) {
    bool pierced;
    ov_status status = OV_ERROR_SHAPE;
    ovi_result r = ovi_result_unknown();
    so_real gap = co_gap(p, &pierced);
    if (!ovi_closed_form(p, &status, &r)) {
        pierced_count++;
        CHECK(pierced);
        return NAN;
    }
    answered_count++;
    long failed = check_failed;
    CHECK_OK(status);
    CHECK(r.solved && r.lower <= r.gap && r.gap <= r.upper);
    CHECK(r.upper - r.lower <= p->goal);
    CHECK((so_real)r.lower <= gap && gap <= (so_real)r.upper);
    CHECK(r.overlap == (r.upper < 0.0));
    judge_points(p, &r);
    worst[how] = fmax(worst[how], fabs((double)(r.gap - gap)) / p->rounding);
    if (check_failed > failed) {
        print_pair(p, &r, (double)gap);
    }
    return r.gap;
}

static ovi_pair swapped(const ovi_pair *p) {
    ovi_pair s = *p;
    s.a = p->b;
    s.b = p->a;
    s.turn = (ov_mat3){{p->turn.cx.x, p->turn.cy.x, p->turn.cz.x},
                       {p->turn.cx.y, p->turn.cy.y, p->turn.cz.y},
                       {p->turn.cx.z, p->turn.cy.z, p->turn.cz.z}};
    s.offset = ov_vec3_neg(ov_mat3_tmul_vec3(&p->turn, p->offset));
    return s;
}

/** Moves B along the contact's normal until the gap is `gap`, as far as doubles allow. */
static bool move_to_gap(ovi_pair *p, double gap) {
    ov_status status;
    ovi_result r;
    if (!ovi_closed_form(p, &status, &r) || status != OV_OK) {
        return false;
    }
    p->offset = ov_vec3_add_scaled(p->offset, r.normal, gap - r.gap);
    set_rounding(p);
    return true;
}

static double skin_of(const ov_shape *s) {
    return s->kind == OV_SHAPE_KIND_SPHERE || s->kind == OV_SHAPE_KIND_CAPSULE ? s->a.x : 0.0;
}

static void judge_kinds(check_random *r, ov_shape_kind kind_a, ov_shape_kind kind_b, int cases) {
    for (int how = 0; how < DRAW_COUNT; how++) {
        for (int i = 0; i < cases; i++) {
            ov_shape a = draw_shape(r, kind_a, (draw)how), b = draw_shape(r, kind_b, (draw)how);
            ovi_pair p = draw_pair(r, &a, &b, (draw)how);
            // every other time it is the cores that touch, as far as rounding lets them
            static const double gaps[] = {0.0, 1e-12, -1e-12, 1e-15};
            double skins = i % 2 == 0 ? skin_of(&a) + skin_of(&b) : 0.0;
            if (how == DRAW_TOUCHING && !move_to_gap(&p, gaps[i / 2 % 4] - skins)) {
                continue;
            }
            double gap = judge(&p, (draw)how);
            ovi_pair s = swapped(&p);
            double back = judge(&s, (draw)how);
            if (isfinite(gap) && isfinite(back)) {
                CHECK_NEAR(back, gap, 2.0 * p.rounding);
            }
        }
    }
}

static void print_worst(const char *what) {
    for (int i = 0; i < DRAW_COUNT; i++) {
        char text[96];
        snprintf(text, sizeof text, "%s, %s: error over 32 ulp of the coordinates", what,
                 draw_names[i]);
        if (worst[i] > 0.0) {
            check_worst(text, worst[i], 1.0);
        }
        worst[i] = 0.0;
    }
}

/* ---- the cases */

static void test_halfspaces(void) {
    static const ov_shape_kind kinds[] = {
        OV_SHAPE_KIND_SPHERE,     OV_SHAPE_KIND_ELLIPSOID, OV_SHAPE_KIND_SUPERELLIPSOID,
        OV_SHAPE_KIND_SUPEROVOID, OV_SHAPE_KIND_BOX,       OV_SHAPE_KIND_CAPSULE,
        OV_SHAPE_KIND_CYLINDER,   OV_SHAPE_KIND_CONE,      OV_SHAPE_KIND_POLYHEDRON,
        OV_SHAPE_KIND_TRIANGLE,   OV_SHAPE_KIND_SEGMENT,   OV_SHAPE_KIND_POINT};
    check_random r = check_random_make(71);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        judge_kinds(&r, OV_SHAPE_KIND_HALFSPACE, kinds[i],
                    kinds[i] == OV_SHAPE_KIND_SUPEROVOID ? 20 : 200);
    }
    print_worst("half-space");
}

/** Two half-spaces either miss or overlap without end: no gap to speak of. */
static void test_two_halfspaces(void) {
    ov_shape a, b;
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), 0.0, &a));
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, -1.0), -2.0, &b));
    ovi_pair p = {.a = &a, .b = &b, .turn = ov_mat3_from_quat(ov_quat_identity())};
    ov_status status;
    ovi_result result;
    CHECK(ovi_closed_form(&p, &status, &result));
    CHECK_STATUS(status, OV_ERROR_UNBOUNDED);
}

static void test_cores(void) {
    check_random r = check_random_make(72);
    for (int i = 0; i < CORE_KINDS; i++) {
        for (int k = i; k < CORE_KINDS; k++) {
            judge_kinds(&r, core_kinds[i], core_kinds[k], 200);
        }
    }
    print_worst("cores");
    printf("%s: cores: %ld answered, %ld pierced\n", check_suite, answered_count, pierced_count);
}

static void test_solids(void) {
    static const ov_shape_kind solids[] = {OV_SHAPE_KIND_BOX, OV_SHAPE_KIND_CYLINDER,
                                           OV_SHAPE_KIND_CONE};
    check_random r = check_random_make(73);
    pierced_count = 0;
    for (int i = 0; i < 3; i++) {
        judge_kinds(&r, OV_SHAPE_KIND_SPHERE, solids[i], 25);
        judge_kinds(&r, OV_SHAPE_KIND_POINT, solids[i], 25);
    }
    CHECK(pierced_count == 0);
    print_worst("solids");
}

/** Nearly all box pairs are answered here, none of them wrong. */
static void test_boxes(void) {
    check_random r = check_random_make(80);
    pierced_count = answered_count = 0;
    judge_kinds(&r, OV_SHAPE_KIND_BOX, OV_SHAPE_KIND_BOX, check_share(30));
    print_worst("boxes");
    judge_kinds(&r, OV_SHAPE_KIND_BOX, OV_SHAPE_KIND_CAPSULE, check_share(200));
    print_worst("box and capsule");
    printf("%s: boxes: %ld answered, %ld left\n", check_suite, answered_count, pierced_count);
    CHECK(pierced_count * 10 < answered_count);
}

/* ---- configurations with answers that need no oracle */

static ovi_pair plain_pair(const ov_shape *a, const ov_shape *b, ov_vec3 offset) {
    ovi_pair p = {.a = a, .b = b, .turn = ov_mat3_from_quat(ov_quat_identity()), .offset = offset};
    set_rounding(&p);
    return p;
}

/** Judged like all others, and the gap must be the one that is known. */
static void expect_gap(const ov_shape *a, const ov_shape *b, ov_vec3 offset, double gap) {
    ovi_pair p = plain_pair(a, b, offset), back = swapped(&p);
    CHECK_NEAR(judge(&p, DRAW_LATTICE), gap, p.rounding);
    CHECK_NEAR(judge(&back, DRAW_LATTICE), gap, p.rounding);
}

static void test_known_overlaps(void) {
    const ov_vec3 zero = {0.0, 0.0, 0.0};
    ov_shape ball, small, box, rod, pin, tube, cone, plane, point, bar;
    CHECK_OK(ov_shape_make_sphere(2.0, &ball));
    CHECK_OK(ov_shape_make_sphere(0.5, &small));
    CHECK_OK(ov_shape_make_box(ov_vec3_make(3.0, 2.0, 1.0), &box));
    CHECK_OK(ov_shape_make_capsule(0.5, 2.0, &rod));
    CHECK_OK(ov_shape_make_capsule(0.25, 0.0, &pin));
    CHECK_OK(ov_shape_make_cylinder(1.0, 3.0, &tube));
    CHECK_OK(ov_shape_make_cone(3.0, 2.0, &cone));
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), 1.0, &plane));
    CHECK_OK(ov_shape_make_point(zero, &point));
    CHECK_OK(
        ov_shape_make_segment(ov_vec3_make(-1.0, 0.0, 0.0), ov_vec3_make(1.0, 0.0, 0.0), &bar));
    // concentric, contained, equal: the whole sum of the radii to go
    expect_gap(&ball, &small, zero, -2.5);
    expect_gap(&ball, &ball, zero, -4.0);
    expect_gap(&ball, &small, ov_vec3_make(0.0, 1.0, 0.0), -1.5);
    expect_gap(&rod, &rod, zero, -1.0);
    expect_gap(&rod, &pin, zero, -0.75);
    expect_gap(&pin, &pin, zero, -0.5);
    // cores that cross at a right angle, lie in line, and touch end to end
    expect_gap(&rod, &bar, ov_vec3_make(0.25, 0.0, 1.0), -0.5);
    expect_gap(&rod, &rod, ov_vec3_make(0.0, 0.0, 3.0), -1.0);
    expect_gap(&rod, &rod, ov_vec3_make(0.0, 0.0, 4.0), -1.0);
    expect_gap(&rod, &rod, ov_vec3_make(0.0, 0.0, 5.0), 0.0);
    // in the middle of a solid, on its face, edge, corner, axis, tip
    expect_gap(&box, &small, zero, -1.5);
    expect_gap(&box, &point, ov_vec3_make(2.5, 0.0, 0.0), -0.5);
    expect_gap(&box, &small, ov_vec3_make(3.0, 2.0, 1.0), -0.5);
    expect_gap(&box, &point, ov_vec3_make(3.0, 0.0, 0.0), 0.0);
    expect_gap(&tube, &small, zero, -1.5);
    expect_gap(&tube, &small, ov_vec3_make(0.0, 0.0, 2.75), -0.75);
    expect_gap(&tube, &point, ov_vec3_make(0.0, 1.0, 3.0), 0.0);
    expect_gap(&cone, &small, ov_vec3_make(0.0, 0.0, 2.0), -0.5);
    expect_gap(&cone, &small, ov_vec3_make(0.0, 0.0, -2.0), -0.5);
    expect_gap(&cone, &point, ov_vec3_make(0.0, 0.0, -0.5), -1.5);
    expect_gap(&cone, &point, ov_vec3_make(3.0, 0.0, -2.0), 0.0);
    expect_gap(&cone, &point, ov_vec3_make(0.0, 0.0, 5.0), 3.0);
    // flat bodies inside a half-space have a way to go too
    expect_gap(&plane, &point, ov_vec3_make(0.0, 0.0, -3.0), -4.0);
    expect_gap(&plane, &bar, ov_vec3_make(0.0, 0.0, 1.0), 0.0);
    expect_gap(&plane, &ball, zero, -3.0);
}

/**
 * A point over the border between face and edge, or edge and corner, of a triangle: off it by far
 * less than the square of the distance would show, yet more than the witness points may be off.
 */
static void test_borders(void) {
    check_random r = check_random_make(77);
    for (int i = 0; i < 3000; i += check_every()) {
        ov_shape flat = draw_shape(&r, OV_SHAPE_KIND_TRIANGLE, i % 2 == 0 ? DRAW_EASY : DRAW_SIZES),
                 ball;
        CHECK_OK(ov_shape_make_sphere(check_log_uniform(&r, 1e-3, 1.0), &ball));
        const ov_vec3 *v = flat.u.vertices;
        int k = (int)(check_random_bits(&r) % 3);
        ov_vec3 edge = ov_vec3_sub(v[(k + 1) % 3], v[k]), side = ov_vec3_sub(v[(k + 2) % 3], v[k]);
        ov_vec3 e = ov_vec3_normalize(edge), up = ov_vec3_normalize(ov_vec3_cross(e, side));
        ov_vec3 out = ov_vec3_cross(e, up); // in the plane, beyond the edge
        double away = check_log_uniform(&r, 1e-3, 10.0) * flat.ball.radius;
        double off = away * check_log_uniform(&r, 1e-13, 1e-7) * (i % 3 == 0 ? -1.0 : 1.0);
        double angle = check_uniform(&r, 0.0, M_PI), along = check_uniform(&r, 0.1, 0.9);
        ov_vec3 p = ov_vec3_add_scaled(v[k], edge, along);
        if (i / 2 % 2 == 0) {
            p = ov_vec3_add_scaled(ov_vec3_add_scaled(p, up, away), out, off);
        } else {
            p = ov_vec3_add_scaled(v[k], e, -off);
            p = ov_vec3_add_scaled(ov_vec3_add_scaled(p, up, away * cos(angle)), out,
                                   away * sin(angle));
        }
        ovi_pair pair = plain_pair(&flat, &ball, p), back = swapped(&pair);
        (void)judge(&pair, DRAW_TOUCHING);
        (void)judge(&back, DRAW_TOUCHING);
    }
    print_worst("borders");
}

/** A centre exactly on a segment: what rounding leaves beside the line may lie along it. */
static void test_on_the_line(void) {
    check_random r = check_random_make(79);
    for (int i = 0; i < 500; i += check_every()) {
        ov_vec3 a = ov_vec3_make(1.0 + (double)(check_random_bits(&r) % 50),
                                 (double)(check_random_bits(&r) % 50) - 25.0,
                                 (double)(check_random_bits(&r) % 50) - 25.0);
        ov_shape bar, ball, rod;
        CHECK_OK(ov_shape_make_segment(a, ov_vec3_scale(a, -2.0), &bar));
        CHECK_OK(ov_shape_make_sphere(1.0, &ball));
        CHECK_OK(ov_shape_make_capsule(0.5, 0.25, &rod));
        expect_gap(&bar, &ball, ov_vec3_make(0.0, 0.0, 0.0), -1.0);
        expect_gap(&bar, &rod, ov_vec3_make(0.0, 0.0, 0.0), -0.5);
        expect_gap(&bar, &bar, ov_vec3_scale(a, 2.0), 0.0);
    }
}

/** So far from the origin of A that an edge of B has no length there, and a triangle no height. */
static void test_lost_in_rounding(void) {
    const double far = 1e9, tiny = 1e-9;
    check_random r = check_random_make(78);
    for (int i = 0; i < 400; i += check_every()) {
        ov_shape a, b;
        ov_vec3 up = ov_vec3_make(0.0, 1.0, check_uniform(&r, -1.0, 1.0));
        ov_vec3 at = ov_vec3_make(far, 0.0, 0.0);
        CHECK_OK(ov_shape_make_segment(ov_vec3_sub(at, up), ov_vec3_add(at, up), &a));
        ov_vec3 small = ov_vec3_make(tiny, 0.0, 0.0), end = ov_vec3_make(0.0, 0.0, 1.0);
        CHECK_OK(i % 2 == 0 ? ov_shape_make_segment(small, ov_vec3_neg(small), &b)
                            : ov_shape_make_triangle(small, end, ov_vec3_neg(end), &b));
        // on the segment, or as far from it as it is long
        at = ov_vec3_add_scaled(at, up, check_uniform(&r, -1.5, 1.5));
        at.z += i % 4 < 2 ? 0.0 : check_uniform(&r, -1.5, 1.5);
        ovi_pair pair = plain_pair(&a, &b, at), back = swapped(&pair);
        CHECK(isfinite(judge(&pair, DRAW_FAR)) && isfinite(judge(&back, DRAW_FAR)));
    }
    print_worst("lost in rounding");
}

/** Two edge axes separate, the better of them across edges that are nearly parallel. */
static void test_better_of_two_edges(void) {
    ov_shape box, capsule;
    CHECK_OK(ov_shape_make_box(
        (ov_vec3){0x1.3ab237e5ff922p+0, 0x1.6e7bb1db43dedp-17, 0x1.09dad97f5d43ep-17}, &box));
    CHECK_OK(ov_shape_make_capsule(0x1.1944b78b204aap-38, 0x1.243ec78171637p-1, &capsule));
    const ov_pose at = {
        {-0x1.3ab28168cb8dbp+0, 0x1.695fb16760bc9p-17, -0x1.243dbda666b5ep-1},
        {0x1.6a2457fa5e52fp-1, 0x1.5f7fe390db733p-19, 0x1.7906c92a4a391p-19, 0x1.69ef750499e89p-1}};
    const double truth = 2.2805910667195718e-13; // by all axes, in quadruple precision
    ov_contact c;
    CHECK_OK(ov_pair_contact(&box, ov_pose_identity(), &capsule, at, NULL, NULL, &c));
    CHECK(c.gap_lower <= truth && c.gap_upper >= truth);
    CHECK_OK(ov_pair_contact(&capsule, at, &box, ov_pose_identity(), NULL, NULL, &c));
    CHECK(c.gap_lower <= truth && c.gap_upper >= truth);
}

/** Boxes that touch: a gap above zero is the distance of the points. */
static void test_points_of_touching_boxes(void) {
    check_random r = check_random_make(79);
    for (int i = 0; i < 20000; i += check_every()) {
        ov_vec3 half[2];
        ov_shape s[2];
        for (int k = 0; k < 2; k++) {
            half[k] = ov_vec3_make(check_uniform(&r, 0.5, 2.0), check_uniform(&r, 0.5, 2.0),
                                   i % 2 == 0 ? check_uniform(&r, 0.5, 2.0)
                                              : check_log_uniform(&r, 1e-6, 1.0));
            CHECK_OK(ov_shape_make_box(half[k], &s[k]));
        }
        double tilt = i % 3 == 0 ? 0.0 : check_log_uniform(&r, 1e-17, 1e-3);
        ov_pose at = {{half[0].x + half[1].x, check_uniform(&r, -1.0, 1.0),
                       i % 5 == 0 ? half[0].z + half[1].z : check_uniform(&r, -1.0, 1.0)},
                      {1.0, tilt * check_uniform(&r, -1.0, 1.0),
                       tilt * check_uniform(&r, -1.0, 1.0), tilt * check_uniform(&r, -1.0, 1.0)}};
        ov_contact c;
        CHECK(ov_pair_contact(&s[0], ov_pose_identity(), &s[1], at, NULL, NULL, &c) >= 0);
        double distance = ov_vec3_length(ov_vec3_sub(c.point_b, c.point_a));
        CHECK(!(c.gap > 0.0) || fabs(distance - c.gap) <= 4e-12);
    }
}

/** Kinds without a closed form are left to others, untouched. */
static void test_no_closed_form(void) {
    check_random r = check_random_make(74);
    const ov_shape_kind kinds[][2] = {{OV_SHAPE_KIND_BOX, OV_SHAPE_KIND_CONE},
                                      {OV_SHAPE_KIND_SPHERE, OV_SHAPE_KIND_ELLIPSOID},
                                      {OV_SHAPE_KIND_ELLIPSOID, OV_SHAPE_KIND_POINT},
                                      {OV_SHAPE_KIND_POLYHEDRON, OV_SHAPE_KIND_SPHERE},
                                      {OV_SHAPE_KIND_CAPSULE, OV_SHAPE_KIND_CONE},
                                      {OV_SHAPE_KIND_SUPEROVOID, OV_SHAPE_KIND_SUPEROVOID}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        ov_shape a = draw_shape(&r, kinds[i][0], DRAW_EASY);
        ov_shape b = draw_shape(&r, kinds[i][1], DRAW_EASY);
        ovi_pair p = draw_pair(&r, &a, &b, DRAW_EASY), back = swapped(&p);
        ov_status status;
        ovi_result result = ovi_result_unknown();
        CHECK(!ovi_closed_form(&p, &status, &result) && isnan(result.gap));
        CHECK(!ovi_closed_form(&back, &status, &result) && isnan(result.gap));
    }
}

/** Where coordinates are at the ends of their range, all numbers stay finite and the bounds hold.
 */
static void test_extremes(void) {
    static const double sizes[] = {OV_SIZE_MIN, 1e-30, 1.0, 1e30, OV_SIZE_MAX};
    check_random r = check_random_make(75);
    for (int i = 0; i < 300; i += check_every()) {
        double a = sizes[check_random_bits(&r) % 5], b = sizes[check_random_bits(&r) % 5];
        ov_shape s[6];
        CHECK_OK(ov_shape_make_sphere(a, &s[0]));
        CHECK_OK(ov_shape_make_capsule(a, b, &s[1]));
        CHECK_OK(ov_shape_make_cone(a, b, &s[2]));
        CHECK_OK(ov_shape_make_segment(ov_vec3_make(0.0, -a, 0.0), ov_vec3_make(a, 0.0, 0.5 * a),
                                       &s[3]));
        CHECK_OK(ov_shape_make_halfspace(check_unit_vector(&r), check_uniform(&r, -b, b), &s[4]));
        CHECK_OK(ov_shape_make_cylinder(b, a, &s[5]));
        const ov_shape *body = &s[check_random_bits(&r) % 6];
        const ov_shape *other = &s[body == &s[2] || body >= &s[4] ? 0 : check_random_bits(&r) % 2];
        double away = i % 3 == 0 ? OV_POSITION_MAX : i % 3 == 1 ? a + b : 1e-3 * fmin(a, b);
        ovi_pair p = {.a = body,
                      .b = other,
                      .turn = ov_mat3_from_quat(check_rotation(&r)),
                      .offset = ov_vec3_scale(check_unit_vector(&r), away)};
        set_rounding(&p);
        CHECK(isfinite(judge(&p, DRAW_SIZES)));
        ovi_pair back = swapped(&p);
        CHECK(isfinite(judge(&back, DRAW_SIZES)));
    }
    print_worst("extremes");
}

/* ---- through the front door */

/** One motion of both bodies in the world moves the contact along, and leaves the gap. */
static void test_common_motion(void) {
    check_random r = check_random_make(76);
    double apart = 0.0;
    for (int i = 0; i < 1500; i += check_every()) {
        ov_shape a = draw_shape(&r, core_kinds[i % CORE_KINDS], DRAW_EASY);
        ov_shape b = draw_shape(&r, core_kinds[i / CORE_KINDS % CORE_KINDS], DRAW_EASY);
        if (i % 2 == 0 && (a.kind == OV_SHAPE_KIND_SPHERE || a.kind == OV_SHAPE_KIND_POINT)) {
            static const ov_shape_kind others[] = {OV_SHAPE_KIND_BOX, OV_SHAPE_KIND_CYLINDER,
                                                   OV_SHAPE_KIND_CONE, OV_SHAPE_KIND_HALFSPACE};
            b = draw_shape(&r, others[i / 2 % 4], DRAW_EASY);
        }
        ov_pose at_a = {check_unit_vector(&r), check_rotation(&r)}, move;
        ov_pose at_b = {ov_vec3_scale(check_unit_vector(&r), 2.5), check_rotation(&r)};
        move = (ov_pose){ov_vec3_scale(check_unit_vector(&r), 10.0), check_rotation(&r)};
        ov_pose moved_a = {ov_pose_apply(move, at_a.position),
                           ov_quat_mul(move.rotation, at_a.rotation)};
        ov_pose moved_b = {ov_pose_apply(move, at_b.position),
                           ov_quat_mul(move.rotation, at_b.rotation)};
        ov_contact here, there;
        CHECK_OK(ov_pair_contact(&a, at_a, &b, at_b, NULL, NULL, &here));
        CHECK_OK(ov_pair_contact(&a, moved_a, &b, moved_b, NULL, NULL, &there));
        CHECK(here.gap_lower <= there.gap_upper && there.gap_lower <= here.gap_upper);
        // cores that pierce each other are not settled here, and may have two ways out
        if (here.iterations == 0 && here.relation == OV_RELATION_SEPARATED) {
            apart += 1.0;
            CHECK_NEAR(there.gap, here.gap, 1e-13);
            ov_vec3 normal = ov_quat_rotate(move.rotation, here.normal);
            CHECK_NEAR(ov_vec3_length(ov_vec3_sub(normal, there.normal)), 0.0, 1e-13 / here.gap);
            ov_vec3 off = ov_vec3_sub(ov_vec3_sub(here.point_b, here.point_a),
                                      ov_vec3_scale(here.normal, here.gap));
            CHECK_NEAR(ov_vec3_length(off), 0.0, 1e-13);
        }
        CHECK(here.relation == there.relation || fabs(here.gap) < 1e-12);
    }
    CHECK(apart > check_share(500));
}

int main(void) {
    check_suite = "pair_closed";
    RUN(test_halfspaces);
    RUN(test_two_halfspaces);
    RUN(test_cores);
    RUN(test_solids);
    RUN(test_boxes);
    RUN(test_known_overlaps);
    RUN(test_borders);
    RUN(test_on_the_line);
    RUN(test_lost_in_rounding);
    RUN(test_better_of_two_edges);
    RUN(test_points_of_touching_boxes);
    RUN(test_no_closed_form);
    RUN(test_extremes);
    RUN(test_common_motion);
    return check_finish();
}
