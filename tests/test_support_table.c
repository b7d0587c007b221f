/**
 * @file test_support_table.c
 * @brief Tables of a polyhedron's vertices: supports against a look at every vertex in extended
 * precision, memory, and pairs with and without tables and warm starts.
 */
#include <float.h>

#include "ledger.h"
#include "polyhedron_bodies.h"

/* ---- bodies */

/** Every vertex of the grid on the faces of a box: most are within a face or an edge. */
static void make_grid(body *b, uint32_t side) {
    b->nv = b->nt = 0;
    for (uint32_t i = 0; i <= side; i++) {
        for (uint32_t j = 0; j <= side; j++) {
            for (uint32_t k = 0; k <= side; k++) {
                bool on = i == 0 || j == 0 || k == 0 || i == side || j == side || k == side;
                if (on) {
                    b->v[b->nv++] = ov_vec3_make(2.0 * i / side - 1.0, 2.0 * j / side - 1.0,
                                                 2.0 * k / side - 1.0);
                }
            }
        }
    }
}

static void make_cloud(body *b, check_random *r, size_t count, ov_vec3 half, bool on_surface) {
    b->nt = 0;
    b->nv = count;
    for (size_t i = 0; i < count; i++) {
        ov_vec3 u = check_unit_vector(r);
        double s = on_surface ? 1.0 : check_uniform(r, 0.0, 1.0);
        b->v[i] = ov_vec3_make(s * half.x * u.x, s * half.y * u.y, s * half.z * u.z);
    }
}

/** Four corners, and all others so close to one of them that rounding cannot tell them apart. */
static void make_cluster(body *b, check_random *r, size_t count) {
    make_cloud(b, r, count, ov_vec3_make(1e-16, 1e-16, 1e-16), false);
    for (size_t i = 0; i < count; i++) {
        b->v[i].x += 1.0;
    }
    b->v[0] = ov_vec3_make(-1.0, 0.0, 0.0);
    b->v[1] = ov_vec3_make(0.0, 1.0, 0.0);
    b->v[2] = ov_vec3_make(0.0, 0.0, 1.0);
}

enum { BODIES = 12 };

/** Body `which`, somewhere; its triangles are known for the first four. */
static void make_body(body *b, check_random *r, int which) {
    const ov_vec3 one = {1.0, 1.0, 1.0}, needle = {100.0, 1.0, 0.5}, plate = {1.0, 2.0, 1e-6};
    switch (which) {
    case 0:
        make_ellipsoid(b, 24, 15, ov_vec3_make(1.0, 0.8, 0.6));
        break;
    case 1:
        make_prism(b, 200, 1.0, 2.0);
        break;
    case 2:
        make_box(b, ov_vec3_make(1.0, 2.0, 0.5));
        break;
    case 3:
        make_ellipsoid(b, 12, 9, ov_vec3_make(1e-3, 0.8, 40.0));
        break;
    case 4:
        make_grid(b, 6);
        break;
    case 5:
        make_cloud(b, r, 4 + check_random_bits(r) % 60, one, true);
        break;
    case 6:
        make_cloud(b, r, 1000, needle, true);
        break;
    case 7:
        make_cloud(b, r, 500, plate, true);
        break;
    case 8:
        make_cloud(b, r, 3000, one, false);
        break;
    case 9:
        make_cluster(b, r, 400);
        break;
    case 10:
        make_cloud(b, r, 5000, one, true);
        break;
    default:
        make_cloud(b, r, 4, one, true);
        break;
    }
}

/** A direction with something special about it, or just any. */
static ov_vec3 direction_for(const body *b, check_random *r, int i) {
    ov_vec3 d = check_unit_vector(r);
    if (i % 6 == 1 && b->nt > 0) { // across a face: its corners are equally far
        const uint32_t *t = b->t[check_random_bits(r) % b->nt];
        ov_vec3 e = ov_vec3_sub(b->v[t[1]], b->v[t[0]]), f = ov_vec3_sub(b->v[t[2]], b->v[t[0]]);
        ov_vec3 n = ov_vec3_normalize(ov_vec3_cross(e, f));
        d = ov_vec3_dot(n, n) > 0.5 ? n : d;
    } else if (i % 6 == 2 && b->nt > 0) { // across an edge
        const uint32_t *t = b->t[check_random_bits(r) % b->nt];
        ov_vec3 n = ov_vec3_normalize(ov_vec3_cross(ov_vec3_sub(b->v[t[1]], b->v[t[0]]), d));
        d = ov_vec3_dot(n, n) > 0.5 ? n : d;
    } else if (i % 6 == 3) { // on the borders of cells
        d = ov_vec3_make(round(d.x * 16.0), round(d.y * 16.0), round(d.z * 16.0));
        d.x += d.x == 0.0 && d.y == 0.0 && d.z == 0.0 ? 1.0 : 0.0;
    } else if (i % 6 == 4) { // nearly along an axis
        double small = check_log_uniform(r, 1e-300, 1.0);
        d = ov_vec3_make(d.x * small, d.y < 0.0 ? -1.0 : 1.0, d.z * small);
    }
    return ov_vec3_scale(d, i % 7 == 0 ? check_log_uniform(r, 1e-60, 1e60) : 1.0);
}

/* ---- supports */

/** Farthest and, if it is so by more than rounding, the only one: its index, else the count. */
static size_t farthest_by_far(const body *b, ov_vec3 d, long double slack, long double *best) {
    size_t at = b->nv;
    long double second = -INFINITY;
    *best = -INFINITY;
    for (size_t k = 0; k < b->nv; k++) {
        long double value = (long double)d.x * b->v[k].x + (long double)d.y * b->v[k].y +
                            (long double)d.z * b->v[k].z;
        if (value > *best) {
            second = *best;
            *best = value;
            at = k;
        } else if (value > second) {
            second = value;
        }
    }
    return *best - second > slack ? at : b->nv;
}

static void check_support(const body *b, const ov_shape *s, ov_vec3 d, double *worst) {
    double reach = 0.0;
    for (size_t k = 0; k < b->nv; k++) {
        reach = fmax(reach, ov_vec3_length(b->v[k]));
    }
    double unit = ov_vec3_length(d) * reach;
    long double best;
    size_t only = farthest_by_far(b, d, (long double)(4e-15 * unit), &best);
    ov_support out;
    if (!CHECK_OK(ov_shape_support(s, d, &out))) {
        return;
    }
    double error = (double)fabsl(out.value - best) / unit;
    *worst = fmax(*worst, error);
    CHECK_NEAR(error, 0.0, 1e-15);
    CHECK_NEAR(ov_vec3_dot(d, out.point), out.value, 1e-15 * unit);
    if (only < b->nv) {
        CHECK(memcmp(&out.point, &b->v[only], sizeof out.point) == 0);
    }
}

static void support_is_that_of_all_vertices(void) {
    check_random r = check_random_make(1);
    double worst = 0.0;
    for (int i = 0; i < 20 * BODIES; i += check_every()) {
        make_body(&work, &r, i % BODIES);
        bool far = i / BODIES % 4 == 1;
        double scale = i / BODIES % 4 == 2 ? check_log_uniform(&r, 1e-50, 1e50) : 1.0;
        if (i >= 2 * BODIES && i % BODIES != 9) {
            move(&work, random_pose(&r, far ? 1e5 : 2.0), scale);
        }
        ov_shape s;
        ov_support_table *table;
        CHECK_OK(ov_shape_make_polyhedron(work.v, work.nv, NULL, 0, &s));
        CHECK_OK(ov_support_table_create(&s, NULL, &table));
        CHECK(s.u.polyhedron.table == table);
        for (int k = 0; k < 300; k++) {
            check_support(&work, &s, direction_for(&work, &r, k), &worst);
        }
        ov_support_table_destroy(table);
    }
    check_worst("support by tables, relative to reach", worst, 1e-15);
}

/** Of vertices that are exactly equally far it is the mean, as without a table. */
static void ties(void) {
    make_grid(&work, 8);
    ov_shape with, without;
    ov_support_table *table;
    CHECK_OK(ov_shape_make_polyhedron(work.v, work.nv, NULL, 0, &without));
    with = without;
    CHECK_OK(ov_support_table_create(&with, NULL, &table));
    for (int x = -2; x <= 2; x++) {
        for (int y = -2; y <= 2; y++) {
            for (int z = -2; z <= 2; z++) {
                ov_support a, b;
                ov_vec3 d = {x, y, z};
                if (x == 0 && y == 0 && z == 0) {
                    continue;
                }
                CHECK_OK(ov_shape_support(&with, d, &a));
                CHECK_OK(ov_shape_support(&without, d, &b));
                CHECK(a.value == b.value);
                CHECK_NEAR(ov_vec3_length(ov_vec3_sub(a.point, b.point)), 0.0, 1e-15);
            }
        }
    }
    ov_support_table_destroy(table);
}

/* ---- memory and errors */

static void memory(void) {
    check_random r = check_random_make(2);
    static ledger l;
    for (int i = 0; i < BODIES; i++) {
        make_body(&work, &r, i);
        ov_shape s, before;
        CHECK_OK(ov_shape_make_polyhedron(work.v, work.nv, NULL, 0, &s));
        before = s;
        ov_support_table *table = NULL;
        long fails = 0;
        ov_status status = OV_ERROR_MEMORY;
        while (status != OV_OK && fails < 1000) {
            ledger_start(&l, ++fails);
            ov_allocator allocator = ledger_allocator(&l);
            status = ov_support_table_create(&s, &allocator, &table);
            if (status != OV_OK) {
                CHECK_STATUS(status, OV_ERROR_MEMORY);
                CHECK(table == NULL && l.count == 0 && memcmp(&s, &before, sizeof s) == 0);
            }
        }
        CHECK(fails > 4 && fails < 1000);
        // what the documentation says, and something for the first cells
        CHECK(l.bytes <= 800 * work.nv + 8000);
        ov_support_table_destroy(table);
        CHECK(l.count == 0);
    }
}

static void refusals(void) {
    ov_shape s;
    ov_support_table *table = (ov_support_table *)&s;
    CHECK_OK(ov_shape_make_sphere(1.0, &s));
    CHECK_STATUS(ov_support_table_create(&s, NULL, &table), OV_ERROR_UNSUPPORTED);
    CHECK(table == NULL);
    CHECK_STATUS(ov_support_table_create(NULL, NULL, &table), OV_ERROR_NULL);
    CHECK_STATUS(ov_support_table_create(&s, NULL, NULL), OV_ERROR_NULL);
    s.kind = OV_SHAPE_KIND_NONE;
    CHECK_STATUS(ov_support_table_create(&s, NULL, &table), OV_ERROR_SHAPE);
    ov_support_table_destroy(NULL);
}

/* ---- pairs */

/** Two polyhedra, with tables and without. */
typedef struct two {
    body bodies[2];
    ov_shape with[2], without[2];
    ov_support_table *tables[2];
    ov_pose poses[2];
} two;

static void make_two(two *p, check_random *r) {
    for (int k = 0; k < 2; k++) {
        make_body(&p->bodies[k], r, (int)(check_random_bits(r) % BODIES));
        CHECK_OK(
            ov_shape_make_polyhedron(p->bodies[k].v, p->bodies[k].nv, NULL, 0, &p->without[k]));
        p->with[k] = p->without[k];
        CHECK_OK(ov_support_table_create(&p->with[k], NULL, &p->tables[k]));
        p->poses[k] = random_pose(r, 0.0);
    }
    double apart = p->with[0].ball.radius + p->with[1].ball.radius;
    p->poses[1].position =
        ov_vec3_scale(check_unit_vector(r), apart * check_log_uniform(r, 0.05, 2.0));
}

static void destroy_two(two *p) {
    ov_support_table_destroy(p->tables[0]);
    ov_support_table_destroy(p->tables[1]);
}

/** Two answers to one question: the bounds of both hold, and the gaps agree. */
static void check_same(const ov_contact *a, const ov_contact *b, double size) {
    CHECK(a->status == OV_OK && b->status == OV_OK);
    CHECK(a->relation == b->relation);
    CHECK(fmax(a->gap_lower, b->gap_lower) <= fmin(a->gap_upper, b->gap_upper));
    CHECK_NEAR(a->gap, b->gap, 2e-9 * size);
}

static ov_warm_start odd_start(check_random *r, const two *p) {
    const double numbers[] = {0.0, 1.0, 2.5, -1.0, NAN, INFINITY, 1e300, 4294967297.0, 3.0, 4.0};
    double v[6];
    for (int k = 0; k < 6; k++) {
        double count = (double)p->bodies[k / 3].nv;
        v[k] = check_random_bits(r) % 2 ? numbers[check_random_bits(r) % 10]
                                        : floor(check_uniform(r, 0.0, count + 2.0));
    }
    return (ov_warm_start){{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, check_unit_vector(r)};
}

static void pairs(void) {
    check_random r = check_random_make(3);
    static two p;
    for (int i = 0; i < 600; i += check_every()) {
        make_two(&p, &r);
        double size = fmax(p.with[0].ball.radius, p.with[1].ball.radius);
        ov_contact plain, cold, warm;
        ov_pair_contact(&p.without[0], p.poses[0], &p.without[1], p.poses[1], NULL, NULL, &plain);
        ov_warm_start start = {0};
        ov_pair_contact(&p.with[0], p.poses[0], &p.with[1], p.poses[1], NULL, &start, &cold);
        check_same(&plain, &cold, size);
        ov_pair_contact(&p.with[0], p.poses[0], &p.with[1], p.poses[1], NULL, &start, &warm);
        check_same(&plain, &warm, size);
        start = odd_start(&r, &p);
        ov_pair_contact(&p.with[0], p.poses[0], &p.with[1], p.poses[1], NULL, &start, &warm);
        check_same(&plain, &warm, size);
        destroy_two(&p);
    }
}

/** Bodies that are apart and have not moved: the last simplex is proven by one support. */
static void warm_starts(void) {
    check_random r = check_random_make(4);
    static two p;
    int asked = 0, at_once = 0;
    for (int i = 0; i < 300; i++) {
        make_two(&p, &r);
        ov_contact c;
        ov_warm_start start = {0};
        ov_pair_contact(&p.with[0], p.poses[0], &p.with[1], p.poses[1], NULL, &start, &c);
        if (c.relation == OV_RELATION_SEPARATED) {
            ov_pair_contact(&p.with[0], p.poses[0], &p.with[1], p.poses[1], NULL, &start, &c);
            asked++;
            at_once += c.iterations == 1;
        }
        destroy_two(&p);
    }
    CHECK(asked > 100 && at_once > 0.95 * asked);
}

/* ---- the constructor with many vertices */

/** Slivers, whose planes are badly known, are taken; a vertex that sticks out is not. */
static void many_slivers(void) {
    check_random r = check_random_make(5);
    for (int i = 0; i < 20; i += check_every()) {
        ov_shape s;
        uint32_t sides = 100 + (uint32_t)(check_random_bits(&r) % 1500);
        make_prism(&work, sides, 1.0, check_log_uniform(&r, 0.01, 100.0));
        move(&work, random_pose(&r, 3.0), 1.0);
        CHECK_OK(make(&work, &s));
        ov_vec3 out = ov_vec3_sub(work.v[work.nv - 1], s.ball.centre);
        work.v[work.nv - 1] = ov_vec3_add_scaled(work.v[work.nv - 1], out, 1e-3);
        CHECK_STATUS(make(&work, &s), OV_ERROR_NOT_CONVEX);
    }
}

/** The mean of a cap's many vertices stays in its plane, with a table and without. */
static void mean_of_many(void) {
    enum { SIDES = 20000 };
    const double height = 1.7768079800498753;
    ov_vec3 *v = malloc(2 * SIDES * sizeof *v);
    CHECK(v != NULL);
    for (int i = 0; v != NULL && i < 2 * SIDES; i++) {
        double angle = 2.0 * 3.14159265358979 * (i % SIDES) / SIDES;
        v[i] = ov_vec3_make(0.05 * cos(angle), 0.05 * sin(angle), i < SIDES ? height : -height);
    }
    ov_shape s;
    ov_support plain, looked_up;
    ov_support_table *table = NULL;
    CHECK_OK(ov_shape_make_polyhedron(v, 2 * SIDES, NULL, 0, &s));
    CHECK_OK(ov_shape_support(&s, ov_vec3_make(0.0, 0.0, 1.0), &plain));
    CHECK_OK(ov_support_table_create(&s, NULL, &table));
    CHECK_OK(ov_shape_support(&s, ov_vec3_make(0.0, 0.0, 1.0), &looked_up));
    CHECK(plain.point.z == height && looked_up.point.z == height);
    CHECK(fabs(plain.point.x) < 1e-15 && fabs(looked_up.point.x) < 1e-15);
    ov_support_table_destroy(table);
    free(v);
}

int main(void) {
    check_suite = "support_table";
    RUN(mean_of_many);
    RUN(support_is_that_of_all_vertices);
    RUN(ties);
    RUN(memory);
    RUN(refusals);
    RUN(pairs);
    RUN(warm_starts);
    RUN(many_slivers);
    return check_finish();
}
