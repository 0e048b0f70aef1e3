/* SPDX-License-Identifier: MIT */
/* What the report was made on and with. */
#include "bench/build.h"
#include "reports/draw/typeset.h"
#include "reports/html/html.h"

#include <gsl/gsl_version.h>
#include <hdf5.h>
#include <lapacke.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

void html_write_fact(Text *page, const char *name, const char *value)
{
    text_add(page, "<tr><th scope=\"row\">%s</th><td>", name);
    html_escape(page, value);
    text_add(page, "</td></tr>\n");
}

static void processor_name(char *text, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(text, size, "unknown");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':')) {
            snprintf(text, size, "%s", strchr(line, ':') + 2);
            text[strcspn(text, "\n")] = '\0';
            break;
        }
    if (file)
        fclose(file);
}

static void gnuplot_version(char *text, size_t size)
{
    FILE *pipe = popen("gnuplot --version 2>/dev/null", "r");
    snprintf(text, size, "not there");
    if (pipe && fgets(text, (int)size, pipe))
        text[strcspn(text, "\n")] = '\0';
    if (pipe)
        pclose(pipe);
}

void html_write_machine(Text *page)
{
    char text[300], name[200];
    struct utsname system;
    unsigned major = 0, minor = 0, release = 0;
    int lapack[3] = {0};
    processor_name(name, sizeof name);
    snprintf(text, sizeof text, "%s, %ld cores", name, sysconf(_SC_NPROCESSORS_ONLN));
    html_write_fact(page, "Processor", text);
    if (uname(&system) == 0) {
        snprintf(text, sizeof text, "%.60s %.60s, %.60s", system.sysname, system.release, system.machine);
        html_write_fact(page, "System", text);
    }
    html_write_fact(page, "Compiler", build_compiler());
    html_write_fact(page, "OpenBLAS", build_blas());
    LAPACKE_ilaver(&lapack[0], &lapack[1], &lapack[2]);
    snprintf(text, sizeof text, "%d.%d.%d", lapack[0], lapack[1], lapack[2]);
    html_write_fact(page, "LAPACK", text);
    html_write_fact(page, "GSL", gsl_version);
    html_write_fact(page, "SQLite", sqlite3_libversion());
    H5get_libversion(&major, &minor, &release);
    snprintf(text, sizeof text, "%u.%u.%u", major, minor, release);
    html_write_fact(page, "HDF5", text);
    gnuplot_version(text, sizeof text);
    html_write_fact(page, "gnuplot", text);
}
