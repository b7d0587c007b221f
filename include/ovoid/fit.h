/**
 * @file fit.h
 * @brief All of `libovoid_fit` in one include: meshes and point clouds to smooth bodies.
 *
 * Unlike the core, this library allocates memory with malloc. It does not print, and the same input
 * and seed give the same bits.
 */
#ifndef OVOID_FIT_H
#define OVOID_FIT_H

#include <ovoid/fit_input.h>
#include <ovoid/fit_mesh.h>
#include <ovoid/fit_parts.h>
#include <ovoid/fit_segments.h>
#include <ovoid/fit_shape.h>

#endif
