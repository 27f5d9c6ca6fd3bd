#!/bin/sh
# Measures nearmiss beside its peers. Nothing is installed and no file of the machine is changed: the peers'
# Debian packages are fetched by name and unpacked in a scratch folder.
#   tests/benches/bench.sh                 measures all of: near checks exact size build cold ladder guesses
#                                    scaling transaction library pwscore; at the end, when all have ended
#                                    well, writes RESULTS.md and scaling.svg beside this file and the table of
#                                    speed in docs/measured.md
#   tests/benches/bench.sh MEASURE...      prints these, and writes nothing
#   tests/benches/bench.sh --write MEASURE...    replaces these measures' parts of the pages, each with the
#                                    commit and the load that it was measured at
# Measures that a run of all does not have, and that are printed or written by name:
#   pipe            10⁹ digests through a pipe; pipe-tenth: 10⁸
#   groups          filters of digests in groups beside those without
#   digest-files    filterctl build of files of 10⁷ and 10⁸ digests
#   instructions    instructions by callgrind
# Printed only, each alone:
#   fleet           steps through the agent, with servers on the loopback
#   logins          the time of failed logins of accounts that exist and that do not
#   zxcvbn          a check of guesses beside zxcvbn, in Python's package of it
# BEFORE=COMMIT, with a run of all or with these measures:
#   transaction     the module of that commit beside today's
#   digest-files    its filterctl beside today's
#   instructions    the counts of its library beside today's; it must have the crates that today's questions
#                   use
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
option=
case ${1:-} in
"")
    option=--whole
    set -- near checks exact size build cold ladder guesses scaling transaction library pwscore
    ;;
--write)
    option=--write
    shift
    ;;
esac
refuse() {
    echo "bench.sh: $1" >&2
    exit 2
}
[ $# -gt 0 ] || refuse "--write needs the measures to write"
asked=" $* "
for measure; do
    case $measure in
    near | checks | exact | size | build | cold | ladder | guesses | scaling | transaction | library) ;;
    pwscore | pipe | pipe-tenth | groups | digest-files | instructions) ;;
    *) refuse "no measure \`$measure\` to run here; the head of this file has the list" ;;
    esac
done
has() { # has MEASURE: whether it is among those asked for
    case $asked in
    *" $1 "*) ;;
    *) return 1 ;;
    esac
}
# The commit of what is measured: read before anything is built, so that a later commit does not name it.
cd "$top"
BENCH_COMMIT=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
# What a run itself writes is no change.
[ -z "$(git status --porcelain -- . ':!tests/benches/RESULTS.md' ':!tests/benches/scaling.svg' \
    ':!docs/measured.md' 2>/dev/null)" ] || BENCH_COMMIT="$BENCH_COMMIT with changes"
export BENCH_COMMIT
if [ -n "${BEFORE:-}" ]; then
    BEFORE_COMMIT=$(git rev-parse --short --verify "$BEFORE^{commit}") || refuse "no commit $BEFORE"
    export BEFORE_COMMIT
    has transaction || has digest-files || has instructions ||
        refuse "BEFORE is for transaction, digest-files and instructions"
fi
peers=$work/peers
mkdir -p "$work/debs" "$peers" "$work/bin"

packages="libcrack2 libcrack2-dev cracklib-runtime passwdqc libpasswdqc1 libpasswdqc-dev libpwquality1
    libpwquality-tools libpam-pwquality libpam-passwdqc tre-agrep libtre5 libpam0g-dev libsqlite3-dev
    libsqlite3-0 wamerican-huge wamerican-insane wfrench wngerman zstd valgrind strace libunwind8"
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

xz -dc "$top/packaging/wordlists/common.lst.xz" | head -n 55870 >"$work/common.txt"
cp "$top/crates/filters/tests/fixtures/passwords.txt" "$work/passwords.txt"

cargo build --release --quiet -p pam-nearmiss -p nearmiss-capi
cp "${CARGO_TARGET_DIR:-$top/target}/release/libpam_nearmiss.so" "$work/bin/pam_nearmiss.so"
crates/capi/link.sh "${CARGO_TARGET_DIR:-$top/target}/release/libnearmiss.a" "$work/bin"
NEARMISS_LIBCRACK=$lib/libcrack.so.2 cargo build --release --quiet -p nearmiss-cracklib
mkdir -p "$work/bin/drop-in"
cp "${CARGO_TARGET_DIR:-$top/target}/release/libnearmiss_crack.so" "$work/bin/drop-in/libcrack.so.2"
if has build || has pipe || has pipe-tenth || has digest-files || has groups; then
    cargo build --release --quiet -p filterctl
    cp "${CARGO_TARGET_DIR:-$top/target}/release/filterctl" "$work/bin/filterctl"
fi
before=$work/before
rm -rf "$before/bin"
rm -f "$work/before.tsv" "$work/scaling.svg"
if has instructions; then
    export PATH="$peers/usr/bin:$PATH" VALGRIND_LIB="$peers/usr/libexec/valgrind"
fi
source_of_before() { # the tree of that commit
    git worktree add --quiet --force --detach "$before/source" "$BEFORE"
}
rm -rf "$before/source"
if [ -n "${BEFORE:-}" ] && has instructions; then
    # Today's questions to that commit's library.
    source_of_before
    theirs=$before/source/tests/benches
    [ -e "$theirs" ] || theirs=$before/source/benches
    rm -rf "$theirs/src"
    cp -r "$top/tests/benches/src" "$theirs/src"
    cargo build --release --quiet --manifest-path "$theirs/Cargo.toml" \
        --target-dir "$before/target"
    "$before/target/release/nearmiss-benches" "$work" counts >"$work/before.tsv"
    git worktree remove --force "$before/source"
fi
if [ -n "${BEFORE:-}" ] && { has transaction || has digest-files; }; then
    source_of_before
    (cd "$before/source" &&
        CARGO_TARGET_DIR=$before/target cargo build --release --quiet -p pam-nearmiss -p filterctl)
    mkdir -p "$before/bin"
    cp "$before/target/release/libpam_nearmiss.so" "$before/bin/pam_nearmiss.so"
    cp "$before/target/release/filterctl" "$before/bin/filterctl"
    git worktree remove --force "$before/source"
fi
cargo build --release --quiet --manifest-path tests/benches/Cargo.toml --target-dir "$work/target"

# shellcheck disable=SC2086  # no option is no argument
exec tests/tools/measures.py $option "$work/target/release/nearmiss-benches" "$work" "$@"
