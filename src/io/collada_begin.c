/**
 * @file collada_begin.c
 * @brief What the elements of a COLLADA file say in their attributes, kept in the tables.
 */
#include <string.h>

#include "collada.h"

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
static size_t keep_text(ovi_collada_reader *r, const char *text) {
    size_t first = r->c.texts.count;
    for (const char *s = text; s != NULL; s++) {
        char *c = OVI_COLLADA_ADD(r, texts, OV_MESH_BYTES_MAX);
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

static ovi_collada_url keep_url(ovi_collada_reader *r, const char **attributes, const char *name) {
    const char *text = attribute(attributes, name);
    if (text == NULL) {
        ovi_collada_refuse(r, OV_ERROR_FILE_FORMAT,
                           "an element has no reference ('url' or 'source')");
    }
    return (ovi_collada_url){keep_text(r, text), ovi_collada_line(r)};
}

static void keep_id(ovi_collada_reader *r, ovi_collada_kind kind, size_t index,
                    const char **attributes) {
    const char *text = attribute(attributes, "id");
    ovi_collada_id *id = text != NULL ? OVI_COLLADA_ADD(r, ids, TABLE_MAX) : NULL;
    if (id != NULL) {
        *id = (ovi_collada_id){kind, (uint32_t)index, 0};
        id->name = keep_text(r, text);
    }
}

/** A whole number of an attribute, from `least` to STRIDE_MAX. */
static uint32_t small_number(ovi_collada_reader *r, const char **attributes, const char *name,
                             uint32_t least, uint32_t otherwise) {
    const char *text = attribute(attributes, name);
    int64_t value;
    if (text == NULL) {
        return otherwise;
    }
    if (!ovi_word_integer((ovi_word){text, strlen(text)}, &value) || value < (int64_t)least ||
        value > STRIDE_MAX) {
        ovi_collada_refuse(r, OV_ERROR_FILE_FORMAT,
                           "a stride, offset or count is out of its range");
        return otherwise;
    }
    return (uint32_t)value;
}

/* ---- elements -------------------------------------------------------------------------------- */

static void begin_unit(ovi_collada_reader *r, const char **attributes) {
    const char *text = attribute(attributes, "meter");
    double meter = 1.0;
    if (text == NULL) {
        return;
    }
    if (ovi_word_number((ovi_word){text, strlen(text)}, &meter) != OV_OK || !(meter > 0.0)) {
        ovi_collada_refuse(r, OV_ERROR_FILE_FORMAT,
                           "the unit must be a number of metres above zero");
        return;
    }
    r->c.meter = meter;
}

static void begin_source(ovi_collada_reader *r, const char **attributes) {
    ovi_collada_source *s = OVI_COLLADA_ADD(r, sources, TABLE_MAX / 16);
    if (s != NULL) {
        *s = (ovi_collada_source){.array = {0, ovi_collada_line(r)}, .stride = 3};
        keep_id(r, OVI_COLLADA_SOURCE, r->c.sources.count - 1, attributes);
    }
}

static void begin_floats(ovi_collada_reader *r, const char **attributes) {
    ovi_collada_array *a = OVI_COLLADA_ADD(r, arrays, TABLE_MAX / 16);
    if (a != NULL) {
        *a = (ovi_collada_array){.first = r->c.numbers.count, .line = ovi_collada_line(r)};
        keep_id(r, OVI_COLLADA_ARRAY, r->c.arrays.count - 1, attributes);
    }
}

static void begin_accessor(ovi_collada_reader *r, const char **attributes) {
    ovi_collada_source *s = &r->c.sources.all[r->c.sources.count - 1];
    // one without a reference is of no use here, but may be of a source that is not used
    if (attribute(attributes, "source") == NULL) {
        return;
    }
    s->array = keep_url(r, attributes, "source");
    s->stride = small_number(r, attributes, "stride", 1, 1);
    s->offset = small_number(r, attributes, "offset", 0, 0);
    s->params = s->axes = 0;
}

static void begin_param(ovi_collada_reader *r, const char **attributes) {
    ovi_collada_source *s = &r->c.sources.all[r->c.sources.count - 1];
    // a parameter without a name is a gap
    const char *name = attribute(attributes, "name");
    if (name != NULL && name[0] != '\0' && s->axes < 3) {
        s->axis[s->axes++] = s->params;
    }
    if (++s->params > STRIDE_MAX) {
        ovi_collada_refuse(r, OV_ERROR_COUNT, "an accessor has too many parameters");
    }
}

static void begin_vertices(ovi_collada_reader *r, const char **attributes) {
    ovi_collada_url *v = OVI_COLLADA_ADD(r, vertices, TABLE_MAX / 16);
    if (v != NULL) {
        *v = (ovi_collada_url){0, ovi_collada_line(r)};
        keep_id(r, OVI_COLLADA_VERTICES, r->c.vertices.count - 1, attributes);
    }
}

static void begin_vertices_input(ovi_collada_reader *r, const char **attributes) {
    const char *semantic = attribute(attributes, "semantic");
    if (semantic != NULL && strcmp(semantic, "POSITION") == 0) {
        r->c.vertices.all[r->c.vertices.count - 1] = keep_url(r, attributes, "source");
    }
}

static void begin_primitive(ovi_collada_reader *r, ovi_collada_form form) {
    ovi_collada *c = &r->c;
    ovi_collada_geometry *g = &c->geometries.all[c->geometries.count - 1];
    ovi_collada_primitive *q = OVI_COLLADA_ADD(r, primitives, TABLE_MAX / 16);
    if (q == NULL) {
        return;
    }
    *q = (ovi_collada_primitive){.form = form,
                                 .stride = 1,
                                 .first_index = c->indices.count,
                                 .first_length = c->lengths.count,
                                 .next = OVI_COLLADA_NONE,
                                 .line = ovi_collada_line(r)};
    uint32_t index = (uint32_t)(c->primitives.count - 1);
    if (g->last == OVI_COLLADA_NONE) {
        g->first = index;
    } else {
        c->primitives.all[g->last].next = index;
    }
    g->last = index;
}

static void begin_input(ovi_collada_reader *r, const char **attributes) {
    ovi_collada_primitive *q = ovi_collada_last(r);
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

static void begin_node(ovi_collada_reader *r, const char **attributes, bool scene) {
    ovi_collada *c = &r->c;
    ovi_collada_node *n = OVI_COLLADA_ADD(r, nodes, NODES_MAX);
    if (n == NULL) {
        return;
    }
    uint32_t index = (uint32_t)(c->nodes.count - 1);
    uint32_t none = OVI_COLLADA_NONE;
    *n = (ovi_collada_node){
        ov_affine_from_pose(ov_pose_identity()), 0, none, none, none, none, none};
    r->nodes[r->depth] = index;
    keep_id(r, scene ? OVI_COLLADA_SCENE : OVI_COLLADA_NODE, index, attributes);
    if (scene) {
        c->first_scene = c->first_scene == none ? index : c->first_scene;
        return;
    }
    if (r->stack[r->depth - 1] == OVI_E_NODES) {
        return; // of a library: only where it is named
    }
    ovi_collada_node *parent = &c->nodes.all[r->nodes[r->depth - 1]];
    if (parent->last_child == none) {
        parent->first_child = index;
    } else {
        c->nodes.all[parent->last_child].next = index;
    }
    parent->last_child = index;
}

static void begin_use(ovi_collada_reader *r, const char **attributes, ovi_collada_use use) {
    ovi_collada *c = &r->c;
    ovi_collada_node *n = &c->nodes.all[r->nodes[r->depth - 1]];
    ovi_collada_instance *i = OVI_COLLADA_ADD(r, instances, TABLE_MAX / 16);
    if (i == NULL) {
        return;
    }
    *i = (ovi_collada_instance){use, {0, 0}, OVI_COLLADA_NONE};
    i->url = keep_url(r, attributes, "url");
    uint32_t index = (uint32_t)(c->instances.count - 1);
    if (n->last_instance == OVI_COLLADA_NONE) {
        n->first_instance = index;
    } else {
        c->instances.all[n->last_instance].next = index;
    }
    n->last_instance = index;
}

static void begin_geometry(ovi_collada_reader *r, const char **attributes) {
    ovi_collada_geometry *g = OVI_COLLADA_ADD(r, geometries, TABLE_MAX / 16);
    if (g != NULL) {
        *g = (ovi_collada_geometry){OVI_COLLADA_NONE, OVI_COLLADA_NONE};
        keep_id(r, OVI_COLLADA_GEOMETRY, r->c.geometries.count - 1, attributes);
    }
}

void ovi_collada_begin(ovi_collada_reader *r, ovi_collada_element self, int detail,
                       const char **attributes) {
    switch (self) {
    case OVI_E_UNIT:
        begin_unit(r, attributes);
        break;
    case OVI_E_GEOMETRY:
        begin_geometry(r, attributes);
        break;
    case OVI_E_SOURCE:
        begin_source(r, attributes);
        break;
    case OVI_E_FLOATS:
        begin_floats(r, attributes);
        break;
    case OVI_E_ACCESSOR:
        begin_accessor(r, attributes);
        break;
    case OVI_E_PARAM:
        begin_param(r, attributes);
        break;
    case OVI_E_VERTICES:
        begin_vertices(r, attributes);
        break;
    case OVI_E_VERTICES_INPUT:
        begin_vertices_input(r, attributes);
        break;
    case OVI_E_PRIMITIVE:
        begin_primitive(r, (ovi_collada_form)detail);
        break;
    case OVI_E_INPUT:
        begin_input(r, attributes);
        break;
    case OVI_E_HOLES:
        ovi_collada_refuse(r, OV_ERROR_FILE_FORMAT, "polygons with holes (ph) are not read");
        break;
    case OVI_E_VISUAL_SCENE:
    case OVI_E_NODE:
        begin_node(r, attributes, self == OVI_E_VISUAL_SCENE);
        break;
    case OVI_E_ODD:
        r->c.nodes.all[r->nodes[r->depth - 1]].odd_line = ovi_collada_line(r);
        break;
    case OVI_E_USE:
        begin_use(r, attributes, (ovi_collada_use)detail);
        break;
    case OVI_E_USE_SCENE:
        r->c.scene = keep_url(r, attributes, "url");
        r->c.has_scene = true;
        break;
    default:
        break;
    }
}
