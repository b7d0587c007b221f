/**
 * @file collada_place.c
 * @brief The scene of a COLLADA file as one mesh: references are followed from the scene through
 * nodes and geometries to the coordinates.
 *
 * Nodes may be used again and again, also by each other, so that a short file can describe a huge
 * scene, or one without end: the depth is limited, and so is all that is done beyond what a file of
 * this size could ask for without using anything twice. Coordinates are turned to z up and scaled
 * to metres last.
 */
#include <stdlib.h>
#include <string.h>

#include "collada.h"

enum {
    DEPTH_MAX = 256,       /**< of nodes in nodes */
    NODE_WORK = 7,         /**< for a node: the bytes of <node/> */
    REPEATED_MAX = 1 << 24 /**< work for things that are used more than once */
};

typedef struct placer {
    ovi_collada *c;
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

/* ---- maps ------------------------------------------------------------------------------------ */

/** Does it turn the outside in? */
static bool affine_mirrors(const ov_affine *a) {
    // unit columns: those of a map to millimetres of a tiny body would underflow
    ov_vec3 x = ov_vec3_normalize(a->linear.cx), y = ov_vec3_normalize(a->linear.cy);
    return ov_vec3_dot(ov_vec3_cross(x, y), ov_vec3_normalize(a->linear.cz)) < 0.0;
}

/** From the file's axes and unit to z up and metres. */
static ov_affine to_metres(char up, double meter) {
    ov_vec3 x = {meter, 0.0, 0.0}, y = {0.0, meter, 0.0}, z = {0.0, 0.0, meter};
    ov_mat3 linear = {x, y, z};
    if (up == 'X') {
        linear = (ov_mat3){z, ov_vec3_make(-meter, 0.0, 0.0), ov_vec3_make(0.0, -meter, 0.0)};
    } else if (up == 'Y') {
        linear = (ov_mat3){x, z, ov_vec3_make(0.0, -meter, 0.0)};
    }
    return (ov_affine){linear, {0.0, 0.0, 0.0}};
}

/* ---- references ------------------------------------------------------------------------------ */

/** For qsort, which has no place for the pool of texts: ids with their names. */
typedef struct named {
    const char *name;
    ovi_collada_id id;
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

static bool sort_ids(ovi_collada *c) {
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
static ov_status resolve(const ovi_collada *c, ovi_collada_kind kind, ovi_collada_url url,
                         uint32_t *index) {
    const char *text = c->texts.all + url.text;
    if (text[0] != '#') {
        return ovi_mesh_refuse(c->m, OV_ERROR_FILE_FORMAT, url.line,
                               "'%.80s' is not a place in this file", text);
    }
    size_t low = 0, high = c->ids.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const ovi_collada_id *id = &c->ids.all[middle];
        int order = id->kind != kind ? (id->kind < kind ? -1 : 1)
                                     : strcmp(c->texts.all + id->name, text + 1);
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const ovi_collada_id *id = low < c->ids.count ? &c->ids.all[low] : NULL;
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
    ovi_collada *c = p->c;
    ovi_collada_source *s = &c->sources.all[index];
    if (s->instance == p->instance) {
        return OV_OK;
    }
    uint32_t array_index = 0;
    ov_status status = resolve(c, OVI_COLLADA_ARRAY, s->array, &array_index);
    if (status != OV_OK) {
        return status;
    }
    const ovi_collada_array *array = &c->arrays.all[array_index];
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
    const double *numbers = c->numbers.all + array->first;
    s->base = c->m->vertex_count;
    s->instance = p->instance;
    // stride and offset are numbers of the file, but limited where they are read
    for (uint64_t at = s->offset; at + last < array->count; at += s->stride) {
        ov_vec3 v =
            ov_vec3_make(numbers[at + axis[0]], numbers[at + axis[1]], numbers[at + axis[2]]);
        status = ovi_mesh_add_vertex(c->m, ov_affine_apply(place, v), array->line);
        if (status != OV_OK) {
            return status;
        }
    }
    s->vertices = c->m->vertex_count - s->base;
    return OV_OK;
}

/** The source of the coordinates of a primitive. */
static ov_status find_source(const ovi_collada *c, const ovi_collada_primitive *q,
                             uint32_t *source) {
    if (!q->has_vertices) {
        return ovi_mesh_refuse(c->m, OV_ERROR_FILE_FORMAT, q->line,
                               "there is no input with the semantic VERTEX");
    }
    if (q->is_position) {
        return resolve(c, OVI_COLLADA_SOURCE, q->vertices, source);
    }
    uint32_t vertices = 0;
    ov_status status = resolve(c, OVI_COLLADA_VERTICES, q->vertices, &vertices);
    return status == OV_OK ? resolve(c, OVI_COLLADA_SOURCE, c->vertices.all[vertices], source)
                           : status;
}

/* ---- triangles ------------------------------------------------------------------------------- */

/** The corners of a primitive as numbers of vertices in the mesh. */
typedef struct corners {
    placer *p;
    const ovi_collada_primitive *q;
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
    size_t step = k->q->form == OVI_COLLADA_TRIANGLES ? 3 : 1;
    bool fan = k->q->form == OVI_COLLADA_FANS;
    if (k->q->form == OVI_COLLADA_POLYLIST || k->q->form == OVI_COLLADA_POLYGONS) {
        return add_polygon(k, first, count);
    }
    for (size_t i = 0; i + 2 < count && status == OV_OK; i += step) {
        // every other triangle of a strip is the other way round
        size_t turn = k->q->form == OVI_COLLADA_STRIPS ? i % 2 : 0;
        status =
            add_triangle(k, fan ? first : first + i, first + i + 1 + turn, first + i + 2 - turn);
    }
    return status;
}

/** Splits the corners into polygons, fans or strips. */
static ov_status add_lists(const corners *k) {
    const ovi_collada *c = k->p->c;
    const ovi_collada_primitive *q = k->q;
    size_t total = q->index_count / q->stride, first = 0;
    if (q->form == OVI_COLLADA_TRIANGLES) {
        return total % 3 == 0 && q->index_count % q->stride == 0
                   ? add_list(k, 0, total)
                   : ovi_mesh_refuse(c->m, OV_ERROR_FILE_FORMAT, q->line,
                                     "the number of indices is not one of whole triangles");
    }
    bool polylist = q->form == OVI_COLLADA_POLYLIST;
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

static ov_status place_primitive(placer *p, const ovi_collada_primitive *q,
                                 const ov_affine *place) {
    ovi_collada *c = p->c;
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
    const ovi_collada_source *s = &c->sources.all[source];
    corners k = {p, q, s->base, s->vertices, affine_mirrors(place)};
    return add_lists(&k);
}

static ov_status place_geometry(placer *p, uint32_t index, const ov_affine *place) {
    const ovi_collada *c = p->c;
    p->instance++;
    ov_status status = OV_OK;
    uint32_t i = c->geometries.all[index].first;
    while (i != OVI_COLLADA_NONE && status == OV_OK) {
        status = place_primitive(p, &c->primitives.all[i], place);
        i = c->primitives.all[i].next;
    }
    return status;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static ov_status place_node(placer *p, uint32_t index, const ov_affine *above, size_t odd,
                            int depth, size_t line);

static ov_status place_instance(placer *p, const ovi_collada_instance *n, const ov_affine *place,
                                size_t odd, int depth) {
    const ovi_collada *c = p->c;
    uint32_t target = 0;
    if (n->use == OVI_COLLADA_USE_CONTROLLER) {
        return ovi_mesh_refuse(c->m, OV_ERROR_FILE_FORMAT, n->url.line,
                               "skinned geometries (instance_controller) are not read");
    }
    bool geometry = n->use == OVI_COLLADA_USE_GEOMETRY;
    ov_status status =
        resolve(c, geometry ? OVI_COLLADA_GEOMETRY : OVI_COLLADA_NODE, n->url, &target);
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
    const ovi_collada *c = p->c;
    const ovi_collada_node *n = &c->nodes.all[index];
    if (depth > DEPTH_MAX) {
        return ovi_mesh_refuse(c->m, OV_ERROR_COUNT, line,
                               "nodes are nested too deep, or without end");
    }
    ov_status status = add_work(p, NODE_WORK, line);
    ov_affine place = ov_affine_mul(above, &n->place);
    odd = odd != 0 ? odd : n->odd_line;
    uint32_t i = n->first_instance;
    while (i != OVI_COLLADA_NONE && status == OV_OK) {
        status = place_instance(p, &c->instances.all[i], &place, odd, depth);
        i = c->instances.all[i].next;
    }
    i = n->first_child;
    while (i != OVI_COLLADA_NONE && status == OV_OK) {
        status = place_node(p, i, &place, odd, depth + 1, line);
        i = c->nodes.all[i].next;
    }
    return status;
}

ov_status ovi_collada_place(ovi_collada *c) {
    placer p = {c, 0, 0};
    ov_affine world = to_metres(c->m->keep_axes ? 'Z' : c->up, c->meter);
    if (!sort_ids(c)) {
        return ovi_mesh_refuse(c->m, OV_ERROR_MEMORY, 0, "out of memory");
    }
    uint32_t scene = c->first_scene;
    if (c->has_scene) {
        ov_status status = resolve(c, OVI_COLLADA_SCENE, c->scene, &scene);
        if (status != OV_OK) {
            return status;
        }
    }
    if (scene != OVI_COLLADA_NONE) {
        return place_node(&p, scene, &world, 0, 0, c->scene.line);
    }
    // a file of geometries alone: each once, as it is
    ov_status status = OV_OK;
    for (size_t i = 0; i < c->geometries.count && status == OV_OK; i++) {
        status = place_geometry(&p, (uint32_t)i, &world);
    }
    return status;
}
