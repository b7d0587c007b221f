/**
 * @file test_io_replay.c
 * @brief Replays: queries of every pair of kinds, written and read to the bit, and broken files.
 */
#include <string.h>
#include <unistd.h>

#include <ovoid/io.h>

#include "check.h"

static bool same_bits(const void *a, const void *b, size_t size) { return memcmp(a, b, size) == 0; }

/* ---- shapes ---------------------------------------------------------------------------------- */

static ov_vec3 random_point(check_random *r) {
    return ov_vec3_make(check_uniform(r, -2.0, 2.0), check_uniform(r, -2.0, 2.0),
                        check_uniform(r, -2.0, 2.0));
}

/** A random shape of a kind; the hull, if any, must outlive it. */
static ov_status random_shape(check_random *r, ov_shape_kind kind, ov_hull **hull,
                              ov_shape *shape) {
    ov_shape_options all = {1.0};
    ov_vec3 p[10], a = ov_vec3_make(check_log_uniform(r, 0.3, 3.0), check_log_uniform(r, 0.3, 3.0),
                                    check_log_uniform(r, 0.3, 3.0));
    double e1 = check_uniform(r, 0.1, 2.0), e2 = check_uniform(r, 0.1, 2.0);
    for (int i = 0; i < 10; i++) {
        p[i] = random_point(r);
    }
    switch (kind) {
    case OV_SHAPE_KIND_SPHERE:
        return ov_shape_make_sphere(a.x, shape);
    case OV_SHAPE_KIND_ELLIPSOID:
        return ov_shape_make_ellipsoid(a, shape);
    case OV_SHAPE_KIND_SUPERELLIPSOID:
        return ov_shape_make_superellipsoid(a, e1, e2, shape);
    case OV_SHAPE_KIND_SUPEROVOID:
        return ov_shape_make_superovoid(a, e1, e2, check_uniform(r, -0.4, 0.4),
                                        check_uniform(r, -0.4, 0.4), &all, shape);
    case OV_SHAPE_KIND_HALFSPACE:
        return ov_shape_make_halfspace(p[0], p[1].x, shape);
    case OV_SHAPE_KIND_BOX:
        return ov_shape_make_box(a, shape);
    case OV_SHAPE_KIND_CAPSULE:
        return ov_shape_make_capsule(a.x, a.y, shape);
    case OV_SHAPE_KIND_CYLINDER:
        return ov_shape_make_cylinder(a.x, a.y, shape);
    case OV_SHAPE_KIND_CONE:
        return ov_shape_make_cone(a.x, a.y, shape);
    case OV_SHAPE_KIND_TRIANGLE:
        return ov_shape_make_triangle(p[0], p[1], p[2], shape);
    case OV_SHAPE_KIND_SEGMENT:
        return ov_shape_make_segment(p[0], p[1], shape);
    case OV_SHAPE_KIND_POINT:
        return ov_shape_make_point(p[0], shape);
    default:
        return ov_hull_create(p, 10, hull) == OV_OK ? ov_hull_shape(*hull, shape)
                                                    : OV_ERROR_DEGENERATE;
    }
}

/** Equal in what a query looks at: the constants that a constructor derives follow from these. */
static bool same_shape(const ov_shape *a, const ov_shape *b) {
    bool same =
        a->kind == b->kind && same_bits(&a->a, &b->a, sizeof a->a) &&
        same_bits(&a->e1, &b->e1, sizeof a->e1) && same_bits(&a->e2, &b->e2, sizeof a->e2) &&
        same_bits(&a->tx, &b->tx, sizeof a->tx) && same_bits(&a->ty, &b->ty, sizeof a->ty) &&
        same_bits(&a->dent, &b->dent, sizeof a->dent) &&
        same_bits(&a->ball, &b->ball, sizeof a->ball);
    switch (a->kind) {
    case OV_SHAPE_KIND_HALFSPACE:
        return same && same_bits(&a->u.halfspace, &b->u.halfspace, sizeof a->u.halfspace);
    case OV_SHAPE_KIND_TRIANGLE:
        return same && same_bits(a->u.vertices, b->u.vertices, 3 * sizeof(ov_vec3));
    case OV_SHAPE_KIND_SEGMENT:
        return same && same_bits(a->u.vertices, b->u.vertices, 2 * sizeof(ov_vec3));
    case OV_SHAPE_KIND_POINT:
        return same && same_bits(a->u.vertices, b->u.vertices, sizeof(ov_vec3));
    case OV_SHAPE_KIND_POLYHEDRON:
        return same && a->u.polyhedron.vertex_count == b->u.polyhedron.vertex_count &&
               a->u.polyhedron.triangle_count == b->u.polyhedron.triangle_count &&
               same_bits(a->u.polyhedron.vertices, b->u.polyhedron.vertices,
                         a->u.polyhedron.vertex_count * sizeof(ov_vec3)) &&
               same_bits(a->u.polyhedron.triangles, b->u.polyhedron.triangles,
                         a->u.polyhedron.triangle_count * sizeof(uint32_t[3]));
    default:
        return same;
    }
}

static bool same_contact(const ov_contact *a, const ov_contact *b) {
    const double v[] = {a->gap,       a->gap_lower, a->gap_upper, a->point_a.x,
                        a->point_a.y, a->point_a.z, a->point_b.x, a->point_b.y,
                        a->point_b.z, a->normal.x,  a->normal.y,  a->normal.z};
    const double w[] = {b->gap,       b->gap_lower, b->gap_upper, b->point_a.x,
                        b->point_a.y, b->point_a.z, b->point_b.x, b->point_b.y,
                        b->point_b.z, b->normal.x,  b->normal.y,  b->normal.z};
    for (int i = 0; i < 12; i++) {
        // no number is like another
        if (!(isnan(v[i]) && isnan(w[i])) && !same_bits(&v[i], &w[i], sizeof v[i])) {
            return false;
        }
    }
    return a->status == b->status && a->relation == b->relation && a->iterations == b->iterations;
}

/* ---- round trips ----------------------------------------------------------------------------- */

static void round_trip_of(check_random *r, ov_shape_kind kind_a, ov_shape_kind kind_b, int round) {
    ov_hull *hulls[2] = {NULL, NULL};
    ov_replay query = {.options = {round % 2 == 0 ? 1e-9 : 1e-6,
                                   round % 3 == 0 ? OV_DEPTH_LOCAL : OV_DEPTH_GLOBAL},
                       .batch = round % 4 == 0,
                       .has_warm = round % 5 == 0};
    query.pose_a = (ov_pose){random_point(r), check_rotation(r)};
    query.pose_b = (ov_pose){random_point(r), check_rotation(r)};
    query.warm.a = random_point(r);
    query.warm.b = random_point(r);
    query.warm.normal = check_unit_vector(r);
    if (!CHECK_OK(random_shape(r, kind_a, &hulls[0], &query.a)) ||
        !CHECK_OK(random_shape(r, kind_b, &hulls[1], &query.b))) {
        return;
    }
    (void)ov_replay_run(&query, &query.contact);
    ov_replay *again = NULL;
    ov_fault fault;
    ov_contact contact;
    CHECK_OK(ov_replay_write("round.replay", &query));
    if (CHECK_OK(ov_replay_read("round.replay", &again, &fault))) {
        CHECK(fault.index == 0 && fault.text[0] == '\0');
        CHECK(same_shape(&again->a, &query.a) && same_shape(&again->b, &query.b));
        CHECK(same_bits(&again->pose_a, &query.pose_a, sizeof query.pose_a));
        CHECK(same_bits(&again->pose_b, &query.pose_b, sizeof query.pose_b));
        CHECK(again->options.tolerance == query.options.tolerance &&
              again->options.depth == (query.options.depth != OV_DEPTH_DEFAULT ? query.options.depth
                                                                               : OV_DEPTH_GLOBAL));
        CHECK(again->batch == query.batch && again->has_warm == query.has_warm);
        CHECK(!query.has_warm || same_bits(&again->warm, &query.warm, sizeof query.warm));
        CHECK(same_contact(&again->contact, &query.contact));
        // and the answer is the same again
        CHECK_STATUS(ov_replay_run(again, &contact), query.contact.status);
        if (!CHECK(same_contact(&contact, &query.contact))) {
            fprintf(stderr, "  %s and %s\n", ov_shape_kind_name(kind_a),
                    ov_shape_kind_name(kind_b));
        }
    } else {
        fprintf(stderr, "  line %zu: %s\n", fault.index, fault.text);
    }
    ov_replay_destroy(again);
    ov_hull_destroy(hulls[0]);
    ov_hull_destroy(hulls[1]);
}

static void round_trips(void) {
    check_random r = check_random_make(1);
    int round = 0;
    for (int a = OV_SHAPE_KIND_SPHERE; a < OV_SHAPE_KIND_CUSTOM; a++) {
        for (int b = OV_SHAPE_KIND_SPHERE; b < OV_SHAPE_KIND_CUSTOM; b++) {
            round_trip_of(&r, (ov_shape_kind)a, (ov_shape_kind)b, round++);
        }
    }
    CHECK(unlink("round.replay") == 0);
}

/* ---- broken files ---------------------------------------------------------------------------- */

static const char good[] = "ovoid replay 1\n"
                           "# a comment\n"
                           "tolerance 0x1p-30\n"
                           "depth local\n"
                           "by single\n"
                           "warm 0 0 0 0 0 0 nan inf 1\n"
                           "a sphere 0x1.8p+0\n"
                           "pose 0 0 0 1 0 0 0\n"
                           "\n"
                           "b polyhedron 4 4\r\n"
                           "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                           "t 0 2 1\nt 0 1 3\nt 0 3 2\nt 1 2 3\n"
                           "pose 5 0 0 1 0 0 0\n"
                           "status not_converged\n"
                           "relation separated\n"
                           "iterations 57\n"
                           "seen 1 2 3 4 5 6 7 8 9 10 11 nan\n"
                           "end\n";

static ov_status read_text(const char *text, size_t length, ov_replay **replay, ov_fault *fault) {
    FILE *f = fmemopen((void *)(uintptr_t)text, length == 0 ? 1 : length, "rb");
    if (!CHECK(f != NULL)) {
        return OV_ERROR_MEMORY;
    }
    ov_status status = ov_replay_read_stream(f, replay, fault);
    (void)fclose(f);
    return status;
}

static void by_hand(void) {
    ov_replay *replay = NULL;
    ov_fault fault;
    if (!CHECK_OK(read_text(good, sizeof good - 1, &replay, &fault))) {
        fprintf(stderr, "  line %zu: %s\n", fault.index, fault.text);
        return;
    }
    CHECK(replay->options.tolerance == 0x1p-30 && replay->options.depth == OV_DEPTH_LOCAL);
    CHECK(!replay->batch && replay->has_warm && isnan(replay->warm.normal.x));
    CHECK(replay->a.kind == OV_SHAPE_KIND_SPHERE && replay->a.a.x == 1.5);
    CHECK(replay->b.u.polyhedron.triangle_count == 4 && replay->pose_b.position.x == 5.0);
    CHECK(replay->contact.status == OV_NOT_CONVERGED && replay->contact.iterations == 57);
    CHECK(replay->contact.relation == OV_RELATION_SEPARATED && replay->contact.gap_upper == 3.0);
    CHECK(replay->contact.point_b.x == 7.0 && isnan(replay->contact.normal.z));
    ov_replay_destroy(replay);
    ov_replay_destroy(NULL);
}

/** Replaces a line of the good file by another one. */
static void broken_lines(void) {
    static const struct {
        const char *line, *by;
        ov_status status;
        size_t at;
        const char *says;
    } broken[] = {
        {"ovoid replay 1", "ovoid replay 2", OV_ERROR_FILE_FORMAT, 1, "not a replay"},
        {"tolerance 0x1p-30", "tolerance", OV_ERROR_FILE_FORMAT, 3, "1 numbers are expected"},
        {"tolerance 0x1p-30", "tolerance nan", OV_ERROR_NOT_FINITE, 3, "not finite"},
        {"tolerance 0x1p-30", "tolerance 1 2", OV_ERROR_FILE_FORMAT, 3, "too much"},
        {"tolerance 0x1p-30", "tolerances 1", OV_ERROR_FILE_FORMAT, 3, "'tolerance' is expected"},
        {"depth local", "depth deep", OV_ERROR_FILE_FORMAT, 4, "not one of: global local proven"},
        {"by single", "by two", OV_ERROR_FILE_FORMAT, 5, "not one of: single batch"},
        {"warm 0 0 0 0 0 0 nan inf 1", "warm 0", OV_ERROR_FILE_FORMAT, 6, "9 numbers"},
        {"a sphere 0x1.8p+0", "a sfere 1", OV_ERROR_FILE_FORMAT, 7, "unknown kind"},
        {"a sphere 0x1.8p+0", "a custom 1", OV_ERROR_FILE_FORMAT, 7, "unknown kind"},
        {"a sphere 0x1.8p+0", "a sphere -1", OV_ERROR_SIZE_NOT_POSITIVE, 7, "above zero"},
        {"a sphere 0x1.8p+0", "a sphere one", OV_ERROR_FILE_FORMAT, 7, "number 1 is 'one'"},
        {"pose 0 0 0 1 0 0 0", "pose 0 0 0 1 0 0", OV_ERROR_FILE_FORMAT, 8, "7 numbers"},
        {"b polyhedron 4 4", "b polyhedron 4", OV_ERROR_FILE_FORMAT, 10, "numbers of vertices"},
        {"b polyhedron 4 4", "b polyhedron -4 4", OV_ERROR_FILE_FORMAT, 10, "numbers of vertices"},
        {"b polyhedron 4 4", "b polyhedron 99999999999 4", OV_ERROR_FILE_FORMAT, 10, "vertices"},
        {"b polyhedron 4 4", "b polyhedron 16000000 4", OV_ERROR_FILE_FORMAT, 15,
         "'v' is expected"},
        {"b polyhedron 4 4", "b polyhedron 4 5", OV_ERROR_FILE_FORMAT, 19, "'t' is expected"},
        {"t 0 2 1", "t 0 2 9", OV_ERROR_INDEX, 10, "does not exist"},
        {"t 0 2 1", "t 0 1 2", OV_ERROR_NOT_CLOSED, 10, "closed"},
        {"t 0 2 1", "t 0 2 x", OV_ERROR_FILE_FORMAT, 15, "three indices"},
        {"v 1 0 0", "v 1 0 inf", OV_ERROR_NOT_FINITE, 12, "not finite"},
        {"status not_converged", "status perhaps", OV_ERROR_FILE_FORMAT, 20, "unknown status"},
        {"status not_converged", "status unknown", OV_ERROR_FILE_FORMAT, 20, "unknown status"},
        {"relation separated", "relation close", OV_ERROR_FILE_FORMAT, 21, "unknown relation"},
        {"iterations 57", "iterations 5.7", OV_ERROR_FILE_FORMAT, 22, "whole number"},
        {"end", "fin", OV_ERROR_FILE_FORMAT, 24, "'end' is expected"},
    };
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        char text[sizeof good + 64];
        const char *at = strstr(good, broken[i].line);
        if (!CHECK(at != NULL)) {
            continue;
        }
        int length = snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, broken[i].by,
                              at + strlen(broken[i].line));
        ov_replay *replay = (ov_replay *)text;
        ov_fault fault;
        bool fine =
            CHECK_STATUS(read_text(text, (size_t)length, &replay, &fault), broken[i].status);
        fine = CHECK(replay == NULL && fault.index == broken[i].at) && fine;
        if (!CHECK(strstr(fault.text, broken[i].says) != NULL) || !fine) {
            fprintf(stderr, "  %s\n  line %zu: %s\n", broken[i].by, fault.index, fault.text);
        }
    }
}

static void truncated_and_changed(void) {
    check_random r = check_random_make(2);
    size_t length = sizeof good - 1;
    char text[sizeof good];
    ov_fault fault;
    for (size_t n = 0; n + 1 < length; n++) {
        ov_replay *replay = NULL;
        CHECK(read_text(good, n, &replay, &fault) < 0);
        CHECK(replay == NULL && fault.text[0] != '\0');
    }
    for (int i = 0; i < 5000; i++) {
        static const char letters[] = "0123456789-.xpe \n#abtvn\x01";
        ov_replay *replay = NULL;
        memcpy(text, good, length);
        for (int k = 0; k < 1 + i % 3; k++) {
            text[check_random_bits(&r) % length] =
                i % 2 == 0 ? (char)check_random_bits(&r)
                           : letters[check_random_bits(&r) % (sizeof letters - 1)];
        }
        ov_status status = read_text(text, length, &replay, &fault);
        CHECK(status == OV_OK ? replay != NULL && fault.text[0] == '\0'
                              : replay == NULL && fault.text[0] != '\0');
        ov_replay_destroy(replay);
    }
    char *longest = malloc(3000);
    if (CHECK(longest != NULL)) {
        ov_replay *replay = NULL;
        memset(longest, 'x', 3000);
        CHECK_STATUS(read_text(longest, 3000, &replay, &fault), OV_ERROR_FILE_FORMAT);
        CHECK(fault.index == 1);
        free(longest);
    }
}

/* ---- calls that must fail -------------------------------------------------------------------- */

static ov_vec3 origin_only(const void *user, ov_vec3 direction) {
    (void)user;
    return ov_vec3_scale(direction, 0.0);
}

static void bad_calls(void) {
    ov_replay query = {.options = {1e-9, OV_DEPTH_GLOBAL},
                       .pose_a = ov_pose_identity(),
                       .pose_b = ov_pose_identity()};
    ov_replay *replay = NULL;
    ov_fault fault;
    ov_contact contact;
    ov_ball ball = {{0.0, 0.0, 0.0}, 1.0};
    CHECK_OK(ov_shape_make_sphere(1.0, &query.a));
    CHECK_OK(ov_shape_make_custom(origin_only, NULL, ball, &query.b));
    CHECK_STATUS(ov_replay_write("custom.replay", &query), OV_ERROR_UNSUPPORTED);
    CHECK(access("custom.replay", F_OK) != 0);
    CHECK_OK(ov_shape_make_sphere(1.0, &query.b));
    CHECK_STATUS(ov_replay_write(NULL, &query), OV_ERROR_NULL);
    CHECK_STATUS(ov_replay_write("x.replay", NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_replay_write_stream(NULL, &query), OV_ERROR_NULL);
    CHECK_STATUS(ov_replay_write("no/such/x.replay", &query), OV_ERROR_FILE_OPEN);
    if (access("/dev/full", W_OK) == 0) {
        CHECK_STATUS(ov_replay_write("/dev/full", &query), OV_ERROR_FILE_WRITE);
    }
    CHECK_STATUS(ov_replay_read(NULL, &replay, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_replay_read("x.replay", NULL, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_replay_read_stream(NULL, &replay, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_replay_read("missing.replay", &replay, &fault), OV_ERROR_FILE_OPEN);
    CHECK_STATUS(ov_replay_read(".", &replay, &fault), OV_ERROR_FILE_READ);
    CHECK_STATUS(ov_replay_run(NULL, &contact), OV_ERROR_NULL);
    CHECK_STATUS(ov_replay_run(&query, NULL), OV_ERROR_NULL);
}

int main(void) {
    check_suite = "io_replay";
    char folder[] = "test_io_replay_XXXXXX";
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) {
        perror(folder);
        return EXIT_FAILURE;
    }
    RUN(round_trips);
    RUN(by_hand);
    RUN(broken_lines);
    RUN(truncated_and_changed);
    RUN(bad_calls);
    CHECK(chdir("..") == 0 && rmdir(folder) == 0);
    return check_finish();
}
