/* What change.c and libpam.c share. */
struct transaction;
struct transaction *start_transaction(const char *user, const char *password);
void end_transaction(struct transaction *, int code);
