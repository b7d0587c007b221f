/**
 * @file test_touch_force.c
 * @brief Forces of touch: textures and potentials against finite differences and closed paths, the
 * proxy against projections and walls without thickness, friction against its angle, the tool
 * against the balance of its springs, the observer against an account of its own.
 */
#include <string.h>

#include <ovoid/touch_force.h>

#include <float.h>

#include "check.h"

/* ---- surfaces of the tests: distances known in closed form */

static ov_status sample_by(double (*distance)(ov_vec3), ov_vec3 p, ov_touch_distance *s) {
    const double h = 1e-6;
    s->distance = distance(p);
    s->distance_lower = s->distance - 1e-12;
    s->distance_upper = s->distance + 1e-12;
    s->normal = ov_vec3_normalize(ov_vec3_make(
        distance(ov_vec3_make(p.x + h, p.y, p.z)) - distance(ov_vec3_make(p.x - h, p.y, p.z)),
        distance(ov_vec3_make(p.x, p.y + h, p.z)) - distance(ov_vec3_make(p.x, p.y - h, p.z)),
        distance(ov_vec3_make(p.x, p.y, p.z + h)) - distance(ov_vec3_make(p.x, p.y, p.z - h))));
    s->nearest = ov_vec3_add_scaled(p, s->normal, -s->distance);
    return OV_OK;
}

/** A sheet without thickness: the plane z = 0. */
static double sheet_distance(ov_vec3 p) { return fabs(p.z); }
static ov_status sheet(const void *o, ov_vec3 p, double limit, ov_touch_distance *s) {
    (void)o;
    (void)limit;
    (void)sample_by(sheet_distance, p, s);
    s->normal = ov_vec3_make(0.0, 0.0, p.z < 0.0 ? -1.0 : 1.0);
    return OV_OK;
}

/** The floor z < 0. */
static double floor_distance(ov_vec3 p) { return p.z; }
static ov_status floor_sample(const void *o, ov_vec3 p, double limit, ov_touch_distance *s) {
    (void)o;
    (void)limit;
    return sample_by(floor_distance, p, s);
}

/** Floor and two walls that meet in a concave corner. */
static double corner_distance(ov_vec3 p) { return fmin(fmin(p.x, p.y), p.z); }
static ov_status corner(const void *o, ov_vec3 p, double limit, ov_touch_distance *s) {
    (void)o;
    (void)limit;
    (void)sample_by(corner_distance, p, s);
    s->normal =
        ov_vec3_make(p.x <= p.y && p.x <= p.z ? 1.0 : 0.0, p.y < p.x && p.y <= p.z ? 1.0 : 0.0,
                     p.z < p.x && p.z < p.y ? 1.0 : 0.0);
    return OV_OK;
}

/** A hollow ball without thickness, with spikes that point inwards (half lines towards the centre,
 *  from radius 1 to 0.3). */
static double segment_distance(ov_vec3 p, ov_vec3 u) {
    double t = fmin(fmax(ov_vec3_dot(p, u), 0.3), 1.0);
    return ov_vec3_length(ov_vec3_add_scaled(p, u, -t));
}
static double shell_distance(ov_vec3 p) {
    double d = fabs(ov_vec3_length(p) - 1.0);
    for (int k = 0; k < 6; k++) {
        double side = k % 2 == 0 ? 1.0 : -1.0;
        ov_vec3 u =
            ov_vec3_make(k / 2 == 0 ? side : 0.0, k / 2 == 1 ? side : 0.0, k / 2 == 2 ? side : 0.0);
        d = fmin(d, segment_distance(p, u));
    }
    return d;
}
static ov_status shell(const void *o, ov_vec3 p, double limit, ov_touch_distance *s) {
    (void)o;
    (void)limit;
    return sample_by(shell_distance, p, s);
}

static ov_vec3 random_in_box(check_random *r, double half) {
    double x = check_uniform(r, -half, half), y = check_uniform(r, -half, half);
    return ov_vec3_make(x, y, check_uniform(r, -half, half));
}

/* ---- texture */

static uint8_t pixels[7 * 5];

static ov_touch_texture bitmap_texture(void) {
    check_random r = check_random_make(3);
    for (size_t i = 0; i < sizeof pixels; i++) {
        pixels[i] = (uint8_t)(check_random_bits(&r) & 255u);
    }
    ov_touch_texture t = {.kind = OV_TOUCH_TEXTURE_BITMAP,
                          .height = 0.3,
                          .wavelength = 0.7,
                          .values = pixels,
                          .rows = 7,
                          .columns = 5};
    t.frame.rotation = ov_quat_from_axis_angle(ov_vec3_make(1.0, 2.0, 3.0), 0.7);
    t.frame.position = ov_vec3_make(0.1, -3.0, 2.0);
    return t;
}

static ov_touch_texture noise_texture(void) {
    return (ov_touch_texture){
        .kind = OV_TOUCH_TEXTURE_NOISE, .height = 0.3, .wavelength = 0.7, .seed = 11};
}

static void check_texture(ov_touch_texture t) {
    check_random r = check_random_make(5);
    double steep = ov_touch_texture_steepness(&t), steepest = 0.0, worst = 0.0, highest = 0.0;
    CHECK_OK(ov_touch_texture_check(&t));
    for (int i = 0; i < check_share(20000); i++) {
        ov_vec3 p = random_in_box(&r, 20.0), g, unused;
        double h = ov_touch_texture_height(&t, p, &g);
        const double e = 1e-6;
        ov_vec3 way = check_unit_vector(&r);
        double up = ov_touch_texture_height(&t, ov_vec3_add_scaled(p, way, e), &unused);
        double down = ov_touch_texture_height(&t, ov_vec3_add_scaled(p, way, -e), &unused);
        worst = fmax(worst, fabs((up - down) / (2.0 * e) - ov_vec3_dot(g, way)));
        steepest = fmax(steepest, ov_vec3_length(g));
        highest = fmax(highest, fabs(h));
    }
    CHECK(highest <= t.height);
    CHECK(highest > 0.3 * t.height);
    CHECK(steepest <= steep);
    CHECK(worst < 1e-8);
    check_worst("gradient of a texture", worst, 1e-8);
}

static void test_textures(void) {
    check_texture(noise_texture());
    check_texture(bitmap_texture());
    ov_vec3 g;
    ov_touch_texture t = noise_texture();
    CHECK(ov_touch_texture_height(&t, ov_vec3_make(1e300, 0.0, 0.0), &g) == 0.0);
    t.seed = 12;
    ov_touch_texture u = noise_texture();
    ov_vec3 p = ov_vec3_make(0.3, 0.2, 0.1);
    CHECK(ov_touch_texture_height(&t, p, &g) != ov_touch_texture_height(&u, p, &g));
}

static void test_bad_textures(void) {
    // a frame of any length is a rotation
    ov_touch_texture t = bitmap_texture(), u = t;
    u.frame.rotation = (ov_quat){1e100 * t.frame.rotation.w, 1e100 * t.frame.rotation.x,
                                 1e100 * t.frame.rotation.y, 1e100 * t.frame.rotation.z};
    ov_vec3 p = {0.3, -0.2, 0.1}, g, h;
    CHECK_OK(ov_touch_texture_check(&u));
    CHECK_NEAR(ov_touch_texture_height(&u, p, &g), ov_touch_texture_height(&t, p, &h), 1e-15);
    CHECK_NEAR(ov_vec3_length(ov_vec3_sub(g, h)), 0.0, 1e-12);
    t = noise_texture();
    t.wavelength = 0.0;
    CHECK_STATUS(ov_touch_texture_check(&t), OV_ERROR_OPTION);
    t.wavelength = (double)NAN;
    CHECK_STATUS(ov_touch_texture_check(&t), OV_ERROR_NOT_FINITE);
    t = bitmap_texture();
    t.values = NULL;
    CHECK_STATUS(ov_touch_texture_check(&t), OV_ERROR_NULL);
    t = bitmap_texture();
    t.rows = 0;
    CHECK_STATUS(ov_touch_texture_check(&t), OV_ERROR_COUNT);
    t = bitmap_texture();
    t.frame.rotation.w = (double)INFINITY;
    CHECK_STATUS(ov_touch_texture_check(&t), OV_ERROR_NOT_FINITE);
    t.kind = (ov_touch_texture_kind)99;
    CHECK_STATUS(ov_touch_texture_check(&t), OV_ERROR_OPTION);
}

/* ---- penalty forces have a potential */

static ov_touch_shape egg(void) {
    ov_touch_shape body = {.pose = ov_pose_identity()};
    CHECK_OK(ov_shape_make_superovoid(ov_vec3_make(1.0, 0.8, 1.3), 0.9, 0.8, 0.2, 0.1, NULL,
                                      &body.shape));
    body.pose.position = ov_vec3_make(0.1, 0.2, -0.1);
    return body;
}

/** Work of the force along a closed path: a circle that dips in and out of the body, by the
 * trapezium rule, which is exact to high order for smooth periodic functions. `published`: [SQMap]
 * (34). */
static double work_of_loop(const ov_touch_surface *s, const ov_touch_material *m, int steps,
                           const ov_touch_published_constants *published) {
    double work = 0.0;
    ov_vec3 u = ov_vec3_normalize(ov_vec3_make(1.0, 0.3, 0.2));
    ov_vec3 v = ov_vec3_normalize(ov_vec3_make(-0.3, 1.0, 0.4));
    for (int i = 0; i < steps; i++) {
        double a = 2.0 * M_PI * (double)i / (double)steps;
        ov_vec3 p = ov_vec3_add_scaled(ov_vec3_scale(u, 0.75 + 0.1 * cos(a)), v, 0.1 * sin(a));
        ov_vec3 way = ov_vec3_add_scaled(ov_vec3_scale(u, -0.1 * sin(a)), v, 0.1 * cos(a));
        way = ov_vec3_scale(way, 2.0 * M_PI / (double)steps);
        ov_touch_force f;
        CHECK_OK(ov_touch_penalty(s, m, p, ov_vec3_make(0.0, 0.0, 0.0), 0.0, &f));
        if (published != NULL && f.contact) {
            ov_vec3 n = ov_vec3_normalize(f.normal);
            f = ov_touch_published_force(published, f.depth, n, p, way);
        }
        work += ov_vec3_dot(f.force, way);
    }
    return work;
}

static void test_potential(void) {
    ov_touch_shape body = egg();
    ov_touch_surface s = ov_touch_shape_surface(&body);
    ov_touch_material m = {.stiffness = 1.0, .texture = noise_texture()};
    m.texture.height = 0.02;
    m.texture.wavelength = 0.05;
    double plain = work_of_loop(&s, &m, 4000, NULL);
    CHECK_NEAR(plain, 0.0, 2e-9);
    check_worst("work of a closed loop, textured", fabs(plain), 2e-9);
    ov_touch_material smooth = {.stiffness = 1.0};
    ov_touch_published_constants as_printed = {.stiffness = 1.0, .texture = 0.02};
    double printed = work_of_loop(&s, &smooth, 400, &as_printed);
    CHECK(fabs(printed) > 1e-6); // the published texture is no potential
}

static void test_parts_and_cap(void) {
    ov_touch_surface s = {floor_sample, NULL};
    ov_touch_material m = {.stiffness = 2000.0,
                           .viscosity = 3.0,
                           .static_friction = 0.5,
                           .dynamic_friction = 0.4,
                           .force_max = 5.0};
    ov_touch_force f;
    ov_vec3 at = ov_vec3_make(0.0, 0.0, -1e-3), v = ov_vec3_make(0.2, 0.0, 0.0);
    CHECK_OK(ov_touch_penalty(&s, &m, at, v, 1e-9, &f));
    CHECK_NEAR(f.normal.z, 2.0, 1e-9);
    CHECK_NEAR(f.tangential.x, -0.6 - 0.8, 1e-9);
    CHECK_NEAR(f.depth, 1e-3, 1e-12);
    CHECK(f.contact && !f.capped);
    at.z = -1.0;
    CHECK_OK(ov_touch_penalty(&s, &m, at, v, 1e-9, &f));
    CHECK_NEAR(ov_vec3_length(f.force), 5.0, 1e-12);
    CHECK(f.capped);
    // magnet and braking act above the surface only
    ov_touch_material pulls = {.magnet_force = 2.0, .magnet_range = 0.01};
    at.z = 0.005;
    CHECK_OK(ov_touch_penalty(&s, &pulls, at, v, 0.0, &f));
    CHECK_NEAR(f.force.z, -2.0, 1e-12);
    ov_touch_material brakes = {.braking = 10.0, .braking_range = 0.01};
    CHECK_OK(ov_touch_penalty(&s, &brakes, at, ov_vec3_make(0.0, 0.0, -0.1), 0.0, &f));
    CHECK_NEAR(f.force.z, 0.5, 1e-12);
    CHECK_OK(ov_touch_penalty(&s, &brakes, at, ov_vec3_make(0.0, 0.0, 0.1), 0.0, &f));
    CHECK_NEAR(f.force.z, 0.0, 1e-15);
}

/* ---- the proxy */

/** On a convex body the proxy is the projection of the device onto the body grown by the ball. */
static void test_projection(void) {
    ov_touch_shape body = egg();
    ov_touch_surface s = ov_touch_shape_surface(&body);
    ov_touch_material m = {.stiffness = 1.0};
    ov_touch_proxy_options o = {.radius = 0.02};
    check_random r = check_random_make(17);
    double worst = 0.0;
    for (int i = 0; i < check_share(200); i++) {
        ov_vec3 out = check_unit_vector(&r);
        ov_touch_proxy proxy = {0};
        ov_touch_force f;
        ov_vec3 at = ov_vec3_add_scaled(body.pose.position, out, 2.5);
        CHECK_OK(ov_touch_proxy_step(&s, &m, &o, at, 1e-3, &proxy, &f));
        CHECK(!f.contact);
        // inside, near enough to the surface for the nearest point to be unique
        ov_vec3 way = ov_vec3_normalize(ov_vec3_add_scaled(out, check_unit_vector(&r), 0.3));
        ov_contact c;
        CHECK_OK(ov_point_contact(&body.shape, body.pose, at, NULL, &c));
        ov_vec3 device = ov_vec3_add_scaled(c.point_a, c.normal, -0.05);
        (void)way;
        ov_status status = OV_NOT_CONVERGED;
        for (int k = 0; k < 20 && status != OV_OK; k++) {
            status = ov_touch_proxy_step(&s, &m, &o, device, 1e-3, &proxy, &f);
        }
        CHECK_OK(status);
        ov_contact deep;
        CHECK_OK(ov_point_contact(&body.shape, body.pose, device, NULL, &deep));
        ov_vec3 truth = ov_vec3_add_scaled(deep.point_a, deep.normal, o.radius);
        worst = fmax(worst, ov_vec3_length(ov_vec3_sub(proxy.position, truth)));
    }
    CHECK(worst < 1e-4 * o.radius);
    check_worst("proxy off the projection", worst, 1e-4 * o.radius);
}

/** In a concave corner the proxy rests where all three walls touch it. */
static void test_corner(void) {
    ov_touch_surface s = {corner, NULL};
    ov_touch_material m = {.stiffness = 1.0};
    ov_touch_proxy_options o = {.radius = 0.01};
    ov_touch_proxy proxy = {0};
    ov_touch_force f;
    CHECK_OK(ov_touch_proxy_step(&s, &m, &o, ov_vec3_make(0.3, 0.2, 0.1), 1e-3, &proxy, &f));
    ov_vec3 devices[] = {{0.05, 0.1, -0.02}, {-0.03, 0.1, -0.02}, {-0.03, -0.04, -0.02}};
    ov_vec3 places[] = {{0.05, 0.1, 0.01}, {0.01, 0.1, 0.01}, {0.01, 0.01, 0.01}};
    for (int i = 0; i < 3; i++) {
        CHECK_OK(ov_touch_proxy_step(&s, &m, &o, devices[i], 1e-3, &proxy, &f));
        CHECK_NEAR(ov_vec3_length(ov_vec3_sub(proxy.position, places[i])), 0.0, 1e-7);
    }
}

/** However violent the track, a sheet without thickness is not passed, nor is a spiky shell left.
 */
static void test_no_pop_through(void) {
    check_random r = check_random_make(23);
    ov_touch_surface wall = {sheet, NULL}, hollow = {shell, NULL};
    long passed = 0, left = 0;
    for (long track = 0; track < check_count(400); track++) {
        ov_touch_material m = {.static_friction = track % 3 == 0 ? 0.6 : 0.0,
                               .dynamic_friction = track % 3 == 0 ? 0.3 : 0.0};
        if (track % 4 == 1) {
            m.texture = noise_texture();
            m.texture.height = 1e-3;
            m.texture.wavelength = 0.01;
        } else if (track % 4 == 2) {
            m.texture = noise_texture(); // from above, valleys reach below what is the other side's
            m.texture.height = 0.05;
            m.texture.wavelength = 0.3;
        }
        ov_touch_proxy_options o = {.radius = check_log_uniform(&r, 5e-3, 5e-2)};
        ov_touch_proxy above = {0}, inside = {0};
        ov_touch_force f;
        CHECK(ov_touch_proxy_step(&wall, &m, &o, ov_vec3_make(0.0, 0.0, 0.2), 1e-3, &above, &f) >=
              0);
        CHECK(ov_touch_proxy_step(&hollow, &m, &o, ov_vec3_make(0.1, 0.1, 0.1), 1e-3, &inside,
                                  &f) >= 0);
        double reach = check_log_uniform(&r, 0.3, 30.0);
        for (int i = 0; i < 60; i++) {
            ov_vec3 device = random_in_box(&r, reach);
            CHECK(ov_touch_proxy_step(&wall, &m, &o, device, 1e-3, &above, &f) >= 0);
            passed += above.position.z <= 0.0;
            CHECK(ov_touch_proxy_step(&hollow, &m, &o, device, 1e-3, &inside, &f) >= 0);
            left += ov_vec3_length(inside.position) >= 1.0;
        }
    }
    CHECK(passed == 0);
    CHECK(left == 0);
}

/** A sheet at a pose. */
static ov_status moving_sheet(const void *o, ov_vec3 p, double limit, ov_touch_distance *s) {
    const ov_pose *pose = o;
    ov_status status = sheet(NULL, ov_pose_apply_inverse(*pose, p), limit, s);
    s->normal = ov_quat_rotate(pose->rotation, s->normal);
    return status;
}

/** A surface that moves takes the proxy along, however fast, and what sticks to it. */
static void test_moving_surface(void) {
    check_random r = check_random_make(29);
    ov_touch_material m = {.static_friction = 10.0, .dynamic_friction = 10.0};
    ov_touch_proxy_options o = {.radius = 0.01, .slip_time = 1e-9};
    ov_touch_force f;
    for (long track = 0; track < check_count(50); track++) {
        ov_pose pose = ov_pose_identity(), start = pose;
        ov_touch_surface s = {moving_sheet, &pose};
        ov_touch_proxy p = {0};
        CHECK_OK(ov_touch_proxy_step(&s, &m, &o, ov_vec3_make(0.1, 0.2, 0.02), 1e-3, &p, &f));
        CHECK_OK(ov_touch_proxy_step(&s, &m, &o, ov_vec3_make(0.1, 0.2, -0.01), 1e-3, &p, &f));
        ov_vec3 held = p.position;
        for (int i = 0; i < 20; i++) {
            ov_pose last = pose;
            pose.position = ov_vec3_add(pose.position, random_in_box(&r, 0.3));
            CHECK_OK(ov_quat_normalize(
                ov_quat_mul(ov_quat_from_axis_angle(random_in_box(&r, 1.0), 0.1), pose.rotation),
                &pose.rotation));
            CHECK_OK(ov_touch_proxy_carry(&p, last, pose));
            CHECK_NEAR(ov_vec3_length(ov_vec3_sub(
                           p.position, ov_pose_apply(pose, ov_pose_apply_inverse(start, held)))),
                       0.0, 1e-12);
            ov_vec3 device = random_in_box(&r, 1.0);
            CHECK(ov_touch_proxy_step(&s, &m, &o, device, 1e-3, &p, &f) >= 0);
            CHECK(ov_pose_apply_inverse(pose, p.position).z > 0.0);
            held = ov_pose_apply(start, ov_pose_apply_inverse(pose, p.position));
        }
    }
    ov_touch_proxy p = {.position = {1.0, 2.0, 3.0}, .placed = true};
    ov_pose bad = {{NAN, 0.0, 0.0}, ov_quat_identity()}, none = {0};
    CHECK_STATUS(ov_touch_proxy_carry(NULL, none, none), OV_ERROR_NULL);
    CHECK_STATUS(ov_touch_proxy_carry(&p, bad, none), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_touch_proxy_carry(&p, none, bad), OV_ERROR_NOT_FINITE);
    CHECK(p.position.x == 1.0);
    CHECK_OK(ov_touch_proxy_carry(&p, none, none));
    CHECK_NEAR(p.position.x, 1.0, 1e-15);
}

/** A floor that rises over a proxy pushes it out, and does not hold it for ever. */
static void test_rising_surface(void) {
    ov_pose pose = ov_pose_identity();
    ov_touch_shape body = {.pose = pose};
    CHECK_OK(ov_shape_make_box(ov_vec3_make(0.5, 0.5, 0.5), &body.shape));
    ov_touch_surface s = ov_touch_shape_surface(&body);
    ov_touch_proxy_options o = {.radius = 0.01, .slip_time = 1e-9};
    ov_touch_material m = {.stiffness = 100.0};
    ov_touch_proxy p = {0};
    ov_touch_force f;
    CHECK_OK(ov_touch_proxy_step(&s, &m, &o, ov_vec3_make(0.0, 0.0, 0.6), 1e-3, &p, &f));
    body.pose.position.z = 0.2; // the proxy is 0.1 below its top
    CHECK(ov_touch_proxy_step(&s, &m, &o, ov_vec3_make(0.0, 0.0, 0.6), 1e-3, &p, &f) >= 0);
    CHECK_NEAR(p.position.z, 0.71, 1e-6);
    CHECK_OK(ov_touch_proxy_step(&s, &m, &o, ov_vec3_make(0.0, 0.0, 0.8), 1e-3, &p, &f));
    CHECK(!f.contact);
}

/** A device that presses at an angle sticks below the angle of friction and slips above it. */
static void test_friction_angle(void) {
    ov_touch_surface s = {floor_sample, NULL};
    const double coefficients[] = {0.1, 0.5, 1.3};
    for (int i = 0; i < 3; i++) {
        double mu = coefficients[i];
        ov_touch_material m = {.static_friction = mu, .dynamic_friction = 0.8 * mu};
        for (int side = 0; side < 2; side++) {
            ov_touch_proxy_options o = {.radius = 1e-3};
            ov_touch_proxy p = {0};
            ov_touch_force f;
            double tangent = mu * (side == 0 ? 0.99 : 1.01);
            CHECK_OK(ov_touch_proxy_step(&s, &m, &o, ov_vec3_make(0.0, 0.0, 2e-3), 1e-3, &p, &f));
            // straight down first, so that it sticks
            CHECK_OK(ov_touch_proxy_step(&s, &m, &o, ov_vec3_make(0.0, 0.0, -1e-2), 1e-3, &p, &f));
            CHECK_OK(ov_touch_proxy_step(&s, &m, &o, ov_vec3_make(0.0, 0.0, -1e-2), 1e-3, &p, &f));
            CHECK(p.sticking);
            ov_vec3 device = ov_vec3_make(tangent * 1.1e-2, 0.0, -1e-2);
            CHECK_OK(ov_touch_proxy_step(&s, &m, &o, device, 1e-3, &p, &f));
            CHECK(p.sticking == (side == 0));
            CHECK((fabs(p.position.x) < 1e-12) == (side == 0));
            double ratio = ov_vec3_length(f.tangential) / ov_vec3_length(f.normal);
            CHECK_NEAR(ratio, side == 0 ? tangent : 0.8 * mu, 1e-6);
        }
    }
}

/** A ball of radius 1, with normals that are not quite the gradient, as those of a map are. */
static ov_status rough_ball(const void *o, ov_vec3 p, double limit, ov_touch_distance *s) {
    (void)o;
    (void)limit;
    ov_vec3 tilt, n = ov_vec3_normalize(p);
    ov_touch_texture t = noise_texture();
    t.height = 3e-4;
    t.wavelength = 0.03;
    (void)ov_touch_texture_height(&t, p, &tilt);
    s->distance = ov_vec3_length(p) - 1.0;
    s->distance_lower = s->distance - 1e-12;
    s->distance_upper = s->distance + 1e-12;
    s->normal = ov_vec3_normalize(ov_vec3_add(n, tilt));
    s->nearest = n;
    return OV_OK;
}

/** While a ball slides, the force stays on the cone of friction, whatever the normals are like. */
static void test_friction_lasts(void) {
    ov_touch_surface s = {rough_ball, NULL};
    ov_touch_material m = {.static_friction = 0.4, .dynamic_friction = 0.4};
    ov_touch_proxy_options o = {.radius = 0.01};
    ov_touch_proxy p = {0};
    ov_touch_force f;
    CHECK_OK(ov_touch_proxy_step(&s, &m, &o, ov_vec3_make(0.0, 0.0, 1.1), 1e-3, &p, &f));
    double low = 1.0, high = 0.0;
    for (int i = 0; i < 1500; i++) {
        double a = 1e-3 * (double)i;
        ov_vec3 device = ov_vec3_make(0.97 * sin(a), 0.0, 0.97 * cos(a));
        CHECK(ov_touch_proxy_step(&s, &m, &o, device, 1e-3, &p, &f) >= 0);
        if (i > 100) { // it has begun to slide
            double ratio = ov_vec3_length(f.tangential) / ov_vec3_length(f.normal);
            low = fmin(low, ratio);
            high = fmax(high, ratio);
        }
    }
    CHECK(low > 0.35 && high < 0.42); // the normals are off by up to 0.06
    printf("%s: tangential over normal force while sliding: %.3f to %.3f (0.4)\n", check_suite, low,
           high);
}

/** Force along a slide over a sharp edge, and into a concave one: no jumps. */
static void test_smooth_slide(void) {
    ov_touch_shape box = {.pose = ov_pose_identity()};
    CHECK_OK(ov_shape_make_box(ov_vec3_make(0.5, 0.5, 0.5), &box.shape));
    ov_touch_surface s = ov_touch_shape_surface(&box);
    ov_touch_material m = {.stiffness = 1.0};
    const double size = sqrt(3.0), step = 1e-4 * size;
    ov_touch_proxy_options o = {.radius = 5e-3 * size};
    ov_touch_proxy p = {0};
    ov_touch_force f, last = {0};
    double largest = 0.0;
    // around an edge of the box, a hundredth of its size below the surface
    double deep = 0.01 * size;
    CHECK_OK(ov_touch_proxy_step(&s, &m, &o, ov_vec3_make(0.3, 0.0, 0.6), 1e-3, &p, &f));
    for (double t = 0.3; t < 0.7; t += step) {
        double turn = 0.5 - deep;
        ov_vec3 device =
            t < turn ? ov_vec3_make(t, 0.0, turn) : ov_vec3_make(turn, 0.0, turn - (t - turn));
        CHECK(ov_touch_proxy_step(&s, &m, &o, device, 1e-3, &p, &f) >= 0);
        if (last.contact) {
            double jump = ov_vec3_length(ov_vec3_sub(f.force, last.force));
            largest = fmax(largest, jump / ov_vec3_length(f.force));
        }
        last = f;
    }
    CHECK(largest < 0.05);
    check_worst("jump of the force per 1e-4 of the size over an edge", largest, 0.05);
}

/** Largest change of the force in a step of 1e-4 of the size, as a device passes below a ridge and
 *  leaves by the other side; then the device rests. In units of the force, or of stiffness times
 *  the ball's radius where that is more. */
static double slip_over_ridge(double slip_time) {
    ov_touch_shape box = {.pose = ov_pose_identity()};
    CHECK_OK(ov_shape_make_box(ov_vec3_make(0.5, 0.5, 0.5), &box.shape));
    ov_touch_surface s = ov_touch_shape_surface(&box);
    ov_touch_material m = {.stiffness = 1.0};
    const double size = sqrt(3.0);
    ov_touch_proxy_options o = {.radius = 5e-3 * size, .slip_time = slip_time};
    ov_touch_proxy p = {0};
    ov_touch_force f, last = {0};
    double largest = 0.0;
    ov_vec3 device = ov_vec3_make(0.45, 0.0, 0.52);
    for (int i = 0; i < 1500; i++) {
        CHECK(ov_touch_proxy_step(&s, &m, &o, device, 1e-3, &p, &f) >= 0);
        double length = fmax(ov_vec3_length(f.force), ov_vec3_length(last.force));
        double jump = ov_vec3_length(ov_vec3_sub(f.force, last.force));
        largest = fmax(largest, jump / fmax(length, m.stiffness * o.radius));
        CHECK(fabs(p.position.x) > 0.5 || fabs(p.position.z) > 0.5);
        last = f;
        if (device.z > 0.47) {
            device.z -= 1e-4 * size;
        } else if (device.x < 0.51) {
            device.x += 1e-4 * size;
        }
    }
    CHECK_NEAR(ov_vec3_length(ov_vec3_sub(p.position, device)), 0.0, 1e-6);
    return largest;
}

static void test_slip(void) {
    double jump = slip_over_ridge(0.0);
    CHECK(jump < 0.05);
    check_worst("jump of the force per 1e-4 of the size as it slips", jump, 0.05);
    CHECK(slip_over_ridge(1e-6) > 0.5); // which is what there is to be smoothed
}

/* ---- the tool */

static void test_tool_balance(void) {
    ov_touch_surface s = {floor_sample, NULL};
    ov_touch_material m = {.stiffness = 2000.0};
    ov_touch_coupling c = {.stiffness = 500.0, .torsion_stiffness = 0.5, .iterations = 400};
    const ov_vec3 feet[] = {{0.03, 0.02, 0.0}, {-0.03, 0.02, 0.0}, {0.0, -0.04, 0.0}};
    ov_touch_tool tool = {.points = feet, .count = 3};
    ov_touch_tool_state state = {0};
    ov_touch_force f;
    ov_pose device = ov_pose_identity();
    device.position.z = 0.01;
    CHECK_OK(ov_touch_tool_step(&s, &m, &tool, &c, device, 1e-3, &state, &f));
    CHECK(!f.contact);
    CHECK_NEAR(ov_vec3_length(f.force), 0.0, 1e-15);
    device.position.z = -0.01;
    CHECK_OK(ov_touch_tool_step(&s, &m, &tool, &c, device, 1e-3, &state, &f));
    // springs in series: 500 and 2000 N/m over 10 mm
    CHECK_NEAR(f.force.z, 0.01 * 500.0 * 2000.0 / 2500.0, 1e-9);
    CHECK_NEAR(ov_vec3_length(f.torque), 0.0, 1e-9);
    // a tilted device is turned back, about the axis of the tilt
    device.rotation = ov_quat_from_axis_angle(ov_vec3_make(1.0, 0.0, 0.0), 0.2);
    CHECK_OK(ov_touch_tool_step(&s, &m, &tool, &c, device, 1e-3, &state, &f));
    CHECK(f.torque.x < 0.0);
    // balance: the wrench of the coupling is minus that of the contacts, at the tool's pose
    ov_vec3 force = {0}, torque = {0};
    double deepest = 0.0;
    for (int i = 0; i < 3; i++) {
        ov_vec3 arm = ov_quat_rotate(state.pose.rotation, feet[i]);
        double depth = fmax(-state.pose.position.z - arm.z, 0.0);
        ov_vec3 push = ov_vec3_make(0.0, 0.0, depth);
        force = ov_vec3_add(force, push);
        torque = ov_vec3_add(torque, ov_vec3_cross(arm, push));
        deepest = fmax(deepest, depth);
    }
    CHECK(deepest > 0.0);
    CHECK_NEAR(f.force.z, 2000.0 * deepest, 1e-8);
    CHECK_NEAR(torque.x * 2000.0 * deepest / force.z, f.torque.x, 1e-8);
}

/** Points come into contact one by one: no force and no torque jumps, as a mean over the points in
 *  contact does. */
static void test_tool_gathers(void) {
    enum { COUNT = 40, STEPS = 4000 };
    ov_touch_surface s = {floor_sample, NULL};
    ov_touch_material m = {.stiffness = 2000.0};
    ov_touch_coupling c = {.stiffness = 5000.0, .torsion_stiffness = 50.0};
    ov_vec3 feet[COUNT];
    for (int i = 0; i < COUNT; i++) {
        feet[i] = ov_vec3_make(0.02 * cos(i), 0.02 * sin(i), 1e-4 * i);
    }
    ov_touch_tool tool = {.points = feet, .count = COUNT};
    ov_touch_tool_state state = {0};
    ov_touch_force f, last = {0};
    double jump = 0.0, turn = 0.0;
    for (int i = 0; i < STEPS; i++) {
        ov_pose device = ov_pose_identity();
        device.position.z = 1e-3 - 1e-2 * i / STEPS;
        CHECK(ov_touch_tool_step(&s, &m, &tool, &c, device, 1e-3, &state, &f) >= 0);
        jump = fmax(jump, ov_vec3_length(ov_vec3_sub(f.force, last.force)));
        turn = fmax(turn, ov_vec3_length(ov_vec3_sub(f.torque, last.torque)));
        last = f;
    }
    CHECK(f.contact && f.depth > 5e-3);
    // a step is 2.5 um; the springs in series have less than 5,000 N/m
    check_worst("jump of a tool's force, N", jump, 5000.0 * 1e-2 / STEPS);
    check_worst("jump of its torque, N m", turn, 0.02 * 5000.0 * 1e-2 / STEPS);
}

/* ---- passivity */

/** A track that the device's speed allows: a random walk of the velocity against a wall. */
static void test_passivity(void) {
    check_random r = check_random_make(31);
    ov_touch_surface s = {floor_sample, NULL};
    double worst = -1.0, worst_without = -1.0;
    long shortened = 0, steps = 0;
    for (long track = 0; track < check_count(100); track++) {
        double rate = track % 2 == 0 ? 1e3 : 1e4;
        ov_touch_observer_options o = {.period = 1.0 / rate,
                                       .damping = track % 3 == 0 ? 0.0 : 0.05,
                                       .torsion_damping = 1e-4,
                                       .speed_max = 0.5};
        ov_touch_material m = {.stiffness = check_log_uniform(&r, 100.0, 1e5),
                               .static_friction = 0.5,
                               .dynamic_friction = 0.4,
                               .viscosity = track % 4 == 0 ? 5.0 : 0.0};
        const ov_vec3 feet[] = {{0.03, 0.02, 0.0}, {-0.03, 0.02, 0.0}, {0.0, -0.04, 0.0}};
        ov_touch_tool tool = {.points = feet, .count = 3, .radius = 1e-3};
        ov_touch_coupling c = {.stiffness = m.stiffness, .damping = 1.0};
        ov_touch_proxy proxy = {0};
        ov_touch_tool_state state = {0};
        ov_touch_observer observer = {0};
        ov_pose device = ov_pose_identity();
        device.position.z = 3e-3;
        ov_vec3 velocity = {0};
        ov_touch_force held = {0}, raw_held = {0};
        double out = 0.0, raw = 0.0;
        for (int i = 0; i < 2000; i++) {
            ov_vec3 kick = ov_vec3_scale(random_in_box(&r, 1.0), 0.05);
            velocity = ov_vec3_add_scaled(ov_vec3_add(velocity, kick), device.position,
                                          -2.0 / rate * 100.0);
            double speed = ov_vec3_length(velocity);
            velocity = speed > 0.5 ? ov_vec3_scale(velocity, 0.49 / speed) : velocity;
            ov_vec3 way = ov_vec3_scale(velocity, o.period);
            ov_vec3 turn = ov_vec3_scale(random_in_box(&r, 1.0), 3.0 * o.period);
            device.position = ov_vec3_add(device.position, way);
            ov_quat spin = ov_quat_from_axis_angle(turn, ov_vec3_length(turn));
            device.rotation = ov_quat_mul(spin, device.rotation);
            // an account of its own: what the held force gave, less what the device's damping took
            double lost = o.damping * ov_vec3_dot(way, way) * rate +
                          o.torsion_damping * ov_vec3_dot(turn, turn) * rate;
            out += ov_vec3_dot(held.force, way) + ov_vec3_dot(held.torque, turn) - lost;
            raw += ov_vec3_dot(raw_held.force, way) + ov_vec3_dot(raw_held.torque, turn) - lost;
            worst = fmax(worst, out);
            worst_without = fmax(worst_without, raw);
            ov_touch_force f;
            ov_status status =
                track % 5 < 3
                    ? ov_touch_proxy_step(&s, &m, NULL, device.position, o.period, &proxy, &f)
                    : ov_touch_tool_step(&s, &m, &tool, &c, device, o.period, &state, &f);
            CHECK(status >= 0);
            raw_held = f;
            CHECK_OK(ov_touch_observer_step(&o, device, &observer, &f));
            held = f;
            steps++;
        }
        CHECK(observer.overspeed == 0);
        CHECK(observer.energy >= 0.0);
        shortened += (long)observer.shortened;
    }
    CHECK(worst <= 1.001e-9); // the tank begins with 1e-9 J
    // without the observer some of these walls do give out energy; of a few none may
    CHECK(check_every() > 1 || worst_without > 1e-6);
    CHECK(shortened < steps); // and most of what is felt is left alone
    check_worst("energy given out beyond what was put in, J", worst, 1e-9);
    printf("%s: without the observer %.3g J; %.1f %% of the forces shortened\n", check_suite,
           worst_without, 100.0 * (double)shortened / (double)steps);
}

/* ---- bad input */

static ov_status broken(const void *o, ov_vec3 p, double limit, ov_touch_distance *s) {
    (void)o;
    (void)p;
    (void)limit;
    memset(s, 0, sizeof *s);
    s->distance = (double)NAN;
    return OV_OK;
}

/** Options of a proxy that are none leave it as it is; the smallest and largest times are times. */
static void test_bad_slip_times(void) {
    ov_touch_surface s = {floor_sample, NULL};
    ov_touch_material m = {0};
    ov_touch_proxy p = {0};
    ov_touch_force f;
    ov_vec3 above = {0.0, 0.0, 1.0}, below = {0.3, 0.1, -0.5};
    ov_touch_proxy_options o = {.slip_time = (double)NAN};
    CHECK_STATUS(ov_touch_proxy_step(&s, &m, &o, above, 1e-3, &p, &f), OV_ERROR_NOT_FINITE);
    o.slip_time = (double)INFINITY;
    CHECK_STATUS(ov_touch_proxy_step(&s, &m, &o, above, 1e-3, &p, &f), OV_ERROR_NOT_FINITE);
    o.slip_time = -1.0;
    CHECK_STATUS(ov_touch_proxy_step(&s, &m, &o, above, 1e-3, &p, &f), OV_ERROR_OPTION);
    CHECK(!p.placed);
    const double times[] = {DBL_TRUE_MIN, DBL_MAX};
    for (int i = 0; i < 2; i++) {
        o.slip_time = times[i];
        p = (ov_touch_proxy){0};
        CHECK(ov_touch_proxy_step(&s, &m, &o, above, 1e-3, &p, &f) >= 0);
        for (int k = 0; k < 3; k++) {
            CHECK(ov_touch_proxy_step(&s, &m, &o, below, 1e-3, &p, &f) >= 0);
            CHECK(ov_vec3_is_finite(f.force) && ov_vec3_is_finite(p.position));
        }
    }
}

static void test_bad_input(void) {
    ov_touch_surface s = {floor_sample, NULL}, bad = {broken, NULL}, none = {NULL, NULL};
    ov_touch_material m = {0};
    ov_touch_proxy p = {0};
    ov_touch_force f;
    ov_vec3 at = {0.0, 0.0, 1.0}, nan_at = {(double)NAN, 0.0, 0.0};
    CHECK_STATUS(ov_touch_proxy_step(NULL, &m, NULL, at, 1e-3, &p, &f), OV_ERROR_NULL);
    CHECK_STATUS(ov_touch_proxy_step(&none, &m, NULL, at, 1e-3, &p, &f), OV_ERROR_NULL);
    CHECK_STATUS(ov_touch_proxy_step(&s, NULL, NULL, at, 1e-3, &p, &f), OV_ERROR_NULL);
    CHECK_STATUS(ov_touch_proxy_step(&s, &m, NULL, nan_at, 1e-3, &p, &f), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_touch_proxy_step(&s, &m, NULL, at, 0.0, &p, &f), OV_ERROR_TIME);
    CHECK_STATUS(ov_touch_proxy_step(&bad, &m, NULL, at, 1e-3, &p, &f), OV_ERROR_NOT_FINITE);
    CHECK(!p.placed);
    m.dynamic_friction = 0.5;
    CHECK_STATUS(ov_touch_proxy_step(&s, &m, NULL, at, 1e-3, &p, &f), OV_ERROR_OPTION);
    m = (ov_touch_material){.stiffness = -1.0};
    CHECK_STATUS(ov_touch_penalty(&s, &m, at, at, 0.0, &f), OV_ERROR_OPTION);
    m = (ov_touch_material){.magnet_force = 1.0};
    CHECK_STATUS(ov_touch_penalty(&s, &m, at, at, 0.0, &f), OV_ERROR_OPTION);
    m = (ov_touch_material){.force_max = (double)INFINITY};
    CHECK_STATUS(ov_touch_penalty(&s, &m, at, at, 0.0, &f), OV_ERROR_NOT_FINITE);
    m = (ov_touch_material){0};
    CHECK_STATUS(ov_touch_penalty(&s, &m, nan_at, at, 0.0, &f), OV_ERROR_NOT_FINITE);
    ov_touch_tool tool = {.points = &at};
    ov_touch_tool_state state = {0};
    ov_pose pose = ov_pose_identity();
    CHECK_STATUS(ov_touch_tool_step(&s, &m, &tool, NULL, pose, 1e-3, &state, &f), OV_ERROR_COUNT);
    tool.count = 1;
    pose.rotation.w = 0.0;
    CHECK_STATUS(ov_touch_tool_step(&s, &m, &tool, NULL, pose, 1e-3, &state, &f),
                 OV_ERROR_ZERO_DIRECTION);
    ov_touch_observer o = {0};
    ov_touch_observer_options oo = {0};
    CHECK_STATUS(ov_touch_observer_step(&oo, ov_pose_identity(), &o, &f), OV_ERROR_OPTION);
    oo.period = 1e-3;
    f = (ov_touch_force){.force = {(double)NAN, 0.0, 0.0}};
    CHECK_STATUS(ov_touch_observer_step(&oo, ov_pose_identity(), &o, &f), OV_ERROR_NOT_FINITE);
}

/** Forces and energies that are no numbers are an error, and nothing changes. */
static void test_too_much(void) {
    ov_touch_surface s = {floor_sample, NULL};
    ov_touch_material m = {.stiffness = 1e308};
    ov_vec3 deep = {0.0, 0.0, -50.0};
    ov_pose far = {{1e200, 0.0, 0.0}, ov_quat_identity()};
    ov_touch_force f = {0};
    CHECK_STATUS(ov_touch_penalty(&s, &m, deep, ov_vec3_make(0.0, 0.0, 0.0), 0.0, &f),
                 OV_ERROR_NOT_FINITE);
    ov_touch_proxy p = {.position = {0.0, 0.0, 1e-3}, .placed = true}, same = p;
    CHECK_STATUS(ov_touch_proxy_step(&s, &m, NULL, deep, 1e-3, &p, &f), OV_ERROR_NOT_FINITE);
    CHECK(memcmp(&p, &same, sizeof p) == 0);
    ov_touch_tool tool = {.points = &deep, .count = 1};
    ov_touch_coupling c = {.stiffness = 1e308};
    ov_touch_tool_state state = {0};
    m.stiffness = 1.0;
    CHECK_STATUS(ov_touch_tool_step(&s, &m, &tool, &c, ov_pose_identity(), 1e-3, &state, &f),
                 OV_ERROR_NOT_FINITE);
    CHECK(!state.placed);
    ov_touch_observer o = {0};
    const ov_touch_observer_options limits = {.period = 1e-3, .damping = 1.0};
    f = (ov_touch_force){0};
    CHECK_OK(ov_touch_observer_step(&limits, ov_pose_identity(), &o, &f));
    CHECK_STATUS(ov_touch_observer_step(&limits, far, &o, &f), OV_ERROR_NOT_FINITE);
    CHECK(isfinite(o.energy) && o.device.position.x == 0.0);
}

int main(void) {
    check_suite = "touch force";
    RUN(test_textures);
    RUN(test_bad_textures);
    RUN(test_potential);
    RUN(test_parts_and_cap);
    RUN(test_projection);
    RUN(test_corner);
    RUN(test_no_pop_through);
    RUN(test_moving_surface);
    RUN(test_rising_surface);
    RUN(test_friction_angle);
    RUN(test_friction_lasts);
    RUN(test_smooth_slide);
    RUN(test_slip);
    RUN(test_tool_balance);
    RUN(test_tool_gathers);
    RUN(test_passivity);
    RUN(test_bad_slip_times);
    RUN(test_too_much);
    RUN(test_bad_input);
    return check_finish();
}
