/**
 * @file test_io_robot_picture.c
 * @brief Robots as COLLADA, glTF and scenes, which have no joints: bodies stand where the positions
 * put them.
 *
 * COLLADA is read back by the library's own reader, which has nothing in common with the writer;
 * glTF is read back by a reader of this file, which looks at everything that the format asks for.
 */
#include <jansson.h>

#include "robot_sample.h"

/* ---- what must be seen ----------------------------------------------------------------------- */

enum { POINTS_MAX = 30000 };

/** Vertices in the world, and how many triangles. */
typedef struct seen {
    ov_vec3 *points; /**< room for POINTS_MAX */
    size_t count, triangles;
} seen;

static ov_vec3 expected_points[POINTS_MAX], found_points[POINTS_MAX];
static seen expected = {expected_points, 0, 0}, found = {found_points, 0, 0};

static void add_point(seen *s, ov_vec3 p) {
    if (CHECK(s->count < POINTS_MAX)) {
        s->points[s->count++] = p;
    }
}

static void expect_shape(const ov_robot_shape *shape, ov_pose link) {
    static ov_vec3 vertices[POINTS_MAX];
    static uint32_t triangles[2 * POINTS_MAX][3];
    ov_mesh_options options = ov_default_mesh_options();
    ov_mesh_plan plan;
    ov_pose pose = after(link, shape->pose);
    if (shape->mesh != NULL) {
        for (size_t i = 0; i < ov_trimesh_vertex_count(shape->mesh); i++) {
            add_point(&expected, ov_pose_apply(pose, ov_trimesh_vertices(shape->mesh)[i]));
        }
        expected.triangles += ov_trimesh_triangle_count(shape->mesh);
    } else if (CHECK_OK(ov_shape_mesh_plan(&shape->shape, &options, &plan)) &&
               CHECK(plan.vertex_count <= POINTS_MAX && plan.triangle_count <= 2 * POINTS_MAX)) {
        CHECK_OK(ov_shape_mesh_fill(&shape->shape, &plan, vertices, NULL, triangles));
        for (size_t i = 0; i < plan.vertex_count; i++) {
            add_point(&expected, ov_pose_apply(pose, vertices[i]));
        }
        expected.triangles += plan.triangle_count;
    }
}

/** The visuals of each link at these positions, or where it has none its collisions. */
static void expect_robot(const ov_robot *robot, const double *positions) {
    static ov_pose poses[LINKS];
    CHECK_OK(ov_model_poses(ov_robot_model(robot), ov_pose_identity(), positions, poses));
    expected.count = expected.triangles = 0;
    for (size_t i = 0; i < ov_robot_link_count(robot); i++) {
        const ov_robot_link *link = ov_robot_get_link(robot, i);
        bool visuals = link->visual_count > 0;
        for (size_t k = 0; k < (visuals ? link->visual_count : link->collision_count); k++) {
            expect_shape(visuals ? &link->visuals[k] : &link->collisions[k], poses[i]);
        }
    }
}

/** Every expected vertex is there, and as many as expected. */
static void check_found(const char *what, double tolerance) {
    double worst = 0.0;
    CHECK(found.count == expected.count && found.triangles == expected.triangles);
    for (size_t i = 0; i < expected.count; i++) {
        double nearest = INFINITY;
        for (size_t k = 0; k < found.count && nearest > 0.0; k++) {
            ov_vec3 d = ov_vec3_sub(expected.points[i], found.points[k]);
            nearest = fmin(nearest, ov_vec3_dot(d, d));
        }
        worst = fmax(worst, sqrt(nearest));
    }
    CHECK(worst <= tolerance);
    check_worst(what, worst, tolerance);
}

/** The sample, with a mesh for a visual, at positions other than zero. */
static ov_robot *make_posed(double *positions) {
    static const ov_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const uint32_t faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    ov_trimesh *mesh = NULL;
    CHECK_OK(ov_trimesh_create(corners, 4, faces, 4, NULL, &mesh));
    fill_robot();
    shapes[4][1] = (ov_robot_shape){.name = "", .pose = shapes[4][0].pose, .mesh = mesh};
    shapes[4][1].has_colour = true;
    memcpy(shapes[4][1].colour, (const double[4]){1.0, 0.5, 0.25, 1.0}, 4 * sizeof(double));
    links[4].visuals = &shapes[4][1];
    links[4].visual_count = 1;
    ov_robot *robot = make_robot();
    ov_model_rest(ov_robot_model(robot), positions);
    positions[ov_model_joint_position(ov_robot_model(robot), HINGE)] = -0.7;
    positions[ov_model_joint_position(ov_robot_model(robot), SLIDE)] = 0.4;
    expect_robot(robot, positions);
    ov_trimesh_destroy(mesh);
    return robot;
}

/** All bytes of a file, with a zero behind them; from malloc. */
static char *read_file(const char *path, size_t *size) {
    char *bytes = NULL;
    FILE *from = fopen(path, "rb"), *to = open_memstream(&bytes, size);
    for (int byte; from != NULL && (byte = getc(from)) != EOF;) {
        CHECK(putc(byte, to) == byte);
    }
    CHECK(from != NULL && fclose(from) == 0 && fclose(to) == 0);
    return bytes;
}

/** A stream gets what a file gets; no folder is needed. */
static void check_stream(const char *path, ov_robot_format format, const ov_robot *robot,
                         const double *positions) {
    char *text = NULL;
    size_t size = 0, file_size = 0;
    char *bytes = read_file(path, &file_size);
    FILE *f = open_memstream(&text, &size);
    CHECK_OK(ov_robot_write_stream(f, format, NULL, robot, positions, &fault));
    CHECK(fclose(f) == 0 && size == file_size && memcmp(text, bytes, size) == 0);
    free(text);
    free(bytes);
}

/* ---- COLLADA --------------------------------------------------------------------------------- */

static void collada(void) {
    double positions[64];
    ov_mesh_data mesh;
    ov_robot *robot = make_posed(positions);
    CHECK_OK(ov_robot_write("a.dae", OV_ROBOT_FORMAT_COLLADA, robot, positions, &fault));
    CHECK(entries(".") == 3); // nothing beside it
    if (CHECK_OK(ov_mesh_read("a.dae", &mesh, &fault))) {
        found.count = 0;
        found.triangles = mesh.triangle_count;
        for (size_t i = 0; i < mesh.vertex_count; i++) {
            add_point(&found, mesh.vertices[i]);
        }
        check_found("vertices of COLLADA", 1e-14);
        ov_mesh_free(&mesh);
    }
    check_stream("a.dae", OV_ROBOT_FORMAT_COLLADA, robot, positions);
    CHECK(unlink("a.dae") == 0);
    ov_robot_destroy(robot);
}

/* ---- glTF ------------------------------------------------------------------------------------ */

/** What is being read: the JSON and the bytes of its buffer. */
typedef struct gltf_file {
    json_t *root;
    const unsigned char *buffer;
    size_t size;
    char *bytes;            /**< of the file */
    unsigned char *decoded; /**< from base64 */
} gltf_file;

static size_t base64_decode(const char *text, unsigned char *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    size_t size = 0, got = 0, length = strlen(text);
    CHECK(length % 4 == 0);
    for (size_t i = 0; i < length && text[i] != '='; i++) {
        const char *digit = strchr(digits, text[i]);
        if (!CHECK(digit != NULL)) {
            return 0;
        }
        bits = bits << 6 | (uint32_t)(digit - digits);
        got += 6;
        if (got >= 8) {
            got -= 8;
            out[size++] = (unsigned char)(bits >> got);
        }
    }
    return size;
}

static uint32_t u32_at(const void *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

/** An element of a list of the root, by its number in another object; must be there. */
static json_t *named(const gltf_file *g, const char *list, const json_t *index) {
    json_t *item = json_is_integer(index) ? json_array_get(json_object_get(g->root, list),
                                                           (size_t)json_integer_value(index))
                                          : NULL;
    CHECK(item != NULL);
    return item;
}

static size_t whole(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    CHECK(json_is_integer(value) && json_integer_value(value) >= 0);
    return (size_t)json_integer_value(value);
}

/** The JSON and the bytes of a .gltf or .glb. */
static bool gltf_open(const char *path, bool binary, gltf_file *g) {
    static const char scheme[] = "data:application/octet-stream;base64,";
    size_t length = 0;
    *g = (gltf_file){.bytes = read_file(path, &length)};
    if (binary) {
        const unsigned char *b = (const unsigned char *)g->bytes;
        CHECK(length > 28 && length % 4 == 0 && memcmp(b, "glTF", 4) == 0 && u32_at(b + 4) == 2 &&
              u32_at(b + 8) == length);
        size_t json = u32_at(b + 12);
        if (!CHECK(memcmp(b + 16, "JSON", 4) == 0 && json % 4 == 0 && json + 28 <= length)) {
            return false;
        }
        const unsigned char *chunk = b + 20 + json;
        g->size = u32_at(chunk);
        g->buffer = chunk + 8;
        CHECK(memcmp(chunk + 4, "BIN\0", 4) == 0 && 28 + json + g->size == length);
        g->root = json_loadb(g->bytes + 20, json, JSON_REJECT_DUPLICATES, NULL);
    } else {
        g->root = json_loadb(g->bytes, length, JSON_REJECT_DUPLICATES, NULL);
    }
    const json_t *buffers = json_object_get(g->root, "buffers");
    const json_t *buffer = json_array_get(buffers, 0);
    const char *uri = json_string_value(json_object_get(buffer, "uri"));
    if (!CHECK(g->root != NULL && json_array_size(buffers) == 1 && (uri == NULL) == binary)) {
        return false;
    }
    if (uri != NULL && CHECK(strncmp(uri, scheme, strlen(scheme)) == 0)) {
        g->decoded = malloc(strlen(uri));
        g->size = base64_decode(uri + strlen(scheme), g->decoded);
        g->buffer = g->decoded;
    }
    return CHECK(whole(buffer, "byteLength") == g->size);
}

/** Where an accessor's elements of 12 or 4 bytes are: within its view, and that in the buffer. */
static const unsigned char *gltf_data(const gltf_file *g, const json_t *accessor, size_t element,
                                      int target) {
    const json_t *view = named(g, "bufferViews", json_object_get(accessor, "bufferView"));
    size_t offset = whole(view, "byteOffset"), length = whole(view, "byteLength");
    CHECK(whole(view, "buffer") == 0 && whole(view, "target") == (size_t)target);
    CHECK(offset % 4 == 0 && offset + length <= g->size && length > 0);
    CHECK(json_object_get(accessor, "byteOffset") == NULL &&
          json_object_get(view, "byteStride") == NULL);
    CHECK(whole(accessor, "count") * element == length);
    return g->buffer + offset;
}

static ov_vec3 floats_at(const unsigned char *data, size_t index) {
    float v[3];
    memcpy(v, data + 12 * index, sizeof v);
    return ov_vec3_make((double)v[0], (double)v[1], (double)v[2]);
}

/** The bounds are those of the numbers in the buffer, to the bit. */
static void check_bounds(const json_t *accessor, const unsigned char *data, size_t count) {
    for (size_t k = 0; k < 3; k++) {
        float low = INFINITY, high = -INFINITY, v;
        for (size_t i = 0; i < count; i++) {
            memcpy(&v, data + 12 * i + 4 * k, sizeof v);
            low = fminf(low, v);
            high = fmaxf(high, v);
        }
        const json_t *least = json_array_get(json_object_get(accessor, "min"), k);
        const json_t *most = json_array_get(json_object_get(accessor, "max"), k);
        CHECK(json_number_value(least) == (double)low && json_number_value(most) == (double)high);
    }
}

static void gltf_primitive(const gltf_file *g, const json_t *primitive, ov_pose pose) {
    const json_t *attributes = json_object_get(primitive, "attributes");
    const json_t *position = named(g, "accessors", json_object_get(attributes, "POSITION"));
    const json_t *index = named(g, "accessors", json_object_get(primitive, "indices"));
    const json_t *normal = json_object_get(attributes, "NORMAL");
    size_t count = whole(position, "count"), indices = whole(index, "count");
    CHECK(json_object_get(primitive, "mode") == NULL); // triangles
    CHECK(whole(position, "componentType") == 5126 && whole(index, "componentType") == 5125);
    CHECK(strcmp(json_string_value(json_object_get(position, "type")), "VEC3") == 0);
    CHECK(strcmp(json_string_value(json_object_get(index, "type")), "SCALAR") == 0);
    const unsigned char *data = gltf_data(g, position, 12, 34962);
    check_bounds(position, data, count);
    for (size_t i = 0; i < count; i++) {
        ov_vec3 p = ov_pose_apply(pose, floats_at(data, i));
        add_point(&found, ov_vec3_make(p.x, -p.z, p.y)); // y is up there
    }
    if (normal != NULL) {
        const json_t *accessor = named(g, "accessors", normal);
        data = gltf_data(g, accessor, 12, 34962);
        CHECK(whole(accessor, "count") == count && whole(accessor, "componentType") == 5126);
        for (size_t i = 0; i < count; i++) {
            CHECK_NEAR(ov_vec3_length(floats_at(data, i)), 1.0, 1e-6);
        }
    }
    data = gltf_data(g, index, 4, 34963);
    for (size_t i = 0; i < indices; i++) {
        CHECK(u32_at(data + 4 * i) < count);
    }
    CHECK(indices % 3 == 0);
    found.triangles += indices / 3;
    (void)named(g, "materials", json_object_get(primitive, "material"));
}

static ov_pose gltf_pose(const json_t *node) {
    const json_t *t = json_object_get(node, "translation"), *r = json_object_get(node, "rotation");
    double v[7] = {0.0};
    CHECK(json_array_size(t) == 3 && json_array_size(r) == 4);
    for (size_t i = 0; i < 7; i++) {
        v[i] = json_number_value(i < 3 ? json_array_get(t, i) : json_array_get(r, i - 3));
    }
    ov_pose pose = {{v[0], v[1], v[2]}, {v[6], v[3], v[4], v[5]}};
    CHECK_NEAR(v[3] * v[3] + v[4] * v[4] + v[5] * v[5] + v[6] * v[6], 1.0, 1e-14);
    return pose;
}

/** A node and what is below it; each may be seen once only. */
static void gltf_node(const gltf_file *g, const json_t *index, ov_pose above, size_t *visits) {
    const json_t *node = named(g, "nodes", index);
    ov_pose pose = after(above, gltf_pose(node));
    if (!CHECK(node != NULL && visits[json_integer_value(index)]++ == 0)) {
        return;
    }
    const json_t *mesh = json_object_get(node, "mesh");
    const json_t *primitives =
        mesh != NULL ? json_object_get(named(g, "meshes", mesh), "primitives") : NULL;
    CHECK(mesh == NULL || json_array_size(primitives) == 1);
    for (size_t i = 0; i < json_array_size(primitives); i++) {
        gltf_primitive(g, json_array_get(primitives, i), pose);
    }
    const json_t *children = json_object_get(node, "children");
    CHECK(children == NULL || json_array_size(children) > 0); // the format has no empty lists
    for (size_t i = 0; i < json_array_size(children); i++) {
        gltf_node(g, json_array_get(children, i), pose, visits);
    }
}

static void check_material(const json_t *material, const double *colour) {
    const json_t *pbr = json_object_get(material, "pbrMetallicRoughness");
    const json_t *factor = json_object_get(pbr, "baseColorFactor");
    const char *mode = json_string_value(json_object_get(material, "alphaMode"));
    for (size_t k = 0; k < 4; k++) {
        CHECK(json_number_value(json_array_get(factor, k)) == colour[k]);
    }
    CHECK(colour[3] < 1.0 ? mode != NULL && strcmp(mode, "BLEND") == 0 : mode == NULL);
}

static void check_gltf(const gltf_file *g) {
    static const double grey[4] = {0.7, 0.7, 0.7, 1.0};
    size_t visits[200] = {0};
    const json_t *asset = json_object_get(g->root, "asset");
    const json_t *scene = named(g, "scenes", json_object_get(g->root, "scene"));
    const json_t *nodes = json_object_get(g->root, "nodes");
    const json_t *roots = json_object_get(scene, "nodes");
    const json_t *materials = json_object_get(g->root, "materials");
    CHECK(strcmp(json_string_value(json_object_get(asset, "version")), "2.0") == 0);
    found.count = found.triangles = 0;
    if (!CHECK(json_array_size(nodes) <= 200 && json_array_size(roots) == 1)) {
        return;
    }
    gltf_node(g, json_array_get(roots, 0), ov_pose_identity(), visits);
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        CHECK(visits[i] == 1);
    }
    const char *name =
        json_string_value(json_object_get(json_array_get(nodes, 2), "name")); // the second link
    CHECK(name != NULL && strcmp(name, ODD_NAME) == 0);
    // the views lie behind each other and fill the buffer
    const json_t *views = json_object_get(g->root, "bufferViews");
    size_t offset = 0;
    for (size_t i = 0; i < json_array_size(views); i++) {
        CHECK(whole(json_array_get(views, i), "byteOffset") == offset);
        offset += whole(json_array_get(views, i), "byteLength");
    }
    CHECK(offset == g->size);
    CHECK(json_array_size(json_object_get(g->root, "accessors")) == json_array_size(views));
    // each colour once: that of shapes without one, of the box and of the mesh
    CHECK(json_array_size(materials) == 3);
    check_material(json_array_get(materials, 0), grey);
    check_material(json_array_get(materials, 1), shapes[1][2].colour);
    check_material(json_array_get(materials, 2), shapes[4][1].colour);
    check_found("vertices of glTF", 1e-6);
}

static void gltf(void) {
    double positions[64];
    ov_robot *robot = make_posed(positions);
    for (int i = 0; i < 2; i++) {
        gltf_file g;
        const char *path = i == 0 ? "a.gltf" : "a.glb";
        ov_robot_format format = i == 0 ? OV_ROBOT_FORMAT_GLTF : OV_ROBOT_FORMAT_GLB;
        CHECK_OK(ov_robot_write(path, format, robot, positions, &fault));
        CHECK(entries(".") == 3); // nothing beside it
        if (gltf_open(path, i == 1, &g)) {
            check_gltf(&g);
        }
        json_decref(g.root);
        free(g.bytes);
        free(g.decoded);
        check_stream(path, format, robot, positions);
        CHECK(unlink(path) == 0);
    }
    ov_robot_destroy(robot);
}

/** Long chains and huge numbers must not bring the exporter down. */
static void gltf_limits(void) {
    enum { CHAIN = 3000 };
    static ov_robot_link chain[CHAIN];
    static ov_robot_joint joined[CHAIN];
    static char names[CHAIN][24];
    check_random r = check_random_make(73);
    ov_robot *robot = NULL;
    fill_robot();
    for (size_t i = 0; i < CHAIN; i++) {
        (void)snprintf(names[i], sizeof names[i], "link %zu", i);
        chain[i] = (ov_robot_link){.name = names[i]};
        if (i > 0) {
            joined[i - 1] = joints[WELD];
            joined[i - 1].def.name = names[i];
            joined[i - 1].def.origin = random_pose(&r);
            joined[i - 1].def.parent = (uint32_t)i - 1;
            joined[i - 1].def.child = (uint32_t)i;
        }
    }
    chain[CHAIN - 1].collisions = &shapes[7][0];
    chain[CHAIN - 1].collision_count = 1;
    CHECK_OK(ov_robot_create("chain", chain, CHAIN, joined, CHAIN - 1, &robot, &fault));
    if (CHECK_OK(ov_robot_write("a.dae", OV_ROBOT_FORMAT_COLLADA, robot, NULL, &fault))) {
        ov_mesh_data mesh;
        static ov_pose poses[CHAIN];
        double none = 0.0;
        CHECK_OK(ov_model_poses(ov_robot_model(robot), ov_pose_identity(), &none, poses));
        CHECK_OK(ov_mesh_read("a.dae", &mesh, &fault));
        double worst = 0.0;
        for (size_t i = 0; i < mesh.vertex_count; i++) {
            ov_vec3 p =
                ov_pose_apply_inverse(after(poses[CHAIN - 1], shapes[7][0].pose), mesh.vertices[i]);
            worst = fmax(worst, off_surface(&shapes[7][0].shape, p));
        }
        CHECK(worst < 1e-12); // a hundred metres away
        ov_mesh_free(&mesh);
        CHECK(unlink("a.dae") == 0);
    }
    // the other writers go down the same chain
    CHECK_OK(ov_robot_write("a.xml", OV_ROBOT_FORMAT_MJCF, robot, NULL, &fault));
    CHECK_OK(ov_robot_write("a.sdf", OV_ROBOT_FORMAT_SDFORMAT, robot, NULL, &fault));
    CHECK(unlink("a.xml") == 0 && unlink("a.sdf") == 0);
    remove_meshes("a_meshes");
    ov_robot_destroy(robot);
    shapes[0][0].pose.position.x = 1e40;
    robot = make_robot();
    CHECK_STATUS(ov_robot_write("a.glb", OV_ROBOT_FORMAT_GLB, robot, NULL, &fault),
                 OV_ERROR_SIZE_RANGE);
    CHECK(entries(".") == 2);
    ov_robot_destroy(robot);
    fill_robot();
}

/* ---- scenes ---------------------------------------------------------------------------------- */

static void scenes(void) {
    char long_name[101];
    memset(long_name, 'n', 100);
    memcpy(long_name + 57, "\xc3\xa4\xc3\xa4\xc3\xa4", 6);
    long_name[100] = '\0';
    fill_robot();
    links[4].name = long_name;
    links[5].collision_count = 0;
    ov_robot *robot = make_robot(), *back = NULL;
    ov_scene *scene = NULL, *again = NULL;
    double positions[64];
    ov_pose poses[LINKS];
    ov_model_rest(ov_robot_model(robot), positions);
    positions[ov_model_joint_position(ov_robot_model(robot), HINGE)] = -0.7;
    CHECK_OK(ov_model_poses(ov_robot_model(robot), ov_pose_identity(), positions, poses));
    CHECK_OK(ov_robot_to_scene(robot, positions, &scene));
    CHECK(ov_scene_count(scene) == LINKS - 1 && strcmp(ov_scene_title(scene), "r & d") == 0);
    for (size_t i = 0, k = 0; i < LINKS; i++) {
        const ov_scene_body *body = i == 5 ? NULL : ov_scene_get(scene, k++);
        if (i == 5 || !CHECK(body != NULL)) {
            continue;
        }
        CHECK(i == 4 ? strncmp(body->name, long_name, 50) == 0 && strlen(body->name) <= 63
                     : strcmp(body->name, links[i].name) == 0);
        CHECK(pose_difference(body->pose, poses[i]) <= 1e-15);
        CHECK(body->part_count == links[i].collision_count);
        CHECK(body->parts[0].shape.kind == shapes[i][0].shape.kind &&
              pose_difference(body->parts[0].pose, shapes[i][0].pose) <= 1e-15);
    }
    CHECK_OK(ov_robot_write("a.json", OV_ROBOT_FORMAT_SCENE, robot, positions, &fault));
    CHECK_OK(ov_scene_read("a.json", &again, &fault));
    CHECK(ov_scene_count(again) == LINKS - 1 && unlink("a.json") == 0);
    // and a robot again
    CHECK_OK(ov_robot_from_scene(again, &back, &fault));
    CHECK(ov_robot_link_count(back) == LINKS && ov_robot_joint_count(back) == LINKS - 1);
    CHECK(strcmp(ov_robot_get_link(back, 0)->name, "world") == 0);
    CHECK(strcmp(ov_robot_get_link(back, 2)->name, ODD_NAME) == 0);
    const ov_pose *rest = rest_poses(back);
    CHECK(pose_difference(rest[2], poses[1]) <= 1e-15);
    CHECK(ov_robot_get_link(back, 2)->collision_count == 2);
    ov_robot_destroy(back);
    CHECK_OK(ov_scene_add(again, "world", &shapes[0][0].shape, ov_pose_identity()));
    CHECK_STATUS(ov_robot_from_scene(again, &back, &fault), OV_ERROR_FILE_FORMAT);
    CHECK(back == NULL && strstr(fault.text, "world") != NULL);
    CHECK_STATUS(ov_robot_from_scene(NULL, &back, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_robot_to_scene(robot, NULL, NULL), OV_ERROR_NULL);
    positions[0] = NAN;
    ov_scene *none = again;
    CHECK_STATUS(ov_robot_to_scene(robot, positions, &none), OV_ERROR_NOT_FINITE);
    CHECK(none == NULL);
    ov_scene_destroy(scene);
    ov_scene_destroy(again);
    ov_robot_destroy(robot);
    fill_robot();
}

int main(void) {
    check_suite = "io_robot_picture";
    char folder[] = "test_io_robot_picture_XXXXXX";
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        perror(folder);
        return EXIT_FAILURE;
    }
    fill_robot();
    RUN(collada);
    RUN(gltf);
    RUN(gltf_limits);
    RUN(scenes);
    CHECK(chdir("..") == 0 && rmdir(folder) == 0);
    return check_finish();
}
