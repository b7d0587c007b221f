/**
 * @file fit.c
 * @brief A mesh as a few smooth bodies that enclose it, with the proof.
 *
 *     example_fit [MESH]      .stl, .obj, .ply, .off or .dae; a ring of its own if none is named
 *
 * The mesh is made ready, fitted by up to six superovoids, and proven to be held by them: what
 * touches the mesh touches the bodies. They are written as one body of a scene, fit.json; what is
 * read back from there is proven to hold the mesh once more.
 */
#include <stdio.h>
#include <stdlib.h>

#include <ovoid/fit.h>
#include <ovoid/io.h>

static void fail(const char *what, ov_status status, const ov_fault *fault) {
    bool told = fault != NULL && fault->text[0] != '\0';
    fprintf(stderr, "%s: %s\n", what, told ? fault->text : ov_status_message(status));
    exit(1);
}

/** A ring of 300 vertices: it has a hole, which one convex body would fill. */
static void make_ring(ov_mesh_data *mesh) {
    ov_shape ring;
    ov_mesh_plan plan;
    ov_mesh_options options = {.vertices = 300};
    ov_vec3 tube = {0.02, 0.02, 0.02}; // semi-axes; the ring's radius is 2.5 times as large
    ov_status status = ov_shape_make_supertoroid(tube, 1.0, 1.0, 2.5, &ring);
    if (status < 0 || (status = ov_shape_mesh_plan(&ring, &options, &plan)) < 0) {
        fail("no ring", status, NULL);
    }
    mesh->vertex_count = plan.vertex_count;
    mesh->triangle_count = plan.triangle_count;
    mesh->vertices = malloc(plan.vertex_count * sizeof *mesh->vertices);
    mesh->triangles = malloc(plan.triangle_count * sizeof *mesh->triangles);
    if (mesh->vertices == NULL || mesh->triangles == NULL) {
        fail("no ring", OV_ERROR_MEMORY, NULL);
    }
    if ((status = ov_shape_mesh_fill(&ring, &plan, mesh->vertices, NULL, mesh->triangles)) < 0) {
        fail("no ring", status, NULL);
    }
}

/** Finds parts for a mesh, and prints what they are like. */
static ov_fit *find_parts(const ov_fit_input *input) {
    // what is wrong with the mesh is mended as far as possible, and told in a line each
    ov_fit_mesh *ready;
    ov_fault fault = {.text = ""};
    ov_status status = ov_fit_mesh_create(input, NULL, &ready, &fault);
    if (status < 0) {
        fail("the mesh", status, &fault);
    }
    for (size_t i = 0; i < ov_fit_mesh_line_count(ready); i++) {
        printf("mesh: %s\n", ov_fit_mesh_line(ready, i));
    }
    // A coarse field, of 24 cells instead of 80, is enough for a ring, and quicker. `also`: the
    // parts hold the mesh as it came, too, should vertices have been joined.
    ov_fit_input fitted = ov_fit_mesh_input(ready);
    ov_fit_parts_options options = {.parts = 6, .cells = 24, .also = input};
    ov_fit *fit;
    if ((status = ov_fit_parts_create(&fitted, &options, &fit)) < 0) {
        fail("no fit", status, NULL);
    }
    ov_fit_mesh_destroy(ready);
    ov_fit_report report = ov_fit_parts_report(fit);
    printf("%zu parts: %.0f %% more than the volume of the mesh, standing out by %.1f %% of its "
           "diagonal\n",
           report.parts, 100.0 * report.excess, 100.0 * report.protrusion);
    return fit;
}

/** Proves, from their numbers alone, that parts hold a mesh and its inside. */
static bool prove(const char *which, const ov_fit_part *parts, size_t count,
                  const ov_fit_input *input) {
    ov_fit_verdict verdict;
    ov_status status = ov_fit_prove(parts, count, input, &verdict);
    if (status < 0) {
        fail("no proof", status, NULL);
    }
    printf("%s: every triangle is held: %s; the inside: %s\n", which,
           verdict.surface ? "proven" : "not proven", verdict.solid ? "proven" : "not proven");
    return verdict.surface;
}

/** Writes parts as one body of a scene, which `ovoid contact` reads, and reads them back. */
static void write_and_read(const char *path, ov_fit_part *parts, size_t count) {
    ov_part *body = malloc(count * sizeof *body);
    ov_scene *scene = NULL;
    ov_fault fault = {.text = ""};
    ov_status status = body != NULL ? ov_scene_create("a fit", &scene) : OV_ERROR_MEMORY;
    for (size_t i = 0; status >= 0 && i < count; i++) {
        body[i] = (ov_part){.shape = parts[i].shape, .pose = parts[i].pose};
    }
    if (status < 0 ||
        (status = ov_scene_add_body(scene, "fit", body, count, ov_pose_identity())) < 0 ||
        (status = ov_scene_write(path, scene)) < 0) {
        fail(path, status, NULL);
    }
    ov_scene_destroy(scene);
    free(body);

    if ((status = ov_scene_read(path, &scene, &fault)) < 0) {
        fail(path, status, &fault);
    }
    const ov_scene_body *read = ov_scene_get(scene, 0);
    for (size_t i = 0; i < count && i < read->part_count; i++) {
        parts[i] = (ov_fit_part){.shape = read->parts[i].shape, .pose = read->parts[i].pose};
    }
    ov_scene_destroy(scene);
}

int main(int argc, char **argv) {
    ov_mesh_data mesh = {0};
    if (argc > 1) {
        ov_fault fault = {.text = ""};
        ov_status status = ov_mesh_read(argv[1], &mesh, &fault);
        if (status < 0) {
            fail(argv[1], status, &fault);
        }
    } else {
        make_ring(&mesh);
    }
    ov_fit_input input = {.points = mesh.vertices,
                          .point_count = mesh.vertex_count,
                          .triangles = (const uint32_t(*)[3])mesh.triangles,
                          .triangle_count = mesh.triangle_count};
    ov_fit *fit = find_parts(&input);
    size_t count = ov_fit_part_count(fit);
    ov_fit_part *parts = malloc(count * sizeof *parts);
    if (parts == NULL) {
        fail("parts", OV_ERROR_MEMORY, NULL);
    }
    for (size_t i = 0; i < count; i++) {
        parts[i] = ov_fit_parts(fit)[i];
        const ov_shape *s = &parts[i].shape;
        printf("  %s at %.4f %.4f %.4f\n", ov_shape_kind_name(s->kind), parts[i].pose.position.x,
               parts[i].pose.position.y, parts[i].pose.position.z);
    }
    ov_fit_destroy(fit);

    bool held = prove("as found", parts, count, &input);
    write_and_read("fit.json", parts, count);
    held = prove("fit.json", parts, count, &input) && held;
    free(parts);
    ov_mesh_free(&mesh);
    return held ? 0 : 1;
}
