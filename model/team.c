/* SPDX-License-Identifier: MIT */
/* A loop is cut into chunks, and each member begins with its own share of them: loops over the same things, one after
 * the other, find them in the cache of the same processor. Who is done helps the others, so a member that the machine
 * has not let run yet holds nobody up. A member's `ticket` is the loop's number, the end of its share, and the next of
 * its chunks to be taken, all in one word, so that who comes late can never take a chunk of a loop that is over. */
#include "model/team.h"

#include "model/cache.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

/* Looks at what another thread writes, a tenth of a millisecond, before a thread lets others have its processor: loops
 * of a sweep follow each other within microseconds. */
enum { TEAM_LOOKS = 2000 };

/* Looks with such a rest before each, about a millisecond, before a member goes to sleep: what is serial in a substep
 * takes less, and waking up takes a tenth of it and more. */
enum { TEAM_RESTS = 2000 };

/* Chunks for each member: enough that one who comes late finds work, and all end together. Parts that keep something of
 * their own are fewer. */
enum { CHUNKS_A_MEMBER = 16, PARTS_A_MEMBER = 4 };

typedef struct Member {
    Team *team;
    int index;
    pthread_t thread;
    _Alignas(CACHE_LINE) atomic_uint_fast64_t ticket; /* loop << 32 | end << 16 | next */
} Member;

struct Team {
    int size, started;
    pthread_mutex_t lock;
    pthread_cond_t begun;
    atomic_int asleep;
    atomic_bool ends;

    /* The loop at work: written while every chunk of the last one is taken and done. */
    _Atomic(TeamWork *) work;
    _Atomic(void *) context;
    atomic_int count, chunks;

    _Alignas(CACHE_LINE) atomic_int done; /* chunks */
    atomic_long sum;
    Member members[TEAM_MOST]; /* the caller is the first */
};

static uint64_t ticket_end(uint64_t ticket)
{
    return ticket >> 16 & 0xffff;
}

static uint64_t ticket_next(uint64_t ticket)
{
    return ticket & 0xffff;
}

/* Between two looks. */
static void team_rest(int looks)
{
    if (looks >= TEAM_LOOKS)
        sched_yield();
#if defined(__x86_64__) || defined(__i386__)
    else
        __builtin_ia32_pause();
#endif
}

/* Takes and does chunks of a member's share until none is left. What is read of the loop holds if the chunk is then
 * taken with the very ticket that was seen before. */
static void share_work(Team *team, Member *owner)
{
    uint64_t ticket = atomic_load_explicit(&owner->ticket, memory_order_acquire);
    while (ticket_next(ticket) < ticket_end(ticket)) {
        TeamWork *work = atomic_load_explicit(&team->work, memory_order_relaxed);
        void *context = atomic_load_explicit(&team->context, memory_order_relaxed);
        int count = atomic_load_explicit(&team->count, memory_order_relaxed);
        int chunks = atomic_load_explicit(&team->chunks, memory_order_relaxed);
        if (!atomic_compare_exchange_weak_explicit(&owner->ticket, &ticket, ticket + 1, memory_order_acq_rel,
                                                   memory_order_acquire))
            continue;
        PartRange chunk = part_range(count, (int)ticket_next(ticket), chunks);
        long counted = work(context, chunk.from, chunk.to);
        atomic_fetch_add_explicit(&team->sum, counted, memory_order_relaxed);
        atomic_fetch_add_explicit(&team->done, 1, memory_order_release);
        ticket = atomic_load_explicit(&owner->ticket, memory_order_acquire);
    }
}

/* First a member's own share, then those of the others. */
static void team_work(Team *team, int index)
{
    for (int i = 0; i < team->size; i++)
        share_work(team, &team->members[(index + i) % team->size]);
}

static bool team_is_idle(Team *team)
{
    for (int i = 0; i < team->size; i++) {
        uint64_t ticket = atomic_load_explicit(&team->members[i].ticket, memory_order_seq_cst);
        if (ticket_next(ticket) < ticket_end(ticket))
            return false;
    }
    return !atomic_load_explicit(&team->ends, memory_order_acquire);
}

/* Until there is work, or an end. */
static void member_wait(Team *team)
{
    for (int i = 0; i < TEAM_LOOKS + TEAM_RESTS && team_is_idle(team); i++)
        team_rest(i);
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
    const Member *member = argument;
    Team *team = member->team;
    while (!atomic_load_explicit(&team->ends, memory_order_acquire)) {
        member_wait(team);
        team_work(team, member->index);
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
    for (team->started = 1; team->started < team->size; team->started++) {
        Member *member = &team->members[team->started];
        member->team = team;
        member->index = team->started;
        if (pthread_create(&member->thread, NULL, member_run, member) != 0) {
            status_set(status, STATUS_FAILED, "thread %d of %d could not be started", team->started + 1, team->size);
            team_destroy(team);
            return NULL;
        }
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
        pthread_join(team->members[i].thread, NULL);
    pthread_cond_destroy(&team->begun);
    pthread_mutex_destroy(&team->lock);
    free(team);
}

int team_size(const Team *team)
{
    return team ? team->size : 1;
}

/* Until the chunks that others have taken are done; after a while they may need this processor for that. */
static void team_wait(Team *team, int chunks)
{
    for (int i = 0; atomic_load_explicit(&team->done, memory_order_acquire) < chunks; i++)
        team_rest(i);
}

int team_parts(const Team *team, int count, int least)
{
    if (!team || count < 2 * least)
        return 1;
    int most = PARTS_A_MEMBER * team->size < TEAM_MOST ? PARTS_A_MEMBER * team->size : TEAM_MOST;
    return count / least < most ? count / least : most;
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
    atomic_store_explicit(&team->chunks, chunks, memory_order_relaxed);
    uint64_t loop = (atomic_load_explicit(&team->members[0].ticket, memory_order_relaxed) >> 32) + 1;
    for (int i = team->size - 1; i >= 0; i--) {
        PartRange share = part_range(chunks, i, team->size);
        atomic_store_explicit(&team->members[i].ticket, loop << 32 | (uint64_t)share.to << 16 | (uint64_t)share.from,
                              memory_order_seq_cst);
    }
    team_wake(team);
    team_work(team, 0);
    team_wait(team, chunks);
    return atomic_load_explicit(&team->sum, memory_order_relaxed);
}
