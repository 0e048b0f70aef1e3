/* SPDX-License-Identifier: MIT */
/* What is written for the viewer page is what was recorded: whole, and brief with every second frame. */
#include "reports/recording/data.h"

#include "bench/run/recording.h"
#include "solvers/solver.h"
#include "tests/support/scratch.h"

extern const Solver pgs_solver;

/* Half a unit of the 15 significant bits that a brief recording keeps of contacts. */
static const double BRIEF = 1.0 / 32768.0;

/* Half a step of a brief motion over its largest number, and the round-off of adding up differences. */
static const double HALF_STEP = 0.5 / 65536.0 + 1e-12;

static double largest(const double *numbers, size_t count)
{
    double most = 0.0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(numbers[i]));
    return most;
}

static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* The next number of a base64 VLQ. */
static long read_vlq(const char **at)
{
    unsigned long value = 0, bits;
    int shift = 0;
    do {
        bits = (unsigned long)(strchr(DIGITS, *(*at)++) - DIGITS);
        value |= (bits & 31) << shift;
        shift += 5;
    } while (bits & 32);
    return value & 1 ? -(long)(value >> 1) : (long)(value >> 1);
}

/* Numbers of "v2:step:width:": second differences, column by column. */
static size_t unpack_motion(const char *text, double **numbers)
{
    char *end;
    double step = strtod(text + 3, &end);
    size_t width = strtoul(end + 1, &end, 10), count = 0;
    const char *at = end + 1;
    long *changes = malloc(sizeof *changes * (strlen(at) + 1));
    while (*at)
        changes[count++] = read_vlq(&at);
    size_t rows = count / width;
    *numbers = malloc(sizeof **numbers * (count + 1));
    for (size_t column = 0; column < width; column++)
        for (size_t row = 0; row < rows; row++) {
            double *at_column = *numbers + column;
            double before = row > 0 ? at_column[(row - 1) * width] : 0.0;
            double further = row > 1 ? at_column[(row - 2) * width] : before;
            at_column[row * width] = 2.0 * before - further + step * (double)changes[column * rows + row];
        }
    free(changes);
    return count;
}

/* Numbers of a base64 text, its type before it; the count is returned. */
static size_t unpack(const json_t *packed, double **numbers)
{
    const char *text = json_string_value(packed);
    assert_non_null(text);
    if (text[0] == 'v')
        return unpack_motion(text, numbers);
    size_t width = text[1] == '8' ? 8 : 4, length = strlen(text + 3), size = 0;
    unsigned char *bytes = malloc(length + 1);
    for (size_t i = 0; i + 3 < length; i += 4) {
        unsigned value = 0;
        int ends = 0;
        for (int k = 0; k < 4; k++) {
            const char *digit = strchr(DIGITS, text[3 + i + (size_t)k]);
            ends += !digit;
            value = value << 6 | (digit ? (unsigned)(digit - DIGITS) : 0);
        }
        for (int k = 0; k < 3 - ends; k++)
            bytes[size++] = (unsigned char)(value >> (16 - 8 * k));
    }
    assert_int_equal(size % width, 0);
    *numbers = malloc(sizeof **numbers * (size / width + 1));
    if (text[0] == 'p') { /* by planes */
        unsigned char *rows = malloc(size + 1);
        for (size_t i = 0; i < size; i++)
            rows[i] = bytes[i % 4 * (size / 4) + i / 4];
        free(bytes);
        bytes = rows;
    }
    for (size_t i = 0; i < size / width; i++) {
        double wide;
        float single;
        int32_t whole;
        memcpy(&wide, bytes + i * width, text[1] == '8' ? 8 : 0);
        memcpy(&single, bytes + i * width, 4);
        memcpy(&whole, bytes + i * width, 4);
        (*numbers)[i] = text[0] == 'i' ? whole : text[1] == '8' ? wide : (double)single;
    }
    free(bytes);
    return size / width;
}

/* Two boxes that fall a little and land: some frames have contacts, some have none. */
static char *record(Scratch *scratch)
{
    Run run = {.dt = 1.0 / 60.0, .time = 0.45, .without_truth = true};
    Status status = {0};
    assert_true(run_choose_scene(&run, "stack", &status));
    assert_true(run_set_param(&run, "boxes", "2", &status) && run_set_param(&run, "gap", "0.173", &status));
    run_choose_solver(&run, &pgs_solver);
    char *path = strdup(scratch_path(scratch, "run.h5"));
    if (!run_make_recorded(&run, path))
        fail_msg("%s", run.status.message);
    run_clear(&run);
    return path;
}

static json_t *write_and_parse(char *path, RecordingDetail detail)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    Status status = {0};
    if (!recordings_write(out, &path, 1, detail, &status))
        fail_msg("%s", status.message);
    fclose(out);
    json_t *document = json_loads(text, 0, NULL);
    assert_non_null(document);
    free(text);
    json_t *recording = json_incref(json_array_get(json_object_get(document, "recordings"), 0));
    json_decref(document);
    return recording;
}

static void brief_has_every_second_frame(void **state)
{
    static const char *const NAMES[] = {"time", "position", "orientation", "velocity", "angular_velocity"};
    char *path = record(*state);
    json_t *whole = write_and_parse(path, RECORDING_WHOLE), *brief = write_and_parse(path, RECORDING_BRIEF);
    double *times, *a, *b;
    size_t frames = unpack(json_object_get(whole, "time"), &times);
    assert_int_equal(frames, 28);
    for (size_t n = 0; n < sizeof NAMES / sizeof NAMES[0]; n++) {
        size_t all = unpack(json_object_get(whole, NAMES[n]), &a), kept = unpack(json_object_get(brief, NAMES[n]), &b);
        size_t width = all / frames;
        assert_int_equal(kept, (frames + 1) / 2 * width);
        for (size_t i = 0; i < kept; i++)
            assert_true(fabs(b[i] - a[i / width * 2 * width + i % width]) <= HALF_STEP * largest(a, all));
        free(a);
        free(b);
    }
    free(times);
    json_decref(whole);
    json_decref(brief);
    free(path);
}

static void brief_keeps_the_contacts_of_its_frames(void **state)
{
    char *path = record(*state);
    json_t *recordings[2] = {write_and_parse(path, RECORDING_WHOLE), write_and_parse(path, RECORDING_BRIEF)};
    double *offset[2], *point[2], *impulse[2];
    size_t frames[2], rows[2];
    for (int i = 0; i < 2; i++) {
        json_t *contacts = json_object_get(recordings[i], "contacts");
        frames[i] = unpack(json_object_get(contacts, "offset"), &offset[i]);
        rows[i] = unpack(json_object_get(contacts, "point"), &point[i]) / 3;
        assert_int_equal(unpack(json_object_get(contacts, "impulse"), &impulse[i]), 3 * rows[i]);
    }
    size_t touching = 0, free_frames = 0;
    for (size_t f = 0; f < frames[1]; f++) {
        size_t from[2], to[2];
        for (int i = 0; i < 2; i++) {
            size_t at = i == 0 ? 2 * f : f;
            from[i] = (size_t)offset[i][at];
            to[i] = at + 1 < frames[i] ? (size_t)offset[i][at + 1] : rows[i];
        }
        assert_int_equal(to[1] - from[1], to[0] - from[0]);
        for (size_t k = 0; k < 3 * (to[1] - from[1]); k++) {
            double *pair[2][2] = {{point[0], point[1]}, {impulse[0], impulse[1]}};
            for (int i = 0; i < 2; i++) {
                double exact = pair[i][0][3 * from[0] + k];
                assert_true(fabs(pair[i][1][3 * from[1] + k] - exact) <= BRIEF * fabs(exact));
            }
        }
        touching += to[1] > from[1];
        free_frames += to[1] == from[1];
    }
    assert_true(touching > 0 && free_frames > 0);
    for (int i = 0; i < 2; i++) {
        free(offset[i]);
        free(point[i]);
        free(impulse[i]);
        json_decref(recordings[i]);
    }
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(brief_has_every_second_frame, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(brief_keeps_the_contacts_of_its_frames, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
