/* plugins krb5|mariadb FILE: loads a plugin as its server does, and calls it as no server should: NULL for each
 * pointer, lengths around every limit, many threads, children, signals, closed descriptors. Prints whether
 * anything was called, how often a weak password or none was accepted, and how often the answer was not the
 * right one. The configuration is the system's. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define WEAK "butterfly"
#define STRONG "Zz9-uncommon-phrase"
/* A password of more is rejected, and no byte behind the next is read. */
#define LIMIT 512
#define LONGEST_WORD 255

static void *plugin;
static atomic_int calls, let_in, wrong;

static void expected(int is_accepted, int right) {
    calls++;
    if (is_accepted && !right) let_in++;
    if (is_accepted != right) wrong++;
}

/* What a plugin takes from its server. */
void krb5_set_error_message(void *context, int code, const char *format, ...) {
    (void)context, (void)code, (void)format;
}
void my_printf_error(unsigned number, const char *format, unsigned long flags, ...) {
    (void)number, (void)format, (void)flags;
}

/* The last `bytes` bytes before a page that cannot be read. */
static char *at_the_end(size_t bytes) {
    size_t room = (bytes + 4095) / 4096 * 4096 + 4096;
    char *place = mmap(NULL, room + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED || mprotect(place + room, 4096, PROT_NONE)) exit(4);
    return place + room - bytes;
}

/* MIT Kerberos: 0 accepts. */
struct vtable { const char *name; void (*open)(void); int (*check)(void *, void *, const char *, const char *,
                const void *, const char *const *); void (*close)(void); };
struct data { int magic; unsigned length; const char *start; };
struct principal { int magic; struct data realm; const struct data *components; int count, kind; };
static struct vtable vtable;

static int krb5(const char *password) {
    return !vtable.check(NULL, NULL, password, NULL, NULL, NULL);
}

static void krb5_alone(void) {
    int (*init)(void *, int, int, void *) = (int (*)(void *, int, int, void *))dlsym(plugin, "pwqual_nearmiss_initvt");
    if (!init(NULL, 0, 1, &vtable) || !init(NULL, 2, 1, &vtable) || !init(NULL, 1, 1, NULL)) wrong++;
    static const int counts[] = { INT32_MIN, -1, 0, 1, 2 };
    struct data parts[] = { { 0, 4, "anna" }, { 0, 5, NULL } };
    const char *none[] = { NULL }, *some[] = { "de", NULL };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct principal principal = { 0, { 0, 0, NULL }, i % 2 ? parts : NULL, counts[i], 0 };
        if (!(i % 2) && counts[i] > 0) principal.components = parts;
        expected(!vtable.check(NULL, NULL, WEAK, "policy", &principal, none), 0);
        expected(!vtable.check(NULL, NULL, NULL, NULL, &principal, some), 0);
        expected(!vtable.check(NULL, NULL, STRONG, NULL, &principal, some), 1);
    }
    char *policy = at_the_end(256);
    memset(policy, 'p', 256);
    expected(!vtable.check(NULL, NULL, WEAK, policy, NULL, NULL), 0);
}

/* MariaDB: 0 accepts. */
struct text { const char *start; size_t bytes; };
struct validation { int version; int (*validate)(const struct text *, const struct text *, const struct text *); };
struct declaration { int kind; const struct validation *info; };

static const struct validation *validation(void) {
    return ((const struct declaration *)dlsym(plugin, "_maria_plugin_declarations_"))->info;
}

static int mariadb(const char *password) {
    struct text user = { "anna", 4 }, text = { password, password ? strnlen(password, LIMIT + 1) : 9 };
    return !validation()->validate(&user, &text, &user);
}

static void mariadb_alone(void) {
    static const size_t claims[] = { LIMIT + 1, LIMIT + 2, SIZE_MAX / 2, SIZE_MAX };
    char *password = at_the_end(LIMIT + 1);
    memset(password, 'z', LIMIT + 1);
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        struct text text = { password, claims[i] }, nowhere = { NULL, claims[i] };
        expected(!validation()->validate(NULL, &text, NULL), 0);
        expected(!validation()->validate(&nowhere, &nowhere, NULL), 0);
    }
    struct text weak = { WEAK, strlen(WEAK) }, strong = { STRONG, strlen(STRONG) };
    expected(!validation()->validate(NULL, NULL, NULL), 0);
    expected(!validation()->validate(NULL, &weak, NULL), 0);
    expected(!validation()->validate(NULL, &strong, NULL), 1);
}

static const struct { const char *name; int (*accepts)(const char *); void (*alone)(void); } KINDS[] = {
    { "krb5", krb5, krb5_alone }, { "mariadb", mariadb, mariadb_alone },
};
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
    pthread_t started[32];
    void (*alone)(void) = NULL;
    if (count < 3 || !(plugin = dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL))) {
        fprintf(stderr, "%s\n", count < 3 ? "which?" : dlerror());
        return 2;
    }
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (!strcmp(arguments[1], KINDS[i].name)) accepts = KINDS[i].accepts, alone = KINDS[i].alone;
    if (!alone) return 2;
    if (accepts == krb5) {
        int (*init)(void *, int, int, void *) =
            (int (*)(void *, int, int, void *))dlsym(plugin, "pwqual_nearmiss_initvt");
        if (init(NULL, 1, 1, &vtable)) return 3;
    }
    both();
    lengths();
    alone();
    for (int i = 0; i < 32; i++) pthread_create(&started[i], NULL, many, (void *)50L);
    for (int i = 0; i < 20; i++) in_a_child(both);
    for (int i = 0; i < 32; i++) pthread_join(started[i], NULL);
    interrupted();
    in_a_child(closed);
    printf("%s, %d accepted, %d wrong\n", calls > 0 ? "called" : "nothing was called", let_in, wrong);
    return 0;
}
