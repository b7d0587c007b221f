/**
 * @file touch.h
 * @brief All of touch in one include: distance maps of meshes, and objects against them.
 */
#ifndef OVOID_TOUCH_H
#define OVOID_TOUCH_H

#include <ovoid/touch_map.h>
#include <ovoid/touch_objects.h>

#endif
