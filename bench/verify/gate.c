/* SPDX-License-Identifier: MIT */
#include "bench/verify/gate.h"

#include "bench/build.h"
#include "bench/files/cache_folder.h"
#include "bench/files/hash.h"
#include "bench/files/write_file.h"
#include "bench/run/json.h"
#include "solvers/engines/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *gate_describe(const VerifyResult *results)
{
    json_t *checks = json_array();
    for (int i = 0; i < verify_check_count; i++) {
        const VerifyResult *result = &results[i];
        json_t *check = json_pack("{s:s,s:s,s:b,s:o,s:o,s:o}", "check", all_verify_checks[i]->name, "what",
                                  all_verify_checks[i]->what, "applies", result->applies, "passes",
                                  result->applies ? json_boolean(result->passes) : json_null(), "measured",
                                  json_number(result->measured), "bound", json_number(result->bound));
        if (result->detail[0])
            json_object_set_new(check, "detail", json_string(result->detail));
        if (result->status.code != STATUS_OK)
            json_object_set_new(check, "message", json_string(result->status.message));
        json_array_append_new(checks, check);
    }
    return checks;
}

/* A bridge that dies or hangs fails the check at hand, and all later ones with the same words: nobody waits for it
 * again. */
static json_t *gate_measure(const Solver *solver)
{
    Run like = {0};
    VerifyResult *results = calloc((size_t)verify_check_count, sizeof *results);
    bool alive = true;
    if (!results)
        return NULL;
    run_choose_solver(&like, solver);
    for (int i = 0; i < verify_check_count && (i == 0 || results[0].applies); i++) {
        results[i] = alive ? verify_run_check(all_verify_checks[i], &like) : results[i - 1];
        alive = alive && results[i].status.code != STATUS_FAILED;
    }
    json_t *checks = results[0].applies ? gate_describe(results) : NULL;
    free(results);
    return checks;
}

/* The commit without its "-dirty": changed sources are told apart by the next commit. */
static void hash_add_commit(Hash *hash)
{
    const char *commit = build_commit();
    hash_add(hash, commit, strcspn(commit, "-"));
}

/* What tells one engine of --engine from another: its command, what it says of itself, and the content of every file
 * that the command names. */
static void hash_add_custom(Hash *hash, const Engine *engine)
{
    char words[4096], content[HASH_TEXT], *rest = NULL;
    Status ignored; /* most words name no file */
    snprintf(words, sizeof words, "%s", engine->command);
    hash_add_text(hash, engine->command);
    hash_add_text(hash, engine->description);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (hash_file(word, content, &ignored))
            hash_add_text(hash, content);
}

/* Where a solver's checks are kept; false: nowhere. */
static bool gate_path(const Solver *solver, char path[CACHE_PATH])
{
    const Engine *engine = engine_of(solver);
    char key[HASH_TEXT], bridge[HASH_TEXT] = "", file[4096] = "";
    Status ignored;
    Hash hash = hash_begin();
    bool listed = engine && !engine->command;
    if (listed ? !engine_file(engine, file, sizeof file) || !hash_file(file, bridge, &ignored)
               : !engine && !cache_keeps_own())
        return false;
    hash_add_commit(&hash);
    hash_add_text(&hash, solver->name);
    hash_add_text(&hash, bridge);
    if (engine && engine->command)
        hash_add_custom(&hash, engine);
    hash_text(&hash, key);
    return cache_path(path, key, "checks");
}

/* Where the last checks of an engine of --engine are kept by its name, for tables of what it did earlier. */
static bool gate_named_path(const char *name, char path[CACHE_PATH])
{
    char key[HASH_TEXT];
    Hash hash = hash_begin();
    hash_add_text(&hash, "--engine");
    hash_add(&hash, name, strcspn(name, ":"));
    hash_text(&hash, key);
    return cache_path(path, key, "checks");
}

static void gate_keep(const json_t *checks, const char *path)
{
    Status ignored; /* what is not kept is measured again */
    FileWriter writer;
    if (checks && cache_create(&writer, path))
        writer_close(&writer, json_dumpf(checks, writer.file, JSON_INDENT(1)) == 0, &ignored);
}

static json_t *gate_load(const char *path)
{
    FILE *file = cache_open(path);
    json_t *checks = file ? json_loadf(file, JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (file)
        fclose(file);
    if (json_array_size(checks) == (size_t)verify_check_count)
        return checks;
    json_decref(checks);
    return NULL;
}

json_t *gate_checks(const Solver *solver)
{
    char path[CACHE_PATH], named[CACHE_PATH];
    const Engine *engine = engine_of(solver);
    if (engine && !engine->command && !engine_file(engine, path, sizeof path))
        return NULL;
    bool kept = gate_path(solver, path);
    json_t *checks = kept ? gate_load(path) : NULL;
    if (!checks) {
        if (engine)
            fprintf(stderr, "checking %s, as `rigor verify %s` does%s\n", solver->name, solver->name,
                    kept ? ": once on this machine" : "");
        checks = gate_measure(solver);
        if (kept)
            gate_keep(checks, path);
    }
    if (engine && engine->command && gate_named_path(solver->name, named))
        gate_keep(checks, named);
    return checks;
}

/* Whether a solver's label (`jolt`, `jolt:substeps=4`) has this name. */
static bool label_names(const char *label, const char *name)
{
    size_t length = strcspn(label, ":");
    return strlen(name) == length && strncmp(name, label, length) == 0;
}

static const Variant *gate_tuning(const char *label)
{
    for (int i = 0; i < engine_variant_count; i++)
        if (label_names(label, engine_variants[i].name))
            return &engine_variants[i];
    return NULL;
}

const Solver *gate_engine(const char *label)
{
    const Variant *tuning = gate_tuning(label);
    for (int i = 0; i < engine_count; i++)
        if (label_names(tuning ? tuning->of : label, all_engines[i]->name))
            return all_engines[i];
    return NULL;
}

/* Checks of what a label names: an engine of the list with its own defaults, or in its tuning. */
static json_t *gate_label_checks(const Solver *engine, const char *label)
{
    const Variant *tuning = gate_tuning(label);
    Status ignored; /* without memory the engine's own checks are printed */
    Solver *tuned = tuning ? variant_create(engine, tuning, &ignored) : NULL;
    json_t *checks = gate_checks(tuned ? tuned : engine);
    variant_destroy(tuned);
    return checks;
}

/* The names of the checks that failed; takes the checks over. */
static bool checks_failures(json_t *checks, char text[GATE_TEXT])
{
    json_t *check;
    size_t i;
    text[0] = '\0';
    json_array_foreach (checks, i, check)
        if (json_is_false(json_object_get(check, "passes"))) {
            size_t used = strlen(text);
            snprintf(text + used, GATE_TEXT - used, "%s%s", used ? ", " : "",
                     json_string_value(json_object_get(check, "check")));
        }
    json_decref(checks);
    return text[0] != '\0';
}

bool gate_failures(const char *name, char text[GATE_TEXT])
{
    const Solver *engine = gate_engine(name);
    char path[CACHE_PATH];
    if (engine)
        return checks_failures(gate_label_checks(engine, name), text);
    return gate_named_path(name, path) && checks_failures(gate_load(path), text);
}

static bool failures_warn(const char failures[GATE_TEXT], char text[GATE_TEXT])
{
    return snprintf(text, GATE_TEXT, "fails of rigor verify: %.370s", failures) > 0;
}

static json_t *gate_kept(const char *name)
{
    const Solver *engine = gate_engine(name);
    const Variant *tuning = gate_tuning(name);
    Status ignored; /* without memory the engine's own checks are printed */
    Solver *tuned = engine && tuning ? variant_create(engine, tuning, &ignored) : NULL;
    char path[CACHE_PATH];
    bool kept = engine ? gate_path(tuned ? tuned : engine, path) : gate_named_path(name, path);
    variant_destroy(tuned);
    return kept ? gate_load(path) : NULL;
}

bool gate_kept_warning(const char *name, char text[GATE_TEXT])
{
    char failures[GATE_TEXT];
    return checks_failures(gate_kept(name), failures) && failures_warn(failures, text);
}

bool gate_solver_warning(const Solver *solver, char text[GATE_TEXT])
{
    char failures[GATE_TEXT];
    const Solver *engine = solver_backend(solver);
    if (!engine_of(engine))
        return false;
    bool listed = gate_engine(solver->name) == engine;
    json_t *checks = listed ? gate_label_checks(engine, solver->name) : gate_checks(engine);
    return checks_failures(checks, failures) && failures_warn(failures, text);
}
