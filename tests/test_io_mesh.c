/**
 * @file test_io_mesh.c
 * @brief Meshes written, and read back by readers of this file's own; and writes that fail.
 */
#include <dirent.h>
#include <float.h>
#include <locale.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ovoid/io.h>

#include "check.h"

enum { MAX_VERTICES = 64, MAX_TRIANGLES = 64, MAX_BYTES = 1 << 16 };

typedef struct mesh {
    ov_vec3 v[MAX_VERTICES], n[MAX_VERTICES];
    uint32_t t[MAX_TRIANGLES][3];
    size_t nv, nt;
} mesh;

static mesh sample, back;
static unsigned char bytes[MAX_BYTES];

/** Numbers that are hard to print: any bits, subnormal, huge, negative zero. */
static double awkward(check_random *r) {
    switch (check_random_bits(r) % 6) {
    case 0:
        return check_uniform(r, -1.0, 1.0);
    case 1:
        return check_log_uniform(r, 1e-300, 1e300);
    case 2:
        return 1.0 / 3.0;
    case 3:
        return -4.9e-324;
    case 4:
        return -0.0;
    default:
        return -DBL_MAX * check_uniform(r, 0.5, 1.0);
    }
}

static void fill_sample(check_random *r, bool single) {
    memset(&sample, 0, sizeof sample);
    sample.nv = 40;
    sample.nt = 50;
    for (size_t i = 0; i < sample.nv; i++) {
        sample.v[i] = ov_vec3_make(awkward(r), awkward(r), awkward(r));
        if (single) {
            sample.v[i] = ov_vec3_scale(check_unit_vector(r), check_log_uniform(r, 1e-3, 1e3));
        }
        sample.n[i] = check_unit_vector(r);
    }
    for (size_t t = 0; t < sample.nt; t++) {
        for (int k = 0; k < 3; k++) {
            sample.t[t][k] = (uint32_t)((check_random_bits(r) % 13 + 13 * (unsigned)k) % 39);
        }
    }
}

static ov_status write_sample(const char *path, ov_mesh_format format, bool normals) {
    return ov_mesh_write(path, format, sample.v, normals ? sample.n : NULL, sample.nv, sample.t,
                         sample.nt);
}

static size_t read_bytes(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!CHECK(f != NULL)) {
        return 0;
    }
    size_t n = fread(bytes, 1, MAX_BYTES - 1, f);
    bytes[n] = 0;
    (void)fclose(f);
    return n;
}

static bool same_bits(const void *a, const void *b, size_t size) { return memcmp(a, b, size) == 0; }

/** To the bit, but in text for the sign of zero, which is not written. */
static bool same_points(const ov_vec3 *a, const ov_vec3 *b, size_t count, bool text) {
    bool same = true;
    for (size_t i = 0; i < count; i++) {
        same = same && (text ? a[i].x == b[i].x && a[i].y == b[i].y && a[i].z == b[i].z
                             : same_bits(&a[i], &b[i], sizeof a[i]));
    }
    return same;
}

/** Number of entries of the folder, to see that nothing is left behind. */
static int entries(void) {
    int count = 0;
    DIR *folder = opendir(".");
    if (CHECK(folder != NULL)) {
        while (readdir(folder) != NULL) {
            count++;
        }
        (void)closedir(folder);
    }
    return count;
}

/* ---- readers */

static void read_obj(bool normals) {
    memset(&back, 0, sizeof back);
    size_t nn = 0;
    char *save = NULL;
    for (char *line = strtok_r((char *)bytes, "\n", &save); line != NULL;
         line = strtok_r(NULL, "\n", &save)) {
        ov_vec3 p;
        unsigned a, b, c, na = 0, nb = 0, nc = 0;
        if (sscanf(line, "v %lf %lf %lf", &p.x, &p.y, &p.z) == 3) {
            back.v[back.nv++ % MAX_VERTICES] = p;
        } else if (sscanf(line, "vn %lf %lf %lf", &p.x, &p.y, &p.z) == 3) {
            back.n[nn++ % MAX_VERTICES] = p;
        } else if (sscanf(line, "f %u//%u %u//%u %u//%u", &a, &na, &b, &nb, &c, &nc) == 6 ||
                   sscanf(line, "f %u %u %u", &a, &b, &c) == 3) {
            CHECK(normals == (na != 0));
            CHECK(!normals || (na == a && nb == b && nc == c));
            uint32_t *t = back.t[back.nt++ % MAX_TRIANGLES];
            t[0] = a - 1;
            t[1] = b - 1;
            t[2] = c - 1;
        } else {
            CHECK(line[0] == '#');
        }
    }
    CHECK(nn == (normals ? back.nv : 0));
}

static double get_double(const unsigned char *p) {
    uint64_t bits = 0;
    for (int k = 7; k >= 0; k--) {
        bits = bits << 8 | p[k];
    }
    double out;
    memcpy(&out, &bits, sizeof out);
    return out;
}

static uint32_t get_u32(const unsigned char *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static double get_float(const unsigned char *p) {
    uint32_t bits = get_u32(p);
    float out;
    memcpy(&out, &bits, sizeof out);
    return (double)out;
}

static void read_ply(size_t size, bool normals) {
    memset(&back, 0, sizeof back);
    char *text = (char *)bytes, *end = strstr(text, "end_header\n");
    unsigned nv = 0, nt = 0;
    if (!CHECK(end != NULL) ||
        !CHECK(strncmp(text, "ply\nformat binary_little_endian 1.0\n", 36) == 0)) {
        return;
    }
    const char *vertex = strstr(text, "element vertex "), *face = strstr(text, "element face ");
    CHECK(vertex != NULL && sscanf(vertex, "element vertex %u", &nv) == 1);
    CHECK(face != NULL && sscanf(face, "element face %u", &nt) == 1);
    CHECK(strstr(text, "property double x\nproperty double y\nproperty double z\n") != NULL);
    CHECK(normals ==
          (strstr(text, "property double nx\nproperty double ny\nproperty double nz\n") != NULL));
    CHECK(strstr(text, "property list uchar uint vertex_indices\n") != NULL);
    const unsigned char *p = (unsigned char *)end + 11;
    size_t record = normals ? 48 : 24, expected = (size_t)(p - bytes) + nv * record + nt * 13u;
    if (!CHECK(size == expected) || !CHECK(nv <= MAX_VERTICES && nt <= MAX_TRIANGLES)) {
        return;
    }
    for (; back.nv < nv; back.nv++, p += record) {
        back.v[back.nv] = ov_vec3_make(get_double(p), get_double(p + 8), get_double(p + 16));
        if (normals) {
            back.n[back.nv] =
                ov_vec3_make(get_double(p + 24), get_double(p + 32), get_double(p + 40));
        }
    }
    for (; back.nt < nt; back.nt++, p += 13) {
        CHECK(p[0] == 3);
        for (int k = 0; k < 3; k++) {
            back.t[back.nt][k] = get_u32(p + 1 + 4 * k);
        }
    }
}

/* ---- writing */

static void exact_formats(void) {
    check_random r = check_random_make(1);
    for (int i = 0; i < 60; i++) {
        bool normals = i % 2 == 0, obj = i % 4 < 2;
        const char *path = obj ? "mesh.obj" : "mesh.ply";
        fill_sample(&r, false);
        CHECK_OK(write_sample(path, obj ? OV_MESH_FORMAT_OBJ : OV_MESH_FORMAT_PLY, normals));
        size_t size = read_bytes(path);
        if (obj) {
            read_obj(normals);
        } else {
            read_ply(size, normals);
        }
        CHECK(back.nv == sample.nv && back.nt == sample.nt);
        CHECK(same_points(back.v, sample.v, sample.nv, obj));
        CHECK(!normals || same_points(back.n, sample.n, sample.nv, obj));
        CHECK(same_bits(back.t, sample.t, sizeof back.t));
        (void)unlink(path);
    }
}

static void stl_format(void) {
    check_random r = check_random_make(2);
    for (int i = 0; i < 30; i++) {
        fill_sample(&r, true);
        double scale = check_log_uniform(&r, 1e-30, 1e30);
        for (size_t k = 0; k < sample.nv; k++) {
            sample.v[k] = ov_vec3_scale(sample.v[k], scale);
        }
        CHECK_OK(write_sample("mesh.stl", OV_MESH_FORMAT_STL, false));
        size_t size = read_bytes("mesh.stl");
        CHECK(size == 84 + 50 * sample.nt && get_u32(bytes + 80) == sample.nt);
        CHECK(strncmp((char *)bytes, "solid", 5) != 0);
        for (size_t t = 0; t < sample.nt && size == 84 + 50 * sample.nt; t++) {
            const unsigned char *p = bytes + 84 + 50 * t;
            ov_vec3 c[3];
            bool same = true;
            for (int k = 0; k < 3; k++) {
                c[k] = sample.v[sample.t[t][k]];
                same = same && get_float(p + 12 + 12 * k) == (double)(float)c[k].x &&
                       get_float(p + 16 + 12 * k) == (double)(float)c[k].y &&
                       get_float(p + 20 + 12 * k) == (double)(float)c[k].z;
            }
            CHECK(same && p[48] == 0 && p[49] == 0);
            ov_vec3 n = {get_float(p), get_float(p + 4), get_float(p + 8)};
            ov_vec3 e1 = ov_vec3_sub(c[1], c[0]), e2 = ov_vec3_sub(c[2], c[0]);
            CHECK_NEAR(ov_vec3_length(n), 1.0, 1e-6);
            CHECK_NEAR(ov_vec3_dot(n, ov_vec3_normalize(e1)), 0.0, 1e-6);
            CHECK_NEAR(ov_vec3_dot(n, ov_vec3_normalize(e2)), 0.0, 1e-6);
            CHECK(ov_vec3_dot(n, ov_vec3_cross(ov_vec3_normalize(e1), ov_vec3_normalize(e2))) >
                  0.0);
        }
    }
    // a triangle without area has the normal zero
    sample.v[sample.t[0][1]] = sample.v[sample.t[0][0]];
    CHECK_OK(write_sample("mesh.stl", OV_MESH_FORMAT_STL, false));
    (void)read_bytes("mesh.stl");
    CHECK(get_float(bytes + 84) == 0.0 && get_float(bytes + 88) == 0.0 &&
          get_float(bytes + 92) == 0.0);
    (void)unlink("mesh.stl");
}

static void bad_meshes(void) {
    check_random r = check_random_make(3);
    const ov_mesh_format formats[] = {OV_MESH_FORMAT_OBJ, OV_MESH_FORMAT_STL, OV_MESH_FORMAT_PLY};
    fill_sample(&r, true);
    int before = entries();
    for (int i = 0; i < 3; i++) {
        ov_mesh_format f = formats[i];
        const mesh good = sample;
        CHECK_STATUS(ov_mesh_write(NULL, f, sample.v, NULL, 40, sample.t, 50), OV_ERROR_NULL);
        CHECK_STATUS(ov_mesh_write("x", f, NULL, NULL, 40, sample.t, 50), OV_ERROR_NULL);
        CHECK_STATUS(ov_mesh_write("x", f, sample.v, NULL, 40, NULL, 50), OV_ERROR_NULL);
        CHECK_STATUS(ov_mesh_write("x", f, sample.v, NULL, 0, sample.t, 50), OV_ERROR_COUNT);
        CHECK_STATUS(ov_mesh_write("x", f, sample.v, NULL, 40, sample.t, 0), OV_ERROR_COUNT);
        if (sizeof(size_t) > 4) {
            size_t huge = (size_t)UINT32_MAX + 1;
            CHECK_STATUS(ov_mesh_write("x", f, sample.v, NULL, huge, sample.t, 50), OV_ERROR_COUNT);
            CHECK_STATUS(ov_mesh_write("x", f, sample.v, NULL, 40, sample.t, huge), OV_ERROR_COUNT);
        }
        CHECK_STATUS(ov_mesh_write_stream(NULL, f, sample.v, NULL, 40, sample.t, 50),
                     OV_ERROR_NULL);
        sample.t[49][2] = 40;
        CHECK_STATUS(write_sample("x", f, true), OV_ERROR_INDEX);
        sample = good;
        sample.v[39].z = NAN;
        CHECK_STATUS(write_sample("x", f, true), OV_ERROR_NOT_FINITE);
        sample = good;
        sample.n[3].x = INFINITY;
        CHECK_STATUS(write_sample("x", f, true), OV_ERROR_NOT_FINITE);
        sample = good;
        CHECK_STATUS(write_sample("", f, true), OV_ERROR_FILE_OPEN);
        CHECK_STATUS(write_sample("no/such/folder/x", f, true), OV_ERROR_FILE_OPEN);
        CHECK_STATUS(write_sample("/", f, true), OV_ERROR_FILE_OPEN);
        CHECK_STATUS(write_sample(".", f, true), OV_ERROR_FILE_OPEN);
    }
    CHECK_STATUS(write_sample("x", OV_MESH_FORMAT_NONE, true), OV_ERROR_OPTION);
    CHECK_STATUS(write_sample("x", (ov_mesh_format)77, true), OV_ERROR_OPTION);
    // beyond the floats of STL
    sample.v[5].x = 4e38;
    CHECK_STATUS(write_sample("x", OV_MESH_FORMAT_STL, true), OV_ERROR_SIZE_RANGE);
    for (size_t i = 0; i < sample.nv; i++) {
        sample.v[i] = ov_vec3_make(1e-39, -1e-45, 0.0);
    }
    CHECK_STATUS(write_sample("x", OV_MESH_FORMAT_STL, true), OV_ERROR_SIZE_RANGE);
    CHECK(entries() == before);
}

/** A full disk: the status tells, and an older file is as it was. */
static void full_disk(void) {
    check_random r = check_random_make(4);
    fill_sample(&r, true);
    int before = entries();
    const ov_mesh_format formats[] = {OV_MESH_FORMAT_OBJ, OV_MESH_FORMAT_STL, OV_MESH_FORMAT_PLY};
    for (int i = 0; i < 3; i++) {
        if (access("/dev/full", W_OK) != 0) {
            printf("%s: no /dev/full here, a full disk is not tried\n", check_suite);
            break;
        }
        CHECK_STATUS(write_sample("/dev/full", formats[i], true), OV_ERROR_FILE_WRITE);
        FILE *full = fopen("/dev/full", "wb");
        CHECK(full != NULL);
        if (full != NULL) {
            CHECK_STATUS(ov_mesh_write_stream(full, formats[i], sample.v, NULL, sample.nv, sample.t,
                                              sample.nt),
                         OV_ERROR_FILE_WRITE);
            (void)fclose(full);
        }
    }
    CHECK_OK(write_sample("/dev/null", OV_MESH_FORMAT_OBJ, true));
    struct stat there;
    CHECK(stat("/dev/null", &there) == 0 && S_ISCHR(there.st_mode));
    CHECK(entries() == before);
}

/**
 * A disk that fills up half-way, for which a limit on file sizes stands in: nothing new under the
 * name, nothing left beside it, and an older file unchanged.
 */
static void full_half_way(void) {
    check_random r = check_random_make(9);
    const ov_mesh_format formats[] = {OV_MESH_FORMAT_OBJ, OV_MESH_FORMAT_STL, OV_MESH_FORMAT_PLY};
    struct rlimit free_limit, limit;
    CHECK(getrlimit(RLIMIT_FSIZE, &free_limit) == 0);
    limit = free_limit;
    limit.rlim_cur = 1000;
    (void)signal(SIGXFSZ, SIG_IGN);
    fill_sample(&r, true);
    int before = entries();
    for (int i = 0; i < 3; i++) {
        CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
        CHECK_STATUS(write_sample("new", formats[i], true), OV_ERROR_FILE_WRITE);
        CHECK(setrlimit(RLIMIT_FSIZE, &free_limit) == 0);
        CHECK(entries() == before && access("new", F_OK) != 0);
        CHECK_OK(write_sample("old", formats[i], true));
        size_t size = read_bytes("old");
        static unsigned char first[MAX_BYTES];
        memcpy(first, bytes, size);
        CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
        CHECK_STATUS(write_sample("old", formats[i], false), OV_ERROR_FILE_WRITE);
        CHECK(setrlimit(RLIMIT_FSIZE, &free_limit) == 0);
        CHECK(read_bytes("old") == size && memcmp(bytes, first, size) == 0);
        CHECK(unlink("old") == 0 && entries() == before);
    }
    (void)signal(SIGXFSZ, SIG_DFL);
}

/** Older files give their name and permissions to the new ones; links stay links. */
static void replaced_files(void) {
    check_random r = check_random_make(5);
    fill_sample(&r, true);
    int before = entries();
    CHECK_OK(write_sample("keep.obj", OV_MESH_FORMAT_OBJ, true));
    CHECK(chmod("keep.obj", 0640) == 0 && entries() == before + 1);
    size_t size = read_bytes("keep.obj");
    // a second mesh takes the name and the permissions of the first
    sample.nt = 20;
    CHECK_OK(write_sample("keep.obj", OV_MESH_FORMAT_OBJ, true));
    struct stat there;
    CHECK(stat("keep.obj", &there) == 0 && (there.st_mode & 0777) == 0640);
    size_t smaller = read_bytes("keep.obj");
    CHECK(smaller > 0 && smaller < size && entries() == before + 1);
    // through a link: the link stays, its target is replaced
    CHECK(symlink("keep.obj", "link.obj") == 0);
    sample.nt = 10;
    CHECK_OK(write_sample("link.obj", OV_MESH_FORMAT_OBJ, true));
    CHECK(lstat("link.obj", &there) == 0 && S_ISLNK(there.st_mode));
    CHECK(read_bytes("keep.obj") < smaller);
    // through a link to nothing: the target is made
    CHECK(unlink("keep.obj") == 0);
    CHECK_OK(write_sample("link.obj", OV_MESH_FORMAT_OBJ, true));
    CHECK(lstat("link.obj", &there) == 0 && S_ISLNK(there.st_mode));
    CHECK(access("keep.obj", R_OK) == 0);
    CHECK(unlink("keep.obj") == 0 && unlink("link.obj") == 0);
    // a bad mesh leaves the older file alone, and one that may not be written stays
    CHECK_OK(write_sample("keep.obj", OV_MESH_FORMAT_OBJ, true));
    size = read_bytes("keep.obj");
    sample.v[0].x = NAN;
    CHECK_STATUS(write_sample("keep.obj", OV_MESH_FORMAT_OBJ, true), OV_ERROR_NOT_FINITE);
    sample.v[0].x = 0.0;
    if (geteuid() != 0) {
        CHECK(chmod("keep.obj", 0400) == 0);
        CHECK_STATUS(write_sample("keep.obj", OV_MESH_FORMAT_OBJ, true), OV_ERROR_FILE_OPEN);
    }
    CHECK(read_bytes("keep.obj") == size);
    CHECK(unlink("keep.obj") == 0 && entries() == before);
}

static void names_and_streams(void) {
    check_random r = check_random_make(6);
    CHECK(ov_mesh_format_from_path("a.obj") == OV_MESH_FORMAT_OBJ);
    CHECK(ov_mesh_format_from_path("/tmp/b.c/A.STL") == OV_MESH_FORMAT_STL);
    CHECK(ov_mesh_format_from_path("x.PlY") == OV_MESH_FORMAT_PLY);
    CHECK(ov_mesh_format_from_path(".ply") == OV_MESH_FORMAT_PLY);
    CHECK(ov_mesh_format_from_path("obj") == OV_MESH_FORMAT_NONE);
    CHECK(ov_mesh_format_from_path("a.obj.gz") == OV_MESH_FORMAT_NONE);
    CHECK(ov_mesh_format_from_path("a.obj/b") == OV_MESH_FORMAT_NONE);
    CHECK(ov_mesh_format_from_path("a\x0eobj") == OV_MESH_FORMAT_NONE);
    CHECK(ov_mesh_format_from_path("") == OV_MESH_FORMAT_NONE);
    CHECK(ov_mesh_format_from_path(NULL) == OV_MESH_FORMAT_NONE);
    // a stream gets the same bytes as a file, after what was in it
    fill_sample(&r, true);
    for (int i = 0; i < 3; i++) {
        const ov_mesh_format format = (ov_mesh_format)(OV_MESH_FORMAT_OBJ + i);
        CHECK_OK(write_sample("a", format, true));
        size_t size = read_bytes("a");
        static unsigned char first[MAX_BYTES];
        memcpy(first, bytes, size);
        FILE *f = fopen("b", "wb");
        CHECK(f != NULL);
        if (f != NULL) {
            (void)fputs("before", f);
            CHECK_OK(ov_mesh_write_stream(f, format, sample.v, sample.n, sample.nv, sample.t,
                                          sample.nt));
            (void)fclose(f);
        }
        CHECK(read_bytes("b") == size + 6 && memcmp(bytes + 6, first, size) == 0);
    }
    // a long name has no room for another beside it that is longer still
    char name[256];
    memset(name, 'n', 255);
    memcpy(name + 251, ".obj", 5);
    CHECK_OK(write_sample(name, OV_MESH_FORMAT_OBJ, false));
    CHECK(unlink(name) == 0 && unlink("a") == 0 && unlink("b") == 0);
}

/* ---- round trip */

/** Goes over to a locale with a decimal comma; where none is installed, one is made. */
static bool enter_comma_locale(void) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "comma"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (setlocale(LC_ALL, names[i]) != NULL) {
            return true;
        }
    }
    // glibc looks for locales in this folder then
    return system("localedef -i de_DE -f ISO-8859-1 ./comma >localedef.log 2>&1") == 0 &&
           setenv("LOCPATH", ".", 1) == 0 && setlocale(LC_ALL, "comma") != NULL;
}

/** A cloud written as OBJ comes back bit by bit, also in a locale with a decimal comma. */
static void round_trip(void) {
    check_random r = check_random_make(7);
    bool comma = enter_comma_locale();
    if (!comma) {
        printf("%s: no locale with a decimal comma here, the point is not put to that test\n",
               check_suite);
    }
    for (int i = 0; i < 20; i++) {
        fill_sample(&r, true);
        for (size_t k = 0; k < sample.nv; k++) {
            sample.v[k] = ov_vec3_scale(sample.v[k], check_log_uniform(&r, 1e-56, 1e56));
        }
        CHECK_OK(write_sample("cloud.obj", OV_MESH_FORMAT_OBJ, true));
        ov_vec3 *p = NULL;
        size_t count = 0;
        CHECK_OK(ov_points_read("cloud.obj", &p, &count, NULL));
        CHECK(count == sample.nv && p != NULL && same_points(p, sample.v, count, true));
        ov_points_free(p);
    }
    // the program's own locale is as before
    char text[16];
    (void)snprintf(text, sizeof text, "%.1f", 0.5);
    CHECK(text[1] == (comma ? ',' : '.'));
    (void)setlocale(LC_ALL, "C");
    (void)unlink("cloud.obj");
    (void)unlink("localedef.log");
    CHECK(system("rm -rf comma") == 0);
}

/* ---- vertices alone */

/** The points of a file with such contents; they are to be one, two, ... in x. */
static void expect_points(const char *name, const char *text, size_t size, size_t expected) {
    FILE *f = fopen(name, "wb");
    if (!CHECK(f != NULL && fwrite(text, 1, size, f) == size && fclose(f) == 0)) {
        return;
    }
    ov_vec3 *p = NULL;
    size_t count = 0;
    ov_fault fault = {.index = 99};
    if (CHECK_OK(ov_mesh_read_points(name, &p, &count, &fault)) && CHECK(count == expected)) {
        for (size_t i = 0; i < count; i++) {
            CHECK(p[i].x == (double)(i + 1) && p[i].y == 0.5 && p[i].z == -2.0);
        }
    }
    CHECK(fault.index == 0);
    ov_points_free(p);
    CHECK(unlink(name) == 0);
}

/** Clouds in files of meshes, and vertices that no triangle uses. */
static void clouds(void) {
    static const char ply[] = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\n"
                              "property float y\nproperty float z\nproperty uchar red\nend_header\n"
                              "1 .5 -2 7\n2 .5 -2 8\n";
    static const char binary[] = "ply\nformat binary_little_endian 1.0\nelement vertex 1\n"
                                 "property float x\nproperty float y\nproperty float z\n"
                                 "end_header\n\0\0\x80\x3f\0\0\0\x3f\0\0\0\xc0";
    static const char off[] = "OFF\n3 0 0\n1 .5 -2\n2 .5 -2\n3 .5 -2\n";
    static const char obj[] = "v 1 .5 -2\nv 2 .5 -2\nv 3 .5 -2\nv 4 .5 -2\nf 1 2 4\n";
    expect_points("cloud.ply", ply, sizeof ply - 1, 2);
    expect_points("cloud.ply", binary, sizeof binary - 1, 1);
    expect_points("cloud.off", off, sizeof off - 1, 3);
    expect_points("cloud.obj", obj, sizeof obj - 1, 4);
    ov_vec3 other, *p = &other;
    size_t count = 7;
    ov_fault fault;
    CHECK_STATUS(ov_mesh_read_points("none.ply", &p, &count, &fault), OV_ERROR_FILE_OPEN);
    CHECK(p == NULL && count == 0);
    CHECK_STATUS(ov_mesh_read_points(NULL, &p, &count, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_mesh_read_points("none.ply", NULL, &count, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_mesh_read_points("none.ply", &p, NULL, NULL), OV_ERROR_NULL);
    static const struct {
        const char *text;
        ov_status status;
    } bad[] = {{"vn 0 0 1\n", OV_ERROR_COUNT},
               {"v 0 0 nan\n", OV_ERROR_NOT_FINITE},
               {"v 0 0 0\nf 1 1 2\n", OV_ERROR_INDEX}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        FILE *f = fopen("bad.obj", "wb");
        CHECK(f != NULL && fputs(bad[i].text, f) >= 0 && fclose(f) == 0);
        p = &other;
        CHECK_STATUS(ov_mesh_read_points("bad.obj", &p, &count, &fault), bad[i].status);
        CHECK(p == NULL && count == 0 && fault.text[0] != '\0');
    }
    CHECK(unlink("bad.obj") == 0);
}

int main(void) {
    check_suite = "io_mesh";
    // in a folder of its own, so that what is left behind can be counted
    char folder[] = "test_io_mesh_XXXXXX";
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        perror(folder);
        return EXIT_FAILURE;
    }
    RUN(exact_formats);
    RUN(stl_format);
    RUN(bad_meshes);
    RUN(full_disk);
    RUN(full_half_way);
    RUN(replaced_files);
    RUN(names_and_streams);
    RUN(round_trip);
    RUN(clouds);
    CHECK(chdir("..") == 0 && rmdir(folder) == 0);
    return check_finish();
}
