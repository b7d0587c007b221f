/**
 * @file math.h
 * @brief Vectors, rotations, poses and affine maps: the value types of the interface.
 *
 * All are plain structs of `double`, passed by value. Frames are right-handed. Quaternions are
 * (w, x, y, z); a rotation rotates vectors, not axes. Functions here do not check their input:
 * numbers that are not finite propagate by the rules of IEEE arithmetic.
 *
 * **Zero means the default**, in all headers of Ovoid, for every field of a struct of options
 * (`ov_..._options`) and of a definition that is passed in (`ov_part`, `ov_body_def`,
 * `ov_joint_def`, `ov_link_def`, `ov_pair`, `ov_sweep_pair`, `ov_sweep_body`, `ov_robot_shape`,
 * `ov_robot_link`, `ov_robot_joint`, `ov_allocator`, `ov_threads`, `ov_warm_start`). So `{0}`, a
 * designated initialiser of the fields that matter, the `ov_default_...()` of the struct and, for
 * options, a null pointer give the same results, bit for bit. In particular a tolerance, group,
 * mask or count of zero means its default, a rotation of four zeros in a field means no rotation,
 * and zero threads means as many as the machine has. Where you want zero itself and it is not the
 * default, write OV_ZERO.
 *
 * A pose that is an argument of its own is no such field: its quaternion must not be zero, else the
 * status is OV_ERROR_ZERO_DIRECTION. The same holds for the elements of an array of poses.
 */
#ifndef OVOID_MATH_H
#define OVOID_MATH_H

#include <math.h>

#include <ovoid/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ov_vec2 {
    double x, y;
} ov_vec2;

typedef struct ov_vec3 {
    double x, y, z;
} ov_vec3;

/** Rotation as a unit quaternion. */
typedef struct ov_quat {
    double w, x, y, z;
} ov_quat;

/** Rigid placement: rotates a point of the body's frame, then translates it. */
typedef struct ov_pose {
    ov_vec3 position;
    ov_quat rotation;
} ov_pose;

/**
 * Stands for zero in a field of options or of a definition where 0 means a default other than zero.
 * It is the smallest normal number, which every computation of the library rounds away.
 */
#define OV_ZERO 2.2250738585072014e-308

/** 3x3 matrix by columns. */
typedef struct ov_mat3 {
    ov_vec3 cx, cy, cz;
} ov_mat3;

static inline ov_vec3 ov_vec3_make(double x, double y, double z) {
    ov_vec3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

static inline ov_vec3 ov_vec3_add(ov_vec3 a, ov_vec3 b) {
    return ov_vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline ov_vec3 ov_vec3_sub(ov_vec3 a, ov_vec3 b) {
    return ov_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline ov_vec3 ov_vec3_neg(ov_vec3 a) { return ov_vec3_make(-a.x, -a.y, -a.z); }

static inline ov_vec3 ov_vec3_scale(ov_vec3 a, double s) {
    return ov_vec3_make(a.x * s, a.y * s, a.z * s);
}

/** a + s b */
static inline ov_vec3 ov_vec3_add_scaled(ov_vec3 a, ov_vec3 b, double s) {
    return ov_vec3_make(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

/** Component by component. */
static inline ov_vec3 ov_vec3_mul(ov_vec3 a, ov_vec3 b) {
    return ov_vec3_make(a.x * b.x, a.y * b.y, a.z * b.z);
}

static inline double ov_vec3_dot(ov_vec3 a, ov_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static inline ov_vec3 ov_vec3_cross(ov_vec3 a, ov_vec3 b) {
    return ov_vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/** Length; neither overflows nor underflows where the length itself is in range. */
double ov_vec3_length(ov_vec3 a);

/** Unit vector of the same direction; the zero vector stays zero. Safe for tiny and huge input. */
ov_vec3 ov_vec3_normalize(ov_vec3 a);

static inline int ov_vec3_is_finite(ov_vec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline ov_vec3 ov_mat3_mul_vec3(const ov_mat3 *m, ov_vec3 v) {
    return ov_vec3_make(m->cx.x * v.x + m->cy.x * v.y + m->cz.x * v.z,
                        m->cx.y * v.x + m->cy.y * v.y + m->cz.y * v.z,
                        m->cx.z * v.x + m->cy.z * v.y + m->cz.z * v.z);
}

/** Transposed matrix times vector: the inverse, if the matrix is a rotation. */
static inline ov_vec3 ov_mat3_tmul_vec3(const ov_mat3 *m, ov_vec3 v) {
    return ov_vec3_make(ov_vec3_dot(m->cx, v), ov_vec3_dot(m->cy, v), ov_vec3_dot(m->cz, v));
}

static inline ov_quat ov_quat_identity(void) {
    ov_quat q;
    q.w = 1.0;
    q.x = q.y = q.z = 0.0;
    return q;
}

/** Rotation by `angle_rad` about `axis` (of any length; a zero axis gives the identity). */
ov_quat ov_quat_from_axis_angle(ov_vec3 axis, double angle_rad);

/** Unit quaternion of the same rotation; OV_ERROR_NOT_FINITE or OV_ERROR_ZERO_DIRECTION. */
ov_status ov_quat_normalize(ov_quat q, ov_quat *unit);

/** a after b. */
ov_quat ov_quat_mul(ov_quat a, ov_quat b);

static inline ov_quat ov_quat_conjugate(ov_quat q) {
    ov_quat c;
    c.w = q.w;
    c.x = -q.x;
    c.y = -q.y;
    c.z = -q.z;
    return c;
}

ov_vec3 ov_quat_rotate(ov_quat q, ov_vec3 v);

ov_mat3 ov_mat3_from_quat(ov_quat q);

static inline ov_pose ov_pose_identity(void) {
    ov_pose p;
    p.position = ov_vec3_make(0.0, 0.0, 0.0);
    p.rotation = ov_quat_identity();
    return p;
}

/** A pose as definitions take it: a quaternion of four zeros means no rotation. */
static inline ov_pose ov_pose_default(ov_pose pose) {
    ov_quat q = pose.rotation;
    if (q.w == 0.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0) {
        pose.rotation = ov_quat_identity();
    }
    return pose;
}

/** Point of the body's frame in the world. */
ov_vec3 ov_pose_apply(ov_pose pose, ov_vec3 point);

/** World point in the body's frame. */
ov_vec3 ov_pose_apply_inverse(ov_pose pose, ov_vec3 point);

/** Affine displacement: x goes to linear x + translation. */
typedef struct ov_affine {
    ov_mat3 linear;
    ov_vec3 translation;
} ov_affine;

/** The displacement of a pose; its quaternion must be a unit. */
static inline ov_affine ov_affine_from_pose(ov_pose pose) {
    ov_affine map;
    map.linear = ov_mat3_from_quat(pose.rotation);
    map.translation = pose.position;
    return map;
}

static inline ov_vec3 ov_affine_apply(const ov_affine *map, ov_vec3 point) {
    return ov_vec3_add(ov_mat3_mul_vec3(&map->linear, point), map->translation);
}

/** a after b. */
ov_affine ov_affine_mul(const ov_affine *a, const ov_affine *b);

/**
 * Orthonormal frame of a normal by a Householder reflection [Benchmark, eq. 13-14].
 *
 * `cx` is along +-normal, `cy` and `cz` are tangent and bitangent. Of the two reflectors the one
 * without cancellation is taken, so the frame is exact to rounding for every direction. The normal
 * may have any length but zero (zero gives the identity).
 */
ov_mat3 ov_mat3_householder(ov_vec3 normal);

#ifdef __cplusplus
}
#endif

#endif
