#!/bin/sh
# build-then-test.sh COMMAND...   runs the tests while the module and filterctl are built as they are
# shipped, beside them: linking takes a minute on one processor, in which the other compiles tests. Whoever
# needs them waits for cargo's lock, and tells what is wrong if they cannot be built.
set -u
: "${CARGO:=cargo}"
{
    "$CARGO" build --release -p pam-nearmiss -p filterctl
    for feature in panic-injection page-by-page; do
        "$CARGO" build -p pam-nearmiss --features "$feature" --target-dir "target/$feature"
    done
} >/dev/null 2>&1 &
"$@"
status=$?
wait
exit $status
