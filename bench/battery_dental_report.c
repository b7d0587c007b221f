/**
 * @file battery_dental_report.c
 * @brief Dental occlusion: figures, table and CSV of `ovoid-bench dental`.
 *
 * [Benchmark, 6.4] prints no numbers for this case, only curves; so the goals here are ratios
 * within one run. Errors are against Ovoid's certified gap, whose bounds the table names.
 */
#include "battery_dental.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GOAL_RATIO 30.0
/** A step of the gap beyond the motion by less than this part of it is rounding. */
#define STEP_SLACK 1e-6

static const char *const half_names[DENTAL_HALVES] = {"apart", "meeting"};

/* ---- figures */

size_t dental_find(const dental_study *s, const char *id) {
    size_t r = 0;
    while (r < s->row_count && strcmp(s->rows[r].id, id) != 0) {
        r++;
    }
    return r;
}

dental_figures dental_figure(const dental_study *s, size_t row, dental_half half) {
    dental_figures f = {.hash = BATTERY_HASH_START, .mean_error = 0.0};
    double times[DENTAL_FRAMES], sum = 0.0;
    size_t count = 0;
    for (int k = 0; k < DENTAL_FRAMES; k++) {
        const dental_answer *a = &s->rows[row].frames[k];
        if (s->half[k] != half) {
            continue;
        }
        times[count++] = a->ns;
        sum += a->ns;
        f.frames += a->answered;
        f.failed += a->failed;
        f.wrong += a->answered && a->overlapping != (half == DENTAL_MEETING);
        battery_hash_gap(&f.hash, a->gap);
        if (!isnan(a->gap)) {
            double error = fabs(a->gap - s->least[k].contact.gap);
            f.gaps++;
            f.mean_error += error;
            f.worst_error = fmax(f.worst_error, error);
        }
    }
    battery_sort(times, count);
    f.mean = count > 0 ? sum / (double)count : NAN;
    f.median = count > 0 ? times[count / 2] : NAN;
    f.max = count > 0 ? times[count - 1] : NAN;
    f.mean_error = f.gaps > 0 ? f.mean_error / (double)f.gaps : NAN;
    f.worst_error = f.gaps > 0 ? f.worst_error : NAN;
    return f;
}

double dental_motion(int frame) {
    // the tooth does not turn in this bite, so all of its points move alike
    ov_pose before = dental_bite(frame - 1), now = dental_bite(frame);
    return ov_vec3_length(ov_vec3_sub(now.position, before.position));
}

dental_steps dental_step(const dental_study *s, size_t row) {
    dental_steps steps = {.first = -1, .last = -1};
    const dental_answer *frames = s->rows[row].frames;
    for (int k = 0; k < DENTAL_FRAMES; k++) {
        if (isnan(frames[k].gap)) {
            continue;
        }
        bool follows = steps.last >= 0 && steps.last == k - 1;
        steps.first = steps.first < 0 ? k : steps.first;
        steps.last = k;
        double ratio = follows ? fabs(frames[k].gap - frames[k - 1].gap) / dental_motion(k) : 0.0;
        steps.jumps += ratio > 1.0 + STEP_SLACK;
        if (ratio > steps.worst_ratio) {
            steps.worst_ratio = ratio;
            steps.worst_frame = k;
        }
    }
    return steps;
}

/* ---- the table */

static void print_half(FILE *out, const dental_study *s, dental_half half) {
    double unit = dental_figure(s, 0, half).mean;
    fprintf(out, "\n%zu frames with the teeth %s\n%-36s %10s %10s %10s %6s %6s %11s %11s %8s\n",
            s->half_count[half], half == DENTAL_APART ? "apart" : "in each other", "", "mean us",
            "median us", "worst us", "wrong", "failed", "mean error", "worst error", "ratio");
    for (size_t r = 0; r < s->row_count; r++) {
        dental_figures f = dental_figure(s, r, half);
        bool ours = r == 0;
        fprintf(out, "%-36s", s->rows[r].name);
        battery_cell(out, 10, "%.2f", f.mean * 1e-3);
        battery_cell(out, 10, "%.2f", f.median * 1e-3);
        battery_cell(out, 10, "%.2f", f.max * 1e-3);
        fprintf(out, " %6zu %6zu", f.wrong, f.failed);
        battery_cell(out, 11, "%.1e", ours ? NAN : f.mean_error);
        battery_cell(out, 11, "%.1e", ours ? NAN : f.worst_error);
        battery_cell(out, 8, "%.1f", f.mean / unit);
        fputc('\n', out);
    }
}

/** Frames in which the teeth overlap but a row says a distance of 0, or none at all. */
static size_t count_zeros(const dental_study *s, size_t row) {
    size_t count = 0;
    for (int k = 0; k < DENTAL_FRAMES; k++) {
        count += s->half[k] == DENTAL_MEETING && s->rows[row].frames[k].gap == 0.0;
    }
    return count;
}

static void print_meeting(FILE *out, const dental_study *s) {
    int deepest = 0, first = -1, last = -1;
    double width = 0.0;
    size_t queries = 0;
    for (int k = 0; k < DENTAL_FRAMES; k++) {
        const ov_contact *c = &s->least[k].contact;
        if (s->half[k] == DENTAL_MEETING) {
            first = first < 0 ? k : first;
            last = k;
        } else {
            width = fmax(width, c->gap_upper - c->gap_lower);
        }
        deepest = c->gap < s->least[deepest].contact.gap ? k : deepest;
        queries += s->least[k].queries;
    }
    const dental_least *d = &s->least[deepest];
    fprintf(out,
            "\nThe teeth meet in frames %d to %d (printed: about 47 to 111), deepest by %.4f mm in "
            "frame %d:\nthe %s of the upper tooth in the %s of the lower one.\n",
            first, last, -d->contact.gap, deepest, dental_part_name(DENTAL_UPPER, d->part_b),
            dental_part_name(DENTAL_LOWER, d->part_a));
    for (size_t r = 0; r < s->row_count; r++) {
        if (s->rows[r].way == DENTAL_MESH && s->rows[r].method->gives_distance) {
            fprintf(out, "%s: a distance of 0 in %zu of these %zu frames.\n", s->rows[r].name,
                    count_zeros(s, r), s->half_count[DENTAL_MEETING]);
        }
    }
    fprintf(
        out,
        "Apart, Ovoid's bounds of the gap are at most %.0e mm apart. Of %zu pairs of parts %.1f "
        "are asked in a\nframe, with coherence. Hash of its gaps: %016llx %016llx.\n",
        width, s->teeth[DENTAL_LOWER].count * s->teeth[DENTAL_UPPER].count,
        (double)queries / DENTAL_FRAMES, (unsigned long long)dental_figure(s, 0, DENTAL_APART).hash,
        (unsigned long long)dental_figure(s, 0, DENTAL_MEETING).hash);
}

static void print_steps(FILE *out, const dental_study *s) {
    fputs("\nSteps of the gap from frame to frame; more than the tooth moved is a jump:\n", out);
    for (size_t r = 0; r < s->row_count; r++) {
        dental_steps steps = dental_step(s, r);
        if (steps.first >= 0) {
            fprintf(out, "%-36s frames %3d to %3d, %2zu jumps, largest step %.3f motions (%d)\n",
                    s->rows[r].name, steps.first, steps.last, steps.jumps, steps.worst_ratio,
                    steps.worst_frame);
        }
    }
    fputs(
        "Printed: the superovoids have no data before frame 28 and after 133, and jumps between.\n",
        out);
}

static void print_goals(FILE *out, const dental_study *s) {
    fprintf(out,
            "\nGoal: with coherence at least %.0f times as fast as FCL's mesh distance, in both "
            "halves of "
            "Fig. 13:\nboth meshes, and the teeth apart and in each other\n",
            GOAL_RATIO);
    for (int mesh = 0; mesh < DENTAL_MESHES; mesh++) {
        char id[48];
        snprintf(id, sizeof id, "fcl_mesh_distance_%d", mesh > 0 ? DENTAL_FINE : DENTAL_COARSE);
        size_t r = dental_find(s, id);
        for (int half = 0; half < DENTAL_HALVES && r < s->row_count; half++) {
            dental_figures theirs = dental_figure(s, r, (dental_half)half);
            dental_figures ours = dental_figure(s, 0, (dental_half)half);
            double mean = theirs.mean / ours.mean, median = theirs.median / ours.median;
            fprintf(out, "  %-36s %-8s mean %7.1f, median %7.1f  %s\n", s->rows[r].name,
                    half_names[half], mean, median,
                    fmin(mean, median) >= GOAL_RATIO ? "met" : "missed");
        }
        if (r == s->row_count) {
            fprintf(out, "  FCL, %d triangles: not measured\n",
                    mesh > 0 ? DENTAL_FINE : DENTAL_COARSE);
        }
    }
    dental_steps steps = dental_step(s, 0);
    fprintf(out, "Goal: no jump of Ovoid's gap, a penetration where the meshes have 0: %s\n",
            steps.jumps == 0 && s->half_count[DENTAL_MEETING] > 0 ? "met" : "missed");
}

void dental_print(FILE *out, const dental_study *s) {
    fprintf(out,
            "Dental occlusion [Benchmark, 5.3, 6.4, Figs 13 and 14]: two first molars of %zu "
            "and %zu superovoids,\n%d frames of a bite. Times of a frame, best of three; the least "
            "gap over all pairs of parts; errors in mm.\n",
            s->teeth[DENTAL_LOWER].count, s->teeth[DENTAL_UPPER].count, DENTAL_FRAMES);
    for (int m = 0; m < DENTAL_MESHES && s->triangles[m][0] > 0; m++) {
        fprintf(out, "%s of %zu and %zu triangles", m > 0 ? "," : "Meshes", s->triangles[m][0],
                s->triangles[m][1]);
    }
    fputs(s->triangles[0][0] > 0 ? ". Where they meet, their error is the depth itself.\n" : "",
          out);
    for (int half = 0; half < DENTAL_HALVES; half++) {
        print_half(out, s, (dental_half)half);
    }
    print_meeting(out, s);
    print_steps(out, s);
    print_goals(out, s);
}

/* ---- CSV */

void dental_csv(FILE *out, const dental_study *s) {
    fputs("frame,half,px,py,pz,gap_lower,gap_upper,part_lower,part_upper,queries", out);
    for (size_t r = 0; r < s->row_count; r++) {
        fprintf(out, ",%s_us,%s_gap", s->rows[r].id, s->rows[r].id);
    }
    fputc('\n', out);
    for (int k = 0; k < DENTAL_FRAMES; k++) {
        const dental_least *least = &s->least[k];
        ov_vec3 p = dental_bite(k).position;
        fprintf(out, "%d,%s", k, half_names[s->half[k]]);
        battery_csv_number(out, p.x);
        battery_csv_number(out, p.y);
        battery_csv_number(out, p.z);
        battery_csv_number(out, least->contact.gap_lower);
        battery_csv_number(out, least->contact.gap_upper);
        fprintf(out, ",%zu,%zu,%zu", least->part_a, least->part_b, least->queries);
        for (size_t r = 0; r < s->row_count; r++) {
            battery_csv_number(out, s->rows[r].frames[k].ns * 1e-3);
            battery_csv_number(out, s->rows[r].frames[k].gap);
        }
        fputc('\n', out);
    }
}
