/* krb5-strength's SQLite check: its table, its two queries (prefix and suffix of the password), its distance test.
 *   strength build DATABASE < words      strength ask DATABASE < queries
 * The second prints nanoseconds of processor time a query and how many were rejected. The table is the one that
 * krb5-strength-wordlist makes; that tool itself needs Perl's DBI. */
#include <sqlite3.h>
#include <stdlib.h>
#include "queries.h"

static void reverse(char *to, const char *from) {
    size_t length = strlen(from);
    for (size_t i = 0; i < length; i++) to[i] = from[length - 1 - i];
    to[length] = 0;
}

static void check(sqlite3 *db, int status, int wanted) {
    if (status == wanted) return;
    fprintf(stderr, "strength: %s\n", sqlite3_errmsg(db));
    exit(1);
}

static void build(sqlite3 *db) {
    char word[256], backwards[256];
    sqlite3_stmt *insert;
    sqlite3_exec(db, "PRAGMA synchronous = 0; PRAGMA journal_mode = OFF; PRAGMA cache_size = -500000;"
        "CREATE TABLE passwords (password TEXT UNIQUE NOT NULL, drowssap TEXT UNIQUE NOT NULL); BEGIN", 0, 0, 0);
    check(db, sqlite3_prepare_v2(db, "INSERT OR IGNORE INTO passwords (password, drowssap) values (?, ?)", -1,
        &insert, 0), SQLITE_OK);
    while (fgets(word, sizeof word, stdin)) {
        word[strcspn(word, "\n")] = 0;
        reverse(backwards, word);
        sqlite3_bind_text(insert, 1, word, -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 2, backwards, -1, SQLITE_STATIC);
        check(db, sqlite3_step(insert), SQLITE_DONE);
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    sqlite3_exec(db, "COMMIT", 0, 0, 0);
}

/* True when the strings are equal but for one character inserted, deleted or replaced. */
static int is_near(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b), front = 0, back = 0, most = n < m ? n : m;
    if (n > m + 1 || m > n + 1) return 0;
    while (front < most && a[front] == b[front]) front++;
    while (back < most - front && a[n - 1 - back] == b[m - 1 - back]) back++;
    return n - front - back <= 1 && m - front - back <= 1;
}

/* Any word among those that begin with `part`, in the column that the statement asks. */
static int matches(sqlite3_stmt *query, const char *part, const char *password) {
    char end[128];
    int found = 0;
    strcpy(end, part);
    end[strlen(end) - 1]++;
    sqlite3_bind_text(query, 1, part, -1, SQLITE_STATIC);
    sqlite3_bind_text(query, 2, end, -1, SQLITE_STATIC);
    while (!found && sqlite3_step(query) == SQLITE_ROW)
        found = is_near((const char *)sqlite3_column_text(query, 0), password);
    sqlite3_reset(query);
    return found;
}

static void ask(sqlite3 *db) {
    sqlite3_stmt *by_front, *by_back;
    check(db, sqlite3_prepare_v2(db, "SELECT password, drowssap FROM passwords WHERE password BETWEEN ? AND ?;", -1,
        &by_front, 0), SQLITE_OK);
    check(db, sqlite3_prepare_v2(db, "SELECT password, drowssap FROM passwords WHERE drowssap BETWEEN ? AND ?;", -1,
        &by_back, 0), SQLITE_OK);
    read_queries();
    double start = 0;
    long rejected = 0;
    for (long round = 0; round < 2 * query_count; round++) {
        long i = round % query_count; // first for the caches, then for the clock
        if (round == query_count) start = processor_time();
        char front[128], back[128], backwards[128];
        size_t half = strlen(queries[i]) / 2;
        reverse(backwards, queries[i]);
        snprintf(front, sizeof front, "%.*s", (int)half, queries[i]);
        snprintf(back, sizeof back, "%.*s", (int)half, backwards);
        rejected += matches(by_front, front, queries[i]) || matches(by_back, back, queries[i]);
    }
    printf("%.1f %ld\n", (processor_time() - start) / query_count, rejected / 2);
    sqlite3_finalize(by_front);
    sqlite3_finalize(by_back);
}

int main(int argc, char **argv) {
    sqlite3 *db;
    if (argc != 3) return 2;
    check(NULL, sqlite3_open(argv[2], &db), SQLITE_OK);
    if (!strcmp(argv[1], "build")) build(db); else ask(db);
    sqlite3_close(db);
    return 0;
}
