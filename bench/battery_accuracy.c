/**
 * @file battery_accuracy.c
 * @brief The accuracy of meshes [Benchmark, 6.2, Fig. 9]: error of the gap, and time, against the
 * number of vertices, beside Ovoid.
 *
 * The paper shows one pair of superovoids with semi-axes in [0.96, 1.4], whose parameters it does
 * not give; here it is a number of random pairs of that size, all separated, exponents and taper as
 * in the battery. Where FCL is missing, the gap between the convex hulls of the meshes is taken
 * instead, by Ovoid's own query of polyhedra; there is no time to compare then.
 */
#include "battery.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t vertex_counts[ACCURACY_STEPS] = {18,   34,   66,   146,   290,  786,
                                                     1538, 3000, 6000, 12000, 20000};

/** A separated pair of the study; false where the draw overlaps or is dented. */
static bool draw(battery_random *r, battery_pair *p) {
    ov_shape *shapes[2] = {&p->a, &p->b};
    for (int k = 0; k < 2; k++) {
        double x = battery_uniform(r, 0.96, 1.4), y = battery_uniform(r, 0.96, 1.4);
        ov_vec3 a = {x, y, battery_uniform(r, 0.96, 1.4)};
        double e1 = battery_uniform(r, 0.3, 1.1), e2 = battery_uniform(r, 0.3, 1.1);
        double tx = battery_uniform(r, -0.4, 0.4), ty = battery_uniform(r, -0.4, 0.4);
        if (ov_shape_make_superovoid(a, e1, e2, tx, ty, NULL, shapes[k]) != OV_OK) {
            return false;
        }
    }
    p->pose_a = (ov_pose){{0.0, 0.0, 0.0}, battery_rotation(r)};
    p->pose_b.rotation = battery_rotation(r);
    p->pose_b.position = ov_vec3_scale(battery_direction(r), battery_uniform(r, 3.0, 4.0));
    return battery_refer(p) && p->part == BATTERY_SEPARATED;
}

static void note(accuracy_step *step, double gap, long double reference, double ns) {
    double error = (double)fabsl(gap - reference);
    step->mean_error += error;
    step->worst_error = fmax(step->worst_error, error);
    step->mean_ns += ns;
}

enum { ROUNDS = 3 };

static bool measure_fcl(const peer_method *method, const battery_pair *p, size_t vertices,
                        double clock_ns, accuracy_step *step) {
    void *a = battery_object_make(method, &p->a, p->pose_a, vertices);
    void *b = battery_object_make(method, &p->b, p->pose_b, vertices);
    bool good = a != NULL && b != NULL;
    double best = INFINITY;
    peer_answer answer = {PEER_FAILED, NAN};
    for (int round = 0; round < ROUNDS && good; round++) {
        double start = battery_now_ns();
        answer = method->ask(a, b, 0.0);
        best = fmin(best, battery_now_ns() - start - clock_ns);
    }
    if (good) {
        note(step, answer.gap, p->gap, best);
    }
    if (a != NULL) {
        method->destroy(a);
    }
    if (b != NULL) {
        method->destroy(b);
    }
    return good;
}

static bool measure_hulls(const battery_pair *p, size_t vertices, accuracy_step *step) {
    battery_mesh a = {0}, b = {0};
    ov_shape hull_a, hull_b;
    ov_contact c;
    bool good = battery_mesh_make(&p->a, vertices, false, &a) &&
                battery_mesh_make(&p->b, vertices, false, &b) &&
                ov_shape_make_polyhedron(a.vertices, a.vertex_count, NULL, 0, &hull_a) == OV_OK &&
                ov_shape_make_polyhedron(b.vertices, b.vertex_count, NULL, 0, &hull_b) == OV_OK &&
                ov_pair_contact(&hull_a, p->pose_a, &hull_b, p->pose_b, NULL, NULL, &c) >= 0;
    if (good) {
        note(step, c.gap, p->gap, NAN);
    }
    battery_mesh_free(&a);
    battery_mesh_free(&b);
    return good;
}

static bool count_vertices(const battery_pair *p, size_t vertices, accuracy_step *step) {
    ov_mesh_options options = {.vertices = vertices};
    ov_mesh_plan a, b;
    if (ov_shape_mesh_plan(&p->a, &options, &a) < 0 ||
        ov_shape_mesh_plan(&p->b, &options, &b) < 0) {
        return false;
    }
    step->vertices += 0.5 * (double)(a.vertex_count + b.vertex_count);
    return true;
}

static void measure_ovoid(const battery_pair *p, double clock_ns, accuracy_step *step) {
    double best = INFINITY;
    ov_contact c = {.gap = NAN};
    for (int round = 0; round < ROUNDS; round++) {
        double start = battery_now_ns();
        ov_pair_contact(&p->a, p->pose_a, &p->b, p->pose_b, NULL, NULL, &c);
        best = fmin(best, battery_now_ns() - start - clock_ns);
    }
    note(step, c.gap, p->gap, best);
}

static void divide(accuracy_step *step, size_t pairs) {
    step->vertices /= (double)pairs;
    step->mean_error /= (double)pairs;
    step->mean_ns /= (double)pairs;
}

static const peer_method *mesh_distance(const battery_peers *peers) {
    for (size_t i = 0; i < peers->count; i++) {
        if (peers->methods[i]->input == PEER_MESH && peers->methods[i]->gives_distance) {
            return peers->methods[i];
        }
    }
    return NULL;
}

bool accuracy_measure(size_t pairs, uint64_t seed, const battery_peers *peers,
                      const battery_progress *progress, accuracy_study *study) {
    const peer_method *method = mesh_distance(peers);
    battery_random r = {seed};
    double clock_ns = battery_clock_ns();
    *study = (accuracy_study){.by_fcl = method != NULL, .pairs = pairs, .seed = seed};
    for (size_t i = 0; i < pairs; i++) {
        battery_pair p = {0};
        for (int tries = 0; !draw(&r, &p); tries++) {
            if (tries > 10000) {
                return false;
            }
        }
        study->reference_error = fmax(study->reference_error, (double)p.gap_error);
        for (int k = 0; k < ACCURACY_STEPS; k++) {
            accuracy_step *step = &study->meshes[k];
            bool good = count_vertices(&p, vertex_counts[k], step) &&
                        (method != NULL ? measure_fcl(method, &p, vertex_counts[k], clock_ns, step)
                                        : measure_hulls(&p, vertex_counts[k], step));
            if (!good) {
                return false;
            }
        }
        measure_ovoid(&p, clock_ns, &study->ovoid);
        battery_show(progress, "pairs measured", i + 1, pairs);
    }
    for (int k = 0; k < ACCURACY_STEPS; k++) {
        divide(&study->meshes[k], pairs);
    }
    divide(&study->ovoid, pairs);
    return true;
}

/* ---- the table */

static void print_step(FILE *out, const char *name, const accuracy_step *s) {
    fprintf(out, "%-28s", name);
    if (s->vertices > 0.0) {
        fprintf(out, " %10.0f", s->vertices);
    } else {
        fprintf(out, " %10s", "-");
    }
    fprintf(out, " %12.2e %12.2e", s->mean_error, s->worst_error);
    if (isfinite(s->mean_ns)) {
        fprintf(out, " %12.3f\n", s->mean_ns * 1e-3);
    } else {
        fprintf(out, " %12s\n", "-");
    }
}

void accuracy_print(FILE *out, const accuracy_study *s) {
    fprintf(out,
            "Accuracy of meshes [Benchmark, 6.2, Fig. 9]: %zu separated pairs of superovoids, seed "
            "%llu.\nSemi-axes in [0.96, 1.4], e in [0.3, 1.1], T in [-0.4, 0.4]. Reference: long "
            "double, +-%.0e.\n\n",
            s->pairs, (unsigned long long)s->seed, s->reference_error);
    fprintf(out, "%-28s %10s %12s %12s %12s\n", "", "vertices", "mean error", "worst error",
            "mean us");
    for (int k = 0; k < ACCURACY_STEPS; k++) {
        print_step(out, s->by_fcl ? "FCL mesh distance" : "hulls of the meshes (Ovoid)",
                   &s->meshes[k]);
    }
    print_step(out, "Ovoid, tolerance 1e-9", &s->ovoid);
}

static void csv_step(FILE *out, const char *name, const accuracy_step *s) {
    fprintf(out, "%s,%.17g,%.17g,%.17g,", name, s->vertices, s->mean_error, s->worst_error);
    if (isfinite(s->mean_ns)) {
        fprintf(out, "%.17g", s->mean_ns * 1e-3);
    }
    fputc('\n', out);
}

void accuracy_csv(FILE *out, const accuracy_study *s) {
    fputs("method,vertices,mean_error,worst_error,mean_us\n", out);
    for (int k = 0; k < ACCURACY_STEPS; k++) {
        csv_step(out, s->by_fcl ? "fcl_mesh_distance" : "ovoid_mesh_hull", &s->meshes[k]);
    }
    csv_step(out, "ovoid", &s->ovoid);
}
