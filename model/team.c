/* A loop is cut into chunks that whoever is free takes next, the caller among them: a member that the machine has not
 * let run yet holds nobody up. `ticket` is the loop's number, its chunks, and the next one to be taken, all in one
 * word, so that a late member can never take a chunk of a loop that is over. */
#include "model/team.h"

#include "model/cache.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

/* Looks at what another thread writes before a thread goes to sleep: loops of a sweep follow each other within
 * microseconds, and waking up takes tens of them. */
enum { TEAM_LOOKS = 2000 };

/* Chunks for each member: enough that one who comes late finds work, and all end together. */
enum { CHUNKS_A_MEMBER = 4 };

struct Team {
    int size, started;
    pthread_t threads[TEAM_MOST];
    pthread_mutex_t lock;
    pthread_cond_t begun;
    atomic_int asleep;
    atomic_bool ends;

    /* The loop at work: written while every chunk of the last one is taken and done. */
    _Atomic(TeamWork *) work;
    _Atomic(void *) context;
    atomic_int count;

    _Alignas(CACHE_LINE) atomic_uint_fast64_t ticket; /* loop << 32 | chunks << 16 | next */
    _Alignas(CACHE_LINE) atomic_int done;             /* chunks */
    atomic_long sum;
};

static uint64_t ticket_chunks(uint64_t ticket)
{
    return ticket >> 16 & 0xffff;
}

static uint64_t ticket_next(uint64_t ticket)
{
    return ticket & 0xffff;
}

static void team_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Takes and does chunks until none is left. What is read of the loop holds if the chunk is then taken with the very
 * ticket that was seen before. */
static void team_work(Team *team)
{
    uint64_t ticket = atomic_load_explicit(&team->ticket, memory_order_acquire);
    while (ticket_next(ticket) < ticket_chunks(ticket)) {
        TeamWork *work = atomic_load_explicit(&team->work, memory_order_relaxed);
        void *context = atomic_load_explicit(&team->context, memory_order_relaxed);
        long long count = atomic_load_explicit(&team->count, memory_order_relaxed);
        if (!atomic_compare_exchange_weak_explicit(&team->ticket, &ticket, ticket + 1, memory_order_acq_rel,
                                                   memory_order_acquire))
            continue;
        long long chunk = (long long)ticket_next(ticket), chunks = (long long)ticket_chunks(ticket);
        long counted = work(context, (int)(count * chunk / chunks), (int)(count * (chunk + 1) / chunks));
        atomic_fetch_add_explicit(&team->sum, counted, memory_order_relaxed);
        atomic_fetch_add_explicit(&team->done, 1, memory_order_release);
        ticket = atomic_load_explicit(&team->ticket, memory_order_acquire);
    }
}

static bool team_is_idle(Team *team)
{
    uint64_t ticket = atomic_load_explicit(&team->ticket, memory_order_seq_cst);
    return ticket_next(ticket) >= ticket_chunks(ticket) && !atomic_load_explicit(&team->ends, memory_order_acquire);
}

/* Until there is work, or an end. */
static void member_wait(Team *team)
{
    for (int i = 0; i < TEAM_LOOKS && team_is_idle(team); i++)
        team_pause();
    if (!team_is_idle(team))
        return;
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add_explicit(&team->asleep, 1, memory_order_seq_cst);
    while (team_is_idle(team))
        pthread_cond_wait(&team->begun, &team->lock);
    atomic_fetch_sub_explicit(&team->asleep, 1, memory_order_seq_cst);
    pthread_mutex_unlock(&team->lock);
}

static void *member_run(void *argument)
{
    Team *team = argument;
    while (!atomic_load_explicit(&team->ends, memory_order_acquire)) {
        member_wait(team);
        team_work(team);
    }
    return NULL;
}

static void team_wake(Team *team)
{
    if (atomic_load_explicit(&team->asleep, memory_order_seq_cst) == 0)
        return;
    pthread_mutex_lock(&team->lock);
    pthread_cond_broadcast(&team->begun);
    pthread_mutex_unlock(&team->lock);
}

Team *team_create(int members, Status *status)
{
    if (members <= 1)
        return NULL;
    Team *team = aligned_alloc(CACHE_LINE, sizeof *team);
    if (!team) {
        status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    *team = (Team){.size = members < TEAM_MOST ? members : TEAM_MOST};
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->begun, NULL);
    for (team->started = 1; team->started < team->size; team->started++)
        if (pthread_create(&team->threads[team->started], NULL, member_run, team) != 0) {
            status_set(status, STATUS_FAILED, "thread %d of %d could not be started", team->started + 1, team->size);
            team_destroy(team);
            return NULL;
        }
    return team;
}

void team_destroy(Team *team)
{
    if (!team)
        return;
    atomic_store_explicit(&team->ends, true, memory_order_seq_cst);
    team_wake(team);
    for (int i = 1; i < team->started; i++)
        pthread_join(team->threads[i], NULL);
    pthread_cond_destroy(&team->begun);
    pthread_mutex_destroy(&team->lock);
    free(team);
}

int team_size(const Team *team)
{
    return team ? team->size : 1;
}

/* Until the chunks that others have taken are done; after a while others may need this processor for that. */
static void team_wait(Team *team, int chunks)
{
    for (int i = 0; atomic_load_explicit(&team->done, memory_order_acquire) < chunks; i++) {
        if (i < TEAM_LOOKS)
            team_pause();
        else
            sched_yield();
    }
}

long team_share(Team *team, int count, int least, TeamWork *work, void *context)
{
    if (!team || count < 2 * least)
        return work(context, 0, count);
    int chunks = count / least < CHUNKS_A_MEMBER * team->size ? count / least : CHUNKS_A_MEMBER * team->size;
    atomic_store_explicit(&team->work, work, memory_order_relaxed);
    atomic_store_explicit(&team->context, context, memory_order_relaxed);
    atomic_store_explicit(&team->count, count, memory_order_relaxed);
    atomic_store_explicit(&team->sum, 0, memory_order_relaxed);
    atomic_store_explicit(&team->done, 0, memory_order_relaxed);
    uint64_t loop = (atomic_load_explicit(&team->ticket, memory_order_relaxed) >> 32) + 1;
    atomic_store_explicit(&team->ticket, loop << 32 | (uint64_t)chunks << 16, memory_order_seq_cst);
    team_wake(team);
    team_work(team);
    team_wait(team, chunks);
    return atomic_load_explicit(&team->sum, memory_order_relaxed);
}
