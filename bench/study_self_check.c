/**
 * @file study_self_check.c
 * @brief A robot against itself: poses per second of a full self-collision check, forward
 * kinematics included, and what each layer of the check did. `ovoid-bench self-check`.
 *
 * A humanoid of 30 links and 40 parts, 1.7 m tall: superovoids, superellipsoids and capsules with
 * sizes drawn about those of a body. Links that overlap at rest are allowed to, as in the tables
 * that come with real robots. All gaps below 5 cm are asked for, at random poses within the limits
 * of the joints (nothing is alike from one to the next) and along a smooth motion through such
 * poses. Times come with a hash of all contacts.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "robots.h"
#include "subject.h"

#include "../src/world/model_internal.h"

enum {
    LINKS = 30,
    POSITIONS = LINKS - 1,
    PARTS = 40,
    POSES = 2000,
    ROUNDS = 9,
    STEPS_BETWEEN = 200
};

static const double limit = 0.05;

static bench_random draws;

/* ---- the robot */

/** A link: what it hangs on, where, about which axis, between which limits in degrees. */
typedef struct limb {
    const char *name, *parent;
    double x, y, z;
    char axis;
    int lower, upper;
} limb;

/** A part: of which link, where, its half extents; 'c' a capsule along z, 's' a smooth body. */
typedef struct flesh {
    const char *link;
    char kind;
    double x, y, z, a1, a2, a3;
} flesh;

// the left side; the right one is its mirror image across y = 0, with names that begin with r
static const limb middle_limbs[] = {
    {"pelvis", NULL, 0, 0, 0, 'z', 0, 0},
    {"chest", "pelvis", 0, 0, 0.12, 'z', -60, 60},
    {"neck", "chest", 0, 0, 0.42, 'z', -70, 70},
    {"head", "neck", 0, 0, 0.08, 'y', -30, 45},
};
static const limb left_limbs[] = {
    {"l_shoulder1", "chest", 0, 0.17, 0.33, 'y', -170, 60},
    {"l_shoulder2", "l_shoulder1", 0, 0.05, 0, 'x', -10, 110},
    {"l_upper_arm", "l_shoulder2", 0, 0.01, -0.06, 'z', -80, 80},
    {"l_forearm", "l_upper_arm", 0, 0, -0.22, 'y', -140, 0},
    {"l_wrist", "l_forearm", 0, 0, -0.23, 'z', -90, 90},
    {"l_hand", "l_wrist", 0, 0, -0.05, 'y', -60, 60},
    {"l_fingers", "l_hand", 0, 0, -0.09, 'y', -90, 5},
    {"l_hip1", "pelvis", 0, 0.10, -0.06, 'z', -30, 40},
    {"l_hip2", "l_hip1", 0, 0.01, -0.05, 'x', -20, 40},
    {"l_thigh", "l_hip2", 0, 0, -0.05, 'y', -110, 30},
    {"l_shank", "l_thigh", 0, 0, -0.38, 'y', 0, 135},
    {"l_ankle", "l_shank", 0, 0, -0.36, 'y', -40, 30},
    {"l_foot", "l_ankle", 0, 0, -0.04, 'x', -20, 20},
};
static const flesh middle_flesh[] = {
    {"pelvis", 's', 0, 0, 0.02, 0.11, 0.16, 0.09},
    {"pelvis", 's', -0.03, 0, -0.06, 0.09, 0.1, 0.06},
    {"chest", 's', 0, 0, 0.24, 0.11, 0.16, 0.16},
    {"chest", 's', 0.02, 0, 0.08, 0.09, 0.13, 0.09},
    {"chest", 's', -0.10, 0, 0.26, 0.05, 0.11, 0.13},
    {"neck", 'c', 0, 0, 0.04, 0.05, 0.05, 0.04},
    {"head", 's', 0.01, 0, 0.11, 0.09, 0.075, 0.12},
    {"head", 's', 0.07, 0, 0.04, 0.04, 0.05, 0.05},
};
static const flesh left_flesh[] = {
    {"l_shoulder1", 's', 0, 0.01, 0, 0.06, 0.05, 0.06},
    {"l_shoulder2", 's', 0, 0, -0.02, 0.055, 0.055, 0.06},
    {"l_upper_arm", 'c', 0, 0, -0.10, 0.045, 0.045, 0.09},
    {"l_forearm", 's', 0, 0, -0.11, 0.045, 0.042, 0.13},
    {"l_wrist", 'c', 0, 0, -0.01, 0.03, 0.03, 0.02},
    {"l_hand", 's', 0, 0, -0.05, 0.045, 0.025, 0.055},
    {"l_hand", 'c', 0.045, 0, -0.04, 0.013, 0.013, 0.025},
    {"l_fingers", 's', 0, 0, -0.04, 0.04, 0.015, 0.045},
    {"l_hip1", 's', 0, 0, -0.02, 0.06, 0.06, 0.06},
    {"l_hip2", 's', 0, 0, -0.02, 0.065, 0.065, 0.06},
    {"l_thigh", 's', 0, 0, -0.17, 0.08, 0.075, 0.2},
    {"l_thigh", 's', 0.03, 0, -0.36, 0.05, 0.055, 0.05},
    {"l_shank", 's', 0, 0, -0.17, 0.06, 0.055, 0.19},
    {"l_ankle", 'c', 0, 0, 0, 0.04, 0.04, 0.015},
    {"l_foot", 's', 0.06, 0, -0.03, 0.1, 0.045, 0.03},
    {"l_foot", 's', 0.16, 0, -0.035, 0.045, 0.045, 0.02},
};

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

typedef struct robot {
    ov_link_def links[LINKS];
    ov_joint_def joints[LINKS - 1];
    ov_part parts[PARTS];
    char names[LINKS][16]; // of the links, and of the joints that they hang on
    size_t link_count, part_count;
} robot;

static uint32_t find_link(const robot *r, const char *name) {
    for (size_t i = 0; i < r->link_count; i++) {
        if (strcmp(r->names[i], name) == 0) {
            return (uint32_t)i;
        }
    }
    return OV_NO_LINK;
}

/** A name, or its mirror image: l_hand, r_hand. */
static void put_name(char *to, const char *name, bool mirrored) {
    snprintf(to, 16, "%s", name);
    if (mirrored && strncmp(name, "l_", 2) == 0) {
        to[0] = 'r';
    }
}

static void add_limb(robot *r, const limb *l, bool mirrored) {
    const double degree = acos(-1.0) / 180.0, side = mirrored ? -1.0 : 1.0;
    size_t i = r->link_count++;
    put_name(r->names[i], l->name, mirrored);
    r->links[i] = (ov_link_def){.name = r->names[i]};
    if (l->parent == NULL) {
        return;
    }
    char parent[16];
    put_name(parent, l->parent, mirrored);
    // turns about x and z change their sense in the mirror
    double sense = l->axis == 'y' ? 1.0 : side;
    r->joints[i - 1] = (ov_joint_def){
        .name = r->names[i],
        .kind = OV_JOINT_KIND_REVOLUTE,
        .parent = find_link(r, parent),
        .child = (uint32_t)i,
        .origin = {{l->x, side * l->y, l->z}, {1.0, 0.0, 0.0, 0.0}},
        .axis = {l->axis == 'x' ? sense : 0.0, l->axis == 'y', l->axis == 'z' ? sense : 0.0},
        .lower = l->lower * degree,
        .upper = l->upper * degree,
        .mimic = OV_NO_LINK};
}

/** A part with a size and form drawn about what is given. */
static bool add_flesh(robot *r, const flesh *f, bool mirrored) {
    ov_part *part = &r->parts[r->part_count];
    double s = bench_uniform(&draws, 0.93, 1.07);
    ov_vec3 a = {s * f->a1, s * f->a2, s * f->a3};
    ov_status status =
        f->kind == 'c' ? ov_shape_make_capsule(a.x, a.z, &part->shape) : OV_ERROR_DENT;
    for (int tries = 0; status == OV_ERROR_DENT && tries < 100; tries++) {
        double e1 = bench_uniform(&draws, 0.5, 1.0), e2 = bench_uniform(&draws, 0.4, 1.0);
        // half of them tapered, limbs alike in x and y
        double t = r->part_count % 2 == 0 ? bench_uniform(&draws, -0.3, 0.3) : 0.0;
        status = ov_shape_make_superovoid(a, e1, e2, t, t, NULL, &part->shape);
    }
    part->mesh = NULL;
    part->pose = (ov_pose){{f->x, mirrored ? -f->y : f->y, f->z}, {1.0, 0.0, 0.0, 0.0}};
    char name[16];
    put_name(name, f->link, mirrored);
    ov_link_def *link = &r->links[find_link(r, name)];
    link->parts = link->part_count == 0 ? part : link->parts;
    link->part_count++;
    r->part_count++;
    return status == OV_OK;
}

static bool make_robot(robot *r, ov_model **model) {
    memset(r, 0, sizeof *r);
    for (size_t i = 0; i < COUNT_OF(middle_limbs); i++) {
        add_limb(r, &middle_limbs[i], false);
    }
    for (size_t i = 0; i < 2 * COUNT_OF(left_limbs); i++) {
        add_limb(r, &left_limbs[i % COUNT_OF(left_limbs)], i >= COUNT_OF(left_limbs));
    }
    bool good = true;
    for (size_t i = 0; i < COUNT_OF(middle_flesh); i++) {
        good = add_flesh(r, &middle_flesh[i], false) && good;
    }
    for (size_t i = 0; i < 2 * COUNT_OF(left_flesh); i++) {
        good =
            add_flesh(r, &left_flesh[i % COUNT_OF(left_flesh)], i >= COUNT_OF(left_flesh)) && good;
    }
    ov_fault fault = {.text = ""};
    good = good && ov_model_create(r->links, r->link_count, r->joints, r->link_count - 1, NULL,
                                   model, &fault) == OV_OK;
    if (!good) {
        fprintf(stderr, "bench_self_check: no robot: %s\n", fault.text);
    }
    return good;
}

/** Links that overlap at rest may always overlap. */
bool check_allow_at_rest(ov_model *model, size_t *allowed) {
    double *positions = calloc(ov_model_position_count(model) + 1, sizeof *positions);
    ov_pose *poses = calloc(ov_model_link_count(model), sizeof *poses);
    const ov_link_contact *contacts;
    size_t count = 0;
    ov_checker *check = NULL;
    *allowed = 0;
    bool good = positions != NULL && poses != NULL;
    if (good) {
        ov_model_rest(model, positions);
        good = ov_model_poses(model, ov_pose_identity(), positions, poses) == OV_OK &&
               ov_checker_create(model, NULL, NULL, &check) == OV_OK &&
               ov_checker_contacts(check, poses, NULL, 0.0, &contacts, &count) == OV_OK;
    }
    for (size_t i = 0; good && i < count; i++) {
        if (!ov_model_is_allowed(model, contacts[i].link_a, contacts[i].link_b)) {
            good = ov_model_allow(model, contacts[i].link_a, contacts[i].link_b, true) == OV_OK;
            (*allowed)++;
        }
    }
    ov_checker_destroy(check);
    free(positions);
    free(poses);
    return good;
}

/* ---- poses */

static double uniform(void *state, double lower, double upper) {
    return bench_uniform(state, lower, upper);
}

void check_fill_positions(const ov_model *model, bench_random *r, double share, bool smooth,
                          size_t poses, double *all) {
    size_t n = ov_model_position_count(model);
    double *to = all; // the last one of a stretch is the first one of the next
    for (size_t i = 0; i < poses; i++) {
        if (!smooth || i == 0) {
            subject_draw_positions(model, share, uniform, r, all + i * n);
        }
    }
    for (size_t first = 0; smooth && first + 1 < poses; first += STEPS_BETWEEN) {
        size_t left = poses - 1 - first, steps = left < STEPS_BETWEEN ? left : STEPS_BETWEEN;
        const double *from = to;
        to = all + (first + steps) * n;
        subject_draw_positions(model, share, uniform, r, to);
        for (size_t step = 1; step < steps; step++) {
            double t = (double)step / (double)steps, s = t * t * (3.0 - 2.0 * t);
            for (size_t k = 0; k < n; k++) {
                all[(first + step) * n + k] = from[k] + s * (to[k] - from[k]);
            }
        }
    }
}

/* ---- runs */

static uint64_t hash_contacts(uint64_t hash, const ov_link_contact *contacts, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const ov_link_contact *c = &contacts[i];
        // to a micrometre, so that the last digits of another machine do not show
        uint64_t word = (uint64_t)llround(c->contact.gap * 1e6) ^ (uint64_t)c->link_a << 48 ^
                        (uint64_t)c->link_b << 56;
        hash = (hash ^ word) * 0x100000001b3u;
    }
    return hash;
}

/** All poses once: false where something failed. */
static bool check_poses(const ov_model *model, const double *all, ovi_checker_counts *sum,
                        uint64_t *hash) {
    ov_checker *check;
    bool good = ov_checker_create(model, NULL, NULL, &check) == OV_OK;
    *hash = 0xcbf29ce484222325u;
    memset(sum, 0, sizeof *sum);
    for (size_t i = 0; good && i < POSES; i++) {
        ov_pose poses[LINKS];
        const ov_link_contact *contacts;
        size_t count;
        good = ov_model_poses(model, ov_pose_identity(), all + i * POSITIONS, poses) == OV_OK &&
               ov_checker_contacts(check, poses, NULL, limit, &contacts, &count) == OV_OK;
        if (good) {
            *hash = hash_contacts(*hash, contacts, count);
            ovi_checker_add_counts(check, sum);
        }
    }
    ov_checker_destroy(check);
    return good;
}

static double time_kinematics(const ov_model *model, const double *all) {
    double start = bench_cpu_ns();
    for (size_t i = 0; i < POSES; i++) {
        ov_pose poses[LINKS];
        if (ov_model_poses(model, ov_pose_identity(), all + i * POSITIONS, poses) != OV_OK) {
            return NAN;
        }
    }
    return bench_cpu_ns() - start;
}

static bool run(FILE *out, const ov_model *model, const char *title, const double *all) {
    double best = INFINITY, forward = INFINITY;
    ovi_checker_counts sum;
    uint64_t hash;
    for (int round = 0; round < ROUNDS; round++) {
        double start = bench_cpu_ns();
        if (!check_poses(model, all, &sum, &hash)) {
            return false;
        }
        best = fmin(best, bench_cpu_ns() - start);
        forward = fmin(forward, time_kinematics(model, all));
    }
    const double n = POSES;
    fprintf(out, "%s\n", title);
    fprintf(out, "  %.0f poses per second, %.1f us per pose, %.1f us of it forward kinematics\n",
            n / best * 1e9, best / n * 1e-3, forward / n * 1e-3);
    fprintf(
        out,
        "  a pose: %.0f pairs of parts, %.1f rejected by balls, %.1f by what was known, %.1f by "
        "boxes,\n  %.1f queries, %.1f of them beyond the limit, %.2f contacts, %.2f overlapping\n",
        (double)sum.pairs / n, (double)sum.rejected_ball / n, (double)sum.rejected_kept / n,
        (double)sum.rejected_obb / n, (double)sum.queries / n, (double)sum.rejected_query / n,
        (double)sum.contacts / n, (double)sum.overlapping / n);
    fprintf(out, "  hash %016llx\n", (unsigned long long)hash);
    return true;
}

int study_self_check(cli *c, const bench_job *job) {
    (void)job;
    draws = (bench_random){20260101};
    static robot r;
    static double positions[POSES * POSITIONS];
    ov_model *model = NULL;
    size_t allowed;
    if (!make_robot(&r, &model) || ov_model_position_count(model) != POSITIONS ||
        !check_allow_at_rest(model, &allowed)) {
        ov_model_destroy(model);
        return cli_error(c, "self-check", "the robot could not be made");
    }
    fprintf(c->out, "links that overlap at rest, and so are allowed to: %zu pairs\n", allowed);
    fprintf(c->out, "robot of %zu links and %zu parts, gaps below %g m\n",
            ov_model_link_count(model), r.part_count, limit);
    check_fill_positions(model, &draws, 1.0, false, POSES, positions);
    bool good = run(c->out, model, "random poses", positions);
    check_fill_positions(model, &draws, 1.0, true, POSES, positions);
    good = good && run(c->out, model, "smooth motion", positions);
    ov_model_destroy(model);
    return good ? CLI_OK : cli_error(c, "self-check", "a pose could not be checked");
}
