/**
 * @file sweep_run.c
 * @brief Runs a sweep: boxes find the pairs (the broad phase), and threads cover them one by one
 * (the narrow phase: sweep_pair.c, polygons/sweep_polygons.c).
 *
 * The time is divided into a few slices, and each slice into a few steps. During every step a ball
 * holds a part, and all along the slice a box does. The boxes are sorted along x; parts whose boxes
 * meet are a job, from the first to the last step during which their balls meet, if they do. A job
 * knows nothing of other jobs, so neither their order nor the number of threads changes what is
 * found.
 * With first_only the slices are run one after the other until one has found something.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../math/fault.h"
#include "../math/system.h"
#include "polygons/sweep_polygons.h"
#include "sweep.h"

/** Fewer parts than this are not worth several slices of time. */
enum { FEW_PARTS = 8, SLICES = 8 };
/** Steps of a slice; polygons have trees, and need less. */
enum { FEW_STEPS = 2, STEPS = 8 };
/** Jobs, and boxes, that a thread takes at once: some ten times what it costs to start it. */
enum { GRAIN = 8, BOXES_GRAIN = 256 };

/** One pair of parts during one slice, and what was found. */
typedef struct job {
    uint32_t a, b; // parts
    uint32_t base;
    double from, to; // of the slice
    ov_status status;
    ov_sweep_interval *intervals;
    size_t count, room;
    ov_sweep_summary summary; // lower, upper and counts only
    double shortest;
} job;

/** An allocator that several threads may ask. */
typedef struct shared_allocator {
    ov_allocator inner;
    atomic_flag busy;
} shared_allocator;

typedef struct run {
    const ovi_sweep_plan *plan;
    shared_allocator lock;
    ov_allocator shared; // through the lock
    ov_aabb *boxes;      // of the parts during the slice
    ov_ball *balls;      // of each part during each of the steps
    uint32_t *order;     // of the parts by the least x of their boxes
    job *jobs;
    size_t count, room;
    double from, to; // the slice
    double shortest; // piece that is allowed
    atomic_size_t jobs_done;
    double told, told_from, told_to; // progress: last, and before and after the jobs at hand
    ov_fault *fault;
} run;

/* ---- memory of the run */

static void *resize_through(void *user, void *block, size_t old_size, size_t size) {
    shared_allocator *g = user;
    while (atomic_flag_test_and_set_explicit(&g->busy, memory_order_acquire)) {
    }
    void *answer = g->inner.resize(g->inner.user, block, old_size, size);
    atomic_flag_clear_explicit(&g->busy, memory_order_release);
    return answer;
}

static void free_jobs(run *r) {
    for (size_t i = 0; i < r->count; i++) {
        ovi_release(&r->plan->allocator, r->jobs[i].intervals, r->jobs[i].room,
                    sizeof(ov_sweep_interval));
    }
    r->count = 0;
}

static void free_run(run *r) {
    const ovi_sweep_plan *plan = r->plan;
    free_jobs(r);
    ovi_release(&plan->allocator, r->jobs, r->room, sizeof(job));
    ovi_release(&plan->allocator, r->boxes, plan->count, sizeof(ov_aabb));
    ovi_release(&plan->allocator, r->balls, plan->count, STEPS * sizeof(ov_ball));
    ovi_release(&plan->allocator, r->order, plan->count, sizeof(uint32_t));
}

/* ---- pairs of a slice */

static bool is_affine(const ovi_sweep_part *p) {
    return p->moving.motion != NULL && !ov_motion_is_rigid(p->moving.motion);
}

/** A box along the axes about balls. */
static ov_aabb box_of(const ov_ball *balls, int count) {
    ov_aabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < count; i++) {
        ov_vec3 c = balls[i].centre, r = {balls[i].radius, balls[i].radius, balls[i].radius};
        ov_vec3 low = ov_vec3_sub(c, r), high = ov_vec3_add(c, r);
        box.min = (ov_vec3){fmin(box.min.x, low.x), fmin(box.min.y, low.y), fmin(box.min.z, low.z)};
        box.max =
            (ov_vec3){fmax(box.max.x, high.x), fmax(box.max.y, high.y), fmax(box.max.z, high.z)};
    }
    return box;
}

/** The clearance, and what rounding may take off it. */
static double wide_clearance(const run *r) {
    return r->plan->options.clearance * (1.0 + OVI_MOTION_MARGIN);
}

static void find_boxes(void *context, unsigned index, size_t begin, size_t end) {
    run *r = context;
    (void)index;
    double more = wide_clearance(r);
    for (size_t i = begin; i < end; i++) {
        const ovi_sweep_part *p = &r->plan->parts[i];
        ov_ball *balls = &r->balls[STEPS * i];
        int steps = p->polygons != NULL ? FEW_STEPS : STEPS;
        if (is_affine(p)) {
            balls[0] = (ov_ball){{0.0, 0.0, 0.0}, INFINITY};
            steps = 1;
        } else {
            ovi_moving_part_balls(&p->moving, r->from, r->to, steps, balls);
        }
        r->boxes[i] = box_of(balls, steps);
        r->boxes[i].max = ov_vec3_add(r->boxes[i].max, ov_vec3_make(more, more, more));
    }
}

/** Lets the part at a place of the heap sink to where it belongs. */
static void sift(const ov_aabb *boxes, uint32_t *order, size_t at, size_t count) {
    for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && boxes[order[child]].min.x < boxes[order[child + 1]].min.x) {
            child++;
        }
        if (!(boxes[order[at]].min.x < boxes[order[child]].min.x)) {
            return;
        }
        uint32_t swap = order[at];
        order[at] = order[child];
        order[child] = swap;
        at = child;
    }
}

/** Sorts parts by the least x of their boxes: a heap sort, which asks for no memory. */
static void sort_boxes(const ov_aabb *boxes, uint32_t *order, size_t count) {
    for (size_t i = 0; i < count; i++) {
        order[i] = (uint32_t)i;
    }
    for (size_t i = count / 2; i-- > 0;) {
        sift(boxes, order, i, count);
    }
    for (size_t i = count; i-- > 1;) {
        uint32_t swap = order[0];
        order[0] = order[i];
        order[i] = swap;
        sift(boxes, order, 0, i);
    }
}

static bool meet(const ov_aabb *a, const ov_aabb *b) {
    return a->min.x <= b->max.x && b->min.x <= a->max.x && a->min.y <= b->max.y &&
           b->min.y <= a->max.y && a->min.z <= b->max.z && b->min.z <= a->max.z;
}

static bool balls_apart(const ov_ball *a, const ov_ball *b, double limit) {
    return ovi_ball_bound(a->centre, a->radius, b->centre, b->radius) > limit;
}

/** From the first to the last step during which two parts may meet by their balls; false: none. */
static bool find_steps(const run *r, uint32_t a, uint32_t b, job *j) {
    int first = 0, last = STEPS - 1;
    double more = wide_clearance(r);
    const ov_ball *balls_a = &r->balls[STEPS * (size_t)a], *balls_b = &r->balls[STEPS * (size_t)b];
    while (first <= last && balls_apart(&balls_a[first], &balls_b[first], more)) {
        first++;
    }
    while (last > first && balls_apart(&balls_a[last], &balls_b[last], more)) {
        last--;
    }
    j->from = ovi_step_time(r->from, r->to, first, STEPS);
    j->to = ovi_step_time(r->from, r->to, last + 1, STEPS);
    if (first <= last && !(j->to > j->from)) { // fewer ticks of the clock than steps
        j->from = r->from;
        j->to = r->to;
    }
    return first <= last;
}

static ov_status add_pair(run *r, uint32_t i, uint32_t j) {
    uint32_t a = i < j ? i : j, b = i < j ? j : i, base = OV_NO_LINK;
    const ovi_sweep_part *pa = &r->plan->parts[a], *pb = &r->plan->parts[b];
    bool moves = !ovi_moving_part_rests(&pa->moving) || !ovi_moving_part_rests(&pb->moving);
    if (pa->body == pb->body || !moves || (pa->mask & pb->group) == 0 ||
        (pb->mask & pa->group) == 0) {
        return OV_OK;
    }
    if (r->plan->is_pair != NULL && !r->plan->is_pair(r->plan->user, pa, pb, &base)) {
        return OV_OK;
    }
    if ((pa->polygons == NULL || pb->polygons == NULL) && (is_affine(pa) || is_affine(pb))) {
        uint32_t body = is_affine(pa) ? pa->body : pb->body;
        return ovi_plan_blame(r->fault, OV_ERROR_UNSUPPORTED, body - r->plan->first_body);
    }
    job next = {.a = a, .b = b, .base = base, .from = r->from, .to = r->to};
    if (pa->polygons == NULL && pb->polygons == NULL && !find_steps(r, a, b, &next)) {
        return OV_OK;
    }
    job *jobs = ovi_room_for(&r->plan->allocator, r->jobs, &r->room, r->count + 1, sizeof(job));
    if (jobs == NULL) {
        return ovi_fault_none(r->fault, OV_ERROR_MEMORY);
    }
    r->jobs = jobs;
    jobs[r->count++] = next;
    return OV_OK;
}

static int by_part_indices(const void *p, const void *q) {
    const job *a = p, *b = q;
    int order = (a->a > b->a) - (a->a < b->a);
    return order != 0 ? order : (a->b > b->b) - (a->b < b->b);
}

/** Sweep and prune along x. */
static ov_status find_pairs(run *r) {
    size_t count = r->plan->count;
    size_t first = r->count;
    ovi_ranges_run(find_boxes, r, count, BOXES_GRAIN, &r->plan->options.threads);
    sort_boxes(r->boxes, r->order, count);
    for (size_t i = 0; i < count; i++) {
        const ov_aabb *box = &r->boxes[r->order[i]];
        for (size_t j = i + 1; j < count; j++) {
            const ov_aabb *other = &r->boxes[r->order[j]];
            if (other->min.x > box->max.x) {
                break;
            }
            ov_status status = meet(box, other) ? add_pair(r, r->order[i], r->order[j]) : OV_OK;
            if (status != OV_OK) {
                return status;
            }
        }
    }
    if (r->count - first > 1) {
        qsort(r->jobs + first, r->count - first, sizeof(job), by_part_indices);
    }
    return OV_OK;
}

/* ---- progress */

/** Some part of a job is done, besides those that are; on the first thread. */
static void tell(void *user, double part) {
    run *r = user;
    const ov_sweep_options *o = &r->plan->options;
    double jobs = (double)atomic_load(&r->jobs_done) + fmin(fmax(part, 0.0), 1.0);
    double share = fmin(1.0, jobs / (double)r->count);
    double done = r->told_from + share * (r->told_to - r->told_from);
    r->told = fmax(r->told, done);
    o->progress(o->progress_user, r->told);
}

static bool is_watched(const run *r, unsigned thread) {
    return thread == 0 && r->plan->options.progress != NULL;
}

/* ---- jobs */

/** Where the intervals of a job go. */
typedef struct job_sink {
    run *run;
    job *job;
} job_sink;

static bool keep(const job_sink *t, ov_sweep_interval interval) {
    job *j = t->job;
    const ovi_sweep_part *a = &t->run->plan->parts[j->a], *b = &t->run->plan->parts[j->b];
    interval.body_a = a->body;
    interval.body_b = b->body;
    j->summary.lower = fmin(j->summary.lower, interval.start);
    if (!isnan(interval.contact)) {
        j->summary.upper = fmin(j->summary.upper, interval.contact);
    }
    ov_sweep_interval *more = ovi_room_for(&t->run->shared, j->intervals, &j->room, j->count + 1,
                                           sizeof(ov_sweep_interval));
    if (more == NULL) {
        j->status = OV_ERROR_MEMORY; // what is not kept must not be taken for free
        return false;
    }
    j->intervals = more;
    more[j->count++] = interval;
    return true;
}

/** An interval of a pair of parts: it is joined to the one before where they touch. */
static bool take_parts(void *user, const ov_sweep_interval *found) {
    const job_sink *t = user;
    const ovi_sweep_part *parts = t->run->plan->parts;
    job *j = t->job;
    ov_sweep_interval *last = j->count > 0 ? &j->intervals[j->count - 1] : NULL;
    if (last != NULL && found->start <= last->end) {
        last->end = fmax(last->end, found->end);
        last->contact = isnan(last->contact) ? found->contact : last->contact;
        j->summary.upper =
            isnan(found->contact) ? j->summary.upper : fmin(j->summary.upper, found->contact);
        return true;
    }
    ov_sweep_interval interval = *found;
    interval.part_a = parts[j->a].part;
    interval.part_b = parts[j->b].part;
    return keep(t, interval);
}

/** An interval of a pair of polygons. */
static bool take_polygons(void *user, const ov_sweep_interval *interval) {
    return keep(user, *interval);
}

/** A part as seen from the link `base`. */
static ovi_moving_part seen_from(const ovi_sweep_part *part, uint32_t base) {
    ovi_moving_part m = part->moving;
    m.base = base;
    if (base != OV_NO_LINK && m.link == base) {
        m.trajectory = NULL; // it rests there
    }
    return m;
}

static void cover(run *r, job *j, unsigned thread) {
    const ovi_sweep_plan *plan = r->plan;
    const ovi_sweep_part *a = &plan->parts[j->a], *b = &plan->parts[j->b];
    double time = plan->end - plan->start;
    job_sink t = {r, j};
    ovi_interval_sink sink = {take_parts, &t};
    ovi_cover_goal goal = {.epsilon = ovi_sweep_epsilon(&plan->options, &a->moving, &b->moving),
                           .clearance = plan->options.clearance,
                           .shortest = r->shortest,
                           .first_only = plan->options.first_only,
                           .resolution = plan->options.resolution * time,
                           .progress = is_watched(r, thread) ? tell : NULL,
                           .progress_user = r};
    ovi_cover_result found;
    ovi_moving_part ma = seen_from(a, j->base), mb = seen_from(b, j->base);
    j->status = ovi_cover_pair(&ma, &mb, j->from, j->to, &goal, &sink, &found);
    if (plan->options.first_only && j->status == OV_OK && found.lower < j->to) {
        bool met = isfinite(found.upper);
        const ov_sweep_interval first = {.start = found.lower,
                                         .end = met ? found.upper : j->to,
                                         .contact = met ? found.upper : NAN,
                                         .element = OV_SWEEP_ELEMENT_PARTS};
        if (!take_parts(&t, &first)) {
            j->status = OV_ERROR_MEMORY;
        }
    }
    j->summary.pieces = found.pieces;
    j->summary.tests = found.tests;
    j->summary.queries = found.queries;
    j->summary.pairs = 1;
    j->shortest = found.shortest;
}

/** The least epsilon of a body of polygons: what it moves by less than the rounding of its
 *  coordinates cannot be told from rest. */
static double rounding_of(const ovi_sweep_part *part, const job *j) {
    ov_affine place = ov_affine_from_pose(part->moving.still.pose);
    if (part->moving.motion != NULL) {
        part->moving.motion->kind->at(part->moving.motion, j->from, &place);
    }
    return 1e-12 * (ov_vec3_length(place.translation) + part->moving.reach);
}

static int by_start(const void *p, const void *q) {
    const ov_sweep_interval *a = p, *b = q;
    return (a->start > b->start) - (a->start < b->start);
}

/** Between the times at which surfaces may meet: is one body inside the other? */
static void cover_inside(run *r, job *j, const ovi_polygon_pair *pair) {
    job_sink t = {r, j};
    size_t count = j->count; // of the surfaces
    double from = j->from, contact;
    bool solid = ov_polygons_is_solid(pair->a) || ov_polygons_is_solid(pair->b);
    if (j->status != OV_OK || !solid) {
        return;
    }
    if (count > 1) {
        qsort(j->intervals, count, sizeof *j->intervals, by_start);
    }
    for (size_t i = 0; i <= count; i++) {
        double to = i < count ? j->intervals[i].start : j->to;
        double next = i < count ? fmax(from, j->intervals[i].end) : to;
        // of the first contact only what comes before is known
        bool known = !r->plan->options.first_only || i == 0;
        if (known && to > from && ovi_polygons_inside(pair, from, to, &contact) &&
            !keep(&t, (ov_sweep_interval){.start = from,
                                          .end = to,
                                          .contact = contact,
                                          .element = OV_SWEEP_ELEMENT_PARTS})) {
            return;
        }
        from = next;
    }
}

static void cover_polygons(run *r, job *j, unsigned thread) {
    const ovi_sweep_plan *plan = r->plan;
    const ovi_sweep_part *a = &plan->parts[j->a], *b = &plan->parts[j->b];
    job_sink t = {r, j};
    ovi_interval_sink sink = {take_polygons, &t};
    ovi_polygon_pair pair = {.a = a->polygons,
                             .b = b->polygons,
                             .motion_a = a->moving.motion,
                             .motion_b = b->moving.motion,
                             .pose_a = a->pose,
                             .pose_b = b->pose};
    pair.epsilon = fmax(ovi_sweep_epsilon(&plan->options, &a->moving, &b->moving),
                        fmax(rounding_of(a, j), rounding_of(b, j)));
    ov_sweep_options options = plan->options;
    options.allocator = r->shared;
    options.progress = is_watched(r, thread) ? tell : NULL;
    options.progress_user = r;
    // it counts from the slice
    int halvings = (int)lround(log2((plan->end - plan->start) / (j->to - j->from)));
    options.depth = options.depth > halvings + 1 ? options.depth - halvings : 1;
    ov_sweep_summary counts = {0};
    ov_status status = ovi_sweep_polygons(&pair, j->from, j->to, &options, &sink, &counts);
    j->status = status != OV_OK ? status : j->status;
    cover_inside(r, j, &pair);
    j->summary.pairs = counts.pairs;
    j->summary.pieces = counts.pieces;
    j->summary.tests = counts.tests;
    j->shortest = ldexp(j->to - j->from, -counts.depth);
}

static void do_jobs(void *context, unsigned index, size_t begin, size_t end) {
    run *r = context;
    for (size_t i = begin; i < end; i++) {
        job *j = &r->jobs[i];
        const ovi_sweep_part *parts = r->plan->parts;
        j->summary = (ov_sweep_summary){.lower = INFINITY, .upper = INFINITY};
        if (parts[j->a].polygons != NULL && parts[j->b].polygons != NULL) {
            cover_polygons(r, j, index);
        } else {
            cover(r, j, index);
        }
        atomic_fetch_add(&r->jobs_done, 1);
        if (is_watched(r, index)) {
            tell(r, 0.0);
        }
    }
}

/* ---- intervals in order */

static int by_index(uint32_t a, uint32_t b) { return (a > b) - (a < b); }

static int by_parts(const ov_sweep_interval *p, const ov_sweep_interval *q) {
    int order = by_index(p->body_a, q->body_a);
    order = order != 0 ? order : by_index(p->body_b, q->body_b);
    order = order != 0 ? order : by_index(p->part_a, q->part_a);
    return order != 0 ? order : by_index(p->part_b, q->part_b);
}

static int by_start_end(const ov_sweep_interval *p, const ov_sweep_interval *q) {
    int order = (p->start > q->start) - (p->start < q->start);
    return order != 0 ? order : (p->end > q->end) - (p->end < q->end);
}

static int by_parts_then_start(const void *p, const void *q) {
    int order = by_parts(p, q);
    return order != 0 ? order : by_start_end(p, q);
}

static int by_start_then_parts(const void *p, const void *q) {
    int order = by_start_end(p, q);
    return order != 0 ? order : by_parts(p, q);
}

/** Joins `next` to `last`, which begins no later; where only `next` has a proven contact, the
 *  elements are those of `next`. */
static void join(ov_sweep_interval *last, const ov_sweep_interval *next) {
    last->end = fmax(last->end, next->end);
    bool has = !isnan(last->contact), gets = !isnan(next->contact);
    if (!has && gets) {
        last->element = next->element;
        last->index_a = next->index_a;
        last->index_b = next->index_b;
    }
    if (gets) {
        last->contact = has ? fmin(last->contact, next->contact) : next->contact;
    }
}

/** Puts intervals in order, joins those of the same parts that touch, and keeps `most`. */
static void settle_intervals(ov_sweep *s, size_t most) {
    if (s->count > 1) {
        qsort(s->intervals, s->count, sizeof(ov_sweep_interval), by_parts_then_start);
    }
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        ov_sweep_interval *next = &s->intervals[i];
        ov_sweep_interval *last = kept > 0 ? &s->intervals[kept - 1] : NULL;
        if (last != NULL && by_parts(last, next) == 0 && next->start <= last->end) {
            join(last, next);
        } else {
            s->intervals[kept++] = *next;
        }
    }
    if (kept > 1) {
        qsort(s->intervals, kept, sizeof(ov_sweep_interval), by_start_then_parts);
    }
    s->summary.intervals = kept;
    s->count = kept < most ? kept : most;
}

/* ---- results of all jobs */

static ov_status append(ov_sweep *s, const job *j) {
    if (j->count == 0) {
        return OV_OK;
    }
    ov_sweep_interval *more = ovi_room_for(&s->allocator, s->intervals, &s->room,
                                           s->count + j->count, sizeof(ov_sweep_interval));
    if (more == NULL) {
        return OV_ERROR_MEMORY;
    }
    s->intervals = more;
    memcpy(more + s->count, j->intervals, j->count * sizeof(ov_sweep_interval));
    s->count += j->count;
    return OV_OK;
}

/** Adds what the jobs of a slice found; the first error of any is the error of all. */
static ov_status collect(const run *r, ov_sweep *s) {
    double time = r->plan->end - r->plan->start;
    for (size_t i = 0; i < r->count; i++) {
        const job *j = &r->jobs[i];
        ov_status status = j->status == OV_OK ? append(s, j) : j->status;
        if (status != OV_OK) {
            return ovi_fault_none(r->fault, status);
        }
        ov_sweep_summary *sum = &s->summary;
        sum->lower = fmin(sum->lower, j->summary.lower);
        sum->upper = fmin(sum->upper, j->summary.upper);
        sum->pairs += j->summary.pairs;
        sum->pieces += j->summary.pieces;
        sum->tests += j->summary.tests;
        sum->queries += j->summary.queries;
        int depth = j->shortest > 0.0 ? (int)ceil(log2(time / j->shortest) - 1e-9) : 0;
        sum->depth = depth > sum->depth ? depth : sum->depth;
    }
    return OV_OK;
}

/** Does all jobs that are waiting. */
static ov_status run_jobs(run *r, ov_sweep *s) {
    atomic_store(&r->jobs_done, 0);
    ovi_ranges_run(do_jobs, r, r->count, GRAIN, &r->plan->options.threads);
    ov_status status = collect(r, s);
    free_jobs(r);
    return status;
}

static int slices_of(const ovi_sweep_plan *plan) {
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->parts[i].polygons != NULL) {
            return SLICES; // a pair of bodies is a pair of many polygons
        }
    }
    return plan->count < FEW_PARTS ? 1 : SLICES;
}

static ov_status run_slices(run *r, ov_sweep *s) {
    const ovi_sweep_plan *plan = r->plan;
    int slices = slices_of(plan);
    ov_status status = OV_OK;
    bool open = false; // something was found, but no contact
    r->to = plan->start;
    for (int i = 1; i <= slices && status == OV_OK; i++) {
        r->from = r->to;
        r->to = i == slices ? plan->end : plan->start + (plan->end - plan->start) * i / slices;
        status = r->to > r->from ? find_pairs(r) : OV_OK;
        if (status == OV_OK && (plan->options.first_only || i == slices)) {
            r->told_from = plan->options.first_only ? (double)(i - 1) / slices : 0.0;
            r->told_to = (double)i / slices;
            status = run_jobs(r, s);
        }
        // where a contact begins with the next slice, this one only finds that it may be near
        if (plan->options.first_only && (isfinite(s->summary.upper) || open)) {
            break;
        }
        open = s->count > 0;
    }
    return status;
}

static void conclude(const ovi_sweep_plan *plan, ov_sweep *s) {
    settle_intervals(s, plan->options.intervals);
    s->summary.lower = s->summary.intervals > 0 ? s->summary.lower : plan->end;
    s->summary.answer = s->summary.intervals == 0    ? OV_SWEEP_ANSWER_FREE
                        : isfinite(s->summary.upper) ? OV_SWEEP_ANSWER_CONTACT
                                                     : OV_SWEEP_ANSWER_UNDECIDED;
}

ov_status ovi_plan_run(const ovi_sweep_plan *plan, ov_sweep **sweep, ov_fault *fault) {
    *sweep = NULL;
    run r = {
        .plan = plan, .fault = fault, .lock = {.inner = plan->allocator, .busy = ATOMIC_FLAG_INIT}};
    r.shared = (ov_allocator){resize_through, &r.lock};
    r.shortest = ldexp(plan->end - plan->start, -plan->options.depth);
    ov_sweep *s = ovi_resize(&plan->allocator, NULL, 0, 1, sizeof(ov_sweep));
    r.boxes = ovi_resize(&plan->allocator, NULL, 0, plan->count, sizeof(ov_aabb));
    r.balls = ovi_resize(&plan->allocator, NULL, 0, plan->count, STEPS * sizeof(ov_ball));
    r.order = ovi_resize(&plan->allocator, NULL, 0, plan->count, sizeof(uint32_t));
    ov_status status = ovi_fault_none(fault, OV_ERROR_MEMORY);
    if (s != NULL) {
        *s = (ov_sweep){.allocator = plan->allocator};
        s->summary.lower = s->summary.upper = INFINITY;
    }
    if (s != NULL &&
        (plan->count == 0 || (r.boxes != NULL && r.balls != NULL && r.order != NULL))) {
        status = run_slices(&r, s);
    }
    free_run(&r);
    if (status != OV_OK) {
        ov_sweep_destroy(s);
        return status;
    }
    conclude(plan, s);
    *sweep = s;
    return ovi_fault_none(fault, OV_OK);
}
