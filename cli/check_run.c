/**
 * @file check_run.c
 * @brief Scenes by a world; robots by a self-check, and a world of links and obstacles.
 *
 * The poses of a robot are worked on in blocks of a fixed number. Within a block each pose starts
 * from what is known from the one before; a new block knows nothing. So blocks may go to threads,
 * and what is found is the same for any number of these.
 */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "check_run.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "body_contact.h"
#include "progress.h"

/** Poses of a block; blocks for each thread between two moments of output. */
enum { BLOCK = 64, BLOCKS_A_THREAD = 2 };
/** Groups of a world: links meet obstacles, and nothing else. */
enum { GROUP_LINK = 1, GROUP_OBSTACLE = 2 };

static size_t link_count(const check_subject *s) { return ov_robot_link_count(s->robot); }

size_t check_thing_count(const check_subject *s) {
    return s->scene != NULL ? ov_scene_count(s->scene)
                            : link_count(s) + ov_scene_count(s->obstacles);
}

const char *check_thing_name(const check_subject *s, size_t thing) {
    if (s->scene != NULL) {
        return ov_scene_get(s->scene, thing)->name;
    }
    return thing < link_count(s) ? ov_robot_get_link(s->robot, thing)->name
                                 : ov_scene_get(s->obstacles, thing - link_count(s))->name;
}

size_t check_pose_count(const check_subject *s) { return s->scene != NULL ? 1 : s->poses.count; }

/* ---- lists of contacts ----------------------------------------------------------------------- */

typedef struct list {
    check_contact *items;
    size_t count, room;
} list;

static bool is_allowed(const check_subject *s, uint32_t a, uint32_t b) {
    for (size_t i = 0; i < s->allowed_count; i++) {
        const uint32_t *pair = s->allowed[i];
        if ((pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a)) {
            return true;
        }
    }
    return false;
}

static ov_status add(const check_subject *s, list *l, const check_contact *contact) {
    if (is_allowed(s, contact->a, contact->b)) {
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

/* ---- worlds ---------------------------------------------------------------------------------- */

/** Adds a thing to a world, which knows its number. */
static ov_status add_thing(ov_world *world, const ov_geometry *geometry, ov_pose pose, size_t thing,
                           ov_body_def def, ov_body *body) {
    def.geometry = geometry;
    def.pose = pose;
    def.user = (void *)(uintptr_t)thing;
    return ov_world_add(world, &def, body);
}

static uint32_t thing_of(const void *user) { return (uint32_t)(uintptr_t)user; }

/** All contacts of a world; bodies were added by ascending numbers, so that a < b. */
static ov_status add_world_contacts(const check_subject *s, ov_world *world, size_t pose, list *l) {
    const ov_world_contact *contacts;
    size_t count;
    ov_status status = ov_world_contacts(world, s->limit, &contacts, &count);
    for (size_t i = 0; i < count && status == OV_OK; i++) {
        const ov_world_contact *c = &contacts[i];
        check_contact item = {pose,      thing_of(c->user_a), thing_of(c->user_b),
                              c->part_a, c->part_b,           c->contact};
        status = add(s, l, &item);
    }
    return status;
}

/* ---- scenes ---------------------------------------------------------------------------------- */

static int run_scene(cli *c, const char *path, const check_subject *s, check_taker take,
                     void *user) {
    ov_geometry **geometries;
    ov_world *world = NULL;
    list found = {NULL, 0, 0};
    size_t count = ov_scene_count(s->scene), bad = 0;
    ov_status status = body_geometries_make(s->scene, &geometries, &bad);
    if (status == OV_OK) {
        status = ov_world_create(&(ov_world_options){.threads.count = s->threads}, &world);
    }
    for (size_t i = 0; i < count && status == OV_OK; i++) {
        ov_body body;
        bad = i;
        status = add_thing(world, geometries[i], ov_scene_get(s->scene, i)->pose, i,
                           ov_default_body_def(), &body);
    }
    if (status != OV_OK) {
        cli_error(c, path, "%s: %s", count > 0 ? ov_scene_get(s->scene, bad)->name : "the scene",
                  ov_status_message(status));
    } else {
        status = add_world_contacts(s, world, 0, &found);
        if (status != OV_OK) {
            cli_error(c, path, "%s", ov_status_message(status));
        } else {
            sort(&found);
            take(user, 0, found.items, found.count);
        }
    }
    ov_world_destroy(world);
    body_geometries_free(geometries, count);
    free(found.items);
    return status == OV_OK ? CLI_OK : CLI_BAD_INPUT;
}

/* ---- robots ---------------------------------------------------------------------------------- */

/** What the blocks share. */
typedef struct robot_check {
    const check_subject *subject;
    const ov_model *model;
    ov_geometry **obstacles; /**< null: none */
    size_t first, last;      /**< blocks of this round */
    size_t next;             /**< block that nobody has taken yet */
    list *found;             /**< one a block of the round */
    ov_status status;
    size_t bad_pose; /**< where the status is an error */
    pthread_mutex_t lock;
} robot_check;

/** A block's own state. */
typedef struct block {
    ov_self_check *self;
    ov_world *world; /**< null without obstacles */
    ov_pose *poses;  /**< of the links */
    ov_body *bodies; /**< of the links with parts, and where these are to be */
    ov_pose *placed;
    uint32_t *links;
    size_t body_count;
} block;

static ov_status make_world(const robot_check *r, block *b) {
    const check_subject *s = r->subject;
    size_t links = ov_model_link_count(r->model), count = ov_scene_count(s->obstacles);
    ov_body_def link = ov_default_body_def(), obstacle = ov_default_body_def();
    link.group = obstacle.mask = GROUP_LINK;
    link.mask = obstacle.group = GROUP_OBSTACLE;
    obstacle.fixed = true;
    ov_status status = ov_world_create(&(ov_world_options){.threads.count = 1}, &b->world);
    for (size_t i = 0; i < links && status == OV_OK; i++) {
        const ov_geometry *geometry = ov_model_link_geometry(r->model, i);
        if (geometry != NULL) {
            b->links[b->body_count] = (uint32_t)i;
            status = add_thing(b->world, geometry, ov_pose_identity(), i, link,
                               &b->bodies[b->body_count]);
            b->body_count += status == OV_OK;
        }
    }
    for (size_t i = 0; i < count && status == OV_OK; i++) {
        ov_body body;
        status = add_thing(b->world, r->obstacles[i], ov_scene_get(s->obstacles, i)->pose,
                           links + i, obstacle, &body);
    }
    return status;
}

static ov_status begin_block(const robot_check *r, block *b) {
    size_t links = ov_model_link_count(r->model);
    *b = (block){.poses = calloc(links + 1, sizeof *b->poses),
                 .bodies = calloc(links + 1, sizeof *b->bodies),
                 .placed = calloc(links + 1, sizeof *b->placed),
                 .links = calloc(links + 1, sizeof *b->links)};
    if (b->poses == NULL || b->bodies == NULL || b->placed == NULL || b->links == NULL) {
        return OV_ERROR_MEMORY;
    }
    ov_status status = ov_self_check_create(r->model, NULL, NULL, &b->self);
    return status == OV_OK && r->obstacles != NULL ? make_world(r, b) : status;
}

static void end_block(block *b) {
    ov_self_check_destroy(b->self);
    ov_world_destroy(b->world);
    free(b->poses);
    free(b->bodies);
    free(b->placed);
    free(b->links);
}

static ov_status check_pose(const robot_check *r, block *b, size_t pose, list *found) {
    const check_subject *s = r->subject;
    const ov_link_contact *contacts = NULL;
    size_t count = 0;
    ov_status status = ov_model_poses(r->model, ov_pose_identity(),
                                      s->poses.positions + pose * s->poses.width, b->poses);
    if (status == OV_OK) {
        status = ov_self_check_run(b->self, b->poses, s->limit, &contacts, &count);
    }
    for (size_t i = 0; i < count && status == OV_OK; i++) {
        const ov_link_contact *k = &contacts[i];
        check_contact item = {pose, k->link_a, k->link_b, k->part_a, k->part_b, k->contact};
        status = add(s, found, &item);
    }
    if (status != OV_OK || b->world == NULL) {
        return status;
    }
    for (size_t i = 0; i < b->body_count; i++) {
        b->placed[i] = b->poses[b->links[i]];
    }
    status = ov_world_move_all(b->world, b->bodies, b->placed, b->body_count, NULL);
    return status == OV_OK ? add_world_contacts(s, b->world, pose, found) : status;
}

static void run_block(robot_check *r, size_t number) {
    size_t count = r->subject->poses.count, first = number * BLOCK;
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
static void hand_on(robot_check *r, check_taker take, void *user) {
    for (size_t number = r->first; number < r->last; number++) {
        const list *found = &r->found[number - r->first];
        size_t count = r->subject->poses.count, at = 0;
        for (size_t pose = number * BLOCK; pose < (number + 1) * BLOCK && pose < count; pose++) {
            size_t begin = at;
            while (at < found->count && found->items[at].pose == pose) {
                at++;
            }
            take(user, pose, at > begin ? found->items + begin : NULL, at - begin);
        }
    }
}

static int run_rounds(cli *c, const char *path, robot_check *r, check_taker take, void *user) {
    const check_subject *s = r->subject;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = s->threads > 0     ? s->threads
                       : processors <= 0  ? 1
                       : processors < 256 ? (unsigned)processors
                                          : 256;
    size_t blocks = (s->poses.count + BLOCK - 1) / BLOCK, round = BLOCKS_A_THREAD * threads;
    progress bar = progress_make(c->err, "poses");
    r->found = calloc(round, sizeof *r->found);
    if (r->found == NULL) {
        return cli_error(c, path, "%s", ov_status_message(OV_ERROR_MEMORY));
    }
    // nobody waits for what cannot be written: cli_main says so
    for (r->first = 0; r->first < blocks && r->status == OV_OK && !ferror(c->out);
         r->first = r->last) {
        r->last = r->first + round < blocks ? r->first + round : blocks;
        r->next = r->first;
        for (size_t i = 0; i < round; i++) {
            r->found[i].count = 0;
        }
        run_round(r, threads);
        if (r->status == OV_OK) {
            hand_on(r, take, user);
        }
        progress_update(&bar, (double)(r->last * BLOCK), (double)r->last / (double)blocks);
    }
    progress_end(&bar);
    for (size_t i = 0; i < round; i++) {
        free(r->found[i].items);
    }
    free(r->found);
    return r->status == OV_OK
               ? CLI_OK
               : cli_error(c, path, "pose %zu: %s", r->bad_pose + 1, ov_status_message(r->status));
}

static int run_robot(cli *c, const char *path, const check_subject *s, check_taker take,
                     void *user) {
    robot_check r = {.subject = s, .model = ov_robot_model(s->robot), .status = OV_OK};
    size_t bad = 0;
    int result = CLI_OK;
    if (s->obstacles != NULL) {
        ov_status status = body_geometries_make(s->obstacles, &r.obstacles, &bad);
        if (status != OV_OK) {
            const ov_scene_body *b = ov_scene_get(s->obstacles, bad);
            result = cli_error(c, "obstacles", "%s: %s", b != NULL ? b->name : "the scene",
                               ov_status_message(status));
        }
    }
    pthread_mutex_init(&r.lock, NULL);
    if (result == CLI_OK) {
        result = run_rounds(c, path, &r, take, user);
    }
    pthread_mutex_destroy(&r.lock);
    body_geometries_free(r.obstacles, ov_scene_count(s->obstacles));
    return result;
}

int check_run(cli *c, const char *path, const check_subject *s, check_taker take, void *user) {
    return (s->scene != NULL ? run_scene : run_robot)(c, path, s, take, user);
}
