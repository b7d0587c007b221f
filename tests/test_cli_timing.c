/**
 * @file test_cli_timing.c
 * @brief The histogram of times against a sorted list of all of them.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "timing.h"

enum { TIMES = 20001 };

static timing t;
static double all[TIMES];

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/** Draws times from `low` to `high`, and looks at what the histogram says of them. */
static void draw(check_random *r, double low, double high, double clock_ns) {
    double sum = 0.0, worst = 0.0;
    memset(&t, 0, sizeof t);
    t.clock_ns = clock_ns;
    for (int i = 0; i < TIMES; i++) {
        double measured = check_log_uniform(r, low, high);
        timing_add(&t, measured);
        all[i] = fmax(0.0, measured - clock_ns);
        sum += all[i];
    }
    qsort(all, TIMES, sizeof all[0], compare);
    CHECK(t.count == TIMES);
    CHECK_NEAR(timing_mean(&t), sum / TIMES, 1e-10 * sum / TIMES);
    CHECK(t.max_ns == all[TIMES - 1]);
    for (int percent = 1; percent <= 99; percent++) {
        double exact = all[(int)ceil(0.01 * percent * TIMES) - 1];
        // half a cell: half a nanosecond, or half a thousandth
        double tolerance = fmax(0.5, exact / 2048.0) * (1.0 + 1e-9);
        double found = timing_quantile(&t, 0.01 * percent);
        CHECK_NEAR(found, exact, tolerance);
        worst = fmax(worst, fabs(found - exact) / tolerance);
    }
    check_worst("quantiles, in half cells", worst, 1.0);
}

static void against_sorted_lists(void) {
    check_random r = check_random_make(1);
    draw(&r, 1.0, 1000.0, 0.0);
    draw(&r, 100.0, 1e6, 25.0);
    draw(&r, 1000.0, 1050.0, 0.0);
    draw(&r, 1e3, 1e12, 0.0);
    draw(&r, 1.0, 50.0, 20.0);
}

static void edges(void) {
    memset(&t, 0, sizeof t);
    CHECK(isnan(timing_mean(&t)) && isnan(timing_quantile(&t, 0.5)));
    timing_add(&t, -5.0);
    CHECK(t.max_ns == 0.0 && timing_mean(&t) == 0.0 && timing_quantile(&t, 0.99) == 0.0);
    memset(&t, 0, sizeof t);
    timing_add(&t, 1e300); // beyond the last cell: counted there, and the largest is exact
    CHECK(t.max_ns == 1e300 && timing_quantile(&t, 0.5) <= 1e300);
    memset(&t, 0, sizeof t);
    timing_add(&t, 700.0);
    CHECK_NEAR(timing_quantile(&t, 0.5), 700.0, 0.5);
    timing_begin(&t);
    CHECK(t.count == 0 && t.clock_ns >= 0.0 && t.clock_ns < 1e6);
}

int main(void) {
    check_suite = "cli_timing";
    RUN(against_sorted_lists);
    RUN(edges);
    return check_finish();
}
