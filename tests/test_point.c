/**
 * @file test_point.c
 * @brief Signed and radial distance of points, against oracles in long double.
 *
 * Outside, the answer is its own witness: the long-double support function along the normal says
 * how far at least the point is from the body, the long-double gauge that the witness point is one
 * of its points. Both bounds have to agree with that, so no search is needed to know the truth.
 * Inside, the oracle is a dense scan of the surface, refined by a pattern search around every dip.
 */
#include <string.h>

#include "check.h"
#include "oracle.h"
#include "support_oracle.h"

static so_grid grid;

static so_real oracle_support(const ov_shape *s, ov_vec3 n) {
    if (s->kind != OV_SHAPE_SUPEROVOID) {
        return so_support_straight(s, so_from(n));
    }
    return so_support(s, &grid, so_from(n)).value;
}

/** A shape of moderate aspect ratio, tapered in two cases of three; dents up to the default. */
static ov_shape random_shape(check_random *r, int i) {
    ov_shape s = {.kind = OV_SHAPE_NONE};
    for (int attempt = 0; attempt < 1000 && s.kind == OV_SHAPE_NONE; attempt++) {
        double size = check_log_uniform(r, 1e-3, 1e3);
        ov_vec3 a = ov_vec3_make(size * check_log_uniform(r, 0.05, 1.0),
                                 size * check_log_uniform(r, 0.05, 1.0),
                                 size * check_log_uniform(r, 0.05, 1.0));
        double tx = i % 3 == 0 ? 0.0 : check_uniform(r, -0.6, 0.6);
        double ty = i % 3 == 1 ? tx : i % 3 == 0 ? 0.0 : check_uniform(r, -0.6, 0.6);
        (void)ov_shape_make_superovoid(a, oracle_random_exponent(r), oracle_random_exponent(r), tx,
                                       ty, NULL, &s);
    }
    CHECK(s.kind != OV_SHAPE_NONE);
    so_make_grid(&s, &grid);
    return s;
}

static double size_of(const ov_shape *s) { return s->ball.radius; }

/** A point around the body: anywhere, near it, on an axis or plane of symmetry, on the surface. */
static ov_vec3 random_point(check_random *r, const ov_shape *s, int kind) {
    double reach = size_of(s) * check_log_uniform(r, 0.05, kind == 0 ? 1e6 : 3.0);
    ov_vec3 p = ov_vec3_scale(check_unit_vector(r), reach);
    if (kind == 2) {
        p.x = 0.0;
    } else if (kind == 3) {
        p.x = p.y = 0.0;
    } else if (kind == 4) {
        p.y = p.z = 0.0;
    } else if (kind >= 5) {
        ov_surface_point on;
        CHECK_OK(ov_shape_surface(s, OV_SPACING_EQUAL, check_uniform(r, -M_PI, M_PI),
                                  check_uniform(r, -0.5 * M_PI, 0.5 * M_PI), &on));
        double off = kind == 5 ? 0.0 : check_log_uniform(r, 1e-13, 1e-1) * size_of(s);
        p = ov_vec3_add_scaled(on.point, on.normal, kind == 7 ? -off : off);
    }
    return p;
}

/** Least distance from the surface, by a scan and pattern searches; for bodies without dent. */
static so_real scan_depth(const ov_shape *s, so_vec p) {
    enum { AROUND = 24, UP = 48 };
    static so_real d[AROUND + 1][UP + 1];
    so_real best = INFINITY;
    p.x = fabsl(p.x);
    p.y = fabsl(p.y);
    for (int i = 0; i <= AROUND; i++) {
        for (int j = 0; j <= UP; j++) {
            so_vec x = so_surface(s, (so_real)i / AROUND, 2.0L * j / UP - 1.0L);
            d[i][j] = so_length((so_vec){x.x - p.x, x.y - p.y, x.z - p.z});
        }
    }
    for (int i = 0; i <= AROUND; i++) {
        for (int j = 0; j <= UP; j++) {
            so_real around = (so_real)i / AROUND, up = 2.0L * j / UP - 1.0L, here = d[i][j];
            bool dip = (i == 0 || here <= d[i - 1][j]) && (i == AROUND || here <= d[i + 1][j]) &&
                       (j == 0 || here <= d[i][j - 1]) && (j == UP || here <= d[i][j + 1]);
            so_real step = 1.0L / AROUND;
            for (int pass = 0; dip && step > 1e-9L && pass < 400; pass++) {
                so_real from = here;
                for (int k = 0; k < 8; k++) {
                    static const int move[8][2] = {{1, 0}, {-1, 0}, {0, 1},  {0, -1},
                                                   {1, 1}, {1, -1}, {-1, 1}, {-1, -1}};
                    so_real a = fminl(1.0L, fmaxl(0.0L, around + step * move[k][0]));
                    so_real b = fminl(1.0L, fmaxl(-1.0L, up + step * move[k][1]));
                    so_vec x = so_surface(s, a, b);
                    so_real there = so_length((so_vec){x.x - p.x, x.y - p.y, x.z - p.z});
                    if (there < here) {
                        here = there;
                        around = a;
                        up = b;
                    }
                }
                step *= here < from ? 1.4L : 0.4L;
            }
            best = fminl(best, here);
        }
    }
    return best;
}

typedef struct tally {
    long asked, unsolved, separated, overlapping, touching;
    double width, outside, inside;
} tally;

static void check_outside(const ov_shape *s, ov_vec3 p, const ov_contact *c, tally *t) {
    double size = fmax(size_of(s), ov_vec3_length(p)), slack = 1e-15 * size;
    so_real by_plane = so_dot(so_from(c->normal), so_from(p)) - oracle_support(s, c->normal);
    CHECK(c->gap_lower <= (double)by_plane + slack);
    so_vec a = so_from(c->point_a);
    so_real distance = so_length((so_vec){p.x - a.x, p.y - a.y, p.z - a.z});
    CHECK(c->gap_upper >= (double)distance - slack);
    // in a dent the witness is a point of the hull, which the gauge does not know
    if (s->dent == 0.0) {
        // bodies with faces may be left to the pair query, which meets the tolerance of the gap
        CHECK_NEAR((double)so_gauge(s, a), 1.0, fmax(s->e1, s->e2) > 1.98 ? 2e-8 : 1e-12);
        t->outside = fmax(t->outside, (double)(distance - by_plane) / size);
    }
    CHECK(c->relation == OV_SEPARATED || c->relation == OV_TOUCHING);
}

static void check_inside(const ov_shape *s, ov_vec3 p, const ov_contact *c, tally *t) {
    double size = size_of(s);
    so_real by_plane = oracle_support(s, c->normal) - so_dot(so_from(c->normal), so_from(p));
    CHECK(c->gap_lower <= (double)-by_plane + 1e-15 * size);
    if (s->dent == 0.0) {
        // both are depths that are reached; the search over all directions may not miss the scan's
        double depth = (double)fminl(scan_depth(s, so_from(p)), by_plane);
        CHECK(c->gap_upper >= -depth - 1e-15 * size);
        if(!CHECK_NEAR(c->gap, -depth, 1e-8 * size)) printf("BAD a %.17g %.17g %.17g e %.17g %.17g t %.17g %.17g p %.17g %.17g %.17g scan %.17g plane %.17g\n",s->a.x,s->a.y,s->a.z,s->e1,s->e2,s->tx,s->ty,p.x,p.y,p.z,(double)scan_depth(s,so_from(p)),(double)by_plane);
        t->inside = fmax(t->inside, fabs(c->gap + depth) / size);
        CHECK_NEAR((double)so_gauge(s, so_from(c->point_a)), 1.0, 1e-9);
    }
}

static void check_point(const ov_shape *s, ov_vec3 p, tally *t) {
    ov_contact c;
    ov_status status = ov_point_contact(s, ov_pose_identity(), p, NULL, &c);
    CHECK(status == OV_OK || status == OV_NOT_CONVERGED);
    CHECK(c.gap_lower <= c.gap && c.gap <= c.gap_upper);
    CHECK_NEAR(ov_vec3_length(c.normal), 1.0, 1e-14);
    t->asked++;
    t->unsolved += status != OV_OK;
    t->separated += c.relation == OV_SEPARATED;
    t->overlapping += c.relation == OV_OVERLAPPING;
    t->touching += c.relation == OV_TOUCHING;
    if (status != OV_OK) {
        fprintf(stderr, "not solved: a %.17g %.17g %.17g e %.17g %.17g t %.17g %.17g p %.17g %.17g %.17g: [%.3g, %.3g]\n",
                s->a.x, s->a.y, s->a.z, s->e1, s->e2, s->tx, s->ty, p.x, p.y, p.z, c.gap_lower, c.gap_upper);
        return;
    }
    bool inside = fabs(p.z) <= s->a.z && so_gauge(s, so_from(p)) < 1.0L;
    if (inside) {
        CHECK(c.relation == OV_OVERLAPPING || c.relation == OV_TOUCHING);
        check_inside(s, p, &c, t);
    } else if (s->dent == 0.0 || c.relation == OV_SEPARATED) {
        check_outside(s, p, &c, t);
    }
}

static void random_points(void) {
    check_random r = check_random_make(401);
    tally t = {0};
    for (int i = 0; i < 240; i++) {
        ov_shape s = random_shape(&r, i);
        for (int kind = 0; kind < 8; kind++) {
            check_point(&s, random_point(&r, &s, kind), &t);
        }
    }
    printf("test_point: %ld asked, %ld apart, %ld overlapping, %ld touching, %ld not solved\n",
           t.asked, t.separated, t.overlapping, t.touching, t.unsolved);
    CHECK(t.unsolved <= t.asked / 1000);
    CHECK(t.separated > t.asked / 3 && t.overlapping > t.asked / 10);
    check_worst("distance less its proof, in sizes", t.outside, 1e-9);
    check_worst("depth against the scan, in sizes", t.inside, 1e-8);
}

int main(void) {
    check_suite = "test_point";
    RUN(random_points);
    return check_finish();
}
