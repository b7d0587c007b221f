/**
 * @file checker.c
 * @brief A model against itself and against the bodies of a world, pose after pose.
 *
 * The pairs of parts of links to look at do not depend on the pose and are listed beforehand. A
 * pose then goes through layers, each of which proves of most pairs that reach it that they are
 * further apart than the limit [Portal, 2]:
 *
 * 1. Balls, of links of several parts first and then of the parts.
 * 2. What is known. A query proves a lower bound of a gap. Since then each point of a part has
 *    moved by no more than its odometer says, so the gap is no less than the bound less the motion
 *    of both parts. From one pose to the next the centre c of a part's ball moves, and a point at r
 *    from it is turned by at most 2 sin(angle/2) r:
 *        step = |c' - c| + 2 sin(angle/2) radius
 *    An odometer grows by no less than the steps, rounding included, so the difference of two
 *    readings bounds all the motion between them. (A part that goes to and fro moves on. What would
 *    be won by comparing poses instead would cost a pose per pair.)
 * 3. Oriented boxes.
 * 4. The pair queries, several at a time where the shapes are smooth, started from where the last
 *    one of the pair ended unless the parts have moved too far since.
 *
 * Bodies of a world come and go, and there may be many: these are found by the world's own tree,
 * and nothing is kept about them.
 *
 * The question whether anything is within the limit goes the same way, but asks pair by pair, with
 * queries that end as soon as the limit is decided, and ends with the first that is within. What
 * was within last time is asked first.
 *
 * All memory is taken when a checker is made; only where more contacts are found than there is room
 * for does a search for them ask for more.
 *
 * Where a part is in the world is rounded: its `error` is more than that, and is added to its ball,
 * to its steps, and to the limit of the box test.
 */
#include <float.h>
#include <string.h>

#include "../math/lanes.h"
#include "../math/rounding_mode.h"
#include "../query/query_internal.h"
#include "model_internal.h"
#include "world_internal.h"

/** Queries that are made ready at a time. */
enum { CHUNK = 256 };
/** Pairs of links that are sifted at a time, at least, where the first contact ends it. */
enum { LINK_CHUNK = 64 };
/** Balls of links that are compared with another one at a time. */
enum { LANES = 4 };

/** A link that has parts, at the last pose. */
typedef struct placed_link {
    uint32_t index;        /**< in the model */
    uint32_t first, count; /**< its parts */
    uint32_t ignored;      /**< groups of bodies that it is not checked against */
    ov_pose pose;
    ov_ball own; /**< holds the balls of its parts, in its frame */
} placed_link;

/** Balls of the links in the world, with room for a whole vector from each on. */
typedef struct link_balls {
    double *x, *y, *z, *radius;
} link_balls;

/** Two links that may not overlap. */
typedef struct link_pair {
    uint32_t a, b;
    uint32_t first, count; /**< their pairs of parts */
} link_pair;

/** Pairs of a link and others that follow one another. */
typedef struct link_run {
    uint32_t a, b;         /**< b: the first of the others */
    uint32_t first, count; /**< pairs of links */
} link_run;

/** A part at the last pose. */
typedef struct placed_part {
    const ovi_part *part;
    double reach; /**< lengths that its rounding errors scale with, but for the link's position */
    double error; /**< no point of its ball and box is further from where it should be */
    /** A ball of this radius swept over a box of the half extents below holds the part, closer than
     *  its own box where the part is round. */
    double swept_radius;
    ov_vec3 half;
    uint32_t link;
    bool box_along; /**< the box lies along the part's own axes */
    bool ready;     /**< pose and box are those of the last pose: made when they are needed */
    ov_pose pose;
    ovi_placed_box box;
} placed_part;

/** What is known about a pair. */
typedef struct pair_memory {
    double lower; /**< its gap was no less ... */
    double mark;  /**< ... when the odometers of both parts together showed no less */
} pair_memory;

struct ov_checker {
    ov_allocator allocator;
    const ov_model *model;
    ov_pair_options options;
    size_t link_count, part_count, pair_count, link_pair_count, run_count;
    placed_link *links;
    link_balls link_balls;
    placed_part *parts;
    ov_ball *balls;    /**< of the parts in the world, errors included */
    double *odometers; /**< no point of a part has moved by more than this grew by */
    link_pair *link_pairs;
    link_run *runs;
    uint32_t *near_links; /**< pairs of links that balls do not prove to be apart */
    uint32_t (*pairs)[2];
    pair_memory *memories;
    ov_warm_start *warm;
    uint32_t *left; /**< pairs that no layer has rejected yet */
    ov_pair *queries;
    ov_warm_start *starts;
    double *beyond; /**< gaps above it are of no interest */
    ov_contact *answers;
    ov_link_contact *contacts;
    size_t contact_room, found; /**< contacts of this run */
    bool has_run;               /**< there are poses from before */
    size_t last_pair;   /**< that was within the limit when that was last asked; beyond all: none */
    uint32_t last_part; /**< the same of a part and an obstacle; 0 to begin with */
    ovi_checker_counts counts;
};

/* ---- making */

/** More pairs of parts than this, of which each takes some hundred bytes, are refused. */
#define PAIRS_MAX ((size_t)1 << 24)
/** More links with parts are refused, too: to go through all their pairs would take seconds. */
#define LINKS_MAX ((size_t)1 << 15)
/** Room for so many contacts, or for all pairs if they are fewer. */
#define CONTACTS_AT_FIRST ((size_t)4096)

static void count_parts(ov_checker *s) {
    for (size_t i = 0; i < s->model->link_count; i++) {
        const ov_geometry *g = s->model->links[i].geometry;
        s->link_count += g != NULL;
        s->part_count += g != NULL ? g->count : 0;
    }
}

/** Spheres and capsules are points and segments swept by a ball. */
static double swept_radius_of(const ovi_part *part) {
    const ov_shape *shape = &part->part.shape;
    bool round = shape->kind == OV_SHAPE_KIND_SPHERE || shape->kind == OV_SHAPE_KIND_CAPSULE;
    return part->part.mesh == NULL && round ? shape->a.x : 0.0;
}

static double less(double half, double swept_radius) {
    return half > swept_radius ? half - swept_radius : 0.0;
}

static placed_part part_of(const ovi_part *part, size_t link) {
    ov_quat own = part->part.pose.rotation, box = part->obb.pose.rotation;
    double reach = ov_vec3_length(part->part.pose.position);
    if (part->bounded) {
        reach += ov_vec3_length(part->ball.centre) + part->ball.radius;
        reach += ov_vec3_length(part->obb.pose.position);
    }
    double swept_radius = swept_radius_of(part);
    ov_vec3 half = part->obb.half;
    return (placed_part){.part = part,
                         .reach = reach,
                         .swept_radius = swept_radius,
                         .half = {less(half.x, swept_radius), less(half.y, swept_radius),
                                  less(half.z, swept_radius)},
                         .link = (uint32_t)link,
                         .box_along =
                             own.w == box.w && own.x == box.x && own.y == box.y && own.z == box.z};
}

/** A ball about the middle of the parts' centres that holds their balls; rounded up. */
static ov_ball ball_around(const ov_geometry *g) {
    ov_ball ball = {{0.0, 0.0, 0.0}, 0.0};
    for (size_t k = 0; k < g->count; k++) {
        ball.centre = ov_vec3_add(ball.centre,
                                  ov_vec3_scale(g->parts[k].ball.centre, 1.0 / (double)g->count));
    }
    for (size_t k = 0; k < g->count; k++) {
        ov_vec3 d = ov_vec3_sub(g->parts[k].ball.centre, ball.centre);
        double reach = sqrt(ov_vec3_dot(d, d)) + g->parts[k].ball.radius;
        ball.radius = reach > ball.radius ? reach : ball.radius;
    }
    ball.radius *= 1.0 + 16.0 * DBL_EPSILON;
    return ball;
}

static void fill_parts(ov_checker *s) {
    size_t link = 0, part = 0;
    for (size_t i = 0; i < s->model->link_count; i++) {
        const ov_geometry *g = s->model->links[i].geometry;
        if (g == NULL) {
            continue;
        }
        s->links[link] = (placed_link){.index = (uint32_t)i,
                                       .first = (uint32_t)part,
                                       .count = (uint32_t)g->count,
                                       .own = ball_around(g)};
        for (size_t k = 0; k < g->count; k++, part++) {
            s->parts[part] = part_of(&g->parts[k], link);
            s->odometers[part] = 0.0;
        }
        link++;
    }
}

/** Two half-spaces have no gap that a query could tell. */
static bool is_unbounded(const ov_checker *s, const uint32_t pair[2]) {
    return !s->parts[pair[0]].part->bounded && !s->parts[pair[1]].part->bounded;
}

/** Notes the next pair of links, which continues the last run or begins one. */
static void add_to_runs(ov_checker *s, const link_run *pair, bool continues, size_t *runs) {
    *runs += !continues;
    if (s->runs != NULL && continues) {
        s->runs[*runs - 1].count++;
    } else if (s->runs != NULL) {
        s->runs[*runs - 1] = *pair;
    }
}

/**
 * Counts the pairs of parts to look at, and lists them where there is an array to list them in.
 * OV_ERROR_COUNT where there are too many, as soon as that is known.
 */
static ov_status list_pairs(ov_checker *s) {
    size_t count = 0, links = 0, runs = 0;
    for (size_t i = 0; i < s->link_count; i++) {
        const placed_link *a = &s->links[i];
        size_t next = 0; // after the last pair's other link
        for (size_t j = i + 1; j < s->link_count; j++) {
            const placed_link *b = &s->links[j];
            if (ov_model_is_allowed(s->model, a->index, b->index)) {
                continue;
            }
            size_t more = (size_t)a->count * b->count;
            if (more > PAIRS_MAX - count) {
                return OV_ERROR_COUNT;
            }
            if (s->link_pairs != NULL) {
                s->link_pairs[links] =
                    (link_pair){(uint32_t)i, (uint32_t)j, (uint32_t)count, (uint32_t)more};
            }
            add_to_runs(s, &(link_run){(uint32_t)i, (uint32_t)j, (uint32_t)links, 1}, j == next,
                        &runs);
            next = j + 1;
            links++;
            for (size_t k = 0; s->pairs != NULL && k < more; k++) {
                uint32_t *pair = s->pairs[count + k];
                pair[0] = a->first + (uint32_t)(k / b->count);
                pair[1] = b->first + (uint32_t)(k % b->count);
                if (is_unbounded(s, pair)) {
                    return OV_ERROR_UNBOUNDED;
                }
            }
            count += more;
        }
    }
    s->pair_count = count;
    s->link_pair_count = links;
    s->run_count = runs;
    return OV_OK;
}

/** An array, or null; `count` may be 0, so one more is asked for. */
static void *array_of(const ov_checker *s, size_t count, size_t size) {
    return ovi_resize(&s->allocator, NULL, 0, count + 1, size);
}

static void release(const ov_checker *s, void *array, size_t count, size_t size) {
    ovi_release(&s->allocator, array, count + 1, size);
}

static ov_status make_parts(ov_checker *s) {
    count_parts(s);
    if (s->link_count > LINKS_MAX) {
        return OV_ERROR_COUNT;
    }
    s->links = array_of(s, s->link_count, sizeof *s->links);
    const size_t room = s->link_count + LANES;
    double *numbers = array_of(s, 4 * room, sizeof *numbers);
    if (numbers != NULL) {
        memset(numbers, 0, 4 * room * sizeof *numbers);
        s->link_balls =
            (link_balls){numbers, numbers + room, numbers + 2 * room, numbers + 3 * room};
    }
    s->parts = array_of(s, s->part_count, sizeof *s->parts);
    s->balls = array_of(s, s->part_count, sizeof *s->balls);
    s->odometers = array_of(s, s->part_count, sizeof *s->odometers);
    if (s->links == NULL || numbers == NULL || s->parts == NULL || s->balls == NULL ||
        s->odometers == NULL) {
        return OV_ERROR_MEMORY;
    }
    fill_parts(s);
    return OV_OK;
}

static ov_status make_pairs(ov_checker *s) {
    ov_status status = list_pairs(s);
    if (status != OV_OK) {
        return status;
    }
    s->link_pairs = array_of(s, s->link_pair_count, sizeof *s->link_pairs);
    s->runs = array_of(s, s->run_count, sizeof *s->runs);
    s->near_links = array_of(s, s->link_pair_count + LANES, sizeof *s->near_links);
    s->pairs = array_of(s, s->pair_count, sizeof *s->pairs);
    s->memories = array_of(s, s->pair_count, sizeof *s->memories);
    s->warm = array_of(s, s->pair_count, sizeof *s->warm);
    s->left = array_of(s, s->pair_count, sizeof *s->left);
    if (s->link_pairs == NULL || s->runs == NULL || s->near_links == NULL || s->pairs == NULL ||
        s->memories == NULL || s->warm == NULL || s->left == NULL) {
        return OV_ERROR_MEMORY;
    }
    for (size_t i = 0; i < s->pair_count; i++) {
        s->memories[i] = (pair_memory){-INFINITY, 0.0};
    }
    memset(s->warm, 0, s->pair_count * sizeof *s->warm);
    return list_pairs(s);
}

static ov_status make_answers(ov_checker *s) {
    s->queries = array_of(s, CHUNK, sizeof *s->queries);
    s->starts = array_of(s, CHUNK, sizeof *s->starts);
    s->beyond = array_of(s, CHUNK, sizeof *s->beyond);
    s->answers = array_of(s, CHUNK, sizeof *s->answers);
    size_t room = s->pair_count < CONTACTS_AT_FIRST ? s->pair_count : CONTACTS_AT_FIRST;
    s->contacts = array_of(s, room, sizeof *s->contacts);
    s->contact_room = s->contacts != NULL ? room + 1 : 0;
    bool good = s->queries != NULL && s->starts != NULL && s->beyond != NULL &&
                s->answers != NULL && s->contacts != NULL;
    return good ? OV_OK : OV_ERROR_MEMORY;
}

ov_status ov_checker_create(const ov_model *model, const ov_pair_options *options,
                            const ov_allocator *allocator, ov_checker **check) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_checker_create(model, options, allocator, check));
    if (check == NULL) {
        return OV_ERROR_NULL;
    }
    *check = NULL;
    if (model == NULL) {
        return OV_ERROR_NULL;
    }
    ov_pair_options used = ovi_pair_options_of(options);
    ov_status status = ovi_check_pair_options(&used);
    if (status != OV_OK) {
        return status;
    }
    ov_allocator from = ovi_allocator_of(allocator);
    ov_checker *s = ovi_resize(&from, NULL, 0, 1, sizeof *s);
    if (s == NULL) {
        return OV_ERROR_MEMORY;
    }
    *s = (ov_checker){.allocator = from, .model = model, .options = used, .last_pair = SIZE_MAX};
    status = make_parts(s);
    status = status == OV_OK ? make_pairs(s) : status;
    status = status == OV_OK ? make_answers(s) : status;
    if (status != OV_OK) {
        ov_checker_destroy(s);
        return status;
    }
    *check = s;
    return OV_OK;
}

void ov_checker_destroy(ov_checker *s) {
    if (s == NULL) {
        return;
    }
    ov_allocator from = s->allocator;
    ovi_release(&from, s->contacts, s->contact_room, sizeof *s->contacts);
    release(s, s->answers, CHUNK, sizeof *s->answers);
    release(s, s->beyond, CHUNK, sizeof *s->beyond);
    release(s, s->starts, CHUNK, sizeof *s->starts);
    release(s, s->queries, CHUNK, sizeof *s->queries);
    release(s, s->left, s->pair_count, sizeof *s->left);
    release(s, s->warm, s->pair_count, sizeof *s->warm);
    release(s, s->memories, s->pair_count, sizeof *s->memories);
    release(s, s->pairs, s->pair_count, sizeof *s->pairs);
    release(s, s->odometers, s->part_count, sizeof *s->odometers);
    release(s, s->near_links, s->link_pair_count + LANES, sizeof *s->near_links);
    release(s, s->runs, s->run_count, sizeof *s->runs);
    release(s, s->link_pairs, s->link_pair_count, sizeof *s->link_pairs);
    release(s, s->balls, s->part_count, sizeof *s->balls);
    release(s, s->parts, s->part_count, sizeof *s->parts);
    release(s, s->link_balls.x, 4 * (s->link_count + LANES), sizeof(double));
    release(s, s->links, s->link_count, sizeof *s->links);
    ovi_release(&from, s, 1, sizeof *s);
}

/** A start from the last query is better than a guess up to this motion, in radii. */
#define WARM_REACH 0.5

/** Some roundings, as a factor: of a sum of positive numbers, a square, a root. */
#define MORE (1.0 + 8.0 * DBL_EPSILON)

/* ---- where the parts are */

/** Errors of a rotated and moved point of a part, by how far out its link is. */
static inline double error_at(double out, const placed_part *part) {
    return 32.0 * DBL_EPSILON * (out + part->reach);
}

/** 2 sin(angle/2) of the rotation between two unit quaternions, rounded up. */
static double chord_between(ov_quat a, ov_quat b) {
    // the vector part of the conjugate of a times b: small where the rotation is, without
    // cancellation
    ov_vec3 u = {a.x, a.y, a.z}, v = {b.x, b.y, b.z}, w = ov_vec3_cross(u, v);
    ov_vec3 s = ov_vec3_sub(ov_vec3_sub(ov_vec3_scale(v, a.w), ov_vec3_scale(u, b.w)), w);
    return 2.0 * sqrt(ov_vec3_dot(s, s)) + 64.0 * DBL_EPSILON;
}

/** Is a pose one, with a unit quaternion? Those of ov_model_poses are. */
static inline bool is_unit_pose(const ov_pose *pose) {
    ov_vec3 p = pose->position;
    const double most = OV_POSITION_MAX;
    return fabs(p.x) <= most && fabs(p.y) <= most && fabs(p.z) <= most &&
           fabs(ovi_quat_square(pose->rotation) - 1.0) <= 8.0 * DBL_EPSILON;
}

/** Moves a part of a link, whose rotation since the last pose has that chord, and returns its
 * error.
 */
static inline double move_part(ov_checker *s, uint32_t i, const ov_mat3 *rotation, ov_vec3 position,
                               double out, double chord) {
    placed_part *part = &s->parts[i];
    const ov_ball *own = &part->part->ball;
    ov_vec3 centre = ov_vec3_add(ov_mat3_mul_vec3(rotation, own->centre), position);
    ov_vec3 way = ov_vec3_sub(centre, s->balls[i].centre);
    double error = error_at(out, part);
    if (s->has_run) {
        double step = sqrt(ov_vec3_dot(way, way)) + chord * own->radius;
        // the factor is more than the rounding of the sum, so that no step is lost in it
        s->odometers[i] = (s->odometers[i] + step * MORE + part->error + error) * MORE;
    }
    part->error = error;
    part->ready = false;
    s->balls[i] = (ov_ball){centre, (own->radius + error) * MORE};
    return error;
}

/** Moves the parts of a link to a pose. */
static inline void move_link(ov_checker *s, placed_link *link, const ov_pose *pose) {
    double chord = chord_between(link->pose.rotation, pose->rotation);
    ov_mat3 rotation = ovi_mat3_of_quat(pose->rotation, 2.0);
    ov_vec3 p = pose->position;
    double out = fabs(p.x) + fabs(p.y) + fabs(p.z), most = 0.0; // of the errors
    for (uint32_t i = link->first; i < link->first + link->count; i++) {
        double error = move_part(s, i, &rotation, p, out, chord);
        most = error > most ? error : most;
    }
    link->pose = *pose;
    // its centre is no further out than those of the parts, so its error is no more than theirs
    ov_vec3 centre = link->count == 1
                         ? s->balls[link->first].centre
                         : ov_vec3_add(ov_mat3_mul_vec3(&rotation, link->own.centre), p);
    size_t index = (size_t)(link - s->links);
    s->link_balls.x[index] = centre.x;
    s->link_balls.y[index] = centre.y;
    s->link_balls.z[index] = centre.z;
    s->link_balls.radius[index] = (link->own.radius + 2.0 * most) * MORE;
}

/** Makes a pose one with a unit quaternion, in a room of its own, unless it is. */
static inline ov_status make_unit(const ov_pose **pose, ov_pose *room) {
    if (is_unit_pose(*pose)) {
        return OV_OK;
    }
    *room = **pose;
    *pose = room;
    return ovi_pose_normalize(room);
}

/** Moves all parts; where a pose is not one, nothing is moved. */
static ov_status move_parts(ov_checker *s, const ov_pose *poses) {
    ov_pose room;
    bool units = true;
    for (size_t i = 0; i < s->link_count; i++) {
        const ov_pose *given = &poses[s->links[i].index], *pose = given;
        ov_status status = make_unit(&pose, &room);
        if (status != OV_OK) {
            return status;
        }
        units = units && pose == given;
    }
    for (size_t i = 0; i < s->link_count; i++) {
        placed_link *link = &s->links[i];
        const ov_pose *pose = &poses[link->index];
        if (!units) {
            (void)make_unit(&pose, &room);
        }
        if (!s->has_run || !ovi_is_same_pose(&link->pose, pose)) {
            move_link(s, link, pose);
        }
    }
    s->has_run = true;
    return OV_OK;
}

/* ---- layers */

/** Both odometers together, rounded up. */
static inline double reading(const ov_checker *s, const uint32_t pair[2]) {
    return (s->odometers[pair[0]] + s->odometers[pair[1]]) * MORE;
}

static inline bool are_balls_apart(const ov_ball *a, const ov_ball *b, double limit) {
    ov_vec3 d = ov_vec3_sub(b->centre, a->centre);
    double reach = (a->radius + b->radius + limit) * MORE;
    return ov_vec3_dot(d, d) > reach * reach;
}

/** Pairs of parts of some runs, one after the other. */
static size_t pairs_of_runs(const ov_checker *s, size_t first, size_t end) {
    if (first == end) {
        return 0;
    }
    const link_run *last = &s->runs[end - 1];
    const link_pair *from = &s->link_pairs[s->runs[first].first];
    const link_pair *to = &s->link_pairs[last->first + last->count - 1];
    return (size_t)to->first + to->count - from->first;
}

OVI_INLINE ovi_v4 lanes_from(const double *x) { return (ovi_v4){x[0], x[1], x[2], x[3]}; }

/** The pairs of links of a run whose balls are not proven to be apart, added to those found. */
OVI_INLINE size_t run_near(const link_balls *balls, const link_run *run, double limit,
                           uint32_t *found, size_t count) {
    const double x = balls->x[run->a], y = balls->y[run->a], z = balls->z[run->a];
    const double radius = balls->radius[run->a];
    for (uint32_t k = 0; k < run->count; k += LANES) {
        uint32_t b = run->b + k, left = run->count - k;
        ovi_v4 dx = lanes_from(balls->x + b) - x, dy = lanes_from(balls->y + b) - y;
        ovi_v4 dz = lanes_from(balls->z + b) - z;
        // as in are_balls_apart
        ovi_v4 reach = (radius + lanes_from(balls->radius + b) + limit) * MORE;
        ovi_i4 near = ~(dx * dx + dy * dy + dz * dz > reach * reach);
        if ((near[0] | near[1] | near[2] | near[3]) == 0) {
            continue;
        }
        for (uint32_t lane = 0; lane < LANES && lane < left; lane++) {
            found[count] = run->first + k + lane;
            count += near[lane] != 0;
        }
    }
    return count;
}

OVI_INLINE size_t links_near(const ov_checker *s, size_t first, size_t end, double limit) {
    size_t count = 0;
    for (size_t i = first; i < end; i++) {
        count = run_near(&s->link_balls, &s->runs[i], limit, s->near_links, count);
    }
    return count;
}

/** Of some runs the pairs of links that may be near, in near_links: how many. */
OVI_DISPATCH(static, size_t, find_near_links, links_near,
             (const ov_checker *s, size_t first, size_t end, double limit), (s, first, end, limit))

/** Of some runs of pairs of links those of their parts that neither balls nor what is known prove
 *  to be apart. */
static size_t sift_by_balls(ov_checker *s, size_t first, size_t end, double limit) {
    size_t left = 0, known = 0, near = find_near_links(s, first, end, limit);
    const double least = limit * MORE;
    for (size_t i = 0; i < near; i++) {
        const link_pair *l = &s->link_pairs[s->near_links[i]];
        for (uint32_t k = l->first; k < l->first + l->count; k++) {
            const uint32_t *pair = s->pairs[k];
            const pair_memory *m = &s->memories[k];
            if (are_balls_apart(&s->balls[pair[0]], &s->balls[pair[1]], limit)) {
                continue;
            }
            if (m->lower - (reading(s, pair) - m->mark) > least) {
                known++;
            } else {
                s->left[left++] = k;
            }
        }
    }
    s->counts.rejected_kept += known;
    s->counts.rejected_ball += pairs_of_runs(s, first, end) - known - left;
    return left;
}

/** Pose and box of a part, where they have not been made for this pose of its link yet. */
static const placed_part *ready_part(ov_checker *s, uint32_t index) {
    placed_part *part = &s->parts[index];
    if (!part->ready) {
        ov_pose body = s->links[part->link].pose;
        const ov_obb *box = &part->part->obb;
        part->pose = ovi_part_pose(part->part, body);
        ov_quat rotation = part->box_along ? part->pose.rotation
                                           : ovi_quat_product(body.rotation, box->pose.rotation);
        ov_vec3 centre =
            ov_vec3_add(ovi_quat_turn(body.rotation, box->pose.position), body.position);
        part->box = (ovi_placed_box){ovi_mat3_of_quat(rotation, 2.0), centre, part->half};
        part->ready = true;
    }
    return part;
}

/** Are the boxes of a pair proven to be further apart than the limit? */
static bool are_boxes_apart(ov_checker *s, const uint32_t pair[2], double limit) {
    const placed_part *a = ready_part(s, pair[0]), *b = ready_part(s, pair[1]);
    double reach = (limit + a->swept_radius + b->swept_radius + a->error + b->error) * MORE;
    // twice, for the rotation of a part in its link is a product already
    return ovi_placed_boxes_apart(&a->box, &b->box, reach, 2.0 * OVI_AXES_ERROR);
}

static size_t sift_by_boxes(ov_checker *s, size_t count, double limit) {
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        if (!are_boxes_apart(s, s->pairs[s->left[i]], limit)) {
            s->left[left++] = s->left[i];
        }
    }
    s->counts.rejected_obb = count - left;
    return left;
}

/* ---- queries of two links */

static bool is_shape_pair(const placed_part *a, const placed_part *b) {
    return a->part->part.mesh == NULL && b->part->part.mesh == NULL;
}

/** Rounding of the pose that a query was given. */
static double rounding_of(const placed_part *part) {
    return part->part->at_origin ? 0.0 : part->error;
}

/** Has a pair moved so little since its last query that the next one is like it? */
static bool is_like_last(const ov_checker *s, uint32_t k) {
    const uint32_t *pair = s->pairs[k];
    double moved = reading(s, pair) - s->memories[k].mark;
    return moved <= WARM_REACH * (s->balls[pair[0]].radius + s->balls[pair[1]].radius);
}

/** Where the last query ended, if that is worth something still. */
static ov_warm_start start_of(const ov_checker *s, uint32_t k) {
    return is_like_last(s, k) ? s->warm[k] : (ov_warm_start){0};
}

/**
 * Asks for the pairs of shapes of a chunk, all at once. A gap that is no contact is of use at poses
 * to come, unless these are as far away as the last one.
 */
static ov_status ask_shapes(ov_checker *s, const uint32_t *left, size_t count, double limit) {
    size_t asked = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *pair = s->pairs[left[i]];
        const placed_part *a = &s->parts[pair[0]], *b = &s->parts[pair[1]];
        if (is_shape_pair(a, b)) {
            double reach = (limit + rounding_of(a) + rounding_of(b)) * MORE + DBL_MIN;
            bool like_last = is_like_last(s, left[i]);
            s->queries[asked] =
                (ov_pair){&a->part->part.shape, &b->part->part.shape, a->pose, b->pose};
            s->starts[asked] = like_last ? s->warm[left[i]] : (ov_warm_start){0};
            s->beyond[asked] = like_last ? 0.0 : reach;
            asked++;
        }
    }
    return ovi_pair_contact_batch(s->queries, asked, s->beyond, &s->options, s->starts, s->answers);
}

static ov_status keep(ov_checker *s, const ov_link_contact *contact) {
    if (s->found == s->contact_room) {
        void *larger = ovi_more_room(&s->allocator, s->contacts, &s->contact_room,
                                     2 * s->contact_room, sizeof *s->contacts);
        if (larger == NULL) {
            return OV_ERROR_MEMORY;
        }
        s->contacts = larger;
    }
    s->contacts[s->found++] = *contact;
    return OV_OK;
}

/** Links and parts of a pair, without a contact. */
static ov_link_contact pair_contact(const ov_checker *s, uint32_t k) {
    const uint32_t *pair = s->pairs[k];
    const placed_link *a = &s->links[s->parts[pair[0]].link];
    const placed_link *b = &s->links[s->parts[pair[1]].link];
    return (ov_link_contact){.link_a = a->index,
                             .link_b = b->index,
                             .part_a = pair[0] - a->first,
                             .part_b = pair[1] - b->first};
}

/** Keeps what an answer proves, and the answer itself where it is not beyond the limit. */
static ov_status take_answer(ov_checker *s, uint32_t k, const ov_trimesh_contact *answer,
                             double limit) {
    const uint32_t *pair = s->pairs[k];
    const placed_part *a = &s->parts[pair[0]], *b = &s->parts[pair[1]];
    ov_contact contact = answer->contact;
    if (contact.status < 0) {
        return contact.status;
    }
    ovi_contact_widen(&contact, rounding_of(a) + rounding_of(b));
    double lower = contact.gap_lower;
    s->memories[k].lower = lower - 4.0 * DBL_EPSILON * fabs(lower);
    s->memories[k].mark = (s->odometers[pair[0]] + s->odometers[pair[1]]) / MORE;
    if (lower > limit) {
        s->counts.rejected_query++;
        return OV_OK;
    }
    s->counts.overlapping += contact.relation == OV_RELATION_OVERLAPPING;
    ov_link_contact found = pair_contact(s, k);
    found.triangle_a = answer->triangle_a;
    found.triangle_b = answer->triangle_b;
    found.contact = contact;
    return keep(s, &found);
}

static ov_status ask(ov_checker *s, const uint32_t *left, size_t count, double limit) {
    ov_status status = ask_shapes(s, left, count, limit);
    size_t answered = 0;
    for (size_t i = 0; status == OV_OK && i < count; i++) {
        const uint32_t *pair = s->pairs[left[i]];
        const placed_part *a = &s->parts[pair[0]], *b = &s->parts[pair[1]];
        ov_trimesh_contact answer = {.triangle_a = OV_NO_TRIANGLE, .triangle_b = OV_NO_TRIANGLE};
        if (is_shape_pair(a, b)) {
            s->warm[left[i]] = s->starts[answered];
            answer.contact = s->answers[answered++];
        } else {
            double reach = (limit + rounding_of(a) + rounding_of(b)) * MORE;
            (void)ovi_parts_contact(&a->part->part, a->pose, &b->part->part, b->pose, reach,
                                    &s->options, NULL, &answer);
        }
        status = take_answer(s, left[i], &answer, limit);
    }
    return status;
}

/* ---- is anything within the limit? */

/** Steps inwards to a point of both of two bodies that are not proven to be apart. */
enum { OVERLAP_STEPS = 8 };

/** Two parts at poses in the world that are known up to `error`, both together. */
typedef struct query {
    const ov_part *a, *b;
    ov_pose pose_a, pose_b;
    double error;
} query;

/** What a contact of bodies that may lie elsewhere by `error` says about the limit. */
static ov_answer judge(ov_contact *contact, double error, double limit) {
    ovi_contact_widen(contact, error);
    return contact->gap_lower > limit    ? OV_ANSWER_NO
           : contact->gap_upper <= limit ? OV_ANSWER_YES
                                         : OV_ANSWER_UNKNOWN;
}

/** Are two parts within the limit of each other? */
static ov_status ask_within(const ov_checker *s, const query *q, double limit, ov_warm_start *warm,
                            ov_answer *within) {
    double reach = (limit + q->error) * MORE;
    ov_trimesh_contact c;
    ov_status status;
    if (q->a->mesh != NULL || q->b->mesh != NULL) {
        status = ovi_meshes_meet(q->a, q->pose_a, q->b, q->pose_b, reach, &s->options, &c);
        *within = status >= 0 ? judge(&c.contact, q->error, limit) : OV_ANSWER_UNKNOWN;
        return status < 0 ? status : OV_OK;
    }
    // deep overlaps take a few gauges, and no solver
    if (ovi_pair_overlaps(&q->a->shape, q->pose_a, &q->b->shape, q->pose_b, q->error, 0)) {
        *within = OV_ANSWER_YES;
        return OV_OK;
    }
    ov_answer beyond;
    status = ov_pair_exceeds(&q->a->shape, q->pose_a, &q->b->shape, q->pose_b,
                             q->error > 0.0 ? reach : limit, &s->options, warm, &beyond);
    *within = beyond == OV_ANSWER_YES ? OV_ANSWER_NO : OV_ANSWER_YES;
    if (status < 0 || beyond == OV_ANSWER_YES || (beyond == OV_ANSWER_NO && q->error == 0.0)) {
        return status < 0 ? status : OV_OK;
    }
    if (ovi_pair_overlaps(&q->a->shape, q->pose_a, &q->b->shape, q->pose_b, q->error,
                          OVERLAP_STEPS)) {
        *within = OV_ANSWER_YES;
        return OV_OK;
    }
    // the bounds tell, where rounding leaves it open; any depth does, and mostly loose bounds do
    ov_pair_options loose = s->options;
    loose.depth = OV_DEPTH_LOCAL;
    loose.tolerance = OV_TOLERANCE_MAX;
    *within = OV_ANSWER_UNKNOWN;
    for (int pass = 0; pass < 2 && *within == OV_ANSWER_UNKNOWN; pass++) {
        status = ov_pair_contact(&q->a->shape, q->pose_a, &q->b->shape, q->pose_b, &loose, warm,
                                 &c.contact);
        if (status < 0) {
            return status;
        }
        *within = judge(&c.contact, q->error, limit);
        loose.tolerance = s->options.tolerance;
    }
    return OV_OK;
}

/** Takes the answer for two parts, who are `names`, into that for all. */
static ov_status decide(const ov_checker *s, const query *q, double limit, ov_warm_start *warm,
                        const ov_link_contact *names, ov_answer *answer, ov_link_contact *found) {
    ov_answer within;
    ov_status status = ask_within(s, q, limit, warm, &within);
    if (status != OV_OK || within == OV_ANSWER_NO ||
        (within == OV_ANSWER_UNKNOWN && *answer == OV_ANSWER_UNKNOWN)) {
        return status;
    }
    *answer = within;
    if (found != NULL) {
        ov_trimesh_contact c;
        *found = *names;
        status =
            ovi_parts_contact(q->a, q->pose_a, q->b, q->pose_b, INFINITY, &s->options, NULL, &c);
        found->triangle_a = c.triangle_a;
        found->triangle_b = c.triangle_b;
        found->contact = c.contact;
        ovi_contact_widen(&found->contact, q->error);
    }
    return status < 0 ? status : OV_OK;
}

/** Is a pair of parts of two links within the limit? */
static ov_status decide_pair(ov_checker *s, uint32_t k, double limit, ov_answer *answer,
                             ov_link_contact *found) {
    const uint32_t *pair = s->pairs[k];
    if (are_boxes_apart(s, pair, limit)) {
        s->counts.rejected_obb++;
        return OV_OK;
    }
    const placed_part *a = &s->parts[pair[0]], *b = &s->parts[pair[1]];
    const query q = {&a->part->part, &b->part->part, a->pose, b->pose,
                     rounding_of(a) + rounding_of(b)};
    const ov_link_contact names = pair_contact(s, k);
    ov_warm_start warm = start_of(s, k);
    s->counts.queries++;
    ov_status status = decide(s, &q, limit, &warm, &names, answer, found);
    s->warm[k] = warm;
    if (*answer == OV_ANSWER_YES) {
        s->last_pair = k;
    }
    return status;
}

/** The links against each other, some at a time; first the parts that met last time, for they often
 *  do again. */
static ov_status decide_links(ov_checker *s, double limit, ov_answer *answer,
                              ov_link_contact *found) {
    ov_status status = OV_OK;
    if (s->last_pair < s->pair_count) {
        status = decide_pair(s, (uint32_t)s->last_pair, limit, answer, found);
    }
    for (size_t i = 0, end; i < s->run_count; i = end) {
        uint32_t chunk = s->runs[i].first + LINK_CHUNK;
        for (end = i + 1; end < s->run_count && s->runs[end].first < chunk; end++) {
        }
        size_t left =
            status == OV_OK && *answer != OV_ANSWER_YES ? sift_by_balls(s, i, end, limit) : 0;
        for (size_t k = 0; k < left && status == OV_OK && *answer != OV_ANSWER_YES; k++) {
            status = decide_pair(s, s->left[k], limit, answer, found);
        }
    }
    return status;
}

/* ---- obstacles */

/** A part of a link against the bodies of a world. */
typedef struct obstacle_search {
    ov_checker *checker;
    const ov_world *world;
    uint32_t part;
    double limit;
    ov_answer answer; /**< of a question: what is known so far */
    ov_link_contact *found;
    bool is_question; /**< whether anything is within the limit, rather than what */
    ov_status status;
} obstacle_search;

/** A part of a link and one of a body, ready for a query; `error` is of both their poses. */
typedef struct obstacle_pair {
    const ov_part *a, *b;
    ov_pose pose_a, pose_b;
    double error;
    ov_link_contact contact; /**< who they are */
} obstacle_pair;

static obstacle_pair obstacle_pair_of(const obstacle_search *q, const ovi_leaf *l) {
    const placed_part *part = ready_part(q->checker, q->part);
    const placed_link *link = &q->checker->links[part->link];
    const ovi_body *body = &q->world->bodies[l->body];
    const ovi_part *other = &body->geometry->parts[l->part];
    return (obstacle_pair){.a = &part->part->part,
                           .b = &other->part,
                           .pose_a = part->pose,
                           .pose_b = ovi_part_pose(other, body->pose),
                           .error = rounding_of(part) + ovi_part_pose_rounding(other, body->pose),
                           .contact = {.link_a = link->index,
                                       .link_b = OV_NO_LINK,
                                       .body = ovi_body_id(q->world, body),
                                       .user = body->user,
                                       .part_a = q->part - link->first,
                                       .part_b = l->part}};
}

static ov_status take_obstacle(obstacle_search *q, obstacle_pair *p) {
    ov_trimesh_contact answer;
    ov_status status =
        ovi_parts_contact(p->a, p->pose_a, p->b, p->pose_b, (q->limit + p->error) * MORE,
                          &q->checker->options, NULL, &answer);
    if (status < 0) {
        return status;
    }
    p->contact.contact = answer.contact;
    p->contact.triangle_a = answer.triangle_a;
    p->contact.triangle_b = answer.triangle_b;
    ovi_contact_widen(&p->contact.contact, p->error);
    return p->contact.contact.gap_lower > q->limit ? OV_OK : keep(q->checker, &p->contact);
}

static ov_status decide_obstacle(obstacle_search *q, const obstacle_pair *p) {
    ov_warm_start cold = {0};
    const query asked = {p->a, p->b, p->pose_a, p->pose_b, p->error};
    return decide(q->checker, &asked, q->limit, &cold, &p->contact, &q->answer, q->found);
}

static bool visit_obstacle(void *user, const ovi_leaf *l) {
    obstacle_search *q = user;
    uint32_t ignored = q->checker->links[q->checker->parts[q->part].link].ignored;
    if ((q->world->bodies[l->body].group & ignored) != 0) {
        return true;
    }
    obstacle_pair p = obstacle_pair_of(q, l);
    q->status = q->is_question ? decide_obstacle(q, &p) : take_obstacle(q, &p);
    return q->status == OV_OK && !(q->is_question && q->answer == OV_ANSWER_YES);
}

static bool is_before(const ov_link_contact *a, const ov_link_contact *b) {
    return a->body != b->body ? a->body < b->body : a->part_b < b->part_b;
}

/** By bodies and their parts (Shell's sort): the tree has them in the order of its own. */
static void sort_contacts(ov_link_contact *contacts, size_t count) {
    for (size_t step = count / 2; step > 0; step /= 2) {
        for (size_t i = step; i < count; i++) {
            ov_link_contact moved = contacts[i];
            size_t k = i;
            for (; k >= step && is_before(&moved, &contacts[k - step]); k -= step) {
                contacts[k] = contacts[k - step];
            }
            contacts[k] = moved;
        }
    }
}

/** The n-th part to look at: of a question the one that decided the last one comes first. */
static uint32_t nth_part(const obstacle_search *q, uint32_t n) {
    uint32_t last = q->checker->last_part;
    if (!q->is_question || n > last) {
        return n;
    }
    return n == 0 ? last : n - 1;
}

/** All parts of all links against the world. */
static ov_status search_obstacles(obstacle_search *q) {
    ov_checker *s = q->checker;
    for (uint32_t n = 0; q->world != NULL && n < s->part_count; n++) {
        uint32_t i = nth_part(q, n);
        const placed_link *link = &s->links[s->parts[i].link];
        ovi_near_search near = {.world = q->world,
                                .part = s->parts[i].part,
                                .pose = link->pose,
                                .limit = q->limit,
                                .visit = visit_obstacle,
                                .user = q};
        size_t first = s->found;
        q->part = i;
        if (link->ignored != UINT32_MAX && !ovi_world_search_near(&near)) {
            s->last_part = i;
            return q->status;
        }
        if (!q->is_question) {
            sort_contacts(s->contacts + first, s->found - first);
        }
    }
    return OV_OK;
}

/* ---- the public calls */

/** Checks the input and moves the parts. */
static ov_status begin(ov_checker *s, const ov_pose *poses, double limit) {
    ov_status status = ovi_check_limit(limit);
    if (status != OV_OK) {
        return status;
    }
    s->counts = (ovi_checker_counts){.pairs = s->pair_count};
    s->found = 0;
    return move_parts(s, poses);
}

ov_status ov_checker_contacts(ov_checker *s, const ov_pose *poses, const ov_world *obstacles,
                              double limit, const ov_link_contact **contacts, size_t *count) {
    OVI_ROUND_TO_NEAREST(ov_status,
                         ov_checker_contacts(s, poses, obstacles, limit, contacts, count));
    if (s == NULL || poses == NULL || contacts == NULL || count == NULL) {
        return OV_ERROR_NULL;
    }
    *contacts = s->contacts;
    *count = 0;
    ov_status status = begin(s, poses, limit);
    if (status != OV_OK) {
        return status;
    }
    size_t left = sift_by_boxes(s, sift_by_balls(s, 0, s->run_count, limit), limit);
    s->counts.queries = left;
    for (size_t i = 0; status == OV_OK && i < left; i += CHUNK) {
        status = ask(s, s->left + i, left - i < CHUNK ? left - i : CHUNK, limit);
    }
    s->counts.contacts = s->found;
    if (status == OV_OK) {
        obstacle_search q = {.checker = s, .world = obstacles, .limit = limit};
        status = search_obstacles(&q);
    }
    if (status != OV_OK) {
        return status;
    }
    *contacts = s->contacts;
    *count = s->found;
    return OV_OK;
}

ov_status ov_checker_collides(ov_checker *s, const ov_pose *poses, const ov_world *obstacles,
                              double limit, ov_answer *answer, ov_link_contact *found) {
    OVI_ROUND_TO_NEAREST(ov_status, ov_checker_collides(s, poses, obstacles, limit, answer, found));
    if (s == NULL || poses == NULL || answer == NULL) {
        return OV_ERROR_NULL;
    }
    *answer = OV_ANSWER_UNKNOWN;
    if (found != NULL) {
        *found = (ov_link_contact){.link_a = OV_NO_LINK,
                                   .link_b = OV_NO_LINK,
                                   .triangle_a = OV_NO_TRIANGLE,
                                   .triangle_b = OV_NO_TRIANGLE,
                                   .contact = ovi_contact_none(OV_OK)};
    }
    ov_status status = begin(s, poses, limit);
    if (status != OV_OK) {
        return status;
    }
    ov_answer known = OV_ANSWER_NO;
    status = decide_links(s, limit, &known, found);
    if (status == OV_OK && known != OV_ANSWER_YES) {
        obstacle_search q = {.checker = s,
                             .world = obstacles,
                             .limit = limit,
                             .answer = known,
                             .found = found,
                             .is_question = true};
        status = search_obstacles(&q);
        known = q.answer;
    }
    if (status != OV_OK) {
        return status;
    }
    *answer = known;
    return known == OV_ANSWER_UNKNOWN ? OV_NOT_CONVERGED : OV_OK;
}

ov_status ov_checker_ignore(ov_checker *s, uint32_t link, uint32_t groups) {
    if (s == NULL) {
        return OV_ERROR_NULL;
    }
    if (link != OV_NO_LINK && link >= s->model->link_count) {
        return OV_ERROR_INDEX;
    }
    for (size_t i = 0; i < s->link_count; i++) {
        if (link == OV_NO_LINK || s->links[i].index == link) {
            s->links[i].ignored = groups;
        }
    }
    return OV_OK;
}

void ovi_checker_add_counts(const ov_checker *s, ovi_checker_counts *sum) {
    const ovi_checker_counts *c = &s->counts;
    sum->pairs += c->pairs;
    sum->rejected_kept += c->rejected_kept;
    sum->rejected_ball += c->rejected_ball;
    sum->rejected_obb += c->rejected_obb;
    sum->queries += c->queries;
    sum->rejected_query += c->rejected_query;
    sum->contacts += c->contacts;
    sum->overlapping += c->overlapping;
}
