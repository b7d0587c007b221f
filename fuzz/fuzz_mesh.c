/**
 * @file fuzz_mesh.c
 * @brief Fuzz target: the readers of meshes, from raw bytes.
 *
 * The first byte says which: 's' STL, 'o' OBJ, 'p' PLY, 'f' OFF, anything else COLLADA; the rest is
 * the file. What is demanded: a known status, a mesh with success only and a printable text with
 * failure only; vertices that are finite and all used, triangles whose vertices are there; and what
 * is written as PLY reads back the same, bit by bit.
 */
#include "reading.h"

static void judge_answer(ov_status status, const ov_mesh_data *mesh, const ov_fault *fault) {
    demand(status >= OV_ERROR_LIMIT && status <= OV_OK, "status of reading");
    bool full = mesh->vertices != NULL && mesh->triangles != NULL && mesh->vertex_count > 0 &&
                mesh->triangle_count > 0;
    bool empty = mesh->vertices == NULL && mesh->triangles == NULL && mesh->vertex_count == 0 &&
                 mesh->triangle_count == 0;
    demand(status == OV_OK ? full : empty, "a mesh only with success");
    judge_text(status, fault);
}

static void judge_mesh(const ov_mesh_data *mesh) {
    char *used = calloc(mesh->vertex_count, 1);
    demand(used != NULL, "memory");
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        for (int k = 0; k < 3; k++) {
            demand(mesh->triangles[t][k] < mesh->vertex_count, "indices of a triangle");
            used[mesh->triangles[t][k]] = 1;
        }
    }
    for (size_t i = 0; i < mesh->vertex_count; i++) {
        demand(ov_vec3_is_finite(mesh->vertices[i]), "finite vertices");
        demand(used[i] != 0, "every vertex is used");
    }
    free(used);
}

static void judge_round_trip(const ov_mesh_data *mesh) {
    char *bytes = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&bytes, &size);
    demand(f != NULL, "a stream can be opened");
    demand(ov_mesh_write_stream(f, OV_MESH_FORMAT_PLY, mesh->vertices, NULL, mesh->vertex_count,
                                (const uint32_t(*)[3])mesh->triangles,
                                mesh->triangle_count) == OV_OK,
           "what was read can be written");
    (void)fclose(f);
    ov_mesh_data back;
    demand(ov_mesh_read_memory(bytes, size, OV_MESH_FORMAT_PLY, &back, NULL) == OV_OK,
           "and read again");
    demand(back.vertex_count == mesh->vertex_count && back.triangle_count == mesh->triangle_count,
           "as many vertices and triangles");
    demand(memcmp(back.vertices, mesh->vertices, back.vertex_count * sizeof *back.vertices) == 0 &&
               memcmp(back.triangles, mesh->triangles,
                      back.triangle_count * sizeof *back.triangles) == 0,
           "the same mesh");
    ov_mesh_free(&back);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) {
        return 0;
    }
    ov_mesh_format format = data[0] == 's'   ? OV_MESH_FORMAT_STL
                            : data[0] == 'o' ? OV_MESH_FORMAT_OBJ
                            : data[0] == 'p' ? OV_MESH_FORMAT_PLY
                            : data[0] == 'f' ? OV_MESH_FORMAT_OFF
                                             : OV_MESH_FORMAT_COLLADA;
    ov_mesh_data mesh;
    ov_fault fault;
    ov_status status = ov_mesh_read_memory(data + 1, size - 1, format, &mesh, &fault);
    judge_answer(status, &mesh, &fault);
    if (status == OV_OK) {
        judge_mesh(&mesh);
        // a short file may name its nodes so often that this would take long
        if (mesh.triangle_count < 100000) {
            judge_round_trip(&mesh);
        }
    }
    ov_mesh_free(&mesh);
    return 0;
}
