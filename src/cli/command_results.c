#define _DEFAULT_SOURCE // timegm
#include "cli/commands.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/results.h"
#include "cli/sheet.h"
#include "run/kernel.h"
#include "store/export.h"

/* ---- What the parts share -------------------------------------------------- */

const char *results_option(const ResultsCommand *c, const char *name)
{
    for (size_t k = 0; k < c->options; k++)
        if (strcmp(c->option[k]->name, name) == 0)
            return c->value[k];
    return NULL;
}

Status results_base(ResultsCommand *c, StoreUse use)
{
    const char *usual = getenv("COSY_STORE");
    const char *path = c->base ? c->base : usual && usual[0] ? usual : NULL;
    if (c->store)
        return STATUS_OK;
    if (!path)
        return fault_set(&c->fault, STATUS_USAGE,
                         "which database? Name it, as in cosy results %s "
                         "FILE.db, or set COSY_STORE to the one that is meant "
                         "when none is named",
                         c->word);
    c->store = store_open(&c->arena, path, use, &c->fault);
    return c->store ? STATUS_OK : c->fault.status;
}

Status results_open(ResultsCommand *c, const Named *n, Results *r)
{
    if (n->folder)
        return results_folder(r, &c->arena, n->folder, &c->fault);
    TRY(results_base(c, STORE_READ));
    return results_study(r, &c->arena, c->store, n->study, &c->fault);
}

/* The first run that comes by. */
static Status note_run(void *user, const ResultsRun *run)
{
    *(uint64_t *)user = run->number;
    return STATUS_OK;
}

uint64_t results_meant(const ResultsCommand *c, const Named *n,
                       const Results *r)
{
    uint64_t only = 0;
    Results reader = *r;
    Fault unused = {0};
    if (n->run || c->run)
        return n->run ? n->run : c->run;
    if (r->runs == 1)
        results_each(&reader, note_run, &only, &unused);
    return only;
}

const char *results_date(const char *date, char text[20])
{
    struct tm t = {0};
    int n = sscanf(date, "%4d-%2d-%2dT%2d:%2d:%2dZ", &t.tm_year, &t.tm_mon,
                   &t.tm_mday, &t.tm_hour, &t.tm_min, &t.tm_sec);
    snprintf(text, 20, "%.19s", date);
    if (n != 6)
        return text;
    t.tm_year -= 1900;
    t.tm_mon -= 1;
    time_t when = timegm(&t);
    if (localtime_r(&when, &t))
        strftime(text, 20, "%Y-%m-%d %H:%M", &t);
    return text;
}

void results_status(char text[40], uint64_t stopped, uint64_t failed)
{
    if (failed)
        snprintf(text, 40, "%" PRIu64 " failed", failed);
    else if (stopped)
        snprintf(text, 40, "%" PRIu64 " stopped", stopped);
    else
        snprintf(text, 40, "finished");
}

/* ---- list ------------------------------------------------------------------ */

static void add_line(void *user, const StoreStudy *s)
{
    char text[40];
    Sheet *sheet = user;
    snprintf(text, sizeof text, "%lld", (long long)s->number);
    sheet_text(sheet, text);
    sheet_text(sheet, results_date(s->date, text));
    sheet_text(sheet, s->program);
    snprintf(text, sizeof text, "%" PRIu64, s->runs);
    sheet_text(sheet, text);
    results_status(text, s->stopped, s->failed);
    sheet_text(sheet, text);
    sheet_text(sheet, s->label);
}

static void put_member(Buffer *b, const char *name, const char *text)
{
    buffer_format(b, ", \"%s\": ", name);
    buffer_json(b, text);
}

static void add_object(void *user, const StoreStudy *s)
{
    Buffer *b = user;
    buffer_format(b, "%s{\"study\": %lld", b->v.used ? ",\n " : "[",
                  (long long)s->number);
    put_member(b, "date", s->date);
    put_member(b, "label", s->label);
    put_member(b, "program", s->program);
    put_member(b, "source", s->source);
    put_member(b, "cosy", s->cosy);
    put_member(b, "model_sha256", s->sha256);
    buffer_format(b,
                  ", \"runs\": %" PRIu64 ", \"stopped\": %" PRIu64
                  ", \"failed\": "
                  "%" PRIu64 "}",
                  s->runs, s->stopped, s->failed);
}

static Status list_as_json(ResultsCommand *c, Buffer *b)
{
    TRY(store_list(c->store, results_option(c, "--model"), add_object, b,
                   &c->fault));
    buffer_text(b, b->v.used ? "]\n" : "[]\n");
    return STATUS_OK;
}

static Status list_as_table(ResultsCommand *c, Buffer *b)
{
    static const char *const heads[] = {">study", "<date",   "<model",
                                        "runs",   "<status", "<label"};
    Sheet sheet;
    const char *model = results_option(c, "--model");
    sheet_begin(&sheet, heads, LENGTH(heads));
    Status s = store_list(c->store, model, add_line, &sheet, &c->fault);
    if (s == STATUS_OK && sheet.n == 0)
        buffer_format(b, "%s has no studies%s%s\n", store_path(c->store),
                      model ? " of " : "", model ? model : "");
    else if (s == STATUS_OK)
        sheet_print(b, &sheet);
    b->broken = b->broken || sheet.cells.broken;
    sheet_free(&sheet);
    return s;
}

static Status list(ResultsCommand *c)
{
    Buffer b = {0};
    TRY(results_base(c, STORE_READ));
    Status s = results_option(c, "--json") ? list_as_json(c, &b)
                                           : list_as_table(c, &b);
    if (s == STATUS_OK && b.broken)
        s = fault_set(&c->fault, STATUS_MEMORY, "no memory for the list");
    if (s == STATUS_OK)
        fputs(buffer_string(&b), stdout);
    buffer_free(&b);
    return s;
}

/* ---- export, delete, add ---------------------------------------------------- */

static Status export_one(ResultsCommand *c, const Named *n, Results *r)
{
    const char *csv = results_option(c, "--csv");
    const char *mat = results_option(c, "--mat");
    uint64_t run = n->run ? n->run : c->run;
    if (csv) {
        TRY(export_folder(r, run, csv, kernel_find(1)->owns, &c->fault));
        printf("%s is in %s/\n", r->name, csv);
        return STATUS_OK;
    }
    run = results_meant(c, n, r);
    if (!run)
        return fault_set(&c->fault, STATUS_USAGE,
                         "%s has %" PRIu64 " runs, and a MAT-file holds one: "
                         "--run K says which",
                         r->name, r->runs);
    TRY(export_mat(r, run, mat, &c->fault));
    printf("run %" PRIu64 " of %s is in %s\n", run, r->name, mat);
    return STATUS_OK;
}

static Status export(ResultsCommand *c)
{
    Results r;
    if (!results_option(c, "--csv") == !results_option(c, "--mat"))
        return fault_set(&c->fault, STATUS_USAGE,
                         "cosy results export needs either --csv DIR or --mat "
                         "FILE.mat");
    TRY(results_open(c, &c->name[0], &r));
    Status s = export_one(c, &c->name[0], &r);
    results_close(&r);
    return s;
}

static Status delete (ResultsCommand *c)
{
    int64_t number[RESULTS_NAMES];
    for (size_t k = 0; k < c->names; k++) {
        number[k] = c->name[k].study;
        if (c->name[k].folder || c->name[k].run)
            return fault_set(&c->fault, STATUS_USAGE,
                             "cosy results delete takes the numbers of "
                             "studies, not %s",
                             c->name[k].text);
    }
    TRY(results_base(c, STORE_CHANGE));
    return store_delete(c->store, number, c->names,
                        results_option(c, "--vacuum") != NULL, &c->fault);
}

/* The text of the model that a folder was made from, if it is still there; a
   text with another hash is not kept. */
static void find_text(const Results *r, Arena *a, Buffer *text)
{
    const Tree *model = results_model(results_head(r, a));
    Fault unused = {0};
    if (model)
        file_read_data(tree_text(model, "name"), text, &unused);
}

static Status add_folder(ResultsCommand *c, const Named *n)
{
    Results r;
    Buffer text = {0};
    int64_t number;
    if (!n->folder || n->run)
        return fault_set(&c->fault, STATUS_USAGE,
                         "cosy results add takes folders of results, not %s",
                         n->text);
    TRY(results_folder(&r, &c->arena, n->folder, &c->fault));
    find_text(&r, &c->arena, &text);
    results_close(&r);
    StoreEntry e = {.folder = n->folder,
                    .label = results_option(c, "--label"),
                    .text = text.v.used ? buffer_string(&text) : NULL,
                    .length = text.v.used};
    Status s = store_keep(c->store, &e, &number, &c->fault);
    if (s == STATUS_OK)
        printf("%s is study %" PRId64 " of %s\n", n->folder, number,
               store_path(c->store));
    buffer_free(&text);
    return s;
}

static Status add(ResultsCommand *c)
{
    TRY(results_base(c, STORE_MAKE));
    for (size_t k = 0; k < c->names; k++)
        TRY(add_folder(c, &c->name[k]));
    return STATUS_OK;
}

/* ---- The command line -------------------------------------------------------- */

static const struct Part {
    const char *word;
    const char *needs;   // as a message says it
    size_t least, most;  // names of results
    const char *options; // that it takes
    Status (*carry_out)(ResultsCommand *c);
} parts[] = {
    {"list", "at most the name of a database", 0, 0, "--model --json", list},
    {"show", "the number of a study, or a folder of results", 1, 1,
     "--run --json --text", results_show},
    {"compare", "two studies or folders", 2, 2, "--run --digits --graph",
     results_compare},
    {"export", "the number of a study, or a folder of results", 1, 1,
     "--run --csv --mat", export},
    {"delete", "numbers of studies", 1, RESULTS_NAMES, "--vacuum", delete},
    {"add", "folders of results", 1, RESULTS_NAMES, "--label", add},
};

static bool takes(const struct Part *p, const char *option)
{
    size_t n = strlen(option);
    for (const char *at = p->options; (at = strstr(at, option)); at += n)
        if ((at == p->options || at[-1] == ' ') && (!at[n] || at[n] == ' '))
            return true;
    return false;
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Digits that are the whole text up to `end`; 0: it is no such number. */
static uint64_t whole(const char *text, const char *end)
{
    size_t n = strspn(text, "0123456789");
    return n > 0 && n < 18 && text + n == end ? strtoull(text, NULL, 10) : 0;
}

/* False: it is neither a number nor a folder. */
static bool take_name(ResultsCommand *c, const char *text, Named *out)
{
    const char *colon = strrchr(text, ':'), *end = text + strlen(text);
    *out = (Named){.text = text};
    if (is_folder(text)) {
        out->folder = text;
        return true;
    }
    out->study = (int64_t)whole(text, end);
    if (out->study || !colon)
        return out->study != 0;
    out->run = whole(colon + 1, end);
    out->study = (int64_t)whole(text, colon);
    out->folder = arena_text(&c->arena, text, (size_t)(colon - text));
    if (out->run && out->study)
        out->folder = NULL;
    return out->run && (out->study || (out->folder && is_folder(out->folder)));
}

static Status take_word(ResultsCommand *c, const struct Part *p,
                        const char *text)
{
    Named n;
    if (p->most > 0 && take_name(c, text, &n)) {
        if (c->names == RESULTS_NAMES)
            return fault_set(&c->fault, STATUS_USAGE,
                             "more than %d names are too many",
                             (int)RESULTS_NAMES);
        c->name[c->names++] = n;
    } else if (c->base) {
        return fault_set(&c->fault, STATUS_USAGE,
                         "of %s and %s one may be the database; the other is "
                         "neither the number of a study nor a folder",
                         c->base, text);
    } else {
        c->base = text;
    }
    return STATUS_OK;
}

static Status take_option(ResultsCommand *c, const struct Part *p, char **argv,
                          int count, int *used)
{
    const Option *o = option_find("results", argv[0]);
    const char *value = strchr(argv[0], '=');
    if (!o || !takes(p, o->name))
        return fault_set(&c->fault, STATUS_USAGE,
                         "cosy results %s has no option %s; see cosy --help",
                         p->word, argv[0]);
    if (o->form == OPTION_VALUE && !value && count < 2)
        return fault_set(&c->fault, STATUS_USAGE, "%s needs a value: %s %s",
                         o->name, o->name, o->value);
    if (c->options == RESULTS_OPTIONS)
        return fault_set(&c->fault, STATUS_USAGE, "too many options");
    *used = o->form == OPTION_VALUE && !value ? 2 : 1;
    c->option[c->options] = o;
    c->value[c->options++] = *used == 2 ? argv[1] : value ? value + 1 : "";
    return STATUS_OK;
}

static Status take_run(ResultsCommand *c)
{
    const char *text = results_option(c, "--run");
    if (!text)
        return STATUS_OK;
    c->run = whole(text, text + strlen(text));
    return c->run
               ? STATUS_OK
               : fault_set(&c->fault, STATUS_USAGE,
                           "--run needs the number of a run, not \"%s\"", text);
}

static Status read_line(ResultsCommand *c, const struct Part *p, int argc,
                        char **argv)
{
    for (int k = 2, used; k < argc; k += used) {
        used = 1;
        if (argv[k][0] == '-')
            TRY(take_option(c, p, argv + k, argc - k, &used));
        else
            TRY(take_word(c, p, argv[k]));
    }
    if (c->names < p->least || c->names > p->most)
        return fault_set(&c->fault, STATUS_USAGE,
                         "cosy results %s takes %s; see cosy --help", p->word,
                         p->needs);
    return take_run(c);
}

static const struct Part *find_part(const char *word)
{
    for (size_t k = 0; word && k < LENGTH(parts); k++)
        if (strcmp(parts[k].word, word) == 0)
            return &parts[k];
    fputs("cosy: error: use cosy results list, show, compare, export, delete "
          "or add; see cosy --help\n",
          stderr);
    return NULL;
}

int command_results(int argc, char **argv)
{
    const struct Part *p = find_part(argc > 1 ? argv[1] : NULL);
    if (!p)
        return EXIT_USAGE;
    Arena memory = {0};
    ResultsCommand *c = NEW(&memory, ResultsCommand);
    if (!c) {
        fputs("cosy: error: no memory\n", stderr);
        return EXIT_USAGE;
    }
    c->word = p->word;
    signal(SIGXFSZ, SIG_IGN); // a limit on files is a message, not the end
    Status s = read_line(c, p, argc, argv);
    if (s == STATUS_OK)
        s = p->carry_out(c);
    if (s != STATUS_OK)
        fprintf(stderr, "cosy: error: %s\n", c->fault.text);
    int status = s != STATUS_OK ? EXIT_USAGE : c->differ ? EXIT_RUN : EXIT_DONE;
    store_close(c->store);
    arena_free(&c->arena);
    arena_free(&memory);
    return status;
}
