/* SPDX-License-Identifier: MIT */
#include "bench/text/lecture.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const LectureText *lecture_find(const char *name)
{
    for (const LectureText *text = lecture_texts; text->name; text++)
        if (strcmp(text->name, name) == 0)
            return text;
    return NULL;
}

const Solver *lecture_solver(const Solver *solver)
{
    for (int i = 0; i < solver_count; i++)
        if (all_solvers[i]->text_of && (all_solvers[i] == solver || strcmp(all_solvers[i]->text_of, solver->name) == 0))
            return all_solvers[i];
    return NULL;
}

/* `[001] Title of the slide` */
static bool line_names_slide(const char *line)
{
    return strncmp(line, "/* [", 4) == 0 && isdigit((unsigned char)line[4]) && isdigit((unsigned char)line[5]) &&
           isdigit((unsigned char)line[6]) && line[7] == ']' && line[8] == ' ';
}

/* A function that the loop calls around the substeps. */
static bool line_begins_frame(const char *line)
{
    static const char *const CALLED[] = {"_destroy(", "_reserve(", "_create(", "_plan("};
    for (size_t i = 0; i < sizeof CALLED / sizeof CALLED[0]; i++)
        if (strncmp(line, "static ", 7) == 0 && strstr(line, CALLED[i]))
            return true;
    return false;
}

/* The line after a comment that begins here. */
static int comment_end(const LectureText *text, int line)
{
    while (text->lines[line] && !strstr(text->lines[line], "*/"))
        line++;
    return text->lines[line] ? line + 1 : line;
}

static void section_set_code(const LectureText *text, LectureSection *section, int from, int to)
{
    while (from < to && text->lines[from][0] == '\0')
        from++;
    while (to > from && text->lines[to - 1][0] == '\0')
        to--;
    section->code = from;
    section->code_end = to;
}

static LectureSection section_about(const LectureText *text, int line)
{
    const char *title = text->lines[line] + strlen("/* [001] ");
    LectureSection section = {.note = line + 1, .note_end = comment_end(text, line)};
    snprintf(section.lecture, sizeof section.lecture, "%.3s", text->lines[line] + strlen("/* ["));
    snprintf(section.title, sizeof section.title, "%s", title);
    char *end = strstr(section.title, "*/");
    if (end)
        *end = '\0';
    for (size_t length = strlen(section.title); length > 0 && section.title[length - 1] == ' ';)
        section.title[--length] = '\0';
    return section;
}

/* Where what the loop calls begins, with the comment right above it. */
static int frame_begin(const LectureText *text, int from)
{
    int line = from;
    while (text->lines[line] && !line_begins_frame(text->lines[line]))
        line++;
    while (line > from && text->lines[line] && text->lines[line - 1][0] != '\0' && text->lines[line - 1][0] != '}')
        line--;
    return line;
}

int lecture_sections(const LectureText *text, LectureSection sections[LECTURE_SECTIONS])
{
    int header = comment_end(text, 0), line = header, count = 0;
    sections[count++] = (LectureSection){.title = "", .note = 0, .note_end = header};
    sections[count++] = (LectureSection){.title = "What it keeps"};
    int begin = line;
    for (; text->lines[line] && count < LECTURE_SECTIONS - 1; line++) {
        if (!line_names_slide(text->lines[line]))
            continue;
        section_set_code(text, &sections[count - 1], begin, line);
        sections[count] = section_about(text, line);
        begin = sections[count++].note_end;
        line = begin - 1;
    }
    int frame = frame_begin(text, begin), end = frame;
    section_set_code(text, &sections[count - 1], begin, frame);
    while (text->lines[end])
        end++;
    sections[count] = (LectureSection){.title = "What the loop calls"};
    section_set_code(text, &sections[count++], frame, end);
    return count;
}

const char *lecture_note_line(const LectureText *text, int line, char out[LECTURE_LINE])
{
    const char *from = text->lines[line];
    from += strncmp(from, "/* ", 3) == 0 ? 3 : strncmp(from, " * ", 3) == 0 ? 3 : strcmp(from, " *") == 0 ? 2 : 0;
    snprintf(out, LECTURE_LINE, "%s", from);
    char *end = strstr(out, "*/");
    if (end)
        *end = '\0';
    for (size_t length = strlen(out); length > 0 && out[length - 1] == ' ';)
        out[--length] = '\0';
    return out;
}
