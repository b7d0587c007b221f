/**
 * @file fit_symmetry.c
 * @brief The directions that the axes of a fitted body keep to: planes of symmetry of the input,
 * and an axis that is asked for.
 *
 * A plane of symmetry goes through the centroid of the surface, and is looked for where it can be:
 *
 *     1. Its normal is a principal axis of the surface, whose moments are integrated triangle by
 *        triangle. Where two of these moments are equal every direction between them is one, and
 *        they are tried degree by degree, the best one then closed in on.
 *     2. Where all three are equal that says nothing. The normals of the largest triangles, for
 *        cubes and the like, and the axes of the input's frame are tried in any case; and then
 *        directions all around, the best one again closed in on.
 *     3. A normal counts if the mirror images of points spread over the surface, and of vertices,
 *        are all near the surface. The best one is taken first, then those at right angles to it.
 *
 * Of a cloud the points themselves are the surface.
 */
#include <math.h>
#include <stdlib.h>

#include <ovoid/trimesh.h>

#include "../math/eigen.h"
#include "fit_shape_internal.h"

/** Points whose mirror images are looked at, of samples and of vertices; largest triangles. */
enum { POINTS_MAX = 300, LARGEST = 8, CANDIDATES = 12 + LARGEST };

/** The input in the unit of the fit, and what is asked of it. */
typedef struct surface {
    const ov_fit_input *in;
    ov_vec3 *points;
    ov_trimesh *mesh; // null for a cloud
    ov_vec3 probes[2 * POINTS_MAX];
    size_t probe_count;
    ov_vec3 centroid;
    double tolerance;
} surface;

static void surface_close(surface *s) {
    ov_trimesh_destroy(s->mesh);
    free(s->points);
}

static void corners_of(const surface *s, size_t triangle, ov_vec3 t[3]) {
    for (int i = 0; i < 3; i++) {
        t[i] = s->points[s->in->triangles[triangle][i]];
    }
}

static ov_status surface_open(const ov_fit_input *in, ov_vec3 origin, double unit,
                              const ov_vec3 *samples, size_t sample_count, surface *s) {
    s->in = in;
    s->points = malloc(in->point_count * sizeof *s->points);
    if (s->points == NULL) {
        return OV_ERROR_MEMORY;
    }
    for (size_t i = 0; i < in->point_count; i++) {
        s->points[i] = ov_vec3_scale(ov_vec3_sub(in->points[i], origin), 1.0 / unit);
    }
    for (size_t i = 0; i < sample_count && i < POINTS_MAX; i++) {
        s->probes[s->probe_count++] = samples[i];
    }
    size_t corners = in->triangle_count > 0 ? 3 * in->triangle_count : in->point_count;
    size_t stride = corners / POINTS_MAX + 1;
    for (size_t i = 0; i < corners && s->probe_count < 2 * POINTS_MAX; i += stride) {
        s->probes[s->probe_count++] =
            s->points[in->triangle_count > 0 ? in->triangles[i / 3][i % 3] : i];
    }
    return in->triangle_count == 0
               ? OV_OK
               : ov_trimesh_create_surface(s->points, in->point_count, in->triangles,
                                           in->triangle_count, NULL, &s->mesh);
}

/* ---- moments */

typedef struct moments {
    double weight;
    ov_vec3 first;
    double second[3][3];
} moments;

static void add_point(moments *m, double weight, ov_vec3 p) {
    const double x[3] = {p.x, p.y, p.z};
    m->weight += weight;
    m->first = ov_vec3_add_scaled(m->first, p, weight);
    for (int i = 0; i < 9; i++) {
        m->second[i / 3][i % 3] += weight * x[i / 3] * x[i % 3];
    }
}

/** The middles of the edges, a third of the area each, integrate what is quadratic exactly. */
static void add_triangle(moments *m, const ov_vec3 t[3]) {
    double area =
        0.5 * ov_vec3_length(ov_vec3_cross(ov_vec3_sub(t[1], t[0]), ov_vec3_sub(t[2], t[0])));
    for (int i = 0; i < 3; i++) {
        add_point(m, area / 3.0, ov_vec3_scale(ov_vec3_add(t[i], t[(i + 1) % 3]), 0.5));
    }
}

/** Of the area, or of the points where there is none: principal axes and their deviations. */
static void principal_of(surface *s, ov_vec3 axes[3], double deviation[3]) {
    moments m = {.weight = 0.0};
    for (size_t i = 0; i < s->in->triangle_count; i++) {
        ov_vec3 t[3];
        corners_of(s, i, t);
        add_triangle(&m, t);
    }
    for (size_t i = 0; i < s->probe_count && m.weight == 0.0 && s->mesh != NULL; i++) {
        add_point(&m, 1e-300, s->probes[i]); // a mesh without area
    }
    for (size_t i = 0; i < s->in->point_count && s->mesh == NULL; i++) {
        add_point(&m, 1.0, s->points[i]);
    }
    s->centroid = ov_vec3_scale(m.first, 1.0 / m.weight);
    const double c[3] = {s->centroid.x, s->centroid.y, s->centroid.z};
    for (int i = 0; i < 9; i++) {
        m.second[i / 3][i % 3] = m.second[i / 3][i % 3] / m.weight - c[i / 3] * c[i % 3];
    }
    double v[3][3];
    ovi_diagonalize(m.second, v);
    for (int i = 0; i < 3; i++) {
        axes[i] = ov_vec3_make(v[0][i], v[1][i], v[2][i]);
        deviation[i] = sqrt(fmax(m.second[i][i], 0.0));
    }
}

/* ---- mirror images */

/** Of a point from the surface; infinite where that is more than `within`. */
static double distance_to(const surface *s, ov_vec3 p, double within) {
    double least = INFINITY;
    if (s->mesh == NULL) {
        for (size_t i = 0; i < s->in->point_count; i++) {
            least = fmin(least, ov_vec3_length(ov_vec3_sub(p, s->points[i])));
        }
        return least;
    }
    ov_shape point;
    ov_trimesh_contact contact;
    ov_pose pose = ov_pose_identity();
    pose.position = p;
    bool found = ov_shape_make_point(ov_vec3_make(0.0, 0.0, 0.0), &point) == OV_OK &&
                 ov_trimesh_shape_contact(s->mesh, ov_pose_identity(), &point, pose, within, NULL,
                                          &contact) >= OV_OK;
    return found && contact.contact.gap_lower <= within ? fabs(contact.contact.gap) : INFINITY;
}

/** How far the farthest mirror image is from the surface; infinite where that is beyond `limit`. */
static double mirror_error(const surface *s, ov_vec3 normal, double limit) {
    double worst = 0.0;
    for (size_t i = 0; i < s->probe_count && worst <= limit; i++) {
        double height = ov_vec3_dot(normal, ov_vec3_sub(s->probes[i], s->centroid));
        ov_vec3 image = ov_vec3_add_scaled(s->probes[i], normal, -2.0 * height);
        worst = fmax(worst, distance_to(s, image, limit));
    }
    return worst <= limit ? worst : INFINITY;
}

/** The best direction between two at right angles to each other. */
static ov_vec3 best_between(const surface *s, ov_vec3 u, ov_vec3 v) {
    enum { STEPS = 180, CLOSER = 12 };
    const double pi = 3.14159265358979323846;
    double best = 0.0, least = INFINITY, step = pi / STEPS;
    // a turn by a degree moves no image by more than a twentieth of the extent
    double limit = fmax(0.05, s->tolerance);
    for (int i = 0; i < STEPS; i++) {
        double angle = i * step;
        ov_vec3 n = ov_vec3_add_scaled(ov_vec3_scale(u, cos(angle)), v, sin(angle));
        double error = mirror_error(s, n, fmin(limit, least));
        if (error < least) {
            least = error;
            best = angle;
        }
    }
    for (int i = 0; i < CLOSER; i++) {
        step *= 0.5;
        for (int side = -1; side <= 1; side += 2) {
            double angle = best + side * step;
            ov_vec3 n = ov_vec3_add_scaled(ov_vec3_scale(u, cos(angle)), v, sin(angle));
            double error = mirror_error(s, n, fmin(limit, least));
            if (error < least) {
                least = error;
                best = angle;
            }
        }
    }
    return ov_vec3_add_scaled(ov_vec3_scale(u, cos(best)), v, sin(best));
}

/** The mean square of the distances of mirror images, of so many points. */
static double mirror_cost(const surface *s, ov_vec3 normal, size_t count) {
    double sum = 0.0;
    count = count < s->probe_count ? count : s->probe_count;
    for (size_t i = 0; i < count; i++) {
        // samples and vertices in turns
        size_t at = i % 2 == 0 ? i / 2 : s->probe_count - 1 - i / 2;
        double height = ov_vec3_dot(normal, ov_vec3_sub(s->probes[at], s->centroid));
        double d =
            distance_to(s, ov_vec3_add_scaled(s->probes[at], normal, -2.0 * height), INFINITY);
        sum += d * d / (double)count;
    }
    return sum;
}

/** Two directions at right angles to one, and to each other. */
static void sides_of(ov_vec3 n, ov_vec3 sides[2]) {
    sides[0] = ov_vec3_normalize(fabs(n.x) < 0.6 ? ov_vec3_make(0.0, -n.z, n.y)
                                                 : ov_vec3_make(-n.z, 0.0, n.x));
    sides[1] = ov_vec3_cross(n, sides[0]);
}

/** The best direction of all. */
static ov_vec3 best_around(const surface *s) {
    enum { DIRECTIONS = 400, FEW = 60, ROUNDS = 48 };
    ov_vec3 best = {0.0, 0.0, 1.0};
    double least = INFINITY;
    for (int k = 0; k < DIRECTIONS; k++) {
        // half a sphere, evenly spread by the golden angle
        double z = 1.0 - (k + 0.5) / DIRECTIONS, phi = 2.399963229728653 * k;
        ov_vec3 n = {sqrt(1.0 - z * z) * cos(phi), sqrt(1.0 - z * z) * sin(phi), z};
        double cost = mirror_cost(s, n, FEW);
        if (cost < least) {
            least = cost;
            best = n;
        }
    }
    least = mirror_cost(s, best, s->probe_count);
    double step = 0.1;
    for (int i = 0; i < ROUNDS; i++) {
        ov_vec3 sides[2];
        sides_of(best, sides);
        bool better = false;
        for (int k = 0; k < 4; k++) {
            ov_vec3 n = ov_vec3_normalize(
                ov_vec3_add_scaled(best, sides[k / 2], k % 2 == 0 ? step : -step));
            double cost = mirror_cost(s, n, s->probe_count);
            if (cost < least) {
                least = cost;
                best = n;
                better = true;
            }
        }
        step *= better ? 1.0 : 0.5;
    }
    return best;
}

/* ---- candidates */

typedef struct candidates {
    ov_vec3 normals[CANDIDATES];
    int count;
} candidates;

static void add_candidate(candidates *c, ov_vec3 n) {
    bool known = false;
    for (int i = 0; i < c->count; i++) {
        known = known || fabs(ov_vec3_dot(c->normals[i], n)) > 1.0 - 1e-12;
    }
    if (!known && c->count < CANDIDATES) {
        c->normals[c->count++] = n;
    }
}

/** Normals of the largest triangles. */
static void add_largest(const surface *s, candidates *c) {
    ov_vec3 largest[LARGEST];
    double sizes[LARGEST] = {0.0};
    int count = 0;
    for (size_t i = 0; i < s->in->triangle_count; i++) {
        ov_vec3 t[3];
        corners_of(s, i, t);
        ov_vec3 n = ov_vec3_cross(ov_vec3_sub(t[1], t[0]), ov_vec3_sub(t[2], t[0]));
        double size = ov_vec3_length(n);
        if (!(size > sizes[LARGEST - 1])) {
            continue;
        }
        // into its place among those kept; what falls off the end was the smallest
        int at = count < LARGEST ? count++ : LARGEST - 1;
        for (; at > 0 && size > sizes[at - 1]; at--) {
            sizes[at] = sizes[at - 1];
            largest[at] = largest[at - 1];
        }
        sizes[at] = size;
        largest[at] = ov_vec3_scale(n, 1.0 / size);
    }
    for (int i = 0; i < count; i++) {
        add_candidate(c, largest[i]);
    }
}

/** Returns whether the moments tell directions apart. */
static bool collect(surface *s, const ovi_fit_guide *asked, candidates *c) {
    ov_vec3 axes[3];
    double deviation[3];
    principal_of(s, axes, deviation);
    if (asked->count > 0) {
        add_candidate(c, asked->axes[0]);
    }
    for (int i = 0; i < 3; i++) {
        add_candidate(c, axes[i]);
    }
    for (int i = 0; i < 3; i++) {
        double a = deviation[(i + 1) % 3], b = deviation[(i + 2) % 3];
        if (fabs(a - b) <= 0.01 * fmax(a, b)) {
            add_candidate(c, best_between(s, axes[(i + 1) % 3], axes[(i + 2) % 3]));
        }
    }
    const ov_vec3 own[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int i = 0; i < 3; i++) {
        add_candidate(c, own[i]);
    }
    add_largest(s, c);
    double most = fmax(deviation[0], fmax(deviation[1], deviation[2]));
    return fmin(deviation[0], fmin(deviation[1], deviation[2])) < 0.99 * most;
}

/* ---- the guide */

/** The candidate parallel, or at right angles, to the directions there are: made exactly so, and
 *  put into `*n`. False where it is neither. */
static bool fit_in(const ovi_fit_guide *g, ov_vec3 *n, int *parallel) {
    const double near = 1e-3;
    *parallel = -1;
    for (int i = 0; i < g->count; i++) {
        double along = ov_vec3_dot(g->axes[i], *n);
        if (fabs(along) > 1.0 - 0.5 * near * near) {
            *parallel = i;
            *n = g->axes[i];
            return true;
        }
        if (fabs(along) > near) {
            return false;
        }
        *n = ov_vec3_add_scaled(*n, g->axes[i], -along);
    }
    *n = ov_vec3_normalize(*n);
    return true;
}

/** Takes the best plane that fits in; false where there is none. */
static bool take_best(const surface *s, const candidates *c, ovi_fit_guide *g) {
    double least = INFINITY;
    ov_vec3 best = {0.0, 0.0, 0.0};
    int place = -1;
    for (int i = 0; i < c->count; i++) {
        ov_vec3 n = c->normals[i];
        int parallel;
        if (!fit_in(g, &n, &parallel) || (parallel >= 0 && g->plane[parallel])) {
            continue;
        }
        double error = mirror_error(s, n, fmin(s->tolerance, least));
        if (error < least) {
            least = error;
            best = n;
            place = parallel;
        }
    }
    if (!isfinite(least)) {
        return false;
    }
    place = place >= 0 ? place : g->count++;
    g->axes[place] = best;
    g->plane[place] = true;
    g->at[place] = ov_vec3_dot(best, s->centroid);
    return true;
}

/** Where the moments tell nothing: a first plane from all around, and one at right angles to it. */
static void search_all(const surface *s, candidates *c, ovi_fit_guide *g) {
    if (g->count == 0 && !take_best(s, c, g)) {
        add_candidate(c, best_around(s));
        (void)take_best(s, c, g);
    }
    if (g->count == 1) {
        ov_vec3 sides[2];
        sides_of(g->axes[0], sides);
        add_candidate(c, best_between(s, sides[0], sides[1]));
    }
}

ov_status ovi_fit_find_guide(const ov_fit_input *in, ov_vec3 origin, double unit,
                             const ov_vec3 *samples, size_t sample_count, double symmetry,
                             ov_vec3 axis, ovi_fit_guide *guide) {
    *guide = (ovi_fit_guide){.count = 0};
    if (ov_vec3_length(axis) > 0.0) {
        guide->axes[guide->count++] = ov_vec3_normalize(axis);
    }
    ov_status status = OV_OK;
    if (symmetry > 0.0) {
        surface s = {.tolerance = symmetry};
        status = surface_open(in, origin, unit, samples, sample_count, &s);
        candidates c = {.count = 0};
        if (status == OV_OK) {
            bool told = collect(&s, guide, &c);
            if (!told && s.mesh != NULL) {
                search_all(&s, &c, guide);
            }
            while (take_best(&s, &c, guide)) {
                if (guide->count == 2) {
                    add_candidate(&c, ov_vec3_cross(guide->axes[0], guide->axes[1]));
                }
            }
        }
        surface_close(&s);
    }
    if (guide->count == 2) {
        guide->axes[guide->count++] = ov_vec3_cross(guide->axes[0], guide->axes[1]);
    }
    if (guide->count == 3) { // right-handed
        double sign = ov_vec3_dot(ov_vec3_cross(guide->axes[0], guide->axes[1]), guide->axes[2]);
        if (sign < 0.0) {
            guide->axes[2] = ov_vec3_neg(guide->axes[2]);
            guide->at[2] = -guide->at[2];
        }
    }
    return status;
}

/* ---- bodies that keep to it */

/** The axis of the body that is parallel to a direction, or -1. */
static int axis_along(const ovi_fit_body *b, ov_vec3 direction) {
    ov_mat3 turn = ov_mat3_from_quat(b->rotation);
    const ov_vec3 axes[3] = {turn.cx, turn.cy, turn.cz};
    for (int i = 0; i < 3; i++) {
        if (fabs(ov_vec3_dot(axes[i], direction)) > 1.0 - 1e-12) {
            return i;
        }
    }
    return -1;
}

bool ovi_fit_obey(const ovi_fit_guide *guide, ovi_fit_body *body, int axes[3]) {
    for (int k = 0; k < guide->count; k++) {
        int axis = axis_along(body, guide->axes[k]);
        if (axes != NULL) {
            axes[k] = axis;
        }
        if (axis < 0 && body->kind != OV_SHAPE_KIND_SPHERE) {
            return false;
        }
        if (guide->plane[k]) {
            double off = guide->at[k] - ov_vec3_dot(guide->axes[k], body->centre);
            body->centre = ov_vec3_add_scaled(body->centre, guide->axes[k], off);
        }
        if (guide->plane[k] && axis == 2) {
            body->v[5] = body->v[6] = 0.0;
        }
    }
    return true;
}
