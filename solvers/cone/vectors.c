/* SPDX-License-Identifier: MIT */
#include "solvers/cone/method.h"

#include <stdlib.h>

void *cone_method_create(const ConeMethod *method, const void *options, Status *status)
{
    void *self = calloc(1, method->size);
    if (!self)
        status_set(status, STATUS_FAILED, "out of memory");
    if (!self || !method->take || method->take(self, options, status))
        return self;
    free(self);
    return NULL;
}

void cone_method_destroy(const ConeMethod *method, void *self)
{
    if (!self)
        return;
    cone_vectors_free(((ConeMemory *)self)->vector, method->vectors);
    if (method->free)
        method->free(self);
    free(self);
}

bool cone_method_reserve(const ConeMethod *method, void *self, int rows)
{
    return cone_vectors_reserve(((ConeMemory *)self)->vector, method->vectors, rows) &&
           (!method->reserve || method->reserve(self, rows));
}

bool cone_method_begin(const ConeMethod *method, void *self, const ConeSystem *system, double *r, Status *status)
{
    return !method->begin || method->begin(self, system, r, status);
}

bool cone_vectors_reserve(double **list, int count, int length)
{
    bool ok = true;
    for (int i = 0; i < count; i++) {
        double *grown = realloc(list[i], sizeof *grown * ((size_t)length + 1));
        list[i] = grown ? grown : list[i];
        ok = ok && grown;
    }
    return ok;
}

void cone_vectors_free(double **list, int count)
{
    for (int i = 0; i < count; i++) {
        free(list[i]);
        list[i] = NULL;
    }
}

double cone_dot(const double *a, const double *b, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

void cone_add(double *y, double s, const double *x, int count)
{
    for (int i = 0; i < count; i++)
        y[i] += s * x[i];
}
