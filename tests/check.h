/**
 * @file check.h
 * @brief The smallest test frame that still says what went wrong: file, line, values, tolerance and
 * the seed of the random numbers.
 *
 * One program a suite. `main` calls its cases through RUN and ends with `return check_finish();`,
 * which prints `SUITE: N passed, N failed`. A check that fails is reported and counted, and the
 * case goes on; only the first few failures of a suite are printed in full. Header-only, each suite
 * being one translation unit.
 */
#ifndef OVOID_TESTS_CHECK_H
#define OVOID_TESTS_CHECK_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <ovoid/ovoid.h>

enum { CHECK_PRINTED_FAILURES = 25 };

static const char *check_suite = "?";
static uint64_t check_seed_in_use;
static long check_passed, check_failed;

static inline bool check_report(bool good, const char *file, int line) {
    if (good) {
        check_passed++;
        return true;
    }
    if (++check_failed <= CHECK_PRINTED_FAILURES) {
        fprintf(stderr, "%s:%d: failed (seed %llu): ", file, line,
                (unsigned long long)check_seed_in_use);
    }
    return false;
}

static inline bool check_may_print(void) { return check_failed <= CHECK_PRINTED_FAILURES; }

static inline bool check_true(bool good, const char *text, const char *file, int line) {
    if (!check_report(good, file, line) && check_may_print()) {
        fprintf(stderr, "%s\n", text);
    }
    return good;
}

/** |actual - expected| <= tolerance; NaN fails. */
static inline bool check_near(double actual, double expected, double tolerance, const char *text,
                              const char *file, int line) {
    bool good = fabs(actual - expected) <= tolerance || actual == expected;
    if (!check_report(good, file, line) && check_may_print()) {
        fprintf(stderr, "%s is %.17g, expected %.17g, off by %.3g, tolerance %.3g\n", text, actual,
                expected, actual - expected, tolerance);
    }
    return good;
}

static inline bool check_status(ov_status actual, ov_status expected, const char *text,
                                const char *file, int line) {
    if (!check_report(actual == expected, file, line) && check_may_print()) {
        fprintf(stderr, "%s is '%s', expected '%s'\n", text, ov_status_message(actual),
                ov_status_message(expected));
    }
    return actual == expected;
}

#define CHECK(condition) check_true((condition), #condition, __FILE__, __LINE__)
#define CHECK_NEAR(actual, expected, tolerance)                                                    \
    check_near((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)
#define CHECK_STATUS(actual, expected)                                                             \
    check_status((actual), (expected), #actual, __FILE__, __LINE__)
#define CHECK_OK(call) CHECK_STATUS((call), OV_OK)
#define RUN(test_case) check_run(#test_case, test_case)

/** The log tells which cases take long, in seconds of CPU. */
static inline void check_run(const char *name, void (*test_case)(void)) {
    clock_t start = clock();
    test_case();
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (seconds > 1.0) {
        printf("%s: %s: %.1f s\n", check_suite, name, seconds);
    }
}

/** Prints a measured worst case, so that a log shows how far inside its tolerance a test passed. */
static inline void check_worst(const char *what, double worst, double tolerance) {
    printf("%s: %s: worst %.3g (tolerance %.3g)\n", check_suite, what, worst, tolerance);
}

static inline int check_finish(void) {
    printf("%s: %ld passed, %ld failed\n", check_suite, check_passed, check_failed);
    return check_failed == 0 && check_passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/**
 * The step of a long loop over cases: 1, or OVOID_TEST_EVERY, if set, so that a run under
 * sanitizers or for the coverage takes every so many-th case only. It should be a prime, then a
 * loop that goes over a grid still sees all of its rows and columns.
 */
static inline int check_every(void) {
    static int every;
    if (every == 0) {
        const char *text = getenv("OVOID_TEST_EVERY");
        every = text != NULL ? atoi(text) : 1;
        every = every > 1 ? every : 1;
    }
    return every;
}

/** As many of `usual` cases as belong to that, but one at least. */
static inline int check_share(int usual) {
    return usual > check_every() ? usual / check_every() : 1;
}

/** The same for the cases of a suite's main loop; OVOID_TEST_PAIRS, if set, says how many. */
static inline long check_count(int usual) {
    const char *text = getenv("OVOID_TEST_PAIRS");
    return text != NULL ? strtol(text, NULL, 10) : check_share(usual);
}

/* ---- random numbers: splitmix64, the same on every machine */

typedef struct check_random {
    uint64_t state;
} check_random;

/** The seed is named in every failure. OVOID_TEST_SEED, if set, is added to it: other draws. */
static inline check_random check_random_make(uint64_t seed) {
    const char *extra = getenv("OVOID_TEST_SEED");
    if (extra != NULL) {
        seed += strtoull(extra, NULL, 10) * 1000003u;
    }
    check_seed_in_use = seed;
    return (check_random){seed};
}

static inline uint64_t check_random_bits(check_random *r) {
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline double check_uniform(check_random *r, double lo, double hi) {
    return lo + (hi - lo) * ((double)(check_random_bits(r) >> 11) * 0x1p-53);
}

/** Uniform in the logarithm. */
static inline double check_log_uniform(check_random *r, double lo, double hi) {
    return exp(check_uniform(r, log(lo), log(hi)));
}

static inline ov_vec3 check_unit_vector(check_random *r) {
    double z = check_uniform(r, -1.0, 1.0), phi = check_uniform(r, -M_PI, M_PI);
    double s = sqrt(1.0 - z * z);
    return ov_vec3_make(s * cos(phi), s * sin(phi), z);
}

static inline ov_quat check_rotation(check_random *r) {
    return ov_quat_from_axis_angle(check_unit_vector(r), check_uniform(r, -M_PI, M_PI));
}

#endif
