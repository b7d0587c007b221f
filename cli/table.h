/**
 * @file table.h
 * @brief What is printed for people and programs: numbers, tables, and fields of CSV.
 *
 * Tables have rounded numbers and fit a screen; with all columns and digits they are as wide as
 * they need to be. CSV and JSON have the shortest texts that read back exactly.
 */
#ifndef OVOID_CLI_TABLE_H
#define OVOID_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <ovoid/io.h>
#include <ovoid/query.h>

/* ---- numbers --------------------------------------------------------------------------------- */

/** So many significant digits, and 0 for -0; `text` has room for OV_NUMBER_TEXT_MAX bytes. The
 *  shortest text that reads back is ov_number_text. */
const char *number_rounded(double value, int digits, char *text);

/** Digits with which a time between two others is told: more than `digits` where these are far from
 *  zero and near each other. */
int table_time_digits(double start, double end, int digits);

/* ---- texts in UTF-8, a column per character -------------------------------------------------- */

int table_width(const char *text);
/** A text of no more than `width` columns, whole characters and "…" where it is cut; `size` of at
 *  least 8 is room for them, or for fewer. */
void table_cut(const char *text, int width, char *cut, size_t size);

/* ---- CSV ------------------------------------------------------------------------------------- */

/** A text as a field of comma-separated values: in quotes where it needs them. */
void csv_text(FILE *out, const char *text);
/** A comma and a number. */
void csv_number(FILE *out, double value);

/** The columns of a contact, and their values. */
#define CSV_CONTACT_HEAD                                                                           \
    "status,relation,gap,gap_lower,gap_upper,ax,ay,az,bx,by,bz,nx,ny,nz,iterations"
void csv_contact(FILE *out, const ov_contact *contact);

/* ---- tables ---------------------------------------------------------------------------------- */

enum { TABLE_COLUMNS_MAX = 20, TABLE_WIDTH = 100 };

typedef struct table_column {
    const char *head;
    /** Names are cut where they must be; the components of a vector stand near each other. */
    enum { TABLE_NAME, TABLE_WORD, TABLE_NUMBER, TABLE_COMPONENT } kind;
    enum { TABLE_ALWAYS, TABLE_WIDE, TABLE_NARROW } when;
} table_column;

/** The cells of a row: texts that live until the next row is asked for. */
typedef struct table_cells {
    bool wide;
    const char *texts[TABLE_COLUMNS_MAX]; /**< null: empty */
    char numbers[TABLE_COLUMNS_MAX][OV_NUMBER_TEXT_MAX];
} table_cells;

/** A number in a column: so many significant digits, or all of them where the table is wide. */
void table_number(table_cells *cells, size_t column, double value, int digits);
/** The same with so many decimals, as for lists of coordinates (see table_decimals). */
void table_fixed(table_cells *cells, size_t column, double value, int decimals);
void table_count(table_cells *cells, size_t column, size_t value);
/** Decimals that give numbers up to `largest` four significant digits. */
int table_decimals(double largest);

typedef struct table {
    const table_column *columns;
    size_t column_count, rows;
    bool wide;
    /** Fills the cells of a row; it is asked twice for each. */
    void (*fill)(const void *user, size_t row, table_cells *cells);
    const void *user;
} table;

/** Prints the heads and all rows; columns are as wide as their cells. */
void table_print(FILE *out, const table *t);

#endif
