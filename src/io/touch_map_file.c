/**
 * @file touch_map_file.c
 * @brief Distance maps to files, and files as maps, mapped into memory.
 *
 * What is checked is all in ov_touch_map_view; here are the bytes only.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ovoid/io_touch.h>

#include "io_internal.h"

/** More than any map has: what is not mapped is read up to here. */
static const size_t read_limit = (size_t)1 << 32;

static bool write_map(FILE *stream, const void *what) {
    size_t size;
    const void *bytes = ov_touch_map_bytes(what, &size);
    return fwrite(bytes, 1, size, stream) == size;
}

ov_status ov_touch_map_write(const char *path, const ov_touch_map *map) {
    if (path == NULL || map == NULL) {
        return OV_ERROR_NULL;
    }
    return ovi_file_write(path, NULL, write_map, map);
}

static void unmap(void *user, const void *bytes, size_t size) {
    (void)user;
    (void)munmap((void *)(uintptr_t)bytes, size);
}

static void release(void *user, const void *bytes, size_t size) {
    (void)user;
    (void)size;
    free((void *)(uintptr_t)bytes);
}

static ov_status view_or_release(const void *bytes, size_t size,
                                 void (*let_go)(void *user, const void *bytes, size_t size),
                                 ov_touch_map **map, ov_fault *fault) {
    const ov_touch_owner owner = {let_go, NULL};
    ov_status status = ov_touch_map_view(bytes, size, &owner, NULL, map, fault);
    if (status != OV_OK) {
        let_go(NULL, bytes, size);
    }
    return status;
}

/** What is no file of the disk, from its descriptor, which is closed. */
static ov_status read_stream(int descriptor, ov_touch_map **map, ov_fault *fault) {
    FILE *stream = fdopen(descriptor, "rb");
    if (stream == NULL) {
        (void)close(descriptor);
        return ovi_file_fault(fault, OV_ERROR_MEMORY, 0, "out of memory");
    }
    size_t size = 0;
    errno = 0;
    unsigned char *bytes = ovi_bytes_read(stream, read_limit, &size);
    bool failed = ferror(stream) != 0;
    int why = errno;
    (void)fclose(stream);
    if (bytes == NULL) {
        return ovi_file_fault(fault, OV_ERROR_MEMORY, 0, "out of memory");
    }
    if (failed) {
        free(bytes);
        return ovi_file_fault(fault, OV_ERROR_FILE_READ, 0, "%s", strerror(why));
    }
    return view_or_release(bytes, size, release, map, fault);
}

ov_status ov_touch_map_open(const char *path, ov_touch_map **map, ov_fault *fault) {
    if (map != NULL) {
        *map = NULL;
    }
    if (path == NULL || map == NULL) {
        return ovi_file_fault(fault, OV_ERROR_NULL, 0, "%s", ov_status_message(OV_ERROR_NULL));
    }
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return ovi_file_fault(fault, OV_ERROR_FILE_OPEN, 0, "%s", strerror(errno));
    }
    struct stat about;
    if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size <= 0) {
        return read_stream(descriptor, map, fault);
    }
    size_t size = (size_t)about.st_size;
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (bytes == MAP_FAILED) {
        return read_stream(descriptor, map, fault);
    }
    (void)close(descriptor);
    return view_or_release(bytes, size, unmap, map, fault);
}
