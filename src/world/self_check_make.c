/**
 * @file self_check_make.c
 * @brief Makes a self-collision check: the links that have parts, and the list of all pairs of
 * parts to look at, in the order of the answers. All memory is taken here; only where more contacts
 * are found than there is room for at first does a run ask for more.
 */
#include <string.h>

#include "../math/rounding_mode.h"
#include "../query/query_internal.h"
#include "articulated.h"
#include "self_check.h"

/** More pairs of parts than this, of which each takes some hundred bytes, are refused. */
#define PAIRS_MAX ((size_t)1 << 24)
/** More links with parts are refused, too: to go through all their pairs would take seconds. */
#define CARRIERS_MAX ((size_t)1 << 15)
/** Room for so many contacts, or for all pairs if they are fewer. */
#define CONTACTS_AT_FIRST ((size_t)4096)

static void count_parts(ov_self_check *s) {
    for (size_t i = 0; i < s->model->link_count; i++) {
        const ov_geometry *g = s->model->links[i].geometry;
        s->carrier_count += g != NULL;
        s->part_count += g != NULL ? g->count : 0;
    }
}

/** Spheres and capsules are points and segments with a skin. */
static double skin_of(const ovi_part *part) {
    const ov_shape *shape = &part->part.shape;
    bool round = shape->kind == OV_SHAPE_KIND_SPHERE || shape->kind == OV_SHAPE_KIND_CAPSULE;
    return part->part.mesh == NULL && round ? shape->a.x : 0.0;
}

static double less(double half, double skin) { return half > skin ? half - skin : 0.0; }

static ovi_checked_part part_of(const ovi_part *part, size_t carrier) {
    ov_quat own = part->part.pose.rotation, box = part->box.pose.rotation;
    double reach = ov_vec3_length(part->part.pose.position);
    if (part->bounded) {
        reach += ov_vec3_length(part->ball.centre) + part->ball.radius;
        reach += ov_vec3_length(part->box.pose.position);
    }
    double skin = skin_of(part);
    ov_vec3 half = part->box.half;
    return (ovi_checked_part){.part = part,
                              .reach = reach,
                              .skin = skin,
                              .half = {less(half.x, skin), less(half.y, skin), less(half.z, skin)},
                              .carrier = (uint32_t)carrier,
                              .box_along = own.w == box.w && own.x == box.x && own.y == box.y &&
                                           own.z == box.z};
}

static void fill_parts(ov_self_check *s) {
    size_t carrier = 0, part = 0;
    for (size_t i = 0; i < s->model->link_count; i++) {
        const ov_geometry *g = s->model->links[i].geometry;
        if (g == NULL) {
            continue;
        }
        s->carriers[carrier] = (ovi_carrier){
            .link = (uint32_t)i, .first = (uint32_t)part, .count = (uint32_t)g->count};
        for (size_t k = 0; k < g->count; k++, part++) {
            s->parts[part] = part_of(&g->parts[k], carrier);
            s->odometers[part] = 0.0;
        }
        carrier++;
    }
}

/** Two half-spaces have no gap that a query could tell. */
static bool is_unbounded(const ov_self_check *s, const uint32_t pair[2]) {
    return !s->parts[pair[0]].part->bounded && !s->parts[pair[1]].part->bounded;
}

/**
 * Counts the pairs of parts to look at, and lists them where there is an array to list them in.
 * OV_ERROR_COUNT where there are too many, as soon as that is known.
 */
static ov_status list_pairs(ov_self_check *s) {
    size_t count = 0;
    for (size_t i = 0; i < s->carrier_count; i++) {
        const ovi_carrier *a = &s->carriers[i];
        for (size_t j = i + 1; j < s->carrier_count; j++) {
            const ovi_carrier *b = &s->carriers[j];
            if (ov_model_is_allowed(s->model, a->link, b->link)) {
                continue;
            }
            size_t more = (size_t)a->count * b->count;
            if (more > PAIRS_MAX - count) {
                return OV_ERROR_COUNT;
            }
            for (size_t k = 0; s->pairs != NULL && k < more; k++) {
                uint32_t *pair = s->pairs[count + k];
                pair[0] = a->first + (uint32_t)(k / b->count);
                pair[1] = b->first + (uint32_t)(k % b->count);
                if (is_unbounded(s, pair)) {
                    return OV_ERROR_UNBOUNDED;
                }
            }
            count += more;
        }
    }
    s->pair_count = count;
    return OV_OK;
}

/** An array, or null; `count` may be 0, so one more is asked for. */
static void *array_of(const ov_self_check *s, size_t count, size_t size) {
    return ovi_resize(&s->allocator, NULL, 0, count + 1, size);
}

static void release(const ov_self_check *s, void *array, size_t count, size_t size) {
    ovi_release(&s->allocator, array, count + 1, size);
}

static ov_status make_parts(ov_self_check *s) {
    count_parts(s);
    if (s->carrier_count > CARRIERS_MAX) {
        return OV_ERROR_COUNT;
    }
    s->carriers = array_of(s, s->carrier_count, sizeof *s->carriers);
    s->parts = array_of(s, s->part_count, sizeof *s->parts);
    s->balls = array_of(s, s->part_count, sizeof *s->balls);
    s->odometers = array_of(s, s->part_count, sizeof *s->odometers);
    if (s->carriers == NULL || s->parts == NULL || s->balls == NULL || s->odometers == NULL) {
        return OV_ERROR_MEMORY;
    }
    fill_parts(s);
    return OV_OK;
}

static ov_status make_pairs(ov_self_check *s) {
    ov_status status = list_pairs(s);
    if (status != OV_OK) {
        return status;
    }
    s->pairs = array_of(s, s->pair_count, sizeof *s->pairs);
    s->memories = array_of(s, s->pair_count, sizeof *s->memories);
    s->warm = array_of(s, s->pair_count, sizeof *s->warm);
    s->left = array_of(s, s->pair_count, sizeof *s->left);
    if (s->pairs == NULL || s->memories == NULL || s->warm == NULL || s->left == NULL) {
        return OV_ERROR_MEMORY;
    }
    for (size_t i = 0; i < s->pair_count; i++) {
        s->memories[i] = (ovi_pair_memory){-INFINITY, 0.0};
    }
    memset(s->warm, 0, s->pair_count * sizeof *s->warm);
    return list_pairs(s);
}

static ov_status make_answers(ov_self_check *s) {
    s->queries = array_of(s, OVI_SELF_CHECK_CHUNK, sizeof *s->queries);
    s->starts = array_of(s, OVI_SELF_CHECK_CHUNK, sizeof *s->starts);
    s->answers = array_of(s, OVI_SELF_CHECK_CHUNK, sizeof *s->answers);
    size_t room = s->pair_count < CONTACTS_AT_FIRST ? s->pair_count : CONTACTS_AT_FIRST;
    s->contacts = array_of(s, room, sizeof *s->contacts);
    s->contact_room = s->contacts != NULL ? room + 1 : 0;
    bool good =
        s->queries != NULL && s->starts != NULL && s->answers != NULL && s->contacts != NULL;
    return good ? OV_OK : OV_ERROR_MEMORY;
}

ov_status ov_self_check_create(const ov_model *model, const ov_pair_options *options,
                               const ov_allocator *allocator, ov_self_check **check) {
    OVI_NEAREST(ov_status, ov_self_check_create(model, options, allocator, check));
    if (check == NULL) {
        return OV_ERROR_NULL;
    }
    *check = NULL;
    if (model == NULL) {
        return OV_ERROR_NULL;
    }
    ov_pair_options used = ovi_pair_options_of(options);
    ov_status status = ovi_check_pair_options(&used);
    if (status != OV_OK) {
        return status;
    }
    ov_allocator from = ovi_allocator_of(allocator);
    ov_self_check *s = ovi_resize(&from, NULL, 0, 1, sizeof *s);
    if (s == NULL) {
        return OV_ERROR_MEMORY;
    }
    *s = (ov_self_check){.allocator = from, .model = model, .options = used};
    status = make_parts(s);
    status = status == OV_OK ? make_pairs(s) : status;
    status = status == OV_OK ? make_answers(s) : status;
    if (status != OV_OK) {
        ov_self_check_destroy(s);
        return status;
    }
    *check = s;
    return OV_OK;
}

void ov_self_check_destroy(ov_self_check *s) {
    if (s == NULL) {
        return;
    }
    ov_allocator from = s->allocator;
    ovi_release(&from, s->contacts, s->contact_room, sizeof *s->contacts);
    release(s, s->answers, OVI_SELF_CHECK_CHUNK, sizeof *s->answers);
    release(s, s->starts, OVI_SELF_CHECK_CHUNK, sizeof *s->starts);
    release(s, s->queries, OVI_SELF_CHECK_CHUNK, sizeof *s->queries);
    release(s, s->left, s->pair_count, sizeof *s->left);
    release(s, s->warm, s->pair_count, sizeof *s->warm);
    release(s, s->memories, s->pair_count, sizeof *s->memories);
    release(s, s->pairs, s->pair_count, sizeof *s->pairs);
    release(s, s->odometers, s->part_count, sizeof *s->odometers);
    release(s, s->balls, s->part_count, sizeof *s->balls);
    release(s, s->parts, s->part_count, sizeof *s->parts);
    release(s, s->carriers, s->carrier_count, sizeof *s->carriers);
    ovi_release(&from, s, 1, sizeof *s);
}
