/**
 * @file sweep_report.c
 * @brief What a sweep found: intervals in order, joined where they touch, and the summary.
 */
#include <stdlib.h>

#include "sweep_plan.h"

void ov_sweep_destroy(ov_sweep *sweep) {
    if (sweep != NULL) {
        ov_allocator used = sweep->allocator;
        ovi_release(&used, sweep->intervals, sweep->room, sizeof(ov_sweep_interval));
        ovi_release(&used, sweep, 1, sizeof(ov_sweep));
    }
}

ov_sweep_summary ov_sweep_summary_of(const ov_sweep *sweep) {
    const ov_sweep_summary none = {.answer = OV_SWEEP_ANSWER_UNDECIDED, .lower = NAN, .upper = NAN};
    return sweep != NULL ? sweep->summary : none;
}

const ov_sweep_interval *ov_sweep_intervals(const ov_sweep *sweep, size_t *count) {
    if (count != NULL) {
        *count = sweep != NULL ? sweep->count : 0;
    }
    return sweep != NULL ? sweep->intervals : NULL;
}

const char *ov_sweep_answer_name(ov_sweep_answer answer) {
    static const char *const words[] = {"free", "contact", "undecided"};
    return (unsigned)answer <= OV_SWEEP_ANSWER_UNDECIDED ? words[answer] : "unknown";
}

const char *ov_sweep_element_name(ov_sweep_element element) {
    static const char *const names[] = {"parts", "vertex-face", "edge-edge", "face-vertex",
                                        "edge-face"};
    return (unsigned)element < OV_SWEEP_ELEMENT_COUNT ? names[element] : "unknown";
}

/* ---- order */

static int by_index(uint32_t a, uint32_t b) { return (a > b) - (a < b); }

static int by_parts(const ov_sweep_interval *p, const ov_sweep_interval *q) {
    int order = by_index(p->body_a, q->body_a);
    order = order != 0 ? order : by_index(p->body_b, q->body_b);
    order = order != 0 ? order : by_index(p->part_a, q->part_a);
    return order != 0 ? order : by_index(p->part_b, q->part_b);
}

static int by_start(const ov_sweep_interval *p, const ov_sweep_interval *q) {
    int order = (p->start > q->start) - (p->start < q->start);
    return order != 0 ? order : (p->end > q->end) - (p->end < q->end);
}

static int by_parts_then_start(const void *p, const void *q) {
    int order = by_parts(p, q);
    return order != 0 ? order : by_start(p, q);
}

static int by_start_then_parts(const void *p, const void *q) {
    int order = by_start(p, q);
    return order != 0 ? order : by_parts(p, q);
}

/** Joins `next` to `last`, which begins no later: what meets for sure is what is told of both. */
static void join(ov_sweep_interval *last, const ov_sweep_interval *next) {
    last->end = fmax(last->end, next->end);
    bool has = !isnan(last->contact), gets = !isnan(next->contact);
    if (!has && gets) {
        last->element = next->element;
        last->index_a = next->index_a;
        last->index_b = next->index_b;
    }
    if (gets) {
        last->contact = has ? fmin(last->contact, next->contact) : next->contact;
    }
}

void ovi_sweep_settle(ov_sweep *s, size_t most) {
    if (s->count > 1) {
        qsort(s->intervals, s->count, sizeof(ov_sweep_interval), by_parts_then_start);
    }
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        ov_sweep_interval *next = &s->intervals[i];
        ov_sweep_interval *last = kept > 0 ? &s->intervals[kept - 1] : NULL;
        if (last != NULL && by_parts(last, next) == 0 && next->start <= last->end) {
            join(last, next);
        } else {
            s->intervals[kept++] = *next;
        }
    }
    if (kept > 1) {
        qsort(s->intervals, kept, sizeof(ov_sweep_interval), by_start_then_parts);
    }
    s->summary.intervals = kept;
    s->count = kept < most ? kept : most;
}
