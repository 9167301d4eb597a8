#include "cli/match.h"

#include <stdio.h>
#include <string.h>

#include "cli/again.h"

/* The folder and the name of a file, in the arena. */
static void split(Again *g, const char *path, const char **folder,
                  const char **name)
{
    const char *slash = strrchr(path, '/');
    char *copy = NEW_ARRAY(&g->arena, char, strlen(path) + 2);
    *folder = ".";
    *name = slash ? slash + 1 : path;
    if (!copy || !slash)
        return;
    size_t n = slash == path ? 1 : (size_t)(slash - path);
    memcpy(copy, path, n);
    copy[n] = '\0';
    *folder = copy;
}

bool match_study(const char *file, const char *provenance)
{
    Again g = {0};
    const char *folder, *name, *why = NULL, *what = NULL;
    split(&g, file, &folder, &name);
    bool read = again_read(&g, folder, name, &why);
    if (read)
        what = again_difference(&g, g.was, tree_read(&g.arena, provenance));
    if (!read)
        again_cannot(file, why);
    else if (what)
        fprintf(stderr,
                "cosy: error: --match %s: this is another study: it differs in "
                "%s; nothing was run\n",
                file, what);
    again_free(&g);
    return read && !what;
}
