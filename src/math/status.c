/**
 * @file status.c
 * @brief Words and sentences for the statuses, and the version.
 */
#include <stddef.h>

#include <ovoid/ovoid.h>

typedef struct status_text {
    ov_status status;
    const char *name, *message;
} status_text;

static const status_text texts[] = {
    {OV_ERROR_NULL, "null", "a required pointer is null"},
    {OV_ERROR_NOT_FINITE, "not_finite", "a number is NaN or infinite"},
    {OV_ERROR_SIZE_NOT_POSITIVE, "size_not_positive", "sizes must be above zero"},
    {OV_ERROR_SIZE_RANGE, "size_range",
     "sizes must lie between 1e-60 and 1e60, positions within 1e100"},
    {OV_ERROR_EXPONENT, "exponent", "exponents must be above 0 and at most 2"},
    {OV_ERROR_TAPER, "taper", "tapers must be above -1 and below 1"},
    {OV_ERROR_DENT, "dent", "the tapered surface is further from convex than the tolerance allows"},
    {OV_ERROR_DEGENERATE, "degenerate", "the points coincide, or lie on one line or plane"},
    {OV_ERROR_COUNT, "count", "too few or too many elements"},
    {OV_ERROR_INDEX, "index", "an index or handle names what does not exist"},
    {OV_ERROR_NOT_CLOSED, "not_closed", "the triangles do not form one closed outward surface"},
    {OV_ERROR_NOT_CONVEX, "not_convex", "a vertex lies outside one of the faces"},
    {OV_ERROR_ZERO_DIRECTION, "zero_direction", "a direction or quaternion has no length"},
    {OV_ERROR_UNBOUNDED, "unbounded", "the body has no end in this direction"},
    {OV_ERROR_UNSUPPORTED, "unsupported", "this kind of shape has no such property"},
    {OV_ERROR_OPTION, "option", "an option is outside its range"},
    {OV_ERROR_BEND, "bend", "the bend folds the body over itself"},
    {OV_ERROR_HOLE, "hole", "the hole of a supertoroid must be above 1"},
    {OV_ERROR_HEIGHT, "height", "the cut of a two-sheet hyperboloid must lie beyond its tips"},
    {OV_ERROR_SHAPE, "shape", "not a shape made by one of the constructors"},
    {OV_ERROR_MEMORY, "memory", "out of memory"},
    {OV_ERROR_FILE_OPEN, "file_open", "the file cannot be opened"},
    {OV_ERROR_FILE_WRITE, "file_write", "the file cannot be written"},
    {OV_ERROR_FILE_FORMAT, "file_format", "the file's contents do not follow its format"},
    {OV_ERROR_FILE_READ, "file_read", "the file cannot be read"},
    {OV_ERROR_MISSING, "missing", "built without a library that this needs"},
    {OV_ERROR_TIME, "time", "times do not ascend, or lie outside of the motion"},
    {OV_ERROR_WEIGHT, "weight", "a weight is not positive"},
    {OV_ERROR_NOT_FLAT, "not_flat", "a corner lies outside the plane of its polygon"},
    {OV_ERROR_NAME, "name", "a name is empty, used twice, too long or not printable"},
    {OV_ERROR_NOT_A_TREE, "not_a_tree", "the links are not joined to one tree"},
    {OV_ERROR_LIMIT, "limit", "a position is beyond the limits of its joint"},
    {OV_ERROR_CROSSING, "crossing", "triangles of the cloth cross each other"},
    {OV_OK, "solved", "solved"},
    {OV_NOT_SMOOTH, "not_smooth", "usable, but a derivative does not exist here"},
    {OV_NOT_CONVERGED, "not_converged", "the bounds hold, but are wider than the tolerance"},
};

static const status_text *find(ov_status status) {
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i].status == status) {
            return &texts[i];
        }
    }
    return NULL;
}

const char *ov_status_message(ov_status status) {
    const status_text *text = find(status);
    return text != NULL ? text->message : "not a status";
}

const char *ov_status_name(ov_status status) {
    const status_text *text = find(status);
    return text != NULL ? text->name : "unknown";
}

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *ov_version_string(void) {
    return TEXT(OV_VERSION_MAJOR) "." TEXT(OV_VERSION_MINOR) "." TEXT(OV_VERSION_PATCH);
}

int ov_version_number(void) { return OV_VERSION_NUMBER; }
