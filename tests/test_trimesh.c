/**
 * @file test_trimesh.c
 * @brief Triangle meshes against convex shapes: making them, the tree, the least gap, all
 * triangles within a limit, and sweeps.
 *
 * Oracles: for spheres, capsules, half-spaces and points the exact distances of trimesh_cases.h in
 * long double, which the proven bounds must hold; for all other shapes the query of one triangle
 * (ov_triangle_contact) over all triangles in turn; for sweeps of spheres steps by the exact
 * distance, which never pass the first contact.
 */
#include "trimesh_cases.h"

#include "world/trimesh_internal.h"

/* ---- making */

static void refuses_bad_input(void) {
    const ov_vec3 v[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const uint32_t t[1][3] = {{0, 1, 2}}, high[1][3] = {{0, 1, 3}};
    ov_trimesh *mesh = (ov_trimesh *)&mesh;
    CHECK_STATUS(ov_trimesh_create(NULL, 3, t, 1, NULL, &mesh), OV_ERROR_NULL);
    CHECK(mesh == NULL);
    CHECK_STATUS(ov_trimesh_create(v, 3, NULL, 1, NULL, &mesh), OV_ERROR_NULL);
    CHECK_STATUS(ov_trimesh_create(v, 3, t, 1, NULL, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_trimesh_create(v, 0, t, 1, NULL, &mesh), OV_ERROR_COUNT);
    CHECK_STATUS(ov_trimesh_create(v, 3, t, 0, NULL, &mesh), OV_ERROR_COUNT);
    CHECK_STATUS(ov_trimesh_create(v, OV_TRIMESH_MAX + 1, t, 1, NULL, &mesh), OV_ERROR_COUNT);
    CHECK_STATUS(ov_trimesh_create(v, 3, t, OV_TRIMESH_MAX + 1, NULL, &mesh), OV_ERROR_COUNT);
    CHECK_STATUS(ov_trimesh_create(v, 3, high, 1, NULL, &mesh), OV_ERROR_INDEX);
    const double bad[3] = {NAN, INFINITY, 1e61};
    for (int i = 0; i < 3; i++) {
        ov_vec3 w[3] = {v[0], v[1], {0.0, bad[i], 0.0}};
        CHECK_STATUS(ov_trimesh_create(w, 3, t, 1, NULL, &mesh),
                     i < 2 ? OV_ERROR_NOT_FINITE : OV_ERROR_SIZE_RANGE);
        CHECK(mesh == NULL);
    }
    CHECK(ov_trimesh_vertex_count(NULL) == 0 && ov_trimesh_triangle_count(NULL) == 0);
    CHECK(ov_trimesh_vertices(NULL) == NULL && ov_trimesh_triangles(NULL) == NULL);
    ov_trimesh_destroy(NULL);
}

static void refuses_bad_queries(void) {
    const ov_vec3 v[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const uint32_t t[1][3] = {{0, 1, 2}};
    ov_trimesh *mesh;
    ov_shape ball, ring;
    ov_trimesh_contact c;
    ov_pose at = ov_pose_identity(), bad = at, turned = at;
    bad.position.x = NAN;
    turned.rotation = (ov_quat){0.0, 0.0, 0.0, 0.0};
    CHECK_OK(ov_trimesh_create(v, 3, t, 1, NULL, &mesh));
    CHECK_OK(ov_shape_make_sphere(1.0, &ball));
    CHECK_OK(ov_shape_make_supertoroid(v[1].x > 0 ? ov_vec3_make(1, 1, 1) : v[1], 1, 1, 2, &ring));
    CHECK_STATUS(ov_trimesh_shape_contact(NULL, at, &ball, at, 1, NULL, &c), OV_ERROR_NULL);
    CHECK(isnan(c.contact.gap) && c.triangle_a == OV_NO_TRIANGLE);
    CHECK_STATUS(ov_trimesh_shape_contact(mesh, at, NULL, at, 1, NULL, &c), OV_ERROR_NULL);
    CHECK_STATUS(ov_trimesh_shape_contact(mesh, at, &ball, at, 1, NULL, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_trimesh_shape_contact(mesh, at, &ring, at, 1, NULL, &c), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_trimesh_shape_contact(mesh, bad, &ball, at, 1, NULL, &c), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_trimesh_shape_contact(mesh, at, &ball, turned, 1, NULL, &c),
                 OV_ERROR_ZERO_DIRECTION);
    CHECK_STATUS(ov_trimesh_shape_contact(mesh, at, &ball, at, NAN, NULL, &c), OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_trimesh_shape_contact(mesh, at, &ball, at, -1, NULL, &c), OV_ERROR_OPTION);
    const ov_pair_options options = {.tolerance = 1.0};
    CHECK_STATUS(ov_trimesh_shape_contact(mesh, at, &ball, at, 1, &options, &c), OV_ERROR_OPTION);
    CHECK_STATUS(ov_trimesh_shape_contacts(mesh, at, &ball, at, 1, NULL, NULL, NULL),
                 OV_ERROR_NULL);
    ov_cast_hit hit;
    const ov_vec3 way = {NAN, 0, 0}, far = {1e101, 0, 0};
    CHECK_STATUS(ov_trimesh_shape_cast(&ball, at, way, mesh, at, NULL, &hit, NULL),
                 OV_ERROR_NOT_FINITE);
    CHECK_STATUS(ov_trimesh_shape_cast(&ball, at, far, mesh, at, NULL, &hit, NULL),
                 OV_ERROR_SIZE_RANGE);
    CHECK_STATUS(ov_trimesh_shape_cast(&ball, at, v[1], NULL, at, NULL, &hit, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_trimesh_shape_cast(&ball, at, v[1], mesh, at, NULL, NULL, NULL), OV_ERROR_NULL);
    ov_trimesh_destroy(mesh);
}

/** Lets the first `left` calls through, and counts what is not given back. */
typedef struct purse {
    long left, calls;
    long long held;
} purse;

static void *purse_resize(void *user, void *block, size_t old_size, size_t size) {
    purse *p = user;
    if (size == 0) {
        p->held -= (long long)old_size;
        free(block);
        return NULL;
    }
    p->calls++;
    if (p->left-- <= 0) {
        return NULL;
    }
    void *out = realloc(block, size);
    p->held += out != NULL ? (long long)size - (long long)old_size : 0;
    return out;
}

static void survives_want_of(soup s) {
    purse p = {.left = 1000};
    ov_allocator memory = {purse_resize, &p};
    ov_trimesh *mesh = NULL;
    CHECK_OK(ov_trimesh_create(s.vertices, s.vertex_count, (const uint32_t(*)[3])s.triangles,
                               s.triangle_count, &memory, &mesh));
    long needed = p.calls;
    CHECK(needed > 0 && p.held > 0);
    ov_trimesh_destroy(mesh);
    CHECK(p.held == 0);
    for (long i = 0; i < needed; i++) {
        p = (purse){.left = i};
        CHECK_STATUS(ov_trimesh_create(s.vertices, s.vertex_count,
                                       (const uint32_t(*)[3])s.triangles, s.triangle_count, &memory,
                                       &mesh),
                     OV_ERROR_MEMORY);
        CHECK(mesh == NULL && p.held == 0);
    }
    soup_free(&s);
}

static void survives_want_of_memory(void) {
    check_random r = check_random_make(11);
    ov_shape ball;
    CHECK_OK(ov_shape_make_sphere(1.0, &ball));
    survives_want_of(soup_random(&r, 100, 1.0, true));
    survives_want_of(soup_of_shape(&ball, 50)); // a solid
}

/* ---- the tree */

static bool box_holds(const ov_aabb *b, ov_vec3 p) {
    return p.x >= b->min.x && p.y >= b->min.y && p.z >= b->min.z && p.x <= b->max.x &&
           p.y <= b->max.y && p.z <= b->max.z;
}

/** Depth below a node; all boxes and slabs on the way hold the triangles, each of which is once. */
static int check_node(const ov_trimesh *mesh, uint32_t index, int level, uint8_t *seen) {
    const ovi_trimesh_node *node = &mesh->nodes[index];
    if (!CHECK(level <= OVI_BVH_DEPTH) || !CHECK(index < mesh->node_count)) {
        return level;
    }
    if (node->count == 0) {
        const uint32_t children[2] = {index + 1, node->first};
        int deepest = level;
        for (int i = 0; i < 2; i++) {
            const ov_aabb *box = &mesh->nodes[children[i]].box;
            CHECK(box_holds(&node->box, box->min) && box_holds(&node->box, box->max));
            int below = check_node(mesh, children[i], level + 1, seen);
            deepest = below > deepest ? below : deepest;
        }
        return deepest;
    }
    ov_vec3 middle = ovi_box_centre(&node->box);
    double reach = ov_vec3_length(mesh->ball.centre) + mesh->ball.radius;
    for (uint32_t i = 0; i < node->count; i++) {
        uint32_t t = mesh->order[node->first + i];
        CHECK(!seen[t]);
        seen[t] = 1;
        for (int k = 0; k < 3; k++) {
            ov_vec3 v = mesh->vertices[mesh->triangles[t][k]];
            double along = ov_vec3_dot(node->axis, ov_vec3_sub(v, middle));
            CHECK(box_holds(&node->box, v));
            CHECK(along >= node->lo - 1e-15 * reach && along <= node->hi + 1e-15 * reach);
            CHECK(ov_vec3_length(ov_vec3_sub(v, mesh->ball.centre)) <= mesh->ball.radius);
        }
    }
    return level;
}

static int check_tree(const soup *s) {
    ov_trimesh *mesh = soup_mesh(s);
    uint8_t *seen = calloc(s->triangle_count, 1);
    int depth = check_node(mesh, 0, 0, seen);
    for (size_t i = 0; i < s->triangle_count; i++) {
        CHECK(seen[i]);
    }
    CHECK(ov_trimesh_vertex_count(mesh) == s->vertex_count);
    CHECK(ov_trimesh_triangle_count(mesh) == s->triangle_count);
    CHECK(memcmp(ov_trimesh_triangles(mesh), s->triangles,
                 s->triangle_count * sizeof *s->triangles) == 0);
    CHECK(memcmp(ov_trimesh_vertices(mesh), s->vertices, s->vertex_count * sizeof *s->vertices) ==
          0);
    CHECK(memcmp(&mesh->nodes[0].box,
                 &(ov_aabb){ov_trimesh_box(mesh).min, ov_trimesh_box(mesh).max},
                 sizeof(ov_aabb)) == 0);
    free(seen);
    ov_trimesh_destroy(mesh);
    return depth;
}

static void builds_sound_trees(void) {
    check_random r = check_random_make(12);
    soup s = soup_random(&r, 3000, 1.0, true);
    CHECK(check_tree(&s) < 40);
    soup_free(&s);
    // all equal, and all with one middle
    s = soup_make(3, 5000);
    for (size_t i = 0; i < 5000; i++) {
        s.triangles[i][1] = 1, s.triangles[i][2] = 2;
    }
    s.vertices[1].x = s.vertices[2].y = 1.0;
    CHECK(check_tree(&s) <= 13);
    soup_free(&s);
    // sizes and places that shrink by half each: no cut parts them evenly
    s = soup_make(3 * 390, 390);
    for (uint32_t i = 0; i < 390; i++) {
        double at = ldexp(1.0, 190 - (int)i);
        for (uint32_t k = 0; k < 3; k++) {
            s.vertices[3 * i + k] = ov_vec3_make(at, k == 1 ? at : 0.0, k == 2 ? at : 0.0);
            s.triangles[i][k] = 3 * i + k;
        }
    }
    int depth = check_tree(&s);
    printf("%s: tree over halving sizes: depth %d of %d\n", check_suite, depth, OVI_BVH_DEPTH);
    soup_free(&s);
    s = soup_terrain(70, 1.0, 0.1);
    CHECK(check_tree(&s) < 24);
    soup_free(&s);
}

/* ---- the least gap, by exact oracles */

enum { EXACT_KINDS = 4 };

/** Sphere, capsule, half-space, point: their gap to a triangle, all but exactly. */
static long double exact_gap(const ov_shape *shape, ov_pose pose, const lvec c[3]) {
    if (shape->kind == OV_SHAPE_KIND_HALFSPACE) {
        // lowest corner, along the normal as it is turned
        lvec zero = lv_of(pose.position);
        lvec n = lv_place((ov_pose){{0, 0, 0}, pose.rotation}, shape->u.halfspace.normal);
        long double least = INFINITY;
        for (int k = 0; k < 3; k++) {
            least = fminl(least, lv_dot(n, lv_sub(c[k], zero)));
        }
        return least / lv_length(n) - shape->u.halfspace.offset;
    }
    if (shape->kind == OV_SHAPE_KIND_CAPSULE) {
        lvec a = lv_place(pose, ov_vec3_make(0, 0, -shape->a.z));
        lvec b = lv_place(pose, ov_vec3_make(0, 0, shape->a.z));
        return segment_triangle(a, b, c) - shape->a.x;
    }
    ov_vec3 at = shape->kind == OV_SHAPE_KIND_POINT ? shape->u.vertices[0] : ov_vec3_make(0, 0, 0);
    return point_triangle(lv_place(pose, at), c) -
           (shape->kind == OV_SHAPE_KIND_SPHERE ? shape->a.x : 0.0);
}

static ov_shape exact_shape(check_random *r, int which, double size) {
    ov_shape s;
    double a = check_log_uniform(r, 0.05, 1.0) * size;
    ov_status status = OV_OK;
    switch (which % EXACT_KINDS) {
    case 0:
        status = ov_shape_make_sphere(a, &s);
        break;
    case 1:
        status = ov_shape_make_capsule(a, check_uniform(r, 0.0, size), &s);
        break;
    case 2:
        status = ov_shape_make_halfspace(check_unit_vector(r), check_uniform(r, -size, size), &s);
        break;
    default:
        status = ov_shape_make_point(ov_vec3_scale(check_unit_vector(r), a), &s);
        break;
    }
    CHECK_OK(status);
    return s;
}

/** Worst of what was seen, in units of the pair's size. */
typedef struct tally {
    double off, wide, outside;
    long weak;
} tally;

/** Bounds hold the exact gap, the gap is it to the tolerance, and the witness points belong to it.
 */
static void check_contact(const soup *s, ov_pose pose, const ov_trimesh_contact *c,
                          long double exact, double size, tally *t) {
    const ov_contact *k = &c->contact;
    lvec corners[3];
    if (!CHECK(c->triangle_a < s->triangle_count)) {
        return;
    }
    t->outside = fmax(t->outside, (double)fmaxl(k->gap_lower - exact, exact - k->gap_upper) / size);
    CHECK((long double)k->gap_lower <= exact && exact <= (long double)k->gap_upper);
    CHECK(k->gap_lower <= k->gap && k->gap <= k->gap_upper);
    t->off = fmax(t->off, fabs((double)(k->gap - exact)) / size);
    t->wide = fmax(t->wide, (k->gap_upper - k->gap_lower) / size);
    t->weak += k->status != OV_OK;
    lv_triangle(s, c->triangle_a, pose, corners);
    CHECK_NEAR((double)point_triangle(lv_of(k->point_a), corners), 0.0, 3e-9 * size);
    CHECK_NEAR(ov_vec3_length(ov_vec3_sub(k->point_b, k->point_a)), fabs(k->gap), 5e-9 * size);
    CHECK_NEAR(ov_vec3_length(k->normal), 1.0, 1e-12);
}

static void finds_exact_gaps(void) {
    check_random r = check_random_make(13);
    tally t = {0};
    for (int round = 0; round < 40; round++) {
        double size = round % 5 == 3 ? 1e30 : round % 5 == 4 ? 1e-30 : 1.0;
        soup s = round % 2 == 0 ? soup_random(&r, 60, size, true) : soup_terrain(8, 1.0, 0.2);
        size = round % 2 == 0 ? size : 1.0;
        ov_trimesh *mesh = soup_mesh(&s);
        for (int i = 0; i < 24; i++) {
            ov_shape shape = exact_shape(&r, i, size);
            ov_pose a = random_pose(&r, check_uniform(&r, 0.0, 2.0 * size));
            ov_pose b = random_pose(&r, check_uniform(&r, 0.0, 4.0 * size));
            long double exact = INFINITY;
            for (size_t k = 0; k < s.triangle_count; k++) {
                lvec c[3];
                lv_triangle(&s, k, a, c);
                exact = fminl(exact, exact_gap(&shape, b, c));
            }
            ov_trimesh_contact c;
            CHECK(ov_trimesh_shape_contact(mesh, a, &shape, b, INFINITY, NULL, &c) == OV_OK);
            // a capsule whose axis is pierced is deeper than its radius: another oracle has it
            if (shape.kind == OV_SHAPE_KIND_CAPSULE && exact <= -0.999999L * shape.a.x) {
                CHECK(c.contact.gap_lower <= (double)exact);
                continue;
            }
            check_contact(&s, a, &c, exact, size, &t);
            CHECK(c.triangle_b == OV_NO_TRIANGLE);
        }
        ov_trimesh_destroy(mesh);
        soup_free(&s);
    }
    check_worst("gap against exact, in sizes", t.off, 3e-9);
    check_worst("bounds outside of exact, in sizes", fmax(t.outside, 0.0), 0.0);
    CHECK(t.off <= 3e-9 && t.wide <= 3e-9);
    CHECK(t.weak == 0);
}

/* ---- the least gap and all gaps, by one triangle after the other */

static ov_vec3 placed(ov_pose pose, ov_vec3 p) {
    lvec q = lv_place(pose, p);
    return ov_vec3_make((double)q.x, (double)q.y, (double)q.z);
}

static ov_contact one_triangle(const soup *s, size_t index, ov_pose pose, const ov_shape *shape,
                               ov_pose shape_pose) {
    const uint32_t *t = s->triangles[index];
    ov_contact c;
    CHECK(ov_triangle_contact(shape, shape_pose, placed(pose, s->vertices[t[0]]),
                              placed(pose, s->vertices[t[1]]), placed(pose, s->vertices[t[2]]),
                              NULL, &c) >= 0);
    return c;
}

/**
 * Two answers to one question. A search for the depth of smooth bodies may end in a direction that
 * is not the best; of two that differ, the one with the larger gap must have proven it.
 */
static bool agree(double gap, double lower, double other_gap, double other_lower) {
    double d = gap - other_gap;
    return fabs(d) <= 1e-8 || (gap < 0.0 && (d > 0.0 ? lower >= other_gap : other_lower >= gap));
}

static void finds_the_least_of_all(void) {
    check_random r = check_random_make(14);
    double off = 0.0, deep_off = 0.0;
    long weak = 0, deep = 0;
    for (int round = 0; round < 12; round++) {
        soup s = round % 3 == 0 ? soup_random(&r, 40, 1.0, true) : soup_terrain(6, 2.0, 0.5);
        ov_trimesh *mesh = soup_mesh(&s);
        for (int i = 0; i < 12; i++) {
            ov_shape shape = any_shape(&r, i, 1.0);
            ov_pose a = random_pose(&r, 1.0), b = random_pose(&r, check_uniform(&r, 0.0, 4.0));
            double gap = INFINITY, lower = INFINITY, upper = INFINITY;
            for (size_t k = 0; k < s.triangle_count; k++) {
                ov_contact c = one_triangle(&s, k, a, &shape, b);
                gap = fmin(gap, c.gap);
                lower = fmin(lower, c.gap_lower);
                upper = fmin(upper, c.gap_upper);
            }
            ov_trimesh_contact c;
            weak += ov_trimesh_shape_contact(mesh, a, &shape, b, INFINITY, NULL, &c) != OV_OK;
            CHECK(c.contact.gap_lower <= upper + 1e-14 && c.contact.gap_upper >= lower - 1e-14);
            CHECK(c.contact.gap_lower <= c.contact.gap && c.contact.gap <= c.contact.gap_upper);
            double d = fabs(c.contact.gap - gap);
            CHECK(agree(c.contact.gap, c.contact.gap_lower, gap, lower));
            if (gap < 0.0) {
                deep++;
                deep_off = fmax(deep_off, d);
                CHECK(c.contact.relation == OV_RELATION_OVERLAPPING || gap > -1e-8);
            } else {
                off = fmax(off, d);
            }
        }
        ov_trimesh_destroy(mesh);
        soup_free(&s);
    }
    check_worst("gap against all triangles in turn, separated", off, 1e-8);
    check_worst("... overlapping, or else proven to be better", deep_off, 1e-8);
    printf("%s: %ld overlapping, %ld not converged\n", check_suite, deep, weak);
    CHECK(off <= 1e-8 && deep > 10);
}

typedef struct collected {
    ov_trimesh_contact contacts[512];
    size_t count, most;
} collected;

static bool collect(void *user, const ov_trimesh_contact *contact) {
    collected *c = user;
    if (CHECK(c->count < 512)) {
        c->contacts[c->count++] = *contact;
    }
    return c->count < c->most;
}

/** What one triangle after the other says. */
typedef struct reference {
    double gap, lower, upper; // least of all
} reference;

/** All triangles within the limit were visited, once, and with the right gaps. */
static reference check_visited(const soup *s, ov_pose a, const ov_shape *shape, ov_pose b,
                               double limit, const collected *all) {
    reference least = {INFINITY, INFINITY, INFINITY};
    size_t total = 0;
    for (size_t k = 0; k < s->triangle_count; k++) {
        ov_contact c = one_triangle(s, k, a, shape, b);
        size_t found = 0;
        for (size_t m = 0; m < all->count; m++) {
            const ov_contact *v = &all->contacts[m].contact;
            if (all->contacts[m].triangle_a == k) {
                found++;
                CHECK(v->gap_lower <= limit);
                CHECK(v->gap_lower <= c.gap_upper + 1e-14 && v->gap_upper >= c.gap_lower - 1e-14);
                CHECK(agree(v->gap, v->gap_lower, c.gap, c.gap_lower));
            }
        }
        total += found;
        CHECK(found <= 1);
        CHECK(found == 1 || c.gap_upper > limit);
        least.gap = fmin(least.gap, c.gap);
        least.lower = fmin(least.lower, c.gap_lower);
        least.upper = fmin(least.upper, c.gap_upper);
    }
    CHECK(total == all->count);
    return least;
}

static void keeps_limits(void) {
    check_random r = check_random_make(15);
    static collected all, two;
    long early = 0, visited = 0;
    for (int round = 0; round < 192; round++) {
        soup s = round % 2 == 0 ? soup_random(&r, 50, 1.0, true) : soup_terrain(6, 2.0, 0.5);
        ov_trimesh *mesh = soup_mesh(&s);
        ov_shape shape = round % 7 == 6 ? exact_shape(&r, 2, 1.0) : any_shape(&r, round / 2, 1.0);
        ov_pose a = random_pose(&r, 1.0), b = random_pose(&r, check_uniform(&r, 0.5, 5.0));
        double limit = round % 3 == 0 ? 0.0 : check_uniform(&r, 0.0, 2.0);
        all = (collected){.most = 1000};
        CHECK_OK(ov_trimesh_shape_contacts(mesh, a, &shape, b, limit, NULL, collect, &all));
        reference least = check_visited(&s, a, &shape, b, limit, &all);
        visited += (long)all.count;
        ov_trimesh_contact c;
        ov_status status = ov_trimesh_shape_contact(mesh, a, &shape, b, limit, NULL, &c);
        CHECK(status >= 0 && c.contact.gap_lower <= least.upper + 1e-14);
        CHECK(c.triangle_a < s.triangle_count);
        if (least.lower > limit) {
            early++;
            CHECK(c.contact.relation == OV_RELATION_SEPARATED &&
                  c.contact.gap_lower > limit - 1e-14);
            ov_contact own = one_triangle(&s, c.triangle_a, a, &shape, b);
            CHECK(c.contact.gap_upper >= own.gap_lower - 1e-13 && isfinite(c.contact.gap));
            double wide = c.contact.gap_upper - c.contact.gap_lower;
            CHECK(status == OV_OK ? wide <= 1e-8 : wide > 1e-10);
        } else if (least.upper <= limit) {
            CHECK(agree(c.contact.gap, c.contact.gap_lower, least.gap, least.lower));
        }
        // the visitor may end it
        if (all.count > 2) {
            two = (collected){.most = 2};
            CHECK_OK(ov_trimesh_shape_contacts(mesh, a, &shape, b, limit, NULL, collect, &two));
            CHECK(two.count == 2 && two.contacts[1].triangle_a == all.contacts[1].triangle_a);
        }
        ov_trimesh_destroy(mesh);
        soup_free(&s);
    }
    printf("%s: limits: %ld beyond, %ld contacts visited\n", check_suite, early, visited);
    CHECK(early > 20 && visited > 200);
}

/** Far out the bounds are wider, and still hold. */
static void holds_far_out(void) {
    check_random r = check_random_make(16);
    for (int i = 0; i < 200; i++) {
        double away = check_log_uniform(&r, 1.0, 1e9);
        soup s = soup_random(&r, 20, 1.0, true);
        for (size_t k = 0; k < s.vertex_count && i % 2 == 0; k++) {
            s.vertices[k].x += away;
        }
        ov_trimesh *mesh = soup_mesh(&s);
        ov_shape shape = exact_shape(&r, i / 2, 1.0);
        ov_pose a = random_pose(&r, away), b = random_pose(&r, 2.0);
        b.position = ov_vec3_add(b.position, placed(a, s.vertices[0]));
        long double exact = INFINITY;
        // from the mesh's origin: even long doubles are too coarse out there
        ov_pose turned = {{0.0, 0.0, 0.0}, a.rotation};
        ov_pose seen = {ov_vec3_sub(b.position, a.position), b.rotation};
        for (size_t k = 0; k < s.triangle_count; k++) {
            lvec c[3];
            lv_triangle(&s, k, turned, c);
            exact = fminl(exact, exact_gap(&shape, seen, c));
        }
        ov_trimesh_contact c;
        CHECK(ov_trimesh_shape_contact(mesh, a, &shape, b, INFINITY, NULL, &c) >= 0);
        bool pierced = shape.kind == OV_SHAPE_KIND_CAPSULE && exact <= -0.999999L * shape.a.x;
        CHECK((long double)c.contact.gap_lower <= exact);
        CHECK(pierced || exact <= (long double)c.contact.gap_upper);
        double wide = c.contact.gap_upper - c.contact.gap_lower;
        CHECK(pierced || wide <= 1e-8 + 1e-12 * away);
        ov_trimesh_destroy(mesh);
        soup_free(&s);
    }
}

static ov_vec3 lost_support(const void *user, ov_vec3 direction) {
    (void)user;
    return ov_vec3_scale(direction, 5.0);
}

static ov_vec3 ball_support(const void *user, ov_vec3 direction) {
    return ov_vec3_scale(direction, *(const double *)user);
}

/** A caller's own body is asked as in the pair query, and its errors come through. */
static void asks_custom_shapes(void) {
    soup s = soup_terrain(4, 1.0, 0.2);
    ov_trimesh *mesh = soup_mesh(&s);
    ov_shape own, lost, ball;
    const double radius = 0.5;
    const ov_ball bound = {{0.0, 0.0, 0.0}, 0.5000001};
    CHECK_OK(ov_shape_make_custom(ball_support, &radius, bound, &own));
    CHECK_OK(ov_shape_make_custom(lost_support, NULL, bound, &lost));
    CHECK_OK(ov_shape_make_sphere(radius, &ball));
    ov_pose at = ov_pose_identity();
    for (int i = 0; i < 4; i++) {
        ov_trimesh_contact a, b, none;
        at.position.z = 0.3 + i;
        ov_status status =
            ov_trimesh_shape_contact(mesh, ov_pose_identity(), &own, at, INFINITY, NULL, &a);
        CHECK_OK(ov_trimesh_shape_contact(mesh, ov_pose_identity(), &ball, at, INFINITY, NULL, &b));
        CHECK(status >= 0 && a.contact.gap_lower <= b.contact.gap_upper);
        CHECK(a.contact.gap_upper >= b.contact.gap_lower);
        CHECK_STATUS(
            ov_trimesh_shape_contact(mesh, ov_pose_identity(), &lost, at, INFINITY, NULL, &none),
            OV_ERROR_SIZE_RANGE);
        CHECK(isnan(none.contact.gap) && none.triangle_a == OV_NO_TRIANGLE);
    }
    // as far apart as positions go
    ov_trimesh_contact c;
    ov_pose left = at, right = at;
    left.position.x = -1e100;
    right.position.x = 1e100;
    CHECK(ov_trimesh_shape_contact(mesh, left, &ball, right, 1.0, NULL, &c) >= 0);
    CHECK(c.contact.relation == OV_RELATION_SEPARATED && c.contact.gap_lower > 1e100);
    CHECK_OK(ov_shape_make_box(ov_vec3_make(1, 1, 1), &ball));
    CHECK(ov_trimesh_shape_contact(mesh, left, &ball, right, INFINITY, NULL, &c) >= 0);
    CHECK(c.contact.relation == OV_RELATION_SEPARATED && c.contact.gap_upper < 2.1e100);
    CHECK(ov_trimesh_pair_contact(mesh, left, mesh, right, INFINITY, NULL, &c) >= 0);
    CHECK(c.contact.relation == OV_RELATION_SEPARATED && c.contact.gap_upper < 2.1e100);
    ov_trimesh_destroy(mesh);
    soup_free(&s);
}

/* ---- sweeps */

/** First contact of a moving ball: steps by the exact distance never pass it. */
static long double exact_sweep(const soup *s, ov_pose pose, ov_vec3 from, double radius,
                               ov_vec3 way) {
    long double at = 0.0L, length = lv_length(lv_of(way));
    for (int step = 0; step < 100000 && at <= 1.0L; step++) {
        long double gap = INFINITY;
        lvec p = lv_at(lv_of(from), lv_of(way), at);
        for (size_t k = 0; k < s->triangle_count; k++) {
            lvec c[3];
            lv_triangle(s, k, pose, c);
            gap = fminl(gap, point_triangle(p, c) - radius);
        }
        if (gap <= 1e-13L) {
            return at;
        }
        at += gap / length;
    }
    return at > 1.0L ? (long double)INFINITY : at;
}

static void sweeps_balls(void) {
    check_random r = check_random_make(17);
    double off = 0.0;
    long hits = 0, misses = 0, open = 0;
    for (int i = 0; i < 120; i++) {
        soup s = i % 2 == 0 ? soup_random(&r, 12, 1.0, true) : soup_terrain(3, 1.0, 0.3);
        ov_trimesh *mesh = soup_mesh(&s);
        ov_shape ball;
        CHECK_OK(ov_shape_make_sphere(check_log_uniform(&r, 0.05, 0.5), &ball));
        ov_pose a = random_pose(&r, 0.5), b = random_pose(&r, check_uniform(&r, 2.0, 4.0));
        ov_vec3 goal = ov_vec3_scale(check_unit_vector(&r), check_uniform(&r, 0.0, 1.5));
        ov_vec3 way = ov_vec3_scale(ov_vec3_sub(goal, b.position), check_uniform(&r, 0.5, 2.0));
        long double exact = exact_sweep(&s, a, b.position, ball.a.x, way);
        ov_cast_hit hit;
        uint32_t triangle = 7;
        ov_status status = ov_trimesh_shape_cast(&ball, b, way, mesh, a, NULL, &hit, &triangle);
        CHECK(status >= 0);
        if (status != OV_OK) {
            open++;
            CHECK(hit.fraction_lower <= (double)exact + 1e-9);
        } else if (hit.hit) {
            hits++;
            off = fmax(off, fabs((double)(hit.fraction - exact)));
            CHECK(hit.fraction_lower <= (double)exact + 1e-12);
            CHECK((double)exact <= hit.fraction_upper + 1e-12);
            CHECK(triangle < s.triangle_count);
            lvec c[3];
            lv_triangle(&s, triangle, a, c);
            CHECK_NEAR((double)point_triangle(lv_of(hit.contact.point_b), c), 0.0, 1e-8);
        } else {
            misses++;
            CHECK(isinf((double)exact) && triangle == OV_NO_TRIANGLE);
        }
        ov_trimesh_destroy(mesh);
        soup_free(&s);
    }
    check_worst("fraction of a ball's sweep", off, 1e-8);
    printf("%s: sweeps: %ld hits, %ld misses, %ld open\n", check_suite, hits, misses, open);
    CHECK(off <= 1e-8 && hits > 30 && misses > 10 && open <= 3);
}

/** Other shapes: free at what is proven free, in contact at the end, by the query of gaps. */
static void sweeps_shapes(void) {
    check_random r = check_random_make(18);
    long hits = 0;
    for (int i = 0; i < 60; i++) {
        soup s = soup_terrain(6, 2.0, 0.4);
        ov_trimesh *mesh = soup_mesh(&s);
        ov_shape shape = i % 7 == 6 ? exact_shape(&r, 2, 1.0) : any_shape(&r, i, 1.0);
        ov_pose a = {{0.1, 0.2, 0.3}, check_rotation(&r)}, b = random_pose(&r, 5.0);
        ov_vec3 way = ov_vec3_sub(ov_vec3_scale(check_unit_vector(&r), 1.0), b.position);
        ov_cast_hit hit;
        uint32_t triangle;
        ov_status status = ov_trimesh_shape_cast(&shape, b, way, mesh, a, NULL, &hit, &triangle);
        CHECK(status >= 0);
        double free_until = hit.hit ? hit.fraction_lower : status == OV_OK ? 1.0 : 0.0;
        ov_trimesh_contact c;
        for (int k = 0; k <= 20; k++) {
            ov_pose at = b;
            at.position = ov_vec3_add_scaled(b.position, way, free_until * k / 20.0);
            CHECK(ov_trimesh_shape_contact(mesh, a, &shape, at, INFINITY, NULL, &c) >= 0);
            CHECK(k == 20 || free_until == 0.0 || c.contact.gap_upper > 0.0);
            CHECK(free_until == 0.0 || c.contact.gap_upper >= -1e-9);
        }
        if (hit.hit) {
            hits++;
            ov_pose at = b;
            at.position = ov_vec3_add_scaled(b.position, way, hit.fraction_upper);
            CHECK(ov_trimesh_shape_contact(mesh, a, &shape, at, INFINITY, NULL, &c) >= 0);
            CHECK(c.contact.gap_lower <= 1e-12);
            CHECK(hit.contact.gap <= 1e-7 && (free_until == 0.0 || hit.contact.gap >= -1e-7));
        }
        ov_trimesh_destroy(mesh);
        soup_free(&s);
    }
    printf("%s: sweeps of shapes: %ld hits of 60\n", check_suite, hits);
    CHECK(hits > 20);
}

int main(void) {
    check_suite = "test_trimesh";
    RUN(refuses_bad_input);
    RUN(refuses_bad_queries);
    RUN(survives_want_of_memory);
    RUN(builds_sound_trees);
    RUN(finds_exact_gaps);
    RUN(finds_the_least_of_all);
    RUN(keeps_limits);
    RUN(holds_far_out);
    RUN(asks_custom_shapes);
    RUN(sweeps_balls);
    RUN(sweeps_shapes);
    return check_finish();
}
