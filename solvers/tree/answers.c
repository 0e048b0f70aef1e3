/* SPDX-License-Identifier: MIT */
#include "solvers/tree/answers.h"

#include "solvers/tree/spatial.h"

#include <stdlib.h>

bool answers_init(Answers *answers, const World *world)
{
    *answers = (Answers){0};
    return NEW_ARRAY(answers->links, (size_t)world->body_count);
}

void answers_free(Answers *answers)
{
    free(answers->links);
    free(answers->numbers);
    free(answers->paths);
}

void answers_measure(const Forest *forest, const Articulated *tree, const int body[2], int rows, size_t *numbers,
                     size_t *paths)
{
    int grove = -1;
    for (int k = 0; k < 2; k++) {
        int link = tree->link_of_body[body[k]];
        if (link < 0)
            continue;
        *paths += (size_t)forest->depth[link];
        *numbers += (size_t)rows * (size_t)forest->depth[link];
        if (forest->grove[link] != grove)
            *numbers += (size_t)rows * (size_t)forest_grove_size(forest, forest->grove[link]);
        grove = forest->grove[link];
    }
}

bool answers_reserve(Answers *answers, size_t numbers, size_t paths)
{
    return array_reserve((void **)&answers->numbers, &answers->number_room, sizeof *answers->numbers, numbers) &&
           array_reserve((void **)&answers->paths, &answers->path_room, sizeof *answers->paths, paths);
}

void answers_clear(Answers *answers)
{
    answers->number_count = answers->path_count = 0;
}

/* What has come up to a link from one of the two bodies: the wrench of each row itself, and the bias force by which the
 * links below answer it. */
typedef struct AnswerSide {
    int link;          /* -1: it has ended */
    bool sum_is_whole; /* no torque was left out on the way, as a particle's is */
    double f[BLOCK_MAX_ROWS][6], p[BLOCK_MAX_ROWS][6];
} AnswerSide;

static void side_begin(AnswerSide *side, const Articulated *tree, int body, int count, const double J[][ROW_WIDTH],
                       int at)
{
    side->link = tree->link_of_body[body];
    if (side->link < 0)
        return;
    bool particle = tree->links[side->link].particle;
    side->sum_is_whole = !particle;
    for (int r = 0; r < count; r++) {
        const double *j = J[r] + at;
        Vec3 torque = particle ? VEC3_ZERO : vec3(j[3], j[4], j[5]);
        spatial_set(side->f[r], torque, vec3(j[0], j[1], j[2]));
        spatial_set(side->p[r], vec3_negate(torque), vec3(-j[0], -j[1], -j[2]));
    }
}

/* The other side has come to the same link. */
static void side_take(AnswerSide *side, AnswerSide *other, int count)
{
    for (int r = 0; r < count; r++) {
        spatial_add_scaled(side->f[r], 1.0, other->f[r]);
        spatial_add_scaled(side->p[r], 1.0, other->p[r]);
    }
    side->sum_is_whole = side->sum_is_whole && other->sum_is_whole;
    other->link = -1;
}

/* X^T of a wrench, to the parent's reference point; a particle takes the force alone. */
static void wrench_move(const Link *link, bool particle, double f[6])
{
    Vec3 torque = particle ? VEC3_ZERO : vec3_add(angular(f), vec3_cross(link->at->r, linear(f)));
    spatial_set(f, torque, linear(f));
}

/* z = L^-1 (-S^T p) and p += Y^T z; then on to the parent. */
static void side_go_up(AnswerSide *side, Answers *answers, const Articulated *tree, int count)
{
    const Link *link = &tree->links[side->link];
    const LinkJoint *own = link->own;
    AnswerLink *at = &answers->links[side->link];
    at->on_path = true;
    for (int i = 0; i < link->dofs; i++)
        for (int r = 0; r < count; r++) {
            double z = at->tau[i] - spatial_dot(own->S[i], side->p[r]);
            for (int k = 0; k < i; k++)
                z -= own->L[i][k] * at->z[k][r];
            at->z[i][r] = z / own->L[i][i];
        }
    for (int i = 0; i < link->dofs; i++)
        for (int r = 0; r < count; r++)
            spatial_add_scaled(side->p[r], at->z[i][r], own->Y[i]);
    memset(at->tau, 0, sizeof at->tau);
    side->link = link->parent;
    if (link->parent < 0)
        return;
    bool particle = tree->links[link->parent].particle;
    side->sum_is_whole = side->sum_is_whole && !particle;
    for (int r = 0; r < count; r++) {
        wrench_move(link, particle, side->f[r]);
        wrench_move(link, particle, side->p[r]);
    }
}

/* Row r's numbers along the path stand one after the other, of as many coordinates as the path may have. */
static void side_write(const AnswerSide *side, Answer *answer, int *path, const Forest *forest, const Articulated *tree,
                       int room)
{
    const Link *link = &tree->links[side->link];
    for (int i = 0; i < link->dofs; i++) {
        for (int r = 0; r < answer->count; r++)
            answer->J[r * room + answer->path_count] = spatial_dot(link->own->S[i], side->f[r]);
        path[answer->path_count++] = forest->first[side->link] + i;
    }
}

/* Up to the root. Where both sides have met, forces between them are in balance, and move nothing above. */
static void answer_go_up(Answer *answer, Answers *answers, const Forest *forest, const Articulated *tree,
                         AnswerSide side[2], int *path, int room)
{
    bool balanced = false;
    while (side[0].link >= 0 || side[1].link >= 0) {
        int k = side[0].link > side[1].link ? 0 : 1;
        if (side[0].link == side[1].link) {
            side_take(&side[1], &side[0], answer->count);
            balanced = side[1].sum_is_whole;
        }
        if (!balanced)
            side_write(&side[k], answer, path, forest, tree, room);
        side_go_up(&side[k], answers, tree, answer->count);
    }
}

/* x = L^-T (z - Y A'), A = A' + S x with A' = X A_parent. */
static void link_come_down(const Articulated *tree, int index, Answers *answers, int count, double *Y, int stride)
{
    const Link *link = &tree->links[index];
    const LinkJoint *own = link->own;
    AnswerLink *at = &answers->links[index];
    for (int r = 0; r < count; r++) {
        double *A = at->A[r], *x = Y + r * stride;
        if (link->parent < 0) {
            memset(A, 0, 6 * sizeof *A);
        } else {
            const double *from = answers->links[link->parent].A[r];
            spatial_set(A, angular(from), vec3_add(linear(from), vec3_cross(angular(from), link->at->r)));
        }
        for (int k = link->dofs - 1; k >= 0; k--) {
            x[k] = (at->on_path ? at->z[k][r] : 0.0) - spatial_dot(own->Y[k], A);
            for (int j = k + 1; j < link->dofs; j++)
                x[k] -= own->L[j][k] * x[j];
            x[k] /= own->L[k][k];
        }
        for (int k = 0; k < link->dofs; k++)
            spatial_add_scaled(A, x[k], own->S[k]);
        if (link->particle)
            A[0] = A[1] = A[2] = 0.0;
    }
    at->on_path = false;
}

void answer_couple(Answer *answer)
{
    for (int r = 0; r < answer->count; r++)
        for (int s = 0; s <= r; s++) {
            double sum = 0.0;
            for (int k = 0; k < answer->path_count; k++)
                sum += answer->J[s * answer->path_count + k] * answer_of(answer, r, answer->path[k]);
            answer->A[r][s] = answer->A[s][r] = sum;
        }
}

/* The rows side by side, without the room that the path did not take. */
static void answer_pack(Answer *answer, Answers *answers, int room)
{
    for (int r = 1; r < answer->count; r++)
        memmove(answer->J + r * answer->path_count, answer->J + r * room, sizeof(double) * (size_t)answer->path_count);
    answers->path_count += (size_t)answer->path_count;
    answers->number_count += (size_t)(answer->count * answer->path_count);
}

/* The groves of two links, and how many numbers of Y a row has. */
static int answer_begin(Answer *answer, const Forest *forest, const int link[2])
{
    int stride = 0;
    for (int k = 0; k < 2; k++) {
        if (link[k] < 0 || (k == 1 && forest->grove[link[k]] == answer->grove[0]))
            continue;
        answer->grove[k] = forest->grove[link[k]];
        answer->from[k] = forest->coordinate_from[answer->grove[k]];
        answer->size[k] = forest_grove_size(forest, answer->grove[k]);
        stride += answer->size[k];
    }
    return stride;
}

/* Y, once the way up is done. */
static void answer_come_down(Answer *answer, Answers *answers, const Forest *forest, const Articulated *tree,
                             int stride)
{
    answer->Y = answers->numbers + answers->number_count;
    answers->number_count += (size_t)(answer->count * stride);
    for (int g = 0, at = 0; g < 2; at += answer->size[g++]) {
        int grove = answer->grove[g];
        for (int k = grove >= 0 ? forest->link_from[grove] : 0; grove >= 0 && k < forest->link_from[grove + 1]; k++) {
            int index = forest->links[k];
            double *Y = answer->Y + at + forest->first[index] - answer->from[g];
            link_come_down(tree, index, answers, answer->count, Y, stride);
        }
    }
    answer_couple(answer);
}

void answer_find(Answer *answer, Answers *answers, const Forest *forest, const Articulated *tree, const int body[2],
                 int count, const double J[][ROW_WIDTH])
{
    AnswerSide side[2];
    int room = 0, *path = answers->paths + answers->path_count, link[2];
    *answer = (Answer){.count = count, .grove = {-1, -1}, .path = path};
    for (int k = 0; k < 2; k++) {
        side_begin(&side[k], tree, body[k], count, J, 6 * k);
        link[k] = side[k].link;
        room += link[k] >= 0 ? forest->depth[link[k]] : 0;
    }
    int stride = answer_begin(answer, forest, link);
    answer->J = answers->numbers + answers->number_count;
    answer_go_up(answer, answers, forest, tree, side, path, room);
    answer_pack(answer, answers, room);
    answer_come_down(answer, answers, forest, tree, stride);
}

/* J is known; what goes up is the forces on the coordinates. */
void answer_find_axes(Answer *answer, Answers *answers, const Forest *forest, const Articulated *tree, int count,
                      const int link[], const int k[], const double J[])
{
    AnswerSide side[2] = {{.link = link[0]}, {.link = count == 2 ? link[1] : -1}};
    const int links[2] = {side[0].link, side[1].link};
    int *path = answers->paths + answers->path_count;
    *answer = (Answer){.count = 1, .grove = {-1, -1}, .path = path};
    int stride = answer_begin(answer, forest, links);
    answer->J = answers->numbers + answers->number_count;
    for (int i = 0; i < count; i++) {
        answers->links[link[i]].tau[k[i]] += J[i];
        path[answer->path_count] = forest->first[link[i]] + k[i];
        answer->J[answer->path_count++] = J[i];
    }
    answer_pack(answer, answers, 0);
    while (side[0].link >= 0 || side[1].link >= 0) {
        if (side[0].link == side[1].link)
            side_take(&side[1], &side[0], 1);
        side_go_up(&side[side[0].link > side[1].link ? 0 : 1], answers, tree, 1);
    }
    answer_come_down(answer, answers, forest, tree, stride);
}
