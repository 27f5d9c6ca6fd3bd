/* hostile null|lengths|sizes|signals|descriptors|limits|churn CONFIGURATION: callers of nearmiss.h that do what
 * nobody should. Each mode prints how many calls were made, how many said "accepted" of a weak password or of
 * none, and how many gave a wrong answer where the right one is known.
 *
 * null         NULL for every pointer of every function and every field of a question, alone and together
 * lengths      passwords and names of lengths around every limit, the last byte before a page that cannot be read
 * sizes        questions and answers that say they are shorter or longer than they are
 * signals      checks while timers and another thread interrupt every system call
 * descriptors  checks with 0, 1 and 2 closed, with all others closed, and with other files in their places
 * limits       opens and checks without descriptors, files or memory
 * churn        64 threads that open, check and free, while children are forked that do the same
 */
#define _GNU_SOURCE
#include <nearmiss.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define WEAK "butterfly"
#define STRONG "Zz9-uncommon-phrase"
#define LIMIT 512
#define TEXT 4096
#define LONGEST_WORD 255

static const char *configuration;
static nearmiss *checker;
static atomic_int calls, let_in, wrong;

/* A verdict on what must not be set. */
static void refused(int verdict) {
    calls++;
    if (verdict == NEARMISS_ACCEPTED) let_in++;
}

static void expected(int verdict, int right) {
    calls++;
    if (verdict != right) wrong++;
}

static struct nearmiss_question about(const void *password, size_t bytes) {
    struct nearmiss_question question = NEARMISS_QUESTION_INIT;
    question.password = password;
    question.password_bytes = bytes;
    question.host = "";
    return question;
}

static int judge(const char *password) {
    struct nearmiss_question question = about(password, strlen(password));
    return nearmiss_check(checker, &question, NULL);
}

static void report(void) {
    printf("%s, %d accepted, %d wrong\n", calls > 0 ? "called" : "nothing was called", let_in, wrong);
}

/* Every set of null fields, with lengths that are not 0. */
static void null(void) {
    struct nearmiss_answer answer = NEARMISS_ANSWER_INIT;
    nearmiss *other;
    for (int set = 0; set < 64; set++) {
        struct nearmiss_question question = about(set & 1 ? NULL : WEAK, strlen(WEAK));
        question.old_password = set & 2 ? NULL : "old";
        question.old_password_bytes = 3;
        question.user = set & 4 ? NULL : "anna";
        question.gecos = set & 8 ? NULL : "Anna";
        question.host = set & 16 ? NULL : "host";
        question.language = set & 32 ? NULL : "de";
        for (int of = 0; of < 8; of++) {
            struct nearmiss_answer *where = of & 4 ? NULL : &answer;
            refused(nearmiss_check(of & 1 ? NULL : checker, of & 2 ? NULL : &question, where));
            if (where && where->verdict == NEARMISS_ACCEPTED) let_in++;
        }
    }
    for (int set = 0; set < 16; set++) {
        int verdict = nearmiss_record(set & 1 ? NULL : checker, set & 2 ? NULL : "anna", set & 4 ? NULL : WEAK,
                                      strlen(WEAK), NULL, set & 8 ? NULL : &answer);
        /* Without a ladder there is nothing to count. */
        if (set & 7) refused(verdict); else expected(verdict, NEARMISS_ACCEPTED);
    }
    refused(nearmiss_open(configuration, NULL, &answer));
    refused(nearmiss_open(configuration, NULL, NULL));
    expected(nearmiss_open(configuration, &other, NULL), NEARMISS_ACCEPTED);
    nearmiss_free(other);
    refused(nearmiss_open("", &other, &answer));
    refused(nearmiss_open("/", &other, &answer));
    nearmiss_free(other);
    nearmiss_free(NULL);
    for (int reason = -300; reason < 300; reason++)
        if (!nearmiss_reason_code(reason)) wrong++;
    if (!nearmiss_reason_code(INT32_MIN) || !nearmiss_reason_code(INT32_MAX)) wrong++;
}

/* The last `bytes` bytes before a page that cannot be read. */
static char *at_the_end(size_t bytes) {
    size_t room = (bytes + 8191) / 4096 * 4096;
    char *place = mmap(NULL, room + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED || mprotect(place + room, 4096, PROT_NONE)) exit(4);
    return place + room - bytes;
}

static void lengths(void) {
    static const size_t around[] = { 0, 1, 7, 8, 9, 254, 255, 256, 511, 512, 513, 514, 4095, 4096, 4097 };
    static const size_t claims[] = { 0, 1, LIMIT + 1, LIMIT + 2, 1 << 20, SIZE_MAX / 2, SIZE_MAX - 1, SIZE_MAX };
    for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
        char *password = at_the_end(around[i]);
        memset(password, 'a', around[i]);
        struct nearmiss_question question = about(password, around[i]);
        int verdict = nearmiss_check(checker, &question, NULL);
        /* Repetitions are looked for in as many characters as a word has. */
        if (around[i] <= LONGEST_WORD || around[i] > LIMIT) refused(verdict);
        question = about(STRONG, strlen(STRONG));
        question.old_password = password;
        question.old_password_bytes = around[i];
        expected(nearmiss_check(checker, &question, NULL), NEARMISS_ACCEPTED);
    }
    /* A password that is longer than what is there: no byte after the first 513 is read. */
    char *password = at_the_end(LIMIT + 1);
    memset(password, 'z', LIMIT + 1);
    for (size_t i = 2; i < sizeof claims / sizeof *claims; i++) {
        struct nearmiss_question question = about(password, claims[i]);
        refused(nearmiss_check(checker, &question, NULL));
        refused(nearmiss_record(checker, "anna", password, claims[i], NULL, NULL) == NEARMISS_ACCEPTED
                    ? NEARMISS_REJECTED : NEARMISS_INVALID);
        question = about(WEAK, strlen(WEAK));
        question.old_password = password;
        question.old_password_bytes = claims[i];
        refused(nearmiss_check(checker, &question, NULL));
    }
    /* Names that do not end: 4096 bytes are there, and the last of them is no null byte. */
    char *name = at_the_end(TEXT);
    memset(name, 'n', TEXT);
    for (int field = 0; field < 5; field++) {
        struct nearmiss_question question = about(STRONG, strlen(STRONG));
        if (field == 0) question.user = name;
        if (field == 1) question.gecos = name;
        if (field == 2) question.host = name;
        if (field == 3) question.language = name;
        if (field == 4) question.user = question.gecos = question.host = name;
        expected(nearmiss_check(checker, &question, NULL), NEARMISS_ACCEPTED);
        question.password = WEAK;
        question.password_bytes = strlen(WEAK);
        refused(nearmiss_check(checker, &question, NULL));
    }
    refused(nearmiss_record(checker, name, WEAK, strlen(WEAK), name, NULL) == NEARMISS_ACCEPTED
                ? NEARMISS_REJECTED : NEARMISS_INVALID);
    nearmiss *other = NULL;
    *name = '/';
    refused(nearmiss_open(name, &other, NULL));
    nearmiss_free(other);
}

/* What says that it is shorter is not written behind its end. */
static void sizes(void) {
    for (size_t size = 0; size < sizeof(struct nearmiss_answer) + 64; size++) {
        unsigned char place[sizeof(struct nearmiss_answer) + 64];
        memset(place, 0xa5, sizeof place);
        struct nearmiss_answer *answer = (struct nearmiss_answer *)place;
        answer->size = size;
        struct nearmiss_question question = about(WEAK, strlen(WEAK));
        refused(nearmiss_check(checker, &question, answer));
        size_t end = size < sizeof(size_t) ? sizeof(size_t) : size;
        for (size_t i = end; i < sizeof place; i++) wrong += place[i] != 0xa5;
    }
    for (size_t size = 0; size < 2 * sizeof(struct nearmiss_question); size++) {
        char *place = at_the_end(sizeof(struct nearmiss_question));
        struct nearmiss_question question = about(WEAK, strlen(WEAK));
        question.size = size;
        memcpy(place, &question, sizeof question);
        if (size <= sizeof question) refused(nearmiss_check(checker, (void *)place, NULL));
        munmap((void *)((uintptr_t)place / 4096 * 4096), 8192);
    }
}

static void ignore(int number) { (void)number; }

static pthread_t victim;
static atomic_int stop;

static void *disturb(void *unused) {
    (void)unused;
    while (!stop) pthread_kill(victim, SIGUSR1);
    return NULL;
}

static void signals(void) {
    struct sigaction action = { .sa_handler = ignore };
    struct itimerval often = { { 0, 50 }, { 0, 50 } };
    pthread_t other;
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    victim = pthread_self();
    pthread_create(&other, NULL, disturb, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 300; i++) {
        nearmiss *own = NULL, *kept = checker;
        expected(nearmiss_open(configuration, &own, NULL), NEARMISS_ACCEPTED);
        checker = own;
        expected(judge(WEAK), NEARMISS_REJECTED);
        expected(judge(STRONG), NEARMISS_ACCEPTED);
        checker = kept;
        nearmiss_free(own);
    }
    memset(&often, 0, sizeof often);
    setitimer(ITIMER_REAL, &often, NULL);
    stop = 1;
    pthread_join(other, NULL);
}

static void in_a_child(void (*does)(void), FILE *out) {
    fflush(out);
    pid_t child = fork();
    int status = 1;
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

static void both(void) {
    refused(judge(WEAK));
    expected(judge(STRONG), NEARMISS_ACCEPTED);
}

static void weak_alone(void) {
    nearmiss *own = NULL, *kept = checker;
    refused(judge(WEAK));
    nearmiss_open(configuration, &own, NULL);
    checker = own;
    refused(judge(WEAK));
    checker = kept;
    nearmiss_free(own);
    refused(judge(WEAK));
}

static void without_standard(void) {
    close(0), close(1), close(2);
    both();
    weak_alone();
    /* What is opened lies at 3 or above, and nothing stays open at the three. */
    for (int at = 0; at < 3; at++) wrong += fcntl(at, F_GETFD) != -1;
}

static void without_any(void) {
    close_range(0, ~0U, 0);
    both();
    weak_alone();
}

static void with_others_in_their_places(void) {
    close_range(3, ~0U, 0);
    for (int i = 0; i < 60; i++) if (open(i % 2 ? "/dev/null" : "/proc/self/maps", O_RDWR) < 0) open("/", O_RDONLY);
    both();
    weak_alone();
}

static void no_descriptors(void) {
    struct rlimit none = { 0, 0 };
    setrlimit(RLIMIT_NOFILE, &none);
    weak_alone();
}

static void no_file_size(void) {
    struct rlimit none = { 0, 0 };
    setrlimit(RLIMIT_FSIZE, &none);
    both();
    weak_alone();
}

static void no_memory(void) {
    struct rlimit none = { 1 << 20, 1 << 20 };
    setrlimit(RLIMIT_AS, &none);
    weak_alone();
}

static void descriptors(void) {
    in_a_child(without_standard, stdout);
    in_a_child(without_any, stdout);
    in_a_child(with_others_in_their_places, stdout);
}

static void limits(void) {
    in_a_child(no_descriptors, stdout);
    in_a_child(no_file_size, stdout);
    in_a_child(no_memory, stdout);
}

static void *open_check_free(void *count) {
    for (long i = 0; i < (long)count; i++) {
        nearmiss *own = NULL;
        struct nearmiss_question weak = about(WEAK, strlen(WEAK)), strong = about(STRONG, strlen(STRONG));
        expected(nearmiss_open(configuration, &own, NULL), NEARMISS_ACCEPTED);
        expected(nearmiss_check(own, &weak, NULL), NEARMISS_REJECTED);
        expected(nearmiss_check(i % 2 ? own : checker, &strong, NULL), NEARMISS_ACCEPTED);
        nearmiss_free(own);
    }
    return NULL;
}

static void once(void) { open_check_free((void *)2L); }

static void churn(void) {
    pthread_t started[64];
    for (int i = 0; i < 64; i++) pthread_create(&started[i], NULL, open_check_free, (void *)20L);
    for (int i = 0; i < 30; i++) in_a_child(once, stdout);
    for (int i = 0; i < 64; i++) pthread_join(started[i], NULL);
}

int main(int count, char **arguments) {
    static const struct { const char *name; void (*does)(void); } MODES[] = {
        { "null", null },       { "lengths", lengths }, { "sizes", sizes },
        { "signals", signals }, { "limits", limits },   { "descriptors", descriptors },
        { "churn", churn },
    };
    if (count < 3) return 2;
    configuration = arguments[2];
    if (nearmiss_open(configuration, &checker, NULL) != NEARMISS_ACCEPTED) return 3;
    for (size_t i = 0; i < sizeof MODES / sizeof *MODES; i++)
        if (!strcmp(arguments[1], MODES[i].name)) MODES[i].does();
    report();
    nearmiss_free(checker);
    return 0;
}
