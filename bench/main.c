#include "bench/build.h"
#include "bench/cli/cli.h"
#include "bench/crash.h"

#include <cblas.h>
#include <stdio.h>
#include <string.h>

static void print_commands(FILE *file)
{
    fprintf(file, "usage: rigor COMMAND ...\n\n");
    for (int i = 0; i < command_count; i++)
        fprintf(file, "  %-10s %s\n", all_commands[i]->name, all_commands[i]->summary);
    fprintf(file, "\nrigor COMMAND --help tells more; rigor --version what this is.\n");
}

/* A message about a file begins with the file's place, so that editors find it. */
static int report(const Status *status, const char *command)
{
    fflush(stdout);
    if (status->code != STATUS_BAD_FILE)
        fprintf(stderr, "rigor%s%s: ", command ? " " : "", command ? command : "");
    fprintf(stderr, "%s\n", status->message);
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

int main(int argc, char **argv)
{
    crash_watch();
    openblas_set_num_threads(1); /* results must not depend on the number of threads */
    Status status = {0};
    if (argc < 2) {
        print_commands(stderr);
        return STATUS_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_commands(stdout);
        return STATUS_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("rigor %s (%s, %s, %s)\n", build_version(), build_commit(), build_compiler(), build_blas());
        return STATUS_OK;
    }
    const Command *command = command_find(argv[1], &status);
    if (!command)
        return report(&status, NULL);
    return command_execute(command, argc - 1, argv + 1, &status) ? STATUS_OK : report(&status, command->name);
}
