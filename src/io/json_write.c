/**
 * @file json_write.c
 * @brief JSON that is written: text and numbers. Apart from what reads it, so that who only writes
 * needs no parser.
 */
#include "json.h"

/* Errors stay in the stream and are looked at when everything is written. */

void ovi_json_text(FILE *f, const char *text) {
    (void)fputc('"', f);
    for (const char *s = text; *s != '\0'; s++) {
        // names hold no control characters: these two are all that must be escaped
        if (*s == '"' || *s == '\\') {
            (void)fputc('\\', f);
        }
        (void)fputc(*s, f);
    }
    (void)fputc('"', f);
}

void ovi_json_numbers(FILE *f, const double *v, int count) {
    for (int i = 0; i < count; i++) {
        (void)fputs(i > 0 ? ", " : "[", f);
        ovi_number_write(f, v[i]);
    }
    (void)fputc(']', f);
}
