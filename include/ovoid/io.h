/**
 * @file io.h
 * @brief All of `libovoid_io` in one include: hulls, meshes, scenes, robots, and files.
 *
 * This library allocates, opens files and needs qhull, jansson and expat; the core does none of
 * that. Nothing here prints. Numbers are read and written in the C locale, whatever the program's
 * own locale is.
 */
#ifndef OVOID_IO_H
#define OVOID_IO_H

#include <ovoid/io_file.h>
#include <ovoid/io_mesh.h>
#include <ovoid/io_robot.h>
#include <ovoid/io_scene.h>

#endif
