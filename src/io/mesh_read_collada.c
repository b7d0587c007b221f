/**
 * @file mesh_read_collada.c
 * @brief Meshes from COLLADA, by expat: what of the file matters for triangles goes into tables.
 *
 * Nothing is kept of elements that have no triangles to give, so that memory grows with the numbers
 * of the file and not with its tags. A document type may not declare entities: COLLADA has no use
 * for them, and they can make a small file huge. Nothing outside the file is opened.
 */
#include <stdlib.h>
#include <string.h>

#include "collada.h"

/** Which element in which other one is what; `detail` tells apart those of one kind. */
static const struct {
    ovi_collada_element parent;
    const char *name;
    ovi_collada_element self;
    int detail;
} grammar[] = {
    {OVI_E_DOCUMENT, "COLLADA", OVI_E_COLLADA, 0},
    {OVI_E_COLLADA, "asset", OVI_E_ASSET, 0},
    {OVI_E_ASSET, "unit", OVI_E_UNIT, 0},
    {OVI_E_ASSET, "up_axis", OVI_E_UP_AXIS, 0},
    {OVI_E_COLLADA, "library_geometries", OVI_E_GEOMETRIES, 0},
    {OVI_E_GEOMETRIES, "geometry", OVI_E_GEOMETRY, 0},
    {OVI_E_GEOMETRY, "mesh", OVI_E_MESH, 0},
    {OVI_E_GEOMETRY, "convex_mesh", OVI_E_MESH, 0},
    {OVI_E_MESH, "source", OVI_E_SOURCE, 0},
    {OVI_E_SOURCE, "float_array", OVI_E_FLOATS, 0},
    {OVI_E_SOURCE, "technique_common", OVI_E_TECHNIQUE, 0},
    {OVI_E_TECHNIQUE, "accessor", OVI_E_ACCESSOR, 0},
    {OVI_E_ACCESSOR, "param", OVI_E_PARAM, 0},
    {OVI_E_MESH, "vertices", OVI_E_VERTICES, 0},
    {OVI_E_VERTICES, "input", OVI_E_VERTICES_INPUT, 0},
    {OVI_E_MESH, "triangles", OVI_E_PRIMITIVE, OVI_COLLADA_TRIANGLES},
    {OVI_E_MESH, "polylist", OVI_E_PRIMITIVE, OVI_COLLADA_POLYLIST},
    {OVI_E_MESH, "polygons", OVI_E_PRIMITIVE, OVI_COLLADA_POLYGONS},
    {OVI_E_MESH, "tristrips", OVI_E_PRIMITIVE, OVI_COLLADA_STRIPS},
    {OVI_E_MESH, "trifans", OVI_E_PRIMITIVE, OVI_COLLADA_FANS},
    {OVI_E_PRIMITIVE, "input", OVI_E_INPUT, 0},
    {OVI_E_PRIMITIVE, "p", OVI_E_INDICES, 0},
    {OVI_E_PRIMITIVE, "vcount", OVI_E_LENGTHS, 0},
    {OVI_E_PRIMITIVE, "ph", OVI_E_HOLES, 0},
    {OVI_E_COLLADA, "library_nodes", OVI_E_NODES, 0},
    {OVI_E_COLLADA, "library_visual_scenes", OVI_E_SCENES, 0},
    {OVI_E_SCENES, "visual_scene", OVI_E_VISUAL_SCENE, 0},
    {OVI_E_NODES, "node", OVI_E_NODE, 0},
    {OVI_E_VISUAL_SCENE, "node", OVI_E_NODE, 0},
    {OVI_E_NODE, "node", OVI_E_NODE, 0},
    {OVI_E_NODE, "matrix", OVI_E_MATRIX, 0},
    {OVI_E_NODE, "translate", OVI_E_TRANSLATE, 0},
    {OVI_E_NODE, "rotate", OVI_E_ROTATE, 0},
    {OVI_E_NODE, "scale", OVI_E_SCALE, 0},
    {OVI_E_NODE, "lookat", OVI_E_ODD, 0},
    {OVI_E_NODE, "skew", OVI_E_ODD, 0},
    {OVI_E_NODE, "instance_geometry", OVI_E_USE, OVI_COLLADA_USE_GEOMETRY},
    {OVI_E_NODE, "instance_node", OVI_E_USE, OVI_COLLADA_USE_NODE},
    {OVI_E_NODE, "instance_controller", OVI_E_USE, OVI_COLLADA_USE_CONTROLLER},
    {OVI_E_COLLADA, "scene", OVI_E_SCENE, 0},
    {OVI_E_SCENE, "instance_visual_scene", OVI_E_USE_SCENE, 0},
};

/* ---- tables ---------------------------------------------------------------------------------- */

size_t ovi_collada_line(const ovi_collada_reader *r) {
    return (size_t)XML_GetCurrentLineNumber(r->parser);
}

void ovi_collada_refuse(ovi_collada_reader *r, ov_status status, const char *what) {
    if (r->status == OV_OK) {
        r->status = ovi_mesh_refuse(r->c.m, status, ovi_collada_line(r), "%s", what);
        (void)XML_StopParser(r->parser, XML_FALSE);
    }
}

bool ovi_collada_room(ovi_collada_reader *r, void *array, size_t *room, size_t count,
                      size_t element, size_t limit) {
    if (count >= limit) {
        ovi_collada_refuse(r, OV_ERROR_COUNT, "too many elements");
        return false;
    }
    if (!ovi_mesh_grow(array, room, count, element)) {
        ovi_collada_refuse(r, OV_ERROR_MEMORY, "out of memory");
        return false;
    }
    return true;
}

/* ---- elements ------------------------------------------------------------------------------ */

static void XMLCALL begin_element(void *user, const char *name, const char **attributes) {
    ovi_collada_reader *r = user;
    if (r->status != OV_OK) {
        return;
    }
    if (r->depth + 1 >= OVI_COLLADA_DEPTH) {
        ovi_collada_refuse(r, OV_ERROR_COUNT, "elements are nested too deep");
        return;
    }
    // elements of a namespace may have its prefix
    const char *colon = strrchr(name, ':');
    const char *bare = colon != NULL ? colon + 1 : name;
    ovi_collada_element parent = r->stack[r->depth], self = OVI_E_OTHER;
    int detail = 0;
    for (size_t i = 0; i < sizeof grammar / sizeof grammar[0]; i++) {
        if (grammar[i].parent == parent && strcmp(grammar[i].name, bare) == 0) {
            self = grammar[i].self;
            detail = grammar[i].detail;
            break;
        }
    }
    if (parent == OVI_E_DOCUMENT && self != OVI_E_COLLADA) {
        ovi_collada_refuse(r, OV_ERROR_FILE_FORMAT,
                           "not COLLADA: the first element is not <COLLADA>");
        return;
    }
    r->stack[++r->depth] = self;
    r->word_length = 0;
    r->value_count = 0;
    ovi_collada_begin(r, self, detail, attributes);
}

/* ---- text of elements ------------------------------------------------------------------------ */

static bool has_words(ovi_collada_element p) {
    return p == OVI_E_UP_AXIS || p == OVI_E_FLOATS || p == OVI_E_INDICES || p == OVI_E_LENGTHS ||
           (p >= OVI_E_MATRIX && p <= OVI_E_SCALE);
}

static void take_float(ovi_collada_reader *r, ovi_word word) {
    ovi_collada_array *a = &r->c.arrays.all[r->c.arrays.count - 1];
    double value = 0.0;
    ov_status status = ovi_word_number(word, &value);
    if (status != OV_OK && a->status == OV_OK) {
        // it may be a texture's or a normal's, which are not needed
        a->status = status;
        a->line = ovi_collada_line(r);
    }
    double *number = OVI_COLLADA_ADD(r, numbers, OV_MESH_BYTES_MAX);
    if (number != NULL) {
        *number = value;
        a->count++;
    }
}

static void take_index(ovi_collada_reader *r, ovi_word word, ovi_collada_element p) {
    int64_t value = 0;
    if (!ovi_word_integer(word, &value)) {
        ovi_collada_refuse(r, OV_ERROR_FILE_FORMAT, "an index is not a whole number");
    } else if (value < 0 || value > (int64_t)UINT32_MAX) {
        ovi_collada_refuse(r, OV_ERROR_INDEX, "an index is out of range");
    } else if (p == OVI_E_INDICES) {
        uint32_t *index = OVI_COLLADA_ADD(r, indices, OV_MESH_BYTES_MAX);
        if (index != NULL) {
            *index = (uint32_t)value;
            ovi_collada_last(r)->index_count++;
        }
    } else if (ovi_collada_last(r)->form == OVI_COLLADA_POLYLIST) {
        uint32_t *length = OVI_COLLADA_ADD(r, lengths, OV_MESH_BYTES_MAX);
        if (length != NULL) {
            *length = (uint32_t)value;
            ovi_collada_last(r)->length_count++;
        }
    }
}

static void take_word(ovi_collada_reader *r, ovi_word word) {
    ovi_collada_element p = r->stack[r->depth];
    if (p == OVI_E_FLOATS) {
        take_float(r, word);
    } else if (p == OVI_E_INDICES || p == OVI_E_LENGTHS) {
        take_index(r, word, p);
    } else if (p == OVI_E_UP_AXIS) {
        bool known =
            ovi_word_is(word, "x_up") || ovi_word_is(word, "y_up") || ovi_word_is(word, "z_up");
        if (!known) {
            ovi_collada_refuse(r, OV_ERROR_FILE_FORMAT, "up_axis is none of X_UP, Y_UP and Z_UP");
            return;
        }
        r->c.up = (char)(word.at[0] & ~0x20);
    } else {
        double value = 0.0;
        ov_status status = ovi_word_number(word, &value);
        if (status != OV_OK) {
            ovi_collada_refuse(r, status,
                               "a transformation has a number that is none, or too large");
        } else if (r->value_count == 16) {
            ovi_collada_refuse(r, OV_ERROR_FILE_FORMAT, "a transformation has too many numbers");
        } else {
            r->values[r->value_count++] = value;
        }
    }
}

static void end_word(ovi_collada_reader *r) {
    if (r->word_length > 0) {
        take_word(r, (ovi_word){r->word, r->word_length});
        r->word_length = 0;
    }
}

static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

/** Text comes in pieces, which may end within a word. */
static void XMLCALL take_text(void *user, const char *text, int length) {
    ovi_collada_reader *r = user;
    if (r->status != OV_OK || !has_words(r->stack[r->depth])) {
        return;
    }
    const char *at = text, *end = text + length;
    while (at < end && r->status == OV_OK) {
        if (is_space(*at)) {
            end_word(r);
            at++;
            continue;
        }
        const char *first = at;
        while (at < end && !is_space(*at)) {
            at++;
        }
        size_t more = (size_t)(at - first);
        if (r->word_length == 0 && at < end) {
            take_word(r, (ovi_word){first, more});
        } else if (r->word_length + more > OVI_COLLADA_WORD) {
            ovi_collada_refuse(r, OV_ERROR_FILE_FORMAT, "a number has too many digits");
        } else {
            memcpy(r->word + r->word_length, first, more);
            r->word_length += more;
        }
    }
}

/* ---- ends of elements ------------------------------------------------------------------------ */

static ov_mat3 rotation(const double v[4]) {
    static const double degree = 3.14159265358979323846 / 180.0;
    return ov_mat3_from_quat(
        ov_quat_from_axis_angle(ov_vec3_make(v[0], v[1], v[2]), v[3] * degree));
}

/** A transformation acts before those that stand above it. */
static void end_transformation(ovi_collada_reader *r, ovi_collada_element self) {
    static const size_t needed[] = {16, 3, 4, 3};
    ov_affine a = ov_affine_from_pose(ov_pose_identity());
    const double *v = r->values;
    if (r->value_count != needed[self - OVI_E_MATRIX]) {
        ovi_collada_refuse(r, OV_ERROR_FILE_FORMAT,
                           "a transformation has too few or too many numbers");
        return;
    }
    if (self == OVI_E_MATRIX) {
        if (v[12] != 0.0 || v[13] != 0.0 || v[14] != 0.0 || v[15] != 1.0) {
            ovi_collada_refuse(r, OV_ERROR_FILE_FORMAT, "the last row of a matrix must be 0 0 0 1");
            return;
        }
        a.linear.cx = ov_vec3_make(v[0], v[4], v[8]); // the file has it by rows
        a.linear.cy = ov_vec3_make(v[1], v[5], v[9]);
        a.linear.cz = ov_vec3_make(v[2], v[6], v[10]);
        a.translation = ov_vec3_make(v[3], v[7], v[11]);
    } else if (self == OVI_E_ROTATE) {
        a.linear = rotation(v);
    } else if (self == OVI_E_TRANSLATE) {
        a.translation = ov_vec3_make(v[0], v[1], v[2]);
    } else {
        a.linear.cx.x = v[0];
        a.linear.cy.y = v[1];
        a.linear.cz.z = v[2];
    }
    ovi_collada_node *n = &r->c.nodes.all[r->nodes[r->depth - 1]];
    n->place = ov_affine_mul(&n->place, &a);
}

/** The lists of polygons, fans and strips end with their element. */
static void end_indices(ovi_collada_reader *r) {
    ovi_collada_primitive *q = ovi_collada_last(r);
    if (q->form == OVI_COLLADA_TRIANGLES || q->form == OVI_COLLADA_POLYLIST) {
        return;
    }
    uint32_t *length = OVI_COLLADA_ADD(r, lengths, OV_MESH_BYTES_MAX);
    if (length != NULL) {
        *length = (uint32_t)(q->index_count - q->taken);
        q->taken = q->index_count;
        q->length_count++;
    }
}

static void XMLCALL end_element(void *user, const char *name) {
    (void)name;
    ovi_collada_reader *r = user;
    if (r->status != OV_OK) {
        return;
    }
    ovi_collada_element self = r->stack[r->depth];
    if (has_words(self)) {
        end_word(r);
    }
    if (r->status == OV_OK && self >= OVI_E_MATRIX && self <= OVI_E_SCALE) {
        end_transformation(r, self);
    } else if (r->status == OV_OK && self == OVI_E_INDICES) {
        end_indices(r);
    }
    r->depth--;
}

/* ---- the file -------------------------------------------------------------------------------- */

static void XMLCALL refuse_entity(void *user, const char *name, int is_parameter, const char *value,
                                  int length, const char *base, const char *system,
                                  const char *public_id, const char *notation) {
    (void)name, (void)is_parameter, (void)value, (void)length, (void)base;
    (void)system, (void)public_id, (void)notation;
    ovi_collada_refuse(user, OV_ERROR_FILE_FORMAT, "entities are not allowed");
}

static ov_status parse(ovi_collada_reader *r, const unsigned char *bytes, size_t size) {
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, begin_element, end_element);
    XML_SetCharacterDataHandler(r->parser, take_text);
    XML_SetEntityDeclHandler(r->parser, refuse_entity);
    // in one piece: expat would go over a long token again with every piece of it
    enum XML_Status answer = XML_Parse(r->parser, (const char *)bytes, (int)size, 1);
    if (r->status != OV_OK) {
        return r->status;
    }
    if (answer != XML_STATUS_OK) {
        enum XML_Error code = XML_GetErrorCode(r->parser);
        bool memory = code == XML_ERROR_NO_MEMORY;
        return ovi_mesh_refuse(r->c.m, memory ? OV_ERROR_MEMORY : OV_ERROR_FILE_FORMAT,
                               ovi_collada_line(r), "%s", XML_ErrorString(code));
    }
    return ovi_collada_place(&r->c);
}

ov_status ovi_mesh_read_collada(const unsigned char *bytes, size_t size, ovi_mesh_maker *m) {
    ovi_collada_reader *r = calloc(1, sizeof *r);
    XML_Parser parser = r != NULL ? XML_ParserCreate(NULL) : NULL;
    if (parser == NULL) {
        free(r);
        return ovi_mesh_refuse(m, OV_ERROR_MEMORY, 0, "out of memory");
    }
    r->parser = parser;
    r->c.m = m;
    r->c.size = size;
    r->c.meter = 1.0;
    r->c.up = 'Y';
    r->c.first_scene = OVI_COLLADA_NONE;
    r->stack[0] = OVI_E_DOCUMENT;
    // the text 0 is ""
    char *empty = OVI_COLLADA_ADD(r, texts, 1);
    if (empty != NULL) {
        *empty = '\0';
    }
    ov_status status = r->status == OV_OK ? parse(r, bytes, size) : r->status;
    XML_ParserFree(parser);
    free(r->c.texts.all);
    free(r->c.numbers.all);
    free(r->c.indices.all);
    free(r->c.lengths.all);
    free(r->c.ids.all);
    free(r->c.arrays.all);
    free(r->c.sources.all);
    free(r->c.vertices.all);
    free(r->c.geometries.all);
    free(r->c.primitives.all);
    free(r->c.nodes.all);
    free(r->c.instances.all);
    free(r);
    return status;
}
