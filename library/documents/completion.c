/* SPDX-License-Identifier: MIT */
/* Completion for bash and zsh: the same tables as shell functions, then what asks for them in each shell. */
#include "cli/cli.h"
#include "library/documents/documents.h"
#include "reports/figure/list.h"

#include <stdio.h>
#include <string.h>

static void function_begin(const char *name)
{
    printf("_rigor_%s() {\n  case $1 in\n", name);
}

static void function_end(void)
{
    printf("  esac\n}\n");
}

static void print_settings_case(const char *name, const Setting *settings, int count)
{
    printf("    %s) echo '", name);
    for (int i = 0; i < count; i++)
        printf("%s%s=", i > 0 ? " " : "", settings[i].name);
    printf("' ;;\n");
}

static void print_names(const SolverSet *set)
{
    Status status = {0};
    json_t *figures = figures_names(&status), *figure;
    size_t k;
    function_begin("names");
    printf("    COMMAND) echo '");
    for (int i = 0; i < command_count; i++)
        printf("%s ", all_commands[i]->name);
    printf("' ;;\n    SCENE) echo '");
    for (int i = 0; i < scene_count; i++)
        printf("%s ", all_scenes[i]->name);
    printf("' ;;\n    SOLVER) echo '");
    for (int i = 0; i < set->count; i++)
        printf("%s ", set->solvers[i]->name);
    printf("' ;;\n    METRIC) echo '");
    for (int i = 0; i < metric_count; i++)
        printf("%s ", all_metrics[i]->name);
    printf("' ;;\n    FIGURE) echo '");
    json_array_foreach (figures, k, figure)
        printf("%s ", json_string_value(figure));
    printf("' ;;\n    NAME) echo \"$(_rigor_names SCENE) $(_rigor_names SOLVER) $(_rigor_names METRIC)\" ;;\n");
    function_end();
    json_decref(figures);
}

/* The kinds of a command's operands, one word each: SCENE, SOLVER, NAME, FIGURE, COMMAND, a/b/c of fixed words, or FILE
 * for what only a file can be. The last one is repeated. */
static void print_operands(const Command *command)
{
    printf("    %s) echo '", command->name);
    for (const char *rest = command->operands; *rest;) {
        size_t length = strcspn(rest, " ");
        char word[128];
        snprintf(word, sizeof word, "%.*s", (int)length, rest);
        rest += length + strspn(rest + length, " ");
        char *start = word + (word[0] == '[');
        bool fixed = start[0] >= 'a' && start[0] <= 'z';
        start[strcspn(start, fixed ? "]" : "].,|[")] = '\0';
        for (char *bar = strchr(start, '|'); bar; bar = strchr(bar, '|'))
            *bar = '/';
        static const char *const KNOWN[] = {"SCENE", "SOLVER", "NAME", "FIGURE", "COMMAND"};
        bool known = fixed;
        for (size_t i = 0; i < sizeof KNOWN / sizeof KNOWN[0]; i++)
            known = known || strcmp(start, KNOWN[i]) == 0;
        printf("%s ", known ? start : "FILE");
    }
    printf("' ;;\n");
}

static void print_options(const Command *command)
{
    printf("    %s) echo '", command->name);
    for (int i = 0; i < OPTION_COUNT; i++)
        if (command_takes(command, i))
            printf("--%s ", all_options[i].name);
    printf("' ;;\n");
}

/* What an option's value is: by what its help shows in place of it. */
static void print_values(void)
{
    static const struct {
        OptionId option;
        const char *kind;
    } KINDS[] = {
        {OPTION_PARAM, "PARAM"},       {OPTION_SOLVER_OPTION, "OPTION"}, {OPTION_SOLVERS, "SOLVERS"},
        {OPTION_FROM, "SOLVER"},       {OPTION_METRIC, "METRIC"},        {OPTION_OVER, "OVER"},
        {OPTION_TRUTH, "auto/none"},   {OPTION_DETECT, "substep/frame"}, {OPTION_AGAINST, "row_solves/time"},
        {OPTION_BY, "solver/options"}, {OPTION_STEP, "SCENE"},
    };
    function_begin("value");
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        const OptionInfo *option = &all_options[KINDS[i].option];
        if (option->letter)
            printf("    -%c|", option->letter);
        printf("%s--%s) echo %s ;;\n", option->letter ? "" : "    ", option->name, KINDS[i].kind);
    }
    printf("    ");
    for (int i = 0, shown = 0; i < OPTION_COUNT; i++)
        if (!all_options[i].argument)
            printf("%s--%s", shown++ > 0 ? "|" : "", all_options[i].name);
    printf("|-h) ;;\n    -*) echo FILE ;;\n");
    function_end();
}

static void print_tables(void)
{
    SolverSet set;
    Status status = {0};
    if (!solver_set_open(&set, &status))
        return;
    print_names(&set);
    function_begin("operands");
    for (int i = 0; i < command_count; i++)
        print_operands(all_commands[i]);
    function_end();
    function_begin("options");
    for (int i = 0; i < command_count; i++)
        print_options(all_commands[i]);
    function_end();
    print_values();
    function_begin("params");
    for (int i = 0; i < scene_count; i++)
        print_settings_case(all_scenes[i]->name, all_scenes[i]->settings, all_scenes[i]->setting_count);
    function_end();
    function_begin("solver_options");
    for (int i = 0; i < set.count; i++)
        print_settings_case(set.solvers[i]->name, set.solvers[i]->settings, set.solvers[i]->setting_count);
    function_end();
    solver_set_close(&set);
}

/* Words that may stand where the cursor is, given the words before it. Prints them, and FILE where a file may stand. */
static const char CANDIDATES[] =
    "# _rigor_candidates WORD...: what may follow the words of a command line (without the program's name).\n"
    "_rigor_candidates() {\n"
    "  local command=$1 previous='' kind='' position=0 scene='' solvers='' word value\n"
    "  if [ $# -eq 0 ]; then _rigor_names COMMAND; return; fi\n"
    "  shift\n"
    "  for word in \"$@\"; do\n"
    "    value=''\n"
    "    case $previous in -*) value=$(_rigor_value \"$previous\") ;; esac\n"
    "    if [ -n \"$value\" ]; then\n"
    "      [ \"$value\" = SOLVERS ] && solvers=\"$solvers $(echo \"$word\" | tr , ' ')\"\n"
    "    else\n"
    "      case $word in -*) ;; *)\n"
    "        position=$((position + 1))\n"
    "        [ $position = 1 ] && scene=$word\n"
    "        solvers=\"$solvers $word\" ;;\n"
    "      esac\n"
    "    fi\n"
    "    previous=$word\n"
    "    [ -n \"$value\" ] && previous=''\n"
    "  done\n"
    "  case $previous in -*) kind=$(_rigor_value \"$previous\") ;; esac\n"
    "  if [ -z \"$kind\" ]; then\n"
    "    kind=$(_rigor_operands \"$command\" | awk -v n=$((position + 1)) '{ print $(n > NF ? NF : n) }')\n"
    "    _rigor_options \"$command\"\n"
    "  fi\n"
    "  case $kind in\n"
    "    PARAM) _rigor_params \"$scene\" ;;\n"
    "    OPTION) for word in $(echo $solvers); do _rigor_solver_options \"${word%%:*}\"; done ;;\n"
    "    OVER) echo 'dt='; _rigor_params \"$scene\"\n"
    "      for word in $(echo $solvers); do _rigor_solver_options \"${word%%:*}\"; done ;;\n"
    "    SOLVERS) _rigor_names SOLVER ;;\n"
    "    SCENE|FIGURE) _rigor_names \"$kind\"; echo FILE ;;\n"
    "    *[a-z]*) echo \"$kind\" | tr / ' ' ;;\n"
    "    FILE) echo FILE ;;\n"
    "    ?*) _rigor_names \"$kind\" ;;\n"
    "  esac\n"
    "}\n";

void completion_print_bash(void)
{
    printf("# bash completion for rigor; generated.\n");
    print_tables();
    fputs(CANDIDATES, stdout);
    fputs("_rigor() {\n"
          "  local current=${COMP_WORDS[COMP_CWORD]} prefix='' found\n"
          "  found=$(_rigor_candidates \"${COMP_WORDS[@]:1:COMP_CWORD-1}\")\n"
          "  case $current in *,*) prefix=${current%,*}, current=${current##*,} ;; esac\n"
          "  COMPREPLY=($(compgen -P \"$prefix\" -W \"${found//FILE/}\" -- \"$current\"))\n"
          "  case $found in *FILE*)\n" /* a line is a name: blanks do not split it, and * stays */
          "    while IFS= read -r found; do COMPREPLY+=(\"$found\"); done < <(compgen -f -- \"$current\") ;;\n"
          "  esac\n"
          "  case ${COMPREPLY[0]} in *=) compopt -o nospace ;; esac 2>/dev/null\n"
          "}\n"
          "complete -o filenames -F _rigor rigor\n",
          stdout);
}

void completion_print_zsh(void)
{
    printf("#compdef rigor\n# zsh completion for rigor; generated.\n");
    print_tables();
    fputs(CANDIDATES, stdout);
    fputs("_rigor() {\n"
          "  local -a found names ends\n"
          "  found=(${=$(_rigor_candidates ${words[2,CURRENT-1]})})\n"
          "  names=(${${found:#FILE}:#*=})\n"
          "  ends=(${(M)found:#*=})\n"
          "  compset -P '*,'\n"
          "  compadd -- $names\n"
          "  compadd -S '' -- $ends\n"
          "  (( ${found[(Ie)FILE]} )) && _files\n"
          "}\n"
          "_rigor \"$@\"\n",
          stdout);
}
