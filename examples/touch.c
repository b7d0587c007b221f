/**
 * @file touch.c
 * @brief What a hand feels that leads a ball over an egg: a distance map, a track, a servo loop.
 *
 * The first half asks as fast as the machine can: a ball is pressed into an egg and led over it,
 * and stays outside while a spring pulls it. The second half does the same in real time: a thread
 * asks a device where the hand is, a thousand times a second, and shows it the force. The device
 * here is a function of time; one of your own has the same two callbacks.
 */
#define _POSIX_C_SOURCE 199309L /* nanosleep */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <ovoid/ovoid.h>

enum { TICKS = 300 };

static void fail(const char *what, ov_status status) {
    fprintf(stderr, "%s: %s\n", what, ov_status_message(status));
    exit(1);
}

/** The distance map of an egg's mesh, 8 cm high. Maps are made of any closed mesh. */
static ov_touch_map *make_map(void) {
    ov_shape egg;
    ov_mesh_plan plan;
    ov_mesh_options options = {.vertices = 500};
    ov_vec3 semi_axes = {0.03, 0.03, 0.04};
    ov_status status = ov_shape_make_superovoid(semi_axes, 1.0, 0.9, -0.2, -0.2, NULL, &egg);
    if (status < 0 || (status = ov_shape_mesh_plan(&egg, &options, &plan)) < 0) {
        fail("no egg", status);
    }
    ov_vec3 *vertices = malloc(plan.vertex_count * sizeof *vertices);
    uint32_t(*triangles)[3] = malloc(plan.triangle_count * sizeof *triangles);
    if (vertices == NULL || triangles == NULL) {
        fail("no egg", OV_ERROR_MEMORY);
    }
    // a coarse map: within 0.2 % of the diagonal, in a moment
    ov_touch_map_options coarse = {.error = 2e-3};
    ov_touch_map *map = NULL;
    status = ov_shape_mesh_fill(&egg, &plan, vertices, NULL, triangles);
    if (status >= 0) {
        status = ov_touch_map_create(vertices, plan.vertex_count, (const uint32_t(*)[3])triangles,
                                     plan.triangle_count, &coarse, NULL, &map);
    }
    if (status < 0) {
        fail("no map", status);
    }
    free(vertices); // the map has copies
    free(triangles);
    return map;
}

/** Where the hand is: down into the top of the egg, and then across it. */
static ov_vec3 hand_at(double time) {
    double down = fmin(time, 0.1), across = fmax(time - 0.1, 0.0);
    return ov_vec3_make(0.1 * across, 0.0, 0.05 - 0.15 * down);
}

/** All that a tick needs. The loop's thread alone uses it while the loop runs. */
typedef struct finger {
    ov_touch_surface surface;
    ov_touch_material material;
    ov_touch_proxy_options ball;
    ov_touch_proxy proxy;
} finger;

static ov_status read_hand(void *user, double time, ov_pose *pose) {
    (void)user;
    *pose = ov_pose_identity();
    pose->position = hand_at(time);
    return OV_OK;
}

static ov_status feel(void *user, const ov_touch_tick *tick, ov_touch_force *force) {
    finger *f = user;
    ov_status status = ov_touch_proxy_step(&f->surface, &f->material, &f->ball,
                                           tick->device.position, tick->period, &f->proxy, force);
    // a proxy that needs another tick is no reason to end the loop
    return status < 0 ? status : OV_OK;
}

static void follow_track(finger *f) {
    for (int i = 0; i < TICKS; i++) {
        ov_touch_force force;
        ov_touch_tick tick = {.time = 0.001 * i, .period = 0.001};
        tick.device.position = hand_at(tick.time);
        ov_status status = feel(f, &tick, &force);
        if (status < 0) {
            fail("no force", status);
        }
        if (i % 60 == 0) {
            printf("%.2f s: hand at %.3f %.3f %.3f, force %.2f %.2f %.2f N%s\n", tick.time,
                   tick.device.position.x, tick.device.position.y, tick.device.position.z,
                   force.force.x, force.force.y, force.force.z, force.contact ? ", touching" : "");
        }
    }
}

static void run_loop(finger *f) {
    ov_touch_loop_options options = {.rate = 1000.0, .ticks = TICKS};
    ov_touch_device device = {.read = read_hand}; // no `write`: nothing to show the force with
    ov_touch_loop *loop;
    ov_status status = ov_touch_loop_start(&options, &device, feel, f, NULL, &loop);
    if (status == OV_ERROR_UNSUPPORTED) {
        printf("no threads here, so no loop\n");
        return;
    }
    if (status < 0) {
        fail("no loop", status);
    }
    // meanwhile this thread takes the records, a hundred times a second, as a picture would
    const struct timespec pause = {.tv_nsec = 10000000};
    ov_touch_record records[64];
    double largest = 0.0;
    size_t count, touching = 0;
    for (bool done = false; !done;) {
        (void)nanosleep(&pause, NULL);
        done = ov_touch_loop_is_done(loop); // asked first, so that the last records are read, too
        while ((count = ov_touch_loop_read(loop, records, 64)) > 0) {
            for (size_t i = 0; i < count; i++) {
                touching += records[i].force.contact;
                largest = fmax(largest, ov_vec3_length(records[i].force.force));
            }
        }
    }
    status = ov_touch_loop_stop(loop);
    ov_touch_statistics s = ov_touch_loop_statistics(loop);
    ov_touch_loop_destroy(loop);
    if (status < 0) {
        fail("the loop", status);
    }
    printf("%llu ticks in real time, %zu of them touching, forces up to %.2f N\n",
           (unsigned long long)s.ticks, touching, largest);
    printf("half of them began less than %.3g us late\n", 1e6 * ov_touch_quantile(s.late, 0.5));
}

int main(void) {
    ov_touch_map *map = make_map();
    ov_touch_distance d;
    ov_status status = ov_touch_map_point(map, ov_pose_identity(), ov_vec3_make(0.0, 0.0, 0.045),
                                          OV_TOUCH_LEVEL_EXACT, &d);
    if (status < 0) {
        fail("no distance", status);
    }
    printf("5 mm above the egg: %.6f m, proven between %.6f and %.6f\n", d.distance,
           d.distance_lower, d.distance_upper);

    ov_touch_placed_map placed = {.map = map}; // at the origin
    finger f = {.surface = ov_touch_map_surface(&placed),
                .material = {.stiffness = 800.0, .static_friction = 0.4, .dynamic_friction = 0.3},
                .ball = {.radius = 0.005}};
    follow_track(&f);
    f.proxy = (ov_touch_proxy){0};
    run_loop(&f);
    ov_touch_map_destroy(map);
    return 0;
}
