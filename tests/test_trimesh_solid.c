/**
 * @file test_trimesh_solid.c
 * @brief Closed meshes as solids: which meshes are closed, what is inside of them, and how deep.
 *
 * Inside or outside is told by an oracle of another kind than the library's: the sum of the solid
 * angles of all triangles, in long double. A depth is held against it as well: the translation that
 * the library proves to separate is carried out, and all that was inside must be outside then.
 */
#include <ovoid/motion.h>

#include "trimesh_cases.h"

/* ---- the oracle */

/** How often the triangles wind round a point [Van Oosterom and Strackee 1983]. */
static double winding_of(const soup *s, ov_pose pose, lvec p) {
    long double sum = 0.0L;
    for (size_t i = 0; i < s->triangle_count; i++) {
        lvec c[3];
        lv_triangle(s, i, pose, c);
        long double l[3];
        for (int k = 0; k < 3; k++) {
            c[k] = lv_sub(c[k], p);
            l[k] = lv_length(c[k]);
        }
        long double top = lv_dot(c[0], lv_cross(c[1], c[2]));
        long double below = l[0] * l[1] * l[2] + lv_dot(c[0], c[1]) * l[2] +
                            lv_dot(c[1], c[2]) * l[0] + lv_dot(c[2], c[0]) * l[1];
        sum += 2.0L * atan2l(top, below);
    }
    return (double)(sum / (4.0L * acosl(-1.0L)));
}

static bool is_inside(const soup *s, ov_pose pose, lvec p) {
    return fabs(winding_of(s, pose, p)) > 0.5;
}

static double distance_of(const soup *s, ov_pose pose, lvec p) {
    long double least = INFINITY;
    for (size_t i = 0; i < s->triangle_count; i++) {
        lvec c[3];
        lv_triangle(s, i, pose, c);
        least = fminl(least, point_triangle(p, c));
    }
    return (double)least;
}

/* ---- meshes */

/** Twelve triangles of a box, facing outwards, or inwards. */
static soup soup_box(ov_vec3 centre, ov_vec3 half, bool inwards) {
    static const uint32_t faces[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7},
                                          {0, 1, 5}, {0, 5, 4}, {2, 3, 7}, {2, 7, 6},
                                          {1, 2, 6}, {1, 6, 5}, {3, 0, 4}, {3, 4, 7}};
    soup s = soup_make(8, 12);
    for (int i = 0; i < 8; i++) {
        ov_vec3 corner = {i % 4 == 1 || i % 4 == 2 ? half.x : -half.x, i % 4 > 1 ? half.y : -half.y,
                          i > 3 ? half.z : -half.z};
        s.vertices[i] = ov_vec3_add(centre, corner);
    }
    for (int i = 0; i < 12; i++) {
        s.triangles[i][0] = faces[i][0];
        s.triangles[i][1] = faces[i][inwards ? 2 : 1];
        s.triangles[i][2] = faces[i][inwards ? 1 : 2];
    }
    return s;
}

/** Both in one; frees them. */
static soup soup_join(soup a, soup b) {
    soup s = soup_make(a.vertex_count + b.vertex_count, a.triangle_count + b.triangle_count);
    memcpy(s.vertices, a.vertices, a.vertex_count * sizeof *a.vertices);
    memcpy(s.vertices + a.vertex_count, b.vertices, b.vertex_count * sizeof *b.vertices);
    memcpy(s.triangles, a.triangles, a.triangle_count * sizeof *a.triangles);
    for (size_t i = 0; i < b.triangle_count; i++) {
        for (int k = 0; k < 3; k++) {
            s.triangles[a.triangle_count + i][k] = b.triangles[i][k] + (uint32_t)a.vertex_count;
        }
    }
    soup_free(&a);
    soup_free(&b);
    return s;
}

/** Each triangle with corners of its own, as STL files have it, and in another order. */
static soup soup_apart(soup a) {
    soup s = soup_make(3 * a.triangle_count, a.triangle_count);
    for (size_t i = 0; i < a.triangle_count; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            size_t to = (i * 7 + 3) % a.triangle_count;
            to = a.triangle_count % 7 == 0 ? i : to;
            s.triangles[to][k] = (uint32_t)(3 * i) + k;
            s.vertices[3 * i + k] = a.vertices[a.triangles[i][k]];
        }
    }
    soup_free(&a);
    return s;
}

static soup soup_turned_over(soup s) {
    for (size_t i = 0; i < s.triangle_count; i++) {
        uint32_t swap = s.triangles[i][1];
        s.triangles[i][1] = s.triangles[i][2];
        s.triangles[i][2] = swap;
    }
    return s;
}

/** A ring, which is not convex and has a hole. */
static soup soup_ring(size_t vertices) {
    ov_shape ring;
    CHECK_OK(ov_shape_make_supertoroid(ov_vec3_make(0.4, 0.4, 0.4), 1.0, 1.0, 2.5, &ring));
    return soup_of_shape(&ring, vertices);
}

static soup soup_ball(size_t vertices, double radius) {
    ov_shape ball;
    CHECK_OK(ov_shape_make_sphere(radius, &ball));
    return soup_of_shape(&ball, vertices);
}

static const ov_vec3 ORIGIN = {0.0, 0.0, 0.0}, ONES = {1.0, 1.0, 1.0}, HALVES = {0.5, 0.5, 0.5};

enum { SOLIDS = 10 };

/** All kinds of closed meshes. */
static soup some_solid(int which) {
    const ov_vec3 long_half = {1.5, 0.4, 0.3}, beside = {2.5, 0.1, 0.0};
    switch (which % SOLIDS) {
    case 0:
        return soup_box(ORIGIN, ONES, false);
    case 1: // turned inside out
        return soup_box(ORIGIN, long_half, true);
    case 2: // with a cavity
        return soup_join(soup_box(ORIGIN, ONES, false), soup_box(ORIGIN, HALVES, true));
    case 3: // ... turned inside out
        return soup_join(soup_box(ORIGIN, ONES, true), soup_box(ORIGIN, HALVES, false));
    case 4:
        return soup_ring(150);
    case 5:
        return soup_apart(soup_ring(90));
    case 6: // nested, both facing outwards
        return soup_join(soup_ball(60, 1.2), soup_box(ORIGIN, HALVES, false));
    case 7: // side by side, one of them inside out
        return soup_join(soup_box(ORIGIN, ONES, false), soup_box(beside, HALVES, true));
    case 8: // crossing each other
        return soup_join(soup_box(ORIGIN, long_half, false), soup_ball(80, 0.8));
    default: // with a cavity that holds a core
        return soup_join(soup_join(soup_ball(100, 1.5), soup_turned_over(soup_ball(60, 1.0))),
                         soup_box(ORIGIN, (ov_vec3){0.4, 0.3, 0.2}, false));
    }
}

/* ---- what is closed */

static void expect_closed(soup s, bool solid, size_t open, const char *what) {
    ov_trimesh *mesh = soup_mesh(&s);
    bool good = ov_trimesh_is_solid(mesh) == solid && ov_trimesh_open_count(mesh) == open;
    if (!CHECK(good)) {
        fprintf(stderr, "%s: solid %d, open %zu\n", what, ov_trimesh_is_solid(mesh),
                ov_trimesh_open_count(mesh));
    }
    ov_trimesh_destroy(mesh);
    mesh = soup_surface(&s);
    CHECK(!ov_trimesh_is_solid(mesh) && ov_trimesh_open_count(mesh) == s.triangle_count);
    ov_trimesh_destroy(mesh);
    soup_free(&s);
}

static soup box_with(void (*change)(soup *)) {
    soup s = soup_join(soup_box(ORIGIN, ONES, false), soup_make(0, 1));
    s.triangle_count--; // room for one more
    change(&s);
    return s;
}

static void lose_one(soup *s) { s->triangle_count--; }
static void turn_one(soup *s) {
    uint32_t swap = s->triangles[4][0];
    s->triangles[4][0] = s->triangles[4][1];
    s->triangles[4][1] = swap;
}
static void add_fin(soup *s) {
    const uint32_t fin[3] = {0, 1, 6};
    memcpy(s->triangles[s->triangle_count++], fin, sizeof fin);
}
static void add_twice(soup *s) {
    memcpy(s->triangles[12], s->triangles[3], sizeof s->triangles[3]);
    s->triangle_count++;
}
static void add_line(soup *s) {
    const uint32_t line[3] = {0, 6, 0};
    memcpy(s->triangles[s->triangle_count++], line, sizeof line);
}

static void knows_what_is_closed(void) {
    for (int i = 0; i < SOLIDS; i++) {
        expect_closed(some_solid(i), true, 0, "a solid");
        expect_closed(soup_apart(some_solid(i)), true, 0, "a solid in single triangles");
    }
    expect_closed(box_with(lose_one), false, 11, "a triangle is missing");
    expect_closed(box_with(turn_one), false, 12, "a triangle is turned over");
    expect_closed(box_with(add_fin), false, 13, "a fin");
    expect_closed(box_with(add_twice), false, 13, "a triangle that is there twice");
    expect_closed(box_with(add_line), true, 0, "a triangle without area");
    expect_closed(soup_terrain(5, 1.0, 0.2), false, 50, "ground");
    soup sheet = soup_terrain(4, 1.0, 0.2), back = soup_turned_over(soup_terrain(4, 1.0, 0.2));
    expect_closed(soup_join(sheet, back), false, 64, "a sheet with two sides");
    soup ball = soup_ball(50, 1.0);
    size_t both = 2 * ball.triangle_count;
    expect_closed(soup_join(ball, soup_turned_over(soup_ball(50, 1.0))), false, both,
                  "a ball with two sides");
    // boxes that share a face, an edge or a corner: a solid all the same
    const ov_vec3 face = {2.0, 0.0, 0.0}, edge = {2.0, 2.0, 0.0}, corner = {2.0, 2.0, 2.0};
    const ov_vec3 places[3] = {face, edge, corner};
    for (int i = 0; i < 3; i++) {
        expect_closed(soup_join(soup_box(ORIGIN, ONES, false), soup_box(places[i], ONES, false)),
                      true, 0, "two boxes that touch");
        expect_closed(soup_join(soup_box(ORIGIN, ONES, false), soup_box(places[i], ONES, true)),
                      true, 0, "a box and its mirror image, turned inside out");
    }
    // closed and open pieces
    soup ground = soup_terrain(3, 5.0, 0.0);
    for (size_t i = 0; i < ground.vertex_count; i++) {
        ground.vertices[i].z -= 4.0;
    }
    expect_closed(soup_join(soup_box(ORIGIN, ONES, false), ground), true, 18, "a box and ground");
    // zeros of either sign are the same place
    soup s = soup_apart(soup_box(ONES, ONES, false));
    for (size_t i = 0; i < s.vertex_count; i += 2) {
        s.vertices[i].x = s.vertices[i].x == 0.0 ? -0.0 : s.vertices[i].x;
    }
    expect_closed(s, true, 0, "zeros of either sign");
    CHECK(!ov_trimesh_is_solid(NULL) && ov_trimesh_open_count(NULL) == 0);
}

/* ---- spheres, with an exact oracle */

/** A place about a mesh: of `tries`, the first that is inside, or else the last. */
static ov_vec3 some_place(check_random *r, const soup *s, int tries) {
    ov_vec3 p = ORIGIN;
    for (int i = 0; i < tries; i++) {
        p = ov_vec3_make(check_uniform(r, -2.0, 2.0), check_uniform(r, -1.6, 1.6),
                         check_uniform(r, -1.3, 1.3));
        if (is_inside(s, ov_pose_identity(), lv_of(p))) {
            break;
        }
    }
    return p;
}

typedef struct tally {
    long inside, crossing, outside, weak;
    double most; // of the depths, over the least that sampling has found
} tally;

static ov_vec3 to_vec3(lvec p) { return ov_vec3_make((double)p.x, (double)p.y, (double)p.z); }

/** A translation that leaves a ball outside: the shortest of many tries. */
static double sampled_depth(const soup *s, ov_pose pose, lvec c, double radius, check_random *r) {
    double best = INFINITY;
    for (int i = 0; i < 24; i++) {
        lvec n = lv_of(check_unit_vector(r));
        for (double way = 0.02; way < fmin(best, 6.0); way += 0.07) {
            lvec to = lv_at(c, n, way);
            if (distance_of(s, pose, to) > radius && !is_inside(s, pose, to)) {
                best = way;
            }
        }
    }
    return best;
}

static void check_ball(const soup *s, const ov_trimesh *mesh, ov_pose pose, ov_vec3 centre,
                       double radius, check_random *r, tally *t) {
    ov_shape ball;
    ov_pose at = {centre, check_rotation(r)};
    ov_trimesh_contact found;
    CHECK_OK(radius > 0.0 ? ov_shape_make_sphere(radius, &ball)
                          : ov_shape_make_point(ORIGIN, &ball));
    double limit = check_uniform(r, 0.0, 1.0) < 0.5 ? INFINITY : check_uniform(r, 0.0, 0.3);
    ov_status status = ov_trimesh_shape_contact(mesh, pose, &ball, at, limit, NULL, &found);
    const ov_contact *c = &found.contact;
    lvec p = lv_of(centre);
    double d = distance_of(s, pose, p);
    bool inside = is_inside(s, pose, p);
    if (!CHECK(status >= 0) || fabs(d - radius) < 1e-7 || d < 1e-7) {
        return;
    }
    CHECK(c->gap_lower <= c->gap && c->gap <= c->gap_upper);
    if (!inside && d > radius) {
        t->outside++;
        CHECK(c->relation == OV_RELATION_SEPARATED && c->gap_lower <= d - radius);
        CHECK(c->gap_upper >= d - radius && (d - radius > limit || status == OV_OK));
        return;
    }
    t->inside += inside && d > radius;
    t->crossing += d < radius;
    t->weak += status != OV_OK;
    if (!CHECK(c->relation == OV_RELATION_OVERLAPPING && c->gap_upper <= 0.0)) {
        return;
    }
    CHECK(d < radius || -c->gap_upper > 0.0);
    CHECK(found.triangle_a < s->triangle_count);
    // the translation does separate: a hair more, and the ball is outside
    lvec out = lv_at(p, lv_of(c->normal), (long double)-c->gap_lower * (1.0L + 1e-12L) + 1e-11L);
    CHECK(distance_of(s, pose, out) >= radius && !is_inside(s, pose, out));
    // no shorter one than what is proven of it
    double sampled = sampled_depth(s, pose, p, radius, r);
    CHECK(-c->gap_upper <= sampled);
    t->most = fmax(t->most, -c->gap_lower / sampled);
    // points on the surfaces, the gap apart along the normal
    lvec corners[3];
    lv_triangle(s, found.triangle_a, pose, corners);
    CHECK_NEAR((double)point_triangle(lv_of(c->point_a), corners), 0.0, 1e-8);
    CHECK_NEAR((double)lv_length(lv_sub(lv_of(c->point_b), p)), radius, 1e-8);
    CHECK_NEAR(ov_vec3_length(c->normal), 1.0, 1e-12);
    double along = ov_vec3_dot(ov_vec3_sub(c->point_b, c->point_a), c->normal);
    CHECK(along <= c->gap_lower + 2e-8 + 0.02 * radius);
}

static void finds_balls_inside(void) {
    check_random r = check_random_make(71);
    tally t = {0};
    for (int which = 0; which < SOLIDS; which++) {
        soup s = some_solid(which);
        ov_trimesh *mesh = soup_mesh(&s);
        for (int i = 0; i < 60; i++) {
            ov_pose pose = random_pose(&r, check_uniform(&r, 0.0, 3.0));
            ov_vec3 p = some_place(&r, &s, 1 + i % 8);
            double radius = i % 10 == 9 ? 0.0 : check_log_uniform(&r, 1e-3, 0.5);
            check_ball(&s, mesh, pose, to_vec3(lv_place(pose, p)), radius, &r, &t);
        }
        ov_trimesh_destroy(mesh);
        soup_free(&s);
    }
    printf("%s: balls: %ld inside, %ld crossing, %ld outside, %ld not converged; depth up to %.3g "
           "of sampled ones\n",
           check_suite, t.inside, t.crossing, t.outside, t.weak, t.most);
    CHECK(t.inside > 50 && t.crossing > 50 && t.outside > 50 && t.weak == 0);
}

/** In a box the depth of a ball is known: to the nearest face, and its radius. */
static void knows_depths_in_boxes(void) {
    check_random r = check_random_make(72);
    double worst = 0.0;
    for (int i = 0; i < 200; i++) {
        ov_vec3 half = {check_uniform(&r, 0.5, 2.0), check_uniform(&r, 0.5, 2.0),
                        check_uniform(&r, 0.5, 2.0)};
        soup s = soup_box(ORIGIN, half, i % 2 == 1);
        ov_trimesh *mesh = soup_mesh(&s);
        double radius = check_log_uniform(&r, 1e-3, 0.4);
        ov_vec3 p = {check_uniform(&r, -1.1, 1.1) * half.x, check_uniform(&r, -1.1, 1.1) * half.y,
                     check_uniform(&r, -1.1, 1.1) * half.z};
        double depth = fmin(half.x - fabs(p.x), fmin(half.y - fabs(p.y), half.z - fabs(p.z)));
        ov_pose pose = random_pose(&r, check_uniform(&r, 0.0, 10.0));
        ov_pose at = {to_vec3(lv_place(pose, p)), check_rotation(&r)};
        ov_shape ball;
        ov_trimesh_contact c;
        CHECK_OK(ov_shape_make_sphere(radius, &ball));
        CHECK(ov_trimesh_shape_contact(mesh, pose, &ball, at, 0.0, NULL, &c) >= 0);
        if (depth > 0.0) { // the centre is inside
            CHECK(c.contact.relation == OV_RELATION_OVERLAPPING && c.contact.status == OV_OK);
            CHECK(c.contact.gap_lower <= -(depth + radius) &&
                  c.contact.gap_upper >= -depth - radius);
            worst = fmax(worst, -c.contact.gap_lower - (depth + radius));
        }
        ov_trimesh_destroy(mesh);
        soup_free(&s);
    }
    check_worst("depth of balls in boxes above the least", worst, 3e-9);
    CHECK(worst <= 3e-9);
}

/* ---- other shapes */

/** With an inside or without. */
static ov_shape some_shape(check_random *r, int which) {
    const ov_vec3 a = {0.3, check_uniform(r, 0.0, 0.3), 0.0}, b = {-0.2, 0.2, 0.1}, c = {0, 0, 0.3};
    ov_shape s;
    if (which % 8 < 6) {
        return any_shape(r, which % 8, 0.5);
    }
    CHECK_OK(which % 8 == 6 ? ov_shape_make_segment(a, b, &s)
                            : ov_shape_make_triangle(a, b, c, &s));
    return s;
}

/** Points of a shape at a pose, in the world: along many directions, and between them. */
enum { POINTS = 60 };
static void points_of(const ov_shape *shape, ov_pose pose, check_random *r, lvec out[POINTS]) {
    ov_vec3 middle = ORIGIN;
    ov_support s;
    for (int i = 0; i < POINTS; i++) {
        CHECK_OK(ov_shape_support(shape, check_unit_vector(r), &s));
        double share = i % 3 == 0 ? check_uniform(r, 0.0, 1.0) : 1.0;
        ov_vec3 p =
            i == 0 ? s.point
                   : ov_vec3_add(ov_vec3_scale(middle, 1.0 - share), ov_vec3_scale(s.point, share));
        middle = i == 0 ? p : middle;
        out[i] = lv_place(pose, p);
    }
}

static void finds_shapes_inside(void) {
    check_random r = check_random_make(73);
    long inside = 0, partly = 0, outside = 0, open = 0;
    for (int which = 0; which < SOLIDS; which++) {
        soup s = some_solid(which);
        ov_trimesh *mesh = soup_mesh(&s);
        for (int i = 0; i < 64; i++) {
            ov_shape shape = some_shape(&r, i);
            ov_pose pose = random_pose(&r, 1.0);
            ov_vec3 own = some_place(&r, &s, i % 3 == 0 ? 8 : 1);
            ov_pose at = {to_vec3(lv_place(pose, own)), check_rotation(&r)};
            lvec points[POINTS];
            points_of(&shape, at, &r, points);
            int within = 0;
            for (int k = 0; k < POINTS; k++) {
                within += is_inside(&s, pose, points[k]);
            }
            ov_trimesh_contact c;
            CHECK(ov_trimesh_shape_contact(mesh, pose, &shape, at, 0.1, NULL, &c) >= 0);
            CHECK(within == 0 || c.contact.relation != OV_RELATION_SEPARATED);
            CHECK(c.contact.gap_lower <= c.contact.gap_upper);
            inside += within == POINTS;
            partly += within > 0 && within < POINTS;
            outside += c.contact.relation == OV_RELATION_SEPARATED;
            open += c.contact.relation == OV_RELATION_UNDECIDED ||
                    c.contact.relation == OV_RELATION_TOUCHING;
            if (c.contact.relation != OV_RELATION_OVERLAPPING) {
                continue;
            }
            for (int k = 0; k < POINTS; k++) {
                lvec p = lv_at(points[k], lv_of(c.contact.normal),
                               (long double)-c.contact.gap_lower + 1e-9L);
                CHECK(!is_inside(&s, pose, p));
            }
        }
        ov_trimesh_destroy(mesh);
        soup_free(&s);
    }
    printf("%s: shapes: %ld inside, %ld partly, %ld outside, %ld undecided\n", check_suite, inside,
           partly, outside, open);
    CHECK(inside > 40 && partly > 40 && outside > 40 && open == 0);
}

/* ---- mesh against mesh */

/** Vertices of a mesh that are inside of another. */
static size_t vertices_inside(const soup *of, ov_pose pose, const soup *in, ov_pose at,
                              ov_vec3 shift) {
    size_t count = 0;
    for (size_t i = 0; i < of->vertex_count; i++) {
        count += is_inside(in, at, lv_at(lv_place(pose, of->vertices[i]), lv_of(shift), 1.0L));
    }
    return count;
}

static soup some_small(int which) {
    if (which % 3 == 0) {
        return soup_box(ORIGIN, (ov_vec3){0.2, 0.1, 0.05}, false);
    }
    if (which % 3 == 1) { // an open one
        return soup_terrain(3, 0.15, 0.05);
    }
    // two pieces, far apart
    return soup_join(soup_box((ov_vec3){1.3, 0.0, 0.0}, (ov_vec3){0.1, 0.1, 0.1}, false),
                     soup_box((ov_vec3){-1.3, 0.2, 0.0}, (ov_vec3){0.1, 0.1, 0.1}, false));
}

static void finds_meshes_inside(void) {
    check_random r = check_random_make(74);
    long inside = 0, partly = 0, outside = 0;
    for (int which = 0; which < 3 * SOLIDS; which++) {
        soup s = some_solid(which), small = some_small(which / SOLIDS);
        ov_trimesh *a = soup_mesh(&s), *b = soup_mesh(&small);
        for (int i = 0; i < 16; i++) {
            ov_pose pose = random_pose(&r, 1.0);
            ov_vec3 p = some_place(&r, &s, 1 + i % 5);
            ov_pose at = {to_vec3(lv_place(pose, p)), check_rotation(&r)};
            ov_trimesh_contact c, d;
            CHECK(ov_trimesh_pair_contact(a, pose, b, at, 0.0, NULL, &c) >= 0);
            CHECK(ov_trimesh_pair_contact(b, at, a, pose, 0.0, NULL, &d) >= 0);
            size_t within = vertices_inside(&small, at, &s, pose, ORIGIN);
            CHECK(within == 0 || c.contact.relation == OV_RELATION_OVERLAPPING);
            CHECK(c.contact.relation == d.contact.relation);
            inside += within == small.vertex_count;
            partly += within > 0 && within < small.vertex_count;
            outside += c.contact.relation == OV_RELATION_SEPARATED;
            if (c.contact.relation == OV_RELATION_OVERLAPPING) {
                ov_vec3 way = ov_vec3_scale(c.contact.normal, 1e-9 - c.contact.gap_lower);
                CHECK(vertices_inside(&small, at, &s, pose, way) == 0);
                way = ov_vec3_scale(d.contact.normal, d.contact.gap_lower - 1e-9);
                CHECK(vertices_inside(&small, at, &s, pose, way) == 0);
                CHECK(c.contact.gap_upper <= 0.0 && d.contact.gap_upper <= 0.0);
            }
        }
        ov_trimesh_destroy(a);
        ov_trimesh_destroy(b);
        soup_free(&s);
        soup_free(&small);
    }
    printf("%s: meshes: %ld inside, %ld partly, %ld outside\n", check_suite, inside, partly,
           outside);
    CHECK(inside > 30 && partly > 30 && outside > 30);
}

/* ---- rays and casts */

static void rays_and_casts_begin_inside(void) {
    check_random r = check_random_make(75);
    long inside = 0, outside = 0;
    ov_shape ball;
    CHECK_OK(ov_shape_make_sphere(0.01, &ball));
    for (int which = 0; which < SOLIDS; which++) {
        soup s = some_solid(which);
        ov_trimesh *mesh = soup_mesh(&s);
        for (int i = 0; i < 40; i++) {
            ov_pose pose = random_pose(&r, 1.0);
            ov_vec3 p = some_place(&r, &s, 1 + i % 5);
            ov_pose at = {to_vec3(lv_place(pose, p)), check_rotation(&r)};
            ov_vec3 u = check_unit_vector(&r);
            bool within = is_inside(&s, pose, lv_of(at.position));
            double d = distance_of(&s, pose, lv_of(at.position));
            ov_ray_hit ray;
            ov_cast_hit cast;
            uint32_t triangle;
            if (d < 1e-6 || fabs(d - 0.01) < 1e-6) {
                continue;
            }
            CHECK_OK(ov_trimesh_ray_cast(mesh, pose, at.position, u, 1.0, &ray, &triangle));
            CHECK((ray.hit && ray.distance == 0.0) == within);
            CHECK(!within || (ray.distance_upper == 0.0 && triangle == OV_NO_TRIANGLE &&
                              fabs(ov_vec3_dot(ray.normal, u) + 1.0) < 1e-12));
            CHECK_OK(ov_trimesh_shape_cast(&ball, at, ov_vec3_scale(u, 0.5), mesh, pose, NULL,
                                           &cast, &triangle));
            CHECK((cast.hit && cast.fraction == 0.0) == (within || d < 0.01));
            if (within) {
                CHECK(cast.fraction_upper == 0.0 && triangle < s.triangle_count);
                CHECK(cast.contact.relation == OV_RELATION_OVERLAPPING);
                // A is the ball: it leaves against the normal
                lvec out = lv_at(lv_of(at.position), lv_of(cast.contact.normal),
                                 (long double)cast.contact.gap_lower - 1e-9L);
                CHECK(!is_inside(&s, pose, out) && distance_of(&s, pose, out) >= 0.01);
            }
            inside += within;
            outside += !within;
        }
        ov_trimesh_destroy(mesh);
        soup_free(&s);
    }
    CHECK(inside > 50 && outside > 50);
}

/* ---- near the surface, large and small */

static void never_guesses(void) {
    check_random r = check_random_make(76);
    long undecided = 0, decided = 0;
    for (int i = 0; i < 400; i++) {
        double size = i % 3 == 0 ? 1.0 : i % 3 == 1 ? 1e25 : 1e-25;
        soup s = soup_ball(60, 1.0);
        for (size_t k = 0; k < s.vertex_count; k++) {
            s.vertices[k] = ov_vec3_scale(s.vertices[k], size);
        }
        ov_trimesh *mesh = soup_mesh(&s);
        CHECK(ov_trimesh_is_solid(mesh));
        // a point on a triangle, an edge or a corner, moved by next to nothing
        const uint32_t *t = s.triangles[check_random_bits(&r) % s.triangle_count];
        double u = i % 4 == 0 ? 0.0 : check_uniform(&r, 0.0, 1.0);
        double v = i % 4 < 2 ? 0.0 : check_uniform(&r, 0.0, 1.0 - u);
        ov_vec3 a = s.vertices[t[0]], b = s.vertices[t[1]], c = s.vertices[t[2]];
        ov_vec3 p = ov_vec3_add(ov_vec3_scale(a, 1.0 - u - v),
                                ov_vec3_add(ov_vec3_scale(b, u), ov_vec3_scale(c, v)));
        double shift = size * check_log_uniform(&r, 1e-17, 1e-9) * (i % 2 == 0 ? 1.0 : -1.0);
        p = ov_vec3_add_scaled(p, ov_vec3_normalize(p), shift);
        ov_pose pose = ov_pose_identity();
        ov_shape dot;
        ov_trimesh_contact found;
        CHECK_OK(ov_shape_make_point(p, &dot));
        CHECK(ov_trimesh_shape_contact(mesh, pose, &dot, pose, INFINITY, NULL, &found) >= 0);
        bool inside = is_inside(&s, pose, lv_of(p));
        ov_relation relation = found.contact.relation;
        CHECK(!inside || relation != OV_RELATION_SEPARATED);
        CHECK(inside || relation != OV_RELATION_OVERLAPPING);
        CHECK(found.contact.gap_lower <= 0.0 || !inside);
        decided += relation == OV_RELATION_SEPARATED || relation == OV_RELATION_OVERLAPPING;
        undecided += relation == OV_RELATION_UNDECIDED || relation == OV_RELATION_TOUCHING;
        ov_trimesh_destroy(mesh);
        soup_free(&s);
    }
    printf("%s: next to the surface: %ld decided, %ld not\n", check_suite, decided, undecided);
    CHECK(decided > 100 && undecided > 50);
}

/** Places at which everything is degenerate: on a grid, through edges and corners, face on face. */
static void stands_grids(void) {
    soup s = soup_join(soup_box(ORIGIN, ONES, false), soup_box(ORIGIN, HALVES, true));
    soup cube = soup_box(ORIGIN, HALVES, false);
    ov_trimesh *mesh = soup_mesh(&s), *core = soup_mesh(&cube);
    ov_shape box, ball;
    long inside = 0, touching = 0;
    CHECK_OK(ov_shape_make_box((ov_vec3){0.25, 0.25, 0.25}, &box));
    CHECK_OK(ov_shape_make_sphere(0.25, &ball));
    for (int offset = 0; offset < 2; offset++) {
        ov_pose pose = {{offset * 1048576.0, -offset * 2097152.0, 0.0}, ov_quat_identity()};
        for (int i = 0; i < 13 * 13 * 7; i++) {
            ov_vec3 p = {(i % 13 - 6) * 0.25, (i / 13 % 13 - 6) * 0.25, i / 169 * 0.25};
            double x = fabs(p.x), y = fabs(p.y), z = fabs(p.z), most = fmax(x, fmax(y, z));
            bool within = most < 1.0 && most > 0.5, out = most > 1.0 || most < 0.5;
            ov_pose at = {ov_vec3_add(pose.position, p), ov_quat_identity()};
            for (int k = 0; k < 2; k++) {
                ov_trimesh_contact c;
                CHECK(ov_trimesh_shape_contact(mesh, pose, k == 0 ? &box : &ball, at, INFINITY,
                                               NULL, &c) >= 0);
                CHECK(!within || c.contact.relation == OV_RELATION_OVERLAPPING);
                // a box of a quarter is free in the cavity only in its middle, and from 1.25 on
                bool apart = k == 0 && (most >= 1.5 || most < 0.25);
                bool touches = k == 0 && (most == 1.25 || (most == 0.25 && out));
                CHECK(!apart || c.contact.relation == OV_RELATION_SEPARATED);
                CHECK(!touches || (c.contact.relation != OV_RELATION_SEPARATED &&
                                   c.contact.relation != OV_RELATION_OVERLAPPING));
                CHECK(apart || touches || k > 0 || c.contact.relation == OV_RELATION_OVERLAPPING);
                inside += within;
                touching += touches;
            }
        }
        // the core fills the cavity and touches it all round; moved, it is in the wall, with all
        // its vertices in the faces of the cavity if along an axis
        ov_trimesh_contact c;
        ov_pose at = pose;
        CHECK(ov_trimesh_pair_contact(mesh, pose, core, at, INFINITY, NULL, &c) >= 0);
        CHECK(c.contact.relation != OV_RELATION_SEPARATED && c.contact.gap_lower <= 0.0);
        CHECK(c.contact.relation != OV_RELATION_OVERLAPPING);
        at.position.x += 0.25;
        CHECK(ov_trimesh_pair_contact(mesh, pose, core, at, INFINITY, NULL, &c) >= 0);
        CHECK(c.contact.relation != OV_RELATION_SEPARATED && c.contact.gap_lower <= -0.25);
        at.position.y += 0.125;
        CHECK(ov_trimesh_pair_contact(mesh, pose, core, at, INFINITY, NULL, &c) >= 0);
        CHECK(c.contact.relation == OV_RELATION_OVERLAPPING && c.contact.gap_lower <= -0.25);
        // one and the same place
        CHECK(ov_trimesh_pair_contact(core, pose, core, pose, INFINITY, NULL, &c) >= 0);
        CHECK(c.contact.relation == OV_RELATION_OVERLAPPING && c.contact.gap_lower <= -1.0);
    }
    CHECK(inside > 100 && touching > 100);
    ov_trimesh_destroy(mesh);
    ov_trimesh_destroy(core);
    soup_free(&s);
    soup_free(&cube);
}

/** An open mesh is a surface as before, and so is a closed one that is asked for as such. */
static void leaves_surfaces_alone(void) {
    soup s = soup_box(ORIGIN, ONES, false);
    ov_trimesh *closed = soup_mesh(&s), *surface = soup_surface(&s), *open;
    s.triangle_count--;
    open = soup_mesh(&s);
    ov_shape ball, floor;
    ov_trimesh_contact c;
    ov_ray_hit ray;
    ov_cast_hit cast;
    ov_pose at = ov_pose_identity(), up = {{0.0, 0.0, 0.8}, ov_quat_identity()};
    CHECK_OK(ov_shape_make_sphere(0.1, &ball));
    CHECK_OK(ov_shape_make_halfspace((ov_vec3){0, 0, 1}, -0.5, &floor));
    const ov_trimesh *surfaces[2] = {surface, open};
    for (int i = 0; i < 2; i++) {
        CHECK_OK(ov_trimesh_shape_contact(surfaces[i], at, &ball, up, INFINITY, NULL, &c));
        CHECK(c.contact.relation == OV_RELATION_SEPARATED);
        CHECK_NEAR(c.contact.gap, 0.1, 1e-9);
        CHECK_OK(ov_trimesh_ray_cast(surfaces[i], at, ORIGIN, (ov_vec3){0, 0.1, 1}, 9, &ray, NULL));
        CHECK_NEAR(ray.distance, sqrt(1.01), 1e-12);
        CHECK_OK(ov_trimesh_shape_cast(&ball, at, (ov_vec3){0, 0, 2}, surfaces[i], at, NULL, &cast,
                                       NULL));
        CHECK_NEAR(cast.fraction, 0.45, 1e-8);
    }
    CHECK_OK(ov_trimesh_shape_contact(closed, at, &ball, up, INFINITY, NULL, &c));
    CHECK(c.contact.relation == OV_RELATION_OVERLAPPING);
    CHECK_NEAR(c.contact.gap, -0.3, 1e-8);
    // a half-space against the solid is that against its corners
    CHECK_OK(ov_trimesh_shape_contact(closed, at, &floor, at, INFINITY, NULL, &c));
    CHECK_NEAR(c.contact.gap, -0.5, 1e-12);
    ov_trimesh_destroy(closed);
    ov_trimesh_destroy(surface);
    ov_trimesh_destroy(open);
    soup_free(&s);
}

/* ---- worlds, robots and motions */

enum { MARBLES = 12 };

static ov_geometry *geometry_of(const ov_part *part) {
    ov_geometry *g = NULL;
    CHECK_OK(ov_geometry_create(part, 1, NULL, &g));
    return g;
}

/** Marbles that jump about a ring: each contact is there, and no others. */
static void worlds_see_inside(void) {
    check_random r = check_random_make(77);
    soup s = soup_ring(120);
    ov_trimesh *mesh = soup_mesh(&s);
    ov_part ring = {.mesh = mesh, .pose = random_pose(&r, 0.3)},
            ball = {.pose = ov_pose_identity()};
    const double radius = 0.05;
    CHECK_OK(ov_shape_make_sphere(radius, &ball.shape));
    ov_geometry *rings = geometry_of(&ring), *balls = geometry_of(&ball);
    ov_world *world;
    ov_body body, marbles[MARBLES];
    ov_body_def def = ov_default_body_def();
    CHECK_OK(ov_world_create(NULL, &world));
    def.geometry = rings;
    def.pose = random_pose(&r, 1.0);
    CHECK_OK(ov_world_add(world, &def, &body));
    ov_pose at = {ov_pose_apply(def.pose, ring.pose.position),
                  ov_quat_mul(def.pose.rotation, ring.pose.rotation)};
    def.geometry = balls;
    def.group = 2;
    def.mask = 1; // not among themselves
    for (int i = 0; i < MARBLES; i++) {
        CHECK_OK(ov_world_add(world, &def, &marbles[i]));
    }
    long inside = 0, outside = 0;
    for (int step = 0; step < 30; step++) {
        const ov_world_contact *contacts;
        size_t count, expected = 0;
        ov_pose places[MARBLES];
        bool met[MARBLES];
        for (int i = 0; i < MARBLES; i++) {
            bool stay = step > 0 && check_uniform(&r, 0.0, 1.0) < 0.3; // what is known is kept
            if (!stay) {
                ov_vec3 p = some_place(&r, &s, i % 2 == 0 ? 16 : 1);
                places[i] = (ov_pose){to_vec3(lv_place(at, p)), check_rotation(&r)};
                CHECK_OK(ov_world_move(world, marbles[i], places[i]));
            }
            CHECK_OK(ov_world_get(world, marbles[i], &def));
            places[i] = def.pose;
            lvec c = lv_of(places[i].position);
            bool within = is_inside(&s, at, c);
            double d = distance_of(&s, at, c);
            met[i] = within || d <= radius;
            expected += met[i];
            inside += within && d > radius;
            outside += !met[i];
        }
        CHECK_OK(ov_world_contacts(world, 0.0, &contacts, &count));
        CHECK(count == expected);
        for (size_t k = 0; k < count; k++) {
            CHECK(contacts[k].a == body && contacts[k].contact.relation == OV_RELATION_OVERLAPPING);
        }
        for (int i = 0; i < MARBLES; i++) {
            ov_world_contact c[2];
            CHECK_OK(ov_world_body_contacts(world, marbles[i], 0.0, c, 2, &count));
            CHECK(count == met[i]);
            CHECK_OK(ov_world_shape_contacts(world, &ball.shape, places[i], 0.0, 1, c, 2, &count));
            CHECK(count == met[i]);
            ov_vec3 small = {0.01, 0.01, 0.01}, p = places[i].position;
            ov_aabb box = {ov_vec3_sub(p, small), ov_vec3_add(p, small)};
            ov_body seen[2];
            CHECK_OK(ov_world_box_overlaps(world, box, 1, seen, 2, &count));
            CHECK(count <= met[i] && (count == 1 || !is_inside(&s, at, lv_of(p))));
            ov_world_ray_hit ray;
            CHECK(ov_world_ray_cast(world, p, check_unit_vector(&r), 9.0, 1, &ray) >= 0);
            CHECK((ray.ray.hit && ray.ray.distance == 0.0) == is_inside(&s, at, lv_of(p)));
            ov_world_cast_hit cast;
            CHECK(ov_world_shape_cast(world, &ball.shape, places[i], ORIGIN, 1, &cast) >= 0);
            CHECK(cast.cast.hit == met[i] && (!met[i] || cast.cast.fraction == 0.0));
        }
        ov_world_contact nearest;
        CHECK_OK(ov_world_nearest(world, &nearest));
        CHECK((nearest.contact.relation == OV_RELATION_OVERLAPPING) == (expected > 0));
    }
    CHECK(inside > 30 && outside > 30);
    ov_world_destroy(world);
    ov_geometry_destroy(rings);
    ov_geometry_destroy(balls);
    ov_trimesh_destroy(mesh);
    soup_free(&s);
}

static ov_sweep_summary sweep_of(const ov_sweep_body *bodies, bool first) {
    ov_sweep_options options = ov_default_sweep_options();
    ov_sweep *sweep = NULL;
    options.first_only = first;
    options.epsilon = 1e-3;
    CHECK_OK(ov_sweep_bodies(bodies, 2, 0.0, 1.0, &options, &sweep, NULL));
    ov_sweep_summary summary = ov_sweep_summary_of(sweep);
    ov_sweep_destroy(sweep);
    return summary;
}

/** A straight way of the first body, by where it begins and what it meets. */
static void expect_sweep(ov_sweep_body moving, ov_vec3 from, ov_vec3 to, ov_sweep_body resting,
                         ov_sweep_answer answer, double when) {
    ov_pose ends[2] = {{from, ov_quat_identity()}, {to, ov_quat_identity()}};
    const double times[2] = {0.0, 1.0};
    ov_motion *motion = NULL;
    CHECK_OK(ov_motion_create_keys(ends, times, 2, OV_SPLINE_LINEAR, NULL, &motion));
    moving.motion = motion;
    const ov_sweep_body bodies[2] = {moving, resting};
    for (int first = 0; first < 2; first++) {
        ov_sweep_summary s = sweep_of(bodies, first != 0);
        CHECK(s.answer == answer);
        if (answer == OV_SWEEP_ANSWER_CONTACT) {
            CHECK(s.lower <= when && s.upper >= when && s.upper <= when + 1e-2);
            CHECK(s.lower >= when - 1e-2);
        }
    }
    ov_motion_destroy(motion);
}

static void motions_see_inside(void) {
    soup vessel = some_solid(2), ball_soup = soup_ball(40, 0.05);
    ov_trimesh *mesh = soup_mesh(&vessel), *small = soup_mesh(&ball_soup);
    ov_part solid = {.mesh = mesh, .pose = ov_pose_identity()}, ball = {.pose = solid.pose};
    ov_part skin = {.mesh = small, .pose = solid.pose};
    CHECK_OK(ov_shape_make_sphere(0.05, &ball.shape));
    ov_geometry *solids = geometry_of(&solid), *balls = geometry_of(&ball);
    ov_geometry *skins = geometry_of(&skin);
    ov_sweep_body rest = ov_default_sweep_body(), move = rest;
    rest.geometry = solids;
    for (int i = 0; i < 2; i++) {
        move.geometry = i == 0 ? balls : skins;
        // the walls are from 0.5 to 1; in the cavity, in a wall, from outside, beside
        expect_sweep(move, (ov_vec3){-0.3, 0, 0}, (ov_vec3){0.3, 0.1, 0}, rest,
                     OV_SWEEP_ANSWER_FREE, 0);
        expect_sweep(move, (ov_vec3){0.7, -0.2, 0}, (ov_vec3){0.8, 0.2, 0}, rest,
                     OV_SWEEP_ANSWER_CONTACT, 0.0);
        expect_sweep(move, (ov_vec3){3.05, 0.1, 0.2}, (ov_vec3){-0.95, 0.1, 0.2}, rest,
                     OV_SWEEP_ANSWER_CONTACT, 0.5);
        expect_sweep(move, (ov_vec3){1.2, -2, 0}, (ov_vec3){1.2, 2, 0}, rest, OV_SWEEP_ANSWER_FREE,
                     0);
    }
    ov_geometry_destroy(solids);
    ov_geometry_destroy(balls);
    ov_geometry_destroy(skins);
    ov_trimesh_destroy(mesh);
    ov_trimesh_destroy(small);
    soup_free(&vessel);
    soup_free(&ball_soup);
}

static ov_polygons *polygons_of(const soup *s) {
    ov_polygons *p = NULL;
    uint32_t sizes[64];
    for (size_t i = 0; i < 64; i++) {
        sizes[i] = 3;
    }
    CHECK_OK(ov_polygons_create(s->vertices, s->vertex_count, &s->triangles[0][0], sizes,
                                s->triangle_count, NULL, &p, NULL));
    return p;
}

/** Polygons in polygons, by rigid motions and by others. */
static void polygons_see_inside(void) {
    soup vessel = some_solid(2), small = soup_box(ORIGIN, (ov_vec3){0.05, 0.05, 0.05}, false);
    ov_sweep_body rest = ov_default_sweep_body(), move = rest;
    ov_polygons *solid = polygons_of(&vessel), *core = polygons_of(&small);
    soup tray = box_with(lose_one);
    ov_polygons *open = polygons_of(&tray);
    CHECK(ov_polygons_is_solid(solid) && ov_polygons_is_solid(core) && !ov_polygons_is_solid(open));
    rest.polygons = solid;
    move.polygons = core;
    expect_sweep(move, (ov_vec3){-0.3, 0, 0}, (ov_vec3){0.3, 0.1, 0}, rest, OV_SWEEP_ANSWER_FREE,
                 0);
    expect_sweep(move, (ov_vec3){0.7, -0.2, 0}, (ov_vec3){0.8, 0.2, 0}, rest,
                 OV_SWEEP_ANSWER_CONTACT, 0.0);
    expect_sweep(move, (ov_vec3){3.05, 0.1, 0.2}, (ov_vec3){-0.95, 0.1, 0.2}, rest,
                 OV_SWEEP_ANSWER_CONTACT, 0.5);
    // the outer one moves, and has the inner one inside
    rest.pose.position = (ov_vec3){0.75, 0.0, 0.0};
    rest.polygons = core;
    move.polygons = solid;
    expect_sweep(move, ORIGIN, (ov_vec3){0.1, 0.1, 0.1}, rest, OV_SWEEP_ANSWER_CONTACT, 0.0);
    move.polygons = open;
    expect_sweep(move, ORIGIN, (ov_vec3){0.1, 0.1, 0.1}, rest, OV_SWEEP_ANSWER_FREE, 0.0);
    // a body that grows about one that rests: in its cavity, and in its wall
    ov_affine grow[2] = {ov_affine_from_pose(ov_pose_identity()), {.translation = ORIGIN}};
    grow[1].linear = (ov_mat3){{1.1, 0.0, 0.0}, {0.0, 1.2, 0.0}, {0.0, 0.1, 1.1}};
    const double weights[2] = {1.0, 1.0};
    ov_motion *motion = NULL;
    CHECK_OK(ov_motion_create_bezier(grow, weights, 2, 0.0, 1.0, NULL, &motion));
    for (int i = 0; i < 2; i++) {
        move = ov_default_sweep_body();
        move.polygons = solid;
        move.motion = motion;
        rest.pose.position = (ov_vec3){i == 0 ? 0.3 : 0.75, 0.0, 0.0};
        const ov_sweep_body bodies[2] = {move, rest};
        ov_sweep_summary s = sweep_of(bodies, false);
        CHECK(s.answer == (i == 0 ? OV_SWEEP_ANSWER_FREE : OV_SWEEP_ANSWER_CONTACT));
        CHECK(i == 0 || (s.lower == 0.0 && s.upper == 0.0));
    }
    ov_motion_destroy(motion);
    ov_polygons_destroy(solid);
    ov_polygons_destroy(core);
    ov_polygons_destroy(open);
    soup_free(&tray);
    soup_free(&vessel);
    soup_free(&small);
}

int main(void) {
    check_suite = "test_trimesh_solid";
    RUN(knows_what_is_closed);
    RUN(leaves_surfaces_alone);
    RUN(knows_depths_in_boxes);
    RUN(finds_balls_inside);
    RUN(finds_shapes_inside);
    RUN(finds_meshes_inside);
    RUN(rays_and_casts_begin_inside);
    RUN(never_guesses);
    RUN(stands_grids);
    RUN(worlds_see_inside);
    RUN(motions_see_inside);
    RUN(polygons_see_inside);
    return check_finish();
}
