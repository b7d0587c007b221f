/**
 * @file fuzz_command.c
 * @brief Fuzz target: any arguments and any standard input for the `ovoid` command.
 *
 * The input is a list of arguments, each ended by a zero byte or a new line; after an empty one
 * comes what the command reads from standard input. Beyond crashes, the target looks at what the
 * command promises: an exit status of 0, 1 or 2; with status 2 one line `ovoid: …` on the error
 * stream, after notes if there are any; with status 0 from `shape` an object without NaN.
 *
 * It writes no files and stays small: an input that would write elsewhere than to /dev/null, read
 * from other folders, or draw large meshes is passed over.
 */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "cli.h"

enum { MAX_ARGUMENTS = 24, MAX_INPUT = 4096, MAX_VERTICES = 5000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what, int argc, char **argv, const char *errors) {
    fprintf(stderr, "broken promise: %s\n", what);
    for (int i = 0; i < argc; i++) {
        fprintf(stderr, "  argument %d: '%s'\n", i, argv[i]);
    }
    fprintf(stderr, "error stream: %s\n", errors);
    abort();
}

/** Cuts the text into arguments, in place; returns what is left for standard input. */
static char *split(char *text, const char *end, int *argc, char **argv) {
    while (text < end && *argc < MAX_ARGUMENTS) {
        char *stop = text;
        while (stop < end && *stop != '\0' && *stop != '\n') {
            stop++;
        }
        *stop = '\0';
        if (stop == text) {
            return text + 1;
        }
        argv[(*argc)++] = text;
        text = stop + 1;
    }
    return text;
}

/** The value of an option at `argv[i]`, or null if it is another argument. */
static const char *value_of(const char *name, char **argv, int i) {
    size_t length = strlen(name);
    if (strcmp(argv[i], name) == 0) {
        return argv[i + 1] != NULL ? argv[i + 1] : "";
    }
    return strncmp(argv[i], name, length) == 0 && argv[i][length] == '=' ? argv[i] + length + 1
                                                                         : NULL;
}

static size_t commas(const char *text) {
    size_t count = 0;
    for (; *text != '\0'; text++) {
        count += *text == ',';
    }
    return count;
}

/** Would this run write a file, read one from elsewhere, or take long? */
static bool is_out_of_bounds(int argc, char **argv) {
    bool by_error = false, wide_numbers = false;
    int short_lists = 0;
    for (int i = 1; i < argc; i++) {
        const char *path = value_of("--output", argv, i);
        path = path == NULL ? value_of("-o", argv, i) : path;
        path = path == NULL ? value_of("--svg", argv, i) : path;
        path = path == NULL ? value_of("--failures", argv, i) : path;
        const char *count = value_of("--vertices", argv, i), *error = value_of("--error", argv, i);
        const char *list = value_of("--columns", argv, i);
        list = list == NULL ? value_of("--rows", argv, i) : list;
        double number;
        if (path != NULL && strcmp(path, "/dev/null") != 0 && strcmp(path, "-") != 0) {
            return true;
        }
        // writes files beside the one that it is given, takes seconds, or waits for visitors
        if (strcmp(argv[i], "convert") == 0 || strcmp(argv[i], "fit") == 0 ||
            strcmp(argv[i], "studio") == 0) {
            return true;
        }
        if (strchr(argv[i], '/') != NULL && strstr(argv[i], "/dev/null") == NULL) {
            return true;
        }
        if (count != NULL && strtod(count, NULL) > MAX_VERTICES) {
            return true;
        }
        if (error != NULL) {
            by_error = true;
            wide_numbers = wide_numbers || strtod(error, NULL) < 0.02;
        }
        short_lists += list != NULL && commas(list) <= 1;
        const char *equals = strchr(argv[i], '=');
        if (args_read_number(equals != NULL ? equals + 1 : argv[i], &number) && number != 0.0) {
            wide_numbers = wide_numbers || !(fabs(number) >= 1e-2 && fabs(number) <= 10.0);
        }
    }
    bool gallery = argc > 1 && strcmp(argv[1], "gallery") == 0;
    return (by_error && wide_numbers) || (gallery && short_lists < 2);
}

static void set_standard_input(const char *text, size_t size) {
    static FILE *input;
    if (input == NULL) {
        input = tmpfile();
        if (input == NULL || dup2(fileno(input), STDIN_FILENO) < 0) {
            abort();
        }
    }
    rewind(input);
    if (ftruncate(fileno(input), 0) != 0 || fwrite(text, 1, size, input) != size ||
        fflush(input) != 0) {
        abort();
    }
    rewind(stdin);
}

/** Is a line on the error stream a note? */
static bool is_note(const char *line, const char *end) {
    const char *note = strstr(line, ": note: ");
    return strncmp(line, "ovoid: ", 7) == 0 && note != NULL && note < end;
}

static void check(int status, int argc, char **argv, const char *output, const char *errors) {
    bool shape = argc > 1 && strcmp(argv[1], "shape") == 0;
    if (status < CLI_OK || status > CLI_BAD_INPUT) {
        fail("exit status", argc, argv, errors);
    }
    if (status == CLI_BAD_INPUT) {
        const char *line = errors, *end = strchr(line, '\n');
        // the last line is the error, whatever words of the input it quotes
        for (; end != NULL && end[1] != '\0' && is_note(line, end); end = strchr(line, '\n')) {
            line = end + 1;
        }
        if (strncmp(line, "ovoid: ", 7) != 0 || end == NULL || end[1] != '\0') {
            fail("one line of error, after notes", argc, argv, errors);
        }
        if (shape && output[0] != '\0') {
            fail("no output with an error", argc, argv, errors);
        }
    }
    if (status == CLI_OK && shape && (output[0] == '\0' || strstr(output, "nan") != NULL)) {
        fail("facts without NaN", argc, argv, output);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size > MAX_INPUT) {
        return -1;
    }
    char text[MAX_INPUT + 1], name[] = "ovoid";
    char *argv[MAX_ARGUMENTS + 1] = {name};
    int argc = 1;
    memcpy(text, data, size);
    text[size] = '\0';
    const char *end = text + size;
    const char *input = split(text, end, &argc, argv);
    argv[argc] = NULL;
    if (is_out_of_bounds(argc, argv)) {
        return -1;
    }
    set_standard_input(input, input < end ? (size_t)(end - input) : 0);

    // the command moves the words of argv: messages of this target need their own copy
    char *copy[MAX_ARGUMENTS + 1];
    memcpy(copy, argv, sizeof copy);
    char *output = NULL, *errors = NULL;
    size_t output_size, errors_size;
    FILE *out = open_memstream(&output, &output_size);
    FILE *err = open_memstream(&errors, &errors_size);
    if (out == NULL || err == NULL) {
        abort();
    }
    int status = cli_main(argc, argv, out, err);
    fclose(out);
    fclose(err);
    check(status, argc, copy, output, errors);
    free(output);
    free(errors);
    return 0;
}
