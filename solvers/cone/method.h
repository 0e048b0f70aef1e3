/* SPDX-License-Identifier: MIT */
/* A method on a cone system: what a backend that needs no bodies is made of. Whoever owns the loop calls
 *
 *     cone_method_create;  cone_method_reserve;  begin(self, system, r);  iterate(self, system, r) again and again
 *
 * r is the solution so far, row by row: the start in begin(), the method's best knowledge after each iterate(). */
#ifndef RIGOR_SOLVERS_CONE_METHOD_H
#define RIGOR_SOLVERS_CONE_METHOD_H

#include "solvers/cone/cone_system.h"

#include <stddef.h>

enum { CONE_METHOD_VECTORS = 6 };

/* What a method's memory begins with. */
typedef struct ConeMemory {
    double *vector[CONE_METHOD_VECTORS]; /* a number a row each: as many as the method says */
} ConeMemory;

typedef struct ConeMethod {
    ConeLaw law; /* that it solves for */
    int vectors;
    size_t size; /* of its memory, cleared at first */
    /* Takes what it needs of the backend's own options, false with a message: refused; NULL: nothing. */
    bool (*take)(void *self, const void *options, Status *status);
    /* Room for systems of that size beside the vectors, so that begin and iterate need none; NULL: none is needed. */
    bool (*reserve)(void *self, int rows);
    void (*free)(void *self); /* gives that back; NULL: nothing */
    /* False with a message where the method does not apply to this system; NULL: nothing to do. */
    bool (*begin)(void *self, const ConeSystem *system, double *r, Status *status);
    /* One iteration; returns the rows solved. */
    long (*iterate)(void *self, const ConeSystem *system, double *r);
} ConeMethod;

/* NULL with a message: refused, or out of memory; destroy copes with NULL. */
void *cone_method_create(const ConeMethod *method, const void *options, Status *status);
void cone_method_destroy(const ConeMethod *method, void *self);
bool cone_method_reserve(const ConeMethod *method, void *self, int rows);
bool cone_method_begin(const ConeMethod *method, void *self, const ConeSystem *system, double *r, Status *status);

/* `list` becomes `count` arrays of `length` doubles each, what they held is lost; false when out of memory. */
bool cone_vectors_reserve(double **list, int count, int length);
void cone_vectors_free(double **list, int count);

/* a.b, and y += s x, over `count` numbers. */
double cone_dot(const double *a, const double *b, int count);
void cone_add(double *y, double s, const double *x, int count);

#endif
