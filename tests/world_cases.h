/**
 * @file world_cases.h
 * @brief Contacts of random worlds by brute force.
 *
 * The oracle asks the pair query for all pairs of parts, meshes triangle by triangle, and uses
 * nothing of a world but its public answers.
 */
#ifndef OVOID_TESTS_WORLD_CASES_H
#define OVOID_TESTS_WORLD_CASES_H

#include "world_zoo.h"

/* ---- the oracle */

static inline ov_pose wc_part_pose(const ov_part *part, ov_pose body) {
    return (ov_pose){ov_pose_apply(body, part->pose.position),
                     ov_quat_mul(body.rotation, part->pose.rotation)};
}

typedef struct wc_gap {
    double gap, lower, upper;
    double size;   /**< of the pair */
    uint32_t best; /**< triangle of A with the least gap */
    bool unlike;   /**< half-space against half-space: there is no gap */
} wc_gap;

static inline double wc_radius(const ov_part *part) {
    double radius =
        part->mesh != NULL ? ov_trimesh_ball(part->mesh).radius : part->shape.ball.radius;
    return isfinite(radius) ? radius : 0.0;
}

static inline void wc_take(wc_gap *g, const ov_contact *c, uint32_t triangle) {
    if (!CHECK(c->status >= 0)) {
        fprintf(stderr, "oracle: %s\n", ov_status_message(c->status));
        return;
    }
    g->lower = fmin(g->lower, c->gap_lower);
    g->upper = fmin(g->upper, c->gap_upper);
    if (c->gap < g->gap) {
        g->gap = c->gap;
        g->best = triangle;
    }
}

static inline ov_vec3 wc_corner(const ov_trimesh *mesh, size_t triangle, int k, ov_pose pose) {
    return ov_pose_apply(pose, ov_trimesh_vertices(mesh)[ov_trimesh_triangles(mesh)[triangle][k]]);
}

/** A part against one triangle of a mesh, in the world. */
static inline void wc_take_triangle(wc_gap *g, const ov_part *a, ov_pose pa, const ov_trimesh *mesh,
                                    ov_pose pose, uint32_t i, const ov_pair_options *options) {
    ov_vec3 p = wc_corner(mesh, i, 0, pose), q = wc_corner(mesh, i, 1, pose);
    ov_vec3 t = wc_corner(mesh, i, 2, pose);
    ov_contact c;
    if (a->mesh == NULL) {
        (void)ov_triangle_contact(&a->shape, pa, p, q, t, options, &c);
        wc_take(g, &c, i);
        return;
    }
    // relative to the first corner: a triangle of its own has no far positions
    ov_shape shape;
    CHECK_OK(
        ov_shape_make_triangle(ov_vec3_sub(p, p), ov_vec3_sub(q, p), ov_vec3_sub(t, p), &shape));
    for (uint32_t j = 0; j < ov_trimesh_triangle_count(a->mesh); j++) {
        (void)ov_triangle_contact(&shape, (ov_pose){p, ov_quat_identity()},
                                  wc_corner(a->mesh, j, 0, pa), wc_corner(a->mesh, j, 1, pa),
                                  wc_corner(a->mesh, j, 2, pa), options, &c);
        wc_take(g, &c, j);
    }
}

/** Gap of two parts of placed bodies by the pair query alone. */
static inline wc_gap wc_parts_gap(const ov_part *a, ov_pose body_a, const ov_part *b,
                                  ov_pose body_b, const ov_pair_options *options) {
    wc_gap g = {INFINITY,       INFINITY, INFINITY, fmax(wc_radius(a), wc_radius(b)),
                OV_NO_TRIANGLE, false};
    ov_pose pa = wc_part_pose(a, body_a), pb = wc_part_pose(b, body_b);
    ov_contact c;
    if (b->mesh != NULL) {
        for (uint32_t i = 0; i < ov_trimesh_triangle_count(b->mesh); i++) {
            wc_take_triangle(&g, a, pa, b->mesh, pb, i, options);
        }
    } else if (a->mesh != NULL) {
        for (uint32_t i = 0; i < ov_trimesh_triangle_count(a->mesh); i++) {
            wc_take_triangle(&g, b, pb, a->mesh, pa, i, options);
        }
    } else if (a->shape.kind == OV_SHAPE_KIND_HALFSPACE &&
               b->shape.kind == OV_SHAPE_KIND_HALFSPACE) {
        g.unlike = true;
    } else {
        (void)ov_pair_contact(&a->shape, pa, &b->shape, pb, options, NULL, &c);
        wc_take(&g, &c, OV_NO_TRIANGLE);
    }
    return g;
}

/** Does a mask see a body? Zeros are the defaults: all bits, and the first. */
static inline bool wc_sees(uint32_t mask, const ov_body_def *def) {
    return mask == 0 || (mask & (def->group == 0 ? 1 : def->group)) != 0;
}

static inline bool wc_meet(const ov_body_def *a, const ov_body_def *b) {
    return wc_sees(a->mask, b) && wc_sees(b->mask, a) && !a->no_pairs && !b->no_pairs &&
           !(a->fixed && b->fixed);
}

static inline bool wc_are_pair(const wc_body *a, const wc_body *b) {
    return a != b && wc_meet(&a->def, &b->def);
}

static inline const wc_body *wc_find(const wc_scene *s, ov_body id) {
    for (size_t i = 0; i < s->count; i++) {
        if (s->bodies[i].id == id) {
            return &s->bodies[i];
        }
    }
    return NULL;
}

/** How far beyond a limit a contact may be listed, or missing: tolerance and rounding. */
static inline double wc_slack(const wc_scene *s, double size) { return 4e-9 * size + s->rounding; }

/* ---- one contact against the oracle */

typedef struct wc_tally {
    long contacts, overlaps, weak; /**< weak: the status is not OV_OK */
    double gap;                    /**< worst difference of separated ones, in sizes */
    double depth;                  /**< ... of overlapping ones */
} wc_tally;

static wc_tally wc_worst;

static inline bool wc_is_index(const ov_part *part, uint32_t triangle) {
    return part->mesh != NULL ? triangle < ov_trimesh_triangle_count(part->mesh)
                              : triangle == OV_NO_TRIANGLE;
}

/** Bounds, relation, points and normal of a contact of two parts. */
static inline bool wc_check_contact(const wc_scene *s, const ov_contact *c, const wc_gap *g) {
    double slack = wc_slack(s, g->size);
    bool good = CHECK(c->status >= 0) && CHECK(c->gap_lower <= c->gap && c->gap <= c->gap_upper);
    good = good && CHECK(c->gap_lower <= g->upper + s->rounding);
    good = good && CHECK(c->gap_upper >= g->lower - s->rounding);
    good = good && CHECK(c->relation != OV_RELATION_SEPARATED || c->gap_lower > 0.0);
    good = good && CHECK(c->relation != OV_RELATION_OVERLAPPING || c->gap_upper <= 0.0);
    good = good && CHECK(fabs(ov_vec3_length(c->normal) - 1.0) < 1e-12);
    wc_worst.contacts++;
    wc_worst.weak += c->status != OV_OK;
    wc_worst.overlaps += c->relation == OV_RELATION_OVERLAPPING;
    if (good && c->status == OV_OK && c->relation == OV_RELATION_SEPARATED) {
        ov_vec3 d = ov_vec3_sub(c->point_b, c->point_a);
        // from A towards B: the sign of a swap that was forgotten shows here
        good = CHECK_NEAR(ov_vec3_dot(d, c->normal), c->gap, slack);
        good = CHECK_NEAR(c->gap, g->gap, slack) && good;
        wc_worst.gap = fmax(wc_worst.gap, (fabs(c->gap - g->gap) - s->rounding) / g->size);
    } else if (good && c->relation == OV_RELATION_OVERLAPPING && g->size > 0.0) {
        wc_worst.depth = fmax(wc_worst.depth, fabs(c->gap - g->gap) / g->size);
    }
    return good;
}

static inline void wc_print(const wc_body *a, uint32_t i, const wc_body *b, uint32_t j,
                            const wc_gap *g, const ov_contact *c, double limit) {
    if (!check_may_print()) {
        return;
    }
    const wc_body *bodies[2] = {a, b};
    const uint32_t parts[2] = {i, j};
    for (int k = 0; k < 2; k++) {
        const ov_part *p = ov_geometry_part(bodies[k]->def.geometry, parts[k]);
        ov_pose q = bodies[k]->def.pose;
        fprintf(stderr, "  body %llu part %u (%s) of %zu at {{%a, %a, %a}, {%a, %a, %a, %a}}\n",
                (unsigned long long)bodies[k]->id, parts[k],
                p->mesh != NULL ? "mesh" : ov_shape_kind_name(p->shape.kind),
                ov_geometry_count(bodies[k]->def.geometry), q.position.x, q.position.y,
                q.position.z, q.rotation.w, q.rotation.x, q.rotation.y, q.rotation.z);
    }
    fprintf(stderr, "  limit %.17g, oracle [%.17g, %.17g], size %g\n", limit, g->lower, g->upper,
            g->size);
    if (c != NULL) {
        fprintf(stderr, "  world [%.17g, %.17g], gap %.17g, %s, %s\n", c->gap_lower, c->gap_upper,
                c->gap, ov_relation_name(c->relation), ov_status_name(c->status));
    }
}

/* ---- all contacts */

/** Numbers of parts: that of part k of body i is first[i] + k. */
typedef struct wc_index {
    size_t first[WC_BODIES_MAX + 1];
    int32_t *table; /**< by two parts: the contact, or -1 */
} wc_index;

static inline int32_t *wc_at(const wc_index *x, size_t i, size_t k, size_t j, size_t l) {
    size_t all = x->first[WC_BODIES_MAX];
    return &x->table[(x->first[i] + k) * all + x->first[j] + l];
}

static inline wc_index wc_index_make(const wc_scene *s) {
    wc_index x;
    size_t all = 0;
    for (size_t i = 0; i < s->count; i++) {
        x.first[i] = all;
        all += ov_geometry_count(s->bodies[i].def.geometry);
    }
    x.first[WC_BODIES_MAX] = all;
    x.table = malloc((all * all + 1) * sizeof(int32_t));
    for (size_t i = 0; i < all * all; i++) {
        x.table[i] = -1;
    }
    return x;
}

/** Enters contacts into the table; names, order of bodies, filters and doubles are checked. */
static inline bool wc_enter(const wc_scene *s, wc_index *x, const ov_world_contact *contacts,
                            size_t count, double limit) {
    bool good = true;
    for (size_t n = 0; n < count && good; n++) {
        const ov_world_contact *c = &contacts[n];
        const wc_body *a = wc_find(s, c->a), *b = wc_find(s, c->b);
        good = CHECK(a != NULL && b != NULL) && CHECK(c->a < c->b) && CHECK(wc_are_pair(a, b));
        const ov_part *p = good ? ov_geometry_part(a->def.geometry, c->part_a) : NULL;
        const ov_part *q = good ? ov_geometry_part(b->def.geometry, c->part_b) : NULL;
        good = good && CHECK(p != NULL && q != NULL) && CHECK(c->contact.gap_lower <= limit);
        good = good && CHECK(wc_is_index(p, c->triangle_a) && wc_is_index(q, c->triangle_b));
        if (good) {
            size_t i = (size_t)(a - s->bodies), j = (size_t)(b - s->bodies);
            good = CHECK(*wc_at(x, i, c->part_a, j, c->part_b) < 0);
            *wc_at(x, i, c->part_a, j, c->part_b) = (int32_t)n;
            *wc_at(x, j, c->part_b, i, c->part_a) = (int32_t)n;
        }
    }
    return good;
}

/** Can the oracle spare itself the query? By balls of its own. */
static inline bool wc_is_far(const ov_part *p, ov_pose a, const ov_part *q, ov_pose b, double limit,
                             double rounding) {
    ov_ball s = p->mesh != NULL ? ov_trimesh_ball(p->mesh) : p->shape.ball;
    ov_ball t = q->mesh != NULL ? ov_trimesh_ball(q->mesh) : q->shape.ball;
    ov_vec3 c = ov_pose_apply(wc_part_pose(p, a), s.centre);
    ov_vec3 d = ov_pose_apply(wc_part_pose(q, b), t.centre);
    return ov_vec3_length(ov_vec3_sub(c, d)) - s.radius - t.radius - rounding > 1.01 * limit;
}

/** Two parts: is the contact listed if it must be, and right if it is? */
static inline bool wc_check_parts(const wc_scene *s, const wc_index *x, size_t i, uint32_t k,
                                  size_t j, uint32_t l, const ov_world_contact *contacts,
                                  double limit, const ov_pair_options *options) {
    const wc_body *a = &s->bodies[i], *b = &s->bodies[j];
    const ov_part *p = ov_geometry_part(a->def.geometry, k);
    const ov_part *q = ov_geometry_part(b->def.geometry, l);
    int32_t n = *wc_at(x, i, k, j, l);
    if (n < 0 && wc_is_far(p, a->def.pose, q, b->def.pose, limit, s->rounding)) {
        return true;
    }
    wc_gap g = wc_parts_gap(p, a->def.pose, q, b->def.pose, options);
    if (g.unlike) {
        return CHECK(n < 0);
    }
    double slack = wc_slack(s, g.size);
    const ov_contact *c = n >= 0 ? &contacts[n].contact : NULL;
    bool good = true;
    if (c == NULL) {
        good = CHECK(!(g.upper < limit - s->rounding)); // lost
    } else {
        good = CHECK(g.lower <= limit + slack || c->status != OV_OK); // not needed
        good = wc_check_contact(s, c, &g) && good;
    }
    if (!good) {
        wc_print(a, k, b, l, &g, c, limit);
    }
    return good;
}

/** The islands that union and find make of the contacts. */
static inline size_t wc_root(const size_t *up, size_t i) {
    while (up[i] != i) {
        i = up[i];
    }
    return i;
}

static inline bool wc_check_islands(const wc_scene *s, const ov_world_contact *contacts,
                                    size_t count) {
    static size_t up[WC_BODIES_MAX];
    static size_t owner[WC_BODIES_MAX];
    for (size_t i = 0; i < s->count; i++) {
        up[i] = i;
        owner[i] = SIZE_MAX;
    }
    for (size_t n = 0; n < count; n++) {
        const wc_body *a = wc_find(s, contacts[n].a), *b = wc_find(s, contacts[n].b);
        if (!a->def.fixed && !b->def.fixed) {
            up[wc_root(up, (size_t)(a - s->bodies))] = wc_root(up, (size_t)(b - s->bodies));
        }
    }
    // numbers and roots name each other, and no number is left out
    bool good = true;
    uint32_t numbers = 0;
    size_t roots = 0;
    for (size_t n = 0; n < count && good; n++) {
        const wc_body *a = wc_find(s, contacts[n].a), *b = wc_find(s, contacts[n].b);
        size_t root = wc_root(up, (size_t)((a->def.fixed ? b : a) - s->bodies));
        uint32_t island = contacts[n].island;
        numbers = island + 1 > numbers ? island + 1 : numbers;
        good = CHECK(island < s->count);
        roots += good && owner[island] == SIZE_MAX;
        good = good && CHECK(owner[island] == SIZE_MAX || owner[island] == root);
        owner[island < s->count ? island : 0] = root;
    }
    for (uint32_t i = 0; i < numbers && good; i++) {
        for (uint32_t j = 0; j < i && good; j++) {
            good = CHECK(owner[i] != owner[j]);
        }
    }
    return good && CHECK(roots == numbers);
}

/** What the layers say must add up. */
static inline bool wc_check_counts(const wc_scene *s, size_t contacts) {
    ov_world_counts c = ov_world_last_counts(s->world);
    size_t parts = 0;
    for (size_t i = 0; i < s->count; i++) {
        parts += ov_geometry_count(s->bodies[i].def.geometry);
    }
    bool good = CHECK(c.parts == parts) && CHECK(c.contacts == contacts);
    good = CHECK(c.pairs == c.rejected_kept + c.rejected_ball + c.rejected_obb + c.queries) && good;
    good = CHECK(c.queries == c.rejected_query + c.contacts) && good;
    good = CHECK(c.undecided <= c.contacts && c.not_converged <= c.contacts) && good;
    return CHECK(c.moved <= c.parts) && CHECK(c.memory > 0) && good;
}

/** All contacts of the scene against brute force. Returns their number. */
static inline size_t wc_check_all(const wc_scene *s, double limit, unsigned threads) {
    const ov_world_contact *contacts = NULL;
    size_t count = 0;
    ov_world_options defaults = ov_default_world_options();
    CHECK_OK(ov_world_set_threads(s->world, &(ov_threads){.count = threads}));
    if (!CHECK_OK(ov_world_contacts(s->world, limit, &contacts, &count))) {
        return 0;
    }
    wc_index x = wc_index_make(s);
    bool good = wc_enter(s, &x, contacts, count, limit) && wc_check_counts(s, count);
    good = good && wc_check_islands(s, contacts, count);
    for (size_t i = 0; i < s->count && good; i++) {
        for (size_t j = 0; j < s->count; j++) {
            // A is the body with the smaller id, as in the contacts
            if (s->bodies[i].id >= s->bodies[j].id || !wc_are_pair(&s->bodies[i], &s->bodies[j])) {
                continue;
            }
            for (uint32_t k = 0; k < ov_geometry_count(s->bodies[i].def.geometry); k++) {
                for (uint32_t l = 0; l < ov_geometry_count(s->bodies[j].def.geometry); l++) {
                    (void)wc_check_parts(s, &x, i, k, j, l, contacts, limit, &defaults.pair);
                }
            }
        }
    }
    free(x.table);
    return count;
}

#endif
