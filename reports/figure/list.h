/* SPDX-License-Identifier: MIT */
/* The figures there are: one file each in the folder of figures ($RIGOR_FIGURES, else the program's own). */
#ifndef RIGOR_REPORTS_FIGURE_LIST_H
#define RIGOR_REPORTS_FIGURE_LIST_H

#include "bench/files/folder.h"
#include "scenes/file/file.h"

/* The folder, written into what is given or not. */
const char *figures_folder(char folder[FOLDER_TEXT]);

/* Of all the files there, this one is no figure: it says in which order they are shown (reports/figure/contents.h). */
static const char CONTENTS_FILE[] = "contents.json";

/* Their names in alphabetical order; a new array, NULL with a message. */
json_t *figures_names(Status *status);

/* Fails unless files may be named after it: nothing in such a name leaves the folder or is an option, and what is added
 * to it (numbers, endings) still makes a name that every file system takes. */
enum { FILE_NAME_MOST = 100 };
bool node_file_name(Node node, const char *name);

/* The path of a figure by its name, or of a file if it is a path (has a '/' or ends in .json); to be freed. */
char *figure_path(const char *name, Status *status);

#endif
