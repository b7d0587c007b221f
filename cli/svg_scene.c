/**
 * @file svg_scene.c
 * @brief The picture of a scene: where things are, and who hides whom.
 *
 * Bodies are painted from the back to the front. For two bodies that do not overlap the normal of
 * their contact is that of a plane between them, so the one on the reader's side of that plane is
 * the nearer one: an order without guesses, as long as bodies are convex; for meshes and bodies of
 * several parts it is a guess. What hides another body leaves a dotted outline of it, so that
 * overlaps can be seen; all marks lie on top of everything.
 */
#include <math.h>
#include <stdlib.h>

#include "body_contact.h"
#include "svg_picture.h"

static const double pi = 3.14159265358979323846;
static const char font[] = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

/* ---- where things are ------------------------------------------------------------------------ */

static void widen(svg_range *r, double value) {
    r->low = fmin(r->low, value);
    r->high = fmax(r->high, value);
}

bool svg_part_is_bounded(const ov_part *part) {
    return part->mesh != NULL || part->shape.kind != OV_SHAPE_KIND_HALFSPACE;
}

svg_range svg_part_reach(const ov_part *part, ov_pose pose, ov_vec3 direction) {
    ov_vec3 d = ov_quat_rotate(ov_quat_conjugate(pose.rotation), direction);
    double at = ov_vec3_dot(pose.position, direction);
    if (part->mesh != NULL) {
        svg_range r = {INFINITY, -INFINITY};
        const ov_vec3 *vertices = ov_trimesh_vertices(part->mesh);
        for (size_t i = 0; i < ov_trimesh_vertex_count(part->mesh); i++) {
            widen(&r, at + ov_vec3_dot(vertices[i], d));
        }
        return r;
    }
    ov_support far = {0.0, {0.0, 0.0, 0.0}}, near = {0.0, {0.0, 0.0, 0.0}};
    if (ov_shape_support(&part->shape, d, &far) < 0 ||
        ov_shape_support(&part->shape, ov_vec3_neg(d), &near) < 0) {
        return (svg_range){at, at};
    }
    return (svg_range){at - near.value, at + far.value};
}

/** Reach of the bounded parts of a body. */
static svg_range reach(const ov_scene_body *b, ov_vec3 direction) {
    svg_range all = {INFINITY, -INFINITY};
    for (size_t k = 0; k < b->part_count; k++) {
        if (svg_part_is_bounded(&b->parts[k])) {
            svg_range r = svg_part_reach(&b->parts[k], body_part_pose(b, k), direction);
            widen(&all, r.low);
            widen(&all, r.high);
        }
    }
    return all;
}

double svg_pixel_x(const svg_picture *p, ov_vec3 v) {
    return SVG_PICTURE_MARGIN + p->view.scale * (ov_vec3_dot(v, p->view.right) - p->across.low);
}

double svg_pixel_y(const svg_picture *p, ov_vec3 v) {
    return SVG_PICTURE_HEAD + p->view.scale * (p->upward.high - ov_vec3_dot(v, p->view.up));
}

/** Bounded or not, and the first half-space. */
static void sort_out(svg_picture *p) {
    for (size_t i = 0; i < p->bodies; i++) {
        const ov_scene_body *b = ov_scene_get(p->scene, i);
        for (size_t k = 0; k < b->part_count; k++) {
            const ov_part *part = &b->parts[k];
            if (svg_part_is_bounded(part)) {
                p->bounded[i] = true;
            } else if (p->ground.body == NULL) {
                ov_pose pose = body_part_pose(b, k);
                ov_vec3 n = ov_quat_rotate(pose.rotation, part->shape.u.halfspace.normal);
                p->ground.body = b;
                p->ground.normal = n;
                p->ground.offset = part->shape.u.halfspace.offset + ov_vec3_dot(n, pose.position);
            }
        }
    }
}

/** The part of the ground below the bodies, with some room around. */
static void lay_floor(svg_picture *p) {
    ov_vec3 n = p->ground.normal;
    ov_vec3 x = ov_vec3_make(1.0, 0.0, 0.0);
    if (fabs(n.x) > 0.9) {
        x = ov_vec3_make(0.0, 1.0, 0.0);
    }
    ov_vec3 t1 = ov_vec3_normalize(ov_vec3_add_scaled(x, n, -ov_vec3_dot(x, n)));
    ov_vec3 t2 = ov_vec3_cross(n, t1);
    svg_range r1 = {INFINITY, -INFINITY}, r2 = {INFINITY, -INFINITY};
    for (size_t i = 0; i < p->bodies; i++) {
        const ov_scene_body *b = ov_scene_get(p->scene, i);
        if (p->bounded[i]) {
            svg_range along1 = reach(b, t1), along2 = reach(b, t2);
            widen(&r1, along1.low);
            widen(&r1, along1.high);
            widen(&r2, along2.low);
            widen(&r2, along2.high);
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
        widen(&p->across, ov_vec3_dot(p->ground.corners[i], p->view.right));
        widen(&p->upward, ov_vec3_dot(p->ground.corners[i], p->view.up));
    }
}

static void fit(svg_picture *p) {
    p->view = svg_view_make(-62.0 * pi / 180.0, 32.0 * pi / 180.0, 1.0);
    p->across = p->upward = (svg_range){INFINITY, -INFINITY};
    for (size_t i = 0; i < p->bodies; i++) {
        const ov_scene_body *b = ov_scene_get(p->scene, i);
        svg_range *s = &p->spans[3 * i];
        if (!p->bounded[i]) {
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
    if (p->ground.body != NULL) {
        lay_floor(p);
    }
    double across = p->across.high - p->across.low, upward = p->upward.high - p->upward.low;
    double scale = fmin((SVG_PICTURE_WIDTH - 2.0 * SVG_PICTURE_MARGIN) / across,
                        SVG_PICTURE_MOST_HEIGHT / upward);
    // points alone have no extent
    p->view.scale = isfinite(scale) && scale > 0.0 ? scale : 1.0;
    p->width = fmax(480.0, 2.0 * SVG_PICTURE_MARGIN + p->view.scale * across);
    p->height = SVG_PICTURE_HEAD + SVG_PICTURE_FOOT + p->view.scale * upward;
}

/* ---- who hides whom -------------------------------------------------------------------------- */

static bool ranges_meet(svg_range a, svg_range b) { return a.low <= b.high && b.low <= a.high; }

static bool may_hide(const svg_picture *p, size_t i, size_t j) {
    const svg_range *a = &p->spans[3 * i], *b = &p->spans[3 * j];
    return ranges_meet(a[0], b[0]) && ranges_meet(a[1], b[1]);
}

static double depth_of(const svg_picture *p, size_t i) {
    const svg_range *s = &p->spans[3 * i];
    return s[2].low + s[2].high;
}

/** Fills the order of painting. */
static void sort_bodies(svg_picture *p) {
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

/** Touching and overlapping contacts, and the nearest bounded body of each. */
static void choose_marks(svg_picture *p, bool all) {
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

/* ---- the whole ------------------------------------------------------------------------------- */

static void write_head(const svg_picture *p) {
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

static ov_status draw(svg_picture *p, bool all) {
    sort_out(p);
    fit(p);
    sort_bodies(p);
    choose_marks(p, all);
    write_head(p);
    ov_status status = p->ground.body != NULL ? svg_draw_ground(p) : OV_OK;
    if (status >= 0) {
        status = svg_draw_bodies(p);
    }
    svg_draw_marks(p);
    fputs("</svg>\n", p->out);
    return status;
}

size_t svg_scene_pieces(const ov_scene *scene) {
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

ov_status svg_scene_draw(FILE *out, const ov_scene *scene, const scene_contact *contacts,
                         size_t count, bool all) {
    svg_picture p = {.out = out,
                     .scene = scene,
                     .contacts = contacts,
                     .count = count,
                     .bodies = ov_scene_count(scene)};
    if (p.bodies > SVG_SCENE_BODIES_MAX || svg_scene_pieces(scene) > SVG_SCENE_PIECES_MAX) {
        return OV_ERROR_COUNT;
    }
    p.spans = calloc(3 * p.bodies + 1, sizeof *p.spans);
    p.bounded = calloc(p.bodies + 1, sizeof *p.bounded);
    p.near = calloc(p.bodies * p.bodies + p.bodies + 1, sizeof *p.near);
    p.order = calloc(p.bodies + 1, sizeof *p.order);
    p.marked = calloc(count + 1, sizeof *p.marked);
    p.places.room = p.bodies + 5 * count;
    p.places.boxes = calloc(p.places.room + 1, sizeof *p.places.boxes);
    ov_status status = OV_ERROR_MEMORY;
    if (p.spans != NULL && p.bounded != NULL && p.near != NULL && p.order != NULL &&
        p.marked != NULL && p.places.boxes != NULL) {
        status = draw(&p, all);
    }
    free(p.spans);
    free(p.bounded);
    free(p.near);
    free(p.order);
    free(p.marked);
    free(p.places.boxes);
    return status;
}
