/**
 * @file test_fit_segments.c
 * @brief The decomposition of [SQMap, 3]: geodesic distances and protrusion against a graph and
 * sums of the test's own, Gaussian curvature against closed forms and Gauss-Bonnet, and bodies
 * whose parts are known.
 */
#include <string.h>

#include <ovoid/fit.h>

#include "check.h"
#include "own_allocator.h"

enum { MOST_POINTS = 20000, MOST_TRIANGLES = 40000 };

static ov_vec3 points[MOST_POINTS];
static uint32_t triangles[MOST_TRIANGLES][3];
static size_t point_count, triangle_count;

static void add_triangle(size_t a, size_t b, size_t c) {
    triangles[triangle_count][0] = (uint32_t)a;
    triangles[triangle_count][1] = (uint32_t)b;
    triangles[triangle_count++][2] = (uint32_t)c;
}

/** A point of a surface, by two numbers from 0 to 1. */
typedef ov_vec3 (*surface)(double u, double v);

/** A closed or open grid: u goes round; v goes round too, or ends in poles, or in open edges. */
typedef enum ends { ENDS_JOINED, ENDS_POLES, ENDS_OPEN } ends;

static void add_surface(surface f, size_t n, size_t k, ends how) {
    size_t o = point_count, rows = how == ENDS_JOINED ? k : how == ENDS_POLES ? k - 1 : k + 1;
    for (size_t j = 0; j < rows; j++) {
        for (size_t i = 0; i < n; i++) {
            double v = (double)(j + (how == ENDS_POLES)) / (double)k;
            points[point_count++] = f((double)i / (double)n, v);
        }
    }
    for (size_t j = 0; j + (how != ENDS_JOINED) < rows; j++) {
        for (size_t i = 0; i < n; i++) {
            size_t a = o + j * n + i, b = o + j * n + (i + 1) % n;
            size_t up = (j + 1) % rows * n, c = o + up + (i + 1) % n, d = o + up + i;
            add_triangle(a, b, c);
            add_triangle(a, c, d);
        }
    }
    if (how == ENDS_POLES) {
        size_t south = point_count;
        points[point_count++] = f(0.0, 0.0);
        points[point_count++] = f(0.0, 1.0);
        for (size_t i = 0; i < n; i++) {
            size_t next = (i + 1) % n, last = o + (rows - 1) * n;
            add_triangle(south, o + next, o + i);
            add_triangle(south + 1, last + i, last + next);
        }
    }
}

static void empty(void) { point_count = triangle_count = 0; }

static ov_vec3 direction(double u, double v) {
    double phi = 2.0 * M_PI * u, theta = M_PI * v;
    return ov_vec3_make(sin(theta) * cos(phi), sin(theta) * sin(phi), -cos(theta));
}

static ov_vec3 ball(double u, double v) { return ov_vec3_scale(direction(u, v), 2.0); }

static ov_vec3 torus(double u, double v) {
    double r = 2.5 - cos(2.0 * M_PI * v);
    return ov_vec3_make(r * cos(2.0 * M_PI * u), r * sin(2.0 * M_PI * u), sin(2.0 * M_PI * v));
}

static ov_vec3 rod(double u, double v) {
    // a capsule of radius 0.5 and length 7, parameters by length of arc
    double s = v * (6.0 + 0.5 * M_PI), cap = 0.25 * M_PI, r = 0.5, z;
    if (s < cap) {
        z = -3.0 - 0.5 * cos(2.0 * s);
        r = 0.5 * sin(2.0 * s);
    } else if (s > cap + 6.0) {
        z = 3.0 + 0.5 * sin(2.0 * (s - cap - 6.0));
        r = 0.5 * cos(2.0 * (s - cap - 6.0));
    } else {
        z = s - cap - 3.0;
    }
    return ov_vec3_make(r * cos(2.0 * M_PI * u), r * sin(2.0 * M_PI * u), z);
}

static ov_vec3 tube(double u, double v) {
    return ov_vec3_make(cos(2.0 * M_PI * u), sin(2.0 * M_PI * u), 8.0 * v);
}

/** Two balls of radius 1 about +-2.5, with a bar of radius 0.25 between them. */
static ov_vec3 dumbbell(double u, double v) {
    double z = -3.5 * cos(M_PI * v), d = fabs(z) - 2.5;
    double r = sqrt(fmax(1.0 - d * d, 0.0));
    r = fabs(z) < 2.5 ? sqrt(fmax(r * r, 0.0625)) : r;
    return ov_vec3_make(r * cos(2.0 * M_PI * u), r * sin(2.0 * M_PI * u), z);
}

/**
 * A ball of radius 2 with triangles of about the same size everywhere, from an octahedron whose
 * edges are divided by n; `limbs` draws it out along the axes. Octants have vertices of their own.
 */
static void add_even_ball(size_t n, bool limbs) {
    for (int octant = 0; octant < 8; octant++) {
        double x = octant & 1 ? -1.0 : 1.0, y = octant & 2 ? -1.0 : 1.0,
               z = octant & 4 ? -1.0 : 1.0;
        bool turned = x * y * z < 0.0;
        for (size_t i = 0; i <= n; i++) {
            for (size_t k = 0; i + k <= n; k++) {
                double a = (double)i, b = (double)k, c = (double)(n - i - k);
                ov_vec3 d = ov_vec3_normalize(ov_vec3_make(a, b, c));
                double most = fmax(d.x, fmax(d.y, d.z)), angle = acos(fmin(most, 1.0)) / 0.25;
                double r = limbs ? 2.0 + 4.0 * exp(-angle * angle * angle * angle) : 2.0;
                // row i begins after those of n + 1, n ... vertices
                size_t at = point_count++, right = at + n - i + 1;
                points[at] = ov_vec3_scale(ov_vec3_make(x * d.x, y * d.y, z * d.z), r);
                if (i + k < n) {
                    add_triangle(at, turned ? at + 1 : right, turned ? right : at + 1);
                }
                if (i + k + 1 < n) {
                    add_triangle(at + 1, turned ? right + 1 : right, turned ? right : right + 1);
                }
            }
        }
    }
}

static ov_fit_mesh *mesh;
static ov_fit_segments *segments;

static void make(const ov_fit_segments_options *options) {
    ov_fit_input in = {points, point_count, (const uint32_t(*)[3])triangles, triangle_count};
    ov_fit_mesh_destroy(mesh);
    ov_fit_segments_destroy(segments);
    CHECK_OK(ov_fit_mesh_create(&in, NULL, &mesh, NULL));
    CHECK_OK(ov_fit_segments_create(mesh, options, &segments));
    size_t n = ov_fit_mesh_input(mesh).triangle_count, parts = ov_fit_segments_count(segments);
    static bool seen[MOST_TRIANGLES];
    memset(seen, 0, sizeof seen);
    CHECK(n == triangle_count);
    for (size_t i = 0; i < n; i++) {
        uint32_t label = ov_fit_segments_labels(segments)[i];
        if (CHECK(label < parts)) {
            seen[label] = true;
        }
        CHECK(isfinite(ov_fit_segments_protrusion(segments)[i]));
        CHECK(isfinite(ov_fit_segments_curvature(segments)[i]));
    }
    for (size_t i = 0; i < parts; i++) {
        CHECK(seen[i]);
    }
}

static size_t cuts(ov_fit_cut kind) {
    size_t all = 0;
    for (size_t i = 0; i < ov_fit_segments_salient_count(segments); i++) {
        size_t count;
        const ov_fit_locale *l = ov_fit_segments_locales(segments, i, &count);
        for (size_t k = 0; k < count; k++) {
            all += l[k].cut == kind;
        }
    }
    return all;
}

/* ---- geodesic distances ---------------------------------------------------------------------- */

enum { SMALL = 400 };
static double between[SMALL][SMALL];

static ov_vec3 centre_of(size_t i) {
    const uint32_t *t = triangles[i];
    ov_vec3 sum = ov_vec3_add(points[t[0]], ov_vec3_add(points[t[1]], points[t[2]]));
    return ov_vec3_scale(sum, 1.0 / 3.0);
}

static double area_of(size_t i) {
    const uint32_t *t = triangles[i];
    ov_vec3 a = points[t[0]];
    ov_vec3 n = ov_vec3_cross(ov_vec3_sub(points[t[1]], a), ov_vec3_sub(points[t[2]], a));
    return 0.5 * ov_vec3_length(n);
}

/** All pairs by Floyd's method; triangles are neighbours when they have two corners in common. */
static void fill_between(void) {
    size_t n = triangle_count;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            int common = 0;
            for (int c = 0; c < 9; c++) {
                common += triangles[i][c / 3] == triangles[k][c % 3];
            }
            between[i][k] = i == k ? 0.0 : INFINITY;
            if (i != k && common == 2) {
                between[i][k] = ov_vec3_length(ov_vec3_sub(centre_of(i), centre_of(k)));
            }
        }
    }
    for (size_t m = 0; m < n; m++) {
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < n; k++) {
                between[i][k] = fmin(between[i][k], between[i][m] + between[m][k]);
            }
        }
    }
}

static void check_distances(void) {
    static double distances[SMALL];
    double worst = 0.0;
    fill_between();
    for (uint32_t i = 0; i < triangle_count; i++) {
        CHECK_OK(ov_fit_segments_distances(segments, i, distances));
        for (size_t k = 0; k < triangle_count; k++) {
            bool both = between[i][k] == distances[k]; // infinite, too
            worst = fmax(worst, both ? 0.0 : fabs(between[i][k] - distances[k]));
        }
    }
    CHECK(worst <= 1e-12);
    check_worst("geodesic distances", worst, 1e-12);
}

/** p(u) by the sum (4) itself. */
static void check_protrusion(const ov_fit_segments_options *options, double slack) {
    make(options);
    double worst = 0.0, bound = ov_fit_segments_protrusion_error(segments);
    for (size_t u = 0; u < triangle_count; u++) {
        double p = 0.0;
        for (size_t v = 0; v < triangle_count; v++) {
            p += between[u][v] < INFINITY ? between[u][v] * area_of(v) : 0.0;
        }
        worst = fmax(worst, fabs(p - ov_fit_segments_protrusion(segments)[u]));
    }
    CHECK(worst <= bound + slack);
    check_worst("protrusion", worst, bound + slack);
}

static void graph(void) {
    empty();
    add_surface(torus, 16, 10, ENDS_JOINED);
    make(NULL);
    check_distances();
    ov_fit_segments_options options = {.bases = 1000};
    check_protrusion(&options, 1e-9);
    CHECK(ov_fit_segments_protrusion_error(segments) == 0.0);
    options.bases = 20;
    check_protrusion(&options, 1e-9);
    CHECK(ov_fit_segments_protrusion_error(segments) > 0.0);
    options.bases = 1;
    check_protrusion(&options, 1e-9);
    // two shells, one of them open: no path between them
    empty();
    add_surface(ball, 8, 6, ENDS_POLES);
    add_surface(tube, 9, 4, ENDS_OPEN);
    for (size_t i = 8 * 5 + 2; i < point_count; i++) {
        points[i].x += 10.0;
    }
    make(NULL);
    check_distances();
    options.bases = 1000;
    check_protrusion(&options, 1e-9);
    options.bases = 7;
    check_protrusion(&options, 1e-9);
    CHECK(ov_fit_segments_count(segments) >= 2);
    CHECK(ov_fit_segments_labels(segments)[0] !=
          ov_fit_segments_labels(segments)[triangle_count - 1]);
}

/** On a body on which all faces are alike they protrude alike; on a rod most at its ends. */
static void protrusion(void) {
    empty();
    static const int octahedron[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                         {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    for (int i = 0; i < 6; i++) {
        double s = i % 2 == 0 ? 1.0 : -1.0;
        points[point_count++] =
            ov_vec3_make(i / 2 == 0 ? s : 0, i / 2 == 1 ? s : 0, i / 2 == 2 ? s : 0);
    }
    for (int i = 0; i < 8; i++) {
        add_triangle((size_t)octahedron[i][0], (size_t)octahedron[i][1], (size_t)octahedron[i][2]);
    }
    make(NULL);
    // three at one step, three at two, one at three; a step is 2/3
    double expected = (3.0 + 6.0 + 3.0) * 2.0 / 3.0 * area_of(0);
    for (size_t i = 0; i < 8; i++) {
        CHECK_NEAR(ov_fit_segments_protrusion(segments)[i], expected, 1e-14);
    }
    empty();
    add_surface(rod, 24, 120, ENDS_POLES);
    make(NULL);
    if (CHECK(ov_fit_segments_salient_count(segments) == 2)) {
        double z0 = centre_of(ov_fit_segments_salient(segments)[0]).z;
        double z1 = centre_of(ov_fit_segments_salient(segments)[1]).z;
        CHECK(fabs(z0) > 3.3 && fabs(z1) > 3.3 && z0 * z1 < 0.0);
    }
    // far along a thin rod the protrusion is that of a segment: sums of |z - t| over t
    double low = INFINITY, high = 0.0;
    for (size_t i = 0; i < triangle_count; i++) {
        low = fmin(low, ov_fit_segments_protrusion(segments)[i]);
        high = fmax(high, ov_fit_segments_protrusion(segments)[i]);
    }
    // in the middle a quarter of the length on average, at the end a half of it
    CHECK(high / low > 1.7 && high / low < 2.1);
}

/* ---- curvature ------------------------------------------------------------------------------- */

static void curvature_of_ball(void) {
    empty();
    add_even_ball(24, false);
    make(NULL);
    double worst = 0.0;
    for (size_t i = 0; i < triangle_count; i++) {
        worst = fmax(worst, fabs(4.0 * ov_fit_segments_curvature(segments)[i] - 1.0));
    }
    // at the corners of the octahedron, where four triangles meet and not six, shares of a vertex
    // by angle are not shares by area
    CHECK(worst <= 0.05);
    check_worst("curvature of a ball, relative", worst, 0.05);
    CHECK(ov_fit_segments_count(segments) == 1);
}

static void curvature_of_torus(void) {
    empty();
    add_surface(torus, 100, 40, ENDS_JOINED);
    make(NULL);
    double worst = 0.0;
    for (size_t i = 0; i < triangle_count; i++) {
        ov_vec3 c = centre_of(i);
        double r = sqrt(c.x * c.x + c.y * c.y) - 2.5, cosine = r / sqrt(r * r + c.z * c.z);
        double k = cosine / (2.5 + cosine);
        worst = fmax(worst, fabs(ov_fit_segments_curvature(segments)[i] - k));
    }
    // the inner rim has -2/3; the window is about 0.2 wide, over which the curvature changes by
    // up to 0.6 of that, with halves on both sides
    CHECK(worst <= 0.05);
    check_worst("curvature of a torus", worst, 0.05);
}

/** With a window that holds nothing but the triangle, curvature times area is 2 pi chi in all. */
static void gauss_bonnet(void) {
    static const struct {
        surface f;
        ends how;
        double total;
    } cases[] = {{ball, ENDS_POLES, 4.0},
                 {torus, ENDS_JOINED, 0.0},
                 {dumbbell, ENDS_POLES, 4.0},
                 {tube, ENDS_OPEN, 0.0}};
    ov_fit_segments_options options = {.curvature_window = 1e-9};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        empty();
        add_surface(cases[i].f, 40, 30, cases[i].how);
        make(&options);
        double sum = 0.0;
        for (size_t k = 0; k < triangle_count; k++) {
            sum += ov_fit_segments_curvature(segments)[k] * ov_fit_segments_areas(segments)[k];
        }
        CHECK_NEAR(sum, M_PI * cases[i].total, 1e-9);
    }
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void check_torus(void) {
    empty();
    add_surface(torus, 90, 36, ENDS_JOINED);
    make(NULL);
    // boundary strength alone would not cut it
    CHECK(cuts(OV_FIT_CUT_BOUNDARY) == 0 && cuts(OV_FIT_CUT_CURVATURE) > 3);
    CHECK(ov_fit_segments_count(segments) >= 6);
    printf("fit_segments: torus: %zu parts\n", ov_fit_segments_count(segments));
    // no part goes round
    for (size_t part = 0; part < ov_fit_segments_count(segments); part++) {
        double x = 0.0, y = 0.0, area = 0.0;
        for (size_t i = 0; i < triangle_count; i++) {
            if (ov_fit_segments_labels(segments)[i] == part) {
                x += area_of(i) * centre_of(i).x;
                y += area_of(i) * centre_of(i).y;
                area += area_of(i);
            }
        }
        CHECK(sqrt(x * x + y * y) > 0.5 * area);
    }
    ov_fit_segments_options options = {.hyperbolic = 1.0};
    make(&options);
    CHECK(ov_fit_segments_count(segments) == 1);
    options = (ov_fit_segments_options){.curvature = 1e6};
    make(&options);
    CHECK(ov_fit_segments_count(segments) == 1);
}

/** The part that most of the area near a point is in. */
static uint32_t part_at(double x, double y, double z) {
    uint32_t best = 0;
    double least = INFINITY;
    for (size_t i = 0; i < triangle_count; i++) {
        double d = ov_vec3_length(ov_vec3_sub(centre_of(i), ov_vec3_make(x, y, z)));
        if (d < least) {
            least = d;
            best = ov_fit_segments_labels(segments)[i];
        }
    }
    return best;
}

static void check_dumbbell(void) {
    empty();
    add_surface(dumbbell, 36, 120, ENDS_POLES);
    make(NULL);
    CHECK(ov_fit_segments_salient_count(segments) == 2);
    uint32_t low = part_at(0, 0, -3.5), high = part_at(0, 0, 3.5), bar = part_at(0.25, 0, 0);
    CHECK(low != high && bar != low && bar != high);
    CHECK(ov_fit_segments_count(segments) == 3);
    printf("fit_segments: dumbbell: %zu parts\n", ov_fit_segments_count(segments));
    // each ball is whole
    for (size_t i = 0; i < triangle_count; i++) {
        double z = centre_of(i).z;
        uint32_t label = ov_fit_segments_labels(segments)[i];
        if (fabs(z) > 2.0) {
            CHECK(label == (z < 0.0 ? low : high));
        }
        if (fabs(z) < 1.0) {
            CHECK(label == bar);
        }
    }
}

static void check_limbs(void) {
    empty();
    add_even_ball(40, true);
    // without curvature: limbs and body
    ov_fit_segments_options options = {.hyperbolic = 1.0};
    make(&options);
    CHECK(ov_fit_segments_salient_count(segments) == 6);
    CHECK(ov_fit_segments_count(segments) == 7 && cuts(OV_FIT_CUT_BOUNDARY) == 6);
    static const double tips[6][3] = {{6, 0, 0},  {-6, 0, 0}, {0, 6, 0},
                                      {0, -6, 0}, {0, 0, 6},  {0, 0, -6}};
    uint32_t body = part_at(1.2, 1.2, 1.2);
    for (int i = 0; i < 6; i++) {
        uint32_t tip = part_at(tips[i][0], tips[i][1], tips[i][2]);
        CHECK(tip != body);
        for (int k = 0; k < i; k++) {
            CHECK(tip != part_at(tips[k][0], tips[k][1], tips[k][2]));
        }
    }
    // they are cut off near the body: the ball begins at an angle of 0.42 from the axis, and the
    // areas that rise there are those of two locales
    double far = 0.42 + 2.0 * ov_fit_segments_locale_width(segments) / 2.0;
    for (size_t i = 0; i < triangle_count; i++) {
        ov_vec3 c = centre_of(i);
        double most = fmax(fabs(c.x), fmax(fabs(c.y), fabs(c.z)));
        double r = ov_vec3_length(c), angle = acos(most / r);
        if (r > 3.0 || angle > far) {
            if (!CHECK((ov_fit_segments_labels(segments)[i] == body) == (angle > far))) {
                fprintf(stderr, "at a radius of %g, %g from the axis\n", r, angle);
            }
        }
    }
    // walks and locales: of the limbs, and none of the body
    for (size_t i = 0; i < triangle_count; i++) {
        bool in_body = ov_fit_segments_labels(segments)[i] == body;
        CHECK((ov_fit_segments_walks(segments)[i] == UINT32_MAX) == in_body);
        CHECK((ov_fit_segments_locale_numbers(segments)[i] == UINT32_MAX) == in_body);
    }
    // the areas of the locales are those of the triangles
    size_t count;
    const ov_fit_locale *l = ov_fit_segments_locales(segments, 0, &count);
    CHECK(count > 5 && l[count - 1].cut == OV_FIT_CUT_BOUNDARY);
    for (size_t k = 0; k + 1 < count; k++) {
        CHECK_NEAR(l[k].strength, l[k + 1].area - l[k].area, 1e-12);
        CHECK(l[k].hyperbolic >= 0.0 && l[k].hyperbolic <= 1.0 && l[k].curvature <= 0.0);
    }
}

/** The same parts at any size, exactly so for powers of two. */
static void sizes(void) {
    empty();
    add_surface(dumbbell, 24, 80, ENDS_POLES);
    make(NULL);
    static uint32_t before[MOST_TRIANGLES];
    memcpy(before, ov_fit_segments_labels(segments), triangle_count * sizeof *before);
    const double scales[] = {0x1p-140, 0x1p-10, 0x1p150};
    double last = 1.0;
    for (int i = 0; i < 3; i++) {
        for (size_t k = 0; k < point_count; k++) {
            points[k] = ov_vec3_scale(points[k], scales[i] / last);
        }
        last = scales[i];
        make(NULL);
        CHECK(memcmp(before, ov_fit_segments_labels(segments), triangle_count * sizeof *before) ==
              0);
    }
}

/* ---- input that has little to decompose ------------------------------------------------------ */

static void little(void) {
    empty();
    points[0] = ov_vec3_make(0, 0, 0);
    points[1] = ov_vec3_make(1, 0, 0);
    points[2] = ov_vec3_make(0, 1, 0);
    points[3] = ov_vec3_make(0, 0, 5);
    point_count = 4;
    add_triangle(0, 1, 2);
    make(NULL);
    CHECK(ov_fit_segments_count(segments) == 1);
    // a segment, then a point
    triangle_count = 0;
    add_triangle(0, 1, 1);
    make(NULL);
    CHECK(ov_fit_segments_count(segments) == 1 && ov_fit_segments_areas(segments)[0] == 0.0);
    triangle_count = 0;
    add_triangle(0, 0, 0);
    make(NULL);
    CHECK(ov_fit_segments_count(segments) == 1);
    // three triangles on an edge, and others that only share a vertex
    triangle_count = 0;
    add_triangle(0, 1, 2);
    add_triangle(0, 1, 3);
    points[4] = ov_vec3_make(0, -1, 0);
    points[5] = ov_vec3_make(0, -1, -1);
    point_count = 6;
    add_triangle(1, 0, 4);
    add_triangle(0, 4, 5);
    make(NULL);
    CHECK(ov_fit_segments_count(segments) >= 1);
}

static void arguments(void) {
    empty();
    add_surface(ball, 8, 6, ENDS_POLES);
    make(NULL);
    ov_fit_segments *s = segments;
    CHECK_STATUS(ov_fit_segments_create(NULL, NULL, &s), OV_ERROR_NULL);
    CHECK(s == NULL);
    CHECK_STATUS(ov_fit_segments_create(mesh, NULL, NULL), OV_ERROR_NULL);
    const double wrong[] = {-1.0, NAN, INFINITY};
    for (int i = 0; i < 3 * 8; i++) {
        ov_fit_segments_options o = {0};
        double *fields[] = {&o.window,     &o.prominence, &o.locale,           &o.boundary,
                            &o.hyperbolic, &o.curvature,  &o.curvature_window, &o.least};
        *fields[i / 3] = wrong[i % 3];
        CHECK_STATUS(ov_fit_segments_create(mesh, &o, &s), OV_ERROR_OPTION);
        CHECK(s == NULL);
    }
    ov_fit_segments_options usual = ov_default_fit_segments_options(), none = {0};
    ov_fit_segments *a = NULL, *b = NULL;
    CHECK_OK(ov_fit_segments_create(mesh, &usual, &a));
    CHECK_OK(ov_fit_segments_create(mesh, &none, &b));
    CHECK(memcmp(ov_fit_segments_protrusion(a), ov_fit_segments_protrusion(b),
                 triangle_count * sizeof(double)) == 0);
    ov_fit_segments_destroy(a);
    ov_fit_segments_destroy(b);
    double distances[200];
    CHECK_STATUS(ov_fit_segments_distances(segments, 0, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_fit_segments_distances(NULL, 0, distances), OV_ERROR_NULL);
    CHECK_STATUS(ov_fit_segments_distances(segments, (uint32_t)triangle_count, distances),
                 OV_ERROR_INDEX);
    size_t count = 7;
    CHECK(ov_fit_segments_locales(segments, 1000, &count) == NULL && count == 0);
    CHECK(ov_fit_segments_locales(NULL, 0, NULL) == NULL);
    CHECK(ov_fit_segments_count(NULL) == 0 && ov_fit_segments_labels(NULL) == NULL);
    CHECK(ov_fit_segments_salient(NULL) == NULL && ov_fit_segments_salient_count(NULL) == 0);
    CHECK(ov_fit_segments_locale_width(segments) > 0.0);
    ov_fit_segments_destroy(NULL);
}

/* ---- the n-th allocation fails --------------------------------------------------------------- */

#if OWN_ALLOCATOR
/** OV_ERROR_MEMORY and nothing left behind, wherever memory ends; at last there is enough. */
static void out_of_memory(void) {
    empty();
    add_surface(torus, 30, 12, ENDS_JOINED);
    ov_fit_input in = {points, point_count, (const uint32_t(*)[3])triangles, triangle_count};
    ov_fit_mesh_options how = {.triangles = 300};
    for (int which = 0; which < 2; which++) {
        ov_status status = OV_ERROR_MEMORY;
        long failures = 0;
        ov_fit_mesh *m = NULL;
        for (long n = 1; n < 500 && status == OV_ERROR_MEMORY; n++) {
            ov_fit_segments *s = NULL;
            long alive = alloc_alive;
            alloc_calls = 0;
            alloc_fail_at = n;
            status = which == 0 ? ov_fit_mesh_create(&in, &how, &m, NULL)
                                : ov_fit_segments_create(mesh, NULL, &s);
            alloc_fail_at = 0;
            failures += status == OV_ERROR_MEMORY;
            if (status == OV_ERROR_MEMORY) {
                CHECK(m == NULL && s == NULL && alloc_alive == alive);
            }
            ov_fit_segments_destroy(s);
            ov_fit_mesh_destroy(m);
            m = NULL;
            CHECK(alloc_alive == alive);
        }
        CHECK_OK(status);
        CHECK(failures > 10);
    }
}
#endif

int main(void) {
    check_suite = "fit_segments";
    RUN(graph);
    RUN(protrusion);
    RUN(curvature_of_ball);
    RUN(curvature_of_torus);
    RUN(gauss_bonnet);
    RUN(check_torus);
    RUN(check_dumbbell);
    RUN(check_limbs);
    RUN(sizes);
    RUN(little);
    RUN(arguments);
#if OWN_ALLOCATOR
    RUN(out_of_memory);
#endif
    ov_fit_mesh_destroy(mesh);
    ov_fit_segments_destroy(segments);
    return check_finish();
}
