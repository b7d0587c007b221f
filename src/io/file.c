/**
 * @file file.c
 * @brief Files that are there completely, or not at all; paths, and bytes.
 *
 * What is written goes to a new file beside the old one, which is moved to its name when every byte
 * is accounted for: a full disk, an error or a signal leaves no half a file behind, and an older
 * file untouched. Links are followed, so that they stay links. What is no regular file (a device, a
 * pipe, an open descriptor such as /dev/stdout) is written to directly.
 *
 * What must go if the program is made to end before that is kept in one list, for a signal handler.
 * It is changed with all signals blocked, so that a handler that waits for the list never waits for
 * the thread that it has interrupted.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io_internal.h"

enum { NAME_TRIES = 100, LINKS_MAX = 40 };

/* ---- what must not stay behind --------------------------------------------------------------- */

/** A file or folder that goes unless its making is completed. */
struct ovi_litter {
    ovi_litter *before, *after;
    char *path;
    pid_t owner; /**< a child process has the list too, but not the files */
    bool folder, listed;
};

static atomic_flag list_busy = ATOMIC_FLAG_INIT;
static ovi_litter *newest;

static void take_list(sigset_t *before) {
    sigset_t all;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, before);
    while (atomic_flag_test_and_set_explicit(&list_busy, memory_order_acquire)) {
    }
}

static void give_list(const sigset_t *before) {
    atomic_flag_clear_explicit(&list_busy, memory_order_release);
    (void)pthread_sigmask(SIG_SETMASK, before, NULL);
}

/** An entry for a path, which it owns from now on; null for want of memory. */
static ovi_litter *make_entry(char *path, bool folder) {
    ovi_litter *entry = path != NULL ? calloc(1, sizeof *entry) : NULL;
    if (entry == NULL) {
        free(path);
        return NULL;
    }
    *entry = (ovi_litter){.path = path, .owner = getpid(), .folder = folder};
    return entry;
}

static void link_entry(ovi_litter *entry) {
    entry->before = newest;
    if (newest != NULL) {
        newest->after = entry;
    }
    newest = entry;
    entry->listed = true;
}

static void unlink_entry(ovi_litter *entry) {
    if (!entry->listed) {
        return;
    }
    entry->listed = false;
    if (entry->before != NULL) {
        entry->before->after = entry->after;
    }
    *(entry->after != NULL ? &entry->after->before : &newest) = entry->before;
}

static void free_entry(ovi_litter *entry) {
    free(entry->path);
    free(entry);
}

static void forget(ovi_litter *entry) {
    sigset_t before;
    take_list(&before);
    unlink_entry(entry);
    give_list(&before);
    free_entry(entry);
}

static void sweep_away(const ovi_litter *entry) {
    (void)(entry->folder ? rmdir(entry->path) : unlink(entry->path));
}

void ov_files_abandon(void) {
    int cause = errno;
    sigset_t before;
    take_list(&before);
    // the newest first: what is in a folder goes before the folder
    for (const ovi_litter *entry = newest; entry != NULL; entry = entry->before) {
        if (entry->owner == getpid()) {
            sweep_away(entry);
        }
    }
    give_list(&before);
    errno = cause;
}

/* ---- several files at once ------------------------------------------------------------------- */

/** Notes an entry that is in the list already. For want of memory it goes at once. */
static bool undo_add(ovi_undo *undo, ovi_litter *entry) {
    ovi_litter **entries = ovi_grow(undo->entries, undo->count, sizeof *entries);
    if (entries == NULL) {
        sweep_away(entry);
        forget(entry);
        return false;
    }
    undo->entries = entries;
    entries[undo->count++] = entry;
    return true;
}

static void end_undo(ovi_undo *undo, bool keep) {
    int cause = errno;
    while (undo->count > 0) {
        ovi_litter *entry = undo->entries[--undo->count];
        if (!keep) {
            sweep_away(entry);
        }
        forget(entry);
    }
    free(undo->entries);
    undo->entries = NULL;
    errno = cause;
}

void ovi_undo_run(ovi_undo *undo) { end_undo(undo, false); }

ov_status ovi_folder_make(const char *path, ovi_undo *undo) {
    ovi_litter *entry = make_entry(strdup(path), true);
    if (entry == NULL) {
        return OV_ERROR_MEMORY;
    }
    sigset_t before;
    take_list(&before);
    bool made = mkdir(path, 0777) == 0;
    int cause = errno;
    if (made) {
        link_entry(entry);
    }
    give_list(&before);
    if (made) {
        return undo_add(undo, entry) ? OV_OK : OV_ERROR_MEMORY;
    }
    free_entry(entry);
    struct stat there;
    if (cause == EEXIST && stat(path, &there) == 0 && S_ISDIR(there.st_mode)) {
        return OV_OK;
    }
    errno = cause;
    return OV_ERROR_FILE_OPEN;
}

/* ---- where to -------------------------------------------------------------------------------- */

/** What a name stands for. */
typedef struct target {
    char *path;      /**< without links, from malloc */
    bool direct;     /**< no regular file, or an open one: written to as it is */
    int descriptor;  /**< one of this process that the name stands for, or -1 */
    bool exists;     /**< as a regular file, ... */
    struct stat old; /**< ... and this is what it is like */
} target;

/** Is a folder that of the open descriptors of a process? `*own`: of this one. */
static bool is_descriptors(const char *folder, bool *own) {
    char mine[64];
    size_t length = strlen(folder);
    (void)snprintf(mine, sizeof mine, "/proc/%ld/fd", (long)getpid());
    *own = strcmp(folder, mine) == 0;
    return length > 3 && strncmp(folder, "/proc/", 6) == 0 &&
           strcmp(folder + length - 3, "/fd") == 0;
}

/** The text of a link at `path`, as a path of its own; from malloc, null with errno. */
static char *follow(const char *folder, const char *path) {
    char text[4096];
    ssize_t length = readlink(path, text, sizeof text - 1);
    if (length < 0) {
        return NULL;
    }
    text[length] = '\0';
    return text[0] == '/' ? strdup(text) : ovi_path_join(folder, text);
}

/** One step from a name towards what it stands for: `*next` is where a link leads, or null. */
static ov_status step(const char *name, target *t, char **next) {
    const char *slash = strrchr(name, '/'), *last = slash == NULL ? name : slash + 1;
    char *above = ovi_folder_of(name), *folder = above != NULL ? realpath(above, NULL) : NULL;
    bool own = false, memory = above != NULL && (folder != NULL || errno != ENOMEM);
    ov_status status = OV_OK;
    *next = NULL;
    free(above);
    t->path = folder != NULL ? ovi_path_join(folder, last) : NULL;
    if (t->path == NULL) {
        status = memory && folder == NULL ? OV_ERROR_FILE_OPEN : OV_ERROR_MEMORY;
    } else if (is_descriptors(folder, &own)) {
        t->direct = true;
        t->descriptor = own && last[0] >= '0' && last[0] <= '9' ? atoi(last) : -1;
    } else if (last[0] == '\0') {
        errno = EISDIR;
        status = OV_ERROR_FILE_OPEN;
    } else if (lstat(t->path, &t->old) != 0) {
        status = errno == ENOENT ? OV_OK : OV_ERROR_FILE_OPEN;
    } else if (S_ISLNK(t->old.st_mode)) {
        *next = follow(folder, t->path);
        status = *next != NULL ? OV_OK : OV_ERROR_FILE_OPEN;
    } else if (S_ISDIR(t->old.st_mode)) {
        errno = EISDIR;
        status = OV_ERROR_FILE_OPEN;
    } else {
        t->exists = S_ISREG(t->old.st_mode);
        t->direct = !t->exists;
    }
    free(folder);
    return status;
}

/** Follows the links of a name. On failure errno says why, and nothing is to be freed. */
static ov_status find_target(const char *path, target *t) {
    char *name = strdup(path);
    ov_status status = name != NULL ? OV_OK : OV_ERROR_MEMORY;
    *t = (target){.path = NULL, .descriptor = -1};
    for (int i = 0; i <= LINKS_MAX && name != NULL && status == OV_OK; i++) {
        char *next = NULL;
        free(t->path);
        status = step(name, t, &next);
        free(name);
        name = next;
    }
    if (name != NULL && status == OV_OK) {
        errno = ELOOP;
        status = OV_ERROR_FILE_OPEN;
    }
    free(name);
    if (status == OV_OK && t->exists && access(t->path, W_OK) != 0) {
        status = OV_ERROR_FILE_OPEN;
    }
    if (status != OV_OK) {
        int cause = errno;
        free(t->path);
        t->path = NULL;
        errno = cause;
    }
    return status;
}

/* ---- a file being written -------------------------------------------------------------------- */

struct ov_file_out {
    FILE *stream;
    ovi_litter *temporary; /**< null: written to directly */
    target target;
};

/** A new file in the folder of `path`, in the list; negative with errno. */
static int create_beside(const char *path, mode_t mode, ovi_litter **entry) {
    size_t size = strlen(path) + 64;
    int folder = (int)(strrchr(path, '/') - path) + 1, descriptor = -1;
    *entry = make_entry(malloc(size), false);
    if (*entry == NULL) {
        errno = ENOMEM;
        return -1;
    }
    sigset_t before;
    take_list(&before);
    errno = EEXIST;
    for (int i = 0; i < NAME_TRIES && descriptor < 0 && errno == EEXIST; i++) {
        (void)snprintf((*entry)->path, size, "%.*s.ovoid-%ld-%d.part", folder, path, (long)getpid(),
                       i);
        descriptor = open((*entry)->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    }
    int cause = errno;
    if (descriptor >= 0) {
        link_entry(*entry);
    }
    give_list(&before);
    if (descriptor < 0) {
        free_entry(*entry);
        *entry = NULL;
    }
    errno = cause;
    return descriptor;
}

/** The new file is as the old one: its owner, where that is allowed, and its permissions. */
static void inherit(int descriptor, const struct stat *old) {
    if (fchown(descriptor, old->st_uid, old->st_gid) != 0) {
        (void)!fchown(descriptor, (uid_t)-1, old->st_gid);
    }
    (void)fchmod(descriptor, old->st_mode & 07777);
}

static int open_target(ov_file_out *out) {
    const target *t = &out->target;
    if (t->descriptor >= 0) {
        return dup(t->descriptor);
    }
    if (t->direct) {
        return open(t->path, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
    }
    // nobody may read what will not be for all, while it is made either
    int descriptor = create_beside(t->path, t->exists ? 0600 : 0666, &out->temporary);
    if (descriptor >= 0 && t->exists) {
        inherit(descriptor, &t->old);
    }
    return descriptor;
}

static void free_out(ov_file_out *out) {
    int cause = errno;
    if (out->temporary != NULL) {
        sweep_away(out->temporary);
        forget(out->temporary);
    }
    free(out->target.path);
    free(out);
    errno = cause;
}

ov_status ov_file_out_open(const char *path, ov_file_out **out) {
    if (out != NULL) {
        *out = NULL;
    }
    if (path == NULL || out == NULL) {
        return OV_ERROR_NULL;
    }
    if (path[0] == '\0') {
        errno = ENOENT;
        return OV_ERROR_FILE_OPEN;
    }
    ov_file_out *o = calloc(1, sizeof *o);
    if (o == NULL) {
        return OV_ERROR_MEMORY;
    }
    ov_status status = find_target(path, &o->target);
    if (status != OV_OK) {
        free_out(o);
        return status;
    }
    int descriptor = open_target(o);
    o->stream = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (o->stream == NULL) {
        int cause = errno;
        if (descriptor >= 0) {
            (void)close(descriptor);
        }
        errno = cause;
        free_out(o);
        return cause == ENOMEM ? OV_ERROR_MEMORY : OV_ERROR_FILE_OPEN;
    }
    *out = o;
    return OV_OK;
}

FILE *ov_file_out_stream(const ov_file_out *out) { return out != NULL ? out->stream : NULL; }

const char *ov_file_out_target(const ov_file_out *out) {
    return out != NULL && out->temporary != NULL ? out->target.path : NULL;
}

/** Brings all bytes to the disk: only then is it known whether they found room. */
static bool finish_stream(ov_file_out *out, bool sync) {
    bool good = fflush(out->stream) == 0 && !ferror(out->stream);
    int cause = errno;
    if (good && sync && out->temporary != NULL && fsync(fileno(out->stream)) != 0) {
        // some file systems have no such call
        good = errno == EINVAL || errno == ENOSYS || errno == ENOTSUP;
        cause = errno;
    }
    if (fclose(out->stream) != 0 && good) {
        good = false;
        cause = errno;
    }
    out->stream = NULL;
    errno = good ? errno : cause;
    return good;
}

/** Gives the file its name: one that is new is noted in `undo`; `last`: what is noted there stays
 *  from this moment on. Either may be null. */
static bool move_to_name(ov_file_out *out, ovi_undo *undo, ovi_undo *last) {
    ovi_litter *entry = out->temporary;
    sigset_t before;
    bool noted = undo != NULL && !out->target.exists;
    take_list(&before);
    bool good = rename(entry->path, out->target.path) == 0;
    int cause = errno;
    if (good && noted) {
        char *name = entry->path;
        entry->path = out->target.path;
        out->target.path = name;
    } else if (good) {
        unlink_entry(entry);
    }
    for (size_t i = 0; good && last != NULL && i < last->count; i++) {
        unlink_entry(last->entries[i]);
    }
    give_list(&before);
    errno = cause;
    if (!good) {
        return false;
    }
    out->temporary = NULL;
    if (noted) {
        return undo_add(undo, entry);
    }
    free_entry(entry);
    return true;
}

static ov_status commit(ov_file_out *out, ovi_undo *undo, ovi_undo *last) {
    // of many new files each one would wait for the disk, and no older one is at stake
    bool many = undo != NULL && !out->target.exists;
    bool good = out->stream == NULL || finish_stream(out, !many);
    if (good && out->temporary != NULL) {
        good = move_to_name(out, undo, last);
    }
    free_out(out);
    return good ? OV_OK : OV_ERROR_FILE_WRITE;
}

ov_status ov_file_out_finish(ov_file_out *out) {
    if (out == NULL) {
        return OV_ERROR_NULL;
    }
    return out->stream == NULL || finish_stream(out, true) ? OV_OK : OV_ERROR_FILE_WRITE;
}

ov_status ov_file_out_commit(ov_file_out *out) {
    return out != NULL ? commit(out, NULL, NULL) : OV_ERROR_NULL;
}

void ov_file_out_abandon(ov_file_out *out) {
    if (out != NULL) {
        int cause = errno;
        if (out->stream != NULL) {
            (void)fclose(out->stream);
        }
        errno = cause;
        free_out(out);
    }
}

/* ---- whole files ----------------------------------------------------------------------------- */

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

static ov_status write_file(const char *path, ovi_undo *undo, ovi_undo *last, ovi_writer writer,
                            const void *what) {
    ov_file_out *out;
    ov_status status = ov_file_out_open(path, &out);
    if (status != OV_OK) {
        return status;
    }
    status = ovi_stream_write(out->stream, writer, what);
    if (status != OV_OK) {
        ov_file_out_abandon(out);
        return status;
    }
    return commit(out, undo, last);
}

ov_status ovi_file_write(const char *path, ovi_undo *undo, ovi_writer writer, const void *what) {
    return write_file(path, undo, NULL, writer, what);
}

ov_status ovi_file_write_last(const char *path, FILE *stream, ovi_undo *undo, ovi_writer writer,
                              const void *what) {
    ov_status status = path != NULL ? write_file(path, NULL, undo, writer, what)
                                    : ovi_stream_write(stream, writer, what);
    end_undo(undo, status == OV_OK);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

unsigned char *ovi_bytes_read(FILE *stream, size_t limit, size_t *size) {
    size_t room = 1 << 16;
    unsigned char *bytes = malloc(room);
    *size = 0;
    while (bytes != NULL) {
        *size += fread(bytes + *size, 1, room - *size, stream);
        if (*size < room || *size > limit) {
            return bytes;
        }
        // one byte more than the limit tells that there are more
        size_t wanted = room > limit / 2 ? limit + 1 : 2 * room;
        unsigned char *more = realloc(bytes, wanted);
        if (more == NULL) {
            free(bytes);
        }
        bytes = more;
        room = wanted;
    }
    return NULL;
}

/* ---- paths ----------------------------------------------------------------------------------- */

char *ovi_folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    if (slash == NULL) {
        return strdup(".");
    }
    // "/robot.urdf" lies in "/"
    return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

char *ovi_path_join(const char *folder, const char *name) {
    size_t length = strlen(folder), size = length + strlen(name) + 2;
    char *path = malloc(size);
    if (path != NULL) {
        bool slash = length == 0 || folder[length - 1] == '/';
        (void)snprintf(path, size, "%s%s%s", folder, slash ? "" : "/", name);
    }
    return path;
}

/* ---- bytes, lowest first --------------------------------------------------------------------- */

double ovi_bytes_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

unsigned char *ovi_put_u32(unsigned char *out, uint32_t value) {
    for (int k = 0; k < 4; k++) {
        *out++ = (unsigned char)(value >> (8 * k) & 0xffu);
    }
    return out;
}

unsigned char *ovi_put_floats(unsigned char *out, ov_vec3 v) {
    const double values[3] = {v.x, v.y, v.z};
    for (int k = 0; k < 3; k++) {
        float single = (float)values[k];
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        out = ovi_put_u32(out, bits);
    }
    return out;
}
