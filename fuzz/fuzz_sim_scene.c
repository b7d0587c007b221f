/**
 * @file fuzz_sim_scene.c
 * @brief Fuzz target: the reader of scenes of simulations from raw bytes, and a few frames of what
 * was read.
 *
 * What is demanded: a known status, a scene with success only and a printable text with failure
 * only; a simulation of it that begins, and bodies that stay finite while its steps succeed.
 */
#include "reading.h"

#include <ovoid/io_sim.h>

/** Larger scenes are read, but not simulated. */
enum { BODIES_MAX = 6, VERTICES_MAX = 200, FRAMES = 4 };

static bool is_small(const ov_sim_scene *scene) {
    size_t vertices = 0;
    for (size_t i = 0; i < ov_sim_scene_cloth_count(scene); i++) {
        vertices += ov_sim_scene_get_cloth(scene, i)->vertex_count;
    }
    return ov_scene_count(ov_sim_scene_bodies(scene)) <= BODIES_MAX &&
           ov_sim_scene_cloth_count(scene) <= 2 && vertices <= VERTICES_MAX;
}

static void judge_bodies(const ov_sim *sim, const ov_sim_body *handles, size_t count) {
    for (size_t i = 0; i < count; i++) {
        ov_sim_body_state s;
        demand(ov_sim_body_get(sim, handles[i], &s) == OV_OK, "a body that is there");
        demand(ov_vec3_is_finite(s.pose.position) && ov_vec3_is_finite(s.velocity), "finite");
    }
}

static void simulate(const ov_sim_scene *scene) {
    ov_sim *sim;
    ov_sim_body handles[BODIES_MAX];
    ov_cloth *cloths[2] = {NULL, NULL};
    size_t count = ov_sim_scene_cloth_count(scene),
           bodies = ov_scene_count(ov_sim_scene_bodies(scene));
    ov_sim_options how = {.threads = {.count = 1}};
    demand(ov_sim_scene_begin(scene, &how, &sim, handles) == OV_OK, "a simulation");
    ov_status status = OV_OK;
    for (size_t i = 0; i < count; i++) {
        const ov_sim_scene_cloth *c = ov_sim_scene_get_cloth(scene, i);
        ov_cloth_options o = c->options;
        o.threads.count = 1;
        demand(ov_cloth_create(c->positions, c->vertex_count, (const uint32_t(*)[3])c->triangles,
                               c->triangle_count, &o, &cloths[i]) >= 0,
               "a cloth");
    }
    for (int i = 0; i < FRAMES && status >= 0; i++) {
        status = ov_sim_step_cloths(sim, cloths, count, 1.0 / 60.0);
        judge_bodies(sim, handles, bodies);
    }
    for (size_t i = 0; i < count; i++) {
        ov_cloth_destroy(cloths[i]);
    }
    ov_sim_destroy(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0 || size > 65536) {
        return 0;
    }
    FILE *stream = fmemopen((void *)(uintptr_t)data, size, "rb");
    demand(stream != NULL, "a stream");
    ov_sim_scene *scene;
    ov_fault fault;
    ov_status status = ov_sim_scene_read_stream(stream, "/nowhere", &scene, &fault);
    (void)fclose(stream);
    demand(status <= OV_OK && (status == OV_OK) == (scene != NULL), "a scene with success only");
    judge_text(status, &fault);
    if (scene != NULL && is_small(scene)) {
        simulate(scene);
    }
    ov_sim_scene_destroy(scene);
    return 0;
}
