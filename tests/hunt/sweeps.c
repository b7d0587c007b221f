/*
 * Hunt for false answers of sweeps: pairs of moving shapes, bodies of parts and of polygons, and an
 * arm with obstacles along a trajectory. Definitions are filled half by the defaults functions and
 * half by designated initialisers with zeros elsewhere, as people write C.
 *
 * The oracle knows the motions in long double from their definitions, and the gap at a time by its
 * own bounds. It looks for the least gap over the time by samples and descents from the lowest of
 * them; often the clearance is then set next to that gap. What a finding is proven by:
 *   FREE, early     a time at which two points of the bodies are nearer than the clearance, while
 *                   the sweep says that this time is free
 *   no contact      directions that keep all pairs apart at the time of the contact
 *   promise         the least gap by 2,000 samples and descents is more than the clearance and
 * twice epsilon, but the sweep is not free: by sampling, not proven
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "motions.h"

enum {
    OWNERS = 8,
    ELEMENTS = 40,
    PAIRS = 256,
    SHAPES = 12,
    FACES = 12,
    SAMPLES = 40,
    INTERVALS = 64,
    LINKS = 4,
    ROWS = 4,
    ASKS =
        4 /**< sweeps of one motion, each with options of its own: its least gap is the dear part */
};

/** A convex part of something that moves. */
typedef struct element {
    const body *body;
    frame local;
    uint32_t owner;
} element;

typedef struct element_pair {
    size_t a, b;
    rvec normal;      /**< where the last search ended */
    gap_bounds found; /**< at the last time */
} element_pair;

typedef enum scene_kind { SCENE_PAIR, SCENE_BODIES, SCENE_POLYGONS, SCENE_MODEL } scene_kind;

typedef struct scene {
    scene_kind kind;
    size_t owner_count, element_count, pair_count, shape_count, face_count;
    frame now[OWNERS];
    element elements[ELEMENTS];
    element_pair pairs[PAIRS];
    drawn shapes[SHAPES];
    body faces[FACES];
    motion_case motions[OWNERS];
    ov_pose poses[OWNERS];
    real scale; /**< of all coordinates, for rounding */
    /* what the library is given */
    ov_geometry *geometries[OWNERS];
    ov_polygons *polygons[OWNERS];
    ov_sweep_body bodies[OWNERS];
    ov_sweep_options options;
    /** Zeros where nothing is said: in the bodies, in the options, in quaternions. */
    bool bare_bodies, bare_options, bare_turns;
    /* an arm */
    ov_model *model;
    ov_trajectory *trajectory;
    ov_joint_def joints[LINKS];
    double times[ROWS], positions[LINKS][ROWS];
    real slopes[LINKS][ROWS];
    bool cubic;
} scene;

typedef struct sweep_answer {
    ov_status status;
    ov_sweep_answer answer;
    double lower, upper;
    size_t count, kept;
    ov_sweep_interval intervals[INTERVALS];
} sweep_answer;

/* ---- where things are ------------------------------------------------------------------------ */

/** pose(child) = pose(parent) origin motion(position) */
static void place_arm(scene *s, real time) {
    s->now[0] = frame_of(s->poses[0]);
    for (size_t i = 1; i < LINKS; i++) {
        const ov_joint_def *j = &s->joints[i - 1];
        real q = spline_at(s->times, s->positions[i - 1], s->cubic ? s->slopes[i - 1] : NULL, ROWS,
                           time);
        rvec axis = rv_unit(rv_from(j->axis));
        frame move = {rm_axis_angle(axis, 0.0L), rv_scale(axis, q)};
        if (j->kind != OV_JOINT_KIND_PRISMATIC) {
            move = (frame){rm_axis_angle(axis, q), {0.0L, 0.0L, 0.0L}};
        }
        s->now[i] = frame_after(frame_after(s->now[j->parent], frame_of(j->origin)), move);
    }
}

static void scene_move(scene *s, real time) {
    size_t first = 0;
    if (s->kind == SCENE_MODEL) {
        place_arm(s, time);
        first = LINKS;
    }
    for (size_t i = first; i < s->owner_count; i++) {
        s->now[i] = frame_after(motion_case_at(&s->motions[i], time), frame_of(s->poses[i]));
    }
}

static placed element_now(const scene *s, size_t i) {
    const element *e = &s->elements[i];
    frame f = frame_after(s->now[e->owner], e->local);
    return (placed){e->body, f.linear, f.origin};
}

static bool is_plane(const placed *p) { return p->body->kind == BODY_HALFSPACE; }

/** Bounds of one pair at the time of the last move; coarse where it is further than `far`. */
static gap_bounds pair_now(scene *s, element_pair *p, real far) {
    placed a = element_now(s, p->a), b = element_now(s, p->b);
    if (is_plane(&a) || is_plane(&b)) {
        return p->found = pair_halfspace(&a, &b);
    }
    real apart = rv_length(rv_sub(b.position, a.position)) - a.body->reach - b.body->reach;
    if (s->kind != SCENE_POLYGONS && apart > far) {
        return p->found = (gap_bounds){apart, INFINITY, p->normal, false};
    }
    p->found = pair_gap(&a, &b, p->normal, INFINITY);
    p->normal = p->found.normal;
    return p->found;
}

/** Upper bound of the least gap of all pairs at a time; `*lower` a lower one. */
static real scene_gap(scene *s, real time, real *lower) {
    real upper = INFINITY, least = INFINITY;
    scene_move(s, time);
    for (size_t i = 0; i < s->pair_count; i++) {
        gap_bounds g = pair_now(s, &s->pairs[i], upper);
        upper = fminl(upper, g.upper);
        least = fminl(least, g.lower);
    }
    if (lower != NULL) {
        *lower = least;
    }
    return upper;
}

typedef struct minimum {
    real time, gap;
} minimum;

static real gap_at(scene *s, real time, minimum *best) {
    real gap = scene_gap(s, time, NULL);
    if (gap < best->gap) {
        *best = (minimum){time, gap};
    }
    return gap;
}

/** Brent's minimisation: parabolas through the three lowest times, golden sections where they fail
 *  (the gap has kinks); ends where the bodies meet. */
static void descend(scene *s, real lo, real hi, minimum *best) {
    const real golden = 0.3819660112501051518L;
    real x = lo + golden * (hi - lo), w = x, v = x, d = 0.0L, e = 0.0L;
    real fx = gap_at(s, x, best), fw = fx, fv = fx;
    for (int i = 0; i < 45 && best->gap > 0.0L; i++) {
        real mid = 0.5L * (lo + hi), tol = 1e-10L;
        if (fabsl(x - mid) <= 2.0L * tol - 0.5L * (hi - lo)) {
            break;
        }
        real r = (x - w) * (fx - fv), q = (x - v) * (fx - fw), p = (x - v) * q - (x - w) * r;
        q = 2.0L * (q - r);
        p = q > 0.0L ? -p : p;
        q = fabsl(q);
        real before = e;
        e = d;
        if (fabsl(p) < fabsl(0.5L * q * before) && p > q * (lo - x) && p < q * (hi - x)) {
            d = p / q;
        } else {
            e = x < mid ? hi - x : lo - x;
            d = golden * e;
        }
        real u = x + (fabsl(d) >= tol ? d : copysignl(tol, d)), fu = gap_at(s, u, best);
        if (fu <= fx) {
            *(u >= x ? &lo : &hi) = x;
            v = w, fv = fw, w = x, fw = fx, x = u, fx = fu;
        } else {
            *(u < x ? &lo : &hi) = u;
            if (fu <= fw || w == x) {
                v = w, fv = fw, w = u, fw = fu;
            } else if (fu <= fv || v == x || v == w) {
                v = u, fv = fu;
            }
        }
    }
}

/** Least gap between two times, the end not included: samples, then descents about the lowest. */
static minimum find_minimum(scene *s, real from, real to, size_t samples, size_t descents) {
    minimum best = {from, INFINITY};
    real *gaps = malloc((samples + 1) * sizeof *gaps);
    if (gaps == NULL) {
        abort();
    }
    for (size_t i = 0; i <= samples; i++) {
        real u = fminl((real)i / (real)samples, 1.0L - 1e-12L), t = from + (to - from) * u;
        gaps[i] = scene_gap(s, t, NULL);
        if (gaps[i] < best.gap) {
            best = (minimum){t, gaps[i]};
        }
    }
    for (size_t d = 0; d < descents && best.gap > 0.0L; d++) {
        size_t at = samples + 1;
        for (size_t i = 0; i <= samples; i++) {
            bool low = (i == 0 || gaps[i] <= gaps[i - 1]) &&
                       (i == samples || gaps[i] <= gaps[i + 1]) && isfinite(gaps[i]);
            at = low && (at > samples || gaps[i] < gaps[at]) ? i : at;
        }
        if (at > samples) {
            break;
        }
        size_t before = at > 0 ? at - 1 : 0, after = at < samples ? at + 1 : samples;
        descend(s, from + (to - from) * (real)before / (real)samples,
                from + (to - from) * fminl((real)after / (real)samples, 1.0L - 1e-12L), &best);
        gaps[at] = INFINITY;
    }
    free(gaps);
    return best;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static drawn *draw_sweep_shape(stream *r, scene *s, bool may_be_plane, double size) {
    drawn *d = &s->shapes[s->shape_count++];
    for (;;) {
        draw_kind kind = (draw_kind)draw_index(r, DRAW_KINDS);
        // the oracle is slow with tapered bodies
        bool skip = (kind == DRAW_SUPEROVOID && draw_index(r, 4)) ||
                    (kind == DRAW_HALFSPACE && (!may_be_plane || draw_index(r, 2)));
        if (skip) {
            continue;
        }
        draw_parameters(r, kind, size, draw_index(r, 4) ? TAME : WILD, d);
        if (drawn_make(d) >= 0) {
            return d;
        }
    }
}

static ov_pose draw_pose(stream *r, double reach) {
    ov_pose pose = {ov_vec3_scale(draw_unit(r), draw_between(r, 0.0, reach)), draw_rotation(r)};
    return pose;
}

static void add_element(scene *s, const body *b, ov_pose local, size_t owner) {
    s->elements[s->element_count++] = (element){b, frame_of(local), (uint32_t)owner};
}

static void add_pairs(scene *s, size_t owner_a, size_t owner_b) {
    for (size_t i = 0; i < s->element_count; i++) {
        for (size_t k = 0; k < s->element_count; k++) {
            bool planes = s->elements[i].body->kind == BODY_HALFSPACE &&
                          s->elements[k].body->kind == BODY_HALFSPACE;
            if (s->elements[i].owner == owner_a && s->elements[k].owner == owner_b && !planes &&
                s->pair_count < PAIRS) {
                s->pairs[s->pair_count++] = (element_pair){.a = i, .b = k};
            }
        }
    }
}

static bool draw_motion(stream *r, hunt *h, motion_case_kind kind, double size, motion_case *m) {
    ov_status status;
    if (draw_motion_case(r, kind, size, m, &status)) {
        return true;
    }
    FILE *f = finding_begin(h, FINDING_REFUSED, false, 0.0);
    if (f != NULL) {
        fprintf(f, "  motion: %s\n", ov_status_message(status));
        motion_case_print(f, "it", m);
        finding_end(f);
    }
    return false;
}

static motion_case_kind draw_rigid(stream *r) {
    return (motion_case_kind)(MOTION_CASE_SCREW + draw_index(r, 4));
}

static void draw_sweep_options(stream *r, scene *s) {
    ov_sweep_options o = ov_default_sweep_options();
    s->bare_options = draw_index(r, 3) == 0;
    if (s->bare_options) {
        o = (ov_sweep_options){.clearance = 0.0};
    }
    o.epsilon = draw_index(r, 2) ? 0.0 : draw_log(r, 1e-5, 1e-2);
    o.first_only = draw_index(r, 2);
    o.every_pair = draw_index(r, 2);
    o.clearance = draw_index(r, 2) ? 0.0 : draw_log(r, 1e-4, 0.3);
    if (!s->bare_options) {
        o.resolution = draw_log(r, 1e-9, 1e-3);
        o.mass = (ov_mass_use)draw_index(r, 2);
        o.threads.count = 1 + draw_index(r, 2);
    }
    s->options = o;
}

static bool draw_pair_scene(stream *r, hunt *h, scene *s) {
    s->owner_count = 2;
    drawn *a = draw_sweep_shape(r, s, false, 1.0), *b = draw_sweep_shape(r, s, true, 1.0);
    bool rests = b->kind == DRAW_HALFSPACE || draw_index(r, 2);
    bool good = draw_motion(r, h, draw_rigid(r), 3.0, &s->motions[0]) &&
                draw_motion(r, h, rests ? MOTION_CASE_REST : draw_rigid(r), 3.0, &s->motions[1]);
    s->poses[0] = draw_pose(r, draw_index(r, 2) ? 0.0 : 1.0);
    s->poses[1] = draw_pose(r, rests ? 3.0 : 0.5);
    if (s->bare_turns) {
        s->poses[0] = (ov_pose){.position = s->poses[0].position}; // no quaternion: none is meant
    }
    static const ov_pose none = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    add_element(s, &a->oracle, none, 0);
    add_element(s, &b->oracle, none, 1);
    add_pairs(s, 0, 1);
    return good;
}

static bool make_geometry(stream *r, hunt *h, scene *s, size_t owner, bool may_be_plane,
                          size_t most, double size, ov_part parts[3], size_t *part_count) {
    *part_count = 1 + draw_index(r, (unsigned)most);
    for (size_t i = 0; i < *part_count; i++) {
        drawn *d = draw_sweep_shape(r, s, may_be_plane && i == 0, size);
        parts[i] = (ov_part){.shape = d->shape, .pose = draw_pose(r, size)};
        if (s->bare_turns && draw_index(r, 2)) {
            parts[i] = (ov_part){.shape = d->shape, .pose = {.position = parts[i].pose.position}};
        }
        add_element(s, &d->oracle, parts[i].pose, owner);
    }
    ov_status status = ov_geometry_create(parts, *part_count, NULL, &s->geometries[owner]);
    if (status < 0) {
        FILE *f = finding_begin(h, FINDING_REFUSED, false, 0.0);
        if (f != NULL) {
            fprintf(f, "  geometry: %s%s\n", ov_status_message(status),
                    s->bare_turns ? ", perhaps with a quaternion of zeros" : "");
            finding_end(f);
        }
    }
    return status >= 0;
}

/** Some convex polygons: corners of ellipses in any planes. */
static bool make_polygons(stream *r, hunt *h, scene *s, size_t owner) {
    ov_vec3 v[FACES * 8];
    uint32_t corners[FACES * 8], sizes[FACES], count = 1 + draw_index(r, 4), total = 0;
    for (uint32_t i = 0; i < count; i++) {
        ov_quat q = draw_rotation(r);
        rmat turn = rm_quaternion(q.w, q.x, q.y, q.z);
        ov_vec3 centre = ov_vec3_scale(draw_unit(r), draw_between(r, 0.0, 0.6));
        double width = draw_log(r, 0.05, 1.0);
        body *b = &s->faces[s->face_count++];
        memset(b, 0, sizeof *b);
        b->kind = BODY_POINTS;
        b->count = sizes[i] = 3 + draw_index(r, 4);
        for (uint32_t k = 0; k < sizes[i]; k++, total++) {
            double angle = 6.283185307179586 * (k + draw_between(r, 0.0, 0.6)) / sizes[i];
            rvec p = rm_apply(&turn, rv(0.7 * cos(angle), 0.7 * width * sin(angle), 0.0L));
            v[total] =
                (ov_vec3){centre.x + (double)p.x, centre.y + (double)p.y, centre.z + (double)p.z};
            corners[total] = total;
            b->points[k] = rv_from(v[total]);
        }
        body_finish(b, NULL);
        add_element(s, b, (ov_pose){.rotation = {1.0, 0.0, 0.0, 0.0}}, owner);
    }
    ov_status status =
        ov_polygons_create(v, total, corners, sizes, count, NULL, &s->polygons[owner], NULL);
    if (status < 0) {
        FILE *f = finding_begin(h, FINDING_REFUSED, false, 0.0);
        if (f != NULL) {
            fprintf(f, "  polygons: %s\n", ov_status_message(status));
            finding_end(f);
        }
    }
    return status >= 0;
}

static void make_body(stream *r, scene *s, size_t i) {
    ov_sweep_body b = ov_default_sweep_body();
    if (s->bare_bodies) {
        b = (ov_sweep_body){.group = 0};
    }
    if (s->bare_turns && draw_index(r, 2)) {
        s->poses[i] = (ov_pose){.position = s->poses[i].position};
    }
    b.pose = s->poses[i];
    b.geometry = s->geometries[i];
    b.polygons = s->polygons[i];
    b.motion = s->motions[i].motion;
    s->bodies[i] = b;
}

static bool draw_bodies_scene(stream *r, hunt *h, scene *s) {
    bool flat = s->kind == SCENE_POLYGONS, plane = false;
    s->owner_count = flat ? 2 : 2 + draw_index(r, 2);
    for (size_t i = 0; i < s->owner_count; i++) {
        bool rests = i > 0 && draw_index(r, 2);
        bool affine = flat && draw_index(r, 3) == 0;
        motion_case_kind kind = rests    ? MOTION_CASE_REST
                                : affine ? MOTION_CASE_AFFINE
                                         : draw_rigid(r);
        if (!draw_motion(r, h, kind, flat ? 2.0 : 3.0, &s->motions[i])) {
            return false;
        }
        s->poses[i] = draw_pose(r, rests ? 3.0 : 0.5);
        ov_part parts[3];
        size_t count;
        bool may = rests && !plane && !flat;
        if (!(flat ? make_polygons(r, h, s, i)
                   : make_geometry(r, h, s, i, may, 2, 0.8, parts, &count))) {
            return false;
        }
        plane =
            plane || s->shapes[s->shape_count > 0 ? s->shape_count - 1 : 0].kind == DRAW_HALFSPACE;
        make_body(r, s, i);
        for (size_t k = 0; k < i; k++) {
            if (s->motions[i].kind != MOTION_CASE_REST || s->motions[k].kind != MOTION_CASE_REST) {
                add_pairs(s, k, i);
            }
        }
    }
    return true;
}

/** A chain of links with revolute, continuous and prismatic joints. */
static bool make_model(stream *r, hunt *h, scene *s) {
    static const char *const names[LINKS] = {"l0", "l1", "l2", "l3"};
    ov_part parts[LINKS][3];
    ov_link_def links[LINKS];
    for (size_t i = 0; i < LINKS; i++) {
        size_t count;
        if (!make_geometry(r, h, s, i, false, 2, 0.4, parts[i], &count)) {
            return false;
        }
        links[i] = (ov_link_def){.name = names[i], .parts = parts[i], .part_count = count};
        if (i == 0) {
            continue;
        }
        ov_joint_def j = ov_default_joint_def();
        j.name = names[i];
        j.kind = (ov_joint_kind)(OV_JOINT_KIND_REVOLUTE + draw_index(r, 3));
        j.parent = (uint32_t)(i - 1);
        j.child = (uint32_t)i;
        j.origin = draw_pose(r, 1.5);
        j.axis = ov_vec3_scale(draw_unit(r), draw_log(r, 0.3, 3.0));
        s->joints[i - 1] = j;
    }
    ov_status status = ov_model_create(links, LINKS, s->joints, LINKS - 1, NULL, &s->model, NULL);
    double rows[ROWS][LINKS - 1];
    s->cubic = draw_index(r, 2);
    for (size_t k = 0; k < ROWS; k++) {
        s->times[k] = (double)k / (ROWS - 1);
        for (size_t i = 0; i + 1 < LINKS; i++) {
            s->positions[i][k] = rows[k][i] = draw_between(r, -1.5, 1.5);
        }
    }
    for (size_t i = 0; i + 1 < LINKS; i++) {
        spline_slopes(s->times, s->positions[i], ROWS, s->slopes[i]);
    }
    if (status >= 0) {
        status = ov_trajectory_create(s->model, s->times, rows[0], NULL, ROWS,
                                      s->cubic ? OV_SPLINE_CUBIC : OV_SPLINE_LINEAR, NULL,
                                      &s->trajectory, NULL);
    }
    FILE *f = status < 0 ? finding_begin(h, FINDING_REFUSED, false, 0.0) : NULL;
    if (f != NULL) {
        fprintf(f, "  model or trajectory: %s\n", ov_status_message(status));
        finding_end(f);
    }
    return status >= 0;
}

static bool draw_model_scene(stream *r, hunt *h, scene *s) {
    s->poses[0] = draw_pose(r, 1.0);
    if (!make_model(r, h, s)) {
        return false;
    }
    s->owner_count = LINKS + 1 + draw_index(r, 2);
    // links that a joint joins may overlap
    add_pairs(s, 0, 2);
    add_pairs(s, 0, 3);
    add_pairs(s, 1, 3);
    for (size_t i = LINKS; i < s->owner_count; i++) {
        ov_part parts[3];
        size_t count;
        bool moves = draw_index(r, 2);
        if (!draw_motion(r, h, moves ? draw_rigid(r) : MOTION_CASE_REST, 3.0, &s->motions[i]) ||
            !make_geometry(r, h, s, i, false, 1, 0.5, parts, &count)) {
            return false;
        }
        s->poses[i] = draw_pose(r, 3.0);
        make_body(r, s, i);
        for (size_t k = 0; k < LINKS; k++) {
            add_pairs(s, k, i);
        }
    }
    return true;
}

static bool draw_scene(stream *r, hunt *h, scene *s) {
    memset(s, 0, sizeof *s);
    unsigned k = draw_index(r, 8);
    s->kind = k < 4 ? SCENE_PAIR : k < 6 ? SCENE_BODIES : k < 7 ? SCENE_POLYGONS : SCENE_MODEL;
    s->scale = 16.0L;
    s->bare_bodies = draw_index(r, 2);
    s->bare_turns = draw_index(r, 4) == 0;
    return s->kind == SCENE_PAIR    ? draw_pair_scene(r, h, s)
           : s->kind == SCENE_MODEL ? draw_model_scene(r, h, s)
                                    : draw_bodies_scene(r, h, s);
}

static void scene_end(scene *s) {
    ov_trajectory_destroy(s->trajectory);
    ov_model_destroy(s->model);
    for (size_t i = 0; i < OWNERS; i++) {
        ov_geometry_destroy(s->geometries[i]);
        ov_polygons_destroy(s->polygons[i]);
        motion_case_end(&s->motions[i]);
    }
}

/* ---- asking ---------------------------------------------------------------------------------- */

static void ask_sweep(scene *s, sweep_answer *out) {
    *out = (sweep_answer){.status = OV_OK};
    if (s->kind == SCENE_PAIR) {
        ov_sweep_pair pair = {.a = &s->shapes[0].shape,
                              .b = &s->shapes[1].shape,
                              .motion_a = s->motions[0].motion,
                              .motion_b = s->motions[1].motion,
                              .pose_a = s->poses[0],
                              .pose_b = s->poses[1]};
        ov_first_contact first;
        out->status = ov_sweep_pair_first(&pair, 0.0, 1.0, &s->options, &first);
        out->answer = first.answer;
        out->lower = first.lower;
        out->upper = first.upper;
        return;
    }
    ov_sweep *sweep = NULL;
    if (s->kind == SCENE_MODEL) {
        out->status = ov_sweep_model(s->model, s->poses[0], s->trajectory, s->bodies + LINKS,
                                     s->owner_count - LINKS, 0.0, 1.0, &s->options, &sweep, NULL);
    } else {
        out->status =
            ov_sweep_bodies(s->bodies, s->owner_count, 0.0, 1.0, &s->options, &sweep, NULL);
    }
    if (out->status >= 0) {
        ov_sweep_summary sum = ov_sweep_summary_of(sweep);
        const ov_sweep_interval *v = ov_sweep_intervals(sweep, &out->kept);
        out->answer = sum.answer;
        out->lower = sum.lower;
        out->upper = sum.upper;
        out->count = sum.intervals;
        for (size_t i = 0; i < out->kept && i < INTERVALS; i++) {
            out->intervals[i] = v[i];
        }
    }
    ov_sweep_destroy(sweep);
}

/* ---- checking -------------------------------------------------------------------------------- */

static void tell_sweep(hunt *h, finding what, const scene *s, const sweep_answer *n, real time,
                       real gap, real excess) {
    static const char *const kinds[] = {"pair", "bodies", "polygons", "model"};
    FILE *f = finding_begin(h, what, false, (double)excess);
    if (f == NULL) {
        return;
    }
    fprintf(f, "  // sweep of %s%s%s%s; oracle: gap %.21Lg at time %.21Lg\n", kinds[s->kind],
            s->bare_bodies ? ", bodies without group and mask" : "",
            s->bare_options ? ", options of zeros" : "",
            s->bare_turns ? ", quaternions of zeros" : "", gap, time);
    fprintf(f,
            "  %s, %s: lower %.17g upper %.17g, %zu intervals; epsilon %.17g clearance %.17g "
            "depth %d first_only %d resolution %.17g mass %d\n",
            ov_status_name(n->status), ov_sweep_answer_name(n->answer), n->lower, n->upper,
            n->count, s->options.epsilon, s->options.clearance, s->options.depth,
            s->options.first_only, s->options.resolution, (int)s->options.mass);
    for (size_t i = 0; i < s->shape_count; i++) {
        char name[32];
        snprintf(name, sizeof name, "s%zu", i);
        drawn_print(f, name, &s->shapes[i]);
    }
    for (size_t i = 0; i < s->owner_count; i++) {
        char name[32];
        snprintf(name, sizeof name, "body%zu", i);
        motion_case_print(f, name, &s->motions[i]);
        pose_print(f, name, s->poses[i]);
    }
    finding_end(f);
}

static real allowance(const scene *s) { return 4.0L * ORACLE_ERROR * s->scale; }

/** Times before the first contact: the least gap there, and the last moments of it. */
static void check_before(hunt *h, scene *s, const sweep_answer *n) {
    if (!(n->lower > 0.0)) {
        return;
    }
    minimum m = find_minimum(s, 0.0L, n->lower, SAMPLES / 2, 1);
    for (int k = 2; k < 14; k += 2) {
        real t = n->lower * (1.0L - powl(0.1L, (real)k)), g = scene_gap(s, t, NULL);
        if (g < m.gap) {
            m = (minimum){t, g};
        }
    }
    real excess = s->options.clearance - m.gap;
    if (excess > allowance(s)) {
        tell_sweep(h, FINDING_EARLY, s, n, m.time, m.gap, excess);
    } else {
        figure_add(h, FIGURE_UNSURE, excess > 0.0L);
    }
}

static void check_contact(hunt *h, scene *s, const sweep_answer *n) {
    real lower;
    scene_gap(s, n->upper, &lower);
    // the pose of that time is a rounded one
    real excess = lower - s->options.clearance - 4e-16L * s->scale;
    if (excess > allowance(s)) {
        tell_sweep(h, FINDING_NO_CONTACT, s, n, n->upper, lower, excess);
    } else {
        figure_add(h, FIGURE_UNSURE, excess > 0.0L);
    }
    if (n->upper < n->lower) {
        tell_sweep(h, FINDING_CROSSED, s, n, n->upper, lower, n->lower - (real)n->upper);
    }
}

/** Is a time in an interval of two bodies? */
static bool is_open(const sweep_answer *n, uint32_t a, uint32_t b, real time) {
    for (size_t i = 0; i < n->kept; i++) {
        const ov_sweep_interval *v = &n->intervals[i];
        bool same = (v->body_a == a && v->body_b == b) || (v->body_a == b && v->body_b == a);
        if (same && time >= v->start && time <= v->end) {
            return true;
        }
    }
    return false;
}

/** Outside of its intervals each pair is free. */
static void check_intervals(hunt *h, scene *s, const sweep_answer *n) {
    if (s->kind == SCENE_PAIR || s->options.first_only || n->kept != n->count ||
        n->kept > INTERVALS) {
        return;
    }
    for (int i = 0; i <= SAMPLES; i++) {
        real t = (real)i / SAMPLES;
        scene_move(s, t);
        for (size_t k = 0; k < s->pair_count; k++) {
            element_pair *p = &s->pairs[k];
            uint32_t a = s->elements[p->a].owner, b = s->elements[p->b].owner;
            if (is_open(n, a, b, t)) {
                continue;
            }
            real excess = s->options.clearance - pair_now(s, p, s->options.clearance).upper;
            if (excess > allowance(s)) {
                tell_sweep(h, FINDING_FREE, s, n, t, p->found.upper, excess);
                return;
            }
        }
    }
}

/** Twice epsilon; by default 1e-4 of the smaller radius, where there is one pair only. */
static void check_promise(hunt *h, scene *s, const sweep_answer *n, minimum least) {
    real epsilon = s->options.epsilon;
    if (s->kind == SCENE_PAIR && epsilon == 0.0L) {
        epsilon = 1e-4L * fminl(s->shapes[0].shape.ball.radius, s->shapes[1].shape.ball.radius);
    }
    real enough = s->options.clearance + 2.0L * epsilon + 1e-12L * s->scale;
    if (!(epsilon > 0.0L) || least.gap <= enough || isfinite(n->upper)) {
        return;
    }
    minimum m = find_minimum(s, 0.0L, 1.0L, 2000, 4);
    if (m.gap > enough) {
        tell_sweep(h, FINDING_PROMISE, s, n, m.time, m.gap, m.gap - enough);
    }
}

static void check_sweep(hunt *h, scene *s, const sweep_answer *n, minimum least) {
    static const figure answers[] = {FIGURE_FREE, FIGURE_CONTACT, FIGURE_SWEEP_UNDECIDED};
    figure_add(h, FIGURE_SWEEPS, 1);
    if (n->status < 0) {
        tell_sweep(h, FINDING_REFUSED, s, n, 0.0L, 0.0L, 0.0L);
        return;
    }
    figure_add(h, answers[n->answer], 1);
    if (n->answer == OV_SWEEP_ANSWER_FREE) {
        real excess = s->options.clearance - least.gap;
        if (excess > allowance(s)) {
            tell_sweep(h, FINDING_FREE, s, n, least.time, least.gap, excess);
        } else {
            figure_add(h, FIGURE_UNSURE, excess > 0.0L);
        }
        return;
    }
    check_before(h, s, n);
    if (isfinite(n->upper)) {
        check_contact(h, s, n);
    }
    check_intervals(h, s, n);
    check_promise(h, s, n, least);
}

void hunt_sweeps_unit(hunt *h) {
    static scene s;
    sweep_answer n;
    stream r = stream_of(h->options->seed, h->unit);
    if (draw_scene(&r, h, &s)) {
        minimum least = find_minimum(&s, 0.0L, 1.0L, SAMPLES, 3);
        for (int i = 0; i < ASKS; i++) {
            draw_sweep_options(&r, &s);
            if (least.gap > 0.0L && draw_index(&r, 5) < 3) { // a clearance that it nearly keeps
                double by = draw_sign(&r) * draw_log(&r, 1e-15, 1e-1);
                s.options.clearance = fmax(0.0, (double)least.gap * (1.0 + by));
            }
            ask_sweep(&s, &n);
            check_sweep(h, &s, &n, least);
        }
    }
    scene_end(&s);
}
