/* SPDX-License-Identifier: MIT */
#include "bench/run/recording.h"

#include "bench/files/write_file.h"
#include "bench/process/clock.h"
#include "bench/run/child.h"
#include "bench/run/json.h"
#include "model/contact.h"
#include "model/energy.h"

#include <errno.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Frames in a chunk: as many as make CHUNK_BYTES of positions. Small scenes, whose frames take microseconds, then have
 * long chunks that compress well; in large ones a kill costs few frames. */
enum { CHUNK_BYTES = 1 << 16, CHUNK_LEAST_FRAMES = 8, CHUNK_MOST_FRAMES = 256 };

/* Contacts are appended in chunks of this many. */
enum { CONTACT_CHUNK = 1024 };

/* 1 .. 9: more gains little on doubles and costs much time. */
enum { DEFLATE_LEVEL = 4 };

/* A dataset that grows along its first dimension, and what is not yet written of it. */
typedef struct Column {
    hid_t dataset, type;
    int rank;
    hsize_t shape[3]; /* the first: rows written */
    size_t row_bytes;
    unsigned char *rows; /* waiting; owned */
    hsize_t waiting, capacity;
} Column;

enum { TIME, POSITION, ORIENTATION, VELOCITY, ANGULAR_VELOCITY, JOINT_FORCE, JOINT_TORQUE, JOINT_ERROR, STATE_COLUMNS };
enum { CONTACT_POINT, CONTACT_NORMAL, CONTACT_IMPULSE, CONTACT_COLUMNS };

/* A copy is made when it would take no more than this part of the time since the last one. */
static const double PUBLISHING_PART = 0.1;

struct Recording {
    const Run *run;
    char *path;
    FileWriter writer;            /* of the part that HDF5 writes to */
    hid_t file;                   /* the part; 0: not yet created */
    bool replaces;                /* a file is there, which stays until this one is whole */
    double published, publishing; /* s: when the copy was made, and how long that took */
    hsize_t chunk_frames;
    Column state[STATE_COLUMNS];
    Column metrics[METRICS_MAX]; /* dataset 0: does not apply to this scene */
    Column contact_offset, contacts[CONTACT_COLUMNS];
    long long contact_count; /* so far */
};

/* A dataset of doubles or 64-bit integers, chunked, shuffled and deflated. Missing numbers are NaN. */
static bool column_create(Column *column, hid_t file, const char *name, hid_t type, int rank, const hsize_t *shape,
                          hsize_t chunk_rows)
{
    static const double NONE = NAN;
    *column = (Column){.type = type, .rank = rank, .row_bytes = 8};
    hsize_t most[3], chunk[3];
    for (int i = 0; i < rank; i++) {
        column->shape[i] = most[i] = chunk[i] = i == 0 ? 0 : shape[i - 1];
        column->row_bytes *= i == 0 ? 1 : shape[i - 1];
        if (chunk[i] == 0)
            chunk[i] = 1; /* no bodies: a chunk cannot be empty */
    }
    most[0] = H5S_UNLIMITED;
    chunk[0] = chunk_rows;
    column->capacity = chunk_rows;
    column->rows = malloc(column->row_bytes * chunk_rows + 1);
    hid_t space = H5Screate_simple(rank, column->shape, most), plan = H5Pcreate(H5P_DATASET_CREATE);
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    bool ok = column->rows && H5Pset_create_intermediate_group(links, 1) >= 0 && H5Pset_chunk(plan, rank, chunk) >= 0 &&
              H5Pset_shuffle(plan) >= 0 && H5Pset_deflate(plan, DEFLATE_LEVEL) >= 0 &&
              (type != H5T_NATIVE_DOUBLE || H5Pset_fill_value(plan, type, &NONE) >= 0);
    if (ok)
        column->dataset = H5Dcreate2(file, name, type, space, links, plan, H5P_DEFAULT);
    H5Pclose(links);
    H5Pclose(plan);
    H5Sclose(space);
    return ok && column->dataset > 0;
}

static bool column_flush(Column *column)
{
    if (column->dataset <= 0 || column->waiting == 0)
        return true;
    hsize_t start[3] = {column->shape[0]}, count[3];
    memcpy(count, column->shape, sizeof count);
    count[0] = column->waiting;
    column->shape[0] += column->waiting;
    column->waiting = 0;
    bool ok = H5Dset_extent(column->dataset, column->shape) >= 0;
    hid_t memory = H5Screate_simple(column->rank, count, NULL), target = H5Dget_space(column->dataset);
    ok = ok && H5Sselect_hyperslab(target, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
         H5Dwrite(column->dataset, column->type, memory, target, H5P_DEFAULT, column->rows) >= 0;
    H5Sclose(memory);
    H5Sclose(target);
    return ok;
}

/* The place of a new row; NULL if there is none. */
static void *column_add(Column *column)
{
    if (column->waiting == column->capacity && !column_flush(column))
        return NULL;
    return column->rows + column->row_bytes * column->waiting++;
}

static void column_close(Column *column)
{
    if (column->dataset > 0)
        H5Dclose(column->dataset);
    free(column->rows);
}

/* A variable-length string: h5py reads it as str, and it may be longer than the 64 kB that an attribute holds itself.
 */
static bool write_text(hid_t file, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    bool ok = text && H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
    if (ok && H5Aexists(file, name) > 0)
        ok = H5Adelete(file, name) >= 0;
    hid_t attribute = ok ? H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT) : -1;
    ok = attribute >= 0 && H5Awrite(attribute, type, &text) >= 0;
    if (attribute >= 0)
        H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    return ok;
}

/* Releases the document. */
static bool write_document(hid_t file, const char *name, json_t *document)
{
    char *text = json_dumps(document, JSON_REAL_PRECISION(17));
    bool ok = write_text(file, name, text);
    free(text);
    json_decref(document);
    return ok;
}

static bool write_texts(hid_t file, const char *name, const char *const *texts, hsize_t count)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &count, NULL);
    bool ok = H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
    hid_t dataset = ok ? H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT) : -1;
    ok = dataset >= 0 && (count == 0 || H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) >= 0);
    if (dataset >= 0)
        H5Dclose(dataset);
    H5Sclose(space);
    H5Tclose(type);
    return ok;
}

static bool write_names(hid_t file, const World *world)
{
    const char **names = malloc(sizeof *names * (size_t)(world->body_count + world->joint_count));
    const char **joints = names + world->body_count;
    bool ok = names != NULL;
    for (int i = 1; ok && i < world->body_count; i++)
        names[i - 1] = world->bodies[i].name;
    for (int j = 0; ok && j < world->joint_count; j++)
        joints[j] = world->joints[j].def.name;
    ok = ok && write_texts(file, "body_names", names, (hsize_t)world->body_count - 1) &&
         write_texts(file, "joint_names", joints, (hsize_t)world->joint_count);
    free(names);
    return ok;
}

static bool create_columns(Recording *recording, const Problem *problem)
{
    static const struct {
        const char *name;
        int rank, width;
        bool of_joints;
    } STATE[STATE_COLUMNS] = {
        {"time", 1, 1},
        {"position", 3, 3},
        {"orientation", 3, 4},
        {"velocity", 3, 3},
        {"angular_velocity", 3, 3},
        {"joints/force", 3, 3, true},
        {"joints/torque", 3, 3, true},
        {"joints/error", 3, 2, true},
    };
    static const char *const CONTACTS[CONTACT_COLUMNS] = {"contacts/point", "contacts/normal", "contacts/impulse"};
    hsize_t bodies = (hsize_t)problem->world->body_count - 1, joints = (hsize_t)problem->world->joint_count;
    hsize_t chunk = recording->chunk_frames, three = 3;
    bool ok = true;
    for (int i = 0; ok && i < STATE_COLUMNS; i++)
        ok = column_create(&recording->state[i], recording->file, STATE[i].name, H5T_NATIVE_DOUBLE, STATE[i].rank,
                           (hsize_t[]){STATE[i].of_joints ? joints : bodies, (hsize_t)STATE[i].width}, chunk);
    for (int i = 0; ok && i < metric_count; i++) {
        char name[96];
        snprintf(name, sizeof name, "metrics/%s", all_metrics[i]->name);
        ok = !all_metrics[i]->applies(problem) ||
             column_create(&recording->metrics[i], recording->file, name, H5T_NATIVE_DOUBLE, 1, NULL, chunk);
    }
    ok = ok && column_create(&recording->contact_offset, recording->file, "contacts/offset", H5T_NATIVE_INT64, 1, NULL,
                             chunk);
    for (int i = 0; ok && i < CONTACT_COLUMNS; i++)
        ok = column_create(&recording->contacts[i], recording->file, CONTACTS[i], H5T_NATIVE_DOUBLE, 2, &three,
                           CONTACT_CHUNK);
    return ok;
}

/* HDF5 changes a file in many places at each flush, so that a kill could leave it torn; a rename is one step. */
static bool copy_file(const char *from, const char *to)
{
    enum { PIECE = 1 << 16 };
    char piece[PIECE];
    FileWriter writer;
    Status ignored; /* errno says the same */
    FILE *source = fopen(from, "rb");
    bool ok = source && writer_open(&writer, to, &ignored);
    size_t size;
    while (ok && (size = fread(piece, 1, PIECE, source)) > 0 && fwrite(piece, 1, size, writer.file) == size)
        continue;
    ok = ok && writer_close(&writer, feof(source) && !ferror(source), &ignored);
    if (source)
        fclose(source);
    return ok;
}

static bool recording_publish(Recording *recording)
{
    double begin = clock_now();
    if (recording->replaces)
        return true;
    if (begin - recording->published < recording->publishing / PUBLISHING_PART)
        return true;
    bool ok = H5Fflush(recording->file, H5F_SCOPE_GLOBAL) >= 0 && copy_file(recording->writer.part, recording->path);
    recording->published = clock_now();
    recording->publishing = recording->published - begin;
    return ok;
}

/* The document of a run that is not finished. */
static json_t *unfinished_document(const Run *run)
{
    json_t *document = json_request(run);
    json_object_set_new(document, "status", json_string("unfinished"));
    return document;
}

static bool recording_fail(const Recording *recording, Status *status)
{
    return status_set(status, STATUS_FAILED, "%s: the recording cannot be written: %s", recording->path,
                      errno ? strerror(errno) : "HDF5 refuses");
}

static bool recording_create(Recording *recording, const Problem *problem, Status *status)
{
    H5dont_atexit(); /* after a full disk the library would try again as the program ends, and crash */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* messages are made here, not printed by the library */
    if (!writer_reserve(&recording->writer, recording->path, status))
        return false;
    recording->replaces = access(recording->path, F_OK) == 0;
    errno = 0;
    hsize_t bytes = 3 * sizeof(double) * (hsize_t)problem->world->body_count, frames = CHUNK_BYTES / bytes;
    recording->chunk_frames = frames < CHUNK_LEAST_FRAMES  ? CHUNK_LEAST_FRAMES
                              : frames > CHUNK_MOST_FRAMES ? CHUNK_MOST_FRAMES
                                                           : frames;
    recording->file = H5Fcreate(recording->writer.part, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    char *scene = problem_write(problem);
    bool ok = recording->file > 0 && scene && write_text(recording->file, "scene", scene) &&
              write_document(recording->file, "run", unfinished_document(recording->run)) &&
              write_names(recording->file, problem->world) && create_columns(recording, problem);
    free(scene);
    return ok || recording_fail(recording, status);
}

static void add_state(Recording *recording, const World *world)
{
    Vec3 *position = column_add(&recording->state[POSITION]), *velocity = column_add(&recording->state[VELOCITY]);
    Vec3 *angular_velocity = column_add(&recording->state[ANGULAR_VELOCITY]);
    Quat *orientation = column_add(&recording->state[ORIENTATION]);
    for (int i = 1; i < world->body_count; i++) {
        Velocity now = world_reported_velocity(world, i);
        position[i - 1] = world_reported_position(world, i);
        orientation[i - 1] = world_reported_orientation(world, i);
        velocity[i - 1] = now.v;
        angular_velocity[i - 1] = now.w;
    }
}

static const Vec3 UNKNOWN = {NAN, NAN, NAN};

/* m, rad: how far the joint's blocks are violated at most. */
static void joint_errors(const World *world, const Joint *joint, double errors[2])
{
    errors[0] = errors[1] = 0.0;
    for (int b = joint->first_block; b < joint->first_block + joint->block_count; b++) {
        BlockUnit unit = block_unit(world->blocks[b].kind);
        if (!world->blocks[b].off && unit != UNIT_VOLUME)
            errors[unit == UNIT_ANGLE] = fmax(errors[unit == UNIT_ANGLE], block_violation(world, &world->blocks[b]));
    }
}

/* Before the first frame there is no reaction yet; some engines never tell theirs. */
static void add_joints(Recording *recording, const World *world, int frame)
{
    Vec3 *force = column_add(&recording->state[JOINT_FORCE]), *torque = column_add(&recording->state[JOINT_TORQUE]);
    double(*error)[2] = column_add(&recording->state[JOINT_ERROR]);
    bool known = frame > 0 && !(recording->run->result.traits & TRAIT_NO_JOINT_IMPULSES);
    for (int j = 0; j < world->joint_count; j++) {
        force[j] = torque[j] = UNKNOWN;
        if (known)
            world_reaction(world, j, recording->run->dt, &force[j], &torque[j]);
        joint_errors(world, &world->joints[j], error[j]);
    }
}

/* Every point that touched in the frame: where it was last, the normal there, and its impulse over the whole frame. */
static bool add_contacts(Recording *recording, const World *world)
{
    const Contacts *contacts = world->contacts;
    bool known = !(recording->run->result.traits & TRAIT_NO_CONTACT_IMPULSES);
    *(long long *)column_add(&recording->contact_offset) = recording->contact_count;
    for (size_t k = 0; k < contacts->sum_count; k++) {
        Vec3 *place[CONTACT_COLUMNS];
        for (int i = 0; i < CONTACT_COLUMNS; i++)
            if (!(place[i] = column_add(&recording->contacts[i])))
                return false;
        *place[CONTACT_POINT] = contacts->sums[k].point;
        *place[CONTACT_NORMAL] = contacts->sums[k].normal;
        *place[CONTACT_IMPULSE] = known ? contacts->sums[k].impulse : UNKNOWN;
        recording->contact_count++;
    }
    return !contacts->sums_lost;
}

static bool recording_write(Recording *recording)
{
    bool ok = column_flush(&recording->contact_offset);
    for (int i = 0; i < STATE_COLUMNS; i++)
        ok = column_flush(&recording->state[i]) && ok;
    for (int i = 0; i < metric_count; i++)
        ok = column_flush(&recording->metrics[i]) && ok;
    for (int i = 0; i < CONTACT_COLUMNS; i++)
        ok = column_flush(&recording->contacts[i]) && ok;
    return ok;
}

/* Writing follows every chunk_frames frames, so a frame's rows always have a place. */
bool recording_frame(void *context, const Problem *problem, int frame, const double *metrics, Status *status)
{
    Recording *recording = context;
    problem->world->contacts->sums_wanted = true;
    if (frame == 0 && !recording_create(recording, problem, status))
        return false;
    errno = 0;
    *(double *)column_add(&recording->state[TIME]) = frame * recording->run->dt;
    add_state(recording, problem->world);
    add_joints(recording, problem->world, frame);
    for (int i = 0; i < metric_count; i++)
        if (recording->metrics[i].dataset > 0)
            *(double *)column_add(&recording->metrics[i]) = metrics ? metrics[i] : NAN;
    bool full = recording->state[TIME].waiting == recording->chunk_frames;
    if (!add_contacts(recording, problem->world) ||
        (full && !(recording_write(recording) && recording_publish(recording))))
        return recording_fail(recording, status);
    return true;
}

/* After a failure the last copy is left, if there is one. */
bool recording_end(Recording *recording, const Run *run, bool made, Status *status)
{
    bool ok = true;
    errno = 0;
    if (made && recording->file > 0)
        ok = recording_write(recording) && write_document(recording->file, "run", json_run(run, true));
    for (int i = 0; i < STATE_COLUMNS; i++)
        column_close(&recording->state[i]);
    for (int i = 0; i < metric_count; i++)
        column_close(&recording->metrics[i]);
    for (int i = 0; i < CONTACT_COLUMNS; i++)
        column_close(&recording->contacts[i]);
    column_close(&recording->contact_offset);
    if (recording->file > 0)
        ok = H5Fclose(recording->file) >= 0 && ok;
    if (!ok)
        recording_fail(recording, status);
    ok = writer_close(&recording->writer, made && ok, status) || (!made && ok);
    free(recording->path);
    free(recording);
    return ok;
}

Recording *recording_start(const Run *run, const char *path)
{
    Recording *recording = calloc(1, sizeof *recording);
    if (recording && (recording->path = strdup(path))) {
        recording->run = run;
        return recording;
    }
    free(recording);
    return NULL;
}

static bool go_recorded(Run *run, void *path)
{
    Recording *recording = recording_start(run, path);
    RunWatch watch = {.frame = recording_frame, .context = recording};
    bool made = recording ? run_go(run, &watch) : status_set(&run->status, STATUS_FAILED, "out of memory");
    if (!recording)
        return run->made = false;
    Status *status = made ? &run->status : &(Status){0};
    run->made = recording_end(recording, run, made, status) && made;
    return run->made;
}

/* In a child: HDF5 ends its process where it finds no memory, and may do so on a full disk. */
bool run_make_recorded(Run *run, const char *path)
{
    if (!path)
        return run_make(run, NULL);
    if (!run_prepare(run))
        return false;
    bool made = run_in_child(run, go_recorded, (void *)path);
    run_settle(run);
    return made;
}
