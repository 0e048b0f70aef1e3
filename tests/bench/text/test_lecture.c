/* SPDX-License-Identifier: MIT */
/* The lecture texts as data: nothing of a file is lost on the way to its sections. */
#include "bench/text/lecture.h"
#include "solvers/solver.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <string.h>

static int line_count(const LectureText *text)
{
    int count = 0;
    while (text->lines[count])
        count++;
    return count;
}

static void every_text_has_its_solver_and_every_solver_its_text(void **state)
{
    int texts = 0, solvers = 0;
    (void)state;
    for (const LectureText *text = lecture_texts; text->name; text++, texts++)
        assert_ptr_equal(lecture_find(text->name), text);
    for (int i = 0; i < solver_count; i++) {
        if (!all_solvers[i]->text_of)
            continue;
        char name[64];
        solvers++;
        assert_non_null(lecture_find(all_solvers[i]->text_of));
        snprintf(name, sizeof name, "lecture_%s", all_solvers[i]->text_of);
        assert_string_equal(all_solvers[i]->name, name);
    }
    assert_int_equal(texts, solvers);
    assert_null(lecture_find("lecture"));
}

/* Each line that is not blank stands in one section, as its title, in its notes or in its code. */
static void sections_are_the_whole_text_in_its_order(void **state)
{
    (void)state;
    for (const LectureText *text = lecture_texts; text->name; text++) {
        LectureSection sections[LECTURE_SECTIONS];
        int count = lecture_sections(text, sections), at = 0, lines = line_count(text);
        assert_true(count >= 5);
        for (int i = 0; i < count; i++) {
            const LectureSection *s = &sections[i];
            int title = s->lecture[0] ? s->note - 1 : s->note_end > 0 ? s->note : s->code;
            for (; at < title; at++)
                assert_string_equal(text->lines[at], "");
            if (s->lecture[0]) {
                assert_non_null(strstr(text->lines[title], s->title));
                assert_non_null(strstr(text->lines[title], s->lecture));
            }
            if (s->note_end > 0)
                at = s->note_end;
            for (; at < s->code; at++)
                assert_string_equal(text->lines[at], "");
            if (s->code_end > s->code) {
                assert_true(text->lines[s->code][0] != '\0' && text->lines[s->code_end - 1][0] != '\0');
                at = s->code_end;
            }
        }
        assert_int_equal(at, lines);
    }
}

static void what_the_loop_calls_comes_last_and_has_no_slide(void **state)
{
    (void)state;
    for (const LectureText *text = lecture_texts; text->name; text++) {
        LectureSection sections[LECTURE_SECTIONS];
        int count = lecture_sections(text, sections);
        const LectureSection *last = &sections[count - 1];
        bool solver = false, planned = false;
        assert_string_equal(last->lecture, "");
        for (int i = last->code; i < last->code_end; i++) {
            solver = solver || strncmp(text->lines[i], "const Solver lecture_", 21) == 0;
            planned = planned || strstr(text->lines[i], "_plan(");
        }
        assert_true(solver && planned);
        for (int s = 2; s < count - 1; s++)
            assert_int_equal(strlen(sections[s].lecture), 3);
    }
}

static void notes_lose_their_marks(void **state)
{
    static const char *const LINES[] = {"/* One,", " *     two = 2", " *", " * three. */", "", NULL};
    const LectureText text = {"x", "x.c", LINES};
    char line[LECTURE_LINE];
    (void)state;
    assert_string_equal(lecture_note_line(&text, 0, line), "One,");
    assert_string_equal(lecture_note_line(&text, 1, line), "    two = 2");
    assert_string_equal(lecture_note_line(&text, 2, line), "");
    assert_string_equal(lecture_note_line(&text, 3, line), "three.");
}

static void a_slide_is_told_from_other_comments(void **state)
{
    static const char *const LINES[] = {"/* Head. */",
                                        "#include \"solvers/solver.h\"",
                                        "",
                                        "/* [01] no lecture */",
                                        "typedef int Kept;",
                                        "",
                                        "/* [001] Naive Take 2 */",
                                        "static void one(void);",
                                        "",
                                        "/* [003] Impact",
                                        " *     j = (1 + e) j' */",
                                        "static void two(void);",
                                        "",
                                        "/* Of the loop. */",
                                        "static void x_destroy(void *self);",
                                        "const Solver lecture_x_solver = {0};",
                                        NULL};
    const LectureText text = {"x", "x.c", LINES};
    LectureSection s[LECTURE_SECTIONS];
    (void)state;
    assert_int_equal(lecture_sections(&text, s), 5);
    assert_int_equal(s[1].code, 1);
    assert_int_equal(s[1].code_end, 5);
    assert_string_equal(s[2].title, "Naive Take 2");
    assert_string_equal(s[2].lecture, "001");
    assert_int_equal(s[2].note_end - s[2].note, 0);
    assert_int_equal(s[2].code, 7);
    assert_int_equal(s[2].code_end, 8);
    assert_string_equal(s[3].title, "Impact");
    assert_int_equal(s[3].note, 10);
    assert_int_equal(s[3].note_end, 11);
    assert_int_equal(s[3].code_end, 12);
    assert_int_equal(s[4].code, 13); /* with its comment */
    assert_int_equal(s[4].code_end, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_text_has_its_solver_and_every_solver_its_text),
        cmocka_unit_test(sections_are_the_whole_text_in_its_order),
        cmocka_unit_test(what_the_loop_calls_comes_last_and_has_no_slide),
        cmocka_unit_test(notes_lose_their_marks),
        cmocka_unit_test(a_slide_is_told_from_other_comments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
