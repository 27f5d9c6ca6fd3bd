#!/bin/sh
# Measures nearmiss beside its peers and prints one table. Nothing is installed and no file of the machine
# is changed: the peers' Debian packages are fetched by name and unpacked in a scratch folder.
#   tests/benches/bench.sh [MEASURE...]    all of: near checks exact size build cold ladder guesses scaling
#                                    transaction library pwscore
#   tests/benches/bench.sh pipe            10⁹ digests through a pipe; pipe-tenth: 10⁸
#   tests/benches/bench.sh groups          filters of digests in groups beside those without
#   tests/benches/bench.sh digest-files    filterctl build of files of 10⁷ and 10⁸ digests
#   tests/benches/bench.sh fleet           steps through the agent, with servers on the loopback
#   tests/benches/bench.sh logins          the time of failed logins of accounts that exist and that do not
#   tests/benches/bench.sh zxcvbn          a check of guesses beside zxcvbn, in Python's package of it
#   tests/benches/bench.sh instructions    instructions by callgrind
#   BEFORE=COMMIT tests/benches/bench.sh instructions    the counts of that commit's library beside today's;
#                                    it must have the crates that today's questions use
#   BEFORE=COMMIT tests/benches/bench.sh transaction    the module of that commit beside today's
#   BEFORE=COMMIT tests/benches/bench.sh digest-files    its filterctl beside today's
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
if [ "${1:-}" = fleet ]; then
    cd "$top"
    exec cargo test --profile test-fast -p nearmiss-fleet-tests --test fleet -- \
        --ignored --nocapture rate_and_latency
fi
if [ "${1:-}" = logins ]; then
    cd "$top"
    exec cargo test --profile test-fast -p nearmiss-fleet-tests --test fleet -- \
        --ignored --nocapture login_times
fi
work=${CARGO_TARGET_DIR:-$top/target}/bench
if [ "${1:-}" = zxcvbn ]; then
    cd "$top"
    exec tests/benches/zxcvbn.sh "$work/zxcvbn"
fi
peers=$work/peers
mkdir -p "$work/debs" "$peers" "$work/bin"

packages="libcrack2 libcrack2-dev cracklib-runtime passwdqc libpasswdqc1 libpasswdqc-dev libpwquality1
    libpwquality-tools libpam-pwquality libpam-passwdqc tre-agrep libtre5 libpam0g-dev libsqlite3-dev
    libsqlite3-0 wamerican-huge wamerican-insane wfrench wngerman zstd valgrind"
for package in $packages; do
    [ -e "$work/debs/$package.unpacked" ] && continue
    (cd "$work/debs" && apt-get download -qq "$package") 2>&1 | grep -v unsandboxed >&2 || true
    dpkg -x "$work/debs/${package}_"*.deb "$peers"
    touch "$work/debs/$package.unpacked"
done

lib=$peers/usr/lib/$(cc -dumpmachine)
export LD_LIBRARY_PATH="$lib"
build() { # build NAME LIBRARY...: one of the small C programs
    name=$1
    shift
    cc -O2 -Wall -I "$peers/usr/include" -o "$work/bin/$name" "$top/tests/benches/peers/$name.c" \
        -L "$lib" "$@"
}
build crack "$lib/libcrack.so.2"
build passwdqc "$lib/libpasswdqc.so.1"
build strength "$(ls "$lib"/libsqlite3.so.0)"
build pamlat -l:libpam.so.0

zstd -dc "$top/packaging/wordlists/common.lst.zst" | head -n 55870 >"$work/common.txt"
cp "$top/crates/filters/tests/fixtures/passwords.txt" "$work/passwords.txt"

cd "$top"
cargo build --release --quiet -p pam-nearmiss -p nearmiss-capi
cp "${CARGO_TARGET_DIR:-$top/target}/release/libpam_nearmiss.so" "$work/bin/pam_nearmiss.so"
crates/capi/link.sh "${CARGO_TARGET_DIR:-$top/target}/release/libnearmiss.a" "$work/bin"
NEARMISS_LIBCRACK=$lib/libcrack.so.2 cargo build --release --quiet -p nearmiss-cracklib
mkdir -p "$work/bin/drop-in"
cp "${CARGO_TARGET_DIR:-$top/target}/release/libnearmiss_crack.so" "$work/bin/drop-in/libcrack.so.2"
case " $* " in *" pipe"* | *" digest-files "* | *" groups "*)
    cargo build --release --quiet -p filterctl
    cp "${CARGO_TARGET_DIR:-$top/target}/release/filterctl" "$work/bin/filterctl"
    ;;
esac
before=$work/before
rm -rf "$before/bin"
rm -f "$work/before.tsv"
if [ "${1:-}" = instructions ]; then
    export PATH="$peers/usr/bin:$PATH" VALGRIND_LIB="$peers/usr/libexec/valgrind"
fi
if [ -n "${BEFORE:-}" ] && [ "${1:-}" = instructions ]; then
    # Today's questions to that commit's library.
    [ -e "$before/source" ] || git worktree add --quiet --detach "$before/source" "$BEFORE"
    git -C "$before/source" checkout --quiet --force --detach "$BEFORE"
    theirs=$before/source/tests/benches
    [ -e "$theirs" ] || theirs=$before/source/benches
    rm -rf "$theirs/src"
    cp -r "$top/tests/benches/src" "$theirs/src"
    cargo build --release --quiet --manifest-path "$theirs/Cargo.toml" \
        --target-dir "$before/target"
    "$before/target/release/nearmiss-benches" "$work" counts >"$work/before.tsv"
    git worktree remove --force "$before/source"
elif [ -n "${BEFORE:-}" ]; then
    [ -e "$before/source" ] || git worktree add --quiet --detach "$before/source" "$BEFORE"
    git -C "$before/source" checkout --quiet --detach "$BEFORE"
    (cd "$before/source" &&
        CARGO_TARGET_DIR=$before/target cargo build --release --quiet -p pam-nearmiss -p filterctl)
    mkdir -p "$before/bin"
    cp "$before/target/release/libpam_nearmiss.so" "$before/bin/pam_nearmiss.so"
    cp "$before/target/release/filterctl" "$before/bin/filterctl"
    git worktree remove --force "$before/source"
fi
cargo build --release --quiet --manifest-path tests/benches/Cargo.toml --target-dir "$work/target"

echo "# nearmiss measured beside its peers"
echo
processors=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sort | uniq -c | sed 's/^ *//')
commit=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
echo "machine: $processors, $(sed -n 's/MemTotal: *//p' /proc/meminfo), Linux $(uname -r); commit $commit;" \
    "load $(cut -d' ' -f1 /proc/loadavg)"
exec "$work/target/release/nearmiss-benches" "$work" "$@"
