/* SPDX-License-Identifier: MIT */
/* rigor inverse: the joint forces that make a given motion (bench/studies/inverse.h). */
#include "bench/studies/inverse.h"
#include "bench/studies/robot_states.h"

#include "bench/frozen/freeze.h"
#include "bench/run/json.h"
#include "bench/text/table.h"
#include "bench/text/wrap.h"
#include "cli/cli.h"

extern const Solver featherstone_solver;

static const char *force_name(const World *world, const InverseForce *force)
{
    return force->joint >= 0 ? world->joints[force->joint].def.name : "";
}

/* The joint-space mass matrix by rows, and how well it and Featherstone's recursion agree. */
static void inverse_add_matrix(json_t *document, const Inverse *inverse)
{
    json_t *rows = json_array();
    for (int k = 0; k < inverse->count; k++) {
        json_t *row = json_array();
        for (int l = 0; l < inverse->count; l++)
            json_array_append_new(row, json_number(inverse->mass_matrix[k * inverse->count + l]));
        json_array_append_new(rows, row);
        json_object_set_new(json_array_get(json_object_get(document, "coordinates"), (size_t)k),
                            "acceleration_lagrange", json_number(inverse->forces[k].acceleration));
    }
    json_object_set_new(document, "mass_matrix", rows);
    json_object_set_new(document, "acceleration_difference", json_number(inverse->acceleration_difference));
    json_object_set_new(document, "residual", json_number(inverse->residual));
}

static json_t *inverse_json(const Inverse *inverse, const World *world, double at, json_t *from)
{
    json_t *list = json_array();
    for (int i = 0; i < inverse->count; i++) {
        const InverseForce *f = &inverse->forces[i];
        json_array_append_new(list, json_pack("{s:s,s:s,s:s,s:s,s:o,s:o,s:o,s:o}", "joint", force_name(world, f),
                                              "body", world->bodies[f->body].name, "coordinate", f->coordinate, "unit",
                                              f->angular ? "N m" : "N", "speed", json_number(f->speed),
                                              "free_acceleration", json_number(f->free_acceleration), "force",
                                              json_number(f->recursive), "force_lagrange", json_number(f->lagrange)));
    }
    json_t *document = json_pack("{s:o,s:o,s:o,s:o}", "at", json_number(at), "coordinates", list, "difference",
                                 json_number(inverse->difference), "from", from);
    if (document && inverse->mass_matrix)
        inverse_add_matrix(document, inverse);
    return document;
}

/* More columns than this a terminal does not hold; --json has the whole matrix. */
enum { MATRIX_SHOWN = 12 };

static bool inverse_print_matrix(const Inverse *inverse, Status *status)
{
    Table *table = table_create();
    int shown = inverse->count < MATRIX_SHOWN ? inverse->count : MATRIX_SHOWN;
    if (!table)
        return status_set(status, STATUS_FAILED, "out of memory");
    printf("\n");
    fold_line(stdout,
              "M q'' + h = tau, the Lagrangian view: h is the column above, M and q'' of tau = 0 stand below. That q'' "
              "and Featherstone's differ by %.2g of the largest; Featherstone's leaves %.2g of h in the equation%s",
              inverse->acceleration_difference, inverse->residual,
              shown < inverse->count ? "; --json has all of M" : "");
    printf("\n");
    char name[24];
    table_add_column(table, "row", "", BEST_NONE);
    table_add_column(table, "q''", "1/s^2, m/s^2", BEST_NONE);
    for (int l = 0; l < shown; l++) {
        snprintf(name, sizeof name, "M %d", l + 1);
        table_add_column(table, name, "", BEST_NONE);
    }
    for (int k = 0; k < shown; k++) {
        snprintf(name, sizeof name, "%d", k + 1);
        table_add_text(table, name);
        table_add_number(table, inverse->forces[k].acceleration, false);
        for (int l = 0; l < shown; l++)
            table_add_number(table, inverse->mass_matrix[k * inverse->count + l], false);
    }
    table_print(table, stdout);
    table_destroy(table);
    return true;
}

static bool inverse_print(const Inverse *inverse, const World *world, double at, Status *status)
{
    Table *table = table_create();
    if (!table)
        return status_set(status, STATUS_FAILED, "out of memory");
    fold_line(stdout,
              "forces that keep every coordinate at its speed at %.4g s; by recursion and by virtual work, which "
              "differ by %.2g of the largest",
              at, inverse->difference);
    printf("\n");
    table_add_column(table, "joint", "", BEST_NONE);
    table_add_column(table, "body", "", BEST_NONE);
    table_add_column(table, "coordinate", "", BEST_NONE);
    table_add_column(table, "speed", "1/s, m/s", BEST_NONE);
    table_add_column(table, "if let go", "1/s^2, m/s^2", BEST_NONE);
    table_add_column(table, "recursive", "N m, N", BEST_NONE);
    table_add_column(table, "Lagrangian", "N m, N", BEST_NONE);
    for (int i = 0; i < inverse->count; i++) {
        const InverseForce *f = &inverse->forces[i];
        table_add_text(table, force_name(world, f));
        table_add_text(table, world->bodies[f->body].name);
        table_add_text(table, f->coordinate);
        table_add_number(table, f->speed, false);
        table_add_number(table, f->free_acceleration, false);
        table_add_number(table, f->recursive, false);
        table_add_number(table, f->lagrange, false);
    }
    table_print(table, stdout);
    table_destroy(table);
    return !inverse->mass_matrix || inverse_print_matrix(inverse, status);
}

/* A robot file at the states of a file. */
static bool inverse_states(const Arguments *arguments, const Run *run, Status *status)
{
    if (!run->robot_file || !arguments->given[OPTION_JSON])
        return status_set(status, STATUS_USAGE, "--states takes a robot file (MJCF, URDF), and --json");
    json_t *document = robot_states(run->file, &run->robot, arguments->values[OPTION_STATES][0], status);
    return document && json_print(document, status);
}

static bool inverse_command(const Arguments *arguments, Status *status)
{
    Run run, from;
    double at;
    Remarks said;
    if (!arguments_scene(arguments, &run, status) || !freeze_time(arguments, &at, status))
        return false;
    if (arguments->given[OPTION_STATES])
        return inverse_states(arguments, &run, status);
    run_choose_solver(&run, &featherstone_solver);
    Problem *problem = freeze_scene(arguments, &run, at, &from, &said, status);
    if (!problem)
        return false;
    Inverse inverse = {0};
    progress_say(arguments->progress, "finding the joints' forces, twice");
    bool ok = solver_supports(&featherstone_solver, problem->world, status) &&
              inverse_compute(&inverse, problem->world, arguments->given[OPTION_MASS_MATRIX], status);
    progress_clear(arguments->progress);
    ok = ok && (arguments->given[OPTION_JSON]
                    ? json_print(inverse_json(&inverse, problem->world, at, freeze_describe(&from, &said)), status)
                    : inverse_print(&inverse, problem->world, at, status));
    inverse_free(&inverse);
    problem_destroy(problem);
    return ok;
}

const Command command_inverse = {
    .name = "inverse",
    .operands = "SCENE",
    .summary = "inverse dynamics: the joint forces that make a given motion",
    .help =
        "The motion given: every coordinate of the joints keeps the speed it has at --at, q'' = 0; at rest that is "
        "what\n"
        "holds the mechanism still. The forces come on top of those that act already: gravity, actuators, damping.\n"
        "Computed twice, by recursive Newton-Euler from the leaves to the root and by virtual work over all bodies,\n"
        "the Lagrangian view; beside them the acceleration of each coordinate if it were let go. Joints must form\n"
        "trees. `featherstone` brings the scene there, unless --from says otherwise.\n\n"
        "--mass-matrix is forward dynamics in the same view: the joint-space mass matrix M of M q'' + h = tau, h "
        "being\n"
        "those forces, and the q'' of tau = 0 that it gives, held against Featherstone's recursion, which has no M.\n\n"
        "--states FILE --json, of a robot file: for each of `states` in that file (qpos, qvel, ctrl, in the order of "
        "the\n"
        "robot's joints and actuators) its bodies, mass matrix, bias and passive forces, and accelerations: with "
        "passive\n"
        "forces alone, with dry friction, with drives, with loops closed.",
    .least_operands = 1,
    .most_operands = 1,
    .options = TAKES_SCENE | TAKES(OPTION_DT) | TAKES(OPTION_PLUGIN) | TAKES(OPTION_AT) | TAKES(OPTION_FROM) |
               TAKES(OPTION_MASS_MATRIX) | TAKES(OPTION_STATES),
    .only_reads = true,
    .run = inverse_command,
};
