/**
 * @file solid_mass.c
 * @brief Volume, centroid and inertia of the solids: closed forms, and exact sums for polyhedra.
 */
#include <string.h>

#include "shape_internal.h"

#define PI 3.141592653589793

/** Body of revolution about z, or box: a diagonal tensor. */
static ov_mass diagonal(double volume, double centre_z, double xx, double yy, double zz) {
    ov_mass m;
    memset(&m, 0, sizeof m);
    m.volume = m.mass = volume;
    m.centroid.z = centre_z;
    m.inertia.cx.x = xx;
    m.inertia.cy.y = yy;
    m.inertia.cz.z = zz;
    return m;
}

static ov_mass mass_box(const ov_shape *s) {
    double volume = 8.0 * s->a.x * s->a.y * s->a.z, third = volume / 3.0;
    double x2 = s->a.x * s->a.x, y2 = s->a.y * s->a.y, z2 = s->a.z * s->a.z;
    return diagonal(volume, 0.0, third * (y2 + z2), third * (z2 + x2), third * (x2 + y2));
}

/** A cylinder and two half balls, whose centroids are 3/8 R beyond its ends. */
static ov_mass mass_capsule(const ov_shape *s) {
    double r = s->a.x, h = s->a.z, r2 = r * r;
    double tube = 2.0 * PI * r2 * h, ball = 4.0 / 3.0 * PI * r2 * r;
    double zz = tube * r2 / 2.0 + ball * 0.4 * r2;
    double xx = tube * (r2 / 4.0 + h * h / 3.0) + ball * (0.4 * r2 + h * h + 0.75 * h * r);
    return diagonal(tube + ball, 0.0, xx, xx, zz);
}

static ov_mass mass_cylinder(const ov_shape *s) {
    double r2 = s->a.x * s->a.x, h = s->a.z, volume = 2.0 * PI * r2 * h;
    double xx = volume * (r2 / 4.0 + h * h / 3.0);
    return diagonal(volume, 0.0, xx, xx, volume * r2 / 2.0);
}

/** The centroid is at a quarter of the height, which is 2h, above the base. */
static ov_mass mass_cone(const ov_shape *s) {
    double r2 = s->a.x * s->a.x, h = s->a.z, volume = 2.0 / 3.0 * PI * r2 * h;
    double xx = 0.15 * volume * (r2 + h * h);
    return diagonal(volume, -0.5 * h, xx, xx, 0.3 * volume * r2);
}

/** Integrals of 1, of r, and of the products of r's coordinates. */
typedef struct moments {
    double volume;
    ov_vec3 first;
    double xx, yy, zz, xy, yz, zx;
} moments;

/**
 * Sums over the tetrahedra that join `origin` to the faces.
 *
 * With corners a, b, c of a face, seen from the origin, and J = a.(b x c), six times the volume:
 * the integral of r is J s/24 with s = a + b + c, and that of r r^T is J (s s^T + a a^T + b b^T +
 * c c^T)/120. J is taken as twice the face's area times the distance of its plane, since a.(b x c)
 * itself cancels where the face is small or the body thin.
 */
static moments sum_tetrahedra(const ov_shape *shape, ov_vec3 origin, double unit) {
    moments m = {0.0, {0.0, 0.0, 0.0}, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    for (size_t f = 0; f < shape->u.polyhedron.triangle_count; f++) {
        ovi_face face = ovi_polyhedron_face(shape, f);
        double spread, height = ovi_face_height(&face, origin, &spread);
        double j = -(height * unit) * (face.length * unit) * (face.height * unit);
        ov_vec3 a = ov_vec3_scale(ov_vec3_sub(face.ends[0], origin), unit);
        ov_vec3 b = ov_vec3_scale(ov_vec3_sub(face.ends[1], origin), unit);
        ov_vec3 c = ov_vec3_scale(ov_vec3_sub(face.apex, origin), unit);
        ov_vec3 s = ov_vec3_add(a, ov_vec3_add(b, c));
        m.volume += j;
        m.first = ov_vec3_add_scaled(m.first, s, j);
        m.xx += j * (s.x * s.x + a.x * a.x + b.x * b.x + c.x * c.x);
        m.yy += j * (s.y * s.y + a.y * a.y + b.y * b.y + c.y * c.y);
        m.zz += j * (s.z * s.z + a.z * a.z + b.z * b.z + c.z * c.z);
        m.xy += j * (s.x * s.y + a.x * a.y + b.x * b.y + c.x * c.y);
        m.yz += j * (s.y * s.z + a.y * a.z + b.y * b.z + c.y * c.z);
        m.zx += j * (s.z * s.x + a.z * a.x + b.z * b.x + c.z * c.x);
    }
    m.volume /= 6.0;
    m.first = ov_vec3_scale(m.first, 1.0 / 24.0);
    return m;
}

/** Two rounds: the first finds the centroid, the second sums about it, where nothing cancels. */
static ov_mass mass_polyhedron(const ov_shape *shape) {
    const ov_vec3 *v = shape->u.polyhedron.vertices;
    size_t count = shape->u.polyhedron.vertex_count;
    ov_vec3 low = v[0], high = v[0], sum = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < count; i++) {
        low = ov_vec3_make(fmin(low.x, v[i].x), fmin(low.y, v[i].y), fmin(low.z, v[i].z));
        high = ov_vec3_make(fmax(high.x, v[i].x), fmax(high.y, v[i].y), fmax(high.z, v[i].z));
        sum = ov_vec3_add(sum, ov_vec3_sub(v[i], v[0]));
    }
    // lengths in units of the extent, or fifth powers of them would leave the range of a double
    double extent = ovi_max_abs(ov_vec3_sub(high, low)), unit = 1.0 / extent;
    ov_vec3 origin = ov_vec3_add_scaled(v[0], sum, 1.0 / (double)count);
    moments m = sum_tetrahedra(shape, origin, unit);
    origin = ov_vec3_add_scaled(origin, m.first, extent / m.volume);
    m = sum_tetrahedra(shape, origin, unit);
    // what the centroid's own rounding leaves over, by the parallel axes
    ov_vec3 g = ov_vec3_scale(m.first, 1.0 / m.volume);
    double xx = m.xx / 120.0 - m.volume * g.x * g.x, xy = m.xy / 120.0 - m.volume * g.x * g.y;
    double yy = m.yy / 120.0 - m.volume * g.y * g.y, yz = m.yz / 120.0 - m.volume * g.y * g.z;
    double zz = m.zz / 120.0 - m.volume * g.z * g.z, zx = m.zx / 120.0 - m.volume * g.z * g.x;
    double cube = extent * extent * extent, fifth = cube * extent * extent;
    ov_mass out;
    out.volume = out.mass = m.volume * cube;
    out.centroid = ov_vec3_add_scaled(origin, g, extent);
    out.inertia.cx = ov_vec3_scale(ov_vec3_make(yy + zz, -xy, -zx), fifth);
    out.inertia.cy = ov_vec3_scale(ov_vec3_make(-xy, zz + xx, -yz), fifth);
    out.inertia.cz = ov_vec3_scale(ov_vec3_make(-zx, -yz, xx + yy), fifth);
    return out;
}

ov_status ovi_primitive_mass(const ov_shape *shape, ov_mass *out) {
    switch (shape->kind) {
    case OV_SHAPE_KIND_BOX:
        *out = mass_box(shape);
        return OV_OK;
    case OV_SHAPE_KIND_CAPSULE:
        *out = mass_capsule(shape);
        return OV_OK;
    case OV_SHAPE_KIND_CYLINDER:
        *out = mass_cylinder(shape);
        return OV_OK;
    case OV_SHAPE_KIND_CONE:
        *out = mass_cone(shape);
        return OV_OK;
    case OV_SHAPE_KIND_POLYHEDRON:
        if (shape->u.polyhedron.triangle_count == 0) {
            return OV_ERROR_UNSUPPORTED;
        }
        *out = mass_polyhedron(shape);
        return OV_OK;
    default:
        return OV_ERROR_UNSUPPORTED;
    }
}
