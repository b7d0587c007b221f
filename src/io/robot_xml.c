/**
 * @file robot_xml.c
 * @brief XML that is written: texts, numbers, and rotations as roll, pitch and yaw.
 *
 * Errors stay in the stream and are looked at when everything is written.
 */
#include <float.h>
#include <stdlib.h>

#include "robot_internal.h"

static const double pi = 3.14159265358979323846;

void ovi_xml_text(FILE *f, const char *text) {
    for (const char *s = text; *s != '\0'; s++) {
        switch (*s) {
        case '&':
            (void)fputs("&amp;", f);
            break;
        case '<':
            (void)fputs("&lt;", f);
            break;
        case '>':
            (void)fputs("&gt;", f);
            break;
        case '"':
            (void)fputs("&quot;", f);
            break;
        case '\t':
        case '\n':
        case '\r':
            // as they are, a reader would make spaces of them
            (void)fprintf(f, "&#%d;", *s);
            break;
        default:
            (void)fputc(*s, f);
        }
    }
}

void ovi_xml_number(FILE *f, double value) {
    char text[40];
    value = isinf(value) ? copysign(DBL_MAX, value) : value;
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    (void)fputs(text, f);
}

void ovi_xml_numbers(FILE *f, const char *name, const double *values, int count) {
    (void)fprintf(f, " %s=\"", name);
    for (int i = 0; i < count; i++) {
        (void)fputs(i > 0 ? " " : "", f);
        ovi_xml_number(f, values[i]);
    }
    (void)fputc('"', f);
}

void ovi_xml_vec3(FILE *f, const char *name, ov_vec3 value) {
    const double values[3] = {value.x, value.y, value.z};
    ovi_xml_numbers(f, name, values, 3);
}

void ovi_xml_string(FILE *f, const char *name, const char *text) {
    (void)fprintf(f, " %s=\"", name);
    ovi_xml_text(f, text);
    (void)fputc('"', f);
}

/* ---- roll, pitch, yaw ------------------------------------------------------------------------ */

ov_quat ovi_quat_of_rpy(double roll, double pitch, double yaw) {
    double cr = cos(0.5 * roll), sr = sin(0.5 * roll);
    double cp = cos(0.5 * pitch), sp = sin(0.5 * pitch);
    double cy = cos(0.5 * yaw), sy = sin(0.5 * yaw);
    return (ov_quat){cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy,
                     cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy};
}

/**
 * With half angles r, p, y, from the product above:
 *     w + y = (cos p + sin p) cos(r - y)      x - z = (cos p + sin p) sin(r - y)
 *     w - y = (cos p - sin p) cos(r + y)      x + z = (cos p - sin p) sin(r + y)
 * Near a pole one of the two factors vanishes, and with it the angle that it goes with loses its
 * digits and its weight at once: the product of the angles stays what it was.
 */
ov_vec3 ovi_rpy_of(ov_quat q) {
    double sum = hypot(q.w + q.y, q.x - q.z);        // of cos p and sin p
    double difference = hypot(q.w - q.y, q.x + q.z); // of the same
    double less = atan2(q.x - q.z, q.w + q.y), more = atan2(q.x + q.z, q.w - q.y);
    double roll = more + less, yaw = more - less;
    // a full turn less is the same rotation
    roll -= fabs(roll) > pi ? copysign(2.0 * pi, roll) : 0.0;
    yaw -= fabs(yaw) > pi ? copysign(2.0 * pi, yaw) : 0.0;
    return ov_vec3_make(roll, 2.0 * atan2(sum - difference, sum + difference), yaw);
}
