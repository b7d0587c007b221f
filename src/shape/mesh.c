/**
 * @file mesh.c
 * @brief Triangle meshes of shapes: the plan, which says how many vertices and triangles, and the
 * fill, which writes them.
 *
 * A box has eight vertices and a polyhedron its own, in the caller's order, whatever the options:
 * they are exact, and more would not make them better. The normals of a sharp vertex are the mean
 * of its faces' normals, weighted by their angles there. All other kinds are grids: `around` spokes
 * of the section by `along` steps of the profile (superquadric_surface.c), ends closed by a vertex
 * each (or by the grid itself, for the ring of a supertoroid).
 */
#include "shape_internal.h"

ov_mesh_options ov_default_mesh_options(void) {
    return (ov_mesh_options){.vertices = 1000, .chord_error = 0.0};
}

/* ---- the grid of the curved kinds
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

/** Most vertices that a mesh may have. */
#define MAX_VERTICES ((size_t)1 << 26)

typedef struct mesh_grid {
    const ov_shape *shape;
    ov_spacing spacing;         /**< of the section, as in the plan */
    ov_spacing profile_spacing; /**< the same, but where that would make twisted cells too long */
    double e1, e2;              /**< of section and profile; 1 for the round solids */
    ovi_exponent p1, p2;        /**< the same as norms */
    size_t around, along;
    size_t pieces; /**< two for the two sheets of a hyperboloid */
    bool ring;     /**< closed along, without end vertices */
} mesh_grid;

/** Kinds that are meshed by a grid: all with a mesh, but for box and polyhedron. */
static bool has_grid(ov_shape_kind kind) {
    return ovi_is_family(kind) || ovi_is_nonconvex(kind) || kind == OV_SHAPE_KIND_CAPSULE ||
           kind == OV_SHAPE_KIND_CYLINDER || kind == OV_SHAPE_KIND_CONE;
}

static mesh_grid make_grid(const ov_shape *shape, ov_spacing spacing, size_t around, size_t along) {
    mesh_grid g = {.shape = shape, .spacing = spacing, .around = around, .along = along};
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
static size_t capsule_side(const mesh_grid *g) { return g->along - g->around / 2; }

static bool counts_fit(const mesh_grid *g) {
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

static size_t vertices_of(const mesh_grid *g) {
    return g->ring ? g->around * g->along : g->pieces * (g->around * (g->along - 1) + 2);
}

static size_t triangles_of(const mesh_grid *g) {
    return 2 * g->around * (g->ring ? g->along : g->pieces * (g->along - 1));
}

/** Whether the counts fit the kind, and the number of vertices is in range. */
static bool is_valid(const mesh_grid *g) {
    const size_t most = MAX_VERTICES;
    // the division first: the product of the two may be too large for a size
    return g->around >= 4 && g->around % 4 == 0 && g->along <= most / g->around + 1 &&
           counts_fit(g) && vertices_of(g) <= most;
}

/* ---- nodes */

static ovi_curve_point section_at(const mesh_grid *g, size_t i) {
    return ovi_unit_curve(g->e1, g->p1, g->spacing, ovi_cos_sin_of_step(i, g->around));
}

/** From pole to pole of a superellipsoid, or once round the tube of a supertoroid. */
static ovi_profile_point round_profile(const mesh_grid *g, size_t index, size_t full_turn) {
    ovi_cos_sin t = ovi_cos_sin_of_step(index, full_turn);
    ovi_curve_point c = ovi_unit_curve(g->e2, g->p2, g->profile_spacing, t);
    double a3 = g->shape->a.z, hole = g->ring ? g->shape->u.toroid.hole : 0.0;
    return (ovi_profile_point){hole + c.u, a3 * c.v, c.gu, c.gv / a3};
}

/** Half ball, side, half ball. */
static ovi_profile_point capsule_profile(const mesh_grid *g, size_t j) {
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
static ovi_profile_point straight_profile(const mesh_grid *g, size_t j) {
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
static size_t branch_steps(const mesh_grid *g) {
    return g->pieces == 2 ? g->along - 1 : (g->along - 2) / 2;
}

/** Where the branch ends, in the units of ovi_branch_at. */
static double branch_limit(const mesh_grid *g) {
    return g->pieces == 2 ? ovi_hyperboloid_rim(g->shape)
                          : g->shape->u.hyperboloid.height / g->shape->a.z;
}

/** Steps of a branch up to where it turns from flat to steep, which with e2 < 1 it does near 1:
 * that place gets a node, and each side of it a share of the steps by length. 0: it does not turn.
 */
static size_t turning_step(const mesh_grid *g) {
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
static double branch_parameter(const mesh_grid *g, size_t step) {
    double limit = branch_limit(g), t = (double)step, steps = (double)branch_steps(g);
    if (t >= steps) {
        return limit;
    }
    if (g->profile_spacing == OV_SPACING_ANGLE_CENTRE) {
        double end = atan(pow(limit, 1.0 / g->e2));
        return pow(tan(end * (t / steps)), g->e2);
    }
    double turning = (double)turning_step(g);
    if (turning == 0.0) {
        return limit * (t / steps);
    }
    return t <= turning ? t / turning : 1.0 + (limit - 1.0) * ((t - turning) / (steps - turning));
}

static ovi_profile_point hyperboloid_profile(const mesh_grid *g, size_t j) {
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

/** Profile at step j, of the one piece or the upper one of two. */
static ovi_profile_point profile_at(const mesh_grid *g, size_t j) {
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

/* ---- vertices */

/** Sign of the flat cap that ends at ring j of the upper piece, zero where none does. */
static double cap_at(const mesh_grid *g, size_t j) {
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
static ovi_profile_point ring_at(const mesh_grid *g, size_t piece, size_t j, double *cap) {
    bool lower = g->pieces == 2 && piece == 0;
    size_t step = lower ? g->along - j : j;
    ovi_profile_point p = profile_at(g, step);
    *cap = cap_at(g, step);
    if (lower) {
        p.z = -p.z;
        p.gz = -p.gz;
        *cap = -*cap;
    }
    return p;
}

static void write_vertex(const mesh_grid *g, const ovi_curve_point *c, const ovi_profile_point *p,
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
static void fill_vertices(const mesh_grid *g, size_t piece, ov_vec3 *vertices, ov_vec3 *normals) {
    size_t next = 0, rings = g->ring ? g->along : g->along + 1;
    for (size_t j = 0; j < rings; j++) {
        double cap;
        ovi_profile_point p = ring_at(g, piece, j, &cap);
        bool end = !g->ring && (j == 0 || j == g->along);
        for (size_t i = 0; i < (end ? 1 : g->around); i++) {
            ovi_curve_point c = section_at(g, i);
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
static void fill_band(const mesh_grid *g, const ov_vec3 *v, size_t low, size_t high, bool upper,
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
static void fill_triangles(const mesh_grid *g, const ov_vec3 *v, size_t base, triangle_writer *w) {
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

static void fill_grid(const mesh_grid *g, ov_vec3 *vertices, ov_vec3 *normals,
                      uint32_t (*triangles)[3]) {
    triangle_writer w = {triangles, 0};
    size_t per_piece = vertices_of(g) / g->pieces;
    for (size_t piece = 0; piece < g->pieces; piece++) {
        size_t base = piece * per_piece;
        fill_vertices(g, piece, vertices + base, normals ? normals + base : NULL);
        fill_triangles(g, vertices, base, &w);
    }
}

/* ---- how many spokes and steps a grid needs
 *
 * By chord error. Between mesh and surface lie two steps: the section replaced by its polygon, and
 * then each meridian by its chords. Rings are scaled copies of the section (of sections of
 * different aspect where tapers differ), so
 *
 *     1. a surface point is, in the plane of its section, within D1 of the polygon, D1 the largest
 *        sagitta of the section at its widest;
 *     2. that point of the polygon lies on a meridian, which is within D2 of its chord;
 *     3. the chords of a cell span a bilinear patch, which is within Dt, a quarter of its twist
 *        across itself, of the two triangles.
 *
 * The same steps lead from the mesh to the surface, so D1 + D2 + Dt bounds the distance both ways.
 * D1 and D2 fall with the square of their counts; the product of the counts is then smallest where
 * both errors are alike. A bend turns the plane of each section as a rigid body, so step 1 holds
 * for it unchanged, and it adds the turn of a chord to the twist.
 *
 * The sagitta of a superellipse's arc over its chord is exact: the support function in the
 * direction of the chord's normal, less the chord's own offset. Meridians that are no superellipses
 * (tapered, bent, hyperboloids) are sampled.
 */

/** Sampled sagittas miss the peak between samples: with 8 parts a parabola's by less than 2 %. */
enum { PARTS = 8, SAMPLES = 2 * (PARTS - 1), MAX_MERIDIANS = 18 };
static const double sampling_margin = 1.03;

/* which steps to look at */

/**
 * Step after `i` to be measured out of `n`. All, up to 2,048; beyond that sagittas vary smoothly
 * but for the neighbourhood of the poles, the equator, the diagonals and `turning`: those steps are
 * all taken, others in strides.
 */
static size_t next_step(size_t i, size_t n, size_t turning) {
    const size_t all = 2048, window = 128;
    if (n <= all) {
        return i + 1;
    }
    size_t block = n / 8, within = i % block, stride = n / all;
    if (within < window || within + window >= block ||
        (i + window >= turning && i < turning + window)) {
        return i + 1;
    }
    size_t gap = block - window - within;
    if (turning > i && turning - window - i < gap) {
        gap = turning - window - i;
    }
    return i + (stride < gap ? stride : gap);
}

/* error of a superellipse replaced by a polygon */

typedef struct arc_error {
    double sagitta; // largest distance of an arc from its chord
    double chord;   // longest chord
    double across;  // largest product of a chord's two components
} arc_error;

static arc_error worse(arc_error a, arc_error b) {
    return (arc_error){fmax(a.sagitta, b.sagitta), fmax(a.chord, b.chord),
                       fmax(a.across, b.across)};
}

/** Of `n` steps in a full turn, with semi-axes `a` and `b`. One quadrant stands for all. */
static arc_error measure_arcs(double e, ov_spacing spacing, size_t n, double a, double b) {
    ovi_exponent p = ovi_primal(e), q = ovi_dual(e);
    arc_error worst = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < n / 4; i = next_step(i, n, 0)) {
        ovi_curve_point c0 = ovi_unit_curve(e, p, spacing, ovi_cos_sin_of_step(i, n));
        ovi_curve_point c1 = ovi_unit_curve(e, p, spacing, ovi_cos_sin_of_step(i + 1, n));
        double dx = a * (c1.u - c0.u), dy = b * (c1.v - c0.v), chord = hypot(dx, dy);
        if (chord == 0.0) {
            worst.sagitta = (double)INFINITY; // nodes have run together: no such mesh
            return worst;
        }
        double n1 = a * (dy / chord), n2 = -b * (dx / chord);
        ovi_p_norm_parts parts = ovi_p_norm_split(n1, n2, q);
        double outer = ovi_p_norm_gradient(n1, n2, &parts).value;
        arc_error here = {outer - (n1 * c0.u + n2 * c0.v), chord, fabs(dx * dy)};
        worst = worse(worst, here);
    }
    return worst;
}

/** Largest distance of the section's points from z: of (a1 u, a2 v) over N_p1(u, v) = 1, by
 *  Hölder's inequality the norm of (a1, a2) with exponent 2 p1/(p1 - 2), or the larger of the two.
 */
static double widest_meridian(const mesh_grid *g) {
    double a1 = g->shape->a.x, a2 = g->shape->a.y, e = g->e1;
    if (e >= 1.0) {
        return fmax(a1, a2);
    }
    ovi_p_norm_parts parts =
        ovi_p_norm_split(a1, a2, (ovi_exponent){(1.0 + e) / (1.0 - e), 0.5 - 0.5 * e});
    return ovi_p_norm_gradient(a1, a2, &parts).value;
}

/* error of sampled meridians */

/** From the segment, not its line: the rim of a strongly tapered body overhangs its chord. */
static double distance_from_segment(ov_vec3 p, ov_vec3 from, ov_vec3 unit, double length) {
    ov_vec3 d = ov_vec3_sub(p, from);
    double t = fmax(0.0, fmin(length, ov_vec3_dot(d, unit)));
    return ov_vec3_length(ov_vec3_add_scaled(d, unit, -t));
}

/** Meridians that stand for all: for each, the point of the section that it goes through. */
typedef struct meridians {
    size_t count;
    ov_vec2 at[MAX_MERIDIANS];
} meridians;

static meridians choose_meridians(const mesh_grid *g) {
    meridians m = {.count = 1};
    ov_shape_kind kind = g->shape->kind;
    if (kind != OV_SHAPE_KIND_SUPEROVOID && kind != OV_SHAPE_KIND_BENT) {
        // scaled copies of one another: the widest is the worst
        m.at[0] = (ov_vec2){widest_meridian(g) / g->shape->a.x, 0.0};
        return m;
    }
    // a taper keeps the four quadrants alike; a bend does not, and is strongest in its own plane
    bool bent = kind == OV_SHAPE_KIND_BENT;
    m.count = bent ? 18 : 9;
    for (size_t i = 0; i < m.count; i++) {
        ovi_cos_sin t = ovi_cos_sin_of_step(i, bent ? 16 : 32);
        if (bent && i >= 16) {
            double angle_rad = g->shape->u.bent.angle_rad;
            t = ovi_cos_sin_of_angle(i == 16 ? angle_rad : angle_rad + OVI_PI);
        }
        ovi_curve_point c = ovi_unit_curve(g->e1, g->p1, OV_SPACING_EQUAL, t);
        m.at[i] = (ov_vec2){c.u, c.v};
    }
    return m;
}

/** Two nodes of the profile and samples of the arc between them. */
typedef struct profile_arc {
    ovi_profile_point from, to;
    ov_vec2 samples[SAMPLES]; // (m, z)
} profile_arc;

/** Angle whose tangent is (v/u)^(1/e), for u, v >= 0 that are not both zero. */
static double centre_angle(double u, double v, double e) {
    return u >= v ? atan(pow(v / u, 1.0 / e)) : 0.5 * OVI_PI - atan(pow(u / v, 1.0 / e));
}

/** Sample i is at `t` of the way, in even steps first, then in steps of the angle-centre parameter.
 *  With small e all of a corner lies between two even steps, and a flat within one of the others.
 */
static double sample_place(int i, bool *even) {
    *even = i < PARTS - 1;
    return (double)(*even ? i + 1 : i + 2 - PARTS) / PARTS;
}

/**
 * Of a superellipse. Angles are taken from the nearest axis, where with small e they are too small
 * to be told from it otherwise.
 */
static profile_arc sample_round(const mesh_grid *g, ovi_profile_point from, ovi_profile_point to) {
    profile_arc arc = {.from = from, .to = to};
    double a3 = g->shape->a.z, side = from.z + to.z < 0.0 ? -1.0 : 1.0;
    double z0 = side * from.z / a3, z1 = side * to.z / a3;
    bool polar = z0 >= from.m && z1 >= to.m;
    double u0 = polar ? z0 : from.m, v0 = polar ? from.m : z0;
    double u1 = polar ? z1 : to.m, v1 = polar ? to.m : z1;
    const double ends[2][2] = {{centre_angle(u0, v0, g->e2), centre_angle(u1, v1, g->e2)},
                               {atan2(v0, u0), atan2(v1, u1)}};
    for (int i = 0; i < SAMPLES; i++) {
        bool even;
        double t = sample_place(i, &even);
        // angles that are both too small for a double say nothing about what is between
        const double *end = ends[even || ends[0][0] == ends[0][1]];
        ovi_cos_sin turn = ovi_cos_sin_of_angle(end[0] + t * (end[1] - end[0]));
        ov_spacing spacing = end == ends[1] ? OV_SPACING_EQUAL : OV_SPACING_ANGLE_CENTRE;
        ovi_curve_point c = ovi_unit_curve(g->e2, g->p2, spacing, turn);
        arc.samples[i] = polar ? (ov_vec2){c.v, side * a3 * c.u} : (ov_vec2){c.u, side * a3 * c.v};
    }
    return arc;
}

/** Of a branch of a hyperboloid, whose angle-centre parameter is the angle with B = tan^e. */
static profile_arc sample_branch(const mesh_grid *g, ovi_profile_point from, ovi_profile_point to) {
    profile_arc arc = {.from = from, .to = to};
    double a3 = g->shape->a.z, side = from.z + to.z < 0.0 ? -1.0 : 1.0;
    bool two = g->pieces == 2;
    double b0 = two ? from.m : fabs(from.z) / a3, b1 = two ? to.m : fabs(to.z) / a3;
    // beyond 1 by the complement, for the same reason
    bool steep = b0 >= 1.0 && b1 >= 1.0;
    double angle0 = steep ? centre_angle(b0, 1.0, g->e2) : centre_angle(1.0, b0, g->e2);
    double angle1 = steep ? centre_angle(b1, 1.0, g->e2) : centre_angle(1.0, b1, g->e2);
    for (int i = 0; i < SAMPLES; i++) {
        bool even;
        double t = sample_place(i, &even), b = b0 + t * (b1 - b0);
        if (!even) {
            b = pow(tan(angle0 + t * (angle1 - angle0)), steep ? -g->e2 : g->e2);
            b = fmax(fmin(b0, b1), fmin(fmax(b0, b1), b));
        }
        double a = ovi_branch_at(g->p2, b).a;
        arc.samples[i] = two ? (ov_vec2){b, side * a3 * a} : (ov_vec2){a, side * a3 * b};
    }
    return arc;
}

static double sagitta_of_arc(const ov_shape *s, const profile_arc *arc, ov_vec2 at) {
    ov_vec3 from = ovi_product_point(s, at.x, at.y, arc->from.m, arc->from.z);
    ov_vec3 to = ovi_product_point(s, at.x, at.y, arc->to.m, arc->to.z);
    ov_vec3 chord = ov_vec3_sub(to, from), unit = ov_vec3_normalize(chord);
    double length = ov_vec3_length(chord);
    if (length == 0.0) {
        return (double)INFINITY;
    }
    double worst = 0.0;
    for (int i = 0; i < SAMPLES; i++) {
        ov_vec3 p = ovi_product_point(s, at.x, at.y, arc->samples[i].x, arc->samples[i].y);
        worst = fmax(worst, distance_from_segment(p, from, unit, length));
    }
    return worst;
}

/**
 * A quarter of the twist of the cells between two rings. A chord (dx, dy) of the section is scaled
 * by c = (w f1, w f2) on the mean ring, and differs by t between the two; the part of
 * (t1 dx, t2 dy) across (c1 dx, c2 dy) is at most sqrt(|dx dy|/2) |c1 t2 - c2 t1|/sqrt(c1 c2).
 *
 * A bend turns one chord against the other by k dz. That moves its end along z by up to |chord| k
 * dz, which counts as far as the surface leans, and inwards by |chord| (k dz)^2/2.
 */
static double twist_of_arc(const ov_shape *s, const profile_arc *arc, const arc_error *section) {
    double zeta0 = arc->from.z / s->a.z, zeta1 = arc->to.z / s->a.z;
    double x0 = arc->from.m * (1.0 + s->tx * zeta0), x1 = arc->to.m * (1.0 + s->tx * zeta1);
    double y0 = arc->from.m * (1.0 + s->ty * zeta0), y1 = arc->to.m * (1.0 + s->ty * zeta1);
    // c1 t2 - c2 t1 with c = (x0 + x1)/2, t = x1 - x0
    double turn = fabs(x0 * y1 - x1 * y0), mean = 0.5 * sqrt((x0 + x1) * (y0 + y1));
    double twist = turn == 0.0 ? 0.0 : sqrt(0.5 * section->across) * turn / mean;
    if (s->kind == OV_SHAPE_KIND_BENT) {
        double dz = arc->to.z - arc->from.z, turned = fabs(s->u.bent.curvature) * dz;
        double dr = fmax(fabs(x1 - x0) * s->a.x, fabs(y1 - y0) * s->a.y);
        twist += section->chord * turned * (dr / hypot(dr, dz) + 0.5 * turned);
    }
    return 0.25 * twist;
}

/** First and last curved step of the profile (last exclusive): what lies between the flat caps. */
static void curved_steps(const mesh_grid *g, size_t *first, size_t *last) {
    *first = g->shape->kind == OV_SHAPE_KIND_SUPERHYPERBOLOID_1 ? 1 : 0;
    *last = ovi_is_nonconvex(g->shape->kind) && g->shape->kind <= OV_SHAPE_KIND_SUPERHYPERBOLOID_2
                ? g->along - 1
                : g->along;
}

static double measure_meridians(const mesh_grid *g, const arc_error *section, double enough) {
    bool tapered =
        g->shape->kind == OV_SHAPE_KIND_SUPEROVOID || g->shape->kind == OV_SHAPE_KIND_BENT;
    meridians m = choose_meridians(g);
    size_t first, last, turning = tapered ? 0 : turning_step(g);
    curved_steps(g, &first, &last);
    if (g->shape->kind == OV_SHAPE_KIND_SUPERHYPERBOLOID_1) {
        first = g->along / 2; // the lower half is the mirror image
        turning += first;
    }
    double worst = 0.0;
    for (size_t j = first; j < last && worst <= enough; j = next_step(j, g->along, turning)) {
        ovi_profile_point from = profile_at(g, j), to = profile_at(g, j + 1);
        profile_arc arc = tapered ? sample_round(g, from, to) : sample_branch(g, from, to);
        double here = 0.0;
        for (size_t i = 0; i < m.count; i++) {
            here = fmax(here, sagitta_of_arc(g->shape, &arc, m.at[i]));
        }
        here *= sampling_margin;
        worst = fmax(worst, here + (tapered ? twist_of_arc(g->shape, &arc, section) : 0.0));
    }
    return worst;
}

/* by chord error */

/** Multiples that the counts come in. */
typedef struct grid_steps {
    size_t around, along, along_least;
} grid_steps;

/** With e < 1 the section's corners, on the diagonals, must be nodes; otherwise only its axes. */
static grid_steps steps_of(const mesh_grid *g) {
    grid_steps s = {g->e1 < 1.0 ? 8 : 4, 1, 2};
    switch (g->shape->kind) {
    case OV_SHAPE_KIND_CAPSULE:
        break;
    case OV_SHAPE_KIND_CYLINDER:
        s.along_least = 3;
        break;
    case OV_SHAPE_KIND_CONE:
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_2:
        break;
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_1:
        s.along = 2;
        s.along_least = 4;
        break;
    case OV_SHAPE_KIND_SUPERTOROID:
        s.along_least = s.along = g->e2 < 1.0 ? 8 : 4;
        break;
    default:
        s.along_least = s.along = g->e2 < 1.0 ? 4 : 2;
        break;
    }
    return s;
}

static arc_error section_error(const mesh_grid *g) {
    const ov_shape *s = g->shape;
    double wide_1 = s->a.x, wide_2 = s->a.y, m = 1.0;
    switch (s->kind) {
    case OV_SHAPE_KIND_SUPEROVOID:
    case OV_SHAPE_KIND_BENT:
        wide_1 = ovi_section_reach(s, 1.0, 0.0);
        wide_2 = ovi_section_reach(s, 0.0, 1.0);
        break;
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_1:
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_2:
        m = ovi_hyperboloid_rim(s);
        break;
    case OV_SHAPE_KIND_SUPERTOROID:
        m = s->u.toroid.hole + 1.0;
        break;
    default:
        break;
    }
    arc_error e = measure_arcs(g->e1, g->spacing, g->around, m * wide_1, m * wide_2);
    // the half balls of a capsule have the same steps the other way
    e.sagitta *= s->kind == OV_SHAPE_KIND_CAPSULE ? 2.0 : 1.0;
    return e;
}

/** Nodes of the angle-centre spacing crowd at corners like e/n: too close, and triangles collapse.
 */
static bool nodes_keep_apart(ov_spacing spacing, double e, size_t n) {
    return spacing == OV_SPACING_EQUAL || e >= 1e-6 * (double)n;
}

static double around_error(const mesh_grid *g, const arc_error *unused, double enough) {
    (void)unused;
    (void)enough;
    return nodes_keep_apart(g->spacing, g->e1, g->around) ? section_error(g).sagitta
                                                          : (double)INFINITY;
}

static double along_error(const mesh_grid *g, const arc_error *section, double enough) {
    if (!nodes_keep_apart(g->profile_spacing, g->e2, g->along)) {
        return (double)INFINITY;
    }
    switch (g->shape->kind) {
    case OV_SHAPE_KIND_CAPSULE:
    case OV_SHAPE_KIND_CYLINDER:
    case OV_SHAPE_KIND_CONE:
        return 0.0;
    case OV_SHAPE_KIND_SUPEROVOID:
    case OV_SHAPE_KIND_BENT:
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_1:
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_2:
        return measure_meridians(g, section, enough);
    default: {
        size_t full_turn = g->ring ? g->along : 2 * g->along;
        return measure_arcs(g->e2, g->profile_spacing, full_turn, widest_meridian(g), g->shape->a.z)
            .sagitta;
    }
    }
}

typedef double (*error_of_grid)(const mesh_grid *, const arc_error *, double);

/** Smallest count, from `least` in steps, whose error is within `enough`; zero where there is none
 *  up to `most`. `count` points at the grid's own number. */
static size_t smallest_count(mesh_grid *g, size_t *count, error_of_grid error,
                             const arc_error *section, double enough, size_t least, size_t step,
                             size_t most) {
    size_t failing = 0, steps = 0; // in steps above the least; `failing` is one more than the last
    for (;;) {
        *count = least + steps * step;
        if (*count > most) {
            return 0;
        }
        if (error(g, section, enough) <= enough) {
            break;
        }
        failing = steps + 1;
        steps = 2 * steps + 1;
    }
    while (failing < steps) {
        size_t middle = failing + (steps - failing) / 2;
        *count = least + middle * step;
        if (error(g, section, enough) <= enough) {
            steps = middle;
        } else {
            failing = middle + 1;
        }
    }
    return *count = least + steps * step;
}

/** Chord error that is split between section and profile, or all of it where only one is curved. */
static bool has_curved_profile(const ov_shape *s) {
    return s->kind != OV_SHAPE_KIND_CAPSULE && s->kind != OV_SHAPE_KIND_CYLINDER &&
           s->kind != OV_SHAPE_KIND_CONE;
}

/** One spacing, with at most so many vertices: half of the error each, then what the other left. */
static bool plan_spacing(mesh_grid *g, double chord_error, size_t most) {
    grid_steps step = steps_of(g);
    bool curved = has_curved_profile(g->shape);
    double share = curved ? 0.5 * chord_error : chord_error;
    g->along = step.along_least;
    if (smallest_count(g, &g->around, around_error, NULL, share, step.around, step.around, most) ==
        0) {
        return false;
    }
    if (!curved) {
        if (g->shape->kind == OV_SHAPE_KIND_CAPSULE) {
            g->along = g->around / 2 + (g->shape->a.z > 0.0 ? 1 : 0);
        }
        return is_valid(g);
    }
    arc_error section = section_error(g);
    if (smallest_count(g, &g->along, along_error, &section, chord_error - section.sagitta,
                       step.along_least, step.along, most / g->around + 1) == 0) {
        return false;
    }
    // the steps along are whole numbers, so they leave something: fewer spokes may do with it
    size_t around = g->around;
    double left = chord_error - along_error(g, &section, chord_error);
    if (smallest_count(g, &g->around, around_error, NULL, left, step.around, step.around, around)) {
        section = section_error(g);
        if (section.sagitta + along_error(g, &section, chord_error) > chord_error) {
            g->around = around; // their longer chords have more twist
        }
    } else {
        g->around = around;
    }
    return is_valid(g);
}

static ov_status plan_by_chord_error(const ov_shape *shape, double chord_error, mesh_grid *grid) {
    mesh_grid equal = make_grid(shape, OV_SPACING_EQUAL, 4, 2);
    mesh_grid crowded = make_grid(shape, OV_SPACING_ANGLE_CENTRE, 4, 2);
    bool has_equal = plan_spacing(&equal, chord_error, MAX_VERTICES);
    // the second need not search beyond what the first has found
    size_t most = has_equal ? vertices_of(&equal) : MAX_VERTICES;
    bool has_crowded = plan_spacing(&crowded, chord_error, most);
    if (!has_equal && !has_crowded) {
        return OV_ERROR_OPTION;
    }
    bool take_crowded = has_crowded && (!has_equal || vertices_of(&crowded) < vertices_of(&equal));
    *grid = take_crowded ? crowded : equal;
    return OV_OK;
}

/* within a number of vertices */

/** Length of a superellipse: of a polygon of 64 sides. */
static double perimeter(double e, double a, double b) {
    double length = 0.0;
    for (size_t i = 0; i < 16; i++) {
        ovi_cos_sin t0 = ovi_cos_sin_of_step(i, 64), t1 = ovi_cos_sin_of_step(i + 1, 64);
        ovi_curve_point c0 = ovi_unit_curve(e, ovi_primal(e), OV_SPACING_EQUAL, t0);
        ovi_curve_point c1 = ovi_unit_curve(e, ovi_primal(e), OV_SPACING_EQUAL, t1);
        length += hypot(a * (c1.u - c0.u), b * (c1.v - c0.v));
    }
    return 4.0 * length;
}

static double hyperboloid_length(const ov_shape *shape) {
    mesh_grid g = make_grid(shape, OV_SPACING_EQUAL, 8, 34);
    size_t first, last;
    curved_steps(&g, &first, &last);
    double radius = 0.5 * (shape->a.x + shape->a.y), length = 0.0;
    for (size_t j = first; j < last; j++) {
        ovi_profile_point p0 = profile_at(&g, j), p1 = profile_at(&g, j + 1);
        length += hypot(radius * (p1.m - p0.m), p1.z - p0.z);
    }
    return length;
}

/** Steps along for each step around that make cells about as long as wide, where they are widest.
 */
static double square_cells(const ov_shape *s) {
    mesh_grid g = make_grid(s, OV_SPACING_EQUAL, 4, 2);
    double around = perimeter(g.e1, s->a.x, s->a.y), a3 = s->a.z;
    switch (s->kind) {
    case OV_SHAPE_KIND_CAPSULE:
        return 0.5 + a3 / (OVI_PI * s->a.x);
    case OV_SHAPE_KIND_CYLINDER:
        return 2.0 * a3 / around;
    case OV_SHAPE_KIND_CONE:
        return hypot(s->a.x, 2.0 * a3) / around;
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_1:
    case OV_SHAPE_KIND_SUPERHYPERBOLOID_2:
        return hyperboloid_length(s) / (around * ovi_hyperboloid_rim(s));
    case OV_SHAPE_KIND_SUPERTOROID:
        return perimeter(g.e2, 0.5 * (s->a.x + s->a.y), a3) / (around * (s->u.toroid.hole + 1.0));
    default: {
        double over_x = perimeter(g.e2, s->a.x, a3), over_y = perimeter(g.e2, s->a.y, a3);
        return 0.25 * (over_x + over_y) / around;
    }
    }
}

/** Most steps along that the vertices allow for the grid's spokes; zero if not even the least. */
static size_t most_along(const mesh_grid *g, const grid_steps *step, size_t vertices) {
    size_t least = step->along_least;
    if (g->shape->kind == OV_SHAPE_KIND_CAPSULE) {
        least = g->around / 2 + (g->shape->a.z > 0.0 ? 1 : 0);
    }
    size_t most = g->ring ? vertices / g->around : 0;
    if (!g->ring && vertices / g->pieces > 2) {
        most = (vertices / g->pieces - 2) / g->around + 1;
    }
    if (most < least) {
        return 0;
    }
    bool ball = g->shape->kind == OV_SHAPE_KIND_CAPSULE && g->shape->a.z == 0.0;
    return ball ? least : least + (most - least) / step->along * step->along;
}

/** Of all numbers of spokes the one that uses the vertices best, in cells that are still square. */
static bool plan_steps(const ov_shape *shape, const grid_steps *step, size_t vertices,
                       mesh_grid *grid) {
    // a ball has 1/2; up to eight times as slim or flat, beyond that cells get long rather than
    // spokes or rings few
    double wanted = fmax(1.0 / 16.0, fmin(4.0, square_cells(shape)));
    mesh_grid g = make_grid(shape, OV_SPACING_EQUAL, step->around, step->along_least);
    double middle = sqrt((double)vertices / (double)g.pieces / wanted);
    size_t from = (size_t)(0.4 * middle) / step->around, to = (size_t)(2.5 * middle) / step->around;
    double best = -(double)INFINITY;
    for (size_t i = from > 1 ? from : 1; i <= to + 1; i++) {
        g.around = i * step->around;
        g.along = most_along(&g, step, vertices);
        if (g.along == 0) {
            continue;
        }
        // the share of the vertices that is used, against how far the cells are from square
        double misfit = log((double)g.along / (double)g.around / wanted);
        double score = (double)vertices_of(&g) / (double)vertices - 0.3 * misfit * misfit;
        if (score > best) {
            best = score;
            *grid = g;
        }
    }
    return best > -(double)INFINITY;
}

static ov_status plan_by_vertices(const ov_shape *shape, size_t vertices, mesh_grid *grid) {
    mesh_grid any = make_grid(shape, OV_SPACING_EQUAL, 4, 2);
    grid_steps step = steps_of(&any);
    if (plan_steps(shape, &step, vertices, grid)) {
        return OV_OK;
    }
    // too few for corners as nodes: the least mesh of all has the axes only
    step.around = 4;
    if (!ovi_is_primitive(shape->kind) && shape->kind != OV_SHAPE_KIND_SUPERHYPERBOLOID_1 &&
        shape->kind != OV_SHAPE_KIND_SUPERHYPERBOLOID_2) {
        step.along = step.along_least = any.ring ? 4 : 2;
    }
    return plan_steps(shape, &step, vertices, grid) ? OV_OK : OV_ERROR_OPTION;
}

/* ---- box and polyhedron */

static const uint32_t box_triangles[12][3] = {
    {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, // z = -a3, +a3
    {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3}, // y
    {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}, // x
};

/** Corner i: its bits choose the sides of x, y, z. */
static ov_vec3 box_corner(const ov_shape *s, uint32_t i) {
    return ov_vec3_make((i & 1) != 0 ? s->a.x : -s->a.x, (i & 2) != 0 ? s->a.y : -s->a.y,
                        (i & 4) != 0 ? s->a.z : -s->a.z);
}

/** Plan of a box or polyhedron. */
static ov_mesh_plan own_plan(const ov_shape *shape) {
    ov_mesh_plan plan = {.vertex_count = 8, .triangle_count = 12, .spacing = OV_SPACING_EQUAL};
    if (shape->kind == OV_SHAPE_KIND_POLYHEDRON) {
        plan.vertex_count = shape->u.polyhedron.vertex_count;
        plan.triangle_count = shape->u.polyhedron.triangle_count;
    }
    return plan;
}

/** Angle at corner a of the triangle a, b, c. */
static double corner_angle(ov_vec3 a, ov_vec3 b, ov_vec3 c) {
    ov_vec3 ab = ov_vec3_normalize(ov_vec3_sub(b, a)), ac = ov_vec3_normalize(ov_vec3_sub(c, a));
    return atan2(ov_vec3_length(ov_vec3_cross(ab, ac)), ov_vec3_dot(ab, ac));
}

static void weigh_normals(const ov_vec3 *vertices, size_t vertex_count, uint32_t (*triangles)[3],
                          size_t triangle_count, ov_vec3 *normals) {
    for (size_t i = 0; i < vertex_count; i++) {
        normals[i] = ov_vec3_make(0.0, 0.0, 0.0);
    }
    for (size_t t = 0; t < triangle_count; t++) {
        const uint32_t *v = triangles[t];
        ov_vec3 p[3] = {vertices[v[0]], vertices[v[1]], vertices[v[2]]};
        // unit edges first: their product is in range for every size
        ov_vec3 ab = ov_vec3_normalize(ov_vec3_sub(p[1], p[0]));
        ov_vec3 ac = ov_vec3_normalize(ov_vec3_sub(p[2], p[0]));
        ov_vec3 face = ov_vec3_normalize(ov_vec3_cross(ab, ac));
        for (int i = 0; i < 3; i++) {
            double angle_rad = corner_angle(p[i], p[(i + 1) % 3], p[(i + 2) % 3]);
            normals[v[i]] = ov_vec3_add_scaled(normals[v[i]], face, angle_rad);
        }
    }
    for (size_t i = 0; i < vertex_count; i++) {
        normals[i] = ov_vec3_normalize(normals[i]);
        // a vertex that no triangle names: the polyhedron may have points inside
        if (ov_vec3_dot(normals[i], normals[i]) == 0.0) {
            normals[i] = ov_vec3_make(0.0, 0.0, 1.0);
        }
    }
}

static void own_fill(const ov_shape *shape, const ov_mesh_plan *plan, ov_vec3 *vertices,
                     ov_vec3 *normals, uint32_t (*triangles)[3]) {
    bool box = shape->kind == OV_SHAPE_KIND_BOX;
    for (size_t i = 0; i < plan->vertex_count; i++) {
        vertices[i] = box ? box_corner(shape, (uint32_t)i) : shape->u.polyhedron.vertices[i];
    }
    const uint32_t(*own)[3] = box ? box_triangles : shape->u.polyhedron.triangles;
    for (size_t t = 0; t < plan->triangle_count; t++) {
        for (int i = 0; i < 3; i++) {
            triangles[t][i] = own[t][i];
        }
    }
    if (normals != NULL) {
        weigh_normals(vertices, plan->vertex_count, triangles, plan->triangle_count, normals);
    }
}

/* ---- plan and fill */

static ov_status check_meshable(const ov_shape *shape) {
    if (!ovi_is_kind(shape->kind)) {
        return OV_ERROR_SHAPE;
    }
    bool own = shape->kind == OV_SHAPE_KIND_BOX ||
               (shape->kind == OV_SHAPE_KIND_POLYHEDRON && shape->u.polyhedron.triangles != NULL);
    return own || has_grid(shape->kind) ? OV_OK : OV_ERROR_UNSUPPORTED;
}

ov_status ov_shape_mesh_plan(const ov_shape *shape, const ov_mesh_options *options,
                             ov_mesh_plan *plan) {
    if (shape == NULL || plan == NULL) {
        return OV_ERROR_NULL;
    }
    ov_status status = check_meshable(shape);
    if (status != OV_OK) {
        return status;
    }
    ov_mesh_options o = options != NULL ? *options : ov_default_mesh_options();
    o.vertices = o.vertices != 0 ? o.vertices : ov_default_mesh_options().vertices;
    bool by_error = o.chord_error > 0.0;
    if (!isfinite(o.chord_error) || o.chord_error < 0.0 ||
        (!by_error && o.vertices > MAX_VERTICES)) {
        return OV_ERROR_OPTION;
    }
    if (!has_grid(shape->kind)) {
        ov_mesh_plan own = own_plan(shape);
        size_t most = by_error ? MAX_VERTICES : o.vertices;
        if (own.vertex_count > most) {
            return OV_ERROR_OPTION;
        }
        *plan = own;
        return OV_OK;
    }
    mesh_grid g;
    status = by_error ? plan_by_chord_error(shape, o.chord_error, &g)
                      : plan_by_vertices(shape, o.vertices, &g);
    if (status == OV_OK) {
        *plan = (ov_mesh_plan){vertices_of(&g), triangles_of(&g), (uint32_t)g.around,
                               (uint32_t)g.along, g.spacing};
    }
    return status;
}

static bool same_counts(const ov_mesh_plan *plan, size_t vertices, size_t triangles) {
    return plan->vertex_count == vertices && plan->triangle_count == triangles;
}

ov_status ov_shape_mesh_fill(const ov_shape *shape, const ov_mesh_plan *plan, ov_vec3 *vertices,
                             ov_vec3 *normals, uint32_t (*triangles)[3]) {
    if (shape == NULL || plan == NULL || vertices == NULL || triangles == NULL) {
        return OV_ERROR_NULL;
    }
    ov_status status = check_meshable(shape);
    if (status != OV_OK) {
        return status;
    }
    // the buffers were made for the plan's counts: a plan of another shape must not write past them
    if (!has_grid(shape->kind)) {
        ov_mesh_plan own = own_plan(shape);
        if (!same_counts(plan, own.vertex_count, own.triangle_count)) {
            return OV_ERROR_OPTION;
        }
        own_fill(shape, plan, vertices, normals, triangles);
        return OV_OK;
    }
    if (plan->spacing != OV_SPACING_EQUAL && plan->spacing != OV_SPACING_ANGLE_CENTRE) {
        return OV_ERROR_OPTION;
    }
    mesh_grid g = make_grid(shape, plan->spacing, plan->around, plan->along);
    if (!is_valid(&g) || !same_counts(plan, vertices_of(&g), triangles_of(&g))) {
        return OV_ERROR_OPTION;
    }
    fill_grid(&g, vertices, normals, triangles);
    return OV_OK;
}
