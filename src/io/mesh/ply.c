/**
 * @file ply.c
 * @brief Meshes from PLY: text, and binary of either order of bytes; and to PLY, binary.
 *
 * The header says what follows: elements, each with a number of rows, each row of properties, which
 * are numbers or lists of numbers. Wanted are x, y, z of "vertex" and the list "vertex_indices" (or
 * "vertex_index") of "face"; all others are passed over. The numbers of rows and the lengths of
 * lists are claims of the file: nothing is allocated by them.
 */
#include <stdlib.h>
#include <string.h>

#include "mesh_internal.h"

enum { ELEMENTS_MAX = 64, PROPERTIES_MAX = 1024 };

typedef enum scalar {
    SCALAR_NONE,
    SCALAR_INT8,
    SCALAR_UINT8,
    SCALAR_INT16,
    SCALAR_UINT16,
    SCALAR_INT32,
    SCALAR_UINT32,
    SCALAR_FLOAT,
    SCALAR_DOUBLE
} scalar;

static const size_t scalar_size[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};

/** What a property is for. */
typedef enum role { ROLE_NONE, ROLE_X, ROLE_Y, ROLE_Z, ROLE_INDICES } role;

typedef struct property {
    scalar type;
    scalar list; /**< of the length, if it is a list */
    role role;
} property;

typedef struct element {
    uint64_t count;
    size_t first, properties; /**< in the table of properties */
    bool is_vertex, is_face;
} element;

typedef enum encoding { ENCODING_NONE, ENCODING_TEXT, ENCODING_LITTLE, ENCODING_BIG } encoding;

typedef struct reader {
    ovi_mesh_maker *m;
    encoding encoding;
    element elements[ELEMENTS_MAX];
    property properties[PROPERTIES_MAX];
    size_t element_count, property_count;
    ovi_text text;                 /**< of the header, and of the rows if they are text */
    const unsigned char *at, *end; /**< of the rows if they are binary */
    uint64_t row;                  /**< from 0, for messages */
} reader;

static ov_status refuse_format(const reader *r, const char *what) {
    return ovi_mesh_refuse(r->m, OV_ERROR_FILE_FORMAT, r->text.line, "%s", what);
}

/* ---- header ---------------------------------------------------------------------------------- */

static scalar scalar_named(ovi_word word) {
    static const struct {
        const char *name;
        scalar type;
    } names[] = {{"char", SCALAR_INT8},     {"int8", SCALAR_INT8},     {"uchar", SCALAR_UINT8},
                 {"uint8", SCALAR_UINT8},   {"short", SCALAR_INT16},   {"int16", SCALAR_INT16},
                 {"ushort", SCALAR_UINT16}, {"uint16", SCALAR_UINT16}, {"int", SCALAR_INT32},
                 {"int32", SCALAR_INT32},   {"uint", SCALAR_UINT32},   {"uint32", SCALAR_UINT32},
                 {"float", SCALAR_FLOAT},   {"float32", SCALAR_FLOAT}, {"double", SCALAR_DOUBLE},
                 {"float64", SCALAR_DOUBLE}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (ovi_word_is(word, names[i].name)) {
            return names[i].type;
        }
    }
    return SCALAR_NONE;
}

static ov_status read_encoding(reader *r) {
    ovi_word kind, version;
    if (r->encoding != ENCODING_NONE || !ovi_text_word(&r->text, &kind) ||
        !ovi_text_word(&r->text, &version) || !ovi_word_is(version, "1.0")) {
        return refuse_format(r, "the header needs one 'format', of version 1.0");
    }
    if (ovi_word_is(kind, "ascii")) {
        r->encoding = ENCODING_TEXT;
    } else if (ovi_word_is(kind, "binary_little_endian")) {
        r->encoding = ENCODING_LITTLE;
    } else if (ovi_word_is(kind, "binary_big_endian")) {
        r->encoding = ENCODING_BIG;
    } else {
        return refuse_format(r, "the format is none of ascii, binary_little_endian and "
                                "binary_big_endian");
    }
    return OV_OK;
}

static ov_status read_element(reader *r) {
    ovi_word name, count;
    int64_t rows;
    if (!ovi_text_word(&r->text, &name) || !ovi_text_word(&r->text, &count) ||
        !ovi_word_integer(count, &rows) || rows < 0) {
        return refuse_format(r, "an element needs a name and a number");
    }
    if (r->element_count == ELEMENTS_MAX) {
        return refuse_format(r, "too many elements");
    }
    r->elements[r->element_count++] = (element){.count = (uint64_t)rows,
                                                .first = r->property_count,
                                                .is_vertex = ovi_word_is(name, "vertex"),
                                                .is_face = ovi_word_is(name, "face")};
    return OV_OK;
}

static role role_of(const element *e, ovi_word name, bool list) {
    if (e->is_vertex && !list) {
        return ovi_word_is(name, "x")   ? ROLE_X
               : ovi_word_is(name, "y") ? ROLE_Y
               : ovi_word_is(name, "z") ? ROLE_Z
                                        : ROLE_NONE;
    }
    bool indices = ovi_word_is(name, "vertex_indices") || ovi_word_is(name, "vertex_index");
    return e->is_face && list && indices ? ROLE_INDICES : ROLE_NONE;
}

static ov_status read_property(reader *r) {
    ovi_word type, name;
    property p = {SCALAR_NONE, SCALAR_NONE, ROLE_NONE};
    bool good = ovi_text_word(&r->text, &type);
    bool list = good && ovi_word_is(type, "list");
    if (list) {
        good = ovi_text_word(&r->text, &type);
        p.list = good ? scalar_named(type) : SCALAR_NONE;
        good = p.list != SCALAR_NONE && ovi_text_word(&r->text, &type);
    }
    p.type = good ? scalar_named(type) : SCALAR_NONE;
    if (p.type == SCALAR_NONE || !ovi_text_word(&r->text, &name)) {
        return refuse_format(r, "a property needs a type that is known, and a name");
    }
    if (r->element_count == 0) {
        return refuse_format(r, "a property stands before the first element");
    }
    if (r->property_count == PROPERTIES_MAX) {
        return refuse_format(r, "too many properties");
    }
    element *e = &r->elements[r->element_count - 1];
    p.role = role_of(e, name, list);
    for (size_t i = 0; i < e->properties; i++) {
        if (p.role != ROLE_NONE && r->properties[e->first + i].role == p.role) {
            return refuse_format(r, "a property is there twice");
        }
    }
    r->properties[r->property_count++] = p;
    e->properties++;
    return OV_OK;
}

/** A statement of the header; `*last` where it is the end. */
static ov_status read_statement(reader *r, bool *last) {
    ovi_word word;
    if (!ovi_text_word(&r->text, &word) || ovi_word_is(word, "comment") ||
        ovi_word_is(word, "obj_info")) {
        return OV_OK;
    }
    if (ovi_word_is(word, "format")) {
        return read_encoding(r);
    }
    if (ovi_word_is(word, "element")) {
        return read_element(r);
    }
    if (ovi_word_is(word, "property")) {
        return read_property(r);
    }
    *last = ovi_word_is(word, "end_header");
    return *last ? OV_OK : refuse_format(r, "not a statement of a PLY header");
}

/** What the roles found say of the elements that matter. */
static ov_status check_header(const reader *r) {
    size_t vertices = 0, faces = 0;
    for (size_t i = 0; i < r->element_count; i++) {
        const element *e = &r->elements[i];
        size_t roles = 0;
        for (size_t k = 0; k < e->properties; k++) {
            roles += r->properties[e->first + k].role != ROLE_NONE;
        }
        vertices += e->is_vertex;
        faces += e->is_face;
        if (e->is_vertex && roles < 3) {
            return refuse_format(r, "the vertices have no x, y and z");
        }
        if (e->is_face && roles < 1) {
            return refuse_format(r, "the faces have no list of vertex_indices");
        }
    }
    if (r->encoding == ENCODING_NONE) {
        return refuse_format(r, "the header has no 'format'");
    }
    return vertices == 1 && faces <= 1
               ? OV_OK
               : refuse_format(r, "the header needs one element 'vertex' and one 'face'");
}

static ov_status read_header(reader *r) {
    ovi_word word;
    bool last = false;
    if (!ovi_text_word(&r->text, &word) || !ovi_word_is(word, "ply")) {
        return refuse_format(r, "not PLY: the first line is not 'ply'");
    }
    while (!last) {
        if (!ovi_text_next_line(&r->text)) {
            return refuse_format(r, "the file ends within its header");
        }
        ov_status status = read_statement(r, &last);
        if (status != OV_OK) {
            return status;
        }
    }
    ov_status status = check_header(r);
    // binary rows begin right after the line's end
    (void)ovi_text_next_line(&r->text);
    return status;
}

/* ---- numbers of the rows --------------------------------------------------------------------- */

static uint64_t take_bits(reader *r, size_t size) {
    uint64_t bits = 0;
    for (size_t k = 0; k < size; k++) {
        size_t from = r->encoding == ENCODING_BIG ? k : size - 1 - k;
        bits = bits << 8 | r->at[from];
    }
    r->at += size;
    return bits;
}

static ov_status read_binary(reader *r, scalar type, double *value) {
    size_t size = scalar_size[type];
    if ((size_t)(r->end - r->at) < size) {
        return ovi_mesh_refuse(r->m, OV_ERROR_FILE_FORMAT, 0, "the file ends before its last row");
    }
    uint64_t bits = take_bits(r, size);
    switch (type) {
    case SCALAR_INT8:
        *value = (double)(int8_t)bits;
        break;
    case SCALAR_INT16:
        *value = (double)(int16_t)bits;
        break;
    case SCALAR_INT32:
        *value = (double)(int32_t)bits;
        break;
    case SCALAR_FLOAT:
        *value = ovi_bytes_float((uint32_t)bits);
        break;
    case SCALAR_DOUBLE:
        memcpy(value, &bits, sizeof *value);
        break;
    default:
        *value = (double)bits;
        break;
    }
    return OV_OK;
}

/** A number, or for a role of none at least its place. */
static ov_status read_scalar(reader *r, scalar type, bool wanted, double *value) {
    if (r->encoding != ENCODING_TEXT) {
        return read_binary(r, type, value);
    }
    ovi_word word;
    if (!ovi_text_word(&r->text, &word)) {
        return refuse_format(r, "a row has too few numbers");
    }
    *value = 0.0;
    return wanted ? ovi_mesh_number(r->m, word, r->text.line, value) : OV_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static size_t line_of(const reader *r) { return r->encoding == ENCODING_TEXT ? r->text.line : 0; }

static ov_status add_corner(reader *r, double index) {
    // the negation also catches NaN
    if (!(index >= 0.0 && index <= (double)UINT32_MAX) || index != floor(index)) {
        return ovi_mesh_refuse(r->m, OV_ERROR_INDEX, line_of(r),
                               "face %llu: %g is not the index of a vertex",
                               (unsigned long long)r->row + 1, index);
    }
    return ovi_mesh_add_corner(r->m, (uint64_t)index);
}

static ov_status read_list(reader *r, const property *p) {
    double length = 0.0, value = 0.0;
    ov_status status = read_scalar(r, p->list, true, &length);
    if (status != OV_OK) {
        return status;
    }
    if (!(length >= 0.0 && length <= (double)OV_MESH_BYTES_MAX) || length != floor(length)) {
        return ovi_mesh_refuse(r->m, OV_ERROR_FILE_FORMAT, line_of(r),
                               "%g is not the length of a list", length);
    }
    bool wanted = p->role == ROLE_INDICES;
    if (wanted && length < 3.0) {
        return ovi_mesh_refuse(r->m, OV_ERROR_FILE_FORMAT, line_of(r),
                               "face %llu has less than three vertices",
                               (unsigned long long)r->row + 1);
    }
    // each step takes bytes of the file, or ends the loop
    for (size_t i = 0; i < (size_t)length && status == OV_OK; i++) {
        status = read_scalar(r, p->type, wanted, &value);
        if (status == OV_OK && wanted) {
            status = add_corner(r, value);
        }
    }
    return status == OV_OK && wanted ? ovi_mesh_end_polygon(r->m, false, line_of(r)) : status;
}

static ov_status read_row(reader *r, const element *e) {
    double v[3] = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < e->properties; i++) {
        const property *p = &r->properties[e->first + i];
        double value = 0.0;
        bool wanted = p->role != ROLE_NONE;
        ov_status status =
            p->list != SCALAR_NONE ? read_list(r, p) : read_scalar(r, p->type, wanted, &value);
        if (status != OV_OK) {
            return status;
        }
        if (wanted && p->role != ROLE_INDICES) {
            v[p->role - ROLE_X] = value;
        }
    }
    return e->is_vertex ? ovi_mesh_add_vertex(r->m, ov_vec3_make(v[0], v[1], v[2]), line_of(r))
                        : OV_OK;
}

/** To the next line with a word in it. */
static ov_status find_row(reader *r) {
    ovi_text start = r->text;
    ovi_word word;
    if (!ovi_text_word_anywhere(&r->text, &word)) {
        return ovi_mesh_refuse(r->m, OV_ERROR_FILE_FORMAT, r->text.line,
                               "the file ends before its last row");
    }
    start.line = r->text.line;
    start.at = word.at;
    r->text = start;
    return OV_OK;
}

static ov_status end_row(reader *r) {
    ovi_word word;
    if (ovi_text_word(&r->text, &word)) {
        return refuse_format(r, "a row has too many numbers");
    }
    return OV_OK;
}

static ov_status read_rows(reader *r, const element *e) {
    bool text = r->encoding == ENCODING_TEXT;
    // rows without properties take no bytes: they could go on for ever
    uint64_t count = e->properties == 0 ? 0 : e->count;
    for (r->row = 0; r->row < count; r->row++) {
        ov_status status = text ? find_row(r) : OV_OK;
        if (status == OV_OK) {
            status = read_row(r, e);
        }
        if (status == OV_OK && text) {
            status = end_row(r);
        }
        if (status != OV_OK) {
            return status;
        }
    }
    return OV_OK;
}

ov_status ovi_mesh_read_ply(const unsigned char *bytes, size_t size, ovi_mesh_maker *m) {
    reader *r = calloc(1, sizeof *r);
    if (r == NULL) {
        return ovi_mesh_refuse(m, OV_ERROR_MEMORY, 0, "out of memory");
    }
    r->m = m;
    r->text = (ovi_text){(const char *)bytes, (const char *)bytes + size, 1, false};
    ov_status status = read_header(r);
    r->at = (const unsigned char *)r->text.at;
    r->end = bytes + size;
    for (size_t i = 0; i < r->element_count && status == OV_OK; i++) {
        status = read_rows(r, &r->elements[i]);
    }
    free(r);
    return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

static unsigned char *put_double(unsigned char *out, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    out = ovi_put_u32(out, (uint32_t)(bits & 0xffffffffu));
    return ovi_put_u32(out, (uint32_t)(bits >> 32));
}

static unsigned char *put_doubles(unsigned char *out, ov_vec3 v) {
    return put_double(put_double(put_double(out, v.x), v.y), v.z);
}

bool ovi_mesh_write_ply(FILE *f, const ovi_mesh_view *m) {
    const char *normals =
        m->normals == NULL ? "" : "property double nx\nproperty double ny\nproperty double nz\n";
    if (fprintf(f,
                "ply\nformat binary_little_endian 1.0\nelement vertex "
                "%zu\nproperty double x\n"
                "property double y\nproperty double z\n%selement face %zu\n"
                "property list uchar uint vertex_indices\nend_header\n",
                m->vertex_count, normals, m->triangle_count) < 0) {
        return false;
    }
    for (size_t i = 0; i < m->vertex_count; i++) {
        unsigned char record[48];
        unsigned char *out = put_doubles(record, m->vertices[i]);
        if (m->normals != NULL) {
            out = put_doubles(out, m->normals[i]);
        }
        if (!ovi_mesh_write_bytes(f, record, out)) {
            return false;
        }
    }
    for (size_t t = 0; t < m->triangle_count; t++) {
        unsigned char record[13] = {3}, *out = record + 1;
        for (int k = 0; k < 3; k++) {
            out = ovi_put_u32(out, m->triangles[t][k]);
        }
        if (!ovi_mesh_write_bytes(f, record, out)) {
            return false;
        }
    }
    return true;
}
