/* SPDX-License-Identifier: MIT */
/* Where the program's own files lie. A program in the build folder takes them from the source and from the build; any
 * other looks for them relative to itself, so that an installed tree works wherever it is moved. */
#ifndef RIGOR_BENCH_FILES_FOLDER_H
#define RIGOR_BENCH_FILES_FOLDER_H

typedef enum Folder {
    FOLDER_REPORTS,   /* figures, palette */
    FOLDER_PAGE,      /* the viewer's parts */
    FOLDER_BRIDGES,   /* to engines that are libraries */
    FOLDER_SCRIPTS,   /* bridges for Node, with their packages */
    FOLDER_ORIGINALS, /* their recorded motions */
    FOLDER_DATA,      /* what was measured, which does not come with the program */
    FOLDER_PROGRAM,   /* the program itself */
    FOLDER_COUNT
} Folder;

enum { FOLDER_TEXT = 4096 };

/* The path of a file there. Returns it; empty if it would be too long. */
const char *folder_path(Folder folder, const char *name, char path[FOLDER_TEXT]);

#endif
