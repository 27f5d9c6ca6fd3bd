"""check.py CONFIGURATION USER: checks the new password on standard input, one line, by libnearmiss.

Exits 0 if the password may be set, 1 with a sentence for the user if not, 2 if it was not checked: then it
must not be set either. A password is never an argument, which every process can read.
"""

import sys

import nearmiss


def main() -> int:
    if len(sys.argv) != 3:
        print("usage: check.py CONFIGURATION USER", file=sys.stderr)
        return 2
    _, configuration, user = sys.argv
    password = sys.stdin.buffer.readline().rstrip(b"\n")
    try:
        # Once in a program: it notices by itself when a filter or the configuration is replaced.
        nearmiss.Checker(configuration).check(password, user=user)
    except nearmiss.Rejected as rejected:
        print(f"{rejected} [{rejected.code}]")
        return 1
    except nearmiss.Unusable as unusable:
        print(unusable.detail, file=sys.stderr)
        print(f"{unusable} [none]")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
