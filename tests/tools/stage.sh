#!/bin/sh
# stage.sh fast|shipped   runs one stage of the tests, and reports at its end: how long each part took, the
# ten slowest tests, what was skipped and why, what failed. Exits 1 when a test failed.
#
# fast: every test there is but the tests of the other stage, with the code that compiles soonest.
# shipped: module, filterctl and libnearmiss as the release profile builds them, the packages around them,
#   the demonstrations; and with that module the tests by the machine's own passwd once more, without the
#   panics: what panics on demand is compiled with debug assertions alone.
#
# Everything is built in one go before a test runs, with the features that all members together ask for:
# cargo would compile a crate again for each other set. With cargo-nextest, the tests of all programs run side
# by side; without it, cargo runs one program after the other.
set -u
cd "$(dirname "$0")/../.." || exit 2
: "${CARGO:=cargo}"
stage=${1:?usage: stage.sh fast|shipped}
target=${CARGO_TARGET_DIR:-$PWD/target}
fast=$target/test-fast
report=$target/stage-$stage
rm -rf "$report" && mkdir -p "$report"
: "${RUST_TEST_THREADS:=$((2 * $(nproc)))}"
export RUST_TEST_THREADS

# part NAME COMMAND...: its time goes into the report.
part() {
    name=$1
    shift
    echo "== $name"
    began=$(date +%s)
    "$@"
    status=$?
    echo "$name	$(($(date +%s) - began))" >> "$report/parts"
    return $status
}

# run ARGUMENT...: tests of the members that build built.
if "$CARGO" nextest --version > /dev/null 2>&1; then
    run() {
        rm -f "$target/nextest/default/junit.xml"
        "$CARGO" nextest run --workspace --cargo-profile test-fast --test-threads "$RUST_TEST_THREADS" "$@"
        status=$?
        cp "$target/nextest/default/junit.xml" "$report/" 2> /dev/null
        return $status
    }
    shipped_tests() {
        run -E 'binary(shipped) + (binary(e2e) & test(/^(passwd|retval|agreement)::/) - test(/::a_panic/))'
    }
else
    run() {
        { "$CARGO" test --workspace --no-fail-fast --profile test-fast "$@" 2>&1 ||
            echo "stage.sh: failed"; } | tee -a "$report/log"
        ! grep -qx 'stage.sh: failed' "$report/log"
    }
    shipped_tests() {
        run --test shipped
        run --test e2e -- passwd:: retval:: agreement:: --skip ::a_panic
    }
fi

failed=0
case $stage in
fast)
    others="--exclude nearmiss-shipped-tests"
    export NEARMISS_BUILT="$fast"
    # shellcheck disable=SC2086  # a list of options
    {
        part build tests/tools/build.sh || exit 1
        part tests run $others || failed=1
        part "tests in documentation" "$CARGO" test --doc --workspace --profile test-fast $others || failed=1
    }
    ;;
shipped)
    part "build of the tests" "$CARGO" build --workspace --profile test-fast \
        --lib --bins --tests --examples || exit 1
    part "build of what is shipped" "$CARGO" build --release -p pam-nearmiss -p filterctl -p nearmiss-capi &&
        crates/capi/link.sh "$target/release/libnearmiss.a" "$target/release/libnearmiss" || exit 1
    export NEARMISS_BUILT="$target/release" NEARMISS_PROGRAMS="$fast"
    part tests shipped_tests || failed=1
    ;;
*)
    echo "usage: stage.sh fast|shipped" >&2
    exit 2
    ;;
esac
tests/tools/summary.py "$report" || failed=1
exit $failed
