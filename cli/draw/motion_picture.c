/**
 * @file motion_picture.c
 * @brief The picture of a motion: what rests filled, what moves as a fan of outlines, and below
 * them bars of time, one for all and one for each pair of things that could meet.
 *
 * Times are spread evenly over the motion; a few more are those of contacts, which may be too short
 * to be met otherwise. An outline consists of support points: those of the directions within the
 * picture's plane are the outline of a convex body, in order, whatever displacement it has. All
 * outlines are painted from the back to the front by the middle of their depths.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "pictures.h"
#include "svg.h"
#include "table.h"

/** Closed loops of points in the picture's plane, in the world's unit, y up. All zero: none. */
typedef struct outline {
    double (*points)[2];
    size_t count, room;
    size_t *ends; /**< of each loop: number of points up to its last */
    size_t loops, loop_room;
    double depth; /**< towards the reader, of a middle */
} outline;

/** Times of which all things are drawn: so many evenly spread, and a few of contacts. */
enum { EVEN_FRAMES = 16, EXTRA_FRAMES = 8 };
/** Pairs of things that have a bar of their own. */
enum { ROWS_MAX = 10 };

/** What is known of a thing at a time. */
typedef enum contact_state { SWEEP_APART = 0, SWEEP_OPEN, SWEEP_MEETS } contact_state;

/** Two things with an interval. */
typedef struct thing_pair {
    uint32_t a, b;
} thing_pair;

typedef struct drawing {
    FILE *out;
    const sweep_report *report;
    size_t things, frames;
    double times[EVEN_FRAMES + EXTRA_FRAMES]; /**< of the frames, ascending */
    ov_affine *places;                        /**< [frame * things + thing] */
    contact_state *states;                    /**< the same */
    bool *moves;                              /**< one per thing */
    thing_pair rows[ROWS_MAX];
    size_t row_count;
    bool more_rows;
    svg_view view;
    svg_range across, upward; /**< of all that is drawn, along the view's right and up */
    double width, height;     /**< pixels */
    double bar_top;
    outline outline; /**< of one thing, again and again */
    svg_places names;
} drawing;

/** Red for a proven contact, violet for what is open, green for apart: as in pictures of scenes. */
static const char *state_colour(contact_state state) {
    static const char *const colours[] = {"#0b7a4b", "#6b3fa0", "#d0212f"};
    return colours[state];
}

static contact_state state_of(const ov_sweep_interval *interval) {
    return isnan(interval->contact) ? SWEEP_OPEN : SWEEP_MEETS;
}

/* ---- pixels ---------------------------------------------------------------------------------- */

static double pixel_x(const drawing *d, double across) {
    return SVG_PAGE_MARGIN + d->view.scale * (across - d->across.low);
}

static double pixel_y(const drawing *d, double upward) {
    return SVG_PAGE_HEAD + d->view.scale * (d->upward.high - upward);
}

/* ---- where things are ------------------------------------------------------------------------ */

/** A pose within a displaced frame. */
static ov_affine placed(const ov_affine *frame, ov_pose pose) {
    ov_affine own = ov_affine_from_pose(pose);
    return ov_affine_mul(frame, &own);
}

static ov_status scene_places(const sweep_report *r, double time, ov_affine *places) {
    ov_status status = OV_OK;
    const ov_sweep_body *bodies = ov_motion_scene_bodies(r->subject->motion);
    for (size_t i = 0; i < subject_count(r->subject) && status == OV_OK; i++) {
        ov_affine frame = ov_affine_from_pose(ov_pose_identity());
        if (bodies[i].motion != NULL) {
            status = ov_motion_at(bodies[i].motion, time, &frame);
        }
        places[i] = placed(&frame, bodies[i].pose);
    }
    return status;
}

/** Where all things are at a time. */
static ov_status thing_places(const sweep_report *r, double time, ov_affine *places) {
    if (r->subject->motion != NULL) {
        return scene_places(r, time, places);
    }
    const ov_model *model = ov_robot_model(r->subject->robot);
    size_t links = ov_model_link_count(model);
    double *positions = malloc((ov_model_position_count(model) + 1) * sizeof *positions);
    ov_pose *poses = malloc((links + 1) * sizeof *poses);
    ov_status status = positions != NULL && poses != NULL ? OV_OK : OV_ERROR_MEMORY;
    if (status == OV_OK) {
        status = ov_trajectory_at(r->trajectory, time, positions, NULL, NULL);
    }
    if (status == OV_OK) {
        status = ov_model_poses(model, ov_pose_identity(), positions, poses);
    }
    for (size_t i = 0; i < links && status == OV_OK; i++) {
        places[i] = ov_affine_from_pose(poses[i]);
    }
    for (size_t i = 0; i < ov_scene_count(r->subject->obstacles) && status == OV_OK; i++) {
        places[links + i] = ov_affine_from_pose(ov_scene_get(r->subject->obstacles, i)->pose);
    }
    free(positions);
    free(poses);
    return status;
}

/* ---- outlines -------------------------------------------------------------------------------- */

/** Directions around an outline. */
enum { DIRECTIONS = 72 };

static bool add_point(outline *o, const svg_view *view, ov_vec3 p) {
    if (o->count == o->room) {
        double(*points)[2] = cli_more_room(o->points, &o->room, sizeof *points);
        if (points == NULL) {
            return false;
        }
        o->points = points;
    }
    o->points[o->count][0] = ov_vec3_dot(p, view->right);
    o->points[o->count][1] = ov_vec3_dot(p, view->up);
    o->count++;
    return true;
}

/** Ends a loop, turned so that it runs around what it covers in one sense. */
static bool end_loop(outline *o) {
    size_t first = o->loops > 0 ? o->ends[o->loops - 1] : 0;
    double area = 0.0;
    for (size_t i = first; i < o->count; i++) {
        const double *p = o->points[i], *q = o->points[i + 1 < o->count ? i + 1 : first];
        area += p[0] * q[1] - p[1] * q[0];
    }
    for (size_t i = first, k = o->count; area < 0.0 && i + 1 < k; i++) {
        k--;
        for (int axis = 0; axis < 2; axis++) {
            double other = o->points[i][axis];
            o->points[i][axis] = o->points[k][axis];
            o->points[k][axis] = other;
        }
    }
    if (o->loops == o->loop_room) {
        size_t *ends = cli_more_room(o->ends, &o->loop_room, sizeof *ends);
        if (ends == NULL) {
            return false;
        }
        o->ends = ends;
    }
    o->ends[o->loops++] = o->count;
    return true;
}

static bool shape_loop(outline *o, const ov_shape *shape, const ov_affine *place,
                       const svg_view *view) {
    ov_vec3 sum = {0.0, 0.0, 0.0};
    size_t found = 0;
    const double pi = 3.14159265358979323846;
    for (int i = 0; i < DIRECTIONS; i++) {
        double angle = 2.0 * pi * i / DIRECTIONS;
        ov_vec3 d =
            ov_vec3_add_scaled(ov_vec3_scale(view->right, cos(angle)), view->up, sin(angle));
        ov_support s;
        if (ov_shape_support(shape, ov_mat3_tmul_vec3(&place->linear, d), &s) < 0) {
            continue;
        }
        ov_vec3 p = ov_affine_apply(place, s.point);
        sum = ov_vec3_add(sum, p);
        found++;
        if (!add_point(o, view, p)) {
            return false;
        }
    }
    o->depth = found > 0 ? ov_vec3_dot(sum, view->eye) / (double)found : 0.0;
    return found == 0 || end_loop(o);
}

/** Loops through vertices, which are somewhere in the world. */
static bool add_face(outline *o, const ov_vec3 *vertices, const uint32_t *corners, size_t count,
                     const ov_affine *place, const svg_view *view, double *depth) {
    for (size_t k = 0; k < count; k++) {
        ov_vec3 p = ov_affine_apply(place, vertices[corners[k]]);
        *depth += ov_vec3_dot(p, view->eye) / (double)count;
        if (!add_point(o, view, p)) {
            return false;
        }
    }
    return end_loop(o);
}

static bool mesh_loops(outline *o, const ov_trimesh *mesh, const ov_affine *place,
                       const svg_view *view) {
    size_t count = ov_trimesh_triangle_count(mesh);
    double depth = 0.0;
    for (size_t i = 0; i < count; i++) {
        if (!add_face(o, ov_trimesh_vertices(mesh), ov_trimesh_triangles(mesh)[i], 3, place, view,
                      &depth)) {
            return false;
        }
    }
    o->depth = depth / (double)count;
    return true;
}

static bool outline_of_part(outline *o, const ov_part *part, const ov_affine *place,
                            const svg_view *view) {
    ov_affine at = placed(place, part->pose);
    return part->mesh != NULL ? mesh_loops(o, part->mesh, &at, view)
                              : shape_loop(o, &part->shape, &at, view);
}

static bool outline_of_polygons(outline *o, const ov_polygons *polygons, const ov_affine *place,
                                const svg_view *view) {
    size_t count = ov_polygons_count(polygons), size = 0;
    double depth = 0.0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *corners = ov_polygons_corners(polygons, i, &size);
        if (!add_face(o, ov_polygons_vertices(polygons), corners, size, place, view, &depth)) {
            return false;
        }
    }
    o->depth = count > 0 ? depth / (double)count : 0.0;
    return true;
}

static void outline_clear(outline *o) {
    o->count = 0;
    o->loops = 0;
    o->depth = 0.0;
}

static void outline_free(outline *o) {
    free(o->points);
    free(o->ends);
    *o = (outline){NULL, 0, 0, NULL, 0, 0, 0.0};
}

/* ---- times ----------------------------------------------------------------------------------- */

static int compare_times(const void *a, const void *b) {
    const double *p = a, *q = b;
    return *p < *q ? -1 : *p > *q;
}

static void add_row(drawing *d, const ov_sweep_interval *v) {
    size_t i = 0;
    while (i < d->row_count && (d->rows[i].a != v->body_a || d->rows[i].b != v->body_b)) {
        i++;
    }
    if (i < d->row_count) {
        return;
    }
    if (d->row_count == ROWS_MAX) {
        d->more_rows = true;
        return;
    }
    d->rows[d->row_count++] = (thing_pair){v->body_a, v->body_b};
    if (d->row_count <= EXTRA_FRAMES) {
        d->times[d->frames++] = isnan(v->contact) ? 0.5 * (v->start + v->end) : v->contact;
    }
}

static void choose_times(drawing *d) {
    const sweep_report *r = d->report;
    double start = r->start, end = r->end;
    for (int i = 0; i < EVEN_FRAMES; i++) {
        double t = (double)i / (EVEN_FRAMES - 1);
        d->times[d->frames++] = (1.0 - t) * start + t * end;
    }
    for (size_t i = 0; i < r->count; i++) {
        add_row(d, &r->intervals[i]);
    }
    qsort(d->times, d->frames, sizeof d->times[0], compare_times);
}

/** What is known of all things at all times that are drawn. */
static void mark_states(drawing *d) {
    for (size_t i = 0; i < d->report->count; i++) {
        const ov_sweep_interval *v = &d->report->intervals[i];
        contact_state state = state_of(v);
        for (size_t f = 0; f < d->frames; f++) {
            contact_state *a = &d->states[f * d->things + v->body_a];
            contact_state *b = &d->states[f * d->things + v->body_b];
            if (v->start <= d->times[f] && d->times[f] <= v->end) {
                *a = state > *a ? state : *a;
                *b = state > *b ? state : *b;
            }
        }
    }
}

static bool same_place(const ov_affine *a, const ov_affine *b) {
    const ov_vec3 *p[4] = {&a->linear.cx, &a->linear.cy, &a->linear.cz, &a->translation};
    const ov_vec3 *q[4] = {&b->linear.cx, &b->linear.cy, &b->linear.cz, &b->translation};
    for (int i = 0; i < 4; i++) {
        if (p[i]->x != q[i]->x || p[i]->y != q[i]->y || p[i]->z != q[i]->z) {
            return false;
        }
    }
    return true;
}

static ov_status place_all(drawing *d) {
    ov_status status = OV_OK;
    for (size_t f = 0; f < d->frames && status == OV_OK; f++) {
        ov_affine *now = d->places + f * d->things;
        status = thing_places(d->report, d->times[f], now);
        for (size_t i = 0; i < d->things && status == OV_OK; i++) {
            d->moves[i] = d->moves[i] || !same_place(&now[i], &d->places[i]);
        }
    }
    return status;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

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

static const ov_affine *place_of(const drawing *d, size_t frame, size_t thing) {
    return &d->places[frame * d->things + thing];
}

/** Number of outlines of a thing at a time. */
static size_t part_count(const drawing *d, size_t thing) {
    const subject *s = d->report->subject;
    return subject_polygons(s, thing) != NULL ? 1 : ov_geometry_count(subject_geometry(s, thing));
}

/** What rests is drawn once. */
static size_t frame_count(const drawing *d, size_t thing) {
    return d->moves[thing] ? d->frames : 1;
}

static const ov_part *part_of(const drawing *d, size_t thing, size_t part) {
    return ov_geometry_part(subject_geometry(d->report->subject, thing), part);
}

static bool is_ground(const drawing *d, size_t thing, size_t part) {
    return subject_polygons(d->report->subject, thing) == NULL &&
           !svg_part_is_bounded(part_of(d, thing, part));
}

/** Fills d->outline; that of a half-space is empty. */
static bool find_outline(drawing *d, size_t thing, size_t part, size_t frame) {
    const ov_polygons *polygons = subject_polygons(d->report->subject, thing);
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
static svg_range reach(const drawing *d, ov_vec3 direction) {
    svg_range all = svg_range_empty();
    for (size_t i = 0; i < d->things; i++) {
        const ov_polygons *polygons = subject_polygons(d->report->subject, i);
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
                at = placed(&at, part->pose);
                radius = part->mesh != NULL ? 0.0 : part->shape.ball.radius;
                points =
                    part->mesh != NULL ? ov_trimesh_vertices(part->mesh) : &part->shape.ball.centre;
                count = part->mesh != NULL ? ov_trimesh_vertex_count(part->mesh) : 1;
            }
            for (size_t v = 0; v < count; v++) {
                double x = ov_vec3_dot(ov_affine_apply(&at, points[v]), direction);
                svg_range_widen(&all, x - radius, x + radius);
            }
        }
    }
    return all.low <= all.high ? all : (svg_range){-1.0, 1.0};
}

/** The part of a half-space's plane below and around all things. */
static void ground_corners(const drawing *d, size_t thing, size_t part, ov_vec3 corners[4]) {
    const ov_part *p = part_of(d, thing, part);
    ov_affine at = placed(place_of(d, 0, thing), p->pose);
    ov_vec3 n = ov_mat3_mul_vec3(&at.linear, p->shape.u.halfspace.normal);
    double offset = p->shape.u.halfspace.offset + ov_vec3_dot(n, at.translation);
    ov_vec3 t1, t2;
    svg_plane_axes(n, &t1, &t2);
    svg_range r1 = reach(d, t1), r2 = reach(d, t2);
    for (int i = 0; i < 4; i++) {
        ov_vec3 q = ov_vec3_scale(n, offset);
        q = ov_vec3_add_scaled(q, t1, i == 0 || i == 3 ? r1.low : r1.high);
        corners[i] = ov_vec3_add_scaled(q, t2, i < 2 ? r2.low : r2.high);
    }
}

static void draw_ground(const drawing *d, size_t thing, size_t part) {
    ov_vec3 corners[4];
    ground_corners(d, thing, part, corners);
    fputs("<path fill=\"#e4e9ef\" fill-opacity=\"0.7\" stroke=\"#b9c3ce\" d=\"", d->out);
    for (int i = 0; i < 4; i++) {
        fprintf(d->out, "%s%.1f %.1f", i == 0 ? "M" : "L",
                pixel_x(d, ov_vec3_dot(corners[i], d->view.right)),
                pixel_y(d, ov_vec3_dot(corners[i], d->view.up)));
    }
    fputs("z\"/>\n", d->out);
}

/* ---- all outlines ---------------------------------------------------------------------------- */

/** Extent of all things; false for want of memory. */
static bool measure(drawing *d) {
    d->across = d->upward = svg_range_empty();
    for (size_t i = 0; i < d->things; i++) {
        for (size_t n = 0; n < part_count(d, i) * frame_count(d, i); n++) {
            size_t k = n % part_count(d, i);
            if (!find_outline(d, i, k, n / part_count(d, i))) {
                return false;
            }
            for (size_t p = 0; p < d->outline.count; p++) {
                const double *at = d->outline.points[p];
                svg_range_widen(&d->across, at[0], at[0]);
                svg_range_widen(&d->upward, at[1], at[1]);
            }
            if (is_ground(d, i, k)) {
                ov_vec3 corners[4];
                ground_corners(d, i, k, corners);
                for (int c = 0; c < 4; c++) {
                    double x = ov_vec3_dot(corners[c], d->view.right);
                    double y = ov_vec3_dot(corners[c], d->view.up);
                    svg_range_widen(&d->across, x, x);
                    svg_range_widen(&d->upward, y, y);
                }
            }
        }
    }
    return true;
}

static void write_loops(const drawing *d) {
    const outline *o = &d->outline;
    fputs(" d=\"", d->out);
    for (size_t l = 0, p = 0; l < o->loops; l++) {
        for (size_t first = p; p < o->ends[l]; p++) {
            fprintf(d->out, "%s%.1f %.1f", p == first ? "M" : "L", pixel_x(d, o->points[p][0]),
                    pixel_y(d, o->points[p][1]));
        }
        fputc('z', d->out);
    }
    fputs("\"/>\n", d->out);
}

/** Each thing that moves has the next colour. */
static const char *colour_of(const drawing *d, size_t thing) {
    size_t before = 0;
    for (size_t i = 0; i < thing; i++) {
        before += d->moves[i];
    }
    return colours[before % COLOURS];
}

/** Is the thing part of an interval at any time? */
static contact_state worst_state(const drawing *d, size_t thing) {
    contact_state worst = SWEEP_APART;
    for (size_t f = 0; f < d->frames; f++) {
        contact_state now = d->states[f * d->things + thing];
        worst = now > worst ? now : worst;
    }
    return worst;
}

static bool draw_item(drawing *d, const item *m) {
    if (!find_outline(d, m->thing, m->part, m->frame)) {
        return false;
    }
    contact_state state = d->states[m->frame * d->things + m->thing];
    const char *colour = state != SWEEP_APART ? state_colour(state) : colour_of(d, m->thing);
    if (!d->moves[m->thing]) {
        state = worst_state(d, m->thing);
        fprintf(d->out,
                "<path fill=\"#ccd4dc\" fill-opacity=\"0.92\" stroke=\"%s\" "
                "stroke-width=\"%s\"",
                state != SWEEP_APART ? state_colour(state) : "#7b8794",
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
    const ov_part *part = subject_polygons(d->report->subject, m->thing) == NULL
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

static bool draw_bodies(drawing *d) {
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
static bool find_top(drawing *d, size_t thing, double *x, double *y) {
    bool found = false;
    for (size_t k = 0; k < part_count(d, thing); k++) {
        if (is_ground(d, thing, k)) {
            ov_vec3 c[4];
            ground_corners(d, thing, k, c);
            ov_vec3 near = ov_vec3_scale(ov_vec3_add(c[0], c[1]), 0.5);
            *x = pixel_x(d, ov_vec3_dot(near, d->view.right));
            *y = pixel_y(d, ov_vec3_dot(near, d->view.up));
            return true;
        }
        if (!find_outline(d, thing, k, 0)) {
            return false;
        }
        for (size_t p = 0; p < d->outline.count; p++) {
            double px = pixel_x(d, d->outline.points[p][0]);
            double py = pixel_y(d, d->outline.points[p][1]);
            if (!found || py < *y) {
                *x = px;
                *y = py;
            }
            found = true;
        }
    }
    return found;
}

static bool has_row(const drawing *d, size_t thing) {
    for (size_t i = 0; i < d->row_count; i++) {
        if (d->rows[i].a == thing || d->rows[i].b == thing) {
            return true;
        }
    }
    return false;
}

static void draw_names(drawing *d) {
    const double size = 13.0;
    for (size_t i = 0; i < d->things; i++) {
        char name[160];
        table_cut(subject_name(d->report->subject, i), 32, name, sizeof name);
        double x, y, width = 0.56 * size * (double)table_width(name);
        if ((d->things > NAMES_MAX && !has_row(d, i)) || !find_top(d, i, &x, &y)) {
            continue;
        }
        svg_places_find(&d->names, &x, &y, width, size);
        x = fmin(fmax(x, 6.0), d->width - width - 6.0);
        y = fmin(fmax(y, SVG_PAGE_HEAD - 8.0), d->bar_top - 14.0);
        char style[64];
        snprintf(style, sizeof style, "font-weight=\"bold\" fill=\"%s\"",
                 d->moves[i] ? colour_of(d, i) : "#4a5561");
        svg_label(d->out, x, y, size, style, name);
    }
}

/* ---- bars of time ---------------------------------------------------------------------------- */

static const double row_height = 24.0, bar_height = 13.0, text_size = 12.0;
/** What is free, and what comes after the first contact where only that was looked for. */
static const char free_colour[] = "#58a886", unknown_colour[] = "#dde2e8";

/** Columns of a name in a label, and bytes of it and of the label. */
enum { NAME_COLUMNS = 20, NAME_BYTES = 4 * NAME_COLUMNS + 8, LABEL_MAX = 2 * NAME_BYTES + 4 };

typedef struct bar {
    const drawing *d;
    double left, right;
} bar;

/** Height of the bars, in pixels. */
static double bars_height(const drawing *d) {
    // rows, the scale, the legend
    return row_height * (double)(1 + d->row_count + d->more_rows) + 76.0;
}

static void write_label(const drawing *d, const thing_pair *row, char text[LABEL_MAX]) {
    const subject *s = d->report->subject;
    char a[NAME_BYTES], b[NAME_BYTES];
    table_cut(subject_name(s, row->a), NAME_COLUMNS, a, sizeof a);
    table_cut(subject_name(s, row->b), NAME_COLUMNS, b, sizeof b);
    snprintf(text, LABEL_MAX, "%s, %s", a, b);
}

static double label_width(const drawing *d) {
    double most = 60.0;
    for (size_t i = 0; i < d->row_count; i++) {
        char text[LABEL_MAX];
        write_label(d, &d->rows[i], text);
        most = fmax(most, 0.56 * text_size * (double)table_width(text));
    }
    return most;
}

static double at_time(const bar *b, double time) {
    const sweep_report *r = b->d->report;
    double t = (time - r->start) / (r->end - r->start);
    return b->left + (b->right - b->left) * fmin(fmax(t, 0.0), 1.0);
}

static void draw_interval(const bar *b, double y, double from, double to, const char *colour) {
    // what is shorter than can be seen is made as wide as that
    double x = at_time(b, from), width = fmax(at_time(b, to) - x, 2.0);
    fprintf(b->d->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
            fmin(x, b->right - width), y, width, bar_height, colour);
}

/** The intervals of a row (null: all), proven contacts over the others. */
static void draw_intervals(const bar *b, double y, const thing_pair *row) {
    const sweep_report *r = b->d->report;
    for (contact_state state = SWEEP_OPEN; state <= SWEEP_MEETS; state++) {
        double done = -INFINITY;
        for (size_t i = 0; i < r->count; i++) {
            const ov_sweep_interval *v = &r->intervals[i];
            bool mine = row == NULL || (v->body_a == row->a && v->body_b == row->b);
            // many may fall on what is painted already
            if (mine && state_of(v) == state && at_time(b, v->end) > done + 0.2) {
                draw_interval(b, y, v->start, v->end, state_colour(state));
                done = fmax(done, fmax(at_time(b, v->end), at_time(b, v->start) + 1.8));
            }
        }
    }
}

static void draw_row(const bar *b, double y, const char *label, const thing_pair *row) {
    const sweep_report *r = b->d->report;
    double known = r->end;
    // what comes after the first contact was not looked at
    if (r->options.first_only && r->summary.answer != OV_SWEEP_ANSWER_FREE) {
        known = r->summary.lower;
    }
    fprintf(b->d->out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
            "fill=\"%s\"/>\n",
            b->left, y, b->right - b->left, bar_height, unknown_colour);
    if (known > r->start) {
        draw_interval(b, y, r->start, known, row == NULL ? free_colour : "#cfe6db");
    }
    draw_intervals(b, y, row);
    svg_label(b->d->out, b->left - 8.0, y + bar_height - 2.5, text_size,
              "text-anchor=\"end\" fill=\"#1b2530\"", label);
}

/** A step of 1, 2 or 5 times a power of ten, for no more than so many of them. */
static double nice_step(double range, double most) {
    double step = pow(10.0, floor(log10(range / most)));
    if (!(step > 0.0)) {
        return range; // too short to be divided
    }
    while (range / step > most) {
        double lead = step / pow(10.0, floor(log10(step * 1.000001)));
        step *= lead > 1.5 && lead < 3.0 ? 2.5 : 2.0;
    }
    return step;
}

static void draw_scale(const bar *b, double y) {
    const sweep_report *r = b->d->report;
    int digits = table_time_digits(r->start, r->end, 6);
    // long numbers must not run into each other
    double room = floor((b->right - b->left) / (7.0 * (digits + 3)));
    double step = nice_step(r->end - r->start, fmin(fmax(room, 2.0), 8.0));
    double first = ceil(r->start / step - 1e-9);
    for (int i = 0; i <= 10; i++) {
        double time = (first + i) * step;
        // a step beyond the precision of the times leaves nothing to mark
        if (!(time <= r->end + fmax(1e-9 * step, 1e-15 * fabs(r->end))) || !isfinite(time)) {
            break;
        }
        char text[32];
        double x = at_time(b, time);
        snprintf(text, sizeof text, "%.*g", digits, fabs(time) < 1e-9 * step ? 0.0 : time);
        fprintf(b->d->out, "<path stroke=\"#7b8794\" d=\"M%.1f %.1fv5\"/>\n", x, y);
        svg_label(b->d->out, x, y + 18.0, 11.0, "text-anchor=\"middle\" fill=\"#4a5561\"", text);
    }
}

static void write_answer(const sweep_report *r, char *text, size_t size) {
    const ov_sweep_summary *m = &r->summary;
    int digits = table_time_digits(r->start, r->end, 9);
    char what[48], since[48] = "from the start";
    if (m->answer == OV_SWEEP_ANSWER_FREE) {
        snprintf(text, size, "free at every time, proven");
        return;
    }
    snprintf(what, sizeof what,
             m->answer == OV_SWEEP_ANSWER_CONTACT ? "contact at %.*g" : "undecided", digits,
             m->upper);
    if (m->lower > r->start) {
        snprintf(since, sizeof since, "free before %.*g", digits, m->lower);
    }
    snprintf(text, size, "%s; %s", what, since);
}

static void draw_legend(const bar *b, double y) {
    const sweep_report *r = b->d->report;
    const char *const texts[] = {"proven free", "contact", "not decided", "not looked at"};
    const char *const colours[] = {free_colour, state_colour(SWEEP_MEETS), state_colour(SWEEP_OPEN),
                                   unknown_colour};
    int count = r->options.first_only && r->summary.answer != OV_SWEEP_ANSWER_FREE ? 4 : 3;
    double x = b->left;
    for (int i = 0; i < count; i++) {
        fprintf(b->d->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"11\" height=\"11\" fill=\"%s\"/>\n",
                x, y - 10.0, colours[i]);
        svg_label(b->d->out, x + 16.0, y, 11.0, "fill=\"#4a5561\"", texts[i]);
        x += 40.0 + 6.0 * (double)strlen(texts[i]);
    }
    char answer[128];
    write_answer(r, answer, sizeof answer);
    contact_state state = r->summary.answer == OV_SWEEP_ANSWER_FREE      ? SWEEP_APART
                          : r->summary.answer == OV_SWEEP_ANSWER_CONTACT ? SWEEP_MEETS
                                                                         : SWEEP_OPEN;
    char style[96];
    snprintf(style, sizeof style, "text-anchor=\"end\" font-weight=\"bold\" fill=\"%s\"",
             state_colour(state));
    svg_label(b->d->out, b->right, y, 12.0, style, answer);
}

static void draw_bars(const drawing *d) {
    bar b = {d, SVG_PAGE_MARGIN + label_width(d), d->width - SVG_PAGE_MARGIN};
    double y = d->bar_top;
    for (size_t f = 0; f < d->frames; f++) {
        fprintf(d->out, "<path stroke=\"#9aa5b1\" d=\"M%.1f %.1fv4\"/>\n", at_time(&b, d->times[f]),
                y - 6.0);
    }
    draw_row(&b, y, "all", NULL);
    for (size_t i = 0; i < d->row_count; i++) {
        char label[LABEL_MAX];
        y += row_height;
        write_label(d, &d->rows[i], label);
        draw_row(&b, y, label, &d->rows[i]);
    }
    if (d->more_rows) {
        y += row_height;
        svg_label(d->out, b.left, y + bar_height - 2.5, text_size, "fill=\"#4a5561\"",
                  "and other pairs");
    }
    draw_scale(&b, y + bar_height + 4.0);
    draw_legend(&b, y + bar_height + 46.0);
}

/* ---- the page -------------------------------------------------------------------------------- */

static void fit(drawing *d) {
    double across = d->across.high - d->across.low, upward = d->upward.high - d->upward.low;
    double room = SVG_PAGE_WIDTH - 2.0 * SVG_PAGE_MARGIN;
    double scale = fmin(room / across, SVG_PAGE_MOST_HEIGHT / upward);
    d->view.scale = isfinite(scale) && scale > 0.0 ? scale : 1.0;
    d->width = SVG_PAGE_WIDTH;
    // what is narrower than the page stands in its middle
    if (isfinite(scale) && scale > 0.0) {
        double spare = 0.5 * (room / scale - across);
        d->across.low -= spare;
        d->across.high += spare;
    } else {
        d->across = d->upward = (svg_range){0.0, 0.0};
        upward = 0.0;
    }
    d->bar_top = SVG_PAGE_HEAD + d->view.scale * upward + 34.0;
    d->height = d->bar_top + bars_height(d);
}

static void write_head(const drawing *d) {
    const subject *s = d->report->subject;
    const char *title =
        s->robot != NULL ? ov_robot_name(s->robot) : ov_motion_scene_title(s->motion);
    char cut[256];
    table_cut(title[0] != '\0' ? title : "Motion", 70, cut, sizeof cut);
    fprintf(d->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" font-family=\"%s\">\n<title>A motion and its collisions"
            "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fbfcfd\"/>\n",
            d->width, d->height, d->width, d->height, SVG_FONT);
    svg_label(d->out, 0.5 * d->width, 36.0, 22.0,
              "text-anchor=\"middle\" font-weight=\"bold\" fill=\"#1b2530\"", cut);
}

static ov_status draw(drawing *d) {
    choose_times(d);
    d->places = calloc(d->frames * d->things + 1, sizeof *d->places);
    d->states = calloc(d->frames * d->things + 1, sizeof *d->states);
    d->moves = calloc(d->things + 1, sizeof *d->moves);
    d->names.room = d->things;
    d->names.boxes = calloc(d->things + 1, sizeof *d->names.boxes);
    if (d->places == NULL || d->states == NULL || d->moves == NULL || d->names.boxes == NULL) {
        return OV_ERROR_MEMORY;
    }
    mark_states(d);
    d->view = svg_view_make(32.0, 1.0);
    ov_status status = place_all(d);
    if (status != OV_OK) {
        return status;
    }
    if (!measure(d)) {
        return OV_ERROR_MEMORY;
    }
    fit(d);
    write_head(d);
    if (!draw_bodies(d)) {
        return OV_ERROR_MEMORY;
    }
    draw_names(d);
    draw_bars(d);
    fputs("</svg>\n", d->out);
    return OV_OK;
}

/** Parts and faces of all things. */
static size_t count_pieces(const subject *s) {
    size_t pieces = 0;
    for (size_t i = 0; i < subject_count(s); i++) {
        const ov_geometry *geometry = subject_geometry(s, i);
        pieces += ov_polygons_count(subject_polygons(s, i));
        for (size_t k = 0; k < ov_geometry_count(geometry); k++) {
            const ov_part *part = ov_geometry_part(geometry, k);
            pieces += part->mesh != NULL ? ov_trimesh_triangle_count(part->mesh) : 1;
        }
    }
    return pieces;
}

int motion_picture_draw(cli *c, const sweep_report *r, const cli_output *out) {
    size_t things = subject_count(r->subject), pieces = count_pieces(r->subject);
    if (things > MOTION_PICTURE_THINGS_MAX || pieces > MOTION_PICTURE_PIECES_MAX) {
        return cli_error(c, out->path,
                         "not drawn: %zu bodies with %zu parts and faces, a picture takes %d and "
                         "%d",
                         things, pieces, MOTION_PICTURE_THINGS_MAX, MOTION_PICTURE_PIECES_MAX);
    }
    drawing d = {.out = out->stream, .report = r, .things = things};
    ov_status drawn = draw(&d);
    free(d.places);
    free(d.states);
    free(d.moves);
    free(d.names.boxes);
    outline_free(&d.outline);
    return drawn < 0 ? cli_error(c, out->path, "%s", ov_status_message(drawn)) : CLI_OK;
}
