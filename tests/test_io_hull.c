/**
 * @file test_io_hull.c
 * @brief Hulls of clouds: closed, convex and outward for clouds of every kind, noise near the
 * rounding error included; against the cloud itself in many directions. Bad clouds, silence of
 * qhull, and memory that runs out at every single allocation.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ovoid/io.h>

#include "check.h"
#include "own_allocator.h"

typedef long double real;

enum { MAX_POINTS = 4000 };

static ov_vec3 cloud[MAX_POINTS];

/* ---- the n-th allocation fails */

#if OWN_ALLOCATOR
/** In a child: what comes of the n-th allocation failing. */
static int outcome_of_failure(size_t count, long n, bool after) {
    ov_hull *hull = NULL;
    alloc_calls = alloc_alive = 0;
    alloc_fail_after = after;
    alloc_fail_at = n;
    ov_status status = ov_hull_create(cloud, count, &hull);
    alloc_fail_at = 0;
    if (status == OV_OK) {
        ov_hull_destroy(hull);
        return alloc_alive == 0 ? 100 : 101;
    }
    return status == OV_ERROR_MEMORY && hull == NULL && alloc_alive == 0 ? 102 : 103;
}

/** A process of its own for each, since qhull may call exit() where it knows no other way. */
static void memory_runs_out(void) {
    check_random r = check_random_make(1);
    for (size_t i = 0; i < 60; i++) {
        cloud[i] = check_unit_vector(&r);
    }
    for (int after = 0; after < 2; after++) {
        int code = 0;
        long n = 0;
        while (code != 100 && n < 5000) {
            n++;
            (void)fflush(NULL);
            pid_t child = fork();
            if (child == 0) {
                _exit(outcome_of_failure(60, n, after == 1));
            }
            int status = 0;
            CHECK(child > 0 && waitpid(child, &status, 0) == child);
            code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
            if (!CHECK(code == 102 || code == 100)) {
                fprintf(stderr, "allocation %ld: outcome %d\n", n, code);
            }
        }
        CHECK(n > 20 && code == 100);
    }
}
#endif

/* ---- checks of a hull */

static int compare_edges(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/** Every directed edge once, with its opposite: a closed manifold of Euler characteristic 2. */
static void check_topology(const ov_hull *hull) {
    size_t nv = ov_hull_vertex_count(hull), nt = ov_hull_triangle_count(hull);
    const uint32_t(*t)[3] = ov_hull_triangles(hull);
    uint64_t *edges = malloc(3 * nt * sizeof *edges), *back = malloc(3 * nt * sizeof *back);
    if (!CHECK(edges != NULL && back != NULL)) {
        exit(1);
    }
    bool in_range = true, once = true, closed = true;
    size_t used = 0;
    for (size_t i = 0; i < 3 * nt; i++) {
        uint64_t from = t[i / 3][i % 3], to = t[i / 3][(i + 1) % 3];
        in_range = in_range && from < nv;
        edges[i] = from << 32 | to;
        back[i] = to << 32 | from;
    }
    qsort(edges, 3 * nt, sizeof *edges, compare_edges);
    qsort(back, 3 * nt, sizeof *back, compare_edges);
    for (size_t i = 0; i < 3 * nt; i++) {
        once = once && (i == 0 || edges[i] != edges[i - 1]);
        closed = closed && edges[i] == back[i];
        used += i == 0 || edges[i] >> 32 != edges[i - 1] >> 32;
    }
    CHECK(in_range && once && closed);
    CHECK(used == nv);       // no vertex without a triangle
    CHECK(nt == 2 * nv - 4); // Euler, with 3 nt = 2 edges
    free(edges);
    free(back);
}

/** The corners are points of the cloud, named in ascending order. */
static void check_sources(const ov_hull *hull, size_t count) {
    const uint32_t *source = ov_hull_sources(hull);
    const ov_vec3 *v = ov_hull_vertices(hull);
    bool good = true;
    for (size_t i = 0; i < ov_hull_vertex_count(hull); i++) {
        good = good && source[i] < count && (i == 0 || source[i] > source[i - 1]) &&
               memcmp(&v[i], &cloud[source[i]], sizeof v[i]) == 0;
    }
    CHECK(good);
}

static real farthest(const ov_vec3 *p, size_t count, ov_vec3 d) {
    real best = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        best = fmaxl(best, (real)d.x * p[i].x + (real)d.y * p[i].y + (real)d.z * p[i].z);
    }
    return best;
}

/** How far the cloud stands out of the hull's vertices, over random directions and face normals. */
static double outside(const ov_hull *hull, size_t count, check_random *r) {
    const ov_vec3 *v = ov_hull_vertices(hull);
    size_t nt = ov_hull_triangle_count(hull);
    real worst = 0.0L;
    for (size_t i = 0; i < 60; i++) {
        ov_vec3 d = check_unit_vector(r);
        if (i % 2 == 0) {
            const uint32_t *t = ov_hull_triangles(hull)[check_random_bits(r) % nt];
            d = ov_vec3_normalize(
                ov_vec3_cross(ov_vec3_sub(v[t[1]], v[t[0]]), ov_vec3_sub(v[t[2]], v[t[0]])));
        }
        worst =
            fmaxl(worst, farthest(cloud, count, d) - farthest(v, ov_hull_vertex_count(hull), d));
    }
    return (double)worst;
}

/** Largest height of a vertex above a face, in units of what rounding of `reach` explains. */
static double folded(const ov_hull *hull, double reach) {
    const ov_vec3 *v = ov_hull_vertices(hull);
    real worst = 0.0L;
    for (size_t f = 0; f < ov_hull_triangle_count(hull); f++) {
        const uint32_t *t = ov_hull_triangles(hull)[f];
        real e[2][3];
        for (int k = 0; k < 2; k++) {
            e[k][0] = (real)v[t[k + 1]].x - v[t[0]].x;
            e[k][1] = (real)v[t[k + 1]].y - v[t[0]].y;
            e[k][2] = (real)v[t[k + 1]].z - v[t[0]].z;
        }
        real n[3] = {e[0][1] * e[1][2] - e[0][2] * e[1][1], e[0][2] * e[1][0] - e[0][0] * e[1][2],
                     e[0][0] * e[1][1] - e[0][1] * e[1][0]};
        real length = sqrtl(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        real edge = 0.0L;
        for (int k = 0; k < 3; k++) {
            edge = fmaxl(edge, fmaxl(fabsl(e[0][k]), fabsl(e[1][k])));
        }
        for (size_t i = 0; i < ov_hull_vertex_count(hull); i++) {
            real x = (real)v[i].x - v[t[0]].x, y = (real)v[i].y - v[t[0]].y;
            real z = (real)v[i].z - v[t[0]].z, height = n[0] * x + n[1] * y + n[2] * z;
            // corners off by rounding lift the plane at a distance by distance over height
            if (height > 0.0L) {
                real side = sqrtl(x * x + y * y + z * z);
                worst = fmaxl(worst, height / ((real)reach * (length + side * edge)));
            }
        }
    }
    return (double)worst;
}

static bool check_hull(size_t count, double reach, double tolerance, check_random *r,
                       double *worst) {
    ov_hull *hull = NULL;
    if (!CHECK_OK(ov_hull_create(cloud, count, &hull)) || !CHECK(hull != NULL)) {
        return false;
    }
    check_topology(hull);
    check_sources(hull, count);
    double out = outside(hull, count, r) / reach, fold = folded(hull, reach);
    *worst = fmax(*worst, out);
    CHECK_NEAR(fmax(out, 0.0), 0.0, tolerance);
    CHECK_NEAR(fmax(fold, 0.0), 0.0, 1e-14);
    ov_shape shape;
    ov_mass mass;
    CHECK_OK(ov_hull_shape(hull, &shape));
    CHECK(shape.kind == OV_SHAPE_KIND_POLYHEDRON);
    CHECK(shape.u.polyhedron.vertices == ov_hull_vertices(hull));
    CHECK_OK(ov_shape_mass(&shape, 1.0, &mass));
    CHECK(mass.volume > 0.0);
    bool all = true;
    for (size_t i = 0; i < ov_hull_vertex_count(hull); i++) {
        bool inside = false;
        all =
            ov_shape_contains(&shape, ov_hull_vertices(hull)[i], &inside) == OV_OK && inside && all;
    }
    CHECK(all);
    ov_hull_destroy(hull);
    return true;
}

/* ---- clouds */

enum { CLOUD_KINDS = 8 };

/** One point of a cloud of the given kind. */
static ov_vec3 cloud_point(int kind, size_t i, size_t count, check_random *r) {
    ov_vec3 p = {check_uniform(r, -1.0, 1.0), check_uniform(r, -1.0, 1.0),
                 check_uniform(r, -1.0, 1.0)};
    double phi = 2.0 * M_PI * (double)(i / 2) / (double)((count + 1) / 2);
    uint64_t bits = check_random_bits(r);
    switch (kind) {
    case 0: // in a cube
        return p;
    case 1: // on a ball: every point is a corner
        return check_unit_vector(r);
    case 2: // on the faces of a cube
        (&p.x)[bits % 3] = bits / 3 % 2 == 0 ? 1.0 : -1.0;
        return p;
    case 3: // on a grid
        return ov_vec3_make(rint(3.0 * p.x) / 3.0, rint(3.0 * p.y) / 3.0, rint(3.0 * p.z) / 3.0);
    case 4: // corners of a prism
        return ov_vec3_make(cos(phi), sin(phi), i % 2 == 0 ? -1.0 : 1.0);
    case 5: // eight corners, over and over
        return ov_vec3_make((double)(i & 1), (double)(i >> 1 & 1), (double)(i >> 2 & 1));
    case 6: // flat
        return ov_vec3_make(p.x, p.y, 1e-6 * p.z);
    default: // a ball, with most points in one small patch
        p = check_unit_vector(r);
        return i % 3 == 0
                   ? p
                   : ov_vec3_normalize(ov_vec3_make(1e-4 * p.x, 1e-4 * p.y, 1.0 + 1e-4 * p.z));
    }
}

static void clouds_of_all_kinds(void) {
    check_random r = check_random_make(2);
    double worst = 0.0;
    for (int i = 0; i < 20 * CLOUD_KINDS; i++) {
        size_t count = i % 5 == 0 ? 400 : 60;
        double shift = i % 3 == 0 ? 30.0 : 0.0, scale = check_log_uniform(&r, 1e-45, 1e45);
        ov_pose pose = {ov_vec3_scale(check_unit_vector(&r), shift),
                        i % 2 == 0 ? ov_quat_identity() : check_rotation(&r)};
        for (size_t k = 0; k < count; k++) {
            ov_vec3 p = cloud_point(i % CLOUD_KINDS, k, count, &r);
            cloud[k] = ov_vec3_scale(ov_pose_apply(pose, p), scale);
        }
        check_hull(count, (2.0 + shift) * scale, 1e-14, &r, &worst);
    }
    check_worst("cloud outside of its hull, relative to reach", worst, 1e-14);
}

/** Noise of every size around the rounding error, where hulls break. */
static void noisy_clouds(void) {
    check_random r = check_random_make(3);
    double worst = 0.0;
    for (int kind = 0; kind < CLOUD_KINDS; kind++) {
        for (int e = -17; e <= -9; e++) {
            double noise = pow(10.0, e);
            ov_quat q = e % 2 == 0 ? ov_quat_identity() : check_rotation(&r);
            for (size_t k = 0; k < 250; k++) {
                ov_vec3 p = ov_quat_rotate(q, cloud_point(kind, k, 250, &r));
                cloud[k] = ov_vec3_add_scaled(p, check_unit_vector(&r), noise);
            }
            check_hull(250, 2.0, 1e-13, &r, &worst);
        }
    }
    check_worst("noisy cloud outside of its hull, relative to reach", worst, 1e-13);
}

/** What is known beforehand: a cube with its inside, its faces and its corners twice. */
static void a_cube(void) {
    check_random r = check_random_make(4);
    size_t n = 0;
    for (size_t k = 0; k < 100; k++) {
        cloud[n++] = ov_vec3_make(check_uniform(&r, -0.9, 0.9), check_uniform(&r, -0.9, 0.9), 1.0);
        cloud[n++] = ov_vec3_make(check_uniform(&r, -0.9, 0.9), 0.1, check_uniform(&r, -0.9, 0.9));
    }
    for (unsigned k = 0; k < 16; k++) {
        cloud[n++] = ov_vec3_make(k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0);
    }
    ov_hull *hull = NULL, *again = NULL;
    CHECK_OK(ov_hull_create(cloud, n, &hull));
    CHECK(ov_hull_vertex_count(hull) == 8 && ov_hull_triangle_count(hull) == 12);
    check_topology(hull);
    check_sources(hull, n);
    ov_shape s;
    ov_mass m;
    CHECK_OK(ov_hull_shape(hull, &s));
    CHECK_OK(ov_shape_mass(&s, 1.0, &m));
    CHECK_NEAR(m.volume, 8.0, 1e-14);
    bool inside = true;
    CHECK_OK(ov_shape_contains(&s, ov_vec3_make(1.0 + 1e-12, 0.0, 0.0), &inside));
    CHECK(!inside);
    // the same again is the same, triangle by triangle
    CHECK_OK(ov_hull_create(cloud, n, &again));
    CHECK(ov_hull_triangle_count(again) == 12 &&
          memcmp(ov_hull_triangles(hull), ov_hull_triangles(again), 12 * 3 * 4) == 0);
    ov_hull_destroy(hull);
    ov_hull_destroy(again);
}

static void thin_clouds(void) {
    check_random r = check_random_make(5);
    for (int e = -16; e <= -6; e++) {
        for (int i = 0; i < 6; i++) {
            ov_quat q = i == 0 ? ov_quat_identity() : check_rotation(&r);
            for (size_t k = 0; k < 100; k++) {
                ov_vec3 p = cloud_point(0, k, 100, &r);
                p.z *= pow(10.0, e);
                cloud[k] = ov_quat_rotate(q, p);
            }
            double worst = 0.0;
            // the limit is 1e-12 of the extent; just around it either answer is right
            if (e >= -11) {
                check_hull(100, 2.0, 1e-14, &r, &worst);
            } else if (e <= -13) {
                ov_hull *hull = NULL;
                CHECK_STATUS(ov_hull_create(cloud, 100, &hull), OV_ERROR_DEGENERATE);
                CHECK(hull == NULL);
            }
        }
    }
}

/* ---- bad clouds */

static void refused(size_t count, ov_status expected, int line) {
    ov_hull *hull = (ov_hull *)cloud; // anything that is not null
    check_status(ov_hull_create(cloud, count, &hull), expected, "hull", __FILE__, line);
    check_true(hull == NULL, "hull is null", __FILE__, line);
}

#define REFUSED(count, expected) refused(count, expected, __LINE__)

static void bad_clouds(void) {
    check_random r = check_random_make(6);
    ov_hull *hull = (ov_hull *)cloud;
    for (size_t i = 0; i < 50; i++) {
        cloud[i] = check_unit_vector(&r);
    }
    CHECK_STATUS(ov_hull_create(cloud, 50, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_hull_create(NULL, 50, &hull), OV_ERROR_NULL);
    CHECK(hull == NULL);
    REFUSED(0, OV_ERROR_COUNT);
    REFUSED(3, OV_ERROR_COUNT);
    REFUSED(OV_HULL_POINTS_MAX + 1, OV_ERROR_COUNT);
    REFUSED(SIZE_MAX, OV_ERROR_COUNT);
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e61, -1e300};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ov_vec3 good = cloud[20];
        cloud[20].y = bad[i];
        REFUSED(50, isfinite(bad[i]) ? OV_ERROR_SIZE_RANGE : OV_ERROR_NOT_FINITE);
        cloud[20] = good;
    }
    for (int flat = 0; flat < 3; flat++) {
        ov_pose pose = {check_unit_vector(&r), check_rotation(&r)};
        for (size_t i = 0; i < 50; i++) {
            // all in a plane, on a line, equal
            ov_vec3 p = {flat < 2 ? check_uniform(&r, -1.0, 1.0) : 0.0,
                         flat < 1 ? check_uniform(&r, -1.0, 1.0) : 0.0, 0.0};
            cloud[i] = ov_pose_apply(pose, p);
        }
        REFUSED(50, OV_ERROR_DEGENERATE);
        REFUSED(4, OV_ERROR_DEGENERATE);
    }
    for (size_t i = 0; i < 50; i++) {
        cloud[i] = ov_vec3_scale(check_unit_vector(&r), 1e-62);
    }
    REFUSED(50, OV_ERROR_SIZE_RANGE);
    // nothing to ask of no hull
    ov_shape shape;
    CHECK(ov_hull_vertex_count(NULL) == 0 && ov_hull_triangle_count(NULL) == 0);
    CHECK(ov_hull_vertices(NULL) == NULL && ov_hull_triangles(NULL) == NULL &&
          ov_hull_sources(NULL) == NULL);
    CHECK_STATUS(ov_hull_shape(NULL, &shape), OV_ERROR_NULL);
    ov_hull_destroy(NULL);
}

/** Neither output channel gets a byte, for good clouds and for those that qhull complains about. */
static void silence(void) {
    FILE *sink = tmpfile();
    if (!CHECK(sink != NULL)) {
        return;
    }
    (void)fflush(NULL);
    int out = dup(1), err = dup(2);
    CHECK(out >= 0 && err >= 0 && dup2(fileno(sink), 1) == 1 && dup2(fileno(sink), 2) == 2);
    check_random r = check_random_make(7);
    for (int i = 0; i < 40; i++) {
        for (size_t k = 0; k < 100; k++) {
            cloud[k] = cloud_point(i % CLOUD_KINDS, k, 100, &r);
            cloud[k].z *= i < 20 ? 1.0 : 1e-12;
        }
        // turned, so that the flat ones are not flat along an axis
        ov_quat q = check_rotation(&r);
        for (size_t k = 0; k < 100; k++) {
            cloud[k] = ov_quat_rotate(q, cloud[k]);
        }
        ov_hull *hull = NULL;
        (void)ov_hull_create(cloud, 100, &hull);
        ov_hull_destroy(hull);
    }
    (void)fflush(NULL);
    long bytes = lseek(fileno(sink), 0, SEEK_END);
    CHECK(dup2(out, 1) == 1 && dup2(err, 2) == 2);
    CHECK(bytes == 0);
    (void)close(out);
    (void)close(err);
    (void)fclose(sink);
}

int main(void) {
    check_suite = "io_hull";
    RUN(a_cube);
    RUN(clouds_of_all_kinds);
    RUN(noisy_clouds);
    RUN(thin_clouds);
    RUN(bad_clouds);
    RUN(silence);
#if OWN_ALLOCATOR
    RUN(memory_runs_out);
#endif
    return check_finish();
}
