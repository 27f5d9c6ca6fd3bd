#!/bin/sh
# msrv.sh: whether the module and its library compile with the oldest compiler that Cargo.toml names, and all
# that is packaged with the oldest versions of the crates that it asks for. The second works in a copy of the
# last commit, and asks the registry for versions that the lock file does not have. A compiler that is missing
# is SKIPPED.
set -eu
cd "$(dirname "$0")/../.."
rust=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
packages='--package pam-nearmiss --package nearmiss-filters --package nearmiss-policy'
build=${CARGO_TARGET_DIR:-$PWD/target/msrv}

if rustup run "$rust" rustc --version >/dev/null 2>&1; then
    echo "msrv: Rust $rust"
    # shellcheck disable=SC2086 # several words
    CARGO_TARGET_DIR=$build rustup run "$rust" cargo check --quiet --locked $packages
else
    echo "SKIPPED: Rust $rust is not installed: rustup toolchain install $rust"
fi

echo "msrv: the oldest crates"
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git archive HEAD | tar -x -C "$copy"
cd "$copy"
RUSTC_BOOTSTRAP=1 cargo update --quiet -Z direct-minimal-versions
programs='--package filterctl --package nearmiss-agent --package nearmiss-fetch --package nearmiss-capi'
# shellcheck disable=SC2086 # several words
CARGO_TARGET_DIR=$build cargo check --quiet --locked $packages $programs
