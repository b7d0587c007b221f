/**
 * @file options.h
 * @brief Options that several verbs share: each is defined once, and means the same everywhere.
 *
 * A verb puts the definitions that it takes into its table of options; what reads them finds them
 * there by their names.
 */
#ifndef OVOID_CLI_OPTIONS_H
#define OVOID_CLI_OPTIONS_H

#include <ovoid/io.h>
#include <ovoid/query.h>

#include "cli.h"

/* ---- definitions -------------------------------------------------------------------------------
 * Where the default differs, it is an argument: a text. */

// clang-format off
#define SHARED_TOLERANCE \
    {"--tolerance", 0, 1, "T", "width of the bounds, 1e-12 to 1e-3 of the bodies' size (1e-9)", NULL}
#define SHARED_DEPTH(usual) \
    {"--depth", 0, 1, "WHICH", "depth of an overlap: global, local or proven (" usual ")", \
     "global local proven"}
#define SHARED_FAILURES \
    {"--failures", 0, 1, "DIR", "save each query that is not solved, for 'ovoid replay'", "FILE"}
#define SHARED_THREADS \
    {"--threads", 0, 1, "N", "threads; 0: as many as the machine has (1)", NULL}
#define SHARED_LIMIT(usual) \
    {"--limit", 0, 1, "D", "report pairs up to this length apart (" usual ")", NULL}

#define SHARED_OUTPUT \
    {"--output", 'o', 1, "FILE", "write to FILE ('-', the default: standard output)", "FILE"}
#define SHARED_CSV {"--csv", 0, 0, "", "print CSV instead of a table", NULL}
#define SHARED_JSON {"--json", 0, 0, "", "print JSON instead of a table", NULL}
#define SHARED_WIDE {"--wide", 0, 0, "", "a table with all columns and all digits", NULL}
#define SHARED_SVG(what) {"--svg", 0, 1, "FILE", "also draw " what, "FILE"}

#define SHARED_JOINTS \
    {"--joints", 0, 1, "FILE|A=V,..", "for robots: pose or poses ('ovoid help joints')", "FILE"}
#define SHARED_OBSTACLES \
    {"--obstacles", 0, 1, "SCENE", "for robots: bodies that they must not touch", "FILE"}
#define SHARED_ALLOW {"--allow", 0, 1, "A,B[:C,D]", "pairs, by name, that may touch", NULL}
#define SHARED_HULLS \
    {"--hulls", 0, 0, "", "for robots: use the convex hulls of meshes", NULL}
#define SHARED_PACKAGE \
    {"--package", 0, 1, "DIR[:DIR]", "for robots: where to look for package:// names", "FILE"}
// clang-format on

/* ---- queries --------------------------------------------------------------------------------- */

/** --tolerance and --depth, where they are given; `options` holds the defaults. */
int options_read_pair(cli *c, const args *a, ov_pair_options *options);
/** --threads, at most OV_THREADS_MAX; 1 where it is not given. */
int options_read_threads(cli *c, const args *a, unsigned *threads);
/** --limit, where it is given. */
int options_read_limit(cli *c, const args *a, double *limit);

/* ---- what is printed: --csv, --json, --wide, -o and --svg ------------------------------------ */

typedef enum report_format { REPORT_TABLE, REPORT_CSV, REPORT_JSON } report_format;

/** Where a verb writes to. All zero: nothing yet. */
typedef struct report {
    report_format format;
    bool wide;
    const char *path, *svg_path; /**< null: standard output; no picture */
    cli_output out;              /**< its stream is null where only a picture goes out */
    cli_output svg;              /**< its stream is null without a picture */
} report;

int report_read(cli *c, const args *a, report *r);
/** Opens the files, before the long work begins. To be closed in any case. */
int report_open(cli *c, report *r);
/** Ends both files together: neither takes its name where one of them fails. Returns the status. */
int report_close(cli *c, report *r, int status);

/* ---- saved queries: --failures --------------------------------------------------------------- */

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
