/**
 * @file study_sim.c
 * @brief Rigid and articulated bodies: motions of textbooks against their formulas, with the order
 * of their error in the step, and a puppet thrown down stairs. `ovoid-bench sim`.
 */
#include <math.h>

#include "bench.h"
#include "puppet.h"
#include "sim_motions.h"

/* ---- textbook motions */

static double pendulum_error(int substeps) {
    double energy;
    return motion_pendulum(OV_JOINT_KIND_SPHERICAL, substeps, &energy);
}

static double tumbling_error(int substeps) {
    double momentum;
    return motion_tumbling(substeps, &momentum);
}

static double ball_error(int substeps) { return motion_rolling(false, substeps); }
static double ellipsoid_error(int substeps) { return motion_rolling(true, substeps); }

static const struct {
    const char *name;
    double (*error)(int substeps);
} motions[] = {
    {"pendulum from 90 deg, period", pendulum_error},
    {"double pendulum, 2 s, m", motion_double_pendulum},
    {"top, precession", motion_top},
    {"tumbling, interval", tumbling_error},
    {"ball rolling, way", ball_error},
    {"ellipsoid rolling, way", ellipsoid_error},
};
enum { MOTIONS = sizeof motions / sizeof motions[0], STEPS = 4 };
static const int substeps_of[STEPS] = {5, 10, 20, 40};

/** Errors and the order between the two finest steps. */
static void print_motions(cli *c, const bench_job *job) {
    fprintf(c->out, "%-30s", "error, substeps per 1/60 s");
    for (int k = 0; k < STEPS; k++) {
        fprintf(c->out, " %9d", substeps_of[k]);
    }
    fprintf(c->out, "  order\n");
    for (size_t i = 0; i < MOTIONS; i++) {
        double errors[STEPS];
        fprintf(c->out, "%-30s", motions[i].name);
        for (int k = 0; k < STEPS; k++) {
            bench_show(job->progress, "motions", i * STEPS + (size_t)k, MOTIONS * STEPS);
            errors[k] = motions[i].error(substeps_of[k]);
            bench_cell(c->out, 9, "%.2g", errors[k]);
            if (job->csv != NULL) {
                fprintf(job->csv, "%s,%d", motions[i].name, substeps_of[k]);
                bench_csv_number(job->csv, errors[k]);
                fputc('\n', job->csv);
            }
        }
        bench_cell(c->out, 6, "%.2f", log2(errors[1] / errors[2]));
        fputc('\n', c->out);
    }
}

/* ---- what is kept */

static void print_kept(cli *c, const bench_job *job) {
    enum { KEPT_STEPS = 100000 };
    bench_show(job->progress, "chains", 0, 2);
    motion_band flies = motion_chain(false, KEPT_STEPS);
    bench_show(job->progress, "chains", 1, 2);
    motion_band hangs = motion_chain(true, KEPT_STEPS);
    fprintf(c->out, "\nchain of 6 bodies with ball joints and hinges, %d steps of 1/600 s\n",
            KEPT_STEPS);
    bench_goal(c->out, 44, "flying: energy, of the most kinetic", 1e-6, true, flies.energy);
    bench_goal(c->out, 44, "flying: momentum", 1e-12, true, flies.momentum);
    bench_goal(c->out, 44, "flying: angular momentum", 1e-12, true, flies.angular);
    bench_goal(c->out, 44, "hung up: energy, of the most kinetic", 0.005, true, hangs.energy);
    bench_goal(c->out, 44, "joints, m", 1e-10, true, fmax(flies.joints, hangs.joints));
    if (job->csv != NULL) {
        fprintf(job->csv, "chain,%d", KEPT_STEPS);
        bench_csv_number(job->csv, hangs.energy);
        fputc('\n', job->csv);
    }
}

/* ---- the puppet */

static const int throw_substeps = 30;

/** One throw, three seconds long; false if a call failed. */
static bool throw_puppet(const puppet_parts *parts, bench_random *r, puppet_worst *worst) {
    ov_sim_options options = {
        .mode = OV_SIM_MODE_ACCURATE, .substeps = throw_substeps, .threads.count = 1};
    ov_sim *sim = NULL;
    puppet p;
    ov_pose pose = {{bench_uniform(r, -0.5, 0.5), bench_uniform(r, -0.2, 0.3), 2.6},
                    ov_quat_from_axis_angle(bench_direction(r), bench_uniform(r, 0.0, 0.8))};
    ov_vec3 v = {bench_uniform(r, -1.0, 1.0), bench_uniform(r, 0.0, 4.0),
                 bench_uniform(r, -1.0, 2.0)};
    ov_vec3 w = ov_vec3_scale(bench_direction(r), bench_uniform(r, 0.0, 5.0));
    bool good = ov_sim_create(&options, &sim) == OV_OK && stairs_add(sim, parts) == OV_OK &&
                puppet_add(sim, parts, pose, v, w, &p) == OV_OK;
    for (int i = 0; good && i < 180; i++) {
        good = ov_sim_step(sim, 1.0 / 60.0) == OV_OK;
        puppet_measure(sim, &p, worst);
    }
    ov_sim_destroy(sim);
    return good;
}

static void print_throws(cli *c, const bench_job *job) {
    puppet_parts parts = puppet_parts_make();
    bench_random r = {job->seed};
    puppet_worst all = {0};
    size_t failed = 0, beyond = 0;
    double begin = bench_cpu_ns();
    for (size_t i = 0; i < job->pairs; i++) {
        puppet_worst one = {0};
        bench_show(job->progress, "throws", i, job->pairs);
        failed += !throw_puppet(&parts, &r, &one);
        beyond += !(one.joint < 1e-3 && one.limit < 1.0 && one.depth < 1e-3);
        all.joint = fmax(all.joint, one.joint);
        all.limit = fmax(all.limit, one.limit);
        all.depth = fmax(all.depth, one.depth);
        all.speed = fmax(all.speed, one.speed);
    }
    double ms = (bench_cpu_ns() - begin) / 1e6 / (180.0 * (double)job->pairs);
    puppet_parts_free(&parts);
    fprintf(c->out, "\npuppet of %d bodies down %d stairs, %zu throws of 3 s, %d substeps\n",
            PUPPET_BODIES, STAIRS, job->pairs, throw_substeps);
    fprintf(c->out, "%.3g ms per frame, fastest limb %.3g m/s, %zu failed, %zu beyond a goal\n", ms,
            all.speed, failed, beyond);
    bench_goal(c->out, 44, "joints, distance over height", 1e-3, true, all.joint);
    bench_goal(c->out, 44, "limits passed by, degrees", 1.0, true, all.limit);
    bench_goal(c->out, 44, "depth over height", 1e-3, true, all.depth);
    bench_goal(c->out, 44, "throws that failed", 0.0, true, (double)failed);
}

int study_sim(cli *c, const bench_job *job) {
    print_motions(c, job);
    print_kept(c, job);
    print_throws(c, job);
    return CLI_OK;
}
