/**
 * @file io.h
 * @brief All of `libovoid_io` in one include: hulls, meshes, scenes, robots, distance maps, files.
 *
 * Unlike the core, this library allocates memory, opens files, and needs qhull, jansson and expat.
 * It does not print. It reads and writes numbers as in the C locale, whatever the locale of the
 * program is.
 */
#ifndef OVOID_IO_H
#define OVOID_IO_H

#include <ovoid/io_file.h>
#include <ovoid/io_mesh.h>
#include <ovoid/io_robot.h>
#include <ovoid/io_scene.h>
#include <ovoid/io_sim.h>
#include <ovoid/io_touch.h>

#endif
