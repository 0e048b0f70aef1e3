/* SPDX-License-Identifier: MIT */
#include "model/joint/graph.h"

#include <stdlib.h>

bool joint_lists_init(JointLists *lists, const World *world)
{
    size_t ends = 0, bodies = (size_t)world->body_count;
    *lists = (JointLists){.start = calloc(bodies + 2, sizeof *lists->start)};
    if (!lists->start)
        return false;
    for (int j = 0; j < world->joint_count; j++)
        for (int k = 0; k < joint_body_count(&world->joints[j].def); k++, ends++)
            lists->start[world->joints[j].def.body[k] + 2]++;
    lists->list = calloc(ends + 1, sizeof *lists->list);
    if (!lists->list)
        return false;
    for (size_t b = 2; b < bodies + 2; b++)
        lists->start[b] += lists->start[b - 1];
    /* Entry b + 1 walks from the start of body b's joints to their end, which is the start of the next body's. */
    for (int j = 0; j < world->joint_count; j++)
        for (int k = 0; k < joint_body_count(&world->joints[j].def); k++)
            lists->list[lists->start[world->joints[j].def.body[k] + 1]++] = j;
    return true;
}

void joint_lists_free(JointLists *lists)
{
    free(lists->start);
    free(lists->list);
}
