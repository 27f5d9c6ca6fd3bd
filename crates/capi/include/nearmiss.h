/*
 * nearmiss.h - check a new password with the policy, the filters and the ladder of this system
 *
 * SYNOPSIS
 *   #include <nearmiss.h>          cc ... $(pkg-config --cflags --libs nearmiss)
 *
 *   nearmiss *checker;
 *   struct nearmiss_answer answer = NEARMISS_ANSWER_INIT;
 *   nearmiss_open(NULL, &checker, &answer);           once, when the program starts
 *
 *   struct nearmiss_question question = NEARMISS_QUESTION_INIT;
 *   question.password = password;
 *   question.password_bytes = strlen(password);
 *   question.user = "anna";
 *   if (nearmiss_check(checker, &question, &answer) != NEARMISS_ACCEPTED)
 *       refuse(answer.sentence);                      whatever else it is, the password must not be set
 *
 *   nearmiss_free(checker);
 *
 * DESCRIPTION
 *   The library judges a password as the PAM module pam_nearmiss(8) does, by the same configuration
 *   (nearmiss.conf(5)). It must be able to read the filters: root can, and so can the members of the group
 *   nearmiss. A server that cannot gets NEARMISS_UNUSABLE, never an acceptance.
 *
 *   Every function may be called from any thread at any time, and after fork(2). Nothing waits for a lock,
 *   forks, executes, opens a connection, reads the environment, changes the locale, or writes to the
 *   terminal or the system log. No copy of a password is left in memory, and none is in any text returned.
 *   One exception is the administrator's choice: with "servers = true" in the section [fleet] of
 *   nearmiss.conf(5), a check that finds no other fault, in a process of root's, connects to the socket of
 *   this host's agent and waits 50 ms at most for each reply.
 *
 *   A replaced filter, ladder or configuration is noticed by the next check. A checker keeps what it has
 *   opened when its program gives up root's power or goes into a chroot.
 *
 *   The numbers and structures below keep their meaning for as long as the library is called
 *   libnearmiss.so.1. New numbers may be added: treat a verdict that you do not know as a refusal.
 *
 * SEE ALSO
 *   nearmiss(3), nearmiss.conf(5), pam_nearmiss(8), filterctl(8)
 */
#ifndef NEARMISS_H
#define NEARMISS_H 1

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A configuration with everything it names, opened. */
typedef struct nearmiss nearmiss;

/* What is to be done with a password. Only NEARMISS_ACCEPTED lets it be set. */
enum nearmiss_verdict {
    NEARMISS_ACCEPTED = 0, /* it may be set; for nearmiss_record, it is counted if it had to be */
    NEARMISS_REJECTED = 1, /* it must not be set: see reason and sentence */
    NEARMISS_UNUSABLE = 2, /* it was not checked: a filter or the like cannot be used; see detail */
    NEARMISS_INVALID = 3,  /* an argument is not what it has to be; see detail */
    NEARMISS_FAULT = 4     /* the library failed; see detail */
};

/* Why a password is rejected. */
enum nearmiss_reason {
    NEARMISS_NONE = 0,              /* it is not rejected */
    NEARMISS_EMPTY = 1,             /* it has no character */
    NEARMISS_TOO_LONG = 2,          /* it has more than 512 bytes */
    NEARMISS_TOO_SHORT = 3,         /* it has fewer characters than the policy asks for */
    NEARMISS_NEAR_USER_NAME = 4,    /* it is the user name, or one edit away from it */
    NEARMISS_NEAR_REAL_NAME = 5,    /* it is a word of the GECOS field, or one edit away from one */
    NEARMISS_NEAR_HOST_NAME = 6,    /* it is the host name, or one edit away from it */
    NEARMISS_NEAR_OLD_PASSWORD = 7, /* it is the old password, or one edit away from it */
    NEARMISS_DICTIONARY = 8,        /* it is in a dictionary, perhaps disguised */
    NEARMISS_NEAR_DICTIONARY = 9,   /* it is one edit away from a word of a dictionary */
    NEARMISS_BREACHED = 10,         /* it is in a list of leaked passwords */
    NEARMISS_TOO_COMMON_HERE = 11,  /* several people on this system chose it already */
    NEARMISS_GUESSED_HERE = 12,     /* attackers guess it on this system */
    NEARMISS_DIGITS = 13,           /* it has only digits */
    NEARMISS_PATTERN = 14,          /* it is a repetition, or a run of letters, digits or keys */
    NEARMISS_TWO_WORDS = 15,        /* it is two words of dictionaries */
    NEARMISS_MOSTLY_WORD = 16,      /* it is a word of a dictionary and a few characters more */
    NEARMISS_FORBIDDEN_WORD = 17,   /* it contains a word that the site forbids, or one edit away from one */
    NEARMISS_FEW_LETTERS = 18,      /* it is a number and one to three letters */
    NEARMISS_OTHER = 255            /* a reason that this header does not know */
};

/*
 * What is asked. Begin with NEARMISS_QUESTION_INIT and set what you know.
 *
 *   password       the new password, any bytes; not null-terminated. Bytes beyond the first 513 are not read:
 *                  a password of more than 512 is rejected.
 *   old_password   the password that it replaces, where it was typed; NULL where it is not known.
 *   user           the user name; NULL where there is none.
 *   gecos          the GECOS field, or only the real name; NULL where it is not known.
 *                  user and gecos may have further names, each on a line of its own: other names of the account
 *                  and the person (a principal, an address). Those of gecos count whole and in words.
 *   host           a host name, with or without its domain; NULL means this machine's, "" none.
 *   language       of the answer's sentence, as in RFC 5646 ("de", "pt-BR"); NULL, and a language that is not
 *                  known, mean English. A program compiled with an earlier header does not have it.
 *
 * Strings end with a null byte and may be in any encoding; the first 4096 bytes are read. Nothing is kept.
 */
struct nearmiss_question {
    size_t size; /* sizeof (struct nearmiss_question) */
    const void *password;
    size_t password_bytes;
    const void *old_password;
    size_t old_password_bytes;
    const char *user;
    const char *gecos;
    const char *host;
    const char *language;
};

/*
 * What is returned, all of it written by each call. Begin with NEARMISS_ANSWER_INIT.
 *
 *   verdict    what the function returns: enum nearmiss_verdict.
 *   reason     enum nearmiss_reason; NEARMISS_NONE unless the verdict is NEARMISS_REJECTED.
 *   sentence   for the user: a clause in UTF-8, in English unless the question has a language, such as "it is one or two characters away from a
 *              dictionary word or common password; choose several unrelated words". Empty for a password that
 *              is accepted.
 *   detail     for the administrator's log, never for the user: which file cannot be used and why, with a
 *              key in brackets, of which docs/troubleshoot.md has a row. An accepted password
 *              has one where on_error = "allow" let it go without a part of the check.
 *              That the process may not read the ladders, which are root's, is said once for each checker: in
 *              the answer of nearmiss_open, or of the first check.
 *
 * Neither text holds anything of the password. Both are one line and end with a null byte.
 */
struct nearmiss_answer {
    size_t size; /* sizeof (struct nearmiss_answer) */
    int32_t verdict;
    int32_t reason;
    char sentence[256];
    char detail[512];
};

#define NEARMISS_QUESTION_INIT { sizeof(struct nearmiss_question), 0, 0, 0, 0, 0, 0, 0, 0 }
#define NEARMISS_ANSWER_INIT { sizeof(struct nearmiss_answer), 0, 0, "", "" }

/*
 * Opens a configuration and everything it names.
 *
 *   configuration   an absolute path; NULL for /etc/security/nearmiss.conf, which may be missing: then its
 *                   defaults hold.
 *   checker         where the handle is put; NULL is put there with NEARMISS_INVALID and NEARMISS_FAULT.
 *   answer          what cannot be used; may be NULL.
 *
 * Returns NEARMISS_ACCEPTED when passwords can be checked. With NEARMISS_UNUSABLE there is a handle as well:
 * its checks return the same until the administrator has repaired what the detail names, which is noticed.
 */
int nearmiss_open(const char *configuration, nearmiss **checker, struct nearmiss_answer *answer);

/*
 * Checks a password. Changes nothing. Where this system has a ladder of chosen passwords and the process may
 * read it, a password that nothing else rejects costs about as much time as a login.
 *
 *   answer   may be NULL for a caller who only wants the verdict.
 */
int nearmiss_check(const nearmiss *checker, const struct nearmiss_question *question,
                   struct nearmiss_answer *answer);

/*
 * Counts in the ladder of chosen passwords a password that was set, so that one that several people choose is
 * rejected for the next. Only root can; an account counts once a day, beside what root sets by PAM, and nothing
 * of the account or the password can be read from the ladder.
 *
 *   account   the account's name.
 *   stored    the hash that is stored for the password now, by which it is counted once only; NULL where it
 *             is not known.
 *   answer    its detail says what was done; may be NULL.
 *
 * Returns NEARMISS_ACCEPTED when that is done, or when there is no ladder. Anything else is no reason to undo
 * the change.
 */
int nearmiss_record(const nearmiss *checker, const char *account, const void *password,
                    size_t password_bytes, const char *stored, struct nearmiss_answer *answer);

/* Closes what a checker opened. Nobody may use it any more. NULL is taken. */
void nearmiss_free(nearmiss *checker);

/* The stable code of a reason for logs, "near-dictionary" for instance; "none", or "other". Never NULL. */
const char *nearmiss_reason_code(int reason);

/* The version of the library, "1.1.0" for instance. */
const char *nearmiss_version(void);

#ifdef __cplusplus
}
#endif

#endif
