/**
 * @file study_touch.c
 * @brief `ovoid-bench touch`: a mesh touched by another, by the published map and its layers, by
 * Ovoid's map, exactly, by a dense field and by FCL, beside [SQMap, Table 1].
 *
 * Errors are in shares of the diagonal of the mesh's box, over random points within 1 % of it from
 * the surface; the paper's (35) is the mean of the column. The truth is a search over all
 * triangles, with the sign by the walls that a ray crosses, written here: nothing of it is the
 * library's. Rates are those of poses in which the probe has come from a random side until it is
 * pressed in by up to 1 % of the diagonal; one core, the least time of three runs. The rates of
 * Ovoid's map and of the exact one include the contacts with normals, and the force.
 *
 * FCL knows no depth in a solid and is asked three things: whether the meshes meet (its default
 * request: it stops at the first contact), all pairs of triangles that cross, each with a point, a
 * normal and how far one reaches through the other, which is what a force needs, and, in other
 * poses up to 1 % of the diagonal above the surface, the distance; there the map is asked for the
 * same.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/fit.h>
#include <ovoid/io.h>
#include <ovoid/touch.h>

#include "bench.h"

enum { PARTS = 16, DENSE_CELLS = 128, CONTACTS_MAX = 20000, SLOW_POSES = 20, RUNS = 3 };
static const double band = 0.01; // of the diagonal
static const size_t default_points = 1000000;
enum { PUBLISHED_EVERY = 10 }; // points for the published map, which takes its time

/* ---- the truth, by all triangles */

typedef struct wall {
    ov_vec3 c[3], centre;
    double radius, lo_x, hi_x, lo_y, hi_y, hi_z;
} wall;

static wall wall_of(const ov_vec3 c[3]) {
    wall w = {.c = {c[0], c[1], c[2]}};
    w.centre = ov_vec3_scale(ov_vec3_add(ov_vec3_add(c[0], c[1]), c[2]), 1.0 / 3.0);
    for (int i = 0; i < 3; i++) {
        w.radius = fmax(w.radius, ov_vec3_length(ov_vec3_sub(c[i], w.centre)) * (1.0 + 1e-12));
    }
    w.lo_x = fmin(c[0].x, fmin(c[1].x, c[2].x));
    w.hi_x = fmax(c[0].x, fmax(c[1].x, c[2].x));
    w.lo_y = fmin(c[0].y, fmin(c[1].y, c[2].y));
    w.hi_y = fmax(c[0].y, fmax(c[1].y, c[2].y));
    w.hi_z = fmax(c[0].z, fmax(c[1].z, c[2].z));
    return w;
}

static double square_to_segment(ov_vec3 p, ov_vec3 a, ov_vec3 b) {
    ov_vec3 e = ov_vec3_sub(b, a), d = ov_vec3_sub(p, a);
    double all = ov_vec3_dot(e, e), t = all > 0.0 ? ov_vec3_dot(d, e) / all : 0.0;
    d = ov_vec3_add_scaled(d, e, -fmin(fmax(t, 0.0), 1.0));
    return ov_vec3_dot(d, d);
}

/** The plane's distance where the foot is within all edges, else the least of the edges'. */
static double square_to_wall(const wall *w, ov_vec3 p) {
    ov_vec3 n = ov_vec3_cross(ov_vec3_sub(w->c[1], w->c[0]), ov_vec3_sub(w->c[2], w->c[0]));
    double least = INFINITY, area = ov_vec3_dot(n, n);
    bool inside = area > 0.0;
    for (int i = 0; i < 3; i++) {
        ov_vec3 a = w->c[i], b = w->c[(i + 1) % 3];
        inside =
            inside && ov_vec3_dot(ov_vec3_cross(n, ov_vec3_sub(b, a)), ov_vec3_sub(p, a)) >= 0.0;
        least = fmin(least, square_to_segment(p, a, b));
    }
    double height = ov_vec3_dot(n, ov_vec3_sub(p, w->c[0]));
    return inside ? height * height / area : least;
}

/** Does the ray from p upwards cross a wall, and which way does that face? */
static int crossing(const wall *w, ov_vec3 p) {
    double side[3];
    for (int i = 0; i < 3; i++) {
        ov_vec3 a = w->c[i], b = w->c[(i + 1) % 3];
        side[i] = (a.x - p.x) * (b.y - p.y) - (a.y - p.y) * (b.x - p.x);
    }
    bool left = side[0] > 0.0 && side[1] > 0.0 && side[2] > 0.0;
    bool right = side[0] < 0.0 && side[1] < 0.0 && side[2] < 0.0;
    if (!left && !right) {
        return 0;
    }
    double all = side[0] + side[1] + side[2];
    double z = (side[1] * w->c[0].z + side[2] * w->c[1].z + side[0] * w->c[2].z) / all;
    return z > p.z ? (left ? 1 : -1) : 0;
}

typedef struct truth {
    wall *walls;
    size_t count;
} truth;

/** `hint`: where to begin, as the first wall found rules out most others. */
static double true_distance(const truth *t, ov_vec3 p, size_t hint) {
    double square = square_to_wall(&t->walls[hint], p), least = sqrt(square);
    int winding = 0;
    for (size_t i = 0; i < t->count; i++) {
        const wall *w = &t->walls[i];
        ov_vec3 d = ov_vec3_sub(p, w->centre);
        double reach = least + w->radius;
        if (ov_vec3_dot(d, d) <= reach * reach) {
            double s = square_to_wall(w, p);
            if (s < square) {
                square = s;
                least = sqrt(s);
            }
        }
        if (p.x >= w->lo_x && p.x <= w->hi_x && p.y >= w->lo_y && p.y <= w->hi_y &&
            p.z <= w->hi_z) {
            winding += crossing(w, p);
        }
    }
    return winding != 0 ? -least : least;
}

/* ---- the meshes */

typedef struct target {
    const char *file;
    ov_mesh_data mesh;
    ov_touch_part parts[PARTS];
    size_t part_count;
    double diagonal, fit_seconds;
    ov_touch_map *map;
    ov_touch_published *published;
    truth truth;
} target;

typedef struct probe {
    bench_mesh mesh;
    ov_touch_object *object;
} probe;

static double diagonal_of(const ov_vec3 *v, size_t count) {
    ov_vec3 lo = v[0], hi = v[0];
    for (size_t i = 1; i < count; i++) {
        lo = ov_vec3_make(fmin(lo.x, v[i].x), fmin(lo.y, v[i].y), fmin(lo.z, v[i].z));
        hi = ov_vec3_make(fmax(hi.x, v[i].x), fmax(hi.y, v[i].y), fmax(hi.z, v[i].z));
    }
    return ov_vec3_length(ov_vec3_sub(hi, lo));
}

/** The number of the vertex in the middle of an edge; a new one where there is none yet. */
static uint32_t middle_of(bench_mesh *m, uint32_t (*edges)[3], size_t *edge_count, uint32_t a,
                          uint32_t b) {
    uint32_t lo = a < b ? a : b, hi = a < b ? b : a;
    for (size_t i = 0; i < *edge_count; i++) {
        if (edges[i][0] == lo && edges[i][1] == hi) {
            return edges[i][2];
        }
    }
    uint32_t *edge = edges[(*edge_count)++];
    edge[0] = lo;
    edge[1] = hi;
    edge[2] = (uint32_t)m->vertex_count;
    m->vertices[m->vertex_count++] =
        ov_vec3_scale(ov_vec3_add(m->vertices[a], m->vertices[b]), 0.5);
    return edge[2];
}

static bool subdivide(const ov_mesh_data *from, bench_mesh *to) {
    size_t edges_max = 3 * from->triangle_count, edge_count = 0;
    uint32_t(*edges)[3] = malloc(edges_max * sizeof *edges);
    to->vertices = malloc((from->vertex_count + edges_max) * sizeof *to->vertices);
    to->triangles = malloc(4 * from->triangle_count * sizeof *to->triangles);
    if (edges == NULL || to->vertices == NULL || to->triangles == NULL) {
        free(edges);
        return false;
    }
    memcpy(to->vertices, from->vertices, from->vertex_count * sizeof *to->vertices);
    to->vertex_count = from->vertex_count;
    for (size_t i = 0; i < from->triangle_count; i++) {
        const uint32_t *t = from->triangles[i];
        uint32_t m[3];
        for (int k = 0; k < 3; k++) {
            m[k] = middle_of(to, edges, &edge_count, t[k], t[(k + 1) % 3]);
        }
        const uint32_t four[4][3] = {
            {t[0], m[0], m[2]}, {m[0], t[1], m[1]}, {m[2], m[1], t[2]}, {m[0], m[1], m[2]}};
        memcpy(to->triangles[to->triangle_count], four, sizeof four);
        to->triangle_count += 4;
    }
    free(edges);
    return true;
}

/** The probe, half as large as what it touches. */
static bool make_probe(const ov_mesh_data *mesh, double diagonal, probe *p) {
    *p = (probe){.object = NULL};
    if (!subdivide(mesh, &p->mesh)) {
        return false;
    }
    double scale = 0.5 * diagonal / diagonal_of(p->mesh.vertices, p->mesh.vertex_count);
    for (size_t i = 0; i < p->mesh.vertex_count; i++) {
        p->mesh.vertices[i] = ov_vec3_scale(p->mesh.vertices[i], scale);
    }
    return ov_touch_object_create(p->mesh.vertices, p->mesh.vertex_count,
                                  (const uint32_t(*)[3])p->mesh.triangles, p->mesh.triangle_count,
                                  NULL, NULL, &p->object) == OV_OK;
}

static void free_probe(probe *p) {
    bench_mesh_free(&p->mesh);
    ov_touch_object_destroy(p->object);
}

/** Moves the probe on along its way until it is as deep as wanted; false where it passes by. */
static bool press_in(const target *t, const probe *p, ov_vec3 aim, ov_vec3 from, double depth,
                     ov_pose *pose) {
    ov_ball ball = ov_touch_object_ball(p->object);
    double away = 1.6 * t->diagonal, near = 0.02 * t->diagonal;
    for (int i = 0; i < 400 && away > -t->diagonal; i++) {
        pose->position = ov_vec3_sub(ov_vec3_add_scaled(aim, from, away),
                                     ov_quat_rotate(pose->rotation, ball.centre));
        ov_touch_query q = {.map = t->map,
                            .object = p->object,
                            .object_pose = *pose,
                            .limit = near,
                            .level = OV_TOUCH_LEVEL_FIELD};
        (void)ov_touch_object_contacts(&q);
        if (q.contact_count == 0) {
            away -= fmax(q.distance_lower, 1e-3 * t->diagonal);
        } else if (q.distance > -depth) {
            away -= fmax(0.7 * (q.distance + depth), 1e-4 * t->diagonal);
        } else {
            return true;
        }
    }
    return false;
}

/** Random poses, deep by up to a share of the diagonal; negative: above the surface. */
static void make_poses(const target *t, const probe *p, bench_random *r, double depth,
                       ov_pose *poses, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bool touching = false;
        while (!touching) {
            size_t vertex = (size_t)bench_uniform(r, 0.0, (double)t->mesh.vertex_count);
            ov_vec3 from = bench_direction(r);
            poses[i].rotation = bench_rotation(r);
            touching = press_in(t, p, t->mesh.vertices[vertex], from,
                                bench_uniform(r, fmin(depth, 0.0), fmax(depth, 0.0)) * t->diagonal,
                                &poses[i]);
        }
    }
}

/* ---- a row of the table */

typedef struct row {
    const char *method;
    double megabytes, seconds;
    double mean, p99, worst, wrong; // shares
    double micros, contacts;        // of a query
    double outside;                 // truths outside the bounds
} row;

static row empty_row(const char *method) {
    return (row){method, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

static void print_row(cli *c, FILE *csv, const target *t, const row *r, double fcl) {
    const char *slash = strrchr(t->file, '/');
    fprintf(c->out, "%-13.13s %-22s", slash != NULL ? slash + 1 : t->file, r->method);
    bench_cell(c->out, 8, "%.2f", r->megabytes);
    bench_cell(c->out, 7, "%.2f", r->seconds);
    bench_cell(c->out, 8, "%.4f", 100.0 * r->mean);
    bench_cell(c->out, 8, "%.4f", 100.0 * r->p99);
    bench_cell(c->out, 8, "%.3f", 100.0 * r->worst);
    bench_cell(c->out, 7, "%.2f", 100.0 * r->wrong);
    bench_cell(c->out, 7, "%.0f", r->outside);
    bench_cell(c->out, 9, "%.1f", r->micros);
    bench_cell(c->out, 9, "%.0f", 1e6 / r->micros);
    bench_cell(c->out, 8, "%.1f", r->contacts);
    bench_cell(c->out, 7, "%.1f", fcl / r->micros);
    fputc('\n', c->out);
    fflush(c->out);
    if (csv != NULL) {
        const double figures[] = {r->megabytes, r->seconds, r->mean,   r->p99,     r->worst,
                                  r->wrong,     r->outside, r->micros, r->contacts};
        fprintf(csv, "%s,%s", t->file, r->method);
        bench_csv_numbers(csv, figures, sizeof figures / sizeof figures[0]);
        fputc('\n', csv);
    }
}

/* ---- errors */

enum {
    MAP,
    LAYER_1,
    LAYER_2,
    LAYER_3,
    DENSE,
    EXACT,
    ROWS,
    FCL_FIRST = ROWS,
    FCL_ALL,
    MAP_ABOVE,
    FCL_ABOVE,
    ROWS_ALL
};

/** A dense field of single precision. */
typedef struct dense {
    float *values;
    size_t dims[3];
    ov_vec3 origin;
    double cell;
} dense;

static bool make_dense(const target *t, dense *d) {
    ov_aabb box = ov_trimesh_box(ov_touch_map_mesh(t->map));
    d->cell = t->diagonal / DENSE_CELLS;
    d->origin = ov_vec3_sub(box.min, ov_vec3_make(3.0 * d->cell, 3.0 * d->cell, 3.0 * d->cell));
    ov_vec3 size = ov_vec3_sub(box.max, box.min);
    d->dims[0] = (size_t)(size.x / d->cell) + 8;
    d->dims[1] = (size_t)(size.y / d->cell) + 8;
    d->dims[2] = (size_t)(size.z / d->cell) + 8;
    d->values = malloc(d->dims[0] * d->dims[1] * d->dims[2] * sizeof *d->values);
    for (size_t n = 0; d->values != NULL && n < d->dims[0] * d->dims[1] * d->dims[2]; n++) {
        ov_touch_distance answer;
        ov_vec3 at = {(double)(n % d->dims[0]), (double)(n / d->dims[0] % d->dims[1]),
                      (double)(n / d->dims[0] / d->dims[1])};
        (void)ov_touch_map_point(t->map, ov_pose_identity(),
                                 ov_vec3_add_scaled(d->origin, at, d->cell), OV_TOUCH_LEVEL_EXACT,
                                 &answer);
        d->values[n] = (float)answer.distance;
    }
    return d->values != NULL;
}

static double dense_value(const dense *d, ov_vec3 p) {
    ov_vec3 x = ov_vec3_scale(ov_vec3_sub(p, d->origin), 1.0 / d->cell);
    const double at[3] = {x.x, x.y, x.z};
    size_t i[3];
    double u[3];
    for (int k = 0; k < 3; k++) {
        if (!(at[k] >= 0.0 && at[k] < (double)(d->dims[k] - 1))) {
            return INFINITY;
        }
        i[k] = (size_t)at[k];
        u[k] = at[k] - (double)i[k];
    }
    double sum = 0.0;
    for (size_t n = 0; n < 8; n++) {
        size_t a = n & 1, b = n >> 1 & 1, c = n >> 2;
        double weight = (a ? u[0] : 1.0 - u[0]) * (b ? u[1] : 1.0 - u[1]) * (c ? u[2] : 1.0 - u[2]);
        sum += weight * d->values[((i[2] + c) * d->dims[1] + i[1] + b) * d->dims[0] + i[0] + a];
    }
    return sum;
}

typedef struct errors {
    double *values[ROWS];
    size_t counts[ROWS], asked[ROWS], wrong[ROWS], outside[ROWS], near;
} errors;

static void note(errors *e, int row, double estimate, double real, double diagonal) {
    e->asked[row]++;
    e->wrong[row] += (estimate < 0.0) != (real < 0.0);
    if (isfinite(estimate)) {
        e->values[row][e->counts[row]++] = fabs(estimate - real) / diagonal;
    }
}

/** What all methods say of a point; errors count near the surface, bounds everywhere. */
static void judge_point(const target *t, const dense *d, ov_vec3 p, double real, errors *e) {
    // the truth is rounded too
    double slack = 1e-13 * (t->diagonal + ov_vec3_length(p));
    bool near = fabs(real) <= band * t->diagonal;
    e->near += near;
    for (int k = 0; k < 2; k++) {
        ov_touch_distance a;
        (void)ov_touch_map_point(t->map, ov_pose_identity(), p,
                                 k == 0 ? OV_TOUCH_LEVEL_FIELD : OV_TOUCH_LEVEL_EXACT, &a);
        e->outside[k == 0 ? MAP : EXACT] +=
            !(a.distance_lower <= real + slack && a.distance_upper >= real - slack);
        if (near) {
            note(e, k == 0 ? MAP : EXACT, a.distance, real, t->diagonal);
        }
    }
    if (!near) {
        return;
    }
    note(e, DENSE, dense_value(d, p), real, t->diagonal);
    for (int layer = 1; layer <= 3 && t->published != NULL && e->near % PUBLISHED_EVERY == 0;
         layer++) {
        ov_touch_published_answer a;
        (void)ov_touch_published_point(t->published, p, layer, &a);
        double estimate = isnan(a.distance) ? (a.contact ? -INFINITY : INFINITY) : a.distance;
        note(e, LAYER_1 + layer - 1, estimate, real, t->diagonal);
    }
}

/** A point near the surface, or every fourth time anywhere in the box and around it. */
static ov_vec3 random_point(const target *t, bench_random *r, size_t *wall_near) {
    *wall_near = (size_t)bench_uniform(r, 0.0, (double)t->truth.count);
    const wall *w = &t->truth.walls[*wall_near];
    double u = bench_uniform(r, 0.0, 1.0), v = bench_uniform(r, 0.0, 1.0);
    u = u + v > 1.0 ? 1.0 - u : u;
    v = u + v > 1.0 ? 1.0 - v : v;
    ov_vec3 p = ov_vec3_scale(w->c[0], 1.0 - u - v);
    p = ov_vec3_add_scaled(ov_vec3_add_scaled(p, w->c[1], u), w->c[2], v);
    double reach = bench_uniform(r, 0.0, 1.0) < 0.75 ? band : 0.5;
    return ov_vec3_add_scaled(p, bench_direction(r), bench_uniform(r, 0.0, reach) * t->diagonal);
}

static bool measure_errors(const bench_job *job, const target *t, const dense *d, row *rows) {
    size_t count = job->points > 0 ? job->points : default_points;
    errors e = {.near = 0};
    bool good = true;
    for (int i = 0; i < ROWS; i++) {
        e.values[i] = malloc(count * sizeof(double));
        good = good && e.values[i] != NULL;
    }
    bench_random r = {job->seed + 77};
    for (size_t i = 0; i < count && good; i++) {
        size_t hint;
        ov_vec3 p = random_point(t, &r, &hint);
        if (i % 4096 == 0) {
            bench_show(job->progress, t->file, i, count);
        }
        judge_point(t, d, p, true_distance(&t->truth, p, hint), &e);
    }
    for (int i = 0; i < ROWS && good; i++) {
        bench_figures f = bench_figure(e.values[i], e.counts[i]);
        rows[i].mean = f.mean;
        rows[i].p99 = f.p99;
        rows[i].worst = f.worst;
        bool there = t->published != NULL || i == MAP || i == DENSE || i == EXACT;
        rows[i].wrong = there ? (double)e.wrong[i] / (double)e.asked[i] : NAN;
        rows[i].outside = i == MAP || i == EXACT ? (double)e.outside[i] : NAN;
    }
    for (int i = 0; i < ROWS; i++) {
        free(e.values[i]);
    }
    return good;
}

/* ---- rates */

typedef struct rate_task {
    const target *t;
    const probe *p;
    const ov_pose *poses;
    size_t count;
    const dense *d;
    ov_touch_contact *contacts;
    const peer_method *method;
    void *a, *b;
    ov_touch_warm *warm; /**< of the queries before; null: each is the first */
} rate_task;

/** Contacts of one pose by a method. */
static size_t touch_once(const rate_task *k, int method, const ov_pose *pose) {
    size_t found = 0;
    if (method == MAP || method == EXACT) {
        ov_touch_zone zone;
        const ov_touch_material material = {.stiffness = 1000.0};
        ov_touch_query q = {.map = k->t->map,
                            .object = k->p->object,
                            .object_pose = *pose,
                            .level = method == MAP ? OV_TOUCH_LEVEL_FIELD : OV_TOUCH_LEVEL_EXACT,
                            .contacts = k->contacts,
                            .contact_room = CONTACTS_MAX,
                            .zones = &zone,
                            .warm = k->warm};
        (void)ov_touch_object_contacts(&q);
        ov_touch_force force = ov_touch_zone_response(&material, &zone, pose->position);
        return force.contact ? q.contact_count : 0;
    }
    if (method == MAP_ABOVE) {
        ov_touch_query q = {.map = k->t->map,
                            .object = k->p->object,
                            .object_pose = *pose,
                            .limit = 2.0 * band * k->t->diagonal,
                            .level = OV_TOUCH_LEVEL_FIELD};
        (void)ov_touch_object_contacts(&q);
        return q.distance > 0.0;
    }
    if (method >= FCL_FIRST) {
        peer_body body = {.position = pose->position,
                          .rotation = ov_mat3_from_quat(pose->rotation)};
        k->method->move(k->b, &body);
        if (method == FCL_ALL) {
            return k->method->contacts(k->a, k->b);
        }
        peer_verdict wanted = method == FCL_ABOVE ? PEER_SEPARATED : PEER_OVERLAPPING;
        return k->method->ask(k->a, k->b, 0.0).verdict == wanted;
    }
    const ov_affine to_a = ov_affine_from_pose(*pose);
    for (size_t i = 0; i < k->p->mesh.vertex_count; i++) {
        ov_vec3 p = ov_affine_apply(&to_a, k->p->mesh.vertices[i]);
        ov_touch_published_answer answer = {.contact = false};
        if (method == DENSE) {
            answer.contact = dense_value(k->d, p) <= 0.0;
        } else {
            (void)ov_touch_published_point(k->t->published, p, method - LAYER_1 + 1, &answer);
        }
        found += answer.contact;
    }
    return found;
}

static void measure_rate(const rate_task *k, int method, row *r) {
    bool quick = method == MAP || method == EXACT || method == FCL_FIRST || method == FCL_ALL ||
                 method == MAP_ABOVE || method == FCL_ABOVE;
    size_t count = quick || k->count < SLOW_POSES ? k->count : SLOW_POSES, found = 0;
    double least = INFINITY;
    for (int run = 0; run < RUNS; run++) {
        found = 0;
        double start = bench_cpu_ns();
        for (size_t i = 0; i < count; i++) {
            found += touch_once(k, method, &k->poses[i]);
        }
        least = fmin(least, bench_cpu_ns() - start);
    }
    r->micros = 1e-3 * least / (double)count;
    r->contacts = (double)found / (double)count;
}

static const peer_method *find_fcl(const bench_peers *peers, const char *id) {
    for (size_t i = 0; i < peers->count; i++) {
        if (strcmp(peers->methods[i]->id, id) == 0) {
            return peers->methods[i];
        }
    }
    return NULL;
}

static void *fcl_object(const peer_method *m, const ov_vec3 *vertices, size_t vertex_count,
                        const uint32_t (*triangles)[3], size_t triangle_count) {
    peer_body body = {.rotation = ov_mat3_from_quat(ov_quat_identity()),
                      .mesh = {vertices, vertex_count, triangles, triangle_count}};
    return m->make(&body);
}

/** By FCL, if it is there: two kinds of questions, or one. */
static void measure_fcl(const bench_job *job, rate_task *k, const char *id, int first, int second,
                        row *rows) {
    k->method = find_fcl(job->peers, id);
    if (k->method == NULL) {
        return;
    }
    const ov_mesh_data *m = &k->t->mesh;
    k->a = fcl_object(k->method, m->vertices, m->vertex_count, (const uint32_t(*)[3])m->triangles,
                      m->triangle_count);
    k->b = fcl_object(k->method, k->p->mesh.vertices, k->p->mesh.vertex_count,
                      (const uint32_t(*)[3])k->p->mesh.triangles, k->p->mesh.triangle_count);
    for (int i = first; i <= second && k->a != NULL && k->b != NULL; i++) {
        measure_rate(k, i, &rows[i]);
    }
    k->method->destroy(k->a);
    k->method->destroy(k->b);
}

static void measure_rates(const bench_job *job, rate_task *k, row *rows) {
    for (int i = 0; i < ROWS; i++) {
        if (k->t->published != NULL || i == MAP || i == EXACT || i == DENSE) {
            measure_rate(k, i, &rows[i]);
        }
    }
    measure_fcl(job, k, "fcl_mesh_collide", FCL_FIRST, FCL_ALL, rows);
}

static void measure_above(const bench_job *job, rate_task *k, row *rows) {
    measure_rate(k, MAP_ABOVE, &rows[MAP_ABOVE]);
    measure_fcl(job, k, "fcl_mesh_distance", FCL_ABOVE, FCL_ABOVE, rows);
}

/* ---- depths and tracks

   The deeper the probe is pressed in, the more triangles cross, and the longer FCL takes for all of
   them. And in a servo loop poses are not random: each is near to the last one. Here the probe is
   led along tracks at 1 kHz, as a hand of 0.2 m would be by up to 0.5 m/s and 0.5 rad/s: slides
   along the surface, and pokes. Ovoid's map is asked with what the queries before left, and without
   it; FCL is asked of the same poses. */

enum { DEPTHS = 3, TRACKS = 10, TICKS = 200, TICKS_ALL = TRACKS * TICKS };
static const double depths[DEPTHS] = {0.01, 0.03, 0.05};
static const double tick_motion = 1.25e-3; // of the diagonal
static const double tick_turn = 5e-4;

/** What poses of a kind take, in microseconds. */
typedef struct pace {
    double map, warm, worst, fcl_first, fcl_all;
    double contacts, fcl_contacts, touching;
    size_t differing; /**< answers that are not the same bits, warm and cold */
} pace;

/** One track, from a pose that is pressed in. */
static void make_track(const target *t, const probe *p, bench_random *r, double depth, bool pokes,
                       ov_pose *poses) {
    ov_vec3 way = bench_direction(r), axis = bench_direction(r),
            centre = ov_touch_object_ball(p->object).centre;
    double most = tick_motion * t->diagonal, aim = 0.0;
    make_poses(t, p, r, depth, poses, 1);
    for (int i = 0; i < TICKS; i++) {
        ov_touch_zone zone;
        ov_touch_query q = {.map = t->map,
                            .object = p->object,
                            .object_pose = poses[i],
                            .limit = 2.0 * band * t->diagonal,
                            .level = OV_TOUCH_LEVEL_FIELD,
                            .zones = &zone};
        (void)ov_touch_object_contacts(&q);
        if (i % 50 == 0) { // pokes go out of the surface between
            aim = pokes && i / 50 % 2 == 1 ? -0.5 * band : bench_uniform(r, 0.0, depth);
        }
        ov_vec3 out = zone.count > 0 ? ov_vec3_normalize(zone.normal_sum) : way;
        double gap = zone.count > 0 ? q.distance : 2.0 * band * t->diagonal;
        double push = fmin(fmax(gap + aim * t->diagonal, -0.6 * most), 0.6 * most);
        ov_vec3 along = ov_vec3_add_scaled(way, out, -ov_vec3_dot(way, out));
        ov_vec3 step = ov_vec3_scale(ov_vec3_normalize(along), pokes ? 0.1 * most : 0.8 * most);
        if (i + 1 < TICKS) {
            ov_pose next = poses[i];
            ov_vec3 at = ov_pose_apply(next, centre);
            ov_quat turned = ov_quat_mul(ov_quat_from_axis_angle(axis, tick_turn), next.rotation);
            (void)ov_quat_normalize(turned, &next.rotation);
            at = ov_vec3_add(at, ov_vec3_add_scaled(step, out, -push));
            next.position = ov_vec3_sub(at, ov_quat_rotate(next.rotation, centre));
            poses[i + 1] = next;
        }
    }
}

static bool same_contacts(const ov_touch_query *a, const ov_touch_query *b) {
    size_t bytes = a->contact_count * sizeof *a->contacts;
    return a->contact_count == b->contact_count && a->status == b->status &&
           memcmp(&a->distance, &b->distance, sizeof a->distance) == 0 &&
           memcmp(&a->distance_upper, &b->distance_upper, sizeof a->distance_upper) == 0 &&
           memcmp(a->contacts, b->contacts, bytes) == 0 &&
           memcmp(a->zones, b->zones, sizeof *a->zones) == 0;
}

/** Are warm answers those of cold ones, and what does the slowest one take? */
static void compare_warm(const rate_task *k, ov_touch_contact *more, pace *out) {
    ov_touch_zone zones[2];
    for (size_t i = 0; i < k->count; i++) {
        ov_touch_query q = {.map = k->t->map,
                            .object = k->p->object,
                            .object_pose = k->poses[i],
                            .level = OV_TOUCH_LEVEL_FIELD,
                            .contacts = k->contacts,
                            .contact_room = CONTACTS_MAX,
                            .zones = &zones[0]};
        ov_touch_query warm = q;
        warm.contacts = more;
        warm.zones = &zones[1];
        warm.warm = k->warm;
        (void)ov_touch_object_contacts(&q);
        double start = bench_cpu_ns();
        (void)ov_touch_object_contacts(&warm);
        out->worst = fmax(out->worst, 1e-3 * (bench_cpu_ns() - start));
        out->differing += !same_contacts(&q, &warm);
        out->touching += q.contact_count > 0;
    }
    out->touching /= (double)k->count;
}

/** The pace of some poses; `warm` has room for the probe. */
static pace measure_pace(const bench_job *job, rate_task *k, ov_touch_warm *warm,
                         ov_touch_contact *more) {
    pace out = {.fcl_first = NAN, .fcl_all = NAN, .fcl_contacts = NAN};
    row rows[ROWS_ALL];
    for (int i = 0; i < ROWS_ALL; i++) {
        rows[i] = empty_row("");
    }
    k->warm = NULL;
    measure_rate(k, MAP, &rows[MAP]);
    out.map = rows[MAP].micros;
    k->warm = warm;
    measure_rate(k, MAP, &rows[MAP]);
    out.warm = rows[MAP].micros;
    out.contacts = rows[MAP].contacts;
    compare_warm(k, more, &out);
    k->warm = NULL;
    measure_fcl(job, k, "fcl_mesh_collide", FCL_FIRST, FCL_ALL, rows);
    out.fcl_first = rows[FCL_FIRST].micros;
    out.fcl_all = rows[FCL_ALL].micros;
    out.fcl_contacts = rows[FCL_ALL].contacts;
    return out;
}

static void print_pace_header(cli *c) {
    static const char *const heads[] = {"touch %", "found",    "us",     "warm us", "worst",
                                        "FCL all", "first us", "all us", "FCL/",    "FCL/warm"};
    fprintf(c->out, "%-13s %-13s", "", "depth up to");
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        fprintf(c->out, " %8s", heads[i]);
    }
    fputc('\n', c->out);
}

static void print_pace(cli *c, FILE *csv, const target *t, double depth, bool tracks,
                       const pace *p) {
    const char *slash = strrchr(t->file, '/'), *kind = tracks ? "tracks" : "poses";
    fprintf(c->out, "%-13.13s %-7s %3.0f %% ", slash != NULL ? slash + 1 : t->file, kind,
            100.0 * depth);
    const double cells[] = {100.0 * p->touching,
                            p->contacts,
                            p->map,
                            p->warm,
                            p->worst,
                            p->fcl_contacts,
                            p->fcl_first,
                            p->fcl_all,
                            p->fcl_all / p->map,
                            p->fcl_all / p->warm};
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        bench_cell(c->out, 9, i == 0 ? "%.0f" : "%.1f",
                   tracks || (i != 3 && i != 9) ? cells[i] : NAN);
    }
    fputc('\n', c->out);
    fflush(c->out);
    if (csv != NULL) {
        fprintf(csv, "%s,%s %g,,,,,,,,%.17g,%.17g\n", t->file, kind, depth,
                tracks ? p->warm : p->map, p->contacts);
    }
}

/** Least ratios to FCL on tracks, at the first depth and at the last, and answers that differ. */
typedef struct paces {
    double ratio, ratio_deep, differing;
} paces;

static bool measure_depths(cli *c, const bench_job *job, rate_task *k, bench_random *r,
                           paces *sum) {
    size_t room = ov_touch_object_warm_room(k->p->object);
    ov_touch_warm warm = {.room = malloc(room * sizeof *warm.room), .room_count = room};
    ov_pose *poses = malloc(TICKS_ALL * sizeof *poses);
    ov_touch_contact *more = malloc(CONTACTS_MAX * sizeof *more);
    bool good = warm.room != NULL && poses != NULL && more != NULL;
    const ov_pose *given = k->poses;
    size_t given_count = k->count;
    print_pace_header(c);
    for (int i = 0; i < 2 * DEPTHS && good; i++) {
        double depth = depths[i / 2];
        bool tracks = i % 2 == 1;
        k->poses = poses;
        k->count = tracks ? TICKS_ALL : given_count < TICKS_ALL ? given_count : TICKS_ALL;
        if (!tracks) {
            make_poses(k->t, k->p, r, depth, poses, k->count);
        }
        for (int n = 0; n < TRACKS && tracks; n++) {
            make_track(k->t, k->p, r, depth, n % 2 == 1, &poses[(size_t)n * TICKS]);
        }
        bench_show(job->progress, k->t->file, (size_t)i, 2 * DEPTHS);
        pace p = measure_pace(job, k, &warm, more);
        print_pace(c, job->csv, k->t, depth, tracks, &p);
        sum->differing += (double)p.differing;
        if (tracks) {
            double *least = i < 2 ? &sum->ratio : &sum->ratio_deep;
            *least = (i < 2 || i + 1 == 2 * DEPTHS) && isfinite(p.fcl_all)
                         ? fmin(*least, p.fcl_all / p.warm)
                         : *least;
        }
    }
    k->poses = given;
    k->count = given_count;
    free(warm.room);
    free(poses);
    free(more);
    return good;
}

/* ---- slides

   A point is led along the surface, a little below it, by 1e-4 of the diagonal at a time, over what
   edges, saddles and corners the mesh has. A jump is the change of the force from one step to the
   next, relative to the larger one, or to stiffness times depth where that is more. */

enum { SLIDES = 30, SLIDE_STEPS = 2000, FORCES = 4 };
static const double jump_goal = 0.05;
static const double slide_step = 1e-4, slide_depth = 2e-3, proxy_radius = 5e-3; // of the diagonal

typedef enum force_kind { BY_PENALTY, BY_PROXY, BY_TRIANGLES, BY_CHORD } force_kind;

/** Largest jumps by each kind of force. */
typedef struct slides {
    double worst[FORCES];
    size_t above[FORCES]; // steps with more than the goal
    size_t steps;
} slides;

typedef struct slide_state {
    const target *t;
    ov_touch_proxy proxy;
    double stiffness;
} slide_state;

/** In units of stiffness times the depth of slides. */
static ov_vec3 slide_force(slide_state *s, force_kind kind, ov_vec3 p) {
    const ov_touch_placed_map field = {.map = s->t->map, .level = OV_TOUCH_LEVEL_FIELD};
    ov_touch_surface surface = ov_touch_map_surface(&field);
    const ov_touch_material material = {.stiffness = s->stiffness};
    ov_touch_force force = {.contact = false};
    if (kind == BY_TRIANGLES) {
        ov_touch_distance d;
        (void)ov_touch_map_point(s->t->map, ov_pose_identity(), p, OV_TOUCH_LEVEL_EXACT, &d);
        ov_vec3 out = d.distance < 0.0 ? ov_vec3_sub(d.nearest, p) : ov_vec3_make(0.0, 0.0, 0.0);
        return ov_vec3_scale(out, s->stiffness);
    }
    if (kind == BY_PROXY) {
        const ov_touch_placed_map exact = {.map = s->t->map, .level = OV_TOUCH_LEVEL_EXACT};
        surface = ov_touch_map_surface(&exact);
        const ov_touch_proxy_options options = {.radius = proxy_radius * s->t->diagonal};
        (void)ov_touch_proxy_step(&surface, &material, &options, p, 1e-3, &s->proxy, &force);
    } else {
        (void)ov_touch_penalty(&surface, &material, p, ov_vec3_make(0.0, 0.0, 0.0), 0.0, &force);
    }
    return force.force;
}

/** To the depth wanted, along the normal; false where there is none, as within thin walls. */
static bool hold_depth(const slide_state *s, ov_vec3 *p, ov_vec3 *normal) {
    for (int i = 0; i < 3; i++) {
        ov_touch_distance d;
        (void)ov_touch_map_point(s->t->map, ov_pose_identity(), *p, OV_TOUCH_LEVEL_FIELD, &d);
        *normal = d.normal;
        *p = ov_vec3_add_scaled(*p, d.normal, -(d.distance + slide_depth * s->t->diagonal));
    }
    return ov_vec3_dot(*normal, *normal) > 0.5;
}

static void note_jump(slides *out, force_kind kind, ov_vec3 before, ov_vec3 now, double moved) {
    // per step: the depth is held by moves that may be longer than the step
    double size = fmax(1.0, fmax(ov_vec3_length(before), ov_vec3_length(now)));
    double jump = ov_vec3_length(ov_vec3_sub(now, before)) / size * fmin(1.0, slide_step / moved);
    out->worst[kind] = fmax(out->worst[kind], jump);
    out->above[kind] += jump > jump_goal;
}

/** One slide in a direction that is kept as far as the surface lets it. */
static void slide_once(slide_state *s, bench_random *r, slides *out) {
    double diagonal = s->t->diagonal;
    size_t vertex = (size_t)bench_uniform(r, 0.0, (double)s->t->mesh.vertex_count);
    ov_vec3 p = s->t->mesh.vertices[vertex], way = bench_direction(r), normal, last[FORCES];
    for (int n = 0; n < SLIDE_STEPS; n++) {
        ov_vec3 from = p;
        p = ov_vec3_add_scaled(p, way, n > 0 ? slide_step * diagonal : 0.0);
        if (!hold_depth(s, &p, &normal)) {
            return;
        }
        way = ov_vec3_normalize(ov_vec3_add_scaled(way, normal, -ov_vec3_dot(way, normal)));
        for (force_kind kind = BY_PENALTY; kind <= BY_TRIANGLES; kind++) {
            ov_vec3 force = slide_force(s, kind, p);
            double moved = ov_vec3_length(ov_vec3_sub(p, from)) / diagonal;
            if (n > 1) {
                note_jump(out, kind, last[kind], force, fmax(moved, slide_step));
            }
            last[kind] = force;
        }
        out->steps++;
    }
}

/** Straight through the solid, where the nearest side changes at once. */
static void chord_once(slide_state *s, bench_random *r, slides *out) {
    size_t vertex = (size_t)bench_uniform(r, 0.0, (double)s->t->mesh.vertex_count);
    ov_vec3 p = s->t->mesh.vertices[vertex], way = bench_direction(r), last = p;
    for (int n = 0; n < SLIDE_STEPS; n++) {
        p = ov_vec3_add_scaled(p, way, slide_step * s->t->diagonal);
        ov_vec3 force = slide_force(s, BY_CHORD, p);
        if (n > 0) {
            note_jump(out, BY_CHORD, last, force, slide_step);
        }
        last = force;
    }
}

static slides measure_slides(const bench_job *job, const target *t) {
    slides out = {.steps = 0};
    bench_random r = {job->seed + 5};
    for (int n = 0; n < SLIDES; n++) {
        slide_state s = {.t = t, .stiffness = 1.0 / (slide_depth * t->diagonal)};
        slide_once(&s, &r, &out);
        chord_once(&s, &r, &out);
    }
    return out;
}

/* ---- the study */

/** Fits parts to a mesh, for the published map and for culling; none where that fails. */
static void fit_parts(target *t, size_t seed) {
    ov_fit_input input = {t->mesh.vertices, t->mesh.vertex_count,
                          (const uint32_t(*)[3])t->mesh.triangles, t->mesh.triangle_count};
    ov_fit_parts_options options = {.parts = PARTS, .seed = seed};
    ov_fit *fit = NULL;
    double start = bench_cpu_ns();
    if (ov_fit_parts_create(&input, &options, &fit) >= OV_OK) {
        size_t count = ov_fit_parts_report(fit).parts;
        t->part_count = count < PARTS ? count : PARTS;
        for (size_t i = 0; i < t->part_count; i++) {
            t->parts[i] = (ov_touch_part){ov_fit_parts(fit)[i].shape, ov_fit_parts(fit)[i].pose};
        }
    }
    t->fit_seconds = 1e-9 * (bench_cpu_ns() - start);
    ov_fit_destroy(fit);
}

static ov_status make_maps(target *t, row *rows) {
    const uint32_t(*triangles)[3] = (const uint32_t(*)[3])t->mesh.triangles;
    ov_touch_map_options options = {
        .parts = t->parts, .part_count = t->part_count, .threads = {.count = 1}};
    double start = bench_cpu_ns();
    ov_status status = ov_touch_map_create(t->mesh.vertices, t->mesh.vertex_count, triangles,
                                           t->mesh.triangle_count, &options, NULL, &t->map);
    rows[MAP].seconds = 1e-9 * (bench_cpu_ns() - start);
    if (status < OV_OK) {
        return status;
    }
    rows[MAP].megabytes = 1e-6 * (double)ov_touch_map_describe(t->map).bytes;
    if (t->part_count > 0) {
        const ov_touch_published_options fine = {.always_fine = true};
        start = bench_cpu_ns();
        status = ov_touch_published_create(t->mesh.vertices, t->mesh.vertex_count, triangles,
                                           t->mesh.triangle_count, t->parts, t->part_count, &fine,
                                           NULL, &t->published);
        rows[LAYER_3].seconds = 1e-9 * (bench_cpu_ns() - start);
        ov_touch_published_report report = ov_touch_published_describe(t->published);
        rows[LAYER_3].megabytes = 1e-6 * (double)report.bytes;
        rows[LAYER_2].megabytes = 1e-6 * (double)(report.bytes - report.fine_bytes);
    }
    t->diagonal = ov_touch_map_describe(t->map).diagonal;
    t->truth.count = t->mesh.triangle_count;
    t->truth.walls = malloc(t->truth.count * sizeof *t->truth.walls);
    for (size_t i = 0; i < t->truth.count && t->truth.walls != NULL; i++) {
        const ov_vec3 corners[3] = {t->mesh.vertices[triangles[i][0]],
                                    t->mesh.vertices[triangles[i][1]],
                                    t->mesh.vertices[triangles[i][2]]};
        t->truth.walls[i] = wall_of(corners);
    }
    return t->truth.walls == NULL ? OV_ERROR_MEMORY : status < OV_OK ? status : OV_OK;
}

/** The worst of all meshes. */
typedef struct summary {
    double megabytes, seconds, p99, worst, outside, rate, ratio, ratio_above, exact_rate, jump,
        proxy_jump;
    paces paces;
} summary;

static void add_up(summary *s, const row *rows) {
    const row *m = &rows[MAP];
    s->megabytes = fmax(s->megabytes, m->megabytes);
    s->seconds = fmax(s->seconds, m->seconds);
    s->p99 = fmax(s->p99, m->p99);
    s->worst = fmax(s->worst, m->worst);
    s->outside += m->outside + rows[EXACT].outside;
    s->rate = fmin(s->rate, 1e6 / m->micros);
    s->exact_rate = fmin(s->exact_rate, 1e6 / rows[EXACT].micros);
    if (isfinite(rows[FCL_ALL].micros)) {
        s->ratio = fmin(s->ratio, rows[FCL_ALL].micros / m->micros);
        s->ratio_above = fmin(s->ratio_above, rows[FCL_ABOVE].micros / rows[MAP_ABOVE].micros);
    }
}

/** Everything about one mesh whose maps are made. */
static int study_target(cli *c, const bench_job *job, const ov_mesh_data *probe_mesh, target *t,
                        row *rows, paces *sum) {
    probe p;
    dense d = {.values = NULL};
    ov_pose *poses = malloc(job->pairs * sizeof *poses);
    ov_touch_contact *contacts = malloc(CONTACTS_MAX * sizeof *contacts);
    double start = bench_cpu_ns();
    bool good = poses != NULL && contacts != NULL && make_dense(t, &d);
    rows[DENSE].seconds = 1e-9 * (bench_cpu_ns() - start);
    rows[DENSE].megabytes = 1e-6 * (double)(d.dims[0] * d.dims[1] * d.dims[2] * sizeof(float));
    good = make_probe(probe_mesh, t->diagonal, &p) && good;
    if (good) {
        bench_random r = {job->seed};
        rate_task k = {t, &p, poses, job->pairs, &d, contacts, NULL, NULL, NULL, NULL};
        make_poses(t, &p, &r, band, poses, job->pairs);
        measure_rates(job, &k, rows);
        make_poses(t, &p, &r, -band, poses, job->pairs);
        measure_above(job, &k, rows);
        good = measure_errors(job, t, &d, rows) && measure_depths(c, job, &k, &r, sum);
    }
    free_probe(&p);
    free(d.values);
    free(poses);
    free(contacts);
    return good ? CLI_OK : bench_no_memory(c, t->file);
}

static int study_file(cli *c, const bench_job *job, const ov_mesh_data *probe_mesh,
                      const char *path, summary *s) {
    static const char *const names[ROWS_ALL] = {
        "Ovoid's map",        "published, layer 1", "published, layer 2", "published, layer 3",
        "dense, D/128",       "Ovoid, exact",       "FCL, first contact", "FCL, all contacts",
        "Ovoid's map, above", "FCL, distance above"};
    static const int order[ROWS_ALL] = {LAYER_1, LAYER_2,   LAYER_3, DENSE,     MAP,
                                        EXACT,   FCL_FIRST, FCL_ALL, MAP_ABOVE, FCL_ABOVE};
    target t = {.file = path};
    ov_fault fault = {.text = ""};
    row rows[ROWS_ALL];
    for (int i = 0; i < ROWS_ALL; i++) {
        rows[i] = empty_row(names[i]);
    }
    if (ov_mesh_read(path, &t.mesh, &fault) < OV_OK) {
        return cli_error(c, path, "%s", fault.text);
    }
    bench_show(job->progress, path, 0, 1);
    fit_parts(&t, job->seed);
    ov_status made = make_maps(&t, rows);
    int status = made < OV_OK ? cli_error(c, path, "%s", ov_status_message(made))
                              : study_target(c, job, probe_mesh, &t, rows, &s->paces);
    for (int i = 0; i < ROWS_ALL && status == CLI_OK; i++) {
        if (isfinite(rows[order[i]].micros)) {
            bool above = order[i] == MAP_ABOVE || order[i] == FCL_ABOVE;
            print_row(c, job->csv, &t, &rows[order[i]], rows[above ? FCL_ABOVE : FCL_ALL].micros);
        }
    }
    if (status == CLI_OK) {
        fprintf(c->out, "%-13s %zu parts, fitted in %.1f s; %zu triangles\n", "", t.part_count,
                t.fit_seconds, t.mesh.triangle_count);
        slides jumps = measure_slides(job, &t);
        fprintf(c->out,
                "%-13s largest jumps in %zu steps of %g D, 1 ms each: penalty %.4f, proxy %.4f "
                "(%zu above %g), nearest triangle %.2f; across the medial axis %.2f\n",
                "", jumps.steps, slide_step, jumps.worst[BY_PENALTY], jumps.worst[BY_PROXY],
                jumps.above[BY_PROXY], jump_goal, jumps.worst[BY_TRIANGLES], jumps.worst[BY_CHORD]);
        s->jump = fmax(s->jump, jumps.worst[BY_PENALTY]);
        s->proxy_jump = fmax(s->proxy_jump, jumps.worst[BY_PROXY]);
        add_up(s, rows);
    }
    free(t.truth.walls);
    ov_touch_map_destroy(t.map);
    ov_touch_published_destroy(t.published);
    ov_mesh_free(&t.mesh);
    return status;
}

int study_touch(cli *c, const bench_job *job) {
    summary s = {.rate = INFINITY,
                 .exact_rate = INFINITY,
                 .ratio = INFINITY,
                 .ratio_above = INFINITY,
                 .paces = {.ratio = INFINITY, .ratio_deep = INFINITY}};
    if (job->file_count == 0) {
        return cli_error(c, "touch", "a mesh to touch with is missing");
    }
    ov_mesh_data probe_mesh;
    ov_fault fault = {.text = ""};
    if (ov_mesh_read(job->files[0], &probe_mesh, &fault) < OV_OK) {
        return cli_error(c, job->files[0], "%s", fault.text);
    }
    if (job->csv != NULL) {
        fputs("file,method,megabytes,seconds,mean,p99,worst,wrong,outside,micros,contacts\n",
              job->csv);
    }
    fprintf(c->out, "%-13s %-22s %7s %6s %7s %7s %7s %6s %6s %8s %8s %7s %6s\n", "mesh", "method",
            "MB", "s", "mean%", "p99%", "worst%", "wrong%", "out", "us", "per s", "found", "FCL/");
    int status = CLI_OK;
    for (size_t i = 0; i < job->file_count && status == CLI_OK; i++) {
        status = study_file(c, job, &probe_mesh, job->files[i], &s);
    }
    ov_mesh_free(&probe_mesh);
    if (status != CLI_OK) {
        return status;
    }
    fputc('\n', c->out);
    const int width = 56;
    bench_goal(c->out, width, "megabytes of the largest map", 2.4, true, s.megabytes);
    bench_goal(c->out, width, "seconds of precomputation, one core", 5.0, true, s.seconds);
    bench_goal(c->out, width, "p99 of the error, percent", 0.06, true, 100.0 * s.p99);
    bench_goal(c->out, width, "worst error, percent", 0.1, true, 100.0 * s.worst);
    bench_goal(c->out, width, "true distances outside the bounds", 0.0, true, s.outside);
    bench_goal(c->out, width, "jump of the force per 1e-4 of the diagonal, penalty", jump_goal,
               true, s.jump);
    bench_goal(c->out, width, "the same of the finger proxy", jump_goal, true, s.proxy_jump);
    bench_goal(c->out, width, "queries per second with forces, the least", 50000.0, false, s.rate);
    bench_goal(c->out, width, "exact queries per second, the least", 10000.0, false, s.exact_rate);
    bench_goal(c->out, width, "answers that differ, warm and cold", 0.0, true, s.paces.differing);
    if (isfinite(s.ratio)) {
        bench_goal(c->out, width, "times FCL's mesh collision, the least", 200.0, false, s.ratio);
        bench_goal(c->out, width, "the same on tracks, up to 1 % deep", 200.0, false,
                   s.paces.ratio);
        bench_goal(c->out, width, "the same on tracks, up to 5 % deep", 200.0, false,
                   s.paces.ratio_deep);
        bench_goal(c->out, width, "times FCL's distance, above the surface", 200.0, false,
                   s.ratio_above);
    }
    return CLI_OK;
}
