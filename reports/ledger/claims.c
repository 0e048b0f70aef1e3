/* SPDX-License-Identifier: MIT */
#include "reports/ledger/claims.h"

#include "bench/files/folder.h"
#include "bench/files/text_file.h"
#include "reports/figure/expression.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

const char *const finding_names[FINDINGS + 1] = {"confirmed", "refuted", "bounded", "no claim", NULL};

static const char *const ROOT_KEYS[] = {"rigor", "lecture", "title", "author", "lines", "sha256", "entries", NULL};
static const char *const CLAIM_KEYS[] = {"lines", "slide", "claim",  "finding", "verdict", "number",
                                         "rough", "shows", "unit",   "numbers", "given",   "let",
                                         "holds", "scene", "figure", "test",    "code",    NULL};
static const char *const NUMBER_KEYS[] = {"shows", "number", "unit", "rough", NULL};
static const char *const SILENT_KEYS[] = {"lines", "no_claim", NULL};

/* A name that an expression may have. */
static bool is_name(const char *text)
{
    return *text && strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == strlen(text);
}

/* Every value is [command, path]. */
static bool read_let(Node node)
{
    const char *key;
    json_t *value;
    if (!json_is_object(node.value))
        return node_wrong_type(node, "an object");
    json_object_foreach (node.value, key, value) {
        Node pair = node_get(&node, key);
        const char *text;
        if (!is_name(key))
            return node_fail(pair, "is no name of a number");
        if (!node_array_of(pair, 2) || !node_text(node_at(&pair, 0), &text) || !node_text(node_at(&pair, 1), &text))
            return false;
    }
    return true;
}

static bool read_expressions(Node list)
{
    if (!node_array(list))
        return false;
    for (size_t i = 0; i < json_array_size(list.value); i++) {
        const char *text = "";
        Status status = {0};
        Node node = node_at(&list, i);
        if (!node_text(node, &text))
            return false;
        if (!expression_check(text, &status))
            return node_fail(node, "%s", status.message);
    }
    return true;
}

/* `shows`, `number`, `unit` and `rough` of an entry, or of one of its `numbers`. */
static bool read_number(const Node *node, ClaimNumber *number)
{
    Node shows = node_get(node, "shows");
    Status status = {0};
    if (!node_required(shows) || !node_text(shows, &number->shows) || !node_required(node_get(node, "number")) ||
        !node_real(node_get(node, "number"), &number->value) || !node_text(node_get(node, "unit"), &number->unit) ||
        !node_bool(node_get(node, "rough"), &number->rough))
        return false;
    return expression_check(number->shows, &status) || node_fail(shows, "%s", status.message);
}

/* The numbers of the words beside `{number}`. */
static bool read_more_numbers(Node node, Claim *claim)
{
    const char *key;
    json_t *value;
    if (!node.value)
        return true;
    if (!json_is_object(node.value))
        return node_wrong_type(node, "an object");
    json_object_foreach (node.value, key, value) {
        Node more = node_get(&node, key);
        if (!is_name(key) || strcmp(key, "number") == 0)
            return node_fail(more, "is no name of a number");
        if (claim->number_count == CLAIM_NUMBERS)
            return node_fail(node, "a verdict shows at most %d numbers", CLAIM_NUMBERS);
        ClaimNumber *number = &claim->numbers[claim->number_count++];
        *number = (ClaimNumber){.name = key, .value = NAN};
        if (!node_object(more, NUMBER_KEYS) || !read_number(&more, number))
            return false;
    }
    return true;
}

/* A number of the words, and where it is from. */
static bool read_given(Node node)
{
    const char *key;
    json_t *value;
    if (!node.value)
        return true;
    if (!json_is_object(node.value))
        return node_wrong_type(node, "an object");
    json_object_foreach (node.value, key, value) {
        const char *source = "";
        Node one = node_get(&node, key);
        if (!node_text(one, &source))
            return false;
        if (!*key || !*source)
            return node_fail(one, "must say where the number is from");
    }
    return true;
}

/* A claim needs a number that decides it. */
static bool read_evidence(const Node *node, Claim *claim)
{
    Node let = node_get(node, "let"), holds = node_get(node, "holds"), given = node_get(node, "given");
    int finding = FINDING_CONFIRMED;
    char what[64];
    claim->numbers[0].name = "number";
    claim->number_count = 1;
    if (!node_required(node_get(node, "finding")) || !node_choice(node_get(node, "finding"), finding_names, &finding) ||
        !node_required(let) || !read_let(let) || !node_required(holds) || !read_expressions(holds) ||
        !read_number(node, &claim->numbers[0]) || !read_more_numbers(node_get(node, "numbers"), claim) ||
        !read_given(given))
        return false;
    if (json_object_size(let.value) == 0 || json_array_size(holds.value) == 0)
        return node_fail(*node, "a claim needs a number in `let` and a condition in `holds`");
    claim->finding = (Finding)finding;
    claim->let = let.value;
    claim->holds = holds.value;
    claim->given = given.value;
    return claim_words_are_backed(claim, what) ||
           node_fail(node_get(node, "verdict"),
                     "'%s' is no number of a run (`numbers`), no setting of its commands, and not in `given`", what);
}

/* Is it in the list of slides, and does it begin no later than what is said on it ends? */
static bool slide_is_listed(const Ledger *ledger, const Claim *claim)
{
    const char *lecture = ledger->lectures[claim->lecture].name;
    for (const char *line = ledger->slides; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char *title;
        bool begun = strncmp(line, lecture, strlen(lecture)) == 0 &&
                     strtol(line + strlen(lecture), &title, 10) <= claim->last && *title == ' ';
        if (begun && strcspn(++title, "\n") == strlen(claim->slide) &&
            strncmp(title, claim->slide, strlen(claim->slide)) == 0)
            return true;
    }
    return false;
}

static bool read_claim(const Ledger *ledger, const Node *node, Claim *claim)
{
    static const char *const REQUIRED[] = {"slide", "claim", "verdict"};
    if (!node_object(*node, CLAIM_KEYS))
        return false;
    for (int i = 0; i < 3; i++)
        if (!node_required(node_get(node, REQUIRED[i])))
            return false;
    if (!node_text(node_get(node, "slide"), &claim->slide))
        return false;
    if (!slide_is_listed(ledger, claim))
        return node_fail(node_get(node, "slide"), "no slide of lecture %s up to line %d is called '%s' (slides.txt)",
                         ledger->lectures[claim->lecture].name, claim->last, claim->slide);
    return node_text(node_get(node, "claim"), &claim->claim) && node_text(node_get(node, "verdict"), &claim->verdict) &&
           read_evidence(node, claim) && node_text(node_get(node, "scene"), &claim->scene) &&
           node_text(node_get(node, "figure"), &claim->figure) && node_text(node_get(node, "test"), &claim->test) &&
           node_text(node_get(node, "code"), &claim->code);
}

/* Entries follow each other: each begins at the line after the last one's end. */
static bool read_entry(const Ledger *ledger, const Node *node, int next, Claim *claim)
{
    Node lines = node_get(node, "lines"), silent = node_get(node, "no_claim");
    double first = 0.0, last = 0.0;
    if (!node_required(lines) || !node_array_of(lines, 2) || !node_real(node_at(&lines, 0), &first) ||
        !node_real(node_at(&lines, 1), &last))
        return false;
    if (first != next || !(last >= first) || last != floor(last) || last > 1e6)
        return node_fail(lines, "the entry before ends at line %d: this one must begin at %d", next - 1, next);
    claim->first = (int)first;
    claim->last = (int)last;
    if (!silent.value)
        return read_claim(ledger, node, claim);
    claim->finding = FINDING_NO_CLAIM;
    return node_object(*node, SILENT_KEYS) && node_text(silent, &claim->claim);
}

static bool read_lecture(Ledger *ledger, Lecture *lecture, Status *status)
{
    Reader reader = {.path = lecture->path, .status = status};
    Node root = {.reader = &reader, .value = lecture->document}, list = node_get(&root, "entries");
    double lines = 0.0;
    static const char *const REQUIRED[] = {"lecture", "title", "author", "lines", "sha256", "entries"};
    if (!node_object(root, ROOT_KEYS) || !file_read_version(&root))
        return false;
    for (int i = 0; i < 6; i++)
        if (!node_required(node_get(&root, REQUIRED[i])))
            return false;
    if (!node_text(node_get(&root, "lecture"), &lecture->name) ||
        !node_text(node_get(&root, "title"), &lecture->title) ||
        !node_text(node_get(&root, "author"), &lecture->author) ||
        !node_text(node_get(&root, "sha256"), &lecture->sha256) || !node_real(node_get(&root, "lines"), &lines) ||
        !node_array(list))
        return false;
    lecture->lines = (int)lines;
    size_t count = json_array_size(list.value);
    Claim *claims = realloc(ledger->claims, sizeof *claims * ((size_t)ledger->claim_count + count + 1));
    if (!claims)
        return node_fail(root, "out of memory");
    ledger->claims = claims;
    int next = 1;
    for (size_t i = 0; i < count; i++) {
        Node node = node_at(&list, i);
        Claim *claim = &claims[ledger->claim_count];
        *claim = (Claim){.lecture = (int)(lecture - ledger->lectures)};
        if (!read_entry(ledger, &node, next, claim))
            return false;
        next = claim->last + 1;
        ledger->claim_count++;
    }
    return next == lecture->lines + 1 || node_fail(list, "lines %d to %d are not covered", next, lecture->lines);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const Lecture *)a)->path, ((const Lecture *)b)->path);
}

/* The paths of all files, in order. */
static bool find_lectures(Ledger *ledger, const char *folder, Status *status)
{
    DIR *entries = opendir(folder);
    if (!entries)
        return status_set(status, STATUS_FAILED, "%s: the ledger of claims is not there", folder);
    bool ok = true;
    for (struct dirent *entry = readdir(entries); ok && entry; entry = readdir(entries)) {
        size_t length = strlen(entry->d_name);
        if (length < 6 || strcmp(entry->d_name + length - 5, ".json") != 0)
            continue;
        Lecture *lectures = realloc(ledger->lectures, sizeof *lectures * ((size_t)ledger->lecture_count + 1));
        Text path = {0};
        text_add(&path, "%s/%s", folder, entry->d_name);
        ok = lectures && !path.failed;
        ledger->lectures = lectures ? lectures : ledger->lectures;
        if (ok)
            lectures[ledger->lecture_count++] = (Lecture){.path = path.data};
        else
            free(path.data);
    }
    closedir(entries);
    if (ok && ledger->lecture_count > 1)
        qsort(ledger->lectures, (size_t)ledger->lecture_count, sizeof *ledger->lectures, by_name);
    return ok || status_set(status, STATUS_FAILED, "out of memory");
}

static bool read_slides(Ledger *ledger, const char *folder, Status *status)
{
    Text path = {0};
    text_add(&path, "%s/slides.txt", folder);
    ledger->slides = path.failed ? NULL : text_file_read(path.data);
    free(path.data);
    return ledger->slides ||
           status_set(status, STATUS_FAILED, "%s/slides.txt: the list of slides is not there", folder);
}

bool ledger_read(Ledger *ledger, Status *status)
{
    char own[FOLDER_TEXT];
    const char *named = getenv("RIGOR_CLAIMS");
    return ledger_read_folder(ledger, named ? named : folder_path(FOLDER_REPORTS, "claims", own), status);
}

bool ledger_read_folder(Ledger *ledger, const char *folder, Status *status)
{
    *ledger = (Ledger){.folder = strdup(folder)};
    bool ok = (ledger->folder || status_set(status, STATUS_FAILED, "out of memory")) &&
              find_lectures(ledger, folder, status) && read_slides(ledger, folder, status);
    for (int i = 0; ok && i < ledger->lecture_count; i++) {
        Lecture *lecture = &ledger->lectures[i];
        lecture->document = file_parse(lecture->path, status);
        ok = lecture->document && read_lecture(ledger, lecture, status);
    }
    return ok;
}

void ledger_free(Ledger *ledger)
{
    for (int i = 0; i < ledger->lecture_count; i++) {
        json_decref(ledger->lectures[i].document);
        free(ledger->lectures[i].path);
    }
    free(ledger->lectures);
    free(ledger->claims);
    free(ledger->slides);
    free(ledger->folder);
    *ledger = (Ledger){0};
}

const char *claim_command(const Claim *claim)
{
    const char *key;
    json_t *pair;
    json_object_foreach ((json_t *)claim->let, key, pair)
        return json_string_value(json_array_get(pair, 0));
    return NULL;
}
