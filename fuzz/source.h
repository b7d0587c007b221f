/**
 * @file source.h
 * @brief Numbers from the bytes of a fuzzer's input; zeros where it has ended.
 */
#ifndef OVOID_FUZZ_SOURCE_H
#define OVOID_FUZZ_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct source {
    const uint8_t *data;
    size_t size;
    bool wild; /**< may hold any double at all */
} source;

static unsigned take_byte(source *s) {
    if (s->size == 0) {
        return 0;
    }
    s->size--;
    return *s->data++;
}

/** From 0 to 1. */
static double take_unit(source *s) {
    unsigned high = take_byte(s), low = take_byte(s);
    return (double)(high << 8 | low) / 65535.0;
}

/** Any double at all. */
static double take_raw(source *s) {
    double raw;
    uint8_t bytes[sizeof raw];
    for (size_t i = 0; i < sizeof raw; i++) {
        bytes[i] = (uint8_t)take_byte(s);
    }
    memcpy(&raw, bytes, sizeof raw);
    return raw;
}

#endif
