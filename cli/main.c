/**
 * @file main.c
 * @brief Entry point of the `ovoid` command.
 */
#include "cli.h"

int main(int argc, char **argv) {
    cli_begin();
    return cli_main(argc, argv, stdout, stderr);
}
