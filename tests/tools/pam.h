/* What the programs of this folder use of libpam: none of its headers are needed. */
#define PROMPT_ECHO_OFF 1
#define CONV_ERR 19
#define RHOST 4

struct pam_message { int style; const char *text; };
struct pam_response { char *text; int code; };
struct pam_conv { int (*converse)(int, const struct pam_message **, struct pam_response **, void *); void *data; };
typedef struct pam_handle pam_handle_t;
int pam_start_confdir(const char *, const char *, const struct pam_conv *, const char *, pam_handle_t **);
int pam_set_item(pam_handle_t *, int, const void *);
int pam_authenticate(pam_handle_t *, int);
int pam_chauthtok(pam_handle_t *, int);
int pam_end(pam_handle_t *, int);
