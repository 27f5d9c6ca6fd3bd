#!/bin/sh
# builds.sh NAME RUST [cc]   says on one line what NAME lacks on this machine to be built, and where it is
# had: Linux, cargo with this release of Rust or a later one and, where it is asked for, a C compiler. Exits 2
# then.
set -eu
name=$1 least=$2 compiler=${3:-}
lack() {
    echo "$name: needs $1" >&2
    exit 2
}
[ "$(uname -s)" = Linux ] || lack "Linux: a PAM module for Linux-PAM is built"
rust="Rust $least or later with cargo (https://rustup.rs)"
command -v "${CARGO:-cargo}" > /dev/null || lack "$rust"
version=$("${RUSTC:-rustc}" --version 2> /dev/null | cut -d ' ' -f 2) || version=
[ "$(printf '%s\n' "$least" "${version:-0}" | sort -V | head -n 1)" = "$least" ] ||
    lack "$rust; this is ${version:-no Rust that runs}"
[ -z "$compiler" ] || command -v "${CC:-cc}" > /dev/null ||
    lack "cc, a C compiler (Debian: apt-get install gcc libc6-dev; Fedora: dnf install gcc)"
