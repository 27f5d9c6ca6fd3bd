#!/bin/sh
# documents.sh [OPTION...]: the documentation of all crates, without a warning, and every link of the
# libraries' pages. The options are cargo's.
#
# A page links to another crate only if the pages of that are there, and cargo removes a crate's pages before
# it writes them: libraries are documented one by one, each after the ones that it uses.
set -eu
cd "$(dirname "$0")/../.."
RUSTDOCFLAGS='-D warnings'
export RUSTDOCFLAGS
others=
for library in nearmiss-filters nearmiss-policy nearmiss-checker; do
    "${CARGO:-cargo}" doc --quiet --no-deps "$@" -p "$library"
    others="$others --exclude $library"
done
# Without quotes: it is several options.
"${CARGO:-cargo}" doc --quiet --no-deps "$@" --workspace $others
exec tests/tools/links.py "${CARGO_TARGET_DIR:-target}/doc"
