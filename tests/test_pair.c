/**
 * @file test_pair.c
 * @brief The pair query on every pair of convex kinds and on the cases that users try first: bad
 * input, stacks along the axes, square bodies, containment; and that it allocates nothing.
 *
 * Bounds are held against the GJK and the search of all directions of pair_oracle.h. What is done
 * with a query is in test_pair_use.c, random pairs over the full domain are in
 * test_pair_domain_slow.c, depths in test_pair_depth_slow.c.
 */
#include <string.h>

#include "pair_cases.h"

/* ---- counting allocations: the C library's own functions behind counting ones */

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

#if defined(__GLIBC__) && !defined(SANITIZED)
#define COUNTS_ALLOCATIONS 1
static long allocations;
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
    allocations++;
    return __libc_calloc(count, size);
}
void *realloc(void *block, size_t size) {
    allocations++;
    return __libc_realloc(block, size);
}
#endif

/* ---- one pair against the oracles */

static po_body body_a, body_b;
static double worst_width, worst_depth;

/** Bounds of a pair that does overlap, and the least depth. */
static bool check_overlap(const pc_pair *p, const ov_contact *c, so_real slack) {
    bool good = CHECK(c->relation != OV_RELATION_SEPARATED) && CHECK(c->gap_lower <= slack);
    if (c->relation != OV_RELATION_OVERLAPPING) {
        return good;
    }
    so_real own = -pc_gap_along(&body_a, &body_b, c);
    so_real depth = fminl(own, po_least_depth(&body_a, &body_b).depth);
    double error = (double)(fabsl(-c->gap - depth) / p->size);
    worst_depth = fmax(worst_depth, c->status == OV_OK ? error : 0.0);
    good = CHECK(-c->gap_upper <= depth + slack) && good;
    good = CHECK(-c->gap_lower >= own - slack) && good;
    return CHECK(c->status != OV_OK || error <= 1e-8) && good;
}

/** Everything about one pair; the bodies must be bounded. */
static bool examine(const pc_pair *p, bool must_solve) {
    const double goal = pc_goal(1e-9, p->size, p->reach);
    so_real slack = 1e-16L * p->reach;
    ov_contact c = pc_query(p), back;
    po_place(&p->a, p->pose_a, &body_a);
    po_place(&p->b, p->pose_b, &body_b);
    po_distance d = po_gjk(&body_a, &body_b, 1e-15L * p->size);
    bool good = CHECK(c.status >= 0) && pc_check_sense(&c, goal);
    if (d.overlap) {
        good = check_overlap(p, &c, slack) && good;
    } else {
        good = CHECK(c.gap_lower <= d.upper + slack) && good;
        good =
            CHECK(c.relation == OV_RELATION_OVERLAPPING || c.gap_upper >= d.lower - slack) && good;
        good = CHECK(c.relation != OV_RELATION_OVERLAPPING || d.lower <= slack) && good;
        worst_width = fmax(worst_width, (c.gap_upper - c.gap_lower) / p->size);
    }
    good = CHECK(!must_solve || c.status == OV_OK) && good;
    good = CHECK(c.status != OV_OK || pc_gap_along(&body_a, &body_b, &c) >= c.gap - goal) && good;
    // A and B change places: the bounds have a value in common
    ov_pair_contact(&p->b, p->pose_b, &p->a, p->pose_a, NULL, NULL, &back);
    good = CHECK(c.gap_lower <= back.gap_upper && back.gap_lower <= c.gap_upper) && good;
    if (c.relation == OV_RELATION_SEPARATED || back.relation == OV_RELATION_SEPARATED) {
        good = CHECK(c.relation != OV_RELATION_OVERLAPPING &&
                     back.relation != OV_RELATION_OVERLAPPING) &&
               good;
    }
    if (!good && check_may_print()) {
        fprintf(stderr, "  oracle: gap in [%.17Lg, %.17Lg]%s\n", d.lower, d.upper,
                d.overlap ? ", overlapping" : "");
        pc_print(p, &c);
    }
    return good;
}

/* ---- bad input */

static ov_shape unit_box(void) {
    ov_shape s;
    CHECK_OK(ov_shape_make_box(ov_vec3_make(1.0, 1.0, 1.0), &s));
    return s;
}

static void expect_error(const ov_shape *a, ov_pose pa, const ov_shape *b, ov_pose pb,
                         const ov_pair_options *options, ov_status expected) {
    ov_contact c = {.gap = 1.0, .gap_lower = 1.0, .gap_upper = 1.0};
    ov_answer answer = OV_ANSWER_YES;
    CHECK_STATUS(ov_pair_contact(a, pa, b, pb, options, NULL, &c), expected);
    CHECK_STATUS(c.status, expected);
    CHECK(c.relation == OV_RELATION_UNDECIDED);
    CHECK(isnan(c.gap) && isnan(c.gap_lower) && isnan(c.gap_upper) && isnan(c.normal.x) &&
          isnan(c.point_a.y) && isnan(c.point_b.z));
    CHECK_STATUS(ov_pair_exceeds(a, pa, b, pb, 0.5, options, NULL, &answer), expected);
    CHECK(answer == OV_ANSWER_UNKNOWN);
}

static void test_bad_input(void) {
    ov_shape box = unit_box(), sphere, half, torus, none;
    memset(&none, 0, sizeof none);
    CHECK_OK(ov_shape_make_sphere(1.0, &sphere));
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), 0.0, &half));
    CHECK_OK(ov_shape_make_supertoroid(ov_vec3_make(1.0, 1.0, 1.0), 1.0, 1.0, 3.0, &torus));
    const ov_pose id = ov_pose_identity();
    CHECK_STATUS(ov_pair_contact(&box, id, &box, id, NULL, NULL, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_pair_exceeds(&box, id, &box, id, 1.0, NULL, NULL, NULL), OV_ERROR_NULL);
    expect_error(NULL, id, &box, id, NULL, OV_ERROR_NULL);
    expect_error(&box, id, NULL, id, NULL, OV_ERROR_NULL);
    expect_error(&none, id, &box, id, NULL, OV_ERROR_SHAPE);
    expect_error(&torus, id, &box, id, NULL, OV_ERROR_UNSUPPORTED);
    expect_error(&half, id, &half, id, NULL, OV_ERROR_UNBOUNDED);
    const ov_shape *both[2] = {&box, &sphere};
    for (int i = 0; i < 2; i++) {
        ov_pose bad = id;
        bad.position.y = NAN;
        expect_error(both[i], bad, both[1 - i], id, NULL, OV_ERROR_NOT_FINITE);
        expect_error(both[i], id, both[1 - i], bad, NULL, OV_ERROR_NOT_FINITE);
        bad.position.y = 1e101;
        expect_error(both[i], bad, both[1 - i], id, NULL, OV_ERROR_SIZE_RANGE);
        bad = id;
        bad.rotation.x = INFINITY;
        expect_error(both[i], id, both[1 - i], bad, NULL, OV_ERROR_NOT_FINITE);
        bad.rotation = (ov_quat){0.0, 0.0, 0.0, 0.0};
        expect_error(both[i], bad, both[1 - i], id, NULL, OV_ERROR_ZERO_DIRECTION);
    }
    const double tolerances[] = {OV_ZERO, -1e-9, 0.99e-12, 1.01e-3, NAN, INFINITY};
    for (int i = 0; i < 6; i++) {
        ov_pair_options options = ov_default_pair_options();
        options.tolerance = tolerances[i];
        expect_error(&box, id, &sphere, id, &options, OV_ERROR_OPTION);
    }
    ov_pair_options options = ov_default_pair_options();
    options.depth = (ov_depth)7;
    expect_error(&box, id, &sphere, id, &options, OV_ERROR_OPTION);
    ov_answer answer;
    CHECK(ov_pair_exceeds(&box, id, &box, id, NAN, NULL, NULL, &answer) < 0);
    CHECK(ov_pair_exceeds(&box, id, &box, id, -1.0, NULL, NULL, &answer) < 0);
    CHECK(strcmp(ov_relation_name(OV_RELATION_TOUCHING), "touching") == 0);
    CHECK(strcmp(ov_relation_name((ov_relation)99), "undecided") == 0);
}

/* ---- every pair of kinds */

static ov_vec3 egg(const void *user, ov_vec3 n) { // an ellipsoid, as a caller would write it
    const ov_vec3 *a = user;
    ov_vec3 u = ov_vec3_mul(*a, n);
    return ov_vec3_scale(ov_vec3_mul(*a, u), 1.0 / ov_vec3_length(u));
}

static ov_vec3 cloud[2][12], axes[2];

/** A random body of a kind, of about size one; `slot` says whose arrays it may refer to. */
static ov_shape body_of_kind(check_random *r, ov_shape_kind kind, int slot) {
    ov_shape s;
    memset(&s, 0, sizeof s);
    double x = check_uniform(r, 0.3, 1.5), y = check_uniform(r, 0.3, 1.5),
           z = check_uniform(r, 0.3, 1.5), e = check_uniform(r, 0.2, 1.8);
    ov_vec3 a = {x, y, z};
    for (int i = 0; i < 12; i++) {
        cloud[slot][i] = ov_vec3_mul(a, check_unit_vector(r));
    }
    axes[slot] = a;
    const ov_vec3 *v = cloud[slot];
    ov_ball ball = {{0.0, 0.0, 0.0}, 1.6};
    switch (kind) {
    case OV_SHAPE_KIND_SPHERE:
        CHECK_OK(ov_shape_make_sphere(x, &s));
        break;
    case OV_SHAPE_KIND_ELLIPSOID:
        CHECK_OK(ov_shape_make_ellipsoid(a, &s));
        break;
    case OV_SHAPE_KIND_SUPERELLIPSOID:
        CHECK_OK(ov_shape_make_superellipsoid(a, e, 2.0 - e, &s));
        break;
    case OV_SHAPE_KIND_SUPEROVOID:
        CHECK_OK(ov_shape_make_superovoid(a, e, 0.7, 0.2, 0.2, NULL, &s));
        break;
    case OV_SHAPE_KIND_BOX:
        CHECK_OK(ov_shape_make_box(a, &s));
        break;
    case OV_SHAPE_KIND_CAPSULE:
        CHECK_OK(ov_shape_make_capsule(x, y, &s));
        break;
    case OV_SHAPE_KIND_CYLINDER:
        CHECK_OK(ov_shape_make_cylinder(x, y, &s));
        break;
    case OV_SHAPE_KIND_CONE:
        CHECK_OK(ov_shape_make_cone(x, y, &s));
        break;
    case OV_SHAPE_KIND_POLYHEDRON:
        CHECK_OK(ov_shape_make_polyhedron(v, 12, NULL, 0, &s));
        break;
    case OV_SHAPE_KIND_TRIANGLE:
        CHECK_OK(ov_shape_make_triangle(v[0], v[1], v[2], &s));
        break;
    case OV_SHAPE_KIND_SEGMENT:
        CHECK_OK(ov_shape_make_segment(v[0], v[1], &s));
        break;
    case OV_SHAPE_KIND_POINT:
        CHECK_OK(ov_shape_make_point(v[0], &s));
        break;
    case OV_SHAPE_KIND_HALFSPACE:
        CHECK_OK(ov_shape_make_halfspace(a, x - 0.5, &s));
        break;
    default:
        CHECK_OK(ov_shape_make_custom(egg, &axes[slot], ball, &s));
    }
    return s;
}

/** Against a half-space the gap is the least height above its plane. */
static void examine_halfspace(const pc_pair *p, bool a_is_half) {
    ov_contact c = pc_query(p);
    const ov_shape *half = a_is_half ? &p->a : &p->b;
    ov_pose pose = a_is_half ? p->pose_a : p->pose_b;
    po_place(half, pose, &body_a);
    po_place(a_is_half ? &p->b : &p->a, a_is_half ? p->pose_b : p->pose_a, &body_b);
    so_vec n = po_turn(&body_a, so_from(half->u.halfspace.normal));
    so_real gap = -po_world_support(&body_b, po_neg(n)).value - so_dot(n, body_a.centre) -
                  half->u.halfspace.offset;
    double reach = p->reach + fabs(half->u.halfspace.offset);
    bool good = pc_check_sense(&c, pc_goal(1e-9, p->size, reach)) && CHECK_STATUS(c.status, OV_OK);
    good =
        CHECK(c.gap_lower <= gap + 1e-16L * reach && c.gap_upper >= gap - 1e-16L * reach) && good;
    good = CHECK_NEAR(c.gap, (double)gap, 1e-13 * reach) && good;
    so_vec out = a_is_half ? n : po_neg(n);
    good = CHECK(so_sine(out, so_from(c.normal)) < 1e-14L) && good;
    if (!good && check_may_print()) {
        pc_print(p, &c);
    }
}

static void test_kinds(void) {
    check_random r = check_random_make(4102);
    worst_width = worst_depth = 0.0;
    for (int i = OV_SHAPE_KIND_SPHERE; i <= OV_SHAPE_KIND_CUSTOM; i++) {
        for (int j = OV_SHAPE_KIND_SPHERE; j <= OV_SHAPE_KIND_CUSTOM; j++) {
            if (i == OV_SHAPE_KIND_HALFSPACE && j == OV_SHAPE_KIND_HALFSPACE) {
                continue;
            }
            const double apart[] = {0.6, 4.0, 1.8, 2.5};
            for (int k = 0; k < 4; k++) {
                pc_pair p;
                p.a = body_of_kind(&r, (ov_shape_kind)i, 0);
                p.b = body_of_kind(&r, (ov_shape_kind)j, 1);
                p.pose_a = (ov_pose){check_unit_vector(&r), check_rotation(&r)};
                ov_vec3 d = ov_vec3_scale(check_unit_vector(&r), apart[k]);
                p.pose_b = (ov_pose){ov_vec3_add(p.pose_a.position, d), check_rotation(&r)};
                pc_finish(&p);
                if (i == OV_SHAPE_KIND_HALFSPACE || j == OV_SHAPE_KIND_HALFSPACE) {
                    examine_halfspace(&p, i == OV_SHAPE_KIND_HALFSPACE);
                } else {
                    examine(&p, true);
                }
            }
        }
    }
    check_worst("all kinds: width of the bounds of separated bodies, of the size", worst_width,
                1e-9);
    check_worst("all kinds: depth against the search of all directions", worst_depth, 1e-8);
}

/* ---- what users try first */

/** Two identical bodies, not turned, moved apart along an axis: the gap is told by the extents. */
static void test_stacks(void) {
    const double exponents[] = {0.05, 0.3, 1.0, 1.5, 2.0};
    const double gaps[] = {0.5, 1e-3, 1e-12, 0.0, -1e-3, -0.3};
    for (int i = 0; i < 5 * 5 * 2; i++) {
        double e1 = exponents[i % 5], e2 = exponents[i / 5 % 5], t = i < 25 ? 0.0 : 0.15;
        ov_shape s;
        if (ov_shape_make_superovoid(ov_vec3_make(1.0, 0.7, 0.4), e1, e2, t, t, NULL, &s) !=
            OV_OK) {
            continue; // tapered and bevelled: dented
        }
        for (int k = 0; k < 3 * 6; k++) {
            int axis = k % 3;
            double gap = gaps[k / 3];
            ov_vec3 n = {axis == 0, axis == 1, axis == 2};
            ov_support out, in;
            CHECK_OK(ov_shape_support(&s, n, &out));
            CHECK_OK(ov_shape_support(&s, ov_vec3_neg(n), &in));
            double d = out.value + in.value + gap;
            pc_pair p = {
                .a = s, .b = s, .pose_a = ov_pose_identity(), .pose_b = ov_pose_identity()};
            p.pose_b.position = ov_vec3_scale(n, d);
            pc_finish(&p);
            bool good = examine(&p, true);
            ov_contact c = pc_query(&p);
            if (gap > 0.0) {
                good = CHECK_NEAR(c.gap, gap, pc_goal(1e-9, p.size, p.reach)) && good;
                good = gap < 1e-9 || (CHECK(ov_vec3_dot(c.normal, n) > 1.0 - 1e-9) && good);
            }
            if (!good && check_may_print()) {
                fprintf(stderr, "  stack along axis %d, e %g, %g, taper %g, gap %g\n", axis, e1, e2,
                        t, gap);
            }
        }
    }
}

/** Square bodies face to face, edge to face, corner to corner and edge to edge. */
static void test_square_contacts(void) {
    const double turns[3][4] = {{0.0, 0.0, 1.0, 0.0},
                                {0.0, 0.0, 1.0, 0.78539816339744831},
                                {1.0, -1.0, 0.0, 0.95531661812450928}};
    for (int i = 0; i < 9 * 4 * 2; i++) {
        const double *ta = turns[i % 3], *tb = turns[i / 3 % 3];
        ov_shape s;
        if (i < 36) {
            CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(1.0, 1.0, 1.0), 0.05, 0.05, &s));
        } else {
            s = unit_box();
        }
        pc_pair p = {.a = s, .b = s};
        p.pose_a = (ov_pose){ov_vec3_make(0.0, 0.0, 0.0),
                             ov_quat_from_axis_angle(ov_vec3_make(ta[0], ta[1], ta[2]), ta[3])};
        p.pose_b.rotation = ov_quat_from_axis_angle(ov_vec3_make(tb[0], tb[1], tb[2]), tb[3]);
        const double offsets[] = {4.0, 2.5, 1.9, 1.2};
        p.pose_b.position = ov_vec3_make(offsets[i / 9 % 4], 0.0, 0.0);
        pc_finish(&p);
        examine(&p, true);
    }
}

static void expect_depth(const ov_shape *a, const ov_shape *b, ov_vec3 at, double depth) {
    pc_pair p = {.a = *a, .b = *b, .pose_a = ov_pose_identity(), .pose_b = ov_pose_identity()};
    p.pose_b.position = at;
    pc_finish(&p);
    examine(&p, true);
    ov_contact c = pc_query(&p);
    CHECK(c.relation == OV_RELATION_OVERLAPPING);
    CHECK_NEAR(c.gap, -depth, 1e-8 * p.size);
    ov_pair_options local = ov_default_pair_options();
    local.depth = OV_DEPTH_LOCAL;
    CHECK(ov_pair_contact(&p.a, p.pose_a, &p.b, p.pose_b, &local, NULL, &c) >= 0);
    CHECK(c.relation == OV_RELATION_OVERLAPPING);
    CHECK(c.gap <= -depth + 1e-8 * p.size); // no local depth is less than the global one
}

static void test_contained(void) {
    ov_shape big, small, box, egg_shape, square;
    const ov_vec3 o = {0.0, 0.0, 0.0};
    CHECK_OK(ov_shape_make_sphere(2.0, &big));
    CHECK_OK(ov_shape_make_sphere(0.25, &small));
    CHECK_OK(ov_shape_make_box(ov_vec3_make(3.0, 2.0, 1.0), &box));
    CHECK_OK(ov_shape_make_ellipsoid(ov_vec3_make(1.5, 0.5, 1.0), &egg_shape));
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(3.0, 2.0, 1.0), 0.2, 0.3, &square));
    expect_depth(&big, &small, o, 2.25);
    expect_depth(&big, &small, ov_vec3_make(0.0, 1.0, 0.0), 1.25);
    expect_depth(&small, &big, ov_vec3_make(0.0, 1.0, 0.0), 1.25);
    expect_depth(&box, &small, ov_vec3_make(0.2, 0.0, 0.5), 0.75);
    expect_depth(&box, &box, o, 2.0);
    expect_depth(&box, &box, ov_vec3_make(0.1, 0.1, 0.1), 1.9);
    expect_depth(&egg_shape, &egg_shape, o, 1.0);
    expect_depth(&square, &square, o, 2.0);
    expect_depth(&square, &small, ov_vec3_make(0.1, 0.1, -0.3), 0.95);
    expect_depth(&square, &egg_shape, o, 2.0);
}

/* ---- what a query does not do */

static void test_no_allocation(void) {
#ifdef COUNTS_ALLOCATIONS
    check_random r = check_random_make(4143);
    static pc_pool pool;
    void *block = malloc(16);
    CHECK(allocations > 0); // the counter does count
    free(block);
    long during = 0;
    for (int i = 0; i < 800; i++) {
        pc_pair p;
        if (i % 2 == 0) {
            pc_domain(&r, &pool, &p, &body_a, &body_b);
        } else {
            unsigned kinds = OV_SHAPE_KIND_CUSTOM; // any but the half-space against itself
            p.a = body_of_kind(&r, (ov_shape_kind)(1 + check_random_bits(&r) % kinds), 0);
            p.b = body_of_kind(&r, (ov_shape_kind)(1 + check_random_bits(&r) % 4), 1);
            p.pose_a = ov_pose_identity();
            p.pose_b = (ov_pose){check_unit_vector(&r), check_rotation(&r)};
        }
        ov_warm_start warm = {0};
        ov_contact c;
        ov_answer answer;
        long before = allocations;
        ov_pair_contact(&p.a, p.pose_a, &p.b, p.pose_b, NULL, &warm, &c);
        ov_pair_exceeds(&p.a, p.pose_a, &p.b, p.pose_b, 0.1, NULL, &warm, &answer);
        during += allocations - before;
        CHECK(c.status >= 0);
    }
    CHECK(during == 0);
#else
    printf("%s: allocations are not counted in this build\n", check_suite);
#endif
}

int main(void) {
    check_suite = "pair";
    RUN(test_bad_input);
    RUN(test_kinds);
    RUN(test_stacks);
    RUN(test_square_contacts);
    RUN(test_contained);
    RUN(test_no_allocation);
    return check_finish();
}
