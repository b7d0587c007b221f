/**
 * @file assimp_export.c
 * @brief Pictures of robots as COLLADA and glTF 2.0, through assimp's C interface.
 *
 * Assimp's scene is put together here in plain C and only read by the library, which gets nothing
 * of strangers to parse. A node for each link, in the tree of the links, and below it one for each
 * shape; colours are materials. Both formats have y up, so that a first node turns the robot. The
 * library writes to memory; the file gets its name when it is complete, and a .gltf holds its
 * numbers itself, as base64, so that there is no second file beside it.
 */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "robot_write.h"

#ifndef OVOID_HAVE_ASSIMP

ov_status ovi_assimp_write(const char *path, ov_robot_format format, const ov_robot *robot,
                           const double *positions, ov_fault *fault) {
    (void)path, (void)robot, (void)positions;
    return ovi_file_fault(fault, OV_ERROR_MISSING, 0,
                          "%s needs assimp (Debian: libassimp-dev), which this was built without",
                          format == OV_ROBOT_FORMAT_COLLADA ? "COLLADA" : "glTF");
}

#else

#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <assimp/GltfMaterial.h>
#include <assimp/cexport.h>
#include <assimp/cimport.h>
#include <assimp/material.h>
#include <assimp/mesh.h>
#include <assimp/scene.h>

enum {
    TREE_DEPTH = 100,  /**< of nodes: assimp walks them by recursion */
    SAME_COLOURS = 64, /**< materials that are looked through for a colour */
    PROPERTIES = 6,
    TEXT_MAX = sizeof((struct aiString *)0)->data
};

/** Assimp's scene, and everything that was allocated for it. */
typedef struct builder {
    void **blocks;
    size_t block_count;
    bool gltf;   /**< not COLLADA */
    bool failed; /**< want of memory */
    bool wide;   /**< a number does not fit into assimp's short ones */
    struct aiScene scene;
} builder;

/* ---- memory ---------------------------------------------------------------------------------- */

/** Zeros; null for want of memory, which is remembered. At least one element. */
static void *take(builder *b, size_t count, size_t size) {
    void **blocks = b->failed ? NULL : ovi_grow(b->blocks, b->block_count, sizeof *blocks);
    void *block = blocks != NULL ? calloc(count > 0 ? count : 1, size) : NULL;
    b->blocks = blocks != NULL ? blocks : b->blocks;
    if (block == NULL) {
        b->failed = true;
        return NULL;
    }
    b->blocks[b->block_count++] = block;
    return block;
}

static void release(builder *b) {
    for (size_t i = 0; i < b->block_count; i++) {
        free(b->blocks[i]);
    }
    free(b->blocks);
}

/* ---- values ---------------------------------------------------------------------------------- */

static void set_string(struct aiString *s, const char *text) {
    size_t length = strlen(text);
    if (length >= TEXT_MAX) {
        length = TEXT_MAX - 1;
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) {
            length--;
        }
    }
    memcpy(s->data, text, length);
    s->data[length] = '\0';
    s->length = (ai_uint32)length;
}

static float narrow(builder *b, double value) {
    b->wide = b->wide || !(fabs(value) <= (double)FLT_MAX);
    return (float)value;
}

static struct aiVector3D vector(builder *b, ov_vec3 v) {
    return (struct aiVector3D){narrow(b, v.x), narrow(b, v.y), narrow(b, v.z)};
}

static struct aiMatrix4x4 matrix(builder *b, ov_pose pose) {
    ov_mat3 m = ov_mat3_from_quat(pose.rotation);
    struct aiVector3D x = vector(b, m.cx), y = vector(b, m.cy), z = vector(b, m.cz);
    struct aiVector3D p = vector(b, pose.position);
    return (struct aiMatrix4x4){.a1 = x.x,
                                .a2 = y.x,
                                .a3 = z.x,
                                .a4 = p.x,
                                .b1 = x.y,
                                .b2 = y.y,
                                .b3 = z.y,
                                .b4 = p.y,
                                .c1 = x.z,
                                .c2 = y.z,
                                .c3 = z.z,
                                .c4 = p.z,
                                .d4 = 1.0f};
}

/** The pose of b as seen from a. */
static ov_pose pose_between(ov_pose a, ov_pose b) {
    return (ov_pose){ov_pose_apply_inverse(a, b.position),
                     ov_quat_mul(ov_quat_conjugate(a.rotation), b.rotation)};
}

/* ---- materials ------------------------------------------------------------------------------- */

static void add_property(builder *b, struct aiMaterial *m, const char *key,
                         enum aiPropertyTypeInfo type, const void *data, size_t size) {
    struct aiMaterialProperty *p = take(b, 1, sizeof *p);
    char *copy = take(b, size, 1);
    if (p == NULL || copy == NULL) {
        return;
    }
    memcpy(copy, data, size);
    set_string(&p->mKey, key);
    p->mType = type;
    p->mDataLength = (unsigned)size;
    p->mData = copy;
    m->mProperties[m->mNumProperties++] = p;
}

/** Assimp keeps a text as its length in four bytes, the text, and a zero. */
static void add_text(builder *b, struct aiMaterial *m, const char *key, const char *text) {
    char data[64] = {0};
    ai_uint32 length = (ai_uint32)strlen(text);
    memcpy(data, &length, sizeof length);
    memcpy(data + sizeof length, text, length + 1);
    add_property(b, m, key, aiPTI_String, data, sizeof length + length + 1);
}

/** The first of the three that a key's macro stands for. */
#define KEY(...) FIRST(__VA_ARGS__)
#define FIRST(key, semantic, index) key

static struct aiMaterial *make_material(builder *b, const double *colour, size_t number) {
    struct aiMaterial *m = take(b, 1, sizeof *m);
    if (m == NULL) {
        return NULL;
    }
    m->mProperties = take(b, PROPERTIES, sizeof(void *));
    m->mNumAllocated = PROPERTIES;
    if (m->mProperties == NULL) {
        return NULL;
    }
    char name[32];
    (void)snprintf(name, sizeof name, "colour_%zu", number);
    float rgba[4], metal = 0.0f;
    for (int i = 0; i < 4; i++) {
        rgba[i] = (float)colour[i];
    }
    int both_sides = 1;
    add_text(b, m, KEY(AI_MATKEY_NAME), name);
    add_property(b, m, KEY(AI_MATKEY_COLOR_DIFFUSE), aiPTI_Float, rgba, sizeof rgba);
    add_property(b, m, KEY(AI_MATKEY_METALLIC_FACTOR), aiPTI_Float, &metal, sizeof metal);
    add_property(b, m, KEY(AI_MATKEY_TWOSIDED), aiPTI_Integer, &both_sides, sizeof both_sides);
    if (colour[3] < 1.0 && b->gltf) {
        // its writer would multiply the colour's fourth number by an opacity
        add_text(b, m, KEY(AI_MATKEY_GLTF_ALPHAMODE), "BLEND");
    } else if (colour[3] < 1.0) {
        add_property(b, m, KEY(AI_MATKEY_OPACITY), aiPTI_Float, &rgba[3], sizeof rgba[3]);
    }
    return m;
}

static bool is_same_colour(const double *a, const double *b) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3];
}

/** The material of each surface; there is at least one, as assimp wants it. */
static void add_materials(builder *b, const ovi_surface *surfaces, size_t count) {
    struct aiScene *scene = &b->scene;
    const double **colours = take(b, count + 1, sizeof *colours);
    scene->mMaterials = take(b, count + 1, sizeof(void *));
    for (size_t i = 0; i < count && !b->failed; i++) {
        unsigned known = scene->mNumMaterials,
                 least = known > SAME_COLOURS ? known - SAME_COLOURS : 0;
        unsigned k = known;
        while (k > least && !is_same_colour(colours[k - 1], surfaces[i].colour)) {
            k--;
        }
        if (k == least) {
            colours[known] = surfaces[i].colour;
            scene->mMaterials[known] = make_material(b, surfaces[i].colour, known);
            scene->mNumMaterials++;
            k = known + 1;
        }
        scene->mMeshes[i]->mMaterialIndex = k - 1;
    }
}

/* ---- meshes ---------------------------------------------------------------------------------- */

static struct aiMesh *make_mesh(builder *b, const ovi_surface *s, const char *name) {
    struct aiMesh *m = take(b, 1, sizeof *m);
    if (m == NULL) {
        return NULL;
    }
    set_string(&m->mName, name);
    m->mPrimitiveTypes = aiPrimitiveType_TRIANGLE;
    m->mNumVertices = (unsigned)s->vertex_count;
    m->mNumFaces = (unsigned)s->triangle_count;
    m->mVertices = take(b, s->vertex_count, sizeof *m->mVertices);
    m->mNormals = s->normals != NULL ? take(b, s->vertex_count, sizeof *m->mNormals) : NULL;
    m->mFaces = take(b, s->triangle_count, sizeof *m->mFaces);
    unsigned *indices = take(b, 3 * s->triangle_count, sizeof *indices);
    for (size_t i = 0; i < s->vertex_count && !b->failed; i++) {
        m->mVertices[i] = vector(b, s->vertices[i]);
        if (s->normals != NULL) {
            m->mNormals[i] = vector(b, s->normals[i]);
        }
    }
    for (size_t i = 0; i < s->triangle_count && !b->failed; i++) {
        for (size_t k = 0; k < 3; k++) {
            indices[3 * i + k] = s->triangles[i][k];
        }
        m->mFaces[i].mNumIndices = 3;
        m->mFaces[i].mIndices = &indices[3 * i];
    }
    return m;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/** A node for each link, then one for each surface; and how many stand below each. */
typedef struct tree {
    struct aiNode *top, *nodes;
    uint32_t *depth; /**< of each link */
} tree;

static void hang(struct aiNode *parent, struct aiNode *child) {
    child->mParent = parent;
    // counted in a first pass, and filled in a second one
    if (parent->mChildren != NULL) {
        parent->mChildren[parent->mNumChildren] = child;
    }
    parent->mNumChildren++;
}

/** Where a link hangs: on its parent, or where the tree gets too deep on the first node. */
static struct aiNode *parent_of(const tree *t, const ov_robot *robot, size_t link) {
    uint32_t joint = ov_model_link_joint(robot->model, link);
    return joint == OV_NO_LINK || t->depth[link] > TREE_DEPTH
               ? t->top
               : &t->nodes[robot->joints[joint].def.parent];
}

static void hang_all(const tree *t, const ov_robot *robot, const ovi_surface *surfaces,
                     size_t count) {
    for (size_t i = 0; i < robot->link_count; i++) {
        hang(parent_of(t, robot, i), &t->nodes[i]);
    }
    for (size_t i = 0; i < count; i++) {
        hang(&t->nodes[surfaces[i].link], &t->nodes[robot->link_count + i]);
    }
}

/** Depths of the links, up to a little above the limit: more is as deep. */
static void measure_depths(const ov_robot *robot, uint32_t *depth) {
    for (size_t i = 0; i < robot->link_count; i++) {
        uint32_t link = (uint32_t)i, joint = ov_model_link_joint(robot->model, link);
        while (joint != OV_NO_LINK && depth[i] <= TREE_DEPTH) {
            depth[i]++;
            link = robot->joints[joint].def.parent;
            joint = ov_model_link_joint(robot->model, link);
        }
    }
}

static void make_tree(builder *b, const ov_robot *robot, const ov_pose *poses,
                      const ovi_surface *surfaces, size_t count) {
    size_t total = robot->link_count + count;
    tree t = {take(b, 1, sizeof *t.top), take(b, total, sizeof *t.nodes),
              take(b, robot->link_count, sizeof *t.depth)};
    unsigned *meshes = take(b, count, sizeof *meshes);
    if (b->failed) {
        return;
    }
    measure_depths(robot, t.depth);
    hang_all(&t, robot, surfaces, count);
    for (size_t i = 0; i <= total; i++) {
        struct aiNode *node = i < total ? &t.nodes[i] : t.top;
        if (node->mNumChildren > 0) {
            node->mChildren = take(b, node->mNumChildren, sizeof(void *));
            node->mNumChildren = 0;
        }
    }
    if (b->failed) {
        return;
    }
    hang_all(&t, robot, surfaces, count);
    // z up becomes y up
    ov_pose up = {{0.0, 0.0, 0.0}, {sqrt(0.5), -sqrt(0.5), 0.0, 0.0}};
    set_string(&t.top->mName, robot->name[0] != '\0' ? robot->name : "robot");
    t.top->mTransformation = matrix(b, up);
    for (size_t i = 0; i < robot->link_count; i++) {
        const struct aiNode *parent = t.nodes[i].mParent;
        ov_pose pose = parent == t.top ? poses[i] : pose_between(poses[parent - t.nodes], poses[i]);
        set_string(&t.nodes[i].mName, robot->links[i].name);
        t.nodes[i].mTransformation = matrix(b, pose);
    }
    for (size_t i = 0; i < count; i++) {
        struct aiNode *node = &t.nodes[robot->link_count + i];
        meshes[i] = (unsigned)i;
        node->mName = b->scene.mMeshes[i]->mName;
        node->mTransformation = matrix(b, surfaces[i].pose);
        node->mNumMeshes = 1;
        node->mMeshes = &meshes[i];
    }
    b->scene.mRootNode = t.top;
}

static ov_status build(builder *b, const ov_robot *robot, const ov_pose *poses,
                       const ovi_surface *surfaces, size_t count, ov_fault *fault) {
    b->scene.mMeshes = take(b, count, sizeof(void *));
    size_t number = 0;
    for (size_t i = 0; i < count && !b->failed; i++) {
        char name[TEXT_MAX];
        number = i > 0 && surfaces[i].link == surfaces[i - 1].link ? number + 1 : 0;
        (void)snprintf(name, sizeof name, "%.900s part %zu", robot->links[surfaces[i].link].name,
                       number);
        b->scene.mMeshes[i] = make_mesh(b, &surfaces[i], name);
        b->scene.mNumMeshes++;
    }
    add_materials(b, surfaces, count);
    if (!b->failed) {
        make_tree(b, robot, poses, surfaces, count);
    }
    if (b->failed) {
        return ovi_file_fault(fault, OV_ERROR_MEMORY, 0, "out of memory");
    }
    return b->wide ? ovi_file_fault(fault, OV_ERROR_SIZE_RANGE, 0,
                                    "a length is too large for a number of 32 bits")
                   : OV_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

/** The numbers of a .gltf, instead of the name of the file that assimp thinks they are in. */
static bool write_base64(FILE *f, const unsigned char *data, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    (void)fputs("data:application/octet-stream;base64,", f);
    for (size_t i = 0; i < size && !ferror(f); i += 3) {
        size_t left = size - i;
        uint32_t bits = (uint32_t)data[i] << 16 | (left > 1 ? (uint32_t)data[i + 1] << 8 : 0) |
                        (left > 2 ? (uint32_t)data[i + 2] : 0);
        char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63],
                        left > 1 ? digits[bits >> 6 & 63] : '=',
                        left > 2 ? digits[bits & 63] : '='};
        (void)fwrite(four, 1, 4, f);
    }
    return !ferror(f);
}

/** Where a text begins in other bytes, or null. */
static const char *find_text(const char *bytes, size_t size, const char *text) {
    size_t length = strlen(text);
    for (size_t i = 0; i + length <= size; i++) {
        if (bytes[i] == text[0] && memcmp(bytes + i, text, length) == 0) {
            return bytes + i;
        }
    }
    return NULL;
}

static bool write_blob(FILE *f, const void *what) {
    static const char name[] = "$blobfile.bin";
    const struct aiExportDataBlob *blob = what, *numbers = blob->next;
    const char *text = blob->data, *end = text + blob->size;
    const char *place = numbers != NULL ? find_text(text, blob->size, name) : NULL;
    if (numbers != NULL && place == NULL) {
        return false;
    }
    if (place != NULL) {
        (void)fwrite(text, 1, (size_t)(place - text), f);
        if (!write_base64(f, numbers->data, numbers->size)) {
            return false;
        }
        text = place + strlen(name);
    }
    return fwrite(text, 1, (size_t)(end - text), f) == (size_t)(end - text);
}

static ov_status export_scene(const char *path, ov_robot_format format, const struct aiScene *scene,
                              ov_fault *fault) {
    const char *id = format == OV_ROBOT_FORMAT_COLLADA ? "collada"
                     : format == OV_ROBOT_FORMAT_GLB   ? "glb2"
                                                       : "gltf2";
    const struct aiExportDataBlob *blob = aiExportSceneToBlob(scene, id, 0);
    if (blob == NULL) {
        return ovi_file_fault(fault, OV_ERROR_UNSUPPORTED, 0, "assimp: %.200s", aiGetErrorString());
    }
    ov_status status = ovi_file_write(path, NULL, write_blob, blob);
    aiReleaseExportBlob(blob);
    return status == OV_OK ? OV_OK
                           : ovi_file_fault(fault, status, 0, "%s", ov_status_message(status));
}

ov_status ovi_assimp_write(const char *path, ov_robot_format format, const ov_robot *robot,
                           const double *positions, ov_fault *fault) {
    ovi_surface *surfaces = NULL;
    size_t count = 0;
    ov_status status = OV_OK;
    ov_pose *poses = ovi_robot_poses(robot, positions, &status, fault);
    const char *name = format == OV_ROBOT_FORMAT_COLLADA ? "COLLADA" : "glTF";
    if (status == OV_OK) {
        status = ovi_surfaces_make(robot, name, &surfaces, &count, fault);
    }
    if (status == OV_OK && count == 0) {
        status = ovi_file_fault(fault, OV_ERROR_COUNT, 0, "the robot has no shapes to show");
    }
    if (status == OV_OK) {
        builder *b = calloc(1, sizeof *b);
        if (b != NULL) {
            b->gltf = format != OV_ROBOT_FORMAT_COLLADA;
        }
        status = b != NULL ? build(b, robot, poses, surfaces, count, fault)
                           : ovi_file_fault(fault, OV_ERROR_MEMORY, 0, "out of memory");
        if (status == OV_OK) {
            status = export_scene(path, format, &b->scene, fault);
        }
        if (b != NULL) {
            release(b);
        }
        free(b);
    }
    ovi_surfaces_free(surfaces, count);
    free(poses);
    return status;
}

#endif
