#include "reports/page_part.h"

#include "reports/text_file.h"

#include <stdio.h>

static const char *const FOLDERS[] = {RIGOR_PAGE_BUILT, RIGOR_PAGE_INSTALLED};

char *page_part_read(const char *name, Status *status)
{
    for (size_t i = 0; i < sizeof FOLDERS / sizeof FOLDERS[0]; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", FOLDERS[i], name);
        char *text = text_file_read(path);
        if (text)
            return text;
    }
    status_set(status, STATUS_FAILED,
               "the viewer page was not built: it needs Node with npm, clang, lld and wasi-libc. `make deps` installs "
               "them; then `meson setup --reconfigure` and `ninja`, with a network the first time");
    return NULL;
}
