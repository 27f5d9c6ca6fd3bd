/* cycles FOLDER SERVICE USER CYCLES GOOD WEAK [all-accepted | one-handle]
 *
 * So many password changes from pam_start to pam_end, each loading the module anew: accepted, rejected, mistyped, abandoned, in
 * turn; with all-accepted, each of another user who sets another password; with one-handle, all accepted and of one transaction,
 * which loads the module once. Prints resident KiB and open descriptors after the first
 * change, after the first tenth and at the end; then, for each way, libpam's code. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pam.h"

enum way { ACCEPT, REJECT, MISTYPE, ABANDON, WAYS };
static enum way way;
static int prompts;
static const char *weak;
static char good[200];

static int converse(int count, const struct pam_message **messages, struct pam_response **out, void *data) {
    (void)data;
    struct pam_response *responses = calloc(count, sizeof *responses);
    for (int i = 0; i < count; i++) {
        if (messages[i]->style != PROMPT_ECHO_OFF) continue;
        prompts++;
        if (way == ABANDON && prompts == 2) { free(responses); return CONV_ERR; }
        int is_other = way == REJECT || (way == MISTYPE && prompts == 2);
        responses[i].text = strdup(is_other ? weak : good);
    }
    *out = responses;
    return 0;
}

static pam_handle_t *handle;

static int cycle(char **arguments, const char *user, int is_last) {
    static struct pam_conv conversation = { converse, NULL };
    prompts = 0;
    if (!handle && pam_start_confdir(arguments[2], user, &conversation, arguments[1], &handle)) return -1;
    int code = pam_chauthtok(handle, 0);
    if (is_last) {
        pam_end(handle, code);
        handle = NULL;
    }
    return code;
}

static void tell(const char *when) {
    char line[200];
    long kib = 0, descriptors = -3; /* . and .. and the folder itself */
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status)) sscanf(line, "VmRSS: %ld", &kib);
    if (status) fclose(status);
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder)) descriptors++;
    if (folder) closedir(folder);
    printf("%s %ld %ld\n", when, kib, descriptors);
}

int main(int count, char **arguments) {
    if (count != 7 && count != 8) return 2;
    int one_handle = count == 8 && !strcmp(arguments[7], "one-handle");
    int all_accepted = count == 8 && !one_handle;
    long cycles = atol(arguments[4]);
    int codes[WAYS] = { -1, -1, -1, -1 };
    char user[100];
    weak = arguments[6];
    for (long i = 0; i < cycles; i++) {
        way = count == 8 ? ACCEPT : i % WAYS;
        long number = all_accepted ? i : 0;
        snprintf(user, sizeof user, number ? "%s%ld" : "%s", arguments[3], number);
        snprintf(good, sizeof good, number ? "%s-%ld" : "%s", arguments[5], number);
        int code = cycle(arguments, user, !one_handle || i == cycles - 1);
        if (i >= WAYS && code != codes[way]) return 3;
        codes[way] = code;
        if (i == 0) tell("first");
        if (i == cycles / 10) tell("early");
    }
    tell("end");
    printf("codes %d %d %d %d\n", codes[ACCEPT], codes[REJECT], codes[MISTYPE], codes[ABANDON]);
    return 0;
}
