/**
 * @file fuzz_touch_udp.c
 * @brief Fuzz target: datagrams of the UDP peer, from raw bytes.
 *
 * What is demanded: a pose only from a datagram of the right size and mark, finite, near enough,
 * with a unit quaternion.
 */
#include "reading.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint32_t number;
    ov_pose pose;
    if (ov_touch_udp_parse(data, size, &number, &pose)) {
        ov_quat q = pose.rotation;
        demand(size == OV_TOUCH_DATAGRAM && data[0] == 'O', "mark");
        demand(ov_vec3_is_finite(pose.position) && fabs(pose.position.x) <= OV_POSITION_MAX,
               "place");
        demand(fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1.0) < 1e-12, "rotation");
    }
    return 0;
}
