/**
 * @file test_study_dental.c
 * @brief The molars, their bite and the study of both: the bundled files, the least gap against
 * brute force, the long-double reference and a world, and its continuity.
 *
 *     test_study_dental --write FOLDER
 *
 * writes the files of data/dental (scripts/make-dental does this); without arguments they are
 * compared with what would be written.
 */
#include "check.h"

#include <string.h>

#include <ovoid/io.h>

#include "battery.h"
#include "dental.h"

/* ---- the files */

typedef struct bundled {
    const char *name;
    void (*write)(FILE *out);
} bundled;

static const bundled files[] = {{"molars.json", dental_write_scene},
                                {"bite.csv", dental_write_bite}};
enum { FILES = sizeof files / sizeof files[0] };

static void path_of(char *path, size_t room, const char *name) {
    const char *data = getenv("OVOID_DATA_DIR");
    snprintf(path, room, "%s/dental/%s", data != NULL ? data : "data", name);
}

static int write_files(const char *folder) {
    for (int k = 0; k < FILES; k++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, files[k].name);
        FILE *out = fopen(path, "wb");
        if (out == NULL) {
            fprintf(stderr, "%s: cannot be written\n", path);
            return EXIT_FAILURE;
        }
        files[k].write(out);
        if (fclose(out) != 0) {
            fprintf(stderr, "%s: not everything could be written\n", path);
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}

/** Both streams to their ends. */
static bool same_bytes(FILE *a, FILE *b) {
    int x, y;
    do {
        x = fgetc(a);
        y = fgetc(b);
    } while (x == y && x != EOF);
    return x == y;
}

static void bundled_files_are_up_to_date(void) {
    for (int k = 0; k < FILES; k++) {
        char path[1024];
        path_of(path, sizeof path, files[k].name);
        FILE *there = fopen(path, "rb"), *made = tmpfile();
        if (CHECK(there != NULL && made != NULL)) {
            files[k].write(made);
            rewind(made);
            CHECK(same_bytes(there, made));
        }
        if (there != NULL) {
            fclose(there);
        }
        if (made != NULL) {
            fclose(made);
        }
    }
}

static void check_part(const ov_part *read, const ov_part *made) {
    const ov_shape *a = &read->shape, *b = &made->shape;
    CHECK(a->kind == OV_SHAPE_KIND_SUPEROVOID && read->mesh == NULL);
    CHECK(a->a.x == b->a.x && a->a.y == b->a.y && a->a.z == b->a.z);
    CHECK(a->e1 == b->e1 && a->e2 == b->e2 && a->tx == b->tx && a->ty == b->ty);
    CHECK_NEAR(ov_vec3_length(ov_vec3_sub(read->pose.position, made->pose.position)), 0.0, 0.0);
    CHECK_NEAR(read->pose.rotation.w, made->pose.rotation.w, 1e-15);
    CHECK_NEAR(read->pose.rotation.x, made->pose.rotation.x, 1e-15);
    CHECK_NEAR(read->pose.rotation.y, made->pose.rotation.y, 1e-15);
    CHECK_NEAR(read->pose.rotation.z, made->pose.rotation.z, 1e-15);
}

static void scene_reads_as_the_teeth(void) {
    dental_tooth teeth[DENTAL_TEETH];
    char path[1024];
    ov_scene *scene = NULL;
    CHECK(dental_make(teeth));
    path_of(path, sizeof path, "molars.json");
    CHECK_OK(ov_scene_read(path, &scene, NULL));
    CHECK(ov_scene_count(scene) == DENTAL_TEETH);
    for (size_t k = 0; k < ov_scene_count(scene); k++) {
        const ov_scene_body *body = ov_scene_get(scene, k);
        CHECK(strcmp(body->name, teeth[k].name) == 0);
        ov_pose pose = k == DENTAL_UPPER ? dental_bite(0) : ov_pose_identity();
        CHECK_NEAR(ov_vec3_length(ov_vec3_sub(body->pose.position, pose.position)), 0.0, 0.0);
        CHECK_NEAR(body->pose.rotation.x, pose.rotation.x, 0.0);
        CHECK(body->part_count == teeth[k].count);
        for (size_t i = 0; i < teeth[k].count && i < body->part_count; i++) {
            check_part(&body->parts[i], &teeth[k].parts[i]);
        }
    }
    ov_scene_destroy(scene);
}

static void bite_reads_as_the_poses(void) {
    char path[1024], line[512];
    path_of(path, sizeof path, "bite.csv");
    FILE *in = fopen(path, "r");
    int frame = 0;
    if (!CHECK(in != NULL)) {
        return;
    }
    CHECK(fgets(line, sizeof line, in) != NULL);
    for (; fgets(line, sizeof line, in) != NULL; frame++) {
        ov_pose p = dental_bite(frame);
        double v[8] = {0};
        char *at = line;
        for (int k = 0; k < 8; k++) {
            v[k] = strtod(at, &at);
            at += *at == ',';
        }
        CHECK(v[0] == frame && v[1] == p.position.x && v[2] == p.position.y &&
              v[3] == p.position.z && v[4] == p.rotation.w && v[5] == p.rotation.x &&
              v[6] == p.rotation.y && v[7] == p.rotation.z);
    }
    CHECK(frame == DENTAL_FRAMES);
    fclose(in);
}

/* ---- the teeth */

/** Extent of the parts whose middles are above (or below) the neck, along the tooth's axes. */
static ov_vec3 extent(const dental_tooth *tooth, bool crown) {
    ov_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < tooth->count; i++) {
        const ov_part *part = &tooth->parts[i];
        ov_aabb box;
        if ((part->pose.position.z > 0.0) != crown) {
            continue;
        }
        CHECK_OK(ov_shape_aabb(&part->shape, part->pose, &box));
        low = ov_vec3_make(fmin(low.x, box.min.x), fmin(low.y, box.min.y), fmin(low.z, box.min.z));
        high =
            ov_vec3_make(fmax(high.x, box.max.x), fmax(high.y, box.max.y), fmax(high.z, box.max.z));
    }
    return ov_vec3_sub(high, low);
}

/** Of the size of first molars, in millimetres; one piece. */
static void teeth_are_like_teeth(void) {
    dental_tooth teeth[DENTAL_TEETH];
    CHECK(dental_make(teeth));
    for (int k = 0; k < DENTAL_TEETH; k++) {
        ov_vec3 crown = extent(&teeth[k], true), roots = extent(&teeth[k], false);
        CHECK(crown.x > 9.0 && crown.x < 12.5 && crown.y > 9.0 && crown.y < 12.5);
        CHECK(crown.z > 6.0 && crown.z < 9.0 && roots.z > 11.0 && roots.z < 16.0);
        CHECK(teeth[k].count >= 8 && teeth[k].count <= DENTAL_PARTS_MAX);
        for (size_t i = 1; i < teeth[k].count; i++) {
            const ov_part *a = &teeth[k].parts[0], *b = &teeth[k].parts[i];
            ov_contact c;
            CHECK_OK(ov_pair_contact(&a->shape, a->pose, &b->shape, b->pose, NULL, NULL, &c));
            CHECK(c.relation == OV_RELATION_OVERLAPPING);
            CHECK(dental_part_name((dental_which)k, i)[0] != '\0');
        }
        CHECK(dental_part_name((dental_which)k, teeth[k].count)[0] == '\0');
    }
}

/* ---- the least gap */

/** The least gap over all pairs, each asked for itself. */
static double brute_force(const dental_tooth teeth[DENTAL_TEETH], ov_pose upper) {
    double least = INFINITY;
    for (size_t i = 0; i < teeth[DENTAL_LOWER].count; i++) {
        for (size_t j = 0; j < teeth[DENTAL_UPPER].count; j++) {
            const ov_part *a = &teeth[DENTAL_LOWER].parts[i], *b = &teeth[DENTAL_UPPER].parts[j];
            ov_contact c;
            CHECK_OK(ov_pair_contact(&a->shape, a->pose, &b->shape, dental_place(upper, b->pose),
                                     NULL, NULL, &c));
            least = fmin(least, c.gap);
        }
    }
    return least;
}

#define GAP_TOLERANCE 2e-8 // twice 1e-9 of the size of a pair, which is below 10 mm

static void check_least(const dental_least *least, double gap, double *worst) {
    const ov_contact *c = &least->contact;
    CHECK_NEAR(c->gap, gap, GAP_TOLERANCE);
    CHECK(c->gap_lower <= gap + GAP_TOLERANCE && c->gap_lower <= c->gap && c->gap <= c->gap_upper);
    CHECK(c->relation == (gap > 0.0 ? OV_RELATION_SEPARATED : OV_RELATION_OVERLAPPING));
    *worst = fmax(*worst, fabs(c->gap - gap));
}

static dental_track track; // too large for the stack of some machines

static void track_is_as_brute_force(void) {
    dental_tooth teeth[DENTAL_TEETH];
    dental_world world;
    double worst = 0.0, worst_world = 0.0;
    size_t queries = 0;
    CHECK(dental_make(teeth));
    dental_track_begin(&track, teeth, OV_DEPTH_GLOBAL);
    CHECK(dental_world_begin(&world, teeth));
    for (int frame = 0; frame < DENTAL_FRAMES; frame++) {
        dental_least least = {0}, by_world = {0};
        double gap = brute_force(teeth, dental_bite(frame));
        CHECK_OK(dental_track_step(&track, dental_bite(frame), &least));
        CHECK_OK(dental_world_step(&world, dental_bite(frame), &by_world));
        check_least(&least, gap, &worst);
        check_least(&by_world, gap, &worst_world);
        CHECK(least.part_a == by_world.part_a && least.part_b == by_world.part_b);
        queries += least.queries;
    }
    dental_world_end(&world);
    check_worst("least gap of a bite, against all pairs", worst, GAP_TOLERANCE);
    check_worst("the same by a world", worst_world, GAP_TOLERANCE);
    // what is known from frame to frame must be of use: of 110 pairs, few are asked
    CHECK(queries < 10 * DENTAL_FRAMES);
}

/** Turns and jumps: the bounds from earlier frames must hold for any motion. */
static void track_follows_any_motion(void) {
    dental_tooth teeth[DENTAL_TEETH];
    check_random r = check_random_make(71);
    double worst = 0.0;
    CHECK(dental_make(teeth));
    dental_track_begin(&track, teeth, OV_DEPTH_GLOBAL);
    ov_pose pose = dental_bite(60);
    for (int frame = 0; frame < 120; frame++) {
        dental_least least = {0};
        double turn = check_uniform(&r, 0.0, 0.05), step = check_uniform(&r, 0.0, 0.4);
        if (frame % 20 == 19) { // far away, or deep inside
            turn = check_uniform(&r, 0.0, 3.0);
            step = check_uniform(&r, 0.0, 10.0);
        }
        pose.rotation =
            ov_quat_mul(ov_quat_from_axis_angle(check_unit_vector(&r), turn), pose.rotation);
        pose.position = ov_vec3_add_scaled(pose.position, check_unit_vector(&r), step);
        CHECK_OK(dental_track_step(&track, pose, &least));
        check_least(&least, brute_force(teeth, pose), &worst);
    }
    check_worst("least gap of a tumbling tooth, against all pairs", worst, GAP_TOLERANCE);
}

/** A cold step is that of a new track. */
static void track_forgets(void) {
    dental_tooth teeth[DENTAL_TEETH];
    dental_least first = {0}, again = {0};
    CHECK(dental_make(teeth));
    dental_track_begin(&track, teeth, OV_DEPTH_GLOBAL);
    CHECK_OK(dental_track_step(&track, dental_bite(70), &first));
    CHECK_OK(dental_track_step(&track, dental_bite(90), &again));
    dental_track_forget(&track);
    CHECK_OK(dental_track_step(&track, dental_bite(70), &again));
    CHECK(first.queries == again.queries && first.contact.gap == again.contact.gap);
    // what is no pose has no answer, and leaves no trace
    ov_pose bad = dental_bite(70);
    bad.position.x = NAN;
    CHECK(dental_track_step(&track, bad, &again) < 0);
    dental_track_forget(&track);
    CHECK_OK(dental_track_step(&track, dental_bite(70), &again));
    CHECK(first.contact.gap == again.contact.gap);
}

/** The long-double reference of a pair of parts. */
static battery_pair refer(const ov_part *a, const ov_part *b, ov_pose pose_b) {
    battery_pair pair = {.a = a->shape, .b = b->shape, .pose_a = a->pose, .pose_b = pose_b};
    battery_refer(&pair);
    return pair;
}

static void least_gap_is_that_of_the_reference(void) {
    static const int frames[] = {0, 29, 46, 47, 79, 118, 150};
    dental_tooth teeth[DENTAL_TEETH];
    double worst = 0.0;
    CHECK(dental_make(teeth));
    dental_track_begin(&track, teeth, OV_DEPTH_GLOBAL);
    for (size_t k = 0; k < sizeof frames / sizeof frames[0]; k++) {
        dental_least least = {0};
        long double gap = INFINITY, error = 0.0L;
        CHECK_OK(dental_track_step(&track, dental_bite(frames[k]), &least));
        for (size_t i = 0; i < teeth[DENTAL_LOWER].count; i++) {
            for (size_t j = 0; j < teeth[DENTAL_UPPER].count; j++) {
                const ov_part *a = &teeth[DENTAL_LOWER].parts[i];
                const ov_part *b = &teeth[DENTAL_UPPER].parts[j];
                ov_pose pose = dental_place(dental_bite(frames[k]), b->pose);
                ov_ball ball_a = a->shape.ball, ball_b = b->shape.ball;
                ov_vec3 offset = ov_vec3_sub(ov_pose_apply(pose, ball_b.centre),
                                             ov_pose_apply(a->pose, ball_a.centre));
                // pairs whose balls are further apart cannot be the nearest
                if (ov_vec3_length(offset) - ball_a.radius - ball_b.radius <= least.contact.gap) {
                    battery_pair pair = refer(a, b, pose);
                    error = pair.gap < gap ? pair.gap_error : error;
                    gap = fminl(gap, pair.gap);
                }
            }
        }
        double off = (double)fabsl(gap - (long double)least.contact.gap);
        CHECK_NEAR(off, 0.0, GAP_TOLERANCE + (double)error);
        worst = fmax(worst, off);
    }
    check_worst("least gap, against long double", worst, GAP_TOLERANCE);
}

/* ---- meshes */

/** Near the asked number of triangles, closed, and every vertex on one of the parts. */
static void meshes_are_of_the_teeth(void) {
    static const size_t sizes[DENTAL_MESHES] = {DENTAL_COARSE, DENTAL_FINE};
    dental_tooth teeth[DENTAL_TEETH];
    double worst = 0.0;
    CHECK(dental_make(teeth));
    for (int k = 0; k < DENTAL_TEETH * DENTAL_MESHES; k++) {
        const dental_tooth *tooth = &teeth[k / DENTAL_MESHES];
        size_t wanted = sizes[k % DENTAL_MESHES];
        bench_mesh mesh = {0};
        CHECK(dental_mesh(tooth, wanted, &mesh));
        CHECK_NEAR((double)mesh.triangle_count, (double)wanted, 0.03 * (double)wanted);
        // Euler's formula, for as many closed surfaces as there are parts
        CHECK(2 * mesh.vertex_count == mesh.triangle_count + 4 * tooth->count);
        for (size_t i = 0; i < mesh.triangle_count; i++) {
            const uint32_t *t = mesh.triangles[i];
            CHECK(t[0] < mesh.vertex_count && t[1] < mesh.vertex_count && t[2] < mesh.vertex_count);
        }
        for (size_t i = 0; i < mesh.vertex_count; i += 7) {
            double off = INFINITY;
            for (size_t p = 0; p < tooth->count; p++) {
                ov_vec3 local = ov_pose_apply_inverse(tooth->parts[p].pose, mesh.vertices[i]);
                double gauge = NAN;
                CHECK(ov_shape_gauge_value(&tooth->parts[p].shape, local, &gauge) >= 0);
                off = fmin(off, fabs(gauge - 1.0));
            }
            worst = fmax(worst, off);
        }
        bench_mesh_free(&mesh);
    }
    CHECK_NEAR(worst, 0.0, 1e-12);
    check_worst("gauge of the vertices, less one", worst, 1e-12);
}

/* ---- the study, without the other libraries */

static size_t count_lines(FILE *in) {
    size_t lines = 0;
    int c;
    rewind(in);
    while ((c = fgetc(in)) != EOF) {
        lines += c == '\n';
    }
    return lines;
}

static void check_reports(const dental_study *s) {
    FILE *text = tmpfile(), *csv = tmpfile();
    if (CHECK(text != NULL && csv != NULL)) {
        dental_print(text, s);
        dental_csv(csv, s);
        CHECK(count_lines(text) > 30);
        CHECK(count_lines(csv) == DENTAL_FRAMES + 1);
        fclose(text);
        fclose(csv);
    }
}

static void study_is_continuous(void) {
    dental_study *s = malloc(sizeof *s);
    const bench_peers none = {0};
    if (!CHECK(s != NULL && dental_measure(&none, NULL, s))) {
        free(s);
        return;
    }
    size_t ours = dental_find(s, "ovoid_coherent"), boxes = dental_find(s, "ovoid_boxes");
    CHECK(ours == 0 && boxes < s->row_count && dental_find(s, "none") == s->row_count);
    CHECK(s->triangles[0][0] == 0);
    // meets and parts where the paper does, and goes in by less than a millimetre
    CHECK(s->half[46] == DENTAL_APART && s->half[47] == DENTAL_MEETING);
    CHECK(s->half[111] == DENTAL_MEETING && s->half[112] == DENTAL_APART);
    CHECK(s->half_count[DENTAL_MEETING] == 65 && s->half_count[DENTAL_APART] == 116);
    CHECK(s->least[79].contact.gap < -0.5 && s->least[79].contact.gap > -1.0);
    // the gap never changes by more than the tooth moves
    for (int frame = 1; frame < DENTAL_FRAMES; frame++) {
        double step = s->least[frame].contact.gap - s->least[frame - 1].contact.gap;
        CHECK(fabs(step) <= dental_motion(frame) + GAP_TOLERANCE);
    }
    dental_steps steps = dental_step(s, ours), jumps = dental_step(s, boxes);
    CHECK(steps.jumps == 0 && steps.worst_ratio <= 1.0 + 1e-6 && steps.worst_ratio > 0.5);
    CHECK(steps.first == 0 && steps.last == DENTAL_FRAMES - 1);
    // with boxes first there is no gap at the ends and jumps in between, as in the paper
    CHECK(jumps.jumps > 0 && jumps.worst_ratio > 2.0);
    CHECK(jumps.first > 0 && jumps.last < DENTAL_FRAMES - 1);
    check_worst("step of the gap, in motions", steps.worst_ratio, 1.0);
    static const char *const same[] = {"ovoid_local", "ovoid_cold", "ovoid_world"};
    for (size_t k = 0; k < sizeof same / sizeof same[0]; k++) {
        for (int half = 0; half < DENTAL_HALVES; half++) {
            dental_figures f = dental_figure(s, dental_find(s, same[k]), (dental_half)half);
            CHECK(f.frames == s->half_count[half] && f.wrong == 0 && f.failed == 0);
            CHECK_NEAR(f.worst_error, 0.0, GAP_TOLERANCE);
            CHECK(f.mean > 0.0 && f.median <= f.max);
        }
    }
    check_reports(s);
    free(s);
}

int main(int argc, char **argv) {
    check_suite = "study_dental";
    if (argc == 3 && strcmp(argv[1], "--write") == 0) {
        return write_files(argv[2]);
    }
    RUN(bundled_files_are_up_to_date);
    RUN(scene_reads_as_the_teeth);
    RUN(bite_reads_as_the_poses);
    RUN(teeth_are_like_teeth);
    RUN(track_is_as_brute_force);
    RUN(track_follows_any_motion);
    RUN(track_forgets);
    RUN(least_gap_is_that_of_the_reference);
    RUN(meshes_are_of_the_teeth);
    RUN(study_is_continuous);
    return check_finish();
}
