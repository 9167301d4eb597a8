#include "guard/door.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

bool door_write(int door, const void *bytes, size_t n)
{
    const char *at = bytes;
    while (n > 0) {
        ssize_t done = write(door, at, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += done;
        n -= (size_t)done;
    }
    return true;
}

bool door_read(int door, void *bytes, size_t n)
{
    char *at = bytes;
    while (n > 0) {
        ssize_t done = read(door, at, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += done;
        n -= (size_t)done;
    }
    return true;
}

/* Room for one descriptor. */
typedef union Control {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
} Control;

/* Sends all or nothing: the other side reads the reply before its next
   question, so there is room. The descriptor travels with the first byte. */
bool door_send(int door, const DoorReply *r, int fd)
{
    Control control = {.bytes = {0}};
    struct iovec part = {(void *)(uintptr_t)r, sizeof *r};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
    if (fd >= 0) {
        m.msg_control = control.bytes;
        m.msg_controllen = sizeof control.bytes;
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(c), &fd, sizeof fd);
    }
    ssize_t sent;
    while ((sent = sendmsg(door, &m, MSG_NOSIGNAL | MSG_DONTWAIT)) < 0 &&
           errno == EINTR)
        ;
    return sent == (ssize_t)sizeof *r;
}

bool door_receive(int door, DoorReply *r, int *fd)
{
    Control control = {.bytes = {0}};
    struct iovec part = {r, 1};
    struct msghdr m = {.msg_iov = &part,
                       .msg_iovlen = 1,
                       .msg_control = control.bytes,
                       .msg_controllen = sizeof control.bytes};
    ssize_t got;
    *fd = -1;
    while ((got = recvmsg(door, &m, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
        ;
    const struct cmsghdr *c = got == 1 ? CMSG_FIRSTHDR(&m) : NULL;
    if (c && c->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(c), sizeof *fd);
    return got == 1 && door_read(door, (char *)r + 1, sizeof *r - 1);
}
