#!/bin/sh
# mutants.sh [OPTION…]   changes the library, the module, the checker, the agent and filterctl in one place at
# a time and runs the tests on each change: what none of them notices is a gap in the tests, or has its row in
# tests/MUTANTS.md. Options belong to cargo-mutants; all 9,000 changes take days, so name some:
# --file 'filters/src/policy/*', --shard 0/20, --list. Exits 1 when a change survives.
#
# A change costs the time to compile the crate once more and to run the tests, so the cheap tests come first:
#   1. without optimisation, the unit tests that take less than a second each: the ladder's for a change in
#      the ladder, the dictionary's for one in the dictionary, all but the ladder's for the rest of filters/;
#   2. what survives, with optimisation, meets all unit tests and the integration tests that take seconds.
# The reports stay in target/mutants-report until the next run; MUTANTS_DIR names another folder, which must
# not exist yet.
set -u
cd "$(dirname "$0")/../.."
: "${CARGO:=cargo}"
if ! "$CARGO" mutants --version >/dev/null 2>&1; then
    echo "make mutants needs cargo-mutants, which is not installed: cargo install cargo-mutants --locked" >&2
    exit 2
fi
CARGO_TARGET_DIR=$(realpath -m "${CARGO_TARGET_DIR:-target}")
export CARGO_TARGET_DIR
report=${MUTANTS_DIR:-$CARGO_TARGET_DIR/mutants-report}
[ -n "${MUTANTS_DIR:-}" ] || rm -rf "$report"
mkdir -p "$(dirname "$report")" && mkdir "$report" || exit 2

slow="lines_raise_the_false_positives merging_is_counting_together at_the_limit_the_count_is_exact
    close_beyond_it false_positives_are_those_of_independent_positions all_threads_together_keep_the_balance
    threads_do_not_change_the_findings header::tests::every_flipped_bit_is_found"
skip=
for name in $slow; do skip="$skip --skip $name"; done

# round NAME OPTION... [-- TEST-OPTION...]: one line for each change that survives, and the sums at the end
round() {
    name=$1
    shift
    mkdir "$report/$name"
    "$CARGO" mutants --jobs 1 --no-shuffle --colors never --output "$report/$name" "$@"
    case $? in
    0 | 2 | 3) ;; # all caught, some survived, some timed out
    *) echo "mutants: the round \"$name\" could not be run, see above" >&2; exit 2 ;;
    esac
}

missed() { # what survived these rounds
    for name in "$@"; do cat "$report/$name/mutants.out/missed.txt" 2>/dev/null; done
}

# shellcheck disable=SC2086  # a list of words
{
    round module --package pam-nearmiss "$@"
    round checker --package nearmiss-checker "$@"
    round agent --package nearmiss-agent "$@"
    round filterctl --package filterctl "$@" --cargo-arg --test=cli
    round ladder --package nearmiss-filters --exclude 'filters/src/[!l]*' --exclude 'filters/src/[!l]*/**' \
        --exclude filters/src/lib.rs "$@" -- -- ladder:: $skip
    round dictionary --package nearmiss-filters --exclude 'filters/src/[!d]*' \
        --exclude 'filters/src/[!d]*/**' --exclude filters/src/digrams.rs "$@" -- -- dictionary:: $skip
    round rest --package nearmiss-filters --exclude 'filters/src/{ladder,dictionary}.rs' \
        --exclude 'filters/src/{ladder,dictionary}/**' "$@" -- -- --skip ladder:: $skip
}

if [ -n "$(missed ladder dictionary rest)" ]; then
    missed ladder dictionary rest | sed 's/[][\.*^$()+?{}|]/\\&/g; s/.*/^&$/' >"$report/names"
    set --
    tests="golden damage evil breach build updates neighbours ladder_files ladder_damage
        whole_check"
    for name in $tests; do
        set -- "$@" --cargo-arg "--test=$name"
    done
    while read -r name; do set -- "$@" --re "$name"; done <"$report/names"
    export CARGO_PROFILE_MUTANTS_OPT_LEVEL=1
    # This test alone takes as long as all others together; it measures a rate.
    round again --package nearmiss-filters "$@" -- -- --skip lines_raise_the_false_positives
    missed again >"$report/survived"
fi
missed module checker agent filterctl >>"$report/survived"

# A file that cannot be read here is of a round that had nothing to do.
count() { cat "$report"/*/mutants.out/"$1".txt 2>/dev/null | sort -u | wc -l; }
echo "mutants: $(count caught) caught, $(count timeout) timed out, $(count unviable) that do not compile," \
    "$(wc -l <"$report/survived") survived"
[ ! -s "$report/survived" ] || { cat "$report/survived"; exit 1; }
