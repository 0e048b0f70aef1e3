/* SPDX-License-Identifier: MIT */
/* Copies of definitions: what a world owns. */
#include "model/joint.h"

#include <stdlib.h>
#include <string.h>

/* A copy of `size` bytes; NULL of nothing, and when out of memory. */
static void *copy_of(const void *from, size_t size)
{
    void *copy = from && size > 0 ? malloc(size) : NULL;
    if (copy)
        memcpy(copy, from, size);
    return copy;
}

static char *copy_name(const char *name)
{
    return copy_of(name ? name : "", name ? strlen(name) + 1 : 1);
}

bool joint_def_copy(JointDef *copy, const JointDef *def)
{
    size_t axes = (size_t)def->axis_count;
    SeriesAxis *own = copy_of(def->axes, axes * sizeof *own);
    *copy = *def;
    copy->name = copy_name(def->name);
    copy->law = copy_of(def->law, sizeof *def->law);
    copy->axes = own;
    bool ok = copy->name && (copy->law || !def->law) && (own || axes == 0);
    copy->axis_count = own ? def->axis_count : 0;
    for (int i = 0; i < copy->axis_count; i++)
        own[i].name = copy_name(def->axes[i].name);
    for (int i = 0; i < copy->axis_count; i++)
        ok = ok && own[i].name;
    return ok;
}

void joint_def_free(JointDef *copy)
{
    for (int i = 0; i < copy->axis_count; i++)
        free((char *)copy->axes[i].name);
    free((SeriesAxis *)copy->axes);
    free((JointLaw *)copy->law);
    free((char *)copy->name);
}
