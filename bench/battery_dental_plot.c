/**
 * @file battery_dental_plot.c
 * @brief Dental occlusion as SVG: the bite in three frames, and [Benchmark, Figs 13 and 14], time
 * and gap of a frame over the frames.
 *
 * The parts are drawn as they are, not as meshes: the outline of a convex body seen from afar is
 * made of its support points in the directions of the picture.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "battery_dental.h"
#include "battery_plot.h"

enum { PAGE_WIDTH = 1120, PAGE_HEIGHT = 1310 };

/* ---- the teeth */

/** Looks at the teeth: x of the picture to the right, y up, z towards the eye. */
typedef struct view {
    ov_mat3 axes; /**< of the picture, in the world */
    double x, y;  /**< of the world's origin, on the page */
    double scale;
} view;

static view view_from(double azimuth, double elevation, double x, double y, double scale) {
    double ca = cos(azimuth), sa = sin(azimuth), ce = cos(elevation), se = sin(elevation);
    view v = {{{-sa, ca, 0.0}, {-ca * se, -sa * se, ce}, {ca * ce, sa * ce, se}}, x, y, scale};
    return v;
}

static ov_vec2 project(const view *v, ov_vec3 p) {
    ov_vec3 q = ov_mat3_tmul_vec3(&v->axes, p);
    return (ov_vec2){v->x + v->scale * q.x, v->y - v->scale * q.y};
}

static void draw_part(FILE *out, const view *v, const ov_part *part, ov_pose pose,
                      const char *fill) {
    enum { POINTS = 72 };
    ov_quat back = ov_quat_conjugate(pose.rotation);
    fputs("<polygon points=\"", out);
    for (int k = 0; k < POINTS; k++) {
        double angle = 6.283185307179586 * k / POINTS;
        ov_vec3 direction =
            ov_vec3_add_scaled(ov_vec3_scale(v->axes.cx, cos(angle)), v->axes.cy, sin(angle));
        ov_support s;
        if (ov_shape_support(&part->shape, ov_quat_rotate(back, direction), &s) >= 0) {
            ov_vec2 p = project(v, ov_pose_apply(pose, s.point));
            fprintf(out, "%.1f,%.1f ", p.x, p.y);
        }
    }
    fprintf(out, "\" fill=\"%s\" stroke=\"#7d6c4c\" stroke-width=\"0.8\"/>\n", fill);
}

/** Both teeth, the parts from the back to the front. */
static void draw_teeth(FILE *out, const view *v, const dental_study *s, int frame) {
    struct item {
        double depth;
        int tooth;
        size_t part;
    } items[DENTAL_TEETH * DENTAL_PARTS_MAX], one;
    size_t count = 0;
    ov_pose poses[DENTAL_TEETH] = {ov_pose_identity(), dental_bite(frame)};
    for (int k = 0; k < DENTAL_TEETH; k++) {
        for (size_t i = 0; i < s->teeth[k].count; i++) {
            ov_vec3 p = ov_pose_apply(poses[k], s->teeth[k].parts[i].pose.position);
            one = (struct item){ov_vec3_dot(v->axes.cz, p), k, i};
            size_t at = count++;
            for (; at > 0 && items[at - 1].depth > one.depth; at--) {
                items[at] = items[at - 1];
            }
            items[at] = one;
        }
    }
    for (size_t i = 0; i < count; i++) {
        const ov_part *part = &s->teeth[items[i].tooth].parts[items[i].part];
        bool root = part->pose.position.z < 0.0;
        const char *fill = root ? "url(#root)" : "url(#enamel)";
        draw_part(out, v, part, dental_place(poses[items[i].tooth], part->pose), fill);
    }
}

static void draw_nearest(FILE *out, const view *v, const ov_contact *c) {
    ov_vec2 a = project(v, c->point_a), b = project(v, c->point_b);
    plot_line(out, a.x, a.y, b.x, b.y, "stroke=\"#c00000\" stroke-width=\"2.5\"");
    fprintf(out,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"#c00000\"/>\n"
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"#c00000\"/>\n",
            a.x, a.y, b.x, b.y);
}

static void draw_gradient(FILE *out, const char *name, const char *light, const char *dark) {
    fprintf(out,
            "<radialGradient id=\"%s\" cx=\"0.38\" cy=\"0.35\" r=\"0.75\"><stop offset=\"0\" "
            "stop-color=\"%s\"/><stop offset=\"1\" stop-color=\"%s\"/></radialGradient>\n",
            name, light, dark);
}

static void draw_bite(FILE *out, const dental_study *s) {
    static const int frames[] = {0, 40, 79, 130};
    enum { SHOWN = sizeof frames / sizeof frames[0] };
    draw_gradient(out, "enamel", "#fffdf6", "#dfd2b4");
    draw_gradient(out, "root", "#f3e3bd", "#c4a870");
    for (int k = 0; k < SHOWN; k++) {
        char words[96];
        double x = 150.0 + 272.0 * k;
        // from the front and the cheek, so that cusp and fossa are both seen
        view v = view_from(0.5, 0.0, x, 326.0, 8.0);
        draw_teeth(out, &v, s, frames[k]);
        draw_nearest(out, &v, &s->least[frames[k]].contact);
        double gap = s->least[frames[k]].contact.gap;
        snprintf(words, sizeof words, "frame %d: gap %s%.3f mm", frames[k],
                 gap < 0.0 ? "&#8722;" : "", fabs(gap));
        plot_text(out, x, 458.0, "middle", "", words);
    }
}

/* ---- panels over the frames */

typedef struct panel {
    double left, top, width, height;
    double low, high; /**< of y, as it is drawn: logarithms where `decades` */
    bool decades;
} panel;

static double panel_x(const panel *p, double frame) {
    return p->left + p->width * frame / (DENTAL_FRAMES - 1);
}

static double panel_y(const panel *p, double value) {
    double at = p->decades ? log10(fmax(value, PLOT_SMALLEST)) : value;
    double t = (at - p->low) / (p->high - p->low);
    return p->top + p->height * (1.0 - fmin(1.0, fmax(0.0, t)));
}

static void shade_meeting(FILE *out, const panel *p, const dental_study *s) {
    for (int k = 0; k < DENTAL_FRAMES; k++) {
        int from = k;
        while (k < DENTAL_FRAMES && s->half[k] == DENTAL_MEETING) {
            k++;
        }
        if (k > from) {
            double x = panel_x(p, from - 0.5), end = panel_x(p, k - 0.5);
            fprintf(out,
                    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                    "fill=\"#eef2f5\"/>\n",
                    x, p->top, end - x, p->height);
            plot_text(out, 0.5 * (x + end), p->top + 16.0, "middle",
                      "font-size=\"12\" fill=\"#555555\"", "the teeth are in each other");
        }
    }
}

static void draw_axes(FILE *out, const panel *p, const char *title, const char *y_title) {
    double bottom = p->top + p->height, middle = p->left + 0.5 * p->width;
    char words[64];
    for (int frame = 0; frame <= 180; frame += 20) {
        double x = panel_x(p, frame);
        plot_line(out, x, p->top, x, bottom, "stroke=\"" PLOT_GRID "\"");
        snprintf(words, sizeof words, "%d", frame);
        plot_text(out, x, bottom + 19.0, "middle", "", words);
    }
    for (int k = (int)p->low; k <= (int)p->high; k++) {
        double y = panel_y(p, p->decades ? pow(10.0, k) : k);
        plot_line(out, p->left, y, p->left + p->width, y,
                  k == 0 && !p->decades ? "stroke=\"#777777\"" : "stroke=\"" PLOT_GRID "\"");
        if (p->decades && k >= 4) {
            snprintf(words, sizeof words, "10<tspan dy=\"-5\" font-size=\"10\">%d</tspan>", k);
        } else if (p->decades) {
            snprintf(words, sizeof words, "%g", pow(10.0, k));
        } else {
            snprintf(words, sizeof words, "%s%d", k < 0 ? "&#8722;" : "", abs(k));
        }
        plot_text(out, p->left - 7.0, y + 5.0, "end", "", words);
    }
    fprintf(out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
            "stroke=\"%s\"/>\n",
            p->left, p->top, p->width, p->height, PLOT_INK);
    plot_text(out, middle, p->top - 12.0, "middle", "font-weight=\"bold\"", title);
    plot_text(out, middle, bottom + 40.0, "middle", "", "frame of the bite");
    plot_upright(out, p->left - 48.0, p->top + 0.5 * p->height, y_title);
}

/** How a row is drawn; its name stands to the right of the panels. */
typedef struct line_style {
    const char *id, *colour, *style;
} line_style;

// the widest first: thinner ones on top of it stay visible
static const line_style styles[] = {
    {"ovoid_coherent", PLOT_BLUE, "stroke-width=\"4\""},
    {"ovoid_local", PLOT_BLUE, "stroke-width=\"1.4\""},
    {"ovoid_cold", PLOT_BLUE, "stroke-width=\"1.6\" stroke-dasharray=\"8 3 2 3\""},
    {"ovoid_boxes", PLOT_INK, "stroke-width=\"2.4\" stroke-linecap=\"round\""},
    {"quad_implicit", PLOT_GREEN, "stroke-width=\"1.8\" stroke-dasharray=\"2 2\""},
    {"fcl_mesh_distance_6200", PLOT_ORANGE, "stroke-width=\"1.8\" stroke-dasharray=\"6 3\""},
    {"fcl_mesh_distance_24000", PLOT_ORANGE, "stroke-width=\"1.4\""},
};
enum { STYLES = sizeof styles / sizeof styles[0] };

static double value_of(const dental_answer *a, bool time) { return time ? a->ns * 1e-3 : a->gap; }

/** A line over the frames with a value; where there is none, or a jump, it is broken. */
static void draw_row(FILE *out, const panel *p, const dental_row *row, const line_style *style) {
    bool open = false;
    for (int k = 0; k < DENTAL_FRAMES; k++) {
        double value = value_of(&row->frames[k], p->decades);
        bool jump = !p->decades && k > 0 &&
                    fabs(value - row->frames[k - 1].gap) > (1.0 + 1e-6) * dental_motion(k);
        if (open && (isnan(value) || jump)) {
            fputs("\"/>\n", out);
            open = false;
        }
        if (isnan(value)) {
            continue;
        }
        if (!open) {
            fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" %s points=\"", style->colour,
                    style->style);
            open = true;
        }
        fprintf(out, "%.1f,%.1f ", panel_x(p, k), panel_y(p, value));
        if (jump) {
            // a point alone would not be seen
            fprintf(out, "%.1f,%.1f ", panel_x(p, k) + 0.1, panel_y(p, value));
        }
    }
    if (open) {
        fputs("\"/>\n", out);
    }
}

static bool is_drawn(const line_style *style, bool time) {
    // boxes before Ovoid's query say something about the gap, ways with the same gap about the time
    bool boxes = strcmp(style->id, "ovoid_boxes") == 0;
    bool same = strcmp(style->id, "ovoid_cold") == 0 || strcmp(style->id, "ovoid_local") == 0;
    return time ? !boxes : !same;
}

static void draw_rows(FILE *out, const panel *p, const dental_study *s) {
    double y = p->top + 14.0;
    for (int k = 0; k < STYLES; k++) {
        size_t r = dental_find(s, styles[k].id);
        if (r == s->row_count || !is_drawn(&styles[k], p->decades)) {
            continue;
        }
        char whole[120];
        draw_row(out, p, &s->rows[r], &styles[k]);
        snprintf(whole, sizeof whole, "stroke=\"%s\" %s", styles[k].colour, styles[k].style);
        plot_line(out, p->left + p->width + 16.0, y, p->left + p->width + 48.0, y, whole);
        plot_text(out, p->left + p->width + 54.0, y + 4.0, "start", "font-size=\"12\"",
                  s->rows[r].name);
        y += 22.0;
    }
}

/* ---- the page */

static void draw_times(FILE *out, const dental_study *s) {
    panel p = {80.0, 520.0, 720.0, 300.0, 0.0, 3.0, true};
    int low = 0, high = 3;
    for (size_t r = 0; r < s->row_count; r++) {
        for (int k = 0; k < DENTAL_FRAMES && s->rows[r].way != DENTAL_BOXES; k++) {
            bool collide = s->rows[r].way == DENTAL_MESH && !s->rows[r].method->gives_distance;
            plot_widen(collide ? NAN : s->rows[r].frames[k].ns * 1e-3, &low, &high);
        }
    }
    p.low = low;
    p.high = high;
    shade_meeting(out, &p, s);
    draw_axes(out, &p, "Time of a frame (Fig. 13)", "time, &#181;s");
    draw_rows(out, &p, s);
}

static void draw_gaps(FILE *out, const dental_study *s) {
    panel p = {80.0, 920.0, 720.0, 320.0, -1.0, 1.0, false};
    for (int k = 0; k < DENTAL_FRAMES; k++) {
        p.low = fmin(p.low, floor(s->least[k].contact.gap));
        p.high = fmax(p.high, ceil(s->least[k].contact.gap));
    }
    shade_meeting(out, &p, s);
    draw_axes(out, &p, "Minimum distance in a frame (Fig. 14)", "gap, mm");
    draw_rows(out, &p, s);
}

/** What the curves of the lower panel show, beside it. */
static void draw_notes(FILE *out, const dental_study *s) {
    dental_steps steps = dental_step(s, dental_find(s, "ovoid_boxes"));
    char first[80], jumps[80];
    snprintf(first, sizeof first, "before frame %d and after frame %d,", steps.first, steps.last);
    snprintf(jumps, sizeof jumps, "and %zu jumps where the boxes of a", steps.jumps);
    const char *const lines[] = {
        "Below 0: the depth of the overlap.", "Where boxes overlap: no gap",   first, jumps,
        "nearer pair begin to overlap.",      "Ovoid with coherence has none."};
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        plot_text(out, 816.0, 1060.0 + 18.0 * (double)k, "start",
                  "font-size=\"12\" fill=\"#555555\"", lines[k]);
    }
}

void dental_svg(FILE *out, const dental_study *s) {
    plot_page(out, PAGE_WIDTH, PAGE_HEIGHT);
    plot_text(out, 0.5 * PAGE_WIDTH, 30.0, "middle", "font-size=\"17\" font-weight=\"bold\"",
              "Two molars in a bite");
    draw_bite(out, s);
    draw_times(out, s);
    draw_gaps(out, s);
    draw_notes(out, s);
    fputs("</svg>\n", out);
}
