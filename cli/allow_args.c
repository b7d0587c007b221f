/**
 * @file allow_args.c
 * @brief Pairs of names, looked up.
 */
#include "allow_args.h"

#include <stdlib.h>
#include <string.h>

static int no_memory(cli *c, const args *a) {
    return cli_error(c, a->verb, "%s", ov_status_message(OV_ERROR_MEMORY));
}

static int no_thing(cli *c, const args *a, const allow_names *all, const char *name) {
    const char **names = calloc(all->count + 1, sizeof *names);
    for (size_t i = 0; names != NULL && i < all->count; i++) {
        names[i] = all->name_of(all->subject, i);
    }
    const char *near = names != NULL ? cli_nearest(name, names, all->count) : NULL;
    int status = cli_error(c, a->verb, "--allow: nothing has the name '%s'%s%s%s", name,
                           near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                           near != NULL ? "'?" : "");
    free(names);
    return status;
}

/** One pair "A,B". */
static int read_pair(cli *c, const args *a, size_t option, const allow_names *all, char *text,
                     uint32_t pair[2]) {
    char *comma = strchr(text, ',');
    if (comma == NULL || comma == text || comma[1] == '\0' || strchr(comma + 1, ',') != NULL) {
        return cli_error(c, a->verb, "--allow = %s: must be two names, A,B",
                         a->values[option].text[0]);
    }
    *comma = '\0';
    const char *const names[2] = {text, comma + 1};
    for (int k = 0; k < 2; k++) {
        size_t i = 0;
        while (i < all->count && strcmp(all->name_of(all->subject, i), names[k]) != 0) {
            i++;
        }
        if (i == all->count) {
            return no_thing(c, a, all, names[k]);
        }
        pair[k] = (uint32_t)i;
    }
    return CLI_OK;
}

int allow_read(cli *c, const args *a, size_t option, const allow_names *names,
               uint32_t (**pairs)[2], size_t *count) {
    *pairs = NULL;
    *count = 0;
    if (!a->values[option].given) {
        return CLI_OK;
    }
    size_t given = 0;
    char **pieces = args_cut(a->values[option].text[0], ':', &given);
    *pairs = calloc(given + 1, sizeof **pairs);
    int status = pieces != NULL && *pairs != NULL ? CLI_OK : no_memory(c, a);
    for (size_t i = 0; i < given && status == CLI_OK; i++) {
        status = read_pair(c, a, option, names, pieces[i], (*pairs)[*count]);
        *count += status == CLI_OK;
    }
    free(pieces);
    return status;
}

int allow_links(cli *c, const args *a, const ov_robot *robot, const uint32_t (*pairs)[2],
                size_t count) {
    size_t links = ov_robot_link_count(robot);
    for (size_t i = 0; i < count; i++) {
        if (pairs[i][0] < links && pairs[i][1] < links &&
            ov_model_allow(ov_robot_model(robot), pairs[i][0], pairs[i][1], true) < 0) {
            return no_memory(c, a);
        }
    }
    return CLI_OK;
}

static const char *link_name(const void *robot, size_t link) {
    return ov_robot_get_link(robot, link)->name;
}

int allow_robot(cli *c, const args *a, size_t option, const ov_robot *robot) {
    allow_names names = {link_name, robot, ov_robot_link_count(robot)};
    uint32_t(*pairs)[2];
    size_t count;
    int status = allow_read(c, a, option, &names, &pairs, &count);
    if (status == CLI_OK) {
        status = allow_links(c, a, robot, pairs, count);
    }
    free(pairs);
    return status;
}
