/* cracklib through libcrack2: crack DICTIONARY < queries; prints nanoseconds of processor time a query and how many
 * were rejected. */
#include "queries.h"
#include <crack.h>

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    read_queries();
    double start = processor_time();
    long rejected = 0;
    for (long i = 0; i < query_count; i++) rejected += FascistCheck(queries[i], argv[1]) != NULL;
    printf("%.1f %ld\n", (processor_time() - start) / query_count, rejected);
    return 0;
}
