/**
 * @file cli.h
 * @brief What all verbs of the `ovoid` command share: streams, exit statuses, messages, help.
 *
 * The command is a function of its arguments and two streams, so that it can be tested and fuzzed
 * inside another program. One file a verb; command.c has the table of verbs. A verb writes its
 * result to `out` and everything else, counts and messages, to `err`.
 */
#ifndef OVOID_CLI_CLI_H
#define OVOID_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "args.h"

#if defined(__GNUC__)
#define CLI_PRINTF(format_at, values_at) __attribute__((format(printf, format_at, values_at)))
#else
#define CLI_PRINTF(format_at, values_at)
#endif

/** Exit statuses. What could not be done at all (unreadable, unwritable) counts as bad input. */
enum { CLI_OK = 0, CLI_CHECK_FAILED = 1, CLI_BAD_INPUT = 2 };

struct cli {
    FILE *out;
    FILE *err;
};

typedef struct cli_verb {
    const char *name;
    const char *summary;  /**< one line, for the list of verbs */
    const char *usage;    /**< what follows `ovoid NAME` */
    const char *details;  /**< paragraphs of the help, each line ended */
    const char *examples; /**< commands that run as they stand, a line each */
    const args_option *options;
    size_t option_count;
    bool takes_shape;  /**< its words are a kind of shape and parameters */
    bool takes_files;  /**< its words are names of files */
    const char *words; /**< its first word is one of these; null: it is not */
    int (*run)(cli *c, int argc, char **argv);
} cli_verb;

/** The whole command; `argv[0]` is its own name. Returns the exit status. */
int cli_main(int argc, char **argv, FILE *out, FILE *err);

/**
 * Prints `ovoid: WHAT: message` as one line, control characters made visible.
 * Returns CLI_BAD_INPUT, so that a verb can say `return cli_error(…)`.
 */
int cli_error(cli *c, const char *what, const char *format, ...) CLI_PRINTF(3, 4);

/** The nearest of `count` words to a misspelt one, or null where none is near. */
const char *cli_nearest(const char *word, const char *const *words, size_t count);

/** Says that the command was built without the published schemes. Returns CLI_BAD_INPUT. */
int cli_no_schemes(cli *c, const char *what);

/** An array with room for twice as many elements, or a few; null for want of memory, and the array
 *  then stays as it was. */
void *cli_more_room(void *items, size_t *room, size_t size);

/** Opens a file to write; "-" is standard output. Null after a message. */
FILE *cli_open_output(cli *c, const char *path);
/** Ends what cli_open_output began, with a message where not everything could be written. */
int cli_close_output(cli *c, FILE *file, const char *path);

extern const cli_verb cli_verb_shape;
extern const cli_verb cli_verb_mesh;
extern const cli_verb cli_verb_gallery;
extern const cli_verb cli_verb_pairs;
extern const cli_verb cli_verb_contact;
extern const cli_verb cli_verb_check;
extern const cli_verb cli_verb_sweep;
extern const cli_verb cli_verb_convert;
extern const cli_verb cli_verb_replay;
extern const cli_verb cli_verb_schemes;
extern const cli_verb cli_verb_bench;

#endif
