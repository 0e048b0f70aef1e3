/* SPDX-License-Identifier: MIT */
/* Writes a scene file: the definitions as the scene gave them, what differs from its default, and every number with
 * the digits that bring its bits back. */
#include "scenes/file/file.h"

json_t *file_write_vec3(Vec3 a)
{
    return json_pack("[f,f,f]", a.x, a.y, a.z);
}

static bool write_head(json_t *root, const Problem *problem)
{
    const World *world = problem->world;
    bool ok = file_put(root, "rigor", json_integer(1)) && file_put(root, "name", json_string(problem->name)) &&
              file_put(root, "gravity", file_write_vec3(world->gravity)) &&
              file_put(root, "time", json_real(problem->time)) &&
              file_put(root, "energy_scale", json_real(problem->energy_scale)) &&
              file_put(root, "speed_scale", json_real(problem->speed_scale)) &&
              file_put(root, "length_scale", json_real(world->length_scale));
    if (ok && world->attractor.gm != 0.0) {
        json_t *attractor = file_put_part(root, "attractor", json_object());
        ok = file_put(attractor, "at", file_write_vec3(world->attractor.at)) &&
             file_put(attractor, "gm", json_real(world->attractor.gm));
    }
    return ok;
}

static bool write_collide(json_t *root, const World *world)
{
    if (!world->collide)
        return file_put(root, "collide", json_string("none"));
    if (world->collide_except_count == 0 && !world->collide_only && !world->joined_collide)
        return true;
    int count = world->collide_only ? world->collide_only_count : world->collide_except_count;
    json_t *collide = file_put_part(root, "collide", json_object());
    json_t *pairs = file_put_part(collide, world->collide_only ? "only" : "except", json_array());
    bool ok = pairs && (!world->joined_collide || file_put(collide, "joined", json_true()));
    for (int i = 0; ok && i < count; i++) {
        const int *pair = world->collide_only ? world->collide_only_pairs[i] : world->collide_except[i];
        ok = json_array_append_new(pairs,
                                   json_pack("[s,s]", world->bodies[pair[0]].name, world->bodies[pair[1]].name)) == 0;
    }
    return ok;
}

static bool write_events(json_t *root, const Problem *problem)
{
    if (problem->event_count == 0)
        return true;
    json_t *events = file_put_part(root, "events", json_array());
    bool ok = events;
    for (int i = 0; ok && i < problem->event_count; i++) {
        const SceneEvent *event = &problem->events[i];
        ok = json_array_append_new(events, json_pack("{s:f,s:s}", "time", event->time, "remove",
                                                     problem->world->bodies[event->remove].name)) == 0;
    }
    return ok;
}

static bool write_expect(json_t *root, const Problem *problem)
{
    json_t *expect = file_put_part(root, "expect", json_object());
    json_t *conserves = file_put_part(expect, "conserves", json_array());
    bool ok = conserves;
    for (int i = 0; ok && conserved_names[i]; i++)
        if (problem->conserves & 1u << i)
            ok = json_array_append_new(conserves, json_string(conserved_names[i])) == 0;
    ok = ok && (!problem->rest || file_put(expect, "rest", json_true())) &&
         (!problem->reference || file_put(expect, "truth", json_string("reference"))) &&
         (!isfinite(problem->truth_time) || file_put(expect, "truth_time", json_real(problem->truth_time))) &&
         (problem->passive == file_default_passive(problem->world) ||
          file_put(expect, "passive", json_boolean(problem->passive)));
    if (ok && problem->conserves == 0)
        json_object_del(expect, "conserves");
    if (ok && json_object_size(expect) == 0)
        json_object_del(root, "expect");
    return ok;
}

char *problem_write(const Problem *problem)
{
    json_t *root = json_object();
    bool ok = write_head(root, problem) && file_write_materials(root, problem->world) &&
              file_write_bodies(root, problem->world) && file_write_joints(root, problem->world) &&
              write_collide(root, problem->world) && write_events(root, problem) && write_expect(root, problem);
    char *text = ok ? file_print(root) : NULL;
    json_decref(root);
    return text;
}
