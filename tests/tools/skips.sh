#!/bin/sh
# skips.sh COMMAND...   runs the tests and fails when one was left out without a reason: ignored without
# saying why, or skipped with an empty one. Lists at the end what was left out and why, and last of all the
# tests that failed, each with its program.
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

failed=$(awk '
    function close_program() { if (is_wrong && !named) print "    " program ": ended without a result"
        is_wrong = named = 0 }
    /^ +Running .*\(.*\)$/ { close_program(); program = $NF; gsub(/.*\/|-[0-9a-f]+\)$/, "", program) }
    /^ +Doc-tests / { close_program(); program = "Doc-tests " $2 }
    /^test .* \.\.\. FAILED$/ { sub(/^test /, ""); sub(/ \.\.\. FAILED$/, "")
        print "    " program ": " $0; named = 1 }
    /^error: (doc)?test failed/ { is_wrong = 1 }
    END { close_program() }' "$log")
[ -z "$failed" ] || printf 'failed:\n%s\n' "$failed"
exit $status
