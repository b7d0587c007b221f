/**
 * @file sweep_inside.c
 * @brief Bodies of polygons of which one is inside of the other.
 *
 * A sweep of polygons looks at surfaces. While these are apart nothing goes in or out, so between
 * the times at which they may meet, one moment tells for all: where a vertex of each piece of one
 * body is against the closed shells of the other (see trimesh_shells.c). Motions need not be rigid:
 * the vertex is taken back into the frame of the shells by the inverse of their map, and known
 * there to some 2^-44 of all lengths, times the condition of the map.
 */
#include "../world/trimesh_internal.h"
#include "fat_body.h"
#include "sweep_polygons.h"

/** Where a body is at a time. */
static ov_affine place_of(const ov_motion *motion, ov_pose pose, double time) {
    ov_affine frame = ov_affine_from_pose(ov_pose_identity()), own = ov_affine_from_pose(pose);
    if (motion != NULL) {
        motion->kind->at(motion, time, &frame);
    }
    return (ov_affine){.linear = {ov_mat3_mul_vec3(&frame.linear, own.linear.cx),
                                  ov_mat3_mul_vec3(&frame.linear, own.linear.cy),
                                  ov_mat3_mul_vec3(&frame.linear, own.linear.cz)},
                       .translation = ov_affine_apply(&frame, own.translation)};
}

/** The rows of the inverse are the columns of `inverse`; false where there is none. */
static bool invert(const ov_mat3 *m, ov_mat3 *inverse) {
    ov_vec3 x = ov_vec3_cross(m->cy, m->cz), y = ov_vec3_cross(m->cz, m->cx);
    ov_vec3 z = ov_vec3_cross(m->cx, m->cy);
    double det = ov_vec3_dot(m->cx, x), by = 1.0 / det;
    *inverse = (ov_mat3){ov_vec3_scale(x, by), ov_vec3_scale(y, by), ov_vec3_scale(z, by)};
    return det != 0.0 && isfinite(by) && isfinite(ovi_stretch_of(inverse));
}

static ovi_side side_of(const ov_trimesh *solid, const ov_affine *at, const ov_trimesh *other,
                        const ov_affine *other_at) {
    ov_mat3 back;
    ovi_side side = OVI_OUTSIDE;
    if (solid->walls == NULL) {
        return side;
    }
    if (!invert(&at->linear, &back)) {
        return OVI_UNSURE;
    }
    double stretch = ovi_stretch_of(&back), condition = stretch * ovi_stretch_of(&at->linear);
    double lengths = ov_vec3_length(at->translation) + ov_vec3_length(other_at->translation);
    lengths += ovi_stretch_of(&other_at->linear) *
               (ov_vec3_length(other->ball.centre) + other->ball.radius);
    double error = OVI_FAT_ROUNDING * (1.0 + condition) * stretch * lengths;
    for (size_t i = 0; i < other->anchor_count; i++) {
        ov_vec3 p = ov_affine_apply(other_at, other->vertices[other->anchors[i]]);
        p = ov_mat3_tmul_vec3(&back, ov_vec3_sub(p, at->translation));
        ovi_side found = isfinite(error) ? ovi_trimesh_side(solid, p, error) : OVI_UNSURE;
        if (found == OVI_INSIDE) {
            return found;
        }
        side = found == OVI_UNSURE ? found : side;
    }
    return side;
}

static const ov_trimesh *mesh_of(const ov_polygons *polygons) {
    return ov_geometry_part(ovi_polygons_geometry(polygons), 0)->mesh;
}

static ovi_side side_at(const ovi_polygon_pair *pair, double time) {
    const ov_trimesh *a = mesh_of(pair->a), *b = mesh_of(pair->b);
    ov_affine at_a = place_of(pair->motion_a, pair->pose_a, time);
    ov_affine at_b = place_of(pair->motion_b, pair->pose_b, time);
    ovi_side side = side_of(a, &at_a, b, &at_b);
    ovi_side other = side == OVI_INSIDE ? side : side_of(b, &at_b, a, &at_a);
    return other != OVI_OUTSIDE ? other : side;
}

bool ovi_polygons_are_solid(const ovi_polygon_pair *pair) {
    return ov_polygons_is_solid(pair->a) || ov_polygons_is_solid(pair->b);
}

bool ovi_polygons_inside(const ovi_polygon_pair *pair, double start, double end, double *contact) {
    ovi_side side = side_at(pair, start);
    *contact = start;
    if (side == OVI_UNSURE) { // surfaces may have met there
        *contact = start + 0.5 * (end - start);
        side = side_at(pair, *contact);
    }
    *contact = side == OVI_INSIDE ? *contact : NAN;
    return side != OVI_OUTSIDE;
}
