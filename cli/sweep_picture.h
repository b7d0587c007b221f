/**
 * @file sweep_picture.h
 * @brief A picture of a motion, as SVG: its bodies at several times, and a bar of time below.
 */
#ifndef OVOID_CLI_SWEEP_PICTURE_H
#define OVOID_CLI_SWEEP_PICTURE_H

#include "sweep_report.h"

/** More things than this are not drawn, nor more parts and faces of all of them together. */
enum { SWEEP_PICTURE_THINGS_MAX = 300, SWEEP_PICTURE_PIECES_MAX = 20000 };

/** Writes the picture to an open file. CLI_BAD_INPUT after a message. */
int sweep_picture_write(cli *c, const sweep_report *r, const cli_output *out);

#endif
