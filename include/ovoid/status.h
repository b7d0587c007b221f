/**
 * @file status.h
 * @brief What every fallible call returns.
 *
 * Negative: no answer, do not use the outputs. Zero: solved. Positive: the answer is usable but
 * weaker than asked for, in the way that the status names.
 *
 * Enumerators begin with the name of their type. Statuses are the one exception, because they are
 * everywhere: errors begin with OV_ERROR_, the others with OV_.
 */
#ifndef OVOID_STATUS_H
#define OVOID_STATUS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ov_status {
    OV_ERROR_NULL = -1,              /**< a required pointer is null */
    OV_ERROR_NOT_FINITE = -2,        /**< a number is NaN or infinite */
    OV_ERROR_SIZE_NOT_POSITIVE = -3, /**< a radius, semi-axis or length is zero or negative */
    OV_ERROR_SIZE_RANGE =
        -4, /**< a size is outside [OV_SIZE_MIN, OV_SIZE_MAX], or a position too far out */
    OV_ERROR_EXPONENT = -5,        /**< a squareness exponent is outside (0, 2] */
    OV_ERROR_TAPER = -6,           /**< a taper is outside (-1, 1) */
    OV_ERROR_DENT = -7,            /**< the dent of the tapered surface is deeper than allowed */
    OV_ERROR_DEGENERATE = -8,      /**< the given points span too little: flat, collinear, equal */
    OV_ERROR_COUNT = -9,           /**< too few or too many elements */
    OV_ERROR_INDEX = -10,          /**< an index or handle of something that does not exist */
    OV_ERROR_NOT_CLOSED = -11,     /**< the triangles do not close, or wrap more than once */
    OV_ERROR_NOT_CONVEX = -12,     /**< a vertex lies outside one of the faces */
    OV_ERROR_ZERO_DIRECTION = -13, /**< a direction or quaternion has no length */
    OV_ERROR_UNBOUNDED = -14,      /**< the body is unbounded in this direction */
    OV_ERROR_UNSUPPORTED = -15,    /**< this kind of shape has no such property */
    OV_ERROR_OPTION = -16,         /**< an option is outside its range */
    OV_ERROR_BEND = -17,           /**< the bend folds the body over itself */
    OV_ERROR_HOLE = -18,           /**< the hole of a supertoroid must be wider than its tube */
    OV_ERROR_HEIGHT = -19,         /**< the cut of a hyperboloid is at or below its tip */
    OV_ERROR_SHAPE = -20,          /**< not a shape: no constructor made it */
    OV_ERROR_MEMORY = -21,         /**< an allocation failed */
    OV_ERROR_FILE_OPEN = -22,      /**< a file could not be opened */
    OV_ERROR_FILE_WRITE = -23,     /**< a file could not be written completely */
    OV_ERROR_FILE_FORMAT = -24,    /**< the contents of a file do not fit its format */
    OV_ERROR_FILE_READ = -25,      /**< a file could not be read completely */
    OV_ERROR_MISSING = -26,        /**< built without a library that this needs */
    OV_ERROR_TIME = -27,           /**< times do not ascend, or lie outside the motion */
    OV_ERROR_WEIGHT = -28,         /**< a weight is not positive */
    OV_ERROR_NOT_FLAT = -29,       /**< a corner lies outside the plane of its polygon */
    OV_ERROR_NAME = -30,           /**< a name is empty, used twice, too long or not printable */
    OV_ERROR_NOT_A_TREE = -31,     /**< links do not form one tree, or mimics form a cycle */
    OV_ERROR_LIMIT = -32,          /**< a position is beyond the limits of its joint */
    OV_ERROR_CROSSING = -33,       /**< triangles of a cloth cross each other */
    OV_OK = 0,                     /**< solved */
    OV_NOT_SMOOTH = 1,             /**< a derivative does not exist here: edge, corner, centre */
    OV_NOT_CONVERGED = 2           /**< the bounds hold, but are wider than the tolerance */
} ov_status;

/** One line of plain English for a status; never null, even for a number that is no status. */
const char *ov_status_message(ov_status status);

/** One word for a status, for tables and files: "solved", "not_finite", "exponent" … */
const char *ov_status_name(ov_status status);

/** What `ov_fault.index` counts. */
typedef enum ov_fault_place {
    OV_FAULT_PLACE_NONE = 0, /**< nothing in particular is to blame; the index is 0 */
    OV_FAULT_PLACE_LINE,     /**< a line of a file, from 1 */
    OV_FAULT_PLACE_LINK,     /**< this and the others count from 0, in the array passed in */
    OV_FAULT_PLACE_JOINT,
    OV_FAULT_PLACE_BODY,
    OV_FAULT_PLACE_ROW, /**< a key pose, or a row of positions */
    OV_FAULT_PLACE_POLYGON,
    OV_FAULT_PLACE_COUNT
} ov_fault_place;

#define OV_FAULT_TEXT_MAX 256

/**
 * What is to blame for a negative status. Calls that can tell take a pointer to a fault, which may
 * be null. They fill it on failure and empty it (no place, index 0, text "") on success.
 */
typedef struct ov_fault {
    ov_fault_place place;
    size_t index;
    char text[OV_FAULT_TEXT_MAX]; /**< one line of plain English, without control characters */
} ov_fault;

#ifdef __cplusplus
}
#endif

#endif
