/* smallstack FOLDER SERVICE USER STACK_KIB PASSWORD...
 *
 * Runs one pam_chauthtok for each password in a thread with a stack of that size and prints libpam's code for it: a
 * login daemon may call PAM in such a thread. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pam.h"

static char **arguments;

static int converse(int count, const struct pam_message **messages, struct pam_response **out, void *password) {
    struct pam_response *responses = calloc(count, sizeof *responses);
    for (int i = 0; i < count; i++)
        if (messages[i]->style == PROMPT_ECHO_OFF) responses[i].text = strdup(password);
    *out = responses;
    return 0;
}

static void *change(void *password) {
    pam_handle_t *handle = NULL;
    struct pam_conv conversation = { converse, password };
    int code = pam_start_confdir(arguments[2], arguments[3], &conversation, arguments[1], &handle);
    if (code == 0) code = pam_chauthtok(handle, 0);
    printf("%d\n", code);
    pam_end(handle, code);
    return NULL;
}

int main(int count, char **given) {
    if (count < 6) return 2;
    arguments = given;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, strtoul(given[4], NULL, 10) * 1024)) return 2;
    for (int i = 5; i < count; i++) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, change, given[i])) return 2;
        pthread_join(thread, NULL);
    }
    return 0;
}
