/**
 * @file lanes4.h
 * @brief Four walks of the smooth solver at once: of four pairs, or of one pair from four places.
 */
#ifndef OVI_LANES4_H
#define OVI_LANES4_H

#include "smooth.h"

/** Four problems, a lane each; index 0 is body A, 1 body B. */
typedef struct ovi_lanes4 {
    ovi_form_4 form[2];
    ovi_runs section[2], profile[2];
    ovi_triple_4 turn[3]; // rows of B's turn to A's frame
    ovi_triple_4 offset;
    ovi_triple_4 place[2];
    ovi_v4 inverse_size, diameter, goal, normal_goal, aside_goal;
    ovi_v4 floor; // walks that come to gaps below it are given up; -infinity when loaded
    ovi_i4 over_a;
    ovi_i4 active;
    int steps[4];
    bool round; // all four are pairs of ellipsoids
    bool local; // local depths are asked for
} ovi_lanes4;

/** What a lane came to, when its walk is over. */
typedef struct ovi_ends4 {
    int done; // bit by lane
    ovi_walk_end end[4];
} ovi_ends4;

/** Puts a pair into a lane, to start where the bodies have this normal. */
void ovi_lanes4_load(ovi_lanes4 *lanes, int lane, const ovi_walk *walk, const ovi_triple_2 *place);
/** Steps all active lanes until the walk of at least one is over, and takes that out. */
void ovi_lanes4_run(ovi_lanes4 *lanes, ovi_ends4 *ends);

#endif
