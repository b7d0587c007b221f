/**
 * @file table.c
 * @brief Cells of tables: printf counts bytes, where a table needs columns.
 */
#include "table.h"

#include <math.h>
#include <string.h>

int table_width(const char *text) {
    int width = 0;
    for (; *text != '\0'; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return width;
}

void table_cell(FILE *out, const char *text, int width) {
    int blanks = width - table_width(text);
    fprintf(out, "%s%*s", text, blanks > 0 ? blanks : 0, "");
}

void table_cut(const char *text, int width, char *cut, size_t size) {
    static const char mark[] = "\xe2\x80\xa6";
    size_t length = strlen(text);
    if (table_width(text) <= width && length < size) {
        memcpy(cut, text, length + 1);
        return;
    }
    size_t used = 0;
    for (int columns = 1; columns < width; columns++) {
        size_t next = used + 1;
        while (((unsigned char)text[next] & 0xc0) == 0x80) {
            next++;
        }
        if (next > length || next + sizeof mark > size) {
            break;
        }
        used = next;
    }
    memcpy(cut, text, used);
    memcpy(cut + used, mark, sizeof mark);
}

void table_csv(FILE *out, const char *text) {
    if (strpbrk(text, ",\"") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        fprintf(out, *text == '"' ? "\"%c" : "%c", *text);
    }
    fputc('"', out);
}

int table_time_digits(double start, double end, int digits) {
    double far = fmax(fabs(start), fabs(end)) / (end - start);
    double more = far > 1.0 ? floor(log10(far)) : 0.0;
    return (int)fmin((double)digits + more, 17.0);
}
