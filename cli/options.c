/**
 * @file options.c
 * @brief Options of pair queries, and files of queries that failed.
 */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

int pair_args_read(cli *c, const args *a, ov_pair_options *options) {
    *options = ov_default_pair_options();
    options->depth = OV_DEPTH_GLOBAL;
    if (a->values[PAIR_OPTION_TOLERANCE].given) {
        int status = args_number(c, a, PAIR_OPTION_TOLERANCE, &options->tolerance);
        if (status != CLI_OK) {
            return status;
        }
        if (!(options->tolerance >= OV_TOLERANCE_MIN && options->tolerance <= OV_TOLERANCE_MAX)) {
            return cli_error(c, a->verb, "--tolerance = %s: must be from 1e-12 to 1e-3",
                             a->values[PAIR_OPTION_TOLERANCE].text[0]);
        }
    }
    if (a->values[PAIR_OPTION_DEPTH].given) {
        size_t choice;
        int status = args_choice(c, a, PAIR_OPTION_DEPTH, &choice);
        if (status != CLI_OK) {
            return status;
        }
        options->depth = (ov_depth)choice; // in the order of the words
    }
    return CLI_OK;
}

int pair_threads_read(cli *c, const args *a, size_t option, unsigned *threads) {
    size_t count = 0;
    int status = args_count(c, a, option, &count);
    if (status == CLI_OK && count > OV_THREADS_MAX) {
        return cli_error(c, a->verb, "%s = %zu: must be at most %d", a->options[option].name, count,
                         OV_THREADS_MAX);
    }
    *threads = (unsigned)count;
    return status;
}

/* ---- queries that failed --------------------------------------------------------------------- */

enum { MAX_FILES = 1000 };

int failures_begin(cli *c, const args *a, failures *f) {
    *f = (failures){.folder = NULL};
    if (!a->values[PAIR_OPTION_FAILURES].given) {
        return CLI_OK;
    }
    f->folder = a->values[PAIR_OPTION_FAILURES].text[0];
    struct stat there;
    f->made = mkdir(f->folder, 0777) == 0;
    if (!f->made) {
        int cause = errno;
        if (cause != EEXIST || stat(f->folder, &there) != 0 || !S_ISDIR(there.st_mode)) {
            return cli_error(c, f->folder, "cannot be made: %s", strerror(cause));
        }
    }
    return CLI_OK;
}

void failures_end(const failures *f, int status) {
    if (f->made && f->count == 0 && status == CLI_BAD_INPUT) {
        (void)rmdir(f->folder);
    }
}

int failures_write(cli *c, failures *f, const char *name, const ov_replay *replay) {
    if (f->folder == NULL || f->full) {
        return CLI_OK;
    }
    if (f->count == MAX_FILES) {
        f->full = true;
        fprintf(c->err, "%s: %d files written; further queries are not\n", f->folder, MAX_FILES);
        return CLI_OK;
    }
    size_t size = strlen(f->folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path == NULL) {
        return cli_error(c, f->folder, "%s", ov_status_message(OV_ERROR_MEMORY));
    }
    snprintf(path, size, "%s/%s", f->folder, name);
    int result = cli_check_output(c, path, NULL);
    errno = 0;
    ov_status status = result == CLI_OK ? ov_replay_write(path, replay) : OV_OK;
    if (status == OV_ERROR_FILE_OPEN || status == OV_ERROR_FILE_WRITE) {
        result = cli_write_error(c, path);
    } else if (status < 0) {
        result = cli_error(c, path, "%s", ov_status_message(status));
    }
    free(path);
    f->count += result == CLI_OK;
    return result;
}
