/**
 * @file text.c
 * @brief What the readers share: messages, misspelt words, names.
 */
#include <string.h>

#include "io_internal.h"

static ov_status fill_fault(ov_fault *fault, ov_status status, ov_fault_place place, size_t index,
                            const char *format, va_list values) {
    if (fault == NULL) {
        return status;
    }
    fault->place = place;
    fault->index = index;
    (void)vsnprintf(fault->text, sizeof fault->text, format, values);
    // the text may quote the file: it stays one line and sends a terminal no commands
    for (char *s = fault->text; *s != '\0'; s++) {
        if ((unsigned char)*s < 0x20 || *s == 0x7f) {
            *s = '?';
        }
    }
    return status;
}

ov_status ovi_file_fault_list(ov_fault *fault, ov_status status, size_t line, const char *format,
                              va_list values) {
    ov_fault_place place = line > 0 ? OV_FAULT_PLACE_LINE : OV_FAULT_PLACE_NONE;
    return fill_fault(fault, status, place, line, format, values);
}

ov_status ovi_file_fault(ov_fault *fault, ov_status status, size_t line, const char *format, ...) {
    va_list values;
    va_start(values, format);
    (void)ovi_file_fault_list(fault, status, line, format, values);
    va_end(values);
    return status;
}

ov_status ovi_fault_at(ov_fault *fault, ov_status status, ov_fault_place place, size_t index,
                       const char *format, ...) {
    va_list values;
    va_start(values, format);
    (void)fill_fault(fault, status, place, index, format, values);
    va_end(values);
    return status;
}

/** Insertions, removals and replacements that make `a` into `b`; `most` + 1 if more than that. */
static size_t edit_distance(const char *a, const char *b, size_t most) {
    enum { LONGEST = 40 };
    size_t row[LONGEST + 1], rows = strlen(a), columns = strlen(b);
    if (rows > LONGEST || columns > LONGEST) {
        return most + 1;
    }
    for (size_t j = 0; j <= columns; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= rows; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            size_t replaced = corner + (a[i - 1] != b[j - 1]);
            size_t moved = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            corner = row[j];
            row[j] = replaced < moved ? replaced : moved;
        }
    }
    return row[columns] <= most ? row[columns] : most + 1;
}

const char *ovi_nearest(const char *word, const char *const *words, size_t count) {
    // a third of the letters wrong is still a misspelling, more is another word
    size_t most = strlen(word) / 3 + 1;
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t distance = edit_distance(word, words[i], most);
        if (distance <= most) {
            nearest = words[i];
            if (distance == 0) {
                break;
            }
            most = distance - 1;
        }
    }
    return nearest;
}

/** Bytes of the UTF-8 character at `s`; 0 for a control character and for what is not UTF-8. */
static size_t character_length(const unsigned char *s) {
    if (s[0] < 0x80) {
        return s[0] >= 0x20 && s[0] != 0x7f ? 1 : 0;
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
    // over-long forms, surrogates, beyond the last character, and the control characters of C1
    bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
               (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f) ||
               (s[0] == 0xc2 && s[1] < 0xa0);
    return bad ? 0 : length;
}

bool ovi_is_name(const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    size_t length = 0;
    while (s[length] != '\0') {
        size_t step = character_length(s + length);
        length += step;
        if (step == 0 || length > OV_SCENE_NAME_MAX) {
            return false;
        }
    }
    return length > 0;
}
