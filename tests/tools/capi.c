/* capi ask|open|bad|threads|fork|scan CONFIGURATION [MORE]: uses every function of nearmiss.h.
 *
 * ask      judges each line of standard input and prints verdict, code, sentence and detail
 * open     opens only and prints the same
 * bad      prints the verdict of each call with a wrong argument
 * threads  THREADS CALLS: at least so many calls in all, of several passwords, and on until standard input
 *          ends; prints how many were made at least, and how many were wrong
 * fork     CHILDREN: forks so often while four threads go on checking, the last of which opens for itself
 *          each time, and two are inside syslog(3); each child opens and checks too; then the threads go on
 *          until standard input ends
 * scan     the password xor 0x5a is on standard input: judges it, wipes its own copy, looks through all
 *          writable memory for what is left of it */
#define _GNU_SOURCE
#include <nearmiss.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

static nearmiss *checker;
static atomic_int wrong, calls, stop;

static int ask(const char *password, struct nearmiss_answer *answer) {
    struct nearmiss_question question = NEARMISS_QUESTION_INIT;
    question.password = password;
    question.password_bytes = strlen(password);
    question.user = "annabella";
    question.gecos = "Zebulon Quist,,,";
    question.host = "workbench";
    question.old_password = "Old-Passphrase-77";
    question.old_password_bytes = 17;
    return nearmiss_check(checker, &question, answer);
}

static void print(int verdict, const struct nearmiss_answer *answer) {
    printf("%d|%s|%s|%s\n", verdict, nearmiss_reason_code(answer->reason), answer->sentence, answer->detail);
    fflush(stdout);
}

static int ask_lines(void) {
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        struct nearmiss_answer answer = NEARMISS_ANSWER_INIT;
        line[strcspn(line, "\n")] = 0;
        int verdict = ask(line, &answer);
        /* Without a ladder there is nothing to count. */
        int recorded = nearmiss_record(checker, "annabella", line, strlen(line), NULL, NULL);
        if (recorded != NEARMISS_ACCEPTED && verdict != NEARMISS_UNUSABLE && line[0]) return 3;
        /* At the end: whoever reads it may change the configuration. */
        print(verdict, &answer);
    }
    return 0;
}

static void bad(const char *configuration) {
    struct nearmiss_answer answer = NEARMISS_ANSWER_INIT;
    struct nearmiss_question null = NEARMISS_QUESTION_INIT, small = NEARMISS_QUESTION_INIT;
    nearmiss *other = (nearmiss *)&answer;
    small.size = 8;
    printf("%d", nearmiss_open(configuration, NULL, &answer));
    printf(" %d", nearmiss_open("relative", &other, NULL));
    printf(" %d", other == NULL);
    printf(" %d", nearmiss_check(NULL, &null, &answer));
    printf(" %d", nearmiss_check(checker, NULL, &answer));
    printf(" %d", nearmiss_check(checker, &null, &answer));
    printf(" %d", nearmiss_check(checker, &small, &answer));
    printf(" %d", nearmiss_check(NULL, NULL, NULL));
    printf(" %d", nearmiss_record(NULL, NULL, NULL, 0, NULL, NULL));
    printf(" %d\n", nearmiss_record(checker, "annabella", "x", 0, "", &answer));
    nearmiss_free(NULL);
}

static const struct { const char *password; int reason; } KNOWN[] = {
    { "Zz9-uncommon-phrase", NEARMISS_NONE },
    { "elephqnt1", NEARMISS_NEAR_DICTIONARY },
    { "butterfly", NEARMISS_DICTIONARY },
    { "annabella7", NEARMISS_NEAR_USER_NAME },
    { "short", NEARMISS_TOO_SHORT },
};

static int is_right(unsigned at) {
    struct nearmiss_answer answer = NEARMISS_ANSWER_INIT;
    at %= sizeof KNOWN / sizeof *KNOWN;
    int verdict = ask(KNOWN[at].password, &answer);
    int right = KNOWN[at].reason ? NEARMISS_REJECTED : NEARMISS_ACCEPTED;
    return answer.reason == KNOWN[at].reason && verdict == right;
}

static void *check_some(void *count) {
    for (long i = 0; i < (long)count || !stop; i++, calls++)
        if (!is_right(i)) wrong++;
    return NULL;
}

static const char *configuration;

static void *check_on(void *opens) {
    for (unsigned i = 0; !stop; i++) {
        nearmiss *own = NULL;
        struct nearmiss_answer answer = NEARMISS_ANSWER_INIT;
        if (opens && nearmiss_open(configuration, &own, &answer)) wrong++;
        if (!is_right(i)) wrong++;
        nearmiss_free(own);
    }
    return NULL;
}

static void stop_at_end_of_input(void) {
    while (getchar() != EOF) continue;
    stop = 1;
}

static void threads(int count, long all) {
    pthread_t started[64];
    for (int i = 0; i < count; i++) pthread_create(&started[i], NULL, check_some, (void *)(all / count));
    stop_at_end_of_input();
    for (int i = 0; i < count; i++) pthread_join(started[i], NULL);
    printf("%ld calls%s, %d wrong\n", all, calls < all ? " not made" : "", wrong);
}

/* What a child does: the last of its checks is by what it opened itself. */
static int is_child_right(int at) {
    struct nearmiss_answer answer = NEARMISS_ANSWER_INIT;
    if (!is_right(at) || !is_right(at + 1)) return 0;
    return nearmiss_open(configuration, &checker, &answer) == NEARMISS_ACCEPTED && is_right(at + 2);
}

static void *log_on(void *nothing) {
    while (!stop) syslog(LOG_AUTHPRIV | LOG_DEBUG, "a line of the program");
    return nothing;
}

static void fork_much(int children) {
    pthread_t started[4], logging[2];
    int right = 0, status;
    for (int i = 0; i < 4; i++) pthread_create(&started[i], NULL, check_on, i == 3 ? &stop : NULL);
    for (int i = 0; i < 2; i++) pthread_create(&logging[i], NULL, log_on, NULL);
    for (int i = 0; i < children; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(20);
            _exit(is_child_right(i) ? 0 : 1);
        }
        if (waitpid(child, &status, 0) == child && status == 0) right++;
        else printf("child %d ended with status %d\n", i, status);
    }
    stop_at_end_of_input();
    for (int i = 0; i < 4; i++) pthread_join(started[i], NULL);
    for (int i = 0; i < 2; i++) pthread_join(logging[i], NULL);
    printf("%d children right, %d wrong\n", right, wrong);
}

#define MASK 0x5a
#define SHORTEST 12
static unsigned char masked[64], window[4096 + 64];
static int length;

/* A piece of at least SHORTEST bytes of the password, at any place of it. */
static int is_piece(const unsigned char *at) {
    for (int from = 0; from + SHORTEST <= length; from++) {
        int n = 0;
        while (n < SHORTEST && (at[n] ^ MASK) == masked[from + n]) n++;
        if (n == SHORTEST) return 1;
    }
    return 0;
}

static int copies_left(void) {
    char line[600], rights[8], name[300];
    unsigned long from, to;
    int found = 0, memory = open("/proc/self/mem", O_RDONLY);
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps)) {
        name[0] = 0;
        int read = sscanf(line, "%lx-%lx %7s %*s %*s %*s %299s", &from, &to, rights, name);
        if (read < 3 || rights[1] != 'w') continue;
        if (strcmp(name, "[stack]") == 0) continue; /* spilled registers: see the tests of the module */
        for (unsigned long page = from; page < to; page += 4096) {
            long got = pread(memory, window, sizeof window, page);
            for (long i = 0; i + SHORTEST <= got && i < 4096; i++)
                if (page + i - (unsigned long)window >= sizeof window && is_piece(window + i)) found++;
            memset(window, 0, sizeof window);
        }
    }
    fclose(maps);
    return found;
}

static void scan(int keeps_a_copy) {
    struct nearmiss_answer answer = NEARMISS_ANSWER_INIT;
    length = read(0, masked, sizeof masked);
    char *password = calloc(1, sizeof masked + 1);
    for (int i = 0; i < length; i++) password[i] = masked[i] ^ MASK;
    int verdict = ask(password, &answer);
    if (!keeps_a_copy) explicit_bzero(password, sizeof masked);
    printf("%d|%s|%d copies\n", verdict, nearmiss_reason_code(answer.reason), copies_left());
    free(password);
}

int main(int count, char **arguments) {
    if (count < 3) return 2;
    const char *mode = arguments[1];
    configuration = arguments[2];
    struct nearmiss_answer answer = NEARMISS_ANSWER_INIT;
    int verdict = nearmiss_open(arguments[2], &checker, &answer), code = 0;
    if (strcmp(nearmiss_version(), "") == 0) return 3;
    if (!strcmp(mode, "ask")) code = ask_lines();
    else if (!strcmp(mode, "open")) print(verdict, &answer);
    else if (!strcmp(mode, "bad")) bad(arguments[2]);
    else if (!strcmp(mode, "threads")) threads(atoi(arguments[3]), atol(arguments[4]));
    else if (!strcmp(mode, "fork")) fork_much(atoi(arguments[3]));
    else if (!strcmp(mode, "scan")) scan(count > 3);
    nearmiss_free(checker);
    return code;
}
