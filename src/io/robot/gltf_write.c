/**
 * @file gltf_write.c
 * @brief Pictures of robots as glTF 2.0: .gltf, which is text, and .glb, which is binary.
 *
 * A node for each link, in the tree of the links, and below it one for each of its surfaces;
 * colours are materials. y is up in glTF, so that a first node turns the robot. All vertices,
 * normals and indices are one buffer, surface after surface:
 *
 *     positions   3 floats per vertex, with the bounds that the format asks for
 *     normals     3 floats per vertex, where there are any
 *     indices     3 numbers of 32 bits per triangle
 *
 * A .glb has it behind its JSON; a .gltf has it in its JSON, as base64, so that there is no second
 * file. Everything is a multiple of four bytes long, as the format wants it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/ovoid.h>

#include "../json.h"
#include "robot_internal.h"

/** Codes of the format. */
enum {
    TYPE_FLOAT = 5126,
    TYPE_UINT32 = 5125,
    TARGET_VERTICES = 34962,
    TARGET_INDICES = 34963,
    GLB_MAGIC = 0x46546c67,
    GLB_JSON = 0x4e4f534a,
    GLB_BINARY = 0x004e4942
};

/** z up becomes y up. */
static const ov_quat turn_up = {0.70710678118654752, -0.70710678118654752, 0.0, 0.0};

enum { SURFACE_NAME = 256 };

typedef struct job {
    ovi_picture picture;
    uint64_t size; /**< of the buffer */
} job;

/* ---- numbers --------------------------------------------------------------------------------- */

/** Bytes of a surface in the buffer. */
static uint64_t vertex_bytes(const ovi_surface *s) { return 12 * (uint64_t)s->vertex_count; }
static uint64_t index_bytes(const ovi_surface *s) { return 12 * (uint64_t)s->triangle_count; }
static uint64_t surface_bytes(const ovi_surface *s) {
    return (s->normals != NULL ? 2 : 1) * vertex_bytes(s) + index_bytes(s);
}

/** Where the buffer goes: as it is, or as base64. */
typedef struct sink {
    FILE *f;
    bool base64;
    unsigned char held[3]; /**< that do not yet make four characters */
    size_t held_count;
} sink;

static void flush_base64(sink *s) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = (uint32_t)s->held[0] << 16 | (uint32_t)s->held[1] << 8 | s->held[2];
    char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63], digits[bits >> 6 & 63],
                    digits[bits & 63]};
    for (size_t i = s->held_count + 1; i < 4 && s->held_count > 0; i++) {
        four[i] = '=';
    }
    if (s->held_count > 0) {
        (void)fwrite(four, 1, 4, s->f);
    }
    memset(s->held, 0, sizeof s->held);
    s->held_count = 0;
}

static void put(sink *s, const unsigned char *bytes, const unsigned char *end) {
    if (!s->base64) {
        (void)fwrite(bytes, 1, (size_t)(end - bytes), s->f);
        return;
    }
    for (; bytes < end; bytes++) {
        s->held[s->held_count++] = *bytes;
        if (s->held_count == 3) {
            flush_base64(s);
        }
    }
}

static void put_points(sink *s, const ov_vec3 *points, size_t count) {
    for (size_t i = 0; i < count && !ferror(s->f); i++) {
        unsigned char bytes[12];
        put(s, bytes, ovi_put_floats(bytes, points[i]));
    }
}

static void write_buffer(FILE *f, const ovi_picture *p, bool base64) {
    sink out = {.f = f, .base64 = base64};
    for (size_t i = 0; i < p->surface_count; i++) {
        const ovi_surface *s = &p->surfaces[i];
        put_points(&out, s->vertices, s->vertex_count);
        if (s->normals != NULL) {
            put_points(&out, s->normals, s->vertex_count);
        }
        for (size_t t = 0; t < s->triangle_count && !ferror(f); t++) {
            unsigned char bytes[12], *end = bytes;
            for (int k = 0; k < 3; k++) {
                end = ovi_put_u32(end, s->triangles[t][k]);
            }
            put(&out, bytes, end);
        }
    }
    flush_base64(&out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/** `, "key": [1, 2, 3]` */
static void write_numbers(FILE *f, const char *key, const double *v, int count) {
    (void)fprintf(f, ", \"%s\": ", key);
    ovi_json_numbers(f, v, count);
}

/** A node without its end. The real part of a quaternion stands last. */
static void begin_node(FILE *f, const char *name, ov_pose pose) {
    ov_vec3 t = pose.position;
    ov_quat q = pose.rotation;
    (void)fputs("{\"name\": ", f);
    ovi_json_text(f, name);
    write_numbers(f, "translation", (const double[]){t.x, t.y, t.z}, 3);
    write_numbers(f, "rotation", (const double[]){q.x, q.y, q.z, q.w}, 4);
}

/** One child of the node that was begun last; `*begun`: it has others already. */
static void write_child(FILE *f, size_t node, bool *begun) {
    (void)fprintf(f, "%s%zu", *begun ? ", " : ", \"children\": [", node);
    *begun = true;
}

/** Node 0 turns the robot; then come the links, then the surfaces. */
static void write_nodes(FILE *f, const ovi_picture *p) {
    const ov_robot *robot = p->robot;
    size_t first = 1 + robot->link_count, surface = 0;
    bool begun = false;
    (void)fputs("  \"nodes\": [\n    ", f);
    begin_node(f, robot->name[0] != '\0' ? robot->name : "robot",
               (ov_pose){{0.0, 0.0, 0.0}, turn_up});
    for (size_t i = 0; i < robot->link_count; i++) {
        if (p->parents[i] == OV_NO_LINK) {
            write_child(f, 1 + i, &begun);
        }
    }
    (void)fputs("]}", f); // there is a root
    for (size_t i = 0; i < robot->link_count && !ferror(f); i++) {
        (void)fputs(",\n    ", f);
        begin_node(f, robot->links[i].name, p->poses[i]);
        begun = false;
        for (uint32_t k = p->children.first[i]; k < p->children.first[i + 1]; k++) {
            write_child(f, 1 + p->children.list[k], &begun);
        }
        for (; surface < p->surface_count && p->surfaces[surface].link == i; surface++) {
            write_child(f, first + surface, &begun);
        }
        (void)fputs(begun ? "]}" : "}", f);
    }
    for (size_t i = 0; i < p->surface_count && !ferror(f); i++) {
        char name[SURFACE_NAME];
        ovi_surface_name(p, i, name, sizeof name);
        (void)fputs(",\n    ", f);
        begin_node(f, name, p->surfaces[i].pose);
        (void)fprintf(f, ", \"mesh\": %zu}", i);
    }
    (void)fputs("\n  ],\n", f);
}

static void write_meshes(FILE *f, const ovi_picture *p) {
    size_t accessor = 0;
    (void)fputs("  \"meshes\": [", f);
    for (size_t i = 0; i < p->surface_count && !ferror(f); i++) {
        bool normals = p->surfaces[i].normals != NULL;
        (void)fprintf(f, "%s\n    {\"primitives\": [{\"attributes\": {\"POSITION\": %zu",
                      i > 0 ? "," : "", accessor++);
        if (normals) {
            (void)fprintf(f, ", \"NORMAL\": %zu", accessor++);
        }
        (void)fprintf(f, "}, \"indices\": %zu, \"material\": %zu}]}", accessor++,
                      p->surfaces[i].material);
    }
    (void)fputs("\n  ],\n", f);
}

static void write_materials(FILE *f, const ovi_picture *p) {
    (void)fputs("  \"materials\": [", f);
    for (size_t i = 0; i < p->colour_count && !ferror(f); i++) {
        (void)fprintf(f, "%s\n    {\"name\": \"colour_%zu\", \"doubleSided\": true",
                      i > 0 ? "," : "", i);
        (void)fputs(p->colours[i][3] < 1.0 ? ", \"alphaMode\": \"BLEND\"" : "", f);
        (void)fputs(", \"pbrMetallicRoughness\": {\"metallicFactor\": 0", f);
        write_numbers(f, "baseColorFactor", p->colours[i], 4);
        (void)fputs("}}", f);
    }
    (void)fputs("\n  ],\n", f);
}

/** The bounds of vertices as they stand in the buffer, that is rounded. */
static void write_bounds(FILE *f, const ovi_surface *s) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < s->vertex_count; i++) {
        const double v[3] = {s->vertices[i].x, s->vertices[i].y, s->vertices[i].z};
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], (double)(float)v[k]);
            high[k] = fmax(high[k], (double)(float)v[k]);
        }
    }
    write_numbers(f, "min", low, 3);
    write_numbers(f, "max", high, 3);
}

/** Accessors and views of the buffer go in pairs: number i of the one looks through i of the other.
 */
static void write_accessors(FILE *f, const ovi_picture *p) {
    size_t view = 0;
    (void)fputs("  \"accessors\": [", f);
    for (size_t i = 0; i < p->surface_count && !ferror(f); i++) {
        const ovi_surface *s = &p->surfaces[i];
        for (int k = 0; k < (s->normals != NULL ? 2 : 1); k++) {
            (void)fprintf(
                f,
                "%s\n    {\"bufferView\": %zu, \"componentType\": %d, \"type\": \"VEC3\", "
                "\"count\": %zu",
                view > 0 ? "," : "", view, TYPE_FLOAT, s->vertex_count);
            if (k == 0) {
                write_bounds(f, s);
            }
            (void)fputc('}', f);
            view++;
        }
        (void)fprintf(f,
                      ",\n    {\"bufferView\": %zu, \"componentType\": %d, \"type\": \"SCALAR\", "
                      "\"count\": %zu}",
                      view++, TYPE_UINT32, 3 * s->triangle_count);
    }
    (void)fputs("\n  ],\n", f);
}

/** One view of the buffer; `*offset` goes to the next. */
static void write_view(FILE *f, uint64_t *offset, uint64_t size, int target) {
    (void)fprintf(f,
                  "%s\n    {\"buffer\": 0, \"byteOffset\": %" PRIu64 ", \"byteLength\": %" PRIu64
                  ", \"target\": %d}",
                  *offset > 0 ? "," : "", *offset, size, target);
    *offset += size;
}

static void write_views(FILE *f, const ovi_picture *p) {
    uint64_t offset = 0;
    (void)fputs("  \"bufferViews\": [", f);
    for (size_t i = 0; i < p->surface_count && !ferror(f); i++) {
        const ovi_surface *s = &p->surfaces[i];
        write_view(f, &offset, vertex_bytes(s), TARGET_VERTICES);
        if (s->normals != NULL) {
            write_view(f, &offset, vertex_bytes(s), TARGET_VERTICES);
        }
        write_view(f, &offset, index_bytes(s), TARGET_INDICES);
    }
    (void)fputs("\n  ],\n", f);
}

/** All of the JSON; `embedded`: with the buffer in it. */
static void write_json(FILE *f, const job *j, bool embedded) {
    const ovi_picture *p = &j->picture;
    (void)fprintf(f,
                  "{\n  \"asset\": {\"version\": \"2.0\", \"generator\": \"Ovoid %s\"},\n"
                  "  \"scene\": 0,\n  \"scenes\": [{\"nodes\": [0]}],\n",
                  ov_version_string());
    write_nodes(f, p);
    write_meshes(f, p);
    write_materials(f, p);
    write_accessors(f, p);
    write_views(f, p);
    (void)fprintf(f, "  \"buffers\": [{\"byteLength\": %" PRIu64, j->size);
    if (embedded) {
        (void)fputs(", \"uri\": \"data:application/octet-stream;base64,", f);
        write_buffer(f, p, true);
        (void)fputc('"', f);
    }
    (void)fputs("}]\n}\n", f);
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool write_text(FILE *f, const void *what) {
    write_json(f, what, true);
    return !ferror(f);
}

static void write_head(FILE *f, uint32_t a, uint32_t b) {
    unsigned char bytes[8];
    (void)fwrite(bytes, 1, (size_t)(ovi_put_u32(ovi_put_u32(bytes, a), b) - bytes), f);
}

/** A .glb: three numbers, and two chunks that begin with their length and what they are. */
static bool write_binary(FILE *f, const void *what) {
    const job *j = what;
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    if (memory == NULL) {
        return false;
    }
    write_json(memory, j, false);
    bool good = fflush(memory) == 0;
    while (good && length % 4 != 0) {
        (void)fputc(' ', memory);
        good = fflush(memory) == 0;
    }
    good = fclose(memory) == 0 && good;
    uint64_t total = 12 + 8 + (uint64_t)length + 8 + j->size;
    if (good && total <= UINT32_MAX) {
        write_head(f, GLB_MAGIC, 2);
        unsigned char bytes[4];
        (void)fwrite(bytes, 1, (size_t)(ovi_put_u32(bytes, (uint32_t)total) - bytes), f);
        write_head(f, (uint32_t)length, GLB_JSON);
        (void)fwrite(text, 1, length, f);
        write_head(f, (uint32_t)j->size, GLB_BINARY);
        write_buffer(f, &j->picture, false);
    }
    free(text);
    return good && total <= UINT32_MAX && !ferror(f);
}

ov_status ovi_gltf_write(const ovi_robot_out *out, bool binary, const ov_robot *robot,
                         const double *positions, ov_fault *fault) {
    // what the JSON of a .glb takes, at the very most, is left free
    const uint64_t size_max = UINT32_MAX / 2;
    job j = {.size = 0};
    ovi_undo undo = {NULL, 0};
    ov_status status = ovi_picture_make(robot, positions, "glTF", &j.picture, fault);
    if (status != OV_OK) {
        return status;
    }
    for (size_t i = 0; i < j.picture.surface_count; i++) {
        j.size += surface_bytes(&j.picture.surfaces[i]);
    }
    status = j.size <= size_max
                 ? ovi_robot_out_write(out, &undo, binary ? write_binary : write_text, &j, fault)
                 : ovi_file_fault(fault, OV_ERROR_COUNT, 0, "more triangles than glTF holds");
    ovi_picture_free(&j.picture);
    return status;
}
