/**
 * @file test_io_touch.c
 * @brief Tracks and bitmaps from files, and a peer by UDP: what is good arrives, everything else is
 * told or dropped.
 */
#include <string.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ovoid/io.h>

#include "check.h"

/* ---- tracks */

/** A stream of some bytes. */
static FILE *stream_of(const void *bytes, size_t size) {
    FILE *f = tmpfile();
    CHECK(f != NULL);
    CHECK(fwrite(bytes, 1, size, f) == size);
    rewind(f);
    return f;
}

static ov_status read_text(const char *text, ov_touch_track *track, ov_fault *fault) {
    FILE *f = stream_of(text, strlen(text));
    ov_status status = ov_touch_track_read_stream(f, track, fault);
    (void)fclose(f);
    return status;
}

static void test_track(void) {
    ov_touch_track t;
    ov_fault fault;
    CHECK_OK(read_text("time,x,y,z,qw,qx,qy,qz\n# a comment\n0,1,2,3,1,0,0,0\n"
                       "2,3,2,3,-1,0,0,-1\n",
                       &t, &fault));
    CHECK(t.count == 2);
    ov_pose p = ov_touch_track_at(&t, 0.5);
    CHECK_NEAR(p.position.x, 1.5, 1e-15);
    // a quarter of a quarter turn about z, by the shorter way
    CHECK_NEAR(fabs(p.rotation.w), cos(M_PI / 16.0), 1e-12);
    CHECK_NEAR(fabs(p.rotation.z), sin(M_PI / 16.0), 1e-12);
    CHECK(ov_touch_track_at(&t, -1.0).position.x == 1.0);
    CHECK(ov_touch_track_at(&t, 9.0).position.x == 3.0);
    CHECK(ov_touch_track_at(&t, (double)NAN).position.x == 1.0);
    ov_touch_device d = ov_touch_track_device(&t);
    CHECK_OK(d.read(d.user, 1.0, &p));
    CHECK_NEAR(p.position.x, 2.0, 1e-15);
    ov_touch_track_free(&t);
    CHECK_OK(read_text("time,x,y,z\n5,0,0,0\n", &t, &fault));
    CHECK(t.poses[0].rotation.w == 1.0);
    ov_touch_track_free(&t);
    ov_touch_track_free(NULL);
}

static void test_bad_tracks(void) {
    static const struct {
        const char *text;
        ov_status status;
        size_t line;
    } cases[] = {
        {"", OV_ERROR_FILE_FORMAT, 0},
        {"time,x,y,z\n", OV_ERROR_COUNT, 0},
        {"t,x,y,z\n0,0,0,0\n", OV_ERROR_FILE_FORMAT, 1},
        {"time,x,y\n0,0,0\n", OV_ERROR_FILE_FORMAT, 1},
        {"time,x,y,z,qw\n0,0,0,0,1\n", OV_ERROR_FILE_FORMAT, 1},
        {"time,x,y,z,qw,qx,qy,qz,more\n", OV_ERROR_FILE_FORMAT, 1},
        {"time,x,y,z\n0,0,0\n", OV_ERROR_FILE_FORMAT, 2},
        {"time,x,y,z\n0,0,0,0,0\n", OV_ERROR_FILE_FORMAT, 2},
        {"time,x,y,z\n0,0,abc,0\n", OV_ERROR_FILE_FORMAT, 2},
        {"time,x,y,z\n0,0,0,0\n1,nan,0,0\n", OV_ERROR_NOT_FINITE, 3},
        {"time,x,y,z\n0,0,0,0\n1,1e999,0,0\n", OV_ERROR_NOT_FINITE, 3},
        {"time,x,y,z\n0,0,0,0\n0,0,0,0\n", OV_ERROR_TIME, 3},
        {"time,x,y,z,qw,qx,qy,qz\n0,0,0,0,0,0,0,0\n", OV_ERROR_ZERO_DIRECTION, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ov_touch_track t;
        ov_fault fault;
        CHECK_STATUS(read_text(cases[i].text, &t, &fault), cases[i].status);
        CHECK(t.count == 0 && t.times == NULL && t.poses == NULL);
        CHECK(fault.index == cases[i].line && fault.text[0] != '\0');
    }
    ov_touch_track t;
    CHECK_STATUS(ov_touch_track_read("/nowhere/at/all.csv", &t, NULL), OV_ERROR_FILE_OPEN);
    CHECK_STATUS(ov_touch_track_read(NULL, &t, NULL), OV_ERROR_NULL);
    CHECK_STATUS(ov_touch_track_read_stream(stdin, NULL, NULL), OV_ERROR_NULL);
}

/* ---- bitmaps */

static ov_status read_picture(const void *bytes, size_t size, ov_touch_bitmap *b, ov_fault *fault) {
    FILE *f = stream_of(bytes, size);
    ov_status status = ov_touch_bitmap_read_stream(f, b, fault);
    (void)fclose(f);
    return status;
}

static void test_bitmap(void) {
    static const char plain[] = "P2 # plain\n# weave\n3\t2\n7\n0 1 2\n 3 4#end\n7\n\n";
    // after the one space a raw picture may begin with what looks like one, and is no comment
    static const char raw[] = "P5\n#\n2 2 255\n\n#\x01\xff";
    const uint8_t greys[6] = {0, 36, 73, 109, 146, 255};
    ov_touch_bitmap b;
    ov_fault fault;
    CHECK_OK(read_picture(plain, sizeof plain - 1, &b, &fault));
    CHECK(b.columns == 3 && b.rows == 2 && memcmp(b.values, greys, 6) == 0);
    ov_touch_bitmap_free(&b);
    CHECK(b.values == NULL);
    CHECK_OK(read_picture(raw, sizeof raw - 1, &b, NULL));
    CHECK(b.columns == 2 && b.rows == 2 && memcmp(b.values, "\n#\x01\xff", 4) == 0);
    // as a texture: far from its neighbours a pixel has its height
    ov_touch_texture t = {.kind = OV_TOUCH_TEXTURE_BITMAP,
                          .height = 1e-3,
                          .wavelength = 1.0,
                          .values = b.values,
                          .rows = b.rows,
                          .columns = b.columns};
    ov_vec3 gradient;
    CHECK_OK(ov_touch_texture_check(&t));
    double low = ov_touch_texture_height(&t, ov_vec3_make(0.0, 1.0, 0.0), &gradient);
    double high = ov_touch_texture_height(&t, ov_vec3_make(1.0, 1.0, 0.0), &gradient);
    CHECK(low < high && high < 1e-3);
    ov_touch_bitmap_free(&b);
    ov_touch_bitmap_free(NULL);
}

static void test_bad_bitmaps(void) {
    static const struct {
        const char *text;
        ov_status status;
        size_t line;
    } cases[] = {
        {"", OV_ERROR_FILE_FORMAT, 0},
        {"P", OV_ERROR_FILE_FORMAT, 0},
        {"P3\n1 1 255\n1\n", OV_ERROR_FILE_FORMAT, 0},
        {"P21 1 255 1", OV_ERROR_FILE_FORMAT, 0},
        {"P2\n1 1\n", OV_ERROR_FILE_FORMAT, 3},
        {"P2\n1 -1 255 1", OV_ERROR_FILE_FORMAT, 2},
        {"P2\n0 1 255\n", OV_ERROR_COUNT, 2},
        {"P2\n1 32769 255\n", OV_ERROR_COUNT, 2},
        {"P2\n1 99999999999999999999 255\n", OV_ERROR_FILE_FORMAT, 2},
        {"P2\n1 1 0\n0\n", OV_ERROR_FILE_FORMAT, 2},
        {"P2\n1 1 65535\n0\n", OV_ERROR_FILE_FORMAT, 2},
        {"P2\n2 1 9\n3\n", OV_ERROR_FILE_FORMAT, 4},
        {"P2\n2 1 9\n3     \n", OV_ERROR_FILE_FORMAT, 4},
        {"P2\n2 1 9\n3 x\n", OV_ERROR_FILE_FORMAT, 3},
        {"P2\n2 1 9\n3 10\n", OV_ERROR_FILE_FORMAT, 3},
        {"P2\n1 1 9\n3\n4", OV_ERROR_FILE_FORMAT, 4},
        {"P5\n32768 32768 255\nab", OV_ERROR_FILE_FORMAT, 3},
        {"P5\n2 1 255\na", OV_ERROR_FILE_FORMAT, 3},
        {"P5\n1 1 255\nab", OV_ERROR_FILE_FORMAT, 3},
        {"P5\n1 1 9\na", OV_ERROR_FILE_FORMAT, 0},
        {"P5\n1 1 255", OV_ERROR_FILE_FORMAT, 2},
    };
    ov_touch_bitmap b;
    ov_fault fault;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK_STATUS(read_picture(cases[i].text, strlen(cases[i].text), &b, &fault),
                     cases[i].status);
        CHECK(b.values == NULL && b.rows == 0 && b.columns == 0);
        CHECK(fault.index == cases[i].line && fault.text[0] != '\0');
    }
    CHECK_STATUS(ov_touch_bitmap_read_stream(NULL, &b, &fault), OV_ERROR_NULL);
    CHECK_STATUS(ov_touch_bitmap_read_stream(stdin, NULL, NULL), OV_ERROR_NULL);
}

/* ---- UDP */

/** Eight bytes of a number, and four. */
static void put(unsigned char *to, const void *value, size_t size) { memcpy(to, value, size); }

static void make_datagram(unsigned char *d, uint32_t number, const double v[7]) {
    memcpy(d, "OVT1", 4);
    put(d + 4, &number, 4);
    for (int i = 0; i < 7; i++) {
        put(d + 8 + 8 * i, &v[i], 8);
    }
}

static void test_parse(void) {
    unsigned char d[OV_TOUCH_DATAGRAM + 8] = {0};
    const double good[7] = {1.0, 2.0, 3.0, 2.0, 0.0, 0.0, 0.0};
    make_datagram(d, 7, good);
    uint32_t number;
    ov_pose pose;
    CHECK(ov_touch_udp_parse(d, OV_TOUCH_DATAGRAM, &number, &pose));
    CHECK(number == 7 && pose.position.y == 2.0 && pose.rotation.w == 1.0);
    CHECK(!ov_touch_udp_parse(d, OV_TOUCH_DATAGRAM - 1, &number, &pose));
    CHECK(!ov_touch_udp_parse(d, OV_TOUCH_DATAGRAM + 1, &number, &pose));
    CHECK(!ov_touch_udp_parse(NULL, OV_TOUCH_DATAGRAM, &number, &pose));
    const double bad[4][7] = {{(double)NAN, 0, 0, 1, 0, 0, 0},
                              {0, 0, (double)INFINITY, 1, 0, 0, 0},
                              {0, 0, 1e300, 1, 0, 0, 0},
                              {0, 0, 0, 0, 0, 0, 0}};
    for (int i = 0; i < 4; i++) {
        make_datagram(d, 8, bad[i]);
        CHECK(!ov_touch_udp_parse(d, OV_TOUCH_DATAGRAM, &number, &pose));
    }
    make_datagram(d, 8, good);
    d[0] = 'X';
    CHECK(!ov_touch_udp_parse(d, OV_TOUCH_DATAGRAM, &number, &pose));
}

/** A force that tells where the device was. */
static ov_status echo(void *user, const ov_touch_tick *tick, ov_touch_force *force) {
    (void)user;
    force->force = tick->device.position;
    return OV_OK;
}

static void test_peer(void) {
    ov_touch_udp *peer;
    ov_fault fault;
    CHECK_OK(ov_touch_udp_open(0, &peer, &fault));
    ov_touch_udp *second;
    CHECK_STATUS(ov_touch_udp_open(ov_touch_udp_port(peer), &second, &fault), OV_ERROR_FILE_OPEN);
    CHECK(second == NULL && strstr(fault.text, "port") != NULL);
    ov_touch_device device = ov_touch_udp_device(peer);
    ov_touch_loop_options o = {.rate = 1000.0, .ticks = 200000};
    ov_touch_loop *loop;
    CHECK_OK(ov_touch_loop_start(&o, &device, echo, NULL, NULL, &loop));
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(ov_touch_udp_port(peer)),
                             .sin_addr = {htonl(INADDR_LOOPBACK)}};
    CHECK(connect(s, (const struct sockaddr *)&to, sizeof to) == 0);
    // noise first: nothing is answered
    check_random r = check_random_make(5);
    for (int i = 0; i < 300; i++) {
        unsigned char noise[200];
        for (size_t k = 0; k < sizeof noise; k++) {
            noise[k] = (unsigned char)(check_random_bits(&r) & 255u);
        }
        if (i % 3 == 0) {
            memcpy(noise, "OVT1", 4);
        }
        size_t size = i % 2 == 0 ? OV_TOUCH_DATAGRAM : (size_t)(i % 200);
        (void)send(s, noise, size, 0);
    }
    bool answered = false;
    const double at[7] = {0.25, -0.5, 4.0, 1.0, 0.0, 0.0, 0.0};
    for (uint32_t i = 1; i < 3000 && !answered; i++) {
        unsigned char d[OV_TOUCH_DATAGRAM];
        make_datagram(d, 0x7ffffff0u + i, at); // numbers run over on the way
        (void)send(s, d, sizeof d, 0);
        struct pollfd wait = {s, POLLIN, 0};
        while (poll(&wait, 1, 5) > 0 && !answered) {
            double x = 0.0, z = 0.0;
            CHECK(recv(s, d, sizeof d, 0) == OV_TOUCH_DATAGRAM);
            CHECK(memcmp(d, "OVF1", 4) == 0);
            memcpy(&x, d + 8, 8);
            memcpy(&z, d + 24, 8);
            answered = x == 0.25 && z == 4.0;
        }
    }
    CHECK(answered);
    (void)close(s);
    CHECK_OK(ov_touch_loop_stop(loop));
    ov_touch_loop_destroy(loop);
    uint64_t good, dropped, sent;
    ov_touch_udp_counts(peer, &good, &dropped, &sent);
    CHECK(good > 0 && sent > 0 && dropped > 0);
    ov_touch_udp_close(peer);
    ov_touch_udp_close(NULL);
    CHECK_STATUS(ov_touch_udp_open(0, NULL, NULL), OV_ERROR_NULL);
}

int main(void) {
    check_suite = "touch io";
    RUN(test_track);
    RUN(test_bad_tracks);
    RUN(test_bitmap);
    RUN(test_bad_bitmaps);
    RUN(test_parse);
    RUN(test_peer);
    return check_finish();
}
