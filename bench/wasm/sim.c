/**
 * @file sim.c
 * @brief What simulations cost, as one program for WebAssembly and for the processor itself: a
 * puppet thrown down stairs (bench/puppet.h), and a cloth of 1,681 vertices that falls over 25
 * ellipsoids (bench/drape.h), on one thread.
 *
 * Prints `time CASE MS` with the processor's time of a frame, and `at CASE FRAME X Y Z` for every
 * limb and vertex at a few frames, which tell whether two builds compute the same motion: early
 * ones, because rounding grows without bound in a fall down stairs. `worst CASE ...` are the errors
 * of the whole run. Ends with status 1 where a call fails. `scripts/bench-wasm` compiles and runs
 * it.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <ovoid/ovoid.h>

#include "../drape.h"
#include "../puppet.h"

enum { THROWS = 8, THROW_FRAMES = 180, BODIES = 25, CELLS = 40, CLOTH_FRAMES = 200 };
enum { VERTICES = (CELLS + 1) * (CELLS + 1), TRIANGLES = 2 * CELLS * CELLS };

static const double frame = 1.0 / 60.0;

/** Of this thread: the compiler of node has threads of its own. */
static double cpu_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void print_at(const char *name, int at, ov_vec3 x) {
    printf("at %s %d %.17g %.17g %.17g\n", name, at, x.x, x.y, x.z);
}

static void print_limbs(const ov_sim *sim, const puppet *p, int at) {
    for (int i = 0; i < PUPPET_BODIES; i++) {
        ov_sim_body_state state;
        if (ov_sim_body_get(sim, p->bodies[i], &state) == OV_OK) {
            print_at("puppet", at, state.pose.position);
        }
    }
}

/** One throw of three seconds, each with another turn and speed; adds its time. */
static bool throw_puppet(const puppet_parts *parts, int number, double *ms, puppet_worst *worst) {
    ov_sim_options options = {.mode = OV_SIM_MODE_ACCURATE, .substeps = 30, .threads.count = 1};
    double t = (double)number / THROWS;
    ov_pose pose = {{t - 0.5, 0.1, 2.6},
                    ov_quat_from_axis_angle(ov_vec3_make(1.0, t, 0.3), 0.8 * t)};
    ov_sim *sim = NULL;
    puppet p;
    bool good = ov_sim_create(&options, &sim) == OV_OK && stairs_add(sim, parts) == OV_OK &&
                puppet_add(sim, parts, pose, ov_vec3_make(0.5 - t, 4.0 * t, 1.0 - t),
                           ov_vec3_make(2.0 * t, 1.0, -t), &p) == OV_OK;
    for (int i = 1; good && i <= THROW_FRAMES; i++) {
        double start = cpu_ms();
        good = ov_sim_step(sim, frame) == OV_OK;
        *ms += (cpu_ms() - start) / (THROWS * THROW_FRAMES);
        puppet_measure(sim, &p, worst);
        if (i == 10 || i == 20 || i == 40) {
            print_limbs(sim, &p, i);
        }
    }
    ov_sim_destroy(sim);
    return good;
}

static bool run_puppet(void) {
    puppet_parts parts = puppet_parts_make();
    puppet_worst worst = {0};
    double ms = 0.0;
    bool good = true;
    for (int i = 0; good && i < THROWS; i++) {
        good = throw_puppet(&parts, i, &ms, &worst);
    }
    puppet_parts_free(&parts);
    printf("time puppet %.9g\n", ms);
    printf("worst puppet %.9g %.9g %.9g\n", worst.joint, worst.limit, worst.depth);
    return good;
}

static bool run_cloth(void) {
    static ov_vec3 x[VERTICES];
    static uint32_t triangles[TRIANGLES][3];
    static ov_shape body, ground;
    ov_cloth_collider colliders[BODIES + 1];
    ov_cloth_options options = {.density = drape_mass / (drape_side * drape_side),
                                .threads.count = 1};
    ov_cloth *cloth = NULL;
    bool good = ov_shape_make_ellipsoid(drape_axes(BODIES), &body) == OV_OK &&
                ov_shape_make_halfspace(ov_vec3_make(0.0, 0.0, 1.0), 0.0, &ground) == OV_OK &&
                drape_cloth(BODIES, CELLS, x, triangles) == OV_OK &&
                ov_cloth_create(x, VERTICES, (const uint32_t(*)[3])triangles, TRIANGLES, &options,
                                &cloth) == OV_OK;
    for (size_t i = 0; i < BODIES; i++) {
        ov_pose pose = drape_pose(i, BODIES);
        colliders[i] = (ov_cloth_collider){
            .shape = &body, .start = pose, .end = pose, .friction = drape_friction};
    }
    colliders[BODIES] = (ov_cloth_collider){.shape = &ground, .friction = drape_friction};
    double ms = 0.0;
    for (int i = 1; good && i <= CLOTH_FRAMES; i++) {
        double start = cpu_ms();
        good = ov_cloth_step(cloth, colliders, BODIES + 1, frame) == OV_OK;
        ms += (cpu_ms() - start) / CLOTH_FRAMES;
        good = good && ov_cloth_positions(cloth, x) == OV_OK;
        for (int v = 0;
             good && v < VERTICES && (i == 10 || i == 20 || i == 40 || i == CLOTH_FRAMES); v++) {
            print_at("cloth", i, x[v]);
        }
    }
    ov_cloth_destroy(cloth);
    printf("time cloth %.9g\n", ms);
    return good;
}

int main(void) {
    bool good = run_puppet();
    good = run_cloth() && good;
    if (!good) {
        fprintf(stderr, "bench-wasm: a simulation failed\n");
    }
    return good ? 0 : 1;
}
