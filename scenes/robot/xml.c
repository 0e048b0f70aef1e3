/* SPDX-License-Identifier: MIT */
#include "scenes/robot/xml.h"

#include "scenes/file/input.h"

#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Memory in pieces: a tree of many small texts is freed at once. */
typedef struct XmlBlock {
    struct XmlBlock *next;
    size_t used, size;
    _Alignas(16) unsigned char bytes[];
} XmlBlock;

static const size_t BLOCK_BYTES = (size_t)1 << 14;

void *xml_alloc(XmlTree *tree, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    XmlBlock *block = tree->blocks;
    if (!block || block->size - block->used < size) {
        size_t room = size > BLOCK_BYTES ? size : BLOCK_BYTES;
        block = calloc(1, sizeof *block + room);
        if (!block) {
            status_set(tree->status, STATUS_FAILED, "%s: out of memory", tree->path);
            return NULL;
        }
        block->size = room;
        block->next = tree->blocks;
        tree->blocks = block;
    }
    void *at = block->bytes + block->used;
    block->used += size;
    return at;
}

const char *xml_text(XmlTree *tree, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = length >= 0 ? xml_alloc(tree, (size_t)length + 1) : NULL;
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    return text;
}

void xml_free(XmlTree *tree)
{
    while (tree->blocks) {
        XmlBlock *next = tree->blocks->next;
        free(tree->blocks);
        tree->blocks = next;
    }
    tree->root = NULL;
}

typedef struct XmlParse {
    XmlTree *tree;
    XML_Parser parser;
    const char *file;
    XmlNode *root, *at; /* `at`: the element that is open */
    int depth;
    bool failed;
} XmlParse;

/* At the event that expat is at. */
static void parse_fail(XmlParse *parse, const char *what)
{
    if (!parse->failed)
        status_set(parse->tree->status, STATUS_BAD_FILE, "%s:%lu:%lu: %s", parse->file,
                   (unsigned long)XML_GetCurrentLineNumber(parse->parser),
                   (unsigned long)XML_GetCurrentColumnNumber(parse->parser) + 1, what);
    parse->failed = true;
    XML_StopParser(parse->parser, XML_FALSE);
}

static bool parse_attributes(XmlParse *parse, XmlNode *node, const char **pairs)
{
    while (pairs[2 * node->attribute_count])
        node->attribute_count++;
    node->attributes = xml_alloc(parse->tree, sizeof *node->attributes * (size_t)(node->attribute_count + 1));
    for (int i = 0; node->attributes && i < node->attribute_count; i++) {
        node->attributes[i].name = xml_text(parse->tree, "%s", pairs[2 * i]);
        node->attributes[i].value = xml_text(parse->tree, "%s", pairs[2 * i + 1]);
        if (!node->attributes[i].name || !node->attributes[i].value)
            return false;
    }
    return node->attributes;
}

static void node_append(XmlNode *parent, XmlNode *node)
{
    node->parent = parent;
    if (parent->last)
        parent->last->next = node;
    else
        parent->first = node;
    parent->last = node;
}

static void parse_begin(void *data, const char *name, const char **attributes)
{
    XmlParse *parse = data;
    if (parse->failed)
        return;
    if (++parse->depth > XML_DEPTH) {
        parse_fail(parse, "elements stand in each other to a depth of more than 512");
        return;
    }
    XmlNode *node = xml_alloc(parse->tree, sizeof *node);
    if (node) {
        *node = (XmlNode){.tree = parse->tree,
                          .file = parse->file,
                          .line = (int)XML_GetCurrentLineNumber(parse->parser),
                          .column = (int)XML_GetCurrentColumnNumber(parse->parser) + 1,
                          .name = xml_text(parse->tree, "%s", name)};
        if (parse->at)
            node_append(parse->at, node);
        else
            parse->root = node;
    }
    if (!node || !node->name || !parse_attributes(parse, node, attributes)) {
        parse->failed = true; /* the message is set */
        XML_StopParser(parse->parser, XML_FALSE);
        return;
    }
    parse->at = node;
}

static void parse_end(void *data, const char *name)
{
    XmlParse *parse = data;
    (void)name;
    parse->depth--;
    if (parse->at)
        parse->at = parse->at->parent;
}

static void parse_doctype(void *data, const char *name, const char *system_id, const char *public_id, int internal)
{
    (void)name;
    (void)system_id;
    (void)public_id;
    (void)internal;
    parse_fail(data, "a DOCTYPE is refused: robot files need none");
}

/* The root of a text; `depth` elements stand around it already. */
static XmlNode *parse_text(XmlTree *tree, const char *file, const char *text, size_t size, int depth)
{
    XmlParse parse = {.tree = tree, .file = file, .depth = depth, .parser = XML_ParserCreate("UTF-8")};
    if (!parse.parser) {
        status_set(tree->status, STATUS_FAILED, "%s: out of memory", file);
        return NULL;
    }
    XML_SetUserData(parse.parser, &parse);
    XML_SetElementHandler(parse.parser, parse_begin, parse_end);
    XML_SetStartDoctypeDeclHandler(parse.parser, parse_doctype);
    if (XML_Parse(parse.parser, text, (int)size, 1) != XML_STATUS_OK && !parse.failed)
        parse_fail(&parse, XML_ErrorString(XML_GetErrorCode(parse.parser)));
    XML_ParserFree(parse.parser);
    return parse.failed ? NULL : parse.root;
}

/* A text that counts towards the bound of all files. */
static bool tree_count(XmlTree *tree, const char *file, size_t size)
{
    tree->bytes += size;
    tree->files++;
    return (tree->bytes <= XML_BYTES || status_set(tree->status, STATUS_BAD_FILE,
                                                   "%s:1:1: the model's files have more "
                                                   "than %zu MB together",
                                                   file, XML_BYTES >> 20)) &&
           (tree->files <= XML_FILES ||
            status_set(tree->status, STATUS_BAD_FILE, "%s:1:1: the model has more than %d files", file, XML_FILES));
}

bool xml_read(XmlTree *tree, const char *path, Status *status)
{
    size_t size = 0;
    *tree = (XmlTree){.path = path, .status = status};
    char *text = input_read(path, XML_BYTES, &size, status);
    if (text && tree_count(tree, path, size))
        tree->root = parse_text(tree, path, text, size, 0);
    free(text);
    return tree->root;
}

static bool include_children(XmlNode *node, int depth, const XmlOpened *opened);

/* What lies inside the included root, its own includes replaced. */
static XmlNode *include_file(XmlNode *node, int depth, const XmlOpened *by)
{
    XmlTree *tree = node->tree;
    struct stat facts;
    const char *name = xml_get(node, "file");
    if (!name || node->attribute_count != 1 || node->first) {
        xml_fail(node, "an include has the attribute file, and nothing else");
        return NULL;
    }
    int fd = xml_open(node, "file", tree->path, name);
    if (fd < 0)
        return NULL;
    XmlOpened opened = {.by = by};
    bool ok = fstat(fd, &facts) == 0;
    opened.device = ok ? (unsigned long long)facts.st_dev : 0;
    opened.inode = ok ? (unsigned long long)facts.st_ino : 0;
    for (const XmlOpened *above = by; ok && above; above = above->by)
        if (above->device == opened.device && above->inode == opened.inode)
            ok = xml_fail(node, "the include \"%s\" leads back to a file that is being read", name);
    size_t size = 0;
    const char *slash = strrchr(tree->path, '/');
    const char *path = xml_text(tree, "%.*s%s", slash ? (int)(slash - tree->path) + 1 : 0, tree->path, name);
    char *text = ok && path ? input_read_open(fd, path, XML_BYTES, &size, tree->status) : NULL;
    close(fd);
    XmlNode *root = text && tree_count(tree, path, size) ? parse_text(tree, path, text, size, depth) : NULL;
    free(text);
    return root && include_children(root, depth, &opened) ? root : NULL;
}

static bool include_children(XmlNode *node, int depth, const XmlOpened *opened)
{
    XmlNode *child = node->first;
    node->first = node->last = NULL;
    for (XmlNode *next; child; child = next) {
        next = child->next;
        child->next = NULL;
        if (!xml_is(child, "include")) {
            node_append(node, child);
            if (!include_children(child, depth + 1, opened))
                return false;
            continue;
        }
        XmlNode *root = include_file(child, depth, opened);
        if (!root)
            return false;
        for (XmlNode *inner = root->first, *after; inner; inner = after) {
            after = inner->next;
            inner->next = NULL;
            node_append(node, inner);
        }
    }
    return true;
}

bool xml_include(XmlTree *tree)
{
    struct stat facts;
    XmlOpened opened = {0};
    if (stat(tree->path, &facts) == 0)
        opened = (XmlOpened){(unsigned long long)facts.st_dev, (unsigned long long)facts.st_ino, NULL};
    return include_children(tree->root, 1, &opened);
}
