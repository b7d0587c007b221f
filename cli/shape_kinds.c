/**
 * @file shape_kinds.c
 * @brief The table of kinds of shape that the command knows.
 *
 * The kinds are those of the library, under its own names, and the superellipse, which is a curve
 * and no ov_shape. The constructors below only hand numbers on.
 */
#include "shape_kinds.h"

#include <string.h>

#define NAMES(...) ((const char *const[]){__VA_ARGS__})

static ov_status make_sphere(const double *v, const ov_shape_options *o, shape_args *out) {
    (void)o;
    return ov_shape_make_sphere(v[0], &out->shape);
}

static ov_status make_ellipsoid(const double *v, const ov_shape_options *o, shape_args *out) {
    (void)o;
    return ov_shape_make_ellipsoid(ov_vec3_make(v[0], v[1], v[2]), &out->shape);
}

static ov_status make_superellipsoid(const double *v, const ov_shape_options *o, shape_args *out) {
    (void)o;
    return ov_shape_make_superellipsoid(ov_vec3_make(v[0], v[1], v[2]), v[3], v[4], &out->shape);
}

static ov_status make_superovoid(const double *v, const ov_shape_options *o, shape_args *out) {
    return ov_shape_make_superovoid(ov_vec3_make(v[0], v[1], v[2]), v[3], v[4], v[5], v[6], o,
                                    &out->shape);
}

static ov_status make_halfspace(const double *v, const ov_shape_options *o, shape_args *out) {
    (void)o;
    return ov_shape_make_halfspace(ov_vec3_make(v[0], v[1], v[2]), v[3], &out->shape);
}

static ov_status make_box(const double *v, const ov_shape_options *o, shape_args *out) {
    (void)o;
    return ov_shape_make_box(ov_vec3_make(v[0], v[1], v[2]), &out->shape);
}

static ov_status make_capsule(const double *v, const ov_shape_options *o, shape_args *out) {
    (void)o;
    return ov_shape_make_capsule(v[0], v[1], &out->shape);
}

static ov_status make_cylinder(const double *v, const ov_shape_options *o, shape_args *out) {
    (void)o;
    return ov_shape_make_cylinder(v[0], v[1], &out->shape);
}

static ov_status make_cone(const double *v, const ov_shape_options *o, shape_args *out) {
    (void)o;
    return ov_shape_make_cone(v[0], v[1], &out->shape);
}

static ov_status make_triangle(const double *v, const ov_shape_options *o, shape_args *out) {
    (void)o;
    return ov_shape_make_triangle(ov_vec3_make(v[0], v[1], v[2]), ov_vec3_make(v[3], v[4], v[5]),
                                  ov_vec3_make(v[6], v[7], v[8]), &out->shape);
}

static ov_status make_segment(const double *v, const ov_shape_options *o, shape_args *out) {
    (void)o;
    return ov_shape_make_segment(ov_vec3_make(v[0], v[1], v[2]), ov_vec3_make(v[3], v[4], v[5]),
                                 &out->shape);
}

static ov_status make_point(const double *v, const ov_shape_options *o, shape_args *out) {
    (void)o;
    return ov_shape_make_point(ov_vec3_make(v[0], v[1], v[2]), &out->shape);
}

static ov_status make_hyperboloid_1(const double *v, const ov_shape_options *o, shape_args *out) {
    (void)o;
    return ov_shape_make_superhyperboloid_1(ov_vec3_make(v[0], v[1], v[2]), v[3], v[4], v[5],
                                            &out->shape);
}

static ov_status make_hyperboloid_2(const double *v, const ov_shape_options *o, shape_args *out) {
    (void)o;
    return ov_shape_make_superhyperboloid_2(ov_vec3_make(v[0], v[1], v[2]), v[3], v[4], v[5],
                                            &out->shape);
}

static ov_status make_supertoroid(const double *v, const ov_shape_options *o, shape_args *out) {
    (void)o;
    return ov_shape_make_supertoroid(ov_vec3_make(v[0], v[1], v[2]), v[3], v[4], v[5], &out->shape);
}

static ov_status make_bent(const double *v, const ov_shape_options *o, shape_args *out) {
    (void)o;
    return ov_shape_make_bent(ov_vec3_make(v[0], v[1], v[2]), v[3], v[4], v[5], v[6], v[7], v[8],
                              &out->shape);
}

static ov_status make_superellipse(const double *v, const ov_shape_options *o, shape_args *out) {
    (void)o;
    out->in_plane = true;
    return ov_superellipse_make(v[0], v[1], v[2], &out->curve);
}

const shape_kind shape_kinds[SHAPE_KIND_COUNT] = {
    {"sphere", OV_SHAPE_KIND_SPHERE, "", NAMES("r"), "s", make_sphere},
    {"ellipsoid", OV_SHAPE_KIND_ELLIPSOID, "semi-axes", NAMES("a1", "a2", "a3"), "sss",
     make_ellipsoid},
    {"superellipsoid", OV_SHAPE_KIND_SUPERELLIPSOID, "e1: squareness in xy, e2: along z",
     NAMES("a1", "a2", "a3", "e1", "e2"), "sssee", make_superellipsoid},
    {"superovoid", OV_SHAPE_KIND_SUPEROVOID, "tapered along z",
     NAMES("a1", "a2", "a3", "e1", "e2", "tx", "ty"), "ssseett", make_superovoid},
    {"halfspace", OV_SHAPE_KIND_HALFSPACE, "n . p <= offset", NAMES("nx", "ny", "nz", "offset"),
     "xxxx", make_halfspace},
    {"box", OV_SHAPE_KIND_BOX, "half extents", NAMES("hx", "hy", "hz"), "sss", make_box},
    {"capsule", OV_SHAPE_KIND_CAPSULE, "axis z", NAMES("r", "half_length"), "sl", make_capsule},
    {"cylinder", OV_SHAPE_KIND_CYLINDER, "axis z", NAMES("r", "half_length"), "ss", make_cylinder},
    {"cone", OV_SHAPE_KIND_CONE, "axis z, tip up", NAMES("r", "half_length"), "ss", make_cone},
    {"polyhedron", OV_SHAPE_KIND_POLYHEDRON, "convex hull of a file of points", NAMES("FILE"), "",
     NULL},
    {"triangle", OV_SHAPE_KIND_TRIANGLE, "three corners",
     NAMES("ax", "ay", "az", "bx", "by", "bz", "cx", "cy", "cz"), "xxxxxxxxx", make_triangle},
    {"segment", OV_SHAPE_KIND_SEGMENT, "two ends", NAMES("ax", "ay", "az", "bx", "by", "bz"),
     "xxxxxx", make_segment},
    {"point", OV_SHAPE_KIND_POINT, "", NAMES("x", "y", "z"), "xxx", make_point},
    {"superhyperboloid-1", OV_SHAPE_KIND_SUPERHYPERBOLOID_1, "one sheet, cut at |z| = height",
     NAMES("a1", "a2", "a3", "e1", "e2", "height"), "sssees", make_hyperboloid_1},
    {"superhyperboloid-2", OV_SHAPE_KIND_SUPERHYPERBOLOID_2, "two sheets, cut at |z| = height > a3",
     NAMES("a1", "a2", "a3", "e1", "e2", "height"), "ssseeh", make_hyperboloid_2},
    {"supertoroid", OV_SHAPE_KIND_SUPERTOROID, "ring about z, hole > 1",
     NAMES("a1", "a2", "a3", "e1", "e2", "hole"), "ssseeo", make_supertoroid},
    {"bent", OV_SHAPE_KIND_BENT, "tapered, then bent along z",
     NAMES("a1", "a2", "a3", "e1", "e2", "tx", "ty", "curvature", "angle_rad"), "ssseettcx",
     make_bent},
    {"superellipse", OV_SHAPE_KIND_NONE, "curve in the plane", NAMES("a1", "a2", "e"), "sse",
     make_superellipse},
};

const shape_kind *shape_kind_find(const char *name) {
    for (size_t i = 0; i < SHAPE_KIND_COUNT; i++) {
        if (strcmp(shape_kinds[i].name, name) == 0) {
            return &shape_kinds[i];
        }
    }
    return NULL;
}

bool shape_args_wants_plane(int argc, char **argv) {
    for (int i = 0; i < argc; i++) {
        const shape_kind *kind = shape_kind_find(argv[i]);
        if (kind != NULL) {
            return kind->kind == OV_SHAPE_KIND_NONE;
        }
    }
    return false;
}

void shape_args_print_kinds(FILE *out) {
    fputs("\nKinds and parameters (by position, or all by name as in a1=1):\n", out);
    for (size_t i = 0; i < SHAPE_KIND_COUNT; i++) {
        const shape_kind *k = &shape_kinds[i];
        size_t count = strlen(k->rules), used = 0;
        char text[80];
        count = count > 0 ? count : 1;
        for (size_t p = 0; p < count && used < sizeof text; p++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", p > 0 ? " " : "",
                                     k->parameters[p]);
        }
        fprintf(out, "  %-18s %-*s%s\n", k->name, k->what[0] != '\0' ? 41 : 0, text, k->what);
    }
    fputs(
        "\nExponents, the two in the order of their convention: ovoid e1 in xy, e2 along z; barr\n"
        "(Barr, Solina) e1 along z, e2 in xy; blocky (LAMMPS, LIGGGHTS) n1 = 2/e along z, n2 in "
        "xy.\n",
        out);
}

void shape_args_list_kinds(FILE *out) {
    for (size_t i = 0; i < SHAPE_KIND_COUNT; i++) {
        fprintf(out, "%s\n", shape_kinds[i].name);
    }
}
