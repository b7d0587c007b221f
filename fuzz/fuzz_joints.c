/**
 * @file fuzz_joints.c
 * @brief Fuzz target: the reader of joint trajectories, from raw bytes.
 *
 * The input is the file, for a model with a joint of each kind. What is demanded: a known status,
 * poses with success only and a printable text with failure only; poses that are finite, at rest
 * where no column says otherwise, and known to be within the limits or not; the same poses from a
 * strict reading where it succeeds; and what is written as a file again reads back the same, bit by
 * bit.
 */
#include "reading.h"

enum { KINDS = 7, WIDTH = 17, INPUT_MOST = 65536 };

/** The columns of all positions of the model, in their order. */
static const char header[] = "revolute,continuous,prismatic,planar.x,planar.y,planar.angle,"
                             "spherical.qw,spherical.qx,spherical.qy,spherical.qz,floating.x,"
                             "floating.y,floating.z,floating.qw,floating.qx,floating.qy,"
                             "floating.qz";

/** A chain of links, with a joint of each kind and one more that follows. */
static ov_model *make_model(void) {
    static const char *const links[KINDS + 2] = {"0", "1", "2", "3", "4", "5", "6", "7", "8"};
    ov_link_def link[KINDS + 2];
    ov_joint_def joint[KINDS + 1];
    ov_model *model;
    for (uint32_t i = 0; i < KINDS + 2; i++) {
        link[i] = (ov_link_def){.name = links[i]};
    }
    for (uint32_t i = 0; i <= KINDS; i++) {
        ov_joint_kind kind = i < KINDS ? (ov_joint_kind)i : OV_JOINT_KIND_REVOLUTE;
        joint[i] = (ov_joint_def){.name = i < KINDS ? ov_joint_kind_name(kind) : "follows",
                                  .kind = kind,
                                  .parent = i,
                                  .child = i + 1,
                                  .origin = ov_pose_identity(),
                                  .axis = {0.0, 0.0, 1.0},
                                  .lower = -1.0,
                                  .upper = 2.0,
                                  .mimic = i < KINDS ? OV_NO_LINK : OV_JOINT_KIND_REVOLUTE,
                                  .multiplier = 0.5};
    }
    demand(ov_model_create(link, KINDS + 2, joint, KINDS + 1, NULL, &model, NULL) == OV_OK,
           "a model");
    demand(ov_model_position_count(model) == WIDTH, "the positions of the model");
    return model;
}

static void judge_answer(ov_status status, const ov_joints *j, const ov_fault *fault) {
    demand(status >= OV_ERROR_LIMIT && status <= OV_OK, "status of reading");
    demand(status == OV_OK
               ? j->count > 0 && j->width == WIDTH && j->positions != NULL
               : j->count == 0 && j->positions == NULL && j->times == NULL && j->unused == NULL,
           "poses only with success");
    judge_text(status, fault);
}

static void judge_poses(const ov_model *model, const ov_joints *j) {
    size_t beyond = 0;
    for (size_t i = 0; i < j->count; i++) {
        ov_joint_excess excess;
        demand(ov_model_check(model, j->positions + i * WIDTH, &excess, NULL) == OV_OK, "a pose");
        demand(j->times == NULL || isfinite(j->times[i]), "a time");
        if (excess.joint != OV_NO_LINK && beyond++ == 0) {
            demand(j->beyond_pose == i && j->beyond_joint == excess.joint,
                   "the first beyond a limit");
        }
    }
    demand(beyond == j->beyond, "poses beyond a limit");
    for (size_t i = 0; i < j->unused_count; i++) {
        const ov_joint_def *def = ov_model_joint(model, j->unused[i]);
        demand(def->kind == OV_JOINT_KIND_FIXED || def->mimic != OV_NO_LINK, "a column of no use");
    }
    demand(j->unused_count <= j->column_count, "columns");
}

static void compare(const ov_joints *a, const ov_joints *b) {
    demand(a->count == b->count && (a->times == NULL) == (b->times == NULL), "as many poses");
    for (size_t i = 0; i < a->count; i++) {
        demand(a->times == NULL || same_number(a->times[i], b->times[i]), "the same time");
    }
    for (size_t i = 0; i < a->count * WIDTH; i++) {
        demand(same_number(a->positions[i], b->positions[i]), "the same position");
    }
}

static void judge_round_trip(const ov_model *model, const ov_joints *j) {
    char *text = NULL;
    size_t length = 0;
    ov_joints back;
    FILE *f = open_memstream(&text, &length);
    demand(f != NULL, "a stream can be opened");
    fprintf(f, "%s%s\n", header, j->times != NULL ? ",time" : "");
    for (size_t i = 0; i < j->count; i++) {
        for (size_t k = 0; k < WIDTH; k++) {
            fprintf(f, "%s%.17g", k > 0 ? "," : "", j->positions[i * WIDTH + k]);
        }
        if (j->times != NULL) {
            fprintf(f, ",%.17g", j->times[i]);
        }
        fputc('\n', f);
    }
    demand(fclose(f) == 0, "a file can be written");
    f = open_bytes(text, length);
    demand(ov_joints_read_stream(f, model, false, &back, NULL) == OV_OK, "and read again");
    (void)fclose(f);
    compare(j, &back);
    ov_joints_free(&back);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static ov_model *model;
    ov_joints joints, strict;
    ov_fault fault;
    if (size > INPUT_MOST) {
        return 0;
    }
    model = model != NULL ? model : make_model();
    FILE *f = open_bytes(data, size);
    ov_status status = ov_joints_read_stream(f, model, false, &joints, &fault);
    judge_answer(status, &joints, &fault);
    rewind(f);
    ov_status again = ov_joints_read_stream(f, model, true, &strict, &fault);
    judge_answer(again, &strict, &fault);
    (void)fclose(f);
    if (status == OV_OK) {
        judge_poses(model, &joints);
        judge_round_trip(model, &joints);
        demand((again == OV_OK) == (joints.beyond == 0 && joints.unused_count == 0),
               "strict where there is something to be strict about");
    }
    if (again == OV_OK) {
        demand(status == OV_OK, "what is good for the strict is good");
        compare(&joints, &strict);
    }
    ov_joints_free(&joints);
    ov_joints_free(&strict);
    return 0;
}
