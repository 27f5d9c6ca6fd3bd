#!/bin/sh
# build-then-test.sh COMMAND...   runs the tests beside a build of the module and filterctl as they are
# shipped: linking takes a minute on one processor, in which the other compiles tests. A test that needs the
# shipped files waits for cargo's lock, and reports the fault if they cannot be built.
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
