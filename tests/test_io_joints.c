/**
 * @file test_io_joints.c
 * @brief Joint trajectories: columns of all kinds of joints in any order, and one line for each bad
 * file.
 */
#include <locale.h>
#include <string.h>
#include <unistd.h>

#include <ovoid/io.h>

#include "check.h"

enum { LIFT, TURN, SPIN, WELD, FOLLOW, FLAT, BALL, FREE, JOINTS };

/** A chain of links, joined by a joint of each kind and one that follows. */
static ov_model *make_model(const char *last_name) {
    static const char *const names[] = {"lift",   "turn", "spin", "weld",
                                        "follow", "flat", "ball", "free"};
    static const ov_joint_kind kinds[] = {OV_JOINT_KIND_PRISMATIC,  OV_JOINT_KIND_REVOLUTE,
                                          OV_JOINT_KIND_CONTINUOUS, OV_JOINT_KIND_FIXED,
                                          OV_JOINT_KIND_REVOLUTE,   OV_JOINT_KIND_PLANAR,
                                          OV_JOINT_KIND_SPHERICAL,  OV_JOINT_KIND_FLOATING};
    static const char *const link_names[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8"};
    ov_link_def links[JOINTS + 1];
    ov_joint_def joints[JOINTS];
    ov_model *model = NULL;
    for (uint32_t i = 0; i <= JOINTS; i++) {
        links[i] = (ov_link_def){.name = link_names[i]};
    }
    for (uint32_t i = 0; i < JOINTS; i++) {
        joints[i] = (ov_joint_def){.name = names[i],
                                   .kind = kinds[i],
                                   .parent = i,
                                   .child = i + 1,
                                   .origin = ov_pose_identity(),
                                   .axis = {0.0, 0.0, 1.0},
                                   .lower = i == LIFT ? 0.5 : -1.0,
                                   .upper = i == LIFT ? 2.0 : 1.0,
                                   .mimic = i == FOLLOW ? TURN : OV_NO_LINK,
                                   .multiplier = 0.5};
    }
    joints[SPIN].name = last_name != NULL ? last_name : joints[SPIN].name;
    CHECK_OK(ov_model_create(links, JOINTS + 1, joints, JOINTS, NULL, &model, NULL));
    return model;
}

static ov_status read_bytes(const ov_model *model, const char *text, size_t length, bool strict,
                            ov_joints *joints, ov_fault *fault) {
    FILE *f = fopen("joints.csv", "wb");
    if (!CHECK(f != NULL && fwrite(text, 1, length, f) == length && fclose(f) == 0)) {
        exit(1);
    }
    return ov_joints_read("joints.csv", model, strict, joints, fault);
}

static ov_status read_text(const ov_model *model, const char *text, bool strict, ov_joints *joints,
                           ov_fault *fault) {
    return read_bytes(model, text, strlen(text), strict, joints, fault);
}

/** Where a joint's positions begin in a pose. */
static const double *position(const ov_model *model, const ov_joints *joints, size_t pose,
                              size_t joint) {
    return joints->positions + pose * joints->width + ov_model_joint_position(model, joint);
}

static bool is_empty(const ov_joints *j) {
    return j->count == 0 && j->width == 0 && j->positions == NULL && j->times == NULL &&
           j->unused == NULL && j->unused_count == 0 && j->beyond == 0;
}

/* ---- good files ------------------------------------------------------------------------------ */

static void same_in_all_spellings(void) {
    static const char *const texts[] = {
        "turn,lift,time\n0.25,1,3\n-0.5,2,4\n",
        "turn,lift,time\n0.25,1,3\n-0.5,2,4",
        "turn,lift,time\r\n0.25,1,3\r\n-0.5,2,4\r\n",
        "\xef\xbb\xbfturn,lift,time\n0.25,1,3\n-0.5,2,4\n",
        "\n  \n time ,\tlift, \"turn\"\n\n3, 1 ,0.25\n\t\r\n\"4\",+2.0,-5e-1\n \n",
        "lift,time,turn\n0x1p0,3,0x.4p0\n2,4,-.5\n",
    };
    ov_model *model = make_model(NULL);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        for (int strict = 0; strict < 2; strict++) {
            ov_joints j;
            ov_fault fault = {OV_FAULT_PLACE_ROW, 9, "left over"};
            CHECK_OK(read_text(model, texts[i], strict == 1, &j, &fault));
            CHECK(fault.index == 0 && fault.text[0] == '\0');
            if (CHECK(j.count == 2 && j.width == ov_model_position_count(model) &&
                      j.times != NULL && j.column_count == 3)) {
                CHECK(j.times[0] == 3.0 && j.times[1] == 4.0);
                CHECK(position(model, &j, 0, TURN)[0] == 0.25);
                CHECK(position(model, &j, 1, TURN)[0] == -0.5);
                CHECK(position(model, &j, 0, LIFT)[0] == 1.0);
                CHECK(position(model, &j, 1, LIFT)[0] == 2.0);
            }
            CHECK(j.beyond == 0 && j.unused_count == 0);
            ov_joints_free(&j);
            CHECK(is_empty(&j) && j.column_count == 0);
        }
    }
    ov_model_destroy(model);
}

/** Each column of a joint of several positions gets there, and the others rest. */
static void all_kinds(void) {
    static const struct {
        const char *title;
        size_t joint, offset;
    } columns[] = {{"lift", LIFT, 0},    {"turn", TURN, 0},    {"spin", SPIN, 0},
                   {"flat.x", FLAT, 0},  {"flat.y", FLAT, 1},  {"flat.angle", FLAT, 2},
                   {"ball.qw", BALL, 0}, {"ball.qx", BALL, 1}, {"ball.qy", BALL, 2},
                   {"ball.qz", BALL, 3}, {"free.x", FREE, 0},  {"free.y", FREE, 1},
                   {"free.z", FREE, 2},  {"free.qw", FREE, 3}, {"free.qx", FREE, 4},
                   {"free.qy", FREE, 5}, {"free.qz", FREE, 6}};
    enum { COLUMNS = sizeof columns / sizeof columns[0] };
    ov_model *model = make_model(NULL);
    double rest[COLUMNS];
    CHECK(ov_model_position_count(model) == COLUMNS);
    ov_model_rest(model, rest);
    for (size_t i = 0; i < COLUMNS; i++) {
        char text[64];
        ov_joints j;
        snprintf(text, sizeof text, "%s\n0.75\n", columns[i].title);
        CHECK_OK(read_text(model, text, true, &j, NULL));
        if (CHECK(j.count == 1 && j.width == COLUMNS && j.times == NULL)) {
            size_t at = ov_model_joint_position(model, columns[i].joint) + columns[i].offset;
            for (size_t k = 0; k < COLUMNS; k++) {
                CHECK(j.positions[k] == (k == at ? 0.75 : rest[k]));
            }
        }
        ov_joints_free(&j);
    }
    ov_model_destroy(model);
}

static void limits_and_unused(void) {
    ov_model *model = make_model(NULL);
    ov_joints j;
    ov_fault fault;
    CHECK_OK(
        read_text(model, "weld,turn,follow\n7,0,8\n1,1,1\n0,1.5,0\n0,-3,0\n", false, &j, &fault));
    CHECK(j.count == 4 && j.beyond == 2 && j.beyond_pose == 2 && j.beyond_joint == TURN);
    CHECK(j.unused_count == 2 && j.unused[0] == WELD && j.unused[1] == FOLLOW);
    CHECK(j.column_count == 3);
    ov_joints_free(&j);

    CHECK_STATUS(read_text(model, "turn\n0\n\n1.5\n", true, &j, &fault), OV_ERROR_LIMIT);
    CHECK(fault.index == 4 && strcmp(fault.text, "joint 'turn' is out of its limits") == 0);
    CHECK(is_empty(&j));
    static const char *const not_free[] = {"weld", "follow", "turns"};
    for (size_t i = 0; i < 3; i++) {
        char text[64], message[128];
        snprintf(text, sizeof text, "turn,%s\n0,0\n", not_free[i]);
        snprintf(message, sizeof message, "'%s' is no joint with a position of its own",
                 not_free[i]);
        CHECK_STATUS(read_text(model, text, true, &j, &fault), OV_ERROR_FILE_FORMAT);
        CHECK(fault.index == 1 && strcmp(fault.text, message) == 0);
        CHECK(is_empty(&j));
    }
    ov_model_destroy(model);
}

/** A joint that is named like a number, and one named like another's column. */
static void odd_names(void) {
    ov_joints j;
    ov_fault fault;
    ov_model *model = make_model("7");
    CHECK_OK(read_text(model, "7\n0.5\n", true, &j, &fault));
    CHECK(j.count == 1 && position(model, &j, 0, SPIN)[0] == 0.5);
    ov_joints_free(&j);
    ov_model_destroy(model);

    model = make_model("flat.x");
    CHECK_STATUS(read_text(model, "flat.x\n0.5\n", false, &j, &fault), OV_ERROR_FILE_FORMAT);
    CHECK(fault.index == 1 && strcmp(fault.text, "flat.x: two joints have such a column") == 0);
    CHECK_OK(read_text(model, "flat.y\n0.5\n", false, &j, &fault));
    ov_joints_free(&j);
    ov_model_destroy(model);
}

/** Numbers in the C locale, whatever the program's own is. */
static void other_locale(void) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    ov_model *model = make_model(NULL);
    ov_joints j;
    for (size_t i = 0; i < 3 && setlocale(LC_NUMERIC, names[i]) == NULL; i++) {
    }
    CHECK_OK(read_text(model, "turn\n0.5\n", true, &j, NULL));
    CHECK(j.count == 1 && position(model, &j, 0, TURN)[0] == 0.5);
    ov_joints_free(&j);
    (void)setlocale(LC_NUMERIC, "C");
    ov_model_destroy(model);
}

/* ---- bad files ------------------------------------------------------------------------------- */

static void bad_files(void) {
    static const struct {
        const char *text;
        ov_status status;
        size_t line;
        const char *message;
    } bad[] = {
        {"", OV_ERROR_COUNT, 0, "empty, where the names of joints should be"},
        {" \r\n\n", OV_ERROR_COUNT, 0, "empty, where the names of joints should be"},
        {"turn\n", OV_ERROR_COUNT, 0, "no poses after the names of joints"},
        {"turn\n \n", OV_ERROR_COUNT, 0, "no poses after the names of joints"},
        {"1,2\n3,4\n", OV_ERROR_FILE_FORMAT, 1, "1: a number, where the names of joints should be"},
        {"\n{\"bodies\": [], \"title\": \"x\"}\n", OV_ERROR_FILE_FORMAT, 2,
         "this is a scene; a file of joint positions is expected"},
        {"<robot name='a'>\n", OV_ERROR_FILE_FORMAT, 1,
         "this is a URDF; a file of joint positions is expected"},
        {OV_PAIRS_HEADER "\n", OV_ERROR_FILE_FORMAT, 1,
         "this is a file of pairs; a file of joint positions is expected"},
        {"nan\n1\n", OV_ERROR_FILE_FORMAT, 1, "nan: a number, where the names of joints should be"},
        {"\ntrun\n1\n", OV_ERROR_FILE_FORMAT, 2, "no joint 'trun'; did you mean 'turn'?"},
        {"Turn\n1\n", OV_ERROR_FILE_FORMAT, 1, "no joint 'Turn'; did you mean 'turn'?"},
        {"flat\n1\n", OV_ERROR_FILE_FORMAT, 1, "no joint 'flat'; did you mean 'flat.x'?"},
        {"q\n1\n", OV_ERROR_FILE_FORMAT, 1,
         "no joint 'q'; known are: ball.qw ball.qx ball.qy ball.qz flat.angle flat.x flat.y follow "
         "free.qw free.qx free.qy free.qz free.x free.y free.z lift spin turn weld"},
        {"turn,lift,turn\n0,1,0\n", OV_ERROR_FILE_FORMAT, 1, "turn: this column is there twice"},
        {"time,lift,time\n0,1,0\n", OV_ERROR_FILE_FORMAT, 1, "time: this column is there twice"},
        {"weld,weld\n0,1\n", OV_ERROR_FILE_FORMAT, 1, "weld: this column is there twice"},
        {"turn\n0\n1,2\n", OV_ERROR_FILE_FORMAT, 3, "more numbers than the header has names"},
        {"turn\n0,\n", OV_ERROR_FILE_FORMAT, 2, "more numbers than the header has names"},
        {"turn,lift\n0\n", OV_ERROR_FILE_FORMAT, 2, "lift: the number is missing"},
        {"turn,lift\n,1\n", OV_ERROR_FILE_FORMAT, 2, "turn: the number is missing"},
        {"turn,lift\n\"\",1\n", OV_ERROR_FILE_FORMAT, 2, "turn: the number is missing"},
        {"turn\n1x\n", OV_ERROR_FILE_FORMAT, 2, "turn: '1x' is not a number"},
        {"turn\n1 2\n", OV_ERROR_FILE_FORMAT, 2, "turn: '1 2' is not a number"},
        {"turn\n\" 1\"\n", OV_ERROR_FILE_FORMAT, 2, "turn: ' 1' is not a number"},
        {"turn\n\"1\n", OV_ERROR_FILE_FORMAT, 2, "turn: '\"1' is not a number"},
        {"turn\n0x\n", OV_ERROR_FILE_FORMAT, 2, "turn: '0x' is not a number"},
        {"turn\nnan\n", OV_ERROR_NOT_FINITE, 2, "turn: the number must be finite"},
        {"turn\n1e999\n", OV_ERROR_NOT_FINITE, 2, "turn: the number must be finite"},
        {"time,turn\n-inf,0\n", OV_ERROR_NOT_FINITE, 2, "time: the number must be finite"},
        {"weld\nnan\n", OV_ERROR_NOT_FINITE, 2, "weld: the number must be finite"},
        {"ball.qw\n0\n", OV_ERROR_ZERO_DIRECTION, 2,
         "ball: a direction or quaternion has no length"},
        {"turn\n\x1b[31m\n", OV_ERROR_FILE_FORMAT, 2, "turn: '?[31m' is not a number"},
    };
    ov_model *model = make_model(NULL);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ov_joints j;
        ov_fault fault = {OV_FAULT_PLACE_ROW, 77, "left over"};
        CHECK_STATUS(read_text(model, bad[i].text, false, &j, &fault), bad[i].status);
        if (!CHECK(fault.index == bad[i].line && strcmp(fault.text, bad[i].message) == 0)) {
            fprintf(stderr, "case %zu: %zu: %s\n", i, fault.index, fault.text);
        }
        CHECK(is_empty(&j));
    }
    ov_model_destroy(model);
}

static void bytes_and_arguments(void) {
    ov_model *model = make_model(NULL);
    ov_joints j = {.count = 5};
    ov_fault fault;
    CHECK_STATUS(read_bytes(model, "turn\n\0\n", 7, false, &j, &fault), OV_ERROR_FILE_FORMAT);
    CHECK(fault.index == 2 && strcmp(fault.text, "not a text") == 0 && j.column_count == 1);
    CHECK_STATUS(ov_joints_read("not/there.csv", model, false, &j, &fault), OV_ERROR_FILE_OPEN);
    CHECK(fault.index == 0 && strncmp(fault.text, "cannot be opened: ", 18) == 0 && is_empty(&j));
    CHECK_STATUS(ov_joints_read("not/there.csv", model, false, &j, NULL), OV_ERROR_FILE_OPEN);
    CHECK_STATUS(ov_joints_read(".", model, false, &j, &fault), OV_ERROR_FILE_READ);
    CHECK(strcmp(fault.text, "cannot be read") == 0 && is_empty(&j));
    CHECK_STATUS(ov_joints_read(NULL, model, false, &j, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_joints_read("joints.csv", NULL, false, &j, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_joints_read("joints.csv", model, false, NULL, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_joints_read_stream(NULL, model, false, &j, NULL), OV_ERROR_NULL);
    CHECK(is_empty(&j));
    ov_joints_free(NULL);
    ov_model_destroy(model);
}

/** The longest line, one byte more, and a header of as many columns as fit. */
static void long_lines(void) {
    static char text[OV_JOINTS_LINE_MAX + 64];
    ov_model *model = make_model(NULL);
    ov_joints j;
    ov_fault fault;
    for (size_t more = 0; more < 2; more++) {
        int head = snprintf(text, sizeof text, "turn\n0.5");
        size_t end = 5 + OV_JOINTS_LINE_MAX + more;
        memset(text + head, ' ', end - (size_t)head);
        text[end] = '\n';
        CHECK_STATUS(read_bytes(model, text, end + 1, true, &j, &fault),
                     more == 0 ? OV_OK : OV_ERROR_FILE_FORMAT);
        CHECK(more == 0 ? j.count == 1 && position(model, &j, 0, TURN)[0] == 0.5
                        : fault.index == 2 && strcmp(fault.text, "longer than a line may be") == 0);
        ov_joints_free(&j);
    }
    memset(text, ',', OV_JOINTS_LINE_MAX);
    CHECK_STATUS(read_bytes(model, text, OV_JOINTS_LINE_MAX, false, &j, &fault),
                 OV_ERROR_FILE_FORMAT);
    CHECK(fault.index == 1 && strncmp(fault.text, "no joint ''; ", 13) == 0 && is_empty(&j));
    memset(text, 'x', OV_JOINTS_LINE_MAX);
    CHECK_STATUS(read_bytes(model, text, OV_JOINTS_LINE_MAX, false, &j, &fault),
                 OV_ERROR_FILE_FORMAT);
    CHECK(fault.index == 1 && strncmp(fault.text, "no joint 'xxx", 13) == 0 && is_empty(&j));
    ov_model_destroy(model);
}

/** Cut off anywhere, a file is read up to there or refused. */
static void cut_anywhere(void) {
    static const char whole[] = "\xef\xbb\xbftime,turn,\"free.z\"\r\n0,-0.25,1e1\r\n1,0.5,2\n";
    ov_model *model = make_model(NULL);
    size_t good = 0;
    for (size_t length = 0; length < sizeof whole; length++) {
        ov_joints j;
        ov_fault fault;
        ov_status status = read_bytes(model, whole, length, false, &j, &fault);
        CHECK((status == OV_OK) == (fault.text[0] == '\0'));
        CHECK(status == OV_OK ? j.count >= 1 && j.count <= 2 : is_empty(&j));
        CHECK(fault.index <= 3);
        good += status == OV_OK;
        ov_joints_free(&j);
    }
    // behind "1", "1e1" and each byte of the line's end; then behind "2" and the last one
    CHECK(good == 6);
    ov_model_destroy(model);
}

/** Many poses, which read back to the bit. */
static void many_poses(void) {
    enum { POSES = 5000 };
    check_random random = check_random_make(21);
    static double expected[POSES][3];
    ov_model *model = make_model(NULL);
    ov_joints j;
    FILE *f = fopen("many.csv", "wb");
    if (!CHECK(f != NULL)) {
        exit(1);
    }
    fputs("spin,time,flat.y\n", f);
    for (size_t i = 0; i < POSES; i++) {
        for (int k = 0; k < 3; k++) {
            expected[i][k] = ldexp(check_uniform(&random, -1.0, 1.0),
                                   (int)(check_random_bits(&random) % 120) - 60);
        }
        fprintf(f, "%.17g,%a,%.17e\n", expected[i][0], expected[i][1], expected[i][2]);
    }
    CHECK(fclose(f) == 0);
    f = fopen("many.csv", "rb");
    CHECK_OK(ov_joints_read_stream(f, model, true, &j, NULL));
    CHECK(f != NULL && fclose(f) == 0);
    if (CHECK(j.count == POSES && j.times != NULL)) {
        size_t wrong = 0;
        for (size_t i = 0; i < POSES; i++) {
            wrong += position(model, &j, i, SPIN)[0] != expected[i][0];
            wrong += j.times[i] != expected[i][1];
            wrong += position(model, &j, i, FLAT)[1] != expected[i][2];
        }
        CHECK(wrong == 0);
    }
    ov_joints_free(&j);
    (void)unlink("many.csv");
    ov_model_destroy(model);
}

/** A model without joints has poses too: of no positions, if the file has a time. */
static void no_joints(void) {
    ov_link_def link = {.name = "alone"};
    ov_model *model = NULL;
    ov_joints j;
    ov_fault fault;
    CHECK_OK(ov_model_create(&link, 1, NULL, 0, NULL, &model, NULL));
    CHECK_OK(read_text(model, "time\n1\n2\n", true, &j, &fault));
    CHECK(j.count == 2 && j.width == 0 && j.times != NULL && j.times[1] == 2.0);
    ov_joints_free(&j);
    CHECK_STATUS(read_text(model, "turn\n1\n", false, &j, &fault), OV_ERROR_FILE_FORMAT);
    CHECK(strcmp(fault.text, "no joint 'turn'") == 0);
    ov_model_destroy(model);
}

int main(void) {
    check_suite = "io_joints";
    RUN(same_in_all_spellings);
    RUN(all_kinds);
    RUN(limits_and_unused);
    RUN(odd_names);
    RUN(other_locale);
    RUN(bad_files);
    RUN(bytes_and_arguments);
    RUN(long_lines);
    RUN(cut_anywhere);
    RUN(many_poses);
    RUN(no_joints);
    (void)unlink("joints.csv");
    return check_finish();
}
