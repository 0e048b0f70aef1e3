/* SPDX-License-Identifier: MIT */
/* model/team.h in WebAssembly, which has no threads: every team is the caller alone. */
#include "model/team.h"

Team *team_create(int members, Status *status)
{
    (void)members, (void)status;
    return NULL;
}

void team_destroy(Team *team)
{
    (void)team;
}

int team_size(const Team *team)
{
    (void)team;
    return 1;
}

int team_parts(const Team *team, int count, int least)
{
    (void)team, (void)count, (void)least;
    return 1;
}

long team_share(Team *team, int count, int least, TeamWork *work, void *context)
{
    (void)team, (void)least;
    return work(context, 0, count);
}
