/* cracklib through libcrack2: crack DICTIONARY < queries; prints nanoseconds of processor time a query and how many
 * were rejected. */
#include "queries.h"
#include <crack.h>

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    read_queries();
    double start = 0;
    long rejected = 0;
    for (long round = 0; round < 2 * query_count; round++) {
        long i = round % query_count; // first for the caches, then for the clock
        if (round == query_count) start = processor_time();
        rejected += FascistCheck(queries[i], argv[1]) != NULL;
    }
    printf("%.1f %ld\n", (processor_time() - start) / query_count, rejected / 2);
    return 0;
}
