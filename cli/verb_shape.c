/**
 * @file verb_shape.c
 * @brief `ovoid shape`: all facts of one shape as a JSON object.
 *
 * Every key is always there, so that a reader needs no case distinction; a property that a kind
 * does not have is null.
 */
#include <math.h>
#include <string.h>

#include <ovoid/shape.h>

#include "json.h"
#include "kinds.h"
#include "options.h"

static const args_option options[] = {
    {"--at", 0, 3, "X Y Z", "also print gauge and F at a point, and whether it is inside", NULL},
    {"--support", 0, 3, "X Y Z", "also print support value and point in a direction", NULL},
    SHARED_CONVENTION,
    SHARED_DENT_TOLERANCE,
    SHARED_OUTPUT,
};
enum { OPTION_AT, OPTION_SUPPORT, OPTION_COUNT = sizeof options / sizeof options[0] };

/* ---- the facts ------------------------------------------------------------------------------ */

static void write_parameters(json *j, const shape_args *s) {
    json_open_object(j, "parameters");
    if (s->hull != NULL) {
        json_count(j, "vertices", s->shape.u.polyhedron.vertex_count);
        json_count(j, "triangles", s->shape.u.polyhedron.triangle_count);
    } else {
        const char *const *names;
        double values[OVI_NUMBERS_MAX];
        size_t count = shape_args_parameters(s, &names, values);
        for (size_t i = 0; i < count; i++) {
            json_number(j, names[i], values[i]);
        }
    }
    json_close_object(j);
}

static void write_aabb(json *j, const ov_shape *shape) {
    ov_aabb box;
    if (ov_shape_aabb(shape, ov_pose_identity(), &box) < 0) {
        json_null(j, "aabb");
        return;
    }
    json_open_object(j, "aabb");
    json_vec3(j, "min", box.min);
    json_vec3(j, "max", box.max);
    json_close_object(j);
}

static void write_obb(json *j, const ov_shape *shape) {
    ov_obb box;
    if (ov_shape_obb(shape, &box) < 0) {
        json_null(j, "obb");
        return;
    }
    ov_quat q = box.pose.rotation;
    double rotation[4] = {q.w, q.x, q.y, q.z};
    json_open_object(j, "obb");
    json_vec3(j, "centre", box.pose.position);
    json_numbers(j, "rotation", rotation, 4);
    json_vec3(j, "half", box.half);
    json_close_object(j);
}

static void write_ball(json *j, const char *key, ov_status status, const ov_ball *ball) {
    if (status < 0) {
        json_null(j, key);
        return;
    }
    json_open_object(j, key);
    json_vec3(j, "centre", ball->centre);
    json_number(j, "radius", ball->radius);
    json_close_object(j);
}

static void write_mass(json *j, const ov_shape *shape) {
    ov_mass m;
    if (ov_shape_mass(shape, 1.0, &m) < 0) {
        json_null(j, "volume");
        json_null(j, "centroid");
        json_null(j, "inertia");
        return;
    }
    json_number(j, "volume", m.volume);
    json_vec3(j, "centroid", m.centroid);
    json_open_list(j, "inertia");
    json_vec3(j, NULL, m.inertia.cx);
    json_vec3(j, NULL, m.inertia.cy);
    json_vec3(j, NULL, m.inertia.cz);
    json_close_list(j);
}

static void write_curvature(json *j, const ov_shape *shape) {
    double k_min, k_max;
    if (ov_shape_curvature_range(shape, &k_min, &k_max) < 0) {
        json_null(j, "curvature");
        return;
    }
    json_open_object(j, "curvature");
    json_number(j, "min", k_min);
    json_number(j, "max", k_max);
    json_close_object(j);
}

/** The exponents in each convention, under its own names and in its own order. */
static void write_exponents(json *j, bool has_them, double e1, double e2) {
    static const struct {
        const char *name, *first, *second;
        ov_convention convention;
    } conventions[] = {{"ovoid", "e1", "e2", OV_CONVENTION_OVOID},
                       {"barr", "e1", "e2", OV_CONVENTION_BARR},
                       {"blocky", "n1", "n2", OV_CONVENTION_BLOCKY}};
    if (!has_them) {
        json_null(j, "exponents");
        return;
    }
    json_open_object(j, "exponents");
    for (size_t i = 0; i < sizeof conventions / sizeof conventions[0]; i++) {
        double first, second;
        ov_exponents e = {e1, e2};
        if (ov_exponents_export(e, conventions[i].convention, &first, &second) < 0) {
            json_null(j, conventions[i].name);
            continue;
        }
        json_open_object(j, conventions[i].name);
        json_number(j, conventions[i].first, first);
        json_number(j, conventions[i].second, second);
        json_close_object(j);
    }
    json_close_object(j);
}

static void write_facts(json *j, const shape_args *s) {
    const ov_shape *shape = &s->shape;
    bool family = shape->kind >= OV_SHAPE_KIND_SPHERE && shape->kind <= OV_SHAPE_KIND_SUPEROVOID;
    bool model = shape->kind >= OV_SHAPE_KIND_SUPERHYPERBOLOID_1;
    json_bool(j, "convex", ov_shape_is_convex(shape->kind));
    if (family) {
        json_number(j, "dent", shape->dent);
    } else {
        json_null(j, "dent");
    }
    write_aabb(j, shape);
    write_obb(j, shape);
    ov_ball ball;
    ov_status status = ov_shape_bounding_ball(shape, &ball);
    write_ball(j, "bounding_ball", status, &ball);
    status = ov_shape_inscribed_ball(shape, &ball);
    write_ball(j, "inscribed_ball", status, &ball);
    write_mass(j, shape);
    write_curvature(j, shape);
    write_exponents(j, family || model, shape->e1, shape->e2);
}

/* ---- at a point, in a direction ------------------------------------------------------------- */

static void write_field(json *j, const char *key, const char *gradient_key, ov_status status,
                        const ov_field *field) {
    if (status < 0) {
        json_null(j, key);
        json_null(j, gradient_key);
        return;
    }
    json_number(j, key, field->value);
    json_vec3(j, gradient_key, field->gradient);
}

static void write_at(json *j, const ov_shape *shape, ov_vec3 point) {
    ov_field field;
    bool inside;
    json_open_object(j, "at");
    json_vec3(j, "point", point);
    ov_status status = ov_shape_contains(shape, point, &inside);
    if (status < 0) {
        json_null(j, "contains");
    } else {
        json_bool(j, "contains", inside);
    }
    status = ov_shape_gauge(shape, point, &field);
    write_field(j, "gauge", "gauge_gradient", status, &field);
    status = ov_shape_implicit(shape, point, &field);
    write_field(j, "implicit", "implicit_gradient", status, &field);
    json_close_object(j);
}

/** In a direction without end the value is infinite and there is no point. */
static void write_support(json *j, ov_vec3 direction, ov_status status, const ov_support *support) {
    json_open_object(j, "support");
    json_vec3(j, "direction", direction);
    json_number(j, "value", status < 0 ? (double)INFINITY : support->value);
    if (status < 0) {
        json_null(j, "point");
    } else {
        json_vec3(j, "point", support->point);
    }
    json_close_object(j);
}

/* ---- the curve in the plane ----------------------------------------------------------------- */

static void write_superellipse(json *j, const ov_superellipse *curve) {
    double area;
    ov_vec2 moment;
    json_bool(j, "convex", true);
    double low[2] = {-curve->a1, -curve->a2}, high[2] = {curve->a1, curve->a2};
    json_open_object(j, "aabb");
    json_numbers(j, "min", low, 2);
    json_numbers(j, "max", high, 2);
    json_close_object(j);
    if (ov_superellipse_area(curve, &area, &moment) < 0) {
        json_null(j, "area");
        json_null(j, "second_moment");
    } else {
        double moments[2] = {moment.x, moment.y};
        json_number(j, "area", area);
        json_numbers(j, "second_moment", moments, 2);
    }
    double first, second;
    ov_exponents e = {curve->e, curve->e};
    json_open_object(j, "exponents");
    json_number(j, "ovoid", curve->e);
    if (ov_exponents_export(e, OV_CONVENTION_BLOCKY, &first, &second) < 0) {
        json_null(j, "blocky");
    } else {
        json_number(j, "blocky", first);
    }
    json_close_object(j);
}

static void write_at_plane(json *j, const ov_superellipse *curve, const double *at) {
    double gauge;
    ov_vec2 point = {at[0], at[1]}, gradient;
    json_open_object(j, "at");
    json_numbers(j, "point", at, 2);
    if (ov_superellipse_gauge(curve, point, &gauge, &gradient, NULL) < 0) {
        json_null(j, "contains");
        json_null(j, "gauge");
        json_null(j, "gauge_gradient");
    } else {
        double gradients[2] = {gradient.x, gradient.y};
        json_bool(j, "contains", gauge <= 1.0);
        json_number(j, "gauge", gauge);
        json_numbers(j, "gauge_gradient", gradients, 2);
    }
    json_close_object(j);
}

static int print_plane(cli *c, const args *a, FILE *out, const shape_args *s, const double *at,
                       const double *direction) {
    double value = 0.0;
    ov_vec2 point = {0.0, 0.0};
    if (direction != NULL) {
        ov_vec2 d = {direction[0], direction[1]};
        ov_status status = ov_superellipse_support(&s->curve, d, &value, &point);
        if (status < 0) {
            return cli_error(c, a->verb, "--support: %s", ov_status_message(status));
        }
    }
    json j = json_make(out);
    json_open_document(&j);
    json_string(&j, "kind", shape_args_kind_name(s));
    write_parameters(&j, s);
    write_superellipse(&j, &s->curve);
    if (at != NULL) {
        write_at_plane(&j, &s->curve, at);
    }
    if (direction != NULL) {
        double reached[2] = {point.x, point.y};
        json_open_object(&j, "support");
        json_numbers(&j, "direction", direction, 2);
        json_number(&j, "value", value);
        json_numbers(&j, "point", reached, 2);
        json_close_object(&j);
    }
    json_close_object(&j);
    return CLI_OK;
}

/* ---- the verb ------------------------------------------------------------------------------- */

/** The values of --at or --support: finite, and a direction not zero. */
static int read_vector(cli *c, const args *a, size_t option, double *v) {
    const char *name = options[option].name;
    int status = args_numbers(c, a, name, v);
    bool zero = true;
    for (int i = 0; i < a->options[option].values && status == CLI_OK; i++) {
        if (!isfinite(v[i])) {
            return cli_error(c, a->verb, "%s = %s: must be finite", name, args_texts(a, name)[i]);
        }
        zero = zero && v[i] == 0.0;
    }
    return status == CLI_OK && zero && option == OPTION_SUPPORT
               ? cli_error(c, a->verb, "%s: the direction has no length", name)
               : status;
}

static int print_body(cli *c, const args *a, FILE *out, const shape_args *s, const double *at,
                      const double *direction) {
    ov_support support = {0.0, {0.0, 0.0, 0.0}};
    ov_status status = OV_OK;
    ov_vec3 d = ov_vec3_make(0.0, 0.0, 0.0);
    // before the first byte is written: what cannot be answered is an error, not half an object
    if (direction != NULL) {
        d = ov_vec3_make(direction[0], direction[1], direction[2]);
        status = ov_shape_support(&s->shape, d, &support);
        if (status < 0 && status != OV_ERROR_UNBOUNDED) {
            return cli_error(c, a->verb, "--support: %s: %s", shape_args_kind_name(s),
                             ov_status_message(status));
        }
    }
    json j = json_make(out);
    json_open_document(&j);
    json_string(&j, "kind", shape_args_kind_name(s));
    write_parameters(&j, s);
    write_facts(&j, s);
    if (at != NULL) {
        write_at(&j, &s->shape, ov_vec3_make(at[0], at[1], at[2]));
    }
    if (direction != NULL) {
        write_support(&j, d, status, &support);
    }
    json_close_object(&j);
    return CLI_OK;
}

/** Writes the facts where -o says. */
static int print_shape(cli *c, const args *a, const shape_args *s, const double *at,
                       const double *direction) {
    report r;
    int status = report_read(c, a, &r);
    if (status == CLI_OK) {
        status = report_open(c, &r);
    }
    if (status == CLI_OK) {
        status = (s->in_plane ? print_plane : print_body)(c, a, r.out.stream, s, at, direction);
    }
    return report_close(c, &r, status);
}

static int run(cli *c, int argc, char **argv) {
    // a curve in the plane has points and directions of two numbers
    args_option own[OPTION_COUNT];
    memcpy(own, options, sizeof own);
    if (shape_args_wants_plane(argc, argv)) {
        own[OPTION_AT].values = own[OPTION_SUPPORT].values = 2;
        own[OPTION_AT].takes = own[OPTION_SUPPORT].takes = "X Y";
    }
    args a;
    double at[ARGS_MAX_VALUES], direction[ARGS_MAX_VALUES];
    int status = args_parse(c, cli_verb_shape.name, own, OPTION_COUNT, argc, argv, &a);
    bool has_at = args_given(&a, "--at"), has_direction = args_given(&a, "--support");
    if (status == CLI_OK && has_at) {
        status = read_vector(c, &a, OPTION_AT, at);
    }
    if (status == CLI_OK && has_direction) {
        status = read_vector(c, &a, OPTION_SUPPORT, direction);
    }
    shape_args s;
    if (status != CLI_OK || (status = shape_args_make(c, &a, &s)) != CLI_OK) {
        return status;
    }
    status = print_shape(c, &a, &s, has_at ? at : NULL, has_direction ? direction : NULL);
    shape_args_free(&s);
    return status;
}

const cli_verb cli_verb_shape = {
    .name = "shape",
    .summary = "all facts of a shape, as JSON",
    .usage = "KIND PARAMETERS... [options]",
    .details =
        "Prints one JSON object: the simplest kind that fits (a superovoid without taper is a\n"
        "superellipsoid, and so on) with its parameters, dent, boxes and balls, volume, centroid\n"
        "and inertia at density 1, principal curvatures, and the exponents in other conventions.\n"
        "Properties that a kind does not have are null, unbounded ones \"infinite\". For a\n"
        "superellipse --at and --support take two numbers. For the kinds see 'ovoid help kinds'.\n",
    .examples = "  ovoid shape superovoid 1 1 1.5 0.8 0.8 -0.2 -0.2\n"
                "  ovoid shape superellipsoid a1=1 a2=1 a3=2 n1=4 n2=8 --convention blocky\n"
                "  ovoid shape box 1 2 3 --at 0.5 0 0 --support 1 1 1\n"
                "  printf '0 0 0\\n1 0 0\\n0 1 0\\n0 0 1\\n' | ovoid shape polyhedron -\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .takes_shape = true,
    .run = run,
};
