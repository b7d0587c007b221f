/**
 * @file sweep_report.c
 * @brief Prints what a sweep found. Parts, faces, vertices and edges are counted from 1.
 */
#include "sweep_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "table.h"

/** More lines than this a table does not have. */
enum { LINES_MAX = 60, PLACE_MAX = 64 };

/** Where only the first contact is asked for, pairs that meet later are no part of the answer: the
 *  interval of the contact that is proven first, or where none is, the one that begins first. */
static const ov_sweep_interval *first_of(const sweep_report *r) {
    const ov_sweep_interval *first = &r->intervals[0];
    for (size_t i = 1; i < r->count; i++) {
        const ov_sweep_interval *v = &r->intervals[i];
        bool proven = !isnan(v->contact), sooner = proven && v->contact < first->contact;
        if (isnan(first->contact) ? proven || v->start < first->start : sooner) {
            first = v;
        }
    }
    return first;
}

sweep_report sweep_report_make(const sweep_subject *s, const ov_sweep_options *options,
                               const ov_sweep *sweep) {
    sweep_report r = {
        .subject = s, .options = *options, .summary = ov_sweep_summary_of(sweep), .count = 0};
    r.intervals = ov_sweep_intervals(sweep, &r.count);
    if (options->first_only && r.count > 1) {
        r.intervals = first_of(&r);
        r.count = r.summary.intervals = 1;
    }
    return r;
}

static const char *name_of(const sweep_report *r, uint32_t thing) {
    return sweep_thing_name(r->subject, thing);
}

/** Is it about a vertex or an edge of A's polygon, or B's? Then the interval has its index. */
static bool has_index(const ov_sweep_interval *v, bool of_b) {
    return v->element == OV_SWEEP_ELEMENT_EDGE_EDGE ||
           v->element == (of_b ? OV_SWEEP_ELEMENT_FACE_VERTEX : OV_SWEEP_ELEMENT_VERTEX_FACE);
}

/** What of a body an interval is about: "part 2", "face 3", "vertex 1 of face 3". */
static void write_place(const sweep_report *r, const ov_sweep_interval *v, bool of_b,
                        char place[PLACE_MAX]) {
    uint32_t thing = of_b ? v->body_b : v->body_a, part = of_b ? v->part_b : v->part_a;
    uint32_t index = of_b ? v->index_b : v->index_a;
    if (sweep_thing_polygons(r->subject, thing) == NULL) {
        snprintf(place, PLACE_MAX, "part %" PRIu32, part + 1);
    } else if (has_index(v, of_b)) {
        snprintf(place, PLACE_MAX, "%s %" PRIu32 " of face %" PRIu32,
                 v->element == OV_SWEEP_ELEMENT_EDGE_EDGE ? "edge" : "vertex", index + 1, part + 1);
    } else {
        snprintf(place, PLACE_MAX, "face %" PRIu32, part + 1);
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

static void print_head(FILE *out, const sweep_report *r) {
    const sweep_subject *s = r->subject;
    if (s->scene != NULL) {
        size_t count = ov_motion_scene_count(s->scene), moving = 0;
        for (size_t i = 0; i < count; i++) {
            moving += ov_motion_scene_bodies(s->scene)[i].motion != NULL;
        }
        fprintf(out, "%s: %zu bod%s, %zu in motion", s->path, count, count == 1 ? "y" : "ies",
                moving);
    } else {
        size_t links = ov_robot_link_count(s->robot), obstacles = ov_scene_count(s->obstacles);
        fprintf(out, "%s: %s, %zu link%s", s->path, ov_robot_name(s->robot), links,
                links == 1 ? "" : "s");
        if (s->obstacles != NULL) {
            fprintf(out, ", %zu obstacle%s", obstacles, obstacles == 1 ? "" : "s");
        }
        fprintf(out, "; %zu poses of %s", s->poses.count, s->trajectory_path);
    }
    int digits = sweep_time_digits(s, 6);
    fprintf(out, "; time %.*g to %.*g", digits, s->start, digits, s->end);
    if (r->options.epsilon > 0.0) {
        fprintf(out, "; epsilon %g", r->options.epsilon);
    }
    if (r->options.clearance > 0.0) {
        fprintf(out, "; clearance %g", r->options.clearance);
    }
    fputs("\n\n", out);
}

/** The four columns of texts: names and what of them. */
static void cells_of(const sweep_report *r, const ov_sweep_interval *v, const char *cells[4],
                     char places[2][PLACE_MAX]) {
    write_place(r, v, false, places[0]);
    write_place(r, v, true, places[1]);
    cells[0] = name_of(r, v->body_a);
    cells[1] = places[0];
    cells[2] = name_of(r, v->body_b);
    cells[3] = places[1];
}

static void print_intervals(FILE *out, const sweep_report *r) {
    bool robot = r->subject->robot != NULL;
    const char *heads[4] = {robot ? "link A" : "body A", "of it",
                            !robot                          ? "body B"
                            : r->subject->obstacles != NULL ? "link or obstacle B"
                                                            : "link B",
                            "of it"};
    size_t lines = r->count < LINES_MAX ? r->count : LINES_MAX;
    const char *cells[4];
    char places[2][PLACE_MAX];
    int widths[4], digits = sweep_time_digits(r->subject, 9), wide = digits + 5;
    for (int k = 0; k < 4; k++) {
        widths[k] = table_width(heads[k]) + 2;
    }
    for (size_t i = 0; i < lines; i++) {
        cells_of(r, &r->intervals[i], cells, places);
        for (int k = 0; k < 4; k++) {
            int width = table_width(cells[k]) + 2;
            widths[k] = width > widths[k] ? width : widths[k];
        }
    }
    for (int k = 0; k < 4; k++) {
        table_cell(out, heads[k], widths[k]);
    }
    fprintf(out, "%*s %*s %*s\n", wide, "from", wide, "to", wide, "contact at");
    for (size_t i = 0; i < lines; i++) {
        const ov_sweep_interval *v = &r->intervals[i];
        cells_of(r, v, cells, places);
        for (int k = 0; k < 4; k++) {
            table_cell(out, cells[k], widths[k]);
        }
        fprintf(out, "%*.*g %*.*g", wide, digits, v->start, wide, digits, v->end);
        if (isnan(v->contact)) {
            fprintf(out, " %*s\n", wide, "not proven");
        } else {
            fprintf(out, " %*.*g\n", wide, digits, v->contact);
        }
    }
    if (lines < r->summary.intervals) {
        fprintf(out, "and %zu more: see --csv or --json\n", r->summary.intervals - lines);
    }
    fputc('\n', out);
}

/** The pair that is in contact at a time, or null. */
static const ov_sweep_interval *contact_at(const sweep_report *r, double time) {
    for (size_t i = 0; i < r->count; i++) {
        if (r->intervals[i].contact == time) {
            return &r->intervals[i];
        }
    }
    return NULL;
}

static void print_answer(FILE *out, const sweep_report *r) {
    const ov_sweep_summary *m = &r->summary;
    int digits = sweep_time_digits(r->subject, 12);
    fputs(ov_sweep_answer_name(m->answer), out);
    if (m->answer == OV_SWEEP_ANSWER_CONTACT) {
        const ov_sweep_interval *v = contact_at(r, m->upper);
        fprintf(out, ": proven at %.*g", digits, m->upper);
        if (v != NULL) {
            fprintf(out, ", %s and %s", name_of(r, v->body_a), name_of(r, v->body_b));
        }
    } else if (m->answer == OV_SWEEP_ANSWER_UNDECIDED) {
        fputs(": no contact is proven, and none excluded", out);
    }
    if (m->answer != OV_SWEEP_ANSWER_FREE && m->lower > r->subject->start) {
        fprintf(out, "; free before %.*g", digits, m->lower);
    } else if (m->answer != OV_SWEEP_ANSWER_FREE) {
        fputs("; from the start", out);
    }
    fprintf(out, "\n%zu pair%s, %zu piece%s, %zu test%s, %zu quer%s, depth %d\n", m->pairs,
            m->pairs == 1 ? "" : "s", m->pieces, m->pieces == 1 ? "" : "s", m->tests,
            m->tests == 1 ? "" : "s", m->queries, m->queries == 1 ? "y" : "ies", m->depth);
}

void sweep_report_print(FILE *out, const sweep_report *r) {
    print_head(out, r);
    if (r->count > 0) {
        print_intervals(out, r);
    }
    print_answer(out, r);
}

/* ---- JSON and CSV ---------------------------------------------------------------------------- */

static void write_time(json *j, const char *key, double time) {
    if (isfinite(time)) {
        json_number(j, key, time);
    } else {
        json_null(j, key);
    }
}

static void write_interval(json *j, const sweep_report *r, const ov_sweep_interval *v) {
    json_open_object(j, NULL);
    json_number(j, "start", v->start);
    json_number(j, "end", v->end);
    write_time(j, "contact", v->contact);
    json_string(j, "a", name_of(r, v->body_a));
    json_string(j, "b", name_of(r, v->body_b));
    json_count(j, "part_a", v->part_a + (size_t)1);
    json_count(j, "part_b", v->part_b + (size_t)1);
    json_string(j, "element", ov_sweep_element_name(v->element));
    for (int b = 0; b < 2; b++) {
        const char *key = b == 0 ? "index_a" : "index_b";
        if (has_index(v, b == 1)) {
            json_count(j, key, (b == 0 ? v->index_a : v->index_b) + (size_t)1);
        } else {
            json_null(j, key);
        }
    }
    json_close_object(j);
}

void sweep_report_json(FILE *out, const sweep_report *r) {
    const sweep_subject *s = r->subject;
    const ov_sweep_summary *m = &r->summary;
    json j = json_make(out);
    json_open_object(&j, NULL);
    json_string(&j, "file", s->path);
    if (s->scene != NULL) {
        json_count(&j, "bodies", ov_motion_scene_count(s->scene));
    } else {
        json_string(&j, "robot", ov_robot_name(s->robot));
        json_count(&j, "links", ov_robot_link_count(s->robot));
        json_count(&j, "obstacles", ov_scene_count(s->obstacles));
        json_string(&j, "trajectory", s->trajectory_path);
        json_count(&j, "poses", s->poses.count);
    }
    json_number(&j, "start", s->start);
    json_number(&j, "end", s->end);
    if (r->options.epsilon > 0.0) {
        json_number(&j, "epsilon", r->options.epsilon);
    } else {
        json_null(&j, "epsilon"); // one that suits each pair
    }
    json_number(&j, "clearance", r->options.clearance);
    json_string(&j, "answer", ov_sweep_answer_name(m->answer));
    json_number(&j, "free_until", m->lower);
    write_time(&j, "contact_at", m->upper);
    json_open_list(&j, "intervals");
    for (size_t i = 0; i < r->count; i++) {
        write_interval(&j, r, &r->intervals[i]);
    }
    json_close_list(&j);
    json_count(&j, "intervals_found", m->intervals);
    json_count(&j, "pairs", m->pairs);
    json_count(&j, "pieces", m->pieces);
    json_count(&j, "tests", m->tests);
    json_count(&j, "queries", m->queries);
    json_count(&j, "depth", m->depth > 0 ? (size_t)m->depth : 0);
    json_close_object(&j);
}

void sweep_report_csv(FILE *out, const sweep_report *r) {
    fputs("start,end,contact,a,b,part_a,part_b,element,index_a,index_b\n", out);
    for (size_t i = 0; i < r->count; i++) {
        const ov_sweep_interval *v = &r->intervals[i];
        fprintf(out, "%.17g,%.17g,", v->start, v->end);
        if (!isnan(v->contact)) {
            fprintf(out, "%.17g", v->contact);
        }
        fputc(',', out);
        table_csv(out, name_of(r, v->body_a));
        fputc(',', out);
        table_csv(out, name_of(r, v->body_b));
        fprintf(out, ",%" PRIu32 ",%" PRIu32 ",%s", v->part_a + 1, v->part_b + 1,
                ov_sweep_element_name(v->element));
        for (int b = 0; b < 2; b++) {
            fputc(',', out);
            if (has_index(v, b == 1)) {
                fprintf(out, "%" PRIu32, (b == 0 ? v->index_a : v->index_b) + 1);
            }
        }
        fputc('\n', out);
    }
}
