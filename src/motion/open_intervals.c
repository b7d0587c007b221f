/**
 * @file open_intervals.c
 * @brief A table of intervals that may still grow: see the header.
 *
 * An interval that ends before the one that comes now cannot grow any more, and leaves when its
 * place is wanted. The table grows where all places that a pair may have are taken by others, up to
 * a size; beyond it, an interval may be handed over in several parts.
 */
#include "open_intervals.h"

enum { ROOM_FIRST = 64, ROOM_MOST = 1 << 16, PLACES = 8 };

static bool is_empty(const ov_sweep_interval *slot) { return isnan(slot->end); }

static bool is_same(const ov_sweep_interval *p, const ov_sweep_interval *q) {
    return p->part_a == q->part_a && p->part_b == q->part_b;
}

static void hand_over(ovi_open_intervals *o, ov_sweep_interval *slot) {
    if (!is_empty(slot) && !o->stopped) {
        o->stopped = !o->sink->take(o->sink->user, slot);
    }
    slot->end = NAN;
}

/** Place number i of a pair. */
static ov_sweep_interval *place_of(const ovi_open_intervals *o, const ov_sweep_interval *v,
                                   size_t i) {
    uint64_t name = ((uint64_t)v->part_a << 32 | v->part_b) * UINT64_C(0x9e3779b97f4a7c15);
    return &o->slots[((size_t)(name >> 40) + i) & (o->room - 1)];
}

/** The place of the pair; else one that is empty or can be; null where there is none. */
static ov_sweep_interval *find_place(const ovi_open_intervals *o, const ov_sweep_interval *v) {
    ov_sweep_interval *found = NULL;
    for (size_t i = 0; i < PLACES && o->room > 0; i++) {
        ov_sweep_interval *slot = place_of(o, v, i);
        if (!is_empty(slot) && is_same(slot, v)) {
            return slot;
        }
        if (found == NULL && (is_empty(slot) || slot->end < v->start)) {
            found = slot;
        }
    }
    return found;
}

static ov_status grow(ovi_open_intervals *o) {
    ovi_open_intervals more = *o;
    more.room = o->room > 0 ? 2 * o->room : ROOM_FIRST;
    more.slots = ovi_resize(o->memory, NULL, 0, more.room, sizeof *more.slots);
    if (more.slots == NULL) {
        return OV_ERROR_MEMORY;
    }
    for (size_t i = 0; i < more.room; i++) {
        more.slots[i] = (ov_sweep_interval){.end = NAN};
    }
    for (size_t i = 0; i < o->room; i++) {
        ov_sweep_interval *old = &o->slots[i];
        ov_sweep_interval *slot = is_empty(old) ? NULL : find_place(&more, old);
        if (slot != NULL && is_empty(slot)) {
            *slot = *old;
        } else {
            hand_over(o, old);
        }
    }
    more.stopped = o->stopped;
    ovi_open_free(o);
    *o = more;
    return OV_OK;
}

ov_status ovi_open_add(ovi_open_intervals *o, const ov_sweep_interval *v) {
    ov_sweep_interval *slot = find_place(o, v);
    while (slot == NULL && o->room < ROOM_MOST) {
        ov_status status = grow(o);
        if (status != OV_OK) {
            return status;
        }
        slot = find_place(o, v);
    }
    slot = slot != NULL ? slot : place_of(o, v, 0);
    if (is_same(slot, v) && slot->end == v->start) {
        slot->end = v->end;
        slot->contact = isnan(slot->contact) ? v->contact : slot->contact;
        return OV_OK;
    }
    hand_over(o, slot);
    *slot = *v;
    return OV_OK;
}

void ovi_open_flush(ovi_open_intervals *o) {
    for (size_t i = 0; i < o->room; i++) {
        hand_over(o, &o->slots[i]);
    }
}

void ovi_open_free(ovi_open_intervals *o) {
    ovi_release(o->memory, o->slots, o->room, sizeof *o->slots);
    o->slots = NULL;
    o->room = 0;
}
