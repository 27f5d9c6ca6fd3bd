/* observed FOLDER SERVICE USER ROUNDS < PASSWORDS
 *
 * Changes a password by each line of the input, a file, ROUNDS times, each in a process of its own, and prints what
 * any user of the machine can read in /proc/PID/stat, status and schedstat of a passwd, as differences over
 * the change: the line's number, the code of PAM, minor page faults, resident pages, context switches
 * that were waited for, nanoseconds of processor time, nanoseconds of the clock. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pam.h"

struct seen { long faults, resident, switches, processor, clock; };

static char password[600];

static int converse(int count, const struct pam_message **messages, struct pam_response **out, void *data) {
    (void)data;
    struct pam_response *responses = calloc(count, sizeof *responses);
    for (int i = 0; i < count; i++)
        if (messages[i]->style == PROMPT_ECHO_OFF) responses[i].text = strdup(password);
    *out = responses;
    return 0;
}

/* The text of a file of /proc, read without the allocator, whose work would be counted. */
static const char *text_of(const char *path) {
    static char text[4096];
    int file = open(path, O_RDONLY);
    ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (length < 0) _exit(3);
    close(file);
    text[length] = 0;
    return text;
}

static long field(const char *text, const char *name) {
    const char *found = strstr(text, name);
    return found ? strtol(found + strlen(name), NULL, 10) : -1;
}

static struct seen look(void) {
    struct seen seen;
    struct timespec now;
    const char *after_name = strrchr(text_of("/proc/self/stat"), ')');
    if (!after_name || sscanf(after_name, ") %*c %*d %*d %*d %*d %*d %*u %ld", &seen.faults) != 1) _exit(3);
    const char *status = text_of("/proc/self/status");
    seen.resident = field(status, "VmRSS:") / 4;
    seen.switches = field(status, "\nvoluntary_ctxt_switches:");
    seen.processor = strtol(text_of("/proc/self/schedstat"), NULL, 10);
    clock_gettime(CLOCK_MONOTONIC, &now);
    seen.clock = now.tv_sec * 1000000000L + now.tv_nsec;
    return seen;
}

static void change(char **arguments, long line) {
    pam_handle_t *handle = NULL;
    struct pam_conv conversation = { converse, NULL };
    if (pam_start_confdir(arguments[2], arguments[3], &conversation, arguments[1], &handle)) _exit(2);
    look();
    struct seen before = look();
    int code = pam_chauthtok(handle, 0);
    struct seen after = look();
    printf("%ld %d %ld %ld %ld %ld %ld\n", line, code, after.faults - before.faults,
           after.resident - before.resident, after.switches - before.switches,
           after.processor - before.processor, after.clock - before.clock);
    fflush(stdout);
    _exit(0);
}

int main(int count, char **arguments) {
    if (count != 5) return 2;
    /* The rounds lie apart, so that what the machine does meanwhile is not taken for the password's doing. */
    for (long rounds = strtol(arguments[4], NULL, 10); rounds > 0; rounds--) {
        rewind(stdin);
        for (long line = 0; fgets(password, sizeof password, stdin); line++) {
            password[strcspn(password, "\n")] = 0;
            int status;
            fflush(stdout);
            pid_t child = fork();
            if (child == 0) change(arguments, line);
            if (waitpid(child, &status, 0) != child || status) return 2;
        }
    }
    return 0;
}
