/* SPDX-License-Identifier: MIT */
/* A run: librigor's RigorRun with its own Rigor, so that every run may have a thread of its own. The interpreter's lock
 * is given back while frames are made. */
#include "library/python/module.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* s: how often Ctrl-C is asked about while many frames are made. */
static const double ASKED_EVERY = 0.02;

typedef struct RunObject {
    PyObject_HEAD Rigor *rigor;
    RigorRun *run;
    PyObject *solver; /* one in Python, or NULL */
    bool busy;        /* a thread makes frames */
    /* Contacts of all frames that were kept: those of frame f begin at offsets[f]. */
    RigorContact *contacts;
    size_t contact_count, contact_capacity;
    long long *offsets;
    int offset_count;
} RunObject;

static bool run_is_free(const RunObject *self)
{
    if (self->run && !self->busy)
        return true;
    PyErr_SetString(PyExc_RuntimeError, self->run ? "another thread is at work on this run" : "there is no run");
    return false;
}

typedef struct Order {
    const char *kind, *scene, *solver, *record;
    PyObject *params, *plugins, *own;
    RigorPlan plan;
} Order;

/* ((key, value), ...) as text. */
static RigorStatus set_params(RigorScene *scene, PyObject *params)
{
    RigorStatus status = RIGOR_OK;
    for (Py_ssize_t i = 0; scene && status == RIGOR_OK && i < PyTuple_GET_SIZE(params); i++) {
        const char *key, *value;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(params, i), "ss", &key, &value))
            return RIGOR_FAILED;
        status = rigor_scene_set(scene, key, value);
    }
    return status;
}

static RigorStatus load_solvers(RunObject *self, const Order *order)
{
    RigorStatus status = RIGOR_OK;
    for (Py_ssize_t i = 0; status == RIGOR_OK && i < PyTuple_GET_SIZE(order->plugins); i++) {
        const char *path = PyUnicode_AsUTF8(PyTuple_GET_ITEM(order->plugins, i));
        status = path ? rigor_load_plugin(self->rigor, path) : RIGOR_FAILED;
    }
    if (status == RIGOR_OK && order->own != Py_None) {
        self->solver = Py_NewRef(order->own);
        status = rigor_solver_add(self->rigor, solver_of(order->own));
    }
    return status;
}

static int run_open(RunObject *self, const Order *order)
{
    self->rigor = rigor_open();
    RigorStatus status = self->rigor ? load_solvers(self, order) : RIGOR_FAILED;
    RigorScene *scene = NULL;
    if (status == RIGOR_OK)
        scene = strcmp(order->kind, "text") == 0 ? rigor_scene_parse(self->rigor, order->scene)
                                                 : rigor_scene_open(self->rigor, order->scene);
    if (scene)
        status = set_params(scene, order->params);
    if (scene && status == RIGOR_OK) {
        PyThreadState *others = PyEval_SaveThread();
        self->run =
            order->record ? rigor_run_record(scene, &order->plan, order->record) : rigor_run_open(scene, &order->plan);
        PyEval_RestoreThread(others);
    }
    rigor_scene_close(scene);
    if (self->run && !PyErr_Occurred())
        return 0;
    raise_message(self->rigor);
    return -1;
}

static int run_init(PyObject *object, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"kind",     "scene",     "params", "solver",  "dt",  "time",
                            "by_frame", "reference", "record", "plugins", "own", NULL};
    RunObject *self = (RunObject *)object;
    Order order = {0};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "ssO!sddppzO!O", names, &order.kind, &order.scene,
                                     &PyTuple_Type, &order.params, &order.solver, &order.plan.dt, &order.plan.time,
                                     &order.plan.detect_by_frame, &order.plan.reference, &order.record, &PyTuple_Type,
                                     &order.plugins, &order.own))
        return -1;
    if (self->rigor) {
        PyErr_SetString(PyExc_RuntimeError, "this run has begun");
        return -1;
    }
    if (order.own != Py_None && !PyObject_TypeCheck(order.own, &SolverType)) {
        PyErr_SetString(PyExc_TypeError, "own: a Solver or None");
        return -1;
    }
    order.plan.solver = order.solver;
    return run_open(self, &order);
}

static void run_dealloc(PyObject *object)
{
    RunObject *self = (RunObject *)object;
    rigor_run_close(self->run);
    rigor_close(self->rigor);
    free(self->contacts);
    free(self->offsets);
    Py_XDECREF(self->solver);
    Py_TYPE(object)->tp_free(object);
}

/* The contacts of the frame that the run is at; false when out of memory. */
static bool keep_contacts(RunObject *self)
{
    size_t more = (size_t)rigor_run_contact_count(self->run), needed = self->contact_count + more;
    if (!self->offsets)
        self->offsets = malloc(sizeof *self->offsets * ((size_t)rigor_run_frames(self->run) + 2));
    if (self->offsets && needed > self->contact_capacity) {
        size_t capacity = 2 * needed;
        RigorContact *grown = realloc(self->contacts, sizeof *grown * capacity);
        if (!grown)
            return false;
        self->contacts = grown;
        self->contact_capacity = capacity;
    }
    if (!self->offsets)
        return false;
    for (size_t k = 0; k < more; k++)
        rigor_run_contact(self->run, (int)k, &self->contacts[self->contact_count + k]);
    self->contact_count = needed;
    self->offsets[self->offset_count++] = (long long)needed;
    return true;
}

enum { POSITION, ORIENTATION, VELOCITY, ANGULAR_VELOCITY, FORCE, TORQUE, KEPT };
static const int WIDTHS[KEPT] = {3, 4, 3, 3, 3, 3};

typedef struct Kept {
    Numbers arrays[KEPT];
    bool wanted;
} Kept;

/* Row `frame` of every array. */
static bool keep_frame(RunObject *self, Kept *kept, int frame)
{
    double *row[KEPT];
    int count[2] = {rigor_run_body_count(self->run), rigor_run_joint_count(self->run)};
    for (int i = 0; i < KEPT; i++)
        row[i] = kept->arrays[i].data ? kept->arrays[i].data + (size_t)frame * count[i >= FORCE] * WIDTHS[i] : NULL;
    rigor_run_states(self->run, row[POSITION], row[ORIENTATION], row[VELOCITY], row[ANGULAR_VELOCITY]);
    if (frame > 0)
        rigor_run_reactions(self->run, row[FORCE], row[TORQUE]);
    return keep_contacts(self);
}

static bool kept_open(RunObject *self, Kept *kept, PyObject *arrays)
{
    int count[2] = {rigor_run_body_count(self->run), rigor_run_joint_count(self->run)};
    *kept = (Kept){.wanted = arrays != Py_None};
    if (kept->wanted && (!PyTuple_Check(arrays) || PyTuple_GET_SIZE(arrays) != KEPT)) {
        PyErr_SetString(PyExc_TypeError, "six arrays are needed");
        return false;
    }
    for (int i = 0; kept->wanted && i < KEPT; i++)
        if (!numbers_open(&kept->arrays[i], PyTuple_GET_ITEM(arrays, i),
                          ((Py_ssize_t)rigor_run_frames(self->run) + 1) * count[i >= FORCE] * WIDTHS[i], true)) {
            numbers_close(kept->arrays, KEPT);
            return false;
        }
    return true;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Up to so many frames; RIGOR_OK while there may be more. */
static RigorStatus make_frames(RunObject *self, Kept *kept, int *left, bool *kept_all)
{
    RigorStatus status = RIGOR_OK;
    bool many = *left > 1;
    double until = many ? now() + ASKED_EVERY : 0.0;
    do {
        status = rigor_run_step(self->run);
        if (status != RIGOR_OK)
            break;
        --*left;
        if (kept->wanted)
            *kept_all = keep_frame(self, kept, rigor_run_frame(self->run));
    } while (*left > 0 && *kept_all && (!many || now() < until));
    return status;
}

/* Frames one after the other, between which Ctrl-C ends them. */
static RigorStatus run_frames(RunObject *self, Kept *kept, int left)
{
    RigorStatus status = RIGOR_OK;
    bool kept_all = true;
    self->busy = true;
    while (left > 0 && status == RIGOR_OK && kept_all && !PyErr_Occurred()) {
        PyThreadState *others = PyEval_SaveThread();
        status = make_frames(self, kept, &left, &kept_all);
        PyEval_RestoreThread(others);
        if (!PyErr_Occurred())
            PyErr_CheckSignals();
    }
    self->busy = false;
    if (!kept_all)
        PyErr_NoMemory();
    return status;
}

/* True: all of them were made; False: the run is over, or blew up. */
static PyObject *frames_done(RunObject *self, RigorStatus status)
{
    if (PyErr_Occurred())
        return NULL;
    if (status == RIGOR_FAILED)
        return raise_status(status, self->rigor);
    return PyBool_FromLong(status == RIGOR_OK);
}

static PyObject *run_step(PyObject *object, PyObject *unused)
{
    (void)unused;
    RunObject *self = (RunObject *)object;
    return run_is_free(self) ? frames_done(self, run_frames(self, &(Kept){.wanted = false}, 1)) : NULL;
}

static PyObject *run_advance(PyObject *object, PyObject *arguments)
{
    RunObject *self = (RunObject *)object;
    PyObject *arrays;
    int frames;
    Kept kept;
    if (!PyArg_ParseTuple(arguments, "iO", &frames, &arrays) || !run_is_free(self) || !kept_open(self, &kept, arrays))
        return NULL;
    bool first = kept.wanted && self->offset_count == 0;
    bool ok = !first || (keep_frame(self, &kept, rigor_run_frame(self->run)) || PyErr_NoMemory());
    RigorStatus status = ok && frames > 0 ? run_frames(self, &kept, frames) : RIGOR_OK;
    numbers_close(kept.arrays, KEPT);
    return frames_done(self, status);
}

static PyObject *run_states(PyObject *object, PyObject *arguments)
{
    RunObject *self = (RunObject *)object;
    PyObject *given[KEPT];
    Numbers arrays[KEPT];
    if (!PyArg_ParseTuple(arguments, "OOOOOO", &given[0], &given[1], &given[2], &given[3], &given[4], &given[5]) ||
        !run_is_free(self))
        return NULL;
    int count[2] = {rigor_run_body_count(self->run), rigor_run_joint_count(self->run)};
    for (int i = 0; i < KEPT; i++)
        if (!numbers_open(&arrays[i], given[i], count[i >= FORCE] * WIDTHS[i], true)) {
            numbers_close(arrays, i);
            return NULL;
        }
    rigor_run_states(self->run, arrays[0].data, arrays[1].data, arrays[2].data, arrays[3].data);
    rigor_run_reactions(self->run, arrays[FORCE].data, arrays[TORQUE].data);
    numbers_close(arrays, KEPT);
    Py_RETURN_NONE;
}

static PyObject *run_contacts(PyObject *object, PyObject *unused)
{
    (void)unused;
    RunObject *self = (RunObject *)object;
    if (!run_is_free(self))
        return NULL;
    int count = rigor_run_contact_count(self->run);
    PyObject *bytes = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)sizeof(RigorContact) * count);
    for (int k = 0; bytes && k < count; k++)
        rigor_run_contact(self->run, k, (RigorContact *)(void *)PyByteArray_AS_STRING(bytes) + k);
    return bytes;
}

static PyObject *run_kept_contacts(PyObject *object, PyObject *unused)
{
    (void)unused;
    const RunObject *self = (RunObject *)object;
    return run_is_free(self)
               ? Py_BuildValue(
                     "NN",
                     PyByteArray_FromStringAndSize((const char *)self->offsets,
                                                   (Py_ssize_t)sizeof *self->offsets * self->offset_count),
                     PyByteArray_FromStringAndSize((const char *)self->contacts,
                                                   (Py_ssize_t)(sizeof *self->contacts * self->contact_count)))
               : NULL;
}

static PyObject *run_result(RunObject *self, RigorStatus status)
{
    if (status == RIGOR_OK)
        Py_RETURN_NONE;
    if (status != RIGOR_FAILED || self->run)
        return raise_status(status, self->rigor);
    return NULL;
}

static PyObject *run_set_force(PyObject *object, PyObject *arguments)
{
    RunObject *self = (RunObject *)object;
    int body;
    double force[3], torque[3];
    if (!PyArg_ParseTuple(arguments, "i(ddd)(ddd)", &body, &force[0], &force[1], &force[2], &torque[0], &torque[1],
                          &torque[2]) ||
        !run_is_free(self))
        return NULL;
    return run_result(self, rigor_run_set_force(self->run, body, force, torque));
}

static PyObject *run_set_drive(PyObject *object, PyObject *arguments)
{
    RunObject *self = (RunObject *)object;
    int joint;
    double value;
    if (!PyArg_ParseTuple(arguments, "id", &joint, &value) || !run_is_free(self))
        return NULL;
    return run_result(self, rigor_run_set_drive(self->run, joint, value));
}

static PyObject *run_drive(PyObject *object, PyObject *joint)
{
    RunObject *self = (RunObject *)object;
    long index = PyLong_AsLong(joint);
    if ((index == -1 && PyErr_Occurred()) || !run_is_free(self))
        return NULL;
    return PyFloat_FromDouble(rigor_run_drive(self->run, (int)index));
}

static PyObject *run_metric(PyObject *object, PyObject *name)
{
    RunObject *self = (RunObject *)object;
    const char *text = PyUnicode_AsUTF8(name);
    return text && run_is_free(self) ? PyFloat_FromDouble(rigor_run_metric(self->run, text)) : NULL;
}

static PyObject *run_document(PyObject *object, PyObject *unused)
{
    (void)unused;
    RunObject *self = (RunObject *)object;
    const char *text = run_is_free(self) ? rigor_run_document(self->run) : NULL;
    return text ? PyUnicode_FromString(text) : PyErr_Occurred() ? NULL : raise_message(self->rigor);
}

static PyObject *run_finish(PyObject *object, PyObject *unused)
{
    (void)unused;
    RunObject *self = (RunObject *)object;
    return run_is_free(self) ? run_result(self, rigor_run_finish(self->run)) : NULL;
}

static PyObject *names_of(RunObject *self, int count, const char *(*name)(const RigorRun *run, int index))
{
    PyObject *names = run_is_free(self) ? PyTuple_New(count) : NULL;
    for (int i = 0; names && i < count; i++) {
        PyObject *text = PyUnicode_FromString(name(self->run, i));
        if (text)
            PyTuple_SET_ITEM(names, i, text);
        else
            Py_CLEAR(names);
    }
    return names;
}

static PyObject *run_body_names(PyObject *object, void *unused)
{
    (void)unused;
    RunObject *self = (RunObject *)object;
    return names_of(self, rigor_run_body_count(self->run), rigor_run_body_name);
}

static PyObject *run_joint_names(PyObject *object, void *unused)
{
    (void)unused;
    RunObject *self = (RunObject *)object;
    return names_of(self, rigor_run_joint_count(self->run), rigor_run_joint_name);
}

static PyObject *run_time(PyObject *object, void *unused)
{
    (void)unused;
    return PyFloat_FromDouble(rigor_run_time(((RunObject *)object)->run));
}

static PyObject *run_frame(PyObject *object, void *unused)
{
    (void)unused;
    return PyLong_FromLong(rigor_run_frame(((RunObject *)object)->run));
}

static PyObject *run_frame_count(PyObject *object, void *unused)
{
    (void)unused;
    return PyLong_FromLong(rigor_run_frames(((RunObject *)object)->run));
}

static PyObject *run_row_solves(PyObject *object, void *unused)
{
    (void)unused;
    return PyFloat_FromDouble(rigor_run_row_solves(((RunObject *)object)->run));
}

static PyMethodDef run_methods[] = {
    {"step", run_step, METH_NOARGS, "The next frame; False: the run is over, or blew up."},
    {"advance", run_advance, METH_VARARGS, "So many frames, kept in arrays."},
    {"states", run_states, METH_VARARGS, "The state now, into arrays."},
    {"contacts", run_contacts, METH_NOARGS, "The last frame's contacts."},
    {"kept_contacts", run_kept_contacts, METH_NOARGS, "Where each kept frame's contacts end, and all of them."},
    {"set_force", run_set_force, METH_VARARGS, NULL},
    {"set_drive", run_set_drive, METH_VARARGS, NULL},
    {"drive", run_drive, METH_O, NULL},
    {"metric", run_metric, METH_O, NULL},
    {"document", run_document, METH_NOARGS, NULL},
    {"finish", run_finish, METH_NOARGS, "Writes the last of the recording."},
    {NULL},
};

static PyGetSetDef run_values[] = {
    {"body_names", run_body_names, NULL, NULL, NULL},
    {"joint_names", run_joint_names, NULL, NULL, NULL},
    {"time", run_time, NULL, NULL, NULL},
    {"frame", run_frame, NULL, NULL, NULL},
    {"frames", run_frame_count, NULL, NULL, NULL},
    {"row_solves", run_row_solves, NULL, NULL, NULL},
    {NULL},
};

PyTypeObject RunType = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "rigor._rigor.Run",
    .tp_basicsize = sizeof(RunObject),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_doc = "librigor's RigorRun.",
    .tp_new = PyType_GenericNew,
    .tp_init = run_init,
    .tp_dealloc = run_dealloc,
    .tp_methods = run_methods,
    .tp_getset = run_values,
};
