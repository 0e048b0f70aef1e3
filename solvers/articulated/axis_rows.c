/* SPDX-License-Identifier: MIT */
#include "solvers/articulated/axis_rows.h"

#include "solvers/rows/joint_rows.h"
#include "solvers/tree/articulated_law.h"
#include "solvers/tree/articulated_series.h"

#include <stdlib.h>
#include <string.h>

bool axis_rows_init(AxisRows *rows, const World *world)
{
    size_t most = (size_t)world->coupling_count + 1;
    for (int j = 0; j < world->joint_count; j++)
        if (world->joints[j].needs_coordinates)
            most += 2 * (size_t)world->joints[j].coordinate_count;
    *rows = (AxisRows){0};
    return NEW_ARRAY(rows->list, most);
}

void axis_rows_free(AxisRows *rows)
{
    free(rows->list);
}

static AxisRow *rows_add(AxisRows *rows, AxisRowKind kind, int link, int k)
{
    AxisRow *row = &rows->list[rows->count++];
    *row = (AxisRow){.kind = kind, .count = 1, .link = {link}, .k = {k}, .J = {1.0}};
    row->rows = (RowBlock){.count = 1, .kind = ROWS_BOUNDED, .metres = 1.0, .lambda = row->lambda};
    return row;
}

static void rows_add_link(AxisRows *rows, const Articulated *tree, const World *world, int i)
{
    const Link *link = &tree->links[i];
    if (link->joint < 0 || !world->joints[link->joint].needs_coordinates)
        return;
    const Joint *joint = &world->joints[link->joint];
    for (int k = 0; k < link->dofs; k++) {
        const JointLaw *law = link_law(link, world, k);
        const SeriesAxis *axis = link->series ? &joint->def.axes[series_axis(link, k)] : NULL;
        if (axis && !(isinf(axis->limits[0]) && isinf(axis->limits[1])))
            rows_add(rows, AXIS_LIMIT, i, k)->axis = axis;
        if (law && law->dry_friction > 0.0)
            rows_add(rows, AXIS_FRICTION, i, k)->law = law;
    }
}

static bool rows_add_coupling(AxisRows *rows, const Articulated *tree, const World *world,
                              const JointCoupling *coupling, Status *status)
{
    AxisRow *row = rows_add(rows, AXIS_COUPLING, -1, 0);
    row->coupling = coupling;
    row->count = coupling->of[1].joint >= 0 ? 2 : 1;
    for (int i = 0; i < row->count; i++) {
        const CoordinateRef *of = &coupling->of[i];
        row->link[i] = forest_link_of_joint(tree, of->joint);
        if (row->link[i] < 0)
            return status_set(status, STATUS_UNSUPPORTED,
                              "solver articulated cannot run this scene: coupling %s is of a joint that closes a loop",
                              coupling->name);
        row->k[i] = link_coordinate_of_axis(&tree->links[row->link[i]], world, of->axis);
    }
    return true;
}

bool axis_rows_connect(AxisRows *rows, const Articulated *tree, const World *world, Status *status)
{
    rows->count = 0;
    for (int i = 0; i < tree->link_count; i++)
        rows_add_link(rows, tree, world, i);
    for (int c = 0; c < world->coupling_count; c++) {
        const CoordinateRef *of = world->couplings[c].of;
        bool off = world->joints[of[0].joint].off || (of[1].joint >= 0 && world->joints[of[1].joint].off);
        if (!off && !rows_add_coupling(rows, tree, world, &world->couplings[c], status))
            return false;
    }
    return true;
}

static double axis_start(const AxisRow *row, const Articulated *tree, const World *world, int i)
{
    const JointLaw *law = link_law(&tree->links[row->link[i]], world, row->k[i]);
    return law ? law->start : 0.0;
}

/* q less its start; of a joint without a law that is q. */
static double axis_moved(const AxisRow *row, const Articulated *tree, const World *world, int i)
{
    const Link *link = &tree->links[row->link[i]];
    const LinkState *state = link_state_of(link, tree->state);
    if (link_law(link, world, row->k[i]))
        return link_coordinate(link, tree->state, world, row->k[i]) - axis_start(row, tree, world, i);
    return link->turn == TURN_AXIS && row->k[i] == 0 ? state->angle : state->shift.x;
}

static void coupling_set(AxisRow *row, const Articulated *tree, const World *world)
{
    const JointCoupling *coupling = row->coupling;
    double x = row->count == 2 ? axis_moved(row, tree, world, 1) : 0.0, value = 0.0, slope = 0.0;
    for (int t = coupling->term_count - 1; t >= 0; t--) {
        slope = slope * x + value;
        value = value * x + coupling->polynomial[t];
    }
    row->J[0] = 1.0;
    row->J[1] = -slope;
    row->rows.C[0] = axis_moved(row, tree, world, 0) - value;
    row->rows.lower[0] = -INFINITY;
    row->rows.upper[0] = INFINITY;
}

/* The nearer end of a range. */
static void limit_set(AxisRow *row, const Articulated *tree, const World *world)
{
    const double *limits = row->axis->limits;
    double q = link_coordinate(&tree->links[row->link[0]], tree->state, world, row->k[0]);
    bool low = q - limits[0] < limits[1] - q;
    row->rows.C[0] = q - limits[low ? 0 : 1];
    row->rows.lower[0] = low ? 0.0 : -INFINITY;
    row->rows.upper[0] = low ? INFINITY : 0.0;
}

void axis_row_set(AxisRow *row, const Articulated *tree, const World *world, const RowSetup *setup)
{
    RowBlock *rb = &row->rows;
    if (row->kind == AXIS_COUPLING) {
        coupling_set(row, tree, world);
    } else if (row->kind == AXIS_LIMIT) {
        limit_set(row, tree, world);
    } else {
        rb->C[0] = 0.0;
        rb->upper[0] = setup->h * row->law->dry_friction;
        rb->lower[0] = -rb->upper[0];
    }
    bool gap = row_is_gap(rb->C[0], rb->lower[0], rb->upper[0]);
    rb->bias[0] = (gap ? 1.0 / setup->h : setup->rate) * rb->C[0];
    row->lambda[0] = clamp(setup->keep * row->lambda[0], rb->lower[0], rb->upper[0]);
}

void axis_row_answer(const AxisRow *row, Answer *answer, Answers *answers, const Forest *forest,
                     const Articulated *tree)
{
    answer_find_axes(answer, answers, forest, tree, row->count, row->link, row->k, row->J);
}
