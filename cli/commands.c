/* SPDX-License-Identifier: MIT */
/* The whole program's lists: the harness's commands and the reports'. */
#include "cli/cli.h"
#include "cli/plot.h"

#define COMMAND(name) extern const Command command_##name;
#include "cli/commands.def"
#undef COMMAND

const Command *const all_commands[] = {
#define COMMAND(name) &command_##name,
#include "cli/commands.def"
};
const int command_count = sizeof all_commands / sizeof all_commands[0];

extern const ListKind list_kind_scenes, list_kind_solvers, list_kind_metrics, list_kind_engines, list_kind_originals,
    list_kind_figures;

const ListKind *const all_list_kinds[] = {
    &list_kind_scenes,  &list_kind_solvers,   &list_kind_metrics,
    &list_kind_engines, &list_kind_originals, &list_kind_figures,
};
const int list_kind_count = sizeof all_list_kinds / sizeof all_list_kinds[0];

extern const CheckKind check_kind_contents, check_kind_figure, check_kind_experiment, check_kind_scene;

/* A figure may have a grid, too: it comes before the experiment. */
const CheckKind *const all_check_kinds[] = {
    &check_kind_contents,
    &check_kind_figure,
    &check_kind_experiment,
    &check_kind_scene,
};
const int check_kind_count = sizeof all_check_kinds / sizeof all_check_kinds[0];
