/**
 * @file test_io_file.c
 * @brief Files that are there completely or not at all: links, permissions, devices, full disks,
 * several threads, and a program that is made to end; and what a file holds.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ovoid/io.h>

#include "check.h"

static void put(const char *path, const char *text) {
    FILE *f = fopen(path, "wb");
    CHECK(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0);
}

static bool holds(const char *path, const char *text) {
    char found[256] = "";
    FILE *f = fopen(path, "rb");
    size_t length = f != NULL ? fread(found, 1, sizeof found - 1, f) : 0;
    if (f != NULL) {
        (void)fclose(f);
    }
    found[length] = '\0';
    return f != NULL && strcmp(found, text) == 0;
}

/** Number of files in this folder that are half written. */
static int litter(void) {
    FILE *f = popen("find . -name '.ovoid-*' | wc -l", "r");
    int count = -1;
    CHECK(f != NULL && fscanf(f, "%d", &count) == 1);
    CHECK(pclose(f) == 0);
    return count;
}

static ov_file_out *begin(const char *path, const char *text) {
    ov_file_out *out = NULL;
    CHECK_OK(ov_file_out_open(path, &out));
    CHECK(out != NULL && fputs(text, ov_file_out_stream(out)) >= 0);
    return out;
}

static void complete_or_not(void) {
    put("old", "old");
    ov_file_out *out = begin("old", "new");
    CHECK(holds("old", "old") && litter() == 1);
    ov_file_out_abandon(out);
    CHECK(holds("old", "old") && litter() == 0);
    CHECK_OK(ov_file_out_commit(begin("old", "new")));
    CHECK(holds("old", "new") && litter() == 0);
    ov_file_out_abandon(begin("fresh", "new"));
    CHECK(access("fresh", F_OK) != 0 && litter() == 0);
    CHECK_OK(ov_file_out_commit(begin("fresh", "new")));
    CHECK(holds("fresh", "new"));
    // two that are to be there together
    ov_file_out *a = begin("fresh", "first"), *b = begin("old", "second");
    CHECK_OK(ov_file_out_finish(a));
    CHECK_OK(ov_file_out_finish(b));
    CHECK(ov_file_out_stream(a) == NULL && holds("fresh", "new") && holds("old", "new"));
    CHECK_OK(ov_file_out_commit(a));
    ov_file_out_abandon(b);
    CHECK(holds("fresh", "first") && holds("old", "new") && litter() == 0);
    ov_file_out_abandon(NULL);
    CHECK_STATUS(ov_file_out_commit(NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_file_out_finish(NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_file_out_open(NULL, &a), OV_ERROR_NULL);
    CHECK_STATUS(ov_file_out_open("x", NULL), OV_ERROR_NULL);
    CHECK(ov_file_out_stream(NULL) == NULL && ov_file_out_target(NULL) == NULL);
}

static void permissions(void) {
    static const mode_t modes[] = {0600, 0640, 0644, 0755, 0666, 0200};
    struct stat there;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        put("mode", "old");
        CHECK(chmod("mode", modes[i]) == 0);
        CHECK_OK(ov_file_out_commit(begin("mode", "new")));
        CHECK(stat("mode", &there) == 0 && (there.st_mode & 07777) == modes[i]);
    }
    mode_t before = umask(027);
    CHECK_OK(ov_file_out_commit(begin("masked", "new")));
    CHECK(stat("masked", &there) == 0 && (there.st_mode & 07777) == 0640);
    (void)umask(before);
}

static void links(void) {
    struct stat there;
    CHECK(mkdir("away", 0777) == 0);
    put("away/file", "old");
    CHECK(symlink("away/file", "one") == 0 && symlink("one", "two") == 0);
    ov_file_out *out = begin("two", "new");
    CHECK(strstr(ov_file_out_target(out), "/away/file") != NULL);
    CHECK_OK(ov_file_out_commit(out));
    CHECK(holds("away/file", "new"));
    CHECK(lstat("two", &there) == 0 && S_ISLNK(there.st_mode));
    // one that leads to nothing yet
    CHECK(symlink("away/later", "dangling") == 0);
    CHECK_OK(ov_file_out_commit(begin("dangling", "made")));
    CHECK(holds("away/later", "made"));
    CHECK(link("away/file", "hard") == 0);
    CHECK_OK(ov_file_out_commit(begin("hard", "other")));
    CHECK(holds("hard", "other") && holds("away/file", "new"));
    CHECK(symlink("round", "round") == 0);
    ov_file_out *none = out;
    CHECK_STATUS(ov_file_out_open("round", &none), OV_ERROR_FILE_OPEN);
    CHECK(none == NULL && errno == ELOOP);
}

static void refusals(void) {
    static const struct {
        const char *path;
        int cause;
    } cases[] = {{"", ENOENT},   {"away", EISDIR},    {"away/", EISDIR}, {".", EISDIR},
                 {"/", EISDIR},  {"no/file", ENOENT}, {"no/", ENOENT},   {"old/x", ENOTDIR},
                 {"..", EISDIR}, {"away/..", EISDIR}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ov_file_out *out;
        errno = 0;
        CHECK_STATUS(ov_file_out_open(cases[i].path, &out), OV_ERROR_FILE_OPEN);
        if (!CHECK(out == NULL && errno == cases[i].cause)) {
            fprintf(stderr, "%s: %s\n", cases[i].path, strerror(errno));
        }
    }
    CHECK(litter() == 0);
}

static void devices(void) {
    ov_file_out *out = begin("/dev/null", "text");
    CHECK(ov_file_out_target(out) == NULL);
    CHECK_OK(ov_file_out_commit(out));
    if (access("/dev/full", W_OK) == 0) {
        errno = 0;
        CHECK_STATUS(ov_file_out_commit(begin("/dev/full", "text")), OV_ERROR_FILE_WRITE);
        CHECK(errno == ENOSPC);
    }
    // an open file, not the name that it has
    put("open", "before ");
    int file = open("open", O_WRONLY | O_APPEND);
    char name[64];
    (void)snprintf(name, sizeof name, "/dev/fd/%d", file);
    if (CHECK(file >= 0) && access(name, F_OK) == 0) {
        CHECK_OK(ov_file_out_commit(begin(name, "after")));
        CHECK(holds("open", "before after"));
        CHECK(write(file, "!", 1) == 1); // it stays open
    }
    (void)close(file);
}

/** A file that may not grow: as a full disk, at any byte. */
static void no_room(void) {
    put("old", "old");
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (child == 0) {
            struct rlimit limit = {4096, 4096};
            (void)signal(SIGXFSZ, SIG_IGN);
            (void)setrlimit(RLIMIT_FSIZE, &limit);
            ov_file_out *out = begin("old", "");
            for (int k = 0; k < 4000 + 2000 * i; k++) {
                (void)fputc('x', ov_file_out_stream(out));
            }
            bool fits = i == 0;
            errno = 0;
            ov_status status = ov_file_out_commit(out);
            _exit(fits ? status != OV_OK : status != OV_ERROR_FILE_WRITE || errno != EFBIG);
        }
        int how = -1;
        CHECK(waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) == 0);
        CHECK(litter() == 0);
        if (i == 0) {
            struct stat there;
            CHECK(stat("old", &there) == 0 && there.st_size == 4000);
            put("old", "old");
        }
        CHECK(holds("old", "old"));
    }
}

/** What a handler does. */
static void on_end(int number) {
    ov_files_abandon();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void made_to_end(void) {
    put("old", "old");
    for (int i = 0; i < 20; i++) {
        pid_t child = fork();
        if (child == 0) {
            (void)signal(SIGTERM, on_end);
            for (;;) { // ends by the signal, wherever that comes
                ov_file_out *a = begin("other", "half"), *b = begin("old", "half");
                ov_file_out_abandon(b);
                ov_file_out_abandon(a);
            }
        }
        (void)usleep((useconds_t)(1000 + 700 * i));
        int how = 0;
        CHECK(kill(child, SIGTERM) == 0 && waitpid(child, &how, 0) == child);
        CHECK(WIFSIGNALED(how) && WTERMSIG(how) == SIGTERM);
        CHECK(holds("old", "old") && access("other", F_OK) != 0 && litter() == 0);
    }
    // a child has the list, but what is in it belongs to its parent
    ov_file_out *out = begin("old", "new");
    pid_t child = fork();
    if (child == 0) {
        ov_files_abandon();
        _exit(0);
    }
    CHECK(waitpid(child, NULL, 0) == child && litter() == 1);
    CHECK_OK(ov_file_out_commit(out));
    CHECK(holds("old", "new"));
    // what goes on after all fails
    out = begin("old", "newer");
    ov_files_abandon();
    CHECK_STATUS(ov_file_out_commit(out), OV_ERROR_FILE_WRITE);
    CHECK(holds("old", "new") && litter() == 0);
}

/** Null where all went well. */
static void *write_many(void *argument) {
    char path[32];
    bool good = true;
    for (int i = 0; i < 50; i++) {
        (void)snprintf(path, sizeof path, "thread-%d-%d", *(int *)argument, i % 5);
        ov_file_out *out = NULL;
        good = ov_file_out_open(path, &out) == OV_OK && good;
        good = out != NULL && fprintf(ov_file_out_stream(out), "%d", i) > 0 && good;
        if (i % 3 == 0) {
            ov_file_out_abandon(out);
        } else {
            good = ov_file_out_commit(out) == OV_OK && good;
        }
    }
    return good ? NULL : argument;
}

static void threads(void) {
    enum { COUNT = 4 };
    pthread_t running[COUNT];
    int numbers[COUNT] = {0, 1, 2, 3};
    for (int i = 0; i < COUNT; i++) {
        CHECK(pthread_create(&running[i], NULL, write_many, &numbers[i]) == 0);
    }
    for (int i = 0; i < COUNT; i++) {
        void *failed = NULL;
        CHECK(pthread_join(running[i], &failed) == 0 && failed == NULL);
    }
    CHECK(litter() == 0);
    CHECK(holds("thread-3-4", "49") && holds("thread-0-3", "43"));
}

/* ---- what a file holds ----------------------------------------------------------------------- */

static void kinds(void) {
    static const struct {
        const char *text;
        ov_file_kind kind;
    } known[] = {
        {"", OV_FILE_KIND_UNKNOWN},
        {"hello", OV_FILE_KIND_UNKNOWN},
        {"\xef\xbb\xbf {\"bodies\": []}", OV_FILE_KIND_SCENE},
        {"{\"bodies\": [{\"name\": \"time\"}]}", OV_FILE_KIND_SCENE},
        {"{\"bodies\": [{\"name\": \"\\\"motion\\\":\"}]}", OV_FILE_KIND_SCENE},
        {"{\"bodies\": [{\"motion\" : null}]}", OV_FILE_KIND_MOTION_SCENE},
        {"{\"time\": [0, 1], \"bodies\": []}", OV_FILE_KIND_MOTION_SCENE},
        {"{\"a\": {\"bodies\": 1}}", OV_FILE_KIND_JSON},
        {"{\"asset\": {}, \"bufferViews\": []}", OV_FILE_KIND_GLTF},
        {"glTF\x02", OV_FILE_KIND_GLTF},
        {"<?xml version='1.0'?>\n<!-- <sdf> -->\n<robot name='x'/>", OV_FILE_KIND_URDF},
        {"<robot>", OV_FILE_KIND_URDF},
        {"<robots>", OV_FILE_KIND_XML},
        {"<!-- no end", OV_FILE_KIND_UNKNOWN},
        {"<robot><xacro:macro/></robot>", OV_FILE_KIND_XACRO},
        {"<!DOCTYPE sdf><sdf version='1.6'>", OV_FILE_KIND_SDFORMAT},
        {"<mujoco/>", OV_FILE_KIND_MJCF},
        {"<COLLADA xmlns=''>", OV_FILE_KIND_COLLADA},
        {"<svg/>", OV_FILE_KIND_XML},
        {"ply\nformat", OV_FILE_KIND_PLY},
        {"plywood,x\n", OV_FILE_KIND_UNKNOWN},
        {"solid cube\n", OV_FILE_KIND_STL},
        {"OFF\n8 6 12\n", OV_FILE_KIND_OFF},
        {"OFFSET\n", OV_FILE_KIND_UNKNOWN},
        {"solidity,1\n", OV_FILE_KIND_UNKNOWN},
        {OV_PAIRS_HEADER, OV_FILE_KIND_PAIRS},
        {"ovoid replay 1\n", OV_FILE_KIND_REPLAY},
        {"version https://git-lfs.github.com/spec/v1\n", OV_FILE_KIND_LFS},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        ov_file_kind kind = ov_file_kind_of(known[i].text, strlen(known[i].text));
        if (!CHECK(kind == known[i].kind)) {
            fprintf(stderr, "%s: is %s\n", known[i].text, ov_file_kind_name(kind));
        }
        // any part of it is something, or nothing
        for (size_t size = 0; size < strlen(known[i].text); size++) {
            CHECK(ov_file_kind_of(known[i].text, size) < OV_FILE_KIND_COUNT);
        }
    }
    CHECK(ov_file_kind_of(NULL, 0) == OV_FILE_KIND_UNKNOWN);
    for (int i = -1; i <= OV_FILE_KIND_COUNT; i++) {
        CHECK(ov_file_kind_name((ov_file_kind)i)[0] != '\0');
    }
}

int main(void) {
    check_suite = "io_file";
    char folder[] = "test_io_file.XXXXXX";
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        return 1;
    }
    RUN(kinds);
    RUN(complete_or_not);
    RUN(permissions);
    RUN(links);
    RUN(refusals);
    RUN(devices);
    RUN(no_room);
    RUN(made_to_end);
    RUN(threads);
    CHECK(system("rm -rf ./* ./.o*") == 0 && chdir("..") == 0 && rmdir(folder) == 0);
    return check_finish();
}
