/**
 * @file fault.h
 * @brief Filling the ov_fault that a fallible call was given.
 */
#ifndef OVI_FAULT_H
#define OVI_FAULT_H

#include <stddef.h>

#include <ovoid/status.h>

/**
 * Says what is to blame, and returns the status, so that a call can end with it. `fault` may be
 * null; `text` null: the message of the status, or nothing for OV_OK and what is above it.
 */
static inline ov_status ovi_fault_set(ov_fault *fault, ov_status status, ov_fault_place place,
                                      size_t index, const char *text) {
    if (fault == NULL) {
        return status;
    }
    const char *from = text != NULL ? text : status < OV_OK ? ov_status_message(status) : "";
    size_t length = 0;
    while (length + 1 < OV_FAULT_TEXT_MAX && from[length] != '\0') {
        fault->text[length] = from[length];
        length++;
    }
    fault->text[length] = '\0';
    fault->place = place;
    fault->index = place != OV_FAULT_PLACE_NONE ? index : 0;
    return status;
}

/** The same where nothing in particular is to blame, or all is well. */
static inline ov_status ovi_fault_none(ov_fault *fault, ov_status status) {
    return ovi_fault_set(fault, status, OV_FAULT_PLACE_NONE, 0, NULL);
}

#endif
