/**
 * @file main.c
 * @brief Entry point of the `ovoid` command; all else is in cli_main, which other programs (the
 * fuzz target) can call too.
 */
#include <stdio.h>

#include "cli.h"

int main(int argc, char **argv) { return cli_main(argc, argv, stdout, stderr); }
