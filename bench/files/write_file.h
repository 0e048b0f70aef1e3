/* SPDX-License-Identifier: MIT */
/* The one way of writing files: into a part file beside the target, forced to the disk, renamed when complete. A
 * reader finds the old file or the whole new one, never half of one. The new file has the old one's mode and owner; a
 * symbolic link is followed to its target, and one that leads nowhere is refused. Part files go when the program is
 * interrupted (SIGINT, SIGTERM, SIGHUP). */
#ifndef RIGOR_BENCH_FILES_WRITE_FILE_H
#define RIGOR_BENCH_FILES_WRITE_FILE_H

#include "model/status.h"

#include <stdio.h>
#include <sys/types.h>

enum { WRITE_PATH = 4096 };

typedef struct FileWriter {
    char path[WRITE_PATH]; /* where it goes: what a symbolic link points to */
    char part[WRITE_PATH]; /* where it is until then */
    FILE *file;            /* NULL: the writer opens the part by its name */
    int slot;              /* among the parts that a signal removes; -1: none */
    bool follows;          /* symbolic links; and takes over the mode and owner of what it replaces */
} FileWriter;

/* Makes the part file, empty. False with a message: nothing is left behind. */
bool writer_open(FileWriter *writer, const char *path, Status *status);

/* The same, but a symbolic link is replaced, not followed: for folders that others may write to. */
bool writer_open_unlinked(FileWriter *writer, const char *path, Status *status);

/* The same without a stream: a library writes to `part` and closes it before writer_close. */
bool writer_reserve(FileWriter *writer, const char *path, Status *status);

/* `complete`: puts the file in its place, or fails with a message; else takes the part away and returns false. A writer
 * that was never opened may be closed. */
bool writer_close(FileWriter *writer, bool complete, Status *status);

/* A folder in which another program works, with files of these names (NULL-terminated; they outlive it): PATH with six
 * letters behind it. The files go with it, also when this program is interrupted. */
typedef struct WorkFolder {
    char path[WRITE_PATH];
    const char *const *files;
    int slot;
} WorkFolder;
bool work_folder_make(WorkFolder *folder, const char *path, const char *const *files, Status *status);
void work_folder_remove(WorkFolder *folder);

/* The program that writes a part, or in such a folder: a signal ends it first. 0: it has ended. */
void parts_written_by(pid_t program);

/* For the program: from now on parts go when it is interrupted or ends. A host program keeps its handlers, and parts
 * that its interruption leaves. */
void parts_watch(void);

/* Takes away every part and folder of this process, from a signal's handler. */
void parts_remove(void);

/* A whole text. */
bool file_write_text(const char *path, const char *text, Status *status);

/* What a file is known by, so that a slip of the pen does not cost somebody's data. */
typedef enum FileKind { FILE_HDF5, FILE_SERIES, FILE_PAGE, FILE_MOTION, FILE_PICTURE, FILE_ROWS, FILE_SCENE } FileKind;

/* May a file of this kind be written to `path`? Never over one of the inputs; over a file of another kind only with
 * `force`; and only over a regular file. To be asked before work begins. */
bool file_may_be_written(const char *path, FileKind kind, bool force, char *const *inputs, int input_count,
                         Status *status);

#endif
