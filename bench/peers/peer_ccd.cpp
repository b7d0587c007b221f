/**
 * @file peer_ccd.cpp
 * @brief libccd itself with the exact support function: penetration by GJK and EPA, and yes or no
 * by Minkowski portal refinement.
 *
 * libccd has no distance query: of separated bodies it says no more than that they are. Its
 * default number of iterations has no end; here it is a thousand, as FCL has it.
 */
#include "peers.h"

#include <ccd/ccd.h>
#include <ccd/quat.h>
#include <limits>
#include <new>

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

void *make(const peer_body *body) { return new (std::nothrow) peer_body(*body); }

void destroy(void *object) { delete static_cast<peer_body *>(object); }

void support(const void *object, const ccd_vec3_t *dir, ccd_vec3_t *out) {
    const peer_body *body = static_cast<const peer_body *>(object);
    ov_support s = {0.0, {0.0, 0.0, 0.0}};
    const ov_vec3 world = {dir->v[0], dir->v[1], dir->v[2]};
    body->support(body->shape, ov_mat3_tmul_vec3(&body->rotation, world), &s);
    const ov_vec3 p = ov_vec3_add(ov_mat3_mul_vec3(&body->rotation, s.point), body->position);
    ccdVec3Set(out, static_cast<ccd_real_t>(p.x), static_cast<ccd_real_t>(p.y),
               static_cast<ccd_real_t>(p.z));
}

void centre(const void *object, ccd_vec3_t *out) {
    const ov_vec3 p = static_cast<const peer_body *>(object)->position;
    ccdVec3Set(out, static_cast<ccd_real_t>(p.x), static_cast<ccd_real_t>(p.y),
               static_cast<ccd_real_t>(p.z));
}

ccd_t solver() {
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = support;
    ccd.support2 = support;
    ccd.center1 = centre;
    ccd.center2 = centre;
    ccd.max_iterations = 1000;
    return ccd;
}

peer_answer penetration(const void *a, const void *b, double tolerance) {
    ccd_t ccd = solver();
    ccd.epa_tolerance = static_cast<ccd_real_t>(tolerance);
    ccd_real_t depth = 0;
    ccd_vec3_t dir, pos;
    const int result = ccdGJKPenetration(a, b, &ccd, &depth, &dir, &pos);
    if (result == 0 && depth == depth) {
        return {PEER_OVERLAPPING, -static_cast<double>(depth)};
    }
    return {result == -1 ? PEER_SEPARATED : PEER_FAILED, kNone};
}

peer_answer portal(const void *a, const void *b, double tolerance) {
    ccd_t ccd = solver();
    ccd.mpr_tolerance = static_cast<ccd_real_t>(tolerance);
    return {ccdMPRIntersect(a, b, &ccd) != 0 ? PEER_OVERLAPPING : PEER_SEPARATED, kNone};
}

const peer_method methods[] = {
    {"libccd, exact support",
     "ccd_exact",
     PEER_EXACT,
     false,
     true,
     true,
     {1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 0.0},
     make,
     destroy,
     penetration,
     nullptr},
    {"libccd MPR, exact support",
     "ccd_mpr_exact",
     PEER_EXACT,
     false,
     false,
     true,
     {1e-6, 0.0},
     make,
     destroy,
     portal,
     nullptr},
};

} // namespace

extern "C" const peer_method *peer_ccd_methods(size_t *count) {
    *count = sizeof methods / sizeof methods[0];
    return methods;
}
