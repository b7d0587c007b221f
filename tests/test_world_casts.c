/**
 * @file test_world_casts.c
 * @brief The first body on a ray, and the first that a moving shape meets, against brute force.
 *
 * Rays against meshes have an oracle of their own, triangle by triangle in long double; casts
 * against meshes that of single triangles as shapes.
 */
#include "world_cases.h"

static wc_zoo zoo;
static wc_scene scene;

/* ---- rays */

/** Where a ray meets a triangle, or infinity; `edge` is how far from its edges, in weights. */
static long double ray_triangle(ov_vec3 o, ov_vec3 d, const ov_vec3 v[3], long double *edge) {
    long double e[3], f[3], s[3], p[3], q[3], dd[3] = {d.x, d.y, d.z};
    const double *o3 = &o.x, *a = &v[0].x, *b = &v[1].x, *c = &v[2].x;
    for (int i = 0; i < 3; i++) {
        e[i] = (long double)b[i] - a[i];
        f[i] = (long double)c[i] - a[i];
        s[i] = (long double)o3[i] - a[i];
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        p[i] = dd[j] * f[k] - dd[k] * f[j];
        q[i] = s[j] * e[k] - s[k] * e[j];
    }
    long double det = e[0] * p[0] + e[1] * p[1] + e[2] * p[2];
    long double u = (s[0] * p[0] + s[1] * p[1] + s[2] * p[2]) / det;
    long double w = (dd[0] * q[0] + dd[1] * q[1] + dd[2] * q[2]) / det;
    long double t = (f[0] * q[0] + f[1] * q[1] + f[2] * q[2]) / det;
    *edge = fminl(fminl(u, w), 1.0L - u - w);
    return *edge >= 0.0L && t >= 0.0L ? t : INFINITY;
}

typedef struct ray_best {
    double distance;
    bool unsure; /**< a graze somewhere: nothing can be said */
} ray_best;

static void ray_part(const wc_body *b, uint32_t i, ov_vec3 o, ov_vec3 unit, double reach,
                     ray_best *best) {
    const ov_part *part = wc_part(b, i);
    ov_pose pose = wc_part_pose(part, b->def.pose);
    if (part->mesh == NULL) {
        ov_ray_hit hit;
        ov_status status = ov_ray_cast(&part->shape, pose, o, unit, reach, &hit);
        CHECK(status >= OV_OK);
        best->unsure = best->unsure || status != OV_OK;
        best->distance = hit.hit ? fmin(best->distance, hit.distance) : best->distance;
        return;
    }
    for (size_t t = 0; t < ov_trimesh_triangle_count(part->mesh); t++) {
        ov_vec3 v[3];
        for (int k = 0; k < 3; k++) {
            v[k] = wc_corner(part->mesh, t, k, pose);
        }
        long double edge, at = ray_triangle(o, unit, v, &edge);
        double near = 64.0 * scene.rounding / scene.size;
        best->unsure = best->unsure || fabsl(edge) < near || fabsl(at - reach) < scene.rounding;
        best->distance = at <= reach ? fmin(best->distance, (double)at) : best->distance;
    }
}

static int hits, misses, unsure;

static void check_ray(ov_vec3 o, ov_vec3 d, double reach, uint32_t mask) {
    ov_vec3 unit = ov_vec3_normalize(d);
    ray_best best = {INFINITY, false};
    for (size_t i = 0; i < scene.count; i++) {
        for (uint32_t k = 0; k < wc_parts(&scene.bodies[i]); k++) {
            if (wc_sees(mask, &scene.bodies[i].def)) {
                ray_part(&scene.bodies[i], k, o, unit, reach, &best);
            }
        }
    }
    ov_world_ray_hit hit;
    ov_status status = ov_world_ray_cast(scene.world, o, d, reach, mask, &hit);
    CHECK(status >= OV_OK);
    CHECK(hit.ray.hit == (hit.body != 0));
    hits += hit.ray.hit;
    misses += !hit.ray.hit;
    if (best.unsure || status != OV_OK) {
        unsure++;
        return;
    }
    if (!CHECK(hit.ray.hit == isfinite(best.distance)) || !hit.ray.hit) {
        CHECK(hit.ray.hit || isinf(hit.ray.distance));
        return;
    }
    CHECK_NEAR(hit.ray.distance, best.distance, 4e-9 * scene.size + 4.0 * scene.rounding);
    const wc_body *b = wc_find(&scene, hit.body);
    if (CHECK(b != NULL && wc_sees(mask, &b->def)) && CHECK(hit.part < wc_parts(b))) {
        // that part alone is hit there as well
        ray_best own = {INFINITY, false};
        ray_part(b, hit.part, o, unit, reach, &own);
        CHECK_NEAR(own.distance, best.distance, 4e-9 * scene.size + 4.0 * scene.rounding);
        CHECK(wc_is_index(wc_part(b, hit.part), hit.triangle));
    }
    CHECK(ov_vec3_dot(hit.ray.normal, unit) <= 1e-12);
    CHECK_NEAR(hit.ray.point.x, o.x + unit.x * hit.ray.distance,
               1e-8 * scene.size + 4.0 * scene.rounding);
}

static void test_rays(void) {
    for (int n = 0; n < WC_PLACES; n++) {
        check_random r = check_random_make(111 + (uint64_t)n);
        wc_place_make(&scene, &zoo, &wc_places[n], &r);
        for (int i = 0; i < 400; i++) {
            ov_vec3 o = ov_vec3_add(scene.origin, wc_point(&r, 2.0 * scene.spread));
            ov_vec3 d = ov_vec3_sub(ov_vec3_add(scene.origin, wc_point(&r, scene.spread)), o);
            if (i % 8 == 0) { // along an axis: two slabs without a crossing
                d = ov_vec3_make(i % 3 == 0 ? scene.size : 0.0, i % 3 == 1 ? -1e-3 : 0.0,
                                 i % 3 == 2 ? 1.0 : 0.0);
            }
            double reach = i % 3 == 0 ? INFINITY : scene.spread * check_uniform(&r, 0.1, 3.0);
            check_ray(o, d, reach, i % 4 == 0 ? 6u : UINT32_MAX);
            if (i % 100 == 99) {
                wc_stir(&scene, &zoo, &r, i / 100);
            }
        }
        ov_world_ray_hit hit;
        ov_vec3 zero = {0, 0, 0}, x = {1, 0, 0}, bad = {NAN, 0, 0}, far = {2e100, 0, 0};
        CHECK_STATUS(ov_world_ray_cast(scene.world, zero, zero, 1.0, 1, &hit),
                     OV_ERROR_ZERO_DIRECTION);
        CHECK_STATUS(ov_world_ray_cast(scene.world, bad, x, 1.0, 1, &hit), OV_ERROR_NOT_FINITE);
        CHECK_STATUS(ov_world_ray_cast(scene.world, zero, bad, 1.0, 1, &hit), OV_ERROR_NOT_FINITE);
        CHECK_STATUS(ov_world_ray_cast(scene.world, far, x, 1.0, 1, &hit), OV_ERROR_SIZE_RANGE);
        CHECK(ov_world_ray_cast(scene.world, zero, x, NAN, 1, &hit) < OV_OK && hit.body == 0);
        CHECK(ov_world_ray_cast(scene.world, zero, x, -1.0, 1, &hit) < OV_OK && hit.body == 0);
        CHECK_STATUS(ov_world_ray_cast(NULL, zero, x, 1.0, 1, &hit), OV_ERROR_NULL);
        CHECK_STATUS(ov_world_ray_cast(scene.world, zero, x, 1.0, 1, NULL), OV_ERROR_NULL);
        wc_place_free(&scene, &zoo);
    }
    printf("world_casts: rays: %d hit, %d missed, %d of them not to be decided\n", hits, misses,
           unsure);
    CHECK(hits > 400 && misses > 100 && unsure < 100);
}

/* ---- casts */

/** A shape that is to be moved. */
typedef struct moving {
    ov_shape shape;
    ov_pose pose;
    uint32_t mask;
} moving;

typedef struct cast_best {
    double lower, upper; /**< of the first contact's fraction */
    bool unsure;
} cast_best;

static void take_cast(cast_best *best, ov_status status, const ov_cast_hit *hit) {
    CHECK(status >= OV_OK);
    if (hit->hit) {
        best->lower = fmin(best->lower, hit->fraction_lower);
        best->upper = fmin(best->upper, hit->fraction_upper);
    }
    best->unsure = best->unsure || status != OV_OK;
}

static void cast_part(const moving *q, ov_vec3 translation, const wc_body *b, uint32_t i,
                      cast_best *best) {
    const ov_part *part = wc_part(b, i);
    ov_pose pose = wc_part_pose(part, b->def.pose);
    ov_cast_hit hit;
    if (part->mesh == NULL) {
        take_cast(best,
                  ov_shape_cast(&q->shape, q->pose, translation, &part->shape, pose, NULL, &hit),
                  &hit);
        return;
    }
    for (size_t t = 0; t < ov_trimesh_triangle_count(part->mesh); t++) {
        const uint32_t *v = ov_trimesh_triangles(part->mesh)[t];
        const ov_vec3 *c = ov_trimesh_vertices(part->mesh);
        ov_shape triangle;
        CHECK_OK(ov_shape_make_triangle(c[v[0]], c[v[1]], c[v[2]], &triangle));
        take_cast(best, ov_shape_cast(&q->shape, q->pose, translation, &triangle, pose, NULL, &hit),
                  &hit);
    }
}

static int cast_hits, cast_misses, cast_unsure;

static void check_cast(const moving *q, ov_vec3 translation) {
    cast_best best = {INFINITY, INFINITY, false};
    for (size_t i = 0; i < scene.count; i++) {
        for (uint32_t k = 0; k < wc_parts(&scene.bodies[i]); k++) {
            if (wc_sees(q->mask, &scene.bodies[i].def)) {
                cast_part(q, translation, &scene.bodies[i], k, &best);
            }
        }
    }
    ov_world_cast_hit hit;
    ov_status status =
        ov_world_shape_cast(scene.world, &q->shape, q->pose, translation, q->mask, &hit);
    CHECK(status >= OV_OK);
    CHECK(hit.cast.hit == (hit.body != 0));
    cast_hits += hit.cast.hit;
    cast_misses += !hit.cast.hit;
    if (best.unsure || status != OV_OK) {
        cast_unsure++;
        return;
    }
    if (!CHECK(hit.cast.hit == isfinite(best.upper)) || !hit.cast.hit) {
        return;
    }
    double slack = (4e-9 * scene.size + 8.0 * scene.rounding) / ov_vec3_length(translation);
    CHECK(hit.cast.fraction_lower <= best.upper + slack);
    CHECK(hit.cast.fraction_upper >= best.lower - slack);
    CHECK(hit.cast.fraction_lower <= hit.cast.fraction &&
          hit.cast.fraction <= hit.cast.fraction_upper);
    const wc_body *b = wc_find(&scene, hit.body);
    if (CHECK(b != NULL && wc_sees(q->mask, &b->def)) && CHECK(hit.part < wc_parts(b))) {
        cast_best own = {INFINITY, INFINITY, false};
        cast_part(q, translation, b, hit.part, &own);
        CHECK(own.lower <= best.upper + slack);
        CHECK(wc_is_index(wc_part(b, hit.part), hit.triangle));
    }
}

static void test_casts(void) {
    for (int n = 0; n < WC_PLACES; n++) {
        check_random r = check_random_make(121 + (uint64_t)n);
        wc_place p = wc_places[n];
        p.spread *= 3.0;
        wc_place_make(&scene, &zoo, &p, &r);
        for (int i = 0; i < 60; i++) {
            moving q = {wc_shape(&zoo, &r, (wc_kind)(i % 13)), wc_random_pose(&scene, &r),
                        i % 4 == 0 ? 6u : UINT32_MAX};
            ov_vec3 translation = wc_point(&r, scene.spread);
            if (i % 6 == 0) {
                translation = ov_vec3_make(0.0, 0.0, i % 12 == 0 ? scene.spread : -scene.spread);
            }
            check_cast(&q, translation);
            if (i % 20 == 19) {
                wc_stir(&scene, &zoo, &r, i / 20);
            }
        }
        ov_shape ball, plane;
        ov_world_cast_hit hit;
        ov_pose pose = ov_pose_identity();
        CHECK_OK(ov_shape_make_sphere(scene.size, &ball));
        CHECK_OK(ov_shape_make_halfspace((ov_vec3){0, 0, 1}, 0.0, &plane));
        ov_vec3 x = {1, 0, 0}, bad = {NAN, 0, 0}, zero = {0, 0, 0};
        CHECK_STATUS(ov_world_shape_cast(scene.world, &ball, pose, bad, 1, &hit),
                     OV_ERROR_NOT_FINITE);
        CHECK_STATUS(ov_world_shape_cast(scene.world, &plane, pose, x, 1, &hit),
                     OV_ERROR_UNBOUNDED);
        CHECK_STATUS(ov_world_shape_cast(NULL, &ball, pose, x, 1, &hit), OV_ERROR_NULL);
        CHECK_STATUS(ov_world_shape_cast(scene.world, NULL, pose, x, 1, &hit), OV_ERROR_NULL);
        CHECK_STATUS(ov_world_shape_cast(scene.world, &ball, pose, x, 1, NULL), OV_ERROR_NULL);
        pose.position = scene.origin;
        ov_status status = ov_world_shape_cast(scene.world, &ball, pose, zero, 1, &hit);
        CHECK(status >= OV_OK || status == OV_ERROR_ZERO_DIRECTION);
        wc_place_free(&scene, &zoo);
    }
    printf("world_casts: casts: %d hit, %d missed, %d of them not to be decided\n", cast_hits,
           cast_misses, cast_unsure);
    CHECK(cast_hits > 40 && cast_misses > 10 && cast_unsure < 20);
}

int main(void) {
    check_suite = "world_casts";
    RUN(test_rays);
    RUN(test_casts);
    return check_finish();
}
