/* The figures there are: one file each in the folder of figures ($RIGOR_FIGURES, else the program's own). */
#ifndef RIGOR_REPORTS_FIGURE_LIST_H
#define RIGOR_REPORTS_FIGURE_LIST_H

#include "bench/folder.h"
#include "model/status.h"

#include <jansson.h>

/* The folder, written into what is given or not. */
const char *figures_folder(char folder[FOLDER_TEXT]);

/* Of all the files there, this one is no figure: it says in which order they are shown (reports/contents.h). */
static const char CONTENTS_FILE[] = "contents.json";

/* Their names in alphabetical order; a new array, NULL with a message. */
json_t *figures_names(Status *status);

/* The path of a figure by its name, or of a file if it is a path (has a '/' or ends in .json); to be freed. */
char *figure_path(const char *name, Status *status);

#endif
