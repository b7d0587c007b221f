/**
 * @file face.c
 * @brief Triangles as faces: their planes, heights and distances, safe for slivers, and how often
 * closed triangles wrap around a point.
 *
 * Hulls of real clouds are full of slivers and of faces no larger than the noise. Their planes are
 * badly known, and a plane that is extended far beyond its triangle says nothing; so every height
 * here comes with the factor by which it magnifies the rounding of the corners.
 */
#include "shape_internal.h"

#define FOUR_PI 12.566370614359173

ovi_face ovi_face_make(ov_vec3 a, ov_vec3 b, ov_vec3 c) {
    double ab = ovi_square(ov_vec3_sub(b, a)), bc = ovi_square(ov_vec3_sub(c, b));
    double ca = ovi_square(ov_vec3_sub(a, c));
    ovi_face f;
    // turned until the longest edge comes first; the orientation stays
    if (ab >= bc && ab >= ca) {
        f.ends[0] = a, f.ends[1] = b, f.apex = c;
    } else if (bc >= ca) {
        f.ends[0] = b, f.ends[1] = c, f.apex = a;
    } else {
        f.ends[0] = c, f.ends[1] = a, f.apex = b;
    }
    ov_vec3 edge = ov_vec3_sub(f.ends[1], f.ends[0]), side = ov_vec3_sub(f.apex, f.ends[0]);
    f.u = ov_vec3_normalize(edge);
    f.length = ov_vec3_length(edge);
    f.foot = ov_vec3_dot(side, f.u);
    ov_vec3 across = ov_vec3_add_scaled(side, f.u, -f.foot);
    f.height = ov_vec3_length(across);
    f.w = ov_vec3_normalize(across);
    // what rounding left along u, relative to a small height, is taken off too
    f.w = ov_vec3_normalize(ov_vec3_add_scaled(f.w, f.u, -ov_vec3_dot(f.w, f.u)));
    f.normal = ov_vec3_cross(f.u, f.w);
    return f;
}

/** Coordinates of a point along u and w, and its height above the plane. */
static ov_vec3 face_coordinates(const ovi_face *f, ov_vec3 p) {
    ov_vec3 r = ov_vec3_sub(p, f->ends[0]), out;
    out.x = ov_vec3_dot(r, f->u);
    r = ov_vec3_add_scaled(r, f->u, -out.x);
    out.y = ov_vec3_dot(r, f->w);
    r = ov_vec3_add_scaled(r, f->w, -out.y);
    out.z = ov_vec3_dot(r, f->normal);
    return out;
}

double ovi_face_height(const ovi_face *face, ov_vec3 p, double *spread) {
    ov_vec3 q = face_coordinates(face, p);
    double apex = face->height > 0.0 ? q.y / face->height : 0.0;
    double end = face->length > 0.0 ? (q.x - apex * face->foot) / face->length : 0.0;
    *spread = fabs(apex) + fabs(end) + fabs(1.0 - apex - end);
    return q.z;
}

bool ovi_face_is_below(const ovi_face *face, ov_vec3 p, double reach) {
    double spread, height = ovi_face_height(face, p, &spread);
    return height <= OVI_FACE_SLACK * reach * (1.0 + spread);
}

double ovi_segment_distance(ov_vec3 a, ov_vec3 b, ov_vec3 p) {
    ov_vec3 edge = ov_vec3_sub(b, a), from_a = ov_vec3_sub(p, a), from_b = ov_vec3_sub(p, b);
    // measured from the nearer end, whose difference to the point carries the smaller error
    bool near_b = ovi_square(from_b) < ovi_square(from_a);
    ov_vec3 start = near_b ? from_b : from_a;
    ov_vec3 along = ov_vec3_normalize(near_b ? ov_vec3_neg(edge) : edge);
    double t = fmin(fmax(ov_vec3_dot(start, along), 0.0), ov_vec3_length(edge));
    return ov_vec3_length(ov_vec3_add_scaled(start, along, -t));
}

double ovi_face_distance(const ovi_face *face, ov_vec3 p) {
    ov_vec3 q = face_coordinates(face, p);
    // over the triangle: above its longest edge, and within the other two, which meet at the apex
    if (face->height > 0.0 && q.y >= 0.0 && q.y * face->foot <= q.x * face->height &&
        q.y * (face->length - face->foot) <= (face->length - q.x) * face->height) {
        return fabs(q.z);
    }
    double d0 = ovi_segment_distance(face->ends[0], face->ends[1], p);
    double d1 = ovi_segment_distance(face->ends[1], face->apex, p);
    double d2 = ovi_segment_distance(face->apex, face->ends[0], p);
    return fmin(d0, fmin(d1, d2));
}

/**
 * Solid angle, from height z above a plane, of the right triangle whose corners are the foot of the
 * view, the foot of the perpendicular on a line at distance d, and the point at s along that line:
 * atan(s/d) - atan(s z/(d r)) with r^2 = d^2 + s^2 + z^2, in a form where nothing cancels.
 */
static double corner_angle(double d, double s, double z) {
    double square = d * d + s * s, r = sqrt(square + z * z);
    return r + z > 0.0 ? atan2(s * d * (square / (r + z)), d * d * r + s * s * z) : 0.0;
}

/** Solid angle of a face, positive from below: the sum of the corner angles along its edges. */
static double solid_angle(const ovi_face *f, ov_vec3 p) {
    ov_vec3 q = face_coordinates(f, p);
    const ov_vec2 corners[3] = {{0.0, 0.0}, {f->length, 0.0}, {f->foot, f->height}};
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        ov_vec2 a = corners[k], b = corners[(k + 1) % 3];
        double tx = b.x - a.x, ty = b.y - a.y, length = sqrt(tx * tx + ty * ty);
        if (length > 0.0) {
            tx /= length;
            ty /= length;
            double d = tx * (q.y - a.y) - ty * (q.x - a.x);
            sum += corner_angle(d, tx * (b.x - q.x) + ty * (b.y - q.y), fabs(q.z)) -
                   corner_angle(d, tx * (a.x - q.x) + ty * (a.y - q.y), fabs(q.z));
        }
    }
    return q.z < 0.0 ? sum : -sum;
}

double ovi_winding(const ov_vec3 *vertices, const uint32_t (*triangles)[3], size_t triangle_count,
                   ov_vec3 point) {
    double total = 0.0;
    for (size_t f = 0; f < triangle_count; f++) {
        const uint32_t *t = triangles[f];
        ovi_face face = ovi_face_make(vertices[t[0]], vertices[t[1]], vertices[t[2]]);
        total += face.height > 0.0 ? solid_angle(&face, point) : 0.0;
    }
    return total / FOUR_PI;
}
