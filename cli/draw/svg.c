/**
 * @file svg.c
 * @brief The view of a picture, its colours, and the marks on top of it.
 *
 * Texts, dots and arrows stay legible on every ground: each is drawn twice, first wider and white.
 */
#include "svg.h"

#include <math.h>

/* ---- the view -------------------------------------------------------------------------------- */

void svg_page_begin(FILE *out, const char *title, double height) {
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
            "viewBox=\"0 0 %d %.0f\" font-family=\"" SVG_FONT "\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#f6f8fa\"/>\n",
            SVG_PAGE_WIDTH, height, SVG_PAGE_WIDTH, height);
    svg_label(out, 0.5 * SVG_PAGE_WIDTH, 34.0, 20.0, "text-anchor=\"middle\" fill=\"#1b2530\"",
              title);
}

svg_range svg_range_empty(void) { return (svg_range){INFINITY, -INFINITY}; }

void svg_range_widen(svg_range *r, double low, double high) {
    r->low = fmin(r->low, low);
    r->high = fmax(r->high, high);
}

bool svg_part_is_bounded(const ov_part *part) {
    return part->mesh != NULL || part->shape.kind != OV_SHAPE_KIND_HALFSPACE;
}

void svg_plane_axes(ov_vec3 normal, ov_vec3 *t1, ov_vec3 *t2) {
    ov_vec3 x = fabs(normal.x) > 0.9 ? ov_vec3_make(0.0, 1.0, 0.0) : ov_vec3_make(1.0, 0.0, 0.0);
    *t1 = ov_vec3_normalize(ov_vec3_add_scaled(x, normal, -ov_vec3_dot(x, normal)));
    *t2 = ov_vec3_cross(normal, *t1);
}

svg_view svg_view_make(double elevation_deg, double scale) {
    const double pi = 3.14159265358979323846, azimuth = -62.0 * pi / 180.0;
    double elevation = elevation_deg * pi / 180.0;
    double ca = cos(azimuth), sa = sin(azimuth), ce = cos(elevation), se = sin(elevation);
    svg_view v;
    v.eye = ov_vec3_make(ce * ca, ce * sa, se);
    v.right = ov_vec3_make(-sa, ca, 0.0);
    v.up = ov_vec3_cross(v.eye, v.right);
    v.light = ov_vec3_scale(v.right, -0.55);
    v.light = ov_vec3_add_scaled(v.light, v.up, 0.75);
    v.light = ov_vec3_normalize(ov_vec3_add_scaled(v.light, v.eye, 0.6));
    v.scale = scale;
    return v;
}

/** Soft light from one side, and a highlight. */
double svg_shade(const svg_view *v, ov_vec3 normal) {
    // light that reaches round the body, so that the side in shadow keeps its form
    double diffuse = (ov_vec3_dot(normal, v->light) + 0.55) / 1.55;
    diffuse = diffuse > 0.0 ? diffuse : 0.0;
    ov_vec3 half = ov_vec3_normalize(ov_vec3_add(v->light, v->eye));
    double mirror = ov_vec3_dot(normal, half);
    double highlight = mirror > 0.0 ? 0.22 * pow(mirror, 30.0) : 0.0;
    return fmin(1.0, 0.04 + 0.74 * diffuse + highlight);
}

void svg_write_colour(FILE *out, const svg_ramp *ramp, const char *attribute, double shade) {
    double at = 3.0 * fmin(fmax(shade, 0.0), 1.0);
    int i = at < 2.0 ? (int)at : 2;
    fprintf(out, " %s=\"#", attribute);
    for (int k = 0; k < 3; k++) {
        double low = ramp->stops[i][k], high = ramp->stops[i + 1][k];
        fprintf(out, "%02lx", (unsigned long)lround(low + (at - i) * (high - low)));
    }
    fputc('"', out);
}

/* ---- texts, arrows, dots --------------------------------------------------------------------- */

void svg_label(FILE *out, double x, double y, double size, const char *style, const char *text) {
    for (int pass = 0; pass < 2; pass++) {
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%g\" %s%s>", x, y, size, style,
                pass == 0 ? " stroke=\"#fff\" stroke-width=\"3.4\" stroke-opacity=\"0.85\" "
                            "stroke-linejoin=\"round\""
                          : "");
        for (const char *s = text; *s != '\0'; s++) {
            switch (*s) {
            case '<':
                fputs("&lt;", out);
                break;
            case '>':
                fputs("&gt;", out);
                break;
            case '&':
                fputs("&amp;", out);
                break;
            default:
                fputc(*s, out);
            }
        }
        fputs("</text>\n", out);
    }
}

void svg_arrow(FILE *out, double x, double y, double dx, double dy, const char *colour) {
    double length = hypot(dx, dy);
    if (length < 1.0) {
        return; // it points at the reader
    }
    double ux = dx / length, uy = dy / length, tip = fmin(9.0, 0.6 * length);
    double ex = x + dx, ey = y + dy;
    for (int pass = 0; pass < 2; pass++) {
        fprintf(out,
                "<path fill=\"%s\" stroke=\"%s\" stroke-width=\"%s\" stroke-linejoin=\"round\" "
                "d=\"M%.1f %.1fL%.1f %.1fM%.1f %.1fL%.1f %.1fL%.1f %.1fz\"/>\n",
                pass == 0 ? "#fff" : colour, pass == 0 ? "#fff" : colour, pass == 0 ? "4.6" : "1.9",
                x, y, ex - 0.7 * tip * ux, ey - 0.7 * tip * uy, ex, ey,
                ex - tip * ux + 0.4 * tip * uy, ey - tip * uy - 0.4 * tip * ux,
                ex - tip * ux - 0.4 * tip * uy, ey - tip * uy + 0.4 * tip * ux);
    }
}

void svg_dot(FILE *out, double x, double y, const char *colour) {
    fprintf(out,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.6\" fill=\"%s\" stroke=\"#fff\" "
            "stroke-width=\"1.3\"/>\n",
            x, y, colour);
}

/* ---- places for texts ------------------------------------------------------------------------ */

void svg_places_take(svg_places *p, double x, double y, double half_width, double half_height) {
    if (p->count < p->room) {
        p->boxes[p->count++] =
            (svg_box){x - half_width, y - half_height, x + half_width, y + half_height};
    }
}

double svg_box_common(svg_box a, svg_box b) {
    double x = fmin(a.x1, b.x1) - fmax(a.x0, b.x0), y = fmin(a.y1, b.y1) - fmax(a.y0, b.y0);
    return x > 0.0 && y > 0.0 ? x * y : 0.0;
}

void svg_places_find(svg_places *p, double *x, double *y, double width, double height) {
    static const double sides[8][2] = {{1, 1}, {1, -1}, {-1, 1}, {-1, -1},
                                       {1, 0}, {-1, 0}, {0, 1},  {0, -1}};
    double least = INFINITY, best_x = *x, best_y = *y;
    for (int k = 0; k < 8; k++) {
        double cx = *x + sides[k][0] * (0.5 * width + 7.0);
        double cy = *y + sides[k][1] * (0.5 * height + 6.0), covered = 0.0;
        svg_box b = {cx - 0.5 * width, cy - 0.5 * height, cx + 0.5 * width, cy + 0.5 * height};
        for (size_t i = 0; i < p->count; i++) {
            covered += svg_box_common(b, p->boxes[i]);
        }
        if (covered < least) {
            least = covered;
            best_x = cx;
            best_y = cy;
        }
    }
    svg_places_take(p, best_x, best_y, 0.5 * width, 0.5 * height);
    *x = best_x - 0.5 * width;
    *y = best_y + 0.35 * height;
}
