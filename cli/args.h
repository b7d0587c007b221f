/**
 * @file args.h
 * @brief Arguments of a verb: options in any position, words, numbers.
 *
 * An option is `--name value…`, `--name=value` or, where it has a letter, `-o value`. `--` ends the
 * options. A word that reads as a number is never an option, so negative numbers need no care.
 * Nothing is copied: results point into `argv`, whose words are moved to its front.
 */
#ifndef OVOID_CLI_ARGS_H
#define OVOID_CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>

enum { ARGS_MAX_OPTIONS = 32, ARGS_MAX_VALUES = 3 };

typedef struct cli cli;

typedef struct args_option {
    const char *name;  /**< with its dashes: "--vertices" */
    char letter;       /**< 'o' for -o, or 0 */
    int values;        /**< how many words follow: 0 … ARGS_MAX_VALUES */
    const char *takes; /**< the values in the help: "N" */
    const char *help;  /**< one line */
    const char *words; /**< allowed words, for completion; null: free, "FILE": a file name */
} args_option;

typedef struct args {
    const char *verb;
    const args_option *options;
    size_t option_count;
    int word_count;
    char **words;
    struct {
        bool given;
        const char *text[ARGS_MAX_VALUES];
    } values[ARGS_MAX_OPTIONS]; /**< in the order of `options` */
} args;

/** Returns CLI_OK, or CLI_BAD_INPUT after a message. An option given twice is an error. */
int args_parse(cli *c, const char *verb, const args_option *options, size_t option_count, int argc,
               char **argv, args *out);

/* Options are asked for by their names, with the dashes. */

/** Was an option given? No, where the verb does not have it. */
bool args_given(const args *a, const char *name);
/** The first value of an option, or null where it is not given. */
const char *args_text(const args *a, const char *name);
/** All its values. */
const char *const *args_texts(const args *a, const char *name);

/** The whole text as a number, decimal or hexadecimal; infinities and NaN are numbers here. */
bool args_read_number(const char *text, double *value);

/** The number of an option that was given. CLI_BAD_INPUT after a message where it is none. */
int args_number(cli *c, const args *a, const char *name, double *value);
/** The three numbers of an option that was given (or as many as it has). */
int args_numbers(cli *c, const args *a, const char *name, double *values);
/** The length of an option that was given: a number that is finite and not negative. */
int args_length(cli *c, const args *a, const char *name, double *value);
/** The whole number >= 0 of an option that was given. */
int args_count(cli *c, const args *a, const char *name, size_t *value);
/** Which of the option's `words` was given. */
int args_choice(cli *c, const args *a, const char *name, size_t *choice);

/** A copy of a text, cut at each of a character. One block, to be freed; null for want of memory.
 */
char **args_cut(const char *text, char at, size_t *count);

#endif
