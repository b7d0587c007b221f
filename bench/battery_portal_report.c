/**
 * @file battery_portal_report.c
 * @brief What `ovoid-bench portal` prints: the readings of Table 2, Table 3, and for each case all
 * constraint sets with both optimisers, as published and mended, beside the certified gap.
 *
 * The paper counts the values that its differences take as function evaluations; here derivatives
 * are analytic, so its counts have nothing to stand beside and are printed alone.
 */
#ifdef OVOID_SCHEMES

#include "battery_portal.h"

#include <math.h>
#include <string.h>

static const char *const method_names[PORTAL_METHODS] = {"IP", "SQP"};

/** Gauge less 1 of a printed point above which it is not on the surface, also after rounding. */
#define OFF_SURFACE 0.01

static char mark_of(const portal_case *c, const ov_scheme_result *r) {
    return portal_is_right(c, r) ? '=' : r->status == OV_OK ? '*' : '?';
}

/* ---- verdicts on printed rows */

static void verdict_words(const portal_study *s, int row, char *words, size_t size) {
    const portal_printed *p = &portal_printed_rows[row];
    const portal_verdict *v = &s->verdicts[row];
    const portal_case *c = &s->cases[p->number - 1];
    double surface = fmax(fabs(v->surface_a), fabs(v->surface_b));
    char body = fabs(v->surface_a) > fabs(v->surface_b) ? 'A' : 'B';
    if (v->right && surface <= OFF_SURFACE) {
        snprintf(words, size, "the minimum");
    } else if (v->right) {
        snprintf(words, size, "the minimum, but %c's point is %.0f %% off its surface", body,
                 100.0 * surface);
    } else if (c->certified.relation == OV_RELATION_OVERLAPPING && !p->contact) {
        snprintf(words, size, "not a contact: the depth is %.4f", -c->certified.gap);
    } else if (surface > OFF_SURFACE) {
        snprintf(words, size, "not the minimum: off by %+.4f, %c's point %.1f %% off its surface",
                 v->off, body, 100.0 * surface);
    } else {
        snprintf(words, size, "not the minimum: off by %+.4f", v->off);
    }
}

/* ---- tables */

static void print_readings(FILE *out, const portal_study *s) {
    fprintf(out, "How Table 2 is to be read, by what else the paper prints:\n\n%-64s %10s %10s\n",
            "", "delta off", "points off");
    for (int i = 0; i < PORTAL_READINGS; i++) {
        const portal_reading *r = &s->readings[i];
        fprintf(out, "%-64s %10.5f %10.5f\n", r->words, r->delta_off, r->point_off);
    }
    fputs("\ndelta off: worst of the 12 start factors of Table 3, printed to 1e-4.\n"
          "points off: worst gauge less 1 of the printed solutions, points printed to 1e-2 (cases "
          "4 to 6)\nor 1e-3 (7, 8).\n",
          out);
}

/** "1234 (362)", or the first alone. */
static void put_ms(FILE *out, int ms, int start_ms) {
    char text[32];
    if (start_ms >= 0) {
        snprintf(text, sizeof text, "%d (%d)", ms, start_ms);
    } else {
        snprintf(text, sizeof text, "%d", ms);
    }
    fprintf(out, " %10s", text);
}

static void put_result(FILE *out, const portal_case *c, const ov_scheme_result *r) {
    if (r->status < 0) {
        fprintf(out, " | %10s  %4s %7s", "-", "-", "-");
    } else {
        double gap = fabs(r->gap) < 5e-7 ? 0.0 : r->gap; // no sign before a zero
        fprintf(out, " | %10.*f%c %4d %7.3f", fabs(gap) < 1e3 ? 6 : 0, gap, mark_of(c, r),
                r->iterations, 1e3 * r->total_seconds);
    }
}

static void print_table_3(FILE *out, const portal_study *s) {
    const int e = 'e' - 'a';
    fprintf(out,
            "\nTable 3. Here with set e: of all sets only b and e can find the penetration of case "
            "4, and e is\nthe one that the paper recommends. In brackets: the paper's time of the "
            "start.\n"
            "\n%-4s %-6s %8s %5s %5s %10s | %11s %4s %7s | %10s  %s\n",
            "case", "method", "printed", "iter", "eval", "ms", "here", "iter", "ms", "certified",
            "printed is");
    for (int i = 0; i < PORTAL_PRINTED && portal_printed_rows[i].set == 0; i++) {
        const portal_printed *p = &portal_printed_rows[i];
        const portal_case *c = &s->cases[p->number - 1];
        char words[96];
        verdict_words(s, i, words, sizeof words);
        fprintf(out, "%-4d %-6s %8.*f %5d %5d", p->number, method_names[p->method], p->digits,
                p->contact ? -p->distance : p->distance, p->iterations, p->evaluations);
        put_ms(out, p->ms, p->start_ms);
        put_result(out, c, &c->results[e][p->method][0]);
        fprintf(out, " | %10.6f  %s\n", c->certified.gap, words);
    }
    fputs("\nIn cases 1 to 3 the start is the solution. SLSQP gives up there where a set has "
          "gradients "
          "that\nvanish or depend on each other, as e has (mended it does not).\n",
          out);
}

static int printed_row(int number, char set) {
    for (int i = 0; i < PORTAL_PRINTED; i++) {
        if (portal_printed_rows[i].number == number && portal_printed_rows[i].set == set) {
            return i;
        }
    }
    return -1;
}

static void print_case(FILE *out, const portal_study *s, int number) {
    const portal_case *c = &s->cases[number - 1];
    bool printed = printed_row(number, 'a') >= 0;
    fprintf(out, "\nCase %d%s: %s, certified gap %.9f, in [%.9f, %.9f]; start delta %.4f, %.4f\n\n",
            number,
            number == 7   ? " (Table 4)"
            : number == 8 ? " (Table 5)"
                          : "",
            ov_relation_name(c->certified.relation), c->certified.gap, c->certified.gap_lower,
            c->certified.gap_upper, c->delta[0], c->delta[1]);
    if (printed) {
        fprintf(out, "%-3s %8s %5s %5s %6s", "set", "printed", "iter", "eval", "ms");
    } else {
        fprintf(out, "%-3s", "set");
    }
    fputs(" |  Ipopt gap  iter      ms |  SLSQP gap  iter      ms |   mended I  iter      ms |   "
          "mended S  iter      ms\n",
          out);
    for (int set = 0; set < OV_PORTAL_SETS; set++) {
        fprintf(out, "%-3c", 'a' + set);
        int row = printed_row(number, (char)('a' + set));
        if (row >= 0) {
            const portal_printed *p = &portal_printed_rows[row];
            fprintf(out, " %8.*f %5d %5d %6d", p->digits, p->contact ? -p->distance : p->distance,
                    p->iterations, p->evaluations, p->ms);
        }
        for (int form = 0; form < PORTAL_FORMS; form++) {
            for (int method = 0; method < PORTAL_METHODS; method++) {
                put_result(out, c, &c->results[set][method][form]);
            }
        }
        fputc('\n', out);
    }
    for (int set = 0; set < OV_PORTAL_SETS && printed; set++) {
        char words[96];
        verdict_words(s, printed_row(number, (char)('a' + set)), words, sizeof words);
        fprintf(out, "%s%d.%c as printed: %s\n", set == 0 ? "\n" : "", number, 'a' + set, words);
    }
}

static void print_counts(FILE *out, const portal_study *s) {
    fprintf(out, "\nRight (=) of the %d cases, by set:\n\n%-24s", PORTAL_CASES, "");
    for (int set = 0; set < OV_PORTAL_SETS; set++) {
        fprintf(out, " %3c", 'a' + set);
    }
    fputc('\n', out);
    for (int form = 0; form < PORTAL_FORMS; form++) {
        for (int method = 0; method < PORTAL_METHODS; method++) {
            fprintf(out, "%-5s %-18s", method > 0 ? "SLSQP" : "Ipopt",
                    form > 0 ? "mended" : "as published");
            for (int set = 0; set < OV_PORTAL_SETS; set++) {
                int right = 0;
                for (int k = 0; k < PORTAL_CASES; k++) {
                    right += portal_is_right(&s->cases[k], &s->cases[k].results[set][method][form]);
                }
                fprintf(out, " %3d", right);
            }
            fputc('\n', out);
        }
    }
}

void portal_print(FILE *out, const portal_study *s) {
    fprintf(out,
            "Contact of superquadrics as a constrained minimum [Portal], Tables 2 to 5, by Ipopt "
            "(its IP) and\nNLopt's SLSQP (its SQP): tolerance %.0e, at most %d iterations. Gaps: "
            "negative is a penetration.\nOvoid's certified gap has both bounds proven.\n\n",
            s->tolerance, s->iterations);
    for (int method = 0; method < PORTAL_METHODS; method++) {
        if (s->missing[method] != NULL) {
            fprintf(out, "%s is left out: it was built without %s.\n\n", method_names[method],
                    s->missing[method]);
        }
    }
    print_readings(out, s);
    print_table_3(out, s);
    fputs(
        "\nAll sets. = stopped by its own rule within 1e-5 of the certified gap; * stopped by its "
        "own rule\nelsewhere; ? did not converge.\n",
        out);
    for (int number = 1; number <= PORTAL_CASES; number++) {
        print_case(out, s, number);
    }
    print_counts(out, s);
    fputs("\nSet a cannot tell how deep bodies overlap: its minimum is 0 then. As published, the "
          "sets with\nnA.u = 1 or nB.u = -1 (c, d, f, g, h) have no solution in an overlap, and b "
          "takes any two points\nwith parallel normals for a minimum; mended, h still lets the "
          "points meet in an overlap.\n",
          out);
}

/* ---- CSV */

static void csv_printed(FILE *out, const portal_printed *p) {
    if (p == NULL) {
        fputs(",,,,\n", out);
    } else {
        fprintf(out, ",%.*f,%d,%d,%d\n", p->digits, p->contact ? -p->distance : p->distance,
                p->iterations, p->evaluations, p->ms);
    }
}

/** The row of the paper that a run answers to: Tables 4 and 5 by set, Table 3 by set e. */
static const portal_printed *counterpart(int number, char set, int method) {
    for (int i = 0; i < PORTAL_PRINTED; i++) {
        const portal_printed *p = &portal_printed_rows[i];
        if (p->number == number && p->method == method &&
            (p->set == set || (p->set == 0 && set == 'e'))) {
            return p;
        }
    }
    return NULL;
}

void portal_csv(FILE *out, const portal_study *s) {
    fputs("case,set,method,form,status,gap,iterations,residual,start_ms,total_ms,certified,"
          "certified_lower,certified_upper,printed,printed_iterations,printed_evaluations,"
          "printed_ms\n",
          out);
    for (int k = 0; k < PORTAL_CASES; k++) {
        const portal_case *c = &s->cases[k];
        for (int i = 0; i < OV_PORTAL_SETS * PORTAL_METHODS * PORTAL_FORMS; i++) {
            int set = i / (PORTAL_METHODS * PORTAL_FORMS), method = i / PORTAL_FORMS % 2;
            int form = i % PORTAL_FORMS;
            const ov_scheme_result *r = &c->results[set][method][form];
            fprintf(out, "%d,%c,%s,%s,%s", k + 1, 'a' + set, method > 0 ? "sqp" : "interiorPoint",
                    form > 0 ? "mended" : "published", ov_status_name(r->status));
            battery_csv_number(out, r->gap);
            fprintf(out, ",%d", r->iterations);
            battery_csv_number(out, r->residual);
            battery_csv_number(out, 1e3 * r->start_seconds);
            battery_csv_number(out, 1e3 * r->total_seconds);
            battery_csv_number(out, c->certified.gap);
            battery_csv_number(out, c->certified.gap_lower);
            battery_csv_number(out, c->certified.gap_upper);
            csv_printed(out, form > 0 ? NULL : counterpart(k + 1, (char)('a' + set), method));
        }
    }
}

#endif
