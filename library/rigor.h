/* SPDX-License-Identifier: MIT */
/* librigor: scenes, solvers and metrics of `rigor` for programs in C (and all that can call it).
 *
 *     Rigor *rigor = rigor_open();
 *     RigorScene *scene = rigor_scene_open(rigor, "stack");         built in, or a scene file's path
 *     rigor_scene_set(scene, "boxes", "5");
 *     RigorRun *run = rigor_run_open(scene, &(RigorPlan){.solver = "pgs:iterations=50"});
 *     while (rigor_run_step(run) == RIGOR_OK) ...                   one frame at a time, until its time is over
 *     printf("%g\n", rigor_run_metric(run, "penetration_max"));
 *     rigor_run_close(run), rigor_scene_close(scene), rigor_close(rigor);
 *
 * Build with `cc x.c $(pkg-config --cflags --libs rigor)`.
 *
 * Conventions. SI units, right-handed, y up. A quaternion is w, x, y, z. Bodies and joints are counted from 0 in the
 * order of the scene; the world itself, which is fixed, is none of them. Same calls, same machine, same library: the
 * same bits, and the same as `rigor run` gives. The first rigor_open of a process sets OpenBLAS to one thread, since
 * its sums depend on their number, and turns GSL's handler of errors off, since that ends the process.
 *
 * Your program. Whatever its locale, rounding and treatment of small numbers are: a call has its own and gives yours
 * back. No function prints, exits, aborts, or installs a handler of signals. rigor_main alone is a program, and does.
 *
 * Errors. What returns a RigorStatus says RIGOR_OK or what kind of trouble there is; what returns a pointer says NULL.
 * rigor_message then tells what is wrong and, of a file, where. A function given NULL for its object does nothing and
 * says RIGOR_FAILED, NULL, 0 or NaN, so that a chain of calls may be checked at its end. An index out of range
 * does the same.
 *
 * Threads. Objects of one Rigor belong to one thread at a time; each thread may open its own.
 *
 * Stability. What stands here stays: functions are added, none is changed or taken away within RIGOR_API, and the
 * library's soname carries it. Structs that a program fills have zero for "the default". Solvers of your own are
 * plug-ins; their interface is another, and younger: rigor/solvers/solver.h.
 *
 * Licence. The source is MIT. The built library links GSL and so is GPL-3.0-or-later, and so is a program that links
 * it. */
#ifndef RIGOR_H
#define RIGOR_H

#ifdef __cplusplus
extern "C" {
#endif

#define RIGOR_API 0

#if defined(__GNUC__)
#define RIGOR_EXPORT __attribute__((visibility("default")))
#else
#define RIGOR_EXPORT
#endif

typedef enum RigorStatus {
    RIGOR_OK = 0,
    RIGOR_FAILED = 1,      /* anything not named below */
    RIGOR_USAGE = 2,       /* a name or value is wrong */
    RIGOR_BAD_FILE = 3,    /* a file is wrong: the message gives its place */
    RIGOR_UNSUPPORTED = 4, /* this solver cannot run this scene */
    RIGOR_OVER = 5,        /* of rigor_run_step: the run's time is over, nothing moved */
    RIGOR_BLEW_UP = 6,     /* of rigor_run_step: a result, not a mistake; metrics cover the frames before */
} RigorStatus;

/* The version of the library, as "0.2.0". */
RIGOR_EXPORT const char *rigor_version(void);

/* Everything below belongs to one of these. NULL: out of memory. */
typedef struct Rigor Rigor;
RIGOR_EXPORT Rigor *rigor_open(void);
RIGOR_EXPORT void rigor_close(Rigor *rigor); /* after its scenes and runs */

/* The message of the last call that failed; "" if none has. Valid until the next call that fails. */
RIGOR_EXPORT const char *rigor_message(const Rigor *rigor);

/* Its kind, also of calls that returned NULL. */
RIGOR_EXPORT RigorStatus rigor_status(const Rigor *rigor);

/* A solver of your program's own: a `const Solver` of rigor/solvers/solver.h, as a plug-in exports it. It must outlive
 * `rigor`. */
struct Solver;
RIGOR_EXPORT RigorStatus rigor_solver_add(Rigor *rigor, const struct Solver *solver);

/* Loads a solver built outside the tree; it is then known by its name. */
RIGOR_EXPORT RigorStatus rigor_load_plugin(Rigor *rigor, const char *path);

/* The names of what there is, from index 0; NULL after the last. Solvers include variants and engines. */
RIGOR_EXPORT const char *rigor_scene_name(int index);
RIGOR_EXPORT const char *rigor_solver_name(const Rigor *rigor, int index);
RIGOR_EXPORT const char *rigor_metric_name(int index);

/* --- Scenes --- */

typedef struct RigorScene RigorScene;

/* A built-in scene by its name, or the file at a path (with a '/', or ending in .json). */
RIGOR_EXPORT RigorScene *rigor_scene_open(Rigor *rigor, const char *name);

/* The scene of a text in the format of scene files. Meshes that it names lie in the working directory, or below. */
RIGOR_EXPORT RigorScene *rigor_scene_parse(Rigor *rigor, const char *json);

/* A scene without bodies, for the rigor_scene_add functions. Gravity is (0, -9.81, 0), and all bodies collide. */
RIGOR_EXPORT RigorScene *rigor_scene_create(Rigor *rigor, const char *name);

/* A scene may be closed before its runs: a run keeps what it needs. */
RIGOR_EXPORT void rigor_scene_close(RigorScene *scene);

/* A parameter of a built-in scene, as -p takes it: ("links", "20"), ("angle", "30deg"). Of a scene that is parsed or
 * created: a key of the file's outermost object with its value as JSON: ("gravity", "[0, -1.62, 0]"). */
RIGOR_EXPORT RigorStatus rigor_scene_set(RigorScene *scene, const char *key, const char *value);

typedef enum RigorShape {
    RIGOR_NO_SHAPE, /* a particle, or with `inertia` in `more` a body without collision; needs a mass */
    RIGOR_SPHERE,   /* size: radius */
    RIGOR_BOX,      /* size: the three edges */
    RIGOR_CAPSULE,  /* size: radius, length of the cylindrical part along y */
    RIGOR_CYLINDER, /* size: radius, length along y */
    RIGOR_PLANE,    /* through `position` with the normal y turned by `orientation`; fixed */
    RIGOR_ELLIPSOID /* size: the three radii; several shapes a body: `shapes` in `more` */
} RigorShape;

typedef struct RigorBodyDef {
    const char *name;
    RigorShape shape;
    double size[3];        /* m */
    double density;        /* kg/m^3; 0: 1000 */
    double mass;           /* kg; 0: that of the density */
    int fixed;             /* does not move */
    double position[3];    /* of the centre of mass */
    double orientation[4]; /* all 0: not turned */
    double velocity[3], angular_velocity[3];
    const char *more; /* further keys of a body as JSON, as "{\"material\": \"ice\"}"; NULL: none */
} RigorBodyDef;

typedef struct RigorJointDef {
    const char *name;
    const char *type;           /* "ball", "hinge", "distance", ... as in scene files */
    const char *body1, *body2;  /* NULL: the world */
    double anchor[3];           /* world point as placed; a "distance" joins the centres and ignores it */
    double axis[3];             /* world direction as placed; all 0: none */
    double compliance, damping; /* m/N, 1/s */
    const char *more;           /* further keys of a joint as JSON, as "{\"angle_max\": 1.5}"; NULL: none */
} RigorJointDef;

/* To a scene that was created or parsed. What the definition says is checked when a run is opened. */
RIGOR_EXPORT RigorStatus rigor_scene_add_body(RigorScene *scene, const RigorBodyDef *body);
RIGOR_EXPORT RigorStatus rigor_scene_add_joint(RigorScene *scene, const RigorJointDef *joint);

/* --- Runs --- */

typedef struct RigorPlan {
    const char *solver; /* "pgs", a variant "pgs_block", or one written in place "pgs:iterations=50:warm_start=false" */
    double dt;          /* s, of a frame; 0: 1/60 */
    double time;        /* s, how long the run is; 0: the scene's */
    int detect_by_frame; /* look for contacts once a frame; 0: before every substep */
    int reference;       /* also the errors against the motion of `reference`, whose computation takes its time; closed
                            forms are always there */
} RigorPlan;

/* A solver at work on the scene as it is now; the scene may be changed or closed afterwards. */
typedef struct RigorRun RigorRun;
RIGOR_EXPORT RigorRun *rigor_run_open(const RigorScene *scene, const RigorPlan *plan);
RIGOR_EXPORT void rigor_run_close(RigorRun *run);

/* Makes one frame: RIGOR_OK, RIGOR_OVER, RIGOR_BLEW_UP, or RIGOR_FAILED if the solver could not make it. */
RIGOR_EXPORT RigorStatus rigor_run_step(RigorRun *run);

/* Seconds since the start; the frames made so far; the frames of the whole run. */
RIGOR_EXPORT double rigor_run_time(const RigorRun *run);
RIGOR_EXPORT int rigor_run_frame(const RigorRun *run);
RIGOR_EXPORT int rigor_run_frames(const RigorRun *run);

RIGOR_EXPORT int rigor_run_body_count(const RigorRun *run);
RIGOR_EXPORT const char *rigor_run_body_name(const RigorRun *run, int body);
RIGOR_EXPORT int rigor_run_body_find(const RigorRun *run, const char *name); /* -1: no such body */

/* Any of the arrays may be NULL. */
RIGOR_EXPORT RigorStatus rigor_run_pose(const RigorRun *run, int body, double position[3], double orientation[4]);
RIGOR_EXPORT RigorStatus rigor_run_velocity(const RigorRun *run, int body, double velocity[3],
                                            double angular_velocity[3]);

RIGOR_EXPORT int rigor_run_joint_count(const RigorRun *run);
RIGOR_EXPORT const char *rigor_run_joint_name(const RigorRun *run, int joint);

/* The joint's force (N) and torque (N m) on its second body, as means over the last frame. World frame; the torque is
 * about the joint's anchor on that body. */
RIGOR_EXPORT RigorStatus rigor_run_reaction(const RigorRun *run, int joint, double force[3], double torque[3]);

/* Contacts of the last frame, summed over its substeps. */
typedef struct RigorContact {
    int body1, body2;  /* body1 is -1 for the world itself */
    double point[3];   /* on body2 */
    double normal[3];  /* from body1 to body2 */
    double impulse[3]; /* N s, on body2, in the frame */
} RigorContact;

RIGOR_EXPORT int rigor_run_contact_count(const RigorRun *run);
RIGOR_EXPORT RigorStatus rigor_run_contact(const RigorRun *run, int contact, RigorContact *value);

/* A metric over the frames so far; NaN where it does not apply. A metric of the last second of a run has a value once
 * that second has begun. */
RIGOR_EXPORT double rigor_run_metric(const RigorRun *run, const char *name);

/* How many scalar rows were solved: each active row counts each time a pass solves it. NaN: the solver does not count.
 */
RIGOR_EXPORT double rigor_run_row_solves(const RigorRun *run);

/* --- Of all bodies and joints at once, one after the other; any of the arrays may be NULL --- */

/* 3, 4 (w, x, y, z), 3 and 3 numbers a body. */
RIGOR_EXPORT RigorStatus rigor_run_states(const RigorRun *run, double *position, double *orientation, double *velocity,
                                          double *angular_velocity);

/* 3 and 3 numbers a joint. */
RIGOR_EXPORT RigorStatus rigor_run_reactions(const RigorRun *run, double *force, double *torque);

/* --- Pushing a run between its frames ---
 * What is set stays until it is set again; NULL is none. Engines and `reference` refuse. Energy is judged with the work
 * that forces and drives do; from then on errors against the truth and momentum have no value. */

/* N and N m, world frame, at the centre of mass; it takes the place of the scene's own constant force. */
RIGOR_EXPORT RigorStatus rigor_run_set_force(RigorRun *run, int body, const double force[3], const double torque[3]);

/* What drives a joint: a servo's angle (rad), a motor's speed (rad/s) or torque (N m), a cylinder's position (m) or
 * force (N), whichever the scene gave. NaN: nothing does. */
RIGOR_EXPORT RigorStatus rigor_run_set_drive(RigorRun *run, int joint, double value);
RIGOR_EXPORT double rigor_run_drive(const RigorRun *run, int joint);

/* --- What a run says of itself, of the frames so far --- */

/* "holds", "drifts" or "falls"; NULL: none. */
RIGOR_EXPORT const char *rigor_run_verdict(RigorRun *run);

/* What makes a run doubtful that looks fine, from index 0; RIGOR_FAILED after the last. */
typedef struct RigorWarning {
    char text[128];
} RigorWarning;
RIGOR_EXPORT RigorStatus rigor_run_warning(RigorRun *run, int index, RigorWarning *warning);

/* Fallbacks, caps and clamps of the solver, likewise. */
typedef struct RigorEvent {
    char what[96];
    long count;
    double first_at; /* s */
} RigorEvent;
RIGOR_EXPORT RigorStatus rigor_run_event(RigorRun *run, int index, RigorEvent *event);

/* All of it as the JSON document of `rigor run --json --state`. Valid until the next call for this run. */
RIGOR_EXPORT const char *rigor_run_document(RigorRun *run);

/* --- Recordings ---
 * rigor_run_open for a run that is recorded as HDF5 (`rigor film`, `rigor view`); finish writes the last of it, and the
 * run is over then. HDF5 may end its process where memory or disk runs out: record in one that may end. */
RIGOR_EXPORT RigorRun *rigor_run_record(const RigorScene *scene, const RigorPlan *plan, const char *path);
RIGOR_EXPORT RigorStatus rigor_run_finish(RigorRun *run);

/* --- Commands: comparisons, sweeps, films ---
 * What `rigor ARGUMENTS` does, in a process of its own and without a word here: {"compare", "stack", "--solvers",
 * "pgs,xpbd", "--json", NULL}, {"sweep", "e.json", "--db", "r.sqlite", NULL}, {"film", "run.h5", "-o", "strip.svg",
 * NULL}. Its standard output is then rigor_output, until the next command; its exit status is the status. The listener
 * (NULL: none) is called in this thread with each line of what it says meanwhile, and with NULL all the time; what is
 * not 0 stops the command, which is then RIGOR_FAILED with the message "stopped". */
typedef int RigorListener(void *context, const char *line);
RIGOR_EXPORT RigorStatus rigor_command(Rigor *rigor, const char *const *arguments, RigorListener *listener,
                                       void *context);
RIGOR_EXPORT const char *rigor_output(const Rigor *rigor);

/* --- The program --- */

/* What `rigor ARGUMENTS` does, with its output; returns the exit status. */
RIGOR_EXPORT int rigor_main(int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif
