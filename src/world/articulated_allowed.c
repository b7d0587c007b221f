/**
 * @file articulated_allowed.c
 * @brief Which links may overlap: neighbours at first, and what the caller says instead.
 *
 * Links that fixed joints hold together are one body. A body may overlap itself and the bodies that
 * one joint joins it to; that follows from the tree and is not stored. What the caller says is kept
 * in a set of exceptions.
 */
#include "articulated.h"

/** Links are fewer than 2^17, so two indices and the answer fit, and a key is never 0. */
static uint64_t key_of(uint32_t a, uint32_t b) {
    uint64_t low = a < b ? a : b, high = a < b ? b : a;
    return (high << 32 | low) << 1;
}

/** Spreads the bits of a key over the slots. */
static size_t slot_of(uint64_t key, size_t room) {
    key = (key ^ (key >> 29)) * 0xbf58476d1ce4e5b9u;
    key = (key ^ (key >> 32)) * 0x94d049bb133111ebu;
    return (size_t)(key ^ (key >> 31)) & (room - 1);
}

/** Where a key is, or the free slot where it would be; there always is one. */
static uint64_t *find(const ovi_exceptions *set, uint64_t key) {
    size_t i = slot_of(key, set->room);
    while (set->slots[i] != 0 && (set->slots[i] & ~(uint64_t)1) != key) {
        i = (i + 1) & (set->room - 1);
    }
    return &set->slots[i];
}

static bool grow(const ov_allocator *allocator, ovi_exceptions *set) {
    ovi_exceptions larger = {.room = set->room > 0 ? 2 * set->room : 64, .used = set->used};
    larger.slots = ovi_resize(allocator, NULL, 0, larger.room, sizeof(uint64_t));
    if (larger.slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < larger.room; i++) {
        larger.slots[i] = 0;
    }
    for (size_t i = 0; i < set->room; i++) {
        if (set->slots[i] != 0) {
            *find(&larger, set->slots[i] & ~(uint64_t)1) = set->slots[i];
        }
    }
    ovi_release(allocator, set->slots, set->room, sizeof(uint64_t));
    *set = larger;
    return true;
}

/** Is `body` joined to `other` by the joint that it hangs on? */
static bool hangs_on(const ov_model *model, uint32_t body, uint32_t other) {
    uint32_t parent = model->links[body].parent;
    return parent != OV_NO_LINK && model->links[parent].body == other;
}

static bool is_allowed_at_first(const ov_model *model, uint32_t a, uint32_t b) {
    uint32_t body_a = model->links[a].body, body_b = model->links[b].body;
    return body_a == body_b || hangs_on(model, body_a, body_b) || hangs_on(model, body_b, body_a);
}

ov_status ov_model_allow(ov_model *model, uint32_t link_a, uint32_t link_b, bool allowed) {
    if (model == NULL) {
        return OV_ERROR_NULL;
    }
    if (link_a >= model->link_count || link_b >= model->link_count) {
        return OV_ERROR_INDEX;
    }
    if (link_a == link_b) {
        return allowed ? OV_OK : OV_ERROR_OPTION;
    }
    if (ov_model_is_allowed(model, link_a, link_b) == allowed) {
        return OV_OK;
    }
    ovi_exceptions *set = &model->exceptions;
    if (2 * (set->used + 1) > set->room && !grow(&model->allocator, set)) {
        return OV_ERROR_MEMORY;
    }
    uint64_t key = key_of(link_a, link_b), *slot = find(set, key);
    set->used += *slot == 0;
    *slot = key | allowed;
    return OV_OK;
}

bool ov_model_is_allowed(const ov_model *model, uint32_t link_a, uint32_t link_b) {
    if (model == NULL || link_a >= model->link_count || link_b >= model->link_count ||
        link_a == link_b) {
        return true; // what is not there is not checked
    }
    if (model->exceptions.used > 0) {
        uint64_t said = *find(&model->exceptions, key_of(link_a, link_b));
        if (said != 0) {
            return said & 1;
        }
    }
    return is_allowed_at_first(model, link_a, link_b);
}
