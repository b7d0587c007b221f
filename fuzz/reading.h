/**
 * @file reading.h
 * @brief What the fuzz targets of the readers share: promises, streams of bytes, sameness.
 */
#ifndef OVOID_FUZZ_READING_H
#define OVOID_FUZZ_READING_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/io.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void demand(bool good, const char *what) {
    if (!good) {
        fprintf(stderr, "broken promise: %s\n", what);
        abort();
    }
}

static inline FILE *open_bytes(const void *bytes, size_t size) {
    // a memory stream of no bytes cannot be opened
    FILE *f = size > 0 ? fmemopen((void *)(uintptr_t)bytes, size, "rb") : fopen("/dev/null", "rb");
    demand(f != NULL, "a stream can be opened");
    return f;
}

/** What a reader says of a file: something with failure only, and nothing that moves a terminal. */
static inline void judge_text(ov_status status, const ov_fault *fault) {
    demand((status == OV_OK) == (fault->text[0] == '\0'), "a text only with failure");
    demand(memchr(fault->text, '\0', sizeof fault->text) != NULL, "the text ends");
    for (const char *c = fault->text; *c != '\0'; c++) {
        demand((unsigned char)*c >= 0x20 && *c != 0x7f, "the text is printable");
    }
}

/* ---- sameness, but for the sign of zero, which most files do not keep; a NaN is a NaN */

static inline bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static inline bool same_vec3(ov_vec3 a, ov_vec3 b) {
    return same_number(a.x, b.x) && same_number(a.y, b.y) && same_number(a.z, b.z);
}

#endif
