/**
 * @file svg_scene.c
 * @brief The picture of a scene: who hides whom, shadows, witness points and normals.
 *
 * Bodies are painted from the back to the front. For two bodies that do not overlap the normal of
 * their contact is that of a plane between them, so the one on the reader's side of that plane is
 * the nearer one: an order without guesses. Shadows are outlines of the bodies, seen through a
 * slanting projection onto the first half-space. What hides another body leaves a dotted outline of
 * it, so that overlaps can be seen; all marks lie on top of everything.
 */
#include "svg_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "svg_body.h"
#include "svg_flat.h"
#include "svg_marks.h"

enum { PICTURE_WIDTH = 1060, PICTURE_MOST_HEIGHT = 620, MARGIN = 50, HEAD = 70, FOOT = 66 };

static const double pi = 3.14159265358979323846;
static const char font[] = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

static const svg_ramp ramps[] = {
    {{{22, 46, 78}, {62, 120, 178}, {150, 200, 234}, {250, 254, 255}}},
    {{{84, 38, 20}, {192, 104, 46}, {242, 184, 116}, {255, 253, 246}}},
    {{{24, 60, 44}, {64, 140, 104}, {150, 210, 172}, {250, 255, 251}}},
    {{{80, 26, 44}, {184, 78, 104}, {238, 166, 180}, {255, 250, 251}}},
    {{{50, 36, 86}, {122, 100, 182}, {190, 174, 230}, {253, 251, 255}}},
    {{{76, 60, 16}, {176, 146, 52}, {232, 210, 128}, {255, 254, 245}}},
    {{{16, 60, 70}, {52, 142, 156}, {144, 212, 218}, {248, 255, 255}}},
    {{{44, 48, 56}, {110, 118, 132}, {182, 190, 202}, {252, 253, 255}}},
};
enum { RAMP_COUNT = sizeof ramps / sizeof ramps[0] };

typedef struct range {
    double low, high;
} range;

typedef struct picture {
    FILE *out;
    const ov_scene *scene;
    const scene_contact *contacts;
    size_t count;
    size_t bodies;
    svg_view view;
    range across, upward;        /**< of the scene along the view's right and up, in the world */
    double width, height;        /**< pixels */
    range *spans;                /**< of each body: across, upward, depth */
    bool *near;                  /**< [i * bodies + j]: i must be painted after j */
    size_t *order;               /**< of painting */
    bool *marked;                /**< one a contact */
    svg_places places;           /**< where texts should not go */
    const ov_scene_body *ground; /**< the first half-space, or null */
    ov_vec3 floor[4];            /**< corners of the part of it that is drawn */
} picture;

/* ---- where things are ------------------------------------------------------------------------ */

static void widen(range *r, double value) {
    r->low = fmin(r->low, value);
    r->high = fmax(r->high, value);
}

/** Reach of a bounded body along a world direction. */
static range reach(const ov_scene_body *b, ov_vec3 direction) {
    ov_vec3 d = ov_quat_rotate(ov_quat_conjugate(b->pose.rotation), direction);
    double at = ov_vec3_dot(b->pose.position, direction);
    ov_support far = {0.0, {0.0, 0.0, 0.0}}, near = {0.0, {0.0, 0.0, 0.0}};
    if (ov_shape_support(&b->shape, d, &far) < 0 ||
        ov_shape_support(&b->shape, ov_vec3_neg(d), &near) < 0) {
        return (range){at, at};
    }
    return (range){at - near.value, at + far.value};
}

static double pixel_x(const picture *p, ov_vec3 v) {
    return MARGIN + p->view.scale * (ov_vec3_dot(v, p->view.right) - p->across.low);
}

static double pixel_y(const picture *p, ov_vec3 v) {
    return HEAD + p->view.scale * (p->upward.high - ov_vec3_dot(v, p->view.up));
}

/** Normal and offset of a half-space in the world. */
static ov_vec3 world_normal(const ov_scene_body *b) {
    return ov_quat_rotate(b->pose.rotation, b->shape.u.halfspace.normal);
}

static double world_offset(const ov_scene_body *b) {
    return b->shape.u.halfspace.offset + ov_vec3_dot(world_normal(b), b->pose.position);
}

/** The part of the ground below the bodies, with some room around. */
static void lay_floor(picture *p) {
    ov_vec3 n = world_normal(p->ground);
    ov_vec3 x = ov_vec3_make(1.0, 0.0, 0.0);
    if (fabs(n.x) > 0.9) {
        x = ov_vec3_make(0.0, 1.0, 0.0);
    }
    ov_vec3 t1 = ov_vec3_normalize(ov_vec3_add_scaled(x, n, -ov_vec3_dot(x, n)));
    ov_vec3 t2 = ov_vec3_cross(n, t1);
    range r1 = {INFINITY, -INFINITY}, r2 = {INFINITY, -INFINITY};
    for (size_t i = 0; i < p->bodies; i++) {
        const ov_scene_body *b = ov_scene_get(p->scene, i);
        if (b->shape.kind != OV_SHAPE_HALFSPACE) {
            range along1 = reach(b, t1), along2 = reach(b, t2);
            widen(&r1, along1.low);
            widen(&r1, along1.high);
            widen(&r2, along2.low);
            widen(&r2, along2.high);
        }
    }
    if (!(r1.low <= r1.high)) {
        r1 = r2 = (range){-1.0, 1.0};
    }
    double room = 0.06 * fmax(r1.high - r1.low, r2.high - r2.low);
    double u[4] = {r1.low - room, r1.high + room, r1.high + room, r1.low - room};
    double v[4] = {r2.low - room, r2.low - room, r2.high + room, r2.high + room};
    for (int i = 0; i < 4; i++) {
        ov_vec3 q = ov_vec3_scale(n, world_offset(p->ground));
        p->floor[i] = ov_vec3_add_scaled(ov_vec3_add_scaled(q, t1, u[i]), t2, v[i]);
        widen(&p->across, ov_vec3_dot(p->floor[i], p->view.right));
        widen(&p->upward, ov_vec3_dot(p->floor[i], p->view.up));
    }
}

static void fit(picture *p) {
    p->view = svg_view_make(-62.0 * pi / 180.0, 32.0 * pi / 180.0, 1.0);
    p->across = p->upward = (range){INFINITY, -INFINITY};
    for (size_t i = 0; i < p->bodies; i++) {
        const ov_scene_body *b = ov_scene_get(p->scene, i);
        range *s = &p->spans[3 * i];
        if (b->shape.kind == OV_SHAPE_HALFSPACE) {
            p->ground = p->ground == NULL ? b : p->ground;
            continue;
        }
        s[0] = reach(b, p->view.right);
        s[1] = reach(b, p->view.up);
        s[2] = reach(b, p->view.eye);
        widen(&p->across, s[0].low);
        widen(&p->across, s[0].high);
        widen(&p->upward, s[1].low);
        widen(&p->upward, s[1].high);
    }
    if (p->ground != NULL) {
        lay_floor(p);
    }
    double across = p->across.high - p->across.low, upward = p->upward.high - p->upward.low;
    double scale = fmin((PICTURE_WIDTH - 2.0 * MARGIN) / across, PICTURE_MOST_HEIGHT / upward);
    // points alone have no extent
    p->view.scale = isfinite(scale) && scale > 0.0 ? scale : 1.0;
    p->width = fmax(480.0, 2.0 * MARGIN + p->view.scale * across);
    p->height = HEAD + FOOT + p->view.scale * upward;
}

/** The view from inside a body's own frame. */
static svg_view view_of(const svg_view *view, ov_quat rotation) {
    ov_quat back = ov_quat_conjugate(rotation);
    svg_view v = *view;
    v.right = ov_quat_rotate(back, view->right);
    v.up = ov_quat_rotate(back, view->up);
    v.eye = ov_quat_rotate(back, view->eye);
    v.light = ov_quat_rotate(back, view->light);
    return v;
}

/* ---- who hides whom -------------------------------------------------------------------------- */

static bool ranges_meet(range a, range b) { return a.low <= b.high && b.low <= a.high; }

static bool may_hide(const picture *p, size_t i, size_t j) {
    const range *a = &p->spans[3 * i], *b = &p->spans[3 * j];
    return ranges_meet(a[0], b[0]) && ranges_meet(a[1], b[1]);
}

static double depth_of(const picture *p, size_t i) {
    const range *s = &p->spans[3 * i];
    return s[2].low + s[2].high;
}

/** Fills the order of painting. */
static void sort_bodies(picture *p) {
    size_t n = p->bodies, placed = 0;
    for (size_t k = 0; k < p->count; k++) {
        const scene_contact *s = &p->contacts[k];
        double towards = ov_vec3_dot(s->contact.normal, p->view.eye);
        if (s->contact.status >= 0 && may_hide(p, s->a, s->b) && fabs(towards) > 1e-9) {
            size_t front = towards > 0.0 ? s->b : s->a, back = towards > 0.0 ? s->a : s->b;
            p->near[front * n + back] = true;
        }
    }
    // the farthest of those that hide nobody still to be painted; in a ring, the farthest of all
    bool *done = p->near + n * n;
    while (placed < n) {
        size_t best = n, fallback = n;
        for (size_t i = 0; i < n; i++) {
            bool free = true;
            for (size_t j = 0; j < n && !done[i]; j++) {
                free = free && (done[j] || !p->near[i * n + j]);
            }
            if (done[i]) {
                continue;
            }
            if (free && (best == n || depth_of(p, i) < depth_of(p, best))) {
                best = i;
            }
            if (fallback == n || depth_of(p, i) < depth_of(p, fallback)) {
                fallback = i;
            }
        }
        best = best < n ? best : fallback;
        done[best] = true;
        p->order[placed++] = best;
    }
}

static bool is_bounded(const picture *p, size_t i) {
    return ov_scene_get(p->scene, i)->shape.kind != OV_SHAPE_HALFSPACE;
}

/** Touching and overlapping contacts, and the nearest bounded body of each. */
static void choose_marks(picture *p, bool all) {
    for (size_t k = 0; k < p->count; k++) {
        const ov_contact *c = &p->contacts[k].contact;
        p->marked[k] = c->status >= 0 && (all || c->relation != OV_SEPARATED);
    }
    for (size_t i = 0; i < p->bodies && !all; i++) {
        size_t nearest = p->count;
        for (size_t k = 0; k < p->count; k++) {
            const scene_contact *s = &p->contacts[k];
            if (s->contact.status >= 0 && (s->a == i || s->b == i) && is_bounded(p, s->a) &&
                is_bounded(p, s->b) &&
                (nearest == p->count || s->contact.gap < p->contacts[nearest].contact.gap)) {
                nearest = k;
            }
        }
        if (nearest < p->count) {
            p->marked[nearest] = true;
        }
    }
}

/* ---- ground and shadows ---------------------------------------------------------------------- */

static void write_floor_path(const picture *p) {
    for (int i = 0; i < 4; i++) {
        fprintf(p->out, "%s%.1f %.1f", i == 0 ? "M" : "L", pixel_x(p, p->floor[i]),
                pixel_y(p, p->floor[i]));
    }
    fputs("z", p->out);
}

static ov_vec3 between(ov_vec3 a, ov_vec3 b, double t) {
    return ov_vec3_add_scaled(ov_vec3_scale(a, 1.0 - t), b, t);
}

static void draw_floor(const picture *p) {
    enum { LINES = 12 };
    fputs("<clipPath id=\"floor\"><path d=\"", p->out);
    write_floor_path(p);
    fputs("\"/></clipPath>\n<path fill=\"url(#ground)\" stroke=\"#c3ccd6\" d=\"", p->out);
    write_floor_path(p);
    fputs("\"/>\n<path fill=\"none\" stroke=\"#d4dbe3\" stroke-width=\"0.8\" d=\"", p->out);
    for (int i = 1; i < LINES; i++) {
        double t = (double)i / LINES;
        for (int side = 0; side < 2; side++) {
            ov_vec3 from = between(p->floor[0], p->floor[side == 0 ? 1 : 3], t);
            ov_vec3 to = between(p->floor[side == 0 ? 3 : 1], p->floor[2], t);
            fprintf(p->out, "M%.1f %.1fL%.1f %.1f", pixel_x(p, from), pixel_y(p, from),
                    pixel_x(p, to), pixel_y(p, to));
        }
    }
    fputs("\"/>\n", p->out);
}

/**
 * Shadow of a body: with the plane n.p = d and the light l, a point p falls to
 * p - l (n.p - d)/(n.l). Seen along `right` that is right.p - (right.l)/(n.l) (n.p - d), which is
 * again the product of p with a vector, but for a constant.
 */
static ov_status draw_shadow(const picture *p, const ov_scene_body *b) {
    ov_vec3 n = world_normal(p->ground), l = p->view.light;
    double slant = ov_vec3_dot(n, l);
    if (slant < 0.2) {
        return OV_OK; // no light from above the ground
    }
    svg_view v = p->view;
    v.right = ov_vec3_add_scaled(v.right, n, -ov_vec3_dot(v.right, l) / slant);
    v.up = ov_vec3_add_scaled(v.up, n, -ov_vec3_dot(v.up, l) / slant);
    double above = ov_vec3_dot(n, b->pose.position) - world_offset(p->ground);
    ov_vec3 foot = ov_vec3_add_scaled(b->pose.position, l, -above / slant);
    fprintf(p->out, "<g transform=\"translate(%.2f %.2f) scale(%g)\">\n", pixel_x(p, foot),
            pixel_y(p, foot), SVG_BODY_UNIT);
    v = view_of(&v, b->pose.rotation);
    ov_status status = svg_body_outline(p->out, &b->shape, &v, "fill=\"#26323f\" stroke=\"none\"");
    fputs("</g>\n", p->out);
    return status == OV_ERROR_UNSUPPORTED ? OV_OK : status;
}

static ov_status draw_shadows(const picture *p) {
    ov_status status = OV_OK;
    fputs("<g clip-path=\"url(#floor)\"><g opacity=\"0.2\" filter=\"url(#soft)\">\n", p->out);
    for (size_t i = 0; i < p->bodies && status >= 0; i++) {
        const ov_scene_body *b = ov_scene_get(p->scene, i);
        if (b->shape.kind != OV_SHAPE_HALFSPACE) {
            status = draw_shadow(p, b);
        }
    }
    fputs("</g></g>\n", p->out);
    return status;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/** Segment and point: as thick as can be seen. */
static void draw_thin(const picture *p, const ov_shape *shape, const svg_view *v,
                      const svg_ramp *ramp) {
    double unit = v->scale / SVG_BODY_UNIT;
    bool point = shape->kind == OV_SHAPE_POINT;
    ov_vec3 a = shape->u.vertices[0], b = point ? a : shape->u.vertices[1];
    fputs("<path fill=\"none\" stroke-linecap=\"round\"", p->out);
    svg_write_colour(p->out, ramp, "stroke", 0.35);
    fprintf(p->out, " stroke-width=\"%d\" d=\"M%.0f %.0fL%.0f %.0f\"/>\n", point ? 80 : 36,
            unit * ov_vec3_dot(a, v->right), -unit * ov_vec3_dot(a, v->up),
            unit * ov_vec3_dot(b, v->right), -unit * ov_vec3_dot(b, v->up));
}

static ov_status draw_shape(const picture *p, const ov_shape *shape, const svg_view *v,
                            const svg_ramp *ramp) {
    if (shape->kind == OV_SHAPE_SEGMENT || shape->kind == OV_SHAPE_POINT) {
        draw_thin(p, shape, v, ramp);
        return OV_OK;
    }
    if (svg_flat_can_draw(shape)) {
        return svg_flat_draw(p->out, shape, v, ramp);
    }
    if (shape->kind != OV_SHAPE_POLYHEDRON) {
        return svg_body_draw(p->out, shape, v, ramp);
    }
    // without triangles: those of its hull
    ov_hull *hull = NULL;
    ov_shape whole;
    ov_status status =
        ov_hull_create(shape->u.polyhedron.vertices, shape->u.polyhedron.vertex_count, &hull);
    if (status >= 0 && (status = ov_hull_shape(hull, &whole)) >= 0) {
        status = svg_flat_draw(p->out, &whole, v, ramp);
    }
    ov_hull_destroy(hull);
    return status;
}

static ov_status draw_body(const picture *p, size_t i) {
    const ov_scene_body *b = ov_scene_get(p->scene, i);
    svg_view v = view_of(&p->view, b->pose.rotation);
    fprintf(p->out,
            "<g transform=\"translate(%.2f %.2f) scale(%g)\" stroke-width=\"3\" "
            "stroke-linejoin=\"round\">\n",
            pixel_x(p, b->pose.position), pixel_y(p, b->pose.position), SVG_BODY_UNIT);
    ov_status status = draw_shape(p, &b->shape, &v, &ramps[i % RAMP_COUNT]);
    fputs("</g>\n", p->out);
    return status;
}

/** Outline of a body at its place, with further attributes. */
static ov_status draw_outline(const picture *p, size_t i, const char *attributes) {
    const ov_scene_body *b = ov_scene_get(p->scene, i);
    svg_view v = view_of(&p->view, b->pose.rotation);
    char all[256];
    snprintf(all, sizeof all, "transform=\"translate(%.2f %.2f) scale(%g)\" %s",
             pixel_x(p, b->pose.position), pixel_y(p, b->pose.position), SVG_BODY_UNIT, attributes);
    return svg_body_outline(p->out, &b->shape, &v, all);
}

/** Outline of a body on the body that hides it. */
static ov_status draw_ghost(const picture *p, size_t hidden, size_t front, size_t number) {
    ov_shape_kind kinds[2] = {ov_scene_get(p->scene, hidden)->shape.kind,
                              ov_scene_get(p->scene, front)->shape.kind};
    for (int k = 0; k < 2; k++) {
        // these have no closed surface, so no outline
        if (kinds[k] == OV_SHAPE_HALFSPACE || kinds[k] == OV_SHAPE_TRIANGLE ||
            kinds[k] == OV_SHAPE_SEGMENT || kinds[k] == OV_SHAPE_POINT) {
            return OV_OK;
        }
    }
    fprintf(p->out, "<clipPath id=\"front%zu\">", number);
    ov_status status = draw_outline(p, front, "");
    fprintf(p->out, "</clipPath>\n<g clip-path=\"url(#front%zu)\">\n", number);
    if (status >= 0) {
        status = draw_outline(p, hidden,
                              "fill=\"none\" stroke=\"#fff\" stroke-opacity=\"0.8\" "
                              "stroke-width=\"11\" stroke-dasharray=\"30 30\"");
    }
    fputs("</g>\n", p->out);
    // a polyhedron without triangles has no mesh
    return status == OV_ERROR_UNSUPPORTED ? OV_OK : status;
}

static ov_status draw_bodies(const picture *p) {
    size_t n = p->bodies;
    ov_status status = OV_OK;
    for (size_t k = 0; k < n && status >= 0; k++) {
        if (is_bounded(p, p->order[k])) {
            status = draw_body(p, p->order[k]);
        }
    }
    // those that overlap another body are seen through it
    for (size_t k = 0; k < p->count && status >= 0; k++) {
        const scene_contact *s = &p->contacts[k];
        if (s->contact.relation == OV_OVERLAPPING && s->contact.status >= 0) {
            bool b_in_front = p->near[s->b * n + s->a];
            status = draw_ghost(p, b_in_front ? s->a : s->b, b_in_front ? s->b : s->a, k);
        }
    }
    return status;
}

/* ---- marks ----------------------------------------------------------------------------------- */

static const char *colour_of(ov_relation relation) {
    switch (relation) {
    case OV_OVERLAPPING:
        return "#d0212f";
    case OV_TOUCHING:
        return "#e08a00";
    case OV_SEPARATED:
        return "#0b7a4b";
    default:
        return "#6b3fa0";
    }
}

static void draw_mark(picture *p, const ov_contact *c) {
    const double arrow = 34.0;
    const char *colour = colour_of(c->relation);
    double ax = pixel_x(p, c->point_a), ay = pixel_y(p, c->point_a);
    double bx = pixel_x(p, c->point_b), by = pixel_y(p, c->point_b);
    fprintf(p->out,
            "<path stroke=\"#fff\" stroke-width=\"4.6\" stroke-linecap=\"round\" "
            "d=\"M%.1f %.1fL%.1f %.1f\"/>\n<path stroke=\"%s\" stroke-width=\"2\" "
            "stroke-dasharray=\"1 3.4\" stroke-linecap=\"round\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n",
            ax, ay, bx, by, colour, ax, ay, bx, by);
    double dx = arrow * ov_vec3_dot(c->normal, p->view.right);
    double dy = -arrow * ov_vec3_dot(c->normal, p->view.up);
    svg_arrow(p->out, ax, ay, dx, dy, colour);
    // texts keep clear of the dots and of the arrow
    svg_places_take(&p->places, ax, ay, 5.0, 5.0);
    svg_places_take(&p->places, bx, by, 5.0, 5.0);
    svg_places_take(&p->places, ax + 0.5 * dx, ay + 0.5 * dy, 5.0, 5.0);
    svg_places_take(&p->places, ax + dx, ay + dy, 5.0, 5.0);
    svg_dot(p->out, bx, by, colour);
    svg_dot(p->out, ax, ay, colour);
}

static void draw_gap(picture *p, const ov_contact *c) {
    const double size = 12.0;
    char text[64], style[64];
    double x = 0.5 * (pixel_x(p, c->point_a) + pixel_x(p, c->point_b));
    double y = 0.5 * (pixel_y(p, c->point_a) + pixel_y(p, c->point_b));
    // a true minus sign; a touching gap is zero as far as anyone can tell
    double gap = c->relation == OV_TOUCHING ? 0.0 : c->gap;
    snprintf(text, sizeof text, "%s%.3g", gap < 0.0 ? "\xe2\x88\x92" : "", fabs(gap));
    snprintf(style, sizeof style, "font-weight=\"bold\" fill=\"%s\"", colour_of(c->relation));
    // digits are a little more than half as wide as high
    double digits = (double)strlen(text) - (gap < 0.0 ? 2.0 : 0.0);
    svg_places_find(&p->places, &x, &y, 0.56 * size * digits, size);
    svg_label(p->out, x, y, size, style, text);
}

/** How much of other bodies and texts a name would cover. */
static double covered_by_name(const picture *p, size_t i, svg_box name) {
    double covered = 0.0;
    for (size_t j = 0; j < p->bodies; j++) {
        const range *s = &p->spans[3 * j];
        if (j != i && is_bounded(p, j)) {
            svg_box body = {MARGIN + p->view.scale * (s[0].low - p->across.low),
                            HEAD + p->view.scale * (p->upward.high - s[1].high),
                            MARGIN + p->view.scale * (s[0].high - p->across.low),
                            HEAD + p->view.scale * (p->upward.high - s[1].low)};
            covered += svg_box_common(name, body);
        }
    }
    for (size_t k = 0; k < p->places.count; k++) {
        covered += svg_box_common(name, p->places.boxes[k]);
    }
    return covered;
}

/** Names stand above their bodies, or below where less is covered there. */
static void draw_names(picture *p) {
    for (size_t i = 0; i < p->bodies; i++) {
        const ov_scene_body *b = ov_scene_get(p->scene, i);
        const range *s = &p->spans[3 * i];
        double half = 3.6 * (double)strlen(b->name);
        double x = MARGIN + p->view.scale * (0.5 * (s[0].low + s[0].high) - p->across.low);
        double y = HEAD + p->view.scale * (p->upward.high - s[1].high) - 7.0;
        double below = HEAD + p->view.scale * (p->upward.high - s[1].low) + 17.0;
        if (b == p->ground) {
            x = 0.5 * (pixel_x(p, p->floor[0]) + pixel_x(p, p->floor[1]));
            y = 0.5 * (pixel_y(p, p->floor[0]) + pixel_y(p, p->floor[1])) + 18.0;
        } else if (b->shape.kind == OV_SHAPE_HALFSPACE) {
            continue;
        } else if (covered_by_name(p, i, (svg_box){x - half, below - 12.0, x + half, below + 3.0}) <
                   covered_by_name(p, i, (svg_box){x - half, y - 12.0, x + half, y + 3.0})) {
            y = below;
        }
        svg_places_take(&p->places, x, y - 5.0, half, 8.0);
        svg_label(p->out, x, y, 14.0, "text-anchor=\"middle\" fill=\"#1b2530\"", b->name);
    }
}

static void draw_legend(const picture *p) {
    static const ov_relation relations[] = {OV_OVERLAPPING, OV_TOUCHING, OV_SEPARATED};
    static const char *const texts[] = {"overlapping: minus the depth", "touching",
                                        "separated: the gap"};
    double y = p->height - 24.0, x = MARGIN;
    for (int i = 0; i < 3; i++) {
        svg_dot(p->out, x, y - 4.0, colour_of(relations[i]));
        svg_label(p->out, x + 11.0, y, 13.0, "fill=\"#333\"", texts[i]);
        x += 36.0 + 6.4 * (double)strlen(texts[i]);
    }
    svg_arrow(p->out, x, y - 4.0, 28.0, 0.0, "#333");
    svg_label(p->out, x + 38.0, y, 13.0, "fill=\"#333\"", "normal, from A to B");
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void write_head(const picture *p) {
    const char *title = ov_scene_title(p->scene);
    fprintf(p->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" font-family=\"%s\">\n"
            "<title>Contacts of a scene</title>\n<defs>"
            "<linearGradient id=\"sky\" x2=\"0\" y2=\"1\"><stop stop-color=\"#ffffff\"/>"
            "<stop offset=\"1\" stop-color=\"#eef2f6\"/></linearGradient>"
            "<linearGradient id=\"ground\" x2=\"0\" y2=\"1\"><stop stop-color=\"#e9eef3\"/>"
            "<stop offset=\"1\" stop-color=\"#f8fafc\"/></linearGradient>"
            "<filter id=\"soft\" x=\"-5%%\" y=\"-5%%\" width=\"110%%\" height=\"110%%\">"
            "<feGaussianBlur stdDeviation=\"3\"/></filter></defs>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"url(#sky)\"/>\n",
            p->width, p->height, p->width, p->height, font);
    svg_label(p->out, 0.5 * p->width, 36.0, 22.0,
              "text-anchor=\"middle\" font-weight=\"bold\" fill=\"#1b2530\"",
              title[0] != '\0' ? title : "Contacts");
}

static ov_status draw(picture *p, bool all) {
    fit(p);
    sort_bodies(p);
    choose_marks(p, all);
    write_head(p);
    ov_status status = OV_OK;
    if (p->ground != NULL) {
        draw_floor(p);
        status = draw_shadows(p);
    }
    if (status >= 0) {
        status = draw_bodies(p);
    }
    for (size_t k = 0; k < p->count; k++) {
        if (p->marked[k]) {
            draw_mark(p, &p->contacts[k].contact);
        }
    }
    draw_names(p);
    for (size_t k = 0; k < p->count; k++) {
        if (p->marked[k]) {
            draw_gap(p, &p->contacts[k].contact);
        }
    }
    draw_legend(p);
    fputs("</svg>\n", p->out);
    return status;
}

ov_status svg_scene_draw(FILE *out, const ov_scene *scene, const scene_contact *contacts,
                         size_t count, bool all) {
    picture p = {.out = out,
                 .scene = scene,
                 .contacts = contacts,
                 .count = count,
                 .bodies = ov_scene_count(scene)};
    if (p.bodies > SVG_SCENE_BODIES_MAX) {
        return OV_ERROR_COUNT;
    }
    p.spans = calloc(3 * p.bodies + 1, sizeof *p.spans);
    p.near = calloc(p.bodies * p.bodies + p.bodies + 1, sizeof *p.near);
    p.order = calloc(p.bodies + 1, sizeof *p.order);
    p.marked = calloc(count + 1, sizeof *p.marked);
    p.places.room = p.bodies + 5 * count;
    p.places.boxes = calloc(p.places.room + 1, sizeof *p.places.boxes);
    ov_status status = OV_ERROR_MEMORY;
    if (p.spans != NULL && p.near != NULL && p.order != NULL && p.marked != NULL &&
        p.places.boxes != NULL) {
        status = draw(&p, all);
    }
    free(p.spans);
    free(p.near);
    free(p.order);
    free(p.marked);
    free(p.places.boxes);
    return status;
}
