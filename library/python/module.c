/* SPDX-License-Identifier: MIT */
/* The module `_rigor`: librigor's functions (library/rigor.h) for the package. */
#include "library/python/module.h"

#include <string.h>

static PyObject *error, *usage_error, *file_error, *unsupported_error;

static PyObject *error_of(RigorStatus status)
{
    switch (status) {
    case RIGOR_USAGE:
        return usage_error;
    case RIGOR_BAD_FILE:
        return file_error;
    case RIGOR_UNSUPPORTED:
        return unsupported_error;
    default:
        return error;
    }
}

PyObject *raise_status(RigorStatus status, const Rigor *rigor)
{
    if (!PyErr_Occurred()) /* what a solver in Python raised says more */
        PyErr_SetString(error_of(status), rigor_message(rigor));
    return NULL;
}

PyObject *raise_message(const Rigor *rigor)
{
    return raise_status(rigor_status(rigor), rigor);
}

bool numbers_open(Numbers *numbers, PyObject *object, Py_ssize_t count, bool writable)
{
    *numbers = (Numbers){.held = false};
    if (!object || object == Py_None)
        return true;
    int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object, &numbers->buffer, flags) != 0)
        return false;
    numbers->held = true;
    const Py_buffer *buffer = &numbers->buffer;
    if (buffer->itemsize == sizeof(double) && strcmp(buffer->format, "d") == 0 &&
        buffer->len == count * (Py_ssize_t)sizeof(double)) {
        numbers->data = buffer->buf;
        return true;
    }
    PyBuffer_Release(&numbers->buffer);
    numbers->held = false;
    PyErr_Format(PyExc_ValueError, "%zd doubles are needed", count);
    return false;
}

void numbers_close(Numbers *numbers, int count)
{
    for (int i = 0; i < count; i++)
        if (numbers[i].held)
            PyBuffer_Release(&numbers[i].buffer);
}

/* A thread that works in the library without the interpreter's lock takes it to tell each line. */
typedef struct Listening {
    PyObject *listener;
    bool failed; /* it raised, or Ctrl-C was pressed */
} Listening;

static int listen_to(void *context, const char *line)
{
    Listening *listening = context;
    PyGILState_STATE lock = PyGILState_Ensure();
    if (!listening->failed && !line)
        listening->failed = PyErr_CheckSignals() != 0;
    if (!listening->failed && line && listening->listener != Py_None) {
        PyObject *text = PyUnicode_DecodeUTF8(line, (Py_ssize_t)strlen(line), "replace");
        PyObject *said = text ? PyObject_CallOneArg(listening->listener, text) : NULL;
        listening->failed = !said;
        Py_XDECREF(text);
        Py_XDECREF(said);
    }
    PyGILState_Release(lock);
    return listening->failed;
}

/* The words of a sequence of str, NULL at the end; freed by PyMem_Free. They live as long as the sequence. */
static const char **words_of(PyObject *sequence)
{
    Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence);
    const char **words = PyMem_Calloc((size_t)count + 1, sizeof *words);
    for (Py_ssize_t i = 0; words && i < count; i++) {
        words[i] = PyUnicode_AsUTF8(PySequence_Fast_GET_ITEM(sequence, i));
        if (!words[i]) {
            PyMem_Free(words);
            return NULL;
        }
    }
    return words ? words : (const char **)PyErr_NoMemory();
}

static PyObject *module_command(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *given, *listener = Py_None;
    if (!PyArg_ParseTuple(arguments, "O|O", &given, &listener))
        return NULL;
    PyObject *sequence = PySequence_Fast(given, "the words of a command are needed"), *output = NULL;
    const char **words = sequence ? words_of(sequence) : NULL;
    Listening listening = {listener, false};
    if (words) {
        Rigor *rigor;
        RigorStatus status;
        PyThreadState *others = PyEval_SaveThread();
        rigor = rigor_open();
        status = rigor_command(rigor, words, listen_to, &listening);
        PyEval_RestoreThread(others);
        output = status == RIGOR_OK ? PyUnicode_FromString(rigor_output(rigor)) : raise_status(status, rigor);
        rigor_close(rigor);
    }
    PyMem_Free(words);
    Py_XDECREF(sequence);
    return output;
}

static PyObject *module_names(PyObject *module, PyObject *kind)
{
    (void)module;
    const char *word = PyUnicode_AsUTF8(kind);
    PyObject *list = word ? PyList_New(0) : NULL;
    Rigor *rigor = list ? rigor_open() : NULL;
    for (int i = 0; rigor; i++) {
        const char *name = strcmp(word, "scenes") == 0    ? rigor_scene_name(i)
                           : strcmp(word, "metrics") == 0 ? rigor_metric_name(i)
                                                          : rigor_solver_name(rigor, i);
        PyObject *text = name ? PyUnicode_FromString(name) : NULL;
        if (!name)
            break;
        if (!text || PyList_Append(list, text) != 0)
            Py_CLEAR(list);
        Py_XDECREF(text);
        if (!list)
            break;
    }
    rigor_close(rigor);
    return list;
}

static PyMethodDef module_methods[] = {
    {"command", module_command, METH_VARARGS,
     "command(words, listener=None)\n--\n\nWhat `rigor WORDS` prints. The listener gets each line of what it says "
     "meanwhile."},
    {"names", module_names, METH_O, "names(kind)\n--\n\nThe names of all \"scenes\", \"solvers\" or \"metrics\"."},
    {NULL},
};

static struct PyModuleDef module_def = {PyModuleDef_HEAD_INIT, .m_name = "rigor._rigor",
                                        .m_doc = "librigor; use the package `rigor`.", .m_size = -1,
                                        .m_methods = module_methods};

static bool add_type(PyObject *module, PyTypeObject *type)
{
    return PyType_Ready(type) == 0 && PyModule_AddType(module, type) == 0;
}

/* An exception that is a rigor.Error, and a ValueError as well where that says more. */
static PyObject *add_error(PyObject *module, const char *name, const char *doc, PyObject *also)
{
    char full[64];
    PyOS_snprintf(full, sizeof full, "rigor.%s", name);
    PyObject *bases = !error ? NULL : also ? PyTuple_Pack(2, error, also) : PyTuple_Pack(1, error);
    PyObject *made = !error || bases ? PyErr_NewExceptionWithDoc(full, doc, bases, NULL) : NULL;
    Py_XDECREF(bases);
    return made && PyModule_AddObjectRef(module, name, made) == 0 ? made : NULL;
}

PyMODINIT_FUNC PyInit__rigor(void);
PyMODINIT_FUNC PyInit__rigor(void)
{
    PyObject *module = PyModule_Create(&module_def);
    if (module && (error = add_error(module, "Error", "What the program says when something cannot be done.", NULL)) &&
        (usage_error = add_error(module, "UsageError", "A name or value is wrong.", PyExc_ValueError)) &&
        (file_error = add_error(module, "FileError", "A file is wrong; the message gives the place.", NULL)) &&
        (unsupported_error = add_error(module, "UnsupportedError", "This solver cannot run this scene.", NULL)) &&
        add_type(module, &RunType) && add_type(module, &SolverType) && add_type(module, &StepType) &&
        PyModule_AddStringConstant(module, "version", rigor_version()) == 0)
        return module;
    Py_XDECREF(module);
    return NULL;
}
