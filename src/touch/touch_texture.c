/**
 * @file touch_texture.c
 * @brief Textures: heights over a surface with their gradients, noise of a seed and bitmaps.
 *
 * Both are twice continuously differentiable, so that forces made of height and gradient do not
 * jump, and both have a bound on their slope, by which a proxy knows how far it may move.
 */
#include <math.h>

#include <ovoid/touch_force.h>

/** Rows and columns of a bitmap. */
static const size_t side_max = (size_t)1 << 15;
/** Beyond so many wavelengths, the spacing of doubles is no longer small beside a wavelength. */
static const double cells_max = 0x1p45;

/* ---- noise ----------------------------------------------------------------------------------- */

/** A value in [-1, 1] for a corner of the lattice: a hash with the finalizer of splitmix64. */
static double corner_value(uint64_t seed, int64_t x, int64_t y, int64_t z) {
    uint64_t bits = seed;
    const uint64_t steps[3] = {(uint64_t)x, (uint64_t)y, (uint64_t)z};
    for (int i = 0; i < 3; i++) {
        bits += steps[i] * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
        bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
        bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
        bits ^= bits >> 31;
    }
    return (double)(bits >> 11) * 0x1p-52 - 1.0;
}

/** Weight of the upper corner, with two derivatives zero at both ends, and its derivative. */
static double fade(double t, double *slope) {
    *slope = 30.0 * t * t * (t - 1.0) * (t - 1.0);
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
}

/** Noise with unit spacing: values of the lattice's corners, faded from one to the next. */
static double noise(uint64_t seed, const double at[3], double gradient[3]) {
    int64_t cell[3];
    double weight[3], slope[3];
    for (int i = 0; i < 3; i++) {
        double whole = floor(at[i]);
        cell[i] = (int64_t)whole;
        weight[i] = fade(at[i] - whole, &slope[i]);
    }
    double value = 0.0;
    gradient[0] = gradient[1] = gradient[2] = 0.0;
    for (int k = 0; k < 8; k++) {
        double w[3], dw[3];
        for (int i = 0; i < 3; i++) {
            bool upper = ((k >> i) & 1) != 0;
            w[i] = upper ? weight[i] : 1.0 - weight[i];
            dw[i] = upper ? slope[i] : -slope[i];
        }
        double v = corner_value(seed, cell[0] + (k & 1), cell[1] + ((k >> 1) & 1),
                                cell[2] + ((k >> 2) & 1));
        value += v * w[0] * w[1] * w[2];
        gradient[0] += v * dw[0] * w[1] * w[2];
        gradient[1] += v * w[0] * dw[1] * w[2];
        gradient[2] += v * w[0] * w[1] * dw[2];
    }
    return value;
}

static double noise_height(const ov_touch_texture *t, ov_vec3 point, ov_vec3 *gradient) {
    const double at[3] = {point.x / t->wavelength, point.y / t->wavelength,
                          point.z / t->wavelength};
    double g[3];
    double value = noise(t->seed, at, g);
    *gradient = ov_vec3_scale(ov_vec3_make(g[0], g[1], g[2]), t->height / t->wavelength);
    return t->height * value;
}

/* ---- bitmaps --------------------------------------------------------------------------------- */

/** Weights of a uniform cubic B-spline and their derivatives, for the four values around t. */
static void spline_weights(double t, double weight[4], double slope[4]) {
    double u = 1.0 - t;
    weight[0] = u * u * u / 6.0;
    weight[1] = (4.0 + t * t * (3.0 * t - 6.0)) / 6.0;
    weight[2] = (4.0 + u * u * (3.0 * u - 6.0)) / 6.0;
    weight[3] = t * t * t / 6.0;
    slope[0] = -0.5 * u * u;
    slope[1] = t * (1.5 * t - 2.0);
    slope[2] = -u * (1.5 * u - 2.0);
    slope[3] = 0.5 * t * t;
}

/** `whole` (an integer) plus `offset`, modulo `count`. */
static size_t wrapped(double whole, int offset, size_t count) {
    double n = (double)count;
    double rest = fmod(whole + (double)offset, n);
    return (size_t)(rest < 0.0 ? rest + n : rest);
}

static double bitmap_height(const ov_touch_texture *t, ov_vec3 point, ov_vec3 *gradient) {
    ov_pose frame = ov_pose_default(t->frame);
    (void)ov_quat_normalize(frame.rotation, &frame.rotation); // ov_touch_texture_check: it can be
    ov_vec3 local = ov_pose_apply_inverse(frame, point);
    double u = local.x / t->wavelength, v = local.y / t->wavelength;
    double column = floor(u), row = floor(v);
    double wu[4], du[4], wv[4], dv[4];
    spline_weights(u - column, wu, du);
    spline_weights(v - row, wv, dv);
    size_t columns[4], rows[4];
    for (int i = 0; i < 4; i++) {
        columns[i] = wrapped(column, i - 1, t->columns);
        rows[i] = wrapped(row, i - 1, t->rows);
    }
    double value = 0.0, along_u = 0.0, along_v = 0.0;
    for (int i = 0; i < 4; i++) {
        double line = 0.0, line_slope = 0.0;
        for (int j = 0; j < 4; j++) {
            double pixel = (double)t->values[rows[i] * t->columns + columns[j]] / 127.5 - 1.0;
            line += wu[j] * pixel;
            line_slope += du[j] * pixel;
        }
        value += wv[i] * line;
        along_u += wv[i] * line_slope;
        along_v += dv[i] * line;
    }
    double scale = t->height / t->wavelength;
    *gradient = ov_quat_rotate(frame.rotation, ov_vec3_make(scale * along_u, scale * along_v, 0.0));
    return t->height * value;
}

/* ---- the interface --------------------------------------------------------------------------- */

static ov_status check_bitmap(const ov_touch_texture *t) {
    if (t->values == NULL) {
        return OV_ERROR_NULL;
    }
    if (t->rows < 1 || t->rows > side_max || t->columns < 1 || t->columns > side_max) {
        return OV_ERROR_COUNT;
    }
    if (!ov_vec3_is_finite(t->frame.position)) {
        return OV_ERROR_NOT_FINITE;
    }
    ov_quat unit;
    return ov_quat_normalize(ov_pose_default(t->frame).rotation, &unit);
}

ov_status ov_touch_texture_check(const ov_touch_texture *texture) {
    if (texture == NULL) {
        return OV_ERROR_NULL;
    }
    if (texture->kind == OV_TOUCH_TEXTURE_NONE) {
        return OV_OK;
    }
    if (texture->kind != OV_TOUCH_TEXTURE_NOISE && texture->kind != OV_TOUCH_TEXTURE_BITMAP) {
        return OV_ERROR_OPTION;
    }
    if (!isfinite(texture->height) || !isfinite(texture->wavelength)) {
        return OV_ERROR_NOT_FINITE;
    }
    if (texture->height < 0.0 || !(texture->wavelength >= OV_SIZE_MIN) ||
        texture->height > OV_SIZE_MAX || texture->wavelength > OV_SIZE_MAX) {
        return OV_ERROR_OPTION;
    }
    return texture->kind == OV_TOUCH_TEXTURE_BITMAP ? check_bitmap(texture) : OV_OK;
}

double ov_touch_texture_height(const ov_touch_texture *texture, ov_vec3 point, ov_vec3 *gradient) {
    double reach = fabs(point.x) + fabs(point.y) + fabs(point.z);
    bool there = texture->kind != OV_TOUCH_TEXTURE_NONE && texture->height > 0.0;
    if (there && texture->kind == OV_TOUCH_TEXTURE_BITMAP) {
        ov_vec3 o = texture->frame.position;
        reach += fabs(o.x) + fabs(o.y) + fabs(o.z);
    }
    if (!there || !(reach < cells_max * texture->wavelength)) {
        *gradient = ov_vec3_make(0.0, 0.0, 0.0);
        return 0.0;
    }
    return texture->kind == OV_TOUCH_TEXTURE_NOISE ? noise_height(texture, point, gradient)
                                                   : bitmap_height(texture, point, gradient);
}

double ov_touch_texture_steepness(const ov_touch_texture *texture) {
    if (texture->kind == OV_TOUCH_TEXTURE_NONE || !(texture->height > 0.0)) {
        return 0.0;
    }
    // Along an axis noise rises at most by the whole range, 2, times the largest slope of the fade,
    // 15/8; a spline's slope is a mean of differences of neighbours, at most 2 each.
    bool is_noise = texture->kind == OV_TOUCH_TEXTURE_NOISE;
    double slope = is_noise ? 3.75 * sqrt(3.0) : 2.0 * sqrt(2.0);
    return slope * (texture->height / texture->wavelength) * (1.0 + 1e-12);
}
