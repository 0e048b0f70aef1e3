/* SPDX-License-Identifier: MIT */
/* Growing the tree: breadth first from the fixed bodies, then from the first body of every group that hangs on none,
 * which floats with six coordinates (a particle: three). What a joint leaves free is read from its building blocks:
 *
 *     Attach -> no shift, Guide -> along the axis, Distance -> on a sphere, Wire -> on a circle;
 *     Orient -> no turn, Align -> about the axis, neither -> any turn.
 *
 * Slide, Twist and Swing act on those coordinates and are not the tree's business. */
#include "solvers/tree/articulated_series.h"

#include "solvers/tree/articulated_law.h"

#include <string.h>

bool articulated_init(Articulated *tree, const World *world)
{
    size_t bodies = (size_t)world->body_count;
    *tree = (Articulated){.first_cut = world->joint_count};
    Arrays *own = &tree->arrays; /* two have one more, as loads of four numbers go beyond the last */
    return OWN_ARRAY(own, tree->links, bodies) && OWN_ARRAY(own, tree->at, bodies + 1) &&
           OWN_ARRAY(own, tree->anchors, bodies + 1) && OWN_ARRAY(own, tree->moves, bodies) &&
           OWN_ARRAY(own, tree->factors, bodies) && OWN_ARRAY(own, tree->own, bodies) &&
           OWN_ARRAY(own, tree->state, bodies * LINK_STATE_SIZE) && OWN_ARRAY(own, tree->branches, bodies) &&
           OWN_ARRAY(own, tree->link_of_body, bodies) && OWN_ARRAY(own, tree->group, bodies) &&
           OWN_ARRAY(own, tree->cut, (size_t)world->joint_count + 1) && joint_lists_init(&tree->joints, world);
}

void articulated_free(Articulated *tree)
{
    arrays_free(&tree->arrays);
    joint_lists_free(&tree->joints);
}

static bool joint_is_off(const World *world, int joint)
{
    return world->joints[joint].off;
}

static int link_count_dofs(const Link *link)
{
    static const int TURNS[] = {[TURN_NONE] = 0, [TURN_AXIS] = 1, [TURN_FREE] = 3};
    static const int SHIFTS[] = {
        [SHIFT_NONE] = 0, [SHIFT_AXIS] = 1, [SHIFT_CIRCLE] = 1, [SHIFT_SPHERE] = 2, [SHIFT_FREE] = 3};
    return TURNS[link->turn] + SHIFTS[link->shift];
}

static bool block_is_soft(const Block *block)
{
    return block_terms(block)->compliance > 0.0;
}

/* Kinds that take coordinates away; the others act on those that are left. */
static bool block_takes(const Block *block)
{
    BlockKind kind = block->kind;
    return kind == BLOCK_ATTACH || kind == BLOCK_GUIDE || kind == BLOCK_DISTANCE || kind == BLOCK_WIRE ||
           kind == BLOCK_ORIENT || kind == BLOCK_ALIGN;
}

/* A slide's twist that is held rigidly: no coordinate, and no row. */
static bool block_holds_turn(const World *world, const Block *block)
{
    const JointTerms *terms = block_terms(block);
    return world->joints[block->joint].def.type == JOINT_PRISMATIC && block->kind == BLOCK_TWIST && !terms->law &&
           !block_is_soft(block) && terms->lower == terms->upper;
}

bool articulated_leaves_block(const Articulated *tree, const World *world, int block)
{
    const Block *at = &world->blocks[block];
    const LawRow *law = block_terms(at)->law;
    if (tree->cut[at->joint])
        return true;
    if (law)
        return !law_row_is_linear(law);
    bool held = joint_is_series(&world->joints[at->joint]) && block_terms(at)->lower == block_terms(at)->upper;
    return !held && !block_holds_turn(world, at) && (!block_takes(at) || block_is_soft(at));
}

/* Without a direction: a length of zero, or a circle that moves along. */
static bool block_has_no_coordinates(const World *world, const Block *block)
{
    bool round = block->kind == BLOCK_DISTANCE || block->kind == BLOCK_WIRE;
    return block->kind == BLOCK_VOLUME || block_terms(block)->one_sided || (round && !(block->seat->rest > 0.0)) ||
           (block->kind == BLOCK_WIRE && !world_is_fixed(world, block->body[0]));
}

static bool body_is_particle(const World *world, int body)
{
    return !world_is_fixed(world, body) && vec3_is_zero(world->mass[body].inertia);
}

/* A joint of rows alone: a rope, one that is soft throughout, one that ties a particle's directions to a body that
 * turns. */
static bool joint_is_left(const World *world, const Joint *joint)
{
    const int *body = joint->def.body;
    bool particle = body_is_particle(world, body[0]) || body_is_particle(world, body[1]);
    bool turns = !vec3_is_zero(world->mass[body[0]].inv_inertia) || !vec3_is_zero(world->mass[body[1]].inv_inertia);
    bool takes = joint_is_series(joint);
    for (int b = joint->first_block; b < joint->first_block + joint->block_count; b++) {
        const Block *block = &world->blocks[b];
        if (block_terms(block)->law)
            continue;
        if (block_has_no_coordinates(world, block) || (particle && turns && block_unit(block->kind) == UNIT_ANGLE))
            return true;
        takes = takes || (block_takes(block) && !block_is_soft(block));
    }
    return !takes;
}

/* What the joint's blocks leave free; false with a message for what has no coordinates. */
static bool link_read_blocks(Link *link, const Articulated *tree, const World *world, Status *status)
{
    const Joint *joint = &world->joints[link->joint];
    bool turns_matter = false;
    link->turn = TURN_FREE;
    link->shift = SHIFT_FREE;
    for (int b = joint->first_block; b < joint->first_block + joint->block_count; b++) {
        const Block *block = &world->blocks[b];
        if (tree->with_rows && block_holds_turn(world, block)) {
            link->turn = TURN_NONE;
            link->own->base = quat_mul(quat_axis_angle(link->own->axis, block_terms(block)->upper), link->own->base);
            continue;
        }
        if (tree->with_rows && (block_terms(block)->law || articulated_leaves_block(tree, world, b)))
            continue;
        if (block_terms(block)->one_sided)
            return status_set(status, STATUS_UNSUPPORTED,
                              "solver featherstone cannot run this scene: joint %s is a rope", joint->def.name);
        if (block->kind == BLOCK_WIRE && link->reversed)
            return status_set(status, STATUS_UNSUPPORTED,
                              "solver featherstone cannot run this scene: the circle of wire %s is carried by its bead",
                              joint->def.name);
        link->limited = link->limited || block->kind == BLOCK_SWING || block->kind == BLOCK_TWIST;
        turns_matter = turns_matter || block_unit(block->kind) == UNIT_ANGLE;
        if (block->kind == BLOCK_ATTACH)
            link->shift = SHIFT_NONE;
        else if (block->kind == BLOCK_GUIDE)
            link->shift = SHIFT_AXIS;
        else if (block->kind == BLOCK_DISTANCE)
            link->shift = SHIFT_SPHERE;
        else if (block->kind == BLOCK_WIRE)
            link->shift = SHIFT_CIRCLE;
        else if (block->kind == BLOCK_ORIENT)
            link->turn = TURN_NONE;
        else if (block->kind == BLOCK_ALIGN)
            link->turn = TURN_AXIS;
        link->own->rest =
            block->kind == BLOCK_DISTANCE || block->kind == BLOCK_WIRE ? block->seat->rest : link->own->rest;
    }
    bool parent_turns = !vec3_is_zero(world->mass[link->parent_body].inv_inertia);
    if (link->particle && turns_matter && parent_turns)
        return status_set(status, STATUS_UNSUPPORTED,
                          "solver featherstone cannot run this scene: joint %s ties a turning body to a particle's "
                          "directions",
                          joint->def.name);
    if (link->particle)
        link->turn = TURN_NONE;
    link->limited = link->limited && link->turn == TURN_FREE;
    return true;
}

/* A ball has factors; the part of its own that it was given is the next link's. */
static void tree_find_ball(Articulated *tree, const World *world, Link *link)
{
    bool parent_turns = link->parent < 0 || !tree->links[link->parent].particle;
    bool alone = link->joint >= 0 && world->joints[link->joint].block_count == 1;
    link->ball = !tree->general && !link->series && link->turn == TURN_FREE && link->shift == SHIFT_NONE && alone &&
                 parent_turns;
    link->absolute = link->ball && tree->absolute;
    if (!link->ball) {
        tree->own_count++;
        return;
    }
    link->factor = &tree->factors[link - tree->links];
    link->reaction = world->joints[link->joint].first_block;
}

/* Child relative to parent: what the joint says of body 2 relative to body 1, or its reverse, a being fixed in both. */
static bool tree_add_link(Articulated *tree, const World *world, int body, int parent_body, int joint, Status *status)
{
    int index = tree->link_count++;
    Link *link = &tree->links[index];
    *link = (Link){.body = body, .parent_body = parent_body, .parent = tree->link_of_body[parent_body], .joint = joint};
    tree->link_of_body[body] = index;
    link->at = &tree->at[index];
    link->moves = &tree->moves[index];
    link->anchors = &tree->anchors[index];
    *link->anchors = (LinkAnchors){0};
    *link->at = (LinkPlace){0};
    *link->moves = (LinkMoves){0};
    link->particle = vec3_is_zero(world->mass[body].inertia);
    link->mass = world->mass[body].mass;
    link->own = &tree->own[tree->own_count];
    *link->own = (LinkJoint){.base = QUAT_IDENTITY};
    link->turn = link->particle ? TURN_NONE : TURN_FREE;
    link->shift = SHIFT_FREE;
    for (int i = 0; i < 3; i++)
        link->own->basis[i] = vec3_axis(i);
    if (joint >= 0) {
        const Joint *source = &world->joints[joint];
        const Block *block = source->block_count > 0 ? &world->blocks[source->first_block] : NULL;
        link->reversed = source->def.body[0] == body;
        int to = link->reversed ? 0 : 1;
        link->anchors->parent = source->anchor[1 - to];
        link->anchors->own = source->anchor[to];
        link->own->axis = link->reversed ? vec3_negate(source->axis[1]) : source->axis[0];
        link->own->child_axis = link->reversed ? vec3_negate(source->axis[0]) : source->axis[1];
        if (block) {
            Quat placed = block_terms(block)->placed;
            link->own->base = link->reversed ? quat_conj(placed) : placed;
            link->own->normal[0] = block->seat->normal[0];
            link->own->normal[1] = block->seat->normal[1];
        }
        if (joint_is_series(source))
            series_begin(link, world);
        else if (!link_read_blocks(link, tree, world, status))
            return false;
    }
    tree_find_ball(tree, world, link);
    link->dofs = link->series ? link->dofs : (unsigned char)link_count_dofs(link);
    tree->dof_count += link->dofs;
    link->state = (int)tree->state_size;
    tree->state_size += link->ball ? BALL_STATE_SIZE : LINK_STATE_SIZE;
    return true;
}

/* Adds all bodies joined to `body` that are not in the tree yet. */
static bool tree_add_children(Articulated *tree, const World *world, int body, int from_joint, Status *status)
{
    for (int k = tree->joints.start[body]; k < tree->joints.start[body + 1]; k++) {
        int j = tree->joints.list[k];
        const JointDef *def = &world->joints[j].def;
        int other = def->body[0] == body ? def->body[1] : def->body[0];
        if (j == from_joint || tree->cut[j] || joint_is_off(world, j) || world_is_fixed(world, other))
            continue;
        if (!tree_add_link(tree, world, other, body, j, status))
            return false;
    }
    return true;
}

static bool tree_grow(Articulated *tree, const World *world, int done, Status *status)
{
    for (; done < tree->link_count; done++)
        if (!tree_add_children(tree, world, tree->links[done].body, tree->links[done].joint, status))
            return false;
    return true;
}

/* A limit or a drive holds a coordinate: its joint should have one. */
static bool joint_is_held(const World *world, int j)
{
    const Joint *joint = &world->joints[j];
    for (int b = joint->first_block; b < joint->first_block + joint->block_count; b++)
        if (block_is_limit(&world->blocks[b]) || block_is_drive(&world->blocks[b]))
            return true;
    return false;
}

/* A joint whose bodies hang together already is cut; those that are held come first. */
static void tree_cut_loops(Articulated *tree, const World *world)
{
    tree->cut_count = 0;
    for (int i = 0; i < world->body_count; i++)
        tree->group[i] = world_is_fixed(world, i) ? 0 : i;
    for (int held = 1; held >= 0; held--)
        for (int j = 0; j < world->joint_count; j++) {
            const JointDef *def = &world->joints[j].def;
            if (joint_is_held(world, j) != held)
                continue;
            bool between = world_is_fixed(world, def->body[0]) && world_is_fixed(world, def->body[1]);
            bool left = j >= tree->first_cut || (tree->with_rows && joint_is_left(world, &world->joints[j]));
            tree->cut[j] =
                !joint_is_off(world, j) && !between && (left || !forest_join(tree->group, def->body[0], def->body[1]));
            tree->cut_count += tree->cut[j];
        }
}

/* Where subtrees wait for their parent: at links with a child that is not the next link. */
static void tree_find_branches(Articulated *tree)
{
    int count = 0;
    for (int i = 0; i < tree->link_count; i++)
        tree->links[i].branch = -1;
    for (int i = 0; i < tree->link_count; i++) {
        int parent = tree->links[i].parent;
        if (parent >= 0 && parent != i - 1 && tree->links[parent].branch < 0)
            tree->links[parent].branch = count++;
    }
}

static bool ball_follows(const Articulated *tree, int i)
{
    const Link *link = &tree->links[i];
    return link->ball && link->parent == i - 1 && link[-1].ball && link->body == link[-1].body + 1;
}

static void tree_find_fours(Articulated *tree)
{
    int run = 0; /* balls that follow each other, up to here and not yet in a four */
    for (int i = 0; i < tree->link_count; i++) {
        tree->links[i].four = false;
        run = run > 0 && ball_follows(tree, i) ? run + 1 : tree->links[i].ball;
        if (run < 4)
            continue;
        tree->links[i - 3].four = true;
        run = 0;
    }
}

bool articulated_connect(Articulated *tree, const World *world, Status *status)
{
    tree->link_count = tree->own_count = tree->dof_count = 0;
    tree->state_size = 0;
    tree_cut_loops(tree, world);
    for (int b = 0; b < world->body_count; b++)
        tree->link_of_body[b] = -1;
    for (int b = 0; b < world->body_count; b++)
        if (world_is_fixed(world, b) && !tree_add_children(tree, world, b, -1, status))
            return false;
    if (!tree_grow(tree, world, 0, status))
        return false;
    for (int b = 1; b < world->body_count; b++) {
        if (world_is_fixed(world, b) || tree->link_of_body[b] >= 0)
            continue;
        int first = tree->link_count;
        if (!tree_add_link(tree, world, b, 0, -1, status) || !tree_grow(tree, world, first, status))
            return false;
    }
    tree_find_branches(tree);
    tree_find_fours(tree);
    return true;
}

int articulated_count_removed(const World *world)
{
    int count = 0;
    for (int i = 1; i < world->body_count; i++)
        count += world->removed[i];
    return count;
}

/* Coordinates from the poses; what of a pose its joint forbids is dropped. */
static void link_read_coordinates(const Link *link, const World *world, LinkState *state)
{
    Pose parent = world->pose[link->parent_body], pose = world->pose[link->body];
    Quat turn = link->absolute ? pose.q : quat_mul(quat_conj(parent.q), pose.q);
    if (link->ball) {
        state->turn = turn;
        state->spin = VEC3_ZERO;
        return;
    }
    if (link->series) {
        series_read(link, world, (SeriesState *)(void *)state);
        return;
    }
    *state = (LinkState){.turn = turn};
    if (link->turn == TURN_AXIS) {
        state->angle = joint_angle(world, &world->joints[link->joint]);
        state->turn = quat_mul(quat_axis_angle(link->own->axis, state->angle), link->own->base);
    } else if (link->turn == TURN_NONE && !link->particle) {
        state->turn = link->own->base;
    }
    Vec3 anchor = world_point(world, link->body, link->anchors->own);
    Vec3 d = vec3_sub(quat_rotate_inverse(parent.q, vec3_sub(anchor, parent.x)), link->anchors->parent);
    if (link->shift == SHIFT_AXIS)
        state->shift.x = vec3_dot(link->own->axis, d);
    else if (link->shift == SHIFT_CIRCLE)
        state->shift.x = atan2(vec3_dot(link->own->normal[1], d), vec3_dot(link->own->normal[0], d));
    else if (link->shift == SHIFT_SPHERE)
        state->shift = vec3_unit(d);
    else if (link->shift == SHIFT_FREE)
        state->shift = d;
}

void articulated_read(Articulated *tree, World *world, const Velocity *velocity)
{
    for (int i = 0; i < tree->link_count; i++)
        link_read_coordinates(&tree->links[i], world, link_state(&tree->links[i], tree->state));
    articulated_place(tree, tree->state, world);
    articulated_load(tree, velocity);
    for (int i = 0; i < tree->link_count; i++) {
        memset(tree->links[i].at->c, 0, sizeof tree->links[i].at->c);
        memset(tree->links[i].moves->given, 0, sizeof tree->links[i].moves->given);
        memset(tree->links[i].prescribed, 0, sizeof tree->links[i].prescribed);
    }
    articulated_solve(tree);
    for (int i = 0; i < tree->link_count; i++)
        link_add_jump(&tree->links[i], link_state(&tree->links[i], tree->state), world);
    articulated_place(tree, tree->state, world);
}
