/* SPDX-License-Identifier: MIT */
/* Classes of defaults. A class takes over what its parent says, attribute by attribute; an element asks its own class,
 * or the nearest childclass around it, or main. */
#include "scenes/robot/mjcf/mjcf.h"

#include "model/suggest.h"

#include <string.h>

static int find_class(const Mjcf *mjcf, const char *name)
{
    for (int i = 0; i < mjcf->classes.count; i++)
        if (strcmp(mjcf->classes.items[i].name, name) == 0)
            return i;
    return -1;
}

static bool class_missing(const Mjcf *mjcf, const XmlNode *node, const char *name)
{
    char nearest[SUGGESTION_TEXT];
    Suggestion near = suggestion_for(name);
    for (int i = 0; i < mjcf->classes.count; i++)
        suggestion_offer(&near, mjcf->classes.items[i].name);
    return xml_fail(node, "there is no default class \"%.64s\"%s", name, suggestion_text(&near, nearest));
}

static bool add_class(Mjcf *mjcf, const char *name, int parent)
{
    MjcfClass *class = MJCF_ADD(mjcf, classes);
    if (class)
        *class = (MjcfClass){.name = name, .parent = parent};
    return class;
}

/* The outermost blocks are main's, however many files have one. */
static bool read_block(Mjcf *mjcf, const XmlNode *node, int parent)
{
    const char *name = xml_get(node, "class");
    int class = 0;
    if (parent < 0 && name)
        mjcf->classes.items[0].name = name;
    if (parent >= 0) {
        if (!name || !*name)
            return xml_fail(node, "a default inside another needs a class");
        if (find_class(mjcf, name) >= 0)
            return xml_fail(node, "the class \"%.64s\" is taken", name);
        class = mjcf->classes.count;
        if (!add_class(mjcf, name, parent))
            return false;
    }
    MjcfClass *of = &mjcf->classes.items[class];
    if (of->block_count == XML_FILES)
        return xml_fail(node, "more than %d blocks of one class", XML_FILES);
    of->blocks[of->block_count++] = node;
    for (const XmlNode *child = node->first; child; child = child->next)
        if (xml_is(child, "default") && !read_block(mjcf, child, class))
            return false;
    return true;
}

bool mjcf_read_classes(Mjcf *mjcf)
{
    if (!add_class(mjcf, "main", -1))
        return false;
    for (const XmlNode *child = mjcf->root->first; child; child = child->next)
        if (xml_is(child, "default") && !read_block(mjcf, child, -1))
            return false;
    return true;
}

bool mjcf_class_of(const Mjcf *mjcf, const XmlNode *node, const MjcfPlace *place, int *class)
{
    const char *name = xml_get(node, "class");
    *class = name ? find_class(mjcf, name) : place && place->childclass >= 0 ? place->childclass : 0;
    return *class >= 0 || class_missing(mjcf, node, name);
}

bool mjcf_childclass(const Mjcf *mjcf, const XmlNode *node, MjcfPlace *place)
{
    const char *name = xml_get(node, "childclass");
    if (name)
        place->childclass = find_class(mjcf, name);
    return !name || place->childclass >= 0 || class_missing(mjcf, node, name);
}

const char *mjcf_default(const Mjcf *mjcf, int class, const char *kind, const char *name)
{
    for (; class >= 0; class = mjcf->classes.items[class].parent) {
        const MjcfClass *of = &mjcf->classes.items[class];
        for (int b = of->block_count - 1; b >= 0; b--) {
            const char *found = NULL;
            for (const XmlNode *child = of->blocks[b]->first; child; child = child->next)
                if (xml_is(child, kind) && xml_get(child, name))
                    found = xml_get(child, name);
            if (found)
                return found;
        }
    }
    return NULL;
}

const char *mjcf_get(const Mjcf *mjcf, const XmlNode *node, int class, const char *kind, const char *name)
{
    const char *own = xml_get(node, name);
    return own || class < 0 ? own : mjcf_default(mjcf, class, kind, name);
}
