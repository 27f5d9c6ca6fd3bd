/* spy drop FILE | spy look FILE | spy watch FILE CPU STOP
 *
 * What another user of the machine can see of a file that is read: which pages, and which cache lines.
 *
 * drop   takes the file's pages out of the page cache.
 * look   prints the indices of the pages that are in it: touching one of them costs no major fault.
 * watch  flush and reload, on one cache line of each page: flushes the lines, leaves the processor CPU to others for a moment,
 *        and times a read of each. Prints "watching", and when the file STOP exists "line INDEX" for each page whose line others
 *        brought back. The last 64 pages of the file say how well it sees: a child reads every other of them now and then, the
 *        rest nobody. Prints "blind REASON" when it does not see what the child reads, or sees what nobody does.
 *
 * Exit status: 1 when the file cannot be opened, with the reason. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096
#define LINE 64
#define MARKED 64 /* pages at the end: those with an even index are read by the child */

static const volatile unsigned char *map;
static long pages;
static int file;

static void open_file(const char *path) {
    struct stat facts;
    file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &facts)) {
        perror(path);
        exit(1);
    }
    pages = facts.st_size / PAGE;
}

static void map_file(void) {
    map = mmap(NULL, pages * PAGE, PROT_READ, MAP_SHARED, file, 0);
    if (map == MAP_FAILED || madvise((void *)map, pages * PAGE, MADV_RANDOM)) {
        perror("mmap");
        exit(2);
    }
}

static void drop(void) {
    if (posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)) exit(2);
    printf("dropped\n");
}

static long major_faults(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_majflt;
}

static void look(void) {
    map_file();
    for (long page = 0; page < pages; page++) {
        long before = major_faults();
        (void)map[page * PAGE];
        if (major_faults() == before) printf("%ld\n", page);
    }
}

#ifdef __x86_64__
#include <x86intrin.h>

struct seen { unsigned char is_seen; unsigned round; };

static long *order;
static struct seen *seen;
static unsigned bound;
static volatile unsigned *child_rounds;

static const volatile unsigned char *line_of(long page) { return map + page * PAGE + 21 * LINE; }

static void flush(long page) { _mm_clflush((const void *)line_of(page)); }

/* Cycles to read the page's line. Another line is flushed first: that has the address translated, and no prefetcher follows. */
static unsigned reload(long page) {
    unsigned rest;
    _mm_clflush((const void *)(map + page * PAGE + 58 * LINE));
    _mm_mfence();
    _mm_lfence();
    uint64_t start = __rdtscp(&rest);
    _mm_lfence();
    (void)*line_of(page);
    uint64_t end = __rdtscp(&rest);
    _mm_lfence();
    return end - start > 100000 ? 100000 : (unsigned)(end - start);
}

/* In random order: prefetchers follow steps, from page to page too. */
static void shuffle(void) {
    uint64_t state = 1;
    order = calloc(pages, sizeof *order);
    for (long i = 0; i < pages; i++) order[i] = i;
    for (long i = pages - 1; i > 0; i--) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        long j = (long)((state >> 33) % (uint64_t)(i + 1)), swapped = order[i];
        order[i] = order[j];
        order[j] = swapped;
    }
}

static void wait_for(long microseconds) {
    struct timespec moment = { 0, microseconds * 1000 };
    nanosleep(&moment, NULL);
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* Reads that take less than this come from some cache; 0 when the two kinds cannot be told apart. */
static unsigned find_bound(void) {
    enum { COUNT = 2000 };
    static unsigned hot[COUNT], cold[COUNT];
    for (int i = 0; i < COUNT; i++) {
        long page = order[i % pages];
        (void)*line_of(page);
        hot[i] = reload(page);
        flush(page);
        _mm_mfence();
        cold[i] = reload(page);
    }
    qsort(hot, COUNT, sizeof *hot, compare);
    qsort(cold, COUNT, sizeof *cold, compare);
    unsigned most_hot = hot[COUNT * 95 / 100], least_cold = cold[COUNT * 5 / 100];
    return least_cold > most_hot * 2 ? least_cold - least_cold / 5 : 0;
}

static int is_marked(long page) { return page >= pages - MARKED; }

/* As passwd does: reads once, works in some memory, and waits. */
static pid_t start_child(void) {
    child_rounds = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child = fork();
    if (child) return child;
    char *work = malloc(256 << 10);
    for (;;) {
        ++*child_rounds;
        for (long i = 0; i < pages; i++)
            if (is_marked(order[i]) && order[i] % 2 == 0) (void)*line_of(order[i]);
        for (int i = 0; i < 256 << 10; i += LINE) work[i]++;
        wait_for(20000);
    }
}

static unsigned long hits, false_hits;

static void sweep(void) {
    wait_for(50);
    for (long i = 0; i < pages; i++) {
        long page = order[i];
        int is_hit = reload(page) < bound;
        flush(page);
        if (!is_hit) continue;
        seen[page].is_seen = 1;
        if (!is_marked(page)) continue;
        if (page % 2) false_hits++;
        else if (seen[page].round != *child_rounds) hits++, seen[page].round = *child_rounds;
    }
}

/* Whether half of what the child reads is seen. */
static int sees(unsigned rounds) { return hits * 2 > (unsigned long)rounds * (MARKED / 2); }

static void watch(const char *stop) {
    map_file();
    shuffle();
    seen = calloc(pages, sizeof *seen);
    for (long page = 0; page < pages; page++) (void)*line_of(page);
    bound = find_bound();
    if (!bound) { printf("blind reads from a cache take as long as others\n"); return; }
    pid_t child = start_child();
    for (long page = 0; page < pages; page++) flush(page);
    while (*child_rounds < 20) sweep();
    int is_good = sees(*child_rounds) && false_hits < MARKED;
    if (is_good) {
        memset(seen, 0, pages * sizeof *seen);
        unsigned before = *child_rounds;
        hits = 0;
        printf("watching\n");
        fflush(stdout);
        while (access(stop, F_OK)) sweep();
        is_good = sees(*child_rounds - before);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    if (!is_good) printf("blind of what a child reads %lu lines are seen, of what nobody reads %lu\n", hits, false_hits);
    for (long page = 0; is_good && page < pages - MARKED; page++)
        if (seen[page].is_seen) printf("line %ld\n", page);
}
#else
static void watch(const char *stop) {
    (void)stop;
    printf("blind only for x86-64\n");
}
#endif

static void stay_on(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

int main(int count, char **arguments) {
    if (count < 3) return 2;
    open_file(arguments[2]);
    if (!strcmp(arguments[1], "drop")) drop();
    else if (!strcmp(arguments[1], "look")) look();
    else if (count == 5 && pages > MARKED) {
        stay_on(atoi(arguments[3]));
        watch(arguments[4]);
    } else return 2;
    return 0;
}
