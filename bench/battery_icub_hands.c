/**
 * @file battery_icub_hands.c
 * @brief The bundled hands: both as one robot (URDF), and their movement as a table of joint
 * positions. scripts/make-icub makes the files, and tells how.
 *
 * A surface is a link whose name begins with left_ or right_ and that has one shape. The movement
 * has a column for each joint, named in its first line; joints that it does not name rest.
 */
#include "battery_icub.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/io.h>
#include <ovoid/world.h>

enum { PATH_BYTES = 240 };

const char *icub_version_name(icub_version version) {
    return version == ICUB_SUPERELLIPSOIDS ? "superellipsoids" : "mixed";
}

static bool fail(icub_error *error, const char *path, size_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/** Says what is wrong; false, for the caller to return. */
static bool fail(icub_error *error, const char *path, size_t line, const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(error->what, sizeof error->what, format, values);
    va_end(values);
    if (line > 0) {
        snprintf(error->where, sizeof error->where, "%.*s:%zu", PATH_BYTES, path, line);
    } else {
        snprintf(error->where, sizeof error->where, "%.*s", PATH_BYTES, path);
    }
    return false;
}

/* ---- the movement */

/** Says what is wrong with the movement. */
static bool fail_movement(icub_error *error, const char *path, ov_status status,
                          const ov_joints *joints, const ov_fault *told) {
    if (told->index > 1 && (status == OV_ERROR_FILE_FORMAT || status == OV_ERROR_NOT_FINITE)) {
        return fail(error, path, told->index, "not a row of %zu finite numbers",
                    joints->column_count);
    }
    return fail(error, path, told->index, "%.200s", told->text);
}

static bool read_movement(const char *path, const ov_model *model, ov_joints *joints,
                          icub_error *error) {
    ov_fault told;
    ov_status status = ov_joints_read(path, model, true, joints, &told);
    if ((status == OV_ERROR_COUNT && told.index == 0) || (status == OV_OK && joints->count < 2)) {
        return fail(error, path, 0, "no movement: it needs two rows of positions");
    }
    if (status != OV_OK) {
        return fail_movement(error, path, status, joints, &told);
    }
    return joints->count <= ICUB_FRAMES_MAX ||
           fail(error, path, 0, "more than %d rows", ICUB_FRAMES_MAX);
}

/* ---- the hands */

static bool find_surfaces(const char *path, const ov_model *model, icub_hands *hands,
                          uint32_t links[ICUB_HANDS][ICUB_SURFACES], icub_error *error) {
    static const char *const prefixes[ICUB_HANDS] = {"left_", "right_"};
    size_t counts[ICUB_HANDS] = {0};
    for (size_t link = 0; link < ov_model_link_count(model); link++) {
        const ov_geometry *geometry = ov_model_link_geometry(model, link);
        const char *name = ov_model_link_name(model, link);
        for (int h = 0; h < ICUB_HANDS && geometry != NULL; h++) {
            if (strncmp(name, prefixes[h], strlen(prefixes[h])) != 0) {
                continue;
            }
            const ov_part *part = ov_geometry_part(geometry, 0);
            if (counts[h] == ICUB_SURFACES || ov_geometry_count(geometry) != 1 ||
                part->mesh != NULL || part->shape.kind > OV_SHAPE_KIND_SUPEROVOID) {
                return fail(error, path, 0, "link '%.60s' is not one of %d smooth surfaces", name,
                            ICUB_SURFACES);
            }
            icub_surface *surface = &hands->surfaces[h][counts[h]];
            snprintf(surface->name, sizeof surface->name, "%s", name);
            surface->shape = part->shape;
            links[h][counts[h]++] = (uint32_t)link;
        }
    }
    return (counts[0] == ICUB_SURFACES && counts[1] == ICUB_SURFACES) ||
           fail(error, path, 0, "has %zu and %zu surfaces, not %d for each hand", counts[0],
                counts[1], ICUB_SURFACES);
}

/** Positions at a time from 0 to 1 of the movement, between the rows linearly. */
static void positions_at(const ov_joints *m, double time, double *positions) {
    double at = time * (double)(m->count - 1);
    size_t row = (size_t)fmin(floor(at), (double)(m->count - 2));
    const double *from = m->positions + row * m->width, *to = from + m->width;
    double share = at - (double)row;
    for (size_t i = 0; i < m->width; i++) {
        // a share of 1 must give the row itself
        positions[i] = share < 1.0 ? from[i] + share * (to[i] - from[i]) : to[i];
    }
}

static bool make_frames(const ov_model *model, const ov_joints *m, icub_hands *hands,
                        uint32_t links[ICUB_HANDS][ICUB_SURFACES]) {
    ov_pose *poses = calloc(ov_model_link_count(model), sizeof *poses);
    double *positions = calloc(m->width + 1, sizeof *positions);
    hands->frames = calloc(hands->frame_count, sizeof *hands->frames);
    bool good = poses != NULL && positions != NULL && hands->frames != NULL;
    for (size_t f = 0; f < hands->frame_count && good; f++) {
        positions_at(m, (double)f / (double)(hands->frame_count - 1), positions);
        good = ov_model_poses(model, ov_pose_identity(), positions, poses) >= 0;
        for (int k = 0; k < ICUB_HANDS * ICUB_SURFACES && good; k++) {
            int h = k / ICUB_SURFACES, s = k % ICUB_SURFACES;
            ov_pose link = poses[links[h][s]];
            ov_pose own = ov_geometry_part(ov_model_link_geometry(model, links[h][s]), 0)->pose;
            hands->frames[f].poses[h][s] =
                (ov_pose){.position = ov_pose_apply(link, own.position),
                          .rotation = ov_quat_mul(link.rotation, own.rotation)};
        }
    }
    free(positions);
    free(poses);
    return good;
}

void icub_file(const char *data, int which, char path[ICUB_PATH_BYTES]) {
    int most = ICUB_PATH_BYTES - 80;
    if (which < ICUB_VERSIONS) {
        snprintf(path, ICUB_PATH_BYTES, "%.*s/icub/hands_%s.urdf", most, data,
                 icub_version_name((icub_version)which));
    } else {
        snprintf(path, ICUB_PATH_BYTES, "%.*s/icub/movement.csv", most, data);
    }
}

bool icub_read(const char *data, icub_version version, size_t frames, icub_hands *hands,
               icub_error *error) {
    char path[ICUB_PATH_BYTES], table[ICUB_PATH_BYTES];
    uint32_t links[ICUB_HANDS][ICUB_SURFACES] = {{0}};
    ov_fault told = {0};
    ov_robot *robot = NULL;
    *hands = (icub_hands){.version = version};
    *error = (icub_error){.where = ""};
    icub_file(data, (int)version, path);
    icub_file(data, ICUB_VERSIONS, table);
    if (ov_robot_read(path, NULL, &robot, &told) < 0) {
        return fail(error, path, told.index, "%.200s", told.text);
    }
    ov_joints joints = {.count = 0};
    const ov_model *model = ov_robot_model(robot);
    bool good = find_surfaces(path, model, hands, links, error) &&
                read_movement(table, model, &joints, error);
    if (good) {
        hands->frame_count = frames >= 2 ? frames : joints.count;
        good = make_frames(model, &joints, hands, links) ||
               fail(error, table, 0, "no memory for the movement");
    }
    if (!good) {
        icub_free(hands);
    }
    ov_joints_free(&joints);
    ov_robot_destroy(robot);
    return good;
}

void icub_free(icub_hands *hands) {
    free(hands->frames);
    *hands = (icub_hands){.version = hands->version};
}
