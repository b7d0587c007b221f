/**
 * @file pair_normal.h
 * @brief Is a contact's normal that of a surface at a witness point? In long double.
 *
 * Where a surface is smooth, the angle between the two tells. At an edge or a tip it does not: next
 * to one the normal turns by radians over distances that a point in doubles does not know, and on
 * one every normal of a cone is right. So all surface points within `off` of the witness point
 * count, `off` being how well such a point can be known, and all normals between theirs: the
 * generalized gradient of the gauge, widened by `off` [Clarke 1983; Goldstein 1977]. Each normal is
 * projected to the plane across the contact's own; the distance of zero to the hull of them is the
 * tangent of the angle that is left. Where the surface is smooth, that is the plain angle again.
 *
 * On the bridge over a dent the hull of the body has no point of the surface. There the planes are
 * asked: those whose normal is within the angle of the contact's, and how close to the point the
 * nearest of them touches the hull. h(m) - m.p is convex in m, so that is a nested golden section.
 */
#ifndef OVOID_TESTS_PAIR_NORMAL_H
#define OVOID_TESTS_PAIR_NORMAL_H

#include "pair_supports.h"

enum { PN_LEVELS = 7, PN_GRID = PN_LEVELS * PN_LEVELS * PN_LEVELS, PN_POINTS = PN_GRID + 2 };

/** Golden sections of the disc of normals: to 4e-9 of its width. */
enum { PN_GOLDEN = 40 };

/** A normal seen in the plane across another. */
typedef struct pn_flat {
    so_real x, y;
} pn_flat;

/* ---- the hull of normals nearby */

/** Square of the distance of zero to a segment. */
static inline so_real pn_to_segment(pn_flat p, pn_flat q) {
    so_real dx = q.x - p.x, dy = q.y - p.y, dd = dx * dx + dy * dy;
    so_real t = dd > 0.0L ? -(p.x * dx + p.y * dy) / dd : 0.0L;
    t = t < 0.0L ? 0.0L : t > 1.0L ? 1.0L : t;
    so_real x = p.x + t * dx, y = p.y + t * dy;
    return x * x + y * y;
}

static inline int pn_compare(const void *a, const void *b) {
    so_real x = *(const so_real *)a, y = *(const so_real *)b;
    return (x > y) - (x < y);
}

/** Distance of zero to the hull; zero is inside where no two neighbours are a half turn apart. */
static inline so_real pn_to_hull(const pn_flat *p, int count) {
    so_real angle[PN_POINTS + 1], widest = 0.0L, least = (so_real)INFINITY, pi = acosl(-1.0L);
    for (int i = 0; i < count; i++) {
        angle[i] = atan2l(p[i].y, p[i].x);
    }
    qsort(angle, (size_t)count, sizeof angle[0], pn_compare);
    angle[count] = angle[0] + 2.0L * pi;
    for (int i = 0; i < count; i++) {
        widest = fmaxl(widest, angle[i + 1] - angle[i]);
    }
    if (widest < pi) {
        return 0.0L;
    }
    for (int i = 0; i < count; i++) {
        for (int j = i; j < count; j++) {
            so_real square = pn_to_segment(p[i], p[j]);
            least = square < least ? square : least;
        }
    }
    return sqrtl(least);
}

/** The plane across a unit vector. */
typedef struct pn_plane {
    so_vec n, t, u;
} pn_plane;

static inline pn_plane pn_across(so_vec n) {
    so_vec side = fabsl(n.x) < 0.6L ? (so_vec){1.0L, 0.0L, 0.0L} : (so_vec){0.0L, 1.0L, 0.0L};
    so_vec t = po_unit(po_cross(n, side));
    return (pn_plane){n, t, po_cross(n, t)};
}

/** Surface normal at a point, held between the poles. */
static inline so_vec pn_normal_at(const ov_shape *s, so_vec p) {
    p.z = fmaxl(-s->a.z, fminl(s->a.z, p.z));
    so_vec c = so_covector(s, p);
    return po_unit((so_vec){c.x / s->a.x, c.y / s->a.y, c.z / s->a.z});
}

static inline pn_flat pn_seen(const pn_plane *plane, so_vec c) {
    so_real along = so_dot(c, plane->n), x = so_dot(c, plane->t), y = so_dot(c, plane->u);
    if (along > 1e-6L) {
        return (pn_flat){x / along, y / along};
    }
    so_real across = hypotl(x, y); // one that is turned away lies far out
    return across > 0.0L ? (pn_flat){1e6L * x / across, 1e6L * y / across} : (pn_flat){1e6L, 0.0L};
}

/** A coordinate and others that it may have, if it is known to `off`. */
typedef struct pn_levels {
    so_real x[PN_LEVELS];
    int count;
} pn_levels;

/** The last is that of the support point, if it may be; far from the planes of the edges there are
 *  no others of interest. */
static inline pn_levels pn_levels_of(so_real x, so_real other, so_real off) {
    so_real zero = fabsl(x) <= off ? 0.0L : x, small = 1e-5L * off; // to either side of an edge
    so_real last = fabsl(x - other) <= off ? other : x;
    if (fabsl(x) > 1e4L * off) {
        return (pn_levels){{x, last}, 2};
    }
    return (pn_levels){{x, x - off, x + off, zero, zero - small, zero + small, last}, PN_LEVELS};
}

/**
 * Support point. The oracle's search over the height finds that of a tapered body close to a tip by
 * its value only; steps to the slope that it should have bring it to the place.
 */
static inline so_vec pn_support_point(const po_body *body, so_vec n) {
    po_support h = po_local_support(body, n);
    so_profile p = so_profile_of(body->s, n);
    if (!body->tapered || p.p2 <= 1.0L || isinf(p.q1) || (p.u1 == 0.0L && p.u2 == 0.0L)) {
        return h.point;
    }
    so_real f1 = 1.0L + body->s->tx * h.point.z / body->s->a.z;
    so_real f2 = 1.0L + body->s->ty * h.point.z / body->s->a.z;
    so_real r = p.u3 / po_norm(p.u1 * f1, p.u2 * f2, p.q1);
    for (int i = 0; i < 20; i++) {
        r -= po_slope_miss(&p, r);
    }
    po_support at = po_section(body->s, n, po_of_slope(r, p.p2));
    return at.value >= h.value - 1e-18L * body->s->ball.radius ? at.point : h.point;
}

/** The point of the line from a pole towards `end` that is nearest to p; p where it is not near. */
static inline so_vec pn_on_line(so_vec pole, so_vec end, so_vec p, so_real off) {
    so_vec d = po_unit(po_sub(end, pole));
    so_real t = fmaxl(so_dot(po_sub(p, pole), d), 0.1L * off);
    so_vec foot = po_add(pole, po_scale(d, t));
    return so_length(po_sub(foot, p)) <= 2.0L * off ? foot : p;
}

/**
 * Angle between a unit vector n and the normals about a surface point p; where it is no more than
 * `enough` it may be less. Points about p are a grid, which has the planes of the edges, and as far
 * as they are near the coordinates of the support point of n, where the normal is n: its height on
 * a facet, say. Next to a pole that may be a tip, some lie on the lines from there to that support
 * point, and down the flank where the section has the normal of n: those end the cone of the tip.
 */
static inline so_real pn_angle(const po_body *body, so_vec p, so_vec n, so_real off,
                               so_real enough) {
    const ov_shape *s = body->s;
    so_vec h = pn_support_point(body, n), pole = {0.0L, 0.0L, copysignl(s->a.z, p.z)};
    so_vec rim = po_section(s, n, (so_ray){1.0L, copysignl(1.0L, p.z)}).point;
    rim.z = 0.0L; // the straight line down the flank of a tip
    pn_levels x = pn_levels_of(p.x, h.x, off), y = pn_levels_of(p.y, h.y, off);
    pn_levels z = pn_levels_of(p.z, h.z, off);
    // most often this one alone will do
    so_vec shared = {x.x[x.count - 1], y.x[y.count - 1], z.x[z.count - 1]};
    so_real sine = so_sine(pn_normal_at(s, shared), n);
    if (sine <= enough) {
        return sine;
    }
    pn_plane plane = pn_across(n);
    pn_flat seen[PN_POINTS];
    int count = 0, all = x.count * y.count * z.count;
    for (int i = 0; i < all; i++) {
        so_vec at = {x.x[i % x.count], y.x[i / x.count % y.count], z.x[i / x.count / y.count]};
        seen[count++] = pn_seen(&plane, pn_normal_at(s, at));
    }
    seen[count++] = pn_seen(&plane, pn_normal_at(s, pn_on_line(pole, h, p, off)));
    seen[count++] = pn_seen(&plane, pn_normal_at(s, pn_on_line(pole, rim, p, off)));
    return pn_to_hull(seen, count);
}

/* ---- planes that touch the hull of a dented body */

typedef struct pn_probe {
    const po_body *body;
    pn_plane plane;
    so_vec p;
    so_real angle, enough, best;
} pn_probe;

static inline so_real pn_height(pn_probe *b, so_real x, so_real y) {
    so_vec m = po_add(b->plane.n, po_add(po_scale(b->plane.t, x), po_scale(b->plane.u, y)));
    m = po_unit(m);
    so_real height = fabsl(po_local_support(b->body, m).value - so_dot(m, b->p));
    b->best = fminl(b->best, height);
    return height;
}

/** The least height along a chord of the disc of normals. */
static inline so_real pn_along_chord(pn_probe *b, so_real x) {
    const so_real golden = 0.61803398874989484820L;
    so_real hi = sqrtl(fmaxl(0.0L, b->angle * b->angle - x * x)), lo = -hi;
    so_real y = hi - golden * (hi - lo), z = lo + golden * (hi - lo);
    so_real fy = pn_height(b, x, y), fz = pn_height(b, x, z);
    for (int i = 0; i < PN_GOLDEN && b->best > b->enough; i++) {
        if (fy < fz) {
            hi = z;
            z = y;
            fz = fy;
            y = hi - golden * (hi - lo);
            fy = pn_height(b, x, y);
        } else {
            lo = y;
            y = z;
            fy = fz;
            z = lo + golden * (hi - lo);
            fz = pn_height(b, x, z);
        }
    }
    return fminl(fy, fz);
}

/** Does a plane whose normal is within `angle` of n touch the hull within `enough` of p? */
static inline bool pn_touches_hull(const po_body *body, so_vec p, so_vec n, so_real angle,
                                   so_real enough) {
    const so_real golden = 0.61803398874989484820L;
    pn_probe b = {body, pn_across(n), p, angle, enough, (so_real)INFINITY};
    so_real lo = -angle, hi = angle, x = hi - golden * (hi - lo), y = lo + golden * (hi - lo);
    if (pn_height(&b, 0.0L, 0.0L) <= enough) {
        return true;
    }
    so_real fx = pn_along_chord(&b, x), fy = pn_along_chord(&b, y);
    for (int i = 0; i < PN_GOLDEN && b.best > enough; i++) {
        if (fx < fy) {
            hi = y;
            y = x;
            fy = fx;
            x = hi - golden * (hi - lo);
            fx = pn_along_chord(&b, x);
        } else {
            lo = x;
            x = y;
            fx = fy;
            y = lo + golden * (hi - lo);
            fy = pn_along_chord(&b, y);
        }
    }
    return b.best <= enough;
}

#endif
