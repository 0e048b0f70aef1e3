/* SPDX-License-Identifier: MIT */
/* Writes a recording of a scene file without any solver: every moving body swings about its start, each joint's second
 * body a little differently, and every moving body has one contact below it. So the page is tested with all shapes,
 * contacts and joint errors, whatever the solvers can do.
 * usage: make_recording SCENE.json SOLVER OUT.h5 */
#include "scenes/scene.h"

#include <hdf5.h>
#include <hdf5_hl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 121 };
static const double DT = 1.0 / 60.0;

typedef struct Columns {
    double time[FRAMES], drift[FRAMES], energy[FRAMES], offset[FRAMES];
    double *position, *orientation, *velocity, *spin, *point, *normal, *impulse;
    size_t bodies, contacts;
} Columns;

static bool columns_create(Columns *columns, size_t bodies)
{
    size_t rows = FRAMES * bodies;
    double **three[] = {&columns->position, &columns->velocity, &columns->spin,
                        &columns->point,    &columns->normal,   &columns->impulse};
    *columns = (Columns){.bodies = bodies, .orientation = calloc(rows, 4 * sizeof(double))};
    bool ok = columns->orientation;
    for (size_t i = 0; i < sizeof three / sizeof three[0]; i++)
        ok = (*three[i] = calloc(rows, 3 * sizeof(double))) && ok;
    return ok;
}

static void put3(double *to, Vec3 a)
{
    to[0] = a.x, to[1] = a.y, to[2] = a.z;
}

static void record_body(Columns *columns, const World *world, int body, int frame)
{
    double t = frame * DT, rate = 3.0 + 0.1 * body, reach = world_is_fixed(world, body) ? 0.0 : 0.2;
    size_t row = (size_t)frame * columns->bodies + (size_t)body - 1;
    Vec3 x = vec3_add(world->pose[body].x, vec3(reach * sin(rate * t), 0.25 * reach * sin(2.0 * rate * t), 0.0));
    Quat turn = quat_axis_angle(vec3(0, 0, 1), reach * sin(rate * t));
    Quat q = quat_mul(turn, world_reported_orientation(world, body));
    put3(columns->position + 3 * row, x);
    memcpy(columns->orientation + 4 * row, (double[]){q.w, q.x, q.y, q.z}, 4 * sizeof(double));
    put3(columns->velocity + 3 * row, vec3(reach * rate * cos(rate * t), 0.5 * reach * rate * cos(2.0 * rate * t), 0));
    put3(columns->spin + 3 * row, vec3(0, 0, reach * rate * cos(rate * t)));
    if (world_is_fixed(world, body))
        return;
    size_t k = 3 * columns->contacts++;
    put3(columns->point + k, vec3(x.x, 0.0, x.z));
    put3(columns->normal + k, vec3(0, 1, 0));
    put3(columns->impulse + k, vec3(0.2 * cos(rate * t), 1.0 + 0.5 * sin(rate * t), 0));
}

static bool write_names(hid_t file, const World *world)
{
    hsize_t count = (hsize_t)world->body_count - 1;
    const char **names = malloc(sizeof *names * (count + 1));
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &count, NULL);
    bool ok = names && H5Tset_size(type, H5T_VARIABLE) >= 0;
    for (size_t i = 0; ok && i < count; i++)
        names[i] = world->bodies[i + 1].name;
    hid_t dataset = H5Dcreate2(file, "body_names", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ok = ok && H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) >= 0;
    H5Dclose(dataset);
    H5Sclose(space);
    H5Tclose(type);
    free(names);
    return ok;
}

static bool write_columns(hid_t file, const Columns *c)
{
    const hsize_t frames[1] = {FRAMES}, by3[3] = {FRAMES, c->bodies, 3}, by4[3] = {FRAMES, c->bodies, 4},
                  contacts[2] = {c->contacts, 3};
    H5Gclose(H5Gcreate2(file, "metrics", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Gclose(H5Gcreate2(file, "contacts", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    return H5LTmake_dataset_double(file, "time", 1, frames, c->time) >= 0 &&
           H5LTmake_dataset_double(file, "position", 3, by3, c->position) >= 0 &&
           H5LTmake_dataset_double(file, "orientation", 3, by4, c->orientation) >= 0 &&
           H5LTmake_dataset_double(file, "velocity", 3, by3, c->velocity) >= 0 &&
           H5LTmake_dataset_double(file, "angular_velocity", 3, by3, c->spin) >= 0 &&
           H5LTmake_dataset_double(file, "metrics/drift_max", 1, frames, c->drift) >= 0 &&
           H5LTmake_dataset_double(file, "metrics/energy_error_max", 1, frames, c->energy) >= 0 &&
           H5LTmake_dataset_double(file, "contacts/offset", 1, frames, c->offset) >= 0 &&
           H5LTmake_dataset_double(file, "contacts/point", 2, contacts, c->point) >= 0 &&
           H5LTmake_dataset_double(file, "contacts/normal", 2, contacts, c->normal) >= 0 &&
           H5LTmake_dataset_double(file, "contacts/impulse", 2, contacts, c->impulse) >= 0;
}

int main(int argc, char **argv)
{
    Status status = {0};
    Problem *problem = argc == 4 ? problem_read(argv[1], &status) : NULL;
    Columns columns;
    if (!problem || !columns_create(&columns, (size_t)problem->world->body_count - 1)) {
        fprintf(stderr, "%s\n", status.message);
        return 1;
    }
    for (int frame = 0; frame < FRAMES; frame++) {
        columns.time[frame] = frame * DT;
        columns.drift[frame] = frame == 0 ? NAN : 1e-3 * fabs(sin(3.0 * frame * DT)) + 1e-6;
        columns.energy[frame] = frame == 0 ? NAN : 1e-4 * frame;
        columns.offset[frame] = (double)columns.contacts;
        for (int body = 1; body < problem->world->body_count; body++)
            record_body(&columns, problem->world, body, frame);
    }
    char run[256], *scene = problem_write(problem);
    snprintf(run, sizeof run,
             "{\"scene\": \"</script>\", \"solver\": \"%s\", \"solver_options\": {\"substeps\": 7, \"iterations\": 3}, "
             "\"status\": \"ok\"}",
             argv[2]);
    hid_t file = H5Fcreate(argv[3], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = scene && file >= 0 && H5LTset_attribute_string(file, "/", "scene", scene) >= 0 &&
              H5LTset_attribute_string(file, "/", "run", run) >= 0 && write_names(file, problem->world) &&
              write_columns(file, &columns);
    H5Fclose(file);
    free(scene);
    double *arrays[] = {columns.position, columns.orientation, columns.velocity, columns.spin,
                        columns.point,    columns.normal,      columns.impulse};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        free(arrays[i]);
    problem_destroy(problem);
    return ok ? 0 : 1;
}
