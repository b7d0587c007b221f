/**
 * @file scene_read_shape.c
 * @brief The shapes of a scene that are a few numbers: all kinds but polyhedra.
 */
#include <stdlib.h>
#include <string.h>

#include "scene_internal.h"

static bool get_points(const json_t *value, double *out, int count) {
    if (!json_is_array(value) || json_array_size(value) != (size_t)count) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (!ovi_get_numbers(json_array_get(value, (size_t)i), out + 3 * i, 3)) {
            return false;
        }
    }
    return true;
}

/** The numbers of a shape from the keys of its kind. */
static ov_status read_groups(ovi_scene_reader *r, const json_t *body, const ovi_form *form,
                             double *v) {
    const char *kind = ov_shape_kind_name(form->kind);
    for (int i = 0; i < form->group_count; i++) {
        const ovi_group *g = &form->groups[i];
        const json_t *value = json_object_get(body, g->key);
        if (value == NULL) {
            return ovi_scene_refuse(r, "kind", OV_ERROR_FILE_FORMAT, "a %s needs '%s'", kind,
                                    g->key);
        }
        if (g->points ? !get_points(value, v + g->first, g->count / 3)
                      : !ovi_get_numbers(value, v + g->first, g->count)) {
            return ovi_scene_refuse(r, g->key, OV_ERROR_FILE_FORMAT,
                                    g->points ? "'%s' of a %s must be a list of %d points [x, y, z]"
                                    : g->count == 1 ? "'%s' of a %s must be a number"
                                                    : "'%s' of a %s must be a list of %d numbers",
                                    g->key, kind, g->points ? g->count / 3 : g->count);
        }
    }
    return OV_OK;
}

/** The numbers of a shape from the object that `ovoid shape` prints. */
static ov_status read_parameters(ovi_scene_reader *r, json_t *object, const ovi_form *form,
                                 double *v) {
    static const char key[] = "parameters";
    if (!json_is_object(object)) {
        return ovi_scene_refuse(r, key, OV_ERROR_FILE_FORMAT, "'parameters' must be an object");
    }
    const char *unknown = ovi_find_unknown(object, form->names, (size_t)form->count);
    if (unknown != NULL) {
        char hint[160];
        ovi_suggest(unknown, form->names, (size_t)form->count, hint, sizeof hint);
        return ovi_scene_refuse(r, key, OV_ERROR_FILE_FORMAT, "unknown parameter '%.40s'; %s",
                                unknown, hint);
    }
    for (int i = 0; i < form->count; i++) {
        if (!ovi_get_numbers(json_object_get(object, form->names[i]), &v[i], 1)) {
            return ovi_scene_refuse(r, key, OV_ERROR_FILE_FORMAT, "parameter '%s' must be a number",
                                    form->names[i]);
        }
    }
    return OV_OK;
}

/** The key that a constructor's answer is most likely about. */
static const char *key_to_blame(const json_t *body, ov_status status) {
    static const char *const keys[] = {"radius",   "semi_axes", "half_extents",
                                       "vertices", "normal",    "parameters"};
    if (status == OV_ERROR_EXPONENT) {
        return "exponents";
    }
    if (status == OV_ERROR_TAPER || status == OV_ERROR_DENT) {
        return "taper";
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (json_object_get(body, keys[i]) != NULL) {
            return keys[i];
        }
    }
    return NULL;
}

ov_status ovi_scene_read_shape(ovi_scene_reader *r, const json_t *body, const ovi_form *form,
                               ov_pose pose) {
    double v[OVI_NUMBERS_MAX], dent = ov_default_shape_options().dent_tolerance;
    json_t *parameters = json_object_get(body, "parameters");
    const json_t *tolerance = json_object_get(body, "dent_tolerance");
    ov_status status = parameters != NULL ? read_parameters(r, parameters, form, v)
                                          : read_groups(r, body, form, v);
    if (status != OV_OK) {
        return status;
    }
    if (tolerance != NULL &&
        (!ovi_get_numbers(tolerance, &dent, 1) || !(dent >= 0.0 && dent <= 1.0))) {
        return ovi_scene_refuse(r, "dent_tolerance", OV_ERROR_FILE_FORMAT,
                                "'dent_tolerance' must be a number from 0 to 1");
    }
    ov_shape shape;
    status = ovi_form_make(form->kind, v, dent, &shape);
    if (status == OV_OK) {
        status = ovi_parts_add(&r->parts, &shape, pose);
    }
    return status == OV_OK ? status
                           : ovi_scene_refuse(r, key_to_blame(body, status), status, "%s",
                                              ov_status_message(status));
}
