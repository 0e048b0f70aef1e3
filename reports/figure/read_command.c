/* SPDX-License-Identifier: MIT */
#include "reports/figure/read_command.h"

#include "bench/files/write_file.h"
#include "bench/process/fork.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What such a command may be told: nothing that names a file to be written, nor code to be loaded. Every other option,
 * also one that comes tomorrow, is refused. */
static const OptionSet READING =
    TAKES(OPTION_PARAM) | TAKES(OPTION_SOLVER_OPTION) | TAKES(OPTION_DT) | TAKES(OPTION_TIME) | TAKES(OPTION_DETECT) |
    TAKES(OPTION_ORDER) | TAKES(OPTION_PERTURB) | TAKES(OPTION_TRUTH) | TAKES(OPTION_JSON) | TAKES(OPTION_STATE) |
    TAKES(OPTION_REPEATS) | TAKES(OPTION_MAX_MEMORY) | TAKES(OPTION_ROW_SOLVES_LIMIT) | TAKES(OPTION_SOLVERS) |
    TAKES(OPTION_OVER) | TAKES(OPTION_METRIC) | TAKES(OPTION_AGAINST) | TAKES(OPTION_UNTIL) | TAKES(OPTION_TOLERANCE) |
    TAKES(OPTION_BY) | TAKES(OPTION_JOBS) | TAKES(OPTION_RUN_TIME_LIMIT) | TAKES(OPTION_AT) | TAKES(OPTION_FROM) |
    TAKES(OPTION_WARM) | TAKES(OPTION_HISTORY) | TAKES(OPTION_WHERE) | TAKES(OPTION_PROBLEM) |
    TAKES(OPTION_EQUAL_WORK) | TAKES(OPTION_SOLVER) | TAKES(OPTION_SEED) | TAKES(OPTION_BUDGET) |
    TAKES(OPTION_MASS_MATRIX);

bool command_words(char *text, char *words[COMMAND_WORDS], int *count, Status *status)
{
    bool json = false;
    *count = 0;
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        if (*count + 2 >= COMMAND_WORDS)
            return status_set(status, STATUS_BAD_FILE, "more than %d words", COMMAND_WORDS);
        json = json || strcmp(word, "--json") == 0;
        words[(*count)++] = word;
    }
    if (*count > 0 && strcmp(words[0], "rigor") == 0)
        memmove(words, words + 1, sizeof *words * (size_t)-- * count);
    if (!json)
        words[(*count)++] = "--json";
    words[*count] = NULL;
    return *count > 1 || status_set(status, STATUS_BAD_FILE, "names no command");
}

static bool options_only_read(const Arguments *arguments, Status *status)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (arguments->given[i] && !(READING & TAKES(i)))
            return status_set(
                status, STATUS_BAD_FILE,
                "a command in a figure's file writes no files and loads no plug-ins or engines: those are named on "
                "the command line of rigor report");
    return true;
}

const Command *reading_command(Arguments *arguments, char **words, int count, Status *status)
{
    *arguments = (Arguments){0};
    const Command *command = command_find(words[0], status);
    if (command && !command->only_reads) {
        status_set(status, STATUS_BAD_FILE, "a figure's file cannot run 'rigor %s'", command->name);
        return NULL;
    }
    bool ok =
        command && arguments_read(arguments, command, count, words, status) && options_only_read(arguments, status);
    return ok ? command : NULL;
}

/* In the child, its standard output in the file. */
static int command_in_child(const Command *command, const Arguments *arguments, FileWriter *writer)
{
    Status status = {0};
    bool ok = dup2(fileno(writer->file), STDOUT_FILENO) >= 0 && command->run(arguments, &status) && fflush(stdout) == 0;
    if (!ok)
        fprintf(stderr, "rigor %s: %s\n", command->name, status.message);
    return ok ? STATUS_OK : STATUS_FAILED;
}

bool command_print(const Command *command, const Arguments *arguments, const char *path, Status *status)
{
    FileWriter writer;
    if (!writer_open(&writer, path, status))
        return false;
    pid_t child = fork_child(SIGTERM);
    if (child == 0)
        _exit(command_in_child(command, arguments, &writer));
    int end = fork_await(child);
    bool made = child > 0 && WIFEXITED(end) && WEXITSTATUS(end) == 0;
    bool closed = writer_close(&writer, made, status);
    return made ? closed : status_set(status, STATUS_FAILED, "the command failed");
}
