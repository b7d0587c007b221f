/**
 * @file test_derivatives_solids.c
 * @brief ov_pair_derivatives for the kinds with faces, edges and corners, and for superellipsoids
 * that have become polyhedra.
 *
 * Solids meet a sphere, so that a contact is the nearest point of the solid to the sphere's centre.
 * That point is found here in long double, piece by piece, and differenced; nothing of the library
 * is used for it.
 */
#include "derivative_oracle.h"

/* ---- nearest points, in long double */

static do_vec nearer(do_vec p, do_vec a, do_vec b) {
    return do_length(do_add(a, p, -1.0L)) <= do_length(do_add(b, p, -1.0L)) ? a : b;
}

static do_vec nearest_on_segment(do_vec p, do_vec a, do_vec b) {
    do_vec u = do_add(b, a, -1.0L);
    do_real t = do_dot(do_add(p, a, -1.0L), u) / do_dot(u, u);
    return do_add(a, u, fminl(1.0L, fmaxl(0.0L, t)));
}

static do_vec nearest_on_triangle(do_vec p, do_vec a, do_vec b, do_vec c) {
    do_vec u = do_add(b, a, -1.0L), v = do_add(c, a, -1.0L), n = do_unit(do_cross(u, v));
    do_vec foot = do_add(p, n, -do_dot(n, do_add(p, a, -1.0L)));
    do_vec corner[3] = {a, b, c};
    bool inside = true;
    for (int i = 0; i < 3; i++) {
        do_vec edge = do_add(corner[(i + 1) % 3], corner[i], -1.0L);
        inside = inside && do_dot(n, do_cross(edge, do_add(foot, corner[i], -1.0L))) >= 0.0L;
    }
    if (inside) {
        return foot;
    }
    do_vec best = nearer(p, nearest_on_segment(p, a, b), nearest_on_segment(p, b, c));
    return nearer(p, best, nearest_on_segment(p, c, a));
}

/** Of a solid of revolution, outside of it: the nearest of the two or three lines of its profile.
 */
static do_vec nearest_on_profile(do_vec p, const do_real (*profile)[2], int count) {
    do_real rho = hypotl(p.v[0], p.v[1]);
    do_vec flat = {{rho, 0.0L, p.v[2]}}, best = {{profile[0][0], 0.0L, profile[0][1]}};
    for (int i = 0; i + 1 < count; i++) {
        do_vec a = {{profile[i][0], 0.0L, profile[i][1]}};
        do_vec b = {{profile[i + 1][0], 0.0L, profile[i + 1][1]}};
        best = nearer(flat, best, nearest_on_segment(flat, a, b));
    }
    return (do_vec){{best.v[0] * p.v[0] / rho, best.v[0] * p.v[1] / rho, best.v[2]}};
}

static do_vec nearest_on_polyhedron(const ov_shape *s, do_vec p) {
    const ov_vec3 *v = s->u.polyhedron.vertices;
    do_vec best = do_from(v[0]);
    for (size_t i = 0; i < s->u.polyhedron.triangle_count; i++) {
        const uint32_t *t = s->u.polyhedron.triangles[i];
        best = nearer(p, best,
                      nearest_on_triangle(p, do_from(v[t[0]]), do_from(v[t[1]]), do_from(v[t[2]])));
    }
    return best;
}

/** Nearest point of a solid to a point outside of it, in the solid's frame. */
static do_vec nearest_on(const ov_shape *s, do_vec p) {
    do_real r = s->a.x, h = s->a.z;
    const do_real can[4][2] = {{0.0L, -h}, {r, -h}, {r, h}, {0.0L, h}};
    const do_real hat[3][2] = {{0.0L, -h}, {r, -h}, {0.0L, h}};
    do_vec top = {{0.0L, 0.0L, h}}, bottom = {{0.0L, 0.0L, -h}};
    const ov_vec3 *v = s->u.vertices;
    do_vec core, out = p;
    switch (s->kind) {
    case OV_SHAPE_KIND_BOX:
        out.v[0] = fminl(s->a.x, fmaxl(-s->a.x, p.v[0]));
        out.v[1] = fminl(s->a.y, fmaxl(-s->a.y, p.v[1]));
        out.v[2] = fminl(s->a.z, fmaxl(-s->a.z, p.v[2]));
        return out;
    case OV_SHAPE_KIND_CAPSULE:
        core = nearest_on_segment(p, bottom, top);
        return do_add(core, do_unit(do_add(p, core, -1.0L)), r);
    case OV_SHAPE_KIND_CYLINDER:
        return nearest_on_profile(p, can, 4);
    case OV_SHAPE_KIND_CONE:
        return nearest_on_profile(p, hat, 3);
    case OV_SHAPE_KIND_POLYHEDRON:
        return nearest_on_polyhedron(s, p);
    case OV_SHAPE_KIND_TRIANGLE:
        return nearest_on_triangle(p, do_from(v[0]), do_from(v[1]), do_from(v[2]));
    case OV_SHAPE_KIND_SEGMENT:
        return nearest_on_segment(p, do_from(v[0]), do_from(v[1]));
    case OV_SHAPE_KIND_POINT:
        return do_from(v[0]);
    default: { // half-space
        do_vec n = do_from(s->u.halfspace.normal);
        return do_add(p, n, s->u.halfspace.offset - do_dot(n, p));
    }
    }
}

/** A solid (A) and a sphere (B). */
typedef struct sphere_pair {
    const ov_shape *solid;
    do_vec position, centre;
    do_turn turn;
    do_real radius;
} sphere_pair;

static do_contact sphere_contact(const sphere_pair *p) {
    do_vec local = do_apply_inverse(&p->turn, do_add(p->centre, p->position, -1.0L));
    do_vec near = do_add(do_apply(&p->turn, nearest_on(p->solid, local)), p->position, 1.0L);
    do_vec apart = do_add(p->centre, near, -1.0L), n = do_unit(apart);
    return (do_contact){do_length(apart) - p->radius, near, do_add(p->centre, n, -p->radius), n};
}

static do_contact moved_sphere_contact(const sphere_pair *p, int body, int motion, do_real by) {
    sphere_pair q = *p;
    if (motion < 3) {
        (body == 0 ? &q.position : &q.centre)->v[motion] += by;
    } else if (body == 0) {
        for (int i = 0; i < 3; i++) {
            q.turn.c[i] = do_turn_about(q.turn.c[i], motion - 3, by);
        }
    }
    return sphere_contact(&q);
}

/* ---- solids against a sphere */

enum { SOLIDS = 10 };
static const ov_vec3 octahedron[6] = {{1.0, 0.0, 0.0},  {0.0, 1.2, 0.0}, {-1.0, 0.0, 0.0},
                                      {0.0, -1.2, 0.0}, {0.0, 0.0, 0.7}, {0.0, 0.0, -0.7}};
static const uint32_t octahedron_faces[8][3] = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4},
                                                {1, 0, 5}, {2, 1, 5}, {3, 2, 5}, {0, 3, 5}};

static void make_solids(ov_shape s[SOLIDS]) {
    const ov_vec3 a = {0.9, -0.2, 0.3}, b = {-0.5, 1.1, -0.1}, c = {-0.4, -0.7, -0.6};
    CHECK_OK(ov_shape_make_box(ov_vec3_make(0.7, 1.1, 0.4), &s[0]));
    CHECK_OK(ov_shape_make_capsule(0.5, 0.8, &s[1]));
    CHECK_OK(ov_shape_make_cylinder(0.8, 0.6, &s[2]));
    CHECK_OK(ov_shape_make_cone(0.9, 0.7, &s[3]));
    CHECK_OK(ov_shape_make_polyhedron(octahedron, 6, octahedron_faces, 8, &s[4]));
    CHECK_OK(ov_shape_make_triangle(a, b, c, &s[5]));
    CHECK_OK(ov_shape_make_segment(a, b, &s[6]));
    CHECK_OK(ov_shape_make_point(c, &s[7]));
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(1.0, 2.0, 2.0), 0.3, &s[8]));
    CHECK_OK(ov_shape_make_capsule(0.5, 0.0, &s[9]));
}

/** Largest change of a contact's points and normal, by a motion of one. */
static double speed(do_contact c) {
    return fmax(largest_of(do_to(c.point_a)),
                fmax(largest_of(do_to(c.point_b)), largest_of(do_to(c.normal))));
}

/**
 * Largest error, or -1 where the nearest point goes from one feature to another within the step:
 * the differences to either side disagree by far more than the curvatures can account for.
 */
static double compare_sphere_pair(const sphere_pair *p, const ov_contact_derivatives *d) {
    const do_real step = 1e-5L;
    double worst = 0.0;
    for (int i = 0; i < 2 * OV_DOF_COUNT; i++) {
        int body = i / OV_DOF_COUNT, k = i % OV_DOF_COUNT;
        do_contact up = moved_sphere_contact(p, body, k, step), mid = sphere_contact(p);
        do_contact down = moved_sphere_contact(p, body, k, -step);
        do_contact e = do_combine(up, down, 0.5L / step, -0.5L / step);
        do_contact forward = do_combine(up, mid, 1.0L / step, -1.0L / step);
        if (speed(do_combine(forward, e, 1.0L, -1.0L)) > 0.003) {
            return -1.0;
        }
        worst = fmax(worst, fabs(d->gap[body][k] - (double)e.gap));
        worst = fmax(worst, off_by(d->point_a[body][k], do_to(e.point_a)));
        worst = fmax(worst, off_by(d->point_b[body][k], do_to(e.point_b)));
        worst = fmax(worst, off_by(d->normal[body][k], do_to(e.normal)));
    }
    return worst;
}

/** Draws a sphere whose centre is outside of the solid; the bodies may overlap. */
static void draw_sphere_pair(check_random *r, const ov_shape *solid, ov_pose *pose, ov_pose *pose_b,
                             sphere_pair *p) {
    *pose = draw_pose(r, 1.0);
    *p = (sphere_pair){.solid = solid,
                       .position = do_from(pose->position),
                       .turn = do_turn_of(pose->rotation),
                       .radius = check_uniform(r, 0.05, 0.6)};
    bool inside = true;
    do_real gap = 0.0L;
    // within 0.3 of the surface the curvatures at play are too large for the step
    while (inside || gap < 0.3L) {
        double far = check_uniform(r, 0.5, 3.0);
        ov_vec3 at = ov_vec3_scale(check_unit_vector(r), far);
        CHECK_OK(ov_shape_contains(solid, at, &inside));
        pose_b->position = ov_pose_apply(*pose, at);
        pose_b->rotation = check_rotation(r);
        p->centre = do_from(pose_b->position);
        gap = inside ? 0.0L : sphere_contact(p).gap + p->radius;
    }
}

static void test_solids_and_sphere(void) {
    check_random r = check_random_make(2111);
    const double tolerance = 1e-8;
    ov_shape solid[SOLIDS];
    make_solids(solid);
    for (int i = 0; i < SOLIDS; i++) {
        double worst = 0.0;
        int kinks = 0;
        for (int n = 0; n < 300; n++) {
            ov_pose pose, pose_b;
            sphere_pair p;
            ov_shape ball;
            ov_contact_derivatives d;
            draw_sphere_pair(&r, &solid[i], &pose, &pose_b, &p);
            CHECK_OK(ov_shape_make_sphere((double)p.radius, &ball));
            do_contact c = sphere_contact(&p);
            ov_contact contact =
                solved((double)c.gap, do_to(c.point_a), do_to(c.point_b), do_to(c.normal));
            if (CHECK_OK(ov_pair_derivatives(&solid[i], pose, &ball, pose_b, &contact, &d))) {
                double error = compare_sphere_pair(&p, &d);
                kinks += error < 0.0;
                worst = fmax(worst, error);
            }
        }
        CHECK_NEAR(worst, 0.0, tolerance);
        CHECK(kinks <= 3);
        check_worst(ov_shape_kind_name(solid[i].kind), worst, tolerance);
    }
}

/* ---- borders of faces and edges */

/** Zero, next to nothing, or any, in equal parts. */
static double draw_weight(check_random *r) {
    double kind = check_uniform(r, 0.0, 3.0), tiny = pow(10.0, -check_uniform(r, 3.0, 16.0));
    double any = check_uniform(r, 0.0, 1.0);
    return kind < 1.0 ? 0.0 : kind < 2.0 ? tiny : any;
}

/** A sphere over a triangle's point on or near its border, along or nearly along its normal. */
static void draw_border_pair(check_random *r, const ov_shape *solid, ov_pose *pose_b,
                             sphere_pair *p) {
    bool flat = solid->kind == OV_SHAPE_KIND_TRIANGLE;
    const uint32_t *face = octahedron_faces[check_random_bits(r) % 8];
    const ov_vec3 *v = flat ? solid->u.vertices : octahedron;
    ov_vec3 corner[3], at = {0.0, 0.0, 0.0};
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        corner[i] = v[flat ? (uint32_t)i : face[i]];
        double weight = draw_weight(r);
        at = ov_vec3_add_scaled(at, corner[i], weight);
        sum += weight;
    }
    at = sum > 0.0 ? ov_vec3_scale(at, 1.0 / sum) : corner[0];
    ov_vec3 n = ov_vec3_normalize(
        ov_vec3_cross(ov_vec3_sub(corner[1], corner[0]), ov_vec3_sub(corner[2], corner[0])));
    ov_vec3 aside = check_unit_vector(r);
    n = ov_vec3_normalize(ov_vec3_add_scaled(n, aside, draw_weight(r)));
    double beyond = check_uniform(r, 0.3, 2.0);
    *pose_b = (ov_pose){ov_vec3_add_scaled(at, n, beyond), ov_quat_identity()};
    *p = (sphere_pair){.solid = solid,
                       .centre = do_from(pose_b->position),
                       .turn = do_turn_of(ov_quat_identity()),
                       .radius = check_uniform(r, 0.05, 0.6)};
}

/** Largest error of a derivative by either side; of the gap's alone where there are no others. */
static double border_error(const sphere_pair *p, const ov_contact_derivatives *d) {
    double worst = 0.0;
    const do_contact mid = sphere_contact(p);
    for (int i = 0; i < 6; i++) {
        int k = i / 2;
        do_real step = i % 2 == 0 ? 1e-8L : -1e-8L;
        do_contact e =
            do_combine(moved_sphere_contact(p, 1, k, step), mid, 1.0L / step, -1.0L / step);
        worst = fmax(worst, fabs(d->gap[1][k] - (double)e.gap));
        if (d->contact_smooth) {
            worst = fmax(worst, off_by(d->point_a[1][k], do_to(e.point_a)));
            worst = fmax(worst, off_by(d->normal[1][k], do_to(e.normal)));
        }
    }
    return worst;
}

static void test_borders(void) {
    check_random r = check_random_make(2115);
    const double tolerance = 1e-5; // of second order: the step times the curvatures, up to 1/0.3
    ov_shape solid[SOLIDS];
    make_solids(solid);
    for (int i = 4; i < 6; i++) {
        double worst = 0.0;
        long smooth = 0, none = 0;
        for (int n = 0; n < 3000; n++) {
            ov_pose pose_b;
            sphere_pair p;
            ov_shape ball;
            ov_contact_derivatives d;
            draw_border_pair(&r, &solid[i], &pose_b, &p);
            CHECK_OK(ov_shape_make_sphere((double)p.radius, &ball));
            do_contact c = sphere_contact(&p);
            ov_contact contact =
                solved((double)c.gap, do_to(c.point_a), do_to(c.point_b), do_to(c.normal));
            ov_status status =
                ov_pair_derivatives(&solid[i], ov_pose_identity(), &ball, pose_b, &contact, &d);
            CHECK_STATUS(status, d.contact_smooth ? OV_OK : OV_NOT_SMOOTH);
            CHECK(d.gap_smooth);
            worst = fmax(worst, border_error(&p, &d));
            smooth += d.contact_smooth;
            none += !d.contact_smooth;
        }
        CHECK_NEAR(worst, 0.0, tolerance);
        CHECK(smooth > 300 && none > 300);
        check_worst("borders of faces and edges", worst, tolerance);
    }
}

/* ---- superellipsoids that are polyhedra */

static double largest_difference(const ov_contact_derivatives *d, const ov_contact_derivatives *e) {
    double most = 0.0;
    for (int i = 0; i < 2 * OV_DOF_COUNT; i++) {
        int body = i / OV_DOF_COUNT, k = i % OV_DOF_COUNT;
        most = fmax(most, fabs(d->gap[body][k] - e->gap[body][k]));
        most = fmax(most, off_by(d->point_a[body][k], e->point_a[body][k]));
        most = fmax(most, off_by(d->point_b[body][k], e->point_b[body][k]));
        most = fmax(most, off_by(d->normal[body][k], e->normal[body][k]));
    }
    return most;
}

/** A smooth shape that has become a polyhedron rolls as the polyhedron does. */
static void compare_as_polyhedron(check_random *r, const ov_shape *smooth, const ov_shape *solid,
                                  double tolerance) {
    double worst = 0.0;
    for (int i = 0; i < 300; i++) {
        ov_pose pose, pose_b;
        sphere_pair p;
        ov_shape ball;
        ov_contact_derivatives d, e;
        draw_sphere_pair(r, solid, &pose, &pose_b, &p);
        CHECK_OK(ov_shape_make_sphere((double)p.radius, &ball));
        do_contact c = sphere_contact(&p);
        ov_contact contact =
            solved((double)c.gap, do_to(c.point_a), do_to(c.point_b), do_to(c.normal));
        CHECK_OK(ov_pair_derivatives(solid, pose, &ball, pose_b, &contact, &d));
        // on straight lines the derivatives by the tapers are one-sided, and nothing else is
        ov_status status = ov_pair_derivatives(smooth, pose, &ball, pose_b, &contact, &e);
        const bool *by = e.shape_smooth[0];
        bool tapers = by[OV_PARAMETER_TX] && by[OV_PARAMETER_TY];
        CHECK_STATUS(status, tapers ? OV_OK : OV_NOT_SMOOTH);
        CHECK(by[OV_PARAMETER_A1] && by[OV_PARAMETER_A3] && by[OV_PARAMETER_E1] && e.gap_smooth);
        if (CHECK(e.contact_smooth)) {
            worst = fmax(worst, largest_difference(&d, &e));
        }
    }
    CHECK_NEAR(worst, 0.0, tolerance);
    check_worst("superellipsoid as a polyhedron", worst, tolerance);
}

static void test_polyhedral_limits(void) {
    check_random r = check_random_make(2113);
    ov_shape eight, box, smooth;
    CHECK_OK(ov_shape_make_polyhedron(octahedron, 6, octahedron_faces, 8, &eight));
    CHECK_OK(ov_shape_make_superellipsoid(ov_vec3_make(1.0, 1.2, 0.7), 2.0, 2.0, &smooth));
    compare_as_polyhedron(&r, &smooth, &eight, 1e-12);
    CHECK_OK(ov_shape_make_box(ov_vec3_make(0.7, 1.1, 0.4), &box));
    CHECK_OK(ov_shape_make_superellipsoid(box.a, 1e-15, 1e-15, &smooth));
    // its edges have a radius, about e over the share of the smaller component of the normal
    compare_as_polyhedron(&r, &smooth, &box, 1e-9);
}

int main(void) {
    check_suite = "derivatives_solids";
    RUN(test_solids_and_sphere);
    RUN(test_borders);
    RUN(test_polyhedral_limits);
    return check_finish();
}
