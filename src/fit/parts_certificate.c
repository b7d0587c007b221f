/**
 * @file parts_certificate.c
 * @brief Proofs that parts enclose a mesh or stand not out of it, and their check.
 *
 * Surface. A convex part that holds the corners of a triangle holds the triangle. Corners of a
 * piece are (i a + j b + k c)/2^level with whole numbers i + j + k = 2^level. Computed, they are
 * off by at most 4 roundings of the largest coordinate; so a part counts as holding a corner if it
 * holds the eight corners of a box about the computed one that contains the exact one (corners of
 * the mesh itself are exact). ovi_fit_holds_point says what is proven of a point.
 *
 * Solid. A cell is an axis-aligned cube whose corners are exact: the root's side is a power of two,
 * and its origin a multiple of the smallest cell's side. Let M be the solid, S its surface. Points
 * of M that are not in S are interior, so an extreme point of the hull of M in the cell is a corner
 * of the cell, or in S. Hence a convex part holds M in the cell if it holds
 *
 *     1. each corner of the cell that is not outside of M, and
 *     2. each piece of a triangle that meets the cell; pieces that do not meet it need not be held.
 *
 * That a point is outside of M is proven by the solid's mesh query. A cell that no triangle meets
 * is wholly outside if its middle is.
 */
#include <math.h>
#include <stdlib.h>

#include <ovoid/query.h>
#include <ovoid/trimesh.h>

#include "fit_shape_internal.h"
#include "parts_internal.h"

/* ---- pieces of triangles */

/** A piece: its corners as whole numbers over 2^level, for the corners a and b; c has the rest. */
typedef struct piece {
    uint32_t i[3], j[3];
    uint32_t level;
} piece;

static const piece whole = {.i = {1, 0, 0}, .j = {0, 1, 0}, .level = 0};

/** Child of a piece, in the order of ov_fit_piece. */
static piece child_of(const piece *p, uint32_t which) {
    // in halves: a corner twice, or two corners once
    static const int pair[4][3][2] = {{{0, 0}, {0, 1}, {2, 0}},
                                      {{0, 1}, {1, 1}, {1, 2}},
                                      {{2, 0}, {1, 2}, {2, 2}},
                                      {{0, 1}, {1, 2}, {2, 0}}};
    piece c = {.level = p->level + 1};
    for (int n = 0; n < 3; n++) {
        const int *of = pair[which][n];
        c.i[n] = p->i[of[0]] + p->i[of[1]];
        c.j[n] = p->j[of[0]] + p->j[of[1]];
    }
    return c;
}

/** A point that is known up to `pad` in each coordinate. */
typedef struct rough_point {
    ov_vec3 p;
    double pad;
} rough_point;

static rough_point corner_of(const ov_vec3 t[3], const piece *p, int n) {
    uint32_t all = (uint32_t)1 << p->level, i = p->i[n], j = p->j[n], k = all - i - j;
    if (i == all || j == all || k == all) {
        return (rough_point){i == all ? t[0] : j == all ? t[1] : t[2], 0.0};
    }
    double u = (double)i / all, v = (double)j / all, w = (double)k / all, largest = 0.0;
    for (int c = 0; c < 3; c++) {
        largest = fmax(largest, fmax(fabs(t[c].x), fmax(fabs(t[c].y), fabs(t[c].z))));
    }
    ov_vec3 p3 = {u * t[0].x + v * t[1].x + w * t[2].x, u * t[0].y + v * t[1].y + w * t[2].y,
                  u * t[0].z + v * t[1].z + w * t[2].z};
    return (rough_point){p3, largest * 0x1p-50};
}

static bool holds_rough(const ov_fit_part *part, const rough_point *r) {
    if (r->pad == 0.0) {
        return ovi_fit_holds_point(&part->shape, part->pose, r->p);
    }
    for (int n = 0; n < 8; n++) {
        ov_vec3 q = {r->p.x + (n & 1 ? r->pad : -r->pad), r->p.y + (n & 2 ? r->pad : -r->pad),
                     r->p.z + (n & 4 ? r->pad : -r->pad)};
        if (!ovi_fit_holds_point(&part->shape, part->pose, q)) {
            return false;
        }
    }
    return true;
}

static bool holds_piece(const ov_fit_part *part, const ov_vec3 t[3], const piece *p) {
    for (int n = 0; n < 3; n++) {
        rough_point r = corner_of(t, p, n);
        if (!holds_rough(part, &r)) {
            return false;
        }
    }
    return true;
}

static void corners_of_triangle(const ov_fit_input *input, size_t index, ov_vec3 t[3]) {
    for (int c = 0; c < 3; c++) {
        size_t at = input->triangle_count > 0 ? input->triangles[index][c] : index;
        t[c] = input->points[at];
    }
}

static size_t element_count(const ov_fit_input *input) {
    return input->triangle_count > 0 ? input->triangle_count : input->point_count;
}

/* ---- cells */

typedef struct cube {
    ov_vec3 lo;
    double side;
} cube;

static ov_vec3 cube_corner(const cube *c, int n) {
    return ov_vec3_make(c->lo.x + (n & 1 ? c->side : 0.0), c->lo.y + (n & 2 ? c->side : 0.0),
                        c->lo.z + (n & 4 ? c->side : 0.0));
}

static cube cube_child(const cube *c, int n) {
    cube child = {.side = 0.5 * c->side};
    child.lo =
        ov_vec3_make(c->lo.x + (n & 1 ? child.side : 0.0), c->lo.y + (n & 2 ? child.side : 0.0),
                     c->lo.z + (n & 4 ? child.side : 0.0));
    return child;
}

/** Smallest cell: 2^-20 of the root. Corners are exact if the root is not too far out. */
enum { CELL_LEVELS = 20 };

static bool cube_is_exact(ov_vec3 origin, double side) {
    int exponent;
    double step = ldexp(side, -CELL_LEVELS);
    double most = fmax(fabs(origin.x), fmax(fabs(origin.y), fabs(origin.z))) + side;
    return side > 0.0 && isfinite(side) && frexp(side, &exponent) == 0.5 && most / step < 0x1p52 &&
           fmod(origin.x, step) == 0.0 && fmod(origin.y, step) == 0.0 &&
           fmod(origin.z, step) == 0.0;
}

/** Do the boxes of piece and cell meet? True if it cannot be excluded. */
static bool piece_meets(const ov_vec3 t[3], const piece *p, const cube *c) {
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int n = 0; n < 3; n++) {
        rough_point r = corner_of(t, p, n);
        double v[3] = {r.p.x, r.p.y, r.p.z};
        for (int a = 0; a < 3; a++) {
            lo[a] = fmin(lo[a], v[a] - r.pad);
            hi[a] = fmax(hi[a], v[a] + r.pad);
        }
    }
    double from[3] = {c->lo.x, c->lo.y, c->lo.z};
    for (int a = 0; a < 3; a++) {
        if (hi[a] < from[a] || lo[a] > from[a] + c->side) {
            return false;
        }
    }
    return true;
}

/** Is the plane of a triangle on one side of the cell, rounding included? */
static bool plane_misses(const ov_vec3 t[3], const cube *c) {
    ov_vec3 u = ov_vec3_sub(t[1], t[0]), v = ov_vec3_sub(t[2], t[0]), n = ov_vec3_cross(u, v);
    double half = 0.5 * c->side;
    ov_vec3 m = ov_vec3_sub(ov_vec3_add(c->lo, ov_vec3_make(half, half, half)), t[0]);
    double lu = fabs(u.x) + fabs(u.y) + fabs(u.z), lv = fabs(v.x) + fabs(v.y) + fabs(v.z);
    double lm = fabs(m.x) + fabs(m.y) + fabs(m.z) + 3.0 * half;
    double big = fmax(fabs(t[0].x), fmax(fabs(t[0].y), fabs(t[0].z))) +
                 fmax(fabs(c->lo.x), fmax(fabs(c->lo.y), fabs(c->lo.z))) + c->side + lu + lv;
    // differences are off by 2^-53 of `big`, products by that of their factors: 2^-48 is ample
    double slack = 0x1p-48 * (lu * lv * (lm + big) + big * (lu + lv) * lm);
    double away = fabs(ov_vec3_dot(n, m)), reach = half * (fabs(n.x) + fabs(n.y) + fabs(n.z));
    return away > reach + slack;
}

/** Does the part hold what is of the triangle in the cell? */
static bool holds_clip(const ov_fit_part *part, const ov_vec3 t[3], const piece *p, const cube *c,
                       uint32_t cuts) {
    if (!piece_meets(t, p, c) || holds_piece(part, t, p)) {
        return true;
    }
    if (cuts == 0) {
        return false;
    }
    for (uint32_t n = 0; n < 4; n++) {
        piece child = child_of(p, n);
        if (!holds_clip(part, t, &child, c, cuts - 1)) {
            return false;
        }
    }
    return true;
}

enum { CLIP_CUTS = 6 };

/** What the proofs about a solid need. */
typedef struct solid {
    const ov_fit_input *input;
    ov_trimesh *mesh;
} solid;

/** Is it proven that a point is outside, or inside, of the solid? */
static ov_relation relation_of(const solid *s, ov_vec3 p) {
    ov_shape shape;
    ov_trimesh_contact contact;
    if (ov_shape_make_point(ov_vec3_make(0.0, 0.0, 0.0), &shape) != OV_OK) {
        return OV_RELATION_UNDECIDED;
    }
    ov_pose pose = ov_pose_identity();
    pose.position = p;
    ov_status status =
        ov_trimesh_shape_contact(s->mesh, ov_pose_identity(), &shape, pose, 0.0, NULL, &contact);
    return status >= OV_OK ? contact.contact.relation : OV_RELATION_UNDECIDED;
}

/** Triangles that may meet a cell. */
typedef struct near_list {
    uint32_t *at;
    size_t count;
} near_list;

/** Those of the list that may meet the cell; they are written behind the list, in its own array. */
static near_list narrow(const solid *s, const near_list *list, const cube *c) {
    near_list out = {.at = list->at + list->count};
    for (size_t i = 0; i < list->count; i++) {
        ov_vec3 t[3];
        corners_of_triangle(s->input, list->at[i], t);
        if (piece_meets(t, &whole, c) && !plane_misses(t, c)) {
            out.at[out.count++] = list->at[i];
        }
    }
    return out;
}

/** What has been asked about the corners of a cell: bits, whether asked and whether outside. */
typedef struct corner_sides {
    unsigned asked, outside;
} corner_sides;

static bool corner_is_outside(const solid *s, const cube *c, int n, corner_sides *sides) {
    unsigned bit = 1u << n;
    if ((sides->asked & bit) == 0) {
        sides->asked |= bit;
        sides->outside |= relation_of(s, cube_corner(c, n)) == OV_RELATION_SEPARATED ? bit : 0;
    }
    return (sides->outside & bit) != 0;
}

/** Does the part hold all of the solid that is in the cell? `sides` starts as zeros. */
static bool holds_cell(const ov_fit_part *part, const solid *s, const near_list *near,
                       const cube *c, corner_sides *sides) {
    bool held[8], all = true;
    for (int n = 0; n < 8; n++) {
        held[n] = ovi_fit_holds_point(&part->shape, part->pose, cube_corner(c, n));
        all = all && held[n];
        if (!all && near->count == 0) {
            // the whole cell is on one side, and what is outside is told otherwise
            return false;
        }
    }
    if (all) {
        return true;
    }
    for (size_t i = 0; i < near->count; i++) {
        ov_vec3 t[3];
        corners_of_triangle(s->input, near->at[i], t);
        if (!holds_clip(part, t, &whole, c, CLIP_CUTS)) {
            return false;
        }
    }
    for (int n = 0; n < 8; n++) {
        if (!held[n] && !corner_is_outside(s, c, n, sides)) {
            return false;
        }
    }
    return true;
}

/** On which side a cell is that no triangle meets: that of its middle. */
static ov_relation relation_of_cell(const solid *s, const near_list *near, const cube *c) {
    double half = 0.5 * c->side;
    ov_vec3 middle = ov_vec3_add(c->lo, ov_vec3_make(half, half, half));
    return near->count == 0 ? relation_of(s, middle) : OV_RELATION_UNDECIDED;
}

/** Opens the solid of an input; `*mesh` is null if it has none. */
static ov_status solid_open(const ov_fit_input *input, solid *s) {
    *s = (solid){.input = input};
    if (input->triangle_count == 0) {
        return OV_OK;
    }
    ov_status status = ov_trimesh_create(input->points, input->point_count, input->triangles,
                                         input->triangle_count, NULL, &s->mesh);
    if (status == OV_OK && !ov_trimesh_is_solid(s->mesh)) {
        ov_trimesh_destroy(s->mesh);
        s->mesh = NULL;
    }
    return status;
}

/** An array for the lists of all levels, the first of them all triangles. */
static bool near_all(const ov_fit_input *input, near_list *list) {
    list->count = input->triangle_count;
    list->at = malloc((size_t)(CELL_LEVELS + 2) * (list->count + 1) * sizeof *list->at);
    for (size_t i = 0; list->at != NULL && i < list->count; i++) {
        list->at[i] = (uint32_t)i;
    }
    return list->at != NULL;
}

/* ---- check */

/** Where a check is. */
typedef struct checking {
    const ov_fit_part *parts;
    size_t part_count;
    const ov_fit_certificate *c;
    solid s;
    size_t next; // piece, or node of the octree
    ov_fit_verdict *verdict;
} checking;

/** The pieces that follow are this piece, or its four children, and each is held. */
static bool check_piece(checking *k, size_t triangle, const ov_vec3 t[3], const piece *p,
                        uint32_t path) {
    if (k->next >= k->c->piece_count) {
        return false;
    }
    const ov_fit_piece *at = &k->c->pieces[k->next];
    if (at->triangle != triangle || at->level > OV_FIT_LEVEL_MAX) {
        return false;
    }
    if (at->level == p->level) {
        k->next++;
        bool good =
            at->path == path && at->part < k->part_count && holds_piece(&k->parts[at->part], t, p);
        k->verdict->pieces += good;
        return good;
    }
    if (p->level >= OV_FIT_LEVEL_MAX) {
        return false;
    }
    for (uint32_t n = 0; n < 4; n++) {
        piece child = child_of(p, n);
        if (!check_piece(k, triangle, t, &child, 4 * path + n)) {
            return false;
        }
    }
    return true;
}

static bool check_surface(checking *k, const ov_fit_input *input) {
    for (size_t i = 0; i < element_count(input); i++) {
        ov_vec3 t[3];
        corners_of_triangle(input, i, t);
        if (!check_piece(k, i, t, &whole, 0)) {
            k->verdict->bad_triangle = i;
            return false;
        }
    }
    return k->next == k->c->piece_count;
}

static bool check_cell(checking *k, const near_list *above, const cube *c, int level) {
    if (k->next >= k->c->cell_count || level > CELL_LEVELS) {
        return false;
    }
    uint32_t node = k->c->cells[k->next++];
    near_list near = narrow(&k->s, above, c);
    bool good = false;
    if (node == OV_FIT_CELL_SPLIT) {
        for (int n = 0; n < 8; n++) {
            cube child = cube_child(c, n);
            if (!check_cell(k, &near, &child, level + 1)) {
                return false;
            }
        }
        return true;
    }
    if (node == OV_FIT_CELL_OUTSIDE) {
        good = relation_of_cell(&k->s, &near, c) == OV_RELATION_SEPARATED;
    } else if (node < k->part_count) {
        corner_sides sides = {0};
        good = holds_cell(&k->parts[node], &k->s, &near, c, &sides);
    }
    k->verdict->cells += good;
    return good;
}

/** Is all of the input within the root? */
static bool root_holds(const ov_fit_input *input, const cube *c) {
    for (size_t i = 0; i < input->triangle_count; i++) {
        for (int n = 0; n < 3; n++) {
            ov_vec3 p = input->points[input->triangles[i][n]];
            if (p.x < c->lo.x || p.y < c->lo.y || p.z < c->lo.z || p.x > c->lo.x + c->side ||
                p.y > c->lo.y + c->side || p.z > c->lo.z + c->side) {
                return false;
            }
        }
    }
    return true;
}

static ov_status check_solid(checking *k, const ov_fit_input *input, bool *good) {
    cube root = {.lo = k->c->origin, .side = k->c->side};
    near_list all;
    *good = false;
    if (k->s.mesh == NULL || k->c->cell_count == 0 || k->c->cells == NULL ||
        !ov_vec3_is_finite(root.lo) || !cube_is_exact(root.lo, root.side) ||
        !root_holds(input, &root)) {
        return OV_OK;
    }
    if (!near_all(input, &all)) {
        return OV_ERROR_MEMORY;
    }
    k->next = 0;
    *good = check_cell(k, &all, &root, 0) && k->next == k->c->cell_count;
    free(all.at);
    return OV_OK;
}

static ov_status check_parts(const ov_fit_part *parts, size_t count) {
    for (size_t i = 0; i < count; i++) {
        // the constructors made them: their ball tells
        ov_ball ball;
        ov_status status = ov_shape_bounding_ball(&parts[i].shape, &ball);
        if (status < OV_OK) {
            return status;
        }
    }
    return OV_OK;
}

ov_status ov_fit_check(const ov_fit_part *parts, size_t part_count,
                       const ov_fit_certificate *certificate, const ov_fit_input *input,
                       ov_fit_verdict *verdict) {
    if (verdict == NULL) {
        return OV_ERROR_NULL;
    }
    *verdict = (ov_fit_verdict){.bad_triangle = SIZE_MAX};
    if (parts == NULL || certificate == NULL ||
        (certificate->pieces == NULL && certificate->piece_count > 0)) {
        return OV_ERROR_NULL;
    }
    ov_status status = ov_fit_input_check(input, NULL);
    status = status == OV_OK ? check_parts(parts, part_count) : status;
    checking k = {.parts = parts, .part_count = part_count, .c = certificate, .verdict = verdict};
    status = status == OV_OK ? solid_open(input, &k.s) : status;
    if (status != OV_OK) {
        return status;
    }
    verdict->surface = check_surface(&k, input);
    status = check_solid(&k, input, &verdict->solid);
    verdict->solid = verdict->solid && verdict->surface;
    ov_trimesh_destroy(k.s.mesh);
    return status;
}

ov_status ov_fit_check_inside(const ov_fit_part *parts, size_t part_count,
                              const ov_fit_input *input, bool *inside) {
    if (inside == NULL) {
        return OV_ERROR_NULL;
    }
    *inside = false;
    if (parts == NULL) {
        return OV_ERROR_NULL;
    }
    solid s = {0};
    ov_trimesh *surface = NULL;
    ov_status status = ov_fit_input_check(input, NULL);
    status = status == OV_OK ? check_parts(parts, part_count) : status;
    status = status == OV_OK ? solid_open(input, &s) : status;
    if (status == OV_OK && s.mesh == NULL) {
        status = OV_ERROR_NOT_CLOSED;
    }
    if (status == OV_OK) {
        status = ov_trimesh_create_surface(input->points, input->point_count, input->triangles,
                                           input->triangle_count, NULL, &surface);
    }
    bool good = status == OV_OK;
    for (size_t i = 0; i < part_count && good; i++) {
        // it does not touch the surface, and one of its points is inside: so are all
        ov_trimesh_contact contact;
        ov_status found = ov_trimesh_shape_contact(surface, ov_pose_identity(), &parts[i].shape,
                                                   parts[i].pose, 0.0, NULL, &contact);
        good = found >= OV_OK && contact.contact.relation == OV_RELATION_SEPARATED &&
               relation_of(&s, parts[i].pose.position) == OV_RELATION_OVERLAPPING;
    }
    *inside = good;
    ov_trimesh_destroy(surface);
    ov_trimesh_destroy(s.mesh);
    return status;
}

/* ---- making a proof */

/** Where the making of a proof is. */
typedef struct proving {
    ov_fit_part *parts;
    size_t count;
    ovi_proof *proof;
    solid s;
    double least;
    bool fixed;  // the parts stay as they are, and what they do not hold ends the proof
    size_t last; // the part that held the last piece
    size_t bad;  // the triangle that no part holds, where the parts are fixed
    ov_status status;
} proving;

static bool room(void **block, size_t *capacity, size_t count, size_t size) {
    if (count < *capacity) {
        return true;
    }
    size_t wanted = 2 * *capacity + 1024;
    void *grown = realloc(*block, wanted * size);
    if (grown == NULL) {
        return false;
    }
    *block = grown;
    *capacity = wanted;
    return true;
}

static bool add_piece(proving *w, size_t triangle, size_t part, uint32_t path, uint32_t level) {
    ovi_proof *p = w->proof;
    void *block = p->pieces;
    if (!room(&block, &p->piece_capacity, p->piece_count, sizeof *p->pieces)) {
        w->status = OV_ERROR_MEMORY;
        return false;
    }
    p->pieces = block;
    p->pieces[p->piece_count++] = (ov_fit_piece){(uint32_t)triangle, (uint32_t)part, path, level};
    return true;
}

static bool add_cell(proving *w, uint32_t node) {
    ovi_proof *p = w->proof;
    void *block = p->cells;
    if (!room(&block, &p->cell_capacity, p->cell_count, sizeof *p->cells)) {
        w->status = OV_ERROR_MEMORY;
        return false;
    }
    p->cells = block;
    p->cells[p->cell_count++] = node;
    return true;
}

/** The part whose volume has the least to grow to hold all points is made so large. */
static size_t grow_nearest(proving *w, const ov_vec3 *points, size_t count) {
    size_t best = 0;
    double least = INFINITY;
    for (size_t k = 0; k < w->count; k++) {
        double scale = 1.0;
        for (size_t i = 0; i < count; i++) {
            double s = ovi_fit_scale_of_point(&w->parts[k].shape, w->parts[k].pose, points[i]);
            scale = s > scale ? s : isnan(s) ? INFINITY : scale;
        }
        // in volume, up to a factor that is about the same for all: a large part that has little
        // to grow would be taken again and again, for one cell after the other
        ov_vec3 a = w->parts[k].shape.a;
        double growth = (scale * scale * scale - 1.0) * a.x * a.y * a.z;
        if (growth < least) {
            least = growth;
            best = k;
        }
    }
    ov_shape grown;
    double scale;
    ov_fit_part *part = &w->parts[best];
    ov_status status =
        ovi_fit_grow_to_hold(&part->shape, part->pose, points, count, &grown, &scale);
    if (status < OV_OK) {
        w->status = status;
    } else if (scale > 1.0) {
        part->shape = grown;
    }
    return best;
}

/** Corners of the boxes about a piece's corners. */
static size_t piece_points(const ov_vec3 t[3], const piece *p, ov_vec3 out[24]) {
    size_t count = 0;
    for (int n = 0; n < 3; n++) {
        rough_point r = corner_of(t, p, n);
        for (int b = 0; b < (r.pad > 0.0 ? 8 : 1); b++) {
            out[count++] =
                ov_vec3_make(r.p.x + (b & 1 ? r.pad : -r.pad), r.p.y + (b & 2 ? r.pad : -r.pad),
                             r.p.z + (b & 4 ? r.pad : -r.pad));
        }
    }
    return count;
}

static double piece_size(const ov_vec3 t[3], const piece *p) {
    double longest = 0.0;
    for (int n = 0; n < 3; n++) {
        longest = fmax(longest, ov_vec3_length(ov_vec3_sub(t[n], t[(n + 1) % 3])));
    }
    return ldexp(longest, -(int)p->level);
}

static bool prove_piece(proving *w, size_t triangle, const ov_vec3 t[3], const piece *p,
                        uint32_t path) {
    for (size_t n = 0; n < w->count; n++) {
        size_t k = (w->last + n) % w->count;
        if (holds_piece(&w->parts[k], t, p)) {
            w->last = k;
            return add_piece(w, triangle, k, path, p->level);
        }
    }
    if (p->level >= OV_FIT_LEVEL_MAX || piece_size(t, p) < w->least) {
        if (w->fixed) {
            w->bad = triangle;
            return false;
        }
        ov_vec3 points[24];
        size_t k = grow_nearest(w, points, piece_points(t, p, points));
        return w->status >= OV_OK && add_piece(w, triangle, k, path, p->level);
    }
    for (uint32_t n = 0; n < 4; n++) {
        piece child = child_of(p, n);
        if (!prove_piece(w, triangle, t, &child, 4 * path + n)) {
            return false;
        }
    }
    return true;
}

/** Lets the nearest part hold the whole cell. */
static bool force_cell(proving *w, const cube *c) {
    ov_vec3 corners[8];
    for (int n = 0; n < 8; n++) {
        corners[n] = cube_corner(c, n);
    }
    size_t k = grow_nearest(w, corners, 8);
    return w->status >= OV_OK && add_cell(w, (uint32_t)k);
}

/** `inside`: the cell is known to be, and no triangle meets it. */
static bool prove_cell(proving *w, const near_list *above, const cube *c, int level, bool inside) {
    near_list near = narrow(&w->s, above, c);
    corner_sides sides = {0};
    ov_relation side = inside ? OV_RELATION_OVERLAPPING : relation_of_cell(&w->s, &near, c);
    if (side == OV_RELATION_SEPARATED) {
        return add_cell(w, OV_FIT_CELL_OUTSIDE);
    }
    for (size_t n = 0; n < w->count && c->side < 0.5 * w->proof->side; n++) {
        size_t k = (w->last + n) % w->count;
        if (holds_cell(&w->parts[k], &w->s, &near, c, &sides)) {
            w->last = k;
            return add_cell(w, (uint32_t)k);
        }
    }
    if (c->side < w->least || level == CELL_LEVELS) {
        return !w->fixed && force_cell(w, c);
    }
    if (!add_cell(w, OV_FIT_CELL_SPLIT)) {
        return false;
    }
    for (int n = 0; n < 8; n++) {
        cube child = cube_child(c, n);
        if (!prove_cell(w, &near, &child, level + 1, side == OV_RELATION_OVERLAPPING)) {
            return false;
        }
    }
    return true;
}

/** Root of the octree: exact corners, all of the mesh inside. False: too far from the origin. */
static bool find_root(const ov_fit_input *input, ovi_proof *proof) {
    double lo[3] = {INFINITY, INFINITY, INFINITY}, extent = 0.0,
           hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < input->triangle_count; i++) {
        for (int n = 0; n < 3; n++) {
            ov_vec3 p = input->points[input->triangles[i][n]];
            double v[3] = {p.x, p.y, p.z};
            for (int a = 0; a < 3; a++) {
                lo[a] = fmin(lo[a], v[a]);
                hi[a] = fmax(hi[a], v[a]);
            }
        }
    }
    for (int a = 0; a < 3; a++) {
        extent = fmax(extent, hi[a] - lo[a]);
    }
    int exponent;
    frexp(extent * 1.01, &exponent);
    proof->side = ldexp(1.0, exponent);
    double step = ldexp(proof->side, -CELL_LEVELS);
    proof->origin = ov_vec3_make(step * floor(lo[0] / step), step * floor(lo[1] / step),
                                 step * floor(lo[2] / step));
    cube root = {.lo = proof->origin, .side = proof->side};
    return cube_is_exact(proof->origin, proof->side) && root_holds(input, &root);
}

static void prove_solid(proving *w, const ov_fit_input *input) {
    near_list all;
    if (w->s.mesh == NULL || !find_root(input, w->proof)) {
        return;
    }
    if (!near_all(input, &all)) {
        w->status = OV_ERROR_MEMORY;
        return;
    }
    cube root = {.lo = w->proof->origin, .side = w->proof->side};
    w->proof->solid = prove_cell(w, &all, &root, 0, false);
    free(all.at);
}

static ov_status make_proof(proving *w, const ov_fit_input *input) {
    *w->proof = (ovi_proof){0};
    w->bad = SIZE_MAX;
    w->status = solid_open(input, &w->s);
    bool good = w->status == OV_OK;
    for (size_t i = 0; i < element_count(input) && good; i++) {
        ov_vec3 t[3];
        corners_of_triangle(input, i, t);
        good = prove_piece(w, i, t, &whole, 0);
    }
    w->proof->surface = good;
    if (good) {
        prove_solid(w, input);
    }
    ov_trimesh_destroy(w->s.mesh);
    if (w->status < OV_OK) {
        ovi_proof_free(w->proof);
    }
    return w->status;
}

ov_status ovi_proof_make(ov_fit_part *parts, size_t count, const ov_fit_input *input, double least,
                         ovi_proof *proof) {
    proving w = {.parts = parts, .count = count, .proof = proof, .least = least};
    return make_proof(&w, input);
}

/** The largest extent along an axis of the points that count. */
static double extent_of(const ov_fit_input *input) {
    ov_vec3 lo = {INFINITY, INFINITY, INFINITY}, hi = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < element_count(input); i++) {
        ov_vec3 t[3];
        corners_of_triangle(input, i, t);
        for (int n = 0; n < 3; n++) {
            lo = ov_vec3_make(fmin(lo.x, t[n].x), fmin(lo.y, t[n].y), fmin(lo.z, t[n].z));
            hi = ov_vec3_make(fmax(hi.x, t[n].x), fmax(hi.y, t[n].y), fmax(hi.z, t[n].z));
        }
    }
    return fmax(hi.x - lo.x, fmax(hi.y - lo.y, hi.z - lo.z));
}

ov_status ov_fit_prove(const ov_fit_part *parts, size_t part_count, const ov_fit_input *input,
                       ov_fit_verdict *verdict) {
    if (verdict == NULL) {
        return OV_ERROR_NULL;
    }
    *verdict = (ov_fit_verdict){.bad_triangle = SIZE_MAX};
    if (parts == NULL && part_count > 0) {
        return OV_ERROR_NULL;
    }
    ov_status status = ov_fit_input_check(input, NULL);
    status = status == OV_OK ? check_parts(parts, part_count) : status;
    if (status != OV_OK) {
        return status;
    }
    ovi_proof proof;
    // fixed: nothing is written to the parts
    proving w = {.parts = (ov_fit_part *)parts,
                 .count = part_count,
                 .proof = &proof,
                 .least = extent_of(input) * OV_FIT_PROVE_PIECE,
                 .fixed = true};
    status = make_proof(&w, input);
    if (status == OV_OK && proof.surface) {
        ov_fit_certificate certificate = ovi_proof_certificate(&proof);
        status = ov_fit_check(parts, part_count, &certificate, input, verdict);
    } else if (status == OV_OK) {
        verdict->pieces = proof.piece_count;
        verdict->bad_triangle = w.bad;
    }
    ovi_proof_free(&proof);
    return status;
}

static bool is_smooth(const ov_shape *s) {
    return s->kind == OV_SHAPE_KIND_SPHERE || s->kind == OV_SHAPE_KIND_ELLIPSOID ||
           s->kind == OV_SHAPE_KIND_SUPERELLIPSOID || s->kind == OV_SHAPE_KIND_SUPEROVOID;
}

ov_status ov_fit_grow(ov_fit_part *parts, size_t part_count, const ov_fit_input *input) {
    if (parts == NULL) {
        return OV_ERROR_NULL;
    }
    if (part_count == 0) {
        return OV_ERROR_COUNT;
    }
    ov_status status = ov_fit_input_check(input, NULL);
    status = status == OV_OK ? check_parts(parts, part_count) : status;
    for (size_t i = 0; i < part_count && status == OV_OK; i++) {
        status = is_smooth(&parts[i].shape) ? OV_OK : OV_ERROR_UNSUPPORTED;
    }
    if (status != OV_OK) {
        return status;
    }
    // pieces as in ov_fit_prove, which then finds each of them held
    ovi_proof proof;
    status =
        ovi_proof_make(parts, part_count, input, extent_of(input) * OV_FIT_PROVE_PIECE, &proof);
    ovi_proof_free(&proof);
    return status;
}

void ovi_proof_free(ovi_proof *proof) {
    free(proof->pieces);
    free(proof->cells);
    *proof = (ovi_proof){0};
}
