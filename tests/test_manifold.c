/**
 * @file test_manifold.c
 * @brief Contact manifolds: known regions of boxes and round bodies, and for random pairs of every
 * kind a scan of both bodies along the normal.
 *
 * The oracle knows of each body only whether a point is in it (ov_shape_contains): it scans the
 * line of a manifold's point through the body and bisects to where the line leaves it. Nothing of
 * the patches, their planes or Newton's method is used for that. How much of the region of contact
 * a manifold spans is told by a grid over the tangent plane, each node scanned in the same way.
 */
#include <string.h>

#include "check.h"
#include "polyhedron_bodies.h"

static const ov_pose origin = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};

static ov_pose at(double x, double y, double z) {
    return (ov_pose){{x, y, z}, {1.0, 0.0, 0.0, 0.0}};
}

static double angle_about(ov_vec3 axis, double angle, ov_pose *pose) {
    pose->rotation = ov_quat_mul(ov_quat_from_axis_angle(axis, angle), pose->rotation);
    return angle;
}

/* ---- the oracle */

static bool is_inside(const ov_shape *s, ov_pose pose, ov_vec3 x) {
    bool inside = false;
    CHECK_OK(ov_shape_contains(s, ov_pose_apply_inverse(pose, x), &inside));
    return inside;
}

/**
 * Where the line x + t m leaves the body in the direction m, as t; false where no node of the scan
 * is inside. Of a body that is wide enough along the line every scan meets it.
 */
static bool scan_leave(const ov_shape *s, ov_pose pose, ov_vec3 x, ov_vec3 m, double reach,
                       double *t) {
    enum { NODES = 400 };
    double inner = -INFINITY, outer = INFINITY;
    for (int i = 0; i <= NODES; i++) {
        // closer together near the point, where a body may be thin
        double f = 2.0 * i / NODES - 1.0, node = reach * f * f * f;
        if (is_inside(s, pose, ov_vec3_add_scaled(x, m, node))) {
            inner = fmax(inner, node);
        }
    }
    if (!(inner > -INFINITY)) {
        return false;
    }
    for (int i = 0; i <= NODES; i++) {
        double f = 2.0 * i / NODES - 1.0, node = reach * f * f * f;
        outer = node > inner && node < outer ? node : outer;
    }
    for (int i = 0; i < 200 && outer - inner > 1e-14 * reach; i++) {
        double middle = 0.5 * (inner + outer);
        if (is_inside(s, pose, ov_vec3_add_scaled(x, m, middle))) {
            inner = middle;
        } else {
            outer = middle;
        }
    }
    *t = inner;
    return true;
}

static double size_of(const ov_shape *s) {
    return s->kind == OV_SHAPE_KIND_HALFSPACE ? 0.0 : s->ball.radius;
}

typedef struct placed {
    ov_shape shape;
    ov_pose pose;
} placed;

static double worst_surface, worst_line;
static long scanned, missed, askew;

/** Bodies of which it is known whether a point is in them. */
static bool has_inside(const ov_shape *s) {
    return s->kind != OV_SHAPE_KIND_TRIANGLE && s->kind != OV_SHAPE_KIND_SEGMENT &&
           s->kind != OV_SHAPE_KIND_POINT && s->dent == 0.0;
}

/** Is x where its line, in the direction m, leaves the body? */
static void check_on_surface(const placed *p, ov_vec3 x, ov_vec3 m, double tolerance) {
    double t, reach = 3.0 * size_of(&p->shape);
    reach = reach > 0.0 ? reach : 10.0;
    if (!has_inside(&p->shape)) {
        return;
    }
    if (!scan_leave(&p->shape, p->pose, x, m, reach, &t)) {
        missed++;
        return;
    }
    scanned++;
    worst_surface = fmax(worst_surface, fabs(t) / tolerance);
    if (!CHECK(fabs(t) <= tolerance) && check_may_print()) {
        fprintf(stderr, "  %s: off by %.3g, tolerance %.3g\n", ov_shape_kind_name(p->shape.kind), t,
                tolerance);
    }
}

/** What must hold of every manifold. */
static void check_manifold(const placed *a, const placed *b, double reach, const ov_manifold *m) {
    double size = fmax(size_of(&a->shape), size_of(&b->shape)), least = INFINITY;
    double small = size_of(&a->shape) > 0.0 && size_of(&b->shape) > 0.0
                       ? fmin(size_of(&a->shape), size_of(&b->shape))
                       : size;
    ov_vec3 n = m->contact.normal, mean = ov_vec3_make(0.0, 0.0, 0.0);
    for (int i = 0; i < m->count; i++) {
        mean = ov_vec3_add_scaled(mean, m->points[i].point_a, 1.0 / m->count);
    }
    bool polyhedron =
        a->shape.kind == OV_SHAPE_KIND_POLYHEDRON || b->shape.kind == OV_SHAPE_KIND_POLYHEDRON;
    double tolerance = (polyhedron ? 2e-6 : 1e-9) * size;
    CHECK(m->count >= 1 && m->count <= OV_MANIFOLD_POINTS_MAX);
    for (int i = 0; i < m->count; i++) {
        const ov_manifold_point *p = &m->points[i];
        ov_vec3 d = ov_vec3_sub(p->point_b, p->point_a);
        CHECK_NEAR(ov_vec3_dot(d, n), p->gap, 1e-12 * size);
        CHECK(p->gap <= reach);
        // g is nowhere below the gap of the pair
        CHECK(p->gap >= m->contact.gap_lower - tolerance);
        least = fmin(least, p->gap);
        for (int j = 0; j < i; j++) {
            CHECK(m->points[j].id != p->id);
        }
        ov_vec3 off = ov_vec3_add_scaled(d, n, -p->gap);
        if (m->count > 1) {
            CHECK_NEAR(ov_vec3_length(off), 0.0, 1e-11 * size);
            worst_line = fmax(worst_line, ov_vec3_length(off) / size);
            // a line along a side face would leave the body by rounding alone: a little inwards
            ov_vec3 inwards = ov_vec3_sub(mean, p->point_a);
            inwards = ov_vec3_scale(ov_vec3_add_scaled(inwards, n, -ov_vec3_dot(inwards, n)), 1e-9);
            check_on_surface(a, ov_vec3_add(p->point_a, inwards), n, tolerance);
            check_on_surface(b, ov_vec3_add(p->point_b, inwards), ov_vec3_neg(n), tolerance);
        }
    }
    // at depth the witness points need not be opposite; then nothing is promised of the deepest
    ov_vec3 w = ov_vec3_sub(m->contact.point_b, m->contact.point_a);
    w = ov_vec3_add_scaled(w, n, -ov_vec3_dot(w, n));
    if (m->count == 1 || ov_vec3_length(w) <= 1e-10 * size) {
        CHECK_NEAR(least, ov_vec3_dot(n, ov_vec3_sub(m->contact.point_b, m->contact.point_a)),
                   1.1e-4 * small + tolerance);
    } else {
        askew++;
    }
}

/* ---- known regions */

static ov_manifold manifold_of(const placed *a, const placed *b, double reach) {
    ov_manifold m;
    CHECK_OK(ov_pair_manifold(&a->shape, a->pose, &b->shape, b->pose, reach, NULL, NULL, &m));
    check_manifold(a, b, reach, &m);
    return m;
}

/** Is (x, y) one of the points, to 1e-9? Its gap, or NaN. */
static double gap_at(const ov_manifold *m, double x, double y) {
    for (int i = 0; i < m->count; i++) {
        ov_vec3 p = m->points[i].point_a;
        if (fabs(p.x - x) <= 1e-9 && fabs(p.y - y) <= 1e-9) {
            return m->points[i].gap;
        }
    }
    return NAN;
}

static placed floor_plane(void) {
    placed p = {.pose = origin};
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), 0.0, &p.shape));
    return p;
}

static placed box(double x, double y, double z, ov_pose pose) {
    placed p = {.pose = pose};
    CHECK_OK(ov_shape_make_box(ov_vec3_make(x, y, z), &p.shape));
    return p;
}

static void boxes(void) {
    placed ground = floor_plane(), low = box(1.0, 2.0, 0.5, at(0.0, 0.0, 0.49));
    ov_manifold m = manifold_of(&ground, &low, 0.02);
    CHECK(m.count == 4);
    for (int i = 0; i < 4; i++) {
        CHECK_NEAR(gap_at(&m, i & 1 ? 1.0 : -1.0, i & 2 ? 2.0 : -2.0), -0.01, 1e-12);
    }
    // one on the other, moved aside: the common rectangle
    placed high = box(1.0, 2.0, 0.5, at(0.5, 1.0, 1.495));
    m = manifold_of(&low, &high, 0.02);
    CHECK(m.count == 4);
    CHECK_NEAR(gap_at(&m, -0.5, -1.0), 0.005, 1e-12);
    CHECK_NEAR(gap_at(&m, 1.0, -1.0), 0.005, 1e-12);
    CHECK_NEAR(gap_at(&m, 1.0, 2.0), 0.005, 1e-12);
    CHECK_NEAR(gap_at(&m, -0.5, 2.0), 0.005, 1e-12);
    // turned by 45 degrees on a square one: an octagon
    placed square = box(1.0, 1.0, 0.5, origin), turned = box(1.0, 1.0, 0.5, at(0.0, 0.0, 1.0));
    angle_about(ov_vec3_make(0.0, 0.0, 1.0), 0.25 * M_PI, &turned.pose);
    m = manifold_of(&square, &turned, 0.02);
    CHECK(m.count == 8);
    CHECK_NEAR(gap_at(&m, 1.0, sqrt(2.0) - 1.0), 0.0, 1e-12);
    CHECK_NEAR(gap_at(&m, 1.0 - sqrt(2.0), -1.0), 0.0, 1e-12);
    // tipped about y by more than the reach allows: the two corners that are low
    placed tipped = box(1.0, 2.0, 0.5, at(0.0, 0.0, 0.5));
    angle_about(ov_vec3_make(0.0, 1.0, 0.0), 0.1, &tipped.pose);
    tipped.pose.position.z = 0.5 * cos(0.1) + sin(0.1);
    m = manifold_of(&ground, &tipped, 0.02);
    CHECK(m.count == 2);
    // ... and by less: all four, two of them higher by 2 sin(angle)
    tipped.pose = at(0.0, 0.0, 0.5 * cos(0.005) + sin(0.005));
    angle_about(ov_vec3_make(0.0, 1.0, 0.0), 0.005, &tipped.pose);
    m = manifold_of(&ground, &tipped, 0.02);
    CHECK(m.count == 4);
    int high_ones = 0;
    for (int i = 0; i < m.count; i++) {
        bool up = m.points[i].gap > 0.005;
        high_ones += up;
        CHECK_NEAR(m.points[i].gap, up ? 2.0 * sin(0.005) : 0.0, 1e-12);
    }
    CHECK(high_ones == 2);
}

static void round_bodies(void) {
    placed ground = floor_plane(), p = {.pose = at(0.0, 0.0, 1.0)};
    CHECK_OK(ov_shape_make_cylinder(0.5, 1.0, &p.shape));
    ov_manifold m = manifold_of(&ground, &p, 0.01);
    CHECK(m.count == 8);
    p.pose = at(0.0, 0.0, 0.5);
    angle_about(ov_vec3_make(0.0, 1.0, 0.0), 0.5 * M_PI, &p.pose);
    m = manifold_of(&ground, &p, 0.01);
    CHECK(m.count == 2);
    CHECK_NEAR(gap_at(&m, 1.0, 0.0), 0.0, 1e-12);
    CHECK_NEAR(gap_at(&m, -1.0, 0.0), 0.0, 1e-12);
    // two capsules along x, one moved by 0.5 along it, and turned by a little: gaps of the lines
    placed c = {.pose = at(0.5, 0.0, 1.0)}, d = {.pose = origin};
    CHECK_OK(ov_shape_make_capsule(0.5, 1.0, &c.shape));
    d.shape = c.shape;
    angle_about(ov_vec3_make(0.0, 1.0, 0.0), 0.5 * M_PI, &c.pose);
    angle_about(ov_vec3_make(0.0, 1.0, 0.0), 0.5 * M_PI, &d.pose);
    m = manifold_of(&d, &c, 0.01);
    CHECK(m.count == 2);
    CHECK_NEAR(gap_at(&m, 1.0, 0.0), 0.0, 1e-12);
    CHECK_NEAR(gap_at(&m, -0.5, 0.0), 0.0, 1e-12);
    // crossed: one point
    angle_about(ov_vec3_make(0.0, 0.0, 1.0), 1.0, &c.pose);
    m = manifold_of(&d, &c, 0.01);
    CHECK(m.count == 1 && m.points[0].id == 0);
    CHECK_OK(ov_shape_make_cone(1.0, 1.0, &p.shape));
    p.pose = at(0.0, 0.0, 1.0);
    CHECK(manifold_of(&ground, &p, 0.01).count == 8);
    angle_about(ov_vec3_make(0.0, 1.0, 0.0), M_PI, &p.pose);
    CHECK(manifold_of(&ground, &p, 0.01).count == 1);
    // on its side: the slant lies on the ground
    p.pose = origin;
    angle_about(ov_vec3_make(0.0, 1.0, 0.0), 0.5 * M_PI + atan(0.5), &p.pose);
    p.pose.position.z = 2.0 / sqrt(5.0) - 1.0 / sqrt(5.0);
    m = manifold_of(&ground, &p, 0.01);
    CHECK(m.count == 2);
    CHECK_OK(ov_shape_make_sphere(1.0, &p.shape));
    p.pose = at(0.0, 0.0, 1.0);
    CHECK(manifold_of(&ground, &p, 0.01).count == 1);
    CHECK_OK(ov_shape_make_ellipsoid(ov_vec3_make(1.0, 0.8, 0.6), &p.shape));
    p.pose = at(0.0, 0.0, 0.6);
    CHECK(manifold_of(&ground, &p, 0.01).count == 1);
}

/** Bricks: a flat in the middle and round edges. The four places where the normal is tilted. */
static void bricks(void) {
    placed ground = floor_plane(), p = {.pose = at(0.0, 0.0, 1.0)};
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(2.0, 1.0, 1.0), 0.2, 0.2, &p.shape));
    ov_manifold m = manifold_of(&ground, &p, 0.05);
    CHECK(m.count == 4);
    int corners = 0;
    for (int i = 0; i < m.count; i++) {
        ov_vec3 x = m.points[i].point_b, y = ov_vec3_make(fabs(x.x) / 2.0, fabs(x.y), x.z);
        // |x|^10 + |y|^10 + |z|^10 = 1, and the slope (x/z)^9 is that of the tilt
        bool corner = x.x * x.x > 0.1;
        corners += corner;
        CHECK_NEAR(m.points[i].gap,
                   corner ? 1.0 - pow(1.0 - pow(y.x, 10.0) - pow(y.y, 10.0), 0.1) : 0.0, 1e-12);
        CHECK(!corner || (y.x > 0.4 && y.y > 0.4));
    }
    CHECK(corners == 4);
    placed q = p;
    q.pose.position.z = 2.999;
    m = manifold_of(&p, &q, 0.05);
    CHECK(m.count == 4);
    // one that lies like a cylinder has the two ends of its ridge, and what is between is no lower
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(0.5, 0.5, 2.0), 1.0, 0.1, &p.shape));
    p.pose = at(0.0, 0.0, 0.5);
    angle_about(ov_vec3_make(0.0, 1.0, 0.0), 0.5 * M_PI, &p.pose);
    m = manifold_of(&ground, &p, 0.05);
    CHECK(m.count == 3 || m.count == 2);
    for (int i = 0; i < m.count; i++) {
        CHECK_NEAR(m.points[i].point_b.y, 0.0, 1e-9);
    }
}

static void flat_bodies(void) {
    placed t = {.pose = origin}, b = box(1.0, 1.0, 1.0, at(0.0, 0.0, 1.0));
    CHECK_OK(ov_shape_make_triangle(ov_vec3_make(-3.0, -3.0, 0.0), ov_vec3_make(3.0, -3.0, 0.0),
                                    ov_vec3_make(0.0, 3.0, 0.0), &t.shape));
    ov_manifold m = manifold_of(&t, &b, 0.01);
    CHECK(m.count >= 4);
    CHECK_NEAR(gap_at(&m, 1.0, -1.0), 0.0, 1e-9);
    CHECK_OK(ov_shape_make_segment(ov_vec3_make(-3.0, 0.25, 0.0), ov_vec3_make(0.5, 0.25, 0.0),
                                   &t.shape));
    m = manifold_of(&t, &b, 0.01);
    CHECK(m.count == 2);
    CHECK_NEAR(gap_at(&m, 0.5, 0.25), 0.0, 1e-9);
    CHECK_NEAR(gap_at(&m, -1.0, 0.25), 0.0, 1e-9);
    // a prism of 24 sides has no more than eight points
    body *prism = &work;
    placed p = {.pose = at(0.0, 0.0, 2.5)}, lid = box(3.0, 3.0, 1.0, origin);
    make_prism(prism, 24, 1.0, 1.5);
    CHECK_OK(make(prism, &p.shape));
    m = manifold_of(&lid, &p, 0.01);
    CHECK(m.count == 8);
    placed ground = floor_plane();
    p.pose.position.z = 1.5;
    CHECK(manifold_of(&ground, &p, 0.01).count == 8);
}

/* ---- random pairs */

static body meshes[4];

static placed random_placed(check_random *r, int kind) {
    placed p = {.pose = {ov_vec3_scale(check_unit_vector(r), check_uniform(r, 0.0, 5.0)),
                         check_rotation(r)}};
    ov_vec3 a = ov_vec3_make(check_log_uniform(r, 0.2, 1.0), check_log_uniform(r, 0.2, 1.0),
                             check_log_uniform(r, 0.2, 1.0));
    double e1 = check_uniform(r, 0.05, 1.6), e2 = check_uniform(r, 0.05, 1.6);
    ov_status status = OV_ERROR_DENT;
    switch (kind) {
    case 0:
        CHECK_OK(ov_shape_make_ellipsoid(a, &p.shape));
        break;
    case 1:
        CHECK_OK(ov_shape_make_superellipsoid(a, e1, e2, &p.shape));
        break;
    case 2: {
        const ov_shape_options no_dent = {OV_ZERO};
        while (status != OV_OK) {
            status = ov_shape_make_superovoid(
                a, check_uniform(r, 0.1, 1.2), check_uniform(r, 0.1, 1.2),
                check_uniform(r, -0.4, 0.4), check_uniform(r, -0.4, 0.4), &no_dent, &p.shape);
        }
        break;
    }
    case 3:
        CHECK_OK(ov_shape_make_box(a, &p.shape));
        break;
    case 4:
        CHECK_OK(ov_shape_make_capsule(a.x, a.z, &p.shape));
        break;
    case 5:
        CHECK_OK(ov_shape_make_cylinder(a.x, a.z, &p.shape));
        break;
    case 6:
        CHECK_OK(ov_shape_make_cone(a.x, a.z, &p.shape));
        break;
    case 7:
        CHECK_OK(make(&meshes[check_random_bits(r) % 4], &p.shape));
        break;
    case 8:
        CHECK_OK(ov_shape_make_triangle(a, ov_vec3_make(-a.x, a.y, 0.1), ov_vec3_neg(a), &p.shape));
        break;
    case 9:
        CHECK_OK(ov_shape_make_sphere(a.x, &p.shape));
        break;
    case 10:
        CHECK_OK(ov_shape_make_segment(a, ov_vec3_neg(a), &p.shape));
        break;
    default:
        CHECK_OK(ov_shape_make_halfspace(check_unit_vector(r), 0.3, &p.shape));
        break;
    }
    return p;
}
enum { PAIR_KINDS = 12 };

/** Turns B so that one of its axes is along one of A's, but for a small angle. */
static void line_up(check_random *r, const placed *a, placed *b) {
    static const double quarter = 0.70710678118654752;
    ov_quat q = a->pose.rotation, by = {quarter, 0.0, 0.0, 0.0};
    double *axis[3] = {&by.x, &by.y, &by.z};
    if (a->shape.kind == OV_SHAPE_KIND_HALFSPACE) {
        return;
    }
    *axis[check_random_bits(r) % 3] = quarter;
    ov_quat small = ov_quat_from_axis_angle(check_unit_vector(r), check_log_uniform(r, 1e-6, 0.1));
    ov_quat spin = ov_quat_from_axis_angle(
        ov_vec3_make(0.0, 0.0, 1.0), check_random_bits(r) % 2 ? check_uniform(r, -3.0, 3.0) : 0.0);
    b->pose.rotation = ov_quat_mul(small, ov_quat_mul(q, ov_quat_mul(by, spin)));
    // beside it along one of its axes, so that flats face each other
    double away[3];
    for (int i = 0; i < 3; i++) {
        away[i] = check_uniform(r, -0.3, 0.3);
    }
    away[check_random_bits(r) % 3] = check_random_bits(r) % 2 ? 4.0 : -4.0;
    b->pose.position = ov_pose_apply(a->pose, ov_vec3_make(away[0], away[1], away[2]));
}

/** Moves B until its gap to A is about the one given. */
static bool bring_near(const placed *a, placed *b, double gap) {
    for (int i = 0; i < 6; i++) {
        ov_contact c;
        ov_status status = ov_pair_contact(&a->shape, a->pose, &b->shape, b->pose, NULL, NULL, &c);
        if (status < 0) {
            return false;
        }
        b->pose.position = ov_vec3_add_scaled(b->pose.position, c.normal, gap - c.gap);
    }
    return true;
}

static void random_pairs(void) {
    check_random r = check_random_make(1701);
    long points = 0, manifolds = 0, several = 0;
    long box_pairs = 0, box_several = 0;
    make_box(&meshes[0], ov_vec3_make(0.5, 0.4, 0.3));
    make_ellipsoid(&meshes[1], 12, 6, ov_vec3_make(0.6, 0.4, 0.5));
    make_prism(&meshes[2], 7, 0.5, 0.4);
    make_ellipsoid(&meshes[3], 5, 2, ov_vec3_make(0.3, 0.4, 0.5));
    long count = check_count(9000);
    for (long i = 0; i < count; i++) {
        int kind_a = (int)(i % PAIR_KINDS), kind_b = (int)(i / PAIR_KINDS % PAIR_KINDS);
        placed a = random_placed(&r, kind_a), b = random_placed(&r, kind_b);
        if (kind_a == PAIR_KINDS - 1 && kind_b == PAIR_KINDS - 1) {
            continue;
        }
        if (i % 4 != 0) {
            line_up(&r, &a, &b);
        }
        double size = fmax(size_of(&a.shape), size_of(&b.shape));
        if (!bring_near(&a, &b, size * check_uniform(&r, -0.03, 0.015))) {
            continue;
        }
        ov_manifold m, again;
        double reach = size * check_uniform(&r, 0.02, 0.05);
        ov_status status =
            ov_pair_manifold(&a.shape, a.pose, &b.shape, b.pose, reach, NULL, NULL, &m);
        if (!CHECK(status >= 0) || m.contact.gap > reach) {
            continue;
        }
        long failed = check_failed;
        check_manifold(&a, &b, reach, &m);
        if (check_failed > failed && check_may_print()) {
            fprintf(stderr, "  pair %ld: %s and %s, %d points\n", i,
                    ov_shape_kind_name(a.shape.kind), ov_shape_kind_name(b.shape.kind), m.count);
        }
        CHECK(ov_contact_manifold(&a.shape, a.pose, &b.shape, b.pose, &m.contact, reach, &again) ==
              status);
        CHECK(again.count == m.count &&
              memcmp(again.points, m.points, (size_t)m.count * sizeof *m.points) == 0);
        manifolds++;
        points += m.count;
        several += m.count > 1;
        box_pairs += kind_a == 3 && kind_b == 3;
        box_several += kind_a == 3 && kind_b == 3 && m.count > 1;
    }
    printf("%s: %ld manifolds, %ld of several points, %ld points, %ld askew; %ld scans, %ld "
           "missed; worst "
           "distance from the surface %.2g tolerances\n",
           check_suite, manifolds, several, points, askew, scanned, missed, worst_surface);
    // of thin cuts a scan may find no node: these must be few among many; a cut is missed with all
    // points of its manifold, so that a few hundred points say nothing
    CHECK(check_every() > 1 || missed <= scanned / 50);
    CHECK(box_several > box_pairs / 2 && several > manifolds / 10);
}

/* ---- how much of the region is spanned */

static double hull_area(const ov_manifold *m) {
    // points of a convex region: sum over all directions of supports would do; here the largest
    // polygon by angle about the mean
    double u[OV_MANIFOLD_POINTS_MAX], v[OV_MANIFOLD_POINTS_MAX], mu = 0.0, mv = 0.0, area = 0.0;
    ov_mat3 f = ov_mat3_householder(m->contact.normal);
    int order[OV_MANIFOLD_POINTS_MAX], n = 0;
    for (int i = 0; i < m->count; i++) {
        if (m->points[i].id == 0 || m->points[i].id >> 32 == INT32_MAX) {
            continue; // in the middle
        }
        u[n] = ov_vec3_dot(m->points[i].point_a, f.cy);
        v[n] = ov_vec3_dot(m->points[i].point_a, f.cz);
        order[n] = n;
        mu += u[n];
        mv += v[n++];
    }
    mu /= n;
    mv /= n;
    for (int i = 1; i < n; i++) {
        for (int j = i; j > 0 && atan2(v[order[j]] - mv, u[order[j]] - mu) <
                                     atan2(v[order[j - 1]] - mv, u[order[j - 1]] - mu);
             j--) {
            int swap = order[j];
            order[j] = order[j - 1];
            order[j - 1] = swap;
        }
    }
    for (int i = 0; i < n; i++) {
        int p = order[i], q = order[(i + 1) % n];
        area += 0.5 * ((u[p] - mu) * (v[q] - mv) - (u[q] - mu) * (v[p] - mv));
    }
    return area;
}

/** Area in which the bodies are within the reach, by a grid. */
static double region_area(const placed *a, const placed *b, const ov_manifold *m, double reach) {
    enum { GRID = 60 };
    ov_mat3 f = ov_mat3_householder(m->contact.normal);
    double size = fmin(size_of(&a->shape), size_of(&b->shape)), cell = 2.4 * size / GRID, area = 0;
    for (int i = 0; i < GRID; i++) {
        for (int j = 0; j < GRID; j++) {
            ov_vec3 x = ov_vec3_add_scaled(b->pose.position, f.cy, (i + 0.5) * cell - 1.2 * size);
            double ta, tb;
            x = ov_vec3_add_scaled(x, f.cz, (j + 0.5) * cell - 1.2 * size);
            x = ov_vec3_add_scaled(
                x, m->contact.normal,
                ov_vec3_dot(ov_vec3_sub(m->contact.point_a, x), m->contact.normal));
            if (scan_leave(&a->shape, a->pose, x, m->contact.normal, 3.0 * size, &ta) &&
                scan_leave(&b->shape, b->pose, x, ov_vec3_neg(m->contact.normal), 3.0 * size,
                           &tb) &&
                -tb - ta <= reach) {
                area += cell * cell;
            }
        }
    }
    return area;
}

static void spans(void) {
    placed low = box(1.0, 1.0, 0.5, origin), high = box(0.8, 1.0, 0.5, at(0.4, 0.3, 1.0));
    angle_about(ov_vec3_make(0.0, 0.0, 1.0), 0.3, &high.pose);
    ov_manifold m = manifold_of(&low, &high, 0.01);
    double true_area = region_area(&low, &high, &m, 0.01);
    CHECK_NEAR(hull_area(&m), true_area, 0.03 * true_area);
    // a brick on a brick: within a reach of 0.5 % of its size four places span a third of the
    // region
    placed p = {.pose = origin}, q = {.pose = at(0.2, 0.1, 2.0)};
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(1.0, 1.0, 1.0), 0.2, 0.2, &p.shape));
    q.shape = p.shape;
    m = manifold_of(&p, &q, 0.01);
    true_area = region_area(&p, &q, &m, 0.01);
    printf("%s: a brick on a brick: %.3g of %.3g\n", check_suite, hull_area(&m), true_area);
    CHECK(hull_area(&m) > 0.25 * true_area && hull_area(&m) < true_area);
}

/* ---- ids */

/** A small move keeps features, so it keeps ids. */
static void ids_last(void) {
    check_random r = check_random_make(99);
    long kept = 0, all = 0;
    for (int i = 0; i < 400; i++) {
        static const int kinds[] = {1, 3, 5, 7, 2};
        placed a = random_placed(&r, kinds[i % 5]), b = random_placed(&r, kinds[i / 5 % 5]);
        a.pose.rotation = ov_quat_identity();
        line_up(&r, &a, &b);
        if (!bring_near(&a, &b, -0.002)) {
            continue;
        }
        ov_manifold before, after;
        CHECK(ov_pair_manifold(&a.shape, a.pose, &b.shape, b.pose, 0.02, NULL, NULL, &before) >= 0);
        b.pose.position =
            ov_vec3_add_scaled(b.pose.position, check_unit_vector(&r), 1e-5 * b.shape.ball.radius);
        angle_about(check_unit_vector(&r), 1e-6, &b.pose);
        CHECK(ov_pair_manifold(&a.shape, a.pose, &b.shape, b.pose, 0.02, NULL, NULL, &after) >= 0);
        for (int j = 0; j < before.count; j++) {
            bool found = false;
            for (int k = 0; k < after.count; k++) {
                found = found || after.points[k].id == before.points[j].id;
            }
            kept += found;
            all++;
        }
    }
    printf("%s: %ld of %ld ids last\n", check_suite, kept, all);
    CHECK(kept > all - all / 50);
}

/* ---- other bodies, bad input */

static ov_vec3 custom_support(const void *user, ov_vec3 n) {
    ov_support out;
    (void)ov_shape_support(user, n, &out);
    return out.point;
}

/** A body of which the library knows the support only has the points of the body itself. */
static void custom_bodies(void) {
    placed ground = floor_plane(), p = {.pose = at(0.0, 0.0, 0.999)}, q = p;
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(1.0, 1.5, 1.0), 0.3, 0.3, &p.shape));
    CHECK_OK(ov_shape_make_custom(custom_support, &p.shape, p.shape.ball, &q.shape));
    ov_manifold m = manifold_of(&ground, &p, 0.05), n;
    CHECK_OK(ov_pair_manifold(&ground.shape, origin, &q.shape, q.pose, 0.05, NULL, NULL, &n));
    CHECK(m.count == n.count && m.count == 4);
    for (int i = 0; i < n.count; i++) {
        CHECK_NEAR(n.points[i].gap, m.points[i].gap, 1e-8);
        CHECK(n.points[i].id == m.points[i].id);
    }
    // a tapered one over a dent: the hull is the body, so no point is below the plane's gap
    ov_shape_options options = {0.2};
    CHECK_OK(ov_shape_make_superovoid(ov_vec3_make(1.0, 1.0, 1.0), 1.6, 0.3, 0.3, 0.3, &options,
                                      &q.shape));
    CHECK_OK(ov_pair_manifold(&ground.shape, origin, &q.shape, q.pose, 0.05, NULL, NULL, &n));
    for (int i = 0; i < n.count; i++) {
        CHECK(n.points[i].gap >= n.contact.gap_lower - 1e-8);
    }
}

/** Cubes of which only the support is known, on a plate, on each other and turned a little: their
 *  corners are on their outlines, where rays may miss them. */
static void known_by_support(void) {
    static ov_vec3 corners[8];
    for (int i = 0; i < 8; i++) {
        corners[i] = ov_vec3_make(i & 1 ? 0.1 : -0.1, i & 2 ? 0.1 : -0.1, i & 4 ? 0.1 : -0.1);
    }
    placed plate = box(50.0, 50.0, 1.0, at(0.0, 0.0, -1.0));
    placed cube = box(0.1, 0.1, 0.1, at(0.0, 0.0, 0.1 - 1e-5)), other = cube;
    const ov_shape like = cube.shape;
    for (int i = 0; i < 8; i++) {
        if (i % 2 == 0) {
            CHECK_OK(ov_shape_make_custom(custom_support, &like, like.ball, &cube.shape));
        } else {
            CHECK_OK(ov_shape_make_polyhedron(corners, 8, NULL, 0, &cube.shape));
        }
        double angle = i < 4 ? 0.0 : 1e-4;
        cube.pose.rotation = ov_quat_from_axis_angle(ov_vec3_make(1.0, 0.3, 0.0), angle);
        other.shape = cube.shape;
        other.pose = at(0.01, 0.02, -0.1);
        const placed *below = i % 4 < 2 ? &plate : &other;
        ov_manifold m;
        CHECK_OK(ov_pair_manifold(&below->shape, below->pose, &cube.shape, cube.pose, 0.005, NULL,
                                  NULL, &m));
        CHECK(m.count == 4);
        for (int k = 0; k < m.count; k++) {
            ov_vec3 b = m.points[k].point_b;
            CHECK(fabs(b.x) > 0.075 && fabs(b.y) > 0.075);
            CHECK_NEAR(m.points[k].gap, -1e-5, 2e-5);
        }
    }
}

/** A flat brick that is sunk in a floor on all of its side, and tilted by more than the normals of
 *  a smooth body's patch are: the points are at all of its corners, each with its depth. */
static void sunk_brick(void) {
    placed ground = floor_plane(), p = {.pose = at(0.0, 0.0, 0.0067)};
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(0.05, 0.05, 0.01), 0.1, 0.1, &p.shape));
    p.pose.rotation = ov_quat_from_axis_angle(ov_vec3_make(0.0, 1.0, 0.0), 0.003);
    ov_manifold m = manifold_of(&ground, &p, 0.002);
    CHECK(m.count >= 4);
    int sides[2] = {0, 0};
    for (int i = 0; i < m.count; i++) {
        double x = m.points[i].point_b.x;
        CHECK(m.points[i].gap < -0.0025);
        sides[0] += x < -0.03;
        sides[1] += x > 0.03;
    }
    CHECK(sides[0] >= 2 && sides[1] >= 2);
}

static void bad_input(void) {
    placed ground = floor_plane(), p = box(1.0, 1.0, 1.0, at(0.0, 0.0, 1.0));
    ov_manifold m;
    ov_contact c;
    const ov_pair_options bad = {.tolerance = 1.0};
    CHECK_STATUS(ov_pair_manifold(&p.shape, p.pose, &ground.shape, origin, 0.1, NULL, NULL, NULL),
                 OV_ERROR_NULL);
    CHECK_STATUS(ov_pair_manifold(NULL, p.pose, &ground.shape, origin, 0.1, NULL, NULL, &m),
                 OV_ERROR_NULL);
    CHECK(m.count == 0 && isnan(m.contact.gap));
    CHECK_STATUS(ov_pair_manifold(&p.shape, p.pose, &ground.shape, origin, NAN, NULL, NULL, &m),
                 OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_pair_manifold(&p.shape, p.pose, &ground.shape, origin, -1.0, NULL, NULL, &m),
                 OV_ERROR_OPTION);
    CHECK_STATUS(
        ov_pair_manifold(&p.shape, p.pose, &ground.shape, origin, INFINITY, NULL, NULL, &m),
        OV_ERROR_OPTION);
    CHECK_STATUS(ov_pair_manifold(&p.shape, p.pose, &ground.shape, origin, 0.1, &bad, NULL, &m),
                 OV_ERROR_OPTION);
    CHECK_STATUS(
        ov_pair_manifold(&ground.shape, origin, &ground.shape, origin, 0.1, NULL, NULL, &m),
        OV_ERROR_UNBOUNDED);
    CHECK(m.count == 0);
    p.pose.position.x = NAN;
    CHECK_STATUS(ov_pair_manifold(&p.shape, p.pose, &ground.shape, origin, 0.1, NULL, NULL, &m),
                 OV_ERROR_NOT_FINITE);
    p.pose.position.x = 0.0;
    // far apart: no points
    p.pose.position.z = 2.0;
    CHECK_OK(ov_pair_manifold(&ground.shape, origin, &p.shape, p.pose, 0.1, NULL, NULL, &m));
    CHECK(m.count == 0 && m.contact.gap == 1.0);
    // a contact of nothing
    CHECK_OK(ov_pair_contact(&ground.shape, origin, &p.shape, p.pose, NULL, NULL, &c));
    CHECK_STATUS(ov_contact_manifold(&ground.shape, origin, &p.shape, p.pose, NULL, 0.1, &m),
                 OV_ERROR_NULL);
    CHECK_STATUS(ov_contact_manifold(&ground.shape, origin, &p.shape, p.pose, &c, 0.1, NULL),
                 OV_ERROR_NULL);
    c.normal = ov_vec3_make(0.0, 0.0, 0.0);
    CHECK_STATUS(ov_contact_manifold(&ground.shape, origin, &p.shape, p.pose, &c, 0.1, &m),
                 OV_ERROR_NOT_FINITE);
    c.status = OV_ERROR_UNBOUNDED;
    CHECK_STATUS(ov_contact_manifold(&ground.shape, origin, &p.shape, p.pose, &c, 0.1, &m),
                 OV_ERROR_UNBOUNDED);
}

/** From the smallest to the largest sizes the points are the same, scaled. */
static void sizes(void) {
    for (double scale = 1e-50; scale < 1e51; scale *= 1e10) {
        placed ground = floor_plane(), p = box(scale, 2.0 * scale, scale, at(0.0, 0.0, scale));
        ov_manifold m;
        CHECK_OK(ov_pair_manifold(&ground.shape, origin, &p.shape, p.pose, 0.01 * scale, NULL, NULL,
                                  &m));
        CHECK(m.count == 4);
        CHECK_OK(
            ov_shape_make_superellipsoid(ov_vec3_make(scale, scale, scale), 0.2, 0.2, &p.shape));
        CHECK_OK(ov_pair_manifold(&ground.shape, origin, &p.shape, p.pose, 0.01 * scale, NULL, NULL,
                                  &m));
        CHECK(m.count == 4);
    }
}

int main(void) {
    check_suite = "test_manifold";
    RUN(boxes);
    RUN(round_bodies);
    RUN(bricks);
    RUN(flat_bodies);
    RUN(random_pairs);
    RUN(spans);
    RUN(ids_last);
    RUN(custom_bodies);
    RUN(known_by_support);
    RUN(sunk_brick);
    RUN(sizes);
    RUN(bad_input);
    return check_finish();
}
