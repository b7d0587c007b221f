/**
 * @file io_internal.h
 * @brief What the files of src/io/ share. They ask for POSIX.1-2008 before their first include.
 */
#ifndef OVI_IO_INTERNAL_H
#define OVI_IO_INTERNAL_H

#include <locale.h>
#include <stdbool.h>

#include <ovoid/io.h>

/**
 * Turns the inward folds of a closed triangle mesh outwards by flipping edges (hull_flip.c). False
 * for want of memory; else the mesh is closed as before, and as convex as flips can make it.
 */
bool ovi_hull_flip(const ov_vec3 *vertices, uint32_t (*triangles)[3], size_t triangle_count);

/** The locale that a thread had before it went over to C's. */
typedef struct ovi_locale {
    locale_t before, c;
} ovi_locale;

/** From here on this thread reads and writes numbers with a point; false for want of memory. */
static inline bool ovi_locale_enter(ovi_locale *locale) {
    locale->c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (locale->c == (locale_t)0) {
        return false;
    }
    locale->before = uselocale(locale->c);
    return true;
}

static inline void ovi_locale_leave(const ovi_locale *locale) {
    (void)uselocale(locale->before);
    freelocale(locale->c);
}

#endif
