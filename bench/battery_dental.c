/**
 * @file battery_dental.c
 * @brief Dental occlusion [Benchmark, 5.3, 6.4]: the measuring of `ovoid-bench dental`.
 *
 * Every row goes through the 181 frames in their order, three times, the rows in turns; the best
 * time of each frame counts. Between two readings of the clock lies everything that a row does for
 * a frame but to place its meshes; meshes, and the boxes of the tooth that rests, are made before.
 *
 * A tooth is one mesh for FCL, the meshes of its parts together. The published way is that of the
 * paper: pairs of parts whose boxes along the axes overlap go to quadImplicit, which starts from
 * its last answer and, where it does not converge, from the quadtree. With the same boxes before
 * Ovoid's own query one sees which jumps of the paper's curve come from the boxes alone.
 */
#include "battery_dental.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static bool append_part(const ov_part *part, double scale, battery_mesh *mesh) {
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

bool dental_mesh(const dental_tooth *tooth, size_t triangles, battery_mesh *mesh) {
    double scale = choose_scale(tooth, triangles);
    size_t room = count_triangles(tooth, scale);
    // a closed surface of triangles has fewer vertices than triangles, for all but the smallest
    *mesh = (battery_mesh){calloc(room, sizeof *mesh->vertices),
                           calloc(room, sizeof *mesh->triangles), 0, 0};
    bool good = mesh->vertices != NULL && mesh->triangles != NULL;
    for (size_t i = 0; i < tooth->count && good; i++) {
        good = append_part(&tooth->parts[i], scale, mesh);
    }
    if (!good) {
        battery_mesh_free(mesh);
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
            battery_mesh mesh;
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
            battery_mesh_free(&mesh);
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
    double start = battery_now_ns();
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
    answer.ns = fmax(0.0, battery_now_ns() - start - b->clock_ns);
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

static void add_rows(dental_study *s, const battery_peers *peers) {
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

bool dental_measure(const battery_peers *peers, const battery_progress *progress, dental_study *s) {
    bench *b = calloc(1, sizeof *b);
    memset(s, 0, sizeof *s);
    bool good = b != NULL && dental_make(s->teeth);
    if (good) {
        b->study = s;
        b->clock_ns = s->clock_ns = battery_clock_ns();
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
            battery_show(progress, "frames", k * DENTAL_FRAMES + (size_t)f + 1,
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
