/**
 * @file io_touch.h
 * @brief Distance maps in files.
 *
 * Part of `libovoid_io`. A file is the bytes of a map (ov_touch_map_bytes): little-endian, with a
 * version and a checksum. Files are mapped into memory read-only, so that opening one costs the
 * check of its bytes and the tree of its triangles, and programs share them.
 */
#ifndef OVOID_IO_TOUCH_H
#define OVOID_IO_TOUCH_H

#include <ovoid/status.h>
#include <ovoid/touch_map.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Writes a map to a file, which appears under its name only when it is complete. OV_ERROR_NULL,
 * OV_ERROR_FILE_OPEN, OV_ERROR_FILE_WRITE, OV_ERROR_MEMORY.
 */
ov_status ov_touch_map_write(const char *path, const ov_touch_map *map);

/**
 * Opens the map of a file; ov_touch_map_destroy closes it. The file must not be changed in place
 * meanwhile; it may be replaced or removed. What cannot be mapped, such as a pipe, is read.
 * OV_ERROR_NULL, OV_ERROR_FILE_OPEN, OV_ERROR_FILE_READ, OV_ERROR_MEMORY, and what
 * ov_touch_map_view finds; `fault` may be null. `*map` is then null.
 */
ov_status ov_touch_map_open(const char *path, ov_touch_map **map, ov_fault *fault);

#ifdef __cplusplus
}
#endif

#endif
