/**
 * @file args.c
 * @brief Reads the arguments of a verb.
 *
 * Written for this command rather than taken from getopt_long, which permutes differently from one
 * C library to the next, takes negative numbers for options, knows no options of three values, and
 * prints its messages itself.
 */
#include "args.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

bool args_read_number(const char *text, double *value) {
    // strtod would skip leading blanks: "the whole text" means without them too
    if (text[0] == '\0' || isspace((unsigned char)text[0])) {
        return false;
    }
    char *end;
    *value = strtod(text, &end);
    return *end == '\0';
}

static bool looks_like_option(const char *text) {
    double ignored;
    return text[0] == '-' && text[1] != '\0' && !args_read_number(text, &ignored);
}

/** Finds `text` among the options; `attached` is what follows "=", or null. */
static const args_option *find_option(const args_option *options, size_t count, const char *text,
                                      const char **attached) {
    *attached = NULL;
    for (size_t i = 0; i < count; i++) {
        const args_option *o = &options[i];
        if (text[1] != '-') {
            if (o->letter != 0 && text[1] == o->letter && text[2] == '\0') {
                return o;
            }
            continue;
        }
        size_t length = strlen(o->name);
        if (strncmp(text, o->name, length) == 0 && (text[length] == '\0' || text[length] == '=')) {
            *attached = text[length] == '=' ? text + length + 1 : NULL;
            return o;
        }
    }
    return NULL;
}

static int unknown_option(cli *c, const char *verb, const args_option *options, size_t count,
                          const char *text) {
    const char *names[ARGS_MAX_OPTIONS];
    for (size_t i = 0; i < count; i++) {
        names[i] = options[i].name + 2;
    }
    const char *near = text[1] == '-' ? cli_nearest(text + 2, names, count) : NULL;
    if (near != NULL) {
        return cli_error(c, verb, "unknown option %s; did you mean --%s?", text, near);
    }
    return cli_error(c, verb, "unknown option %s; see '%s %s --help'", text, c->program->name,
                     verb);
}

/** Takes the option's values from the words after it; `*at` ends on the last one taken. */
static int take_values(cli *c, args *a, const args_option *o, const char *attached, int argc,
                       char **argv, int *at) {
    size_t index = (size_t)(o - a->options);
    if (a->values[index].given) {
        return cli_error(c, a->verb, "%s is given twice", o->name);
    }
    a->values[index].given = true;
    if (attached != NULL) {
        if (o->values != 1) {
            return cli_error(c, a->verb,
                             o->values == 0 ? "%s takes no value"
                                            : "%s takes its values as separate words",
                             o->name);
        }
        a->values[index].text[0] = attached;
        return CLI_OK;
    }
    for (int i = 0; i < o->values; i++) {
        if (*at + 1 >= argc || looks_like_option(argv[*at + 1])) {
            bool list = o->words != NULL && strcmp(o->words, "FILE") != 0;
            return cli_error(c, a->verb, "%s needs %s%s%s", o->name, o->takes,
                             list ? ", one of: " : "", list ? o->words : "");
        }
        a->values[index].text[i] = argv[++*at];
    }
    return CLI_OK;
}

int args_parse(cli *c, const char *verb, const args_option *options, size_t option_count, int argc,
               char **argv, args *out) {
    *out = (args){.verb = verb, .options = options, .option_count = option_count, .words = argv};
    bool options_ended = false;
    for (int i = 0; i < argc; i++) {
        char *text = argv[i];
        if (options_ended || !looks_like_option(text)) {
            argv[out->word_count++] = text;
            continue;
        }
        if (strcmp(text, "--") == 0) {
            options_ended = true;
            continue;
        }
        const char *attached;
        const args_option *o = find_option(options, option_count, text, &attached);
        if (o == NULL) {
            return unknown_option(c, verb, options, option_count, text);
        }
        int status = take_values(c, out, o, attached, argc, argv, &i);
        if (status != CLI_OK) {
            return status;
        }
    }
    return CLI_OK;
}

/** The index of an option of the verb; `option_count` where it has none of that name. */
static size_t index_of(const args *a, const char *name) {
    size_t i = 0;
    while (i < a->option_count && strcmp(a->options[i].name, name) != 0) {
        i++;
    }
    return i;
}

bool args_given(const args *a, const char *name) {
    size_t i = index_of(a, name);
    return i < a->option_count && a->values[i].given;
}

const char *const *args_texts(const args *a, const char *name) {
    return args_given(a, name) ? a->values[index_of(a, name)].text : NULL;
}

const char *args_text(const args *a, const char *name) {
    return args_given(a, name) ? args_texts(a, name)[0] : NULL;
}

int args_numbers(cli *c, const args *a, const char *name, double *values) {
    const char *const *texts = args_texts(a, name);
    for (int i = 0; i < a->options[index_of(a, name)].values; i++) {
        if (!args_read_number(texts[i], &values[i])) {
            return cli_error(c, a->verb, "%s = %s: not a number", name, texts[i]);
        }
    }
    return CLI_OK;
}

int args_number(cli *c, const args *a, const char *name, double *value) {
    return args_numbers(c, a, name, value);
}

int args_length(cli *c, const args *a, const char *name, double *value) {
    int status = args_number(c, a, name, value);
    return status != CLI_OK || (*value >= 0.0 && isfinite(*value))
               ? status
               : cli_error(c, a->verb, "%s = %s: must be finite and not negative", name,
                           args_text(a, name));
}

int args_count(cli *c, const args *a, const char *name, size_t *value) {
    const char *text = args_text(a, name);
    // strtoull would take signs and blanks
    if (text[0] == '\0' || strspn(text, "0123456789") != strlen(text)) {
        return cli_error(c, a->verb, "%s = %s: not a whole number", name, text);
    }
    errno = 0;
    unsigned long long read = strtoull(text, NULL, 10);
    if (errno == ERANGE || read > SIZE_MAX) {
        return cli_error(c, a->verb, "%s = %s: too large", name, text);
    }
    *value = (size_t)read;
    return CLI_OK;
}

int args_choice(cli *c, const args *a, const char *name, size_t *choice) {
    const char *text = args_text(a, name), *words = a->options[index_of(a, name)].words;
    size_t length = strlen(text), index = 0;
    for (const char *word = words; *word != '\0'; index++) {
        size_t end = strcspn(word, " ");
        if (end == length && strncmp(word, text, end) == 0) {
            *choice = index;
            return CLI_OK;
        }
        word += end;
        word += *word == ' ';
    }
    return cli_error(c, a->verb, "%s = %s: not one of: %s", name, text, words);
}

char **args_cut(const char *text, char at, size_t *count) {
    size_t most = 1, length = strlen(text);
    for (size_t i = 0; i < length; i++) {
        most += text[i] == at;
    }
    char **pieces = malloc(most * sizeof *pieces + length + 1);
    *count = 0;
    char *rest = pieces != NULL ? memcpy(pieces + most, text, length + 1) : NULL;
    while (rest != NULL) {
        char *end = strchr(rest, at);
        pieces[(*count)++] = rest;
        if (end != NULL) {
            *end++ = '\0';
        }
        rest = end;
    }
    return pieces;
}
