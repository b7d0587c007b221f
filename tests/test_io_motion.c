/**
 * @file test_io_motion.c
 * @brief Scenes in motion: every kind of motion read, held against closed forms, and what is wrong
 * with broken files, with its place.
 */
#include <string.h>

#include <ovoid/io.h>

#include "check.h"

static ov_status read_text(const char *text, size_t length, ov_motion_scene **scene,
                           ov_fault *fault) {
    FILE *f = fopen("motion.json", "wb");
    if (!CHECK(f != NULL && fwrite(text, 1, length, f) == length && fclose(f) == 0)) {
        exit(1);
    }
    return ov_motion_scene_read("motion.json", scene, fault);
}

static ov_motion_scene *read_good(const char *text) {
    ov_motion_scene *scene;
    ov_fault fault;
    if (!CHECK_OK(read_text(text, strlen(text), &scene, &fault))) {
        fprintf(stderr, "line %zu: %s\n", fault.index, fault.text);
        exit(1);
    }
    CHECK(fault.index == 0 && fault.text[0] == '\0');
    return scene;
}

/** Where the motion of a body takes a point of the body. */
static ov_vec3 point_at(const ov_motion_scene *scene, size_t body, double time, ov_vec3 point) {
    const ov_sweep_body *b = &ov_motion_scene_bodies(scene)[body];
    ov_affine displacement;
    if (!CHECK(b->motion != NULL) || !CHECK_OK(ov_motion_at(b->motion, time, &displacement))) {
        exit(1);
    }
    return ov_affine_apply(&displacement, ov_pose_apply(b->pose, point));
}

static double worst_error;

static void check_point(ov_vec3 actual, double x, double y, double z) {
    double fault = ov_vec3_length(ov_vec3_sub(actual, ov_vec3_make(x, y, z)));
    worst_error = fmax(worst_error, fault);
    CHECK_NEAR(fault, 0.0, 1e-14);
}

/* ---- good files ------------------------------------------------------------------------------ */

static const char kinds[] =
    "{\"title\": \"all kinds\", \"time\": [1, 3], \"bodies\": [\n"
    "{\"name\": \"screw\", \"kind\": \"sphere\", \"radius\": 0.5, \"position\": [2, 0, 0],\n"
    " \"motion\": {\"screw\": {\"point\": [1, 0, 0], \"axis\": [0, 0, 2], \"angle_deg\": 180,\n"
    "                      \"travel\": 4}}},\n"
    "{\"name\": \"keys\", \"kind\": \"box\", \"half_extents\": [1, 2, 3], \"group\": 6,\n"
    " \"mask\": 4294967295, \"motion\": {\"keys\": {\"times\": [0, 2, 4], \"poses\": [\n"
    "  {\"position\": [0, 0, 0]}, {\"position\": [4, 0, 0]},\n"
    "  {\"position\": [4, 2, 0], \"rotation\": {\"axis\": [0, 0, 1], \"angle_deg\": 90}}]}}},\n"
    "{\"name\": \"rational\", \"kind\": \"capsule\", \"radius\": 1, \"half_length\": 1,\n"
    " \"motion\": {\"rational\": {\"rotations\": [[1, 0, 0, 0], [0, 0, 0, 1]],\n"
    "  \"positions\": [[0, 0, 0], [1, 0, 0], [1, 1, 0]], \"weights\": [1, 2, 1]}}},\n"
    "{\"name\": \"bezier\", \"kind\": \"polygons\", \"mask\": 0, \"no_pairs\": true,\n"
    " \"vertices\": [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]],\n"
    " \"faces\": [[0, 1, 2, 3], [0, 1, 4]],\n"
    " \"motion\": {\"bezier\": {\"controls\": [[1,0,0, 0,1,0, 0,0,1, 0,0,0],\n"
    "   [2,3,4, 5,6,7, 8,9,10, 11,12,13]], \"weights\": [1, 3]}}},\n"
    "{\"name\": \"smooth\", \"kind\": \"compound\", \"parts\": [\n"
    "  {\"kind\": \"sphere\", \"radius\": 1, \"position\": [0, 0, 3]},\n"
    "  {\"kind\": \"mesh\", \"vertices\": [[0,0,0],[1,0,0],[0,1,0]], \"triangles\": [[0,1,2]]}],\n"
    " \"motion\": {\"keys\": {\"times\": [1, 2, 3], \"spline\": \"cubic\", \"poses\": [\n"
    "  {}, {\"position\": [1, 0, 0]}, {\"position\": [2, 0, 0]}]}}},\n"
    "{\"name\": \"plane\", \"kind\": \"halfspace\", \"normal\": [0, 0, 1], \"offset\": 0,\n"
    " \"motion\": null},\n"
    "{\"kind\": \"superovoid\", \"semi_axes\": [1, 1, 1], \"exponents\": [1, 1],\n"
    " \"taper\": [0.1, 0], \"rotation\": [0, 2, 0, 0]}\n"
    "]}";

static void all_kinds(void) {
    ov_motion_scene *scene = read_good(kinds);
    const ov_sweep_body *b = ov_motion_scene_bodies(scene);
    CHECK(strcmp(ov_motion_scene_title(scene), "all kinds") == 0);
    CHECK(ov_motion_scene_start(scene) == 1.0 && ov_motion_scene_end(scene) == 3.0);
    CHECK(ov_motion_scene_count(scene) == 7);
    CHECK(strcmp(ov_motion_scene_name(scene, 3), "bezier") == 0);
    CHECK(strcmp(ov_motion_scene_name(scene, 6), "body 7") == 0);
    CHECK(ov_motion_scene_name(scene, 7) == NULL);
    for (size_t i = 0; i < 7; i++) {
        CHECK((b[i].geometry != NULL) == (i != 3) && (b[i].polygons != NULL) == (i == 3));
        CHECK((b[i].motion != NULL) == (i < 5));
        CHECK(b[i].group == (i == 1 ? 6 : 1) && b[i].mask == (i == 3 ? 0 : UINT32_MAX));
        CHECK(b[i].no_pairs == (i == 3));
        CHECK(b[i].motion == NULL || ov_motion_is_rigid(b[i].motion) == (i != 3));
    }
    CHECK(ov_geometry_count(b[4].geometry) == 2 && b[6].pose.rotation.x == 1.0);
    CHECK(ov_polygons_count(b[3].polygons) == 2 && ov_polygons_vertex_count(b[3].polygons) == 5);
    size_t size;
    CHECK(ov_polygons_corners(b[3].polygons, 1, &size)[2] == 4 && size == 3);
    CHECK(ov_geometry_part(b[0].geometry, 0)->shape.kind == OV_SHAPE_KIND_SPHERE);
    ov_motion_scene_destroy(scene);
}

static void all_motions(void) {
    ov_motion_scene *scene = read_good(kinds);
    ov_vec3 origin = {0.0, 0.0, 0.0}, unit = {1.0, 0.0, 0.0};
    // a screw turns the body where it was put: half a turn about (1, 0) takes (2, 0) to (0, 0)
    check_point(point_at(scene, 0, 1.0, origin), 2.0, 0.0, 0.0);
    check_point(point_at(scene, 0, 2.0, origin), 1.0, 1.0, 2.0);
    check_point(point_at(scene, 0, 3.0, origin), 0.0, 0.0, 4.0);
    check_point(point_at(scene, 0, 3.0, unit), -1.0, 0.0, 4.0);
    // keys: the times are their own
    check_point(point_at(scene, 1, 1.0, origin), 2.0, 0.0, 0.0);
    double r = sqrt(0.5);
    check_point(point_at(scene, 1, 3.0, unit), 4.0 + r, 1.0 + r, 0.0);
    // in the middle the quaternion is (1, 0, 0, 1) / 2, a quarter of a turn; weights 1, 4, 1 of 6
    check_point(point_at(scene, 2, 2.0, origin), 5.0 / 6.0, 1.0 / 6.0, 0.0);
    check_point(point_at(scene, 2, 2.0, unit), 5.0 / 6.0, 7.0 / 6.0, 0.0);
    // rows of the matrix, then the translation; in the middle by weights 1/4 and 3/4
    check_point(point_at(scene, 3, 3.0, ov_vec3_make(1.0, 10.0, 100.0)), 443.0, 777.0, 1111.0);
    check_point(point_at(scene, 3, 2.0, ov_vec3_make(1.0, 10.0, 100.0)), 0.25 + 0.75 * 443.0,
                2.5 + 0.75 * 777.0, 25.0 + 0.75 * 1111.0);
    // at rest at both ends, and even
    check_point(point_at(scene, 4, 2.0, origin), 1.0, 0.0, 0.0);
    CHECK(point_at(scene, 4, 1.1, origin).x < 0.05);
    check_worst("places of points", worst_error, 1e-14);
    ov_motion_scene_destroy(scene);
}

static void small_files(void) {
    ov_motion_scene *scene = read_good("\xef\xbb\xbf{\"bodies\": [], \"time\": [0, 1]}");
    CHECK(ov_motion_scene_count(scene) == 0 && ov_motion_scene_bodies(scene) == NULL);
    CHECK(ov_motion_scene_title(scene)[0] == '\0');
    ov_motion_scene_destroy(scene);
    ov_motion_scene_destroy(NULL);
    CHECK(ov_motion_scene_count(NULL) == 0 && ov_motion_scene_bodies(NULL) == NULL);
    CHECK(ov_motion_scene_title(NULL)[0] == '\0' && ov_motion_scene_name(NULL, 0) == NULL);
    CHECK(ov_motion_scene_start(NULL) == 0.0 && ov_motion_scene_end(NULL) == 0.0);
    // a mesh beside the file is found there, and only with its folder from a stream
    FILE *f = fopen("plate.obj", "wb");
    CHECK(f != NULL && fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", f) >= 0 && fclose(f) == 0);
    scene = read_good("{\"time\":[0,1],\"bodies\":[{\"kind\":\"mesh\",\"file\":\"plate.obj\"}]}");
    CHECK(ov_geometry_part(ov_motion_scene_bodies(scene)[0].geometry, 0)->mesh != NULL);
    ov_motion_scene_destroy(scene);
    ov_fault fault;
    f = fopen("motion.json", "rb");
    CHECK_STATUS(ov_motion_scene_read_stream(f, "/nowhere", &scene, &fault), OV_ERROR_FILE_OPEN);
    CHECK(scene == NULL && strstr(fault.text, "/nowhere/plate.obj") != NULL);
    rewind(f);
    CHECK_OK(ov_motion_scene_read_stream(f, NULL, &scene, NULL));
    ov_motion_scene_destroy(scene);
    CHECK(fclose(f) == 0);
}

static void bad_calls(void) {
    ov_motion_scene *scene = (ov_motion_scene *)1;
    ov_fault fault;
    CHECK_STATUS(ov_motion_scene_read(NULL, &scene, &fault), OV_ERROR_NULL);
    CHECK(scene == NULL);
    CHECK_STATUS(ov_motion_scene_read("motion.json", NULL, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_motion_scene_read_stream(NULL, ".", &scene, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_motion_scene_read("not-there.json", &scene, &fault), OV_ERROR_FILE_OPEN);
    CHECK(scene == NULL && strcmp(fault.text, "cannot be opened") == 0);
    CHECK_STATUS(ov_motion_scene_read("not-there.json", &scene, NULL), OV_ERROR_FILE_OPEN);
    CHECK(ov_motion_scene_read(".", &scene, &fault) < 0 && scene == NULL);
}

/* ---- bad files ------------------------------------------------------------------------------- */

typedef struct bad_file {
    const char *text;
    ov_status status;
    size_t line;
    const char *says;
} bad_file;

static void check_bad(const char *text, const bad_file *b) {
    ov_motion_scene *scene = (ov_motion_scene *)1;
    ov_fault fault;
    CHECK_STATUS(read_text(text, strlen(text), &scene, &fault), b->status);
    CHECK(scene == NULL);
    if (!CHECK(strstr(fault.text, b->says) != NULL) || !CHECK(fault.index == b->line)) {
        fprintf(stderr, "  %s\n  line %zu: %s\n  expected line %zu: %s\n", text, fault.index,
                fault.text, b->line, b->says);
    }
}

static void bad_roots(void) {
    static const bad_file bad[] = {
        {"", OV_ERROR_FILE_FORMAT, 1, "empty"},
        {"[]", OV_ERROR_FILE_FORMAT, 1, "must be an object"},
        {"{\"bodies\":[]", OV_ERROR_FILE_FORMAT, 1, "'}' expected"},
        {"{\"time\":[0,1]}", OV_ERROR_FILE_FORMAT, 1, "needs 'bodies'"},
        {"{\"bodies\":[]}", OV_ERROR_FILE_FORMAT, 1, "needs 'time'"},
        {"{\"bodies\":[],\n\"time\":[0]}", OV_ERROR_FILE_FORMAT, 2, "needs 'time'"},
        {"{\"bodies\":[],\n\"time\":[0,\"1\"]}", OV_ERROR_FILE_FORMAT, 2, "needs 'time'"},
        {"{\"bodies\":[],\n\"time\":[2,1]}", OV_ERROR_TIME, 2,
         "time: the end, 1, is not after the start, 2"},
        {"{\"bodies\":[],\n\n\"time\":[2,2]}", OV_ERROR_TIME, 3, "is not after the start"},
        {"{\"bodies\":[],\n\"time\":[0,1e101]}", OV_ERROR_TIME, 2,
         "time: must take from 1e-100 to 1e100, not 1e+101"},
        {"{\"bodies\":[],\"time\":[-1e308,1e308]}", OV_ERROR_TIME, 1, "time: must take from"},
        {"{\"bodies\":[],\"time\":[0,1e-320]}", OV_ERROR_TIME, 1, "time: must take from"},
        {"{\"bodies\":[],\"time\":[0,1e999]}", OV_ERROR_FILE_FORMAT, 1, "overflow"},
        {"{\"bodies\":[],\"time\":[0,NaN]}", OV_ERROR_FILE_FORMAT, 1, ""},
        {"{\"bodies\":[],\"time\":[0,1],\n\"tim\":0}", OV_ERROR_FILE_FORMAT, 2,
         "unknown key 'tim' of a scene; did you mean 'time'?"},
        {"{\"bodies\":[\n{\"kind\":\"sphere\",\"radius\":1,\"motions\":null}],\"time\":[0,1]}",
         OV_ERROR_FILE_FORMAT, 2, "unknown key 'motions' of a sphere; did you mean 'motion'?"},
        {"{\"bodies\":[{\"kind\":\"polygon\"}],\"time\":[0,1]}", OV_ERROR_FILE_FORMAT, 1,
         "did you mean 'polygons'?"},
        {"{\"bodies\":[{\"kind\":\"compound\",\"parts\":[{\"kind\":\"polygons\"}]}],"
         "\"time\":[0,1]}",
         OV_ERROR_FILE_FORMAT, 1, "body 1, part 1: unknown kind 'polygons'"},
        {"{\"bodies\":[{\"kind\":\"compound\",\"parts\":[{\"kind\":\"sphere\",\"radius\":1,"
         "\"motion\":null}]}],\"time\":[0,1]}",
         OV_ERROR_FILE_FORMAT, 1, "part 1: unknown key 'motion'"},
        {"{\"bodies\":[{\"kind\":\"sphere\",\"radius\":1,\n\"group\":-1}],\"time\":[0,1]}",
         OV_ERROR_FILE_FORMAT, 2, "'group' must be a whole number from 0 to 4294967295"},
        {"{\"bodies\":[{\"kind\":\"sphere\",\"radius\":1,\n\"mask\":0.5}],\"time\":[0,1]}",
         OV_ERROR_FILE_FORMAT, 2, "'mask' must be"},
        {"{\"bodies\":[{\"kind\":\"sphere\",\"radius\":-1}],\"time\":[0,1]}",
         OV_ERROR_SIZE_NOT_POSITIVE, 1, "body 1: "},
        {"{\"bodies\":[{\"kind\":\"polygons\",\"vertices\":[],\"faces\":[],\"name\":\"a\"},\n"
         "{\"kind\":\"sphere\",\"radius\":1,\"name\":\"a\"}],\"time\":[0,1]}",
         OV_ERROR_COUNT, 1, "a: polygons need vertices, got none"},
        {"{\"bodies\":[{\"kind\":\"polygons\",\"vertices\":[[0,0,0],\n[1,1e200,0],[0,1,0]],"
         "\"faces\":[[0,1,2]],\"name\":\"a\"}],\"time\":[0,1]}",
         OV_ERROR_SIZE_RANGE, 2, "a: vertices[1]: must be within 1e100"},
        {"{\"bodies\":[{\"kind\":\"polygons\",\"vertices\":[[0,0,0],[1,0,0],[0,1,0]],"
         "\"faces\":[[0,1,2]],\"name\":\"a\"},\n"
         "{\"kind\":\"sphere\",\"radius\":1,\n\"name\":\"a\"}],\"time\":[0,1]}",
         OV_ERROR_NAME, 3, "already the name of body 1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        check_bad(bad[i].text, &bad[i]);
    }
}

/** The value of "motion", in line 3, of a body named egg. */
static void bad_motions(void) {
    static const bad_file bad[] = {
        {"3", OV_ERROR_FILE_FORMAT, 3, "egg: motion: must be an object"},
        {"{}", OV_ERROR_FILE_FORMAT, 3, "egg: motion: must be one of: bezier rational screw keys"},
        {"{\"screw\":{\"axis\":[0,0,1]},\"keys\":{}}", OV_ERROR_FILE_FORMAT, 3, "must be one of"},
        {"{\"scrw\":{}}", OV_ERROR_FILE_FORMAT, 3,
         "egg: motion: unknown key 'scrw'; did you mean 'screw'?"},
        {"{\"screw\":[]}", OV_ERROR_FILE_FORMAT, 3, "egg: motion.screw: must be an object"},
        {"{\"screw\":{}}", OV_ERROR_FILE_FORMAT, 3, "egg: motion.screw: needs 'axis', a list of 3"},
        {"{\"screw\":{\n\"axis\":[0,0,0]}}", OV_ERROR_ZERO_DIRECTION, 4,
         "egg: motion.screw.axis: the axis has no length"},
        {"{\"screw\":{\n\"axis\":[0,0]}}", OV_ERROR_FILE_FORMAT, 4, "egg: motion.screw.axis: "},
        {"{\"screw\":{\"axis\":[0,0,1],\n\"angle\":3}}", OV_ERROR_FILE_FORMAT, 3,
         "egg: motion.screw: unknown key 'angle'; known are: point axis angle_deg travel"},
        {"{\"screw\":{\"axis\":[0,0,1],\n\"travel\":[3]}}", OV_ERROR_FILE_FORMAT, 4,
         "egg: motion.screw.travel: 'travel' must be a number"},
        {"{\"screw\":{\"axis\":[0,0,1],\"point\":[1e200,0,0]}}", OV_ERROR_SIZE_RANGE, 3,
         "egg: motion.screw.point: must be within 1e100"},
        {"{\"screw\":{\"axis\":[0,0,1],\n\"angle_deg\":-1e200}}", OV_ERROR_SIZE_RANGE, 4,
         "egg: motion.screw.angle_deg: must be within 1e100"},
        {"{\"keys\":{}}", OV_ERROR_FILE_FORMAT, 3, "egg: motion.keys: needs 'times', a list"},
        {"{\"keys\":{\"times\":3}}", OV_ERROR_FILE_FORMAT, 3, "egg: motion.keys.times: must be"},
        {"{\"keys\":{\"times\":[]}}", OV_ERROR_COUNT, 3, "egg: motion.keys.times: needs at least"},
        {"{\"keys\":{\"times\":[0]}}", OV_ERROR_COUNT, 3, "needs at least 2 times"},
        {"{\"keys\":{\"times\":[0,\n1,\n1]}}", OV_ERROR_TIME, 5,
         "egg: motion.keys.times[2]: times must ascend"},
        {"{\"keys\":{\"times\":[0,1,0.5]}}", OV_ERROR_TIME, 3, "egg: motion.keys.times[2]: "},
        {"{\"keys\":{\"times\":[0,\"1\"]}}", OV_ERROR_FILE_FORMAT, 3,
         "egg: motion.keys.times[1]: must be a number"},
        {"{\"keys\":{\"times\":[0,1e200]}}", OV_ERROR_SIZE_RANGE, 3, "motion.keys.times[1]: "},
        {"{\"keys\":{\"times\":[0,0.5],\"poses\":[{},{}]}}", OV_ERROR_TIME, 3,
         "egg: motion.keys.times: 0 to 0.5 does not reach from the start, 0, to the end, 1"},
        {"{\"keys\":{\"times\":[0.1,1],\"poses\":[{},{}]}}", OV_ERROR_TIME, 3, "does not reach"},
        {"{\"keys\":{\"times\":[0,1]}}", OV_ERROR_FILE_FORMAT, 3, "motion.keys: needs 'poses'"},
        {"{\"keys\":{\"times\":[0,1],\n\"poses\":[{}]}}", OV_ERROR_COUNT, 4,
         "egg: motion.keys.poses: 1 poses for 2 times"},
        {"{\"keys\":{\"times\":[0,1],\"poses\":[{},\n3]}}", OV_ERROR_FILE_FORMAT, 4,
         "egg: motion.keys.poses[1]: must be an object"},
        {"{\"keys\":{\"times\":[0,1],\"poses\":[{},{\"rotation\":\n[0,0,0,0]}]}}",
         OV_ERROR_ZERO_DIRECTION, 4, "egg: motion.keys.poses[1].rotation: "},
        {"{\"keys\":{\"times\":[0,1],\"poses\":[{},{\"position\":[1,2]}]}}", OV_ERROR_FILE_FORMAT,
         3, "egg: motion.keys.poses[1].position: 'position' must be a list of 3 numbers"},
        {"{\"keys\":{\"times\":[0,1],\"poses\":[{},{\"pos\":[1,2]}]}}", OV_ERROR_FILE_FORMAT, 3,
         "egg: motion.keys.poses[1]: unknown key 'pos'"},
        {"{\"keys\":{\"times\":[0,1],\"poses\":[{},{\"position\":[1e200,0,0]}]}}",
         OV_ERROR_SIZE_RANGE, 3, "egg: motion.keys.poses[1].position: must be within 1e100"},
        {"{\"keys\":{\"times\":[0,1],\"poses\":[{},{}],\n\"spline\":\"quintic\"}}",
         OV_ERROR_FILE_FORMAT, 4, "egg: motion.keys.spline: must be \"linear\" or \"cubic\""},
        {"{\"bezier\":{}}", OV_ERROR_FILE_FORMAT, 3, "egg: motion.bezier: needs 'controls'"},
        {"{\"bezier\":{\"controls\":[]}}", OV_ERROR_COUNT, 3,
         "egg: motion.bezier.controls: must be 2 to 33, got 0"},
        {"{\"bezier\":{\"controls\":[[1,0,0,0,1,0,0,0,1,0,0,0]]}}", OV_ERROR_COUNT, 3, "got 1"},
        {"{\"bezier\":{\"controls\":[\n[1,2,3]]}}", OV_ERROR_FILE_FORMAT, 4,
         "egg: motion.bezier.controls[0]: must be a list of 12 numbers"},
        {"{\"bezier\":{\"controls\":[[1,0,0,0,1,0,0,0,1,0,0,0],[1,0,0,0,1,0,0,0,1,0,0,0]],\n"
         "\"weights\":[1,\n0]}}",
         OV_ERROR_WEIGHT, 5, "egg: motion.bezier.weights[1]: a weight must be positive"},
        {"{\"bezier\":{\"controls\":[[1,0,0,0,1,0,0,0,1,0,0,0],[1,0,0,0,1,0,0,0,1,0,0,0]],"
         "\"weights\":[-1,1]}}",
         OV_ERROR_WEIGHT, 3, "egg: motion.bezier.weights[0]: "},
        {"{\"bezier\":{\"controls\":[[1,0,0,0,1,0,0,0,1,0,0,0],[1,0,0,0,1,0,0,0,1,0,0,0]],"
         "\"weights\":[1]}}",
         OV_ERROR_COUNT, 3, "egg: motion.bezier.weights: 1 weights for 2 control points"},
        {"{\"bezier\":{\"controls\":[[1,0,0,0,1,0,0,0,1,0,0,0],[1,0,0,0,1,0,0,0,1,0,0,1e200]]}}",
         OV_ERROR_SIZE_RANGE, 3, "egg: motion.bezier.controls[1]: "},
        {"{\"rational\":{\"rotations\":[[1,0,0,0]]}}", OV_ERROR_FILE_FORMAT, 3,
         "egg: motion.rational: needs 'positions'"},
        {"{\"rational\":{\"rotations\":[[1,0,0]],\"positions\":[[0,0,0]]}}", OV_ERROR_FILE_FORMAT,
         3, "egg: motion.rational.rotations[0]: must be a list of 4 numbers"},
        {"{\"rational\":{\"rotations\":[[0,0,0,0],[0,0,0,0]],\"positions\":[[0,0,0],[1,0,0]]}}",
         OV_ERROR_ZERO_DIRECTION, 3,
         "egg: motion.rational.rotations: the curve of quaternions is zero"},
        {"{\"rational\":{\"rotations\":[[1,0,0,0],[-1,0,0,0]],\"positions\":[[0,0,0],[1,0,0]]}}",
         OV_ERROR_ZERO_DIRECTION, 3,
         "egg: motion.rational.rotations: the curve of quaternions is zero"},
        {"{\"rational\":{\"rotations\":[],\"positions\":[[0,0,0]]}}", OV_ERROR_COUNT, 3,
         "egg: motion.rational.rotations: must be at least 1, got 0"},
        {"{\"rational\":{\"rotations\":[[1,0,0,0]],\n\"positions\":[]}}", OV_ERROR_COUNT, 4,
         "egg: motion.rational.positions: must be at least 1, got 0"},
        {"{\"rational\":{\"rotations\":[[1,0,0,0],[1,0,0,0],[1,0,0,0],[1,0,0,0],[1,0,0,0],[1,0,0,0]"
         ","
         "[1,0,0,0],[1,0,0,0],[1,0,0,0],[1,0,0,0],[1,0,0,0],[1,0,0,0],[1,0,0,0],[1,0,0,0],[1,0,0,0]"
         ","
         "[1,0,0,0],[1,0,0,0]],\"positions\":[[0,0,0],[1,0,0]]}}",
         OV_ERROR_COUNT, 3,
         "egg: motion.rational: 17 rotations and 2 positions make a degree of 33"},
        {"{\"rational\":{\"rotations\":[[1,0,0,0]],\"positions\":[[0,0,0],[1,0,0]],"
         "\n\"weights\":[1e-99,1e9]}}",
         OV_ERROR_WEIGHT, 4, "egg: motion.rational.weights: a weight must be more than 1e-100"},
        {"{\"rational\":{\"rotations\":[[1,0,0,0],[1,0,0,0]],\"positions\":[[0,0,0],[1,0,0]],"
         "\"weights\":[1,0]}}",
         OV_ERROR_WEIGHT, 3, "egg: motion.rational.weights[1]: "},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text,
                       "{\"time\":[0,1],\"bodies\":[\n{\"name\":\"egg\",\"kind\":\"sphere\","
                       "\"radius\":1,\n\"motion\":%s}]}",
                       bad[i].text);
        check_bad(text, &bad[i]);
    }
}

/** Faces, in line 4, of vertices that are the corners of a cube, and one within its bottom. */
static void bad_polygons(void) {
    static const bad_file bad[] = {
        {"3", OV_ERROR_FILE_FORMAT, 2, "cube: polygons need 'vertices' and 'faces', both lists"},
        {"[]", OV_ERROR_COUNT, 4, "cube: faces: "},
        {"[3]", OV_ERROR_FILE_FORMAT, 4,
         "cube: faces[0]: a face must be a list of indices of vertices"},
        {"[[0,1,3],\n[0,1.5,3]]", OV_ERROR_FILE_FORMAT, 5, "cube: faces[1]: a face must be"},
        {"[[0,1,-1]]", OV_ERROR_FILE_FORMAT, 4, "cube: faces[0]: a face must be"},
        {"[[0,1,9]]", OV_ERROR_INDEX, 4, "cube: faces[0]: "},
        {"[[0,1,3],\n[0,1]]", OV_ERROR_COUNT, 5, "cube: faces[1]: "},
        {"[[0,1,3,2],[4,5,7,6],\n\n[0,1,7,4]]", OV_ERROR_NOT_FLAT, 6, "cube: faces[2]: "},
        {"[[0,1,8,2]]", OV_ERROR_NOT_CONVEX, 4, "cube: faces[0]: "},
        {"[[0,1,2,3]]", OV_ERROR_DEGENERATE, 4, "cube: faces[0]: "},
        {"[[0,1,1,3]]", OV_ERROR_DEGENERATE, 4, "cube: faces[0]: "},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[1024];
        (void)snprintf(text, sizeof text,
                       "{\"time\":[0,1],\"bodies\":[\n{\"name\":\"cube\",\"kind\":\"polygons\","
                       "\n\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[1,1,0],[0,0,1],[1,0,1],[0,1,1],"
                       "[1,1,1],[0.4,0.4,0]],\n\"faces\":%s}]}",
                       bad[i].text);
        check_bad(text, &bad[i]);
    }
    static const bad_file lists[] = {
        {"{\"time\":[0,1],\"bodies\":[{\"kind\":\"polygons\",\"faces\":[[0,1,2]]}]}",
         OV_ERROR_FILE_FORMAT, 1, "need 'vertices'"},
        {"{\"time\":[0,1],\"bodies\":[{\"kind\":\"polygons\",\"faces\":[[0,1,2]],\n"
         "\"vertices\":[[0,0,0],[1,0]]}]}",
         OV_ERROR_FILE_FORMAT, 2, "vertex 1 must be a list of 3 numbers"},
        {"{\"time\":[0,1],\"bodies\":[{\"kind\":\"polygons\",\"faces\":[[0,1,2]],\n"
         "\"vertices\":[[0,0,0],[1,0,0],[0,1,0]],\"triangles\":[]}]}",
         OV_ERROR_FILE_FORMAT, 2, "unknown key 'triangles' of a polygons"},
    };
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        check_bad(lists[i].text, &lists[i]);
    }
}

/** Every beginning of a good file is refused, with a message, and nothing is lost. */
static void truncated(void) {
    for (size_t length = 0; length + 1 < sizeof kinds; length++) {
        ov_motion_scene *scene = NULL;
        ov_fault fault;
        FILE *f = length > 0 ? fmemopen((void *)(uintptr_t)kinds, length, "rb")
                             : fopen("/dev/null", "rb");
        CHECK(f != NULL);
        if (!CHECK(ov_motion_scene_read_stream(f, ".", &scene, &fault) == OV_ERROR_FILE_FORMAT &&
                   scene == NULL && fault.text[0] != '\0')) {
            break;
        }
        (void)fclose(f);
    }
}

/** A file with a list of `count` copies of an element inside others. */
static char *repeat(const char *head, const char *element, size_t count, const char *tail) {
    size_t length = strlen(element), used = strlen(head);
    char *text = malloc(used + count * (length + 1) + strlen(tail) + 1);
    if (!CHECK(text != NULL)) {
        exit(1);
    }
    memcpy(text, head, used);
    for (size_t i = 0; i < count; i++) {
        memcpy(text + used, element, length);
        used += length;
        text[used++] = i + 1 < count ? ',' : ' ';
    }
    memcpy(text + used, tail, strlen(tail) + 1);
    return text;
}

static void too_much(void) {
    // deeper nesting than any good file has
    char deep[300] = "{\"time\":[0,1],\"bodies\":[\n";
    memset(deep + strlen(deep), '[', 100);
    const bad_file nested = {deep, OV_ERROR_FILE_FORMAT, 2, "nested deeper than"};
    check_bad(deep, &nested);
    // more control points than a curve has
    static const char head[] = "{\"time\":[0,1],\"bodies\":[{\"kind\":\"sphere\",\"radius\":1,"
                               "\"motion\":{\"bezier\":{\"controls\":[";
    char *text = repeat(head, "[1,0,0,0,1,0,0,0,1,0,0,0]", OV_MOTION_DEGREE_MAX + 2, "]}}}]}");
    const bad_file degree = {text, OV_ERROR_COUNT, 1,
                             "body 1: motion.bezier.controls: must be 2 to 33, got 34"};
    check_bad(text, &degree);
    free(text);
    // more bodies than a scene has
    text = repeat("{\"time\":[0,1],\n\"bodies\":[", "{}", OV_SCENE_BODIES_MAX + 1, "]}");
    const bad_file bodies = {text, OV_ERROR_COUNT, 2, "more than 100000"};
    check_bad(text, &bodies);
    free(text);
    // more bytes than a file has
    text = repeat("{\"time\":[0,1],\"bodies\":[]}", "\n\n\n\n\n\n\n\n", OV_SCENE_BYTES_MAX / 8, "");
    const bad_file bytes = {text, OV_ERROR_COUNT, 0, "longer than"};
    check_bad(text, &bytes);
    free(text);
}

int main(void) {
    check_suite = "test_io_motion";
    RUN(all_kinds);
    RUN(all_motions);
    RUN(small_files);
    RUN(bad_calls);
    RUN(bad_roots);
    RUN(bad_motions);
    RUN(bad_polygons);
    RUN(truncated);
    RUN(too_much);
    return check_finish();
}
