/**
 * @file verb_schemes.c
 * @brief `ovoid schemes`: the published schemes, their papers, and whether they were built.
 */
#include <string.h>

#include "cli.h"
#include "json.h"

#ifdef OVOID_SCHEMES
#include <ovoid/schemes.h>
#endif

enum { OPTION_JSON, OPTION_COUNT };

static const args_option options[OPTION_COUNT] = {
    {"--json", 0, 0, "", "print JSON instead of a table", NULL},
};

#ifdef OVOID_SCHEMES

static void print_table(FILE *out) {
    enum { STATE = 64 };
    char states[OV_SCHEME_COUNT][STATE];
    int name_width = 0, state_width = 0;
    for (int i = 0; i < OV_SCHEME_COUNT; i++) {
        const char *missing = ov_scheme_missing((ov_scheme)i);
        int name = (int)strlen(ov_scheme_name((ov_scheme)i));
        int state = missing == NULL
                        ? snprintf(states[i], STATE, "available")
                        : snprintf(states[i], STATE, "missing: apt-get install %s", missing);
        name_width = name > name_width ? name : name_width;
        state_width = state > state_width ? state : state_width;
    }
    for (int i = 0; i < OV_SCHEME_COUNT; i++) {
        fprintf(out, "%-*s  %-*s  %s\n", name_width, ov_scheme_name((ov_scheme)i), state_width,
                states[i], ov_scheme_source((ov_scheme)i));
    }
}

static void print_json(FILE *out) {
    json j = json_make(out);
    json_open_object(&j, NULL);
    json_open_list(&j, "schemes");
    for (int i = 0; i < OV_SCHEME_COUNT; i++) {
        const char *missing = ov_scheme_missing((ov_scheme)i);
        json_open_object(&j, NULL);
        json_string(&j, "name", ov_scheme_name((ov_scheme)i));
        json_string(&j, "source", ov_scheme_source((ov_scheme)i));
        json_bool(&j, "available", missing == NULL);
        if (missing != NULL) {
            json_string(&j, "package", missing);
        } else {
            json_null(&j, "package");
        }
        json_close_object(&j);
    }
    json_close_list(&j);
    json_close_object(&j);
}

#endif

static int run(cli *c, int argc, char **argv) {
    args a;
    int status = args_parse(c, cli_verb_schemes.name, options, OPTION_COUNT, argc, argv, &a);
    if (status != CLI_OK) {
        return status;
    }
    if (a.word_count > 0) {
        return cli_error(c, a.verb, "%s: takes no words, only options", a.words[0]);
    }
#ifdef OVOID_SCHEMES
    if (a.values[OPTION_JSON].given) {
        print_json(c->out);
    } else {
        print_table(c->out);
    }
    return CLI_OK;
#else
    return cli_no_schemes(c, a.verb);
#endif
}

int cli_no_schemes(cli *c, const char *what) {
    return cli_error(c, what,
                     "this command was built without the published schemes: build it again with "
                     "-DOVOID_SCHEMES=ON (apt-get install liblapacke-dev coinor-libipopt-dev "
                     "libnlopt-dev libfcl-dev)");
}

const cli_verb cli_verb_schemes = {
    .name = "schemes",
    .summary = "the published schemes to compare with, and whether they were built",
    .usage = "[options]",
    .details = "Lists the published ways to find the contact of two superovoids: name, paper with\n"
               "section and equations, and whether the library that a scheme needs was there when\n"
               "this command was built, or else which Debian package has it.\n"
               "\n"
               "'ovoid pairs --scheme NAME' answers by a scheme; 'ovoid bench battery-schemes'\n"
               "measures all of them. None of their answers is certified.\n",
    .examples = "  ovoid schemes\n"
                "  ovoid schemes --json\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .run = run,
};
