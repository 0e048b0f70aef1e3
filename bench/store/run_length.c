/* SPDX-License-Identifier: MIT */
#include "bench/store/run_length.h"

#include "model/random.h"

#include <math.h>
#include <stdlib.h>

/* Runs with up to so many times the work must keep what one reached. */
static const double KEEP = 4.0;

static double target_at(const RunLengths *lengths, int t)
{
    double part = (double)t / (RUN_LENGTH_TARGETS - 1);
    return lengths->easiest * pow(lengths->hardest / lengths->easiest, part);
}

/* Of the runs of one problem and solver, `count` of them. */
static double least_work(const LadderRun *runs, int count, double target)
{
    double least = INFINITY;
    for (int i = 0; i < count; i++) {
        bool keeps = runs[i].error <= target;
        for (int j = 0; keeps && j < count; j++)
            keeps = runs[j].work < runs[i].work || runs[j].work > KEEP * runs[i].work || runs[j].error <= target;
        if (keeps)
            least = fmin(least, runs[i].work);
    }
    return least;
}

static int compare_runs(const void *a, const void *b)
{
    const LadderRun *x = a, *y = b;
    if (x->problem != y->problem)
        return x->problem - y->problem;
    return x->solver != y->solver ? x->solver - y->solver : (x->work > y->work) - (x->work < y->work);
}

/* What a length adds to the area: 1 at the least work of the store, 0 at the most and beyond. */
static double length_area(const RunLengths *lengths, double length)
{
    double low = log10(lengths->least_work), high = log10(lengths->most_work);
    return isinf(length) ? 0.0 : high > low ? (high - length) / (high - low) : 1.0;
}

bool run_lengths_find(RunLengths *lengths, double easiest, double hardest, Status *status)
{
    size_t pairs = (size_t)lengths->problem_count * (size_t)lengths->solver_count;
    lengths->easiest = easiest;
    lengths->hardest = hardest;
    lengths->length = malloc(sizeof(double) * (pairs * RUN_LENGTH_TARGETS + 1));
    lengths->score = calloc(pairs + 1, sizeof(double));
    if (!lengths->length || !lengths->score)
        return status_set(status, STATUS_FAILED, "out of memory");
    for (size_t i = 0; i < pairs * RUN_LENGTH_TARGETS; i++)
        lengths->length[i] = INFINITY;
    qsort(lengths->runs, (size_t)lengths->run_count, sizeof *lengths->runs, compare_runs);
    for (int first = 0, next; first < lengths->run_count; first = next) {
        const LadderRun *runs = lengths->runs + first;
        for (next = first; next < lengths->run_count && lengths->runs[next].problem == runs->problem &&
                           lengths->runs[next].solver == runs->solver;)
            next++;
        size_t pair = (size_t)runs->problem * (size_t)lengths->solver_count + (size_t)runs->solver;
        for (int t = 0; t < RUN_LENGTH_TARGETS; t++) {
            double length = log10(least_work(runs, next - first, target_at(lengths, t)));
            lengths->length[pair * RUN_LENGTH_TARGETS + (size_t)t] = length;
            lengths->score[pair] += length_area(lengths, length) / RUN_LENGTH_TARGETS;
        }
    }
    return true;
}

double run_lengths_work(const RunLengths *lengths, int index)
{
    double low = log10(lengths->least_work), high = log10(lengths->most_work);
    return low + (high - low) * index / (RUN_LENGTH_WORKS - 1);
}

double run_lengths_share(const RunLengths *lengths, int solver, double log_work, const int *drawn)
{
    long reached = 0, all = 0;
    for (int p = 0; p < lengths->problem_count; p++) {
        size_t pair = (size_t)p * (size_t)lengths->solver_count + (size_t)solver;
        int times = drawn ? drawn[p] : 1;
        for (int t = 0; times > 0 && t < RUN_LENGTH_TARGETS; t++)
            reached += times * (lengths->length[pair * RUN_LENGTH_TARGETS + (size_t)t] <= log_work + 1e-12);
        all += times * RUN_LENGTH_TARGETS;
    }
    return all > 0 ? (double)reached / (double)all : NAN;
}

static bool instance_counts(const Instance *instance, Seeds seeds, int without)
{
    bool half = seeds == SEEDS_ALL || (instance->seed >= 0 && instance->seed % 2 == (seeds == SEEDS_ODD));
    return half && instance->family != without;
}

/* Instances that count, group by group: group g has those from first[g] to first[g + 1]. */
typedef struct Pools {
    int *first, *members; /* owned, in one piece */
} Pools;

static int pools_fill(Pools *pools, const RunLengths *lengths, Seeds seeds, int without)
{
    int count = 0;
    pools->first = malloc(sizeof(int) * (size_t)(lengths->group_count + lengths->problem_count + 2));
    if (!pools->first)
        return -1;
    pools->members = pools->first + lengths->group_count + 1;
    for (int g = 0; g < lengths->group_count; g++) {
        pools->first[g] = count;
        for (int p = 0; p < lengths->problem_count; p++)
            if (lengths->instances[p].group == g && instance_counts(&lengths->instances[p], seeds, without))
                pools->members[count++] = p;
    }
    pools->first[lengths->group_count] = count;
    return count;
}

/* As many of each group as it has, with replacement; draw < 0: each once. */
static void pools_draw(const Pools *pools, const RunLengths *lengths, int draw, Random *random, int *drawn)
{
    for (int p = 0; p < lengths->problem_count; p++)
        drawn[p] = 0;
    for (int g = 0; g < lengths->group_count; g++) {
        int first = pools->first[g], size = pools->first[g + 1] - first;
        for (int i = 0; i < size; i++)
            drawn[pools->members[first + (draw < 0 ? i : (int)(random_bits(random) % (uint64_t)size))]]++;
    }
}

static void draw_scores(const RunLengths *lengths, const int *drawn, int count, double *scores)
{
    for (int s = 0; s < lengths->solver_count; s++) {
        scores[s] = 0.0;
        for (int p = 0; p < lengths->problem_count; p++)
            scores[s] += drawn[p] * lengths->score[(size_t)p * (size_t)lengths->solver_count + (size_t)s] / count;
    }
}

static void ranking_sort(RunRanking *ranking, int solvers)
{
    for (int s = 0; s < solvers; s++) {
        int at = s;
        for (; at > 0 && ranking->score[ranking->order[at - 1]] < ranking->score[s]; at--)
            ranking->order[at] = ranking->order[at - 1];
        ranking->order[at] = s;
    }
}

/* Counts, for every pair, in how many draws the first is ahead; `scores` has a column of draws for each solver. */
static void ranking_decide(RunRanking *ranking, const double *scores, int solvers)
{
    static const double CERTAIN = 0.95;
    for (int i = 0; i < solvers; i++)
        for (int j = 0; j < solvers; j++) {
            int ahead = 0, behind = 0;
            for (int d = 0; d < RUN_LENGTH_DRAWS; d++) {
                double difference = scores[i * RUN_LENGTH_DRAWS + d] - scores[j * RUN_LENGTH_DRAWS + d];
                ahead += difference > 0.0;
                behind += difference < 0.0;
            }
            ranking->ahead[i * solvers + j] =
                (ahead >= CERTAIN * RUN_LENGTH_DRAWS) - (behind >= CERTAIN * RUN_LENGTH_DRAWS);
        }
}

bool run_lengths_rank(const RunLengths *lengths, Seeds seeds, int without, RunRanking *ranking, Status *status)
{
    int solvers = lengths->solver_count;
    Pools pools = {0};
    Random random = {RESAMPLE_SEED};
    double one[RUN_LENGTH_MOST], *scores = malloc(sizeof *scores * RUN_LENGTH_DRAWS * (size_t)(solvers + 1));
    int *drawn = malloc(sizeof *drawn * (size_t)(lengths->problem_count + 1));
    int count = pools_fill(&pools, lengths, seeds, without);
    bool ok = (scores && drawn && count >= 0) || status_set(status, STATUS_FAILED, "out of memory");
    if (ok && count == 0)
        ok = status_set(status, STATUS_FAILED, "no instance is left to rank by: are there odd and even seeds?");
    for (int d = -1; ok && d < RUN_LENGTH_DRAWS; d++) {
        pools_draw(&pools, lengths, d, &random, drawn);
        draw_scores(lengths, drawn, count, d < 0 ? ranking->score : one);
        for (int s = 0; d >= 0 && s < solvers; s++)
            scores[s * RUN_LENGTH_DRAWS + d] = one[s];
    }
    if (ok) {
        ranking_sort(ranking, solvers);
        ranking_decide(ranking, scores, solvers);
    }
    for (int s = 0; ok && s < solvers; s++) {
        double *draws = scores + s * RUN_LENGTH_DRAWS;
        sorted_sort(draws, RUN_LENGTH_DRAWS);
        ranking->interval[s] = (Interval){sorted_quantile(draws, RUN_LENGTH_DRAWS, 0.025),
                                          sorted_quantile(draws, RUN_LENGTH_DRAWS, 0.975)};
    }
    free(pools.first);
    free(drawn);
    free(scores);
    return ok;
}

bool run_lengths_band(const RunLengths *lengths, int solver, double share[RUN_LENGTH_WORKS],
                      Interval band[RUN_LENGTH_WORKS], Status *status)
{
    Pools pools = {0};
    Random random = {RESAMPLE_SEED};
    double *draws = malloc(sizeof *draws * RUN_LENGTH_WORKS * RUN_LENGTH_DRAWS);
    int *drawn = malloc(sizeof *drawn * (size_t)(lengths->problem_count + 1));
    double *own = malloc(sizeof *own * RUN_LENGTH_WORKS * (size_t)(lengths->problem_count + 1));
    int count = pools_fill(&pools, lengths, SEEDS_ALL, -1);
    bool ok = (draws && drawn && own && count > 0) || status_set(status, STATUS_FAILED, "out of memory");
    for (int p = 0; ok && p < lengths->problem_count; p++) { /* each problem's own curve, once */
        for (int i = 0; i < lengths->problem_count; i++)
            drawn[i] = i == p;
        for (int w = 0; w < RUN_LENGTH_WORKS; w++)
            own[p * RUN_LENGTH_WORKS + w] = run_lengths_share(lengths, solver, run_lengths_work(lengths, w), drawn);
    }
    for (int d = -1; ok && d < RUN_LENGTH_DRAWS; d++) {
        pools_draw(&pools, lengths, d, &random, drawn);
        for (int w = 0; w < RUN_LENGTH_WORKS; w++) {
            double sum = 0.0;
            for (int p = 0; p < lengths->problem_count; p++)
                sum += drawn[p] * own[p * RUN_LENGTH_WORKS + w];
            if (d < 0)
                share[w] = sum / count;
            else
                draws[w * RUN_LENGTH_DRAWS + d] = sum / count;
        }
    }
    for (int w = 0; ok && w < RUN_LENGTH_WORKS; w++) {
        double *at = draws + w * RUN_LENGTH_DRAWS;
        sorted_sort(at, RUN_LENGTH_DRAWS);
        band[w] =
            (Interval){sorted_quantile(at, RUN_LENGTH_DRAWS, 0.025), sorted_quantile(at, RUN_LENGTH_DRAWS, 0.975)};
    }
    free(pools.first);
    free(own);
    free(drawn);
    free(draws);
    return ok;
}
