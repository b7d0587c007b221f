/**
 * @file test_mesh_chord.c
 * @brief Meshes by chord error: the distance between mesh and surface, sampled both ways.
 *
 * Surface points are held against all triangles, and points of the triangles against the surface by
 * a line along the gradient, or by a search over the surface. All are upper bounds of the distance,
 * so a chord error that holds here holds.
 */
#include "mesh_check.h"

static double segment_distance(ov_vec3 p, ov_vec3 a, ov_vec3 b) {
    ov_vec3 ab = ov_vec3_sub(b, a), ap = ov_vec3_sub(p, a);
    double t = fmax(0.0, fmin(1.0, ov_vec3_dot(ap, ab) / ov_vec3_dot(ab, ab)));
    return ov_vec3_length(ov_vec3_add_scaled(ap, ab, -t));
}

static double triangle_distance(const mesh *m, size_t t, ov_vec3 p) {
    const ov_vec3 v[3] = {corner(m, t, 0), corner(m, t, 1), corner(m, t, 2)}, n = m->faces[t];
    bool over = true;
    double edges = 1e300;
    for (int i = 0; i < 3; i++) {
        ov_vec3 e = ov_vec3_sub(v[(i + 1) % 3], v[i]), d = ov_vec3_sub(p, v[i]);
        if (ov_vec3_dot(ov_vec3_cross(e, d), n) < 0.0) {
            over = false;
            edges = fmin(edges, segment_distance(p, v[i], v[(i + 1) % 3]));
        }
    }
    return over ? fabs(ov_vec3_dot(ov_vec3_sub(p, v[0]), n)) : edges;
}

static double mesh_distance(const mesh *m, ov_vec3 p) {
    double best = 1e300;
    for (size_t t = 0; t < m->plan.triangle_count; t++) {
        best = fmin(best, triangle_distance(m, t, p));
    }
    return best;
}

/** Largest phi2 of a surface: for hyperboloids at the cut. */
static double last_angle(const ov_shape *s) {
    double h = s->u.hyperboloid.height / s->a.z;
    switch (s->kind) {
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_1:
        return 0.999999 * atan(pow(h, 1.0 / s->e2));
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_2:
        return 0.999999 * acos(pow(h, -1.0 / s->e2));
    default:
        return s->kind == OV_SHAPE_KIND_SUPERTOROID ? M_PI : M_PI_2;
    }
}

/** A random point of the surface. */
static ov_vec3 surface_sample(const ov_shape *s, check_random *r) {
    double phi = check_uniform(r, -M_PI, M_PI), t = check_uniform(r, -1.0, 1.0);
    ov_vec3 ring = {s->a.x * cos(phi), s->a.x * sin(phi), 0.0};
    ov_surface_point q;
    switch (s->kind) {
    case OV_SHAPE_KIND_CAPSULE: {
        ov_vec3 n = check_unit_vector(r);
        double z = t < 0.0 ? 2.0 * s->a.z * (t + 0.5) : copysign(s->a.z, n.z);
        if (t < 0.0) {
            return ov_vec3_make(ring.x, ring.y, z);
        }
        return ov_vec3_add_scaled(ov_vec3_make(0.0, 0.0, z), n, s->a.x);
    }
    case OV_SHAPE_KIND_CYLINDER:
        return ov_vec3_make(ring.x, ring.y, s->a.z * t);
    case OV_SHAPE_KIND_CONE:
        return ov_vec3_make(0.5 * (1.0 - t) * ring.x, 0.5 * (1.0 - t) * ring.y, s->a.z * t);
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_1:
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_2: {
        CHECK_OK(ov_shape_surface(s, OV_SPACING_ANGLE_CENTRE, phi, last_angle(s) * t, &q));
        return q.point;
    }
    default: {
        ov_spacing spacing = check_random_bits(r) % 2 ? OV_SPACING_EQUAL : OV_SPACING_ANGLE_CENTRE;
        CHECK_OK(ov_shape_surface(s, spacing, phi, last_angle(s) * t, &q));
        return q.point;
    }
    }
}

/** Signed function of a solid, and the direction in which it grows fastest. */
static double solid_distance(const ov_shape *s, ov_vec3 p) {
    double rho = hypot(p.x, p.y), radius = s->a.x, half = s->a.z;
    if (s->kind == OV_SHAPE_KIND_CAPSULE) {
        double z = p.z - fmax(-half, fmin(half, p.z));
        return fabs(hypot(rho, z) - radius);
    }
    if (s->kind == OV_SHAPE_KIND_CYLINDER) {
        return fmin(fabs(rho - radius), fabs(half - fabs(p.z)));
    }
    double slant = hypot(radius, 2.0 * half);
    double side = fabs(2.0 * half * rho + radius * (p.z - half)) / slant;
    return fmin(side, fabs(p.z + half));
}

/** Distance to the surface of F along a direction, by doubling and bisection; at most `most`. */
static double distance_along(const ov_shape *s, ov_vec3 p, ov_vec3 direction, double most) {
    ov_field f;
    CHECK(ov_shape_implicit(s, p, &f) >= 0);
    bool inside = f.value < 1.0;
    ov_vec3 d = ov_vec3_scale(ov_vec3_normalize(direction), inside ? 1.0 : -1.0);
    double lo = 0.0, hi = 1e-6 * most;
    bool crossed = false;
    while (!crossed && lo < most) {
        CHECK(ov_shape_implicit(s, ov_vec3_add_scaled(p, d, hi), &f) >= 0);
        crossed = (f.value < 1.0) != inside;
        if (!crossed) {
            lo = hi;
            hi *= 1.5;
        }
    }
    if (!crossed) {
        return 1e300;
    }
    for (int i = 0; i < 20; i++) {
        double mid = 0.5 * (lo + hi);
        CHECK(ov_shape_implicit(s, ov_vec3_add_scaled(p, d, mid), &f) >= 0);
        *((f.value < 1.0) == inside ? &lo : &hi) = mid;
    }
    return hi;
}

static double distance_at(const ov_shape *s, ov_vec3 p, ov_spacing spacing, double phi1,
                          double phi2) {
    ov_surface_point q;
    CHECK_OK(ov_shape_surface(s, spacing, phi1, phi2, &q));
    return ov_vec3_length(ov_vec3_sub(q.point, p));
}

/** Distance to the nearest surface point, by a scan of both angles and a pattern search. */
static double scan(const ov_shape *s, ov_vec3 p) {
    enum { AROUND = 48, ALONG = 96 };
    bool cut =
        s->kind == OV_SHAPE_KIND_SUPERHYPERBOLOID_1 || s->kind == OV_SHAPE_KIND_SUPERHYPERBOLOID_2;
    ov_spacing spacing = cut ? OV_SPACING_ANGLE_CENTRE : OV_SPACING_EQUAL;
    double end = last_angle(s), step1 = 2.0 * M_PI / AROUND, step2 = 2.0 * end / ALONG;
    double best = 1e300, phi1 = 0.0, phi2 = 0.0;
    for (int i = 0; i < AROUND; i++) {
        for (int j = 0; j <= ALONG; j++) {
            double d = distance_at(s, p, spacing, i * step1 - M_PI, j * step2 - end);
            if (d < best) {
                best = d;
                phi1 = i * step1 - M_PI;
                phi2 = j * step2 - end;
            }
        }
    }
    for (int i = 0; i < 60; i++) {
        bool moved = false;
        for (int k = 0; k < 4; k++) {
            double next1 = phi1 + (k == 0 ? step1 : k == 1 ? -step1 : 0.0);
            double next2 = fmax(-end, fmin(end, phi2 + (k == 2 ? step2 : k == 3 ? -step2 : 0.0)));
            double d = distance_at(s, p, spacing, next1, next2);
            if (d < best) {
                best = d;
                phi1 = next1;
                phi2 = next2;
                moved = true;
            }
        }
        step1 *= moved ? 1.0 : 0.5;
        step2 *= moved ? 1.0 : 0.5;
    }
    return best;
}

static double surface_distance(const ov_shape *s, ov_vec3 p, ov_vec3 face, double error) {
    if (s->kind == OV_SHAPE_KIND_CAPSULE || s->kind == OV_SHAPE_KIND_CYLINDER ||
        s->kind == OV_SHAPE_KIND_CONE) {
        return solid_distance(s, p);
    }
    bool cut =
        s->kind == OV_SHAPE_KIND_SUPERHYPERBOLOID_1 || s->kind == OV_SHAPE_KIND_SUPERHYPERBOLOID_2;
    if (cut && fabs(p.z) >= s->u.hyperboloid.height * (1.0 - 1e-15)) {
        return 0.0;
    }
    ov_field f;
    CHECK(ov_shape_implicit(s, p, &f) >= 0);
    double best = fmin(distance_along(s, p, f.gradient, 4.0 * error),
                       distance_along(s, p, face, 4.0 * error));
    return best <= error ? best : fmin(best, scan(s, p));
}

typedef struct chord_result {
    double from_surface, from_mesh;
} chord_result;

static chord_result measure_chord(const ov_shape *s, const mesh *m, double error, int samples,
                                  check_random *r) {
    chord_result worst = {0.0, 0.0};
    for (int i = 0; i < samples; i++) {
        worst.from_surface =
            fmax(worst.from_surface, mesh_distance(m, surface_sample(s, r)) / error);
    }
    size_t stride = m->plan.triangle_count / (size_t)(2 * samples) + 1;
    for (size_t t = check_random_bits(r) % stride; t < m->plan.triangle_count; t += stride) {
        double u = check_uniform(r, 0.0, 1.0), v = check_uniform(r, 0.0, 1.0);
        if (u + v > 1.0) {
            u = 1.0 - u;
            v = 1.0 - v;
        }
        // every other at the centre, where the distance is largest
        u = t / stride % 2 ? u : 1.0 / 3.0;
        v = t / stride % 2 ? v : 1.0 / 3.0;
        ov_vec3 a = corner(m, t, 0), p = a;
        p = ov_vec3_add_scaled(p, ov_vec3_sub(corner(m, t, 1), a), u);
        p = ov_vec3_add_scaled(p, ov_vec3_sub(corner(m, t, 2), a), v);
        double distance = surface_distance(s, p, m->faces[t], error);
        worst.from_mesh = fmax(worst.from_mesh, distance / error);
    }
    return worst;
}

static void test_by_chord_error(void) {
    check_random r = check_random_make(401);
    chord_result worst = {0.0, 0.0};
    double least = 1.0;
    quality q = {1.0, 0.0, 1.0};
    ov_shape s;
    int measured = 0;
    for (int i = 0; make_shape(i, &s); i += i < 1200 ? 11 : 1) {
        ov_aabb box;
        CHECK_OK(ov_shape_aabb(&s, ov_pose_identity(), &box));
        double size = 0.5 * ov_vec3_length(ov_vec3_sub(box.max, box.min));
        double error = size * (i % 2 ? 0.02 : 0.005);
        mesh m;
        if (!mesh_make(&s, 0, error, &m)) {
            continue;
        }
        if (check_topology(&m, euler_of(&s))) {
            check_geometry(&s, &m, &q);
        }
        if (s.kind != OV_SHAPE_KIND_BOX) {
            chord_result c = measure_chord(&s, &m, error, 150, &r);
            bool good = CHECK(c.from_surface <= 1.0) && CHECK(c.from_mesh <= 1.0);
            if (!good) {
                fprintf(stderr, "  shape %d: %.3f from the surface, %.3f from the mesh\n", i,
                        c.from_surface, c.from_mesh);
            }
            worst.from_surface = fmax(worst.from_surface, c.from_surface);
            worst.from_mesh = fmax(worst.from_mesh, c.from_mesh);
            least = fmin(least, fmax(c.from_surface, c.from_mesh));
            measured++;
        }
        mesh_free(&m);
    }
    CHECK(measured > 100);
    check_worst("surface to mesh, in units of the chord error", worst.from_surface, 1.0);
    check_worst("mesh to surface, in units of the chord error", worst.from_mesh, 1.0);
    printf(
        "mesh_chord: thinnest triangle by error %.3g, least cosine of normals %.3g, least of the "
        "error used %.3g\n",
        q.flat, q.lean, least);
}

int main(void) {
    check_suite = "mesh_chord";
    RUN(test_by_chord_error);
    return check_finish();
}
