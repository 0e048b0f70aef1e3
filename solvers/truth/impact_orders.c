/* SPDX-License-Identifier: MIT */
#include "solvers/truth/impact_orders.h"

#include "model/array.h"
#include "model/energy.h"
#include "solvers/truth/impact.h"

#include <stdlib.h>
#include <string.h>

/* Contacts whose orders are tried: 720 of them. */
enum { ORDERS_CONTACTS = 6 };
/* Bounces in one order before it counts as one without end. */
enum { ORDERS_BOUNCES = 1000 };
/* Outcomes nearer than this part of the fastest body's speed are one. */
#define ORDERS_SAME 1e-9

bool impact_orders_init(ImpactOrders *orders, const World *world)
{
    size_t bodies = (size_t)world->body_count + 1;
    return NEW_ARRAY(orders->start, bodies) && NEW_ARRAY(orders->outcome, bodies) &&
           NEW_ARRAY(orders->joined, bodies) && NEW_ARRAY(orders->seen, bodies);
}

void impact_orders_free(ImpactOrders *orders)
{
    free(orders->start);
    free(orders->outcome);
    free(orders->joined);
    free(orders->seen);
}

/* Marks the block's movable bodies if one of them is marked; was there something to mark? */
static bool orders_join(bool *joined, const World *world, const Block *block)
{
    bool any = false, grew = false;
    for (int k = 0; k < block_body_count(block); k++)
        any = any || joined[block->body[k]];
    for (int k = 0; any && k < block_body_count(block); k++)
        if (!joined[block->body[k]] && !world_is_fixed(world, block->body[k]))
            joined[block->body[k]] = grew = true;
    return grew;
}

/* Contacts that touch and hang together with `first` by bodies that they share or that joints hold together. Returns
 * how many; no more than one beyond ORDERS_CONTACTS are listed. */
static int orders_collect(ImpactOrders *orders, const Lagrange *lagrange, const World *world, int first, double gap,
                          int list[ORDERS_CONTACTS + 1])
{
    int count = 0;
    memset(orders->joined, 0, sizeof *orders->joined * (size_t)world->body_count);
    for (int k = 0; k < 2; k++)
        orders->joined[world->blocks[first].body[k]] = !world_is_fixed(world, world->blocks[first].body[k]);
    for (bool grew = true; grew;) {
        grew = false;
        for (int b = 0; b < world->block_count; b++) {
            bool contact = world->blocks[b].kind == BLOCK_CONTACT;
            if (lagrange->rows.blocks[b].count > 0 && (!contact || impact_touches(lagrange, world, b, gap)))
                grew = orders_join(orders->joined, world, &world->blocks[b]) || grew;
        }
    }
    for (int b = 0; b < world->block_count && count <= ORDERS_CONTACTS; b++)
        if (impact_touches(lagrange, world, b, gap) &&
            (orders->joined[world->blocks[b].body[0]] || orders->joined[world->blocks[b].body[1]]))
            list[count++] = b;
    return count;
}

/* The next order in the dictionary; false after the last. */
static bool order_next(int *list, int count)
{
    int i = count - 2, j = count - 1;
    while (i >= 0 && list[i] > list[i + 1])
        i--;
    if (i < 0)
        return false;
    while (list[j] < list[i])
        j--;
    int swapped = list[i];
    list[i] = list[j];
    list[j] = swapped;
    for (int low = i + 1, high = count - 1; low < high; low++, high--) {
        swapped = list[low];
        list[low] = list[high];
        list[high] = swapped;
    }
    return true;
}

/* The world's velocities after the impacts in this order; false: they do not end. */
static bool order_play(Lagrange *lagrange, World *world, const int *list, int count, double rest, long long *solves)
{
    for (int bounces = 0; bounces < ORDERS_BOUNCES; bounces++) {
        int next = 0;
        while (next < count && !(impact_closing_speed(lagrange, world, list[next]) > rest))
            next++;
        if (next == count)
            return true;
        *solves += lagrange_bounce(lagrange, world, list[next], world->blocks[list[next]].restitution);
    }
    return false;
}

static double velocities_apart(const World *world, const Velocity *a, const Velocity *b)
{
    double most = 0.0;
    for (int i = 1; i < world->body_count; i++) {
        most = fmax(most, vec3_norm(vec3_sub(a[i].v, b[i].v)));
        most = fmax(most, world->length_scale * vec3_norm(vec3_sub(a[i].w, b[i].w)));
    }
    return most;
}

/* Of the contacts in the list. */
static bool orders_differ(ImpactOrders *orders, Lagrange *lagrange, World *world, int *list, int count, double rest,
                          long long *row_solves)
{
    size_t bytes = sizeof *world->velocity * (size_t)world->body_count;
    double same = ORDERS_SAME * fmax(world_max_speed(world), rest);
    bool differ = false, played = false;
    memcpy(orders->start, world->velocity, bytes);
    do {
        memcpy(world->velocity, orders->start, bytes);
        differ = !order_play(lagrange, world, list, count, rest, row_solves) ||
                 (played && velocities_apart(world, world->velocity, orders->outcome) > same);
        if (!played)
            memcpy(orders->outcome, world->velocity, bytes);
        played = true;
    } while (!differ && order_next(list, count));
    memcpy(world->velocity, orders->start, bytes);
    return differ;
}

const char *impact_orders_report(ImpactOrders *orders, Lagrange *lagrange, World *world, double gap, double rest,
                                 long long *row_solves)
{
    const char *report = NULL;
    memset(orders->seen, 0, sizeof *orders->seen * (size_t)world->body_count);
    for (int b = 0; b < world->block_count && !report; b++) {
        const int *body = world->blocks[b].body;
        if (!impact_touches(lagrange, world, b, gap) || orders->seen[body[0]] || orders->seen[body[1]] ||
            !(impact_closing_speed(lagrange, world, b) > rest))
            continue;
        int list[ORDERS_CONTACTS + 1], count = orders_collect(orders, lagrange, world, b, gap, list);
        for (int i = 0; i < world->body_count; i++)
            orders->seen[i] = orders->seen[i] || orders->joined[i];
        if (count > ORDERS_CONTACTS)
            report = IMPACTS_TOO_MANY;
        else if (count > 1 && orders_differ(orders, lagrange, world, list, count, rest, row_solves))
            report = IMPACTS_NOT_UNIQUE;
    }
    return report;
}
