/**
 * @file mesh_polygon.c
 * @brief Polygons of mesh files cut into triangles.
 *
 * A convex polygon is a fan about its first corner. The fan of another one would cover what the
 * polygon leaves free, so ears are cut off it one after the other [Meisters, Polygons have ears,
 * 1975]: three corners in a row whose triangle holds no other corner. It is looked at along its
 * mean normal [Newell]. A polygon that crosses itself has no right answer, and gets a fan where no
 * ear is left.
 *
 * Cutting takes time that grows with the square of the corners, so a file has a budget for it.
 */
#include <stdlib.h>

#include "mesh_read.h"

/** Tests of a corner against a triangle, for all polygons of a file: a few seconds. */
#define EAR_BUDGET ((uint64_t)1 << 31)

struct ovi_ear {
    double x, y; /**< along the mean normal */
    uint32_t previous, next;
    bool reflex, ear;
};

static double cross(const ovi_ear *a, const ovi_ear *b, const ovi_ear *c) {
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

static ov_vec3 corner_of(const ovi_mesh_maker *m, size_t i) { return m->vertices[m->corners[i]]; }

/** Twice the vector area, in units of the polygon's extent; false where it has none. */
static bool mean_normal(const ovi_mesh_maker *m, ov_vec3 *normal, double *extent) {
    ov_vec3 origin = corner_of(m, 0), sum = {0.0, 0.0, 0.0};
    *extent = 0.0;
    for (size_t i = 1; i < m->corner_count; i++) {
        ov_vec3 d = ov_vec3_sub(corner_of(m, i), origin);
        *extent = fmax(*extent, fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z))));
    }
    if (!(*extent > 0.0)) {
        return false;
    }
    ov_vec3 before = {0.0, 0.0, 0.0};
    for (size_t i = 1; i < m->corner_count; i++) {
        // divided, not multiplied by the inverse, which may overflow
        ov_vec3 d = ov_vec3_sub(corner_of(m, i), origin);
        d = ov_vec3_make(d.x / *extent, d.y / *extent, d.z / *extent);
        sum = ov_vec3_add(sum, ov_vec3_cross(before, d));
        before = d;
    }
    *normal = sum;
    return ov_vec3_length(sum) > 1e-12;
}

/** The corners in the plane that is nearest to theirs, counter-clockwise, as a ring. */
static void flatten(ovi_mesh_maker *m, ov_vec3 n, double extent) {
    double ax = fabs(n.x), ay = fabs(n.y), az = fabs(n.z);
    size_t count = m->corner_count;
    for (size_t i = 0; i < count; i++) {
        ov_vec3 d = ov_vec3_sub(corner_of(m, i), corner_of(m, 0));
        ovi_ear *e = &m->ears[i];
        if (az >= ax && az >= ay) {
            e->x = n.z > 0.0 ? d.x : -d.x;
            e->y = d.y;
        } else if (ay >= ax) {
            e->x = n.y > 0.0 ? d.z : -d.z;
            e->y = d.x;
        } else {
            e->x = n.x > 0.0 ? d.y : -d.y;
            e->y = d.z;
        }
        e->x /= extent;
        e->y /= extent;
        e->previous = (uint32_t)((i + count - 1) % count);
        e->next = (uint32_t)((i + 1) % count);
    }
}

/** Do all corners turn left, and the polygon go round once? */
static bool is_convex(const ovi_mesh_maker *m) {
    size_t turns = 0; // from right to left in x: one in a convex polygon
    bool leftward = false, known = false, first = false;
    for (size_t i = 0; i < m->corner_count; i++) {
        const ovi_ear *e = &m->ears[i], *next = &m->ears[e->next];
        if (cross(&m->ears[e->previous], e, next) < -1e-12) {
            return false;
        }
        if (next->x != e->x) {
            bool left = next->x < e->x;
            turns += known && left && !leftward;
            first = known ? first : left;
            leftward = left;
            known = true;
        }
    }
    turns += known && first && !leftward;
    return turns <= 1;
}

static ov_status add(ovi_mesh_maker *m, size_t a, size_t b, size_t c, bool mirrored, size_t line) {
    uint64_t x = m->corners[b], y = m->corners[c];
    return ovi_mesh_add_triangle(m, m->corners[a], mirrored ? y : x, mirrored ? x : y, line);
}

/** A fan over the ring from `first` on. */
static ov_status add_fan(ovi_mesh_maker *m, uint32_t first, bool mirrored, size_t line) {
    uint32_t b = m->ears[first].next, c = m->ears[b].next;
    ov_status status = OV_OK;
    while (c != first && status == OV_OK) {
        status = add(m, first, b, c, mirrored, line);
        b = c;
        c = m->ears[c].next;
    }
    return status;
}

/** Is p in the triangle or on its edge? Its corners themselves, and what lies on them, are not. */
static bool holds(const ovi_ear *a, const ovi_ear *b, const ovi_ear *c, const ovi_ear *p) {
    bool at_corner = (p->x == a->x && p->y == a->y) || (p->x == b->x && p->y == b->y) ||
                     (p->x == c->x && p->y == c->y);
    return !at_corner && cross(a, b, p) >= 0.0 && cross(b, c, p) >= 0.0 && cross(c, a, p) >= 0.0;
}

/** Looks anew at a corner: does the ring turn right there, and if not, is it an ear? */
static void judge(ovi_mesh_maker *m, uint32_t i) {
    ovi_ear *e = &m->ears[i];
    const ovi_ear *a = &m->ears[e->previous], *c = &m->ears[e->next];
    double turn = cross(a, e, c);
    e->reflex = turn <= 0.0;
    e->ear = turn > 0.0;
    for (uint32_t k = c->next; k != e->previous && e->ear; k = m->ears[k].next) {
        m->ear_work++;
        // only a corner that turns right, or not at all, can be the first one in the way
        e->ear = !(m->ears[k].reflex && holds(a, e, c, &m->ears[k]));
    }
}

static ov_status too_much_work(const ovi_mesh_maker *m, size_t line) {
    return ovi_mesh_refuse(m, OV_ERROR_COUNT, line,
                           "too many polygons that are not convex, with too many corners");
}

static ov_status cut_ears(ovi_mesh_maker *m, bool mirrored, size_t line) {
    size_t left = m->corner_count;
    for (uint32_t i = 0; i < left; i++) {
        ovi_ear *e = &m->ears[i];
        e->reflex = cross(&m->ears[e->previous], e, &m->ears[e->next]) <= 0.0;
    }
    for (uint32_t i = 0; i < left; i++) {
        judge(m, i);
        if (m->ear_work > EAR_BUDGET) {
            return too_much_work(m, line);
        }
    }
    uint32_t at = 0, seen = 0;
    ov_status status = OV_OK;
    while (left > 3 && seen < left && status == OV_OK) {
        ovi_ear *e = &m->ears[at];
        if (!e->ear) {
            at = e->next;
            seen++;
            m->ear_work++;
            continue;
        }
        status = add(m, e->previous, at, e->next, mirrored, line);
        m->ears[e->previous].next = e->next;
        m->ears[e->next].previous = e->previous;
        judge(m, e->previous);
        judge(m, e->next);
        at = e->next;
        seen = 0;
        left--;
        if (m->ear_work > EAR_BUDGET) {
            return too_much_work(m, line);
        }
    }
    return status == OV_OK ? add_fan(m, at, mirrored, line) : status;
}

ov_status ovi_mesh_add_corner(ovi_mesh_maker *m, uint64_t vertex) {
    if (!ovi_mesh_grow(&m->corners, &m->corner_room, m->corner_count, sizeof *m->corners)) {
        return ovi_mesh_refuse(m, OV_ERROR_MEMORY, 0, "out of memory");
    }
    m->corners[m->corner_count++] = vertex;
    return OV_OK;
}

ov_status ovi_mesh_end_polygon(ovi_mesh_maker *m, bool mirrored, size_t line) {
    size_t count = m->corner_count;
    bool known = count > 3;
    for (size_t i = 0; i < count && known; i++) {
        known = m->corners[i] < m->vertex_count;
    }
    ov_vec3 normal;
    double extent;
    ov_status status = OV_OK;
    if (known && mean_normal(m, &normal, &extent)) {
        while (m->ear_room < count) {
            if (!ovi_mesh_grow(&m->ears, &m->ear_room, m->ear_room, sizeof *m->ears)) {
                return ovi_mesh_refuse(m, OV_ERROR_MEMORY, 0, "out of memory");
            }
        }
        flatten(m, normal, extent);
        status = is_convex(m) ? add_fan(m, 0, mirrored, line) : cut_ears(m, mirrored, line);
    } else {
        for (size_t i = 1; i + 1 < count && status == OV_OK; i++) {
            status = add(m, 0, i, i + 1, mirrored, line);
        }
    }
    m->corner_count = 0;
    return status;
}
