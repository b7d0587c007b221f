/**
 * @file test_world_threads.c
 * @brief A world large enough that every step of it is shared out: the same story on several
 * numbers of threads, and by callbacks as engines may have them, bit by bit the same in poses,
 * contacts, islands, counts and memory.
 *
 * What comes out on one thread is held against brute force in test_world.c.
 */
#include "../src/math/system.h"
#include "schedulers.h"
#include "world_cases.h"

/* ---- ranges */

enum { ITEMS = 1000 };

static unsigned char seen[ITEMS];
static unsigned used[OV_THREADS_MAX], wrong[OV_THREADS_MAX]; // by threads

static void see(void *context, unsigned index, size_t begin, size_t end) {
    const size_t *count = context;
    wrong[index] += begin >= end || end > *count;
    used[index] = 1;
    for (size_t i = begin; i < end && i < ITEMS; i++) {
        seen[i]++;
    }
}

/** Every item once, and no thread without a grain. */
static void test_ranges(void) {
    static const unsigned threads[] = {1, 2, 3, 7, 20};
    for (size_t count = 0; count <= ITEMS; count += count < 8 ? 1 : 199) {
        for (size_t grain = 1; grain <= 64; grain *= 8) {
            for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
                memset(seen, 0, sizeof seen);
                memset(used, 0, sizeof used);
                ovi_ranges_run(see, &count, count, grain, &(ov_threads){.count = threads[t]});
                size_t sum = 0, workers = 0, wrongs = 0;
                for (size_t i = 0; i < ITEMS; i++) {
                    CHECK(seen[i] == (i < count));
                    sum += seen[i];
                }
                for (size_t i = 0; i < OV_THREADS_MAX; i++) {
                    workers += used[i];
                    wrongs += wrong[i];
                }
                size_t most = count / grain > 1 ? count / grain : 1;
                CHECK(sum == count && wrongs == 0 && workers <= threads[t] && workers <= most);
            }
        }
    }
    CHECK(ovi_threads_for(100, 10, NULL) >= 1);
    CHECK(ovi_threads_for(100, 10, NULL) <= ovi_thread_count());
    CHECK(ovi_threads_for(SIZE_MAX, 1, &(ov_threads){.count = 100000}) == OV_THREADS_MAX);
}

/* ---- a world of many bodies */

/** Enough for three threads in each step. */
enum { SIDE = 19, BODIES = SIDE * SIDE * SIDE, ROUNDS = 7, EXTRA = 40, LARGE = 3000, FLOOR };
#define PITCH 2.1

typedef struct crowd {
    ov_world *world;
    ov_geometry *kinds[4]; /**< a ball, an ellipsoid, two balls in one body, a large ball */
    ov_geometry *floor;
    ov_body ids[BODIES + EXTRA];
    ov_pose poses[BODIES + EXTRA]; /**< as they should be */
    size_t count;
} crowd;

static crowd it;
static ov_body named[2 * BODIES];
static ov_pose wanted[2 * BODIES];

static void make_kinds(void) {
    ov_shape ellipsoid, plane;
    ov_part two[2] = {{.pose = wc_pose_at(-0.4, 0, 0)}, {.pose = wc_pose_at(0.4, 0, 0)}};
    CHECK_OK(ov_shape_make_ellipsoid(ov_vec3_make(1.1, 0.9, 0.7), &ellipsoid));
    CHECK_OK(ov_shape_make_sphere(0.6, &two[0].shape));
    CHECK_OK(ov_shape_make_sphere(0.5, &two[1].shape));
    CHECK_OK(ov_shape_make_halfspace(ov_vec3_make(0, 0, 1), -0.9, &plane));
    it.kinds[0] = wc_sphere_of(1.0);
    it.kinds[1] = wc_geometry_of(&ellipsoid);
    CHECK_OK(ov_geometry_create(two, 2, NULL, &it.kinds[2]));
    it.kinds[3] = wc_sphere_of(12.0);
    it.floor = wc_geometry_of(&plane);
}

static void free_kinds(void) {
    for (int i = 0; i < 4; i++) {
        ov_geometry_destroy(it.kinds[i]);
    }
    ov_geometry_destroy(it.floor);
}

static void add(const ov_geometry *geometry, ov_pose pose) {
    ov_body_def def = ov_default_body_def();
    def.geometry = geometry;
    def.pose = pose;
    def.fixed = it.count % 10 == 9;
    def.group = it.count % 13 == 5 ? 2 : 1;
    def.mask = def.group;
    CHECK_OK(ov_world_add(it.world, &def, &it.ids[it.count]));
    CHECK_OK(ov_world_get(it.world, it.ids[it.count], &def));
    it.poses[it.count++] = def.pose;
}

static void remove_at(size_t i) {
    CHECK_OK(ov_world_remove(it.world, it.ids[i]));
    it.count--;
    it.ids[i] = it.ids[it.count];
    it.poses[i] = it.poses[it.count];
}

static ov_pose somewhere(check_random *r) {
    ov_vec3 p =
        ov_vec3_add(wc_point(r, 0.45 * PITCH * SIDE),
                    ov_vec3_make(0.5 * PITCH * SIDE, 0.5 * PITCH * SIDE, 0.5 * PITCH * SIDE));
    return (ov_pose){p, check_rotation(r)};
}

static void make_crowd(check_random *r) {
    it.count = 0;
    CHECK_OK(ov_world_create(NULL, &it.world));
    for (int i = 0; i < BODIES; i++) {
        ov_pose pose =
            wc_pose_at(PITCH * (i % SIDE), PITCH * (i / SIDE % SIDE), PITCH * (i / SIDE / SIDE));
        pose.rotation = check_rotation(r);
        if (i == FLOOR) {
            add(it.floor, wc_pose_at(0, 0, 0));
        } else {
            add(it.kinds[i == LARGE ? 3 : i % 3], pose);
        }
    }
}

static ov_pose nudged(ov_pose pose, check_random *r, double step) {
    ov_vec3 axis = wc_point(r, step);
    pose.position = ov_vec3_add(pose.position, wc_point(r, step));
    pose.rotation = ov_quat_mul(ov_quat_from_axis_angle(axis, ov_vec3_length(axis)), pose.rotation);
    return pose;
}

/* ---- moves */

/** Names every so many-th body, some of them again later, and some that have gone far. */
static size_t name_bodies(check_random *r, size_t every, double step) {
    size_t count = 0;
    for (size_t i = 0; i < it.count; i += every) {
        bool floor = i == FLOOR; // stays: a plane that leans would be met by all
        named[count] = it.ids[i];
        wanted[count++] = floor ? it.poses[i] : nudged(it.poses[i], r, step);
    }
    size_t once = count;
    for (size_t i = 0; i < once / 8; i++) {
        size_t k = (size_t)(check_random_bits(r) >> 8) % once;
        if (named[k] != it.ids[FLOOR]) {
            named[count] = named[k];
            wanted[count++] = i % 16 == 0 ? somewhere(r) : nudged(wanted[k], r, step);
        }
    }
    return count;
}

/** Swaps what is named, at random. */
static void mix(check_random *r, size_t count) {
    for (size_t i = count; i > 1; i--) {
        size_t k = (size_t)(check_random_bits(r) >> 8) % i;
        ov_body body = named[i - 1];
        ov_pose pose = wanted[i - 1];
        named[i - 1] = named[k];
        wanted[i - 1] = wanted[k];
        named[k] = body;
        wanted[k] = pose;
    }
}

/** What a move of `count` does to the poses: one after the other. */
static void expect_moves(size_t count) {
    static size_t place[BODIES + EXTRA]; // by the handle, which is in the upper half of an id
    for (size_t i = 0; i < it.count; i++) {
        size_t handle = (size_t)(it.ids[i] >> 32) - 1;
        if (CHECK(handle < BODIES + EXTRA)) {
            place[handle] = i;
        }
    }
    for (size_t i = 0; i < count; i++) {
        ov_pose *pose = &it.poses[place[(named[i] >> 32) - 1]];
        *pose = wanted[i];
        CHECK_OK(ov_quat_normalize(pose->rotation, &pose->rotation));
    }
}

static void check_poses(void) {
    for (size_t i = 0; i < it.count; i++) {
        ov_body_def def;
        CHECK_OK(ov_world_get(it.world, it.ids[i], &def));
        if (!CHECK(memcmp(&def.pose, &it.poses[i], sizeof def.pose) == 0)) {
            fprintf(stderr, "body %zu is not where it was moved to\n", i);
            return;
        }
    }
}

static void move_named(size_t count) {
    size_t done = 0;
    CHECK_OK(ov_world_move_all(it.world, named, wanted, count, &done));
    CHECK(done == count);
    expect_moves(count);
    check_poses();
}

/** Two errors, of which the first counts, in the middle of all. */
static void move_badly(check_random *r, size_t count) {
    size_t first = (size_t)(check_random_bits(r) >> 8) % (count / 2);
    size_t second = first + 1 + (size_t)(check_random_bits(r) >> 8) % (count / 2 - 1);
    bool gone = first % 2 == 0;
    ov_body id = named[first];
    ov_pose pose = wanted[first], other = wanted[second];
    if (gone) {
        named[first] = it.ids[0] + 1; // of another generation
    } else {
        wanted[first].position.y = NAN;
    }
    wanted[second].rotation = (ov_quat){0.0, 0.0, 0.0, 0.0};
    size_t done = 0;
    CHECK_STATUS(ov_world_move_all(it.world, named, wanted, count, &done),
                 gone ? OV_ERROR_INDEX : OV_ERROR_NOT_FINITE);
    CHECK(done == first);
    expect_moves(first);
    check_poses();
    named[first] = id;
    wanted[first] = pose;
    wanted[second] = other;
}

/* ---- what is compared */

typedef struct record {
    uint64_t poses, contacts;
    size_t count;
    ov_world_counts updated, counts;
} record;

static void take(uint64_t *hash, const void *bytes, size_t size) {
    const unsigned char *b = bytes;
    for (size_t i = 0; i < size; i++) {
        *hash = (*hash ^ b[i]) * 1099511628211u;
    }
}

/** The numbers of a contact, without what lies between them in memory. */
static void take_contact(uint64_t *hash, const ov_world_contact *k) {
    const ov_contact *c = &k->contact;
    const uint64_t whole[] = {k->a,
                              k->b,
                              k->part_a,
                              k->part_b,
                              k->triangle_a,
                              k->triangle_b,
                              k->island,
                              (uint64_t)c->relation,
                              (uint64_t)c->status,
                              (uint64_t)c->iterations};
    const double real[] = {c->gap,       c->gap_lower, c->gap_upper, c->normal.x,
                           c->normal.y,  c->normal.z,  c->point_a.x, c->point_a.y,
                           c->point_a.z, c->point_b.x, c->point_b.y, c->point_b.z};
    take(hash, whole, sizeof whole);
    take(hash, real, sizeof real);
}

static record look(double limit, bool apart) {
    record now = {.poses = 14695981039346656037u, .contacts = 14695981039346656037u};
    const ov_world_contact *contacts;
    if (apart) {
        CHECK_OK(ov_world_update(it.world, limit));
        now.updated = ov_world_last_counts(it.world);
    }
    CHECK_OK(ov_world_contacts(it.world, limit, &contacts, &now.count));
    now.counts = ov_world_last_counts(it.world);
    for (size_t i = 0; i < now.count; i++) {
        take_contact(&now.contacts, &contacts[i]);
    }
    for (size_t i = 0; i < it.count; i++) {
        take(&now.poses, &it.poses[i], sizeof it.poses[i]);
    }
    return now;
}

/* ---- the story */

static void run_round(check_random *r, int round) {
    static const size_t every[] = {1, 1, 7, 1, 100, 1};
    size_t count = name_bodies(r, every[round % 6], round % 3 == 2 ? 0.3 : 0.04);
    if (round % 4 != 0) {
        mix(r, count);
    }
    if (round % 3 == 1) {
        move_badly(r, count);
    }
    move_named(count);
    ov_pose far = somewhere(r); // the large ball meets hundreds anew
    CHECK_OK(ov_world_move(it.world, it.ids[LARGE], far));
    CHECK_OK(ov_quat_normalize(far.rotation, &far.rotation));
    it.poses[LARGE] = far;
    for (int i = 0; i < 12; i++) {
        remove_at((size_t)(check_random_bits(r) >> 8) % LARGE);
        add(it.kinds[i % 3], somewhere(r));
    }
}

static void test_story(void) {
    static scheduler_calls calls[SCHEDULERS];
    const ov_threads threads[] = {{.count = 1},
                                  {.count = 2},
                                  {.count = 3},
                                  {.count = 7},
                                  scheduler_at(0, 3, &calls[0]),
                                  scheduler_at(1, 7, &calls[1]),
                                  scheduler_at(2, 5, &calls[2])};
    static const double limits[ROUNDS] = {0.05, 0.05, 0.3, 0.3, 0.02, 0.05, 0.05};
    static record first[ROUNDS];
    size_t most = 0, moved = 0;
    make_kinds();
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        check_random r = check_random_make(301);
        make_crowd(&r);
        CHECK_OK(ov_world_set_threads(it.world, &threads[t]));
        for (int round = 0; round < ROUNDS; round++) {
            record now = look(limits[round], round % 2 == 0);
            if (t == 0) {
                first[round] = now;
            }
            most = now.count > most ? now.count : most;
            moved = round > 0 && now.updated.moved > moved ? now.updated.moved : moved;
            if (!CHECK(memcmp(&now, &first[round], sizeof now) == 0)) {
                fprintf(stderr, "threads %zu, round %d: %zu contacts and %zu, %zu bytes and %zu\n",
                        t, round, now.count, first[round].count, now.counts.memory,
                        first[round].counts.memory);
            }
            run_round(&r, round);
        }
        ov_world_destroy(it.world);
    }
    for (int i = 0; i < SCHEDULERS; i++) {
        CHECK(calls[i].calls > ROUNDS && calls[i].tasks > 2 * calls[i].calls);
    }
    // all was shared out: bodies that moved, and contacts
    CHECK(moved > BODIES / 2 && most > 7000);
    printf("world_threads: up to %zu contacts, %zu parts to be searched\n", most, moved);
    free_kinds();
}

static void test_bad_threads(void) {
    ov_world *world;
    CHECK_OK(ov_world_create(NULL, &world));
    size_t done = 5;
    const ov_threads many = {.count = OV_THREADS_MAX + 1};
    CHECK_STATUS(ov_world_set_threads(world, &many), OV_ERROR_OPTION);
    ov_world *none;
    CHECK_STATUS(ov_world_create(&(ov_world_options){.threads = many}, &none), OV_ERROR_OPTION);
    CHECK(none == NULL);
    for (unsigned threads = 0; threads <= OV_THREADS_MAX; threads += 64) {
        CHECK_OK(ov_world_set_threads(world, &(ov_threads){.count = threads}));
        CHECK_OK(ov_world_update(world, 0.1));
        CHECK_OK(ov_world_move_all(world, NULL, NULL, 0, &done));
        CHECK(done == 0);
        done = 5;
    }
    ov_world_destroy(world);
}

int main(void) {
    check_suite = "world_threads";
    RUN(test_ranges);
    RUN(test_bad_threads);
    RUN(test_story);
    return check_finish();
}
