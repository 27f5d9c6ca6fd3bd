#!/bin/sh
# torture.sh [STEP...]: the long forms of the tests that look for trouble: damage, faults while writing,
# hostile callers, concurrency, memory, other machines, kernels that enforce. All steps, or these. As many run
# side by side as there are processors, but for one that makes load; each prints, when it ends, a line for
# each thing tried: cases tried, cases held. What cannot be done here says so after SKIPPED. Exits 1, with the
# failing test's own words, when something did not hold.
set -u
cd "$(dirname "$0")/../.." || exit 2
: "${CARGO:=cargo}"
export CARGO
began=$(date +%s)

# The longest begin first, so that no processor waits for one of them at the end.
all="other-machines stacks login-times fetches stores kernels migrate outputs fleet concurrency faults
    memory callers lists interleavings rates damage miri load"
# It has a hundred busy loops of its own, beside which the others would stand still.
alone=load

tests/tools/build.sh &&
    "$CARGO" build --release -p pam-nearmiss -p filterctl -p nearmiss-fetch -p nearmiss-agent || exit 1
export NEARMISS_BUILT="${CARGO_TARGET_DIR:-$PWD/target}/test-fast"

# run NUMBER STEP...: so many at a time
run() {
    number=$1
    shift
    printf '%s\n' "$@" | xargs -n 1 -P "$number" tests/tools/torture_step.sh || failed=1
}
failed=0
# shellcheck disable=SC2086  # words
[ $# -gt 0 ] || set -- $all
together=
last=
for step in "$@"; do
    if [ "$step" = "$alone" ]; then last=$step; else together="$together $step"; fi
done
# shellcheck disable=SC2086  # words
[ -z "$together" ] || run "$(nproc)" $together
[ -z "$last" ] || run 1 "$last"
echo "torture: $# steps in $(($(date +%s) - began)) s"
[ "$failed" = 0 ] || { echo "torture: something does not hold: see above" >&2; exit 1; }
