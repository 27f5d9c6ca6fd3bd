#!/bin/sh
# install.sh CRATE VERSION   builds a tool of cargo's from the registry of crates into target/gate, once;
# TOOLS names another folder. A machine's own tool of that name is taken as it is.
set -eu
cd "$(dirname "$0")/../.."
tools=${TOOLS:-$PWD/target/gate}
PATH=$tools/bin:$PATH
command -v "$1" >/dev/null 2>&1 && exit
echo "installing $1 $2" >&2
# It runs for seconds: optimizing it takes minutes.
export CARGO_TARGET_DIR="$tools/build" CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off
export CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
exec cargo install --quiet --locked --root "$tools" --version "$2" "$1"
