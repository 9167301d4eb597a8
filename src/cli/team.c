#include "cli/team.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/stage.h"

/* How a launcher tells its processes who they are. A batch script of Slurm has a rank
   too, but only the steps that srun makes have a number of tasks of their own. */
typedef struct Launcher {
    const char *rank, *ranks, *local, *job, *step;
} Launcher;

static const Launcher launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_SIZE", "PMIX_NAMESPACE", NULL},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_MCA_ess_base_jobid", NULL},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS_PER_NODE",
     "SLURM_JOB_ID", "SLURM_STEP_ID"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", "PMI_JOBID", NULL},
};

/* A whole number at the beginning of a variable; -1: there is none. */
static long number(const char *variable)
{
    const char *text = getenv(variable);
    char *end;
    long n = text ? strtol(text, &end, 10) : -1;
    return text && end != text && n >= 0 && n < 1000000 ? n : -1;
}

/* Only what can be part of a name. */
static void add_plain(Buffer *b, const char *text)
{
    for (; *text; text++)
        buffer_char(b, isalnum((unsigned char)*text) || *text == '.' ? *text
                                                                     : '_');
}

static const Launcher *launcher(void)
{
    for (size_t k = 0; k < LENGTH(launchers); k++) {
        const Launcher *l = &launchers[k];
        long rank = number(l->rank), ranks = number(l->ranks);
        if (rank >= 0 && ranks > 1 && rank < ranks && getenv(l->job) &&
            (!l->step || getenv(l->step)))
            return l;
    }
    return NULL;
}

bool team_find(Team *t, const RunCommand *r)
{
    const Launcher *l = launcher();
    *t = (Team){0};
    if (!l || r->kernel.chunks || r->kernel.parts)
        return false;
    stage_beside(&t->folder, r->kernel.dir, TEAM_JOBS "/");
    add_plain(&t->folder, getenv(l->job));
    if (l->step) {
        buffer_char(&t->folder, '.');
        add_plain(&t->folder, getenv(l->step));
    }
    t->team = (KernelTeam){.folder = buffer_string(&t->folder),
                           .rank = (uint32_t)number(l->rank),
                           .ranks = (uint32_t)number(l->ranks)};
    long cores = sysconf(_SC_NPROCESSORS_ONLN), local = number(l->local);
    t->threads =
        cores > 0 && local > 0 && local < cores ? (uint32_t)(cores / local) : 1;
    return !t->folder.broken;
}

void team_free(Team *t)
{
    buffer_free(&t->folder);
}
