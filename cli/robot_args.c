/**
 * @file robot_args.c
 * @brief Robots from a file or from standard input.
 */
#include "robot_args.h"

#include <stdlib.h>
#include <string.h>

#include "pair_args.h"

/** Does a name end as those of robots do? For files that cannot be looked into. */
static bool is_named_xml(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot != NULL && (strcmp(dot, ".urdf") == 0 || strcmp(dot, ".xml") == 0);
}

bool robot_is_xml(const char *path) {
    FILE *stream = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    int byte = stream != NULL ? getc(stream) : EOF;
    if (stream == stdin) {
        // one byte can be given back, no more
        ungetc(byte, stdin);
        return byte == '<';
    }
    // a byte order mark, and blanks, may stand before the first tag
    if (byte == 0xef && getc(stream) == 0xbb && getc(stream) == 0xbf) {
        byte = getc(stream);
    }
    while (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r') {
        byte = getc(stream);
    }
    if (stream != NULL) {
        fclose(stream);
    }
    return byte == EOF ? is_named_xml(path) : byte == '<';
}

/** Other programs take it in silence; here it is said, once. */
static void tell_mimics(cli *c, const char *path, const ov_robot *robot) {
    size_t count = 0;
    const char *first = "";
    for (size_t i = ov_robot_extra_count(robot); i-- > 0;) {
        const ov_robot_extra *e = ov_robot_get_extra(robot, i);
        if (e->joint != OV_NO_LINK && strcmp(e->name, "mimic") == 0) {
            first = ov_robot_get_joint(robot, e->joint)->def.name;
            count++;
        }
    }
    if (count == 1) {
        (void)cli_error(c, path, "note: joint '%s' is fixed: its <mimic> is ignored", first);
    } else if (count > 1) {
        (void)cli_error(c, path,
                        "note: joint '%s' and %zu more are fixed: their <mimic> is ignored", first,
                        count - 1);
    }
}

int robot_read(cli *c, const char *path, const char *packages, ov_robot_options how,
               ov_robot **robot) {
    ov_fault wrong;
    char **pieces = NULL;
    *robot = NULL;
    int result = cli_note_input(c, path);
    if (result != CLI_OK) {
        return result;
    }
    if (packages != NULL) {
        pieces = args_cut(packages, ':', &how.package_count);
        if (pieces == NULL) {
            return cli_error(c, path, "%s", ov_status_message(OV_ERROR_MEMORY));
        }
        how.packages = (const char *const *)pieces;
    }
    bool from_stream = strcmp(path, "-") == 0;
    ov_status status = from_stream ? ov_robot_read_stream(stdin, ".", &how, robot, &wrong)
                                   : ov_robot_read(path, &how, robot, &wrong);
    free(pieces);
    path = from_stream ? "standard input" : path;
    if (status < 0) {
        return cli_file_error(c, path, &wrong);
    }
    tell_mimics(c, path, *robot);
    return cli_note_robot(c, *robot);
}
