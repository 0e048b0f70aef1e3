/* SPDX-License-Identifier: MIT */
/* The viewer page's parts (reports/page), as built or else as installed: viewer.html, viewer.css, viewer.js. */
#ifndef RIGOR_REPORTS_RECORDING_PAGE_PART_H
#define RIGOR_REPORTS_RECORDING_PAGE_PART_H

#include "model/status.h"

/* To be freed; NULL with a message that says what the page needs to be built. */
char *page_part_read(const char *name, Status *status);

#endif
