/**
 * @file sim_record.c
 * @brief Records of simulations: frames as meshes, or as one animation in glTF.
 *
 * Of a body only its pose changes, so its mesh is made once, in its own frame. Of a cloth all
 * vertices are kept. In glTF a body is a node with channels of translations and rotations; a cloth
 * is a mesh with a morph target per frame, each of which is shown alone at its time.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/io_sim.h>

#include "scene_internal.h"

/** Vertices of a body's mesh, about. */
enum { PART_VERTICES = 400 };

/** Triangles in the frame of a body. All zero: none. */
typedef struct surface {
    ov_vec3 *vertices;
    uint32_t (*triangles)[3];
    size_t vertex_count, triangle_count;
} surface;

struct ov_sim_record {
    const ov_sim_scene *scene;
    surface *bodies; /**< one per body; without triangles where nothing can be drawn */
    size_t body_count, cloth_count;
    double *times;    /**< one per frame */
    ov_pose *poses;   /**< body_count per frame */
    ov_vec3 **cloths; /**< cloth_count per frame */
    size_t count, room;
};

/** An array of other length; null for want of memory, and the old one stays. */
static void *resized(void *array, size_t count, size_t size) {
    return count <= SIZE_MAX / size ? realloc(array, count * size) : NULL;
}

/* ---- meshes of bodies ------------------------------------------------------------------------ */

/** Room for further vertices and triangles. */
static bool widen(surface *s, size_t vertices, size_t triangles) {
    ov_vec3 *v = resized(s->vertices, s->vertex_count + vertices + 1, sizeof *v);
    s->vertices = v != NULL ? v : s->vertices;
    uint32_t(*t)[3] = resized(s->triangles, s->triangle_count + triangles + 1, sizeof *t);
    s->triangles = t != NULL ? t : s->triangles;
    return v != NULL && t != NULL;
}

/** Counts what was filled in behind the last vertex and triangle, and places it. */
static void adopt(surface *s, size_t vertices, size_t triangles, ov_pose pose) {
    for (size_t i = 0; i < vertices; i++) {
        ov_vec3 *v = &s->vertices[s->vertex_count + i];
        *v = ov_pose_apply(pose, *v);
    }
    for (size_t i = 0; i < triangles; i++) {
        for (int k = 0; k < 3; k++) {
            s->triangles[s->triangle_count + i][k] += (uint32_t)s->vertex_count;
        }
    }
    s->vertex_count += vertices;
    s->triangle_count += triangles;
}

static ov_status add_part(surface *s, const ov_part *part) {
    ov_pose pose = ov_pose_default(part->pose);
    if (part->mesh != NULL) {
        size_t vertices = ov_trimesh_vertex_count(part->mesh);
        size_t triangles = ov_trimesh_triangle_count(part->mesh);
        if (!widen(s, vertices, triangles)) {
            return OV_ERROR_MEMORY;
        }
        memcpy(s->vertices + s->vertex_count, ov_trimesh_vertices(part->mesh),
               vertices * sizeof *s->vertices);
        memcpy(s->triangles + s->triangle_count, ov_trimesh_triangles(part->mesh),
               triangles * sizeof *s->triangles);
        adopt(s, vertices, triangles, pose);
        return OV_OK;
    }
    ov_mesh_plan plan;
    ov_mesh_options how = {.vertices = PART_VERTICES};
    if (ov_shape_mesh_plan(&part->shape, &how, &plan) != OV_OK) {
        return OV_OK; // a half-space, a point, a segment: nothing to draw
    }
    if (!widen(s, plan.vertex_count, plan.triangle_count)) {
        return OV_ERROR_MEMORY;
    }
    ov_status status = ov_shape_mesh_fill(&part->shape, &plan, s->vertices + s->vertex_count, NULL,
                                          s->triangles + s->triangle_count);
    if (status == OV_OK) {
        adopt(s, plan.vertex_count, plan.triangle_count, pose);
    }
    return status;
}

ov_status ov_sim_record_create(const ov_sim_scene *scene, ov_sim_record **record) {
    if (record == NULL || scene == NULL) {
        return OV_ERROR_NULL;
    }
    *record = NULL;
    ov_sim_record *r = calloc(1, sizeof *r);
    if (r == NULL) {
        return OV_ERROR_MEMORY;
    }
    r->scene = scene;
    r->body_count = ov_scene_count(ov_sim_scene_bodies(scene));
    r->cloth_count = ov_sim_scene_cloth_count(scene);
    r->bodies = calloc(r->body_count + 1, sizeof *r->bodies);
    ov_status status = r->bodies != NULL ? OV_OK : OV_ERROR_MEMORY;
    for (size_t i = 0; i < r->body_count && status == OV_OK; i++) {
        const ov_scene_body *b = ov_scene_get(ov_sim_scene_bodies(scene), i);
        for (size_t k = 0; k < b->part_count && status == OV_OK; k++) {
            status = add_part(&r->bodies[i], &b->parts[k]);
        }
    }
    if (status != OV_OK) {
        ov_sim_record_destroy(r);
        return status;
    }
    *record = r;
    return OV_OK;
}

void ov_sim_record_destroy(ov_sim_record *record) {
    if (record == NULL) {
        return;
    }
    for (size_t i = 0; i < record->body_count && record->bodies != NULL; i++) {
        free(record->bodies[i].vertices);
        free(record->bodies[i].triangles);
    }
    for (size_t i = 0; i < record->count * record->cloth_count; i++) {
        free(record->cloths[i]);
    }
    free(record->bodies);
    free(record->times);
    free(record->poses);
    free(record->cloths);
    free(record);
}

size_t ov_sim_record_count(const ov_sim_record *record) { return record->count; }

/* ---- frames ---------------------------------------------------------------------------------- */

static bool more_frames(ov_sim_record *r) {
    if (r->count < r->room) {
        return true;
    }
    size_t room = r->room == 0 ? 64 : 2 * r->room;
    double *times = resized(r->times, room, sizeof *times);
    r->times = times != NULL ? times : r->times;
    ov_pose *poses = resized(r->poses, room * r->body_count + 1, sizeof *poses);
    r->poses = poses != NULL ? poses : r->poses;
    ov_vec3 **cloths = resized(r->cloths, room * r->cloth_count + 1, sizeof *cloths);
    r->cloths = cloths != NULL ? cloths : r->cloths;
    if (times == NULL || poses == NULL || cloths == NULL) {
        return false;
    }
    r->room = room;
    return true;
}

static ov_status add_cloth(const ov_sim_record *r, size_t index, const ov_cloth *cloth,
                           ov_vec3 **places) {
    size_t count = ov_sim_scene_get_cloth(r->scene, index)->vertex_count;
    if (ov_cloth_vertex_count(cloth) != count) {
        return OV_ERROR_COUNT;
    }
    *places = malloc((count + 1) * sizeof **places);
    return *places != NULL ? ov_cloth_positions(cloth, *places) : OV_ERROR_MEMORY;
}

ov_status ov_sim_record_add(ov_sim_record *record, const ov_sim *sim, const ov_sim_body *handles,
                            ov_cloth *const *cloths) {
    if (record == NULL || sim == NULL || (handles == NULL && record->body_count > 0) ||
        (cloths == NULL && record->cloth_count > 0)) {
        return OV_ERROR_NULL;
    }
    if (record->cloth_count > 0 && record->count >= OV_SIM_RECORD_CLOTH_FRAMES_MAX) {
        return OV_ERROR_COUNT;
    }
    if (!more_frames(record)) {
        return OV_ERROR_MEMORY;
    }
    ov_sim_summary summary;
    ov_status status = ov_sim_summarize(sim, &summary);
    for (size_t i = 0; i < record->body_count && status >= 0; i++) {
        ov_sim_body_state state;
        status = ov_sim_body_get(sim, handles[i], &state);
        if (status >= 0) {
            record->poses[record->count * record->body_count + i] = state.pose;
        }
    }
    ov_vec3 **places = record->cloths + record->count * record->cloth_count;
    for (size_t i = 0; i < record->cloth_count; i++) {
        places[i] = NULL;
    }
    for (size_t i = 0; i < record->cloth_count && status >= 0; i++) {
        status = add_cloth(record, i, cloths[i], &places[i]);
    }
    if (status < 0) {
        for (size_t i = 0; i < record->cloth_count; i++) {
            free(places[i]);
        }
        return status;
    }
    record->times[record->count++] = summary.time;
    return OV_OK;
}

/* ---- a frame as a mesh ----------------------------------------------------------------------- */

static ov_status add_placed(surface *all, const ov_vec3 *vertices, size_t vertex_count,
                            const uint32_t (*triangles)[3], size_t triangle_count, ov_pose pose) {
    if (!widen(all, vertex_count, triangle_count)) {
        return OV_ERROR_MEMORY;
    }
    if (vertex_count > 0) {
        memcpy(all->vertices + all->vertex_count, vertices, vertex_count * sizeof *vertices);
        memcpy(all->triangles + all->triangle_count, triangles, triangle_count * sizeof *triangles);
    }
    adopt(all, vertex_count, triangle_count, pose);
    return OV_OK;
}

ov_status ov_sim_record_write_frame(const ov_sim_record *record, size_t frame, const char *path) {
    if (record == NULL || path == NULL) {
        return OV_ERROR_NULL;
    }
    if (frame >= record->count) {
        return OV_ERROR_INDEX;
    }
    surface all = {0};
    ov_status status = OV_OK;
    for (size_t i = 0; i < record->body_count && status == OV_OK; i++) {
        const surface *s = &record->bodies[i];
        status = add_placed(&all, s->vertices, s->vertex_count, (const uint32_t(*)[3])s->triangles,
                            s->triangle_count, record->poses[frame * record->body_count + i]);
    }
    for (size_t i = 0; i < record->cloth_count && status == OV_OK; i++) {
        const ov_sim_scene_cloth *c = ov_sim_scene_get_cloth(record->scene, i);
        status =
            add_placed(&all, record->cloths[frame * record->cloth_count + i], c->vertex_count,
                       (const uint32_t(*)[3])c->triangles, c->triangle_count, ov_pose_identity());
    }
    if (status == OV_OK) {
        status = ov_mesh_write(path, ov_mesh_format_from_path(path), all.vertices, NULL,
                               all.vertex_count, (const uint32_t(*)[3])all.triangles,
                               all.triangle_count);
    }
    free(all.vertices);
    free(all.triangles);
    return status;
}

/* ---- an animation ---------------------------------------------------------------------------- */

enum { TYPE_FLOAT = 5126, TYPE_UINT32 = 5125 };

/** The file as it grows: JSON of views and accessors beside the bytes that they are about. */
typedef struct gltf {
    const ov_sim_record *record;
    unsigned char *bytes;
    size_t size, room;
    char *view_text, *accessor_text;
    size_t view_size, accessor_size;
    FILE *views, *accessors;
    size_t accessor_count;
    bool good;     /**< there was memory so far */
    bool in_range; /**< and every number is a float */
} gltf;

static unsigned char *take(gltf *g, size_t size) {
    if (g->good && g->size + size > g->room) {
        size_t room = 2 * (g->size + size);
        unsigned char *more = resized(g->bytes, room, 1);
        g->good = more != NULL;
        g->bytes = more != NULL ? more : g->bytes;
        g->room = more != NULL ? room : g->room;
    }
    unsigned char *at = g->good ? g->bytes + g->size : NULL;
    g->size += size;
    return at;
}

static void put_number(gltf *g, double value) {
    unsigned char *to = take(g, 4);
    float single = (float)value;
    uint32_t bits;
    g->in_range = g->in_range && isfinite(single);
    memcpy(&bits, &single, sizeof bits);
    if (to != NULL) {
        (void)ovi_put_u32(to, bits);
    }
}

static void put_vector(gltf *g, ov_vec3 v) {
    put_number(g, v.x);
    put_number(g, v.y);
    put_number(g, v.z);
}

/** A view of all bytes since `start`, and its one accessor; the accessor's number. `extra` is more
 *  JSON of the accessor. */
static size_t close_view(gltf *g, size_t start, int component, const char *type, size_t count,
                         const char *extra) {
    const char *comma = g->accessor_count > 0 ? "," : "";
    fprintf(g->views, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", comma, start,
            g->size - start);
    fprintf(g->accessors,
            "%s{\"bufferView\":%zu,\"componentType\":%d,\"count\":%zu,\"type\":\"%s\"%s}", comma,
            g->accessor_count, component, count, type, extra);
    return g->accessor_count++;
}

/** Positions with the bounds that the format asks for; less `from`, where there is one. */
static size_t put_positions(gltf *g, const ov_vec3 *v, const ov_vec3 *from, size_t count) {
    size_t start = g->size;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < count; i++) {
        ov_vec3 p = from != NULL ? ov_vec3_sub(v[i], from[i]) : v[i];
        const double c[3] = {p.x, p.y, p.z};
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], (double)(float)c[k]);
            high[k] = fmax(high[k], (double)(float)c[k]);
        }
        put_vector(g, p);
    }
    char extra[200];
    (void)snprintf(extra, sizeof extra, ",\"min\":[%.9g,%.9g,%.9g],\"max\":[%.9g,%.9g,%.9g]",
                   low[0], low[1], low[2], high[0], high[1], high[2]);
    return close_view(g, start, TYPE_FLOAT, "VEC3", count, extra);
}

static size_t put_triangles(gltf *g, const uint32_t (*t)[3], size_t count) {
    size_t start = g->size;
    for (size_t i = 0; i < 3 * count; i++) {
        unsigned char *to = take(g, 4);
        if (to != NULL) {
            (void)ovi_put_u32(to, t[i / 3][i % 3]);
        }
    }
    return close_view(g, start, TYPE_UINT32, "SCALAR", 3 * count, "");
}

static size_t put_times(gltf *g) {
    const ov_sim_record *r = g->record;
    size_t start = g->size;
    for (size_t i = 0; i < r->count; i++) {
        put_number(g, r->times[i]);
    }
    char extra[100];
    (void)snprintf(extra, sizeof extra, ",\"min\":[%.9g],\"max\":[%.9g]",
                   (double)(float)r->times[0], (double)(float)r->times[r->count - 1]);
    return close_view(g, start, TYPE_FLOAT, "SCALAR", r->count, extra);
}

static size_t put_translations(gltf *g, size_t body) {
    const ov_sim_record *r = g->record;
    size_t start = g->size;
    for (size_t i = 0; i < r->count; i++) {
        put_vector(g, r->poses[i * r->body_count + body].position);
    }
    return close_view(g, start, TYPE_FLOAT, "VEC3", r->count, "");
}

/** Quaternions with the real part last; neighbours on the same side, as they are interpolated. */
static size_t put_rotations(gltf *g, size_t body) {
    const ov_sim_record *r = g->record;
    size_t start = g->size;
    ov_quat last = ov_quat_identity();
    for (size_t i = 0; i < r->count; i++) {
        ov_quat q = r->poses[i * r->body_count + body].rotation;
        double side = q.w * last.w + q.x * last.x + q.y * last.y + q.z * last.z < 0.0 ? -1.0 : 1.0;
        last = (ov_quat){side * q.w, side * q.x, side * q.y, side * q.z};
        put_vector(g, ov_vec3_make(last.x, last.y, last.z));
        put_number(g, last.w);
    }
    return close_view(g, start, TYPE_FLOAT, "VEC4", r->count, "");
}

/** Weights of the targets of a cloth: at each time one of them alone; at the first none. */
static size_t put_weights(gltf *g) {
    size_t start = g->size, frames = g->record->count;
    for (size_t i = 0; i < frames; i++) {
        for (size_t k = 1; k < frames; k++) {
            put_number(g, i == k ? 1.0 : 0.0);
        }
    }
    return close_view(g, start, TYPE_FLOAT, "SCALAR", frames * (frames - 1), "");
}

/** What the JSON is written of, piece by piece. */
typedef struct pieces {
    char *text[4]; /**< nodes, meshes, samplers, channels */
    size_t size[4];
    FILE *out[4];
    size_t nodes, meshes, samplers;
} pieces;

enum { NODES, MESHES, SAMPLERS, CHANNELS };

static void add_channel(pieces *p, size_t times, size_t output, const char *path) {
    const char *comma = p->samplers > 0 ? "," : "";
    fprintf(p->out[SAMPLERS], "%s{\"input\":%zu,\"output\":%zu}", comma, times, output);
    fprintf(p->out[CHANNELS], "%s{\"sampler\":%zu,\"target\":{\"node\":%zu,\"path\":\"%s\"}}",
            comma, p->samplers++, p->nodes + 1, path);
}

/** A node behind the first one, which has all others below it, with the mesh made last. */
static void add_node(pieces *p, const char *name) {
    fputs(",{\"name\":", p->out[NODES]);
    ovi_json_text(p->out[NODES], name);
    fprintf(p->out[NODES], ",\"mesh\":%zu", p->meshes++);
}

static void write_body(gltf *g, pieces *p, size_t times, size_t body) {
    const ov_sim_record *r = g->record;
    const surface *s = &r->bodies[body];
    if (s->triangle_count == 0) {
        return;
    }
    size_t positions = put_positions(g, s->vertices, NULL, s->vertex_count);
    size_t indices = put_triangles(g, (const uint32_t(*)[3])s->triangles, s->triangle_count);
    fprintf(p->out[MESHES],
            "%s{\"primitives\":[{\"attributes\":{\"POSITION\":%zu},\"indices\":%zu,"
            "\"material\":%zu}]}",
            p->meshes > 0 ? "," : "", positions, indices, body % 4);
    add_channel(p, times, put_translations(g, body), "translation");
    add_channel(p, times, put_rotations(g, body), "rotation");
    add_node(p, ov_scene_get(ov_sim_scene_bodies(r->scene), body)->name);
    fputc('}', p->out[NODES]);
    p->nodes++;
}

static void write_cloth(gltf *g, pieces *p, size_t times, size_t cloth) {
    const ov_sim_record *r = g->record;
    const ov_sim_scene_cloth *c = ov_sim_scene_get_cloth(r->scene, cloth);
    const ov_vec3 *first = r->cloths[cloth];
    size_t positions = put_positions(g, first, NULL, c->vertex_count);
    size_t indices = put_triangles(g, (const uint32_t(*)[3])c->triangles, c->triangle_count);
    fprintf(p->out[MESHES],
            "%s{\"primitives\":[{\"attributes\":{\"POSITION\":%zu},\"indices\":%zu,\"material\":4",
            p->meshes > 0 ? "," : "", positions, indices);
    for (size_t i = 1; i < r->count; i++) {
        size_t target =
            put_positions(g, r->cloths[i * r->cloth_count + cloth], first, c->vertex_count);
        fprintf(p->out[MESHES], "%s{\"POSITION\":%zu}", i == 1 ? ",\"targets\":[" : ",", target);
    }
    fputs(r->count > 1 ? "]}]}" : "}]}", p->out[MESHES]);
    if (r->count > 1) {
        add_channel(p, times, put_weights(g), "weights");
    }
    add_node(p, c->name);
    fputc('}', p->out[NODES]);
    p->nodes++;
}

static void write_json(FILE *out, const gltf *g, const pieces *p) {
    static const char *const colours[] = {"0.36,0.56,0.75", "0.85,0.55,0.3", "0.45,0.65,0.4",
                                          "0.65,0.5,0.7", "0.85,0.82,0.7"};
    fputs("{\"asset\":{\"version\":\"2.0\",\"generator\":\"ovoid\"},\"scene\":0,"
          "\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"name\":\"z up\",\"rotation\":"
          "[-0.70710678118654752,0,0,0.70710678118654752]",
          out);
    for (size_t i = 0; i < p->nodes; i++) {
        fprintf(out, "%s%zu", i == 0 ? ",\"children\":[" : ",", i + 1);
    }
    fprintf(out, "%s%s]", p->nodes > 0 ? "]}" : "}", p->text[NODES]);
    if (p->nodes > 0) {
        fprintf(out,
                ",\"meshes\":[%s],\"animations\":[{\"name\":\"simulation\",\"samplers\":[%s],"
                "\"channels\":[%s]}]",
                p->text[MESHES], p->text[SAMPLERS], p->text[CHANNELS]);
    }
    fputs(",\"materials\":[", out);
    for (int i = 0; i < 5; i++) {
        fprintf(out,
                "%s{\"pbrMetallicRoughness\":{\"baseColorFactor\":[%s,1],\"metallicFactor\":0},"
                "\"doubleSided\":%s}",
                i > 0 ? "," : "", colours[i], i == 4 ? "true" : "false");
    }
    fprintf(out, "],\"accessors\":[%s],\"bufferViews\":[%s],\"buffers\":[{\"byteLength\":%zu}]}",
            g->accessor_text, g->view_text, g->size);
}

/** The whole file, as ovi_file_write asks for it. */
typedef struct whole {
    const char *json;
    size_t json_size;
    const gltf *g;
} whole;

static bool write_whole(FILE *f, const void *what) {
    const whole *w = what;
    size_t padded = (w->json_size + 3) / 4 * 4;
    unsigned char head[20], chunk[8];
    unsigned char *at = ovi_put_u32(head, 0x46546c67u);
    at = ovi_put_u32(at, 2);
    at = ovi_put_u32(at, (uint32_t)(28 + padded + w->g->size));
    at = ovi_put_u32(at, (uint32_t)padded);
    (void)ovi_put_u32(at, 0x4e4f534au);
    at = ovi_put_u32(chunk, (uint32_t)w->g->size);
    (void)ovi_put_u32(at, 0x004e4942u);
    bool good = fwrite(head, 1, sizeof head, f) == sizeof head &&
                fwrite(w->json, 1, w->json_size, f) == w->json_size;
    for (size_t i = w->json_size; i < padded && good; i++) {
        good = fputc(' ', f) != EOF;
    }
    return good && fwrite(chunk, 1, sizeof chunk, f) == sizeof chunk &&
           fwrite(w->g->bytes, 1, w->g->size, f) == w->g->size;
}

/** Fills buffers and texts. */
static bool build(gltf *g, pieces *p) {
    size_t times = put_times(g);
    for (size_t i = 0; i < g->record->body_count; i++) {
        write_body(g, p, times, i);
    }
    for (size_t i = 0; i < g->record->cloth_count; i++) {
        write_cloth(g, p, times, i);
    }
    bool good = g->good && fclose(g->views) == 0;
    good = fclose(g->accessors) == 0 && good;
    g->views = g->accessors = NULL;
    for (int i = 0; i < 4; i++) {
        good = fclose(p->out[i]) == 0 && good;
        p->out[i] = NULL;
    }
    return good;
}

static ov_status write_built(const gltf *g, const pieces *p, const char *path) {
    char *json = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&json, &size);
    if (out == NULL) {
        return OV_ERROR_MEMORY;
    }
    write_json(out, g, p);
    ov_status status = fclose(out) == 0 ? OV_OK : OV_ERROR_MEMORY;
    whole w = {json, size, g};
    if (status == OV_OK && g->size + size > (size_t)INT32_MAX) {
        status = OV_ERROR_SIZE_RANGE;
    }
    if (status == OV_OK) {
        status = ovi_file_write(path, NULL, write_whole, &w);
    }
    free(json);
    return status;
}

ov_status ov_sim_record_write_gltf(const ov_sim_record *record, const char *path) {
    if (record == NULL || path == NULL) {
        return OV_ERROR_NULL;
    }
    if (record->count == 0) {
        return OV_ERROR_COUNT;
    }
    ovi_locale locale;
    if (!ovi_locale_enter(&locale)) {
        return OV_ERROR_MEMORY;
    }
    gltf g = {.record = record, .good = true, .in_range = true};
    pieces p = {0};
    g.views = open_memstream(&g.view_text, &g.view_size);
    g.accessors = open_memstream(&g.accessor_text, &g.accessor_size);
    bool good = g.views != NULL && g.accessors != NULL;
    for (int i = 0; i < 4; i++) {
        p.out[i] = open_memstream(&p.text[i], &p.size[i]);
        good = good && p.out[i] != NULL;
    }
    good = good && build(&g, &p);
    ov_status status = !good ? OV_ERROR_MEMORY : g.in_range ? OV_OK : OV_ERROR_SIZE_RANGE;
    if (status == OV_OK) {
        status = write_built(&g, &p, path);
    }
    for (int i = 0; i < 4; i++) {
        if (p.out[i] != NULL) {
            (void)fclose(p.out[i]);
        }
        free(p.text[i]);
    }
    if (g.views != NULL) {
        (void)fclose(g.views);
    }
    if (g.accessors != NULL) {
        (void)fclose(g.accessors);
    }
    free(g.view_text);
    free(g.accessor_text);
    free(g.bytes);
    ovi_locale_leave(&locale);
    return status;
}
