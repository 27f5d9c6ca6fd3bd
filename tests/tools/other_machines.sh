#!/bin/sh
# other_machines.sh NAME: the library's tests on another machine, which qemu-user plays: real code, real
# files, and the same golden bytes. NAME is s390x (big-endian), arm64, armhf (32 bits), riscv64 or ppc64el; or
# musl, this machine with another C library, where the module is loaded as well.
# Compiler, its sources and linker are Debian packages, unpacked below target/ and not installed. The first
# run takes some minutes to build.
set -eu
cd "$(dirname "$0")/../.."
: "${CARGO:=cargo}"
machine=${1:?usage: other_machines.sh s390x|arm64|armhf|riscv64|ppc64el|musl}
case $machine in
    # Rust's name of the machine, the linker's, and qemu's.
    s390x) target=s390x-unknown-linux-gnu linker=s390x-linux-gnu qemu=s390x ;;
    arm64) target=aarch64-unknown-linux-gnu linker=aarch64-linux-gnu qemu=aarch64 ;;
    armhf) target=armv7-unknown-linux-gnueabihf linker=arm-linux-gnueabihf qemu=arm ;;
    riscv64) target=riscv64gc-unknown-linux-gnu linker=riscv64-linux-gnu qemu=riscv64 ;;
    ppc64el) target=powerpc64le-unknown-linux-gnu linker=powerpc64le-linux-gnu qemu=ppc64le ;;
    musl) target=x86_64-unknown-linux-musl linker=musl qemu= ;;
    *) echo "other_machines.sh: there is no machine '$machine' here" >&2; exit 2 ;;
esac
mkdir -p "${CARGO_TARGET_DIR:-target}/other-machines"
target_folder=$(cd "${CARGO_TARGET_DIR:-target}" && pwd)
place=$target_folder/other-machines
root=$place/compiler
log=$place/$machine.log

skip() { echo "SKIPPED: the library's tests on $machine: $1"; exit 0; }

unpack() { # FOLDER PACKAGE...: these packages, installed ones too, with what they need
    folder=$1
    shift
    rm -rf "$folder.new"
    mkdir -p "$folder.archives/partial" "$folder.new"
    if [ "$(id -u)" = 0 ]; then as_root=; else as_root=sudo; fi
    $as_root apt-get update -qq
    $as_root apt-get install -qq -y --download-only --reinstall --no-install-recommends \
        -o "Dir::Cache::archives=$folder.archives" -o APT::Sandbox::User=root "$@" &&
        for archive in "$folder.archives"/*.deb; do dpkg -x "$archive" "$folder.new" || return; done &&
        rm -rf "$folder.archives" && mv "$folder.new" "$folder"
}

fetch() { # FOLDER PACKAGE...: unless they are there; compiler and its sources must lie in one folder
    [ -d "$1" ] || unpack "$@" >"$log" 2>&1 || skip "apt-get cannot fetch what it needs: see $log"
}

command -v apt-get >/dev/null || skip "no apt-get to fetch a compiler with"
fetch "$root" rustc-web libstd-rust-web-dev rust-web-src qemu-user-static
case $linker in
    arm-linux-gnueabihf) fetch "$place/$machine" gcc-arm-linux-gnueabihf libc6-dev-armhf-cross ;;
    musl)
        fetch "$place/musl" musl musl-dev musl-tools
        tests/tools/musl/compiler.sh "$place/musl"
        ;;
    *) fetch "$place/$machine" "gcc-$linker" "libc6-dev-$machine-cross" ;;
esac

for driver in "$root"/usr/lib/*/librustc_driver-*.so; do libraries=${driver%/*}; done
export LD_LIBRARY_PATH="$libraries:$place/$machine${libraries#"$root"}"
export RUSTC="$root/usr/bin/rustc" RUSTDOC="$root/usr/bin/rustdoc"
export PATH="$PATH:$root/usr/bin:$place/$machine/usr/bin"
version() { sed -n "s/^$1\"\{0,1\}1\.\([0-9]*\).*/\1/p" "$2"; }
"$RUSTC" -vV >"$place/version" 2>&1 || skip "rustc-web does not start: $(tail -n 1 "$place/version")"
[ "$(version 'release: ' "$place/version")" -ge "$(version 'rust-version = ' Cargo.toml)" ] ||
    skip "rustc-web is $(sed -n 's/^release: //p' "$place/version"), too old"

# The standard library for another machine is in no package of this compiler: it is built as well, which takes
# its unstable options.
export RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="$place/build" CARGO_TERM_COLOR=never
variable=CARGO_TARGET_$(echo "$target" | tr 'a-z-' 'A-Z_')
if [ "$machine" = musl ]; then
    export "${variable}_LINKER=$place/musl/bin/musl-cc"
    # Shared, as a module of PAM is. What Rust brings for musl is static.
    flags="-C target-feature=-crt-static -C link-self-contained=no -L $place/musl/lib-for-rust"
else
    export "${variable}_LINKER=$linker-gcc" "${variable}_RUNNER=qemu-$qemu-static"
    export NEARMISS_TEST_RUNNER="qemu-$qemu-static"
    # Static, so that qemu needs no libraries of that machine.
    flags="-C target-feature=+crt-static"
fi
export "${variable}_RUSTFLAGS=$flags"
unset RUSTFLAGS

left_out=
leave_out() { for name in "$@"; do left_out="$left_out --skip $name"; done; }
if [ "$machine" != musl ]; then
    # qemu takes the advice to populate a map for followed without asking the kernel: nothing tells that the
    # file was cut, and no page gets its room.
    leave_out storage::mapped::filter::tests::truncation_is_an_error_not_a_signal \
        storage::mapped::filter::tests::many_ranges_are_asked_for_together_and_each_must_be_there \
        storage::mapped::filter::tests::ranges_that_are_not_read_ahead_must_be_there \
        storage::mapped::shared_bits::tests::a_cut_file_is_an_error_for_both_kinds_of_access \
        storage::mapped::shared_bits::tests::a_page_has_its_room_before_it_is_written \
        site::guess_tests::a_ladder_that_fails_while_it_is_asked_is_no_acceptance
    # The kernel tells of qemu's maps, not of those that qemu plays.
    leave_out storage::mapped::hash_memory::tests::memory_for_a_hash_is_in_no_core_and_no_child_and_goes
fi
# They measure a rate or need a large filter: millions of steps, of which a few show the byte order as well.
leave_out dictionary::sizing::cache_lines::tests::lines_raise_the_false_positives_as_computed \
    page::tests::false_positives_are_those_of_independent_positions \
    breach::all_listed_passwords_are_rejected_and_others_at_the_stated_rate \
    site::login_tests::strangers_are_not_told site::login_tests::what_has_to_be_copied_is_small
# They try the same on many lists: a build with every number of threads, a thousand random lists for each
# scheme.
leave_out build::threads_and_blocks_do_not_change_a_byte neighbours::visit_names_every_neighbour_once
for scheme in deletions_0 deletions_2 deletions_4 deletions_6 deletions_8 paper transpositions; do
    leave_out "neighbours::$scheme"
done
# They compare thousands of texts with a definition, byte for byte: no order of bytes and no width of a number
# has a part in it.
leave_out policy::pattern::runs::tests::runs_are_those_of_the_definition \
    policy::pattern::keyboard_tests::patterns_are_those_of_the_definition
# Whole files that are not run, for the same reasons: catch_rates, sizes, ladder_statistics;
# loom, which is built in its own way.

tests() { # tests PACKAGE TARGET FILE...
    package=$1
    shift
    # shellcheck disable=SC2086  # words
    "$CARGO" test -Zbuild-std=std,panic_unwind,test --target "$target" -p "$package" \
        --profile test-fast --no-fail-fast "$@" --test-threads=1 $left_out || failed=1
}
all_tests() { # each, though an earlier one fails
    tests nearmiss-filters --lib --
    tests nearmiss-policy --lib --
    tests nearmiss-filters --test library -- golden:: build:: updates:: damage:: evil:: \
        ladder_damage:: ladder_files:: neighbours::
    tests nearmiss-policy --test policy -- breach:: evil::
}
failed=0
all_tests >"$log" 2>&1
[ "$failed" = 0 ] || cat "$log"
awk -v what="the library's tests on $machine" -f tests/tools/held.awk "$log" || failed=1
if [ "$machine" = musl ]; then
    # filterctl is of this machine: built before, or with the compiler and the folder of every other build.
    ([ -n "${NEARMISS_BUILT:-}" ] ||
        env -u RUSTC -u RUSTDOC -u RUSTC_BOOTSTRAP -u LD_LIBRARY_PATH CARGO_TARGET_DIR="$target_folder" \
            "$CARGO" build --profile test-fast -p filterctl) >> "$log" 2>&1 &&
        tests/tools/musl/module.sh "$place/musl" "${NEARMISS_BUILT:-$target_folder/test-fast}/filterctl" \
            -Zbuild-std=std,panic_unwind --target "$target" --profile test-fast >> "$log" 2>&1 || failed=1
    [ "$failed" = 0 ] && grep '^torture: the module' "$log" || cat "$log"
fi
exit "$failed"
