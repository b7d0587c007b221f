/**
 * @file climb.c
 * @brief Local maximum of the span near a direction: the last digits of a depth that the polytope
 * of epa.c had no vertices left for, or a good direction to start from.
 *
 * Bodies with many equally deep directions (symmetric ones, one inside the other) use up the
 * polytope before it is close to all of them. Its best direction is near a good one, and the span
 *
 *     g(n) = min n.w,   dg/dn = w, the point where it is reached
 *
 * gives value and gradient at once, so a quasi-Newton climb (BFGS in two variables) from there
 * costs little. The variables are x, y of the chart n = (n0 + x t + y u)/|...| about the start.
 * The same climb gives a walk that went astray a better start: for separated bodies the span has
 * one maximum only.
 *
 * Every direction proves its own lower bound, so nothing depends on how well the climb goes: where
 * g has a kink, it ends early.
 */
#include "simplex.h"

enum { HALVINGS = 12 };

/** Where the climb is: the chart, the point in it, value and gradient there (scaled units). */
typedef struct climber {
    const ovi_net *core;
    ov_mat3 frame;
    double x, y;
    double value, gx, gy;
} climber;

static ov_status look(climber *c, double x, double y, ovi_result *r) {
    ov_vec3 n = ov_vec3_add_scaled(c->frame.cx, c->frame.cy, x);
    n = ov_vec3_add_scaled(n, c->frame.cz, y);
    double length = ov_vec3_length(n), gap;
    n = ov_vec3_normalize(n);
    ovi_vertex p;
    ov_status status = ovi_net_vertex(c->core, n, &p, &gap);
    if (status != OV_OK) {
        return status;
    }
    r->iterations++;
    ovi_note_lower(c->core, n, gap, r);
    ov_vec3 across = ov_vec3_add_scaled(p.w, n, -ov_vec3_dot(n, p.w));
    c->x = x;
    c->y = y;
    c->value = gap * c->core->scale;
    c->gx = ov_vec3_dot(across, c->frame.cy) / length;
    c->gy = ov_vec3_dot(across, c->frame.cz) / length;
    return OV_OK;
}

/** Inverse Hessian of -g, symmetric. */
typedef struct metric {
    double xx, xy, yy;
} metric;

/** BFGS update for the step (sx, sy) and the change (vx, vy) of the gradient of -g. */
static void update(metric *h, double sx, double sy, double vx, double vy) {
    double sv = sx * vx + sy * vy;
    if (!(sv > 0.0)) {
        return;
    }
    double hx = h->xx * vx + h->xy * vy, hy = h->xy * vx + h->yy * vy;
    double k = (1.0 + (vx * hx + vy * hy) / sv) / sv;
    h->xx += k * sx * sx - 2.0 * sx * hx / sv;
    h->xy += k * sx * sy - (sx * hy + hx * sy) / sv;
    h->yy += k * sy * sy - 2.0 * sy * hy / sv;
}

/** One line search; `moved` is false where no step along it is higher. */
static ov_status ascend(climber *c, metric *h, bool *moved, ovi_result *r) {
    double dx = h->xx * c->gx + h->xy * c->gy, dy = h->xy * c->gx + h->yy * c->gy;
    double slope = dx * c->gx + dy * c->gy;
    *moved = false;
    if (!(slope > DBL_EPSILON * fabs(c->value))) {
        return OV_OK;
    }
    double t = fmin(1.0, 0.3 / sqrt(dx * dx + dy * dy));
    for (int k = 0; k < HALVINGS; k++, t *= 0.5) {
        climber next = *c;
        ov_status status = look(&next, c->x + t * dx, c->y + t * dy, r);
        if (status != OV_OK) {
            return status;
        }
        if (next.value > c->value + 1e-4 * t * slope) {
            update(h, t * dx, t * dy, c->gx - next.gx, c->gy - next.gy);
            *c = next;
            *moved = true;
            return OV_OK;
        }
    }
    return OV_OK;
}

ov_status ovi_climb(const ovi_net *core, int spans, ovi_result *result) {
    climber c = {.core = core, .frame = ov_mat3_householder(result->normal)};
    if (ov_vec3_dot(c.frame.cx, result->normal) < 0.0) {
        c.frame.cx = ov_vec3_neg(c.frame.cx);
    }
    int end = result->iterations + spans;
    ov_status status = look(&c, 0.0, 0.0, result);
    // the radius of a body is its curvature in the space of normals
    double radius = fabs(c.value) + 1e-3;
    metric h = {1.0 / radius, 0.0, 1.0 / radius};
    bool moved = true, fresh = true;
    while (status == OV_OK && result->iterations < end) {
        status = ascend(&c, &h, &moved, result);
        if (moved) {
            fresh = false;
        } else if (fresh) {
            break;
        } else {
            // once more by the gradient alone before giving up
            h = (metric){1.0 / radius, 0.0, 1.0 / radius};
            fresh = true;
        }
    }
    return status;
}
