/**
 * @file options.c
 * @brief Reads the options that several verbs share, and opens the files that they name.
 */
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

/* ---- queries --------------------------------------------------------------------------------- */

int options_read_pair(cli *c, const args *a, ov_pair_options *options) {
    size_t choice;
    int status = CLI_OK;
    if (args_given(a, "--tolerance")) {
        status = args_number(c, a, "--tolerance", &options->tolerance);
        if (status == CLI_OK &&
            !(options->tolerance >= OV_TOLERANCE_MIN && options->tolerance <= OV_TOLERANCE_MAX)) {
            return cli_error(c, a->verb, "--tolerance = %s: must be from 1e-12 to 1e-3",
                             args_text(a, "--tolerance"));
        }
    }
    if (status == CLI_OK && args_given(a, "--depth")) {
        static const ov_depth depths[] = {OV_DEPTH_GLOBAL, OV_DEPTH_LOCAL, OV_DEPTH_PROVEN};
        status = args_choice(c, a, "--depth", &choice);
        options->depth = status == CLI_OK ? depths[choice] : options->depth;
    }
    return status;
}

int options_read_threads(cli *c, const args *a, unsigned *threads) {
    size_t count = 1;
    int status = args_given(a, "--threads") ? args_count(c, a, "--threads", &count) : CLI_OK;
    if (status == CLI_OK && count > OV_THREADS_MAX) {
        return cli_error(c, a->verb, "--threads = %zu: must be at most %d", count, OV_THREADS_MAX);
    }
    *threads = (unsigned)count;
    return status;
}

int options_read_limit(cli *c, const args *a, double *limit) {
    return args_given(a, "--limit") ? args_length(c, a, "--limit", limit) : CLI_OK;
}

/* ---- what is printed ------------------------------------------------------------------------- */

static bool is_stream(const char *path) { return path == NULL || strcmp(path, "-") == 0; }

int report_read(cli *c, const args *a, report *r) {
    bool csv = args_given(a, "--csv"), json = args_given(a, "--json");
    *r = (report){.format = csv    ? REPORT_CSV
                            : json ? REPORT_JSON
                                   : REPORT_TABLE,
                  .wide = args_given(a, "--wide"),
                  .path = args_text(a, "--output"),
                  .svg_path = args_text(a, "--svg")};
    if (csv && json) {
        return cli_error(c, a->verb, "--csv and --json exclude each other");
    }
    if (r->wide && (csv || json)) {
        return cli_error(c, a->verb, "--wide is for tables; CSV and JSON have all columns");
    }
    if (r->svg_path != NULL && is_stream(r->svg_path) && is_stream(r->path) &&
        (csv || json || r->path != NULL)) {
        return cli_error(c, a->verb,
                         "--svg - and what is printed both go to standard output: name a file "
                         "with -o or --svg");
    }
    return CLI_OK;
}

int report_open(cli *c, report *r) {
    // a picture on standard output stands there alone
    bool alone = r->svg_path != NULL && is_stream(r->svg_path) && r->path == NULL;
    int status =
        alone ? CLI_OK : cli_open_output(c, r->path != NULL ? r->path : "-", NULL, &r->out);
    return status == CLI_OK && r->svg_path != NULL ? cli_open_output(c, r->svg_path, NULL, &r->svg)
                                                   : status;
}

int report_close(cli *c, report *r, int status) {
    status = cli_finish_output(c, &r->out, status);
    status = cli_finish_output(c, &r->svg, status);
    status = cli_close_output(c, &r->out, status);
    return cli_close_output(c, &r->svg, status);
}

/* ---- saved queries --------------------------------------------------------------------------- */

enum { MAX_FILES = 1000 };

int failures_begin(cli *c, const args *a, failures *f) {
    *f = (failures){.folder = NULL};
    f->folder = args_text(a, "--failures");
    if (f->folder == NULL) {
        return CLI_OK;
    }
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
        cli_note(c, f->folder, "%d queries are saved; further ones are not", MAX_FILES);
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
