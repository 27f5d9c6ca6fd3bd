/* passwdqc's filter file through libpasswdqc: passwdqc FILTER < queries; all other rules are off. Prints nanoseconds of
 * processor time a query and how many were rejected. */
#include <passwdqc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "queries.h"

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    read_queries();
    passwdqc_params_t params;
    passwdqc_params_reset(&params);
    char filter[4096];
    snprintf(filter, sizeof filter, "filter=%s", argv[1]);
    const char *options[] = { "min=1,1,1,1,1", "passphrase=0", "match=0", "similar=permit", filter };
    char *reason = NULL;
    if (passwdqc_params_parse(&params, &reason, 5, options)) {
        fprintf(stderr, "passwdqc: %s\n", reason ? reason : "out of memory");
        return 1;
    }
    double start = 0;
    long rejected = 0;
    for (long round = 0; round < 2 * query_count; round++) {
        long i = round % query_count; // first for the caches, then for the clock
        if (round == query_count) start = processor_time();
        rejected += passwdqc_check(&params.qc, queries[i], NULL, NULL) != NULL;
    }
    printf("%.1f %ld\n", (processor_time() - start) / query_count, rejected / 2);
    passwdqc_params_free(&params);
    return 0;
}
