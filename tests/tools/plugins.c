/* plugins krb5|mariadb|postgresql|openldap|cracklib FILE: loads a plugin, or the drop-in for cracklib, as its
 * server does, with stand-ins for what it takes from that server, and calls it as no server should: NULL for
 * each pointer, lengths around every limit, many threads, children, signals, closed descriptors. Prints whether
 * anything was called, how often a weak password or none was accepted, and how often the answer was not the
 * right one. The configuration is the system's. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#define WEAK "butterfly"
#define STRONG "Zz9-uncommon-phrase"
/* A password of more is rejected, and no byte behind the next is read. */
#define LIMIT 512
#define LONGEST_WORD 255

static void *plugin;
static atomic_int calls, let_in, wrong, stop;

static void expected(int is_accepted, int right) {
    calls++;
    if (is_accepted && !right) let_in++;
    if (is_accepted != right) wrong++;
}

/* The last `bytes` bytes before a page that cannot be read. */
static char *at_the_end(size_t bytes) {
    size_t room = (bytes + 4095) / 4096 * 4096 + 4096;
    char *place = mmap(NULL, room + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED || mprotect(place + room, 4096, PROT_NONE)) exit(4);
    return place + room - bytes;
}

#include "servers.h"

static int (*accepts)(const char *);

static void both(void) {
    expected(accepts(WEAK), 0);
    expected(accepts(STRONG), 1);
}

static void lengths(void) {
    expected(accepts(NULL), 0);
    for (size_t bytes = 0; bytes <= LIMIT + 2; bytes++) {
        char *password = at_the_end(bytes + 1);
        memset(password, 'a', bytes);
        password[bytes] = 0;
        int is_accepted = accepts(password);
        /* Repetitions are looked for in as many characters as a word has. */
        if (bytes <= LONGEST_WORD || bytes > LIMIT) expected(is_accepted, 0);
        munmap((void *)((uintptr_t)password / 4096 * 4096), 4096);
    }
    /* No null byte among the first 513, and nothing behind them. */
    char *password = at_the_end(LIMIT + 1);
    memset(password, 'z', LIMIT + 1);
    expected(accepts(password), 0);
}

static void *many(void *count) {
    for (long i = 0; i < (long)count; i++) both();
    return NULL;
}

static void *log_on(void *nothing) {
    while (!stop) syslog(LOG_AUTHPRIV | LOG_DEBUG, "a line of the server");
    return nothing;
}

static void ignore(int number) { (void)number; }

static void interrupted(void) {
    struct sigaction action = { .sa_handler = ignore };
    struct itimerval often = { { 0, 50 }, { 0, 50 } }, never = { { 0, 0 }, { 0, 0 } };
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    many((void *)200L);
    setitimer(ITIMER_REAL, &never, NULL);
}

static void closed(void) {
    close(0), close(1), close(2);
    both();
    close_range(3, ~0U, 0);
    both();
    for (int i = 0; i < 40; i++) if (open("/dev/null", O_RDWR) < 0) break;
    expected(accepts(WEAK), 0);
}

static void in_a_child(void (*does)(void)) {
    int status = 1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        let_in = wrong = 0;
        does();
        _exit(let_in ? 10 : wrong ? 11 : 0);
    }
    waitpid(child, &status, 0);
    calls++;
    if (!WIFEXITED(status)) wrong += 1000;
    else if (WEXITSTATUS(status) == 10) let_in++;
    else if (WEXITSTATUS(status)) wrong++;
}

int main(int count, char **arguments) {
    pthread_t started[32], logging[4];
    if (count < 3 || !(plugin = dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL))) {
        fprintf(stderr, "%s\n", count < 3 ? "which?" : dlerror());
        return 2;
    }
    size_t kind = 0;
    while (strcmp(arguments[1], KINDS[kind].name))
        if (++kind == sizeof KINDS / sizeof *KINDS) return 2;
    if (KINDS[kind].opened) KINDS[kind].opened();
    accepts = KINDS[kind].accepts;
    both();
    lengths();
    KINDS[kind].alone();
    for (int i = 0; i < 32; i++) pthread_create(&started[i], NULL, many, (void *)50L);
    /* Meanwhile other threads are inside what logs, and the server's own inside syslog(3). */
    for (int i = 0; i < 4; i++) pthread_create(&logging[i], NULL, log_on, NULL);
    for (int i = 0; i < 50 && !wrong; i++) in_a_child(both);
    stop = 1;
    for (int i = 0; i < 32; i++) pthread_join(started[i], NULL);
    for (int i = 0; i < 4; i++) pthread_join(logging[i], NULL);
    interrupted();
    in_a_child(closed);
    printf("%s, %d accepted, %d wrong\n", calls > 0 ? "called" : "nothing was called", let_in, wrong);
    return 0;
}
