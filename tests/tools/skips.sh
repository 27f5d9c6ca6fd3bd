#!/bin/sh
# skips.sh COMMAND...   runs the tests and fails when one was left out without a reason: ignored without
# saying why, or skipped with an empty one. Lists at the end what was left out and why.
set -u
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
{ "$@" 2>&1 || echo "skips.sh: the tests failed"; } | tee "$log"
grep -qx 'skips.sh: the tests failed' "$log" && status=1

if grep -nE '^test .* \.\.\. ignored$|SKIPPED: *$' "$log"; then
    echo "left out without a reason, see above"
    status=1
fi
left=$(grep -oE 'SKIPPED: .*|^test .* ignored, .*' "$log" |
    sed -E 's/^test .* ignored, /ignored: /' | sort | uniq -c)
[ -z "$left" ] || printf 'left out, with reasons:\n%s\n' "$left"
exit $status
