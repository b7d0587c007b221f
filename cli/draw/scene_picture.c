/**
 * @file scene_picture.c
 * @brief The picture of a scene with its contacts: bodies on the ground, witness points, normals,
 * gaps and names.
 *
 * Bodies are painted in pieces, their shapes and the triangles of their meshes, from the back to
 * the front (painter.c). A body that overlaps another leaves a dotted outline on it. Shadows are
 * outlines of the bodies, seen through a slanting projection onto the ground. All marks lie on top
 * of everything.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pictures.h"
#include "subject.h"
#include "svg.h"

/** A half-space in the world: normal . p <= offset. */
typedef struct ground {
    const ov_scene_body *body; /**< null: there is none */
    ov_vec3 normal;
    double offset;
    ov_vec3 corners[4]; /**< of the part that is drawn */
} ground;

typedef struct picture {
    FILE *out;
    const ov_scene *scene;
    const scene_contact *contacts;
    size_t count;
    size_t bodies;
    svg_view view;
    svg_range across, upward; /**< of the scene along the view's right and up, in the world */
    double width, height;     /**< pixels */
    svg_range *extents;       /**< of each body: across, upward */
    bool *bounded;            /**< one per body: has it a part that can be drawn? */
    ov_vec3 origin;           /**< of the pieces, in the middle */
    svg_piece *pieces;        /**< of all bodies */
    size_t piece_count;
    size_t *order;     /**< of painting them */
    bool *marked;      /**< one per contact */
    svg_places places; /**< where texts should not go */
    ground ground;     /**< the first half-space */
} picture;

/* ---- where things are ------------------------------------------------------------------------ */

/** Reach of a placed part, not a half-space, along a world direction. */
static svg_range part_reach(const ov_part *part, ov_pose pose, ov_vec3 direction) {
    if (part->mesh == NULL) {
        return svg_shape_reach(&part->shape, pose, direction);
    }
    ov_vec3 d = ov_quat_rotate(ov_quat_conjugate(pose.rotation), direction);
    double at = ov_vec3_dot(pose.position, direction);
    svg_range r = svg_range_empty();
    const ov_vec3 *vertices = ov_trimesh_vertices(part->mesh);
    for (size_t i = 0; i < ov_trimesh_vertex_count(part->mesh); i++) {
        svg_range_widen(&r, at + ov_vec3_dot(vertices[i], d), at + ov_vec3_dot(vertices[i], d));
    }
    return r;
}

/** Reach of the bounded parts of a body. */
static svg_range reach(const ov_scene_body *b, ov_vec3 direction) {
    svg_range all = svg_range_empty();
    for (size_t k = 0; k < b->part_count; k++) {
        if (svg_part_is_bounded(&b->parts[k])) {
            svg_range r = part_reach(&b->parts[k], scene_part_pose(b, k), direction);
            svg_range_widen(&all, r.low, r.high);
        }
    }
    return all;
}

static double pixel_x(const picture *p, ov_vec3 v) {
    return SVG_PAGE_MARGIN + p->view.scale * (ov_vec3_dot(v, p->view.right) - p->across.low);
}

static double pixel_y(const picture *p, ov_vec3 v) {
    return SVG_PAGE_HEAD + p->view.scale * (p->upward.high - ov_vec3_dot(v, p->view.up));
}

/** Bounded or not, and the first half-space. */
static void sort_out(picture *p) {
    for (size_t i = 0; i < p->bodies; i++) {
        const ov_scene_body *b = ov_scene_get(p->scene, i);
        for (size_t k = 0; k < b->part_count; k++) {
            const ov_part *part = &b->parts[k];
            if (svg_part_is_bounded(part)) {
                p->bounded[i] = true;
            } else if (p->ground.body == NULL) {
                ov_pose pose = scene_part_pose(b, k);
                ov_vec3 n = ov_quat_rotate(pose.rotation, part->shape.u.halfspace.normal);
                p->ground.body = b;
                p->ground.normal = n;
                p->ground.offset = part->shape.u.halfspace.offset + ov_vec3_dot(n, pose.position);
            }
        }
    }
}

/** The part of the ground below the bodies, with some room around. */
static void lay_floor(picture *p) {
    ov_vec3 n = p->ground.normal;
    ov_vec3 t1, t2;
    svg_plane_axes(n, &t1, &t2);
    svg_range r1 = svg_range_empty(), r2 = r1;
    for (size_t i = 0; i < p->bodies; i++) {
        const ov_scene_body *b = ov_scene_get(p->scene, i);
        if (p->bounded[i]) {
            svg_range along1 = reach(b, t1), along2 = reach(b, t2);
            svg_range_widen(&r1, along1.low, along1.high);
            svg_range_widen(&r2, along2.low, along2.high);
        }
    }
    if (!(r1.low <= r1.high)) {
        r1 = r2 = (svg_range){-1.0, 1.0};
    }
    double room = 0.06 * fmax(r1.high - r1.low, r2.high - r2.low);
    double u[4] = {r1.low - room, r1.high + room, r1.high + room, r1.low - room};
    double v[4] = {r2.low - room, r2.low - room, r2.high + room, r2.high + room};
    for (int i = 0; i < 4; i++) {
        ov_vec3 q = ov_vec3_scale(n, p->ground.offset);
        p->ground.corners[i] = ov_vec3_add_scaled(ov_vec3_add_scaled(q, t1, u[i]), t2, v[i]);
        svg_range_widen(&p->across, ov_vec3_dot(p->ground.corners[i], p->view.right),
                        ov_vec3_dot(p->ground.corners[i], p->view.right));
        svg_range_widen(&p->upward, ov_vec3_dot(p->ground.corners[i], p->view.up),
                        ov_vec3_dot(p->ground.corners[i], p->view.up));
    }
}

static double middle(svg_range r) { return 0.5 * (r.low + r.high); }

static void fit(picture *p) {
    p->view = svg_view_make(SCENE_PICTURE_ELEVATION, 1.0);
    svg_range depth = p->across = p->upward = svg_range_empty();
    for (size_t i = 0; i < p->bodies; i++) {
        const ov_scene_body *b = ov_scene_get(p->scene, i);
        svg_range *s = &p->extents[2 * i];
        if (!p->bounded[i]) {
            continue;
        }
        s[0] = reach(b, p->view.right);
        s[1] = reach(b, p->view.up);
        svg_range_widen(&p->across, s[0].low, s[0].high);
        svg_range_widen(&p->upward, s[1].low, s[1].high);
        svg_range along = reach(b, p->view.eye);
        svg_range_widen(&depth, along.low, along.high);
    }
    if (depth.low <= depth.high) {
        ov_vec3 flat = ov_vec3_add(ov_vec3_scale(p->view.right, middle(p->across)),
                                   ov_vec3_scale(p->view.up, middle(p->upward)));
        p->origin = ov_vec3_add_scaled(flat, p->view.eye, middle(depth));
    }
    if (p->ground.body != NULL) {
        lay_floor(p);
    }
    double across = p->across.high - p->across.low, upward = p->upward.high - p->upward.low;
    double scale =
        fmin((SVG_PAGE_WIDTH - 2.0 * SVG_PAGE_MARGIN) / across, SVG_PAGE_MOST_HEIGHT / upward);
    // points alone have no extent
    p->view.scale = isfinite(scale) && scale > 0.0 ? scale : 1.0;
    p->width = fmax(480.0, 2.0 * SVG_PAGE_MARGIN + p->view.scale * across);
    p->height = SVG_PAGE_HEAD + SVG_PAGE_FOOT + p->view.scale * upward;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/** The pieces of a part of a body; those of meshes are triangles. */
static void add_pieces(picture *p, size_t body, size_t number) {
    const ov_scene_body *b = ov_scene_get(p->scene, body);
    const ov_part *part = &b->parts[number];
    ov_pose pose = scene_part_pose(b, number);
    svg_piece piece = {.pose = pose, .body = (uint32_t)body};
    if (part->mesh == NULL) {
        piece.shape = &part->shape;
        piece.pose.position = ov_vec3_sub(pose.position, p->origin);
        p->pieces[p->piece_count++] = piece;
        return;
    }
    piece.pose = ov_pose_identity();
    // nothing could be seen of a mesh without area
    piece.sliver = !svg_mesh_has_area(part->mesh, svg_mesh_middle(part->mesh));
    for (size_t i = 0; i < ov_trimesh_triangle_count(part->mesh); i++) {
        const uint32_t *t = ov_trimesh_triangles(part->mesh)[i];
        for (int k = 0; k < 3; k++) {
            ov_vec3 corner = ov_pose_apply(pose, ov_trimesh_vertices(part->mesh)[t[k]]);
            piece.corners[k] = ov_vec3_sub(corner, p->origin);
        }
        p->pieces[p->piece_count++] = piece;
    }
}

/** Takes all bodies apart, and finds the order in which the pieces are painted. */
static ov_status sort_pieces(picture *p) {
    for (size_t i = 0; i < p->bodies; i++) {
        const ov_scene_body *b = ov_scene_get(p->scene, i);
        for (size_t k = 0; k < b->part_count; k++) {
            if (svg_part_is_bounded(&b->parts[k])) {
                add_pieces(p, i, k);
            }
        }
    }
    return svg_sort_pieces(p->pieces, p->piece_count, &p->view, p->order);
}

/* ---- marks, and colours ---------------------------------------------------------------------- */

/** Touching and overlapping contacts, and the nearest bounded body of each. */
static void choose_marks(picture *p, bool all) {
    for (size_t k = 0; k < p->count; k++) {
        const ov_contact *c = &p->contacts[k].contact;
        p->marked[k] = c->status >= 0 && (all || c->relation != OV_RELATION_SEPARATED);
    }
    for (size_t i = 0; i < p->bodies && !all; i++) {
        size_t nearest = p->count;
        for (size_t k = 0; k < p->count; k++) {
            const scene_contact *s = &p->contacts[k];
            if (s->contact.status >= 0 && (s->a == i || s->b == i) && p->bounded[s->a] &&
                p->bounded[s->b] &&
                (nearest == p->count || s->contact.gap < p->contacts[nearest].contact.gap)) {
                nearest = k;
            }
        }
        if (nearest < p->count) {
            p->marked[nearest] = true;
        }
    }
}

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

static void write_floor_path(const picture *p) {
    for (int i = 0; i < 4; i++) {
        fprintf(p->out, "%s%.1f %.1f", i == 0 ? "M" : "L", pixel_x(p, p->ground.corners[i]),
                pixel_y(p, p->ground.corners[i]));
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
            ov_vec3 from = between(p->ground.corners[0], p->ground.corners[side == 0 ? 1 : 3], t);
            ov_vec3 to = between(p->ground.corners[side == 0 ? 3 : 1], p->ground.corners[2], t);
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
static ov_status draw_shadow(const picture *p, const ov_part *part, ov_pose pose) {
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
    fprintf(p->out, "<g transform=\"translate(%.2f %.2f) scale(%g)\">\n", pixel_x(p, foot),
            pixel_y(p, foot), SVG_BODY_UNIT);
    v = view_of(&v, pose.rotation);
    ov_status status =
        svg_shape_outline(p->out, &part->shape, &v, "fill=\"#26323f\" stroke=\"none\"");
    fputs("</g>\n", p->out);
    return status == OV_ERROR_UNSUPPORTED ? OV_OK : status;
}

/** The ground with its grid, and the shadows on it. */
static ov_status draw_ground(const picture *p) {
    ov_status status = OV_OK;
    draw_floor(p);
    fputs("<g clip-path=\"url(#floor)\"><g opacity=\"0.2\" filter=\"url(#soft)\">\n", p->out);
    for (size_t i = 0; i < p->bodies; i++) {
        const ov_scene_body *b = ov_scene_get(p->scene, i);
        for (size_t k = 0; k < b->part_count && status >= 0; k++) {
            // meshes have no outline
            if (svg_part_is_bounded(&b->parts[k]) && b->parts[k].mesh == NULL) {
                status = draw_shadow(p, &b->parts[k], scene_part_pose(b, k));
            }
        }
    }
    fputs("</g></g>\n", p->out);
    return status;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/** Begins a group whose origin is a place of the picture. */
static void begin_group(const picture *p, ov_vec3 place) {
    fprintf(p->out,
            "<g transform=\"translate(%.2f %.2f) scale(%g)\" stroke-width=\"3\" "
            "stroke-linejoin=\"round\">\n",
            pixel_x(p, place), pixel_y(p, place), SVG_BODY_UNIT);
}

static ov_status draw_piece(const picture *p, const svg_piece *piece) {
    const svg_ramp *ramp = &ramps[piece->body % RAMP_COUNT];
    if (piece->sliver) {
        svg_sliver_draw(p->out, piece->corners, &p->view, ramp);
        return OV_OK;
    }
    if (piece->shape == NULL) {
        return svg_triangle_draw(p->out, piece->corners, &p->view, ramp);
    }
    svg_view v = view_of(&p->view, piece->pose.rotation);
    begin_group(p, ov_vec3_add(p->origin, piece->pose.position));
    ov_status status = svg_shape_draw(p->out, piece->shape, &v, ramp);
    fputs("</g>\n", p->out);
    return status;
}

/** All bounded bodies, piece by piece; triangles that follow each other are in one group. */
static ov_status draw_pieces(const picture *p) {
    ov_status status = OV_OK;
    bool open = false;
    for (size_t i = 0; i < p->piece_count && status >= 0; i++) {
        const svg_piece *piece = &p->pieces[p->order[i]];
        bool flat = piece->shape == NULL;
        if (open && !flat) {
            fputs("</g>\n", p->out);
        } else if (flat && !open) {
            begin_group(p, p->origin);
        }
        open = flat;
        status = draw_piece(p, piece);
    }
    fputs(open ? "</g>\n" : "", p->out);
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
static ov_status draw_outline(const picture *p, const ov_scene_body *b, const char *attributes) {
    ov_status status = OV_OK;
    for (size_t k = 0; k < b->part_count && status >= 0; k++) {
        if (!has_outline(&b->parts[k])) {
            continue;
        }
        ov_pose pose = scene_part_pose(b, k);
        svg_view v = view_of(&p->view, pose.rotation);
        char all[256];
        snprintf(all, sizeof all, "transform=\"translate(%.2f %.2f) scale(%g)\" %s",
                 pixel_x(p, pose.position), pixel_y(p, pose.position), SVG_BODY_UNIT, attributes);
        status = svg_shape_outline(p->out, &b->parts[k].shape, &v, all);
    }
    return status;
}

/** Outline of a body on the body that hides it. */
static ov_status draw_ghost(const picture *p, size_t hidden, size_t front, size_t number) {
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

/** Bodies that overlap another one are seen through it. */
static ov_status draw_ghosts(const picture *p) {
    ov_status status = OV_OK;
    for (size_t k = 0; k < p->count && status >= 0; k++) {
        const scene_contact *s = &p->contacts[k];
        if (s->contact.relation == OV_RELATION_OVERLAPPING && s->contact.status >= 0) {
            bool b_in_front = ov_vec3_dot(s->contact.normal, p->view.eye) > 0.0;
            status = draw_ghost(p, b_in_front ? s->a : s->b, b_in_front ? s->b : s->a, k);
        }
    }
    return status;
}

/* ---- marks ----------------------------------------------------------------------------------- */

static const char *colour_of(ov_relation relation) {
    switch (relation) {
    case OV_RELATION_OVERLAPPING:
        return "#d0212f";
    case OV_RELATION_TOUCHING:
        return "#e08a00";
    case OV_RELATION_SEPARATED:
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
    double gap = c->relation == OV_RELATION_TOUCHING ? 0.0 : c->gap;
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
        const svg_range *s = &p->extents[2 * j];
        if (j != i && p->bounded[j]) {
            svg_box body = {SVG_PAGE_MARGIN + p->view.scale * (s[0].low - p->across.low),
                            SVG_PAGE_HEAD + p->view.scale * (p->upward.high - s[1].high),
                            SVG_PAGE_MARGIN + p->view.scale * (s[0].high - p->across.low),
                            SVG_PAGE_HEAD + p->view.scale * (p->upward.high - s[1].low)};
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
        const svg_range *s = &p->extents[2 * i];
        double half = 3.6 * (double)strlen(b->name);
        double x = SVG_PAGE_MARGIN + p->view.scale * (0.5 * (s[0].low + s[0].high) - p->across.low);
        double y = SVG_PAGE_HEAD + p->view.scale * (p->upward.high - s[1].high) - 7.0;
        double below = SVG_PAGE_HEAD + p->view.scale * (p->upward.high - s[1].low) + 17.0;
        if (b == p->ground.body) {
            x = 0.5 * (pixel_x(p, p->ground.corners[0]) + pixel_x(p, p->ground.corners[1]));
            y = 0.5 * (pixel_y(p, p->ground.corners[0]) + pixel_y(p, p->ground.corners[1])) + 18.0;
        } else if (!p->bounded[i]) {
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
    static const ov_relation relations[] = {OV_RELATION_OVERLAPPING, OV_RELATION_TOUCHING,
                                            OV_RELATION_SEPARATED};
    static const char *const texts[] = {"overlapping: minus the depth", "touching",
                                        "separated: the gap"};
    double y = p->height - 24.0, x = SVG_PAGE_MARGIN;
    for (int i = 0; i < 3; i++) {
        svg_dot(p->out, x, y - 4.0, colour_of(relations[i]));
        svg_label(p->out, x + 11.0, y, 13.0, "fill=\"#333\"", texts[i]);
        x += 36.0 + 6.4 * (double)strlen(texts[i]);
    }
    svg_arrow(p->out, x, y - 4.0, 28.0, 0.0, "#333");
    svg_label(p->out, x + 38.0, y, 13.0, "fill=\"#333\"", "normal, from A to B");
}

/** Witness points, names, gaps and the legend. */
static void draw_marks(picture *p) {
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
    if (p->count > 0) {
        draw_legend(p);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void write_head(const picture *p) {
    const char *title = ov_scene_title(p->scene);
    fprintf(p->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" font-family=\"%s\">\n"
            "<title>%s</title>\n<defs>"
            "<linearGradient id=\"sky\" x2=\"0\" y2=\"1\"><stop stop-color=\"#ffffff\"/>"
            "<stop offset=\"1\" stop-color=\"#eef2f6\"/></linearGradient>"
            "<linearGradient id=\"ground\" x2=\"0\" y2=\"1\"><stop stop-color=\"#e9eef3\"/>"
            "<stop offset=\"1\" stop-color=\"#f8fafc\"/></linearGradient>"
            "<filter id=\"soft\" x=\"-5%%\" y=\"-5%%\" width=\"110%%\" height=\"110%%\">"
            "<feGaussianBlur stdDeviation=\"3\"/></filter></defs>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"url(#sky)\"/>\n",
            p->width, p->height, p->width, p->height, SVG_FONT,
            p->count > 0 ? "Contacts of a scene" : "A scene");
    svg_label(p->out, 0.5 * p->width, 36.0, 22.0,
              "text-anchor=\"middle\" font-weight=\"bold\" fill=\"#1b2530\"",
              title[0] != '\0' ? title : "Contacts");
}

static ov_status draw(picture *p, bool all) {
    sort_out(p);
    fit(p);
    choose_marks(p, all);
    ov_status status = sort_pieces(p);
    write_head(p);
    if (status >= 0 && p->ground.body != NULL) {
        status = draw_ground(p);
    }
    status = status >= 0 ? draw_pieces(p) : status;
    status = status >= 0 ? draw_ghosts(p) : status;
    draw_marks(p);
    fputs("</svg>\n", p->out);
    return status;
}

size_t scene_picture_pieces(const ov_scene *scene) {
    size_t pieces = 0;
    for (size_t i = 0; i < ov_scene_count(scene); i++) {
        const ov_scene_body *b = ov_scene_get(scene, i);
        for (size_t k = 0; k < b->part_count; k++) {
            const ov_trimesh *mesh = b->parts[k].mesh;
            pieces += mesh != NULL ? ov_trimesh_triangle_count(mesh) : 1;
        }
    }
    return pieces;
}

ov_status scene_picture_draw(FILE *out, const ov_scene *scene, const scene_contact *contacts,
                             size_t count, bool all) {
    picture p = {.out = out,
                 .scene = scene,
                 .contacts = contacts,
                 .count = count,
                 .bodies = ov_scene_count(scene)};
    size_t pieces = scene_picture_pieces(scene);
    if (p.bodies > SCENE_PICTURE_BODIES_MAX || pieces > SCENE_PICTURE_PIECES_MAX) {
        return OV_ERROR_COUNT;
    }
    p.extents = calloc(2 * p.bodies + 1, sizeof *p.extents);
    p.bounded = calloc(p.bodies + 1, sizeof *p.bounded);
    p.pieces = calloc(pieces + 1, sizeof *p.pieces);
    p.order = calloc(pieces + 1, sizeof *p.order);
    p.marked = calloc(count + 1, sizeof *p.marked);
    p.places.room = p.bodies + 5 * count;
    p.places.boxes = calloc(p.places.room + 1, sizeof *p.places.boxes);
    ov_status status = OV_ERROR_MEMORY;
    if (p.extents != NULL && p.bounded != NULL && p.pieces != NULL && p.order != NULL &&
        p.marked != NULL && p.places.boxes != NULL) {
        status = draw(&p, all);
    }
    free(p.extents);
    free(p.bounded);
    free(p.pieces);
    free(p.order);
    free(p.marked);
    free(p.places.boxes);
    return status;
}
