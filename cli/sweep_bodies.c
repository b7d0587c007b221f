/**
 * @file sweep_bodies.c
 * @brief The bodies of a motion in its picture: what rests filled, what moves as a fan of outlines.
 *
 * All outlines are painted from the back to the front by the middle of their depths.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sweep_drawing.h"
#include "table.h"

/** More names than this would hide the picture: then only those with a bar have theirs. */
enum { NAMES_MAX = 14 };

/** One outline: a part of a thing (all of its polygons) at a time. */
typedef struct item {
    double depth;
    size_t thing, part, frame;
} item;

static const char *const colours[] = {"#3e78b2", "#b0643a", "#408c68",
                                      "#8a5a9e", "#9a8230", "#348e9c"};
enum { COLOURS = sizeof colours / sizeof colours[0] };

static void widen(svg_range *r, double low, double high) {
    r->low = fmin(r->low, low);
    r->high = fmax(r->high, high);
}

static const ov_affine *place_of(const sweep_drawing *d, size_t frame, size_t thing) {
    return &d->places[frame * d->things + thing];
}

/** Number of outlines of a thing at a time. */
static size_t part_count(const sweep_drawing *d, size_t thing) {
    const sweep_subject *s = d->report->subject;
    return sweep_thing_polygons(s, thing) != NULL
               ? 1
               : ov_geometry_count(sweep_thing_geometry(s, thing));
}

/** What rests is drawn once. */
static size_t frame_count(const sweep_drawing *d, size_t thing) {
    return d->moves[thing] ? d->frames : 1;
}

static const ov_part *part_of(const sweep_drawing *d, size_t thing, size_t part) {
    return ov_geometry_part(sweep_thing_geometry(d->report->subject, thing), part);
}

static bool is_ground(const sweep_drawing *d, size_t thing, size_t part) {
    return sweep_thing_polygons(d->report->subject, thing) == NULL &&
           !svg_part_is_bounded(part_of(d, thing, part));
}

/** Fills d->outline; that of a half-space is empty. */
static bool find_outline(sweep_drawing *d, size_t thing, size_t part, size_t frame) {
    const ov_polygons *polygons = sweep_thing_polygons(d->report->subject, thing);
    const ov_affine *place = place_of(d, frame, thing);
    outline_clear(&d->outline);
    if (is_ground(d, thing, part)) {
        return true;
    }
    return polygons != NULL
               ? outline_of_polygons(&d->outline, polygons, place, &d->view)
               : outline_of_part(&d->outline, part_of(d, thing, part), place, &d->view);
}

/* ---- the ground ------------------------------------------------------------------------------ */

/** Reach of all that is bounded along a direction; of a shape, that of its ball. */
static svg_range reach(const sweep_drawing *d, ov_vec3 direction) {
    svg_range all = {INFINITY, -INFINITY};
    for (size_t i = 0; i < d->things; i++) {
        const ov_polygons *polygons = sweep_thing_polygons(d->report->subject, i);
        for (size_t n = 0; n < part_count(d, i) * frame_count(d, i); n++) {
            size_t k = n % part_count(d, i), f = n / part_count(d, i);
            const ov_vec3 *points = ov_polygons_vertices(polygons);
            size_t count = ov_polygons_vertex_count(polygons);
            ov_affine at = *place_of(d, f, i);
            double radius = 0.0;
            if (is_ground(d, i, k)) {
                continue;
            }
            if (polygons == NULL) {
                const ov_part *part = part_of(d, i, k);
                at = outline_placed(&at, part->pose);
                radius = part->mesh != NULL ? 0.0 : part->shape.ball.radius;
                points =
                    part->mesh != NULL ? ov_trimesh_vertices(part->mesh) : &part->shape.ball.centre;
                count = part->mesh != NULL ? ov_trimesh_vertex_count(part->mesh) : 1;
            }
            for (size_t v = 0; v < count; v++) {
                double x = ov_vec3_dot(ov_affine_apply(&at, points[v]), direction);
                widen(&all, x - radius, x + radius);
            }
        }
    }
    return all.low <= all.high ? all : (svg_range){-1.0, 1.0};
}

/** The part of a half-space's plane below and around all things. */
static void ground_corners(const sweep_drawing *d, size_t thing, size_t part, ov_vec3 corners[4]) {
    const ov_part *p = part_of(d, thing, part);
    ov_affine at = outline_placed(place_of(d, 0, thing), p->pose);
    ov_vec3 n = ov_mat3_mul_vec3(&at.linear, p->shape.u.halfspace.normal);
    double offset = p->shape.u.halfspace.offset + ov_vec3_dot(n, at.translation);
    ov_vec3 x = fabs(n.x) > 0.9 ? ov_vec3_make(0.0, 1.0, 0.0) : ov_vec3_make(1.0, 0.0, 0.0);
    ov_vec3 t1 = ov_vec3_normalize(ov_vec3_add_scaled(x, n, -ov_vec3_dot(x, n)));
    ov_vec3 t2 = ov_vec3_cross(n, t1);
    svg_range r1 = reach(d, t1), r2 = reach(d, t2);
    for (int i = 0; i < 4; i++) {
        ov_vec3 q = ov_vec3_scale(n, offset);
        q = ov_vec3_add_scaled(q, t1, i == 0 || i == 3 ? r1.low : r1.high);
        corners[i] = ov_vec3_add_scaled(q, t2, i < 2 ? r2.low : r2.high);
    }
}

static void draw_ground(const sweep_drawing *d, size_t thing, size_t part) {
    ov_vec3 corners[4];
    ground_corners(d, thing, part, corners);
    fputs("<path fill=\"#e4e9ef\" fill-opacity=\"0.7\" stroke=\"#b9c3ce\" d=\"", d->out);
    for (int i = 0; i < 4; i++) {
        fprintf(d->out, "%s%.1f %.1f", i == 0 ? "M" : "L",
                sweep_pixel_x(d, ov_vec3_dot(corners[i], d->view.right)),
                sweep_pixel_y(d, ov_vec3_dot(corners[i], d->view.up)));
    }
    fputs("z\"/>\n", d->out);
}

/* ---- all outlines ---------------------------------------------------------------------------- */

bool sweep_measure(sweep_drawing *d) {
    d->across = d->upward = (svg_range){INFINITY, -INFINITY};
    for (size_t i = 0; i < d->things; i++) {
        for (size_t n = 0; n < part_count(d, i) * frame_count(d, i); n++) {
            size_t k = n % part_count(d, i);
            if (!find_outline(d, i, k, n / part_count(d, i))) {
                return false;
            }
            for (size_t p = 0; p < d->outline.count; p++) {
                const double *at = d->outline.points[p];
                widen(&d->across, at[0], at[0]);
                widen(&d->upward, at[1], at[1]);
            }
            if (is_ground(d, i, k)) {
                ov_vec3 corners[4];
                ground_corners(d, i, k, corners);
                for (int c = 0; c < 4; c++) {
                    double x = ov_vec3_dot(corners[c], d->view.right);
                    double y = ov_vec3_dot(corners[c], d->view.up);
                    widen(&d->across, x, x);
                    widen(&d->upward, y, y);
                }
            }
        }
    }
    return true;
}

static void write_loops(const sweep_drawing *d) {
    const outline *o = &d->outline;
    fputs(" d=\"", d->out);
    for (size_t l = 0, p = 0; l < o->loops; l++) {
        for (size_t first = p; p < o->ends[l]; p++) {
            fprintf(d->out, "%s%.1f %.1f", p == first ? "M" : "L",
                    sweep_pixel_x(d, o->points[p][0]), sweep_pixel_y(d, o->points[p][1]));
        }
        fputc('z', d->out);
    }
    fputs("\"/>\n", d->out);
}

/** Each thing that moves has the next colour. */
static const char *colour_of(const sweep_drawing *d, size_t thing) {
    size_t before = 0;
    for (size_t i = 0; i < thing; i++) {
        before += d->moves[i];
    }
    return colours[before % COLOURS];
}

/** Is the thing part of an interval at any time? */
static sweep_state worst_state(const sweep_drawing *d, size_t thing) {
    sweep_state worst = SWEEP_APART;
    for (size_t f = 0; f < d->frames; f++) {
        sweep_state now = d->states[f * d->things + thing];
        worst = now > worst ? now : worst;
    }
    return worst;
}

static bool draw_item(sweep_drawing *d, const item *m) {
    if (!find_outline(d, m->thing, m->part, m->frame)) {
        return false;
    }
    sweep_state state = d->states[m->frame * d->things + m->thing];
    const char *colour = state != SWEEP_APART ? sweep_colour(state) : colour_of(d, m->thing);
    if (!d->moves[m->thing]) {
        state = worst_state(d, m->thing);
        fprintf(d->out,
                "<path fill=\"#ccd4dc\" fill-opacity=\"0.92\" stroke=\"%s\" "
                "stroke-width=\"%s\"",
                state != SWEEP_APART ? sweep_colour(state) : "#7b8794",
                state != SWEEP_APART ? "1.4" : "0.8");
    } else {
        // the first and last place stand out; between, later ones are stronger
        bool ends = m->frame == 0 || m->frame + 1 == d->frames;
        double part = (double)m->frame / (double)(d->frames - 1);
        double fill = state != SWEEP_APART ? 0.34 : ends ? 0.42 : 0.06 + 0.1 * part;
        fprintf(d->out,
                "<path fill=\"%s\" fill-opacity=\"%.2f\" stroke=\"%s\" stroke-opacity=\"%.2f\" "
                "stroke-width=\"%s\"",
                colour, fill, colour, state != SWEEP_APART || ends ? 0.95 : 0.35 + 0.25 * part,
                state != SWEEP_APART || ends ? "1.3" : "0.8");
    }
    // triangles of a mesh would be all edges, and a point nothing at all
    const ov_part *part = sweep_thing_polygons(d->report->subject, m->thing) == NULL
                              ? part_of(d, m->thing, m->part)
                              : NULL;
    const char *edges = part == NULL                              ? ""
                        : part->mesh != NULL                      ? " style=\"stroke-width:0.25\""
                        : part->shape.kind == OV_SHAPE_KIND_POINT ? " style=\"stroke-width:5\""
                                                                  : "";
    fprintf(d->out, "%s stroke-linejoin=\"round\" stroke-linecap=\"round\"", edges);
    write_loops(d);
    return true;
}

static int compare_items(const void *a, const void *b) {
    const item *p = a, *q = b;
    if (p->depth < q->depth || p->depth > q->depth) {
        return p->depth < q->depth ? -1 : 1;
    }
    return p->frame != q->frame  ? (p->frame < q->frame ? -1 : 1)
           : p->thing < q->thing ? -1
                                 : p->thing > q->thing;
}

bool sweep_draw_bodies(sweep_drawing *d) {
    size_t room = 0, count = 0;
    for (size_t i = 0; i < d->things; i++) {
        room += part_count(d, i) * frame_count(d, i);
    }
    item *items = malloc((room + 1) * sizeof *items);
    bool good = items != NULL;
    for (size_t i = 0; i < d->things && good; i++) {
        for (size_t n = 0; n < part_count(d, i) * frame_count(d, i) && good; n++) {
            size_t k = n % part_count(d, i), f = n / part_count(d, i);
            if (is_ground(d, i, k)) {
                draw_ground(d, i, k);
                continue;
            }
            good = find_outline(d, i, k, f);
            items[count++] = (item){d->outline.depth, i, k, f};
        }
    }
    if (good) {
        qsort(items, count, sizeof *items, compare_items);
    }
    for (size_t i = 0; i < count && good; i++) {
        good = draw_item(d, &items[i]);
    }
    free(items);
    return good;
}

/* ---- names ----------------------------------------------------------------------------------- */

/** Where a thing is first: the highest point of its outlines; false where it has none. */
static bool find_top(sweep_drawing *d, size_t thing, double *x, double *y) {
    bool found = false;
    for (size_t k = 0; k < part_count(d, thing); k++) {
        if (is_ground(d, thing, k)) {
            ov_vec3 c[4];
            ground_corners(d, thing, k, c);
            ov_vec3 near = ov_vec3_scale(ov_vec3_add(c[0], c[1]), 0.5);
            *x = sweep_pixel_x(d, ov_vec3_dot(near, d->view.right));
            *y = sweep_pixel_y(d, ov_vec3_dot(near, d->view.up));
            return true;
        }
        if (!find_outline(d, thing, k, 0)) {
            return false;
        }
        for (size_t p = 0; p < d->outline.count; p++) {
            double px = sweep_pixel_x(d, d->outline.points[p][0]);
            double py = sweep_pixel_y(d, d->outline.points[p][1]);
            if (!found || py < *y) {
                *x = px;
                *y = py;
            }
            found = true;
        }
    }
    return found;
}

static bool has_row(const sweep_drawing *d, size_t thing) {
    for (size_t i = 0; i < d->row_count; i++) {
        if (d->rows[i].a == thing || d->rows[i].b == thing) {
            return true;
        }
    }
    return false;
}

void sweep_draw_names(sweep_drawing *d) {
    const double size = 13.0;
    for (size_t i = 0; i < d->things; i++) {
        char name[160];
        table_cut(sweep_thing_name(d->report->subject, i), 32, name, sizeof name);
        double x, y, width = 0.56 * size * (double)table_width(name);
        if ((d->things > NAMES_MAX && !has_row(d, i)) || !find_top(d, i, &x, &y)) {
            continue;
        }
        svg_places_find(&d->names, &x, &y, width, size);
        x = fmin(fmax(x, 6.0), d->width - width - 6.0);
        y = fmin(fmax(y, SVG_PICTURE_HEAD - 8.0), d->bar_top - 14.0);
        char style[64];
        snprintf(style, sizeof style, "font-weight=\"bold\" fill=\"%s\"",
                 d->moves[i] ? colour_of(d, i) : "#4a5561");
        svg_label(d->out, x, y, size, style, name);
    }
}
