/* older_kernel RELEASE COMMAND...   runs it as the kernel RELEASE would: system calls and advice that came later
 * are answered as that kernel answers what it does not know. RELEASE is 4.18 (RHEL 8) or 5.10 (Debian 11). To be
 * started by root, so that a setuid program keeps its rights. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define POPULATE_READ 22
#define POPULATE_WRITE 23
/* The number of a call stands first; the low half of the third argument, of a little-endian machine, here. */
#define NUMBER offsetof(struct seccomp_data, nr)
#define ADVICE offsetof(struct seccomp_data, args[2])

/* Since 5.3, 5.3, 5.6, 5.6, 5.8, 5.9 and 5.10. */
static const int since_5[] = {SYS_pidfd_open,  SYS_clone3,      SYS_openat2,         SYS_pidfd_getfd,
                              SYS_faccessat2,  SYS_close_range, SYS_process_madvise};

int main(int count, char **words) {
    int is_4 = count > 2 && strcmp(words[1], "4.18") == 0;
    struct sock_filter filter[32];
    unsigned short length = 0;
    if (count < 3 || (!is_4 && strcmp(words[1], "5.10") != 0)) {
        fprintf(stderr, "usage: older_kernel 4.18|5.10 COMMAND...\n");
        return 127;
    }
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, NUMBER);
    for (size_t i = 0; is_4 && i < sizeof since_5 / sizeof *since_5; i++) {
        filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, since_5[i], 0, 1);
        filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
    }
    struct sock_filter advice[] = {
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ADVICE),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, POPULATE_READ, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, POPULATE_WRITE, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    memcpy(filter + length, advice, sizeof advice);
    length += sizeof advice / sizeof *advice;
    struct sock_fprog program = {length, filter};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        perror("older_kernel");
        return 127;
    }
    execvp(words[2], words + 2);
    perror(words[2]);
    return 127;
}
