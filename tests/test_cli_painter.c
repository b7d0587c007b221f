/**
 * @file test_cli_painter.c
 * @brief The order of painting against rays along the line of sight: of what a ray meets, the piece
 * that it leaves later is to be painted later.
 *
 * The scenes have an order: bodies that are apart between two sheets, each a height over the
 * ground. The oracle knows nothing of contacts: triangles are met by Cramer's rule, balls and boxes
 * by their own formulas.
 */
#include <stdlib.h>

#include "check.h"
#include "draw/svg.h"

enum { SIDE_MAX = 14, BODIES = 24, PIECES_MAX = 4 * SIDE_MAX * SIDE_MAX + BODIES, RAYS = 4000 };

static ov_shape shapes[BODIES];
static svg_piece pieces[PIECES_MAX];
static size_t piece_count, order[PIECES_MAX], place[PIECES_MAX];

/** Hills over the square from -1 to 1. */
static double height(double x, double y, double phase) {
    return 0.01 * sin(3.0 * x + phase) + 0.01 * cos(4.0 * y - 2.0 * phase);
}

static ov_vec3 sheet_point(int side, int i, int j, double above, double phase) {
    double x = 2.0 * i / side - 1.0, y = 2.0 * j / side - 1.0;
    return ov_vec3_make(x, y, above + height(x, y, phase));
}

/** A sheet of side x side quadrangles, cut in two each. */
static void add_sheet(int side, double above, double phase) {
    for (int i = 0; i < 2 * side * side; i++) {
        int x = i / 2 % side, y = i / 2 / side, upper = i % 2;
        svg_piece *p = &pieces[piece_count++];
        *p = (svg_piece){.pose = ov_pose_identity()};
        p->corners[0] = sheet_point(side, x, y, above, phase);
        p->corners[1] = sheet_point(side, x + 1, y + 1, above, phase);
        p->corners[2] = sheet_point(side, x + upper, y + 1 - upper, above, phase);
    }
}

/** Balls and boxes in a raster, each within a ball of its own. */
static void add_bodies(check_random *r) {
    for (int i = 0; i < BODIES; i++) {
        double radius = check_uniform(r, 0.04, 0.125);
        ov_vec3 at = {0.34 * (i % 5 - 2), 0.34 * (i / 5 - 2), check_uniform(r, 0.75, 0.78)};
        svg_piece *p = &pieces[piece_count++];
        *p = (svg_piece){.shape = &shapes[i], .pose = {at, check_rotation(r)}};
        if (i % 2 == 0) {
            CHECK_OK(ov_shape_make_sphere(radius, &shapes[i]));
        } else {
            // half the diagonal is the radius at most
            ov_vec3 half = {0.6 * radius, check_uniform(r, 0.1, 0.6) * radius,
                            check_uniform(r, 0.1, 0.5) * radius};
            CHECK_OK(ov_shape_make_box(half, &shapes[i]));
        }
    }
}

static double determinant(ov_vec3 a, ov_vec3 b, ov_vec3 c) {
    return ov_vec3_dot(a, ov_vec3_cross(b, c));
}

/** How far along the ray a piece is left; -infinity where it is not met, or just so. */
static double leaves_triangle(const svg_piece *p, ov_vec3 from, ov_vec3 eye) {
    ov_vec3 ab = ov_vec3_sub(p->corners[1], p->corners[0]),
            ac = ov_vec3_sub(p->corners[2], p->corners[0]), d = ov_vec3_sub(from, p->corners[0]);
    ov_vec3 back = ov_vec3_neg(eye);
    double all = determinant(ab, ac, back);
    double s = determinant(d, ac, back) / all, t = determinant(ab, d, back) / all;
    const double margin = 0.02;
    bool inside = s > margin && t > margin && s + t < 1.0 - margin && fabs(all) > 1e-6;
    return inside ? determinant(ab, ac, d) / all : -INFINITY;
}

static double leaves_shape(const svg_piece *p, ov_vec3 from, ov_vec3 eye) {
    ov_quat back = ov_quat_conjugate(p->pose.rotation);
    ov_vec3 o = ov_quat_rotate(back, ov_vec3_sub(from, p->pose.position)),
            d = ov_quat_rotate(back, eye), a = p->shape->a;
    if (p->shape->kind == OV_SHAPE_KIND_SPHERE) {
        double b = ov_vec3_dot(o, d), root = b * b - ov_vec3_dot(o, o) + a.x * a.x;
        return root > 1e-6 ? sqrt(root) - b : -INFINITY;
    }
    const double origin[3] = {o.x, o.y, o.z}, way[3] = {d.x, d.y, d.z}, half[3] = {a.x, a.y, a.z};
    double in = -INFINITY, out = INFINITY;
    for (int k = 0; k < 3; k++) {
        double t1 = (-half[k] - origin[k]) / way[k], t2 = (half[k] - origin[k]) / way[k];
        in = fmax(in, fmin(t1, t2));
        out = fmin(out, fmax(t1, t2));
    }
    return out > in + 1e-4 ? out : -INFINITY;
}

static void note_places(void) {
    for (size_t i = 0; i < piece_count; i++) {
        place[i] = piece_count;
    }
    for (size_t i = 0; i < piece_count; i++) {
        CHECK(order[i] < piece_count && place[order[i] % piece_count] == piece_count);
        place[order[i] % piece_count] = i;
    }
}

static void cast_rays(const svg_view *view, check_random *r) {
    size_t pairs = 0;
    for (int ray = 0; ray < RAYS; ray++) {
        ov_vec3 from = {check_uniform(r, -0.8, 0.8), check_uniform(r, -0.8, 0.8), 0.77};
        double away[PIECES_MAX];
        size_t met[PIECES_MAX], count = 0;
        for (size_t i = 0; i < piece_count; i++) {
            away[i] = pieces[i].shape != NULL ? leaves_shape(&pieces[i], from, view->eye)
                                              : leaves_triangle(&pieces[i], from, view->eye);
            if (away[i] > -INFINITY) {
                met[count++] = i;
            }
        }
        for (size_t i = 0; i < count * count; i++) {
            size_t a = met[i / count], b = met[i % count];
            CHECK(!(away[a] < away[b]) || place[a] < place[b]);
        }
        pairs += count > 1 ? count * (count - 1) / 2 : 0;
    }
    CHECK(pairs > RAYS / 2);
}

static void hidden_pieces(void) {
    static const double elevations[] = {25.0, 40.0, 75.0};
    static const int sides[] = {1, 3, SIDE_MAX};
    check_random r = check_random_make(1);
    for (int i = 0; i < 9; i++) {
        svg_view view = svg_view_make(elevations[i % 3], 1.0);
        piece_count = 0;
        add_sheet(sides[i / 3], 0.6, check_uniform(&r, 0.0, 6.0));
        add_bodies(&r);
        add_sheet(sides[i / 3], 0.93, check_uniform(&r, 0.0, 6.0));
        // whatever the order in which they come
        for (size_t k = piece_count - 1; k > 0; k--) {
            size_t other = (size_t)check_uniform(&r, 0.0, (double)k + 1.0);
            svg_piece swap = pieces[k];
            pieces[k] = pieces[other];
            pieces[other] = swap;
        }
        CHECK_OK(svg_sort_pieces(pieces, piece_count, &view, order));
        note_places();
        cast_rays(&view, &r);
    }
}

/** Three rods each of which covers the next one, and bodies that cross: all are painted, once. */
static void no_right_order(void) {
    svg_view view = svg_view_make(90.0, 1.0);
    ov_shape rod, ball;
    CHECK_OK(ov_shape_make_box(ov_vec3_make(1.0, 0.1, 0.02), &rod));
    CHECK_OK(ov_shape_make_sphere(0.5, &ball));
    svg_piece ring[5] = {{.shape = NULL}};
    for (int i = 0; i < 3; i++) {
        double angle = 2.0943951023931957 * i;
        ov_quat turn = ov_quat_from_axis_angle(ov_vec3_make(0.0, 0.0, 1.0), angle),
                tilt = ov_quat_from_axis_angle(ov_vec3_make(0.0, 1.0, 0.0), 0.25);
        ring[i].shape = &rod;
        ring[i].pose.rotation = ov_quat_mul(turn, tilt);
        ring[i].pose.position = ov_quat_rotate(turn, ov_vec3_make(0.0, 0.5, 0.0));
    }
    ring[3] = (svg_piece){.shape = &ball, .pose = ov_pose_identity()};
    ring[4] = (svg_piece){.pose = ov_pose_identity()}; // a triangle without area
    CHECK_OK(svg_sort_pieces(ring, 5, &view, order));
    unsigned seen = 0;
    for (int i = 0; i < 5; i++) {
        seen |= 1u << order[i];
    }
    CHECK(seen == 31);
    CHECK_OK(svg_sort_pieces(NULL, 0, &view, order));
}

int main(void) {
    check_suite = "cli_painter";
    RUN(hidden_pieces);
    RUN(no_right_order);
    return check_finish();
}
