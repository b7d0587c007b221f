/**
 * @file sweep_picture.c
 * @brief The picture of a motion: which times are drawn, how large, and its frame.
 *
 * Times are spread evenly over the motion; a few more are those of contacts, which may be too short
 * to be met otherwise.
 */
#include "sweep_picture.h"

#include <math.h>
#include <stdlib.h>

#include "sweep_drawing.h"
#include "table.h"

static const double pi = 3.14159265358979323846;
static const char font[] = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

const char *sweep_colour(sweep_state state) {
    static const char *const colours[] = {"#0b7a4b", "#6b3fa0", "#d0212f"};
    return colours[state];
}

sweep_state sweep_state_of(const ov_sweep_interval *interval) {
    return isnan(interval->contact) ? SWEEP_OPEN : SWEEP_MEETS;
}

/* ---- times ----------------------------------------------------------------------------------- */

static int compare_times(const void *a, const void *b) {
    const double *p = a, *q = b;
    return *p < *q ? -1 : *p > *q;
}

static void add_row(sweep_drawing *d, const ov_sweep_interval *v) {
    size_t i = 0;
    while (i < d->row_count && (d->rows[i].a != v->body_a || d->rows[i].b != v->body_b)) {
        i++;
    }
    if (i < d->row_count) {
        return;
    }
    if (d->row_count == SWEEP_ROWS_MAX) {
        d->more_rows = true;
        return;
    }
    d->rows[d->row_count++] = (sweep_row){v->body_a, v->body_b};
    if (d->row_count <= SWEEP_EXTRA_FRAMES) {
        d->times[d->frames++] = isnan(v->contact) ? 0.5 * (v->start + v->end) : v->contact;
    }
}

static void choose_times(sweep_drawing *d) {
    const sweep_report *r = d->report;
    double start = r->subject->start, end = r->subject->end;
    for (int i = 0; i < SWEEP_EVEN_FRAMES; i++) {
        double t = (double)i / (SWEEP_EVEN_FRAMES - 1);
        d->times[d->frames++] = (1.0 - t) * start + t * end;
    }
    for (size_t i = 0; i < r->count; i++) {
        add_row(d, &r->intervals[i]);
    }
    qsort(d->times, d->frames, sizeof d->times[0], compare_times);
}

/** What is known of all things at all times that are drawn. */
static void mark_states(sweep_drawing *d) {
    for (size_t i = 0; i < d->report->count; i++) {
        const ov_sweep_interval *v = &d->report->intervals[i];
        sweep_state state = sweep_state_of(v);
        for (size_t f = 0; f < d->frames; f++) {
            sweep_state *a = &d->states[f * d->things + v->body_a];
            sweep_state *b = &d->states[f * d->things + v->body_b];
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

static ov_status place_all(sweep_drawing *d) {
    ov_status status = OV_OK;
    for (size_t f = 0; f < d->frames && status == OV_OK; f++) {
        ov_affine *now = d->places + f * d->things;
        status = sweep_thing_places(d->report->subject, d->times[f], now);
        for (size_t i = 0; i < d->things && status == OV_OK; i++) {
            d->moves[i] = d->moves[i] || !same_place(&now[i], &d->places[i]);
        }
    }
    return status;
}

/* ---- the page -------------------------------------------------------------------------------- */

double sweep_pixel_x(const sweep_drawing *d, double across) {
    return SVG_PICTURE_MARGIN + d->view.scale * (across - d->across.low);
}

double sweep_pixel_y(const sweep_drawing *d, double upward) {
    return SVG_PICTURE_HEAD + d->view.scale * (d->upward.high - upward);
}

static void fit(sweep_drawing *d) {
    double across = d->across.high - d->across.low, upward = d->upward.high - d->upward.low;
    double room = SVG_PICTURE_WIDTH - 2.0 * SVG_PICTURE_MARGIN;
    double scale = fmin(room / across, SVG_PICTURE_MOST_HEIGHT / upward);
    d->view.scale = isfinite(scale) && scale > 0.0 ? scale : 1.0;
    d->width = SVG_PICTURE_WIDTH;
    // what is narrower than the page stands in its middle
    if (isfinite(scale) && scale > 0.0) {
        double spare = 0.5 * (room / scale - across);
        d->across.low -= spare;
        d->across.high += spare;
    } else {
        d->across = d->upward = (svg_range){0.0, 0.0};
        upward = 0.0;
    }
    d->bar_top = SVG_PICTURE_HEAD + d->view.scale * upward + 34.0;
    d->height = d->bar_top + sweep_bar_height(d);
}

static void write_head(const sweep_drawing *d) {
    const sweep_subject *s = d->report->subject;
    const char *title =
        s->robot != NULL ? ov_robot_name(s->robot) : ov_motion_scene_title(s->scene);
    char cut[256];
    table_cut(title[0] != '\0' ? title : "Motion", 70, cut, sizeof cut);
    fprintf(d->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" font-family=\"%s\">\n<title>A motion and its collisions"
            "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fbfcfd\"/>\n",
            d->width, d->height, d->width, d->height, font);
    svg_label(d->out, 0.5 * d->width, 36.0, 22.0,
              "text-anchor=\"middle\" font-weight=\"bold\" fill=\"#1b2530\"", cut);
}

static ov_status draw(sweep_drawing *d) {
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
    d->view = svg_view_make(-62.0 * pi / 180.0, 32.0 * pi / 180.0, 1.0);
    ov_status status = place_all(d);
    if (status != OV_OK) {
        return status;
    }
    if (!sweep_measure(d)) {
        return OV_ERROR_MEMORY;
    }
    fit(d);
    write_head(d);
    if (!sweep_draw_bodies(d)) {
        return OV_ERROR_MEMORY;
    }
    sweep_draw_names(d);
    sweep_draw_bar(d);
    fputs("</svg>\n", d->out);
    return OV_OK;
}

/** Parts and faces of all things. */
static size_t count_pieces(const sweep_subject *s) {
    size_t pieces = 0;
    for (size_t i = 0; i < sweep_thing_count(s); i++) {
        const ov_geometry *geometry = sweep_thing_geometry(s, i);
        pieces += ov_polygons_count(sweep_thing_polygons(s, i));
        for (size_t k = 0; k < ov_geometry_count(geometry); k++) {
            const ov_part *part = ov_geometry_part(geometry, k);
            pieces += part->mesh != NULL ? ov_trimesh_triangle_count(part->mesh) : 1;
        }
    }
    return pieces;
}

int sweep_picture_write(cli *c, const sweep_report *r, const cli_output *out) {
    size_t things = sweep_thing_count(r->subject), pieces = count_pieces(r->subject);
    if (things > SWEEP_PICTURE_THINGS_MAX || pieces > SWEEP_PICTURE_PIECES_MAX) {
        return cli_error(c, out->path,
                         "not drawn: %zu bodies with %zu parts and faces, a picture takes %d and "
                         "%d",
                         things, pieces, SWEEP_PICTURE_THINGS_MAX, SWEEP_PICTURE_PIECES_MAX);
    }
    sweep_drawing d = {.out = out->stream, .report = r, .things = things};
    ov_status drawn = draw(&d);
    free(d.places);
    free(d.states);
    free(d.moves);
    free(d.names.boxes);
    outline_free(&d.outline);
    return drawn < 0 ? cli_error(c, out->path, "%s", ov_status_message(drawn)) : CLI_OK;
}
