/**
 * @file test_study_icub.c
 * @brief The bundled hands and their movement, and what the study makes of them: a benchmark on
 * hands that are not those of the paper, or whose figures are summed wrongly, proves nothing.
 *
 * Oracles: the chain of a finger as a sum of sines and cosines; the mirror image; the touch of the
 * thumb tips in long double; figures of made-up results by hand.
 */
#include "check.h"

#include "icub.h"

#include <string.h>

enum { LEFT = 0, RIGHT = 1, TOUCH = 60, FEW = 25 };
#define DEGREE (M_PI / 180.0)

static icub_hands hands[ICUB_VERSIONS]; // as the files have them

static const char *data_folder(void) {
    const char *folder = getenv("OVOID_DATA_DIR");
    return folder != NULL ? folder : "data";
}

static int surface_of(const icub_hands *h, int hand, const char *name) {
    for (int i = 0; i < ICUB_SURFACES; i++) {
        if (strcmp(h->surfaces[hand][i].name, name) == 0) {
            return i;
        }
    }
    CHECK(false); // no such surface
    return 0;
}

static ov_pose pose_of(const icub_hands *h, size_t frame, int hand, const char *name) {
    return h->frames[frame].poses[hand][surface_of(h, hand, name)];
}

/* ---- the hands */

static void reads(void) {
    for (int v = 0; v < ICUB_VERSIONS; v++) {
        icub_error error;
        bool good = icub_read(data_folder(), (icub_version)v, 0, &hands[v], &error);
        if (!CHECK(good)) {
            fprintf(stderr, "%s: %s\n", error.where, error.what);
            exit(check_finish());
        }
        CHECK(hands[v].frame_count == 241);
        for (int k = 0; k < ICUB_HANDS * ICUB_SURFACES; k++) {
            const icub_surface *s = &hands[v].surfaces[k / ICUB_SURFACES][k % ICUB_SURFACES];
            CHECK(strncmp(s->name, k < ICUB_SURFACES ? "left_" : "right_", 5) == 0);
            CHECK(s->shape.dent == 0.0);
        }
    }
}

/** The thumb tip is that of the paper; the other version differs in its five tips only. */
static void shapes(void) {
    const icub_hands *plain = &hands[ICUB_SUPERELLIPSOIDS], *mixed = &hands[ICUB_MIXED];
    for (int hand = 0; hand < ICUB_HANDS; hand++) {
        int tips = 0;
        for (int i = 0; i < ICUB_SURFACES; i++) {
            const ov_shape *a = &plain->surfaces[hand][i].shape;
            const ov_shape *b = &mixed->surfaces[hand][i].shape;
            const char *name = plain->surfaces[hand][i].name;
            CHECK(strcmp(name, mixed->surfaces[hand][i].name) == 0);
            CHECK(a->kind == OV_SHAPE_KIND_SUPERELLIPSOID);
            CHECK(fmax(a->a.x, a->a.z) < a->a.y && a->a.y > 0.010 && a->a.y < 0.019);
            bool same = a->a.x == b->a.x && a->a.y == b->a.y && a->a.z == b->a.z &&
                        a->e1 == b->e1 && a->e2 == b->e2 && b->kind == a->kind;
            if (strstr(name, "_tip") == NULL) {
                CHECK(same);
                continue;
            }
            tips++;
            CHECK(a->a.x == 0.0064423 && a->a.y == 0.016188 && a->a.z == 0.0064423);
            CHECK(a->e1 == 1.0 && a->e2 == 0.64);
            CHECK(b->kind == OV_SHAPE_KIND_SUPEROVOID && b->a.z == 0.016188 && b->tx == -0.25);
        }
        CHECK(tips == 5);
    }
}

/* ---- the chain of joints */

/** Middle of a part of the index finger: the bends are in one plane, so the angles add up. */
static ov_vec3 index_middle(int hand, double palm_x) {
    static const double lengths[] = {12.0, 26.0, 22.0, 8.5}; // knuckle, two bones, half a tip
    static const double spreads[ICUB_HANDS] = {2.0, 4.0};
    static const double bends[ICUB_HANDS][3] = {{12.0, 10.0, 10.0}, {7.0, 13.0, 13.0}};
    double x = 0.0, y = 0.0, angle = 0.0;
    for (int i = 0; i < 4; i++) {
        angle += i > 0 ? bends[hand][i - 1] * DEGREE : 0.0;
        x -= lengths[i] * 1e-3 * sin(angle); // towards the palm's side
        y += lengths[i] * 1e-3 * cos(angle);
    }
    double spread = spreads[hand] * DEGREE, mirror = hand == LEFT ? -1.0 : 1.0;
    return ov_vec3_make(palm_x + mirror * x, 0.060 + y * cos(spread), 0.0225 + y * sin(spread));
}

static void chain(void) {
    double worst = 0.0;
    for (int v = 0; v < ICUB_VERSIONS; v++) {
        ov_vec3 left = pose_of(&hands[v], 0, LEFT, "left_index_tip").position;
        ov_vec3 right = pose_of(&hands[v], 0, RIGHT, "right_index_tip").position;
        worst = fmax(worst, ov_vec3_length(ov_vec3_sub(left, index_middle(LEFT, -0.08))));
        worst = fmax(worst, ov_vec3_length(ov_vec3_sub(right, index_middle(RIGHT, 0.08))));
    }
    CHECK(worst < 1e-12); // the files have twelve digits
    check_worst("middle of the index tips, metres", worst, 1e-12);
}

/** At first the thumbs are images of each other: positions, and axes of the surfaces. */
static void mirror(void) {
    static const char *const parts[] = {"mount", "root", "proximal", "medial", "tip"};
    double worst = 0.0;
    for (int v = 0; v < ICUB_VERSIONS; v++) {
        for (int i = 0; i < 5; i++) {
            char left[64], right[64];
            snprintf(left, sizeof left, "left_thumb_%s", parts[i]);
            snprintf(right, sizeof right, "right_thumb_%s", parts[i]);
            ov_pose a = pose_of(&hands[v], 0, LEFT, left), b = pose_of(&hands[v], 0, RIGHT, right);
            ov_mat3 ra = ov_mat3_from_quat(a.rotation), rb = ov_mat3_from_quat(b.rotation);
            ov_vec3 image = {-b.position.x, b.position.y, b.position.z};
            // M R M, where M changes the sign of x
            ov_vec3 cx = {rb.cx.x, -rb.cx.y, -rb.cx.z}, cy = {-rb.cy.x, rb.cy.y, rb.cy.z};
            worst = fmax(worst, ov_vec3_length(ov_vec3_sub(a.position, image)));
            worst = fmax(worst, ov_vec3_length(ov_vec3_sub(ra.cx, cx)));
            worst = fmax(worst, ov_vec3_length(ov_vec3_sub(ra.cy, cy)));
        }
    }
    CHECK(worst < 1e-9);
    check_worst("mirror image of the thumbs", worst, 1e-9);
}

/* ---- the movement */

static bool any_overlap(const icub_hands *h, size_t frame) {
    for (int k = 0; k < ICUB_PAIRS; k++) {
        int i = k / ICUB_SURFACES, j = k % ICUB_SURFACES;
        ov_contact c;
        ov_pair_contact(&h->surfaces[LEFT][i].shape, h->frames[frame].poses[LEFT][i],
                        &h->surfaces[RIGHT][j].shape, h->frames[frame].poses[RIGHT][j], NULL, NULL,
                        &c);
        if (c.relation != OV_RELATION_SEPARATED) {
            return true;
        }
    }
    return false;
}

/** [Thesis, 6.2]: the thumb tips touch first of all, at the end of the approach; then the fingers
 *  meet; at the end they have passed. */
static void movement(void) {
    const icub_hands *h = &hands[ICUB_SUPERELLIPSOIDS];
    battery_pair p = {
        .a = h->surfaces[LEFT][surface_of(h, LEFT, "left_thumb_tip")].shape,
        .b = h->surfaces[RIGHT][surface_of(h, RIGHT, "right_thumb_tip")].shape,
        .pose_a = pose_of(h, TOUCH, LEFT, "left_thumb_tip"),
        .pose_b = pose_of(h, TOUCH, RIGHT, "right_thumb_tip"),
    };
    battery_refer(&p);
    CHECK_NEAR((double)p.gap, 0.0, 1e-11);
    check_worst("gap of the thumb tips where they touch, metres", fabs((double)p.gap), 1e-11);
    for (int v = 0; v < ICUB_VERSIONS; v++) {
        CHECK(!any_overlap(&hands[v], 0));
        CHECK(!any_overlap(&hands[v], TOUCH - 1));
        CHECK(any_overlap(&hands[v], TOUCH + 10));
        CHECK(any_overlap(&hands[v], 150));
        CHECK(!any_overlap(&hands[v], 240));
    }
    // towards the left first, then only turned
    ov_vec3 before = pose_of(h, 0, RIGHT, "right_little_tip").position;
    ov_vec3 at = pose_of(h, TOUCH, RIGHT, "right_little_tip").position;
    CHECK(at.x < before.x - 0.05 && fabs(at.y - before.y) < 1e-12 && fabs(at.z - before.z) < 1e-12);
}

/** Other numbers of frames are cut from the same movement. */
static void frames(void) {
    icub_hands few = {.frames = NULL};
    icub_error error;
    CHECK(icub_read(data_folder(), ICUB_MIXED, FEW, &few, &error));
    CHECK(few.frame_count == FEW);
    double worst = 0.0;
    for (size_t f = 0; f < FEW; f++) {
        for (int k = 0; k < ICUB_HANDS * ICUB_SURFACES; k++) {
            ov_pose a = few.frames[f].poses[k / ICUB_SURFACES][k % ICUB_SURFACES];
            ov_pose b =
                hands[ICUB_MIXED].frames[10 * f].poses[k / ICUB_SURFACES][k % ICUB_SURFACES];
            worst = fmax(worst, ov_vec3_length(ov_vec3_sub(a.position, b.position)));
        }
    }
    CHECK(worst < 1e-12);
    icub_free(&few);
    CHECK(!icub_read("nowhere", ICUB_MIXED, 0, &few, &error));
    CHECK(strcmp(error.where, "nowhere/icub/hands_mixed.urdf") == 0 && error.what[0] != '\0');
    CHECK(few.frames == NULL);
}

/* ---- the measuring, without other libraries */

static void check_ovoid(const icub_table *t, const char *id, bool least) {
    size_t r = icub_find_row(t, id);
    if (!CHECK(r < t->row_count)) {
        return;
    }
    for (int part = 0; part < BATTERY_PARTS; part++) {
        icub_figures f = icub_figure(t, r, (battery_part)part);
        CHECK(f.count == t->part_count[part] && f.gaps == f.count && f.count > 100);
        CHECK(f.failed == 0 && f.wrong == 0);
        CHECK(f.mean > 0.0 && f.median <= f.p99 && f.p99 <= f.worst && f.iterations > 0.0);
        if (least || part == BATTERY_SEPARATED) {
            CHECK(f.off == 0 && f.worst_error < 1e-11);
        }
    }
}

static void measures(void) {
    const bench_peers none = {.count = 0};
    for (int v = 0; v < ICUB_VERSIONS; v++) {
        icub_hands few = {.frames = NULL};
        icub_error error;
        icub_table t, again;
        CHECK(icub_read(data_folder(), (icub_version)v, FEW, &few, &error));
        CHECK(icub_measure(&few, &none, NULL, &t));
        CHECK(t.part_count[0] + t.part_count[1] == t.query_count);
        check_ovoid(&t, "ovoid_cold", true);
        check_ovoid(&t, "ovoid_coherent_global", true);
        check_ovoid(&t, "ovoid_coherent", false);
        // a depth that is followed is never less than the least
        size_t followed = icub_find_row(&t, "ovoid_coherent");
        double above = 0.0;
        for (size_t i = 0; i < t.query_count; i++) {
            double gap = t.rows[followed].results[i].gap;
            above = fmax(above, gap - (double)t.queries[i].pair.gap);
            CHECK(i == 0 || t.queries[i - 1].frame <= t.queries[i].frame);
        }
        CHECK(above < 1e-11);
        check_worst(v == 0 ? "followed over least, superellipsoids" : "followed over least, mixed",
                    above, 1e-11);
        CHECK(icub_find_row(&t, "fcl_mesh_distance") == t.row_count);
        // all but the times is the same again
        CHECK(icub_measure(&few, &none, NULL, &again));
        CHECK(again.row_count == t.row_count);
        for (size_t r = 0; r < t.row_count; r++) {
            CHECK(icub_figure(&t, r, BATTERY_OVERLAPPING).hash ==
                  icub_figure(&again, r, BATTERY_OVERLAPPING).hash);
        }
        icub_table_free(&t);
        icub_table_free(&again);
        icub_free(&few);
    }
}

/** Figures of results that were made up, by hand. */
static void figures(void) {
    icub_query queries[5] = {{.frame = 0}};
    icub_result results[5] = {{1.0, -0.5, 2, VERDICT_RIGHT},
                              {10.0, -0.5 - 2e-5, 4, VERDICT_RIGHT},
                              {3.0, NAN, 6, VERDICT_UNDECIDED},
                              {NAN, NAN, 0, VERDICT_NONE},
                              {1e6, 7.0, 100, VERDICT_RIGHT}};
    for (int i = 0; i < 5; i++) {
        queries[i].pair.gap = -0.5L;
        queries[i].pair.part = i < 4 ? BATTERY_OVERLAPPING : BATTERY_SEPARATED;
    }
    results[1].verdict = VERDICT_WRONG;
    icub_table t = {.queries = queries, .query_count = 5, .row_count = 1};
    t.rows[0].results = results;
    icub_figures f = icub_figure(&t, 0, BATTERY_OVERLAPPING);
    CHECK(f.count == 4 && f.failed == 2 && f.wrong == 1 && f.gaps == 2 && f.off == 1);
    CHECK_NEAR(f.mean, 14.0 / 3.0, 1e-12);
    CHECK_NEAR(f.sd, sqrt(134.0) / 3.0, 1e-12); // deviations -11/3, 16/3, -5/3
    CHECK(f.median == 3.0 && f.p99 == 10.0 && f.worst == 10.0);
    CHECK_NEAR(f.iterations, 3.0, 1e-12);
    CHECK_NEAR(f.mean_error, 1e-5, 1e-15);
    CHECK_NEAR(f.worst_error, 2e-5, 1e-15);
}

int main(void) {
    check_suite = "study_icub";
    RUN(reads);
    RUN(shapes);
    RUN(chain);
    RUN(mirror);
    RUN(movement);
    RUN(frames);
    RUN(measures);
    RUN(figures);
    for (int v = 0; v < ICUB_VERSIONS; v++) {
        icub_free(&hands[v]);
    }
    return check_finish();
}
