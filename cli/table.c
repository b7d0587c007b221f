/**
 * @file table.c
 * @brief Cells of tables: printf counts bytes, where a table needs columns.
 */
#include "table.h"

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
