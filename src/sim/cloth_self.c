/**
 * @file cloth_self.c
 * @brief Layers of a cloth, and meshes, that never cross: close features, a bound of how far each
 * vertex may go, and repulsion.
 *
 * Triangles can begin to cross only where a vertex meets a triangle or an edge meets an edge, of
 * two features that share no vertex. If each of the four vertices of such a pair at distance d goes
 * less than d/2, the features are still apart. So, from positions that do not cross:
 *
 *     1. find all pairs of features closer than a reach r, and their distances d
 *     2. whatever the solver does, a vertex is held within 0.45 r of where it was at 1, and no
 *        vertex of one feature of a pair comes closer to one of the other by more than 0.9 d along
 *        the line between their nearest points: layers that move together, slide or part are free
 *     3. pairs for which that cannot be done together: each vertex within 0.45 d of where it was
 *
 * Then no triangles cross at any time. Distances may shrink, so repulsion keeps layers a thickness
 * apart: along the line between the nearest points of a pair, with friction. Pairs are found anew
 * when one has used half of its distance.
 *
 * Triangles of meshes are treated in the same way, with vertices that the cloth does not move. The
 * promise is for meshes at rest; one that moves takes the cloth along, where 2 can be done.
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
    uint32_t first; /**< number of vertices of the first */
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
    feature_pair f = {.weight = {1.0}, .first = 1};
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
    feature_pair best = {.weight = {1.0 - s, s, t - 1.0, -t}, .first = 2};
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
    ov_vec3 outward; /**< normal of the triangle of a mesh */
    bool failed;
} layer_search;

/** Width of the gap between the vertices of two features along a normal: the distance, but for
 *  rounding and edges so nearly parallel that their nearest points are not quite. */
static double width_along(const ov_vec3 p[4], uint32_t first, ov_vec3 normal) {
    double least = INFINITY;
    for (uint32_t i = 0; i < first; i++) {
        for (uint32_t j = first; j < 4; j++) {
            least = fmin(least, ov_vec3_dot(normal, ov_vec3_sub(p[i], p[j])));
        }
    }
    return fmax(least, 0.0);
}

static void add_layer(layer_search *s, const uint32_t v[4], const ov_vec3 p[4],
                      const feature_pair *f, double bound) {
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
    *layer = (ovi_cloth_layer){.collider = s->collider, .first = f->first, .friction = s->friction};
    memcpy(layer->v, v, sizeof layer->v);
    memcpy(layer->weight, f->weight, sizeof layer->weight);
    if (f->distance > 1e-9 * thickness) {
        layer->normal = ov_vec3_scale(f->apart, 1.0 / f->distance);
        layer->allowed = 2.0 * bound * width_along(p, f->first, layer->normal) / f->distance;
    } else { // what lies on a mesh is to stay on the side that its triangle faces
        layer->normal = v[0] < cloth->vertex_count ? s->outward : ov_vec3_neg(s->outward);
    }
    if (f->distance < s->keep) {
        // what is closer than the thickness is brought apart over some steps
        layer->target = fmin(thickness, f->distance + 0.1 * thickness);
    }
}

/** Bounds of the vertices of a pair, and repulsion. */
static void take_pair(layer_search *s, const uint32_t v[4], const ov_vec3 p[4],
                      const feature_pair *f) {
    ov_cloth *cloth = s->cloth;
    if (!(f->distance < s->reach)) {
        return;
    }
    // a distance that shrank to a tenth at each search would soon be no more than rounding, where
    // pins pull as hard as it takes: below a small part of the thickness ever less of it is given
    double d = f->distance, least = 1e-4 * layer_thickness(cloth);
    double bound = share * d * (d / (d + least));
    for (int i = 0; i < 4; i++) {
        if (v[i] < cloth->vertex_count) {
            cloth->bound[v[i]] = fmin(cloth->bound[v[i]], bound);
        }
    }
    add_layer(s, v, p, f, bound);
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
            take_pair(s, v, p, &f);
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
            take_pair(s, v, p, &f);
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
    s->outward =
        ov_vec3_normalize(ov_vec3_cross(ov_vec3_sub(a.p[1], a.p[0]), ov_vec3_sub(a.p[2], a.p[0])));
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
    for (size_t i = 0; colliders != NULL && i < cloth->solid_count && !s.failed; i++) {
        if (cloth->solids[i].path == OVI_SOLID_MESH) {
            s.collider = cloth->solids[i].collider;
            s.friction = colliders[s.collider].friction;
            mesh_layers(&s, &cloth->solids[i]);
        }
    }
    cloth->measured = !s.failed;
    return s.failed ? OV_ERROR_MEMORY : OV_OK;
}

ov_status ovi_cloth_check_layers(ov_cloth *cloth) {
    size_t crossings = 0;
    ov_status status = ov_cloth_crossings(cloth, &crossings);
    if (status != OV_OK || crossings > 0) {
        return status == OV_OK ? OV_ERROR_CROSSING : status;
    }
    cloth->measured = false;
    status = ovi_cloth_find_layers(cloth, NULL);
    cloth->measured = false; // without the meshes
    // so little is left to pairs that are less than a millionth of the thickness apart
    double least = 1e-8 * layer_thickness(cloth);
    for (size_t i = 0; i < cloth->layer_count && status == OV_OK; i++) {
        status = cloth->layers[i].allowed < least ? OV_ERROR_CROSSING : OV_OK;
    }
    return status;
}

/* ---- repulsion */

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

/** Where a mesh is touched. */
static ov_vec3 mesh_point(const ov_cloth *cloth, const ovi_cloth_layer *l) {
    ov_vec3 point = {0.0, 0.0, 0.0};
    for (int i = 0; i < 4; i++) {
        if (l->v[i] >= cloth->vertex_count) {
            ov_vec3 corner = cloth->outside[l->v[i] - cloth->vertex_count];
            point = ov_vec3_add_scaled(point, corner, fabs(l->weight[i]));
        }
    }
    return point;
}

static bool separate(ov_cloth *cloth, ov_cloth_collider *colliders, const ovi_cloth_layer *l,
                     double h) {
    ov_vec3 at, way;
    layer_state(cloth, l, &at, &way);
    double height = ov_vec3_dot(l->normal, at) - l->target, total = 0.0;
    if (height >= 0.0) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        bool own = l->v[i] < cloth->vertex_count;
        total += own ? l->weight[i] * l->weight[i] * cloth->w[l->v[i]] : 0.0;
    }
    if (l->collider != OV_NO_COLLIDER) {
        ov_vec3 point = mesh_point(cloth, l);
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
        ovi_cloth_push(cloth, colliders, l->collider, mesh_point(cloth, l), impulse, h);
    }
    return true;
}

void ovi_cloth_separate_layers(ov_cloth *cloth, ov_cloth_collider *colliders, double h) {
    enum { SWEEPS = 2 };
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        cloth->self_contacts = 0;
        for (size_t i = 0; i < cloth->layer_count; i++) {
            const ovi_cloth_layer *l = &cloth->layers[i];
            cloth->self_contacts += l->target > 0.0 && separate(cloth, colliders, l, h);
        }
    }
}

/* ---- how far vertices may go */

/** Ways of the vertices of a pair since it was measured. */
static void ways_of(const ov_cloth *cloth, const ovi_cloth_layer *l, ov_vec3 way[4]) {
    for (int i = 0; i < 4; i++) {
        size_t v = l->v[i], k = v - cloth->vertex_count;
        way[i] = v < cloth->vertex_count
                     ? ov_vec3_sub(ovi_cloth_at(cloth->x, v), ovi_cloth_at(cloth->anchor, v))
                     : ov_vec3_sub(cloth->outside[k], cloth->outside_start[k]);
    }
}

/** How far a vertex of one feature comes closer to one of the other, at most, along the normal; in
 *  any direction where features that touch have none. */
static double approach_of(const ovi_cloth_layer *l, const ov_vec3 way[4]) {
    bool touching = ov_vec3_dot(l->normal, l->normal) == 0.0;
    double most = 0.0;
    for (uint32_t i = 0; i < l->first; i++) {
        for (uint32_t j = l->first; j < 4; j++) {
            ov_vec3 d = ov_vec3_sub(way[j], way[i]);
            most = fmax(most, touching ? ov_vec3_length(d) : ov_vec3_dot(l->normal, d));
        }
    }
    return most;
}

/** Of the vertices from begin to end, the one that has gone least along a direction. */
static uint32_t least_along(const double along[4], uint32_t begin, uint32_t end, double sign) {
    uint32_t best = begin;
    for (uint32_t i = begin + 1; i < end; i++) {
        best = sign * along[i] < sign * along[best] ? i : best;
    }
    return best;
}

/**
 * Brings the vertices of a pair that come closest together along the normal to what is left to
 * them, by their masses: as in an impact without rebound, momentum is kept. A mesh gets the
 * impulse.
 */
static void join_ways(ov_cloth *cloth, ov_cloth_collider *colliders, const ovi_cloth_layer *l,
                      const ov_vec3 way[4], double left, double h) {
    enum { TIMES = 4 };
    double w[4], along[4], impulse = 0.0;
    for (int i = 0; i < 4; i++) {
        w[i] = l->v[i] < cloth->vertex_count ? cloth->w[l->v[i]] : 0.0;
        along[i] = ov_vec3_dot(l->normal, way[i]);
    }
    for (int k = 0; k < TIMES; k++) {
        uint32_t i = least_along(along, 0, l->first, 1.0);
        uint32_t j = least_along(along, l->first, 4, -1.0);
        double over = along[j] - along[i] - left, total = w[i] + w[j];
        if (!(over > 0.0) || !(total > 0.0)) {
            break;
        }
        const uint32_t both[2] = {i, j};
        for (int side = 0; side < 2; side++) {
            uint32_t at = both[side];
            double by = (side == 0 ? over : -over) * w[at] / total;
            along[at] += by;
            if (w[at] > 0.0) {
                cloth->x[l->v[at]] += ovi_cloth_pack(l->normal) * by;
                impulse -= by / (w[at] * h);
            }
        }
    }
    if (l->collider != OV_NO_COLLIDER) {
        ovi_cloth_push(cloth, colliders, l->collider, mesh_point(cloth, l),
                       ov_vec3_scale(l->normal, impulse), h);
    }
}

/** Brings a vertex back within a distance of where it was measured. Was it beyond? */
static bool bring_back(ov_cloth *cloth, size_t v, double bound) {
    ovi_v4 d = cloth->x[v] - cloth->anchor[v], q = d * d;
    double way = sqrt(q[0] + q[1] + q[2]);
    if (way > bound) {
        ovi_v4 by = d * (bound / way - 1.0), old = cloth->x[v] - cloth->prev[v], fresh = old + by;
        ovi_v4 oo = old * old, ff = fresh * fresh;
        cloth->x[v] += by;
        // a body may have lifted it out with where it was before: that must not become speed
        bool faster = ff[0] + ff[1] + ff[2] > oo[0] + oo[1] + oo[2];
        cloth->prev[v] += faster ? by : ovi_v4_of(0.0);
    }
    return way > bound;
}

/** Where ways could not be joined, as pins pull at them: each vertex by itself, and again those
 *  that are then too fast for a neighbour. A vertex is brought back once at most. */
static void bring_back_pairs(ov_cloth *cloth) {
    for (bool any = true; any;) {
        any = false;
        for (size_t i = 0; i < cloth->layer_count; i++) {
            const ovi_cloth_layer *l = &cloth->layers[i];
            ov_vec3 way[4];
            ways_of(cloth, l, way);
            if (approach_of(l, way) <= l->allowed) {
                continue;
            }
            for (int k = 0; k < 4; k++) {
                uint32_t v = l->v[k];
                // a little less than the bound, which rounding could make it miss for ever
                if (v < cloth->vertex_count &&
                    ov_vec3_length(way[k]) > cloth->bound[v] * (1.0 - 1e-9)) {
                    any = bring_back(cloth, v, cloth->bound[v] * (1.0 - 2e-9)) || any;
                }
            }
        }
    }
}

/** Joins the ways of all pairs that would meet. Were there any? Where a pair has used half of its
 *  distance it is measured again. */
static bool join_all(ov_cloth *cloth, ov_cloth_collider *colliders, double h) {
    bool any = false;
    for (size_t i = 0; i < cloth->layer_count; i++) {
        const ovi_cloth_layer *l = &cloth->layers[i];
        ov_vec3 way[4];
        ways_of(cloth, l, way);
        double most = approach_of(l, way);
        if (most > 0.5 * l->allowed) {
            cloth->measured = false;
        }
        if (most > l->allowed) {
            join_ways(cloth, colliders, l, way, 0.95 * l->allowed, h);
            any = true;
        }
    }
    return any;
}

void ovi_cloth_limit(ov_cloth *cloth, ov_cloth_collider *colliders, double h) {
    enum { SWEEPS = 6 };
    const double far = share * layer_reach(cloth);
    bool near = moving_mesh(cloth);
    for (size_t i = 0; i < cloth->vertex_count; i++) {
        ovi_v4 d = cloth->x[i] - cloth->anchor[i], q = d * d;
        double squared = q[0] + q[1] + q[2], bound = cloth->bound[i];
        near = near || squared > 0.25 * bound * bound;
        cloth->measured = cloth->measured && squared <= 0.25 * far * far;
        if (squared > far * far) {
            (void)bring_back(cloth, i, far);
        }
    }
    if (!near) {
        return; // no vertex has gone as far as the nearest layer allows
    }
    bool any = true;
    for (int sweep = 0; sweep < SWEEPS && any; sweep++) {
        any = join_all(cloth, colliders, h);
    }
    if (any) {
        bring_back_pairs(cloth);
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
