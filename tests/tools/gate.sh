#!/bin/sh
# gate.sh: what reads the code without running it: arrows between modules, Clippy, what loom compiles,
# rustdoc, licences and sources of all crates, lock files, and crates that nothing uses. Every check runs
# though one fails; the failed ones are named last, and the exit status is 1 then.
#
# A tool that is missing is built from the registry of crates into target/gate; TOOLS names another folder.
set -u
cd "$(dirname "$0")/../.." || exit 2
TOOLS=${TOOLS:-$PWD/target/gate}
PATH=$TOOLS/bin:$PATH
failed=

# stage NAME COMMAND...
stage() {
    name=$1
    shift
    echo "gate: $name"
    "$@" || failed="$failed $name"
}

lints() { cargo clippy --quiet --workspace --all-targets --profile test-fast -- -D warnings; }
# By the profile of the lints, which have checked the crates that it needs.
documents() {
    tests/tools/documents.sh --profile test-fast
}
# Advisories need a data base that is not in the registry.
crates() {
    tests/tools/install.sh cargo-deny "$DENY" && cargo deny check --hide-inclusion-graph bans licenses sources
}
# Compiled in its own way, so that no test and no lint reads it.
interleavings() {
    RUSTFLAGS='--cfg loom' CARGO_TARGET_DIR=target/loom \
        cargo check --quiet -p nearmiss-filters --profile test-fast --test loom
}
# The fuzz targets and the benchmarks have lock files of their own, which no other stage reads.
locks() {
    for folder in . tests/fuzz tests/benches; do
        cargo update --quiet --workspace --locked --manifest-path "$folder/Cargo.toml" || return 1
    done
}
unused() { tests/tools/install.sh cargo-machete "$MACHETE" && cargo machete; }

DENY=0.20.2
MACHETE=0.9.2

stage arrows tests/tools/arrows.py
stage chains tests/tools/chains.py
stage lints lints
stage interleavings interleavings
stage documents documents
stage crates crates
stage locks locks
stage unused unused

if [ -n "$failed" ]; then
    echo "gate: failed:$failed" >&2
    exit 1
fi
echo "gate: all passed"
