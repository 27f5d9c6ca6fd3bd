/* What plugins.c calls of each server's plugin, and stand-ins for what the plugin takes from that server. */
#ifndef SERVERS_H
#define SERVERS_H

/* What a plugin takes from its server. */
void krb5_set_error_message(void *context, int code, const char *format, ...) {
    (void)context, (void)code, (void)format;
}
void my_printf_error(unsigned number, const char *format, unsigned long flags, ...) {
    (void)number, (void)format, (void)flags;
}

/* MIT Kerberos: 0 accepts. */
struct vtable { const char *name; void (*open)(void); int (*check)(void *, void *, const char *, const char *,
                const void *, const char *const *); void (*close)(void); };
struct data { int magic; unsigned length; const char *start; };
struct principal { int magic; struct data realm; const struct data *components; int count, kind; };
static struct vtable vtable;

static void krb5_opened(void) {
    int (*init)(void *, int, int, void *) = (int (*)(void *, int, int, void *))dlsym(plugin, "pwqual_nearmiss_initvt");
    if (init(NULL, 1, 1, &vtable)) exit(3);
}

static int krb5(const char *password) {
    return !vtable.check(NULL, NULL, password, NULL, NULL, NULL);
}

static void krb5_alone(void) {
    int (*init)(void *, int, int, void *) = (int (*)(void *, int, int, void *))dlsym(plugin, "pwqual_nearmiss_initvt");
    if (!init(NULL, 0, 1, &vtable) || !init(NULL, 2, 1, &vtable) || !init(NULL, 1, 1, NULL)) wrong++;
    static const int counts[] = { INT32_MIN, -1, 0, 1, 2 };
    struct data parts[] = { { 0, 4, "anna" }, { 0, 5, NULL } };
    const char *none[] = { NULL }, *some[] = { "de", NULL };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct principal principal = { 0, { 0, 0, NULL }, i % 2 ? parts : NULL, counts[i], 0 };
        if (!(i % 2) && counts[i] > 0) principal.components = parts;
        expected(!vtable.check(NULL, NULL, WEAK, "policy", &principal, none), 0);
        expected(!vtable.check(NULL, NULL, NULL, NULL, &principal, some), 0);
        expected(!vtable.check(NULL, NULL, STRONG, NULL, &principal, some), 1);
    }
    char *policy = at_the_end(256);
    memset(policy, 'p', 256);
    expected(!vtable.check(NULL, NULL, WEAK, policy, NULL, NULL), 0);
}

/* MariaDB: 0 accepts. */
struct text { const char *start; size_t bytes; };
struct validation { int version; int (*validate)(const struct text *, const struct text *, const struct text *); };
struct declaration { int kind; const struct validation *info; };

static const struct validation *validation(void) {
    return ((const struct declaration *)dlsym(plugin, "_maria_plugin_declarations_"))->info;
}

static int mariadb(const char *password) {
    struct text user = { "anna", 4 }, text = { password, password ? strnlen(password, LIMIT + 1) : 9 };
    return !validation()->validate(&user, &text, &user);
}

static void mariadb_alone(void) {
    static const size_t claims[] = { LIMIT + 1, LIMIT + 2, SIZE_MAX / 2, SIZE_MAX };
    char *password = at_the_end(LIMIT + 1);
    memset(password, 'z', LIMIT + 1);
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        struct text text = { password, claims[i] }, nowhere = { NULL, claims[i] };
        expected(!validation()->validate(NULL, &text, NULL), 0);
        expected(!validation()->validate(&nowhere, &nowhere, NULL), 0);
    }
    struct text weak = { WEAK, strlen(WEAK) }, strong = { STRONG, strlen(STRONG) };
    expected(!validation()->validate(NULL, NULL, NULL), 0);
    expected(!validation()->validate(NULL, &weak, NULL), 0);
    expected(!validation()->validate(NULL, &strong, NULL), 1);
}

/* PostgreSQL: an error jumps to the end of the statement, over the frames of the plugin. */
#define LOG 15
#define ERROR 21
typedef void hook(const char *user, const char *password, int kind, uintptr_t until, bool for_ever);
hook *check_password_hook;
static __thread sigjmp_buf statement;
static __thread int level, earlier;
static bool *refuses_hashed;

bool errstart(int of, const char *domain) { (void)domain; level = of; return true; }
int errcode(int code) { return code; }
int errmsg(const char *format, ...) { return *format; }
int errdetail_log(const char *format, ...) { return *format; }
int errhidestmt(bool is_hidden) { return is_hidden; }
void errfinish(const char *file, int line, const char *function) {
    (void)file, (void)line, (void)function;
    if (level >= ERROR) siglongjmp(statement, 1);
}
void DefineCustomBoolVariable(const char *name, const char *summary, const char *description, bool *value,
                              bool first, int context, int flags, void *check, void *assign, void *show) {
    (void)name, (void)summary, (void)description, (void)context, (void)flags, (void)check, (void)assign, (void)show;
    *(refuses_hashed = value) = first;
}

static void earlier_hook(const char *user, const char *password, int kind, uintptr_t until, bool for_ever) {
    (void)user, (void)password, (void)kind, (void)until, (void)for_ever;
    earlier++;
}

static void postgresql_opened(void) {
    void (*init)(void) = (void (*)(void))dlsym(plugin, "_PG_init");
    check_password_hook = earlier_hook;
    init();
    /* A second call must not have the hook call itself. */
    init();
    if (check_password_hook == earlier_hook || !refuses_hashed) exit(3);
}

static int role(const char *user, const char *password, int kind) {
    if (sigsetjmp(statement, 0)) return 0;
    check_password_hook(user, password, kind, 0, true);
    return 1;
}

static int postgresql(const char *password) { return role("anna", password, 0); }

static void postgresql_alone(void) {
    static const char *users[] = { NULL, "", ".", "..", "../../etc/passwd", "/", "a\nb", "\xff\xfe" };
    static const int kinds[] = { INT32_MIN, -1, 1, 2, 3, INT32_MAX };
    for (size_t i = 0; i < sizeof users / sizeof *users; i++) {
        expected(role(users[i], WEAK, 0), 0);
        expected(role(users[i], NULL, 0), 0);
        expected(role(users[i], STRONG, 0), 1);
    }
    char *user = at_the_end(LIMIT + 1);
    memset(user, 'u', LIMIT + 1);
    expected(role(user, WEAK, 0), 0);
    for (int refuses = 0; refuses < 2; refuses++) {
        *refuses_hashed = refuses;
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) expected(role(user, WEAK, kinds[i]), !refuses);
        expected(role(NULL, NULL, 1), !refuses);
    }
    *refuses_hashed = false;
    int before = earlier;
    postgresql(WEAK);
    if (earlier != before + 1) wrong++;
}

/* OpenLDAP 2.6: 0 accepts. */
struct berval { unsigned long bytes; char *start; };
struct attribute { const void *description; const struct berval *values; };
struct entry { unsigned long number; struct berval name, normalized; const struct attribute *attributes; };
#define ENTRY { 1, { 27, "uid=anna,dc=example,dc=org" }, { 0, NULL }, NULL }
static int (*check_password)(const char *, struct berval *, const struct entry *, const struct berval *);

int slap_str2ad(const char *name, const void **description, const char **text) {
    *text = NULL;
    *description = !strcmp(name, "uid") ? "uid" : "cn";
    return strcmp(name, "uid") && strcmp(name, "cn");
}
const struct attribute *attr_find(const struct attribute *list, const void *description) {
    return list && !strcmp(description, "cn") ? list : NULL;
}

static void openldap_opened(void) {
    check_password = (int (*)(const char *, struct berval *, const struct entry *, const struct berval *))
        dlsym(plugin, "check_password");
}

static int openldap(const char *password) {
    char buffer[256];
    struct berval message = { sizeof buffer, buffer };
    struct entry entry = ENTRY;
    return !check_password(password, &message, &entry, NULL);
}

static void openldap_alone(void) {
    static const unsigned long lengths[] = { 0, 1, 2, 3, 8191, 8192, 8193, UINT32_MAX, INT64_MAX, UINT64_MAX };
    char *name = at_the_end(8192);
    memset(name, 'n', 8192);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct berval message = { lengths[i], NULL }, odd = { lengths[i], NULL };
        struct berval values[] = { { lengths[i], name }, { 8192, name }, { 0, NULL } };
        struct attribute attribute = { "cn", i % 2 ? values : NULL };
        struct entry entry = { 0, values[0], odd, i % 3 ? &attribute : NULL };
        expected(!check_password(WEAK, &message, &entry, &odd), 0);
        expected(!check_password(NULL, NULL, &entry, NULL), 0);
        expected(!check_password(STRONG, NULL, &entry, NULL), 1);
        entry.name = odd;
        expected(!check_password(STRONG, &message, &entry, &odd), 1);
        /* A configuration that does not exist refuses all; one whose path is too long is not looked for. */
        expected(!check_password(WEAK, NULL, &entry, values), 0);
        if (lengths[i] && lengths[i] <= 8192) expected(!check_password(STRONG, NULL, NULL, values), 0);
    }
    for (size_t room = 1; room < 80; room++) {
        struct berval message = { room, at_the_end(room) };
        expected(!check_password(WEAK, &message, NULL, NULL), 0);
        if (strnlen(message.start, room) == room || (room > 20 && !*message.start)) wrong++;
    }
}

/* The drop-in: no sentence accepts. */
static const char *(*check)(const char *, const char *);

static void cracklib_opened(void) {
    check = (const char *(*)(const char *, const char *))dlsym(plugin, "FascistCheck");
}

static int cracklib(const char *password) { return !check(password, NULL); }

static void cracklib_alone(void) {
    const char *(*of)(const char *, const char *, const char *, const char *) =
        (const char *(*)(const char *, const char *, const char *, const char *))dlsym(plugin, "FascistCheckUser");
    int (*safe)(const char *, const char *, char *, size_t) =
        (int (*)(const char *, const char *, char *, size_t))dlsym(plugin, "__DEBIAN_SPECIFIC__SafeFascistCheck");
    const char *(*dictionary)(void) = (const char *(*)(void))dlsym(plugin, "GetDefaultCracklibDict");
    char *name = at_the_end(4096);
    memset(name, 'n', 4096);
    for (int set = 0; set < 8; set++) {
        const char *user = set & 1 ? name : NULL, *gecos = set & 2 ? name : NULL, *path = set & 4 ? name : NULL;
        expected(!of(WEAK, path, user, gecos), 0);
        expected(!of(NULL, path, user, gecos), 0);
        expected(!of(STRONG, path, user, gecos), 1);
    }
    if (!dictionary() || *dictionary() != '/') wrong++;
    static const size_t claims[] = { 0, 1, SIZE_MAX / 2, SIZE_MAX };
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) expected(safe(STRONG, NULL, NULL, claims[i]), 0);
    for (size_t room = 0; room < 80; room++) {
        char *message = at_the_end(room);
        memset(message, 1, room);
        errno = 0;
        int status = safe(WEAK, NULL, message, room);
        /* 1 with an empty message would accept. */
        expected(status == 1 && !*message, 0);
        if (status != (room > 1) || (!status && errno != EINVAL)) wrong++;
        if (status && strnlen(message, room) == room) wrong++;
    }
    char message[1024];
    expected(safe(WEAK, NULL, message, SIZE_MAX) == 1 && !*message, 0);
    expected(safe(STRONG, NULL, message, sizeof message) == 1 && !*message, 1);
}

static const struct {
    const char *name;
    void (*opened)(void);
    int (*accepts)(const char *);
    void (*alone)(void);
} KINDS[] = {
    { "krb5", krb5_opened, krb5, krb5_alone },
    { "mariadb", NULL, mariadb, mariadb_alone },
    { "postgresql", postgresql_opened, postgresql, postgresql_alone },
    { "openldap", openldap_opened, openldap, openldap_alone },
    { "cracklib", cracklib_opened, cracklib, cracklib_alone },
};

#endif
