/**
 * @file table.c
 * @brief Numbers, tables and fields of CSV.
 *
 * printf counts bytes, where a table needs columns. A table that would be wider than a screen has
 * its names cut, the longest first, down to a few letters; what is cut is whole in CSV, in JSON and
 * in a wide table.
 */
#include "table.h"

#include <math.h>
#include <string.h>

/* ---- numbers --------------------------------------------------------------------------------- */

const char *number_rounded(double value, int digits, char *text) {
    if (isnan(value)) {
        return strcpy(text, "nan");
    }
    snprintf(text, OV_NUMBER_TEXT_MAX, "%.*g", digits, value + 0.0);
    return text;
}

int table_time_digits(double start, double end, int digits) {
    double far = fmax(fabs(start), fabs(end)) / (end - start);
    double more = far > 1.0 ? floor(log10(far)) : 0.0;
    return (int)fmin((double)digits + more, 17.0);
}

/* ---- texts ----------------------------------------------------------------------------------- */

int table_width(const char *text) {
    int width = 0;
    for (; *text != '\0'; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return width;
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

/* ---- CSV ------------------------------------------------------------------------------------- */

void csv_text(FILE *out, const char *text) {
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

void csv_number(FILE *out, double value) {
    char text[OV_NUMBER_TEXT_MAX];
    fprintf(out, ",%s", ov_number_text(value, text));
}

void csv_contact(FILE *out, const ov_contact *k) {
    const double numbers[12] = {k->gap,       k->gap_lower, k->gap_upper, k->point_a.x,
                                k->point_a.y, k->point_a.z, k->point_b.x, k->point_b.y,
                                k->point_b.z, k->normal.x,  k->normal.y,  k->normal.z};
    fprintf(out, "%s,%s", ov_status_name(k->status), ov_relation_name(k->relation));
    for (int i = 0; i < 12; i++) {
        csv_number(out, numbers[i]);
    }
    fprintf(out, ",%d", k->iterations);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/** No name is cut to less than this. */
enum { LEAST_NAME = 6, CUT_BYTES = 4 * TABLE_WIDTH + 8 };

/** Blanks before a column. */
static int gap_before(const table *t, size_t column) {
    return column == 0 ? 0 : t->columns[column].kind == TABLE_COMPONENT ? 1 : 2;
}

void table_number(table_cells *cells, size_t column, double value, int digits) {
    char *text = cells->numbers[column];
    cells->texts[column] =
        cells->wide ? ov_number_text(value, text) : number_rounded(value, digits, text);
}

void table_fixed(table_cells *cells, size_t column, double value, int decimals) {
    char *text = cells->numbers[column];
    if (cells->wide || !(fabs(value) < 1e7) || decimals < 0) {
        table_number(cells, column, value, 5);
        return;
    }
    // no "-0" among the digits that are shown
    double shown = fabs(value) < 0.5 * pow(10.0, -decimals) ? 0.0 : value;
    snprintf(text, OV_NUMBER_TEXT_MAX, "%.*f", decimals, shown);
    cells->texts[column] = text;
}

void table_count(table_cells *cells, size_t column, size_t value) {
    snprintf(cells->numbers[column], OV_NUMBER_TEXT_MAX, "%zu", value);
    cells->texts[column] = cells->numbers[column];
}

int table_decimals(double largest) {
    if (!(largest > 0.0)) {
        return 3;
    }
    double decimals = 3.0 - floor(log10(largest));
    // tiny ones are told by their digits
    return decimals > 12.0 ? -1 : (int)fmax(decimals, 0.0);
}

static bool is_shown(const table *t, size_t column) {
    int when = (int)t->columns[column].when;
    return when == TABLE_ALWAYS || (when == TABLE_WIDE) == t->wide;
}

static void fill(const table *t, size_t row, table_cells *cells) {
    *cells = (table_cells){.wide = t->wide};
    t->fill(t->user, row, cells);
}

/** Widths of the columns; names are cut until all of them fit. */
static void measure(const table *t, int widths[TABLE_COLUMNS_MAX]) {
    table_cells cells;
    for (size_t k = 0; k < t->column_count; k++) {
        widths[k] = table_width(t->columns[k].head);
    }
    for (size_t i = 0; i < t->rows; i++) {
        fill(t, i, &cells);
        for (size_t k = 0; k < t->column_count; k++) {
            int width = cells.texts[k] != NULL ? table_width(cells.texts[k]) : 0;
            widths[k] = width > widths[k] ? width : widths[k];
        }
    }
    int total = 0;
    for (size_t k = 0; k < t->column_count; k++) {
        total += is_shown(t, k) ? gap_before(t, k) + widths[k] : 0;
    }
    for (; total > TABLE_WIDTH && !t->wide; total--) {
        size_t longest = t->column_count;
        for (size_t k = 0; k < t->column_count; k++) {
            if (t->columns[k].kind == TABLE_NAME && is_shown(t, k) && widths[k] > LEAST_NAME &&
                (longest == t->column_count || widths[k] > widths[longest])) {
                longest = k;
            }
        }
        if (longest == t->column_count) {
            break;
        }
        widths[longest]--;
    }
}

static void print_row(FILE *out, const table *t, const char *const *texts, const int *widths) {
    int blanks = 0; // only what has something after it is filled up
    for (size_t k = 0; k < t->column_count; k++) {
        const char *text = texts[k] != NULL ? texts[k] : "";
        char cut[CUT_BYTES];
        if (!is_shown(t, k)) {
            continue;
        }
        if (table_width(text) > widths[k]) {
            table_cut(text, widths[k], cut, sizeof cut);
            text = cut;
        }
        int rest = widths[k] - table_width(text);
        bool right = t->columns[k].kind >= TABLE_NUMBER;
        blanks += gap_before(t, k);
        if (text[0] != '\0') {
            fprintf(out, "%*s%s", blanks + (right ? rest : 0), "", text);
            blanks = right ? 0 : rest;
        } else {
            blanks += widths[k];
        }
    }
    fputc('\n', out);
}

void table_print(FILE *out, const table *t) {
    int widths[TABLE_COLUMNS_MAX];
    const char *heads[TABLE_COLUMNS_MAX];
    table_cells cells;
    measure(t, widths);
    for (size_t k = 0; k < t->column_count; k++) {
        heads[k] = t->columns[k].head;
    }
    print_row(out, t, heads, widths);
    for (size_t i = 0; i < t->rows; i++) {
        fill(t, i, &cells);
        print_row(out, t, cells.texts, widths);
    }
}
