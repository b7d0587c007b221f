/**
 * @file touch_internal.h
 * @brief What the files of src/touch/ share: the brick field and how it is looked up, searches for
 * the nearest triangle, and the map itself.
 *
 * A field is a grid of cubes (roots). Each is a brick of 4 x 4 x 4 cells; octants of it that need
 * it are cubes of half the size again, and so on. A brick has the samples of the distance at the
 * corners of its cells, those on its sides included, in steps that are the same for all bricks of a
 * level. In a cell the distance is interpolated from the corners.
 */
#ifndef OVI_TOUCH_INTERNAL_H
#define OVI_TOUCH_INTERNAL_H

#include <float.h>
#include <string.h>

#include <ovoid/touch.h>

#include "../math/lanes.h"
#include "../math/system.h"
#include "../world/trimesh_internal.h"

OVI_INLINE ovi_v4 ovi_load_lanes(const double *from) {
    ovi_v4 v;
    memcpy(&v, from, sizeof v);
    return v;
}

/* ---- the field */

enum {
    OVI_BRICK_BITS = 2,
    OVI_BRICK_CELLS = 1 << OVI_BRICK_BITS, /**< along an edge */
    OVI_BRICK_SIDE = 5,                    /**< samples along an edge */
    OVI_BRICK_SAMPLES = 125,
    OVI_FIELD_LEVELS = 7,   /**< at most */
    OVI_BOUND_UNKNOWN = 255 /**< instead of a number of steps */
};

/** Set in a node that is a brick; else it is the first of eight nodes. */
#define OVI_NODE_BRICK 0x80000000u
/** Set where it is an octant of the brick of the node above. */
#define OVI_NODE_PARENT 0x40000000u
#define OVI_NODE_NUMBER 0x07ffffffu

/** As it is in files. Samples are x first; octants too. */
typedef struct ovi_brick {
    int32_t base;      /**< a sample is base + v steps of the level */
    uint8_t bounds[8]; /**< of the error, in steps, for each 2 x 2 x 2 cells */
    uint8_t v[OVI_BRICK_SAMPLES];
    uint8_t unused[3];
} ovi_brick;

typedef struct ovi_field {
    ov_vec3 origin;
    double width, per_width; /**< of a root, and its inverse */
    uint32_t dims[3];
    uint32_t level_count;
    double steps[OVI_FIELD_LEVELS];
    double slack; /**< rounding of a lookup; to be added to all bounds */
    const uint32_t *nodes;
    const ovi_brick *bricks;
    /** For every cube of a level the node that has it, or what is left of the way there: so many
     * steps down the tree are one. With the node's level in it (OVI_WAY_BITS). */
    const uint32_t *ways;
    uint32_t way_shift, way_dims[3];
} ovi_field;

/** The step of a level, by the width of a root. A brick is 4 sqrt(3) cells across, of the 8.5 that
 *  255 steps are: there is some room for what is taken over from coarser ones. */
static inline double ovi_field_step(double width, int level) {
    return ldexp(width / OVI_BRICK_CELLS, -level) / 30.0;
}

/** Cells of the finest level there may be, along the edge of a root. */
#define OVI_FIELD_FINEST ((double)(1 << (OVI_FIELD_LEVELS - 1 + OVI_BRICK_BITS)))

static inline double ovi_cells_per_root(uint32_t level) {
    return (double)(1u << (level + OVI_BRICK_BITS));
}

/** A cell of a field. */
typedef struct ovi_field_spot {
    const ovi_brick *brick;
    uint32_t level;
    int i, j, k;
} ovi_field_spot;

/** Where the tree is entered has the level, too, in these bits of a node. */
enum { OVI_WAY_BITS = 27, OVI_WAY_LEVELS = 7 };

/** The rest of the way down from a node with its level in it, to that of a brick. */
static inline uint32_t ovi_field_descend(const ovi_field *f, uint32_t node, uint32_t x, uint32_t y,
                                         uint32_t z) {
    uint32_t level = node >> OVI_WAY_BITS & OVI_WAY_LEVELS;
    node &= ~((uint32_t)OVI_WAY_LEVELS << OVI_WAY_BITS);
    uint32_t shift = OVI_FIELD_LEVELS - 1 + OVI_BRICK_BITS - level;
    while (!(node & OVI_NODE_BRICK)) {
        level++;
        shift--;
        node = f->nodes[node + ((x >> shift & 1) | (y >> shift & 1) << 1 | (z >> shift & 1) << 2)];
    }
    return node | level << OVI_WAY_BITS;
}

/** The cell that has a cell of the finest level. */
static inline ovi_field_spot ovi_field_locate(const ovi_field *f, uint32_t x, uint32_t y,
                                              uint32_t z) {
    const uint32_t s = f->way_shift;
    uint32_t node =
        f->ways[((size_t)(z >> s) * f->way_dims[1] + (y >> s)) * f->way_dims[0] + (x >> s)];
    node = ovi_field_descend(f, node, x, y, z);
    uint32_t level = (node >> OVI_WAY_BITS & OVI_WAY_LEVELS) - (node & OVI_NODE_PARENT ? 1 : 0);
    uint32_t shift = OVI_FIELD_LEVELS - 1 - level;
    return (ovi_field_spot){.brick = &f->bricks[node & OVI_NODE_NUMBER],
                            .level = level,
                            .i = (int)(x >> shift & (OVI_BRICK_CELLS - 1)),
                            .j = (int)(y >> shift & (OVI_BRICK_CELLS - 1)),
                            .k = (int)(z >> shift & (OVI_BRICK_CELLS - 1))};
}

/** A cell, and where in it a point is. */
typedef struct ovi_field_cell {
    ovi_field_spot at;
    double u, v, w; /**< 0 to 1 */
} ovi_field_cell;

/** False where the point is not in the field (or is not a number). */
static inline bool ovi_field_find(const ovi_field *f, ov_vec3 p, ovi_field_cell *cell) {
    double x = (p.x - f->origin.x) * f->per_width, y = (p.y - f->origin.y) * f->per_width,
           z = (p.z - f->origin.z) * f->per_width;
    if (!(x >= 0.0 && y >= 0.0 && z >= 0.0 && x < f->dims[0] && y < f->dims[1] && z < f->dims[2])) {
        return false;
    }
    cell->at = ovi_field_locate(f, (uint32_t)(int32_t)(x * OVI_FIELD_FINEST),
                                (uint32_t)(int32_t)(y * OVI_FIELD_FINEST),
                                (uint32_t)(int32_t)(z * OVI_FIELD_FINEST));
    // what is left of a number without its whole part is exact
    double scale = ovi_cells_per_root(cell->at.level);
    x *= scale;
    y *= scale;
    z *= scale;
    cell->u = x - (int32_t)x;
    cell->v = y - (int32_t)y;
    cell->w = z - (int32_t)z;
    return true;
}

/** The interpolated sample, in steps above the base. */
static inline double ovi_cell_blend(const ovi_field_cell *c) {
    const ovi_field_spot *at = &c->at;
    const uint8_t *s = &at->brick->v[(at->k * OVI_BRICK_SIDE + at->j) * OVI_BRICK_SIDE + at->i];
    enum { Y = OVI_BRICK_SIDE, Z = OVI_BRICK_SIDE * OVI_BRICK_SIDE };
    double a = s[0] + c->u * (s[1] - s[0]), b = s[Y] + c->u * (s[Y + 1] - s[Y]);
    double d = s[Z] + c->u * (s[Z + 1] - s[Z]), e = s[Z + Y] + c->u * (s[Z + Y + 1] - s[Z + Y]);
    double low = a + c->v * (b - a), high = d + c->v * (e - d);
    return low + c->w * (high - low);
}

static inline double ovi_cell_value(const ovi_field *f, const ovi_field_cell *c) {
    return f->steps[c->at.level] * (c->at.brick->base + ovi_cell_blend(c));
}

/** How far the value is from the distance, at most. */
static inline double ovi_cell_bound(const ovi_field *f, const ovi_field_cell *c) {
    int octant = (c->at.i >> 1) + 2 * (c->at.j >> 1) + 4 * (c->at.k >> 1);
    uint8_t bound = c->at.brick->bounds[octant];
    return bound < OVI_BOUND_UNKNOWN ? f->steps[c->at.level] * bound + f->slack : INFINITY;
}

/* ---- triangles (touch_tree.c) */

/** Where the square of the sine of the angle at its first corner is below this, a triangle is a
 *  sliver: what the determinant tells may be off by 2e-16 / 1e-8 of the triangle's length. */
#define OVI_SLIVER 1e-8

/** A triangle, and what the search for its nearest point needs. */
typedef struct ovi_facet {
    ov_vec3 a, ab, ac;
    double bb, bc, cc, det; /**< products of the edges; of det: bb cc - bc^2, 0 for a sliver */
} ovi_facet;

/** Within 0 and 1. */
static inline double ovi_held(double x) { return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; }

/** Keeps the nearer one of a point found and one on an edge. */
static inline void ovi_try_edge(ov_vec3 p, ov_vec3 from, ov_vec3 edge, double along, double square,
                                ov_vec3 *best, double *least) {
    double t = square > 0.0 ? ovi_held(along / square) : 0.0;
    ov_vec3 q = ov_vec3_add_scaled(from, edge, t), away = ov_vec3_sub(p, q);
    double d = ov_vec3_dot(away, away);
    if (d < *least) {
        *least = d;
        *best = q;
    }
}

/** Vectors by which coordinates in the plane of a triangle are s = ap.u and t = ap.v, also of a
 * sliver: each is at right angles to an edge whatever the rounding of the normal. False where
 * nothing is left of that. */
static inline bool ovi_facet_axes(const ovi_facet *f, ov_vec3 *u, ov_vec3 *v) {
    ov_vec3 n = ov_vec3_cross(f->ab, f->ac);
    double area = ov_vec3_dot(n, n);
    if (!(area > 256.0 * DBL_EPSILON * DBL_EPSILON * f->bb * f->cc)) {
        return false;
    }
    *u = ov_vec3_scale(ov_vec3_cross(f->ac, n), 1.0 / area);
    *v = ov_vec3_scale(ov_vec3_cross(n, f->ab), 1.0 / area);
    return true;
}

/** The nearest point of a triangle. It is on the triangle to rounding, also of slivers: on the
 * face, or on an edge that the point is beyond. */
static inline ov_vec3 ovi_facet_nearest(const ovi_facet *f, ov_vec3 p) {
    ov_vec3 ap = ov_vec3_sub(p, f->a), u, v;
    double d1 = ov_vec3_dot(f->ab, ap), d2 = ov_vec3_dot(f->ac, ap);
    double s = f->cc * d1 - f->bc * d2, t = f->bb * d2 - f->bc * d1;
    bool all = !(f->det > 0.0);
    if (!all && s >= 0.0 && t >= 0.0 && s + t <= f->det) {
        return ov_vec3_add(
            f->a, ov_vec3_add(ov_vec3_scale(f->ab, s / f->det), ov_vec3_scale(f->ac, t / f->det)));
    }
    ov_vec3 best = f->a;
    double least = ov_vec3_dot(ap, ap);
    if (all || t < 0.0) {
        ovi_try_edge(p, f->a, f->ab, d1, f->bb, &best, &least);
    }
    if (all || s < 0.0) {
        ovi_try_edge(p, f->a, f->ac, d2, f->cc, &best, &least);
    }
    if (all || s + t > f->det) {
        ovi_try_edge(p, ov_vec3_add(f->a, f->ab), ov_vec3_sub(f->ac, f->ab),
                     d2 - d1 + f->bb - f->bc, f->bb + f->cc - 2.0 * f->bc, &best, &least);
    }
    if (all && ovi_facet_axes(f, &u, &v)) {
        s = ov_vec3_dot(u, ap);
        t = ov_vec3_dot(v, ap);
        if (s >= 0.0 && t >= 0.0 && s + t <= 1.0) {
            ov_vec3 q = ov_vec3_add(ov_vec3_scale(f->ab, s), ov_vec3_scale(f->ac, t)),
                    away = ov_vec3_sub(ap, q);
            best = ov_vec3_dot(away, away) < least ? ov_vec3_add(f->a, q) : best;
        }
    }
    return best;
}

/** Least n.(p - x) of a facet's points x: for a unit vector n a lower bound of the distance. */
static inline double ovi_facet_ahead(const ovi_facet *f, ov_vec3 p, ov_vec3 n) {
    double b = ov_vec3_dot(n, f->ab), c = ov_vec3_dot(n, f->ac);
    b = b > c ? b : c;
    return ov_vec3_dot(n, ov_vec3_sub(p, f->a)) - (b > 0.0 ? b : 0.0);
}

typedef struct ovi_nearest {
    double distance; /**< of the point found: an upper bound */
    double lower;    /**< proven but for the rounding of the point's own coordinates */
    ov_vec3 point;
    uint32_t triangle; /**< OV_NO_TRIANGLE: none within reach */
} ovi_nearest;

/** A box that holds that of a node of the mesh's tree, in a third of the memory. */
typedef struct ovi_touch_node {
    float lo[3], hi[3];
    uint32_t first, count; /**< as in ovi_trimesh_node; of a leaf: facets */
} ovi_touch_node;

/** The mesh's tree once more, with all that a search needs side by side. */
typedef struct ovi_touch_tree {
    ovi_touch_node *nodes;
    ovi_facet *facets; /**< in the order of the tree */
    const uint32_t *order;
    size_t node_count, facet_count;
    double unsure; /**< how far a computed distance may be above the true one, slivers included */
} ovi_touch_tree;

/** Square of the distance of a node's box, at most that of what is in it. */
static inline double ovi_node_square(const ovi_touch_node *n, ov_vec3 p) {
    double x = n->lo[0] - p.x > p.x - n->hi[0] ? n->lo[0] - p.x : p.x - n->hi[0];
    double y = n->lo[1] - p.y > p.y - n->hi[1] ? n->lo[1] - p.y : p.y - n->hi[1];
    double z = n->lo[2] - p.z > p.z - n->hi[2] ? n->lo[2] - p.z : p.z - n->hi[2];
    x = x > 0.0 ? x : 0.0;
    y = y > 0.0 ? y : 0.0;
    z = z > 0.0 ? z : 0.0;
    return x * x + y * y + z * z;
}

/** The nearest triangle within reach (may be infinite). */
ovi_nearest ovi_touch_nearest(const ovi_touch_tree *tree, ov_vec3 p, double reach);

/** A plain root: lengths here neither overflow nor vanish. */
static inline double ovi_distance_of(ov_vec3 a, ov_vec3 b) {
    ov_vec3 d = ov_vec3_sub(a, b);
    return sqrt(ov_vec3_dot(d, d));
}

/** Rounding of a distance of two points whose coordinates have these largest values. */
static inline double ovi_touch_rounding(double reach) { return 64.0 * DBL_EPSILON * reach; }

/* ---- making fields (touch_field.c) */

/** What a field is made from. */
typedef struct ovi_field_task {
    const ov_trimesh *mesh;
    const ovi_touch_tree *tree;
    double diagonal, error, band; /**< lengths */
    size_t memory;                /**< of nodes and bricks */
    const ov_threads *threads;
    const ov_allocator *allocator;
} ovi_field_task;

/** A field with its memory. `field` refers to `nodes` and `bricks`. */
typedef struct ovi_field_made {
    ovi_field field;
    uint32_t *nodes;
    ovi_brick *bricks;
    size_t node_count, brick_count;
    double bound_mean, bound_worst; /**< within the band */
} ovi_field_made;

ov_status ovi_touch_field_make(const ovi_field_task *task, ovi_field_made *made);
static inline void ovi_touch_field_free(const ov_allocator *allocator, ovi_field_made *made) {
    ovi_release(allocator, made->nodes, made->node_count, sizeof *made->nodes);
    ovi_release(allocator, made->bricks, made->brick_count, sizeof *made->bricks);
    memset(made, 0, sizeof *made);
}

/* ---- maps (touch_map.c) and distances (touch_tree.c) */

/** A box around the triangles of a part, in the frame of the part. */
typedef struct ovi_touch_box {
    ov_vec3 centre;
    ov_mat3 axes;
    ov_vec3 half;
} ovi_touch_box;

/** A point in the frame of a box. */
static inline ov_vec3 ovi_in_box(const ovi_touch_box *box, ov_vec3 p) {
    return ov_mat3_tmul_vec3(&box->axes, ov_vec3_sub(p, box->centre));
}

/** Signed distance to the box of a part; a lower bound of it where the axes are not quite
 *  orthonormal. */
static inline double ovi_touch_box_distance(const ovi_touch_box *box, ov_vec3 p) {
    ov_vec3 q = ovi_in_box(box, p);
    return ovi_axes_bound(fabs(q.x) - box->half.x, fabs(q.y) - box->half.y,
                          fabs(q.z) - box->half.z);
}

enum { OVI_EXCESS_STEPS = 16 };

/** The box of a part once more: along each axis it is from -1 to 1. */
typedef struct ovi_part_axes {
    ov_vec3 centre, axes[3];
} ovi_part_axes;

struct ov_touch_map {
    ov_allocator allocator;
    ov_touch_owner owner;
    const unsigned char *bytes;
    size_t size;
    bool own_bytes; /**< from the allocator */
    ov_trimesh *mesh;
    ovi_touch_tree tree;
    ovi_field field;
    const ovi_touch_box *boxes;
    size_t box_count, node_count, brick_count;
    uint32_t *ways; /**< of the field */
    size_t way_count;
    ovi_part_axes *part_axes; /**< of each box */
    uint64_t sum;             /**< of the bytes */
    /** See ovi_touch_excess. */
    double margin, excess[OVI_EXCESS_STEPS + 1];
    ov_aabb box;                                           /**< of the mesh */
    double diagonal, band, bound_mean, bound_worst, reach; /**< reach: the largest coordinate */
};

/**
 * How far the distance may be above a limit where what the field says is not, nearly everywhere;
 * what is further is not in contact. Limits are below the map's `margin`: beyond the field nothing
 * is so near.
 */
static inline double ovi_touch_excess(const ov_touch_map *map, double limit) {
    double step = limit / map->margin * OVI_EXCESS_STEPS;
    return map->excess[(int)ceil(step)];
}

/** Bounds of the distance of a point of the map's frame that is known up to `error`. */
typedef struct ovi_touch_bounds {
    double value, lower, upper;
} ovi_touch_bounds;

/** Outside of the field, from what is known at its border. */
ovi_touch_bounds ovi_touch_bounds_outside(const ov_touch_map *map, ov_vec3 p, double error);
/** From the field. */
static inline ovi_touch_bounds ovi_touch_field_bounds(const ov_touch_map *map, ov_vec3 p,
                                                      double error) {
    ovi_field_cell c;
    if (!ovi_field_find(&map->field, p, &c)) {
        return ovi_touch_bounds_outside(map, p, error);
    }
    double value = ovi_cell_value(&map->field, &c), bound = ovi_cell_bound(&map->field, &c) + error;
    return (ovi_touch_bounds){value, value - bound, value + bound};
}
/** Rounding of what is computed about a point here. */
static inline double ovi_touch_rounding_at(const ov_touch_map *map, ov_vec3 p) {
    return ovi_touch_rounding(map->reach + fabs(p.x) + fabs(p.y) + fabs(p.z));
}

/** The side of a point that the field alone does not tell. There is no surface within the distance
 *  of the nearest triangle, so what the field says half as far away again is true here too. */
static inline ovi_side ovi_touch_side(const ov_touch_map *map, ov_vec3 p, double error,
                                      const ovi_nearest *near, double lower) {
    ov_vec3 away = ov_vec3_sub(p, near->point);
    double square = ov_vec3_dot(away, away);
    if (lower > 0.0 && square > DBL_MIN && ov_trimesh_is_solid(map->mesh)) {
        ov_vec3 x = ov_vec3_add_scaled(p, away, 0.9 * lower / sqrt(square));
        ovi_touch_bounds b = ovi_touch_field_bounds(map, x, 0.0);
        if (b.lower > 0.0 || b.upper < 0.0) {
            return b.lower > 0.0 ? OVI_OUTSIDE : OVI_INSIDE;
        }
    }
    return ovi_trimesh_side(map->mesh, p, error);
}

/** From the triangles. False where the sign is not known, and zero is within the bounds. */
static inline bool ovi_touch_exact_bounds(const ov_touch_map *map, ov_vec3 p, double error,
                                          const ovi_touch_bounds *known, ovi_touch_bounds *bounds,
                                          ovi_nearest *near) {
    double rounding = ovi_touch_rounding_at(map, p) + error;
    double reach = fmax(fabs(known->lower), fabs(known->upper)) + rounding;
    *near = ovi_touch_nearest(&map->tree, p, reach * (1.0 + 1e-9));
    if (near->triangle == OV_NO_TRIANGLE) {
        *near = ovi_touch_nearest(&map->tree, p, INFINITY);
    }
    double upper = near->distance + rounding, lower = fmax(0.0, near->lower - rounding);
    ovi_side side = known->lower > 0.0   ? OVI_OUTSIDE
                    : known->upper < 0.0 ? OVI_INSIDE
                                         : ovi_touch_side(map, p, error, near, lower);
    if (side == OVI_UNSURE) {
        *bounds = (ovi_touch_bounds){0.0, -upper, upper};
        return false;
    }
    *bounds = side == OVI_INSIDE ? (ovi_touch_bounds){-near->distance, -upper, -lower}
                                 : (ovi_touch_bounds){near->distance, lower, upper};
    return true;
}
/** What a normal is averaged over: a tetrahedron whose corners are so far away along each axis,
 * which is more than a cell and less than what is felt. */
static inline double ovi_touch_normal_reach(const ov_touch_map *map) {
    return map->diagonal / 192.0;
}
/** A corner of the tetrahedron, 0 to 3. */
static inline ov_vec3 ovi_touch_corner(int i) {
    return ov_vec3_make(i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, (i == 0 || i == 3) ? 1.0 : -1.0);
}
/** Direction in which the values at the corners grow, unit or zero. */
static inline ov_vec3 ovi_touch_slope(const double d[4]) {
    ov_vec3 n = ov_vec3_make(d[1] + d[3] - d[0] - d[2], d[2] + d[3] - d[0] - d[1],
                             d[0] + d[3] - d[1] - d[2]);
    double square = ov_vec3_dot(n, n);
    return square > DBL_MIN ? ov_vec3_scale(n, 1.0 / sqrt(square)) : ov_vec3_make(0.0, 0.0, 0.0);
}
#endif
