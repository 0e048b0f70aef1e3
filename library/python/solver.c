/* SPDX-License-Identifier: MIT */
/* Solvers written in Python: a `const Solver` (solvers/solver.h) whose phases are methods of an object. The object sees
 * a substep through a Step: arrays of its own, filled before each phase and read back after it, so that nothing of it
 * points into a world that may be gone. */
#include "library/python/module.h"

#include "solvers/motion.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { OWN_OPTIONS = 16 };

typedef struct OwnOptions {
    CommonOptions common;
    double values[OWN_OPTIONS];
} OwnOptions;

/* What the class says of itself: the library's Solver and the memory behind it. */
typedef struct SolverObject {
    PyObject_HEAD Solver solver;
    Setting settings[5 + OWN_OPTIONS];
    PyObject
        *factory;    /* factory(task) gives (phases, step): the phases' names, numbers and functions, and their Step */
    PyObject *texts; /* owns the strings */
} SolverObject;

/* The arrays of a Step, in the order in which its factory gives them. */
enum { S_POSITION, S_ORIENTATION, S_VELOCITY, S_ANGULAR, S_INV_MASS, S_INV_INERTIA, S_GRAVITY, S_ARRAYS };

typedef struct StepObject {
    PyObject_HEAD Step *step; /* NULL: no phase is at work */
    Motion *motion;
    Numbers arrays[S_ARRAYS];
    bool opened;
} StepObject;

/* A phase of Python, a tuple. */
enum { NAME, ITERATIONS, ENTER, ITERATE, RESIDUAL };

/* One run's. */
typedef struct Own {
    Motion motion;
    PyObject *phases;
    StepObject *step;
} Own;

const Solver *solver_of(PyObject *object)
{
    return &((SolverObject *)object)->solver;
}

/* --- The Step --- */

static void put3(double *to, Vec3 from)
{
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
}

static Vec3 get3(const double *from)
{
    return vec3(from[0], from[1], from[2]);
}

static void step_fill(StepObject *self)
{
    const World *world = self->step->world;
    double *const x = self->arrays[S_POSITION].data, *const q = self->arrays[S_ORIENTATION].data;
    double *const v = self->arrays[S_VELOCITY].data, *const w = self->arrays[S_ANGULAR].data;
    for (int i = 0; i < world->body_count; i++) {
        Quat turn = world->pose[i].q;
        put3(x + 3 * i, world->pose[i].x);
        memcpy(q + 4 * i, (double[4]){turn.w, turn.x, turn.y, turn.z}, sizeof(double[4]));
        put3(v + 3 * i, world->velocity[i].v);
        put3(w + 3 * i, world->velocity[i].w);
        self->arrays[S_INV_MASS].data[i] = world->mass[i].inv_mass;
        put3(self->arrays[S_INV_INERTIA].data + 3 * i, world->mass[i].inv_inertia);
    }
    put3(self->arrays[S_GRAVITY].data, world->gravity);
}

static void step_take(const StepObject *self)
{
    World *world = self->step->world;
    const double *const x = self->arrays[S_POSITION].data, *const q = self->arrays[S_ORIENTATION].data;
    const double *const v = self->arrays[S_VELOCITY].data, *const w = self->arrays[S_ANGULAR].data;
    for (int i = 1; i < world->body_count; i++) {
        if (world_is_fixed(world, i))
            continue;
        world->pose[i].x = get3(x + 3 * i);
        world->pose[i].q = (Quat){q[4 * i], q[4 * i + 1], q[4 * i + 2], q[4 * i + 3]};
        world->velocity[i].v = get3(v + 3 * i);
        world->velocity[i].w = get3(w + 3 * i);
    }
}

static bool step_at_work(const StepObject *self)
{
    if (self->step)
        return true;
    PyErr_SetString(PyExc_RuntimeError, "a Step is only good within a phase");
    return false;
}

/* step._open(position, ...): the arrays, once. */
static PyObject *step_open(PyObject *object, PyObject *arrays)
{
    StepObject *self = (StepObject *)object;
    static const int WIDTHS[S_ARRAYS] = {3, 4, 3, 3, 1, 3, 0};
    Py_ssize_t bodies = PyTuple_GET_SIZE(arrays) == S_ARRAYS ? PyObject_Length(PyTuple_GET_ITEM(arrays, 0)) : -1;
    if (bodies < 1 || self->opened) {
        PyErr_SetString(PyExc_TypeError, "the arrays of a Step are given once");
        return NULL;
    }
    for (int i = 0; i < S_ARRAYS; i++)
        if (!numbers_open(&self->arrays[i], PyTuple_GET_ITEM(arrays, i), i == S_GRAVITY ? 3 : bodies * WIDTHS[i],
                          true)) {
            numbers_close(self->arrays, i);
            return NULL;
        }
    self->opened = true;
    Py_RETURN_NONE;
}

/* What free motion does to the world, seen through the arrays. */
static PyObject *step_work(PyObject *object, void (*work)(Motion *motion, World *world, double h))
{
    StepObject *self = (StepObject *)object;
    if (!step_at_work(self))
        return NULL;
    step_take(self);
    work(self->motion, self->step->world, self->step->h);
    step_fill(self);
    Py_RETURN_NONE;
}

static void work_move(Motion *motion, World *world, double h)
{
    motion_damp(motion, world, h);
    motion_move(motion, world, NULL, h);
}

static void work_predict(Motion *motion, World *world, double h)
{
    motion_predict(motion, world, h);
}

static void work_derive(Motion *motion, World *world, double h)
{
    motion_derive_velocities(motion, world, h);
    motion_damp(motion, world, h);
}

static PyObject *step_fly(PyObject *object, PyObject *unused)
{
    (void)unused;
    return step_work(object, motion_begin);
}

static PyObject *step_move(PyObject *object, PyObject *unused)
{
    (void)unused;
    return step_work(object, work_move);
}

static PyObject *step_predict(PyObject *object, PyObject *unused)
{
    (void)unused;
    return step_work(object, work_predict);
}

static PyObject *step_derive(PyObject *object, PyObject *unused)
{
    (void)unused;
    return step_work(object, work_derive);
}

/* One scalar row, as rigor/_solver.py names its fields. */
typedef struct OwnRow {
    int body1, body2, block, normal; /* normal: of a friction row, the row whose multiplier bounds it; -1 */
    int angular, contact;
    double J[ROW_WIDTH], W[ROW_WIDTH]; /* W = M^-1 J^T */
    double C, lower, upper, velocity, compliance, friction, restitution;
} OwnRow;

/* M^-1 J^T of one body's six numbers. */
static void row_weigh(const World *world, int body, const double J[6], double W[6])
{
    put3(W, vec3_scale(world->mass[body].inv_mass, get3(J)));
    put3(W + 3, world_inv_inertia_mul(world, body, get3(J + 3)));
}

static OwnRow row_make(const World *world, int b, const Rows *rows, int i, int normal)
{
    const Block *block = &world->blocks[b];
    bool rubs = block->kind == BLOCK_FRICTION;
    OwnRow row = {.body1 = block->body[0],
                  .body2 = block->body[1],
                  .block = b,
                  .normal = rubs ? normal : -1,
                  .angular = block_unit(block->kind) == UNIT_ANGLE,
                  .contact = block->kind == BLOCK_CONTACT,
                  .C = rows->C[i],
                  .lower = rows->lower[i],
                  .upper = rows->upper[i],
                  .velocity = rows->velocity[i],
                  .compliance = block_terms(block)->compliance,
                  .friction = rubs ? block->friction : 0.0,
                  .restitution = block->kind == BLOCK_CONTACT ? block->restitution : 0.0};
    memcpy(row.J, rows->J[i], sizeof row.J);
    row_weigh(world, row.body1, row.J, row.W);
    row_weigh(world, row.body2, row.J + 6, row.W + 6);
    return row;
}

static PyObject *step_rows(PyObject *object, PyObject *unused)
{
    (void)unused;
    StepObject *self = (StepObject *)object;
    if (!step_at_work(self))
        return NULL;
    step_take(self);
    const World *world = self->step->world;
    PyObject *bytes =
        PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)sizeof(OwnRow) * BLOCK_MAX_ROWS * world->block_count);
    int *first = PyMem_Calloc((size_t)world->block_count + 1, sizeof *first), count = 0;
    OwnRow *list = bytes ? (OwnRow *)(void *)PyByteArray_AS_STRING(bytes) : NULL;
    for (int b = 0; bytes && first && b < world->block_count; b++) {
        const Block *block = &world->blocks[b];
        Rows rows;
        first[b] = count;
        if (block->off || block->kind == BLOCK_TORSION)
            continue;
        block_rows(world, block, &rows);
        for (int i = 0; i < rows.count; i++)
            list[count++] =
                row_make(world, b, &rows, i, block->kind == BLOCK_FRICTION ? first[block->normal_block] : -1);
    }
    if (bytes && (!first || PyByteArray_Resize(bytes, (Py_ssize_t)sizeof(OwnRow) * count) != 0))
        Py_CLEAR(bytes);
    PyMem_Free(first);
    return bytes || PyErr_Occurred() ? bytes : PyErr_NoMemory();
}

/* step._give(impulses): of each block, 3 numbers (N s or N m s) on its second body; and how many rows were solved. */
static PyObject *step_give(PyObject *object, PyObject *impulses)
{
    StepObject *self = (StepObject *)object;
    Numbers numbers;
    if (!step_at_work(self) || !numbers_open(&numbers, impulses, 3 * (Py_ssize_t)self->step->world->block_count, false))
        return NULL;
    for (int b = 0; b < self->step->world->block_count; b++)
        self->step->world->block_impulse[b] = get3(numbers.data + 3 * b);
    numbers_close(&numbers, 1);
    Py_RETURN_NONE;
}

static PyObject *step_count(PyObject *object, PyObject *rows)
{
    StepObject *self = (StepObject *)object;
    long long count = PyLong_AsLongLong(rows);
    if ((count == -1 && PyErr_Occurred()) || !step_at_work(self))
        return NULL;
    self->step->row_solves += count;
    Py_RETURN_NONE;
}

static PyObject *step_say(PyObject *object, PyObject *what)
{
    StepObject *self = (StepObject *)object;
    const char *text = PyUnicode_AsUTF8(what);
    if (!text || !step_at_work(self))
        return NULL;
    step_report(self->step, text);
    Py_RETURN_NONE;
}

static PyObject *step_h(PyObject *object, void *unused)
{
    (void)unused;
    const StepObject *self = (StepObject *)object;
    return step_at_work(self) ? PyFloat_FromDouble(self->step->h) : NULL;
}

static PyObject *step_time(PyObject *object, void *unused)
{
    (void)unused;
    const StepObject *self = (StepObject *)object;
    return step_at_work(self) ? PyFloat_FromDouble(self->step->time) : NULL;
}

static PyObject *step_sweep(PyObject *object, void *unused)
{
    (void)unused;
    const StepObject *self = (StepObject *)object;
    return step_at_work(self) ? PyLong_FromLong(self->step->sweep) : NULL;
}

static PyObject *step_blocks(PyObject *object, void *unused)
{
    (void)unused;
    const StepObject *self = (StepObject *)object;
    return step_at_work(self) ? PyLong_FromLong(self->step->world->block_count) : NULL;
}

static void step_dealloc(PyObject *object)
{
    StepObject *self = (StepObject *)object;
    if (self->opened)
        numbers_close(self->arrays, S_ARRAYS);
    Py_TYPE(object)->tp_free(object);
}

static PyMethodDef step_methods[] = {
    {"_open", step_open, METH_VARARGS, NULL},
    {"_rows", step_rows, METH_NOARGS, NULL},
    {"_give", step_give, METH_O, NULL},
    {"_count", step_count, METH_O, NULL},
    {"fly", step_fly, METH_NOARGS, "fly()\n--\n\nFree flight: velocities as they would be without constraints."},
    {"move", step_move, METH_NOARGS, "move()\n--\n\nThe bodies move with their velocities."},
    {"predict", step_predict, METH_NOARGS, "predict()\n--\n\nPoses from velocities, before they are corrected."},
    {"derive_velocities", step_derive, METH_NOARGS, "derive_velocities()\n--\n\nVelocities from corrected poses."},
    {"report", step_say, METH_O, "report(what)\n--\n\nCounts a fallback, a cap or a clamp among the run's events."},
    {NULL},
};

static PyGetSetDef step_values[] = {
    {"h", step_h, NULL, "s, the length of the substep", NULL},
    {"time", step_time, NULL, "s, at its beginning", NULL},
    {"sweep", step_sweep, NULL, "1, 2, ... in a phase's iterations, 0 on entering it", NULL},
    {"_blocks", step_blocks, NULL, NULL, NULL},
    {NULL},
};

PyTypeObject StepType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "rigor._rigor.Step",
    .tp_basicsize = sizeof(StepObject),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_new = PyType_GenericNew,
    .tp_dealloc = step_dealloc,
    .tp_methods = step_methods,
    .tp_getset = step_values,
};

/* --- The Solver that the library calls --- */

static PyObject *own_function(const Own *own, int phase, int which)
{
    return PyTuple_GET_ITEM(PyTuple_GET_ITEM(own->phases, phase), which);
}

/* What a function of Python gives; its exception ends the run. */
static PyObject *own_call(const Own *own, Step *step, PyObject *function)
{
    if (function == Py_None || PyErr_Occurred())
        return NULL;
    own->step->step = step;
    step_fill(own->step);
    PyObject *said = PyObject_CallOneArg(function, (PyObject *)own->step);
    if (said)
        step_take(own->step);
    own->step->step = NULL;
    return said;
}

static void own_run(const Own *own, Step *step, int which)
{
    PyGILState_STATE lock = PyGILState_Ensure();
    Py_XDECREF(own_call(own, step, own_function(own, step->phase, which)));
    if (PyErr_Occurred())
        step_fail(step, "the solver raised an exception");
    PyGILState_Release(lock);
}

static void own_enter(void *self, Step *step)
{
    own_run(self, step, ENTER);
}

static void own_iterate(void *self, Step *step)
{
    own_run(self, step, ITERATE);
}

/* Of the phase that is at work, or else of the first that has one. An exception here ends the run in its next phase. */
static double own_residual(void *self, const Step *step)
{
    const Own *own = self;
    PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *function = own_function(own, step->phase, RESIDUAL);
    for (int i = 0; function == Py_None && i < PyTuple_GET_SIZE(own->phases); i++)
        function = own_function(own, i, RESIDUAL);
    PyObject *said = own_call(own, (Step *)step, function);
    double value = said ? PyFloat_AsDouble(said) : NAN;
    Py_XDECREF(said);
    PyGILState_Release(lock);
    return value;
}

static int own_plan(void *self, Phase phases[SOLVER_MAX_PHASES])
{
    const Own *own = self;
    PyGILState_STATE lock = PyGILState_Ensure();
    int count = (int)PyTuple_GET_SIZE(own->phases);
    for (int i = 0; i < count; i++) {
        PyObject *phase = PyTuple_GET_ITEM(own->phases, i);
        phases[i] = (Phase){.name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(phase, NAME)),
                            .iterations = (int)PyLong_AsLong(PyTuple_GET_ITEM(phase, ITERATIONS)),
                            .enter = own_enter,
                            .iterate = own_iterate,
                            .residual = PyTuple_GET_ITEM(phase, RESIDUAL) != Py_None ? own_residual : NULL};
    }
    PyGILState_Release(lock);
    return count;
}

static void own_destroy(void *self)
{
    Own *own = self;
    if (!own)
        return;
    PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    Py_XDECREF(own->phases);
    Py_XDECREF(own->step);
    PyErr_Restore(type, value, trace);
    PyGILState_Release(lock);
    motion_free(&own->motion);
    free(own);
}

/* What the factory gives of this world and these options; false with an exception. */
static bool own_make(Own *own, const SolverObject *object, const SolverTask *task)
{
    const OwnOptions *options = task->options;
    PyObject *values = PyTuple_New(OWN_OPTIONS);
    for (int i = 0; values && i < OWN_OPTIONS; i++)
        PyTuple_SET_ITEM(values, i, PyFloat_FromDouble(options->values[i]));
    PyObject *made = values ? PyObject_CallFunction(object->factory, "iiNd", task->world->body_count,
                                                    options->common.iterations, values, task->dt)
                            : NULL;
    PyObject *phases, *step;
    bool ok = made && PyArg_ParseTuple(made, "O!O!", &PyTuple_Type, &phases, &StepType, &step);
    if (ok) {
        own->phases = Py_NewRef(phases);
        own->step = (StepObject *)Py_NewRef(step);
        own->step->motion = &own->motion;
    }
    Py_XDECREF(made);
    return ok;
}

static bool has_patches(const World *world)
{
    for (int i = 0; i < world->material_count; i++)
        if (world->materials[i].patch_radius != 0.0)
            return true;
    return false;
}

static const Solver *own_backend(const SolverTask *task)
{
    return solver_backend(task->solver);
}

static void *own_create(const SolverTask *task, Status *status)
{
    const SolverObject *object = own_backend(task)->data;
    if (has_patches(task->world)) {
        status_set(status, STATUS_UNSUPPORTED, "%s: solvers in Python have no torsional friction", task->solver->name);
        return NULL;
    }
    Own *own = calloc(1, sizeof *own);
    if (!own || !motion_init(&own->motion, task->world, task->options)) {
        free(own);
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    PyGILState_STATE lock = PyGILState_Ensure();
    bool ok = own_make(own, object, task);
    PyGILState_Release(lock);
    if (ok)
        return own;
    own_destroy(own);
    status_set(status, STATUS_FAILED, "the solver raised an exception");
    return NULL;
}

static bool add_settings(SolverObject *self, PyObject *options, const CommonOptions *initial)
{
    const Setting common[] = {COMMON_SETTINGS(initial->substeps, initial->iterations)};
    int count = (int)(sizeof common / sizeof common[0]);
    memcpy(self->settings, common, sizeof common);
    if (PyTuple_GET_SIZE(options) > OWN_OPTIONS) {
        PyErr_Format(PyExc_ValueError, "a solver has at most %d options of its own", OWN_OPTIONS);
        return false;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(options); i++) {
        Setting *setting = &self->settings[count++];
        *setting = (Setting){.meaning = "its own", .type = SETTING_REAL, .min = -1e300, .max = 1e300};
        setting->offset = offsetof(OwnOptions, values) + (size_t)i * sizeof(double);
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(options, i), "sd", &setting->name, &setting->initial))
            return false;
    }
    self->solver.setting_count = count;
    return true;
}

/* Solver(name, summary, reference, capabilities, substeps, iterations, options, factory) */
static int solver_init(PyObject *object, PyObject *arguments, PyObject *keywords)
{
    SolverObject *self = (SolverObject *)object;
    PyObject *options, *factory;
    CommonOptions initial = {0};
    Solver *solver = &self->solver;
    if (self->texts || (keywords && PyDict_GET_SIZE(keywords) > 0)) {
        PyErr_SetString(PyExc_TypeError, "a solver is made once, of positions");
        return -1;
    }
    *solver = (Solver){.abi = SOLVER_ABI,
                       .settings = self->settings,
                       .options_size = sizeof(OwnOptions),
                       .create = own_create,
                       .destroy = own_destroy,
                       .plan = own_plan,
                       .data = self};
    if (!PyArg_ParseTuple(arguments, "sssIiiO!O", &solver->name, &solver->summary, &solver->reference,
                          &solver->capabilities, &initial.substeps, &initial.iterations, &PyTuple_Type, &options,
                          &factory) ||
        !add_settings(self, options, &initial))
        return -1;
    self->texts = Py_NewRef(arguments);
    self->factory = Py_NewRef(factory);
    return 0;
}

static void solver_dealloc(PyObject *object)
{
    SolverObject *self = (SolverObject *)object;
    Py_XDECREF(self->texts);
    Py_XDECREF(self->factory);
    Py_TYPE(object)->tp_free(object);
}

PyTypeObject SolverType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "rigor._rigor.Solver",
    .tp_basicsize = sizeof(SolverObject),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_init = solver_init,
    .tp_dealloc = solver_dealloc,
};
