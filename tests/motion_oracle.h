/**
 * @file motion_oracle.h
 * @brief The gap of two moving bodies over a whole motion, by dense samples: the truth that sweeps
 * are held against.
 *
 * Nothing here shares code or method with the library but ov_motion_at, which says where a frame
 * is; distances are those of convex_oracle.h.
 *
 * A motion is sampled at the middles of MO_SAMPLES equal cells. A cell, or three, nine ... of them
 * together, is left out where the gap at its middle and the speed of the bodies show that it cannot
 * hold what is looked for. The speed is that of the fastest point, by differences of many places,
 * times 1.5. The cells that come closest are searched by golden section.
 */
#ifndef OVOID_TESTS_MOTION_ORACLE_H
#define OVOID_TESTS_MOTION_ORACLE_H

#include <string.h>

#include "convex_oracle.h"

/* ---- moving bodies */

enum { MO_FACES = 64 };

/** A body of an ov_sweep_body, or of an ov_sweep_pair, and what it is made of. */
typedef struct mo_body {
    const ov_motion *motion;
    ov_pose pose;
    mo_convex whole;           // its hull
    bool hollow;               // made of the polygons below: only they meet
    bool closed;               // hollow, but the boundary of its hull
    mo_convex faces[MO_FACES]; // polygons
    size_t face_count;
    ov_vec3 centres[MO_FACES]; // of balls about the faces
    double radii[MO_FACES];
    ov_vec3 corners[MO_FACES][8];
    mo_heights heights;
    ov_vec3 centre; // of a ball about it
    double size;    // radius of that ball
} mo_body;

static inline void mo_body_set(mo_body *b, const ov_shape *s, ov_pose pose,
                               const ov_motion *motion) {
    b->motion = motion;
    b->pose = pose;
    b->hollow = b->closed = false;
    b->whole = (mo_convex){.shape = s};
    b->size = s->ball.radius;
    if (s->kind == OV_SHAPE_KIND_POLYHEDRON) {
        b->whole =
            (mo_convex){.points = s->u.polyhedron.vertices, .count = s->u.polyhedron.vertex_count};
    } else if (s->kind == OV_SHAPE_KIND_SUPEROVOID) {
        mo_heights_make(s, &b->heights);
        b->whole.heights = &b->heights;
    }
    b->centre = s->ball.centre;
}

/** At most MO_FACES polygons of at most 8 corners each. */
static inline void mo_body_set_polygons(mo_body *b, const ov_polygons *polygons, bool closed,
                                        ov_pose pose, const ov_motion *motion) {
    b->motion = motion;
    b->pose = pose;
    b->hollow = true;
    b->closed = closed;
    b->whole = (mo_convex){.points = ov_polygons_vertices(polygons),
                           .count = ov_polygons_vertex_count(polygons)};
    b->face_count = ov_polygons_count(polygons);
    CHECK(b->face_count <= MO_FACES);
    b->size = 0.0;
    b->centre = ov_vec3_make(0.0, 0.0, 0.0);
    for (size_t i = 0; i < b->face_count && i < MO_FACES; i++) {
        size_t count;
        const uint32_t *c = ov_polygons_corners(polygons, i, &count);
        CHECK(count <= 8);
        b->centres[i] = ov_vec3_make(0.0, 0.0, 0.0);
        for (size_t k = 0; k < count; k++) {
            b->corners[i][k] = b->whole.points[c[k]];
            b->centres[i] =
                ov_vec3_add_scaled(b->centres[i], b->corners[i][k], 1.0 / (double)count);
            b->size = fmax(b->size, mo_length(b->corners[i][k]));
        }
        b->radii[i] = 0.0;
        for (size_t k = 0; k < count; k++) {
            b->radii[i] =
                fmax(b->radii[i], mo_length(ov_vec3_sub(b->corners[i][k], b->centres[i])));
        }
        b->faces[i] = (mo_convex){.points = b->corners[i], .count = count};
    }
}

static inline ov_affine mo_frame_at(const mo_body *b, double time) {
    ov_affine f = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {0.0, 0.0, 0.0}};
    if (b->motion != NULL) {
        ov_status status = ov_motion_at(b->motion, time, &f);
        if (status != OV_OK) { // too many calls to count those that are right
            CHECK_OK(status);
        }
    }
    return f;
}

static inline ov_affine mo_place_at(const mo_body *b, double time) {
    ov_affine f = mo_frame_at(b, time);
    ov_mat3 own = ov_mat3_from_quat(b->pose.rotation);
    ov_affine out = {{ov_mat3_mul_vec3(&f.linear, own.cx), ov_mat3_mul_vec3(&f.linear, own.cy),
                      ov_mat3_mul_vec3(&f.linear, own.cz)},
                     ov_vec3_add(ov_mat3_mul_vec3(&f.linear, b->pose.position), f.translation)};
    return out;
}

/* ---- the gap at a time */

enum { MO_BLOCKS = 32, MO_LEVELS = 6, MO_STEPS = 16, MO_SAMPLES = 32 * 729, MO_MINIMA = 32 };

/** Two bodies during some time, and how fast they are. */
typedef struct mo_pair {
    mo_body a, b;
    double start, end;
    double size;             // of the smaller body
    double speed[MO_BLOCKS]; // of any point against the other body
    ov_vec3 normal;          // that served last
    long gaps;               // that were computed
} mo_pair;

/** No length grows by more under a displacement. */
static inline double mo_stretch(const ov_affine *f) {
    const ov_mat3 *m = &f->linear;
    return sqrt(ov_vec3_dot(m->cx, m->cx) + ov_vec3_dot(m->cy, m->cy) + ov_vec3_dot(m->cz, m->cz));
}

/** The least over all faces of both; what is further than the nearest so far is left out. */
static inline mo_gap mo_faces_gap(const mo_pair *p, const ov_affine *at_a, const ov_affine *at_b,
                                  double goal, double enough) {
    mo_gap best = {enough, INFINITY, p->normal, -1.0};
    size_t count_a = p->a.hollow ? p->a.face_count : 1, count_b = p->b.hollow ? p->b.face_count : 1;
    double wide_a = mo_stretch(at_a), wide_b = mo_stretch(at_b);
    for (size_t i = 0; i < count_a; i++) {
        const mo_convex *fa = p->a.hollow ? &p->a.faces[i] : &p->a.whole;
        for (size_t k = 0; k < count_b; k++) {
            const mo_convex *fb = p->b.hollow ? &p->b.faces[k] : &p->b.whole;
            if (p->a.hollow && p->b.hollow) {
                ov_vec3 ca = ov_affine_apply(at_a, p->a.centres[i]);
                ov_vec3 cb = ov_affine_apply(at_b, p->b.centres[k]);
                double off = mo_length(ov_vec3_sub(cb, ca)) - wide_a * p->a.radii[i] -
                             wide_b * p->b.radii[k];
                if (off >= fmin(best.upper, enough)) {
                    continue;
                }
            }
            mo_gap g = mo_gjk((mo_placed){fa, at_a}, (mo_placed){fb, at_b}, p->normal, goal,
                              fmin(best.upper, enough));
            best.lower = fmin(best.lower, g.lower);
            if (g.upper < best.upper || g.depth > best.depth) {
                best.upper = g.upper;
                best.n = g.n;
                best.depth = g.depth;
            }
        }
    }
    return best;
}

/** To `goal`, or until it is known to be `enough`. */
static inline mo_gap mo_gap_at(mo_pair *p, double time, double goal, double enough) {
    ov_affine at_a = mo_place_at(&p->a, time), at_b = mo_place_at(&p->b, time);
    p->gaps++;
    mo_gap g = mo_gjk((mo_placed){&p->a.whole, &at_a}, (mo_placed){&p->b.whole, &at_b}, p->normal,
                      goal, enough);
    bool solid_a = !p->a.hollow || p->a.closed, solid_b = !p->b.hollow || p->b.closed;
    bool exact = (!p->a.hollow && !p->b.hollow) || (solid_a && solid_b && g.lower > goal);
    if (g.lower < enough && !exact) {
        g = mo_faces_gap(p, &at_a, &at_b, goal, enough);
    }
    p->normal = g.n;
    return g;
}

/** How far a displacement turns, or changes shape, to another one: the largest way of a point at
 *  length 1 from the middle, or more. */
static inline double mo_turn_between(const ov_affine *f, const ov_affine *g, bool rigid) {
    ov_vec3 x = ov_vec3_sub(g->linear.cx, f->linear.cx),
            y = ov_vec3_sub(g->linear.cy, f->linear.cy);
    ov_vec3 z = ov_vec3_sub(g->linear.cz, f->linear.cz);
    double sum = ov_vec3_dot(x, x) + ov_vec3_dot(y, y) + ov_vec3_dot(z, z);
    return sqrt(rigid ? 0.5 * sum : sum); // of rotations two singular values are the same, one is 0
}

/** How much the gap can change between two places of both bodies: what moves both alike does not.
 */
static inline double mo_change(const mo_pair *p, const ov_affine from[2], const ov_affine to[2]) {
    const mo_body *bodies[2] = {&p->a, &p->b};
    ov_vec3 way[2];
    double turns = 0.0;
    for (int i = 0; i < 2; i++) {
        const mo_body *b = bodies[i];
        bool rigid = b->motion == NULL || ov_motion_is_rigid(b->motion);
        way[i] =
            ov_vec3_sub(ov_affine_apply(&to[i], b->centre), ov_affine_apply(&from[i], b->centre));
        turns += b->size * mo_turn_between(&from[i], &to[i], rigid);
    }
    return mo_length(ov_vec3_sub(way[1], way[0])) + turns;
}

static inline void mo_find_speeds(mo_pair *p) {
    double raw[MO_BLOCKS] = {0.0}, step = (p->end - p->start) / (MO_BLOCKS * MO_STEPS);
    ov_affine from[2] = {mo_place_at(&p->a, p->start), mo_place_at(&p->b, p->start)};
    for (int i = 0; i < MO_BLOCKS * MO_STEPS; i++) {
        double time = p->start + (i + 1) * step;
        ov_affine to[2] = {mo_place_at(&p->a, time), mo_place_at(&p->b, time)};
        raw[i / MO_STEPS] = fmax(raw[i / MO_STEPS], mo_change(p, from, to) / step);
        memcpy(from, to, sizeof to);
    }
    for (int i = 0; i < MO_BLOCKS; i++) {
        double before = raw[i > 0 ? i - 1 : i], after = raw[i < MO_BLOCKS - 1 ? i + 1 : i];
        p->speed[i] = 1.5 * fmax(raw[i], 0.5 * fmax(before, after));
    }
}

static inline void mo_pair_ready(mo_pair *p, double start, double end) {
    p->start = start;
    p->end = end;
    p->size = fmin(p->a.size, p->b.size);
    p->normal = ov_vec3_make(1.0, 0.0, 0.0);
    mo_find_speeds(p);
}

/* ---- the least gap over time */

typedef struct mo_least {
    double time, gap;
    double depth; // overlap: at least so deep
    ov_vec3 n;
} mo_least;

/** A search for the least gap, or for any that is `level` or less. */
typedef struct mo_search {
    mo_pair *pair;
    double level;               // -infinity: the least is looked for
    double slack;               // of the least that does not matter
    bool all;                   // leave nothing out
    bool done;                  // contact was found
    mo_least best;              // so far
    mo_least minima[MO_MINIMA]; // cells, the least first
    int count;
    double cell;
} mo_search;

static inline void mo_note(mo_search *s, double time, const mo_gap *g) {
    if (g->upper < s->best.gap || g->depth > s->best.depth) {
        s->best = (mo_least){time, g->upper, g->depth, g->n};
    }
    s->done =
        s->done || g->depth > 1e-9 * s->pair->size || g->upper < s->level - 1e-9 * s->pair->size;
}

static inline double mo_limit(const mo_search *s) {
    return isfinite(s->level) ? s->level : s->best.gap - s->slack;
}

/** Keeps the closest cells, of neighbours the closer one. */
static inline void mo_keep_cell(mo_search *s, mo_least cell) {
    int at = s->count;
    for (int i = 0; i < s->count; i++) {
        if (fabs(s->minima[i].time - cell.time) < 1.6 * s->cell) {
            if (s->minima[i].gap <= cell.gap) {
                return;
            }
            at = i;
            break;
        }
    }
    if (at == MO_MINIMA) {
        at = MO_MINIMA - 1;
        if (s->minima[at].gap <= cell.gap) {
            return;
        }
    } else if (at == s->count) {
        s->count++;
    }
    for (; at > 0 && s->minima[at - 1].gap > cell.gap; at--) {
        s->minima[at] = s->minima[at - 1];
    }
    s->minima[at] = cell;
}

/** An interval about its middle, whose gap was found to be `g` (lower -infinity: not yet). */
static inline void mo_visit(mo_search *s, double middle, double half, double speed, int level,
                            mo_gap g) {
    double goal = 1e-11 * s->pair->size;
    double enough = s->all ? INFINITY : mo_limit(s) + speed * half;
    if (s->done) {
        return;
    }
    if (!(g.lower >= enough || g.upper - g.lower <= 2.0 * goal)) {
        g = mo_gap_at(s->pair, middle, goal, enough);
        mo_note(s, middle, &g);
        enough = s->all ? INFINITY : mo_limit(s) + speed * half;
    }
    if (g.lower >= enough) {
        return;
    }
    if (level == 0) {
        s->cell = 2.0 * half;
        mo_keep_cell(s, (mo_least){middle, g.upper, g.depth, g.n});
        return;
    }
    const mo_gap unknown = {.lower = -INFINITY, .upper = INFINITY, .depth = -1.0};
    double third = half / 3.0;
    mo_visit(s, middle, third, speed, level - 1, g);
    mo_visit(s, middle - 2.0 * third, third, speed, level - 1, unknown);
    mo_visit(s, middle + 2.0 * third, third, speed, level - 1, unknown);
}

static inline double mo_golden(mo_search *s, double time) {
    mo_gap g = mo_gap_at(s->pair, time, 1e-12 * s->pair->size, INFINITY);
    mo_note(s, time, &g);
    return g.depth > 0.0 ? -g.depth : g.upper;
}

/** Golden section, as long as what is between can still matter. */
static inline void mo_refine(mo_search *s, double lo, double hi, double speed) {
    const double golden = 0.6180339887498949;
    double x = hi - golden * (hi - lo), y = lo + golden * (hi - lo);
    double fx = mo_golden(s, x), fy = mo_golden(s, y);
    for (int i = 0; i < 32 && !s->done; i++) {
        double limit = isfinite(s->level) ? s->level : s->best.gap;
        if (fmin(fx, fy) - speed * (hi - lo) > limit) {
            return;
        }
        if (fx < fy) {
            hi = y;
            y = x;
            fy = fx;
            x = hi - golden * (hi - lo);
            fx = mo_golden(s, x);
        } else {
            lo = x;
            x = y;
            fx = fy;
            y = lo + golden * (hi - lo);
            fy = mo_golden(s, y);
        }
    }
}

/**
 * Between two times: the least gap, or with a finite level any gap that is less than that. An
 * overlap ends it.
 */
static inline mo_least mo_search_between(mo_pair *p, double from, double to, double level,
                                         bool all) {
    mo_search s = {.pair = p, .level = level, .all = all};
    s.slack = 1e-7 * p->size;
    s.best = (mo_least){from, INFINITY, -1.0, {1.0, 0.0, 0.0}};
    double block = (p->end - p->start) / MO_BLOCKS;
    const mo_gap unknown = {.lower = -INFINITY, .upper = INFINITY, .depth = -1.0};
    mo_gap first[MO_BLOCKS];
    for (int round = 0; round < 2; round++) { // all middles first: what is least counts at once
        for (int i = 0; i < MO_BLOCKS && !s.done; i++) {
            double lo = fmax(from, p->start + i * block), hi = fmin(to, p->start + (i + 1) * block);
            double middle = lo + 0.5 * (hi - lo);
            if (!(hi > lo)) {
                continue;
            }
            if (round == 0) {
                first[i] =
                    isfinite(level) ? unknown : mo_gap_at(p, middle, 1e-11 * p->size, INFINITY);
                mo_note(&s, middle, &first[i]);
            } else {
                mo_visit(&s, middle, 0.5 * (hi - lo), p->speed[i], MO_LEVELS, first[i]);
            }
        }
    }
    for (int i = 0; i < s.count && !s.done; i++) {
        double time = s.minima[i].time, wide = block / 729.0;
        int at = (int)fmin(MO_BLOCKS - 1, (time - p->start) / block);
        mo_refine(&s, fmax(from, time - wide), fmin(to, time + wide), p->speed[at]);
    }
    return s.best;
}

#endif
