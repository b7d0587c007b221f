/**
 * @file cloth.c
 * @brief Cloth as the caller sees it: made and destroyed, stepped, held and let go, measured,
 * saved.
 *
 * A step of the cloth (`micro_step`): predict, relax edges and hinges, bring triangles out of
 * bodies and layers apart, and take the velocities from where that led. A substep is one step, or
 * several where something is fast: no body or triangle moves by more than half of a body's inner
 * radius at a time, so that no triangle gets past the middle of a body, where its normal would turn
 * over.
 */
#include <string.h>

#include "../shape/shape_internal.h"
#include "cloth_internal.h"

/* ---- options */

ov_cloth_options ov_default_cloth_options(void) {
    ov_cloth_options o = {0};
    o.density = 0.2;
    o.stretch = 1e4;
    o.shear = 1e3;
    o.friction = 0.3;
    o.damping = 1.0;
    o.gravity = ov_vec3_make(0.0, 0.0, -9.81);
    o.contact = OV_CLOTH_CONTACT_TRIANGLES;
    o.stiffness = 1e3;
    return o;
}

static double or_default(double given, double fallback) { return given != 0.0 ? given : fallback; }

static bool is_zero(ov_vec3 v) { return v.x == 0.0 && v.y == 0.0 && v.z == 0.0; }

/** Wind and gravity: beyond these the squares of speeds would leave the numbers. */
static ov_status check_field(ov_vec3 v) {
    if (!ov_vec3_is_finite(v)) {
        return OV_ERROR_NOT_FINITE;
    }
    return ovi_max_abs(v) <= 1e9 ? OV_OK : OV_ERROR_SIZE_RANGE;
}

static ov_status fill_options(const ov_cloth_options *given, ov_cloth_options *out) {
    ov_cloth_options d = ov_default_cloth_options(), o = given != NULL ? *given : d;
    const double numbers[] = {o.density,  o.stretch, o.shear, o.bending, o.thickness,
                              o.friction, o.damping, o.air,   o.tear,    o.stiffness};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (!(numbers[i] >= 0.0) || isinf(numbers[i])) {
            return OV_ERROR_OPTION;
        }
    }
    ov_status status = check_field(o.wind);
    status = status == OV_OK ? check_field(o.gravity) : status;
    if (status != OV_OK) {
        return status;
    }
    if (!(o.density <= 1e9) || !(o.stretch <= 1e15) || !(o.shear <= 1e15) || !(o.bending <= 1e9) ||
        !(o.thickness <= 1e9) || !(o.friction <= 1e9) || !(o.damping <= 1e9) || !(o.air <= 1e9) ||
        !(o.stiffness <= 1e15) || o.substeps > 1000 || o.iterations > 1000 || (int)o.contact < 0 ||
        o.contact > OV_CLOTH_CONTACT_RADIAL || !ovi_threads_are_good(&o.threads)) {
        return OV_ERROR_OPTION;
    }
    o.density = or_default(o.density, d.density);
    o.stretch = or_default(o.stretch, d.stretch);
    o.shear = or_default(o.shear, 0.1 * o.stretch);
    if (!(o.density >= 1e-9) || !(o.stretch >= 1e-9) || !(o.shear >= 1e-9)) {
        return OV_ERROR_OPTION;
    }
    o.friction = or_default(o.friction, d.friction);
    o.damping = or_default(o.damping, d.damping);
    o.air = o.air == 0.0 && !is_zero(o.wind) ? 1.2 : o.air;
    o.gravity = is_zero(o.gravity) ? d.gravity : o.gravity;
    o.contact = o.contact == OV_CLOTH_CONTACT_DEFAULT ? d.contact : o.contact;
    o.stiffness = or_default(o.stiffness, d.stiffness);
    *out = o;
    return OV_OK;
}

/* ---- memory: one list of all arrays, for making, freeing, saving and loading */

/** An array of a cloth: where its pointer is, the size of an element, how many it has and has room
 *  for, and how many a snapshot takes. */
typedef struct held_array {
    void **array;
    size_t size, count, room;
    bool aligned;
    bool saved;
} held_array;

enum { HELD_ARRAYS = 32 };

static size_t list_arrays(ov_cloth *c, held_array list[HELD_ARRAYS]) {
    size_t n = c->vertex_count + 4, room = c->vertex_room, t = c->triangle_count;
    const held_array all[] = {
        {(void **)&c->x, sizeof *c->x, n, room, true, true},
        {(void **)&c->prev, sizeof *c->prev, n, room, true, false},
        {(void **)&c->v, sizeof *c->v, n, room, true, true},
        {(void **)&c->rest, sizeof *c->rest, n, room, true, true},
        {(void **)&c->reference, sizeof *c->reference, n, room, true, true},
        {(void **)&c->anchor, sizeof *c->anchor, n, room, true, true},
        {(void **)&c->mass, sizeof *c->mass, n, room, true, true},
        {(void **)&c->w, sizeof *c->w, n, room, true, true},
        {(void **)&c->bound, sizeof *c->bound, n, room, true, true},
        {(void **)&c->stamps, sizeof *c->stamps, n, room, true, true},
        {(void **)&c->press, sizeof *c->press, n, room, true, false},
        {(void **)&c->triangles, sizeof *c->triangles, t, t, true, true},
        {(void **)&c->owns, sizeof *c->owns, t, t, true, true},
        {(void **)&c->order, sizeof *c->order, t, t, true, true},
        {(void **)&c->nodes, sizeof *c->nodes, c->node_count, 2 * t, true, true},
        {(void **)&c->edges, sizeof *c->edges, c->edge_count, c->edge_room, true, true},
        {(void **)&c->hinges, sizeof *c->hinges, c->hinge_count, c->hinge_room, true, true},
        {(void **)&c->holds, sizeof *c->holds, c->hold_count, c->hold_room, false, true},
        {(void **)&c->solids, sizeof *c->solids, c->solid_count, c->solid_room, false, true},
        {(void **)&c->candidates, sizeof *c->candidates, c->candidate_count, c->candidate_room,
         false, true},
        {(void **)&c->layers, sizeof *c->layers, c->layer_count, c->layer_room, false, true},
        {(void **)&c->outside, sizeof *c->outside, c->outside_count, c->outside_room, false, true},
        {(void **)&c->outside_start, sizeof *c->outside_start, c->outside_count,
         c->outside_start_room, false, true},
        {(void **)&c->spare, sizeof *c->spare, 0, c->spare_room, false, false},
        {(void **)&c->touches, sizeof *c->touches, 0, c->touch_room, false, false},
        {(void **)&c->stage, sizeof *c->stage, 0, c->stage_room, false, false},
        {(void **)&c->push, sizeof *c->push, 0, c->push_room, false, false},
    };
    memcpy(list, all, sizeof all);
    return sizeof all / sizeof all[0];
}

void ov_cloth_destroy(ov_cloth *cloth) {
    if (cloth == NULL) {
        return;
    }
    const ov_allocator allocator = cloth->allocator;
    held_array list[HELD_ARRAYS];
    size_t count = list_arrays(cloth, list);
    for (size_t i = 0; i < count; i++) {
        if (list[i].aligned) {
            ovi_cloth_release(&allocator, *list[i].array, list[i].room, list[i].size);
        } else {
            ovi_release(&allocator, *list[i].array, list[i].room, list[i].size);
        }
    }
    ovi_cloth_release(&allocator, cloth, 1, sizeof *cloth);
}

/* ---- making */

static ov_status check_mesh(const ov_vec3 *positions, size_t vertex_count,
                            const uint32_t (*triangles)[3], size_t triangle_count) {
    if (vertex_count < 3 || vertex_count > OV_CLOTH_MAX || triangle_count < 1 ||
        triangle_count > OV_CLOTH_MAX) {
        return OV_ERROR_COUNT;
    }
    for (size_t i = 0; i < vertex_count; i++) {
        if (!ov_vec3_is_finite(positions[i])) {
            return OV_ERROR_NOT_FINITE;
        }
        if (ovi_max_abs(positions[i]) > 1e9) {
            return OV_ERROR_SIZE_RANGE;
        }
    }
    for (size_t t = 0; t < triangle_count; t++) {
        const uint32_t *v = triangles[t];
        if (v[0] >= vertex_count || v[1] >= vertex_count || v[2] >= vertex_count) {
            return OV_ERROR_INDEX;
        }
        for (int i = 0; i < 3; i++) {
            ov_vec3 d = ov_vec3_sub(positions[v[i]], positions[v[(i + 1) % 3]]);
            double length = ov_vec3_length(d);
            if (length == 0.0) {
                return OV_ERROR_DEGENERATE;
            }
            if (length < 1e-9) {
                return OV_ERROR_SIZE_RANGE;
            }
        }
    }
    return OV_OK;
}

/** All arrays of vertices and triangles. */
static bool make_room(ov_cloth *cloth) {
    held_array list[HELD_ARRAYS];
    size_t count = list_arrays(cloth, list);
    for (size_t i = 0; i < count; i++) {
        if (list[i].aligned && list[i].room > 0 && *list[i].array == NULL &&
            !ovi_cloth_resize(&cloth->allocator, list[i].array, 0, list[i].room, list[i].size)) {
            return false;
        }
    }
    return true;
}

/** Thickness of its own where layers are to stay apart. */
static ov_status take_thickness(ov_cloth *cloth) {
    double height = cloth->least_height;
    cloth->thickness = cloth->options.thickness;
    if (cloth->thickness == 0.0 && cloth->options.self_collision) {
        cloth->thickness = 0.1 * height;
    }
    return cloth->options.self_collision && cloth->thickness > 0.25 * height ? OV_ERROR_OPTION
                                                                             : OV_OK;
}

/** Length of a thread's edge on average, and how many of them there are from end to end. */
static void measure_grid(ov_cloth *cloth) {
    ov_aabb box = {ovi_cloth_at(cloth->rest, 0), ovi_cloth_at(cloth->rest, 0)};
    double sum = 0.0, count = 0.0;
    for (size_t i = 0; i < cloth->vertex_count; i++) {
        ov_vec3 p = ovi_cloth_at(cloth->rest, i);
        const ov_aabb point = {p, p};
        box = ovi_box_union(&box, &point);
    }
    for (size_t i = 0; i < cloth->edge_count; i++) {
        for (int k = 0; k < 4; k++) {
            bool thread = (cloth->edges[i].thread >> k & 1u) != 0;
            sum += thread ? cloth->edges[i].rest[k] : 0.0;
            count += thread;
        }
    }
    cloth->edge = count > 0.0 ? sum / count : cloth->least_height;
    cloth->across = ovi_max_abs(ov_vec3_sub(box.max, box.min)) / cloth->edge;
}

static ov_status fill_cloth(ov_cloth *cloth, const ov_vec3 *positions,
                            const uint32_t (*triangles)[3]) {
    if (!make_room(cloth)) {
        return OV_ERROR_MEMORY;
    }
    for (size_t i = 0; i < cloth->vertex_count; i++) {
        cloth->x[i] = cloth->rest[i] = cloth->reference[i] = ovi_cloth_pack(positions[i]);
    }
    memcpy(cloth->triangles, triangles, cloth->triangle_count * sizeof *triangles);
    ov_status status = ovi_cloth_build(cloth);
    status = status == OV_OK ? take_thickness(cloth) : status;
    if (status == OV_OK) {
        measure_grid(cloth);
    }
    if (status != OV_OK || !cloth->options.self_collision) {
        return status;
    }
    return ovi_cloth_check_layers(cloth);
}

ov_status ov_cloth_create(const ov_vec3 *positions, size_t vertex_count,
                          const uint32_t (*triangles)[3], size_t triangle_count,
                          const ov_cloth_options *options, ov_cloth **out) {
    if (out == NULL) {
        return OV_ERROR_NULL;
    }
    *out = NULL;
    if (positions == NULL || triangles == NULL) {
        return OV_ERROR_NULL;
    }
    ov_cloth_options filled;
    ov_status status = fill_options(options, &filled);
    status =
        status == OV_OK ? check_mesh(positions, vertex_count, triangles, triangle_count) : status;
    if (status != OV_OK) {
        return status;
    }
    const ov_allocator allocator = ovi_allocator_of(&filled.allocator);
    void *memory = NULL;
    if (!ovi_cloth_resize(&allocator, &memory, 0, 1, sizeof(ov_cloth))) {
        return OV_ERROR_MEMORY;
    }
    ov_cloth *cloth = memory;
    *cloth = (ov_cloth){.allocator = allocator,
                        .options = filled,
                        .slack = -1.0,
                        .vertex_count = vertex_count,
                        .vertex_room = vertex_count + 4,
                        .triangle_count = triangle_count};
    status = fill_cloth(cloth, positions, triangles);
    if (status != OV_OK) {
        ov_cloth_destroy(cloth);
        return status;
    }
    *out = cloth;
    return OV_OK;
}

ov_status ov_cloth_grid_fill(ov_vec3 corner, ov_vec3 side_u, ov_vec3 side_v, uint32_t columns,
                             uint32_t rows, ov_vec3 *positions, uint32_t (*triangles)[3]) {
    if (positions == NULL || triangles == NULL) {
        return OV_ERROR_NULL;
    }
    if (columns == 0 || rows == 0 ||
        ((uint64_t)columns + 1) * ((uint64_t)rows + 1) > OV_CLOTH_MAX) {
        return OV_ERROR_COUNT;
    }
    if (!ov_vec3_is_finite(corner) || !ov_vec3_is_finite(side_u) || !ov_vec3_is_finite(side_v)) {
        return OV_ERROR_NOT_FINITE;
    }
    for (uint32_t j = 0; j <= rows; j++) {
        for (uint32_t i = 0; i <= columns; i++) {
            ov_vec3 along = ov_vec3_add_scaled(corner, side_u, (double)i / columns);
            positions[(size_t)j * (columns + 1) + i] =
                ov_vec3_add_scaled(along, side_v, (double)j / rows);
        }
    }
    for (uint32_t j = 0; j < rows; j++) {
        for (uint32_t i = 0; i < columns; i++) {
            uint32_t a = j * (columns + 1) + i, b = a + 1, c = a + columns + 1, d = c + 1;
            size_t t = 2 * ((size_t)j * columns + i);
            bool flip = (i + j) % 2 == 1;
            const uint32_t first[3] = {a, b, flip ? c : d}, second[3] = {flip ? b : a, d, c};
            memcpy(triangles[t], first, sizeof first);
            memcpy(triangles[t + 1], second, sizeof second);
        }
    }
    return OV_OK;
}

/* ---- stepping */

/** Springs of hands, before contacts; pins to bodies, behind them. */
static void pull_springs(ov_cloth *cloth, double h) {
    for (size_t i = 0; i < cloth->hold_count; i++) {
        const ovi_cloth_hold *hold = &cloth->holds[i];
        if (hold->stiffness > 0.0) {
            double w = cloth->w[hold->vertex], soft = 1.0 / (hold->stiffness * h * h);
            ovi_v4 *x = &cloth->x[hold->vertex];
            *x -= (*x - ovi_cloth_pack(hold->point)) * (w / (w + soft));
        }
    }
}

static void hold_to_bodies(ov_cloth *cloth, ov_cloth_collider *colliders, size_t count, double h) {
    for (size_t i = 0; i < cloth->hold_count; i++) {
        const ovi_cloth_hold *hold = &cloth->holds[i];
        if (hold->collider >= count) {
            continue;
        }
        const ov_cloth_collider *c = &colliders[hold->collider];
        ov_pose pose = ovi_cloth_pose_between(c->start, c->end, cloth->share);
        ov_vec3 target = ov_pose_apply(pose, hold->point);
        target = ov_vec3_add(target, ovi_cloth_pushed(cloth, colliders, hold->collider, target));
        ov_vec3 way = ov_vec3_sub(target, ovi_cloth_at(cloth->x, hold->vertex));
        double length = ov_vec3_length(way), w = cloth->w[hold->vertex];
        if (!(length > 0.0) || !(w > 0.0)) {
            continue;
        }
        double total = w + ovi_cloth_inverse_mass(c, target, ov_vec3_scale(way, 1.0 / length));
        cloth->x[hold->vertex] += ovi_cloth_pack(way) * (w / total);
        ovi_cloth_push(cloth, colliders, hold->collider, target,
                       ov_vec3_scale(way, -1.0 / (total * h)), h);
    }
}

/** Does anything look for layers: of the cloth itself, or of meshes? */
static bool has_layers(const ov_cloth *cloth) {
    for (size_t i = 0; i < cloth->solid_count; i++) {
        if (cloth->solids[i].path == OVI_SOLID_MESH) {
            return true;
        }
    }
    return cloth->options.self_collision;
}

static ov_status micro_step(ov_cloth *cloth, ov_cloth_collider *colliders, size_t count, double h,
                            ov_vec3 gravity, double before, double after) {
    cloth->clock++;
    cloth->steps++;
    cloth->share = after;
    ovi_cloth_place(cloth, colliders, before, after);
    double step = (cloth->fastest + ov_vec3_length(gravity) * h) * h;
    ov_status status = ovi_cloth_find_candidates(cloth, step);
    bool layered = has_layers(cloth);
    if (status == OV_OK && layered) {
        status = ovi_cloth_find_layers(cloth, colliders);
    }
    if (status != OV_OK) {
        return status;
    }
    ovi_cloth_prepare(cloth, h);
    if (cloth->options.contact == OV_CLOTH_CONTACT_RADIAL) {
        ovi_cloth_radial_forces(cloth, colliders, h);
    }
    ovi_cloth_predict(cloth, h, gravity);
    ovi_cloth_relax(cloth, h);
    pull_springs(cloth, h);
    status = ovi_cloth_collide(cloth, colliders, h);
    hold_to_bodies(cloth, colliders, count, h);
    if (layered) {
        ovi_cloth_separate_layers(cloth, colliders, h);
        ovi_cloth_limit(cloth, colliders, h);
    }
    ovi_cloth_advance(cloth, h);
    ovi_cloth_bounce(cloth, colliders, h);
    cloth->time += h;
    return status;
}

/** Speed of the fastest pin that is led through the world. */
static double fastest_pin(const ov_cloth *cloth, double h) {
    double way = 0.0;
    for (size_t i = 0; i < cloth->hold_count; i++) {
        const ovi_cloth_hold *hold = &cloth->holds[i];
        if (hold->collider == OV_NO_COLLIDER && hold->stiffness == 0.0) {
            ov_vec3 left = ov_vec3_sub(hold->point, ovi_cloth_at(cloth->x, hold->vertex));
            way = fmax(way, ov_vec3_length(left));
        }
    }
    return way / fmax(cloth->frame - cloth->time, h);
}

/** Steps that a substep is made of: the faster something is for its size, the more. */
static size_t pieces_of(const ov_cloth *cloth, const ov_cloth_collider *colliders, double h,
                        ov_vec3 gravity) {
    double speed = fmax(cloth->fastest, fastest_pin(cloth, h));
    double own = (speed + ov_vec3_length(gravity) * h) * h, most = 1.0;
    ov_aabb box = {ovi_cloth_at(cloth->x, 0), ovi_cloth_at(cloth->x, 0)};
    for (size_t i = 1; i < cloth->vertex_count; i++) {
        ov_vec3 p = ovi_cloth_at(cloth->x, i);
        const ov_aabb point = {p, p};
        box = ovi_box_union(&box, &point);
    }
    for (size_t i = 0; i < cloth->solid_count; i++) {
        const ovi_cloth_solid *s = &cloth->solids[i];
        const ov_cloth_collider *c = &colliders[s->collider];
        if (s->path == OVI_SOLID_PLANE) {
            continue;
        }
        double way = ov_vec3_length(ov_vec3_sub(c->end.position, c->start.position));
        ov_quat turn = ov_quat_mul(c->end.rotation, ov_quat_conjugate(c->start.rotation));
        double angle =
            2.0 * atan2(ov_vec3_length(ov_vec3_make(turn.x, turn.y, turn.z)), fabs(turn.w));
        double arm = s->outer + ov_vec3_length(s->part.position), path = way + angle * arm;
        const ov_aabb ends = {c->start.position, c->start.position},
                      last = {c->end.position, c->end.position};
        ov_aabb reach = ovi_box_union(&ends, &last);
        reach = ovi_box_grow(reach, arm + 2.0 * own + cloth->thickness);
        if (!ovi_boxes_meet(&reach, &box)) {
            continue;
        }
        double limit = ovi_cloth_stride(s);
        if (s->path == OVI_SOLID_MESH || cloth->options.self_collision) {
            limit = fmin(limit, 0.1 * cloth->least_height); // so that layers can follow it
        }
        most = fmax(most, (own + path) / limit);
    }
    if (cloth->options.self_collision) {
        most = fmax(most, own / (0.1 * cloth->least_height));
    }
    return most < 1e6 ? (size_t)ceil(most) : 1000000;
}

/** More steps than these are refused. */
enum { PIECES_MAX = 50000 };

/** Quaternions of unit length, and the default friction. */
static ov_status take_poses(ov_cloth_collider *c) {
    ov_status status = ov_quat_normalize(ov_pose_default(c->start).rotation, &c->start.rotation);
    if (status == OV_OK) {
        status = ov_quat_normalize(ov_pose_default(c->end).rotation, &c->end.rotation);
    }
    c->friction = or_default(c->friction, 0.3);
    return status;
}

static double fastest_vertex(const ov_cloth *cloth) {
    double most = 0.0;
    for (size_t i = 0; i < cloth->vertex_count; i++) {
        most = fmax(most, ov_vec3_length(ovi_cloth_at(cloth->v, i)));
    }
    return most;
}

/** Checks the colliders, and what was set since the last step. */
static ov_status begin_frame(ov_cloth *cloth, const ov_cloth_collider *colliders, size_t count,
                             double dt) {
    if (!(dt > 0.0) || !(dt <= 10.0)) {
        return OV_ERROR_OPTION;
    }
    ov_status status = ovi_cloth_take_colliders(cloth, colliders, count);
    if (status == OV_OK && cloth->unchecked) {
        status = cloth->options.self_collision ? ovi_cloth_check_layers(cloth) : OV_OK;
        cloth->unchecked = status != OV_OK;
        cloth->fastest = fastest_vertex(cloth); // what was set may be slower than what was there
    }
    if (status != OV_OK) {
        return status;
    }
    cloth->frame = dt;
    cloth->time = 0.0;
    cloth->steps = 0;
    return OV_OK;
}

/** One substep, in as many steps as it takes; impulses are added to the colliders. */
static ov_status substep(ov_cloth *cloth, ov_cloth_collider *colliders, size_t count, double h,
                         ov_vec3 gravity) {
    for (size_t i = 0; i < count; i++) {
        ov_status status = take_poses(&colliders[i]);
        if (status != OV_OK) {
            return status;
        }
        cloth->push[2 * i] = cloth->push[2 * i + 1] = ov_vec3_make(0.0, 0.0, 0.0);
    }
    size_t pieces = pieces_of(cloth, colliders, h, gravity);
    if (pieces > PIECES_MAX) {
        return OV_ERROR_LIMIT;
    }
    ov_status status = OV_OK;
    for (size_t i = 0; i < pieces && status == OV_OK; i++) {
        status = micro_step(cloth, colliders, count, h / (double)pieces, gravity,
                            (double)i / (double)pieces, (double)(i + 1) / (double)pieces);
    }
    return status;
}

/** The longest substep, and the sweeps over its edges. */
static const double substep_longest = 1.0 / 600.0;
enum { SWEEPS = 6, SWEEPS_LEAST = 3 };

/**
 * The longest substep of a cloth whose threads have n edges of length L: sweeps leave a strain of
 * the order of h^2 g n^2/L (docs/theory/cloth.md, 1). The limit is what 41 by 41 vertices of 4 m
 * are within by far, and what 101 by 101 need for 3 %.
 */
static double longest_by_pull(const ov_cloth *cloth) {
    const double limit = 0.757;
    double pull = ov_vec3_length(cloth->options.gravity) * cloth->across * cloth->across;
    double h = pull > 0.0 ? sqrt(limit * cloth->edge / pull) : substep_longest;
    return fmin(h, substep_longest);
}

/** The same by bending, for which sweeps do what they are to where B h^2/(density L^4) is small: a
 *  stiff sheet of fine cells would hang limp (docs/theory/cloth.md, 2). */
static double longest_by_bending(const ov_cloth *cloth) {
    const double limit = 0.15;
    double bending = cloth->options.bending;
    return bending > 0.0
               ? sqrt(limit * cloth->options.density / bending) * cloth->edge * cloth->edge
               : substep_longest;
}

/** Substeps of a step, as asked for or by the longest one; the shorter they are for a cloth that
 *  is pulled, the fewer sweeps each needs, as it begins with the forces of the last one. */
static unsigned plan_substeps(ov_cloth *cloth, double dt) {
    double pulled = fmax(longest_by_pull(cloth), 0.01 * substep_longest);
    double longest = fmax(fmin(pulled, longest_by_bending(cloth)), 0.01 * substep_longest);
    double wanted = ceil(dt / longest * (1.0 - 1e-9));
    unsigned substeps = cloth->options.substeps, fewest = SWEEPS;
    if (substeps == 0) {
        substeps = wanted > 1.0 ? (unsigned)wanted : 1;
        fewest = (unsigned)ceil(SWEEPS * pulled / substep_longest * (1.0 - 1e-9));
    }
    cloth->sweeps = cloth->options.iterations > 0 ? cloth->options.iterations
                    : fewest > SWEEPS_LEAST       ? fewest
                                                  : SWEEPS_LEAST;
    return substeps;
}

ov_status ov_cloth_step(ov_cloth *cloth, ov_cloth_collider *colliders, size_t count, double dt) {
    if (cloth == NULL || (colliders == NULL && count > 0)) {
        return OV_ERROR_NULL;
    }
    ov_status status = begin_frame(cloth, colliders, count, dt);
    unsigned substeps = status == OV_OK ? plan_substeps(cloth, dt) : 1;
    double h = dt / substeps;
    for (size_t i = 0; i < count && status == OV_OK; i++) {
        cloth->stage[i] = colliders[i];
        cloth->stage[i].impulse = cloth->stage[i].angular_impulse = ov_vec3_make(0.0, 0.0, 0.0);
        status = take_poses(&cloth->stage[i]);
    }
    if (status == OV_OK &&
        pieces_of(cloth, cloth->stage, dt, cloth->options.gravity) > PIECES_MAX) {
        status = OV_ERROR_LIMIT;
    }
    for (unsigned k = 0; k < substeps && status == OV_OK; k++) {
        for (size_t i = 0; i < count; i++) {
            ov_pose start = ov_pose_default(colliders[i].start), end = start;
            (void)ov_quat_normalize(start.rotation, &start.rotation);
            end = ov_pose_default(colliders[i].end);
            (void)ov_quat_normalize(end.rotation, &end.rotation);
            cloth->stage[i].start = ovi_cloth_pose_between(start, end, (double)k / substeps);
            cloth->stage[i].end = ovi_cloth_pose_between(start, end, (double)(k + 1) / substeps);
        }
        status = substep(cloth, cloth->stage, count, h, cloth->options.gravity);
        for (size_t i = 0; i < count; i++) { // about the end of the frame, not of the substep
            ov_cloth_collider *s = &cloth->stage[i];
            ov_vec3 arm = ov_vec3_sub(s->end.position, colliders[i].end.position);
            colliders[i].impulse = ov_vec3_add(colliders[i].impulse, s->impulse);
            colliders[i].angular_impulse =
                ov_vec3_add(ov_vec3_add(colliders[i].angular_impulse, s->angular_impulse),
                            ov_vec3_cross(arm, s->impulse));
            s->impulse = s->angular_impulse = ov_vec3_make(0.0, 0.0, 0.0);
        }
    }
    if (status == OV_OK) {
        ovi_cloth_damp(cloth, dt);
        status = cloth->options.tear > 0.0 ? ovi_cloth_tear(cloth) : OV_OK;
    }
    return status;
}

/* ---- holding and letting go */

static ovi_cloth_hold *find_hold(const ov_cloth *cloth, uint32_t vertex) {
    for (size_t i = 0; i < cloth->hold_count; i++) {
        if (cloth->holds[i].vertex == vertex) {
            return &cloth->holds[i];
        }
    }
    return NULL;
}

/** What holds a vertex, a new one if nothing does. */
static ov_status take_hold(ov_cloth *cloth, const ovi_cloth_hold *wanted) {
    if (cloth == NULL) {
        return OV_ERROR_NULL;
    }
    if (wanted->vertex >= cloth->vertex_count) {
        return OV_ERROR_INDEX;
    }
    ov_status status = ovi_check_position(wanted->point);
    if (status != OV_OK) {
        return status;
    }
    ovi_cloth_hold *hold = find_hold(cloth, wanted->vertex);
    if (hold == NULL) {
        if (cloth->hold_count >= cloth->hold_room) {
            void *more = ovi_more_room(&cloth->allocator, cloth->holds, &cloth->hold_room,
                                       cloth->hold_count + 1, sizeof *cloth->holds);
            if (more == NULL) {
                return OV_ERROR_MEMORY;
            }
            cloth->holds = more;
        }
        hold = &cloth->holds[cloth->hold_count++];
    }
    *hold = *wanted;
    cloth->stale = true;
    return OV_OK;
}

ov_status ov_cloth_pin(ov_cloth *cloth, uint32_t vertex, ov_vec3 position) {
    const ovi_cloth_hold hold = {vertex, OV_NO_COLLIDER, position, 0.0};
    return take_hold(cloth, &hold);
}

ov_status ov_cloth_pin_to(ov_cloth *cloth, uint32_t vertex, uint32_t collider, ov_vec3 point) {
    const ovi_cloth_hold hold = {vertex, collider, point, 0.0};
    return collider == OV_NO_COLLIDER ? OV_ERROR_INDEX : take_hold(cloth, &hold);
}

ov_status ov_cloth_grab(ov_cloth *cloth, uint32_t vertex, ov_vec3 target, double stiffness) {
    const ovi_cloth_hold hold = {vertex, OV_NO_COLLIDER, target, stiffness};
    if (!isfinite(stiffness)) {
        return OV_ERROR_NOT_FINITE;
    }
    return stiffness > 0.0 && stiffness <= 1e15 ? take_hold(cloth, &hold) : OV_ERROR_OPTION;
}

ov_status ov_cloth_release(ov_cloth *cloth, uint32_t vertex) {
    if (cloth == NULL) {
        return OV_ERROR_NULL;
    }
    if (vertex >= cloth->vertex_count) {
        return OV_ERROR_INDEX;
    }
    ovi_cloth_hold *hold = find_hold(cloth, vertex);
    if (hold != NULL) {
        size_t after = cloth->hold_count - (size_t)(hold - cloth->holds) - 1;
        memmove(hold, hold + 1, after * sizeof *hold);
        cloth->hold_count--;
        cloth->stale = true;
    }
    return OV_OK;
}

ov_status ov_cloth_set_wind(ov_cloth *cloth, ov_vec3 wind) {
    if (cloth == NULL) {
        return OV_ERROR_NULL;
    }
    ov_status status = check_field(wind);
    if (status != OV_OK) {
        return status;
    }
    cloth->options.wind = wind;
    cloth->options.air = cloth->options.air == 0.0 && !is_zero(wind) ? 1.2 : cloth->options.air;
    return OV_OK;
}

ov_status ov_cloth_set_gravity(ov_cloth *cloth, ov_vec3 gravity) {
    if (cloth == NULL) {
        return OV_ERROR_NULL;
    }
    ov_status status = check_field(gravity);
    if (status != OV_OK) {
        return status;
    }
    cloth->options.gravity = gravity;
    return OV_OK;
}

ov_status ov_cloth_set(ov_cloth *cloth, uint32_t vertex, ov_vec3 position, ov_vec3 velocity) {
    if (cloth == NULL) {
        return OV_ERROR_NULL;
    }
    if (vertex >= cloth->vertex_count) {
        return OV_ERROR_INDEX;
    }
    if (!ov_vec3_is_finite(position) || !ov_vec3_is_finite(velocity)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (ovi_max_abs(position) > 1e9 || ovi_max_abs(velocity) > 1e9) {
        return OV_ERROR_SIZE_RANGE;
    }
    cloth->x[vertex] = ovi_cloth_pack(position);
    cloth->v[vertex] = ovi_cloth_pack(velocity);
    cloth->slack = -1.0; // what was near before need not be now
    cloth->measured = false;
    cloth->unchecked = true;
    return OV_OK;
}

/** Distance along a ray to a triangle, by Cramer's rule; infinite where they do not meet. */
static double ray_triangle(ov_vec3 origin, ov_vec3 direction, const ov_vec3 p[3]) {
    ov_vec3 e1 = ov_vec3_sub(p[1], p[0]), e2 = ov_vec3_sub(p[2], p[0]);
    ov_vec3 s = ov_vec3_cross(direction, e2), from = ov_vec3_sub(origin, p[0]);
    double det = ov_vec3_dot(e1, s);
    if (det == 0.0) {
        return INFINITY;
    }
    ov_vec3 q = ov_vec3_cross(from, e1);
    double u = ov_vec3_dot(from, s) / det, v = ov_vec3_dot(direction, q) / det;
    double t = ov_vec3_dot(e2, q) / det;
    return u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0 ? t : INFINITY;
}

ov_status ov_cloth_pick(const ov_cloth *cloth, ov_vec3 origin, ov_vec3 direction, uint32_t *vertex,
                        double *distance) {
    if (cloth == NULL || vertex == NULL) {
        return OV_ERROR_NULL;
    }
    *vertex = OV_NO_TRIANGLE;
    if (!ov_vec3_is_finite(origin) || !ov_vec3_is_finite(direction)) {
        return OV_ERROR_NOT_FINITE;
    }
    ov_vec3 unit = ov_vec3_normalize(direction);
    if (is_zero(unit)) {
        return OV_ERROR_ZERO_DIRECTION;
    }
    double first = INFINITY;
    for (size_t i = 0; i < cloth->triangle_count; i++) {
        const uint32_t *v = cloth->triangles[i];
        const ov_vec3 p[3] = {ovi_cloth_at(cloth->x, v[0]), ovi_cloth_at(cloth->x, v[1]),
                              ovi_cloth_at(cloth->x, v[2])};
        double t = ray_triangle(origin, unit, p), near = INFINITY;
        for (int k = 0; t < first && k < 3; k++) {
            ov_vec3 hit = ov_vec3_add_scaled(origin, unit, t);
            double d = ov_vec3_length(ov_vec3_sub(p[k], hit));
            *vertex = d < near ? v[k] : *vertex;
            near = fmin(near, d);
        }
        first = fmin(first, t);
    }
    if (distance != NULL) {
        *distance = first;
    }
    return OV_OK;
}

/* ---- what there is */

size_t ov_cloth_vertex_count(const ov_cloth *cloth) {
    return cloth != NULL ? cloth->vertex_count : 0;
}

size_t ov_cloth_triangle_count(const ov_cloth *cloth) {
    return cloth != NULL ? cloth->triangle_count : 0;
}

const uint32_t (*ov_cloth_triangles(const ov_cloth *cloth))[3] {
    return cloth != NULL ? (const uint32_t(*)[3])cloth->triangles : NULL;
}

static ov_status copy_vectors(const ov_cloth *cloth, const ovi_v4 *from, ov_vec3 *to) {
    for (size_t i = 0; i < cloth->vertex_count; i++) {
        to[i] = ovi_cloth_at(from, i);
    }
    return OV_OK;
}

ov_status ov_cloth_positions(const ov_cloth *cloth, ov_vec3 *positions) {
    return cloth == NULL || positions == NULL ? OV_ERROR_NULL
                                              : copy_vectors(cloth, cloth->x, positions);
}

ov_status ov_cloth_velocities(const ov_cloth *cloth, ov_vec3 *velocities) {
    return cloth == NULL || velocities == NULL ? OV_ERROR_NULL
                                               : copy_vectors(cloth, cloth->v, velocities);
}

/** Elastic energy and strain of the edges and hinges. */
static void measure_forces(const ov_cloth *cloth, ov_cloth_state *out) {
    for (size_t i = 0; i < cloth->edge_count; i++) {
        const ovi_cloth_edges *e = &cloth->edges[i];
        for (int k = 0; k < 4; k++) {
            if ((e->thread >> (4 + k) & 1u) != 0) {
                continue;
            }
            double length = ov_vec3_length(
                ov_vec3_sub(ovi_cloth_at(cloth->x, e->a[k]), ovi_cloth_at(cloth->x, e->b[k])));
            double over = length - e->rest[k], strain = over / e->rest[k];
            out->elastic += 0.5 * over * over / e->compliance[k];
            if ((e->thread >> k & 1u) != 0) {
                out->strain = fmax(out->strain, fabs(strain));
                out->stretch = fmax(out->stretch, strain);
            }
        }
    }
    for (size_t i = 0; i < cloth->hinge_count; i++) {
        const ovi_cloth_hinge *g = &cloth->hinges[i];
        ovi_v4 bend = ovi_v4_of(0.0);
        for (int k = 0; k < 4; k++) {
            bend += cloth->x[g->v[k]] * g->k[k];
        }
        bend *= bend;
        out->elastic += 0.5 * (bend[0] + bend[1] + bend[2]) / g->compliance;
    }
}

ov_status ov_cloth_measure(const ov_cloth *cloth, ov_cloth_state *state) {
    if (cloth == NULL || state == NULL) {
        return OV_ERROR_NULL;
    }
    ov_cloth_state out = {.contacts = cloth->contacts,
                          .self_contacts = cloth->self_contacts,
                          .steps = cloth->steps,
                          .tears = cloth->tears};
    for (size_t i = 0; i < cloth->vertex_count; i++) {
        double m = cloth->mass[i];
        ov_vec3 x = ovi_cloth_at(cloth->x, i), v = ovi_cloth_at(cloth->v, i);
        double squared = ov_vec3_dot(v, v);
        out.mass += m;
        out.kinetic += 0.5 * m * squared;
        out.gravitational -= m * ov_vec3_dot(cloth->options.gravity, x);
        out.momentum = ov_vec3_add_scaled(out.momentum, v, m);
        out.angular_momentum = ov_vec3_add_scaled(out.angular_momentum, ov_vec3_cross(x, v), m);
        out.speed = fmax(out.speed, sqrt(squared));
    }
    measure_forces(cloth, &out);
    *state = out;
    return OV_OK;
}

/** One convex part against all triangles. */
static ov_status deepest_in_part(const ov_cloth *cloth, const ov_shape *shape, ov_pose pose,
                                 uint32_t collider, ov_cloth_depth *out) {
    ov_aabb box;
    bool bounded = ov_shape_aabb(shape, pose, &box) == OV_OK;
    for (size_t t = 0; t < cloth->triangle_count; t++) {
        ov_vec3 p[3];
        for (int i = 0; i < 3; i++) {
            p[i] = ovi_cloth_at(cloth->x, cloth->triangles[t][i]);
        }
        const ov_aabb first = {p[0], p[0]}, second = {p[1], p[1]}, third = {p[2], p[2]};
        ov_aabb own = ovi_box_union(&first, &second);
        own = ovi_box_union(&own, &third);
        if (bounded && !ovi_boxes_meet(&own, &box)) {
            continue;
        }
        ov_contact c;
        ov_status status = ov_triangle_contact(shape, pose, p[0], p[1], p[2], NULL, &c);
        if (status < 0) {
            return status;
        }
        out->depth_upper = fmax(out->depth_upper, -c.gap_lower);
        if (-c.gap > out->depth) {
            out->depth = -c.gap;
            out->triangle = (uint32_t)t;
            out->collider = collider;
        }
    }
    return OV_OK;
}

ov_status ov_cloth_deepest(const ov_cloth *cloth, const ov_cloth_collider *colliders, size_t count,
                           ov_cloth_depth *out) {
    if (cloth == NULL || out == NULL || (colliders == NULL && count > 0)) {
        return OV_ERROR_NULL;
    }
    ov_cloth_depth found = {0.0, 0.0, OV_NO_TRIANGLE, OV_NO_COLLIDER};
    *out = found;
    for (size_t i = 0; i < count; i++) {
        const ov_cloth_collider *c = &colliders[i];
        if ((c->geometry == NULL) == (c->shape == NULL)) {
            return OV_ERROR_NULL;
        }
        ov_pose pose = ov_pose_default(c->end);
        size_t parts = c->geometry != NULL ? ov_geometry_count(c->geometry) : 1;
        for (size_t k = 0; k < parts; k++) {
            const ov_part *part = c->geometry != NULL ? ov_geometry_part(c->geometry, k) : NULL;
            if (part != NULL && part->mesh != NULL) {
                continue;
            }
            ov_pose own = part != NULL ? ov_pose_default(part->pose) : ov_pose_identity();
            const ov_pose placed = {ov_pose_apply(pose, own.position),
                                    ov_quat_mul(pose.rotation, own.rotation)};
            ov_status status = deepest_in_part(cloth, part != NULL ? &part->shape : c->shape,
                                               placed, (uint32_t)i, &found);
            if (status != OV_OK) {
                return status;
            }
        }
    }
    *out = found;
    return OV_OK;
}

/* ---- snapshots: a head, the cloth itself without its pointers, and its arrays */

typedef struct snapshot_head {
    uint64_t magic, bytes, hash;
} snapshot_head;

/** Builds whose cloth has another layout have another number. */
static uint64_t snapshot_magic(void) {
    return 0x6f76436c6f746801u ^ ((uint64_t)sizeof(ov_cloth) << 16) ^
           ((uint64_t)sizeof(ovi_cloth_solid) << 40);
}

/** FNV-1a over words of eight bytes, and the rest. */
static uint64_t hash_bytes(const unsigned char *bytes, size_t count) {
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < count; i += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, count - i < 8 ? count - i : 8);
        hash = (hash ^ word) * 1099511628211u;
        hash ^= hash >> 29;
    }
    return hash;
}

size_t ov_cloth_snapshot_size(const ov_cloth *cloth) {
    if (cloth == NULL) {
        return 0;
    }
    ov_cloth copy = *cloth;
    held_array list[HELD_ARRAYS];
    size_t count = list_arrays(&copy, list), bytes = sizeof(snapshot_head) + sizeof copy;
    for (size_t i = 0; i < count; i++) {
        bytes += list[i].saved ? list[i].count * list[i].size : 0;
    }
    return bytes;
}

/** The parts of bodies are named by their order: what they point to means nothing elsewhere. */
static void write_solids(const ov_cloth *cloth, unsigned char *to) {
    for (size_t i = 0; i < cloth->solid_count; i++) {
        ovi_cloth_solid s = cloth->solids[i];
        s.shape = NULL;
        s.mesh = NULL;
        memcpy(to + i * sizeof s, &s, sizeof s);
    }
}

/** Without what belongs to this process. */
static void forget_memory(ov_cloth *copy) {
    held_array list[HELD_ARRAYS];
    size_t count = list_arrays(copy, list);
    for (size_t i = 0; i < count; i++) {
        *list[i].array = NULL;
    }
    memset(&copy->allocator, 0, sizeof copy->allocator);
    memset(&copy->options.allocator, 0, sizeof copy->options.allocator);
    memset(&copy->options.threads, 0, sizeof copy->options.threads);
    copy->vertex_room = copy->vertex_count + 4;
    copy->edge_room = copy->edge_count;
    copy->hinge_room = copy->hinge_count;
    copy->hold_room = copy->hold_count;
    copy->solid_room = copy->solid_count;
    copy->candidate_room = copy->candidate_count;
    copy->layer_room = copy->layer_count;
    copy->outside_room = copy->outside_start_room = copy->outside_count;
    copy->spare_room = copy->touch_room = copy->touch_count = 0;
    copy->stage_room = copy->push_room = 0;
    copy->adopt = true;
}

ov_status ov_cloth_save(const ov_cloth *cloth, void *buffer, size_t size) {
    if (cloth == NULL || buffer == NULL) {
        return OV_ERROR_NULL;
    }
    size_t bytes = ov_cloth_snapshot_size(cloth);
    if (size < bytes) {
        return OV_ERROR_COUNT;
    }
    ov_cloth copy = *cloth;
    held_array list[HELD_ARRAYS];
    size_t count = list_arrays(&copy, list);
    unsigned char *to = (unsigned char *)buffer + sizeof(snapshot_head) + sizeof copy;
    for (size_t i = 0; i < count; i++) {
        if (!list[i].saved || list[i].count == 0) {
            continue;
        }
        if (list[i].array == (void **)&copy.solids) {
            write_solids(cloth, to);
        } else {
            memcpy(to, *list[i].array, list[i].count * list[i].size);
        }
        to += list[i].count * list[i].size;
    }
    forget_memory(&copy);
    unsigned char *payload = (unsigned char *)buffer + sizeof(snapshot_head);
    memcpy(payload, &copy, sizeof copy);
    const snapshot_head head = {snapshot_magic(), bytes,
                                hash_bytes(payload, bytes - sizeof(snapshot_head))};
    memcpy(buffer, &head, sizeof head);
    return OV_OK;
}

/** Arrays of a cloth that has none yet, filled from a snapshot. */
static ov_status read_arrays(ov_cloth *fresh, const unsigned char *from) {
    held_array list[HELD_ARRAYS];
    size_t count = list_arrays(fresh, list);
    for (size_t i = 0; i < count; i++) {
        const held_array *a = &list[i];
        bool made = true;
        if (a->aligned) {
            made = ovi_cloth_resize(&fresh->allocator, a->array, 0, a->room, a->size);
        } else if (a->room > 0) {
            *a->array = ovi_resize(&fresh->allocator, NULL, 0, a->room, a->size);
            made = *a->array != NULL;
        }
        if (!made) {
            return OV_ERROR_MEMORY;
        }
        if (a->saved && a->count > 0) {
            memcpy(*a->array, from, a->count * a->size);
            from += a->count * a->size;
        }
    }
    return OV_OK;
}

static void swap_clothes(ov_cloth *a, ov_cloth *b) {
    ov_cloth t = *a;
    *a = *b;
    *b = t;
}

ov_status ov_cloth_load(ov_cloth *cloth, const void *buffer, size_t size) {
    if (cloth == NULL || buffer == NULL) {
        return OV_ERROR_NULL;
    }
    snapshot_head head;
    if (size < sizeof head) {
        return OV_ERROR_COUNT;
    }
    memcpy(&head, buffer, sizeof head);
    if (head.magic != snapshot_magic() || head.bytes < sizeof head + sizeof(ov_cloth)) {
        return OV_ERROR_FILE_FORMAT;
    }
    if (size < head.bytes) {
        return OV_ERROR_COUNT;
    }
    const unsigned char *payload = (const unsigned char *)buffer + sizeof head;
    if (hash_bytes(payload, (size_t)head.bytes - sizeof head) != head.hash) {
        return OV_ERROR_FILE_FORMAT;
    }
    void *memory = NULL;
    if (!ovi_cloth_resize(&cloth->allocator, &memory, 0, 1, sizeof(ov_cloth))) {
        return OV_ERROR_MEMORY;
    }
    ov_cloth *fresh = memory;
    memcpy(fresh, payload, sizeof *fresh);
    fresh->allocator = cloth->allocator;
    fresh->options.allocator = cloth->options.allocator;
    fresh->options.threads = cloth->options.threads;
    ov_status status = ov_cloth_snapshot_size(fresh) == head.bytes ? OV_OK : OV_ERROR_FILE_FORMAT;
    if (status == OV_OK) {
        status = read_arrays(fresh, payload + sizeof *fresh);
    }
    if (status == OV_OK) {
        swap_clothes(cloth, fresh);
    }
    ov_cloth_destroy(fresh);
    return status;
}
