#!/bin/sh
# torture_step.sh STEP: runs one step of torture.sh, which has built what it needs, and prints what was tried.
# Exits 1, with the failing tests' own words, when something did not hold; 2 when there is no such step.
set -u
cd "$(dirname "$0")/../.." || exit 2
: "${CARGO:=cargo}"
step=${1:?usage: torture_step.sh STEP}
began=$(date +%s)
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# What only measures is make bench's. A step adds what is a step of its own.
left_out=rate_and_latency

# tests PROGRAM [FILE...]: short and long forms of the tests in these files, one after the other
tests() {
    program=$1
    shift
    for name in "$@"; do set -- "$@" "$name::"; shift; done
    for name in $left_out; do set -- "$@" --skip "$name"; done
    "$CARGO" test --workspace --exclude nearmiss-shipped-tests --profile test-fast --test "$program" -- \
        --include-ignored --nocapture --test-threads=1 "$@"
}

both() { # both COMMAND COMMAND: the second one also where the first one fails
    "$1"
    first=$?
    "$2" && return $first
}

filters_damage() { tests library damage evil ladder_damage; }
policy_damage() { tests policy evil; }
own_outputs() { tests cli "done" outputs; }
laboratory_outputs() { tests lab outputs; }
interleavings() {
    RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/loom" \
        "$CARGO" test -p nearmiss-filters --profile test-fast --test loom -- --nocapture
}
other_machines() {
    status=0
    for name in musl s390x arm64 armhf riscv64 ppc64el; do
        tests/tools/other_machines.sh "$name" || status=1
    done
    return $status
}

case $step in
damage) set -- "damage of files and configurations" both filters_damage policy_damage ;;
faults) set -- "faults while writing" tests e2e crash ;;
outputs)
    set -- "what says done, and what is planted under outputs" both own_outputs laboratory_outputs
    ;;
lists) set -- "lists in many forms" tests generated_lists ;;
fetches) set -- "bad servers, and fetches that are killed" tests fetch ;;
callers) set -- "hostile callers, and a week of audit" tests e2e hostile odd_input rollout ;;
migrate) set -- "what other modules accept" tests e2e migrate ;;
stacks) set -- "stacks of PAM, and copies of the machine that are killed" tests e2e stacks doctor ;;
concurrency) set -- "concurrency" tests e2e storm guesses capi ;;
interleavings) set -- "every interleaving" interleavings ;;
fleet)
    left_out="$left_out login_times:: under_load::"
    set -- "a fleet whose nodes come and go" tests fleet
    ;;
login-times) set -- "the time of failed logins" tests fleet login_times ;;
load) set -- "a fleet beside busy loops" tests fleet under_load ;;
stores) set -- "the same with the servers of Debian 13" tests/tools/stores.sh ;;
memory) set -- "memory" tests e2e cycles memory ;;
rates) set -- "strong passwords and accidents" tests policy structure_rates ;;
miri) set -- "undefined behaviour, looked for by miri" tests/tools/miri.sh ;;
other-machines) set -- "other machines" other_machines ;;
kernels)
    # One after the other: they wait for each other's cache.
    set -- "AppArmor and SELinux enforced, units started by systemd" \
        both packaging/tests/enforcing.sh packaging/tests/units.sh
    ;;
*)
    echo "torture_step.sh: there is no step '$step'" >&2
    exit 2
    ;;
esac
headline=$1
shift

"$@" > "$log" 2>&1
status=$?
# A file of tests that was renamed would leave a step that cannot fail.
! grep -qx 'running 0 tests' "$log" || status=1
said=$(
    echo "$step: $headline ($(($(date +%s) - began)) s)"
    # Also where the test's name stands before it on the line.
    grep -oE '(torture|SKIPPED): .*' "$log" | sort -u | sed 's/^/  /'
    if [ "$status" != 0 ]; then
        echo "  DOES NOT HOLD:"
        grep -E -A 1 ' FAILED$|panicked at' "$log" | sed 's/^/    /'
        grep -vE '^ +(Compiling|Blocking|Finished|Running)' "$log" | tail -n 40 | sed 's/^/    /'
    fi
)
# In one piece beside what the other steps print.
printf '%s\n' "$said"
[ "$status" = 0 ]
