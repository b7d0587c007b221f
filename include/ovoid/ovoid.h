/**
 * @file ovoid.h
 * @brief The whole core library in one include, and its version.
 *
 * The core (`libovoid`) needs the C library and libm, nothing else. `ovoid/io.h`, which is
 * all of the `io_...h`, belongs to `libovoid_io`, and `ovoid/schemes.h` to `libovoid_schemes`; they
 * are not pulled in from here.
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
#include <ovoid/status.h>
#include <ovoid/system.h>
#include <ovoid/trimesh.h>
#include <ovoid/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of these headers; the build reads it from here, so this is its one home. */
#define OV_VERSION_MAJOR 0
#define OV_VERSION_MINOR 1
#define OV_VERSION_PATCH 0

/** The same as one number that grows with each version: 1002003 for 1.2.3. */
#define OV_VERSION_NUMBER (OV_VERSION_MAJOR * 1000000 + OV_VERSION_MINOR * 1000 + OV_VERSION_PATCH)

/** Version of the library that is linked, as "major.minor.patch". */
const char *ov_version_string(void);
/** OV_VERSION_NUMBER of the library that is linked. */
int ov_version_number(void);

/**
 * Does the library that is linked have the interface of these headers? The same major and minor
 * version, and no older a patch: structs are open, so anything else must be compiled again.
 */
static inline bool ov_version_matches(void) {
    int linked = ov_version_number();
    return linked / 1000 == OV_VERSION_NUMBER / 1000 && linked >= OV_VERSION_NUMBER;
}

#ifdef __cplusplus
}
#endif

#endif
