/**
 * @file test_fit_symmetry.c
 * @brief Bodies that keep to planes of symmetry and to an axis: of meshes that are symmetric by the
 * way they are made, judged by the support function of the body and of its mirror image.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/fit.h>

#include "check.h"
#include "fit_oracle.h"

/** An octahedron whose faces are divided: symmetric about all coordinate planes. */
enum { SIDE = 12, GRID = SIDE + 1, POINTS = 8 * GRID * GRID, TRIANGLES = 8 * SIDE * SIDE };

typedef struct blob {
    ov_vec3 points[POINTS];
    uint32_t triangles[TRIANGLES][3];
    size_t point_count, triangle_count;
    ov_pose pose;
} blob;

static ov_fit_input input_of(const blob *b) {
    return (ov_fit_input){b->points, b->point_count, (const uint32_t(*)[3])b->triangles,
                          b->triangle_count};
}

/** The point that a place on the octahedron becomes. */
typedef ov_vec3 (*blob_shape)(ov_vec3 p, const void *how);

static void make_blob(blob *b, blob_shape shape, const void *how, ov_pose pose) {
    *b = (blob){.pose = pose};
    for (int o = 0; o < 8; o++) {
        uint32_t first = (uint32_t)b->point_count;
        for (int i = 0; i < GRID; i++) {
            for (int k = 0; k < GRID - i; k++) {
                double x = (double)i / SIDE, y = (double)k / SIDE;
                ov_vec3 p = {o & 1 ? x : -x, o & 2 ? y : -y, o & 4 ? 1.0 - x - y : x + y - 1.0};
                b->points[b->point_count++] = ov_pose_apply(pose, shape(p, how));
            }
        }
        bool even = (o & 1) ^ (o >> 1 & 1) ^ (o >> 2 & 1);
        uint32_t row = first;
        for (uint32_t i = 0; i < SIDE; i++) {
            uint32_t next = row + GRID - i;
            for (uint32_t k = 0; k < SIDE - i; k++) {
                const uint32_t lower[3] = {row + k, next + k, row + k + 1};
                const uint32_t upper[3] = {row + k + 1, next + k, next + k + 1};
                for (int u = 0; u < (k + 1 < SIDE - i ? 2 : 1); u++) {
                    const uint32_t *t = u == 0 ? lower : upper;
                    uint32_t *out = b->triangles[b->triangle_count++];
                    out[0] = t[0];
                    out[1] = t[even ? 1 : 2];
                    out[2] = t[even ? 2 : 1];
                }
            }
            row = next;
        }
    }
}

/** Waves on an ellipsoid; those of a plane of symmetry see the absolute value only. */
typedef struct waves {
    bool even[3];
    double phase[6];
    ov_vec3 scale;
} waves;

static ov_vec3 wave_point(ov_vec3 p, const void *how) {
    const waves *w = how;
    p = ov_vec3_normalize(p);
    const double x[3] = {w->even[0] ? fabs(p.x) : p.x, w->even[1] ? fabs(p.y) : p.y,
                         w->even[2] ? fabs(p.z) : p.z};
    double r = 1.0;
    for (int i = 0; i < 3; i++) {
        r += 0.12 * sin(2.0 * x[i] + 1.5 * x[(i + 1) % 3] + w->phase[i]);
        r += 0.05 * sin(5.0 * x[i] + w->phase[3 + i]);
    }
    return ov_vec3_make(r * w->scale.x * p.x, r * w->scale.y * p.y, r * w->scale.z * p.z);
}

static ov_pose some_pose(check_random *r) {
    return (ov_pose){ov_vec3_scale(check_unit_vector(r), check_uniform(r, 0.0, 3.0)),
                     check_rotation(r)};
}

static waves some_waves(check_random *r, int planes) {
    waves w = {.scale = {1.0, check_uniform(r, 0.65, 0.75), check_uniform(r, 0.4, 0.5)}};
    for (int i = 0; i < 6; i++) {
        w.phase[i] = check_uniform(r, 0.0, 6.0);
    }
    int first = (int)(check_random_bits(r) % 3);
    for (int i = 0; i < planes; i++) {
        w.even[(first + i) % 3] = true;
    }
    return w;
}

/* ---- what is known of the result */

static double reach(const ov_fit_shape_result *f, ov_vec3 n) {
    ov_support s = {.value = NAN};
    ov_vec3 local = ov_quat_rotate(ov_quat_conjugate(f->pose.rotation), n);
    CHECK_OK(ov_shape_support(&f->shape, local, &s));
    return s.value + ov_vec3_dot(n, f->pose.position);
}

/** Largest difference of the support functions of a body and of its image in a plane. */
static double asymmetry(check_random *r, const ov_fit_shape_result *f, ov_vec3 normal, double at) {
    double worst = 0.0;
    for (int i = 0; i < 60; i++) {
        ov_vec3 n = check_unit_vector(r);
        double along = ov_vec3_dot(n, normal);
        ov_vec3 image = ov_vec3_add_scaled(n, normal, -2.0 * along);
        worst = fmax(worst, fabs(reach(f, n) - reach(f, image) - 2.0 * at * along));
    }
    return worst;
}

/** How far the best of the body's axes is from a direction. */
static double misalignment(const ov_fit_shape_result *f, ov_vec3 direction) {
    ov_mat3 turn = ov_mat3_from_quat(f->pose.rotation);
    const ov_vec3 axes[3] = {turn.cx, turn.cy, turn.cz};
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        least = fmin(least, ov_vec3_length(ov_vec3_cross(axes[i], direction)));
    }
    return least;
}

/** The largest gauge of the points: at most 1 where the body encloses. */
static long double worst_gauge(const ov_fit_shape_result *f, const ov_fit_input *in) {
    long double worst = 0.0L;
    for (size_t i = 0; i < in->point_count; i++) {
        worst = fmaxl(worst, fo_gauge_at(&f->shape, f->pose, in->points[i]));
    }
    return worst;
}

static const ov_shape_kind kinds[] = {
    OV_SHAPE_KIND_SPHERE,     OV_SHAPE_KIND_ELLIPSOID, OV_SHAPE_KIND_SUPERELLIPSOID,
    OV_SHAPE_KIND_SUPEROVOID, OV_SHAPE_KIND_BOX,       OV_SHAPE_KIND_CAPSULE,
    OV_SHAPE_KIND_CYLINDER};
static const ov_fit_objective objectives[] = {OV_FIT_OBJECTIVE_DISTANCE, OV_FIT_OBJECTIVE_ROBUST,
                                              OV_FIT_OBJECTIVE_MEAN, OV_FIT_OBJECTIVE_ENCLOSE};
enum { KINDS = sizeof kinds / sizeof kinds[0], OBJECTIVES = 4 };

static void fit_symmetric(check_random *r, const blob *b, const bool even[3], int planes,
                          double *worst) {
    static const ov_vec3 own[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    ov_fit_input in = input_of(b);
    ov_fit_shape_options o = {.objective = objectives[check_random_bits(r) % OBJECTIVES],
                              .symmetry = 1e-6};
    ov_fit_shape_result f;
    ov_status status = ov_fit_shape(&in, kinds[check_random_bits(r) % KINDS], &o, &f);
    CHECK(status >= OV_OK);
    CHECK(f.planes == planes);
    for (int i = 0; i < 3; i++) {
        if (even[i]) {
            ov_vec3 n = ov_quat_rotate(b->pose.rotation, own[i]);
            double off = asymmetry(r, &f, n, ov_vec3_dot(n, b->pose.position));
            *worst = fmax(*worst, off);
            CHECK(off < 1e-11);
            CHECK(f.shape.kind == OV_SHAPE_KIND_SPHERE || misalignment(&f, n) < 1e-11);
        }
    }
    if (o.objective == OV_FIT_OBJECTIVE_ENCLOSE) {
        CHECK(worst_gauge(&f, &in) <= 1.0L);
    }
}

/** One, two or three planes, in any place. */
static void planes_are_kept(void) {
    check_random r = check_random_make(31);
    static blob b;
    double worst = 0.0;
    for (int n = 0; n < check_share(90); n++) {
        int planes = 1 + n % 3;
        waves w = some_waves(&r, planes);
        make_blob(&b, wave_point, &w, some_pose(&r));
        fit_symmetric(&r, &b, w.even, planes, &worst);
    }
    check_worst("asymmetry", worst, 1e-11);
}

/** Without symmetry the fit is the one that it is without the option. */
static void none_is_none(void) {
    check_random r = check_random_make(32);
    static blob b;
    for (int n = 0; n < check_share(12); n++) {
        waves w = some_waves(&r, 0);
        make_blob(&b, wave_point, &w, some_pose(&r));
        ov_fit_input in = input_of(&b);
        ov_fit_shape_options o = {.objective = objectives[n % OBJECTIVES]};
        ov_fit_shape_result plain, asked;
        CHECK(ov_fit_shape(&in, OV_SHAPE_KIND_SUPEROVOID, &o, &plain) >= OV_OK);
        o.symmetry = 1e-4;
        CHECK(ov_fit_shape(&in, OV_SHAPE_KIND_SUPEROVOID, &o, &asked) >= OV_OK);
        CHECK(asked.planes == 0 && memcmp(&plain.pose, &asked.pose, sizeof plain.pose) == 0);
        CHECK(memcmp(&plain.shape.a, &asked.shape.a, sizeof plain.shape.a) == 0);
    }
}

/* ---- bodies whose moments do not tell their planes */

/** A power of its largest to its sum norm: 1 an octahedron, and nearly a box where it is large. */
static ov_vec3 norm_point(ov_vec3 p, const void *how) {
    const double *h = how; // exponents of the section and along z, and the height
    double m = pow(pow(fabs(p.x), h[0]) + pow(fabs(p.y), h[0]), 1.0 / h[0]);
    double g = pow(pow(m, h[1]) + pow(fabs(p.z), h[1]), 1.0 / h[1]);
    return ov_vec3_make(p.x / g, p.y / g, h[2] * p.z / g);
}

static void equal_moments(void) {
    // cube, square prism, round and square columns
    static const double how[4][3] = {
        {40.0, 40.0, 1.0}, {40.0, 40.0, 0.4}, {2.0, 40.0, 1.6}, {6.0, 3.0, 2.0}};
    check_random r = check_random_make(33);
    static blob b;
    for (int n = 0; n < check_share(24); n++) {
        make_blob(&b, norm_point, how[n % 4], some_pose(&r));
        ov_fit_input in = input_of(&b);
        ov_fit_shape_options o = {.objective = OV_FIT_OBJECTIVE_ENCLOSE, .symmetry = 1e-3};
        ov_fit_shape_result f;
        CHECK(ov_fit_shape(&in, OV_SHAPE_KIND_SUPERELLIPSOID, &o, &f) >= OV_OK);
        if (!CHECK(f.planes == 3)) {
            printf("    how %d, %d planes\n", n % 4, f.planes);
        }
        CHECK(worst_gauge(&f, &in) <= 1.0L);
        // whichever planes these are, all go through the mesh's centre
        CHECK(ov_vec3_length(ov_vec3_sub(f.pose.position, b.pose.position)) < 1e-3);
    }
}

/* ---- an axis */

static void axis_is_kept(void) {
    check_random r = check_random_make(34);
    static blob b;
    double worst = 0.0;
    for (int n = 0; n < check_share(40); n++) {
        waves w = some_waves(&r, n % 2);
        make_blob(&b, wave_point, &w, some_pose(&r));
        ov_fit_input in = input_of(&b);
        ov_vec3 axis = check_unit_vector(&r);
        ov_fit_shape_options o = {.objective = objectives[n / 2 % OBJECTIVES],
                                  .axis = ov_vec3_scale(axis, check_log_uniform(&r, 1e-6, 1e6)),
                                  .symmetry = n % 4 < 2 ? 0.0 : 1e-6};
        ov_fit_shape_result f;
        CHECK(ov_fit_shape(&in, kinds[1 + n % (KINDS - 1)], &o, &f) >= OV_OK);
        double off = misalignment(&f, axis);
        worst = fmax(worst, off);
        CHECK(off < 1e-12);
        // a plane at an angle to the axis is given up
        CHECK(f.planes == 0);
        if (o.objective == OV_FIT_OBJECTIVE_ENCLOSE) {
            CHECK(worst_gauge(&f, &in) <= 1.0L);
        }
    }
    check_worst("angle to the axis", worst, 1e-12);
}

/** A cloud is its own surface. */
static void clouds(void) {
    check_random r = check_random_make(35);
    static blob b;
    for (int n = 0; n < check_share(8); n++) {
        waves w = some_waves(&r, 1);
        make_blob(&b, wave_point, &w, some_pose(&r));
        ov_fit_input in = {b.points, b.point_count, NULL, 0};
        ov_fit_shape_options o = {.symmetry = 1e-6};
        ov_fit_shape_result f;
        CHECK(ov_fit_shape(&in, OV_SHAPE_KIND_SUPEROVOID, &o, &f) >= OV_OK);
        CHECK(f.planes == 1);
    }
}

static void bad_options(void) {
    static const ov_vec3 square[4] = {
        {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const ov_fit_input in = {square, 4, NULL, 0};
    static const double wrong[] = {-1e-9, 0.51, INFINITY, NAN};
    ov_fit_shape_result f;
    for (int i = 0; i < 4; i++) {
        ov_fit_shape_options o = {.symmetry = wrong[i]};
        CHECK_STATUS(ov_fit_shape(&in, OV_SHAPE_KIND_BOX, &o, &f), OV_ERROR_OPTION);
    }
    static const ov_vec3 no_axes[] = {{NAN, 0.0, 0.0}, {0.0, INFINITY, 0.0}, {0.0, 0.0, 1e-310}};
    for (int i = 0; i < 3; i++) {
        ov_fit_shape_options o = {.axis = no_axes[i]};
        CHECK_STATUS(ov_fit_shape(&in, OV_SHAPE_KIND_BOX, &o, &f), OV_ERROR_OPTION);
    }
    ov_fit_shape_options o = {.symmetry = 0.01};
    CHECK_STATUS(ov_fit_shape(&in, OV_SHAPE_KIND_BENT, &o, &f), OV_ERROR_UNSUPPORTED);
    o = (ov_fit_shape_options){.axis = {0.0, 0.0, 1.0}};
    CHECK_STATUS(ov_fit_shape(&in, OV_SHAPE_KIND_BENT, &o, &f), OV_ERROR_UNSUPPORTED);
}

int main(void) {
    check_suite = "fit_symmetry";
    RUN(planes_are_kept);
    RUN(none_is_none);
    RUN(equal_moments);
    RUN(axis_is_kept);
    RUN(clouds);
    RUN(bad_options);
    return check_finish();
}
