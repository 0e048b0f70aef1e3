/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE /* realpath, fchown */
#include "bench/files/write_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Parts that a signal removes. A handler can reach nothing but a global, and `owner` keeps a forked child from removing
 * its parent's. More parts at a time than places: those beyond stay behind after a signal. */
enum { PARTS_MOST = 16 };
static struct {
    volatile sig_atomic_t used;
    pid_t owner;
    const char *const *files; /* of a folder; NULL: a file */
    char path[WRITE_PATH];
} parts[PARTS_MOST];
static bool watched; /* else nothing is remembered: a host's threads may all write */
static struct {
    volatile pid_t owner, pid; /* pid 0: none */
} writing;

void parts_written_by(pid_t program)
{
    writing.pid = 0;
    writing.owner = getpid();
    writing.pid = program;
}

/* Only calls that a signal's handler may make. */
static void folder_remove(const char *path, const char *const *files)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; fd >= 0 && files[i]; i++)
        unlinkat(fd, files[i], 0);
    if (fd >= 0)
        close(fd);
    rmdir(path);
}

void parts_remove(void)
{
    if (writing.pid > 0 && writing.owner == getpid() && kill(writing.pid, SIGKILL) == 0)
        waitpid(writing.pid, NULL, 0);
    for (int i = 0; i < PARTS_MOST; i++) /* of which some may lie in a folder */
        if (parts[i].used && parts[i].owner == getpid() && !parts[i].files)
            unlink(parts[i].path);
    for (int i = 0; i < PARTS_MOST; i++)
        if (parts[i].used && parts[i].owner == getpid() && parts[i].files)
            folder_remove(parts[i].path, parts[i].files);
}

static void on_signal(int number)
{
    parts_remove();
    signal(number, SIG_DFL);
    raise(number);
}

/* Leaves alone who has a handler already, or ignores the signal. A library may call exit(): HDF5 does without memory.
 */
void parts_watch(void)
{
    watched = true;
    atexit(parts_remove);
    static const int SIGNALS[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof SIGNALS / sizeof SIGNALS[0]; i++) {
        struct sigaction before, action = {.sa_handler = on_signal};
        if (sigaction(SIGNALS[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(SIGNALS[i], &action, NULL);
    }
}

static int part_remember(const char *path, const char *const *files)
{
    for (int i = 0; watched && i < PARTS_MOST; i++) {
        if (parts[i].used && parts[i].owner == getpid())
            continue;
        parts[i].used = 0;
        parts[i].owner = getpid();
        parts[i].files = files;
        snprintf(parts[i].path, WRITE_PATH, "%s", path);
        parts[i].used = 1;
        return i;
    }
    return -1;
}

static void part_forget(int slot)
{
    if (slot >= 0)
        parts[slot].used = 0;
}

static bool writer_fail(const char *path, int error, Status *status)
{
    return status_set(status, STATUS_FAILED, "%s: cannot be written: %s", path, strerror(error ? error : EIO));
}

/* The target behind symbolic links, if it is there. */
static bool writer_resolve(FileWriter *writer, const char *path, bool follows, Status *status)
{
    struct stat facts;
    char *real = follows ? realpath(path, NULL) : NULL;
    int length = snprintf(writer->path, WRITE_PATH, "%s", real ? real : path);
    bool dangles = follows && !real && lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode);
    free(real);
    if (length >= WRITE_PATH)
        return writer_fail(path, ENAMETOOLONG, status);
    if (dangles)
        return status_set(status, STATUS_FAILED, "%s: is a link to nothing that is there, and is not replaced", path);
    return !follows || stat(writer->path, &facts) != 0 || S_ISREG(facts.st_mode) ||
           status_set(status, STATUS_FAILED, "%s: is no regular file, and is not replaced", path);
}

/* An open descriptor of the new part, or -1 with a message. */
static int part_create(FileWriter *writer, const char *path, bool follows, Status *status)
{
    *writer = (FileWriter){.slot = -1, .follows = follows};
    if (!writer_resolve(writer, path, follows, status))
        return -1;
    int fd = -1;
    for (int i = 0; fd < 0 && i < PARTS_MOST; i++) { /* one process may have several parts of one file */
        if (snprintf(writer->part, WRITE_PATH, "%s.%ld-%d.part", writer->path, (long)getpid(), i) >= WRITE_PATH) {
            errno = ENAMETOOLONG;
            break;
        }
        writer->slot = part_remember(writer->part, NULL); /* before it is there: a signal may come between the two */
        fd = open(writer->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (fd < 0)
            part_forget(writer->slot);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0) {
        writer_fail(path, errno, status);
        writer->part[0] = '\0';
        writer->slot = -1;
        return -1;
    }
    return fd;
}

static bool open_stream(FileWriter *writer, const char *path, bool follows, Status *status)
{
    int fd = part_create(writer, path, follows, status);
    if (fd < 0)
        return false;
    writer->file = fdopen(fd, "wb");
    if (writer->file)
        return true;
    writer_fail(path, errno, status);
    close(fd);
    return writer_close(writer, false, status);
}

bool writer_open(FileWriter *writer, const char *path, Status *status)
{
    return open_stream(writer, path, true, status);
}

bool writer_open_unlinked(FileWriter *writer, const char *path, Status *status)
{
    return open_stream(writer, path, false, status);
}

bool writer_reserve(FileWriter *writer, const char *path, Status *status)
{
    int fd = part_create(writer, path, true, status);
    return fd >= 0 && (close(fd) == 0 || writer_fail(path, errno, status) || writer_close(writer, false, status));
}

/* The new file has the old one's mode and, as far as this user may give files away, its owner and group. */
static void part_inherit(const FileWriter *writer)
{
    struct stat old;
    if (lstat(writer->path, &old) != 0 || !S_ISREG(old.st_mode))
        return;
    int fd = open(writer->part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    bool owned = fchown(fd, old.st_uid, old.st_gid) == 0 || fchown(fd, (uid_t)-1, old.st_gid) == 0;
    /* A group that is another than it was gets no more than everybody. */
    mode_t mode = old.st_mode & 0777;
    fchmod(fd, owned ? mode : mode & ~(mode_t)S_IRWXG);
    close(fd);
}

/* Everything in the part is on the disk. */
static bool part_sync(FileWriter *writer)
{
    bool ok;
    if (writer->file) {
        ok = !ferror(writer->file) && fflush(writer->file) == 0 && fsync(fileno(writer->file)) == 0;
        ok = fclose(writer->file) == 0 && ok;
        writer->file = NULL;
        return ok;
    }
    int fd = open(writer->part, O_RDONLY | O_CLOEXEC);
    ok = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    return ok;
}

bool writer_close(FileWriter *writer, bool complete, Status *status)
{
    if (!writer->part[0])
        return complete;
    errno = 0;
    bool ok = complete && part_sync(writer);
    if (ok && writer->follows)
        part_inherit(writer);
    ok = ok && rename(writer->part, writer->path) == 0;
    int error = errno;
    if (writer->file)
        fclose(writer->file);
    if (!ok)
        unlink(writer->part);
    part_forget(writer->slot);
    char path[WRITE_PATH];
    memcpy(path, writer->path, sizeof path);
    *writer = (FileWriter){.slot = -1};
    return ok || (complete && writer_fail(path, error, status));
}

bool work_folder_make(WorkFolder *folder, const char *path, const char *const *files, Status *status)
{
    sigset_t all, before;
    *folder = (WorkFolder){.files = files, .slot = -1};
    bool fits = snprintf(folder->path, WRITE_PATH, "%s.XXXXXX", path) < WRITE_PATH;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before); /* its name is known only once it is there */
    bool made = fits && mkdtemp(folder->path);
    int error = fits ? errno : ENAMETOOLONG;
    if (made)
        folder->slot = part_remember(folder->path, files);
    else
        folder->path[0] = '\0';
    sigprocmask(SIG_SETMASK, &before, NULL);
    return made || status_set(status, STATUS_FAILED, "%s: no folder can be made: %s", path, strerror(error));
}

void work_folder_remove(WorkFolder *folder)
{
    if (folder->path[0])
        folder_remove(folder->path, folder->files);
    part_forget(folder->slot);
    folder->path[0] = '\0';
}

bool file_write_text(const char *path, const char *text, Status *status)
{
    FileWriter writer;
    return writer_open(&writer, path, status) && writer_close(&writer, (fputs(text, writer.file), true), status);
}

static bool head_is_hdf5(const char *head)
{
    return memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0;
}

/* The first line names time and a metric that every series has. */
static bool head_is_series(const char *head)
{
    const char *time = strstr(head, "time,"), *metric = strstr(head, ",drift_max");
    size_t line = strcspn(head, "\n");
    return time && metric && time < metric && metric < head + line;
}

static bool head_is_page(const char *head)
{
    return strstr(head, "<meta name=\"generator\" content=\"rigor\"") != NULL;
}

static bool head_is_motion(const char *head)
{
    return strncmp(head, "{\"recordings\":[", 15) == 0;
}

static bool head_is_picture(const char *head)
{
    return strncmp(head, "%PDF-", 5) == 0 || memcmp(head, "\x89PNG\r\n\x1a\n", 8) == 0 ||
           strncmp(head, "GIF8", 4) == 0 || memcmp(head + 4, "ftyp", 4) == 0 || strstr(head, "<svg ") != NULL;
}

/* The first line has a column `from`, as the rows of every figure. */
static bool head_is_rows(const char *head)
{
    size_t line = strcspn(head, "\n");
    for (const char *at = head; at < head + line; at += strcspn(at, ",\n") + 1)
        if (strcspn(at, ",\n") == 4 && strncmp(at, "from", 4) == 0)
            return true;
    return false;
}

static bool head_is_scene(const char *head)
{
    return head[0] == '{' && strstr(head, "\"rigor\"") && strstr(head, "\"bodies\"");
}

static const struct {
    const char *name;
    bool (*is)(const char *head);
} KINDS[] = {
    [FILE_HDF5] = {"an HDF5 file", head_is_hdf5},
    [FILE_SERIES] = {"a series of metrics", head_is_series},
    [FILE_PAGE] = {"a page of rigor", head_is_page},
    [FILE_MOTION] = {"recordings as JSON", head_is_motion},
    [FILE_PICTURE] = {"a picture or a video", head_is_picture},
    [FILE_ROWS] = {"the data of a figure", head_is_rows},
    [FILE_SCENE] = {"a scene file", head_is_scene},
};

/* An empty file holds nothing to lose. */
static bool file_is(const char *path, FileKind kind)
{
    char head[4097] = "";
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(head, 1, sizeof head - 1, file) : 0;
    bool empty = file && size == 0 && !ferror(file);
    if (file)
        fclose(file);
    return empty || KINDS[kind].is(head);
}

bool file_may_be_written(const char *path, FileKind kind, bool force, char *const *inputs, int input_count,
                         Status *status)
{
    struct stat there, input;
    if (stat(path, &there) != 0)
        return true; /* the write itself reports what else is wrong */
    for (int i = 0; i < input_count; i++)
        if (stat(inputs[i], &input) == 0 && input.st_dev == there.st_dev && input.st_ino == there.st_ino)
            return status_set(status, STATUS_USAGE, "%s: is read by this command, and is not overwritten", path);
    if (!S_ISREG(there.st_mode))
        return status_set(status, STATUS_FAILED, "%s: is no regular file, and is not replaced", path);
    return force || file_is(path, kind) ||
           status_set(status, STATUS_FAILED, "%s: is there and is not %s: name another file, or give --force", path,
                      KINDS[kind].name);
}
