/**
 * @file ovoid.h
 * @brief The whole core library in one include, and its version.
 *
 * The core (`libovoid`) needs the C library and libm, nothing else. `ovoid/fit.h`, which includes
 * all `ovoid/fit_...h`, belongs to `libovoid_fit`, `ovoid/io.h` with all `ovoid/io_...h` to
 * `libovoid_io`, and `ovoid/schemes.h` to `libovoid_schemes`; this header does not include them.
 *
 * In options and definitions zero means the default, field by field: see ovoid/math.h.
 */
#ifndef OVOID_OVOID_H
#define OVOID_OVOID_H

#include <stdbool.h>

#include <ovoid/math.h>
#include <ovoid/model.h>
#include <ovoid/motion.h>
#include <ovoid/query.h>
#include <ovoid/shape.h>
#include <ovoid/sim.h>
#include <ovoid/sim_cloth.h>
#include <ovoid/status.h>
#include <ovoid/system.h>
#include <ovoid/touch.h>
#include <ovoid/trimesh.h>
#include <ovoid/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of these headers; the build reads it from here. */
#define OV_VERSION_MAJOR 0
#define OV_VERSION_MINOR 1
#define OV_VERSION_PATCH 0

/** The version as one number: 1002003 for 1.2.3. */
#define OV_VERSION_NUMBER (OV_VERSION_MAJOR * 1000000 + OV_VERSION_MINOR * 1000 + OV_VERSION_PATCH)

/** Version of the linked library, as "major.minor.patch". */
const char *ov_version_string(void);
/** OV_VERSION_NUMBER of the linked library. */
int ov_version_number(void);

/**
 * Does the linked library have the interface of these headers? It does if the major and minor
 * versions are equal and its patch is not older. Structs are open, so for any other version the
 * program must be compiled again.
 */
static inline bool ov_version_matches(void) {
    int linked = ov_version_number();
    return linked / 1000 == OV_VERSION_NUMBER / 1000 && linked >= OV_VERSION_NUMBER;
}

#ifdef __cplusplus
}
#endif

#endif
