/**
 * @file touch_proxy.c
 * @brief The finger proxy: a ball that slides over the surface and never passes it.
 *
 * A step moves the ball towards the device until that is as near as the surface permits. Every move
 * is shorter than the radius of a ball that is proven not to meet the surface (ovi_touch_place), so
 * the centre stays on its side, whatever the normals say. Where the ball touches, the way is
 * projected onto the tangent planes met in this step, so that it comes to rest in concave corners.
 *
 * Friction moves the goal: a proxy at rest stays while the device is inside the cone of static
 * friction about the normal; else it goes to where the device is on the cone of dynamic friction.
 *
 * A device below a ridge is near to both of its faces, and the ball slips from one to the other at
 * once. So that the force does not jump there, the spring between the two may change in a step by
 * what the device moves, and by a share of its length: the ball stays within a ball about where it
 * would be if it were carried along, which contains the place where it is.
 */
#include <math.h>

#include "../world/geometry.h"
#include "touch_force_internal.h"

/** In units of the ball's radius: what counts as touching, and as arrived. */
static const double touch_band = 1e-6;
static const double rest_band = 1e-7;
/** A tangent plane counts while the ball is no further above it than this. */
static const double plane_band = 1e-2;
/** s: in this time a slip changes the spring by its length. */
static const double default_slip_time = 0.05;
/** In units of the ball's radius: added to that length, so that a slip into the air ends. */
static const double slip_more = 0.1;
/** The share of the slip that is left to a step that one move uses. */
static const double slip_share = 0.15;
/** In units of the ball's radius: it does not feel that a texture is deeper than this. So its
 * centre stays above the surface itself, where the valleys of both sides of a thin wall may meet.
 */
static const double deepest_valley = 0.5;
/** The share of a free ball that a move uses, so that the centre stays well off the surface. */
static const double free_share = 0.7;

enum { planes_max = 3 };

typedef struct plane {
    ov_vec3 point, normal;
} plane;

/** A proxy on its way. */
typedef struct slide {
    const ov_touch_surface *surface;
    const ov_touch_material *material;
    double radius;
    ov_vec3 device, goal;
    ov_vec3 position;
    ovi_touch_place place; /**< at `position` */
    plane planes[planes_max];
    int plane_count;
    double pace; /**< share of a move along the surface that is made */
    ov_vec3 last_move;
    ov_vec3 carried; /**< where the proxy would be if the device carried it along */
    double slip;     /**< how far from there it may get; infinite: it is free */
    bool touching;   /**< now */
    bool touched;    /**< at the last step, or in this one */
    bool rubbed;     /**< friction was looked at in this step */
    bool sticking;
} slide;

static ov_status look(slide *s) {
    double range = fmax(s->material->magnet_range, s->material->braking_range);
    return ovi_touch_place_at(s->surface, s->material, s->position, s->radius + range,
                              deepest_valley * s->radius, &s->place);
}

/* ---- tangent planes -------------------------------------------------------------------------- */

/** Remembers the plane that the ball's centre may not pass here, instead of one of nearly the same
 * normal or of the oldest. */
static void add_plane(slide *s) {
    int at = s->plane_count;
    for (int i = 0; i < s->plane_count; i++) {
        if (ov_vec3_dot(s->planes[i].normal, s->place.normal) > 0.999) {
            at = i;
        }
    }
    if (at == planes_max) {
        for (int i = 1; i < planes_max; i++) {
            s->planes[i - 1] = s->planes[i];
        }
        at = planes_max - 1;
    }
    ov_vec3 n = s->place.normal;
    double out = s->radius - s->place.height;
    s->planes[at] = (plane){ov_vec3_add_scaled(s->position, n, out), n};
    s->plane_count = at == s->plane_count ? at + 1 : s->plane_count;
}

/** How far the ball is above a plane. */
static double above_plane(const slide *s, int i) {
    ov_vec3 off = ov_vec3_sub(s->position, s->planes[i].point);
    return fmax(ov_vec3_dot(off, s->planes[i].normal), 0.0);
}

/** Forgets planes that the ball has left. */
static void drop_planes(slide *s) {
    int kept = 0;
    for (int i = 0; i < s->plane_count; i++) {
        if (above_plane(s, i) <= plane_band * s->radius) {
            s->planes[kept++] = s->planes[i];
        }
    }
    s->plane_count = kept;
}

/** Does a way end above all planes? */
static bool allowed(const slide *s, ov_vec3 way) {
    double slack = 1e-9 * s->radius + 1e-9 * ov_vec3_length(way);
    for (int i = 0; i < s->plane_count; i++) {
        if (ov_vec3_dot(way, s->planes[i].normal) < -above_plane(s, i) - slack) {
            return false;
        }
    }
    return true;
}

/** The way nearest to the one wanted that ends on one plane. */
static ov_vec3 onto_plane(const slide *s, ov_vec3 wanted, int i) {
    ov_vec3 n = s->planes[i].normal;
    return ov_vec3_add_scaled(wanted, n, -ov_vec3_dot(wanted, n) - above_plane(s, i));
}

/** ... that ends on the line where two planes meet; the wanted way itself if they are parallel. */
static ov_vec3 onto_line(const slide *s, ov_vec3 wanted, int i, int j) {
    ov_vec3 n = s->planes[i].normal, m = s->planes[j].normal;
    ov_vec3 way = onto_plane(s, wanted, i);
    // within plane i, towards plane j
    ov_vec3 in = ov_vec3_add_scaled(m, n, -ov_vec3_dot(m, n));
    double slope = ov_vec3_dot(in, m);
    if (slope < 1e-12) {
        return wanted;
    }
    return ov_vec3_add_scaled(way, in, -(ov_vec3_dot(way, m) + above_plane(s, j)) / slope);
}

/** ... that ends where all three planes meet. */
static ov_vec3 onto_point(const slide *s, ov_vec3 wanted) {
    ov_vec3 a = s->planes[0].normal, b = s->planes[1].normal, c = s->planes[2].normal;
    ov_vec3 line = ov_vec3_cross(a, b);
    double slope = ov_vec3_dot(line, c);
    if (fabs(slope) < 1e-9) {
        return wanted;
    }
    ov_vec3 way = onto_line(s, wanted, 0, 1);
    return ov_vec3_add_scaled(way, line, -(ov_vec3_dot(way, c) + above_plane(s, 2)) / slope);
}

/** Takes a way if it is allowed and ends nearer to where the wanted one does. */
static void offer(const slide *s, ov_vec3 wanted, ov_vec3 way, ov_vec3 *best, double *least) {
    double missed = ov_vec3_length(ov_vec3_sub(way, wanted));
    if (missed < *least && allowed(s, way)) {
        *best = way;
        *least = missed;
    }
}

/** The allowed way that ends nearest to where the wanted one does. */
static ov_vec3 project_way(const slide *s, ov_vec3 wanted) {
    ov_vec3 best = ov_vec3_make(0.0, 0.0, 0.0);
    double least = ov_vec3_length(wanted);
    if (allowed(s, wanted)) {
        return wanted;
    }
    for (int i = 0; i < s->plane_count; i++) {
        offer(s, wanted, onto_plane(s, wanted, i), &best, &least);
        for (int j = i + 1; j < s->plane_count; j++) {
            offer(s, wanted, onto_line(s, wanted, i, j), &best, &least);
        }
    }
    if (s->plane_count == 3) {
        offer(s, wanted, onto_point(s, wanted), &best, &least);
    }
    return best;
}

/* ---- friction -------------------------------------------------------------------------------- */

/**
 * Where the ball touches, friction decides whether, and how far, it follows the device. A step that
 * begins at rest ends so while the device is inside the cone of static friction. A ball that slides
 * goes on until the device is inside the cone of dynamic friction, at every place anew, as the
 * normal turns on the way; whether it rests there, the next step tells.
 */
static void rub(slide *s) {
    const ov_touch_material *m = s->material;
    ov_vec3 to_device = ov_vec3_sub(s->device, s->position);
    double depth = -ov_vec3_dot(to_device, s->place.normal);
    ov_vec3 along = ov_vec3_add_scaled(to_device, s->place.normal, depth);
    double offset = ov_vec3_length(along);
    double friction = !s->rubbed && s->sticking ? m->static_friction : m->dynamic_friction;
    bool inside = depth > 0.0 && friction > 0.0 && offset <= friction * depth;
    if (!s->rubbed) {
        s->sticking = inside;
        s->rubbed = true;
    }
    if (inside) {
        s->goal = s->position;
    } else if (depth > 0.0 && friction > 0.0) {
        s->goal = ov_vec3_add_scaled(s->device, along, -m->dynamic_friction * depth / offset);
    } else {
        s->goal = s->device;
    }
}

/* ---- moves ----------------------------------------------------------------------------------- */

/** Outwards, to where the ball just touches; all the way if the surface was moved over it. */
static void push_out(slide *s) {
    double missing = s->radius - s->place.height;
    double step = s->place.inside ? missing : fmin(missing, free_share * s->place.free);
    s->position = ov_vec3_add_scaled(s->position, s->place.normal, step);
}

/** The share of a move after which the ball has slipped as far as it may. */
static double share_within_slip(const slide *s, ov_vec3 move) {
    ov_vec3 from = ov_vec3_sub(s->position, s->carried);
    double a = ov_vec3_dot(move, move), b = ov_vec3_dot(from, move);
    double c = ov_vec3_dot(from, from) - s->slip * s->slip, root = b * b - a * c;
    if (isinf(s->slip)) {
        return 1.0;
    }
    if (c >= 0.0 && (b >= 0.0 || root <= 0.0)) {
        return 0.0; // pushed out of the surface, it is already further
    }
    return fmin(1.0, (sqrt(fmax(root, 0.0)) - b) / a);
}

/** What came of a move. */
typedef enum move { MOVED, ARRIVED, HELD } move;

/** Towards the goal. HELD: it is further, but the ball is not proven to have room. */
static move move_on(slide *s) {
    ov_vec3 wanted = ov_vec3_sub(s->goal, s->position);
    ov_vec3 way = project_way(s, wanted);
    double length = ov_vec3_length(way);
    // On a sharp edge the way along the tangent leads past the goal: turning back halves the pace.
    bool turned = s->plane_count > 0 && ov_vec3_dot(way, s->last_move) < 0.0;
    s->pace = turned ? 0.5 * s->pace : fmin(1.0, 1.3 * s->pace);
    double step = s->plane_count > 0 ? s->pace * length : length;
    if (step <= rest_band * s->radius) {
        return ARRIVED;
    }
    step = fmin(step, fmax(s->place.free - s->radius, free_share * s->place.free));
    if (step <= rest_band * s->radius) {
        return HELD;
    }
    // short moves: what one of them leads into the surface is pushed out again beyond the limit
    step = fmin(step, slip_share * s->slip);
    double share = share_within_slip(s, ov_vec3_scale(way, step / length));
    if (share * step <= rest_band * s->radius) {
        return ARRIVED; // the next step goes on
    }
    s->last_move = ov_vec3_scale(way, share * step / length);
    s->position = ov_vec3_add(s->position, s->last_move);
    return MOVED;
}

/** The whole way of a step. OV_NOT_CONVERGED if the iterations did not suffice. */
static ov_status run(slide *s, int iterations) {
    for (int i = 0; i < iterations; i++) {
        ov_status status = look(s);
        if (status < 0) {
            return status;
        }
        if (!(s->place.free > 0.0) && !s->place.inside) {
            return OV_NOT_CONVERGED; // too close to tell the side: it stays
        }
        bool inside = s->place.height < s->radius * (1.0 - touch_band);
        s->touching = s->place.height <= s->radius * (1.0 + touch_band);
        // A normal that is not quite the gradient leaves the ball a little above the surface: that
        // is contact still, or friction would be lost from step to step.
        bool near = s->place.height <= s->radius * (1.0 + plane_band);
        if (s->touching) {
            add_plane(s);
        }
        if ((s->touching || (near && s->touched)) && !(s->sticking && s->rubbed)) {
            rub(s);
        }
        s->touched = s->touched || s->touching;
        drop_planes(s);
        move made = MOVED;
        if (inside) {
            push_out(s);
        } else {
            made = move_on(s);
        }
        if (made != MOVED) {
            return made == ARRIVED ? OV_OK : OV_NOT_CONVERGED;
        }
    }
    return OV_NOT_CONVERGED;
}

/** Puts a proxy where the device is, or beside it, if that is inside. */
static ov_status place_first(slide *s) {
    for (int i = 0; i < 8; i++) {
        ov_status status = look(s);
        if (status < 0) {
            return status;
        }
        if (s->place.free > 0.5 * s->radius) {
            return OV_OK;
        }
        double out = s->radius - s->place.height;
        s->position = ov_vec3_add_scaled(s->position, s->place.normal, out);
    }
    return s->place.free > 0.0 ? OV_OK : OV_NOT_CONVERGED;
}

/* ---- the interface --------------------------------------------------------------------------- */

static ov_status check_step(const ov_touch_surface *surface, const ov_touch_material *material,
                            const ov_touch_proxy_options *options, ov_vec3 device, double dt,
                            const ov_touch_proxy *proxy, const ov_touch_force *force) {
    if (surface == NULL || surface->sample == NULL || material == NULL || proxy == NULL ||
        force == NULL) {
        return OV_ERROR_NULL;
    }
    if (!ov_vec3_is_finite(device) || !isfinite(options->radius) || !isfinite(options->slip_time) ||
        !ov_vec3_is_finite(proxy->position) || !ov_vec3_is_finite(proxy->device)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (!isfinite(dt) || !(dt > 0.0)) {
        return OV_ERROR_TIME;
    }
    if (options->radius < 0.0 || options->radius > OV_SIZE_MAX || options->iterations < 0 ||
        options->slip_time < 0.0) {
        return OV_ERROR_OPTION;
    }
    return ov_touch_material_check(material);
}

/** How far the ball may slip in a step that begins in contact. */
static void limit_slip(slide *s, const ov_touch_proxy *proxy, double slip_time, double dt) {
    s->carried = s->position;
    s->slip = INFINITY;
    if (proxy->placed && proxy->contact) {
        ov_vec3 motion = ov_vec3_sub(s->device, proxy->device);
        double length = ov_vec3_length(ov_vec3_sub(proxy->position, proxy->device));
        s->carried = ov_vec3_add(s->position, motion);
        s->slip = ov_vec3_length(motion) * (1.0 + 1e-12) +
                  (length + slip_more * s->radius) * fmin(1.0, dt / slip_time);
    }
}

/** The spring between proxy and device, and what else the hand feels. */
static ov_status feel(const slide *s, ov_vec3 velocity, ov_touch_force *force) {
    ov_vec3 stretch = ov_vec3_sub(s->position, s->device);
    bool contact = ov_vec3_length(stretch) > rest_band * s->radius;
    *force = (ov_touch_force){.contact = contact};
    double above = s->place.height - s->radius;
    ov_vec3 whole = ovi_touch_near_force(s->material, above, s->place.normal, velocity);
    if (contact) {
        force->depth = fmax(ov_vec3_dot(stretch, s->place.normal), 0.0);
        whole = ov_vec3_add_scaled(whole, stretch, ovi_touch_stiffness(s->material));
        whole = ov_vec3_add_scaled(whole, velocity, -s->material->viscosity);
    }
    return ovi_touch_finish_force(s->material, whole, s->place.normal, force);
}

ov_status ov_touch_proxy_step(const ov_touch_surface *surface, const ov_touch_material *material,
                              const ov_touch_proxy_options *options, ov_vec3 device, double dt,
                              ov_touch_proxy *proxy, ov_touch_force *force) {
    ov_touch_proxy_options chosen = options != NULL ? *options : (ov_touch_proxy_options){0};
    ov_status status = check_step(surface, material, &chosen, device, dt, proxy, force);
    if (status < 0) {
        return status;
    }
    slide s = {.surface = surface,
               .material = material,
               .radius = chosen.radius > 0.0 ? chosen.radius : 1e-3,
               .device = device,
               .goal = device,
               .position = proxy->placed ? proxy->position : device,
               .pace = 1.0,
               .touched = proxy->contact,
               .sticking = proxy->sticking};
    bool placed = proxy->placed;
    limit_slip(&s, proxy, chosen.slip_time > 0.0 ? chosen.slip_time : default_slip_time, dt);
    if (!placed) {
        status = place_first(&s);
        placed = status == OV_OK;
    }
    if (placed) {
        status = run(&s, chosen.iterations > 0 ? chosen.iterations : 64);
    }
    if (status < 0) {
        return status;
    }
    ov_vec3 velocity = ov_vec3_make(0.0, 0.0, 0.0);
    if (proxy->placed) {
        velocity = ov_vec3_scale(ov_vec3_sub(device, proxy->device), 1.0 / dt);
    }
    *force = (ov_touch_force){0};
    if (placed) {
        ov_status felt = feel(&s, velocity, force);
        if (felt < 0) {
            return felt;
        }
    }
    *proxy = (ov_touch_proxy){.position = s.position,
                              .device = device,
                              .normal = s.place.normal,
                              .placed = placed,
                              .contact = force->contact,
                              .sticking = s.sticking && force->contact};
    return status;
}

ov_status ov_touch_proxy_carry(ov_touch_proxy *proxy, ov_pose from, ov_pose to) {
    if (proxy == NULL) {
        return OV_ERROR_NULL;
    }
    from = ov_pose_default(from);
    to = ov_pose_default(to);
    ov_status status = ovi_pose_normalize(&from);
    status = status == OV_OK ? ovi_pose_normalize(&to) : status;
    if (status != OV_OK || !proxy->placed) {
        return status;
    }
    proxy->position = ov_pose_apply(to, ov_pose_apply_inverse(from, proxy->position));
    proxy->device = ov_pose_apply(to, ov_pose_apply_inverse(from, proxy->device));
    ov_vec3 normal = ov_quat_rotate(ov_quat_conjugate(from.rotation), proxy->normal);
    proxy->normal = ov_quat_rotate(to.rotation, normal);
    return OV_OK;
}
