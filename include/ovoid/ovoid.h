/**
 * @file ovoid.h
 * @brief The whole core library in one include, and its version.
 *
 * The core (`libovoid`) needs the C library and libm, nothing else. `ovoid/io.h` belongs to
 * `libovoid_io` and `ovoid/schemes.h` to `libovoid_schemes`; they are not pulled in from here.
 *
 * In options and definitions zero means the default, field by field: see ovoid/math.h.
 */
#ifndef OVOID_OVOID_H
#define OVOID_OVOID_H

#include <ovoid/math.h>
#include <ovoid/motion.h>
#include <ovoid/query.h>
#include <ovoid/shape.h>
#include <ovoid/status.h>
#include <ovoid/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of these headers; the build reads it from here, so this is its one home. */
#define OV_VERSION_MAJOR 0
#define OV_VERSION_MINOR 1
#define OV_VERSION_PATCH 0

/** Version of the library that is linked, as "major.minor.patch". */
const char *ov_version_string(void);

#ifdef __cplusplus
}
#endif

#endif
