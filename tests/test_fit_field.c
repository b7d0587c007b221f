/**
 * @file test_fit_field.c
 * @brief What fits minimize: values against the library's own gauges and the exact distances of
 * ov_point_contact, derivatives against differences.
 */
#include <ovoid/fit.h>
#include <ovoid/query.h>

#include "check.h"
#include "fit/fit_shape_internal.h"

static const ov_shape_kind kinds[] = {
    OV_SHAPE_KIND_SPHERE,     OV_SHAPE_KIND_ELLIPSOID, OV_SHAPE_KIND_SUPERELLIPSOID,
    OV_SHAPE_KIND_SUPEROVOID, OV_SHAPE_KIND_BOX,       OV_SHAPE_KIND_CAPSULE,
    OV_SHAPE_KIND_CYLINDER,   OV_SHAPE_KIND_BENT,
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static bool is_tapered(ov_shape_kind k) {
    return k == OV_SHAPE_KIND_SUPEROVOID || k == OV_SHAPE_KIND_BENT;
}
static bool is_super(ov_shape_kind k) { return k == OV_SHAPE_KIND_SUPERELLIPSOID || is_tapered(k); }

static ovi_fit_body some_body(check_random *r, ov_shape_kind kind) {
    ovi_fit_body b = {.kind = kind, .taper_max = 0.9, .taper_share = 1.0};
    b.centre = ov_vec3_scale(check_unit_vector(r), 0.3);
    b.rotation = check_rotation(r);
    for (int i = 0; i < 3; i++) {
        b.v[i] = log(check_log_uniform(r, 0.2, 1.0));
    }
    if (kind == OV_SHAPE_KIND_SPHERE) {
        b.v[1] = b.v[2] = b.v[0];
    }
    if (kind == OV_SHAPE_KIND_CAPSULE || kind == OV_SHAPE_KIND_CYLINDER) {
        b.v[1] = b.v[0];
    }
    b.v[3] = is_super(kind) ? check_uniform(r, 0.15, 1.9) : 1.0;
    b.v[4] = is_super(kind) ? check_uniform(r, 0.15, 1.9) : 1.0;
    for (int i = 5; i < 7 && is_tapered(kind); i++) {
        b.v[i] = check_uniform(r, -1.0, 1.0);
    }
    for (int i = 7; i < 9 && kind == OV_SHAPE_KIND_BENT; i++) {
        b.v[i] = check_uniform(r, -0.6, 0.6);
    }
    return b;
}

static ov_vec3 some_point(check_random *r) {
    return ov_vec3_scale(check_unit_vector(r), check_uniform(r, 0.2, 1.5));
}

static ov_vec3 local_of(const ovi_fit_ready *b, ov_vec3 p) {
    return ov_mat3_tmul_vec3(&b->turn, ov_vec3_sub(p, b->centre));
}

/** The body with one unknown changed. */
static ovi_fit_body changed(const ovi_fit_body *b, int unknown, double step) {
    ovi_fit_body c = *b;
    double d[OVI_FIT_UNKNOWNS] = {0};
    d[unknown] = step;
    c.centre = ov_vec3_add(b->centre, ov_vec3_make(d[0], d[1], d[2]));
    ov_vec3 turn = {d[3], d[4], d[5]};
    c.rotation = ov_quat_mul(b->rotation, ov_quat_from_axis_angle(turn, ov_vec3_length(turn)));
    for (int i = 0; i < OVI_FIT_NUMBERS; i++) {
        c.v[i] += d[6 + i];
    }
    return c;
}

static double value_of(const ovi_fit_body *b, ovi_fit_measure what, ov_vec3 p, int k) {
    ovi_fit_ready ready = ovi_fit_make_ready(b);
    ovi_fit_value v[3];
    (void)ovi_fit_measure_at(&ready, what, local_of(&ready, p), v);
    return v[k].value;
}

/** A difference of order four, and how far it is from one with twice the step. */
static double difference(const ovi_fit_body *b, ovi_fit_measure what, ov_vec3 p, int k, int unknown,
                         double *spread) {
    double d[2];
    for (int i = 0; i < 2; i++) {
        double h = 1e-4 * (i + 1), f[4];
        const double at[4] = {-2.0, -1.0, 1.0, 2.0};
        for (int j = 0; j < 4; j++) {
            ovi_fit_body c = changed(b, unknown, at[j] * h);
            f[j] = value_of(&c, what, p, k);
        }
        d[i] = (f[0] - 8.0 * f[1] + 8.0 * f[2] - f[3]) / (12.0 * h);
    }
    *spread = fabs(d[1] - d[0]);
    return d[0];
}

/** Beside an edge, where a distance to first order changes faster than the point moves and its
 *  derivatives are simplified. */
static bool is_steep(const ovi_fit_body *b, ov_vec3 p) {
    double square = 0.0, spread;
    for (int n = 0; n < 3; n++) {
        double d = difference(b, OVI_FIT_MEASURE_DISTANCE, p, 0, n, &spread);
        square += d * d;
    }
    // a bend shortens lengths along z, at most to a third here
    return square > (b->kind == OV_SHAPE_KIND_BENT ? 1.7 : 15.9);
}

static void derivatives(void) {
    check_random r = check_random_make(21);
    long compared = 0, rough = 0, steep = 0;
    double worst = 0.0;
    for (long i = 0; i < check_count(6000); i++) {
        ov_shape_kind kind = kinds[i % KINDS];
        ovi_fit_measure what = (ovi_fit_measure)((i / KINDS) % 3);
        bool simple = kind == OV_SHAPE_KIND_BOX || kind == OV_SHAPE_KIND_CAPSULE ||
                      kind == OV_SHAPE_KIND_CYLINDER;
        if ((what == OVI_FIT_MEASURE_PUBLISHED && simple) ||
            (what == OVI_FIT_MEASURE_SCALE && kind == OV_SHAPE_KIND_BENT)) {
            continue;
        }
        ovi_fit_body b = some_body(&r, kind);
        ovi_fit_ready ready = ovi_fit_make_ready(&b);
        ov_vec3 p = some_point(&r), local = local_of(&ready, p);
        ovi_fit_value v[3];
        int count = ovi_fit_measure_at(&ready, what, local, v);
        for (int k = 0; k < count; k++) {
            double row[OVI_FIT_UNKNOWNS];
            ovi_fit_row(&ready, local, &v[k], row);
            if (what == OVI_FIT_MEASURE_DISTANCE && is_steep(&b, p)) {
                steep++;
                continue;
            }
            for (int n = 0; n < OVI_FIT_UNKNOWNS; n++) {
                // what a kind does not have, and the tied sizes of a sphere or a cylinder
                bool tied =
                    (kind == OV_SHAPE_KIND_SPHERE && what == OVI_FIT_MEASURE_DISTANCE) || simple;
                if ((n >= 9 && n < 11 && !is_super(kind)) ||
                    (n >= 11 && n < 13 && !is_tapered(kind)) ||
                    (n >= 13 && kind != OV_SHAPE_KIND_BENT) ||
                    (tied && n >= 7 && n < 9 && kind == OV_SHAPE_KIND_SPHERE)) {
                    continue;
                }
                double spread, d = difference(&b, what, p, k, n, &spread);
                double size = 1.0 + fabs(d);
                // a plane, an edge or a pole between the points of the difference
                if (spread > 1e-7 * size) {
                    rough++;
                    continue;
                }
                compared++;
                worst = fmax(worst, fabs(row[n] - d) / size);
                if (!CHECK_NEAR(row[n], d, 1e-6 * size)) {
                    printf("kind %s, measure %d, value %d, unknown %d\n", ov_shape_kind_name(kind),
                           (int)what, k, n);
                }
            }
        }
    }
    check_worst("derivatives against differences", worst, 1e-6);
    printf("%s: %ld compared, %ld across a kink, %ld points beside an edge\n", check_suite,
           compared, rough, steep);
    CHECK(rough + 15 * steep < compared / 10);
}

static ov_shape shape_of(const ovi_fit_body *b) {
    ovi_fit_ready q = ovi_fit_make_ready(b);
    const ov_shape_options any = {.dent_tolerance = 1.0};
    ov_shape s = {0};
    switch (b->kind) {
    case OV_SHAPE_KIND_BOX:
        CHECK_OK(ov_shape_make_box(q.a, &s));
        break;
    case OV_SHAPE_KIND_CAPSULE:
        CHECK_OK(ov_shape_make_capsule(q.a.x, q.a.z, &s));
        break;
    case OV_SHAPE_KIND_CYLINDER:
        CHECK_OK(ov_shape_make_cylinder(q.a.x, q.a.z, &s));
        break;
    case OV_SHAPE_KIND_BENT:
        (void)ov_shape_make_bent(q.a, q.e1, q.e2, q.tx, q.ty, hypot(q.bend[0], q.bend[1]),
                                 atan2(q.bend[1], q.bend[0]), &s);
        break;
    default:
        (void)ov_shape_make_superovoid(q.a, q.e1, q.e2, q.tx, q.ty, &any, &s);
    }
    return s;
}

/** Published: by F of the library. Scale: the scaled body's surface. Distance: exact for simple
 *  kinds, and to first order else. Volume: that of ov_shape_mass. */
static void values(void) {
    check_random r = check_random_make(22);
    for (long i = 0; i < check_count(8000); i++) {
        ovi_fit_body b = some_body(&r, kinds[i % KINDS]);
        ovi_fit_ready ready = ovi_fit_make_ready(&b);
        ov_shape s = shape_of(&b);
        if (s.kind == OV_SHAPE_KIND_NONE) {
            continue;
        }
        ov_pose pose = {b.centre, b.rotation};
        ov_vec3 p = some_point(&r);
        ovi_fit_value v[3];
        bool simple = b.kind == OV_SHAPE_KIND_BOX || b.kind == OV_SHAPE_KIND_CAPSULE ||
                      b.kind == OV_SHAPE_KIND_CYLINDER;
        if (!simple) {
            ov_field f;
            (void)ov_shape_implicit(&s, local_of(&ready, p), &f);
            double g2 = pow(f.value, s.e2), weight = pow(s.a.x * s.a.y * s.a.z, 0.25);
            (void)ovi_fit_measure_at(&ready, OVI_FIT_MEASURE_PUBLISHED, local_of(&ready, p), v);
            CHECK_NEAR(v[0].value, weight * (g2 - 1.0), 1e-12 * (1.0 + g2));
        }
        if (b.kind == OV_SHAPE_KIND_BENT) {
            continue;
        }
        int count = ovi_fit_measure_at(&ready, OVI_FIT_MEASURE_SCALE, local_of(&ready, p), v);
        double most = v[0].value;
        for (int k = 1; k < count; k++) {
            most = fmax(most, v[k].value);
        }
        CHECK_NEAR(exp(most), ovi_fit_scale_of_point(&s, pose, p), 1e-12 * exp(most));
        ov_mass mass;
        CHECK_OK(ov_shape_mass(&s, 1.0, &mass));
        CHECK_NEAR(exp(ovi_fit_log_volume(&ready).value), mass.volume, 1e-12 * mass.volume);
        if (simple || b.kind == OV_SHAPE_KIND_SPHERE) {
            ov_contact c;
            (void)ovi_fit_measure_at(&ready, OVI_FIT_MEASURE_DISTANCE, local_of(&ready, p), v);
            CHECK_OK(ov_point_contact(&s, pose, p, NULL, &c));
            CHECK_NEAR(v[0].value, c.gap, 1e-9);
        }
    }
}

/** Of the volume by the numbers. */
static void volume_derivatives(void) {
    check_random r = check_random_make(23);
    for (long i = 0; i < check_count(2000); i++) {
        ovi_fit_body b = some_body(&r, kinds[i % (KINDS - 1)]);
        ovi_fit_ready ready = ovi_fit_make_ready(&b);
        ovi_fit_value v = ovi_fit_log_volume(&ready);
        for (int n = 0; n < 7; n++) {
            ovi_fit_body lo = changed(&b, 6 + n, -1e-5), hi = changed(&b, 6 + n, 1e-5);
            ovi_fit_ready low = ovi_fit_make_ready(&lo), high = ovi_fit_make_ready(&hi);
            double d = (ovi_fit_log_volume(&high).value - ovi_fit_log_volume(&low).value) / 2e-5;
            bool has = n < 3 || (n < 5 ? is_super(b.kind) : is_tapered(b.kind));
            if (has && !(b.kind == OV_SHAPE_KIND_CAPSULE && n == 1)) {
                // where the taper's limit begins to depend on e2 there is a kink
                CHECK_NEAR(v.by[n], d, n == 4 && is_tapered(b.kind) ? 2e-2 : 1e-8);
            }
        }
    }
}

/** A point on an axis or in a plane of a body that is not turned, at its centre, or on its rim. */
static ov_vec3 special_point(check_random *r, const ovi_fit_ready *b) {
    ov_vec3 local = some_point(r);
    unsigned which = (unsigned)(check_random_bits(r) % 16);
    local.x = which & 1 ? 0.0 : local.x;
    local.y = which & 2 ? 0.0 : local.y;
    local.z = which & 4 ? 0.0 : which == 8 ? b->a.z : local.z;
    local.y = which == 10 ? local.x * b->a.y / b->a.x : local.y;
    return local;
}

/** The cost of a distance, by its formula, and its derivative by the distance over that. */
static double cost(const ovi_fit_loss *loss, double r, double *weight) {
    double s2 = loss->scale * loss->scale;
    *weight = loss->mean ? 1.0 / sqrt(1.0 + r * r / s2) : pow(s2 / (s2 + r * r), 2.0);
    *weight = s2 == 0.0 ? 1.0 : *weight;
    return s2 == 0.0    ? 0.5 * r * r
           : loss->mean ? s2 * (sqrt(1.0 + r * r / s2) - 1.0)
                        : 0.5 * r * r * s2 / (s2 + r * r);
}

/** Sums over many points at once are those of the points one by one. */
static void lanes(void) {
    check_random r = check_random_make(24);
    enum { POINTS = 37 };
    const ov_shape_kind smooth[3] = {OV_SHAPE_KIND_ELLIPSOID, OV_SHAPE_KIND_SUPERELLIPSOID,
                                     OV_SHAPE_KIND_SUPEROVOID};
    const ovi_fit_loss losses[3] = {{false, 0.0}, {false, 0.07}, {true, 0.05}};
    double worst = 0.0;
    for (long i = 0; i < check_count(3000); i++) {
        ovi_fit_body b = some_body(&r, smooth[i % 3]);
        for (int k = 3; k < 5 && i % 3 > 0; k++) {
            const double ends[4] = {2.0, 1.0, 1e-3, 0.05};
            b.v[k] = check_random_bits(&r) % 4 == 0 ? ends[check_random_bits(&r) % 4] : b.v[k];
        }
        // where planes of symmetry are ridges, what is exactly on them stays so
        bool special = i % 2 == 0;
        b.centre = special ? ov_vec3_make(0.0, 0.0, 0.0) : b.centre;
        b.rotation = special ? ov_quat_identity() : b.rotation;
        ovi_fit_ready ready = ovi_fit_make_ready(&b);
        const ovi_fit_loss *loss = &losses[i / 3 % 3];
        size_t count = 1 + check_random_bits(&r) % POINTS;
        ov_vec3 points[POINTS];
        double distances[POINTS], size = 0.0;
        ovi_fit_sum one_by_one = {0}, at_once = {0};
        for (size_t n = 0; n < count; n++) {
            points[n] = special ? special_point(&r, &ready) : some_point(&r);
            double row[OVI_FIT_UNKNOWNS], weight;
            ovi_fit_value v[3];
            (void)ovi_fit_measure_at(&ready, OVI_FIT_MEASURE_DISTANCE, local_of(&ready, points[n]),
                                     v);
            ovi_fit_row(&ready, local_of(&ready, points[n]), &v[0], row);
            one_by_one.f += cost(loss, v[0].value, &weight) / (double)count;
            distances[n] = v[0].value;
            for (int a = 0; a < ready.unknowns; a++) {
                one_by_one.g[a] += weight * row[a] * v[0].value / (double)count;
                for (int c = 0; c <= a; c++) {
                    one_by_one.h[a][c] += weight * row[a] * row[c] / (double)count;
                    size = fmax(size, fabs(one_by_one.h[a][c]));
                }
            }
        }
        double again[POINTS];
        CHECK(ovi_fit_lanes(&ready, loss, points, count, &at_once, NULL));
        CHECK(ovi_fit_lanes(&ready, NULL, points, count, NULL, again));
        for (size_t n = 0; n < count; n++) {
            CHECK_NEAR(again[n], distances[n], 1e-12 * (1.0 + fabs(distances[n])));
        }
        CHECK_NEAR(at_once.f, one_by_one.f, 1e-12 * (1.0 + one_by_one.f));
        for (int a = 0; a < ready.unknowns; a++) {
            worst = fmax(worst, fabs(at_once.g[a] - one_by_one.g[a]) / (1.0 + size));
            for (int c = 0; c <= a; c++) {
                worst = fmax(worst, fabs(at_once.h[a][c] - one_by_one.h[a][c]) / (1.0 + size));
            }
        }
    }
    check_worst("sums at once, against one by one", worst, 1e-10);
}

int main(void) {
    check_suite = "fit_field";
    RUN(derivatives);
    RUN(values);
    RUN(volume_derivatives);
    RUN(lanes);
    return check_finish();
}
