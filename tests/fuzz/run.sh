#!/bin/sh
# tests/fuzz/run.sh SECONDS [TARGET…]   gives each target so many seconds of libFuzzer, on the stable
# compiler, with AddressSanitizer.
#
# The first inputs are tests/fuzz/seeds, the golden files and the evil files, which a test makes; what
# libFuzzer finds interesting goes to tests/fuzz/corpus, which is not kept. Prints one line a target: inputs
# tried, and whether all held. Exits 1 when one did not; the input is then in tests/fuzz/artifacts. On a quiet
# machine each input takes less than a second (Argon2 is not among the targets); ten are allowed, since the
# clock also runs while other programs do. The process may take 1 GiB.
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:?seconds for each target}
shift

evil=$PWD/target/evil
EVIL_FILES=$evil cargo test --quiet -p nearmiss-filters -p nearmiss-policy --profile test-fast \
    evil:: >/dev/null
command -v cargo-fuzz >/dev/null || cargo install cargo-fuzz --locked
# cargo-fuzz asks for unstable flags of the compiler (coverage, sanitizer), which the stable one has under
# this name.
export RUSTC_BOOTSTRAP=1
targets=${*:-$(cargo fuzz list --fuzz-dir tests/fuzz)}

further() { # where else a target's inputs come from
    case $1 in
    header) echo crates/filters/tests/golden "$evil" ;;
    ladder | configuration) echo "$evil" ;;
    esac
}

sanitizer() { # the sanitizer's options for a target
    case $1 in
    # These build filters, which starts and ends threads. glibc allocates the list of destructors that a
    # thread runs at its end and frees it then: LeakSanitizer, which may look in between, sometimes reports
    # it as a leak.
    neighbourhood | policy) echo "detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}" ;;
    *) echo "${ASAN_OPTIONS:-}" ;;
    esac
}

build() { cargo fuzz build --fuzz-dir tests/fuzz; }
build >/dev/null 2>&1 || { build; echo "fuzz: the targets cannot be built"; exit 1; }

failed=0
for target in $targets; do
    mkdir -p "tests/fuzz/corpus/$target"
    log=$(mktemp)
    # shellcheck disable=SC2046  # a list of folders
    if ASAN_OPTIONS=$(sanitizer "$target") cargo fuzz run --fuzz-dir tests/fuzz \
        "$target" "tests/fuzz/corpus/$target" "tests/fuzz/seeds/$target" $(further "$target") -- \
        -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 -verbosity=0 \
        >"$log" 2>&1; then
        tried=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        slowest=$(sed -n 's/^stat::slowest_unit_time_sec: *//p' "$log")
        memory=$(sed -n 's/^stat::peak_rss_mb: *//p' "$log")
        echo "fuzz $target: $tried tried, $tried held (slowest ${slowest} s, ${memory} MiB)"
    else
        tail -n 60 "$log"
        echo "fuzz $target: DOES NOT HOLD, see above"
        failed=1
    fi
    rm -f "$log"
done
exit $failed
