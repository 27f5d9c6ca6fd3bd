/* check CONFIGURATION USER: checks the new password on standard input, one line, by libnearmiss.
 *
 *     cc check.c $(pkg-config --cflags --libs nearmiss)
 *
 * Exits 0 if the password may be set, 1 with a sentence for the user if not, 2 if it was not checked: then it
 * must not be set either. A password is never an argument, which every process can read. */
#define _DEFAULT_SOURCE /* explicit_bzero */
#include <nearmiss.h>
#include <stdio.h>
#include <string.h>

int main(int count, char **arguments) {
    if (count != 3) {
        fprintf(stderr, "usage: check CONFIGURATION USER\n");
        return 2;
    }
    nearmiss *checker;
    struct nearmiss_answer answer = NEARMISS_ANSWER_INIT;
    /* Once in a program. A part that cannot be used is for the log: each check says so as well. */
    if (nearmiss_open(arguments[1], &checker, &answer) != NEARMISS_ACCEPTED)
        fprintf(stderr, "%s\n", answer.detail);

    char password[1024];
    setvbuf(stdin, NULL, _IONBF, 0); /* no copy in a buffer that is never wiped */
    if (!fgets(password, sizeof password, stdin)) return 2;
    password[strcspn(password, "\n")] = 0;

    struct nearmiss_question question = NEARMISS_QUESTION_INIT;
    question.password = password;
    question.password_bytes = strlen(password);
    question.user = arguments[2];
    int verdict = nearmiss_check(checker, &question, &answer);
    /* Every verdict but one refuses, also one that this program does not know. */
    if (verdict != NEARMISS_ACCEPTED)
        printf("%s [%s]\n", answer.sentence, nearmiss_reason_code(answer.reason));
    /* Not memset, which a compiler leaves out where nothing reads the buffer again. */
    explicit_bzero(password, sizeof password);
    nearmiss_free(checker);
    return verdict == NEARMISS_ACCEPTED ? 0 : verdict == NEARMISS_REJECTED ? 1 : 2;
}
