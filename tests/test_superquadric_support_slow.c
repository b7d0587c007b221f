/**
 * @file test_superquadric_support_slow.c
 * @brief More draws of what test_superquadric_support.c draws: the support function of tapered
 * bodies against the scan over the height, over the whole domain and close to the ties around
 * dents.
 */
#include "support_cases.h"

static void test_tapered(void) { case_run_tapered(351, 1300, 1e-9); }

static void test_ties(void) { case_run_ties(352, 850, 1e-9); }

int main(void) {
    check_suite = "superquadric_support_slow";
    RUN(test_tapered);
    RUN(test_ties);
    return check_finish();
}
