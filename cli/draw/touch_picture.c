/**
 * @file touch_picture.c
 * @brief Force and depth of a track over time, as SVG, like [SQMap, Fig. 13].
 */
#include <math.h>

#include "pictures.h"
#include "svg.h"

enum { PLOT_LEFT = 84, PLOT_WIDTH = 930, PLOT_HEIGHT = 180, PLOT_GAP = 64, POINTS_MAX = 4000 };

/** One of the curves of a plot. */
typedef struct curve {
    const char *name, *colour;
    double (*value)(const touch_sample *s, const touch_sample *before);
} curve;

static double force_of(const touch_sample *s, const touch_sample *before) {
    (void)before;
    return ov_vec3_length(s->force.force);
}

static double normal_of(const touch_sample *s, const touch_sample *before) {
    (void)before;
    return ov_vec3_length(s->force.normal);
}

static double tangential_of(const touch_sample *s, const touch_sample *before) {
    (void)before;
    return ov_vec3_length(s->force.tangential);
}

static double change_of(const touch_sample *s, const touch_sample *before) {
    return ov_vec3_length(ov_vec3_sub(s->force.force, before->force.force));
}

static double depth_of(const touch_sample *s, const touch_sample *before) {
    (void)before;
    return 1e3 * s->force.depth;
}

/** Curves over the same time, in one frame. */
typedef struct plot {
    const char *title;
    curve curves[3];
    int count;
} plot;

static const plot plots[] = {
    {"force, N",
     {{"whole", "#1f4e79", force_of},
      {"normal", "#2a9d8f", normal_of},
      {"tangential", "#e07a1f", tangential_of}},
     3},
    {"depth, mm", {{"depth", "#7a3b8f", depth_of}}, 1},
    {"change of force from sample to sample, N", {{"change", "#b03030", change_of}}, 1},
};
enum { PLOT_COUNT = sizeof plots / sizeof plots[0] };

/** The largest value in each of a number of spans of time, so that no spike is left out. */
static double span_most(const curve *c, const touch_sample *s, size_t from, size_t to) {
    double most = 0.0;
    for (size_t i = from; i < to; i++) {
        most = fmax(most, c->value(&s[i], &s[i > 0 ? i - 1 : 0]));
    }
    return most;
}

static void draw_curve(FILE *out, const curve *c, const touch_sample *s, size_t count, double top,
                       double high) {
    size_t spans = count < POINTS_MAX ? count : POINTS_MAX;
    fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.2\" points=\"", c->colour);
    for (size_t k = 0; k < spans; k++) {
        size_t from = k * count / spans, to = (k + 1) * count / spans;
        double x = PLOT_LEFT + PLOT_WIDTH * ((double)k + 0.5) / (double)spans;
        double y = top + PLOT_HEIGHT * (1.0 - span_most(c, s, from, to) / high);
        fprintf(out, "%.1f,%.1f ", x, y);
    }
    fputs("\"/>\n", out);
}

static void draw_frame(FILE *out, const plot *p, double top, double high, double seconds) {
    char text[64];
    fprintf(out,
            "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"#ffffff\" "
            "stroke=\"#c6ced6\"/>\n",
            PLOT_LEFT, top, PLOT_WIDTH, PLOT_HEIGHT);
    svg_label(out, PLOT_LEFT, top - 8.0, 13.0, "fill=\"#1b2530\"", p->title);
    for (int i = 0; i <= 4; i++) {
        double y = top + PLOT_HEIGHT * (1.0 - 0.25 * (double)i);
        double x = PLOT_LEFT + PLOT_WIDTH * 0.25 * (double)i;
        fprintf(out, "<path d=\"M%d %.1fh%d\" stroke=\"#e6eaee\" stroke-width=\"1\"/>\n", PLOT_LEFT,
                y, PLOT_WIDTH);
        (void)snprintf(text, sizeof text, "%.3g", high * 0.25 * (double)i);
        svg_label(out, PLOT_LEFT - 8.0, y + 4.0, 11.0, "text-anchor=\"end\" fill=\"#4a5561\"",
                  text);
        (void)snprintf(text, sizeof text, "%.4g s", seconds * 0.25 * (double)i);
        svg_label(out, x, top + PLOT_HEIGHT + 16.0, 11.0, "text-anchor=\"middle\" fill=\"#4a5561\"",
                  text);
    }
    double x = PLOT_LEFT + PLOT_WIDTH;
    for (int i = p->count - 1; i >= 0 && p->count > 1; i--) {
        (void)snprintf(text, sizeof text, "text-anchor=\"end\" fill=\"%s\"", p->curves[i].colour);
        svg_label(out, x, top - 8.0, 12.0, text, p->curves[i].name);
        x -= 90.0;
    }
}

void touch_picture_draw(FILE *out, const char *title, const touch_sample *samples, size_t count) {
    double height = 70.0 + PLOT_COUNT * (PLOT_HEIGHT + PLOT_GAP);
    double seconds = count > 0 ? samples[count - 1].time : 0.0;
    svg_page_begin(out, title, height);
    for (int k = 0; k < PLOT_COUNT; k++) {
        const plot *p = &plots[k];
        double top = 80.0 + (double)k * (PLOT_HEIGHT + PLOT_GAP), high = 0.0;
        for (int i = 0; i < p->count; i++) {
            high = fmax(high, span_most(&p->curves[i], samples, 0, count));
        }
        high = high > 0.0 ? 1.05 * high : 1.0;
        draw_frame(out, p, top, high, seconds);
        for (int i = 0; i < p->count && count > 0; i++) {
            draw_curve(out, &p->curves[i], samples, count, top, high);
        }
    }
    fputs("</svg>\n", out);
}
