/**
 * @file touch_zones.h
 * @brief Impact zones of `ovoid touch --probe`: which vertex is in which, and what each one felt.
 */
#ifndef OVOID_CLI_TOUCH_ZONES_H
#define OVOID_CLI_TOUCH_ZONES_H

#include <ovoid/touch.h>

#include "cli.h"

/** Zones of a probe, and for each sample what they felt. All zero: none. */
typedef struct touch_zones {
    uint16_t *of_vertices;
    size_t count;
    double *felt; /**< TOUCH_ZONE_NUMBERS for each zone of each sample */
    size_t samples;
} touch_zones;

/** Contacts, depth of the deepest, force. */
enum { TOUCH_ZONE_NUMBERS = 5 };

/** Reads a file of whole numbers, one for each of the vertices. CLI_BAD_INPUT after a message. */
int touch_zones_read(cli *c, const char *path, size_t vertex_count, touch_zones *zones);
/** Makes room for samples, before a loop that must not ask for memory. */
int touch_zones_room(cli *c, const char *verb, size_t samples, touch_zones *zones);
/** Takes down what the zones feel in a sample; nothing where it has no room. */
void touch_zones_keep(touch_zones *zones, uint64_t sample, const ov_touch_material *material,
                      const ov_touch_zone *found, ov_vec3 centre);
/** Names of the columns, and those of a sample, each with a comma before it. */
void touch_zones_print_header(FILE *out, const touch_zones *zones);
void touch_zones_print(FILE *out, const touch_zones *zones, uint64_t sample);
void touch_zones_free(touch_zones *zones);

#endif
