/**
 * @file test_fit_parts.c
 * @brief Fits of several parts: the field against closed forms, gauges and gradients of the search
 * against the library's and finite differences, what encloses against points that the parts are
 * asked for one by one, certificates that lie, and bad input.
 */
#include <string.h>

#include <ovoid/fit.h>

#include "check.h"
#include "fit/parts_internal.h"

/* ---- meshes */

typedef struct mesh {
    ov_vec3 *points;
    uint32_t (*triangles)[3];
    size_t point_count, triangle_count;
} mesh;

/** Adds the tessellation of a placed shape as another shell. */
static void mesh_add(mesh *m, const ov_shape *shape, ov_pose pose, size_t vertices) {
    ov_mesh_options options = {.vertices = vertices};
    ov_mesh_plan plan;
    CHECK_OK(ov_shape_mesh_plan(shape, &options, &plan));
    size_t points = m->point_count + plan.vertex_count;
    size_t triangles = m->triangle_count + plan.triangle_count;
    m->points = realloc(m->points, points * sizeof *m->points);
    m->triangles = realloc(m->triangles, triangles * sizeof *m->triangles);
    if (m->points == NULL || m->triangles == NULL) {
        abort();
    }
    CHECK_OK(ov_shape_mesh_fill(shape, &plan, m->points + m->point_count, NULL,
                                m->triangles + m->triangle_count));
    for (size_t i = m->point_count; i < points; i++) {
        m->points[i] = ov_pose_apply(pose, m->points[i]);
    }
    for (size_t i = 3 * m->triangle_count; i < 3 * triangles; i++) {
        m->triangles[i / 3][i % 3] += (uint32_t)m->point_count;
    }
    m->point_count = points;
    m->triangle_count = triangles;
}

static void mesh_free(mesh *m) {
    free(m->points);
    free(m->triangles);
    *m = (mesh){0};
}

static ov_fit_input input_of(const mesh *m) {
    return (ov_fit_input){m->points, m->point_count, (const uint32_t(*)[3])m->triangles,
                          m->triangle_count};
}

static ov_pose pose_at(double x, double y, double z) {
    ov_pose pose = ov_pose_identity();
    pose.position = ov_vec3_make(x, y, z);
    return pose;
}

/** A ball with two limbs, which cross it. */
static mesh make_creature(void) {
    mesh m = {0};
    ov_shape s;
    CHECK_OK(ov_shape_make_sphere(1.0, &s));
    mesh_add(&m, &s, pose_at(0.0, 0.0, 0.0), 300);
    CHECK_OK(ov_shape_make_capsule(0.3, 0.9, &s));
    mesh_add(&m, &s, pose_at(0.1, 0.05, 1.6), 200);
    ov_pose side = pose_at(1.5, 0.1, 0.0);
    side.rotation = ov_quat_from_axis_angle(ov_vec3_make(0.0, 1.0, 0.0), 1.4);
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(0.25, 0.2, 0.9), 0.7, 0.8, &s));
    mesh_add(&m, &s, side, 200);
    return m;
}

/* ---- the field */

static void test_field(void) {
    // a ball and a ball inside out in it: a shell; the winding number knows
    mesh m = {0};
    ov_shape s;
    CHECK_OK(ov_shape_make_sphere(0.5, &s));
    mesh_add(&m, &s, pose_at(0.0, 0.0, 0.0), 4000);
    size_t outer = m.triangle_count;
    CHECK_OK(ov_shape_make_sphere(0.25, &s));
    mesh_add(&m, &s, pose_at(0.05, 0.0, 0.0), 4000);
    for (size_t i = outer; i < m.triangle_count; i++) {
        uint32_t first = m.triangles[i][0];
        m.triangles[i][0] = m.triangles[i][1];
        m.triangles[i][1] = first;
    }
    ovi_soup soup = {m.points, (const uint32_t(*)[3])m.triangles, m.point_count, m.triangle_count};
    ovi_field f;
    CHECK_OK(ovi_field_make(&soup, 40, &f));
    size_t wrong = 0, deep_wrong = 0, count = 0;
    for (int k = 0; k < f.n[2]; k++) {
        for (int j = 0; j < f.n[1]; j++) {
            for (int i = 0; i < f.n[0]; i++) {
                size_t at = ovi_field_index(&f, i, j, k);
                ov_vec3 p = {.x = (double)ovi_field_x(&f, i, at)};
                ovi_field_line(&f, j, k, &p.y, &p.z);
                double r = ov_vec3_length(p);
                double inner = ov_vec3_length(ov_vec3_sub(p, ov_vec3_make(0.05, 0.0, 0.0)));
                double depth = fmin(0.5 - r, inner - 0.25); // of the shell; negative outside
                // the mesh is within 2e-3 of the balls; depths are counted from cell to cell, and
                // each of the two samples may be half a diagonal from the middle of its cell
                wrong += fabs(depth) > 2e-3 && f.inside[at] != (depth > 0.0);
                deep_wrong += fabs((double)f.depth[at] - depth) > (0.5 + sqrt(3.0)) * f.h;
                count++;
            }
        }
    }
    CHECK(wrong == 0);
    CHECK(deep_wrong == 0);
    CHECK(count == ovi_field_count(&f));
    // facets are as large as the surface: their areas add up to that of the triangles
    double area = 0.0, all = 0.0;
    for (size_t i = 0; i < f.facet_count; i++) {
        ov_vec3 c[3];
        for (int n = 0; n < 3; n++) {
            uint32_t at = f.facets[i][n];
            c[n] = ov_vec3_make((double)f.surface.x[at], (double)f.surface.y[at],
                                (double)f.surface.z[at]);
        }
        area +=
            0.5 * ov_vec3_length(ov_vec3_cross(ov_vec3_sub(c[1], c[0]), ov_vec3_sub(c[2], c[0])));
    }
    for (size_t i = 0; i < m.triangle_count; i++) {
        ov_vec3 a = m.points[m.triangles[i][0]], b = m.points[m.triangles[i][1]];
        ov_vec3 c = m.points[m.triangles[i][2]];
        all += 0.5 * ov_vec3_length(ov_vec3_cross(ov_vec3_sub(b, a), ov_vec3_sub(c, a)));
    }
    CHECK_NEAR(area, all, 1e-4 * all);
    ovi_field_free(&f);
    mesh_free(&m);
}

static void test_large_triangles(void) {
    // a cube of twelve triangles is cut into facets no longer than one and a half cells
    mesh m = {0};
    ov_shape s;
    CHECK_OK(ov_shape_make_box(ov_vec3_make(0.5, 0.3, 0.2), &s));
    mesh_add(&m, &s, pose_at(0.0, 0.0, 0.0), 8);
    ovi_soup soup = {m.points, (const uint32_t(*)[3])m.triangles, m.point_count, m.triangle_count};
    ovi_field f;
    CHECK_OK(ovi_field_make(&soup, 20, &f));
    double area = 0.0, longest = 0.0;
    for (size_t i = 0; i < f.facet_count; i++) {
        ov_vec3 c[3];
        for (int n = 0; n < 3; n++) {
            uint32_t at = f.facets[i][n];
            CHECK(at < f.surface.count);
            c[n] = ov_vec3_make((double)f.surface.x[at], (double)f.surface.y[at],
                                (double)f.surface.z[at]);
        }
        for (int n = 0; n < 3; n++) {
            longest = fmax(longest, ov_vec3_length(ov_vec3_sub(c[n], c[(n + 1) % 3])));
        }
        area +=
            0.5 * ov_vec3_length(ov_vec3_cross(ov_vec3_sub(c[1], c[0]), ov_vec3_sub(c[2], c[0])));
    }
    CHECK_NEAR(area, 8.0 * (0.5 * 0.3 + 0.3 * 0.2 + 0.5 * 0.2), 1e-5);
    CHECK(longest < 1.5001 * f.h);
    // cells: 20 x 12 x 8 of them are inside
    CHECK(f.inside_count == 20 * 12 * 8);
    ovi_field_free(&f);
    mesh_free(&m);
}

/* ---- gauges and gradients of the search */

static ovi_part some_part(check_random *r) {
    ovi_part p = {.rotation = check_rotation(r)};
    p.centre = ov_vec3_scale(check_unit_vector(r), 0.1);
    for (int i = 0; i < 3; i++) {
        p.log_a[i] = log(check_uniform(r, 0.15, 0.4));
    }
    p.e[0] = check_uniform(r, 0.3, 1.6);
    p.e[1] = check_uniform(r, 0.3, 1.6);
    p.t[0] = check_uniform(r, -0.9, 0.9);
    p.t[1] = check_uniform(r, -0.9, 0.9);
    return p;
}

/** The cells of a part, and what it costs, against every cell of the field one by one. */
static void test_rows(void) {
    check_random r = check_random_make(77);
    mesh m = {0};
    ov_shape s;
    CHECK_OK(ov_shape_make_ellipsoid(ov_vec3_make(0.5, 0.4, 0.3), &s));
    mesh_add(&m, &s, pose_at(0.0, 0.0, 0.0), 500);
    ovi_soup soup = {m.points, (const uint32_t(*)[3])m.triangles, m.point_count, m.triangle_count};
    ovi_part_limits limits = {.kind = OV_SHAPE_KIND_SUPEROVOID, .e_min = 0.2, .e_max = 1.6};
    ovi_field f;
    CHECK_OK(ovi_field_make(&soup, 40, &f));
    for (int trial = 0; trial < 60; trial++) {
        ovi_part part = some_part(&r);
        if (trial % 3 == 0) {
            part.rotation = ov_quat_identity();
        }
        if (trial % 4 == 0) {
            part.e[0] = part.e[1] = 1.0;
            part.t[0] = part.t[1] = 0.0;
        }
        ovi_model model;
        CHECK_OK(ovi_model_make(&f, OV_FIT_MODE_ENCLOSE, &limits, &model));
        double cost = ovi_model_part_cost(&model, &part), excess = 0.0;
        CHECK(ovi_model_add(&model, &part));
        ovi_part_constants c = ovi_part_prepare(&part);
        size_t wrong = 0;
        for (uint32_t i = 0; i < ovi_field_count(&f); i++) {
            float p[3], lg, rho;
            ovi_model_point(&model, i, p);
            ovi_gauge_values(&c, &p[0], &p[1], &p[2], 1, &lg, &rho);
            wrong += fabsf(lg) > 1e-5f && (lg < 0.0f) != (model.cover[i] > 0);
            excess += model.cover[i] > 0 && !f.inside[i];
        }
        CHECK(wrong == 0);
        CHECK(cost == excess + model.members[0].beyond.cells);
        ovi_model_free(&model);
    }
    ovi_field_free(&f);
    mesh_free(&m);
}

/** The quick look for dents overlooks none that is too deep. */
static void test_dents(void) {
    check_random r = check_random_make(78);
    size_t deep = 0, missed = 0;
    for (int trial = 0; trial < 1500; trial++) {
        ovi_part p = {.rotation = ov_quat_identity()};
        for (int i = 0; i < 2; i++) {
            p.e[i] = check_uniform(&r, 0.2, 1.6);
            p.t[i] = check_uniform(&r, -0.9, 0.9);
        }
        for (int i = 0; i < 3; i++) {
            p.log_a[i] = check_uniform(&r, -2.5, -0.7);
        }
        ovi_part convex = p;
        ov_shape shape;
        CHECK_OK(ovi_part_shape(&convex, 1.0, &shape));
        bool changed = convex.t[0] != p.t[0] || convex.t[1] != p.t[1];
        deep += changed;
        missed += changed && !ovi_part_may_dent(&p);
    }
    CHECK(deep > 20);
    // (the first limit, which is older, overlooks some 0.2 %)
    CHECK(missed <= deep / 50);
}

static void test_gauge(void) {
    check_random r = check_random_make(71);
    for (int trial = 0; trial < 200; trial++) {
        ovi_part part = some_part(&r);
        ov_shape shape;
        CHECK_OK(ovi_part_shape(&part, 1.0, &shape));
        CHECK(shape.dent <= 0.02 * fmin(shape.a.x, fmin(shape.a.y, shape.a.z)));
        ov_pose pose = {part.centre, part.rotation};
        ovi_part_constants c = ovi_part_prepare(&part);
        double lo[3], hi[3];
        ovi_part_box(&part, 0.0, lo, hi);
        for (int i = 0; i < 20; i++) {
            ov_vec3 p = ov_vec3_scale(check_unit_vector(&r), check_uniform(&r, 0.05, 0.6));
            float x = (float)p.x, y = (float)p.y, z = (float)p.z, lg, rho;
            p = ov_vec3_make((double)x, (double)y, (double)z);
            double exact;
            ovi_gauge_values(&c, &x, &y, &z, 1, &lg, &rho);
            CHECK_OK(ov_shape_gauge_value(&shape, ov_pose_apply_inverse(pose, p), &exact));
            CHECK_NEAR((double)lg, log(exact), 2e-5);
            CHECK_NEAR((double)rho, ov_vec3_length(ov_vec3_sub(p, part.centre)), 1e-6);
            bool boxed = p.x >= lo[0] && p.x <= hi[0] && p.y >= lo[1] && p.y <= hi[1] &&
                         p.z >= lo[2] && p.z <= hi[2];
            CHECK(exact > 1.0 || boxed);
        }
    }
}

/** Plates of a third of a cell, along the axes and at any height: the samples know their volume. */
static void test_thin_plates(void) {
    mesh m = {0};
    ov_shape s;
    CHECK_OK(ov_shape_make_sphere(0.5, &s));
    mesh_add(&m, &s, pose_at(0.0, 0.0, 0.0), 1000);
    ovi_soup soup = {m.points, (const uint32_t(*)[3])m.triangles, m.point_count, m.triangle_count};
    ovi_field f;
    ovi_model model;
    ovi_part_limits limits = {.kind = OV_SHAPE_KIND_SUPEROVOID, .e_min = 0.2, .e_max = 1.6};
    CHECK_OK(ovi_field_make(&soup, 40, &f));
    CHECK_OK(ovi_model_make(&f, OV_FIT_MODE_ENCLOSE, &limits, &model));
    for (int n = 0; n < 30; n++) {
        double at = f.h * n / 10.0;
        ovi_part part = {.rotation = ov_quat_identity(), .e = {0.2, 0.2}};
        part.centre =
            ov_vec3_make(n % 3 == 0 ? at : 0.0, n % 3 == 1 ? at : 0.0, n % 3 == 2 ? at : 0.0);
        for (int a = 0; a < 3; a++) {
            part.log_a[a] = log(a == n % 3 ? f.h / 6.0 : 0.4);
        }
        CHECK(ovi_model_add(&model, &part));
        size_t held = 0;
        for (size_t i = 0; i < ovi_field_count(&f); i++) {
            held += model.cover[i] > 0;
        }
        ov_shape shape;
        ov_mass mass;
        CHECK_OK(ovi_part_shape(&part, 1.0, &shape));
        CHECK_OK(ov_shape_mass(&shape, 1.0, &mass));
        // about 330 of 1,000 cells: by chance along x, five deviations; by rows, three of 32
        double cells = mass.volume / (f.h * f.h * f.h);
        CHECK_NEAR((double)held, cells, 5.0 * sqrt(cells));
        ovi_model_lift(&model, 0);
        ovi_model_remove(&model, 0);
    }
    ovi_model_free(&model);
    ovi_field_free(&f);
    mesh_free(&m);
}

/** The part with one of its numbers changed. */
static ovi_part nudged(ovi_part p, int number, double by) {
    double *flat[3] = {&p.centre.x, &p.centre.y, &p.centre.z};
    if (number < 3) {
        *flat[number] += by;
    } else if (number < 6) {
        ov_vec3 axis = {number == 3, number == 4, number == 5};
        p.rotation = ov_quat_mul(p.rotation, ov_quat_from_axis_angle(axis, by));
    } else if (number < 9) {
        p.log_a[number - 6] += by;
    } else if (number < 11) {
        p.e[number - 9] += by;
    } else {
        p.t[number - 11] += by;
    }
    return p;
}

static void test_gradient(void) {
    check_random r = check_random_make(72);
    for (int sense = OVI_BOUND_NONE; sense <= OVI_BOUND_AVOID; sense++) {
        ovi_task task = {.tau = 0.03,
                         .beta = 20.0,
                         .sense = (ovi_bound_sense)sense,
                         .box_lo = {-0.2, -0.1, -0.3},
                         .box_hi = {0.3, 0.2, 0.1},
                         .box_weight = 3000.0};
        for (int i = 0; i < 3000; i++) {
            CHECK(ovi_task_count(&task, (float)check_uniform(&r, -0.6, 0.6),
                                 (float)check_uniform(&r, -0.6, 0.6),
                                 (float)check_uniform(&r, -0.6, 0.6), i % 3 == 0 ? -1.0f : 1.0f));
        }
        for (int i = 0; i < 300; i++) {
            CHECK(ovi_samples_add(&task.bound, (float)check_uniform(&r, -0.2, 0.2),
                                  (float)check_uniform(&r, -0.2, 0.2),
                                  (float)check_uniform(&r, -0.2, 0.2)));
        }
        task.blocks = calloc(2, sizeof *task.blocks);
        task.block_capacity = 2;
        for (int trial = 0; trial < 10; trial++) {
            ovi_part part = some_part(&r);
            part.e[0] = fmin(part.e[0], 1.2);
            part.e[1] = fmin(part.e[1], 1.2);
            double gradient[OVI_PART_NUMBERS], size = 0.0;
            double value = ovi_task_value(&task, &part, gradient);
            CHECK(isfinite(value));
            for (int n = 0; n < OVI_PART_NUMBERS; n++) {
                size = fmax(size, fabs(gradient[n]));
            }
            for (int n = 0; n < OVI_PART_NUMBERS; n++) {
                // floats: a step of 2e-3 leaves 1e-6 of the sum over it, and bends of second order
                ovi_part low = nudged(part, n, -2e-3), high = nudged(part, n, 2e-3);
                double slope =
                    (ovi_task_value(&task, &high, NULL) - ovi_task_value(&task, &low, NULL)) / 4e-3;
                CHECK_NEAR(gradient[n], slope, 0.02 * size + 1.0);
            }
        }
        ovi_task_free(&task);
    }
}

static void test_rescale(void) {
    check_random r = check_random_make(73);
    for (int trial = 0; trial < 50; trial++) {
        ovi_part part = some_part(&r);
        ovi_samples s = {0};
        for (int i = 0; i < 300; i++) {
            ov_vec3 p = ov_vec3_scale(check_unit_vector(&r), check_uniform(&r, 0.2, 0.5));
            CHECK(ovi_samples_add(&s, (float)p.x, (float)p.y, (float)p.z));
        }
        for (int sense = OVI_BOUND_HOLD; sense <= OVI_BOUND_AVOID; sense++) {
            ovi_part scaled = part;
            ovi_part_rescale(&scaled, (ovi_bound_sense)sense, &s, 0.0);
            ovi_part convex = scaled;
            ov_shape shape;
            CHECK_OK(ovi_part_shape(&convex, 1.0, &shape));
            double most = 0.0, least = INFINITY;
            for (size_t i = 0; i < s.count; i++) {
                ov_vec3 p = {(double)s.x[i], (double)s.y[i], (double)s.z[i]};
                double g;
                ov_pose pose = {scaled.centre, scaled.rotation};
                CHECK_OK(ov_shape_gauge_value(&shape, ov_pose_apply_inverse(pose, p), &g));
                most = fmax(most, g);
                least = fmin(least, g);
            }
            if (convex.t[0] == scaled.t[0] && convex.t[1] == scaled.t[1]) {
                CHECK_NEAR(sense == OVI_BOUND_HOLD ? most : least, 1.0, 1e-4);
            }
        }
        ovi_samples_free(&s);
    }
}

/** Points at the centre of a part, the same again or a single one: any size holds them. */
static void test_rescale_to_a_point(void) {
    check_random r = check_random_make(79);
    ovi_task task = {0};
    const ovi_part_limits limits = {OV_SHAPE_KIND_SUPEROVOID, 0.2, 1.6, 0.9, 0.0};
    for (int trial = 0; trial < 40; trial++) {
        ovi_part part = some_part(&r);
        ovi_task_clear(&task);
        for (int i = 0; i <= trial % 3; i++) {
            CHECK(ovi_samples_add(&task.bound, (float)part.centre.x, (float)part.centre.y,
                                  (float)part.centre.z));
        }
        // the centre in floats, as the samples have it
        part.centre =
            ov_vec3_make((double)task.bound.x[0], (double)task.bound.y[0], (double)task.bound.z[0]);
        ovi_part small = part;
        ovi_part_rescale(&small, OVI_BOUND_HOLD, &task.bound, 0.0);
        CHECK(ovi_part_is_finite(&small));
        for (int i = 0; i < 3; i++) {
            CHECK(small.log_a[i] > -13.0 && small.log_a[i] <= part.log_a[i]);
        }
        // and a fit that begins with it goes on
        double value;
        task.sense = OVI_BOUND_HOLD;
        task.tau = 0.01;
        task.beta = 100.0;
        CHECK(ovi_task_minimise(&task, &limits, 10, &small, &value));
        CHECK(ovi_part_is_finite(&small) && isfinite(value));
    }
    ovi_part broken = some_part(&r);
    CHECK(ovi_part_is_finite(&broken));
    broken.t[1] = NAN;
    CHECK(!ovi_part_is_finite(&broken));
    ovi_task_free(&task);
}

/* ---- parts that enclose */

static bool is_held(const ov_fit_part *parts, size_t count, ov_vec3 p) {
    for (size_t k = 0; k < count; k++) {
        double g;
        CHECK_OK(
            ov_shape_gauge_value(&parts[k].shape, ov_pose_apply_inverse(parts[k].pose, p), &g));
        if (g <= 1.0) {
            return true;
        }
    }
    return false;
}

/** Random points of the surface, and of the solids that the creature is made of. */
static void check_points(const ov_fit *fit, const mesh *m) {
    check_random r = check_random_make(74);
    const ov_fit_part *parts = ov_fit_parts(fit);
    size_t count = ov_fit_part_count(fit), missed = 0;
    for (size_t i = 0; i < m->triangle_count; i++) {
        for (int n = 0; n < 20; n++) {
            double u = check_uniform(&r, 0.0, 1.0), v = check_uniform(&r, 0.0, 1.0);
            u = u + v > 1.0 ? 1.0 - u : u;
            v = u + v > 1.0 ? 1.0 - v : v;
            ov_vec3 a = m->points[m->triangles[i][0]], b = m->points[m->triangles[i][1]];
            ov_vec3 c = m->points[m->triangles[i][2]];
            ov_vec3 p = ov_vec3_add_scaled(ov_vec3_add_scaled(a, ov_vec3_sub(b, a), u),
                                           ov_vec3_sub(c, a), v);
            missed += !is_held(parts, count, p);
            // what is between the surface and the middle of the ball is solid in its shell
            if (i < 500) {
                missed += !is_held(parts, count, ov_vec3_scale(p, check_uniform(&r, 0.0, 1.0)));
            }
        }
    }
    CHECK(missed == 0);
}

/** Cells of a field: sanitizers are slow, and look for other things than tight fits. */
static int cells(int usual) { return check_every() == 1 ? usual : 16; }

static void test_enclose(void) {
    mesh m = make_creature();
    ov_fit_input input = input_of(&m);
    ov_fit_parts_options options = {.parts = 3, .cells = cells(32)};
    ov_fit *fit = NULL;
    CHECK_OK(ov_fit_parts_create(&input, &options, &fit));
    if (fit == NULL) {
        return;
    }
    ov_fit_report report = ov_fit_parts_report(fit);
    CHECK(report.parts == 3 && ov_fit_part_count(fit) == 3);
    CHECK(report.surface_proven && report.solid_proven);
    CHECK(report.surface == 1.0 && report.solid == 1.0 && report.missing == 0.0);
    ov_fit_certificate c = ov_fit_parts_certificate(fit);
    ov_fit_verdict verdict;
    CHECK_OK(ov_fit_check(ov_fit_parts(fit), 3, &c, &input, &verdict));
    CHECK(verdict.surface && verdict.solid && verdict.bad_triangle == SIZE_MAX);
    CHECK(verdict.pieces == c.piece_count && verdict.cells > 0);
    check_points(fit, &m);
    if (check_every() == 1) { // the same once more: the same bits
        ov_fit *again = NULL;
        CHECK_OK(ov_fit_parts_create(&input, &options, &again));
        CHECK(again != NULL &&
              memcmp(ov_fit_parts(fit), ov_fit_parts(again), 3 * sizeof(ov_fit_part)) == 0);
        ov_fit_destroy(again);
    }
    ov_fit_destroy(fit);
    mesh_free(&m);
}

/** How far the parts reach beyond the box of the points, by their support functions. */
static double reach_beyond_box(const ov_fit *fit, const ov_fit_input *input) {
    double most = 0.0;
    for (int a = 0; a < 6; a++) {
        double sign = a < 3 ? 1.0 : -1.0, box = -INFINITY;
        ov_vec3 n = {a % 3 == 0 ? sign : 0.0, a % 3 == 1 ? sign : 0.0, a % 3 == 2 ? sign : 0.0};
        for (size_t i = 0; i < input->point_count; i++) {
            box = fmax(box, ov_vec3_dot(n, input->points[i]));
        }
        for (size_t k = 0; k < ov_fit_part_count(fit); k++) {
            const ov_fit_part *p = &ov_fit_parts(fit)[k];
            ov_support s;
            CHECK_OK(ov_shape_support(&p->shape,
                                      ov_quat_rotate(ov_quat_conjugate(p->pose.rotation), n), &s));
            most = fmax(most, s.value + ov_vec3_dot(n, p->pose.position) - box);
        }
    }
    return most;
}

/**
 * Three bodies that the family has (a capsule nearly): little is left over. A search may end in
 * another place with every seed, and with every compiler; of a few seeds one has to find them.
 */
static void test_tight(void) {
    mesh m = make_creature();
    ov_fit_input input = input_of(&m);
    bool tight = false;
    for (uint64_t seed = 0; seed < 4 && !tight; seed++) {
        ov_fit_parts_options options = {.parts = 3, .cells = cells(32), .seed = seed};
        ov_fit *fit = NULL;
        CHECK_OK(ov_fit_parts_create(&input, &options, &fit));
        if (fit != NULL) {
            ov_fit_report report = ov_fit_parts_report(fit);
            tight = report.excess < 0.12 && report.protrusion < 0.05;
            // to two cells of the grid: nothing is hidden beyond it
            CHECK(reach_beyond_box(fit, &input) / report.size < report.protrusion + 2.0 / 32.0);
        }
        ov_fit_destroy(fit);
    }
    CHECK(tight);
    mesh_free(&m);
}

static void test_lies(void) {
    mesh m = make_creature();
    ov_fit_input input = input_of(&m);
    ov_fit_parts_options options = {.parts = 3, .cells = cells(24)};
    ov_fit *fit = NULL;
    CHECK_OK(ov_fit_parts_create(&input, &options, &fit));
    if (fit == NULL) {
        return;
    }
    size_t count = ov_fit_part_count(fit);
    ov_fit_part *parts = malloc(count * sizeof *parts);
    ov_fit_certificate c = ov_fit_parts_certificate(fit), bad = c;
    ov_fit_piece *pieces = malloc(c.piece_count * sizeof *pieces);
    uint32_t *cells = malloc(c.cell_count * sizeof *cells);
    ov_fit_verdict v;
    if (parts == NULL || pieces == NULL || cells == NULL) {
        abort();
    }
    memcpy(parts, ov_fit_parts(fit), count * sizeof *parts);
    memcpy(pieces, c.pieces, c.piece_count * sizeof *pieces);
    memcpy(cells, c.cells, c.cell_count * sizeof *cells);
    // a part that is a little smaller, or elsewhere
    for (size_t k = 0; k < count; k++) {
        ov_shape s = parts[k].shape;
        ov_shape_options dented = {.dent_tolerance = 1.0};
        CHECK_OK(ov_shape_make_superovoid(ov_vec3_scale(s.a, 0.97), s.e1, s.e2, s.tx, s.ty, &dented,
                                          &parts[k].shape));
        CHECK_OK(ov_fit_check(parts, count, &c, &input, &v));
        CHECK(!v.surface && !v.solid && v.bad_triangle < m.triangle_count);
        parts[k].shape = s;
        // moved so far that it holds nothing that it held
        parts[k].pose.position.x += 4.0 * fmax(s.a.x, fmax(s.a.y, s.a.z));
        CHECK_OK(ov_fit_check(parts, count, &c, &input, &v));
        CHECK(!v.surface);
        parts[k].pose = ov_fit_parts(fit)[k].pose;
    }
    memcpy(parts, ov_fit_parts(fit), count * sizeof *parts);
    // pieces: one too few, one of a part that there is not, one cut that is not there
    bad.piece_count--;
    CHECK_OK(ov_fit_check(parts, count, &bad, &input, &v));
    CHECK(!v.surface && v.bad_triangle == m.triangle_count - 1);
    bad = c;
    bad.pieces = pieces;
    pieces[7].part = (uint32_t)count;
    CHECK_OK(ov_fit_check(parts, count, &bad, &input, &v));
    CHECK(!v.surface);
    pieces[7] = c.pieces[7];
    pieces[7].level++;
    CHECK_OK(ov_fit_check(parts, count, &bad, &input, &v));
    CHECK(!v.surface);
    pieces[7].level = 4000000000u;
    CHECK_OK(ov_fit_check(parts, count, &bad, &input, &v));
    CHECK(!v.surface);
    pieces[7] = c.pieces[7];
    // cells: every leaf that a part holds, called outside; cut off; a root elsewhere
    bad.cells = cells;
    for (size_t i = 0; i < c.cell_count; i += 1 + c.cell_count / 40) {
        if (cells[i] < count) {
            cells[i] = OV_FIT_CELL_OUTSIDE;
            CHECK_OK(ov_fit_check(parts, count, &bad, &input, &v));
            CHECK(v.surface && !v.solid);
            cells[i] = c.cells[i];
        }
    }
    bad.cell_count--;
    CHECK_OK(ov_fit_check(parts, count, &bad, &input, &v));
    CHECK(v.surface && !v.solid);
    bad = c;
    bad.origin.x += bad.side / 4.0;
    CHECK_OK(ov_fit_check(parts, count, &bad, &input, &v));
    CHECK(!v.solid);
    bad = c;
    bad.side *= 1.01;
    CHECK_OK(ov_fit_check(parts, count, &bad, &input, &v));
    CHECK(!v.solid);
    bad.side = NAN;
    CHECK_OK(ov_fit_check(parts, count, &bad, &input, &v));
    CHECK(!v.solid);
    CHECK_STATUS(ov_fit_check(NULL, 0, &c, &input, &v), OV_ERROR_NULL);
    CHECK_STATUS(ov_fit_check(parts, count, NULL, &input, &v), OV_ERROR_NULL);
    CHECK_STATUS(ov_fit_check(parts, count, &c, NULL, &v), OV_ERROR_NULL);
    CHECK_STATUS(ov_fit_check(parts, count, &c, &input, NULL), OV_ERROR_NULL);
    parts[0].shape = (ov_shape){0};
    CHECK(ov_fit_check(parts, count, &c, &input, &v) < OV_OK);
    free(parts);
    free(pieces);
    free(cells);
    ov_fit_destroy(fit);
    mesh_free(&m);
}

/* ---- the other modes and kinds */

static void test_approximate(void) {
    mesh m = make_creature();
    ov_fit_input input = input_of(&m);
    ov_fit_parts_options options = {
        .mode = OV_FIT_MODE_APPROXIMATE, .parts = 3, .cells = cells(32)};
    ov_fit *fit = NULL;
    CHECK_OK(ov_fit_parts_create(&input, &options, &fit));
    if (fit != NULL) {
        ov_fit_report r = ov_fit_parts_report(fit);
        CHECK(r.parts <= 3);
        // better than the best single body, and than leaving the limbs out (0.86)
        CHECK(check_every() > 1 || r.iou > 0.88);
        CHECK_NEAR(r.iou, (1.0 - r.missing) / (1.0 + r.excess), 1e-12);
        CHECK(ov_fit_parts_certificate(fit).piece_count == 0);
    }
    ov_fit_destroy(fit);
    mesh_free(&m);
}

/** More parts come nearer, and the same seed gives the same bits. */
static void test_approximate_more(void) {
    mesh m = make_creature();
    ov_fit_input input = input_of(&m);
    ov_fit_parts_options options = {
        .mode = OV_FIT_MODE_APPROXIMATE, .parts = 6, .cells = cells(40)};
    ov_fit *fit[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        CHECK_OK(ov_fit_parts_create(&input, &options, &fit[i]));
    }
    if (fit[0] != NULL && fit[1] != NULL) {
        ov_fit_report r = ov_fit_parts_report(fit[0]);
        CHECK(r.parts <= 6 && r.parts == ov_fit_part_count(fit[1]));
        CHECK(r.iou > 0.95);
        for (size_t k = 0; k < r.parts && r.parts == ov_fit_part_count(fit[1]); k++) {
            const ov_fit_part *a = &ov_fit_parts(fit[0])[k], *b = &ov_fit_parts(fit[1])[k];
            CHECK(memcmp(&a->pose, &b->pose, sizeof a->pose) == 0);
            CHECK(memcmp(&a->shape.a, &b->shape.a, sizeof a->shape.a) == 0);
        }
    }
    ov_fit_destroy(fit[0]);
    ov_fit_destroy(fit[1]);
    mesh_free(&m);
}

static void test_inside(void) {
    mesh m = {0};
    ov_shape body;
    CHECK_OK(
        ov_shape_make_superovoid(ov_vec3_make(0.5, 0.4, 1.0), 0.8, 0.7, 0.4, 0.3, NULL, &body));
    mesh_add(&m, &body, pose_at(0.3, 0.2, 0.1), 600);
    ov_fit_input input = input_of(&m);
    ov_fit_parts_options options = {.mode = OV_FIT_MODE_INSIDE, .parts = 2, .cells = cells(32)};
    ov_fit *fit = NULL;
    CHECK_OK(ov_fit_parts_create(&input, &options, &fit));
    if (fit == NULL) {
        return;
    }
    ov_fit_report r = ov_fit_parts_report(fit);
    CHECK(r.inside_proven && r.parts > 0);
    CHECK(r.excess == 0.0);
    CHECK(r.missing < 0.25);
    bool inside = false;
    CHECK_OK(ov_fit_check_inside(ov_fit_parts(fit), r.parts, &input, &inside));
    CHECK(inside);
    ov_fit_part moved = ov_fit_parts(fit)[0];
    moved.pose.position.y += 1.0;
    CHECK_OK(ov_fit_check_inside(&moved, 1, &input, &inside));
    CHECK(!inside);
    moved.pose.position.y += 10.0;
    CHECK_OK(ov_fit_check_inside(&moved, 1, &input, &inside));
    CHECK(!inside);
    ov_fit_destroy(fit);
    mesh_free(&m);
}

static void test_kinds(void) {
    mesh m = make_creature();
    ov_fit_input input = input_of(&m);
    const ov_shape_kind kinds[3] = {OV_SHAPE_KIND_SPHERE, OV_SHAPE_KIND_ELLIPSOID,
                                    OV_SHAPE_KIND_SUPERELLIPSOID};
    for (int i = 0; i < 3; i += check_every()) {
        ov_fit_parts_options options = {
            .kind = kinds[i], .parts = check_every() == 1 ? 4 : 2, .cells = cells(24)};
        ov_fit *fit = NULL;
        CHECK_OK(ov_fit_parts_create(&input, &options, &fit));
        for (size_t k = 0; fit != NULL && k < ov_fit_part_count(fit); k++) {
            CHECK(ov_fit_parts(fit)[k].shape.kind <= kinds[i]);
        }
        CHECK(fit != NULL && ov_fit_parts_report(fit).solid_proven);
        ov_fit_destroy(fit);
    }
    mesh_free(&m);
}

/* ---- ends of a search, and bad input */

static bool refuse(void *user, const ov_fit_progress *progress) {
    int *calls = user;
    CHECK(progress->done >= 0.0 && progress->done <= 1.0);
    return --*calls > 0;
}

static void test_ends(void) {
    mesh m = make_creature();
    ov_fit_input input = input_of(&m);
    for (int calls = 1; calls < 5; calls += check_every()) {
        int left = calls;
        ov_fit_parts_options options = {
            .parts = 3, .cells = cells(24), .progress = refuse, .user = &left};
        ov_fit *fit = NULL;
        CHECK_STATUS(ov_fit_parts_create(&input, &options, &fit), OV_NOT_CONVERGED);
        CHECK(fit != NULL && ov_fit_parts_report(fit).solid_proven);
        ov_fit_destroy(fit);
    }
    for (double seconds = 1e-9; seconds < 0.2; seconds *= check_every() == 1 ? 100.0 : 1e9) {
        ov_fit_parts_options options = {.parts = 3, .cells = cells(24), .seconds = seconds};
        ov_fit *fit = NULL;
        ov_status status = ov_fit_parts_create(&input, &options, &fit);
        CHECK(status >= OV_OK && fit != NULL && ov_fit_parts_report(fit).solid_proven);
        ov_fit_destroy(fit);
    }
    // the other modes have parts as well, however short the time is
    for (int mode = OV_FIT_MODE_APPROXIMATE; mode < OV_FIT_MODE_COUNT; mode++) {
        ov_fit_parts_options options = {
            .mode = (ov_fit_mode)mode, .parts = 3, .cells = cells(24), .seconds = 1e-9};
        ov_fit *fit = NULL;
        CHECK_STATUS(ov_fit_parts_create(&input, &options, &fit), OV_NOT_CONVERGED);
        CHECK(fit != NULL && ov_fit_part_count(fit) > 0 && ov_fit_parts_report(fit).iou > 0.3);
        ov_fit_destroy(fit);
    }
    // an error instead of a number
    ov_fit_parts_options options = {.cells = cells(24), .error = 0.3};
    ov_fit *fit = NULL;
    CHECK_OK(ov_fit_parts_create(&input, &options, &fit));
    CHECK(fit != NULL && ov_fit_parts_report(fit).excess < 0.33);
    ov_fit_destroy(fit);
    mesh_free(&m);
}

/** Distance of a point to an input: to points close together on its triangles, or to its points. */
static double distance_to_input(const ov_fit_input *input, ov_vec3 p) {
    enum { STEPS = 32 };
    double least = INFINITY;
    for (size_t i = 0; i < input->point_count; i++) {
        least = fmin(least, ov_vec3_length(ov_vec3_sub(input->points[i], p)));
    }
    for (size_t t = 0; t < input->triangle_count; t++) {
        const uint32_t *c = input->triangles[t];
        for (int i = 0; i <= STEPS; i++) {
            for (int j = 0; j <= STEPS - i; j++) {
                double u = (double)i / STEPS, v = (double)j / STEPS;
                ov_vec3 at = ov_vec3_scale(input->points[c[0]], 1.0 - u - v);
                at = ov_vec3_add_scaled(at, input->points[c[1]], u);
                at = ov_vec3_add_scaled(at, input->points[c[2]], v);
                least = fmin(least, ov_vec3_length(ov_vec3_sub(at, p)));
            }
        }
    }
    return least;
}

/** How far parts stand out of an input, seen at their points with random normals. */
static double measured_protrusion(const ov_fit *fit, const ov_fit_input *input) {
    check_random r = check_random_make(76);
    double most = 0.0;
    for (size_t k = 0; k < ov_fit_part_count(fit); k++) {
        const ov_fit_part *part = &ov_fit_parts(fit)[k];
        for (int i = 0; i < 500; i++) {
            ov_support at;
            CHECK_OK(ov_shape_support(&part->shape, check_unit_vector(&r), &at));
            most = fmax(most, distance_to_input(input, ov_pose_apply(part->pose, at.point)));
        }
    }
    return most;
}

/** Fits a surface without an inside, or a cloud; all of it must be held. */
static void fit_surface(const ov_fit_input *input) {
    ov_fit_parts_options options = {.parts = check_every() == 1 ? 2 : 1, .cells = cells(24)};
    ov_fit *fit = NULL;
    CHECK_OK(ov_fit_parts_create(input, &options, &fit));
    if (fit == NULL) {
        return;
    }
    ov_fit_report r = ov_fit_parts_report(fit);
    CHECK(r.surface_proven && !r.solid_proven && r.parts >= 1);
    // to the cells of samples, which are up to two cells apart: in shares of the size
    double rough = 2.5 / options.cells, measured = measured_protrusion(fit, input) / r.size;
    CHECK_NEAR(r.protrusion, measured, rough);
    for (size_t i = 0; i < input->point_count; i++) {
        CHECK(is_held(ov_fit_parts(fit), r.parts, input->points[i]));
    }
    ov_fit_certificate c = ov_fit_parts_certificate(fit);
    ov_fit_verdict v;
    CHECK_OK(ov_fit_check(ov_fit_parts(fit), r.parts, &c, input, &v));
    CHECK(v.surface && !v.solid);
    ov_fit_destroy(fit);
}

static void test_surfaces(void) {
    ov_vec3 square[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    const uint32_t two[2][3] = {{0, 1, 2}, {0, 2, 3}};
    ov_fit_input flat = {square, 4, two, 2};
    fit_surface(&flat);
    ov_fit_input one = {square, 3, two, 1};
    if (check_every() == 1) {
        fit_surface(&one);
    }
    ov_vec3 line[5] = {{0, 0, 0}, {1, 2, 3}, {2, 4, 6}, {3, 6, 9}, {-1, -2, -3}};
    ov_fit_input collinear = {line, 5, NULL, 0};
    fit_surface(&collinear);
    check_random r = check_random_make(75);
    ov_vec3 cloud[200];
    for (int i = 0; i < 200; i++) {
        cloud[i] = ov_vec3_add(check_unit_vector(&r), ov_vec3_make(i % 2 == 0 ? 0.0 : 5.0, 0, 0));
    }
    ov_fit_input points = {cloud, 200, NULL, 0};
    if (check_every() == 1) {
        fit_surface(&points);
    }
    for (int i = 0; i < 200; i++) {
        cloud[i] = ov_vec3_scale(cloud[i], 1e-30);
    }
    fit_surface(&points);
}

static void test_bad(void) {
    ov_vec3 p[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const uint32_t t[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    ov_fit_input input = {p, 4, t, 4};
    ov_fit *fit = (ov_fit *)p;
    ov_fit_parts_options o = {.cells = cells(24)};
    CHECK_STATUS(ov_fit_parts_create(NULL, &o, &fit), OV_ERROR_NULL);
    CHECK(fit == NULL);
    CHECK_STATUS(ov_fit_parts_create(&input, &o, NULL), OV_ERROR_NULL);
    ov_fit_input empty = {p, 0, t, 4};
    CHECK_STATUS(ov_fit_parts_create(&empty, &o, &fit), OV_ERROR_COUNT);
    ov_fit_input few = {p, 3, t, 4};
    CHECK_STATUS(ov_fit_parts_create(&few, &o, &fit), OV_ERROR_INDEX);
    p[2].y = NAN;
    CHECK_STATUS(ov_fit_parts_create(&input, &o, &fit), OV_ERROR_NOT_FINITE);
    p[2].y = 1e300;
    CHECK_STATUS(ov_fit_parts_create(&input, &o, &fit), OV_ERROR_SIZE_RANGE);
    p[2].y = 1.0;
    ov_vec3 same[3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    ov_fit_input point = {same, 3, NULL, 0};
    CHECK_STATUS(ov_fit_parts_create(&point, &o, &fit), OV_ERROR_DEGENERATE);
    ov_fit_input open = {p, 4, t, 3};
    o.mode = OV_FIT_MODE_APPROXIMATE;
    CHECK_STATUS(ov_fit_parts_create(&open, &o, &fit), OV_ERROR_NOT_CLOSED);
    o.mode = OV_FIT_MODE_INSIDE;
    CHECK_STATUS(ov_fit_parts_create(&open, &o, &fit), OV_ERROR_NOT_CLOSED);
    o.mode = OV_FIT_MODE_COUNT;
    CHECK_STATUS(ov_fit_parts_create(&input, &o, &fit), OV_ERROR_OPTION);
    const ov_fit_parts_options bad[8] = {{.parts = OV_FIT_PARTS_MAX + 1},
                                         {.error = -1.0},
                                         {.error = NAN},
                                         {.cells = 3},
                                         {.exponent_min = 1.5, .exponent_max = 1.0},
                                         {.taper_max = 1.0},
                                         {.seconds = -1.0},
                                         {.exponent_max = 2.5}};
    for (int i = 0; i < 8; i++) {
        CHECK_STATUS(ov_fit_parts_create(&input, &bad[i], &fit), OV_ERROR_OPTION);
        CHECK(fit == NULL);
    }
    ov_fit_parts_options box = {.kind = OV_SHAPE_KIND_BOX};
    CHECK_STATUS(ov_fit_parts_create(&input, &box, &fit), OV_ERROR_UNSUPPORTED);
    bool inside;
    CHECK_STATUS(ov_fit_check_inside(NULL, 0, &input, &inside), OV_ERROR_NULL);
    ov_fit_destroy(NULL);
    CHECK(ov_fit_part_count(NULL) == 0 && ov_fit_parts(NULL) == NULL);
    CHECK(ov_fit_parts_report(NULL).parts == 0 && ov_fit_parts_certificate(NULL).piece_count == 0);
    // a tetrahedron, wherever it is and however large
    for (double size = 1e-40; size < 1e41; size *= check_every() == 1 ? 1e20 : 1e80) {
        for (int i = 0; i < 4; i++) {
            p[i] = ov_vec3_make(size * (i == 1), size * (i == 2), size * (i == 3));
        }
        ov_fit_parts_options one = {.parts = 1, .cells = cells(24)};
        CHECK_OK(ov_fit_parts_create(&input, &one, &fit));
        CHECK(fit != NULL && ov_fit_parts_report(fit).solid_proven);
        ov_fit_destroy(fit);
    }
}

int main(void) {
    check_suite = "fit_parts";
    RUN(test_field);
    RUN(test_thin_plates);
    RUN(test_large_triangles);
    RUN(test_rows);
    RUN(test_dents);
    RUN(test_gauge);
    RUN(test_gradient);
    RUN(test_rescale);
    RUN(test_rescale_to_a_point);
    RUN(test_enclose);
    if (check_every() == 1) { // sanitizers look for other things, and are slow
        RUN(test_tight);
        RUN(test_approximate_more);
    }
    RUN(test_lies);
    RUN(test_approximate);
    RUN(test_inside);
    RUN(test_kinds);
    RUN(test_ends);
    RUN(test_surfaces);
    RUN(test_bad);
    return check_finish();
}
