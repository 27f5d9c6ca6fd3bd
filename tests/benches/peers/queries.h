/* Queries from standard input, one a line. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#define MAX_QUERIES 65536
static char queries[MAX_QUERIES][128];
static long query_count;

static void read_queries(void) {
    while (query_count < MAX_QUERIES && fgets(queries[query_count], sizeof queries[0], stdin)) {
        queries[query_count][strcspn(queries[query_count], "\n")] = 0;
        query_count++;
    }
}

static double processor_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1e9 + now.tv_nsec;
}
