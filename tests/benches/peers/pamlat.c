/* One password change through libpam, timed; with a seventh argument, a login.
 *   pamlat COLD-CYCLES WARM-CYCLES CONFDIR SERVICE USER PASSWORD [login]
 * Cold: pam_start_confdir, pam_chauthtok or pam_authenticate, pam_end, so that the module is loaded each time. Warm: the same handle again.
 * Prints: median cold in microseconds, median warm, minor faults a warm cycle, resident KiB at the end, PAM's answer. */
#include <security/pam_appl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

extern int pam_start_confdir(const char *, const char *, const struct pam_conv *, const char *, pam_handle_t **);

static const char *password;

static int converse(int count, const struct pam_message **messages, struct pam_response **answers, void *data) {
    (void)data;
    struct pam_response *answer = calloc(count, sizeof *answer);
    for (int i = 0; i < count; i++)
        if (messages[i]->msg_style == PAM_PROMPT_ECHO_OFF || messages[i]->msg_style == PAM_PROMPT_ECHO_ON)
            answer[i].resp = strdup(password);
    *answers = answer;
    return PAM_SUCCESS;
}

static double microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *times, int count) {
    qsort(times, count, sizeof *times, compare);
    return times[count / 2];
}

static long resident_kib(void) {
    long all, resident = -1;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &all, &resident) != 2) resident = -1;
    if (file) fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int argc, char **argv) {
    if (argc != 7 && argc != 8) return 2;
    int (*call)(pam_handle_t *, int) = argc == 8 ? pam_authenticate : pam_chauthtok;
    int cold = atoi(argv[1]), warm = atoi(argv[2]), status = 0;
    struct pam_conv conversation = { converse, NULL };
    double *times = malloc(sizeof(double) * (cold > warm ? cold : warm));
    pam_handle_t *handle = NULL;
    password = argv[6];
    for (int i = 0; i < cold; i++) {
        double start = microseconds();
        if (pam_start_confdir(argv[4], argv[5], &conversation, argv[3], &handle)) return 1;
        status = call(handle, 0);
        pam_end(handle, status);
        times[i] = microseconds() - start;
    }
    double cold_median = median(times, cold);
    if (pam_start_confdir(argv[4], argv[5], &conversation, argv[3], &handle)) return 1;
    call(handle, 0);
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    for (int i = 0; i < warm; i++) {
        double start = microseconds();
        status = call(handle, 0);
        times[i] = microseconds() - start;
    }
    getrusage(RUSAGE_SELF, &after);
    printf("%.1f %.1f %.1f %ld %d\n", cold_median, median(times, warm),
        (double)(after.ru_minflt - before.ru_minflt) / warm, resident_kib(), status);
    pam_end(handle, status);
    return 0;
}
