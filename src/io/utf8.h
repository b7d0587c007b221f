/**
 * @file utf8.h
 * @brief Which bytes are UTF-8, for names in files (text.c) and for the JSON of the command.
 */
#ifndef OVI_UTF8_H
#define OVI_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/** Bytes of the UTF-8 character at `s`, control characters and the final zero included; 0 where
 *  there is none. */
static inline size_t ovi_utf8_length(const unsigned char *s) {
    if (s[0] < 0x80) {
        return 1;
    }
    if (s[0] < 0xc2 || s[0] > 0xf4) {
        return 0;
    }
    size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    // over-long forms, surrogates, and beyond the last code point
    bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
               (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f);
    return bad ? 0 : length;
}

#endif
