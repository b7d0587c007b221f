/**
 * @file wasi_posix.h
 * @brief What the writers ask of a POSIX system and wasi-libc does not have: signals, processes and
 * owners. In a module there are none, so each of these has nothing to do. And the digits of
 * numbers, which JavaScript finds (numbers.ts): to print and to read doubles would take a tenth of
 * the module.
 */
#ifndef STUDIO_WASI_POSIX_H
#define STUDIO_WASI_POSIX_H

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

/** The fewest digits that read back as a positive number: digits 10^exponent, the nearest such. */
__attribute__((import_module("studio"), import_name("shortest"))) uint64_t
studio_shortest(double value, int *exponent);
#define OVI_SHORTEST_ELSEWHERE studio_shortest

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
/** There is no locale but C's. */
#include <locale.h>
#define newlocale(mask, name, base) ((void)(mask), (void)(name), (void)(base), LC_GLOBAL_LOCALE)
#define uselocale(locale) ((void)(locale), LC_GLOBAL_LOCALE)
#define freelocale(locale) ((void)(locale))
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
