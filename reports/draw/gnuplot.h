/* SPDX-License-Identifier: MIT */
/* gnuplot, as a child that can do no harm: the script holds no text that gnuplot would run, and should one get through
 * after all, the child can write nowhere but into its folder and start no other program (Landlock, where the system has
 * it), reads no settings of the user, and has bounds of time and size. */
#ifndef RIGOR_REPORTS_DRAW_GNUPLOT_H
#define RIGOR_REPORTS_DRAW_GNUPLOT_H

#include "model/status.h"

/* The script's name in the folder. */
#define GNUPLOT_SCRIPT "figure.gp"

/* Runs the folder's script in the folder. */
bool gnuplot_run(const char *folder, Status *status);

/* Does the system keep the child in its folder? */
bool gnuplot_is_confined(void);

#endif
