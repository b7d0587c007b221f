/**
 * @file svg_scene_marks.c
 * @brief Marks on the picture of a scene: witness points, normals, gaps and names.
 */
#include <math.h>
#include <string.h>

#include "svg_picture.h"

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

static void draw_mark(svg_picture *p, const ov_contact *c) {
    const double arrow = 34.0;
    const char *colour = colour_of(c->relation);
    double ax = svg_pixel_x(p, c->point_a), ay = svg_pixel_y(p, c->point_a);
    double bx = svg_pixel_x(p, c->point_b), by = svg_pixel_y(p, c->point_b);
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

static void draw_gap(svg_picture *p, const ov_contact *c) {
    const double size = 12.0;
    char text[64], style[64];
    double x = 0.5 * (svg_pixel_x(p, c->point_a) + svg_pixel_x(p, c->point_b));
    double y = 0.5 * (svg_pixel_y(p, c->point_a) + svg_pixel_y(p, c->point_b));
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
static double covered_by_name(const svg_picture *p, size_t i, svg_box name) {
    double covered = 0.0;
    for (size_t j = 0; j < p->bodies; j++) {
        const svg_range *s = &p->spans[3 * j];
        if (j != i && p->bounded[j]) {
            svg_box body = {SVG_PICTURE_MARGIN + p->view.scale * (s[0].low - p->across.low),
                            SVG_PICTURE_HEAD + p->view.scale * (p->upward.high - s[1].high),
                            SVG_PICTURE_MARGIN + p->view.scale * (s[0].high - p->across.low),
                            SVG_PICTURE_HEAD + p->view.scale * (p->upward.high - s[1].low)};
            covered += svg_box_common(name, body);
        }
    }
    for (size_t k = 0; k < p->places.count; k++) {
        covered += svg_box_common(name, p->places.boxes[k]);
    }
    return covered;
}

/** Names stand above their bodies, or below where less is covered there. */
static void draw_names(svg_picture *p) {
    for (size_t i = 0; i < p->bodies; i++) {
        const ov_scene_body *b = ov_scene_get(p->scene, i);
        const svg_range *s = &p->spans[3 * i];
        double half = 3.6 * (double)strlen(b->name);
        double x =
            SVG_PICTURE_MARGIN + p->view.scale * (0.5 * (s[0].low + s[0].high) - p->across.low);
        double y = SVG_PICTURE_HEAD + p->view.scale * (p->upward.high - s[1].high) - 7.0;
        double below = SVG_PICTURE_HEAD + p->view.scale * (p->upward.high - s[1].low) + 17.0;
        if (b == p->ground.body) {
            x = 0.5 * (svg_pixel_x(p, p->ground.corners[0]) + svg_pixel_x(p, p->ground.corners[1]));
            y = 0.5 *
                    (svg_pixel_y(p, p->ground.corners[0]) + svg_pixel_y(p, p->ground.corners[1])) +
                18.0;
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

static void draw_legend(const svg_picture *p) {
    static const ov_relation relations[] = {OV_RELATION_OVERLAPPING, OV_RELATION_TOUCHING,
                                            OV_RELATION_SEPARATED};
    static const char *const texts[] = {"overlapping: minus the depth", "touching",
                                        "separated: the gap"};
    double y = p->height - 24.0, x = SVG_PICTURE_MARGIN;
    for (int i = 0; i < 3; i++) {
        svg_dot(p->out, x, y - 4.0, colour_of(relations[i]));
        svg_label(p->out, x + 11.0, y, 13.0, "fill=\"#333\"", texts[i]);
        x += 36.0 + 6.4 * (double)strlen(texts[i]);
    }
    svg_arrow(p->out, x, y - 4.0, 28.0, 0.0, "#333");
    svg_label(p->out, x + 38.0, y, 13.0, "fill=\"#333\"", "normal, from A to B");
}

void svg_draw_marks(svg_picture *p) {
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
    draw_legend(p);
}
