/* SPDX-License-Identifier: MIT */
/* Contacts as solver2d, Box2D and MuJoCo have them: a point is pinned to both bodies midway between their surfaces as
 * it is found; its normal stays in the world, and each body is pushed at its own anchor, C = gap as found + n.(p2 -
 * p1),   p1 = p2 as found. A body that rolls drags its anchor along until the next detection: ours does not
 * (model/contact/place.h). A solver that wants them sets them before it looks at a contact, and takes them off again:
 * everybody else sees the surfaces. */
#ifndef RIGOR_MODEL_CONTACT_PINS_H
#define RIGOR_MODEL_CONTACT_PINS_H

#include "model/world.h"

/* Of `contact_point`. */
typedef enum ContactPointAt { POINT_ON_SURFACE, POINT_MIDWAY } ContactPointAt;
extern const char *const contact_point_names[];

typedef struct ContactPin {
    BlockSeat seat;
    bool rolls;
} ContactPin;

/* A fresh one is all zero but for the choices. */
typedef struct ContactPins {
    bool midway;       /* points are pinned */
    double look_ahead; /* m: points found farther apart do not count; INFINITY: all do */
    unsigned long detection;
    int capacity;
    ContactPin *list; /* by point */
} ContactPins;

/* False when out of memory; nothing else allocates. */
bool contact_pins_reserve(ContactPins *pins, const World *world);
void contact_pins_free(ContactPins *pins);

static inline bool contact_pins_wanted(const ContactPins *pins)
{
    return pins->midway || isfinite(pins->look_ahead);
}

/* Nothing, where none are wanted. The first after a detection pins the points where the bodies are then. */
void contact_pins_set(ContactPins *pins, World *world);
void contact_pins_drop(const ContactPins *pins, World *world);

#endif
