/**
 * @file study_cloth.c
 * @brief A cloth falls over bodies and comes to rest: time, strain and depth beside Bullet's soft
 * body. `ovoid-bench cloth`.
 *
 * The experiment of [Thesis, 6.1]: bodies in a square grid, half in the ground, and a cloth of 4 m
 * by 4 m over them; 1 to 100 bodies and 441 to 10,201 vertices. What the thesis and Bullet test are
 * vertices; here it is asked of all triangles, by the certified query, how deep they are in a body,
 * of Ovoid's cloth and of Bullet's alike. Strain is that of the edges along the threads. Bullet
 * gets four steps a frame of ten iterations, and a margin of 20 mm, without which bodies poke
 * through.
 */
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "drape.h"

enum { BODIES_MOST = 100, SETTLED = 60 };

static const double frame = 1.0 / 60.0;

/** What lies under the cloth. */
typedef struct cloth_case {
    const char *bodies;
    double e, taper;
    uint32_t cells; /**< along a side of the cloth */
    size_t count;   /**< of the bodies */
    ov_cloth_contact contact;
} cloth_case;

typedef struct drape {
    ov_shape shapes[BODIES_MOST], ground;
    ov_cloth_collider colliders[BODIES_MOST + 1];
    peer_body bodies[BODIES_MOST];
    size_t count;
    ov_vec3 *vertices;
    uint32_t (*triangles)[3];
    size_t vertex_count, triangle_count;
    uint32_t cells;
} drape;

/** What came of it: mean time of all frames, and of the last ones, ms; at the end: stretch, depth.
 */
typedef struct outcome {
    double ms, settled_ms, strain, depth, speed;
} outcome;

static ov_status make_body(const cloth_case *c, ov_vec3 a, ov_shape *shape) {
    if (c->taper != 0.0) {
        return ov_shape_make_superovoid(a, c->e, c->e, c->taper, -c->taper, NULL, shape);
    }
    return ov_shape_make_superellipsoid(a, c->e, c->e, shape);
}

static bool make_scene(const cloth_case *c, drape *d) {
    d->count = c->count;
    for (size_t i = 0; i < c->count; i++) {
        ov_pose pose = drape_pose(i, c->count);
        if (make_body(c, drape_axes(c->count), &d->shapes[i]) != OV_OK) {
            return false;
        }
        d->colliders[i] = (ov_cloth_collider){
            .shape = &d->shapes[i], .start = pose, .end = pose, .friction = drape_friction};
        d->bodies[i] = bench_body(&d->shapes[i], pose);
    }
    if (ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), 0.0, &d->ground) != OV_OK) {
        return false;
    }
    d->colliders[c->count] = (ov_cloth_collider){.shape = &d->ground, .friction = drape_friction};
    d->cells = c->cells;
    d->vertex_count = (size_t)(c->cells + 1) * (c->cells + 1);
    d->triangle_count = 2 * (size_t)c->cells * c->cells;
    d->vertices = malloc(d->vertex_count * sizeof *d->vertices);
    d->triangles = malloc(d->triangle_count * sizeof *d->triangles);
    return d->vertices != NULL && d->triangles != NULL &&
           drape_cloth(c->count, c->cells, d->vertices, d->triangles) == OV_OK;
}

static void free_scene(drape *d) {
    free(d->vertices);
    free(d->triangles);
}

/* ---- what is measured, from positions alone */

static double stretch_between(ov_vec3 a, ov_vec3 b, double rest) {
    return ov_vec3_length(ov_vec3_sub(a, b)) / rest - 1.0;
}

static double largest_stretch(const drape *d, const ov_vec3 *p) {
    size_t n = d->cells + 1;
    double rest = drape_side / d->cells, most = 0.0;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i + 1 < n; i++) {
            most = fmax(most, stretch_between(p[j * n + i], p[j * n + i + 1], rest));
            most = fmax(most, stretch_between(p[i * n + j], p[(i + 1) * n + j], rest));
        }
    }
    return most;
}

static bool boxes_apart(const ov_aabb *box, const ov_vec3 p[3]) {
    return fmin(p[0].x, fmin(p[1].x, p[2].x)) > box->max.x ||
           fmax(p[0].x, fmax(p[1].x, p[2].x)) < box->min.x ||
           fmin(p[0].y, fmin(p[1].y, p[2].y)) > box->max.y ||
           fmax(p[0].y, fmax(p[1].y, p[2].y)) < box->min.y ||
           fmin(p[0].z, fmin(p[1].z, p[2].z)) > box->max.z ||
           fmax(p[0].z, fmax(p[1].z, p[2].z)) < box->min.z;
}

/** Depth of the deepest triangle in any body, proven from above, m; NaN where a query failed. */
static double deepest(const drape *d, const ov_vec3 *x) {
    double most = 0.0;
    for (size_t i = 0; i < d->count; i++) {
        ov_aabb box;
        ov_pose pose = d->colliders[i].end;
        if (ov_shape_aabb(&d->shapes[i], pose, &box) != OV_OK) {
            return NAN;
        }
        for (size_t t = 0; t < d->triangle_count; t++) {
            const uint32_t *v = d->triangles[t];
            const ov_vec3 p[3] = {x[v[0]], x[v[1]], x[v[2]]};
            ov_contact c;
            if (boxes_apart(&box, p)) {
                continue;
            }
            if (ov_triangle_contact(&d->shapes[i], pose, p[0], p[1], p[2], NULL, &c) < 0) {
                return NAN;
            }
            most = fmax(most, -c.gap_lower);
        }
    }
    return most;
}

/* ---- runs */

static void finish(const drape *d, const ov_vec3 *x, double total, double late, size_t frames,
                   outcome *out) {
    size_t last = frames < SETTLED ? frames : SETTLED;
    out->ms = total * 1e-6 / (double)frames;
    out->settled_ms = late * 1e-6 / (double)last;
    out->strain = largest_stretch(d, x);
    out->depth = deepest(d, x);
}

static bool run_ovoid(const cloth_case *c, drape *d, size_t frames, outcome *out) {
    ov_cloth_options options = {.density = drape_mass / (drape_side * drape_side),
                                .contact = c->contact};
    options.threads.count = 1;
    ov_cloth *cloth;
    if (ov_cloth_create(d->vertices, d->vertex_count, (const uint32_t(*)[3])d->triangles,
                        d->triangle_count, &options, &cloth) != OV_OK) {
        return false;
    }
    double total = 0.0, late = 0.0;
    bool good = true;
    for (size_t i = 0; i < frames && good; i++) {
        double start = bench_cpu_ns();
        good = ov_cloth_step(cloth, d->colliders, d->count + 1, frame) == OV_OK;
        double took = bench_cpu_ns() - start;
        total += took;
        late += i + SETTLED >= frames ? took : 0.0;
    }
    ov_vec3 *x = malloc(d->vertex_count * sizeof *x);
    ov_cloth_state state;
    good = good && x != NULL && ov_cloth_positions(cloth, x) == OV_OK &&
           ov_cloth_measure(cloth, &state) == OV_OK;
    if (good) {
        out->speed = state.speed;
        finish(d, x, total, late, frames, out);
    }
    free(x);
    ov_cloth_destroy(cloth);
    return good;
}

static bool run_peer(const peer_cloth *peer, drape *d, size_t frames, outcome *out) {
    const peer_cloth_scene scene = {.vertices = d->vertices,
                                    .triangles = (const uint32_t(*)[3])d->triangles,
                                    .vertex_count = d->vertex_count,
                                    .triangle_count = d->triangle_count,
                                    .bodies = d->bodies,
                                    .body_count = d->count,
                                    .mass = drape_mass,
                                    .friction = drape_friction,
                                    .margin = 0.02,
                                    .steps = 4,
                                    .iterations = 10};
    void *cloth = peer->make(&scene);
    ov_vec3 *x = malloc(d->vertex_count * sizeof *x);
    double total = 0.0, late = 0.0;
    if (cloth == NULL || x == NULL) {
        free(x);
        return false;
    }
    for (size_t i = 0; i < frames; i++) {
        double start = bench_cpu_ns();
        peer->step(cloth, frame);
        double took = bench_cpu_ns() - start;
        total += took;
        late += i + SETTLED >= frames ? took : 0.0;
    }
    peer->positions(cloth, x);
    out->speed = NAN;
    finish(d, x, total, late, frames, out);
    free(x);
    peer->destroy(cloth);
    return true;
}

/* ---- the table */

static const cloth_case cases[] = {
    {"ellipsoids", 1.0, 0.0, 40, 1, 0},
    {"ellipsoids", 1.0, 0.0, 40, 9, 0},
    {"ellipsoids", 1.0, 0.0, 40, 25, 0},
    {"ellipsoids", 1.0, 0.0, 40, 49, 0},
    {"ellipsoids", 1.0, 0.0, 40, 80, 0},
    {"ellipsoids", 1.0, 0.0, 40, 100, 0},
    {"e = 0.5", 0.5, 0.0, 40, 25, 0},
    {"e = 0.5", 0.5, 0.0, 40, 80, 0},
    {"tapered", 0.7, 0.2, 40, 25, 0},
    {"tapered", 0.7, 0.2, 40, 80, 0},
    {"ellipsoids", 1.0, 0.0, 20, 25, 0},
    {"ellipsoids", 1.0, 0.0, 20, 80, 0},
    {"ellipsoids", 1.0, 0.0, 100, 25, 0},
    {"ellipsoids", 1.0, 0.0, 100, 80, 0},
    {"vertices only", 1.0, 0.0, 40, 25, OV_CLOTH_CONTACT_VERTICES},
    {"vertices only", 1.0, 0.0, 20, 25, OV_CLOTH_CONTACT_VERTICES},
    {"radial forces", 1.0, 0.0, 40, 25, OV_CLOTH_CONTACT_RADIAL},
    {"radial forces", 1.0, 0.0, 20, 25, OV_CLOTH_CONTACT_RADIAL},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static void print_outcome(FILE *out, const outcome *o) {
    bench_cell(out, 8, "%.2f", o->ms);
    bench_cell(out, 8, "%.2f", o->settled_ms);
    bench_cell(out, 8, "%.2f", 100.0 * o->strain);
    bench_cell(out, 10, "%.4f", 1e3 * o->depth);
}

static void write_row(FILE *csv, const char *who, const cloth_case *c, const outcome *o) {
    if (csv != NULL) {
        fprintf(csv, "%s,%s,%u,%zu", who, c->bodies, (c->cells + 1) * (c->cells + 1), c->count);
        const double numbers[] = {o->ms, o->settled_ms, o->strain, 1e3 * o->depth};
        bench_csv_numbers(csv, numbers, sizeof numbers / sizeof numbers[0]);
        fputc('\n', csv);
    }
}

static const outcome nothing = {NAN, NAN, NAN, NAN, NAN};

/** One case by both; the peer only where contact is the usual one. */
static bool run_case(cli *c, const bench_job *job, size_t frames, const cloth_case *which,
                     outcome *own, outcome *other) {
    drape *d = calloc(1, sizeof *d);
    *own = *other = nothing;
    bool good = d != NULL && make_scene(which, d) && run_ovoid(which, d, frames, own);
    bool beside = good && job->peers->cloth != NULL && which->contact == 0;
    good = good && (!beside || run_peer(job->peers->cloth, d, frames, other));
    if (d != NULL) {
        free_scene(d);
    }
    free(d);
    if (!good) {
        return false;
    }
    fprintf(c->out, "%-14s %6u %5zu |", which->bodies, (which->cells + 1) * (which->cells + 1),
            which->count);
    print_outcome(c->out, own);
    fprintf(c->out, " |");
    print_outcome(c->out, other);
    bench_cell(c->out, 7, "%.2f", own->ms / other->ms);
    fprintf(c->out, "\n");
    write_row(job->csv, "ovoid", which, own);
    if (beside) {
        write_row(job->csv, job->peers->cloth->id, which, other);
    }
    return true;
}

/* ---- a cloth that folds upon itself */

/** Falls on its edge upon the ground, 1,000 frames; frames with a crossing, and the time of one. */
static bool run_folding(size_t frames, double *crossed, double *ms) {
    enum { CELLS = 40 };
    const size_t n = (CELLS + 1) * (CELLS + 1), t = 2 * CELLS * CELLS;
    ov_vec3 *x = malloc(n * sizeof *x);
    uint32_t(*triangles)[3] = malloc(t * sizeof *triangles);
    ov_shape ground, ball;
    ov_cloth *cloth = NULL;
    ov_cloth_options options = {.self_collision = true, .bending = 1e-4, .thickness = 5e-3};
    bool good =
        x != NULL && triangles != NULL &&
        ov_cloth_grid_fill(ov_vec3_make(-1.0, 0.02, 0.3), ov_vec3_make(2.0, 0.0, 0.0),
                           ov_vec3_make(0.0, 0.3, 2.0), CELLS, CELLS, x, triangles) == OV_OK &&
        ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), 0.0, &ground) == OV_OK &&
        ov_shape_make_sphere(0.25, &ball) == OV_OK &&
        ov_cloth_create(x, n, (const uint32_t(*)[3])triangles, t, &options, &cloth) == OV_OK;
    ov_cloth_collider colliders[2] = {{.shape = &ground, .friction = 0.5},
                                      {.shape = &ball, .friction = 0.3}};
    colliders[1].start.position = colliders[1].end.position = ov_vec3_make(0.1, 0.0, 0.0);
    double total = 0.0;
    *crossed = 0.0;
    for (size_t i = 0; i < frames && good; i++) {
        double start = bench_cpu_ns();
        good = ov_cloth_step(cloth, colliders, 2, frame) == OV_OK;
        total += bench_cpu_ns() - start;
        size_t crossings = 0;
        good = good && ov_cloth_crossings(cloth, &crossings) == OV_OK;
        *crossed += crossings > 0;
    }
    *ms = total * 1e-6 / (double)frames;
    ov_cloth_destroy(cloth);
    free(x);
    free(triangles);
    return good;
}

/* ---- the study */

static void print_goals(FILE *out, const outcome *own, const outcome *other) {
    double depth = 0.0, strain = 0.0;
    for (size_t i = 0; i < CASES; i++) {
        if (cases[i].contact == 0 && cases[i].cells == 40) {
            depth = fmax(depth, own[i].depth);
        }
        if (cases[i].contact == 0 && cases[i].cells == 40 && cases[i].count >= 25) {
            strain = fmax(strain, own[i].strain);
        }
    }
    enum { WIDTH = 52, AT_25 = 2, AT_80 = 4, SQUARE_80 = 7 };
    fprintf(out, "\ngoals, 1681 vertices\n");
    bench_goal(out, WIDTH, "deepest point of any triangle, mm", 0.1, true, 1e3 * depth);
    bench_goal(out, WIDTH, "strain over 25 and more bodies, %", 3.0, true, 100.0 * strain);
    bench_goal(out, WIDTH, "ms of a frame, 80 ellipsoids", 4.0, true, own[AT_80].ms);
    bench_goal(out, WIDTH, "ms of a frame, 80 of e = 0.5", 7.0, true, own[SQUARE_80].ms);
    if (isfinite(other[AT_25].ms)) {
        bench_goal(out, WIDTH, "time of Bullet's, 25 ellipsoids", 0.5, true,
                   own[AT_25].ms / other[AT_25].ms);
        bench_goal(out, WIDTH, "time of Bullet's, 80 ellipsoids", 0.5, true,
                   own[AT_80].ms / other[AT_80].ms);
    }
}

int study_cloth(cli *c, const bench_job *job) {
    size_t frames = job->frames > 0 ? job->frames : 300;
    static outcome own[CASES], other[CASES];
    const char *peer = job->peers->cloth != NULL ? job->peers->cloth->name : "-";
    fprintf(c->out, "a cloth of 4 m falls over bodies half in the ground, %zu frames of 1/60 s\n",
            frames);
    fprintf(c->out, "%-14s %6s %5s | %-37s | %-37s\n", "", "", "", "Ovoid", peer);
    fprintf(c->out, "%-14s %6s %5s | %8s %8s %8s %10s | %8s %8s %8s %10s %7s\n", "bodies", "points",
            "count", "ms", "at rest", "strain %", "depth mm", "ms", "at rest", "strain %",
            "depth mm", "ratio");
    if (job->csv != NULL) {
        fprintf(job->csv, "method,bodies,vertices,count,ms,settled_ms,strain,depth_mm\n");
    }
    for (size_t i = 0; i < CASES; i++) {
        bench_show(job->progress, "cases", i, CASES);
        if (!run_case(c, job, frames, &cases[i], &own[i], &other[i])) {
            return bench_no_memory(c, "cloth");
        }
    }
    double crossed, ms;
    size_t folds = job->frames > 0 ? job->frames : 1000;
    if (!run_folding(folds, &crossed, &ms)) {
        return bench_no_memory(c, "cloth");
    }
    fprintf(
        c->out,
        "\nfolding upon itself, 1681 points, %zu frames: %.2f ms a frame, %.0f with a crossing\n",
        folds, ms, crossed);
    print_goals(c->out, own, other);
    return CLI_OK;
}
