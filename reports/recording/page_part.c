/* SPDX-License-Identifier: MIT */
#include "reports/recording/page_part.h"

#include "bench/files/folder.h"
#include "bench/files/text_file.h"

char *page_part_read(const char *name, Status *status)
{
    char path[FOLDER_TEXT];
    char *text = text_file_read(folder_path(FOLDER_PAGE, name, path));
    if (text)
        return text;
    status_set(status, STATUS_FAILED,
               "the viewer page was not built: it needs Node with npm, clang, lld and wasi-libc. `make deps` installs "
               "them; then `meson setup --reconfigure` and `ninja`, with a network the first time");
    return NULL;
}
