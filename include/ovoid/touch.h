/**
 * @file touch.h
 * @brief All of touch in one include: distance maps of meshes, objects against them, the published
 * map, forces that a hand feels, and the servo loop.
 */
#ifndef OVOID_TOUCH_H
#define OVOID_TOUCH_H

#include <ovoid/touch_force.h>
#include <ovoid/touch_loop.h>
#include <ovoid/touch_map.h>
#include <ovoid/touch_objects.h>
#include <ovoid/touch_published.h>

#endif
