#!/bin/sh
# run.sh   checks the proofs of distance_one.v with Coq, refuses any that assumes something, and compares the
# definitions that Coq extracts from it with the code on 100,000 random pairs. Installs Coq where it is
# missing; writes only below target/.
set -eu
cd "$(dirname "$0")/../../.."
: "${CARGO:=cargo}"
if ! command -v coqc >/dev/null 2>&1 || ! command -v ocamlfind >/dev/null 2>&1; then
    echo "installing what the proofs need: coq"
    if [ "$(id -u)" = 0 ]; then as_root=; else as_root=sudo; fi
    $as_root apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends coq
fi
work=target/proofs
rm -rf "$work"
mkdir -p "$work"
cp crates/filters/proofs/*.v crates/filters/proofs/compare.ml "$work"
cases=$(realpath "$work")/cases
NEARMISS_CASES=$cases "$CARGO" test --quiet --profile test-fast -p nearmiss-filters --test library proved::

cd "$work"
coqc distance_one.v >assumptions
cat assumptions
asked=$(grep -c '^Print Assumptions' distance_one.v)
if [ "$(grep -cx 'Closed under the global context' assumptions)" != "$asked" ]; then
    echo "a theorem assumes something, see above" >&2
    exit 1
fi
coqc extract.v >/dev/null
ocamlfind ocamlopt -w -a distance_one.mli distance_one.ml compare.ml -o compare
./compare "$cases"
