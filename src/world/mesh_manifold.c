/**
 * @file mesh_manifold.c
 * @brief Points of contact of a mesh with a convex part or another mesh, each with its own normal.
 *
 * The contact of two parts, one of which is a mesh, has a gap and one place; a box on a floor of
 * triangles stands on its corners, and a ball in a bowl may lean on several walls.
 *
 *     1. Bodies that overlap, or nearly, are moved apart along the contact's normal, to a small
 *        gap: there each triangle has an honest nearest point and normal, whatever has sunk in how
 *        far. That translation is taken off the gaps at the end
 *     2. All triangles (or pairs of them) within the reach are contacts of convex bodies. One of
 *        them is dropped if its normal does not belong to the surface: a triangle beside it, that
 *        has the nearest point too, rises along that normal. Else a body would stumble over the
 *        edges within a flat floor. Of solids the inner sides are dropped, too
 *     3. The rest have manifolds (ov_contact_manifold); those that were dropped have points over
 *        their own face. At most eight stay of all: the deepest one, then always that which is
 *        furthest from those taken, by place and normal
 */
#include "world_internal.h"

/** Triangles that are looked at, nearer ones first; points to choose from. */
enum { CANDIDATES_MAX = 48, CHOICE_MAX = 128 };

/** Lengths in units of the smaller part's radius: the gap at which normals are taken; how far a
 *  point may be from a triangle that has it; points closer than this are one. */
static const double apart = 1e-3, joined = 1e-6, spread = 0.05;
/** A triangle that rises by less than this along a normal is level; an angle. */
static const double level = 1e-4;

typedef struct candidate {
    uint32_t triangle_a, triangle_b;
    ov_contact contact;
    ov_vec3 corners_a[3], corners_b[3]; /**< in the world; of meshes */
} candidate;

typedef struct gathering {
    const ovi_part *a, *b;
    ov_pose pose_a, pose_b; /**< of the parts; B moved apart */
    ov_vec3 shift;          /**< that B was moved by */
    double size, reach;     /**< radius of the smaller part; for gaps of what is moved apart */
    size_t count;
    candidate candidates[CANDIDATES_MAX];
    size_t choice_count;
    ovi_mesh_point choice[CHOICE_MAX];
} gathering;

static void corners_of(const ovi_part *part, ov_pose pose, uint32_t triangle, ov_vec3 *corners) {
    const ov_trimesh *mesh = part->part.mesh;
    for (int i = 0; i < 3; i++) {
        uint32_t vertex = ov_trimesh_triangles(mesh)[triangle][i];
        corners[i] = ov_pose_apply(pose, ov_trimesh_vertices(mesh)[vertex]);
    }
}

static bool note(void *user, const ov_trimesh_contact *found) {
    gathering *g = user;
    if (!(found->contact.status >= 0 && found->contact.gap <= g->reach)) {
        return true;
    }
    size_t at = g->count;
    if (at == CANDIDATES_MAX) { // instead of the furthest
        at = 0;
        for (size_t i = 1; i < g->count; i++) {
            at = g->candidates[i].contact.gap > g->candidates[at].contact.gap ? i : at;
        }
        if (!(found->contact.gap < g->candidates[at].contact.gap)) {
            return true;
        }
    } else {
        g->count++;
    }
    candidate *c = &g->candidates[at];
    *c = (candidate){.triangle_a = found->triangle_a,
                     .triangle_b = found->triangle_b,
                     .contact = found->contact};
    corners_of(g->a, g->pose_a, c->triangle_a, c->corners_a);
    if (g->b->part.mesh != NULL) {
        corners_of(g->b, g->pose_b, c->triangle_b, c->corners_b);
    }
    return true;
}

/* ---- normals that belong to the surface */

static double segment_distance(ov_vec3 p, ov_vec3 a, ov_vec3 b) {
    ov_vec3 ab = ov_vec3_sub(b, a), ap = ov_vec3_sub(p, a);
    double square = ov_vec3_dot(ab, ab);
    double t = square > 0.0 ? fmin(fmax(ov_vec3_dot(ap, ab) / square, 0.0), 1.0) : 0.0;
    return ov_vec3_length(ov_vec3_sub(ap, ov_vec3_scale(ab, t)));
}

static double triangle_distance(ov_vec3 p, const ov_vec3 *c) {
    ov_vec3 n = ov_vec3_cross(ov_vec3_sub(c[1], c[0]), ov_vec3_sub(c[2], c[0]));
    double area = ov_vec3_length(n), nearest = INFINITY;
    bool inside = area > 0.0;
    for (int i = 0; i < 3; i++) {
        ov_vec3 a = c[i], b = c[(i + 1) % 3];
        ov_vec3 side = ov_vec3_cross(ov_vec3_sub(b, a), ov_vec3_sub(p, a));
        inside = inside && ov_vec3_dot(side, n) >= 0.0;
        nearest = fmin(nearest, segment_distance(p, a, b));
    }
    return inside ? fabs(ov_vec3_dot(n, ov_vec3_sub(p, c[0]))) / area : nearest;
}

/** Does a triangle that has the point rise along the normal? */
static bool rises(const ov_vec3 *corners, ov_vec3 point, ov_vec3 normal, double size) {
    bool up = false;
    for (int i = 0; i < 3; i++) {
        ov_vec3 d = ov_vec3_sub(corners[i], point);
        double length = ov_vec3_length(d);
        up = up || ov_vec3_dot(d, normal) > level * length + joined * size;
    }
    return up && triangle_distance(point, corners) <= joined * size;
}

/** Does the normal lead out of a triangle of a closed surface? Along it counts, too. */
static bool leads_in(const ov_vec3 *corners, ov_vec3 normal) {
    ov_vec3 n =
        ov_vec3_cross(ov_vec3_sub(corners[1], corners[0]), ov_vec3_sub(corners[2], corners[0]));
    return ov_vec3_dot(n, normal) < -0.01 * ov_vec3_length(n);
}

static bool is_closed(const ovi_part *part) {
    const ov_trimesh *mesh = part->part.mesh;
    return mesh != NULL && ov_trimesh_is_solid(mesh) && ov_trimesh_open_count(mesh) == 0;
}

static bool belongs(const gathering *g, const candidate *c) {
    ov_vec3 n = c->contact.normal, back = ov_vec3_neg(n);
    bool meshes = g->b->part.mesh != NULL;
    if (c->contact.relation == OV_RELATION_OVERLAPPING ||
        (is_closed(g->a) && leads_in(c->corners_a, n)) ||
        (is_closed(g->b) && leads_in(c->corners_b, back))) {
        return false;
    }
    for (size_t i = 0; i < g->count; i++) {
        const candidate *other = &g->candidates[i];
        if ((other->triangle_a != c->triangle_a &&
             rises(other->corners_a, c->contact.point_a, n, g->size)) ||
            (meshes && other->triangle_b != c->triangle_b &&
             rises(other->corners_b, c->contact.point_b, back, g->size))) {
            return false;
        }
    }
    return true;
}

/* ---- points */

static uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t x = a * 0x9e3779b97f4a7c15u + b;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    return x ^ (x >> 31);
}

/** What a point is of: a corner of a triangle is a vertex of the mesh, whichever of the triangles
 *  around it has it now. What is 0 is anywhere on the face. */
static uint64_t feature_of(const ovi_part *part, uint32_t triangle, uint32_t feature) {
    const ov_trimesh *mesh = part->part.mesh;
    if (mesh == NULL || feature == 0) {
        return feature;
    }
    return feature <= 3 ? ov_trimesh_triangles(mesh)[triangle][feature - 1] + (UINT64_C(1) << 32)
                        : mix(triangle, feature);
}

/** The corner of a triangle that a point is at, from 1, or 0. */
static uint32_t corner_at(const gathering *g, const ov_vec3 *corners, ov_vec3 point) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < 3; i++) {
        bool near = ov_vec3_length(ov_vec3_sub(corners[i], point)) <= apart * g->size;
        at = near ? i + 1 : at;
    }
    return at;
}

/** A number for a point of a pair of triangles, of which ov_contact_manifold says what it is of:
 * but for witness points, which may be at corners too. */
static uint64_t id_of(const gathering *g, const candidate *c, const ov_manifold_point *p) {
    uint32_t of_a = (uint32_t)(p->id >> 32), of_b = (uint32_t)p->id;
    of_a = of_a == 0 ? corner_at(g, c->corners_a, p->point_a) : of_a;
    if (of_b == 0 && g->b->part.mesh != NULL) {
        of_b = corner_at(g, c->corners_b, p->point_b);
    }
    uint64_t a = feature_of(g->a, c->triangle_a, of_a);
    uint64_t b = feature_of(g->b, c->triangle_b, of_b);
    return a != 0 || b != 0 ? mix(a, b) : mix((uint64_t)c->triangle_a << 32 | c->triangle_b, 0);
}

/** Adds a point, back where B is, if it is within the limit there. */
static void add_choice(gathering *g, const candidate *c, ov_manifold_point point, double limit) {
    point.id = id_of(g, c, &point);
    point.point_b = ov_vec3_sub(point.point_b, g->shift);
    point.gap -= ov_vec3_dot(c->contact.normal, g->shift);
    if (point.gap <= limit && g->choice_count < CHOICE_MAX) {
        g->choice[g->choice_count++] = (ovi_mesh_point){point, c->contact.normal};
    }
}

/** The two convex bodies of a candidate: a triangle, and the shape or another triangle. */
typedef struct couple {
    ov_shape a, b;
    ov_pose pose_b;
} couple;

static ov_status make_couple(const gathering *g, const candidate *c, couple *out) {
    const ov_vec3 *a = c->corners_a, *b = c->corners_b;
    ov_status status = ov_shape_make_triangle(a[0], a[1], a[2], &out->a);
    out->pose_b = g->pose_b;
    out->b = g->b->part.shape;
    if (status == OV_OK && g->b->part.mesh != NULL) {
        status = ov_shape_make_triangle(b[0], b[1], b[2], &out->b);
        out->pose_b = ov_pose_identity();
    }
    return status;
}

/** Points of a candidate along its own normal; at least the witness points. */
static void add_points(gathering *g, const candidate *c, double limit) {
    couple k;
    ov_manifold m = {.count = 0};
    ov_status status = make_couple(g, c, &k);
    if (status == OV_OK) {
        status = ov_contact_manifold(&k.a, ov_pose_identity(), &k.b, k.pose_b, &c->contact,
                                     g->reach, &m);
    }
    for (int i = 0; status >= 0 && i < m.count; i++) {
        add_choice(g, c, m.points[i], limit);
    }
    if (!(status >= 0 && m.count > 0)) {
        const ov_contact *w = &c->contact;
        add_choice(g, c, (ov_manifold_point){w->point_a, w->point_b, w->gap, 0}, limit);
    }
}

/** Points of a candidate whose normal is not the surface's: those over the triangle itself, along
 *  the normal of its face. A flat side that is tilted a little has its nearest point over one
 *  triangle of a floor, and stands on others, too. */
static void add_face_points(gathering *g, const candidate *c, double limit) {
    const ov_vec3 *a = c->corners_a;
    ov_vec3 n = ov_vec3_normalize(ov_vec3_cross(ov_vec3_sub(a[1], a[0]), ov_vec3_sub(a[2], a[0])));
    double along = ov_vec3_dot(n, c->contact.normal);
    n = along < 0.0 ? ov_vec3_neg(n) : n;
    if (!(fabs(along) > 0.5) || (along < 0.0 && is_closed(g->a))) {
        return;
    }
    couple k;
    ov_support lowest;
    ov_manifold m;
    candidate face = *c;
    ov_status status = make_couple(g, c, &k);
    if (status == OV_OK) {
        ov_quat back = ov_quat_conjugate(k.pose_b.rotation);
        status = ov_shape_support(&k.b, ov_quat_rotate(back, ov_vec3_neg(n)), &lowest);
    }
    if (status < 0) {
        return;
    }
    ov_contact *w = &face.contact;
    w->normal = n;
    w->point_b = ov_pose_apply(k.pose_b, lowest.point);
    w->gap = ov_vec3_dot(n, ov_vec3_sub(w->point_b, a[0]));
    w->point_a = ov_vec3_add_scaled(w->point_b, n, -w->gap);
    status = ov_contact_manifold(&k.a, ov_pose_identity(), &k.b, k.pose_b, w, g->reach, &m);
    for (int i = 0; status >= 0 && i < m.count; i++) {
        if (triangle_distance(m.points[i].point_a, a) <= joined * g->size) {
            add_choice(g, &face, m.points[i], limit);
        }
    }
}

/** How far two points are apart, by place and normal. */
static double difference(const ovi_mesh_point *p, const ovi_mesh_point *q, double size) {
    return ov_vec3_length(ov_vec3_sub(p->point.point_b, q->point.point_b)) +
           0.5 * size * ov_vec3_length(ov_vec3_sub(p->normal, q->normal));
}

/** A corner may touch several triangles, each along its own normal. */
static void give_own_id(ovi_mesh_point *points, int last) {
    for (int i = 0; i < last; i++) {
        if (points[i].point.id == points[last].point.id) {
            points[last].point.id = mix(points[last].point.id, (uint64_t)last);
            i = -1;
        }
    }
}

/** Which point is the deepest one changes from frame to frame; who solves contacts one after the
 *  other wants them in the same order. */
static void sort_by_id(ovi_mesh_point *points, int count) {
    for (int i = 1; i < count; i++) {
        ovi_mesh_point p = points[i];
        int k = i;
        for (; k > 0 && points[k - 1].point.id > p.point.id; k--) {
            points[k] = points[k - 1];
        }
        points[k] = p;
    }
}

/** Chooses points; what is far from touching counts for less. */
static int choose(const gathering *g, ovi_mesh_point *points) {
    double nearest[CHOICE_MAX], least = INFINITY;
    size_t next = 0;
    int count = 0;
    for (size_t i = 0; i < g->choice_count; i++) {
        nearest[i] = INFINITY;
        next = g->choice[i].point.gap < g->choice[next].point.gap ? i : next;
    }
    least = g->choice_count > 0 ? g->choice[next].point.gap : 0.0;
    while (count < OV_MANIFOLD_POINTS_MAX && g->choice_count > 0) {
        points[count] = g->choice[next];
        give_own_id(points, count++);
        double best = spread * g->size;
        bool more = false;
        const ovi_mesh_point *taken = &points[count - 1];
        for (size_t i = 0; i < g->choice_count; i++) {
            nearest[i] = fmin(nearest[i], difference(&g->choice[i], taken, g->size));
            double above = (g->choice[i].point.gap - least) / (spread * g->size);
            double worth = nearest[i] / (1.0 + above);
            if (nearest[i] > spread * g->size && (!more || worth > best)) {
                best = worth;
                next = i;
                more = true;
            }
        }
        if (!more) {
            break;
        }
    }
    sort_by_id(points, count);
    return count;
}

/** A is a mesh; poses are those of the parts. */
static int find_points(const ovi_part *a, ov_pose pose_a, const ovi_part *b, ov_pose pose_b,
                       const ov_contact *contact, double limit, const ov_pair_options *options,
                       ovi_mesh_point *points) {
    gathering g = {.a = a, .b = b, .pose_a = pose_a, .pose_b = pose_b};
    g.size = fmin(a->ball.radius, b->bounded ? b->ball.radius : INFINITY);
    double way = fmax(apart * g.size - contact->gap, 0.0);
    if (!b->bounded) { // corners of the mesh, however deep
        way = 0.0;
    }
    g.shift = ov_vec3_scale(contact->normal, way);
    g.pose_b.position = ov_vec3_add(pose_b.position, g.shift);
    g.reach = limit + fmin(way, 0.25 * g.size);
    ov_status status = b->part.mesh != NULL
                           ? ov_trimesh_pair_contacts(a->part.mesh, g.pose_a, b->part.mesh,
                                                      g.pose_b, g.reach, options, note, &g)
                           : ov_trimesh_shape_contacts(a->part.mesh, g.pose_a, &b->part.shape,
                                                       g.pose_b, g.reach, options, note, &g);
    for (size_t i = 0; status >= 0 && i < g.count; i++) {
        bool own = !b->bounded || belongs(&g, &g.candidates[i]);
        (own ? add_points : add_face_points)(&g, &g.candidates[i], limit);
    }
    return choose(&g, points);
}

int ovi_mesh_manifold(const ovi_part *a, ov_pose pose_a, const ovi_part *b, ov_pose pose_b,
                      const ov_contact *contact, double limit, const ov_pair_options *options,
                      ovi_mesh_point points[OV_MANIFOLD_POINTS_MAX]) {
    int count;
    if (a->part.mesh != NULL) {
        count = find_points(a, pose_a, b, pose_b, contact, limit, options, points);
    } else {
        ov_contact turned = *contact;
        turned.normal = ov_vec3_neg(contact->normal);
        turned.point_a = contact->point_b, turned.point_b = contact->point_a;
        count = find_points(b, pose_b, a, pose_a, &turned, limit, options, points);
        for (int i = 0; i < count; i++) {
            ov_manifold_point *p = &points[i].point;
            ov_vec3 of_a = p->point_b;
            p->point_b = p->point_a;
            p->point_a = of_a;
            points[i].normal = ov_vec3_neg(points[i].normal);
        }
    }
    if (count == 0) { // no triangle tells more
        points[0] = (ovi_mesh_point){{contact->point_a, contact->point_b, contact->gap, 0},
                                     contact->normal};
        count = 1;
    }
    return count;
}
