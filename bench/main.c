/**
 * @file main.c
 * @brief `ovoid-bench`: a verb for each study of this folder, and how their options become a job.
 */
#include <stdint.h>
#include <string.h>

#include "bench.h"

/* ---- options */

#define CSV_OPTION                                                                                 \
    { "--csv", 0, 1, "FILE", "the figures as CSV too; bench/plots draws some", "FILE" }
#define SEED_OPTION                                                                                \
    { "--seed", 0, 1, "S", "seed of the random numbers (1)", NULL }
#define PAIRS_OPTION                                                                               \
    { "--pairs", 0, 1, "N", "so many pairs or motions", NULL }
#define ALONE_OPTION                                                                               \
    { "--alone", 0, 0, "", "without the other libraries", NULL }

static const args_option csv_options[] = {CSV_OPTION};
static const args_option pair_options[] = {CSV_OPTION, SEED_OPTION, PAIRS_OPTION};
static const args_option peer_options[] = {CSV_OPTION, SEED_OPTION, PAIRS_OPTION, ALONE_OPTION};
static const args_option battery_options[] = {CSV_OPTION,
                                              SEED_OPTION,
                                              PAIRS_OPTION,
                                              ALONE_OPTION,
                                              {"--only", 0, 1, "TABLE",
                                               "this table only: superovoids, ellipsoids or kinds",
                                               "superovoids ellipsoids kinds"}};
static const args_option world_options[] = {
    CSV_OPTION,
    SEED_OPTION,
    {"--bodies", 0, 1, "N", "up to so many bodies (1000000)", NULL},
    ALONE_OPTION};
static const args_option pile_options[] = {
    CSV_OPTION,
    SEED_OPTION,
    {"--bodies", 0, 1, "N", "piles of up to so many bodies (10000)", NULL},
    {"--only", 0, 1, "KIND", "these bodies only: ellipsoids, superellipsoids or superovoids",
     "ellipsoids superellipsoids superovoids"},
    ALONE_OPTION};
static const args_option fit_options[] = {CSV_OPTION, SEED_OPTION};
static const args_option single_fits_options[] = {
    CSV_OPTION,
    SEED_OPTION,
    {"--pairs", 0, 1, "N", "so many random bodies of each kind (200)", NULL},
    {"--only", 0, 1, "TABLE", "this table only: parts, outliers or known", "parts outliers known"}};
static const args_option robots_options[] = {CSV_OPTION, SEED_OPTION, ALONE_OPTION};
static const args_option dental_options[] = {CSV_OPTION, ALONE_OPTION};
static const args_option icub_options[] = {
    CSV_OPTION,
    ALONE_OPTION,
    {"--frames", 0, 1, "N", "so many frames of the movement (as many as it has)", NULL},
    {"--data", 0, 1, "FOLDER", "the folder of the bundled data (data)", "FILE"},
    {"--queries", 0, 1, "FILE", "every query as CSV too, time and gap", "FILE"},
};

static const args_option cloth_options[] = {
    CSV_OPTION,
    ALONE_OPTION,
    {"--frames", 0, 1, "N", "so many frames of 1/60 s (300)", NULL},
};

static const args_option segments_options[] = {
    CSV_OPTION,
    {"--svg", 0, 1, "FILE", "pictures of the parts and fields too", "FILE"},
};

static const args_option touch_options[] = {
    CSV_OPTION,
    SEED_OPTION,
    ALONE_OPTION,
    {"--pairs", 0, 1, "N", "so many poses of the probe (1000)", NULL},
    {"--points", 0, 1, "N", "so many random points for errors and bounds (1000000)", NULL},
};

enum { PAIRS_MAX = 1000000, FRAMES_MAX = 10000, BODIES_MIN = 1000, BODIES_MAX = 1000000 };

/** A verb that measures. */
typedef struct study {
    cli_verb verb; /**< first: where the verb is, there is the study */
    bench_study run;
    size_t pairs; /**< where --pairs is not given; 0: it draws none */
    bool peers;   /**< measures the other libraries too */
    bool files;   /**< takes files */
} study;

/** A number within limits, where the option is given. */
static int read_number(cli *c, const args *a, const char *option, size_t least, size_t most,
                       size_t *number) {
    if (!args_given(a, option)) {
        return CLI_OK;
    }
    int status = args_count(c, a, option, number);
    if (status == CLI_OK && (*number < least || *number > most)) {
        status = cli_error(c, a->verb, "%s = %s: must be %zu to %zu", option, args_text(a, option),
                           least, most);
    }
    return status;
}

/** What the job is. Options that the study does not have are not given. */
static int read_job(cli *c, const args *a, const study *which, bench_job *job) {
    *job = (bench_job){.pairs = which->pairs, .seed = 1, .bodies = BODIES_MAX, .data = "data"};
    job->data = args_given(a, "--data") ? args_text(a, "--data") : job->data;
    job->only = args_text(a, "--only");
    size_t choice = 0;
    int status = args_given(a, "--only") ? args_choice(c, a, "--only", &choice) : CLI_OK;
    status = status == CLI_OK ? read_number(c, a, "--frames", 2, FRAMES_MAX, &job->frames) : status;
    status = status == CLI_OK ? read_number(c, a, "--pairs", 1, PAIRS_MAX, &job->pairs) : status;
    status = status == CLI_OK ? read_number(c, a, "--bodies", BODIES_MIN, BODIES_MAX, &job->bodies)
                              : status;
    status =
        status == CLI_OK ? read_number(c, a, "--points", 100, PAIRS_MAX, &job->points) : status;
    return status == CLI_OK ? read_number(c, a, "--seed", 0, SIZE_MAX, &job->seed) : status;
}

/** Opens a file that an option asks for, before the long work begins. */
static int open_file(cli *c, const args *a, const char *option, cli_output *file) {
    const char *path = args_text(a, option);
    *file = (cli_output){.stream = NULL};
    if (path == NULL) {
        return CLI_OK;
    }
    return strcmp(path, "-") == 0
               ? cli_error(c, a->verb, "%s = -: the table goes to standard output", option)
               : cli_open_output(c, path, NULL, file);
}

static void show(void *user, const char *what, size_t done, size_t all) {
    progress *p = user;
    p->what = what;
    progress_update(p, (double)done, all > 0 ? (double)done / (double)all : 1.0);
}

/** Runs a study with its files open. */
static int run_job(cli *c, const study *which, bench_job *job, bool with_peers) {
    progress bar = progress_make(c->err, "pairs");
    const bench_progress watch = {show, &bar};
    bench_peers peers = {.count = 0};
    if (with_peers) {
        bench_peers_list(&peers);
    }
    job->progress = &watch;
    job->peers = &peers;
    int status = which->run(c, job);
    progress_end(&bar);
    // bad input is told in one line, and nothing else
    if (with_peers && peers.count == 0 && status != CLI_BAD_INPUT) {
        fprintf(c->err, "%s\n", bench_peers_missing);
    }
    return status;
}

static int run(cli *c, int argc, char **argv) {
    const cli_verb *verb = c->verb;
    const study *which = (const study *)verb;
    args a;
    bench_job job;
    int status = args_parse(c, verb->name, verb->options, verb->option_count, argc, argv, &a);
    if (status != CLI_OK) {
        return status;
    }
    if (a.word_count > 0 && !which->files) {
        return cli_error(c, verb->name, "%s: takes no words, only options", a.words[0]);
    }
    status = read_job(c, &a, which, &job);
    if (status != CLI_OK) {
        return status;
    }
    job.files = a.words;
    job.file_count = (size_t)a.word_count;
    cli_output csv, queries = {.stream = NULL}, svg = {.stream = NULL};
    status = open_file(c, &a, "--csv", &csv);
    status = status == CLI_OK ? open_file(c, &a, "--queries", &queries) : status;
    status = status == CLI_OK ? open_file(c, &a, "--svg", &svg) : status;
    if (status == CLI_OK) {
        job.csv = csv.stream;
        job.queries = queries.stream;
        job.svg = svg.stream;
        status = run_job(c, which, &job, which->peers && !args_given(&a, "--alone"));
    }
    status = cli_finish_output(c, &csv, status);
    status = cli_finish_output(c, &queries, status);
    status = cli_finish_output(c, &svg, status);
    status = cli_close_output(c, &csv, status);
    status = cli_close_output(c, &queries, status);
    return cli_close_output(c, &svg, status);
}

/* ---- the verbs */

#define OPTIONS(table) .options = table, .option_count = sizeof table / sizeof table[0], .run = run

static const study battery = {
    .verb =
        {.name = "battery",
         .summary = "pair queries, beside FCL, libccd, Bullet and ODE",
         .usage = "[options]",
         .details =
             "Random pairs of superovoids [Benchmark, 5.1] and of ellipsoids (10000 of each),\n"
             "with errors against a long-double reference. Then every kind of pair (1024 of\n"
             "each at most) separated, overlapping and within 1e-3 of touching, with errors\n"
             "against proven bounds, and the project's goals. Ovoid cold, warm, in batches and\n"
             "yes or no beside FCL, libccd, Bullet and ODE, which take part where libfcl-dev,\n"
             "libccd-dev, libbullet-dev and libode-dev were there at build time. Takes\n"
             "minutes.\n",
         .examples = "  ovoid-bench battery --pairs 500 --csv battery.csv\n"
                     "  ovoid-bench battery --only kinds\n",
         OPTIONS(battery_options)},
    .run = study_battery,
    .peers = true,
    .pairs = 10000,
};

static const study accuracy = {
    .verb = {.name = "accuracy",
             .summary = "the error of meshes against their number of vertices",
             .usage = "[options]",
             .details =
                 "The error of meshes against their number of vertices, beside the published\n"
                 "schemes and Ovoid [Benchmark, 6.2, Fig. 9] (20 pairs).\n",
             .examples = "  ovoid-bench accuracy --csv accuracy.csv\n",
             OPTIONS(peer_options)},
    .run = study_accuracy,
    .peers = true,
    .pairs = 20,
};

static const study battery_of_schemes = {
    .verb = {.name = "battery-schemes",
             .summary = "the published schemes on the battery",
             .usage = "[options]",
             .details =
                 "The published schemes on the battery [Benchmark, Tables 1 to 3]: time,\n"
                 "iterations, failures, error; Ovoid last (10000 pairs). Takes minutes. Schemes\n"
                 "whose library was missing are left out: 'ovoid-bench schemes' tells.\n",
             .examples = "  ovoid-bench battery-schemes --pairs 300 --csv schemes.csv\n",
             OPTIONS(peer_options)},
    .run = study_schemes,
    .peers = true,
    .pairs = 10000,
};

static const study portal = {
    .verb = {.name = "portal",
             .summary = "the cases of [Portal] by all constraint sets",
             .usage = "[options]",
             .details = "The cases of [Portal, Tables 2 to 5], all constraint sets.\n",
             .examples = "  ovoid-bench portal --csv portal.csv\n",
             OPTIONS(csv_options)},
    .run = study_portal,
};

static const study convergence = {
    .verb = {.name = "convergence",
             .summary = "iterations of the schemes over exponents and distance",
             .usage = "[options]",
             .details = "Iterations of the schemes over exponents and distance, as maps (20 pairs\n"
                        "per cell).\n",
             .examples = "  ovoid-bench convergence --pairs 2 --csv convergence.csv\n",
             OPTIONS(pair_options)},
    .run = study_convergence,
    .pairs = 20,
};

static const study icub = {
    .verb =
        {.name = "icub",
         .summary = "two robot hands that move through each other",
         .usage = "[options]",
         .details =
             "Two robot hands that move through each other [Benchmark, Table 4]: FCL on meshes,\n"
             "the published schemes, Ovoid cold and with coherence.\n",
         .examples = "  ovoid-bench icub --frames 61 --csv icub.csv --queries queries.csv\n",
         OPTIONS(icub_options)},
    .run = study_icub,
    .peers = true,
};

static const study dental = {
    .verb = {.name = "dental",
             .summary = "two molars in a bite",
             .usage = "[options]",
             .details =
                 "Two molars in a bite of 181 frames [Benchmark, Figs 13 and 14]: time and gap of\n"
                 "each frame by FCL on meshes, by quadImplicit and by Ovoid.\n",
             .examples = "  ovoid-bench dental --csv dental.csv\n",
             OPTIONS(dental_options)},
    .run = study_dental,
    .peers = true,
};

static const study world = {
    .verb = {.name = "world",
             .summary = "packings of up to a million moving bodies",
             .usage = "[options]",
             .details =
                 "Packings of 1000 to 1000000 superovoids in motion: time and memory per body,\n"
                 "broad and narrow phase, threads; beside FCL's and Bullet's trees.\n",
             .examples = "  ovoid-bench world --bodies 10000 --csv world.csv\n",
             OPTIONS(world_options)},
    .run = study_world,
    .peers = true,
};

static const study pile = {
    .verb = {.name = "pile",
             .summary = "bodies poured into a box, until they rest",
             .usage = "[options]",
             .details =
                 "Piles of 1000 and 10000 ellipsoids, superellipsoids and superovoids: time per\n"
                 "frame, exact depths, and how still they lie; beside Bullet and ODE with hulls.\n",
             .examples = "  ovoid-bench pile --bodies 1000 --csv pile.csv\n",
             OPTIONS(pile_options)},
    .run = study_pile,
    .peers = true,
};

static const study motion = {
    .verb =
        {.name = "motion",
         .summary = "proofs that motions are free, and first contacts",
         .usage = "[options]",
         .details =
             "Proofs that motions are free, and first contacts [Toleranced, 7]: squares, FCL's\n"
             "continuous collision, superovoids, an arm (200 motions of a kind).\n",
         .examples = "  ovoid-bench motion --pairs 10 --csv motion.csv\n",
         OPTIONS(peer_options)},
    .run = study_motion,
    .peers = true,
    .pairs = 200,
};

static const study shape = {
    .verb = {.name = "shape",
             .summary = "the cost of support and gauge, in calls of pow()",
             .usage = "",
             .details =
                 "Nanoseconds of the basic evaluations of a shape, beside those of a pow() that\n"
                 "waits for its argument; worst error against long double; hash of the results.\n",
             .examples = "  ovoid-bench shape\n",
             .run = run},
    .run = study_shape,
};

static const study self_check = {
    .verb =
        {.name = "self-check",
         .summary = "a robot of 40 parts against itself",
         .usage = "",
         .details =
             "Poses per second of a full self-collision check of a humanoid of 30 links and 40\n"
             "parts, forward kinematics included, and what each layer of the check did.\n",
         .examples = "  ovoid-bench self-check\n",
         .run = run},
    .run = study_self_check,
};

static const study robots = {
    .verb =
        {.name = "robots",
         .summary = "real robots against themselves and obstacles, beside FCL",
         .usage = "FILE.urdf... [options]",
         .details =
             "Is anything in contact, yes or no: robots of boxes, cylinders and convex hulls of\n"
             "their collision meshes, alone and among 12 obstacles, at random poses and along a\n"
             "smooth motion; microseconds of a pose by Ovoid and by FCL. scripts/fetch-robots\n"
             "unpacks some robots of Debian.\n",
         .examples = "  ovoid-bench robots arm.urdf humanoid.urdf --csv robots.csv\n",
         OPTIONS(robots_options)},
    .run = study_robots,
    .peers = true,
    .files = true,
};

static const study touch = {
    .verb =
        {.name = "touch",
         .summary = "a mesh touched by another: maps, layers, FCL, beside [SQMap, Table 1]",
         .usage = "PROBE MESH... [options]",
         .details =
             "The first mesh, subdivided once, against all of them, pressed in by up to 1 % of\n"
             "their size: memory, precomputation, errors, wrong signs and rates of the published\n"
             "layers 1 to 3, of Ovoid's map and exactly, of a dense field and of FCL. The true\n"
             "distances are searched for over all triangles, by code that shares nothing with\n"
             "the library, and each must be within the bounds. scripts/fetch-meshes unpacks a\n"
             "hand, an elephant, a camel, a bull and a cow of Debian. Takes minutes.\n",
         .examples = "  ovoid-bench touch meshes/hand.off meshes/cow.off --csv touch.csv\n",
         OPTIONS(touch_options)},
    .run = study_touch,
    .peers = true,
    .files = true,
    .pairs = 1000,
};

static const study robot_fits = {
    .verb =
        {.name = "robot-fits",
         .summary = "robots of fitted bodies beside their meshes, and beside FCL",
         .usage = "ROBOT.urdf FIT.urdf... [options]",
         .details =
             "Two files for each robot: with its meshes, and with the bodies that 'ovoid fit' "
             "made\n"
             "of them. Is anything in contact, yes or no, at the same poses and without the same\n"
             "pairs of links: microseconds of a pose as bodies, as meshes, and as meshes by FCL;\n"
             "what the layers of the check did; poses that the bodies miss, of which there are\n"
             "none. Then the same for the question which pairs are up to 0.05 m apart, and how\n"
             "far.\n",
         .examples = "  ovoid fit arm.urdf --parts 2 -o fit.urdf\n"
                     "  ovoid-bench robot-fits arm.urdf fit.urdf\n",
         OPTIONS(robots_options)},
    .run = study_robot_fits,
    .peers = true,
    .files = true,
};

static const study segments = {
    .verb =
        {.name = "segments",
         .summary = "meshes decomposed as in [SQMap], beside its Table 1",
         .usage = "[MESH...] [options]",
         .details =
             "The published decomposition [SQMap, 3] of meshes and of a torus: salient triangles,\n"
             "cuts by boundary strength and by curvature, parts beside Table 1 for models of\n"
             "that name, time, and how far off the protrusions can be. The picture shows parts\n"
             "from two sides, protrusion, curvature and locales. Debian's libcgal-demo has a\n"
             "hand, an elephant and a camel.\n",
         .examples = "  ovoid-bench segments hand.off elephant.off --svg segments.svg\n",
         OPTIONS(segments_options)},
    .run = study_segments,
    .files = true,
};

static const study fit = {
    .verb =
        {.name = "fit",
         .summary = "meshes as smooth parts, beside convex decomposition",
         .usage = "FILE... [options]",
         .details =
             "Parts that enclose a mesh, with their proof checked again, and parts that\n"
             "approximate it; excess volume and overlap beside the figures of V-HACD and of\n"
             "Marching-Primitives. scripts/fetch-meshes unpacks the meshes of Debian that these\n"
             "are known for. Takes minutes.\n",
         .examples = "  ovoid-bench fit meshes/hand.off meshes/cow.off --csv fit.csv\n",
         OPTIONS(fit_options)},
    .run = study_fit,
    .files = true,
};

static const study single_fits = {
    .verb =
        {.name = "single-fits",
         .summary = "one body each for parts of meshes, clouds with outliers, known bodies",
         .usage = "[MESH...] [options]",
         .details =
             "Meshes are cut by the published decomposition, and each part gets one body: mean\n"
             "distance of the part's points from it over the part's size, beside EMS on a hand\n"
             "and an elephant (scripts/fetch-meshes). Then clouds of random bodies with noise and\n"
             "30 % outliers, against the true surface; and bodies of all exponents and tapers by\n"
             "points of their surface, whose numbers have to be found to 1e-8 (200 of each kind).\n"
             "Some of the distances are also searched for by code that shares nothing with the\n"
             "library.\n",
         .examples = "  ovoid-bench single-fits hand.off elephant.off --pairs 1000\n",
         OPTIONS(single_fits_options)},
    .run = study_single_fits,
    .files = true,
    .pairs = 200,
};

static const study cloth = {
    .verb = {.name = "cloth",
             .summary = "cloth falls over bodies and comes to rest, beside Bullet",
             .usage = "[options]",
             .details =
                 "Cloth of 441 to 10201 vertices over 1 to 100 bodies half in the ground [Thesis,\n"
                 "6.1]: time of a frame, strain and the deepest point of any triangle, by the\n"
                 "certified query, beside Bullet's soft body; contact by vertices and by the\n"
                 "published forces; a folding cloth that must not cross itself; the goals. Takes\n"
                 "minutes; --frames shortens it (300 frames of 1/60 s).\n",
             .examples = "  ovoid-bench cloth --csv cloth.csv\n",
             OPTIONS(cloth_options)},
    .run = study_cloth,
    .peers = true,
};

static const study sim = {
    .verb =
        {.name = "sim",
         .summary = "bodies and joints in motion against formulas, a puppet on stairs",
         .usage = "[options]",
         .details =
             "Pendulums, a top, tumbling and rolling against their formulas, with the order of\n"
             "the error in the step; then a puppet of 15 bodies thrown down stairs (1000\n"
             "times): how far joints part, limits are passed and limbs sink in. Takes half an\n"
             "hour, or a minute with --pairs 20.\n",
         .examples = "  ovoid-bench sim --pairs 20 --csv sim.csv\n",
         OPTIONS(pair_options)},
    .run = study_sim,
    .pairs = 1000,
};

static const cli_verb *const verbs[] = {
    &battery.verb,     &accuracy.verb,    &battery_of_schemes.verb,
    &portal.verb,      &convergence.verb, &icub.verb,
    &dental.verb,      &world.verb,       &motion.verb,
    &shape.verb,       &self_check.verb,  &robots.verb,
    &robot_fits.verb,  &sim.verb,         &segments.verb,
    &fit.verb,         &single_fits.verb, &cloth.verb,
    &touch.verb,       &pile.verb,        &bench_verb_schemes,
    &bench_verb_pairs,
};

static const cli_program program = {
    .name = "ovoid-bench",
    .about =
        "Ovoid measured: time and error beside other libraries and the published schemes, and\n"
        "the studies of the papers.\n",
    .verbs = verbs,
    .verb_count = sizeof verbs / sizeof verbs[0],
    .rules = "Tables go to standard output, their figures to a file with --csv. Exit status: 0\n"
             "done, 2 bad input (told on standard error); to be slow is no failure.\n",
};

int main(int argc, char **argv) {
    cli_begin();
    return cli_run(&program, argc, argv, stdout, stderr);
}
