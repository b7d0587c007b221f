/**
 * @file battery_portal_plot.c
 * @brief The picture of `ovoid-bench portal`: gaps of the eight cases, and for cases 7 and 8 how
 * far each constraint set ends from the certified gap.
 */
#ifdef OVOID_SCHEMES

#include "battery_portal.h"

#include <math.h>

#include "battery_plot.h"

/** A panel whose x axis is a row of names. */
typedef struct columns {
    double left, top, width, height;
    int count;
    double y_first, y_last; /**< values, or decades where `decades` is set */
    bool decades;
} columns;

static double column_x(const columns *c, int i) {
    return c->left + c->width * (i + 0.5) / c->count;
}

static double value_y(const columns *c, double value) {
    double v = c->decades ? log10(fmax(value, PLOT_SMALLEST)) : value;
    double t = (v - c->y_first) / (c->y_last - c->y_first);
    return c->top + c->height * (1.0 - fmin(1.0, fmax(0.0, t)));
}

static void frame(FILE *out, const columns *c, const char *title, const char *x_title,
                  const char *y_title, char first_name) {
    double right = c->left + c->width, bottom = c->top + c->height;
    double step = c->decades ? 1.0 : 0.5;
    int lines = (int)lround((c->y_last - c->y_first) / step);
    for (int i = 0; i <= lines; i++) {
        double v = c->y_first + step * i, y = bottom - c->height * i / lines;
        char words[64];
        plot_line(out, c->left, y, right, y, "stroke=\"" PLOT_GRID "\"");
        if (!c->decades) {
            snprintf(words, sizeof words, "%s%.1f", v < 0.0 ? "&#8722;" : "", fabs(v));
        } else {
            snprintf(words, sizeof words, "10<tspan dy=\"-5\" font-size=\"10\">%s%.0f</tspan>",
                     v < 0.0 ? "&#8722;" : "", fabs(v));
        }
        if (!c->decades || i % 2 == 0) {
            plot_text(out, c->left - 6.0, y + 5.0, "end", "", words);
        }
    }
    for (int i = 0; i < c->count; i++) {
        char words[2] = {(char)(first_name + i), '\0'};
        plot_text(out, column_x(c, i), bottom + 18.0, "middle", "", words);
        if (i > 0) {
            double x = c->left + c->width * i / c->count;
            plot_line(out, x, c->top, x, bottom, "stroke=\"" PLOT_GRID "\"");
        }
    }
    fprintf(out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
            "stroke=\"%s\"/>\n",
            c->left, c->top, c->width, c->height, PLOT_INK);
    plot_text(out, c->left + 0.5 * c->width, c->top - 10.0, "middle", "font-weight=\"bold\"",
              title);
    plot_text(out, c->left + 0.5 * c->width, bottom + 40.0, "middle", "", x_title);
    plot_upright(out, c->left - 48.0, c->top + 0.5 * c->height, y_title);
}

/* ---- marks: colour, form and filling say the same thing, so that print without colours will do */

typedef enum mark {
    MARK_PRINTED,
    MARK_IPOPT,
    MARK_SLSQP,
    MARK_IPOPT_MENDED,
    MARK_SLSQP_MENDED
} mark;
enum { MARKS = 5 };

static void put_mark(FILE *out, double x, double y, mark m, bool converged) {
    bool filled = m == MARK_IPOPT || m == MARK_IPOPT_MENDED;
    bool mended = m == MARK_IPOPT_MENDED || m == MARK_SLSQP_MENDED;
    const char *colour = m == MARK_PRINTED ? PLOT_INK : mended ? PLOT_BLUE : PLOT_ORANGE;
    const char *fill = filled ? colour : "white";
    if (m == MARK_PRINTED) {
        fprintf(out,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"8\" height=\"8\" fill=\"%s\" stroke=\"%s\" "
                "stroke-width=\"1.6\"/>\n",
                x - 4.0, y - 4.0, fill, colour);
    } else if (mended) {
        fprintf(out,
                "<path d=\"M%.1f %.1f l5.5 5.5 l-5.5 5.5 l-5.5 -5.5 z\" fill=\"%s\" stroke=\"%s\" "
                "stroke-width=\"1.6\"/>\n",
                x, y - 5.5, fill, colour);
    } else {
        fprintf(out,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\" fill=\"%s\" stroke=\"%s\" "
                "stroke-width=\"1.6\"/>\n",
                x, y, fill, colour);
    }
    if (!converged) {
        plot_line(out, x - 7.0, y + 7.0, x + 7.0, y - 7.0,
                  "stroke=\"" PLOT_INK "\" stroke-width=\"1.4\"");
    }
}

static void legend(FILE *out, double x, double y) {
    static const char *const words[MARKS] = {
        "printed", "Ipopt, as published", "SLSQP, as published", "Ipopt, mended", "SLSQP, mended"};
    static const double widths[MARKS] = {90.0, 165.0, 170.0, 130.0, 140.0};
    for (int m = 0; m < MARKS; m++) {
        put_mark(out, x, y, (mark)m, true);
        plot_text(out, x + 12.0, y + 4.0, "start", "", words[m]);
        x += widths[m];
    }
    put_mark(out, x, y, MARK_SLSQP, false);
    plot_text(out, x + 12.0, y + 4.0, "start", "", "not converged");
}

/* ---- panels */

static void gaps_panel(FILE *out, const portal_study *s) {
    const columns c = {80.0, 70.0, 860.0, 260.0, PORTAL_CASES, -1.0, 2.5, false};
    const int e = 'e' - 'a';
    frame(out, &c, "Gap of the eight cases (set e)", "case", "gap, length (negative: penetration)",
          '1');
    plot_line(out, c.left, value_y(&c, 0.0), c.left + c.width, value_y(&c, 0.0),
              "stroke=\"" PLOT_INK "\"");
    for (int k = 0; k < PORTAL_CASES; k++) {
        double x = column_x(&c, k), y = value_y(&c, s->cases[k].certified.gap);
        plot_line(out, x - 46.0, y, x + 46.0, y, "stroke=\"" PLOT_GREEN "\" stroke-width=\"3\"");
        for (int method = 0; method < PORTAL_METHODS; method++) {
            const ov_scheme_result *r = &s->cases[k].results[e][method][0];
            const ov_scheme_result *mended = &s->cases[k].results[e][method][1];
            if (r->status >= 0) {
                put_mark(out, x - 8.0 + 12.0 * method, value_y(&c, r->gap),
                         method > 0 ? MARK_SLSQP : MARK_IPOPT, r->status == OV_OK);
                put_mark(out, x + 18.0 + 14.0 * method, value_y(&c, mended->gap),
                         method > 0 ? MARK_SLSQP_MENDED : MARK_IPOPT_MENDED,
                         mended->status == OV_OK);
            }
        }
    }
    for (int i = 0; i < PORTAL_PRINTED; i++) {
        const portal_printed *p = &portal_printed_rows[i];
        if (p->set == 0 || p->set == 'e') {
            double at = column_x(&c, p->number - 1) - (p->method > 0 ? 23.0 : 36.0);
            put_mark(out, at, value_y(&c, p->contact ? -p->distance : p->distance), MARK_PRINTED,
                     true);
        }
    }
}

/** Where the sets of a case end, as a distance from the certified gap. */
static void sets_panel(FILE *out, const portal_study *s, int number, double left,
                       const char *title) {
    const columns c = {left, 440.0, 380.0, 300.0, OV_PORTAL_SETS, -12.0, 2.0, true};
    const portal_case *k = &s->cases[number - 1];
    frame(out, &c, title, "constraint set", "distance from the certified gap, length", 'a');
    for (int i = 0; i < PORTAL_PRINTED; i++) {
        const portal_printed *p = &portal_printed_rows[i];
        if (p->number == number && p->set != 0) {
            // closer than its digits a printed number does not tell
            double off = fmax(fabs(s->verdicts[i].off), 0.5 * pow(10.0, -p->digits));
            put_mark(out, column_x(&c, p->set - 'a') - 16.0, value_y(&c, off), MARK_PRINTED, true);
        }
    }
    for (int i = 0; i < OV_PORTAL_SETS * PORTAL_METHODS * PORTAL_FORMS; i++) {
        int set = i / (PORTAL_METHODS * PORTAL_FORMS), method = i / PORTAL_FORMS % 2;
        int form = i % PORTAL_FORMS;
        const ov_scheme_result *r = &k->results[set][method][form];
        if (r->status >= 0) {
            put_mark(out, column_x(&c, set) - 8.0 + 8.0 * (method + 2 * form),
                     value_y(&c, fabs(r->gap - k->certified.gap)),
                     (mark)(MARK_IPOPT + method + 2 * form), r->status == OV_OK);
        }
    }
}

void portal_svg(FILE *out, const portal_study *s) {
    plot_page(out, 980, 850);
    plot_text(out, 490.0, 28.0, "middle", "font-size=\"17\" font-weight=\"bold\"",
              "Contact as a constrained minimum [Portal], Tables 3 to 5, done again");
    gaps_panel(out, s);
    sets_panel(out, s, 7, 80.0, "Case 7, separated (Table 4)");
    sets_panel(out, s, 8, 560.0, "Case 8, overlapping (Table 5)");
    legend(out, 80.0, 808.0);
    plot_line(out, 74.0, 832.0, 108.0, 832.0, "stroke=\"" PLOT_GREEN "\" stroke-width=\"3\"");
    plot_text(out, 116.0, 836.0, "start", "",
              "Ovoid, certified. Printed distances are drawn at half their last digit where they "
              "agree to it.");
    fputs("</svg>\n", out);
}

#endif
