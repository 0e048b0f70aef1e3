#include "model/team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Looks at what another thread writes before a thread goes to sleep: loops of a sweep follow each other within
 * microseconds, and waking up takes tens of them. */
enum { TEAM_LOOKS = 4000 };

typedef struct Member {
    Team *team;
    int index; /* from 1; the caller is 0 */
    pthread_t thread;
    long counted;
    char apart[64]; /* a cache line of its own */
} Member;

struct Team {
    int size, started;
    /* The loop at work, written before `round` goes up. */
    TeamWork *work;
    void *context;
    int count;
    bool ends;
    atomic_uint round;  /* loops begun */
    atomic_int at_work; /* members that are not done with this one */
    pthread_mutex_t lock;
    pthread_cond_t begun;
    Member members[TEAM_MOST];
};

static void team_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static long team_part(const Team *team, int index)
{
    int from = (int)((long long)team->count * index / team->size);
    int to = (int)((long long)team->count * (index + 1) / team->size);
    return team->work(team->context, from, to);
}

/* Until a round after `seen` has begun. */
static void member_wait(Team *team, unsigned seen)
{
    for (int i = 0; i < TEAM_LOOKS; i++) {
        if (atomic_load_explicit(&team->round, memory_order_acquire) != seen)
            return;
        team_pause();
    }
    pthread_mutex_lock(&team->lock);
    while (atomic_load_explicit(&team->round, memory_order_acquire) == seen)
        pthread_cond_wait(&team->begun, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

static void *member_run(void *argument)
{
    Member *member = argument;
    Team *team = member->team;
    for (unsigned seen = 0;; seen++) {
        member_wait(team, seen);
        if (team->ends)
            return NULL;
        member->counted = team_part(team, member->index);
        atomic_fetch_sub_explicit(&team->at_work, 1, memory_order_release);
    }
}

static void team_begin_round(Team *team)
{
    pthread_mutex_lock(&team->lock); /* a member is asleep, or looks once more: none misses the call */
    atomic_fetch_add_explicit(&team->round, 1, memory_order_release);
    pthread_cond_broadcast(&team->begun);
    pthread_mutex_unlock(&team->lock);
}

Team *team_create(int members, Status *status)
{
    Team *team = members > 1 ? calloc(1, sizeof *team) : NULL;
    if (!team) {
        if (members > 1)
            status_set(status, STATUS_FAILED, "out of memory");
        return NULL;
    }
    team->size = members < TEAM_MOST ? members : TEAM_MOST;
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
    team->ends = true;
    team_begin_round(team);
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

/* The caller looks a while, then lets others run: a member may need this processor. */
static void team_wait(Team *team)
{
    for (int i = 0; atomic_load_explicit(&team->at_work, memory_order_acquire) > 0; i++) {
        if (i < TEAM_LOOKS)
            team_pause();
        else
            sched_yield();
    }
}

long team_share(Team *team, int count, int least, TeamWork *work, void *context)
{
    if (!team || count < least * team->size)
        return work(context, 0, count);
    team->work = work;
    team->context = context;
    team->count = count;
    atomic_store_explicit(&team->at_work, team->size - 1, memory_order_relaxed);
    team_begin_round(team);
    long sum = team_part(team, 0);
    team_wait(team);
    for (int i = 1; i < team->size; i++)
        sum += team->members[i].counted;
    return sum;
}
