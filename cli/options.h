/**
 * @file options.h
 * @brief What all verbs with pair queries share: their options, and files of queries that failed.
 */
#ifndef OVOID_CLI_OPTIONS_H
#define OVOID_CLI_OPTIONS_H

#include <ovoid/io.h>
#include <ovoid/query.h>

#include "args.h"

/** A verb with pair queries puts PAIR_ARGS_OPTIONS first into its table of options. */
enum { PAIR_OPTION_TOLERANCE, PAIR_OPTION_DEPTH, PAIR_OPTION_FAILURES, PAIR_OPTION_COUNT };

#define PAIR_ARGS_OPTIONS                                                                          \
    {"--tolerance", 0, 1, "T", "width of the bounds, 1e-12 to 1e-3 of the bodies' size (1e-9)",    \
     NULL},                                                                                        \
        {"--depth",                                                                                \
         0,                                                                                        \
         1,                                                                                        \
         "WHICH",                                                                                  \
         "depth of an overlap: global (default), local or proven",                                 \
         "global local proven"},                                                                   \
    {                                                                                              \
        "--failures", 0, 1, "DIR", "write each query that is not solved to a file, for replay",    \
            "FILE"                                                                                 \
    }

int pair_args_read(cli *c, const args *a, ov_pair_options *options);
/** The number of threads of an option that was given: at most OV_THREADS_MAX. */
int pair_threads_read(cli *c, const args *a, size_t option, unsigned *threads);

/** The folder of --failures. */
typedef struct failures {
    const char *folder; /**< null: not asked for */
    size_t count;       /**< files written */
    bool full;          /**< no more are written */
    bool made;          /**< the folder is new */
} failures;

/** Makes the folder if it is not there. */
int failures_begin(cli *c, const args *a, failures *f);
/** Takes a new folder away again where nothing was written to it and the verb failed. */
void failures_end(const failures *f, int status);
/** Writes one query under a name in the folder; no more than a thousand of them. */
int failures_write(cli *c, failures *f, const char *name, const ov_replay *replay);

#endif
