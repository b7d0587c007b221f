/**
 * @file test_io_scene.c
 * @brief Scenes: every kind read and written to the bit, and what is wrong with broken ones.
 */
#include <float.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ovoid/io.h>

#include "check.h"

static ov_status read_text(const char *text, size_t length, ov_scene **scene, ov_fault *fault) {
    FILE *f = fopen("scene.json", "wb");
    if (!CHECK(f != NULL && fwrite(text, 1, length, f) == length && fclose(f) == 0)) {
        exit(1);
    }
    return ov_scene_read("scene.json", scene, fault);
}

/** To the bit, but for the sign of zero, which is not written. */
static bool same_number(double a, double b) { return a == b; }

static bool same_vec3(ov_vec3 a, ov_vec3 b) {
    return same_number(a.x, b.x) && same_number(a.y, b.y) && same_number(a.z, b.z);
}

static bool same_pose(ov_pose a, ov_pose b) {
    return same_vec3(a.position, b.position) && same_number(a.rotation.w, b.rotation.w) &&
           same_number(a.rotation.x, b.rotation.x) && same_number(a.rotation.y, b.rotation.y) &&
           same_number(a.rotation.z, b.rotation.z);
}

/** Equal in everything that a query looks at. */
static bool same_shape(const ov_shape *a, const ov_shape *b) {
    bool same = a->kind == b->kind && same_vec3(a->a, b->a) && same_number(a->e1, b->e1) &&
                same_number(a->e2, b->e2) && same_number(a->tx, b->tx) &&
                same_number(a->ty, b->ty) && same_number(a->dent, b->dent) &&
                same_vec3(a->ball.centre, b->ball.centre) &&
                same_number(a->ball.radius, b->ball.radius) &&
                memcmp(&a->derived, &b->derived, sizeof a->derived) == 0;
    int corners = a->kind == OV_SHAPE_KIND_TRIANGLE  ? 3
                  : a->kind == OV_SHAPE_KIND_SEGMENT ? 2
                  : a->kind == OV_SHAPE_KIND_POINT   ? 1
                                                     : 0;
    for (int i = 0; i < corners && same; i++) {
        same = same_vec3(a->u.vertices[i], b->u.vertices[i]);
    }
    if (a->kind == OV_SHAPE_KIND_HALFSPACE) {
        same = same && same_vec3(a->u.halfspace.normal, b->u.halfspace.normal) &&
               same_number(a->u.halfspace.offset, b->u.halfspace.offset);
    }
    if (a->kind == OV_SHAPE_KIND_POLYHEDRON) {
        size_t vertices = a->u.polyhedron.vertex_count, triangles = a->u.polyhedron.triangle_count;
        same = same && vertices == b->u.polyhedron.vertex_count &&
               triangles == b->u.polyhedron.triangle_count;
        for (size_t i = 0; i < vertices && same; i++) {
            same = same_vec3(a->u.polyhedron.vertices[i], b->u.polyhedron.vertices[i]);
        }
        for (size_t i = 0; i < triangles && same; i++) {
            same = memcmp(a->u.polyhedron.triangles[i], b->u.polyhedron.triangles[i],
                          sizeof(uint32_t[3])) == 0;
        }
    }
    return same;
}

/** The one shape of a body. */
static const ov_shape *shape_of(const ov_scene *scene, size_t index) {
    const ov_scene_body *b = ov_scene_get(scene, index);
    CHECK(b->part_count == 1 && b->parts[0].mesh == NULL);
    CHECK(same_pose(b->parts[0].pose, ov_pose_identity()));
    return &b->parts[0].shape;
}

static bool same_mesh(const ov_trimesh *a, const ov_trimesh *b) {
    size_t vertices = ov_trimesh_vertex_count(a), triangles = ov_trimesh_triangle_count(a);
    bool same = vertices == ov_trimesh_vertex_count(b) && triangles == ov_trimesh_triangle_count(b);
    same = same && ov_trimesh_is_surface(a) == ov_trimesh_is_surface(b);
    for (size_t i = 0; i < vertices && same; i++) {
        same = same_vec3(ov_trimesh_vertices(a)[i], ov_trimesh_vertices(b)[i]);
    }
    for (size_t i = 0; i < triangles && same; i++) {
        same = memcmp(ov_trimesh_triangles(a)[i], ov_trimesh_triangles(b)[i],
                      sizeof(uint32_t[3])) == 0;
    }
    return same;
}

static bool same_parts(const ov_scene_body *a, const ov_scene_body *b) {
    bool same = a->part_count == b->part_count;
    for (size_t i = 0; i < a->part_count && same; i++) {
        const ov_part *p = &a->parts[i], *q = &b->parts[i];
        same = same_pose(p->pose, q->pose) && (p->mesh == NULL) == (q->mesh == NULL) &&
               (p->mesh != NULL ? same_mesh(p->mesh, q->mesh) : same_shape(&p->shape, &q->shape));
    }
    return same;
}

/* ---- good scenes ----------------------------------------------------------------------------- */

static const char all_kinds[] =
    "\xef\xbb\xbf{ \"title\": \"all \\\"kinds\\\"\", \"bodies\": [\r\n"
    "{\"name\":\"a\",\"kind\":\"sphere\",\"radius\":2},\n"
    "{\"name\":\"b\",\"kind\":\"ellipsoid\",\"semi_axes\":[1,2,3],\"position\":[1,-2,3e0]},\n"
    "{\"name\":\"c\",\"kind\":\"superellipsoid\",\"semi_axes\":[1,2,3],\"exponents\":[0.5,1.5],"
    "\"rotation\":[2,0,0,0]},\n"
    "{\"name\":\"d\",\"kind\":\"superovoid\",\"semi_axes\":[1,1,1.5],\"exponents\":[1,0.8],"
    "\"taper\":[0.2,0.2],\"rotation\":{\"axis\":[0,0,3],\"angle_deg\":90}},\n"
    "{\"name\":\"e\",\"kind\":\"halfspace\",\"normal\":[0,0,2],\"offset\":-1},\n"
    "{\"name\":\"f\",\"kind\":\"box\",\"half_extents\":[1,2,3]},\n"
    "{\"name\":\"g\",\"kind\":\"capsule\",\"radius\":1,\"half_length\":0},\n"
    "{\"name\":\"h\",\"kind\":\"cylinder\",\"radius\":1,\"half_length\":2},\n"
    "{\"name\":\"i\",\"kind\":\"cone\",\"radius\":1,\"half_length\":2},\n"
    "{\"name\":\"j\",\"kind\":\"triangle\",\"vertices\":[[0,0,0],[1,0,0],[0,1,0]]},\n"
    "{\"name\":\"k\",\"kind\":\"segment\",\"vertices\":[[0,0,0],[1,0,0]]},\n"
    "{\"name\":\"l\",\"kind\":\"point\",\"vertices\":[[1,2,3]]},\n"
    "{\"name\":\"m\",\"kind\":\"polyhedron\","
    "\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1],[0.1,0.1,0.1]]},\n"
    "{\"kind\":\"box\",\"parameters\":{\"hx\":1,\"hy\":2,\"hz\":3}},\n"
    "{\"name\":\"\xc3\xbc\",\"kind\":\"polyhedron\",\"triangles\":[],"
    "\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]},\n"
    "{\"name\":\"n\",\"kind\":\"mesh\",\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[5,5,5]],"
    "\"triangles\":[[0,1,2],[1,1,2]],\"scale\":[2,-1,1],\"position\":[1,1,1]},\n"
    "{\"name\":\"o\",\"kind\":\"compound\",\"position\":[0,0,7],\"parts\":[\n"
    "{\"kind\":\"sphere\",\"radius\":1,\"position\":[0,0,1]},\n"
    "{\"kind\":\"box\",\"parameters\":{\"hx\":1,\"hy\":2,\"hz\":3},\"rotation\":[0,3,0,0]},\n"
    "{\"kind\":\"mesh\",\"vertices\":[[0,0,0]],\"triangles\":[[0,0,0]]},\n"
    "{\"kind\":\"polyhedron\",\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]}]},\n"
    "{\"name\":\"p\",\"kind\":\"compound\",\"parts\":[{\"kind\":\"sphere\",\"radius\":3}]}]}\n";

static void good_scene(void) {
    ov_scene *scene = NULL;
    ov_fault fault = {OV_FAULT_PLACE_ROW, 9, "left over"};
    if (!CHECK_OK(read_text(all_kinds, sizeof all_kinds - 1, &scene, &fault))) {
        fprintf(stderr, "line %zu: %s\n", fault.index, fault.text);
        return;
    }
    CHECK(fault.index == 0 && fault.text[0] == '\0');
    CHECK(strcmp(ov_scene_title(scene), "all \"kinds\"") == 0);
    CHECK(ov_scene_count(scene) == 18 && ov_scene_get(scene, 18) == NULL);
    CHECK(strcmp(ov_scene_get(scene, 3)->name, "d") == 0);
    CHECK(strcmp(ov_scene_get(scene, 13)->name, "body 14") == 0);
    CHECK(strcmp(ov_scene_get(scene, 14)->name, "\xc3\xbc") == 0);
    CHECK(shape_of(scene, 0)->a.x == 2.0);
    CHECK(ov_scene_get(scene, 1)->pose.position.y == -2.0);
    CHECK(ov_scene_get(scene, 2)->pose.rotation.w == 1.0);
    CHECK_NEAR(ov_scene_get(scene, 3)->pose.rotation.z, sqrt(0.5), 1e-15);
    CHECK(shape_of(scene, 4)->u.halfspace.normal.z == 1.0);
    CHECK(shape_of(scene, 4)->u.halfspace.offset == -1.0);
    CHECK(shape_of(scene, 12)->u.polyhedron.vertex_count == 4);
    CHECK(shape_of(scene, 12)->u.polyhedron.triangle_count == 4);
    CHECK(shape_of(scene, 14)->u.polyhedron.triangle_count == 0);
    const ov_scene_body *mesh = ov_scene_get(scene, 15), *many = ov_scene_get(scene, 16);
    CHECK(mesh->part_count == 1 && mesh->parts[0].mesh != NULL && mesh->pose.position.x == 1.0);
    CHECK(ov_trimesh_vertex_count(mesh->parts[0].mesh) == 4);
    CHECK(ov_trimesh_triangle_count(mesh->parts[0].mesh) == 2);
    CHECK(same_vec3(ov_trimesh_vertices(mesh->parts[0].mesh)[3], ov_vec3_make(10.0, -5.0, 5.0)));
    // mirrored, so that the outside stays where it was
    CHECK(ov_trimesh_triangles(mesh->parts[0].mesh)[0][1] == 2);
    CHECK(many->part_count == 4 && many->pose.position.z == 7.0);
    CHECK(many->parts[0].pose.position.z == 1.0 && many->parts[0].shape.a.x == 1.0);
    CHECK(many->parts[1].pose.rotation.x == 1.0 && many->parts[1].shape.a.z == 3.0);
    CHECK(many->parts[2].mesh != NULL && many->parts[3].mesh == NULL);
    CHECK(many->parts[3].shape.u.polyhedron.triangle_count == 4);
    // one part in the body's frame is the same as that part as a body
    CHECK(shape_of(scene, 17)->a.x == 3.0);
    // both ways to write a shape mean the same
    CHECK(same_shape(shape_of(scene, 5), shape_of(scene, 13)));
    ov_scene_destroy(scene);
    ov_scene_destroy(NULL);
    CHECK(ov_scene_count(NULL) == 0 && ov_scene_get(NULL, 0) == NULL);
    CHECK(ov_scene_title(NULL)[0] == '\0');
}

/** Scenes that other programs may write, and ours does not. */
static void odd_scenes(void) {
    static const char *const texts[] = {
        "{\"bodies\":[]}",
        "{\"bodies\":[],\"title\":\"\"}",
        "{\"ovoid\":1,\"bodies\":[]}",
        "\n\n{\n\"bodies\"\n:\n[\n]\n}\n\n",
        "{\"bodies\":[{\"kind\":\"sphere\",\"radius\":1e0},{\"kind\":\"sphere\",\"radius\":1E+0}]}",
        "{\"bodies\":[{\"kind\":\"sphere\",\"radius\":100000000000000000000}]}",
        "{\"bodies\":[{\"k\\u0069nd\":\"sphere\",\"radius\":1}]}",
        ("{\"bodies\":[{\"kind\":\"sphere\",\"radius\":1,\"rotation\":"
         "{\"axis\":[0,0,1e-300],\"angle_deg\":1e300}}]}"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ov_scene *scene = NULL;
        CHECK_OK(read_text(texts[i], strlen(texts[i]), &scene, NULL));
        ov_scene_destroy(scene);
    }
}

/* ---- round trips ----------------------------------------------------------------------------- */

static ov_vec3 random_point(check_random *r, double reach) {
    return ov_vec3_make(check_uniform(r, -reach, reach), check_uniform(r, -reach, reach),
                        check_uniform(r, -reach, reach));
}

static ov_vec3 random_sizes(check_random *r) {
    return ov_vec3_make(check_log_uniform(r, 1e-3, 1e3), check_log_uniform(r, 1e-3, 1e3),
                        check_log_uniform(r, 1e-3, 1e3));
}

/** A random shape of a kind; the hull, if any, must outlive it. */
static ov_status random_shape(check_random *r, ov_shape_kind kind, ov_hull **hull,
                              ov_shape *shape) {
    ov_vec3 a = random_sizes(r), points[12];
    double e1 = check_uniform(r, 0.05, 2.0), e2 = check_uniform(r, 0.05, 2.0);
    for (int i = 0; i < 12; i++) {
        points[i] = random_point(r, 2.0);
    }
    switch (kind) {
    case OV_SHAPE_KIND_SPHERE:
        return ov_shape_make_sphere(a.x, shape);
    case OV_SHAPE_KIND_ELLIPSOID:
        return ov_shape_make_ellipsoid(a, shape);
    case OV_SHAPE_KIND_SUPERELLIPSOID:
        return ov_shape_make_superellipsoid(a, e1, e2, shape);
    case OV_SHAPE_KIND_SUPEROVOID: {
        // also dents that the reader refuses unless the file allows them; few are deeper still
        ov_shape_options all = {1.0};
        ov_status status = OV_ERROR_DENT;
        for (int i = 0; i < 50 && status == OV_ERROR_DENT; i++) {
            status = ov_shape_make_superovoid(a, e1, e2, check_uniform(r, -0.9, 0.9),
                                              check_uniform(r, -0.9, 0.9), &all, shape);
        }
        return status;
    }
    case OV_SHAPE_KIND_HALFSPACE:
        return ov_shape_make_halfspace(points[0], points[1].x, shape);
    case OV_SHAPE_KIND_BOX:
        return ov_shape_make_box(a, shape);
    case OV_SHAPE_KIND_CAPSULE:
        return ov_shape_make_capsule(a.x, a.y, shape);
    case OV_SHAPE_KIND_CYLINDER:
        return ov_shape_make_cylinder(a.x, a.y, shape);
    case OV_SHAPE_KIND_CONE:
        return ov_shape_make_cone(a.x, a.y, shape);
    case OV_SHAPE_KIND_TRIANGLE:
        return ov_shape_make_triangle(points[0], points[1], points[2], shape);
    case OV_SHAPE_KIND_SEGMENT:
        return ov_shape_make_segment(points[0], points[1], shape);
    case OV_SHAPE_KIND_POINT:
        return ov_shape_make_point(points[0], shape);
    default:
        if (ov_hull_create(points, 12, hull) != OV_OK) {
            return OV_ERROR_DEGENERATE;
        }
        return ov_hull_shape(*hull, shape);
    }
}

static bool same_files(const char *first, const char *second) {
    FILE *a = fopen(first, "rb"), *b = fopen(second, "rb");
    int c = 0, d = 0;
    while (a != NULL && b != NULL && c == d && c != EOF) {
        c = getc(a);
        d = getc(b);
    }
    bool same = a != NULL && b != NULL && c == d;
    if (a != NULL) {
        (void)fclose(a);
    }
    if (b != NULL) {
        (void)fclose(b);
    }
    return same;
}

/** A body with a mesh and copies of the parts of all bodies before it, at other poses. */
static void add_compound(check_random *r, ov_scene *scene) {
    ov_part parts[OV_SHAPE_KIND_COUNT + 1];
    ov_trimesh *mesh = NULL;
    ov_vec3 points[7];
    uint32_t triangles[9][3];
    size_t count = 0;
    for (int i = 0; i < 7; i++) {
        points[i] = random_point(r, 10.0);
    }
    for (int i = 0; i < 27; i++) {
        triangles[i / 3][i % 3] = (uint32_t)(check_random_bits(r) % 7);
    }
    CHECK_OK((check_random_bits(r) % 2 == 0 ? ov_trimesh_create : ov_trimesh_create_surface)(
        points, 7, (const uint32_t(*)[3])triangles, 9, NULL, &mesh));
    for (; count < ov_scene_count(scene); count++) {
        parts[count] = ov_scene_get(scene, count)->parts[0];
        parts[count].pose = (ov_pose){random_point(r, 5.0), check_rotation(r)};
    }
    // a negative zero is written as zero
    parts[0].pose = ov_pose_identity();
    parts[0].pose.position.x = -0.0;
    parts[count++] = (ov_part){.mesh = mesh, .pose = {random_point(r, 5.0), check_rotation(r)}};
    CHECK_OK(ov_scene_add_body(scene, "all", parts, count, ov_pose_identity()));
    CHECK_OK(ov_scene_add_body(scene, "one", parts, 1, ov_pose_identity()));
    parts[count - 1].pose = ov_pose_identity();
    CHECK_OK(ov_scene_add_body(scene, "mesh", &parts[count - 1], 1, ov_pose_identity()));
    const ov_scene_body *b = ov_scene_get(scene, ov_scene_count(scene) - 3);
    CHECK(b->part_count == count && b->parts[count - 1].mesh != mesh);
    CHECK(same_mesh(b->parts[count - 1].mesh, mesh));
    ov_trimesh_destroy(mesh);
}

static void round_trip(void) {
    check_random r = check_random_make(1);
    for (int round = 0; round < 40; round++) {
        ov_scene *scene = NULL, *again = NULL;
        ov_hull *hulls[OV_SHAPE_KIND_CUSTOM] = {NULL};
        ov_fault fault;
        CHECK_OK(ov_scene_create("round \"trip\" \\", &scene));
        for (int kind = OV_SHAPE_KIND_SPHERE; kind < OV_SHAPE_KIND_CUSTOM; kind++) {
            ov_shape shape;
            ov_pose pose = {random_point(&r, 1e3), check_rotation(&r)};
            char name[32];
            (void)snprintf(name, sizeof name, "%s %d", ov_shape_kind_name((ov_shape_kind)kind),
                           round);
            if (CHECK_OK(random_shape(&r, (ov_shape_kind)kind, &hulls[kind], &shape))) {
                CHECK_OK(ov_scene_add(scene, name, &shape, pose));
                const ov_scene_body *b = ov_scene_get(scene, ov_scene_count(scene) - 1);
                CHECK(same_shape(&b->parts[0].shape, &shape) &&
                      same_vec3(b->pose.position, pose.position));
                CHECK_NEAR(b->pose.rotation.w, pose.rotation.w, 4.0 * DBL_EPSILON);
            }
            // the scene has copies of its own
            ov_hull_destroy(hulls[kind]);
        }
        add_compound(&r, scene);
        CHECK_OK(ov_scene_write("round.json", scene));
        if (!CHECK_OK(ov_scene_read("round.json", &again, &fault))) {
            fprintf(stderr, "line %zu: %s\n", fault.index, fault.text);
            ov_scene_destroy(scene);
            continue;
        }
        CHECK(strcmp(ov_scene_title(scene), ov_scene_title(again)) == 0);
        CHECK(ov_scene_count(scene) == ov_scene_count(again));
        for (size_t i = 0; i < ov_scene_count(again); i++) {
            const ov_scene_body *p = ov_scene_get(scene, i), *q = ov_scene_get(again, i);
            if (!CHECK(strcmp(p->name, q->name) == 0 && same_parts(p, q) &&
                       same_pose(p->pose, q->pose))) {
                fprintf(stderr, "  %s\n", p->name);
            }
        }
        CHECK_OK(ov_scene_write("again.json", again));
        CHECK(same_files("round.json", "again.json"));
        ov_scene_destroy(scene);
        ov_scene_destroy(again);
    }
    CHECK(unlink("round.json") == 0 && unlink("again.json") == 0);
}

/* ---- bad scenes ------------------------------------------------------------------------------ */

static void bad_scenes(void) {
    static const struct {
        const char *text;
        ov_status status;
        size_t line;
        const char *says;
    } bad[] = {
        {"", OV_ERROR_FILE_FORMAT, 1, "empty"},
        {"   \n", OV_ERROR_FILE_FORMAT, 2, ""},
        {"[]", OV_ERROR_FILE_FORMAT, 1, "must be an object"},
        {"{}", OV_ERROR_FILE_FORMAT, 1, "needs 'bodies'"},
        {"<?xml version=\"1.0\"?>\n<!-- an arm -->\n<robot name=\"arm\"/>", OV_ERROR_FILE_FORMAT, 1,
         "this is a URDF; a scene is expected"},
        {"<robot><xacro:include filename=\"a\"/></robot>", OV_ERROR_FILE_FORMAT, 1,
         "this is a xacro, to be expanded first; a scene is expected"},
        {"<!DOCTYPE sdf>\n<sdf/>", OV_ERROR_FILE_FORMAT, 1,
         "this is SDFormat; a scene is expected"},
        {"ply\n", OV_ERROR_FILE_FORMAT, 1, "this is a PLY mesh; a scene is expected"},
        {"<!-- no end", OV_ERROR_FILE_FORMAT, 1, "'[' or '{' expected"},
        {"{\"time\": [0, 1],\n\"bodies\":[]}", OV_ERROR_FILE_FORMAT, 1,
         "this is a scene in motion, with 'time'; a scene at rest is expected"},
        {"{\"bodies\":3}", OV_ERROR_FILE_FORMAT, 1, "needs 'bodies', a list"},
        {"{\"bodies\":[}", OV_ERROR_FILE_FORMAT, 1, "unexpected"},
        {"{\"bodies\":[]} x", OV_ERROR_FILE_FORMAT, 1, "end of file"},
        {"{\n\"bodys\":[]}", OV_ERROR_FILE_FORMAT, 2, "did you mean 'bodies'"},
        {"{\n\"bodies\":[],\n\"bodies\":[]}", OV_ERROR_FILE_FORMAT, 3, "duplicate"},
        {"{\"bodies\":[],\n\"title\":3}", OV_ERROR_FILE_FORMAT, 2, "'title'"},
        {"{\"bodies\":[],\"title\":\"\\u0007\"}", OV_ERROR_NAME, 1, "'title'"},
        {"{\"bodies\":[],\n\"ovoid\":2,\"new\":0}", OV_ERROR_FILE_FORMAT, 2,
         "a scene of version 2; versions up to 1 are known"},
        {"{\"bodies\":[],\n\"ovoid\":0}", OV_ERROR_FILE_FORMAT, 2, "'ovoid' must be the version"},
        {"{\"bodies\":[],\"ovoid\":1.5}", OV_ERROR_FILE_FORMAT, 1, "'ovoid' must be the version"},
        {"{\"bodies\":[],\"ovoid\":\"1\"}", OV_ERROR_FILE_FORMAT, 1, "must be the version"},
        {"{\"bodies\":[\n3]}", OV_ERROR_FILE_FORMAT, 2, "body 1: must be an object"},
        {"{\"bodies\":[\n{}]}", OV_ERROR_FILE_FORMAT, 2, "body 1: needs a 'kind'"},
        {"{\"bodies\":[{\"kind\":7}]}", OV_ERROR_FILE_FORMAT, 1, "needs a 'kind'"},
        {"{\"bodies\":[{\n\"kind\":\"sfere\"}]}", OV_ERROR_FILE_FORMAT, 2,
         "did you mean 'sphere'?"},
        {"{\"bodies\":[{\"kind\":\"tesseract\"}]}", OV_ERROR_FILE_FORMAT, 1, "known are: sphere"},
        {"{\"bodies\":[{\"kind\":\"supertoroid\"}]}", OV_ERROR_UNSUPPORTED, 1, "convex"},
        {"{\"bodies\":[{\"kind\":\"custom\"}]}", OV_ERROR_UNSUPPORTED, 1, "cannot be in a scene"},
        {"{\"bodies\":[{\"kind\":\"sphere\"}]}", OV_ERROR_FILE_FORMAT, 1, "needs 'radius'"},
        {"{\"bodies\":[{\"kind\":\"sphere\",\n\"radius\":\"1\"}]}", OV_ERROR_FILE_FORMAT, 2,
         "must be a number"},
        {"{\"bodies\":[{\"kind\":\"sphere\",\"radius\":[1]}]}", OV_ERROR_FILE_FORMAT, 1,
         "must be a number"},
        {"{\"bodies\":[{\"kind\":\"sphere\",\n\n\"radius\":-1}]}", OV_ERROR_SIZE_NOT_POSITIVE, 3,
         "above zero"},
        {"{\"bodies\":[{\"kind\":\"sphere\",\"radius\":1e999}]}", OV_ERROR_FILE_FORMAT, 1,
         "overflow"},
        {"{\"bodies\":[{\"kind\":\"sphere\",\"radius\":NaN}]}", OV_ERROR_FILE_FORMAT, 1, ""},
        {"{\"bodies\":[{\"kind\":\"sphere\",\"radius\":1e80}]}", OV_ERROR_SIZE_RANGE, 1, "1e60"},
        {"{\"bodies\":[{\"kind\":\"sphere\",\"radius\":1},\n{\"kind\":\"sphere\",\n"
         "\"radios\":1}]}",
         OV_ERROR_FILE_FORMAT, 3, "unknown key 'radios' of a sphere; did you mean 'radius'?"},
        {"{\"bodies\":[{\"kind\":\"sphere\",\"radius\":1,\"xyzzy\":1}]}", OV_ERROR_FILE_FORMAT, 1,
         "known are: name kind position rotation radius"},
        {"{\"bodies\":[{\"kind\":\"sphere\",\"radius\":1,\"radius\":1}]}", OV_ERROR_FILE_FORMAT, 1,
         "duplicate"},
        {"{\"bodies\":[{\"kind\":\"ellipsoid\",\"semi_axes\":[1,2]}]}", OV_ERROR_FILE_FORMAT, 1,
         "a list of 3 numbers"},
        {"{\"bodies\":[{\"kind\":\"ellipsoid\",\"semi_axes\":[1,2,null]}]}", OV_ERROR_FILE_FORMAT,
         1, "a list of 3 numbers"},
        {"{\"bodies\":[{\"kind\":\"superellipsoid\",\"semi_axes\":[1,1,1],\n\"exponents\":[1,3]}]}",
         OV_ERROR_EXPONENT, 2, "exponents"},
        {"{\"bodies\":[{\"kind\":\"superovoid\",\"semi_axes\":[1,1,1],\"exponents\":[1,0.5],\n"
         "\"taper\":[0.9,-0.9]}]}",
         OV_ERROR_DENT, 2, "convex"},
        {"{\"bodies\":[{\"kind\":\"superovoid\",\"semi_axes\":[1,1,1],\"exponents\":[1,1],"
         "\"taper\":[0,0],\n\"dent_tolerance\":2}]}",
         OV_ERROR_FILE_FORMAT, 2, "0 to 1"},
        {"{\"bodies\":[{\"kind\":\"segment\",\"vertices\":[[0,0,0]]}]}", OV_ERROR_FILE_FORMAT, 1,
         "a list of 2 points"},
        {"{\"bodies\":[{\"kind\":\"segment\",\"vertices\":[[0,0,0],[0,0]]}]}", OV_ERROR_FILE_FORMAT,
         1, "a list of 2 points"},
        {"{\"bodies\":[{\"kind\":\"segment\",\"vertices\":[[0,0,0],[0,0,0]]}]}",
         OV_ERROR_DEGENERATE, 1, "coincide"},
        {"{\"bodies\":[{\"kind\":\"halfspace\",\"normal\":[0,0,0],\"offset\":0}]}",
         OV_ERROR_ZERO_DIRECTION, 1, "no length"},
        {"{\"bodies\":[{\"kind\":\"box\",\"parameters\":{\"hx\":1,\"hy\":2}}]}",
         OV_ERROR_FILE_FORMAT, 1, "parameter 'hz' must be a number"},
        {"{\"bodies\":[{\"kind\":\"box\",\"parameters\":{\"hx\":1,\"hy\":2,\"h3\":3}}]}",
         OV_ERROR_FILE_FORMAT, 1, "unknown parameter 'h3'"},
        {"{\"bodies\":[{\"kind\":\"box\",\"parameters\":[1,2,3]}]}", OV_ERROR_FILE_FORMAT, 1,
         "must be an object"},
        {"{\"bodies\":[{\"kind\":\"box\",\"half_extents\":[1,1,1],\"parameters\":{}}]}",
         OV_ERROR_FILE_FORMAT, 1, "unknown key 'half_extents'"},
        {"{\"bodies\":[{\"kind\":\"sphere\",\"radius\":1,\n\"position\":[1,2]}]}",
         OV_ERROR_FILE_FORMAT, 2, "'position' must be"},
        {"{\"bodies\":[{\"kind\":\"sphere\",\"radius\":1,\n\"rotation\":[0,0,0,0]}]}",
         OV_ERROR_ZERO_DIRECTION, 2, "no length"},
        {"{\"bodies\":[{\"kind\":\"sphere\",\"radius\":1,\n\"rotation\":[1,0,0]}]}",
         OV_ERROR_FILE_FORMAT, 2, "quaternion"},
        {"{\"bodies\":[{\"kind\":\"sphere\",\"radius\":1,\"rotation\":{\"axis\":[0,0,1]}}]}",
         OV_ERROR_FILE_FORMAT, 1, "'angle_deg'"},
        {"{\"bodies\":[{\"kind\":\"sphere\",\"radius\":1,\"rotation\":"
         "{\"axis\":[0,0,0],\"angle_deg\":1}}]}",
         OV_ERROR_ZERO_DIRECTION, 1, "axis has no length"},
        {"{\"bodies\":[{\"kind\":\"sphere\",\"radius\":1,\"rotation\":"
         "{\"axis\":[0,0,1],\"angle\":1}}]}",
         OV_ERROR_FILE_FORMAT, 1, "unknown key 'angle'"},
        {"{\"bodies\":[{\"kind\":\"sphere\",\"radius\":1,\"name\":\"\"}]}", OV_ERROR_NAME, 1,
         "'name' must be"},
        {"{\"bodies\":[{\"kind\":\"sphere\",\"radius\":1,\"name\":\"a\\nb\"}]}", OV_ERROR_NAME, 1,
         "'name' must be"},
        {"{\"bodies\":[{\"kind\":\"sphere\",\"radius\":1,\"name\":\"a\\u0000b\"}]}",
         OV_ERROR_FILE_FORMAT, 1, ""},
        {"{\"bodies\":[{\"kind\":\"sphere\",\"radius\":1,\"name\":\"\xff\"}]}",
         OV_ERROR_FILE_FORMAT, 1, "byte 0xff"},
        {"{\"bodies\":[{\"kind\":\"sphere\",\"radius\":1,\"name\":\"x\"},\n"
         "{\"kind\":\"sphere\",\"radius\":1,\n\"name\":\"x\"}]}",
         OV_ERROR_NAME, 3, "already the name of body 1"},
        {"{\"bodies\":[{\"kind\":\"sphere\",\"radius\":1,\"name\":\"body 2\"},\n"
         "{\"kind\":\"sphere\",\"radius\":1}]}",
         OV_ERROR_NAME, 2, "already the name of body 1"},
        {"{\"bodies\":[{\"kind\":\"polyhedron\"}]}", OV_ERROR_FILE_FORMAT, 1, "needs 'vertices'"},
        {"{\"bodies\":[{\"kind\":\"polyhedron\",\"vertices\":3}]}", OV_ERROR_FILE_FORMAT, 1,
         "'vertices' of a polyhedron must be a list"},
        {"{\"bodies\":[{\"kind\":\"polyhedron\",\"vertices\":[],\"triangles\":3}]}",
         OV_ERROR_FILE_FORMAT, 1, "'triangles' of a polyhedron must be a list"},
        {"{\"bodies\":[{\"kind\":\"polyhedron\",\"vertices\":[[0,0,0],[1,0]]}]}",
         OV_ERROR_FILE_FORMAT, 1, "vertex 1"},
        {"{\"bodies\":[{\"kind\":\"polyhedron\",\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[1,1,0]]}]}",
         OV_ERROR_DEGENERATE, 1, "convex hull of 4 points"},
        {"{\"bodies\":[{\"kind\":\"polyhedron\",\"vertices\":[]}]}", OV_ERROR_COUNT, 1,
         "convex hull of 0 points"},
        {"{\"bodies\":[{\"kind\":\"polyhedron\",\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],"
         "\n\"triangles\":[[0,2,1],[0,1,3],[0,3,2],[1,2,9]]}]}",
         OV_ERROR_INDEX, 1, "does not exist"},
        {"{\"bodies\":[{\"kind\":\"polyhedron\",\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],"
         "\n\"triangles\":[[0,1,-1]]}]}",
         OV_ERROR_FILE_FORMAT, 2, "triangle 0"},
        {"{\"bodies\":[{\"kind\":\"polyhedron\",\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],"
         "\n\"triangles\":[[0,1,1.5]]}]}",
         OV_ERROR_FILE_FORMAT, 2, "triangle 0"},
        {"{\"bodies\":[{\"kind\":\"polyhedron\",\n\"file\":\"missing.txt\"}]}", OV_ERROR_FILE_OPEN,
         2, "./missing.txt: cannot be opened: No such file"},
        {"{\"bodies\":[{\"kind\":\"polyhedron\",\n\"file\":\"broken.txt\"}]}", OV_ERROR_FILE_FORMAT,
         2, "./broken.txt:2: "},
        {"{\"bodies\":[{\"kind\":\"polyhedron\",\n\"file\":3}]}", OV_ERROR_FILE_FORMAT, 2,
         "name of a file"},
        {"{\"bodies\":[{\n\"kind\":\"compount\"}]}", OV_ERROR_FILE_FORMAT, 2,
         "did you mean 'compound'?"},
        {"{\"bodies\":[{\"kind\":\"compound\"}]}", OV_ERROR_FILE_FORMAT, 1, "needs 'parts'"},
        {"{\"bodies\":[{\"kind\":\"compound\",\n\"parts\":[]}]}", OV_ERROR_FILE_FORMAT, 2,
         "at least one"},
        {"{\"bodies\":[{\"kind\":\"compound\",\n\"parts\":{}}]}", OV_ERROR_FILE_FORMAT, 2,
         "needs 'parts', a list"},
        {"{\"bodies\":[{\"kind\":\"compound\",\"radius\":1,\n\"parts\":[]}]}", OV_ERROR_FILE_FORMAT,
         1, "unknown key 'radius' of a compound"},
        {"{\"bodies\":[{\"name\":\"x\",\"kind\":\"compound\",\"parts\":[\n3]}]}",
         OV_ERROR_FILE_FORMAT, 2, "x, part 1: must be an object"},
        {"{\"bodies\":[{\"kind\":\"compound\",\"parts\":[\n{\"kind\":\"sphere\",\"radius\":1},\n"
         "{\"kind\":\"sphere\",\n\"radius\":-1}]}]}",
         OV_ERROR_SIZE_NOT_POSITIVE, 4, "body 1, part 2: "},
        {"{\"bodies\":[{\"kind\":\"compound\",\"parts\":[{\"kind\":\"sphere\",\"radius\":1,\n"
         "\"name\":\"x\"}]}]}",
         OV_ERROR_FILE_FORMAT, 2, "part 1: unknown key 'name' of a sphere"},
        {"{\"bodies\":[{\"kind\":\"compound\",\"parts\":[{\"kind\":\"sphere\",\"radius\":1,\n"
         "\"rotation\":[0,0,0,0]}]}]}",
         OV_ERROR_ZERO_DIRECTION, 2, "part 1: "},
        {"{\"bodies\":[{\"kind\":\"compound\",\"parts\":[\n{\"kind\":\"compound\",\"parts\":[]}]}]"
         "}",
         OV_ERROR_FILE_FORMAT, 2, "part 1: a part cannot be a compound"},
        {"{\"bodies\":[{\"kind\":\"mesh\"}]}", OV_ERROR_FILE_FORMAT, 1,
         "a mesh needs 'vertices' and 'triangles', or 'file'"},
        {"{\"bodies\":[{\"kind\":\"mesh\",\"vertices\":[[0,0,0]]}]}", OV_ERROR_FILE_FORMAT, 1,
         "a mesh needs"},
        {"{\"bodies\":[{\"kind\":\"mesh\",\"vertices\":[[0,0,0]],\"triangles\":[],\"file\":\"x\"}]"
         "}",
         OV_ERROR_FILE_FORMAT, 1, "a mesh needs"},
        {"{\"bodies\":[{\"kind\":\"mesh\",\"vertices\":[[0,0,0]],\n\"triangles\":[]}]}",
         OV_ERROR_COUNT, 2, "mesh of 0 triangles"},
        {"{\"bodies\":[{\"kind\":\"mesh\",\"vertices\":[[0,0,0]],\n\"triangles\":[[0,0,1]]}]}",
         OV_ERROR_INDEX, 2, "does not exist"},
        {"{\"bodies\":[{\"kind\":\"mesh\",\"vertices\":[[0,0,0]],\"triangles\":[[0,0,0]],\n"
         "\"scale\":[1,1]}]}",
         OV_ERROR_FILE_FORMAT, 2, "'scale' must be"},
        {"{\"bodies\":[{\"kind\":\"mesh\",\"vertices\":[[0,0,0]],\"triangles\":[[0,0,0]],\n"
         "\"scale\":[1,1,0]}]}",
         OV_ERROR_FILE_FORMAT, 2, "other than zero"},
        {"{\"bodies\":[{\"kind\":\"mesh\",\"vertices\":[[1e50,0,0]],\n\"triangles\":[[0,0,0]],"
         "\"scale\":[1e50,1,1]}]}",
         OV_ERROR_SIZE_RANGE, 2, "mesh of 1 triangle: "},
        {"{\"bodies\":[{\"kind\":\"mesh\",\"vertices\":[[1e200,0,0]],\n\"triangles\":[[0,0,0]],"
         "\"scale\":[1e200,1,1]}]}",
         OV_ERROR_NOT_FINITE, 2, "mesh of 1 triangle: "},
        {"{\"bodies\":[{\"kind\":\"mesh\",\n\"file\":\"missing.obj\"}]}", OV_ERROR_FILE_OPEN, 2,
         "./missing.obj: "},
        {"{\"bodies\":[{\"kind\":\"mesh\",\n\"file\":\"broken.obj\"}]}", OV_ERROR_INDEX, 2,
         "./broken.obj"},
        {"{\"bodies\":[{\"kind\":\"polyhedron\",\"file\":\"x\",\n\"scale\":[1,1,1]}]}",
         OV_ERROR_FILE_FORMAT, 2, "unknown key 'scale' of a polyhedron"},
        {"{\"bodies\":[[[[[[[[[[[[[[[[[\n[[]]]]]]]]]]]]]]]]]]]}", OV_ERROR_FILE_FORMAT, 1,
         "nested deeper than 16"},
    };
    FILE *f = fopen("broken.txt", "w");
    CHECK(f != NULL && fputs("0 0 0\n1 x 0\n", f) >= 0 && fclose(f) == 0);
    f = fopen("broken.obj", "w");
    CHECK(f != NULL && fputs("v 0 0 0\nf 1 1 2\n", f) >= 0 && fclose(f) == 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ov_scene *scene = (ov_scene *)&bad;
        ov_fault fault;
        ov_status status = read_text(bad[i].text, strlen(bad[i].text), &scene, &fault);
        bool good = CHECK_STATUS(status, bad[i].status);
        good = CHECK(scene == NULL) && good;
        good = CHECK(fault.index == bad[i].line) && good;
        if (!CHECK(strstr(fault.text, bad[i].says) != NULL && fault.text[0] != '\0') || !good) {
            fprintf(stderr, "  %s\n  line %zu: %s\n", bad[i].text, fault.index, fault.text);
        }
    }
    CHECK(unlink("broken.txt") == 0 && unlink("broken.obj") == 0);
}

static void point_files(void) {
    static const char text[] = "{\"bodies\":[{\"kind\":\"polyhedron\",\"file\":\"cloud.txt\"}]}";
    ov_scene *scene = NULL;
    CHECK(mkdir("folder", 0777) == 0);
    FILE *f = fopen("folder/cloud.txt", "w");
    CHECK(f != NULL && fputs("0 0 0\n1 0 0\n0 1 0\n0 0 1\n", f) >= 0 && fclose(f) == 0);
    f = fopen("folder/scene.json", "w");
    CHECK(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0);
    // beside the scene, wherever the program is
    CHECK_OK(ov_scene_read("folder/scene.json", &scene, NULL));
    CHECK(ov_scene_count(scene) == 1 && shape_of(scene, 0)->u.polyhedron.vertex_count == 4);
    ov_scene_destroy(scene);
    f = fopen("folder/scene.json", "r");
    CHECK_STATUS(ov_scene_read_stream(f, NULL, &scene, NULL), OV_ERROR_FILE_OPEN);
    rewind(f);
    CHECK_OK(ov_scene_read_stream(f, "folder", &scene, NULL));
    ov_scene_destroy(scene);
    CHECK(fclose(f) == 0);
    CHECK(unlink("folder/cloud.txt") == 0 && unlink("folder/scene.json") == 0 &&
          rmdir("folder") == 0);
}

static void mesh_files(void) {
    static const char text[] = "{\"bodies\":[{\"kind\":\"mesh\",\"file\":\"tent.obj\","
                               "\"scale\":[0.5,2,1]},{\"kind\":\"compound\",\"parts\":["
                               "{\"kind\":\"mesh\",\"file\":\"tent.obj\"}]}]}";
    ov_scene *scene = NULL;
    FILE *f = fopen("tent.obj", "w");
    CHECK(f != NULL && fputs("v 0 0 0\nv 2 0 0\nv 0 3 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n", f) >= 0 &&
          fclose(f) == 0);
    if (CHECK_OK(read_text(text, sizeof text - 1, &scene, NULL))) {
        const ov_trimesh *a = ov_scene_get(scene, 0)->parts[0].mesh;
        const ov_trimesh *b = ov_scene_get(scene, 1)->parts[0].mesh;
        CHECK(ov_trimesh_vertex_count(a) == 4 && ov_trimesh_triangle_count(a) == 2);
        CHECK(ov_trimesh_vertices(a)[1].x == 1.0 && ov_trimesh_vertices(a)[2].y == 6.0);
        CHECK(ov_trimesh_triangles(a)[0][1] == 1);
        CHECK(ov_trimesh_vertices(b)[1].x == 2.0 && ov_trimesh_vertices(b)[2].y == 3.0);
    }
    ov_scene_destroy(scene);
    CHECK(unlink("tent.obj") == 0);
}

/** As many parts as a body may have, and one more. */
static void part_limit(void) {
    enum { MOST = 10000 };
    ov_scene *scene = NULL;
    ov_fault fault;
    ov_part *parts = calloc(MOST + 1, sizeof *parts);
    if (!CHECK(parts != NULL) || !CHECK_OK(ov_scene_create(NULL, &scene))) {
        return;
    }
    for (int i = 0; i <= MOST; i++) {
        CHECK_OK(ov_shape_make_sphere(1.0 + i, &parts[i].shape));
        parts[i].pose = ov_pose_identity();
    }
    CHECK_OK(ov_scene_add_body(scene, "a", parts, MOST, ov_pose_identity()));
    CHECK_STATUS(ov_scene_add_body(scene, "b", parts, MOST + 1, ov_pose_identity()),
                 OV_ERROR_COUNT);
    CHECK_STATUS(ov_scene_add_body(scene, "b", parts, 0, ov_pose_identity()), OV_ERROR_COUNT);
    CHECK(ov_scene_count(scene) == 1 && ov_scene_get(scene, 0)->part_count == MOST);
    CHECK(ov_scene_get(scene, 0)->parts[MOST - 1].shape.a.x == (double)MOST);
    free(parts);
    ov_scene_destroy(scene);
    size_t size = (MOST + 2) * 32, used;
    char *text = malloc(size);
    if (!CHECK(text != NULL)) {
        return;
    }
    used = (size_t)snprintf(text, size, "{\"bodies\":[{\"kind\":\"compound\",\n\"parts\":[");
    for (int i = 0; i <= MOST; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s{\"kind\":\"sphere\",\"radius\":1}",
                                 i > 0 ? "," : "");
    }
    used += (size_t)snprintf(text + used, size - used, "]}]}");
    CHECK_STATUS(read_text(text, used, &scene, &fault), OV_ERROR_COUNT);
    CHECK(scene == NULL && fault.index == 2 && strstr(fault.text, "10001 parts") != NULL);
    free(text);
}

static void limits(void) {
    ov_scene *scene = NULL;
    ov_fault fault;
    size_t count = OV_SCENE_BODIES_MAX + 1, size = 48 * count + 64, used;
    char *text = malloc(size > OV_SCENE_BYTES_MAX + 2 ? size : OV_SCENE_BYTES_MAX + 2);
    if (!CHECK(text != NULL)) {
        return;
    }
    for (int more = 0; more < 2; more++) {
        used = (size_t)snprintf(text, size, "{\"bodies\":[");
        for (size_t i = 0; i < count - 1 + (size_t)more; i++) {
            used +=
                (size_t)snprintf(text + used, size - used,
                                 "%s{\"kind\":\"point\",\"vertices\":[[1,2,3]]}", i > 0 ? "," : "");
        }
        used += (size_t)snprintf(text + used, size - used, "]}");
        CHECK_STATUS(read_text(text, used, &scene, &fault), more == 0 ? OV_OK : OV_ERROR_COUNT);
        CHECK(ov_scene_count(scene) == (more == 0 ? OV_SCENE_BODIES_MAX : 0));
        if (more == 0) {
            ov_shape point;
            CHECK_OK(ov_shape_make_point(ov_vec3_make(0.0, 0.0, 0.0), &point));
            CHECK_STATUS(ov_scene_add(scene, "one more", &point, ov_pose_identity()),
                         OV_ERROR_COUNT);
        }
        ov_scene_destroy(scene);
    }
    memset(text, ' ', OV_SCENE_BYTES_MAX + 1);
    memcpy(text, "{\"bodies\":[]}", 13);
    CHECK_OK(read_text(text, OV_SCENE_BYTES_MAX, &scene, &fault));
    ov_scene_destroy(scene);
    CHECK_STATUS(read_text(text, OV_SCENE_BYTES_MAX + 1, &scene, &fault), OV_ERROR_COUNT);
    CHECK(scene == NULL && strstr(fault.text, "longer than") != NULL);
    memset(text, '[', OV_SCENE_BYTES_MAX);
    CHECK_STATUS(read_text(text, OV_SCENE_BYTES_MAX, &scene, &fault), OV_ERROR_FILE_FORMAT);
    free(text);
}

/** Every beginning of a scene, and scenes with bytes changed: an answer, and never a crash. */
static void truncated_and_changed(void) {
    check_random r = check_random_make(2);
    size_t length = sizeof all_kinds - 1;
    char text[sizeof all_kinds];
    for (size_t n = 0; n + 2 < length; n++) {
        ov_scene *scene = NULL;
        ov_fault fault;
        FILE *f = fmemopen((void *)(uintptr_t)all_kinds, n == 0 ? 1 : n, "rb");
        if (!CHECK(f != NULL)) {
            continue;
        }
        CHECK(ov_scene_read_stream(f, NULL, &scene, &fault) < 0);
        CHECK(scene == NULL && fault.text[0] != '\0');
        (void)fclose(f);
    }
    for (int i = 0; i < 4000; i++) {
        ov_scene *scene = NULL;
        ov_fault fault;
        memcpy(text, all_kinds, length);
        for (int k = 0; k < 1 + i % 3; k++) {
            static const char letters[] = "0123456789-.eE[]{},:\" \n\\ntf\x01\xc3";
            text[check_random_bits(&r) % length] =
                i % 2 == 0 ? (char)check_random_bits(&r)
                           : letters[check_random_bits(&r) % (sizeof letters - 1)];
        }
        FILE *f = fmemopen(text, length, "rb");
        if (!CHECK(f != NULL)) {
            continue;
        }
        ov_status status = ov_scene_read_stream(f, NULL, &scene, &fault);
        CHECK(status == OV_OK ? scene != NULL && fault.text[0] == '\0'
                              : scene == NULL && fault.text[0] != '\0');
        for (size_t k = 0; k < ov_scene_count(scene); k++) {
            const ov_scene_body *b = ov_scene_get(scene, k);
            CHECK(ov_vec3_is_finite(b->pose.position) && isfinite(b->pose.rotation.w));
        }
        ov_scene_destroy(scene);
        (void)fclose(f);
    }
}

/* ---- calls that must fail -------------------------------------------------------------------- */

static ov_vec3 origin_only(const void *user, ov_vec3 direction) {
    (void)user;
    return ov_vec3_scale(direction, 0.0);
}

static void bad_calls(void) {
    ov_scene *scene = NULL;
    ov_fault fault;
    ov_shape sphere, ring, custom;
    ov_pose pose = ov_pose_identity(), zero = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}};
    ov_ball ball = {{0.0, 0.0, 0.0}, 1.0};
    char longest[OV_SCENE_NAME_MAX + 2];
    memset(longest, 'x', sizeof longest);
    longest[OV_SCENE_NAME_MAX + 1] = '\0';
    CHECK_OK(ov_shape_make_sphere(1.0, &sphere));
    CHECK_OK(ov_shape_make_supertoroid(ov_vec3_make(1.0, 1.0, 1.0), 1.0, 1.0, 2.0, &ring));
    CHECK_OK(ov_shape_make_custom(origin_only, NULL, ball, &custom));
    CHECK_STATUS(ov_scene_create(longest, &scene), OV_ERROR_NAME);
    CHECK(scene == NULL);
    CHECK_STATUS(ov_scene_create("x", NULL), OV_ERROR_NULL);
    CHECK_OK(ov_scene_create(NULL, &scene));
    CHECK_STATUS(ov_scene_add(NULL, "a", &sphere, pose), OV_ERROR_NULL);
    CHECK_STATUS(ov_scene_add(scene, NULL, &sphere, pose), OV_ERROR_NULL);
    CHECK_STATUS(ov_scene_add(scene, "a", NULL, pose), OV_ERROR_NULL);
    CHECK_STATUS(ov_scene_add(scene, longest, &sphere, pose), OV_ERROR_NAME);
    CHECK_STATUS(ov_scene_add(scene, "", &sphere, pose), OV_ERROR_NAME);
    CHECK_STATUS(ov_scene_add(scene, "\xc2\x85", &sphere, pose), OV_ERROR_NAME);
    CHECK_STATUS(ov_scene_add(scene, "a", &ring, pose), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_scene_add(scene, "a", &custom, pose), OV_ERROR_UNSUPPORTED);
    CHECK_STATUS(ov_scene_add(scene, "a", &sphere, zero), OV_ERROR_ZERO_DIRECTION);
    pose.position.y = (double)NAN;
    CHECK_STATUS(ov_scene_add(scene, "a", &sphere, pose), OV_ERROR_NOT_FINITE);
    CHECK(ov_scene_count(scene) == 0);
    ov_part part = {.shape = sphere, .pose = ov_pose_identity()};
    CHECK_STATUS(ov_scene_add_body(NULL, "a", &part, 1, ov_pose_identity()), OV_ERROR_NULL);
    CHECK_STATUS(ov_scene_add_body(scene, NULL, &part, 1, ov_pose_identity()), OV_ERROR_NULL);
    CHECK_STATUS(ov_scene_add_body(scene, "a", NULL, 1, ov_pose_identity()), OV_ERROR_NULL);
    part.pose = pose;
    CHECK_STATUS(ov_scene_add_body(scene, "a", &part, 1, ov_pose_identity()), OV_ERROR_NOT_FINITE);
    part = (ov_part){.shape = ring, .pose = ov_pose_identity()};
    CHECK_STATUS(ov_scene_add_body(scene, "a", &part, 1, ov_pose_identity()), OV_ERROR_UNSUPPORTED);
    CHECK(ov_scene_count(scene) == 0);
    longest[OV_SCENE_NAME_MAX] = '\0';
    CHECK_OK(ov_scene_add(scene, longest, &sphere, ov_pose_identity()));
    CHECK_STATUS(ov_scene_add(scene, longest, &sphere, ov_pose_identity()), OV_ERROR_NAME);
    CHECK(ov_scene_count(scene) == 1);

    CHECK_STATUS(ov_scene_write(NULL, scene), OV_ERROR_NULL);
    CHECK_STATUS(ov_scene_write("x.json", NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_scene_write("no/such/x.json", scene), OV_ERROR_FILE_OPEN);
    CHECK_STATUS(ov_scene_write("", scene), OV_ERROR_FILE_OPEN);
    if (access("/dev/full", W_OK) == 0) {
        CHECK_STATUS(ov_scene_write("/dev/full", scene), OV_ERROR_FILE_WRITE);
    }
    ov_scene_destroy(scene);
    CHECK_STATUS(ov_scene_read(NULL, &scene, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_scene_read("x.json", NULL, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_scene_read_stream(NULL, NULL, &scene, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_scene_read("missing.json", &scene, &fault), OV_ERROR_FILE_OPEN);
    CHECK(scene == NULL && strcmp(fault.text, "cannot be opened") == 0);
    CHECK_STATUS(ov_scene_read(".", &scene, &fault), OV_ERROR_FILE_READ);
}

int main(void) {
    check_suite = "io_scene";
    char folder[] = "test_io_scene_XXXXXX";
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        perror(folder);
        return EXIT_FAILURE;
    }
    RUN(good_scene);
    RUN(odd_scenes);
    RUN(round_trip);
    RUN(bad_scenes);
    RUN(point_files);
    RUN(mesh_files);
    RUN(part_limit);
    RUN(limits);
    RUN(truncated_and_changed);
    RUN(bad_calls);
    CHECK(unlink("scene.json") == 0 && chdir("..") == 0 && rmdir(folder) == 0);
    return check_finish();
}
