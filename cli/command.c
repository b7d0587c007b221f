/**
 * @file command.c
 * @brief The `ovoid` command: its verbs, and cli_main, which other programs (the fuzz target) call
 * too.
 */
#include "cli.h"

static const cli_verb *const verbs[] = {
    &cli_verb_shape, &cli_verb_mesh,  &cli_verb_gallery, &cli_verb_pairs,  &cli_verb_contact,
    &cli_verb_check, &cli_verb_sweep, &cli_verb_convert, &cli_verb_replay,
};

static const cli_program program = {
    .name = "ovoid",
    .about = "Smooth bodies: superellipsoids, superovoids (tapered superellipsoids) and their kin; "
             "how\n"
             "far apart they are, where they touch, and whether that is certain.\n",
    .verbs = verbs,
    .verb_count = sizeof verbs / sizeof verbs[0],
    .rules =
        "Numbers are written so that they read back exactly. '-' is standard input or output.\n"
        "Exit status: 0 done, 1 a check failed, 2 bad input (told on standard error). A file "
        "takes\n"
        "its name when it is complete; until then, and on failure, an older one stays.\n",
};

int cli_main(int argc, char **argv, FILE *out, FILE *err) {
    return cli_run(&program, argc, argv, out, err);
}
