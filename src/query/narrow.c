/**
 * @file narrow.c
 * @brief The normal of a contact to its last digits by supports alone, for what no walk could end.
 *
 * The net (gjk.c, epa.c) compares values of the span g(n) = min n.w over the difference of the
 * bodies. At its maximum g is flat, so a goal of 1e-9 leaves the normal known to the root of that.
 * The slope of g is not flat: it is w, the point where the span is reached. So the maximum is
 * enclosed, over a chart x of normals about the net's:
 *
 *     1. a polygon, at first a square, holds the maximum; the span is taken at its centroid x_i
 *     2. with f_i, F_i value and slope there, and the best value so far,
 *            F_i.(x - x_i) >= best - f_i
 *        holds at the maximum where f is concave; the polygon is cut along that line. A cut through
 *        the centroid leaves at most 1 - 1/e of the area [Gruenbaum 1960]
 *     3. when the polygon is small, a new square about its centroid, so that in the end all cuts
 *        come from normals close by; where the maximum lies at the square's rim, a larger one
 *
 * f = g/|n| is concave up to |g| times the square of the distance in x, which is taken off what a
 * cut may claim; for the depth of overlapping bodies that holds near a local least one, which is
 * what the net hands over. No derivative of a surface is used, so facets, ridges, tips and bridges
 * over dents are no different from other places.
 *
 * A square takes some 15 spans, all of it some 60; at most STAGES times CUTS, and one more.
 *
 * Witness points. Where the maximum is at a kink of g, several supports w_i share it: some mean of
 * them lies along the normal, and the same mean of the bodies' points is opposite each other. It is
 * a point of the hull; where that is below a curved surface it is brought onto it, at most a
 * billionth of the body aside, so the points stay opposite.
 */
#include <string.h>

#include "simplex.h"
#include "smooth.h"

enum { STAGES = 14, CUTS = 40, CORNERS_MAX = CUTS + 8, PUSHES = 12 };

/** Half widths of squares: the first, the largest, and the last, to a part of which the normal is
 *  told. */
static const double first_reach = 1e-2, widest_reach = 0.5, last_reach = 1e-9;

typedef struct spot2 {
    double x, y;
} spot2;

/** One stage: the chart, the polygon that holds the maximum, and the spans taken. */
typedef struct stage {
    const ovi_pair *pair;
    ov_mat3 frame; // cx is the middle of the chart
    double reach;
    spot2 corner[CORNERS_MAX];
    int corners;
    ovi_span span[CUTS];
    ov_vec3 normal[CUTS];
    int spans, best;
    bool flat; // the last slope was rounding: the last span is the maximum
} stage;

static stage stage_make(const ovi_pair *pair, ov_vec3 normal, double reach) {
    stage s = {.pair = pair, .reach = reach, .corners = 4};
    s.frame = ov_mat3_householder(normal);
    s.frame.cx = ov_vec3_dot(s.frame.cx, normal) < 0.0 ? ov_vec3_neg(s.frame.cx) : s.frame.cx;
    s.corner[0] = (spot2){-reach, -reach};
    s.corner[1] = (spot2){reach, -reach};
    s.corner[2] = (spot2){reach, reach};
    s.corner[3] = (spot2){-reach, reach};
    return s;
}

/** Centroid of the polygon; the mean of its corners where it has no area left. */
static spot2 centroid(const stage *s) {
    spot2 o = s->corner[0], sum = {0.0, 0.0}, mean = {0.0, 0.0};
    double area = 0.0;
    for (int i = 0; i < s->corners; i++) {
        spot2 p = {s->corner[i].x - o.x, s->corner[i].y - o.y};
        spot2 q = s->corner[(i + 1) % s->corners];
        q = (spot2){q.x - o.x, q.y - o.y};
        double twice = p.x * q.y - p.y * q.x;
        area += twice;
        sum.x += twice * (p.x + q.x);
        sum.y += twice * (p.y + q.y);
        mean.x += p.x / s->corners;
        mean.y += p.y / s->corners;
    }
    bool thin = !(area > 1e-12 * s->reach * s->reach * DBL_EPSILON);
    return thin ? (spot2){o.x + mean.x, o.y + mean.y}
                : (spot2){o.x + sum.x / (3.0 * area), o.y + sum.y / (3.0 * area)};
}

/** How far the polygon reaches from a point, at most. */
static double extent(const stage *s, spot2 from) {
    double most = 0.0;
    for (int i = 0; i < s->corners; i++) {
        most = fmax(most, fmax(fabs(s->corner[i].x - from.x), fabs(s->corner[i].y - from.y)));
    }
    return most;
}

/** Keeps the part of the polygon with f.(x - at) >= level; false where nothing would be left. */
static bool cut(stage *s, spot2 f, spot2 at, double level) {
    spot2 kept[CORNERS_MAX];
    int count = 0;
    for (int i = 0; i < s->corners && count + 2 <= CORNERS_MAX; i++) {
        spot2 p = s->corner[i], q = s->corner[(i + 1) % s->corners];
        double u = f.x * (p.x - at.x) + f.y * (p.y - at.y) - level;
        double v = f.x * (q.x - at.x) + f.y * (q.y - at.y) - level;
        if (u >= 0.0) {
            kept[count++] = p;
        }
        if ((u >= 0.0) != (v >= 0.0)) {
            double t = u / (u - v);
            kept[count++] = (spot2){p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)};
        }
    }
    if (count < 3) {
        return false;
    }
    memcpy(s->corner, kept, (size_t)count * sizeof kept[0]);
    s->corners = count;
    return true;
}

/** Takes the span at a place of the chart and cuts by it; false where that ends the stage. */
static bool look(stage *s, spot2 at) {
    ov_vec3 n = ov_vec3_add_scaled(s->frame.cx, s->frame.cy, at.x);
    n = ov_vec3_add_scaled(n, s->frame.cz, at.y);
    double length = ov_vec3_length(n);
    n = ov_vec3_scale(n, 1.0 / length);
    ovi_span *span = &s->span[s->spans];
    if (ovi_pair_span(s->pair, n, span) != OV_OK) {
        return false;
    }
    ov_vec3 w = ov_vec3_sub(span->point_b, span->point_a);
    double value = ov_vec3_dot(n, w);
    w = ov_vec3_add_scaled(w, n, -value);
    spot2 f = {ov_vec3_dot(w, s->frame.cy) / length, ov_vec3_dot(w, s->frame.cz) / length};
    s->normal[s->spans] = n;
    s->best = s->spans == 0 || span->gap > s->span[s->best].gap ? s->spans : s->best;
    s->spans++;
    double wide = extent(s, at);
    s->flat = fmax(fabs(f.x), fabs(f.y)) <= 0.05 * s->pair->rounding;
    if (s->flat) {
        return false;
    }
    // what rounding and the bend of f can add to the best value is no reason to cut
    double doubt = 0.1 * s->pair->rounding + 2.0 * fabs(value) * wide * wide;
    double level = fmax(0.0, s->span[s->best].gap - span->gap - doubt);
    return cut(s, f, at, level) || (level > 0.0 && cut(s, f, at, 0.0));
}

/** Cuts until the polygon is a small part of the square; the normal that is left. */
static ov_vec3 run(stage *s, double small, int *iterations) {
    spot2 at = centroid(s);
    while (s->spans < CUTS && look(s, at)) {
        at = centroid(s);
        if (extent(s, at) <= small) {
            break;
        }
    }
    *iterations += s->spans;
    if (s->flat) {
        return s->normal[s->spans - 1];
    }
    ov_vec3 n = ov_vec3_add_scaled(s->frame.cx, s->frame.cy, at.x);
    return ov_vec3_normalize(ov_vec3_add_scaled(n, s->frame.cz, at.y));
}

/** Is the normal next to the rim of the square, so that the maximum may lie outside of it? */
static bool is_at_rim(const stage *s, ov_vec3 n) {
    double x = ov_vec3_dot(n, s->frame.cy), y = ov_vec3_dot(n, s->frame.cz);
    return fmax(fabs(x), fabs(y)) > 0.9 * s->reach;
}

/* ---- witness points */

/** Offsets of spans across a normal, and the mean of them that is nearest to zero. */
typedef struct mean {
    ov_vec3 across[CUTS];
    ovi_foot foot; // its index counts spans
} mean;

/** By the simplex of the net, over the spans from `first` on. */
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

/** Points whose offset is along n: of the last spans alone, if they do, as their normals are the
 *  closest. False where none are. */
static bool find_points(const stage *s, ov_vec3 n, ovi_result *r) {
    ov_mat3 frame = ov_mat3_householder(n);
    mean m = {.foot = {.count = 0}};
    for (int i = 0; i < s->spans; i++) {
        ov_vec3 w = ov_vec3_sub(s->span[i].point_b, s->span[i].point_a);
        m.across[i] = ov_vec3_make(ov_vec3_dot(w, frame.cy), ov_vec3_dot(w, frame.cz), 0.0);
    }
    for (int first = s->spans - 1; first >= 0; first--) {
        find_mean(&m, first, s->spans);
        if (m.foot.length <= s->pair->rounding) {
            break;
        }
    }
    r->point_a = r->point_b = ov_vec3_make(0.0, 0.0, 0.0);
    for (int i = 0; i < m.foot.count; i++) {
        const ovi_span *span = &s->span[m.foot.index[i]];
        r->point_a = ov_vec3_add_scaled(r->point_a, span->point_a, m.foot.share[i]);
        r->point_b = ov_vec3_add_scaled(r->point_b, span->point_b, m.foot.share[i]);
    }
    return m.foot.length <= 1e-8 * s->pair->size;
}

/** A point of a unit curve: along a ray, or the one with a covector. */
static ovi_ray_point on_curve(ovi_ray_point ray, ovi_ray_point covector, ovi_exponent primal,
                              ovi_exponent dual, bool by_position) {
    ovi_ray_point u = by_position ? ray : covector;
    ovi_norm2_parts parts = ovi_norm2_split(u.w, u.zeta, by_position ? primal : dual);
    ovi_norm2 n = ovi_norm2_gradient(u.w, u.zeta, &parts);
    if (!by_position) {
        return (ovi_ray_point){n.du, n.dv};
    }
    return n.value > 0.0 ? (ovi_ray_point){u.w / n.value, u.zeta / n.value}
                         : (ovi_ray_point){1.0, 0.0};
}

/**
 * The point of a surface near p with the normal n: of its section and its profile each by what is
 * told, the position on facets, where it is free, or the normal at edges, where it is (smooth.c).
 */
static ov_vec3 seat(const ov_shape *s, ov_vec3 p, ov_vec3 n, bool section_by_position,
                    bool profile_by_position) {
    double zeta = fmax(-1.0, fmin(1.0, p.z / s->a.z));
    double f1 = 1.0 + s->tx * zeta, f2 = 1.0 + s->ty * zeta;
    ovi_ray_point at = {p.x / (s->a.x * f1), p.y / (s->a.y * f2)};
    ovi_ray_point g = {n.x * s->a.x * f1, n.y * s->a.y * f2};
    ovi_norm2_parts across = ovi_norm2_split(at.w, at.zeta, ovi_primal1(s));
    ovi_norm2_parts covector = ovi_norm2_split(g.w, g.zeta, ovi_dual1(s));
    ovi_ray_point ray = {ovi_norm2_gradient(at.w, at.zeta, &across).value, zeta};
    ovi_ray_point steep = {ovi_norm2_gradient(g.w, g.zeta, &covector).value, 0.0};
    steep.zeta = n.z * s->a.z + g.w * at.w * s->tx / f1 + g.zeta * at.zeta * s->ty / f2;
    ovi_ray_point section = on_curve(at, g, ovi_primal1(s), ovi_dual1(s), section_by_position);
    ovi_ray_point profile = on_curve(ray, steep, ovi_primal2(s), ovi_dual2(s), profile_by_position);
    double width = profile.w, height = profile.zeta;
    return ov_vec3_make(s->a.x * (1.0 + s->tx * height) * width * section.w,
                        s->a.y * (1.0 + s->ty * height) * width * section.zeta, s->a.z * height);
}

/** A point pushed onto the surface along a direction. */
static ov_vec3 push(const ov_shape *shape, ov_vec3 p, ov_vec3 n) {
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
static ov_vec3 bring(const ov_shape *s, ov_vec3 p, ov_vec3 n, double aside) {
    double gauge = ovi_family_gauge_value(s, p);
    if ((s->dent > 0.0 && gauge > 1.0) || fabs(gauge - 1.0) < 4e-15) {
        return p;
    }
    ov_vec3 best = push(s, p, n);
    for (int i = 0; i < 4; i++) {
        ov_vec3 q = seat(s, p, n, i & 1, i & 2);
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
    r->point_a = bring(pair->a, r->point_a, r->normal, aside);
    r->point_b = ovi_from_b(pair, bring(pair->b, b, n_b, aside));
}

/* ---- all of it */

bool ovi_narrow_contact(const ovi_pair *pair, ovi_result *result) {
    if (!isnan(pair->limit)) {
        return ovi_is_enough(pair, result); // only the bounds were asked for
    }
    ovi_result r = *result;
    double reach = first_reach;
    stage s;
    for (int i = 0; i < STAGES; i++) {
        s = stage_make(pair, r.normal, reach);
        r.normal = run(&s, 4e-4 * reach, &r.iterations);
        bool rim = is_at_rim(&s, r.normal);
        if (!rim && (reach <= last_reach || s.flat)) {
            break;
        }
        reach = rim ? fmin(widest_reach, 8.0 * reach) : fmax(last_reach, 0.01 * reach);
    }
    // across a sharp kink the middle of the polygon may be lower than the best of the spans
    ovi_span at = {.gap = -INFINITY};
    ov_status status = ovi_pair_span(pair, r.normal, &at);
    if (s.spans > 0 && (status != OV_OK || (!s.flat && s.span[s.best].gap > at.gap))) {
        at = s.span[s.best];
        r.normal = s.normal[s.best];
    }
    if (s.spans == 0 || !(at.gap >= result->lower - 0.01 * pair->goal) ||
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
