/**
 * @file fit_shape.c
 * @brief One body for a mesh or a cloud: samples, starts, the stages of a fit, and the finished
 * shape.
 *
 * The input is brought to coordinates of about 1. Levenberg-Marquardt runs from several starts, for
 * a few iterations on few samples each: the principal axes in each order, exponents of a round and
 * of a square body, and the square one turned by 45 degrees, since a section with e1 near 2 is that
 * of e1 near 0 turned. The best one is compared with the bodies that it may have been mistaken for,
 * and with what comes of other starts, some of them anywhere, and finished on all samples. In spite
 * of outliers several are finished, and a start is found from the points that remain when the
 * farthest third, in units of the covariance, is left out; the squares are then those of Geman and
 * McClure, r^2 s^2/(r^2 + s^2), with a scale s that shrinks to three deviations of the median
 * distance.
 *
 * A fitted taper may leave a deeper dent than allowed; then its limit is lowered, and the fit goes
 * on from there.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ovoid/fit_shape.h>

#include "../math/eigen.h"
#include "../math/rotation.h"
#include "../math/rounding_mode.h"
#include "../shape/shape_numbers.h"
#include "fit_shape_internal.h"

enum {
    N = OVI_FIT_UNKNOWNS,
    STARTS_MAX = 15,
    FEW_SAMPLES = 80,
    MORE_SAMPLES = 160,
    MORE_ITERATIONS = 15,
    REFINED = 3,
    TWINS = 7,
    TWIN_ROUNDS = 3,
    OTHERS = 5,
    ANYWHERE = 24,
    ROUNDS_ANYWHERE = 2,
    SHORTLIST = 8,
    FINISHED = 2,
    FEW_ITERATIONS = 10
};

/** Half a mean square: below this nothing is left to gain. */
static const double found = 1e-20;

/** First scale of distances that tells outliers apart, as a share of the extent. */
static const double first_scale = 0.15;

/** All that a fit works with. */
typedef struct job {
    ov_shape_kind kind;
    ov_fit_shape_options options;
    ov_vec3 origin; // middle of the input's box
    double unit;    // a power of two about half of its largest extent
    double extent;  // that half extent in the unit
    double spread;  // likewise of most samples: what outliers are told apart by
    double diagonal;
    ov_vec3 *samples; // in the unit, about the origin, in random order
    double *distances;
    size_t sample_count;
    ovi_fit_problem frame; // bounds
    size_t iterations;
    bool converged;
} job;

/* ---- options */

ov_fit_shape_options ov_default_fit_shape_options(void) {
    return (ov_fit_shape_options){.objective = OV_FIT_OBJECTIVE_DISTANCE,
                                  .exponent_min = 0.1,
                                  .exponent_max = 1.9,
                                  .taper_max = 0.95,
                                  .dent_tolerance = 0.05,
                                  .size_min = 1e-3,
                                  .size_max = 2.0,
                                  .samples = 400,
                                  .iterations = 100};
}

static double or_default(double value, double usual) { return value != 0.0 ? value : usual; }

/** Zero, or what can be made a unit vector? */
static bool is_direction(ov_vec3 v) {
    double length = ov_vec3_length(v);
    return isfinite(length) && (length >= DBL_MIN || (v.x == 0.0 && v.y == 0.0 && v.z == 0.0));
}

static ov_status take_options(const ov_fit_shape_options *given, ov_fit_shape_options *o) {
    const ov_fit_shape_options usual = ov_default_fit_shape_options();
    *o = given != NULL ? *given : usual;
    o->exponent_min = or_default(o->exponent_min, usual.exponent_min);
    o->exponent_max = or_default(o->exponent_max, usual.exponent_max);
    o->taper_max = or_default(o->taper_max, usual.taper_max);
    o->dent_tolerance = or_default(o->dent_tolerance, usual.dent_tolerance);
    o->size_min = or_default(o->size_min, usual.size_min);
    o->size_max = or_default(o->size_max, usual.size_max);
    o->samples = o->samples != 0 ? o->samples : usual.samples;
    o->iterations = o->iterations != 0 ? o->iterations : usual.iterations;
    bool good = (int)o->objective >= 0 && o->objective < OV_FIT_OBJECTIVE_COUNT;
    good = good && o->exponent_min > 0.0 && o->exponent_max <= 2.0;
    good = good && o->exponent_min <= o->exponent_max;
    good = good && o->taper_max > 0.0 && o->taper_max < 1.0;
    good = good && o->dent_tolerance > 0.0 && o->dent_tolerance <= 1.0;
    good = good && o->size_min > 0.0 && o->size_min <= 0.5;
    good = good && o->size_max >= 1.0 && o->size_max <= 100.0;
    good = good && o->samples <= OV_FIT_MAX && o->iterations <= 1000000;
    good = good && o->symmetry >= 0.0 && o->symmetry <= 0.5 && is_direction(o->axis);
    return good ? OV_OK : OV_ERROR_OPTION;
}

static ov_status check_kind(ov_shape_kind kind, const ov_fit_shape_options *o) {
    ov_fit_objective objective = o->objective;
    bool guided = o->symmetry > 0.0 || ov_vec3_length(o->axis) > 0.0;
    switch (kind) {
    case OV_SHAPE_KIND_SPHERE:
    case OV_SHAPE_KIND_ELLIPSOID:
    case OV_SHAPE_KIND_SUPERELLIPSOID:
    case OV_SHAPE_KIND_SUPEROVOID:
        return OV_OK;
    case OV_SHAPE_KIND_BOX:
    case OV_SHAPE_KIND_CAPSULE:
    case OV_SHAPE_KIND_CYLINDER:
        return objective == OV_FIT_OBJECTIVE_PUBLISHED ? OV_ERROR_UNSUPPORTED : OV_OK;
    case OV_SHAPE_KIND_BENT:
        return objective == OV_FIT_OBJECTIVE_ENCLOSE || guided ? OV_ERROR_UNSUPPORTED : OV_OK;
    default:
        return OV_ERROR_UNSUPPORTED;
    }
}

/* ---- samples */

static uint64_t random_bits(uint64_t *state) {
    // splitmix64
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double random_share(uint64_t *state) { return (double)(random_bits(state) >> 11) * 0x1p-53; }

/** Middle, unit and extent of the points that count. */
static ov_status find_unit(const ov_fit_input *in, job *j) {
    ov_vec3 lo = {INFINITY, INFINITY, INFINITY}, hi = ov_vec3_neg(lo);
    size_t count = in->triangle_count > 0 ? 3 * in->triangle_count : in->point_count;
    for (size_t i = 0; i < count; i++) {
        ov_vec3 p = in->points[in->triangle_count > 0 ? in->triangles[i / 3][i % 3] : i];
        lo = ov_vec3_make(fmin(lo.x, p.x), fmin(lo.y, p.y), fmin(lo.z, p.z));
        hi = ov_vec3_make(fmax(hi.x, p.x), fmax(hi.y, p.y), fmax(hi.z, p.z));
    }
    ov_vec3 half = ov_vec3_scale(ov_vec3_sub(hi, lo), 0.5);
    double most = fmax(half.x, fmax(half.y, half.z));
    if (most == 0.0) {
        return OV_ERROR_DEGENERATE;
    }
    const double least = OV_SIZE_MIN / j->options.size_min;
    if (most < least || most * j->options.size_max > OV_SIZE_MAX / 2.0) {
        return OV_ERROR_SIZE_RANGE;
    }
    int exponent;
    j->extent = frexp(most, &exponent);
    j->unit = ldexp(1.0, exponent);
    j->origin = ov_vec3_add(lo, half);
    j->diagonal = 2.0 * ov_vec3_length(half);
    return OV_OK;
}

static ov_vec3 to_unit(const job *j, ov_vec3 p) {
    return ov_vec3_scale(ov_vec3_sub(p, j->origin), 1.0 / j->unit);
}

static double triangle_area(const job *j, const ov_fit_input *in, size_t i) {
    const uint32_t *t = in->triangles[i];
    ov_vec3 a = to_unit(j, in->points[t[0]]), b = to_unit(j, in->points[t[1]]);
    ov_vec3 c = to_unit(j, in->points[t[2]]);
    return 0.5 * ov_vec3_length(ov_vec3_cross(ov_vec3_sub(b, a), ov_vec3_sub(c, a)));
}

/** One sample for each equal share of the area, at a random place in it. */
static void sample_triangles(job *j, const ov_fit_input *in, double area, uint64_t *state) {
    double done = 0.0;
    size_t count = 0, wanted = j->sample_count;
    double next = area * random_share(state) / (double)wanted;
    for (size_t i = 0; i < in->triangle_count && count < wanted; i++) {
        done += triangle_area(j, in, i);
        const uint32_t *t = in->triangles[i];
        bool last = i + 1 == in->triangle_count; // what rounding has left over
        while (count < wanted && (next < done || last)) {
            double r = sqrt(random_share(state)), s = random_share(state);
            ov_vec3 p = ov_vec3_scale(to_unit(j, in->points[t[0]]), 1.0 - r);
            p = ov_vec3_add_scaled(p, to_unit(j, in->points[t[1]]), r * (1.0 - s));
            j->samples[count++] = ov_vec3_add_scaled(p, to_unit(j, in->points[t[2]]), r * s);
            next = area * ((double)count + random_share(state)) / (double)wanted;
        }
    }
}

static void shuffle(ov_vec3 *points, size_t count, uint64_t *state) {
    for (size_t i = count; i > 1; i--) {
        size_t k = (size_t)(random_share(state) * (double)i);
        ov_vec3 p = points[k];
        points[k] = points[i - 1];
        points[i - 1] = p;
    }
}

static ov_status take_samples(job *j, const ov_fit_input *in) {
    double area = 0.0;
    for (size_t i = 0; i < in->triangle_count; i++) {
        area += triangle_area(j, in, i);
    }
    bool by_area = area > 0.0;
    size_t corners = in->triangle_count > 0 ? 3 * in->triangle_count : in->point_count;
    j->sample_count = by_area || corners > j->options.samples ? j->options.samples : corners;
    j->samples = malloc(j->sample_count * sizeof *j->samples);
    j->distances = malloc(j->sample_count * sizeof *j->distances);
    if (j->samples == NULL || j->distances == NULL) {
        return OV_ERROR_MEMORY;
    }
    uint64_t state = j->options.seed;
    if (by_area) {
        sample_triangles(j, in, area, &state);
    }
    for (size_t i = 0; i < j->sample_count && !by_area; i++) {
        // all, or one of each stretch
        double at = (double)i + (corners > j->sample_count ? random_share(&state) : 0.5);
        size_t k = (size_t)(at * ((double)corners / (double)j->sample_count));
        k = k < corners ? k : corners - 1;
        k = in->triangle_count > 0 ? in->triangles[k / 3][k % 3] : k;
        j->samples[i] = to_unit(j, in->points[k]);
    }
    shuffle(j->samples, j->sample_count, &state);
    return OV_OK;
}

/* ---- principal axes */

typedef struct principal {
    ov_vec3 mean;
    ov_vec3 axes[3]; // right-handed
    double deviation[3];
} principal;

/** Of the samples that are within a distance, as `distances` has them. */
static principal principal_axes(const job *j, double within) {
    ov_vec3 mean = {0.0, 0.0, 0.0};
    double count = 0.0, m[3][3] = {{0.0}}, v[3][3];
    for (size_t i = 0; i < j->sample_count; i++) {
        if (j->distances[i] <= within) {
            mean = ov_vec3_add(mean, j->samples[i]);
            count += 1.0;
        }
    }
    mean = ov_vec3_scale(mean, 1.0 / count);
    for (size_t i = 0; i < j->sample_count; i++) {
        if (j->distances[i] <= within) {
            ov_vec3 d = ov_vec3_sub(j->samples[i], mean);
            const double x[3] = {d.x, d.y, d.z};
            for (int k = 0; k < 9; k++) {
                m[k / 3][k % 3] += x[k / 3] * x[k % 3] / count;
            }
        }
    }
    ovi_diagonalize(m, v);
    principal p = {.mean = mean};
    for (int i = 0; i < 3; i++) {
        p.axes[i] = ov_vec3_make(v[0][i], v[1][i], v[2][i]);
        p.deviation[i] = sqrt(fmax(m[i][i], 0.0));
    }
    p.axes[2] = ov_vec3_cross(p.axes[0], p.axes[1]);
    return p;
}

/** Rearranges the values so that number `at` is where it would be if they were sorted: Hoare's
 *  selection. */
static double select_value(double *v, size_t count, size_t at) {
    size_t lo = 0, hi = count - 1;
    while (lo < hi) {
        double pivot = v[at];
        size_t i = lo, k = hi;
        // both scans stop at the pivot, so that neither leaves the range
        do {
            for (; v[i] < pivot; i++) {
            }
            for (; pivot < v[k]; k--) {
            }
            if (i <= k) {
                double swapped = v[i];
                v[i++] = v[k];
                v[k] = swapped;
                if (k == 0) {
                    break;
                }
                k--;
            }
        } while (i <= k);
        lo = k < at ? i : lo;
        hi = at < i ? k : hi;
    }
    return v[at];
}

/** A share of the samples' distances is no larger than this; memory for them comes from `room`. */
static double quantile(const job *j, double share, double *room) {
    memcpy(room, j->distances, j->sample_count * sizeof *room);
    size_t at = (size_t)(share * (double)j->sample_count);
    return select_value(room, j->sample_count, at < j->sample_count ? at : j->sample_count - 1);
}

/** Again and again without the samples that are farthest in units of the covariance. */
static principal trimmed_axes(job *j, double *sorted) {
    principal p = principal_axes(j, INFINITY);
    for (int round = 0; round < 12; round++) {
        for (size_t i = 0; i < j->sample_count; i++) {
            ov_vec3 d = ov_vec3_sub(j->samples[i], p.mean);
            double sum = 0.0;
            for (int k = 0; k < 3; k++) {
                double x = ov_vec3_dot(p.axes[k], d) / fmax(p.deviation[k], 1e-6);
                sum += x * x;
            }
            j->distances[i] = sum;
        }
        p = principal_axes(j, quantile(j, 0.65, sorted));
    }
    return p;
}

/** Outliers are far where most of the samples are within so small a share of the extent. */
static const double far_share = 1.0 / 64.0;

/**
 * Middle, unit and extent of most of the samples, where some are so far away that a body among them
 * would be smaller than the least that is allowed, and its place lost to rounding: from the medians
 * of the coordinates as far as two thirds of the samples, twice. False where that is not so.
 */
static bool find_core(job *j, double *sorted) {
    double middle[3];
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < j->sample_count; i++) {
            ov_vec3 p = j->samples[i];
            j->distances[i] = k == 0 ? p.x : k == 1 ? p.y : p.z;
        }
        middle[k] = quantile(j, 0.5, sorted);
    }
    ov_vec3 at = ov_vec3_make(middle[0], middle[1], middle[2]);
    for (size_t i = 0; i < j->sample_count; i++) {
        ov_vec3 d = ov_vec3_sub(j->samples[i], at);
        j->distances[i] = fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z)));
    }
    double most = 2.0 * quantile(j, 0.65, sorted);
    if (!(most < far_share * j->extent) || most * j->unit < OV_SIZE_MIN / j->options.size_min) {
        return false;
    }
    int exponent;
    j->origin = ov_vec3_add_scaled(j->origin, at, j->unit);
    j->extent = frexp(most * j->unit, &exponent);
    j->unit = ldexp(1.0, exponent);
    return true;
}

/** Takes the samples again about the middle of most of them, until nothing is far. */
static ov_status leave_outliers(job *j, const ov_fit_input *in) {
    double *sorted = malloc(j->sample_count * sizeof *sorted);
    ov_status status = sorted != NULL ? OV_OK : OV_ERROR_MEMORY;
    for (int i = 0; i < 4 && status == OV_OK && find_core(j, sorted); i++) {
        free(j->samples);
        free(j->distances);
        j->samples = NULL;
        j->distances = NULL;
        status = take_samples(j, in);
    }
    free(sorted);
    return status;
}

/** Half the largest extent of what the axes are of, as that of points on a sphere: outliers, which
 *  may be anywhere, have no part in it. */
static double spread_of(const job *j, const principal *p) {
    double most = fmax(p->deviation[0], fmax(p->deviation[1], p->deviation[2]));
    return fmin(j->extent, 1.7 * most);
}

/** The directions of the guide in place of the principal axes; where it has one only, the principal
 *  axes at right angles to it. */
static principal guided_axes(const job *j, principal p) {
    const ovi_fit_guide *g = &j->frame.guide;
    if (g->count == 0) {
        return p;
    }
    double m[3][3] = {{0.0}};
    for (int i = 0; i < 3 && g->count == 3; i++) {
        p.axes[i] = g->axes[i];
    }
    for (int i = 0; i < 3 && g->count == 1; i++) {
        // the covariance without what is along the direction
        ov_vec3 left =
            ov_vec3_add_scaled(p.axes[i], g->axes[0], -ov_vec3_dot(g->axes[0], p.axes[i]));
        const double x[3] = {left.x, left.y, left.z};
        for (int k = 0; k < 9; k++) {
            m[k / 3][k % 3] += p.deviation[i] * p.deviation[i] * x[k / 3] * x[k % 3];
        }
    }
    if (g->count == 1) {
        double v[3][3];
        ovi_diagonalize(m, v);
        int most = m[0][0] >= m[1][1] ? (m[0][0] >= m[2][2] ? 0 : 2) : (m[1][1] >= m[2][2] ? 1 : 2);
        ov_vec3 u = ov_vec3_make(v[0][most], v[1][most], v[2][most]);
        u = ov_vec3_add_scaled(u, g->axes[0], -ov_vec3_dot(g->axes[0], u));
        p.axes[0] = g->axes[0];
        p.axes[1] = ov_vec3_normalize(u);
        p.axes[2] = ov_vec3_cross(p.axes[0], p.axes[1]);
    }
    for (int i = 0; i < 3; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < j->sample_count; k++) {
            double x = ov_vec3_dot(p.axes[i], ov_vec3_sub(j->samples[k], p.mean));
            sum += x * x / (double)j->sample_count;
        }
        p.deviation[i] = sqrt(sum);
    }
    return p;
}

/* ---- starts */

/** A body along the principal axes, the `last` of them its z axis, turned about it. */
static ovi_fit_body start_body(const job *j, const principal *p, int last, double turn_rad,
                               double e, bool robust) {
    ov_vec3 x = p->axes[(last + 1) % 3], y = p->axes[(last + 2) % 3], z = p->axes[last];
    double c = cos(turn_rad), s = sin(turn_rad);
    ov_vec3 u = ov_vec3_add_scaled(ov_vec3_scale(x, c), y, s);
    ov_vec3 v = ov_vec3_add_scaled(ov_vec3_scale(y, c), x, -s);
    const ov_vec3 axes[3] = {u, v, z};
    ovi_fit_body b = {.kind = j->kind, .rotation = ovi_quat_of_frame(u, v, z), .taper_share = 1.0};
    b.taper_max = j->options.taper_max;
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (size_t i = 0; i < j->sample_count && !robust; i++) {
            double h = ov_vec3_dot(axes[k], j->samples[i]);
            lo = fmin(lo, h);
            hi = fmax(hi, h);
        }
        if (robust) {
            // 1.7 deviations: those of points on a sphere
            double middle = ov_vec3_dot(axes[k], p->mean);
            double half = 1.7 * p->deviation[k == 2 ? last : (last + 1 + k) % 3];
            lo = middle - half;
            hi = middle + half;
        }
        b.centre = ov_vec3_add_scaled(b.centre, axes[k], 0.5 * (lo + hi));
        double size = log(fmax(0.5 * (hi - lo), 1e-300));
        b.v[k] = fmax(j->frame.lower[k], fmin(j->frame.upper[k], size));
    }
    b.v[3] = b.v[4] = fmax(j->options.exponent_min, fmin(j->options.exponent_max, e));
    return b;
}

/** Brings the numbers of a start to those that its kind has. */
static void simplify_start(ovi_fit_body *b) {
    ov_shape_kind kind = b->kind;
    if (kind == OV_SHAPE_KIND_SPHERE) {
        b->v[0] = b->v[1] = b->v[2] = (b->v[0] + b->v[1] + b->v[2]) / 3.0;
    }
    if (kind == OV_SHAPE_KIND_CAPSULE || kind == OV_SHAPE_KIND_CYLINDER) {
        b->v[0] = b->v[1] = 0.5 * (b->v[0] + b->v[1]);
    }
    if (kind == OV_SHAPE_KIND_CAPSULE) {
        b->v[2] = log(fmax(exp(b->v[2]) - exp(b->v[0]), 0.1 * exp(b->v[2])));
    }
    if (kind == OV_SHAPE_KIND_SPHERE || kind == OV_SHAPE_KIND_ELLIPSOID) {
        b->v[3] = b->v[4] = 1.0;
    }
}

static bool has_exponents(ov_shape_kind kind) {
    return kind == OV_SHAPE_KIND_SUPERELLIPSOID || kind == OV_SHAPE_KIND_SUPEROVOID;
}

static int make_starts(job *j, const principal *p, bool robust, ovi_fit_body starts[STARTS_MAX]) {
    const double quarter = 0.7853981633974483;
    int count = 0;
    for (int k = 0; k < 3; k++) {
        starts[count++] = start_body(j, p, k, 0.0, 1.0, robust);
        if (j->kind == OV_SHAPE_KIND_SPHERE || j->kind == OV_SHAPE_KIND_ELLIPSOID) {
            break;
        }
        if (has_exponents(j->kind)) {
            starts[count++] = start_body(j, p, k, 0.0, 0.4, robust);
            starts[count++] = start_body(j, p, k, quarter, 0.4, robust);
        } else if (j->kind == OV_SHAPE_KIND_BOX) {
            starts[count++] = start_body(j, p, k, quarter, 1.0, robust);
        } else if (j->kind == OV_SHAPE_KIND_BENT) {
            for (int i = 0; i < 4; i++) {
                starts[count] = start_body(j, p, k, 0.0, 1.0, robust);
                starts[count++].v[7 + i / 2] = i % 2 == 0 ? 0.5 : -0.5;
            }
        }
    }
    int kept = 0;
    for (int i = 0; i < count; i++) {
        simplify_start(&starts[i]);
        // (a quarter turn may lead away from what the body keeps to)
        if (ovi_fit_obey(&j->frame.guide, &starts[i], NULL)) {
            starts[kept++] = starts[i];
        }
    }
    return kept;
}

/* ---- sums of squares */

typedef struct squares {
    const ov_vec3 *points;
    size_t count;
    ovi_fit_measure measure;
    ovi_fit_loss loss;
} squares;

/** The cost of a distance, and the weight of its square with the same gradient. */
static double cost_of(const ovi_fit_loss *loss, double r, double *weight) {
    double s2 = loss->scale * loss->scale;
    if (loss->mean) {
        double root = sqrt(1.0 + r * r / s2);
        *weight = 1.0 / root;
        return s2 * (root - 1.0);
    }
    double share = s2 > 0.0 ? s2 / (s2 + r * r) : 1.0;
    *weight = share * share;
    return 0.5 * r * r * share;
}

static void add_row(const double row[N], int count, double r, double weight, ovi_fit_sum *s) {
    for (int i = 0; i < count; i++) {
        double w = weight * row[i];
        s->g[i] += w * r;
        for (int k = 0; k <= i; k++) {
            s->h[i][k] += w * row[k];
        }
    }
}

/** f is half the mean square, g and H are its gradient and Gauss and Newton's matrix. */
static void evaluate_squares(const void *context, const ovi_fit_body *body, ovi_fit_sum *out) {
    const squares *q = context;
    ovi_fit_ready b = ovi_fit_make_ready(body);
    memset(out, 0, sizeof *out);
    if (q->measure == OVI_FIT_MEASURE_DISTANCE &&
        ovi_fit_lanes(&b, &q->loss, q->points, q->count, out, NULL)) {
        return;
    }
    double share = 1.0 / (double)q->count;
    for (size_t i = 0; i < q->count; i++) {
        ov_vec3 local = ov_mat3_tmul_vec3(&b.turn, ov_vec3_sub(q->points[i], b.centre));
        ovi_fit_value v[3];
        double row[N], weight;
        (void)ovi_fit_measure_at(&b, q->measure, local, v);
        ovi_fit_row(&b, local, &v[0], row);
        out->f += share * cost_of(&q->loss, v[0].value, &weight);
        add_row(row, b.unknowns, v[0].value, share * weight, out);
    }
}

static double run_squares(job *j, size_t count, double scale, size_t iterations, double least_gain,
                          ovi_fit_body *body) {
    bool as_published = j->options.objective == OV_FIT_OBJECTIVE_PUBLISHED;
    squares q = {.points = j->samples,
                 .count = count,
                 .measure = as_published ? OVI_FIT_MEASURE_PUBLISHED : OVI_FIT_MEASURE_DISTANCE,
                 .loss = {j->options.objective == OV_FIT_OBJECTIVE_MEAN, scale}};
    if (q.loss.mean) {
        q.loss.scale = 0.01 * j->extent;
    }
    ovi_fit_problem p = j->frame;
    p.evaluate = evaluate_squares;
    p.context = &q;
    p.iterations = (int)iterations;
    p.least_gain = least_gain;
    ovi_fit_end end = ovi_fit_minimize(&p, body);
    j->iterations += (size_t)end.iterations;
    j->converged = end.converged;
    return end.f;
}

/** Distances of all samples to first order. */
static void measure_distances(job *j, const ovi_fit_body *body) {
    ovi_fit_ready b = ovi_fit_make_ready(body);
    if (ovi_fit_lanes(&b, NULL, j->samples, j->sample_count, NULL, j->distances)) {
        for (size_t i = 0; i < j->sample_count; i++) {
            j->distances[i] = fabs(j->distances[i]);
        }
        return;
    }
    for (size_t i = 0; i < j->sample_count; i++) {
        ov_vec3 local = ov_mat3_tmul_vec3(&b.turn, ov_vec3_sub(j->samples[i], b.centre));
        ovi_fit_value v[3];
        (void)ovi_fit_measure_at(&b, OVI_FIT_MEASURE_DISTANCE, local, v);
        j->distances[i] = fabs(v[0].value);
    }
}

/** Three deviations, from the median as for a normal distribution. */
static double robust_scale(const job *j, double *sorted) {
    return fmax(3.0 * 1.4826 * quantile(j, 0.5, sorted), 1e-12);
}

/** All samples; outliers are told apart by a scale that shrinks. */
static void finish_squares(job *j, double *sorted, ovi_fit_body *body) {
    if (j->options.objective != OV_FIT_OBJECTIVE_ROBUST) {
        (void)run_squares(j, j->sample_count, 0.0, j->options.iterations, 1e-4, body);
        return;
    }
    enum { ROUNDS = 8 };
    for (int round = 0; round < ROUNDS; round++) {
        measure_distances(j, body);
        // it may not shrink too fast: what is not near yet would be lost
        double floor = round < 3 ? first_scale * ldexp(1.0, -2 * round - 1) * j->spread : 0.0;
        double scale = fmax(robust_scale(j, sorted), floor);
        size_t iterations = round < ROUNDS - 1 ? 12 : j->options.iterations;
        (void)run_squares(j, j->sample_count, scale, iterations, round < ROUNDS - 1 ? 1e-2 : 1e-4,
                          body);
    }
}

/** A body on the way, and what it costs. */
typedef struct candidate {
    ovi_fit_body body;
    double f;
    int number;
} candidate;

static int compare_candidates(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    return x->f < y->f ? -1 : x->f > y->f ? 1 : x->number - y->number;
}

/** Some iterations for each on some of the samples, outliers being told apart by a scale (share of
 *  the extent); the best is then the first. */
static void run_candidates_at(job *j, candidate *c, int count, size_t samples, size_t iterations,
                              double share) {
    double scale = j->options.objective == OV_FIT_OBJECTIVE_ROBUST ? share * j->spread : 0.0;
    samples = samples < j->sample_count ? samples : j->sample_count;
    for (int i = 0; i < count; i++) {
        c[i].number = i;
        c[i].f = run_squares(j, samples, scale, iterations, 1e-2, &c[i].body);
    }
    qsort(c, (size_t)count, sizeof c[0], compare_candidates);
}

static void run_candidates(job *j, candidate *c, int count, size_t samples, size_t iterations) {
    run_candidates_at(j, c, count, samples, iterations, first_scale);
}

/**
 * The other body that is much the same: a section of squareness e1 with equal semi-axes is nearly
 * one of 2 - e1, turned by 45 degrees and as large as the first one is along its diagonals. Between
 * the two there is a ridge, so that a fit that is on its way to the one tries the other.
 */
static ovi_fit_body twin_of(const job *j, const ovi_fit_body *body) {
    ovi_fit_body t = *body;
    ov_quat turn = ov_quat_from_axis_angle(ov_vec3_make(0.0, 0.0, 1.0), 0.7853981633974483);
    t.rotation = ov_quat_mul(body->rotation, turn);
    double e = body->v[3], size = 0.5 * (body->v[0] + body->v[1]);
    t.v[0] = t.v[1] = size + 0.5 * (1.0 - e) * 0.6931471805599453;
    t.v[3] = fmax(j->options.exponent_min, fmin(j->options.exponent_max, 2.0 - e));
    t.v[5] = t.v[6] = 0.5 * (body->v[5] + body->v[6]);
    return t;
}

/** The same extents with another axis as z, a section between the two, and no taper. */
static ovi_fit_body permuted(const ovi_fit_body *body, int by) {
    ovi_fit_body t = *body;
    // a third of a turn about (1, 1, 1) takes x to y, y to z, z to x
    ov_quat turn = {0.5, 0.5, 0.5, 0.5};
    for (int i = 0; i < by; i++) {
        t.rotation = ov_quat_mul(t.rotation, turn);
        double x = t.v[0];
        t.v[0] = t.v[1];
        t.v[1] = t.v[2];
        t.v[2] = x;
    }
    t.v[3] = t.v[4] = 0.5 * (body->v[3] + body->v[4]);
    t.v[5] = t.v[6] = 0.0;
    return t;
}

/** The best bodies found so far, each other than the one before it. */
typedef struct shortlist {
    candidate at[SHORTLIST];
    int count;
} shortlist;

/** Takes the first of some candidates in; of those that are equal one. */
static void shortlist_add(shortlist *l, const candidate *c, int count) {
    for (int i = 0; i < count; i++) {
        int at = l->count < SHORTLIST ? l->count++ : SHORTLIST;
        for (; at > 0 && c[i].f < l->at[at - 1].f; at--) {
            if (at < SHORTLIST) {
                l->at[at] = l->at[at - 1];
            }
        }
        if (at < SHORTLIST) {
            l->at[at] = c[i];
        }
    }
}

/** The bodies that a fit may have been mistaken for: its twin, both with another axis as z, and the
 *  twins of these. Again from what is better. */
static void try_twins(job *j, candidate *best, shortlist *list) {
    for (int round = 0; round < TWIN_ROUNDS && best->f > found; round++) {
        candidate c[TWINS + 1] = {*best, {.body = twin_of(j, &best->body)}};
        for (int i = 1; i < 3; i++) {
            c[3 * i - 1].body = permuted(&best->body, i);
            c[3 * i].body = twin_of(j, &c[3 * i - 1].body);
            c[3 * i + 1].body = permuted(&c[1].body, i);
        }
        double before = best->f;
        run_candidates(j, c, TWINS + 1, MORE_SAMPLES, MORE_ITERATIONS);
        shortlist_add(list, c, REFINED);
        bool same = c[0].number == 0;
        *best = c[0];
        if (same || !(best->f < 0.99 * before)) {
            break;
        }
    }
}

/**
 * Other starts, as without them a fit may end with another axis as z: nearly two cones base to
 * base; and tapers, with the same sign in x and in y and with opposite ones. (The other signs are
 * the same bodies turned round.)
 */
static void try_others(job *j, const ovi_fit_body *starts, int count, candidate *best,
                       shortlist *list) {
    candidate c[3 * STARTS_MAX + 3];
    int tried = 0;
    for (; tried < 3; tried++) {
        // where it ended, its axes are often right and only their order is wrong
        c[tried] = (candidate){.body = permuted(&best->body, tried)};
        c[tried].body.v[3] = fmin(0.9, j->options.exponent_max);
        c[tried].body.v[4] = fmin(1.7, j->options.exponent_max);
    }
    for (int i = 0; i < count; i++) {
        c[tried] = (candidate){.body = starts[i]};
        c[tried].body.v[3] = fmin(0.8, j->options.exponent_max);
        c[tried++].body.v[4] = fmin(1.7, j->options.exponent_max);
        for (int sign = -1; sign <= 1 && j->kind == OV_SHAPE_KIND_SUPEROVOID; sign += 2) {
            c[tried] = (candidate){.body = starts[i]};
            c[tried].body.v[5] = 0.5;
            c[tried++].body.v[6] = 0.5 * sign;
        }
    }
    run_candidates(j, c, tried, FEW_SAMPLES, FEW_ITERATIONS);
    run_candidates(j, c, OTHERS, MORE_SAMPLES, MORE_ITERATIONS);
    shortlist_add(list, c, REFINED);
    if (c[0].f < best->f) {
        *best = c[0];
        try_twins(j, best, list);
    }
}

/** Starts anywhere: turned by up to half a radian from those given, with any exponents and tapers
 * where there are some. A few bodies in ten thousand have no other way to be found. */
static void try_anywhere(job *j, const ovi_fit_body *starts, int count, uint64_t *state,
                         candidate *best, shortlist *list) {
    candidate c[ANYWHERE];
    const double e_min = j->options.exponent_min, e_max = j->options.exponent_max;
    for (int i = 0; i < ANYWHERE; i++) {
        ovi_fit_body b = starts[i % count];
        double turn[3];
        for (int k = 0; k < 3; k++) {
            turn[k] = random_share(state) - 0.5;
        }
        ov_vec3 axis = ov_vec3_make(turn[0], turn[1], turn[2]);
        b.rotation = ov_quat_mul(b.rotation, ov_quat_from_axis_angle(axis, ov_vec3_length(axis)));
        for (int k = 3; k < 7 && has_exponents(j->kind); k++) {
            double share = random_share(state);
            b.v[k] = k < 5 ? e_min + share * (e_max - e_min) : 2.0 * share - 1.0;
        }
        if (j->kind != OV_SHAPE_KIND_SUPEROVOID) {
            b.v[5] = b.v[6] = 0.0;
        }
        c[i] = (candidate){.body = b};
    }
    run_candidates(j, c, ANYWHERE, FEW_SAMPLES, FEW_ITERATIONS);
    run_candidates(j, c, OTHERS, MORE_SAMPLES, MORE_ITERATIONS);
    shortlist_add(list, c, REFINED);
    if (c[0].f < best->f) {
        *best = c[0];
        if (has_exponents(j->kind)) {
            try_twins(j, best, list);
        }
    }
}

/**
 * With a wide scale outliers count, so the body that is the best by it need not be the one that
 * most points are on: the scale shrinks for several, and the best few of them are finished.
 */
static void finish_robust(job *j, shortlist *list, double *sorted, candidate *best) {
    run_candidates_at(j, list->at, list->count, MORE_SAMPLES, MORE_ITERATIONS, first_scale / 3.0);
    int left = list->count < REFINED ? list->count : REFINED;
    run_candidates_at(j, list->at, left, MORE_SAMPLES, MORE_ITERATIONS, first_scale / 9.0);
    candidate last[FINISHED];
    bool converged[FINISHED];
    left = left < FINISHED ? left : FINISHED;
    for (int i = 0; i < left; i++) {
        last[i] = list->at[i];
        finish_squares(j, sorted, &last[i].body);
        converged[i] = j->converged;
    }
    // compared at one scale for all, by what they cost as they are
    run_candidates_at(j, last, left, j->sample_count, 0, first_scale / 27.0);
    *best = last[0];
    j->converged = converged[best->number];
}

static void fit_squares(job *j, const ovi_fit_body *starts, int count, double *sorted,
                        ovi_fit_body *body) {
    candidate c[STARTS_MAX];
    shortlist list = {.count = 0};
    uint64_t state = ~j->options.seed;
    for (int i = 0; i < count; i++) {
        c[i] = (candidate){.body = starts[i]};
    }
    run_candidates(j, c, count, FEW_SAMPLES, FEW_ITERATIONS);
    run_candidates(j, c, count < REFINED ? count : REFINED, MORE_SAMPLES, MORE_ITERATIONS);
    shortlist_add(&list, c, count < REFINED ? count : REFINED);
    if (has_exponents(j->kind)) {
        try_twins(j, &c[0], &list);
        if (c[0].f > found) {
            try_others(j, starts, count, &c[0], &list);
        }
    }
    if (j->options.objective == OV_FIT_OBJECTIVE_ROBUST) {
        if (j->kind == OV_SHAPE_KIND_BOX || j->kind == OV_SHAPE_KIND_CYLINDER) {
            // outliers turn the principal axes, and faces are far from those of a turned box
            try_anywhere(j, starts, count, &state, &c[0], &list);
        }
        finish_robust(j, &list, sorted, &c[0]);
        *body = c[0].body;
        return;
    }
    for (int i = 0; i < ROUNDS_ANYWHERE && has_exponents(j->kind) && c[0].f > found; i++) {
        try_anywhere(j, starts, count, &state, &c[0], &list);
    }
    *body = c[0].body;
    finish_squares(j, sorted, body);
}

/* ---- finished shapes */

static void set_bounds(job *j) {
    const double bend_most = 2.5 / j->extent;
    const double lower[OVI_FIT_NUMBERS] = {
        0, 0, 0, j->options.exponent_min, j->options.exponent_min, -1, -1, -bend_most, -bend_most};
    const double upper[OVI_FIT_NUMBERS] = {
        0, 0, 0, j->options.exponent_max, j->options.exponent_max, 1, 1, bend_most, bend_most};
    memcpy(j->frame.lower, lower, sizeof lower);
    memcpy(j->frame.upper, upper, sizeof upper);
    for (int i = 0; i < 3; i++) {
        j->frame.lower[i] = log(j->options.size_min * j->extent);
        j->frame.upper[i] = log(j->options.size_max * j->extent);
    }
}

/** A little less than allowed, so that the shape is not refused when it is made again, rounded. */
static const double tolerated_dent = 0.98;

static ov_status make_shape_with(const job *j, const ovi_fit_body *body,
                                 const ov_shape_options *options, ov_shape *shape) {
    ovi_fit_ready b = ovi_fit_make_ready(body);
    double v[OVI_NUMBERS_MAX] = {
        b.a.x * j->unit, b.a.y * j->unit, b.a.z * j->unit, b.e1, b.e2, b.tx, b.ty};
    if (j->kind == OV_SHAPE_KIND_CAPSULE || j->kind == OV_SHAPE_KIND_CYLINDER) {
        v[1] = v[2];
    }
    v[7] = hypot(b.bend[0], b.bend[1]) / j->unit;
    v[8] = atan2(b.bend[1], b.bend[0]);
    return ovi_shape_from_numbers(j->kind, v, options, shape);
}

static ov_status make_shape(const job *j, const ovi_fit_body *body, ov_shape *shape) {
    const ov_shape_options options = {.dent_tolerance = tolerated_dent * j->options.dent_tolerance};
    return make_shape_with(j, body, &options, shape);
}

static ov_pose pose_of(const job *j, const ovi_fit_body *body) {
    ov_vec3 centre = ov_vec3_add_scaled(j->origin, body->centre, j->unit);
    return (ov_pose){centre, body->rotation};
}

/** One run of the objective, from a body that is near its minimum. */
static ov_status run_again(job *j, const ovi_fit_cloud *cloud, double *sorted, ovi_fit_body *body) {
    if (j->options.objective == OV_FIT_OBJECTIVE_ENCLOSE) {
        ovi_fit_body start = *body;
        ovi_fit_end end = ovi_fit_enclose(&j->frame, cloud, &start, 1, body);
        j->iterations += (size_t)end.iterations;
        j->converged = end.converged;
        return isnan(end.f) ? OV_ERROR_MEMORY : OV_OK;
    }
    // little has changed: a few iterations, and whether the fit has converged was told before
    bool converged = j->converged;
    double scale = 0.0;
    if (j->options.objective == OV_FIT_OBJECTIVE_ROBUST) {
        measure_distances(j, body);
        scale = robust_scale(j, sorted);
    }
    (void)run_squares(j, j->sample_count, scale, 2 * MORE_ITERATIONS, 1e-3, body);
    j->converged = converged;
    return OV_OK;
}

/** By how much the dent of a body with so large a taper is too deep, about, or less than 0. */
static double excess_dent(const job *j, ovi_fit_body *body, double taper_max) {
    const ov_shape_options any = {.dent_tolerance = 1.0};
    ov_shape shape;
    body->taper_max = taper_max;
    if (make_shape_with(j, body, &any, &shape) != OV_OK) {
        return INFINITY;
    }
    return shape.dent -
           tolerated_dent * j->options.dent_tolerance * fmin(shape.a.x, fmin(shape.a.y, shape.a.z));
}

/** Limits the taper to the largest share of what it is that leaves no deeper dent than allowed:
 *  regula falsi, since a dent takes long to find. */
static void limit_taper(const job *j, double margin, ovi_fit_body *body) {
    ovi_fit_ready b = ovi_fit_make_ready(body);
    double most = fmax(fabs(b.tx), fabs(b.ty)), lo = 0.0, hi = 1.0;
    double above = excess_dent(j, body, most);
    double below = -tolerated_dent * j->options.dent_tolerance * fmin(b.a.x, fmin(b.a.y, b.a.z));
    below *= j->unit; // without a taper there is no dent
    for (int i = 0; i < 4; i++) {
        // (far below, where there is no dent at all, the line is no guide)
        double share = below / (below - above), mid = 0.5 * (lo + hi);
        if (share > 0.2 && share < 0.9) {
            mid = lo + share * (hi - lo);
        }
        double excess = excess_dent(j, body, mid * most);
        *(excess > 0.0 ? &hi : &lo) = mid;
        *(excess > 0.0 ? &above : &below) = excess;
    }
    // a taper of zero is no taper to the constructor, and makes no derivatives infinite here
    body->taper_max = fmax((1.0 - margin) * lo * most, DBL_MIN);
}

/** The shape; with less taper, or bend, where the constructor asks for it. The last attempts keep
 *  what was found, so that the exponents cannot bring the dent back. */
static ov_status settle(job *j, const ovi_fit_cloud *cloud, double *sorted, ovi_fit_body *body,
                        ov_shape *shape) {
    enum { ATTEMPTS = 6 };
    ov_status status = make_shape(j, body, shape);
    for (int i = 0; i < ATTEMPTS && (status == OV_ERROR_DENT || status == OV_ERROR_BEND); i++) {
        if (status == OV_ERROR_DENT) {
            // a little more margin each time, since the exponents that follow bring the dent back
            limit_taper(j, 0.02 + 0.04 * i, body);
        }
        for (int k = 7; k < 9 && status == OV_ERROR_BEND; k++) {
            body->v[k] *= 0.8;
            j->frame.upper[k] = fabs(body->v[k]);
            j->frame.lower[k] = -fabs(body->v[k]);
        }
        status = OV_OK;
        if (i < ATTEMPTS - 1) {
            status = run_again(j, cloud, sorted, body);
        }
        status = status == OV_OK ? make_shape(j, body, shape) : status;
    }
    return status;
}

/* ---- enclosing */

/** The box about the points along the axes of a body. */
static void tighten_box(const job *j, const ovi_fit_cloud *cloud, ovi_fit_body *body) {
    ovi_fit_ready b = ovi_fit_make_ready(body);
    const ov_vec3 axes[3] = {b.turn.cx, b.turn.cy, b.turn.cz};
    ov_vec3 centre = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (size_t i = 0; i < cloud->count; i++) {
            double h = ov_vec3_dot(axes[k], cloud->points[i]);
            lo = fmin(lo, h);
            hi = fmax(hi, h);
        }
        centre = ov_vec3_add_scaled(centre, axes[k], 0.5 * (lo + hi));
        body->v[k] = fmax(log(fmax(0.5 * (hi - lo), 1e-300)), j->frame.lower[k]);
    }
    body->centre = centre;
}

/** The points that count, as given and in the unit. */
typedef struct all_points {
    ov_vec3 *given, *scaled;
    size_t count;
} all_points;

static void free_points(all_points *all) {
    free(all->given);
    free(all->scaled);
}

static bool copy_points(const job *j, const ov_fit_input *in, all_points *all) {
    bool *used = calloc(in->point_count, sizeof *used);
    *all = (all_points){malloc(in->point_count * sizeof *all->given),
                        malloc(in->point_count * sizeof *all->scaled), 0};
    bool good = used != NULL && all->given != NULL && all->scaled != NULL;
    for (size_t i = 0; good && i < 3 * in->triangle_count; i++) {
        used[in->triangles[i / 3][i % 3]] = true;
    }
    for (size_t i = 0; good && i < in->point_count; i++) {
        if (used[i] || in->triangle_count == 0) {
            all->given[all->count] = in->points[i];
            all->scaled[all->count++] = to_unit(j, in->points[i]);
        }
    }
    free(used);
    return good;
}

/** A body whose sizes are at least the smallest allowed, once it is scaled to hold the points: the
 *  scale is applied first, then the bounds again. */
static void rescale(const job *j, const ovi_fit_cloud *cloud, ovi_fit_body *body) {
    ovi_fit_ready b = ovi_fit_make_ready(body);
    double most = -INFINITY;
    for (size_t i = 0; i < cloud->count; i++) {
        ov_vec3 local = ov_mat3_tmul_vec3(&b.turn, ov_vec3_sub(cloud->points[i], b.centre));
        ovi_fit_value v[3];
        int count = ovi_fit_measure_at(&b, OVI_FIT_MEASURE_SCALE, local, v);
        for (int k = 0; k < count; k++) {
            most = fmax(most, v[k].value);
        }
    }
    for (int k = 0; k < 3; k++) {
        body->v[k] = fmax(body->v[k] + most, j->frame.lower[k]);
    }
}

static ov_status fit_enclosing(job *j, const ov_fit_input *in, const ovi_fit_body *starts,
                               int count, ovi_fit_body *body, ov_shape *shape, ov_pose *pose) {
    all_points all;
    ov_status status = copy_points(j, in, &all) ? OV_OK : OV_ERROR_MEMORY;
    if (status == OV_OK) {
        ovi_fit_cloud cloud = {all.scaled, all.count};
        ovi_fit_end end = ovi_fit_enclose(&j->frame, &cloud, starts, count, body);
        j->iterations += (size_t)end.iterations;
        j->converged = end.converged;
        status = isnan(end.f) ? OV_ERROR_MEMORY : OV_OK;
        if (status == OV_OK) {
            rescale(j, &cloud, body);
            if (j->kind == OV_SHAPE_KIND_BOX) {
                tighten_box(j, &cloud, body);
                (void)ovi_fit_obey(&j->frame.guide, body, NULL);
            }
            status = settle(j, &cloud, NULL, body, shape);
        }
    }
    *pose = pose_of(j, body);
    if (status == OV_OK) {
        status = ovi_fit_grow_to_hold(shape, *pose, all.given, all.count, shape, NULL);
    }
    free_points(&all);
    return status;
}

/* ---- one fit */

/** How the samples lie about the finished body, as lengths. */
static void tell_errors(job *j, const ovi_fit_body *body, double *sorted,
                        ov_fit_shape_result *out) {
    measure_distances(j, body);
    bool robust = j->options.objective == OV_FIT_OBJECTIVE_ROBUST;
    double within = robust ? robust_scale(j, sorted) : INFINITY,
           share = 1.0 / (double)j->sample_count;
    double squares = 0.0;
    for (size_t i = 0; i < j->sample_count; i++) {
        double d = j->distances[i];
        out->error_mean += share * d * j->unit;
        squares += share * d * d;
        out->error_max = fmax(out->error_max, d * j->unit);
        out->inliers += d <= within ? share : 0.0;
    }
    // where all are the same, rounding of the sums would put them above the largest
    out->error_rms = fmin(sqrt(squares) * j->unit, out->error_max);
    out->error_mean = fmin(out->error_mean, out->error_rms);
    out->inliers = robust ? fmin(out->inliers, 1.0) : 1.0;
}

/** The body again from its grown shape, for the errors. */
static void take_sizes(const job *j, const ov_shape *shape, ovi_fit_body *body) {
    body->v[0] = log(shape->a.x / j->unit);
    body->v[1] = log(shape->a.y / j->unit);
    body->v[2] = log(shape->a.z / j->unit);
}

static ov_status run_job(job *j, const ov_fit_input *in, ov_fit_shape_result *out) {
    double *sorted = malloc(j->sample_count * sizeof *sorted);
    if (sorted == NULL) {
        return OV_ERROR_MEMORY;
    }
    memset(j->distances, 0, j->sample_count * sizeof *j->distances);
    bool robust = j->options.objective == OV_FIT_OBJECTIVE_ROBUST;
    bool enclose = j->options.objective == OV_FIT_OBJECTIVE_ENCLOSE;
    principal p = principal_axes(j, INFINITY);
    double least = fmin(p.deviation[0], fmin(p.deviation[1], p.deviation[2]));
    ov_status status = OV_OK;
    if (!enclose && least < 1e-7 * j->extent) {
        status = OV_ERROR_DEGENERATE;
    }
    if (status == OV_OK) {
        ovi_fit_body starts[STARTS_MAX], body;
        p = guided_axes(j, robust ? trimmed_axes(j, sorted) : p);
        j->spread = robust ? spread_of(j, &p) : j->extent;
        int count = make_starts(j, &p, robust, starts);
        body = starts[0];
        if (enclose) {
            status = fit_enclosing(j, in, starts, count, &body, &out->shape, &out->pose);
        } else {
            fit_squares(j, starts, count, sorted, &body);
            status = settle(j, NULL, sorted, &body, &out->shape);
            out->pose = pose_of(j, &body);
        }
        if (status == OV_OK) {
            take_sizes(j, &out->shape, &body);
            tell_errors(j, &body, sorted, out);
            if (j->kind != OV_SHAPE_KIND_BENT) {
                ovi_fit_ready ready = ovi_fit_make_ready(&body);
                out->volume = exp(ovi_fit_log_volume(&ready).value) * j->unit * j->unit * j->unit;
            }
        }
    }
    free(sorted);
    return status;
}

ov_status ov_fit_shape(const ov_fit_input *input, ov_shape_kind kind,
                       const ov_fit_shape_options *options, ov_fit_shape_result *result) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_fit_shape(input, kind, options, result));
    if (result == NULL) {
        return OV_ERROR_NULL;
    }
    memset(result, 0, sizeof *result);
    job j = {.kind = kind};
    ov_status status = ov_fit_input_check(input, NULL);
    status = status == OV_OK ? take_options(options, &j.options) : status;
    status = status == OV_OK ? check_kind(kind, &j.options) : status;
    status = status == OV_OK ? find_unit(input, &j) : status;
    status = status == OV_OK ? take_samples(&j, input) : status;
    if (status == OV_OK && j.options.objective == OV_FIT_OBJECTIVE_ROBUST) {
        status = leave_outliers(&j, input);
    }
    double symmetry = j.options.symmetry * j.diagonal / j.unit;
    status = status == OV_OK
                 ? ovi_fit_find_guide(input, j.origin, j.unit, j.samples, j.sample_count, symmetry,
                                      j.options.axis, &j.frame.guide)
                 : status;
    if (status == OV_OK) {
        set_bounds(&j);
        j.frame.iterations = (int)j.options.iterations;
        // two unlike tapers dent nearly every section that is flat about the middle
        j.frame.even = j.options.dent_tolerance <= OV_ZERO;
        status = run_job(&j, input, result);
    }
    free(j.samples);
    free(j.distances);
    if (status != OV_OK) {
        memset(result, 0, sizeof *result);
        return status;
    }
    result->size = j.diagonal;
    result->iterations = j.iterations;
    for (int i = 0; i < 3; i++) {
        result->planes += j.frame.guide.plane[i];
    }
    return j.converged ? OV_OK : OV_NOT_CONVERGED;
}
