/* A stand-in for libpam.so.0 on musl, for which Debian has none: what the module asks of a transaction with one
 * password. Messages are printed. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transaction.h"

enum { USER = 2, AUTHTOK = 6, ITEMS = 16, PIECES = 8, SUCCESS = 0, NO_DATA = 18, BAD_ITEM = 29 };

typedef void cleanup(struct transaction *, void *, int);

struct transaction {
    void *items[ITEMS];
    struct { char *name; void *data; cleanup *cleanup; } pieces[PIECES];
};

int pam_get_item(const struct transaction *at, int item, const void **value) {
    if (item < 0 || item >= ITEMS) return BAD_ITEM;
    *value = at->items[item];
    return SUCCESS;
}

int pam_set_item(struct transaction *at, int item, const void *value) {
    if (item < 0 || item >= ITEMS) return BAD_ITEM;
    free(at->items[item]);
    at->items[item] = value ? strdup(value) : NULL;
    return SUCCESS;
}

struct transaction *start_transaction(const char *user, const char *password) {
    struct transaction *started = calloc(1, sizeof *started);
    pam_set_item(started, USER, user);
    pam_set_item(started, AUTHTOK, password);
    return started;
}

void end_transaction(struct transaction *at, int code) {
    for (int i = 0; i < PIECES; i++)
        if (at->pieces[i].cleanup) at->pieces[i].cleanup(at, at->pieces[i].data, code);
    for (int i = 0; i < PIECES; i++) free(at->pieces[i].name);
    for (int i = 0; i < ITEMS; i++) free(at->items[i]);
    free(at);
}

int pam_get_user(struct transaction *at, const char **user, const char *prompt) {
    (void)prompt;
    return pam_get_item(at, USER, (const void **)user);
}

int pam_get_authtok_noverify(struct transaction *at, const char **password, const char *prompt) {
    (void)prompt;
    return pam_get_item(at, AUTHTOK, (const void **)password);
}

int pam_get_authtok_verify(struct transaction *at, const char **password, const char *prompt) {
    return pam_get_authtok_noverify(at, password, prompt);
}

int pam_set_data(struct transaction *at, const char *name, void *data, cleanup *cleanup) {
    for (int i = 0; i < PIECES; i++) {
        if (at->pieces[i].name && strcmp(at->pieces[i].name, name)) continue;
        if (at->pieces[i].cleanup) at->pieces[i].cleanup(at, at->pieces[i].data, SUCCESS);
        free(at->pieces[i].name);
        at->pieces[i].name = strdup(name), at->pieces[i].data = data, at->pieces[i].cleanup = cleanup;
        return SUCCESS;
    }
    return NO_DATA;
}

int pam_get_data(const struct transaction *at, const char *name, const void **data) {
    for (int i = 0; i < PIECES; i++) {
        if (!at->pieces[i].name || strcmp(at->pieces[i].name, name)) continue;
        *data = at->pieces[i].data;
        return SUCCESS;
    }
    return NO_DATA;
}

int pam_prompt(struct transaction *at, int style, char **response, const char *format, ...) {
    va_list arguments;
    (void)at, (void)style;
    if (response) *response = NULL;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    return SUCCESS;
}

void pam_syslog(const struct transaction *at, int priority, const char *format, ...) {
    va_list arguments;
    (void)at, (void)priority;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}
