/* spy drop FILE | spy look FILE | spy watch FILE CPU STOP
 *
 * What another user of the machine can see of a file that is read: which pages, and which cache lines.
 *
 * drop   takes the file's pages out of the page cache.
 * look   prints the indices of the pages that are in it: touching one of them costs no major fault.
 * watch  flush and reload, on one cache line of each page: flushes the line, gives the processor CPU to others for a moment,
 *        and times a read; prints "line INDEX COUNT" for each line that others brought back, until the file STOP exists. Before
 *        that it tries both on a child of its own, and prints "blind REASON" when it cannot see what the child reads.
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

static const volatile unsigned char *map;
static long pages, *order;
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
    int error = posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    if (error) exit(2);
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

/* One line of each page, and the pages in random order: prefetchers follow steps, from page to page too. */
static const volatile unsigned char *line_of(long page) { return map + page * PAGE + 21 * LINE; }

static void flush(long page) { _mm_clflush((const void *)line_of(page)); }

static unsigned reload(long page) {
    unsigned rest;
    _mm_mfence();
    uint64_t start = __rdtscp(&rest);
    (void)*line_of(page);
    uint64_t end = __rdtscp(&rest);
    _mm_lfence();
    return end - start > 100000 ? 100000 : (unsigned)(end - start);
}

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static unsigned quantile(unsigned *times, int count, double part) {
    qsort(times, count, sizeof *times, compare);
    return times[(int)(part * (count - 1))];
}

static void shuffle(long count) {
    uint64_t state = 1;
    for (long i = 0; i < count; i++) order[i] = i;
    for (long i = count - 1; i > 0; i--) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        long j = (long)((state >> 33) % (uint64_t)(i + 1)), swapped = order[i];
        order[i] = order[j];
        order[j] = swapped;
    }
}

static void give_way(void) {
    struct timespec moment = { 0, 50000 };
    nanosleep(&moment, NULL);
}

/* Cycles below which a read was of a line in some cache; 0 when the two kinds cannot be told apart. */
static unsigned threshold(void) {
    enum { COUNT = 2000 };
    static unsigned hot[COUNT], cold[COUNT];
    for (int i = 0; i < COUNT; i++) {
        long page = i % pages;
        (void)*line_of(page);
        hot[i] = reload(page);
        flush(page);
        _mm_mfence();
        cold[i] = reload(page);
    }
    unsigned most_hot = quantile(hot, COUNT, 0.95), least_cold = quantile(cold, COUNT, 0.05);
    return least_cold > most_hot + most_hot / 4 ? (most_hot + least_cold) / 2 : 0;
}

/* A child reads every seventh page again and again: how many of those, and of the others, are seen in one round. */
static int sees_a_child(unsigned bound) {
    int right = 0, wrong = 0, count = pages < 700 ? pages : 700;
    shuffle(count);
    pid_t child = fork();
    if (child == 0) {
        for (;;) {
            for (long i = 0; i < count; i++) if (order[i] % 7 == 0) (void)*line_of(order[i]);
            struct timespec moment = { 0, 20000 };
            nanosleep(&moment, NULL);
        }
    }
    for (int round = 0; round < 20; round++) {
        for (long page = 0; page < count; page++) flush(page);
        for (int i = 0; i < 4; i++) give_way();
        for (long i = 0; i < count; i++) {
            int seen = reload(order[i]) < bound;
            if (order[i] % 7 == 0) right += seen; else wrong += seen;
        }
    }
    kill(child, 9);
    waitpid(child, NULL, 0);
    fprintf(stderr, "child: %d of %d, others %d of %d\n", right, 20 * ((count + 6) / 7), wrong, 20 * (count - (count + 6) / 7));
    return right > 10 * ((count + 6) / 7) && wrong < count;
}

static void watch(const char *stop) {
    map_file();
    order = calloc(pages, sizeof *order);
    for (long page = 0; page < pages; page++) (void)*line_of(page);
    unsigned bound = threshold();
    if (!bound) { printf("blind reads from a cache take as long as others\n"); return; }
    if (!sees_a_child(bound)) { printf("blind what a child reads is not seen\n"); return; }
    unsigned *counts = calloc(pages, sizeof *counts), rounds = 0;
    shuffle(pages);
    for (long page = 0; page < pages; page++) flush(page);
    printf("watching\n");
    fflush(stdout);
    while (access(stop, F_OK)) {
        give_way();
        for (long i = 0; i < pages; i++) {
            counts[order[i]] += reload(order[i]) < bound;
            flush(order[i]);
        }
        rounds++;
    }
    for (long page = 0; page < pages; page++)
        if (counts[page]) printf("line %ld %u\n", page, counts[page]);
    printf("rounds %u\n", rounds);
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
    else if (count == 5) {
        stay_on(atoi(arguments[3]));
        watch(arguments[4]);
    } else return 2;
    return 0;
}
