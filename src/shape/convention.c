/**
 * @file convention.c
 * @brief Exponents as others write them, converted at the border so that the rest of the library
 * knows only one convention.
 *
 * [Thesis] and [Benchmark] number the exponents as Ovoid does, section first. Barr, Solina,
 * [Portal] and [SQMap] begin with the one along z. LAMMPS and LIGGGHTS give blockiness 2/e instead,
 * along z first: (|x/a|^n2 + |y/b|^n2)^(n1/n2) + |z/c|^n1 = 1.
 */
#include "shape_internal.h"

static bool is_convention(ov_convention c) {
    return c == OV_CONVENTION_OVOID || c == OV_CONVENTION_BARR || c == OV_CONVENTION_BLOCKY;
}

static ov_status check_exponents(double e1, double e2) {
    ov_status status = ovi_check_exponent(e1);
    return status != OV_OK ? status : ovi_check_exponent(e2);
}

ov_status ov_exponents_import(ov_convention from, double first, double second, ov_exponents *out) {
    if (out == NULL) {
        return OV_ERROR_NULL;
    }
    if (!is_convention(from)) {
        return OV_ERROR_OPTION;
    }
    if (!isfinite(first) || !isfinite(second)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (from == OV_CONVENTION_BLOCKY) {
        // 2/n would map what is negative or zero to what is not finite: refuse it by its own name
        if (first <= 0.0 || second <= 0.0) {
            return OV_ERROR_EXPONENT;
        }
        first = fmin(2.0 / first, 3.0);
        second = fmin(2.0 / second, 3.0);
    }
    bool swapped = from != OV_CONVENTION_OVOID;
    ov_exponents e = {swapped ? second : first, swapped ? first : second};
    ov_status status = check_exponents(e.e1, e.e2);
    if (status == OV_OK) {
        *out = e;
    }
    return status;
}

ov_status ov_exponents_export(ov_exponents exponents, ov_convention to, double *first,
                              double *second) {
    if (first == NULL || second == NULL) {
        return OV_ERROR_NULL;
    }
    if (!is_convention(to)) {
        return OV_ERROR_OPTION;
    }
    ov_status status = check_exponents(exponents.e1, exponents.e2);
    if (status != OV_OK) {
        return status;
    }
    double section = exponents.e1, profile = exponents.e2;
    if (to == OV_CONVENTION_BLOCKY) {
        section = 2.0 / section;
        profile = 2.0 / profile;
        // the blockiness of an exponent below 1.1e-308 is not a double any more
        if (!isfinite(section) || !isfinite(profile)) {
            return OV_ERROR_EXPONENT;
        }
    }
    *first = to == OV_CONVENTION_OVOID ? section : profile;
    *second = to == OV_CONVENTION_OVOID ? profile : section;
    return OV_OK;
}
