/**
 * @file io_file.h
 * @brief Files that are written completely or not at all, what a file holds, and numbers as text.
 *
 * Part of `libovoid_io`.
 */
#ifndef OVOID_IO_FILE_H
#define OVOID_IO_FILE_H

#include <stddef.h>
#include <stdio.h>

#include <ovoid/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is wrong with a file that was read, an ov_fault says, with its line where the format has
 * lines. */

/* ---- what a file holds ----------------------------------------------------------------------- */

typedef enum ov_file_kind {
    OV_FILE_KIND_UNKNOWN = 0,
    OV_FILE_KIND_SCENE,
    OV_FILE_KIND_MOTION_SCENE, /**< a scene in motion */
    OV_FILE_KIND_URDF,
    OV_FILE_KIND_XACRO, /**< what URDF is made from */
    OV_FILE_KIND_SDFORMAT,
    OV_FILE_KIND_MJCF,
    OV_FILE_KIND_COLLADA,
    OV_FILE_KIND_XML,  /**< of another kind */
    OV_FILE_KIND_JSON, /**< of another kind */
    OV_FILE_KIND_GLTF,
    OV_FILE_KIND_PLY,
    OV_FILE_KIND_STL, /**< text */
    OV_FILE_KIND_PAIRS,
    OV_FILE_KIND_REPLAY,
    OV_FILE_KIND_LFS, /**< a pointer of Git LFS, which stands for a file that was not fetched */
    OV_FILE_KIND_COUNT
} ov_file_kind;

/** Tells what a file holds from its first bytes, as far as these tell; the more there are, the
 *  better. Its name does not matter. */
ov_file_kind ov_file_kind_of(const void *bytes, size_t size);
/** For messages, with an article: "a URDF", "SDFormat", "a scene in motion" … Never null. */
const char *ov_file_kind_name(ov_file_kind kind);

/* ---- numbers as text ------------------------------------------------------------------------- */

/** Room for any number as text, and its end. */
#define OV_NUMBER_TEXT_MAX 32

/**
 * A number with the fewest digits that read back to the same one, whatever the locale is: "0.1",
 * "-2.5e-7", "100"; "nan", "inf", "-inf". Zero has no sign. Returns `text`, which must have room
 * for OV_NUMBER_TEXT_MAX bytes. All files but replays, whose numbers are hexadecimal, are written
 * so.
 */
const char *ov_number_text(double value, char *text);

/* ---- files out -------------------------------------------------------------------------------
 *
 * All files of this library, and of the `ovoid` command, are written in one way: to a new file in
 * the same folder, which takes the name when every byte has reached the disk. Until then an older
 * file of that name is whole; on failure it stays as it was, and nothing else stays. It keeps its
 * permissions and, where that is allowed, its owner; other hard links to it keep the old contents.
 * Symbolic links are followed, and stay. What is no regular file (a pipe, a device, /dev/stdout) is
 * written to directly. Where writing fails, errno says why. */

/** A file that is being written. Opaque. */
typedef struct ov_file_out ov_file_out;

/**
 * Begins to write a file. OV_ERROR_NULL; OV_ERROR_FILE_OPEN where it could not be written: no such
 * folder, no permission, or the name of a folder; OV_ERROR_MEMORY. `*out` is then null.
 */
ov_status ov_file_out_open(const char *path, ov_file_out **out);
/** Where its contents go, in binary mode; not to be closed. Null for null. */
FILE *ov_file_out_stream(const ov_file_out *out);
/** The path that will be written, without links; null where it is written to directly. */
const char *ov_file_out_target(const ov_file_out *out);
/** Closes its stream and brings all to the disk, but takes no name yet: for files that are to be
 *  there together. OV_ERROR_FILE_WRITE; it is to be abandoned then. */
ov_status ov_file_out_finish(ov_file_out *out);
/** Ends the writing: the file takes its name. OV_ERROR_FILE_WRITE where it is not complete; then
 *  an older file stays. */
ov_status ov_file_out_commit(ov_file_out *out);
/** Ends the writing: an older file stays. Null is allowed. */
void ov_file_out_abandon(ov_file_out *out);

/**
 * Removes what is half written, of all threads: for a handler of the signals that end the program,
 * which it may be called from. The program must then end; writing that goes on all the same fails.
 */
void ov_files_abandon(void);

#ifdef __cplusplus
}
#endif

#endif
