/**
 * @file fuzz_shape.c
 * @brief Fuzz target: constructors of all kinds from raw numbers, then every function of shape.h.
 *
 * What a constructor accepts must work: no function may crash or answer NaN with a status >= 0, and
 * what the functions say of one shape must agree: the support value is reached by the support point
 * and by no surface point exceeded; boxes and balls hold the body; meshes are closed. Tolerances
 * scale with direction and extent, axis by axis, so that shapes of extreme aspect are judged
 * fairly.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/shape.h>

#include "source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- numbers from the input ----------------------------------------------------------------- */

/** Any double at all, a delicate one, or one between the bounds. */
static double take_number(source *s, double low, double high) {
    static const double delicate[] = {
        0.0,     -0.0,   1.0,  -1.0, 2.0,   0.5,      1e-60,     1e60,    1e-61,    1e61,   DBL_MIN,
        DBL_MAX, 5e-324, NAN,  1e-9, 1e-16, INFINITY, -INFINITY, 0.99999, 1.000001, 1.9999, 1.99999,
        1.5,     0.05,   1e-3, 1e3,  -0.5,  0.25,     1e-300,    1e300,   0.01,     100.0};
    unsigned mode = take_byte(s);
    if (mode < 16) {
        return take_raw(s);
    }
    if (mode < 80) {
        return delicate[mode % (sizeof delicate / sizeof delicate[0])];
    }
    return low + (high - low) * take_unit(s);
}

static double take_size(source *s) {
    double v = take_number(s, -3.0, 3.0);
    return take_byte(s) < 230 ? pow(10.0, v) : v;
}

static ov_vec3 take_vector(source *s, double reach) {
    double x = take_number(s, -reach, reach), y = take_number(s, -reach, reach);
    return ov_vec3_make(x, y, take_number(s, -reach, reach));
}

static ov_vec3 take_sizes(source *s) {
    double x = take_size(s), y = take_size(s);
    return ov_vec3_make(x, y, take_size(s));
}

/** A direction of moderate length, never zero. */
static ov_vec3 take_direction(source *s) {
    ov_vec3 d =
        ov_vec3_make(2.0 * take_unit(s) - 1.0, 2.0 * take_unit(s) - 1.0, 2.0 * take_unit(s) - 1.0);
    // often on an axis or a coordinate plane, where the special cases are
    unsigned mask = take_byte(s);
    d.x = mask & 1 ? 0.0 : d.x;
    d.y = mask & 2 ? 0.0 : d.y;
    d.z = mask & 4 ? 0.0 : d.z;
    if (d.x == 0.0 && d.y == 0.0 && d.z == 0.0) {
        d.z = mask & 8 ? 1.0 : -1.0;
    }
    return d;
}

/* ---- judging -------------------------------------------------------------------------------- */

// for the message only
static const ov_shape *judged;
static const ov_superellipse *judged_curve;
static ov_vec3 judged_point;

static void demand(bool good, const char *what, double a, double b) {
    if (good) {
        return;
    }
    const ov_shape *s = judged;
    fprintf(stderr, "broken promise: %s: %.17g, %.17g\n", what, a, b);
    if (s != NULL) {
        fprintf(stderr, "  %s a %.17g %.17g %.17g e %.17g %.17g t %.17g %.17g dent %.17g\n",
                ov_shape_kind_name(s->kind), s->a.x, s->a.y, s->a.z, s->e1, s->e2, s->tx, s->ty,
                s->dent);
        double u[9] = {0};
        memcpy(u, &s->u, sizeof s->u < sizeof u ? sizeof s->u : sizeof u);
        fprintf(stderr, "  point or direction %.17g %.17g %.17g\n", judged_point.x, judged_point.y,
                judged_point.z);
        fprintf(stderr, "  u %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", u[0], u[1],
                u[2], u[3], u[4], u[5], u[6], u[7], u[8]);
    }
    if (judged_curve != NULL) {
        fprintf(stderr, "  superellipse %.17g %.17g %.17g at %.17g %.17g\n", judged_curve->a1,
                judged_curve->a2, judged_curve->e, judged_point.x, judged_point.y);
    }
    abort();
}

static bool no_nan3(ov_vec3 v) { return !isnan(v.x) && !isnan(v.y) && !isnan(v.z); }

static void demand_unit(ov_vec3 v, const char *what) {
    double length = ov_vec3_length(v);
    demand(fabs(length - 1.0) <= 1e-9, what, length, 1.0);
}

/** Largest |d . p| over the box: what the rounding errors of a support value scale with. */
static double reach_along(const ov_aabb *box, ov_vec3 d) {
    return fabs(d.x) * fmax(fabs(box->min.x), fabs(box->max.x)) +
           fabs(d.y) * fmax(fabs(box->min.y), fabs(box->max.y)) +
           fabs(d.z) * fmax(fabs(box->min.z), fabs(box->max.z));
}

static void demand_in_box(const ov_aabb *box, ov_vec3 p, const char *what) {
    const double lo[3] = {box->min.x, box->min.y, box->min.z};
    const double hi[3] = {box->max.x, box->max.y, box->max.z}, v[3] = {p.x, p.y, p.z};
    for (int i = 0; i < 3; i++) {
        double slack = 1e-12 * fmax(fabs(lo[i]), fabs(hi[i]));
        demand(v[i] >= lo[i] - slack && v[i] <= hi[i] + slack, what, v[i],
               v[i] < lo[i] ? lo[i] : hi[i]);
    }
}

/* ---- the functions -------------------------------------------------------------------------- */

static void try_fields(const ov_shape *shape, ov_vec3 p) {
    ov_field f;
    bool inside;
    double value;
    ov_curvature k;
    judged_point = p;
    if (ov_shape_gauge(shape, p, &f) >= 0) {
        demand(!isnan(f.value) && f.value >= 0.0, "gauge", f.value, 0.0);
        demand(no_nan3(f.gradient), "gauge gradient", f.gradient.x, f.gradient.y);
        demand(no_nan3(f.hessian.cx) && no_nan3(f.hessian.cy) && no_nan3(f.hessian.cz),
               "gauge Hessian", f.hessian.cx.x, f.hessian.cy.y);
        demand(ov_shape_gauge_value(shape, p, &value) >= 0, "gauge value", value, f.value);
        demand(fabs(value - f.value) <= 1e-12 * f.value || value == f.value, "two gauges", value,
               f.value);
    }
    if (ov_shape_implicit(shape, p, &f) >= 0) {
        demand(!isnan(f.value), "implicit", f.value, 0.0);
        demand(no_nan3(f.gradient), "implicit gradient", f.gradient.x, f.gradient.y);
        demand(no_nan3(f.hessian.cx) && no_nan3(f.hessian.cy) && no_nan3(f.hessian.cz),
               "implicit Hessian", f.hessian.cx.x, f.hessian.cy.y);
    }
    (void)ov_shape_contains(shape, p, &inside);
    if (ov_shape_curvature(shape, p, &k) >= 0) {
        demand(!isnan(k.k_min) && !isnan(k.k_max), "curvature", k.k_min, k.k_max);
        demand(k.k_min <= k.k_max, "order of curvatures", k.k_min, k.k_max);
        demand_unit(k.normal, "normal of curvature");
    }
}

static void try_surface(const ov_shape *shape, source *s, const ov_aabb *box) {
    static const ov_spacing spacings[] = {OV_SPACING_ANGLE_CENTRE, OV_SPACING_EQUAL};
    for (int i = 0; i < 4; i++) {
        double phi1 = take_number(s, -3.14159265358979, 3.14159265358979);
        double phi2 = take_number(s, -1.5707963267949, 1.5707963267949);
        ov_surface_point at;
        judged_point = ov_vec3_make(phi1, phi2, i % 2);
        if (ov_shape_surface(shape, spacings[i % 2], phi1, phi2, &at) < 0) {
            continue;
        }
        demand(ov_vec3_is_finite(at.point), "surface point", at.point.x, at.point.z);
        demand_unit(at.normal, "surface normal");
        demand_unit(at.tangent1, "first tangent");
        demand_unit(at.tangent2, "second tangent");
        demand(fabs(ov_vec3_dot(at.normal, at.tangent1)) < 1e-6, "tangent 1 across normal",
               ov_vec3_dot(at.normal, at.tangent1), 0.0);
        demand(fabs(ov_vec3_dot(at.normal, at.tangent2)) < 1e-6, "tangent 2 across normal",
               ov_vec3_dot(at.normal, at.tangent2), 0.0);
        // the angles of hyperboloids run past their cuts
        bool cut = shape->kind == OV_SHAPE_KIND_SUPERHYPERBOLOID_1 ||
                   shape->kind == OV_SHAPE_KIND_SUPERHYPERBOLOID_2;
        if (!cut) {
            demand_in_box(box, at.point, "surface point in box");
        }
        try_fields(shape, at.point);
        ov_support support;
        ov_vec3 d = judged_point = take_direction(s);
        if (ov_shape_support(shape, d, &support) >= 0) {
            double slack = 1e-9 * reach_along(box, d);
            demand(ov_vec3_dot(d, at.point) <= support.value + slack, "support over surface",
                   ov_vec3_dot(d, at.point), support.value);
        }
        double a1, a2;
        if (ov_shape_angles(shape, at.point, &a1, &a2) >= 0) {
            demand(!isnan(a1) && !isnan(a2), "angles", a1, a2);
        }
    }
}

static void try_support(const ov_shape *shape, source *s, const ov_aabb *box) {
    ov_support support;
    ov_vec3 raw = take_vector(s, 1.0), d = take_direction(s);
    judged_point = raw;
    if (ov_shape_support(shape, raw, &support) >= 0) {
        demand(!isnan(support.value) && no_nan3(support.point), "support in any direction",
               support.value, support.point.x);
    }
    judged_point = d;
    ov_status status = ov_shape_support(shape, d, &support);
    if (!ov_shape_is_convex(shape->kind)) {
        demand(status == OV_ERROR_UNSUPPORTED, "support of a non-convex kind", status, 0.0);
        return;
    }
    if (shape->kind == OV_SHAPE_KIND_HALFSPACE) {
        return;
    }
    demand(status >= 0, "support exists", status, 0.0);
    demand(ov_vec3_is_finite(support.point), "support point", support.point.x, support.point.y);
    double slack = 1e-9 * reach_along(box, d);
    demand(fabs(ov_vec3_dot(d, support.point) - support.value) <= slack, "support point reaches",
           ov_vec3_dot(d, support.point), support.value);
    demand_in_box(box, support.point, "support point in box");
    ov_ball ball;
    if (ov_shape_bounding_ball(shape, &ball) >= 0) {
        double distance = ov_vec3_length(ov_vec3_sub(support.point, ball.centre));
        demand(distance <= ball.radius * (1.0 + 1e-12), "bounding ball", distance, ball.radius);
    }
    double from_ball = ov_vec3_length(ov_vec3_sub(support.point, shape->ball.centre));
    demand(from_ball <= shape->ball.radius * (1.0 + 1e-12), "ball of the shape", from_ball,
           shape->ball.radius);
    if (ov_shape_inscribed_ball(shape, &ball) >= 0) {
        double reached = ov_vec3_dot(d, ball.centre) + ball.radius * ov_vec3_length(d);
        demand(reached <= support.value + slack, "inscribed ball", reached, support.value);
    }
    try_fields(shape, support.point);
}

static void try_bounds(const ov_shape *shape, source *s) {
    ov_obb obb;
    ov_ball ball;
    ov_aabb box;
    double k_min, k_max;
    ov_pose pose = {take_vector(s, 10.0),
                    ov_quat_from_axis_angle(take_direction(s), 6.0 * take_unit(s))};
    if (ov_shape_aabb(shape, pose, &box) >= 0) {
        demand(no_nan3(box.min) && no_nan3(box.max), "box at a pose", box.min.x, box.max.x);
        demand(box.min.x <= box.max.x && box.min.y <= box.max.y && box.min.z <= box.max.z,
               "order of a box", box.min.x, box.max.x);
    }
    if (ov_shape_obb(shape, &obb) >= 0) {
        demand(obb.half.x >= 0.0 && obb.half.y >= 0.0 && obb.half.z >= 0.0, "oriented box",
               obb.half.x, obb.half.y);
        demand(ov_vec3_is_finite(obb.pose.position), "oriented box", obb.pose.position.x, 0.0);
    }
    if (ov_shape_bounding_ball(shape, &ball) >= 0) {
        demand(ball.radius >= 0.0 && isfinite(ball.radius), "bounding ball", ball.radius, 0.0);
        demand(ov_vec3_is_finite(ball.centre), "bounding ball", ball.centre.x, 0.0);
    }
    if (ov_shape_inscribed_ball(shape, &ball) >= 0) {
        bool inside;
        demand(ball.radius >= 0.0 && isfinite(ball.radius), "inscribed ball", ball.radius, 0.0);
        demand(ov_shape_contains(shape, ball.centre, &inside) >= 0 && inside,
               "centre of the inscribed ball", ball.centre.x, ball.centre.z);
    }
    if (ov_shape_curvature_range(shape, &k_min, &k_max) >= 0) {
        demand(k_min <= k_max, "curvature range", k_min, k_max);
    }
}

static void try_mass(const ov_shape *shape, source *s, const ov_aabb *box) {
    ov_mass m;
    if (ov_shape_mass(shape, take_number(s, -1.0, 2.0), &m) >= 0) {
        demand(!isnan(m.volume) && !isnan(m.mass), "mass", m.volume, m.mass);
    }
    if (ov_shape_mass(shape, 1.0, &m) < 0) {
        return;
    }
    ov_vec3 side = ov_vec3_sub(box->max, box->min);
    demand(m.volume > 0.0 && isfinite(m.volume), "volume", m.volume, 0.0);
    demand(m.volume <= side.x * side.y * side.z * (1.0 + 1e-9), "volume in box", m.volume,
           side.x * side.y * side.z);
    demand_in_box(box, m.centroid, "centroid in box");
    double ix = m.inertia.cx.x, iy = m.inertia.cy.y, iz = m.inertia.cz.z;
    demand(ix > 0.0 && iy > 0.0 && iz > 0.0, "inertia", ix, iy);
    demand(ix <= (iy + iz) * (1.0 + 1e-9) && iy <= (iz + ix) * (1.0 + 1e-9) &&
               iz <= (ix + iy) * (1.0 + 1e-9),
           "triangle inequality of inertia", ix, iy);
}

/* ---- meshes --------------------------------------------------------------------------------- */

enum { MESH_MAX = 600 };

/** Every edge must run once in each direction. */
static void demand_closed(const uint32_t (*triangles)[3], size_t count, size_t vertices) {
    static uint8_t runs[MESH_MAX][MESH_MAX];
    for (size_t v = 0; v < vertices; v++) {
        memset(runs[v], 0, vertices);
    }
    for (size_t t = 0; t < count; t++) {
        for (int c = 0; c < 3; c++) {
            uint32_t a = triangles[t][c], b = triangles[t][(c + 1) % 3];
            demand(a < vertices && b < vertices && a != b, "triangle's vertices", a, b);
            demand(runs[a][b]++ == 0, "an edge runs once in a direction", a, b);
        }
    }
    for (size_t t = 0; t < count; t++) {
        for (int c = 0; c < 3; c++) {
            uint32_t a = triangles[t][c], b = triangles[t][(c + 1) % 3];
            demand(runs[b][a] == 1, "an edge has two sides", a, b);
        }
    }
}

static void try_mesh(const ov_shape *shape, source *s, const ov_aabb *box) {
    static ov_vec3 vertices[MESH_MAX], normals[MESH_MAX];
    static uint32_t triangles[2 * MESH_MAX + 64][3];
    ov_mesh_options options = ov_default_mesh_options();
    ov_mesh_plan plan;
    options.chord_error = take_number(s, 0.0, 1.0);
    (void)ov_shape_mesh_plan(shape, &options, &plan);
    options.chord_error = 0.0;
    options.vertices = (size_t)2 * (1u + take_byte(s)); // 0 would be the default
    if (ov_shape_mesh_plan(shape, &options, &plan) < 0) {
        return;
    }
    demand(plan.vertex_count <= options.vertices || shape->kind == OV_SHAPE_KIND_POLYHEDRON,
           "budget of vertices", (double)plan.vertex_count, (double)options.vertices);
    if (plan.vertex_count > MESH_MAX ||
        plan.triangle_count > sizeof triangles / sizeof triangles[0]) {
        return;
    }
    ov_status status = ov_shape_mesh_fill(shape, &plan, vertices, normals, triangles);
    demand(status >= 0, "mesh as planned", status, 0.0);
    for (size_t i = 0; i < plan.vertex_count; i++) {
        demand_in_box(box, vertices[i], "mesh in box");
        demand_unit(normals[i], "mesh normal");
    }
    demand_closed((const uint32_t(*)[3])triangles, plan.triangle_count, plan.vertex_count);
}

/* ---- kinds ---------------------------------------------------------------------------------- */

static ov_status make_polyhedron(source *s, ov_shape *shape) {
    static ov_vec3 vertices[12];
    static uint32_t triangles[20][3];
    size_t vertex_count = take_byte(s) % 13, triangle_count = take_byte(s) % 21;
    for (size_t i = 0; i < vertex_count; i++) {
        vertices[i] = take_vector(s, 1.0);
    }
    for (size_t i = 0; i < triangle_count; i++) {
        for (int c = 0; c < 3; c++) {
            triangles[i][c] = take_byte(s) % 16;
        }
    }
    // a tetrahedron now and then, since bytes alone rarely close
    if (take_byte(s) % 2 == 0 && vertex_count == 4) {
        static const uint32_t closed[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
        triangle_count = 4;
        memcpy(triangles, closed, sizeof closed);
    }
    bool none = take_byte(s) % 4 == 0;
    return ov_shape_make_polyhedron(vertices, vertex_count,
                                    none ? NULL : (const uint32_t(*)[3])triangles,
                                    none ? 0 : triangle_count, shape);
}

static ov_status make_superquadric(source *s, unsigned kind, ov_shape *shape) {
    ov_vec3 a = take_sizes(s);
    double e1 = take_number(s, 0.0, 2.0), e2 = take_number(s, 0.0, 2.0);
    double tx = take_number(s, -1.0, 1.0), ty = take_number(s, -1.0, 1.0);
    double more = take_number(s, 0.0, 4.0), angle = take_number(s, -4.0, 4.0);
    ov_shape_options options = {take_number(s, 0.0, 1.0)};
    switch (kind) {
    case OV_SHAPE_KIND_ELLIPSOID:
        return ov_shape_make_ellipsoid(a, shape);
    case OV_SHAPE_KIND_SUPERELLIPSOID:
        return ov_shape_make_superellipsoid(a, e1, e2, shape);
    case OV_SHAPE_KIND_SUPEROVOID:
        return ov_shape_make_superovoid(a, e1, e2, tx, ty, angle > 0.0 ? &options : NULL, shape);
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_1:
        return ov_shape_make_superhyperboloid_1(a, e1, e2, more * a.z, shape);
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_2:
        return ov_shape_make_superhyperboloid_2(a, e1, e2, more * a.z, shape);
    case OV_SHAPE_KIND_SUPERTOROID:
        return ov_shape_make_supertoroid(a, e1, e2, more, shape);
    default:
        return ov_shape_make_bent(a, e1, e2, tx, ty, (more - 2.0) / a.z, angle, shape);
    }
}

/** A caller's own box: its support function, with half extents as user data. */
static ov_vec3 support_own_box(const void *user, ov_vec3 d) {
    const ov_vec3 *half = user;
    return ov_vec3_make(copysign(half->x, d.x), copysign(half->y, d.y), copysign(half->z, d.z));
}

static ov_status make_custom(source *s, ov_shape *shape) {
    static ov_vec3 half;
    half = take_sizes(s);
    half = ov_vec3_make(fabs(half.x), fabs(half.y), fabs(half.z));
    // a radius of its own now and then, which need not be one at all
    ov_ball ball = {.radius = ov_vec3_length(half) * (1.0 + 1e-14)};
    if (take_byte(s) % 4 == 0) {
        ball = (ov_ball){take_vector(s, 1.0), take_number(s, -1.0, 2.0)};
        half = ov_vec3_make(0.0, 0.0, 0.0);
        ball.centre = ov_vec3_length(ball.centre) <= ball.radius ? ball.centre : half;
    }
    return ov_shape_make_custom(support_own_box, &half, ball, shape);
}

static ov_status make_shape(source *s, ov_shape *shape) {
    unsigned kind = 1 + take_byte(s) % (OV_SHAPE_KIND_COUNT - 1);
    switch (kind) {
    case OV_SHAPE_KIND_SPHERE:
        return ov_shape_make_sphere(take_size(s), shape);
    case OV_SHAPE_KIND_HALFSPACE: {
        ov_vec3 normal = take_vector(s, 1.0);
        return ov_shape_make_halfspace(normal, take_number(s, -2.0, 2.0), shape);
    }
    case OV_SHAPE_KIND_BOX:
        return ov_shape_make_box(take_sizes(s), shape);
    case OV_SHAPE_KIND_CAPSULE:
    case OV_SHAPE_KIND_CYLINDER:
    case OV_SHAPE_KIND_CONE: {
        double radius = take_size(s), half_length = take_size(s);
        return (kind == OV_SHAPE_KIND_CAPSULE    ? ov_shape_make_capsule
                : kind == OV_SHAPE_KIND_CYLINDER ? ov_shape_make_cylinder
                                                 : ov_shape_make_cone)(radius, half_length, shape);
    }
    case OV_SHAPE_KIND_POLYHEDRON:
        return make_polyhedron(s, shape);
    case OV_SHAPE_KIND_TRIANGLE: {
        ov_vec3 a = take_vector(s, 2.0), b = take_vector(s, 2.0);
        return ov_shape_make_triangle(a, b, take_vector(s, 2.0), shape);
    }
    case OV_SHAPE_KIND_SEGMENT: {
        ov_vec3 a = take_vector(s, 2.0);
        return ov_shape_make_segment(a, take_vector(s, 2.0), shape);
    }
    case OV_SHAPE_KIND_POINT:
        return ov_shape_make_point(take_vector(s, 2.0), shape);
    case OV_SHAPE_KIND_CUSTOM:
        return make_custom(s, shape);
    default:
        return make_superquadric(s, kind, shape);
    }
}

static void try_superellipse(source *s) {
    ov_superellipse curve;
    double a1 = take_size(s), a2 = take_size(s);
    if (ov_superellipse_make(a1, a2, take_number(s, 0.0, 2.0), &curve) < 0) {
        return;
    }
    double value, hessian[3], curvature, area;
    ov_vec2 p = {take_number(s, -2.0, 2.0), take_number(s, -2.0, 2.0)}, gradient, normal, moment;
    judged_curve = &curve;
    judged_point = ov_vec3_make(p.x, p.y, 0.0);
    if (ov_superellipse_gauge(&curve, p, &value, &gradient, hessian) >= 0) {
        demand(!isnan(value) && !isnan(gradient.x) && !isnan(gradient.y), "plane gauge", value,
               gradient.x);
        demand(!isnan(hessian[0]) && !isnan(hessian[1]) && !isnan(hessian[2]), "plane Hessian",
               hessian[0], hessian[1]);
    }
    ov_vec3 d = take_direction(s);
    ov_vec2 direction = {d.x, d.x == 0.0 && d.y == 0.0 ? 1.0 : d.y}, reached;
    demand(ov_superellipse_support(&curve, direction, &value, &reached) >= 0, "plane support", a1,
           a2);
    double slack = 1e-9 * (fabs(direction.x) * a1 + fabs(direction.y) * a2);
    demand(fabs(direction.x * reached.x + direction.y * reached.y - value) <= slack,
           "plane support reaches", direction.x * reached.x + direction.y * reached.y, value);
    double phi = take_number(s, -3.14159265358979, 3.14159265358979);
    if (ov_superellipse_curve(&curve, OV_SPACING_ANGLE_CENTRE, phi, &p, &normal, &curvature) >= 0) {
        demand(direction.x * p.x + direction.y * p.y <= value + slack, "plane support over curve",
               direction.x * p.x + direction.y * p.y, value);
        demand(curvature >= 0.0, "plane curvature", curvature, 0.0);
        demand(fabs(hypot(normal.x, normal.y) - 1.0) < 1e-9, "plane normal", normal.x, normal.y);
    }
    demand(ov_superellipse_area(&curve, &area, &moment) >= 0, "area exists", a1, a2);
    demand(area > 0.0 && area <= 4.0 * a1 * a2 * (1.0 + 1e-9), "area", area, 4.0 * a1 * a2);
    demand(moment.x > 0.0 && moment.y > 0.0, "second moment", moment.x, moment.y);
}

static void try_exponents(source *s) {
    static const ov_convention conventions[] = {OV_CONVENTION_OVOID, OV_CONVENTION_BARR,
                                                OV_CONVENTION_BLOCKY};
    ov_convention from = conventions[take_byte(s) % 3], to = conventions[take_byte(s) % 3];
    double first = take_number(s, 0.0, 3.0), second = take_number(s, 0.0, 3.0), back1, back2;
    ov_exponents e, again;
    if (ov_exponents_import(from, first, second, &e) < 0) {
        return;
    }
    demand(e.e1 > 0.0 && e.e1 <= 2.0 && e.e2 > 0.0 && e.e2 <= 2.0, "imported exponents", e.e1,
           e.e2);
    if (ov_exponents_export(e, to, &back1, &back2) >= 0 && isfinite(back1) && isfinite(back2)) {
        demand(ov_exponents_import(to, back1, back2, &again) >= 0, "exponents come back", back1,
               back2);
        demand(fabs(again.e1 - e.e1) <= 1e-15 * e.e1 && fabs(again.e2 - e.e2) <= 1e-15 * e.e2,
               "same exponents", again.e1, e.e1);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    source s = {data, size, true};
    ov_shape shape;
    ov_aabb box;
    judged = NULL;
    judged_curve = NULL;
    unsigned what = take_byte(&s);
    if (what == 0) {
        try_superellipse(&s);
        return 0;
    }
    if (what == 1) {
        try_exponents(&s);
        return 0;
    }
    ov_status status = make_shape(&s, &shape);
    const char *text = ov_status_message(status);
    demand(text != NULL && text[0] != '\0', "text of a status", status, 0.0);
    if (status < 0) {
        return 0;
    }
    judged = &shape;
    demand(strcmp(ov_shape_kind_name(shape.kind), "none") != 0, "kind", shape.kind, 0.0);
    demand(shape.dent >= 0.0 && isfinite(shape.dent), "dent", shape.dent, 0.0);
    try_fields(&shape, take_vector(&s, 2.0));
    try_bounds(&shape, &s);
    status = ov_shape_aabb(&shape, ov_pose_identity(), &box);
    if (shape.kind == OV_SHAPE_KIND_HALFSPACE) {
        demand(status < 0, "no box of a half-space", status, 0.0);
        try_support(&shape, &s, &box);
        return 0;
    }
    demand(status >= 0, "box exists", status, 0.0);
    demand(ov_vec3_is_finite(box.min) && ov_vec3_is_finite(box.max), "box", box.min.x, box.max.x);
    try_support(&shape, &s, &box);
    try_surface(&shape, &s, &box);
    try_mass(&shape, &s, &box);
    try_mesh(&shape, &s, &box);
    return 0;
}
