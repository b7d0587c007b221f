/**
 * @file battery_convergence_plot.c
 * @brief Heat maps of the iterations, as SVG.
 *
 * One scale for all maps, so that they can be compared: from pale to dark, lightness falling all
 * the way, so that a print in grey tells the same. Where pairs failed stands a cross, the larger
 * the more of them; a cell where none was solved has no colour to show and stays white.
 */
#ifdef OVOID_SCHEMES

#include "battery_schemes.h"

#include <math.h>

#include "battery_plot.h"

enum { ITERATIONS_MOST = 30 }; // of the published schemes; what takes more is as dark as that

/** Red, green, blue of equal steps in lightness, pale yellow to dark blue. */
static const double stops[][3] = {{255, 250, 205}, {199, 224, 173}, {122, 190, 170},
                                  {66, 147, 165},  {44, 98, 148},   {38, 46, 107}};
enum { STOPS = sizeof stops / sizeof stops[0] };

static void colour_of(double iterations, char text[8]) {
    double t = fmin(1.0, fmax(0.0, iterations / ITERATIONS_MOST)) * (STOPS - 1);
    int k = (int)fmin(STOPS - 2, floor(t));
    int rgb[3];
    for (int i = 0; i < 3; i++) {
        rgb[i] = (int)(stops[k][i] + (t - k) * (stops[k + 1][i] - stops[k][i]) + 0.5) & 255;
    }
    snprintf(text, 8, "#%02x%02x%02x", (unsigned)rgb[0] & 255u, (unsigned)rgb[1] & 255u,
             (unsigned)rgb[2] & 255u);
}

static void filled(FILE *out, double x, double y, double width, double height, const char *colour) {
    fprintf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n", x, y,
            width, height, colour);
}

/** A cross for a share of failures; light below dark, so that it shows on any colour. */
static void cross(FILE *out, double x, double y, double share) {
    double reach = 1.6 + 5.2 * share; // fits into the narrowest cells
    for (int pass = 0; pass < 2; pass++) {
        fprintf(out,
                "<path d=\"M%.2f %.2fL%.2f %.2fM%.2f %.2fL%.2f %.2f\" stroke=\"%s\" "
                "stroke-width=\"%s\" stroke-linecap=\"round\"/>\n",
                x - reach, y - reach, x + reach, y + reach, x - reach, y + reach, x + reach,
                y - reach, pass == 0 ? "white" : "black", pass == 0 ? "3.4" : "1.4");
    }
}

/** One map in a square of `size` pixels; the values of the axes at every other cell. */
static void draw_map(FILE *out, const convergence_study *s, int map, size_t m, double left,
                     double top, double size) {
    double width = size / (double)s->x_count[map], height = size / (double)s->y_count[map];
    char words[64];
    for (size_t y = 0; y < s->y_count[map]; y++) {
        for (size_t x = 0; x < s->x_count[map]; x++) {
            const convergence_cell *cell = &s->maps[map][m].cells[y][x];
            double at_x = left + width * (double)x, at_y = top + size - height * (double)(y + 1);
            if (isfinite(cell->iterations)) {
                colour_of(cell->iterations, words);
                // a bit wider, or else hair lines show between cells
                filled(out, at_x, at_y, width + 0.3, height + 0.3, words);
            }
            if (cell->failed > 0) {
                cross(out, at_x + 0.5 * width, at_y + 0.5 * height,
                      (double)cell->failed / (double)cell->asked);
            }
        }
    }
    fprintf(out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
            "stroke=\"%s\"/>\n",
            left, top, size, size, PLOT_INK);
    for (size_t y = 0; y < s->y_count[map]; y += 2) {
        snprintf(words, sizeof words, "%.1f", s->y[map][y]);
        plot_text(out, left - 5.0, top + size - height * ((double)y + 0.5) + 4.0, "end",
                  "font-size=\"11\"", words);
    }
    for (size_t x = 0; x < s->x_count[map]; x++) {
        double value = s->x[map][x], at = left + width * ((double)x + 0.5);
        if (map == 0 && x % 2 == 0) {
            snprintf(words, sizeof words, "%.1f", value);
            plot_text(out, at, top + size + 15.0, "middle", "font-size=\"11\"", words);
        } else if (map != 0) {
            fprintf(out,
                    "<text transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"end\" "
                    "font-size=\"11\">%s%g</text>\n",
                    at + 4.0, top + size + 5.0, value < 0.0 ? "&#8722;" : "", fabs(value));
        }
    }
    plot_text(out, left + 0.5 * size, top - 8.0, "middle", "font-weight=\"bold\"",
              s->methods[m] == OV_SCHEME_COUNT ? "Ovoid (its own, shorter steps)"
                                               : convergence_name(s->methods[m]));
    plot_text(out, left + 0.5 * size, top + size + (map == 0 ? 33.0 : 52.0), "middle", "",
              map == 0 ? "exponent e1" : "gap, semi-axes of the bodies");
    plot_upright(out, left - 30.0, top + 0.5 * size, map == 0 ? "exponent e2" : "e1 = e2");
}

static void legend(FILE *out, double left, double top) {
    enum { SLICES = 120, WIDTH = 360, HEIGHT = 16 };
    static const double shares[] = {0.1, 0.5, 1.0};
    char words[64];
    for (int i = 0; i < SLICES; i++) {
        colour_of(ITERATIONS_MOST * (i + 0.5) / SLICES, words);
        filled(out, left + (double)WIDTH * i / SLICES, top, (double)WIDTH / SLICES + 0.3, HEIGHT,
               words);
    }
    fprintf(out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\" fill=\"none\" "
            "stroke=\"%s\"/>\n",
            left, top, WIDTH, HEIGHT, PLOT_INK);
    for (int n = 0; n <= ITERATIONS_MOST; n += 5) {
        double x = left + (double)WIDTH * n / ITERATIONS_MOST;
        plot_line(out, x, top + HEIGHT, x, top + HEIGHT + 4.0, "stroke=\"" PLOT_INK "\"");
        snprintf(words, sizeof words, "%s%d", n == ITERATIONS_MOST ? "&#8805; " : "", n);
        plot_text(out, x, top + HEIGHT + 17.0, "middle", "font-size=\"11\"", words);
    }
    plot_text(out, left + 0.5 * WIDTH, top - 8.0, "middle", "", "mean iterations where solved");
    for (int i = 0; i < 3; i++) {
        double x = left + WIDTH + 90.0 + 75.0 * i;
        cross(out, x, top + 8.0, shares[i]);
        snprintf(words, sizeof words, "%.0f %%", 100.0 * shares[i]);
        plot_text(out, x + 16.0, top + 12.0, "start", "", words);
    }
    plot_text(out, left + WIDTH + 185.0, top - 8.0, "middle", "", "share of pairs that failed");
    fprintf(out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"22\" height=\"%d\" fill=\"white\" "
            "stroke=\"%s\"/>\n",
            left + WIDTH + 320.0, top, HEIGHT, PLOT_INK);
    plot_text(out, left + WIDTH + 350.0, top + 12.0, "start", "", "none solved");
}

void convergence_svg(FILE *out, const convergence_study *s) {
    enum { ACROSS = 4 };
    static const char *const titles[CONVERGENCE_MAPS] = {"Over the exponents (centres 2.21 apart)",
                                                         "Over the distance (negative: overlap)"};
    const double size = 186.0, step_x = 246.0, step_y = 282.0;
    double rows = (double)((s->method_count + ACROSS - 1) / ACROSS);
    double section = step_y * rows + 40.0;
    plot_page(out, 1040, (int)(150.0 + CONVERGENCE_MAPS * section));
    plot_text(out, 520.0, 28.0, "middle", "font-size=\"17\" font-weight=\"bold\"",
              "Iterations of the published schemes and of Ovoid, superovoids");
    legend(out, 90.0, 66.0);
    for (int map = 0; map < CONVERGENCE_MAPS; map++) {
        double top = 150.0 + section * map;
        plot_text(out, 20.0, top - 10.0, "start", "font-size=\"15\" font-weight=\"bold\"",
                  titles[map]);
        for (size_t m = 0; m < s->method_count; m++) {
            draw_map(out, s, map, m, 60.0 + step_x * (double)(m % ACROSS),
                     top + 26.0 + step_y * (double)(m / ACROSS), size);
        }
    }
    fputs("</svg>\n", out);
}

#else

/* Without the schemes there is nothing to draw. */
typedef int convergence_plot_not_built;

#endif
