/* SPDX-License-Identifier: MIT */
/* What the parts of the Python module share. The package `rigor` (rigor/) is what a user sees; this is its `_rigor`. */
#ifndef RIGOR_LIBRARY_PYTHON_MODULE_H
#define RIGOR_LIBRARY_PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "library/rigor.h"
#include "solvers/solver.h"

#include <stdbool.h>

/* Raises the exception of a status with the library's message, or the one that a solver in Python has raised. Returns
 * NULL. */
PyObject *raise_status(RigorStatus status, const Rigor *rigor);
PyObject *raise_message(const Rigor *rigor);

/* The numbers of a contiguous array of doubles; one that may be None is NULL then. False with an exception. */
typedef struct Numbers {
    Py_buffer buffer;
    double *data; /* NULL: None */
    bool held;
} Numbers;
bool numbers_open(Numbers *numbers, PyObject *object, Py_ssize_t count, bool writable);
void numbers_close(Numbers *numbers, int count);

/* A solver whose phases are methods of a Python object: what the library is given, and what keeps it. */
extern PyTypeObject SolverType, StepType;
const Solver *solver_of(PyObject *object);

extern PyTypeObject RunType;

#endif
