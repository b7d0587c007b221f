/**
 * @file model.c
 * @brief Kinematic trees: what is given is checked once and for all, and copied; names that can be
 * looked up; which links may overlap.
 *
 * Once made, the tree is known to be one: exactly one root, every other link below exactly one
 * joint, and an order of the joints in which parents come before children, so that the kinematics
 * (kinematics.c) is a loop without questions. Nothing here is recursive, and nothing grows faster
 * than the number of links and joints times its logarithm.
 */
#include <string.h>

#include "../math/fault.h"
#include "../math/rounding_mode.h"
#include "model_internal.h"

/* ---- kinds of joints */

const char *ov_joint_kind_name(ov_joint_kind kind) {
    static const char *const names[OV_JOINT_KIND_COUNT] = {
        "fixed", "revolute", "continuous", "prismatic", "planar", "spherical", "floating"};
    return (unsigned)kind < OV_JOINT_KIND_COUNT ? names[kind] : "none";
}

size_t ov_joint_position_count(ov_joint_kind kind) {
    static const unsigned char counts[OV_JOINT_KIND_COUNT] = {0, 1, 1, 1, 3, 4, 7};
    return (unsigned)kind < OV_JOINT_KIND_COUNT ? counts[kind] : 0;
}

size_t ov_joint_dof_count(ov_joint_kind kind) {
    static const unsigned char counts[OV_JOINT_KIND_COUNT] = {0, 1, 1, 1, 3, 3, 6};
    return (unsigned)kind < OV_JOINT_KIND_COUNT ? counts[kind] : 0;
}

static bool has_axis(ov_joint_kind kind) {
    return kind >= OV_JOINT_KIND_REVOLUTE && kind <= OV_JOINT_KIND_PLANAR;
}

static bool has_limits(ov_joint_kind kind) {
    return kind == OV_JOINT_KIND_REVOLUTE || kind == OV_JOINT_KIND_PRISMATIC;
}

/* ---- what is wrong */

/** A model on its way, and where to say what is wrong with it. */
typedef struct maker {
    ov_model *model;
    const ov_link_def *links;
    const ov_joint_def *joints;
    ov_fault *fault;
} maker;

static ov_status link_error(maker *m, size_t link, ov_status status, const char *text) {
    return ovi_fault_set(m->fault, status, OV_FAULT_PLACE_LINK, link, text);
}

static ov_status joint_error(maker *m, size_t joint, ov_status status, const char *text) {
    return ovi_fault_set(m->fault, status, OV_FAULT_PLACE_JOINT, joint, text);
}

/** Nothing in particular is to blame. */
static ov_status whole_error(maker *m, ov_status status, const char *text) {
    return ovi_fault_set(m->fault, status, OV_FAULT_PLACE_NONE, 0, text);
}

static ov_status no_memory(maker *m) { return whole_error(m, OV_ERROR_MEMORY, NULL); }

/* ---- names: sorted once, so that twins are neighbours and a name is found by halving */

static bool is_name_before(const ovi_name *a, const ovi_name *b) {
    int order = strcmp(a->text, b->text);
    return order != 0 ? order < 0 : a->index < b->index;
}

/** Lets the name at `top` sink to its place in a heap with the last name on top. */
static void sink(ovi_name *names, size_t top, size_t count) {
    ovi_name sinking = names[top];
    for (size_t child = 2 * top + 1; child < count; child = 2 * top + 1) {
        if (child + 1 < count && is_name_before(&names[child], &names[child + 1])) {
            child++;
        }
        if (!is_name_before(&sinking, &names[child])) {
            break;
        }
        names[top] = names[child];
        top = child;
    }
    names[top] = sinking;
}

/** Sorts by the names, and by the indices where names are equal (heap sort: no memory, no
 * recursion, and no order of the names that makes it slow). */
static void names_sort(ovi_name *names, size_t count) {
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

/** Second one of two equal names, or OV_NO_LINK where all are unlike. */
static uint32_t names_twice(const ovi_name *names, size_t count) {
    for (size_t i = 1; i < count; i++) {
        if (strcmp(names[i - 1].text, names[i].text) == 0) {
            return names[i].index;
        }
    }
    return OV_NO_LINK;
}

static uint32_t names_find(const ovi_name *names, size_t count, const char *text) {
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

/** Bytes of a name with its end; 0 where it is empty, OV_MODEL_LINKS_MAX + 2 where it is too long.
 */
static size_t size_of_name(const char *name) {
    const char *end = memchr(name, 0, OV_MODEL_LINKS_MAX + 1);
    size_t length = end != NULL ? (size_t)(end - name) : OV_MODEL_LINKS_MAX + 1;
    return length > 0 ? length + 1 : 0;
}

/** Checks a name and adds up the bytes of all of them. */
static ov_status measure_name(const char *name, size_t *total, const char **wrong) {
    *wrong = "a name is null";
    if (name == NULL) {
        return OV_ERROR_NULL;
    }
    size_t size = size_of_name(name);
    if (size == 0 || size > OV_MODEL_LINKS_MAX + 1) {
        *wrong = size == 0 ? "a name is empty" : "a name is too long";
        return OV_ERROR_NAME;
    }
    *total += size;
    return OV_OK;
}

static const char *copy_name(const char *name, char **to) {
    size_t size = strlen(name) + 1;
    char *copy = memcpy(*to, name, size);
    *to += size;
    return copy;
}

static ov_status take_names(maker *m) {
    ov_model *o = m->model;
    const char *wrong;
    for (size_t i = 0; i < o->link_count; i++) {
        ov_status status = measure_name(m->links[i].name, &o->text_size, &wrong);
        if (status != OV_OK) {
            return link_error(m, i, status, wrong);
        }
    }
    for (size_t i = 0; i < o->joint_count; i++) {
        ov_status status = measure_name(m->joints[i].name, &o->text_size, &wrong);
        if (status != OV_OK) {
            return joint_error(m, i, status, wrong);
        }
    }
    o->text = ovi_resize(&o->allocator, NULL, 0, o->text_size, 1);
    if (o->text == NULL) {
        return no_memory(m);
    }
    char *next = o->text;
    for (size_t i = 0; i < o->link_count; i++) {
        o->links[i].name = copy_name(m->links[i].name, &next);
        o->link_names[i] = (ovi_name){o->links[i].name, (uint32_t)i};
    }
    for (size_t i = 0; i < o->joint_count; i++) {
        o->joints[i].def.name = copy_name(m->joints[i].name, &next);
        o->joint_names[i] = (ovi_name){o->joints[i].def.name, (uint32_t)i};
    }
    names_sort(o->link_names, o->link_count);
    names_sort(o->joint_names, o->joint_count);
    uint32_t twin = names_twice(o->link_names, o->link_count);
    if (twin != OV_NO_LINK) {
        return link_error(m, twin, OV_ERROR_NAME, "two links have the same name");
    }
    twin = names_twice(o->joint_names, o->joint_count);
    return twin == OV_NO_LINK
               ? OV_OK
               : joint_error(m, twin, OV_ERROR_NAME, "two joints have the same name");
}

/* ---- single joints */

/** The least rotation that takes z to a unit axis; about x where the axis is against z. */
static ov_quat rotation_from_z(ov_vec3 axis) {
    ov_quat q = {1.0 + axis.z, -axis.y, axis.x, 0.0}, unit = {0.0, 1.0, 0.0, 0.0};
    if (fabs(axis.x) + fabs(axis.y) > 1e-8 || axis.z > 0.0) {
        (void)ov_quat_normalize(q, &unit);
    }
    return unit;
}

/** What is zero in a joint becomes what it means. */
static void take_defaults(ov_joint_def *def) {
    const ov_joint_def defaults = ov_default_joint_def();
    def->origin = ov_pose_default(def->origin);
    if (def->axis.x == 0.0 && def->axis.y == 0.0 && def->axis.z == 0.0) {
        def->axis = defaults.axis;
    }
    if (def->lower == 0.0 && def->upper == 0.0) {
        def->lower = defaults.lower;
        def->upper = defaults.upper;
    }
    if (def->mimic == 0 && def->multiplier == 0.0) {
        def->mimic = defaults.mimic;
    }
    if (def->multiplier == 0.0) {
        def->multiplier = defaults.multiplier;
    }
}

static ov_status take_axis(maker *m, size_t i, ovi_joint *joint) {
    ov_vec3 *axis = &joint->def.axis;
    if (!ov_vec3_is_finite(*axis)) {
        return joint_error(m, i, OV_ERROR_NOT_FINITE, "the axis is not finite");
    }
    *axis = ov_vec3_normalize(*axis);
    joint->across = rotation_from_z(*axis);
    return OV_OK;
}

static ov_status check_limits(maker *m, size_t i, const ov_joint_def *def) {
    if (isnan(def->lower) || isnan(def->upper)) {
        return joint_error(m, i, OV_ERROR_NOT_FINITE, "a limit is not a number");
    }
    double lower = def->lower == OV_ZERO ? 0.0 : def->lower; // asked for by either name
    if (lower > def->upper || lower == INFINITY || def->upper == -INFINITY) {
        return joint_error(m, i, OV_ERROR_OPTION, "the lower limit is above the upper one");
    }
    return OV_OK;
}

static ov_status check_mimic(maker *m, size_t i, const ov_joint_def *def) {
    if (def->mimic >= m->model->joint_count) {
        return joint_error(m, i, OV_ERROR_INDEX, "it mimics a joint that is not there");
    }
    if (ov_joint_position_count(def->kind) != 1) {
        return joint_error(m, i, OV_ERROR_OPTION, "a joint of this kind cannot mimic another one");
    }
    if (ov_joint_position_count(m->joints[def->mimic].kind) != 1) {
        return joint_error(m, i, OV_ERROR_OPTION, "it mimics a joint that has not one position");
    }
    if (!isfinite(def->multiplier) || !isfinite(def->offset)) {
        return joint_error(m, i, OV_ERROR_NOT_FINITE, "multiplier or offset is not finite");
    }
    return OV_OK;
}

static ov_status take_joint(maker *m, size_t i) {
    ovi_joint *joint = &m->model->joints[i];
    const char *name = joint->def.name;
    joint->def = m->joints[i];
    joint->def.name = name;
    ov_joint_def *def = &joint->def;
    take_defaults(def);
    if ((unsigned)def->kind >= OV_JOINT_KIND_COUNT) {
        return joint_error(m, i, OV_ERROR_OPTION, "an unknown kind of joint");
    }
    if (def->parent >= m->model->link_count || def->child >= m->model->link_count) {
        return joint_error(m, i, OV_ERROR_INDEX, "it joins a link that is not there");
    }
    ov_status status = ovi_pose_normalize(&def->origin);
    if (status != OV_OK) {
        return joint_error(m, i, status, "the origin is no pose");
    }
    status = has_axis(def->kind) ? take_axis(m, i, joint) : OV_OK;
    if (status == OV_OK && has_limits(def->kind)) {
        status = check_limits(m, i, def);
    }
    if (status == OV_OK && def->mimic != OV_NO_LINK) {
        status = check_mimic(m, i, def);
    }
    return status;
}

/* ---- the tree */

/** Hangs every link on its joint, and finds the root. */
static ov_status hang_links(maker *m) {
    ov_model *o = m->model;
    for (size_t i = 0; i < o->joint_count; i++) {
        const ov_joint_def *def = &o->joints[i].def;
        ovi_link *child = &o->links[def->child];
        if (def->parent == def->child) {
            return joint_error(m, i, OV_ERROR_NOT_A_TREE, "it joins a link to itself");
        }
        if (child->joint != OV_NO_LINK) {
            return joint_error(m, i, OV_ERROR_NOT_A_TREE, "its child has another parent already");
        }
        child->joint = (uint32_t)i;
        child->parent = def->parent;
    }
    o->root = OV_NO_LINK;
    for (size_t i = 0; i < o->link_count; i++) {
        if (o->links[i].joint != OV_NO_LINK) {
            continue;
        }
        if (o->root != OV_NO_LINK) {
            return link_error(m, i, OV_ERROR_NOT_A_TREE, "there is a second root");
        }
        o->root = (uint32_t)i;
    }
    return o->root != OV_NO_LINK ? OV_OK
                                 : whole_error(m, OV_ERROR_NOT_A_TREE, "the links form a loop");
}

/**
 * Joints in an order with parents first, level by level. `first` and `next` are lists of the joints
 * that each link is the parent of, in ascending order.
 */
static ov_status order_joints(maker *m, uint32_t *first, uint32_t *next) {
    ov_model *o = m->model;
    for (size_t i = o->joint_count; i-- > 0;) {
        uint32_t parent = o->joints[i].def.parent;
        next[i] = first[parent];
        first[parent] = (uint32_t)i;
    }
    size_t done = 0, found = 0;
    uint32_t link = o->root;
    o->links[link].body = link;
    for (;;) {
        for (uint32_t j = first[link]; j != OV_NO_LINK; j = next[j]) {
            o->order[found++] = j;
            const ov_joint_def *def = &o->joints[j].def;
            ovi_link *child = &o->links[def->child];
            child->depth = o->links[link].depth + 1;
            child->body = def->kind == OV_JOINT_KIND_FIXED ? o->links[link].body : def->child;
        }
        if (done == found) {
            break;
        }
        link = o->joints[o->order[done++]].def.child;
    }
    if (found == o->joint_count) {
        return OV_OK;
    }
    // every link hangs on one joint: those that were not reached hang on each other
    for (size_t i = 0; i < o->link_count; i++) {
        if (o->links[i].depth == 0 && i != o->root) {
            return link_error(m, i, OV_ERROR_NOT_A_TREE, "links form a loop");
        }
    }
    return OV_ERROR_NOT_A_TREE;
}

/* ---- mimics */

enum { NOT_RESOLVED = 0, ON_THE_WAY, RESOLVED };

/**
 * Follows the mimics of joint i to the joint that leads them, then comes back along the same way
 * and composes multipliers and offsets. Joints that are being followed are marked, so that a circle
 * is seen, and each joint is followed once.
 */
static ov_status follow(maker *m, size_t i, uint32_t *way, uint32_t *state) {
    ovi_joint *joints = m->model->joints;
    size_t length = 0;
    uint32_t j = (uint32_t)i;
    while (state[j] == NOT_RESOLVED && joints[j].def.mimic != OV_NO_LINK) {
        state[j] = ON_THE_WAY;
        way[length++] = j;
        j = joints[j].def.mimic;
    }
    if (state[j] == ON_THE_WAY) {
        return joint_error(m, j, OV_ERROR_NOT_A_TREE, "joints mimic each other in a circle");
    }
    state[j] = RESOLVED;
    while (length > 0) {
        uint32_t k = way[--length];
        ovi_joint *joint = &joints[k];
        const ovi_joint *led = &joints[joint->def.mimic];
        bool leads = led->leader == OV_NO_LINK;
        joint->leader = leads ? joint->def.mimic : led->leader;
        joint->multiplier = joint->def.multiplier * (leads ? 1.0 : led->multiplier);
        joint->offset = joint->def.multiplier * (leads ? 0.0 : led->offset) + joint->def.offset;
        if (!isfinite(joint->multiplier) || !isfinite(joint->offset)) {
            return joint_error(m, k, OV_ERROR_NOT_FINITE, "a chain of mimics grows beyond bounds");
        }
        state[k] = RESOLVED;
    }
    return OV_OK;
}

static ov_status resolve_mimics(maker *m, uint32_t *way, uint32_t *state) {
    ov_model *o = m->model;
    for (size_t i = 0; i < o->joint_count; i++) {
        ov_status status = follow(m, i, way, state);
        if (status != OV_OK) {
            return status;
        }
    }
    for (size_t i = 0; i < o->joint_count; i++) {
        ovi_joint *joint = &o->joints[i];
        if (joint->leader == OV_NO_LINK) {
            joint->position = o->position_count;
            joint->dof = o->dof_count;
            o->position_count += ov_joint_position_count(joint->def.kind);
            o->dof_count += ov_joint_dof_count(joint->def.kind);
        }
    }
    for (size_t i = 0; i < o->joint_count; i++) {
        ovi_joint *joint = &o->joints[i];
        if (joint->leader != OV_NO_LINK) {
            joint->position = o->joints[joint->leader].position;
            joint->dof = o->joints[joint->leader].dof;
        }
    }
    return OV_OK;
}

/* ---- making */

static ov_status take_geometries(maker *m) {
    ov_model *o = m->model;
    for (size_t i = 0; i < o->link_count; i++) {
        const ov_link_def *def = &m->links[i];
        if (def->part_count == 0) {
            continue;
        }
        ov_status status =
            ov_geometry_create(def->parts, def->part_count, &o->allocator, &o->links[i].geometry);
        if (status != OV_OK) {
            o->links[i].geometry = NULL;
            return link_error(m, i, status, NULL);
        }
    }
    return OV_OK;
}

/** Tree and mimics, with two scratch arrays that serve both. */
static ov_status connect(maker *m) {
    ov_model *o = m->model;
    ov_status status = hang_links(m);
    if (status != OV_OK) {
        return status;
    }
    const size_t room = o->link_count; // in a tree, joints are fewer
    uint32_t *scratch = ovi_resize(&o->allocator, NULL, 0, 2 * room, sizeof(uint32_t));
    if (scratch == NULL) {
        return no_memory(m);
    }
    for (size_t i = 0; i < room; i++) {
        scratch[i] = OV_NO_LINK;
    }
    status = order_joints(m, scratch, scratch + room);
    if (status == OV_OK) {
        memset(scratch, 0, 2 * room * sizeof(uint32_t));
        status = resolve_mimics(m, scratch, scratch + room);
    }
    ovi_release(&o->allocator, scratch, 2 * room, sizeof(uint32_t));
    return status;
}

static bool make_room(ov_model *o) {
    const ov_allocator *from = &o->allocator;
    o->links = ovi_resize(from, NULL, 0, o->link_count, sizeof *o->links);
    for (size_t i = 0; o->links != NULL && i < o->link_count; i++) {
        o->links[i] = (ovi_link){.parent = OV_NO_LINK, .joint = OV_NO_LINK};
    }
    o->link_names = ovi_resize(from, NULL, 0, o->link_count, sizeof *o->link_names);
    if (o->links == NULL || o->link_names == NULL || o->joint_count == 0) {
        return o->links != NULL && o->link_names != NULL;
    }
    o->joints = ovi_resize(from, NULL, 0, o->joint_count, sizeof *o->joints);
    o->joint_names = ovi_resize(from, NULL, 0, o->joint_count, sizeof *o->joint_names);
    o->order = ovi_resize(from, NULL, 0, o->joint_count, sizeof *o->order);
    if (o->joints == NULL || o->joint_names == NULL || o->order == NULL) {
        return false;
    }
    for (size_t i = 0; i < o->joint_count; i++) {
        o->joints[i] = (ovi_joint){.leader = OV_NO_LINK, .across = ov_quat_identity()};
    }
    return true;
}

static ov_status make(maker *m) {
    ov_model *o = m->model;
    if (!make_room(o)) {
        return no_memory(m);
    }
    ov_status status = take_names(m);
    for (size_t i = 0; status == OV_OK && i < o->joint_count; i++) {
        status = take_joint(m, i);
    }
    status = status == OV_OK ? connect(m) : status;
    return status == OV_OK ? take_geometries(m) : status;
}

ov_joint_def ov_default_joint_def(void) {
    return (ov_joint_def){.kind = OV_JOINT_KIND_FIXED,
                          .origin = ov_pose_identity(),
                          .axis = {1.0, 0.0, 0.0},
                          .lower = -INFINITY,
                          .upper = INFINITY,
                          .mimic = OV_NO_LINK,
                          .multiplier = 1.0};
}

ov_status ov_model_create(const ov_link_def *links, size_t link_count, const ov_joint_def *joints,
                          size_t joint_count, const ov_allocator *allocator, ov_model **model,
                          ov_fault *fault) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_model_create(links, link_count, joints, joint_count,
                                                    allocator, model, fault));
    maker m = {.links = links, .joints = joints, .fault = fault};
    ov_status status = ovi_fault_none(fault, OV_OK);
    if (model != NULL) {
        *model = NULL;
    }
    if (model == NULL || (links == NULL && link_count > 0) || (joints == NULL && joint_count > 0)) {
        status = whole_error(&m, OV_ERROR_NULL, NULL);
    } else if (link_count == 0) {
        status = whole_error(&m, OV_ERROR_COUNT, "there are no links");
    } else if (link_count > OV_MODEL_LINKS_MAX || joint_count > OV_MODEL_LINKS_MAX) {
        status = whole_error(&m, OV_ERROR_COUNT, "there are too many links or joints");
    } else {
        ov_allocator from = ovi_allocator_of(allocator);
        m.model = ovi_resize(&from, NULL, 0, 1, sizeof *m.model);
        if (m.model == NULL) {
            status = no_memory(&m);
        } else {
            *m.model =
                (ov_model){.allocator = from, .link_count = link_count, .joint_count = joint_count};
            status = make(&m);
        }
    }
    if (status != OV_OK) {
        ov_model_destroy(m.model);
    } else {
        *model = m.model;
    }
    return status;
}

void ov_model_destroy(ov_model *o) {
    if (o == NULL) {
        return;
    }
    ov_allocator from = o->allocator;
    for (size_t i = 0; o->links != NULL && i < o->link_count; i++) {
        ov_geometry_destroy(o->links[i].geometry);
    }
    ovi_release(&from, o->exceptions.slots, o->exceptions.room, sizeof *o->exceptions.slots);
    ovi_release(&from, o->text, o->text_size, 1);
    ovi_release(&from, o->order, o->joint_count, sizeof *o->order);
    ovi_release(&from, o->joint_names, o->joint_count, sizeof *o->joint_names);
    ovi_release(&from, o->joints, o->joint_count, sizeof *o->joints);
    ovi_release(&from, o->link_names, o->link_count, sizeof *o->link_names);
    ovi_release(&from, o->links, o->link_count, sizeof *o->links);
    ovi_release(&from, o, 1, sizeof *o);
}

/* ---- looking at a model */

size_t ov_model_link_count(const ov_model *model) { return model != NULL ? model->link_count : 0; }

size_t ov_model_joint_count(const ov_model *model) {
    return model != NULL ? model->joint_count : 0;
}

size_t ov_model_position_count(const ov_model *model) {
    return model != NULL ? model->position_count : 0;
}

size_t ov_model_dof_count(const ov_model *model) { return model != NULL ? model->dof_count : 0; }

uint32_t ov_model_root(const ov_model *model) { return model != NULL ? model->root : OV_NO_LINK; }

static const ovi_link *link_at(const ov_model *model, size_t link) {
    return model != NULL && link < model->link_count ? &model->links[link] : NULL;
}

static const ovi_joint *joint_at(const ov_model *model, size_t joint) {
    return model != NULL && joint < model->joint_count ? &model->joints[joint] : NULL;
}

const char *ov_model_link_name(const ov_model *model, size_t link) {
    const ovi_link *l = link_at(model, link);
    return l != NULL ? l->name : NULL;
}

const ov_geometry *ov_model_link_geometry(const ov_model *model, size_t link) {
    const ovi_link *l = link_at(model, link);
    return l != NULL ? l->geometry : NULL;
}

uint32_t ov_model_link_joint(const ov_model *model, size_t link) {
    const ovi_link *l = link_at(model, link);
    return l != NULL ? l->joint : OV_NO_LINK;
}

const ov_joint_def *ov_model_joint(const ov_model *model, size_t joint) {
    const ovi_joint *j = joint_at(model, joint);
    return j != NULL ? &j->def : NULL;
}

size_t ov_model_joint_position(const ov_model *model, size_t joint) {
    const ovi_joint *j = joint_at(model, joint);
    return j != NULL ? j->position : ov_model_position_count(model);
}

size_t ov_model_joint_dof(const ov_model *model, size_t joint) {
    const ovi_joint *j = joint_at(model, joint);
    return j != NULL ? j->dof : ov_model_dof_count(model);
}

uint32_t ov_model_find_link(const ov_model *model, const char *name) {
    return model != NULL && name != NULL ? names_find(model->link_names, model->link_count, name)
                                         : OV_NO_LINK;
}

uint32_t ov_model_find_joint(const ov_model *model, const char *name) {
    return model != NULL && name != NULL ? names_find(model->joint_names, model->joint_count, name)
                                         : OV_NO_LINK;
}

/* ---- which links may overlap
 *
 * Links that fixed joints hold together are one body. A body may overlap itself and the bodies that
 * one joint joins it to; that follows from the tree and is not stored. What the caller says instead
 * is kept in a set of exceptions. */

/** Links are fewer than 2^17, so two indices and the answer fit, and a key is never 0. */
static uint64_t exception_key(uint32_t a, uint32_t b) {
    uint64_t low = a < b ? a : b, high = a < b ? b : a;
    return (high << 32 | low) << 1;
}

/** Spreads the bits of a key over the slots. */
static size_t exception_slot(uint64_t key, size_t room) {
    key = (key ^ (key >> 29)) * 0xbf58476d1ce4e5b9u;
    key = (key ^ (key >> 32)) * 0x94d049bb133111ebu;
    return (size_t)(key ^ (key >> 31)) & (room - 1);
}

/** Where a key is, or the free slot where it would be; there always is one. */
static uint64_t *find_exception(const ovi_exceptions *set, uint64_t key) {
    size_t i = exception_slot(key, set->room);
    while (set->slots[i] != 0 && (set->slots[i] & ~(uint64_t)1) != key) {
        i = (i + 1) & (set->room - 1);
    }
    return &set->slots[i];
}

static bool grow_exceptions(const ov_allocator *allocator, ovi_exceptions *set) {
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
            *find_exception(&larger, set->slots[i] & ~(uint64_t)1) = set->slots[i];
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
    if (2 * (set->used + 1) > set->room && !grow_exceptions(&model->allocator, set)) {
        return OV_ERROR_MEMORY;
    }
    uint64_t key = exception_key(link_a, link_b), *slot = find_exception(set, key);
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
        uint64_t said = *find_exception(&model->exceptions, exception_key(link_a, link_b));
        if (said != 0) {
            return said & 1;
        }
    }
    return is_allowed_at_first(model, link_a, link_b);
}
