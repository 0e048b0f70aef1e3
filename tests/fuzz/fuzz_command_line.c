/* SPDX-License-Identifier: MIT */
/* The command line: words split at newlines, read and not run; plug-ins are not loaded. */
#include "tests/fuzz/fuzz.h"

#include "cli/cli.h"

enum { WORDS = 40 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *words[WORDS + 1] = {0};
    int count = 0;
    for (char *word = strtok(text, "\n"); word && count < WORDS; word = strtok(NULL, "\n"))
        words[count++] = word;
    Status status = {0};
    const Command *command = count > 0 ? command_find(words[0], &status) : NULL;
    if (command) {
        Arguments arguments;
        int runs;
        if (arguments_read(&arguments, command, count, words, &status) && arguments.operand_count > 0 &&
            !arguments.given[OPTION_HELP] && !arguments.given[OPTION_PLUGIN] &&
            arguments_load_plugins(&arguments, &status))
            free(arguments_runs(&arguments, argument(&arguments, OPTION_SOLVERS), &runs, &status));
        arguments_clear(&arguments);
    }
    free(text);
    return 0;
}
