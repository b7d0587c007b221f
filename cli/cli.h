/**
 * @file cli.h
 * @brief What all verbs share: streams, exit statuses, messages, help, files.
 *
 * The command is a function of its arguments and two streams, so that it can be tested and fuzzed
 * inside another program. One file per verb; command.c has the table of verbs, program.c what any
 * such table does. A verb writes its result to `out`, or where -o says, and everything else, notes
 * and messages, to `err`.
 */
#ifndef OVOID_CLI_CLI_H
#define OVOID_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <ovoid/io.h>

#include "args.h"

#if defined(__GNUC__)
#define CLI_PRINTF(format_at, values_at) __attribute__((format(printf, format_at, values_at)))
#else
#define CLI_PRINTF(format_at, values_at)
#endif

/** Exit statuses. What could not be done at all (unreadable, unwritable) counts as bad input. */
enum { CLI_OK = 0, CLI_CHECK_FAILED = 1, CLI_BAD_INPUT = 2 };

/** A file that the command reads or writes: by its number, or by its path while it is not there. */
typedef struct cli_file {
    unsigned long long device, inode; /**< of a regular file that is there */
    bool there;
    char *path; /**< of an input as it was given, of an output without links */
} cli_file;

typedef struct cli_files {
    cli_file *files;
    size_t count, room;
} cli_files;

typedef struct cli_verb {
    const char *name;
    const char *summary;  /**< one line, for the list of verbs */
    const char *usage;    /**< what follows `ovoid NAME` */
    const char *details;  /**< paragraphs of the help, each line ended */
    const char *examples; /**< commands that run as they stand, a line each */
    const args_option *options;
    size_t option_count;
    bool takes_shape; /**< its words are a kind of shape and parameters */
    bool takes_files; /**< its words are names of files */
    int (*run)(cli *c, int argc, char **argv);
} cli_verb;

/** A text that the help of several verbs refers to: `ovoid help NAME`. */
typedef struct cli_topic {
    const char *name;
    const char *summary; /**< one line, for the list of topics */
    const char *text;    /**< each line ended; null: it is printed */
    void (*print)(FILE *out);
} cli_topic;

/** A program of verbs: `ovoid`, and `ovoid-bench`, which shares its ways with arguments and files.
 */
typedef struct cli_program {
    const char *name;  /**< as messages and help call it */
    const char *about; /**< what it is for, in its help; each line ended */
    const char *rules; /**< what holds for all verbs, likewise */
    const cli_verb *const *verbs;
    size_t verb_count;
    const cli_topic *topics; /**< null: none */
    size_t topic_count;
} cli_program;

struct cli {
    const cli_program *program;
    const cli_verb *verb; /**< the one that runs */
    FILE *out;
    FILE *err;
    cli_files inputs, outputs;
    bool out_taken; /**< standard output was named as a file, '-' */
};

/** The whole command; `argv[0]` is its own name. Returns the exit status. */
int cli_main(int argc, char **argv, FILE *out, FILE *err);
/** The same for any program of verbs. */
int cli_run(const cli_program *program, int argc, char **argv, FILE *out, FILE *err);
/** What `main` does first: closed streams are held, and a signal leaves no file half written. */
void cli_begin(void);

/**
 * Prints `ovoid: WHAT: message` (or another program's name) as one line, control characters made
 * visible. Returns CLI_BAD_INPUT, so that a verb can say `return cli_error(…)`.
 */
int cli_error(cli *c, const char *what, const char *format, ...) CLI_PRINTF(3, 4);

/** Prints `ovoid: WHAT: note: message` in the same way: what is odd but usable, and counts. */
void cli_note(cli *c, const char *what, const char *format, ...) CLI_PRINTF(3, 4);

/** The nearest of `count` words to a misspelt one, or null where none is near. */
const char *cli_nearest(const char *word, const char *const *words, size_t count);

/** An array with room for twice as many elements, or a few; null for want of memory, and the array
 *  then stays as it was. */
void *cli_more_room(void *items, size_t *room, size_t size);

/* ---- files (files.c): nothing that is read is lost, and no two outputs are one file */

/** What a file holds, by its contents; OV_FILE_KIND_COUNT where it cannot be looked into or is
 * empty.
 *  "-" is standard input, of which only XML can be told. */
ov_file_kind cli_kind_of(const char *path);
/**
 * Refuses a file that is known to hold something else than `wanted`, a sum of bits 1 << kind, with
 * a message that names both; `expected` names what is wanted. CLI_OK for XML, JSON and other texts
 * of no known kind: the reader says more about that.
 */
int cli_expect_option(cli *c, const char *path, unsigned wanted, const char *expected);
/** The same for the file that a verb is about; the message also names the verb that takes it. */
int cli_expect(cli *c, const char *path, unsigned wanted, const char *expected);

/** What messages call an input: `-` is standard input. */
const char *cli_input_name(const char *path);

/** Opens a file to read; "-" is standard input. Null after a message. `*path` becomes its name. */
FILE *cli_open_input(cli *c, const char **path);
/** Prints what is wrong with a file: `ovoid: FILE:LINE: …`. Returns CLI_BAD_INPUT. */
int cli_file_error(cli *c, const char *path, const ov_fault *error);
/** Notes a file that others open; "-" is standard input. CLI_BAD_INPUT after a message where an
 *  output, or standard output, goes to it. */
int cli_note_input(cli *c, const char *path);
/** The same for the files of meshes that a robot's file names, loaded or not. */
int cli_note_robot(cli *c, const ov_robot *robot);

/** A file that is written, as ov_file_out_open does it. All zero: none. */
typedef struct cli_output {
    const char *path;
    FILE *stream; /**< null: none */
    ov_file_out *file;
} cli_output;

/** Refuses a file to write that is an input, another output or standard output. `in_place`: the one
 *  input, as it was given, that may be replaced by what it becomes; or null. */
int cli_check_output(cli *c, const char *path, const char *in_place);
/** Begins a file, if cli_check_output has nothing against it; "-" is standard output. */
int cli_open_output(cli *c, const char *path, const char *in_place, cli_output *out);
/** Brings what was written to the disk: of files that are to be there together, each before the
 *  first takes its name. Returns the status, or CLI_BAD_INPUT after a message. */
int cli_finish_output(cli *c, cli_output *out, int status);
/** Prints a text where -o says, or to standard output. */
int cli_print(cli *c, const args *a, const char *text);
/** Ends it. Where `status` is CLI_BAD_INPUT an older file stays; else the file takes its name, with
 *  a message if it could not be written completely. Returns the status. */
int cli_close_output(cli *c, cli_output *out, int status);
/** Says that a file could not be written, and by errno why. Returns CLI_BAD_INPUT. */
int cli_write_error(cli *c, const char *path);
/** Forgets all files. */
void cli_forget_files(cli *c);

extern const cli_verb cli_verb_shape;
extern const cli_verb cli_verb_mesh;
extern const cli_verb cli_verb_fit;
extern const cli_verb cli_verb_gallery;
extern const cli_verb cli_verb_pairs;
extern const cli_verb cli_verb_contact;
extern const cli_verb cli_verb_check;
extern const cli_verb cli_verb_sweep;
extern const cli_verb cli_verb_convert;
extern const cli_verb cli_verb_replay;
extern const cli_verb cli_verb_touch;
extern const cli_verb cli_verb_simulate;
extern const cli_verb cli_verb_studio;

#endif
