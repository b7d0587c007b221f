/**
 * @file touch_bitmap.c
 * @brief Heights of a texture from a picture: PGM of Netpbm, plain (P2) and raw (P5), with up to
 * 256 levels of grey.
 *
 * A texture has one byte for a height, so that pictures with more levels are refused rather than
 * rounded in silence. The lightest level becomes 255, whatever number the file has for it.
 */
#include <errno.h>

#include <ovoid/io_touch.h>

#include "io_internal.h"

enum { SIDE_MAX = 1 << 15 }; // as ov_touch_texture_check has it
/** More than the largest picture takes as text, with a space after every number. */
static const size_t read_limit = (size_t)1 << 32;

/** A picture that is being read. */
typedef struct reader {
    const unsigned char *at, *end;
    size_t line;
    ov_fault *fault;
} reader;

static bool is_space(unsigned char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static ov_status bad(const reader *r, const char *text) {
    return ovi_file_fault(r->fault, OV_ERROR_FILE_FORMAT, r->line, "%s", text);
}

/** Over spaces and comments, which go from a # to the end of the line. */
static void skip(reader *r) {
    bool comment = false;
    for (; r->at < r->end && (comment || is_space(*r->at) || *r->at == '#'); r->at++) {
        comment = (comment || *r->at == '#') && *r->at != '\n';
        r->line += *r->at == '\n';
    }
}

/** A whole number up to a million; false where there is none. */
static bool take_number(reader *r, unsigned *value) {
    skip(r);
    const unsigned char *first = r->at;
    for (*value = 0; r->at < r->end && *r->at >= '0' && *r->at <= '9' && *value <= 1000000;
         r->at++) {
        *value = 10 * *value + (unsigned)(*r->at - '0');
    }
    return r->at > first && *value <= 1000000 &&
           (r->at == r->end || is_space(*r->at) || *r->at == '#');
}

/** Width, height and the number of the lightest level. */
static ov_status read_header(reader *r, ov_touch_bitmap *b, unsigned *lightest) {
    unsigned columns, rows;
    if (!take_number(r, &columns) || !take_number(r, &rows) || !take_number(r, lightest)) {
        return bad(r, "three numbers are expected: width, height, and the number of white");
    }
    if (columns < 1 || rows < 1 || columns > SIDE_MAX || rows > SIDE_MAX) {
        return ovi_file_fault(r->fault, OV_ERROR_COUNT, r->line,
                              "a picture of %u x %u pixels: both must be 1 to %d", columns, rows,
                              SIDE_MAX);
    }
    if (*lightest < 1 || *lightest > 255) {
        return ovi_file_fault(r->fault, OV_ERROR_FILE_FORMAT, r->line,
                              "white is %u: must be 1 to 255, one byte a pixel", *lightest);
    }
    b->columns = columns;
    b->rows = rows;
    return OV_OK;
}

static ov_status read_pixels(reader *r, bool plain, unsigned lightest, ov_touch_bitmap *b) {
    size_t count = b->rows * b->columns, left = (size_t)(r->end - r->at);
    if (!plain && left > 0) {
        r->line += *r->at == '\n';
        r->at++; // one space after the header, whatever follows
        left--;
    }
    // of a plain picture every number but the last takes two bytes at least
    if (left / (plain ? 2 : 1) + plain < count) {
        return bad(r, "the picture is cut off");
    }
    b->values = malloc(count);
    if (b->values == NULL) {
        return ovi_file_fault(r->fault, OV_ERROR_MEMORY, 0, "%s",
                              ov_status_message(OV_ERROR_MEMORY));
    }
    for (size_t i = 0; i < count; i++) {
        unsigned value;
        if (!plain) {
            value = *r->at++;
        } else if (!take_number(r, &value)) {
            return bad(r, r->at == r->end ? "the picture is cut off" : "a number is expected");
        }
        if (value > lightest) {
            return ovi_file_fault(r->fault, OV_ERROR_FILE_FORMAT, plain ? r->line : 0,
                                  "a pixel is %u, above white, %u", value, lightest);
        }
        b->values[i] = (uint8_t)((255 * value + lightest / 2) / lightest);
    }
    if (plain) {
        skip(r);
    }
    return r->at == r->end ? OV_OK : bad(r, "more follows the picture");
}

static ov_status read_bytes(const unsigned char *bytes, size_t size, ov_touch_bitmap *b,
                            ov_fault *fault) {
    reader r = {bytes + 2, bytes + size, 1, fault};
    unsigned lightest;
    if (size < 3 || bytes[0] != 'P' || (bytes[1] != '2' && bytes[1] != '5') ||
        !(is_space(bytes[2]) || bytes[2] == '#')) {
        return ovi_file_fault(fault, OV_ERROR_FILE_FORMAT, 0,
                              "a picture is expected: PGM, which begins with P2 or P5");
    }
    ov_status status = read_header(&r, b, &lightest);
    return status == OV_OK ? read_pixels(&r, bytes[1] == '2', lightest, b) : status;
}

ov_status ov_touch_bitmap_read_stream(FILE *stream, ov_touch_bitmap *bitmap, ov_fault *fault) {
    if (bitmap != NULL) {
        *bitmap = (ov_touch_bitmap){0};
    }
    if (fault != NULL) {
        *fault = (ov_fault){0};
    }
    if (stream == NULL || bitmap == NULL) {
        return ovi_file_fault(fault, OV_ERROR_NULL, 0, "%s", ov_status_message(OV_ERROR_NULL));
    }
    size_t size = 0;
    errno = 0;
    unsigned char *bytes = ovi_bytes_read(stream, read_limit, &size);
    ov_status status;
    if (bytes == NULL) {
        status =
            ovi_file_fault(fault, OV_ERROR_MEMORY, 0, "%s", ov_status_message(OV_ERROR_MEMORY));
    } else if (ferror(stream) != 0) {
        status = ovi_file_fault(fault, OV_ERROR_FILE_READ, 0, "%s", strerror(errno));
    } else {
        status = read_bytes(bytes, size, bitmap, fault);
    }
    free(bytes);
    if (status < 0) {
        ov_touch_bitmap_free(bitmap);
    }
    return status;
}

void ov_touch_bitmap_free(ov_touch_bitmap *bitmap) {
    if (bitmap != NULL) {
        free(bitmap->values);
        *bitmap = (ov_touch_bitmap){0};
    }
}
