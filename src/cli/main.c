#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/macros.h"
#include "base/text.h"
#include "cli/commands.h"

/* command_completion.c offers the same commands and options; a test holds the
   two together. */
static const char help[] =
    "cosy " COSY_RELEASE ": combined continuous and discrete simulation\n"
    "\n"
    "  cosy new NAME                 write a model to start from: NAME.cosy\n"
    "\n"
    "      --kind KIND         continuous (the default), combined, discrete\n"
    "\n"
    "  cosy check MODEL...           read models and report every mistake\n"
    "\n"
    "      --dump=PASS         print the model after a pass: tokens, flat, "
    "ast,\n"
    "                          model, hidden, matched, sorted, derived\n"
    "      --untrusted         as run --untrusted would\n"
    "\n"
    "  cosy emit MODEL               print a model as C\n"
    "\n"
    "  cosy xref MODEL               list where each name is declared, set, "
    "read\n"
    "\n"
    "      --json              as JSON\n"
    "\n"
    "  cosy format MODEL             print it in the usual layout\n"
    "\n"
    "      -o FILE             to a file; --write: into the models themselves\n"
    "      --check             only say which are laid out otherwise\n"
    "\n"
    "  cosy run MODEL [options]      carry out the experiment of a model\n"
    "\n"
    "      --backend=B         compiled by cc, tcc, or auto: tcc first, then "
    "cc\n"
    "      -o DIR              results go there (default: MODEL.out)\n"
    "      --set NAME=VALUE    another value for a constant or parameter; with "
    "a\n"
    "                          unit it is converted: --set \"P = 5 [kW]\"\n"
    "      --method M          EULER RK4 RKS RKE RKF45 RKF78 DOPRI5 DOP853\n"
    "                          RADAU RADAU5 RADAU9 RADAU13 DIRK TRAPEZ GEAR\n"
    "                          BDF ADAMS IDA AUTO\n"
    "      --relerr E          relative error, --abserr absolute error\n"
    "      --step H            fixed step\n"
    "      --to T              end of the run\n"
    "      --threads N         at most N runs at once (default: all cores)\n"
    "      --seed N            other random numbers\n"
    "      --trace[=WHAT]      tell what happens on standard error: all, or a\n"
    "                          list of processes, events, transactions, times\n"
    "                          (TRUCK,7,10..20); --trace-file=FILE: to a file\n"
    "      --verify[=D]        compute it twice more, another way: how many\n"
    "                          digits agree; marked where fewer than D\n"
    "      --frame N           only FRAME N of the experiment\n"
    "      --limit-events N    stop a run after so many events\n"
    "      --limit-time T      stop a run where TIME reaches T\n"
    "      --limit-wall S      stop everything after S seconds\n"
    "      --limit-memory SIZE so much memory and no more: 500M, 2G\n"
    "      --untrusted         for models of strangers: no foreign code and\n"
    "                          files, caged, limited; --limit-cpu S: seconds\n"
    "                          of processor time\n"
    "      --save FILE --save-at T    snapshot when T is reached\n"
    "      --restore FILE      go on from a snapshot\n"
    "      --json              summary.json to standard output\n"
    "      --quiet             nothing on standard output\n"
    "      --libraries DIR     where EXTERNAL finds libraries (DIR:DIR...)\n"
    "      --no-plots          no graphs, no report.html\n"
    "      --format=LIST       of graphs: svg,pdf,png (svg)\n"
    "\n"
    "  cosy explain RESULTS          tell in words what happened in the runs\n"
    "\n"
    "  cosy rerun RESULTS [MODEL]    do a run again and compare\n"
    "\n"
    "      -o DIR              the new results stay there\n"
    "      --threads N         as above; so are --libraries DIR, "
    "--untrusted\n"
    "\n"
    "  cosy lib list                 MACROs and MODULEs of the library\n"
    "  cosy lib show NAME            the text of one\n"
    "  cosy lib add FILE...          put in all definitions of these files\n"
    "  cosy lib remove NAME          take one out\n"
    "\n"
    "  cosy doc [TOPIC]              pages about the language; --all: all\n"
    "  cosy completion SHELL         completion for bash, zsh or fish\n"
    "  cosy --help, cosy --version\n"
    "\n"
    "MODEL is a text (.cosy), C against include/cosy/model.h (.c), or compiled "
    "(.so).\n"
    "Exit status: 0 done, 1 the model has errors, 2 a run failed, 3 wrong use "
    "or\n"
    "environment.\n";

static const struct Command {
    const char *name;
    int (*command)(int argc, char **argv);
} table[] = {{"run", command_run},         {"check", command_check},
             {"emit", command_emit},       {"format", command_format},
             {"new", command_new},         {"completion", command_completion},
             {"lib", command_lib},         {"doc", command_doc},
             {"explain", command_explain}, {"rerun", command_rerun},
             {"xref", command_xref}};

/* cosy model.cosy, cosy simulate model.cosy, cosy formt model.cosy. */
static void unknown_command(const char *name)
{
    const char *known[LENGTH(table)], *near;
    size_t n = strlen(name);
    for (size_t k = 0; k < LENGTH(table); k++)
        known[k] = table[k].name;
    near = nearest_name(name, known, LENGTH(table));
    if (n > 5 && strcmp(name + n - 5, ".cosy") == 0)
        fprintf(stderr,
                "cosy: error: %s is a model: cosy run %s runs it, cosy check "
                "reads it\n",
                name, name);
    else if (near != NULL)
        fprintf(stderr,
                "cosy: error: unknown command %s: did you mean cosy %s?\n",
                name, near);
    else
        fprintf(stderr,
                "cosy: error: unknown command %s: cosy run MODEL runs a model; "
                "cosy --help has them all\n",
                name);
}

static int command(int argc, char **argv)
{
    for (size_t k = 0; argc >= 2 && k < LENGTH(table); k++)
        if (strcmp(argv[1], table[k].name) == 0)
            return table[k].command(argc - 1, argv + 1);
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        puts("cosy " COSY_RELEASE);
        return EXIT_DONE;
    }
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(help, stdout);
        return EXIT_DONE;
    }
    if (argc < 2)
        fputs(help, stderr);
    else
        unknown_command(argv[1]);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    int status = command(argc, argv);
    if ((fflush(stdout) == 0 && !ferror(stdout)) || errno == EPIPE)
        return status;
    perror("cosy: error: standard output");
    return status == EXIT_DONE ? EXIT_USAGE : status;
}
