/**
 * @file sweep_bar.c
 * @brief The bars of time below the picture of a motion: one for all, one for each pair of things
 * that could meet.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sweep_drawing.h"
#include "table.h"

static const double row_height = 24.0, bar_height = 13.0, text_size = 12.0;
/** What is free, and what comes after the first contact where only that was looked for. */
static const char free_colour[] = "#58a886", unknown_colour[] = "#dde2e8";

/** Columns of a name in a label, and bytes of it and of the label. */
enum { NAME_COLUMNS = 20, NAME_BYTES = 4 * NAME_COLUMNS + 8, LABEL_MAX = 2 * NAME_BYTES + 4 };

typedef struct bar {
    const sweep_drawing *d;
    double left, right;
} bar;

double sweep_bar_height(const sweep_drawing *d) {
    // rows, the scale, the legend
    return row_height * (double)(1 + d->row_count + d->more_rows) + 76.0;
}

static void write_label(const sweep_drawing *d, const sweep_row *row, char text[LABEL_MAX]) {
    const sweep_subject *s = d->report->subject;
    char a[NAME_BYTES], b[NAME_BYTES];
    table_cut(sweep_thing_name(s, row->a), NAME_COLUMNS, a, sizeof a);
    table_cut(sweep_thing_name(s, row->b), NAME_COLUMNS, b, sizeof b);
    snprintf(text, LABEL_MAX, "%s, %s", a, b);
}

static double label_width(const sweep_drawing *d) {
    double most = 60.0;
    for (size_t i = 0; i < d->row_count; i++) {
        char text[LABEL_MAX];
        write_label(d, &d->rows[i], text);
        most = fmax(most, 0.56 * text_size * (double)table_width(text));
    }
    return most;
}

static double at_time(const bar *b, double time) {
    const sweep_subject *s = b->d->report->subject;
    double t = (time - s->start) / (s->end - s->start);
    return b->left + (b->right - b->left) * fmin(fmax(t, 0.0), 1.0);
}

static void draw_span(const bar *b, double y, double from, double to, const char *colour) {
    // what is shorter than can be seen is made as wide as that
    double x = at_time(b, from), width = fmax(at_time(b, to) - x, 2.0);
    fprintf(b->d->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
            fmin(x, b->right - width), y, width, bar_height, colour);
}

/** The intervals of a row (null: all), proven contacts over the others. */
static void draw_intervals(const bar *b, double y, const sweep_row *row) {
    const sweep_report *r = b->d->report;
    for (sweep_state state = SWEEP_OPEN; state <= SWEEP_MEETS; state++) {
        double done = -INFINITY;
        for (size_t i = 0; i < r->count; i++) {
            const ov_sweep_interval *v = &r->intervals[i];
            bool mine = row == NULL || (v->body_a == row->a && v->body_b == row->b);
            // many may fall on what is painted already
            if (mine && sweep_state_of(v) == state && at_time(b, v->end) > done + 0.2) {
                draw_span(b, y, v->start, v->end, sweep_colour(state));
                done = fmax(done, fmax(at_time(b, v->end), at_time(b, v->start) + 1.8));
            }
        }
    }
}

static void draw_row(const bar *b, double y, const char *label, const sweep_row *row) {
    const sweep_report *r = b->d->report;
    double known = r->subject->end;
    // what comes after the first contact was not looked at
    if (r->options.first_only && r->summary.answer != OV_SWEEP_ANSWER_FREE) {
        known = r->summary.lower;
    }
    fprintf(b->d->out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
            "fill=\"%s\"/>\n",
            b->left, y, b->right - b->left, bar_height, unknown_colour);
    if (known > r->subject->start) {
        draw_span(b, y, r->subject->start, known, row == NULL ? free_colour : "#cfe6db");
    }
    draw_intervals(b, y, row);
    svg_label(b->d->out, b->left - 8.0, y + bar_height - 2.5, text_size,
              "text-anchor=\"end\" fill=\"#1b2530\"", label);
}

/** A step of 1, 2 or 5 times a power of ten, for no more than so many of them. */
static double nice_step(double span, double most) {
    double step = pow(10.0, floor(log10(span / most)));
    if (!(step > 0.0)) {
        return span; // too short to be divided
    }
    while (span / step > most) {
        double lead = step / pow(10.0, floor(log10(step * 1.000001)));
        step *= lead > 1.5 && lead < 3.0 ? 2.5 : 2.0;
    }
    return step;
}

static void draw_scale(const bar *b, double y) {
    const sweep_subject *s = b->d->report->subject;
    int digits = sweep_time_digits(s, 6);
    // long numbers must not run into each other
    double room = floor((b->right - b->left) / (7.0 * (digits + 3)));
    double step = nice_step(s->end - s->start, fmin(fmax(room, 2.0), 8.0));
    double first = ceil(s->start / step - 1e-9);
    for (int i = 0; i <= 10; i++) {
        double time = (first + i) * step;
        // a step beyond the precision of the times leaves nothing to mark
        if (!(time <= s->end + fmax(1e-9 * step, 1e-15 * fabs(s->end))) || !isfinite(time)) {
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
    int digits = sweep_time_digits(r->subject, 9);
    char what[48], since[48] = "from the start";
    if (m->answer == OV_SWEEP_ANSWER_FREE) {
        snprintf(text, size, "free at every time, proven");
        return;
    }
    snprintf(what, sizeof what,
             m->answer == OV_SWEEP_ANSWER_CONTACT ? "contact at %.*g" : "undecided", digits,
             m->upper);
    if (m->lower > r->subject->start) {
        snprintf(since, sizeof since, "free before %.*g", digits, m->lower);
    }
    snprintf(text, size, "%s; %s", what, since);
}

static void draw_legend(const bar *b, double y) {
    const sweep_report *r = b->d->report;
    const char *const texts[] = {"proven free", "contact", "not decided", "not looked at"};
    const char *const colours[] = {free_colour, sweep_colour(SWEEP_MEETS), sweep_colour(SWEEP_OPEN),
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
    sweep_state state = r->summary.answer == OV_SWEEP_ANSWER_FREE      ? SWEEP_APART
                        : r->summary.answer == OV_SWEEP_ANSWER_CONTACT ? SWEEP_MEETS
                                                                       : SWEEP_OPEN;
    char style[96];
    snprintf(style, sizeof style, "text-anchor=\"end\" font-weight=\"bold\" fill=\"%s\"",
             sweep_colour(state));
    svg_label(b->d->out, b->right, y, 12.0, style, answer);
}

void sweep_draw_bar(const sweep_drawing *d) {
    bar b = {d, SVG_PICTURE_MARGIN + label_width(d), d->width - SVG_PICTURE_MARGIN};
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
