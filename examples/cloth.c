/**
 * @file cloth.c
 * @brief A cloth falls over bodies that move, and is recorded.
 *
 *     example_cloth [SCENE.json]      a scene of its own if none is named
 *
 * The scene is stepped frame by frame: the bodies push the cloth, and the cloth pushes them. At the
 * end it is proven how deep the cloth is in any body. The record, cloth.glb, is an animation in
 * glTF; cloth.obj is its last frame.
 */
#include <stdio.h>
#include <stdlib.h>

#include <ovoid/io.h>
#include <ovoid/ovoid.h>

enum { FRAMES = 60, CLOTHS_MAX = 8 };

static const char own_scene[] =
    "{\"title\": \"a cloth over an egg and a brick\",\n"
    " \"bodies\": [\n"
    "   {\"name\": \"floor\", \"kind\": \"halfspace\", \"normal\": [0, 0, 1], \"offset\": 0},\n"
    "   {\"name\": \"egg\", \"kind\": \"superovoid\", \"semi_axes\": [0.2, 0.2, 0.3],\n"
    "    \"exponents\": [1, 0.9], \"taper\": [-0.2, -0.2], \"position\": [0.3, 0, 0.3]},\n"
    "   {\"name\": \"brick\", \"kind\": \"superellipsoid\", \"semi_axes\": [0.2, 0.3, 0.2],\n"
    "    \"exponents\": [0.2, 0.2], \"position\": [-0.3, 0, 0.2], \"fixed\": true}],\n"
    " \"cloths\": [\n"
    "   {\"corner\": [-0.8, -0.8, 0.7], \"side_u\": [1.6, 0, 0], \"side_v\": [0, 1.6, 0],\n"
    "    \"columns\": 16, \"rows\": 16, \"thickness\": 0.01}]}\n";

static void check(const char *what, ov_status status, const ov_fault *fault) {
    if (status < 0) {
        bool told = fault != NULL && fault->text[0] != '\0';
        fprintf(stderr, "%s: %s\n", what, told ? fault->text : ov_status_message(status));
        exit(1);
    }
}

static ov_sim_scene *read_scene(const char *path) {
    ov_sim_scene *scene;
    ov_fault fault = {.text = ""};
    if (path != NULL) {
        check(path, ov_sim_scene_read(path, &scene, &fault), &fault);
        return scene;
    }
    FILE *text = tmpfile();
    if (text == NULL || fputs(own_scene, text) == EOF) {
        check("scene", OV_ERROR_FILE_WRITE, NULL);
    }
    rewind(text);
    check("scene", ov_sim_scene_read_stream(text, NULL, &scene, &fault), &fault);
    fclose(text);
    return scene;
}

/** A cloth as the scene describes it, with its pins. */
static ov_cloth *make_cloth(const ov_sim_scene_cloth *given) {
    ov_cloth *cloth;
    check("cloth",
          ov_cloth_create(given->positions, given->vertex_count,
                          (const uint32_t(*)[3])given->triangles, given->triangle_count,
                          &given->options, &cloth),
          NULL);
    for (size_t i = 0; i < given->pin_count; i++) {
        uint32_t vertex = given->pins[i];
        check("pin", ov_cloth_pin(cloth, vertex, given->positions[vertex]), NULL);
    }
    return cloth;
}

/** How deep a cloth is in the bodies of the scene, where they are now. */
static void print_depth(const ov_sim_scene *scene, const ov_sim *sim, const ov_sim_body *handles,
                        const ov_cloth *cloth) {
    size_t count = ov_scene_count(ov_sim_scene_bodies(scene));
    ov_cloth_collider *colliders = calloc(count + 1, sizeof *colliders);
    if (colliders == NULL) {
        check("colliders", OV_ERROR_MEMORY, NULL);
    }
    for (size_t i = 0; i < count; i++) {
        ov_sim_body_state state;
        check("body", ov_sim_body_get(sim, handles[i], &state), NULL);
        colliders[i] = (ov_cloth_collider){.geometry = ov_sim_scene_body(scene, i)->geometry,
                                           .start = state.pose,
                                           .end = state.pose};
    }
    ov_cloth_depth depth;
    ov_cloth_state state;
    check("depth", ov_cloth_deepest(cloth, colliders, count, &depth), NULL);
    check("state", ov_cloth_measure(cloth, &state), NULL);
    printf("cloth of %zu vertices: no triangle is deeper than %.3g mm in a body; its threads are "
           "stretched by up to %.2g %%\n",
           ov_cloth_vertex_count(cloth), 1e3 * depth.depth_upper, 100.0 * state.stretch);
    free(colliders);
}

int main(int argc, char **argv) {
    ov_sim_scene *scene = read_scene(argc > 1 ? argv[1] : NULL);
    const ov_scene *bodies = ov_sim_scene_bodies(scene);
    ov_sim_body *handles = malloc((ov_scene_count(bodies) + 1) * sizeof *handles);
    ov_cloth *cloths[CLOTHS_MAX];
    size_t count = ov_sim_scene_cloth_count(scene);
    if (handles == NULL || count > CLOTHS_MAX) {
        check("scene", handles == NULL ? OV_ERROR_MEMORY : OV_ERROR_COUNT, NULL);
    }
    ov_sim *sim;
    ov_sim_record *record;
    check("simulation", ov_sim_scene_begin(scene, NULL, &sim, handles), NULL);
    check("record", ov_sim_record_create(scene, &record), NULL);
    for (size_t i = 0; i < count; i++) {
        cloths[i] = make_cloth(ov_sim_scene_get_cloth(scene, i));
    }

    for (int frame = 0; frame < FRAMES; frame++) {
        check("record", ov_sim_record_add(record, sim, handles, cloths), NULL);
        check("step", ov_sim_step_cloths(sim, cloths, count, 1.0 / 60.0), NULL);
    }
    for (size_t i = 0; i < count; i++) {
        print_depth(scene, sim, handles, cloths[i]);
    }
    for (size_t i = 0; i < ov_scene_count(bodies); i++) {
        ov_sim_body_state state;
        check("body", ov_sim_body_get(sim, handles[i], &state), NULL);
        printf("%s at %.3f %.3f %.3f\n", ov_scene_get(bodies, i)->name, state.pose.position.x,
               state.pose.position.y, state.pose.position.z);
    }
    check("cloth.glb", ov_sim_record_write_gltf(record, "cloth.glb"), NULL);
    check("cloth.obj", ov_sim_record_write_frame(record, FRAMES - 1, "cloth.obj"), NULL);

    for (size_t i = 0; i < count; i++) {
        ov_cloth_destroy(cloths[i]);
    }
    ov_sim_record_destroy(record);
    ov_sim_destroy(sim); // before the scene, which has its geometries
    ov_sim_scene_destroy(scene);
    free(handles);
    return 0;
}
