/**
 * @file test_io_urdf_limits.c
 * @brief URDF files that ask for too much, of depth, length, entities or other files, end early and
 * with one line.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ovoid/io.h>

#include "check.h"

static ov_status read_bytes(const char *text, size_t length, ov_robot **robot, ov_fault *fault) {
    FILE *f = fopen("robot.urdf", "wb");
    if (!CHECK(f != NULL && fwrite(text, 1, length, f) == length && fclose(f) == 0)) {
        exit(1);
    }
    return ov_robot_read("robot.urdf", NULL, robot, fault);
}

static ov_status read_text(const char *text, ov_robot **robot, ov_fault *fault) {
    return read_bytes(text, strlen(text), robot, fault);
}

/** Reads a robot that must be good. */
static ov_robot *read_good(const char *text) {
    ov_robot *robot = NULL;
    ov_fault fault = {0};
    if (!CHECK_OK(read_text(text, &robot, &fault))) {
        fprintf(stderr, "line %zu: %s\n", fault.index, fault.text);
    }
    return robot;
}

/**
 * Reads what a child process writes: `before` and then `again` until a GB is written. True where
 * the reader went away long before that.
 */
static bool read_endless(const char *before, const char *again, ov_status expected,
                         const char *message) {
    int ends[2];
    if (!CHECK(pipe(ends) == 0)) {
        return false;
    }
    pid_t child = fork();
    if (child == 0) {
        size_t length = strlen(again), written = 0;
        char block[4096];
        size_t fill = sizeof block / length * length;
        for (size_t i = 0; i < fill; i++) {
            block[i] = again[i % length];
        }
        (void)signal(SIGPIPE, SIG_DFL);
        (void)close(ends[0]);
        ssize_t got = write(ends[1], before, strlen(before));
        while (got >= 0 && written < (size_t)1 << 30) {
            got = write(ends[1], block, fill);
            written += fill;
        }
        _exit(0);
    }
    (void)close(ends[1]);
    FILE *f = fdopen(ends[0], "rb");
    ov_robot *robot;
    ov_fault fault;
    CHECK_STATUS(ov_robot_read_stream(f, NULL, NULL, &robot, &fault), expected);
    if (!CHECK(strcmp(fault.text, message) == 0)) {
        fprintf(stderr, "said: %s\n", fault.text);
    }
    (void)fclose(f);
    int how = 0;
    CHECK(waitpid(child, &how, 0) == child);
    return WIFSIGNALED(how) && WTERMSIG(how) == SIGPIPE;
}

static void endless(void) {
    const char deep[] = "elements are nested deeper than 64";
    CHECK(read_endless("", "<a>", OV_ERROR_FILE_FORMAT, "<a> stands where <robot> should be"));
    CHECK(read_endless("<robot>", "<a>", OV_ERROR_COUNT, deep));
    CHECK(read_endless("<robot><link name='a'>", "<a>", OV_ERROR_COUNT, deep));
    // no nesting, but no end either
    CHECK(read_endless("<robot>", "<!-- -->", OV_ERROR_COUNT, "longer than 67108864 bytes"));
    CHECK(read_endless("<robot name='", "xxxx", OV_ERROR_COUNT, "longer than 67108864 bytes"));
    CHECK(read_endless("<robot>", "<link name='a'/>", OV_ERROR_COUNT, "more than 10000 links"));
    CHECK(read_endless("<robot><link name='a'><collision>", "<a/>", OV_ERROR_COUNT,
                       "more than 1048576 elements within one"));
    // what is kept for other programs
    const char many[] = "more than 1048576 elements for other programs";
    CHECK(read_endless("<robot>", "<a/>", OV_ERROR_COUNT, many));
    CHECK(read_endless("<robot><link name='a'>", "<a/>", OV_ERROR_COUNT, many));
    CHECK(read_endless("<robot><joint name='a'>", "<a/>", OV_ERROR_COUNT, many));
    CHECK(
        read_endless("<robot><gazebo>", "<!-- -->", OV_ERROR_COUNT, "longer than 67108864 bytes"));
    // an attribute that each element gets makes it longer than the file
    CHECK(read_endless("<!DOCTYPE robot [<!ATTLIST a b CDATA 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'>]>"
                       "<robot><gazebo>",
                       "<a/>", OV_ERROR_COUNT,
                       "more than 67108864 bytes of elements for other programs"));
}

/** As deep as it may be, and one deeper. */
static void nesting(void) {
    for (int depth = OV_ROBOT_DEPTH_MAX; depth <= OV_ROBOT_DEPTH_MAX + 1; depth++) {
        char text[1000] = "<robot><link name='a'>";
        for (int i = 2; i < depth; i++) {
            (void)strcat(text, "<x>");
        }
        for (int i = 2; i < depth; i++) {
            (void)strcat(text, "</x>");
        }
        (void)strcat(text, "</link></robot>");
        ov_robot *robot;
        ov_fault fault;
        CHECK_STATUS(read_text(text, &robot, &fault),
                     depth == OV_ROBOT_DEPTH_MAX ? OV_OK : OV_ERROR_COUNT);
        ov_robot_destroy(robot);
    }
}

/** Names come out as UTF-8, whatever the file is in. */
static void encodings(void) {
    static const char wide[] = "\xff\xfe<\0r\0o\0b\0o\0t\0>\0<\0l\0i\0n\0k\0 \0n\0a\0m\0e\0=\0"
                               "'\0\xfc\0'\0/\0>\0<\0/\0r\0o\0b\0o\0t\0>\0";
    ov_robot *robot =
        read_good("<?xml version='1.0' encoding='ISO-8859-1'?><robot><link name='\xfc'/></robot>");
    CHECK(robot != NULL && strcmp(ov_robot_get_link(robot, 0)->name, "\xc3\xbc") == 0);
    ov_robot_destroy(robot);
    ov_fault fault;
    CHECK_OK(read_bytes(wide, sizeof wide - 1, &robot, &fault));
    CHECK(robot != NULL && strcmp(ov_robot_get_link(robot, 0)->name, "\xc3\xbc") == 0);
    ov_robot_destroy(robot);
    CHECK_STATUS(read_text("<?xml version='1.0' encoding='X-42'?><robot/>", &robot, &fault),
                 OV_ERROR_FILE_FORMAT);
    CHECK_STATUS(read_text("<robot><link name='\xfc'/></robot>", &robot, &fault),
                 OV_ERROR_FILE_FORMAT);
}

/** Declarations cost time wherever they are used. */
static void declarations(void) {
    for (size_t k = 0; k < 3; k++) {
        for (int count = 256; count <= 257; count++) {
            char text[12000];
            size_t at = (size_t)snprintf(text, sizeof text, "<!DOCTYPE robot [");
            for (int i = 0; i < count; i++) {
                at += (size_t)snprintf(text + at, sizeof text - at,
                                       k == 0   ? "<!ENTITY e%d 'x'>"
                                       : k == 1 ? "<!ENTITY %% e%d 'x'>"
                                                : "<!ATTLIST link a%d CDATA 'x'>",
                                       i);
            }
            (void)snprintf(text + at, sizeof text - at, "]><robot><link name='a'/></robot>");
            ov_robot *robot;
            ov_fault fault;
            CHECK_STATUS(read_text(text, &robot, &fault), count == 256 ? OV_OK : OV_ERROR_COUNT);
            CHECK(count == 256 || strcmp(fault.text, "more than 256 entities or attributes are "
                                                     "declared") == 0);
            ov_robot_destroy(robot);
        }
    }
    // shapes are counted too
    FILE *f = fopen("shapes.urdf", "wb");
    if (!CHECK(f != NULL)) {
        return;
    }
    (void)fputs("<robot><link name='a'>", f);
    for (int i = 0; i <= 100000; i++) {
        (void)fputs("<visual><geometry><sphere radius='1'/></geometry></visual>\n", f);
    }
    (void)fputs("</link></robot>", f);
    (void)fclose(f);
    ov_robot *robot;
    ov_fault fault;
    CHECK_STATUS(ov_robot_read("shapes.urdf", NULL, &robot, &fault), OV_ERROR_COUNT);
    CHECK(strcmp(fault.text, "link \"a\": more than 100000 shapes") == 0 && fault.index == 100001);
}

/** Entities that double, and ones that are merely long and often used. */
static void billion_laughs(void) {
    char text[4000];
    size_t at = (size_t)snprintf(text, sizeof text, "<!DOCTYPE robot [<!ENTITY e0 'haha'>\n");
    for (int i = 1; i < 30; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "<!ENTITY e%d '&e%d;&e%d;'>\n", i,
                               i - 1, i - 1);
    }
    const char *const uses[] = {"<robot><link name='a'/>&e29;</robot>",
                                "<robot name='&e29;'><link name='a'/></robot>",
                                "<robot><gazebo>&e29;</gazebo><link name='a'/></robot>"};
    for (size_t i = 0; i < 3; i++) {
        ov_robot *robot;
        ov_fault fault;
        (void)snprintf(text + at, sizeof text - at, "]>\n%s", uses[i]);
        CHECK_STATUS(read_text(text, &robot, &fault), OV_ERROR_COUNT);
        CHECK(strcmp(fault.text, "its entities expand to too much") == 0 && fault.index > 0);
    }
    // in a circle
    ov_robot *robot;
    ov_fault fault;
    CHECK_STATUS(
        read_text("<!DOCTYPE robot [<!ENTITY a '&b;'><!ENTITY b '&a;'>]><robot>&a;</robot>", &robot,
                  &fault),
        OV_ERROR_FILE_FORMAT);
    // what entities are for is allowed
    robot = read_good("<!DOCTYPE robot [<!ENTITY l '<link name=\"&n;\"/>'><!ENTITY n 'a'>]>"
                      "<robot>&l;</robot>");
    CHECK(robot != NULL && strcmp(ov_robot_get_link(robot, 0)->name, "a") == 0);
    ov_robot_destroy(robot);
}

/** Whoever opens and reads the canary takes its song away. */
static void external_entities(void) {
    static const char *const files[] = {
        "<!DOCTYPE robot [<!ENTITY x SYSTEM 'canary'>]>\n<robot><link name='a'/>&x;</robot>",
        "<!DOCTYPE robot [<!ENTITY x PUBLIC 'p' 'canary'>]>\n<robot>&x;<link name='a'/></robot>",
        "<!DOCTYPE robot [<!ENTITY x SYSTEM 'canary'>]>\n<robot name='&x;'><a/></robot>",
        "<!DOCTYPE robot [<!ENTITY % x SYSTEM 'canary'> %x;]>\n<robot><link name='a'/></robot>",
        "<!DOCTYPE robot SYSTEM 'canary'>\n<robot><link name='a'/></robot>",
        "<!DOCTYPE robot PUBLIC 'p' 'canary' [<!ENTITY y 'z'>]>\n<robot><link name='a'/></robot>",
        "<robot><xi:include href='canary'/><link name='a'/></robot>"};
    static const char song[] = "tweet";
    char heard[sizeof song] = "";
    (void)unlink("canary");
    if (!CHECK(mkfifo("canary", 0600) == 0)) {
        return;
    }
    int cage = open("canary", O_RDWR | O_NONBLOCK);
    CHECK(cage >= 0 && write(cage, song, sizeof song) == (ssize_t)sizeof song);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        ov_robot *robot;
        ov_fault fault;
        ov_status status = read_text(files[i], &robot, &fault);
        // an entity that is used cannot be passed over; a DTD can
        CHECK_STATUS(status, i < 3 ? OV_ERROR_FILE_FORMAT : OV_OK);
        CHECK(i >= 2 || strcmp(fault.text, "external entity \"canary\" is not read") == 0);
        CHECK(i != 2 || strcmp(fault.text, "external entities are not read") == 0);
        ov_robot_destroy(robot);
    }
    CHECK(read(cage, heard, sizeof heard) == (ssize_t)sizeof song && strcmp(heard, song) == 0);
    (void)close(cage);
}

/** A long chain of links, as many as there may be. */
static void long_chain(void) {
    FILE *f = fopen("chain.urdf", "wb");
    if (!CHECK(f != NULL)) {
        return;
    }
    (void)fputs("<robot>", f);
    for (size_t i = OV_ROBOT_LINKS_MAX; i-- > 0;) {
        (void)fprintf(f, "<link name='l%zu'/>\n", i);
        if (i > 0) {
            (void)fprintf(f,
                          "<joint name='j%zu' type='continuous'><parent link='l%zu'/>"
                          "<child link='l%zu'/><origin xyz='0 0 1'/></joint>\n",
                          i, i - 1, i);
        }
    }
    (void)fputs("</robot>", f);
    (void)fclose(f);
    ov_robot *robot = NULL;
    ov_fault fault;
    CHECK_OK(ov_robot_read("chain.urdf", NULL, &robot, &fault));
    CHECK(ov_robot_link_count(robot) == OV_ROBOT_LINKS_MAX);
    CHECK(ov_model_dof_count(ov_robot_model(robot)) == OV_ROBOT_LINKS_MAX - 1);
    ov_robot_destroy(robot);
}

int main(void) {
    check_suite = "test_io_urdf_limits";
    RUN(endless);
    RUN(nesting);
    RUN(encodings);
    RUN(declarations);
    RUN(billion_laughs);
    RUN(external_entities);
    RUN(long_chain);
    return check_finish();
}
