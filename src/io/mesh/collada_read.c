/**
 * @file collada_read.c
 * @brief Meshes from COLLADA, by expat.
 *
 * What of the file matters for triangles goes into tables, since references may point forward; at
 * the end of the file they are followed from the scene through nodes and geometries to the
 * coordinates. Nodes may be used again and again, also by each other, so that a short file can
 * describe a huge scene, or one without end: the depth is limited, and so is all that is done
 * beyond what a file of this size could ask for without using anything twice. Coordinates are
 * turned to z up and scaled to metres last.
 *
 * Nothing is kept of elements that have no triangles to give, so that memory grows with the numbers
 * of the file and not with its tags. A document type may not declare entities: COLLADA has no use
 * for them, and they can make a small file huge. Nothing outside the file is opened.
 */
#include <stdlib.h>
#include <string.h>

#include <expat.h>

#include "mesh_internal.h"

enum {
    ELEMENTS_DEEP = 200, /**< of elements */
    WORD_MAX = 1100,     /**< longest number, and a little */
};

/** "None" where an index stands. */
#define NO_INDEX UINT32_MAX

/** What an id is of; ids of unlike kinds do not meet. */
typedef enum id_kind { ID_ARRAY, ID_SOURCE, ID_VERTICES, ID_GEOMETRY, ID_NODE, ID_SCENE } id_kind;

/** A name of something; names are offsets into the pool of texts, 0 being "". */
typedef struct id_entry {
    id_kind kind;
    uint32_t index;
    size_t name;
} id_entry;

/** A reference: the text of a url attribute, and its line. */
typedef struct url_entry {
    size_t text, line;
} url_entry;

typedef struct array_entry {
    size_t first, count; /**< in the table of numbers */
    ov_status status;    /**< of the first number that is none; matters only if it is used */
    size_t line;
} array_entry;

/** The accessor of a source: vertex i has the coordinates offset + i stride + axis[k]. */
typedef struct source_entry {
    url_entry array;
    uint64_t offset, stride;
    uint32_t params, axes; /**< parameters seen, and those with a name: x, y and z */
    uint32_t axis[3];
    // where its vertices stand in the mesh, for the instance of this number
    size_t base, vertices, instance;
} source_entry;

typedef enum primitive_form {
    FORM_TRIANGLES, /**< all indices in one list */
    FORM_POLYLIST,  /**< the same, with the lengths of polygons beside */
    FORM_POLYGONS,  /**< a list for each polygon, */
    FORM_FANS,      /**< ... fan */
    FORM_STRIPS     /**< ... or strip */
} primitive_form;

typedef struct primitive {
    primitive_form form;
    url_entry vertices; /**< of the input VERTEX (or POSITION) */
    bool has_vertices, is_position;
    uint32_t offset, stride;
    size_t first_index, index_count;
    size_t taken;                      /**< indices in lists that have ended */
    size_t first_length, length_count; /**< of polygons in corners, of other lists in indices */
    uint32_t next;                     /**< of the same geometry */
    size_t line;
} primitive;

typedef struct geometry {
    uint32_t first, last; /**< primitives */
} geometry;

typedef enum instance_use { USE_GEOMETRY, USE_NODE, USE_CONTROLLER } instance_use;

typedef struct instance {
    instance_use use;
    url_entry url;
    uint32_t next; /**< of the same node */
} instance;

/** A node, or a visual scene. */
typedef struct node_entry {
    ov_affine place;
    size_t odd_line; /**< of a transformation that is not read, or 0 */
    uint32_t first_child, last_child, next;
    uint32_t first_instance, last_instance;
} node_entry;

/** A table that grows. */
#define TABLE(type)                                                                                \
    struct {                                                                                       \
        type *all;                                                                                 \
        size_t count, room;                                                                        \
    }

typedef struct document {
    ovi_mesh_maker *m;
    size_t size; /**< of the file */
    TABLE(char) texts;
    TABLE(double) numbers;
    TABLE(uint32_t) indices;
    TABLE(uint32_t) lengths;
    TABLE(id_entry) ids;
    TABLE(array_entry) arrays;
    TABLE(source_entry) sources;
    TABLE(url_entry) vertices; /**< the source of each POSITION */
    TABLE(geometry) geometries;
    TABLE(primitive) primitives;
    TABLE(node_entry) nodes;
    TABLE(instance) instances;
    uint32_t first_scene; /**< a node */
    bool has_scene;       /**< the file says which visual scene it shows: */
    url_entry scene;
    double meter;
    char up; /**< 'X', 'Y' or 'Z' */
} document;

/* ---- the parser ------------------------------------------------------------------------------ */

/** Elements that matter. What is not in its place is E_OTHER, with all that it holds. */
typedef enum element {
    E_OTHER,
    E_DOCUMENT,
    E_COLLADA,
    E_ASSET,
    E_UNIT,
    E_UP_AXIS,
    E_GEOMETRIES,
    E_GEOMETRY,
    E_MESH,
    E_SOURCE,
    E_FLOATS,
    E_TECHNIQUE,
    E_ACCESSOR,
    E_PARAM,
    E_VERTICES,
    E_VERTICES_INPUT,
    E_PRIMITIVE,
    E_INPUT,
    E_INDICES,
    E_LENGTHS,
    E_HOLES,
    E_NODES,
    E_SCENES,
    E_VISUAL_SCENE,
    E_NODE,
    E_MATRIX,
    E_TRANSLATE,
    E_ROTATE,
    E_SCALE,
    E_ODD,
    E_USE,
    E_SCENE,
    E_USE_SCENE
} element;

/** The state of the parser. */
typedef struct reader {
    document c;
    XML_Parser parser;
    ov_status status;
    element stack[ELEMENTS_DEEP];
    uint32_t nodes[ELEMENTS_DEEP]; /**< of the elements on the stack that are nodes or scenes */
    size_t depth;
    double values[16]; /**< of a transformation */
    size_t value_count;
    char word[WORD_MAX]; /**< that the end of a piece of text has cut */
    size_t word_length;
} reader;

static size_t line_of(const reader *r) { return (size_t)XML_GetCurrentLineNumber(r->parser); }

static void refuse(reader *r, ov_status status, const char *what) {
    if (r->status == OV_OK) {
        r->status = ovi_mesh_refuse(r->c.m, status, line_of(r), "%s", what);
        (void)XML_StopParser(r->parser, XML_FALSE);
    }
}

static bool table_room(reader *r, void *array, size_t *room, size_t count, size_t element,
                       size_t limit) {
    if (count >= limit) {
        refuse(r, OV_ERROR_COUNT, "too many elements");
        return false;
    }
    if (!ovi_room(array, room, count, element)) {
        refuse(r, OV_ERROR_MEMORY, "out of memory");
        return false;
    }
    return true;
}

/** Adds an element to a table: `&table.all[new]`, or null with an error. */
#define ADD(r, table, limit)                                                                       \
    (table_room((r), &(r)->c.table.all, &(r)->c.table.room, (r)->c.table.count,                    \
                sizeof *(r)->c.table.all, (limit))                                                 \
         ? &(r)->c.table.all[(r)->c.table.count++]                                                 \
         : NULL)

/** The primitive that is being read. */
static primitive *last_primitive(reader *r) {
    return &r->c.primitives.all[r->c.primitives.count - 1];
}

/** Which element in which other one is what; `detail` tells apart those of one kind. */
static const struct {
    element parent;
    const char *name;
    element self;
    int detail;
} grammar[] = {
    {E_DOCUMENT, "COLLADA", E_COLLADA, 0},
    {E_COLLADA, "asset", E_ASSET, 0},
    {E_ASSET, "unit", E_UNIT, 0},
    {E_ASSET, "up_axis", E_UP_AXIS, 0},
    {E_COLLADA, "library_geometries", E_GEOMETRIES, 0},
    {E_GEOMETRIES, "geometry", E_GEOMETRY, 0},
    {E_GEOMETRY, "mesh", E_MESH, 0},
    {E_GEOMETRY, "convex_mesh", E_MESH, 0},
    {E_MESH, "source", E_SOURCE, 0},
    {E_SOURCE, "float_array", E_FLOATS, 0},
    {E_SOURCE, "technique_common", E_TECHNIQUE, 0},
    {E_TECHNIQUE, "accessor", E_ACCESSOR, 0},
    {E_ACCESSOR, "param", E_PARAM, 0},
    {E_MESH, "vertices", E_VERTICES, 0},
    {E_VERTICES, "input", E_VERTICES_INPUT, 0},
    {E_MESH, "triangles", E_PRIMITIVE, FORM_TRIANGLES},
    {E_MESH, "polylist", E_PRIMITIVE, FORM_POLYLIST},
    {E_MESH, "polygons", E_PRIMITIVE, FORM_POLYGONS},
    {E_MESH, "tristrips", E_PRIMITIVE, FORM_STRIPS},
    {E_MESH, "trifans", E_PRIMITIVE, FORM_FANS},
    {E_PRIMITIVE, "input", E_INPUT, 0},
    {E_PRIMITIVE, "p", E_INDICES, 0},
    {E_PRIMITIVE, "vcount", E_LENGTHS, 0},
    {E_PRIMITIVE, "ph", E_HOLES, 0},
    {E_COLLADA, "library_nodes", E_NODES, 0},
    {E_COLLADA, "library_visual_scenes", E_SCENES, 0},
    {E_SCENES, "visual_scene", E_VISUAL_SCENE, 0},
    {E_NODES, "node", E_NODE, 0},
    {E_VISUAL_SCENE, "node", E_NODE, 0},
    {E_NODE, "node", E_NODE, 0},
    {E_NODE, "matrix", E_MATRIX, 0},
    {E_NODE, "translate", E_TRANSLATE, 0},
    {E_NODE, "rotate", E_ROTATE, 0},
    {E_NODE, "scale", E_SCALE, 0},
    {E_NODE, "lookat", E_ODD, 0},
    {E_NODE, "skew", E_ODD, 0},
    {E_NODE, "instance_geometry", E_USE, USE_GEOMETRY},
    {E_NODE, "instance_node", E_USE, USE_NODE},
    {E_NODE, "instance_controller", E_USE, USE_CONTROLLER},
    {E_COLLADA, "scene", E_SCENE, 0},
    {E_SCENE, "instance_visual_scene", E_USE_SCENE, 0},
};

/* ---- maps ------------------------------------------------------------------------------------ */

static ov_affine affine_identity(void) { return ov_affine_from_pose(ov_pose_identity()); }

/** Does it turn the outside in? */
static bool affine_mirrors(const ov_affine *a) {
    // unit columns: those of a map to millimetres of a tiny body would underflow
    ov_vec3 x = ov_vec3_normalize(a->linear.cx), y = ov_vec3_normalize(a->linear.cy);
    return ov_vec3_dot(ov_vec3_cross(x, y), ov_vec3_normalize(a->linear.cz)) < 0.0;
}

/** From the file's axes and unit to z up and metres. */
static ov_affine to_metres(char up, double meter) {
    const ov_vec3 x = {meter, 0.0, 0.0}, y = {0.0, meter, 0.0}, z = {0.0, 0.0, meter};
    const ov_vec3 minus_x = {-meter, 0.0, 0.0}, minus_y = {0.0, -meter, 0.0};
    ov_affine map = {{x, y, z}, {0.0, 0.0, 0.0}};
    if (up == 'X') {
        map.linear = (ov_mat3){z, minus_x, minus_y};
    } else if (up == 'Y') {
        map.linear = (ov_mat3){x, z, minus_y};
    }
    return map;
}

enum {
    STRIDE_MAX = 1 << 16, /**< of inputs and accessors */
    NODES_MAX = 1 << 20,  /**< these are much larger than the tags that they come from */
    TABLE_MAX = 1 << 27
};

/* ---- attributes ------------------------------------------------------------------------------ */

static const char *attribute(const char **attributes, const char *name) {
    for (; *attributes != NULL; attributes += 2) {
        if (strcmp(attributes[0], name) == 0) {
            return attributes[1];
        }
    }
    return NULL;
}

/** Keeps a text; 0, that is "", where there is none. */
static size_t keep_text(reader *r, const char *text) {
    size_t first = r->c.texts.count;
    for (const char *s = text; s != NULL; s++) {
        char *c = ADD(r, texts, OV_MESH_BYTES_MAX);
        if (c == NULL) {
            break;
        }
        *c = *s;
        if (*s == '\0') {
            return first;
        }
    }
    // what is half there does no harm, but would not end
    r->c.texts.count = first;
    return 0;
}

static url_entry keep_url(reader *r, const char **attributes, const char *name) {
    const char *text = attribute(attributes, name);
    if (text == NULL) {
        refuse(r, OV_ERROR_FILE_FORMAT, "an element has no reference ('url' or 'source')");
    }
    return (url_entry){keep_text(r, text), line_of(r)};
}

static void keep_id(reader *r, id_kind kind, size_t index, const char **attributes) {
    const char *text = attribute(attributes, "id");
    id_entry *id = text != NULL ? ADD(r, ids, TABLE_MAX) : NULL;
    if (id != NULL) {
        *id = (id_entry){kind, (uint32_t)index, 0};
        id->name = keep_text(r, text);
    }
}

/** A whole number of an attribute, from `least` to STRIDE_MAX. */
static uint32_t small_number(reader *r, const char **attributes, const char *name, uint32_t least,
                             uint32_t otherwise) {
    const char *text = attribute(attributes, name);
    int64_t value;
    if (text == NULL) {
        return otherwise;
    }
    if (!ovi_word_integer((ovi_word){text, strlen(text)}, &value) || value < (int64_t)least ||
        value > STRIDE_MAX) {
        refuse(r, OV_ERROR_FILE_FORMAT, "a stride, offset or count is out of its range");
        return otherwise;
    }
    return (uint32_t)value;
}

/* ---- elements -------------------------------------------------------------------------------- */

static void begin_unit(reader *r, const char **attributes) {
    const char *text = attribute(attributes, "meter");
    double meter = 1.0;
    if (text == NULL) {
        return;
    }
    if (ovi_word_number((ovi_word){text, strlen(text)}, &meter) != OV_OK || !(meter > 0.0)) {
        refuse(r, OV_ERROR_FILE_FORMAT, "the unit must be a number of metres above zero");
        return;
    }
    r->c.meter = meter;
}

static void begin_source(reader *r, const char **attributes) {
    source_entry *s = ADD(r, sources, TABLE_MAX / 16);
    if (s != NULL) {
        *s = (source_entry){.array = {0, line_of(r)}, .stride = 3};
        keep_id(r, ID_SOURCE, r->c.sources.count - 1, attributes);
    }
}

static void begin_floats(reader *r, const char **attributes) {
    array_entry *a = ADD(r, arrays, TABLE_MAX / 16);
    if (a != NULL) {
        *a = (array_entry){.first = r->c.numbers.count, .line = line_of(r)};
        keep_id(r, ID_ARRAY, r->c.arrays.count - 1, attributes);
    }
}

static void begin_accessor(reader *r, const char **attributes) {
    source_entry *s = &r->c.sources.all[r->c.sources.count - 1];
    // one without a reference is of no use here, but may be of a source that is not used
    if (attribute(attributes, "source") == NULL) {
        return;
    }
    s->array = keep_url(r, attributes, "source");
    s->stride = small_number(r, attributes, "stride", 1, 1);
    s->offset = small_number(r, attributes, "offset", 0, 0);
    s->params = s->axes = 0;
}

static void begin_param(reader *r, const char **attributes) {
    source_entry *s = &r->c.sources.all[r->c.sources.count - 1];
    // a parameter without a name is a gap
    const char *name = attribute(attributes, "name");
    if (name != NULL && name[0] != '\0' && s->axes < 3) {
        s->axis[s->axes++] = s->params;
    }
    if (++s->params > STRIDE_MAX) {
        refuse(r, OV_ERROR_COUNT, "an accessor has too many parameters");
    }
}

static void begin_vertices(reader *r, const char **attributes) {
    url_entry *v = ADD(r, vertices, TABLE_MAX / 16);
    if (v != NULL) {
        *v = (url_entry){0, line_of(r)};
        keep_id(r, ID_VERTICES, r->c.vertices.count - 1, attributes);
    }
}

static void begin_vertices_input(reader *r, const char **attributes) {
    const char *semantic = attribute(attributes, "semantic");
    if (semantic != NULL && strcmp(semantic, "POSITION") == 0) {
        r->c.vertices.all[r->c.vertices.count - 1] = keep_url(r, attributes, "source");
    }
}

static void begin_primitive(reader *r, primitive_form form) {
    document *c = &r->c;
    geometry *g = &c->geometries.all[c->geometries.count - 1];
    primitive *q = ADD(r, primitives, TABLE_MAX / 16);
    if (q == NULL) {
        return;
    }
    *q = (primitive){.form = form,
                     .stride = 1,
                     .first_index = c->indices.count,
                     .first_length = c->lengths.count,
                     .next = NO_INDEX,
                     .line = line_of(r)};
    uint32_t index = (uint32_t)(c->primitives.count - 1);
    if (g->last == NO_INDEX) {
        g->first = index;
    } else {
        c->primitives.all[g->last].next = index;
    }
    g->last = index;
}

static void begin_input(reader *r, const char **attributes) {
    primitive *q = last_primitive(r);
    uint32_t offset = small_number(r, attributes, "offset", 0, 0);
    const char *semantic = attribute(attributes, "semantic");
    q->stride = offset >= q->stride ? offset + 1 : q->stride;
    bool vertex = semantic != NULL && strcmp(semantic, "VERTEX") == 0;
    bool position = semantic != NULL && strcmp(semantic, "POSITION") == 0;
    if (vertex || (position && !q->has_vertices)) {
        q->vertices = keep_url(r, attributes, "source");
        q->offset = offset;
        q->has_vertices = true;
        q->is_position = position;
    }
}

static void begin_node(reader *r, const char **attributes, bool scene) {
    document *c = &r->c;
    node_entry *n = ADD(r, nodes, NODES_MAX);
    if (n == NULL) {
        return;
    }
    uint32_t index = (uint32_t)(c->nodes.count - 1);
    uint32_t none = NO_INDEX;
    *n = (node_entry){affine_identity(), 0, none, none, none, none, none};
    r->nodes[r->depth] = index;
    keep_id(r, scene ? ID_SCENE : ID_NODE, index, attributes);
    if (scene) {
        c->first_scene = c->first_scene == none ? index : c->first_scene;
        return;
    }
    if (r->stack[r->depth - 1] == E_NODES) {
        return; // of a library: only where it is named
    }
    node_entry *parent = &c->nodes.all[r->nodes[r->depth - 1]];
    if (parent->last_child == none) {
        parent->first_child = index;
    } else {
        c->nodes.all[parent->last_child].next = index;
    }
    parent->last_child = index;
}

static void begin_use(reader *r, const char **attributes, instance_use use) {
    document *c = &r->c;
    node_entry *n = &c->nodes.all[r->nodes[r->depth - 1]];
    instance *i = ADD(r, instances, TABLE_MAX / 16);
    if (i == NULL) {
        return;
    }
    *i = (instance){use, {0, 0}, NO_INDEX};
    i->url = keep_url(r, attributes, "url");
    uint32_t index = (uint32_t)(c->instances.count - 1);
    if (n->last_instance == NO_INDEX) {
        n->first_instance = index;
    } else {
        c->instances.all[n->last_instance].next = index;
    }
    n->last_instance = index;
}

static void begin_geometry(reader *r, const char **attributes) {
    geometry *g = ADD(r, geometries, TABLE_MAX / 16);
    if (g != NULL) {
        *g = (geometry){NO_INDEX, NO_INDEX};
        keep_id(r, ID_GEOMETRY, r->c.geometries.count - 1, attributes);
    }
}

static void begin_kind(reader *r, element self, int detail, const char **attributes) {
    switch (self) {
    case E_UNIT:
        begin_unit(r, attributes);
        break;
    case E_GEOMETRY:
        begin_geometry(r, attributes);
        break;
    case E_SOURCE:
        begin_source(r, attributes);
        break;
    case E_FLOATS:
        begin_floats(r, attributes);
        break;
    case E_ACCESSOR:
        begin_accessor(r, attributes);
        break;
    case E_PARAM:
        begin_param(r, attributes);
        break;
    case E_VERTICES:
        begin_vertices(r, attributes);
        break;
    case E_VERTICES_INPUT:
        begin_vertices_input(r, attributes);
        break;
    case E_PRIMITIVE:
        begin_primitive(r, (primitive_form)detail);
        break;
    case E_INPUT:
        begin_input(r, attributes);
        break;
    case E_HOLES:
        refuse(r, OV_ERROR_FILE_FORMAT, "polygons with holes (ph) are not read");
        break;
    case E_VISUAL_SCENE:
    case E_NODE:
        begin_node(r, attributes, self == E_VISUAL_SCENE);
        break;
    case E_ODD:
        r->c.nodes.all[r->nodes[r->depth - 1]].odd_line = line_of(r);
        break;
    case E_USE:
        begin_use(r, attributes, (instance_use)detail);
        break;
    case E_USE_SCENE:
        r->c.scene = keep_url(r, attributes, "url");
        r->c.has_scene = true;
        break;
    default:
        break;
    }
}

/* ---- elements ------------------------------------------------------------------------------ */

static void XMLCALL begin_element(void *user, const char *name, const char **attributes) {
    reader *r = user;
    if (r->status != OV_OK) {
        return;
    }
    if (r->depth + 1 >= ELEMENTS_DEEP) {
        refuse(r, OV_ERROR_COUNT, "elements are nested too deep");
        return;
    }
    // elements of a namespace may have its prefix
    const char *colon = strrchr(name, ':');
    const char *bare = colon != NULL ? colon + 1 : name;
    element parent = r->stack[r->depth], self = E_OTHER;
    int detail = 0;
    for (size_t i = 0; i < sizeof grammar / sizeof grammar[0]; i++) {
        if (grammar[i].parent == parent && strcmp(grammar[i].name, bare) == 0) {
            self = grammar[i].self;
            detail = grammar[i].detail;
            break;
        }
    }
    if (parent == E_DOCUMENT && self != E_COLLADA) {
        refuse(r, OV_ERROR_FILE_FORMAT, "not COLLADA: the first element is not <COLLADA>");
        return;
    }
    r->stack[++r->depth] = self;
    r->word_length = 0;
    r->value_count = 0;
    begin_kind(r, self, detail, attributes);
}

/* ---- text of elements ------------------------------------------------------------------------ */

static bool has_words(element p) {
    return p == E_UP_AXIS || p == E_FLOATS || p == E_INDICES || p == E_LENGTHS ||
           (p >= E_MATRIX && p <= E_SCALE);
}

static void take_float(reader *r, ovi_word word) {
    array_entry *a = &r->c.arrays.all[r->c.arrays.count - 1];
    double value = 0.0;
    ov_status status = ovi_word_number(word, &value);
    if (status != OV_OK && a->status == OV_OK) {
        // it may be a texture's or a normal's, which are not needed
        a->status = status;
        a->line = line_of(r);
    }
    double *number = ADD(r, numbers, OV_MESH_BYTES_MAX);
    if (number != NULL) {
        *number = value;
        a->count++;
    }
}

static void take_index(reader *r, ovi_word word, element p) {
    int64_t value = 0;
    if (!ovi_word_integer(word, &value)) {
        refuse(r, OV_ERROR_FILE_FORMAT, "an index is not a whole number");
    } else if (value < 0 || value > (int64_t)UINT32_MAX) {
        refuse(r, OV_ERROR_INDEX, "an index is out of range");
    } else if (p == E_INDICES) {
        uint32_t *index = ADD(r, indices, OV_MESH_BYTES_MAX);
        if (index != NULL) {
            *index = (uint32_t)value;
            last_primitive(r)->index_count++;
        }
    } else if (last_primitive(r)->form == FORM_POLYLIST) {
        uint32_t *length = ADD(r, lengths, OV_MESH_BYTES_MAX);
        if (length != NULL) {
            *length = (uint32_t)value;
            last_primitive(r)->length_count++;
        }
    }
}

static void take_word(reader *r, ovi_word word) {
    element p = r->stack[r->depth];
    if (p == E_FLOATS) {
        take_float(r, word);
    } else if (p == E_INDICES || p == E_LENGTHS) {
        take_index(r, word, p);
    } else if (p == E_UP_AXIS) {
        bool known =
            ovi_word_is(word, "x_up") || ovi_word_is(word, "y_up") || ovi_word_is(word, "z_up");
        if (!known) {
            refuse(r, OV_ERROR_FILE_FORMAT, "up_axis is none of X_UP, Y_UP and Z_UP");
            return;
        }
        r->c.up = (char)(word.at[0] & ~0x20);
    } else {
        double value = 0.0;
        ov_status status = ovi_word_number(word, &value);
        if (status != OV_OK) {
            refuse(r, status, "a transformation has a number that is none, or too large");
        } else if (r->value_count == 16) {
            refuse(r, OV_ERROR_FILE_FORMAT, "a transformation has too many numbers");
        } else {
            r->values[r->value_count++] = value;
        }
    }
}

static void end_word(reader *r) {
    if (r->word_length > 0) {
        take_word(r, (ovi_word){r->word, r->word_length});
        r->word_length = 0;
    }
}

static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

/** Text comes in pieces, which may end within a word. */
static void XMLCALL take_text(void *user, const char *text, int length) {
    reader *r = user;
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
        } else if (r->word_length + more > WORD_MAX) {
            refuse(r, OV_ERROR_FILE_FORMAT, "a number has too many digits");
        } else {
            memcpy(r->word + r->word_length, first, more);
            r->word_length += more;
        }
    }
}

/* ---- ends of elements ------------------------------------------------------------------------ */

static ov_affine rotation(const double v[4]) {
    static const double degree = 3.14159265358979323846 / 180.0;
    ov_quat q = ov_quat_from_axis_angle(ov_vec3_make(v[0], v[1], v[2]), v[3] * degree);
    return ov_affine_from_pose((ov_pose){{0.0, 0.0, 0.0}, q});
}

/** A transformation acts before those that stand above it. */
static void end_transformation(reader *r, element self) {
    static const size_t needed[] = {16, 3, 4, 3};
    ov_affine a = affine_identity();
    const double *v = r->values;
    if (r->value_count != needed[self - E_MATRIX]) {
        refuse(r, OV_ERROR_FILE_FORMAT, "a transformation has too few or too many numbers");
        return;
    }
    if (self == E_MATRIX) {
        if (v[12] != 0.0 || v[13] != 0.0 || v[14] != 0.0 || v[15] != 1.0) {
            refuse(r, OV_ERROR_FILE_FORMAT, "the last row of a matrix must be 0 0 0 1");
            return;
        }
        // rows in the file, columns in memory
        a.linear = (ov_mat3){{v[0], v[4], v[8]}, {v[1], v[5], v[9]}, {v[2], v[6], v[10]}};
        a.translation = ov_vec3_make(v[3], v[7], v[11]);
    } else if (self == E_ROTATE) {
        a = rotation(v);
    } else if (self == E_TRANSLATE) {
        a.translation = ov_vec3_make(v[0], v[1], v[2]);
    } else {
        a.linear = (ov_mat3){{v[0], 0.0, 0.0}, {0.0, v[1], 0.0}, {0.0, 0.0, v[2]}};
    }
    node_entry *n = &r->c.nodes.all[r->nodes[r->depth - 1]];
    n->place = ov_affine_mul(&n->place, &a);
}

/** The lists of polygons, fans and strips end with their element. */
static void end_indices(reader *r) {
    primitive *q = last_primitive(r);
    if (q->form == FORM_TRIANGLES || q->form == FORM_POLYLIST) {
        return;
    }
    uint32_t *length = ADD(r, lengths, OV_MESH_BYTES_MAX);
    if (length != NULL) {
        *length = (uint32_t)(q->index_count - q->taken);
        q->taken = q->index_count;
        q->length_count++;
    }
}

static void XMLCALL end_element(void *user, const char *name) {
    (void)name;
    reader *r = user;
    if (r->status != OV_OK) {
        return;
    }
    element self = r->stack[r->depth];
    if (has_words(self)) {
        end_word(r);
    }
    if (r->status == OV_OK && self >= E_MATRIX && self <= E_SCALE) {
        end_transformation(r, self);
    } else if (r->status == OV_OK && self == E_INDICES) {
        end_indices(r);
    }
    r->depth--;
}

enum {
    DEPTH_MAX = 256,       /**< of nodes in nodes */
    NODE_WORK = 7,         /**< for a node: the bytes of <node/> */
    REPEATED_MAX = 1 << 24 /**< work for things that are used more than once */
};

typedef struct placer {
    document *c;
    size_t work; /**< so far: nodes, primitives, vertices and corners */
    size_t instance;
} placer;

/** Counts work to be done; each unit of it takes at least a byte of the file, once. */
static ov_status add_work(placer *p, size_t amount, size_t line) {
    p->work += amount;
    return p->work <= p->c->size + REPEATED_MAX
               ? OV_OK
               : ovi_mesh_refuse(p->c->m, OV_ERROR_COUNT, line,
                                 "nodes or geometries are used too often");
}

/* ---- references ------------------------------------------------------------------------------ */

/** For qsort, which has no place for the pool of texts: ids with their names. */
typedef struct named {
    const char *name;
    id_entry id;
} named;

static int compare_named(const void *a, const void *b) {
    const named *x = a, *y = b;
    if (x->id.kind != y->id.kind) {
        return x->id.kind < y->id.kind ? -1 : 1;
    }
    int order = strcmp(x->name, y->name);
    // of equal names the first counts
    return order != 0 ? order : (x->id.index > y->id.index) - (x->id.index < y->id.index);
}

static bool sort_ids(document *c) {
    size_t count = c->ids.count;
    named *list = malloc((count + 1) * sizeof *list);
    if (list == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        list[i] = (named){c->texts.all + c->ids.all[i].name, c->ids.all[i]};
    }
    qsort(list, count, sizeof *list, compare_named);
    for (size_t i = 0; i < count; i++) {
        c->ids.all[i] = list[i].id;
    }
    free(list);
    return true;
}

/** Index of what a url names; fills the error where there is no such thing. */
static ov_status resolve(const document *c, id_kind kind, url_entry url, uint32_t *index) {
    const char *text = c->texts.all + url.text;
    if (text[0] != '#') {
        return ovi_mesh_refuse(c->m, OV_ERROR_FILE_FORMAT, url.line,
                               "'%.80s' is not a place in this file", text);
    }
    size_t low = 0, high = c->ids.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const id_entry *id = &c->ids.all[middle];
        int order = id->kind != kind ? (id->kind < kind ? -1 : 1)
                                     : strcmp(c->texts.all + id->name, text + 1);
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const id_entry *id = low < c->ids.count ? &c->ids.all[low] : NULL;
    if (id == NULL || id->kind != kind || strcmp(c->texts.all + id->name, text + 1) != 0) {
        return ovi_mesh_refuse(c->m, OV_ERROR_FILE_FORMAT, url.line,
                               "nothing of that kind is "
                               "named '%.80s'",
                               text + 1);
    }
    *index = id->index;
    return OV_OK;
}

/* ---- coordinates ----------------------------------------------------------------------------- */

/** The vertices of a source, placed; once for each instance of a geometry. */
static ov_status add_source(placer *p, uint32_t index, const ov_affine *place, size_t line) {
    document *c = p->c;
    source_entry *s = &c->sources.all[index];
    if (s->instance == p->instance) {
        return OV_OK;
    }
    uint32_t array_index = 0;
    ov_status status = resolve(c, ID_ARRAY, s->array, &array_index);
    if (status != OV_OK) {
        return status;
    }
    const array_entry *array = &c->arrays.all[array_index];
    status = add_work(p, array->count / s->stride, line);
    if (status != OV_OK) {
        return status;
    }
    if (array->status != OV_OK) {
        return ovi_mesh_refuse(c->m, array->status, array->line, "a coordinate is %s",
                               array->status == OV_ERROR_NOT_FINITE   ? "not finite"
                               : array->status == OV_ERROR_SIZE_RANGE ? "too large"
                                                                      : "not a number");
    }
    if (s->params > 0 && s->axes < 3) {
        return ovi_mesh_refuse(c->m, OV_ERROR_FILE_FORMAT, s->array.line,
                               "positions need the parameters X, Y and Z");
    }
    uint32_t axis[3] = {0, 1, 2};
    if (s->axes > 0) {
        memcpy(axis, s->axis, sizeof axis);
    }
    uint32_t last = axis[2]; // in ascending order
    s->base = c->m->vertex_count;
    s->instance = p->instance;
    // stride and offset are numbers of the file, but limited where they are read
    for (uint64_t at = s->offset; at + last < array->count; at += s->stride) {
        // (there may be no numbers at all, and then no pointer to add to)
        const double *n = &c->numbers.all[array->first + at];
        ov_vec3 v = ov_vec3_make(n[axis[0]], n[axis[1]], n[axis[2]]);
        status = ovi_mesh_add_vertex(c->m, ov_affine_apply(place, v), array->line);
        if (status != OV_OK) {
            return status;
        }
    }
    s->vertices = c->m->vertex_count - s->base;
    return OV_OK;
}

/** The source of the coordinates of a primitive. */
static ov_status find_source(const document *c, const primitive *q, uint32_t *source) {
    if (!q->has_vertices) {
        return ovi_mesh_refuse(c->m, OV_ERROR_FILE_FORMAT, q->line,
                               "there is no input with the semantic VERTEX");
    }
    if (q->is_position) {
        return resolve(c, ID_SOURCE, q->vertices, source);
    }
    uint32_t vertices = 0;
    ov_status status = resolve(c, ID_VERTICES, q->vertices, &vertices);
    return status == OV_OK ? resolve(c, ID_SOURCE, c->vertices.all[vertices], source) : status;
}

/* ---- triangles ------------------------------------------------------------------------------- */

/** The corners of a primitive as numbers of vertices in the mesh. */
typedef struct corners {
    placer *p;
    const primitive *q;
    size_t base, count; /**< vertices of the source */
    bool mirrored;
} corners;

/** The vertex of a corner, in the mesh. */
static ov_status find_vertex(const corners *k, size_t corner, uint64_t *vertex) {
    const uint32_t *indices = k->p->c->indices.all + k->q->first_index + k->q->offset;
    uint32_t index = indices[corner * k->q->stride];
    if (index >= k->count) {
        return ovi_mesh_refuse(k->p->c->m, OV_ERROR_INDEX, k->q->line,
                               "index %u (from 0) is not one of %zu vertices", (unsigned)index,
                               k->count);
    }
    *vertex = k->base + index;
    return OV_OK;
}

static ov_status add_triangle(const corners *k, size_t a, size_t b, size_t c) {
    const size_t corner[3] = {a, k->mirrored ? c : b, k->mirrored ? b : c};
    uint64_t v[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        ov_status status = find_vertex(k, corner[i], &v[i]);
        if (status != OV_OK) {
            return status;
        }
    }
    return ovi_mesh_add_triangle(k->p->c->m, v[0], v[1], v[2], k->q->line);
}

static ov_status add_polygon(const corners *k, size_t first, size_t count) {
    ov_status status = OV_OK;
    for (size_t i = 0; i < count && status == OV_OK; i++) {
        uint64_t vertex = 0;
        status = find_vertex(k, first + i, &vertex);
        if (status == OV_OK) {
            status = ovi_mesh_add_corner(k->p->c->m, vertex);
        }
    }
    return status == OV_OK ? ovi_mesh_end_polygon(k->p->c->m, k->mirrored, k->q->line) : status;
}

/** The triangles of `count` corners from `first` on. */
static ov_status add_list(const corners *k, size_t first, size_t count) {
    ov_status status = OV_OK;
    size_t step = k->q->form == FORM_TRIANGLES ? 3 : 1;
    bool fan = k->q->form == FORM_FANS;
    if (k->q->form == FORM_POLYLIST || k->q->form == FORM_POLYGONS) {
        return add_polygon(k, first, count);
    }
    for (size_t i = 0; i + 2 < count && status == OV_OK; i += step) {
        // every other triangle of a strip is the other way round
        size_t turn = k->q->form == FORM_STRIPS ? i % 2 : 0;
        status =
            add_triangle(k, fan ? first : first + i, first + i + 1 + turn, first + i + 2 - turn);
    }
    return status;
}

/** Splits the corners into polygons, fans or strips. */
static ov_status add_lists(const corners *k) {
    const document *c = k->p->c;
    const primitive *q = k->q;
    size_t total = q->index_count / q->stride, first = 0;
    if (q->form == FORM_TRIANGLES) {
        return total % 3 == 0 && q->index_count % q->stride == 0
                   ? add_list(k, 0, total)
                   : ovi_mesh_refuse(c->m, OV_ERROR_FILE_FORMAT, q->line,
                                     "the number of indices is not one of whole triangles");
    }
    bool polylist = q->form == FORM_POLYLIST;
    for (size_t i = 0; i < q->length_count; i++) {
        size_t length = c->lengths.all[q->first_length + i];
        if (!polylist && length % q->stride != 0) {
            return ovi_mesh_refuse(c->m, OV_ERROR_FILE_FORMAT, q->line,
                                   "the number of indices is not one of whole vertices");
        }
        length /= polylist ? 1 : q->stride;
        if (length > total - first) {
            return ovi_mesh_refuse(c->m, OV_ERROR_FILE_FORMAT, q->line,
                                   "there are fewer indices than the polygons have corners");
        }
        ov_status status = add_list(k, first, length);
        if (status != OV_OK) {
            return status;
        }
        first += length;
    }
    return first == total && q->index_count % q->stride == 0
               ? OV_OK
               : ovi_mesh_refuse(c->m, OV_ERROR_FILE_FORMAT, q->line,
                                 "there are more indices than the polygons have corners");
}

static ov_status place_primitive(placer *p, const primitive *q, const ov_affine *place) {
    document *c = p->c;
    ov_status status = add_work(p, 1 + q->index_count / q->stride + q->length_count, q->line);
    // programs write empty ones, with nothing in them at all
    if (status != OV_OK || (q->index_count == 0 && q->length_count == 0)) {
        return status;
    }
    uint32_t source = 0;
    status = find_source(c, q, &source);
    if (status == OV_OK) {
        status = add_source(p, source, place, q->line);
    }
    if (status != OV_OK) {
        return status;
    }
    const source_entry *s = &c->sources.all[source];
    corners k = {p, q, s->base, s->vertices, affine_mirrors(place)};
    return add_lists(&k);
}

static ov_status place_geometry(placer *p, uint32_t index, const ov_affine *place) {
    const document *c = p->c;
    p->instance++;
    ov_status status = OV_OK;
    uint32_t i = c->geometries.all[index].first;
    while (i != NO_INDEX && status == OV_OK) {
        status = place_primitive(p, &c->primitives.all[i], place);
        i = c->primitives.all[i].next;
    }
    return status;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static ov_status place_node(placer *p, uint32_t index, const ov_affine *above, size_t odd,
                            int depth, size_t line);

static ov_status place_instance(placer *p, const instance *n, const ov_affine *place, size_t odd,
                                int depth) {
    const document *c = p->c;
    uint32_t target = 0;
    if (n->use == USE_CONTROLLER) {
        return ovi_mesh_refuse(c->m, OV_ERROR_FILE_FORMAT, n->url.line,
                               "skinned geometries (instance_controller) are not read");
    }
    bool geometry = n->use == USE_GEOMETRY;
    ov_status status = resolve(c, geometry ? ID_GEOMETRY : ID_NODE, n->url, &target);
    if (status != OV_OK) {
        return status;
    }
    if (!geometry) {
        return place_node(p, target, place, odd, depth + 1, n->url.line);
    }
    if (odd != 0) {
        return ovi_mesh_refuse(c->m, OV_ERROR_FILE_FORMAT, odd,
                               "transformations by lookat and skew are not read");
    }
    status = add_work(p, NODE_WORK, n->url.line);
    return status == OV_OK ? place_geometry(p, target, place) : status;
}

static ov_status place_node(placer *p, uint32_t index, const ov_affine *above, size_t odd,
                            int depth, size_t line) {
    const document *c = p->c;
    const node_entry *n = &c->nodes.all[index];
    if (depth > DEPTH_MAX) {
        return ovi_mesh_refuse(c->m, OV_ERROR_COUNT, line,
                               "nodes are nested too deep, or without end");
    }
    ov_status status = add_work(p, NODE_WORK, line);
    ov_affine place = ov_affine_mul(above, &n->place);
    odd = odd != 0 ? odd : n->odd_line;
    uint32_t i = n->first_instance;
    while (i != NO_INDEX && status == OV_OK) {
        status = place_instance(p, &c->instances.all[i], &place, odd, depth);
        i = c->instances.all[i].next;
    }
    i = n->first_child;
    while (i != NO_INDEX && status == OV_OK) {
        status = place_node(p, i, &place, odd, depth + 1, line);
        i = c->nodes.all[i].next;
    }
    return status;
}

/** Puts the geometries of the scene together in the mesh. */
static ov_status place_scene(document *c) {
    placer p = {c, 0, 0};
    ov_affine world = to_metres(c->m->keep_axes ? 'Z' : c->up, c->meter);
    if (!sort_ids(c)) {
        return ovi_mesh_refuse(c->m, OV_ERROR_MEMORY, 0, "out of memory");
    }
    uint32_t scene = c->first_scene;
    if (c->has_scene) {
        ov_status status = resolve(c, ID_SCENE, c->scene, &scene);
        if (status != OV_OK) {
            return status;
        }
    }
    if (scene != NO_INDEX) {
        return place_node(&p, scene, &world, 0, 0, c->scene.line);
    }
    // a file of geometries alone: each once, as it is
    ov_status status = OV_OK;
    for (size_t i = 0; i < c->geometries.count && status == OV_OK; i++) {
        status = place_geometry(&p, (uint32_t)i, &world);
    }
    return status;
}

/* ---- the file -------------------------------------------------------------------------------- */

static void XMLCALL refuse_entity(void *user, const char *name, int is_parameter, const char *value,
                                  int length, const char *base, const char *system,
                                  const char *public_id, const char *notation) {
    (void)name, (void)is_parameter, (void)value, (void)length, (void)base;
    (void)system, (void)public_id, (void)notation;
    refuse(user, OV_ERROR_FILE_FORMAT, "entities are not allowed");
}

static ov_status parse(reader *r, const unsigned char *bytes, size_t size) {
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
        return ovi_mesh_refuse(r->c.m, memory ? OV_ERROR_MEMORY : OV_ERROR_FILE_FORMAT, line_of(r),
                               "%s", XML_ErrorString(code));
    }
    return place_scene(&r->c);
}

ov_status ovi_mesh_read_collada(const unsigned char *bytes, size_t size, ovi_mesh_maker *m) {
    reader *r = calloc(1, sizeof *r);
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
    r->c.first_scene = NO_INDEX;
    r->stack[0] = E_DOCUMENT;
    // the text 0 is ""
    char *empty = ADD(r, texts, 1);
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
