/* A method on a cone system: what a backend that needs no bodies is made of. Whoever owns the loop calls
 *
 *     create(options);  reserve(self, blocks, rows);  begin(self, system, r);  iterate(self, system, r) again and again
 *
 * r is the solution so far, row by row: the start in begin(), the method's best knowledge after each iterate(). */
#ifndef RIGOR_SOLVERS_CONE_METHOD_H
#define RIGOR_SOLVERS_CONE_METHOD_H

#include "solvers/cone/cone_system.h"

#include <stddef.h>

typedef struct ConeMethod {
    ConeLaw law; /* that it solves for */
    /* options: the backend's own. NULL with a message: refused, or out of memory. */
    void *(*create)(const void *options, Status *status);
    void (*destroy)(void *self); /* copes with NULL */
    /* Room for systems of that size, so that begin and iterate need none. */
    bool (*reserve)(void *self, int blocks, int rows);
    /* False with a message where the method does not apply to this system. */
    bool (*begin)(void *self, const ConeSystem *system, double *r, Status *status);
    /* One iteration; returns the rows solved. */
    long (*iterate)(void *self, const ConeSystem *system, double *r);
} ConeMethod;

/* A method's memory, cleared; NULL with a message. */
void *cone_method_memory(size_t size, Status *status);

/* `list` becomes `count` arrays of `length` doubles each, what they held is lost; false when out of memory. */
bool cone_vectors_reserve(double **list, int count, int length);
void cone_vectors_free(double **list, int count);

/* a.b, and y += s x, over `count` numbers. */
double cone_dot(const double *a, const double *b, int count);
void cone_add(double *y, double s, const double *x, int count);

#endif
