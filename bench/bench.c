/**
 * @file bench.c
 * @brief What the studies share: random numbers, the clock, figures, tables and CSV, meshes, and
 * calls in a child process: some of the peers end the process by an assertion, which must cost them
 * the query and not the benchmark.
 */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ovoid/io.h>

#if defined(__unix__) || defined(__APPLE__)
#define HAVE_FORK 1
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

int bench_no_memory(cli *c, const char *what) {
    return cli_error(c, what, "%s", ov_status_message(OV_ERROR_MEMORY));
}

/* ---- random numbers */

#define TURN 6.283185307179586477

double bench_uniform(bench_random *r, double lo, double hi) {
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return lo + (hi - lo) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

ov_vec3 bench_direction(bench_random *r) {
    double z = bench_uniform(r, -1.0, 1.0), phi = bench_uniform(r, 0.0, TURN);
    double s = sqrt(1.0 - z * z);
    return ov_vec3_make(s * cos(phi), s * sin(phi), z);
}

ov_quat bench_rotation(bench_random *r) {
    // two random circles of the 3-sphere, with the shares that make it uniform
    double share = bench_uniform(r, 0.0, 1.0);
    double alpha = bench_uniform(r, 0.0, TURN), beta = bench_uniform(r, 0.0, TURN);
    double s = sqrt(1.0 - share), t = sqrt(share);
    return (ov_quat){t * cos(beta), s * sin(alpha), s * cos(alpha), t * sin(beta)};
}

void bench_show(const bench_progress *progress, const char *what, size_t done, size_t all) {
    if (progress != NULL && progress->show != NULL) {
        progress->show(progress->user, what, done, all);
    }
}

/* ---- the clock */

static double read_clock(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

double bench_now_ns(void) { return read_clock(CLOCK_MONOTONIC); }

double bench_cpu_ns(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

double bench_clock_ns(void) {
    enum { READINGS = 2001 };
    double times[READINGS];
    for (int i = 0; i < READINGS; i++) {
        double start = bench_now_ns();
        times[i] = bench_now_ns() - start;
    }
    return bench_figure(times, READINGS).median;
}

/* ---- figures */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bench_figures bench_figure(double *values, size_t count) {
    bench_figures f = {count, NAN, NAN, NAN, NAN, NAN};
    if (values == NULL || count == 0) {
        return f;
    }
    double sum = 0.0, squares = 0.0, n = (double)count;
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
    }
    f.mean = sum / n;
    for (size_t i = 0; i < count; i++) {
        squares += (values[i] - f.mean) * (values[i] - f.mean);
    }
    f.sd = sqrt(squares / n);
    qsort(values, count, sizeof *values, by_value);
    f.median = values[count / 2];
    f.p99 = values[(size_t)(0.99 * (n - 1.0) + 0.5)];
    f.worst = values[count - 1];
    return f;
}

void bench_hash_gap(uint64_t *hash, double gap) {
    uint64_t bits;
    memcpy(&bits, &gap, sizeof bits);
    bits = isnan(gap) ? 0 : bits; // NaN has many faces
    *hash = (*hash ^ bits) * 1099511628211u;
}

/* ---- tables and CSV */

void bench_cell(FILE *out, int width, const char *format, double value) {
    char text[40] = "-";
    if (isfinite(value)) {
        snprintf(text, sizeof text, format, value);
    }
    fprintf(out, " %*s", width, text);
}

void bench_goal(FILE *out, int width, const char *what, double goal, bool at_most,
                double measured) {
    bool met = at_most ? measured <= goal : measured >= goal;
    fprintf(out, "  %-*s %s %6.6g  %10.4g  %s\n", width, what, at_most ? "<=" : ">=", goal,
            measured, met ? "met" : "missed");
}

void bench_csv_number(FILE *out, double value) {
    char text[OV_NUMBER_TEXT_MAX];
    fprintf(out, ",%s", isfinite(value) ? ov_number_text(value, text) : "");
}

void bench_csv_numbers(FILE *out, const double *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bench_csv_number(out, values[i]);
    }
}

/* ---- meshes */

static bool mesh_allocate(bench_mesh *mesh, size_t vertices, size_t triangles) {
    mesh->vertex_count = vertices;
    mesh->triangle_count = triangles;
    mesh->vertices = calloc(vertices, sizeof *mesh->vertices);
    mesh->triangles = calloc(triangles, sizeof *mesh->triangles);
    return mesh->vertices != NULL && mesh->triangles != NULL;
}

static bool replace_by_hull(bench_mesh *mesh) {
    ov_hull *hull = NULL;
    if (ov_hull_create(mesh->vertices, mesh->vertex_count, &hull) < 0) {
        return false;
    }
    bench_mesh made = {0};
    bool good = mesh_allocate(&made, ov_hull_vertex_count(hull), ov_hull_triangle_count(hull));
    if (good) {
        memcpy(made.vertices, ov_hull_vertices(hull), made.vertex_count * sizeof *made.vertices);
        memcpy(made.triangles, ov_hull_triangles(hull),
               made.triangle_count * sizeof *made.triangles);
        bench_mesh_free(mesh);
        *mesh = made;
    } else {
        bench_mesh_free(&made);
    }
    ov_hull_destroy(hull);
    return good;
}

bool bench_mesh_make(const ov_shape *shape, size_t vertices, bool hull, bench_mesh *mesh) {
    ov_mesh_options options = {.vertices = vertices};
    ov_mesh_plan plan;
    *mesh = (bench_mesh){0};
    bool good = ov_shape_mesh_plan(shape, &options, &plan) >= 0 &&
                mesh_allocate(mesh, plan.vertex_count, plan.triangle_count) &&
                ov_shape_mesh_fill(shape, &plan, mesh->vertices, NULL, mesh->triangles) >= 0 &&
                (!hull || replace_by_hull(mesh));
    if (!good) {
        bench_mesh_free(mesh);
    }
    return good;
}

void bench_mesh_free(bench_mesh *mesh) {
    free(mesh->vertices);
    free(mesh->triangles);
    *mesh = (bench_mesh){0};
}

peer_body bench_body(const ov_shape *shape, ov_pose pose) {
    peer_body body = {.shape = shape, .position = pose.position, .support = ov_shape_support};
    body.rotation = ov_mat3_from_quat(pose.rotation);
    if (shape->kind == OV_SHAPE_KIND_POLYHEDRON) {
        body.mesh = (peer_mesh){shape->u.polyhedron.vertices, shape->u.polyhedron.vertex_count,
                                shape->u.polyhedron.triangles, shape->u.polyhedron.triangle_count};
    }
    return body;
}

void *bench_object_make(const peer_method *method, const ov_shape *shape, ov_pose pose,
                        size_t vertices) {
    bool needs_mesh = method->input == PEER_MESH || method->input == PEER_HULL;
    peer_body body = bench_body(shape, pose);
    bench_mesh mesh = {0};
    if (needs_mesh && !bench_mesh_make(shape, vertices, method->input == PEER_HULL, &mesh)) {
        return NULL;
    }
    if (needs_mesh) {
        body.mesh = (peer_mesh){mesh.vertices, mesh.vertex_count,
                                (const uint32_t(*)[3])mesh.triangles, mesh.triangle_count};
    }
    void *object = method->make(&body); // it copies the mesh
    bench_mesh_free(&mesh);
    return object;
}

/* ---- calls in a child process */

#ifdef HAVE_FORK

static void run_child(size_t count, bool (*call)(size_t, void *), void *context,
                      volatile unsigned char *fates) {
    // an assertion prints before it ends the process, and would leave a core file
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        dup2(nowhere, STDERR_FILENO);
        dup2(nowhere, STDOUT_FILENO);
    }
    for (size_t i = 0; i < count; i++) {
        if (fates[i] == CALL_UNTRIED) {
            alarm(10);
            fates[i] = CALL_STARTED;
            fates[i] = call(i, context) ? CALL_GOOD : CALL_FAILED;
        }
    }
}

void bench_guard(size_t count, bool (*call)(size_t, void *), void *context, bool stop,
                 unsigned char *fates) {
    memset(fates, CALL_GOOD, count);
    if (count == 0) {
        return;
    }
    unsigned char *shared =
        mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        return;
    }
    memset(shared, CALL_UNTRIED, count);
    for (bool died = true; died;) {
        died = false;
        fflush(NULL); // what is buffered would be written by both
        pid_t child = fork();
        if (child < 0) {
            break;
        }
        if (child == 0) {
            run_child(count, call, context, shared);
            _exit(0);
        }
        int status;
        waitpid(child, &status, 0);
        for (size_t i = 0; i < count; i++) {
            if (shared[i] == CALL_STARTED) {
                shared[i] = CALL_DIED;
                died = !stop;
            }
        }
    }
    memcpy(fates, shared, count);
    munmap(shared, count);
}

#else

void bench_guard(size_t count, bool (*call)(size_t, void *), void *context, bool stop,
                 unsigned char *fates) {
    (void)stop;
    for (size_t i = 0; i < count; i++) {
        fates[i] = call(i, context) ? CALL_GOOD : CALL_FAILED;
    }
}

#endif
