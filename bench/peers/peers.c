/**
 * @file peers.c
 * @brief The entry of the module: the methods of the libraries that were there when it was built.
 */
#include "peers.h"

#include "broad.h"

typedef const peer_method *(*library)(size_t *count);

static const library libraries[] = {
#ifdef OVOID_PEER_FCL
    peer_fcl_methods,
#endif
#ifdef OVOID_PEER_CCD
    peer_ccd_methods,
#endif
#ifdef OVOID_PEER_BULLET
    peer_bullet_methods,
#endif
    NULL,
};

size_t ovoid_peers_list(const peer_method **methods, size_t most) {
    size_t found = 0;
    for (const library *l = libraries; *l != NULL; l++) {
        size_t count = 0;
        const peer_method *list = (*l)(&count);
        for (size_t i = 0; i < count && found < most; i++) {
            methods[found++] = &list[i];
        }
    }
    return found;
}

size_t ovoid_peers_broad(const peer_broad **broads, size_t most) {
    size_t found = 0;
#ifdef OVOID_PEER_FCL
    if (found < most) {
        broads[found++] = peer_fcl_broad();
    }
#endif
#ifdef OVOID_PEER_BULLET
    if (found < most) {
        broads[found++] = peer_bullet_broad();
    }
#endif
    (void)broads;
    (void)most;
    return found;
}
