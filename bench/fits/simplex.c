/* SPDX-License-Identifier: MIT */
#include "bench/fits/simplex.h"

#include <gsl/gsl_multimin.h>
#include <string.h>

static double simplex_value(const gsl_vector *at, void *context)
{
    const Simplex *simplex = context;
    return simplex->value(at->data, simplex->context); /* vectors of gsl_vector_alloc have no gaps */
}

bool simplex_descend(Simplex *simplex, Status *status)
{
    size_t count = (size_t)simplex->count;
    gsl_multimin_fminimizer *search = gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, count);
    gsl_vector *at = gsl_vector_alloc(count), *edges = gsl_vector_alloc(count);
    bool ok = (search && at && edges) || status_set(status, STATUS_FAILED, "out of memory");
    if (ok) {
        memcpy(at->data, simplex->at, count * sizeof(double));
        memcpy(edges->data, simplex->edges, count * sizeof(double));
        gsl_multimin_function function = {simplex_value, count, simplex};
        gsl_multimin_fminimizer_set(search, &function, at, edges);
        for (int i = 0; i < simplex->iterations && gsl_multimin_fminimizer_iterate(search) == 0; i++)
            if (gsl_multimin_fminimizer_size(search) < simplex->small)
                break;
        memcpy(simplex->at, search->x->data, count * sizeof(double));
    }
    if (search)
        gsl_multimin_fminimizer_free(search);
    gsl_vector_free(at);
    gsl_vector_free(edges);
    return ok;
}
