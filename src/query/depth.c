/**
 * @file depth.c
 * @brief The least depth of two overlapping smooth bodies, over all directions.
 *
 * The depth along n is s(n) = hA(n) + hB(-n) - n.d; it has several local minima over the sphere.
 * They lie where the bodies are flat or meet edge to edge, so the directions worth a walk are known
 * beforehand: the axes of both bodies, the products of an axis of each, the middles of the octants,
 * and the line of centres. An estimate of s without powers ranks them: the norms in h are
 * interpolated between the sum, the root and the maximum. The best ones are walked down, four at a
 * time. That finds the least depth of ordinary pairs; for bodies with nearly flat faces, sharp
 * edges or slender forms, whose minima are many and narrow, a polytope inside the difference of
 * the bodies (epa.c) finds the region and proves that no other one is deeper, and a walk from there
 * the value.
 */
#include <stddef.h>

#include "lanes4.h"

/* ---- directions worth a walk */

enum { DIRECTIONS = 1 + 12 + 18 + 16, GROUPS = (DIRECTIONS + 3) / 4, LANES = 4, WALKS_MAX = 16 };

/** All directions, A's outward, four at a time: of any length, then unit vectors. */
typedef union numbers {
    double at[4 * GROUPS];
    ovi_v4 four[GROUPS];
} numbers;

typedef struct compass {
    numbers x, y, z;
    int count;
} compass;

static void add(compass *c, ov_vec3 v) {
    c->x.at[c->count] = v.x;
    c->y.at[c->count] = v.y;
    c->z.at[c->count] = v.z;
    c->count++;
}

/** A direction and its opposite. */
static void add_both(compass *c, ov_vec3 v) {
    add(c, v);
    add(c, ov_vec3_neg(v));
}

/** The middles of the octants of a body: a diagonal of its box each, upside down. */
static void add_octants(compass *c, const ovi_pair *p, const ov_shape *s, bool of_b) {
    ov_vec3 m = {1.0 / s->a.x, 1.0 / s->a.y, 1.0 / s->a.z};
    for (int i = 0; i < 4; i++) {
        ov_vec3 v = {i & 1 ? -m.x : m.x, i & 2 ? -m.y : m.y, m.z};
        add_both(c, of_b ? ovi_turn_from_b(p, v) : v);
    }
}

static void list_directions(const ovi_pair *p, compass *c) {
    const ov_vec3 b[3] = {p->turn.cx, p->turn.cy, p->turn.cz};
    c->count = 0;
    add(c, p->offset);
    add_both(c, ov_vec3_make(1.0, 0.0, 0.0));
    add_both(c, ov_vec3_make(0.0, 1.0, 0.0));
    add_both(c, ov_vec3_make(0.0, 0.0, 1.0));
    for (int i = 0; i < 3; i++) {
        add_both(c, b[i]);
        // products with the axes of A
        add_both(c, ov_vec3_make(0.0, -b[i].z, b[i].y));
        add_both(c, ov_vec3_make(b[i].z, 0.0, -b[i].x));
        add_both(c, ov_vec3_make(-b[i].y, b[i].x, 0.0));
    }
    add_octants(c, p, p->a, false);
    add_octants(c, p, p->b, true);
    while (c->count < 4 * GROUPS) {
        add(c, ov_vec3_make(0.0, 0.0, 0.0));
    }
}

/** ovi_blend of positive numbers, four at a time. */
OVI_INLINE ovi_v4 blend_4(ovi_v4 x, ovi_v4 y, double e) {
    ovi_v4 root = ovi_v4_sqrt(x * x + y * y);
    ovi_v4 other = e <= 1.0 ? x + y - root : root - ovi_v4_select(x > y, x, y);
    return root + (1.0 - e) * other;
}

/** Support of a body, roughly; the direction in its frame. */
OVI_INLINE ovi_v4 estimate_support(const ov_shape *s, ovi_v4 nx, ovi_v4 ny, ovi_v4 nz) {
    ovi_v4 x = s->a.x * ovi_v4_abs(nx), y = s->a.y * ovi_v4_abs(ny), z = s->a.z * nz;
    ovi_v4 high = ovi_v4_abs(z), h = blend_4(blend_4(x, y, s->e1), high, s->e2);
    if (s->tx == 0.0 && s->ty == 0.0) {
        return h;
    }
    ovi_v4 zeta = z / h; // the height of the support point, if the body were an ellipsoid
    return blend_4(blend_4(x * (1.0 + s->tx * zeta), y * (1.0 + s->ty * zeta), s->e1), high, s->e2);
}

/** Makes unit vectors of the directions and estimates the depth along each. */
OVI_INLINE int estimate_all(const ovi_pair *p, compass *c, numbers *depth) {
    const ov_mat3 *m = &p->turn;
    for (int i = 0; i < GROUPS; i++) {
        ovi_v4 x = c->x.four[i], y = c->y.four[i], z = c->z.four[i], square = x * x + y * y + z * z;
        ovi_i4 none = ~(square > 0.0);
        ovi_v4 unit = 1.0 / ovi_v4_sqrt(ovi_v4_select(none, ovi_v4_of(1.0), square));
        c->x.four[i] = x *= unit;
        c->y.four[i] = y *= unit;
        c->z.four[i] = z *= unit;
        ovi_v4 bx = m->cx.x * x + m->cx.y * y + m->cx.z * z;
        ovi_v4 by = m->cy.x * x + m->cy.y * y + m->cy.z * z;
        ovi_v4 bz = m->cz.x * x + m->cz.y * y + m->cz.z * z;
        ovi_v4 along = x * p->offset.x + y * p->offset.y + z * p->offset.z;
        ovi_v4 s = estimate_support(p->a, x, y, z) + estimate_support(p->b, -bx, -by, -bz) - along;
        depth->four[i] = ovi_v4_select(none, ovi_v4_of(INFINITY), s);
    }
    return c->count;
}

OVI_DISPATCH(static, int, estimate_depths, estimate_all,
             (const ovi_pair *p, compass *c, numbers *depth), (p, c, depth))

typedef struct candidate {
    ov_vec3 normal; // A's outward
    double estimate;
} candidate;

/** The directions whose estimate is below the bar, in no order. */
static int list_candidates(const ovi_pair *p, double bar, candidate *list) {
    compass c;
    numbers depth;
    list_directions(p, &c);
    int all = estimate_depths(p, &c, &depth), count = 0;
    for (int i = 0; i < all; i++) {
        list[count] = (candidate){{c.x.at[i], c.y.at[i], c.z.at[i]}, depth.at[i]};
        count += depth.at[i] < bar;
    }
    return count;
}

/** Moves the `wanted` lowest estimates below `bar` to the front; returns how many there are. */
static int select_lowest(candidate *list, int count, int wanted, double bar) {
    int chosen = 0;
    for (; chosen < wanted && chosen < count; chosen++) {
        int least = chosen;
        for (int i = chosen + 1; i < count; i++) {
            least = list[i].estimate < list[least].estimate ? i : least;
        }
        if (!(list[least].estimate < bar)) {
            break;
        }
        candidate t = list[chosen];
        list[chosen] = list[least];
        list[least] = t;
    }
    return chosen;
}

/* ---- walks */

typedef struct search {
    const ovi_walk *walk;
    ovi_walk_end best;
    bool any;
    int iterations;
} search;

/** Takes an end of a walk, if it is less deep than the best so far. */
static void consider(search *s, const ovi_walk_end *end) {
    s->iterations += end->iterations;
    bool stationary = end->verdict == OVI_WALK_DEEP || end->verdict == OVI_WALK_MET;
    if (!stationary) {
        return;
    }
    if (!(end->phi < 0.0) || (s->any && end->lower <= s->best.lower)) {
        return;
    }
    ovi_walk_end proven = *end;
    ovi_walk_prove(s->walk, &proven);
    if (proven.verdict != OVI_WALK_LOST && (!s->any || proven.lower > s->best.lower)) {
        s->best = proven;
        s->any = true;
    }
}

/** Up to four walks at once. */
static void walk_four(search *s, const candidate *list, int count) {
    ovi_lanes4 lanes = {.round = s->walk->round};
    for (int i = 0; i < 4; i++) {
        ovi_triple_2 place = ovi_walk_place(s->walk, list[i < count ? i : 0].normal);
        ovi_lanes4_load(&lanes, i, s->walk, &place);
        lanes.active[i] = i < count ? -1 : 0;
    }
    ovi_ends4 ends;
    for (int left = count; left > 0;) {
        ovi_lanes4_run(&lanes, &ends);
        for (int i = 0; i < count; i++) {
            if (ends.done >> i & 1) {
                consider(s, &ends.end[i]);
                left--;
            }
        }
    }
}

/** Estimates that are above it are not worth a walk. */
static double bar_of(const search *s) { return s->any ? -1.5 * s->best.phi : INFINITY; }

/** Walks from the best candidates; those whose estimate is far above what is known are left out. */
static void walk_candidates(search *s) {
    candidate list[4 * GROUPS + 1];
    int count = list_candidates(s->walk->pair, bar_of(s), list);
    for (int done = 0; done < WALKS_MAX;) {
        int some = select_lowest(list + done, count - done, LANES, bar_of(s));
        if (some == 0) {
            break;
        }
        walk_four(s, list + done, some);
        done += some;
    }
}

/* ---- the search */

/** Flat faces, sharp edges or slender: where the candidates and the walks are not enough. */
static bool is_hard(const ov_shape *s) {
    double least = fmin(s->a.x, fmin(s->a.y, s->a.z)), most = fmax(s->a.x, fmax(s->a.y, s->a.z));
    return fmin(s->e1, s->e2) < 0.25 || fmax(s->e1, s->e2) > 1.3 || most > 6.0 * least;
}

static void write_best(const search *s, ovi_result *r) {
    const ovi_walk_end *e = &s->best;
    r->lower = e->lower - s->walk->pair->rounding;
    r->gap = e->phi;
    r->point_a = e->point_a;
    r->point_b = e->point_b;
    r->normal = ovi_walk_normal(s->walk, e);
}

/** Is no direction close by less deep, by more than the goal? */
static bool is_least_nearby(const ovi_pair *pair, const ovi_result *r) {
    ov_mat3 frame = ov_mat3_householder(r->normal);
    const double angles[] = {1e-6, 1e-4, 1e-2};
    for (int i = 0; i < 24; i++) {
        double turn = 0.25 * (i % 8) * 3.14159265358979, angle = angles[i / 8];
        ov_vec3 n = ov_vec3_add_scaled(r->normal, frame.cy, angle * cos(turn));
        n = ov_vec3_normalize(ov_vec3_add_scaled(n, frame.cz, angle * sin(turn)));
        ovi_span span;
        if (ovi_pair_span(pair, n, &span) != OV_OK || span.gap > r->lower + pair->goal) {
            return false;
        }
    }
    return true;
}

/** Region and proof by the polytope, the value by a walk from there. */
static void search_all(search *s, ovi_result *r) {
    const ovi_pair *pair = s->walk->pair;
    ovi_result net = ovi_result_unknown();
    net.overlap = true;
    if (ovi_epa_depth(pair, &net) != OV_OK) {
        return;
    }
    s->iterations += net.iterations;
    r->upper = fmin(r->upper, net.upper);
    for (int attempt = 0; attempt < OVI_WALK_ATTEMPTS; attempt++) {
        ovi_walk_end end = ovi_walk_again(s->walk, &net, attempt);
        consider(s, &end);
        if (s->any && s->best.lower >= net.lower - pair->goal) {
            break;
        }
    }
    if (!s->any || net.lower > s->best.lower + pair->goal) {
        int iterations = r->iterations;
        double upper = r->upper;
        *r = net;
        r->iterations = iterations;
        r->upper = upper;
        if (!ovi_narrow_contact(pair, r)) {
            ovi_project_witnesses(pair, r);
        }
        r->solved |= pair->depth != OV_DEPTH_PROVEN && is_least_nearby(pair, r);
        s->any = false;
    }
}

void ovi_depth_search(const ovi_walk *walk, const ovi_walk_end *found, ovi_result *result,
                      ovi_triple_2 *place) {
    search s = {.walk = walk};
    if (found != NULL) {
        s.best = *found;
        s.any = true;
    }
    bool hard = is_hard(walk->pair->a) || is_hard(walk->pair->b);
    if (ovi_smooth_is_walkable(walk->pair)) {
        walk_candidates(&s);
    }
    bool proven = walk->pair->depth == OV_DEPTH_PROVEN;
    if (hard || !s.any || proven) {
        search_all(&s, result);
    }
    if (s.any) {
        write_best(&s, result);
        result->solved = !proven || result->upper - result->lower <= walk->pair->goal;
        if (place != NULL) {
            *place = s.best.place;
        }
    }
    result->iterations += s.iterations;
}
