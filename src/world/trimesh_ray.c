/**
 * @file trimesh_ray.c
 * @brief Rays against meshes, with proven bounds of the distance, through edges and corners too.
 *
 * All is seen along the ray: corners have two coordinates across it, in which the ray is the
 * origin, and one along it. A triangle that is proven to lie beside the origin is missed, one that
 * has the origin further inside its edges than rounding reaches is hit. What is left are triangles
 * whose border the ray passes within rounding. One of them alone decides nothing, but a ray on the
 * edge between two triangles of a surface does not pass between them:
 *   1. Take all triangles that are connected by such edges, as a sum of triangles modulo 2. Its
 *      border are the edges that occur in an odd number of them.
 *   2. If all edges of the border are further from the origin than rounding, then how often it
 *      winds round the origin, modulo 2, is what it is for the exact corners too: moving corners by
 *      rounding never takes the border over the origin.
 *   3. If that is odd, then the origin is in one of the triangles: points outside all of them
 *      are not wound round by the border of their sum.
 * Edges are equal where the positions of their ends are, so that files without shared vertices do
 * as well. At most UNDECIDED_MAX triangles are kept for this.
 *
 * Whether a point is inside closed shells is told by rays, too: a ray is free to go where it
 * meets no border, so those that do are given up for another one, and what is counted is certain.
 */
#include "../math/rounding_mode.h"
#include "trimesh_internal.h"

enum { UNDECIDED_MAX = 128, EDGES_MAX = 3 * UNDECIDED_MAX };

typedef struct ray {
    const ov_trimesh *mesh;
    ov_vec3 o, u;  // in the mesh's frame; u is a unit vector
    ov_mat3 axes;  // y and z are across the ray
    double end;    // the reach
    double margin; // more than twice the rounding of a corner or of the ray, where the mesh is
    double goal;
} ray;

/** A triangle as the ray sees it. */
typedef struct ray_triangle {
    ov_vec3 corners[3]; // as given
    ov_vec2 p[3];       // across the ray
    double along[3];
    double area; // twice, with a sign
} ray_triangle;

/** Where on the ray a triangle is met, if it is. */
typedef struct meeting {
    double lower, upper, best;
    uint32_t triangle;
} meeting;

typedef struct search {
    meeting hit;                      // the first proven one; upper is infinite where there is none
    meeting undecided[UNDECIDED_MAX]; // all others that may be before it
    int count;
    bool lost; // there were more
    double lost_lower, lost_upper;
} search;

static double cross2(ov_vec2 a, ov_vec2 b) { return a.x * b.y - a.y * b.x; }
static ov_vec2 sub2(ov_vec2 a, ov_vec2 b) { return (ov_vec2){a.x - b.x, a.y - b.y}; }
static double length2(ov_vec2 a) { return sqrt(a.x * a.x + a.y * a.y); }

static ray_triangle ray_triangle_of(const ray *r, uint32_t triangle) {
    ray_triangle v;
    ovi_trimesh_corners(r->mesh, triangle, v.corners);
    for (int i = 0; i < 3; i++) {
        ov_vec3 d = ov_vec3_sub(v.corners[i], r->o);
        v.p[i] = (ov_vec2){ov_vec3_dot(d, r->axes.cy), ov_vec3_dot(d, r->axes.cz)};
        v.along[i] = ov_vec3_dot(d, r->u);
    }
    v.area = cross2(sub2(v.p[1], v.p[0]), sub2(v.p[2], v.p[0]));
    return v;
}

/* ---- one triangle */

/** Is the origin beside the triangle, by more than the margin, along n or against it? */
static bool is_beside(const ray_triangle *v, ov_vec2 n, double margin) {
    double length = length2(n), lo = INFINITY, hi = -INFINITY;
    if (!(length > 1e-150)) {
        return false; // no direction: its square has underflowed
    }
    for (int i = 0; i < 3; i++) {
        double d = n.x * v->p[i].x + n.y * v->p[i].y;
        lo = d < lo ? d : lo;
        hi = d > hi ? d : hi;
    }
    return lo > margin * length || hi < -margin * length;
}

static bool is_missed(const ray_triangle *v, double margin) {
    ov_vec2 nearest = v->p[0];
    for (int i = 0; i < 3; i++) {
        ov_vec2 edge = sub2(v->p[(i + 1) % 3], v->p[i]);
        if (is_beside(v, (ov_vec2){-edge.y, edge.x}, margin)) {
            return true;
        }
        nearest = length2(v->p[i]) < length2(nearest) ? v->p[i] : nearest;
    }
    // off the tip of a sliver
    return is_beside(v, nearest, margin);
}

/** Is the origin inside all edges by more than the margin? */
static bool is_inside(const ray_triangle *v, double margin) {
    double side = v->area < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 3; i++) {
        ov_vec2 a = v->p[i], b = v->p[(i + 1) % 3];
        if (!(side * cross2(a, b) > margin * length2(sub2(b, a)))) {
            return false;
        }
    }
    return true;
}

/**
 * Where the ray meets the triangle, should it do so. The plane's slope along the ray times the
 * margin is what rounding does to it; a plane is known to some margins over the least height of
 * its triangle, so of slivers only the extent counts, which bounds it always. The slope's own
 * rounding counts by how far the first corner is.
 */
static meeting meeting_of(const ray *r, const ray_triangle *v, uint32_t triangle) {
    double lo = fmin(v->along[0], fmin(v->along[1], v->along[2])) - r->margin;
    double hi = fmax(v->along[0], fmax(v->along[1], v->along[2])) + r->margin;
    ov_vec2 e = sub2(v->p[1], v->p[0]), f = sub2(v->p[2], v->p[0]);
    double de = v->along[1] - v->along[0], df = v->along[2] - v->along[0];
    double longest = fmax(length2(e), fmax(length2(f), length2(sub2(f, e))));
    if (!(fabs(v->area) > 8.0 * r->margin * longest)) {
        return (meeting){lo, hi, 0.5 * (lo + hi), triangle};
    }
    ov_vec2 slope = {(de * f.y - df * e.y) / v->area, (df * e.x - de * f.x) / v->area};
    double at = v->along[0] - slope.x * v->p[0].x - slope.y * v->p[0].y;
    double width = r->margin * (4.0 + 8.0 * length2(slope));
    // of a needle both products above nearly cancel, and so do those of its area
    double products =
        fabs(de) * length2(f) + fabs(df) * length2(e) + length2(slope) * length2(e) * length2(f);
    width += 8.0 * DBL_EPSILON * products / fabs(v->area) * length2(v->p[0]);
    meeting m = {fmax(lo, at - width), fmin(hi, at + width), at, triangle};
    m.best = fmin(fmax(at, m.lower), m.upper);
    return m;
}

/** The first hit is no later than any hit, and no earlier than the least of the lower bounds. */
static void take_hit(search *s, meeting m) {
    double lower = fmin(m.lower, s->hit.lower);
    if (m.upper < s->hit.upper) {
        s->hit = m;
    }
    s->hit.lower = lower;
}

static void keep_undecided(search *s, const meeting *m) {
    if (s->count < UNDECIDED_MAX) {
        s->undecided[s->count++] = *m;
        return;
    }
    s->lost_lower = s->lost ? fmin(s->lost_lower, m->lower) : m->lower;
    s->lost_upper = s->lost ? fmax(s->lost_upper, m->upper) : m->upper;
    s->lost = true;
}

static void look_at(const ray *r, uint32_t triangle, search *s) {
    ray_triangle v = ray_triangle_of(r, triangle);
    if (is_missed(&v, r->margin)) {
        return;
    }
    meeting m = meeting_of(r, &v, triangle);
    if (m.upper < 0.0 || m.lower > r->end || m.lower > s->hit.upper) {
        return;
    }
    bool sure = is_inside(&v, r->margin) && m.lower >= 0.0 && m.upper <= r->end;
    m.lower = fmax(m.lower, 0.0);
    if (sure) {
        take_hit(s, m);
    } else {
        keep_undecided(s, &m);
    }
}

/* ---- the tree */

/** Where the ray enters a box that is wider by the margin, at the latest; infinite where never. */
static double enter(const ray *r, const ov_aabb *box) {
    const double o[3] = {r->o.x, r->o.y, r->o.z}, u[3] = {r->u.x, r->u.y, r->u.z};
    const double lo[3] = {box->min.x, box->min.y, box->min.z};
    const double hi[3] = {box->max.x, box->max.y, box->max.z};
    double first = 0.0, last = r->end;
    for (int i = 0; i < 3; i++) {
        double below = lo[i] - r->margin - o[i], above = hi[i] + r->margin - o[i];
        if (fabs(u[i]) < 1e-18) {
            // what it moves across within any mesh is less than rounding
            if (below > 0.0 || above < 0.0) {
                return INFINITY;
            }
            continue;
        }
        double near = (u[i] > 0.0 ? below : above) / u[i],
               far = (u[i] > 0.0 ? above : below) / u[i];
        first = near > first ? near : first;
        last = far < last ? far : last;
    }
    return first <= last ? first : INFINITY;
}

static void descend(const ray *r, search *s) {
    struct item {
        uint32_t node;
        double first;
    } stack[OVI_BVH_DEPTH + 2];
    const ovi_trimesh_node *nodes = r->mesh->nodes;
    int top = 0;
    stack[top++] = (struct item){0, enter(r, &nodes[0].box)};
    while (top > 0) {
        struct item at = stack[--top];
        const ovi_trimesh_node *node = &nodes[at.node];
        if (isinf(at.first) || at.first > s->hit.lower) {
            continue;
        }
        for (uint32_t i = 0; i < node->count; i++) {
            look_at(r, r->mesh->order[node->first + i], s);
        }
        if (node->count == 0) {
            struct item left = {at.node + 1, enter(r, &nodes[at.node + 1].box)};
            struct item right = {node->first, enter(r, &nodes[node->first].box)};
            bool left_first = left.first <= right.first;
            stack[top++] = left_first ? right : left;
            stack[top++] = left_first ? left : right;
        }
    }
}

/* ---- triangles that only together decide */

typedef struct edge {
    ov_vec3 ends[2];
    ov_vec2 p[2];
    bool near; // the origin is within the margin
    bool odd;  // in an odd number of triangles
} edge;

typedef struct patch {
    edge edges[EDGES_MAX];
    int count;
    meeting all;    // of its triangles together
    double nearest; // lower bound of the triangle that `all` names
} patch;

static bool same_edge(const edge *e, ov_vec3 a, ov_vec3 b) {
    return (ovi_same_point(e->ends[0], a) && ovi_same_point(e->ends[1], b)) ||
           (ovi_same_point(e->ends[0], b) && ovi_same_point(e->ends[1], a));
}

static bool is_near(ov_vec2 a, ov_vec2 b, double margin) {
    ov_vec2 along = sub2(b, a);
    double square = along.x * along.x + along.y * along.y;
    double t = square > 0.0 ? -(a.x * along.x + a.y * along.y) / square : 0.0;
    t = fmin(fmax(t, 0.0), 1.0);
    return !(length2((ov_vec2){a.x + t * along.x, a.y + t * along.y}) > margin);
}

/** Is a triangle connected to the patch by an edge near the ray? */
static bool is_connected(const patch *p, const ray_triangle *v) {
    for (int k = 0; k < p->count; k++) {
        for (int i = 0; i < 3 && p->edges[k].near; i++) {
            if (same_edge(&p->edges[k], v->corners[i], v->corners[(i + 1) % 3])) {
                return true;
            }
        }
    }
    return false;
}

static void patch_add(const ray *r, patch *p, const ray_triangle *v, const meeting *m) {
    for (int i = 0; i < 3; i++) {
        ov_vec3 a = v->corners[i], b = v->corners[(i + 1) % 3];
        int k = 0;
        while (k < p->count && !same_edge(&p->edges[k], a, b)) {
            k++;
        }
        if (k == p->count) {
            ov_vec2 pa = v->p[i], pb = v->p[(i + 1) % 3];
            p->edges[p->count++] =
                (edge){{a, b}, {pa, pb}, is_near(pa, pb, r->margin), ovi_same_point(a, b)};
        }
        p->edges[k].odd = !p->edges[k].odd;
    }
    if (m->lower < p->nearest) {
        p->nearest = m->lower;
        p->all.best = m->best;
        p->all.triangle = m->triangle;
    }
    p->all.lower = fmin(p->all.lower, m->lower);
    p->all.upper = fmax(p->all.upper, m->upper);
}

/** Is the origin in one of the triangles for certain? Crossings of the positive half of x. */
static bool is_covered(const patch *p) {
    bool odd = false;
    for (int k = 0; k < p->count; k++) {
        const edge *e = &p->edges[k];
        if (!e->odd) {
            continue;
        }
        if (e->near) {
            return false;
        }
        ov_vec2 a = e->p[0], b = e->p[1];
        if ((a.y > 0.0) != (b.y > 0.0)) {
            double x = a.x + (b.x - a.x) * (a.y / (a.y - b.y));
            odd = odd != (x > 0.0);
        }
    }
    return odd;
}

/** Takes the patch of an undecided triangle out of the list; whatever is proven goes to the hit. */
static void decide_patch(const ray *r, search *s, bool *taken, int first, meeting *open) {
    patch p = {.count = 0, .all = {INFINITY, -INFINITY, 0.0, 0}, .nearest = INFINITY};
    ray_triangle v = ray_triangle_of(r, s->undecided[first].triangle);
    patch_add(r, &p, &v, &s->undecided[first]);
    taken[first] = true;
    for (bool grown = true; grown;) {
        grown = false;
        for (int i = 0; i < s->count; i++) {
            if (taken[i]) {
                continue;
            }
            v = ray_triangle_of(r, s->undecided[i].triangle);
            if (is_connected(&p, &v)) {
                patch_add(r, &p, &v, &s->undecided[i]);
                taken[i] = grown = true;
            }
        }
    }
    bool whole = p.all.lower > 0.0 && p.all.upper <= r->end;
    if (whole && !s->lost && is_covered(&p)) {
        take_hit(s, p.all);
        return;
    }
    open->lower = fmin(open->lower, p.all.lower);
    open->upper = fmax(open->upper, p.all.upper);
}

/** What no proof was found for: where it may be; empty (lower infinite) if there is nothing. */
static meeting decide(const ray *r, search *s) {
    meeting open = {INFINITY, -INFINITY, 0.0, OV_NO_TRIANGLE};
    bool taken[UNDECIDED_MAX] = {false};
    for (int i = 0; i < s->count; i++) {
        if (!taken[i] && s->undecided[i].lower <= s->hit.upper) {
            decide_patch(r, s, taken, i, &open);
        }
    }
    if (s->lost) {
        open.lower = fmin(open.lower, s->lost_lower);
        open.upper = fmax(open.upper, s->lost_upper);
    }
    return open;
}

/* ---- winding numbers */

/**
 * Adds up the walls that a ray from a point crosses, each by the way that it faces; false where one
 * that is not behind the point is neither crossed nor missed beyond doubt.
 */
static bool add_crossings(const ray *r, int *sum) {
    uint32_t stack[OVI_BVH_DEPTH + 2];
    const ovi_trimesh_node *nodes = r->mesh->nodes;
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
        uint32_t at = stack[--top];
        const ovi_trimesh_node *node = &nodes[at];
        if (isinf(enter(r, &node->box))) {
            continue;
        }
        for (uint32_t i = 0; i < node->count; i++) {
            uint32_t triangle = r->mesh->order[node->first + i];
            ray_triangle v;
            if (!r->mesh->walls[triangle] ||
                is_missed((v = ray_triangle_of(r, triangle), &v), r->margin)) {
                continue;
            }
            meeting m = meeting_of(r, &v, triangle);
            if (m.upper < 0.0) {
                continue;
            }
            if (!(m.lower > 0.0) || !is_inside(&v, r->margin)) {
                return false;
            }
            *sum += v.area > 0.0 ? 1 : -1;
        }
        if (node->count == 0) {
            stack[top++] = node->first;
            stack[top++] = at + 1;
        }
    }
    return true;
}

/**
 * A direction to look out of the box: near the axis of its nearest side, so that few triangles are
 * in the way, and never along it, where the edges of many meshes are. Each attempt has another.
 */
static ov_vec3 direction_out(const ov_aabb *box, ov_vec3 p, int attempt) {
    const double to[6] = {p.x - box->min.x, p.y - box->min.y, p.z - box->min.z,
                          box->max.x - p.x, box->max.y - p.y, box->max.z - p.z};
    int nearest = 0;
    for (int i = 1; i < 6; i++) {
        nearest = to[i] < to[nearest] ? i : nearest;
    }
    nearest = (nearest + attempt / 3) % 6;
    // the tilts are the points of a plane sequence without pattern
    double a = 0.3 + attempt * 0.7548776662466927, b = 0.6 + attempt * 0.5698402909980532;
    double u[3];
    u[nearest % 3] = nearest < 3 ? -1.0 : 1.0;
    u[(nearest + 1) % 3] = 0.9 * (a - floor(a)) - 0.5;
    u[(nearest + 2) % 3] = 0.9 * (b - floor(b)) - 0.5;
    return ov_vec3_normalize(ov_vec3_make(u[0], u[1], u[2]));
}

/** How often the closed shells wind round a point that is known up to `error`; false where the
 * point is too near to them to tell. */
static bool winding_of(const ov_trimesh *mesh, ov_vec3 point, double error, int *winding) {
    enum { ATTEMPTS = 18 };
    const ov_aabb *box = &mesh->nodes[0].box;
    double lengths = ov_vec3_length(point) + ov_vec3_length(box->min) + ov_vec3_length(box->max);
    ray r = {.mesh = mesh, .o = point, .end = INFINITY};
    // a ray has no direction to be kept to, and the point is as good as its error
    r.margin = 2.0 * error + 64.0 * DBL_EPSILON * lengths;
    for (int i = 0; i < ATTEMPTS; i++) {
        r.u = direction_out(box, point, i);
        r.axes = ov_mat3_householder(r.u);
        *winding = 0;
        if (add_crossings(&r, winding)) {
            return true;
        }
    }
    return false;
}

ovi_side ovi_trimesh_side(const ov_trimesh *mesh, ov_vec3 p, double error) {
    const ov_aabb *box = &mesh->nodes[0].box;
    if (mesh->walls == NULL || p.x < box->min.x - error || p.y < box->min.y - error ||
        p.z < box->min.z - error || p.x > box->max.x + error || p.y > box->max.y + error ||
        p.z > box->max.z + error) {
        return OVI_OUTSIDE;
    }
    int winding;
    if (!winding_of(mesh, p, error, &winding)) {
        return OVI_UNSURE;
    }
    return winding != 0 ? OVI_INSIDE : OVI_OUTSIDE;
}

/* ---- the query */

static ov_status make_ray(const ov_trimesh *mesh, ov_pose pose, ov_vec3 origin, ov_vec3 direction,
                          double reach, ray *r, ov_mat3 *rotation) {
    ovi_ray placed;
    if (mesh == NULL) {
        return OV_ERROR_NULL;
    }
    const ov_shape proxy = ovi_trimesh_proxy(mesh);
    ov_status status = ovi_ray_place(&proxy, pose, origin, direction, reach, &placed);
    if (status != OV_OK) {
        return status;
    }
    *rotation = placed.frame.turn;
    *r = (ray){.mesh = mesh, .o = placed.o, .u = placed.u, .end = reach, .goal = placed.goal};
    r->axes = ov_mat3_householder(r->u);
    // the ray's own direction is off by an ulp of the way, which ends behind the mesh
    r->margin = 2.0 * placed.rounding;
    r->goal += 16.0 * r->margin;
    return OV_OK;
}

/** The triangle's normal, against the ray; against it altogether where there is none. */
static ov_vec3 normal_of(const ray *r, uint32_t triangle) {
    ov_vec3 c[3];
    ovi_trimesh_corners(r->mesh, triangle, c);
    ov_vec3 n = ov_vec3_cross(ov_vec3_sub(c[1], c[0]), ov_vec3_sub(c[2], c[0]));
    n = ov_vec3_normalize(n);
    if (!ovi_is_direction(n)) {
        return ov_vec3_neg(r->u);
    }
    return ov_vec3_dot(n, r->u) > 0.0 ? ov_vec3_neg(n) : n;
}

ov_status ov_trimesh_ray_cast(const ov_trimesh *mesh, ov_pose pose, ov_vec3 origin,
                              ov_vec3 direction, double reach, ov_ray_hit *hit,
                              uint32_t *triangle) {
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_trimesh_ray_cast(mesh, pose, origin, direction, reach, hit, triangle));
    if (hit == NULL) {
        return OV_ERROR_NULL;
    }
    *hit = ovi_ray_hit_none(NAN);
    if (triangle != NULL) {
        *triangle = OV_NO_TRIANGLE;
    }
    ray r;
    ov_mat3 rotation;
    ov_status status = make_ray(mesh, pose, origin, direction, reach, &r, &rotation);
    if (status != OV_OK) {
        return status;
    }
    ovi_side side = ovi_trimesh_side(mesh, r.o, r.margin);
    if (side == OVI_INSIDE) {
        *hit = (ov_ray_hit){true, 0.0, 0.0, 0.0, origin, ov_vec3_neg(ov_vec3_normalize(direction))};
        return OV_OK;
    }
    *hit = ovi_ray_hit_none(INFINITY);
    search s = {.hit = {INFINITY, INFINITY, INFINITY, OV_NO_TRIANGLE}};
    descend(&r, &s);
    meeting open = decide(&r, &s);
    if (side == OVI_UNSURE) {
        open.lower = 0.0;
        open.upper = fmax(open.upper, 0.0);
    }
    hit->hit = isfinite(s.hit.upper);
    if (!hit->hit) {
        hit->distance_lower = open.lower;
        hit->distance_upper = isinf(open.lower) ? INFINITY : fmin(open.upper, r.end);
        return isinf(open.lower) ? OV_OK : OV_NOT_CONVERGED;
    }
    hit->distance_lower = fmin(s.hit.lower, open.lower);
    hit->distance_upper = s.hit.upper;
    hit->distance = s.hit.best;
    hit->point = ov_vec3_add_scaled(origin, ov_vec3_normalize(direction), hit->distance);
    hit->normal = ov_mat3_mul_vec3(&rotation, normal_of(&r, s.hit.triangle));
    if (triangle != NULL) {
        *triangle = s.hit.triangle;
    }
    return hit->distance_upper - hit->distance_lower <= r.goal ? OV_OK : OV_NOT_CONVERGED;
}
