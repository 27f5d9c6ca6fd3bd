#!/bin/sh
# mutants_sample.sh [PERCENT [SEED]]   runs a random part of the changes of the code that decides (see
# `areas`), 5 in 100 unless said otherwise. The seed is printed; with the same one and the same code the same
# changes are run. Exits 1 when one survives that no row of tests/MUTANTS.md has, 2 when nothing could be run.
#
# Five in 100 take hours on two processors: `make torture` calls this where cargo-mutants is installed, with
# MUTANTS_PERCENT in 100 where that is set.
set -u
cd "$(dirname "$0")/../.."
: "${CARGO:=cargo}"
percent=${1:-5}
seed=${2:-$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}
case $percent$seed in *[!0-9]*)
    echo "usage: mutants_sample.sh [PERCENT [SEED]]" >&2
    exit 2
    ;;
esac
if ! "$CARGO" mutants --version >/dev/null 2>&1; then
    echo "SKIPPED: cargo-mutants is not installed (cargo install cargo-mutants --locked)"
    exit 0
fi
CARGO_TARGET_DIR=$(realpath -m "${CARGO_TARGET_DIR:-target}")
export CARGO_TARGET_DIR

areas='filters/src/{site,policy,storage,ladder}.rs filters/src/{site,policy,storage,ladder}/**
    pam-module/src/** capi/checker/src/** agent/src/**
    filterctl/src/cmd/{hook,doctor,update,install}.rs filterctl/src/cmd/{hook,update}/**
    filterctl/src/doctor.rs filterctl/src/doctor/**'
set -f
set --
for area in $areas; do set -- "$@" --file "$area"; done
set +f
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$CARGO" mutants --list --workspace "$@" >"$folder/all" || exit 2
awk -v seed="$seed" -v percent="$percent" 'BEGIN { srand(seed) } rand() * 100 < percent' "$folder/all" \
    >"$folder/drawn"
echo "torture: mutants: $(wc -l <"$folder/drawn") of $(wc -l <"$folder/all") drawn with the seed $seed"
[ -s "$folder/drawn" ] || exit 0

# cargo-mutants takes every deleted field for named, whatever `--re` says: only the drawn changes are judged,
# and `--file` keeps it to their files.
set --
sed 's/:.*//' "$folder/drawn" | sort -u >"$folder/files"
while read -r file; do set -- "$@" --file "$file"; done <"$folder/files"
sed 's/[][\.*^$()+?{}|]/\\&/g; s/.*/^&$/' "$folder/drawn" >"$folder/names"
while read -r name; do set -- "$@" --re "$name"; done <"$folder/names"
MUTANTS_DIR=$folder/report tests/tools/mutants.sh "$@" >"$folder/log" 2>&1
status=$?
if [ $status -gt 1 ] || ! grep '^mutants: .* survived$' "$folder/log" >"$folder/sums"; then
    cat "$folder/log"
    exit 2
fi
sed 's/^mutants:/torture: mutants:/' "$folder/sums"
grep -Fxf "$folder/drawn" "$folder/report/survived" | tests/tools/mutants_known.py tests/MUTANTS.md
