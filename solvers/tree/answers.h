/* SPDX-License-Identifier: MIT */
/* Rows between two bodies in the coordinates of a forest, and how the trees answer them (Mirtich 1996; Kokkevis 2004;
 * Wensing, Featherstone and Orin 2012):
 *
 *     rate = J qdot,   Y = M^-1 J^T,   A = J Y.
 *
 * J has entries for the ancestors of the two bodies alone. Y is found from the factors that articulated_solve has left,
 * without M: a unit impulse goes up the path to the root, in as many steps as that is deep, and comes down the grove.
 * Up to three rows on the same two bodies go together. */
#ifndef RIGOR_SOLVERS_TREE_ANSWERS_H
#define RIGOR_SOLVERS_TREE_ANSWERS_H

#include "model/block.h"
#include "solvers/tree/forest.h"

typedef struct Answer {
    int count;            /* rows */
    int path_count;       /* coordinates that move them */
    int grove[2];         /* that they move; -1: none */
    int from[2], size[2]; /* coordinates of these groves */
    const int *path;      /* which coordinates */
    double *J;            /* row by row, along the path */
    double *Y;            /* row by row: of the first grove, then of the second one */
    double A[BLOCK_MAX_ROWS][BLOCK_MAX_ROWS];
} Answer;

/* A link of the way up and down. */
typedef struct AnswerLink {
    bool on_path;
    double tau[LINK_MAX_DOFS]; /* of a row on coordinates themselves; else zero */
    double z[LINK_MAX_DOFS][BLOCK_MAX_ROWS];
    double A[BLOCK_MAX_ROWS][6];
} AnswerLink;

/* Where answers are kept, from one substep to the next, and the scratch of finding them. */
typedef struct Answers {
    AnswerLink *links;
    double *numbers;
    int *paths;
    size_t number_room, path_room, number_count, path_count;
} Answers;

/* False when out of memory; free copes with zeroed ones. */
bool answers_init(Answers *answers, const World *world);
void answers_free(Answers *answers);

/* What `rows` rows on these two bodies take at most is added to the two counts; and room for as much. */
void answers_measure(const Forest *forest, const Articulated *tree, const int body[2], int rows, size_t *numbers,
                     size_t *paths);
bool answers_reserve(Answers *answers, size_t numbers, size_t paths);

/* Forgets all that were found. */
void answers_clear(Answers *answers);

/* After articulated_solve: the answer of `count` rows (v1, w1, v2, w2). */
void answer_find(Answer *answer, Answers *answers, const Forest *forest, const Articulated *tree, const int body[2],
                 int count, const double J[][ROW_WIDTH]);

/* The same of one row on one or two coordinates themselves: coordinate k of a link, times J. */
void answer_find_axes(Answer *answer, Answers *answers, const Forest *forest, const Articulated *tree, int count,
                      const int link[], const int k[], const double J[]);

/* A of J and Y. */
void answer_couple(Answer *answer);

/* J u of row i, and u += Y d of it. */
static inline double answer_rate(const Answer *answer, int i, const double *u)
{
    const double *J = answer->J + (size_t)i * (size_t)answer->path_count;
    double sum = 0.0;
    for (int k = 0; k < answer->path_count; k++)
        sum += J[k] * u[answer->path[k]];
    return sum;
}

static inline void answer_push(const Answer *answer, int i, double d, double *u)
{
    const double *Y = answer->Y + (size_t)i * (size_t)(answer->size[0] + answer->size[1]);
    for (int g = 0; g < 2; g++) {
        double *to = u + answer->from[g];
        for (int k = 0; k < answer->size[g]; k++)
            to[k] += d * Y[k];
        Y += answer->size[g];
    }
}

/* A number of Y of row i: of a coordinate, 0 where it does not move. */
static inline double answer_of(const Answer *answer, int i, int coordinate)
{
    const double *Y = answer->Y + (size_t)i * (size_t)(answer->size[0] + answer->size[1]);
    for (int g = 0; g < 2; g++) {
        if (coordinate >= answer->from[g] && coordinate < answer->from[g] + answer->size[g])
            return Y[coordinate - answer->from[g]];
        Y += answer->size[g];
    }
    return 0.0;
}

#endif
