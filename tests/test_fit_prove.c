/**
 * @file test_fit_prove.c
 * @brief Proofs for given parts, and parts that change their frame: against formulas in long
 * double.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/fit.h>

#include "check.h"
#include "fit_oracle.h"
#include "mesh_check.h"

static ov_fit_input input_of(const mesh *m) {
    return (ov_fit_input){m->vertices, m->plan.vertex_count, (const uint32_t(*)[3])m->triangles,
                          m->plan.triangle_count};
}

static ov_fit_part box_at(double x, double y, double z, ov_vec3 centre) {
    ov_fit_part part = {.pose = ov_pose_identity()};
    CHECK_OK(ov_shape_make_box(ov_vec3_make(x, y, z), &part.shape));
    part.pose.position = centre;
    return part;
}

/* ---- frames ---------------------------------------------------------------------------------- */

/** The point of a frame in the world. */
static void to_world(ov_pose frame, const long double p[3], long double out[3]) {
    // the columns of the rotation are the local coordinates of the axes, transposed
    const ov_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const ov_pose turn = {.rotation = frame.rotation};
    const double at[3] = {frame.position.x, frame.position.y, frame.position.z};
    for (int i = 0; i < 3; i++) {
        long double row[3];
        fo_local(turn, axes[i], row);
        out[i] = at[i] + row[0] * p[0] + row[1] * p[1] + row[2] * p[2];
    }
}

/** The gauge of a placed part at a point of the world, with all digits of the point. */
static long double gauge_at(const ov_fit_part *part, const long double w[3]) {
    long double p[3], d[3], turned[3][3];
    const ov_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const ov_pose turn = {.rotation = part->pose.rotation};
    d[0] = w[0] - part->pose.position.x;
    d[1] = w[1] - part->pose.position.y;
    d[2] = w[2] - part->pose.position.z;
    for (int i = 0; i < 3; i++) {
        fo_local(turn, axes[i], turned[i]);
    }
    for (int i = 0; i < 3; i++) {
        p[i] = turned[0][i] * d[0] + turned[1][i] * d[1] + turned[2][i] * d[2];
    }
    return fo_gauge(&part->shape, p, 1.0L);
}

static ov_fit_part random_part(check_random *r) {
    ov_fit_part part = {.pose = {ov_vec3_scale(check_unit_vector(r), check_uniform(r, 0.0, 2.0)),
                                 check_rotation(r)}};
    ov_vec3 a = {check_log_uniform(r, 0.01, 1.0), check_log_uniform(r, 0.01, 1.0),
                 check_log_uniform(r, 0.01, 1.0)};
    double e1 = check_uniform(r, 0.2, 1.6), e2 = check_uniform(r, 0.2, 0.9);
    switch (check_random_bits(r) % 6) {
    case 0:
        CHECK_OK(ov_shape_make_sphere(a.x, &part.shape));
        break;
    case 1:
        CHECK_OK(ov_shape_make_ellipsoid(a, &part.shape));
        break;
    case 2:
        CHECK_OK(ov_shape_make_superellipsoid(a, e1, e2, &part.shape));
        break;
    case 3:
        CHECK_OK(ov_shape_make_box(a, &part.shape));
        break;
    case 4:
        CHECK_OK(ov_shape_make_capsule(a.x, a.z, &part.shape));
        break;
    default:
        CHECK_OK(ov_shape_make_superovoid(a, e1, e2, check_uniform(r, -0.2, 0.2),
                                          check_uniform(r, -0.2, 0.2), NULL, &part.shape));
    }
    return part;
}

/** Worst gauge in `outer`, with the frame in between, of points on the surface of `inner`. */
static long double worst_gauge(check_random *r, const ov_fit_part *inner, ov_pose frame,
                               const ov_fit_part *outer, bool inner_is_local) {
    long double worst = 0.0L;
    for (int i = 0; i < 40; i++) {
        ov_support s;
        CHECK_OK(ov_shape_support(&inner->shape, check_unit_vector(r), &s));
        long double local[3] = {s.point.x, s.point.y, s.point.z}, own[3], world[3];
        // what support() is off by: to the surface from inside
        long double g = fo_gauge(&inner->shape, local, 1.0L);
        for (int k = 0; k < 3; k++) {
            local[k] /= fmaxl(g, 1.0L);
        }
        to_world(inner->pose, local, own);
        if (inner_is_local) {
            to_world(frame, own, world);
        } else {
            memcpy(world, own, sizeof world);
        }
        worst = fmaxl(worst, gauge_at(outer, world));
    }
    return worst;
}

static void frames(void) {
    check_random r = check_random_make(81);
    double worst = -1.0, most = 0.0;
    long count = check_count(3000);
    for (long n = 0; n < count; n++) {
        ov_fit_part part = random_part(&r), placed, back;
        ov_pose frame = {ov_vec3_scale(check_unit_vector(&r), check_log_uniform(&r, 0.001, 10.0)),
                         check_rotation(&r)};
        if (!CHECK_OK(ov_fit_part_place(&part, frame, &placed)) ||
            !CHECK_OK(ov_fit_part_within(&placed, frame, &back))) {
            return;
        }
        // the placed part holds the part, and the way back is within the placed one
        worst = fmax(worst, (double)(worst_gauge(&r, &part, frame, &placed, true) - 1.0L));
        worst = fmax(worst, (double)(worst_gauge(&r, &back, frame, &placed, true) - 1.0L));
        // and holds the part still, which is what proofs need
        worst = fmax(worst, (double)(worst_gauge(&r, &part, frame, &back, false) - 1.0L));
        most = fmax(most, placed.shape.a.x / part.shape.a.x - 1.0);
    }
    check_worst("gauge above 1 after a change of frame", worst, 0.0);
    CHECK(worst <= 0.0);
    CHECK(most > 0.0 && most < 1e-8);
    ov_fit_part part = box_at(1.0, 1.0, 1.0, ov_vec3_make(0.0, 0.0, 0.0)), out;
    CHECK_STATUS(ov_fit_part_place(NULL, ov_pose_identity(), &out), OV_ERROR_NULL);
    CHECK_STATUS(ov_fit_part_within(&part, ov_pose_identity(), NULL), OV_ERROR_NULL);
    ov_pose far = ov_pose_identity();
    far.position.x = 1e17;
    CHECK_STATUS(ov_fit_part_place(&part, far, &out), OV_ERROR_SIZE_RANGE);
    CHECK_OK(ov_shape_make_cone(1.0, 1.0, &part.shape));
    CHECK_STATUS(ov_fit_part_place(&part, ov_pose_identity(), &out), OV_ERROR_UNSUPPORTED);
}

/* ---- proofs ---------------------------------------------------------------------------------- */

/** Is a point of the triangle outside of all parts? A scan that knows nothing of certificates. */
static bool stands_out(const mesh *m, size_t t, const ov_fit_part *parts, size_t count) {
    enum { STEPS = 200 };
    for (int i = 0; i <= STEPS; i++) {
        for (int k = 0; k <= STEPS - i; k++) {
            double u = (double)i / STEPS, v = (double)k / STEPS, w = 1.0 - u - v;
            ov_vec3 p = ov_vec3_add(
                ov_vec3_scale(corner(m, t, 0), u),
                ov_vec3_add(ov_vec3_scale(corner(m, t, 1), v), ov_vec3_scale(corner(m, t, 2), w)));
            bool held = false;
            for (size_t n = 0; n < count && !held; n++) {
                held = fo_gauge_at(&parts[n].shape, parts[n].pose, p) <= 1.0L;
            }
            if (!held) {
                return true;
            }
        }
    }
    return false;
}

static void one_part(void) {
    ov_shape egg;
    mesh m;
    ov_fit_verdict v;
    CHECK_OK(
        ov_shape_make_superovoid(ov_vec3_make(1.0, 0.8, 1.5), 0.7, 0.6, 0.2, -0.1, NULL, &egg));
    if (!mesh_make(&egg, 300, 0.0, &m)) {
        return;
    }
    ov_fit_input input = input_of(&m);
    for (int n = 0; n < 2; n++) {
        double scale = n == 0 ? 1.001 : 0.995;
        ov_fit_part part = {.pose = ov_pose_identity()};
        CHECK_OK(ov_shape_make_superovoid(ov_vec3_scale(egg.a, scale), egg.e1, egg.e2, egg.tx,
                                          egg.ty, NULL, &part.shape));
        CHECK_OK(ov_fit_prove(&part, 1, &input, &v));
        CHECK(v.surface == (n == 0) && v.solid == (n == 0));
        CHECK((v.bad_triangle == SIZE_MAX) == (n == 0));
        CHECK(n == 0 || stands_out(&m, v.bad_triangle, &part, 1));
    }
    mesh_free(&m);
}

/** A cube and two boxes that overlap, or have a slit between them. */
static void two_parts(void) {
    ov_shape cube;
    mesh m;
    CHECK_OK(ov_shape_make_box(ov_vec3_make(1.0, 1.0, 1.0), &cube));
    if (!mesh_make(&cube, 8, 0.0, &m)) {
        return;
    }
    ov_fit_input input = input_of(&m);
    for (int n = 0; n < 2; n++) {
        double half = n == 0 ? 0.61 : 0.598;
        const ov_fit_part parts[2] = {box_at(half, 1.01, 1.01, ov_vec3_make(-0.5, 0.0, 0.0)),
                                      box_at(half - 0.1, 1.01, 1.01, ov_vec3_make(0.6, 0.0, 0.0))};
        ov_fit_verdict v;
        CHECK_OK(ov_fit_prove(parts, 2, &input, &v));
        CHECK(v.surface == (n == 0) && v.solid == (n == 0));
        CHECK(n != 0 || v.pieces > input.triangle_count);
        CHECK(n == 0 ||
              (v.bad_triangle < input.triangle_count && stands_out(&m, v.bad_triangle, parts, 2)));
    }
    mesh_free(&m);
}

/** Slabs that hold the six faces of a cube, and not its middle. */
static void walls(void) {
    ov_shape cube;
    mesh m;
    ov_fit_part parts[7];
    ov_fit_verdict v;
    CHECK_OK(ov_shape_make_box(ov_vec3_make(1.0, 1.0, 1.0), &cube));
    if (!mesh_make(&cube, 8, 0.0, &m)) {
        return;
    }
    for (int n = 0; n < 6; n++) {
        double s = n % 2 == 0 ? 1.0 : -1.0, thick = 0.2, wide = 1.1;
        parts[n] = n < 2   ? box_at(thick, wide, wide, ov_vec3_make(s, 0.0, 0.0))
                   : n < 4 ? box_at(wide, thick, wide, ov_vec3_make(0.0, s, 0.0))
                           : box_at(wide, wide, thick, ov_vec3_make(0.0, 0.0, s));
    }
    ov_fit_input input = input_of(&m);
    CHECK_OK(ov_fit_prove(parts, 6, &input, &v));
    CHECK(v.surface && !v.solid && v.bad_triangle == SIZE_MAX);
    parts[6] = box_at(0.9, 0.9, 0.9, ov_vec3_make(0.0, 0.0, 0.0));
    CHECK_OK(ov_fit_prove(parts, 7, &input, &v));
    CHECK(v.surface && v.solid);
    mesh_free(&m);
}

static void bad_input(void) {
    ov_vec3 points[3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    ov_fit_input cloud = {.points = points, .point_count = 3};
    ov_fit_part part = box_at(1.0, 1.0, 1.0, ov_vec3_make(0.0, 0.0, 0.0));
    ov_fit_verdict v;
    CHECK_OK(ov_fit_prove(NULL, 0, &cloud, &v));
    CHECK(!v.surface && v.bad_triangle == 0);
    CHECK_STATUS(ov_fit_prove(NULL, 1, &cloud, &v), OV_ERROR_NULL);
    CHECK_STATUS(ov_fit_prove(&part, 1, NULL, &v), OV_ERROR_NULL);
    CHECK_STATUS(ov_fit_prove(&part, 1, &cloud, NULL), OV_ERROR_NULL);
    // on the surface itself rounding decides nothing: not proven, and a point further in is
    CHECK_OK(ov_fit_prove(&part, 1, &cloud, &v));
    CHECK(!v.surface && v.bad_triangle == 1);
    points[1].x = points[2].y = 0.999;
    CHECK_OK(ov_fit_prove(&part, 1, &cloud, &v));
    CHECK(v.surface && !v.solid && v.bad_triangle == SIZE_MAX);
    points[2].z = NAN;
    CHECK_STATUS(ov_fit_prove(&part, 1, &cloud, &v), OV_ERROR_NOT_FINITE);
    points[2].z = 0.0;
    part.pose.position.x = NAN;
    CHECK_OK(ov_fit_prove(&part, 1, &cloud, &v));
    CHECK(!v.surface);
    ov_fit_part none = {.pose = ov_pose_identity()};
    CHECK(ov_fit_prove(&none, 1, &cloud, &v) < OV_OK);
}

/* ---- parts that grow ------------------------------------------------------------------------- */

/** Points of triangles that no part has, by the formula. */
static size_t points_outside(check_random *r, const ov_fit_part *parts, size_t count,
                             const ov_fit_input *in) {
    size_t missed = 0;
    for (int i = 0; i < 300; i++) {
        const uint32_t *t = in->triangles[check_random_bits(r) % in->triangle_count];
        double u = check_uniform(r, 0.0, 1.0), v = check_uniform(r, 0.0, 1.0 - u);
        ov_vec3 p = ov_vec3_scale(in->points[t[0]], 1.0 - u - v);
        p = ov_vec3_add_scaled(ov_vec3_add_scaled(p, in->points[t[1]], u), in->points[t[2]], v);
        bool held = false;
        for (size_t k = 0; k < count && !held; k++) {
            held = fo_gauge_at(&parts[k].shape, parts[k].pose, p) <= 1.0L + 1e-12L;
        }
        missed += !held;
    }
    return missed;
}

/** Random parts about a body, that hold none or some of it. */
static void grown(void) {
    check_random r = check_random_make(84);
    for (int n = 0; n < check_share(8); n++) {
        ov_shape shape;
        mesh m = {0};
        CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(1.0, check_uniform(&r, 0.3, 1.0), 0.6),
                                              check_uniform(&r, 0.3, 1.5),
                                              check_uniform(&r, 0.3, 1.5), &shape));
        CHECK(mesh_make(&shape, 150, 0.0, &m));
        ov_fit_input in = input_of(&m);
        ov_fit_part parts[4], before[4];
        size_t count = 1 + check_random_bits(&r) % 4;
        for (size_t k = 0; k < count; k++) {
            double e1 = check_uniform(&r, 0.3, 1.5), e2 = check_uniform(&r, 0.3, 1.2);
            ov_vec3 a = {check_uniform(&r, 0.2, 0.7), check_uniform(&r, 0.2, 0.7),
                         check_uniform(&r, 0.2, 0.7)};
            CHECK_OK(ov_shape_make_superovoid(a, e1, e2, 0.1, 0.1, NULL, &parts[k].shape));
            parts[k].pose =
                (ov_pose){ov_vec3_scale(check_unit_vector(&r), 0.4), check_rotation(&r)};
            before[k] = parts[k];
        }
        CHECK_OK(ov_fit_grow(parts, count, &in));
        ov_fit_verdict v;
        CHECK_OK(ov_fit_prove(parts, count, &in, &v));
        CHECK(v.surface && v.solid);
        CHECK(points_outside(&r, parts, count, &in) == 0);
        for (size_t k = 0; k < count; k++) {
            // the same body, or a larger one of its shape, at the same place; sizes are rounded
            // with each of up to some thousand steps
            double scale = parts[k].shape.a.x / before[k].shape.a.x;
            CHECK(scale >= 1.0 && parts[k].shape.e1 == before[k].shape.e1);
            CHECK_NEAR(parts[k].shape.a.z, scale * before[k].shape.a.z, 1e-12 * scale);
            CHECK(memcmp(&parts[k].pose, &before[k].pose, sizeof parts[k].pose) == 0);
        }
        // what is held is left alone
        memcpy(before, parts, sizeof before);
        CHECK_OK(ov_fit_grow(parts, count, &in));
        for (size_t k = 0; k < count; k++) {
            CHECK(parts[k].shape.a.x == before[k].shape.a.x);
        }
        mesh_free(&m);
    }
}

/** A mesh whose vertices are joined within a tenth of its size; the parts hold it as it was. */
static void held_as_it_came(void) {
    check_random r = check_random_make(85);
    for (int n = 0; n < check_share(4); n++) {
        ov_shape shape;
        mesh m = {0};
        CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(1.0, 0.7, 0.5),
                                              check_uniform(&r, 0.3, 1.5),
                                              check_uniform(&r, 0.3, 1.5), &shape));
        CHECK(mesh_make(&shape, 3000, 0.0, &m));
        ov_fit_input in = input_of(&m);
        ov_fit_mesh_options coarse = {.weld = 0.1};
        ov_fit_mesh *joined = NULL;
        CHECK_OK(ov_fit_mesh_create(&in, &coarse, &joined, NULL));
        CHECK(ov_fit_mesh_added(joined) > 0.0);
        ov_fit_input thin = ov_fit_mesh_input(joined);
        ov_fit_parts_options o = {.parts = 2, .cells = 24};
        ov_fit_verdict v[2];
        for (int also = 0; also < 2; also++) {
            ov_fit *fit = NULL;
            o.also = also ? &in : NULL;
            CHECK_OK(ov_fit_parts_create(&thin, &o, &fit));
            CHECK_OK(ov_fit_prove(ov_fit_parts(fit), ov_fit_part_count(fit), &in, &v[also]));
            if (also) {
                CHECK(points_outside(&r, ov_fit_parts(fit), ov_fit_part_count(fit), &in) == 0);
                CHECK(ov_fit_parts_report(fit).surface_proven);
            }
            ov_fit_destroy(fit);
        }
        CHECK(!v[0].surface); // else this shows nothing
        CHECK(v[1].surface && v[1].solid);
        ov_fit_mesh_destroy(joined);
        mesh_free(&m);
    }
}

static void bad_growth(void) {
    ov_vec3 cloud_points[2] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}};
    ov_fit_input cloud = {cloud_points, 2, NULL, 0}, none = {0};
    ov_fit_part part = box_at(1.0, 1.0, 1.0, ov_vec3_make(0.0, 0.0, 0.0));
    CHECK_STATUS(ov_fit_grow(NULL, 1, &cloud), OV_ERROR_NULL);
    CHECK_STATUS(ov_fit_grow(&part, 0, &cloud), OV_ERROR_COUNT);
    CHECK_STATUS(ov_fit_grow(&part, 1, &cloud), OV_ERROR_UNSUPPORTED);
    CHECK_OK(ov_shape_make_sphere(0.1, &part.shape));
    CHECK(ov_fit_grow(&part, 1, &none) < OV_OK);
    CHECK(ov_fit_grow(&part, 1, NULL) < OV_OK);
    CHECK_OK(ov_fit_grow(&part, 1, &cloud));
    CHECK(part.shape.a.x >= 1.0 && part.shape.a.x < 1.0 + 1e-12);
    ov_fit_parts_options o = {.also = &none};
    ov_fit *fit = NULL;
    CHECK(ov_fit_parts_create(&cloud, &o, &fit) < OV_OK && fit == NULL);
}

int main(void) {
    check_suite = "fit_prove";
    RUN(grown);
    RUN(held_as_it_came);
    RUN(bad_growth);
    RUN(frames);
    RUN(one_part);
    RUN(two_parts);
    RUN(walls);
    RUN(bad_input);
    return check_finish();
}
