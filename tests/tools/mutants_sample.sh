#!/bin/sh
# mutants_sample.sh [PERCENT [SEED]]   runs a random part of the changes of the code that decides (see
# `areas`), 5 in 100 unless said otherwise. The seed is printed; with the same one and the same code the same
# changes are run. Exits 1 when one survives that no row of tests/MUTANTS.md has, 2 when nothing could be run.
#
# `make torture` calls this where cargo-mutants is installed, with MUTANTS_PERCENT in 100 where that is set.
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

areas='filters/src/{site,policy,storage,ladder}.rs filters/src/{site,policy,storage,ladder}/**
    pam-module/src/** capi/checker/src/** agent/src/** plugins/*/src/**
    filterctl/src/cmd/{hook,doctor,update,install}.rs filterctl/src/cmd/{hook,update}/**
    filterctl/src/doctor.rs filterctl/src/doctor/**'
set -f
set --
for area in $areas; do set -- "$@" --file "$area"; done
set +f
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# round OPTION...: writes the survivors that no row has to the file `new`
round() {
    tests/tools/mutants.sh "$@" >"$folder/log" 2>"$folder/errors"
    status=$?
    if [ $status -gt 1 ] || ! grep '^mutants: ' "$folder/log" >"$folder/sums"; then
        cat "$folder/log" "$folder/errors"
        exit 2
    fi
    sed 's/^mutants:/torture: mutants:/' "$folder/sums"
    sed '/^mutants: /d' "$folder/log" | tests/tools/mutants_known.py tests/MUTANTS.md >"$folder/known"
    head -n 1 "$folder/known"
    sed 1d "$folder/known" >"$folder/new"
}

echo "torture: mutants: $percent in 100 drawn with the seed $seed"
round --percent "$percent" --seed "$seed" "$@"
[ -s "$folder/new" ] || exit 0
# What the crates' own tests leave meets the tests that start the real passwd, sshd and redis-server.
cp "$folder/new" "$folder/left"
export END_TO_END=1
# These take their time, and one that is left out notices nothing.
round --only "$folder/left" --longest 180 --budget 900 --program fleet --program doctor \
    --program passwd --program guesses --program ladder --program capi --program decisions --program cli "$@"
cat "$folder/new"
[ ! -s "$folder/new" ]
