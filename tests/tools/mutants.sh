#!/bin/sh
# mutants.sh [OPTION…]   changes the library, the module, the checker, the agent, filterctl and the plugins in
# one place at a time and runs the tests on each change: what no test notices is a gap in the tests, or has
# its row in tests/MUTANTS.md. Exits 1 when a change survives.
#
# cargo-mutants lists the changes; all are compiled in at once, each behind a switch, so that one build
# serves thousands (tests/mutants/). Each test runs once to learn which changes it meets; each change meets
# its tests, the quickest first, until one fails. `--help` has the options; name some changes, since all take
# hours: --file 'filters/src/policy/**', --percent 5 --seed 1, --only LIST.
#
# END_TO_END=1 runs the tests that start the real passwd, sshd and redis-server, and filterctl's command line
# without an environment, one at a time, instead of the crates' own. The copy of the sources, its build and
# the reports lie in target/mutants; MUTANTS_DIR names another folder.
set -eu
cd "$(dirname "$0")/../.."
: "${CARGO:=cargo}"
if ! "$CARGO" mutants --version >/dev/null 2>&1; then
    echo "make mutants needs cargo-mutants, which is not installed: cargo install cargo-mutants --locked" >&2
    exit 2
fi
built=$(realpath -m "${CARGO_TARGET_DIR:-target}")
if [ -n "${END_TO_END:-}" ]; then
    NEARMISS_UNPACKED=$PWD/target/unpacked
    export NEARMISS_UNPACKED
    packages="nearmiss-tests filterctl"
    set -- --one-by-one "$@"
else
    packages="nearmiss-filters nearmiss-checker nearmiss-capi pam-nearmiss nearmiss-agent filterctl
        nearmiss-cracklib nearmiss-mit-krb5 nearmiss-openldap nearmiss-mariadb nearmiss-postgresql"
fi
for package in $packages; do set -- --package "$package" "$@"; done
"$CARGO" build --quiet --profile test-fast -p nearmiss-mutants
exec "$built/test-fast/nearmiss-mutants" --folder "${MUTANTS_DIR:-$built/mutants}" "$@"
