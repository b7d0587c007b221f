/**
 * @file support_refine.c
 * @brief What the answers of GJK and EPA lack: the last digits of the normal, and witness points on
 * the surfaces; by supports alone.
 *
 * The separation of the bodies along a unit n is g(n) = min n.w over their Minkowski difference,
 * its slope dg/dn = w, the point where that is reached. The gap is the largest g, so every
 * direction proves its own lower bound, and nothing depends on how well a search for the best one
 * goes. Two searches: a quasi-Newton ascent, cheap and for any bodies, and cutting planes, for the
 * smooth family where Newton's method on the surfaces could not end.
 */
#include <string.h>

#include "support_solver.h"

/* ---- ascent of the separation

   The last digits of a depth that the polytope of epa.c had no vertices left for, or a good
   direction to start from. Bodies with many equally deep directions (symmetric ones, one inside the
   other) use up the polytope before it is close to all of them. Its best direction is near a good
   one, and g gives value and gradient at once, so a quasi-Newton ascent (BFGS in two variables)
   from there costs little. The variables are x, y of the chart n = (n0 + x t + y u)/|...| about the
   start. The same ascent gives a Newton iteration on the surfaces that went round in circles a
   better start: for separated bodies g has one maximum only. Where g has a kink, it ends early. */

enum { HALVINGS = 12 };

/** Where the ascent is: the chart, the point in it, value and gradient there (scaled units). */
typedef struct ascent {
    const ovi_minkowski *core;
    ov_mat3 frame;
    double x, y;
    double value, gx, gy;
} ascent;

static ov_status ascent_evaluate(ascent *c, double x, double y, ovi_result *r) {
    ov_vec3 n = ov_vec3_add_scaled(c->frame.cx, c->frame.cy, x);
    n = ov_vec3_add_scaled(n, c->frame.cz, y);
    double length = ov_vec3_length(n), separation;
    n = ov_vec3_normalize(n);
    ovi_vertex p;
    ov_status status = ovi_minkowski_support(c->core, n, &p, &separation);
    if (status != OV_OK) {
        return status;
    }
    r->iterations++;
    ovi_note_lower(c->core, n, separation, r);
    ov_vec3 across = ov_vec3_add_scaled(p.w, n, -ov_vec3_dot(n, p.w));
    c->x = x;
    c->y = y;
    c->value = separation * c->core->scale;
    c->gx = ov_vec3_dot(across, c->frame.cy) / length;
    c->gy = ov_vec3_dot(across, c->frame.cz) / length;
    return OV_OK;
}

/** Of -g, symmetric. */
typedef struct inverse_hessian {
    double xx, xy, yy;
} inverse_hessian;

/** BFGS update for the step (sx, sy) and the change (vx, vy) of the gradient of -g. */
static void update_hessian(inverse_hessian *h, double sx, double sy, double vx, double vy) {
    double sv = sx * vx + sy * vy;
    if (!(sv > 0.0)) {
        return;
    }
    double hx = h->xx * vx + h->xy * vy, hy = h->xy * vx + h->yy * vy;
    double k = (1.0 + (vx * hx + vy * hy) / sv) / sv;
    h->xx += k * sx * sx - 2.0 * sx * hx / sv;
    h->xy += k * sx * sy - (sx * hy + hx * sy) / sv;
    h->yy += k * sy * sy - 2.0 * sy * hy / sv;
}

/** One line search; `moved` is false where no step along it is higher. */
static ov_status line_search(ascent *c, inverse_hessian *h, bool *moved, ovi_result *r) {
    double dx = h->xx * c->gx + h->xy * c->gy, dy = h->xy * c->gx + h->yy * c->gy;
    double slope = dx * c->gx + dy * c->gy;
    *moved = false;
    if (!(slope > DBL_EPSILON * fabs(c->value))) {
        return OV_OK;
    }
    double t = fmin(1.0, 0.3 / sqrt(dx * dx + dy * dy));
    for (int k = 0; k < HALVINGS; k++, t *= 0.5) {
        ascent next = *c;
        ov_status status = ascent_evaluate(&next, c->x + t * dx, c->y + t * dy, r);
        if (status != OV_OK) {
            return status;
        }
        if (next.value > c->value + 1e-4 * t * slope) {
            update_hessian(h, t * dx, t * dy, c->gx - next.gx, c->gy - next.gy);
            *c = next;
            *moved = true;
            return OV_OK;
        }
    }
    return OV_OK;
}

ov_status ovi_separation_ascent(const ovi_minkowski *core, int supports, ovi_result *result) {
    ascent c = {.core = core, .frame = ov_mat3_householder(result->normal)};
    if (ov_vec3_dot(c.frame.cx, result->normal) < 0.0) {
        c.frame.cx = ov_vec3_neg(c.frame.cx);
    }
    int end = result->iterations + supports;
    ov_status status = ascent_evaluate(&c, 0.0, 0.0, result);
    // the radius of a body is its curvature in the space of normals
    double radius = fabs(c.value) + 1e-3;
    inverse_hessian h = {1.0 / radius, 0.0, 1.0 / radius};
    bool moved = true, fresh = true;
    while (status == OV_OK && result->iterations < end) {
        status = line_search(&c, &h, &moved, result);
        if (moved) {
            fresh = false;
        } else if (fresh) {
            break;
        } else {
            // once more by the gradient alone before giving up
            h = (inverse_hessian){1.0 / radius, 0.0, 1.0 / radius};
            fresh = true;
        }
    }
    return status;
}

/* ---- cutting planes

   The normal of a contact to its last digits. GJK and EPA compare values of g. At its maximum g is
   flat, so a goal of 1e-9 leaves the normal known to the root of that. The slope w of g is not
   flat. So the maximum is enclosed, over a chart x of normals about the one known so far:

       1. a polygon, at first a square, holds the maximum; g is evaluated at its centroid x_i
       2. with f_i, F_i value and slope there, and the best value so far,
              F_i.(x - x_i) >= best - f_i
          holds at the maximum where f is concave; the polygon is cut along that line. A cut through
          the centroid leaves at most 1 - 1/e of the area [Gruenbaum 1960]
       3. when the polygon is small, a new square about its centroid, so that in the end all cuts
          come from normals close by; where the maximum lies at the square's rim, a larger one

   f = g/|n| is concave up to |g| times the square of the distance in x, which is taken off what a
   cut may claim; for the depth of overlapping bodies that holds near a local least one, which is
   what the solver hands over. No derivative of a surface is used, so facets, ridges, tips and
   bridges over dents are no different from other places.

   A square takes some 15 evaluations, all of it some 60; at most STAGES times CUTS, and one more.

   Witness points. Where the maximum is at a kink of g, several supports w_i share it: some mean of
   them lies along the normal, and the same mean of the bodies' points is opposite each other. It is
   a point of the hull; where that is below a curved surface it is brought onto it, at most a
   billionth of the body aside, so the points stay opposite. */

enum { STAGES = 14, CUTS = 40, CORNERS_MAX = CUTS + 8, PUSHES = 12 };

/** Half widths of squares: the first, the largest, and the last, by which the normal is known to a
 *  part of that angle. */
static const double first_reach = 1e-2, widest_reach = 0.5, last_reach = 1e-9;

/** One square: the chart, the polygon that holds the maximum, and what was evaluated. */
typedef struct stage {
    const ovi_pair *pair;
    ov_mat3 frame; // cx is the middle of the chart
    double reach;
    ov_vec2 corner[CORNERS_MAX];
    int corners;
    ovi_separation at[CUTS];
    ov_vec3 normal[CUTS];
    int count, best;
    bool flat; // the last slope was rounding: the last evaluation is the maximum
} stage;

static stage stage_make(const ovi_pair *pair, ov_vec3 normal, double reach) {
    stage s = {.pair = pair, .reach = reach, .corners = 4};
    s.frame = ov_mat3_householder(normal);
    s.frame.cx = ov_vec3_dot(s.frame.cx, normal) < 0.0 ? ov_vec3_neg(s.frame.cx) : s.frame.cx;
    s.corner[0] = (ov_vec2){-reach, -reach};
    s.corner[1] = (ov_vec2){reach, -reach};
    s.corner[2] = (ov_vec2){reach, reach};
    s.corner[3] = (ov_vec2){-reach, reach};
    return s;
}

/** Centroid of the polygon; the mean of its corners where it has no area left. */
static ov_vec2 centroid(const stage *s) {
    ov_vec2 o = s->corner[0], sum = {0.0, 0.0}, mean = {0.0, 0.0};
    double area = 0.0;
    for (int i = 0; i < s->corners; i++) {
        ov_vec2 p = {s->corner[i].x - o.x, s->corner[i].y - o.y};
        ov_vec2 q = s->corner[(i + 1) % s->corners];
        q = (ov_vec2){q.x - o.x, q.y - o.y};
        double twice = p.x * q.y - p.y * q.x;
        area += twice;
        sum.x += twice * (p.x + q.x);
        sum.y += twice * (p.y + q.y);
        mean.x += p.x / s->corners;
        mean.y += p.y / s->corners;
    }
    bool thin = !(area > 1e-12 * s->reach * s->reach * DBL_EPSILON);
    return thin ? (ov_vec2){o.x + mean.x, o.y + mean.y}
                : (ov_vec2){o.x + sum.x / (3.0 * area), o.y + sum.y / (3.0 * area)};
}

/** How far the polygon reaches from a point, at most. */
static double extent(const stage *s, ov_vec2 from) {
    double most = 0.0;
    for (int i = 0; i < s->corners; i++) {
        most = fmax(most, fmax(fabs(s->corner[i].x - from.x), fabs(s->corner[i].y - from.y)));
    }
    return most;
}

/** Keeps the part of the polygon with f.(x - at) >= level; false where nothing would be left. */
static bool cut(stage *s, ov_vec2 f, ov_vec2 at, double level) {
    ov_vec2 kept[CORNERS_MAX];
    int count = 0;
    for (int i = 0; i < s->corners && count + 2 <= CORNERS_MAX; i++) {
        ov_vec2 p = s->corner[i], q = s->corner[(i + 1) % s->corners];
        double u = f.x * (p.x - at.x) + f.y * (p.y - at.y) - level;
        double v = f.x * (q.x - at.x) + f.y * (q.y - at.y) - level;
        if (u >= 0.0) {
            kept[count++] = p;
        }
        if ((u >= 0.0) != (v >= 0.0)) {
            double t = u / (u - v);
            kept[count++] = (ov_vec2){p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)};
        }
    }
    if (count < 3) {
        return false;
    }
    memcpy(s->corner, kept, (size_t)count * sizeof kept[0]);
    s->corners = count;
    return true;
}

/** Evaluates at a point of the chart and cuts by it; false where that ends the stage. */
static bool cut_at(stage *s, ov_vec2 x) {
    ov_vec3 n = ov_vec3_add_scaled(s->frame.cx, s->frame.cy, x.x);
    n = ov_vec3_add_scaled(n, s->frame.cz, x.y);
    double length = ov_vec3_length(n);
    n = ov_vec3_scale(n, 1.0 / length);
    ovi_separation *here = &s->at[s->count];
    if (ovi_pair_separation(s->pair, n, here) != OV_OK) {
        return false;
    }
    ov_vec3 w = ov_vec3_sub(here->point_b, here->point_a);
    double value = ov_vec3_dot(n, w);
    w = ov_vec3_add_scaled(w, n, -value);
    ov_vec2 f = {ov_vec3_dot(w, s->frame.cy) / length, ov_vec3_dot(w, s->frame.cz) / length};
    s->normal[s->count] = n;
    s->best = s->count == 0 || here->gap > s->at[s->best].gap ? s->count : s->best;
    s->count++;
    double wide = extent(s, x);
    s->flat = fmax(fabs(f.x), fabs(f.y)) <= 0.05 * s->pair->rounding;
    if (s->flat) {
        return false;
    }
    // what rounding and the bend of f can add to the best value is no reason to cut
    double doubt = 0.1 * s->pair->rounding + 2.0 * fabs(value) * wide * wide;
    double level = fmax(0.0, s->at[s->best].gap - here->gap - doubt);
    return cut(s, f, x, level) || (level > 0.0 && cut(s, f, x, 0.0));
}

/** Cuts until the polygon is a small part of the square; the normal that is left. */
static ov_vec3 run_stage(stage *s, double small, int *iterations) {
    ov_vec2 at = centroid(s);
    while (s->count < CUTS && cut_at(s, at)) {
        at = centroid(s);
        if (extent(s, at) <= small) {
            break;
        }
    }
    *iterations += s->count;
    if (s->flat) {
        return s->normal[s->count - 1];
    }
    ov_vec3 n = ov_vec3_add_scaled(s->frame.cx, s->frame.cy, at.x);
    return ov_vec3_normalize(ov_vec3_add_scaled(n, s->frame.cz, at.y));
}

/** Is the normal next to the rim of the square, so that the maximum may lie outside of it? */
static bool is_at_rim(const stage *s, ov_vec3 n) {
    double x = ov_vec3_dot(n, s->frame.cy), y = ov_vec3_dot(n, s->frame.cz);
    return fmax(fabs(x), fabs(y)) > 0.9 * s->reach;
}

/* ---- cutting planes: witness points */

/** Offsets b - a of the supports across a normal, and the mean of them nearest to zero. */
typedef struct mean {
    ov_vec3 across[CUTS];
    ovi_foot foot; // its index counts supports
} mean;

/** By the nearest point of a simplex, as in GJK, over the supports from `first` on. */
static void find_mean(mean *m, int first, int end) {
    int index[4] = {end - 1}, count = 1;
    for (int step = 0; step < CUTS; step++) {
        ov_vec3 part[4];
        for (int i = 0; i < count; i++) {
            part[i] = m->across[index[i]];
        }
        m->foot = ovi_simplex_nearest(part, count);
        count = m->foot.count;
        for (int i = 0; i < count; i++) {
            m->foot.index[i] = index[m->foot.index[i]];
        }
        memcpy(index, m->foot.index, (size_t)count * sizeof index[0]);
        ov_vec3 v = m->foot.v;
        int least = first;
        for (int i = first + 1; i < end; i++) {
            least = ov_vec3_dot(v, m->across[i]) < ov_vec3_dot(v, m->across[least]) ? i : least;
        }
        double gain = ov_vec3_dot(v, ov_vec3_sub(v, m->across[least]));
        if (count == 3 || !(gain > 1e-3 * m->foot.length * m->foot.length)) {
            break;
        }
        index[count++] = least;
    }
}

/** Points whose offset is along n: of the last supports alone, if they do, as their normals are the
 *  closest. False where none are. */
static bool find_points(const stage *s, ov_vec3 n, ovi_result *r) {
    ov_mat3 frame = ov_mat3_householder(n);
    mean m = {.foot = {.count = 0}};
    for (int i = 0; i < s->count; i++) {
        ov_vec3 w = ov_vec3_sub(s->at[i].point_b, s->at[i].point_a);
        m.across[i] = ov_vec3_make(ov_vec3_dot(w, frame.cy), ov_vec3_dot(w, frame.cz), 0.0);
    }
    for (int first = s->count - 1; first >= 0; first--) {
        find_mean(&m, first, s->count);
        if (m.foot.length <= s->pair->rounding) {
            break;
        }
    }
    r->point_a = r->point_b = ov_vec3_make(0.0, 0.0, 0.0);
    for (int i = 0; i < m.foot.count; i++) {
        const ovi_separation *here = &s->at[m.foot.index[i]];
        r->point_a = ov_vec3_add_scaled(r->point_a, here->point_a, m.foot.share[i]);
        r->point_b = ov_vec3_add_scaled(r->point_b, here->point_b, m.foot.share[i]);
    }
    return m.foot.length <= 1e-8 * s->pair->size;
}

/** A point of a unit curve: along a ray, or the one with a covector. */
static ovi_ray_point on_curve(ovi_ray_point ray, ovi_ray_point covector, ovi_exponent primal,
                              ovi_exponent dual, bool by_position) {
    ovi_ray_point u = by_position ? ray : covector;
    ovi_p_norm_parts parts = ovi_p_norm_split(u.w, u.zeta, by_position ? primal : dual);
    ovi_p_norm n = ovi_p_norm_gradient(u.w, u.zeta, &parts);
    if (!by_position) {
        return (ovi_ray_point){n.du, n.dv};
    }
    return n.value > 0.0 ? (ovi_ray_point){u.w / n.value, u.zeta / n.value}
                         : (ovi_ray_point){1.0, 0.0};
}

/**
 * The point of a surface near p with the normal n. Section and profile are each found by one of
 * the two: by the position, which a facet's normal does not tell, or by the normal, which an edge's
 * position does not tell.
 */
static ov_vec3 surface_point_near(const ov_shape *s, ov_vec3 p, ov_vec3 n, bool section_by_position,
                                  bool profile_by_position) {
    double zeta = fmax(-1.0, fmin(1.0, p.z / s->a.z));
    double f1 = 1.0 + s->tx * zeta, f2 = 1.0 + s->ty * zeta;
    ovi_ray_point at = {p.x / (s->a.x * f1), p.y / (s->a.y * f2)};
    ovi_ray_point g = {n.x * s->a.x * f1, n.y * s->a.y * f2};
    ovi_p_norm_parts across = ovi_p_norm_split(at.w, at.zeta, ovi_primal1(s));
    ovi_p_norm_parts covector = ovi_p_norm_split(g.w, g.zeta, ovi_dual1(s));
    ovi_ray_point ray = {ovi_p_norm_gradient(at.w, at.zeta, &across).value, zeta};
    ovi_ray_point steep = {ovi_p_norm_gradient(g.w, g.zeta, &covector).value, 0.0};
    steep.zeta = n.z * s->a.z + g.w * at.w * s->tx / f1 + g.zeta * at.zeta * s->ty / f2;
    ovi_ray_point section = on_curve(at, g, ovi_primal1(s), ovi_dual1(s), section_by_position);
    ovi_ray_point profile = on_curve(ray, steep, ovi_primal2(s), ovi_dual2(s), profile_by_position);
    double width = profile.w, height = profile.zeta;
    return ov_vec3_make(s->a.x * (1.0 + s->tx * height) * width * section.w,
                        s->a.y * (1.0 + s->ty * height) * width * section.zeta, s->a.z * height);
}

/** A point pushed onto the surface along a direction. */
static ov_vec3 push_to_surface(const ov_shape *shape, ov_vec3 p, ov_vec3 n) {
    for (int i = 0; i < PUSHES; i++) {
        ov_field g;
        (void)ovi_family_gauge(shape, p, &g);
        double slope = ov_vec3_dot(g.gradient, n), rest = 1.0 - g.value;
        if (!(slope > 0.0) || fabs(rest) < 1e-15) {
            break;
        }
        p = ov_vec3_add_scaled(p, n, rest / slope);
    }
    return p;
}

/**
 * A point of the hull brought to the surface, unless it is there, or on a bridge, which lies
 * outside. Straight along the normal it may end beside a ridge; of all points that are no farther
 * aside than `aside`, the highest is the one whose normal is closest.
 */
static ov_vec3 bring_to_surface(const ov_shape *s, ov_vec3 p, ov_vec3 n, double aside) {
    double gauge = ovi_family_gauge_value(s, p);
    if ((s->dent > 0.0 && gauge > 1.0) || fabs(gauge - 1.0) < 4e-15) {
        return p;
    }
    ov_vec3 best = push_to_surface(s, p, n);
    for (int i = 0; i < 4; i++) {
        ov_vec3 q = surface_point_near(s, p, n, i & 1, i & 2);
        ov_vec3 d = ov_vec3_sub(q, p);
        d = ov_vec3_add_scaled(d, n, -ov_vec3_dot(d, n));
        if (ov_vec3_length(d) <= aside && ov_vec3_dot(n, q) > ov_vec3_dot(n, best)) {
            best = q;
        }
    }
    return best;
}

static void bring_points(const ovi_pair *pair, ovi_result *r) {
    ov_vec3 n_b = ov_vec3_neg(ovi_to_b(pair, r->normal));
    ov_vec3 b = ovi_to_b(pair, ov_vec3_sub(r->point_b, pair->offset));
    double aside = 1e-9 * fmin(pair->a->ball.radius, pair->b->ball.radius);
    r->point_a = bring_to_surface(pair->a, r->point_a, r->normal, aside);
    r->point_b = ovi_from_b(pair, bring_to_surface(pair->b, b, n_b, aside));
}

/* ---- cutting planes: all of it */

bool ovi_refine_by_cuts(const ovi_pair *pair, ovi_result *result) {
    if (!isnan(pair->limit)) {
        return ovi_is_enough(pair, result); // only the bounds were asked for
    }
    ovi_result r = *result;
    double reach = first_reach;
    stage s;
    for (int i = 0; i < STAGES; i++) {
        s = stage_make(pair, r.normal, reach);
        r.normal = run_stage(&s, 4e-4 * reach, &r.iterations);
        bool rim = is_at_rim(&s, r.normal);
        if (!rim && (reach <= last_reach || s.flat)) {
            break;
        }
        reach = rim ? fmin(widest_reach, 8.0 * reach) : fmax(last_reach, 0.01 * reach);
    }
    // across a sharp kink the middle of the polygon may be lower than the best evaluation
    ovi_separation at = {.gap = -INFINITY};
    ov_status status = ovi_pair_separation(pair, r.normal, &at);
    if (s.count > 0 && (status != OV_OK || (!s.flat && s.at[s.best].gap > at.gap))) {
        at = s.at[s.best];
        r.normal = s.normal[s.best];
    }
    if (s.count == 0 || !(at.gap >= result->lower - 0.01 * pair->goal) ||
        !find_points(&s, r.normal, &r)) {
        return false;
    }
    bring_points(pair, &r);
    ov_vec3 d = ov_vec3_sub(r.point_b, r.point_a);
    double along = ov_vec3_dot(d, r.normal), distance = ov_vec3_length(d);
    double miss = at.gap > 0.0 ? distance - at.gap : fabs(along - at.gap);
    r.lower = at.gap - pair->rounding; // what the new normal shows
    r.gap = at.gap > 0.0 ? distance : along;
    r.upper = at.gap > 0.0 ? distance + pair->rounding : r.upper; // and what the new points show
    bool was_enough = ovi_is_enough(pair, result);
    if (!(miss <= 0.5 * pair->goal) || !(r.gap <= r.upper) ||
        (result->lower > 0.0 && !(r.lower > 0.0)) || (was_enough && !ovi_is_enough(pair, &r))) {
        return false;
    }
    *result = r;
    return true;
}

/* ---- witness points: on the surfaces, and of the gap that they come with

   The solver knows points a, b of the bodies by their supports: a mean of some, so they may lie
   inside curved bodies, or be points of a core without its skin. Let n be the normal, g its
   separation.

       1. Apart, |b - a| gave the upper bound. Along the line from a to b the last point of A and
          the first one of B are on the surfaces, and no farther apart than a and b. Their distance
          is the gap; as points of the bodies they have n.(pB - pA) >= g, so the normal is along
          them as closely as the bounds are close
       2. Overlapping, or touching, a goes out of A along n, b out of B along -n. No point of the
          bodies is beyond the planes of the supports, so g <= n.(pB - pA) <= n.(b - a). That is the
          gap, or their distance where it is above zero, which is no more than |b - a|. Where an
          overlap is worse than g by more than the goal, the supports themselves take their place:
          they have g, but need not be opposite each other

   The surface is met at a root of the body's own function (ovi_level_at), found in a bracket.
   Bodies that have a support and no more (polyhedra, custom bodies) keep their points: inside them,
   by no more than the bounds are apart. */

enum { WAY_OUT_STEPS = 60 };

/**
 * Way along a unit u from a point of a body to its surface, but no more than `reach`; never past
 * the surface by more than the rounding of F. Newton's method in a bracket, which comes from
 * outside where F bends upwards: from there it steps back until it is inside.
 */
static double way_out(const ov_shape *s, ov_vec3 p, ov_vec3 u, double reach) {
    if (!ovi_has_level(s)) {
        return 0.0;
    }
    double ulps = 2.0 * DBL_EPSILON * s->ball.radius, lo = 0.0, hi = reach, t = 0.0, back = ulps;
    ovi_level f = ovi_level_at(s, p, ulps);
    if (!(f.value < -f.noise)) {
        return 0.0; // there already; or on the bridge over a dent, outside of the bare surface
    }
    for (int i = 0; i < WAY_OUT_STEPS && hi - lo > ulps; i++) {
        double next = t - f.value / ov_vec3_dot(f.slope, u);
        if (f.value > 0.0 && f.value <= f.noise) {
            next = t - back;
            back *= 2.0;
        }
        t = next > lo && next < hi ? next : 0.5 * (lo + hi);
        f = ovi_level_at(s, ov_vec3_add_scaled(p, u, t), ulps);
        if (f.value <= 0.0 && f.value >= -f.noise) {
            return t;
        }
        lo = f.value < 0.0 ? t : lo;
        hi = f.value < 0.0 ? hi : t;
    }
    return lo;
}

/** Length of a vector between two bodies: what underflows is far below their rounding. */
static double length_of(ov_vec3 v) { return sqrt(ov_vec3_dot(v, v)); }

/** Skins put on along a unit vector. */
static void add_skins(const ovi_minkowski *core, ov_vec3 u, ov_vec3 *a, ov_vec3 *b) {
    *a = ov_vec3_add_scaled(*a, u, core->skin_a);
    *b = ov_vec3_add_scaled(*b, u, -core->skin_b);
}

/** From two points of the bodies out to their surfaces along a unit vector; `room` for both. */
static void go_out(const ovi_pair *p, ov_vec3 u, double room, ovi_result *r) {
    ov_vec3 back = ov_vec3_neg(u);
    double out = way_out(p->a, r->point_a, u, fmin(room, 2.0 * p->a->ball.radius));
    r->point_a = ov_vec3_add_scaled(r->point_a, u, out);
    room = fmin(room - out, 2.0 * p->b->ball.radius);
    out = way_out(p->b, ovi_to_b(p, ov_vec3_sub(r->point_b, p->offset)), ovi_to_b(p, back), room);
    r->point_b = ov_vec3_add_scaled(r->point_b, back, out);
}

/** The supports as witness points. */
static ov_status take_supports(const ovi_pair *p, ovi_result *r) {
    ovi_separation at;
    ov_status status = ovi_pair_separation(p, r->normal, &at);
    if (status == OV_OK) {
        r->point_a = at.point_a;
        r->point_b = at.point_b;
        r->gap = at.gap;
    }
    return status;
}

ov_status ovi_witness_points(const ovi_minkowski *core, ov_vec3 a, ov_vec3 b, ovi_result *r) {
    const ovi_pair *p = core->pair;
    ov_vec3 n = r->normal, u = ov_vec3_normalize(ov_vec3_sub(b, a));
    u = r->overlap || !ovi_is_direction(u) ? n : u;
    add_skins(core, u, &a, &b);
    r->point_a = a;
    r->point_b = b;
    bool apart = !r->overlap && r->lower > 0.0;
    go_out(p, apart ? u : n, apart ? length_of(ov_vec3_sub(b, a)) : INFINITY, r);
    ov_vec3 d = ov_vec3_sub(r->point_b, r->point_a);
    double along = ov_vec3_dot(n, d), distance = length_of(d);
    if (r->overlap) {
        r->gap = along;
        return along <= fmin(r->upper, r->lower + p->goal) ? OV_OK : take_supports(p, r);
    }
    r->gap = apart || along > 0.0 ? distance : along;
    r->upper = r->gap > 0.0 ? fmin(r->upper, distance + p->rounding) : r->upper;
    return OV_OK;
}

/**
 * Support points have the normal exactly; they are right where they lie opposite each other, or the
 * one opposite the other's point. The upper bound of bodies that are apart is raised to the
 * distance of the points where it is less, if it is close enough then.
 */
void ovi_witness_by_supports(const ovi_pair *p, ovi_result *r) {
    ov_vec3 n_b = ov_vec3_neg(ovi_to_b(p, r->normal));
    ov_vec3 a[2] = {ovi_family_support(p->a, r->normal).point, r->point_a};
    ov_vec3 b[2] = {ovi_from_b(p, ovi_family_support(p->b, n_b).point), r->point_b};
    bool apart = r->gap > 0.0;
    for (int i = 0; i < 3; i++) {
        ov_vec3 d = ov_vec3_sub(b[i >> 1], a[i & 1]);
        double along = ov_vec3_dot(d, r->normal), distance = ov_vec3_length(d);
        double aside2 = distance * distance - along * along, gap = apart ? distance : along;
        double miss = apart ? distance - r->gap : fabs(along - r->gap) + aside2 / p->size;
        double upper = apart && distance > r->upper ? distance : r->upper;
        bool close = upper == r->upper || upper - r->lower <= p->goal;
        if (miss <= 0.5 * p->goal && gap <= upper && close) {
            r->point_a = a[i & 1];
            r->point_b = b[i >> 1];
            r->gap = gap;
            r->upper = upper;
            return;
        }
    }
}
