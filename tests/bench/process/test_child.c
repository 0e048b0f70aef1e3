/* SPDX-License-Identifier: MIT */
/* What reads files of others has bounds: of time, of memory, of what it gives, of what it may do; and its end is a
 * message. */
#include "bench/process/child.h"
#include "bench/process/confine.h"
#include "bench/process/sanitized.h"
#include "tests/support/check.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static bool give(FILE *out, int in, void *text, Status *status)
{
    (void)in, (void)status;
    return fputs(text, out) >= 0;
}

static bool refuse(FILE *out, int in, void *context, Status *status)
{
    (void)in, (void)context;
    fputs("half", out);
    return status_set(status, STATUS_BAD_FILE, "x.h5: position: has no frame");
}

static bool crash(FILE *out, int in, void *context, Status *status)
{
    (void)out, (void)in, (void)context, (void)status;
    signal(SIGSEGV, SIG_DFL); /* a sanitizer's report is not wanted */
    return raise(SIGSEGV) != 0;
}

static bool loop(FILE *out, int in, void *context, Status *status)
{
    (void)out, (void)in, (void)context, (void)status;
    for (volatile unsigned turn = 1; turn > 0; turn |= 1)
        continue;
    return true;
}

/* Asks for a little more than it may have, and uses it. */
static bool hoard(FILE *out, int in, void *context, Status *status)
{
    (void)in, (void)context;
    char *bytes = malloc(READ_BYTES);
    if (!bytes)
        return status_set(status, STATUS_FAILED, "out of memory");
    bytes[READ_BYTES / 2] = 1;
    fputc(bytes[READ_BYTES / 2], out);
    free(bytes);
    return true;
}

/* More than it may, quickly. */
static bool pour(FILE *out, int in, void *context, Status *status)
{
    static char block[1 << 20];
    (void)in, (void)context, (void)status;
    for (unsigned long long given = 0; given <= READ_BYTES + sizeof block; given += sizeof block)
        if (fwrite(block, 1, sizeof block, out) != sizeof block)
            return false;
    return true;
}

static void data_and_messages_come_through(void **state)
{
    char *text = NULL;
    size_t size = 0;
    Status status = {0};
    FILE *out = open_memstream(&text, &size);
    (void)state;
    assert_true(read_in_child(out, give, "some bytes", "x.h5", &status));
    assert_false(read_in_child(out, refuse, NULL, "x.h5", &status));
    assert_string_equal(status.message, "x.h5: position: has no frame");
    assert_int_equal(status.code, STATUS_BAD_FILE);
    fclose(out);
    assert_string_equal(text, "some bytes");
    free(text);
}

static void assert_ends(ChildWork *work, StatusCode code, const char *message)
{
    Status status = {0};
    FILE *out = fopen("/dev/null", "w");
    assert_false(read_in_child(out, work, NULL, "x.h5", &status));
    assert_int_equal(status.code, code);
    if (!strstr(status.message, message))
        fail_msg("'%s' is not '%s'", status.message, message);
    fclose(out);
}

static void crash_is_a_message(void **state)
{
    (void)state;
    assert_ends(crash, STATUS_BAD_FILE, "x.h5: reading it crashed (Segmentation fault)");
}

static void memory_is_bounded(void **state)
{
    (void)state;
    if (SANITIZED)
        skip(); /* its own memory is beyond every bound */
    assert_ends(hoard, STATUS_FAILED, "out of memory");
}

static void what_it_gives_is_bounded(void **state)
{
    (void)state;
    assert_ends(pour, STATUS_BAD_FILE, "x.h5: holds more than 4 GB");
}

static void time_is_bounded(void **state)
{
    (void)state;
    assert_ends(loop, STATUS_BAD_FILE, "x.h5: is not read within 10 s");
}

/* A reader that nobody listens to any longer is ended, however much it still has to give. */
static void full_disk_is_a_message(void **state)
{
    Status status = {0};
    FILE *out = fopen("/dev/full", "w");
    (void)state;
    if (!out)
        skip();
    assert_false(read_in_child(out, pour, NULL, "x.h5", &status));
    assert_string_equal(status.message, "what was read of x.h5 cannot be written");
    assert_int_equal(status.code, STATUS_FAILED);
    fclose(out);
}

/* What a reader has no business with; each is refused, and it lives on. */
static bool try_everything(FILE *out, int in, void *other, Status *status)
{
    char byte;
    int *descriptor = other;
    (void)status;
    fprintf(out, "%d", read(in, &byte, 1) == 1 && byte == 'x'); /* this it may */
    fprintf(out, " %d", open("x.h5", O_RDONLY) >= 0);
    fprintf(out, " %d", open("/proc/self/status", O_RDONLY) >= 0);
    fprintf(out, " %d", open("made", O_WRONLY | O_CREAT, 0666) >= 0);
    fprintf(out, " %d", write(in, "x", 1) >= 0);
    fprintf(out, " %d", unlink("x.h5") == 0);
    fprintf(out, " %d", mkdir("made", 0777) == 0);
    fprintf(out, " %d", chmod("x.h5", 0777) == 0);
    fprintf(out, " %d", socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
    fprintf(out, " %d", socket(AF_INET, SOCK_STREAM, 0) >= 0);
    fprintf(out, " %d", kill(getppid(), 0) == 0);
    fprintf(out, " %d", fork() >= 0);
    fprintf(out, " %d", execl("/bin/true", "true", (char *)NULL) == 0);
    fprintf(out, " %d", mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, in, 0) != MAP_FAILED);
    fprintf(out, " %d", read(*descriptor, &byte, 1) == 1); /* the parent's, but not given */
    fprintf(out, " %d", write(STDOUT_FILENO, "", 1) == 1 && isatty(STDOUT_FILENO));
    return true;
}

static void reader_has_no_authority(void **state)
{
    char *text = NULL;
    size_t size = 0;
    Status status = {0};
    int descriptor = open("x.h5", O_RDONLY);
    FILE *out = open_memstream(&text, &size);
    (void)state;
    if (strncmp(confine_how(), "seccomp", 7) != 0)
        skip(); /* where the kernel has it */
    assert_true(read_in_child(out, try_everything, &descriptor, "x.h5", &status));
    fclose(out);
    close(descriptor);
    assert_string_equal(text, "1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0");
    free(text);
}

/* A pipe nobody writes to, a device, a folder, nothing: a message, at once. */
static void reader_takes_plain_files_alone(void **state)
{
    static const char *const PATHS[] = {"pipe", "/dev/zero", ".", "none.h5", "to_pipe"};
    (void)state;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(symlink("pipe", "to_pipe"), 0);
    for (size_t i = 0; i < sizeof PATHS / sizeof PATHS[0]; i++) {
        Status status = {0};
        assert_false(read_in_child(stdout, give, "some bytes", PATHS[i], &status));
        assert_int_equal(status.code, STATUS_BAD_FILE);
        if (!strstr(status.message, strcmp(PATHS[i], "none.h5") == 0 ? "No such file" : "is not a plain file"))
            fail_msg("'%s'", status.message);
    }
}

static int folder_make(void **state)
{
    static char folder[] = "/tmp/rigor_child_XXXXXX";
    FILE *file = mkdtemp(folder) && chdir(folder) == 0 ? fopen("x.h5", "w") : NULL;
    *state = folder;
    return file && fputs("x", file) >= 0 && fclose(file) == 0 ? 0 : -1;
}

static int folder_remove(void **state)
{
    return unlink("x.h5") != 0 || unlink("pipe") != 0 || unlink("to_pipe") != 0 || rmdir(*state) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_and_messages_come_through),
        cmocka_unit_test(crash_is_a_message),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(what_it_gives_is_bounded),
        cmocka_unit_test(time_is_bounded),
        cmocka_unit_test(full_disk_is_a_message),
        cmocka_unit_test(reader_has_no_authority),
        cmocka_unit_test(reader_takes_plain_files_alone),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
