/**
 * @file xml_write.c
 * @brief XML that is written: text, numbers and attributes. Apart from the reader, so that who only
 * writes needs no parser.
 */
#include <float.h>
#include <math.h>

#include "xml.h"

/* Errors stay in the stream and are looked at when everything is written. */

void ovi_xml_text(FILE *f, const char *text) {
    for (const char *s = text; *s != '\0'; s++) {
        switch (*s) {
        case '&':
            (void)fputs("&amp;", f);
            break;
        case '<':
            (void)fputs("&lt;", f);
            break;
        case '>':
            (void)fputs("&gt;", f);
            break;
        case '"':
            (void)fputs("&quot;", f);
            break;
        case '\t':
        case '\n':
        case '\r':
            // as they are, a reader would make spaces of them
            (void)fprintf(f, "&#%d;", *s);
            break;
        default:
            (void)fputc(*s, f);
        }
    }
}

void ovi_xml_number(FILE *f, double value) {
    ovi_number_write(f, isinf(value) ? copysign(DBL_MAX, value) : value);
}

void ovi_xml_numbers(FILE *f, const char *name, const double *values, int count) {
    (void)fprintf(f, " %s=\"", name);
    for (int i = 0; i < count; i++) {
        (void)fputs(i > 0 ? " " : "", f);
        ovi_xml_number(f, values[i]);
    }
    (void)fputc('"', f);
}

void ovi_xml_vec3(FILE *f, const char *name, ov_vec3 value) {
    const double values[3] = {value.x, value.y, value.z};
    ovi_xml_numbers(f, name, values, 3);
}

void ovi_xml_string(FILE *f, const char *name, const char *text) {
    (void)fprintf(f, " %s=\"", name);
    ovi_xml_text(f, text);
    (void)fputc('"', f);
}
