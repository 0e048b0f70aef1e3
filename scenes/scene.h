/* SPDX-License-Identifier: MIT */
/* Scenes: what is simulated, the question it asks, and the truth it is held against.
 * A scene's build() fills a Problem; the harness runs solvers on it. */
#ifndef RIGOR_SCENES_SCENE_H
#define RIGOR_SCENES_SCENE_H

#include "model/settings.h"
#include "model/world.h"

/* The truth at one time. The caller gives arrays as long as the world's bodies and joints, with every flag false; the
 * scene fills what it knows. Orientations are in the definition's frame, as results report them. */
typedef struct Truth {
    bool *has_position, *has_orientation, *has_force;
    Vec3 *position;
    Quat *orientation;
    Vec3 *force; /* of each joint on its second body, world frame */
} Truth;

/* Makes room for the truth of a world; false when out of memory. Free it in either case. */
bool truth_init(Truth *truth, const World *world);
void truth_free(Truth *truth);

typedef enum Conserved {
    CONSERVES_ENERGY = 1 << 0, /* E - W constant */
    CONSERVES_MOMENTUM = 1 << 1,
    CONSERVES_ANGULAR_MOMENTUM = 1 << 2,
} Conserved;

typedef struct SceneEvent {
    double time; /* s */
    int remove;  /* body */
} SceneEvent;

/* A scene built with certain parameters. */
typedef struct Problem Problem;
struct Problem {
    World *world;
    char *name;
    double time;         /* s, default length of a run */
    double energy_scale; /* J */
    double speed_scale;  /* m/s */
    unsigned conserves;  /* of Conserved */
    bool passive;        /* nothing feeds energy in: energy_gain_max applies */
    bool rest;           /* should be at rest: jitter_rms applies */
    bool reference;      /* truth is the `reference` backend's, where no closed form is given */
    double closed_until; /* s: then the closed form ends, and where `reference` is set, that goes on; infinite: never */
    double truth_time;   /* s, how long that motion can be known, being chaotic; infinite: as long as it states */

    int event_count;
    SceneEvent *events; /* owned */

    /* Closed-form truth at time t; NULL: none. */
    void (*truth)(const Problem *problem, double t, Truth *truth);
    /* The scene's own predicate at the end of a run; NULL: none. */
    bool (*settled)(const Problem *problem, const World *world);
    double settled_time; /* s; what the predicate asks for has not come about in a shorter run; 0: it holds all along */

    /* What the reader of a scene file changed on its own, one line each; NULL: nothing. */
    char *notes;

    void *data; /* the scene's own, for truth and settled; freed with free() */
    /* Fields below are filled by the harness's entry points, not by build(). */
    const struct Scene *scene; /* NULL for a scene file */
    unsigned char params[SETTINGS_MAX_BYTES];
    const struct ReferencePath *path; /* the `reference` backend's motion over the run at hand; NULL: none */
};

/* Is the truth at time t the `reference` backend's? */
static inline bool problem_needs_reference(const Problem *problem, double t)
{
    return problem->reference && (!problem->truth || t > problem->closed_until);
}

typedef struct Scene {
    const char *name;
    const char *question; /* one line */
    const char *about;    /* what is built, what should happen, the truth; shown by `rigor show` */
    const char *lectures; /* "002, 004" */
    const Setting *settings;
    int setting_count;
    size_t params_size;
    /* Fills the problem's world (already created, empty but for body 0) and facts. Where it leaves the world's
     * length_scale zero, that is measured. */
    bool (*build)(Problem *problem, const void *params, Status *status);
} Scene;

extern const Scene *const all_scenes[];
extern const int scene_count;

const Scene *scene_find(const char *name);

/* An empty problem of 10 s: a world with body 0 alone; NULL when out of memory. */
Problem *problem_create(const char *name);

/* Builds a scene with its parameters (NULL: the defaults); NULL with a message if they do not fit together. */
Problem *scene_build(const Scene *scene, const void *params, Status *status);
void problem_destroy(Problem *problem);

/* For build(): energy_scale = kinetic energy now + moving mass x g x drop, or where that is zero |E| now (springs);
 * speed_scale = sqrt(2 energy_scale / moving mass). */
void problem_set_scales(Problem *problem, double drop);
/* The same of a given energy: for scenes that cannot fall, or are driven. */
void problem_set_energy_scale(Problem *problem, double energy);

/* After build(), with the world's length scale known: speed_scale becomes at least the world's pace, so that a scene at
 * rest has a scale at all; an energy_scale of zero becomes what that speed means. */
void problem_finish_scales(Problem *problem);

/* Reads a scene file (docs/reference/scene_files.md); NULL with `file:line:column: ...` or a JSON path in the message.
 */
Problem *problem_read(const char *path, Status *status);

/* The scene file of a problem as JSON text, to be freed by the caller; numbers read back to the same bits. What no
 * scene file can say (closed-form truth, `settled`) is left out. NULL: out of memory, or a mesh that no file holds. */
char *problem_write(const Problem *problem);

/* Reads a Wavefront OBJ file from a descriptor: v and f lines (polygons are fanned); anything else is passed over. The
 * path is what messages begin with, and the mesh's `file`. */
Mesh *obj_read(int fd, const char *path, Status *status);

/* The same of a file that another one names: in its folder or below (scenes/file/input.h). */
Mesh *obj_read_beside(const char *file, const char *name, Status *status);

#endif
