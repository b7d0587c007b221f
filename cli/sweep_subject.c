/**
 * @file sweep_subject.c
 * @brief Reads what is swept, and runs the sweep.
 */
#include "sweep_subject.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "body_contact.h"
#include "pair_args.h"
#include "progress.h"
#include "robot_args.h"

static int no_memory(cli *c, const char *path) {
    return cli_error(c, path, "%s", ov_status_message(OV_ERROR_MEMORY));
}

/* ---- scenes in motion ------------------------------------------------------------------------ */

static int read_scene(cli *c, const char *path, sweep_subject *s) {
    ov_fault wrong;
    bool from_stream = strcmp(path, "-") == 0;
    s->path = from_stream ? "standard input" : path;
    int result = cli_note_input(c, path);
    if (result != CLI_OK) {
        return result;
    }
    errno = 0;
    ov_status status = from_stream ? ov_motion_scene_read_stream(stdin, ".", &s->scene, &wrong)
                                   : ov_motion_scene_read(path, &s->scene, &wrong);
    if (status == OV_ERROR_FILE_OPEN && wrong.index == 0 && errno != 0) {
        return cli_error(c, path, "cannot be read: %s", strerror(errno));
    }
    if (status < 0) {
        return cli_file_error(c, s->path, &wrong);
    }
    s->start = ov_motion_scene_start(s->scene);
    s->end = ov_motion_scene_end(s->scene);
    for (size_t i = 0; i < ov_motion_scene_file_count(s->scene) && result == CLI_OK; i++) {
        result = cli_note_input(c, ov_motion_scene_file(s->scene, i));
    }
    return result;
}

/* ---- robots ---------------------------------------------------------------------------------- */

/** Poses without times are a second apart. */
static int make_times(cli *c, sweep_subject *s) {
    if (s->poses.times != NULL) {
        return CLI_OK;
    }
    s->poses.times = malloc((s->poses.count + 1) * sizeof *s->poses.times);
    if (s->poses.times == NULL) {
        return no_memory(c, s->trajectory_path);
    }
    for (size_t i = 0; i < s->poses.count; i++) {
        s->poses.times[i] = (double)i;
    }
    (void)cli_error(c, s->trajectory_path,
                    "warning: no column 'time': poses are taken to be a second apart");
    return CLI_OK;
}

/** Speeds that the robot's file allows: one number a motion. */
static double *speed_limits(const ov_robot *robot) {
    const ov_model *model = ov_robot_model(robot);
    size_t count = ov_model_dof_count(model);
    double *limits = malloc((count + 1) * sizeof *limits);
    for (size_t i = 0; i < count && limits != NULL; i++) {
        limits[i] = INFINITY;
    }
    for (size_t j = 0; j < ov_robot_joint_count(robot) && limits != NULL; j++) {
        const ov_robot_joint *joint = ov_robot_get_joint(robot, j);
        size_t motions = ov_joint_dof_count(joint->def.kind), first = ov_model_joint_dof(model, j);
        // zero is how many files say that they do not know
        for (size_t k = 0;
             k < motions && joint->def.mimic == OV_NO_LINK && joint->velocity > OV_ZERO; k++) {
            limits[first + k] = joint->velocity;
        }
    }
    return limits;
}

/** Tells where a trajectory leaves the limits of a joint. */
static int check_limits(cli *c, const sweep_subject *s) {
    static const char *const what[] = {"position", "speed", "acceleration"};
    ov_trajectory_excess e;
    double *limits = speed_limits(s->robot);
    if (limits == NULL) {
        return no_memory(c, s->path);
    }
    ov_status status = ov_trajectory_check(s->trajectory, limits, NULL, &e, NULL);
    if (status >= 0 && e.joint != OV_NO_LINK) {
        (void)cli_error(c, s->trajectory_path,
                        "warning: joint '%s' leaves its limits: its %s is %.6g at time %.*g, "
                        "where %.6g is allowed",
                        ov_model_joint(ov_robot_model(s->robot), e.joint)->name, what[e.derivative],
                        e.value, sweep_time_digits(s, 6), e.time, e.limit);
    }
    free(limits);
    return CLI_OK;
}

static int make_trajectory(cli *c, const sweep_files *files, sweep_subject *s) {
    size_t count = s->poses.count;
    ov_fault fault;
    if (count < 2) {
        return cli_error(c, s->trajectory_path, "a trajectory needs at least 2 poses, got %zu",
                         count);
    }
    ov_status status =
        ov_trajectory_create(ov_robot_model(s->robot), s->poses.times, s->poses.positions, NULL,
                             count, files->spline, NULL, &s->trajectory, &fault);
    size_t row = fault.index;
    if (status == OV_ERROR_TIME && row > 0) {
        return cli_error(c, s->trajectory_path, "pose %zu: its time, %.15g, is not after %.15g",
                         row + 1, s->poses.times[row], s->poses.times[row - 1]);
    }
    if (status < 0 && fault.place == OV_FAULT_PLACE_ROW) {
        return cli_error(c, s->trajectory_path, "pose %zu: %s", row + 1, fault.text);
    }
    if (status < 0) {
        return cli_error(c, s->trajectory_path, "%s", fault.text);
    }
    s->start = ov_trajectory_start(s->trajectory);
    s->end = ov_trajectory_end(s->trajectory);
    return check_limits(c, s);
}

static int read_obstacles(cli *c, const char *path, sweep_subject *s) {
    size_t bad = 0;
    int result = body_scene_read(c, path, &s->obstacles);
    if (result != CLI_OK) {
        return result;
    }
    ov_status status = body_geometries_make(s->obstacles, &s->geometries, &bad);
    if (status < 0) {
        const ov_scene_body *b = ov_scene_get(s->obstacles, bad);
        return cli_error(c, path, "%s: %s", b != NULL ? b->name : "the scene",
                         ov_status_message(status));
    }
    size_t count = ov_scene_count(s->obstacles);
    s->at_rest = calloc(count + 1, sizeof *s->at_rest);
    if (s->at_rest == NULL) {
        return no_memory(c, path);
    }
    for (size_t i = 0; i < count; i++) {
        s->at_rest[i] = ov_default_sweep_body();
        s->at_rest[i].geometry = s->geometries[i];
        s->at_rest[i].pose = ov_scene_get(s->obstacles, i)->pose;
    }
    return CLI_OK;
}

static int read_robot(cli *c, const sweep_files *files, sweep_subject *s) {
    ov_robot_options how = ov_default_robot_options();
    how.hulls = files->hulls;
    s->path = cli_input_name(files->robot);
    s->trajectory_path = cli_input_name(files->trajectory);
    int status = robot_read(c, files->robot, files->packages, how, &s->robot);
    if (status == CLI_OK && files->obstacles != NULL) {
        status = read_obstacles(c, files->obstacles, s);
    }
    if (status == CLI_OK) {
        status = trajectory_read(c, files->trajectory, ov_robot_model(s->robot), &s->poses);
    }
    if (status == CLI_OK) {
        status = make_times(c, s);
    }
    return status == CLI_OK ? make_trajectory(c, files, s) : status;
}

/* ---- both ------------------------------------------------------------------------------------ */

/** Tells of meshes without an inside, once for each file. */
static void tell_open_meshes(cli *c, const sweep_files *files, const sweep_subject *s) {
    open_meshes own = {.count = 0}, obstacles = own;
    size_t count = sweep_thing_count(s) - ov_scene_count(s->obstacles);
    for (size_t i = 0; i < count; i++) {
        open_meshes_add_geometry(&own, sweep_thing_name(s, i), sweep_thing_geometry(s, i));
    }
    open_meshes_tell(c, s->path, &own);
    open_meshes_add_scene(&obstacles, s->obstacles);
    if (obstacles.count > 0) {
        const char *path = cli_input_name(files->obstacles);
        open_meshes_tell(c, path, &obstacles);
    }
}

int sweep_subject_read(cli *c, const sweep_files *files, sweep_subject *s) {
    *s = (sweep_subject){.scene = NULL};
    int status = files->robot != NULL ? read_robot(c, files, s) : read_scene(c, files->scene, s);
    if (status == CLI_OK) {
        tell_open_meshes(c, files, s);
    }
    return status;
}

void sweep_subject_free(sweep_subject *s) {
    ov_motion_scene_destroy(s->scene);
    ov_trajectory_destroy(s->trajectory);
    trajectory_free(&s->poses);
    ov_robot_destroy(s->robot);
    body_geometries_free(s->geometries, ov_scene_count(s->obstacles));
    free(s->at_rest);
    ov_scene_destroy(s->obstacles);
    *s = (sweep_subject){.scene = NULL};
}

int sweep_time_digits(const sweep_subject *s, int digits) {
    double far = fmax(fabs(s->start), fabs(s->end)) / (s->end - s->start);
    double more = far > 1.0 ? floor(log10(far)) : 0.0;
    return (int)fmin((double)digits + more, 17.0);
}

static void show(void *bar, double done) { progress_update(bar, 0.0, done); }

int sweep_subject_run(cli *c, const sweep_subject *s, const ov_sweep_options *options,
                      ov_sweep **sweep) {
    ov_fault fault;
    progress bar = progress_make(c->err, NULL);
    ov_sweep_options shown = *options;
    shown.progress = show;
    shown.progress_user = &bar;
    ov_status status =
        s->scene != NULL
            ? ov_sweep_bodies(ov_motion_scene_bodies(s->scene), ov_motion_scene_count(s->scene),
                              s->start, s->end, &shown, sweep, &fault)
            : ov_sweep_model(ov_robot_model(s->robot), ov_pose_identity(), s->trajectory,
                             s->at_rest, ov_scene_count(s->obstacles), s->start, s->end, &shown,
                             sweep, &fault);
    progress_end(&bar);
    if (status >= 0) {
        return CLI_OK;
    }
    if (fault.place == OV_FAULT_PLACE_NONE) {
        return cli_error(c, s->path, "%s", fault.text);
    }
    // obstacles are named after the links
    bool obstacle = s->scene == NULL && fault.place == OV_FAULT_PLACE_BODY;
    size_t thing = fault.index + (obstacle ? ov_robot_link_count(s->robot) : 0);
    return cli_error(c, s->path, "%s: %s", sweep_thing_name(s, thing), fault.text);
}

/* ---- things ---------------------------------------------------------------------------------- */

size_t sweep_thing_count(const sweep_subject *s) {
    return s->scene != NULL ? ov_motion_scene_count(s->scene)
                            : ov_robot_link_count(s->robot) + ov_scene_count(s->obstacles);
}

const char *sweep_thing_name(const sweep_subject *s, size_t thing) {
    if (s->scene != NULL) {
        return ov_motion_scene_name(s->scene, thing);
    }
    size_t links = ov_robot_link_count(s->robot);
    return thing < links ? ov_robot_get_link(s->robot, thing)->name
                         : ov_scene_get(s->obstacles, thing - links)->name;
}

const ov_geometry *sweep_thing_geometry(const sweep_subject *s, size_t thing) {
    if (s->scene != NULL) {
        return ov_motion_scene_bodies(s->scene)[thing].geometry;
    }
    size_t links = ov_robot_link_count(s->robot);
    return thing < links ? ov_model_link_geometry(ov_robot_model(s->robot), thing)
                         : s->geometries[thing - links];
}

const ov_polygons *sweep_thing_polygons(const sweep_subject *s, size_t thing) {
    return s->scene != NULL ? ov_motion_scene_bodies(s->scene)[thing].polygons : NULL;
}

ov_affine sweep_placed(const ov_affine *frame, ov_pose pose) {
    ov_mat3 r = ov_mat3_from_quat(pose.rotation);
    return (ov_affine){{ov_mat3_mul_vec3(&frame->linear, r.cx),
                        ov_mat3_mul_vec3(&frame->linear, r.cy),
                        ov_mat3_mul_vec3(&frame->linear, r.cz)},
                       ov_affine_apply(frame, pose.position)};
}

static ov_status scene_places(const sweep_subject *s, double time, ov_affine *places) {
    ov_status status = OV_OK;
    const ov_sweep_body *bodies = ov_motion_scene_bodies(s->scene);
    for (size_t i = 0; i < sweep_thing_count(s) && status == OV_OK; i++) {
        ov_affine frame = ov_affine_from_pose(ov_pose_identity());
        if (bodies[i].motion != NULL) {
            status = ov_motion_at(bodies[i].motion, time, &frame);
        }
        places[i] = sweep_placed(&frame, bodies[i].pose);
    }
    return status;
}

ov_status sweep_thing_places(const sweep_subject *s, double time, ov_affine *places) {
    if (s->scene != NULL) {
        return scene_places(s, time, places);
    }
    const ov_model *model = ov_robot_model(s->robot);
    size_t links = ov_model_link_count(model);
    double *positions = malloc((ov_model_position_count(model) + 1) * sizeof *positions);
    ov_pose *poses = malloc((links + 1) * sizeof *poses);
    ov_status status = positions != NULL && poses != NULL ? OV_OK : OV_ERROR_MEMORY;
    if (status == OV_OK) {
        status = ov_trajectory_at(s->trajectory, time, positions, NULL, NULL);
    }
    if (status == OV_OK) {
        status = ov_model_poses(model, ov_pose_identity(), positions, poses);
    }
    for (size_t i = 0; i < links && status == OV_OK; i++) {
        places[i] = ov_affine_from_pose(poses[i]);
    }
    for (size_t i = 0; i < ov_scene_count(s->obstacles) && status == OV_OK; i++) {
        places[links + i] = ov_affine_from_pose(s->at_rest[i].pose);
    }
    free(positions);
    free(poses);
    return status;
}
