#!/bin/sh
# mutants.sh [OPTION…]   cargo-mutants on the lines of git's files that differ from where this branch left
# BASE (main): each is changed in one place at a time, and the tests of its crate run. Exits 2 when no test
# notices a change; what none can notice is in .cargo/mutants.toml. OPTION is one of cargo-mutants.
#
# The changes are made in a copy of the tree, in target/mutants, where the reports are left, too.
set -eu
cd "$(dirname "$0")/../.."
MUTANTS=27.1.0
tests/tools/install.sh cargo-mutants "$MUTANTS"
PATH=${TOOLS:-$PWD/target/gate}/bin:$PATH
folder=$PWD/target/mutants

rm -rf "$folder/tree"
mkdir -p "$folder/tree"
git ls-files -z --cached --others --exclude-standard |
    tar --null --ignore-failed-read --files-from=- -cf - 2>/dev/null | tar -C "$folder/tree" -xf -
git diff "$(git merge-base "${BASE:-main}" HEAD)" >"$folder/lines.diff"
export CARGO_TARGET_DIR="$folder/build"
exec cargo mutants --in-place --dir "$folder/tree" --output "$folder" --in-diff "$folder/lines.diff" "$@"
