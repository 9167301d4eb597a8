#ifndef COSY_GUARD_DOOR_H
#define COSY_GUARD_DOOR_H

/* What passes between the caged child and its parent: requests of one size,
   followed by the bytes of a C text if it is to be compiled, and replies of one
   size, with a descriptor if there is one. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/status.h"

enum {
    DOOR = 3, // the child's descriptor
    DOOR_PATH = 2048,
    DOOR_TEXT_MOST = 256 << 20 // bytes of C
};

typedef enum DoorAsk {
    ASK_OPEN,
    ASK_STAT,
    ASK_FOLDER, // mkdir
    ASK_RENAME,
    ASK_REMOVE,
    ASK_COMPILE,
    ASK_STAGE, // results begin
    ASK_COMMIT,
    ASK_DISCARD,
    ASK_UNPROTECTED // there is no cage: `flags` is errno
} DoorAsk;

typedef struct DoorRequest {
    uint32_t ask;
    int32_t flags; // for open; for remove: it is a folder
    uint32_t mode;
    uint32_t precision;
    uint64_t length; // length of the text after it
    char path[DOOR_PATH], to[DOOR_PATH];
} DoorRequest;

typedef struct DoorReply {
    int32_t result; // 0, -errno, or a Status
    int32_t has_fd;
    struct stat about;
    char text[FAULT_LENGTH]; // a fault, or the folder of the results
} DoorReply;

/* Writes everything; false: the other side is gone. Safe in a signal
   handler. */
bool door_write(int door, const void *bytes, size_t n);
bool door_read(int door, void *bytes, size_t n);
bool door_send(int door, const DoorReply *r, int fd); // fd < 0: none
bool door_receive(int door, DoorReply *r, int *fd);

#endif
