/* SPDX-License-Identifier: MIT */
/* Three boxes fall onto each other: a program that uses librigor.
 *     cc drop.c -o drop $(pkg-config --cflags --libs rigor) && ./drop pgs:iterations=50 */
#include <rigor.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    Rigor *rigor = rigor_open();
    RigorScene *scene = rigor_scene_create(rigor, "drop");
    rigor_scene_add_body(scene, &(RigorBodyDef){.name = "floor", .shape = RIGOR_PLANE});
    for (int i = 0; i < 3; i++) {
        char name[] = {(char)('a' + i), '\0'};
        rigor_scene_add_body(scene, &(RigorBodyDef){name, RIGOR_BOX, {1, 0.5, 1}, .position = {0.1 * i, 1 + i, 0}});
    }
    RigorRun *run = rigor_run_open(scene, &(RigorPlan){.solver = argc > 1 ? argv[1] : "xpbd", .time = 3});
    RigorStatus status = RIGOR_OVER;
    while (run && (status = rigor_run_step(run)) == RIGOR_OK)
        continue;
    for (int i = 0; i < rigor_run_body_count(run); i++) {
        double x[3];
        rigor_run_pose(run, i, x, NULL);
        printf("%-6s %9.6f %9.6f %9.6f\n", rigor_run_body_name(run, i), x[0], x[1], x[2]);
    }
    printf("%d contacts, penetration_max %.3g m\n", rigor_run_contact_count(run),
           rigor_run_metric(run, "penetration_max"));
    if (!run || status != RIGOR_OVER)
        fprintf(stderr, "drop: %s\n", rigor_message(rigor));
    rigor_run_close(run);
    rigor_scene_close(scene);
    rigor_close(rigor);
    return run && status == RIGOR_OVER ? 0 : 1;
}
