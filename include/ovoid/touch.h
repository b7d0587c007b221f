/**
 * @file touch.h
 * @brief All of touch in one include: distance maps of meshes, objects against them, and the
 * published map.
 */
#ifndef OVOID_TOUCH_H
#define OVOID_TOUCH_H

#include <ovoid/touch_map.h>
#include <ovoid/touch_objects.h>
#include <ovoid/touch_published.h>

#endif
