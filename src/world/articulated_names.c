/**
 * @file articulated_names.c
 * @brief Names of links and joints: sorted once, so that twins are neighbours and a name is found
 * by halving. Heap sort: no memory, no recursion, and no order of the names that makes it slow.
 */
#include <string.h>

#include "articulated.h"

static bool is_before(const ovi_name *a, const ovi_name *b) {
    int order = strcmp(a->text, b->text);
    return order != 0 ? order < 0 : a->index < b->index;
}

/** Lets the name at `top` sink to its place in a heap with the last name on top. */
static void sink(ovi_name *names, size_t top, size_t count) {
    ovi_name sinking = names[top];
    for (size_t child = 2 * top + 1; child < count; child = 2 * top + 1) {
        if (child + 1 < count && is_before(&names[child], &names[child + 1])) {
            child++;
        }
        if (!is_before(&sinking, &names[child])) {
            break;
        }
        names[top] = names[child];
        top = child;
    }
    names[top] = sinking;
}

void ovi_names_sort(ovi_name *names, size_t count) {
    for (size_t i = count / 2; i-- > 0;) {
        sink(names, i, count);
    }
    for (size_t last = count; last-- > 1;) {
        ovi_name largest = names[0];
        names[0] = names[last];
        names[last] = largest;
        sink(names, 0, last);
    }
}

uint32_t ovi_names_twice(const ovi_name *names, size_t count) {
    for (size_t i = 1; i < count; i++) {
        if (strcmp(names[i - 1].text, names[i].text) == 0) {
            return names[i].index;
        }
    }
    return OV_NO_LINK;
}

uint32_t ovi_names_find(const ovi_name *names, size_t count, const char *text) {
    size_t from = 0, to = count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = strcmp(names[middle].text, text);
        if (order == 0) {
            return names[middle].index;
        }
        if (order < 0) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return OV_NO_LINK;
}
