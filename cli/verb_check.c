/**
 * @file verb_check.c
 * @brief `ovoid check`: collisions and clearances of a scene, or of a robot pose after pose.
 *
 * Scenes are asked by a world; robots by a checker, with a world of obstacles. The poses of a robot
 * are worked on in blocks of a fixed number. Within a block each pose starts from what is known
 * from the one before; a new block knows nothing. So blocks may go to threads, and what is found is
 * the same for any number of these.
 *
 * Contacts of CSV and JSON are written as they come, so that a long trajectory needs no more memory
 * than a short one. The table has a line for each pair of things and not for each pose: what
 * matters of a movement is which links meet, when for the first time, and how near they come.
 */
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "subject.h"
#include "table.h"
#include "timing.h"

/** A length that is near for a robot in metres. */
#define DEFAULT_LIMIT 0.05

static const args_option options[] = {
    // clang-format off
    SHARED_JOINTS,
    SHARED_OBSTACLES,
    SHARED_ALLOW,
    SHARED_HULLS,
    SHARED_PACKAGE,
    SHARED_LIMIT("0.05"),
    SHARED_TOLERANCE,
    SHARED_DEPTH("global"),
    SHARED_THREADS,
    SHARED_CSV,
    SHARED_JSON,
    SHARED_WIDE,
    SHARED_OUTPUT,
    // clang-format on
};
enum { OPTION_COUNT = sizeof options / sizeof options[0] };

/** What is checked, and how. */
typedef struct check_job {
    subject subject;
    double limit;
    ov_pair_options pair;
    unsigned threads;
} check_job;

/** A contact of two things in a pose, a < b. */
typedef struct check_contact {
    size_t pose;
    uint32_t a, b, part_a, part_b;
    ov_contact contact;
} check_contact;

/** Takes all contacts of a pose, by things and parts in ascending order; poses come in order. False
 *  ends the work. */
typedef bool (*check_taker)(void *user, size_t pose, const check_contact *contacts, size_t count);

/** Number of poses: 1 for a scene. */
static size_t pose_count(const check_job *job) {
    return job->subject.scene != NULL ? 1 : job->subject.joints.count;
}

/** Poses of a block; blocks for each thread between two moments of output. */
enum { BLOCK = 64, BLOCKS_PER_THREAD = 2 };

/* ---- lists of contacts ----------------------------------------------------------------------- */

typedef struct list {
    check_contact *items;
    size_t count, room;
} list;

static bool is_allowed(const check_job *job, uint32_t a, uint32_t b) {
    for (size_t i = 0; i < job->subject.allowed_count; i++) {
        const uint32_t *pair = job->subject.allowed[i];
        if ((pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a)) {
            return true;
        }
    }
    return false;
}

static ov_status add(const check_job *job, list *l, const check_contact *contact) {
    if (is_allowed(job, contact->a, contact->b)) {
        return OV_OK;
    }
    if (l->count == l->room) {
        check_contact *items = cli_more_room(l->items, &l->room, sizeof *items);
        if (items == NULL) {
            return OV_ERROR_MEMORY;
        }
        l->items = items;
    }
    l->items[l->count++] = *contact;
    return OV_OK;
}

static int compare(const void *a, const void *b) {
    const check_contact *p = a, *q = b;
    const uint32_t x[4] = {p->a, p->b, p->part_a, p->part_b};
    const uint32_t y[4] = {q->a, q->b, q->part_a, q->part_b};
    if (p->pose != q->pose) {
        return p->pose < q->pose ? -1 : 1;
    }
    for (int i = 0; i < 4; i++) {
        if (x[i] != y[i]) {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}

static void sort(list *l) {
    if (l->count > 1) {
        qsort(l->items, l->count, sizeof *l->items, compare);
    }
}

/* ---- scenes ---------------------------------------------------------------------------------- */

static uint32_t thing_of(const void *user) { return (uint32_t)(uintptr_t)user; }

/** A world of the bodies of a scene, which know their numbers. */
static int make_world(cli *c, const check_job *job, const char *path, const ov_scene *scene,
                      ov_geometry *const *geometries, ov_world **world) {
    ov_world_options how = {.pair = job->pair, .threads.count = job->threads};
    ov_status status = ov_world_create(&how, world);
    if (status != OV_OK) {
        return cli_error(c, path, "%s", ov_status_message(status));
    }
    for (size_t i = 0; i < ov_scene_count(scene); i++) {
        const ov_scene_body *b = ov_scene_get(scene, i);
        ov_body body;
        ov_body_def def = ov_default_body_def();
        def.geometry = geometries[i];
        def.pose = b->pose;
        def.user = (void *)(uintptr_t)i;
        status = ov_world_add(*world, &def, &body);
        if (status != OV_OK) {
            return cli_error(c, path, "%s: %s", b->name, ov_status_message(status));
        }
    }
    return CLI_OK;
}

/** All contacts of a world; bodies were added by ascending numbers, so that a < b. */
static ov_status add_world_contacts(const check_job *job, ov_world *world, list *l) {
    const ov_world_contact *contacts;
    size_t count;
    ov_status status = ov_world_contacts(world, job->limit, &contacts, &count);
    for (size_t i = 0; i < count && status == OV_OK; i++) {
        const ov_world_contact *k = &contacts[i];
        check_contact item = {0,         thing_of(k->user_a), thing_of(k->user_b),
                              k->part_a, k->part_b,           k->contact};
        status = add(job, l, &item);
    }
    return status;
}

static int run_scene(cli *c, const check_job *job, check_taker take, void *user) {
    const subject *s = &job->subject;
    ov_geometry **geometries;
    ov_world *world = NULL;
    list found = {NULL, 0, 0};
    int result = scene_geometries_make(c, s->path, s->scene, &geometries);
    if (result == CLI_OK) {
        result = make_world(c, job, s->path, s->scene, geometries, &world);
    }
    if (result == CLI_OK) {
        ov_status status = add_world_contacts(job, world, &found);
        if (status == OV_OK) {
            sort(&found);
            (void)take(user, 0, found.items, found.count);
        } else {
            result = cli_error(c, s->path, "%s", ov_status_message(status));
        }
    }
    ov_world_destroy(world);
    scene_geometries_free(geometries, s->scene);
    free(found.items);
    return result;
}

/* ---- robots ---------------------------------------------------------------------------------- */

/** What the blocks share. */
typedef struct robot_check {
    const check_job *job;
    const ov_model *model;
    ov_world *obstacles; /**< null: none */
    size_t first, last;  /**< blocks of this round */
    size_t next;         /**< block that nobody has taken yet */
    list *found;         /**< one per block of the round */
    ov_status status;
    size_t bad_pose; /**< where the status is an error */
    pthread_mutex_t lock;
} robot_check;

/** A block's own state. */
typedef struct block {
    ov_checker *checker;
    ov_pose *poses; /**< of the links */
} block;

static ov_status begin_block(const robot_check *r, block *b) {
    *b = (block){.poses = calloc(ov_model_link_count(r->model) + 1, sizeof *b->poses)};
    return b->poses != NULL ? ov_checker_create(r->model, &r->job->pair, NULL, &b->checker)
                            : OV_ERROR_MEMORY;
}

static void end_block(block *b) {
    ov_checker_destroy(b->checker);
    free(b->poses);
}

static ov_status check_pose(const robot_check *r, block *b, size_t pose, list *found) {
    const check_job *job = r->job;
    const ov_joints *joints = &job->subject.joints;
    const ov_link_contact *contacts = NULL;
    size_t count = 0, links = ov_model_link_count(r->model);
    ov_status status = ov_model_poses(r->model, ov_pose_identity(),
                                      joints->positions + pose * joints->width, b->poses);
    if (status == OV_OK) {
        status =
            ov_checker_contacts(b->checker, b->poses, r->obstacles, job->limit, &contacts, &count);
    }
    for (size_t i = 0; i < count && status == OV_OK; i++) {
        const ov_link_contact *k = &contacts[i];
        uint32_t thing = k->link_b != OV_NO_LINK ? k->link_b : (uint32_t)links + thing_of(k->user);
        check_contact item = {pose, k->link_a, thing, k->part_a, k->part_b, k->contact};
        status = add(job, found, &item);
    }
    return status;
}

static void run_block(robot_check *r, size_t number) {
    size_t count = r->job->subject.joints.count, first = number * BLOCK;
    size_t last = first + BLOCK < count ? first + BLOCK : count, pose = first;
    list *found = &r->found[number - r->first];
    block b;
    ov_status status = begin_block(r, &b);
    while (status == OV_OK && pose < last) {
        status = check_pose(r, &b, pose, found);
        pose += status == OV_OK;
    }
    end_block(&b);
    sort(found);
    if (status != OV_OK) {
        pthread_mutex_lock(&r->lock);
        // the first one, whichever thread was faster
        if (r->status == OV_OK || pose < r->bad_pose) {
            r->status = status;
            r->bad_pose = pose;
        }
        pthread_mutex_unlock(&r->lock);
    }
}

static void *run_blocks(void *user) {
    robot_check *r = user;
    for (;;) {
        pthread_mutex_lock(&r->lock);
        size_t number = r->next++;
        pthread_mutex_unlock(&r->lock);
        if (number >= r->last) {
            return NULL;
        }
        run_block(r, number);
    }
}

/** All blocks of a round, on as many threads as can be had. */
static void run_round(robot_check *r, unsigned threads) {
    pthread_t others[OV_THREADS_MAX];
    unsigned count = 0;
    while (count + 1 < threads && count < OV_THREADS_MAX &&
           pthread_create(&others[count], NULL, run_blocks, r) == 0) {
        count++;
    }
    (void)run_blocks(r);
    while (count > 0) {
        pthread_join(others[--count], NULL);
    }
}

/** Hands on what a round has found, pose by pose. */
static bool hand_on(robot_check *r, check_taker take, void *user) {
    bool go_on = true;
    for (size_t number = r->first; number < r->last; number++) {
        const list *found = &r->found[number - r->first];
        size_t count = r->job->subject.joints.count, at = 0;
        for (size_t pose = number * BLOCK; pose < (number + 1) * BLOCK && pose < count; pose++) {
            size_t begin = at;
            while (at < found->count && found->items[at].pose == pose) {
                at++;
            }
            go_on = take(user, pose, at > begin ? found->items + begin : NULL, at - begin) && go_on;
        }
    }
    return go_on;
}

static int run_rounds(cli *c, robot_check *r, check_taker take, void *user) {
    const check_job *job = r->job;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = job->threads > 0   ? job->threads
                       : processors <= 0  ? 1
                       : processors < 256 ? (unsigned)processors
                                          : 256;
    size_t blocks = (job->subject.joints.count + BLOCK - 1) / BLOCK,
           round = BLOCKS_PER_THREAD * threads;
    progress bar = progress_make(c->err, "poses");
    r->found = calloc(round, sizeof *r->found);
    if (r->found == NULL) {
        return cli_error(c, job->subject.path, "%s", ov_status_message(OV_ERROR_MEMORY));
    }
    bool go_on = true;
    for (r->first = 0; r->first < blocks && r->status == OV_OK && go_on; r->first = r->last) {
        r->last = r->first + round < blocks ? r->first + round : blocks;
        r->next = r->first;
        for (size_t i = 0; i < round; i++) {
            r->found[i].count = 0;
        }
        run_round(r, threads);
        if (r->status == OV_OK) {
            go_on = hand_on(r, take, user);
        }
        progress_update(&bar, (double)(r->last * BLOCK), (double)r->last / (double)blocks);
    }
    progress_end(&bar);
    for (size_t i = 0; i < round; i++) {
        free(r->found[i].items);
    }
    free(r->found);
    return r->status == OV_OK ? CLI_OK
                              : cli_error(c, job->subject.path, "pose %zu: %s", r->bad_pose + 1,
                                          ov_status_message(r->status));
}

static int run_robot(cli *c, const check_job *job, check_taker take, void *user) {
    const subject *s = &job->subject;
    robot_check r = {.job = job, .model = ov_robot_model(s->robot), .status = OV_OK};
    int result = s->obstacles != NULL ? make_world(c, job, s->obstacles_path, s->obstacles,
                                                   s->obstacle_geometries, &r.obstacles)
                                      : CLI_OK;
    pthread_mutex_init(&r.lock, NULL);
    if (result == CLI_OK) {
        result = run_rounds(c, &r, take, user);
    }
    pthread_mutex_destroy(&r.lock);
    ov_world_destroy(r.obstacles);
    return result;
}

/**
 * Finds all contacts within the limit. What is found does not depend on the number of threads.
 * CLI_BAD_INPUT after a message.
 */
static int check_run(cli *c, const check_job *job, check_taker take, void *user) {
    return (job->subject.scene != NULL ? run_scene : run_robot)(c, job, take, user);
}

/* ---- what is printed ------------------------------------------------------------------------- */

/** A contact that stands for many: the first one of its sort, or the one with the least gap. */
typedef struct check_mark {
    bool is_set;
    check_contact at;
} check_mark;

/** Two things that came within the limit of each other. */
typedef struct check_pair {
    uint32_t a, b;
    size_t near;      /**< poses within the limit */
    size_t collision; /**< poses in which they touch or overlap */
    size_t possible;  /**< poses in which that is not decided */
    size_t first;     /**< pose of the first of these two */
    size_t last;      /**< pose that was counted last */
    bool last_hit, last_open;
    check_contact least; /**< the contact with the least gap */
} check_pair;

typedef struct check_report {
    cli *c;
    const check_job *job;
    report_format format;
    bool wide;
    FILE *out;
    json j;
    check_pair *pairs;
    uint32_t *slots; /**< table of pairs by the hash of their things, from 1; 0: free */
    size_t pair_count, pair_room, slot_room;
    size_t collisions, possible; /**< poses with a collision; others with a possible one */
    size_t contacts;
    check_mark first, first_possible, least;
    bool failed; /**< for want of memory */
} check_report;

/** More lines than this a table does not have. */
enum { LINES_MAX = 60 };

static bool is_collision(const ov_contact *c) {
    return c->status >= 0 &&
           (c->relation == OV_RELATION_OVERLAPPING || c->relation == OV_RELATION_TOUCHING);
}

/** Not proven to be apart, nor to meet. */
static bool is_open(const ov_contact *c) {
    return c->status < 0 || c->relation == OV_RELATION_UNDECIDED;
}

static const char *name_of(const check_report *r, size_t thing) {
    return subject_name(&r->job->subject, thing);
}

static double time_of(const check_report *r, size_t pose) {
    return r->job->subject.joints.times != NULL ? r->job->subject.joints.times[pose] : (double)NAN;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/** Place of a pair in the table: where it is, or where it would go. */
static size_t slot_of(const check_report *r, uint32_t a, uint32_t b) {
    uint64_t hash = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);
    size_t slot = (size_t)(hash >> 32) & (r->slot_room - 1);
    while (r->slots[slot] != 0 &&
           (r->pairs[r->slots[slot] - 1].a != a || r->pairs[r->slots[slot] - 1].b != b)) {
        slot = (slot + 1) & (r->slot_room - 1);
    }
    return slot;
}

/** Room for one more pair; the table stays half empty. */
static bool grow(check_report *r) {
    if (r->pair_count < r->pair_room) {
        return true;
    }
    size_t room = r->pair_room == 0 ? 64 : 2 * r->pair_room;
    check_pair *pairs = realloc(r->pairs, room * sizeof *pairs);
    r->pairs = pairs != NULL ? pairs : r->pairs;
    uint32_t *slots = calloc(2 * room, sizeof *slots);
    if (pairs == NULL || slots == NULL) {
        free(slots);
        return false;
    }
    free(r->slots);
    r->slots = slots;
    r->slot_room = 2 * room;
    r->pair_room = room;
    for (size_t i = 0; i < r->pair_count; i++) {
        r->slots[slot_of(r, pairs[i].a, pairs[i].b)] = (uint32_t)(i + 1);
    }
    return true;
}

static check_pair *find_pair(check_report *r, uint32_t a, uint32_t b) {
    if (!grow(r)) {
        return NULL;
    }
    size_t slot = slot_of(r, a, b);
    if (r->slots[slot] == 0) {
        r->pairs[r->pair_count] = (check_pair){.a = a, .b = b, .last = SIZE_MAX, .first = SIZE_MAX};
        r->slots[slot] = (uint32_t)++r->pair_count;
    }
    return &r->pairs[r->slots[slot] - 1];
}

/** A smaller gap; what has none is not smaller than anything. */
static bool is_less(const ov_contact *a, const ov_contact *b) {
    return a->gap < b->gap || (isnan(b->gap) && !isnan(a->gap));
}

static void count_contact(check_report *r, const check_contact *k) {
    check_pair *p = find_pair(r, k->a, k->b);
    if (p == NULL) {
        r->failed = true;
        return;
    }
    // several parts of two links in one pose count once
    bool hit = is_collision(&k->contact), open = is_open(&k->contact);
    if (p->last != k->pose) {
        p->near++;
        p->last_hit = p->last_open = false;
    }
    p->last = k->pose;
    p->collision += hit && !p->last_hit;
    p->possible += open && !p->last_open;
    p->last_hit = p->last_hit || hit;
    p->last_open = p->last_open || open;
    if ((hit || open) && p->first == SIZE_MAX) {
        p->first = k->pose;
    }
    if (p->least.b == p->least.a || is_less(&k->contact, &p->least.contact)) {
        p->least = *k;
    }
}

static void set_mark(check_mark *mark, const check_contact *k, bool better) {
    if (!mark->is_set || better) {
        *mark = (check_mark){true, *k};
    }
}

/* ---- all contacts ---------------------------------------------------------------------------- */

static void write_csv(const check_report *r, const check_contact *k) {
    char time[OV_NUMBER_TEXT_MAX] = "";
    if (r->job->subject.joints.times != NULL) {
        ov_number_text(time_of(r, k->pose), time);
    }
    fprintf(r->out, "%zu,%s,", k->pose + 1, time);
    csv_text(r->out, name_of(r, k->a));
    fputc(',', r->out);
    csv_text(r->out, name_of(r, k->b));
    fprintf(r->out, ",%" PRIu32 ",%" PRIu32 ",", k->part_a + 1, k->part_b + 1);
    csv_contact(r->out, &k->contact);
    fputc('\n', r->out);
}

/** Where and between what; as members of the object that is open. */
static void write_place(check_report *r, const check_contact *k) {
    json_count(&r->j, "pose", k->pose + 1);
    if (r->job->subject.joints.times != NULL) {
        json_number(&r->j, "time", time_of(r, k->pose));
    }
    json_string(&r->j, "a", name_of(r, k->a));
    json_string(&r->j, "b", name_of(r, k->b));
    json_count(&r->j, "part_a", k->part_a + 1);
    json_count(&r->j, "part_b", k->part_b + 1);
}

static void write_json(check_report *r, const char *key, const check_contact *k) {
    json_open_object(&r->j, key);
    write_place(r, k);
    json_contact(&r->j, &k->contact);
    json_close_object(&r->j);
}

static void check_report_begin(check_report *r) {
    const check_job *job = r->job;
    if (r->format == REPORT_CSV) {
        fputs("pose,time,a,b,part_a,part_b," CSV_CONTACT_HEAD "\n", r->out);
        return;
    }
    if (r->format != REPORT_JSON) {
        return;
    }
    r->j = json_make(r->out);
    json_open_document(&r->j);
    json_string(&r->j, "file", r->job->subject.path);
    if (job->subject.scene != NULL) {
        json_count(&r->j, "bodies", ov_scene_count(job->subject.scene));
    } else {
        json_string(&r->j, "robot", ov_robot_name(job->subject.robot));
        json_count(&r->j, "links", ov_robot_link_count(job->subject.robot));
        json_count(&r->j, "joints", ov_robot_joint_count(job->subject.robot));
        json_count(&r->j, "obstacles", ov_scene_count(job->subject.obstacles));
        if (job->subject.joints_path != NULL) {
            json_string(&r->j, "joints_file", job->subject.joints_path);
        } else {
            json_null(&r->j, "joints_file");
        }
    }
    json_number(&r->j, "limit", job->limit);
    json_open_list(&r->j, "contacts");
}

static bool check_report_take(void *report, size_t pose, const check_contact *contacts,
                              size_t count) {
    check_report *r = report;
    bool hit = false, open = false;
    (void)pose;
    for (size_t i = 0; i < count; i++) {
        const check_contact *k = &contacts[i];
        bool collides = is_collision(&k->contact), may = is_open(&k->contact);
        count_contact(r, k);
        set_mark(&r->least, k, is_less(&k->contact, &r->least.at.contact));
        if (collides) {
            // of the first pose, the deepest
            set_mark(&r->first, k,
                     r->first.at.pose == k->pose && is_less(&k->contact, &r->first.at.contact));
        } else if (may) {
            set_mark(&r->first_possible, k, false);
        }
        hit = hit || collides;
        open = open || may;
        if (r->format == REPORT_CSV) {
            write_csv(r, k);
        } else if (r->format == REPORT_JSON) {
            write_json(r, NULL, k);
        }
    }
    r->collisions += hit;
    r->possible += open && !hit;
    r->contacts += count;
    // nobody waits for what cannot be written: who closes the stream says so
    return !ferror(r->out);
}

/* ---- the table ------------------------------------------------------------------------------- */

static int compare_pairs(const void *a, const void *b) {
    const check_pair *p = a, *q = b;
    if (is_less(&p->least.contact, &q->least.contact) ||
        is_less(&q->least.contact, &p->least.contact)) {
        return is_less(&p->least.contact, &q->least.contact) ? -1 : 1;
    }
    // equal gaps by the numbers of the things, so that the table is the same every time
    uint32_t m = p->a != q->a ? p->a : p->b, n = p->a != q->a ? q->a : q->b;
    return m < n ? -1 : m > n;
}

enum {
    COLUMN_A,
    COLUMN_B,
    COLUMN_RELATION,
    COLUMN_GAP,
    COLUMN_WITHIN,
    COLUMN_LOWER,
    COLUMN_UPPER,
    COLUMN_POSE, /**< from here on only where there are several poses */
    COLUMN_NEAR,
    COLUMN_COLLIDE,
    COLUMN_FIRST,
    COLUMN_COUNT
};

static void fill_pair(const void *user, size_t row, table_cells *cells) {
    const check_report *r = user;
    const check_pair *p = &r->pairs[row];
    const ov_contact *k = &p->least.contact;
    cells->texts[COLUMN_A] = name_of(r, p->a);
    cells->texts[COLUMN_B] = name_of(r, p->b);
    cells->texts[COLUMN_RELATION] =
        k->status < 0 ? ov_status_name(k->status) : ov_relation_name(k->relation);
    table_number(cells, COLUMN_GAP, k->gap, 6);
    table_number(cells, COLUMN_WITHIN, k->gap_upper - k->gap_lower, 2);
    table_number(cells, COLUMN_LOWER, k->gap_lower, 17);
    table_number(cells, COLUMN_UPPER, k->gap_upper, 17);
    table_count(cells, COLUMN_POSE, p->least.pose + 1);
    table_count(cells, COLUMN_NEAR, p->near);
    table_count(cells, COLUMN_COLLIDE, p->collision + p->possible);
    if (p->first != SIZE_MAX) {
        table_count(cells, COLUMN_FIRST, p->first + 1);
    } else {
        cells->texts[COLUMN_FIRST] = "-";
    }
}

static void print_pairs(check_report *r) {
    const subject *s = &r->job->subject;
    size_t lines = r->pair_count < LINES_MAX || r->wide ? r->pair_count : LINES_MAX;
    const table_column columns[COLUMN_COUNT] = {
        {s->scene != NULL ? "body A" : "link A", TABLE_NAME, TABLE_ALWAYS},
        {s->scene != NULL       ? "body B"
         : s->obstacles != NULL ? "link or obstacle B"
                                : "link B",
         TABLE_NAME, TABLE_ALWAYS},
        {"relation", TABLE_WORD, TABLE_ALWAYS},
        {"least gap", TABLE_NUMBER, TABLE_ALWAYS},
        {"within", TABLE_NUMBER, TABLE_NARROW},
        {"lower bound", TABLE_NUMBER, TABLE_WIDE},
        {"upper bound", TABLE_NUMBER, TABLE_WIDE},
        {"in pose", TABLE_NUMBER, TABLE_ALWAYS},
        {"near in", TABLE_NUMBER, TABLE_ALWAYS},
        {"collide in", TABLE_NUMBER, TABLE_ALWAYS},
        {"first", TABLE_NUMBER, TABLE_ALWAYS},
    };
    if (lines == 0) {
        return;
    }
    // sorted now: the table of slots is not used any more
    qsort(r->pairs, r->pair_count, sizeof *r->pairs, compare_pairs);
    table t = {
        columns, pose_count(r->job) > 1 ? COLUMN_COUNT : COLUMN_POSE, lines, r->wide, fill_pair, r};
    table_print(r->out, &t);
    if (lines < r->pair_count) {
        fprintf(r->out, "and %zu more pairs: see --wide, --csv or --json\n", r->pair_count - lines);
    }
    fputc('\n', r->out);
}

/** "in pose 7 (time 0.3): hand and table", the pose only where there are several. */
static void print_place(const check_report *r, const check_contact *k) {
    FILE *out = r->out;
    if (pose_count(r->job) > 1) {
        fprintf(out, " in pose %zu", k->pose + 1);
        if (r->job->subject.joints.times != NULL) {
            fprintf(out, " (time %g)", time_of(r, k->pose));
        }
    }
    fprintf(out, ": %s and %s\n", name_of(r, k->a), name_of(r, k->b));
}

static void print_head(const check_report *r) {
    const check_job *job = r->job;
    FILE *out = r->out;
    if (job->subject.scene != NULL) {
        size_t count = ov_scene_count(job->subject.scene);
        fprintf(out, "%s: %zu bod%s", r->job->subject.path, count, count == 1 ? "y" : "ies");
    } else {
        size_t links = ov_robot_link_count(job->subject.robot),
               joints = ov_robot_joint_count(job->subject.robot);
        size_t obstacles = ov_scene_count(job->subject.obstacles);
        fprintf(out, "%s: %s, %zu link%s, %zu joint%s", r->job->subject.path,
                ov_robot_name(job->subject.robot), links, links == 1 ? "" : "s", joints,
                joints == 1 ? "" : "s");
        if (job->subject.obstacles != NULL) {
            fprintf(out, ", %zu obstacle%s", obstacles, obstacles == 1 ? "" : "s");
        }
        if (job->subject.joints_path == NULL) {
            fputs("; at rest", out);
        } else if (strchr(job->subject.joints_path, '=') != NULL) {
            fprintf(out, "; at %s", job->subject.joints_path);
        } else {
            fprintf(out, "; %zu pose%s of %s", job->subject.joints.count,
                    job->subject.joints.count == 1 ? "" : "s", job->subject.joints_path);
        }
    }
    fprintf(out, "; limit %g\n\n", job->limit);
}

static void print_summary(const check_report *r) {
    const check_job *job = r->job;
    FILE *out = r->out;
    size_t poses = pose_count(job);
    if (r->collisions > 0) {
        if (poses > 1) {
            fprintf(out, "collision in %zu of %zu poses, first", r->collisions, poses);
        } else {
            size_t pairs = 0;
            for (size_t i = 0; i < r->pair_count; i++) {
                pairs += r->pairs[i].collision > 0;
            }
            fprintf(out, "collision of %zu pair%s, the deepest", pairs, pairs == 1 ? "" : "s");
        }
        print_place(r, &r->first.at);
    }
    if (r->possible > 0) {
        fputs("possible collision, not decided,", out);
        if (poses > 1) {
            fprintf(out, " in %zu of %zu poses, first", r->possible, poses);
        } else {
            fputs(" of at least one pair", out);
        }
        print_place(r, &r->first_possible.at);
    }
    if (r->collisions == 0 && r->possible == 0) {
        fputs("no collision\n", out);
    }
    if (r->least.is_set) {
        fprintf(out, "least gap %.6g", r->least.at.contact.gap + 0.0);
        print_place(r, &r->least.at);
    } else {
        fprintf(out, "least gap more than %g\n", job->limit);
    }
}

static void end_json(check_report *r) {
    const check_job *job = r->job;
    json_close_list(&r->j);
    json_count(&r->j, "poses", pose_count(job));
    json_count(&r->j, "poses_in_collision", r->collisions);
    json_count(&r->j, "poses_undecided", r->possible);
    json_count(&r->j, "poses_beyond_limits", job->subject.joints.beyond);
    const char *const keys[2] = {"first_collision", "least_gap"};
    const check_mark *const marks[2] = {&r->first, &r->least};
    for (int i = 0; i < 2; i++) {
        if (marks[i]->is_set) {
            write_json(r, keys[i], &marks[i]->at);
        } else {
            json_null(&r->j, keys[i]);
        }
    }
    json_close_object(&r->j);
}

static int check_report_end(check_report *r) {
    if (r->failed) {
        return cli_error(r->c, r->job->subject.path, "%s", ov_status_message(OV_ERROR_MEMORY));
    }
    if (r->format == REPORT_JSON) {
        end_json(r);
    } else if (r->format == REPORT_TABLE) {
        print_head(r);
        print_pairs(r);
        print_summary(r);
    }
    return r->collisions > 0 || r->possible > 0 ? CLI_CHECK_FAILED : CLI_OK;
}

static void check_report_free(check_report *r) {
    free(r->pairs);
    free(r->slots);
}

/* ---- the verb -------------------------------------------------------------------------------- */

static int check_and_write(cli *c, const check_job *job, report *r) {
    check_report found = {.c = c, .job = job, .format = r->format, .wide = r->wide};
    int status = report_open(c, r);
    if (status == CLI_OK) {
        found.out = r->out.stream;
        check_report_begin(&found);
        status = check_run(c, job, check_report_take, &found);
    }
    if (status == CLI_OK) {
        status = check_report_end(&found);
    }
    check_report_free(&found);
    return report_close(c, r, status);
}

static int run(cli *c, int argc, char **argv) {
    args a;
    report r;
    check_job job = {.limit = DEFAULT_LIMIT, .pair.depth = OV_DEPTH_GLOBAL, .threads = 1};
    int status = args_parse(c, cli_verb_check.name, options, OPTION_COUNT, argc, argv, &a);
    if (status != CLI_OK || (status = options_read_limit(c, &a, &job.limit)) != CLI_OK ||
        (status = options_read_pair(c, &a, &job.pair)) != CLI_OK ||
        (status = options_read_threads(c, &a, &job.threads)) != CLI_OK ||
        (status = report_read(c, &a, &r)) != CLI_OK) {
        return status;
    }
    status = subject_read(c, &a, SUBJECT_SCENE | SUBJECT_ROBOT | SUBJECT_ALLOW,
                          ov_default_robot_options(), &job.subject);
    if (status == CLI_OK) {
        subject_tell_open_meshes(c, &job.subject);
        subject_tell_limits(c, &job.subject);
        status = check_and_write(c, &job, &r);
    }
    subject_free(&job.subject);
    return status;
}

const cli_verb cli_verb_check = {
    .name = "check",
    .summary = "collisions and clearances of a scene or of a moving robot",
    .usage = "SCENE.json|ROBOT.urdf [options]",
    .details =
        "Finds all contacts up to a limit: between the bodies of a scene; or between the links of\n"
        "a robot, and with obstacles, in each of its poses. Links connected by a joint may\n"
        "overlap. Prints a line for each pair within the limit, with the least gap and how far\n"
        "apart its proven bounds are, then the first collision. Exit status 1 if bodies touch or\n"
        "overlap, or if that could not be decided.\n",
    .examples =
        "  ovoid check data/arm.urdf --joints lift=0.3,elbow=0.5 --limit 0.2\n"
        "  ovoid check data/arm.urdf --joints data/arm_reach.csv --csv -o contacts.csv\n"
        "  ovoid contact --example | ovoid check - --limit 0.5 --allow egg,table:brick,table\n",
    .options = options,
    .option_count = OPTION_COUNT,
    .takes_files = true,
    .run = run,
};
