/**
 * @file collada.h
 * @brief What a COLLADA file says about triangles, as mesh_read_collada.c keeps it until the end of
 * the file, and collada_place.c then puts together: references may point forward.
 */
#ifndef OVI_COLLADA_H
#define OVI_COLLADA_H

#include <expat.h>

#include "mesh_read.h"

enum {
    OVI_COLLADA_DEPTH = 200, /**< of elements */
    OVI_COLLADA_WORD = 1100, /**< longest number, and a little */
};

/** "None" where an index stands. */
#define OVI_COLLADA_NONE UINT32_MAX

/** What an id is of; ids of unlike kinds do not meet. */
typedef enum ovi_collada_kind {
    OVI_COLLADA_ARRAY,
    OVI_COLLADA_SOURCE,
    OVI_COLLADA_VERTICES,
    OVI_COLLADA_GEOMETRY,
    OVI_COLLADA_NODE,
    OVI_COLLADA_SCENE
} ovi_collada_kind;

/** A name of something; names are offsets into the pool of texts, 0 being "". */
typedef struct ovi_collada_id {
    ovi_collada_kind kind;
    uint32_t index;
    size_t name;
} ovi_collada_id;

/** A reference: the text of a url attribute, and its line. */
typedef struct ovi_collada_url {
    size_t text, line;
} ovi_collada_url;

typedef struct ovi_collada_array {
    size_t first, count; /**< in the table of numbers */
    ov_status status;    /**< of the first number that is none; matters only if it is used */
    size_t line;
} ovi_collada_array;

/** The accessor of a source: vertex i has the coordinates offset + i stride + axis[k]. */
typedef struct ovi_collada_source {
    ovi_collada_url array;
    uint64_t offset, stride;
    uint32_t params, axes; /**< parameters seen, and those with a name: x, y and z */
    uint32_t axis[3];
    // where its vertices stand in the mesh, for the instance of this number
    size_t base, vertices, instance;
} ovi_collada_source;

typedef enum ovi_collada_form {
    OVI_COLLADA_TRIANGLES, /**< all indices in one list */
    OVI_COLLADA_POLYLIST,  /**< the same, with the lengths of polygons beside */
    OVI_COLLADA_POLYGONS,  /**< a list for each polygon, */
    OVI_COLLADA_FANS,      /**< ... fan */
    OVI_COLLADA_STRIPS     /**< ... or strip */
} ovi_collada_form;

typedef struct ovi_collada_primitive {
    ovi_collada_form form;
    ovi_collada_url vertices; /**< of the input VERTEX (or POSITION) */
    bool has_vertices, is_position;
    uint32_t offset, stride;
    size_t first_index, index_count;
    size_t taken;                      /**< indices in lists that have ended */
    size_t first_length, length_count; /**< of polygons in corners, of other lists in indices */
    uint32_t next;                     /**< of the same geometry */
    size_t line;
} ovi_collada_primitive;

typedef struct ovi_collada_geometry {
    uint32_t first, last; /**< primitives */
} ovi_collada_geometry;

typedef enum ovi_collada_use {
    OVI_COLLADA_USE_GEOMETRY,
    OVI_COLLADA_USE_NODE,
    OVI_COLLADA_USE_CONTROLLER
} ovi_collada_use;

typedef struct ovi_collada_instance {
    ovi_collada_use use;
    ovi_collada_url url;
    uint32_t next; /**< of the same node */
} ovi_collada_instance;

/** A node, or a visual scene. */
typedef struct ovi_collada_node {
    ov_affine place;
    size_t odd_line; /**< of a transformation that is not read, or 0 */
    uint32_t first_child, last_child, next;
    uint32_t first_instance, last_instance;
} ovi_collada_node;

/** A table that grows. */
#define OVI_COLLADA_TABLE(type)                                                                    \
    struct {                                                                                       \
        type *all;                                                                                 \
        size_t count, room;                                                                        \
    }

typedef struct ovi_collada {
    ovi_mesh_maker *m;
    size_t size; /**< of the file */
    OVI_COLLADA_TABLE(char) texts;
    OVI_COLLADA_TABLE(double) numbers;
    OVI_COLLADA_TABLE(uint32_t) indices;
    OVI_COLLADA_TABLE(uint32_t) lengths;
    OVI_COLLADA_TABLE(ovi_collada_id) ids;
    OVI_COLLADA_TABLE(ovi_collada_array) arrays;
    OVI_COLLADA_TABLE(ovi_collada_source) sources;
    OVI_COLLADA_TABLE(ovi_collada_url) vertices; /**< the source of each POSITION */
    OVI_COLLADA_TABLE(ovi_collada_geometry) geometries;
    OVI_COLLADA_TABLE(ovi_collada_primitive) primitives;
    OVI_COLLADA_TABLE(ovi_collada_node) nodes;
    OVI_COLLADA_TABLE(ovi_collada_instance) instances;
    uint32_t first_scene; /**< a node */
    bool has_scene;       /**< the file says which visual scene it shows: */
    ovi_collada_url scene;
    double meter;
    char up; /**< 'X', 'Y' or 'Z' */
} ovi_collada;

/* ---- parsing (mesh_read_collada.c), and what elements begin with (collada_begin.c) */

/** Elements that matter. What is not in its place is OVI_E_OTHER, with all that it holds. */
typedef enum ovi_collada_element {
    OVI_E_OTHER,
    OVI_E_DOCUMENT,
    OVI_E_COLLADA,
    OVI_E_ASSET,
    OVI_E_UNIT,
    OVI_E_UP_AXIS,
    OVI_E_GEOMETRIES,
    OVI_E_GEOMETRY,
    OVI_E_MESH,
    OVI_E_SOURCE,
    OVI_E_FLOATS,
    OVI_E_TECHNIQUE,
    OVI_E_ACCESSOR,
    OVI_E_PARAM,
    OVI_E_VERTICES,
    OVI_E_VERTICES_INPUT,
    OVI_E_PRIMITIVE,
    OVI_E_INPUT,
    OVI_E_INDICES,
    OVI_E_LENGTHS,
    OVI_E_HOLES,
    OVI_E_NODES,
    OVI_E_SCENES,
    OVI_E_VISUAL_SCENE,
    OVI_E_NODE,
    OVI_E_MATRIX,
    OVI_E_TRANSLATE,
    OVI_E_ROTATE,
    OVI_E_SCALE,
    OVI_E_ODD,
    OVI_E_USE,
    OVI_E_SCENE,
    OVI_E_USE_SCENE
} ovi_collada_element;

/** The state of the parser. */
typedef struct ovi_collada_reader {
    ovi_collada c;
    XML_Parser parser;
    ov_status status;
    ovi_collada_element stack[OVI_COLLADA_DEPTH];
    uint32_t nodes[OVI_COLLADA_DEPTH]; /**< of the elements on the stack that are nodes or scenes */
    size_t depth;
    double values[16]; /**< of a transformation */
    size_t value_count;
    char word[OVI_COLLADA_WORD]; /**< that the end of a piece of text has cut */
    size_t word_length;
} ovi_collada_reader;

size_t ovi_collada_line(const ovi_collada_reader *r);
/** The first error counts; expat is told to end. */
void ovi_collada_refuse(ovi_collada_reader *r, ov_status status, const char *what);
/** Room for one more element of a table; false with an error. */
bool ovi_collada_room(ovi_collada_reader *r, void *array, size_t *room, size_t count,
                      size_t element, size_t limit);

/** Adds an element to a table: `&table.all[new]`, or null with an error. */
#define OVI_COLLADA_ADD(r, table, limit)                                                           \
    (ovi_collada_room((r), &(r)->c.table.all, &(r)->c.table.room, (r)->c.table.count,              \
                      sizeof *(r)->c.table.all, (limit))                                           \
         ? &(r)->c.table.all[(r)->c.table.count++]                                                 \
         : NULL)

/** The primitive that is being read. */
static inline ovi_collada_primitive *ovi_collada_last(ovi_collada_reader *r) {
    return &r->c.primitives.all[r->c.primitives.count - 1];
}

/** Takes the attributes of an element that was just put on the stack. */
void ovi_collada_begin(ovi_collada_reader *r, ovi_collada_element self, int detail,
                       const char **attributes);

/* ---- placing (collada_place.c) */

/** Puts the geometries of the scene together in the maker's mesh. */
ov_status ovi_collada_place(ovi_collada *c);

#endif
