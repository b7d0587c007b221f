/**
 * @file touch_zones.c
 * @brief Impact zones of `ovoid touch --probe`: their file, and their columns.
 */
#include "touch_zones.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

enum { LINE_MAX_BYTES = 256 };

/** Cuts comments and blanks off a line; its first character that is left. */
static char *trimmed(char *line) {
    line[strcspn(line, "#\r\n")] = '\0';
    while (isspace((unsigned char)*line)) {
        line++;
    }
    size_t length = strlen(line);
    while (length > 0 && isspace((unsigned char)line[length - 1])) {
        line[--length] = '\0';
    }
    return line;
}

/** A whole number below OV_TOUCH_ZONES_MAX, without a sign. */
static bool read_zone(const char *text, uint16_t *zone) {
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 6 || text[digits] != '\0') {
        return false;
    }
    long value = strtol(text, NULL, 10);
    *zone = (uint16_t)value;
    return value < OV_TOUCH_ZONES_MAX;
}

static int read_lines(cli *c, const char *path, FILE *stream, size_t vertex_count,
                      touch_zones *zones) {
    char line[LINE_MAX_BYTES];
    size_t count = 0;
    for (size_t number = 1; fgets(line, sizeof line, stream) != NULL; number++) {
        if (strchr(line, '\n') == NULL && !feof(stream)) {
            return cli_error(c, path, "line %zu is too long", number);
        }
        const char *text = trimmed(line);
        uint16_t zone;
        if (*text == '\0') {
            continue;
        }
        if (!read_zone(text, &zone)) {
            return cli_error(c, path, "line %zu: '%.40s' is no zone: a whole number below %d",
                             number, text, OV_TOUCH_ZONES_MAX);
        }
        if (count < vertex_count) {
            zones->of_vertices[count] = zone;
            zones->count = zone >= zones->count ? (size_t)zone + 1 : zones->count;
        }
        count++;
    }
    if (ferror(stream)) {
        return cli_error(c, path, "cannot be read");
    }
    return count == vertex_count ? CLI_OK
                                 : cli_error(c, path, "%zu zones, but the probe has %zu vertices",
                                             count, vertex_count);
}

int touch_zones_read(cli *c, const char *path, size_t vertex_count, touch_zones *zones) {
    zones->of_vertices = calloc(vertex_count + 1, sizeof *zones->of_vertices);
    if (zones->of_vertices == NULL) {
        return cli_error(c, path, "%s", ov_status_message(OV_ERROR_MEMORY));
    }
    FILE *stream = cli_open_input(c, &path);
    if (stream == NULL) {
        return CLI_BAD_INPUT;
    }
    int status = read_lines(c, path, stream, vertex_count, zones);
    if (stream != stdin) {
        (void)fclose(stream);
    }
    return status;
}

int touch_zones_room(cli *c, const char *verb, size_t samples, touch_zones *zones) {
    if (zones->count == 0) {
        return CLI_OK;
    }
    bool fits = samples <= SIZE_MAX / sizeof(double) / TOUCH_ZONE_NUMBERS / zones->count;
    zones->felt =
        fits ? calloc(samples * zones->count, TOUCH_ZONE_NUMBERS * sizeof *zones->felt) : NULL;
    zones->samples = samples;
    return zones->felt != NULL ? CLI_OK
                               : cli_error(c, verb, "%zu samples of %zu zones: %s", samples,
                                           zones->count, ov_status_message(OV_ERROR_MEMORY));
}

void touch_zones_keep(touch_zones *zones, uint64_t sample, const ov_touch_material *material,
                      const ov_touch_zone *found, ov_vec3 centre) {
    if (sample >= zones->samples) {
        return;
    }
    double *to = zones->felt + (size_t)sample * zones->count * TOUCH_ZONE_NUMBERS;
    for (size_t i = 0; i < zones->count; i++, to += TOUCH_ZONE_NUMBERS) {
        const ov_touch_zone *z = &found[i];
        ov_vec3 force = ov_touch_zone_response(material, z, centre).force;
        to[0] = (double)z->count;
        to[1] = z->count > 0 ? fmax(0.0, -z->deepest.distance) : 0.0;
        to[2] = force.x;
        to[3] = force.y;
        to[4] = force.z;
    }
}

void touch_zones_print_header(FILE *out, const touch_zones *zones) {
    for (size_t i = 0; i < zones->count; i++) {
        fprintf(out, ",contacts%zu,depth%zu,fx%zu,fy%zu,fz%zu", i, i, i, i, i);
    }
}

void touch_zones_print(FILE *out, const touch_zones *zones, uint64_t sample) {
    const double *from = zones->felt + (size_t)sample * zones->count * TOUCH_ZONE_NUMBERS;
    for (size_t i = 0; i < zones->count * TOUCH_ZONE_NUMBERS; i++) {
        csv_number(out, from[i]);
    }
}

void touch_zones_free(touch_zones *zones) {
    free(zones->of_vertices);
    free(zones->felt);
    *zones = (touch_zones){0};
}
