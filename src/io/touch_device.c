/**
 * @file touch_device.c
 * @brief Devices of touch: a recorded track, and a peer that sends its poses by UDP.
 *
 * The peer's socket belongs to a thread of its own. Poses and forces pass between it and the servo
 * loop by queues without locks, so the loop itself never asks the system for anything.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ovoid/io_touch.h>

#include "io_internal.h"

/* ---- tracks ---------------------------------------------------------------------------------- */

/** A rotation between two, the shorter way. */
static ov_quat between(ov_quat a, ov_quat b, double share) {
    double dot = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    double sign = dot < 0.0 ? -1.0 : 1.0;
    double angle = acos(fmin(fabs(dot), 1.0));
    double wa = 1.0 - share, wb = share;
    if (angle > 1e-6) {
        wa = sin(wa * angle) / sin(angle);
        wb = sin(wb * angle) / sin(angle);
    }
    wb *= sign;
    ov_quat q = {wa * a.w + wb * b.w, wa * a.x + wb * b.x, wa * a.y + wb * b.y,
                 wa * a.z + wb * b.z};
    return ov_quat_normalize(q, &q) == OV_OK ? q : a;
}

ov_pose ov_touch_track_at(const ov_touch_track *track, double time) {
    size_t low = 0, high = track->count - 1;
    if (!(time > track->times[0])) {
        return track->poses[0];
    }
    if (time >= track->times[high]) {
        return track->poses[high];
    }
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (time < track->times[middle]) {
            high = middle;
        } else {
            low = middle;
        }
    }
    double share = (time - track->times[low]) / (track->times[high] - track->times[low]);
    ov_pose a = track->poses[low], b = track->poses[high], at;
    at.position =
        ov_vec3_add(ov_vec3_scale(a.position, 1.0 - share), ov_vec3_scale(b.position, share));
    at.rotation = between(a.rotation, b.rotation, share);
    return at;
}

static ov_status read_track_pose(void *user, double time, ov_pose *pose) {
    const ov_touch_track *track = user;
    *pose = ov_touch_track_at(track, track->times[0] + time);
    return OV_OK;
}

ov_touch_device ov_touch_track_device(const ov_touch_track *track) {
    // the device's functions are its own, and do not write to the track
    return (ov_touch_device){read_track_pose, NULL, (void *)(uintptr_t)track};
}

/* ---- datagrams ------------------------------------------------------------------------------- */

static uint64_t get_bytes(const unsigned char *from, int count) {
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--) {
        value = value << 8 | from[i];
    }
    return value;
}

static double get_double(const unsigned char *from) {
    uint64_t bits = get_bytes(from, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void put_bytes(unsigned char *to, uint64_t value, int count) {
    for (int i = 0; i < count; i++) {
        to[i] = (unsigned char)(value >> (8 * i) & 255u);
    }
}

bool ov_touch_udp_parse(const void *bytes, size_t size, uint32_t *number, ov_pose *pose) {
    const unsigned char *b = bytes;
    if (b == NULL || size != OV_TOUCH_DATAGRAM || memcmp(b, "OVT1", 4) != 0) {
        return false;
    }
    double v[7];
    for (int i = 0; i < 7; i++) {
        v[i] = get_double(b + 8 + 8 * i);
    }
    ov_pose p = {.position = ov_vec3_make(v[0], v[1], v[2])};
    ov_quat q = {v[3], v[4], v[5], v[6]};
    double far = fmax(fmax(fabs(v[0]), fabs(v[1])), fabs(v[2]));
    if (!ov_vec3_is_finite(p.position) || !(far <= OV_POSITION_MAX) ||
        ov_quat_normalize(q, &p.rotation) != OV_OK) {
        return false;
    }
    *number = (uint32_t)get_bytes(b + 4, 4);
    *pose = p;
    return true;
}

static void write_datagram(const ov_touch_force *force, uint32_t number, unsigned char *to) {
    const double v[7] = {force->force.x,  force->force.y,  force->force.z, force->torque.x,
                         force->torque.y, force->torque.z, force->depth};
    memcpy(to, "OVF1", 4);
    put_bytes(to + 4, number, 4);
    for (int i = 0; i < 7; i++) {
        uint64_t bits;
        memcpy(&bits, &v[i], sizeof bits);
        put_bytes(to + 8 + 8 * i, bits, 8);
    }
}

/* ---- the peer -------------------------------------------------------------------------------- */

struct ov_touch_udp {
    int socket;
    uint16_t port;
    ov_touch_queue *poses, *forces;
    pthread_t thread;
    bool running;
    atomic_bool stop;
    atomic_uint_fast64_t good, dropped, sent;
    // the thread's own
    struct sockaddr_in from;
    bool known; /**< `from` is where the last good pose came from */
    uint32_t last, number;
};

/** Datagrams that are taken at a time, so that whoever sends them without an end keeps the thread
 *  neither from sending forces nor from ending. */
enum { TAKEN_MAX = 4096 };

/** Takes what has arrived. */
static void receive(ov_touch_udp *peer) {
    unsigned char bytes[OV_TOUCH_DATAGRAM + 1];
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    for (int i = 0; i < TAKEN_MAX; i++) {
        ssize_t size = recvfrom(peer->socket, bytes, sizeof bytes, MSG_DONTWAIT,
                                (struct sockaddr *)&from, &length);
        if (size < 0) {
            break;
        }
        uint32_t number;
        ov_pose pose;
        bool good = ov_touch_udp_parse(bytes, (size_t)size, &number, &pose);
        // a little behind: it was overtaken; far behind: its sender has started again
        uint32_t behind = peer->last - number;
        if (good && peer->known && behind < 4096) {
            good = false;
        }
        if (good && ov_touch_queue_push(peer->poses, &pose)) {
            peer->from = from;
            peer->known = true;
            peer->last = number;
            atomic_fetch_add_explicit(&peer->good, 1, memory_order_relaxed);
        } else {
            atomic_fetch_add_explicit(&peer->dropped, 1, memory_order_relaxed);
        }
        length = sizeof from;
    }
}

static void send_force(ov_touch_udp *peer) {
    ov_touch_force force;
    if (ov_touch_queue_newest(peer->forces, &force) > 0 && peer->known) {
        unsigned char bytes[OV_TOUCH_DATAGRAM];
        write_datagram(&force, ++peer->number, bytes);
        if (sendto(peer->socket, bytes, sizeof bytes, MSG_DONTWAIT,
                   (const struct sockaddr *)&peer->from, sizeof peer->from) >= 0) {
            atomic_fetch_add_explicit(&peer->sent, 1, memory_order_relaxed);
        }
    }
}

static void *serve(void *argument) {
    ov_touch_udp *peer = argument;
    while (!atomic_load_explicit(&peer->stop, memory_order_relaxed)) {
        struct pollfd wait = {peer->socket, POLLIN, 0};
        (void)poll(&wait, 1, 1); // forces wait for a millisecond at most
        receive(peer);
        send_force(peer);
    }
    return NULL;
}

static ov_status read_peer(void *user, double time, ov_pose *pose) {
    (void)time;
    ov_touch_udp *peer = user;
    return ov_touch_queue_newest(peer->poses, pose) > 0 ? OV_OK : OV_NOT_CONVERGED;
}

static void write_peer(void *user, const ov_touch_force *force) {
    ov_touch_udp *peer = user;
    (void)ov_touch_queue_push(peer->forces, force); // a full queue has newer ones to send
}

/** A socket of the loopback; negative after an error in errno. */
static int open_socket(uint16_t port, uint16_t *bound) {
    int made = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (made >= 0 && (bind(made, (const struct sockaddr *)&address, sizeof address) != 0 ||
                      getsockname(made, (struct sockaddr *)&address, &length) != 0)) {
        int cause = errno;
        (void)close(made);
        errno = cause;
        return -1;
    }
    *bound = ntohs(address.sin_port);
    return made;
}

ov_status ov_touch_udp_open(uint16_t port, ov_touch_udp **peer, ov_fault *fault) {
    if (fault != NULL) {
        *fault = (ov_fault){0};
    }
    if (peer == NULL) {
        return OV_ERROR_NULL;
    }
    *peer = NULL;
    ov_touch_udp *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return ovi_file_fault(fault, OV_ERROR_MEMORY, 0, "%s", ov_status_message(OV_ERROR_MEMORY));
    }
    made->socket = open_socket(port, &made->port);
    if (made->socket < 0) {
        ov_status status = ovi_file_fault(fault, OV_ERROR_FILE_OPEN, 0, "port %u: %s",
                                          (unsigned)port, strerror(errno));
        free(made);
        return status;
    }
    ov_status status = ov_touch_queue_create(sizeof(ov_pose), 4096, NULL, &made->poses);
    if (status == OV_OK) {
        status = ov_touch_queue_create(sizeof(ov_touch_force), 4096, NULL, &made->forces);
    }
    if (status == OV_OK) {
        made->running = pthread_create(&made->thread, NULL, serve, made) == 0;
        status = made->running ? OV_OK : OV_ERROR_UNSUPPORTED;
    }
    if (status < 0) {
        ov_touch_udp_close(made);
        return ovi_file_fault(fault, status, 0, "%s", ov_status_message(status));
    }
    *peer = made;
    return OV_OK;
}

void ov_touch_udp_close(ov_touch_udp *peer) {
    if (peer != NULL) {
        atomic_store_explicit(&peer->stop, true, memory_order_relaxed);
        if (peer->running) {
            pthread_join(peer->thread, NULL);
        }
        (void)close(peer->socket);
        ov_touch_queue_destroy(peer->poses);
        ov_touch_queue_destroy(peer->forces);
        free(peer);
    }
}

uint16_t ov_touch_udp_port(const ov_touch_udp *peer) { return peer->port; }

ov_touch_device ov_touch_udp_device(ov_touch_udp *peer) {
    return (ov_touch_device){read_peer, write_peer, peer};
}

void ov_touch_udp_counts(const ov_touch_udp *peer, uint64_t *good, uint64_t *dropped,
                         uint64_t *sent) {
    *good = atomic_load_explicit(&peer->good, memory_order_relaxed);
    *dropped = atomic_load_explicit(&peer->dropped, memory_order_relaxed);
    *sent = atomic_load_explicit(&peer->sent, memory_order_relaxed);
}
