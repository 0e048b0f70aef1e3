/* What reads files of others has bounds: of time, of memory, of what it gives; and its end is a message. */
#include "bench/child.h"
#include "bench/sanitized.h"
#include "tests/check.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool give(FILE *out, void *text, Status *status)
{
    (void)status;
    return fputs(text, out) >= 0;
}

static bool refuse(FILE *out, void *context, Status *status)
{
    (void)context;
    fputs("half", out);
    return status_set(status, STATUS_BAD_FILE, "x.h5: position: has no frame");
}

static bool crash(FILE *out, void *context, Status *status)
{
    (void)out, (void)context, (void)status;
    signal(SIGSEGV, SIG_DFL); /* a sanitizer's report is not wanted */
    return raise(SIGSEGV) != 0;
}

static bool loop(FILE *out, void *context, Status *status)
{
    (void)out, (void)context, (void)status;
    for (volatile unsigned turn = 1; turn > 0; turn |= 1)
        continue;
    return true;
}

/* Asks for a little more than it may have, and uses it. */
static bool hoard(FILE *out, void *context, Status *status)
{
    (void)context;
    char *bytes = malloc(READ_BYTES);
    if (!bytes)
        return status_set(status, STATUS_FAILED, "out of memory");
    bytes[READ_BYTES / 2] = 1;
    fputc(bytes[READ_BYTES / 2], out);
    free(bytes);
    return true;
}

/* More than it may, quickly. */
static bool pour(FILE *out, void *context, Status *status)
{
    static char block[1 << 20];
    (void)context, (void)status;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_and_messages_come_through),
        cmocka_unit_test(crash_is_a_message),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(what_it_gives_is_bounded),
        cmocka_unit_test(time_is_bounded),
        cmocka_unit_test(full_disk_is_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
