/**
 * @file peers.c
 * @brief Lists what those of the other libraries can do that were there when the program was built.
 */
#include "bench.h"

#define PEERS_PACKAGES "libfcl-dev libccd-dev libbullet-dev libode-dev g++"

const char bench_peers_missing[] =
    "no peers to compare with: they are built in where the Debian packages " PEERS_PACKAGES
    " are installed";

#if defined OVOID_PEER_FCL || defined OVOID_PEER_CCD || defined OVOID_PEER_BULLET ||               \
    defined OVOID_PEER_ODE
static void add_methods(bench_peers *peers, const peer_method *(*methods)(size_t *count)) {
    size_t count = 0;
    const peer_method *list = methods(&count);
    for (size_t i = 0; i < count && peers->count < PEER_METHODS_MAX; i++) {
        peers->methods[peers->count++] = &list[i];
    }
}
#endif

void bench_peers_list(bench_peers *peers) {
    *peers = (bench_peers){.count = 0};
#ifdef OVOID_PEER_FCL
    size_t count = 0;
    const peer_continuous *continuous = peer_fcl_continuous(&count);
    for (size_t i = 0; i < count && i < PEER_CONTINUOUS_MAX; i++) {
        peers->continuous[peers->continuous_count++] = &continuous[i];
    }
    add_methods(peers, peer_fcl_methods);
    peers->broads[peers->broad_count++] = peer_fcl_broad();
    peers->checks[peers->check_count++] = peer_fcl_check();
#endif
#ifdef OVOID_PEER_CCD
    add_methods(peers, peer_ccd_methods);
#endif
#ifdef OVOID_PEER_BULLET
    add_methods(peers, peer_bullet_methods);
    peers->broads[peers->broad_count++] = peer_bullet_broad();
    peers->piles[peers->pile_count++] = peer_bullet_pile();
#endif
#ifdef OVOID_PEER_BULLET_CLOTH
    peers->cloth = peer_bullet_cloth();
#endif
#ifdef OVOID_PEER_ODE
    add_methods(peers, peer_ode_methods);
    peers->piles[peers->pile_count++] = peer_ode_pile();
#endif
}
