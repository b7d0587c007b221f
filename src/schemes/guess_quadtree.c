/**
 * @file guess_quadtree.c
 * @brief First guesses from the two parameter domains [Benchmark, 4.4], [Thesis, Table 7], and from
 * the last answer.
 *
 * The domain of the angles (9) of each body is split in four; of the 16 pairs of cell centres the
 * one whose points are nearest to each other is kept, and its two cells are split next. The centres
 * of the last level are the guess.
 *
 * Known defects, kept, for they are the method:
 *  - it is greedy: a cell that is left is never looked at again, so the result need not be the
 *    nearest pair of the finest grid, and [Thesis, 3.4.1]'s "converge globally" does not hold;
 *  - where the bodies overlap it runs to a point where the surfaces cross, not to the points of the
 *    common normal [Benchmark, 6.1];
 *  - the angle-centre parametrisation crowds at edges. On a body with e = 0.3 no centre of six
 *    levels comes closer than 0.4 semi-axes to the middle of a flat.
 *
 * Departures: the four points of a level and body are computed once and not once a pair, from the
 * powers of their two times two angles, and distances are taken in B's frame and not in the world;
 * the guess is the same to rounding.
 */
#include "systems.h"

#define PI 3.14159265358979323846

/** A cell of a parameter domain. */
typedef struct cell {
    double centre[2], half[2];
} cell;

/** Quarter i: its bits choose the sides of the two angles. */
static cell quarter(const cell *c, int i) {
    cell q;
    for (int k = 0; k < 2; k++) {
        q.half[k] = 0.5 * c->half[k];
        q.centre[k] = c->centre[k] + ((i >> k & 1) != 0 ? q.half[k] : -q.half[k]);
    }
    return q;
}

/** The quarters of a cell and their centres' points, which have two angles of each kind only. */
static void quarters_of(const ov_shape *shape, const cell *c, cell quarters[4], ov_vec3 points[4]) {
    ovi_scheme_ray section[2], profile[2];
    for (int i = 0; i < 2; i++) {
        double side = i == 0 ? -0.5 : 0.5;
        section[i] = ovi_scheme_ray_of(c->centre[0] + side * c->half[0], shape->e1);
        profile[i] = ovi_scheme_ray_of(c->centre[1] + side * c->half[1], shape->e2);
    }
    for (int i = 0; i < 4; i++) {
        quarters[i] = quarter(c, i);
        points[i] = ovi_scheme_point_on(shape, section[i & 1], profile[i >> 1]);
    }
}

/** The nearest of the 16 pairs; of equal ones the first. */
static void split(const ovi_scheme_pair *pair, const ovi_scheme_place *place, cell *cell_a,
                  cell *cell_b) {
    cell quarters_a[4], quarters_b[4];
    ov_vec3 points_a[4], points_b[4];
    quarters_of(pair->a, cell_a, quarters_a, points_a);
    quarters_of(pair->b, cell_b, quarters_b, points_b);
    for (int i = 0; i < 4; i++) {
        points_a[i] = ov_vec3_add(ov_mat3_mul_vec3(&place->turn, points_a[i]), place->offset);
    }
    double least = INFINITY;
    int best = 0;
    for (int i = 0; i < 16; i++) {
        ov_vec3 d = ov_vec3_sub(points_b[i % 4], points_a[i / 4]);
        double square = ov_vec3_dot(d, d);
        if (square < least) {
            least = square;
            best = i;
        }
    }
    *cell_a = quarters_a[best / 4];
    *cell_b = quarters_b[best % 4];
}

void ovi_scheme_guess_quadtree(const ovi_scheme_pair *pair, int levels, ovi_scheme_guess *guess) {
    ovi_scheme_place place = ovi_scheme_place_of(pair);
    cell a = {{0.0, 0.0}, {PI, 0.5 * PI}}, b = a;
    for (int i = 0; i < levels; i++) {
        split(pair, &place, &a, &b);
    }
    for (int k = 0; k < 2; k++) {
        guess->phi_a[k] = a.centre[k];
        guess->phi_b[k] = b.centre[k];
    }
    guess->a = ovi_scheme_point(pair->a, a.centre);
    guess->b = ovi_scheme_point(pair->b, b.centre);
}

/** The bodies may have moved since: their points then are near the surfaces' contact only. */
void ovi_scheme_guess_last(const ovi_scheme_pair *pair, const ov_scheme_result *last,
                           ovi_scheme_guess *guess) {
    guess->a = ov_pose_apply_inverse(pair->pose_a, last->point_a);
    guess->b = ov_pose_apply_inverse(pair->pose_b, last->point_b);
    ovi_scheme_angles(pair->a, guess->a, guess->phi_a);
    ovi_scheme_angles(pair->b, guess->b, guess->phi_b);
}
