#include "bench/gate.h"

#include "bench/build.h"
#include "bench/cache_folder.h"
#include "bench/engine.h"
#include "bench/hash.h"
#include "bench/json.h"
#include "bench/write_file.h"

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
        if (result->status.code != STATUS_OK)
            json_object_set_new(check, "message", json_string(result->status.message));
        json_array_append_new(checks, check);
    }
    return checks;
}

static json_t *gate_measure(const Solver *solver)
{
    Run like = {0};
    VerifyResult *results = calloc((size_t)verify_check_count, sizeof *results);
    if (!results)
        return NULL;
    run_choose_solver(&like, solver);
    for (int i = 0; i < verify_check_count && (i == 0 || results[0].applies); i++)
        results[i] = verify_run_check(all_verify_checks[i], &like);
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

/* Where a solver's checks are kept; false: nowhere. */
static bool gate_path(const Solver *solver, char path[CACHE_PATH])
{
    const Engine *engine = engine_of(solver);
    char key[HASH_TEXT], bridge[HASH_TEXT], file[4096] = "";
    Status ignored;
    Hash hash = hash_begin();
    if (engine ? !engine_file(engine, file, sizeof file) || !hash_file(file, bridge, &ignored) : !cache_keeps_own())
        return false;
    hash_add_commit(&hash);
    hash_add_text(&hash, solver->name);
    hash_add_text(&hash, engine ? bridge : "");
    hash_text(&hash, key);
    return cache_path(path, key, "checks");
}

json_t *gate_checks(const Solver *solver)
{
    char path[CACHE_PATH];
    Status ignored; /* what is not kept is measured again */
    const Engine *engine = engine_of(solver);
    if (engine && !engine->command && !engine_file(engine, path, sizeof path))
        return NULL;
    bool kept = gate_path(solver, path);
    json_t *checks = kept ? json_load_file(path, JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (json_array_size(checks) == (size_t)verify_check_count)
        return checks;
    json_decref(checks);
    if (engine)
        fprintf(stderr, "checking %s, as `rigor verify %s` does%s\n", solver->name, solver->name,
                kept ? ": once on this machine" : "");
    checks = gate_measure(solver);
    char *text = checks && kept ? json_dumps(checks, JSON_INDENT(1)) : NULL;
    if (text) {
        cache_make_folders(path);
        file_write_text(path, text, &ignored);
    }
    free(text);
    return checks;
}

const Solver *gate_engine(const char *name)
{
    size_t length = strcspn(name, ":");
    for (int i = 0; i < engine_variant_count; i++)
        if (strlen(engine_variants[i].name) == length && strncmp(engine_variants[i].name, name, length) == 0)
            return gate_engine(engine_variants[i].of);
    for (int i = 0; i < engine_count; i++)
        if (strlen(all_engines[i]->name) == length && strncmp(all_engines[i]->name, name, length) == 0)
            return all_engines[i];
    return NULL;
}

bool gate_failures(const char *name, char text[GATE_TEXT])
{
    const Solver *engine = gate_engine(name);
    char path[4096];
    if (!engine || !engine_file(engine_of(engine), path, sizeof path))
        return false;
    json_t *checks = gate_checks(engine), *check;
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

bool gate_warning(const char *name, char text[GATE_TEXT])
{
    char failures[GATE_TEXT];
    return gate_failures(name, failures) && snprintf(text, GATE_TEXT, "fails of rigor verify: %.370s", failures) > 0;
}
