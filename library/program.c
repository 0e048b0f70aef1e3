/* SPDX-License-Identifier: MIT */
/* The program `rigor`: finds the command and runs it. */
#include "bench/files/write_file.h"
#include "bench/process/blas.h"
#include "bench/process/crash.h"
#include "bench/text/wrap.h"
#include "cli/hints.h"
#include "library/internal.h"

#include <stdio.h>
#include <string.h>

/* A message about a file begins with the file's place, so that editors find it. */
static int report(const Status *status, const char *command)
{
    fflush(stdout);
    int used = 0;
    if (status->code != STATUS_BAD_FILE)
        used = fprintf(stderr, "rigor%s%s: ", command ? " " : "", command ? command : "");
    fold_print(stderr, status->message, used, 2);
    return status->code;
}

static bool command_execute(const Command *command, int argc, char **argv, Status *status)
{
    Arguments arguments;
    bool ok = arguments_parse(&arguments, command, argc, argv, status);
    if (ok && arguments.given[OPTION_HELP])
        command_print_help(command);
    else if (ok)
        ok = command->run(&arguments, status);
    arguments_clear(&arguments);
    if (ok && (fflush(stdout) != 0 || ferror(stdout)))
        return status_set(status, STATUS_FAILED, "standard output cannot be written");
    return ok;
}

/* Options that are commands everywhere else. */
static const char *command_name(const char *typed)
{
    bool help = strcmp(typed, "--help") == 0 || strcmp(typed, "-h") == 0;
    return help ? "help" : strcmp(typed, "--version") == 0 ? "version" : typed;
}

int rigor_main(int argc, char **argv)
{
    LIBRARY_CALL;
    crash_watch();
    parts_watch();
    libraries_settle();
    Status status = {0};
    if (argc < 2) {
        commands_print(stderr);
        return STATUS_USAGE;
    }
    const Command *command = command_find(command_name(argv[1]), &status);
    if (!command) {
        hint_unknown_command(argc, argv, &status);
        return report(&status, NULL);
    }
    return command_execute(command, argc - 1, argv + 1, &status) ? STATUS_OK : report(&status, command->name);
}
