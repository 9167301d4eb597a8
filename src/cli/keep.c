#include "cli/keep.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

#include "store/store.h"

static Status keep(const RunCommand *r, int64_t *number, Fault *f)
{
    const StoreEntry e = {.folder = r->kernel.dir,
                          .label = r->label,
                          .text = r->kernel.text,
                          .length = r->kernel.length};
    Arena a = {0};
    Store *s = store_open(&a, r->store, STORE_MAKE, f);
    Status status = s ? store_keep(s, &e, number, f) : f->status;
    store_close(s);
    arena_free(&a);
    return status;
}

Status keep_results(const RunCommand *r, bool quiet, Status status)
{
    struct sigaction none = {.sa_handler = SIG_IGN}, before;
    Fault f = {0};
    int64_t number = 0;
    sigaction(SIGXFSZ, &none, &before); // a limit on files is a message
    Status kept = keep(r, &number, &f);
    sigaction(SIGXFSZ, &before, NULL);
    if (kept == STATUS_OK) {
        if (!quiet)
            printf("They are study %" PRId64 " of %s\n", number, r->store);
        return status;
    }
    fflush(stdout);
    fprintf(
        stderr,
        "cosy: error: %s\ncosy: the results are in %s/; cosy results add %s "
        "FILE.db keeps them once this is mended\n",
        f.text, r->kernel.dir, r->kernel.dir);
    return status == STATUS_OK ? STATUS_FILE : status;
}
