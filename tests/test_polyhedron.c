/**
 * @file test_polyhedron.c
 * @brief The convex polyhedron: what its constructor accepts and refuses, its support, and
 * containment in needles, plates and prisms with sliver faces. Mass and balls have their own suite.
 */
#include "polyhedron_bodies.h"
#include "shape/shape_internal.h"

typedef long double real;

/* ---- the constructor */

static void accepted(void) {
    check_random r = check_random_make(1);
    ov_shape s;
    for (int i = 0; i < 300; i += check_every()) {
        double reach = i % 3 == 0 ? 0.0 : i % 3 == 1 ? 3.0 : 1000.0;
        double scale = check_log_uniform(&r, 1e-50, 1e50);
        ov_vec3 a = {check_log_uniform(&r, 0.01, 1.0), check_log_uniform(&r, 0.01, 1.0),
                     check_log_uniform(&r, 0.01, 1.0)};
        make_box(&work, a);
        move(&work, random_pose(&r, reach), scale);
        CHECK_OK(make(&work, &s));
        CHECK(s.kind == OV_SHAPE_KIND_POLYHEDRON && s.u.polyhedron.vertices == work.v &&
              s.u.polyhedron.triangle_count == 12);
        make_prism(&work, 3 + (uint32_t)(i % 60), a.x, a.z);
        move(&work, random_pose(&r, reach), scale);
        CHECK_OK(make(&work, &s));
        make_ellipsoid(&work, 8 + 2 * (uint32_t)(i % 7), 5, a);
        move(&work, random_pose(&r, reach), scale);
        CHECK_OK(make(&work, &s));
        // a point inside, which no triangle names, does no harm
        work.v[work.nv] = ov_vec3_scale(ov_vec3_add(work.v[0], work.v[work.nv - 1]), 0.5);
        work.nv++;
        CHECK_OK(make(&work, &s));
        CHECK_OK(ov_shape_make_polyhedron(work.v, work.nv, NULL, 0, &s));
        CHECK(s.u.polyhedron.triangles == NULL && s.u.polyhedron.triangle_count == 0);
    }
}

static void refuse(ov_status status, ov_status expected, const ov_shape *s, int line) {
    ov_shape untouched;
    memset(&untouched, 0x5a, sizeof untouched);
    check_status(status, expected, "constructor", __FILE__, line);
    check_true(memcmp(s, &untouched, sizeof untouched) == 0, "shape is untouched", __FILE__, line);
}

#define REFUSED(call, expected)                                                                    \
    do {                                                                                           \
        memset(&s, 0x5a, sizeof s);                                                                \
        refuse((call), (expected), &s, __LINE__);                                                  \
    } while (0)

static void bad_vertices(void) {
    ov_shape s;
    make_box(&work, ov_vec3_make(1.0, 1.0, 1.0));
    CHECK_STATUS(make(&work, NULL), OV_ERROR_NULL);
    REFUSED(ov_shape_make_polyhedron(NULL, 8, work.t, 12, &s), OV_ERROR_NULL);
    REFUSED(ov_shape_make_polyhedron(work.v, 8, NULL, 12, &s), OV_ERROR_NULL);
    REFUSED(ov_shape_make_polyhedron(work.v, 8, work.t, 0, &s), OV_ERROR_COUNT);
    REFUSED(ov_shape_make_polyhedron(work.v, 8, work.t, 3, &s), OV_ERROR_COUNT);
    REFUSED(ov_shape_make_polyhedron(work.v, 3, NULL, 0, &s), OV_ERROR_COUNT);
    REFUSED(ov_shape_make_polyhedron(work.v, 0, NULL, 0, &s), OV_ERROR_COUNT);
    if (sizeof(size_t) > 4) {
        size_t huge = (size_t)1 << 33;
        REFUSED(ov_shape_make_polyhedron(work.v, huge, NULL, 0, &s), OV_ERROR_COUNT);
        REFUSED(ov_shape_make_polyhedron(work.v, 8, work.t, huge, &s), OV_ERROR_COUNT);
        REFUSED(ov_shape_make_polyhedron(work.v, SIZE_MAX, NULL, 0, &s), OV_ERROR_COUNT);
    }
    const struct {
        double value;
        ov_status status;
    } bad[] = {{NAN, OV_ERROR_NOT_FINITE},
               {INFINITY, OV_ERROR_NOT_FINITE},
               {-1e61, OV_ERROR_SIZE_RANGE},
               {1e300, OV_ERROR_SIZE_RANGE}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        for (int k = 0; k < 8; k++) {
            ov_vec3 good = work.v[k];
            work.v[k].y = bad[i].value;
            REFUSED(make(&work, &s), bad[i].status);
            REFUSED(ov_shape_make_polyhedron(work.v, 8, NULL, 0, &s), bad[i].status);
            work.v[k] = good;
        }
    }
    // what is not finite is said first, also where something else is out of range before it
    work.v[0].x = 1e70;
    work.v[7].z = NAN;
    REFUSED(make(&work, &s), OV_ERROR_NOT_FINITE);
}

static void flat_vertices(void) {
    check_random r = check_random_make(2);
    ov_shape s;
    for (int i = 0; i < 500; i += check_every()) {
        double scale = check_log_uniform(&r, 1e-40, 1e40);
        ov_pose pose = random_pose(&r, i % 2 == 0 ? 0.0 : 10.0);
        // all in a plane, on a line, or equal
        double y = i % 3 == 0 ? 0.0 : 1.0, x = i % 3 == 1 && i % 5 == 0 ? 0.0 : 1.0;
        work.nv = 20;
        for (size_t k = 0; k < work.nv; k++) {
            work.v[k] = ov_vec3_make(x * check_uniform(&r, -1.0, 1.0),
                                     x * y * check_uniform(&r, -1.0, 1.0), 0.0);
        }
        move(&work, pose, scale);
        REFUSED(ov_shape_make_polyhedron(work.v, work.nv, NULL, 0, &s), OV_ERROR_DEGENERATE);
        // a little out of the plane, well above the rounding
        if (x * y == 1.0) {
            ov_vec3 up = ov_quat_rotate(pose.rotation, ov_vec3_make(0.0, 0.0, 1.0));
            work.v[3] = ov_vec3_add_scaled(work.v[3], up, 1e-10 * scale);
            CHECK_OK(ov_shape_make_polyhedron(work.v, work.nv, NULL, 0, &s));
        }
    }
    make_box(&work, ov_vec3_make(1e-61, 1e-61, 1e-61));
    REFUSED(make(&work, &s), OV_ERROR_SIZE_RANGE);
    make_box(&work, ov_vec3_make(1e60, 1e60, 1e60));
    CHECK_OK(make(&work, &s));
    make_box(&work, ov_vec3_make(1e-60, 1e-60, 1e-60));
    CHECK_OK(make(&work, &s));
}

static void bad_triangles(void) {
    check_random r = check_random_make(3);
    ov_shape s;
    for (int i = 0; i < 200; i += check_every()) {
        make_ellipsoid(&work, 9, 4, ov_vec3_make(1.0, 0.7, 0.5));
        move(&work, random_pose(&r, 2.0), check_log_uniform(&r, 1e-30, 1e30));
        const body good = work;
        CHECK_OK(make(&work, &s));
        size_t f = check_random_bits(&r) % work.nt;
        // an index out of range
        work.t[f][i % 3] = i % 2 == 0 ? (uint32_t)work.nv : UINT32_MAX;
        REFUSED(make(&work, &s), OV_ERROR_INDEX);
        work = good;
        // a corner twice
        work.t[f][0] = work.t[f][1];
        REFUSED(make(&work, &s), OV_ERROR_DEGENERATE);
        work = good;
        // one triangle missing
        memcpy(work.t[f], work.t[--work.nt], sizeof work.t[f]);
        REFUSED(make(&work, &s), OV_ERROR_NOT_CLOSED);
        work = good;
        // one triangle turned over
        uint32_t first = work.t[f][0];
        work.t[f][0] = work.t[f][1];
        work.t[f][1] = first;
        REFUSED(make(&work, &s), OV_ERROR_NOT_CLOSED);
        work = good;
        // one triangle twice
        memcpy(work.t[work.nt++], work.t[f], sizeof work.t[f]);
        REFUSED(make(&work, &s), OV_ERROR_NOT_CLOSED);
        work = good;
        // all turned over
        for (size_t k = 0; k < work.nt; k++) {
            uint32_t t0 = work.t[k][0];
            work.t[k][0] = work.t[k][1];
            work.t[k][1] = t0;
        }
        REFUSED(make(&work, &s), OV_ERROR_NOT_CLOSED);
        work = good;
        // all twice
        memcpy(work.t[work.nt], good.t, good.nt * sizeof good.t[0]);
        work.nt = 2 * good.nt;
        REFUSED(make(&work, &s), OV_ERROR_NOT_CLOSED);
        work = good;
        // the neighbours of one vertex exchanged: closed or not, it is no hull
        work.t[f][i % 3] = (work.t[f][i % 3] + 1) % (uint32_t)work.nv;
        memset(&s, 0x5a, sizeof s);
        CHECK(make(&work, &s) < 0);
    }
}

/** A vertex pushed inwards or out, by a little: no longer convex. Both sizes of input. */
static void dented(void) {
    check_random r = check_random_make(4);
    ov_shape s;
    for (int i = 0; i < 60; i += check_every()) {
        bool large = i >= 56;
        if (large) {
            make_ellipsoid(&work, 90, 70, ov_vec3_make(1.0, 0.8, 0.6));
        } else {
            make_ellipsoid(&work, 12, 9, ov_vec3_make(1.0, 0.8, 0.6));
        }
        ov_pose pose = random_pose(&r, 2.0);
        move(&work, pose, 1.0);
        CHECK_OK(make(&work, &s));
        size_t k = 1 + check_random_bits(&r) % (work.nv - 2);
        ov_vec3 good = work.v[k], in = ov_vec3_sub(pose.position, good);
        work.v[k] = ov_vec3_add_scaled(good, in, 0.1);
        REFUSED(make(&work, &s), OV_ERROR_NOT_CONVEX);
        // the faces around it are flat in pairs, so far less than that can be seen
        work.v[k] = ov_vec3_add_scaled(good, in, 1e-10);
        REFUSED(make(&work, &s), OV_ERROR_NOT_CONVEX);
        work.v[k] = ov_vec3_add_scaled(good, in, -1e-10);
        REFUSED(make(&work, &s), OV_ERROR_NOT_CONVEX);
        work.v[k] = good;
        // a single vertex far outside, which no face knows of
        work.v[work.nv++] = ov_vec3_add_scaled(good, in, -0.5);
        REFUSED(make(&work, &s), OV_ERROR_NOT_CONVEX);
    }
}

/* ---- support */

static void support_is_the_farthest_vertex(void) {
    check_random r = check_random_make(5);
    double worst = 0.0;
    for (int i = 0; i < 1500; i += check_every()) {
        make_ellipsoid(&work, 10, 6, ov_vec3_make(1.0, 0.8, 0.6));
        double scale = check_log_uniform(&r, 1e-55, 1e55);
        move(&work, random_pose(&r, 5.0), scale);
        ov_shape s;
        // with and without triangles it is the same
        size_t nt = i % 2 == 0 ? 0 : work.nt;
        CHECK_OK(ov_shape_make_polyhedron(work.v, work.nv, nt == 0 ? NULL : work.t, nt, &s));
        ov_vec3 d = ov_vec3_scale(check_unit_vector(&r), check_log_uniform(&r, 1e-200, 1e200));
        ov_support out;
        CHECK_OK(ov_shape_support(&s, d, &out));
        real best = -INFINITY;
        for (size_t k = 0; k < work.nv; k++) {
            best = fmaxl(best, (real)d.x * (real)work.v[k].x + (real)d.y * (real)work.v[k].y +
                                   (real)d.z * (real)work.v[k].z);
        }
        double unit = ov_vec3_length(d) * scale * 6.0;
        double error = (double)fabsl(out.value - best) / unit;
        worst = fmax(worst, error);
        CHECK_NEAR(error, 0.0, 1e-15);
        CHECK_NEAR(ov_vec3_dot(d, out.point), out.value, 1e-15 * unit);
    }
    check_worst("support, relative to reach", worst, 1e-15);
}

/** A box and the same box as a polyhedron agree, ties included. */
static void support_of_a_box(void) {
    check_random r = check_random_make(6);
    for (int i = 0; i < 3000; i += check_every()) {
        ov_vec3 h = {check_log_uniform(&r, 0.1, 10.0), check_log_uniform(&r, 0.1, 10.0),
                     check_log_uniform(&r, 0.1, 10.0)};
        ov_shape box, s;
        make_box(&work, h);
        CHECK_OK(make(&work, &s));
        CHECK_OK(ov_shape_make_box(h, &box));
        ov_vec3 d = check_unit_vector(&r);
        d.x = i % 2 == 0 ? 0.0 : d.x;
        d.y = i % 3 == 0 ? 0.0 : d.y;
        d.z = i % 5 == 0 && i % 6 != 0 ? 0.0 : d.z;
        ov_support a, b;
        CHECK_OK(ov_shape_support(&s, d, &a));
        CHECK_OK(ov_shape_support(&box, d, &b));
        CHECK_NEAR(a.value, b.value, 1e-15 * 30.0);
        CHECK_NEAR(a.point.x, b.point.x, 1e-15 * 10.0);
        CHECK_NEAR(a.point.y, b.point.y, 1e-15 * 10.0);
        CHECK_NEAR(a.point.z, b.point.z, 1e-15 * 10.0);
    }
}

/* ---- containment */

/** Boxes of any shape, needles and plates too: a hair inside, and a hair outside of each face. */
static void containment_of_boxes(void) {
    check_random r = check_random_make(13);
    for (int i = 0; i < 1500; i += check_every()) {
        ov_vec3 h = {check_log_uniform(&r, 1e-8, 1.0), check_log_uniform(&r, 1e-8, 1.0),
                     check_log_uniform(&r, 1e-8, 1.0)};
        double scale = check_log_uniform(&r, 1e-40, 1e40);
        ov_pose pose = random_pose(&r, i % 2 == 0 ? 0.0 : 1.0);
        make_box(&work, h);
        move(&work, pose, scale);
        ov_shape s;
        if (!CHECK_OK(make(&work, &s))) {
            continue;
        }
        for (int k = 0; k < 12; k++) {
            ov_vec3 p = {h.x * check_uniform(&r, -1.0, 1.0), h.y * check_uniform(&r, -1.0, 1.0),
                         h.z * check_uniform(&r, -1.0, 1.0)};
            // off by rounding of coordinates of size 1, or by a millionth of the box
            double hair = k % 2 == 0 ? 1e-13 : -1e-13, *axis = &p.x + k / 2 % 3;
            double side = k / 6 == 0 ? 1.0 : -1.0, half = (&h.x)[k / 2 % 3];
            *axis = side * (half + hair + 1e-6 * half * (hair > 0.0 ? 1.0 : -1.0));
            bool inside = false, expected = hair < 0.0 && fabs(*axis) < half;
            CHECK_OK(ov_shape_contains(&s, ov_vec3_scale(ov_pose_apply(pose, p), scale), &inside));
            CHECK(inside == expected);
        }
        bool inside = false;
        CHECK_OK(ov_shape_contains(&s, work.v[i % 8], &inside));
        CHECK(inside);
        CHECK_OK(ov_shape_contains(&s, ov_vec3_make(1e99, 1e99, -1e99), &inside));
        CHECK(!inside);
    }
}

/** Prisms with sliver faces, against the polygon's own sides. */
static void containment_of_prisms(void) {
    check_random r = check_random_make(14);
    for (int i = 0; i < 60; i += check_every()) {
        uint32_t n = 5 + (uint32_t)(i * 5);
        ov_pose pose = random_pose(&r, 1.0);
        make_prism(&work, n, 1.0, 0.5);
        move(&work, pose, 1.0);
        ov_shape s;
        if (!CHECK_OK(make(&work, &s))) {
            continue;
        }
        for (int k = 0; k < 60; k++) {
            double phi = check_uniform(&r, -M_PI, M_PI), z = check_uniform(&r, -0.5, 0.5);
            // distance of the polygon's side in that direction
            double sector = 2.0 * M_PI / n, off = fmod(phi + 4.0 * M_PI, sector) - 0.5 * sector;
            double edge = cos(0.5 * sector) / cos(off);
            bool want = k % 2 == 0, inside = !want;
            double rho = edge * (want ? 1.0 - 1e-12 : 1.0 + 1e-12);
            ov_vec3 p = {rho * cos(phi), rho * sin(phi), z};
            CHECK_OK(ov_shape_contains(&s, ov_pose_apply(pose, p), &inside));
            CHECK(inside == want);
            p.z = want ? 0.5 - 1e-12 : 0.5 + 1e-12;
            p.x *= 0.9;
            p.y *= 0.9;
            inside = !want;
            CHECK_OK(ov_shape_contains(&s, ov_pose_apply(pose, p), &inside));
            CHECK(inside == want);
        }
    }
}

/** Needles and plates, seen from near and far: a whole number of wraps, one inside, none outside.
 */
static void winding(void) {
    check_random r = check_random_make(16);
    double worst = 0.0;
    for (int i = 0; i < 4000; i += check_every()) {
        ov_vec3 h = {check_log_uniform(&r, 1e-9, 1.0), check_log_uniform(&r, 1e-9, 1.0),
                     check_log_uniform(&r, 1e-9, 1.0)};
        double scale = check_log_uniform(&r, 1e-50, 1e50);
        ov_quat q = check_rotation(&r);
        make_box(&work, h);
        move(&work, (ov_pose){{0.0, 0.0, 0.0}, q}, scale);
        // in units of the box: up to 0.9 of the way to a face, or 1.1 beyond it at the least
        ov_vec3 u = check_unit_vector(&r);
        double reach = fmax(fabs(u.x), fmax(fabs(u.y), fabs(u.z)));
        bool in = i % 2 == 0;
        double away = (in ? check_uniform(&r, 0.0, 0.9) : check_log_uniform(&r, 1.1, 1e3)) / reach;
        ov_vec3 p = ov_quat_rotate(q, ov_vec3_scale(ov_vec3_mul(u, h), away));
        double wraps = ovi_winding(work.v, work.t, work.nt, ov_vec3_scale(p, scale));
        // faces 1e-9 away know their distance to a relative 1e-6 or so
        worst = fmax(worst, fabs(wraps - (in ? 1.0 : 0.0)));
        CHECK_NEAR(wraps, in ? 1.0 : 0.0, 1e-5);
        ov_shape s;
        CHECK_OK(make(&work, &s));
    }
    check_worst("wraps around points in and near thin boxes", worst, 1e-5);
}

static void without_triangles(void) {
    ov_shape s;
    ov_mass m;
    ov_ball ball;
    bool inside = false;
    make_box(&work, ov_vec3_make(1.0, 2.0, 2.0));
    CHECK_OK(ov_shape_make_polyhedron(work.v, work.nv, NULL, 0, &s));
    CHECK_STATUS(ov_shape_mass(&s, 1.0, &m), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_shape_contains(&s, work.v[0], &inside), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_shape_inscribed_ball(&s, &ball), OV_ERROR_UNSUPPORTED);
    CHECK_OK(ov_shape_bounding_ball(&s, &ball));
    CHECK_NEAR(ball.radius, 3.0, 1e-13);
}

/* ---- faces */

/** Heights, spreads and distances of triangles, slivers included, in long double. */
static void faces(void) {
    check_random r = check_random_make(15);
    double worst = 0.0;
    for (int i = 0; i < 20000; i += check_every()) {
        double thin = check_log_uniform(&r, 1e-9, 1.0);
        ov_mat3 f = ov_mat3_from_quat(check_rotation(&r));
        ov_vec3 a = check_unit_vector(&r), b = ov_vec3_add(a, f.cx);
        ov_vec3 c = ov_vec3_add_scaled(a, f.cx, check_uniform(&r, -1.0, 2.0));
        c = ov_vec3_add_scaled(c, f.cy, thin);
        // over the triangle, at a known height: the spread is one there
        double u = check_uniform(&r, 0.0, 1.0), v = check_uniform(&r, 0.0, 1.0 - u);
        double height = check_uniform(&r, -1.0, 1.0), spread = NAN;
        ov_vec3 p = ov_vec3_add(ov_vec3_scale(a, 1.0 - u - v), ov_vec3_scale(b, u));
        p = ov_vec3_add_scaled(ov_vec3_add_scaled(p, c, v), f.cz, height);
        ovi_face face = i % 3 == 0   ? ovi_face_make(a, b, c)
                        : i % 3 == 1 ? ovi_face_make(b, c, a)
                                     : ovi_face_make(c, a, b);
        // the corners' rounding tilts the plane by 2e-16/thin; that times the height moves the foot
        double got = ovi_face_height(&face, p, &spread),
               slack = 1e-15 + 1e-15 * fabs(height) / thin;
        double error = fabs(got - height) / slack;
        worst = fmax(worst, error);
        CHECK_NEAR(error, 0.0, 1.0);
        if (thin > 1e-6) {
            CHECK_NEAR(spread, 1.0, 1e-8);
            CHECK_NEAR(ovi_face_distance(&face, p), fabs(height), slack);
        }
        // beyond a corner the distance is that of the corner
        ov_vec3 centre = ov_vec3_scale(ov_vec3_add(a, ov_vec3_add(b, c)), 1.0 / 3.0);
        ov_vec3 out = ov_vec3_sub(face.ends[0], centre), along = ov_vec3_normalize(out);
        ov_vec3 q = ov_vec3_add_scaled(face.ends[0], along, 2.0);
        CHECK_NEAR(ovi_face_distance(&face, q), 2.0, 1e-14);
    }
    check_worst("heights above faces, in units of rounding", worst, 1.0);
}

int main(void) {
    check_suite = "polyhedron";
    RUN(accepted);
    RUN(bad_vertices);
    RUN(flat_vertices);
    RUN(bad_triangles);
    RUN(dented);
    RUN(support_is_the_farthest_vertex);
    RUN(support_of_a_box);
    RUN(containment_of_boxes);
    RUN(containment_of_prisms);
    RUN(winding);
    RUN(without_triangles);
    RUN(faces);
    return check_finish();
}
