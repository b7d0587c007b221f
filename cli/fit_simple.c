/**
 * @file fit_simple.c
 * @brief Few bodies about a mesh, of kinds that are fast to check: boxes, capsules, cylinders, and
 * bodies of the smooth family where these are much smaller.
 *
 * One body holds all, or the mesh is cut by planes, and each piece gets a body of its own. A piece
 * is what triangles are left of the mesh in an intersection of half-spaces; the solid in there is
 * within the convex hull of these triangles, so a convex body that holds them holds it, too. The
 * half-spaces of a cut overlap, so that every small triangle is in one of them as a whole. Nothing
 * here is proven: ov_fit_prove does that, for the parts as they are.
 *
 * The cut is looked for by boxes: along each axis of the piece's body, at a few heights, the boxes
 * about both halves. The piece with the most to gain is cut first.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"

/* ---- one body -------------------------------------------------------------------------------- */

/** Kinds by how fast they are to check: closed forms, closed support functions, the rest; and how
 *  much larger than the smallest of all a body may be to be taken for being faster. */
enum { GROUPS = 3 };
static const double larger[GROUPS] = {1.25, 1.1, 1.0};
static const struct {
    ov_shape_kind kind;
    int group;
} kinds[] = {{OV_SHAPE_KIND_BOX, 0},
             {OV_SHAPE_KIND_CAPSULE, 0},
             {OV_SHAPE_KIND_CYLINDER, 0},
             {OV_SHAPE_KIND_SUPERELLIPSOID, 1},
             {OV_SHAPE_KIND_SUPEROVOID, 2}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/** Is a body that is slow to check so much smaller than those found that it would be taken? */
static bool is_worth_it(const double least[GROUPS], double volume) {
    return least[0] > larger[0] * volume && least[1] > larger[1] * volume;
}

/** A body of one kind. Where the kind is free it has no dent, however shallow: next to one a
 * support point takes a search over heights, and a pair of bodies up to a hundred times as long,
 * which no smaller volume is worth here. To keep clear of dents takes long, so it is done only for
 * a body that would be taken. */
static ov_status fit_kind(const ov_fit_input *input, const fit_simple_options *options,
                          ov_shape_kind kind, const double least[GROUPS], ov_fit_shape_result *r) {
    ov_fit_shape_options how = {.objective = OV_FIT_OBJECTIVE_ENCLOSE,
                                .seed = options->seed,
                                .symmetry = options->symmetry,
                                .axis = options->axis};
    ov_status status = ov_fit_shape(input, kind, &how, r);
    if (status >= OV_OK && options->any_kind && r->shape.dent > 0.0 &&
        is_worth_it(least, r->volume)) {
        how.dent_tolerance = OV_ZERO;
        status = ov_fit_shape(input, kind, &how, r);
    }
    return status;
}

/** A body that holds all of the input, and its volume. */
static ov_status fit_one(const ov_fit_input *input, const fit_simple_options *options,
                         ov_fit_part *part, double *volume) {
    double least[GROUPS] = {INFINITY, INFINITY, INFINITY}, smallest = INFINITY;
    ov_fit_part best[GROUPS];
    ov_status status = OV_OK;
    for (size_t i = 0; i < (options->any_kind ? KINDS : 1); i++) {
        ov_fit_shape_result r;
        int group = kinds[i].group;
        status =
            fit_kind(input, options, options->any_kind ? kinds[i].kind : options->kind, least, &r);
        if (status >= OV_OK && r.volume < least[group]) {
            least[group] = r.volume;
            best[group] = (ov_fit_part){r.shape, r.pose};
            smallest = fmin(smallest, r.volume);
        }
    }
    for (int g = 0; g < GROUPS; g++) {
        if (least[g] <= larger[g] * smallest && isfinite(least[g])) {
            *part = best[g];
            *volume = least[g];
            return OV_OK;
        }
    }
    return status < OV_OK ? status : OV_ERROR_DEGENERATE;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/** Triangles, three points each, and the body about them. */
typedef struct piece {
    ov_vec3 *points;
    size_t count, room;
    ov_fit_part part;
    double volume;
    double gain; /**< by the best cut; NaN: not looked for yet */
    int axis;    /**< that cut: of the part, */
    double at;   /**< and where along it */
} piece;

static bool add_point(piece *p, ov_vec3 x) {
    if (p->count == p->room) {
        ov_vec3 *points = cli_more_room(p->points, &p->room, sizeof *points);
        if (points == NULL) {
            return false;
        }
        p->points = points;
    }
    p->points[p->count++] = x;
    return true;
}

static double coordinate(ov_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/** What is left of a triangle where sign (x_axis - at) >= 0: up to four corners. */
static int clip_triangle(const ov_vec3 t[3], int axis, double at, double sign, ov_vec3 out[4]) {
    int count = 0;
    for (int i = 0; i < 3; i++) {
        ov_vec3 p = t[i], q = t[(i + 1) % 3];
        double u = sign * (coordinate(p, axis) - at), v = sign * (coordinate(q, axis) - at);
        if (u >= 0.0) {
            out[count++] = p;
        }
        if ((u < 0.0) != (v < 0.0)) {
            out[count++] = ov_vec3_add_scaled(p, ov_vec3_sub(q, p), u / (u - v));
        }
    }
    return count;
}

/** The extents of the box of one side of a cut, in the frame of the points: their product. */
static double box_beside(const ov_vec3 *points, size_t count, int axis, double at, double sign) {
    ov_vec3 lo = {INFINITY, INFINITY, INFINITY}, hi = {-INFINITY, -INFINITY, -INFINITY}, c[4];
    for (size_t i = 0; i + 2 < count; i += 3) {
        int corners = clip_triangle(points + i, axis, at, sign, c);
        for (int k = 0; k < corners; k++) {
            lo = ov_vec3_make(fmin(lo.x, c[k].x), fmin(lo.y, c[k].y), fmin(lo.z, c[k].z));
            hi = ov_vec3_make(fmax(hi.x, c[k].x), fmax(hi.y, c[k].y), fmax(hi.z, c[k].z));
        }
    }
    ov_vec3 d = ov_vec3_sub(hi, lo);
    return d.x >= 0.0 ? d.x * d.y * d.z : 0.0;
}

/** Heights of cuts that are tried along an axis. */
enum { HEIGHTS = 15 };

/** Looks for the best cut: axis, height, and about how much smaller the bodies get. */
static ov_status find_cut(piece *p) {
    ov_vec3 *own = malloc((p->count + 1) * sizeof *own);
    if (own == NULL) {
        return OV_ERROR_MEMORY;
    }
    ov_vec3 lo = {INFINITY, INFINITY, INFINITY}, hi = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < p->count; i++) {
        ov_vec3 x = own[i] = ov_pose_apply_inverse(p->part.pose, p->points[i]);
        lo = ov_vec3_make(fmin(lo.x, x.x), fmin(lo.y, x.y), fmin(lo.z, x.z));
        hi = ov_vec3_make(fmax(hi.x, x.x), fmax(hi.y, x.y), fmax(hi.z, x.z));
    }
    p->gain = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double first = coordinate(lo, axis), last = coordinate(hi, axis);
        for (int i = 1; i <= HEIGHTS; i++) {
            double at = first + (last - first) * i / (HEIGHTS + 1);
            double gain = p->volume - box_beside(own, p->count, axis, at, 1.0) -
                          box_beside(own, p->count, axis, at, -1.0);
            if (gain > p->gain) {
                p->gain = gain;
                p->axis = axis;
                p->at = at;
            }
        }
    }
    free(own);
    return OV_OK;
}

/** Overlaps of the halves of a cut, to each side, over the size of the piece. The proof divides
 *  triangles and cells until they are smaller than that; where it fails the next one is tried. */
static const double overlaps[] = {0.006, 0.02};
enum { OVERLAPS = sizeof overlaps / sizeof overlaps[0] };

/** One side of a piece's cut, with a body of its own. */
static ov_status make_half(const piece *p, double sign, double overlap,
                           const fit_simple_options *options, piece *half) {
    double at = p->at - sign * overlap * 2.0 * p->part.shape.ball.radius;
    *half = (piece){.gain = NAN};
    for (size_t i = 0; i + 2 < p->count; i += 3) {
        ov_vec3 t[3], c[4];
        for (int k = 0; k < 3; k++) {
            t[k] = ov_pose_apply_inverse(p->part.pose, p->points[i + (size_t)k]);
        }
        int corners = clip_triangle(t, p->axis, at, sign, c);
        for (int k = 0; k + 2 < corners; k++) {
            const int fan[3] = {0, k + 1, k + 2};
            for (int n = 0; n < 3; n++) {
                if (!add_point(half, ov_pose_apply(p->part.pose, c[fan[n]]))) {
                    return OV_ERROR_MEMORY;
                }
            }
        }
    }
    ov_fit_input cloud = {.points = half->points, .point_count = half->count};
    if (half->count == 0) {
        return OV_ERROR_DEGENERATE;
    }
    if (options->symmetry == 0.0) {
        return fit_one(&cloud, options, &half->part, &half->volume);
    }
    // points where a cut happens to go are not symmetric, the surface that they are on may be
    size_t count = half->count / 3;
    uint32_t(*triangles)[3] = malloc(count * sizeof *triangles);
    for (size_t i = 0; triangles != NULL && i < half->count; i++) {
        triangles[i / 3][i % 3] = (uint32_t)i;
    }
    ov_fit_input surface = {half->points, half->count, (const uint32_t(*)[3])triangles, count};
    ov_status status = triangles != NULL ? fit_one(&surface, options, &half->part, &half->volume)
                                         : OV_ERROR_MEMORY;
    free(triangles);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/** A cut has to make the bodies smaller by this share of their volume. */
static const double least_gain = 0.04;

/** Cuts the piece that gains most; *more is false where none is worth it. */
static ov_status cut_best(piece *pieces, size_t *count, double overlap,
                          const fit_simple_options *options, bool *more) {
    size_t best = 0;
    double sum = 0.0;
    *more = false;
    for (size_t i = 0; i < *count; i++) {
        ov_status status = isnan(pieces[i].gain) ? find_cut(&pieces[i]) : OV_OK;
        if (status != OV_OK) {
            return status;
        }
        sum += pieces[i].volume;
        best = pieces[i].gain > pieces[best].gain ? i : best;
    }
    piece *p = &pieces[best], halves[2] = {{.count = 0}, {.count = 0}};
    if (!(p->gain > least_gain * sum)) {
        return OV_OK;
    }
    ov_status status = make_half(p, 1.0, overlap, options, &halves[0]);
    status = status == OV_OK ? make_half(p, -1.0, overlap, options, &halves[1]) : status;
    bool better =
        status == OV_OK && p->volume - halves[0].volume - halves[1].volume > least_gain * sum;
    if (better) {
        free(p->points);
        *p = halves[0];
        pieces[(*count)++] = halves[1];
    } else {
        free(halves[0].points);
        free(halves[1].points);
        p->gain = 0.0; // the boxes promised too much
    }
    *more = true;
    return status == OV_ERROR_MEMORY ? status : OV_OK;
}

static ov_status start_piece(const ov_fit_input *input, const fit_simple_options *options,
                             piece *whole) {
    *whole = (piece){.gain = NAN};
    for (size_t i = 0; i < 3 * input->triangle_count; i++) {
        if (!add_point(whole, input->points[input->triangles[i / 3][i % 3]])) {
            return OV_ERROR_MEMORY;
        }
    }
    return fit_one(input, options, &whole->part, &whole->volume);
}

/** Bodies about pieces; one where nothing is worth a cut. */
static ov_status fit_pieces(const ov_fit_input *input, const fit_simple_options *options,
                            double overlap, ov_fit_part *parts, size_t *count) {
    piece pieces[FIT_SIMPLE_MAX];
    size_t most = options->parts < FIT_SIMPLE_MAX ? options->parts : FIT_SIMPLE_MAX;
    bool more = true;
    ov_status status = start_piece(input, options, &pieces[0]);
    *count = 1;
    while (status == OV_OK && more && *count < most) {
        status = cut_best(pieces, count, overlap, options, &more);
    }
    for (size_t i = 0; i < *count; i++) {
        parts[i] = pieces[i].part;
        free(pieces[i].points);
    }
    return status;
}

ov_status fit_simple(const ov_fit_input *input, const fit_simple_options *options,
                     ov_fit_part *parts, size_t *count) {
    ov_fit_part one;
    double volume;
    ov_fit_verdict whole, several;
    *count = 1;
    ov_status status = fit_one(input, options, &one, &volume);
    status = status == OV_OK ? ov_fit_prove(&one, 1, input, &whole) : status;
    for (int i = 0; i < OVERLAPS && status == OV_OK && options->parts > 1; i++) {
        status = fit_pieces(input, options, overlaps[i], parts, count);
        if (status != OV_OK || *count == 1) {
            break;
        }
        status = ov_fit_prove(parts, *count, input, &several);
        if (status == OV_OK && several.surface && (several.solid || !whole.solid)) {
            return OV_OK;
        }
    }
    parts[0] = one;
    *count = 1;
    return status;
}

/* ---- how large they are ---------------------------------------------------------------------- */

/** So many points are looked at, in all parts together. */
enum { EXTENT_SAMPLES = 4096 };

/** The n-th point of Roberts' sequence, which fills a cube evenly, in the box of a ball. */
static ov_vec3 spread_point(size_t n, const ov_ball *ball) {
    static const double steps[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
    double u[3];
    for (int i = 0; i < 3; i++) {
        double at = 0.5 + (double)(n + 1) * steps[i];
        u[i] = 2.0 * (at - floor(at)) - 1.0;
    }
    return ov_vec3_add_scaled(ball->centre, ov_vec3_make(u[0], u[1], u[2]), ball->radius);
}

static size_t parts_with(const ov_fit_part *parts, size_t count, ov_vec3 point) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        bool inside = false;
        ov_vec3 own = ov_pose_apply_inverse(parts[i].pose, point);
        (void)ov_shape_contains(&parts[i].shape, own, &inside);
        found += inside;
    }
    return found;
}

fit_extent fit_measure(const ov_trimesh *mesh, const ov_fit_part *parts, size_t count) {
    fit_extent sum = {.grown = 0.0};
    ov_shape dot;
    if (ov_shape_make_point(ov_vec3_make(0.0, 0.0, 0.0), &dot) < OV_OK) {
        return sum;
    }
    for (size_t i = 0; i < count; i++) {
        ov_ball ball = parts[i].shape.ball;
        size_t tries = EXTENT_SAMPLES / count + 1;
        double cell = 8.0 * ball.radius * ball.radius * ball.radius / (double)tries;
        for (size_t n = 0; n < tries; n++) {
            bool inside = false;
            ov_vec3 own = spread_point(n, &ball);
            ov_pose at = {ov_pose_apply(parts[i].pose, own), {1.0, 0.0, 0.0, 0.0}};
            ov_trimesh_contact c;
            if (ov_shape_contains(&parts[i].shape, own, &inside) < OV_OK || !inside ||
                ov_trimesh_shape_contact(mesh, ov_pose_identity(), &dot, at, INFINITY, NULL, &c) <
                    OV_OK) {
                continue;
            }
            // what is in several parts counts for a share in each
            size_t shared = parts_with(parts, count, at.position);
            double share = cell / (double)(shared > 0 ? shared : 1);
            bool solid = c.contact.relation == OV_RELATION_OVERLAPPING;
            sum.grown += share;
            sum.volume += solid ? share : 0.0;
            sum.protrusion = fmax(sum.protrusion, solid ? 0.0 : c.contact.gap);
        }
    }
    return sum;
}
