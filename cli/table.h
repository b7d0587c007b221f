/**
 * @file table.h
 * @brief Cells of tables: texts in UTF-8 of any width, for people and as CSV.
 */
#ifndef OVOID_CLI_TABLE_H
#define OVOID_CLI_TABLE_H

#include <stddef.h>
#include <stdio.h>

/** Width of a UTF-8 text, a column a character. */
int table_width(const char *text);
/** A text, and blanks up to a width. */
void table_cell(FILE *out, const char *text, int width);
/** A text of no more than `width` columns, whole characters and "…" where it is cut; `size` of at
 *  least 8 is room for them, or for fewer. */
void table_cut(const char *text, int width, char *cut, size_t size);
/** A text as a field of comma-separated values: in quotes where it needs them. */
void table_csv(FILE *out, const char *text);

/** Digits with which a time between two others is told: more than `digits` where these are far from
 *  zero and near each other. */
int table_time_digits(double start, double end, int digits);

#endif
