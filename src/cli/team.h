#ifndef COSY_CLI_TEAM_H
#define COSY_CLI_TEAM_H

/* Whether mpirun or srun has started several processes with the same command: these
   carry out one study together (study/claims.h). No library of MPI is needed: rank,
   number and job stand in the environment. */

#include "cli/options.h"

typedef struct Team {
    KernelTeam team;
    Buffer folder; // DIR.study/JOB
    uint32_t threads;
} Team;

/* True: it is one of a team, and t->team says which. Threads: as many as there are
   cores for each process of this machine. */
bool team_find(Team *t, const RunCommand *r);
void team_free(Team *t);

#endif
