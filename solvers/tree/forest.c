/* SPDX-License-Identifier: MIT */
#include "solvers/tree/forest.h"

bool forest_init(Forest *forest, const World *world)
{
    size_t bodies = (size_t)world->body_count;
    Arrays *own = &forest->arrays;
    *forest = (Forest){0};
    return OWN_ARRAY(own, forest->grove, bodies) && OWN_ARRAY(own, forest->first, bodies) &&
           OWN_ARRAY(own, forest->depth, bodies) && OWN_ARRAY(own, forest->links, bodies) &&
           OWN_ARRAY(own, forest->group, bodies) && OWN_ARRAY(own, forest->link_from, bodies + 1) &&
           OWN_ARRAY(own, forest->coordinate_from, bodies + 1);
}

void forest_free(Forest *forest)
{
    arrays_free(&forest->arrays);
}

int forest_link_of_joint(const Articulated *tree, int joint)
{
    for (int i = 0; i < tree->link_count && joint >= 0; i++)
        if (tree->links[i].joint == joint)
            return i;
    return -1;
}

/* Parents come before children: the root of a group is its first link. */
static void forest_group(Forest *forest, const Articulated *tree, const World *world)
{
    for (int i = 0; i < tree->link_count; i++) {
        forest->group[i] = i;
        if (tree->links[i].parent >= 0)
            forest_join(forest->group, i, tree->links[i].parent);
    }
    for (int j = 0; j < world->joint_count; j++) {
        const int *body = world->joints[j].def.body;
        int one = tree->link_of_body[body[0]], other = tree->link_of_body[body[1]];
        if (tree->cut[j] && one >= 0 && other >= 0)
            forest_join(forest->group, one, other);
    }
    for (int c = 0; c < world->coupling_count; c++) {
        int one = forest_link_of_joint(tree, world->couplings[c].of[0].joint);
        int other = forest_link_of_joint(tree, world->couplings[c].of[1].joint);
        if (one >= 0 && other >= 0)
            forest_join(forest->group, one, other);
    }
}

void forest_connect(Forest *forest, const Articulated *tree, const World *world)
{
    int *count = forest->link_from;
    forest_group(forest, tree, world);
    forest->grove_count = 0;
    for (int i = 0; i < tree->link_count; i++) {
        int root = forest_root(forest->group, i);
        forest->grove[i] = root == i ? forest->grove_count++ : forest->grove[root];
        if (root == i)
            count[forest->grove[i]] = 0;
        count[forest->grove[i]]++;
    }
    for (int g = 0, sum = 0; g <= forest->grove_count; g++) {
        int links = g < forest->grove_count ? count[g] : 0;
        forest->link_from[g] = sum;
        sum += links;
    }
    for (int i = 0; i < tree->link_count; i++)
        forest->links[forest->link_from[forest->grove[i]]++] = i;
    for (int g = forest->grove_count; g > 0; g--)
        forest->link_from[g] = forest->link_from[g - 1];
    forest->link_from[0] = 0;
    int next = 0;
    for (int g = 0; g < forest->grove_count; g++) {
        forest->coordinate_from[g] = next;
        for (int k = forest->link_from[g]; k < forest->link_from[g + 1]; k++) {
            int i = forest->links[k], parent = tree->links[i].parent;
            forest->first[i] = next;
            forest->depth[i] = tree->links[i].dofs + (parent >= 0 ? forest->depth[parent] : 0);
            next += tree->links[i].dofs;
        }
    }
    forest->coordinate_from[forest->grove_count] = next;
}
