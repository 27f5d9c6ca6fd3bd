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
 *       refuse(answer.sentence);                      with any other verdict it must not be set
 *
 *   nearmiss_free(checker);
 *
 * DESCRIPTION
 *   The library checks a password as the PAM module pam_nearmiss(8) does, by the same configuration
 *   (nearmiss.conf(5)). It must be able to read the filters: root can, and so can the members of the group
 *   nearmiss. A server that cannot receives NEARMISS_UNUSABLE, never an acceptance.
 *
 *   Every function may be called from any thread at any time, and after fork(2). Nothing waits for a lock,
 *   forks, executes, opens a connection, reads the environment, changes the locale, or writes to the
 *   terminal or the system log. No copy of a password is left in memory or in any returned text.
 *   The administrator can configure one exception: with "servers = true" in the section [fleet] of
 *   nearmiss.conf(5), a check that finds no other fault, in a process of root, connects to the socket of
 *   this host's agent and waits at most 50 ms for each reply.
 *
 *   The next check notices a replaced filter, ladder or configuration. A checker keeps the files it has
 *   opened when its program drops its privileges or enters a chroot.
 *
 *   The numbers and structures below keep their meaning as long as the library is called
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

/* An opened configuration, with its filters and ladders. */
typedef struct nearmiss nearmiss;

/* The verdict about a password. It may be set only with NEARMISS_ACCEPTED. */
enum nearmiss_verdict {
    NEARMISS_ACCEPTED = 0, /* it may be set; for nearmiss_record, it is counted if necessary */
    NEARMISS_REJECTED = 1, /* it must not be set: see reason and sentence */
    NEARMISS_UNUSABLE = 2, /* it was not checked: a filter, for instance, cannot be used; see detail */
    NEARMISS_INVALID = 3,  /* an argument is invalid; see detail */
    NEARMISS_FAULT = 4     /* the library failed; see detail */
};

/* The reason why a password is rejected. */
enum nearmiss_reason {
    NEARMISS_NONE = 0,              /* it is not rejected */
    NEARMISS_EMPTY = 1,             /* it has no characters */
    NEARMISS_TOO_LONG = 2,          /* it has more than 511 bytes */
    NEARMISS_TOO_SHORT = 3,         /* it has fewer characters than the policy requires */
    NEARMISS_NEAR_USER_NAME = 4,    /* it is the user name, or one edit away from it */
    NEARMISS_NEAR_REAL_NAME = 5,    /* it is a word of the GECOS field, or one edit away from one */
    NEARMISS_NEAR_HOST_NAME = 6,    /* it is the host name, or one edit away from it */
    NEARMISS_NEAR_OLD_PASSWORD = 7, /* it is the old password, or one edit away from it */
    NEARMISS_DICTIONARY = 8,        /* it is in a dictionary, perhaps disguised */
    NEARMISS_NEAR_DICTIONARY = 9,   /* it is one edit away from a word, or two from a long one */
    NEARMISS_BREACHED = 10,         /* it is in a list of leaked passwords */
    NEARMISS_TOO_COMMON_HERE = 11,  /* several people on this system chose it already */
    NEARMISS_GUESSED_HERE = 12,     /* attackers are guessing it on this system */
    NEARMISS_DIGITS = 13,           /* it has only digits */
    NEARMISS_PATTERN = 14,          /* it is a repetition, or a run of letters, digits or keys */
    NEARMISS_TWO_WORDS = 15,        /* it is two words of dictionaries */
    NEARMISS_MOSTLY_WORD = 16,      /* it is a word of a dictionary and a few more characters */
    NEARMISS_FORBIDDEN_WORD = 17,   /* it contains a word that the site forbids, or one edit away from one */
    NEARMISS_FEW_LETTERS = 18,      /* it is a few letters and a number, a date or a run */
    NEARMISS_OTHER = 255            /* a reason that this header does not know */
};

/*
 * The input of a check. Begin with NEARMISS_QUESTION_INIT and set the members that you know.
 *
 *   password       the new password, any bytes; not null-terminated. Bytes beyond the first 512 are not read:
 *                  a password of more than 511 is rejected.
 *   old_password   the password that it replaces, if it was typed; NULL if it is unknown.
 *   user           the user name; NULL if there is none.
 *   gecos          the GECOS field, or only the real name; NULL if it is unknown.
 *                  user and gecos may contain further names, each on a separate line: other names of the
 *                  account and the person (a principal, an address). The names in gecos count as a whole and
 *                  in words.
 *   host           a host name, with or without its domain; NULL means this machine's, "" none.
 *   language       the language of the answer's sentence, as in RFC 5646 ("de", "pt-BR"); NULL and unknown
 *                  languages mean English.
 *
 * Strings end with a null byte and may have any encoding; the first 4096 bytes are read. Nothing is stored.
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
 * The result; each call writes all of its members. Begin with NEARMISS_ANSWER_INIT.
 *
 *   verdict    the return value of the function: enum nearmiss_verdict.
 *   reason     enum nearmiss_reason; NEARMISS_NONE unless the verdict is NEARMISS_REJECTED.
 *   sentence   for the user: a clause in UTF-8, in English unless the question has a language, such as "it is
 *              one or two characters away from a dictionary word; choose several unrelated words". Empty for
 *              a password that is accepted.
 *   detail     for the administrator's log, never for the user: the file that cannot be used and the reason,
 *              with a key in brackets, which the page troubleshoot.md explains. An accepted password has one
 *              if on_error = "allow" accepted it without a part of the check.
 *              That the process may not read the ladders, which only root may read, is reported once for each
 *              checker: in the answer of nearmiss_open, or of the first check.
 *
 * Neither text contains any part of the password. Both are one line and end with a null byte.
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
 * Opens a configuration with its filters and ladders.
 *
 *   configuration   an absolute path; NULL for /etc/security/nearmiss.conf, which may be missing: then its
 *                   defaults apply.
 *   checker         receives the handle; it is NULL with NEARMISS_INVALID and NEARMISS_FAULT.
 *   answer          names the part that cannot be used; may be NULL.
 *
 * Returns NEARMISS_ACCEPTED if passwords can be checked. With NEARMISS_UNUSABLE there is a handle as well:
 * its checks return the same until the administrator has fixed the cause in the detail, which they notice.
 */
int nearmiss_open(const char *configuration, nearmiss **checker, struct nearmiss_answer *answer);

/*
 * Checks a password. Changes nothing. If this system has a ladder of chosen passwords and the process may
 * read it, a password that no other rule rejects takes about as much time as a login.
 *
 *   answer   may be NULL for a caller that only needs the verdict.
 */
int nearmiss_check(const nearmiss *checker, const struct nearmiss_question *question,
                   struct nearmiss_answer *answer);

/*
 * Counts a password that was set in the ladder of chosen passwords, so that a password that several people
 * chose is rejected for the next. Only root can do this; an account counts once a day, in addition to
 * passwords that root sets by PAM, and neither the account nor the password can be read from the ladder.
 *
 *   account   the account's name.
 *   stored    the hash that is now stored for the password, so that it is only counted once; NULL if it is
 *             unknown.
 *   answer    its detail reports the result; may be NULL.
 *
 * Returns NEARMISS_ACCEPTED if that is done, or if there is no ladder. Anything else is not a reason to undo
 * the change.
 */
int nearmiss_record(const nearmiss *checker, const char *account, const void *password,
                    size_t password_bytes, const char *stored, struct nearmiss_answer *answer);

/* Closes and frees a checker, which must not be used any more. NULL is allowed. */
void nearmiss_free(nearmiss *checker);

/* The stable code of a reason for logs, "near-dictionary" for instance; "none", or "other". Never NULL. */
const char *nearmiss_reason_code(int reason);

/* The version of the library, "1.0.0" for instance. */
const char *nearmiss_version(void);

#ifdef __cplusplus
}
#endif

#endif
