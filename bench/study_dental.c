/**
 * @file study_dental.c
 * @brief Dental occlusion [Benchmark, 5.3, 6.4]: the measuring of `ovoid-bench dental`, and its
 * report.
 *
 * Every row goes through the 181 frames in their order, three times, the rows in turns; the best
 * time of each frame counts. Between two readings of the clock lies everything that a row does for
 * a frame but to place its meshes; meshes, and the boxes of the tooth that rests, are made before.
 *
 * A tooth is one mesh for FCL, the meshes of its parts together. The published way is that of the
 * paper: pairs of parts whose boxes along the axes overlap go to quadImplicit, which starts from
 * its last answer and, where it does not converge, from the quadtree. With the same boxes before
 * Ovoid's own query one sees which jumps of the paper's curve come from the boxes alone.
 *
 * [Benchmark, 6.4] prints no numbers for this case, only curves; so the goals here are ratios
 * within one run. Errors are against Ovoid's certified gap, whose bounds the table names.
 */
#include "dental.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef OVOID_SCHEMES
#include <ovoid/schemes.h>
#endif

/* ==== the measuring =========================================================================== */

#ifdef OVOID_SCHEMES
#include <ovoid/schemes.h>
#endif

enum { ROUNDS = 3 };

static const size_t mesh_sizes[DENTAL_MESHES] = {DENTAL_COARSE, DENTAL_FINE};

/* ---- meshes */

/** About as many vertices of a part as its share of the surface; `scale` is 1/length^2. */
static bool plan_part(const ov_shape *shape, double scale, ov_mesh_plan *plan) {
    ov_vec3 a = shape->a;
    double wanted = fmax(20.0, scale * (a.x * a.y + a.y * a.z + a.z * a.x));
    ov_mesh_options options = {.vertices = (size_t)wanted};
    return ov_shape_mesh_plan(shape, &options, plan) >= 0;
}

static size_t count_triangles(const dental_tooth *tooth, double scale) {
    size_t count = 0;
    for (size_t i = 0; i < tooth->count; i++) {
        ov_mesh_plan plan;
        count += plan_part(&tooth->parts[i].shape, scale, &plan) ? plan.triangle_count : 0;
    }
    return count;
}

/** The scale, of many, with which the number of triangles is nearest. */
static double choose_scale(const dental_tooth *tooth, size_t triangles) {
    enum { TRIES = 400 };
    double best = 0.0, off = INFINITY;
    for (int k = 0; k < TRIES; k++) {
        double scale = 1e-4 * (double)triangles * pow(400.0, (double)k / TRIES);
        double now = fabs((double)count_triangles(tooth, scale) - (double)triangles);
        if (now < off) {
            off = now;
            best = scale;
        }
    }
    return best;
}

static bool append_part(const ov_part *part, double scale, bench_mesh *mesh) {
    ov_mesh_plan plan;
    ov_vec3 *vertices = mesh->vertices + mesh->vertex_count;
    uint32_t(*triangles)[3] = mesh->triangles + mesh->triangle_count;
    if (!plan_part(&part->shape, scale, &plan) ||
        ov_shape_mesh_fill(&part->shape, &plan, vertices, NULL, triangles) < 0) {
        return false;
    }
    for (size_t i = 0; i < plan.vertex_count; i++) {
        vertices[i] = ov_pose_apply(part->pose, vertices[i]);
    }
    for (size_t i = 0; i < plan.triangle_count; i++) {
        for (int k = 0; k < 3; k++) {
            triangles[i][k] += (uint32_t)mesh->vertex_count;
        }
    }
    mesh->vertex_count += plan.vertex_count;
    mesh->triangle_count += plan.triangle_count;
    return true;
}

bool dental_mesh(const dental_tooth *tooth, size_t triangles, bench_mesh *mesh) {
    double scale = choose_scale(tooth, triangles);
    size_t room = count_triangles(tooth, scale);
    // a closed surface of triangles has fewer vertices than triangles, for all but the smallest
    *mesh = (bench_mesh){calloc(room, sizeof *mesh->vertices),
                         calloc(room, sizeof *mesh->triangles), 0, 0};
    bool good = mesh->vertices != NULL && mesh->triangles != NULL;
    for (size_t i = 0; i < tooth->count && good; i++) {
        good = append_part(&tooth->parts[i], scale, mesh);
    }
    if (!good) {
        bench_mesh_free(mesh);
    }
    return good;
}

/* ---- what the rows work with */

typedef struct bench {
    dental_study *study;
    dental_track track;
    dental_world world;
    void *objects[DENTAL_ROWS_MAX][DENTAL_TEETH];
    ov_aabb lower_boxes[DENTAL_PARTS_MAX]; /**< of the tooth that rests */
    double clock_ns;
#ifdef OVOID_SCHEMES
    ov_scheme_result last[DENTAL_PAIRS_MAX];
    bool has_last[DENTAL_PAIRS_MAX];
#endif
} bench;

static peer_body body_at(ov_pose pose) {
    return (peer_body){.position = pose.position,
                       .rotation = ov_mat3_from_quat(pose.rotation),
                       .support = ov_shape_support};
}

static bool make_objects(bench *b) {
    dental_study *s = b->study;
    for (int m = 0; m < DENTAL_MESHES; m++) {
        for (int k = 0; k < DENTAL_TEETH; k++) {
            bench_mesh mesh;
            if (!dental_mesh(&s->teeth[k], mesh_sizes[m], &mesh)) {
                return false;
            }
            peer_body body = body_at(k == DENTAL_UPPER ? dental_bite(0) : ov_pose_identity());
            body.mesh = (peer_mesh){mesh.vertices, mesh.vertex_count,
                                    (const uint32_t(*)[3])mesh.triangles, mesh.triangle_count};
            bool good = true;
            for (size_t r = 0; r < s->row_count && good; r++) {
                const dental_row *row = &s->rows[r];
                if (row->way == DENTAL_MESH && row->mesh == m) {
                    b->objects[r][k] = row->method->make(&body); // it copies the mesh
                    good = b->objects[r][k] != NULL;
                    s->triangles[m][k] = mesh.triangle_count;
                }
            }
            bench_mesh_free(&mesh);
            if (!good) {
                return false;
            }
        }
    }
    return true;
}

static void destroy_objects(bench *b) {
    for (size_t r = 0; r < b->study->row_count; r++) {
        for (int k = 0; k < DENTAL_TEETH; k++) {
            if (b->objects[r][k] != NULL) {
                b->study->rows[r].method->destroy(b->objects[r][k]);
            }
        }
    }
}

/* ---- one frame of a row */

static dental_answer signed_answer(double gap) {
    return (dental_answer){.gap = gap, .answered = true, .overlapping = gap <= 0.0};
}

static dental_answer ask_ovoid(bench *b, dental_way way, int frame, ov_pose upper) {
    dental_least least;
    if (way == DENTAL_COLD) {
        dental_track_forget(&b->track);
    }
    ov_status status = way == DENTAL_WORLD ? dental_world_step(&b->world, upper, &least)
                                           : dental_track_step(&b->track, upper, &least);
    if (status < 0) {
        return (dental_answer){.gap = NAN, .failed = 1};
    }
    if (way == DENTAL_COHERENT) {
        b->study->least[frame] = least;
    }
    dental_answer answer = signed_answer(least.contact.gap);
    answer.answered = least.contact.relation != OV_RELATION_UNDECIDED;
    answer.overlapping = least.contact.relation == OV_RELATION_OVERLAPPING;
    return answer;
}

static bool boxes_overlap(const ov_aabb *a, const ov_aabb *b) {
    return a->min.x <= b->max.x && b->min.x <= a->max.x && a->min.y <= b->max.y &&
           b->min.y <= a->max.y && a->min.z <= b->max.z && b->min.z <= a->max.z;
}

/** The gap of one pair, or NaN where there is no answer. */
typedef double (*pair_query)(bench *b, size_t pair, const ov_part *lower, const ov_part *upper,
                             ov_pose pose);

static double query_ovoid(bench *b, size_t pair, const ov_part *lower, const ov_part *upper,
                          ov_pose pose) {
    ov_contact c;
    ov_status status = ov_pair_contact(&lower->shape, lower->pose, &upper->shape, pose, NULL,
                                       &b->track.warm[pair], &c);
    return status >= 0 ? c.gap : NAN;
}

#ifdef OVOID_SCHEMES

static double query_published(bench *b, size_t pair, const ov_part *lower, const ov_part *upper,
                              ov_pose pose) {
    ov_scheme_options options = ov_default_scheme_options();
    ov_scheme_result result = {.status = OV_NOT_CONVERGED};
    if (b->has_last[pair]) {
        options.last = &b->last[pair];
        ov_scheme_contact(OV_SCHEME_QUAD_IMPLICIT, &lower->shape, lower->pose, &upper->shape, pose,
                          &options, &result);
        options.last = NULL;
    }
    if (result.status != OV_OK) {
        ov_scheme_contact(OV_SCHEME_QUAD_IMPLICIT, &lower->shape, lower->pose, &upper->shape, pose,
                          &options, &result);
    }
    b->has_last[pair] = result.status == OV_OK;
    b->last[pair] = result;
    return result.status == OV_OK ? result.gap : NAN;
}

static bool has_published(void) { return ov_scheme_missing(OV_SCHEME_QUAD_IMPLICIT) == NULL; }

static void forget_published(bench *b) { memset(b->has_last, 0, sizeof b->has_last); }

#else

#define query_published query_ovoid

static bool has_published(void) { return false; }

static void forget_published(bench *b) { (void)b; }

#endif

/** Boxes first: the least gap of those pairs whose boxes overlap; none where there is no such. */
static dental_answer ask_boxes(bench *b, ov_pose upper, pair_query query) {
    const dental_tooth *teeth = b->study->teeth;
    ov_aabb boxes[DENTAL_PARTS_MAX];
    dental_answer answer = {.gap = NAN, .answered = true};
    ov_pose poses[DENTAL_PARTS_MAX];
    for (size_t j = 0; j < teeth[DENTAL_UPPER].count; j++) {
        const ov_part *part = &teeth[DENTAL_UPPER].parts[j];
        poses[j] = dental_place(upper, part->pose);
        ov_shape_aabb(&part->shape, poses[j], &boxes[j]);
    }
    size_t pair = 0;
    for (size_t i = 0; i < teeth[DENTAL_LOWER].count; i++) {
        const ov_part *lower = &teeth[DENTAL_LOWER].parts[i];
        for (size_t j = 0; j < teeth[DENTAL_UPPER].count; j++, pair++) {
            if (!boxes_overlap(&b->lower_boxes[i], &boxes[j])) {
                continue;
            }
            double gap = query(b, pair, lower, &teeth[DENTAL_UPPER].parts[j], poses[j]);
            answer.failed += isnan(gap) ? 1 : 0;
            answer.gap = fmin(gap, answer.gap); // of a number and NaN: the number
        }
    }
    answer.overlapping = answer.gap <= 0.0;
    return answer;
}

static dental_answer ask_mesh(const bench *b, size_t r) {
    const dental_row *row = &b->study->rows[r];
    peer_answer got =
        row->method->ask(b->objects[r][DENTAL_LOWER], b->objects[r][DENTAL_UPPER], 0.0);
    dental_answer answer = {.gap = got.gap,
                            .answered = got.verdict != PEER_FAILED,
                            .overlapping = got.verdict == PEER_OVERLAPPING,
                            .failed = got.verdict == PEER_FAILED};
    if (row->method->gives_distance && answer.overlapping) {
        answer.gap = 0.0; // all that it says
    }
    return answer;
}

static void run_frame(bench *b, size_t r, int frame, bool first) {
    dental_row *row = &b->study->rows[r];
    ov_pose upper = dental_bite(frame);
    dental_answer answer;
    if (row->way == DENTAL_MESH) {
        peer_body body = body_at(upper);
        row->method->move(b->objects[r][DENTAL_UPPER], &body);
    }
    double start = bench_now_ns();
    switch (row->way) {
    case DENTAL_COHERENT:
    case DENTAL_LOCAL:
    case DENTAL_COLD:
    case DENTAL_WORLD:
        answer = ask_ovoid(b, row->way, frame, upper);
        break;
    case DENTAL_BOXES:
        answer = ask_boxes(b, upper, query_ovoid);
        break;
    case DENTAL_PUBLISHED:
        answer = ask_boxes(b, upper, query_published);
        break;
    default:
        answer = ask_mesh(b, r);
        break;
    }
    answer.ns = fmax(0.0, bench_now_ns() - start - b->clock_ns);
    if (!first) {
        answer.ns = fmin(answer.ns, row->frames[frame].ns);
    }
    row->frames[frame] = answer;
}

/* ---- the rows */

static void add_row(dental_study *s, dental_way way, const peer_method *method, int mesh,
                    const char *name, const char *id) {
    if (s->row_count == DENTAL_ROWS_MAX) {
        return;
    }
    dental_row *row = &s->rows[s->row_count++];
    row->way = way;
    row->method = method;
    row->mesh = mesh;
    if (way == DENTAL_MESH) {
        snprintf(row->name, sizeof row->name, "%s, %zu triangles", name, mesh_sizes[mesh]);
        snprintf(row->id, sizeof row->id, "%s_%zu", id, mesh_sizes[mesh]);
    } else {
        snprintf(row->name, sizeof row->name, "%s", name);
        snprintf(row->id, sizeof row->id, "%s", id);
    }
}

static void add_rows(dental_study *s, const bench_peers *peers) {
    add_row(s, DENTAL_COHERENT, NULL, 0, "Ovoid, with coherence", "ovoid_coherent");
    add_row(s, DENTAL_LOCAL, NULL, 0, "Ovoid, with coherence, local depth", "ovoid_local");
    add_row(s, DENTAL_COLD, NULL, 0, "Ovoid, each frame for itself", "ovoid_cold");
    add_row(s, DENTAL_WORLD, NULL, 0, "Ovoid's world, all that overlap", "ovoid_world");
    add_row(s, DENTAL_BOXES, NULL, 0, "Ovoid where boxes overlap", "ovoid_boxes");
    if (has_published()) {
        add_row(s, DENTAL_PUBLISHED, NULL, 0, "quadImplicit where boxes overlap", "quad_implicit");
    }
    for (size_t i = 0; i < peers->count; i++) {
        const peer_method *m = peers->methods[i];
        for (int mesh = 0; mesh < DENTAL_MESHES && m->input == PEER_MESH && m->move != NULL;
             mesh++) {
            add_row(s, DENTAL_MESH, m, mesh, m->name, m->id);
        }
    }
}

static void note_halves(dental_study *s) {
    for (int f = 0; f < DENTAL_FRAMES; f++) {
        s->half[f] = s->least[f].contact.gap > 0.0 ? DENTAL_APART : DENTAL_MEETING;
        s->half_count[s->half[f]]++;
    }
}

bool dental_measure(const bench_peers *peers, const bench_progress *progress, dental_study *s) {
    bench *b = calloc(1, sizeof *b);
    memset(s, 0, sizeof *s);
    bool good = b != NULL && dental_make(s->teeth);
    if (good) {
        b->study = s;
        b->clock_ns = s->clock_ns = bench_clock_ns();
        add_rows(s, peers);
        for (size_t i = 0; i < s->teeth[DENTAL_LOWER].count; i++) {
            const ov_part *part = &s->teeth[DENTAL_LOWER].parts[i];
            ov_shape_aabb(&part->shape, part->pose, &b->lower_boxes[i]);
        }
        good = make_objects(b);
    }
    for (size_t k = 0; k < ROUNDS * s->row_count && good; k++) {
        size_t r = k % s->row_count;
        dental_track_begin(&b->track, s->teeth,
                           s->rows[r].way == DENTAL_LOCAL ? OV_DEPTH_LOCAL : OV_DEPTH_GLOBAL);
        good = dental_world_begin(&b->world, s->teeth);
        forget_published(b);
        for (int f = 0; f < DENTAL_FRAMES && good; f++) {
            run_frame(b, r, f, k < s->row_count);
            bench_show(progress, "frames", k * DENTAL_FRAMES + (size_t)f + 1,
                       ROUNDS * s->row_count * DENTAL_FRAMES);
        }
        dental_world_end(&b->world);
    }
    if (b != NULL && b->study != NULL) {
        destroy_objects(b);
    }
    free(b);
    if (good) {
        note_halves(s);
    }
    return good;
}

/* ==== the report ============================================================================== */

#define GOAL_RATIO 30.0
/** A step of the gap beyond the motion by less than this part of it is rounding. */
#define STEP_SLACK 1e-6

static const char *const half_names[DENTAL_HALVES] = {"apart", "meeting"};

/* ---- figures */

size_t dental_find(const dental_study *s, const char *id) {
    size_t r = 0;
    while (r < s->row_count && strcmp(s->rows[r].id, id) != 0) {
        r++;
    }
    return r;
}

dental_figures dental_figure(const dental_study *s, size_t row, dental_half half) {
    dental_figures f = {.hash = BENCH_HASH_START, .mean_error = 0.0};
    double times[DENTAL_FRAMES];
    size_t count = 0;
    for (int k = 0; k < DENTAL_FRAMES; k++) {
        const dental_answer *a = &s->rows[row].frames[k];
        if (s->half[k] != half) {
            continue;
        }
        times[count++] = a->ns;
        f.frames += a->answered;
        f.failed += a->failed;
        f.wrong += a->answered && a->overlapping != (half == DENTAL_MEETING);
        bench_hash_gap(&f.hash, a->gap);
        if (!isnan(a->gap)) {
            double error = fabs(a->gap - s->least[k].contact.gap);
            f.gaps++;
            f.mean_error += error;
            f.worst_error = fmax(f.worst_error, error);
        }
    }
    bench_figures spread = bench_figure(times, count);
    f.mean = spread.mean;
    f.median = spread.median;
    f.max = spread.worst;
    f.mean_error = f.gaps > 0 ? f.mean_error / (double)f.gaps : NAN;
    f.worst_error = f.gaps > 0 ? f.worst_error : NAN;
    return f;
}

double dental_motion(int frame) {
    // the tooth does not turn in this bite, so all of its points move alike
    ov_pose before = dental_bite(frame - 1), now = dental_bite(frame);
    return ov_vec3_length(ov_vec3_sub(now.position, before.position));
}

dental_steps dental_step(const dental_study *s, size_t row) {
    dental_steps steps = {.first = -1, .last = -1};
    const dental_answer *frames = s->rows[row].frames;
    for (int k = 0; k < DENTAL_FRAMES; k++) {
        if (isnan(frames[k].gap)) {
            continue;
        }
        bool follows = steps.last >= 0 && steps.last == k - 1;
        steps.first = steps.first < 0 ? k : steps.first;
        steps.last = k;
        double ratio = follows ? fabs(frames[k].gap - frames[k - 1].gap) / dental_motion(k) : 0.0;
        steps.jumps += ratio > 1.0 + STEP_SLACK;
        if (ratio > steps.worst_ratio) {
            steps.worst_ratio = ratio;
            steps.worst_frame = k;
        }
    }
    return steps;
}

/* ---- the table */

static void print_half(FILE *out, const dental_study *s, dental_half half) {
    double unit = dental_figure(s, 0, half).mean;
    fprintf(out, "\n%zu frames with the teeth %s\n%-36s %10s %10s %10s %6s %6s %11s %11s %8s\n",
            s->half_count[half], half == DENTAL_APART ? "apart" : "overlapping", "", "mean us",
            "median us", "worst us", "wrong", "failed", "mean error", "worst error", "ratio");
    for (size_t r = 0; r < s->row_count; r++) {
        dental_figures f = dental_figure(s, r, half);
        bool ours = r == 0;
        fprintf(out, "%-36s", s->rows[r].name);
        bench_cell(out, 10, "%.2f", f.mean * 1e-3);
        bench_cell(out, 10, "%.2f", f.median * 1e-3);
        bench_cell(out, 10, "%.2f", f.max * 1e-3);
        fprintf(out, " %6zu %6zu", f.wrong, f.failed);
        bench_cell(out, 11, "%.1e", ours ? NAN : f.mean_error);
        bench_cell(out, 11, "%.1e", ours ? NAN : f.worst_error);
        bench_cell(out, 8, "%.1f", f.mean / unit);
        fputc('\n', out);
    }
}

/** Frames in which the teeth overlap but a row says a distance of 0, or none at all. */
static size_t count_zeros(const dental_study *s, size_t row) {
    size_t count = 0;
    for (int k = 0; k < DENTAL_FRAMES; k++) {
        count += s->half[k] == DENTAL_MEETING && s->rows[row].frames[k].gap == 0.0;
    }
    return count;
}

static void print_meeting(FILE *out, const dental_study *s) {
    int deepest = 0, first = -1, last = -1;
    double width = 0.0;
    size_t queries = 0;
    for (int k = 0; k < DENTAL_FRAMES; k++) {
        const ov_contact *c = &s->least[k].contact;
        if (s->half[k] == DENTAL_MEETING) {
            first = first < 0 ? k : first;
            last = k;
        } else {
            width = fmax(width, c->gap_upper - c->gap_lower);
        }
        deepest = c->gap < s->least[deepest].contact.gap ? k : deepest;
        queries += s->least[k].queries;
    }
    const dental_least *d = &s->least[deepest];
    fprintf(out,
            "\nThe teeth meet in frames %d to %d (printed: about 47 to 111), deepest by %.4f mm in "
            "frame %d:\nthe %s of the upper tooth in the %s of the lower one.\n",
            first, last, -d->contact.gap, deepest, dental_part_name(DENTAL_UPPER, d->part_b),
            dental_part_name(DENTAL_LOWER, d->part_a));
    for (size_t r = 0; r < s->row_count; r++) {
        if (s->rows[r].way == DENTAL_MESH && s->rows[r].method->gives_distance) {
            fprintf(out, "%s: a distance of 0 in %zu of these %zu frames.\n", s->rows[r].name,
                    count_zeros(s, r), s->half_count[DENTAL_MEETING]);
        }
    }
    fprintf(
        out,
        "Apart, Ovoid's bounds of the gap are at most %.0e mm apart. Of %zu pairs of parts %.1f "
        "are asked in a\nframe, with coherence. Hash of its gaps: %016llx %016llx.\n",
        width, s->teeth[DENTAL_LOWER].count * s->teeth[DENTAL_UPPER].count,
        (double)queries / DENTAL_FRAMES, (unsigned long long)dental_figure(s, 0, DENTAL_APART).hash,
        (unsigned long long)dental_figure(s, 0, DENTAL_MEETING).hash);
}

static void print_steps(FILE *out, const dental_study *s) {
    fputs("\nSteps of the gap from frame to frame; more than the tooth moved is a jump:\n", out);
    for (size_t r = 0; r < s->row_count; r++) {
        dental_steps steps = dental_step(s, r);
        if (steps.first >= 0) {
            fprintf(out, "%-36s frames %3d to %3d, %2zu jumps, largest step %.3f motions (%d)\n",
                    s->rows[r].name, steps.first, steps.last, steps.jumps, steps.worst_ratio,
                    steps.worst_frame);
        }
    }
    fputs(
        "Printed: the superovoids have no data before frame 28 and after 133, and jumps between.\n",
        out);
}

static void print_goals(FILE *out, const dental_study *s) {
    fprintf(out,
            "\nGoal: with coherence at least %.0f times as fast as FCL's mesh distance, in both "
            "halves of "
            "Fig. 13:\nboth meshes, and the teeth apart and overlapping\n",
            GOAL_RATIO);
    for (int mesh = 0; mesh < DENTAL_MESHES; mesh++) {
        char id[48];
        snprintf(id, sizeof id, "fcl_mesh_distance_%d", mesh > 0 ? DENTAL_FINE : DENTAL_COARSE);
        size_t r = dental_find(s, id);
        for (int half = 0; half < DENTAL_HALVES && r < s->row_count; half++) {
            dental_figures theirs = dental_figure(s, r, (dental_half)half);
            dental_figures ours = dental_figure(s, 0, (dental_half)half);
            double mean = theirs.mean / ours.mean, median = theirs.median / ours.median;
            fprintf(out, "  %-36s %-8s mean %7.1f, median %7.1f  %s\n", s->rows[r].name,
                    half_names[half], mean, median,
                    fmin(mean, median) >= GOAL_RATIO ? "met" : "missed");
        }
        if (r == s->row_count) {
            fprintf(out, "  FCL, %d triangles: not measured\n",
                    mesh > 0 ? DENTAL_FINE : DENTAL_COARSE);
        }
    }
    dental_steps steps = dental_step(s, 0);
    fprintf(out, "Goal: no jump of Ovoid's gap, a penetration where the meshes have 0: %s\n",
            steps.jumps == 0 && s->half_count[DENTAL_MEETING] > 0 ? "met" : "missed");
}

void dental_print(FILE *out, const dental_study *s) {
    fprintf(out,
            "Dental occlusion [Benchmark, 5.3, 6.4, Figs 13 and 14]: two first molars of %zu "
            "and %zu superovoids,\n%d frames of a bite. Times of a frame, best of three; the least "
            "gap over all pairs of parts; errors in mm.\n",
            s->teeth[DENTAL_LOWER].count, s->teeth[DENTAL_UPPER].count, DENTAL_FRAMES);
    for (int m = 0; m < DENTAL_MESHES && s->triangles[m][0] > 0; m++) {
        fprintf(out, "%s of %zu and %zu triangles", m > 0 ? "," : "Meshes", s->triangles[m][0],
                s->triangles[m][1]);
    }
    fputs(s->triangles[0][0] > 0 ? ". Where they meet, their error is the depth itself.\n" : "",
          out);
    for (int half = 0; half < DENTAL_HALVES; half++) {
        print_half(out, s, (dental_half)half);
    }
    print_meeting(out, s);
    print_steps(out, s);
    print_goals(out, s);
}

/* ---- CSV */

void dental_csv(FILE *out, const dental_study *s) {
    fputs("frame,half,px,py,pz,gap_lower,gap_upper,part_lower,part_upper,queries", out);
    for (size_t r = 0; r < s->row_count; r++) {
        fprintf(out, ",%s_us,%s_gap", s->rows[r].id, s->rows[r].id);
    }
    fputc('\n', out);
    for (int k = 0; k < DENTAL_FRAMES; k++) {
        const dental_least *least = &s->least[k];
        ov_vec3 p = dental_bite(k).position;
        fprintf(out, "%d,%s", k, half_names[s->half[k]]);
        bench_csv_number(out, p.x);
        bench_csv_number(out, p.y);
        bench_csv_number(out, p.z);
        bench_csv_number(out, least->contact.gap_lower);
        bench_csv_number(out, least->contact.gap_upper);
        fprintf(out, ",%zu,%zu,%zu", least->part_a, least->part_b, least->queries);
        for (size_t r = 0; r < s->row_count; r++) {
            bench_csv_number(out, s->rows[r].frames[k].ns * 1e-3);
            bench_csv_number(out, s->rows[r].frames[k].gap);
        }
        fputc('\n', out);
    }
}

/* ==== the study */

int study_dental(cli *c, const bench_job *job) {
    dental_study *study = malloc(sizeof *study);
    bool good = study != NULL && dental_measure(job->peers, job->progress, study);
    if (good) {
        progress_end(job->progress->user);
        dental_print(c->out, study);
        if (job->csv != NULL) {
            dental_csv(job->csv, study);
        }
    }
    free(study);
    return good ? CLI_OK : bench_no_memory(c, "dental");
}
