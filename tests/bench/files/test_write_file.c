/* SPDX-License-Identifier: MIT */
/* Files appear whole or not at all, with the mode and owner of what they replace, behind links and not in their place.
 */
#include "bench/files/write_file.h"
#include "tests/support/scratch.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void assert_holds(const char *path, const char *text)
{
    char content[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t size = fread(content, 1, sizeof content - 1, file);
    fclose(file);
    assert_int_equal(size, strlen(text));
    assert_string_equal(content, text);
}

static void replaced_files_keep_their_mode_and_owner(void **state)
{
    Scratch *scratch = *state;
    Status status = {0};
    static const mode_t MODES[] = {0600, 0640, 0444, 0664, 0755, 0606};
    const char *path = scratch_write(scratch, "file", "old");
    for (size_t i = 0; i < sizeof MODES / sizeof MODES[0]; i++) {
        struct stat before, after;
        assert_true(geteuid() != 0 || chown(path, 1000 + (uid_t)i, 2000 + (gid_t)i) == 0);
        assert_int_equal(chmod(path, MODES[i]), 0);
        assert_int_equal(stat(path, &before), 0);
        assert_true(file_write_text(path, "new", &status));
        assert_int_equal(stat(path, &after), 0);
        assert_int_not_equal(before.st_ino, after.st_ino);
        assert_int_equal(before.st_mode, after.st_mode);
        assert_int_equal(before.st_uid, after.st_uid);
        assert_int_equal(before.st_gid, after.st_gid);
    }
}

static void links_are_followed_or_refused(void **state)
{
    Scratch *scratch = *state;
    Status status = {0};
    char target[128], link[128], chain[128], nowhere[128];
    struct stat facts;
    snprintf(target, sizeof target, "%s", scratch_write(scratch, "target", "old"));
    snprintf(link, sizeof link, "%s", scratch_path(scratch, "link"));
    snprintf(chain, sizeof chain, "%s", scratch_path(scratch, "chain"));
    snprintf(nowhere, sizeof nowhere, "%s", scratch_path(scratch, "nowhere"));
    assert_int_equal(symlink("target", link), 0);
    assert_int_equal(symlink("link", chain), 0);
    assert_int_equal(symlink("gone", nowhere), 0);
    assert_true(file_write_text(chain, "new", &status));
    assert_holds(target, "new");
    assert_false(file_write_text(nowhere, "new", &status));
    assert_non_null(strstr(status.message, "is a link to nothing that is there, and is not replaced"));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(lstat(i == 0 ? link : i == 1 ? chain : nowhere, &facts), 0);
        assert_true(S_ISLNK(facts.st_mode));
    }
    assert_int_not_equal(stat(scratch_path(scratch, "gone"), &facts), 0);
    /* In folders that others may write to a link is replaced, and what it points to is as it was. */
    FileWriter writer;
    assert_true(writer_open_unlinked(&writer, link, &status));
    assert_true(writer_close(&writer, (fputs("own", writer.file), true), &status));
    assert_holds(link, "own");
    assert_holds(target, "new");
}

/* A process that ends anywhere between opening and closing. */
static void a_file_that_is_not_closed_is_not_there(void **state)
{
    Scratch *scratch = *state;
    const char *path = scratch_write(scratch, "file", "old");
    for (int written = 0; written < 3; written++) {
        pid_t child = fork();
        if (child == 0) {
            FileWriter writer;
            Status status = {0};
            if (!writer_open(&writer, path, &status))
                _exit(1);
            for (int i = 0; i < written; i++)
                fputs("new", writer.file);
            fflush(writer.file);
            kill(getpid(), 9);
        }
        int how;
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_true(WIFSIGNALED(how));
        assert_holds(path, "old");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(replaced_files_keep_their_mode_and_owner, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(links_are_followed_or_refused, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_file_that_is_not_closed_is_not_there, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
