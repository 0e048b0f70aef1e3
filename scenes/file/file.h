/* SPDX-License-Identifier: MIT */
/* Scene files (docs/reference/scene_files.md): what their reader and writer share. Each part of the format (materials,
 * shapes, bodies, joints) is read and written in one file, side by side, so that the two cannot drift apart.
 *
 * A Node is a value of the JSON document together with its place, so that an error can name it: `bodies[3].mass`.
 * Every node_* reader returns false with a message if the value is wrong, and leaves its target alone (the default
 * stands) if the value is not in the file. */
#ifndef RIGOR_SCENES_FILE_FILE_H
#define RIGOR_SCENES_FILE_FILE_H

#include "scenes/scene.h"

#include <jansson.h>

/* Text that grows; `failed` once memory ran out. Begins as all zero. */
typedef struct Text {
    char *data;
    size_t length, capacity;
    bool failed;
} Text;

void text_add(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A number with as many digits as it takes to read back to the same bits. */
void text_add_real(Text *text, double x);

/* A JSON value on one line. */
void text_add_json(Text *text, const json_t *value);

typedef struct Reader {
    const char *path; /* of the scene file */
    Problem *problem;
    World *world;
    json_t *materials, *bodies, *joints,
        *couplings; /* name -> index: hashed, so that large scenes read in linear time */
    Text notes;
    Status *status;
} Reader;

typedef struct Node {
    Reader *reader;
    const struct Node *parent; /* must outlive this node */
    const char *key;           /* in its parent; NULL: index counts, or it is the root */
    size_t index;
    json_t *value; /* borrowed; NULL: not in the file */
} Node;

Node node_get(const Node *object, const char *key);
Node node_at(const Node *array, size_t index);

/* Sets the status to `file: place: what`, returns false. */
bool node_fail(Node node, const char *format, ...) __attribute__((format(printf, 2, 3)));

bool node_wrong_type(Node node, const char *wanted);
bool node_required(Node node);
/* An object with no other keys than these (NULL-terminated). */
bool node_object(Node node, const char *const keys[]);
/* Fails where the document is plainly of another kind. */
typedef enum DocumentKind { DOCUMENT_FIGURE, DOCUMENT_EXPERIMENT, DOCUMENT_SCENE, DOCUMENT_KINDS } DocumentKind;
bool node_document(Node root, DocumentKind wanted);
bool node_array(Node node);
/* An array of exactly so many. */
bool node_array_of(Node node, size_t count);

bool node_real(Node node, double *value);
bool node_at_least(Node node, double least, double *value);
bool node_positive(Node node, double *value);
bool node_bool(Node node, bool *value);
bool node_vec3(Node node, Vec3 *value);
/* A vector that has a direction; its length does not matter, and is kept. */
bool node_direction(Node node, Vec3 *value);
bool node_quat(Node node, Quat *value);
/* A text that is not empty and has no control characters; borrowed. */
bool node_text(Node node, const char **value);
/* One of the names (NULL-terminated). */
bool node_choice(Node node, const char *const names[], int *value);

/* Fails if the text has a control character, which no name or label needs, or more than so many bytes. */
enum { TEXT_BYTES = 4096 };
bool node_printable(Node node, const char *text);

/* At most NAME_MOST characters, none of them a control character. */
enum { NAME_MOST = 256 };
bool node_name(Node node, const char *name);

/* Gives a name its index; fails if it is taken, or no name. */
bool node_define(Node node, json_t *names, const char *name, int index);
/* The index of a name that must have been defined; `what` says what it names. */
bool node_lookup(Node node, json_t *names, const char *what, int *index);

/* The JSON document of a file; NULL with the place of a syntax error. */
json_t *file_parse(const char *path, Status *status);
/* The problem of a document; the path is what messages and relative names of meshes begin with. */
Problem *file_read_document(json_t *document, const char *path, Status *status);
/* The key `rigor`: the version of the format. */
bool file_read_version(const Node *root);
bool file_read_materials(const Node *root);
bool file_read_bodies(const Node *root);
bool file_read_joints(const Node *root);
/* The shape, and its mesh if it has one: the caller's to destroy. */
bool file_read_shape(Node shape, Shape *value, Mesh **mesh);
/* The same of an object that has other keys, too. */
bool file_read_kind(Node object, Shape *value, Mesh **mesh);
/* `shapes`: a list, the caller's to free by file_free_shapes, also where it fails. */
bool file_read_shapes(Node shapes, BodyDef *def);
void file_free_shapes(BodyDef *def);
/* A group or a mask: a whole number of 32 bits. */
bool file_read_bits(Node node, uint32_t *bits);

/* The law of a joint or axis, and whether the file gives one; a ball's starts by a turn. */
bool file_read_law(const Node *object, bool ball, JointLaw *law, bool *given);
/* `axes` of a series; names that the file does not give are made in `names`. */
bool file_read_series(const Node *joint, SeriesAxis axes[SERIES_MAX_AXES], char names[SERIES_MAX_AXES][16], int *count);
bool file_read_coupling(const Node *node, const char *name);
/* [least, most] */
bool file_read_range(Node node, double range[2]);

/* The writers add to an object; false: out of memory, or something that no file can say. */
bool file_write_materials(json_t *root, const World *world);
bool file_write_bodies(json_t *root, const World *world);
bool file_write_joints(json_t *root, const World *world);
bool file_write_law(json_t *object, const JointLaw *law);
bool file_write_series(json_t *object, const JointDef *def);
json_t *file_write_coupling(const World *world, const JointCoupling *coupling);
json_t *file_write_range(const double range[2]);
bool file_write_shape(json_t *body, const World *world, int index);
bool file_write_kind(json_t *object, const Shape *shape, const Vec3 *hull_points);
bool file_write_shapes(json_t *body, const World *world, int index);
bool file_write_pose(json_t *object, const Pose *pose);
bool file_write_bits(json_t *object, const char *key, uint32_t bits);
json_t *file_write_vec3(Vec3 a);
json_t *file_patch_radius(double radius); /* NaN: "auto" */

/* Puts a value that is the object's from now on; false if the value is NULL or memory ran out. */
static inline bool file_put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

/* The same for a part that is filled afterwards; NULL if it failed, which every later put reports too. */
static inline json_t *file_put_part(json_t *object, const char *key, json_t *part)
{
    return file_put(object, key, part) ? part : NULL;
}

/* In the order of ShapeKind, from SHAPE_SPHERE on; NULL-terminated. */
extern const char *const file_shape_names[];

/* In the order of Conserved's bits; NULL-terminated. */
extern const char *const conserved_names[];

/* Is the problem passive if its file does not say? Nothing drives, and no body has a force of its own. */
bool file_default_passive(const World *world);

/* The document as text for people: what fits stands on one line. NULL when out of memory. */
char *file_print(const json_t *root);

#endif
