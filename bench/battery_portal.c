/**
 * @file battery_portal.c
 * @brief The eight cases of [Portal, 5] done again: what its Tables 2 to 5 print, how Table 2 is to
 * be read, and both optimisers on all constraint sets beside Ovoid's certified gap.
 *
 * How Table 2 is to be read, the paper does not say in full. Its start factors delta (32)-(34) are
 * printed in Table 3 to four digits and depend on nothing but positions, sizes, exponents and
 * rotations; the points of Tables 3 to 5 must lie on the surfaces. One reading fits all of them:
 *
 *   - a is the semi-axes; the exponent columns are 2/epsilon as their head says, two numbers a
 * body, the first along z (epsilon 1), the second in xy (epsilon 2);
 *   - e are the Euler parameters e1, e2, e3 of (13), with e0 > 0 from their unit length;
 *   - in case 7, e2 of A is +0.20: with the printed -0.20 none of the eight points of Table 4 is
 *     near the surface, with +0.20 all are on it to their last digit.
 *
 * Others are tried as well, one change at a time, and shown beside it. The set of constraints of
 * Table 3 is not said. Its case 4 is a penetration, which of all sets only b and e can find; e is
 * the one that the paper recommends in the end, so its results stand beside those of Table 3.
 */
#ifdef OVOID_SCHEMES

#include "battery_portal.h"

#include <math.h>
#include <string.h>

/** Table 2; exponents as printed. */
typedef struct portal_body {
    double p[3], a[3], n[2], e[3];
} portal_body;

static const portal_body bodies[PORTAL_CASES][2] = {
    {{{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}, {2.0, 2.0}, {0.0, 0.0, 0.0}},
     {{4.0, 0.0, 0.0}, {1.0, 1.0, 1.0}, {2.0, 2.0}, {0.0, 0.0, 0.0}}},
    {{{4.0, 0.0, 0.0}, {1.0, 1.0, 1.0}, {2.0, 2.0}, {0.0, 0.0, 0.0}},
     {{5.8, 0.0, 0.0}, {1.0, 1.0, 1.0}, {2.0, 2.0}, {0.0, 0.0, 0.0}}},
    {{{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}, {2.0, 2.0}, {0.0, 0.0, 0.0}},
     {{0.0, 0.0, 4.0}, {1.2, 1.4, 1.8}, {2.6, 3.1}, {0.0, 0.0, 0.0}}},
    {{{0.0, 0.0, 4.0}, {1.2, 1.4, 1.8}, {2.6, 3.1}, {0.0, 0.0, 0.0}},
     {{2.0, 1.5, 3.0}, {1.5, 1.0, 1.0}, {4.0, 2.2}, {0.0, 0.4, 0.25}}},
    {{{4.0, 0.0, 0.0}, {1.0, 1.0, 1.0}, {2.0, 2.0}, {0.0, 0.0, 0.0}},
     {{2.0, 1.5, 3.0}, {1.5, 1.0, 1.0}, {4.0, 2.2}, {0.0, 0.4, 0.25}}},
    {{{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}, {2.0, 2.0}, {0.0, 0.0, 0.0}},
     {{2.0, 1.5, 3.0}, {1.5, 1.0, 1.0}, {4.0, 2.2}, {0.0, 0.4, 0.25}}},
    {{{-1.0, 2.0, 1.0}, {1.0, 1.25, 1.6}, {4.0, 2.0}, {-0.1, -0.20, 0.14}},
     {{0.5, -1.5, 3.3}, {2.0, 1.1, 0.6}, {2.2, 4.5}, {-0.4, 0.4, -0.05}}},
    {{{1.0, 3.2, 1.0}, {1.0, 1.25, 1.6}, {4.0, 2.2}, {0.3, 0.0, 0.0}},
     {{1.8, 1.5, 1.3}, {2.0, 1.1, 0.6}, {3.2, 2.5}, {0.4, 0.4, -0.05}}},
};

static const double printed_deltas[PORTAL_CASES][2] = {
    {0.2501, 0.2501}, {0.5556, 0.5556}, {0.2501, 0.4501}, {0.5479, 0.5816},
    {0.2561, 0.3128}, {0.2561, 0.2662}, {NAN, NAN},       {NAN, NAN}};

/** Tables 3, 4 and 5. The latter two do not name their method; their counts are like those of the
 *  interior point rows of Table 3. */
const portal_printed portal_printed_rows[PORTAL_PRINTED] = {
    {1, 0, 0, {1.0, 0.0, 0.0}, {3.0, 0.0, 0.0}, 2.00, 2, false, 534, 362, 0, 13},
    {1, 0, 1, {1.0, 0.0, 0.0}, {3.0, 0.0, 0.0}, 2.00, 2, false, 20, 362, 8, 69},
    {2, 0, 0, {5.0, 0.0, 0.0}, {4.8, 0.0, 0.0}, 0.20, 2, true, 514, 386, 0, 13},
    {2, 0, 1, {5.0, 0.0, 0.0}, {4.8, 0.0, 0.0}, 0.20, 2, true, 0, 386, 1, 7},
    {3, 0, 0, {0.0, 0.0, 1.0}, {0.0, 0.0, 2.2}, 1.20, 2, false, 508, 392, 0, 13},
    {3, 0, 1, {0.0, 0.0, 1.0}, {0.03, -0.01, 2.2}, 1.20, 2, false, 10, 392, 3, 28},
    {4, 0, 0, {1.04, 0.95, 3.41}, {0.71, 0.76, 3.46}, 0.381, 3, true, 779, 383, 11, 95},
    {4, 0, 1, {1.01, 1.03, 4.39}, {2.18, 0.96, 3.27}, 0.381, 3, true, 20, 383, 15, 128},
    {5, 0, 0, {3.45, 0.49, 0.67}, {2.56, 1.27, 1.74}, 1.590, 3, false, 738, 378, 8, 71},
    {5, 0, 1, {3.38, 0.38, 0.71}, {2.51, 1.16, 1.78}, 1.587, 3, false, 10, 378, 4, 36},
    {6, 0, 0, {0.60, 0.34, 0.72}, {1.69, 0.95, 2.05}, 1.821, 3, false, 749, 379, 8, 73},
    {6, 0, 1, {0.59, 0.34, 0.73}, {1.68, 0.96, 2.05}, 1.821, 3, false, 20, 379, 8, 69},
    {7,
     'a',
     0,
     {-0.4988, 1.168, 2.278},
     {-0.3599, -0.2923, 3.223},
     1.745,
     3,
     false,
     1215,
     -1,
     12,
     106},
    {7, 'b', 0, {-0.526, 1.147, 2.248}, {-0.361, -0.279, 3.246}, 1.748, 3, false, 1162, -1, 4, 43},
    {7,
     'c',
     0,
     {-0.4822, 1.179, 2.292},
     {-0.3692, -0.2959, 3.219},
     1.746,
     3,
     false,
     2047,
     -1,
     101,
     775},
    {7,
     'd',
     0,
     {-0.5161, 1.152, 2.255},
     {-0.373, -0.276, 3.251},
     1.747,
     3,
     false,
     1400,
     -1,
     27,
     222},
    {7,
     'e',
     0,
     {-0.4976, 1.168, 2.278},
     {-0.3597, -0.2911, 3.225},
     1.745,
     3,
     false,
     1186,
     -1,
     9,
     80},
    {7,
     'f',
     0,
     {-0.4925, 1.167, 2.276},
     {-0.3613, -0.2921, 3.224},
     1.745,
     3,
     false,
     1178,
     -1,
     7,
     63},
    {7,
     'g',
     0,
     {-0.4995, 1.168, 2.279},
     {-0.3584, -0.2893, 3.228},
     1.745,
     3,
     false,
     1187,
     -1,
     7,
     67},
    {7,
     'h',
     0,
     {-0.5057, 1.165, 2.274},
     {-0.3593, -0.2914, 3.225},
     1.745,
     3,
     false,
     1211,
     -1,
     8,
     71},
    {8, 'a', 0, {1.613, 2.001, 0.9268}, {1.613, 2.001, 0.9268}, 0.0003, 4, false, 49, -1, 6, 56},
    {8, 'b', 0, {1.636, 1.864, 1.786}, {1.280, 1.980, 1.464}, 0.4938, 4, true, 69, -1, 9, 77},
    {8, 'c', 0, {1.548, 1.961, 0.9468}, {1.559, 1.944, 0.9316}, 0.0253, 4, false, 280, -1, 41, 333},
    {8, 'd', 0, {1.723, 2.158, 1.059}, {1.724, 2.156, 1.06}, 0.0025, 4, false, 550, -1, 89, 688},
    {8, 'e', 0, {1.603, 1.817, 1.741}, {1.362, 2.119, 1.619}, 0.4046, 4, true, 103, -1, 14, 123},
    {8, 'f', 0, {1.776, 2.185, 1.003}, {1.778, 2.183, 1.003}, 0.0035, 4, false, 171, -1, 17, 160},
    {8, 'g', 0, {1.772, 2.187, 1.009}, {1.775, 2.182, 1.011}, 0.0065, 4, false, 148, -1, 18, 174},
    {8, 'h', 0, {1.739, 2.214, 0.8419}, {1.823, 2.140, 0.8434}, 0.1127, 4, false, 169, -1, 30, 256},
};

/* ---- readings of Table 2 */

typedef enum turn_reading {
    TURN_PARAMETERS, /**< Euler parameters, (13) */
    TURN_INVERSE,    /**< the same, turning the axes instead */
    TURN_VECTOR,     /**< axis times angle in radians */
    TURN_XYZ,        /**< angles in radians about the body's x, then y, then z */
    TURN_ZYX,
    TURN_ZXZ,
    TURN_XYZ_DEGREES
} turn_reading;

typedef struct reading {
    const char *words;
    turn_reading turn;
    bool xy_first;        /**< the first exponent is that in xy */
    double exponent;      /**< primal exponents are so many times the printed number ... */
    bool inverse;         /**< ... or 2 over it */
    double axis_power;    /**< semi-axes are the printed number to this power ... */
    double axis_factor;   /**< ... times this */
    bool sign_as_printed; /**< of e2 of A in case 7 */
} reading;

static const reading readings[PORTAL_READINGS] = {
    {"Euler parameters, semi-axes, 2/epsilon, first along z (taken)", TURN_PARAMETERS, false, 1.0,
     false, 1.0, 1.0, false},
    {"  e2 of A in case 7 as printed: -0.20", TURN_PARAMETERS, false, 1.0, false, 1.0, 1.0, true},
    {"  first exponent in xy", TURN_PARAMETERS, true, 1.0, false, 1.0, 1.0, false},
    {"  the numbers are 1/epsilon", TURN_PARAMETERS, false, 2.0, false, 1.0, 1.0, false},
    {"  the numbers are epsilon", TURN_PARAMETERS, false, 1.0, true, 1.0, 1.0, false},
    {"  the sizes are whole lengths", TURN_PARAMETERS, false, 1.0, false, 1.0, 0.5, false},
    {"  the sizes are squares", TURN_PARAMETERS, false, 1.0, false, 0.5, 1.0, false},
    {"  the inverse rotation", TURN_INVERSE, false, 1.0, false, 1.0, 1.0, false},
    {"  axis times angle", TURN_VECTOR, false, 1.0, false, 1.0, 1.0, false},
    {"  angles about x, y, z", TURN_XYZ, false, 1.0, false, 1.0, 1.0, false},
    {"  angles about z, y, x", TURN_ZYX, false, 1.0, false, 1.0, 1.0, false},
    {"  Euler angles about z, x, z", TURN_ZXZ, false, 1.0, false, 1.0, 1.0, false},
    {"  angles about x, y, z in degrees", TURN_XYZ_DEGREES, false, 1.0, false, 1.0, 1.0, false},
};

static ov_quat turn_about(const char axes[3], const double e[3], double unit) {
    ov_quat q = ov_quat_identity();
    for (int i = 0; i < 3; i++) {
        ov_vec3 axis = {axes[i] == 'x' ? 1.0 : 0.0, axes[i] == 'y' ? 1.0 : 0.0,
                        axes[i] == 'z' ? 1.0 : 0.0};
        q = ov_quat_mul(q, ov_quat_from_axis_angle(axis, e[i] * unit));
    }
    return q;
}

static ov_quat read_turn(turn_reading how, const double e[3]) {
    ov_vec3 v = {e[0], e[1], e[2]};
    ov_quat parameters = {sqrt(1.0 - ov_vec3_dot(v, v)), e[0], e[1], e[2]};
    switch (how) {
    case TURN_INVERSE:
        return ov_quat_conjugate(parameters);
    case TURN_VECTOR:
        return ov_quat_from_axis_angle(v, ov_vec3_length(v));
    case TURN_XYZ:
        return turn_about("xyz", e, 1.0);
    case TURN_ZYX:
        return turn_about("zyx", e, 1.0);
    case TURN_ZXZ:
        return turn_about("zxz", e, 1.0);
    case TURN_XYZ_DEGREES:
        return turn_about("xyz", e, acos(-1.0) / 180.0);
    default:
        return parameters;
    }
}

/** A body under a reading; not an ov_shape, as some readings are not convex. */
typedef struct read_body {
    ov_pose pose;
    double a[3], along_z, in_xy;
} read_body;

static read_body read_table(const reading *r, int number, int which) {
    portal_body t = bodies[number - 1][which];
    if (number == 7 && which == 0 && !r->sign_as_printed) {
        t.e[1] = -t.e[1];
    }
    read_body b = {.pose = {{t.p[0], t.p[1], t.p[2]}, read_turn(r->turn, t.e)}};
    double n[2];
    for (int i = 0; i < 2; i++) {
        n[i] = r->inverse ? 2.0 / t.n[i] : r->exponent * t.n[i];
    }
    for (int i = 0; i < 3; i++) {
        b.a[i] = r->axis_factor * pow(t.a[i], r->axis_power);
    }
    b.along_z = n[r->xy_first ? 1 : 0];
    b.in_xy = n[r->xy_first ? 0 : 1];
    return b;
}

/** 1 on the surface, and homogeneous from the centre. */
static double gauge(const read_body *b, ov_vec3 world) {
    ov_vec3 p = ov_pose_apply_inverse(b->pose, world);
    double x = fabs(p.x / b->a[0]), y = fabs(p.y / b->a[1]), z = fabs(p.z / b->a[2]);
    double m = pow(pow(x, b->in_xy) + pow(y, b->in_xy), 1.0 / b->in_xy);
    return pow(pow(m, b->along_z) + pow(z, b->along_z), 1.0 / b->along_z);
}

static ov_vec3 vector(const double v[3]) { return ov_vec3_make(v[0], v[1], v[2]); }

/** The points that the paper itself takes for solutions: not those of SQP in Table 3, which have
 *  faults of their own, nor those that it calls not converged in Table 5. */
static bool speaks_for_reading(const portal_printed *p) {
    return p->set == 0 ? p->method == 0 : p->number == 7 || strchr("abe", p->set) != NULL;
}

static portal_reading try_reading(const reading *r) {
    portal_reading out = {.words = r->words};
    for (int number = 1; number <= PORTAL_CASES; number++) {
        read_body b[2] = {read_table(r, number, 0), read_table(r, number, 1)};
        for (int k = 0; k < 2 && isfinite(printed_deltas[number - 1][k]); k++) {
            double delta = 1.0 / gauge(&b[k], b[1 - k].pose.position);
            out.delta_off = fmax(out.delta_off, fabs(delta - printed_deltas[number - 1][k]));
        }
        for (int i = 0; i < PORTAL_PRINTED; i++) {
            const portal_printed *p = &portal_printed_rows[i];
            if (p->number == number && speaks_for_reading(p)) {
                out.point_off = fmax(out.point_off, fabs(gauge(&b[0], vector(p->a)) - 1.0));
                out.point_off = fmax(out.point_off, fabs(gauge(&b[1], vector(p->b)) - 1.0));
            }
        }
    }
    return out;
}

/* ---- measurement */

enum { ROUNDS = 3, ITERATIONS = 200 };
#define RIGHT 1e-5

bool portal_is_right(const portal_case *c, const ov_scheme_result *r) {
    return r->status == OV_OK && fabs(r->gap - c->certified.gap) <= RIGHT;
}

static bool make_case(int number, portal_case *c) {
    const reading *taken = &readings[0];
    ov_shape *shapes[2] = {&c->a, &c->b};
    ov_pose *poses[2] = {&c->pose_a, &c->pose_b};
    read_body b[2] = {read_table(taken, number, 0), read_table(taken, number, 1)};
    for (int k = 0; k < 2; k++) {
        if (ov_shape_make_superellipsoid(vector(b[k].a), 2.0 / b[k].in_xy, 2.0 / b[k].along_z,
                                         shapes[k]) != OV_OK) {
            return false;
        }
        *poses[k] = b[k].pose;
        c->delta[k] = 1.0 / gauge(&b[k], b[1 - k].pose.position);
        c->printed_delta[k] = printed_deltas[number - 1][k];
    }
    ov_pair_options proven = ov_default_pair_options();
    proven.depth = OV_DEPTH_PROVEN;
    return ov_pair_contact(&c->a, c->pose_a, &c->b, c->pose_b, &proven, NULL, &c->certified) >= 0;
}

static ov_scheme_result solve(const portal_case *c, int set, int method, int form,
                              const portal_study *study) {
    ov_scheme_options options = ov_default_scheme_options();
    options.tolerance = study->tolerance;
    options.iterations = study->iterations;
    options.constraint_set = (char)('a' + set);
    options.mended = form > 0;
    ov_scheme scheme = method > 0 ? OV_SCHEME_SQP : OV_SCHEME_INTERIOR_POINT;
    ov_scheme_result best = {.total_seconds = INFINITY};
    for (int round = 0; round < ROUNDS; round++) {
        ov_scheme_result r = {.status = OV_OK};
        ov_scheme_contact(scheme, &c->a, c->pose_a, &c->b, c->pose_b, &options, &r);
        if (!(r.total_seconds >= best.total_seconds)) {
            best = r;
        }
    }
    return best;
}

static portal_verdict judge(const portal_printed *p, const portal_case *c) {
    portal_verdict v = {.off = (p->contact ? -p->distance : p->distance) - c->certified.gap};
    const reading *taken = &readings[0];
    read_body a = read_table(taken, p->number, 0), b = read_table(taken, p->number, 1);
    v.surface_a = gauge(&a, vector(p->a)) - 1.0;
    v.surface_b = gauge(&b, vector(p->b)) - 1.0;
    v.right = fabs(v.off) <= 0.5001 * pow(10.0, -p->digits);
    return v;
}

bool portal_measure(const battery_progress *progress, portal_study *study) {
    *study = (portal_study){.iterations = ITERATIONS, .tolerance = 1e-6};
    study->missing[0] = ov_scheme_missing(OV_SCHEME_INTERIOR_POINT);
    study->missing[1] = ov_scheme_missing(OV_SCHEME_SQP);
    for (int i = 0; i < PORTAL_READINGS; i++) {
        study->readings[i] = try_reading(&readings[i]);
    }
    for (int k = 0; k < PORTAL_CASES; k++) {
        portal_case *c = &study->cases[k];
        if (!make_case(k + 1, c)) {
            return false;
        }
        for (int i = 0; i < OV_PORTAL_SETS * PORTAL_METHODS * PORTAL_FORMS; i++) {
            int set = i / (PORTAL_METHODS * PORTAL_FORMS), method = i / PORTAL_FORMS % 2;
            int form = i % PORTAL_FORMS;
            c->results[set][method][form] = solve(c, set, method, form, study);
            battery_show(progress, "problems solved",
                         (size_t)(k * OV_PORTAL_SETS * PORTAL_METHODS * PORTAL_FORMS + i + 1),
                         PORTAL_CASES * OV_PORTAL_SETS * PORTAL_METHODS * PORTAL_FORMS);
        }
    }
    for (int i = 0; i < PORTAL_PRINTED; i++) {
        const portal_printed *p = &portal_printed_rows[i];
        study->verdicts[i] = judge(p, &study->cases[p->number - 1]);
    }
    return true;
}

#endif
