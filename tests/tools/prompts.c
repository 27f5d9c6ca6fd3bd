/* prompts.so: a module that prompts for a new password, as pam_pwhistory and pam_pwquality do, and judges none. */
#define PRELIM 0x4000
#define AUTHTOK 6
#define SUCCESS 0

typedef struct pam_handle pam_handle_t;
int pam_get_authtok(pam_handle_t *, int, const char **, const char *);

int pam_sm_chauthtok(pam_handle_t *handle, int flags, int count, const char **arguments) {
    const char *password;
    (void)count, (void)arguments;
    return flags & PRELIM ? SUCCESS : pam_get_authtok(handle, AUTHTOK, &password, 0);
}
