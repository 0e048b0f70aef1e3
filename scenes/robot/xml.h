/* SPDX-License-Identifier: MIT */
/* XML as a tree of elements, each with the file, line and column where it begins: expat's events, kept. Text between
 * elements is not: no robot file has any that counts. What a stranger's file could do to a parser is refused here: a
 * DOCTYPE (and so every entity of the file's own), deep trees, large files, bytes that are not UTF-8. */
#ifndef RIGOR_SCENES_ROBOT_XML_H
#define RIGOR_SCENES_ROBOT_XML_H

#include "model/math3.h"
#include "model/status.h"

enum { XML_DEPTH = 512, XML_FILES = 256 };
static const size_t XML_BYTES = (size_t)64 << 20; /* of all files of a model together */

typedef struct XmlAttribute {
    const char *name, *value;
} XmlAttribute;

typedef struct XmlNode XmlNode;
struct XmlNode {
    struct XmlTree *tree;
    const char *file; /* as opened */
    int line, column; /* from 1 */
    const char *name;
    int attribute_count;
    XmlAttribute *attributes;
    XmlNode *parent, *first, *last, *next;
};

/* A file that is being read, and those that include it. */
typedef struct XmlOpened {
    unsigned long long device, inode;
    const struct XmlOpened *by;
} XmlOpened;

typedef struct XmlTree {
    const char *path; /* of the main file: what it names lies in its folder or below */
    XmlNode *root;
    size_t bytes; /* of all files so far */
    int files;
    struct XmlBlock *blocks; /* the memory of all nodes and texts */
    Status *status;
} XmlTree;

/* Reads the main file; false with `file:line:column: what`. The tree is to be freed in either case. */
bool xml_read(XmlTree *tree, const char *path, Status *status);
void xml_free(XmlTree *tree);

/* Replaces each <include file="..."/> by what stands inside the root of that file, again and again. */
bool xml_include(XmlTree *tree);

/* Zeroed memory that lives as long as the tree; NULL with a message. */
void *xml_alloc(XmlTree *tree, size_t size);
const char *xml_text(XmlTree *tree, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets the status to `file:line:column: <element>: what`, returns false. */
bool xml_fail(const XmlNode *node, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The value of an attribute; NULL: the element has none. */
const char *xml_get(const XmlNode *node, const char *name);
/* The first child of this name; NULL: there is none. */
XmlNode *xml_child(const XmlNode *node, const char *name);
bool xml_is(const XmlNode *node, const char *name);

/* Readers of values: `text` is the attribute's, NULL: it is not there, and the target keeps what it has. They return
 * false with a message that names the attribute. */

/* Between `least` and `most` numbers, in the C locale; *count may be NULL. */
bool xml_numbers(const XmlNode *node, const char *name, const char *text, int least, int most, double *values,
                 int *count);
bool xml_real(const XmlNode *node, const char *name, const char *text, double *value);
bool xml_vec3(const XmlNode *node, const char *name, const char *text, Vec3 *value);
bool xml_whole(const XmlNode *node, const char *name, const char *text, double least, double most, double *value);
/* "true" or "false". */
bool xml_bool(const XmlNode *node, const char *name, const char *text, bool *value);
/* One of the words (NULL-terminated). */
bool xml_choice(const XmlNode *node, const char *name, const char *text, const char *const words[], int *value);
/* A direction: its length does not matter, but it has one. */
bool xml_axis(const XmlNode *node, const char *name, const char *text, Vec3 *value);

/* Opens a file that the model names, under a folder; -1 with a message at the node. `beside` is a file in that folder.
 */
int xml_open(const XmlNode *node, const char *attribute, const char *beside, const char *name);

#endif
