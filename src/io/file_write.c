/**
 * @file file_write.c
 * @brief Files that are there completely, or not at all.
 *
 * What is written goes to a new file beside the old one, which is moved to its name when every byte
 * is accounted for: a full disk leaves no half a file behind, and an older file untouched.
 */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io_internal.h"

enum { NAME_TRIES = 100 };

ov_status ovi_stream_write(FILE *stream, ovi_writer writer, const void *what) {
    ovi_locale locale;
    if (!ovi_locale_enter(&locale)) {
        return OV_ERROR_MEMORY;
    }
    bool good = writer(stream, what);
    // only after the flush is it known whether the bytes found room
    good = fflush(stream) == 0 && good && !ferror(stream);
    ovi_locale_leave(&locale);
    return good ? OV_OK : OV_ERROR_FILE_WRITE;
}

static ov_status write_and_close(FILE *stream, ovi_writer writer, const void *what) {
    ov_status status = ovi_stream_write(stream, writer, what);
    if (fclose(stream) != 0 && status == OV_OK) {
        status = OV_ERROR_FILE_WRITE;
    }
    return status;
}

/** Makes a new file in the folder of `path`; its name is written to `name`, of the given size. */
static int create_beside(const char *path, char *name, size_t size) {
    const char *slash = strrchr(path, '/');
    int folder = slash == NULL ? 0 : (int)(slash - path) + 1;
    for (int i = 0; i < NAME_TRIES; i++) {
        (void)snprintf(name, size, "%.*s.ovoid-%ld-%d.part", folder, path, (long)getpid(), i);
        int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST) {
            return descriptor;
        }
    }
    return -1;
}

/** `mode`: the permissions of an older file, or negative for those of a new one. */
static ov_status write_and_move(const char *path, int mode, ovi_writer writer, const void *what) {
    size_t size = strlen(path) + 64;
    char *name = malloc(size);
    if (name == NULL) {
        return OV_ERROR_MEMORY;
    }
    int descriptor = create_beside(path, name, size);
    if (descriptor < 0) {
        free(name);
        return OV_ERROR_FILE_OPEN;
    }
    if (mode >= 0) {
        (void)fchmod(descriptor, (mode_t)mode); // where that is allowed
    }
    ov_status status = OV_ERROR_MEMORY;
    FILE *stream = fdopen(descriptor, "wb");
    if (stream == NULL) {
        (void)close(descriptor);
    } else {
        status = write_and_close(stream, writer, what);
    }
    if (status == OV_OK && rename(name, path) != 0) {
        status = OV_ERROR_FILE_WRITE;
    }
    if (status != OV_OK) {
        (void)unlink(name);
    }
    free(name);
    return status;
}

ov_status ovi_file_write(const char *path, ovi_writer writer, const void *what) {
    struct stat there;
    bool exists = stat(path, &there) == 0;
    // a link that leads nowhere, devices, pipes: by their own name
    bool direct = exists ? !S_ISREG(there.st_mode) || strncmp(path, "/dev/", 5) == 0
                         : lstat(path, &there) == 0;
    if (path[0] == '\0') {
        return OV_ERROR_FILE_OPEN;
    }
    if (direct) {
        FILE *stream = fopen(path, "wb");
        return stream == NULL ? OV_ERROR_FILE_OPEN : write_and_close(stream, writer, what);
    }
    if (!exists) {
        return write_and_move(path, -1, writer, what);
    }
    if (access(path, W_OK) != 0) {
        return OV_ERROR_FILE_OPEN;
    }
    char *real = realpath(path, NULL); // so that a link stays a link
    if (real == NULL) {
        return errno == ENOMEM ? OV_ERROR_MEMORY : OV_ERROR_FILE_OPEN;
    }
    ov_status status = write_and_move(real, (int)(there.st_mode & 07777), writer, what);
    free(real);
    return status;
}
