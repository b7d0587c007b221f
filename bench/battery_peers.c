/**
 * @file battery_peers.c
 * @brief Loads the module of the peers where there is one, and makes what its methods work on.
 */
#include "battery.h"

#include <stdlib.h>
#include <string.h>

#include <ovoid/io.h>

#if defined(__unix__) || defined(__APPLE__)
#define HAVE_MODULES 1
#include <dlfcn.h>
#endif

#define PEERS_MODULE "libovoid_peers.so"
#define PEERS_PACKAGES "libfcl-dev libccd-dev libbullet-dev g++"

/* ---- the module */

void battery_peers_open(battery_peers *peers) {
    *peers = (battery_peers){0};
    snprintf(peers->missing, sizeof peers->missing,
             "no peers to compare with: %s is not there (it is built where the Debian packages %s "
             "are installed)",
             PEERS_MODULE, PEERS_PACKAGES);
#ifdef HAVE_MODULES
    // found beside the build's own programs, or where the dynamic linker looks anyway
    peers->module = dlopen(PEERS_MODULE, RTLD_NOW | RTLD_LOCAL);
    if (peers->module == NULL) {
        return;
    }
    ovoid_peers_list_function list =
        (ovoid_peers_list_function)battery_peers_entry(peers, OVOID_PEERS_ENTRY);
    if (list != NULL) {
        peers->count = list(peers->methods, PEER_METHODS_MAX);
    }
#endif
}

battery_entry battery_peers_entry(const battery_peers *peers, const char *name) {
    battery_entry entry = NULL;
#ifdef HAVE_MODULES
    if (peers->module != NULL) {
        // ISO C has no cast from an object pointer to a function; POSIX promises that this works
        void *symbol = dlsym(peers->module, name);
        memcpy(&entry, &symbol, sizeof entry);
    }
#else
    (void)peers;
    (void)name;
#endif
    return entry;
}

void battery_peers_close(battery_peers *peers) {
#ifdef HAVE_MODULES
    if (peers->module != NULL) {
        dlclose(peers->module);
    }
#endif
    *peers = (battery_peers){0};
}

/* ---- meshes */

static bool mesh_allocate(battery_mesh *mesh, size_t vertices, size_t triangles) {
    mesh->vertex_count = vertices;
    mesh->triangle_count = triangles;
    mesh->vertices = calloc(vertices, sizeof *mesh->vertices);
    mesh->triangles = calloc(triangles, sizeof *mesh->triangles);
    return mesh->vertices != NULL && mesh->triangles != NULL;
}

static bool replace_by_hull(battery_mesh *mesh) {
    ov_hull *hull = NULL;
    if (ov_hull_create(mesh->vertices, mesh->vertex_count, &hull) < 0) {
        return false;
    }
    battery_mesh made = {0};
    bool good = mesh_allocate(&made, ov_hull_vertex_count(hull), ov_hull_triangle_count(hull));
    if (good) {
        memcpy(made.vertices, ov_hull_vertices(hull), made.vertex_count * sizeof *made.vertices);
        memcpy(made.triangles, ov_hull_triangles(hull),
               made.triangle_count * sizeof *made.triangles);
        battery_mesh_free(mesh);
        *mesh = made;
    } else {
        battery_mesh_free(&made);
    }
    ov_hull_destroy(hull);
    return good;
}

bool battery_mesh_make(const ov_shape *shape, size_t vertices, bool hull, battery_mesh *mesh) {
    ov_mesh_options options = {.vertices = vertices};
    ov_mesh_plan plan;
    *mesh = (battery_mesh){0};
    bool good = ov_shape_mesh_plan(shape, &options, &plan) >= 0 &&
                mesh_allocate(mesh, plan.vertex_count, plan.triangle_count) &&
                ov_shape_mesh_fill(shape, &plan, mesh->vertices, NULL, mesh->triangles) >= 0 &&
                (!hull || replace_by_hull(mesh));
    if (!good) {
        battery_mesh_free(mesh);
    }
    return good;
}

void battery_mesh_free(battery_mesh *mesh) {
    free(mesh->vertices);
    free(mesh->triangles);
    *mesh = (battery_mesh){0};
}

void *battery_object_make(const peer_method *method, const ov_shape *shape, ov_pose pose,
                          size_t vertices) {
    bool needs_mesh = method->input == PEER_MESH || method->input == PEER_HULL;
    peer_body body = {.shape = shape, .position = pose.position, .support = ov_shape_support};
    body.rotation = ov_mat3_from_quat(pose.rotation);
    battery_mesh mesh = {0};
    if (needs_mesh && !battery_mesh_make(shape, vertices, method->input == PEER_HULL, &mesh)) {
        return NULL;
    }
    body.mesh = (peer_mesh){mesh.vertices, mesh.vertex_count, (const uint32_t(*)[3])mesh.triangles,
                            mesh.triangle_count};
    void *object = method->make(&body); // it copies the mesh
    battery_mesh_free(&mesh);
    return object;
}

/* ---- tolerances */

typedef struct trial {
    const peer_method *method;
    const battery_cases *cases;
    const size_t *indices;
    double tolerance;
} trial;

static bool try_pair(size_t index, void *context) {
    const trial *t = context;
    const battery_pair *p = &t->cases->pairs[t->indices[index]];
    void *a = battery_object_make(t->method, &p->a, p->pose_a, 0);
    void *b = battery_object_make(t->method, &p->b, p->pose_b, 0);
    bool good = a != NULL && b != NULL && t->method->ask(a, b, t->tolerance).verdict != PEER_FAILED;
    if (a != NULL) {
        t->method->destroy(a);
    }
    if (b != NULL) {
        t->method->destroy(b);
    }
    return good;
}

/** No end of the process, and at most one failure in a thousand. */
static bool gets_through(const trial *t, size_t count, unsigned char *fates) {
    battery_guard(count, try_pair, (void *)(uintptr_t)t, true, fates);
    size_t failed = 0;
    for (size_t i = 0; i < count; i++) {
        if (fates[i] == CALL_DIED) {
            return false;
        }
        failed += fates[i] == CALL_FAILED;
    }
    return failed * 1000 <= count;
}

double battery_choose_tolerance(const peer_method *method, const battery_cases *cases,
                                battery_part part) {
    enum { MOST = 1000 };
    size_t indices[MOST], count = 0;
    unsigned char fates[MOST];
    for (size_t i = 0; i < cases->count && count < MOST; i++) {
        if (cases->pairs[i].part == part) {
            indices[count++] = i;
        }
    }
    trial t = {method, cases, indices, 0.0};
    double loosest = 0.0;
    for (int k = 0; k < 8 && method->tolerances[k] > 0.0; k++) {
        loosest = t.tolerance = method->tolerances[k];
        bool only_one = k == 0 && method->tolerances[1] == 0.0;
        if (only_one || gets_through(&t, count, fates)) {
            break;
        }
    }
    return loosest;
}
