/*
 * Preloaded with LD_PRELOAD. While the file named by FAILING_SYNC exists, fsync and fdatasync fail
 * with EIO, and data written since the last successful sync is lost, as after a real failure, when
 * the system marks pages as clean although it could not write them. After the file is removed,
 * syncs succeed again: a program that trusts them then has lost data without noticing.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MAX 65536

/* Size of each open file at its last sync. Only files with a failed sync are truncated. */
static off_t durable[FILES_MAX];

static int failing(void) {
    const char *switched_on = getenv("FAILING_SYNC");
    return switched_on != NULL && access(switched_on, F_OK) == 0;
}

static int synced(int file, const char *name) {
    int saved = errno;
    struct stat before;
    int known = file >= 0 && file < FILES_MAX && fstat(file, &before) == 0 && S_ISREG(before.st_mode);
    if (failing()) {
        if (known) {
            int ignored = ftruncate(file, durable[file]);
            (void)ignored;
        }
        errno = EIO;
        return -1;
    }
    errno = saved;
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    int result = real(file);
    if (result == 0 && known) {
        durable[file] = before.st_size;
    }
    return result;
}

int fsync(int file) {
    return synced(file, "fsync");
}

int fdatasync(int file) {
    return synced(file, "fdatasync");
}

/* Numbers of files are given out again. */
int close(int file) {
    static int (*real)(int);
    if (real == NULL) {
        real = (int (*)(int))dlsym(RTLD_NEXT, "close");
    }
    if (file >= 0 && file < FILES_MAX) {
        durable[file] = 0;
    }
    return real(file);
}
