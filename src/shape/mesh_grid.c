/**
 * @file mesh_grid.c
 * @brief Nodes, normals and triangles of the grid that meshes every curved kind.
 *
 * Nodes are taken from cosines and sines that are exact on the axes and diagonals, not from angles:
 * a cosine of 6e-17 in place of zero would, at e = 0.05, put a pole ring at a sixth of the radius.
 * So every mesh is symmetric to the last bit where its shape is.
 *
 * The four corners of a cell lie in a plane where rings are scaled copies of one another, so the
 * mesh of a convex surface without taper, or with equal tapers, is convex. With unequal tapers
 * cells twist; of the two diagonals the one that lies further out is taken, so that at least each
 * cell is convex.
 *
 * On the rims of flat caps the normal is the mean of the two faces' normals: both meet the vertex
 * with the same angle, that of a half-plane.
 */
#include "mesh_internal.h"

bool ovi_has_grid(ov_shape_kind kind) {
    return ovi_is_family(kind) || ovi_is_nonconvex(kind) || kind == OV_SHAPE_KIND_CAPSULE ||
           kind == OV_SHAPE_KIND_CYLINDER || kind == OV_SHAPE_KIND_CONE;
}

ovi_grid ovi_grid_make(const ov_shape *shape, ov_spacing spacing, size_t around, size_t along) {
    ovi_grid g = {.shape = shape, .spacing = spacing, .around = around, .along = along};
    bool solid = ovi_is_primitive(shape->kind);
    g.e1 = solid ? 1.0 : shape->e1;
    g.e2 = solid ? 1.0 : shape->e2;
    g.p1 = ovi_primal(g.e1);
    g.p2 = ovi_primal(g.e2);
    g.pieces = shape->kind == OV_SHAPE_KIND_SUPERHYPERBOLOID_2 ? 2 : 1;
    g.ring = shape->kind == OV_SHAPE_KIND_SUPERTOROID;
    // angle-centre steps are long on flats (e2 < 1); a bend, or unequal tapers, make them curved
    bool twisted = shape->kind == OV_SHAPE_KIND_BENT || (!solid && shape->tx != shape->ty);
    g.profile_spacing = twisted && g.e2 < 1.0 ? OV_SPACING_EQUAL : spacing;
    return g;
}

/** Steps of a capsule's side, between its two half balls of around/4 steps each. */
static size_t capsule_side(const ovi_grid *g) { return g->along - g->around / 2; }

static bool counts_fit(const ovi_grid *g) {
    switch (g->shape->kind) {
    case OV_SHAPE_KIND_CAPSULE:
        // a ball has no side, and then none is needed
        return g->shape->a.z > 0.0 ? g->along > g->around / 2 : g->along == g->around / 2;
    case OV_SHAPE_KIND_CYLINDER:
        return g->along >= 3;
    case OV_SHAPE_KIND_CONE:
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_2:
        return g->along >= 2;
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_1:
        return g->along >= 4 && g->along % 2 == 0;
    case OV_SHAPE_KIND_SUPERTOROID:
        return g->along >= 4 && g->along % 4 == 0;
    default:
        return g->along >= 2 && g->along % 2 == 0;
    }
}

bool ovi_grid_is_valid(const ovi_grid *g) {
    const size_t most = OVI_MESH_MAX_VERTICES;
    // the division first: the product of the two may be too large for a size
    return g->around >= 4 && g->around % 4 == 0 && g->along <= most / g->around + 1 &&
           counts_fit(g) && ovi_grid_vertices(g) <= most;
}

size_t ovi_grid_vertices(const ovi_grid *g) {
    return g->ring ? g->around * g->along : g->pieces * (g->around * (g->along - 1) + 2);
}

size_t ovi_grid_triangles(const ovi_grid *g) {
    return 2 * g->around * (g->ring ? g->along : g->pieces * (g->along - 1));
}

/* ---- nodes */

ovi_curve_point ovi_grid_section(const ovi_grid *g, size_t i) {
    return ovi_unit_curve(g->e1, g->p1, g->spacing, ovi_cos_sin_of_step(i, g->around));
}

/** From pole to pole of a superellipsoid, or once round the tube of a supertoroid. */
static ovi_profile_point round_profile(const ovi_grid *g, size_t index, size_t full_turn) {
    ovi_cos_sin t = ovi_cos_sin_of_step(index, full_turn);
    ovi_curve_point c = ovi_unit_curve(g->e2, g->p2, g->profile_spacing, t);
    double a3 = g->shape->a.z, hole = g->ring ? g->shape->u.toroid.hole : 0.0;
    return (ovi_profile_point){hole + c.u, a3 * c.v, c.gu, c.gv / a3};
}

/** Half ball, side, half ball. */
static ovi_profile_point capsule_profile(const ovi_grid *g, size_t j) {
    double radius = g->shape->a.x, half = g->shape->a.z;
    size_t ball = g->around / 4, side = capsule_side(g);
    if (j > ball && j < ball + side) {
        double t = (2.0 * (double)(j - ball) - (double)side) / (double)side;
        return (ovi_profile_point){1.0, half * t, 1.0, 0.0};
    }
    bool lower = j <= ball && side > 0;
    ovi_cos_sin t = ovi_cos_sin_of_step((j <= ball ? j : j - side) + 3 * ball, 4 * ball);
    return (ovi_profile_point){t.c, (lower ? -half : half) + radius * t.s, t.c, t.s / radius};
}

/** Base centre, rim, side, tip; for the cylinder rim and centre again. */
static ovi_profile_point straight_profile(const ovi_grid *g, size_t j) {
    double half = g->shape->a.z;
    bool cone = g->shape->kind == OV_SHAPE_KIND_CONE;
    if (j == 0 || j == g->along) {
        double sign = j == 0 ? -1.0 : 1.0;
        return (ovi_profile_point){0.0, sign * half, 0.0, sign};
    }
    size_t steps = g->along - (cone ? 1 : 2);
    double t = (double)(j - 1) / (double)steps;
    double m = cone ? (double)(g->along - j) / (double)steps : 1.0;
    return (ovi_profile_point){m, half * (2.0 * t - 1.0), 1.0, cone ? 0.5 / half : 0.0};
}

/** Steps of one branch of a hyperboloid's profile: half of the one sheet, or one of the two. */
static size_t branch_steps(const ovi_grid *g) {
    return g->pieces == 2 ? g->along - 1 : (g->along - 2) / 2;
}

/** Where the branch ends, in the units of ovi_branch_at. */
static double branch_limit(const ovi_grid *g) {
    return g->pieces == 2 ? ovi_hyperboloid_rim(g->shape)
                          : g->shape->u.hyperboloid.height / g->shape->a.z;
}

/** A branch with e2 < 1 turns from flat to steep near 1: that gets a node, and each side its share
 *  of the steps by length. */
size_t ovi_grid_turning_step(const ovi_grid *g) {
    double limit = branch_limit(g);
    size_t steps = branch_steps(g);
    if (g->e2 >= 1.0 || limit <= 1.0 || steps < 2) {
        return 0;
    }
    double radius = fmax(g->shape->a.x, g->shape->a.y), a3 = g->shape->a.z;
    double flat = g->pieces == 2 ? radius : a3, steep = hypot(radius, a3) * (limit - 1.0);
    double share = nearbyint((double)steps * (flat / (flat + steep)));
    return (size_t)fmax(1.0, fmin((double)(steps - 1), share));
}

/** Parameter of the branch at one of its steps. */
static double branch_parameter(const ovi_grid *g, size_t step) {
    double limit = branch_limit(g), t = (double)step, steps = (double)branch_steps(g);
    if (t >= steps) {
        return limit;
    }
    if (g->profile_spacing == OV_SPACING_ANGLE_CENTRE) {
        double end = atan(pow(limit, 1.0 / g->e2));
        return pow(tan(end * (t / steps)), g->e2);
    }
    double turning = (double)ovi_grid_turning_step(g);
    if (turning == 0.0) {
        return limit * (t / steps);
    }
    return t <= turning ? t / turning : 1.0 + (limit - 1.0) * ((t - turning) / (steps - turning));
}

static ovi_profile_point hyperboloid_profile(const ovi_grid *g, size_t j) {
    double a3 = g->shape->a.z, height = g->shape->u.hyperboloid.height;
    size_t steps = branch_steps(g);
    if (g->pieces == 2) {
        if (j == g->along) {
            return (ovi_profile_point){0.0, height, 0.0, 1.0};
        }
        double m = branch_parameter(g, j);
        ovi_branch b = ovi_branch_at(g->p2, m);
        return (ovi_profile_point){m, j == steps ? height : a3 * b.a, b.slope, -1.0 / a3};
    }
    bool lower = j <= steps;
    double sign = lower ? -1.0 : 1.0;
    if (j == 0 || j == g->along) {
        return (ovi_profile_point){0.0, sign * height, 0.0, sign};
    }
    // counted from the waist, which is step 1 + steps
    size_t step = lower ? steps + 1 - j : j - steps - 1;
    double zeta = branch_parameter(g, step);
    ovi_branch b = ovi_branch_at(g->p2, zeta);
    double z = step == steps ? height : a3 * zeta;
    return (ovi_profile_point){b.a, sign * z, 1.0, -sign * b.slope / a3};
}

ovi_profile_point ovi_grid_profile(const ovi_grid *g, size_t j) {
    switch (g->shape->kind) {
    case OV_SHAPE_KIND_CAPSULE:
        return capsule_profile(g, j);
    case OV_SHAPE_KIND_CYLINDER:
    case OV_SHAPE_KIND_CONE:
        return straight_profile(g, j);
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_1:
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_2:
        return hyperboloid_profile(g, j);
    case OV_SHAPE_KIND_SUPERTOROID:
        return round_profile(g, j, g->along);
    default:
        // a full turn is twice the way from pole to pole, and begins a quarter before its own start
        return round_profile(g, j + 3 * g->along / 2, 2 * g->along);
    }
}

void ovi_grid_curved_steps(const ovi_grid *g, size_t *first, size_t *last) {
    *first = g->shape->kind == OV_SHAPE_KIND_SUPERHYPERBOLOID_1 ? 1 : 0;
    *last = ovi_is_nonconvex(g->shape->kind) && g->shape->kind <= OV_SHAPE_KIND_SUPERHYPERBOLOID_2
                ? g->along - 1
                : g->along;
}

/* ---- vertices */

/** Sign of the flat cap that ends at ring j of the upper piece, zero where none does. */
static double cap_at(const ovi_grid *g, size_t j) {
    switch (g->shape->kind) {
    case OV_SHAPE_KIND_CYLINDER:
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_1:
        return j == 1 ? -1.0 : (j == g->along - 1 ? 1.0 : 0.0);
    case OV_SHAPE_KIND_CONE:
        return j == 1 ? -1.0 : 0.0;
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_2:
        return j == g->along - 1 ? 1.0 : 0.0;
    default:
        return 0.0;
    }
}

/** The ring at step j; of the lower piece it is the mirror image of the upper one's. */
static ovi_profile_point ring_at(const ovi_grid *g, size_t piece, size_t j, double *cap) {
    bool lower = g->pieces == 2 && piece == 0;
    size_t step = lower ? g->along - j : j;
    ovi_profile_point p = ovi_grid_profile(g, step);
    *cap = cap_at(g, step);
    if (lower) {
        p.z = -p.z;
        p.gz = -p.gz;
        *cap = -*cap;
    }
    return p;
}

static void write_vertex(const ovi_grid *g, const ovi_curve_point *c, const ovi_profile_point *p,
                         double cap, ov_vec3 *vertex, ov_vec3 *normal) {
    ov_surface_point s;
    ovi_product_surface(g->shape, c, p, &s);
    *vertex = s.point;
    if (normal != NULL) {
        s.normal.z += cap;
        *normal = cap == 0.0 ? s.normal : ov_vec3_normalize(s.normal);
    }
}

/** Vertices of one piece: first end, rings from there on, last end. */
static void fill_vertices(const ovi_grid *g, size_t piece, ov_vec3 *vertices, ov_vec3 *normals) {
    size_t next = 0, rings = g->ring ? g->along : g->along + 1;
    for (size_t j = 0; j < rings; j++) {
        double cap;
        ovi_profile_point p = ring_at(g, piece, j, &cap);
        bool end = !g->ring && (j == 0 || j == g->along);
        for (size_t i = 0; i < (end ? 1 : g->around); i++) {
            ovi_curve_point c = ovi_grid_section(g, i);
            write_vertex(g, &c, &p, cap, &vertices[next], normals ? &normals[next] : NULL);
            next++;
        }
    }
}

/* ---- triangles */

/**
 * Whether the diagonal a-c of the cell a, b, c, d (outward counter-clockwise) is to be taken. Where
 * both lie in a plane to rounding, `otherwise` decides.
 */
static bool takes_ac(ov_vec3 a, ov_vec3 b, ov_vec3 c, ov_vec3 d, bool otherwise) {
    ov_vec3 ac = ov_vec3_sub(c, a), bd = ov_vec3_sub(d, b);
    ov_vec3 outward = ov_vec3_normalize(ov_vec3_cross(ac, bd));
    ov_vec3 between = ov_vec3_sub(ov_vec3_add(a, c), ov_vec3_add(b, d));
    double height = ov_vec3_dot(between, outward);
    double flat = 1e-13 * (ov_vec3_length(a) + ov_vec3_length(c));
    return fabs(height) <= flat ? otherwise : height > 0.0;
}

typedef struct triangle_writer {
    uint32_t (*out)[3];
    size_t count;
} triangle_writer;

static void put(triangle_writer *w, size_t a, size_t b, size_t c) {
    w->out[w->count][0] = (uint32_t)a;
    w->out[w->count][1] = (uint32_t)b;
    w->out[w->count][2] = (uint32_t)c;
    w->count++;
}

/** Cells between the rings that begin at vertices `low` and `high`. */
static void fill_band(const ovi_grid *g, const ov_vec3 *v, size_t low, size_t high, bool upper,
                      triangle_writer *w) {
    for (size_t i = 0; i < g->around; i++) {
        size_t next = i + 1 == g->around ? 0 : i + 1;
        size_t a = low + i, b = low + next, c = high + next, d = high + i;
        // flat cells are cut alike in mirror images: by quadrant, and by half
        bool otherwise = (4 * i / g->around % 2 == 0) == upper;
        if (takes_ac(v[a], v[b], v[c], v[d], otherwise)) {
            put(w, a, b, c);
            put(w, a, c, d);
        } else {
            put(w, a, b, d);
            put(w, b, c, d);
        }
    }
}

/** `base` is the piece's first vertex. */
static void fill_triangles(const ovi_grid *g, const ov_vec3 *v, size_t base, triangle_writer *w) {
    size_t n = g->around;
    if (g->ring) {
        for (size_t j = 0; j < g->along; j++) {
            size_t next = j + 1 == g->along ? 0 : j + 1;
            fill_band(g, v, j * n, next * n, 4 * j / g->along % 2 == 0, w);
        }
        return;
    }
    size_t first = base + 1, last = first + (g->along - 2) * n, end = last + n;
    for (size_t i = 0; i < n; i++) {
        put(w, base, first + (i + 1) % n, first + i);
    }
    for (size_t j = 1; j + 1 < g->along; j++) {
        size_t low = first + (j - 1) * n;
        fill_band(g, v, low, low + n, 2 * j >= g->along, w);
    }
    for (size_t i = 0; i < n; i++) {
        put(w, last + i, last + (i + 1) % n, end);
    }
}

void ovi_grid_fill(const ovi_grid *g, ov_vec3 *vertices, ov_vec3 *normals,
                   uint32_t (*triangles)[3]) {
    triangle_writer w = {triangles, 0};
    size_t per_piece = ovi_grid_vertices(g) / g->pieces;
    for (size_t piece = 0; piece < g->pieces; piece++) {
        size_t base = piece * per_piece;
        fill_vertices(g, piece, vertices + base, normals ? normals + base : NULL);
        fill_triangles(g, vertices, base, &w);
    }
}
