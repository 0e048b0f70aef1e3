/* The joints of each body, for walks over the graph of bodies and joints. */
#ifndef RIGOR_SOLVERS_TREE_JOINT_LISTS_H
#define RIGOR_SOLVERS_TREE_JOINT_LISTS_H

#include "model/world.h"

/* list[start[b] .. start[b + 1]) are the joints of body b, in order of creation. */
typedef struct JointLists {
    int *start, *list;
} JointLists;

/* False when out of memory; free copes with zeroed and half-built ones. */
bool joint_lists_init(JointLists *lists, const World *world);
void joint_lists_free(JointLists *lists);

/* Two, or four for a volume. */
int joint_body_count(const Joint *joint);

#endif
