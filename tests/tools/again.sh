#!/bin/sh
# again.sh N [TEST...]   runs test programs N times beside two busy loops for each processor, and prints each
# failure: a test that fails by chance fails here. A TEST is a program of tests/tests (`languages`), or one
# program's tests whose names contain a text (`passwd::root_is`); without one, all programs are run. They are
# built once, by the profile that PROFILE names (test-fast). Exits 1 when anything failed.
set -u
cd "$(dirname "$0")/../.."
: "${CARGO:=cargo}"
runs=${1:-}
case $runs in '' | *[!0-9]* | 0)
    echo "usage: again.sh N [TEST...]" >&2
    exit 2
    ;;
esac
shift
[ $# -gt 0 ] || set -- $(cd tests/tests && ls -- *.rs | sed 's/\.rs$//')
: "${RUST_TEST_THREADS:=$((2 * $(nproc)))}"
export RUST_TEST_THREADS

folder=$(mktemp -d)
loops=
cleanup() {
    # shellcheck disable=SC2086  # a list of numbers
    [ -z "$loops" ] || kill $loops 2>/dev/null
    rm -rf "$folder"
}
trap cleanup EXIT
trap 'exit 130' HUP INT TERM

echo "building"
"$CARGO" test -p nearmiss-tests --profile "${PROFILE:-test-fast}" --no-run --tests \
    --message-format=json-render-diagnostics > "$folder/built" || exit 1
# What the tests would build themselves, beside the load and for each other.
"$CARGO" build --release -p pam-nearmiss -p filterctl -p nearmiss-capi || exit 1
for feature in panic-injection page-by-page; do
    "$CARGO" build -p pam-nearmiss --features "$feature" --target-dir "target/$feature" || exit 1
done
built() { # built PROGRAM: where it lies
    sed -n "s/.*\"target\":{\"kind\":\[\"test\"\][^}]*\"name\":\"$1\".*\"executable\":\"\([^\"]*\)\".*/\1/p" \
        "$folder/built"
}

number=0
while [ $number -lt $((2 * $(nproc))) ]; do
    # Even if this script is killed, none of them stays.
    setpriv --pdeathsig KILL sh -c 'while :; do :; done' &
    loops="$loops $!"
    number=$((number + 1))
done

failures() { # the failed tests with what they said; where none is named, how the program ended
    if grep -q '^failures:$' "$folder/log"; then
        sed -n '/^failures:$/,$p' "$folder/log"
    else
        tail -n 40 "$folder/log"
    fi
}

failed=0
done=0
run=1
while [ $run -le "$runs" ]; do
    for test in "$@"; do
        program=$(built "${test%%::*}")
        [ -n "$program" ] || { echo "again.sh: there is no tests/tests/${test%%::*}.rs" >&2; exit 2; }
        name=
        case $test in *::*) name=${test#*::} ;; esac
        done=$((done + 1))
        # shellcheck disable=SC2086  # no name at all where none is given
        (cd tests && "$program" $name) > "$folder/log" 2>&1 && continue
        failed=$((failed + 1))
        echo "== run $run of $runs: $test"
        failures
        echo "$test, run $run: $(sed -n 's/^test \(.*\) \.\.\. FAILED$/\1/p' "$folder/log" | tr '\n' ' ')" \
            >> "$folder/names"
    done
    echo "run $run of $runs done, failures: $failed"
    run=$((run + 1))
done

echo "$done runs of programs beside load, $failed failed"
[ $failed = 0 ] || sed 's/^/    /' "$folder/names"
[ $failed = 0 ]
