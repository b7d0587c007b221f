/**
 * @file mesh_plan.c
 * @brief How many spokes and steps a grid needs: by chord error, or within a number of vertices.
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
#include "mesh_internal.h"

/** Sampled sagittas miss the peak between samples: with 8 parts a parabola's by less than 2 %. */
enum { PARTS = 8, SAMPLES = 2 * (PARTS - 1), MAX_MERIDIANS = 18 };
static const double sampling_margin = 1.03;

/* ---- which steps to look at */

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

/* ---- error of a superellipse replaced by a polygon */

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
        ovi_norm2_parts parts = ovi_norm2_split(n1, n2, q);
        double outer = ovi_norm2_gradient(n1, n2, &parts).value;
        arc_error here = {outer - (n1 * c0.u + n2 * c0.v), chord, fabs(dx * dy)};
        worst = worse(worst, here);
    }
    return worst;
}

/** Largest distance of the section's points from z: of (a1 u, a2 v) over N_p1(u, v) = 1, by
 *  Hölder's inequality the norm of (a1, a2) with exponent 2 p1/(p1 - 2), or the larger of the two.
 */
static double widest_meridian(const ovi_grid *g) {
    double a1 = g->shape->a.x, a2 = g->shape->a.y, e = g->e1;
    if (e >= 1.0) {
        return fmax(a1, a2);
    }
    ovi_norm2_parts parts =
        ovi_norm2_split(a1, a2, (ovi_exponent){(1.0 + e) / (1.0 - e), 0.5 - 0.5 * e});
    return ovi_norm2_gradient(a1, a2, &parts).value;
}

/* ---- error of sampled meridians */

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

static meridians choose_meridians(const ovi_grid *g) {
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
static profile_arc sample_round(const ovi_grid *g, ovi_profile_point from, ovi_profile_point to) {
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
static profile_arc sample_branch(const ovi_grid *g, ovi_profile_point from, ovi_profile_point to) {
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

static double measure_meridians(const ovi_grid *g, const arc_error *section, double enough) {
    bool tapered =
        g->shape->kind == OV_SHAPE_KIND_SUPEROVOID || g->shape->kind == OV_SHAPE_KIND_BENT;
    meridians m = choose_meridians(g);
    size_t first, last, turning = tapered ? 0 : ovi_grid_turning_step(g);
    ovi_grid_curved_steps(g, &first, &last);
    if (g->shape->kind == OV_SHAPE_KIND_SUPERHYPERBOLOID_1) {
        first = g->along / 2; // the lower half is the mirror image
        turning += first;
    }
    double worst = 0.0;
    for (size_t j = first; j < last && worst <= enough; j = next_step(j, g->along, turning)) {
        ovi_profile_point from = ovi_grid_profile(g, j), to = ovi_grid_profile(g, j + 1);
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

/* ---- by chord error */

/** Multiples that the counts come in. */
typedef struct grid_steps {
    size_t around, along, along_least;
} grid_steps;

/** With e < 1 the section's corners, on the diagonals, must be nodes; otherwise only its axes. */
static grid_steps steps_of(const ovi_grid *g) {
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

static arc_error section_error(const ovi_grid *g) {
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

static double around_error(const ovi_grid *g, const arc_error *unused, double enough) {
    (void)unused;
    (void)enough;
    return nodes_keep_apart(g->spacing, g->e1, g->around) ? section_error(g).sagitta
                                                          : (double)INFINITY;
}

static double along_error(const ovi_grid *g, const arc_error *section, double enough) {
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

typedef double (*error_of_grid)(const ovi_grid *, const arc_error *, double);

/** Smallest count, from `least` in steps, whose error is within `enough`; zero where there is none
 *  up to `most`. `count` points at the grid's own number. */
static size_t smallest_count(ovi_grid *g, size_t *count, error_of_grid error,
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
static bool plan_spacing(ovi_grid *g, double chord_error, size_t most) {
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
        return ovi_grid_is_valid(g);
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
    return ovi_grid_is_valid(g);
}

ov_status ovi_grid_plan_chord(const ov_shape *shape, double chord_error, ovi_grid *grid) {
    ovi_grid equal = ovi_grid_make(shape, OV_SPACING_EQUAL, 4, 2);
    ovi_grid crowded = ovi_grid_make(shape, OV_SPACING_ANGLE_CENTRE, 4, 2);
    bool has_equal = plan_spacing(&equal, chord_error, OVI_MESH_MAX_VERTICES);
    // the second need not search beyond what the first has found
    size_t most = has_equal ? ovi_grid_vertices(&equal) : OVI_MESH_MAX_VERTICES;
    bool has_crowded = plan_spacing(&crowded, chord_error, most);
    if (!has_equal && !has_crowded) {
        return OV_ERROR_OPTION;
    }
    bool take_crowded =
        has_crowded && (!has_equal || ovi_grid_vertices(&crowded) < ovi_grid_vertices(&equal));
    *grid = take_crowded ? crowded : equal;
    return OV_OK;
}

/* ---- within a number of vertices */

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
    ovi_grid g = ovi_grid_make(shape, OV_SPACING_EQUAL, 8, 34);
    size_t first, last;
    ovi_grid_curved_steps(&g, &first, &last);
    double radius = 0.5 * (shape->a.x + shape->a.y), length = 0.0;
    for (size_t j = first; j < last; j++) {
        ovi_profile_point p0 = ovi_grid_profile(&g, j), p1 = ovi_grid_profile(&g, j + 1);
        length += hypot(radius * (p1.m - p0.m), p1.z - p0.z);
    }
    return length;
}

/** Steps along for each step around that make cells about as long as wide, where they are widest.
 */
static double square_cells(const ov_shape *s) {
    ovi_grid g = ovi_grid_make(s, OV_SPACING_EQUAL, 4, 2);
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
static size_t most_along(const ovi_grid *g, const grid_steps *step, size_t vertices) {
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
                       ovi_grid *grid) {
    // a ball has 1/2; up to eight times as slim or flat, beyond that cells get long rather than
    // spokes or rings few
    double wanted = fmax(1.0 / 16.0, fmin(4.0, square_cells(shape)));
    ovi_grid g = ovi_grid_make(shape, OV_SPACING_EQUAL, step->around, step->along_least);
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
        double score = (double)ovi_grid_vertices(&g) / (double)vertices - 0.3 * misfit * misfit;
        if (score > best) {
            best = score;
            *grid = g;
        }
    }
    return best > -(double)INFINITY;
}

ov_status ovi_grid_plan_vertices(const ov_shape *shape, size_t vertices, ovi_grid *grid) {
    ovi_grid any = ovi_grid_make(shape, OV_SPACING_EQUAL, 4, 2);
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
