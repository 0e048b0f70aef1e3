/* SPDX-License-Identifier: MIT */
#include "scenes/scene.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of a file in /tmp: what follows the folder. */
enum { FOLDER_LENGTH = sizeof "/tmp/" - 1 };

/* A file with this text, gone again when the test is over. */
static void write_obj(char path[32], const char *text)
{
    strcpy(path, "/tmp/rigor_obj_XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (int)strlen(text));
    close(file);
}

static Mesh *read_text(const char *text, Status *status)
{
    char path[32];
    write_obj(path, text);
    Mesh *mesh = obj_read_beside(path, path + FOLDER_LENGTH, status);
    unlink(path);
    return mesh;
}

static const char TETRAHEDRON[] = "v 0.5 0.5 0.5\nv 2.5 0.5 0.5\nv 0.5 3.5 0.5\nv 0.5 0.5 5.5\n";

static void assert_tetrahedron(const char *faces)
{
    char text[512];
    snprintf(text, sizeof text, "%s%s", TETRAHEDRON, faces);
    Status status = {0};
    Mesh *mesh = read_text(text, &status);
    if (!mesh)
        fail_msg("%s", status.message);
    assert_int_equal(mesh->vertex_count, 4);
    assert_int_equal(mesh->triangle_count, 4);
    assert_true(mesh_check_closed(mesh, &status));
    MassProperties solid = mesh_mass_properties(mesh, 1.0);
    /* 2 x 3 x 5 / 6, its centre the mean of its corners. */
    assert_near(solid.mass, 5.0, 1e-14);
    assert_vec3_near(solid.centre, vec3(1.0, 1.25, 1.75), 1e-14);
    assert_non_null(mesh->file);
    mesh_destroy(mesh);
}

static void every_form_of_index_is_read(void **state)
{
    (void)state;
    assert_tetrahedron("f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    assert_tetrahedron("f 1/7 3/8 2/9\nf 1//4 2//4 4//4\nf 1/1/1 4/2/3 3/3/3\nf 2 3 4");
    assert_tetrahedron("f -4 -2 -3\nf -4 -3 -1\nf -4 -1 -2\nf -3 -2 -1\n");
}

static void comments_blanks_and_other_lines_are_passed_over(void **state)
{
    (void)state;
    assert_tetrahedron("# faces\r\n\r\n  o thing\nvn 0 0 nan\nvt 1 2\ns off\nusemtl steel\n"
                       "\tf  1 3 2 # bottom\r\nf 1 2 4\t\r\nf 1 4 3\nf 2 3 4\n");
}

static void polygons_are_fanned(void **state)
{
    (void)state;
    static const char CUBE[] = "v 0 0 0 1.0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                               "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    Status status = {0};
    Mesh *mesh = read_text(CUBE, &status);
    assert_non_null(mesh);
    assert_int_equal(mesh->triangle_count, 12);
    assert_true(mesh_check_closed(mesh, &status));
    assert_near(mesh_mass_properties(mesh, 1.0).mass, 1.0, 1e-15);
    mesh_destroy(mesh);
}

static void many_vertices_are_kept(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    char *text = malloc(40 * COUNT), *end = text;
    for (int i = 0; i < COUNT; i++)
        end += sprintf(end, "v %d 0.5 -1e-3\n", i);
    for (int i = 0; i + 2 < COUNT; i++)
        end += sprintf(end, "f %d %d %d\n", i + 1, i + 2, i + 3);
    Status status = {0};
    Mesh *mesh = read_text(text, &status);
    free(text);
    assert_non_null(mesh);
    assert_int_equal(mesh->vertex_count, COUNT);
    assert_int_equal(mesh->triangle_count, COUNT - 2);
    assert_near(mesh->vertices[COUNT - 1].x, COUNT - 1, 0.0);
    assert_int_equal(mesh->triangles[COUNT - 3][2], COUNT - 1);
    mesh_destroy(mesh);
}

/* The message is PATH followed by `rest`. */
static void assert_refused(const char *text, const char *rest)
{
    char path[32], expected[128];
    Status status = {0};
    write_obj(path, text);
    Mesh *mesh = obj_read_beside(path, path + FOLDER_LENGTH, &status);
    unlink(path);
    assert_null(mesh);
    assert_int_equal(status.code, STATUS_BAD_FILE);
    snprintf(expected, sizeof expected, "%s%s", path + FOLDER_LENGTH, rest);
    assert_string_equal(status.message, expected);
}

static void what_is_wrong_is_said_with_its_line_and_column(void **state)
{
    (void)state;
    assert_refused("v 1 2 x3\n", ":1:7: not a number");
    assert_refused("v 1 2 3\nv 1 2,5 3\n", ":2:5: not a number");
    assert_refused("v 1 2\n", ":1:6: a vertex needs three numbers");
    assert_refused("# a\nv 1 nan 3\n", ":2:5: not a finite number");
    assert_refused("v 1 2 1e999\n", ":1:7: not a finite number");
    assert_refused("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", ":4:7: no vertex of this index stands above");
    assert_refused("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 0 2\n", ":4:5: no vertex of this index stands above");
    assert_refused("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -4 1 2\n", ":4:3: no vertex of this index stands above");
    assert_refused("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 99999999999999999999 2\n",
                   ":4:5: no vertex of this index stands above");
    assert_refused("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 b\n", ":4:7: not a vertex index");
    assert_refused("v 0 0 0\nv 1 0 0\nv 0 1 0\n  f 1 2\n", ":4:8: a face needs three corners");
    assert_refused("v 0 0 0\nv 1 0 0\nv 0 1 0\n", ":3:1: the mesh has no faces");
}

static void assert_not_opened(const char *file, const char *name, const char *message)
{
    Status status = {0};
    Mesh *mesh = obj_read_beside(file, name, &status);
    if (mesh)
        fail_msg("%s is read", name);
    assert_int_equal(status.code, STATUS_BAD_FILE);
    assert_string_equal(status.message, message);
}

static void a_missing_file_is_named(void **state)
{
    (void)state;
    assert_not_opened("/tmp/scene.json", "thing.obj", "thing.obj: No such file or directory");
    assert_not_opened("/nowhere/scene.json", "thing.obj", "thing.obj: No such file or directory");
    assert_not_opened("scene.json", "no/thing.obj", "no/thing.obj: No such file or directory");
}

/* A tree with a mesh in it, at its top and below, and links and a pipe beside them; a mesh lies above, too. */
static void a_file_leads_to_its_own_folder_alone(void **state)
{
    (void)state;
    static const char UP[] = ": must lie in the folder of the file that names it, or below: copy it there",
                      LINK[] = ": leads through a link, or through what is no folder: copy the file";
    static const char *const found[] = {"a.obj", "below/a.obj", "./below/./a.obj"},
                             *const lost[][2] = {{"../above.obj", UP},
                                                 {"below/../a.obj", UP},
                                                 {"below/..", UP},
                                                 {"below//a.obj", UP},
                                                 {"link.obj", LINK},
                                                 {"door/above.obj", LINK},
                                                 {"home/a.obj", LINK},
                                                 {"a.obj/a.obj", LINK},
                                                 {"below", ": is not a plain file"},
                                                 {"pipe", ": is not a plain file"}};
    char folder[] = "/tmp/rigor_obj_XXXXXX", make[512], scene[64], message[1024];
    assert_non_null(mkdtemp(folder));
    snprintf(scene, sizeof scene, "%s/in/scene.json", folder);
    snprintf(
        make, sizeof make,
        "cd %s && mkdir -p in/below && printf '%sf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >above.obj && cp above.obj "
        "in/a.obj && cp above.obj in/below && cd in && ln -s ../above.obj link.obj && ln -s .. door && ln -s below "
        "home && mv below/above.obj below/a.obj && mkfifo pipe",
        folder, TETRAHEDRON);
    assert_int_equal(system(make), 0);
    for (size_t i = 0; i < sizeof found / sizeof *found; i++) {
        Status status = {0};
        Mesh *mesh = obj_read_beside(scene, found[i], &status);
        if (!mesh)
            fail_msg("%s", status.message);
        assert_string_equal(mesh->file, found[i]);
        mesh_destroy(mesh);
    }
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
        snprintf(message, sizeof message, "%s%s", lost[i][0], lost[i][1]);
        assert_not_opened(scene, lost[i][0], message);
    }
    snprintf(make, sizeof make, "%s/in/a.obj", folder);
    snprintf(message, sizeof message, "%s%s", make, UP);
    assert_not_opened(scene, make, message);
    snprintf(make, sizeof make, "rm -r %s", folder);
    assert_int_equal(system(make), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_of_index_is_read),
        cmocka_unit_test(comments_blanks_and_other_lines_are_passed_over),
        cmocka_unit_test(polygons_are_fanned),
        cmocka_unit_test(many_vertices_are_kept),
        cmocka_unit_test(what_is_wrong_is_said_with_its_line_and_column),
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(a_file_leads_to_its_own_folder_alone),
    };
    return cmocka_run_group_tests_name("obj", tests, NULL, NULL);
}
