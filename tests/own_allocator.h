/**
 * @file own_allocator.h
 * @brief malloc and its kin, which count and can be told to fail; not where a sanitizer has its
 * own.
 */
#ifndef OVOID_TESTS_OWN_ALLOCATOR_H
#define OVOID_TESTS_OWN_ALLOCATOR_H

#include <stdbool.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define OWN_ALLOCATOR 0
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define OWN_ALLOCATOR 0
#endif
#ifndef OWN_ALLOCATOR
#define OWN_ALLOCATOR 1
#endif

#if OWN_ALLOCATOR
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *p);

static long alloc_calls, alloc_alive, alloc_fail_at;
static bool alloc_fail_after;

static bool denied(void) {
    alloc_calls++;
    return alloc_fail_at > 0 &&
           (alloc_calls == alloc_fail_at || (alloc_fail_after && alloc_calls > alloc_fail_at));
}

static void *counted(void *p) {
    alloc_alive += p != NULL;
    return p;
}

void *malloc(size_t size) { return denied() ? NULL : counted(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) {
    return denied() ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *old, size_t size) {
    if (old == NULL) {
        return malloc(size);
    }
    return denied() ? NULL : __libc_realloc(old, size);
}

void free(void *p) {
    alloc_alive -= p != NULL;
    __libc_free(p);
}
#endif

#endif
