#ifndef COSY_TESTS_FOLDER_H
#define COSY_TESTS_FOLDER_H

/* A separate folder for tests that write files. */

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Folder {
    char path[64];
    char name[512]; // result of the last folder_file
} Folder;

static inline void folder_make(Folder *f)
{
    strcpy(f->path, "/tmp/cosy-test-XXXXXX");
    if (mkdtemp(f->path) == NULL) {
        perror(f->path);
        exit(1);
    }
}

/* Path of a file in it; valid until the next call. */
static inline const char *folder_file(Folder *f, const char *name)
{
    snprintf(f->name, sizeof f->name, "%s/%s", f->path, name);
    return f->name;
}

static inline int folder_count(const Folder *f)
{
    DIR *d = opendir(f->path);
    int n = -2; // . and ..
    if (d == NULL)
        return -1;
    while (readdir(d) != NULL)
        n++;
    closedir(d);
    return n;
}

static inline void folder_remove(const Folder *f)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", f->path);
    if (system(command) != 0)
        perror(command);
}

#endif
