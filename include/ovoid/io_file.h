/**
 * @file io_file.h
 * @brief What a file contains, numbers as text, and files that are written completely or not at
 * all.
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

/* Functions that read files describe what is wrong in an ov_fault, with the line if the format has
 * lines. */

/* ---- what a file contains -------------------------------------------------------------------- */

typedef enum ov_file_kind {
    OV_FILE_KIND_UNKNOWN = 0,
    OV_FILE_KIND_SCENE,
    OV_FILE_KIND_MOTION_SCENE, /**< a scene in motion */
    OV_FILE_KIND_URDF,
    OV_FILE_KIND_XACRO, /**< the macro language that expands to URDF */
    OV_FILE_KIND_SDFORMAT,
    OV_FILE_KIND_MJCF,
    OV_FILE_KIND_COLLADA,
    OV_FILE_KIND_XML,  /**< of another kind */
    OV_FILE_KIND_JSON, /**< of another kind */
    OV_FILE_KIND_GLTF,
    OV_FILE_KIND_PLY,
    OV_FILE_KIND_STL, /**< text */
    OV_FILE_KIND_OFF,
    OV_FILE_KIND_PAIRS,
    OV_FILE_KIND_REPLAY,
    OV_FILE_KIND_LFS, /**< a pointer of Git LFS to a file that was not fetched */
    OV_FILE_KIND_COUNT
} ov_file_kind;

/** The kind of a file, from its first bytes. More bytes give a better answer; the name does not
 *  matter. */
ov_file_kind ov_file_kind_of(const void *bytes, size_t size);
/** Text for messages, with an article: "a URDF", "SDFormat", "a scene in motion" … Never null. */
const char *ov_file_kind_name(ov_file_kind kind);

/* ---- numbers as text ------------------------------------------------------------------------- */

/** Room for any number as text, with its terminating zero. */
#define OV_NUMBER_TEXT_MAX 32

/**
 * The shortest text that reads back as the same number, in any locale: "0.1", "-2.5e-7", "100";
 * "nan", "inf", "-inf". Zero has no sign. Returns `text`, which must have room for
 * OV_NUMBER_TEXT_MAX bytes. All files are written in this way, except replays, whose numbers are
 * hexadecimal.
 */
const char *ov_number_text(double value, char *text);

/* ---- files out -------------------------------------------------------------------------------
 *
 * This library and the `ovoid` command write every file to a temporary file in the same folder,
 * which is renamed when every byte has reached the disk. Until then an older file of that name is
 * intact; on failure it stays as it was, and no other file remains. The new file has the
 * permissions and, if that is allowed, the owner of the old one; other hard links to the old file
 * keep the old contents. Symbolic links are followed and kept. Pipes and devices (such as
 * /dev/stdout) are written to directly. If writing fails, errno says why. */

/** A file that is being written. Opaque. */
typedef struct ov_file_out ov_file_out;

/**
 * Begins to write a file. OV_ERROR_NULL; OV_ERROR_FILE_OPEN if it cannot be written (no such
 * folder, no permission, or it is a folder itself); OV_ERROR_MEMORY. `*out` is then null.
 */
ov_status ov_file_out_open(const char *path, ov_file_out **out);
/** The stream to write to, in binary mode; do not close it. Null for null. */
FILE *ov_file_out_stream(const ov_file_out *out);
/** The path that will be written, with links resolved; null if it is written to directly. */
const char *ov_file_out_target(const ov_file_out *out);
/** Closes the stream and flushes the file to the disk, but does not rename it yet: for files that
 *  must appear together. On OV_ERROR_FILE_WRITE, abandon it. */
ov_status ov_file_out_finish(ov_file_out *out);
/** Ends the writing: the file gets its name. OV_ERROR_FILE_WRITE if it is not complete; then an
 *  older file stays. */
ov_status ov_file_out_commit(ov_file_out *out);
/** Ends the writing: an older file stays. Null is allowed. */
void ov_file_out_abandon(ov_file_out *out);

/**
 * Removes the partial files of all threads. Safe to call from a signal handler. The program must
 * then end; any further writing fails.
 */
void ov_files_abandon(void);

#ifdef __cplusplus
}
#endif

#endif
