/* SPDX-License-Identifier: MIT */
/* Writes what is installed for a reader of the command line: manual pages, and completion for bash and zsh. All of it
 * is made from the lists and texts that the program itself prints. documents man FOLDER        rigor.1 and
 * rigor-COMMAND.1 for every command documents bash|zsh          on standard output */
#include "library/documents/documents.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "man") == 0)
        return manual_write(argv[2]) ? 0 : 1;
    if (argc == 2 && strcmp(argv[1], "bash") == 0)
        completion_print_bash();
    else if (argc == 2 && strcmp(argv[1], "zsh") == 0)
        completion_print_zsh();
    else
        return 2;
    return ferror(stdout) ? 1 : 0;
}
