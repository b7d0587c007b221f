/*
 * Random shapes for the hunt, each twice: as the library's constructor makes it, and as the
 * oracle's body from the same numbers.
 */
#include <math.h>
#include <string.h>

#include "hunt.h"

/* ---- random numbers -------------------------------------------------------------------------- */

uint64_t draw_bits(stream *r) {
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

stream stream_of(uint64_t seed, uint64_t unit) {
    stream r = {seed * 0xd1342543de82ef95u + unit};
    r.state = draw_bits(&r) ^ (unit << 20);
    return r;
}

unsigned draw_index(stream *r, unsigned count) { return (unsigned)(draw_bits(r) % count); }

double draw_between(stream *r, double lo, double hi) {
    return lo + (hi - lo) * ((double)(draw_bits(r) >> 11) * 0x1p-53);
}

double draw_log(stream *r, double lo, double hi) { return exp(draw_between(r, log(lo), log(hi))); }

double draw_sign(stream *r) { return draw_bits(r) >> 63 ? 1.0 : -1.0; }

ov_vec3 draw_unit(stream *r) {
    double z = draw_between(r, -1.0, 1.0), phi = draw_between(r, 0.0, 6.283185307179586);
    double s = sqrt(fmax(0.0, 1.0 - z * z));
    return (ov_vec3){s * cos(phi), s * sin(phi), z};
}

ov_quat draw_rotation(stream *r) {
    ov_vec3 u = draw_unit(r);
    double half = draw_between(r, 0.0, 3.141592653589793);
    ov_quat q = {cos(half), sin(half) * u.x, sin(half) * u.y, sin(half) * u.z};
    switch (draw_index(r, 8)) {
    case 0:
        q = (ov_quat){1.0, 0.0, 0.0, 0.0};
        break;
    case 1:
        q = (ov_quat){0.5 * draw_sign(r), 0.5 * draw_sign(r), 0.5 * draw_sign(r), 0.5};
        break;
    case 2:
        q = (ov_quat){1.0, draw_index(r, 2) ? 1.0 : 0.0, 0.0, draw_index(r, 2) ? 1.0 : 0.0};
        break;
    case 3: {
        double s = draw_log(r, 1e-3, 1e3);
        q = (ov_quat){s * q.w, s * q.x, s * q.y, s * q.z};
        break;
    }
    default:
        break;
    }
    return q;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static double draw_exponent(stream *r, wildness wild) {
    switch (wild == WILD ? draw_index(r, 8) : draw_index(r, 3)) {
    case 0:
        return 1.0;
    case 3:
        return draw_log(r, 1e-15, 0.1);
    case 4:
        return 2.0 - draw_log(r, 1e-15, 0.1);
    case 5:
        return draw_index(r, 2) ? 2.0 : 1e-15;
    case 6:
        return 1.0 + draw_sign(r) * draw_log(r, 1e-15, 0.1);
    default:
        return draw_between(r, 0.1, 1.9);
    }
}

static double draw_taper(stream *r, wildness wild) {
    switch (wild == WILD ? draw_index(r, 6) : 0) {
    case 1:
        return draw_sign(r) * draw_log(r, 1e-15, 0.5);
    case 2:
    case 3:
        return draw_sign(r) * (1.0 - draw_log(r, 1.2e-16, 1e-2));
    case 4:
        return 0.0;
    default:
        return draw_between(r, -0.5, 0.5);
    }
}

/** A length about a size: up to 1e6 away where it is wild. */
static double draw_length(stream *r, double size, wildness wild) {
    if (wild == TAME) {
        return size * draw_log(r, 0.3, 1.0);
    }
    switch (draw_index(r, 4)) {
    case 0:
        return size;
    case 1:
        return fmin(fmax(size * draw_log(r, 1e-6, 1.0), OV_SIZE_MIN), OV_SIZE_MAX);
    default:
        return fmin(fmax(size * draw_log(r, 0.05, 1.0), OV_SIZE_MIN), OV_SIZE_MAX);
    }
}

static const double cube[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                  {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
static const uint32_t cube_triangles[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7},
                                               {0, 1, 5}, {0, 5, 4}, {2, 3, 7}, {2, 7, 6},
                                               {0, 4, 7}, {0, 7, 3}, {1, 2, 6}, {1, 6, 5}};

/** What a polyhedron looks like: POLYHEDRON_CUBE is the one that is given with triangles. */
typedef enum polyhedron_form {
    POLYHEDRON_CLOUD,
    POLYHEDRON_CUBE,
    POLYHEDRON_PRISM,   /**< two faces with many corners */
    POLYHEDRON_PYRAMID, /**< one such face, and a tip */
    POLYHEDRON_BARREL   /**< rings of corners about one axis */
} polyhedron_form;

/** Corner i of n, in a ball or cube of half size 1. */
static ov_vec3 polyhedron_corner(stream *r, polyhedron_form form, size_t i, size_t n) {
    size_t rings = form == POLYHEDRON_BARREL ? 3 : form == POLYHEDRON_PRISM ? 2 : 1;
    size_t sides = form == POLYHEDRON_PYRAMID ? n - 1 : (n + rings - 1) / rings, ring = i / sides;
    double phi = 6.283185307179586 * (double)(i % sides) / (double)sides;
    switch (form) {
    case POLYHEDRON_CUBE:
        return (ov_vec3){cube[i][0], cube[i][1], cube[i][2]};
    case POLYHEDRON_PRISM:
        return (ov_vec3){cos(phi), sin(phi), ring == 0 ? -1.0 : 1.0};
    case POLYHEDRON_PYRAMID:
        return ring == 0 ? (ov_vec3){cos(phi), sin(phi), -1.0} : (ov_vec3){0.0, 0.0, 1.0};
    case POLYHEDRON_BARREL: {
        double width = ring == 1 ? 1.0 : 0.75;
        return (ov_vec3){width * cos(phi), width * sin(phi), (double)ring - 1.0};
    }
    default:
        return draw_unit(r);
    }
}

/** Few corners mostly, for a scan; now and then enough for a table with many cells. */
static size_t draw_vertex_count(stream *r) {
    return draw_index(r, 8) > 0 ? 4 + draw_index(r, 20)
                                : (size_t)draw_log(r, 24.0, (double)BODY_POINTS_MAX);
}

static void draw_vertices(stream *r, wildness wild, drawn *d) {
    static const polyhedron_form forms[8] = {POLYHEDRON_CLOUD,  POLYHEDRON_CLOUD,  POLYHEDRON_CLOUD,
                                             POLYHEDRON_CUBE,   POLYHEDRON_CUBE,   POLYHEDRON_PRISM,
                                             POLYHEDRON_BARREL, POLYHEDRON_PYRAMID};
    double s[3];
    for (int i = 0; i < 3; i++) {
        s[i] = draw_length(r, d->size, wild);
    }
    polyhedron_form form = forms[draw_index(r, 8)];
    d->with_triangles = form == POLYHEDRON_CUBE;
    d->vertex_count = d->with_triangles ? 8 : draw_vertex_count(r);
    if (draw_index(r, 2)) { // round about its axis: more corners that are equally far
        s[1] = s[0];
    }
    ov_vec3 off = {0.0, 0.0, 0.0};
    if (draw_index(r, 3) == 0) { // the origin of its frame is not in it
        off = ov_vec3_scale(draw_unit(r), d->size * draw_between(r, 0.0, 3.0));
    }
    for (size_t i = 0; i < d->vertex_count; i++) {
        ov_vec3 u = polyhedron_corner(r, form, i, d->vertex_count);
        d->vertices[i] = (ov_vec3){s[0] * u.x + off.x, s[1] * u.y + off.y, s[2] * u.z + off.z};
    }
}

void draw_parameters(stream *r, draw_kind kind, double size, wildness wild, drawn *d) {
    memset(d, 0, offsetof(drawn, nodes));
    d->kind = kind;
    d->size = size;
    for (int i = 0; i < 3; i++) {
        d->p[i] = draw_length(r, size, wild);
    }
    d->options.dent_tolerance = draw_index(r, 2) ? 0.05 : 1.0;
    if (kind == DRAW_SUPERELLIPSOID || kind == DRAW_SUPEROVOID) {
        d->p[3] = draw_exponent(r, wild);
        d->p[4] = draw_exponent(r, wild);
    }
    if (kind == DRAW_SUPEROVOID) {
        d->p[5] = draw_taper(r, wild);
        d->p[6] = draw_index(r, 2) ? draw_taper(r, wild) : draw_sign(r) * d->p[5];
    }
    if (kind == DRAW_CAPSULE && draw_index(r, 8) == 0) {
        d->p[1] = 0.0;
    }
    if (kind == DRAW_HALFSPACE) {
        ov_vec3 n = draw_unit(r);
        double s = draw_log(r, 1e-3, 1e3);
        d->p[0] = n.x * s, d->p[1] = n.y * s, d->p[2] = n.z * s;
        d->p[3] = draw_index(r, 2) ? 0.0 : draw_between(r, -2.0, 2.0) * size;
    }
    if (kind == DRAW_POLYHEDRON) {
        draw_vertices(r, wild, d);
    }
    if (kind == DRAW_TRIANGLE || kind == DRAW_SEGMENT || kind == DRAW_POINT) {
        d->vertex_count = kind == DRAW_TRIANGLE ? 3 : kind == DRAW_SEGMENT ? 2 : 1;
        for (size_t i = 0; i < d->vertex_count; i++) {
            d->vertices[i] = ov_vec3_scale(draw_unit(r), draw_length(r, size, wild));
        }
        if (kind == DRAW_SEGMENT && draw_index(r, 2)) { // its middle at the origin
            d->vertices[1] = ov_vec3_neg(d->vertices[0]);
        }
        if (kind == DRAW_POINT && draw_index(r, 2)) {
            d->vertices[0] = (ov_vec3){0.0, 0.0, 0.0};
        }
    }
}

/* ---- the caller's own bodies ----------------------------------------------------------------- */

static ov_vec3 rounded_box_support(const void *user, ov_vec3 n) {
    const double *p = ((const drawn *)user)->p;
    return (ov_vec3){copysign(p[0], n.x) + p[3] * n.x, copysign(p[1], n.y) + p[3] * n.y,
                     copysign(p[2], n.z) + p[3] * n.z};
}

static ov_vec3 drop_support(const void *user, ov_vec3 n) {
    const double *p = ((const drawn *)user)->p;
    if (p[1] * n.z > p[0]) {
        return (ov_vec3){0.0, 0.0, p[1]};
    }
    return ov_vec3_scale(n, p[0]);
}

static ov_status make_custom(drawn *d) {
    ov_ball ball = {{0.0, 0.0, 0.0}, 0.0};
    if (d->kind == DRAW_ROUNDED_BOX) {
        d->p[3] = 0.3 * d->p[0];
        ball.radius =
            1.000001 * (sqrt(d->p[0] * d->p[0] + d->p[1] * d->p[1] + d->p[2] * d->p[2]) + d->p[3]);
        return ov_shape_make_custom(rounded_box_support, d, ball, &d->shape);
    }
    ball.radius = 1.000001 * fmax(d->p[0], d->p[1]);
    return ov_shape_make_custom(drop_support, d, ball, &d->shape);
}

/* ---- making ---------------------------------------------------------------------------------- */

/** Memory for a table: one piece after the other, and none is given back. */
static void *take_room(void *user, void *block, size_t old_size, size_t size) {
    drawn *d = user;
    size_t count = (size + sizeof *d->room - 1) / sizeof *d->room;
    if (size == 0 || count > sizeof d->room / sizeof *d->room - d->used) {
        return NULL;
    }
    void *piece = &d->room[d->used];
    d->used += count;
    if (block != NULL) {
        memcpy(piece, block, old_size < size ? old_size : size);
    }
    return piece;
}

/** Every other polyhedron has a table, if there is room for it. */
static ov_status make_polyhedron(drawn *d) {
    ov_status status = ov_shape_make_polyhedron(d->vertices, d->vertex_count,
                                                d->with_triangles ? cube_triangles : NULL,
                                                d->with_triangles ? 12 : 0, &d->shape);
    if (status == OV_OK && d->vertex_count % 2 == 0) {
        ov_allocator allocator = {take_room, d};
        ov_support_table *table;
        d->used = 0;
        (void)ov_support_table_create(&d->shape, &allocator, &table);
    }
    return status;
}

ov_status drawn_make_shape(drawn *d) {
    const double *p = d->p;
    ov_vec3 a = {p[0], p[1], p[2]};
    switch (d->kind) {
    case DRAW_SPHERE:
        return ov_shape_make_sphere(p[0], &d->shape);
    case DRAW_ELLIPSOID:
        return ov_shape_make_ellipsoid(a, &d->shape);
    case DRAW_SUPERELLIPSOID:
        return ov_shape_make_superellipsoid(a, p[3], p[4], &d->shape);
    case DRAW_SUPEROVOID:
        return ov_shape_make_superovoid(a, p[3], p[4], p[5], p[6], &d->options, &d->shape);
    case DRAW_HALFSPACE:
        return ov_shape_make_halfspace(a, p[3], &d->shape);
    case DRAW_BOX:
        return ov_shape_make_box(a, &d->shape);
    case DRAW_CAPSULE:
        return ov_shape_make_capsule(p[0], p[1], &d->shape);
    case DRAW_CYLINDER:
        return ov_shape_make_cylinder(p[0], p[1], &d->shape);
    case DRAW_CONE:
        return ov_shape_make_cone(p[0], p[1], &d->shape);
    case DRAW_POLYHEDRON:
        return make_polyhedron(d);
    case DRAW_TRIANGLE:
        return ov_shape_make_triangle(d->vertices[0], d->vertices[1], d->vertices[2], &d->shape);
    case DRAW_SEGMENT:
        return ov_shape_make_segment(d->vertices[0], d->vertices[1], &d->shape);
    case DRAW_POINT:
        return ov_shape_make_point(d->vertices[0], &d->shape);
    default:
        return make_custom(d);
    }
}

static void make_body(drawn *d) {
    static const body_kind kinds[DRAW_KINDS] = {[DRAW_SPHERE] = BODY_SMOOTH,
                                                [DRAW_ELLIPSOID] = BODY_SMOOTH,
                                                [DRAW_SUPERELLIPSOID] = BODY_SMOOTH,
                                                [DRAW_SUPEROVOID] = BODY_TAPERED,
                                                [DRAW_HALFSPACE] = BODY_HALFSPACE,
                                                [DRAW_BOX] = BODY_BOX,
                                                [DRAW_CAPSULE] = BODY_CAPSULE,
                                                [DRAW_CYLINDER] = BODY_CYLINDER,
                                                [DRAW_CONE] = BODY_CONE,
                                                [DRAW_POLYHEDRON] = BODY_POINTS,
                                                [DRAW_TRIANGLE] = BODY_POINTS,
                                                [DRAW_SEGMENT] = BODY_POINTS,
                                                [DRAW_POINT] = BODY_POINTS,
                                                [DRAW_ROUNDED_BOX] = BODY_BOX,
                                                [DRAW_DROP] = BODY_DROP};
    const double *p = d->p;
    body *b = &d->oracle;
    memset(b, 0, sizeof *b);
    b->kind = kinds[d->kind];
    b->a = rv(p[0], p[1], p[2]);
    b->e1 = b->e2 = 1.0L;
    if (d->kind == DRAW_SPHERE) {
        b->a = rv(p[0], p[0], p[0]);
    } else if (d->kind == DRAW_SUPERELLIPSOID || d->kind == DRAW_SUPEROVOID) {
        b->e1 = fmax(p[3], OV_EXPONENT_MIN);
        b->e2 = fmax(p[4], OV_EXPONENT_MIN);
        b->tx = p[5];
        b->ty = p[6];
    } else if (d->kind == DRAW_HALFSPACE) {
        b->normal = rv_unit(b->a);
        b->offset = p[3];
    } else if (d->kind == DRAW_ROUNDED_BOX) {
        b->radius = p[3];
    } else if (b->kind != BODY_BOX) {
        b->radius = p[0];
        b->half = p[1];
    }
    b->count = d->vertex_count;
    for (size_t i = 0; i < d->vertex_count; i++) {
        b->points[i] = rv_from(d->vertices[i]);
    }
    if (b->kind == BODY_TAPERED && p[5] == 0.0 && p[6] == 0.0) {
        b->kind = BODY_SMOOTH;
    }
    body_finish(b, d->nodes);
}

ov_status drawn_make(drawn *d) {
    ov_status status = drawn_make_shape(d);
    if (status >= 0) {
        int mode = fegetround();
        fesetround(FE_TONEAREST);
        make_body(d);
        fesetround(mode);
    }
    return status;
}

/* ---- any shape ------------------------------------------------------------------------------- */

double draw_size(stream *r) {
    return draw_index(r, 8) == 0 ? draw_log(r, 1e-53, 1e53) : draw_log(r, 1e-2, 1e2);
}

static draw_kind draw_a_kind(stream *r, bool with_features) {
    unsigned k = draw_index(r, DRAW_KINDS + 4);
    draw_kind kind = k < DRAW_KINDS ? (draw_kind)k : (draw_kind)(k - DRAW_KINDS); // smooth twice
    return with_features && !draw_kind_has_features(kind) ? draw_a_kind(r, draw_index(r, 8) > 0)
                                                          : kind;
}

static bool is_expected_refusal(ov_status s) {
    return s == OV_ERROR_DENT || s == OV_ERROR_DEGENERATE || s == OV_ERROR_SIZE_RANGE;
}

void draw_shape(stream *r, hunt *h, bool may_be_plane, bool with_features, double size, drawn *d) {
    for (;;) {
        draw_kind kind = draw_a_kind(r, with_features);
        if (kind == DRAW_HALFSPACE && !may_be_plane) {
            continue;
        }
        draw_parameters(r, kind, size, draw_index(r, 3) == 0 ? TAME : WILD, d);
        ov_status status = drawn_make(d);
        if (status >= 0) {
            return;
        }
        figure_add(h, FIGURE_SHAPES_REFUSED, 1);
        if (!is_expected_refusal(status)) {
            FILE *f = finding_begin(h, FINDING_REFUSED, false, 0.0);
            if (f != NULL) {
                fprintf(f, "  constructor: %s\n", ov_status_message(status));
                drawn_print(f, "a", d);
                finding_end(f);
            }
        }
    }
}

rvec rv_from(ov_vec3 v) { return rv(v.x, v.y, v.z); }

placed placed_at(const drawn *d, ov_pose pose) {
    ov_quat q = pose.rotation;
    return (placed){&d->oracle, rm_quaternion(q.w, q.x, q.y, q.z), rv_from(pose.position)};
}

/* ---- as C text ------------------------------------------------------------------------------- */

bool draw_kind_has_features(draw_kind kind) {
    return kind == DRAW_BOX || kind == DRAW_CAPSULE || kind == DRAW_CYLINDER || kind == DRAW_CONE ||
           kind == DRAW_POLYHEDRON || kind == DRAW_TRIANGLE || kind == DRAW_SEGMENT ||
           kind == DRAW_ROUNDED_BOX;
}

const char *draw_kind_name(draw_kind kind) {
    static const char *const names[DRAW_KINDS] = {
        "sphere",   "ellipsoid", "superellipsoid", "superovoid",  "halfspace",
        "box",      "capsule",   "cylinder",       "cone",        "polyhedron",
        "triangle", "segment",   "point",          "rounded box", "drop"};
    return names[kind];
}

static void print_vertices(FILE *out, const char *name, const drawn *d) {
    fprintf(out, "  ov_vec3 %s_v[] = {", name);
    for (size_t i = 0; i < d->vertex_count; i++) {
        ov_vec3 v = d->vertices[i];
        fprintf(out, "%s{%.17g, %.17g, %.17g}", i ? ", " : "", v.x, v.y, v.z);
    }
    fprintf(out, "};\n");
}

void drawn_print(FILE *out, const char *name, const drawn *d) {
    const double *p = d->p;
    char axes[128];
    snprintf(axes, sizeof axes, "(ov_vec3){%.17g, %.17g, %.17g}", p[0], p[1], p[2]);
    if (d->vertex_count > 0) {
        print_vertices(out, name, d);
    }
    fprintf(out, "  ov_shape %s; ", name);
    switch (d->kind) {
    case DRAW_SPHERE:
        fprintf(out, "ov_shape_make_sphere(%.17g, &%s);\n", p[0], name);
        break;
    case DRAW_ELLIPSOID:
    case DRAW_BOX:
        fprintf(out, "ov_shape_make_%s(%s, &%s);\n", draw_kind_name(d->kind), axes, name);
        break;
    case DRAW_SUPERELLIPSOID:
        fprintf(out, "ov_shape_make_superellipsoid(%s, %.17g, %.17g, &%s);\n", axes, p[3], p[4],
                name);
        break;
    case DRAW_SUPEROVOID:
        fprintf(out,
                "ov_shape_make_superovoid(%s, %.17g, %.17g, %.17g, %.17g, "
                "&(ov_shape_options){%.17g}, &%s);\n",
                axes, p[3], p[4], p[5], p[6], d->options.dent_tolerance, name);
        break;
    case DRAW_HALFSPACE:
        fprintf(out, "ov_shape_make_halfspace(%s, %.17g, &%s);\n", axes, p[3], name);
        break;
    case DRAW_CAPSULE:
    case DRAW_CYLINDER:
    case DRAW_CONE:
        fprintf(out, "ov_shape_make_%s(%.17g, %.17g, &%s);\n", draw_kind_name(d->kind), p[0], p[1],
                name);
        break;
    case DRAW_POLYHEDRON:
        fprintf(out, "ov_shape_make_polyhedron(%s_v, %zu, %s, &%s);\n", name, d->vertex_count,
                d->with_triangles ? "cube_triangles, 12" : "NULL, 0", name);
        break;
    case DRAW_TRIANGLE:
        fprintf(out, "ov_shape_make_triangle(%s_v[0], %s_v[1], %s_v[2], &%s);\n", name, name, name,
                name);
        break;
    case DRAW_SEGMENT:
        fprintf(out, "ov_shape_make_segment(%s_v[0], %s_v[1], &%s);\n", name, name, name);
        break;
    case DRAW_POINT:
        fprintf(out, "ov_shape_make_point(%s_v[0], &%s);\n", name, name);
        break;
    default:
        fprintf(out, "/* custom: %s of %.17g, %.17g, %.17g, %.17g */\n", draw_kind_name(d->kind),
                p[0], p[1], p[2], p[3]);
    }
}

void pose_print(FILE *out, const char *name, ov_pose pose) {
    ov_vec3 t = pose.position;
    ov_quat q = pose.rotation;
    fprintf(out, "  ov_pose %s = {{%.17g, %.17g, %.17g}, {%.17g, %.17g, %.17g, %.17g}};\n", name,
            t.x, t.y, t.z, q.w, q.x, q.y, q.z);
}
