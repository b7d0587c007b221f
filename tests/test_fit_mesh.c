/**
 * @file test_fit_mesh.c
 * @brief Meshes made ready: one of every kind of defect, with the line that it gets, the promise
 * that nothing is lost, thinning within its bound, and input that cannot be used.
 *
 * Bodies have known counts: a box of 8 vertices and 12 triangles, tori and spheres of a grid. The
 * bound is checked by the nearest point of a triangle, from sampled points of every triangle.
 */
#include <string.h>

#include <ovoid/fit.h>

#include "check.h"

enum { MOST_POINTS = 40000, MOST_TRIANGLES = 80000 };

static ov_vec3 points[MOST_POINTS];
static uint32_t triangles[MOST_TRIANGLES][3];
static ov_fit_input in = {points, 0, (const uint32_t (*)[3])triangles, 0};

static void add_triangle(size_t a, size_t b, size_t c) {
    uint32_t *t = triangles[in.triangle_count++];
    t[0] = (uint32_t)a;
    t[1] = (uint32_t)b;
    t[2] = (uint32_t)c;
}

static void add_quad(size_t a, size_t b, size_t c, size_t d) {
    add_triangle(a, b, c);
    add_triangle(a, c, d);
}

/** Appends a box about a centre; outward. */
static void add_box(ov_vec3 centre, double half) {
    size_t o = in.point_count;
    for (int i = 0; i < 8; i++) {
        points[in.point_count++] =
            ov_vec3_add(centre, ov_vec3_make((i & 1 ? half : -half), (i & 2 ? half : -half),
                                             (i & 4 ? half : -half)));
    }
    add_quad(o + 0, o + 2, o + 3, o + 1);
    add_quad(o + 4, o + 5, o + 7, o + 6);
    add_quad(o + 0, o + 1, o + 5, o + 4);
    add_quad(o + 2, o + 6, o + 7, o + 3);
    add_quad(o + 0, o + 4, o + 6, o + 2);
    add_quad(o + 1, o + 3, o + 7, o + 5);
}

/** Appends a torus of n by k quads. */
static void add_torus(size_t n, size_t k, double big, double small) {
    size_t o = in.point_count;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < k; j++) {
            double u = 2.0 * M_PI * (double)i / (double)n, v = 2.0 * M_PI * (double)j / (double)k;
            double r = big + small * cos(v);
            points[in.point_count++] = ov_vec3_make(r * cos(u), r * sin(u), small * sin(v));
            size_t i2 = (i + 1) % n, j2 = (j + 1) % k;
            add_quad(o + i * k + j, o + i2 * k + j, o + i2 * k + j2, o + i * k + j2);
        }
    }
}

static void empty(void) { in.point_count = in.triangle_count = 0; }

static void turn(size_t first, size_t count) {
    for (size_t i = first; i < first + count; i++) {
        uint32_t t = triangles[i][1];
        triangles[i][1] = triangles[i][2];
        triangles[i][2] = t;
    }
}

/** Six times the volume. */
static double volume(const ov_fit_input *m) {
    double sum = 0.0;
    for (size_t i = 0; i < m->triangle_count; i++) {
        const uint32_t *t = m->triangles[i];
        sum += ov_vec3_dot(m->points[t[0]], ov_vec3_cross(m->points[t[1]], m->points[t[2]]));
    }
    return sum;
}

/* ---- what must hold for every mesh ----------------------------------------------------------- */

/** Distance of a point from a triangle: the inside, or one of the edges. */
static double point_triangle(ov_vec3 p, const ov_fit_input *m, size_t i) {
    ov_vec3 c[3];
    for (int k = 0; k < 3; k++) {
        c[k] = m->points[m->triangles[i][k]];
    }
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        ov_vec3 e = ov_vec3_sub(c[(k + 1) % 3], c[k]), d = ov_vec3_sub(p, c[k]);
        double length = ov_vec3_dot(e, e);
        double s = length > 0.0 ? fmin(fmax(ov_vec3_dot(d, e) / length, 0.0), 1.0) : 0.0;
        least = fmin(least, ov_vec3_length(ov_vec3_add_scaled(d, e, -s)));
    }
    ov_vec3 u = ov_vec3_sub(c[1], c[0]), v = ov_vec3_sub(c[2], c[0]), n = ov_vec3_cross(u, v);
    double nn = ov_vec3_dot(n, n);
    if (nn > 0.0) {
        ov_vec3 d = ov_vec3_sub(p, c[0]);
        double b = ov_vec3_dot(ov_vec3_cross(d, v), n) / nn;
        double g = ov_vec3_dot(ov_vec3_cross(u, d), n) / nn;
        if (b >= 0.0 && g >= 0.0 && b + g <= 1.0) {
            least = fmin(least, fabs(ov_vec3_dot(d, n)) / sqrt(nn));
        }
    }
    return least;
}

static ov_vec3 random_point(check_random *r, const ov_fit_input *m, size_t i) {
    double a = check_uniform(r, 0.0, 1.0), b = check_uniform(r, 0.0, 1.0 - a);
    const uint32_t *t = m->triangles[i];
    ov_vec3 p = ov_vec3_scale(m->points[t[0]], 1.0 - a - b);
    p = ov_vec3_add_scaled(p, m->points[t[1]], a);
    return ov_vec3_add_scaled(p, m->points[t[2]], b);
}

/** Is a point of every triangle near the triangle that stands for it? */
static void check_bound(const ov_fit_input *from, const ov_fit_input *to, const uint32_t *map,
                        double bound) {
    check_random r = check_random_make(7);
    double size = 0.0;
    for (size_t i = 0; i < 3 * from->triangle_count; i++) {
        size = fmax(size, ov_vec3_length(from->points[from->triangles[i / 3][i % 3]]));
    }
    for (size_t i = 0; i < from->triangle_count; i++) {
        ov_vec3 p = random_point(&r, from, i);
        double d = point_triangle(p, to, map[i]);
        // the point itself is rounded
        if (!CHECK(d <= bound + 1e-15 * size)) {
            fprintf(stderr, "triangle %zu: %g beyond %g\n", i, d, bound);
            return;
        }
    }
}

static ov_fit_mesh *mesh;

/** Makes `in` ready and checks what holds for any mesh. */
static ov_fit_input ready(const ov_fit_mesh_options *options) {
    ov_fault fault;
    ov_fit_mesh_destroy(mesh);
    CHECK_OK(ov_fit_mesh_create(&in, options, &mesh, &fault));
    CHECK(fault.text[0] == '\0');
    ov_fit_input out = ov_fit_mesh_input(mesh);
    CHECK_OK(ov_fit_input_check(&out, NULL));
    const uint32_t *targets = ov_fit_mesh_targets(mesh), *sources = ov_fit_mesh_sources(mesh);
    for (size_t i = 0; i < in.triangle_count; i++) {
        if (!CHECK(targets[i] < out.triangle_count)) {
            return out;
        }
    }
    for (size_t i = 0; i < out.triangle_count; i++) {
        if (!CHECK(sources[i] < in.triangle_count && targets[sources[i]] == i)) {
            return out;
        }
        for (int k = 0; k < 3; k++) {
            uint32_t n = ov_fit_mesh_neighbours(mesh)[i][k];
            CHECK(n == OV_FIT_NO_NEIGHBOUR || n < out.triangle_count);
        }
    }
    check_bound(&in, &out, targets, ov_fit_mesh_added(mesh));
    check_bound(&out, &in, sources, ov_fit_mesh_added(mesh));
    return out;
}

/** The lines of the report, in order. */
static void check_lines(size_t count, const char *const *lines) {
    if (!CHECK(ov_fit_mesh_line_count(mesh) == count)) {
        fprintf(stderr, "%zu lines, not %zu\n", ov_fit_mesh_line_count(mesh), count);
    }
    for (size_t i = 0; i < ov_fit_mesh_line_count(mesh); i++) {
        const char *line = ov_fit_mesh_line(mesh, i);
        if (!CHECK(i < count && strcmp(line, lines[i]) == 0)) {
            fprintf(stderr, "line %zu: %s\n", i, line);
        }
    }
    CHECK(ov_fit_mesh_line(mesh, count) == NULL);
}
#define CHECK_LINES(...)                                                                           \
    check_lines(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *),                            \
                (const char *const[]){__VA_ARGS__})

/* ---- one of every kind ----------------------------------------------------------------------- */

static const ov_vec3 origin = {0.0, 0.0, 0.0};

static void good(void) {
    empty();
    add_box(origin, 1.0);
    ov_fit_input out = ready(NULL);
    check_lines(0, NULL);
    CHECK(out.point_count == 8 && out.triangle_count == 12 && ov_fit_mesh_added(mesh) == 0.0);
    CHECK_NEAR(ov_fit_mesh_diagonal(mesh), 2.0 * sqrt(3.0), 1e-15);
    CHECK(memcmp(out.triangles, triangles, 12 * sizeof triangles[0]) == 0);
    size_t closed;
    CHECK(ov_fit_mesh_shell_count(mesh, &closed) == 1 && closed == 1);
    // each neighbour has the edge the other way round
    for (size_t i = 0; i < 12; i++) {
        for (int k = 0; k < 3; k++) {
            const uint32_t *t = out.triangles[ov_fit_mesh_neighbours(mesh)[i][k]];
            uint32_t a = out.triangles[i][k], b = out.triangles[i][(k + 1) % 3];
            CHECK((t[0] == b && t[1] == a) || (t[1] == b && t[2] == a) || (t[2] == b && t[0] == a));
        }
    }
    empty();
    add_torus(60, 30, 3.0, 1.0);
    (void)ready(NULL);
    check_lines(0, NULL);
}

static void open_edges(void) {
    empty();
    add_box(origin, 1.0);
    in.triangle_count -= 2;
    (void)ready(NULL);
    CHECK_LINES("open: 4 edges of one triangle, about 1 hole");
    // without a second side as well, and a corner of the next
    memmove(triangles[0], triangles[3], 7 * sizeof triangles[0]);
    in.triangle_count = 7;
    (void)ready(NULL);
    CHECK(ov_fit_mesh_defects(mesh, OV_FIT_DEFECT_OPEN_EDGE) > 4);
    size_t closed = 9;
    CHECK(ov_fit_mesh_shell_count(mesh, &closed) >= 1 && closed == 0);
}

static void single_triangle(void) {
    empty();
    points[0] = ov_vec3_make(0, 0, 0);
    points[1] = ov_vec3_make(1, 0, 0);
    points[2] = ov_vec3_make(0, 1, 0);
    in.point_count = 3;
    add_triangle(0, 1, 2);
    (void)ready(NULL);
    CHECK_LINES("flat: all vertices are in one plane",
                "open: 3 edges of one triangle, about 1 hole");
}

static void orientation(void) {
    empty();
    add_box(origin, 1.0);
    turn(3, 1);
    ov_fit_input out = ready(NULL);
    CHECK_LINES("orientation: the triangles of 3 edges disagree, 1 triangle turned over");
    CHECK_NEAR(volume(&out), 48.0, 1e-12);
    // more than half of it: then the rest is turned, and the whole
    turn(3, 1);
    turn(0, 8);
    out = ready(NULL);
    CHECK_NEAR(volume(&out), 48.0, 1e-12);
    CHECK(ov_fit_mesh_defects(mesh, OV_FIT_DEFECT_INVERTED) == 1);
    CHECK(ov_fit_mesh_defects(mesh, OV_FIT_DEFECT_ORIENTATION) > 0);
}

static void one_sided(void) {
    // a strip of squares with its ends joined the wrong way round
    empty();
    enum { SQUARES = 12 };
    for (size_t i = 0; i < SQUARES; i++) {
        double u = 2.0 * M_PI * (double)i / SQUARES;
        for (int side = -1; side <= 1; side += 2) {
            double r = 3.0 + side * cos(0.5 * u);
            points[in.point_count++] = ov_vec3_make(r * cos(u), r * sin(u), side * sin(0.5 * u));
        }
        size_t a = 2 * i, b = 2 * ((i + 1) % SQUARES), last = i + 1 == SQUARES;
        add_quad(a, b + last, b + 1 - last, a + 1);
    }
    (void)ready(NULL);
    CHECK_LINES("open: 24 edges of one triangle, about 1 hole",
                "orientation: the triangles of 1 edge disagree, 0 triangles turned over",
                "one-sided: 1 surface cannot be oriented");
}

static void inverted(void) {
    empty();
    add_box(origin, 1.0);
    turn(0, 12);
    ov_fit_input out = ready(NULL);
    CHECK_LINES("inverted: 1 closed shell was inside out, turned over");
    CHECK_NEAR(volume(&out), 48.0, 1e-12);
    // far from the origin, and small
    empty();
    add_box(ov_vec3_make(1e6, -2e6, 3e5), 1e-2);
    turn(0, 12);
    (void)ready(NULL);
    CHECK(ov_fit_mesh_defects(mesh, OV_FIT_DEFECT_INVERTED) == 1);
}

static void shells(void) {
    empty();
    add_box(origin, 2.0);
    add_box(origin, 1.0);
    turn(12, 12); // a cavity stays one
    add_box(ov_vec3_make(9.0, 0.0, 0.0), 1.0);
    ov_fit_input out = ready(NULL);
    CHECK_LINES("shells: 3, 3 of them closed");
    CHECK_NEAR(volume(&out), 6.0 * (64.0 - 8.0 + 8.0), 1e-10);
    // all of it inside out: the cavity is turned with its shell
    turn(0, 24);
    out = ready(NULL);
    CHECK_LINES("inverted: 2 closed shells were inside out, turned over",
                "shells: 3, 3 of them closed");
    CHECK_NEAR(volume(&out), 6.0 * (64.0 - 8.0 + 8.0), 1e-10);
    // the last box alone
    turn(0, 36);
    out = ready(NULL);
    CHECK(ov_fit_mesh_defects(mesh, OV_FIT_DEFECT_INVERTED) == 1);
    CHECK_NEAR(volume(&out), 6.0 * (64.0 - 8.0 + 8.0), 1e-10);
}

static void branched(void) {
    // two boxes that share an edge, and one that shares a corner with the first
    empty();
    add_box(ov_vec3_make(1, 1, 1), 1.0);
    add_box(ov_vec3_make(-1, -1, 1), 1.0);
    (void)ready(NULL);
    CHECK_LINES("equal: 2 vertices are equal to an earlier one, joined",
                "non-manifold: 1 edge of more than two triangles");
    empty();
    add_box(ov_vec3_make(1, 1, 1), 1.0);
    add_box(ov_vec3_make(-1, -1, -1), 1.0);
    (void)ready(NULL);
    CHECK_LINES("equal: 1 vertex is equal to an earlier one, joined",
                "non-manifold: surfaces that share no edge meet in 1 vertex",
                "shells: 2, 2 of them closed");
    // a fin on an edge of a box
    empty();
    add_box(origin, 1.0);
    points[in.point_count++] = ov_vec3_make(2, 2, 0);
    add_triangle(3, 7, 8);
    (void)ready(NULL);
    CHECK_LINES("open: 2 edges of one triangle, about 0 holes",
                "non-manifold: 1 edge of more than two triangles");
}

static void degenerate(void) {
    // corners that are the same, a triangle on an edge, a segment and a point on their own
    empty();
    add_box(origin, 1.0);
    add_triangle(0, 0, 0);
    add_triangle(0, 1, 1);
    ov_fit_input out = ready(NULL);
    CHECK_LINES("degenerate: 2 triangles without area, 2 of them dropped");
    CHECK(out.triangle_count == 12);
    points[8] = ov_vec3_make(3, 0, 0);
    points[9] = ov_vec3_make(4, 1, 0);
    points[10] = ov_vec3_make(5, 0, 1);
    in.point_count = 11;
    add_triangle(8, 9, 8);
    add_triangle(9, 8, 8);
    add_triangle(9, 9, 9);
    add_triangle(10, 10, 10);
    out = ready(NULL);
    CHECK(out.triangle_count == 14 && out.point_count == 11);
    CHECK(ov_fit_mesh_defects(mesh, OV_FIT_DEFECT_DEGENERATE) == 6);
    CHECK(strcmp(ov_fit_mesh_line(mesh, 0),
                 "degenerate: 6 triangles without area, 4 of them dropped") == 0);
    // three corners on a line
    empty();
    add_box(origin, 1.0);
    points[8] = ov_vec3_make(0, 1, 1);
    in.point_count = 9;
    add_triangle(6, 7, 8);
    (void)ready(NULL);
    CHECK(ov_fit_mesh_defects(mesh, OV_FIT_DEFECT_DEGENERATE) == 1);
    // nothing but a point
    empty();
    points[0] = points[1] = points[2] = ov_vec3_make(1, 2, 3);
    in.point_count = 3;
    add_triangle(0, 1, 2);
    out = ready(NULL);
    CHECK(out.point_count == 1 && out.triangle_count == 1 && ov_fit_mesh_diagonal(mesh) == 0.0);
}

static void duplicates(void) {
    empty();
    add_box(origin, 1.0);
    add_triangle(triangles[4][1], triangles[4][2], triangles[4][0]);
    ov_fit_input out = ready(NULL);
    CHECK_LINES("duplicate: 1 triangle occurs again, 0 of them back to back and kept");
    CHECK(out.triangle_count == 12);
    // a sheet with two sides
    empty();
    for (int i = 0; i < 4; i++) {
        points[in.point_count++] = ov_vec3_make(i & 1, i >> 1, 0);
    }
    add_quad(0, 1, 3, 2);
    add_quad(2, 3, 1, 0);
    triangles[2][0] = 0;
    triangles[2][1] = 3;
    triangles[2][2] = 1;
    triangles[3][0] = 0;
    triangles[3][1] = 2;
    triangles[3][2] = 3;
    out = ready(NULL);
    CHECK(out.triangle_count == 4);
    CHECK(ov_fit_mesh_defects(mesh, OV_FIT_DEFECT_DUPLICATE) == 2);
    CHECK(strcmp(ov_fit_mesh_line(mesh, 0),
                 "duplicate: 2 triangles occur again, 2 of them back to back and kept") == 0);
}

static void unused(void) {
    empty();
    points[in.point_count++] = ov_vec3_make(100, 100, 100);
    add_box(origin, 1.0);
    points[in.point_count++] = ov_vec3_make(-100, 100, 100);
    ov_fit_input out = ready(NULL);
    CHECK_LINES("unused: 2 vertices have no triangle, left out");
    CHECK(out.point_count == 8);
    CHECK(ov_fit_mesh_vertex_targets(mesh)[0] == UINT32_MAX);
    CHECK(ov_fit_mesh_vertex_targets(mesh)[1] == 0);
    CHECK_NEAR(ov_fit_mesh_diagonal(mesh), 2.0 * sqrt(3.0), 1e-15);
}

/** Every triangle with corners of its own, as in STL, and moved by up to `noise`. */
static void tear(double noise) {
    static ov_vec3 old[MOST_POINTS];
    memcpy(old, points, in.point_count * sizeof *old);
    check_random r = check_random_make(11);
    for (size_t i = 0; i < 3 * in.triangle_count; i++) {
        uint32_t *v = &triangles[i / 3][i % 3];
        points[i] = ov_vec3_add_scaled(old[*v], check_unit_vector(&r), noise);
        *v = (uint32_t)i;
    }
    in.point_count = 3 * in.triangle_count;
}

static void welding(void) {
    empty();
    add_box(origin, 1.0);
    tear(0.0);
    ov_fit_input out = ready(NULL);
    CHECK_LINES("equal: 28 vertices are equal to an earlier one, joined");
    CHECK(out.point_count == 8 && ov_fit_mesh_added(mesh) == 0.0);
    // zeros of either sign are equal
    empty();
    add_box(origin, 1.0);
    tear(0.0);
    for (size_t i = 0; i < in.point_count; i++) {
        points[i].x = points[i].x < 0.0 ? (i % 2 == 0 ? 0.0 : -0.0) : points[i].x;
    }
    ov_fit_mesh_options equal = {.weld = OV_ZERO};
    CHECK(ready(&equal).point_count == 8);
    empty();
    add_torus(24, 12, 3.0, 1.0);
    size_t whole = in.point_count;
    tear(1e-7);
    out = ready(NULL);
    CHECK(out.point_count == whole && ov_fit_mesh_line_count(mesh) == 1);
    CHECK(ov_fit_mesh_added(mesh) > 0.0 && ov_fit_mesh_added(mesh) <= 2.01e-7);
    // the options: only equal ones, or nearly all
    ov_fit_mesh_options options = {.weld = OV_ZERO};
    out = ready(&options);
    CHECK(out.point_count == in.point_count && ov_fit_mesh_added(mesh) == 0.0);
    options.weld = 0.1;
    out = ready(&options);
    CHECK(out.point_count < whole && ov_fit_mesh_added(mesh) <= 0.1 * ov_fit_mesh_diagonal(mesh));
}

/* ---- crossing -------------------------------------------------------------------------------- */

/** Triangles cross where an edge of one has its ends on both sides of the plane of the other and
 *  meets it inside: by the parameter of the crossing point, unlike the library. */
static bool crosses(const ov_vec3 a[3], const ov_vec3 b[3]) {
    for (int k = 0; k < 6; k++) {
        const ov_vec3 *s = k < 3 ? a : b, *t = k < 3 ? b : a;
        ov_vec3 p = s[k % 3], d = ov_vec3_sub(s[(k + 1) % 3], p);
        ov_vec3 u = ov_vec3_sub(t[1], t[0]), v = ov_vec3_sub(t[2], t[0]), n = ov_vec3_cross(u, v);
        double along = ov_vec3_dot(n, d);
        double x = ov_vec3_dot(n, ov_vec3_sub(t[0], p)) / along;
        ov_vec3 q = ov_vec3_sub(ov_vec3_add_scaled(p, d, x), t[0]);
        double nn = ov_vec3_dot(n, n), f = ov_vec3_dot(ov_vec3_cross(q, v), n) / nn;
        double g = ov_vec3_dot(ov_vec3_cross(u, q), n) / nn;
        if (along != 0.0 && x > 0.0 && x < 1.0 && f > 0.0 && g > 0.0 && f + g < 1.0) {
            return true;
        }
    }
    return false;
}

static void crossing(void) {
    empty();
    add_box(origin, 1.0);
    add_box(ov_vec3_make(1.1, 0.3, 0.2), 1.0);
    (void)ready(NULL);
    size_t found = ov_fit_mesh_defects(mesh, OV_FIT_DEFECT_CROSSING), expected = 0;
    for (size_t i = 0; i < 12; i++) {
        for (size_t k = 12; k < 24; k++) {
            ov_vec3 a[3], b[3];
            for (int c = 0; c < 3; c++) {
                a[c] = points[triangles[i][c]];
                b[c] = points[triangles[k][c]];
            }
            expected += crosses(a, b);
        }
    }
    CHECK(found == expected && expected > 0);
    // random triangles, all pairs
    check_random r = check_random_make(21);
    for (int round = 0; round < 20; round++) {
        empty();
        enum { RANDOM = 150 };
        for (size_t i = 0; i < 3 * RANDOM; i++) {
            ov_vec3 at = i % 3 == 0 ? ov_vec3_scale(check_unit_vector(&r), 4.0) : points[i - i % 3];
            points[in.point_count++] = ov_vec3_add(at, check_unit_vector(&r));
        }
        for (size_t i = 0; i < RANDOM; i++) {
            add_triangle(3 * i, 3 * i + 1, 3 * i + 2);
        }
        expected = 0;
        for (size_t i = 0; i < RANDOM; i++) {
            for (size_t k = 0; k < i; k++) {
                expected += crosses(points + 3 * i, points + 3 * k);
            }
        }
        (void)ready(NULL);
        CHECK(ov_fit_mesh_defects(mesh, OV_FIT_DEFECT_CROSSING) == expected && expected > 5);
    }
    // a bound on the work, and a line that says so: with and without a pair that was found
    bool none = false, some = false;
    for (size_t limit = 1; limit < 4096; limit *= 2) {
        ov_fit_mesh_options options = {.crossing_pairs = limit};
        (void)ready(&options);
        size_t lines = ov_fit_mesh_line_count(mesh);
        const char *last = lines > 0 ? ov_fit_mesh_line(mesh, lines - 1) : "";
        found = ov_fit_mesh_defects(mesh, OV_FIT_DEFECT_CROSSING);
        CHECK(found <= expected);
        if (found == 0) {
            none = none || strcmp(last, "crossing: none found, but there are too many triangles to "
                                        "test all pairs") == 0;
        } else if (found < expected) {
            CHECK(strncmp(last, "crossing: at least ", 19) == 0);
            some = true;
        }
    }
    CHECK(none && some);
}

/** Two triangles with a common vertex: the edge across from it goes through the other, or not. */
static void crossing_at_vertex(void) {
    empty();
    points[0] = ov_vec3_make(0, 0, 0);
    points[1] = ov_vec3_make(2, 0, 0);
    points[2] = ov_vec3_make(0, 2, 0);
    points[3] = ov_vec3_make(0.5, 0.5, 1);
    points[4] = ov_vec3_make(0.5, 0.5, -1);
    in.point_count = 5;
    add_triangle(0, 1, 2);
    add_triangle(0, 3, 4);
    (void)ready(NULL);
    CHECK(ov_fit_mesh_defects(mesh, OV_FIT_DEFECT_CROSSING) == 1);
    points[4].z = 0.5;
    (void)ready(NULL);
    CHECK(ov_fit_mesh_defects(mesh, OV_FIT_DEFECT_CROSSING) == 0);
}

/* ---- thinning -------------------------------------------------------------------------------- */

static void thinning(void) {
    empty();
    add_torus(200, 100, 3.0, 1.0);
    for (size_t limit = 20000; limit >= 1; limit /= 8) {
        ov_fit_mesh_options options = {.triangles = limit};
        ov_fit_input out = ready(&options);
        CHECK(out.triangle_count <= limit);
        size_t last = ov_fit_mesh_line_count(mesh) - 1;
        const char *line = ov_fit_mesh_line(mesh, last);
        CHECK(strncmp(line, "thinned: ", 9) == 0 &&
              strstr(line, " of 40000 triangles left") != NULL);
        printf("fit_mesh: %s\n", line);
        // no worse than a grid of the surface's own size, up to a factor
        double area = 4.0 * M_PI * M_PI * 3.0, width = sqrt(3.0 * area / (double)limit);
        CHECK(ov_fit_mesh_added(mesh) <= 2.0 * width);
    }
    // the defects are those of the mesh as it was
    CHECK(ov_fit_mesh_defects(mesh, OV_FIT_DEFECT_DUPLICATE) == 0);
    CHECK(ov_fit_mesh_defects(mesh, OV_FIT_DEFECT_DEGENERATE) == 0);
}

/** Large triangles across each other: their area would ask for cells larger than the mesh. */
static void thinning_a_heap(void) {
    check_random r = check_random_make(399);
    empty();
    in.point_count = 100;
    for (size_t i = 0; i < in.point_count; i++) {
        points[i] = ov_vec3_make(check_uniform(&r, 0.0, 1.0), check_uniform(&r, 0.0, 1.0),
                                 check_uniform(&r, 0.0, 1.0));
    }
    in.triangle_count = 4000;
    for (size_t i = 0; i < 3 * in.triangle_count; i++) {
        triangles[i / 3][i % 3] = (uint32_t)(check_random_bits(&r) % in.point_count);
    }
    for (size_t limit = 1000; limit >= 1; limit /= 10) {
        ov_fit_mesh_options options = {.triangles = limit};
        ov_fit_input out = ready(&options);
        CHECK(out.triangle_count >= 1 && out.triangle_count <= limit);
        printf("fit_mesh: a heap: %zu of at most %zu triangles, moved by %.3g\n",
               out.triangle_count, limit, ov_fit_mesh_added(mesh));
    }
}

/* ---- all kinds at once, at random ------------------------------------------------------------ */

/** Any triangles at all: what is promised holds, and the same bits come out twice. */
static void at_random(void) {
    for (uint64_t seed = 0; seed < 200; seed++) {
        check_random r = check_random_make(400 + seed);
        empty();
        in.point_count = 3 + check_random_bits(&r) % 40;
        for (size_t i = 0; i < in.point_count; i++) {
            // on a small grid, so that many things coincide, or nearly
            points[i].x = (double)(check_random_bits(&r) % 4);
            points[i].y = (double)(check_random_bits(&r) % 3);
            points[i].z = (double)(check_random_bits(&r) % 3);
            if (seed % 2 == 0) {
                points[i].x += 1e-9 * (double)(check_random_bits(&r) % 3);
            }
        }
        size_t count = 1 + check_random_bits(&r) % 60;
        for (size_t i = 0; i < 3 * count; i++) {
            triangles[i / 3][i % 3] = (uint32_t)(check_random_bits(&r) % in.point_count);
        }
        in.triangle_count = count;
        ov_fit_mesh_options options = {.triangles = seed % 3 == 0 ? 10 : 0};
        ov_fit_input out = ready(&options);
        ov_fit_mesh *again;
        CHECK_OK(ov_fit_mesh_create(&in, &options, &again, NULL));
        ov_fit_input other = ov_fit_mesh_input(again);
        CHECK(other.point_count == out.point_count && other.triangle_count == out.triangle_count &&
              memcmp(other.points, out.points, out.point_count * sizeof *out.points) == 0 &&
              memcmp(other.triangles, out.triangles, out.triangle_count * sizeof *out.triangles) ==
                  0);
        ov_fit_mesh_destroy(again);
    }
}

/* ---- bad input ------------------------------------------------------------------------------- */

static void arguments(void) {
    ov_fit_mesh *m = mesh;
    ov_fault fault;
    empty();
    add_box(origin, 1.0);
    CHECK_STATUS(ov_fit_mesh_create(&in, NULL, NULL, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_fit_mesh_create(NULL, NULL, &m, &fault), OV_ERROR_NULL);
    CHECK(m == NULL && fault.text[0] != '\0');
    ov_fit_input cloud = {points, 8, NULL, 0};
    CHECK_STATUS(ov_fit_mesh_create(&cloud, NULL, &m, &fault), OV_ERROR_COUNT);
    CHECK(strcmp(fault.text, "no triangles: a mesh is needed, not a cloud") == 0);
    const double wrong[] = {-1.0, 0.2, 1e-13, NAN, INFINITY};
    for (int i = 0; i < 5; i++) {
        ov_fit_mesh_options options = {.weld = wrong[i]};
        CHECK_STATUS(ov_fit_mesh_create(&in, &options, &m, &fault), OV_ERROR_OPTION);
        CHECK(m == NULL && strstr(fault.text, "weld") != NULL);
    }
    points[3].y = NAN;
    CHECK_STATUS(ov_fit_mesh_create(&in, NULL, &m, &fault), OV_ERROR_NOT_FINITE);
    points[3].y = 2e60;
    CHECK_STATUS(ov_fit_mesh_create(&in, NULL, &m, &fault), OV_ERROR_SIZE_RANGE);
    points[3].y = 1.0;
    triangles[7][1] = 8;
    CHECK_STATUS(ov_fit_mesh_create(&in, NULL, &m, &fault), OV_ERROR_INDEX);
    CHECK(strstr(fault.text, "triangle 7") != NULL);
    size_t pairs = 7;
    bool all = true;
    CHECK_STATUS(ov_fit_crossings(&in, 0, &pairs, &all), OV_ERROR_INDEX);
    CHECK(pairs == 0 && !all);
    CHECK_STATUS(ov_fit_crossings(&in, 0, NULL, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_fit_crossings(NULL, 0, &pairs, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_fit_crossings(&cloud, 0, &pairs, NULL), OV_ERROR_COUNT);
    triangles[7][1] = 7;
    CHECK_OK(ov_fit_crossings(&in, 0, &pairs, &all));
    CHECK(all);
    ov_fit_mesh_destroy(NULL);
    CHECK(ov_fit_mesh_input(NULL).point_count == 0 && ov_fit_mesh_sources(NULL) == NULL);
    CHECK(ov_fit_mesh_targets(NULL) == NULL && ov_fit_mesh_vertex_targets(NULL) == NULL);
    CHECK(ov_fit_mesh_neighbours(NULL) == NULL && ov_fit_mesh_line_count(NULL) == 0);
    CHECK(ov_fit_mesh_defects(mesh, OV_FIT_DEFECT_COUNT) == 0);
    for (int d = -1; d <= OV_FIT_DEFECT_COUNT; d++) {
        CHECK(strlen(ov_fit_defect_name((ov_fit_defect)d)) > 0);
    }
    CHECK(ov_default_fit_mesh_options().weld == 1e-6);
}

/** Sizes at the ends of the range. */
static void sizes(void) {
    for (double scale = 1e-50; scale < 1e60; scale *= 1e10) {
        empty();
        add_box(ov_vec3_make(scale, -scale, 3.0 * scale), scale);
        turn(0, 12);
        ov_fit_mesh_options options = {.triangles = 8};
        ov_fit_input out = ready(&options);
        CHECK(ov_fit_mesh_defects(mesh, OV_FIT_DEFECT_INVERTED) == 1);
        CHECK(ov_fit_mesh_defects(mesh, OV_FIT_DEFECT_DEGENERATE) == 0);
        CHECK(out.triangle_count <= 8);
    }
}

int main(void) {
    check_suite = "fit_mesh";
    RUN(good);
    RUN(open_edges);
    RUN(single_triangle);
    RUN(orientation);
    RUN(one_sided);
    RUN(inverted);
    RUN(shells);
    RUN(branched);
    RUN(degenerate);
    RUN(duplicates);
    RUN(unused);
    RUN(welding);
    RUN(crossing);
    RUN(crossing_at_vertex);
    RUN(thinning);
    RUN(thinning_a_heap);
    RUN(at_random);
    RUN(arguments);
    RUN(sizes);
    ov_fit_mesh_destroy(mesh);
    return check_finish();
}
