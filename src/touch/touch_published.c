/**
 * @file touch_published.c
 * @brief The distance map of [SQMap, 4], as published, with the corrections that it needs to work.
 *
 * Every part has a grid of samples on its surface, each with its normal and the distance of the
 * mesh along it, inwards (eq. 11). A point is looked up by searching for the sample whose normal
 * points at it (eq. 15-19), with 8 N_L + 1 evaluations, and is in contact if it is deeper below the
 * superquadric than the mesh is there. Layer 3 does the same on a grid of twice the density, in
 * which vertices of the mesh have their own distances (4.1.3), and interpolates.
 *
 * Departures:
 *   - The grid. Eq. 9 is right about the axis and lacks the section's radius from pole to pole.
 * What it is meant to do, projecting the nodes of a sphere, is done here directly: the scaled point
 *     is moved along its ray to the surface. The angles of any point are then those of its scaled
 *     coordinates.
 *   - The normal is that of the gauge, outwards and of unit length; eq. 24 is neither.
 *   - Pruning [SQMap, 2]: a sample within another part that sees that part's mesh says nothing.
 *   - Eq. 19 is as printed. For points closer to the superquadric than its samples are to one
 *     another it prefers samples far away, whose line to the point is the better aligned one.
 *   - The offset of eq. 12 is as printed. It is next to nothing, since the gradient vanishes at a
 *     minimum.
 */
#include "../math/rounding_mode.h"
#include "../shape/unit_superellipse.h"
#include "touch_internal.h"

enum { SUBDIVISIONS_MAX = 3, DENSE = 10 }; // DENSE: k_L of [SQMap, 4.2]
static const double offset_factor = 1.5;   // a_N of eq. 12

/** Samples of a part, eta first. */
typedef struct grid {
    uint32_t eta, omega;
    float (*points)[3], (*normals)[3];
    float *depths; /**< of the mesh below the sample; infinite: nothing is there; NaN: pruned */
} grid;

typedef struct map_part {
    ov_shape shape;
    ov_pose pose;
    size_t vertex_count; /**< of the mesh, N_m */
    bool fine;           /**< is Layer 3 of use? */
    grid grids[2];       /**< Layer 2, Layer 3 */
} map_part;

struct ov_touch_published {
    ov_allocator allocator;
    map_part *parts;
    size_t part_count;
    ov_touch_published_report report;
};

/* ---- grids */

/** The surface point on the ray of a unit vector, in scaled coordinates. */
static ov_vec3 surface_point(const ov_shape *s, double eta, double omega, ov_vec3 *normal) {
    ov_vec3 d =
        ov_vec3_mul(s->a, ov_vec3_make(cos(eta) * cos(omega), cos(eta) * sin(omega), sin(eta)));
    double t = 1.0, value = 1.0;
    // tapered gauges are not homogeneous: a few steps of the fixed point of t / G(t d)
    for (int i = 0; i < 40; i++) {
        if (ov_shape_gauge_value(s, ov_vec3_scale(d, t), &value) < OV_OK || !(value > 0.0)) {
            break;
        }
        t /= value;
        if (fabs(value - 1.0) < 1e-14) {
            break;
        }
    }
    ov_field field;
    ov_vec3 p = ov_vec3_scale(d, t);
    *normal = ov_shape_gauge(s, p, &field) >= OV_OK ? ov_vec3_normalize(field.gradient)
                                                    : ov_vec3_normalize(d);
    return p;
}

static double eta_of(const grid *g, uint32_t i) { return OVI_PI * (i / (g->eta - 1.0) - 0.5); }
static double omega_of(const grid *g, uint32_t j) { return OVI_PI * (2.0 * j / g->omega - 1.0); }
static size_t at(const grid *g, uint32_t i, uint32_t j) { return (size_t)i * g->omega + j; }

static ov_vec3 vec_of(const float v[3]) { return ov_vec3_make(v[0], v[1], v[2]); }

static void put_vec(float out[3], ov_vec3 v) {
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

/** What the making of a map works with. */
typedef struct maker {
    ov_touch_published *map;
    const ov_trimesh *surface; // rays hit its triangles from either side
    const uint32_t *labels;    // the part of each triangle
    bool offset;
} maker;

/** Is a point of a part's frame inside another part? */
static bool is_in_other(const maker *m, size_t part, ov_vec3 world) {
    bool inside = false;
    for (size_t i = 0; i < m->map->part_count && !inside; i++) {
        const map_part *p = &m->map->parts[i];
        if (i != part) {
            (void)ov_shape_contains(&p->shape, ov_pose_apply_inverse(p->pose, world), &inside);
        }
    }
    return inside;
}

/** A ray from a point of a part. One that grazes an edge or a vertex, where it is not told whether
 *  it hits, goes by a little beside it. */
static bool cast(const maker *m, const map_part *p, ov_vec3 from, ov_vec3 along, ov_ray_hit *hit,
                 uint32_t *triangle) {
    static const double beside[][2] = {{0.0, 0.0}, {1.0, 0.3}, {-0.7, 1.0}, {0.2, -1.0}};
    ov_vec3 u = ov_vec3_normalize(fabs(along.x) < 0.6 ? ov_vec3_make(0.0, -along.z, along.y)
                                                      : ov_vec3_make(-along.z, 0.0, along.x));
    ov_vec3 v = ov_vec3_cross(along, u);
    double step = 1e-9 * p->shape.ball.radius;
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
        ov_vec3 origin = ov_vec3_add_scaled(from, u, step * beside[i][0]);
        origin = ov_vec3_add_scaled(origin, v, step * beside[i][1]);
        ov_status status = ov_trimesh_ray_cast(m->surface, ov_pose_identity(), origin, along,
                                               2.0 * p->shape.ball.radius, hit, triangle);
        if (status <= OV_OK || hit->hit) {
            return status >= OV_OK && hit->hit;
        }
    }
    return false;
}

/** Eq. 11: how far below a sample the mesh is, along its normal. */
static float depth_below(const maker *m, size_t part, ov_vec3 point, ov_vec3 normal) {
    const map_part *p = &m->map->parts[part];
    ov_vec3 world = ov_pose_apply(p->pose, point);
    ov_vec3 inwards = ov_vec3_neg(ov_quat_rotate(p->pose.rotation, normal));
    ov_ray_hit hit;
    uint32_t triangle = OV_NO_TRIANGLE;
    if (!cast(m, p, world, inwards, &hit, &triangle)) {
        return INFINITY;
    }
    if (triangle != OV_NO_TRIANGLE && m->labels[triangle] != part && is_in_other(m, part, world)) {
        m->map->report.pruned++;
        return NAN;
    }
    return (float)hit.distance;
}

static bool make_grid(const maker *m, size_t part, grid *g, uint32_t eta, uint32_t omega) {
    const ov_allocator *memory = &m->map->allocator;
    size_t count = (size_t)eta * omega;
    g->eta = eta;
    g->omega = omega;
    g->points = ovi_resize(memory, NULL, 0, count, sizeof *g->points);
    g->normals = ovi_resize(memory, NULL, 0, count, sizeof *g->normals);
    g->depths = ovi_resize(memory, NULL, 0, count, sizeof *g->depths);
    if (g->points == NULL || g->normals == NULL || g->depths == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < eta; i++) {
        for (uint32_t j = 0; j < omega; j++) {
            ov_vec3 normal, p = surface_point(&m->map->parts[part].shape, eta_of(g, i),
                                              omega_of(g, j), &normal);
            put_vec(g->points[at(g, i, j)], p);
            put_vec(g->normals[at(g, i, j)], normal);
            g->depths[at(g, i, j)] = depth_below(m, part, p, normal);
        }
    }
    return true;
}

static void free_grid(const ov_allocator *memory, grid *g) {
    size_t count = (size_t)g->eta * g->omega;
    ovi_release(memory, g->points, count, sizeof *g->points);
    ovi_release(memory, g->normals, count, sizeof *g->normals);
    ovi_release(memory, g->depths, count, sizeof *g->depths);
}

/** Eq. 12: at local minima of the depth some of it is taken away. */
static void subtract_offset(grid *g) {
    for (uint32_t i = 1; i + 1 < g->eta; i++) {
        for (uint32_t j = 0; j < g->omega; j++) {
            uint32_t before = (j + g->omega - 1) % g->omega, after = (j + 1) % g->omega;
            const size_t sides[4] = {at(g, i - 1, j), at(g, i + 1, j), at(g, i, before),
                                     at(g, i, after)};
            float d = g->depths[at(g, i, j)];
            bool least = true;
            for (int k = 0; k < 4; k++) {
                least = least && d < g->depths[sides[k]];
            }
            double along = ov_vec3_length(
                ov_vec3_sub(vec_of(g->points[sides[1]]), vec_of(g->points[sides[0]])));
            double across = ov_vec3_length(
                ov_vec3_sub(vec_of(g->points[sides[3]]), vec_of(g->points[sides[2]])));
            if (!least || !(along > 0.0) || !(across > 0.0)) {
                continue;
            }
            double u = (g->depths[sides[1]] - g->depths[sides[0]]) / along;
            double v = (g->depths[sides[3]] - g->depths[sides[2]]) / across;
            double offset = offset_factor * 0.25 * (along + across) * sqrt(u * u + v * v);
            g->depths[at(g, i, j)] = isfinite(offset) ? (float)(d - offset) : d;
        }
    }
}

/* ---- the search of 4.2.2 */

/** A place on a grid, in samples. */
typedef struct place {
    int32_t i, j;
} place;

static place hold(const grid *g, place p) {
    int32_t eta = (int32_t)g->eta, omega = (int32_t)g->omega;
    p.i = p.i < 0 ? 0 : p.i >= eta ? eta - 1 : p.i;
    p.j = (p.j % omega + omega) % omega;
    return p;
}

static double eta_at(const ov_shape *s, ov_vec3 p) {
    return atan2(p.z / s->a.z, hypot(p.x / s->a.x, p.y / s->a.y));
}
static double omega_at(const ov_shape *s, ov_vec3 p) { return atan2(p.y / s->a.y, p.x / s->a.x); }

/** Eq. 19. */
static double alignment(const grid *g, place p, ov_vec3 m) {
    size_t n = at(g, (uint32_t)p.i, (uint32_t)p.j);
    ov_vec3 line = ov_vec3_sub(vec_of(g->points[n]), m);
    double length = sqrt(ov_vec3_dot(line, line));
    return length > 0.0 ? fabs(ov_vec3_dot(vec_of(g->normals[n]), line)) / length : 1.0;
}

/** Eq. 15 and 16: to which side of a point's own angle its projection is to be searched for. */
static int direction(double angle, double exponent) {
    double rest = angle - floor(angle / (0.5 * OVI_PI)) * (0.5 * OVI_PI);
    bool first = rest < 0.25 * OVI_PI;
    return first == (exponent < 1.0) ? -1 : 1;
}

/** Eq. 17 and 18, with 8 N_L + 1 evaluations. */
static place search(const grid *g, const ov_shape *s, ov_vec3 m, size_t *evaluations) {
    double eta = eta_at(s, m), omega = omega_at(s, m);
    int levels = (int)floor(fmax(log2(g->eta / 16.0), log2(g->omega / 32.0)));
    levels = levels < 1 ? 1 : levels;
    int32_t step = 1 << (levels - 1);
    // the middle of the region that begins at the point's own angles
    place best = hold(g, (place){(int32_t)lround((eta / OVI_PI + 0.5) * (g->eta - 1.0)) +
                                     direction(eta, s->e2) * step,
                                 (int32_t)lround((omega / OVI_PI + 1.0) * 0.5 * g->omega) +
                                     direction(omega, s->e1) * step});
    double most = alignment(g, best, m);
    ++*evaluations;
    for (; step > 0; step /= 2) {
        place middle = best;
        for (int n = 0; n < 9; n++) {
            if (n == 4) {
                continue;
            }
            place p =
                hold(g, (place){middle.i + (n / 3 - 1) * step, middle.j + (n % 3 - 1) * step});
            double a = alignment(g, p, m);
            ++*evaluations;
            best = a > most ? p : best;
            most = a > most ? a : most;
        }
    }
    return best;
}

/* ---- vertices of the mesh (4.1.3) */

/** Is the mesh in the way from a vertex to its projection? What is at the vertex does not count. */
static bool is_hidden(const maker *m, ov_vec3 vertex, ov_vec3 to) {
    ov_vec3 way = ov_vec3_sub(to, vertex);
    double length = ov_vec3_length(way), skip = 1e-6 * length;
    ov_ray_hit hit;
    if (!(length > 0.0)) {
        return false;
    }
    ov_vec3 start = ov_vec3_add_scaled(vertex, way, skip / length);
    return ov_trimesh_ray_cast(m->surface, ov_pose_identity(), start, way, length - skip, &hit,
                               NULL) >= OV_OK &&
           hit.hit;
}

/** Gives the sample nearest to a vertex's projection the vertex's own distance. */
static void project_vertex(const maker *m, const map_part *p, ov_vec3 vertex) {
    const grid *g = &p->grids[1];
    ov_vec3 local = ov_pose_apply_inverse(p->pose, vertex);
    size_t evaluations = 0;
    place found = search(g, &p->shape, local, &evaluations);
    size_t n = at(g, (uint32_t)found.i, (uint32_t)found.j);
    ov_vec3 point = vec_of(g->points[n]);
    if (is_hidden(m, vertex, ov_pose_apply(p->pose, point))) {
        m->map->report.hidden++;
        return;
    }
    g->depths[n] = (float)ov_vec3_length(ov_vec3_sub(local, point));
    m->map->report.projected++;
}

static void project_vertices(const maker *m, size_t part) {
    const uint32_t(*triangles)[3] = ov_trimesh_triangles(m->surface);
    const ov_vec3 *vertices = ov_trimesh_vertices(m->surface);
    size_t count = ov_trimesh_triangle_count(m->surface);
    for (size_t t = 0; t < count; t++) {
        for (int k = 0; k < 3 && m->labels[t] == part; k++) {
            project_vertex(m, &m->map->parts[part], vertices[triangles[t][k]]);
        }
    }
}

/* ---- making maps */

static ov_status read_options(const ov_touch_published_options *given,
                              ov_touch_published_options *o) {
    *o = given != NULL ? *given : (ov_touch_published_options){0};
    o->eta_count = o->eta_count == 0 ? 100 : o->eta_count;
    o->omega_count = o->omega_count == 0 ? 200 : o->omega_count;
    o->accuracy = o->accuracy == 0 ? 1 : o->accuracy;
    bool good = o->eta_count >= 16 && o->eta_count <= 4096 && o->omega_count >= 32 &&
                o->omega_count <= 8192 && o->accuracy <= SUBDIVISIONS_MAX;
    return good ? OV_OK : OV_ERROR_OPTION;
}

static ov_status take_parts(ov_touch_published *map, const ov_touch_part *parts) {
    for (size_t i = 0; i < map->part_count; i++) {
        map_part *p = &map->parts[i];
        double value;
        p->shape = parts[i].shape;
        p->pose = ov_pose_default(parts[i].pose);
        ov_status status = ovi_pose_normalize(&p->pose);
        // the gauge tells the smooth family from all else
        status = status == OV_OK ? ov_shape_gauge_value(&p->shape, p->shape.a, &value) : status;
        if (status < OV_OK) {
            return status;
        }
    }
    return OV_OK;
}

/** The part that a triangle is of: the one whose gauge is least at its middle. */
static void label(const ov_touch_published *map, const ov_trimesh *mesh, uint32_t *labels) {
    for (size_t t = 0; t < ov_trimesh_triangle_count(mesh); t++) {
        ov_vec3 c[3];
        double least = INFINITY, value;
        ovi_trimesh_corners(mesh, t, c);
        ov_vec3 middle = ov_vec3_scale(ov_vec3_add(ov_vec3_add(c[0], c[1]), c[2]), 1.0 / 3.0);
        labels[t] = 0;
        for (uint32_t i = 0; i < map->part_count; i++) {
            const map_part *p = &map->parts[i];
            ov_vec3 local = ov_pose_apply_inverse(p->pose, middle);
            if (ov_shape_gauge_value(&p->shape, local, &value) >= OV_OK && value < least) {
                least = value;
                labels[t] = i;
            }
        }
        map->parts[labels[t]].vertex_count++; // triangles, of which there are two to a vertex
    }
    for (size_t i = 0; i < map->part_count; i++) {
        map->parts[i].vertex_count = (map->parts[i].vertex_count + 1) / 2;
    }
}

static bool make_part(const maker *m, size_t part, const ov_touch_published_options *o) {
    map_part *p = &m->map->parts[part];
    ov_touch_published_report *report = &m->map->report;
    size_t samples = (size_t)o->eta_count * o->omega_count;
    size_t per_sample = sizeof *p->grids[0].points + sizeof *p->grids[0].normals + sizeof(float);
    if (!make_grid(m, part, &p->grids[0], o->eta_count, o->omega_count)) {
        return false;
    }
    report->samples += samples;
    report->bytes += samples * per_sample;
    p->fine = o->always_fine || samples < DENSE * p->vertex_count;
    report->fine_parts += p->fine;
    size_t pruned = report->pruned;
    if (!make_grid(m, part, &p->grids[1], o->eta_count << o->accuracy,
                   o->omega_count << o->accuracy)) {
        return false;
    }
    report->pruned = pruned; // of the grid of Layer 2 alone
    report->fine_bytes += (samples << 2 * o->accuracy) * per_sample;
    report->bytes += (samples << 2 * o->accuracy) * per_sample;
    project_vertices(m, part);
    for (int i = 0; i < 2 && m->offset; i++) {
        subtract_offset(&p->grids[i]);
    }
    return true;
}

static ov_status build(ov_touch_published *map, const ov_trimesh *surface,
                       const ov_touch_published_options *o) {
    size_t count = ov_trimesh_triangle_count(surface);
    ov_aabb box = ov_trimesh_box(surface);
    double diagonal = ov_vec3_length(ov_vec3_sub(box.max, box.min));
    double reach = ovi_larger(ov_vec3_length(box.min), ov_vec3_length(box.max));
    if (!(diagonal >= OV_TOUCH_SIZE_MIN && reach <= OV_TOUCH_SIZE_MAX)) {
        return OV_ERROR_SIZE_RANGE; // samples are in single precision
    }
    uint32_t *labels = ovi_resize(&map->allocator, NULL, 0, count, sizeof *labels);
    bool good = labels != NULL;
    if (good) {
        label(map, surface, labels);
    }
    maker m = {map, surface, labels, !o->no_offset};
    for (size_t i = 0; i < map->part_count && good; i++) {
        good = make_part(&m, i, o);
    }
    ovi_release(&map->allocator, labels, count, sizeof *labels);
    return good ? OV_OK : OV_ERROR_MEMORY;
}

ov_status ov_touch_published_create(const ov_vec3 *vertices, size_t vertex_count,
                                    const uint32_t (*triangles)[3], size_t triangle_count,
                                    const ov_touch_part *parts, size_t part_count,
                                    const ov_touch_published_options *options,
                                    const ov_allocator *allocator, ov_touch_published **map) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_touch_published_create(vertices, vertex_count, triangles,
                                                              triangle_count, parts, part_count,
                                                              options, allocator, map));
    if (map == NULL) {
        return OV_ERROR_NULL;
    }
    *map = NULL;
    ov_touch_published_options o;
    ov_status status = parts == NULL ? OV_ERROR_NULL
                       : part_count == 0 || part_count > OV_TOUCH_PARTS_MAX
                           ? OV_ERROR_COUNT
                           : read_options(options, &o);
    if (status != OV_OK) {
        return status;
    }
    ov_allocator memory = ovi_allocator_of(allocator);
    ov_touch_published *made = ovi_resize(&memory, NULL, 0, 1, sizeof *made);
    if (made == NULL) {
        return OV_ERROR_MEMORY;
    }
    *made = (ov_touch_published){.allocator = memory, .part_count = part_count};
    made->parts = ovi_resize(&memory, NULL, 0, part_count, sizeof *made->parts);
    ov_trimesh *surface = NULL;
    status = made->parts != NULL ? OV_OK : OV_ERROR_MEMORY;
    if (status == OV_OK) {
        memset(made->parts, 0, part_count * sizeof *made->parts);
        status = take_parts(made, parts);
    }
    status = status == OV_OK ? ov_trimesh_create_surface(vertices, vertex_count, triangles,
                                                         triangle_count, allocator, &surface)
                             : status;
    status = status == OV_OK ? build(made, surface, &o) : status;
    ov_trimesh_destroy(surface);
    if (status != OV_OK) {
        ov_touch_published_destroy(made);
        return status;
    }
    *map = made;
    return OV_OK;
}

void ov_touch_published_destroy(ov_touch_published *map) {
    if (map == NULL) {
        return;
    }
    ov_allocator memory = map->allocator;
    for (size_t i = 0; i < map->part_count && map->parts != NULL; i++) {
        free_grid(&memory, &map->parts[i].grids[0]);
        free_grid(&memory, &map->parts[i].grids[1]);
    }
    ovi_release(&memory, map->parts, map->part_count, sizeof *map->parts);
    ovi_release(&memory, map, 1, sizeof *map);
}

ov_touch_published_grid ov_touch_published_part(const ov_touch_published *map, size_t part) {
    if (map == NULL || part >= map->part_count) {
        return (ov_touch_published_grid){.depths = NULL};
    }
    const map_part *p = &map->parts[part];
    const grid *g = &p->grids[0];
    return (ov_touch_published_grid){p->shape, p->pose, g->eta, g->omega, g->depths};
}

ov_touch_published_report ov_touch_published_describe(const ov_touch_published *map) {
    return map != NULL ? map->report : (ov_touch_published_report){0};
}

/* ---- the layers of 4.2 */

/** Layer 3: the depth at the projection of a point, interpolated from the samples around it. */
static double interpolated(const grid *g, const ov_shape *s, place found, ov_vec3 m) {
    size_t n = at(g, (uint32_t)found.i, (uint32_t)found.j);
    ov_vec3 point = vec_of(g->points[n]), normal = vec_of(g->normals[n]);
    // the foot of the point in the plane of the sample it was found at
    double height = ov_vec3_dot(normal, ov_vec3_sub(m, point));
    ov_vec3 foot = ov_vec3_add_scaled(m, normal, -height);
    double x = (eta_at(s, foot) / OVI_PI + 0.5) * (g->eta - 1.0);
    double y = (omega_at(s, foot) / OVI_PI + 1.0) * 0.5 * g->omega;
    place low = hold(g, (place){(int32_t)floor(x), (int32_t)floor(y)});
    place high = hold(g, (place){low.i + 1, low.j + 1});
    double u = x - floor(x), v = y - floor(y);
    const float *d = g->depths;
    double a = d[at(g, (uint32_t)low.i, (uint32_t)low.j)],
           b = d[at(g, (uint32_t)low.i, (uint32_t)high.j)];
    double c = d[at(g, (uint32_t)high.i, (uint32_t)low.j)],
           e = d[at(g, (uint32_t)high.i, (uint32_t)high.j)];
    double depth = (1.0 - u) * ((1.0 - v) * a + v * b) + u * ((1.0 - v) * c + v * e);
    return isfinite(depth) ? depth : d[n];
}

/** Layers 2 and 3 for a point inside a part: the depth of the mesh less that of the point. */
static double part_distance(const map_part *p, ov_vec3 m, int layer, size_t *evaluations) {
    bool fine = layer == 3 && p->fine;
    const grid *g = &p->grids[fine ? 1 : 0];
    place found = search(g, &p->shape, m, evaluations);
    size_t n = at(g, (uint32_t)found.i, (uint32_t)found.j);
    double depth = fine ? interpolated(g, &p->shape, found, m) : g->depths[n];
    return depth - ov_vec3_length(ov_vec3_sub(vec_of(g->points[n]), m));
}

ov_status ov_touch_published_point(const ov_touch_published *map, ov_vec3 point, int layer,
                                   ov_touch_published_answer *answer) {
    if (answer == NULL) {
        return OV_ERROR_NULL;
    }
    *answer = (ov_touch_published_answer){.distance = NAN, .part = OV_NO_PART};
    if (map == NULL) {
        return OV_ERROR_NULL;
    }
    if (!ov_vec3_is_finite(point)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (layer < 1 || layer > 3) {
        return OV_ERROR_OPTION;
    }
    for (uint32_t i = 0; i < map->part_count; i++) {
        const map_part *p = &map->parts[i];
        ov_vec3 m = ov_pose_apply_inverse(p->pose, point);
        ov_vec3 from = ov_vec3_sub(m, p->shape.ball.centre);
        double value, radius = p->shape.ball.radius;
        if (ov_vec3_dot(from, from) > radius * radius ||
            ov_shape_gauge_value(&p->shape, m, &value) < OV_OK || value > 1.0) {
            continue;
        }
        answer->inside = true;
        double distance = layer > 1 ? part_distance(p, m, layer, &answer->evaluations) : NAN;
        if (distance < answer->distance || isnan(answer->distance)) {
            answer->distance = isfinite(distance) ? distance : answer->distance;
            answer->part = i;
        }
    }
    answer->contact = layer == 1 ? answer->inside : answer->distance <= 0.0;
    return OV_OK;
}
