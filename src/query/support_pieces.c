/**
 * @file support_pieces.c
 * @brief Newton's method on the smooth pieces of two bodies: the last digits of a normal that GJK
 * or EPA would come to only slowly.
 *
 * The support function of a body is the largest of some smooth ones, its pieces: the corners of a
 * box or polyhedron and the ends of a capsule (fixed points), the two rims of a cylinder, the tip
 * and the rim of a cone, all of an ellipsoid or superquadric. An edge, a face or the side of a
 * cylinder is where two or three of them are equal. So the Minkowski difference has pieces w_i(n),
 * one for each piece of A with each of B, and the points of the simplex that GJK ends with tell
 * which of them are active. With their shares s_i the nearest point is, for a unit n and the gap g,
 *
 *     1. sum s_i w_i(n) = g n,   sum s_i = 1,   n.w_i(n) = g for all i
 *     2. w_i moves by -K_i d where n turns by d, K_i the Hessian of the two support functions (the
 *        radii of curvature); n.K_i = 0, so n.w_i changes by d.w_i
 *     3. with K = sum s_i K_i and all vectors seen across n, a step of Newton's method is
 *            (K + g) d - sum_{i>1} c_i (w_i - w_1) = sum s_i w_i
 *            (w_i - w_1).d = -n.(w_i - w_1)      for all i > 1
 *        with c_i the changes of the shares: two unknowns for one piece, four for three
 *
 * A point over the disc at the end of a cylinder, or below a cone, is nearest to it along the axis,
 * where the support function of the rim has no Hessian; that is tried directly.
 *
 * Nothing here is proof: the caller evaluates the supports along the normal that comes out, and the
 * points are combinations of points of the bodies.
 */
#include "support_solver.h"

enum { STEPS = 8, STEPS_ROUND = 20, PIECES_MAX = OVI_PIECES_MAX };

/** A smooth piece of one body's support function. */
typedef struct piece {
    bool curved;     /**< it has the curved point of its body */
    uint32_t number; /**< for warm starts: of a core's vertex, or which of the curved pieces */
    double z;        /**< height of a rim, in the body's frame */
    ov_vec3 point;   /**< in A's frame: where it is, or from the curved point to it */
} piece;

/** Piece of the difference, and what it is at the normal at hand. */
typedef struct active {
    piece a, b;
    double share;
    ov_vec3 at_a, at_b; /**< points of the bodies, in A's frame */
    double u, v, n;     /**< b - a in the frame of the normal, scaled */
    double uu, uv, vv;  /**< Hessian, scaled */
} active;

/** The normal with two unit vectors across it. */
typedef struct normal_frame {
    ov_vec3 n, u, v;
} normal_frame;

/** [Duff et al. 2017] */
static normal_frame frame_of(ov_vec3 n) {
    double sign = n.z < 0.0 ? -1.0 : 1.0, s = -1.0 / (sign + n.z), t = n.x * n.y * s;
    return (normal_frame){
        n, {1.0 + sign * n.x * n.x * s, sign * t, -sign * n.x}, {t, sign + n.y * n.y * s, -n.y}};
}

/* ---- pieces of one body */

static bool has_rims(const ov_shape *s) {
    return s->kind == OV_SHAPE_KIND_CYLINDER || s->kind == OV_SHAPE_KIND_CONE;
}

static bool is_smooth(const ov_shape *s) {
    return ovi_is_family(s->kind) && s->kind != OV_SHAPE_KIND_SPHERE;
}

/** One of the curved pieces, or the tip of a cone: 1 is the upper one, 2 the lower one. */
static piece numbered_piece(const ovi_pair *pair, bool of_b, uint32_t number) {
    const ov_shape *s = of_b ? pair->b : pair->a;
    piece q = {.curved = true, .number = number, .point = {0.0, 0.0, 0.0}};
    if (has_rims(s)) {
        q.z = number == 1 ? s->a.z : -s->a.z;
        q.point = of_b ? ov_vec3_scale(pair->turn.cz, q.z) : ov_vec3_make(0.0, 0.0, q.z);
        q.curved = s->kind == OV_SHAPE_KIND_CYLINDER || number == 2;
        q.point = of_b && !q.curved ? ov_vec3_add(q.point, pair->offset) : q.point;
    }
    return q;
}

/**
 * Which piece a support point of a core belongs to. It is a point of the side of a cylinder or cone
 * where the normal is just across that: then two pieces. Returns their number.
 */
static int pieces_of(const ovi_pair *pair, bool of_b, ov_vec3 point, uint32_t number,
                     piece out[2]) {
    const ov_shape *s = of_b ? pair->b : pair->a;
    if (has_rims(s)) {
        double z = of_b ? ov_vec3_dot(pair->turn.cz, ov_vec3_sub(point, pair->offset)) : point.z;
        bool between = fabs(z) < 0.5 * s->a.z;
        out[0] = numbered_piece(pair, of_b, z > 0.0 || between ? 1 : 2);
        out[1] = numbered_piece(pair, of_b, 2);
        return between ? 2 : 1;
    }
    out[0] = is_smooth(s) ? numbered_piece(pair, of_b, 1)
                          : (piece){.number = number & OVI_TIED ? 0 : number, .point = point};
    return 1;
}

static bool is_same(const piece *a, const piece *b) {
    return a->curved == b->curved && a->point.x == b->point.x && a->point.y == b->point.y &&
           a->point.z == b->point.z;
}

/** Curved point of a body along a normal, with the Hessian of its support function, scaled. A
 *  rim's is at the height zero. */
typedef struct curve {
    ov_vec3 point;
    double uu, uv, vv;
} curve;

static bool rim_at(const ov_shape *s, const normal_frame *f, double scale, curve *c) {
    ov_vec3 n = f->n, u = f->u, v = f->v;
    double square = n.x * n.x + n.y * n.y;
    if (!(square > 1e-20)) {
        return false;
    }
    double inverse = 1.0 / sqrt(square), x = n.x * inverse, y = n.y * inverse;
    double k = s->a.x * scale * inverse, tu = u.y * x - u.x * y, tv = v.y * x - v.x * y;
    *c = (curve){{s->a.x * x, s->a.x * y, 0.0}, k * tu * tu, k * tu * tv, k * tv * tv};
    return true;
}

/** h = |D n|, its gradient D^2 n/h, its Hessian (D^2 - p p^T)/h. */
static bool ellipsoid_at(const ov_shape *s, const normal_frame *f, double scale, curve *c) {
    ov_vec3 d = ov_vec3_scale(s->a, scale);
    ov_vec3 dn = ov_vec3_mul(d, f->n), du = ov_vec3_mul(d, f->u), dv = ov_vec3_mul(d, f->v);
    double h = sqrt(ov_vec3_dot(dn, dn));
    if (!(h > 1e-100)) {
        return false;
    }
    double inverse = 1.0 / h;
    ov_vec3 t = ov_vec3_scale(dn, inverse);
    double pu = ov_vec3_dot(t, du), pv = ov_vec3_dot(t, dv);
    *c = (curve){ov_vec3_mul(s->a, t), (ov_vec3_dot(du, du) - pu * pu) * inverse,
                 (ov_vec3_dot(du, dv) - pu * pv) * inverse,
                 (ov_vec3_dot(dv, dv) - pv * pv) * inverse};
    return true;
}

/** A point of a superquadric, its normal, two unit vectors across that or nearly so, and the
 * Hessian along them, as a length: what the point of another normal is near to. */
typedef struct place {
    bool known;
    ov_vec3 point, normal, u, v;
    double uu, uv, vv;
} place;

/** Of a turn of the normal by (du, dv). */
static ov_vec3 follow_turn(const place *q, double du, double dv) {
    ov_vec3 p = ov_vec3_add_scaled(q->point, q->u, q->uu * du + q->uv * dv);
    return ov_vec3_add_scaled(p, q->v, q->uv * du + q->vv * dv);
}

/**
 * A place at a point near the surface. The Hessian of a support function is the inverse of that of
 * the gauge G over the slope of G, both across the normal. False where the surface is flat, where G
 * has no second derivative, or the point is too far from the surface or from where the normal is.
 */
static bool set_place(const ov_shape *s, const normal_frame *f, ov_vec3 p, place *q) {
    ov_field g;
    if (ovi_family_gauge(s, p, &g) != OV_OK) {
        return false;
    }
    ov_vec3 hu = ov_mat3_mul_vec3(&g.hessian, f->u), hv = ov_mat3_mul_vec3(&g.hessian, f->v);
    double uu = ov_vec3_dot(f->u, hu), uv = ov_vec3_dot(f->u, hv), vv = ov_vec3_dot(f->v, hv);
    double square = ov_vec3_dot(g.gradient, g.gradient), slope = sqrt(square);
    double det = uu * vv - uv * uv, k = slope / det, most = 1e9 * s->ball.radius;
    *q = (place){.known = true, .u = f->u, .v = f->v, .uu = k * vv, .uv = -k * uv, .vv = k * uu};
    q->point = ov_vec3_add_scaled(p, g.gradient, (1.0 - g.value) / square);
    q->normal = ov_vec3_scale(g.gradient, 1.0 / slope);
    return uu > 0.0 && det > 0.0 && q->uu < most && q->vv < most && fabs(g.value - 1.0) < 0.02 &&
           ov_vec3_dot(q->normal, f->n) > 0.99;
}

/**
 * The support point costs more than all else. So from the second normal on it is followed instead:
 * from a place whose normal is off by d = (du, dv), the point along n is K d aside, and d.K d/2
 * above it; what that leaves out is of the third order, as the steps of Newton's method leave out
 * the second. Where `exact`, and where the last place is too far, the support point itself.
 */
static bool superquadric_at(const ov_shape *s, const normal_frame *f, double scale, bool exact,
                            place *last, curve *c) {
    if (exact) {
        *c = (curve){.point = ovi_family_support(s, f->n).point};
        return true;
    }
    place q = {.known = false};
    if (last->known) {
        ov_vec3 turn = ov_vec3_sub(f->n, last->normal);
        ov_vec3 p = follow_turn(last, ov_vec3_dot(turn, last->u), ov_vec3_dot(turn, last->v));
        q.known = set_place(s, f, p, &q);
    }
    if (!q.known && !set_place(s, f, ovi_family_support(s, f->n).point, &q)) {
        return false;
    }
    double du = -ov_vec3_dot(q.normal, f->u), dv = -ov_vec3_dot(q.normal, f->v);
    double above = 0.5 * (q.uu * du * du + 2.0 * q.uv * du * dv + q.vv * dv * dv);
    c->point = ov_vec3_add_scaled(follow_turn(&q, du, dv), f->n, above);
    c->uu = scale * q.uu;
    c->uv = scale * q.uv;
    c->vv = scale * q.vv;
    *last = q;
    return true;
}

/* ---- pieces of the difference */

/** In the body's frame. */
static bool curve_at(const ov_shape *s, const normal_frame *f, double scale, bool exact,
                     place *last, curve *c) {
    return has_rims(s)                          ? rim_at(s, f, scale, c)
           : s->kind == OV_SHAPE_KIND_ELLIPSOID ? ellipsoid_at(s, f, scale, c)
                                                : superquadric_at(s, f, scale, exact, last, c);
}

typedef struct equations {
    const ovi_minkowski *core;
    active p[PIECES_MAX];
    int count;
    bool curved_a, curved_b; /**< some piece has the curved point of A, of B */
    place on_a, on_b;        /**< of superquadrics, at the last normal */
} equations;

/** No pieces yet; they are written before they are read. */
static void start(equations *y, const ovi_minkowski *core) {
    y->core = core;
    y->count = 0;
    y->curved_a = y->curved_b = false;
    y->on_a.known = y->on_b.known = false;
}

/** Adds a piece of the difference, or its share to that of the same one; false where there are too
 *  many. */
static bool add_piece(equations *y, const piece *a, const piece *b, double share) {
    for (int k = 0; k < y->count; k++) {
        if (is_same(&y->p[k].a, a) && is_same(&y->p[k].b, b)) {
            y->p[k].share += share;
            return true;
        }
    }
    if (y->count == PIECES_MAX) {
        return false;
    }
    active *p = &y->p[y->count++];
    p->a = *a;
    p->b = *b;
    p->share = share;
    y->curved_a = y->curved_a || a->curved;
    y->curved_b = y->curved_b || b->curved;
    return true;
}

/** Pieces that the points of a simplex belong to; false where they are too many. */
static bool find_pieces(equations *y, const ovi_vertex *vertex, const double *share, int count) {
    const ovi_pair *pair = y->core->pair;
    for (int i = 0; i < count; i++) {
        piece a[2], b[2];
        int count_a = pieces_of(pair, false, vertex[i].a, vertex[i].number_a, a);
        int count_b = pieces_of(pair, true, vertex[i].b, vertex[i].number_b, b);
        if (count_a == 2 && count_b == 2) {
            // side on side: of the four, two that are opposite have the same mean; the farther ones
            bool alike = pair->turn.cz.z > 0.0;
            if (!add_piece(y, &a[0], &b[alike ? 1 : 0], 0.5 * share[i]) ||
                !add_piece(y, &a[1], &b[alike ? 0 : 1], 0.5 * share[i])) {
                return false;
            }
            continue;
        }
        double part = share[i] / (count_a * count_b);
        for (int k = 0; k < count_a * count_b; k++) {
            if (!add_piece(y, &a[k % count_a], &b[k / count_a], part)) {
                return false;
            }
        }
    }
    return true;
}

/** All pieces at a normal; `exact`: with points of the bodies, not only near them. */
static bool evaluate(equations *y, const normal_frame *f, bool exact) {
    const ovi_pair *pair = y->core->pair;
    double scale = y->core->scale;
    curve a = {.uu = 0.0}, b = a;
    if (y->curved_a && !curve_at(pair->a, f, scale, exact, &y->on_a, &a)) {
        return false;
    }
    if (y->curved_b) {
        normal_frame f_b = {ov_vec3_neg(ovi_to_b(pair, f->n)), ovi_to_b(pair, f->u),
                            ovi_to_b(pair, f->v)};
        if (!curve_at(pair->b, &f_b, scale, exact, &y->on_b, &b)) {
            return false;
        }
        b.point = ovi_from_b(pair, b.point);
    }
    for (int i = 0; i < y->count; i++) {
        active *p = &y->p[i];
        bool on_a = p->a.curved, on_b = p->b.curved;
        p->at_a = on_a ? ov_vec3_add(p->a.point, a.point) : p->a.point;
        p->at_b = on_b ? ov_vec3_add(p->b.point, b.point) : p->b.point;
        p->uu = (on_a ? a.uu : 0.0) + (on_b ? b.uu : 0.0);
        p->uv = (on_a ? a.uv : 0.0) + (on_b ? b.uv : 0.0);
        p->vv = (on_a ? a.vv : 0.0) + (on_b ? b.vv : 0.0);
        ov_vec3 w = ov_vec3_scale(ov_vec3_sub(p->at_b, p->at_a), scale);
        p->u = ov_vec3_dot(w, f->u);
        p->v = ov_vec3_dot(w, f->v);
        p->n = ov_vec3_dot(w, f->n);
    }
    return true;
}

/** Mean of the pieces by their shares, and the matrix K + g. */
typedef struct mean {
    double u, v, n;
    double uu, uv, vv;
} mean;

static mean mean_of(const equations *y) {
    mean m = {0};
    for (int i = 0; i < y->count; i++) {
        const active *p = &y->p[i];
        m.u += p->share * p->u;
        m.v += p->share * p->v;
        m.n += p->share * p->n;
        m.uu += p->share * p->uu;
        m.uv += p->share * p->uv;
        m.vv += p->share * p->vv;
    }
    m.uu += m.n;
    m.vv += m.n;
    return m;
}

/** A turn of the normal, and changes of the shares but the first. */
typedef struct turn {
    double u, v, change[PIECES_MAX];
    bool round; /**< far along a ring of nearly equal depths, or away from the greatest of them */
} turn;

/* Depths along which the normal can turn freely, as about the axis of two cones that share it: the
   matrix is next to zero there, or below that on half of the ring. The turn along the ring goes
   towards lesser depths, and not too far at once. Where the matrix is zero, up to the part `flat`,
   and so is what there is to turn by, up to `still`, the turn is zero. */

static const double flat = 1e-9, still = 1e-11, weak = 0.05, longest_turn = 0.25;

/**
 * The same along a unit vector: the matrix is `along` there, and of size `whole`, `rest` is left to
 * turn by. False where the depth is a greatest one, or the bodies are apart or nearly so.
 */
static bool turn_round(double along, double rest, double whole, const mean *m, double *by,
                       turn *t) {
    if (fabs(along) <= flat * whole && fabs(rest) <= still) {
        *by = 0.0;
        return true;
    }
    double most = longest_turn * fabs(along);
    *by = fabs(rest) < most ? rest / fabs(along) : copysign(longest_turn, rest);
    t->round = true;
    return fabs(along) <= weak * whole && m->n < -weak;
}

/** One piece; the matrix is positive at a least distance or depth. */
static bool solve_one(const mean *m, turn *t) {
    double det = m->uu * m->vv - m->uv * m->uv, trace = m->uu + m->vv;
    if (det > 0.0 && trace > 0.0) {
        t->u = (m->vv * m->u - m->uv * m->v) / det;
        t->v = (m->uu * m->v - m->uv * m->u) / det;
        if (t->u * t->u + t->v * t->v <= longest_turn * longest_turn || m->n > -weak) {
            return true;
        }
    }
    // along its axes: the larger is half the trace and half this
    double spread = sqrt((m->uu - m->vv) * (m->uu - m->vv) + 4.0 * m->uv * m->uv);
    double large = 0.5 * (trace + spread);
    double eu = m->uu > m->vv ? large - m->vv : m->uv, ev = m->uu > m->vv ? m->uv : large - m->uu;
    double length = sqrt(eu * eu + ev * ev);
    if (!(large > 0.0 && length > 0.0)) {
        return false;
    }
    eu /= length;
    ev /= length;
    double by = (eu * m->u + ev * m->v) / large, across;
    if (!turn_round(det / large, eu * m->v - ev * m->u, large, m, &across, t)) {
        return false;
    }
    t->u = by * eu - across * ev;
    t->v = by * ev + across * eu;
    return true;
}

/** Two pieces: along their difference e the turn is given, across it Newton's method is left. */
static bool solve_two(const equations *y, const mean *m, turn *t) {
    const active *p = y->p;
    double eu = p[1].u - p[0].u, ev = p[1].v - p[0].v, square = eu * eu + ev * ev;
    if (!(square > 1e-20)) {
        return false;
    }
    double across = ev * ev * m->uu - 2.0 * eu * ev * m->uv + eu * eu * m->vv; // of (-ev, eu)
    double alpha = -(p[1].n - p[0].n) / square, au = alpha * eu, av = alpha * ev;
    double ru = m->u - (m->uu * au + m->uv * av), rv = m->v - (m->uv * au + m->vv * av);
    double rest = eu * rv - ev * ru, beta = rest / across;
    if (!(across > 0.0) || (beta * beta * square > longest_turn * longest_turn && m->n < -weak)) {
        double length = sqrt(square), whole = fabs(m->uu) + fabs(m->vv);
        if (!turn_round(across / square, rest / length, whole, m, &beta, t)) {
            return false;
        }
        beta /= length;
    }
    t->u = au - beta * ev;
    t->v = av + beta * eu;
    double left_u = m->uu * t->u + m->uv * t->v - m->u, left_v = m->uv * t->u + m->vv * t->v - m->v;
    t->change[1] = (eu * left_u + ev * left_v) / square;
    return true;
}

/** Three pieces: their differences give the turn, and then the shares. */
static bool solve_three(const equations *y, const mean *m, turn *t) {
    const active *p = y->p;
    double eu = p[1].u - p[0].u, ev = p[1].v - p[0].v, fu = p[2].u - p[0].u, fv = p[2].v - p[0].v;
    double e = -(p[1].n - p[0].n), f = -(p[2].n - p[0].n), det = eu * fv - ev * fu;
    double square = (eu * eu + ev * ev) * (fu * fu + fv * fv);
    if (!(det * det > 1e-12 * square)) {
        return false;
    }
    t->u = (e * fv - ev * f) / det;
    t->v = (eu * f - e * fu) / det;
    double left_u = m->uu * t->u + m->uv * t->v - m->u, left_v = m->uv * t->u + m->vv * t->v - m->v;
    t->change[1] = (left_u * fv - fu * left_v) / det;
    t->change[2] = (eu * left_v - left_u * ev) / det;
    return true;
}

static bool solve(const equations *y, const mean *m, turn *t) {
    return y->count == 1   ? solve_one(m, t)
           : y->count == 2 ? solve_two(y, m, t)
                           : solve_three(y, m, t);
}

/** Takes off the piece with the least share, where that is below zero. */
static bool drop_negative(equations *y) {
    int least = 0;
    for (int i = 1; i < y->count; i++) {
        least = y->p[i].share < y->p[least].share ? i : least;
    }
    if (y->count == 1 || y->p[least].share >= 0.0) {
        return false;
    }
    y->p[least] = y->p[--y->count];
    double sum = 0.0;
    for (int i = 0; i < y->count; i++) {
        y->p[i].share = y->p[i].share > 0.0 ? y->p[i].share : 0.0;
        sum += y->p[i].share;
    }
    for (int i = 0; i < y->count; i++) {
        y->p[i].share = sum > 0.0 ? y->p[i].share / sum : 1.0 / y->count;
    }
    return true;
}

static void set_points(const equations *y, ovi_touch *end) {
    end->a = end->b = ov_vec3_make(0.0, 0.0, 0.0);
    for (int i = 0; i < y->count; i++) {
        end->a = ov_vec3_add_scaled(end->a, y->p[i].at_a, y->p[i].share);
        end->b = ov_vec3_add_scaled(end->b, y->p[i].at_b, y->p[i].share);
    }
}

static bool iterate(equations *y, ov_vec3 n, ovi_touch *end) {
    double last = INFINITY;
    for (int step = 0, end_step = STEPS; step < end_step; step++) {
        normal_frame f = frame_of(n);
        turn t = {.u = 0.0};
        if (!evaluate(y, &f, false)) {
            return false;
        }
        mean m = mean_of(y);
        if (!solve(y, &m, &t)) {
            return false;
        }
        double size = t.u * t.u + t.v * t.v, moved = 0.0;
        for (int i = 1; i < y->count; i++) {
            y->p[i].share += t.change[i];
            y->p[0].share -= t.change[i];
            moved += fabs(t.change[i]);
        }
        // far from the end, or not getting closer
        if (!(size < 1.0) || !(size < last)) {
            return false;
        }
        last = step < 2 || t.round ? 1.0 : 0.25 * size;
        end_step = t.round ? STEPS_ROUND : end_step;
        n = ov_vec3_add_scaled(ov_vec3_add_scaled(n, f.u, t.u), f.v, t.v);
        n = ov_vec3_scale(n, 1.0 / sqrt(ov_vec3_dot(n, n)));
        // the next step would be the square of this one
        if (!drop_negative(y) && size <= 1e-10 && moved < 1e-5 && !t.round) {
            f = frame_of(n);
            end->n = n;
            bool good = evaluate(y, &f, true);
            set_points(y, end);
            return good;
        }
    }
    return false;
}

/* ---- flat ends */

/** Do all pieces have the first one's piece of A, or of B? */
static bool have_one_piece(const equations *y, bool of_b) {
    for (int i = 1; i < y->count; i++) {
        const active *p = &y->p[i], *q = &y->p[0];
        if (!is_same(of_b ? &p->b : &p->a, of_b ? &q->b : &q->a)) {
            return false;
        }
    }
    return true;
}

/**
 * The mean of the simplex' points is well inside the disc at the end of one body, and the normal
 * not far from its axis, or all but the axis: then it is the axis, and the point of the other body
 * has its foot in the disc.
 */
static bool try_flat_end(equations *y, bool of_b, ov_vec3 n, ovi_touch *end) {
    const ovi_pair *pair = y->core->pair;
    const ov_shape *s = of_b ? pair->b : pair->a;
    const piece *rim = of_b ? &y->p[0].b : &y->p[0].a;
    if (!rim->curved || !has_rims(s) || !have_one_piece(y, of_b)) {
        return false;
    }
    ov_vec3 out = ov_vec3_make(0.0, 0.0, rim->z < 0.0 ? -1.0 : 1.0);
    ov_vec3 axis = of_b ? ov_vec3_neg(ovi_turn_from_b(pair, out)) : out;
    ov_vec3 mean = of_b ? ovi_to_b(pair, ov_vec3_sub(end->b, pair->offset)) : end->a;
    double radius2 = s->a.x * s->a.x, square = mean.x * mean.x + mean.y * mean.y;
    double cosine = ov_vec3_dot(axis, n);
    if (cosine < 0.8 || (square > 0.9 * radius2 && cosine < 0.999)) {
        return false;
    }
    end->n = of_b ? ov_vec3_normalize(axis) : axis;
    ov_vec3 *other = of_b ? &end->a : &end->b;
    bool curved = of_b ? y->p[0].a.curved : y->p[0].b.curved;
    if (curved && have_one_piece(y, !of_b)) {
        ov_support at; // curved pieces have no skin
        ov_vec3 d = of_b ? end->n : ov_vec3_neg(ovi_to_b(pair, end->n));
        if (ovi_support_point(of_b ? pair->a : pair->b, d, &at) != OV_OK) {
            return false;
        }
        *other = of_b ? at.point : ovi_from_b(pair, at.point);
    }
    ov_vec3 foot = of_b ? ovi_to_b(pair, ov_vec3_sub(*other, pair->offset)) : *other;
    if (foot.x * foot.x + foot.y * foot.y > radius2) {
        return false;
    }
    foot.z = rim->z;
    *(of_b ? &end->b : &end->a) = of_b ? ovi_from_b(pair, foot) : foot;
    return true;
}

/** Kinds that pieces_of() knows; `curved` where some piece is more than a point. */
static bool is_known(const ov_shape *s, bool *curved) {
    bool round = is_smooth(s) || has_rims(s);
    *curved = *curved || round;
    return round || s->kind == OV_SHAPE_KIND_SPHERE || s->kind == OV_SHAPE_KIND_CAPSULE ||
           ovi_has_vertices(s->kind);
}

bool ovi_has_pieces(const ovi_pair *pair) {
    bool curved = false, a = is_known(pair->a, &curved), b = is_known(pair->b, &curved);
    return a && b && curved && !(ovi_is_family(pair->a->kind) && ovi_is_family(pair->b->kind));
}

/** Newton's method, or the end of a rim; `end` has points that are roughly right. */
static bool find_end(equations *y, ov_vec3 n, ovi_touch *end) {
    bool found =
        try_flat_end(y, false, n, end) || try_flat_end(y, true, n, end) || iterate(y, n, end);
    for (int i = 0; i < PIECES_MAX; i++) {
        end->number_a[i] = found && i < y->count ? y->p[i].a.number : 0;
        end->number_b[i] = found && i < y->count ? y->p[i].b.number : 0;
    }
    return found;
}

bool ovi_newton_on_pieces(const ovi_minkowski *core, const ovi_vertex *vertex, const double *share,
                          int count, ov_vec3 n, ovi_touch *end) {
    equations y;
    start(&y, core);
    if (!find_pieces(&y, vertex, share, count)) {
        return false;
    }
    end->a = end->b = ov_vec3_make(0.0, 0.0, 0.0);
    for (int i = 0; i < count; i++) {
        end->a = ov_vec3_add_scaled(end->a, vertex[i].a, share[i]);
        end->b = ov_vec3_add_scaled(end->b, vertex[i].b, share[i]);
    }
    return find_end(&y, n, end);
}

/** A piece by the number that it was remembered by; false where there is none. */
static bool recall_piece(const ovi_pair *pair, bool of_b, double number, piece *out) {
    const ov_shape *s = of_b ? pair->b : pair->a;
    if (has_rims(s) || is_smooth(s)) {
        *out = numbered_piece(pair, of_b, number == 1.0 ? 1 : 2);
        return number == 1.0 || (number == 2.0 && has_rims(s));
    }
    ov_vec3 point;
    if (!ovi_core_vertex(s, number, &point)) {
        return false;
    }
    *out = (piece){.number = (uint32_t)number, .point = of_b ? ovi_from_b(pair, point) : point};
    return true;
}

bool ovi_newton_recall(const ovi_minkowski *core, const ov_warm_start *warm, ovi_touch *end) {
    const double a[PIECES_MAX] = {warm->a.x, warm->a.y, warm->a.z};
    const double b[PIECES_MAX] = {warm->b.x, warm->b.y, warm->b.z};
    equations y;
    start(&y, core);
    for (int i = 0; i < PIECES_MAX && a[i] > 0.0; i++) {
        piece on_a, on_b;
        if (!recall_piece(core->pair, false, a[i], &on_a) ||
            !recall_piece(core->pair, true, b[i], &on_b)) {
            return false;
        }
        (void)add_piece(&y, &on_a, &on_b, 1.0);
    }
    if (y.count == 0 || !ovi_is_direction(warm->normal)) {
        return false;
    }
    end->a = end->b = ov_vec3_make(0.0, 0.0, 0.0);
    for (int i = 0; i < y.count; i++) {
        // a rim is taken for its middle
        active *p = &y.p[i];
        p->share = 1.0 / y.count;
        end->a = ov_vec3_add_scaled(end->a, p->a.point, p->share);
        ov_vec3 at_b = p->b.curved ? ov_vec3_add(p->b.point, core->pair->offset) : p->b.point;
        end->b = ov_vec3_add_scaled(end->b, at_b, p->share);
    }
    return find_end(&y, warm->normal, end);
}
