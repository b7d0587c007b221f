/**
 * @file battery_world_report.c
 * @brief The study of worlds as a table, CSV and a picture.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "battery_plot.h"
#include "battery_world.h"

/* ---- table */

static double frame_ns(const world_times *t) { return t->move + t->broad + t->narrow; }

static double broad_ns(const world_times *t) { return t->move + t->broad; }

static void print_row(FILE *out, const world_row *r) {
    fprintf(out, "%9zu", r->bodies);
    for (int t = 0; t < WORLD_THREADS; t++) {
        const world_times *w = &r->times[t];
        fprintf(out, " %3d %7.3f %7.3f %7.3f %7.3f", t + 1, 1e-3 * w->move, 1e-3 * w->broad,
                1e-3 * w->narrow, 1e-3 * frame_ns(w));
        fprintf(out, t == 0 ? "  %8.3f %6.0f %6.0f\n         " : "\n", 1e-3 * w->narrow / r->pairs,
                r->bytes, r->process);
    }
}

static void print_layers(FILE *out, const world_study *s) {
    fputs(
        "\nPairs a body by layer, in the last frame: neighbours; further apart than the limit by\n"
        "what was known, by balls, by oriented boxes; queries; contacts; of these overlapping\n"
        "   bodies   moved  pairs   known   balls   boxes queries contacts overlaps  undecided  "
        "not converged  hash\n",
        out);
    for (size_t i = 0; i < s->row_count; i++) {
        const world_row *r = &s->rows[i];
        fprintf(out,
                "%9zu  %6.3f %6.2f  %6.2f  %6.2f  %6.2f  %6.2f   %6.2f   %6.3f  %9zu  %13zu  "
                "%016" PRIx64 "\n",
                r->bodies, r->moved, r->pairs, r->rejected_kept, r->rejected_ball, r->rejected_obb,
                r->queries, r->contacts, r->overlaps, r->undecided, r->not_converged, r->hash);
    }
}

static void print_peers(FILE *out, const world_study *s) {
    if (s->rows[0].peer_count == 0) {
        return;
    }
    fputs("\nThe broad phase beside other libraries' dynamic trees, on the same bodies and frames\n"
          "(they are given tight boxes, whose making is not in their time; Ovoid's boxes are)\n"
          "   bodies  tree                      us a body  pairs a body  bytes a body  "
          "Ovoid is faster by\n",
          out);
    for (size_t i = 0; i < s->row_count; i++) {
        const world_row *r = &s->rows[i];
        double ours = broad_ns(&r->times[0]);
        fprintf(out, "%9zu  %-24s  %9.3f  %12.2f\n", r->bodies, "Ovoid: moves and neighbours",
                1e-3 * ours, r->pairs);
        for (size_t k = 0; k < r->peer_count; k++) {
            const world_peer *p = &r->peers[k];
            fprintf(out, "%9s  %-24s  %9.3f  %12.2f  %12.0f  %10.2f times\n", "", p->name,
                    1e-3 * p->broad, p->pairs, p->bytes, p->broad / ours);
        }
    }
}

static const world_row *row_of(const world_study *s, size_t bodies) {
    for (size_t i = 0; i < s->row_count; i++) {
        if (s->rows[i].bodies == bodies) {
            return &s->rows[i];
        }
    }
    return NULL;
}

static void print_goal(FILE *out, const char *what, double goal, bool at_most, double measured) {
    bool met = at_most ? measured <= goal : measured >= goal;
    fprintf(out, "  %-58s %s %6.4g  %9.4g  %s\n", what, at_most ? "<=" : ">=", goal, measured,
            met ? "met" : "not met");
}

static void print_goals(FILE *out, const world_study *s) {
    const world_row *small = row_of(s, 10000), *last = &s->rows[s->row_count - 1];
    fprintf(out, "\nGoals, at %zu bodies%60s\n", last->bodies, "goal   measured");
    print_goal(out, "bytes a body held by the world", 700.0, true, last->bytes);
    if (small != NULL && last->bodies > small->bodies) {
        print_goal(out, "time a body against 10,000 bodies, one thread", 1.5, true,
                   frame_ns(&last->times[0]) / frame_ns(&small->times[0]));
    }
    print_goal(out, "two threads faster than one by", 1.6, false,
               frame_ns(&last->times[0]) / frame_ns(&last->times[1]));
    print_goal(out, "narrow phase, us a near pair, one thread", 0.8, true,
               1e-3 * last->times[0].narrow / last->pairs);
    for (size_t k = 0; k < last->peer_count; k++) {
        char what[80];
        snprintf(what, sizeof what, "broad phase faster than %s by", last->peers[k].name);
        print_goal(out, what, 1.0, false, last->peers[k].broad / broad_ns(&last->times[0]));
    }
}

void world_print(FILE *out, const world_study *s) {
    fprintf(
        out,
        "Superovoids of 16 shapes at random, %.0f %% by volume (60 %% of random close packing), "
        "seed %" PRIu64 "\nA frame moves and turns each by up to %.2g sizes and radians; "
        "contacts up to %.2g sizes.\nus a body, medians over the frames; bytes a body: of the "
        "world, and of the whole process\n\n"
        "   bodies thr   moves   broad  narrow   frame    a pair  world process\n",
        100.0 * s->density, s->seed, s->step, s->limit);
    for (size_t i = 0; i < s->row_count; i++) {
        print_row(out, &s->rows[i]);
    }
    print_layers(out, s);
    if (s->brute.bodies > 0) {
        fprintf(out,
                "\nAgainst a search of all pairs at %zu bodies: %zu contacts, %zu lost, %zu too "
                "many,\n%zu with another gap (by more than 1e-8; worst %.2g sizes)\n",
                s->brute.bodies, s->brute.contacts, s->brute.lost, s->brute.extra,
                s->brute.differing, s->brute.worst);
    }
    print_peers(out, s);
    print_goals(out, s);
}

/* ---- CSV */

void world_csv(FILE *out, const world_study *s) {
    fputs("bodies,what,threads,move_ns,broad_ns,narrow_ns,pairs,queries,contacts,bytes\n", out);
    for (size_t i = 0; i < s->row_count; i++) {
        const world_row *r = &s->rows[i];
        for (int t = 0; t < WORLD_THREADS; t++) {
            const world_times *w = &r->times[t];
            fprintf(out, "%zu,ovoid,%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", r->bodies,
                    t + 1, w->move, w->broad, w->narrow, r->pairs, r->queries, r->contacts,
                    r->bytes);
        }
        for (size_t k = 0; k < r->peer_count; k++) {
            const world_peer *p = &r->peers[k];
            fprintf(out, "%zu,%s,1,,%.17g,,%.17g,,,%.17g\n", r->bodies, p->id, p->broad, p->pairs,
                    p->bytes);
        }
    }
}

/* ---- picture */

/** What a curve shows of a row; NaN: nothing. */
typedef double (*world_figure)(const world_row *row);

static double narrow_1(const world_row *r) { return r->times[0].narrow; }
static double narrow_2(const world_row *r) { return r->times[1].narrow; }
static double broad_1(const world_row *r) { return broad_ns(&r->times[0]); }
static double broad_2(const world_row *r) { return broad_ns(&r->times[1]); }
static double peer_1(const world_row *r) { return r->peer_count > 0 ? r->peers[0].broad : NAN; }
static double peer_2(const world_row *r) { return r->peer_count > 1 ? r->peers[1].broad : NAN; }

typedef struct world_curve {
    world_figure figure;
    const char *colour, *dash, *words;
} world_curve;

static const world_curve curves[] = {
    {narrow_1, PLOT_BLUE, "", "narrow phase, one thread"},
    {narrow_2, PLOT_BLUE, "stroke-dasharray=\"9 5\"", "narrow phase, two threads"},
    {broad_1, PLOT_GREEN, "", "moves and broad phase, one thread"},
    {broad_2, PLOT_GREEN, "stroke-dasharray=\"9 5\"", "moves and broad phase, two threads"},
    {peer_1, PLOT_ORANGE, "", "FCL, tree only"},
    {peer_2, PLOT_ORANGE, "stroke-dasharray=\"3 4\"", "Bullet, trees only"},
};
enum { CURVES = sizeof curves / sizeof curves[0] };

static void draw_curve(FILE *out, const plot_panel *panel, const world_study *s,
                       const world_curve *c) {
    char style[128];
    snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"2.5\" %s", c->colour, c->dash);
    for (size_t i = 0; i < s->row_count; i++) {
        const world_row *r = &s->rows[i];
        double x = plot_x(panel, (double)r->bodies), y = 1e-3 * c->figure(r);
        if (!isfinite(y)) {
            continue;
        }
        fprintf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"4\" fill=\"%s\"/>\n", x, plot_y(panel, y),
                c->colour);
        if (i > 0) {
            plot_line(out, plot_x(panel, (double)r[-1].bodies),
                      plot_y(panel, 1e-3 * c->figure(&r[-1])), x, plot_y(panel, y), style);
        }
    }
}

/** A text at the end of a curve, and where it would best stand. */
typedef struct world_label {
    double y;
    const char *words;
} world_label;

static int by_height(const void *a, const void *b) {
    double x = ((const world_label *)a)->y, y = ((const world_label *)b)->y;
    return (x > y) - (x < y);
}

/** Writes what the curves are beside their ends, from the top, none on another. */
static void draw_labels(FILE *out, const plot_panel *panel, const world_study *s) {
    const world_row *last = &s->rows[s->row_count - 1];
    world_label labels[CURVES];
    size_t count = 0;
    for (int k = 0; k < CURVES; k++) {
        double y = 1e-3 * curves[k].figure(last);
        if (isfinite(y)) {
            labels[count++] = (world_label){plot_y(panel, y) + 4.0, curves[k].words};
        }
    }
    qsort(labels, count, sizeof labels[0], by_height);
    double x = plot_x(panel, (double)last->bodies) + 10.0, free = 0.0;
    for (size_t i = 0; i < count; i++) {
        free = labels[i].y > free ? labels[i].y : free;
        plot_text(out, x, free, "start", "font-size=\"12\"", labels[i].words);
        free += 15.0;
    }
}

void world_svg(FILE *out, const world_study *s) {
    plot_panel panel = {80.0, 60.0, 420.0, 380.0, 3, 4, -1, 1, false};
    for (size_t i = 0; i < s->row_count; i++) {
        plot_widen((double)s->rows[i].bodies, &panel.x_first, &panel.x_last);
        for (int k = 0; k < CURVES; k++) {
            double y = curves[k].figure(&s->rows[i]);
            if (isfinite(y)) {
                plot_widen(1e-3 * y, &panel.y_first, &panel.y_last);
            }
        }
    }
    plot_page(out, 740, 520);
    plot_text(out, 370.0, 28.0, "middle", "font-size=\"17\" font-weight=\"bold\"",
              "A frame of a moving packing of superovoids");
    plot_axes(out, &panel, "", "bodies", "time a body, &#181;s");
    for (int k = 0; k < CURVES; k++) {
        draw_curve(out, &panel, s, &curves[k]);
    }
    draw_labels(out, &panel, s);
    fputs("</svg>\n", out);
}
