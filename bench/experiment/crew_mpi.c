/* SPDX-License-Identifier: MIT */
#include "bench/experiment/crew_mpi.h"

#include <stdlib.h>

#ifndef RIGOR_MPI

/* What launchers tell their processes: OpenMPI, MPICH and Slurm's PMI. */
bool ranks_join(Ranks *ranks, Status *status)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", NULL};
    *ranks = (Ranks){1, 0};
    for (int i = 0; sizes[i]; i++) {
        const char *size = getenv(sizes[i]);
        if (size && atoi(size) > 1)
            return status_set(status, STATUS_FAILED,
                              "started as one of %s processes, but built without MPI: all would do the same work",
                              size);
    }
    return true;
}

void ranks_leave(void)
{
}

bool ranks_agree(const Ranks *ranks, const Experiment *experiment, bool well, bool *mine, Status *status)
{
    (void)ranks, (void)experiment, (void)status;
    *mine = true;
    return well;
}

Crew *ranks_crew(const Ranks *ranks, Status *status)
{
    (void)ranks;
    status_set(status, STATUS_FAILED, "built without MPI");
    return NULL;
}

bool ranks_serve(const Experiment *experiment, Status *status)
{
    (void)experiment;
    return status_set(status, STATUS_FAILED, "built without MPI");
}

#else

#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <time.h>

enum { TAG_RUN = 1, TAG_OUTCOME, GO_HOME = -1 };

/* MPI's own waiting burns a core that could make runs; looking this often does not, s. */
static const double LOOK_INTERVAL = 1e-4;

typedef struct RankCrew {
    Crew crew;
    MPI_Request *sends; /* to each rank; the numbers sent must stay in place meanwhile */
    int *runs;
} RankCrew;

bool ranks_join(Ranks *ranks, Status *status)
{
    static const char *const launched[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", NULL};
    bool any = false;
    for (int i = 0; launched[i]; i++)
        any = any || getenv(launched[i]);
    *ranks = (Ranks){1, 0};
    if (!any)
        return true;
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS)
        return status_set(status, STATUS_FAILED, "MPI does not start");
    MPI_Comm_size(MPI_COMM_WORLD, &ranks->size);
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks->rank);
    return true;
}

void ranks_leave(void)
{
    int begun = 0, ended = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (begun && !ended)
        MPI_Finalize();
}

static void experiment_digest(const Experiment *experiment, char text[HASH_TEXT])
{
    Hash hash = hash_begin();
    for (int i = 0; experiment && i < experiment->run_count; i++)
        hash_add_text(&hash, experiment->runs[i].key);
    hash_text(&hash, text);
}

bool ranks_agree(const Ranks *ranks, const Experiment *experiment, bool well, bool *mine, Status *status)
{
    char own[HASH_TEXT], first[HASH_TEXT];
    *mine = true;
    if (ranks->size == 1)
        return well;
    experiment_digest(experiment, own);
    memcpy(first, own, sizeof first);
    MPI_Bcast(first, HASH_TEXT, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (well && strcmp(own, first) != 0)
        well = status_set(status, STATUS_FAILED,
                          "rank %d reads other runs than rank 0: is it the same experiment file and the same program?",
                          ranks->rank);
    /* The lowest rank that is not well tells; with rank 0's trouble the others' digest differs, too. */
    int bad = well ? ranks->size : ranks->rank, lowest = bad;
    MPI_Allreduce(&bad, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    *mine = lowest == ranks->rank;
    return lowest == ranks->size;
}

static bool rank_give(Crew *crew, int worker, int run, Status *status)
{
    RankCrew *ranks = (RankCrew *)crew;
    MPI_Wait(&ranks->sends[worker], MPI_STATUS_IGNORE);
    ranks->runs[worker] = run;
    return MPI_Isend(&ranks->runs[worker], 1, MPI_INT, worker + 1, TAG_RUN, MPI_COMM_WORLD, &ranks->sends[worker]) ==
               MPI_SUCCESS ||
           status_set(status, STATUS_FAILED, "rank %d cannot be reached", worker + 1);
}

/* Until something comes, at most so long; false: nothing did. */
static bool look_for(int source, int tag, double seconds, MPI_Status *from)
{
    struct timespec pause = {0, (long)(1e9 * LOOK_INTERVAL)};
    for (double waited = 0.0;; waited += LOOK_INTERVAL) {
        int there = 0;
        MPI_Iprobe(source, tag, MPI_COMM_WORLD, &there, from);
        if (there || waited >= seconds)
            return there;
        nanosleep(&pause, NULL);
    }
}

static bool rank_take(Crew *crew, double seconds, int *worker, Outcome *outcome, Status *status)
{
    MPI_Status from;
    (void)crew;
    *worker = -1;
    if (!look_for(MPI_ANY_SOURCE, TAG_OUTCOME, seconds, &from))
        return true;
    *worker = from.MPI_SOURCE - 1;
    return MPI_Recv(outcome, sizeof *outcome, MPI_BYTE, from.MPI_SOURCE, TAG_OUTCOME, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE) == MPI_SUCCESS ||
           status_set(status, STATUS_FAILED, "rank %d's outcome is lost", from.MPI_SOURCE);
}

static void rank_dismiss(Crew *crew)
{
    RankCrew *ranks = (RankCrew *)crew;
    Status unused;
    for (int w = 0; w < crew->size; w++) {
        rank_give(crew, w, GO_HOME, &unused);
        MPI_Wait(&ranks->sends[w], MPI_STATUS_IGNORE);
    }
    free(ranks->sends);
    free(ranks->runs);
    free(ranks);
}

Crew *ranks_crew(const Ranks *ranks, Status *status)
{
    RankCrew *crew = calloc(1, sizeof *crew);
    size_t size = (size_t)ranks->size - 1;
    if (crew) {
        crew->crew = (Crew){(int)size, rank_give, rank_take, rank_dismiss};
        crew->sends = malloc(sizeof(MPI_Request) * size);
        crew->runs = calloc(size, sizeof *crew->runs);
    }
    if (!crew || !crew->sends || !crew->runs) {
        status_set(status, STATUS_FAILED, "out of memory");
        if (crew) {
            free(crew->sends);
            free(crew->runs);
        }
        free(crew);
        return NULL;
    }
    for (size_t i = 0; i < size; i++)
        crew->sends[i] = MPI_REQUEST_NULL;
    return &crew->crew;
}

/* Makes a run; false: sent home meanwhile, and it is given up. */
static bool serve_run(Crew *pool, int run, Outcome *outcome, Status *status)
{
    int worker = -1;
    MPI_Status from;
    if (!pool->give(pool, 0, run, status))
        return false;
    while (worker < 0) {
        if (!pool->take(pool, 0.1, &worker, outcome, status))
            return false;
        if (worker < 0 && look_for(0, TAG_RUN, 0.0, &from))
            return false;
    }
    return true;
}

bool ranks_serve(const Experiment *experiment, Status *status)
{
    /* Interrupts are rank 0's: it lets the others finish. */
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    Crew *pool = crew_create(experiment, 1, outcome_of_run, experiment->run_time_limit * experiment->repeats, status);
    bool ok = pool != NULL;
    while (ok) {
        int run;
        MPI_Status from;
        Outcome outcome;
        while (!look_for(0, TAG_RUN, 1.0, &from))
            ;
        MPI_Recv(&run, 1, MPI_INT, 0, TAG_RUN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (run == GO_HOME)
            break;
        if (serve_run(pool, run, &outcome, status))
            MPI_Send(&outcome, sizeof outcome, MPI_BYTE, 0, TAG_OUTCOME, MPI_COMM_WORLD);
        else
            ok = status->code == STATUS_OK;
    }
    if (pool)
        pool->dismiss(pool);
    /* The others wait for this rank's answer, which will not come. */
    if (!ok)
        MPI_Abort(MPI_COMM_WORLD, STATUS_FAILED);
    return ok;
}

#endif
