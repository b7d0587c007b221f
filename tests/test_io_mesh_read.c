/**
 * @file test_io_mesh_read.c
 * @brief Meshes read back as they were written, small files of every dialect of STL, OBJ, PLY and
 * OFF with a known answer, and files that are cut, damaged or lie.
 */
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mesh_read_check.h"

/* ---- round trips ----------------------------------------------------------------------------- */

enum { VERTICES = 400, TRIANGLES = 900 };

/** As a 32-bit float. Kept apart, since gcc 12 leaves out the rounding of two numbers at once. */
static double single(double value) {
    volatile float f = (float)value;
    return (double)f;
}

static void round_trip(ov_mesh_format format, const char *path) {
    check_random r = check_random_make(51 + (uint64_t)format);
    static ov_vec3 v[VERTICES];
    static uint32_t t[TRIANGLES][3];
    for (size_t i = 0; i < VERTICES; i++) {
        v[i] = ov_vec3_scale(check_unit_vector(&r), check_log_uniform(&r, 1e-30, 1e30));
        if (format == OV_MESH_FORMAT_STL) {
            v[i] = ov_vec3_make(single(v[i].x), single(v[i].y), single(v[i].z));
        }
    }
    for (size_t i = 0; i < TRIANGLES; i++) {
        for (size_t k = 0; k < 3; k++) {
            // every vertex is used, and met first in its order
            size_t at = 3 * i + k;
            t[i][k] = (uint32_t)(at < VERTICES ? at : check_random_bits(&r) % VERTICES);
        }
    }
    CHECK_OK(ov_mesh_write(path, format, v, v, VERTICES, (const uint32_t(*)[3])t, TRIANGLES));
    ov_mesh_free(&mesh);
    CHECK_OK(ov_mesh_read(path, &mesh, &fault));
    if (CHECK(mesh.vertex_count == VERTICES && mesh.triangle_count == TRIANGLES)) {
        CHECK(memcmp(mesh.vertices, v, sizeof v) == 0);
        CHECK(memcmp(mesh.triangles, t, sizeof t) == 0);
    }
    CHECK(unlink(path) == 0);
}

static void round_trips(void) {
    // a locale with a comma must not matter; where there is none this is no change
    (void)setlocale(LC_ALL, "de_DE.UTF-8");
    round_trip(OV_MESH_FORMAT_OBJ, "a.obj");
    round_trip(OV_MESH_FORMAT_STL, "a.STL");
    round_trip(OV_MESH_FORMAT_PLY, "a.ply");
    (void)setlocale(LC_ALL, "C");
}

/* ---- numbers --------------------------------------------------------------------------------- */

/** The quick way to read a number must give what strtod does, to the bit. */
static void numbers(void) {
    check_random r = check_random_make(52);
    static const char *const formats[] = {"%.3f", "%.9g", "%.17g", "%.15e", "%+.1f", "%g", "%.25g"};
    for (int i = 0; i < 20000; i++) {
        double x = check_uniform(&r, -1.0, 1.0) * check_log_uniform(&r, 1e-40, 1e40);
        if (i % 3 == 0) {
            x = check_uniform(&r, -100.0, 100.0);
        }
        char word[400], text[600];
        (void)snprintf(word, sizeof word, formats[i % 7], x);
        (void)snprintf(text, sizeof text, "v 0 0 %s\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", word);
        if (CHECK_OK(read_text(text, OV_MESH_FORMAT_OBJ))) {
            double want = strtod(word, NULL);
            if (!CHECK(memcmp(&mesh.vertices[0].z, &want, sizeof want) == 0)) {
                fprintf(stderr, "%s is read as %.17g\n", word, mesh.vertices[0].z);
            }
        }
    }
}

/* ---- STL ------------------------------------------------------------------------------------- */

static const char stl_text[] = "solid a name with facet\n"
                               " facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n"
                               "   vertex 1 0 -0\n   vertex 0 1e0 0\n  endloop\n endfacet\n"
                               " FACET NORMAL nan nan nan\r\n  OUTER LOOP\r\n   VERTEX 1 0 0\r\n"
                               "   vertex 1 1 0\n   vertex -0 1 0\n  endloop\n endfacet\n"
                               "endsolid";

static void stl(void) {
    CHECK_OK(read_text(stl_text, OV_MESH_FORMAT_STL));
    CHECK(mesh.vertex_count == 4 && mesh.triangle_count == 2);
    check_vertex(3, 1.0, 1.0, 0.0);
    check_triangle(0, 0, 1, 2);
    check_triangle(1, 1, 3, 2);
    cut_everywhere(stl_text, sizeof stl_text - 1, OV_MESH_FORMAT_STL, true);
    CHECK_OK(read_text("solid\nendsolid x\n\nsolid b\nfacet normal 0 0 0 outer loop vertex 0 0 0 "
                       "vertex 0 0 0 vertex 0 0 0 endloop endfacet endsolid b\n\n",
                       OV_MESH_FORMAT_STL));
    CHECK(mesh.vertex_count == 1 && mesh.triangle_count == 1); // a point, but kept
    static const bad_text bad[] = {
        {"", OV_ERROR_FILE_FORMAT, 0},
        {"\n", OV_ERROR_FILE_FORMAT, 0},
        {"hello", OV_ERROR_FILE_FORMAT, 0},
        {"solid\nendsolid\n", OV_ERROR_COUNT, 0},
        {"solid\nendsolid\nmore", OV_ERROR_FILE_FORMAT, 3},
        {"solid\nface\n", OV_ERROR_FILE_FORMAT, 2},
        {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan", OV_ERROR_NOT_FINITE, 4},
        {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 -Inf", OV_ERROR_NOT_FINITE, 4},
        {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1e61", OV_ERROR_SIZE_RANGE, 4},
        {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0\nvertex", OV_ERROR_FILE_FORMAT, 5},
        {"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop", OV_ERROR_FILE_FORMAT, 5},
    };
    CHECK_BAD(bad, OV_MESH_FORMAT_STL);
}

static void put_float(unsigned char *out, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int k = 0; k < 4; k++) {
        out[k] = (unsigned char)(bits >> 8 * k);
    }
}

static void stl_binary(void) {
    enum { SIZE = 84 + 2 * 50 };
    unsigned char b[SIZE + 1] = "solid, says a binary file";
    static const float corners[2][9] = {{0, 0, 0, 1, 0, 0, 0, 1, 0}, {1, 0, 0, 1, 1, 0, 0, 1, 0}};
    b[80] = 2;
    for (int t = 0; t < 2; t++) {
        for (int k = 0; k < 9; k++) {
            put_float(b + 84 + 50 * t + 12 + 4 * k, corners[t][k]);
        }
        put_float(b + 84 + 50 * t, NAN); // normals do not matter
    }
    CHECK_OK(read_bytes((const char *)b, SIZE, OV_MESH_FORMAT_STL));
    CHECK(mesh.vertex_count == 4 && mesh.triangle_count == 2);
    check_triangle(1, 1, 3, 2);
    cut_everywhere((const char *)b, SIZE, OV_MESH_FORMAT_STL, true);
    b[0] = 'x';
    cut_everywhere((const char *)b, SIZE, OV_MESH_FORMAT_STL, true);
    CHECK_STATUS(read_bytes((const char *)b, SIZE + 1, OV_MESH_FORMAT_STL), OV_ERROR_FILE_FORMAT);
    put_float(b + 84 + 50 + 12, INFINITY);
    CHECK_STATUS(read_bytes((const char *)b, SIZE, OV_MESH_FORMAT_STL), OV_ERROR_NOT_FINITE);
    CHECK(strstr(fault.text, "triangle 2") != NULL);
    b[80] = b[81] = b[82] = b[83] = 0xff; // as many as there can be
    CHECK_STATUS(read_bytes((const char *)b, SIZE, OV_MESH_FORMAT_STL), OV_ERROR_FILE_FORMAT);
    b[80] = b[81] = b[82] = b[83] = 0;
    CHECK_STATUS(read_bytes((const char *)b, 84, OV_MESH_FORMAT_STL), OV_ERROR_COUNT);
}

/* ---- OBJ ------------------------------------------------------------------------------------- */

static const char obj_text[] = "\xef\xbb\xbf# made in C:\\models\\\n"
                               "mtllib a.mtl\no thing\nv 9 9 9\n"
                               "v 0 0 0\nv 1 0 0 1.0 # weight\nv 1 1 \\\r\n 0 0.5 0.5 0.5\n"
                               "v 0 1 0\r\nvt 0 0\nvn 0 0 1\ns off\nusemtl none\n"
                               "f 2/1/1 3/1/1 4/1/1 5/1/1 # a square\n"
                               "f -4// -3//1 \\\n -1\nf 2/1 3/1 5/1\nl 1 2\np 1\n";

static void obj(void) {
    CHECK_OK(read_text(obj_text, OV_MESH_FORMAT_OBJ));
    CHECK(mesh.vertex_count == 4 && mesh.triangle_count == 4); // 9 9 9 is used by no triangle
    check_vertex(0, 0.0, 0.0, 0.0);
    check_vertex(2, 1.0, 1.0, 0.0);
    check_triangle(0, 0, 1, 2);
    check_triangle(1, 0, 2, 3);
    check_triangle(2, 0, 1, 3);
    check_triangle(3, 0, 1, 3);
    cut_everywhere(obj_text, sizeof obj_text - 1, OV_MESH_FORMAT_OBJ, false);
    // faces before their vertices
    CHECK_OK(read_text("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0", OV_MESH_FORMAT_OBJ));
    CHECK(mesh.vertex_count == 3);
    static const bad_text bad[] = {
        {"", OV_ERROR_FILE_FORMAT, 0},
        {"\n\n", OV_ERROR_COUNT, 0},
        {"v 0 0 0\n", OV_ERROR_COUNT, 0},
        {"v 0 0\n", OV_ERROR_FILE_FORMAT, 1},
        {"v 0 0 # 0\n", OV_ERROR_FILE_FORMAT, 1},
        {"v 0 0 x\n", OV_ERROR_FILE_FORMAT, 1},
        {"v 0 0 0x1\n", OV_ERROR_FILE_FORMAT, 1},
        {"v 0 0 1e\n", OV_ERROR_FILE_FORMAT, 1},
        {"v 0 0 .\n", OV_ERROR_FILE_FORMAT, 1},
        {"v 0 0 1,5\n", OV_ERROR_FILE_FORMAT, 1},
        {"#\nv 0 NaN 0\n", OV_ERROR_NOT_FINITE, 2},
        {"v 0 0 -1e999\n", OV_ERROR_SIZE_RANGE, 1},
        {"v 0 0 0\nf 1 1\n", OV_ERROR_FILE_FORMAT, 2},
        {"v 0 0 0\nf 1 1 1/2/3/4\n", OV_ERROR_FILE_FORMAT, 2},
        {"v 0 0 0\nf 1 1 /1\n", OV_ERROR_FILE_FORMAT, 2},
        {"v 0 0 0\nf 1 1 1.5\n", OV_ERROR_FILE_FORMAT, 2},
        {"v 0 0 0\nf 1 1 1//x\n", OV_ERROR_FILE_FORMAT, 2},
        {"v 0 0 0\nf 1 1 0\n", OV_ERROR_INDEX, 2},
        {"v 0 0 0\nf 1 1 -2\n", OV_ERROR_INDEX, 2},
        {"v 0 0 0\nf 1 1 1\nf 1 2 1\nf 1 1 3\nv 1 1 1\n", OV_ERROR_INDEX, 4},
        {"v 0 0 0\nf 1 1 4294967297\n", OV_ERROR_INDEX, 2},
        {"v 0 0 0\nf 1 1 99999999999999999999\n", OV_ERROR_FILE_FORMAT, 2},
    };
    CHECK_BAD(bad, OV_MESH_FORMAT_OBJ);
}

/* ---- OFF ------------------------------------------------------------------------------------- */

static const char off_text[] = "\xef\xbb\xbf# the square again\n\nSTCNOFF # keyword\n"
                               "# numbers\r\n5 4 9\n0 0 0 255 0 0 255 0 0 1 0.5 0.5\n"
                               "1 0 0 nan\n# between\n\n  1 1e0 0\r\n0 1 0\n9 9 9 # unused\n"
                               "4 0 1 2 3 0.5 0.5 0.5 # with a colour\n2 0 4\n1 4 7\n"
                               "3  3 0 2\n# the end\n";

static void off(void) {
    CHECK_OK(read_text(off_text, OV_MESH_FORMAT_OFF));
    CHECK(mesh.vertex_count == 4 && mesh.triangle_count == 3); // 9 9 9 is used by no triangle
    check_vertex(0, 0.0, 0.0, 0.0);
    check_vertex(2, 1.0, 1.0, 0.0);
    check_vertex(3, 0.0, 1.0, 0.0);
    check_triangle(0, 0, 1, 2);
    check_triangle(1, 0, 2, 3);
    check_triangle(2, 3, 0, 2);
    cut_everywhere(off_text, sizeof off_text - 1, OV_MESH_FORMAT_OFF, false);
    // keywords, with the numbers on the same line, right behind it, and without one
    static const char *const heads[] = {
        "OFF 3 1 0",  "OFF3 1 0",     "3 1",       "COFF\n3 1 7",
        "NOFF\n3\n1", "CNOFF\n\n3 1", "STOFF 3 1", "OFF # x\n#\n 3 1 0 # y"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        char text[200];
        (void)snprintf(text, sizeof text, "%s\n0 0 0\n2 0 0\n0 3 0\n3 0 1 2", heads[i]);
        if (!CHECK_OK(read_text(text, OV_MESH_FORMAT_OFF)) || !CHECK(mesh.triangle_count == 1)) {
            fprintf(stderr, "the head was %s\n", heads[i]);
        }
        check_vertex(2, 0.0, 3.0, 0.0);
    }
    static const bad_text bad[] = {
        {"", OV_ERROR_FILE_FORMAT, 0},
        {"\n", OV_ERROR_FILE_FORMAT, 2},
        {"OFF\n", OV_ERROR_FILE_FORMAT, 2},
        {"OFF\n# 1 1\n", OV_ERROR_FILE_FORMAT, 3},
        {"off\n1 1 1\n", OV_ERROR_FILE_FORMAT, 1},
        {"OFF BINARY\n", OV_ERROR_FILE_FORMAT, 1},
        {"\nCN4OFF\n", OV_ERROR_FILE_FORMAT, 2},
        {"nOFF\n2\n", OV_ERROR_FILE_FORMAT, 1},
        {"4nOFF\n2\n", OV_ERROR_FILE_FORMAT, 1},
        {"OFF\n-1 1 0\n", OV_ERROR_FILE_FORMAT, 2},
        {"OFF\n1 1.5 0\n", OV_ERROR_FILE_FORMAT, 2},
        {"OFF\n1 0 0\n0 0 0\n", OV_ERROR_COUNT, 0},
        {"OFF\n1 1 0\n0 0\n0\n3 0 0 0", OV_ERROR_FILE_FORMAT, 3},
        {"OFF\n1 1 0\n0 0 x\n3 0 0 0", OV_ERROR_FILE_FORMAT, 3},
        {"OFF\n1 1 0\n0 inf 0\n3 0 0 0", OV_ERROR_NOT_FINITE, 3},
        {"OFF\n1 1 0\n0 0 1e70\n3 0 0 0", OV_ERROR_SIZE_RANGE, 3},
        {"OFF\n1 1 0\n0 0 0\n3 0 0\n", OV_ERROR_FILE_FORMAT, 4},
        {"OFF\n1 1 0\n0 0 0\n3 0 # 0 0\n", OV_ERROR_FILE_FORMAT, 4},
        {"OFF\n1 1 0\n0 0 0\n3 0 0 0.5\n", OV_ERROR_FILE_FORMAT, 4},
        {"OFF\n1 1 0\n0 0 0\n3 0 0 1\n", OV_ERROR_INDEX, 4},
        {"OFF\n1 1 0\n0 0 0\n3 0 -1 0\n", OV_ERROR_INDEX, 4},
        {"OFF\n1 1 0\n0 0 0\n3 0 0 4294967296\n", OV_ERROR_INDEX, 4},
        {"OFF\n1 1 0\n0 0 0\n0\n", OV_ERROR_FILE_FORMAT, 4},
        {"OFF\n1 1 0\n0 0 0\n1000000000000 0 0 0\n", OV_ERROR_FILE_FORMAT, 4},
        {"OFF\n1 1000000000000 0\n0 0 0\n3 0 0 0\n", OV_ERROR_FILE_FORMAT, 5},
        {"OFF\n1000000000000 1 0\n0 0 0\n", OV_ERROR_FILE_FORMAT, 4},
        {"OFF\n1 1 0\n0 0 0\n3 0 0 0\n3 0 0 0\n", OV_ERROR_FILE_FORMAT, 5},
    };
    CHECK_BAD(bad, OV_MESH_FORMAT_OFF);
}

/* ---- PLY ------------------------------------------------------------------------------------- */

static const char ply_text[] =
    "ply\r\nformat ascii 1.0\ncomment end_header\nobj_info x\nelement vertex 4\n"
    "property uchar red\nproperty float x\nproperty list uchar int extra\nproperty double y\n"
    "property float z\nelement camera 1\nproperty float nothing\nelement void 4000000000\n"
    "element face 2\nproperty list int8 uint32 vertex_index\nproperty float weight\nend_header\n"
    "255 0 0 0 0\n255 1 2 7 7 0 0\n\n0 1 1 9 1 0\n1 0 0 1 0\nnan\n3 0 1 2 0.5\n4 0 1 2 3 nan \n";

static const char ply_head[] =
    "ply\nformat binary_%s_endian 1.0\nelement face 2\nproperty list ushort short vertex_indices\n"
    "element vertex 4\nproperty double x\nproperty char y\nproperty float z\n"
    "property list int uchar more\nend_header\n";

static size_t put_number(char *out, uint64_t bits, size_t size, bool big) {
    for (size_t k = 0; k < size; k++) {
        out[big ? size - 1 - k : k] = (char)(bits >> 8 * k & 0xff);
    }
    return size;
}

/** The square again, in an odd order and with odd types. */
static size_t make_binary_ply(char *out, size_t room, bool big) {
    size_t n = (size_t)snprintf(out, room, ply_head, big ? "big" : "little");
    static const unsigned faces[] = {3, 0, 1, 2, 3, 0, 2, 3};
    for (size_t i = 0; i < 8; i++) {
        n += put_number(out + n, faces[i], 2, big);
    }
    for (int i = 0; i < 4; i++) {
        double x = i == 1 || i == 2;
        float z = -2.5f;
        uint64_t wide;
        uint32_t single;
        memcpy(&wide, &x, sizeof wide);
        memcpy(&single, &z, sizeof single);
        n += put_number(out + n, wide, 8, big);
        n += put_number(out + n, i >= 2 ? 0xff : 0, 1, big); // y = -1
        n += put_number(out + n, single, 4, big);
        n += put_number(out + n, (uint64_t)i, 4, big); // a list of i bytes
        n += put_number(out + n, 0, (size_t)i, big);
    }
    return n;
}

static void ply(void) {
    CHECK_OK(read_text(ply_text, OV_MESH_FORMAT_PLY));
    CHECK(mesh.vertex_count == 4 && mesh.triangle_count == 3);
    check_vertex(2, 1.0, 1.0, 0.0);
    check_vertex(3, 0.0, 1.0, 0.0);
    check_triangle(0, 0, 1, 2);
    check_triangle(2, 0, 2, 3);
    // without the last number, "nan", a row has too few
    cut_everywhere(ply_text, sizeof ply_text - 1, OV_MESH_FORMAT_PLY, false);
    for (size_t cut = 0; cut + 5 < sizeof ply_text - 1; cut++) {
        CHECK_STATUS(read_bytes(ply_text, cut, OV_MESH_FORMAT_PLY), OV_ERROR_FILE_FORMAT);
    }
    for (int big = 0; big < 2; big++) {
        char b[600];
        size_t size = make_binary_ply(b, sizeof b, big == 1);
        CHECK_OK(read_bytes(b, size, OV_MESH_FORMAT_PLY));
        CHECK(mesh.vertex_count == 4 && mesh.triangle_count == 2);
        check_vertex(1, 1.0, 0.0, -2.5);
        check_vertex(2, 1.0, -1.0, -2.5);
        check_triangle(1, 0, 2, 3);
        cut_everywhere(b, size, OV_MESH_FORMAT_PLY, true);
    }
}

#define PLY_HEAD(v, f)                                                                             \
    "ply\nformat ascii 1.0\nelement vertex " v                                                     \
    "\nproperty float x\nproperty float y\nproperty float z\nelement face " f                      \
    "\nproperty list int int vertex_indices\nend_header\n"

static void ply_bad(void) {
    static const bad_text bad[] = {
        {"", OV_ERROR_FILE_FORMAT, 0},
        {"plyy\n", OV_ERROR_FILE_FORMAT, 1},
        {"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", OV_ERROR_FILE_FORMAT, 1},
        {"ply\n", OV_ERROR_FILE_FORMAT, 2},
        {"ply\nend_header\n", OV_ERROR_FILE_FORMAT, 2},
        {"ply\nformat ascii 2.0\n", OV_ERROR_FILE_FORMAT, 2},
        {"ply\nformat binary 1.0\n", OV_ERROR_FILE_FORMAT, 2},
        {"ply\nformat ascii 1.0\nformat ascii 1.0\n", OV_ERROR_FILE_FORMAT, 3},
        {"ply\nformat ascii 1.0\nproperty float x\n", OV_ERROR_FILE_FORMAT, 3},
        {"ply\nformat ascii 1.0\nelement vertex -1\n", OV_ERROR_FILE_FORMAT, 3},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty quad x\n", OV_ERROR_FILE_FORMAT, 4},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty list int x\n", OV_ERROR_FILE_FORMAT, 4},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nproperty int x\n",
         OV_ERROR_FILE_FORMAT, 5},
        {"ply\nformat ascii 1.0\nelement vertex 1\nproperty int x\nend_header\n",
         OV_ERROR_FILE_FORMAT, 5},
        {"ply\nformat ascii 1.0\nelement face 0\nproperty list int int vertex_index\nend_header\n",
         OV_ERROR_FILE_FORMAT, 5},
        {"ply\nfrmat\n", OV_ERROR_FILE_FORMAT, 2},
        {PLY_HEAD("0", "0"), OV_ERROR_COUNT, 0},
        {PLY_HEAD("1", "0") "0 0 0\n", OV_ERROR_COUNT, 0},
        {PLY_HEAD("1", "0") "0 0\n", OV_ERROR_FILE_FORMAT, 10},
        {PLY_HEAD("1", "0") "0 0 0 0\n", OV_ERROR_FILE_FORMAT, 10},
        {PLY_HEAD("1", "0") "0 0 nan\n", OV_ERROR_NOT_FINITE, 10},
        {PLY_HEAD("1", "1") "0 0 0\n2 0 0\n", OV_ERROR_FILE_FORMAT, 11},
        {PLY_HEAD("1", "1") "0 0 0\n-3 0 0 0\n", OV_ERROR_FILE_FORMAT, 11},
        {PLY_HEAD("1", "1") "0 0 0\n2000000000 0 0 0\n", OV_ERROR_FILE_FORMAT, 11},
        {PLY_HEAD("1", "1") "0 0 0\n1000000000 0 0 0\n", OV_ERROR_FILE_FORMAT, 11},
        {PLY_HEAD("1", "1") "0 0 0\n3 0 0 1\n", OV_ERROR_INDEX, 11},
        {PLY_HEAD("1", "1") "0 0 0\n3 0 0 -1\n", OV_ERROR_INDEX, 11},
        {PLY_HEAD("1", "1") "0 0 0\n3 0 0 0.5\n", OV_ERROR_INDEX, 11},
        {PLY_HEAD("3", "1") "0 0 0\n1 0 0\n0 1 0\n3 0 1 4294967295\n", OV_ERROR_INDEX, 13},
        {PLY_HEAD("999999999999", "1") "0 0 0\n", OV_ERROR_FILE_FORMAT, 11},
    };
    CHECK_BAD(bad, OV_MESH_FORMAT_PLY);
}

/* ---- polygons ---------------------------------------------------------------------------------
 * Triangles that all turn the polygon's way and whose areas add up to its own cover it once. */

/** A polygon whose corners are at random distances from a point, in a random plane; or a comb. */
static size_t make_polygon(check_random *r, ov_vec3 *v, ov_vec3 *normal) {
    size_t count = 4 + check_random_bits(r) % 30;
    ov_quat turn = check_rotation(r);
    ov_vec3 centre = ov_vec3_scale(check_unit_vector(r), 10.0);
    bool comb = check_random_bits(r) % 4 == 0;
    count += comb ? count % 2 : 0;
    for (size_t i = 0; i < count; i++) {
        double angle = 2.0 * M_PI * ((double)i + check_uniform(r, 0.1, 0.9)) / (double)count;
        double radius = check_uniform(r, 0.05, 1.0);
        v[i] = ov_vec3_make(radius * cos(angle), radius * sin(angle), 0.0);
        if (comb) {
            // teeth upwards, and the back of the comb as the edge from the last corner
            v[i] = ov_vec3_make(-(double)i,
                                i == 0 || i + 1 == count ? 0.0
                                : i % 2 == 0             ? 1.0
                                                         : 9.0,
                                0.0);
        }
        v[i] = ov_vec3_add(ov_quat_rotate(turn, v[i]), centre);
    }
    *normal = ov_quat_rotate(turn, ov_vec3_make(0.0, 0.0, 1.0));
    return count;
}

static double signed_area(const ov_vec3 *a, const ov_vec3 *b, const ov_vec3 *c, ov_vec3 normal) {
    return 0.5 * ov_vec3_dot(ov_vec3_cross(ov_vec3_sub(*b, *a), ov_vec3_sub(*c, *a)), normal);
}

static void check_cover(const ov_vec3 *v, size_t count, ov_vec3 normal, double *worst) {
    double area = 0.0, covered = 0.0;
    for (size_t i = 1; i + 1 < count; i++) {
        area += signed_area(&v[0], &v[i], &v[i + 1], normal); // some of these are negative
    }
    CHECK(mesh.triangle_count == count - 2 && mesh.vertex_count == count);
    for (size_t t = 0; t < mesh.triangle_count; t++) {
        const uint32_t *k = mesh.triangles[t];
        double part =
            signed_area(&mesh.vertices[k[0]], &mesh.vertices[k[1]], &mesh.vertices[k[2]], normal);
        CHECK(part > -1e-13);
        covered += fabs(part);
    }
    CHECK_NEAR(covered, area, 1e-12 * area);
    *worst = fmax(*worst, fabs(covered - area) / area);
}

static void polygons(void) {
    check_random r = check_random_make(54);
    double worst = 0.0;
    for (int i = 0; i < 600; i++) {
        ov_vec3 v[40], normal;
        size_t count = make_polygon(&r, v, &normal), n = 0, m = 0;
        char text[8192], list[512];
        for (size_t k = 0; k < count; k++) {
            n += (size_t)snprintf(text + n, sizeof text - n, "v %.17g %.17g %.17g\n", v[k].x,
                                  v[k].y, v[k].z);
            m += (size_t)snprintf(list + m, sizeof list - m, " %zu", k + 1);
        }
        (void)snprintf(text + n, sizeof text - n, "f%s\n", list);
        if (CHECK_OK(read_text(text, OV_MESH_FORMAT_OBJ))) {
            check_cover(v, count, normal, &worst);
        }
    }
    check_worst("area covered by the triangles of a polygon", worst, 1e-12);
    // a polygon that crosses itself, one without area, and one with a corner twice
    CHECK_OK(read_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3 4\n", OV_MESH_FORMAT_OBJ));
    CHECK(mesh.triangle_count == 2);
    CHECK_OK(read_text("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nf 1 2 3 4\n", OV_MESH_FORMAT_OBJ));
    CHECK(mesh.triangle_count == 2);
    CHECK_OK(read_text("v 0 0 0\nv 3 0 0\nv 1 1 0\nv 0 3 0\nf 1 2 3 3 4\n", OV_MESH_FORMAT_OBJ));
    CHECK(mesh.triangle_count == 3);
}

/* ---- the way in ------------------------------------------------------------------------------ */

static void arguments(void) {
    static const char text[] = "v 0 0 0\nf 1 1 1\n";
    ov_mesh_data other = {(ov_vec3 *)&mesh, NULL, 7, 7};
    CHECK_STATUS(ov_mesh_read(NULL, &other, &fault), OV_ERROR_NULL);
    CHECK(other.vertices == NULL && other.vertex_count == 0);
    CHECK_STATUS(ov_mesh_read("a.obj", NULL, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_mesh_read_memory(NULL, 1, OV_MESH_FORMAT_OBJ, &other, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_mesh_read_memory(text, 1, OV_MESH_FORMAT_OBJ, NULL, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_mesh_read_memory(text, 1, OV_MESH_FORMAT_NONE, &other, &fault),
                 OV_ERROR_OPTION);
    CHECK_STATUS(ov_mesh_read_memory(text, 1, (ov_mesh_format)77, &other, NULL), OV_ERROR_OPTION);
    CHECK_STATUS(
        ov_mesh_read_memory(text, OV_MESH_BYTES_MAX + 1, OV_MESH_FORMAT_OBJ, &other, &fault),
        OV_ERROR_COUNT);
    CHECK_STATUS(ov_mesh_read("no/such/file.stl", &other, &fault), OV_ERROR_FILE_OPEN);
    CHECK(strcmp(fault.text, "cannot be opened") == 0 && fault.index == 0);
    CHECK(mkdir("a.ply", 0777) == 0);
    CHECK_STATUS(ov_mesh_read("a.ply", &other, &fault), OV_ERROR_FILE_READ);
    CHECK(rmdir("a.ply") == 0);
    FILE *f = fopen("a.gltf", "wb");
    CHECK(f != NULL && fclose(f) == 0);
    CHECK_STATUS(ov_mesh_read("a.gltf", &other, &fault), OV_ERROR_FILE_FORMAT);
    CHECK(unlink("a.gltf") == 0);
    CHECK_OK(ov_mesh_read_memory(text, sizeof text - 1, OV_MESH_FORMAT_OBJ, &other, NULL));
    ov_mesh_free(&other);
    CHECK(other.vertices == NULL && other.triangles == NULL && other.triangle_count == 0);
    ov_mesh_free(&other);
    ov_mesh_free(NULL);
    CHECK(ov_mesh_format_from_path("x/Y.DAE") == OV_MESH_FORMAT_COLLADA);
    CHECK(ov_mesh_format_from_path("x.Off") == OV_MESH_FORMAT_OFF);
    ov_vec3 v = {0, 0, 0};
    const uint32_t t[1][3] = {{0, 0, 0}};
    CHECK_STATUS(ov_mesh_write("a.dae", OV_MESH_FORMAT_COLLADA, &v, NULL, 1, t, 1),
                 OV_ERROR_OPTION);
    CHECK_STATUS(ov_mesh_write("a.off", OV_MESH_FORMAT_OFF, &v, NULL, 1, t, 1), OV_ERROR_OPTION);
}

static void damage(void) {
    char binary[600];
    size_t size = make_binary_ply(binary, sizeof binary, true);
    check_damaged(stl_text, sizeof stl_text - 1, OV_MESH_FORMAT_STL, 53);
    check_damaged(obj_text, sizeof obj_text - 1, OV_MESH_FORMAT_OBJ, 55);
    check_damaged(ply_text, sizeof ply_text - 1, OV_MESH_FORMAT_PLY, 56);
    check_damaged(off_text, sizeof off_text - 1, OV_MESH_FORMAT_OFF, 54);
    check_damaged(binary, size, OV_MESH_FORMAT_PLY, 57);
}

int main(void) {
    check_suite = "io_mesh_read";
    char folder[] = "test_io_mesh_read_XXXXXX";
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        perror(folder);
        return EXIT_FAILURE;
    }
    RUN(round_trips);
    RUN(numbers);
    RUN(stl);
    RUN(stl_binary);
    RUN(obj);
    RUN(off);
    RUN(ply);
    RUN(ply_bad);
    RUN(polygons);
    RUN(arguments);
    RUN(damage);
    ov_mesh_free(&mesh);
    CHECK(chdir("..") == 0 && rmdir(folder) == 0);
    return check_finish();
}
