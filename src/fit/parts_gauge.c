/**
 * @file parts_gauge.c
 * @brief Gauges of many samples at once, in floats, with derivatives by all numbers of a part.
 *
 * With X = x/(a1 f1), Y = y/(a2 f2), Z = z/a3 (ovoid/shape.h), all positive, and natural
 * logarithms:
 *
 *     1. A = X^p1 + Y^p1,      ln m = (ln A)/p1,      wX = X^p1/A,   wY = 1 - wX
 *     2. F = m^p2 + Z^p2,      ln G = (ln F)/p2,      wM = m^p2/F,   wZ = 1 - wM
 *     3. d ln G = wM (wX d ln X + wY d ln Y) + wZ d ln Z, and by the exponents
 *        wM (wX ln X + wY ln Y - ln m)/p1  and  (wM ln m + wZ ln Z - ln G)/p2
 *     4. d ln X = dx/x - d ln a1 - (Z dtx + tx dZ)/f1, likewise Y; d ln Z = dz/z - d ln a3
 *
 * Plain loops without branches, which the compiler turns into vectors; logarithm and exponential by
 * polynomials of a relative error of about 1e-6: enough to search with.
 */
#include <math.h>

#include "parts_internal.h"

/* ---- parts */

/**
 * The profile (1 + t z) (1 - |z|^p)^(1/p) is concave if |t| <= 1/(|z| + 2 |z| (1 - |z|^p)/(p - 1))
 * for all |z| < 1; the right side is least where |z|^p = 1/2, and there 2^(1/p) (1 - 1/p).
 */
double ovi_taper_max(double e2) { return fmin(0.95, fmax(0.0, exp2(0.5 * e2) * (1.0 - 0.5 * e2))); }

bool ovi_part_is_finite(const ovi_part *p) {
    const ov_quat *q = &p->rotation;
    double sum = p->centre.x + p->centre.y + p->centre.z + q->w + q->x + q->y + q->z;
    for (int i = 0; i < 3; i++) {
        sum += p->log_a[i];
    }
    return isfinite(sum + p->e[0] + p->e[1] + p->t[0] + p->t[1]);
}

ovi_part_constants ovi_part_prepare(const ovi_part *part) {
    ovi_part_constants p;
    ov_mat3 r = ov_mat3_from_quat(part->rotation);
    ov_vec3 axes[3] = {r.cx, r.cy, r.cz};
    p.c[0] = (float)part->centre.x;
    p.c[1] = (float)part->centre.y;
    p.c[2] = (float)part->centre.z;
    for (int i = 0; i < 3; i++) {
        p.rt[3 * i] = (float)axes[i].x;
        p.rt[3 * i + 1] = (float)axes[i].y;
        p.rt[3 * i + 2] = (float)axes[i].z;
        p.ia[i] = (float)exp(-part->log_a[i]);
    }
    double limit = ovi_taper_max(part->e[1]);
    p.tx = (float)(limit * part->t[0]);
    p.ty = (float)(limit * part->t[1]);
    p.p1 = (float)(2.0 / part->e[0]);
    p.p2 = (float)(2.0 / part->e[1]);
    return p;
}

ovi_part_slabs ovi_part_slabs_of(const ovi_part *part, double margin) {
    ov_mat3 r = ov_mat3_from_quat(part->rotation);
    double limit = ovi_taper_max(part->e[1]);
    return (ovi_part_slabs){
        .centre = {part->centre.x, part->centre.y, part->centre.z},
        .axis = {{r.cx.x, r.cx.y, r.cx.z}, {r.cy.x, r.cy.y, r.cy.z}, {r.cz.x, r.cz.y, r.cz.z}},
        .half = {exp(part->log_a[0]) * (1.0 + limit * fabs(part->t[0])) + margin,
                 exp(part->log_a[1]) * (1.0 + limit * fabs(part->t[1])) + margin,
                 exp(part->log_a[2]) + margin}};
}

/** As fmin and fmax, but of numbers only, and so without a call. */
static inline double least(double a, double b) { return a < b ? a : b; }
static inline double most(double a, double b) { return a > b ? a : b; }

void ovi_part_row(const ovi_part_slabs *s, const ovi_field *f, int j, int k, int *from, int *to) {
    double y, z;
    ovi_field_line(f, j, k, &y, &z);
    y -= s->centre[1];
    z -= s->centre[2];
    double lo = -INFINITY, hi = INFINITY;
    for (int i = 0; i < 3; i++) {
        double slope = s->axis[i][0], at = s->axis[i][1] * y + s->axis[i][2] * z;
        double half = s->half[i] + 1e-6;
        if (fabs(slope) > 1e-9) {
            double a = (-half - at) / slope, b = (half - at) / slope;
            lo = most(lo, least(a, b));
            hi = least(hi, most(a, b));
        } else if (fabs(at) > half) {
            hi = -INFINITY;
        }
    }
    double first = floor((lo + s->centre[0] - f->origin[0]) / f->h);
    double last = floor((hi + s->centre[0] - f->origin[0]) / f->h);
    *from = first > 0.0 ? (int)least(first, (double)f->n[0]) : 0;
    *to = hi >= lo && last > -1.0 ? (int)least(last, (double)f->n[0] - 1.0) : -1;
}

void ovi_part_box(const ovi_part *part, double margin, double lo[3], double hi[3]) {
    ovi_part_slabs s = ovi_part_slabs_of(part, 0.0);
    for (int i = 0; i < 3; i++) {
        double reach = margin;
        for (int j = 0; j < 3; j++) {
            reach += fabs(s.axis[j][i]) * s.half[j];
        }
        lo[i] = s.centre[i] - reach;
        hi[i] = s.centre[i] + reach;
    }
}

/** Of 1,926 random parts with too deep a dent, of aspects up to 7, 0.2 % were below this limit. */
bool ovi_part_may_dent(const ovi_part *p) {
    double apart = ovi_taper_max(p->e[1]) * fabs(p->t[0] - p->t[1]);
    return apart * p->e[0] * (2.0 - p->e[1]) > 0.5;
}

ov_status ovi_part_shape(ovi_part *part, double scale, ov_shape *shape) {
    // dents are counted as part of the body: they have to be too small to matter
    ov_shape_options options = {.dent_tolerance = 0.02};
    ov_vec3 a = ov_vec3_make(scale * exp(part->log_a[0]), scale * exp(part->log_a[1]),
                             scale * exp(part->log_a[2]));
    double limit = ovi_taper_max(part->e[1]);
    ov_status status = OV_ERROR_DENT;
    for (int trial = 0; trial < 60 && status == OV_ERROR_DENT; trial++) {
        status = ov_shape_make_superovoid(a, part->e[0], part->e[1], limit * part->t[0],
                                          limit * part->t[1], &options, shape);
        if (status == OV_ERROR_DENT) {
            part->t[0] = trial < 59 ? 0.85 * part->t[0] : 0.0;
            part->t[1] = trial < 59 ? 0.85 * part->t[1] : 0.0;
        }
    }
    return status;
}

/* ---- evaluation */

/** A coordinate this small in units of the section counts as this: its logarithm stays finite. */
static const float tiny = 1e-5f;

OVI_INLINE float positive(float x) {
    x = fabsf(x);
    return x > tiny ? x : tiny;
}

OVI_INLINE float held(float z) {
    z = z < 1.0f ? z : 1.0f;
    return z > -1.0f ? z : -1.0f;
}

OVI_INLINE void values_inner(const ovi_part_constants *restrict p, const float *restrict px,
                             const float *restrict py, const float *restrict pz, size_t count,
                             float *restrict log_g, float *restrict rho) {
    float ratio = p->p2 / p->p1, inverse = 1.0f / p->p2;
    for (size_t i = 0; i < count; i++) {
        float wx = px[i] - p->c[0], wy = py[i] - p->c[1], wz = pz[i] - p->c[2];
        float x = p->rt[0] * wx + p->rt[1] * wy + p->rt[2] * wz;
        float y = p->rt[3] * wx + p->rt[4] * wy + p->rt[5] * wz;
        float z = p->rt[6] * wx + p->rt[7] * wy + p->rt[8] * wz;
        float zeta = z * p->ia[2], end = held(zeta);
        float lx = ovi_fast_log(positive(x * p->ia[0] / (1.0f + p->tx * end)));
        float ly = ovi_fast_log(positive(y * p->ia[1] / (1.0f + p->ty * end)));
        float lz = ovi_fast_log(positive(zeta));
        float la = ovi_fast_log(ovi_fast_exp(p->p1 * lx) + ovi_fast_exp(p->p1 * ly) + 1e-35f);
        float f = ovi_fast_exp(ratio * la) + ovi_fast_exp(p->p2 * lz) + 1e-35f;
        log_g[i] = ovi_fast_log(f) * inverse;
        rho[i] = sqrtf(wx * wx + wy * wy + wz * wz);
    }
}

OVI_INLINE void block_inner(const ovi_part_constants *restrict p, const float *restrict px,
                            const float *restrict py, const float *restrict pz, size_t count,
                            ovi_gauge_block *restrict out) {
    float ratio = p->p2 / p->p1, i1 = 1.0f / p->p1, i2 = 1.0f / p->p2;
    for (size_t i = 0; i < count; i++) {
        float wx = px[i] - p->c[0], wy = py[i] - p->c[1], wz = pz[i] - p->c[2];
        float x = p->rt[0] * wx + p->rt[1] * wy + p->rt[2] * wz;
        float y = p->rt[3] * wx + p->rt[4] * wy + p->rt[5] * wz;
        float z = p->rt[6] * wx + p->rt[7] * wy + p->rt[8] * wz;
        float zeta = z * p->ia[2], end = held(zeta);
        float if1 = 1.0f / (1.0f + p->tx * end), if2 = 1.0f / (1.0f + p->ty * end);
        float sx = x * p->ia[0] * if1, sy = y * p->ia[1] * if2;
        float ux = positive(sx), uy = positive(sy), uz = positive(zeta);
        float lx = ovi_fast_log(ux), ly = ovi_fast_log(uy), lz = ovi_fast_log(uz);
        float ax = ovi_fast_exp(p->p1 * lx), a = ax + ovi_fast_exp(p->p1 * ly) + 1e-35f;
        float la = ovi_fast_log(a), lm = la * i1, qx = ax / a, qy = 1.0f - qx;
        float m = ovi_fast_exp(ratio * la), f = m + ovi_fast_exp(p->p2 * lz) + 1e-35f;
        float lg = ovi_fast_log(f) * i2, qm = m / f, qz = 1.0f - qm;
        float wmx = qm * qx, wmy = qm * qy;
        // beyond the ends the taper is held
        float slope = fabsf(zeta) < 1.0f ? 1.0f : 0.0f;
        float bend = slope * (wmx * p->tx * if1 + wmy * p->ty * if2);
        out->log_g[i] = lg;
        out->rho[i] = sqrtf(wx * wx + wy * wy + wz * wz);
        out->x[i] = x;
        out->y[i] = y;
        out->z[i] = z;
        out->d[0][i] = wmx * p->ia[0] * if1 * sx / (ux * ux);
        out->d[1][i] = wmy * p->ia[1] * if2 * sy / (uy * uy);
        out->d[2][i] = p->ia[2] * (qz * zeta / (uz * uz) - bend);
        out->d[3][i] = -wmx;
        out->d[4][i] = -wmy;
        out->d[5][i] = zeta * bend - qz;
        out->d[6][i] = -wmx * end * if1;
        out->d[7][i] = -wmy * end * if2;
        out->d[8][i] = qm * (qx * lx + qy * ly - lm) * i1;
        out->d[9][i] = (qm * lm + qz * lz - lg) * i2;
    }
}

OVI_DISPATCH_WIDE(, void, ovi_gauge_values, values_inner,
                  (const ovi_part_constants *p, const float *x, const float *y, const float *z,
                   size_t count, float *log_g, float *rho),
                  (p, x, y, z, count, log_g, rho))

OVI_DISPATCH_WIDE(, void, ovi_gauge_block_fill, block_inner,
                  (const ovi_part_constants *p, const float *x, const float *y, const float *z,
                   size_t count, ovi_gauge_block *out),
                  (p, x, y, z, count, out))
