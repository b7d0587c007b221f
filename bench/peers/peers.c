/**
 * @file peers.c
 * @brief The entry of the module: the methods of the libraries that were there when it was built.
 */
#include "peers.h"

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
