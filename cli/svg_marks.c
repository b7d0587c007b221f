/**
 * @file svg_marks.c
 * @brief Texts, dots and arrows that stay legible on every ground: each is drawn twice, first wider
 * and white.
 */
#include "svg_marks.h"

#include <math.h>

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
