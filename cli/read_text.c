/* SPDX-License-Identifier: MIT */
/* rigor read: a lecture text, section by section. */
#include "cli/read.h"

#include <string.h>

static void print_notes(const LectureText *text, const LectureSection *section, Reader *reader)
{
    char line[LECTURE_LINE], words[4096] = "";
    for (int i = section->note; i <= section->note_end; i++) {
        const char *note = i < section->note_end ? lecture_note_line(text, i, line) : "";
        bool formula = note[0] == ' ';
        if (!formula && note[0]) { /* words are filled anew */
            size_t used = strlen(words);
            snprintf(words + used, sizeof words - used, "%s%s", used > 0 ? " " : "", note);
            continue;
        }
        if (words[0])
            reader_words(reader, 0, "%s", words);
        words[0] = '\0';
        if (formula)
            reader_formula(reader, 0, note);
    }
}

static void print_code(const LectureText *text, const LectureSection *section, Reader *reader)
{
    bool comment = false;
    for (int i = section->code; i < section->code_end; i++)
        reader_code(reader, text->lines[i], &comment);
}

static void print_section(const LectureText *text, const LectureSection *section, int number, Reader *reader)
{
    char left[LECTURE_TITLE + 16], right[32] = "";
    snprintf(left, sizeof left, number > 0 ? "%2$d  %1$s" : "%1$s", section->title, number);
    if (section->lecture[0])
        snprintf(right, sizeof right, "lecture %s", section->lecture);
    reader_heading(reader, left, right);
    print_notes(text, section, reader);
    if (section->note_end > section->note)
        fputc('\n', reader->out);
    print_code(text, section, reader);
}

void read_print_text(const Reading *reading, Reader *reader)
{
    LectureSection sections[LECTURE_SECTIONS];
    int count = lecture_sections(reading->text, sections), number = 0;
    fputc('\n', reader->out);
    print_notes(reading->text, &sections[0], reader);
    for (int i = 1; i < count; i++)
        print_section(reading->text, &sections[i], sections[i].lecture[0] ? ++number : 0, reader);
}

static json_t *lines_json(const LectureText *text, int from, int to, bool notes)
{
    json_t *array = json_array();
    char line[LECTURE_LINE];
    for (int i = from; i < to; i++)
        json_array_append_new(array, json_string(notes ? lecture_note_line(text, i, line) : text->lines[i]));
    return array;
}

json_t *read_sections_json(const LectureText *text)
{
    LectureSection sections[LECTURE_SECTIONS];
    json_t *array = json_array();
    int count = lecture_sections(text, sections);
    for (int i = 0; i < count; i++) {
        const LectureSection *s = &sections[i];
        json_t *lecture = s->lecture[0] ? json_string(s->lecture) : json_null();
        json_array_append_new(array, json_pack("{s:o,s:s,s:o,s:o,s:i}", "lecture", lecture, "title",
                                               i == 0 ? "What it is" : s->title, "formula",
                                               lines_json(text, s->note, s->note_end, true), "code",
                                               lines_json(text, s->code, s->code_end, false), "line",
                                               (i == 0 || s->lecture[0] ? s->note : s->code + 1)));
    }
    return array;
}
