/**
 * @file taylor_oracle.h
 * @brief Holds a Taylor model against where a frame truly is, in long double.
 */
#ifndef OVOID_TESTS_TAYLOR_ORACLE_H
#define OVOID_TESTS_TAYLOR_ORACLE_H

#include <math.h>
#include <stddef.h>

#include "../src/motion/motion_internal.h"
#include "check.h"
#include "matrix_oracle.h"

/** Where a frame is: position and rotation, by rows. */
typedef struct taylor_frame {
    long double x[3], r[3][3];
} taylor_frame;

/** Matrix of a quaternion as it is, a unit or nearly so. */
static void taylor_matrix(const long double q[4], long double m[3][3]) {
    long double w = q[0], x = q[1], y = q[2], z = q[3];
    const long double rows[3][3] = {
        {1.0L - 2.0L * (y * y + z * z), 2.0L * (x * y - w * z), 2.0L * (x * z + w * y)},
        {2.0L * (x * y + w * z), 1.0L - 2.0L * (x * x + z * z), 2.0L * (y * z - w * x)},
        {2.0L * (x * z - w * y), 2.0L * (y * z + w * x), 1.0L - 2.0L * (x * x + y * y)}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            m[i][j] = rows[i][j];
        }
    }
}

/** How much of what a Taylor model allows is used, at s = t - middle; above 1 is wrong. */
typedef struct taylor_use {
    double place, turn;
    long double place_error, turn_error; /**< the left sides themselves */
} taylor_use;

static taylor_use taylor_against(const ovi_taylor *c, long double s, const taylor_frame *frame) {
    const long double q[4] = {c->pose.rotation.w, c->pose.rotation.x, c->pose.rotation.y,
                              c->pose.rotation.z};
    const long double x[3] = {c->pose.position.x, c->pose.position.y, c->pose.position.z};
    const long double v[3] = {c->velocity.x, c->velocity.y, c->velocity.z};
    const long double f[3] = {c->spin.x, c->spin.y, c->spin.z};
    long double r[3][3], d[3][3], square = 0.0L, far = 0.0L;
    taylor_matrix(q, r);
    for (int i = 0; i < 3; i++) {
        long double off = frame->x[i] - x[i] - s * v[i];
        square += off * off;
        far += fabsl(frame->x[i]);
        int a = (i + 1) % 3, b = (i + 2) % 3;
        for (int j = 0; j < 3; j++) {
            d[i][j] = frame->r[i][j] - r[i][j] - s * (f[a] * r[b][j] - f[b] * r[a][j]);
        }
    }
    long double place = sqrtl(square), turn = matrix_norm(d), t = fabsl(s);
    // what the frame itself may be off, in long double
    long double own = 4.0L * LDBL_EPSILON, may = own * far + c->position_error +
                                                 t * c->velocity_error +
                                                 0.5L * s * s * c->acceleration;
    long double may_turn =
        own + c->rotation_error + t * c->spin_error + 0.5L * s * s * c->rotation_acceleration;
    return (taylor_use){place > 0.0L ? (double)(place / may) : 0.0,
                        turn > 0.0L ? (double)(turn / may_turn) : 0.0, place, turn};
}

/** Both inequalities of a Taylor model; keeps the largest uses. */
static inline taylor_use taylor_check(const ovi_taylor *c, long double s, const taylor_frame *frame,
                                      taylor_use *worst) {
    taylor_use use = taylor_against(c, s, frame);
    CHECK(use.place <= 1.0);
    CHECK(use.turn <= 1.0);
    worst->place = fmax(worst->place, use.place);
    worst->turn = fmax(worst->turn, use.turn);
    return use;
}

static inline void taylor_report(const taylor_use *worst) {
    check_worst("part of the place's bound that is used", worst->place, 1.0);
    check_worst("part of the turn's bound that is used", worst->turn, 1.0);
}

#endif
