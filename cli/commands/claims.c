/* SPDX-License-Identifier: MIT */
/* rigor claims: what the lectures say, and what our numbers say to it. */
#include "reports/ledger/claims.h"
#include "bench/process/workers.h"
#include "bench/run/json.h"
#include "bench/text/wrap.h"
#include "cli/cli.h"
#include "reports/figure/contents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (; text && *text; text++)
        if (strncasecmp(text, word, length) == 0)
            return true;
    return false;
}

/* A lecture's number, or a word of the claim, its slide, its verdict or its finding; NULL: everything. */
static bool claim_matches(const Ledger *ledger, const Claim *claim, const char *asked)
{
    return !asked || strcmp(ledger->lectures[claim->lecture].name, asked) == 0 || has_word(claim->claim, asked) ||
           has_word(claim->slide, asked) || has_word(claim->verdict, asked) ||
           has_word(finding_names[claim->finding], asked);
}

static json_t *json_text(const char *text)
{
    return text ? json_string(text) : json_null();
}

static const double *checked_numbers(const ClaimCheck *check)
{
    return check ? check->numbers : NULL;
}

/* Every number of the words by its name, with the expression that gives it. */
static json_t *json_numbers(const Claim *claim, const ClaimCheck *check)
{
    json_t *object = json_object();
    for (int i = 0; i < claim->number_count; i++) {
        const ClaimNumber *number = &claim->numbers[i];
        json_object_set_new(object, number->name,
                            json_pack("{s:s,s:o,s:o}", "shows", number->shows, "number",
                                      json_number(check ? check->numbers[i] : number->value), "unit",
                                      json_text(number->unit)));
    }
    return object;
}

static json_t *json_claim(const Ledger *ledger, const Claim *claim, const ClaimCheck *check)
{
    Text verdict = {0};
    const ClaimNumber *shown = &claim->numbers[0];
    double number = claim->number_count == 0 ? NAN : check ? check->numbers[0] : shown->value;
    claim_verdict(claim, checked_numbers(check), &verdict);
    json_t *object = json_pack(
        "{s:s,s:[i,i],s:o,s:o,s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "lecture",
        ledger->lectures[claim->lecture].name, "lines", claim->first, claim->last, "slide", json_text(claim->slide),
        "claim", json_text(claim->claim), "finding", finding_names[claim->finding], "verdict", json_text(verdict.data),
        "number", json_number(number), "unit", json_text(shown->unit), "numbers", json_numbers(claim, check), "scene",
        json_text(claim->scene), "figure", json_text(claim->figure), "test", json_text(claim->test), "code",
        json_text(claim->code), "command", json_text(claim_command(claim)));
    free(verdict.data);
    if (check && claim->finding != FINDING_NO_CLAIM)
        json_object_set_new(object, "supported", json_boolean(check->supported));
    return object;
}

static void print_claim(const Claim *claim, const ClaimCheck *check)
{
    Text verdict = {0};
    char lines[32];
    snprintf(lines, sizeof lines, claim->last > claim->first ? ":%d-%d" : ":%d", claim->first, claim->last);
    printf("  %-9s %-10s", lines, finding_names[claim->finding]);
    fold_print(stdout, claim->claim, 22, 22);
    claim_verdict(claim, checked_numbers(check), &verdict);
    printf("%22s", "");
    fold_print(stdout, verdict.data ? verdict.data : "", 22, 22);
    free(verdict.data);
    if (claim->figure)
        printf("%22sfigure %s\n", "", claim->figure);
    if (check && !check->supported) {
        printf("%22sNOT SUPPORTED: ", "");
        fold_print(stdout, check->why, 37, 22);
    }
}

/* How many of each finding, and lines covered. */
static void print_counts(const Ledger *ledger)
{
    int counts[FINDINGS] = {0}, lines = 0;
    for (int i = 0; i < ledger->claim_count; i++)
        counts[ledger->claims[i].finding]++;
    for (int i = 0; i < ledger->lecture_count; i++)
        lines += ledger->lectures[i].lines;
    fold_line(stdout, "%d claims: %d confirmed, %d bounded, %d refuted; all %d lines of %d lectures are covered",
              counts[FINDING_CONFIRMED] + counts[FINDING_BOUNDED] + counts[FINDING_REFUTED], counts[FINDING_CONFIRMED],
              counts[FINDING_BOUNDED], counts[FINDING_REFUTED], lines, ledger->lecture_count);
}

static void print_claims(const Ledger *ledger, const bool *asked, const ClaimCheck *checks)
{
    int lecture = -1;
    for (int i = 0; i < ledger->claim_count; i++) {
        const Claim *claim = &ledger->claims[i];
        if (claim->finding == FINDING_NO_CLAIM || !asked[i])
            continue;
        if (claim->lecture != lecture) {
            const Lecture *of = &ledger->lectures[claim->lecture];
            fold_line(stdout, "%s%s %s (%s)", lecture < 0 ? "" : "\n", of->name, of->title, of->author);
        }
        lecture = claim->lecture;
        print_claim(claim, checks ? &checks[i] : NULL);
    }
    if (lecture >= 0)
        printf("\n");
}

static bool figure_is_cited(const Ledger *ledger, const char *name)
{
    for (int i = 0; i < ledger->claim_count; i++)
        if (ledger->claims[i].figure && strcmp(ledger->claims[i].figure, name) == 0)
            return true;
    return false;
}

/* What else the page shows: figures that no claim names, and 3D views. */
static void print_other_figures(const Ledger *ledger, const Contents *contents)
{
    printf(
        "\n## More to see\nFigures of the report that no row above names; what begins with `see_` is a 3D view.\n\n");
    for (int i = 0; i < contents->count; i++)
        if (!figure_is_cited(ledger, contents->items[i].name))
            printf("- `%s` (%s)\n", contents->items[i].name,
                   contents->items[i].heading ? contents->items[i].heading : "the page's opening");
}

/* A table of Markdown: slide, code and figure side by side. */
static void print_markdown(const Ledger *ledger, const Contents *contents)
{
    static const char *const MARKS[] = {"✓", "✗", "≈"};
    printf(
        "# From slide to claim to number\n\nMade by `rigor claims --md` from the ledger in `claims/`. ✓ confirmed, ≈ "
        "true within the bounds stated, ✗ refuted.\n");
    for (int l = 0; l < ledger->lecture_count; l++) {
        const Lecture *lecture = &ledger->lectures[l];
        printf(
            "\n## %s %s\n%s\n\n| line | slide | claim | | finding | figure | code | test |\n|---|---|---|---|---|---|"
            "---|---|\n",
            lecture->name, lecture->title, lecture->author);
        for (int i = 0; i < ledger->claim_count; i++) {
            const Claim *claim = &ledger->claims[i];
            if (claim->lecture != l || claim->finding == FINDING_NO_CLAIM)
                continue;
            Text verdict = {0};
            claim_verdict(claim, NULL, &verdict);
            printf("| %d | %s | %s | %s | %s | %s%s%s | %s%s%s | %s%s%s |\n", claim->first, claim->slide, claim->claim,
                   MARKS[claim->finding], verdict.data ? verdict.data : "", claim->figure ? "`" : "",
                   claim->figure ? claim->figure : "", claim->figure ? "`" : "", claim->code ? "`" : "",
                   claim->code ? claim->code : "", claim->code ? "`" : "", claim->test ? "`" : "",
                   claim->test ? claim->test : "", claim->test ? "`" : "");
            free(verdict.data);
        }
    }
    print_other_figures(ledger, contents);
}

static void show_progress(int done, int total)
{
    progress_show(done, total, "commands");
}

static bool print_json(const Ledger *ledger, const bool *asked, const ClaimCheck *checks, Status *status)
{
    json_t *list = json_array();
    for (int i = 0; i < ledger->claim_count; i++)
        if (asked[i])
            json_array_append_new(list, json_claim(ledger, &ledger->claims[i], checks ? &checks[i] : NULL));
    return json_print(list, status);
}

/* Without --check the numbers are those of the ledger. */
static bool claims_print(const Ledger *ledger, const Arguments *arguments, const bool *asked, const ClaimCheck *checks,
                         Status *status)
{
    int lost = 0;
    if (arguments->given[OPTION_MD]) {
        Contents *contents = contents_read(status);
        if (!contents)
            return false;
        print_markdown(ledger, contents);
        contents_destroy(contents);
    } else if (arguments->given[OPTION_JSON]) {
        if (!print_json(ledger, asked, checks, status))
            return false;
    } else {
        print_claims(ledger, asked, checks);
        print_counts(ledger);
    }
    for (int i = 0; checks && i < ledger->claim_count; i++)
        lost += ledger->claims[i].finding != FINDING_NO_CLAIM && asked[i] && !checks[i].supported;
    return lost == 0 ||
           status_set(status, STATUS_FAILED, "%d of the ledger's findings are not supported any more", lost);
}

/* Which claims are meant, an element each, to be freed; NULL with a message: none is. */
static bool *claims_asked(const Ledger *ledger, const Arguments *arguments, Status *status)
{
    const char *word = arguments->operand_count > 0 ? arguments->operands[0] : NULL;
    bool *asked = calloc((size_t)ledger->claim_count + 1, sizeof *asked), some = false;
    for (int i = 0; asked && i < ledger->claim_count; i++) {
        asked[i] = claim_matches(ledger, &ledger->claims[i], word);
        some = some || (asked[i] && ledger->claims[i].finding != FINDING_NO_CLAIM);
    }
    if (!asked)
        status_set(status, STATUS_FAILED, "out of memory");
    else if (!some)
        status_set(status, STATUS_USAGE, "no claim has '%s'; a lecture is a number, as 001", word ? word : "");
    if (!some) {
        free(asked);
        asked = NULL;
    }
    return asked;
}

static bool claims_command(const Arguments *arguments, Status *status)
{
    Ledger ledger;
    int jobs;
    bool ok =
        ledger_read(&ledger, status) && argument_whole(arguments, OPTION_JOBS, 1, workers_default(1), &jobs, status);
    bool *asked = ok ? claims_asked(&ledger, arguments, status) : NULL;
    ClaimCheck *checks = NULL;
    ok = asked != NULL;
    if (ok && arguments->given[OPTION_CHECK]) {
        checks = calloc((size_t)ledger.claim_count + 1, sizeof *checks);
        ok = (checks || status_set(status, STATUS_FAILED, "out of memory")) &&
             ledger_check(&ledger, asked, jobs, checks, show_progress, status);
        progress_end();
    }
    ok = ok && claims_print(&ledger, arguments, asked, checks, status);
    free(checks);
    free(asked);
    ledger_free(&ledger);
    return ok;
}

const Command command_claims = {
    .name = "claims",
    .operands = "[LECTURE|WORD]",
    .summary = "every claim of the lectures, with its number and what that says",
    .help =
        "Claims are confirmed, refuted, or true within the bounds that their verdict states. --check computes their\n"
        "numbers anew, and fails where one does not support its finding any more. --md prints the ledger as Markdown.",
    .least_operands = 0,
    .most_operands = 1,
    .options = TAKES(OPTION_JSON) | TAKES(OPTION_CHECK) | TAKES(OPTION_JOBS) | TAKES(OPTION_MD),
    .run = claims_command,
};
