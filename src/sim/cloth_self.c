/**
 * @file cloth_self.c
 * @brief Layers of a cloth, and meshes, that never cross: close features, a bound of how far each
 * vertex may go, and repulsion.
 *
 * Triangles can begin to cross only where a vertex meets a triangle or an edge meets an edge, of
 * two features that share no vertex. If each of the four vertices of such a pair at distance d goes
 * less than d/2, the features are still apart. So, from positions that do not cross:
 *
 *     1. find all pairs of features closer than a reach r; a vertex may go b = 0.45 min(r, d), the
 *        least over its pairs
 *     2. whatever the solver does, a vertex is held within b of where it was at 1
 *
 * Then no triangles cross at any time. Bounds shrink with the distance, so repulsion keeps layers a
 * thickness apart: along the line between the nearest points of a pair, with friction. Positions
 * are found anew when some vertex has gone half of its way.
 *
 * Triangles of meshes are treated in the same way, with vertices that the cloth does not move. The
 * promise is for meshes at rest; one that moves into the cloth pushes it.
 */
#include <string.h>

#include "../world/trimesh_internal.h"
#include "cloth_internal.h"

/** Share of a distance that each of two features may use up. */
static const double share = 0.45;

static double layer_thickness(const ov_cloth *cloth) {
    return cloth->thickness > 0.0 ? cloth->thickness : 0.1 * cloth->least_height;
}

/** Features further apart are no pair. */
static double layer_reach(const ov_cloth *cloth) {
    return layer_thickness(cloth) + 0.3 * cloth->least_height;
}

/* ---- nearest points of two features */

/** Of two features: the points are the sums of weighted vertices, `apart` is the vector from the
 *  second to the first. */
typedef struct feature_pair {
    double weight[4];
    ov_vec3 apart;
    double distance;
} feature_pair;

static ov_vec3 combine(const ov_vec3 p[4], const double weight[4]) {
    ov_vec3 sum = ov_vec3_scale(p[0], weight[0]);
    for (int i = 1; i < 4; i++) {
        sum = ov_vec3_add_scaled(sum, p[i], weight[i]);
    }
    return sum;
}

/** Vertex p[0] and triangle p[1..3]. */
static feature_pair vertex_triangle(const ov_vec3 p[4]) {
    feature_pair f = {.weight = {1.0}};
    const ov_vec3 q[3] = {ov_vec3_sub(p[1], p[0]), ov_vec3_sub(p[2], p[0]),
                          ov_vec3_sub(p[3], p[0])};
    double b[3];
    f.apart = ov_vec3_neg(ovi_cloth_nearest_to_origin(q, b));
    for (int i = 0; i < 3; i++) {
        f.weight[i + 1] = -b[i];
    }
    f.distance = sqrt(ov_vec3_dot(f.apart, f.apart));
    return f;
}

static double clamp_unit(double x) { return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x; }

/** Edge p[0] p[1] and edge p[2] p[3]: the least over the inside of both and over their ends. */
static feature_pair edge_edge(const ov_vec3 p[4]) {
    ov_vec3 u = ov_vec3_sub(p[1], p[0]), v = ov_vec3_sub(p[3], p[2]), r = ov_vec3_sub(p[0], p[2]);
    double a = ov_vec3_dot(u, u), e = ov_vec3_dot(v, v), b = ov_vec3_dot(u, v);
    double c = ov_vec3_dot(u, r), f = ov_vec3_dot(v, r), det = a * e - b * b;
    double s = det > 1e-12 * a * e ? clamp_unit((b * f - c * e) / det) : 0.0;
    double t = (b * s + f) / e;
    if (t < 0.0) {
        t = 0.0;
        s = clamp_unit(-c / a);
    } else if (t > 1.0) {
        t = 1.0;
        s = clamp_unit((b - c) / a);
    }
    feature_pair best = {.weight = {1.0 - s, s, t - 1.0, -t}};
    best.apart = combine(p, best.weight);
    best.distance = sqrt(ov_vec3_dot(best.apart, best.apart));
    return best;
}

/* ---- all close pairs */

typedef struct layer_search {
    ov_cloth *cloth;
    double reach, keep; /**< of pairs that bound, and of those that repel */
    double friction;
    uint32_t collider;
    bool failed;
} layer_search;

static void add_layer(layer_search *s, const uint32_t v[4], const feature_pair *f) {
    ov_cloth *cloth = s->cloth;
    if (cloth->layer_count >= cloth->layer_room) {
        void *more = ovi_more_room(&cloth->allocator, cloth->layers, &cloth->layer_room,
                                   cloth->layer_count + 1, sizeof *cloth->layers);
        if (more == NULL) {
            s->failed = true;
            return;
        }
        cloth->layers = more;
    }
    double thickness = layer_thickness(cloth);
    ovi_cloth_layer *layer = &cloth->layers[cloth->layer_count++];
    *layer = (ovi_cloth_layer){.collider = s->collider, .friction = s->friction};
    memcpy(layer->v, v, sizeof layer->v);
    memcpy(layer->weight, f->weight, sizeof layer->weight);
    layer->normal = ov_vec3_scale(f->apart, 1.0 / f->distance);
    // what is closer than the thickness is brought apart over some steps
    layer->target = fmin(thickness, f->distance + 0.1 * thickness);
}

/** Bounds of the vertices of a pair, and repulsion. */
static void take_pair(layer_search *s, const uint32_t v[4], const feature_pair *f) {
    ov_cloth *cloth = s->cloth;
    if (!(f->distance < s->reach)) {
        return;
    }
    // a distance that shrank to a tenth at each search would soon be no more than rounding, where
    // pins pull as hard as it takes: below a small part of the thickness ever less of it is given
    double d = f->distance, least = 1e-4 * layer_thickness(cloth);
    for (int i = 0; i < 4; i++) {
        if (v[i] < cloth->vertex_count) {
            cloth->bound[v[i]] = fmin(cloth->bound[v[i]], share * d * (d / (d + least)));
        }
    }
    if (f->distance < s->keep && f->distance > 0.0) {
        add_layer(s, v, f);
    }
}

/** A triangle with its vertices, their places and what it owns of its vertices and edges. */
typedef struct corner_set {
    uint32_t v[3];
    ov_vec3 p[3];
    uint8_t owns;
} corner_set;

static corner_set corners_of(const ov_cloth *cloth, uint32_t triangle) {
    corner_set c = {.owns = cloth->owns[triangle]};
    for (int i = 0; i < 3; i++) {
        c.v[i] = cloth->triangles[triangle][i];
        c.p[i] = ovi_cloth_at(cloth->x, c.v[i]);
    }
    return c;
}

static bool has_vertex(const corner_set *c, uint32_t v) {
    return c->v[0] == v || c->v[1] == v || c->v[2] == v;
}

static bool box_within(const ov_vec3 *a, int na, const ov_vec3 *b, int nb, double reach) {
    for (int axis = 0; axis < 3; axis++) {
        double amin = INFINITY, amax = -INFINITY, bmin = INFINITY, bmax = -INFINITY;
        for (int i = 0; i < na; i++) {
            double x = axis == 0 ? a[i].x : axis == 1 ? a[i].y : a[i].z;
            amin = x < amin ? x : amin;
            amax = x > amax ? x : amax;
        }
        for (int i = 0; i < nb; i++) {
            double x = axis == 0 ? b[i].x : axis == 1 ? b[i].y : b[i].z;
            bmin = x < bmin ? x : bmin;
            bmax = x > bmax ? x : bmax;
        }
        if (amin > bmax + reach || bmin > amax + reach) {
            return false;
        }
    }
    return true;
}

static void vertices_of_one(layer_search *s, const corner_set *a, const corner_set *b) {
    for (int i = 0; i < 3; i++) {
        if ((a->owns >> i & 1) != 0 && !has_vertex(b, a->v[i]) &&
            box_within(&a->p[i], 1, b->p, 3, s->reach)) {
            const uint32_t v[4] = {a->v[i], b->v[0], b->v[1], b->v[2]};
            const ov_vec3 p[4] = {a->p[i], b->p[0], b->p[1], b->p[2]};
            feature_pair f = vertex_triangle(p);
            take_pair(s, v, &f);
        }
    }
}

static void edges_of_both(layer_search *s, const corner_set *a, const corner_set *b) {
    for (int i = 0; i < 3; i++) {
        if ((a->owns >> (3 + i) & 1) == 0) {
            continue;
        }
        int i2 = (i + 1) % 3;
        const ov_vec3 e[2] = {a->p[i], a->p[i2]};
        for (int j = 0; j < 3; j++) {
            int j2 = (j + 1) % 3;
            const uint32_t v[4] = {a->v[i], a->v[i2], b->v[j], b->v[j2]};
            const ov_vec3 p[4] = {e[0], e[1], b->p[j], b->p[j2]};
            if ((b->owns >> (3 + j) & 1) == 0 || v[0] == v[2] || v[0] == v[3] || v[1] == v[2] ||
                v[1] == v[3] || !box_within(p, 2, p + 2, 2, s->reach)) {
                continue;
            }
            feature_pair f = edge_edge(p);
            take_pair(s, v, &f);
        }
    }
}

static void pair_of_triangles(layer_search *s, const corner_set *a, const corner_set *b) {
    if (box_within(a->p, 3, b->p, 3, s->reach)) {
        vertices_of_one(s, a, b);
        vertices_of_one(s, b, a);
        edges_of_both(s, a, b);
    }
}

/** Triangles of the cloth from a place on whose boxes come within the reach of a triangle. */
static void search_around(layer_search *s, const corner_set *a, size_t from) {
    const ov_cloth *cloth = s->cloth;
    ov_aabb box = ovi_corners_box(a->p);
    box = ovi_box_grow(box, s->reach);
    uint32_t stack[OVI_BVH_STACK], depth = 0, at = 0;
    for (;;) {
        const ovi_cloth_node *node = &cloth->nodes[at];
        if (ovi_boxes_meet(&node->box, &box)) {
            if (node->count == 0) {
                stack[depth++] = node->first;
                at++;
                continue;
            }
            for (uint32_t i = 0; i < node->count && !s->failed; i++) {
                if (node->first + i >= from) {
                    corner_set b = corners_of(cloth, cloth->order[node->first + i]);
                    pair_of_triangles(s, a, &b);
                }
            }
        }
        if (depth == 0 || s->failed) {
            return;
        }
        at = stack[--depth];
    }
}

/* ---- meshes */

/** The cloth's box in a mesh's frame. */
static ov_aabb box_in_frame(const ov_aabb *box, const ovi_cloth_solid *solid, double reach) {
    ov_vec3 half = ovi_box_half(box), centre = ovi_box_centre(box);
    ov_vec3 c = ov_mat3_tmul_vec3(&solid->turn, ov_vec3_sub(centre, solid->pose.position));
    const ov_mat3 *m = &solid->turn;
    ov_vec3 h = {ovi_box_reach(half, m->cx), ovi_box_reach(half, m->cy),
                 ovi_box_reach(half, m->cz)};
    ov_aabb out = {ov_vec3_sub(c, h), ov_vec3_add(c, h)};
    return ovi_box_grow(out, reach);
}

static void mesh_triangle(layer_search *s, const ovi_cloth_solid *solid, uint32_t triangle) {
    ov_cloth *cloth = s->cloth;
    size_t base = cloth->outside_count, layers = cloth->layer_count;
    if (base + 3 > cloth->outside_room) {
        void *more = ovi_more_room(&cloth->allocator, cloth->outside, &cloth->outside_room,
                                   base + 3, sizeof *cloth->outside);
        s->failed = s->failed || more == NULL;
        cloth->outside = more != NULL ? more : cloth->outside;
    }
    if (base + 3 > cloth->outside_start_room) {
        void *more = ovi_more_room(&cloth->allocator, cloth->outside_start,
                                   &cloth->outside_start_room, base + 3, sizeof *cloth->outside);
        s->failed = s->failed || more == NULL;
        cloth->outside_start = more != NULL ? more : cloth->outside_start;
    }
    if (s->failed) {
        return;
    }
    corner_set a = {.owns = 63};
    ov_vec3 corners[3];
    ovi_trimesh_corners(solid->mesh, triangle, corners);
    for (int i = 0; i < 3; i++) {
        ov_vec3 end = ov_vec3_add(ov_mat3_mul_vec3(&solid->turn, corners[i]), solid->pose.position);
        cloth->outside[base + (size_t)i] = end;
        a.p[i] = cloth->outside_start[base + (size_t)i] =
            solid->moves ? ov_affine_apply(&solid->back, end) : end;
        a.v[i] = (uint32_t)(cloth->vertex_count + base) + (uint32_t)i;
    }
    cloth->outside_count += 3;
    search_around(s, &a, 0);
    if (cloth->layer_count == layers) {
        cloth->outside_count = base; // nobody refers to it
    }
}

static void mesh_layers(layer_search *s, const ovi_cloth_solid *solid) {
    const ov_trimesh *mesh = solid->mesh;
    double way = solid->moves ? 0.2 * s->cloth->least_height : 0.0;
    ov_aabb box = box_in_frame(&s->cloth->nodes[0].box, solid, s->reach + way);
    for (size_t at = 0; at < mesh->node_count && !s->failed;) {
        const ovi_trimesh_node *node = &mesh->nodes[at];
        bool meets = ovi_boxes_meet(&node->box, &box);
        for (uint32_t i = 0; meets && i < node->count; i++) {
            mesh_triangle(s, solid, mesh->order[node->first + i]);
        }
        if (meets || node->count > 0) {
            at++;
            continue;
        }
        // past all that is below: the last leaf of the right child
        size_t end = at;
        while (mesh->nodes[end].count == 0) {
            end = mesh->nodes[end].first;
        }
        at = end + 1;
    }
}

/* ---- the search */

static bool moving_mesh(const ov_cloth *cloth) {
    for (size_t i = 0; i < cloth->solid_count; i++) {
        if (cloth->solids[i].path == OVI_SOLID_MESH && cloth->solids[i].moves) {
            return true;
        }
    }
    return false;
}

ov_status ovi_cloth_find_layers(ov_cloth *cloth, const ov_cloth_collider *colliders) {
    if (cloth->measured && !moving_mesh(cloth)) {
        return OV_OK;
    }
    double reach = layer_reach(cloth);
    layer_search s = {.cloth = cloth,
                      .reach = reach,
                      .keep = 1.5 * layer_thickness(cloth),
                      .friction = cloth->options.friction,
                      .collider = OV_NO_COLLIDER};
    memcpy(cloth->anchor, cloth->x, cloth->vertex_count * sizeof *cloth->x);
    for (size_t i = 0; i < cloth->vertex_count; i++) {
        cloth->bound[i] = share * reach;
    }
    cloth->layer_count = cloth->outside_count = 0;
    cloth->measured = false;
    ovi_cloth_refit(cloth, cloth->nodes);
    for (size_t i = 0; cloth->options.self_collision && i < cloth->triangle_count && !s.failed;
         i++) {
        corner_set a = corners_of(cloth, cloth->order[i]);
        search_around(&s, &a, i + 1);
    }
    for (size_t i = 0; i < cloth->solid_count && !s.failed; i++) {
        if (cloth->solids[i].path == OVI_SOLID_MESH) {
            s.collider = cloth->solids[i].collider;
            s.friction = colliders[s.collider].friction;
            mesh_layers(&s, &cloth->solids[i]);
        }
    }
    cloth->measured = !s.failed;
    return s.failed ? OV_ERROR_MEMORY : OV_OK;
}

/* ---- repulsion and bounds */

/** Weighted sums of the vertices of a layer at the step's end and of their ways in it. */
static void layer_state(const ov_cloth *cloth, const ovi_cloth_layer *l, ov_vec3 *at,
                        ov_vec3 *way) {
    ov_vec3 end[4], moved[4];
    for (int i = 0; i < 4; i++) {
        size_t v = l->v[i];
        bool own = v < cloth->vertex_count;
        size_t k = own ? v : v - cloth->vertex_count;
        end[i] = own ? ovi_cloth_at(cloth->x, k) : cloth->outside[k];
        ov_vec3 start = own ? ovi_cloth_at(cloth->prev, k) : cloth->outside_start[k];
        moved[i] = ov_vec3_sub(end[i], start);
    }
    *at = combine(end, l->weight);
    *way = combine(moved, l->weight);
}

static void shift_layer(ov_cloth *cloth, const ovi_cloth_layer *l, ov_vec3 by) {
    for (int i = 0; i < 4; i++) {
        if (l->v[i] < cloth->vertex_count) {
            cloth->x[l->v[i]] += ovi_cloth_pack(by) * (cloth->w[l->v[i]] * l->weight[i]);
        }
    }
}

static bool separate(ov_cloth *cloth, ov_cloth_collider *colliders, const ovi_cloth_layer *l,
                     double h) {
    ov_vec3 at, way;
    layer_state(cloth, l, &at, &way);
    double height = ov_vec3_dot(l->normal, at) - l->target, total = 0.0;
    if (height >= 0.0) {
        return false;
    }
    ov_vec3 point = {0.0, 0.0, 0.0};
    for (int i = 0; i < 4; i++) {
        if (l->v[i] < cloth->vertex_count) {
            total += l->weight[i] * l->weight[i] * cloth->w[l->v[i]];
        } else {
            double b = fabs(l->weight[i]);
            point = ov_vec3_add_scaled(point, cloth->outside[l->v[i] - cloth->vertex_count], b);
        }
    }
    if (l->collider != OV_NO_COLLIDER) {
        total += ovi_cloth_inverse_mass(&colliders[l->collider], point, l->normal);
    }
    if (!(total > 0.0)) {
        return false;
    }
    ov_vec3 along = ov_vec3_add_scaled(way, l->normal, -ov_vec3_dot(l->normal, way));
    double length = ov_vec3_length(along), most = -height * l->friction;
    double part = length <= most ? 1.0 : most / length;
    ov_vec3 by = ov_vec3_scale(l->normal, -height / total);
    by = ov_vec3_add_scaled(by, along, length > 0.0 ? -part / total : 0.0);
    shift_layer(cloth, l, by);
    if (l->collider != OV_NO_COLLIDER) {
        double side = 0.0; // the cloth's features come first or second
        for (int i = 0; i < 4; i++) {
            side += l->v[i] < cloth->vertex_count ? l->weight[i] : 0.0;
        }
        ov_vec3 impulse = ov_vec3_scale(by, -side / h);
        ovi_cloth_push(cloth, colliders, l->collider, point, impulse, h);
    }
    return true;
}

void ovi_cloth_separate_layers(ov_cloth *cloth, ov_cloth_collider *colliders, double h) {
    enum { SWEEPS = 2 };
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        cloth->self_contacts = 0;
        for (size_t i = 0; i < cloth->layer_count; i++) {
            cloth->self_contacts += separate(cloth, colliders, &cloth->layers[i], h);
        }
    }
}

void ovi_cloth_limit(ov_cloth *cloth) {
    for (size_t i = 0; i < cloth->vertex_count; i++) {
        ovi_v4 d = cloth->x[i] - cloth->anchor[i], q = d * d;
        double way = sqrt(q[0] + q[1] + q[2]), bound = cloth->bound[i];
        if (way > 0.5 * bound) {
            cloth->measured = false;
        }
        if (way > bound) {
            cloth->x[i] = cloth->anchor[i] + d * (bound / way);
        }
    }
}

/* ---- crossings */

static double sum_abs(ov_vec3 v) { return fabs(v.x) + fabs(v.y) + fabs(v.z); }

/** Six times the volume of a tetrahedron; zero where that is no more than rounding, as for
 * triangles that lie flat on the ground beside each other. */
static double volume(ov_vec3 a, ov_vec3 b, ov_vec3 c, ov_vec3 d) {
    ov_vec3 p = ov_vec3_sub(a, d), q = ov_vec3_sub(b, d), r = ov_vec3_sub(c, d);
    double value = ov_vec3_dot(p, ov_vec3_cross(q, r));
    double noise = 16.0 * DBL_EPSILON * sum_abs(p) * sum_abs(q) * sum_abs(r);
    return fabs(value) > noise ? value : 0.0;
}

static bool pierces(ov_vec3 p, ov_vec3 q, const ov_vec3 t[3]) {
    double above = volume(t[0], t[1], t[2], p), below = volume(t[0], t[1], t[2], q);
    if (!(above * below < 0.0)) {
        return false;
    }
    double x = volume(p, q, t[0], t[1]), y = volume(p, q, t[1], t[2]), z = volume(p, q, t[2], t[0]);
    return (x > 0.0 && y > 0.0 && z > 0.0) || (x < 0.0 && y < 0.0 && z < 0.0);
}

/** Does an edge of one triangle that shares no vertex with the other go through that? */
static bool edges_pierce(const corner_set *a, const corner_set *b) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        if (!has_vertex(b, a->v[i]) && !has_vertex(b, a->v[j]) && pierces(a->p[i], a->p[j], b->p)) {
            return true;
        }
    }
    return false;
}

static size_t crossings_of(const ov_cloth *cloth, const ovi_cloth_node *nodes, size_t place) {
    corner_set a = corners_of(cloth, cloth->order[place]);
    ov_aabb box = ovi_corners_box(a.p);
    uint32_t stack[OVI_BVH_STACK], depth = 0, at = 0;
    for (size_t found = 0;;) {
        const ovi_cloth_node *node = &nodes[at];
        if (ovi_boxes_meet(&node->box, &box)) {
            if (node->count == 0) {
                stack[depth++] = node->first;
                at++;
                continue;
            }
            for (uint32_t i = 0; i < node->count; i++) {
                if (node->first + i > place) {
                    corner_set b = corners_of(cloth, cloth->order[node->first + i]);
                    found += edges_pierce(&a, &b) || edges_pierce(&b, &a);
                }
            }
        }
        if (depth == 0) {
            return found;
        }
        at = stack[--depth];
    }
}

bool ovi_cloth_crosses_at(const ov_cloth *cloth, uint32_t vertex) {
    for (size_t i = 0; i < cloth->triangle_count; i++) {
        corner_set a = corners_of(cloth, (uint32_t)i);
        ov_aabb box = ovi_corners_box(a.p);
        for (size_t k = 0; has_vertex(&a, vertex) && k < cloth->triangle_count; k++) {
            corner_set b = corners_of(cloth, (uint32_t)k);
            ov_aabb other = ovi_corners_box(b.p);
            if (k != i && ovi_boxes_meet(&box, &other) &&
                (edges_pierce(&a, &b) || edges_pierce(&b, &a))) {
                return true;
            }
        }
    }
    return false;
}

ov_status ov_cloth_crossings(const ov_cloth *cloth, size_t *count) {
    if (cloth == NULL || count == NULL) {
        return OV_ERROR_NULL;
    }
    *count = 0;
    ovi_cloth_node *nodes =
        ovi_resize(&cloth->allocator, NULL, 0, cloth->node_count, sizeof *nodes);
    if (nodes == NULL) {
        return OV_ERROR_MEMORY;
    }
    memcpy(nodes, cloth->nodes, cloth->node_count * sizeof *nodes);
    ovi_cloth_refit(cloth, nodes);
    for (size_t i = 0; i < cloth->triangle_count; i++) {
        *count += crossings_of(cloth, nodes, i);
    }
    ovi_release(&cloth->allocator, nodes, cloth->node_count, sizeof *nodes);
    return OV_OK;
}
