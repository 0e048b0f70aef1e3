#include "solvers/cone/method.h"

#include <stdlib.h>

void *cone_method_memory(size_t size, Status *status)
{
    void *memory = calloc(1, size);
    if (!memory)
        status_set(status, STATUS_FAILED, "out of memory");
    return memory;
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
