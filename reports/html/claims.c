/* SPDX-License-Identifier: MIT */
/* What the lectures say, and what our numbers say to it: each row leads to its figure and has its command. */
#include "reports/ledger/claims.h"
#include "reports/draw/typeset.h"
#include "reports/html/html.h"

#include <stdlib.h>
#include <string.h>

/* By Finding: what stands in the row, what it means. */
static const struct {
    const char *name, *sign, *means;
} FINDING_LOOKS[] = {
    [FINDING_CONFIRMED] = {"confirmed", "✓", "confirmed"},
    [FINDING_REFUTED] = {"refuted", "✕", "refuted"},
    [FINDING_BOUNDED] = {"bounded", "≈", "true within the bounds stated"},
};

/* The item of this name; -1: the report has none. */
static int item_of(const Report *report, const char *name)
{
    for (int i = 0; name && i < report->count; i++)
        if (report->items[i].made && strcmp(item_id(&report->items[i]), name) == 0)
            return i;
    return -1;
}

/* What stands between back-ticks is code; else the words as they are. */
static void write_words(Text *page, const char *words)
{
    char *copy = strdup(words), *part = copy;
    for (bool code = false, more = part; more; code = !code) {
        size_t length = strcspn(part, "`");
        more = part[length] != '\0';
        part[length] = '\0';
        text_add(page, code ? "<code>" : "");
        html_escape(page, part);
        text_add(page, code ? "</code>" : "");
        part += length + more;
    }
    page->failed = page->failed || !copy;
    free(copy);
}

/* Where its row is in the page of claims. */
static void write_place(Text *page, const Ledger *ledger, const Claim *claim)
{
    text_add(page, "line-");
    html_escape(page, ledger->lectures[claim->lecture].name);
    text_add(page, "-%d", claim->first);
}

static void write_claim(Text *page, const Report *report, const Ledger *ledger, const Claim *claim)
{
    Text verdict = {0};
    const char *command = claim_command(claim), *look = FINDING_LOOKS[claim->finding].name;
    text_add(page, "<tr id=\"");
    write_place(page, ledger, claim);
    text_add(page, "\"><td class=\"place\">");
    html_escape(page, ledger->lectures[claim->lecture].name);
    text_add(page, ":%d</td><td><span class=\"%s\" title=\"%s\">%s</span></td><td>", claim->first, look,
             FINDING_LOOKS[claim->finding].means, FINDING_LOOKS[claim->finding].sign);
    html_escape(page, claim->claim);
    text_add(page, "<br><small>");
    html_escape(page, claim->slide);
    text_add(page, "</small></td><td>");
    claim_verdict(claim, NULL, &verdict);
    write_words(page, verdict.failed ? "" : verdict.data);
    free(verdict.data);
    int figure = item_of(report, claim->figure);
    if (figure >= 0) {
        text_add(page, " <a href=\"");
        html_write_link(page, report, figure);
        text_add(page, "\">figure</a>");
    }
    text_add(page, "<details><summary>command</summary><code>rigor ");
    html_escape(page, command ? command : "");
    text_add(page, "</code></details></td></tr>\n");
}

static void write_lecture(Text *page, const Report *report, const Ledger *ledger, int lecture)
{
    int counts[FINDINGS] = {0};
    for (int i = 0; i < ledger->claim_count; i++)
        counts[ledger->claims[i].finding] += ledger->claims[i].lecture == lecture;
    text_add(page, "<details class=\"claims-of\" open><summary>Lecture ");
    html_escape(page, ledger->lectures[lecture].name);
    text_add(page, ", ");
    html_escape(page, ledger->lectures[lecture].title);
    text_add(
        page,
        ": <span class=\"confirmed\">✓ %d</span> <span class=\"bounded\">≈ %d</span> <span class=\"refuted\">✕ "
        "%d</span></summary>\n<table class=\"claims\"><thead><tr><th scope=\"col\">line</th><th scope=\"col\"><span "
        "class=\"hidden\">finding</span></th><th scope=\"col\">what it says</th><th scope=\"col\">what the numbers "
        "say</th></tr></thead><tbody>\n",
        counts[FINDING_CONFIRMED], counts[FINDING_BOUNDED], counts[FINDING_REFUTED]);
    for (int i = 0; i < ledger->claim_count; i++)
        if (ledger->claims[i].lecture == lecture && ledger->claims[i].finding != FINDING_NO_CLAIM)
            write_claim(page, report, ledger, &ledger->claims[i]);
    text_add(page, "</tbody></table></details>\n");
}

/* How many there are, and what became of them. */
static void write_counts(Text *page, const Ledger *ledger)
{
    int counts[FINDINGS] = {0};
    for (int i = 0; i < ledger->claim_count; i++)
        counts[ledger->claims[i].finding]++;
    text_add(page,
             "<p>%d claims of the five lectures: <span class=\"confirmed\">✓ %d confirmed</span>, <span "
             "class=\"bounded\">≈ %d true within stated bounds</span>, <span class=\"refuted\">✕ %d refuted</span>. ",
             counts[FINDING_CONFIRMED] + counts[FINDING_BOUNDED] + counts[FINDING_REFUTED], counts[FINDING_CONFIRMED],
             counts[FINDING_BOUNDED], counts[FINDING_REFUTED]);
}

bool html_write_claims(Text *page, const Report *report, Status *status)
{
    Ledger ledger;
    bool ok = ledger_read(&ledger, status);
    if (ok) {
        text_add(page, "<section id=\"claims\" aria-labelledby=\"claims-title\"><h2 id=\"claims-title\">What the "
                       "lectures say, decided by numbers</h2>\n");
        write_counts(page, &ledger);
        text_add(page, "<code>rigor claims --check</code> computes them anew.</p>\n");
    }
    for (int i = 0; ok && i < ledger.lecture_count; i++)
        write_lecture(page, report, &ledger, i);
    text_add(page, ok ? "</section>\n" : "");
    ledger_free(&ledger);
    return ok;
}

bool html_write_claims_counted(Text *page, Status *status)
{
    Ledger ledger;
    bool ok = ledger_read(&ledger, status);
    if (ok) {
        write_counts(page, &ledger);
        text_add(page, "<a href=\"" CLAIMS_FILE "\">Each with its number, its figure and its command</a>.</p>\n");
    }
    ledger_free(&ledger);
    return ok;
}

/* One mark, which tells the claim and leads to its row. */
static void write_mark(Text *page, const Ledger *ledger, const Claim *claim)
{
    text_add(page, "<a class=\"%s\" href=\"" CLAIMS_FILE "#", FINDING_LOOKS[claim->finding].name);
    write_place(page, ledger, claim);
    text_add(page, "\" title=\"");
    html_escape(page, ledger->lectures[claim->lecture].name);
    text_add(page, ":%d, %s: ", claim->first, FINDING_LOOKS[claim->finding].means);
    html_escape(page, claim->claim);
    text_add(page, "\"><span aria-hidden=\"true\">%s</span></a>", FINDING_LOOKS[claim->finding].sign);
}

bool html_write_claims_marked(Text *page, Status *status)
{
    Ledger ledger;
    bool ok = ledger_read(&ledger, status);
    if (ok)
        text_add(page, "<section id=\"claims\" aria-labelledby=\"claims-title\"><h2 id=\"claims-title\">What the "
                       "lectures say, decided by numbers</h2>\n<table class=\"marks\"><tbody>\n");
    for (int i = 0; ok && i < ledger.lecture_count; i++) {
        text_add(page, "<tr><th scope=\"row\">");
        html_escape(page, ledger.lectures[i].name);
        text_add(page, ", ");
        html_escape(page, ledger.lectures[i].title);
        text_add(page, "</th><td>");
        for (int k = 0; k < ledger.claim_count; k++)
            if (ledger.claims[k].lecture == i && ledger.claims[k].finding != FINDING_NO_CLAIM)
                write_mark(page, &ledger, &ledger.claims[k]);
        text_add(page, "</td></tr>\n");
    }
    text_add(page, ok ? "</tbody></table></section>\n" : "");
    ledger_free(&ledger);
    return ok;
}
