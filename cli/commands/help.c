/* SPDX-License-Identifier: MIT */
/* rigor help, rigor version. */
#include "bench/build.h"
#include "bench/process/confine.h"
#include "bench/text/wrap.h"
#include "cli/hints.h"

#include <stdio.h>

/* A name in a column of so many places, and what it means, folded beside it. */
static void print_entry(FILE *file, int width, const char *name, const char *meaning)
{
    int used = fprintf(file, "  %-*s", width, name);
    if (used > 2 + width)
        used += fprintf(file, " ");
    fold_print(file, meaning, used, 2 + width);
}

void commands_print(FILE *file)
{
    fprintf(file, "usage: rigor COMMAND ...\n\n");
    for (int i = 0; i < command_count; i++)
        print_entry(file, 11, all_commands[i]->name, all_commands[i]->summary);
    fprintf(file, "\nrigor help COMMAND tells more.\n");
}

void command_print_help(const Command *command)
{
    printf("usage: rigor %s%s%s [options]\n\n", command->name, command->operands[0] ? " " : "", command->operands);
    fold_print(stdout, command->summary, 0, 0);
    if (command->help) {
        printf("\n");
        fold_print(stdout, command->help, 0, 0);
    }
    printf("\noptions:\n");
    for (int i = 0; i < OPTION_COUNT; i++) {
        const OptionInfo *option = &all_options[i];
        if (!command_takes(command, i))
            continue;
        char name[48], letter[8] = "";
        if (option->letter)
            snprintf(letter, sizeof letter, "-%c, ", option->letter);
        snprintf(name, sizeof name, "%s--%s %s", letter, option->name, option->argument ? option->argument : "");
        print_entry(stdout, 25, name, command_option_help(command, i));
    }
}

static bool help_command(const Arguments *arguments, Status *status)
{
    if (arguments->operand_count == 0) {
        commands_print(stdout);
        return true;
    }
    const Command *command = command_find(arguments->operands[0], status);
    if (command)
        command_print_help(command);
    else
        hint_elsewhere(&arguments->solvers, arguments->operands[0], status);
    return command != NULL;
}

const Command command_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .summary = "what a command does, and its options",
    .least_operands = 0,
    .most_operands = 1,
    .only_reads = true,
    .run = help_command,
};

static bool version_command(const Arguments *arguments, Status *status)
{
    (void)arguments;
    (void)status;
    fold_line(stdout, "rigor %s (%s, %s, %s)", build_version(), build_commit(), build_compiler(), build_blas());
    fold_line(
        stdout,
        "Licence: source MIT; this binary GPL-3.0-or-later, as it links GSL (`rigor list engines`: engines' own).");
    fold_line(stdout, "Recordings, problems and stores are read by a process that is kept from all else by %s.",
              confine_how());
    return true;
}

const Command command_version = {
    .name = "version",
    .operands = "",
    .summary = "which rigor this is, and what it was built with",
    .least_operands = 0,
    .most_operands = 0,
    .only_reads = true,
    .run = version_command,
};
