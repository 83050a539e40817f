/* A clock of the system that jumps, to be preloaded: CLOCK_OFFSET names a file with the seconds that are added to it. libfaketime does
   not start together with jemalloc, because each calls the other before it is ready; this needs no memory. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int status = (int)syscall(SYS_clock_gettime, clock, now);
    const char *name = getenv("CLOCK_OFFSET");
    if (status != 0 || clock != CLOCK_REALTIME || name == NULL) {
        return status;
    }
    char text[32] = {0};
    int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        if (read(file, text, sizeof text - 1) > 0) {
            now->tv_sec += atol(text);
        }
        close(file);
    }
    return status;
}
