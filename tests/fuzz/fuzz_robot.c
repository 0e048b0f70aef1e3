/* SPDX-License-Identifier: MIT */
/* Robot files, MJCF and URDF by their root; what is read is read as a scene. Beside them lie what they may name:
 * part.xml, a.obj, a.stl. */
#include "tests/fuzz/fuzz.h"

#include "scenes/robot/robot.h"

static const char MESH[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
static const char FACETS[] = "solid a\nvertex 0 0 0 vertex 0 1 0 vertex 1 0 0\nvertex 0 0 0 vertex 1 0 0 vertex 0 0 1\n"
                             "vertex 0 0 0 vertex 0 0 1 vertex 0 1 0\nvertex 1 0 0 vertex 0 1 0 vertex 0 0 1\n";
static const char PART[] = "<mujoco><body name='part'><joint name='p'/><geom size='.1'/></body></mujoco>";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[640];
    Status status = {0};
    if (!path[0]) {
        fuzz_write(path, "a.obj", (const uint8_t *)MESH, sizeof MESH - 1);
        fuzz_write(path, "a.stl", (const uint8_t *)FACETS, sizeof FACETS - 1);
        fuzz_write(path, "part.xml", (const uint8_t *)PART, sizeof PART - 1);
    }
    fuzz_write(path, "robot.xml", data, size);
    RobotParams params = {.floating = size % 2 == 1, .balance = size % 3 == 0, .key = "k"};
    for (int key = 1; key >= 0; key--) {
        char *notes = NULL;
        if (!key)
            params.key[0] = '\0';
        json_decref(robot_document(path, &params, NULL, &notes, &status));
        free(notes);
    }
    problem_destroy(robot_problem(path, &params, NULL, &status));
    return 0;
}
