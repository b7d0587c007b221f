/**
 * @file battery_motion_report.c
 * @brief The study of motions as tables, and its goals.
 */
#include <inttypes.h>
#include <math.h>

#include "battery_motion.h"

static const char *const motion_names[SQUARES_MOTIONS] = {"collision", "near-collision",
                                                          "no collision"};

/* ---- [Toleranced, 7] */

static void print_octagon(FILE *out, const char *what, double printed, int tests, int depth,
                          const squares_run *run) {
    fprintf(out, "  %-36s", what);
    battery_cell(out, 9, "%.4f", printed);
    battery_cell(out, 7, "%.0f", tests > 0 ? (double)tests : NAN);
    battery_cell(out, 5, "%.0f", depth > 0 ? (double)depth : NAN);
    fprintf(out, "  %10.3f %7zu %7zu %5d  %-9s", 1e-3 * run->ns, run->summary.pieces,
            run->summary.tests, run->summary.depth, ov_sweep_answer_name(run->summary.answer));
    battery_cell(out, 8, "%.0f times", 1e9 * printed / run->ns);
    fputc('\n', out);
}

static void print_octagons(FILE *out, const squares_study *s) {
    fprintf(out,
            "Two octagons, motions of degree eight [Toleranced, 7.1]; epsilon %.3g of the "
            "diameter\n"
            "(the paper's own motions are not printed; these are after its words)\n"
            "%40s%21s  %35s\n"
            "%48s %7s %5s  %10s %7s %7s %5s  %-9s  %s\n",
            s->octagon_epsilon, "", "printed", "measured", "s", "tests", "depth", "us", "pieces",
            "tests", "depth", "answer", "faster by");
    char what[80];
    snprintf(what, sizeof what, "clear by %.3g epsilon", s->octagon_clearance[0]);
    print_octagon(out, what, OCTAGON_PRINTED_FREE, 173, 8, &s->octagons[0]);
    snprintf(what, sizeof what, "in contact, %.3g epsilon deep", -s->octagon_clearance[1]);
    print_octagon(out, what, OCTAGON_PRINTED_CONTACT, 9, 8, &s->octagons[1]);
    print_octagon(out, "the same, where it begins", OCTAGON_PRINTED_CONTACT, 9, 8,
                  &s->octagon_first);
    print_octagon(out, "half a diameter further away", NAN, 0, 0, &s->octagon_away);
}

static void print_motion(FILE *out, const squares_study *s, ov_mass_use mass, squares_motion m) {
    fprintf(out, "\n%s, %s mass (clearance %.3g epsilon)\n", motion_names[m],
            mass == OV_MASS_USE_GLOBAL ? "global" : "individual", s->clearance[m]);
    fprintf(out, "%4s %9s  %10s %10s %9s %9s  %10s %10s %9s %9s  %s\n", "n", "printed s",
            "all pairs", "faster by", "pieces", "tests", "hierarchy", "faster by", "pieces",
            "tests", "answer");
    for (size_t n = 1; n <= s->most; n++) {
        double printed = squares_printed(mass, m, n);
        fprintf(out, "%4zu %9.2f", n, printed);
        for (int way = 0; way < SQUARES_WAYS; way++) {
            const squares_run *r = &s->tables[mass].runs[m][n - 1][way];
            fprintf(out, "  %10.3f %10.0f %9zu %9zu", 1e-6 * r->ns, 1e9 * printed / r->ns,
                    r->summary.pieces, r->summary.tests);
        }
        fprintf(out, "  %s\n",
                ov_sweep_answer_name(s->tables[mass].runs[m][n - 1][1].summary.answer));
    }
    fputs("  all pairs, exponent over n^4: of the time", out);
    battery_cell(out, 0, "%.3f,", s->time_exponent[mass][m]);
    fputs(" of the tests", out);
    battery_cell(out, 0, "%.3f", s->test_exponent[mass][m]);
    fputc('\n', out);
}

/** Beyond the paper's sizes. */
static void print_more(FILE *out, const squares_study *s) {
    static const char *const ways[SQUARES_WAYS] = {"all pairs", "hierarchy"};
    if (s->more_count == 0) {
        return;
    }
    fprintf(out, "\nnear-collision, individual mass, more parts\n%4s %12s", "n", "pairs");
    for (int way = 0; way < SQUARES_WAYS; way++) {
        fprintf(out, "  %10s %10s", ways[way], "tests");
    }
    for (size_t k = 0; k < s->more_count; k++) {
        fprintf(out, "\n%4zu %12.0f", s->more_n[k], pow((double)s->more_n[k], 4.0));
        for (int way = 0; way < SQUARES_WAYS; way++) {
            fprintf(out, "  %10.3f %10zu", 1e-6 * s->more[k][way].ns,
                    s->more[k][way].summary.tests);
        }
    }
    fputc('\n', out);
    for (int way = 0; way < SQUARES_WAYS; way++) {
        fprintf(out, "  %s, exponent over n^4 from n = 10: of the time %.3f, of the tests %.3f\n",
                ways[way], s->more_time_exponent[way], s->more_test_exponent[way]);
    }
}

static void print_squares(FILE *out, const squares_study *s) {
    print_octagons(out, s);
    fprintf(out,
            "\nTwo squares in n^2 parts each [Toleranced, Tables 1 and 2]; epsilon %.3g of the "
            "diameter;\nmeasured times in ms: of every pair as in the paper, and with trees over "
            "both\n",
            s->epsilon / s->diameter);
    for (int mass = OV_MASS_USE_COUNT - 1; mass >= 0; mass--) {
        for (int m = 0; m < SQUARES_MOTIONS; m++) {
            print_motion(out, s, (ov_mass_use)mass, (squares_motion)m);
        }
    }
    print_more(out, s);
}

/* ---- beside FCL */

static void print_rival(FILE *out, const rival_row *row, const rival_figures *f) {
    fprintf(out, "  %-28s %6zu %6zu %6zu %6zu", row->name, f->asked, f->failed, f->missed,
            f->alarms);
    if (row->method == NULL) {
        fprintf(out, " %9zu", f->undecided);
    } else {
        fprintf(out, " %9s", "-"); // it has no way to say so
    }
    battery_cell(out, 10, "%.1f", 1e-3 * f->times.mean);
    battery_cell(out, 10, "%.1f", 1e-3 * f->times.median);
    battery_cell(out, 10, "%.1f", 1e-3 * f->times.p99);
    battery_cell(out, 9, "%.1e", f->error_median);
    battery_cell(out, 9, "%.1e", f->error_worst);
    fputc('\n', out);
}

static void print_rivals(FILE *out, const rival_study *s) {
    fprintf(out,
            "\nThe same motions for Ovoid and FCL, %zu of each kind; missed: called free, and a "
            "dense\nsearch finds a contact; alarms: the other way; errors of the first contact in "
            "parts of\nthe time\n",
            s->count);
    for (int k = 0; k < RIVAL_SETS * RIVAL_CLASSES; k++) {
        int set = k / RIVAL_CLASSES, kind = k % RIVAL_CLASSES;
        fprintf(out, "\n%s, %s: %zu of %zu with a contact\n", rival_set_name(set),
                rival_class_name((rival_class)kind), s->contacts[set][kind], s->count);
        fprintf(out, "  %-28s %6s %6s %6s %6s %9s %10s %10s %10s %9s %9s\n", "", "asked", "failed",
                "missed", "alarms", "undecided", "mean us", "median", "p99", "error", "worst");
        for (size_t r = 0; r < s->row_count; r++) {
            const rival_figures *f = &s->rows[r].figures[set][kind];
            if (f->asked > 0) {
                print_rival(out, &s->rows[r], f);
            }
        }
    }
    if (s->rows[s->row_count - 1].method == NULL) {
        fputs("(FCL is not there)\n", out);
    }
}

/* ---- superovoids, arm, costs */

static void print_smooth_row(FILE *out, const char *what, const smooth_figures *f) {
    fprintf(out, "  %-34s %7zu", what, f->times.count);
    battery_cell(out, 9, "%.2f", 1e-3 * f->times.mean);
    battery_cell(out, 9, "%.2f", 1e-3 * f->times.median);
    battery_cell(out, 9, "%.2f", 1e-3 * f->times.p99);
    battery_cell(out, 8, "%.1f", f->pieces);
    battery_cell(out, 8, "%.1f", f->tests);
    battery_cell(out, 8, "%.1f", f->queries);
    fputc('\n', out);
}

static void print_smooth(FILE *out, const smooth_study *s) {
    fprintf(out,
            "\nPairs of superovoids, half a turn and ten sizes of travel: %zu motions\n"
            "  %-34s %7s %9s %9s %9s %8s %8s %8s\n",
            s->count, "", "count", "mean us", "median", "p99", "pieces", "tests", "queries");
    print_smooth_row(out, "proof that it is free", &s->proof);
    print_smooth_row(out, "first contact to 1e-6 of the time", &s->first);
    fprintf(out,
            "  undecided %zu, free where the dense search finds a contact %zu, first contact "
            "outside of\n  the bounds %zu, widest bounds %.2g of the time, median clearance of the "
            "free %.2g sizes,\n  hash %016" PRIx64 "\n",
            s->undecided, s->false_promises, s->outside, s->width_worst, s->clearance_median,
            s->hash);
}

static void print_arm(FILE *out, const arm_study *s) {
    static const char *const cases[ARM_CASES] = {"free", "one obstacle grazing", "with a contact"};
    fprintf(out,
            "\nAn arm of 6 joints and 8 superovoids among %d obstacles, %.3g s, epsilon %.3g mm; "
            "least gap\nof links of its own %.3g mm\n"
            "  %-22s %9s %9s %9s %8s %8s %8s  %-9s %9s %9s\n",
            ARM_OBSTACLES, s->seconds, 1e3 * s->epsilon, 1e3 * s->self_clearance, "", "nearest mm",
            "ms", "2 threads", "pieces", "tests", "queries", "answer", "contact s", "bounds s");
    for (int i = 0; i < ARM_CASES; i++) {
        const arm_run *r = &s->runs[i];
        fprintf(out, "  %-22s %9.3f %9.3f %9.3f %8zu %8zu %8zu  %-9s", cases[i], 1e3 * r->clearance,
                1e-6 * r->ns, 1e-6 * r->ns_two, r->summary.pieces, r->summary.tests,
                r->summary.queries, ov_sweep_answer_name(r->summary.answer));
        battery_cell(out, 9, "%.5f", r->first);
        battery_cell(out, 9, "%.1e", isnan(r->first) ? NAN : r->width);
        fputc('\n', out);
    }
}

static void print_curve(FILE *out, const char *title, const char *unit, const cost_curve *c) {
    fprintf(out, "\n%s\n  %10s %8s %8s %11s %10s %10s\n", title, unit, "asked", "proven",
            "median us", "tests", "queries");
    for (size_t k = 0; k < c->count; k++) {
        fprintf(out, "  %10.4g %8zu %8zu", c->x[k], c->asked[k], c->proven[k]);
        battery_cell(out, 11, "%.2f", 1e-3 * c->ns[k]);
        battery_cell(out, 10, "%.0f", c->tests[k]);
        battery_cell(out, 10, "%.0f", c->queries[k]);
        fputc('\n', out);
    }
    fputs("  exponent of the time over the last half", out);
    battery_cell(out, 0, "%.2f", c->exponent);
    fputc('\n', out);
}

/* ---- goals */

static void print_goal(FILE *out, const char *what, double goal, bool at_most, double measured) {
    bool met = at_most ? measured <= goal : measured >= goal;
    fprintf(out, "  %-66s %s %6.6g  %10.4g  %s\n", what, at_most ? "<=" : ">=", goal, measured,
            met ? "met" : "missed");
}

/** Least factor by which all pairs of size n are faster than printed. */
static double least_factor(const squares_study *s, size_t n) {
    double least = INFINITY;
    for (int mass = 0; mass < OV_MASS_USE_COUNT; mass++) {
        for (int m = 0; m < SQUARES_MOTIONS; m++) {
            double printed = squares_printed((ov_mass_use)mass, (squares_motion)m, n);
            least = fmin(least, 1e9 * printed / s->tables[mass].runs[m][n - 1][0].ns);
        }
    }
    return least;
}

/** Promises of Ovoid that do not hold: called free, and first contacts outside of the bounds. */
static size_t broken_promises(const rival_study *s, size_t *outside) {
    size_t missed = 0;
    *outside = 0;
    for (size_t r = 0; r < s->row_count; r++) {
        for (int k = 0; k < RIVAL_SETS * RIVAL_CLASSES && s->rows[r].method == NULL; k++) {
            const rival_figures *f = &s->rows[r].figures[k / RIVAL_CLASSES][k % RIVAL_CLASSES];
            missed += f->missed;
            *outside += f->outside;
        }
    }
    return missed;
}

static void print_goals(FILE *out, const motion_study *study) {
    const squares_study *s = &study->squares;
    char what[96];
    fprintf(out, "\nGoals%76s\n", "goal    measured");
    print_goal(out, "octagons, free, faster than printed", 100.0, false,
               1e9 * OCTAGON_PRINTED_FREE / s->octagons[0].ns);
    print_goal(out, "octagons, where the contact begins, faster than printed", 100.0, false,
               1e9 * OCTAGON_PRINTED_CONTACT / s->octagon_first.ns);
    for (size_t n = 1; n <= s->most; n++) {
        snprintf(what, sizeof what, "squares, all pairs, faster than printed, n = %zu", n);
        print_goal(out, what, 100.0, false, least_factor(s, n));
    }
    if (s->most == SQUARES_MAX) {
        const squares_run *near =
            &s->tables[OV_MASS_USE_INDIVIDUAL].runs[SQUARES_NEAR][SQUARES_MAX - 1][1];
        print_goal(
            out, "squares, hierarchy, near-collision, faster than printed, n = 10", 10000.0, false,
            1e9 * squares_printed(OV_MASS_USE_INDIVIDUAL, SQUARES_NEAR, SQUARES_MAX) / near->ns);
    }
    size_t outside, missed = broken_promises(&study->rivals, &outside);
    print_goal(out, "motions with a contact that Ovoid calls free", 0.0, true,
               (double)(study->smooth.false_promises + missed));
    print_goal(out, "first contacts outside of Ovoid's bounds", 0.0, true,
               (double)(study->smooth.outside + outside));
    print_goal(out, "superovoids: proof, mean us", 60.0, true,
               1e-3 * study->smooth.proof.times.mean);
    print_goal(out, "superovoids: first contact to 1e-6, mean us", 150.0, true,
               1e-3 * study->smooth.first.times.mean);
    print_goal(out, "arm among 50 obstacles, free, ms", 20.0, true,
               1e-6 * study->arm.runs[ARM_FREE].ns);
    print_goal(out, "arm, one obstacle grazing at 1 mm, ms", 20.0, true,
               1e-6 * study->arm.runs[ARM_GRAZE].ns);
    print_goal(out, "arm, with a contact, ms", 20.0, true, 1e-6 * study->arm.runs[ARM_CONTACT].ns);
}

void motion_print(FILE *out, const motion_study *study) {
    fprintf(out, "Motions, seed %" PRIu64 "; times are the best of a few runs\n\n", study->seed);
    print_squares(out, &study->squares);
    print_rivals(out, &study->rivals);
    print_smooth(out, &study->smooth);
    print_arm(out, &study->arm);
    print_curve(out, "Cost of a proof by clearance: superovoids, half a turn, ten sizes", "sizes",
                &study->cost.clearance);
    print_curve(out, "Cost of a proof by clearance: two squares in 16 parts, hierarchy",
                "diameters", &study->cost.squares);
    print_curve(out,
                "Cost of a proof by length: superovoids, half a turn for ten sizes, clear by 0.1 "
                "sizes",
                "sizes", &study->cost.length);
    print_curve(out,
                "Cost of a proof by length: superovoids turning in place, clear by 0.1 sizes; the "
                "way of the farthest point",
                "sizes", &study->cost.spin);
    print_goals(out, study);
}
