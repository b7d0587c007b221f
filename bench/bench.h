/**
 * @file bench.h
 * @brief The verbs of `ovoid-bench`, and what they share.
 */
#ifndef OVOID_BENCH_BENCH_H
#define OVOID_BENCH_BENCH_H

#include "cli.h"
#include "timing.h"

extern const cli_verb bench_verb_schemes;
extern const cli_verb bench_verb_pairs;

/** Says that the program was built without the published schemes. Returns CLI_BAD_INPUT. */
int bench_no_schemes(cli *c, const char *what);

#endif
