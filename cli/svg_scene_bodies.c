/**
 * @file svg_scene_bodies.c
 * @brief The bodies of a scene, the ground and the shadows on it.
 *
 * Shadows are outlines of the bodies, seen through a slanting projection onto the ground. The parts
 * of a body are painted from the back to the front by the middle of their depths.
 */
#include <stdlib.h>

#include "body_contact.h"
#include "svg_flat.h"
#include "svg_mesh.h"
#include "svg_picture.h"

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

/* ---- ground and shadows ---------------------------------------------------------------------- */

static void write_floor_path(const svg_picture *p) {
    for (int i = 0; i < 4; i++) {
        fprintf(p->out, "%s%.1f %.1f", i == 0 ? "M" : "L", svg_pixel_x(p, p->ground.corners[i]),
                svg_pixel_y(p, p->ground.corners[i]));
    }
    fputs("z", p->out);
}

static ov_vec3 between(ov_vec3 a, ov_vec3 b, double t) {
    return ov_vec3_add_scaled(ov_vec3_scale(a, 1.0 - t), b, t);
}

static void draw_floor(const svg_picture *p) {
    enum { LINES = 12 };
    fputs("<clipPath id=\"floor\"><path d=\"", p->out);
    write_floor_path(p);
    fputs("\"/></clipPath>\n<path fill=\"url(#ground)\" stroke=\"#c3ccd6\" d=\"", p->out);
    write_floor_path(p);
    fputs("\"/>\n<path fill=\"none\" stroke=\"#d4dbe3\" stroke-width=\"0.8\" d=\"", p->out);
    for (int i = 1; i < LINES; i++) {
        double t = (double)i / LINES;
        for (int side = 0; side < 2; side++) {
            ov_vec3 from = between(p->ground.corners[0], p->ground.corners[side == 0 ? 1 : 3], t);
            ov_vec3 to = between(p->ground.corners[side == 0 ? 3 : 1], p->ground.corners[2], t);
            fprintf(p->out, "M%.1f %.1fL%.1f %.1f", svg_pixel_x(p, from), svg_pixel_y(p, from),
                    svg_pixel_x(p, to), svg_pixel_y(p, to));
        }
    }
    fputs("\"/>\n", p->out);
}

/**
 * Shadow of a body: with the plane n.p = d and the light l, a point p falls to
 * p - l (n.p - d)/(n.l). Seen along `right` that is right.p - (right.l)/(n.l) (n.p - d), which is
 * again the product of p with a vector, but for a constant.
 */
static ov_status draw_shadow(const svg_picture *p, const ov_part *part, ov_pose pose) {
    ov_vec3 n = p->ground.normal, l = p->view.light;
    double slant = ov_vec3_dot(n, l);
    if (slant < 0.2) {
        return OV_OK; // no light from above the ground
    }
    svg_view v = p->view;
    v.right = ov_vec3_add_scaled(v.right, n, -ov_vec3_dot(v.right, l) / slant);
    v.up = ov_vec3_add_scaled(v.up, n, -ov_vec3_dot(v.up, l) / slant);
    double above = ov_vec3_dot(n, pose.position) - p->ground.offset;
    ov_vec3 foot = ov_vec3_add_scaled(pose.position, l, -above / slant);
    fprintf(p->out, "<g transform=\"translate(%.2f %.2f) scale(%g)\">\n", svg_pixel_x(p, foot),
            svg_pixel_y(p, foot), SVG_BODY_UNIT);
    v = view_of(&v, pose.rotation);
    ov_status status =
        svg_body_outline(p->out, &part->shape, &v, "fill=\"#26323f\" stroke=\"none\"");
    fputs("</g>\n", p->out);
    return status == OV_ERROR_UNSUPPORTED ? OV_OK : status;
}

ov_status svg_draw_ground(const svg_picture *p) {
    ov_status status = OV_OK;
    draw_floor(p);
    fputs("<g clip-path=\"url(#floor)\"><g opacity=\"0.2\" filter=\"url(#soft)\">\n", p->out);
    for (size_t i = 0; i < p->bodies; i++) {
        const ov_scene_body *b = ov_scene_get(p->scene, i);
        for (size_t k = 0; k < b->part_count && status >= 0; k++) {
            // meshes have no outline
            if (svg_part_is_bounded(&b->parts[k]) && b->parts[k].mesh == NULL) {
                status = draw_shadow(p, &b->parts[k], body_part_pose(b, k));
            }
        }
    }
    fputs("</g></g>\n", p->out);
    return status;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/** Segment and point: as thick as can be seen. */
static void draw_thin(const svg_picture *p, const ov_shape *shape, const svg_view *v,
                      const svg_ramp *ramp) {
    double unit = v->scale / SVG_BODY_UNIT;
    bool point = shape->kind == OV_SHAPE_KIND_POINT;
    ov_vec3 a = shape->u.vertices[0], b = point ? a : shape->u.vertices[1];
    fputs("<path fill=\"none\" stroke-linecap=\"round\"", p->out);
    svg_write_colour(p->out, ramp, "stroke", 0.35);
    fprintf(p->out, " stroke-width=\"%d\" d=\"M%.0f %.0fL%.0f %.0f\"/>\n", point ? 80 : 36,
            unit * ov_vec3_dot(a, v->right), -unit * ov_vec3_dot(a, v->up),
            unit * ov_vec3_dot(b, v->right), -unit * ov_vec3_dot(b, v->up));
}

static ov_status draw_shape(const svg_picture *p, const ov_shape *shape, const svg_view *v,
                            const svg_ramp *ramp) {
    if (shape->kind == OV_SHAPE_KIND_SEGMENT || shape->kind == OV_SHAPE_KIND_POINT) {
        draw_thin(p, shape, v, ramp);
        return OV_OK;
    }
    if (svg_flat_can_draw(shape)) {
        return svg_flat_draw(p->out, shape, v, ramp);
    }
    if (shape->kind != OV_SHAPE_KIND_POLYHEDRON) {
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

static ov_status draw_part(const svg_picture *p, const ov_part *part, ov_pose pose,
                           const svg_ramp *ramp) {
    svg_view v = view_of(&p->view, pose.rotation);
    fprintf(p->out,
            "<g transform=\"translate(%.2f %.2f) scale(%g)\" stroke-width=\"3\" "
            "stroke-linejoin=\"round\">\n",
            svg_pixel_x(p, pose.position), svg_pixel_y(p, pose.position), SVG_BODY_UNIT);
    ov_status status = part->mesh != NULL ? svg_mesh_draw(p->out, part->mesh, &v, ramp)
                                          : draw_shape(p, &part->shape, &v, ramp);
    fputs("</g>\n", p->out);
    return status;
}

typedef struct layer {
    double depth;
    size_t part;
} layer;

static int compare_layers(const void *a, const void *b) {
    const layer *p = a, *q = b;
    if (p->depth < q->depth || p->depth > q->depth) {
        return p->depth < q->depth ? -1 : 1;
    }
    return p->part < q->part ? -1 : p->part > q->part;
}

static ov_status draw_body(const svg_picture *p, size_t i) {
    const ov_scene_body *b = ov_scene_get(p->scene, i);
    layer *layers = malloc(b->part_count * sizeof *layers);
    if (layers == NULL) {
        return OV_ERROR_MEMORY;
    }
    size_t count = 0;
    for (size_t k = 0; k < b->part_count; k++) {
        if (svg_part_is_bounded(&b->parts[k])) {
            svg_range r = svg_part_reach(&b->parts[k], body_part_pose(b, k), p->view.eye);
            layers[count++] = (layer){r.low + r.high, k};
        }
    }
    qsort(layers, count, sizeof *layers, compare_layers);
    ov_status status = OV_OK;
    for (size_t k = 0; k < count && status >= 0; k++) {
        size_t part = layers[k].part;
        status = draw_part(p, &b->parts[part], body_part_pose(b, part), &ramps[i % RAMP_COUNT]);
    }
    free(layers);
    return status;
}

/** Meshes, these kinds and polyhedra without triangles have no closed surface, so no outline. */
static bool has_outline(const ov_part *part) {
    ov_shape_kind kind = part->shape.kind;
    if (kind == OV_SHAPE_KIND_POLYHEDRON && part->shape.u.polyhedron.triangle_count == 0) {
        return false;
    }
    return part->mesh == NULL && kind != OV_SHAPE_KIND_HALFSPACE &&
           kind != OV_SHAPE_KIND_TRIANGLE && kind != OV_SHAPE_KIND_SEGMENT &&
           kind != OV_SHAPE_KIND_POINT;
}

static bool body_has_outline(const ov_scene_body *b) {
    size_t k = 0;
    while (k < b->part_count && !has_outline(&b->parts[k])) {
        k++;
    }
    return k < b->part_count;
}

/** Outlines of a body's parts at their places, with further attributes. */
static ov_status draw_outline(const svg_picture *p, const ov_scene_body *b,
                              const char *attributes) {
    ov_status status = OV_OK;
    for (size_t k = 0; k < b->part_count && status >= 0; k++) {
        if (!has_outline(&b->parts[k])) {
            continue;
        }
        ov_pose pose = body_part_pose(b, k);
        svg_view v = view_of(&p->view, pose.rotation);
        char all[256];
        snprintf(all, sizeof all, "transform=\"translate(%.2f %.2f) scale(%g)\" %s",
                 svg_pixel_x(p, pose.position), svg_pixel_y(p, pose.position), SVG_BODY_UNIT,
                 attributes);
        status = svg_body_outline(p->out, &b->parts[k].shape, &v, all);
    }
    return status;
}

/** Outline of a body on the body that hides it. */
static ov_status draw_ghost(const svg_picture *p, size_t hidden, size_t front, size_t number) {
    const ov_scene_body *h = ov_scene_get(p->scene, hidden), *f = ov_scene_get(p->scene, front);
    if (!body_has_outline(h) || !body_has_outline(f)) {
        return OV_OK;
    }
    fprintf(p->out, "<clipPath id=\"front%zu\">", number);
    ov_status status = draw_outline(p, f, "");
    fprintf(p->out, "</clipPath>\n<g clip-path=\"url(#front%zu)\">\n", number);
    if (status >= 0) {
        status = draw_outline(p, h,
                              "fill=\"none\" stroke=\"#fff\" stroke-opacity=\"0.8\" "
                              "stroke-width=\"11\" stroke-dasharray=\"30 30\"");
    }
    fputs("</g>\n", p->out);
    return status;
}

ov_status svg_draw_bodies(const svg_picture *p) {
    size_t n = p->bodies;
    ov_status status = OV_OK;
    for (size_t k = 0; k < n && status >= 0; k++) {
        if (p->bounded[p->order[k]]) {
            status = draw_body(p, p->order[k]);
        }
    }
    // those that overlap another body are seen through it
    for (size_t k = 0; k < p->count && status >= 0; k++) {
        const scene_contact *s = &p->contacts[k];
        if (s->contact.relation == OV_RELATION_OVERLAPPING && s->contact.status >= 0) {
            bool b_in_front = p->near[s->b * n + s->a];
            status = draw_ghost(p, b_in_front ? s->a : s->b, b_in_front ? s->b : s->a, k);
        }
    }
    return status;
}
