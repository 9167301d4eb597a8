/* A journal: what was added is read, by its writer's side and while it grows; damage
   costs what is behind it. */

#include "base/journal.h"

#include <pthread.h>
#include <sys/stat.h>
#include <time.h>

#include "check.h"
#include "folder.h"
#include "scarce.h"

enum { RECORDS = 40 };

/* Record k: k bytes of value k. */
typedef struct Reader {
    uint32_t stamps, records;
    bool right;
    uint64_t at[RECORDS];
} Reader;

static bool each(void *user, uint64_t at, const unsigned char *bytes, size_t n)
{
    Reader *r = user;
    if (at == 0) {
        r->stamps++;
        r->right = n == 5 && memcmp(bytes, "stamp", 5) == 0;
        return true;
    }
    r->right = r->right && n == r->records;
    for (size_t k = 0; k < n; k++)
        r->right = r->right && bytes[k] == r->records;
    if (r->records < RECORDS)
        r->at[r->records] = at;
    r->records++;
    return r->right;
}

static Status add(Journal *j, uint32_t k, Fault *f)
{
    unsigned char bytes[RECORDS];
    memset(bytes, (int)k, sizeof bytes);
    return journal_add(j, bytes, k, f);
}

static void pause_shortly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
}

static uint32_t count(const char *path)
{
    Reader r = {.right = true};
    uint64_t offset = 0;
    Fault f = {0};
    CHECK(journal_read(path, &offset, each, &r, &f) == STATUS_OK);
    CHECK(r.right);
    return r.records;
}

static void check_growth(const char *path)
{
    Journal j;
    Fault f = {0};
    Reader r = {.right = true};
    uint64_t offset = 0;
    CHECK(journal_open(&j, path, "stamp", &f) == STATUS_OK);
    CHECK(journal_read(path, &offset, each, &r, &f) == STATUS_OK);
    CHECK(r.stamps == 1 && r.records == 0);
    for (uint32_t k = 0; k < RECORDS; k++) {
        CHECK(add(&j, k, &f) == STATUS_OK);
        if (k % 16 == 15) { // late enough to be written
            CHECK(journal_flush(&j, &f) == STATUS_OK);
            CHECK(journal_read(path, &offset, each, &r, &f) == STATUS_OK);
            CHECK(r.records == k + 1);
        }
    }
    pause_shortly();
    CHECK(r.records == 32);
    CHECK(journal_flush(&j, &f) == STATUS_OK);
    CHECK(journal_read(path, &offset, each, &r, &f) == STATUS_OK);
    CHECK(r.records == RECORDS && r.stamps == 1 && r.right);
    CHECK(journal_read(path, &offset, each, &r, &f) == STATUS_OK);
    CHECK(r.records == RECORDS);
    for (uint32_t k = 0; k < RECORDS; k++) {
        Buffer b = {0};
        CHECK(journal_get(path, r.at[k], k, &b, &f) == STATUS_OK);
        CHECK(b.v.used == k && (k == 0 || b.v.bytes[k - 1] == k));
        buffer_free(&b);
    }
    journal_close(&j);
}

/* What is late is written without a flush. */
static void check_lazy(const char *path)
{
    Journal j;
    Fault f = {0};
    CHECK(journal_open(&j, path, "stamp", &f) == STATUS_OK);
    CHECK(add(&j, 0, &f) == STATUS_OK);
    pause_shortly();
    CHECK(add(&j, 1, &f) == STATUS_OK);
    CHECK(count(path) == 2);
    journal_close(&j);
}

static void put(const char *path, const unsigned char *bytes, size_t n)
{
    Fault f = {0};
    CHECK(file_put(path, bytes, n, &f) == STATUS_OK);
}

/* Every truncation and every byte that is another: what comes before it is read. */
static void check_damage(Folder *folder, const char *path)
{
    char other[600];
    Buffer b = {0};
    Fault f = {0};
    Reader r = {.right = true};
    uint64_t offset = 0;
    snprintf(other, sizeof other, "%s", folder_file(folder, "damaged"));
    CHECK(file_read(path, &b, &f) == STATUS_OK);
    CHECK(journal_read(path, &offset, each, &r, &f) == STATUS_OK);
    CHECK(offset == b.v.used);
    for (size_t n = 0; n < b.v.used; n++) {
        uint32_t before = 0; // records that are whole
        while (before < RECORDS && r.at[before] + before <= n)
            before++;
        put(other, b.v.bytes, n);
        CHECK(count(other) == before);
        b.v.bytes[n] ^= 0x40;
        put(other, b.v.bytes, b.v.used);
        b.v.bytes[n] ^= 0x40;
        CHECK(count(other) == before);
    }
    buffer_free(&b);
}

static void check_refusals(Folder *folder)
{
    Journal j;
    Fault f = {0};
    Reader r = {0};
    uint64_t offset = 0;
    CHECK(journal_open(&j, "/nowhere/at/all", "stamp", &f) == STATUS_FILE);
    f = (Fault){0};
    CHECK(journal_read(folder_file(folder, "absent"), &offset, each, &r, &f) ==
          STATUS_FILE);
    f = (Fault){0};
    CHECK(journal_open(&j, "/dev/full", "stamp", &f) == STATUS_FILE);
    CHECK(strstr(f.text, "No space left") != NULL);
    journal_close(&j);
    for (long n = 0, refused = 1; refused > 0; n++) {
        f = (Fault){0};
        scarce_begin(n);
        Status s = journal_open(&j, folder_file(folder, "scarce"), "stamp", &f);
        if (s == STATUS_OK)
            s = add(&j, 7, &f);
        refused = scarce_end();
        CHECK(s == (refused > 0 ? STATUS_MEMORY : STATUS_OK));
        journal_close(&j);
    }
}

/* Threads that share it: each adds records that are sealed before, and one of them
   writes what there is while the others go on. */
typedef struct Shared {
    Journal j;
    pthread_mutex_t lock;
    bool right;
    uint32_t next;
} Shared;

enum { SHARED = 20000, THREADS = 4 };

static void *add_shared(void *user)
{
    Shared *all = user;
    Buffer b = {0};
    Fault f = {0};
    bool right = true;
    pthread_mutex_lock(&all->lock);
    while (all->next < SHARED) {
        uint32_t k = all->next++;
        pthread_mutex_unlock(&all->lock);
        b.v.used = 0;
        journal_head(&b);
        for (uint32_t i = 0; i < 5 + k % 7; i++)
            buffer_bytes(&b, (const char *)&k, sizeof k);
        right = right && journal_seal(&all->j, &b, &f) == STATUS_OK;
        pthread_mutex_lock(&all->lock);
        right = right && journal_append(&all->j, &b, &f) == STATUS_OK;
        if (!journal_take(&all->j))
            continue;
        right = right && !journal_take(&all->j); // one at a time
        pthread_mutex_unlock(&all->lock);
        right = right && journal_carry(&all->j, &f) == STATUS_OK;
        pthread_mutex_lock(&all->lock);
        journal_done(&all->j);
    }
    all->right = all->right && right;
    pthread_mutex_unlock(&all->lock);
    buffer_free(&b);
    return NULL;
}

typedef struct Seen {
    unsigned char times[SHARED];
    uint32_t count;
} Seen;

static bool see(void *user, uint64_t at, const unsigned char *bytes, size_t n)
{
    Seen *seen = user;
    uint32_t k, again;
    if (at == 0)
        return true;
    memcpy(&k, bytes, sizeof k);
    CHECK(k < SHARED && n == (5 + k % 7) * sizeof k);
    memcpy(&again, bytes + n - sizeof k, sizeof k);
    CHECK(k == again);
    seen->times[k < SHARED ? k : 0]++;
    seen->count++;
    return true;
}

static void check_shared(const char *path)
{
    static Seen seen;
    Shared all = {.right = true};
    pthread_t thread[THREADS];
    uint64_t offset = 0;
    Fault f = {0};
    pthread_mutex_init(&all.lock, NULL);
    CHECK(journal_open(&all.j, path, "stamp", &f) == STATUS_OK);
    for (int k = 0; k < THREADS; k++)
        CHECK(pthread_create(&thread[k], NULL, add_shared, &all) == 0);
    for (int k = 0; k < THREADS; k++)
        pthread_join(thread[k], NULL);
    CHECK(all.right);
    CHECK(journal_flush(&all.j, &f) == STATUS_OK);
    journal_close(&all.j);
    pthread_mutex_destroy(&all.lock);
    CHECK(journal_read(path, &offset, see, &seen, &f) == STATUS_OK);
    CHECK(seen.count == SHARED);
    for (uint32_t k = 0; k < SHARED; k++)
        CHECK(seen.times[k] == 1);
}

int main(void)
{
    Folder folder;
    char path[600];
    folder_make(&folder);
    snprintf(path, sizeof path, "%s", folder_file(&folder, "journal"));
    check_lazy(path);
    check_growth(path);
    check_damage(&folder, path);
    check_shared(path);
    check_refusals(&folder);
    folder_remove(&folder);
    return check_end();
}
