/**
 * @file table.h
 * @brief Cells of tables for people: texts in UTF-8 of any width.
 */
#ifndef OVOID_CLI_TABLE_H
#define OVOID_CLI_TABLE_H

#include <stdio.h>

/** Width of a UTF-8 text, a column a character. */
int table_width(const char *text);
/** A text, and blanks up to a width. */
void table_cell(FILE *out, const char *text, int width);

#endif
