/**
 * @file program.c
 * @brief A program of verbs, `ovoid` or `ovoid-bench`: messages, `help`, `--version`, signals.
 *
 * The help of a verb is made from its entry in the program's table, so an option cannot exist
 * without being in the help and in the completion.
 */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ovoid/ovoid.h>

#include "kinds.h"

/* ---- messages ------------------------------------------------------------------------------- */

/** One line of message: arguments come from anywhere, so it sends the terminal no commands. */
static void print_message(cli *c, const char *what, const char *kind, const char *format,
                          va_list values) CLI_PRINTF(4, 0);

static void print_message(cli *c, const char *what, const char *kind, const char *format,
                          va_list values) {
    char message[1024];
    vsnprintf(message, sizeof message, format, values);
    const char *const parts[] = {c->program->name, ": ", what, kind, message};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        for (const char *s = parts[i]; *s != '\0'; s++) {
            unsigned char byte = (unsigned char)*s;
            if (byte < 0x20 || byte == 0x7f) {
                fprintf(c->err, "\\x%02x", byte);
            } else {
                fputc(byte, c->err);
            }
        }
    }
    fputc('\n', c->err);
}

int cli_error(cli *c, const char *what, const char *format, ...) {
    va_list values;
    va_start(values, format);
    print_message(c, what, ": ", format, values);
    va_end(values);
    return CLI_BAD_INPUT;
}

void cli_note(cli *c, const char *what, const char *format, ...) {
    va_list values;
    va_start(values, format);
    print_message(c, what, ": note: ", format, values);
    va_end(values);
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/** Insertions, removals, replacements and swaps that make `a` into `b`; `limit` if so many. */
static size_t edit_distance(const char *a, const char *b, size_t limit) {
    enum { LONGEST = 40 };
    // rows of the table of distances between the first i letters of a and j of b, three by turns
    size_t rows[3][LONGEST + 1], rows_needed = strlen(a), columns = strlen(b);
    if (columns > LONGEST || rows_needed > LONGEST) {
        return limit;
    }
    for (size_t j = 0; j <= columns; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= rows_needed; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]), least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = least(row[j], second[j - 2] + 1);
            }
        }
    }
    return least(rows[rows_needed % 3][columns], limit);
}

const char *cli_nearest(const char *word, const char *const *words, size_t count) {
    // a third of the letters wrong is still a misspelling, more is another word
    size_t best = strlen(word) / 3 + 1;
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(word, words[i], best);
        if (distance < best) {
            best = distance;
            nearest = words[i];
        }
    }
    return nearest;
}

void *cli_more_room(void *items, size_t *room, size_t size) {
    size_t more = *room == 0 ? 64 : 2 * *room;
    void *larger = realloc(items, more * size);
    *room = larger != NULL ? more : *room;
    return larger;
}

/* ---- help ----------------------------------------------------------------------------------- */

static void print_options(FILE *out, const cli_verb *verb) {
    fputs("\nOptions:\n", out);
    for (size_t i = 0; i < verb->option_count; i++) {
        const args_option *o = &verb->options[i];
        char left[48];
        if (o->letter != 0) {
            snprintf(left, sizeof left, "-%c, %s %s", o->letter, o->name, o->takes);
        } else {
            snprintf(left, sizeof left, "%s%s%s", o->name, o->values > 0 ? " " : "",
                     o->values > 0 ? o->takes : "");
        }
        fprintf(out, "  %-26s %s\n", left, o->help);
    }
    fprintf(out, "  %-26s %s\n", "-h, --help", "this text");
}

static void print_verb_help(const cli *c, const cli_verb *verb) {
    FILE *out = c->out;
    fprintf(out, "Usage: %s %s %s\n\n%s", c->program->name, verb->name, verb->usage, verb->details);
    print_options(out, verb);
    fprintf(out, "\nExamples:\n%s", verb->examples);
}

static void print_help(const cli *c) {
    const cli_program *p = c->program;
    fprintf(c->out,
            "Usage: %s VERB [options] ARGUMENTS\n"
            "       %s help VERB\n"
            "       %s --version\n\n"
            "%s"
            "\nVerbs:\n",
            p->name, p->name, p->name, p->about);
    int width = 10;
    for (size_t i = 0; i < p->verb_count; i++) {
        int length = (int)strlen(p->verbs[i]->name);
        width = length > width ? length : width;
    }
    for (size_t i = 0; i < p->verb_count; i++) {
        fprintf(c->out, "  %-*s %s\n", width, p->verbs[i]->name, p->verbs[i]->summary);
    }
    fprintf(c->out, "  %-*s %s\n", width, "help", "this text, or the one of a verb");
    if (p->topic_count > 0) {
        fprintf(c->out, "\nTopics, as in '%s help %s':\n", p->name, p->topics[0].name);
    }
    for (size_t i = 0; i < p->topic_count; i++) {
        fprintf(c->out, "  %-*s %s\n", width, p->topics[i].name, p->topics[i].summary);
    }
    fprintf(c->out, "\n%s", p->rules);
}

static const cli_verb *find_verb(const cli *c, const char *name) {
    for (size_t i = 0; i < c->program->verb_count; i++) {
        if (strcmp(c->program->verbs[i]->name, name) == 0) {
            return c->program->verbs[i];
        }
    }
    return NULL;
}

static const cli_topic *find_topic(const cli *c, const char *name) {
    for (size_t i = 0; i < c->program->topic_count; i++) {
        if (strcmp(c->program->topics[i].name, name) == 0) {
            return &c->program->topics[i];
        }
    }
    return NULL;
}

/** A word that is no verb, nor, with `topics`, a topic of the help. */
static int unknown_verb(cli *c, const char *name, bool topics) {
    enum { MOST = 32 };
    const char *names[MOST + 1];
    size_t count = 0;
    for (size_t i = 0; i < c->program->verb_count && count < MOST; i++) {
        names[count++] = c->program->verbs[i]->name;
    }
    for (size_t i = 0; i < c->program->topic_count && count < MOST && topics; i++) {
        names[count++] = c->program->topics[i].name;
    }
    names[count++] = "help";
    const char *near = cli_nearest(name, names, count);
    if (near != NULL) {
        return cli_error(c, name, "unknown verb; did you mean '%s'?", near);
    }
    if (!topics && name[0] != '-' && cli_expect(c, name, 0, "a verb") != CLI_OK) {
        return CLI_BAD_INPUT;
    }
    return cli_error(c, name, "unknown verb; see '%s --help'", c->program->name);
}

/* ---- completion -----------------------------------------------------------------------------
 * `ovoid help --list WHAT [VERB [OPTION]]` prints words, a line each. Shell completion asks so
 * instead of keeping its own copy, which would grow stale. */

static void list_options(FILE *out, const cli_verb *verb) {
    for (size_t i = 0; i < verb->option_count; i++) {
        fprintf(out, "%s\n", verb->options[i].name);
        if (verb->options[i].letter != 0) {
            fprintf(out, "-%c\n", verb->options[i].letter);
        }
    }
    fputs("--help\n", out);
}

/** Words that a table holds with blanks between them. */
static void list_words(FILE *out, const char *words) {
    for (const char *s = words; *s != '\0'; s++) {
        fputc(*s == ' ' ? '\n' : *s, out);
    }
    fputc('\n', out);
}

/** The words that may follow an option: "FILE", or the allowed ones; nothing if they are free. */
static void list_values(FILE *out, const cli_verb *verb, const char *name) {
    for (size_t i = 0; i < verb->option_count; i++) {
        const args_option *o = &verb->options[i];
        bool letter = name[0] == '-' && o->letter != 0 && name[1] == o->letter && name[2] == '\0';
        if ((letter || strcmp(o->name, name) == 0) && o->words != NULL) {
            list_words(out, o->words);
        }
    }
}

static int run_list(cli *c, int argc, char **argv) {
    const char *what = argc > 0 ? argv[0] : "";
    const cli_verb *verb = argc > 1 ? find_verb(c, argv[1]) : NULL;
    if (strcmp(what, "verbs") == 0) {
        for (size_t i = 0; i < c->program->verb_count; i++) {
            fprintf(c->out, "%s\n", c->program->verbs[i]->name);
        }
        fputs("help\n", c->out);
    } else if (strcmp(what, "topics") == 0) {
        for (size_t i = 0; i < c->program->topic_count; i++) {
            fprintf(c->out, "%s\n", c->program->topics[i].name);
        }
    } else if (strcmp(what, "kinds") == 0) {
        if (verb == NULL || verb->takes_shape) {
            kinds_list(c->out);
        } else if (verb->takes_files) {
            fputs("FILE\n", c->out);
        }
    } else if (strcmp(what, "options") == 0 && verb != NULL) {
        list_options(c->out, verb);
    } else if (strcmp(what, "values") == 0 && verb != NULL && argc > 2) {
        list_values(c->out, verb, argv[2]);
    } else {
        return cli_error(c, "help",
                         "--list takes: verbs, topics, kinds [VERB], options VERB, or values VERB "
                         "OPTION");
    }
    return CLI_OK;
}

static int run_help(cli *c, int argc, char **argv) {
    if (argc == 0 || strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
        print_help(c);
        return CLI_OK;
    }
    if (strcmp(argv[0], "--list") == 0) {
        return run_list(c, argc - 1, argv + 1);
    }
    if (argc > 1) {
        return cli_error(c, "help", "takes one verb, not %d words", argc);
    }
    const cli_verb *verb = find_verb(c, argv[0]);
    const cli_topic *topic = find_topic(c, argv[0]);
    if (verb != NULL) {
        print_verb_help(c, verb);
    } else if (topic != NULL && topic->text != NULL) {
        fputs(topic->text, c->out);
    } else if (topic != NULL) {
        topic->print(c->out);
    } else {
        return unknown_verb(c, argv[0], true);
    }
    return CLI_OK;
}

/* ---- the program ---------------------------------------------------------------------------- */

static bool asks_for_help(int argc, char **argv) {
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

static int run(cli *c, int argc, char **argv) {
    if (argc < 2) {
        return cli_error(c, "no verb", "see '%s --help'", c->program->name);
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0) {
        fprintf(c->out, "%s %s\n", c->program->name, ov_version_string());
        return CLI_OK;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        print_help(c);
        return CLI_OK;
    }
    if (strcmp(name, "help") == 0) {
        return run_help(c, argc - 2, argv + 2);
    }
    const cli_verb *verb = find_verb(c, name);
    if (verb == NULL) {
        return unknown_verb(c, name, false);
    }
    if (asks_for_help(argc - 2, argv + 2)) {
        print_verb_help(c, verb);
        return CLI_OK;
    }
    c->verb = verb;
    return verb->run(c, argc - 2, argv + 2);
}

int cli_run(const cli_program *program, int argc, char **argv, FILE *out, FILE *err) {
    cli c = {.program = program, .out = out, .err = err};
    int status = run(&c, argc, argv);
    cli_forget_files(&c);
    errno = 0;
    bool lost = fflush(out) != 0 || ferror(out);
    if (lost && errno == 0) {
        // it failed before, and nothing is left that could fail again: one byte more says why
        (void)fputc('\n', out);
        (void)fflush(out);
    }
    // one message is enough where the verb has noticed already
    if (lost && status != CLI_BAD_INPUT) {
        status = cli_write_error(&c, "standard output");
    }
    return status;
}

/* ---- what the system does to a program --------------------------------------------------------
 */

/** Takes away what is half written, then ends the program as the signal does. Until then the same
 *  signal, once more, must not end it: its own action comes back only here. */
static void on_end(int number) {
    ov_files_abandon();
    (void)signal(number, SIG_DFL);
    (void)raise(number); // comes when the handler is left
}

static void set_signals(void) {
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction before, action = {.sa_handler = on_end};
    (void)sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        // what is ignored stays so: nohup, or a shell that runs it in the background
        if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            (void)sigaction(ends[i], &action, NULL);
        }
    }
    // a closed pipe and a file that gets too large are told as a full disk is
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
}

/** A stream that is closed must not become one of the files that are opened: opened so that its use
 *  is an error, as it would be. */
static void hold_streams(void) {
    for (int i = 0; i <= STDERR_FILENO; i++) {
        if (fcntl(i, F_GETFD) < 0) {
            (void)!open("/dev/null", i == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

void cli_begin(void) {
    hold_streams();
    set_signals();
}
