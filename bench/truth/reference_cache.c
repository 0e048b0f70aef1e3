/* SPDX-License-Identifier: MIT */
#include "bench/truth/reference_cache.h"

#include "bench/files/cache_folder.h"
#include "bench/files/write_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Changes with the layout of a file. */
static const char CACHE_MAGIC[8] = "rigorT3";

typedef struct CacheHeader {
    char magic[sizeof CACHE_MAGIC];
    int bodies, joints, frames, end, has_forces, unused;
    long long state_size;
} CacheHeader;

static bool truth_path(char path[CACHE_PATH], const char key[SHA256_TEXT])
{
    return cache_keeps_own() && cache_path(path, key, "truth");
}

/* A file whose parts are hashed as they pass. */
typedef struct CacheStream {
    FILE *file;
    Sha256 hash;
    bool ok;
} CacheStream;

static void stream_read(CacheStream *stream, void *data, size_t size)
{
    stream->ok = stream->ok && fread(data, 1, size, stream->file) == size;
    if (stream->ok)
        sha256_add(&stream->hash, data, size);
}

static void stream_write(CacheStream *stream, const void *data, size_t size)
{
    stream->ok = stream->ok && fwrite(data, 1, size, stream->file) == size;
    sha256_add(&stream->hash, data, size);
}

static void stream_begin(CacheStream *stream, FILE *file, const char *key)
{
    *stream = (CacheStream){file, sha256_begin(), true};
    sha256_add_text(&stream->hash, key);
}

static bool cache_read_arrays(CacheStream *stream, ReferencePath *path)
{
    size_t frames = (size_t)path->frames;
    char expected[SHA256_TEXT], found[SHA256_TEXT] = "";
    stream_read(stream, path->poses, sizeof *path->poses * frames * (size_t)path->bodies);
    stream_read(stream, path->forces, sizeof *path->forces * frames * (size_t)path->joints);
    stream_read(stream, path->errors, sizeof *path->errors * frames);
    stream_read(stream, path->state, path->state_size);
    sha256_text(&stream->hash, expected);
    return stream->ok && fread(found, 1, SHA256_TEXT, stream->file) == SHA256_TEXT &&
           memcmp(found, expected, SHA256_TEXT) == 0;
}

/* Beyond this no motion goes: m, N. */
static const double MOST = 1e30;

static bool vec3_fits(Vec3 v)
{
    return fabs(v.x) <= MOST && fabs(v.y) <= MOST && fabs(v.z) <= MOST; /* not so for NaN */
}

static bool quat_fits(Quat q)
{
    return fabs(q.w) <= 2.0 && fabs(q.x) <= 2.0 && fabs(q.y) <= 2.0 && fabs(q.z) <= 2.0;
}

/* The hash says that the file is whole, not who made it. */
static bool path_fits(const ReferencePath *path)
{
    size_t frames = (size_t)path->frames, poses = frames * (size_t)path->bodies, forces = frames * (size_t)path->joints;
    bool ok = true;
    for (size_t i = 0; ok && i < poses; i++)
        ok = vec3_fits(path->poses[i].x) && quat_fits(path->poses[i].q);
    for (size_t i = 0; ok && i < forces; i++)
        ok = vec3_fits(path->forces[i]);
    for (size_t i = 0; ok && i < frames; i++)
        ok = path->errors[i] >= (i > 0 ? path->errors[i - 1] : 0.0) && path->errors[i] <= MOST;
    return ok;
}

/* What the header promises must be there, before memory is taken for it. */
static bool cache_size_fits(FILE *file, const CacheHeader *header)
{
    struct stat facts;
    if (header->bodies < 1 || header->joints < 0 || header->frames < 1 || header->state_size < 0 ||
        fstat(fileno(file), &facts) != 0)
        return false;
    double frame = sizeof(Pose) * (double)header->bodies + sizeof(Vec3) * (double)header->joints + sizeof(double);
    return (double)facts.st_size ==
           (double)sizeof *header + header->frames * frame + (double)header->state_size + SHA256_TEXT;
}

bool reference_cache_read(const char key[SHA256_TEXT], ReferencePath *path)
{
    char name[CACHE_PATH];
    FILE *file = truth_path(name, key) ? cache_open(name) : NULL;
    CacheStream stream;
    CacheHeader header = {0};
    if (!file)
        return false;
    stream_begin(&stream, file, key);
    stream_read(&stream, &header, sizeof header);
    bool ok = stream.ok && memcmp(header.magic, CACHE_MAGIC, sizeof CACHE_MAGIC) == 0 &&
              cache_size_fits(file, &header) &&
              reference_path_allocate(path, header.bodies, header.joints, header.frames);
    if (ok) {
        path->frames = header.frames;
        path->state_size = (size_t)header.state_size;
        path->state = malloc(path->state_size + 1);
        path->end = (PathEnd)header.end;
        path->has_forces = header.has_forces != 0;
        ok = path->state && cache_read_arrays(&stream, path) && header.end >= 0 && header.end < PATH_ENDS &&
             path_fits(path);
        if (!ok)
            reference_path_free(path);
    }
    fclose(file);
    return ok;
}

void reference_cache_write(const char key[SHA256_TEXT], const ReferencePath *path)
{
    char name[CACHE_PATH], hash[SHA256_TEXT];
    FileWriter writer;
    Status ignored; /* what is not kept is computed again */
    if (!truth_path(name, key) || !cache_create(&writer, name))
        return;
    CacheStream stream;
    CacheHeader header = {.bodies = path->bodies,
                          .joints = path->joints,
                          .frames = path->frames,
                          .end = path->end,
                          .has_forces = path->has_forces,
                          .state_size = (long long)path->state_size};
    size_t frames = (size_t)path->frames;
    memcpy(header.magic, CACHE_MAGIC, sizeof CACHE_MAGIC);
    stream_begin(&stream, writer.file, key);
    stream_write(&stream, &header, sizeof header);
    stream_write(&stream, path->poses, sizeof *path->poses * frames * (size_t)path->bodies);
    stream_write(&stream, path->forces, sizeof *path->forces * frames * (size_t)path->joints);
    stream_write(&stream, path->errors, sizeof *path->errors * frames);
    stream_write(&stream, path->state, path->state_size);
    sha256_text(&stream.hash, hash);
    stream_write(&stream, hash, SHA256_TEXT);
    writer_close(&writer, stream.ok, &ignored);
}

void reference_cache_forget(const char key[SHA256_TEXT])
{
    char name[CACHE_PATH];
    if (truth_path(name, key))
        unlink(name);
}
