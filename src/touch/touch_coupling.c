/**
 * @file touch_coupling.c
 * @brief Six degrees of freedom: a tool on a virtual coupling, and the passivity observer.
 */
#include <math.h>

#include "touch_force_internal.h"

/** The rotation vector that turns `from` into `to`, the short way. */
static ov_vec3 rotation_between(ov_quat from, ov_quat to) {
    ov_quat q = ov_quat_mul(to, ov_quat_conjugate(from));
    double sign = q.w < 0.0 ? -1.0 : 1.0;
    ov_vec3 v = ov_vec3_make(sign * q.x, sign * q.y, sign * q.z);
    double sine = ov_vec3_length(v);
    double half = atan2(sine, sign * q.w);
    return ov_vec3_scale(v, sine > 1e-8 ? 2.0 * half / sine : 2.0);
}

static ov_status unit_pose(ov_pose pose, ov_pose *unit) {
    if (!ov_vec3_is_finite(pose.position)) {
        return OV_ERROR_NOT_FINITE;
    }
    unit->position = pose.position;
    return ov_quat_normalize(pose.rotation, &unit->rotation);
}

/* ---- the tool -------------------------------------------------------------------------------- */

/** What pushes and turns a tool, about its origin. */
typedef struct wrench {
    ov_vec3 force, torque;
} wrench;

/** A tool on its way to balance. */
typedef struct balance {
    const ov_touch_surface *surface;
    const ov_touch_material *material;
    const ov_touch_tool *tool;
    double reach; /**< of the tool's points from its origin, at least its radius */
    double spring, torsion;
    ov_pose device, pose;
    wrench contact;  /**< of the surface on the tool */
    wrench coupling; /**< of the device on the tool */
    ov_vec3 normal;  /**< mean of those in contact */
    double depth;    /**< of the deepest point */
    size_t touching; /**< points in contact */
} balance;

static double tool_reach(const ov_touch_tool *tool) {
    if (tool->query != NULL) {
        ov_ball ball = ov_touch_object_ball(tool->query->object);
        return ov_vec3_length(ball.centre) + ball.radius;
    }
    double reach = tool->radius;
    for (size_t i = 0; i < tool->count; i++) {
        reach = fmax(reach, ov_vec3_length(tool->points[i]) + tool->radius);
    }
    return reach > 0.0 ? reach : 1e-3;
}

/** The forces of an object's zones. */
static ov_status press_object(balance *b) {
    ov_touch_query *query = b->tool->query;
    query->object_pose = b->pose;
    ov_status status = ov_touch_object_contacts(query);
    if (status < 0) {
        return status;
    }
    size_t zones = ov_touch_object_zone_count(query->object);
    for (size_t i = 0; i < zones; i++) {
        const ov_touch_zone *zone = &query->zones[i];
        ov_touch_force f = ov_touch_zone_response(b->material, zone, b->pose.position);
        b->contact.force = ov_vec3_add(b->contact.force, f.force);
        b->contact.torque = ov_vec3_add(b->contact.torque, f.torque);
        b->normal = ov_vec3_add(b->normal, zone->normal_sum);
        b->depth = fmax(b->depth, f.depth);
        b->touching += zone->count;
    }
    return OV_OK;
}

/** Stiffness times the depth of the deepest point, along the mean of all, weighted by depth: so a
 *  point comes into contact and leaves it without a jump. */
static ov_status press_points(balance *b) {
    ov_mat3 turn = ov_mat3_from_quat(b->pose.rotation);
    double depths = 0.0;
    for (size_t i = 0; i < b->tool->count; i++) {
        ov_vec3 arm = ov_mat3_mul_vec3(&turn, b->tool->points[i]);
        ovi_touch_place place;
        ov_status status =
            ovi_touch_place_at(b->surface, b->material, ov_vec3_add(b->pose.position, arm),
                               b->tool->radius, INFINITY, &place);
        if (status < 0) {
            return status;
        }
        double depth = b->tool->radius - place.height;
        if (depth > 0.0) {
            ov_vec3 f = ov_vec3_scale(place.rise, depth);
            arm = ov_vec3_add_scaled(arm, place.normal, -b->tool->radius);
            b->contact.force = ov_vec3_add(b->contact.force, f);
            b->contact.torque = ov_vec3_add(b->contact.torque, ov_vec3_cross(arm, f));
            b->normal = ov_vec3_add_scaled(b->normal, place.normal, depth);
            b->depth = fmax(b->depth, depth);
            depths += depth;
            b->touching++;
        }
    }
    double share = depths > 0.0 ? ovi_touch_stiffness(b->material) * b->depth / depths : 0.0;
    b->contact.force = ov_vec3_scale(b->contact.force, share);
    b->contact.torque = ov_vec3_scale(b->contact.torque, share);
    return OV_OK;
}

static ov_status press(balance *b) {
    b->contact = (wrench){0};
    b->normal = ov_vec3_make(0.0, 0.0, 0.0);
    b->depth = 0.0;
    b->touching = 0;
    return b->tool->query != NULL ? press_object(b) : press_points(b);
}

static void pull(balance *b) {
    ov_vec3 off = ov_vec3_sub(b->device.position, b->pose.position);
    ov_vec3 turned = rotation_between(b->pose.rotation, b->device.rotation);
    b->coupling.force = ov_vec3_scale(off, b->spring);
    b->coupling.torque = ov_vec3_scale(turned, b->torsion);
}

/** One damped step towards balance: as if all springs pulled at once, so that it never overshoots.
 */
static void settle(balance *b) {
    double stiff = b->touching > 0 ? ovi_touch_stiffness(b->material) : 0.0;
    ov_vec3 f = ov_vec3_add(b->contact.force, b->coupling.force);
    ov_vec3 t = ov_vec3_add(b->contact.torque, b->coupling.torque);
    ov_vec3 turn = ov_vec3_scale(t, 1.0 / (b->torsion + stiff * b->reach * b->reach));
    b->pose.position = ov_vec3_add_scaled(b->pose.position, f, 1.0 / (b->spring + stiff));
    ov_quat q = ov_quat_from_axis_angle(turn, ov_vec3_length(turn));
    (void)ov_quat_normalize(ov_quat_mul(q, b->pose.rotation), &b->pose.rotation);
}

static ov_status check_tool(const ov_touch_tool *tool, const ov_touch_coupling *coupling,
                            double dt) {
    const ov_touch_query *query = tool->query;
    if (query != NULL ? query->object == NULL || query->zones == NULL : tool->points == NULL) {
        return OV_ERROR_NULL;
    }
    if (query == NULL && tool->count == 0) {
        return OV_ERROR_COUNT;
    }
    for (size_t i = 0; query == NULL && i < tool->count; i++) {
        if (!ov_vec3_is_finite(tool->points[i])) {
            return OV_ERROR_NOT_FINITE;
        }
    }
    const double numbers[] = {tool->radius, coupling->stiffness, coupling->torsion_stiffness,
                              coupling->damping, coupling->torque_max};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (!isfinite(numbers[i])) {
            return OV_ERROR_NOT_FINITE;
        }
        if (numbers[i] < 0.0) {
            return OV_ERROR_OPTION;
        }
    }
    if (!isfinite(dt) || !(dt > 0.0)) {
        return OV_ERROR_TIME;
    }
    return coupling->iterations < 0 ? OV_ERROR_OPTION : OV_OK;
}

/** What the hand feels: the coupling pulls it to the tool. */
static ov_status feel_coupling(const balance *b, const ov_touch_coupling *coupling,
                               ov_vec3 velocity, ov_touch_force *force) {
    *force = (ov_touch_force){.depth = b->depth, .contact = b->touching > 0};
    ov_vec3 normal = ov_vec3_normalize(b->normal);
    ov_vec3 whole = ov_vec3_neg(b->coupling.force);
    if (force->contact) {
        whole = ov_vec3_add_scaled(whole, velocity, -coupling->damping);
    }
    ov_status status = ovi_touch_finish_force(b->material, whole, normal, force);
    ov_vec3 torque = ov_vec3_neg(b->coupling.torque);
    double length = ov_vec3_length(torque);
    if (status < 0 || !isfinite(length)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (coupling->torque_max > 0.0 && length > coupling->torque_max) {
        torque = ov_vec3_scale(torque, coupling->torque_max / length);
        force->capped = true;
    }
    force->torque = torque;
    return OV_OK;
}

ov_status ov_touch_tool_step(const ov_touch_surface *surface, const ov_touch_material *material,
                             const ov_touch_tool *tool, const ov_touch_coupling *coupling,
                             ov_pose device, double dt, ov_touch_tool_state *state,
                             ov_touch_force *force) {
    if (material == NULL || tool == NULL || state == NULL || force == NULL) {
        return OV_ERROR_NULL;
    }
    if (tool->query == NULL && (surface == NULL || surface->sample == NULL)) {
        return OV_ERROR_NULL;
    }
    ov_touch_coupling chosen = coupling != NULL ? *coupling : (ov_touch_coupling){0};
    ov_status status = check_tool(tool, &chosen, dt);
    status = status == OV_OK ? ov_touch_material_check(material) : status;
    status = status == OV_OK ? unit_pose(device, &device) : status;
    balance b = {.surface = surface, .material = material, .tool = tool, .device = device};
    if (status == OV_OK) {
        b.pose = device;
        status = state->placed ? unit_pose(state->pose, &b.pose) : OV_OK;
    }
    if (status < 0) {
        return status;
    }
    b.reach = tool_reach(tool);
    b.spring = chosen.stiffness > 0.0 ? chosen.stiffness : 500.0;
    b.torsion =
        chosen.torsion_stiffness > 0.0 ? chosen.torsion_stiffness : b.spring * b.reach * b.reach;
    int iterations = chosen.iterations > 0 ? chosen.iterations : 8;
    for (int i = 0; i <= iterations; i++) {
        status = press(&b);
        if (status < 0) {
            return status;
        }
        pull(&b);
        if (i < iterations) {
            settle(&b);
        }
    }
    ov_vec3 velocity = ov_vec3_make(0.0, 0.0, 0.0);
    if (state->placed) {
        velocity = ov_vec3_scale(ov_vec3_sub(device.position, state->device.position), 1.0 / dt);
    }
    status = feel_coupling(&b, &chosen, velocity, force);
    if (status < 0) {
        return status;
    }
    *state = (ov_touch_tool_state){b.pose, device, true};
    return OV_OK;
}

/* ---- the observer ---------------------------------------------------------------------------- */

/** The most that a held force of this size gives out: the maximum over 0 <= dx <= v T of
 *  F dx - b dx^2 / T. */
static double worst_gain(double size, double speed, double damping, double period) {
    if (damping > 0.0 && size < 2.0 * damping * speed) {
        return size * size * period / (4.0 * damping);
    }
    return (size - damping * speed) * speed * period;
}

/** The largest share of force and torque that gives out no more than the tank holds. */
static double safe_share(const ov_touch_observer_options *o, double energy, double force,
                         double torque) {
    double good = 0.0, bad = 1.0;
    for (int i = 0; i < 50; i++) {
        double share = i == 0 ? 1.0 : 0.5 * (good + bad);
        double gain =
            worst_gain(share * force, o->speed_max, o->damping, o->period) +
            worst_gain(share * torque, o->angular_speed_max, o->torsion_damping, o->period);
        if (gain <= energy) {
            good = share;
        } else {
            bad = share;
        }
        if (good == 1.0) {
            break;
        }
    }
    return good;
}

static ov_status fill_observer_options(const ov_touch_observer_options *given,
                                       ov_touch_observer_options *o) {
    *o = *given;
    const double numbers[] = {o->period,    o->damping,           o->torsion_damping,
                              o->speed_max, o->angular_speed_max, o->energy};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (!isfinite(numbers[i])) {
            return OV_ERROR_NOT_FINITE;
        }
        if (numbers[i] < 0.0) {
            return OV_ERROR_OPTION;
        }
    }
    o->speed_max = o->speed_max > 0.0 ? o->speed_max : 1.0;
    o->angular_speed_max = o->angular_speed_max > 0.0 ? o->angular_speed_max : 10.0;
    o->energy = o->energy > 0.0 ? o->energy : 1e-9;
    return o->period > 0.0 ? OV_OK : OV_ERROR_OPTION;
}

/** Counts the way since the last step. */
static void count_energy(const ov_touch_observer_options *o, ov_pose device, ov_touch_observer *b) {
    ov_vec3 way = ov_vec3_sub(device.position, b->device.position);
    ov_vec3 turn = rotation_between(b->device.rotation, device.rotation);
    double way2 = ov_vec3_dot(way, way), turn2 = ov_vec3_dot(turn, turn);
    double lost = (o->damping * way2 + o->torsion_damping * turn2) / o->period;
    double out = ov_vec3_dot(b->force, way) + ov_vec3_dot(b->torque, turn);
    b->given += fmax(out, 0.0);
    b->taken += lost + fmax(-out, 0.0);
    b->energy += lost - out;
    double far = o->speed_max * o->period, wide = o->angular_speed_max * o->period;
    if (way2 > far * far || turn2 > wide * wide) {
        b->overspeed++;
    }
}

ov_status ov_touch_observer_step(const ov_touch_observer_options *options, ov_pose device,
                                 ov_touch_observer *observer, ov_touch_force *force) {
    if (options == NULL || observer == NULL || force == NULL) {
        return OV_ERROR_NULL;
    }
    ov_touch_observer_options o;
    ov_status status = fill_observer_options(options, &o);
    status = status == OV_OK ? unit_pose(device, &device) : status;
    if (status < 0) {
        return status;
    }
    if (!ov_vec3_is_finite(force->force) || !ov_vec3_is_finite(force->torque)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (observer->placed) {
        ov_touch_observer counted = *observer;
        count_energy(&o, device, &counted);
        if (!isfinite(counted.energy) || !isfinite(counted.given) || !isfinite(counted.taken)) {
            return OV_ERROR_NOT_FINITE;
        }
        *observer = counted;
    } else {
        *observer = (ov_touch_observer){.energy = o.energy, .placed = true};
    }
    double share = safe_share(&o, observer->energy, ov_vec3_length(force->force),
                              ov_vec3_length(force->torque));
    if (share < 1.0) {
        force->force = ov_vec3_scale(force->force, share);
        force->torque = ov_vec3_scale(force->torque, share);
        force->normal = ov_vec3_scale(force->normal, share);
        force->tangential = ov_vec3_scale(force->tangential, share);
        force->capped = true;
        observer->shortened++;
    }
    observer->force = force->force;
    observer->torque = force->torque;
    observer->device = device;
    return OV_OK;
}
