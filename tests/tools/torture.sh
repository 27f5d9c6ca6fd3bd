#!/bin/sh
# make torture: the long forms of the tests that look for trouble: damage, faults while writing, hostile
# callers, concurrency, memory. Prints one line for each thing tried: cases tried, cases held. What cannot
# be done here says so after SKIPPED. Exits 1, with the failing test's own words, when something did not
# hold.
set -u
cd "$(dirname "$0")/../.."
: "${CARGO:=cargo}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0
began=$(date +%s)

lines() { # what the tests report, also where the test's name stands before it on the line
    grep -oE '(torture|SKIPPED): .*' "$log" | sort -u
}

run() { # run HEADLINE COMMAND...
    echo "$1"
    shift
    if "$@" >"$log" 2>&1; then
        lines | sed 's/^/  /'
    else
        lines | sed 's/^/  /'
        echo "  DOES NOT HOLD:"
        grep -E -A 1 ' FAILED$|panicked at' "$log" | sed 's/^/    /'
        grep -vE '^ +(Compiling|Blocking|Finished|Running)' "$log" | tail -n 40 | sed 's/^/    /'
        failed=1
    fi
}

# tests PACKAGE PROGRAM [FILE...]: short and long forms of the tests in these files, one after the other; what
# only measures is make bench's
tests() {
    package=$1
    program=$2
    shift 2
    for name in "$@"; do set -- "$@" "$name::"; shift; done
    $CARGO test -p "$package" --profile test-fast --test "$program" -- --include-ignored --nocapture \
        --test-threads=1 --skip rate_and_latency "$@"
}

run "1. damage" tests nearmiss-filters library damage evil ladder_damage
run "   configurations" tests nearmiss-policy policy evil
run "2. faults while writing" tests nearmiss-tests e2e crash
run "   what says done, and what is planted under outputs" tests filterctl cli done outputs
run "   what is planted under the laboratory's outputs" tests filterlab lab outputs
run "   bad servers, and fetches that are killed" tests nearmiss-fetch fetch
# Callers mostly wait for a prompt: meanwhile the library is built for the other machines.
others=$(mktemp)
trap 'rm -f "$log" "$others"' EXIT
on_each() {
    status=0
    for name in musl s390x arm64 armhf riscv64 ppc64el; do
        tests/tools/other_machines.sh "$name" || status=1
    done
    return $status
}
on_each >"$others" 2>&1 &
other_machines=$!
other_machines() { # their result
    wait "$other_machines"
    status=$?
    cat "$others"
    return $status
}
run "3. hostile callers, and a week of audit" tests nearmiss-tests e2e hostile odd_input rollout migrate
run "   stacks of PAM, and copies of the machine that are killed" tests nearmiss-tests e2e stacks doctor
run "4. concurrency" tests nearmiss-tests e2e storm guesses capi
run "   every interleaving" env RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR=target/loom \
    "$CARGO" test -p nearmiss-filters --profile test-fast --test loom -- --nocapture
run "   a fleet whose nodes come and go" tests nearmiss-fleet-tests fleet
run "   the same with the servers of Debian 13" tests/tools/stores.sh
run "5. memory" tests nearmiss-tests e2e cycles memory
run "6. strong passwords and accidents" tests nearmiss-policy policy structure_rates

miri() { # miri [OPTION...]
    "$CARGO" +nightly miri test -p nearmiss-filters -p nearmiss-policy --lib "$@"
}
if "$CARGO" +nightly miri --version >/dev/null 2>&1; then
    run "   miri" miri
    run "   miri, big endian" miri --target s390x-unknown-linux-gnu
else
    echo "  SKIPPED: miri is not installed (rustup +nightly component add miri rust-src)"
fi
run "   other machines" other_machines
enforced() {
    $CARGO build --release -p pam-nearmiss -p filterctl && packaging/tests/enforcing.sh
}
run "   AppArmor and SELinux, enforced by a kernel" enforced
units() {
    $CARGO build --release -p pam-nearmiss -p filterctl -p nearmiss-fetch -p nearmiss-agent &&
        packaging/tests/units.sh
}
run "   the units of the packages, started by systemd" units

echo "done in $(($(date +%s) - began)) s"
exit $failed
