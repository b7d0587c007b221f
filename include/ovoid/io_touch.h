/**
 * @file io_touch.h
 * @brief Distance maps and textures in files; devices of touch that are files or programs: recorded
 * tracks, and a peer by UDP.
 *
 * Part of `libovoid_io`.
 */
#ifndef OVOID_IO_TOUCH_H
#define OVOID_IO_TOUCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <ovoid/math.h>
#include <ovoid/status.h>
#include <ovoid/touch_loop.h>
#include <ovoid/touch_map.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- maps ------------------------------------------------------------------------------------
 *
 * A file is the bytes of a map (ov_touch_map_bytes): little-endian, with a version and a checksum.
 * Files are mapped into memory read-only, so that opening one costs the check of its bytes and the
 * tree of its triangles, and programs share them. */

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

/* ---- textures -------------------------------------------------------------------------------- */

/** Heights of a bitmap, row by row from the top: the values of an ov_touch_texture. */
typedef struct ov_touch_bitmap {
    size_t rows, columns;
    uint8_t *values; /**< 0 (black) to 255 (white) */
} ov_touch_bitmap;

/**
 * Reads a grey picture: PGM of Netpbm, plain (P2) or raw (P5), one picture, up to 2^15 pixels high
 * and wide and with up to 256 levels, which become 0 to 255. OV_ERROR_NULL, OV_ERROR_FILE_READ,
 * OV_ERROR_FILE_FORMAT, OV_ERROR_COUNT (the size), OV_ERROR_MEMORY; `fault` may be null. The bitmap
 * is then empty.
 */
ov_status ov_touch_bitmap_read_stream(FILE *stream, ov_touch_bitmap *bitmap, ov_fault *fault);
/** Null is allowed. */
void ov_touch_bitmap_free(ov_touch_bitmap *bitmap);

/* ---- tracks ---------------------------------------------------------------------------------- */

/** Poses of a device at ascending times, s. */
typedef struct ov_touch_track {
    size_t count;
    double *times;
    ov_pose *poses;
} ov_touch_track;

/** Largest number of rows, and longest line in bytes. */
#define OV_TOUCH_TRACK_MAX ((size_t)1 << 26)
#define OV_TOUCH_TRACK_LINE_MAX 1000

/**
 * Reads a track: comma-separated values under a header `time,x,y,z` or `time,x,y,z,qw,qx,qy,qz`.
 * What follows a # is a comment. OV_ERROR_NULL, OV_ERROR_FILE_OPEN, OV_ERROR_FILE_READ,
 * OV_ERROR_FILE_FORMAT, OV_ERROR_NOT_FINITE, OV_ERROR_ZERO_DIRECTION, OV_ERROR_TIME (not
 * ascending), OV_ERROR_COUNT (no rows, or too many), OV_ERROR_MEMORY; the track is then empty.
 */
ov_status ov_touch_track_read(const char *path, ov_touch_track *track, ov_fault *fault);
/** The same from an open stream. */
ov_status ov_touch_track_read_stream(FILE *stream, ov_touch_track *track, ov_fault *fault);
/** Null is allowed. */
void ov_touch_track_free(ov_touch_track *track);
/** The pose at a time: between two rows along a line and the shorter rotation, before and after
 * them that of the first or last row. The track must have rows. */
ov_pose ov_touch_track_at(const ov_touch_track *track, double time);
/** A device that follows a track and feels nothing. The track must outlive it. */
ov_touch_device ov_touch_track_device(const ov_touch_track *track);

/* ---- a peer by UDP --------------------------------------------------------------------------- */

/*
 * Another program on this machine as a device. It sends its pose in datagrams of 64 bytes and gets
 * forces in datagrams of 64 bytes, both little-endian:
 *
 *   offset 0   "OVT1" (pose) or "OVF1" (force)
 *   offset 4   uint32: number of the datagram, ascending
 *   offset 8   seven doubles: position x, y, z, quaternion w, x, y, z; or
 *              force x, y, z, torque x, y, z, depth
 *
 * Everything else that arrives is counted and dropped, and so is a number that is up to 4,095
 * behind the last one. Forces go to where the last good pose came from.
 */

#define OV_TOUCH_DATAGRAM 64

/** Opaque. */
typedef struct ov_touch_udp ov_touch_udp;

/** Is it a good pose? `number` and `pose` (with a unit quaternion) are set if so. */
bool ov_touch_udp_parse(const void *bytes, size_t size, uint32_t *number, ov_pose *pose);

/**
 * Listens on a port of the loopback, 127.0.0.1; 0: any free one. A thread of its own receives and
 * sends, so that the servo loop does not have to. OV_ERROR_NULL, OV_ERROR_FILE_OPEN (the port is
 * not to be had; `fault` says why), OV_ERROR_MEMORY, OV_ERROR_UNSUPPORTED (no threads).
 */
ov_status ov_touch_udp_open(uint16_t port, ov_touch_udp **peer, ov_fault *fault);
/** No loop may use it any more. Null is allowed. */
void ov_touch_udp_close(ov_touch_udp *peer);
/** The port that it listens on. */
uint16_t ov_touch_udp_port(const ov_touch_udp *peer);
/** The peer as a device; it stays where it is until the first pose has arrived. */
ov_touch_device ov_touch_udp_device(ov_touch_udp *peer);
/** Datagrams so far: good poses, others that were dropped, forces sent. */
void ov_touch_udp_counts(const ov_touch_udp *peer, uint64_t *good, uint64_t *dropped,
                         uint64_t *sent);

#ifdef __cplusplus
}
#endif

#endif
