/* change MODULE OPTION...: loads the module and sets each line of standard input as somebody's password, as libpam
 * would: both phases of pam_sm_chauthtok. Prints the module's messages and then the code. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "transaction.h"

enum { UPDATE = 0x2000, PRELIMINARY = 0x4000 };

typedef int chauthtok(struct transaction *, int flags, int count, const char **options);

int main(int count, const char **given) {
    char line[600];
    if (count < 2) return 2;
    void *module = dlopen(given[1], RTLD_NOW);
    if (!module) return fprintf(stderr, "%s\n", dlerror()), 2;
    chauthtok *change = (chauthtok *)dlsym(module, "pam_sm_chauthtok");
    if (!change) return 2;
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        struct transaction *at = start_transaction("tester", line);
        int code = change(at, PRELIMINARY, count - 2, given + 2);
        if (code == 0) code = change(at, UPDATE, count - 2, given + 2);
        printf("%d\n", code);
        end_transaction(at, code);
    }
    return 0;
}
