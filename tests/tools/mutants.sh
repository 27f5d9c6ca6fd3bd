#!/bin/sh
# mutants.sh [OPTION…]   changes filters/ and pam-module/ in one place at a time and runs the tests on each change: what none of them
# notices is a gap in the tests, or has its reason in .cargo/mutants.toml. Options are those of cargo-mutants; thousands of changes
# take hours, so name some: --file 'filters/src/policy/*', --shard 0/20, --list. Exits 1 when a change survives.
set -u
cd "$(dirname "$0")/../.."
: "${CARGO:=cargo}"
if ! "$CARGO" mutants --version >/dev/null 2>&1; then
    echo "make mutants needs cargo-mutants, which is not installed: cargo install cargo-mutants --locked" >&2
    exit 2
fi
CARGO_TARGET_DIR=$(realpath -m "${CARGO_TARGET_DIR:-target}")
export CARGO_TARGET_DIR
report=$CARGO_TARGET_DIR/mutants-report
rm -rf "$report"
mkdir -p "$report"

round() { # round NAME OPTION... : one line for each change that survives, and the sums at the end
    name=$1
    shift
    mkdir "$report/$name"
    "$CARGO" mutants --jobs 1 --no-shuffle --colors never --output "$report/$name" "$@"
    case $? in
    0 | 2 | 3) ;; # all caught, some survived, some timed out
    *) echo "mutants: the round \"$name\" could not be run, see above" >&2; exit 2 ;;
    esac
}

missed() { # what survived a round
    cat "$report/$1/mutants.out/missed.txt" 2>/dev/null
}

# The unit tests of the package that is changed.
round module --package pam-nearmiss "$@"
round filters --package nearmiss-filters "$@"

# What survives them in filters/ meets the integration tests that take seconds.
if [ -n "$(missed filters)" ]; then
    missed filters | sed 's/[][\.*^$()+?{}|]/\\&/g; s/.*/^&$/' >"$report/names"
    set --
    for name in golden damage evil breach build updates neighbours ladder_files ladder_damage ladder_golden; do
        set -- "$@" --cargo-arg "--test=$name"
    done
    while read -r name; do set -- "$@" --re "$name"; done <"$report/names"
    round again --package nearmiss-filters "$@"
    missed again >"$report/survived"
fi
missed module >>"$report/survived"

# A file that cannot be read here is of a round that had nothing to do.
count() { cat "$report"/*/mutants.out/"$1".txt 2>/dev/null | sort -u | wc -l; }
echo "mutants: $(count caught) caught, $(count timeout) timed out, $(count unviable) that do not compile, $(wc -l <"$report/survived") survived"
[ ! -s "$report/survived" ] || { cat "$report/survived"; exit 1; }
