/**
 * @file check_joints.c
 * @brief The poses of a robot: from a file, or that at rest.
 */
#include "check_joints.h"

#include <stdlib.h>

#include "pair_args.h"

/** Says why a column is passed over; such a joint has one column, of its own name. */
static void tell_unused(cli *c, const char *path, const ov_model *model, uint32_t joint) {
    const ov_joint_def *def = ov_model_joint(model, joint);
    bool follows = def->mimic != OV_NO_LINK;
    cli_error(c, path, "column '%s' is not used: the joint %s%s", def->name,
              follows ? "follows " : "is fixed",
              follows ? ov_model_joint(model, def->mimic)->name : "");
}

int trajectory_read(cli *c, const char *path, const ov_model *model, trajectory *t) {
    ov_fault wrong;
    *t = (trajectory){.count = 0};
    FILE *stream = cli_open_input(c, &path);
    if (stream == NULL) {
        return CLI_BAD_INPUT;
    }
    int status = ov_joints_read_stream(stream, model, false, t, &wrong) < 0
                     ? cli_file_error(c, path, &wrong)
                     : CLI_OK;
    for (size_t i = 0; i < t->unused_count; i++) {
        tell_unused(c, path, model, t->unused[i]);
    }
    if (stream != stdin) {
        fclose(stream);
    }
    return status;
}

int trajectory_rest(cli *c, const ov_model *model, trajectory *t) {
    *t = (trajectory){.count = 1, .width = ov_model_position_count(model)};
    t->positions = calloc(t->width + 1, sizeof *t->positions);
    if (t->positions == NULL) {
        return cli_error(c, "check", "%s", ov_status_message(OV_ERROR_MEMORY));
    }
    ov_model_rest(model, t->positions);
    return CLI_OK;
}

void trajectory_free(trajectory *t) { ov_joints_free(t); }
