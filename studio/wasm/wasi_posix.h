/**
 * @file wasi_posix.h
 * @brief What the writers ask of a POSIX system and wasi-libc does not have: signals, processes and
 * owners. In a module there are none, so each of these has nothing to do.
 */
#ifndef STUDIO_WASI_POSIX_H
#define STUDIO_WASI_POSIX_H

#include <errno.h>
#include <string.h>
#include <sys/types.h>

typedef int studio_sigset;
#define sigset_t studio_sigset
#define SIG_SETMASK 2
static inline int sigfillset(sigset_t *set) { return *set = 0; }
static inline int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
    (void)how;
    (void)set;
    return old != 0 ? *old = 0 : 0;
}
static inline pid_t getpid(void) { return 1; }
static inline mode_t umask(mode_t mask) { return mask; }
static inline int fchown(int descriptor, uid_t owner, gid_t group) {
    (void)descriptor;
    (void)owner;
    (void)group;
    return 0;
}
static inline int fchmod(int descriptor, mode_t mode) {
    (void)descriptor;
    (void)mode;
    return 0;
}
/** There are no links to follow. */
static inline char *realpath(const char *path, char *resolved) {
    (void)resolved;
    return strdup(path);
}
static inline int dup(int descriptor) {
    (void)descriptor;
    errno = ENOTSUP;
    return -1;
}

#endif
