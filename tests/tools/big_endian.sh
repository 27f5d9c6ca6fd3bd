#!/bin/sh
# big_endian.sh: the library's tests on a big-endian machine, s390x, which qemu-user plays: real code, real
# files, and the same golden bytes. Compiler, its sources and linker are Debian packages, unpacked below
# target/ and not installed. The first run takes some minutes to build.
set -eu
cd "$(dirname "$0")/../.."
: "${CARGO:=cargo}"
mkdir -p "${CARGO_TARGET_DIR:-target}/big-endian"
place=$(cd "${CARGO_TARGET_DIR:-target}/big-endian" && pwd)
root=$place/root

skip() { echo "SKIPPED: the library's tests on a big-endian machine: $1"; exit 0; }

unpack() { # what this machine lacks of the packages, with what they need
    rm -rf "$place/unpacking"
    mkdir -p "$place/archives/partial" "$place/unpacking"
    if [ "$(id -u)" = 0 ]; then as_root=; else as_root=sudo; fi
    $as_root apt-get update -qq
    # Those installed already are wanted as well: compiler and sources must lie in one folder.
    $as_root apt-get install -qq -y --download-only --reinstall --no-install-recommends \
        -o "Dir::Cache::archives=$place/archives" -o APT::Sandbox::User=root rustc-web libstd-rust-web-dev \
        rust-web-src gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user-static &&
        for archive in "$place"/archives/*.deb; do dpkg -x "$archive" "$place/unpacking" || return; done &&
        rm -rf "$place/archives" && mv "$place/unpacking" "$root"
}

if [ ! -d "$root" ]; then
    command -v apt-get >/dev/null || skip "no apt-get to fetch a compiler with"
    unpack >"$place/log" 2>&1 || skip \
        "apt-get cannot fetch the compiler for s390x and qemu-user-static: see $place/log"
fi

for driver in "$root"/usr/lib/*/librustc_driver-*.so; do export LD_LIBRARY_PATH="${driver%/*}"; done
export RUSTC="$root/usr/bin/rustc" RUSTDOC="$root/usr/bin/rustdoc" PATH="$PATH:$root/usr/bin"
version() { sed -n "s/^$1\"\{0,1\}1\.\([0-9]*\).*/\1/p" "$2"; }
"$RUSTC" -vV >"$place/version" 2>&1 || skip "rustc-web does not start: $(tail -n 1 "$place/version")"
[ "$(version 'release: ' "$place/version")" -ge "$(version 'rust-version = ' Cargo.toml)" ] ||
    skip "rustc-web is $(sed -n 's/^release: //p' "$place/version"), too old"

# The standard library for s390x is in no package of this compiler: it is built as well, which takes its
# unstable options.
export RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="$place/build" CARGO_TERM_COLOR=never
export CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_LINKER=s390x-linux-gnu-gcc
export CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_RUNNER=qemu-s390x-static
# Static, so that qemu needs no libraries of that machine.
export CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_RUSTFLAGS="-C target-feature=+crt-static"
unset RUSTFLAGS

left_out=
leave_out() { for name in "$@"; do left_out="$left_out --skip $name"; done; }
# qemu takes the advice to populate a map for followed without asking the kernel: nothing tells that the
# file was cut.
leave_out storage::mapped::filter::tests::truncation_is_an_error_not_a_signal \
    storage::mapped::filter::tests::many_ranges_are_asked_for_together_and_each_must_be_there \
    storage::mapped::shared_bits::tests::a_cut_file_is_an_error_for_both_kinds_of_access
# The kernel tells of qemu's maps, not of those that qemu plays.
leave_out storage::mapped::hash_memory::tests::memory_for_a_hash_is_in_no_core_and_no_child_and_goes
# They measure a rate: millions of lookups, of which a few show the byte order as well.
leave_out dictionary::sizing::cache_lines::tests::lines_raise_the_false_positives_as_computed \
    page::tests::false_positives_are_those_of_independent_positions \
    all_listed_passwords_are_rejected_and_others_at_the_stated_rate
# They try the same on many lists: a build with every number of threads, a thousand random lists for each
# scheme.
leave_out threads_and_blocks_do_not_change_a_byte deletions_0 deletions_2 deletions_4 deletions_6 \
    deletions_8 paper transpositions visit_names_every_neighbour_once
# Whole files that are not run, for the same reasons: catch_rates, sizes, ladder_statistics;
# loom, which is built in its own way.

# shellcheck disable=SC2086  # words
"$CARGO" test -Zbuild-std=std,panic_unwind,test --target s390x-unknown-linux-gnu -p nearmiss-filters \
    --profile test-fast --no-fail-fast --lib --test golden --test build --test breach --test updates \
    --test damage --test evil --test ladder_damage --test ladder_files --test neighbours \
    -- --test-threads=1 --exact $left_out >"$place/log" 2>&1 && failed=0 || failed=1
[ "$failed" = 0 ] || cat "$place/log"
awk '/^test result:/ { held += $4; tried += $4 + $6 }
    END { printf "torture: the library'\''s tests on a big-endian machine (s390x): %d tried, %d held\n",
        tried, held
        exit !tried }' "$place/log" || failed=1
exit "$failed"
