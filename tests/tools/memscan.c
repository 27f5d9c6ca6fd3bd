/* memscan FOLDER SERVICE USER accept|mismatch|abort|COUNT < PASSWORD-XOR-0x5a
 *
 * Runs one pam_chauthtok, or COUNT times pam_authenticate from 203.0.113.7, each with another end of the password,
 * which this program holds in the clear only in the replies of its conversation function, which libpam wipes and
 * frees. Then it looks through all writable memory for pieces of at least 12 bytes of the password: as typed,
 * lower-cased, reversed, and reversed and lower-cased. free() overwrites the first 16 bytes of a block, so a piece may
 * begin at any eighth byte. Prints the code of PAM and each piece found, and with LOG=1 in the environment what modules
 * log. With LEAK=1 the conversation leaves a copy behind: the scan has to find it. */
#include <ctype.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pam.h"

#define MASK 0x5a
#define SHORTEST 12
#define LONGEST 64

void pam_vsyslog(const pam_handle_t *, int, const char *, va_list);

static unsigned char masked[LONGEST];
static int length, prompts, logins;
static char mode;

/* In place of libpam's: a module of this process finds it first. */
void pam_syslog(const pam_handle_t *handle, int priority, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    pam_vsyslog(handle, priority, format, arguments);
    va_end(arguments);
    if (!getenv("LOG")) return;
    printf("log ");
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
}

/* The password, changed in its first character for the second prompt of a mismatch. */
static char *reply(void) {
    char *text = malloc(length + 1);
    for (int i = 0; i < length; i++) text[i] = masked[i] ^ MASK;
    text[length] = 0;
    if (mode == 'm' && prompts == 2) text[0] = '#';
    if (logins) {
        text[length - 1] = 'a' + logins % 26;
        text[length - 2] = 'a' + logins / 26 % 26;
        text[length - 3] = 'a' + logins / 676 % 26;
    }
    return text;
}

static int converse(int count, const struct pam_message **messages, struct pam_response **out, void *data) {
    (void)data;
    struct pam_response *responses = calloc(count, sizeof *responses);
    for (int i = 0; i < count; i++) {
        if (messages[i]->style != PROMPT_ECHO_OFF) continue;
        prompts++;
        if (mode == 'a' && prompts == 2) { free(responses); return CONV_ERR; }
        responses[i].text = reply();
        if (getenv("LEAK")) {
            char *copy = strdup(responses[i].text);
            __asm__ volatile("" :: "r"(copy) : "memory");
        }
    }
    *out = responses;
    return 0;
}

/* The masked byte at place i of form f: 0 typed, 1 lower-cased, 2 reversed, 3 both. */
static unsigned char form(int f, int i) {
    unsigned char byte = masked[f & 2 ? length - 1 - i : i];
    return f & 1 ? (unsigned char)tolower(byte ^ MASK) ^ MASK : byte;
}

/* The longest piece of the password that begins here. */
static int piece(const unsigned char *at, long left) {
    int best = 0;
    for (int f = 0; f < 4; f++)
        for (int from = 0; from + SHORTEST <= length; from++) {
            int n = 0;
            while (from + n < length && n < left && (at[n] ^ MASK) == form(f, from + n)) n++;
            if (n > best) best = n;
        }
    return best >= SHORTEST ? best : 0;
}

static unsigned char buffer[4096 + LONGEST];

static int is_own(unsigned long address) {
    unsigned long own = (unsigned long)buffer;
    return address >= own && address < own + sizeof buffer;
}

static void scan_range(int memory, unsigned long from, unsigned long to, const char *where, const char *when) {
    for (unsigned long page = from; page < to; page += 4096) {
        long got = pread(memory, buffer, sizeof buffer, page);
        for (long i = 0; i < got && i < 4096; i++) {
            int n = is_own(page + i) ? 0 : piece(buffer + i, got - i);
            if (n == 0) continue;
            printf("copy %s %d %s\n", when, n, where);
            i += n - 1;
        }
        memset(buffer, 0, sizeof buffer);
    }
}

static void scan(const char *when) {
    char line[600], rights[8];
    unsigned long from, to;
    FILE *maps = fopen("/proc/self/maps", "r");
    int memory = open("/proc/self/mem", O_RDONLY);
    while (fgets(line, sizeof line, maps)) {
        char name[300] = "anonymous";
        if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %299s", &from, &to, rights, name) >= 3 && rights[1] == 'w')
            scan_range(memory, from, to, name, when);
    }
    fclose(maps);
    close(memory);
}

static int begin(char **arguments, pam_handle_t **handle) {
    static struct pam_conv conversation = { converse, NULL };
    *handle = NULL;
    return pam_start_confdir(arguments[2], arguments[3], &conversation, arguments[1], handle);
}

static int log_in(char **arguments) {
    pam_handle_t *handle;
    if (begin(arguments, &handle)) exit(2);
    pam_set_item(handle, RHOST, "203.0.113.7");
    int code = pam_authenticate(handle, 0);
    pam_end(handle, code);
    return code;
}

static int change(char **arguments) {
    pam_handle_t *handle;
    if (begin(arguments, &handle)) exit(2);
    int code = pam_chauthtok(handle, 0);
    scan("call");
    pam_end(handle, code);
    return code;
}

int main(int count, char **arguments) {
    if (count != 5) return 2;
    mode = arguments[4][1] == 'c' ? 'c' : arguments[4][0]; /* accept: c */
    length = read(0, masked, sizeof masked);
    if (length < SHORTEST) return 2;
    int most = atoi(arguments[4]), code = 0;
    for (logins = 0; logins < most;) {
        logins++;
        code = log_in(arguments);
    }
    if (most == 0) code = change(arguments);
    scan("end");
    printf("code %d prompts %d\n", code, prompts);
    return 0;
}
