/* start COSY SCRATCH NAME=MODEL...

   How long a model takes to start: wall time of whole processes, the least of
   several. Three times for each model: the C compiler on the C that `cosy emit`
   prints, `cosy run` with an empty cache, `cosy run` with the model's code in
   the cache. The last two include the run, so models should be small. One line
   each, for bench/run:

       START NAME SECONDS-OF-CC SECONDS-COLD SECONDS-WARM */

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum { TRIES = 15 };

extern char **environ;

typedef struct Paths {
    char *cosy, *model;
    char c[4096], object[4096], results[4096], cache[4096];
} Paths;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Wall time of a silent command; the program ends if it fails. */
static double once(char **argv, const char *output)
{
    posix_spawn_file_actions_t files;
    pid_t pid;
    int status = 1;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 1, output,
                                     O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    double begun = seconds();
    int failed = posix_spawnp(&pid, argv[0], &files, NULL, argv, environ);
    if (failed || waitpid(pid, &status, 0) < 0 || status != 0) {
        fprintf(stderr, "start: %s %s failed\n", argv[0], argv[1]);
        exit(1);
    }
    double taken = seconds() - begun;
    posix_spawn_file_actions_destroy(&files);
    return taken;
}

static void clear(char *folder)
{
    char *argv[] = {"rm", "-rf", folder, NULL};
    once(argv, "/dev/null");
}

static double compile_time(Paths *p)
{
    char *argv[] = {"cc",
                    "-std=c17",
                    "-O2",
                    "-fPIC",
                    "-shared",
                    "-w",
                    "-ffp-contract=off",
                    "-o",
                    p->object,
                    p->c,
                    "-Iinclude",
                    "-lm",
                    NULL};
    char *emit[] = {p->cosy, "emit", p->model, NULL};
    double least = once(emit, p->c);
    for (int k = 0; k < TRIES; k++) {
        double t = once(argv, "/dev/null");
        least = k == 0 || t < least ? t : least;
    }
    return least;
}

static double run_time(Paths *p, int cold)
{
    char *argv[] = {p->cosy,      "run", p->model,   "--quiet",
                    "--no-plots", "-o",  p->results, NULL};
    char *fill[] = {p->cosy,        "run", p->model,   "--quiet",
                    "--backend=cc", "-o",  p->results, NULL};
    double least = 0.0;
    once(fill, "/dev/null");
    for (int k = 0; k < TRIES; k++) {
        if (cold)
            clear(p->cache);
        double t = once(argv, "/dev/null");
        least = k == 0 || t < least ? t : least;
    }
    return least;
}

static void measure(Paths *p, char *word)
{
    char *equals = strchr(word, '=');
    if (!equals)
        return;
    *equals = '\0';
    p->model = equals + 1;
    double cc = compile_time(p);
    double cold = run_time(p, 1);
    double warm = run_time(p, 0);
    printf("START %s %.6f %.6f %.6f\n", word, cc, cold, warm);
}

int main(int argc, char **argv)
{
    Paths p = {0};
    if (argc < 4) {
        fprintf(stderr, "start COSY SCRATCH NAME=MODEL...\n");
        return 3;
    }
    p.cosy = argv[1];
    snprintf(p.c, sizeof p.c, "%s/model.c", argv[2]);
    snprintf(p.object, sizeof p.object, "%s/model.so", argv[2]);
    snprintf(p.results, sizeof p.results, "%s/results", argv[2]);
    snprintf(p.cache, sizeof p.cache, "%s/cache", argv[2]);
    setenv("COSY_CACHE", p.cache, 1);
    for (int k = 3; k < argc; k++)
        measure(&p, argv[k]);
    return 0;
}
