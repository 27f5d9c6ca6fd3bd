/* A library to be preloaded: every write() to a regular file takes at most SHORT bytes, and every third one is interrupted first.
 * Real short writes: what is not taken is really not written. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

ssize_t write(int descriptor, const void *bytes, size_t count) {
    static ssize_t (*real)(int, const void *, size_t);
    static unsigned calls;
    static size_t most;
    if (!real) {
        real = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
        const char *limit = getenv("SHORT");
        most = limit ? (size_t)atol(limit) : 1;
    }
    struct stat status;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
        if (++calls % 3 == 0) {
            errno = EINTR;
            return -1;
        }
        if (count > most) count = most;
    }
    return real(descriptor, bytes, count);
}
