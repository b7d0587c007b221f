/**
 * @file test_motion_facet.c
 * @brief Polygons with an offset against polygons: no "apart" is false, and none is missed but for
 * rounding.
 *
 * Oracles, in long double: for a radius of 0 the distance of the polygons; else the function whose
 * sign decides, |g(x) - F| - R rho(x), over the points x of P, sampled, improved, and bounded from
 * below over smaller and smaller triangles by how fast it can change. rho is made from the matrix
 * of moments, not from its axes.
 */
#include "motion/polygons/facet.h"
#include "polygon_cases.h"

/* ---- a case: P with a metric and a displacement, F where it is */

typedef struct facet_case {
    ov_polygons *moving, *fixed;
    ov_metric metric;
    ov_affine g;
    ovi_distortion_form form;
    ovi_facet a, b;
    ov_vec3 corners[CASE_CORNERS], room_a[CASE_CORNERS], room_b[CASE_CORNERS];
    double rho[CASE_CORNERS], kappa[CASE_CORNERS];
    ov_vec2 plane[CASE_CORNERS];
    lvec p[CASE_CORNERS], f[CASE_CORNERS]; /**< P in its frame, F in the world */
    long double inverse[3][3];             /**< of the moments */
    long double steep;                     /**< of rho, at most */
} facet_case;

static ovi_facet facet_of(const ov_polygons *s, ov_vec3 *corners) {
    const ovi_polygon *p = &s->polygons[0];
    for (size_t i = 0; i < p->count; i++) {
        corners[i] = ovi_polygon_corner(s, p, i);
    }
    return (ovi_facet){.corners = corners,
                       .count = p->count,
                       .centre = p->centre,
                       .p = p->p,
                       .q = p->q,
                       .normal = p->normal,
                       .radius = p->radius,
                       .deviation = p->deviation};
}

/** Inverse of the sum of m a a', by cofactors. */
static void invert_moments(facet_case *c) {
    const ov_vec3 axes[3] = {c->metric.axes.cx, c->metric.axes.cy, c->metric.axes.cz};
    const double m[3] = {c->metric.moments.x, c->metric.moments.y, c->metric.moments.z};
    long double j[3][3] = {{0}};
    for (int k = 0; k < 3; k++) {
        const long double a[3] = {axes[k].x, axes[k].y, axes[k].z};
        for (int i = 0; i < 9; i++) {
            j[i / 3][i % 3] += m[k] * a[i / 3] * a[i % 3];
        }
    }
    long double det = 0.0L;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            c->inverse[k][i] = j[i1][k1] * j[i2][k2] - j[i1][k2] * j[i2][k1];
        }
        det += j[0][i] * c->inverse[i][0];
    }
    for (int i = 0; i < 9; i++) {
        c->inverse[i / 3][i % 3] /= det;
    }
    c->steep = 1.0L / sqrtl(fmin(m[0], fmin(m[1], m[2])));
}

static long double rho_of(const facet_case *c, lvec x) {
    lvec d = lv_sub(x, lv_of(c->metric.centre));
    const long double v[3] = {d.x, d.y, d.z};
    long double sum = 1.0L / c->metric.mass;
    for (int i = 0; i < 9; i++) {
        sum += v[i / 3] * c->inverse[i / 3][i % 3] * v[i % 3];
    }
    return sqrtl(sum);
}

static long double distance_of(const facet_case *c, lvec x) {
    return point_polygon(lv_map(&c->g, x), c->f, c->fixed->polygons[0].count);
}

/** Everything that follows from the two polygons, the metric and g. */
static void prepare(facet_case *c) {
    ov_vec3 fixed[CASE_CORNERS];
    ov_affine still = ov_affine_from_pose(ov_pose_identity());
    ovi_facet local = facet_of(c->moving, c->corners), other = facet_of(c->fixed, fixed);
    ovi_distortion_form_make(&c->metric, c->corners, local.count, local.centre, local.p, local.q,
                             c->rho, c->kappa, c->plane, &c->form);
    ovi_facet_place(&local, &c->g, c->room_a, &c->a);
    ovi_facet_place(&other, &still, c->room_b, &c->b);
    for (size_t i = 0; i < local.count; i++) {
        c->p[i] = lv_of(c->corners[i]);
    }
    for (size_t i = 0; i < other.count; i++) {
        c->f[i] = lv_of(fixed[i]);
    }
    invert_moments(c);
}

static ov_mat3 random_linear(check_random *r, bool rigid) {
    ov_mat3 m = ov_mat3_from_quat(check_rotation(r));
    if (!rigid) {
        m.cx = ov_vec3_add_scaled(m.cx, check_unit_vector(r), 0.4);
        m.cy = ov_vec3_scale(m.cy, check_uniform(r, 0.5, 1.5));
        m.cz = ov_vec3_add_scaled(m.cz, check_unit_vector(r), 0.4);
    }
    return m;
}

/** Metrics of the polygon itself, of a larger body around, and of one beside it. */
static ov_metric random_metric(check_random *r, const ov_polygons *s, int kind) {
    ov_metric metric;
    const ov_vec3 *v = ov_polygons_vertices(s);
    if (kind == 0) {
        CHECK_OK(ov_metric_from_polygon(v, s->corner_count, 0.0, &metric));
        return metric;
    }
    ov_vec3 points[8], at = ov_vec3_scale(check_unit_vector(r), kind == 1 ? 0.0 : 3.0);
    for (int i = 0; i < 8; i++) {
        points[i] = ov_vec3_add_scaled(at, check_unit_vector(r), check_uniform(r, 0.3, 2.0));
    }
    CHECK_OK(ov_metric_from_points(points, NULL, 8, &metric));
    return metric;
}

/** The case refers to itself: it must not be copied. */
static void random_case(check_random *r, double distance, facet_case *c) {
    c->moving = polygons_random(r, 1, 1.0);
    c->fixed = polygons_random(r, 1, 1.0);
    c->metric = random_metric(r, c->moving, (int)(check_random_bits(r) % 3));
    c->g.linear = random_linear(r, check_random_bits(r) % 3 != 0);
    c->g.translation = ov_vec3_scale(check_unit_vector(r), distance);
    prepare(c);
}

/** Turns P across the way from F's middle to its first corner, and puts it before that corner. */
static void face_a_corner(check_random *r, double distance, facet_case *c) {
    const ovi_polygon *p = &c->moving->polygons[0], *f = &c->fixed->polygons[0];
    ov_vec3 corner = ovi_polygon_corner(c->fixed, f, 0);
    ov_vec3 way = ov_vec3_normalize(ov_vec3_sub(corner, f->centre));
    ov_vec3 axis = ov_vec3_cross(p->normal, way);
    double angle = acos(ov_vec3_dot(p->normal, way)) + check_uniform(r, -0.3, 0.3);
    c->g.linear = ov_mat3_from_quat(ov_quat_from_axis_angle(axis, angle));
    ov_vec3 to = ov_vec3_add_scaled(corner, way, distance);
    c->g.translation = ov_vec3_sub(to, ov_mat3_mul_vec3(&c->g.linear, p->centre));
    prepare(c);
}

static void release(facet_case *c) {
    ov_polygons_destroy(c->moving);
    ov_polygons_destroy(c->fixed);
}

static bool meets(const facet_case *c, double radius, double extra, ovi_feature_pair *features) {
    return ovi_offset_facet_meets(&c->a, &c->form, radius, &c->b, extra, features);
}

/* ---- the oracles */

/** Point of P by its fan's triangle and two numbers that go from 0 to 1. */
static lvec point_of(const facet_case *c, size_t triangle, long double s, long double t) {
    lvec o = c->p[0], u = lv_sub(c->p[triangle + 1], o), v = lv_sub(c->p[triangle + 2], o);
    if (s + t > 1.0L) {
        s = 1.0L - s;
        t = 1.0L - t;
    }
    return lv_at(lv_at(o, u, s), v, t);
}

/** A small |g(x) - F| / rho(x), by samples, and steps from the best of them. */
static long double least_radius(const facet_case *c) {
    enum { GRID = 12 };
    long double best = INFINITY, best_s = 0.0L, best_t = 0.0L;
    size_t best_k = 0;
    for (size_t k = 0; k + 2 < c->moving->corner_count; k++) {
        for (int i = 0; i <= GRID; i++) {
            for (int j = 0; i + j <= GRID; j++) {
                lvec x = point_of(c, k, (long double)i / GRID, (long double)j / GRID);
                long double value = distance_of(c, x) / rho_of(c, x);
                if (value < best) {
                    best = value;
                    best_s = (long double)i / GRID;
                    best_t = (long double)j / GRID;
                    best_k = k;
                }
            }
        }
    }
    for (long double step = 0.5L / GRID; step > 1e-9L;) {
        bool better = false;
        for (int d = 0; d < 8 && !better; d++) {
            static const int ds[8] = {1, -1, 0, 0, 1, -1, 1, -1};
            static const int dt[8] = {0, 0, 1, -1, 1, -1, -1, 1};
            long double s = best_s + step * ds[d], t = best_t + step * dt[d];
            if (s < 0.0L || t < 0.0L || s + t > 1.0L) {
                continue;
            }
            lvec x = point_of(c, best_k, s, t);
            long double value = distance_of(c, x) / rho_of(c, x);
            if (value < best) {
                best = value;
                best_s = s;
                best_t = t;
                better = true;
            }
        }
        step = better ? step : 0.5L * step;
    }
    return best;
}

typedef struct cell {
    lvec c[3];
} cell;

/** Is |g(x) - F| > (R^2 rho^2 + k)^1/2 all over P, proven by smaller and smaller triangles? */
static bool proven_apart(const facet_case *c, long double radius, long double k, int *left) {
    enum { STACK = 256 };
    cell stack[STACK];
    int top = 0;
    long double steep = radius * c->steep;
    const ov_mat3 *m = &c->g.linear;
    steep +=
        sqrtl(ov_vec3_dot(m->cx, m->cx) + ov_vec3_dot(m->cy, m->cy) + ov_vec3_dot(m->cz, m->cz));
    for (size_t i = 2; i < c->moving->corner_count; i++) {
        stack[top++] = (cell){{c->p[0], c->p[i - 1], c->p[i]}};
    }
    while (top > 0 && (*left)-- > 0) {
        cell t = stack[--top];
        lvec x = lv_at(lv_at(lv(0, 0, 0), t.c[0], 1.0L / 3), t.c[1], 1.0L / 3);
        x = lv_at(x, t.c[2], 1.0L / 3);
        long double far = 0.0L, rho = radius * rho_of(c, x);
        for (int i = 0; i < 3; i++) {
            far = fmaxl(far, lv_length(lv_sub(t.c[i], x)));
        }
        long double value = distance_of(c, x) - sqrtl(rho * rho + k);
        if (value <= 0.0L) {
            return false;
        }
        if (value > steep * far || top + 2 >= STACK) {
            *left = top + 2 >= STACK ? 0 : *left;
            continue;
        }
        // in two, across the longest side
        int longest = 0;
        long double most = 0.0L;
        for (int i = 0; i < 3; i++) {
            long double l = lv_length(lv_sub(t.c[(i + 1) % 3], t.c[i]));
            longest = l > most ? i : longest;
            most = fmaxl(most, l);
        }
        int next = (longest + 1) % 3;
        lvec middle = lv_at(t.c[longest], lv_sub(t.c[next], t.c[longest]), 0.5L);
        stack[top] = stack[top + 1] = t;
        stack[top++].c[next] = middle;
        stack[top++].c[longest] = middle;
    }
    return top == 0 && *left > 0;
}

/* ---- tests */

/** A point of a ball of displacements is where the orbit says it is. */
static void forms_are_the_metric(void) {
    check_random r = check_random_make(1);
    double worst = 0.0;
    for (int round = 0; round < 500; round++) {
        facet_case c;
        random_case(&r, 2.0, &c);
        size_t n = c.moving->corner_count;
        const ovi_polygon *p = &c.moving->polygons[0];
        for (size_t i = 0; i < n; i++) {
            size_t next = (i + 1) % n;
            double s = check_uniform(&r, 0.0, 1.0), t = check_uniform(&r, 0.0, 1.0);
            lvec x = lv_at(c.p[i], lv_sub(c.p[next], c.p[i]), s);
            long double exact = rho_of(&c, x), rho0 = c.rho[i], rho1 = c.rho[next];
            long double side =
                sqrtl((1 - s) * rho0 * rho0 + s * rho1 * rho1 - c.kappa[i] * s * (1 - s));
            worst = fmax(worst, (double)fabsl(side - exact));
            s = 2.0 * s - 1.0;
            t = 2.0 * t - 1.0;
            x = lv_at(lv_at(lv_of(p->centre), lv_of(p->p), s), lv_of(p->q), t);
            exact = rho_of(&c, x);
            double form = c.form.middle + 2.0 * (c.form.b1 * s + c.form.b2 * t) +
                          c.form.k11 * s * s + 2.0 * c.form.k12 * s * t + c.form.k22 * t * t;
            worst = fmax(worst, fabs(sqrt(form) - (double)exact) / (1.0 + (double)exact));
            CHECK((double)rho_of(&c, c.p[i]) <= c.form.most);
        }
        release(&c);
    }
    CHECK_NEAR(worst, 0.0, 1e-10);
    check_worst("distortion by sides and plane", worst, 1e-10);
}

/** The least radius at which they meet, from above; and one that is proven too small. */
static void the_least_radius(void) {
    check_random r = check_random_make(2);
    size_t elements[OV_SWEEP_ELEMENT_COUNT] = {0};
    int apart = 0, large = 0, undecided = 0;
    for (int round = 0; round < 600; round++) {
        facet_case c;
        random_case(&r, check_uniform(&r, 0.0, round % 4 ? 2.0 : 6.0), &c);
        if (round % 5 == 0) {
            face_a_corner(&r, check_log_uniform(&r, 0.001, 0.3), &c);
        }
        long double radius = least_radius(&c);
        ovi_feature_pair features = {OV_SWEEP_ELEMENT_PARTS, 0, 0};
        CHECK(meets(&c, (double)radius * (1.0 + 1e-15), 0.0, &features));
        CHECK(meets(&c, 2.0 * (double)radius, 0.0, &features));
        CHECK(meets(&c, (double)radius * (1.0 + 1e-15), 0.0, &features));
        elements[features.element]++;
        CHECK(features.index_a < c.a.count && features.index_b < c.b.count);
        double half = 0.5 * (double)radius;
        // where its offset is half as much, something between does the rest
        lvec x = c.p[0];
        double extra = (double)(distance_of(&c, x) - half * rho_of(&c, x));
        CHECK(extra < 0.0 || meets(&c, half, extra * (1.0 + 1e-15), &features));
        large += radius > sqrt(c.metric.moments.x);
        double less = (double)radius * (1.0 - check_log_uniform(&r, 0.01, 0.3));
        int left = 4000;
        if (radius > 1e-3L && proven_apart(&c, less, 1e-10L, &left)) {
            CHECK(!meets(&c, less, 0.0, &features));
            apart++;
        } else {
            undecided += left <= 0;
        }
        // with something between, by the bound that the test is about
        extra = check_uniform(&r, 0.0, 0.3);
        double offset = less * c.form.most;
        left = 1500;
        if (proven_apart(&c, less, extra * (2.0 * offset + extra) + 1e-10, &left)) {
            CHECK(!meets(&c, less, extra, &features));
            apart++;
        }
        release(&c);
    }
    printf("motion_facet: elements at the least radius:");
    for (int i = 1; i < OV_SWEEP_ELEMENT_COUNT; i++) {
        printf(" %s %zu", ov_sweep_element_name((ov_sweep_element)i), elements[i]);
        CHECK(elements[i] > 2);
    }
    printf("; %d proven apart, %d large radii, %d undecided\n", apart, large, undecided);
    CHECK(apart > 500 && large > 100 && undecided < 100);
}

/** Without a radius the distance decides, to rounding. */
static void the_distance(void) {
    check_random r = check_random_make(3);
    int crossing = 0;
    for (int round = 0; round < 2500; round++) {
        facet_case c;
        random_case(&r, check_uniform(&r, 0.0, 1.5), &c);
        lvec a[CASE_CORNERS];
        size_t n = c.moving->corner_count;
        for (size_t i = 0; i < n; i++) {
            a[i] = lv_map(&c.g, c.p[i]);
        }
        double d = (double)polygon_polygon(a, n, c.f, c.fixed->corner_count);
        ovi_nearest_points near = ovi_facets_nearest(&c.a, &c.b);
        if (d > 0.0) {
            CHECK_NEAR(sqrt(near.square), d, 1e-12);
            CHECK_NEAR(ov_vec3_length(ov_vec3_sub(near.on_a, near.on_b)), d, 1e-12);
        }
        ovi_feature_pair features;
        CHECK(meets(&c, 0.0, d + 1e-15, &features));
        if (d > 1e-9) {
            // as much as the polygons' own unevenness and 1e-12
            CHECK(
                !meets(&c, 0.0, d - 1e-12 - 2.0 * c.a.deviation - 2.0 * c.b.deviation, &features));
        } else {
            CHECK(meets(&c, 0.0, 0.0, &features));
            crossing++;
        }
        release(&c);
    }
    printf("motion_facet: %d of the pairs cross\n", crossing);
    CHECK(crossing > 50);
}

/** A quadrangle of half widths w and h about a point, moved by a pose. */
static ov_polygons *rectangle(double w, double h, ov_vec3 at, ov_quat turn, ov_pose pose) {
    ov_vec3 v[4] = {{-w, -h, 0}, {w, -h, 0}, {w, h, 0}, {-w, h, 0}};
    static const uint32_t corners[4] = {0, 1, 2, 3}, size = 4;
    for (int i = 0; i < 4; i++) {
        v[i] = ov_pose_apply(pose, ov_vec3_add(at, ov_quat_rotate(turn, v[i])));
    }
    return polygons_of(v, 4, corners, &size, 1);
}

/** Distance of polygons that do not cross, without a look at that: parallel ones look as if. */
static double boundary_distance(const lvec *a, size_t count_a, const lvec *b, size_t count_b) {
    long double best = INFINITY;
    for (size_t i = 0; i < count_a; i++) {
        best = fminl(best, point_polygon(a[i], b, count_b));
        for (size_t k = 0; k < count_b; k++) {
            best = fminl(best, point_polygon(b[k], a, count_a));
            best = fminl(best,
                         segment_segment(a[i], a[(i + 1) % count_a], b[k], b[(k + 1) % count_b]));
        }
    }
    return (double)best;
}

/** Sides and planes that are parallel, or nearly so, at distances that are known. */
static void parallel_squares(void) {
    check_random r = check_random_make(4);
    const ov_vec3 places[] = {{2, 0, 0}, {2, 0.3, 0},   {2, 2, 0},
                              {0, 0, 0}, {0.7, 1.1, 0}, {2, 1, 0}};
    for (int round = 0; round < 3000; round++) {
        double gap = check_log_uniform(&r, 1e-6, 1.0);
        double tilt = round % 3 == 0 ? 0.0 : gap * check_log_uniform(&r, 1e-12, 0.2);
        ov_vec3 at = places[round % 6];
        bool above = at.x < 2.0;
        at = ov_vec3_add(at, above ? ov_vec3_make(0, 0, gap) : ov_vec3_make(gap, 0, 0));
        ov_quat turn = ov_quat_from_axis_angle(check_unit_vector(&r), tilt);
        ov_pose pose = {ov_vec3_scale(check_unit_vector(&r), check_uniform(&r, 0.0, 3.0)),
                        check_rotation(&r)};
        facet_case c;
        c.moving = rectangle(1, 1, at, turn, pose);
        c.fixed = rectangle(1, 1, ov_vec3_make(0, 0, 0), ov_quat_identity(), pose);
        c.metric = random_metric(&r, c.moving, round % 2);
        c.g = ov_affine_from_pose(ov_pose_identity());
        prepare(&c);
        double d = boundary_distance(c.p, 4, c.f, 4);
        ovi_feature_pair features;
        CHECK(meets(&c, 0.0, d + 1e-15, &features));
        CHECK(!meets(&c, 0.0, d - 2e-12, &features));
        CHECK(!meets(&c, 1e-9 * d / c.form.most, d * (1.0 - 1e-8) - 2e-12, &features));
        release(&c);
    }
}

/** A blade through a plate, all vertices and sides far from each other: Listing 2 has no test. */
static void blade_through_plate(void) {
    ov_pose here = ov_pose_identity();
    ov_quat upright = ov_quat_from_axis_angle(ov_vec3_make(1, 0, 0), 0.5 * M_PI);
    for (int i = 0; i < 2; i++) {
        facet_case c;
        ov_polygons *plate = rectangle(10, 10, ov_vec3_make(0, 0, 0), ov_quat_identity(), here);
        ov_polygons *blade = rectangle(0.5, 5, ov_vec3_make(0, 0, 0), upright, here);
        c.moving = i ? blade : plate;
        c.fixed = i ? plate : blade;
        c.metric = random_metric(&(check_random){7}, c.moving, 0);
        c.g = ov_affine_from_pose(here);
        prepare(&c);
        ovi_feature_pair features;
        CHECK(meets(&c, 0.0, 0.0, &features));
        CHECK(features.element == OV_SWEEP_ELEMENT_EDGE_FACE &&
              (i ? features.index_b : features.index_a) == 0);
        CHECK(ovi_facets_cross(&c.a, &c.b, 0.4, &features));
        CHECK(!ovi_facets_cross(&c.a, &c.b, 3.0, &features));
        release(&c);
    }
}

/** What is called a crossing is one, also after moves of up to the error; and clear ones are found.
 */
static void crossings(void) {
    check_random r = check_random_make(5);
    int found = 0, missed = 0, crossing = 0;
    for (int round = 0; round < 2500; round++) {
        facet_case c;
        random_case(&r, check_uniform(&r, 0.0, 0.8), &c);
        double error = check_log_uniform(&r, 1e-12, 0.1);
        size_t n = c.moving->corner_count, m = c.fixed->corner_count;
        ov_vec3 shift = ov_vec3_scale(check_unit_vector(&r), error);
        lvec a[CASE_CORNERS], moved[CASE_CORNERS];
        for (size_t i = 0; i < n; i++) {
            a[i] = lv_map(&c.g, c.p[i]);
            moved[i] = lv_at(a[i], lv_of(shift), 1.0L);
        }
        bool cross = polygon_polygon(a, n, c.f, m) == 0.0L;
        ovi_feature_pair features;
        if (ovi_facets_cross(&c.a, &c.b, error, &features)) {
            found++;
            CHECK(cross && polygon_polygon(moved, n, c.f, m) == 0.0L);
            CHECK(features.element == OV_SWEEP_ELEMENT_EDGE_FACE);
        }
        crossing += cross;
        missed += cross && !ovi_facets_cross(&c.a, &c.b, 1e-12, &features);
        CHECK(!ovi_facets_cross(&c.a, &c.b, INFINITY, &features) &&
              !ovi_facets_cross(&c.a, &c.b, NAN, &features));
        release(&c);
    }
    printf("motion_facet: %d of %d crossings certain, %d missed with no error\n", found, crossing,
           missed);
    CHECK(found > 60 && missed == 0);
}

/** Displacements that make a polygon flat, or a point, and numbers that overflow. */
static void degenerate_displacements(void) {
    check_random r = check_random_make(6);
    for (int round = 0; round < 600; round++) {
        facet_case c;
        random_case(&r, check_uniform(&r, 0.0, 2.0), &c);
        ov_vec3 d = check_unit_vector(&r);
        double slim = round % 3 == 0 ? 0.0 : check_log_uniform(&r, 1e-16, 1e-2);
        // all is along d, but for a little
        c.g.linear = (ov_mat3){ov_vec3_add_scaled(d, check_unit_vector(&r), slim),
                               ov_vec3_add_scaled(d, check_unit_vector(&r), slim),
                               ov_vec3_scale(check_unit_vector(&r), slim)};
        prepare(&c);
        lvec a[CASE_CORNERS];
        size_t n = c.moving->corner_count;
        for (size_t i = 0; i < n; i++) {
            a[i] = lv_map(&c.g, c.p[i]);
        }
        double dist = (double)polygon_polygon(a, n, c.f, c.fixed->corner_count);
        ovi_feature_pair features;
        CHECK(meets(&c, 0.0, dist + 1e-15, &features));
        CHECK(meets(&c, (double)least_radius(&c) * (1.0 + 1e-15), 0.0, &features));
        // thin ones may be taken for as wide as they are thin
        CHECK(dist < 0.1 || !meets(&c, 0.0, 0.99 * dist - 1e-3, &features));
        CHECK(meets(&c, 1e200, 0.0, &features) && meets(&c, INFINITY, 0.0, &features));
        CHECK(meets(&c, 0.0, NAN, &features) && meets(&c, NAN, 0.0, &features));
        release(&c);
    }
}

int main(void) {
    check_suite = "motion_facet";
    RUN(forms_are_the_metric);
    RUN(the_least_radius);
    RUN(the_distance);
    RUN(parallel_squares);
    RUN(blade_through_plate);
    RUN(crossings);
    RUN(degenerate_displacements);
    return check_finish();
}
