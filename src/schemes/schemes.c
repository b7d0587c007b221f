/**
 * @file schemes.c
 * @brief The published schemes by name: what there is, what was built, and the one way in, which
 * checks the input, takes the time and keeps the promise that an error has no numbers.
 *
 * Also what all schemes end with: two points of the bodies' frames become world points, a normal
 * and a signed gap. The papers tell overlap by the inside-outside function: [Thesis, Table 5] asks
 * whether the point of B is inside A; here the point of A must be inside B as well, since a pair
 * with a common normal where only one is inside does not describe an overlap.
 */
#include <string.h>
#include <time.h>

#include "systems.h"

/* the package that a scheme was built without, or null */
#ifdef OVOID_HAVE_LAPACKE
#define LAPACKE_MISSING NULL
#else
#define LAPACKE_MISSING "liblapacke-dev"
#endif
#ifdef OVOID_HAVE_IPOPT
#define IPOPT_MISSING NULL
#else
#define IPOPT_MISSING "coinor-libipopt-dev"
#endif
#ifdef OVOID_HAVE_NLOPT
#define NLOPT_MISSING NULL
#else
#define NLOPT_MISSING "libnlopt-dev"
#endif
#ifdef OVOID_HAVE_FCL
#define FCL_MISSING NULL
#else
#define FCL_MISSING "libfcl-dev"
#endif

/** Deepest trees: a cell of the last level is about 1e-7 of the angles, or 1 % of the body. */
enum { QUADTREE_LEVELS_MAX = 24, OCTREE_LEVELS_MAX = 7 };
enum { ITERATIONS_MAX = 100000, VERTICES_MIN = 8, VERTICES_MAX = 1 << 22 };

/* ---- what there is */

typedef struct entry {
    const char *name, *source, *missing;
} entry;

static const entry entries[OV_SCHEME_COUNT] = {
    [OV_SCHEME_OCT_IMPLICIT] = {"octImplicit",
                                "[Benchmark] 4.1, 4.2, 4.4, eq. 5-7, 13-17; [Thesis] 3.4, Table 5, "
                                "6: octree, then Newton on (15)",
                                LAPACKE_MISSING},
    [OV_SCHEME_QUAD_IMPLICIT] = {"quadImplicit",
                                 "[Benchmark] 4.1, 4.2, 4.4, 5.1, eq. 5-7, 9, 10, 13-17; [Thesis] "
                                 "3.4, Table 7: quadtree, then Newton on (15)",
                                 LAPACKE_MISSING},
    [OV_SCHEME_QUAD_PARAMETRIC] = {"quadParametric",
                                   "[Benchmark] 4.3, 4.4, 5.1, eq. 9-12, 17-19; [Thesis] 3.4, "
                                   "Table 7: quadtree, then Newton on (18)",
                                   LAPACKE_MISSING},
    [OV_SCHEME_NTB_PARAMETRIC] =
        {"ntbParametric",
         "[Benchmark] 4.3, 4.4, 5, 5.1, eq. 6, 10, 13, 14, 17-19: quadtree, "
         "then Newton on (18) with normals and tangents of the implicit "
         "form",
         LAPACKE_MISSING},
    [OV_SCHEME_INTERIOR_POINT] = {"interiorPoint",
                                  "[Portal] 4, 5, eq. 19, 20, 32-34: minimum distance by Ipopt",
                                  IPOPT_MISSING},
    [OV_SCHEME_SQP] = {"sqp", "[Portal] 4, 5, eq. 19, 20, 32-34: minimum distance by NLopt's SLSQP",
                       NLOPT_MISSING},
    [OV_SCHEME_DISCRETE] = {"discrete",
                            "[Thesis] 1.3.3 (Lu et al.): nodes of one body in the inside-outside "
                            "function of the other",
                            NULL},
    [OV_SCHEME_MESH] = {"mesh", "[Benchmark] 3.4, 5.1: FCL on tessellations", FCL_MISSING},
};

static bool is_scheme(ov_scheme scheme) {
    return (int)scheme >= 0 && (int)scheme < (int)OV_SCHEME_COUNT;
}

const char *ov_scheme_name(ov_scheme scheme) {
    return is_scheme(scheme) ? entries[scheme].name : NULL;
}

ov_scheme ov_scheme_of_name(const char *name) {
    for (int i = 0; name != NULL && i < (int)OV_SCHEME_COUNT; i++) {
        if (strcmp(name, entries[i].name) == 0) {
            return (ov_scheme)i;
        }
    }
    return OV_SCHEME_COUNT;
}

const char *ov_scheme_source(ov_scheme scheme) {
    return is_scheme(scheme) ? entries[scheme].source : NULL;
}

const char *ov_scheme_missing(ov_scheme scheme) {
    return is_scheme(scheme) ? entries[scheme].missing : NULL;
}

/* ---- in */

ov_scheme_options ov_default_scheme_options(void) {
    return (ov_scheme_options){.tolerance = 1e-6,
                               .iterations = 30,
                               .quadtree_levels = 6,
                               .octree_levels = 0,
                               .jacobian = OV_JACOBIAN_DIFFERENCES,
                               .constraint_set = 'a',
                               .mesh_vertices = 290};
}

/** Options with the defaults for null and for zeros. */
static ov_scheme_options options_of(const ov_scheme_options *given) {
    const ov_scheme_options defaults = ov_default_scheme_options();
    ov_scheme_options o = given != NULL ? *given : defaults;
    o.tolerance = o.tolerance != 0.0 ? o.tolerance : defaults.tolerance;
    o.iterations = o.iterations != 0 ? o.iterations : defaults.iterations;
    o.quadtree_levels = o.quadtree_levels != 0 ? o.quadtree_levels : defaults.quadtree_levels;
    o.constraint_set = o.constraint_set != 0 ? o.constraint_set : defaults.constraint_set;
    o.mesh_vertices = o.mesh_vertices != 0 ? o.mesh_vertices : defaults.mesh_vertices;
    return o;
}

static bool is_between(int x, int least, int most) { return x >= least && x <= most; }

static ov_status check_options(const ov_scheme_options *o) {
    const unsigned rescues = OV_RESCUE_BISECTION | OV_RESCUE_REGULA_FALSI | OV_RESCUE_DEEPER;
    bool good = o->tolerance > 0.0 && o->tolerance <= 1.0 &&
                is_between(o->iterations, 1, ITERATIONS_MAX) &&
                is_between(o->quadtree_levels, 1, QUADTREE_LEVELS_MAX) &&
                is_between(o->octree_levels, 0, OCTREE_LEVELS_MAX) &&
                is_between((int)o->jacobian, OV_JACOBIAN_DIFFERENCES, OV_JACOBIAN_ANALYTIC) &&
                (o->rescue & ~rescues) == 0 &&
                is_between(o->constraint_set, 'a', 'a' + OV_PORTAL_SETS - 1) &&
                o->mesh_vertices >= VERTICES_MIN && o->mesh_vertices <= VERTICES_MAX;
    return good ? OV_OK : OV_ERROR_OPTION;
}

static ov_status check_shape(const ov_shape *shape) {
    if (shape == NULL) {
        return OV_ERROR_NULL;
    }
    if ((int)shape->kind <= (int)OV_SHAPE_KIND_NONE ||
        (int)shape->kind >= (int)OV_SHAPE_KIND_COUNT) {
        return OV_ERROR_SHAPE;
    }
    return shape->kind <= OV_SHAPE_KIND_SUPEROVOID ? OV_OK : OV_ERROR_UNSUPPORTED;
}

static ov_status check_pose(ov_pose pose, ov_pose *unit) {
    ov_vec3 p = pose.position;
    if (!ov_vec3_is_finite(p)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) > OV_POSITION_MAX) {
        return OV_ERROR_SIZE_RANGE;
    }
    unit->position = p;
    return ov_quat_normalize(pose.rotation, &unit->rotation);
}

double ovi_scheme_clock(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
        return 0.0;
    }
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the ways through */

static void run(ov_scheme scheme, const ovi_scheme_pair *pair, ov_scheme_result *result) {
    switch (scheme) {
#ifdef OVOID_HAVE_LAPACKE
    case OV_SCHEME_OCT_IMPLICIT:
    case OV_SCHEME_QUAD_IMPLICIT:
    case OV_SCHEME_QUAD_PARAMETRIC:
    case OV_SCHEME_NTB_PARAMETRIC:
        ovi_scheme_newton_contact(scheme, pair, result);
        return;
#endif
#ifdef OVOID_HAVE_IPOPT
    case OV_SCHEME_INTERIOR_POINT:
        ovi_scheme_interior_point(pair, result);
        return;
#endif
#ifdef OVOID_HAVE_NLOPT
    case OV_SCHEME_SQP:
        ovi_scheme_sqp(pair, result);
        return;
#endif
#ifdef OVOID_HAVE_FCL
    case OV_SCHEME_MESH:
        ovi_scheme_mesh(pair, result);
        return;
#endif
    case OV_SCHEME_DISCRETE:
        ovi_scheme_discrete(pair, result);
        return;
    default:
        result->status = OV_ERROR_MISSING;
    }
}

/* ---- out */

void ovi_scheme_finish(const ovi_scheme_pair *pair, ov_vec3 a, ov_vec3 b,
                       ov_scheme_result *result) {
    // in B's frame, so that the distance does not suffer from a pair far from the world's origin
    ovi_scheme_place place = ovi_scheme_place_of(pair);
    ov_vec3 a_in_b = ov_vec3_add(ov_mat3_mul_vec3(&place.turn, a), place.offset);
    ov_vec3 b_in_a = ov_mat3_tmul_vec3(&place.turn, ov_vec3_sub(b, place.offset));
    bool overlap =
        ovi_scheme_inside(pair->a, b_in_a) < 0.0 && ovi_scheme_inside(pair->b, a_in_b) < 0.0;
    ov_vec3 d = ov_vec3_sub(b, a_in_b);
    double distance = ov_vec3_length(d);
    ov_vec3 normal = ov_quat_rotate(pair->pose_b.rotation, overlap ? ov_vec3_neg(d) : d);
    double size = fmax(pair->a->ball.radius, pair->b->ball.radius);
    if (distance < 1e-9 * size) {
        // the direction of so short a line is that of rounding errors; the surface has a better one
        ov_vec3 gradient =
            ov_quat_rotate(pair->pose_a.rotation, ovi_scheme_gradient(pair->a, a, NULL));
        double length = ov_vec3_length(gradient);
        normal = isfinite(length) && length > 0.0 ? gradient : normal;
    }
    normal = ov_vec3_normalize(normal);
    result->normal = ov_vec3_dot(normal, normal) > 0.5 ? normal : ov_vec3_make(1.0, 0.0, 0.0);
    result->gap = overlap ? -distance : distance;
    result->point_a = ov_pose_apply(pair->pose_a, a);
    result->point_b = ov_pose_apply(pair->pose_b, b);
}

static void set_error(ov_status status, ov_scheme_result *result) {
    ov_vec3 none = ov_vec3_make(NAN, NAN, NAN);
    *result = (ov_scheme_result){.status = status,
                                 .gap = NAN,
                                 .point_a = none,
                                 .point_b = none,
                                 .normal = none,
                                 .residual = NAN,
                                 .start_seconds = NAN,
                                 .total_seconds = NAN};
}

ov_status ov_scheme_contact(ov_scheme scheme, const ov_shape *a, ov_pose pose_a, const ov_shape *b,
                            ov_pose pose_b, const ov_scheme_options *options,
                            ov_scheme_result *result) {
    if (result == NULL) {
        return OV_ERROR_NULL;
    }
    // the last answer may be where the new one goes: the schemes read their own copy
    ov_scheme_options own = options_of(options);
    ov_scheme_result last;
    if (own.last != NULL) {
        last = *own.last;
        own.last = &last;
    }
    ovi_scheme_pair pair = {.a = a, .b = b, .options = &own};
    ov_status status = is_scheme(scheme) ? check_options(&own) : OV_ERROR_OPTION;
    status = status == OV_OK ? check_shape(a) : status;
    status = status == OV_OK ? check_shape(b) : status;
    status = status == OV_OK ? check_pose(pose_a, &pair.pose_a) : status;
    status = status == OV_OK ? check_pose(pose_b, &pair.pose_b) : status;
    if (status == OV_OK && entries[scheme].missing != NULL) {
        status = OV_ERROR_MISSING;
    }
    if (status != OV_OK) {
        set_error(status, result);
        return status;
    }
    *result = (ov_scheme_result){.status = OV_NOT_CONVERGED};
    double begin = ovi_scheme_clock();
    run(scheme, &pair, result);
    if (!(result->total_seconds > 0.0)) { // meshes take their own time, without making them
        result->total_seconds = ovi_scheme_clock() - begin;
    }
    bool finite = isfinite(result->gap) && ov_vec3_is_finite(result->point_a) &&
                  ov_vec3_is_finite(result->point_b) && ov_vec3_is_finite(result->normal);
    if (result->status >= 0 && !finite) {
        result->status = OV_ERROR_NOT_FINITE;
    }
    if (result->status < 0) {
        set_error(result->status, result);
    }
    return result->status;
}
