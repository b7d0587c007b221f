/**
 * @file check_report.c
 * @brief Counts contacts and prints them.
 *
 * Contacts of CSV and JSON are written as they come, so that a long trajectory needs no more memory
 * than a short one. The table has a line for each pair of things and not for each pose: what
 * matters of a movement is which links meet, when for the first time, and how near they come.
 */
#include "check_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

/** More lines than this a table does not have. */
enum { LINES_MAX = 60 };

static bool is_collision(const ov_contact *c) {
    return c->status >= 0 &&
           (c->relation == OV_RELATION_OVERLAPPING || c->relation == OV_RELATION_TOUCHING);
}

/** Not proven to be apart, nor to meet. */
static bool is_open(const ov_contact *c) {
    return c->status < 0 || c->relation == OV_RELATION_UNDECIDED;
}

static const char *name_of(const check_report *r, size_t thing) {
    return check_thing_name(r->subject, thing);
}

static double time_of(const check_report *r, size_t pose) {
    return r->subject->poses.times != NULL ? r->subject->poses.times[pose] : (double)NAN;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/** Place of a pair in the table: where it is, or where it would go. */
static size_t slot_of(const check_report *r, uint32_t a, uint32_t b) {
    uint64_t hash = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);
    size_t slot = (size_t)(hash >> 32) & (r->slot_room - 1);
    while (r->slots[slot] != 0 &&
           (r->pairs[r->slots[slot] - 1].a != a || r->pairs[r->slots[slot] - 1].b != b)) {
        slot = (slot + 1) & (r->slot_room - 1);
    }
    return slot;
}

/** Room for one more pair; the table stays half empty. */
static bool grow(check_report *r) {
    if (r->pair_count < r->pair_room) {
        return true;
    }
    size_t room = r->pair_room == 0 ? 64 : 2 * r->pair_room;
    check_pair *pairs = realloc(r->pairs, room * sizeof *pairs);
    r->pairs = pairs != NULL ? pairs : r->pairs;
    uint32_t *slots = calloc(2 * room, sizeof *slots);
    if (pairs == NULL || slots == NULL) {
        free(slots);
        return false;
    }
    free(r->slots);
    r->slots = slots;
    r->slot_room = 2 * room;
    r->pair_room = room;
    for (size_t i = 0; i < r->pair_count; i++) {
        r->slots[slot_of(r, pairs[i].a, pairs[i].b)] = (uint32_t)(i + 1);
    }
    return true;
}

static check_pair *find_pair(check_report *r, uint32_t a, uint32_t b) {
    if (!grow(r)) {
        return NULL;
    }
    size_t slot = slot_of(r, a, b);
    if (r->slots[slot] == 0) {
        r->pairs[r->pair_count] = (check_pair){.a = a, .b = b, .last = SIZE_MAX, .first = SIZE_MAX};
        r->slots[slot] = (uint32_t)++r->pair_count;
    }
    return &r->pairs[r->slots[slot] - 1];
}

/** A smaller gap; what has none is not smaller than anything. */
static bool is_less(const ov_contact *a, const ov_contact *b) {
    return a->gap < b->gap || (isnan(b->gap) && !isnan(a->gap));
}

static void count_contact(check_report *r, const check_contact *k) {
    check_pair *p = find_pair(r, k->a, k->b);
    if (p == NULL) {
        r->failed = true;
        return;
    }
    // several parts of two links in one pose count once
    bool hit = is_collision(&k->contact), open = is_open(&k->contact);
    if (p->last != k->pose) {
        p->near++;
        p->last_hit = p->last_open = false;
    }
    p->last = k->pose;
    p->collision += hit && !p->last_hit;
    p->possible += open && !p->last_open;
    p->last_hit = p->last_hit || hit;
    p->last_open = p->last_open || open;
    if ((hit || open) && p->first == SIZE_MAX) {
        p->first = k->pose;
    }
    if (p->least.b == p->least.a || is_less(&k->contact, &p->least.contact)) {
        p->least = *k;
    }
}

static void set_mark(check_mark *mark, const check_contact *k, bool better) {
    if (!mark->is_set || better) {
        *mark = (check_mark){true, *k};
    }
}

/* ---- all contacts ---------------------------------------------------------------------------- */

static void write_csv(const check_report *r, const check_contact *k) {
    const ov_contact *c = &k->contact;
    const double numbers[12] = {c->gap,       c->gap_lower, c->gap_upper, c->point_a.x,
                                c->point_a.y, c->point_a.z, c->point_b.x, c->point_b.y,
                                c->point_b.z, c->normal.x,  c->normal.y,  c->normal.z};
    FILE *out = r->c->out;
    fprintf(out, "%zu,", k->pose + 1);
    if (r->subject->poses.times != NULL) {
        fprintf(out, "%.17g", time_of(r, k->pose));
    }
    fputc(',', out);
    table_csv(out, name_of(r, k->a));
    fputc(',', out);
    table_csv(out, name_of(r, k->b));
    fputc(',', out);
    fprintf(out, "%" PRIu32 ",%" PRIu32 ",%s,%s", k->part_a + 1, k->part_b + 1,
            ov_status_name(c->status), ov_relation_name(c->relation));
    for (int i = 0; i < 12; i++) {
        if (isnan(numbers[i])) {
            fputs(",nan", out);
        } else {
            fprintf(out, ",%.17g", numbers[i]);
        }
    }
    fputc('\n', out);
}

/** Where and between what; as members of the object that is open. */
static void write_place(check_report *r, const check_contact *k) {
    json_count(&r->j, "pose", k->pose + 1);
    if (r->subject->poses.times != NULL) {
        json_number(&r->j, "time", time_of(r, k->pose));
    }
    json_string(&r->j, "a", name_of(r, k->a));
    json_string(&r->j, "b", name_of(r, k->b));
    json_count(&r->j, "part_a", k->part_a + 1);
    json_count(&r->j, "part_b", k->part_b + 1);
}

static void write_json(check_report *r, const char *key, const check_contact *k) {
    const ov_contact *c = &k->contact;
    json_open_object(&r->j, key);
    write_place(r, k);
    json_string(&r->j, "status", ov_status_name(c->status));
    json_string(&r->j, "relation", ov_relation_name(c->relation));
    json_number(&r->j, "gap", c->gap);
    json_number(&r->j, "gap_lower", c->gap_lower);
    json_number(&r->j, "gap_upper", c->gap_upper);
    json_vec3(&r->j, "point_a", c->point_a);
    json_vec3(&r->j, "point_b", c->point_b);
    json_vec3(&r->j, "normal", c->normal);
    json_close_object(&r->j);
}

void check_report_begin(check_report *r) {
    const check_subject *s = r->subject;
    if (r->format == CHECK_CSV) {
        fputs("pose,time,a,b,part_a,part_b,status,relation,gap,gap_lower,gap_upper,"
              "ax,ay,az,bx,by,bz,nx,ny,nz\n",
              r->c->out);
        return;
    }
    if (r->format != CHECK_JSON) {
        return;
    }
    r->j = json_make(r->c->out);
    json_open_object(&r->j, NULL);
    json_string(&r->j, "file", r->path);
    if (s->scene != NULL) {
        json_count(&r->j, "bodies", ov_scene_count(s->scene));
    } else {
        json_string(&r->j, "robot", ov_robot_name(s->robot));
        json_count(&r->j, "links", ov_robot_link_count(s->robot));
        json_count(&r->j, "joints", ov_robot_joint_count(s->robot));
        json_count(&r->j, "obstacles", ov_scene_count(s->obstacles));
    }
    json_number(&r->j, "limit", s->limit);
    json_open_list(&r->j, "contacts");
}

void check_report_take(void *report, size_t pose, const check_contact *contacts, size_t count) {
    check_report *r = report;
    bool hit = false, open = false;
    (void)pose;
    for (size_t i = 0; i < count; i++) {
        const check_contact *k = &contacts[i];
        bool collides = is_collision(&k->contact), may = is_open(&k->contact);
        count_contact(r, k);
        set_mark(&r->least, k, is_less(&k->contact, &r->least.at.contact));
        if (collides) {
            // of the first pose, the deepest
            set_mark(&r->first, k,
                     r->first.at.pose == k->pose && is_less(&k->contact, &r->first.at.contact));
        } else if (may) {
            set_mark(&r->first_possible, k, false);
        }
        hit = hit || collides;
        open = open || may;
        if (r->format == CHECK_CSV) {
            write_csv(r, k);
        } else if (r->format == CHECK_JSON) {
            write_json(r, NULL, k);
        }
    }
    r->collisions += hit;
    r->possible += open && !hit;
    r->contacts += count;
}

/* ---- the table ------------------------------------------------------------------------------- */

static int compare_pairs(const void *a, const void *b) {
    const check_pair *p = a, *q = b;
    if (is_less(&p->least.contact, &q->least.contact) ||
        is_less(&q->least.contact, &p->least.contact)) {
        return is_less(&p->least.contact, &q->least.contact) ? -1 : 1;
    }
    // equal gaps by the numbers of the things, so that the table is the same every time
    uint32_t m = p->a != q->a ? p->a : p->b, n = p->a != q->a ? q->a : q->b;
    return m < n ? -1 : m > n;
}

static void print_pair(const check_report *r, const check_pair *p, const int widths[2]) {
    const ov_contact *c = &p->least.contact;
    FILE *out = r->c->out;
    table_cell(out, name_of(r, p->a), widths[0]);
    table_cell(out, name_of(r, p->b), widths[1]);
    fprintf(out, "%-11s ",
            c->status < 0 ? ov_status_name(c->status) : ov_relation_name(c->relation));
    // adding zero takes the sign off a negative one
    fprintf(out, "%12.6g %14.8g %14.8g", c->gap + 0.0, c->gap_lower, c->gap_upper);
    if (check_pose_count(r->subject) > 1) {
        fprintf(out, " %8zu %8zu %10zu", p->least.pose + 1, p->near, p->collision + p->possible);
        if (p->first != SIZE_MAX) {
            fprintf(out, " %8zu", p->first + 1);
        } else {
            fprintf(out, " %8s", "-");
        }
    }
    fputc('\n', out);
}

static void print_pairs(check_report *r) {
    FILE *out = r->c->out;
    size_t lines = r->pair_count < LINES_MAX ? r->pair_count : LINES_MAX;
    const char *heads[2] = {r->subject->scene != NULL ? "body A" : "link A",
                            r->subject->scene != NULL       ? "body B"
                            : r->subject->obstacles != NULL ? "link or obstacle B"
                                                            : "link B"};
    if (lines == 0) {
        return;
    }
    // sorted now: the table of slots is not used any more
    qsort(r->pairs, r->pair_count, sizeof *r->pairs, compare_pairs);
    int widths[2] = {table_width(heads[0]) + 2, table_width(heads[1]) + 2};
    for (size_t i = 0; i < lines; i++) {
        int a = table_width(name_of(r, r->pairs[i].a)) + 2;
        int b = table_width(name_of(r, r->pairs[i].b)) + 2;
        widths[0] = a > widths[0] ? a : widths[0];
        widths[1] = b > widths[1] ? b : widths[1];
    }
    table_cell(out, heads[0], widths[0]);
    table_cell(out, heads[1], widths[1]);
    fprintf(out, "%-11s %12s %14s %14s", "relation", "least gap", "lower bound", "upper bound");
    if (check_pose_count(r->subject) > 1) {
        fprintf(out, " %8s %8s %10s %8s", "in pose", "near in", "collide in", "first");
    }
    fputc('\n', out);
    for (size_t i = 0; i < lines; i++) {
        print_pair(r, &r->pairs[i], widths);
    }
    if (lines < r->pair_count) {
        fprintf(out, "and %zu more pairs: see --csv or --json\n", r->pair_count - lines);
    }
    fputc('\n', out);
}

/** "in pose 7 (time 0.3): hand and table", the pose only where there are several. */
static void print_place(const check_report *r, const check_contact *k) {
    FILE *out = r->c->out;
    if (check_pose_count(r->subject) > 1) {
        fprintf(out, " in pose %zu", k->pose + 1);
        if (r->subject->poses.times != NULL) {
            fprintf(out, " (time %g)", time_of(r, k->pose));
        }
    }
    fprintf(out, ": %s and %s\n", name_of(r, k->a), name_of(r, k->b));
}

static void print_head(const check_report *r) {
    const check_subject *s = r->subject;
    FILE *out = r->c->out;
    if (s->scene != NULL) {
        size_t count = ov_scene_count(s->scene);
        fprintf(out, "%s: %zu bod%s", r->path, count, count == 1 ? "y" : "ies");
    } else {
        size_t links = ov_robot_link_count(s->robot), joints = ov_robot_joint_count(s->robot);
        size_t obstacles = ov_scene_count(s->obstacles);
        fprintf(out, "%s: %s, %zu link%s, %zu joint%s", r->path, ov_robot_name(s->robot), links,
                links == 1 ? "" : "s", joints, joints == 1 ? "" : "s");
        if (s->obstacles != NULL) {
            fprintf(out, ", %zu obstacle%s", obstacles, obstacles == 1 ? "" : "s");
        }
        if (r->joints != NULL) {
            fprintf(out, "; %zu pose%s of %s", s->poses.count, s->poses.count == 1 ? "" : "s",
                    r->joints);
        } else {
            fputs("; at rest", out);
        }
    }
    fprintf(out, "; limit %g\n\n", s->limit);
}

static void print_summary(const check_report *r) {
    const check_subject *s = r->subject;
    FILE *out = r->c->out;
    size_t poses = check_pose_count(s);
    if (r->collisions > 0) {
        if (poses > 1) {
            fprintf(out, "collision in %zu of %zu poses, first", r->collisions, poses);
        } else {
            size_t pairs = 0;
            for (size_t i = 0; i < r->pair_count; i++) {
                pairs += r->pairs[i].collision > 0;
            }
            fprintf(out, "collision of %zu pair%s, the deepest", pairs, pairs == 1 ? "" : "s");
        }
        print_place(r, &r->first.at);
    }
    if (r->possible > 0) {
        fputs("possible collision, not decided,", out);
        if (poses > 1) {
            fprintf(out, " in %zu of %zu poses, first", r->possible, poses);
        } else {
            fputs(" of at least one pair", out);
        }
        print_place(r, &r->first_possible.at);
    }
    if (r->collisions == 0 && r->possible == 0) {
        fputs("no collision\n", out);
    }
    if (r->least.is_set) {
        fprintf(out, "least gap %.6g", r->least.at.contact.gap + 0.0);
        print_place(r, &r->least.at);
    } else {
        fprintf(out, "least gap more than %g\n", s->limit);
    }
    if (s->poses.beyond > 0) {
        fprintf(
            out,
            "warning: beyond the limits of a joint in %zu of %zu poses, first in pose %zu: %s\n",
            s->poses.beyond, poses, s->poses.beyond_pose + 1,
            ov_model_joint(ov_robot_model(s->robot), s->poses.beyond_joint)->name);
    }
}

static void end_json(check_report *r) {
    const check_subject *s = r->subject;
    json_close_list(&r->j);
    json_count(&r->j, "poses", check_pose_count(s));
    json_count(&r->j, "poses_in_collision", r->collisions);
    json_count(&r->j, "poses_undecided", r->possible);
    json_count(&r->j, "poses_beyond_limits", s->poses.beyond);
    const char *const keys[2] = {"first_collision", "least_gap"};
    const check_mark *const marks[2] = {&r->first, &r->least};
    for (int i = 0; i < 2; i++) {
        if (marks[i]->is_set) {
            write_json(r, keys[i], &marks[i]->at);
        } else {
            json_null(&r->j, keys[i]);
        }
    }
    json_close_object(&r->j);
}

int check_report_end(check_report *r) {
    if (r->failed) {
        return cli_error(r->c, r->path, "%s", ov_status_message(OV_ERROR_MEMORY));
    }
    if (r->format == CHECK_JSON) {
        end_json(r);
    } else if (r->format == CHECK_TABLE) {
        print_head(r);
        print_pairs(r);
        print_summary(r);
    }
    return r->collisions > 0 || r->possible > 0 ? CLI_CHECK_FAILED : CLI_OK;
}

void check_report_free(check_report *r) {
    free(r->pairs);
    free(r->slots);
}
