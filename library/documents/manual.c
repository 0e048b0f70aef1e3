/* SPDX-License-Identifier: MIT */
/* Manual pages: rigor(1) names the commands, rigor-COMMAND(1) is the text of `rigor help COMMAND`. */
#include "bench/build.h"
#include "cli/cli.h"
#include "library/documents/documents.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Escaped for roff: a backslash, a minus that must stay one, and a dot or quote that begins a line. */
static void put_text(FILE *file, const char *text)
{
    for (bool begins = true; *text; begins = *text++ == '\n') {
        if (begins && (*text == '.' || *text == '\''))
            fputs("\\&", file);
        if (*text == '\\')
            fputs("\\e", file);
        else if (*text == '-')
            fputs("\\-", file);
        else
            fputc(*text, file);
    }
}

static void put_title(FILE *file, const char *name)
{
    fputs(".TH \"", file);
    for (const char *c = name; *c; c++)
        fputc(toupper((unsigned char)*c), file);
    fprintf(file, "\" \"1\" \"\" \"rigor %s\" \"rigor\"\n.SH NAME\n", build_version());
    put_text(file, name);
}

/* Lines that begin with blanks are shown as they stand; others are filled. */
static void put_paragraphs(FILE *file, const char *text)
{
    bool literal = false;
    while (*text) {
        size_t length = strcspn(text, "\n");
        char line[512];
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        bool indented = line[0] == ' ';
        if (indented != literal)
            fputs(indented ? ".nf\n" : ".fi\n", file);
        literal = indented;
        if (length == 0)
            fputs(".PP", file);
        put_text(file, line);
        fputc('\n', file);
        text += length + (text[length] == '\n');
    }
    fputs(literal ? ".fi\n" : "", file);
}

static void put_options(FILE *file, const Command *command)
{
    fputs(".SH OPTIONS\n", file);
    for (int i = 0; i < OPTION_COUNT; i++) {
        const OptionInfo *option = &all_options[i];
        if (!command_takes(command, i))
            continue;
        fputs(".TP\n", file);
        if (option->letter)
            fprintf(file, "\\fB\\-%c\\fR, ", option->letter);
        fputs("\\fB\\-\\-", file);
        put_text(file, option->name);
        fputs("\\fR", file);
        if (option->argument) {
            fputs(" \\fI", file);
            put_text(file, option->argument);
            fputs("\\fR", file);
        }
        fputc('\n', file);
        put_text(file, command_option_help(command, i));
        fputc('\n', file);
    }
}

static const char EXIT_STATUS[] = ".SH EXIT STATUS\n0 done (a blow\\-up is a result, not a failure); 2 wrong usage; 3 "
                                  "a bad file; 4 this solver cannot "
                                  "run this scene; 1 anything else.\n";

static const char LICENCE[] =
    ".SH LICENCE\nThe source is MIT. The built program links GSL and so is GPL\\-3.0\\-or\\-later. "
    "\\fBrigor list engines\\fR names those of engines.\n";

static void put_command(FILE *file, const Command *command)
{
    char name[64];
    snprintf(name, sizeof name, "rigor-%s", command->name);
    put_title(file, name);
    fputs(" \\- ", file);
    put_text(file, command->summary);
    fprintf(file, "\n.SH SYNOPSIS\n\\fBrigor %s\\fR ", command->name);
    put_text(file, command->operands);
    fputs(" [\\fIoptions\\fR]\n.SH DESCRIPTION\n", file);
    put_paragraphs(file, command->help ? command->help : command->summary);
    put_options(file, command);
    fputs(EXIT_STATUS, file);
    fputs(".SH SEE ALSO\n\\fBrigor\\fR(1)\n", file);
}

static void put_program(FILE *file)
{
    put_title(file, "rigor");
    fputs(" \\- compares rigid\\-body constraint solvers on one model under one harness\n.SH SYNOPSIS\n\\fBrigor\\fR "
          "\\fICOMMAND\\fR ...\n.SH COMMANDS\n",
          file);
    for (int i = 0; i < command_count; i++) {
        fprintf(file, ".TP\n\\fBrigor\\-%s\\fR(1)\n", all_commands[i]->name);
        put_text(file, all_commands[i]->summary);
        fputc('\n', file);
    }
    fputs(".SH SCENES\n", file);
    for (int i = 0; i < scene_count; i++) {
        fprintf(file, ".TP\n\\fB%s\\fR\n", all_scenes[i]->name);
        put_text(file, all_scenes[i]->question);
        fputc('\n', file);
    }
    fputs(".SH SOLVERS\n", file);
    for (int i = 0; i < solver_count; i++) {
        fprintf(file, ".TP\n\\fB%s\\fR\n", all_solvers[i]->name);
        put_text(file, all_solvers[i]->summary);
        fputc('\n', file);
    }
    fputs(
        "Variants and engines: \\fBrigor list solvers\\fR.\n.SH ENVIRONMENT\n.TP\n\\fBRIGOR_CACHE\\fR\nwhere motions "
        "of "
        "the reference solver are kept (default ~/.cache/rigor; empty: nowhere); files of other users there are passed "
        "over\n.TP\n\\fBRIGOR_CACHE_TRUST\\fR\nfolder: anybody who can write there is "
        "believed\n.TP\n\\fBRIGOR_FIGURES\\fR, \\fBRIGOR_CLAIMS\\fR, "
        "\\fBRIGOR_ENGINES\\fR\nfolders of figures, of the ledger of claims and of bridges to engines, in place of "
        "the program's own\n",
        file);
    fputs(EXIT_STATUS, file);
    fputs(LICENCE, file);
}

static bool page_write(const char *folder, const Command *command)
{
    char path[1024];
    if (command)
        snprintf(path, sizeof path, "%s/rigor-%s.1", folder, command->name);
    else
        snprintf(path, sizeof path, "%s/rigor.1", folder);
    FILE *file = fopen(path, "w");
    if (file && command)
        put_command(file, command);
    else if (file)
        put_program(file);
    bool ok = file && !ferror(file);
    ok = file && fclose(file) == 0 && ok;
    if (!ok)
        perror(path);
    return ok;
}

bool manual_write(const char *folder)
{
    bool ok = page_write(folder, NULL);
    for (int i = 0; ok && i < command_count; i++)
        ok = page_write(folder, all_commands[i]);
    return ok;
}
