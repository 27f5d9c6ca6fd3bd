#!/bin/sh
# make coverage: the lines of crates/filters and pam-module/ that their own tests run, by the compiler's
# instrumentation. Prints a line for each file and the sums; exits 1 when less than 95 % of the lines of
# crates/filters are run.
set -eu
cd "$(dirname "$0")/../.."
: "${CARGO:=cargo}"
version=$(rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
for program in llvm-profdata llvm-cov; do
    command -v "$program-$version" >/dev/null ||
        { apt-get update -qq && apt-get install -y -qq "llvm-$version"; }
done

target=${CARGO_TARGET_DIR:-target}/coverage
rm -rf "$target/profiles"
export RUSTFLAGS="-C instrument-coverage" LLVM_PROFILE_FILE="$PWD/$target/profiles/%p-%m.profraw"
packages="-p nearmiss-filters -p nearmiss-policy -p pam-nearmiss"
# shellcheck disable=SC2086  # words
tests() { "$CARGO" test $packages --profile test-fast --lib --tests --target-dir "$target" "$@"; }
binaries=$(tests --no-run --message-format=json 2>/dev/null | sed -n 's/.*"executable":"\([^"]*\)".*/\1/p')
# Tests that do the same many million times are left out: counting makes them ten times slower.
tests -- --skip entry_is_within --skip a_million_fresh >"$target/log" 2>&1 ||
    { tail -n 40 "$target/log"; exit 1; }

"llvm-profdata-$version" merge -sparse -o "$target/all.profdata" "$target"/profiles/*.profraw
set --
for binary in $binaries; do set -- "$@" --object "$binary"; done
"llvm-cov-$version" report --instr-profile "$target/all.profdata" \
    --show-region-summary=false --show-branch-summary=false \
    --ignore-filename-regex='/(registry|rustc|rustlib)/|/tests/|/tests\.rs|scripted\.rs|_tests\.rs' "$@" |
    awk -v tree="$PWD/" '
        NF >= 7 { sub(tree, "", $1); name = $1; lines = $5; missed = $6
            if (sub(/^crates\//, "", name) || name ~ /^pam-module\//) {
                split(name, part, "/"); all[part[1]] += lines; not_run[part[1]] += missed
                share = lines ? 100 * (lines - missed) / lines : 100
                printf "%-50s %6d lines, %5.1f %%\n", name, lines, share } }
        END { for (crate in all) { share = 100 * (all[crate] - not_run[crate]) / all[crate]
                printf "coverage %s: %d lines, %.1f %% run\n", crate, all[crate], share
                if (crate == "filters" && share < 95) bad = 1 }
            exit bad }'
