/* SPDX-License-Identifier: MIT */
/* The ledger's numbers, computed again: every command once, however many claims read it. */
#include "bench/process/workers.h"
#include "reports/figure/expression.h"
#include "reports/figure/read_command.h"
#include "reports/ledger/claims.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A number that is no time is the same as before up to this part of itself: what the ledger prints, three digits. */
static const double NUMBER_SAME = 0.005;

/* A rough number keeps its order of magnitude; below this, in any unit of ours, it is round-off and may be any. */
static const double ROUGH_SAME = 10.0, ROUND_OFF = 1e-9;

/* The answers of all commands; files of the folder until they are read. */
typedef struct Answers {
    int count;
    const char **commands; /* borrowed from the claims */
    json_t **documents;
    char folder[64];
    const char *claims; /* the ledger's folder */
    void (*progress)(int done, int total);
} Answers;

static int answers_find(const Answers *answers, const char *command)
{
    for (int i = 0; i < answers->count; i++)
        if (strcmp(answers->commands[i], command) == 0)
            return i;
    return -1;
}

static bool answers_collect(Answers *answers, const Ledger *ledger, const bool *asked)
{
    size_t most = 1;
    for (int i = 0; i < ledger->claim_count; i++)
        most += json_object_size(ledger->claims[i].let);
    answers->commands = calloc(most, sizeof *answers->commands);
    answers->documents = calloc(most, sizeof *answers->documents);
    if (!answers->commands || !answers->documents)
        return false;
    for (int i = 0; i < ledger->claim_count; i++) {
        const char *key;
        json_t *pair;
        if (asked && !asked[i])
            continue;
        json_object_foreach ((json_t *)ledger->claims[i].let, key, pair) {
            const char *command = json_string_value(json_array_get(pair, 0));
            if (answers_find(answers, command) < 0)
                answers->commands[answers->count++] = command;
        }
    }
    return true;
}

static void answer_path(const Answers *answers, int index, char path[96])
{
    snprintf(path, 96, "%s/%d.json", answers->folder, index);
}

/* A scene of the report's, `reports/figures/scenes/polls.json` from the tree's root, is found wherever reports/ is. */
static void scene_place(const Answers *answers, char **word, Text *scene)
{
    static const char FROM_ROOT[] = "reports/";
    if (strncmp(*word, FROM_ROOT, sizeof FROM_ROOT - 1) == 0) {
        text_add(scene, "%s/../%s", answers->claims, *word + sizeof FROM_ROOT - 1);
        *word = scene->failed ? *word : scene->data;
    }
}

/* In a worker: the command's output becomes a file. */
static void answer_item(void *context, int index, void *result)
{
    const Answers *answers = context;
    char path[96], *words[COMMAND_WORDS], *text = strdup(answers->commands[index]);
    int count = 0;
    Arguments arguments = {0};
    Text scene = {0};
    Status *status = result;
    answer_path(answers, index, path);
    if (text && command_words(text, words, &count, status)) {
        scene_place(answers, &words[1], &scene);
        const Command *command = reading_command(&arguments, words, count, status);
        if (command && arguments_load_plugins(&arguments, status))
            command_print(command, &arguments, path, status);
        arguments_clear(&arguments);
    }
    free(scene.data);
    free(text);
}

static void answers_done(void *context, int done)
{
    const Answers *answers = context;
    if (answers->progress)
        answers->progress(done, answers->count);
}

static bool answers_make(Answers *answers, int jobs, Status *status)
{
    const char *temporary = getenv("TMPDIR");
    snprintf(answers->folder, sizeof answers->folder, "%.40s/rigor-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(answers->folder))
        return status_set(status, STATUS_FAILED, "%s: no folder can be made there", answers->folder);
    Work work = {answers->count, sizeof(Status), answer_item, answers, answers_done};
    WorkResults *results = workers_run(&work, jobs, status);
    for (int i = 0; results && i < answers->count; i++) {
        char path[96];
        answer_path(answers, i, path);
        answers->documents[i] = json_load_file(path, JSON_DECODE_ANY, NULL);
        unlink(path);
    }
    rmdir(answers->folder);
    work_results_destroy(results);
    return results != NULL;
}

static void answers_free(Answers *answers)
{
    for (int i = 0; answers->documents && i < answers->count; i++)
        json_decref(answers->documents[i]);
    free(answers->documents);
    free(answers->commands);
}

/* `runs.1.metrics.drift_max`: a number, true as 1; `status=blew_up`: 1 if it is that text. NaN: there is none. */
static double answer_number(const json_t *value, const char *path)
{
    char part[96];
    while (value && *path) {
        size_t length = strcspn(path, ".=");
        snprintf(part, sizeof part, "%.*s", (int)length, path);
        value = json_is_array(value) ? json_array_get(value, (size_t)strtoul(part, NULL, 10))
                                     : json_object_get(value, part);
        path += length;
        if (*path == '=')
            return value ? json_is_string(value) && strcmp(json_string_value(value), path + 1) == 0 : NAN;
        path += *path == '.';
    }
    if (json_is_boolean(value))
        return json_is_true(value);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

typedef struct Numbers {
    const Claim *claim;
    const Answers *answers;
} Numbers;

static bool number_of(const Scope *scope, const char *name, double *value)
{
    const Numbers *numbers = scope->context;
    const json_t *pair = json_object_get(numbers->claim->let, name);
    if (!pair)
        return false;
    int answer = answers_find(numbers->answers, json_string_value(json_array_get(pair, 0)));
    *value = answer_number(numbers->answers->documents[answer], json_string_value(json_array_get(pair, 1)));
    return true;
}

/* Is what the reader sees what a run gives now? */
static bool number_stands(const ClaimNumber *number, double now)
{
    double larger = fmax(fabs(now), fabs(number->value)), smaller = fmin(fabs(now), fabs(number->value));
    if (!isfinite(now))
        return false;
    if (number->rough)
        return larger <= fmax(ROUND_OFF, ROUGH_SAME * smaller);
    return fabs(now - number->value) <= NUMBER_SAME * larger;
}

static bool claim_doubt(ClaimCheck *check, const char *form, ...)
{
    va_list arguments;
    va_start(arguments, form);
    vsnprintf(check->why, sizeof check->why, form, arguments);
    va_end(arguments);
    return check->supported = false;
}

static bool claim_check_numbers(const Claim *claim, const Scope *scope, ClaimCheck *check)
{
    Status status = {0};
    bool stand = true;
    for (int i = 0; i < claim->number_count; i++) {
        const ClaimNumber *number = &claim->numbers[i];
        check->numbers[i] = NAN;
        if (!expression_evaluate(number->shows, scope, &check->numbers[i], &status))
            stand = claim_doubt(check, "%.200s", status.message);
        else if (!number_stands(number, check->numbers[i]))
            stand = claim_doubt(check, "its {%s} is %.6g, the ledger has %.6g", number->name, check->numbers[i],
                                number->value);
    }
    return stand;
}

static bool claim_check_finding(const Claim *claim, const Scope *scope, ClaimCheck *check)
{
    for (size_t i = 0; i < json_array_size(claim->holds); i++) {
        const char *expression = json_string_value(json_array_get(claim->holds, i));
        double value = NAN;
        Status status = {0};
        if (!expression_evaluate(expression, scope, &value, &status) || !(value > 0.0))
            return claim_doubt(check, "%.120s is %.4g, not positive %.80s", expression, value, status.message);
    }
    return true;
}

static void claim_check(const Claim *claim, const Answers *answers, ClaimCheck *check)
{
    Numbers numbers = {claim, answers};
    Scope scope = {.name = number_of, .context = &numbers};
    *check = (ClaimCheck){.supported = true};
    if (claim_check_numbers(claim, &scope, check))
        claim_check_finding(claim, &scope, check);
}

bool ledger_check(const Ledger *ledger, const bool *asked, int jobs, ClaimCheck *checks,
                  void (*progress)(int done, int total), Status *status)
{
    Answers answers = {.progress = progress, .claims = ledger->folder};
    bool ok = answers_collect(&answers, ledger, asked) || status_set(status, STATUS_FAILED, "out of memory");
    ok = ok && answers_make(&answers, jobs, status);
    for (int i = 0; ok && i < ledger->claim_count; i++)
        if (ledger->claims[i].finding != FINDING_NO_CLAIM && (!asked || asked[i]))
            claim_check(&ledger->claims[i], &answers, &checks[i]);
    answers_free(&answers);
    return ok;
}
