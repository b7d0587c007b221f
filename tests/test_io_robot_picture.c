/**
 * @file test_io_robot_picture.c
 * @brief Robots as COLLADA, glTF and scenes, which have no joints: bodies stand where the positions
 * put them.
 */
#include "json_check.h"
#include "robot_sample.h"

/* ---- pictures: two boxes on a slide and a hinge, at positions ---------------------------------
 */

enum { CORNERS = 16 };

/** Two boxes whose corners are known; returns the corners in the world. */
static ov_robot *make_boxes(double *positions, ov_vec3 *corners) {
    check_random r = check_random_make(72);
    ov_robot *robot = NULL;
    memset(links, 0, sizeof links);
    for (size_t i = 0; i < 3; i++) {
        static const char *const names[] = {"root", "a", "b <"};
        add_shape(&r, i, 0, OV_SHAPE_KIND_BOX);
        links[i] =
            (ov_robot_link){.name = names[i], .collisions = shapes[i], .collision_count = i > 0};
    }
    shapes[2][0].has_colour = true;
    memcpy(shapes[2][0].colour, (const double[4]){1.0, 0.5, 0.25, 0.5}, 4 * sizeof(double));
    add_joint(&r, 0, "slide", OV_JOINT_KIND_PRISMATIC, 0);
    add_joint(&r, 1, "turn", OV_JOINT_KIND_CONTINUOUS, 1);
    positions[0] = 0.75;
    positions[1] = -2.0;
    CHECK_OK(ov_robot_create("boxes", links, 3, joints, 2, &robot, &fault));
    // by hand: along the first axis, then about the second
    ov_pose slide = {ov_vec3_scale(joints[0].def.axis, 0.75), ov_quat_identity()};
    ov_pose turn = {{0, 0, 0}, ov_quat_from_axis_angle(joints[1].def.axis, -2.0)};
    ov_pose a = after(joints[0].def.origin, slide);
    ov_pose b = after(a, after(joints[1].def.origin, turn));
    for (int i = 0; i < CORNERS; i++) {
        int box = i / 8;
        ov_vec3 p = {i & 1 ? 0.1 : -0.1, i & 2 ? 0.2 : -0.2, i & 4 ? 0.3 : -0.3};
        corners[i] = ov_pose_apply(after(box == 0 ? a : b, shapes[1 + box][0].pose), p);
    }
    return robot;
}

/** Every corner is among the vertices, and no vertex is elsewhere than on the boxes' corners, edges
 *  and faces: within their hulls. Returns how far the nearest vertices are from the corners. */
static double corners_missed(const ov_vec3 *corners, const ov_vec3 *vertices, size_t count) {
    double worst = count > 0 ? 0.0 : INFINITY;
    for (int i = 0; i < CORNERS; i++) {
        double nearest = INFINITY;
        for (size_t k = 0; k < count; k++) {
            nearest = fmin(nearest, ov_vec3_length(ov_vec3_sub(corners[i], vertices[k])));
        }
        worst = fmax(worst, nearest);
    }
    return worst;
}

/** The surface of triangles. */
static double area_of(const ov_vec3 *v, const uint32_t (*t)[3], size_t count) {
    double area = 0.0;
    for (size_t i = 0; i < count; i++) {
        ov_vec3 a = v[t[i][0]];
        area += 0.5 * ov_vec3_length(
                          ov_vec3_cross(ov_vec3_sub(v[t[i][1]], a), ov_vec3_sub(v[t[i][2]], a)));
    }
    return area;
}

/** Of both boxes: 8 (ab + bc + ca) each. */
static const double boxes_area = 2 * 8 * (0.1 * 0.2 + 0.2 * 0.3 + 0.3 * 0.1);

static void collada(void) {
    double positions[2];
    ov_vec3 corners[CORNERS];
    ov_mesh_data mesh;
    ov_robot *robot = make_boxes(positions, corners);
    ov_status status = ov_robot_write("a.dae", OV_ROBOT_FORMAT_COLLADA, robot, positions, &fault);
    if (has_assimp(status) && CHECK_OK(status) && CHECK_OK(ov_mesh_read("a.dae", &mesh, &fault))) {
        double missed = corners_missed(corners, mesh.vertices, mesh.vertex_count);
        CHECK(missed < 1e-6);
        check_worst("corners of COLLADA", missed, 1e-6);
        CHECK_NEAR(
            area_of(mesh.vertices, (const uint32_t(*)[3])mesh.triangles, mesh.triangle_count),
            boxes_area, 1e-6);
        ov_mesh_free(&mesh);
        CHECK(unlink("a.dae") == 0);
    }
    ov_robot_destroy(robot);
}

/* ---- glTF ------------------------------------------------------------------------------------ */

static char gltf_bytes[1 << 20];
static ov_vec3 gltf_vertices[20000];
static uint32_t gltf_triangles[40000][3];
static size_t gltf_vertex_count, gltf_triangle_count;

static size_t base64_decode(const char *text, size_t length, unsigned char *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    size_t size = 0, got = 0;
    for (size_t i = 0; i < length && text[i] != '='; i++) {
        const char *digit = strchr(digits, text[i]);
        if (!CHECK(digit != NULL && text[i] != '\0')) {
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

/** Where an accessor's bytes are, checked to lie within the buffer. */
static const unsigned char *gltf_data(int accessor, const unsigned char *buffer, size_t size,
                                      size_t element, size_t *stride) {
    int view = json_item(json_get(0, "bufferViews"), (int)json_number(accessor, "bufferView", -1));
    size_t offset = (size_t)json_number(view, "byteOffset", 0.0) +
                    (size_t)json_number(accessor, "byteOffset", 0.0);
    *stride = (size_t)json_number(view, "byteStride", (double)element);
    size_t count = (size_t)json_number(accessor, "count", 0.0);
    CHECK(view >= 0 && count > 0 && offset + (count - 1) * *stride + element <= size);
    return buffer + offset;
}

static void gltf_primitive(int primitive, const double m[16], const unsigned char *buffer,
                           size_t size) {
    int accessors = json_get(0, "accessors");
    int position =
        json_item(accessors, (int)json_number(json_get(primitive, "attributes"), "POSITION", -1.0));
    int index = json_item(accessors, (int)json_number(primitive, "indices", -1.0));
    size_t stride, base = gltf_vertex_count;
    CHECK(json_number(position, "componentType", 0) == 5126 &&
          json_number(primitive, "mode", 4) == 4);
    const unsigned char *data = gltf_data(position, buffer, size, 12, &stride);
    for (size_t i = 0; i < (size_t)json_number(position, "count", 0.0); i++) {
        float p[3];
        memcpy(p, data + i * stride, sizeof p);
        double v[3];
        for (int k = 0; k < 3; k++) {
            v[k] = m[k] * p[0] + m[4 + k] * p[1] + m[8 + k] * p[2] + m[12 + k];
        }
        // y is up there
        gltf_vertices[gltf_vertex_count++] = ov_vec3_make(v[0], -v[2], v[1]);
    }
    size_t width = json_number(index, "componentType", 0) == 5125 ? 4 : 2;
    data = gltf_data(index, buffer, size, width, &stride);
    for (size_t i = 0; i < (size_t)json_number(index, "count", 0.0); i++) {
        uint32_t wide = 0;
        uint16_t narrow = 0;
        memcpy(&wide, data + i * stride, width == 4 ? 4 : 0);
        memcpy(&narrow, data + i * stride, width == 4 ? 0 : 2);
        uint32_t vertex = width == 4 ? wide : narrow;
        CHECK(base + vertex < gltf_vertex_count);
        gltf_triangles[gltf_triangle_count + i / 3][i % 3] = (uint32_t)base + vertex;
    }
    gltf_triangle_count += (size_t)json_number(index, "count", 0.0) / 3;
}

/** A node and what is below it; matrices are by columns. */
static void gltf_node(int node, const double above[16], const unsigned char *buffer, size_t size) {
    double m[16], local[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    int matrix = json_get(node, "matrix");
    for (int i = 0; i < 16 && matrix >= 0; i++) {
        local[i] = json_all[json_item(matrix, i)].number;
    }
    CHECK(json_get(node, "rotation") == -1 && json_get(node, "translation") == -1);
    for (int i = 0; i < 16; i++) {
        m[i] = 0.0;
        for (int k = 0; k < 4; k++) {
            m[i] += above[4 * k + i % 4] * local[4 * (i / 4) + k];
        }
    }
    int mesh = json_item(json_get(0, "meshes"), (int)json_number(node, "mesh", 1e6));
    int primitives = json_get(mesh, "primitives");
    for (int i = 0; primitives >= 0 && i < json_all[primitives].count; i++) {
        gltf_primitive(json_item(primitives, i), m, buffer, size);
    }
    int children = json_get(node, "children");
    for (int i = 0; children >= 0 && i < json_all[children].count; i++) {
        int child = (int)json_all[json_item(children, i)].number;
        gltf_node(json_item(json_get(0, "nodes"), child), m, buffer, size);
    }
}

/** The JSON and the bytes of a .gltf or .glb. */
static bool gltf_open(const char *path, const unsigned char **buffer, size_t *size) {
    static unsigned char decoded[1 << 20];
    static const char scheme[] = "data:application/octet-stream;base64,";
    FILE *f = fopen(path, "rb");
    size_t length = f != NULL ? fread(gltf_bytes, 1, sizeof gltf_bytes - 1, f) : 0;
    gltf_bytes[length] = '\0';
    if (!CHECK(f != NULL && fclose(f) == 0 && length > 20 && length < sizeof gltf_bytes - 1)) {
        return false;
    }
    if (strstr(path, ".glb") == NULL) {
        bool good = CHECK(strlen(gltf_bytes) == length && json_parse(gltf_bytes));
        int uri = good ? json_get(json_item(json_get(0, "buffers"), 0), "uri") : -1;
        if (!CHECK(uri >= 0 && strncmp(json_all[uri].text, scheme, strlen(scheme)) == 0)) {
            return false;
        }
        *size = base64_decode(json_all[uri].text + strlen(scheme),
                              json_all[uri].length - strlen(scheme), decoded);
        *buffer = decoded;
        return CHECK((double)*size ==
                     json_number(json_item(json_get(0, "buffers"), 0), "byteLength", 0.0));
    }
    uint32_t head[5], chunk[2];
    memcpy(head, gltf_bytes, sizeof head);
    CHECK(head[0] == 0x46546c67 && head[1] == 2 && head[2] == length && head[4] == 0x4e4f534a);
    if (!CHECK(head[3] % 4 == 0 && head[3] + 28 <= length)) {
        return false;
    }
    memcpy(chunk, gltf_bytes + 20 + head[3], sizeof chunk);
    CHECK(chunk[1] == 0x004e4942 && 28 + head[3] + chunk[0] == length);
    gltf_bytes[20 + head[3]] = '\0';
    *buffer = (const unsigned char *)gltf_bytes + 28 + head[3];
    *size = chunk[0];
    return CHECK(json_parse(gltf_bytes + 20));
}

static void gltf(void) {
    static const char *const paths[] = {"a.gltf", "a.GLB", "a.glb"};
    static const double identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    double positions[2], worst = 0.0;
    ov_vec3 corners[CORNERS];
    ov_robot *robot = make_boxes(positions, corners);
    for (int i = 0; i < 3; i++) {
        const unsigned char *buffer = NULL;
        size_t size = 0;
        ov_robot_format format = i == 0 ? OV_ROBOT_FORMAT_GLTF : OV_ROBOT_FORMAT_GLB;
        ov_status status = ov_robot_write(paths[i], format, robot, positions, &fault);
        if (!has_assimp(status)) {
            break;
        }
        CHECK_OK(status);
        CHECK(entries(".") == 3); // nothing beside it
        if (i == 1) {
            CHECK(rename("a.GLB", "a.glb") == 0);
        }
        if (gltf_open(i == 0 ? paths[0] : "a.glb", &buffer, &size)) {
            int scene = json_item(json_get(0, "scenes"), (int)json_number(0, "scene", 0.0));
            int roots = json_get(scene, "nodes");
            gltf_vertex_count = gltf_triangle_count = 0;
            for (int k = 0; roots >= 0 && k < json_all[roots].count; k++) {
                int node = (int)json_all[json_item(roots, k)].number;
                gltf_node(json_item(json_get(0, "nodes"), node), identity, buffer, size);
            }
            worst = fmax(worst, corners_missed(corners, gltf_vertices, gltf_vertex_count));
            CHECK_NEAR(
                area_of(gltf_vertices, (const uint32_t(*)[3])gltf_triangles, gltf_triangle_count),
                boxes_area, 1e-6);
            int materials = json_get(0, "materials");
            CHECK(materials >= 0 && json_all[materials].count == 2);
            int colour = json_get(json_get(json_item(materials, 1), "pbrMetallicRoughness"),
                                  "baseColorFactor");
            for (int k = 0; k < 4 && CHECK(colour >= 0 && json_all[colour].count == 4); k++) {
                int number = json_item(colour, k);
                CHECK(number >= 0 && json_all[number].number == shapes[2][0].colour[k]);
            }
        }
        CHECK(unlink(i == 0 ? paths[0] : "a.glb") == 0);
    }
    CHECK(worst < 1e-6);
    check_worst("corners of glTF", worst, 1e-6);
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
    ov_status status = ov_robot_write("a.dae", OV_ROBOT_FORMAT_COLLADA, robot, NULL, &fault);
    if (has_assimp(status) && CHECK_OK(status)) {
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
        CHECK(worst < 1e-4); // a hundred metres away, with seven digits
        ov_mesh_free(&mesh);
        CHECK(unlink("a.dae") == 0);
    }
    // the other writers walk the same chain
    CHECK_OK(ov_robot_write("a.xml", OV_ROBOT_FORMAT_MJCF, robot, NULL, &fault));
    CHECK_OK(ov_robot_write("a.sdf", OV_ROBOT_FORMAT_SDFORMAT, robot, NULL, &fault));
    CHECK(unlink("a.xml") == 0 && unlink("a.sdf") == 0);
    remove_meshes("a_meshes");
    ov_robot_destroy(robot);
    shapes[0][0].pose.position.x = 1e40;
    robot = make_robot();
    status = ov_robot_write("a.glb", OV_ROBOT_FORMAT_GLB, robot, NULL, &fault);
    CHECK(status == OV_ERROR_SIZE_RANGE || status == OV_ERROR_MISSING);
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
