/**
 * @file urdf_join.c
 * @brief What the names in a URDF file stand for: links of joints, joints that are followed, and
 * materials; then the model.
 *
 * What is wrong with the tree as such (loops, two roots) the model says.
 */
#include <stdlib.h>
#include <string.h>

#include "urdf_internal.h"

/** Names in order, to be looked up. */
typedef struct index_entry {
    const char *text;
    size_t number;
} index_entry;

typedef struct name_index {
    index_entry *entries;
    size_t count;
} name_index;

/** By text, then in the order of the file. */
static int compare(const void *a, const void *b) {
    const index_entry *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

static bool make_index(name_index *index, size_t count) {
    index->count = count;
    index->entries = malloc((count + 1) * sizeof *index->entries);
    return index->entries != NULL;
}

static void sort_index(name_index *index) {
    qsort(index->entries, index->count, sizeof *index->entries, compare);
}

/** The first of that name, or null. */
static const index_entry *find(const name_index *index, const char *text) {
    size_t low = 0, high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(index->entries[middle].text, text) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < index->count && strcmp(index->entries[low].text, text) == 0 ? &index->entries[low]
                                                                             : NULL;
}

/** Refuses the second of two that have the same name. */
static ov_status check_unique(ovi_urdf *u, const name_index *index, const char *what,
                              const size_t *lines) {
    for (size_t i = 1; i < index->count; i++) {
        const index_entry *a = &index->entries[i - 1], *b = &index->entries[i];
        if (strcmp(a->text, b->text) == 0) {
            return ovi_urdf_refuse(u, lines[b->number], OV_ERROR_NAME,
                                   "%s \"%.60s\" is there twice, first in line %zu", what, b->text,
                                   lines[a->number]);
        }
    }
    return OV_OK;
}

/** The number of what a name stands for. */
static ov_status resolve(ovi_urdf *u, const name_index *index, const char *what,
                         const ovi_urdf_name *name, uint32_t *number) {
    const index_entry *found = find(index, name->text);
    if (found != NULL) {
        *number = (uint32_t)found->number;
        return OV_OK;
    }
    const char **texts = malloc((index->count + 1) * sizeof *texts);
    if (texts == NULL) {
        return ovi_urdf_no_memory(u);
    }
    for (size_t i = 0; i < index->count; i++) {
        texts[i] = index->entries[i].text;
    }
    const char *near = ovi_nearest(name->text, texts, index->count);
    free(texts);
    return ovi_urdf_refuse(u, name->line, OV_ERROR_FILE_FORMAT,
                           near != NULL ? "%s \"%.60s\" is not there; did you mean \"%.60s\"?"
                                        : "%s \"%.60s\" is not there%s",
                           what, name->text, near != NULL ? near : "");
}

static ov_status join_joints(ovi_urdf *u, const name_index *links, const name_index *joints) {
    ov_status status = check_unique(u, links, "link", u->link_lines);
    if (status == OV_OK) {
        status = check_unique(u, joints, "joint", u->joint_lines);
    }
    for (size_t i = 0; i < u->robot->joint_count && status == OV_OK; i++) {
        ov_joint_def *def = &u->robot->joints[i].def;
        (void)snprintf(u->where, sizeof u->where, "joint \"%.60s\"", def->name);
        status = resolve(u, links, "parent link", &u->ends[i].parent, &def->parent);
        if (status == OV_OK) {
            status = resolve(u, links, "child link", &u->ends[i].child, &def->child);
        }
        if (status == OV_OK && u->ends[i].mimic.text != NULL) {
            status = resolve(u, joints, "mimicked joint", &u->ends[i].mimic, &def->mimic);
        }
    }
    u->where[0] = '\0';
    return status;
}

/** Gives visuals the colours of the materials that they name; one that nobody defines has none. */
static ov_status paint(ovi_urdf *u) {
    name_index index;
    if (!make_index(&index, u->material_count)) {
        return ovi_urdf_no_memory(u);
    }
    for (size_t i = 0; i < index.count; i++) {
        index.entries[i] = (index_entry){u->materials[i].name, i};
    }
    sort_index(&index);
    for (size_t i = 0; i < u->painted_count; i++) {
        const ovi_urdf_painted *p = &u->painted[i];
        const index_entry *found = find(&index, p->material);
        if (found != NULL) {
            ov_robot_shape *visual = (ov_robot_shape *)&u->robot->links[p->link].visuals[p->visual];
            visual->has_colour = true;
            memcpy(visual->colour, u->materials[found->number].colour, sizeof visual->colour);
        }
    }
    free(index.entries);
    return OV_OK;
}

ov_status ovi_urdf_join(ovi_urdf *u) {
    name_index links, joints = {NULL, 0};
    if (u->robot->link_count == 0) {
        return ovi_urdf_refuse(u, u->root_line, OV_ERROR_COUNT, "the robot has no links");
    }
    bool good =
        make_index(&links, u->robot->link_count) && make_index(&joints, u->robot->joint_count);
    ov_status status = OV_ERROR_MEMORY;
    if (good) {
        for (size_t i = 0; i < links.count; i++) {
            links.entries[i] = (index_entry){u->robot->links[i].name, i};
        }
        for (size_t i = 0; i < joints.count; i++) {
            joints.entries[i] = (index_entry){u->robot->joints[i].def.name, i};
        }
        sort_index(&links);
        sort_index(&joints);
        status = join_joints(u, &links, &joints);
    } else {
        (void)ovi_urdf_no_memory(u);
    }
    free(links.entries);
    free(joints.entries);
    if (status == OV_OK) {
        status = paint(u);
    }
    return status == OV_OK ? ovi_robot_finish(u->robot, u->link_lines, u->joint_lines, u->fault)
                           : status;
}
