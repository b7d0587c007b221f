/**
 * @file parts.c
 * @brief Fits of several parts: options, the order of the search, proof, report.
 *
 * The way that a fit goes, for parts that enclose:
 *
 *     0. a first answer in a field of few cells, for who ends the search early;
 *     1. a field over the mesh (parts_field.c); parts grow in it from the deepest cells,
 *     2. and are refitted while what they leave out weighs more and more,
 *     3. until they hold everything: what is far from all of them gets parts of its own;
 *     4. splits and merges towards the number that is wanted, and back and forth;
 *     5. refitting in a finer field, which sees more of what has to be held,
 *     6. and the proof in the input's own numbers (parts_certificate.c), which makes parts larger
 *        where the field was too coarse to see that something is left out.
 *
 * A given number of parts that approximate is found by parts_approximate.c, and refitted in a finer
 * field.
 */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "parts_internal.h"

struct ov_fit {
    ov_fit_part *parts;
    size_t count;
    ovi_proof proof;
    ov_fit_report report;
};

/* ---- options */

enum { CELLS_DEFAULT = 80, CELLS_MIN = 16, CELLS_MAX = 256 };
/** Cells of the fields that the first answer is found in, the others, and the report's. */
enum { CELLS_FIRST = 32, CELLS_SEARCH = 80, CELLS_REPORT = 128 };
/** Cells inside of the solid that are enough to search with. */
enum { CELLS_INSIDE = 64000 };

ov_fit_parts_options ov_default_fit_parts_options(void) {
    return (ov_fit_parts_options){.kind = OV_SHAPE_KIND_SUPEROVOID,
                                  .exponent_min = 0.2,
                                  .exponent_max = 1.6,
                                  .taper_max = 0.9,
                                  .cells = CELLS_DEFAULT};
}

/** Replaces zeros by defaults. */
static ov_status take_options(const ov_fit_parts_options *given, ov_fit_parts_options *o) {
    ov_fit_parts_options d = ov_default_fit_parts_options();
    *o = given != NULL ? *given : d;
    o->kind = o->kind != OV_SHAPE_KIND_NONE ? o->kind : d.kind;
    o->exponent_min = o->exponent_min != 0.0 ? o->exponent_min : d.exponent_min;
    o->exponent_max = o->exponent_max != 0.0 ? o->exponent_max : d.exponent_max;
    o->taper_max = o->taper_max != 0.0 ? o->taper_max : d.taper_max;
    o->cells = o->cells != 0 ? o->cells : d.cells;
    if (o->kind != OV_SHAPE_KIND_SPHERE && o->kind != OV_SHAPE_KIND_ELLIPSOID &&
        o->kind != OV_SHAPE_KIND_SUPERELLIPSOID && o->kind != OV_SHAPE_KIND_SUPEROVOID) {
        return OV_ERROR_UNSUPPORTED;
    }
    bool good = o->mode >= OV_FIT_MODE_ENCLOSE && o->mode < OV_FIT_MODE_COUNT &&
                o->parts <= OV_FIT_PARTS_MAX && o->error >= 0.0 && isfinite(o->error) &&
                o->exponent_min > 0.0 && o->exponent_max <= 2.0 &&
                o->exponent_min <= o->exponent_max && o->taper_max > 0.0 && o->taper_max < 1.0 &&
                o->cells >= CELLS_MIN && o->cells <= CELLS_MAX && o->seconds >= 0.0;
    return good ? OV_OK : OV_ERROR_OPTION;
}

/** How often a set that encloses is relaxed, and how much: what is left out weighs so much; and
 *  the share of parts that are split and merged after it. Weights and shares that differ find what
 *  the others do not. After the first few only as long as that gains something now and then, and
 *  less is done, in samples and cells that are looked at, than takes some four seconds. */
enum { RELAXATIONS = 8, RELAXATIONS_LEAST = 2 };
static const double enough_work = 4.8e8;
static const double relaxed[RELAXATIONS] = {2.0, 6.0, 2.0, 4.0, 2.0, 6.0, 3.0, 2.0};
static const double breathed[RELAXATIONS] = {0.35, 0.2, 0.35, 0.2, 0.5, 0.15, 0.35, 0.25};
/** And in the finer field, where that gains more: once, and again while there is time. */
enum { RELAXATIONS_FINE = 3 };
static const double enough_work_fine = 8e8;
static const double relaxed_fine[RELAXATIONS_FINE] = {4.0, 2.0, 6.0};

/** Are all parts ellipsoids? Their samples are looked at faster, and more of them. */
static bool is_round(const ov_fit_parts_options *o) {
    return o->kind == OV_SHAPE_KIND_SPHERE || o->kind == OV_SHAPE_KIND_ELLIPSOID;
}

/* ---- the clock and the caller */

static double now_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/** What a fit works with. */
typedef struct job {
    const ov_fit_input *input;
    ov_fit_parts_options o;
    ovi_soup soup;
    ov_vec3 middle; // of the input's box
    double longest; // side of it
    double diagonal;
    ovi_model *model;
    double start, first;
    double work;           // of the search, as counted by its model
    ovi_part *first_parts; // of the first answer; null: none yet
    size_t first_count;
    bool ended;
} job;

static bool ask_to_stop(void *user) {
    job *j = user;
    if (j->ended) {
        return true;
    }
    j->ended = j->o.seconds > 0.0 && now_seconds() - j->start > j->o.seconds;
    return j->ended;
}

/** Tells the caller how far it is. */
static void tell(job *j, double share) {
    const ovi_model *m = j->model;
    if (j->o.progress == NULL || j->ended) {
        return;
    }
    double cells = fmax(1.0, (double)m->field->inside_count);
    ov_fit_progress p = {.done = share,
                         .parts = m->count,
                         .cost = ovi_model_cost(m) / cells,
                         .usable = j->first > 0.0};
    j->ended = !j->o.progress(j->o.user, &p);
}

static void tell_search(void *user, double share) {
    job *j = user;
    j->first = j->first > 0.0 ? j->first : now_seconds();
    tell(j, share);
}

/* ---- the frame of the search */

static ov_status enter_frame(job *j) {
    const ov_fit_input *in = j->input;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    size_t corners = in->triangle_count > 0 ? 3 * in->triangle_count : in->point_count;
    for (size_t i = 0; i < corners; i++) {
        ov_vec3 q = in->points[in->triangle_count > 0 ? in->triangles[i / 3][i % 3] : i];
        double v[3] = {q.x, q.y, q.z};
        for (int a = 0; a < 3; a++) {
            lo[a] = fmin(lo[a], v[a]);
            hi[a] = fmax(hi[a], v[a]);
        }
    }
    double s[3] = {hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]};
    j->longest = fmax(s[0], fmax(s[1], s[2]));
    double far = fmax(fabs(lo[0]), fmax(fabs(hi[0]), fmax(fabs(lo[1]), fabs(hi[1]))));
    far = fmax(far, fmax(fabs(lo[2]), fabs(hi[2])));
    if (!(j->longest > 1e-12 * far)) {
        return OV_ERROR_DEGENERATE;
    }
    if (j->longest > 1e-3 * OV_SIZE_MAX || j->longest < 1e6 * OV_SIZE_MIN) {
        return OV_ERROR_SIZE_RANGE;
    }
    j->diagonal = j->longest * ov_vec3_length(ov_vec3_make(s[0] / j->longest, s[1] / j->longest,
                                                           s[2] / j->longest));
    j->middle = ov_vec3_make(lo[0] + 0.5 * s[0], lo[1] + 0.5 * s[1], lo[2] + 0.5 * s[2]);
    ov_vec3 *points = malloc(in->point_count * sizeof *points);
    if (points == NULL) {
        return OV_ERROR_MEMORY;
    }
    for (size_t i = 0; i < in->point_count; i++) {
        points[i] = ov_vec3_scale(ov_vec3_sub(in->points[i], j->middle), 1.0 / j->longest);
    }
    j->soup = (ovi_soup){points, in->triangles, in->point_count, in->triangle_count};
    return OV_OK;
}

/** A part in the input's frame. */
static ov_status leave_frame(const job *j, const ovi_part *part, ov_fit_part *out) {
    ovi_part copy = *part;
    out->pose.rotation = part->rotation;
    out->pose.position = ov_vec3_add(ov_vec3_scale(part->centre, j->longest), j->middle);
    return ovi_part_shape(&copy, j->longest, &out->shape);
}

/** And back again. */
static ovi_part into_frame(const job *j, const ov_fit_part *in) {
    ovi_part p = {.rotation = in->pose.rotation, .e = {in->shape.e1, in->shape.e2}};
    double limit = ovi_taper_max(in->shape.e2);
    p.centre = ov_vec3_scale(ov_vec3_sub(in->pose.position, j->middle), 1.0 / j->longest);
    p.log_a[0] = log(in->shape.a.x / j->longest);
    p.log_a[1] = log(in->shape.a.y / j->longest);
    p.log_a[2] = log(in->shape.a.z / j->longest);
    p.t[0] = limit > 0.0 ? in->shape.tx / limit : 0.0;
    p.t[1] = limit > 0.0 ? in->shape.ty / limit : 0.0;
    return p;
}

/* ---- the search */

static ov_status model_status(const ovi_model *m) {
    return m->out_of_memory ? OV_ERROR_MEMORY : OV_OK;
}

/** Lets the parts leave out less and less, and then nothing; `steps` of that. */
static void enclose(ovi_model *m, int steps) {
    double h = m->field->h;
    for (int i = 0; i < steps; i++) {
        ovi_search_mode(m, OV_FIT_MODE_APPROXIMATE, 1.5 * pow(10.0, i / fmax(1.0, steps - 1.0)));
        ovi_search_sweep(m, 0.6 * h, 30);
    }
    ovi_search_mode(m, OV_FIT_MODE_ENCLOSE, 1.0);
    if (m->count == 0) {
        ovi_search_one(m);
    }
    ovi_search_clusters(m, h);
    for (int i = 0; i < 3 && ovi_model_uncovered(m) > 0; i++) {
        ovi_search_cover(m, i == 0);
    }
}

/** Parts that hold everything (enclose), or the first ones (other modes). */
static void begin(job *j, ovi_model *m) {
    double h = m->field->h;
    ovi_search_grow(m, 80, 0.75);
    tell(j, 0.05);
    if (j->o.mode == OV_FIT_MODE_ENCLOSE) {
        enclose(m, 5);
    } else if (m->count == 0) {
        ovi_search_one(m);
    }
    j->first = j->first > 0.0 ? j->first : now_seconds();
    ovi_search_sweep(m, 0.5 * h, 30);
    ovi_search_sweep(m, 0.5 * h, 30);
    tell(j, 0.15);
}

/** Merges a sixth of the parts at a time: what is left is refitted before more are chosen. */
static void merge_to(job *j, ovi_model *m, size_t count) {
    for (size_t before = 0; m->count > count && m->count != before && !ask_to_stop(j);) {
        before = m->count;
        size_t next = before - (before + 5) / 6;
        ovi_search_merge(m, next > count ? next : count, INFINITY);
        if (m->count > count) {
            ovi_search_sweep(m, 0.5 * m->field->h, 30);
        }
    }
}

/** As many parts as are asked for. */
static void reach_count(job *j, ovi_model *m) {
    double h = m->field->h, volume = fmax(1.0, (double)m->field->inside_count);
    // what a part must save to be worth it, where no number is asked for
    double worth = 0.004 * volume;
    size_t parts = j->o.parts, most = parts > 0 ? parts : OV_FIT_PARTS_MAX;
    if (j->o.error > 0.0) {
        while (m->count < most && ovi_model_cost(m) > j->o.error * volume && !ask_to_stop(j)) {
            size_t before = m->count;
            ovi_search_split(m, before + 1 < most ? before + 2 : most, 0.0);
            ovi_search_sweep(m, 0.5 * h, 30);
            if (m->count <= before) {
                break;
            }
        }
        ovi_search_merge(m, most, INFINITY);
    } else if (parts > 0) {
        size_t above = parts + parts / 2 + 4;
        above = above > m->count + parts / 2 ? above : m->count + parts / 2;
        above = above < OV_FIT_PARTS_MAX ? above : OV_FIT_PARTS_MAX;
        // what is little of the volume may be much of what is left to one of many parts
        double least = fmin(0.5 * worth, 0.2 * ovi_model_cost(m) / (double)parts);
        ovi_search_split(m, above, least);
        ovi_search_sweep(m, 0.5 * h, 30);
        tell(j, 0.4);
        merge_to(j, m, parts);
    } else {
        ovi_search_split(m, most, 1.5 * worth);
        ovi_search_sweep(m, 0.5 * h, 30);
        tell(j, 0.4);
        ovi_search_merge(m, 1, worth);
    }
    tell(j, 0.6);
    if (j->o.mode != OV_FIT_MODE_ENCLOSE && m->count < parts) {
        ovi_search_grow(m, parts, 0.45);
    }
    ovi_search_sweep(m, 0.5 * h, 40);
    double last = 0.0, enough = enough_work * (is_round(&j->o) ? 1.5 : 1.0);
    for (int i = 0, idle = 0; i < RELAXATIONS && !ask_to_stop(j); i++) {
        double before = m->task.work;
        if (i >= RELAXATIONS_LEAST && (idle > 1 || before + last > enough)) {
            break;
        }
        idle = ovi_search_relax(m, relaxed[i], breathed[i]) ? 0 : idle + 1;
        last = m->task.work - before;
        tell(j, 0.62 + 0.02 * i);
    }
    ovi_search_exchange(m, 20);
    // what was exchanged may have held points for a neighbour
    for (int i = 0; i < 3 && j->o.mode == OV_FIT_MODE_ENCLOSE && ovi_model_uncovered(m) > 0; i++) {
        ovi_search_cover(m, false);
    }
    if (parts > 0) {
        // sweeps may have made some parts needless
        ovi_search_split(m, parts, 0.0);
    }
    tell(j, 0.8);
}

static ov_status make_model(job *j, const ovi_field *field, ovi_model *m) {
    ovi_part_limits limits = {.kind = j->o.kind,
                              .e_min = j->o.exponent_min,
                              .e_max = j->o.exponent_max,
                              .taper_max = j->o.taper_max > OV_ZERO ? j->o.taper_max : 0.0};
    ov_status status = ovi_model_make(field, j->o.mode, &limits, m);
    m->random = j->o.seed;
    m->stop = ask_to_stop;
    m->user = j;
    j->model = m;
    return status;
}

/** Is a number of parts asked for that approximate? */
static bool approximates(const job *j) {
    return j->o.mode == OV_FIT_MODE_APPROXIMATE && j->o.parts > 0 && j->o.error == 0.0;
}

/** A first answer, in a fraction of a second: it is not cut short. */
static ov_status find_first(job *j) {
    ovi_field field = {.h = 0.0};
    ovi_model m = {.count = 0};
    ov_status status = ovi_field_make(&j->soup, CELLS_FIRST, &field);
    status = status == OV_OK ? make_model(j, &field, &m) : status;
    if (status == OV_OK) {
        m.stop = NULL;
        ovi_search_grow(&m, OVI_FIRST_PARTS, 0.75);
        enclose(&m, 2);
        size_t parts =
            j->o.parts > 0 && j->o.parts < OVI_FIRST_PARTS ? j->o.parts : OVI_FIRST_PARTS;
        ovi_search_reduce(&m, parts);
        ovi_search_split(&m, parts, 0.0);
        ovi_search_sweep(&m, 0.5 * field.h, 30);
        status = model_status(&m);
    }
    j->first = now_seconds();
    tell(j, 0.02);
    j->first_parts = status == OV_OK ? malloc((m.count + 1) * sizeof *j->first_parts) : NULL;
    status = status == OV_OK && j->first_parts == NULL ? OV_ERROR_MEMORY : status;
    for (size_t k = 0; k < m.count && status == OV_OK; k++) {
        j->first_parts[j->first_count++] = m.members[k].part;
    }
    j->model = NULL;
    ovi_model_free(&m);
    ovi_field_free(&field);
    return status;
}

/** The search was ended: the first answer takes the place of the model's parts if it is better. */
static ov_status fall_back(job *j, ovi_model *m) {
    ovi_model other;
    ov_status status = make_model(j, m->field, &other);
    for (size_t k = 0; k < j->first_count && status == OV_OK; k++) {
        status = ovi_model_add(&other, &j->first_parts[k]) ? OV_OK : OV_ERROR_MEMORY;
    }
    for (int i = 0; i < 3 && status == OV_OK && ovi_model_uncovered(&other) > 0; i++) {
        ovi_search_cover(&other, false);
    }
    status = status == OV_OK ? model_status(&other) : status;
    if (status == OV_OK && ovi_model_cost(&other) < ovi_model_cost(m)) {
        ovi_model worse = *m;
        *m = other;
        other = worse;
    }
    ovi_model_free(&other);
    j->model = m;
    return status;
}

/** Searches in a coarse field. */
static ov_status search(job *j, ovi_model *m, const ovi_field *field) {
    ov_status status = make_model(j, field, m);
    if (status != OV_OK) {
        return status;
    }
    if (approximates(j)) {
        ovi_approximate_search(m, j->o.parts, tell_search);
        ovi_search_reduce(m, j->o.parts);
        return model_status(m);
    }
    m->room = OVI_COUNTED_SEARCH;
    begin(j, m);
    reach_count(j, m);
    m->room = OVI_COUNTED_MAX;
    if (j->o.parts > 0) {
        ovi_search_reduce(m, j->o.parts);
    }
    for (int i = 0; i < 4 && ovi_search_sweep(m, 0.4 * field->h, 40) > 0.002 * ovi_model_cost(m);) {
        i++;
    }
    j->work = m->task.work;
    status = model_status(m);
    return status == OV_OK && j->ended && j->first_count > 0 ? fall_back(j, m) : status;
}

/** The parts of a model in a finer field, refitted there. */
static ov_status polish(job *j, const ovi_model *coarse, ovi_model *m, const ovi_field *field) {
    ov_status status = make_model(j, field, m);
    for (size_t k = 0; k < coarse->count && status == OV_OK; k++) {
        status = ovi_model_add(m, &coarse->members[k].part) ? OV_OK : OV_ERROR_MEMORY;
    }
    if (status != OV_OK) {
        return status;
    }
    for (int i = 0; i < 3 && j->o.mode == OV_FIT_MODE_ENCLOSE && ovi_model_uncovered(m) > 0; i++) {
        ovi_search_cover(m, false);
    }
    if (j->o.mode != OV_FIT_MODE_ENCLOSE && j->o.error == 0.0 && j->o.parts > m->count) {
        ovi_search_grow(m, j->o.parts, 0.45);
    }
    tell(j, 0.85);
    if (approximates(j)) {
        ovi_approximate_polish(m);
        return model_status(m);
    }
    double last = 0.0;
    for (int i = 0; i < RELAXATIONS_FINE && !ask_to_stop(j); i++) {
        double before = m->task.work;
        if (i > 0 && j->work + before + last > enough_work_fine) {
            break;
        }
        ovi_search_relax(m, relaxed_fine[i], 0.0);
        last = m->task.work - before;
        tell(j, 0.86);
    }
    for (int i = 0; i < 4; i++) {
        double gain = ovi_search_sweep(m, 0.4 * field->h, 40);
        if (j->o.parts > m->count && j->o.error == 0.0) {
            ovi_search_split(m, j->o.parts, 0.0);
        } else if (gain < 0.003 * ovi_model_cost(m)) {
            break;
        }
        tell(j, 0.87 + 0.03 * i);
    }
    return model_status(m);
}

/* ---- from the model to the fit */

static ov_status take_parts(job *j, const ovi_model *m, ov_fit *fit) {
    fit->parts = malloc((m->count + 1) * sizeof *fit->parts);
    if (fit->parts == NULL) {
        return OV_ERROR_MEMORY;
    }
    for (size_t k = 0; k < m->count; k++) {
        ov_status status = leave_frame(j, &m->members[k].part, &fit->parts[fit->count]);
        if (status != OV_OK) {
            return status;
        }
        fit->count++;
    }
    return OV_OK;
}

/** Makes each part smaller until it is proven to be inside; parts for which that fails are left
 *  out. */
static ov_status keep_inside(const ov_fit_input *input, ov_fit *fit) {
    size_t kept = 0;
    for (size_t k = 0; k < fit->count; k++) {
        ov_fit_part part = fit->parts[k];
        const ov_shape s = part.shape;
        bool inside = false;
        // by a thousandth, two, four ... up to a quarter
        for (double less = 0.0; less < 0.3 && !inside; less = less > 0.0 ? 1.5 * less : 0.001) {
            ov_shape_options options = {.dent_tolerance = 0.05};
            ov_status status = ov_shape_make_superovoid(ov_vec3_scale(s.a, 1.0 - less), s.e1, s.e2,
                                                        s.tx, s.ty, &options, &part.shape);
            status = status == OV_OK ? ov_fit_check_inside(&part, 1, input, &inside) : status;
            if (status < OV_OK) {
                return status;
            }
        }
        if (inside) {
            fit->parts[kept++] = part;
        }
    }
    fit->count = kept;
    return OV_OK;
}

/* ---- report */

static void count_volumes(const ovi_model *m, ov_fit_report *r) {
    const ovi_field *f = m->field;
    size_t excess = 0, missing = 0, inside = f->inside_count, rim = 0;
    double out = 0.0, beyond = 0.0;
    for (size_t i = 0; i < ovi_field_count(f); i++) {
        bool covered = m->cover[i] > 0;
        excess += covered && !f->inside[i];
        missing += !covered && f->inside[i];
        rim += fabsf(f->depth[i]) < (float)f->h;
        if (covered && !f->inside[i]) {
            out = fmax(out, -(double)f->depth[i]);
        }
    }
    for (size_t k = 0; k < m->count; k++) {
        const ovi_beyond *of_part = &m->members[k].beyond;
        beyond += of_part->cells;
        out = of_part->reach > 0.0 ? fmax(out, of_part->reach + OVI_FIELD_BORDER * f->h) : out;
    }
    double n = fmax(1.0, (double)inside);
    r->excess = ((double)excess + beyond) / n;
    r->missing = (double)missing / n;
    r->iou = (n - (double)missing) / (n + (double)excess + beyond);
    // cells that a surface cuts are in or out by chance
    r->sampling_error = 0.5 * sqrt((double)rim) / n;
    r->protrusion = out;
    r->solid = 1.0 - r->missing;
    size_t held = 0, cells = ovi_field_count(f);
    for (size_t i = 0; i < f->facet_count; i++) {
        held += m->cover[cells + i] > 0;
    }
    r->surface = f->facet_count > 0 ? (double)held / (double)f->facet_count : 0.0;
}

static ov_status make_report(job *j, const ovi_field *field, ov_fit *fit) {
    ovi_model m;
    ov_status status = make_model(j, field, &m);
    for (size_t k = 0; k < fit->count && status == OV_OK; k++) {
        ovi_part part = into_frame(j, &fit->parts[k]);
        status = ovi_model_add(&m, &part) ? OV_OK : OV_ERROR_MEMORY;
    }
    ov_fit_report *r = &fit->report;
    if (status == OV_OK) {
        count_volumes(&m, r);
        double cell = field->h * j->longest;
        r->parts = fit->count;
        r->size = j->diagonal;
        r->protrusion *= j->longest / j->diagonal;
        r->volume = (double)field->inside_count * cell * cell * cell;
        r->surface_proven = fit->proof.surface;
        r->solid_proven = fit->proof.solid;
        r->inside_proven = j->o.mode == OV_FIT_MODE_INSIDE;
        // what is proven is no estimate; what is not proven is not whole
        r->surface = r->surface_proven ? 1.0 : fmin(r->surface, 1.0 - 1e-9);
        r->solid = r->solid_proven ? 1.0 : fmin(r->solid, 1.0 - 1e-9);
        r->missing = r->solid_proven ? 0.0 : r->missing;
        r->seconds = now_seconds() - j->start;
        r->first_seconds = j->first - j->start;
    }
    j->model = NULL;
    ovi_model_free(&m);
    return status;
}

/* ---- the whole */

/** Search, coarse and fine; the parts are left in `fit`. */
static ov_status find_parts(job *j, ov_fit *fit) {
    ovi_field field[2] = {{.h = 0.0}, {.h = 0.0}};
    ovi_model m[2] = {{.count = 0}, {.count = 0}};
    int coarse = j->o.cells < CELLS_SEARCH ? j->o.cells : CELLS_SEARCH, finest = j->o.cells;
    if (approximates(j)) {
        // features of one cell have too few cells to fit a part to
        coarse = j->o.cells;
    }
    if (j->o.mode == OV_FIT_MODE_ENCLOSE || approximates(j)) {
        // what a coarse field does not see the proof would have to hold, in larger parts
        int finer = coarse + coarse / 2 < CELLS_MAX ? coarse + coarse / 2 : CELLS_MAX;
        finest = finest > finer ? finest : finer;
    }
    ov_status status = ovi_field_make(&j->soup, coarse, &field[0]);
    double many = (double)field[0].inside_count / CELLS_INSIDE;
    if (status == OV_OK && j->o.mode == OV_FIT_MODE_ENCLOSE && many > 1.0 && !is_round(&j->o)) {
        // of a stout solid fewer cells say as much, and sooner
        ovi_field_free(&field[0]);
        status = ovi_field_make(&j->soup, (int)fmax(CELLS_MIN, coarse / cbrt(many)), &field[0]);
    }
    if (status == OV_OK && field[0].inside_count == 0 && j->o.mode != OV_FIT_MODE_ENCLOSE) {
        status = OV_ERROR_NOT_CLOSED;
    }
    if (status == OV_OK && j->o.mode == OV_FIT_MODE_ENCLOSE && coarse > CELLS_FIRST) {
        status = find_first(j);
    }
    status = status == OV_OK ? search(j, &m[0], &field[0]) : status;
    bool fine = finest > coarse && !j->ended;
    if (status == OV_OK && fine) {
        status = ovi_field_make(&j->soup, finest, &field[1]);
        status = status == OV_OK ? polish(j, &m[0], &m[1], &field[1]) : status;
    }
    status = status == OV_OK ? take_parts(j, &m[fine], fit) : status;
    j->model = NULL;
    for (int i = 0; i < 2; i++) {
        ovi_model_free(&m[i]);
        ovi_field_free(&field[i]);
    }
    return status;
}

static ov_status run_job(job *j, ov_fit *fit) {
    ov_status status = enter_frame(j);
    status = status == OV_OK ? find_parts(j, fit) : status;
    bool encloses = j->o.mode == OV_FIT_MODE_ENCLOSE;
    if (status == OV_OK && encloses && j->o.also != NULL) {
        status = ov_fit_grow(fit->parts, fit->count, j->o.also);
    }
    if (status == OV_OK && encloses) {
        status = ovi_proof_make(fit->parts, fit->count, j->input, j->diagonal / 700.0, &fit->proof);
    }
    if (status == OV_OK && j->o.mode == OV_FIT_MODE_INSIDE) {
        status = keep_inside(j->input, fit);
    }
    ovi_field field = {.h = 0.0};
    status = status == OV_OK ? ovi_field_make(&j->soup, CELLS_REPORT, &field) : status;
    status = status == OV_OK ? make_report(j, &field, fit) : status;
    ovi_field_free(&field);
    free(j->soup.points);
    free(j->first_parts);
    return status;
}

ov_status ov_fit_parts_create(const ov_fit_input *input, const ov_fit_parts_options *options,
                              ov_fit **fit) {
    if (fit == NULL) {
        return OV_ERROR_NULL;
    }
    *fit = NULL;
    job j = {.input = input, .start = now_seconds()};
    ov_status status = ov_fit_input_check(input, NULL);
    status = status == OV_OK ? take_options(options, &j.o) : status;
    if (status == OV_OK && j.o.also != NULL) {
        status = ov_fit_input_check(j.o.also, NULL);
    }
    if (status != OV_OK) {
        return status;
    }
    ov_fit *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return OV_ERROR_MEMORY;
    }
    status = run_job(&j, made);
    if (status != OV_OK) {
        ov_fit_destroy(made);
        return status;
    }
    *fit = made;
    return j.ended ? OV_NOT_CONVERGED : OV_OK;
}

void ov_fit_destroy(ov_fit *fit) {
    if (fit != NULL) {
        free(fit->parts);
        ovi_proof_free(&fit->proof);
        free(fit);
    }
}

size_t ov_fit_part_count(const ov_fit *fit) { return fit != NULL ? fit->count : 0; }

const ov_fit_part *ov_fit_parts(const ov_fit *fit) { return fit != NULL ? fit->parts : NULL; }

ov_fit_report ov_fit_parts_report(const ov_fit *fit) {
    return fit != NULL ? fit->report : (ov_fit_report){.parts = 0};
}

ov_fit_certificate ov_fit_parts_certificate(const ov_fit *fit) {
    return fit != NULL ? ovi_proof_certificate(&fit->proof) : (ov_fit_certificate){.pieces = NULL};
}
